r"""Distributions of bounded variables from Fourier series of their densities.

A series evaluates a distribution function and its derivatives. Quantiles, shortest
intervals and modes are computed for any distributions that can be evaluated, many at a
time.

**Terms.** An *order* is the index k of a Fourier coefficient. A *corner* is a point
where the density is singular: an end of the support of a variable or, for a sum, a
point where ends of all its variables meet.

**Fourier series.** With X centred at its mean, v_k = E[exp(i k h X)] and h = 2 pi / P,
the sawtooth of period P gives

    P(X <= y) = 1/2 + y / P - sum_k Im(exp(-i k h y) v_k) / (pi k),    |y - X| < P,

for k = 1, 2, ..., exactly where no mass is farther than P from y; the density is its
derivative. The series ends at the order where the coefficients vanish. If they decay
too slowly for that, the remainder of the series is summed in closed form: for large t,
the transform is a sum over the corners c,

    E[exp(i t X)] = sum_c exp(i t c) g_c(t),

where g_c is analytic for Re t > 0 and decays like a power of t. The remainder from the
order K on is a sum of such terms at t = k h. With K' = K - 1/2 and z = h (c - y) in
[0, pi], the Abel-Plana formula between integers (NIST Digital Library of Mathematical
Functions, 2.10(i)), on a path rotated so that the exponential decays, gives exactly

    sum_{k >= K} exp(i k z) f(k) = i exp(i K' z) int_0^oo g(s) ds, g(s) = f(K' + i s)
    exp(-z s) / (1 + exp(-2 pi s)) + f(K' - i s) exp(z s) / (1 + exp(2 pi s)),

and its mirror image for z in [-pi, 0]. Nothing oscillates, and the corner itself, z =
0, needs no special case. With s = exp(x - exp(-x) + exp(x - x_1)) the trapezoid rule in
x converges exponentially (Takahasi and Mori, Publications of RIMS 9, 1974): the
integrand decays double-exponentially towards 0 and infinity, however small the powers.

For sums of independent variables, `vanishing_heights` bounds where the transform
vanishes, `orders` returns how many orders a series has, and `Truncation` what follows
from this number.

Points and probabilities have the shape (m, n): n for each of m distributions.

**Quantiles** are computed by safeguarded Halley steps. With the smaller tail t, the
density f and the distance d from the end of the support on this side, steps are taken
on log t as a function of log d: it is linear near the end, where a tail is a power of
d, and nearly linear in the tails in general. The root stays bracketed. Steps converge
cubically: the iteration stops after a step over which both the tail and the density
change by less than a relative tolerance.

**Shortest intervals** [l, u] have equal densities at both ends, or end where the
support does. Newton's method on the logs of the distances from the ends of the support
solves

    F(u) - F(l) = level,    log f(u) = log f(l).

For a unimodal distribution, any solution is the shortest interval. The iteration starts
at the central interval of a Beta distribution with the same moments, shifted by a third
of the skewness in standard deviations: to first order in the skewness, the densities
are then equal at both ends (Edgeworth's expansion). Otherwise the solution is bracketed
first, on a grid of lower tails between 0 and 1 - level. Where Newton's method does not
converge inside the bracket, the lower tail is computed by false position (Dowell and
Jarratt, BIT 11, 1971).

**Modes** of distributions that may be multimodal are searched on a grid of quantiles of
a Beta distribution with the same moments, the corners and the ends of the support.
Between the neighbours of a peak, the derivative of the density has a root, or the
density has an end or a kink.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Protocol, Self, TypeAlias

import numpy as np
from scipy.special import betaincinv, erfc, ndtr

from skpostbac._utils import Bools, Complexes, Floats, Indices
from skpostbac.stats._numerics import stacked_products, waves

# Up to so many orders, coefficients take less time than the sums over corners.
CHEAP = 900
# Products held in memory at a time.
_MAX_PRODUCTS = 2**18
# A variable whose standard deviation is below this share of that of the sum is replaced
# by its mean.
NARROW = 1e-13
# Coefficients, and the mass outside the range, are neglected below exp(-DEPTH) =
# 3.4e-14. Both are bounds that are seldom attained, and the error of a series is a
# fraction 1 / order of the first coefficient neglected.
DEPTH = 31.0
# The period is a little wider than the range, so that its two ends do not meet.
PERIOD = 1 + 1 / 16
_MAX_GAUSS_POINTS = 9
# A Gauss rule of n points needs the moments up to 2 n.
HIGHEST_MOMENT = 2 * _MAX_GAUSS_POINTS

# Points y, shape (m, n), to the distribution function less 1/2 and its first
# derivatives there, shape (1 + d, m, n). Less 1/2, so that both tails have the same
# accuracy.
Evaluator: TypeAlias = Callable[[Floats], Floats]


@dataclass(frozen=True, kw_only=True)
class Centred(ABC):
    """Base class of m distributions, in terms of the distances from their means.

    Attributes
    ----------
    low, high : ends of the range, outside which the mass is negligible, shape (m,).
    deviation : standard deviations, shape (m,).
    end_densities : limits of the densities at `low` and `high`, shape (2, m).
    has_one_peak : whether each density is known to be unimodal.
    least : tails, and densities in units of 1 / `deviation`, have no relative accuracy
        below this.
    """

    low: Floats
    high: Floats
    deviation: Floats
    end_densities: Floats
    has_one_peak: bool = False
    least: float = 1e-11

    @property
    def bounds(self) -> Floats:
        """Ends of the range as columns, shape (2, m, 1)."""
        return np.array([self.low, self.high])[..., np.newaxis]

    @property
    def places(self) -> Floats:
        """Distances at which the density may have a kink or a pole, shape (m, C)."""
        return np.empty((self.low.size, 0))

    def selected(self, rows: Bools, **fields: Any) -> Self:
        """Return some of the distributions; subclasses add their own fields."""
        return replace(
            self,
            low=self.low[rows],
            high=self.high[rows],
            deviation=self.deviation[rows],
            end_densities=self.end_densities[:, rows],
            **fields,
        )

    @property
    def resolution(self) -> Floats:
        """Width of the narrowest feature of a density, except at `places`, (m,)."""
        return np.zeros_like(self.low)

    @abstractmethod
    def evaluator(self, n_derivatives: int) -> Evaluator:
        """Return a function for the cdf less 1/2 and its first derivatives."""

    def tails(self, y: Floats, to_low: Floats, to_high: Floats) -> Floats:
        """Return P(X <= x), P(X > x) and the density inside the support, (3, m, n).

        Points are given by their distances from the mean and from both ends.
        """
        del to_low, to_high  # subclasses that compute from the ends use these
        first, last = self.bounds
        excess, density = self.evaluator(1)(np.clip(y, first, last))

        is_inside = (first <= y) & (y <= last)
        excess = np.where(is_inside, np.clip(excess, -0.5, 0.5), np.copysign(0.5, y))
        density = np.where(is_inside, np.maximum(density, 0.0), 0.0)
        return np.stack([0.5 + excess, 0.5 - excess, density])

    def quantiles_from_ends(self, p: Floats, q: Floats) -> tuple[Floats, Floats] | None:
        """Return distances of quantiles, P(X <= x) = p = 1 - q, from both ends.

        None if they are no more accurate than distances from the mean.
        """
        del p, q
        return None


@dataclass(frozen=True)
class Rule:
    """Quadrature rule for the integrals that sum the remainder from an order K on.

    The integrand has two terms (see the module docstring), on the paths K' + i s and
    K' - i s. The second decays faster, and only the first N' of the N nodes count.

    Attributes
    ----------
    middle : K' = K - 1/2.
    log_orders : logs of K' + i s and of K' - i s, shape (2, N).
    decay : rates at which the logs of the exponential factors change with |z|, and
        their values at z = 0, for the nodes of both terms, shape (2, N + N').
    table : weights of the nodes, times k^(d - 1) for the derivative d, shape (N, 2, 4).
    """

    middle: float
    log_orders: Complexes
    decay: Floats
    table: Complexes

    @classmethod
    @lru_cache(maxsize=32)
    def of(cls, order: int, exponent: float) -> "Rule":
        """Return the rule for g_c that decay at least like t to minus `exponent`.

        A step of 0.22 leaves an error of about 1e-10 of the first order that is summed,
        which is at most about 1e-3. Half the step would remove it, in twice the time.
        """
        middle = order - 0.5
        step = 0.22

        # Equidistant values of log s reach exp(22) K', or less where powers decay fast.
        # From there on s grows double-exponentially, until its powers are below
        # exp(-37).
        turn = np.log(middle) + max(22.0 / max(exponent - 1, 1.0), 6.0)
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
        rates = np.append(-s, second)
        sizes = np.append(0 * s, -2 * np.pi * second)
        log_orders = np.array([upper, upper.conj()])
        return cls(middle, log_orders, np.array([rates, sizes]), table)


@dataclass(frozen=True)
class Corners:
    """Sums over the orders from K on, for m distributions of C corners each.

    Attributes
    ----------
    rule : nodes of the integrals.
    step : h, shape (m,).
    places : corners, as distances from the mean, shape (m, C).
    values : g_c at h (K' + i s) and h (K' - i s), shape (m, C, 2, N).
    """

    rule: Rule
    step: Floats
    places: Floats
    values: Complexes

    def evaluator(
        self, n_derivatives: int
    ) -> tuple[Callable[[Floats], Complexes], int]:
        """Return a function of y, shape (m, n), and for how many points to call it.

        Its values are the sums of exp(i k h (c - y)) g_c(h k) k^(d - 1) over the orders
        from K on, shape (1 + d, m, n).
        """
        rates, sizes = self.rule.decay
        n_values = n_derivatives + 1
        n_nodes = len(self.rule.table)

        # The integrands for z >= 0 and for z <= 0, where the two paths are exchanged;
        # shape (m, C, N + N', 2, 1 + d).
        table = np.empty((*self.places.shape, rates.size, 2, n_values), dtype=complex)
        first = table[:, :, :n_nodes]
        values = self.values.swapaxes(2, 3)[..., np.newaxis]
        np.multiply(values, self.rule.table[..., :n_values], out=first)
        table[:, :, n_nodes:] = first[:, :, : rates.size - n_nodes, ::-1]
        reals = table.reshape(*table.shape[:3], -1).view(float)

        step = self.step[:, np.newaxis, np.newaxis]
        # Up to this size, BLAS computes products in one thread.
        width = max(1, min(4 * _MAX_PRODUCTS * n_values // reals.size, 64))

        def sums(y: Floats) -> Complexes:
            z = step * (self.places[..., np.newaxis] - y[:, np.newaxis])
            z -= 2 * np.pi * np.round(z / (2 * np.pi))
            size = np.abs(z)
            size[size < 1e-15] = 0.0  # rounding errors

            logs = size[..., np.newaxis] * rates
            logs += sizes
            # exp is up to seventy times as slow where it underflows.
            np.maximum(logs, -700.0, out=logs)
            integrals = (np.exp(logs, out=logs) @ reals).view(complex)

            positive = integrals[..., :n_values]
            negative = integrals[..., n_values:]
            sides = np.where(z[..., np.newaxis] >= 0, positive, -negative)
            factors = 1j * np.exp(1j * self.rule.middle * z)
            return np.asarray(
                (factors[..., np.newaxis] * sides).sum(axis=1).transpose(2, 0, 1)
            )

        return sums, width


@dataclass(frozen=True)
class Series(Centred):
    """Fourier series of m centred distributions.

    Attributes
    ----------
    period : P, shape (m,).
    coefficients : v_k from k = 1 to K - 1, shape (m, K - 1).
    corners : remainder of the series; None if it vanishes.
    """

    period: Floats
    coefficients: Complexes
    corners: Corners | None

    @property
    def places(self) -> Floats:
        if self.corners is None:
            return super().places
        return np.clip(self.corners.places, *self.bounds)

    @property
    def resolution(self) -> Floats:
        return np.asarray(self.period / (self.coefficients.shape[1] + 1))

    def selected(self, rows: Bools, **fields: Any) -> Self:
        corners = self.corners
        if corners is not None:
            corners = replace(
                corners,
                step=corners.step[rows],
                places=corners.places[rows],
                values=corners.values[rows],
            )
        return super().selected(
            rows,
            period=self.period[rows],
            coefficients=self.coefficients[rows],
            corners=corners,
            **fields,
        )

    def evaluator(self, n_derivatives: int) -> Evaluator:
        count = self.coefficients.shape[1]
        period = self.period[:, np.newaxis]
        step = 2 * np.pi / self.period

        # exp(-i k h y) of the order k = i n + j is the product of those of i n and j,
        # so that 2 n exponentials give the sum of n^2 orders as a matrix product.
        n_inner = math.isqrt(count - 1) + 1
        orders = np.arange(1, -(-count // n_inner) * n_inner + 1)
        inner_and_outer = np.concatenate([orders[:n_inner], orders[::n_inner] - 1])

        # The terms of derivative d are i / pi (-i h)^d exp(-i k h y) v_k k^(d - 1).
        table = np.zeros((len(step), n_derivatives + 1, orders.size), dtype=complex)
        np.multiply(
            self.coefficients, (1j / np.pi) / orders[:count], out=table[:, 0, :count]
        )
        rates = -1j * step[:, np.newaxis] * orders
        for d in range(n_derivatives):
            np.multiply(table[:, d], rates, out=table[:, d + 1])
        table = table.reshape(len(step), -1, n_inner)
        width = max(1, _MAX_PRODUCTS // table.size)

        if self.corners is not None:
            remainder, max_width = self.corners.evaluator(n_derivatives)
            exponents = np.arange(n_derivatives + 1)[:, np.newaxis, np.newaxis]
            factors = (1j / np.pi) * (-1j * step[:, np.newaxis]) ** exponents
            width = min(width, max_width)

        def evaluate(y: Floats) -> Floats:
            turns = y / period
            values = np.empty((n_derivatives + 1, *y.shape))
            for start in range(0, y.shape[1], width):
                columns = slice(start, start + width)
                angles = (-2 * np.pi) * turns[:, columns, np.newaxis]
                phases = angles * inner_and_outer
                # `waves` makes more calls, which pay off for large arrays only.
                wave = np.exp(1j * phases) if phases.size < 500 else waves(phases, 0.0)

                products = stacked_products(
                    table, wave[..., :n_inner].transpose(0, 2, 1)
                )
                products = products.reshape(
                    len(step), n_derivatives + 1, -1, angles.shape[1]
                )
                sums = np.einsum("mdrn,mnr->dmn", products, wave[..., n_inner:])
                if self.corners is not None:
                    sums += factors * remainder(y[:, columns])
                values[..., columns] = sums.real

            values[0] += turns
            values[1:2] += 1 / period
            return values

        return evaluate


def vanishing_heights(exponents: Floats, ratios: Floats, variance: Floats) -> Floats:
    """Return heights T with sum_i o_i log(1 + T^2 v_i / o_i) = 2 DEPTH, shape (m,).

    The left-hand side is convex and increasing in u = log T^2. For a single Gamma
    variable with the sum of the shapes and of the variances it is larger (Jensen's
    inequality), so that the iteration starts below the root, and a Newton step leads
    above it.
    """
    shape = exponents.sum(axis=1)
    u = np.log(np.expm1(np.minimum(2 * DEPTH / shape, 400.0)) * shape / variance)
    for _ in range(60):
        x = np.exp(u)[:, np.newaxis] * ratios
        missing = 2 * DEPTH - (exponents * np.log1p(x)).sum(axis=1)
        step = missing / (exponents * (x / (1 + x))).sum(axis=1)
        u = np.minimum(u + step, 400.0)
        # The error after a step is at most half its square.
        if np.abs(step).max() < 0.2:
            break
    return np.asarray(np.exp(0.5 * u))


def orders(vanished: Floats, resolved: Floats, n_variables: int) -> Floats:
    """Return the numbers of orders of m series, whole numbers, shape (m,).

    `vanished` is the order from which on the transform is negligible, `resolved` the
    one from which on it is the sum of expansions at the ends of all variables. A series
    ends after the first of these, or at the largest number that is computed.

    The number decides how the series is completed (see `Truncation`), so that it must
    not be reduced. In a series that ends before both orders, each variable not resolved
    yet is taken to be narrow, and its transform replaced by that of a Gauss rule. This
    is accurate only after the largest number of orders, where such variables are narrow
    indeed; otherwise the distribution function would be wrong.
    """
    wanted = np.where(vanished <= CHEAP, vanished, np.minimum(vanished, resolved))
    least = np.maximum(np.ceil(wanted) + 1, 8)
    return np.asarray(np.minimum(least, _max_orders(n_variables)))


def _max_orders(n_variables: int) -> int:
    """Return the largest number of orders of a series, limited by its memory."""
    return max(min(2**16, 2**20 // n_variables), 2**13)


@dataclass(frozen=True)
class Truncation:
    """Where the series of m sums of l variables end, and how they are completed.

    Attributes
    ----------
    n_orders : numbers of orders, shape (m,).
    has_corners : whether the remainder is summed over corners, shape (m,).
    is_narrow : variables replaced by a Gauss rule in this sum, shape (m, l).
    """

    n_orders: Floats
    has_corners: Bools
    is_narrow: Bools

    @classmethod
    def of(cls, n_orders: Floats, vanished: Floats, resolved: Floats) -> "Truncation":
        """Derive the truncation from the orders where transforms vanish, shape (m,).

        `resolved` are those where each variable is resolved, shape (m, l). Raises if
        variables would count as narrow before the largest number of orders.
        """
        has_corners = vanished > n_orders
        is_narrow = (resolved > n_orders[:, np.newaxis]) & has_corners[:, np.newaxis]
        is_early = n_orders < _max_orders(resolved.shape[1])
        if is_narrow[is_early].any():
            raise RuntimeError("A series ends before its variables are resolved.")
        return cls(n_orders, has_corners, is_narrow)


def gauss_points(
    moments: Floats, weights: Floats, count: Floats
) -> tuple[Floats, Floats]:
    """Return Gauss rules for weighted sums of variables about their means.

    `moments` are central moments of the variables, shape (HIGHEST_MOMENT + 1, m, l);
    `count` tells how often each is in the sum, shape (m, l). Returns nodes and weights,
    shape (m, n). The recursion of the orthogonal polynomials follows from the Cholesky
    factor of the moments (Golub and Welsch, Mathematics of Computation 23, 1969). A
    rule has fewer points if rounding errors leave no such factor.
    """
    scale = np.sqrt((count * weights**2 * moments[2]).sum(axis=1))

    # The cumulants of a sum are sums of cumulants.
    cumulants = np.zeros_like(moments)
    for k in range(2, HIGHEST_MOMENT + 1):
        lower = sum(
            math.comb(k - 1, j - 1) * cumulants[j] * moments[k - j] for j in range(2, k)
        )
        cumulants[k] = moments[k] - lower

    # Those of the sums are in units of the scale; normal ones if it is zero.
    share = weights / np.where(scale > 0, scale, 1.0)[:, np.newaxis]
    total = [
        (count * share**k * cumulants[k]).sum(axis=1) for k in range(HIGHEST_MOMENT + 1)
    ]
    total[2] = np.ones_like(scale)
    sum_moments = [np.ones_like(scale)]
    for k in range(1, HIGHEST_MOMENT + 1):
        terms = [
            math.comb(k - 1, j - 1) * total[j] * sum_moments[k - j]
            for j in range(1, k + 1)
        ]
        sum_moments.append(np.sum(terms, axis=0))

    for n in range(_MAX_GAUSS_POINTS, 0, -1):
        index = np.add.outer(np.arange(n + 1), np.arange(n + 1))
        try:
            factor = np.linalg.cholesky(np.stack(sum_moments, axis=-1)[:, index])
        except np.linalg.LinAlgError:
            continue

        diagonal = np.diagonal(factor, axis1=1, axis2=2)
        ratio = np.diagonal(factor, offset=-1, axis1=1, axis2=2) / diagonal[:, :-1]
        off_diagonal = diagonal[:, 1:n] / diagonal[:, : n - 1]
        jacobi = np.zeros((len(scale), n, n))
        i = np.arange(n)
        jacobi[:, i, i] = ratio - np.pad(ratio[:, :-1], ((0, 0), (1, 0)))
        jacobi[:, i[1:], i[:-1]] = jacobi[:, i[:-1], i[1:]] = off_diagonal
        nodes, vectors = np.linalg.eigh(jacobi)
        return nodes * scale[:, np.newaxis], vectors[:, 0] ** 2
    return np.zeros((len(scale), 1)), np.ones((len(scale), 1))


def smooth_step(count: int) -> Floats:
    """Return weights that rise from 0 to 1 without a trace in a series, (count,)."""
    return 0.5 * erfc(np.linspace(5, -5, count))


# Lower tails of intervals, as shares of 1 - level. The first and the last interval end
# where the support does.
_SHARES = 0.5 - 0.5 * np.cos(np.pi * np.arange(17) / 16)
# Quantiles of smaller probabilities are those of approximate log tails.
LEAST = 1e-10


def quantiles(
    distributions: Centred,
    p: Floats,
    q: Floats,
    tolerance: float = 1e-4,
    start: Floats | None = None,
    evaluate: Evaluator | None = None,
) -> Floats:
    """Return distances from the mean with P(X <= y) = p = 1 - q, shape (m, n).

    Both probabilities are positive, shape (m, n).
    """
    evaluate = evaluate or distributions.evaluator(2)
    sign = np.where(p <= q, 1.0, -1.0)
    target = np.minimum(p, q)
    low, high = distributions.bounds
    end = np.where(p <= q, low, high)

    y = matched_quantiles(distributions, p) if start is None else start
    has_converged = np.zeros(p.shape, dtype=bool)
    points = y
    values = np.empty((3, 0))
    # If they are few, each point brackets all quantiles of its distribution.
    spread = (slice(None), np.newaxis) if p.shape[1] <= 64 else (..., np.newaxis)

    with np.errstate(all="ignore"):
        for i in range(300):
            # After some steps, columns that have converged are not evaluated again.
            if i > 2:
                is_done = has_converged.all(axis=0)
                points = np.where(is_done, points, y)
                values[..., ~is_done] = evaluate(y[:, ~is_done])
            else:
                points = y
                values = evaluate(y)
            step, log_ratio, change, is_usable = _halley(y - end, sign, target, values)

            candidate = y + step
            is_safe = (low <= candidate) & (candidate <= high) & is_usable
            is_last = np.maximum(np.abs(log_ratio), np.abs(change)) < tolerance
            is_last &= is_safe
            if is_last.all():
                return np.where(has_converged, y, candidate)
            # First steps are seldom too long, and later ones can correct them: the
            # bracket is not updated yet.
            if i == 0 and is_safe.all():
                y = candidate
                has_converged = is_last
                continue

            excess = (sign * (target - 0.5))[..., np.newaxis]
            is_below = values[0][spread] <= excess
            low = np.maximum(
                low, np.where(is_below, points[spread], -np.inf).max(axis=2)
            )
            high = np.minimum(
                high, np.where(is_below, np.inf, points[spread]).min(axis=2)
            )

            # Near a pole, steps are too short or cross it repeatedly: every fourth step
            # is a bisection.
            spacing = np.spacing(np.abs(y))
            is_safe &= (low <= candidate) & (candidate <= high)
            is_safe &= (np.abs(candidate - y) > spacing) & (i % 4 < 3)
            candidate = np.where(is_safe | is_last, candidate, 0.5 * (low + high))

            # At a pole itself no step is defined. Elsewhere the error after a step of
            # the relative size `tolerance` is below its fourth power.
            is_exact = np.abs(log_ratio) <= 1e-15
            candidate = np.where(is_exact, y, candidate)
            short = np.maximum(
                spacing, tolerance**4 * distributions.deviation[:, np.newaxis]
            )
            is_last |= is_exact | (high - low <= short)
            y = np.where(has_converged, y, candidate)
            has_converged = has_converged | is_last
            if has_converged.all():
                break
    return y


def _halley(
    distance: Floats, sign: Floats, target: Floats, values: Floats
) -> tuple[Floats, Floats, Floats, Bools]:
    """Return Halley steps for the log tail as a function of the log distance.

    Also returns the logs of tail / target, the relative changes of the density over
    Newton steps, and whether the values allow a step. `distance` from the end of the
    support is negative at upper ends, where `sign` is -1.
    """
    excess, density, slope = values
    tail = 0.5 + sign * excess
    log_ratio = np.log(tail / target)
    newton = sign * log_ratio * tail / density
    change = newton * slope / density
    log_step = newton / distance

    denominator = 1 - 0.5 * (change - log_ratio + log_step)
    log_step /= np.minimum(np.maximum(denominator, 0.5), 2.0)
    # Where the tail is below 1e-14, it may be a rounding error.
    is_usable = (density > 0) & (tail > 1e-14)
    return distance * np.expm1(-log_step), log_ratio, change, is_usable


def matched_quantiles(distributions: Centred, p: Floats) -> Floats:
    """Return quantiles of Beta distributions with the same range, mean and variance."""
    low, high = distributions.bounds
    variance = distributions.deviation[:, np.newaxis] ** 2
    size = np.maximum(-low * high / variance - 1, 1e-3) / (high - low)
    return np.asarray(low + (high - low) * betaincinv(-low * size, high * size, p))


def shortest_intervals(distributions: Centred, level: float) -> Floats:
    """Return the distances of both ends from the mean, shape (2, m)."""
    low = distributions.low
    high = distributions.high
    tail = 0.5 * (1 - level)
    rows = np.arange(low.size)
    evaluate = distributions.evaluator(2)

    if distributions.has_one_peak:
        p = np.broadcast_to([tail, 1 - tail], (low.size, 2))
        central = matched_quantiles(distributions, p).T
        ends = central + (2 / 3) * (low + high) / (
            low * high / distributions.deviation**2 - 1
        )
        # Not much closer to the ends of the range than the quantiles.
        ends = np.maximum(ends, low + 0.35 * (central[0] - low))
        ends = np.minimum(ends, high - 0.35 * (high - central[1]))
        solution, has_converged = _equal_densities(
            distributions, evaluate, ends, (low, high), rows >= 0, level
        )
        if has_converged.all():
            return solution

    # A coarser grid is enough for a unimodal distribution.
    shares = _SHARES[::4] if distributions.has_one_peak else _SHARES
    grid = (1 - level) * shares
    lower_tails = np.tile(grid, (rows.size, 1))
    ends = _intervals_above(distributions, evaluate, lower_tails, level, tolerance=1e-2)
    lengths = ends[1] - ends[0]
    best = np.argmin(lengths, axis=1)
    ratio = _log_density_ratio(distributions, evaluate, ends)

    # If the lower end has the larger density, the interval is too high. The best one
    # may also end where the support does, and then no solution is bracketed.
    first = np.where(ratio[rows, best] > 0, best - 1, best)
    is_inner = (first >= 0) & (first < grid.size - 1)
    first = np.minimum(np.maximum(first, 0), grid.size - 2)
    bracket = ends[:, rows, first], ends[:, rows, first + 1]

    # Several intervals of a multimodal distribution have equal densities at both ends.
    # The length has a minimum where the ratio changes from negative to positive.
    below = np.minimum(ratio[rows, first], -1e-9)
    above = np.maximum(ratio[rows, first + 1], 1e-9)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = below / (below - above)
    share = np.where((share > 0.01) & (share < 0.99), share, 0.5)
    start = bracket[0] + share * (bracket[1] - bracket[0])
    if not is_inner.all():
        coarse = ends[:, rows, best, np.newaxis]
        lower_tail = grid[best][:, np.newaxis]
        at_end = _intervals_above(
            distributions, evaluate, lower_tail, level, start=coarse
        )
        start = np.where(is_inner, start, at_end[..., 0])

    solution, has_converged = _equal_densities(
        distributions, evaluate, start, bracket, is_inner, level
    )
    is_short = solution[1] - solution[0] <= (1 + 1e-5) * lengths[rows, best]
    has_converged &= ~is_inner | is_short
    if not has_converged.all():
        left = ~has_converged
        solution[:, left] = _by_false_position(
            distributions.selected(left),
            grid[np.stack([first, first + 1])][:, left],
            np.stack([below, above])[:, left],
            start[:, left],
            level,
        )
    return solution


def _intervals_above(
    distributions: Centred,
    evaluate: Evaluator,
    lower_tails: Floats,
    level: float,
    tolerance: float = 1e-4,
    start: Floats | None = None,
) -> Floats:
    """Return the ends of intervals with the given lower tails, shape (2, m, n)."""
    p = np.array([lower_tails, lower_tails + level])
    q = np.array([1 - lower_tails, np.maximum((1 - level) - lower_tails, 0)])
    low, high = distributions.bounds

    # An end of the support is no quantile to be computed: the other end of its interval
    # is computed twice instead.
    at_end = (p <= 0) | (q <= 0)
    p_inner = np.where(at_end, p[::-1], p)
    q_inner = np.where(at_end, q[::-1], q)
    y = None if start is None else np.hstack([*np.where(at_end, start[::-1], start)])
    inner = quantiles(
        distributions,
        np.hstack([*p_inner]),
        np.hstack([*q_inner]),
        tolerance,
        y,
        evaluate,
    )
    ends = np.array(np.split(inner, 2, axis=1))
    return np.where(p <= 0, low, np.where(q <= 0, high, ends))


def _log_density_ratio(
    distributions: Centred, evaluate: Evaluator, ends: Floats
) -> Floats:
    """Return the log density at lower ends less that at upper ends, (m, n)."""
    low, high = distributions.bounds
    at_ends = distributions.end_densities[..., np.newaxis]
    is_end = [ends[0] <= low, ends[1] >= high]
    densities = evaluate(np.concatenate(ends, axis=1))[1]
    densities = np.where(is_end, at_ends, np.split(densities, 2, axis=1))
    with np.errstate(divide="ignore", invalid="ignore"):
        lower, upper = np.log(np.maximum(densities, 0.0))
        return np.where(lower == upper, 0.0, lower - upper)


def _equal_densities(
    distributions: Centred,
    evaluate: Evaluator,
    ends: Floats,
    bracket: tuple[Floats, Floats],
    is_inner: Bools,
    level: float,
) -> tuple[Floats, Bools]:
    """Solve for ends with equal densities, (2, m), by Newton's method in a bracket.

    Ends that are not inner ones stay as they are. Also returns which are solutions.
    """
    has_converged = ~is_inner
    if has_converged.all():
        return ends, has_converged
    support = distributions.bounds[..., 0]
    size = ends[1] - ends[0]

    with np.errstate(all="ignore"):
        for _ in range(12):
            cdf, density, slope = evaluate(ends.T).transpose(0, 2, 1)
            missing = level - (cdf[1] - cdf[0])
            log_ratio = np.log(density[0] / density[1])
            log_slope = slope / density

            # The steps du and dl solve density_1 du - density_0 dl = missing and
            # log_slope_1 du - log_slope_0 dl = log_ratio. They are taken on the logs of
            # the distances from the ends of the support.
            distance = ends - support
            step = density[::-1] * log_ratio - log_slope[::-1] * missing
            step /= density[0] * log_slope[1] - density[1] * log_slope[0]
            candidate = ends + distance * np.expm1(np.minimum(step / distance, 5.0))
            inside = np.minimum(np.maximum(candidate, bracket[0]), bracket[1])

            # The error after a step of 1e-7 of the interval is about its square. Near
            # an end of the support a step may be short where the densities still
            # differ.
            is_last = np.abs(step) <= 1e-7 * size
            is_last &= np.abs(candidate - inside) <= 1e-4 * size
            is_last = is_last.all(axis=0) & (np.abs(log_ratio) < 1e-3)
            # The bracket is accurate to a few digits only, and may exclude a solution.
            candidate = np.where(is_last, candidate, inside)
            ends = np.where(has_converged, ends, candidate)
            has_converged |= is_last
            if has_converged.all():
                break
    return ends, has_converged


def _by_false_position(
    distributions: Centred, tails: Floats, ratios: Floats, start: Floats, level: float
) -> Floats:
    """Solve for the lower tail between two with their log density ratios.

    Returns both ends of the intervals, shape (2, m).
    """
    first, last = tails
    low, high = ratios
    ends = start[..., np.newaxis]
    evaluate = distributions.evaluator(2)
    with np.errstate(all="ignore"):
        for i in range(100):
            tail = (first * high - last * low) / (high - low)
            is_safe = (first < tail) & (tail < last) & (i % 4 < 3)
            tail = np.where(is_safe, tail, 0.5 * (first + last))
            # Smaller tails cannot be distinguished from zero.
            tail = np.clip(tail, 1e-12, (1 - level) - 1e-12)
            ends = _intervals_above(
                distributions, evaluate, tail[:, np.newaxis], level, start=ends
            )
            ratio = _log_density_ratio(distributions, evaluate, ends)[:, 0]

            # The Illinois rule halves the value at an end that does not change.
            is_high = ratio > 0
            low = np.where(is_high, 0.5 * low, ratio)
            high = np.where(is_high, ratio, 0.5 * high)
            first = np.where(is_high, first, tail)
            last = np.where(is_high, tail, last)
            if ((last - first <= 1e-8 * (1 - level)) | (np.abs(ratio) <= 1e-9)).all():
                break
    return ends[..., 0]


def modes(distributions: Centred) -> Floats:
    """Return the distances of the modes from the mean, shape (m,)."""
    low, high = distributions.bounds
    deviation = distributions.deviation[:, np.newaxis]
    evaluate = distributions.evaluator(3)

    with np.errstate(all="ignore"):
        if distributions.has_one_peak:
            # The mode is near that of a Beta distribution with the same range, mean and
            # variance, and at most sqrt(3) standard deviations from the mean (Johnson
            # and Rogers, Annals of Mathematical Statistics 22, 1951).
            at_low, at_high = distributions.end_densities[..., np.newaxis]
            y = (low + high) / (low * high / deviation**2 - 1)
            first = np.maximum(low, -1.74 * deviation)
            last = np.minimum(high, 1.74 * deviation)
            top = np.where(at_low > at_high, low, high)
            highest = np.maximum(at_low, at_high)
        else:
            first, top, last, highest = _bracketed_peaks(distributions, evaluate)
            # At an end, or at a corner, the slope may not exist.
            y = top + 1e-9 * (first - top + last - top)

        density = highest
        is_flat = highest > 0
        for _ in range(100):
            _, density, slope, curvature = evaluate(y)
            first = np.where(slope > 0, y, first)
            last = np.where(slope > 0, last, y)
            candidate = y - slope / curvature
            is_safe = (first <= candidate) & (candidate <= last) & (curvature < 0)
            candidate = np.where(is_safe, candidate, 0.5 * (first + last))

            # Where the slope is small, the error after a short step is about its
            # square. Near a corner a step may be short far from a peak, as the
            # curvature is large.
            is_flat = is_safe & (np.abs(slope) * deviation <= 1e-4 * density)
            short = np.where(is_flat, 1e-7, 1e-13) * deviation
            is_last = np.abs(candidate - y) <= short
            y = candidate
            if is_last.all():
                break

    # Where the slope is zero, differences of densities are rounding errors.
    is_higher = density >= highest * np.where(is_flat, 1 - 1e-12, 1.0)
    is_higher &= _snapped_to_ends(distributions, y) == y
    peaks = np.where(is_higher, y, top)
    heights = np.where(is_higher, density, highest)
    return np.asarray(peaks[np.arange(low.size), heights.argmax(axis=1)])


def _snapped_to_ends(distributions: Centred, y: Floats) -> Floats:
    """Return points of shape (m, n), moved to ends of positive density close to them.

    The density at the end is given, and a series may not resolve it nearby: the nodes
    that replace a narrow variable are poles.
    """
    low, high = distributions.bounds
    at_low, at_high = distributions.end_densities[..., np.newaxis]
    margin = 1e-2 * distributions.deviation[:, np.newaxis]
    y = np.where((at_low > 0) & (y < low + margin), low, y)
    return np.where((at_high > 0) & (y > high - margin), high, y)


def _bracketed_peaks(
    distributions: Centred, evaluate: Evaluator
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the two highest points of a grid between their neighbours, and heights.

    Shape (m, 2) each.
    """
    low, high = distributions.bounds
    at_low, at_high = distributions.end_densities[..., np.newaxis]
    rows = np.arange(low.size)[:, np.newaxis]

    # Quantiles, closer where a narrow peak may lie between two of them.
    p = np.tile(ndtr(np.linspace(-4, 4, 13)), (low.size, 1))
    inner = np.clip(matched_quantiles(distributions, p), low, high)
    gaps = np.diff(inner, axis=1)[..., np.newaxis]
    widest = (gaps.max(axis=(1, 2)) / distributions.resolution).max()
    n_pieces = int(min(np.ceil(widest), 16))
    gaps = gaps * (np.arange(n_pieces) / n_pieces)
    fine = (inner[:, :-1, np.newaxis] + gaps).reshape(low.size, -1)
    points = [low, fine, inner[:, -1:], distributions.places, high]
    grid = np.sort(_snapped_to_ends(distributions, np.concatenate(points, axis=1)))

    heights = evaluate(grid)[1]
    heights = np.where(grid <= low, at_low, np.where(grid >= high, at_high, heights))
    padded = np.pad(heights, ((0, 0), (1, 1)), constant_values=-np.inf)
    is_peak = (heights >= padded[:, :-2]) & (heights >= padded[:, 2:])

    ranked = np.argsort(np.where(is_peak, -heights, np.inf), axis=1, kind="stable")
    best = ranked[:, :2]
    best = np.where(is_peak[rows, best], best, best[:, :1])
    first = grid[rows, np.maximum(best - 1, 0)]
    last = grid[rows, np.minimum(best + 1, grid.shape[1] - 1)]
    return first, grid[rows, best], last, heights[rows, best]


class SmallTails(Protocol):
    """Protocol of approximations to tails that are too small for a series."""

    def logs(self, row: int, to_low: Floats, to_high: Floats) -> Floats:
        """Return logs of P(X <= x), P(X > x) and the density, (3, n).

        Points are given by their distances from both ends.
        """

    def distances(self, row: int, log_tails: Floats, *, is_low: bool) -> Floats:
        """Return the distances from an end of points with such tails, shape (n,)."""


@dataclass(frozen=True)
class Located:
    """Distributions on the real line.

    Attributes
    ----------
    frames : means, their rounding errors, and lower and upper ends of the supports,
        shape (4, m).
    parts : distributions that are computed together, and their rows.
    small_tails : approximations to tails below `Centred.least`, which bounds them if
        None.
    """

    frames: Floats
    parts: Sequence[tuple[Indices, Centred]]
    small_tails: SmallTails | None = None

    def values(self, x: Floats) -> Floats:
        """Return P(X <= x), P(X > x) and the density, (3, m, n).

        Their accuracy is absolute.
        """
        mean, error, low, high = self.frames[..., np.newaxis]
        y = (x - mean) - error
        to_low = x - low
        to_high = high - x
        result = np.empty((3, *y.shape))
        for rows, part in self.parts:
            below = to_low[rows]
            above = to_high[rows]
            values = part.tails(y[rows], below, above)
            at_low, at_high = part.end_densities[..., np.newaxis]
            for distance, at_end, outside in (
                (below, at_low, [[[0]], [[1]]]),
                (above, at_high, [[[1]], [[0]]]),
            ):
                values[:2] = np.where(distance <= 0, outside, values[:2])
                values[2] = np.where(
                    distance == 0, at_end, np.where(distance < 0, 0.0, values[2])
                )
            result[:, rows] = np.where(np.isnan(y[rows]), np.nan, values)
        return result

    def between(self, x: Floats, y: Floats) -> Floats:
        """Return P(x < X <= y), negative where y is below x."""
        # From the lower to the upper limit, so that exchanging the limits changes only
        # the sign.
        lower = self.values(np.minimum(x, y))
        upper = self.values(np.maximum(x, y))
        # The difference of the smaller tails loses fewer digits.
        between = np.where(lower[0] > 0.5, lower[1] - upper[1], upper[0] - lower[0])
        return np.asarray(np.where(y < x, -between, between))

    def log_between(self, x: Floats, y: Floats) -> Floats:
        """Return log P(x < X <= y), NaN where that is negative as y is below x."""
        lower = self.logs(x)
        upper = self.logs(y)
        # The difference of the smaller tails loses fewer digits.
        is_above = lower[0] > upper[1]
        large = np.where(is_above, lower[1], upper[0])
        small = np.where(is_above, upper[1], lower[0])
        with np.errstate(all="ignore"):
            between = large + np.log1p(-np.exp(np.minimum(small - large, 0.0)))
        between = np.where((large == -np.inf) & (small == -np.inf), -np.inf, between)
        return np.where(self.between(x, y) < 0, np.nan, between)

    def logs(self, x: Floats) -> Floats:
        """Return logs of P(X <= x), P(X > x) and the density, (3, m, n)."""
        values = self.values(x)
        _, _, low, high = self.frames[..., np.newaxis]
        to_low = x - low
        to_high = high - x
        with np.errstate(divide="ignore"):
            logs = np.log(values)

        for rows, part in self.parts:
            ones = np.ones_like(part.deviation)
            unit = np.stack([ones, ones, part.deviation])[..., np.newaxis]
            is_inside = np.minimum(to_low, to_high)[rows] > 0
            is_small = is_inside & (unit * values[:, rows] < part.least)
            if self.small_tails is None:
                logs[:, rows] = np.where(
                    is_small, np.log(part.least / unit), logs[:, rows]
                )
                continue

            for i in np.flatnonzero(is_small.any(axis=(0, 2))):
                row = rows[i]
                columns = is_small[:, i].any(axis=0)
                approximate = self.small_tails.logs(
                    row, to_low[row, columns], to_high[row, columns]
                )
                logs[:, row, columns] = np.where(
                    is_small[:, i, columns], approximate, logs[:, row, columns]
                )
        return logs

    def quantiles(self, p: Floats, q: Floats) -> Floats:
        """Return points with P(X <= x) = p = 1 - q."""
        x = np.empty(p.shape)
        is_central = np.minimum(p, q) >= LEAST
        inner = (p, q)
        are_central = bool(is_central.all())
        if not are_central:
            inner = np.clip(np.nan_to_num([p, q], nan=0.5), LEAST, 1 - LEAST)

        mean, error, low, high = self.frames[..., np.newaxis]
        for rows, part in self.parts:
            distances = part.quantiles_from_ends(p[rows], q[rows])
            if distances is None:
                y = quantiles(part, inner[0][rows], inner[1][rows])
                x[rows] = mean[rows] + (error[rows] + y)
            else:
                to_low, to_high = distances
                x[rows] = np.where(
                    to_low < to_high, low[rows] + to_low, high[rows] - to_high
                )
                is_central[rows] = True

        if not (are_central or self.small_tails is None):
            for i in np.flatnonzero(~is_central.all(axis=1)).tolist():
                for tail, end, sign in ((p[i], low[i], 1), (q[i], high[i], -1)):
                    is_small = ~is_central[i] & (tail < 0.5) & (tail > 0)
                    if is_small.any():
                        logs = np.log(tail[is_small])
                        to_end = self.small_tails.distances(i, logs, is_low=sign > 0)
                        x[i, is_small] = end + sign * to_end

        x = np.minimum(np.maximum(x, low), high)
        if not are_central:
            x = np.where(p <= 0, low, np.where(q <= 0, high, x))
            x[np.isnan(p)] = np.nan
        return np.asarray(x)

    def shortest(self, level: float) -> Floats:
        """Return both ends of the shortest intervals, shape (2, m)."""
        # Rounding may exchange the ends of the narrowest.
        return np.sort(
            self._points(2, lambda part: shortest_intervals(part, level).T).T, axis=0
        )

    def modes(self) -> Floats:
        """Return the points of highest density, shape (m,)."""
        return self._points(1, lambda part: modes(part)[:, np.newaxis])[:, 0]

    def _points(self, n: int, solve: Callable[[Centred], Floats]) -> Floats:
        """Return points of each distribution, (m, n), solved for as distances."""
        points = np.empty((self.frames.shape[1], n))
        for rows, part in self.parts:
            y = solve(part)
            mean, error, low, high = self.frames[:, rows, np.newaxis]
            x = mean + (error + y)

            # An end of the range within rounding error of one of the support is that
            # end. So is a point beside a pole there: much mass may be so close to the
            # pole that its distance rounds to zero.
            margin = 4 * np.spacing(np.abs([low, high]).max(axis=0))
            at_low, at_high = np.isinf(part.end_densities)[..., np.newaxis]
            first, last = part.bounds
            x = np.where(((y <= first) | at_low) & (x < low + margin), low, x)
            x = np.where(((y >= last) | at_high) & (x > high - margin), high, x)
            points[rows] = np.clip(x, low, high)
        return points
