"""Sums of classes that borrow from shared rates: what an inversion asks of them.

The standard deviation follows from the moments of each pool, and a tilt from `tilted_sum`. Close to
an end of the support the density is a mixture of powers of the distance, whose exponents differ
from node to node (`end_mixture`). The least exponent, that of outliers wherever there may be any,
decides whether the density is zero, finite or infinite at the end itself.
"""

from functools import cached_property

import numpy as np
from scipy.special import gammaln

from skpostbac._utils import Floats
from skpostbac.stats._hierarchical.end_mixture import EndMixture, log_end_tail
from skpostbac.stats._hierarchical.pool import Pool
from skpostbac.stats._hierarchical.tilted import TiltedPool
from skpostbac.stats._hierarchical.tilted_sum import TiltedPoolSum
from skpostbac.stats._numerics import log_beta


class WeightedPools:
    """A sum over pools of classes, at all of their nodes."""

    def __init__(self, pools: tuple[Pool, ...]) -> None:
        self.pools = pools

    @cached_property
    def standard_deviation(self) -> float:
        """Standard deviation of the sum."""
        return float(np.sqrt(sum(pool.central_moments[0] for pool in self.pools)))

    def mirrored(self) -> "WeightedPools":
        """Return minus the sum."""
        return type(self)(tuple(pool.mirrored() for pool in self.pools))

    @cached_property
    def order(self) -> float:
        """Power with which the upper tail vanishes at the upper end of the support."""
        return float(sum(_end_order(pool) for pool in self.pools))

    @cached_property
    def power_range(self) -> float:
        """Distance from an end of the support within which only leading powers count."""
        least = min(float(np.abs(pool.kinds.weights).min()) for pool in self.pools)
        most = max(float((pool.a + pool.b).max()) for pool in self.pools)
        return 1e-18 * least / most

    def log_end_tail(self, distance: Floats) -> tuple[Floats, Floats]:
        """Log upper tail and log density close to the upper end: mixtures of powers."""
        values = [log_end_tail(self._end_mixtures, float(np.log(y))) for y in distance]
        log_tail, log_pdf = np.reshape(values, (-1, 2)).T
        return log_tail, log_pdf

    @cached_property
    def _end_mixtures(self) -> list[EndMixture]:
        return [EndMixture.of(pool) for pool in self.pools]

    def log_end_density(self) -> float:
        """Limit of the log density at the upper end of the support."""
        if self.order != 1:
            return np.inf if self.order < 1 else -np.inf
        return sum(map(_log_end_factor, self.pools))

    def tilted(self, c: float, *, from_end: bool = False) -> "TiltedPoolSum":
        """Tilt by exp(c x); positions are distances from the mean, or from the upper end."""
        pools = [self._tilted(pool, c, from_end) for pool in self.pools]
        return TiltedPoolSum(pools, c, self.standard_deviation)

    def _tilted(self, pool: Pool, c: float, from_end: bool) -> TiltedPool:
        return TiltedPool(pool, c, from_end)


class FarPools(WeightedPools):
    """A sum with so many nodes that it needs those that count under a tilt alone."""

    def _tilted(self, pool: Pool, c: float, from_end: bool) -> TiltedPool:
        return TiltedPool(pool, c, from_end).at_nodes(pool.counted(c))


def _end_order(pool: Pool) -> float:
    """Least power of a pool at the upper end: that of outliers, if there may be any."""
    up = pool.kinds.weights > 0
    if pool.outlier:
        return float((pool.kinds.count * np.where(up, pool.outlier_b, pool.outlier_a)).sum())
    return float((np.where(up, pool.b, pool.a) @ pool.kinds.count).min())


def _log_end_factor(pool: Pool) -> float:
    """Log of what outliers alone contribute to the density at the upper end."""
    kinds, up = pool.kinds, pool.kinds.weights > 0
    near = np.where(up, pool.outlier_b, pool.outlier_a)
    far = np.where(up, pool.outlier_a, pool.outlier_b)
    factors = gammaln(near) - log_beta(near, far) - near * np.log(np.abs(kinds.weights))
    with np.errstate(divide="ignore"):
        logs = pool.nodes.log_weights + np.log(pool.nodes.outlier) @ kinds.count
    return float(np.logaddexp.reduce(logs) + (kinds.count * factors).sum())
