"""Distributions that are given by the density of log-odds, known up to a factor.

For u = log(x / (1 - x)) with the density g(u) the density of x is g(u) / (x (1 - x)). The log of g
is a Legendre series of 16 terms on each of a row of panels, which are halved until the last terms
are below the tolerance. A panel has the mass

    integral of exp(log g(u)) du,

by a Gauss-Legendre rule of 16 points; the factor that is not known is the sum of all masses. A tail
is the sum of the masses beyond, all positive. Beyond the panels, where the density is below
exp(-40) of its largest value, log g continues in a straight line, that is, g as a power of x or of
1 - x. Probabilities have errors of about 1e-13, and log densities those that are asked for.
"""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
from numpy.polynomial.legendre import legder, leggauss, legval, legvander
from scipy.special import expit, log_expit

from skpostbac._utils import Bools, Floats, StablePickle
from skpostbac.stats._distribution import BoundedDistribution, Interval
from skpostbac.stats._fourier import Centred, Evaluator
from skpostbac.stats._numerics import Frame, barycentric, log_sum, places_in_panels

# Log density of the log-odds at some points, shape (n,), up to a constant.
LogDensity = Callable[[Floats], Floats]

# Points of a panel. The rule is exact up to degree 31.
_N = 16
_NODES, _WEIGHTS = leggauss(_N)
_TO_SERIES = np.linalg.inv(legvander(_NODES, _N - 1))
# The first two derivatives at these points from the values there, and both at the ends.
_SLOPES = legval(_NODES, legder(_TO_SERIES)).T
_AT_ENDS = [legval(np.array([-1.0, 1.0]), legder(_TO_SERIES, m)).T for m in (0, 1)]
# Weights with which a polynomial is interpolated between these points (Wang, Huybrechs and
# Vandewalle, Mathematics of Computation 83, 2014).
_SIGNS = np.where(np.arange(_N) % 2, -1.0, 1.0)
_interpolating = partial(barycentric, _NODES, _SIGNS * np.sqrt((1 - _NODES**2) * _WEIGHTS))
# Panels end where the density is below exp(-DEPTH) of its largest value, and its mass as well; but
# not beyond this, the log-odds of the smallest doubles, unless a variable reaches farther.
DEPTH, LAST = 40.0, 700.0
# Error of the power with which a density falls towards an end.
_FLAT = 1e-6


@dataclass(frozen=True, eq=False)
class Table(StablePickle):
    """A density of log-odds on panels.

    Attributes
    ----------
    edges : ends of the adjacent panels, rising, shape (n + 1,).
    logs : log densities at the points of a Gauss-Legendre rule on each panel, shape (16, n).
    """

    edges: Floats
    logs: Floats

    @classmethod
    def of(
        cls,
        log_density: LogDensity,
        edges: Floats,
        tolerance: float,
        *,
        noise: float = 0.0,
        last: float = LAST,
    ) -> "Table":
        """Tabulate a log density on panels between given edges, and beyond them.

        Its error is `tolerance`, or more where the mass is too small to count. The density itself
        is known to `noise` times its largest value. Panels end at the log-odds `last` at most.
        """
        # The rule integrates a log density that falls by 30 on a panel to 12 digits. Noise spreads
        # over a panel.
        fall, rounds, reach = (30.0, 50, DEPTH) if noise == 0 else (4.0, 4, 30.0)
        left, right, logs = edges[:-1], edges[1:], _logs(log_density, edges[:-1], edges[1:])
        for _ in range(100):
            # Panels as wide as all before, until nothing is left outside.
            ends = np.array([_AT_ENDS[0][0] @ logs[:, 0], _AT_ENDS[0][1] @ logs[:, -1]])
            first, width = left[0], right[-1] - left[0]
            more = np.array([[max(first - width, -last), first], [right[-1], 0.0]])
            more[1, 1] = min(right[-1] + width, last)
            is_open = (ends > logs.max() - reach) & (more[:, 0] < more[:, 1])
            if not is_open.any():
                break
            (before, after), found = is_open.astype(int), _logs(log_density, *more[is_open].T)
            left = np.concatenate([more[:before, 0], left, more[2 - after :, 0]])
            right = np.concatenate([more[:before, 1], right, more[2 - after :, 1]])
            logs = np.hstack([found[:, :before], logs, found[:, before:]])
        i = 0
        while True:
            log_mass = log_sum(logs + np.log(np.outer(_WEIGHTS, 0.5 * (right - left))))
            share = np.exp(np.maximum(log_mass - log_mass.max(), -DEPTH))
            # An error of 1e-14 of a mass does not count.
            limit = np.clip(1e-14 / share, tolerance, max(1e-9, tolerance))
            depth = np.minimum(logs.max() - logs.min(axis=0), 60.0)
            limit = np.maximum(limit, noise * np.exp(depth))
            # Rounding moves a place by a share of the panel, and the log density by some of that.
            rounding = np.spacing(np.maximum(np.abs(left), np.abs(right)))
            limit = np.maximum(limit, 2 * rounding / (right - left))
            last_terms = np.abs(_TO_SERIES[-2:] @ logs).max(axis=0)
            is_done = (last_terms < limit) & (np.ptp(logs, axis=0) < fall)
            is_nothing = np.maximum(logs.max(axis=0), log_mass) < log_mass.max() - reach
            # Rounding does not let narrower panels be cut, and what is left by many is noise.
            is_done |= is_nothing | (right - left < 1e-12)
            if is_done.all() or left.size > 1000 or i == rounds:
                break
            i += 1
            middle = 0.5 * (left + right)[~is_done]
            new = np.append(left[~is_done], middle), np.append(middle, right[~is_done])
            logs = np.hstack([logs[:, is_done], _logs(log_density, *new)])
            left, right = np.append(left[is_done], new[0]), np.append(right[is_done], new[1])
            order = np.argsort(left)
            left, right, logs = left[order], right[order], logs[:, order]
        kept = np.flatnonzero(~is_nothing)
        part = slice(kept[0], kept[-1] + 1)
        rough = cls(np.append(left[part], right[kept[-1]]), logs[:, part] - log_mass.max())
        return cls(rough.edges, rough.logs - np.log(rough._tails[0][-1] + rough._beyond[1]))

    def halved(self, which: Bools) -> "Table":
        """Cut some of the panels in halves, which keep to the same polynomials."""
        rest = np.flatnonzero(~which)
        halves = [_interpolating(0.5 * (_NODES + side)) @ self.logs[:, which] for side in (-1, 1)]
        middle = (0.5 * (self.edges[1:] + self.edges[:-1]))[which]
        logs = np.hstack([self.logs[:, rest], *halves])
        order = np.argsort(np.concatenate([self.edges[rest], self.edges[:-1][which], middle]))
        return Table(np.sort(np.append(self.edges, middle)), logs[:, order])

    @cached_property
    def _masses(self) -> Floats:
        """Masses at the nodes of the panels, shape (16, n)."""
        weights = np.outer(_WEIGHTS, 0.5 * np.diff(self.edges))
        return np.asarray(np.exp(self.logs) * weights)

    @cached_property
    def points(self) -> Floats:
        """Log-odds at the points of the panels, shape (16 n,)."""
        return _spread(self.edges[:-1], self.edges[1:]).ravel()

    @cached_property
    def nodes(self) -> tuple[Floats, Floats]:
        """Log-odds and masses that stand for the distribution."""
        beyond = self.edges[[0, -1]] + np.array([-1.0, 1.0]) / self.outer[1]
        return np.append(self.points, beyond), np.append(self._masses, self._beyond)

    @cached_property
    def outer(self) -> tuple[Floats, Floats]:
        """Log densities at the outer edges, and how fast they fall beyond, shape (2,) each."""
        heights, slopes = ((at_ends * self.logs.T[[0, -1]]).sum(axis=1) for at_ends in _AT_ENDS)
        falls = np.array([2.0, -2.0]) * slopes / np.diff(self.edges)[[0, -1]]
        return heights, np.maximum(falls, 1e-7)

    @property
    def _beyond(self) -> Floats:
        """Masses beyond both outer edges."""
        return np.asarray(np.exp(self.outer[0]) / self.outer[1])

    @cached_property
    def _tails(self) -> tuple[Floats, Floats]:
        """Masses below and above the edges."""
        of_panels, (first, last) = self._masses.sum(axis=0), self._beyond
        above = np.cumsum(np.append(last, of_panels[::-1]))[::-1]
        return np.cumsum(np.append(first, of_panels)), above

    @property
    def end_powers(self) -> tuple[Floats, Floats]:
        """Log of c and a of densities c x^(a - 1) at the lower end, and at the upper one."""
        heights, falls = self.outer
        return heights + falls * np.array([-1.0, 1.0]) * self.edges[[0, -1]], falls

    @cached_property
    def mean_and_rest(self) -> tuple[float, float]:
        """The mean of the place in (0, 1), and its distance from 1."""
        u, mass = self.nodes
        return float(mass @ expit(u)), float(mass @ expit(-u))

    @cached_property
    def cumulants(self) -> Floats:
        """Second to fourth cumulant of the place in (0, 1)."""
        (u, mass), (mean, rest) = self.nodes, self.mean_and_rest
        away = np.where(u < 0, expit(u) - mean, rest - expit(-u))
        second, third, fourth = (mass @ away**k for k in (2, 3, 4))
        return np.array([second, third, fourth - 3 * second**2])

    @property
    def end_densities(self) -> Floats:
        """Limits at both ends of the density of the place in (0, 1), whose ends are powers."""
        log_factors, falls = self.end_powers
        # A density of log-odds like exp(u) is flat beside the lower end.
        is_flat = np.abs(falls - 1) < _FLAT
        log_flat = np.where(is_flat, log_factors, 0.0)
        return np.where(is_flat, np.exp(log_flat), np.where(falls < 1, np.inf, 0.0))

    @cached_property
    def _at_nodes(self) -> Floats:
        """Log density and its first two derivatives at the nodes, shape (n, 16, 3)."""
        scale, slopes = 2 / np.diff(self.edges), _SLOPES @ self.logs
        table = [self.logs, scale * slopes, scale**2 * (_SLOPES @ slopes)]
        return np.ascontiguousarray(np.transpose(table))

    def log_density(self, u: Floats) -> Floats:
        """Return the log density at log-odds of any shape."""
        found, flat, block = np.empty(u.size), u.ravel(), 2**13
        for start in range(0, u.size, block):
            part = flat[start : start + block]
            index, t = places_in_panels(self.edges[:-1], self.edges[1:], part)
            beyond = np.minimum([part - self.edges[0], self.edges[-1] - part], 0.0)
            inside = np.einsum("ni,ni->n", _interpolating(t), self.logs.T[index])
            found[start : start + block] = inside + self.outer[1] @ beyond
        return found.reshape(u.shape)

    def values(self, u: Floats) -> Floats:
        """Return both tails, the log density, its slope and bend at points, shape (5, n)."""
        index, t = places_in_panels(self.edges[:-1], self.edges[1:], u)
        # The mass of the panel below a point, by a rule on that part alone.
        inner = _interpolating(0.5 * ((t - 1) + np.multiply.outer(_NODES, t + 1)))
        density = np.exp(np.einsum("kni,ni->kn", inner, self.logs.T[index]))
        mass = self._masses.sum(axis=0)[index]
        part = 0.25 * (t + 1) * np.diff(self.edges)[index] * (_WEIGHTS @ density)
        part = np.minimum(part, mass)
        below, above = self._tails[0][index] + part, self._tails[1][index + 1] + (mass - part)
        logs = np.einsum("ni,nid->dn", _interpolating(t), self._at_nodes[index])
        found = np.stack([below, above, *logs])
        for end, sign, outside in ((0, 1, u < self.edges[0]), (1, -1, u > self.edges[-1])):
            if outside.any():
                log_density, slope = self.outer[0][end], self.outer[1][end]
                fall = slope * sign * (u[outside] - self.edges[-end])
                tail = np.exp(log_density + fall) / slope
                rest = np.full_like(fall, sign * slope), np.zeros_like(fall)
                tails = (tail, 1 - tail)[::sign]
                found[:, outside] = np.stack([*tails, log_density + fall, *rest])
        np.minimum(found[:2], 1.0, out=found[:2])  # sums of rounded masses
        return found

    def quantiles(self, p: Floats, q: Floats) -> Floats:
        """Return the log-odds with the mass p = 1 - q below them, shape (n,); all inside (0, 1)."""
        is_lower, wanted, (below, above) = p < q, np.minimum(p, q), self._tails
        before = np.searchsorted(below, wanted)
        beyond = above.size - np.searchsorted(above[::-1], wanted)
        panel = np.where(is_lower, before, beyond)
        bounds = np.concatenate([[-np.inf], self.edges, [np.inf]])
        low, high = bounds[panel], bounds[panel + 1]
        # Tails fall about as exponentials of the log-odds, and exactly so beyond the panels.
        with np.errstate(divide="ignore"):
            from_below = np.interp(np.log(wanted), np.log(below), self.edges)
            from_above = np.interp(-np.log(wanted), -np.log(above), self.edges)
        u = moved = np.where(is_lower, from_below, from_above)
        sign = np.where(is_lower, 1.0, -1.0)
        for _ in range(60):
            below, above, log_density = self.values(u)[:3]
            tail = np.where(is_lower, below, above)
            with np.errstate(all="ignore"):
                excess = sign * np.log(tail / wanted)
                moved = u - excess * tail / np.exp(log_density)
            # Newton's method leaves about the square of an excess.
            if (np.abs(excess) < 1e-7).all():
                break
            low, high = np.where(excess < 0, u, low), np.where(excess > 0, u, high)
            u = np.where((low <= moved) & (moved <= high), moved, 0.5 * (low + high))
        return np.asarray(np.where(np.isfinite(moved), moved, u))

    def has_one_peak(self, turn: Floats) -> bool:
        """Return whether the density of a function of the log-odds rises and then falls.

        `turn` is the slope of the log of its derivative at the points of the panels.
        """
        rates = (self._at_nodes[..., 1].T - turn.reshape(_N, -1)).T.ravel()
        signs = np.sign(rates[np.abs(rates) > _FLAT])
        return bool((np.diff(signs) <= 0).all())


@dataclass(frozen=True)
class CentredShare(Centred):
    """The place in an interval that has the log-odds of a table, at distances from the mean.

    Attributes
    ----------
    table : distribution of the log-odds.
    kinks : distances at which the density may have a kink or a pole.
    """

    table: Table
    kinks: Floats = field(default_factory=lambda: np.empty(0))
    least: float = field(default=1e-290, kw_only=True)

    @property
    def places(self) -> Floats:
        return self.kinks[np.newaxis]

    def evaluator(self, n_derivatives: int) -> Evaluator:
        def evaluate(y: Floats) -> Floats:
            with np.errstate(all="ignore"):
                u = np.log(y[0] - self.low) - np.log(self.high - y[0])
                below, above, log_density, slope, bend = self.table.values(u)
                # The log of dy / du and its first two derivatives
                share, log_stretch = expit(u), self._log_stretch(u)
                turn, more = 1 - 2 * share, -2 * share * (1 - share)
                excess = np.where(below < above, below - 0.5, 0.5 - above)
                density, rate = np.exp(log_density - log_stretch), slope - turn
                unit = np.exp(-log_stretch)
                second = density * (rate * (rate - turn) + bend - more) * unit**2
                values = np.stack([excess, density, density * rate * unit, second])
            return values[: n_derivatives + 1, np.newaxis]

        return evaluate

    def _log_stretch(self, u: Floats) -> Floats:
        return np.asarray(log_expit(u) + log_expit(-u) + np.log(self.high - self.low))

    def tails(self, y: Floats, to_low: Floats, to_high: Floats) -> Floats:
        del y
        with np.errstate(all="ignore"):
            u = np.log(to_low[0]) - np.log(to_high[0])
            below, above, log_density = self.table.values(np.nan_to_num(u))[:3]
            density = np.exp(log_density - self._log_stretch(u))
            return np.stack([below, above, density])[:, np.newaxis]

    def quantiles_from_ends(self, p: Floats, q: Floats) -> tuple[Floats, Floats] | None:
        width, u = float((self.high - self.low)[0]), self.table.quantiles(p[0], q[0])
        return width * expit(u)[np.newaxis], width * expit(-u)[np.newaxis]


class TabulatedDistribution(BoundedDistribution):
    """Base class of distributions on an interval, by a table of the log-odds of the place in it."""

    @property
    @abstractmethod
    def _table(self) -> Table:
        """Density of the log-odds of the place in the support."""

    # Both ends of the support.
    _ends = Interval(0.0, 1.0)

    @property
    def _places(self) -> Floats:
        """Log-odds at which the density may have a kink or a pole."""
        return np.empty(0)

    @cached_property
    def _frame(self) -> Frame:
        (low, high), (share, rest) = self._ends, self._table.mean_and_rest
        to_low, to_high = (high - low) * share, (high - low) * rest
        mean = low + to_low if to_low < to_high else high - to_high
        return Frame(low, high, mean, 0.0, to_low, to_high)

    @cached_property
    def _centred(self) -> CentredShare:
        frame, (low, high) = self._frame, self._ends
        return CentredShare(
            table=self._table,
            kinks=(high - low) * expit(self._places) - frame.mean_to_low,
            low=np.array([-frame.mean_to_low]),
            high=np.array([frame.mean_to_high]),
            deviation=np.array([self.standard_deviation()]),
            # The limits of x / w or 1 - x / w to a power follow from the outer panels.
            end_densities=self._table.end_densities[:, np.newaxis] / (high - low),
            has_one_peak=self._table.has_one_peak(1 - 2 * expit(self._table.points)),
        )

    @property
    def _cumulants(self) -> Floats:
        low, high = self._ends
        return np.asarray((high - low) ** np.arange(2.0, 5.0) * self._table.cumulants)


class LogitDistribution(TabulatedDistribution):
    """The distribution of an accuracy whose log-odds have a given density.

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
        edges = start + scale * np.array([-2.0, -1.0, 0.0, 1.0, 2.0])
        self._known = Table.of(log_density, edges, tolerance, last=np.inf)

    @property
    def _table(self) -> Table:
        return self._known


def _logs(log_density: LogDensity, left: Floats, right: Floats) -> Floats:
    """Log densities at the points of panels; those that vanish are bounded."""
    values = log_density(_spread(left, right).ravel()).reshape(_N, left.size)
    return np.asarray(np.maximum(values, np.maximum(values.max(axis=0), -1e300) - 1e4))


def _spread(left: Floats, right: Floats) -> Floats:
    """Points of the rule between each left and right, shape (16, n)."""
    return np.asarray(0.5 * (left + right) + 0.5 * np.multiply.outer(_NODES, right - left))
