"""A distribution given by its distribution function at the nodes of panels.

Between the nodes of a panel it is their interpolating polynomial, in the barycentric form (Berrut
and Trefethen, SIAM Review 46, 2004); from it follow the density, its slope of one degree less, and
integrals with respect to the distribution (`order_statistics`). Accuracy is absolute, that of the
values at the nodes. `resolve` halves panels until a distribution function is resolved.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import ArrayLike

from skpostbac._utils import (
    Floats,
    Indices,
    RngLike,
    check_generator,
    check_level,
    check_shape,
    float_array,
    probability_array,
)
from skpostbac.stats._distribution import Distribution, Interval, central_tails
from skpostbac.stats._several.order_statistics import (
    LAST_COEFFICIENTS,
    NODES,
    STIFFNESS,
    TO_LEGENDRE,
    WEIGHTS,
    halves,
)

# The last Legendre coefficients of a panel that is resolved are below this; so many panels at most.
_TOLERANCE, _MOST = 1e-9, 64

# Halvings of a panel until doubles meet, and steps that are no longer worth their while.
_HALVINGS = 55
_NEAR = 4 * np.finfo(float).eps
# The shortest interval is looked for among so many, and then so often between the neighbours of the
# best: the probability below it is then known to 1e-6, and its length to the square of that.
_TRIALS, _ZOOMS = 65, 4


class PanelDistribution(Distribution):
    """Distribution of a variable, by P(X <= x) on the nodes of adjacent panels.

    Parameters
    ----------
    edges : ndarray of shape (n_panels, 2)
        Ends of the panels, ascending and adjacent.
    cdf, ccdf : ndarray of shape (n_panels, n_nodes)
        P(X <= x) and P(X > x) at the nodes of each panel.
    """

    def __init__(self, edges: Floats, cdf: Floats, ccdf: Floats) -> None:
        self._edges, self._cdf, self._ccdf = edges, cdf, ccdf
        for values in (edges, cdf, ccdf):
            values.flags.writeable = False

    def __repr__(self) -> str:
        return f"PanelDistribution(mean={self.mean():.4g}, sd={self.standard_deviation():.4g})"

    def support(self) -> Interval:
        """Return the smallest and the largest possible value."""
        return Interval(float(self._edges[0, 0]), float(self._edges[-1, 1]))

    @property
    def _half_lengths(self) -> Floats:
        return np.asarray(np.diff(self._edges, axis=1)[:, 0] / 2)

    @property
    def _x(self) -> Floats:
        middle = self._edges.mean(axis=1)[:, np.newaxis]
        return np.asarray(middle + self._half_lengths[:, np.newaxis] * NODES)

    @cached_property
    def _moments(self) -> tuple[float, float]:
        """Mean and variance: the mean from the upper tail, the variance about it."""
        tail = float(np.einsum("p,n,pn->", self._half_lengths, WEIGHTS, self._ccdf))
        mean = float(self._edges[0, 0]) + tail
        return mean, float(np.einsum("pk,kn,pn->", (self._x - mean) ** 2, STIFFNESS, self._cdf))

    def mean(self) -> float:
        """Return the mean."""
        return self._moments[0]

    def variance(self) -> float:
        """Return the variance."""
        return max(self._moments[1], 0.0)

    def standard_deviation(self) -> float:
        """Return the standard deviation."""
        return float(np.sqrt(self.variance()))

    def median(self) -> float:
        """Return the median."""
        return float(self.icdf(0.5))

    @cached_property
    def _series(self) -> tuple[Floats, Floats]:
        """Legendre coefficients of both tails on each panel, shape (n_nodes, n_panels)."""
        return TO_LEGENDRE @ self._cdf.T, TO_LEGENDRE @ self._ccdf.T

    def _place(self, x: Floats) -> tuple[Indices, Floats]:
        """Return the panel of each point, and where it lies in it, from -1 to 1."""
        panel = np.clip(np.searchsorted(self._edges[:, 1], x), 0, len(self._edges) - 1)
        low, high = self._edges[panel].T
        return panel, np.clip((2 * x.clip(low, high) - low - high) / (high - low), -1.0, 1.0)

    def _tails(self, x: Floats) -> tuple[Floats, Floats]:
        panel, u = self._place(x)
        lower, upper = (np.clip(_evaluate(s[:, panel], u), 0.0, 1.0) for s in self._series)
        # Each is accurate where it is small.
        is_low = lower < upper
        return np.where(is_low, lower, 1 - upper), np.where(is_low, 1 - lower, upper)

    def cdf(self, x: ArrayLike) -> np.float64 | Floats:
        """Return P(X <= x); NaN where x is NaN."""
        x = float_array(x, "x")
        return np.where(np.isnan(x), np.nan, self._tails(x.ravel())[0].reshape(x.shape))[()]

    def ccdf(self, x: ArrayLike) -> np.float64 | Floats:
        """Return P(X > x); NaN where x is NaN."""
        x = float_array(x, "x")
        return np.where(np.isnan(x), np.nan, self._tails(x.ravel())[1].reshape(x.shape))[()]

    def pdf(self, x: ArrayLike) -> np.float64 | Floats:
        """Return the probability density; NaN where x is NaN, 0 outside the support."""
        x = float_array(x, "x")
        panel, u = self._place(x.ravel())
        slopes = np.asarray(legendre.legder(self._series[0])[:, panel], np.float64)
        density = np.maximum(_evaluate(slopes, u) / self._half_lengths[panel], 0.0)
        low, high = self.support()
        inside = (low <= x) & (x <= high)
        density = np.where(inside, density.reshape(x.shape), 0.0)
        return np.where(np.isnan(x), np.nan, density)[()]

    def icdf(self, p: ArrayLike) -> np.float64 | Floats:
        """Return the quantile at `p` in [0, 1]; NaN where it is NaN."""
        p = probability_array(p, "p")
        return self._solve(p.ravel(), 1 - p.ravel()).reshape(p.shape)[()]

    def iccdf(self, p: ArrayLike) -> np.float64 | Floats:
        """Return the value that is exceeded with probability `p`; NaN where `p` is NaN."""
        p = probability_array(p, "p")
        return self._solve(1 - p.ravel(), p.ravel()).reshape(p.shape)[()]

    def _solve(self, p: Floats, q: Floats) -> Floats:
        """Find where P(X <= x) = p and P(X > x) = q, by the smaller of the two."""
        is_low = p < q
        at_ends = np.maximum.accumulate(self._cdf[:, -1]), np.minimum.accumulate(self._ccdf[:, -1])
        panel = np.where(is_low, np.searchsorted(at_ends[0], p), np.searchsorted(-at_ends[1], -q))
        panel = np.minimum(panel, len(self._edges) - 1)
        # Both increase: P(X <= x) - p, or q - P(X > x).
        lower, upper = (coefficients[:, panel] for coefficients in self._series)
        rising = np.where(is_low, lower, -upper)
        rising[0] += np.where(is_low, -p, q)
        u = _root(rising)
        low, high = self._edges[panel].T
        x = np.clip((low + high) / 2 + (high - low) / 2 * u, low, high)
        ends = self.support()
        x = np.where(p <= 0, ends.low, np.where(q <= 0, ends.high, x))
        return np.where(np.isnan(p), np.nan, x)

    def interval(self, level: float = 0.95) -> Interval:
        """Return the central interval."""
        return Interval(*np.asarray(self.icdf(central_tails(level))).tolist())

    def hdi(self, level: float = 0.95) -> Interval:
        """Return the shortest interval."""
        level = check_level(level)
        found, low, high = self.interval(level), 0.0, 1 - level
        for _ in range(_ZOOMS):
            p = np.linspace(low, high, _TRIALS)
            ends = np.asarray(self.icdf(np.stack([p, np.minimum(p + level, 1.0)])))
            best = int(np.argmin(ends[1] - ends[0]))
            found = Interval(*ends[:, best].tolist())
            low, high = p[max(best - 1, 0)], p[min(best + 1, _TRIALS - 1)]
        return found

    def sample(
        self, shape: int | tuple[int, ...] = (), *, rng: RngLike = None
    ) -> np.float64 | Floats:
        """Draw independent values, by inversion."""
        return self.icdf(check_generator(rng).random(check_shape(shape)))

    def _curve(self) -> Callable[[Floats], Floats]:
        """Return what evaluates the density for a picture."""
        return lambda x: np.asarray(self.pdf(x))


def _root(coefficients: Floats) -> Floats:
    """Find the root in [-1, 1] of each Legendre series, which increases, by Newton's method.

    Steps that leave the bracket, and each third, halve it: none takes much longer than halving
    alone. Of a series without a sign change it is the nearer end.
    """
    slopes = np.asarray(legendre.legder(coefficients), np.float64)
    low, high = (np.full(coefficients.shape[1], end) for end in (-1.0, 1.0))
    u = np.zeros_like(low)
    for turn in range(3 * _HALVINGS):
        value, slope = _evaluate(coefficients, u), _evaluate(slopes, u)
        is_below = value < 0
        low, high = np.where(is_below, u, low), np.where(is_below, high, u)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = u - value / slope
        is_inside = (low <= step) & (step <= high) & (turn % 3 < 2)
        following = np.where(is_inside, step, (low + high) / 2)
        # A halving may move far although it is the root that has been left.
        is_done = (np.abs(step - u) <= _NEAR) | (high - low <= _NEAR)
        if is_done.all():
            break
        u = np.where(is_done, u, following)
    return u


def _evaluate(coefficients: Floats, u: Floats) -> Floats:
    """Sum a Legendre series of its own at each point."""
    return np.asarray(legendre.legval(u, coefficients, tensor=False))


def resolve(
    cdf: Callable[[Floats], Floats],
    edges: Floats,
    *,
    tolerance: float = _TOLERANCE,
    most: int = _MOST,
) -> PanelDistribution:
    """Return the distribution of a distribution function, given ascending first edges."""
    fresh = np.column_stack([edges[:-1], edges[1:]])
    done: list[tuple[Floats, Floats]] = []
    count = len(fresh)
    while len(fresh):
        x = fresh.mean(axis=1)[:, np.newaxis] + np.diff(fresh, axis=1) / 2 * NODES
        values = cdf(x.ravel()).reshape(x.shape)
        residue = np.abs(values @ LAST_COEFFICIENTS.T).max(axis=1)
        split = (residue > tolerance) & (count < most)
        done.append((fresh[~split], values[~split]))
        fresh = halves(fresh[split])
        count += len(fresh) // 2
    found, values = (np.concatenate(parts) for parts in zip(*done, strict=True))
    order = np.argsort(found[:, 0])
    values = np.clip(values[order], 0.0, 1.0)
    return PanelDistribution(found[order], values, 1 - values)
