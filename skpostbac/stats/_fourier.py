r"""Distributions of bounded variables from the Fourier series of their densities.

Series evaluate distribution functions. Quantiles, intervals and modes are found for anything that
can be evaluated, many distributions at once. What variables these are does not matter here.

**Fourier series.** With X centred at its mean, v_k = E[exp(i k h X)] and h = 2 pi / P, the sawtooth
of period P gives

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

Points and probabilities have the shape (m, n): n of each of m distributions.

**Quantiles** are found by safeguarded Halley steps. With the smaller tail t, the density f and the
distance d from the end of the support on this side, steps are taken on log t as a function of
log d: it is straight beside the end, where a tail is a power of d, and nearly straight far from the
centre. The root stays bracketed. Steps converge cubically: one over which neither the tail nor the
density changes by more than a share `last` is the last.

**Shortest intervals** [l, u] have the same density at both ends, or end where the support does.
Newton's steps on the logs of the distances from the ends of the support solve

    F(u) - F(l) = level,    log f(u) = log f(l).

Of a distribution with a single peak, any solution is the shortest interval. The steps begin at the
central interval of a similar Beta, shifted by a third of the skewness in standard deviations: to
the first order in the skewness, the densities are then the same at both ends (Edgeworth's
expansion). Otherwise the intervals that leave some shares of 1 - level below tell between which two
it is. Where Newton's steps do not settle there, the share is found by false position (Dowell and
Jarratt, BIT 11, 1971).

**Modes** of distributions that may have more than one peak are looked for among some densities at
quantiles of a similar Beta, corners and the ends of the support. Between the neighbours of a peak
the slope of the density is zero, or the density ends or bends.
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


# Shares of 1 - level that are left below; both ends of the support are among the ends.
_SHARES = 0.5 - 0.5 * np.cos(np.pi * np.arange(17) / 16)
# Quantiles of smaller probabilities are those of the approximated logs.
LEAST = 1e-10


def quantiles(
    distributions: Centred,
    p: Floats,
    q: Floats,
    last: float = 1e-4,
    start: Floats | None = None,
    evaluate: Evaluator | None = None,
) -> Floats:
    """Distances from the mean with P(X <= y) = p = 1 - q, both positive; all of shape (m, n)."""
    evaluate = evaluate or distributions.evaluator(2)
    is_lower, wanted = p <= q, np.minimum(p, q)
    low, high = distributions.low[:, np.newaxis], distributions.high[:, np.newaxis]
    sign, own_end = np.where(is_lower, 1.0, -1.0), np.where(is_lower, low, high)
    y = matched_quantiles(distributions, p) if start is None else start
    is_found, points, values = np.zeros(p.shape, dtype=bool), y, np.empty((3, 0))
    # All points of a distribution bracket each of its quantiles, if they are few.
    spread = (slice(None), np.newaxis) if p.shape[1] <= 64 else (..., np.newaxis)
    with np.errstate(all="ignore"):
        for i in range(300):
            # After some steps, columns that are found in all rows are not evaluated again.
            if i > 2:
                done = is_found.all(axis=0)
                points = np.where(done, points, y)
                values[..., ~done] = evaluate(y[:, ~done])
            else:
                points, values = y, evaluate(y)
            excess, density, slope = values
            tail, inwards = 0.5 + sign * excess, y - own_end
            log_ratio = np.log(tail / wanted)
            newton = sign * log_ratio * tail / density
            # In units of the distance from the end, whose log is what moves.
            share, turn = newton / inwards, newton * slope / density
            bend = 1 - 0.5 * (turn - log_ratio + share)
            share /= np.minimum(np.maximum(bend, 0.5), 2.0)
            moved = y + inwards * np.expm1(-share)
            # A tail below 1e-14 may be a rounding error, and only tells where the quantile is not.
            is_last = np.maximum(np.abs(log_ratio), np.abs(turn)) < last
            is_safe = (low <= moved) & (moved <= high) & (density > 0) & (tail > 1e-14)
            is_last &= is_safe
            if is_last.all():
                return np.where(is_found, y, moved)
            if i == 0 and is_safe.all():
                # The first steps are seldom too long, and those after them can be taken back.
                y, is_found = moved, is_last
                continue
            target = (sign * (wanted - 0.5))[..., np.newaxis]
            is_below = excess[spread] <= target
            low = np.maximum(low, np.where(is_below, points[spread], -np.inf).max(axis=2))
            high = np.minimum(high, np.where(is_below, np.inf, points[spread]).min(axis=2))
            # Beside a pole steps are too short, or cross it again and again.
            spacing = np.spacing(np.abs(y))
            is_safe &= (low <= moved) & (moved <= high) & (np.abs(moved - y) > spacing)
            is_safe &= i % 4 < 3
            moved = np.where(is_safe | is_last, moved, 0.5 * (low + high))
            # At a pole itself there is no step. What a step of the size `last` leaves is less than
            # its fourth power.
            is_there = np.abs(log_ratio) <= 1e-15
            moved = np.where(is_there, y, moved)
            short = np.maximum(spacing, last**4 * distributions.deviation[:, np.newaxis])
            is_last |= is_there | (high - low <= short)
            y, is_found = np.where(is_found, y, moved), is_found | is_last
            if is_found.all():
                break
    return y


def matched_quantiles(distributions: Centred, p: Floats) -> Floats:
    """Quantiles of Beta distributions with the same range, mean and variance."""
    low, high = distributions.low, distributions.high
    size = np.maximum(-low * high / distributions.deviation**2 - 1, 1e-3) / (high - low)
    a, b = (-low * size)[:, np.newaxis], (high * size)[:, np.newaxis]
    return np.asarray(low[:, np.newaxis] + (high - low)[:, np.newaxis] * betaincinv(a, b, p))


def shortest_intervals(distributions: Centred, level: float) -> Floats:
    """Distances of both ends from the mean, shape (2, m)."""
    low, high, tail = distributions.low, distributions.high, 0.5 * (1 - level)
    rows, evaluate = np.arange(low.size), distributions.evaluator(2)
    if distributions.has_one_peak:
        p = np.broadcast_to([tail, 1 - tail], (low.size, 2))
        central = matched_quantiles(distributions, p).T
        ends = central + (2 / 3) * (low + high) / (low * high / distributions.deviation**2 - 1)
        # Not much closer to the ends of the range than the quantiles.
        ends = np.maximum(ends, low + 0.35 * (central[0] - low))
        ends = np.minimum(ends, high - 0.35 * (high - central[1]))
        found, is_found = _newton(distributions, evaluate, ends, (low, high), rows >= 0, level)
        if is_found.all():
            return found
    # Of a distribution with a single peak a few shares tell as much.
    of_all = (1 - level) * (_SHARES[::4] if distributions.has_one_peak else _SHARES)
    shares = np.tile(of_all, (rows.size, 1))
    ends = _intervals(distributions, evaluate, shares, level, last=1e-2)
    best = np.argmin(ends[1] - ends[0], axis=1)
    excess = _excess(distributions, evaluate, ends)
    # The lower end has the larger density in intervals that are too high.
    first = np.where(excess[rows, best] > 0, best - 1, best)
    is_inner = (first >= 0) & (first < of_all.size - 1)
    first = np.minimum(np.maximum(first, 0), of_all.size - 2)
    bracket = ends[:, rows, first], ends[:, rows, first + 1]
    # Where the density bends more than once, several intervals have the same one at both ends. The
    # lengths have a minimum where the excess changes from negative to positive.
    below = np.minimum(excess[rows, first], -1e-9)
    above = np.maximum(excess[rows, first + 1], 1e-9)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = below / (below - above)
    share = np.where((share > 0.01) & (share < 0.99), share, 0.5)
    start = bracket[0] + share * (bracket[1] - bracket[0])
    if not is_inner.all():
        near, only = ends[:, rows, best, np.newaxis], of_all[best][:, np.newaxis]
        at_end = _intervals(distributions, evaluate, only, level, start=near)
        start = np.where(is_inner, start, at_end[..., 0])
    found, is_found = _newton(distributions, evaluate, start, bracket, is_inner, level)
    shortest = (ends[1] - ends[0])[rows, best]
    is_found &= ~is_inner | (found[1] - found[0] <= (1 + 1e-5) * shortest)
    if not is_found.all():
        rest = ~is_found
        shares = of_all[np.stack([first, first + 1])][:, rest]
        around = np.stack([below, above])[:, rest]
        few = distributions.chosen(rest)
        found[:, rest] = _by_secants(few, shares, around, start[:, rest], level)
    return found


def _intervals(
    distributions: Centred,
    evaluate: Evaluator,
    below: Floats,
    level: float,
    last: float = 1e-4,
    start: Floats | None = None,
) -> Floats:
    """Return the ends of intervals with so much probability below, shape (2, m, n)."""
    p = np.array([below, below + level])
    q = np.array([1 - below, np.maximum((1 - level) - below, 0)])
    low, high = distributions.low[:, np.newaxis], distributions.high[:, np.newaxis]
    # The other end of an interval stands for one that is an end of the support.
    at_end = (p <= 0) | (q <= 0)
    first, second = np.where(at_end, p[::-1], p), np.where(at_end, q[::-1], q)
    y = None if start is None else np.hstack([*np.where(at_end, start[::-1], start)])
    found = quantiles(distributions, np.hstack([*first]), np.hstack([*second]), last, y, evaluate)
    found = np.array(np.split(found, 2, axis=1))
    return np.where(p <= 0, low, np.where(q <= 0, high, found))


def _excess(distributions: Centred, evaluate: Evaluator, ends: Floats) -> Floats:
    """Log density at the lower end less that at the upper one, (m, n)."""
    low, high = np.split(evaluate(np.concatenate(ends, axis=1))[1], 2, axis=1)
    at_low, at_high = distributions.end_densities[..., np.newaxis]
    low = np.where(ends[0] <= distributions.low[:, np.newaxis], at_low, low)
    high = np.where(ends[1] >= distributions.high[:, np.newaxis], at_high, high)
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = np.log(np.maximum(low, 0.0)), np.log(np.maximum(high, 0.0))
        return np.where(low == high, 0.0, low - high)


def _newton(
    distributions: Centred,
    evaluate: Evaluator,
    ends: Floats,
    bracket: tuple[Floats, Floats],
    is_inner: Bools,
    level: float,
) -> tuple[Floats, Bools]:
    """Move inner ends, (2, m), to where the densities are equal; tell which are right."""
    is_found = ~is_inner
    if is_found.all():
        return ends, is_found
    of_support, size = np.array([distributions.low, distributions.high]), ends[1] - ends[0]
    slack, short = 1e-4 * size, 1e-7 * size
    with np.errstate(all="ignore"):
        for _ in range(12):
            cdf, density, slope = evaluate(ends.T).transpose(0, 2, 1)
            missing = level - (cdf[1] - cdf[0])
            fall, turn = np.log(density[0] / density[1]), slope / density
            # density_1 du - density_0 dl = missing and turn_1 du - turn_0 dl = fall, in
            # shares of the distances from the ends of the support, whose logs are what moves.
            inwards = ends - of_support
            step = density[::-1] * fall - turn[::-1] * missing
            step /= density[0] * turn[1] - density[1] * turn[0]
            moved = ends + inwards * np.expm1(np.minimum(step / inwards, 5.0))
            inside = np.minimum(np.maximum(moved, bracket[0]), bracket[1])
            # A step of no more than 1e-7 of the interval leaves an error of its square. Beside an
            # end of the support a step may be short where the densities still differ.
            is_last = (np.abs(step) <= short) & (np.abs(moved - inside) <= slack)
            is_last = is_last[0] & is_last[1] & (np.abs(fall) < 1e-3)
            # What brackets it is known to a few digits only.
            moved = np.where(is_last, moved, inside)
            ends = np.where(is_found, ends, moved)
            is_found |= is_last
            if is_found.all():
                break
    return ends, is_found


def _by_secants(
    distributions: Centred, shares: Floats, excess: Floats, start: Floats, level: float
) -> Floats:
    """Find the share left below, between two with their excesses, and return both ends."""
    (first, last), (low, high), ends = shares, excess, start[..., np.newaxis]
    evaluate = distributions.evaluator(2)
    with np.errstate(all="ignore"):
        for i in range(100):
            share = (first * high - last * low) / (high - low)
            is_safe = (first < share) & (share < last) & (i % 4 < 3)
            share = np.where(is_safe, share, 0.5 * (first + last))
            # Smaller probabilities are not told from zero.
            share = np.clip(share, 1e-12, (1 - level) - 1e-12)
            ends = _intervals(distributions, evaluate, share[:, np.newaxis], level, start=ends)
            found = _excess(distributions, evaluate, ends)[:, 0]
            is_high = found > 0
            # The other end counts half, where this one moves again.
            low, high = np.where(is_high, 0.5 * low, found), np.where(is_high, found, 0.5 * high)
            first, last = np.where(is_high, first, share), np.where(is_high, share, last)
            if ((last - first <= 1e-8 * (1 - level)) | (np.abs(found) <= 1e-9)).all():
                break
    return ends[..., 0]


def modes(distributions: Centred) -> Floats:
    """Distances of the modes from the mean, shape (m,)."""
    low, high = distributions.low[:, np.newaxis], distributions.high[:, np.newaxis]
    deviation = distributions.deviation[:, np.newaxis]
    rows, evaluate = np.arange(low.size)[:, np.newaxis], distributions.evaluator(3)
    at_low, at_high = distributions.end_densities[..., np.newaxis]

    def snapped(y: Floats) -> Floats:
        # Beside an end the density there is known, and may not be resolved: the points that stand
        # for a narrow variable are poles.
        near = 1e-2 * deviation
        y = np.where((at_low > 0) & (y < low + near), low, y)
        return np.where((at_high > 0) & (y > high - near), high, y)

    with np.errstate(all="ignore"):
        if distributions.has_one_peak:
            # The peak is near that of a Beta with the same range, mean and variance, and at most
            # sqrt(3) standard deviations from the mean (Johnson and Rogers, Annals of Mathematical
            # Statistics 22, 1951).
            y = (low + high) / (low * high / deviation**2 - 1)
            first, last = np.maximum(low, -1.74 * deviation), np.minimum(high, 1.74 * deviation)
            top, highest = np.where(at_low > at_high, low, high), np.maximum(at_low, at_high)
        else:
            p = np.tile(ndtr(np.linspace(-4, 4, 13)), (low.size, 1))
            inner = np.clip(matched_quantiles(distributions, p), low, high)
            gaps = np.diff(inner, axis=1)[..., np.newaxis]
            # A narrow peak of a variable beside wide ones may be between two of them.
            widest = (gaps.max(axis=(1, 2)) / distributions.resolution).max()
            pieces = int(min(np.ceil(widest), 16))
            gaps = gaps * (np.arange(pieces) / pieces)
            fine = (inner[:, :-1, np.newaxis] + gaps).reshape(low.size, -1)
            looked_at = [low, fine, inner[:, -1:], distributions.places, high]
            places = np.sort(snapped(np.concatenate(looked_at, axis=1)), axis=1)
            heights = evaluate(places)[1]
            heights = np.where(places <= low, at_low, np.where(places >= high, at_high, heights))
            # The two highest peaks, each with its neighbours.
            padded = np.full((low.size, places.shape[1] + 2), -np.inf)
            padded[:, 1:-1] = heights
            is_peak = (heights >= padded[:, :-2]) & (heights >= padded[:, 2:])
            best = np.argsort(np.where(is_peak, -heights, np.inf), axis=1, kind="stable")[:, :2]
            best = np.where(is_peak[rows, best], best, best[:, :1])
            top, highest = places[rows, best], heights[rows, best]
            first = places[rows, np.maximum(best - 1, 0)]
            last = places[rows, np.minimum(best + 1, places.shape[1] - 1)]
            # At an end, or a corner, the slope may not exist.
            y = top + 1e-9 * (first - top + last - top)
        density, is_level = highest, highest > 0
        for _ in range(100):
            _, density, slope, bend = evaluate(y)
            first, last = np.where(slope > 0, y, first), np.where(slope > 0, last, y)
            moved = y - slope / bend
            is_safe = (first <= moved) & (moved <= last) & (bend < 0)
            moved = np.where(is_safe, moved, 0.5 * (first + last))
            # Where the slope is small, a short step leaves an error of about its square. Beside a
            # corner steps are short where the density bends, and need not be near a peak.
            is_level = is_safe & (np.abs(slope) * deviation <= 1e-4 * density)
            is_last = np.abs(moved - y) <= np.where(is_level, 1e-7, 1e-13) * deviation
            y = moved
            if is_last.all():
                break
    # Where the slope is zero, rounding errors of the density tell nothing.
    is_higher = (density >= highest * np.where(is_level, 1 - 1e-12, 1.0)) & (snapped(y) == y)
    found, heights = np.where(is_higher, y, top), np.where(is_higher, density, highest)
    return np.asarray(found[rows[:, 0], heights.argmax(axis=1)])


class SmallTails(Protocol):
    """Protocol of approximations to tails that are too small for a series."""

    def logs(self, row: int, to_low: Floats, to_high: Floats) -> Floats:
        """Return logs of P(X <= x), P(X > x) and the density, (3, n), at distances from ends."""

    def distances(self, row: int, log_tails: Floats, *, is_low: bool) -> Floats:
        """Distances from an end of the points with such tails towards it, shape (n,)."""


@dataclass(frozen=True)
class Located:
    """Distributions at their places on the real line.

    Attributes
    ----------
    frames : means, what their rounding left over, and lower and upper ends of the supports,
        shape (4, m).
    parts : distributions that are computed together, and their rows.
    small_tails : approximations to tails below the least of a part, which bounds them if None.
    """

    frames: Floats
    parts: Sequence[tuple[Indices, Centred]]
    small_tails: SmallTails | None = None

    def values(self, x: Floats) -> Floats:
        """Return P(X <= x), P(X > x) and the density at points, (3, m, n), to absolute accuracy."""
        mean, rest, low, high = self.frames[..., np.newaxis]
        y, to_low, to_high = (x - mean) - rest, x - low, high - x
        found = np.empty((3, *y.shape))
        for rows, part in self.parts:
            below, above = to_low[rows], to_high[rows]
            values = part.tails(y[rows], below, above)
            at_low, at_high = part.end_densities[..., np.newaxis]
            for ends, at_end, outside in ((below, at_low, [0, 1]), (above, at_high, [1, 0])):
                tails = np.reshape(outside, (2, 1, 1))
                values[:2] = np.where(ends <= 0, tails, values[:2])
                values[2] = np.where(ends == 0, at_end, np.where(ends < 0, 0.0, values[2]))
            found[:, rows] = np.where(np.isnan(y[rows]), np.nan, values)
        return found

    def between(self, x: Floats, y: Floats) -> Floats:
        """Return P(x < X <= y), negative where y is below x."""
        # From the lower to the upper limit, so that exchanged limits change nothing but the sign.
        lower, upper = self.values(np.minimum(x, y)), self.values(np.maximum(x, y))
        # Both limits in the upper half: the difference of the upper tails loses fewer digits.
        between = np.where(lower[0] > 0.5, lower[1] - upper[1], upper[0] - lower[0])
        return np.asarray(np.where(y < x, -between, between))

    def log_between(self, x: Floats, y: Floats) -> Floats:
        """Return log P(x < X <= y), NaN where that is negative as y is below x."""
        lower, upper = self.logs(x), self.logs(y)
        is_above = lower[0] > upper[1]  # the difference of the smaller tails loses fewer digits
        large = np.where(is_above, lower[1], upper[0])
        small = np.where(is_above, upper[1], lower[0])
        with np.errstate(all="ignore"):
            between = large + np.log1p(-np.exp(np.minimum(small - large, 0.0)))
        between = np.where((large == -np.inf) & (small == -np.inf), -np.inf, between)
        return np.where(self.between(x, y) < 0, np.nan, between)

    def logs(self, x: Floats) -> Floats:
        """Return logs of P(X <= x), P(X > x) and the density; small ones are approximations."""
        values, (_, _, low, high) = self.values(x), self.frames[..., np.newaxis]
        to_low, to_high = x - low, high - x
        with np.errstate(divide="ignore"):
            logs = np.log(values)
        for rows, part in self.parts:
            unit = np.stack([np.ones_like(part.deviation)] * 2 + [part.deviation])[..., np.newaxis]
            is_inside = np.minimum(to_low, to_high)[rows] > 0
            is_small = is_inside & (unit * values[:, rows] < part.least)
            if self.small_tails is None:
                logs[:, rows] = np.where(is_small, np.log(part.least / unit), logs[:, rows])
                continue
            for i in np.flatnonzero(is_small.any(axis=(0, 2))):
                row, columns = rows[i], is_small[:, i].any(axis=0)
                found = self.small_tails.logs(row, to_low[row, columns], to_high[row, columns])
                own = logs[:, row, columns]
                logs[:, row, columns] = np.where(is_small[:, i, columns], found, own)
        return logs

    def quantiles(self, p: Floats, q: Floats) -> Floats:
        """Points with P(X <= x) = p = 1 - q."""
        x, is_central, inner = np.empty(p.shape), np.minimum(p, q) >= LEAST, (p, q)
        are_central = bool(is_central.all())
        if not are_central:
            inner = np.clip(np.nan_to_num([p, q], nan=0.5), LEAST, 1 - LEAST)
        mean, rest, low, high = self.frames[..., np.newaxis]
        for rows, part in self.parts:
            own = part.quantiles_from_ends(p[rows], q[rows])
            if own is None:
                y = quantiles(part, inner[0][rows], inner[1][rows])
                x[rows] = mean[rows] + (rest[rows] + y)
            else:
                to_low, to_high = own
                x[rows] = np.where(to_low < to_high, low[rows] + to_low, high[rows] - to_high)
                is_central[rows] = True
        if not (are_central or self.small_tails is None):
            for i in np.flatnonzero(~is_central.all(axis=1)).tolist():
                for tail, end, sign in ((p[i], low[i], 1), (q[i], high[i], -1)):
                    chosen = ~is_central[i] & (tail < 0.5) & (tail > 0)
                    if chosen.any():
                        logs = np.log(tail[chosen])
                        found = self.small_tails.distances(i, logs, is_low=sign > 0)
                        x[i, chosen] = end + sign * found
        x = np.minimum(np.maximum(x, low), high)
        if not are_central:
            x = np.where(p <= 0, low, np.where(q <= 0, high, x))
            x[np.isnan(p)] = np.nan
        return np.asarray(x)

    def shortest(self, level: float) -> Floats:
        """Both ends of the shortest intervals, shape (2, m)."""
        # Rounding may exchange the ends of the narrowest.
        return np.sort(self._places(2, lambda part: shortest_intervals(part, level).T).T, axis=0)

    def modes(self) -> Floats:
        """Points of highest density, shape (m,)."""
        return self._places(1, lambda part: modes(part)[:, np.newaxis])[:, 0]

    def _places(self, n: int, find: Callable[[Centred], Floats]) -> Floats:
        """Points of each distribution, (m, n), from distances from the mean."""
        found = np.empty((self.frames.shape[1], n))
        for rows, part in self.parts:
            y, (mean, rest, low, high) = find(part), self.frames[:, rows, np.newaxis]
            x = mean + (rest + y)
            # An end of the range that is one of the support, but for rounding, is that end. So is a
            # point beside a pole there, where a distance that rounds to zero may have much mass.
            unit = 4 * np.spacing(np.maximum(np.abs(low), np.abs(high)))
            at_low, at_high = np.isinf(part.end_densities)[..., np.newaxis]
            first, last = part.low[:, np.newaxis], part.high[:, np.newaxis]
            x = np.where(((y <= first) | at_low) & (x < low + unit), low, x)
            x = np.where(((y >= last) | at_high) & (x > high - unit), high, x)
            found[rows] = np.clip(x, low, high)
        return found
