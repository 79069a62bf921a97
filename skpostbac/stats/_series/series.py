r"""Fourier series of distributions on bounded intervals.

With X centred at its mean, v_k = E[exp(i k h X)] and h = 2 pi / P, the sawtooth of period P gives

    P(X <= y) = 1/2 + y / P - sum_k Im(exp(-i k h y) v_k) / (pi k),    |y - X| < P,

for k = 1, 2, ..., exactly where no mass is farther than P from y; the density is its derivative.
Where the coefficients vanish, the series ends. Otherwise the transform is, at large heights, that
of the corners of the distribution: the ends of the variables of a sum, and where they meet,

    E[exp(i t X)] = sum_c exp(i t c) g_c(t),

where g_c is analytic for Re t > 0 and falls like a power of t. The rest of a Fourier series from
the order K on is a sum of such terms at t = k h. With K' = K - 1/2 and z = h (c - y) in [0, pi],
the Abel-Plana formula between integers (NIST Digital Library of Mathematical Functions, 2.10(i)),
with its path turned to where the wave decays, gives exactly

    sum_{k >= K} exp(i k z) f(k) = i exp(i K' z) int_0^oo g(s) ds,
    g(s) = f(K' + i s) exp(-z s) / (1 + exp(-2 pi s)) + f(K' - i s) exp(z s) / (1 + exp(2 pi s)),

and its mirror image for z in [-pi, 0]. Nothing oscillates, and the corner itself, z = 0, is a point
like any other. With s = exp(x - exp(-x) + exp(x - x_1)) the trapezoid rule in x converges
exponentially (Takahasi and Mori, Publications of RIMS 9, 1974): ends at 0 and at infinity are
reached by double exponentials, however slowly the powers fall.

For sums of independent variables, `vanishing_heights` is where the transform ends, and `orders` how
many orders the series has. Where all variables are at their ends from some height on, but for a few
narrow ones, these count by the points of a Gauss rule, and `fade` leads the coefficients over to
that.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Self, TypeAlias

import numpy as np
from scipy.special import erfc

from skpostbac._utils import Bools, Complexes, Floats
from skpostbac.stats._numerics import stacked_products, waves

# So many orders take less time than corners.
CHEAP = 900
# Products that are held at a time.
_BLOCK = 2**18
# Variables of less than this share of the standard deviation of their sum count by their means.
NARROW = 1e-13
# The transform is cut off, and the mass beyond the range, below exp(-DEPTH) = 3.4e-14. Both bounds
# are seldom attained, and what is cut off counts in shares of its order.
DEPTH = 31.0
# The period is a little wider than the range, so that its two ends do not meet.
PERIOD = 1 + 1 / 16
# Points of a Gauss rule, and the highest moment that it takes.
_MOST_POINTS = 9
ORDER = 2 * _MOST_POINTS

# Points y, shape (m, n), to the distribution function less 1/2 and its first derivatives there,
# shape (1 + d, m, n). Less 1/2, so that both tails have the same accuracy.
Evaluator: TypeAlias = Callable[[Floats], Floats]


@dataclass(frozen=True, kw_only=True)
class Centred(ABC):
    """Base class of m distributions, at distances from their means.

    Attributes
    ----------
    low, high : what is below or above these distances does not count, shape (m,).
    deviation : standard deviations, shape (m,).
    end_densities : limits of the densities at `low` and `high`, shape (2, m).
    has_one_peak : whether each density is known to rise and then fall.
    least : tails, and densities in units of the standard deviation, below this are too small for
        a relative accuracy.
    """

    low: Floats
    high: Floats
    deviation: Floats
    end_densities: Floats
    has_one_peak: bool = False
    least: float = 1e-11

    @property
    def places(self) -> Floats:
        """Distances at which the density may have a kink or a pole, shape (m, C)."""
        return np.empty((self.low.size, 0))

    def chosen(self, rows: Bools, **own: Any) -> Self:
        """Return some of the distributions, with what families of many add to them."""
        low, high, deviation = self.low[rows], self.high[rows], self.deviation[rows]
        ends = self.end_densities[:, rows]
        return replace(self, low=low, high=high, deviation=deviation, end_densities=ends, **own)

    @property
    def resolution(self) -> Floats:
        """Densities have nothing narrower than this, but beside the places, shape (m,)."""
        return np.zeros_like(self.low)

    @abstractmethod
    def evaluator(self, n_derivatives: int) -> Evaluator:
        """Return what evaluates the distribution functions less 1/2, and so many derivatives."""

    def tails(self, y: Floats, to_low: Floats, to_high: Floats) -> Floats:
        """P(X <= x), P(X > x) and the density, (3, m, n), between the ends of the supports.

        Points are given by their distances from the mean and from both ends.
        """
        del to_low, to_high  # these are more accurate for some
        first, last = self.low[:, np.newaxis], self.high[:, np.newaxis]
        excess, density = self.evaluator(1)(np.clip(y, first, last))
        is_inside = (first <= y) & (y <= last)
        excess = np.where(is_inside, np.clip(excess, -0.5, 0.5), np.copysign(0.5, y))
        density = np.where(is_inside, np.maximum(density, 0.0), 0.0)
        return np.stack([0.5 + excess, 0.5 - excess, density])

    def quantiles_from_ends(self, p: Floats, q: Floats) -> tuple[Floats, Floats] | None:
        """Distances from both ends of the supports of the points with P(X <= x) = p = 1 - q.

        None if they are no more accurate than distances from the mean.
        """
        del p, q
        return None


@dataclass(frozen=True)
class Rule:
    """Nodes s of the integrals from an order K on.

    Attributes
    ----------
    middle : K' = K - 1/2.
    log_orders : logs of K' + i s and of K' - i s, shape (2, N).
    decay : rates with which waves decay along both paths, and logs of their sizes at a corner,
        shape (2, N + N').
    table : weights of integrals, times k^(d - 1) for the derivative d, shape (N, 2, 4).
    """

    middle: float
    log_orders: Complexes
    decay: Floats
    table: Complexes

    @classmethod
    @lru_cache(maxsize=32)
    def of(cls, order: int, exponent: float) -> "Rule":
        """Return the rule for functions that fall at least like the order to minus `exponent`.

        A step of 0.22 leaves an error of about 1e-10 of the first order that is summed, which is
        no more than some 1e-3. Half of it would leave nothing, in twice the time.
        """
        middle, step = order - 0.5, 0.22
        # Even steps of log s reach exp(22) K', or less far where powers fall fast. Beyond, powers
        # of s are left out below exp(-37).
        turn = np.log(middle) + max(22.0 / max(exponent - 1, 1.0), 6.0)
        last = turn + np.log(37.0 / max(min(exponent, 1.0), 1e-9))
        x = np.arange(-3.6, last, step)
        log_s = x - np.exp(-x) + np.exp(x - turn)
        # Only the distribution function is evaluated beyond exp(600): at a corner, s ends nowhere.
        s = np.exp(np.minimum(log_s, 600.0))
        weights = step * (1 + np.exp(-x) + np.exp(x - turn)) / (1 + np.exp(-2 * np.pi * s))
        orders, log_orders = middle + 1j * s, np.empty((2, s.size), dtype=complex)
        np.maximum(np.log(np.hypot(middle, s)), log_s, out=log_orders.real[0])
        np.arctan2(s, middle, out=log_orders.imag[0])
        np.conj(log_orders[0], out=log_orders[1])
        table = np.empty((s.size, 2, 4), dtype=complex)
        values = weights * (s / orders)
        for d, limit in enumerate(np.searchsorted(log_s, [600.0, 300.0, 200.0, 150.0])):
            table[:, 0, d] = values
            orders[limit:] = 0.0
            values = values * orders
        np.conj(table[:, 0], out=table[:, 1])
        near = s[: np.searchsorted(s, 37.0 / np.pi)]
        decay = np.zeros((2, s.size + near.size))
        decay[0, : s.size], decay[0, s.size :] = -s, near
        decay[1, s.size :] = -2 * np.pi * near
        return cls(middle, log_orders, decay, table)


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

    def evaluator(self, n_derivatives: int) -> tuple[Callable[[Floats], Complexes], int]:
        """Return a function of y, shape (m, n): sums of exp(i k h (c - y)) g_c(h k) k^(d - 1).

        They begin at k = K, and have the shape (1 + d, m, n). Also returns for how many points
        the function may be called at a time.
        """
        rates, sizes = self.rule.decay
        n_values, n_nodes = n_derivatives + 1, len(self.rule.table)
        # The path that turns upwards and the one that turns downwards, (m, C, N + N', 2, 1 + d).
        table = np.empty((*self.places.shape, rates.size, 2, n_values), dtype=complex)
        upper = table[:, :, :n_nodes]
        values = self.values.swapaxes(2, 3)[..., np.newaxis]
        np.multiply(values, self.rule.table[..., :n_values], out=upper)
        table[:, :, n_nodes:] = upper[:, :, : rates.size - n_nodes, ::-1]
        reals = table.reshape(*table.shape[:3], -1).view(float)
        step = self.step[:, np.newaxis, np.newaxis]
        # Products of no more points are computed by one thread.
        width = max(1, min(4 * _BLOCK * n_values // reals.size, 64))

        def sums(y: Floats) -> Complexes:
            turn = step * (self.places[..., np.newaxis] - y[:, np.newaxis])
            turn -= 2 * np.pi * np.round(turn / (2 * np.pi))
            size = np.abs(turn)
            size[size < 1e-15] = 0.0  # rounding errors
            logs = size[..., np.newaxis] * rates
            logs += sizes
            # Where exp underflows it takes up to seventy times as long.
            np.maximum(logs, -700.0, out=logs)
            integrals = (np.exp(logs, out=logs) @ reals).view(complex)
            upper, lower = integrals[..., :n_values], integrals[..., n_values:]
            sides = np.where(turn[..., np.newaxis] >= 0, upper, -lower)
            waves = 1j * np.exp(1j * self.rule.middle * turn)
            return np.asarray((waves[..., np.newaxis] * sides).sum(axis=1).transpose(2, 0, 1))

        return sums, width


@dataclass(frozen=True)
class Series(Centred):
    """Fourier series of m centred distributions.

    Attributes
    ----------
    period : P, shape (m,).
    coefficients : v_k from k = 1 to K - 1, shape (m, K - 1).
    corners : the rest of the series; None if it vanishes.
    """

    period: Floats
    coefficients: Complexes
    corners: Corners | None

    @property
    def places(self) -> Floats:
        if self.corners is None:
            return super().places
        return np.clip(self.corners.places, self.low[:, np.newaxis], self.high[:, np.newaxis])

    @property
    def resolution(self) -> Floats:
        return np.asarray(self.period / (self.coefficients.shape[1] + 1))

    def chosen(self, rows: Bools, **own: Any) -> Self:
        period, coefficients, corners = self.period[rows], self.coefficients[rows], self.corners
        if corners is not None:
            step, places, values = corners.step[rows], corners.places[rows], corners.values[rows]
            corners = Corners(corners.rule, step, places, values)
        return super().chosen(rows, period=period, coefficients=coefficients, corners=corners)

    def evaluator(self, n_derivatives: int) -> Evaluator:
        count, period = self.coefficients.shape[1], self.period[:, np.newaxis]
        step = 2 * np.pi / self.period
        # The wave of order 1 + i c + j is that of order i c times that of order 1 + j.
        fine = math.isqrt(count - 1) + 1
        orders = np.arange(1, -(-count // fine) * fine + 1)
        inner_and_outer = np.concatenate([orders[:fine], orders[::fine] - 1])
        # Those of derivative d are i / pi (-i h)^d exp(-i k h y) v_k k^(d - 1).
        table = np.zeros((len(step), n_derivatives + 1, orders.size), dtype=complex)
        np.multiply(self.coefficients, (1j / np.pi) / orders[:count], out=table[:, 0, :count])
        rates = -1j * step[:, np.newaxis] * orders
        for d in range(n_derivatives):
            np.multiply(table[:, d], rates, out=table[:, d + 1])
        table = table.reshape(len(step), -1, fine)
        width = max(1, _BLOCK // table.size)
        if self.corners is not None:
            rest, most = self.corners.evaluator(n_derivatives)
            factors = (1j / np.pi) * (-1j * step) ** np.arange(n_derivatives + 1)[:, np.newaxis]
            factors, width = factors[..., np.newaxis], min(width, most)

        def evaluate(y: Floats) -> Floats:
            turns, values = y / period, np.empty((n_derivatives + 1, *y.shape))
            for start in range(0, y.shape[1], width):
                part = slice(start, start + width)
                angles = (-2 * np.pi) * turns[:, part, np.newaxis]
                waved = angles * inner_and_outer
                # A few are complex exponentials, in fewer calls.
                moved = np.exp(1j * waved) if waved.size < 500 else waves(waved, 0.0)
                products = stacked_products(table, moved[..., :fine].transpose(0, 2, 1))
                products = products.reshape(len(step), n_derivatives + 1, -1, angles.shape[1])
                sums = np.einsum("mdrn,mnr->dmn", products, moved[..., fine:])
                if self.corners is not None:
                    sums += factors * rest(y[:, part])
                values[..., part] = sums.real
            values[0] += turns
            values[1:2] += 1 / period
            return values

        return evaluate


def vanishing_heights(exponents: Floats, ratios: Floats, variance: Floats) -> Floats:
    """Heights T with sum_i o_i log(1 + T^2 v_i / o_i) = 2 DEPTH, shape (m,).

    In u = log T^2 the left-hand side of the equation is convex and increasing. That of a single
    Gamma variable, of the same shape and variance as all together, is larger (Jensen's inequality),
    so that the search begins below the root, and a Newton step leads above.
    """
    shape = exponents.sum(axis=1)
    u = np.log(np.expm1(np.minimum(2 * DEPTH / shape, 400.0)) * shape / variance)
    for _ in range(60):
        x = np.exp(u)[:, np.newaxis] * ratios
        missing = 2 * DEPTH - (exponents * np.log1p(x)).sum(axis=1)
        step = missing / (exponents * (x / (1 + x))).sum(axis=1)
        u = np.minimum(u + step, 400.0)
        # A short step leaves an error of at most half its square.
        if np.abs(step).max() < 0.2:
            break
    return np.asarray(np.exp(0.5 * u))


def orders(vanished: Floats, resolved: Floats, n_variables: int) -> Floats:
    """Return the numbers of orders of series, whole numbers, shape (m,).

    They end at the order where the transform has vanished, or where the ends of all variables are
    resolved and the rest is summed in closed form, whichever comes first.
    """
    wanted = np.where(vanished <= CHEAP, vanished, np.minimum(vanished, resolved))
    most = max(min(2**16, 2**20 // n_variables), 2**13)
    return np.asarray(np.minimum(np.maximum(np.ceil(wanted) + 1, 8), most))


def gauss_points(moments: Floats, weights: Floats, count: Floats) -> tuple[Floats, Floats]:
    """Gauss rules for weighted sums about their means, `count` (m, l) of each variable.

    `moments` are central ones of the variables, shape (ORDER + 1, m, l). Returns nodes and weights,
    shape (m, n). The recursion of the orthogonal polynomials follows from the Cholesky factor of
    the moments (Golub and Welsch, Mathematics of Computation 23, 1969). A rule has fewer points
    where rounding leaves no such factor.
    """
    scale = np.sqrt((count * weights**2 * moments[2]).sum(axis=1))
    # Moments of the sums in units of the scale from their cumulants; normal ones if it is zero.
    cumulants = np.zeros_like(moments)
    for k in range(2, ORDER + 1):
        less = sum(math.comb(k - 1, j - 1) * cumulants[j] * moments[k - j] for j in range(2, k))
        cumulants[k] = moments[k] - less
    share = weights / np.where(scale > 0, scale, 1.0)[:, np.newaxis]
    total = [(count * share**k * cumulants[k]).sum(axis=1) for k in range(ORDER + 1)]
    total[2] = np.ones_like(scale)
    of_sums = [np.ones_like(scale)]
    for k in range(1, ORDER + 1):
        terms = [math.comb(k - 1, j - 1) * total[j] * of_sums[k - j] for j in range(1, k + 1)]
        of_sums.append(np.sum(terms, axis=0))
    for n in range(_MOST_POINTS, 0, -1):
        index = np.add.outer(np.arange(n + 1), np.arange(n + 1))
        try:
            factor = np.linalg.cholesky(np.stack(of_sums, axis=-1)[:, index])
        except np.linalg.LinAlgError:
            continue
        diagonal = np.diagonal(factor, axis1=1, axis2=2)
        ratio = np.diagonal(factor, offset=-1, axis1=1, axis2=2) / diagonal[:, :-1]
        jacobi = np.zeros((len(scale), n, n))
        i = np.arange(n)
        jacobi[:, i, i] = ratio - np.pad(ratio[:, :-1], ((0, 0), (1, 0)))
        beside = diagonal[:, 1:n] / diagonal[:, : n - 1]
        jacobi[:, i[1:], i[:-1]] = jacobi[:, i[:-1], i[1:]] = beside
        nodes, vectors = np.linalg.eigh(jacobi)
        return nodes * scale[:, np.newaxis], vectors[:, 0] ** 2
    return np.zeros((len(scale), 1)), np.ones((len(scale), 1))


def fade(count: int) -> Floats:
    """Shares that rise from 0 to 1, so smoothly that a series shows no trace of it; (count,)."""
    return np.asarray(0.5 * erfc(np.linspace(5, -5, count)))
