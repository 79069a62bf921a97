"""Distributions given by an unnormalised density of their log-odds.

If u = log(x / (1 - x)) has the density g(u), then x has the density g(u) / (x (1 - x)).
log g is a Legendre series of 16 terms on each of several adjacent panels, which are
halved until the last terms are below the tolerance. A panel has the mass

    integral of exp(log g(u)) du,

by a Gauss-Legendre rule of 16 points; the sum of all masses normalises g. A tail is the
sum of the masses beyond a point, all positive. Beyond the panels, where the density is
below exp(-40) of its maximum, log g is extrapolated linearly, that is, g as a power of
x or of 1 - x. Probabilities have errors of about 1e-13, and log densities the errors
that are requested.
"""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np
from numpy.polynomial.legendre import legder, leggauss, legval, legvander
from numpy.typing import ArrayLike
from scipy.special import binom, expit, log_expit

from skpostbac._utils import Bools, Floats, StablePickle
from skpostbac.stats._centred import Centred, Evaluator, power_limits
from skpostbac.stats._distribution import BoundedDistribution, Interval
from skpostbac.stats._numerics import Frame, barycentric, log_sum, places_in_panels

# Log density of the log-odds at some points, shape (n,), up to a constant.
LogDensity = Callable[[Floats], Floats]

# Number of points of a panel. The rule is exact up to degree 31.
_N = 16
PANEL_NODES, PANEL_WEIGHTS = leggauss(_N)
_TO_COEFFICIENTS = np.linalg.inv(legvander(PANEL_NODES, _N - 1))
# Matrices from the values at the nodes to the derivatives there, and to the values and
# the derivatives at both ends of a panel.
_TO_DERIVATIVES = legval(PANEL_NODES, legder(_TO_COEFFICIENTS)).T
_TO_ENDS = [
    legval(np.array([-1.0, 1.0]), legder(_TO_COEFFICIENTS, m)).T for m in (0, 1)
]
# Matrix from Legendre coefficients to those of powers of the distance from the left
# end, in widths of a panel, the highest first. The sizes of its terms reach 1e11, but
# the coefficients of a resolved density fall faster than they rise.
_DEGREES = np.arange(_N)
_POWERS = _DEGREES[::-1, np.newaxis]
_TO_POWERS = (
    (-1.0) ** (_DEGREES + _POWERS)
    * binom(_DEGREES, _POWERS)
    * binom(_DEGREES + _POWERS, _POWERS)
)
# Barycentric weights of Gauss-Legendre nodes (Wang, Huybrechs and Vandewalle,
# Mathematics of Computation 83, 2014).
_SIGNS = np.where(np.arange(_N) % 2, -1.0, 1.0)
_lagrange = partial(
    barycentric, PANEL_NODES, _SIGNS * np.sqrt((1 - PANEL_NODES**2) * PANEL_WEIGHTS)
)
# Panels end where both the density and its mass are below exp(-_LOG_CUTOFF) of their
# maxima.
_LOG_CUTOFF = 40.0
_UNIT = Interval(0.0, 1.0)
# Slopes of log densities are accurate to about this.
_SLOPE_ERROR = 1e-6


@dataclass(frozen=True, eq=False)
class Table(StablePickle):
    """A density of log-odds on panels.

    Attributes
    ----------
    edges : array of shape (n + 1,)
        Ends of the adjacent panels, increasing.
    logs : array of shape (16, n)
        Log densities at the Gauss-Legendre nodes of each panel.
    kinks : array
        Log-odds at which the density may have a kink or a pole.
    """

    edges: Floats
    logs: Floats
    kinks: Floats = field(default_factory=lambda: np.empty(0))

    @classmethod
    def of(
        cls,
        log_density: LogDensity,
        start: float,
        scale: float,
        tolerance: float,
        *,
        kinks: ArrayLike = (),
        noise: float = 0.0,
    ) -> "Table":
        """Tabulate a log density, starting with panels of a width of `scale`.

        Errors are at most `tolerance`, or larger where the mass is negligible. Panels
        end at kinks. The density itself has errors of `noise` times its maximum.
        """
        places = start + scale * np.array([-2.0, -1.0, 0.0, 1.0, 2.0])
        edges = np.unique(np.append(places, kinks))
        # On a panel where a log density varies by 30 the rule has 12 correct digits.
        # Noise is amplified by the largest density of a panel, which thus varies less.
        variation = 30.0
        reach = _LOG_CUTOFF
        if noise != 0:
            variation = 4.0
            reach = 30.0

        edges, logs = _widened(log_density, edges, reach)
        n_rounds = 0
        while True:
            widths = np.diff(edges)
            log_mass = log_sum(logs + np.log(np.outer(PANEL_WEIGHTS, 0.5 * widths)))
            is_negligible = (
                np.maximum(logs.max(axis=0), log_mass) < log_mass.max() - reach
            )

            # An error of 1e-14 of the largest mass is accepted.
            share = np.exp(np.maximum(log_mass - log_mass.max(), -_LOG_CUTOFF))
            limit = np.clip(1e-14 / share, tolerance, max(1e-9, tolerance))
            depth = np.minimum(logs.max() - logs.min(axis=0), 60.0)
            limit = np.maximum(limit, noise * np.exp(depth))
            # Rounding shifts a point by a fraction of the panel, and changes the log
            # density by about as much.
            rounding = np.spacing(np.maximum(np.abs(edges[:-1]), np.abs(edges[1:])))
            limit = np.maximum(limit, 2 * rounding / widths)

            last_terms = np.abs(_TO_COEFFICIENTS[-2:] @ logs).max(axis=0)
            is_done = (last_terms < limit) & (np.ptp(logs, axis=0) < variation)
            # Narrower panels cannot be halved because of rounding.
            is_done |= is_negligible | (widths < 1e-12)
            # With so many panels the log density must be noisy.
            if is_done.all() or widths.size > 1000 or n_rounds == 50:
                break
            n_rounds += 1

            tabulated = partial(_tabulated, log_density)
            edges, logs = _with_halves(edges, logs, ~is_done, tabulated)

        first_panel, last_panel = np.flatnonzero(~is_negligible)[[0, -1]]
        kept = logs[:, first_panel : last_panel + 1] - log_mass.max()
        table = cls(edges[first_panel : last_panel + 2], kept, np.ravel(kinks))
        total = table._tails[0][-1] + table._beyond[1]
        return replace(table, logs=kept - np.log(total))

    @cached_property
    def _masses(self) -> Floats:
        """Masses at the nodes of the panels, shape (16, n)."""
        weights = np.outer(PANEL_WEIGHTS, 0.5 * np.diff(self.edges))
        return np.exp(self.logs) * weights

    @cached_property
    def points(self) -> Floats:
        """Log-odds at the nodes of the panels, shape (16 n,)."""
        return _panel_points(self.edges[:-1], self.edges[1:]).ravel()

    @cached_property
    def nodes(self) -> tuple[Floats, Floats]:
        """Log-odds and masses of a discrete approximation to the distribution."""
        beyond = self.edges[[0, -1]] + np.array([-1.0, 1.0]) / self.outer[1]
        return np.append(self.points, beyond), np.append(self._masses, self._beyond)

    def masses(self, edges: Floats) -> tuple[Floats, Floats]:
        """Return log-odds and masses of nodes on other panels, and beyond the table."""
        points = _panel_points(edges[:-1], edges[1:])
        weights = np.outer(PANEL_WEIGHTS, 0.5 * np.diff(edges))
        masses = np.exp(self.log_density(points)) * weights
        u, mass = self.nodes
        return np.append(points, u[-2:]), np.append(masses, mass[-2:])

    @cached_property
    def outer(self) -> tuple[Floats, Floats]:
        """Log densities at the outer edges and rates of decay beyond, shape (2,)."""
        log_densities, slopes = (
            (to_ends * self.logs.T[[0, -1]]).sum(axis=1) for to_ends in _TO_ENDS
        )
        rates = np.array([2.0, -2.0]) * slopes / np.diff(self.edges)[[0, -1]]
        return log_densities, np.maximum(rates, 1e-7)

    @property
    def _beyond(self) -> Floats:
        """Masses beyond both outer edges."""
        return np.exp(self.outer[0]) / self.outer[1]

    @cached_property
    def _tails(self) -> tuple[Floats, Floats]:
        """Masses below and above the edges."""
        masses = self._masses.sum(axis=0)
        first, last = self._beyond
        above = np.cumsum(np.append(last, masses[::-1]))[::-1]
        return np.cumsum(np.append(first, masses)), above

    @property
    def end_powers(self) -> tuple[Floats, Floats]:
        """Values of log c and a for densities c x^(a - 1) at both ends, shape (2,)."""
        logs, rates = self.outer
        return logs + rates * np.array([-1.0, 1.0]) * self.edges[[0, -1]], rates

    @cached_property
    def mean_and_rest(self) -> tuple[float, float]:
        """Means of the share x and of 1 - x."""
        u, mass = self.nodes
        return float(mass @ expit(u)), float(mass @ expit(-u))

    @cached_property
    def cumulants(self) -> Floats:
        """Second to fourth cumulant of the share x."""
        u, mass = self.nodes
        mean, mean_rest = self.mean_and_rest
        deviation = np.where(u < 0, expit(u) - mean, mean_rest - expit(-u))
        second, third, fourth = (mass @ deviation**k for k in (2, 3, 4))
        return np.array([second, third, fourth - 3 * second**2])

    @property
    def end_densities(self) -> Floats:
        """Limits of the density of the share x at 0 and 1, where it is a power."""
        log_factors, rates = self.end_powers
        # If the density of log-odds decays like exp(u), that of x has a finite limit.
        return power_limits(rates, log_factors, _SLOPE_ERROR)

    @cached_property
    def _derivatives(self) -> Floats:
        """Log density and its first two derivatives at the nodes, shape (n, 16, 3)."""
        scale = 2 / np.diff(self.edges)
        first = _TO_DERIVATIVES @ self.logs
        table = [self.logs, scale * first, scale**2 * (_TO_DERIVATIVES @ first)]
        return np.ascontiguousarray(np.transpose(table))

    @cached_property
    def _polynomials(self) -> Callable[[Floats], Floats]:
        """The log density in powers of the distance from the left end of a panel."""
        from scipy.interpolate import PPoly  # slow to import, with scipy.optimize

        coefficients = _TO_POWERS @ (_TO_COEFFICIENTS @ self.logs)
        polynomials: Callable[[Floats], Floats] = PPoly(
            coefficients / np.diff(self.edges) ** _POWERS, self.edges
        )
        return polynomials

    def log_density(self, u: Floats) -> Floats:
        """Return the log density at log-odds of any shape."""
        low, high = self.edges[[0, -1]]
        beyond = np.minimum([u - low, high - u], 0.0)
        inside = self._polynomials(np.clip(u, low, high))
        return np.asarray(inside + np.tensordot(self.outer[1], beyond, 1))

    def values(self, u: Floats) -> Floats:
        """Return both tails, the log density and its two derivatives, shape (5, n)."""
        index, t = places_in_panels(self.edges[:-1], self.edges[1:], u)
        # The mass of the panel to the left of a point, by a rule on that part alone.
        inner = _lagrange(0.5 * ((t - 1) + np.multiply.outer(PANEL_NODES, t + 1)))
        density = np.exp(np.einsum("kni,ni->kn", inner, self.logs.T[index]))
        mass = self._masses.sum(axis=0)[index]
        part = 0.25 * (t + 1) * np.diff(self.edges)[index] * (PANEL_WEIGHTS @ density)
        part = np.minimum(part, mass)

        below = self._tails[0][index] + part
        above = self._tails[1][index + 1] + (mass - part)
        logs = np.einsum("ni,nid->dn", _lagrange(t), self._derivatives[index])
        values = np.stack([below, above, *logs])

        for end, sign, outside in (
            (0, 1, u < self.edges[0]),
            (1, -1, u > self.edges[-1]),
        ):
            if outside.any():
                rate = self.outer[1][end]
                distance = sign * (u[outside] - self.edges[-end])
                log_density = self.outer[0][end] + rate * distance
                tail = np.exp(log_density) / rate
                slope = np.full_like(tail, sign * rate)
                tails = (tail, 1 - tail)[::sign]
                values[:, outside] = [*tails, log_density, slope, np.zeros_like(tail)]

        # Sums of rounded masses may exceed one.
        np.minimum(values[:2], 1.0, out=values[:2])
        return values

    def quantiles(self, p: Floats, q: Floats) -> Floats:
        """Return the log-odds with the mass p = 1 - q below them, shape (n,).

        All p and q must be positive.
        """
        is_lower = p < q
        target = np.minimum(p, q)
        below, above = self._tails
        below_index = np.searchsorted(below, target)
        above_index = above.size - np.searchsorted(above[::-1], target)
        panel = np.where(is_lower, below_index, above_index)
        bounds = np.concatenate([[-np.inf], self.edges, [np.inf]])
        low = bounds[panel]
        high = bounds[panel + 1]

        # Log tails are nearly linear in the log-odds, and exactly so beyond the panels.
        with np.errstate(divide="ignore"):
            from_below = np.interp(np.log(target), np.log(below), self.edges)
            from_above = np.interp(-np.log(target), -np.log(above), self.edges)
        u = newton = np.where(is_lower, from_below, from_above)

        sign = np.where(is_lower, 1.0, -1.0)
        for _ in range(60):
            below, above, log_density = self.values(u)[:3]
            tail = np.where(is_lower, below, above)
            with np.errstate(all="ignore"):
                excess = sign * np.log(tail / target)
                newton = u - excess * tail / np.exp(log_density)
            # The error after a Newton step is about the square of the excess before.
            if (np.abs(excess) < 1e-7).all():
                break

            low = np.where(excess < 0, u, low)
            high = np.where(excess > 0, u, high)
            is_inside = (low <= newton) & (newton <= high)
            u = np.where(is_inside, newton, 0.5 * (low + high))
        return np.where(np.isfinite(newton), newton, u)

    def has_one_peak(self, jacobian_slopes: Floats) -> bool:
        """Return whether the density of a function of the log-odds has a single peak.

        `jacobian_slopes` are the slopes of the log of its derivative at the nodes.
        """
        changes = jacobian_slopes.reshape(_N, -1)
        slopes = (self._derivatives[..., 1].T - changes).T.ravel()
        signs = np.sign(slopes[np.abs(slopes) > _SLOPE_ERROR])
        return bool((np.diff(signs) <= 0).all())


@dataclass(frozen=True, kw_only=True)
class CentredShare(Centred):
    """A variable in an interval with tabulated log-odds, at distances from its mean.

    Attributes
    ----------
    table : Table
        Distribution of the log-odds of the position in the interval.
    """

    table: Table
    least: float = 1e-290

    @property
    def critical_points(self) -> Floats:
        shares = expit(self.table.kinks)
        return np.asarray((self.low + (self.high - self.low) * shares)[np.newaxis])

    def evaluator(self, n_derivatives: int) -> Evaluator:
        def evaluate(y: Floats) -> Floats:
            with np.errstate(all="ignore"):
                u = np.log(y[0] - self.low) - np.log(self.high - y[0])
                below, above, log_density, slope, curvature = self.table.values(u)
                excess = np.where(below < above, below - 0.5, 0.5 - above)

                # The log of dy / du and its first two derivatives by u
                log_jacobian = self._log_jacobian(u)
                share = expit(u)
                jacobian_slope = 1 - 2 * share
                jacobian_curvature = -2 * share * (1 - share)

                density = np.exp(log_density - log_jacobian)
                inverse = np.exp(-log_jacobian)
                rate = slope - jacobian_slope
                bend = rate * (rate - jacobian_slope) + curvature - jacobian_curvature
                first = density * rate * inverse
                second = density * bend * inverse**2
                values = np.stack([excess, density, first, second])
            return values[: n_derivatives + 1, np.newaxis]

        return evaluate

    def _log_jacobian(self, u: Floats) -> Floats:
        return log_expit(u) + log_expit(-u) + np.log(self.high - self.low)

    def tails(self, y: Floats, to_low: Floats, to_high: Floats) -> Floats:

        with np.errstate(all="ignore"):
            u = np.log(to_low[0]) - np.log(to_high[0])
            below, above, log_density = self.table.values(np.nan_to_num(u))[:3]
            density = np.exp(log_density - self._log_jacobian(u))
            return np.stack([below, above, density])[:, np.newaxis]

    def quantiles_from_ends(self, p: Floats, q: Floats) -> tuple[Floats, Floats]:
        width = float((self.high - self.low)[0])
        u = self.table.quantiles(p[0], q[0])
        return width * expit(u)[np.newaxis], width * expit(-u)[np.newaxis]

    def known_quantiles(self, p: Floats, q: Floats) -> Floats:
        # The range is the support.
        to_low, to_high = self.quantiles_from_ends(p, q)
        low, high = self.bounds
        return np.asarray(np.where(to_low < to_high, low + to_low, high - to_high))


class TabulatedDistribution(BoundedDistribution):
    """Base class of distributions on an interval with tabulated log-odds."""

    @property
    @abstractmethod
    def _table(self) -> Table:
        """Distribution of the log-odds of the position in the support."""

    # Both ends of the support.
    _ends = _UNIT

    @cached_property
    def _frame(self) -> Frame:
        low, high = self._ends
        mean_share, mean_rest = self._table.mean_and_rest
        to_low = (high - low) * mean_share
        to_high = (high - low) * mean_rest
        mean = low + to_low if to_low < to_high else high - to_high
        return Frame(low, high, mean, 0.0, to_low, to_high)

    @cached_property
    def _centred(self) -> CentredShare:
        frame = self._frame
        low, high = self._ends
        return CentredShare(
            table=self._table,
            low=np.array([-frame.mean_to_low]),
            high=np.array([frame.mean_to_high]),
            deviation=np.array([self.standard_deviation()]),
            end_densities=self._table.end_densities[:, np.newaxis] / (high - low),
            has_one_peak=self._table.has_one_peak(1 - 2 * expit(self._table.points)),
        )

    @property
    def _cumulants(self) -> Floats:
        low, high = self._ends
        return (high - low) ** np.arange(2.0, 5.0) * self._table.cumulants


class LogitDistribution(TabulatedDistribution):
    """Distribution of a variable whose log-odds have a given density.

    Parameters
    ----------
    log_density : callable
        Log density of the log-odds, up to a constant: finite and smooth. It maps arrays
        of shape (n,) to arrays of shape (n,).
    start, scale : float
        Approximate mean and standard deviation of the log-odds.
    tolerance : float, default=1e-10
        Accepted error of the tabulated log density. It must not be less than the errors
        of `log_density` itself.
    kinks : array-like, default=()
        Log-odds at which the density may have a kink or a pole.
    noise : float, default=0
        Error of the density, relative to its largest value.
    support : Interval, default=(0, 1)
        Both ends of the support.
    """

    def __init__(
        self,
        log_density: LogDensity,
        start: float,
        scale: float,
        tolerance: float = 1e-10,
        *,
        kinks: ArrayLike = (),
        noise: float = 0.0,
        support: Interval = _UNIT,
    ) -> None:
        self._ends = support
        self._tabulated = Table.of(
            log_density, start, scale, tolerance, kinks=kinks, noise=noise
        )

    @property
    def _table(self) -> Table:
        return self._tabulated


def _widened(
    log_density: LogDensity, edges: Floats, reach: float
) -> tuple[Floats, Floats]:
    """Add panels on both sides until the log density has fallen by `reach` there.

    Each is as wide as all before it. Returns the edges, and the log densities at the
    nodes of the panels.
    """
    logs = _tabulated(log_density, edges[:-1], edges[1:])
    to_left, to_right = _TO_ENDS[0]
    for _ in range(100):
        ends = np.array([to_left @ logs[:, 0], to_right @ logs[:, -1]])
        is_open = ends > logs.max() - reach
        if not is_open.any():
            break
        width = edges[-1] - edges[0]
        left = np.array([edges[0] - width, edges[-1]])[is_open]
        right = np.array([edges[0], edges[-1] + width])[is_open]
        starts = np.append(edges[:-1], left)
        new_logs = _tabulated(log_density, left, right)
        logs = np.hstack([logs, new_logs])[:, np.argsort(starts)]
        edges = np.unique(np.concatenate([edges, left, right]))
    return edges, logs


def _with_halves(
    edges: Floats, logs: Floats, which: Bools, evaluate: Callable[..., Floats]
) -> tuple[Floats, Floats]:
    """Halve some panels; return all edges and the log densities at all nodes.

    Those of the halves are a function of their left and right ends.
    """
    left = edges[:-1][which]
    right = edges[1:][which]
    middle = 0.5 * (left + right)
    halves = evaluate(np.append(left, middle), np.append(middle, right))
    starts = np.concatenate([edges[:-1][~which], left, middle])
    logs = np.hstack([logs[:, ~which], halves])[:, np.argsort(starts)]
    return np.sort(np.append(edges, middle)), logs


def _tabulated(log_density: LogDensity, left: Floats, right: Floats) -> Floats:
    """Return log densities at the nodes of panels; -inf becomes a finite value."""
    values = log_density(_panel_points(left, right).ravel()).reshape(_N, left.size)
    return np.asarray(np.maximum(values, np.maximum(values.max(axis=0), -1e300) - 1e4))


def _panel_points(left: Floats, right: Floats) -> Floats:
    """Return the Gauss-Legendre nodes of panels, shape (16, n)."""
    return 0.5 * (left + right) + 0.5 * np.multiply.outer(PANEL_NODES, right - left)
