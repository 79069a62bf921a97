"""Weighted paired differences as terms of a sum, with the interface for the inversion.

The moment generating function of w D with D = p_B - p_A and (p_B, p_A, p_r) ~ Dirichlet(alpha) is
computed in four ways, as in the terms of a Beta with vertices in place of ends:

- for a small modulus of s, by the Taylor series of the central moments about the mean;
- on a vertical line where the path is short, by one integral for each height (`path`);
- elsewhere up to some height, by a product of trapezoid rules in two log-odds under the tilt
  (`tilted`);
- for a large modulus of s, as the sum of the contributions of the vertices B, A and r (`ends`), at
  D = 1, -1 and 0.

The leading term of the density at an end of the support is a power of the distance from it, in
closed form.
"""

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from scipy.special import gammaln

from skpostbac._utils import Complexes, Floats, Indices
from skpostbac.stats import _tilted as tb
from skpostbac.stats._dirichlet import path as pp
from skpostbac.stats._dirichlet import tilted as tp
from skpostbac.stats._dirichlet.ends import (
    concentrated_end,
    concentrated_radius,
    end_radius,
    end_shares,
)
from skpostbac.stats._dirichlet.moments import central_moments, variances
from skpostbac.stats._inversion import (
    Grid,
    IndependentSum,
    InvertibleSum,
    Quadrature,
    Terms,
    alike,
    at_heights,
)
from skpostbac.stats._numerics import log_beta

# Ends save an effort that grows like the square of the height for nodes, as with few counts.
_FEW, _BREAK_EVEN = 4.0, (2.0, 8.0)
# A class with at least this exponent at each vertex in reach decays like a normal distribution.
_SMOOTH = 60.0
# A class within this distance of a vertex with so many counts is beside it.
_BESIDE, _CONCENTRATED = 0.6, 100.0
# More heights than this do not make shorter rules.
_MANY_HEIGHTS = 10_000
# The vertices B, A and r by increasing value.
_BY_VALUE = np.array([1, 2, 0])


@dataclass(frozen=True)
class WeightedPairs(IndependentSum):
    """Independent variables weight * (p_B - p_A); `count` of each are alike.

    `alphas` has shape (l, 3): the cells where only B is right, only A is, and both or neither.
    All weights are positive: a negative one exchanges A and B.
    """

    alphas: Floats
    weights: Floats
    count: Floats

    @classmethod
    def of(cls, alphas: Floats, weights: Floats) -> "WeightedPairs":
        """Keep one of each class, with the number of those like it, where there are many."""
        seen = np.where((weights > 0)[:, np.newaxis], alphas, alphas[:, [1, 0, 2]])
        rows, count = alike(np.column_stack([seen, np.abs(weights)]))
        return cls(np.ascontiguousarray(rows[:, :3]), rows[:, 3].copy(), count)

    def mirrored(self) -> "WeightedPairs":
        """Return the terms of minus the sum."""
        return WeightedPairs(self.alphas[:, [1, 0, 2]], self.weights, self.count)

    @cached_property
    def size(self) -> Floats:
        """Sum of the exponents of each."""
        return np.asarray(self.alphas.sum(axis=1))

    @cached_property
    def ends(self) -> Floats:
        """Distances of the vertices A, r and B of each from its mean, shape (l, 3)."""
        b, a, r = self.alphas.T
        size = self.weights / self.size
        return np.stack([-size * (2 * b + r), size * (a - b), size * (2 * a + r)], axis=1)

    @property
    def variances(self) -> Floats:
        """Variance of each weighted variable."""
        return variances(self.alphas, self.weights)

    @cached_property
    def end_powers(self) -> tuple[Floats, Floats]:
        """Log factor and power of each at its upper end, the vertex B.

        There 2 p_A + p_r = y has the density Gamma(n) / Gamma(alpha_B) 2^-alpha_A y^(m - 1) /
        Gamma(m), m = alpha_A + alpha_r.
        """
        b, a, r = self.alphas.T
        rest = a + r
        factors = gammaln(rest) - log_beta(b, rest) - a * np.log(2) - rest * np.log(self.weights)
        return factors, rest

    def tilted(self, c: float, *, from_end: bool = False) -> InvertibleSum:
        """Tilt by exp(c x); positions are distances from the mean, or from the upper end."""
        return InvertibleSum(TiltedPairTerms(self, c, from_end=from_end))


class TiltedPairTerms(Terms):
    """Weighted paired differences under a tilt c: the `Terms` of a `TiltedSum`."""

    def __init__(self, distribution: WeightedPairs, tilt: float, *, from_end: bool) -> None:
        super().__init__(distribution, tilt, from_end=from_end)
        self._pairs = tp.tilt_pairs(distribution.alphas, distribution.weights, tilt)
        self.mode = -self._pairs.to_high if from_end else self._pairs.shift
        self.mean_less_mode, self.variance = self._pairs.mean_less_mode, self._pairs.variance
        self.break_even = np.where(self.size < _FEW, *_BREAK_EVEN)

    @cached_property
    def reach(self) -> tp.PairExtent:
        """How far each term reaches from its mode."""
        return tp.extent(self._pairs)

    @cached_property
    def end_orders(self) -> Floats:
        """Powers with which the shares of the ends decay, shape (l, 3), lowest end first."""
        return np.asarray(tp.orders(self._pairs.alphas)[:, _BY_VALUE])

    @cached_property
    def end_height(self) -> Floats:
        """Height from which the ends of each term separate; infinite where it decays before."""
        return np.where(self.reach.order < _SMOOTH, self._radius / self.weights, np.inf)

    @property
    def singular_range(self) -> Floats:
        """How far from zero and from the tilt, on the real axis, the shares have singularities.

        The share of a term beside one vertex varies there almost like a power of z -+ n.
        """
        return np.where(self._radius_and_vertex[1] >= 0, self.size / self.weights, 0.0)

    @property
    def _radius(self) -> Floats:
        """Modulus from which the shares of the vertices may be used."""
        return self._radius_and_vertex[0]

    @cached_property
    def _radius_and_vertex(self) -> tuple[Floats, Indices]:
        """Radii, and the vertex beside which a term has all of its mass, or -1.

        Such a term need not be followed up to heights of the order of all its counts, and has no
        shares of other vertices.
        """
        alphas = self._pairs.alphas
        radius, vertex = end_radius(alphas), np.full(self.weights.size, -1)
        beside = (self._farthest < _BESIDE) & (alphas >= _CONCENTRATED) & self.reach.vertices
        for j in np.flatnonzero(beside.any(axis=0)):
            smaller = concentrated_radius(alphas, int(j))
            whole = beside[:, j] & (smaller < radius)
            radius, vertex = np.where(whole, smaller, radius), np.where(whole, j, vertex)
        return radius, vertex

    @property
    def _farthest(self) -> Floats:
        """Largest distances 1 - p_j in reach from the vertices B, A and r, shape (l, 3)."""
        pairs, reach = self._pairs, self.reach
        s_low, s_high = _ends_of(pairs.total, reach.total)
        u_low, u_high = _ends_of(pairs.share, reach.share)
        return np.stack([1 - s_low * u_low, 1 - s_low * (1 - u_high), s_high], axis=1)

    def moments(self, index: Indices, order: int) -> Floats:
        """Central moments 0 to `order` of some terms without their weights."""
        return central_moments(self._pairs.alphas[index], order)

    def transforms(self, index: Indices, grid: Grid) -> tuple[Complexes, Floats]:
        """Transform some terms, about their modes and less one, (l, n); with log mgfs, (l,)."""
        step, pairs = grid.step, self._pairs[index]
        rule = pp.paths(pairs, step or 0.0, grid.size)
        short = rule.short & (step is not None)
        if not short.any():
            return super().transforms(index, grid)
        values, log_mgf = np.empty((index.size, grid.size), dtype=complex), np.empty(index.size)
        start = float(grid.heights[0])
        on_path, log_ratio = pp.transforms(pairs[short], rule[short], start, grid.size)
        values[short], log_mgf[short] = on_path, log_ratio + self.tilt * self.mode[index[short]]
        if not short.all():
            values[~short], log_mgf[~short] = super().transforms(index[~short], grid)
        return values, log_mgf

    def quadrature(self, index: Indices, top: Floats, heights: float = np.inf) -> Quadrature:
        """Discretise some terms about their modes, exactly up to a modulus `top` of s - c."""
        # Off the line, where exponentials do not factor, as for many heights.
        heights = min(heights, _MANY_HEIGHTS)
        return tp.quadrature(self._pairs[index], self.reach[index], self.tilt, top, heights)

    def shares(self, index: Indices, log_mgf: Floats, s: Complexes) -> Complexes:
        """Amplitudes of the ends of some terms relative to M(c), (l, 3, n), lowest end first.

        `log_mgf` is that of each about the origin.
        """
        vertex = self._radius_and_vertex[1][index]
        factor = self.tilt * self.ends[index] - log_mgf[:, np.newaxis]
        result = np.zeros((index.size, 3, s.size), dtype=complex)
        split, alphas = vertex < 0, self._pairs.alphas[index]
        if split.any():
            size = self.weights[index][split]
            logs = at_heights(partial(end_shares, alphas[split], size), s)
            result[split] = np.exp(logs[:, _BY_VALUE] + factor[split][:, :, np.newaxis])
        for row in np.flatnonzero(~split):
            place = int(np.flatnonzero(vertex[row] == _BY_VALUE)[0])
            share = partial(concentrated_end, alphas[row], vertex=int(vertex[row]))
            log_share = at_heights(share, self.weights[index[row]] * s)
            result[row, place] = np.exp(log_share + factor[row, place])
        return result


def _ends_of(terms: tb.TiltedBetas, reach: Floats) -> tuple[Floats, Floats]:
    """Least and greatest value in reach of the unreflected variable."""
    odds = terms.p / terms.q
    low, high = odds * np.exp(-reach[:, 0]), odds * np.exp(np.minimum(reach[:, 1], 700.0))
    low, high = low / (1 + low), high / (1 + high)
    return np.where(terms.flipped, 1 - high, low), np.where(terms.flipped, 1 - low, high)
