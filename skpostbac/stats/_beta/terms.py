"""Weighted Betas as the terms of a sum: what an inversion asks of each of them.

The moment generating function of w theta with theta ~ Beta(a, b) and n = a + b,

    E[exp(s w theta)] = 1F1(a; n; w s),

is computed in three ways, all accurate to about rounding:

- for a small modulus of s, by the Taylor series of the central moments about the mean. A Beta
  is sub-Gaussian with a variance of at most 1 / (4 (n + 1)), which says how many terms it takes
  (Marchal and Arbel, Electronic Communications in Probability 22, 2017);
- for any s up to some height, by the trapezoid rule in log-odds under the tilt (`tilted`);
- for a large modulus of s, as the sum of the shares of both ends (`ends`). A class whose transform
  has decayed before its ends separate needs none.

At a small distance y from the upper end of the support all variables are near one end each, where
their densities are powers. With the exponents p_i there and q_i at the other end, the density of
the sum is

    prod_i [Gamma(p_i + q_i) / Gamma(q_i) |w_i|^-p_i] y^(p - 1) / Gamma(p),  p = sum_i p_i,

and the upper tail is y / p times that.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import gammaln

from skpostbac._utils import Bools, Complexes, Floats, Indices
from skpostbac.stats._beta import tilted as tb
from skpostbac.stats._beta.ends import (
    concentrated_end,
    concentrated_radius,
    end_radius,
    end_shares,
)
from skpostbac.stats._beta.moments import central_moments, variances
from skpostbac.stats._inversion import (
    MANY,
    Grid,
    InvertibleSum,
    Quadrature,
    power_tail,
    transforms_of_nodes,
)
from skpostbac.stats._numerics import log_beta

# Ends save an effort that grows with the height.
_WORTH = 8.0
# From this many classes on, those that are alike are looked for.
_MANY = 16
# A class with an exponent above this at each end in reach decays like a normal distribution.
_SMOOTH = 60.0
# Classes of more counts than this are not expanded at both ends.
_LARGE = 2000.0
# At a height of this many inverse units of sqrt(4 (n + 1)) a Taylor series is short.
_SHORT = 1.0
_TAYLOR_ORDERS = np.arange(2.0, 60.0)


@dataclass(frozen=True)
class WeightedBetas:
    """Independent variables weight * theta, theta ~ Beta(a, b); `count` of each are alike."""

    a: Floats
    b: Floats
    weights: Floats
    count: Floats

    @classmethod
    def of(cls, a: Floats, b: Floats, weights: Floats) -> "WeightedBetas":
        """Keep one of each class, with the number of those like it, where there are many."""
        if a.size < _MANY:
            return cls(a, b, weights, np.ones_like(a))
        rows, count = np.unique(np.stack([a, b, weights], axis=1), axis=0, return_counts=True)
        return cls(rows[:, 0], rows[:, 1], rows[:, 2], count.astype(float))

    def mirrored(self) -> "WeightedBetas":
        """Return the terms of minus the sum."""
        return WeightedBetas(self.a, self.b, -self.weights, self.count)

    @cached_property
    def standard_deviation(self) -> float:
        """Standard deviation of the sum."""
        return float(np.sqrt((self.count * variances(self.a, self.b, self.weights)).sum()))

    @cached_property
    def exponents(self) -> tuple[Floats, Floats]:
        """Exponents at the upper end of each term, and at its lower end."""
        upper = self.weights > 0
        return np.where(upper, self.b, self.a), np.where(upper, self.a, self.b)

    @property
    def order(self) -> float:
        """Power with which the upper tail vanishes at the upper end of the support."""
        return float((self.count * self.exponents[0]).sum())

    def log_end_density(self, distance: Floats) -> Floats:
        """Leading term of the log density at a small distance from the upper end.

        All variables are then near one end each, where their densities are powers; the density of
        the sum is a product of Gamma functions times the distance to the power sum(near) - 1.
        """
        near, far = self.exponents
        factors = gammaln(near) - log_beta(near, far) - near * np.log(np.abs(self.weights))
        order = self.order
        power = np.zeros(distance.shape) if order == 1 else (order - 1) * np.log(distance)
        return np.asarray((self.count * factors).sum() - gammaln(order) + power)

    def log_end_tail(self, distance: Floats) -> tuple[Floats, Floats]:
        """Leading terms of the log upper tail and the log density, close to the upper end."""
        return power_tail(self.log_end_density, self.order, distance)

    @property
    def close(self) -> float:
        """Distance from an end of the support within which only leading powers count."""
        return float(1e-18 * np.abs(self.weights).min() / (self.a + self.b).max())

    def tilted(self, c: float, *, from_end: bool = False) -> InvertibleSum:
        """Tilt by exp(c x); positions are distances from the mean, or from the upper end."""
        return InvertibleSum(
            TiltedTerms(self, tb.tilt_betas(self.a, self.b, self.weights, c), c, from_end)
        )


class TiltedTerms:
    """Weighted Betas under a tilt c: the `Terms` of a `TiltedSum`."""

    def __init__(
        self, distribution: WeightedBetas, betas: tb.TiltedBetas, tilt: float, from_end: bool
    ) -> None:
        self._distribution, self._betas, self.tilt = distribution, betas, tilt
        self.weights, self.count = distribution.weights, distribution.count
        size, up = np.abs(distribution.weights), distribution.weights > 0
        if from_end:
            to_high = (
                size
                * np.where(up, distribution.b, distribution.a)
                / (distribution.a + distribution.b)
            )
            self.mean, self.high_end, self.low_end = -to_high, np.zeros_like(size), -size
            # The mode from the end that is near in the untilted or the tilted distribution.
            self.mode = -size * np.where(betas.flipped == up, betas.p, betas.q)
        else:
            n = distribution.a + distribution.b
            self.mean = np.zeros_like(size)
            self.high_end = size * np.where(up, distribution.b, distribution.a) / n
            self.low_end = -size * np.where(up, distribution.a, distribution.b) / n
            self.mode = betas.weight * betas.shift
        self.mean_less_mode, self.variance = tb.laplace_moments(betas)
        self.worth = np.full_like(size, _WORTH)

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

    @property
    def singular_range(self) -> Floats:
        """How far from zero and from the tilt, on the real axis, the shares have singularities."""
        return np.zeros_like(self.weights)

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

    def short(self, top: float) -> Bools:
        """Which terms have a short Taylor series at all heights up to `top`."""
        return self._sub_gaussian_scale * float(np.hypot(top, self.tilt)) < _SHORT

    @property
    def _sub_gaussian_scale(self) -> Floats:
        """Standard deviation that bounds each transform by that of a normal distribution.

        A Beta is sub-Gaussian with variance 1 / (4 (n + 1)) at most (Marchal and Arbel, Electronic
        Communications in Probability 22, 2017). Term k of the Taylor series of its transform about
        the mean is below (e z^2 / k)^(k / 2), where z is this standard deviation times the modulus
        of s.
        """
        return 0.5 * np.abs(self.weights) / np.sqrt(self._betas.n + 1)

    def taylor(self, index: Indices, s: Complexes) -> Complexes:
        """E[exp(s x)] - 1 about the mean of each term, shape (l, n)."""
        distribution, largest = self._distribution, float(np.abs(s).max())
        z = float(self._sub_gaussian_scale[index].max()) * largest
        k = _TAYLOR_ORDERS[(np.e * z * z / _TAYLOR_ORDERS) ** (_TAYLOR_ORDERS / 2) > 1e-19]
        k = np.arange(2.0, max(k.max(initial=0.0), 4.0) + 1)
        moments = central_moments(distribution.a[index], distribution.b[index], int(k[-1]))[2:]
        size = self.weights[index] * largest
        terms = moments * np.cumprod(np.outer(1 / k, size), axis=0) * size
        powers = np.cumprod(np.broadcast_to(s / largest, (k.size + 1, s.size)), axis=0)[1:]
        return np.asarray(np.einsum("kl,kn->ln", terms, powers.view(float)).view(complex))

    def transforms(self, index: Indices, grid: Grid) -> tuple[Complexes, Floats]:
        """Transform some terms, about their modes and less one, (l, n); with log mgfs, (l,)."""
        nodes = self.quadrature(index, np.full(index.size, grid.top))
        values = transforms_of_nodes(nodes, grid, few=float(self.count.sum()) < MANY)
        return values, nodes.log_mgf + self.tilt * self.mode[index]

    def mean_shifts(self, index: Indices) -> Floats:
        """Tilted means of some terms less their modes."""
        return self.quadrature(index, np.zeros(index.size)).mean

    def quadrature(self, index: Indices, top: Floats) -> Quadrature:
        """Discretise some terms about their modes, exactly up to the heights `top`."""
        return tb.quadrature(self._betas.block(index), self.reach.block(index), self.tilt, top)

    def places(self, index: Indices) -> Floats:
        """Positions of the ends of some terms, shape (l, 2), lower end first."""
        return np.array([self.low_end[index], self.high_end[index]]).T

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
            factor = self.tilt * self.places(split).T - log_mgf[~whole]
            shares = end_shares(exponents, np.abs(distribution.weights[split]), s, factor)
            result[~whole] = np.moveaxis(shares, 0, 1)
        for row in np.flatnonzero(whole):
            i, betas = index[row], self._betas
            log_share = concentrated_end(float(betas.a[i]), float(betas.b[i]), betas.weight[i] * s)
            upper = int(betas.flipped[i] == (self.weights[i] > 0))
            end = (self.high_end if upper else self.low_end)[i]
            result[row, upper] = np.exp(log_share + (self.tilt * end - log_mgf[row]))
        return result
