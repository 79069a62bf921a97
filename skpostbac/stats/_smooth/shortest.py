"""Shortest intervals of smooth distributions.

Its ends have the same density, and the level between them. They are looked for among intervals that
leave several shares of 1 - level below, then by Newton's steps on

    F(u) - F(l) = level,    log f(u) = log f(l).

An interval is the shortest of its probability if no density outside is above that of its ends, and
none inside is below; the grid of the series tells, as it has no more detail. Where this is not so,
as with two peaks, no interval is found here.
"""

from typing import Protocol

import numpy as np

from skpostbac._utils import Bools, Floats
from skpostbac.stats._smooth.series import Grid

# Shares of 1 - level that are left below.
_SHARES = (np.arange(12) + 0.5) / 12
# A Newton step of no more than this many standard deviations is the last: its error is the square.
_LAST_STEP, _MOST_STEPS = 1e-7, 8
# Relative differences of densities that rounding leaves.
_SAME = 1e-10


class Shapes(Protocol):
    """What tells the shape of densities, such as `Series`."""

    @property
    def reach(self) -> Floats:
        """Values are known at smaller distances, shape (m,)."""

    @property
    def deviation(self) -> Floats:
        """The standard deviations, shape (m,)."""

    def grid(self) -> Grid:
        """Return values on an even grid."""

    def waves(self, n_derivatives: int = 2) -> "Curves":
        """Return what evaluates the cdf and its derivatives."""


class Curves(Protocol):
    """What evaluates distributions at some places, such as `Waves`."""

    def at(self, y: Floats) -> Floats:
        """Return the cdf and its derivatives at y, shape (m, n), along a new first axis."""


def shortest_intervals(series: Shapes, level: float) -> Floats:
    """Distances of both ends from the mean, shape (2, m); NaN if not found."""
    grid = series.grid()
    start = _start(grid, level)
    ends, density, is_found = _newton(series.waves(), start, level, series.deviation)
    is_found &= (np.abs(ends) < series.reach).all(axis=0)
    is_found &= is_level_set(grid, ends, density)
    return np.where(is_found, ends, np.nan)


def _start(grid: Grid, level: float) -> Floats:
    """About the ends of equal density, from values of the grid, shape (2, m)."""
    below = (1 - level) * _SHARES
    p = np.broadcast_to(np.concatenate([below, below + level]), (len(grid.y), 2 * below.size))
    y = grid.quantiles(p, 1 - p).reshape(len(p), 2, -1)
    heights = np.log(np.maximum(_interpolated(grid, y), 1e-300))
    excess = heights[:, 0] - heights[:, 1]
    # The first share at which the lower end has the higher density, and the one before.
    last = np.minimum(np.maximum((excess < 0).sum(axis=1), 1), below.size - 1)
    row = np.arange(len(p))
    rise = excess[row, last] - excess[row, last - 1]
    share = -excess[row, last - 1] / np.where(rise > 0, rise, 1.0)
    share = np.minimum(np.maximum(share, 0.0), 1.0)
    first, second = y[row, :, last - 1].T, y[row, :, last].T
    return np.asarray(first + share * (second - first))


def _interpolated(grid: Grid, y: Floats) -> Floats:
    """Densities at some y, shape (m, ...), by lines between the places of the grid."""
    step = (grid.y[:, 1] - grid.y[:, 0])[:, np.newaxis, np.newaxis]
    share = (y - grid.y[:, :1, np.newaxis]) / step
    cell = np.minimum(np.maximum(share.astype(np.intp), 0), grid.y.shape[1] - 2)
    row = np.arange(len(y))[:, np.newaxis, np.newaxis]
    first, second = grid.density[row, cell], grid.density[row, cell + 1]
    return np.asarray(first + (share - cell) * (second - first))


def _newton(
    waves: Curves, ends: Floats, level: float, deviation: Floats
) -> tuple[Floats, Floats, Bools]:
    """Solve for ends of equal density; also their density, and whether they were found."""
    height, is_last = np.empty(len(deviation)), np.zeros(len(deviation), dtype=bool)
    with np.errstate(all="ignore"):
        for _ in range(_MOST_STEPS):
            cdf, density, slope = (values.T for values in waves.at(ends.T)[:3])
            missing = level - (cdf[1] - cdf[0])
            fall, turn = np.log(density[0] / density[1]), slope / density
            # density_1 du - density_0 dl = missing and turn_1 du - turn_0 dl = fall.
            determinant = density[0] * turn[1] - density[1] * turn[0]
            up = (density[0] * fall - turn[0] * missing) / determinant
            low = (density[1] * fall - turn[1] * missing) / determinant
            step = np.stack([low, up])
            ends, height = ends + step, density.min(axis=0)
            is_last = (np.abs(step) <= _LAST_STEP * deviation).all(axis=0)
            if is_last.all():
                break
    return ends, height, is_last


def is_level_set(grid: Grid, ends: Floats, density: Floats) -> Bools:
    """Whether the density is above that of the ends between them, and below it elsewhere."""
    inside = (grid.y > ends[0][:, np.newaxis]) & (grid.y < ends[1][:, np.newaxis])
    least = (density * (1 - _SAME))[:, np.newaxis]
    most = (density * (1 + _SAME))[:, np.newaxis]
    return np.asarray(np.where(inside, grid.density > least, grid.density < most).all(axis=1))
