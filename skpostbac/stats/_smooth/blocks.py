"""Series of many sums: which of them are smooth, and in which blocks they are computed.

The number of orders is rounded up to two steps for each power of two, so that the company of others
changes nothing but the last digits: sums of the same number are computed together.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from skpostbac._utils import Bools, Floats, Indices
from skpostbac.stats._numerics import Rows
from skpostbac.stats._smooth.betas import Betas
from skpostbac.stats._smooth.extent import Extent, extent_of
from skpostbac.stats._smooth.path import Path, path_of
from skpostbac.stats._smooth.series import Series
from skpostbac.stats._smooth.transform import transforms

# More orders, nodes or variables are not worth their while; of more variables, or larger ones, the
# errors of rounding add up to more than 1e-14.
_MOST_ORDERS, _MOST_NODES, _MOST_VARIABLES, _LARGEST = 4096, 512, 64, 1e7
# Exponents at the nearer ends that add up to less leave thousands of orders, if any number of them:
# the transform falls like the height to the power of minus their sum.
_LEAST_POWER = 4.0
# Both last coefficients of a series that has decayed.
_DECAYED = 3e-13
# Coefficients of the series in a block, and sums whose blocks are chosen at a time.
_BLOCK, _CHUNK = 2**16, 2**12


@dataclass(frozen=True)
class Plan(Rows):
    """Sums and how to compute their series: shapes (m, l), and (m,) for `n_orders`."""

    betas: Betas
    extent: Extent
    path: Path
    n_orders: Indices

    @classmethod
    def of(cls, betas: Betas, *, is_whole: bool = False) -> "Plan":
        """Choose extents and paths."""
        extent = extent_of(betas, is_whole=is_whole)
        path = path_of(betas, extent.height)
        return cls(betas, extent, path, rounded_up(extent.count))

    @property
    def is_feasible(self) -> Bools:
        """Which of the sums are worth their while."""
        few = (self.n_orders <= _MOST_ORDERS) & (self.path.count.max(axis=1) <= _MOST_NODES)
        few &= self.betas.near.sum(axis=1) >= _LEAST_POWER
        return np.asarray(few & (self.betas.n.max(axis=1) <= _LARGEST))

    def series(self) -> tuple[Series, Bools]:
        """Compute series of one number of orders, and tell which of them have decayed."""
        betas, extent = self.betas, self.extent
        step = 2 * np.pi / extent.period
        values = transforms(betas, self.path, step, int(self.n_orders[0]))
        is_smooth = np.asarray((np.abs(values[:, -2:]) < _DECAYED).all(axis=1))
        return Series(
            extent.period, extent.reach, np.sqrt(betas.variance), values.conj()
        ), is_smooth


def rounded_up(count: Floats) -> Indices:
    """Round up to a multiple of half the largest power of two below."""
    count = np.maximum(np.where(count < 2**20, count, 2**20), 8)
    step = np.exp2(np.floor(np.log2(count - 1)) - 1)
    return np.asarray((np.ceil(count / step) * step).astype(np.intp))


def single_series(
    a: Floats, b: Floats, weights: Floats, *, is_whole: bool = False
) -> Series | None:
    """Return the series of one sum, parameters of shape (l,); None if it is not smooth.

    Beyond the reach of a series that `is_whole` there is less than 1e-14 on either side.
    """
    if a.size > _MOST_VARIABLES or np.minimum(a, b).sum() < _LEAST_POWER:
        return None
    with np.errstate(over="ignore"):
        betas = Betas.reflected(a[np.newaxis], b[np.newaxis], weights[np.newaxis])
        plan = Plan.of(betas, is_whole=is_whole)
    if not plan.is_feasible[0]:
        return None
    series, is_smooth = plan.series()
    return series if is_smooth[0] else None


def many_series(a: Floats, b: Floats, weights: Floats) -> list[tuple[Indices, Series]]:
    """Return the series of the smooth ones of sums, parameters of shape (m, l), and their rows."""
    found: list[tuple[Indices, Series]] = []
    if a.shape[1] > _MOST_VARIABLES:
        return found
    for start in range(0, len(a), _CHUNK):
        chunk = slice(start, start + _CHUNK)
        with np.errstate(over="ignore"):
            plan = Plan.of(Betas.reflected(a[chunk], b[chunk], weights[chunk]))
        for rows in _blocks(plan):
            series, is_smooth = plan[rows].series()
            if is_smooth.any():
                found.append((start + rows[is_smooth], series[is_smooth]))
    return found


def _blocks(plan: Plan) -> Iterator[Indices]:
    """Yield the rows of each block of sums with the same number of orders."""
    rows = np.flatnonzero(plan.is_feasible)
    n_orders = plan.n_orders[rows]
    for count in np.unique(n_orders).tolist():
        alike, size = rows[n_orders == count], _BLOCK // count
        yield from (alike[i : i + size] for i in range(0, alike.size, size))
