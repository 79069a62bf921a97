"""Sums of classes under a hierarchical prior, with the interface for the inversion.

The standard deviation follows from the moments of each pool, and a tilt from `tilted_sum`. Close to
an end of the support the density is a mixture of powers of the distance, whose exponents differ
from state to state (`end_mixture`). The least exponent, that of outliers, decides whether the
density is zero, finite or infinite at the end itself.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from scipy.special import gammaln

from skpostbac._utils import Floats
from skpostbac.stats._borrowing import Hyperprior, Kinds, Pool
from skpostbac.stats._hierarchical.end_mixture import log_end_tail
from skpostbac.stats._hierarchical.tilted import TiltedPool
from skpostbac.stats._hierarchical.tilted_sum import TiltedPoolSum
from skpostbac.stats._numerics import log_beta

# Tilts have logs up to this.
_MAX_LOG_TILT = 340.0
# Steps to the place of a far tail, the longest one, and the slopes that are believed. A log
# probability that is this close, relative to itself, is served by the contour of a neighbour.
_MOST_SECANTS, _BOLD, _SLOPES, _CLOSE_PLACE = 24, 3.0, (0.1, 2.0), 0.05


@dataclass(frozen=True)
class PooledClasses:
    """Classes of one pool, their hyperprior, and the pool at the states that its moments need."""

    kinds: Kinds
    hyperprior: Hyperprior
    moments: Pool

    @classmethod
    def of(cls, kinds: Kinds, hyperprior: Hyperprior) -> "PooledClasses":
        """Find the states that the moments need."""
        return cls(kinds, hyperprior, Pool.of_moments(kinds, hyperprior))

    @cached_property
    def pool(self) -> Pool:
        """The pool at the states that count in the transform of the sum."""
        return self.moments.for_transforms(self.kinds, self.hyperprior)

    def mirrored(self) -> "PooledClasses":
        """Return the classes with negated weights."""
        return replace(self, kinds=self.kinds.mirrored(), moments=self.moments.mirrored())

    def under(self, *tilts: float) -> Pool:
        """Return the pool at the states that count under tilts by exp(c x)."""
        return self.moments.under(self.kinds, self.hyperprior, tilts)

    @property
    def outlier_share(self) -> float:
        """Prior probability that a class is an outlier."""
        return self.hyperprior.outlier_share(self.kinds.n_classes)

    @property
    def weighted(self) -> Kinds:
        """The kinds with a weight in the sum."""
        return self.kinds.where(self.kinds.weights != 0)

    def log_all_outliers(self) -> float:
        """Log probability that all classes with a weight are outliers, and for their counts."""
        rest = Pool.of_rest(self.kinds, self.hyperprior)
        evidence = rest.log_evidence - self.moments.log_evidence
        with np.errstate(divide="ignore"):
            return float(evidence + np.log(self.outlier_share) * self.weighted.n_classes)


class WeightedPools:
    """A sum over pools of classes, at the states that count in the centre."""

    def __init__(self, pools: tuple[PooledClasses, ...]) -> None:
        self.pools = pools

    @cached_property
    def standard_deviation(self) -> float:
        """Standard deviation of the sum."""
        return float(np.sqrt(sum(one.moments.variance for one in self.pools)))

    def mirrored(self) -> Self:
        """Return minus the sum."""
        return self._mirror

    @cached_property
    def _mirror(self) -> Self:
        return type(self)(tuple(one.mirrored() for one in self.pools))

    @cached_property
    def order(self) -> float:
        """Power with which the upper tail vanishes at the upper end of the support."""
        return float(sum(_end_order(one) for one in self.pools))

    @cached_property
    def power_range(self) -> float:
        """Distance from an end of the support within which only leading powers count."""
        least = min(float(np.abs(one.weighted.weights).min()) for one in self.pools)
        most = max(
            float(one.weighted.total.max()) + max(one.hyperprior.kappa) for one in self.pools
        )
        return 1e-18 * least / float(most)

    def log_end_tail(self, distance: Floats) -> tuple[Floats, Floats]:
        """Log upper tail and log density close to the upper end: mixtures of powers."""
        # Each takes many states.
        distinct, place = np.unique(distance, return_inverse=True)
        values = [self._log_end_tail(float(np.log(y))) for y in distinct]
        log_tail, log_pdf = np.reshape(values, (-1, 2))[place].T
        return log_tail, log_pdf

    def _log_end_tail(self, log_distance: float) -> tuple[float, float]:
        # About the saddlepoint; what is left out under a tilt is far less than counts.
        tilt = float(np.exp(min(np.log(max(self.order, 1.0)) - log_distance, _MAX_LOG_TILT)))
        return log_end_tail([one.under(tilt) for one in self.pools], log_distance)

    def log_end_density(self) -> float:
        """Limit of the log density at the upper end of the support."""
        if self.order != 1:
            return np.inf if self.order < 1 else -np.inf
        return sum(map(_log_end_factor, self.pools))

    def tilted(self, c: float, *, from_end: bool = False) -> TiltedPoolSum:
        """Tilt by exp(c x); positions are distances from the mean, or from the upper end."""
        pools = [TiltedPool.of(self._at(k, c), c, from_end) for k in range(len(self.pools))]
        return TiltedPoolSum(pools, c, self.standard_deviation)

    def place_of(self, log_p: float) -> float:
        """Distance from the mean beyond which there is about the mass exp(log_p), a small one.

        It is K'(c) for the tilt c at which Chernoff's bound exp(K(c) - c K'(c)) has this value. In
        logs its exponent is close to a straight line in c: it is solved for by secants.
        """
        log_c, last = np.log(-2 * log_p) / 2 - np.log(self.standard_deviation), None
        mean, rest, low, high = np.nan, 0.0, -_MAX_LOG_TILT, _MAX_LOG_TILT
        for _ in range(_MOST_SECANTS):
            c = float(np.exp(log_c))
            tilted = self.tilted(c)
            mean = tilted.approximate_mean
            left = _log_ratio(-log_p, c * mean - tilted.approximate_log_mgf - rest)
            if abs(left) < _CLOSE_PLACE:
                # What Laplace's method lacks hardly changes with the tilt.
                rest, last = tilted.log_mgf - tilted.approximate_log_mgf, None
                left = _log_ratio(-log_p, c * mean - tilted.log_mgf)
                if abs(left) < _CLOSE_PLACE:
                    return mean
                low, high = -_MAX_LOG_TILT, _MAX_LOG_TILT
            slope = 1.0 if last is None else (last[1] - left) / (log_c - last[0])
            last = log_c, left
            low, high = (log_c, high) if left > 0 else (low, log_c)
            # The exponent is a power of c below two at any place, but it hardly grows at an end.
            log_c += float(np.clip(left / np.clip(slope, *_SLOPES), -_BOLD, _BOLD))
            log_c = log_c if low < log_c < high else 0.5 * (low + high)
        return mean

    def _at(self, number: int, c: float) -> Pool:
        """Return a pool at the states that count under a tilt."""
        del c
        return self.pools[number].pool


class FarPools(WeightedPools):
    """A sum over pools of classes, at the states that count under each tilt.

    Tilts of one octave have the same states.
    """

    def __init__(self, pools: tuple[PooledClasses, ...]) -> None:
        super().__init__(pools)
        self._at_octaves: dict[tuple[int, float], Pool] = {}

    def _at(self, number: int, c: float) -> Pool:
        octave = float(2.0 ** np.floor(np.log2(c)))
        key = number, octave
        if key not in self._at_octaves:
            self._at_octaves[key] = self.pools[number].under(octave, 2 * octave)
        return self._at_octaves[key]


def _log_ratio(wanted: float, found: float) -> float:
    """Log of a ratio of exponents, a large one if the second is not positive."""
    return float(np.log(wanted / found)) if found > 0 else _BOLD


def _end_order(one: PooledClasses) -> float:
    """Power of outliers at the upper end, the least of all."""
    kinds = one.weighted
    near = one.hyperprior.base + np.where(kinds.weights > 0, kinds.wrong, kinds.correct)
    return float((kinds.count * near).sum())


def _log_end_factor(one: PooledClasses) -> float:
    """Log of what outliers alone contribute to the density at the upper end."""
    kinds, up, base = one.weighted, one.weighted.weights > 0, one.hyperprior.base
    near = base + np.where(up, kinds.wrong, kinds.correct)
    far = base + np.where(up, kinds.correct, kinds.wrong)
    factors = gammaln(near) - log_beta(near, far) - near * np.log(np.abs(kinds.weights))
    return one.log_all_outliers() + float((kinds.count * factors).sum())
