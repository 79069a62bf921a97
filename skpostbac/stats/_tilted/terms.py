"""Weighted Betas as the terms of a sum, with all that an inversion needs of each.

The moment generating function of w theta with theta ~ Beta(a, b) and n = a + b,

    E[exp(s w theta)] = 1F1(a; n; w s),

is computed in three ways, all accurate to about rounding:

- for a small modulus of s, by the Taylor series of the central moments about the mean;
- for any s up to some height, by the trapezoid rule in log-odds under the tilt (`betas`);
- for a large modulus of s, as the sum of the shares of both ends (`ends`). A class whose transform
  has decayed before its ends separate needs none.

At a small distance y from an end a Beta has the density Gamma(n) / Gamma(q) |w|^-p y^(p - 1) /
Gamma(p), with the exponents p there and q at the other end.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import gammaln

from skpostbac._utils import Bools, Complexes, Floats, Indices
from skpostbac.stats._beta import central_moments, variances
from skpostbac.stats._inversion import (
    IndependentSum,
    InvertibleSum,
    Quadrature,
    Terms,
    alike,
)
from skpostbac.stats._numerics import log_beta
from skpostbac.stats._tilted import betas as tb
from skpostbac.stats._tilted.ends import (
    concentrated_end,
    concentrated_radius,
    end_radius,
    end_shares,
)

# The expansion at the ends pays off above this multiple of its least height: the cost of quadrature
# grows with the height.
_BREAK_EVEN = 8.0
# A class with an exponent above this at each end in reach decays like a normal distribution.
_SMOOTH = 60.0
# Classes of more counts than this are not expanded at both ends.
_LARGE = 2000.0


@dataclass(frozen=True)
class WeightedBetas(IndependentSum):
    """Independent variables weight * theta, theta ~ Beta(a, b); `count` of each are alike."""

    a: Floats
    b: Floats
    weights: Floats
    count: Floats

    @classmethod
    def of(cls, a: Floats, b: Floats, weights: Floats) -> "WeightedBetas":
        """Keep one of each class, with the number of those like it, where there are many."""
        rows, count = alike(np.stack([a, b, weights], axis=1))
        return cls(rows[:, 0], rows[:, 1], rows[:, 2], count)

    def mirrored(self) -> "WeightedBetas":
        """Return the terms of minus the sum."""
        return WeightedBetas(self.a, self.b, -self.weights, self.count)

    @cached_property
    def size(self) -> Floats:
        """Sum of both exponents of each."""
        return self.a + self.b

    @cached_property
    def ends(self) -> Floats:
        """Distances of both ends of each from its mean, lower end first, shape (l, 2)."""
        upper, lower = self.exponents
        size = np.abs(self.weights) / self.size
        return np.array([-size * lower, size * upper]).T

    @property
    def variances(self) -> Floats:
        """Variance of each weighted variable."""
        return variances(self.a, self.b, self.weights)

    @cached_property
    def exponents(self) -> tuple[Floats, Floats]:
        """Exponents at the upper end of each term, and at its lower end."""
        upper = self.weights > 0
        return np.where(upper, self.b, self.a), np.where(upper, self.a, self.b)

    @cached_property
    def end_powers(self) -> tuple[Floats, Floats]:
        """Log of Gamma(p + q) / Gamma(q) |w|^-p, and p, of each at its upper end."""
        near, far = self.exponents
        return gammaln(near) - log_beta(near, far) - near * np.log(np.abs(self.weights)), near

    def tilted(self, c: float, *, from_end: bool = False) -> InvertibleSum:
        """Tilt by exp(c x); positions are distances from the mean, or from the upper end."""
        return InvertibleSum(TiltedTerms(self, c, from_end=from_end))


class TiltedTerms(Terms):
    """Weighted Betas under a tilt c: the `Terms` of a `TiltedSum`."""

    def __init__(self, distribution: WeightedBetas, tilt: float, *, from_end: bool) -> None:
        super().__init__(distribution, tilt, from_end=from_end)
        betas = tb.tilt_betas(distribution.a, distribution.b, distribution.weights, tilt)
        self._distribution, self._betas = distribution, betas
        self.mode = betas.weight * betas.shift
        if from_end:
            # From the end that is near in the untilted or the tilted distribution.
            near = np.where(betas.flipped == (self.weights > 0), betas.p, betas.q)
            self.mode = -np.abs(self.weights) * near
        self.mean_less_mode, self.variance = tb.laplace_moments(betas)
        self.break_even = np.full_like(self.weights, _BREAK_EVEN)

    @cached_property
    def reach(self) -> tb.Extent:
        """How far each term reaches from its mode."""
        return tb.extent(self._betas)

    @cached_property
    def end_height(self) -> Floats:
        """Height from which the ends of each term separate; infinite where it decays before."""
        near, far = self._betas.a, self._betas.b
        radius = end_radius(near, far)
        if self._concentrated.any():
            radius = np.where(self._concentrated, concentrated_radius(near, far), radius)
        return np.where(self.reach.order < _SMOOTH, radius / np.abs(self.weights), np.inf)

    @cached_property
    def end_orders(self) -> Floats:
        """Powers with which the shares of the ends decay, shape (l, 2), lower end first."""
        upper, lower = self._distribution.exponents
        return np.stack([lower, upper], axis=1)

    @cached_property
    def _concentrated(self) -> Bools:
        """Which large terms have their mass beside one end, but are tilted away from it.

        They decay from the end more slowly than at a rate of a + b, and so need not be followed
        up to heights of that order.
        """
        betas = self._betas
        farthest = betas.p * np.exp(np.minimum(self.reach.right, 700.0)) / betas.q
        slow = betas.curvature < 0.25 * betas.n * betas.p
        return (farthest < 0.4) & (betas.n > _LARGE) & slow

    def moments(self, index: Indices, order: int) -> Floats:
        """Central moments 0 to `order` of some terms without their weights."""
        return central_moments(self._distribution.a[index], self._distribution.b[index], order)

    def quadrature(self, index: Indices, top: Floats, heights: float = np.inf) -> Quadrature:
        """Discretise some terms about their modes, exactly up to a modulus `top` of s - c."""
        return tb.quadrature(self._betas[index], self.reach[index], self.tilt, top)

    def shares(self, index: Indices, log_mgf: Floats, s: Complexes) -> Complexes:
        """Amplitudes of the ends of some terms relative to M(c), (l, 2, n), lower end first.

        `log_mgf` is that of each about the origin.
        """
        result = np.zeros((index.size, 2, s.size), dtype=complex)
        whole = self._concentrated[index]
        if not whole.all():
            distribution, split = self._distribution, index[~whole]
            exponents = np.array([distribution.a[split], distribution.b[split]])
            exponents = np.where(distribution.weights[split] > 0, exponents, exponents[::-1])
            factor = self.tilt * self.ends[split].T - log_mgf[~whole]
            shares = end_shares(exponents, np.abs(distribution.weights[split]), s, factor)
            result[~whole] = np.moveaxis(shares, 0, 1)
        for row in np.flatnonzero(whole):
            i, betas = index[row], self._betas
            log_share = concentrated_end(float(betas.a[i]), float(betas.b[i]), betas.weight[i] * s)
            upper = int(betas.flipped[i] == (self.weights[i] > 0))
            factor = self.tilt * self.ends[i, upper] - log_mgf[row]
            result[row, upper] = np.exp(log_share + factor)
        return result
