"""The moment generating function of a weighted sum of independent Betas, along a contour.

A `TiltedSum` holds the classes under one tilt c and evaluates M(c + it) / M(c), as a whole or split
into the corners of the cube of class accuracies. Every position is a distance from an origin, the
mean or the upper end of the support, so that a law of width 1e-9 keeps all its digits.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from skpostbac.stats import _tilted_beta as tb
from skpostbac.stats._special import Complexes, Floats

Indices = NDArray[np.intp]

# A class with an exponent above this at each end in reach decays like a normal law.
_SMOOTH = 60.0
# Exponentials are tabulated for about this many pairs of a node and a height at a time.
_TABLE = 2**21
# Heights are looked for up to exp(300).
_MAX_LOG_HEIGHT = 300.0
# Classes of more counts than this are not expanded at both ends.
_LARGE = 2000.0


@dataclass(frozen=True)
class Grid:
    """Heights t = bases[:, None] + offsets: a table whose exponentials factor."""

    bases: Floats
    offsets: Floats

    @property
    def top(self) -> float:
        """The largest height."""
        return float(self.bases[-1] + self.offsets[-1])

    @property
    def heights(self) -> Floats:
        """All heights, row by row."""
        return (self.bases[:, np.newaxis] + self.offsets).ravel()


@dataclass(frozen=True)
class Corner:
    """One corner's share of a product of transforms: amplitude * exp((s - c) * offset)."""

    offset: float
    amplitude: Complexes


class TiltedSum:
    """Independent weighted Betas under a common tilt c, seen from an origin."""

    def __init__(
        self,
        a: Floats,
        b: Floats,
        weights: Floats,
        tilt: float,
        *,
        count: Floats | None = None,
        from_end: bool = False,
    ) -> None:
        self.a, self.b, self.weights, self.tilt = a, b, weights, tilt
        # How many classes are alike: each is computed once.
        self.count = np.ones_like(a) if count is None else count
        self.terms = tb.tilt_betas(a, b, weights, tilt)
        self.reach = tb.extent(self.terms)
        # The height from which a class may be replaced by its two ends.
        self.concentrated = self._concentrated()
        self.end_height = self._end_height()
        # Both ends of each weighted class, and its tilted mode, as distances from the origin.
        self.low_end, self.high_end = ends(a, b, weights, from_end=from_end)
        self.mode = modes(self.terms, weights, from_end=from_end)

    def _concentrated(self) -> NDArray[np.bool_]:
        """Which large classes have their mass beside one end, but are tilted away from it.

        They decay from the end more slowly than at a rate of a + b, and so need not be followed
        up to heights of that order.
        """
        n = self.a + self.b
        farthest = self.terms.p * np.exp(np.minimum(self.reach.right, 700.0)) / self.terms.q
        return (farthest < 0.4) & (n > _LARGE) & (self.terms.curvature < 0.25 * n * self.terms.p)

    def _end_height(self) -> Floats:
        """Height from which the ends of each class separate; infinite where it decays before."""
        near, far = self.terms.a, self.terms.b
        radius = np.where(
            self.concentrated, tb.concentrated_radius(near, far), tb.end_radius(near, far)
        )
        return np.where(self.reach.order < _SMOOTH, radius / np.abs(self.weights), np.inf)

    def total(self, values: Floats, index: Indices | None = None) -> float:
        """Sum of a value of each class over all classes, or over some."""
        count = self.count if index is None else self.count[index]
        return float((count * values).sum())

    @property
    def everything(self) -> Indices:
        """Indices of all classes."""
        return np.arange(self.a.size)

    @cached_property
    def _still(self) -> list[tb.Quadrature]:
        """All classes, discretised for the real axis alone."""
        return self._quadratures(self.everything, 0.0)

    @cached_property
    def log_mgf(self) -> Floats:
        """Log of E[exp(c w (theta - origin))] of each class."""
        return np.concatenate([block.log_mgf for block in self._still]) + self.tilt * self.mode

    @property
    def mean(self) -> float:
        """Tilted mean of the sum, K'(c), as a distance from the origin."""
        return self.total(self.mode + np.concatenate([block.mean for block in self._still]))

    def bounds(self, index: Indices) -> tuple[float, float]:
        """How far the sum reaches below and above its tilted mode, but for a mass exp(-REACH).

        Each class is sub-gamma: its reach is sqrt(2 V L) + C L at the level exp(-L). In a sum the
        V add and the C do not (Boucheron, Lugosi, Massart, Concentration Inequalities, 2013, 2.4).
        A class with an exponent below one may have two modes; Hoeffding's V holds for it.
        """
        low, high = -self.reach.low[index], self.reach.high[index]
        two_modes = self.reach.order[index] < 1
        variance = np.where(two_modes, (low + high) ** 2 / 4, self.terms.variance[index])
        spread = np.sqrt(2 * tb.REACH * variance)
        bulk = np.sqrt(2 * tb.REACH * self.total(variance, index))
        return (
            min(self.total(low, index), float(bulk + np.maximum(low - spread, 0.0).max())),
            min(self.total(high, index), float(bulk + np.maximum(high - spread, 0.0).max())),
        )

    def decay_height(self, index: Indices, depth: float) -> float:
        """Height above which the transform is below exp(-depth), by its Gamma-like envelope."""
        variance = self.terms.variance[index]
        order = np.minimum(self.reach.order[index], 1e8)
        log_t = 0.5 * float(np.log(2 * depth / self.total(variance, index)))
        missing = np.inf
        # The depth is a convex function of log t: Newton steps come down to it from above.
        while not -0.3 < missing <= 0 and log_t < _MAX_LOG_HEIGHT:
            ratio = np.exp(2 * log_t) * variance / order
            missing = depth - 0.5 * self.total(order * np.log1p(ratio), index)
            step = missing / self.total(order * ratio / (1 + ratio), index)
            log_t = min(log_t + step + 1e-3, _MAX_LOG_HEIGHT)
        return float(np.exp(log_t))

    def along(self, index: Indices, grids: list[Grid]) -> tuple[Complexes, Floats]:
        """Transform of some classes about their modes, up the line.

        Returns the product of the classes at the heights of all grids one after the other, and
        log E[exp(c w (theta - origin))] of each class.
        """
        top = max(grid.top for grid in grids)
        products = [np.ones(grid.heights.size, dtype=complex) for grid in grids]
        logs = []
        for block, nodes in zip(_blocks(index), self._quadratures(index, top), strict=True):
            for product, grid in zip(products, grids, strict=True):
                product *= self._product_along(block, nodes, grid)
            logs.append(nodes.log_mgf)
        return np.concatenate(products), np.concatenate(logs) + self.tilt * self.mode[index]

    def _product_along(self, block: Indices, nodes: tb.Quadrature, grid: Grid) -> Complexes:
        """Product over one block of classes on one grid, by their ends where they separate."""
        rows = max(1, _TABLE // nodes.nodes.size)
        chunks = [grid.bases[start : start + rows] for start in range(0, grid.bases.size, rows)]
        tables = [
            tb.waves_less_one(nodes.nodes, nodes.weights, bases, grid.offsets) for bases in chunks
        ]
        less_one = np.concatenate(tables, axis=1).reshape(block.size, -1)
        for row in np.flatnonzero(self._node_height(block, grid.top) < grid.top):
            i, log_mgf = block[row], nodes.log_mgf[row] + self.tilt * self.mode[block[row]]
            split = grid.heights >= self.end_height[i]
            less_one[row, split] = self._by_ends(i, log_mgf, 1j * grid.heights[split]) - 1
        return _product_of_one_plus(less_one, self.count[block])

    def _node_height(self, index: Indices, top: float) -> Floats:
        """Height up to which each class is summed over nodes: a few more are cheaper than ends."""
        ends = self.end_height[index]
        return np.where(top <= 4 * ends, top, ends)

    def _by_ends(self, i: int, log_mgf: float, rates: Complexes) -> Complexes:
        """One class about its mode, as the sum of its two ends."""
        low, high = self._ends(i, log_mgf, rates)
        low *= np.exp(rates * (self.low_end[i] - self.mode[i]))
        high *= np.exp(rates * (self.high_end[i] - self.mode[i]))
        return low + high

    def at(self, index: Indices, rates: Complexes) -> Complexes:
        """Product of the classes' transforms about their modes, at any c + rates."""
        product = np.ones(rates.shape, dtype=complex)
        top = float(np.abs(rates.imag).max())
        for block, nodes in zip(_blocks(index), self._quadratures(index, top), strict=True):
            waves = np.exp(rates[:, np.newaxis, np.newaxis] * nodes.nodes)
            product *= ((waves * nodes.weights).sum(axis=2) ** self.count[block]).prod(axis=1)
        return product

    def corners(self, index: Indices, rates: Complexes) -> list[Corner]:
        """Split the product of the classes at c + rates, all with positive imaginary part.

        Corners of classes of equal weight that lie at the same place are added up.
        """
        index = np.repeat(index, self.count[index].astype(int))
        corners = [Corner(0.0, np.ones(rates.shape, dtype=complex))]
        for weight in np.unique(self.weights[index]):
            group = self._equal_corners(index[self.weights[index] == weight], rates)
            corners = [
                Corner(one.offset + other.offset, one.amplitude * other.amplitude)
                for one in corners
                for other in group
            ]
        return corners

    def _equal_corners(self, index: Indices, rates: Complexes) -> list[Corner]:
        """Corners of classes of one weight, by the number of classes at their upper end."""
        amplitudes = [np.ones(rates.shape, dtype=complex)]
        for i in index:
            low, high = self._ends(i, self.log_mgf[i], rates)
            raised = [np.zeros_like(low), *(high * value for value in amplitudes)]
            kept = [*(low * value for value in amplitudes), np.zeros_like(low)]
            amplitudes = [stay + move for stay, move in zip(kept, raised, strict=True)]
        return [Corner(self._place(index, k), value) for k, value in enumerate(amplitudes)]

    def _place(self, index: Indices, raised: int) -> float:
        """Where some classes of one weight put a corner, counted from the nearer end."""
        weight = float(self.weights[index[0]])
        if 2 * raised < index.size:
            return float(self.low_end[index].sum()) + raised * weight
        return float(self.high_end[index].sum()) - (index.size - raised) * weight

    def _ends(self, i: int, log_mgf: float, rates: Complexes) -> tuple[Complexes, Complexes]:
        """Amplitudes of the two ends of one class, relative to its M(c)."""
        if self.concentrated[i]:
            return self._one_end(i, log_mgf, rates)
        a, b, c = float(self.a[i]), float(self.b[i]), self.tilt
        z = self.weights[i] * (c + rates)
        low = tb.end_series(a, b, z) + (c * self.low_end[i] - log_mgf)
        high = tb.end_series(b, a, -z) + (c * self.high_end[i] - log_mgf)
        return np.exp(low), np.exp(high)

    def _one_end(self, i: int, log_mgf: float, rates: Complexes) -> tuple[Complexes, Complexes]:
        """Amplitudes of the two ends of a class whose mass is all beside one of them."""
        near, far = float(self.terms.a[i]), float(self.terms.b[i])
        log_share = tb.concentrated_end(near, far, self.terms.weight[i] * (self.tilt + rates))
        end = self.high_end[i] if self.terms.flipped[i] else self.low_end[i]
        share = np.exp(log_share + (self.tilt * end - log_mgf))
        nothing = np.zeros_like(share)
        return (nothing, share) if self.terms.flipped[i] else (share, nothing)

    def _quadratures(self, index: Indices, top: float) -> list[tb.Quadrature]:
        """Discretise the classes, block by block, for heights up to `top` or their end height."""
        return [
            tb.quadrature(
                self.terms.block(block),
                self.reach.block(block),
                self._node_height(block, top),
            )
            for block in _blocks(index)
        ]


def _product_of_one_plus(values: Complexes, count: Floats) -> Complexes:
    """Product of (1 + values)^count, by logs where many factors are close to one."""
    if len(values) < 32 and (count == 1).all():
        return np.asarray((1 + values).prod(axis=0))
    gone = (np.abs(1 + values) < 1e-300).any(axis=0)
    logs = count[:, np.newaxis] * np.log1p(np.where(gone, 0.0, values))
    return np.where(gone, 0.0, np.exp(logs.sum(axis=0)))


def ends(a: Floats, b: Floats, weights: Floats, *, from_end: bool) -> tuple[Floats, Floats]:
    """Where theta = 0 and theta = 1 put each weighted class, as distances from its origin."""
    if from_end:
        return -np.maximum(weights, 0.0), np.minimum(weights, 0.0)
    return -weights * a / (a + b), weights * b / (a + b)


def modes(terms: tb.TiltedBetas, weights: Floats, *, from_end: bool) -> Floats:
    """Tilted mode of each weighted class, as a distance from its origin."""
    if not from_end:
        return terms.weight * terms.shift
    # The upper end of a class is theta = 1 for a positive weight and theta = 0 for a negative one.
    near = terms.flipped == (weights > 0)
    return -np.abs(weights) * np.where(near, terms.p, terms.q)


def _blocks(index: Indices) -> list[Indices]:
    """Cut an index into blocks whose work arrays stay small."""
    return [index[start : start + tb.BLOCK] for start in range(0, index.size, tb.BLOCK)]
