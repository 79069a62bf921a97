"""Sums of one Beta each, by the incomplete Beta function.

Places are distances from the mean, seen from that end of the support which is nearer to it.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, betaincc, betainccinv, betaincinv, betaln, xlogy

from skpostbac._utils import Floats
from skpostbac.stats._series import Evaluator


@dataclass(frozen=True)
class SingleBetas:
    """Multiples of one Beta each, reflected so that a <= b; arrays of shape (m,).

    Attributes
    ----------
    a, b : parameters of the share of the support.
    weight : length of the support, negative if the share begins at its upper end.
    """

    a: Floats
    b: Floats
    weight: Floats

    @property
    def low(self) -> Floats:
        """Distance of the lower end of the support from the mean."""
        return np.where(self.weight > 0, -self._near, -self._far)

    @property
    def high(self) -> Floats:
        """Distance of the upper end."""
        return np.where(self.weight > 0, self._far, self._near)

    @property
    def _near(self) -> Floats:
        return np.asarray(np.abs(self.weight) * (self.a / (self.a + self.b)))

    @property
    def _far(self) -> Floats:
        return np.asarray(np.abs(self.weight) * (self.b / (self.a + self.b)))

    @property
    def deviation(self) -> Floats:
        """Standard deviations."""
        n = self.a + self.b
        return np.asarray(np.abs(self.weight) * np.sqrt(self.a * self.b / (n + 1)) / n)

    @property
    def end_densities(self) -> Floats:
        """Limits of the densities at both ends, shape (2, m)."""
        found = []
        for e, o in ((self.a, self.b), (self.b, self.a)):
            flat = np.where(e == 1, o / np.abs(self.weight), 0.0)
            found.append(np.where(e < 1, np.inf, flat))
        return np.where(self.weight > 0, found, found[::-1])

    @property
    def is_log_concave(self) -> bool:
        """Whether all log densities are concave."""
        return bool((self.a >= 1).all())

    @property
    def places(self) -> Floats:
        """Corners inside the support: none, shape (m, 0)."""
        return np.empty((self.a.size, 0))

    @property
    def least(self) -> float:
        """Tails have relative accuracy as long as nothing underflows."""
        return 1e-300

    def evaluator(self, n_derivatives: int) -> Evaluator:
        """Return what evaluates the distribution function less 1/2 and up to three derivatives."""
        a, b, weight = (x[:, np.newaxis] for x in (self.a, self.b, self.weight))

        def evaluate(y: Floats) -> Floats:
            x = np.clip(a / (a + b) + y / weight, 0.0, 1.0)
            rest = 1 - x
            excess = np.where(weight > 0, betainc(a, b, x), betaincc(a, b, x)) - 0.5
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                density = np.exp(xlogy(a - 1, x) + xlogy(b - 1, rest) - betaln(a, b))
                rate = (a - 1) / x - (b - 1) / rest
                turn = rate**2 - (a - 1) / x**2 - (b - 1) / rest**2
                slopes = [density / np.abs(weight), rate / weight, turn / weight**2]
                values = [excess, slopes[0], slopes[0] * slopes[1], slopes[0] * slopes[2]]
            return np.stack(values[: n_derivatives + 1])

        return evaluate

    def tails(self, y: Floats, to_low: Floats, to_high: Floats) -> Floats:
        """P(X <= x), P(X > x) and the density, (3, m, n), at distances from both ends."""
        del y
        a, b, weight = (x[:, np.newaxis] for x in (self.a, self.b, self.weight))
        is_up, size = weight > 0, np.abs(weight)
        ends = np.where(is_up, [to_low, to_high], [to_high, to_low])
        x, rest = np.clip(ends, 0.0, size) / size
        is_near = x <= 0.5
        near = np.where(is_near, betainc(a, b, x), betaincc(b, a, rest))
        far = np.where(is_near, betaincc(a, b, x), betainc(b, a, rest))
        with np.errstate(divide="ignore", over="ignore"):
            log_density = xlogy(a - 1, x) + xlogy(b - 1, rest) - betaln(a, b)
            density = np.exp(log_density) / size
        return np.stack([np.where(is_up, near, far), np.where(is_up, far, near), density])

    def quantiles_from_ends(self, p: Floats, q: Floats) -> tuple[Floats, Floats]:
        """Distances from both ends of the points with P(X <= x) = p = 1 - q, shape (m, n) each."""
        is_up, size = self.weight > 0, np.abs(self.weight)[:, np.newaxis]
        first, last = np.where(is_up, [self.a, self.b], [self.b, self.a])[..., np.newaxis]
        return size * _share(first, last, p, q), size * _share(last, first, q, p)


def _share(a: Floats, b: Floats, p: Floats, q: Floats) -> Floats:
    """Return the quantile of Beta(a, b) for p = 1 - q."""
    share = np.where(p <= q, betaincinv(a, b, p), betainccinv(a, b, q))
    # Where an inverse underflows, x^a / (a B(a, b)) is the probability below x.
    with np.errstate(divide="ignore"):
        tiny = np.exp((np.log(p) + np.log(a) + betaln(a, b)) / a)
    return np.asarray(np.where(np.isnan(share), np.where(p <= q, tiny, 1.0), share))
