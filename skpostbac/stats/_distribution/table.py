"""Distributions that are given by the density of log-odds, known up to a factor.

For u = log(x / (1 - x)) with the density g(u) the density of x is g(u) / (x (1 - x)). The log of g
is a Legendre series of 16 terms on each of a row of panels, which are halved until the last terms
are below the tolerance. A panel has the mass

    integral of exp(log g(u)) du,

by a Gauss-Legendre rule of 16 points; the factor that is not known is the sum of all masses. A tail
is the sum of the masses beyond, all positive. Beyond the panels, where the density is below
exp(-48) of its largest value, log g continues in a straight line, that is, g as a power of x or of
1 - x. Probabilities have errors of about 1e-13, and log densities those that are asked for.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.polynomial.legendre import legder, leggauss, legvander

from skpostbac._utils import Floats, Indices, StablePickle
from skpostbac.stats._numerics import log_sum
from skpostbac.stats._series import Evaluator, quantiles

# Log density of the log-odds at some points, shape (n,), up to a constant.
LogDensity = Callable[[Floats], Floats]
# Distances y to log-odds; log-odds u to the log of dy / du and its first two derivatives.
ToLogOdds = Callable[[Floats], Floats]
Stretch = Callable[[Floats], tuple[Floats, Floats, Floats]]

# Points of a panel. The rule is exact up to degree 31.
_N = 16
_NODES, _WEIGHTS = leggauss(_N)
_FROM_SERIES = legvander(_NODES, _N - 1)
_TO_SERIES = np.linalg.inv(_FROM_SERIES)
# Series of the first and second derivatives, padded by zeros, beside the series itself.
_DERIVATIVES = np.stack([np.pad(legder(np.eye(_N), m), ((0, m), (0, 0))) for m in (0, 1, 2)])
# Panels end where the density is below exp(-DEPTH) of its largest value, and its mass as well; but
# not beyond this, the log-odds of the smallest doubles, unless a variable reaches farther.
DEPTH, LAST = 48.0, 700.0
# Error of a mass that does not count. The log density has an error of 1e-9 where nothing is.
_NO_MASS, _FAR = 1e-14, 1e-9
# Largest fall of the log density on a panel: the rule integrates it to 12 digits. The log of a
# density that vanishes is so far below that of its panel.
_FALL, _FLOOR = 30.0, 1e4
# Panels that rounding does not let be cut, and how many are not cut further: what is left is noise.
_NARROWEST, _MOST_PANELS, _ROUNDS, _DOUBLINGS = 1e-12, 1000, 50, 100
# Least fall of the log density beyond the panels, where hardly anything is left.
_LEAST_SLOPE = 1e-7
# Points that are evaluated at a time, and probabilities below which quantiles are interpolated.
_BLOCK, _LEAST_QUANTILE = 2**13, 1e-10


@dataclass(frozen=True, eq=False)
class Table(StablePickle):
    """A density of log-odds on panels.

    Attributes
    ----------
    edges : ends of the adjacent panels, rising, shape (n + 1,).
    series : Legendre series of the log density on each panel, shape (16, n).
    """

    edges: Floats
    series: Floats

    @classmethod
    def of(
        cls,
        log_density: LogDensity,
        edges: Floats,
        tolerance: float,
        *,
        far: float = _FAR,
        last: float = LAST,
    ) -> "Table":
        """Tabulate a log density on panels between given edges, and beyond them.

        Its error is `tolerance`, or `far` where the mass is too small to count. Panels end at the
        log-odds `last` at most.
        """
        left, right, series = edges[:-1], edges[1:], _series(log_density, edges[:-1], edges[1:])
        for _ in range(_DOUBLINGS):
            # Panels as wide as all before, until nothing is left outside.
            ends = np.array([series[:, 0] @ (-1.0) ** np.arange(_N), series[:, -1].sum()])
            first, width = left[0], right[-1] - left[0]
            more = np.array([[max(first - width, -last), first], [right[-1], 0.0]])
            more[1, 1] = min(right[-1] + width, last)
            is_open = (ends > (_FROM_SERIES @ series).max() - DEPTH) & (more[:, 0] < more[:, 1])
            if not is_open.any():
                break
            (before, after), found = is_open.astype(int), _series(log_density, *more[is_open].T)
            left = np.concatenate([more[:before, 0], left, more[2 - after :, 0]])
            right = np.concatenate([more[:before, 1], right, more[2 - after :, 1]])
            series = np.hstack([found[:, :before], series, found[:, before:]])
        for _ in range(_ROUNDS):
            values = _FROM_SERIES @ series
            log_mass = log_sum(values + np.log(np.outer(_WEIGHTS, 0.5 * (right - left))))
            share = np.exp(np.maximum(log_mass - log_mass.max(), -DEPTH))
            limit = np.clip(_NO_MASS / share, tolerance, max(far, tolerance))
            # Rounding moves a place by a share of the panel, and the log density by some of that.
            rounding = np.spacing(np.maximum(np.abs(left), np.abs(right)))
            limit = np.maximum(limit, 2 * rounding / (right - left))
            is_done = (np.abs(series[-2:]).max(axis=0) < limit) & (np.ptp(values, axis=0) < _FALL)
            is_nothing = np.maximum(values.max(axis=0), log_mass) < log_mass.max() - DEPTH
            is_done |= is_nothing | (right - left < _NARROWEST)
            if is_done.all() or left.size > _MOST_PANELS:
                break
            middle = 0.5 * (left + right)[~is_done]
            new = np.append(left[~is_done], middle), np.append(middle, right[~is_done])
            series = np.hstack([series[:, is_done], _series(log_density, *new)])
            left, right = np.append(left[is_done], new[0]), np.append(right[is_done], new[1])
            order = np.argsort(left)
            left, right, series = left[order], right[order], series[:, order]
        kept = np.flatnonzero(~is_nothing)
        part = slice(kept[0], kept[-1] + 1)
        rough = cls(np.append(left[part], right[kept[-1]]), series[:, part])
        series = rough.series.copy()
        series[0] -= np.log(rough._below[-1] + rough._above[-1])
        return cls(rough.edges, series)

    @cached_property
    def _masses(self) -> Floats:
        """Masses at the nodes of the panels, shape (16, n)."""
        weights = np.outer(_WEIGHTS, 0.5 * np.diff(self.edges))
        return np.asarray(np.exp(_FROM_SERIES @ self.series) * weights)

    @property
    def nodes(self) -> tuple[Floats, Floats]:
        """Log-odds and masses that stand for the distribution between the outer edges."""
        return _spread(self.edges[:-1], self.edges[1:]).ravel(), self._masses.ravel()

    @cached_property
    def outer(self) -> tuple[Floats, Floats]:
        """Log densities at the outer edges, and how fast they fall beyond, shape (2,) each."""
        ends = self.series[:, [0, -1]].T * legvander(np.array([-1.0, 1.0]), _N - 1)
        slopes = (self.series[:, [0, -1]].T @ _DERIVATIVES[1].T).T
        slopes = (legvander(np.array([-1.0, 1.0]), _N - 1) * slopes.T).sum(axis=1)
        falls = np.array([2.0, -2.0]) * slopes / np.diff(self.edges)[[0, -1]]
        return ends.sum(axis=1), np.maximum(falls, _LEAST_SLOPE)

    @cached_property
    def _below(self) -> Floats:
        """Masses below the edges."""
        beyond = np.exp(self.outer[0][0]) / self.outer[1][0]
        return np.cumsum(np.append(beyond, self._masses.sum(axis=0)))

    @cached_property
    def _above(self) -> Floats:
        """Masses above the edges."""
        beyond = np.exp(self.outer[0][1]) / self.outer[1][1]
        return np.cumsum(np.append(beyond, self._masses.sum(axis=0)[::-1]))[::-1]

    def log_density(self, u: Floats) -> Floats:
        """Return the log density at log-odds of any shape."""
        found, flat = np.empty(u.size), u.ravel()
        for start in range(0, u.size, _BLOCK):
            part = flat[start : start + _BLOCK]
            index, t = self._places(part)
            beyond = np.minimum(part - self.edges[0], 0.0), np.minimum(self.edges[-1] - part, 0.0)
            fall = self.outer[1] @ beyond
            found[start : start + _BLOCK] = _sum(self.series.T[index], t) + fall
        return found.reshape(u.shape)

    def _places(self, u: Floats) -> tuple[Indices, Floats]:
        """Return the panel of each point, and where it lies there from -1 to 1."""
        index = np.clip(np.searchsorted(self.edges, u) - 1, 0, self.edges.size - 2)
        left, right = self.edges[index], self.edges[index + 1]
        return index, np.clip((2 * u - left - right) / (right - left), -1.0, 1.0)

    def values(self, u: Floats) -> Floats:
        """Return both tails, the log density, its slope and bend at points, shape (5, n)."""
        index, t = self._places(u)
        half = 0.5 * np.diff(self.edges)[index]
        # The mass of the panel below a point, by a rule on that part alone.
        inner = 0.5 * ((t - 1) + np.multiply.outer(_NODES, t + 1))
        density = np.exp(_sum(self.series.T[index], inner))
        mass = self._masses.sum(axis=0)[index]
        part = np.minimum(0.5 * (t + 1) * half * (_WEIGHTS @ density), mass)
        below, above = self._below[index] + part, self._above[index + 1] + (mass - part)
        logs = [_sum((series @ self.series).T[index], t) for series in _DERIVATIVES]
        found = np.stack([below, above, logs[0], logs[1] / half, logs[2] / half**2])
        for end, sign, outside in ((0, 1, u < self.edges[0]), (1, -1, u > self.edges[-1])):
            if outside.any():
                log_density, slope = self.outer[0][end], self.outer[1][end]
                fall = slope * sign * (u[outside] - self.edges[-end])
                tail = np.exp(log_density + fall) / slope
                rest = np.full_like(fall, sign * slope), np.zeros_like(fall)
                tails = (tail, 1 - tail)[::sign]
                found[:, outside] = np.stack([*tails, log_density + fall, *rest])
        return found

    def log_tails(self, u: Floats) -> Floats:
        """Return the logs of both tails at points, shape (2, n), however small."""
        with np.errstate(divide="ignore"):
            logs = np.log(self.values(u)[:2])
        for end, sign in ((0, 1), (1, -1)):
            beyond = np.maximum(sign * (self.edges[-end] - u), 0.0)
            line = self.outer[0][end] - np.log(self.outer[1][end]) - self.outer[1][end] * beyond
            logs[end] = np.where(beyond > 0, line, logs[end])
        return logs

    def quantiles(self, p: Floats, q: Floats) -> Floats:
        """Return the log-odds with the mass p = 1 - q below them, shape (n,); all inside (0, 1)."""
        u = quantiles(self.centred, p[np.newaxis], q[np.newaxis])[0] + self._centre
        for end, tail, masses in ((0, p, self._below), (1, q, self._above)):
            is_far = tail < _LEAST_QUANTILE
            if is_far.any():
                log_tail, known, sign = np.log(tail[is_far]), np.log(masses), 1 - 2 * end
                inside = np.interp(log_tail, known[::sign], self.edges[::sign])
                beyond = np.minimum(log_tail - known[-end], 0.0) / self.outer[1][end]
                u[is_far] = inside + sign * beyond
        return u

    @cached_property
    def _centre(self) -> float:
        u, mass = self.nodes
        return float(mass @ u)

    @cached_property
    def centred(self) -> "CentredTable":
        """The distribution of the log-odds itself."""
        u, mass = self.nodes
        centre, zero = self._centre, np.zeros((2, 1))
        deviation = float(np.sqrt(mass @ (u - centre) ** 2))
        # Far enough out for the smallest quantiles.
        reach = np.log(_LEAST_QUANTILE) - np.log([self._below[0], self._above[-1]])
        out = np.maximum(-reach, 0.0) / self.outer[1]
        ends = self.edges[[0, -1]] - centre + np.array([-1.0, 1.0]) * out
        return CentredTable(
            *(self, lambda y: y + centre, lambda u: (0.0 * u, 0.0 * u, 0.0 * u)),
            *(ends[:1], ends[1:], np.array([deviation]), zero, np.empty((1, 0))),
        )


@dataclass(frozen=True)
class CentredTable:
    """Distribution of a rising function of log-odds that are tabulated.

    Attributes
    ----------
    table : distribution of the log-odds.
    to_log_odds : log-odds at distances y from the mean.
    stretch : log of dy / du at log-odds u, and its first two derivatives.
    low, high, deviation, end_densities, places : as those of `Series`.
    """

    table: Table
    to_log_odds: ToLogOdds
    stretch: Stretch
    low: Floats
    high: Floats
    deviation: Floats
    end_densities: Floats
    places: Floats
    is_log_concave: bool = False

    def evaluator(self, n_derivatives: int) -> Evaluator:
        """Return what evaluates the distribution function less 1/2 and up to three derivatives."""

        def evaluate(y: Floats) -> Floats:
            u = self.to_log_odds(y.ravel())
            below, above, log_density, slope, bend = self.table.values(u)
            with np.errstate(all="ignore"):
                log_stretch, turn, more = self.stretch(u)
                excess = np.where(below < above, below - 0.5, 0.5 - above)
                density, rate = np.exp(log_density - log_stretch), slope - turn
                unit = np.exp(-log_stretch)
                third = density * (rate * (rate - turn) + bend - more) * unit * unit
                values = np.stack([excess, density, density * rate * unit, third])
            return values[: n_derivatives + 1].reshape(-1, *y.shape)

        return evaluate


def _series(log_density: LogDensity, left: Floats, right: Floats) -> Floats:
    """Legendre series of a log density on panels."""
    values = log_density(_spread(left, right).ravel()).reshape(_N, left.size)
    top = np.maximum(values.max(axis=0), -1e300)
    return np.asarray(_TO_SERIES @ np.maximum(values, top - _FLOOR))


def _spread(left: Floats, right: Floats) -> Floats:
    """Points of the rule between each left and right, shape (16, n)."""
    return np.asarray(0.5 * (left + right) + 0.5 * np.multiply.outer(_NODES, right - left))


def _sum(series: Floats, t: Floats) -> Floats:
    """Sum series of their own, (n, 16), at points, shape (..., n)."""
    last, value = np.zeros_like(t), np.zeros_like(t)
    # Clenshaw's recurrence.
    for k in range(_N - 1, 0, -1):
        rate = (2 * k + 1) / (k + 1)
        last, value = value, series[:, k] + rate * t * value - ((k + 1) / (k + 2)) * last
    return np.asarray(series[:, 0] + t * value - 0.5 * last)
