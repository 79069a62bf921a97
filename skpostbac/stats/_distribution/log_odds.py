"""A distribution on (0, 1) that is given by the density of its log-odds, known up to a factor.

For u = log(x / (1 - x)) with the density g(u) the density of x is f(x) = g(u) / (x (1 - x)). The
log of g is replaced by a Legendre series on each of a row of panels, which are halved until the
last coefficients are below the tolerance. A panel has the mass

    integral of exp(log g(u)) du,

by a Gauss-Legendre rule of 16 points; the factor that is not known is the sum of all masses. A tail
is the sum of the masses beyond, all positive, and so keeps its relative accuracy. Beyond the
panels, where the density is below exp(-64) of its largest value, log g continues in a straight
line, that is, f as a power of x or of 1 - x, whose tail is in closed form.
"""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.polynomial.legendre import legder, leggauss, legval, legvander
from scipy.special import expit, log_expit

from skpostbac._utils import Bools, Floats, Indices, StablePickle, check_level
from skpostbac.stats._distribution.bounded import BoundedDistribution
from skpostbac.stats._distribution.contour import ContourDistribution
from skpostbac.stats._distribution.interface import Interval
from skpostbac.stats._distribution.tails import LeftOut, Tails, Values
from skpostbac.stats._numerics import EPS, Frame, Points, log_sum

# Log density of the log-odds at some points, shape (n,), up to a constant.
LogDensity = Callable[[Floats], Floats]
# Logs of the mass below, the mass above and the density.
Logs = tuple[Floats, Floats, Floats]
# Log of dx / du for a variable x that increases with u, and its derivative.
Stretch = Callable[[Floats], tuple[Floats, Floats]]

# Points of a panel. The rule is exact up to degree 31.
_N = 16
_NODES: Floats
_WEIGHTS: Floats
_NODES, _WEIGHTS = leggauss(_N)
_FROM_SERIES = legvander(_NODES, _N - 1)
_TO_SERIES = np.linalg.inv(_FROM_SERIES)
_ENDS_OF_SERIES = legvander(np.array([-1.0, 1.0]), _N - 1)
_SLOPES_OF_SERIES = legval(np.array([-1.0, 1.0]), legder(np.eye(_N))).T
# The derivative at these points from the values there, and the barycentric weights with which a
# polynomial is interpolated between them (Wang, Huybrechs and Vandewalle, Mathematics of
# Computation 83, 2014).
_DERIVATIVE = legval(_NODES, legder(_TO_SERIES)).T
_LOG_WEIGHTS = np.log(_WEIGHTS)[:, np.newaxis]
_BARYCENTRIC = (-1.0) ** np.arange(_N) * np.sqrt((1 - _NODES**2) * _WEIGHTS)
# Series on both halves of a panel.
_HALVES = [_TO_SERIES @ legvander(0.5 * (_NODES + side), _N - 1) for side in (-1, 1)]
# Panels end where the density is below exp(-depth) of its largest value, and its mass as well.
DEPTH = 64.0
# Beyond the log-odds of the smallest double only the total mass counts.
_LAST, _DEPTH_BEYOND = 745.0, 42.0
_LAST_FULL = 700.0
# Largest error of the log density where there is no mass, and largest fall on a panel: the rule
# integrates an exponential with such a fall to 12 digits.
_FAR_TOLERANCE, _FALL = 1e-4, 30.0
_MAX_ROUNDS = 12
# Panels that rounding does not let be cut, and how many are not cut further: what is left is noise.
_NARROWEST, _MOST_PANELS = 1e-12, 1000
# The log of a density that vanishes is so far below that of its panel, and on a panel beyond those
# that are resolved it falls by less.
_FLOOR, _FALL_BEYOND = 1e4, 5e3
_MAX_DOUBLINGS = 100
# Least fall of the log density beyond the panels, where hardly anything is left.
_LEAST_SLOPE = 1e-6
# Places that are interpolated at a time.
_BLOCK = 2**14
# A Newton step from a log tail this close leaves an error of its square.
_CLOSE, _MAX_STEPS = 1e-9, 100
# Newton steps to the shortest interval, the last of which changes its ends by a share of its length
# of at most so much. Densities above the one at its ends, less a share, are those within it. A
# probability outside of less is left to the general search.
_BALANCE_STEPS, _BALANCED, _SAME_DENSITY, _LEAST_OUTSIDE = 20, 1e-8, 1e-6, 1e-12


@dataclass(frozen=True, eq=False)
class Panels(StablePickle):
    """Intervals of the log-odds, each with a Legendre series of the log density."""

    left: Floats
    right: Floats
    series: Floats

    @classmethod
    def of(cls, log_density: LogDensity, left: Floats, right: Floats) -> "Panels":
        values = log_density(_spread(left, right).ravel()).reshape(_N, left.size)
        top = np.maximum(values.max(axis=0), -1e300)
        return cls(left, right, _TO_SERIES @ np.maximum(values, top - _FLOOR))

    def __getitem__(self, index: Bools | Indices) -> "Panels":
        return Panels(self.left[index], self.right[index], self.series[:, index])

    def joined(self, other: "Panels") -> "Panels":
        """Return all panels from left to right."""
        both = Panels(
            np.append(self.left, other.left),
            np.append(self.right, other.right),
            np.append(self.series, other.series, axis=1),
        )
        return both[np.argsort(both.left)]

    def halved(self, which: Bools) -> "Panels":
        """Cut some of the panels in halves, which keep to the same polynomials."""
        rough, rest = self[which], self[~which]
        middle = 0.5 * (rough.left + rough.right)
        series = [half @ rough.series for half in _HALVES]
        return Panels(
            np.concatenate([rest.left, rough.left, middle]),
            np.concatenate([rest.right, middle, rough.right]),
            np.concatenate([rest.series, *series], axis=1),
        )

    @cached_property
    def nodes(self) -> tuple[Floats, Floats]:
        """Log-odds and log masses that stand for the distribution."""
        return _spread(self.left, self.right).ravel(), self.log_weights.ravel()

    @cached_property
    def values(self) -> Floats:
        """Log density at the points of the panels, shape (_N, n)."""
        return np.asarray(_FROM_SERIES @ self.series)

    @cached_property
    def log_weights(self) -> Floats:
        """Log of the mass at the points of the panels, shape (_N, n)."""
        return self.values + _LOG_WEIGHTS + np.log(0.5 * (self.right - self.left))

    @cached_property
    def log_masses(self) -> Floats:
        """Log of the mass of each panel."""
        return log_sum(self.log_weights)

    @cached_property
    def log_bounds(self) -> Floats:
        """Log of about the largest mass of each panel, also where it is too steep for the rule."""
        ends = _ENDS_OF_SERIES @ self.series
        top = np.maximum(ends.max(axis=0), self.values.max(axis=0))
        return np.asarray(top + np.log(self.right - self.left))

    @cached_property
    def is_steep(self) -> Bools:
        """Where the rule cannot integrate the density."""
        return np.asarray(np.ptp(self.values, axis=0) >= _FALL)

    def is_negligible(self, top: float, depth: float = DEPTH) -> Bools:
        """Return where both the density and the mass are negligible."""
        beyond = np.minimum(np.abs(self.left), np.abs(self.right)) > _LAST
        depths = np.where(beyond, _DEPTH_BEYOND, depth)
        return np.asarray(np.maximum(self.values.max(axis=0), self.log_masses) < top - depths)

    def ends_negligible(self, top: float, depth: float) -> Bools:
        """Return whether the density is negligible at the outer ends of two panels."""
        ends = np.array([self.left[0], self.right[-1]])
        depths = np.where(np.abs(ends) > _LAST, _DEPTH_BEYOND, depth)
        return np.asarray(self.outer_heights < top - depths)

    @cached_property
    def outer_heights(self) -> Floats:
        """Log density at the outer ends of the first panel and the last."""
        return np.asarray((_ENDS_OF_SERIES * self.series[:, [0, -1]].T).sum(axis=1))

    @cached_property
    def outer_slopes(self) -> Floats:
        """Its derivatives there."""
        widths = (self.right - self.left)[[0, -1]]
        return np.asarray(2 * (_SLOPES_OF_SERIES * self.series[:, [0, -1]].T).sum(axis=1) / widths)

    def is_resolved(self, top: float, tolerance: float, far: float = _FAR_TOLERANCE) -> Bools:
        """Return where the series has converged and the rule can integrate its exponential.

        Less is asked of the series where there is next to no mass, but no less than `far`.
        """
        share = np.exp(np.maximum(self.log_masses - top, -DEPTH))
        limit = np.clip(tolerance * 1e-12 / share, tolerance, far)
        # Rounding moves a place by a share of the panel, and the log density by some of that.
        rounding = np.spacing(np.maximum(np.abs(self.left), np.abs(self.right)))
        limit = np.maximum(limit, 2 * rounding / (self.right - self.left))
        converged = np.abs(self.series[-2:]).max(axis=0) < limit
        return np.asarray(converged & ~self.is_steep)


@dataclass(frozen=True, eq=False)
class LogitDensity(StablePickle):
    """A density of log-odds that is tabulated on panels, and falls in straight lines beyond."""

    panels: Panels

    @classmethod
    def of(
        cls, log_density: LogDensity, start: float, scale: float, tolerance: float
    ) -> "LogitDensity":
        """Tabulate a log density and normalise it; see `LogitDistribution`."""
        panels = _resolve(log_density, _cover(log_density, start, scale), tolerance)
        return cls._normalised(panels)

    @classmethod
    def between(
        cls,
        log_density: LogDensity,
        edges: Floats,
        tolerance: float,
        *,
        depth: float = DEPTH,
        far: float = _FAR_TOLERANCE,
        last: float | None = None,
    ) -> "LogitDensity":
        """Tabulate a log density on panels between given edges, and beyond them.

        Panels go on until the density is below exp(-depth) of its largest value, but not beyond
        `last`, by default the log-odds of the smallest numbers that have all digits. Its logarithm
        is known to `far` wherever it is tabulated.
        """
        panels = Panels.of(log_density, edges[:-1], edges[1:])
        panels = _continued(log_density, panels, depth, _LAST_FULL if last is None else last)
        return cls._normalised(_resolve(log_density, panels, tolerance, depth, far))

    @classmethod
    def _normalised(cls, panels: Panels) -> "LogitDensity":
        rough = cls(panels)
        total = np.logaddexp(rough._log_below[-1], rough._log_above[-1])
        series = panels.series.copy()
        series[0] -= total
        return cls(Panels(panels.left, panels.right, series))

    @property
    def _points(self) -> Floats:
        """Log-odds at the points of the panels, shape (_N, n)."""
        return _spread(self.panels.left, self.panels.right)

    @property
    def edges(self) -> Floats:
        """Log-odds at which the panels begin and end, rising, shape (n_panels + 1,)."""
        return np.append(self.panels.left, self.panels.right[-1])

    def log_density(self, u: Floats) -> Floats:
        """Return the log density of the log-odds."""
        inside = self._interpolated(u, self.index(u), self.panels.values)
        return inside + sum(self._falls(u))

    def central_moment(self, order: int) -> float:
        """Return a central moment, by quadrature."""
        u, log_mass = self.panels.nodes
        mean, rest = self.mean_and_rest
        away = np.where(u < 0, expit(u) - mean, rest - expit(-u))
        low, high = self._masses_beyond
        return float(np.exp(log_mass) @ away**order + low * (-mean) ** order + high * rest**order)

    @cached_property
    def mean_and_rest(self) -> tuple[float, float]:
        """The mean, and its distance from 1."""
        u, log_mass = self.panels.nodes
        mass, (low, high) = np.exp(log_mass), self._masses_beyond
        return float(mass @ expit(u) + high), float(mass @ expit(-u) + low)

    @property
    def _masses_beyond(self) -> Interval:
        """Masses beyond the panels, which are next to the ends of (0, 1)."""
        return Interval(*map(float, np.exp([self._log_below[0], self._log_above[-1]])))

    @cached_property
    def all_panels(self) -> Panels:
        """The panels, and further ones in the tails, where the log density is straight.

        These may be steep: narrow distributions would need hundreds of thousands that are not.
        """
        panels, slopes = self.panels, self._slopes
        low, high = min(panels.left[0], -_LAST), max(panels.right[-1], _LAST)
        edges = np.concatenate(
            [
                _steps(panels.left[0], low, _FALL_BEYOND / slopes.low)[::-1],
                _steps(panels.right[-1], high, _FALL_BEYOND / slopes.high),
            ]
        )
        outer = edges[:-1] < edges[1:]
        outer &= (edges[:-1] >= panels.right[-1]) | (edges[1:] <= panels.left[0])
        left, right = edges[:-1][outer], edges[1:][outer]
        return panels.joined(Panels.of(self.log_density, left, right))

    @cached_property
    def end_powers(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Log of c and a of a density c x^(a - 1) at the lower end, and at the upper one."""
        slopes, edges = self._slopes, self.edges[[0, -1]]
        factors = self.panels.outer_heights + np.array([-1, 1]) * edges * np.array(slopes)
        return (float(factors[0]), slopes.low), (float(factors[1]), slopes.high)

    def logs_at(self, u: Floats) -> Logs:
        """Return the logs of the masses below and above some log-odds, and of the density."""
        lower = u < self._median
        smaller = np.minimum(self.log_tail(u, lower), np.log(0.5))
        larger = np.log1p(-np.exp(smaller))
        below, above = np.where(lower, smaller, larger), np.where(lower, larger, smaller)
        return below, above, self.log_density(u)

    def log_tail(self, u: Floats, lower: Bools) -> Floats:
        """Return the log of the mass below some log-odds, or of the one above them."""
        fall_below, fall_above = self._falls(u)
        u = np.clip(u, self.panels.left[0], self.panels.right[-1])
        log_tail, _ = self._tail_and_density(u, lower, self.index(u))
        return log_tail + np.where(lower, fall_below, fall_above)

    def _tail_and_density(self, u: Floats, lower: Bools, index: Indices) -> tuple[Floats, Floats]:
        """Return the log of a tail and the log density, at points of some panels."""
        left = np.where(lower, self.panels.left[index], u)
        right = np.where(lower, u, self.panels.right[index])
        # One row for each point, whose sum does not depend on the other rows.
        places = np.append(np.moveaxis(_spread(left, right), 0, -1), u[..., np.newaxis], axis=-1)
        values = self._interpolated(places, index[..., np.newaxis], self.panels.values)
        values = np.moveaxis(values, -1, 0)
        with np.errstate(divide="ignore"):
            inside = log_sum(values[:-1] + _LOG_WEIGHTS) + np.log(0.5 * (right - left))
        beyond = np.where(lower, self._log_below[index], self._log_above[index + 1])
        return np.logaddexp(beyond, inside), values[-1]

    def quantiles(self, log_p: Floats, log_q: Floats) -> Floats:
        """Return the log-odds with the mass exp(log_p) = 1 - exp(log_q) below them, shape (n,).

        Newton steps on the log of the smaller tail, within a panel.
        """
        lower = log_p <= log_q
        log_tail, sign = np.where(lower, log_p, log_q), np.where(lower, 1.0, -1.0)
        u = np.where(
            lower,
            np.interp(log_tail, self._log_below, self.edges),
            np.interp(log_tail, self._log_above[::-1], self.edges[::-1]),
        )
        edge = np.where(lower, self._log_below[0], self._log_above[-1])
        beyond = np.minimum(log_tail - edge, 0.0)
        slope = np.where(lower, self._slopes.low, self._slopes.high)
        index = self.index(np.clip(u, self.panels.left[0], self.panels.right[-1]))
        low, high = self.panels.left[index], self.panels.right[index]
        wanted = np.maximum(log_tail, edge)
        for _ in range(_MAX_STEPS):
            value, log_density = self._tail_and_density(u, lower, index)
            excess = value - wanted
            is_above = sign * excess > 0
            low, high = np.where(is_above, low, u), np.where(is_above, u, high)
            moved = u - sign * excess * np.exp(value - log_density)
            moved = np.where((low <= moved) & (moved <= high), moved, 0.5 * (low + high))
            settled = (np.abs(excess) < _CLOSE) | (high - low <= np.spacing(np.abs(u)))
            u = moved
            if settled.all():
                break
        return np.asarray(u + sign * beyond / slope)

    def shortest(self, level: float, stretch: Stretch) -> tuple[float, float] | None:
        """Return the ends u of the shortest interval of a variable x; None if it is not simple.

        It is where the density of x, g(u) du / dx, is above a limit. If that is one interval of the
        nodes, Newton's method for the mass outside and for equal densities at both ends starts
        there. If the nodes end with it, the interval has an end of the support, infinite here.
        """
        alpha = 1 - level
        u, mass = (values.T.ravel() for values in (self._points, np.exp(self.panels.log_weights)))
        height = self.panels.values.T.ravel() - stretch(u)[0]
        order = np.argsort(-height)
        reached = np.cumsum(mass[order]) >= level
        if not reached.any():
            # The interval ends beyond the panels.
            return None
        limit = height[order][np.argmax(reached)]
        inside = np.flatnonzero(height >= limit - _SAME_DENSITY)
        first, last = inside[[0, -1]]
        if inside.size < last - first + 1 or alpha < _LEAST_OUTSIDE:
            return None
        if first > 0 and last < u.size - 1:
            return self._balanced(u[[first, last]], alpha, stretch)
        within, outside = np.log([level]), np.log([alpha])
        if first > 0:
            return float(self.quantiles(outside, within)[0]), np.inf
        return -np.inf, float(self.quantiles(within, outside)[0])

    def _balanced(self, u: Floats, alpha: float, stretch: Stretch) -> tuple[float, float] | None:
        """Move both ends of an interval until a mass is outside, and densities are equal."""
        lower, previous = np.array([True, False]), np.inf
        for _ in range(_BALANCE_STEPS):
            log_density = self.log_density(u)
            log_stretch, bend = stretch(u)
            excess = np.exp(self.log_tail(u, lower)).sum() - alpha
            gap = float(np.diff(log_density - log_stretch)[0])
            rise, fall = self.slope(u) - bend
            f, g = np.exp(log_density)
            if not rise > 0 > fall:
                return None
            determinant = g * rise - f * fall
            step = np.array([excess * fall + g * gap, f * gap + excess * rise]) / determinant
            size = np.abs(step).max() / (u[1] - u[0])
            if not size < min(previous, 1.0):
                return None
            u, previous = u + step, size
            if size < _BALANCED:
                return float(u[0]), float(u[1])
        return None

    @cached_property
    def _median(self) -> float:
        half = np.full(1, np.log(0.5))
        return float(self.quantiles(half, half)[0])

    @cached_property
    def _slopes(self) -> Interval:
        """How steeply the log density falls beyond both ends of the panels."""
        low, high = self.panels.outer_slopes.tolist()
        return Interval(max(low, _LEAST_SLOPE), max(-high, _LEAST_SLOPE))

    def _falls(self, u: Floats) -> tuple[Floats, Floats]:
        """Fall of the log density beyond the panels below and above, zero elsewhere."""
        below = np.minimum(u - self.panels.left[0], 0.0)
        above = np.minimum(self.panels.right[-1] - u, 0.0)
        return self._slopes.low * below, self._slopes.high * above

    @cached_property
    def _log_below(self) -> Floats:
        """Log of the mass below each edge."""
        first = self.panels.outer_heights[0] - np.log(self._slopes.low)
        return np.logaddexp.accumulate(np.append(first, self.panels.log_masses))

    @cached_property
    def _log_above(self) -> Floats:
        """Log of the mass above each edge."""
        last = self.panels.outer_heights[1] - np.log(self._slopes.high)
        return np.logaddexp.accumulate(np.append(last, self.panels.log_masses[::-1]))[::-1]

    def index(self, u: Floats) -> Indices:
        """Panel of each point, the nearest one beyond them."""
        return np.clip(np.searchsorted(self.panels.left, u) - 1, 0, self.panels.left.size - 1)

    def slope(self, u: Floats) -> Floats:
        """Return the derivative of the log density between the ends of the panels."""
        index = self.index(u)
        scale = 2 / (self.panels.right - self.panels.left)[index]
        return scale * self._interpolated(u, index, _DERIVATIVE @ self.panels.values)

    def _interpolated(self, u: Floats, index: Indices, values: Floats) -> Floats:
        """Interpolate values at the points of panels at u, shape (..., n)."""
        left, right = self.panels.left[index], self.panels.right[index]
        z = np.clip((2 * u - left - right) / (right - left), -1.0, 1.0)
        known = values.T[np.broadcast_to(index, z.shape)].reshape(-1, _N)
        result = np.empty(z.size)
        for start in range(0, z.size, _BLOCK):
            block = slice(start, start + _BLOCK)
            away = z.ravel()[block, np.newaxis] - _NODES
            away[away == 0] = np.finfo(float).tiny
            weights = _BARYCENTRIC / away
            result[block] = np.einsum("ij,ij->i", weights, known[block]) / weights.sum(axis=1)
        return result.reshape(z.shape)

    def log_end_density(self, end: int) -> float:
        """Limit of the log density at an end of (0, 1), from its trend at the last points."""
        u = _spread(self.panels.left, self.panels.right)[:, end]
        values = self.panels.values[:, end] - log_expit(u) - log_expit(-u)
        trend = (values[-1] - values[0]) / np.ptp(u) * (1 if end else -1)
        if abs(trend) < 1e-6:
            return float(values[end])
        return np.inf if trend > 0 else -np.inf


class LogitTable(ContourDistribution):
    """The distribution of a variable whose place in its support has tabulated log-odds.

    Subclasses say what the table is, and the support if it is another than (0, 1).
    """

    @property
    @abstractmethod
    def _table(self) -> LogitDensity:
        """Density of the log-odds of the place in the support."""

    @property
    def _ends(self) -> Interval:
        """Both ends of the support."""
        return Interval(0.0, 1.0)

    @property
    def _width(self) -> float:
        return self._ends.high - self._ends.low

    def variance(self) -> float:
        """Return the variance, by quadrature."""
        return self._width**2 * self._table.central_moment(2)

    def skewness(self) -> float:
        """Return the skewness, the third standardised moment, by quadrature."""
        return float(self._table.central_moment(3) / self._table.central_moment(2) ** 1.5)

    def kurtosis(self) -> float:
        """Return the excess kurtosis, by quadrature; it is zero for a normal distribution."""
        return self._table.central_moment(4) / self._table.central_moment(2) ** 2 - 3.0

    @cached_property
    def _frame(self) -> Frame:
        (low, high), width = self._ends, self._width
        to_low, to_high = (width * part for part in self._table.mean_and_rest)
        mean = low + to_low if to_low < to_high else high - to_high
        return Frame(low, 0.0, high, 0.0, mean, 0.0, to_low, to_high)

    def _logs_at(self, u: Floats) -> Logs:
        """Return the logs of the masses below and above some log-odds, and of the density."""
        return self._table.logs_at(u)

    def _tails(self, points: Points) -> Tails:
        return self._tails_of(points, self._logs_at)

    def _tails_of(self, points: Points, logs_at: Callable[[Floats], Logs]) -> Tails:
        low, high = np.log(points.to_low / self._width), np.log(points.to_high / self._width)
        log_cdf, log_ccdf, log_density = logs_at(low - high)
        return Tails(log_cdf, log_ccdf, log_density - low - high - np.log(self._width))

    def _quantiles(self, log_p: Floats, log_q: Floats) -> Floats:
        """Return log-odds with the mass exp(log_p) = 1 - exp(log_q) below them."""
        return self._table.quantiles(log_p, log_q)

    def _inner_quantile(self, log_p: Floats, log_q: Floats, left_out: LeftOut) -> Floats:
        del left_out  # a table leaves nothing out
        return self._place(self._quantiles(log_p, log_q))

    def _place(self, u: Floats) -> Floats:
        """Return points of the support with some log-odds."""
        low, high = self._ends
        return np.where(u < 0, low + self._width * expit(u), high - self._width * expit(-u))

    def hdi(self, level: float = 0.95) -> Interval:
        found = self._table.shortest(check_level(level), _logit_stretch)
        if found is None:
            return super().hdi(level)
        return Interval(*map(float, self._place(np.array(found))))

    hdi.__doc__ = BoundedDistribution.hdi.__doc__

    def _centre(self, y: Floats) -> Values:
        points = self._frame.near_mean(y)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            u = np.log(points.to_low) - np.log(points.to_high)
            tails = self._tails_of(points, self._table.logs_at)
            slope = self._table.slope(u)
            density, tail = np.exp(tails.log_pdf), np.exp(tails.log_ccdf)
            lean = (points.to_high - points.to_low) / self._width
            steepness = self._width * (slope - lean) / (points.to_low * points.to_high)
            error = np.where(np.isfinite(u), EPS * tail, np.inf)
            return Values(tail, error, density, density * steepness)

    @cached_property
    def _log_end_densities(self) -> Interval:
        log_width = np.log(self._width)
        ends = (self._table.log_end_density(end) - log_width for end in (0, -1))
        return Interval(*map(float, ends))

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        return np.asarray(self.icdf(rng.random(shape)))


class LogitDistribution(LogitTable):
    """The distribution of an accuracy whose log-odds have a given density.

    The log density is replaced by polynomials on panels, which are halved until it is met. Tails
    are sums of positive terms, and so keep their relative accuracy, down to about 1e-25; beyond
    the panels the log density is continued in straight lines, that is by powers of x and 1 - x.

    Parameters
    ----------
    log_density : callable
        Log density of the log-odds, finite and smooth, up to a constant; shape (n,) to (n,).
    start, scale : float
        A point amid the distribution, and about its standard deviation, in log-odds.
    tolerance : float, default=1e-10
        Largest error of the log density that counts. It must not be less than that of the
        function, which cannot be resolved.
    """

    def __init__(
        self, log_density: LogDensity, start: float, scale: float, tolerance: float = 1e-10
    ) -> None:
        self._known = LogitDensity.of(log_density, start, scale, tolerance)

    @property
    def _table(self) -> LogitDensity:
        return self._known

    def __repr__(self) -> str:
        """Show the mean and the standard deviation."""
        return f"LogitDistribution(mean={self.mean():.4g}, sd={self.standard_deviation():.4g})"


def _logit_stretch(u: Floats) -> tuple[Floats, Floats]:
    """Log of dx / du for the log-odds u of x, and its derivative."""
    return log_expit(u) + log_expit(-u), expit(-u) - expit(u)


def _steps(start: float, end: float, most: float) -> Floats:
    """Return points from one to another at a distance of `most` at most."""
    return np.linspace(start, end, int(np.ceil(abs(end - start) / most)) + 1)


def _spread(left: Floats, right: Floats) -> Floats:
    """Points of the rule between each left and right, shape (_N, n)."""
    return 0.5 * (left + right) + 0.5 * np.multiply.outer(_NODES, right - left)


def _cover(log_density: LogDensity, start: float, scale: float) -> Panels:
    """Panels that double their distance from the start, until nothing is left outside."""
    panels = Panels.of(
        log_density, start + scale * np.array([-1, 0]), start + scale * np.array([0, 1])
    )
    for side in (-1, 1):
        for k in range(_MAX_DOUBLINGS):
            near, far = start + side * scale * 2.0**k, start + side * scale * 2.0 ** (k + 1)
            new = Panels.of(log_density, np.array([min(near, far)]), np.array([max(near, far)]))
            panels = panels.joined(new)
            if new.is_negligible(float(panels.log_masses.max())).all():
                break
    return panels


def _continued(log_density: LogDensity, panels: Panels, depth: float, most: float) -> Panels:
    """Add panels, each as wide as all before, until nothing is left outside or beyond `most`."""
    while True:
        first, last = panels.left[0], panels.right[-1]
        left = np.array([max(2 * first - last, -most), last])
        right = np.array([first, min(2 * last - first, most)])
        top = float(panels.log_masses.max())
        wanted = ~panels[np.array([0, -1])].ends_negligible(top, depth) & (left < right)
        if not wanted.any():
            return panels
        panels = panels.joined(Panels.of(log_density, left[wanted], right[wanted]))


def _resolve(
    log_density: LogDensity,
    panels: Panels,
    tolerance: float,
    depth: float = DEPTH,
    far: float = _FAR_TOLERANCE,
) -> Panels:
    """Halve the panels until each is resolved, or is negligible; the outer ones of these go."""
    for _ in range(_MAX_ROUNDS):
        top = float(panels.log_masses.max())
        done = panels.is_resolved(top, tolerance, far) | panels.is_negligible(top, depth)
        done |= panels.right - panels.left < _NARROWEST
        if done.all() or panels.left.size > _MOST_PANELS:
            break
        rough = panels[~done]
        middle = 0.5 * (rough.left + rough.right)
        left, right = np.append(rough.left, middle), np.append(middle, rough.right)
        panels = panels[done].joined(Panels.of(log_density, left, right))
    kept = np.flatnonzero(~panels.is_negligible(float(panels.log_masses.max()), depth))
    return panels[np.arange(kept[0], kept[-1] + 1)]
