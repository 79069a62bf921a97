"""The points at which a density is drawn, so that it looks smooth and holds all of its mass."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np

from skpostbac._utils import Bools, Floats
from skpostbac.stats import (
    BetaQuotient,
    BoundedDistribution,
    HierarchicalBetaAverage,
    HierarchicalPairedDifference,
)
from skpostbac.stats._distribution import Distribution, DrawnPosterior, kernel_density

# The first points are at these tail probabilities, on both sides. What lies beyond the outermost
# is not seen, unless the density is infinite there: then it has no end to draw.
_TAILS = np.geomspace(1e-5, 0.5, 12)
# A support without an upper end is drawn up to this tail: the tail of a quotient may be endless.
_LAST_TAIL = 0.005
# The distributions of hierarchical priors are slow in their tails: their points are even, and reach
# this many standard deviations to either side of the mean.
_REACH, _EVEN_POINTS = 3.0, 61
# An end of the support this near, as a share of the width of the curve, is drawn too.
_NEAR_END = 0.05
# An infinite density is drawn up to this distance from its end, as a share of the width.
_UNSEEN = 1e-9
# Largest area between the density and its polygon from one point to the next, and how often
# gaps are split to get there. A normal density gets about a hundred points. The split is not
# in the middle, where a symmetric density may be infinite.
_GAP_AREA = 2e-5
_ROUNDS = 30
_SPLIT = 0.48

# A peak that has less than this share of the area above some height ...
_SPIKE_AREA = 0.25
# ... is shown up to this many times the height. Only infinite densities reach that: a normal
# peak is 1.7 times as high, an exponential one 2.6 times.
_SPIKE_HEIGHT = 2.7


# Distributions with a density that is computed, not estimated from draws.
Computed: TypeAlias = BoundedDistribution | BetaQuotient


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

    def area(self) -> float:
        """Return the area of the polygon."""
        return float(np.trapezoid(self.y, self.x))

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
    if isinstance(distribution, DrawnPosterior | HierarchicalPairedDifference):
        return smooth_draws(distribution.draws)
    if isinstance(distribution, Computed):
        return exact_curve(distribution)
    raise TypeError(f"distribution must have a density or draws, got {type(distribution).__name__}")


def exact_curve(distribution: Computed) -> Curve:
    """Evaluate a density between quantiles, and more often where it bends."""
    x, pdf = _first_points(distribution), distribution._curve()
    y = pdf(x)
    if not (np.isfinite(y) & (y > 0)).any():  # all of it lies between two floats
        return _spike(distribution.mean())
    x, y = x[np.isfinite(y)], y[np.isfinite(y)]
    points, gaps = [(x, y)], _Gaps(x[:-1], y[:-1], x[1:], y[1:])
    for _ in range(_ROUNDS):
        gaps, middle = gaps.open()
        heights = pdf(middle)
        missed = np.abs(heights - gaps.chord()) * (gaps.high - gaps.low)
        is_coarse = np.isfinite(heights) & (missed > _GAP_AREA)
        if not is_coarse.any():
            break
        middle, heights = middle[is_coarse], heights[is_coarse]
        points.append((middle, heights))
        gaps = gaps.split(is_coarse, middle, heights)
    x, y = (np.concatenate(values) for values in zip(*points, strict=True))
    order = np.argsort(x)
    return Curve(x[order], y[order])


class _Gaps(NamedTuple):
    """Gaps between neighbouring points of a curve that may be too wide, all of shape (n,)."""

    low: Floats
    y_low: Floats
    high: Floats
    y_high: Floats

    def open(self) -> tuple[_Gaps, Floats]:
        """Return those with a float in between, and one in each of them."""
        middle = self.low + _SPLIT * (self.high - self.low)
        is_open = (self.low < middle) & (middle < self.high)
        return _Gaps(*(values[is_open] for values in self)), middle[is_open]

    def chord(self) -> Floats:
        """Return the height of the polygon where each is split."""
        return self.y_low + _SPLIT * (self.y_high - self.y_low)

    def split(self, chosen: Bools, x: Floats, y: Floats) -> _Gaps:
        """Return both parts of some of them, which are split at these points."""
        low, y_low, high, y_high = (values[chosen] for values in self)
        return _Gaps(
            np.append(low, x), np.append(y_low, y), np.append(x, high), np.append(y, y_high)
        )


def _first_points(distribution: Computed) -> Floats:
    """Return quantiles of a distribution, and the ends of its support if they are near."""
    low, high = distribution.support()
    if isinstance(distribution, HierarchicalBetaAverage):
        reach = _REACH * distribution.standard_deviation()
        return np.linspace(
            max(low, distribution.mean() - reach),
            min(high, distribution.mean() + reach),
            _EVEN_POINTS,
        )
    above = _TAILS if np.isfinite(high) else np.maximum(_TAILS, _LAST_TAIL)
    x = np.concatenate(
        [np.asarray(distribution.icdf(_TAILS)), np.asarray(distribution.iccdf(above))]
    )
    width = np.ptp(x)
    near = _NEAR_END * width
    ends = [end for end, last in ((low, x.min()), (high, x.max())) if abs(end - last) <= near]
    unseen = _UNSEEN * width
    return np.unique([*np.clip(x, low + unseen, high - unseen), *ends])


def smooth_draws(draws: Floats) -> Curve:
    """Estimate the density of draws, sorted and at least two of them."""
    return Curve(*kernel_density(draws)) if draws[0] < draws[-1] else _spike(draws[0])


def _spike(x: float) -> Curve:
    """Return as narrow a peak as can be drawn."""
    half = 1e-6 * max(abs(x), 1e-6)
    return Curve(np.array([x - half, x, x + half]), np.array([0.0, 1 / half, 0.0]))
