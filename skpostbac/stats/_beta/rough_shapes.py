"""Shortest intervals and modes of weighted sums of two Betas that are not smooth.

Both are found as those of smooth sums are, from values on an even grid and by Newton's method, but
with values by quadrature (`rough_pairs`). Places are distances from that end of the support which
is nearer to the mean.

A corner is an end of the support, or a place at which one variable is 0 and the other is 1. Beside
a corner whose exponents have the sum s, the density is that of a smooth function and a multiple of
the distance to the power s - 1. What it does there is not on the grid: where it might matter,
nothing is found here.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import betaln

from skpostbac._utils import Floats
from skpostbac.stats._beta.rough_pairs import (
    Nodes,
    Pairs,
    is_accurate,
    is_fit,
    pair_quantiles,
    seen_from_nearer_end,
)
from skpostbac.stats._smooth import LEAST, Grid, is_level_set, modes, shortest_intervals

# Places of the grid, which leaves out about this probability on either side. Every third node is
# enough for its values.
_PLACES, _BEYOND, _STRIDE = 48, 1e-9, 3
# A density that is higher, or lower, by this factor leaves no doubt.
_CLEAR = 2.0


def rough_shortest(a: Floats, b: Floats, weights: Floats, level: float) -> Floats:
    """Return both ends of the shortest interval, parameters of shape (2,); NaN if not found."""
    shape, is_upper = _shape(a, b, weights)
    if shape is None or min(level, 1 - level) < LEAST:
        return np.full(2, np.nan)
    with np.errstate(all="ignore"):
        y = shape.shortest(level)
    return _from_end(y, weights, is_upper)


def rough_mode(a: Floats, b: Floats, weights: Floats) -> float:
    """Return the point of highest density, parameters of shape (2,); NaN if not found."""
    shape, is_upper = _shape(a, b, weights)
    if shape is None:
        return np.nan
    with np.errstate(all="ignore"):
        y = shape.mode()
    return float(_from_end(np.array([y]), weights, is_upper)[0])


def _shape(a: Floats, b: Floats, weights: Floats) -> tuple["_Shape | None", bool]:
    """Return the shape of a sum, if the rule can integrate it, and whether it is mirrored."""
    a, b, weights = (values[np.newaxis] for values in (a, b, weights))
    if not is_fit(a, b, weights).all():
        return None, False
    pairs, is_upper = seen_from_nearer_end(a, b, weights)
    return _Shape(pairs), bool(is_upper[0, 0])


def _from_end(y: Floats, weights: Floats, is_upper: bool) -> Floats:
    """Return points at distances from an end of the support, rising."""
    if is_upper:
        return np.asarray(np.maximum(weights, 0.0).sum() - y[::-1])
    return np.asarray(np.minimum(weights, 0.0).sum() + y)


@dataclass(frozen=True)
class _Shape:
    """The density of one sum, which has what `Series` have to find its shape."""

    pairs: Pairs

    @property
    def reach(self) -> Floats:
        """Length of the support, shape (1,)."""
        return np.asarray(self.pairs.weights.sum(axis=1))

    @property
    def deviation(self) -> Floats:
        """The standard deviation, shape (1,)."""
        return np.sqrt(self.pairs.variance[:, 0])

    def waves(self, _: int = 2) -> "_Shape":
        """Return what evaluates the cdf and its derivatives."""
        return self

    def at(self, y: Floats) -> Floats:
        """Return the cdf and three derivatives at y, shape (1, n); NaN where not accurate."""
        nodes = Nodes.of(self.pairs, y)
        (cdf, _), (error, _) = nodes.tails_and_errors()
        density, doubt = nodes.density_and_doubt()
        values = np.stack([cdf, density, *nodes.derivatives()])
        return np.where(is_accurate(error, doubt), values, np.nan)

    def grid(self) -> Grid:
        """Return values on an even grid."""
        return self._grid

    @cached_property
    def _grid(self) -> Grid:
        tails = np.array([[_BEYOND, 1 - _BEYOND]])
        first, last = self.pairs.like_beta(tails)[0].tolist()
        y = np.linspace(first, last, _PLACES)[np.newaxis]
        nodes = Nodes.of(self.pairs, y, _STRIDE)
        return Grid(y, nodes.tails_and_errors()[0][0], nodes.density_and_doubt()[0])

    def shortest(self, level: float) -> Floats:
        """Return both ends of the shortest interval; NaN if not found."""
        ends = self._from_nearer_end(level)
        if ends is None:
            ends = shortest_intervals(self, level)[:, 0]
        return ends if self._is_clear(ends) else np.full(2, np.nan)

    def _from_nearer_end(self, level: float) -> Floats | None:
        """Return the interval that begins at the nearer end; None if it is not the shortest."""
        if not self._end_density > 0:
            return None
        last = pair_quantiles(self.pairs, np.array([[level]]), np.array([[1 - level]]))
        ends = np.append(0.0, last)
        density = self.at(ends[np.newaxis, 1:])[1, :, 0]
        if density <= self._end_density and is_level_set(self._grid, ends[:, np.newaxis], density):
            return ends
        return None

    def mode(self) -> float:
        """Return the place of highest density; NaN if not found."""
        y, density = self._grid.y[0], self._grid.density[0]
        places, powers = self._corners
        rough = powers[1:3] < 2
        rough &= (powers[1:3] <= 1) | (np.interp(places[1:3], y, density) * _CLEAR > density.max())
        if rough.any() or min(powers[0], powers[3]) < 1:
            return np.nan
        if self._end_density >= density[0] and (np.diff(density) < 0).all():
            return 0.0
        found, highest = float(modes(self)[0]), y[density.argmax()]
        is_near = abs(found - highest) < y[1] - y[0] and self._end_density * _CLEAR < density.max()
        return found if is_near else np.nan

    def _is_clear(self, ends: Floats) -> bool:
        """Return whether what is beside the corners can make no other interval shorter."""
        y, density = self._grid.y[0], self._grid.density[0]
        places, powers = self._corners
        at_corners, level = np.interp(places, y, density), np.interp(ends, y, density).min()
        is_end = np.array([True, False, False, True])
        inside = (powers <= 1) | (at_corners > _CLEAR * level)
        outside = (powers > 1) & (is_end | (at_corners * _CLEAR < level))
        clear = np.where((ends[0] <= places) & (places <= ends[1]), inside, outside)
        beyond = (places < y[0]) | (places > y[-1])
        return bool((clear | (powers >= 2) | (beyond & ~is_end)).all())

    @property
    def _corners(self) -> tuple[Floats, Floats]:
        """Places of the corners, the nearer end first, and their sums of exponents."""
        ((a, c),), ((b, d),), ((v, w),) = self.pairs.a, self.pairs.b, self.pairs.weights
        return np.array([0.0, v, w, v + w]), np.array([a + c, b + c, a + d, b + d])

    @cached_property
    def _end_density(self) -> float:
        """Limit of the density at the nearer end."""
        ((a, c),), ((b, d),), ((v, w),) = self.pairs.a, self.pairs.b, self.pairs.weights
        if a + c != 1:
            return np.inf if a + c < 1 else 0.0
        log_density = betaln(a, c) - betaln(a, b) - betaln(c, d) - a * np.log(v) - c * np.log(w)
        return float(np.exp(log_density))
