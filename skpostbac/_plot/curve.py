"""Adaptive choice of the points at which a density is plotted, so that it is smooth."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np
from scipy.special import expit

from skpostbac._utils import Floats
from skpostbac.stats._distribution import Distribution, DrawnDistribution

# A curve ends where this much probability is left, or with infinite moments, the second
# one, as the rest may be very long.
_TAIL = 1e-5
_LAST_TAIL = 0.005
# The first points, as fractions of the width of the curve. They are dense towards both
# ends, where a density may be infinite.
_START = expit(np.linspace(-16, 16, 97))
# Between neighbouring points, the area between the density and its polygon is at most
# this large, unless the rounds of splitting or the points run out.
_GAP_AREA = 1e-5
_MAX_PIECES = 8
_MAX_ROUNDS = 6
_MOST_POINTS = 1000
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

    pdf = cast(Any, distribution).pdf
    low = float(distribution.icdf(_TAIL))
    high = float(distribution.iccdf(_TAIL))
    x, y = _finite(pdf, np.unique(low + (high - low) * _START))
    if len(x) < 3 or not y.any():  # narrower than the spacing of floats
        return _spike(distribution.mean())

    for _ in range(_MAX_ROUNDS):
        # The error of the trapezoidal rule, whose second derivatives are differences of
        # the slope between neighbouring gaps. It falls with the cube of the width.
        width = np.diff(x)
        bend = np.pad(np.abs(np.diff(np.diff(y) / width)), 1, "edge")
        error = np.maximum(bend[:-1], bend[1:]) * width**2 / 12
        pieces = np.ceil(np.cbrt(error / _GAP_AREA)).clip(1, _MAX_PIECES)
        if pieces.max() == 1 or x.size > _MOST_POINTS:
            break
        ends = np.append(0, np.cumsum(pieces))
        places = np.interp(np.arange(ends[-1] + 1), ends, x)
        new_x, new_y = _finite(pdf, np.setdiff1d(places, x))
        x = np.append(x, new_x)
        order = np.argsort(x)
        x = x[order]
        y = np.append(y, new_y)[order]
    return Curve(x, y)


def _finite(pdf: Any, x: Floats) -> tuple[Floats, Floats]:
    """Return the points at which a density is finite, and the density there."""
    y = pdf(x)
    is_finite = np.isfinite(y)
    return x[is_finite], y[is_finite]


def _spike(x: float) -> Curve:
    """Return a triangle so narrow that it is plotted as a line."""
    half = 1e-6 * max(abs(x), 1e-6)
    return Curve(np.array([x - half, x, x + half]), np.array([0.0, 1 / half, 0.0]))
