"""Modes of smooth distributions: roots of the slope of the density near its maximum on a grid.

The grid of a series has no more detail between its places. Where another peak is nearly as high, or
where the top is flat, no mode is found here.
"""

import numpy as np

from skpostbac._utils import Bools, Floats
from skpostbac.stats._smooth.series import Grid
from skpostbac.stats._smooth.shortest import Curves, Shapes

# Another peak above this share of the highest, or a top of less curvature than this in units of the
# standard deviation, makes the highest place doubtful.
_RIVAL, _FLAT = 0.99, 0.01
_LAST_STEP, _MOST_STEPS = 1e-7, 6


def modes(series: Shapes) -> Floats:
    """Distances of the modes from the mean, shape (m,); NaN if not found."""
    grid = series.grid()
    place = grid.density.argmax(axis=1)
    found = _newton(series.waves(3), _top(grid, place), series.deviation)
    return np.where(_is_alone(grid.density), found, np.nan)


def _top(grid: Grid, place: Floats) -> Floats:
    """Top of the parabola through the highest place and its neighbours."""
    row = np.arange(len(place))
    left, top, right = (grid.density[row, (place + i) % grid.y.shape[1]] for i in (-1, 0, 1))
    step = grid.y[:, 1] - grid.y[:, 0]
    return np.asarray(grid.y[row, place] + 0.5 * step * (left - right) / (left - 2 * top + right))


def _is_alone(density: Floats) -> Bools:
    """Whether no other peak is about as high."""
    is_peak = (density >= np.roll(density, 1, axis=1)) & (density >= np.roll(density, -1, axis=1))
    is_peak &= density > _RIVAL * density.max(axis=1, keepdims=True)
    return np.asarray(is_peak.sum(axis=1) == 1)


def _newton(waves: Curves, y: Floats, deviation: Floats) -> Floats:
    """Take Newton's steps to a slope of zero."""
    is_found = np.zeros(y.shape, dtype=bool)
    with np.errstate(all="ignore"):
        for _ in range(_MOST_STEPS):
            _, density, slope, bend = waves.at(y[:, np.newaxis])[..., 0]
            step = -slope / bend
            y = y + step
            is_last = np.abs(step) <= _LAST_STEP * deviation
            is_found = is_last & (-bend * deviation * deviation > _FLAT * density)
            if is_last.all():
                break
    return np.where(is_found, y, np.nan)
