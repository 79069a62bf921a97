"""The points at which a density is drawn, so that it looks smooth and holds all of its mass."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np

from skpostbac._utils import Floats
from skpostbac.stats import HierarchicalBetaAverage
from skpostbac.stats._distribution import Distribution, kernel_density

# The first points are at these tail probabilities, on both sides. What lies beyond the outermost
# is not seen, unless the density is infinite there: then it has no end to draw. A support without
# an upper end is drawn up to the last tail: that of a quotient may be endless.
_TAILS, _LAST_TAIL = np.geomspace(1e-5, 0.5, 12), 0.005
# An end of the support this near is drawn too, and an infinite density up to this distance from
# its end; both are fractions of the width of the curve.
_NEAR_END, _UNSEEN = 0.05, 1e-9
# Largest area between the density and its polygon from one point to the next, and how often
# gaps are split to get there. A normal density gets about a hundred points. The split is not
# in the middle, where a symmetric density may be infinite.
_GAP_AREA, _ROUNDS, _SPLIT = 2e-5, 30, 0.48
# A peak that has less than this fraction of the area above some height is shown up to this many
# times the height. Only infinite densities reach that: a normal peak is 1.7 times as high, an
# exponential one 2.6 times.
_SPIKE_AREA, _SPIKE_HEIGHT = 0.25, 2.7


class Curve(NamedTuple):
    """A density as a polygon over the x-axis."""

    x: Floats
    """Increasing points, shape (n,)."""
    y: Floats
    """Finite densities at the points, shape (n,)."""

    def between(self, low: float, high: float) -> Curve:
        """Return the part of the polygon between two points, with both as its ends."""
        low, high = np.clip([low, high], self.x[0], self.x[-1])
        inside = self.x[(low < self.x) & (self.x < high)]
        x = np.concatenate([[low], inside, [high]])
        return Curve(x, self.height(x))

    def height(self, x: float | Floats) -> Floats:
        """Return the height of the polygon above points, 0 beyond its ends."""
        return np.asarray(np.interp(x, self.x, self.y, left=0.0, right=0.0))

    def shown_height(self) -> float:
        """Return the height to show: that of the peak, or less if the density is infinite."""
        heights = np.sort(self.y)
        below = np.trapezoid(np.minimum(self.y, heights[:, np.newaxis]), self.x)
        bulk = np.interp((1 - _SPIKE_AREA) * below[-1], below, heights)
        return float(min(heights[-1], _SPIKE_HEIGHT * bulk))


def density_curve(distribution: Distribution) -> Curve:
    """Return the density of a distribution, exact at each point, or estimated from draws.

    Parameters
    ----------
    distribution : BoundedDistribution, BetaQuotient or a distribution by draws
        The distribution.

    Returns
    -------
    curve : Curve
        A polygon whose area is 1 but for about 0.001, or 0.01 with a hierarchical prior. Points at
        which the density is infinite are left out; the curve climbs towards them.
    """
    draws = getattr(distribution, "draws", None)
    if draws is not None:
        return Curve(*kernel_density(draws)) if draws[0] < draws[-1] else _spike(draws[0])
    # Between quantiles, and more often where the density bends
    x, pdf = _first_points(distribution), cast(Any, distribution).pdf
    y = pdf(x)
    if not (np.isfinite(y) & (y > 0)).any():  # all of it lies between two floats
        return _spike(distribution.mean())
    x, y = x[np.isfinite(y)], y[np.isfinite(y)]
    gap = np.arange(len(x) - 1)  # gaps between neighbouring points that may be too wide
    for _ in range(_ROUNDS):
        middle = x[gap] + _SPLIT * (x[gap + 1] - x[gap])
        is_open = (x[gap] < middle) & (middle < x[gap + 1])
        gap, middle = gap[is_open], middle[is_open]
        heights = pdf(middle)
        chord = y[gap] + _SPLIT * (y[gap + 1] - y[gap])
        missed = np.abs(heights - chord) * (x[gap + 1] - x[gap])
        is_coarse = np.isfinite(heights) & (missed > _GAP_AREA)
        if not is_coarse.any():
            break
        gap = gap[is_coarse] + 1
        x = np.insert(x, gap, middle[is_coarse])
        y = np.insert(y, gap, heights[is_coarse])
        new = gap + np.arange(len(gap))  # places of the new points, with a gap on either side
        gap = np.unique([new - 1, new])
    return Curve(x, y)


def _first_points(distribution: Any) -> Floats:
    """Return quantiles of a distribution, and the ends of its support if they are near."""
    low, high = distribution.support()
    if isinstance(distribution, HierarchicalBetaAverage):
        # The tails of hierarchical priors are slow: even points up to three standard deviations.
        mean, reach = distribution.mean(), 3 * distribution.standard_deviation()
        return np.linspace(max(low, mean - reach), min(high, mean + reach), 61)
    above = _TAILS if np.isfinite(high) else np.maximum(_TAILS, _LAST_TAIL)
    x = np.append(distribution.icdf(_TAILS), distribution.iccdf(above))
    width = np.ptp(x)
    ends = [
        e for e, last in ((low, x.min()), (high, x.max())) if abs(e - last) <= _NEAR_END * width
    ]
    return np.unique([*np.clip(x, low + _UNSEEN * width, high - _UNSEEN * width), *ends])


def _spike(x: float) -> Curve:
    """Return as narrow a peak as can be drawn."""
    half = 1e-6 * max(abs(x), 1e-6)
    return Curve(np.array([x - half, x, x + half]), np.array([0.0, 1 / half, 0.0]))
