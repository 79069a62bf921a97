"""The moment generating function of a weighted sum of independent variables, along a contour.

A `TiltedSum` holds the terms of a sum under one tilt c and evaluates M(c + it) / M(c), the product
of the transforms of the terms, each to the power of the number of identical terms. A term is
evaluated by its quadrature nodes under the tilt (`waves`) or, with many terms, by a Taylor series
about its mean if that is short.

The product can also be expanded over the corners of the cube of the terms' ends. Above some height
the transform of each term is a sum over its ends, sum_j A_j(s) exp(s e_j), so the product is

    M(s) = sum over corners of A(s) exp(s v),

with v the sum of one end of each term, and A the product of their amplitudes. Corners at the same
point are combined, and corners that are negligible compared with M(c) are left out.

Positions are distances from an origin, the mean or the upper end of the support, so that even a
distribution of width 1e-9 is computed to full accuracy.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from skpostbac._utils import Bools, Complexes, Floats, Indices
from skpostbac.stats._inversion.chernoff import chernoff_rates, chernoff_reach, sub_gamma
from skpostbac.stats._inversion.lattice import (
    Corner,
    Lattice,
    Leading,
    Windows,
    lattices,
    leading_of,
)
from skpostbac.stats._inversion.power_end import IndependentSum
from skpostbac.stats._inversion.waves import Quadrature, waves, waves_less_one
from skpostbac.stats._numerics import DECAYED, DEPTH, REACH, Rows

# Exponentials are tabulated for about this many pairs of a node and a height at a time.
_TABLE = 2**21
# Largest log height in a search.
_MAX_LOG_HEIGHT = 300.0
# Largest total number of heights of a line over all terms, beyond the minimum of each term. Each
# takes about a microsecond.
_MOST_WORK, _LEAST_HEIGHTS = 2**20, 2**11
# Terms are processed in blocks, so that the work array stays small for any number of them.
_BLOCK = 256
# With at least this many terms, Taylor series replace those for which they are short.
MANY = 32
# A Taylor series of these orders is good up to so many inverse units of the sub-Gaussian scale: of
# what it cancels, exp(2.8^2 / 2) = 50 at most, hardly anything is left in the product. Among 1,000
# classes of 5 to 50 samples it is 2 to 8 times as fast as nodes for Betas, and 10 to 36 times for
# pairs.
_SHORT, _TAYLOR_ORDERS = 2.8, np.arange(2.0, 80.0)
# Largest number of corners that are summed individually.
_MAX_CORNERS = 4096
# The same if they are selected from a larger number.
_MAX_LEADING = 512
# Where corners are counted before they are summed, they are looked at in these directions from the
# tilt, sideways by so many heights.
_DIRECTIONS = np.array([-3.0, -1.0, 0.0, 1.0, 3.0])
# Growing powers are clipped at exp of this; the result is infinite.
_MOST_GROWTH = 300.0


@dataclass(frozen=True)
class Reach(Rows):
    """How far each term reaches from its mode, beyond which its weight is negligible.

    Attributes
    ----------
    low, high : weighted deviations, not positive and not negative.
    low_excess, high_excess : how much farther the term reaches than a normal variable of its
        variance would, on a scale on which independent terms do not add up.
    order : the least power with which the share of an end within reach decays, infinite where
        there is none.
    """

    low: Floats
    high: Floats
    low_excess: Floats
    high_excess: Floats
    order: Floats


@dataclass(frozen=True)
class Grid:
    """Heights t = bases[:, None] + offsets: a table whose exponentials factor."""

    bases: Floats
    offsets: Floats

    @classmethod
    def even(cls, start: float, step: float, count: int) -> "Grid":
        """Return at least `count` heights at even steps from a start."""
        columns = int(np.sqrt(count)) + 1
        rows = -(-count // columns)
        return cls(
            start + step * columns * np.arange(float(rows)), step * np.arange(float(columns))
        )

    @property
    def top(self) -> float:
        """The largest height."""
        return float(self.bases[-1] + self.offsets[-1])

    @cached_property
    def heights(self) -> Floats:
        """All heights, row by row."""
        return (self.bases[:, np.newaxis] + self.offsets).ravel()

    @property
    def size(self) -> int:
        """Number of heights."""
        return self.bases.size * self.offsets.size

    def below(self, height: float) -> "Grid":
        """Return the rows that begin below a height, and one at least."""
        return Grid(self.bases[: max(1, int(np.searchsorted(self.bases, height)))], self.offsets)

    @property
    def step(self) -> float | None:
        """Distance of one height from the next, or None where it varies."""
        gaps = np.diff(self.offsets), np.diff(self.bases)
        if not gaps[0].size:
            return float(gaps[1][0]) if gaps[1].size else 0.0
        step = float(gaps[0][0])
        even = not gaps[1].size or abs(gaps[1][0] - self.offsets.size * step) < 1e-9 * step
        return step if even else None


class Terms(ABC):
    """Independent weighted variables under a tilt c, at positions relative to an origin.

    Attributes
    ----------
    tilt : c.
    weights, count : weight of each term, and how many are alike, shape (l,).
    size : sum of the exponents of each.
    mean, mode : positions of the untilted mean and of the tilted mode of each term.
    ends : positions of the ends, lowest first, in steps of the size of the weight, (l, n_ends).
    mean_less_mode, variance : of each tilted term, to leading Laplace orders.
    break_even : factor in height from which on it is cheaper to sum a term by its ends.
    """

    mode: Floats
    mean_less_mode: Floats
    variance: Floats
    break_even: Floats

    def __init__(self, distribution: IndependentSum, tilt: float, *, from_end: bool) -> None:
        """Take the origin at the mean of the sum, or at its upper end."""
        self.tilt, self.size = tilt, distribution.size
        self.weights, self.count = distribution.weights, distribution.count
        self.mean, self.ends = np.zeros_like(self.size), distribution.ends
        if from_end:
            steps = np.arange(1.0 - self.ends.shape[1], 1.0)
            self.mean, self.ends = -self.ends[:, -1], np.multiply.outer(np.abs(self.weights), steps)

    @property
    @abstractmethod
    def reach(self) -> Reach:
        """How far each term reaches from its mode."""

    @property
    @abstractmethod
    def end_height(self) -> Floats:
        """Height from which the ends of each term separate; infinite where it decays before."""

    @property
    def singular_range(self) -> Floats:
        """How far from zero and from the tilt, on the real axis, the shares have singularities."""
        return np.zeros_like(self.weights)

    @property
    @abstractmethod
    def end_orders(self) -> Floats:
        """Powers with which the shares of the ends decay, shape (l, n_ends), lowest end first."""

    @abstractmethod
    def moments(self, index: Indices, order: int) -> Floats:
        """Central moments 0 to `order` of some terms without their weights, (order + 1, l)."""

    @abstractmethod
    def quadrature(self, index: Indices, top: Floats, heights: float = np.inf) -> Quadrature:
        """Discretise some terms about their modes, exactly up to a modulus `top` of s - c.

        The rule is for that many `heights` on the line, or for any s.
        """

    @abstractmethod
    def shares(self, index: Indices, log_mgf: Floats, s: Complexes) -> Complexes:
        """Amplitudes of the ends of some terms relative to M(c), shape (l, n_ends, n).

        `log_mgf` is that of each about the origin.
        """

    def transforms(self, index: Indices, grid: Grid) -> tuple[Complexes, Floats]:
        """Transform some terms, about their modes and less one, (l, n); with log mgfs, (l,).

        At c + it for the heights t of a grid; the log mgf at c is about the origin.
        """
        nodes = self.quadrature(index, np.full(index.size, grid.top), grid.size)
        few = float(self.count.sum()) < MANY
        values = _transforms_of_nodes(nodes, grid, few=few)
        return values, nodes.log_mgf + self.tilt * self.mode[index]

    def mean_shifts(self, index: Indices) -> Floats:
        """Tilted means of some terms less their modes."""
        return self.quadrature(index, np.zeros(index.size), 1).mean


@dataclass(frozen=True)
class Line:
    """Transform of a distribution, or of some terms of it, at heights above the tilt.

    Attributes
    ----------
    values : E[exp(s (x - anchor))] / E[exp(c (x - anchor))] at s = c + it.
    anchor : position about which they vary least.
    log_mgf : log E[exp(c x)], x being a distance from the origin.
    of_terms : the same of each term, where they are independent.
    """

    values: Complexes
    anchor: float
    log_mgf: float
    of_terms: Floats = field(default_factory=lambda: np.empty(0))

    @property
    def size(self) -> int:
        """Number of heights."""
        return self.values.size

    @property
    def has_decayed(self) -> bool:
        """Whether the last values are next to nothing."""
        return bool(np.abs(self.values[-4:]).max() <= DECAYED)


class TiltedSum:
    """A sum of independent terms under a common tilt c, seen from an origin."""

    def __init__(self, terms: Terms) -> None:
        self.terms, self.tilt = terms, terms.tilt

    def total(self, values: Floats, index: Indices | None = None) -> float:
        """Sum of a value of each term over all terms, or over some."""
        count = self.terms.count if index is None else self.terms.count[index]
        return float((count * values).sum())

    @cached_property
    def everything(self) -> Indices:
        """Indices of all terms."""
        return np.arange(self.terms.count.size)

    @property
    def mean(self) -> float:
        """Tilted mean of the sum, K'(c), as a distance from the origin."""
        return self.total(self.terms.mode) + self._mean_shift(self.everything)

    @property
    def log_mgf_and_mean(self) -> tuple[float, float]:
        """K(c) = log E[exp(c x)] and the tilted mean K'(c), from the same nodes."""
        log_mgf, shift, terms = 0.0, 0.0, self.terms
        for block in _blocks(self.everything):
            nodes = terms.quadrature(block, np.zeros(block.size), 1)
            log_mgf += self.total(nodes.log_mgf + self.tilt * terms.mode[block], block)
            shift += self.total(nodes.mean, block)
        return log_mgf, self.total(terms.mode) + shift

    def reaches(self, index: Indices) -> tuple[float, float]:
        """How far the sum reaches below and above its tilted mode, but for a mass exp(-REACH).

        A Beta with an exponent below one may have two modes, and is far from normal. What it adds
        to the cumulant function of the sum is taken from its nodes, for a bound of Chernoff's.
        """
        reach, count = self.terms.reach, self.terms.count[index]
        low, high = -reach.low[index], reach.high[index]
        rough = reach.order[index] < 1
        smooth = ~rough
        variance = float((count * self.terms.variance[index])[smooth].sum())
        most = float((count * low).sum()), float((count * high).sum())
        excesses = (
            float(reach.low_excess[index][smooth].max(initial=0.0)),
            float(reach.high_excess[index][smooth].max(initial=0.0)),
        )
        if smooth.all():
            bulk = float(np.sqrt(2 * REACH * variance))
            return min(most[0], bulk + excesses[0]), min(most[1], bulk + excesses[1])
        least = float(max(low.max(), high.max()))
        rates = chernoff_rates(most[0], least), chernoff_rates(most[1], least)
        cumulants = self._cumulant_functions(index[rough], np.concatenate([-rates[0], rates[1]]))
        logs = cumulants[: rates[0].size], cumulants[rates[0].size :]
        below, above = (
            chernoff_reach(h, K + sub_gamma(h, variance, excess))
            for h, K, excess in zip(rates, logs, excesses, strict=True)
        )
        return min(most[0], below), min(most[1], above)

    def _cumulant_functions(self, index: Indices, rates: Floats) -> Floats:
        """Log E[exp(h x)] of the sum of some tilted terms about their modes, at rates h."""
        logs, top = np.zeros(rates.size), float(np.abs(rates).max(initial=0.0))
        for block in _blocks(index):
            nodes = self.terms.quadrature(block, np.full(block.size, top), rates.size)
            # One rate after the other: a table of all of them may take gigabytes.
            for i, rate in enumerate(rates.tolist()):
                growth = np.expm1(rate * nodes.nodes)
                growth *= nodes.weights
                logs[i] += float(np.log1p(growth.sum(axis=1)) @ self.terms.count[block])
        return logs

    def _mean_shift(self, index: Indices) -> float:
        """Tilted mean of some terms less their mode."""
        shifts = [self.terms.mean_shifts(block) for block in _blocks(index)]
        return self.total(np.concatenate([np.zeros(0), *shifts]), index)

    def most_heights(self, index: Indices) -> int:
        """How many heights of a line of some terms are worth their while."""
        return max(_MOST_WORK // index.size, _LEAST_HEIGHTS)

    def decay_height_of(self, index: Indices) -> float:
        """Height above which some terms are below exp(-DEPTH), by a Gamma-like envelope."""
        variance, count = self.terms.variance[index], self.terms.count[index]
        order = np.minimum(self.terms.reach.order[index], 1e8)
        scale, power = variance / order, count * order
        log_t = 0.5 * float(np.log(2 * DEPTH / (count * variance).sum()))
        missing = np.inf
        # The depth is a convex function of log t: Newton steps come down to it from above.
        while not -0.3 < missing <= 0 and log_t < _MAX_LOG_HEIGHT:
            ratio = np.exp(2 * log_t) * scale
            missing = DEPTH - 0.5 * float((power * np.log1p(ratio)).sum())
            step = missing / float((power * ratio / (1 + ratio)).sum())
            log_t = min(log_t + step + 1e-3, _MAX_LOG_HEIGHT)
        return float(np.exp(log_t))

    def along(self, index: Indices, grid: Grid) -> Line:
        """Transform of some terms at the heights of a grid."""
        terms, top = self.terms, grid.top
        if index.size < MANY:
            values, log_mgf = self._exactly_along(index, grid)
            anchor = self.total(terms.mode[index], index)
            return Line(values, anchor, self.total(log_mgf, index), log_mgf)
        short = self.has_short_series(top)[index]
        values, log_mgf = np.ones(grid.heights.size, dtype=complex), np.empty(index.size)
        exact, smooth = index[~short], index[short]
        for rows in _blocks(np.flatnonzero(~short)):
            factor, log_mgf[rows] = self._exactly_along(index[rows], grid)
            values *= factor
        if smooth.size:
            factor, log_mgf[short] = self._smoothly_along(smooth, grid)
            values *= factor
        anchor = self.total(terms.mode[exact], exact) + self.total(terms.mean[smooth], smooth)
        return Line(values, anchor, self.total(log_mgf, index), log_mgf)

    def _smoothly_along(self, index: Indices, grid: Grid) -> tuple[Complexes, Floats]:
        """Product, and log mgfs, of terms with short Taylor series, about their means."""
        s = self.tilt + 1j * np.concatenate([[0.0], grid.heights])
        logs, log_mgf = np.zeros(s.size, dtype=complex), []
        for block in _blocks(index):
            less_one = self.taylor(block, s)
            at_tilt = less_one[:, :1].real
            # Relative to the tilt, where they are largest: products of many would overflow.
            relative = (less_one - at_tilt) / (1 + at_tilt)
            logs += _log_product_of_one_plus(relative, self.terms.count[block])
            log_mgf.append(np.log1p(at_tilt[:, 0]) + self.tilt * self.terms.mean[block])
        return np.exp(logs[1:]), np.concatenate(log_mgf)

    def has_short_series(self, top: float) -> Bools:
        """Which terms have a short Taylor series at all heights up to `top`."""
        return self._sub_gaussian_scale * float(np.hypot(top, self.tilt)) < _SHORT

    @cached_property
    def _sub_gaussian_scale(self) -> Floats:
        """Standard deviation that bounds each transform by that of a normal distribution.

        A Beta on an interval of width 1 is sub-Gaussian with variance 1 / (4 (n + 1)) at most
        (Marchal and Arbel, Electronic Communications in Probability 22, 2017). So is a paired
        difference on its interval: if the mass of the vertex in the middle is divided between both
        ends, it becomes a Beta with the same n and mean, and the transform larger (Jensen).
        Term k of the Taylor series of the transform about the mean is below (e z^2 / k)^(k / 2),
        where z is this standard deviation times the modulus of s.
        """
        width = self.terms.ends[:, -1] - self.terms.ends[:, 0]
        return np.asarray(0.5 * width / np.sqrt(self.terms.size + 1))

    def taylor(self, index: Indices, s: Complexes) -> Complexes:
        """E[exp(s x)] - 1 about the mean of some terms, shape (l, n)."""
        largest = float(np.abs(s).max())
        z = float(self._sub_gaussian_scale[index].max()) * largest
        k = _TAYLOR_ORDERS[(np.e * z * z / _TAYLOR_ORDERS) ** (_TAYLOR_ORDERS / 2) > 1e-19]
        k = np.arange(2.0, max(k.max(initial=0.0), 4.0) + 1)
        moments = self.terms.moments(index, int(k[-1]))[2:]
        size = self.terms.weights[index] * largest
        terms = moments * np.cumprod(np.outer(1 / k, size), axis=0) * size
        powers = np.cumprod(np.broadcast_to(s / largest, (k.size + 1, s.size)), axis=0)[1:]
        return np.asarray(np.einsum("kl,kn->ln", terms, powers.view(float)).view(complex))

    def _exactly_along(self, index: Indices, grid: Grid) -> tuple[Complexes, Floats]:
        """Product, and log mgfs, of one block of terms about their modes.

        Those whose ends separate are summed over nodes up to there, and over their ends beyond.
        """
        ends = self.terms.end_height[index]
        ended = self.terms.break_even[index] * ends < grid.top
        if not ended.any():
            values, log_mgf = self.terms.transforms(index, grid)
            return self._product(values, index), log_mgf
        values, log_mgf = np.empty((index.size, grid.heights.size), dtype=complex), ends
        if not ended.all():
            values[~ended], log_mgf[~ended] = self.terms.transforms(index[~ended], grid)
        octave = np.where(ended, np.floor(np.log2(np.where(ended, ends, 1.0))), np.nan)
        for one in np.unique(octave[ended]):
            rows = octave == one
            lower = grid.below(float(ends[rows].max()))
            rest = grid.heights[lower.size :]
            values[rows, : lower.size], log_mgf[rows] = self.terms.transforms(index[rows], lower)
            values[rows, lower.size :] = self._by_ends(index[rows], log_mgf[rows], rest) - 1
        return self._product(values, index), log_mgf

    def _product(self, less_one: Complexes, index: Indices) -> Complexes:
        """Product of one plus the values of each term, as often as it occurs."""
        count = self.terms.count[index]
        if (count == 1).all():
            return np.asarray((1 + less_one).prod(axis=0))
        return np.asarray(np.exp(_log_product_of_one_plus(less_one, count)))

    def _by_ends(self, index: Indices, log_mgf: Floats, heights: Floats) -> Complexes:
        """Terms about their modes, as the sums of their ends, at heights where these separate."""
        rates: Complexes = np.asarray(1j * heights)
        shares = self.terms.shares(index, log_mgf, self.tilt + rates)
        places = self.terms.ends[index] - self.terms.mode[index][:, np.newaxis]
        return np.asarray((shares * np.exp(places[:, :, np.newaxis] * rates)).sum(axis=1))

    def at(self, index: Indices, rates: Complexes) -> Complexes:
        """Product of the terms' transforms about their modes, at any c + rates."""
        product = np.ones(rates.shape, dtype=complex)
        top = float(np.abs(rates).max())
        for block in _blocks(index):
            nodes = self.terms.quadrature(block, np.full(block.size, top))
            waves = np.exp(rates[:, np.newaxis, np.newaxis] * nodes.nodes)
            sums = (waves * nodes.weights).sum(axis=2)
            product *= (sums ** self.terms.count[block]).prod(axis=1)
        return product

    def split(
        self, index: Indices, log_mgf: Floats, rates: Complexes
    ) -> tuple[Leading, list[Corner]]:
        """Find which corners of some terms count at c + rates, and split their product there.

        `log_mgf` is log E[exp(c x)] of all terms; all rates have a positive imaginary part. Corners
        of terms of equal weight that lie at the same place are added up.
        """
        index = self._repeated(index)
        found = self._lattices(index, self.terms.shares(index, log_mgf[index], self.tilt + rates))
        leading = Leading(index, *leading_of(found), tuple(one.windows for one in found))
        return leading, leading.joined(found)

    def corners(self, leading: Leading, log_mgf: Floats, rates: Complexes) -> list[Corner]:
        """Return the corners that count, at other c + rates."""
        index = leading.index
        shares = self.terms.shares(index, log_mgf[index], self.tilt + rates)
        return leading.joined(self._lattices(index, shares, leading.windows))

    def far_corners(
        self, leading: Leading, log_mgf: Floats, rate: complex, log_ratio: Floats, rise: float
    ) -> list[Corner]:
        """Corners at moduli exp(log_ratio) times that of a rate, however large.

        The share of each end is a pure power there; those of all terms are multiplied by powers
        that add up to `rise`.
        """
        index = leading.index
        s: Complexes = np.array([self.tilt + rate])
        last = self.terms.shares(index, log_mgf[index], s)
        powers = self.terms.end_orders[index] - rise / index.size
        fall = np.maximum(powers[:, :, np.newaxis] * log_ratio, -_MOST_GROWTH / index.size)
        return leading.joined(self._lattices(index, last * np.exp(-fall), leading.windows))

    def _repeated(self, index: Indices) -> Indices:
        """Repeat each of some terms as often as it occurs."""
        return np.repeat(index, self.terms.count[index].astype(int))

    @property
    def has_corners(self) -> bool:
        """Whether the ends of a term separate at any height."""
        return bool(np.isfinite(self.terms.end_height).any())

    def corners_are_few(self, index: Indices, height: float) -> bool:
        """Whether no more corners of some terms count from a height on than can be summed.

        The tilt, and the many samples of a class, leave little of most corners.
        """
        count, size = self.terms.count[index], np.abs(self.terms.weights[index])
        steps = self.terms.ends.shape[1] - 1
        _, number = np.unique(size, return_inverse=True)
        log_number = np.log1p(steps * np.bincount(number, weights=count)).sum()
        if log_number < np.log(_MAX_CORNERS) + 1e-9:
            return True
        index = self._repeated(index)
        s = self.tilt + height * (_DIRECTIONS + 1j)
        shares = self.terms.shares(index, self._log_mgf[index], s)
        kept, _ = leading_of(self._lattices(index, shares), _MAX_LEADING)
        return max(map(len, kept)) <= _MAX_LEADING

    @cached_property
    def _log_mgf(self) -> Floats:
        """Log E[exp(c x)] of each term."""
        here = Grid(np.zeros(1), np.zeros(1))
        return np.concatenate(
            [self.terms.transforms(block, here)[1] for block in _blocks(self.everything)]
        )

    def _lattices(
        self, index: Indices, shares: Complexes, windows: Sequence[Windows] | None = None
    ) -> list[Lattice]:
        """Corners of the terms of each size, with these shares of their ends."""
        size, places = np.abs(self.terms.weights[index]), self.terms.ends[index]
        return lattices(size, places, self.terms.end_orders[index], shares, windows)


def _transforms_of_nodes(nodes: Quadrature, grid: Grid, *, few: bool) -> Complexes:
    """Transform of each term about its mode, less one, at all heights of a grid, shape (l, n).

    For a `few` terms the rounding errors do not add up to much.
    """
    if nodes.nodes.size * grid.bases.size <= _TABLE and few:
        table = waves(nodes.nodes, nodes.weights, grid.bases, grid.offsets) - 1
        return table.reshape(len(table), -1)
    table = waves_less_one(nodes.nodes, nodes.weights, grid.bases, grid.offsets)
    return table.reshape(len(table), -1)


def _log_product_of_one_plus(values: Complexes, count: Floats) -> Complexes:
    """Log of the product of (1 + values)^count, up to a multiple of 2 pi i."""
    single = count == 1
    product = (1 + values[single]).prod(axis=0)
    if not single.all():
        repeated = values[~single]
        gone = np.abs(1 + repeated) < 1e-300
        logs = np.log1p(np.where(gone, 0.0, repeated)) - 1e6 * gone
        product *= np.exp((count[~single, np.newaxis] * logs).sum(axis=0))
    gone = np.abs(product) < 1e-300
    return np.asarray(np.log(np.where(gone, 1.0, product)) - 1e6 * gone)


def _blocks(index: Indices) -> list[Indices]:
    """Cut an index into blocks whose work arrays stay small."""
    return [index[start : start + _BLOCK] for start in range(0, index.size, _BLOCK)]
