"""A sum of pools of classes under a tilt, as an inversion sees it.

The transform M(c + it) / M(c) of a sum is the product of those of its pools, each a sum over paths
of states of products over classes (`tilted`). Mean and variance under the tilt come from its values
next to the real axis: for a small d the phase of M(c + id) / M(c) is d K'(c), and the log of its
modulus is -d^2 K''(c) / 2. The range of the sum, and with it the period of the Fourier series on
the line, is bounded by Chernoff's inequality,

    P(X > x) <= exp(K(c + h) - K(c) - h x)  under the tilt c, for any h > 0.

The series ends where its terms have decayed to 1e-13, or from the height on where all classes have
split into their ends by the corners of the cube of these (`branch_points`). As all classes split at
one height, that of the largest class, a sum of classes of very different sizes has a long series. A
series that needs more than 2^14 terms is truncated, and the contour contains an estimate of the
truncation error.
"""

from dataclasses import replace
from functools import cached_property
from itertools import product

import numpy as np

from skpostbac._utils import Complexes, Floats
from skpostbac.stats._hierarchical.tilted import Along, TiltedPool
from skpostbac.stats._hierarchical.tilted_stratum import ROUGH_TILT
from skpostbac.stats._inversion import (
    Corner,
    Line,
    Part,
    SplitDistribution,
    clear_height,
    joint_integrals,
)
from skpostbac.stats._numerics import DECAYED, DEPTH, EPS, NEGLIGIBLE

# Tilts relative to the first, in inverse standard deviations, by which the reach of a distribution
# is bounded, and the one by which its variance is found.
_BOUNDS, _LEAST_BOUND, _SMALL = np.array([0.4, 0.8, 1.5, 6.0]), 4.0, 1e-3
# Relative difference of tilts by which Laplace's method gives mean and variance.
_DIFFERENCE = 0.01
# A series has so many nodes at most, before its corners, or without them. Where it is interpolated,
# it goes on to its decay if it has no more than the third in all: that takes less than corners do.
_MOST_SPLIT_NODES, _MOST_NODES, _SOON = 2**15, 2**14, 2**13
# A series of which it is not known where it decays begins with a height in inverse standard
# deviations, or with a share of the height at which an envelope of its terms has decayed. It grows
# by as much as its fall tells, and a few nodes, but by no more than a factor. Where it is
# interpolated, the log of its growth is larger by another: more nodes cost next to nothing.
_FIRST_HEIGHT, _FIRST_SHARE, _FEW_MORE, _GROWTH, _MARGIN = 10.0, 0.125, 5, 5.0, 1.2
# A long series is summed in stretches, the first of so many nodes, each longer than all before it
# by a factor, or by the other after one that was interpolated. A state that contributed less than a
# share to all of a stretch is left out of those above it.
_FIRST_STRETCH, _STRETCH, _LONG_STRETCH, _FADED = 96, 2.5, 4.0, 1e-20
# A line ends after so much work, in transforms of a class in a state: a second of it or two. After
# less it ends where its terms have been so small for a first stretch that probabilities lose less
# than 1e-10. What is left out is estimated.
_MOST_WORK, _MUCH_WORK, _LITTLE = 2.0**24, 2.0**21, 1e-11
# Weights of one size differ by less than this. A transform is followed for so many of its turns.
_EQUAL, _TURNS = 1e-12, 1.5
# More corners than this are not summed one by one: of one pool, and of all pools.
_MOST_POOL_CORNERS, _MOST_CORNERS = 1024, 4096


class TiltedPoolSum(SplitDistribution):
    """A sum of independent pools under a common tilt, as an inversion sees it."""

    def __init__(self, pools: list[TiltedPool], tilt: float, scale: float) -> None:
        """Take pools under one tilt; `scale` is the standard deviation without it."""
        self.tilt, self._scale, self._whole = tilt, scale, pools
        self._small = _SMALL * max(1 / scale, tilt)

    @cached_property
    def _nearby(self) -> list[Along]:
        """The transform of each pool at the tilt, and just above it."""
        rates: Complexes = np.array([0.0, 1j * self._small])
        return [pool.along(rates) for pool in self._whole]

    @cached_property
    def _pools(self) -> list[TiltedPool]:
        """The pools at the states that count under the tilt."""
        return [
            pool.narrowed([np.exp(logs) for logs in one.under.log_weights], NEGLIGIBLE, one.under)
            for pool, one in zip(self._whole, self._nearby, strict=True)
        ]

    @property
    def _anchor(self) -> float:
        return sum(one.anchor for one in self._nearby)

    @property
    def log_mgf(self) -> float:
        """Log E[exp(c x)]."""
        return sum(one.log_mgf for one in self._nearby)

    @property
    def _value(self) -> complex:
        """The transform just above the tilt."""
        return complex(np.prod([one.values[1] for one in self._nearby]))

    @property
    def mean(self) -> float:
        """The mean: the slope of the log transform."""
        return float(self._anchor + np.angle(self._value) / self._small)

    @property
    def variance(self) -> float:
        """The variance, by the bend of the log transform."""
        return float(-2 * np.log(np.abs(self._value)) / self._small**2)

    @property
    def approximate_log_mgf(self) -> float:
        """Log E[exp(c x)] by Laplace's method."""
        return float(self._laplace[1] + self.tilt * self._highest)

    @property
    def approximate_mean(self) -> float:
        """The mean by Laplace's method, as a difference."""
        return float(self._highest + (self._laplace[2] - self._laplace[0]) / (2 * self._step))

    @property
    def approximate_variance(self) -> float:
        """The variance by Laplace's method, as a difference."""
        bend = float(self._laplace[0] - 2 * self._laplace[1] + self._laplace[2])
        return max(bend / self._step**2, 0.0)

    @property
    def _highest(self) -> float:
        return sum(one.highest for one in self._whole)

    @property
    def _step(self) -> float:
        """Difference of tilts by which Laplace's method gives the moments."""
        return _DIFFERENCE * self.tilt

    @cached_property
    def _laplace(self) -> Floats:
        """Log E[exp(s (x - highest))] by Laplace's method, at the tilt and on both sides."""
        tilts = self.tilt + self._step * np.arange(-1.0, 2.0)
        return np.array([sum(one.log_laplace_mgf(float(s)) for one in self._whole) for s in tilts])

    @cached_property
    def _standard_deviation(self) -> float:
        return float(np.sqrt(self.variance))

    @property
    def bounds(self) -> tuple[float, float]:
        """Positions with negligible mass beyond, by Chernoff's bound and by the ends."""
        up = down = np.minimum(_BOUNDS / self._standard_deviation, self._most_bound)
        if self.tilt > min(1.5 / self._standard_deviation, 1 / self._scale):
            # Far from the centre it counts what is left of the tilt.
            down = np.minimum(down, 0.7 * self.tilt)
        rates, place = np.unique(np.concatenate([up, -down]), return_inverse=True)
        logs = self._log_mgfs(rates)[place]
        # With a heavy tail only the smaller ones are of use.
        logs = np.nan_to_num(logs, nan=np.inf) + DEPTH
        up, down = (logs[: up.size] / up).min(), (logs[up.size :] / down).min()
        lowest = sum(one.lowest for one in self._whole)
        return max(self._anchor - down, lowest), min(self._anchor + up, self._highest)

    @property
    def _most_bound(self) -> float:
        """Largest rate by which the reach is bounded: that of short series, if it is not small."""
        largest = max(float(pool.sizes.max()) for pool in self._pools)
        return max(
            0.999 * ROUGH_TILT / largest - self.tilt, _LEAST_BOUND / self._standard_deviation
        )

    def _log_mgfs(self, rates: Floats) -> Floats:
        """Log of the transform at c + rates, about the anchor, of real rates; NaN if not known."""
        with np.errstate(all="ignore"):
            mgfs = sum(pool.rough_log_mgfs(rates) for pool in self._pools)
            # What overflows is not known.
            return np.where(np.isfinite(mgfs), mgfs, np.nan) - self._anchor * rates

    @property
    def most_nodes(self) -> int:
        """How many nodes of a line are worth their while."""
        return _MOST_NODES

    @cached_property
    def decay_height(self) -> float:
        """Height at which the transform has about decayed, or infinite."""
        return min(pool.decay_height(self._standard_deviation) for pool in self._pools)

    @property
    def _turned(self) -> float:
        """Height at which the class of the least weight has turned round."""
        sizes = np.concatenate([pool.sizes for pool in self._pools])
        return float(_TURNS * 2 * np.pi / sizes.min())

    @property
    def _sure_height(self) -> float:
        """Height from which on a transform that has decayed does not come back.

        That of many coins of one weight does so once in each turn. Where there are several weights,
        an envelope tells.
        """
        first, share = _FIRST_HEIGHT / self._standard_deviation, _FIRST_SHARE * self.decay_height
        sizes = np.concatenate([pool.sizes for pool in self._pools])
        if np.ptp(sizes) <= _EQUAL * sizes[0]:
            share = min(share, self._turned)
        return max(first, share)

    @property
    def split_height(self) -> float:
        """Height from which the transform is a sum over few corners; infinite where it is not."""
        corners = np.array([pool.n_corners for pool in self._pools])
        if corners.max() > _MOST_POOL_CORNERS or corners.prod() > _MOST_CORNERS:
            return np.inf
        split = max(float(pool.end_heights.max()) for pool in self._pools)
        split = max(split, clear_height(self.tilt, self.series.period))
        return split if self.series.count(split) <= _MOST_SPLIT_NODES else np.inf

    def line(self, least: int, most: int) -> Line:
        """Evaluate the first nodes of the series: `least` of them, or up to `most` to its decay.

        The line ends before where it takes too much work. It goes on where it is interpolated and
        has soon decayed.
        """
        step, pools = self.series.step, self._pools
        least = max(least, min(self.series.count(self._sure_height, most), most))
        line, work = Line(np.empty(0, dtype=complex), self._anchor, self.log_mgf), 0.0
        is_smooth = False
        while not self._is_done(line, work, least, most, is_smooth=is_smooth):
            last = _next_size(line, least, most, is_smooth=is_smooth)
            rates: Complexes = np.asarray(1j * step * np.arange(line.size, last))
            found = [pool.along(rates, (_MOST_WORK - work) / len(pools)) for pool in pools]
            size = min(one.values.size for one in found)
            values = self._joined([one.first(size) for one in found], rates[:size])
            line = replace(line, values=np.append(line.values, values))
            # Where not all was worth it the line ends.
            work = work + sum(one.work for one in found) if size == rates.size else np.inf
            is_smooth = all(one.is_smooth for one in found)
            pools = [pool.above(one, _FADED) for pool, one in zip(pools, found, strict=True)]
        self.work += min(work, _MOST_WORK)
        return line

    def _is_done(self, line: Line, work: float, least: int, most: int, *, is_smooth: bool) -> bool:
        """Whether a line after some work is long enough, or as long as it may be."""
        if work > _MUCH_WORK:
            since = int(max(line.size / _STRETCH, self._turned / self.series.step))
            past = np.abs(line.values[since:])
            if work > _MOST_WORK or (past.size >= _FIRST_STRETCH and past.max() < _LITTLE):
                return True
        if line.size < least or line.has_decayed:
            return line.size >= least
        soon = np.log(_SOON / line.size)
        return line.size >= most and not (is_smooth and _log_growth(line, is_smooth=True) < soon)

    def _joined(self, found: list[Along], rates: Complexes) -> Complexes:
        """Multiply the transforms of the pools, about the anchor.

        Of real rates a wave about a far anchor would overflow: it is that of the distance alone.
        """
        anchor = sum(one.anchor for one in found) - self._anchor
        return np.asarray(np.prod([one.values for one in found], axis=0) * np.exp(anchor * rates))

    def beyond(self, line: Line) -> tuple[Part, ...]:
        """Complete the series from half a step above the last node of a line, if it goes on."""
        if line.has_decayed or line.size < self.series.count(self.split_height):
            return ()
        start = (line.size - 0.5) * self.series.step
        decay = sum(pool.decay_order for pool in self._pools)
        growth = sum(pool.growth_order(start) for pool in self._pools)
        orders = decay, growth
        return joint_integrals(self._split, self.tilt, start, self.series.period, orders)

    def _split(self, rates: Complexes) -> list[Corner]:
        """Split the transform at c + rates, over M(c)."""
        corners = [Corner(0.0, 0.0, np.ones(rates.shape, dtype=complex))]
        for pool in self._pools:
            some = [corner for corner in pool.corners(rates) if corner.counts]
            corners = [one.times(other) for one, other in product(corners, some)]
        return corners


def _next_size(line: Line, least: int, most: int, *, is_smooth: bool) -> int:
    """Return how many nodes a line has after the next stretch."""
    if line.size < least:
        longer = line.size * (_LONG_STRETCH if is_smooth else _STRETCH)
        return min(max(int(longer) + 1, _FIRST_STRETCH), least)
    log_growth, most = _log_growth(line, is_smooth=is_smooth), max(most, _SOON * is_smooth)
    return min(int(line.size * np.exp(min(log_growth, np.log(_GROWTH)))) + _FEW_MORE, most)


def _log_growth(line: Line, *, is_smooth: bool) -> float:
    """Log of the factor by which a line is to be longer to decay.

    Far out, where it is interpolated, it falls like a power. Before, its log falls like one, or
    more slowly: the mean of both is taken.
    """
    sizes = np.abs(line.values[[line.size // 2, -1]])
    depths = -np.log(np.clip(sizes, np.finfo(float).tiny, 1 - EPS))
    missing = max(-np.log(DECAYED) - depths[1], 0.0)
    of_power = missing * np.log(2) / max(depths[1] - depths[0], EPS)
    if is_smooth:
        return float(_MARGIN * of_power)
    of_log = np.log1p(missing / depths[1]) * np.log(2) / max(np.log(depths[1] / depths[0]), EPS)
    return float(0.5 * (of_power + of_log))
