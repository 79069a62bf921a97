"""Weighted sums of Betas, as sums of which `_fourier` makes series.

Arrays have shape (m, l): m sums of l variables.

**Reflection.** A variable with a > b is reflected, theta -> 1 - theta with the weight
-w, so that a <= b and p = a / n <= 1/2. No digits of a small p are lost then.

**Ranges.** The range of a sum and that of its transform follow from bounds for each
variable. The characteristic function of a Gamma variable of variance v and shape o has
the modulus (1 + t^2 v / o)^(-o / 2). That of a Beta decays at least as fast with o = a
(tests check it), so that the product is below exp(-D) from the height T with

    1/2 sum_i o_i log(1 + T^2 v_i / o_i) = D

on. The moment generating function of a centred Beta is, on the side of its longer tail,
below that of a centred Gamma variable of the same variance v and third cumulant c v, c
= 2 |b - a| / (n (n + 2)), and below that of a normal variable on the other; tests check
it, and Skorski has tails of this form (Bernstein-type bounds for Beta distribution,
Modern Stochastics 10, 2023). For a Gamma variable

    log E[exp(h X)] = v h^2 k(c h / 2),    k(y) = -(log(1 - y) + y) / y^2,

and k increases, so that in a sum the variances add, and the largest |w| c of the
variables skewed to a side counts there. By Chernoff's bound, and u - log(1 + u) >=
u^2 / 2 / (1 + 2 u / 3), no more than exp(-D) is on that side beyond

    D c / 3 + sqrt((D c / 3)^2 + 2 D v),

and nothing beyond the end of the support.
"""

import math
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import betaln, gammaln

from skpostbac._utils import Bools, Complexes, Floats, Indices
from skpostbac.stats._beta.characteristic import characteristic_functions, expansions
from skpostbac.stats._beta.parameters import variances
from skpostbac.stats._beta.single import SingleBetas
from skpostbac.stats._centred import Centred, power_limits
from skpostbac.stats._corners import LEAST_TERM, OtherEnds, corner_terms, ratios_of
from skpostbac.stats._fourier import (
    NARROW,
    chernoff_bounds,
    series_of,
    vanishing_heights,
)
from skpostbac.stats._numerics import Rows

_SIDES = np.array([-1.0, 1.0])[:, np.newaxis, np.newaxis]


@dataclass(frozen=True)
class BetaSums(Rows):
    """Sums of `weight` times theta ~ Beta(a, b), a <= b; shapes (m, l).

    They are `skpostbac.stats._fourier.Sums`.

    Attributes
    ----------
    count : number of identical variables that each stands for.
    n, p : sum of the exponents, and mean.
    size : sizes of the weights.
    variances : variance of each weighted variable.
    to_low, to_high : distances of the mean of each weighted variable from its ends.
    """

    count: Floats
    n: Floats
    p: Floats
    weight: Floats
    a: Floats
    b: Floats
    size: Floats
    variances: Floats
    to_low: Floats
    to_high: Floats

    @classmethod
    def reflected(cls, a: Floats, b: Floats, weights: Floats) -> "BetaSums":
        """Reflect variables so that a <= b."""
        count = np.ones_like(a)
        if len(a) == 1:
            # Identical variables of a single sum are computed once.
            counts = Counter(
                zip(a[0].tolist(), b[0].tolist(), weights[0].tolist(), strict=True)
            )
            if len(counts) < a.shape[1]:
                a, b, weights = np.array(list(counts)).T[:, np.newaxis]
                count = np.array([list(counts.values())], dtype=float)
        each = variances(a, b, weights)
        variance = (count * each).sum(axis=1, keepdims=True)

        weight = np.where(a > b, -weights, weights)
        a, b = np.sort([a, b], axis=0)
        n = a + b
        p = a / n
        size = np.abs(weights)
        to_low = size * np.where(weight > 0, a, b) / n
        to_high = size * np.where(weight > 0, b, a) / n
        sums = cls(count, n, p, weight, a, b, size, each, to_low, to_high)
        return sums._with_constants(each <= NARROW**2 * variance)

    def _with_constants(self, chosen: Bools, **values: float) -> "BetaSums":
        """Replace variables, (m, l), by their means: uniform ones of weight zero."""
        if not chosen.any():
            return self
        uniform = {"n": 2.0, "p": 0.5, "a": 1.0, "b": 1.0}
        values |= uniform | {"weight": 0.0, "size": 0.0, "variances": 0.0}
        fields = {
            name: np.where(chosen, value, getattr(self, name))
            for name, value in values.items()
        }
        return replace(self, **fields)

    def only(self, chosen: Bools) -> "BetaSums":
        """Return sums of some of the variables, (m, l)."""
        columns = chosen.any(axis=0)
        is_left_out = ~chosen[:, columns]
        return self[:, columns]._with_constants(is_left_out, to_low=0.0, to_high=0.0)

    @cached_property
    def variance(self) -> Floats:
        return np.asarray((self.count * self.variances).sum(axis=1))

    @property
    def decay(self) -> Floats:
        exponents = np.where(self.size > 0, self.a, 0.0)
        return np.asarray((self.count * exponents).sum(axis=1))

    @property
    def resolved(self) -> Floats:
        # From here on the expansions have a relative error of 1e-15.
        size = self.size
        heights = np.zeros_like(size)
        np.divide(3 * self.n + 40, size, out=heights, where=size > 0)
        return heights

    @property
    def vanishing(self) -> Floats:
        ratios = self.variances / self.a
        return vanishing_heights(self.count * self.a, ratios, self.variance)

    @property
    def means(self) -> Floats:
        distances = [0 * self.to_low, self.to_low, -self.to_high]
        return np.asarray((self.count * distances).sum(axis=2))

    @property
    def have_one_peak(self) -> Bools:
        # A sum of variables with concave log densities, and one more with a single
        # peak, has a single peak (Ibragimov, Theory of Probability and Its Applications
        # 1, 1956).
        n_peaks = (self.count * (self.a < 1) + 2 * (self.b < 1)).sum(axis=1)
        return np.asarray(n_peaks <= 1)

    def ranges(self) -> Floats:
        skewed = self.weight * (1 - 2 * self.p) / (self.n + 2)
        largest = (_SIDES * skewed).max(axis=2, initial=0.0)
        return chernoff_bounds(largest, self.variance, self.to_ends)

    @property
    def to_ends(self) -> Floats:
        """Distances of both ends from the means, without constants, shape (2, m)."""
        used = self.count * (self.size > 0)
        return np.asarray((used * [self.to_low, self.to_high]).sum(axis=2))

    def end_densities(self, reach: Floats) -> Floats:
        # At an end of the support where the variables have the exponents e, and at the
        # distance d, the density tends to
        #
        #     prod_i (Gamma(n_i) / Gamma(n_i - e_i) w_i^-e_i) d^(S - 1) / Gamma(S),
        #     S = sum_i e_i.
        is_used = self.size > 0
        if (self.decay > 1 + 1e-9).all():
            return np.zeros_like(reach)

        # At each end of the sum, whether theta is 1 there.
        is_one = (self.weight > 0) == (_SIDES > 0)
        e = np.where(is_one, self.b, self.a)
        o = np.where(is_one, self.a, self.b)
        used = self.count * is_used
        size = np.where(is_used, self.size, 1.0)
        logs = gammaln(e) - betaln(e, o) - e * np.log(size)
        limits = power_limits((used * e).sum(axis=2), (used * logs).sum(axis=2))
        return np.where(reach >= self.to_ends, limits, 0.0)

    def coefficients(self, step: Floats, n_orders: int) -> Complexes:
        rates = step[:, np.newaxis] * self.weight
        values = characteristic_functions(self.n, self.p, rates, n_orders)
        return self._product(values[..., 1:])

    def _product(self, values: Complexes) -> Complexes:
        """Return products over the variables, each as often as it is in the sum."""
        if self.count.max(initial=1) > 1:
            values = values ** self.count[..., np.newaxis]
        return np.asarray(np.multiply.reduce(values, axis=1))

    def corners(
        self, log_orders: Complexes, step: Floats, scale: Floats
    ) -> tuple[Floats, Complexes]:
        # The corner where every theta is 0; constants are at their means.
        is_used = self.size > 0
        at_low = np.where(is_used, np.maximum(-self.weight, 0.0), self.to_low)
        at_high = np.where(is_used, np.maximum(self.weight, 0.0), self.to_high)
        distances = np.array([-self.weight * self.p, at_low, -at_high])
        position = (self.count * distances).sum(axis=2)

        zero, columns, one = self._end_expansions(log_orders, step)
        others = []
        for i, ratio in zip(columns, one.swapaxes(0, 1), strict=True):
            is_up = self.weight[:, i, np.newaxis] > 0
            # The other end is at a distance of the weight, of either sign.
            signs = {sign: is_up == (sign > 0) for sign in (-1, 1)}
            ratios = {sign: ratio * own for sign, own in signs.items() if own.any()}
            others.append(OtherEnds(self.size[:, i], ratios, self.count[:, i]))
        return corner_terms(position, self._product(zero), others, scale)

    def _end_expansions(
        self, log_orders: Complexes, step: Floats
    ) -> tuple[Complexes, Indices, Complexes]:
        """Return expansions at theta = 0, and at theta = 1 where not negligible.

        The first have the shape (m, l, N). The others are those of some columns, and
        divided by the first.
        """
        is_used = self.size > 0
        both = np.array([self.a, self.b])

        # Logs of the sizes at the first order of the expansions at theta = 0 and 1, and
        # of the largest corner with one theta at 1.
        log_rate = np.log(step[:, np.newaxis] * np.where(is_used, self.size, 1.0))
        log_first = gammaln(both) - betaln(*both)
        log_zero, log_one = log_first - both * (log_rate + log_orders[0].real)
        log_size = (self.count * is_used * log_zero).sum(axis=1, keepdims=True)
        log_share = log_size + log_one - log_zero + np.log(self.count)
        is_large = is_used & (log_share > math.log(LEAST_TERM))
        columns = np.flatnonzero(is_large.any(axis=0))

        turn = -0.5j * np.pi * np.sign(self.weight)
        parameters = np.array(
            [both, both[::-1], log_first, [log_rate + turn, log_rate - turn]]
        )
        parameters = np.concatenate(
            [parameters[:, 0], parameters[:, 1][..., columns]], axis=2
        )
        zero, one = np.split(expansions(parameters, log_orders), [self.n.shape[1]], 1)
        zero[~is_used] = 1.0
        one[~is_used[:, columns]] = 0.0

        return zero, columns, ratios_of(one, zero[:, columns])


def centred_sums(
    a: Floats, b: Floats, weights: Floats
) -> list[tuple[Indices, Centred]]:
    """Return distributions of sums, and their rows; parameters have shape (m, l)."""
    is_used = weights.any(axis=0)
    if not is_used.all():
        a, b, weights = (x[:, is_used] for x in (a, b, weights))
    # The incomplete Beta function is accurate up to such parameters.
    if a.shape[1] == 1 and a.size and (a + b).max() <= 1e6:
        return [(np.arange(len(a)), SingleBetas.of(a[:, 0], b[:, 0], weights[:, 0]))]

    sums: list[tuple[Indices, Centred]] = []
    for start in range(0, len(a), 2**12):
        chunk = slice(start, start + 2**12)
        found = series_of(BetaSums.reflected(a[chunk], b[chunk], weights[chunk]))
        sums += [(start + rows, series) for rows, series in found]
    return sums
