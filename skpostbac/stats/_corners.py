r"""Remainders of Fourier series, summed over the corners of a distribution.

`Corners` evaluates them, and `corner_terms` multiplies the expansions of variables out
into terms of corners. `_fourier` defines orders and corners. Imports `_numerics`.

**The sum over orders.** The remainder of a series from the order K on is a sum of terms
exp(i t c) g_c(t) of the corners c at t = k h. With K' = K - 1/2 and z = h (c - y) in
[0, pi], the Abel-Plana formula between integers (NIST Digital Library of Mathematical
Functions, 2.10(i)), on a path rotated so that the exponential decays, gives exactly

    sum_{k >= K} exp(i k z) f(k) = i exp(i K' z) int_0^oo g(s) ds, g(s) = f(K' + i s)
    exp(-z s) / (1 + exp(-2 pi s)) + f(K' - i s) exp(z s) / (1 + exp(2 pi s)),

and its mirror image for z in [-pi, 0]. Nothing oscillates, and the corner itself, z =
0, needs no special case. With s = exp(x - exp(-x) + exp(x - x_1)) the trapezoid rule in
x converges exponentially (Takahasi and Mori, Publications of RIMS 9, 1974): the
integrand decays double-exponentially towards 0 and infinity, however small the powers.

**The corners of a sum.** With the expansions V_ij at the ends j of the variables i, and
their positions c_ij, the transform of a sum is

    prod_i sum_j exp(i t c_ij) V_ij(t),

and each product of one end for each variable is a corner. It is multiplied out from the
corner of the ends that dominate, in ratios V_ij / V_i0.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from skpostbac._utils import Complexes, Floats
from skpostbac.stats._numerics import EPS

# Products held in memory at a time.
MAX_PRODUCTS = 2**18
# Corners are neglected if their terms are below this, exp(-39), at the first order.
LEAST_TERM = 1.2e-17
# At most so many corners are used.
_MAX_CORNERS = 128
# With so many corners, most of them are far from a point.
_MANY_CORNERS = 16
# Nodes of large s count only where |z| is below this.
_NEAR = 0.05


@dataclass(frozen=True)
class Rule:
    """Quadrature rule for the integrals that sum the remainder from an order K on.

    The integrand has two terms (see the module docstring), on the paths K' + i s and
    K' - i s. The second decays faster, and only the first N' of the N nodes count.

    Attributes
    ----------
    middle : K' = K - 1/2.
    log_orders : logs of K' + i s, and then of K' - i s, shape (2 N,).
    decay : rates at which the logs of the exponential factors change with |z|, and
        their values at z = 0, for the nodes of the second and the first term, shape (2,
        N' + N).
    n_far : how many of these count where |z| is above `_NEAR`.
    table : weights of the nodes, times k^(d - 1) for the derivative d, shape (N, 2, 4).
    """

    middle: float
    log_orders: Complexes
    decay: Floats
    n_far: int
    table: Complexes

    @classmethod
    @lru_cache(maxsize=32)
    def of(cls, order: int, exponent: float) -> "Rule":
        """Return the rule for g_c that decay at least like t to minus `exponent`.

        A step of 0.2 leaves an error of about 3e-11 of the first order that is summed,
        which is at most about 1e-3. Half the step would remove it, in twice the time.
        """
        middle = order - 0.5
        step = 0.2

        # Equidistant values of log s reach exp(22) K', less where powers decay fast and
        # more where slowly, up to where doubles end. From there on s grows
        # double-exponentially, until its powers are below exp(-37).
        reach = 22.0 / max(exponent - 1, min(exponent, 1.0))
        turn = np.log(middle) + np.clip(reach, 6.0, 710.0)
        last = turn + np.log(37.0 / max(min(exponent, 1.0), 1e-9))
        x = np.arange(-3.6, last, step)
        log_s = x - np.exp(-x) + np.exp(x - turn)

        # At a corner, z = 0, only the decay of the powers ends the integral. Nodes
        # beyond exp(600) serve the distribution function only.
        s = np.exp(np.minimum(log_s, 600.0))
        weights = (
            step * (1 + np.exp(-x) + np.exp(x - turn)) / (1 + np.exp(-2 * np.pi * s))
        )
        orders = middle + 1j * s
        log_modulus = np.maximum(np.log(np.hypot(middle, s)), log_s)
        upper = log_modulus + 1j * np.arctan2(s, middle)

        # Each derivative takes one more factor k, which overflows at earlier nodes.
        table = np.empty((s.size, 2, 4), dtype=complex)
        values = weights * (s / orders)
        for d, limit in enumerate(np.searchsorted(log_s, [600.0, 300.0, 200.0, 150.0])):
            table[:, 0, d] = values
            orders[limit:] = 0.0
            values = values * orders
        np.conj(table[:, 0], out=table[:, 1])

        # exp(z s) / (1 + exp(2 pi s)) is at most exp(-pi s).
        second = s[: np.searchsorted(s, 37.0 / np.pi)]
        rates = np.append(second, -s)
        sizes = np.append(-2 * np.pi * second, 0 * s)
        n_far = second.size + int(np.searchsorted(s, 37.0 / _NEAR))
        log_orders = np.append(upper, upper.conj())
        return cls(middle, log_orders, np.array([rates, sizes]), n_far, table)


def offsets(points: Floats, positions: Floats) -> Floats:
    """Return distances of points from positions, shape (m, C, n).

    Points (A, m, n) and positions (A', m, C) are given by their distances from the
    anchors: the mean and, if A = 3, the lower and the upper end of the support. The
    nearer end serves, so that nothing is lost beside it, unless the mean is much
    closer. Points within rounding of a position inside the support are that position.
    """
    n_anchors = min(len(points), len(positions))
    from_anchors = positions[:n_anchors, ..., np.newaxis]
    offsets = points[:n_anchors, :, np.newaxis] - from_anchors
    if n_anchors == 1:
        return np.asarray(offsets[0])

    width = (points[1] - points[2])[:, np.newaxis]
    offsets[(np.abs(offsets) <= 4 * EPS * width) & (from_anchors != 0)] = 0.0
    scale = np.abs(points) * np.array([100.0, 1.0, 1.0])[:, np.newaxis, np.newaxis]
    nearest = scale.argmin(axis=0)[np.newaxis, :, np.newaxis]
    return np.asarray(np.take_along_axis(offsets, nearest, axis=0)[0])


@dataclass(frozen=True)
class Corners:
    """Sums over the orders from K on, for m distributions of C corners each.

    Attributes
    ----------
    rule : nodes of the integrals.
    step : h, shape (m,).
    positions : distances of the corners from the anchors, shape (A, m, C).
    values : g_c at h (K' + i s), and then at h (K' - i s), shape (m, C, 2 N).
    """

    rule: Rule
    step: Floats
    positions: Floats
    values: Complexes

    def selected(self, rows: Any) -> "Corners":
        """Return the corners of some of the distributions."""
        return replace(
            self,
            step=self.step[rows],
            positions=self.positions[:, rows],
            values=self.values[rows],
        )

    def evaluator(
        self, n_derivatives: int
    ) -> tuple[Callable[[Floats], Complexes], int]:
        """Return a function of points, shape (A, m, n), and for how many to call it.

        Its values are the sums of exp(i k h (c - y)) g_c(h k) k^(d - 1) over the orders
        from K on, shape (1 + d, m, n).
        """
        rates, sizes = self.rule.decay
        n_values = n_derivatives + 1
        n_nodes = len(self.rule.table)

        # The integrands for z >= 0 and for z <= 0, where the two paths are exchanged;
        # shape (m, C, N' + N, 2, 1 + d).
        table = np.empty(
            (*self.values.shape[:2], rates.size, 2, n_values), dtype=complex
        )
        n_second = rates.size - n_nodes
        first = table[:, :, n_second:]
        both = self.values.reshape(*self.values.shape[:2], 2, n_nodes)
        values = both.swapaxes(2, 3)[..., np.newaxis]
        np.multiply(values, self.rule.table[..., :n_values], out=first)
        table[:, :, :n_second] = first[:, :, :n_second, ::-1]
        reals = table.reshape(*table.shape[:3], 2 * n_values).view(float)

        step = self.step[:, np.newaxis, np.newaxis]
        # Most points are far from most corners.
        has_many = self.values.shape[1] >= _MANY_CORNERS
        n_far = self.rule.n_far if has_many else rates.size
        # Up to this size, BLAS computes products in one thread.
        width = max(1, min(4 * MAX_PRODUCTS * n_values // max(reals.size, 1), 64))

        def decays(size: Floats, nodes: slice) -> Floats:
            logs = size[..., np.newaxis] * rates[nodes]
            logs += sizes[nodes]
            # exp is up to seventy times as slow where it underflows.
            np.maximum(logs, -700.0, out=logs)
            return np.asarray(np.exp(logs, out=logs))

        def sums(points: Floats) -> Complexes:
            z = step * offsets(points, self.positions)
            z -= 2 * np.pi * np.round(z / (2 * np.pi))
            size = np.abs(z)

            integrals = decays(size, slice(n_far)) @ reals[:, :, :n_far]
            is_near = (size < _NEAR).any(axis=2) & (n_far < rates.size)
            if is_near.any():
                rest = decays(size[is_near], slice(n_far, None))
                integrals[is_near] += rest @ reals[is_near, n_far:]
            integrals = integrals.view(complex)

            positive = integrals[..., :n_values]
            negative = integrals[..., n_values:]
            # Exponentials of h (c - y) = -z.
            sides = np.where(z[..., np.newaxis] <= 0, positive, -negative)
            factors = 1j * np.exp(-1j * self.rule.middle * z)
            return np.asarray(
                (factors[..., np.newaxis] * sides).sum(axis=1).transpose(2, 0, 1)
            )

        return sums, width


# Terms by the number of units that they are shifted by, (m, N) each.
_Shifted: TypeAlias = dict[int, Complexes]


@dataclass(frozen=True)
class OtherEnds:
    """Ends of one variable of each of m sums, beside the one that dominates.

    Attributes
    ----------
    unit : distance between ends, shape (m,).
    ratios : expansions at the other ends, divided by that at the first, (m, N) each, by
        the number of units that these are from the first.
    count : number of identical variables, shape (m,).
    """

    unit: Floats
    ratios: _Shifted
    count: Floats

    def expanded(self, scale: Floats) -> _Shifted:
        """Return the terms of (1 + sum_j z^j ratio_j)^count that are not negligible."""
        power = {0: np.ones_like(next(iter(self.ratios.values())))}
        total = power
        for k in range(int(self.count.max())):
            # Binomial coefficients times powers of the ratios.
            share = ((self.count - k) / (k + 1))[:, np.newaxis]
            power = _product(
                power, {j: share * ratio for j, ratio in self.ratios.items()}, scale
            )
            if not power:
                break
            total = _sum(total, power)
        return total


def _sum(first: _Shifted, second: _Shifted) -> _Shifted:
    return first | {k: first.get(k, 0) + term for k, term in second.items()}


def _product(first: _Shifted, second: _Shifted, scale: Floats) -> _Shifted:
    """Return the product, without terms that are negligible in units of 1 / scale."""
    product: _Shifted = {}
    for i, one in first.items():
        product = _sum(product, {i + k: one * other for k, other in second.items()})
    return {
        k: term
        for k, term in product.items()
        if (np.abs(term[:, 0]) * scale).max(initial=0.0) > LEAST_TERM
    }


def ratios_of(terms: Complexes, first: Complexes) -> Complexes:
    """Return terms over those of the ends that dominate at the first order."""
    # At high orders terms may underflow, and all count as zero if the first does.
    divisor = np.broadcast_to(first, terms.shape)
    ratios = np.zeros_like(terms)
    np.divide(terms, divisor, out=ratios, where=np.abs(divisor) > 1e-290)
    return ratios


def corners_of_sum(
    position: Floats,
    ends: Floats,
    values: Floats,
    terms: Complexes,
    units: Floats,
    count: Floats,
    scale: Floats,
) -> tuple[Floats, Complexes]:
    """Return the positions (A, 1, C) and terms (1, C, N) of the corners of one sum.

    Each of l variables has the same E ends, at a multiple of its unit.

    Parameters
    ----------
    position : distances of the sum of all constants from the anchors, shape (A, 1).
    ends : distances of the ends from the anchors, shape (A, l, E).
    values : the multiples, whole numbers, shape (E,).
    terms : expansions, shape (l, E, N).
    units, count : units, and numbers of identical variables, shape (l,).
    scale : as in `corner_terms`.
    """
    top = np.abs(terms[:, :, 0]).argmax(axis=1)
    rows = np.arange(top.size)
    largest = terms[rows, top]
    ratios = ratios_of(terms, largest[:, np.newaxis])
    is_other = np.arange(values.size) != top[:, np.newaxis]
    shares = count * np.where(is_other, np.abs(ratios[:, :, 0]), 0.0).sum(axis=1)
    others = []
    for i in np.flatnonzero(shares > LEAST_TERM):
        shifts = (values - values[top[i]])[is_other[i]].tolist()
        by_shift = dict(zip(shifts, ratios[i, is_other[i], np.newaxis], strict=True))
        others.append(OtherEnds(units[[i]], by_shift, count[[i]]))
    product = (largest ** count[:, np.newaxis]).prod(axis=0, keepdims=True)
    position = position + (ends[:, rows, top] @ count)[:, np.newaxis]
    return corner_terms(position, product, others, scale)


def corner_terms(
    position: Floats, term: Complexes, others: Sequence[OtherEnds], scale: Floats
) -> tuple[Floats, Complexes]:
    """Return the positions (A, m, C) and terms (m, C, N) of the corners of m sums.

    Given are those of the corner where every variable is at its first end, (A, m) and
    (m, N), and the other ends of some variables. Terms that are negligible in units of
    1 / scale, shape (m,), are left out.
    """
    # Variables with the same unit share their corners.
    groups: dict[bytes, list[OtherEnds]] = {}
    for one in others:
        groups.setdefault(one.unit.tobytes(), []).append(one)

    positions = position[..., np.newaxis]
    # The first order alone tells which corners count.
    leading = term[:, :1]
    factors: list[Complexes] = []
    choices = np.empty((0, 1), dtype=np.intp)
    for group in groups.values():
        sizes = scale[:, np.newaxis] * np.abs(leading)
        largest = sizes.max(axis=1, initial=0.0)
        product = group[0].expanded(largest)
        for one in group[1:]:
            product = _product(product, one.expanded(largest), largest)
        if not product:  # all are negligible
            return positions[..., :0], term[:, np.newaxis][:, :0]
        shifts = np.multiply.outer(group[0].unit, [*product])
        terms = np.stack([*product.values()], axis=1)

        # Every corner so far with every term, if they are not negligible.
        sizes = (sizes[:, :, np.newaxis] * np.abs(terms[:, np.newaxis, :, 0])).max(
            axis=0
        )
        best = np.argsort(-sizes, axis=None)[:_MAX_CORNERS]
        best = np.sort(best[sizes.ravel()[best] > LEAST_TERM])
        corner, chosen = np.unravel_index(best, sizes.shape)
        positions = positions[..., corner] + shifts[:, chosen]
        leading = leading[:, corner] * terms[:, chosen, 0]
        choices = np.vstack([choices[:, corner], chosen])
        factors.append(terms)

    values = np.repeat(term[:, np.newaxis], leading.shape[1], axis=1)
    for terms, chosen in zip(factors, choices, strict=True):
        # Of many variables, most are at their first end at most corners.
        is_other = (terms != 1).any(axis=(0, 2))[chosen]
        values[:, is_other] *= terms[:, chosen[is_other]]
    return positions, values
