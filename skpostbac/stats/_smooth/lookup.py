"""Quantiles of smooth distributions, from a grid and polished to full accuracy.

Between two places of a grid the place is a cubic Hermite polynomial in the log of the smaller tail,
along which it is nearly straight. Halley's steps on the series follow. From a distance e of the
root, in standard deviations, a step leaves an error of about e^3.
"""

import numpy as np

from skpostbac._utils import Floats
from skpostbac.stats._smooth.series import Grid, Series, Waves

# A Halley step of no more than this many standard deviations is the last.
_LAST_STEP = 2e-5
_MOST_STEPS = 5
_TINY = 1e-300
_BOTH = np.array([0, 1])[:, np.newaxis, np.newaxis]


def quantiles(series: Series, p: Floats, q: Floats) -> Floats:
    """Distances y from the mean with P(X <= y) = p = 1 - q, shape (m, n); NaN if not found."""
    y = look_up(series.grid(), p, q)
    return _halley(series.waves(), y, p, series.deviation[:, np.newaxis])


def look_up(grid: Grid, p: Floats, q: Floats) -> Floats:
    """About where P(X <= y) = p = 1 - q, between the places of a grid, (m, n)."""
    upper = p > 0.5
    cell = (grid.cdf[:, np.newaxis, :] <= p[..., np.newaxis]).sum(axis=-1) - 1
    cell = np.minimum(np.maximum(cell, 0), grid.cdf.shape[1] - 2)
    row = np.arange(len(cell))[:, np.newaxis]
    y0, step = grid.y[row, cell], grid.y[:, 1:2] - grid.y[:, :1]
    ends = cell + _BOTH
    cdf, density = grid.cdf[row, ends], np.maximum(grid.density[row, ends], _TINY)
    tail = np.maximum(np.where(upper, 1 - cdf, cdf), _TINY)
    # The place as a function of the log of the tail: its slope is the tail by the density.
    logs = np.log(tail)
    width = logs[1] - logs[0]
    slope = np.where(upper, -width, width) * tail / density / step
    with np.errstate(divide="ignore", invalid="ignore"):
        s = (np.log(np.where(upper, q, p)) - logs[0]) / width
    square, cube = 3 - 2 * slope[0] - slope[1], slope[0] + slope[1] - 2
    share = s * (slope[0] + s * (square + s * cube))
    return np.asarray(y0 + step * np.minimum(np.maximum(share, 0.0), 1.0))


def _halley(waves: Waves, y: Floats, p: Floats, deviation: Floats) -> Floats:
    """Take Halley's steps to P(X <= y) = p until they are short."""
    is_last = np.zeros(y.shape, dtype=bool)
    with np.errstate(all="ignore"):
        for _ in range(_MOST_STEPS):
            cdf, density, slope = waves.at(y)
            newton = (p - cdf) / density
            step = newton / np.maximum(1 + 0.5 * newton * slope / density, 0.5)
            y = y + step
            is_last = np.abs(step) <= _LAST_STEP * deviation
            if is_last.all():
                break
    return np.where(is_last, y, np.nan)
