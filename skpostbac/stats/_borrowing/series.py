r"""Fourier series of sums of recalls of classes that borrow from each other.

The transform of the sum about its mean is a sum over the paths of states,

    v(t) = sum over eta_1, ..., eta_S of P(eta | counts) prod_g v_g(eta_g; t),

one forward pass of the chain with the transforms of the strata (`transform`), at all heights t of a
block at once. A product over pools, if there are several.

A few heights come first. At tilts t = -i s they give Chernoff's bounds of the range of the sum, and
on a geometric grid they tell where the transform vanishes. If that takes many orders, as beside
corners where classes without errors meet, only the first orders are computed one by one. From some
height on v(t) exp(-i t c), with the place c of the corner, is a smooth function of log t: the other
orders are interpolated from the geometric grid. Some of them are computed for comparison: where
several corners count, interpolation fails, and there are fewer orders. A series that does not
vanish goes over to zero smoothly: this blurs the distribution over a few times P / K, and is exact
farther from the corners.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from scipy.special import erfc

from skpostbac._utils import Complexes, Floats
from skpostbac.stats._borrowing.pool import Pool
from skpostbac.stats._borrowing.transform import StratumTransform
from skpostbac.stats._series import Series

# No more than exp(-DEPTH) = 1e-12 is beyond the range. A coefficient is negligible below this.
_DEPTH, _NEGLIGIBLE = 27.6, 2e-11
# Tilts of Chernoff's bounds, in units of one over the standard deviation.
_TILTS = np.array([1.5, 3.5, 7.0])
# The geometric grid begins at this height, in the same units, with so many heights in an octave.
_FIRST, _PER_OCTAVE = 6.0, 8
# The most orders; those that are computed one by one, if not all; and if interpolation fails.
_MOST, _EACH, _FALLBACK = 2**13, 160, 2**10
# So many orders are not worth an interpolation; points of it; orders that are compared, and their
# largest error.
_CHEAP, _POINTS, _COMPARED, _TOLERANCE = 256, 12, 8, 1e-9
# The period is a little wider than the range.
_PERIOD = 1 + 1 / 16
# States times heights in a block.
_BLOCK = 2**19


class PooledTransform:
    """Transform of a sum about its mean, at any heights up to a limit."""

    def __init__(self, pools: Sequence[Pool], height: float) -> None:
        self._pools = pools
        self._parts = [[StratumTransform.of(one, height) for one in pool.strata] for pool in pools]
        self._scale = 1.0
        self._scale = float(self(np.zeros(1, dtype=complex))[0].real)

    def __call__(self, heights: Complexes) -> Complexes:
        """Return E[exp(i t (X - mean))], shape (n,)."""
        most = max(one.n_states for pool in self._pools for one in pool.strata)
        count = -(-heights.size * most // _BLOCK)
        return np.concatenate([self._block(part) for part in np.array_split(heights, count)])

    def _block(self, heights: Complexes) -> Complexes:
        total = np.full(heights.size, 1 / self._scale, dtype=complex)
        for pool, parts in zip(self._pools, self._parts, strict=True):

            def factors() -> Iterator[Complexes]:
                for stratum, part in zip(pool.strata, parts, strict=True):
                    logs = stratum.log_likelihood
                    yield np.exp(logs - logs.max())[:, np.newaxis] * part.values(heights)

            total *= pool.chain.total(factors())
        return total


def pooled_series(
    pools: Sequence[Pool], ends: tuple[float, float], corner: float, deviation: float, height: float
) -> Series:
    """Series of the sum of some pools.

    Parameters
    ----------
    pools : at the states that their transforms need.
    ends, corner : distances of the ends of the support, and of the dominating corner, from the
        mean; the lower end is negative.
    deviation : standard deviation.
    height : height from which the transform is negligible, about.
    """
    most = 2 * np.pi * _MOST / (16 * deviation)
    last = min(1.2 * height, most)
    octaves = max(np.log2(last * deviation / _FIRST), 0.5)
    per_octave = _PER_OCTAVE if octaves > 4 else 3
    grid = _FIRST / deviation * 2 ** (np.arange(np.ceil(octaves * per_octave) + 1) / per_octave)
    transform = PooledTransform(pools, float(grid[-1]))
    tilts = _TILTS / deviation
    found = transform(np.concatenate([1j * tilts, -1j * tilts, grid]))
    below, above = ((np.log(np.abs(part)) + _DEPTH) / tilts for part in np.split(found[: 2 * tilts.size], 2))
    low, high = max(-float(np.nanmin(below)), ends[0]), min(float(np.nanmin(above)), ends[1])
    period = _PERIOD * (high - low)
    step = 2 * np.pi / period
    on_grid = found[2 * tilts.size :]
    late = np.flatnonzero(np.abs(on_grid) > _NEGLIGIBLE)
    vanished = grid[min(late[-1] + 1, grid.size - 1)] if late.size else grid[0]
    count = int(min(np.ceil(vanished / step) + 1, _MOST))
    first = count if count <= _CHEAP else _EACH
    orders = np.arange(1.0, count)
    values = np.empty(count - 1, dtype=complex)
    if count > _CHEAP:
        first = max(_EACH, int(np.ceil(grid[0] / step)))
        compared = np.unique(np.geomspace(first, count - 1, _COMPARED).astype(int))
        values = _interpolated(np.log(grid), on_grid * np.exp(-1j * grid * corner), np.log(step * orders))
        values *= np.exp(1j * step * orders * corner)
        exact = transform(step * compared + 0j)
        if np.abs(values[compared - 1] - exact).max() > _TOLERANCE:
            count = min(count, _FALLBACK)
            first, values, orders = count, values[: count - 1], orders[: count - 1]
    values[: first - 1] = transform(step * orders[: first - 1] + 0j)
    if abs(values[-1]) > _NEGLIGIBLE:
        values *= 0.5 * erfc(10 * (orders / count - 0.675))
    return Series(
        np.array([period]),
        np.array([low]),
        np.array([high]),
        np.array([deviation]),
        np.zeros((2, 1)),
        False,
        values[np.newaxis],
        None,
    )


def _interpolated(x: Floats, values: Complexes, points: Floats) -> Complexes:
    """Interpolate between even x by polynomials through the nearest ones."""
    spacing = x[1] - x[0]
    n = min(_POINTS, x.size)
    place = (points - x[0]) / spacing
    start = np.clip(np.floor(place).astype(int) - n // 2 + 1, 0, x.size - n)
    own = place - start
    table = np.ones((points.size, n))
    for i in range(n):
        for j in range(n):
            if i != j:
                table[:, i] *= (own - j) / (i - j)
    return np.asarray((table * values[start[:, np.newaxis] + np.arange(n)]).sum(axis=1))
