"""Adaptive choice of the points at which a density is plotted, so that it is smooth."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np

from skpostbac._utils import Floats
from skpostbac.stats._distribution import Distribution, DrawnDistribution

# The first points are the quantiles at these tail probabilities, on both sides. Density
# beyond the outermost ones would be invisible. With infinite moments, the curve stops
# at the last tail, as the rest may be very long.
_TAILS = np.geomspace(1e-5, 0.5, 12)
_LAST_TAIL = 0.005
# An end of the support within the first distance of the outermost quantile is a point,
# too. An infinite density is plotted up to the second distance from the end of its
# support. Both are fractions of the width of the curve.
_NEAR_END = 0.05
_INVISIBLE = 1e-9
# Between neighbouring points, the area between the density and its polygon is at most
# this large, unless the rounds of splitting run out. A normal density gets about a
# hundred points. The split is not in the middle, where a symmetric density may be
# infinite.
_GAP_AREA = 2e-5
_MAX_ROUNDS = 30
_SPLIT = 0.48
# Plots show at most this multiple of the height above which this fraction of the area
# lies. Only infinite densities reach it: the multiple is 1.7 for a normal peak and 2.6
# for an exponential one.
_SPIKE_AREA = 0.25
_SPIKE_HEIGHT = 2.7


class Curve(NamedTuple):
    """A density as a polygon over the x-axis."""

    x: Floats
    """Increasing points, shape (n,)."""
    y: Floats
    """Finite densities at the points, shape (n,)."""

    def between(self, low: float, high: float) -> Curve:
        """Return the section of the polygon from `low` to `high`."""
        low, high = np.clip([low, high], self.x[0], self.x[-1])
        is_inside = (low < self.x) & (self.x < high)
        x = np.concatenate([[low], self.x[is_inside], [high]])
        return Curve(x, self.height(x))

    def height(self, x: float | Floats) -> Floats:
        """Return the height of the polygon at `x`, 0 beyond its ends."""
        return np.asarray(np.interp(x, self.x, self.y, left=0.0, right=0.0))

    def shown_height(self) -> float:
        """Return the height to show: less than the peak if the density is infinite."""
        heights = np.sort(self.y)
        area_below = np.trapezoid(np.minimum(self.y, heights[:, np.newaxis]), self.x)
        bulk = np.interp((1 - _SPIKE_AREA) * area_below[-1], area_below, heights)
        return float(min(heights[-1], _SPIKE_HEIGHT * bulk))


def density_curve(distribution: Distribution) -> Curve:
    """Return the density as a polygon: exact at its points, or estimated from draws.

    Parameters
    ----------
    distribution : BoundedDistribution or DrawnDistribution
        The distribution.

    Returns
    -------
    curve : Curve
        A polygon with an area of 1 within about 0.001. Points with infinite density are
        excluded; the curve rises towards them.
    """
    if isinstance(distribution, DrawnDistribution):
        draws = distribution.draws
        if draws[0] == draws[-1]:
            return _spike(draws[0])
        curve = Curve(*distribution._density)
        if distribution.tail_index < np.inf:
            return curve.between(draws[0], float(distribution.iccdf(_LAST_TAIL)))
        return curve

    x = _first_points(distribution)
    pdf = cast(Any, distribution).pdf
    y = pdf(x)
    is_finite = np.isfinite(y)
    is_drawn = is_finite & (y > 0)
    if is_finite.sum() < 2 or not is_drawn.any():  # narrower than the spacing of floats
        return _spike(distribution.mean())
    x = x[is_finite]
    y = y[is_finite]

    # Gaps where the density is not close enough to a chord are split.
    for _ in range(_MAX_ROUNDS):
        width = np.diff(x)
        middle = x[:-1] + _SPLIT * width
        height = pdf(middle)
        area_error = np.abs(height - (y[:-1] + _SPLIT * np.diff(y))) * width
        is_coarse = np.isfinite(height) & (area_error > _GAP_AREA)
        is_coarse &= (x[:-1] < middle) & (middle < x[1:])
        if not is_coarse.any():
            break
        (before,) = np.nonzero(is_coarse)
        x = np.insert(x, before + 1, middle[is_coarse])
        y = np.insert(y, before + 1, height[is_coarse])
    return Curve(x, y)


def _first_points(distribution: Any) -> Floats:
    """Return quantiles, and the ends of the support that are close to them."""
    low, high = distribution.support()
    x = np.append(distribution.icdf(_TAILS), distribution.iccdf(_TAILS))
    width = np.ptp(x)
    ends = [
        end
        for end, outermost in ((low, x.min()), (high, x.max()))
        if abs(end - outermost) <= _NEAR_END * width
    ]
    margin = _INVISIBLE * width
    return np.unique([*np.clip(x, low + margin, high - margin), *ends])


def _spike(x: float) -> Curve:
    """Return a triangle so narrow that it is plotted as a line."""
    half = 1e-6 * max(abs(x), 1e-6)
    return Curve(np.array([x - half, x, x + half]), np.array([0.0, 1 / half, 0.0]))
