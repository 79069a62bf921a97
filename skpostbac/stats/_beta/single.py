"""Sums of one Beta, by the incomplete Beta function.

Places are shares of the support, as distances from that end which is nearer to the mean. The
function is accurate to 1e-13 of the smaller tail for up to a million samples. What underflows is
left to the inversion, as are larger parameters.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, betaincc, betainccinv, betaincinv, xlog1py, xlogy

from skpostbac._utils import Bools, Floats
from skpostbac.stats._distribution import Tails
from skpostbac.stats._numerics import Points, log_beta
from skpostbac.stats._smooth import LEAST, Grid, shortest_intervals

# Range of parameters. If both are larger, rounding shows in the density.
_LARGEST, _SMALLEST, _FEW = 1e6, 1e-2, 100.0
# Smallest probability, and largest error of a quantile in relation to the smaller tail.
_TINY, _ACCURATE = 1e-290, 1e-12
# Places of the grid, which leaves out about this probability on either side.
_PLACES, _BEYOND = 48, 1e-9


@dataclass(frozen=True)
class SingleBeta:
    """A multiple of one Beta, reflected so that a <= b.

    Attributes
    ----------
    a, b : parameters of the share of the support.
    width : length of the support.
    is_upper : whether the share begins at the upper end of the support.
    """

    a: float
    b: float
    width: float
    is_upper: bool

    @classmethod
    def of(cls, a: float, b: float, weight: float) -> "SingleBeta | None":
        """Return the distribution of a weighted Beta; None if that is not accurate here."""
        if a + b > _LARGEST or not _SMALLEST <= min(a, b) <= _FEW:
            return None
        is_upper = (a > b) == (weight > 0)
        return cls(min(a, b), max(a, b), abs(weight), is_upper)

    def tails(self, points: Points) -> tuple[Tails, Bools]:
        """Return tails and density, and which of them do not underflow."""
        near, far = points.to_low / self.width, points.to_high / self.width
        near, far = (far, near) if self.is_upper else (near, far)
        # From the nearer end, whose distance has all digits.
        is_near, parts = near <= 0.5, (self.a, self.b)
        first = np.where(is_near, betainc(*parts, near), betaincc(*parts[::-1], far))
        last = np.where(is_near, betaincc(*parts, near), betainc(*parts[::-1], far))
        log_far = np.where(is_near, np.log1p(-np.minimum(near, 0.5)), np.log(far))
        below, above = (last, first) if self.is_upper else (first, last)
        log_density = xlogy(self.a - 1, near) + (self.b - 1) * log_far - self._log_scale
        with np.errstate(divide="ignore"):
            return Tails(np.log(below), np.log(above), log_density), np.minimum(first, last) > _TINY

    def quantiles(self, p: Floats, q: Floats) -> Floats:
        """Return distances from the nearer end with P(X <= x) = p = 1 - q; NaN if not accurate."""
        p, q = (q, p) if self.is_upper else (p, q)
        parts, is_lower = (self.a, self.b), p <= q
        share = np.where(is_lower, betaincinv(*parts, p), betainccinv(*parts, q))
        tail = np.where(is_lower, betainc(*parts, share), betaincc(*parts, share))
        smaller = np.minimum(p, q)
        is_accurate = (np.abs(tail - smaller) < _ACCURATE * smaller) & (smaller > _TINY)
        return np.where(is_accurate, self.width * share, np.nan)

    @property
    def mode(self) -> float:
        """Distance of the mode from the nearer end; NaN if there are two, or none."""
        if self.b <= 1:
            return np.nan
        return self.width * (self.a - 1) / (self.a + self.b - 2) if self.a > 1 else 0.0

    def shortest(self, level: float) -> Floats:
        """Return both ends of the shortest interval as distances; NaN if not found."""
        if self.b <= 1 or min(level, 1 - level) < LEAST:
            return np.full(2, np.nan)
        if self.a > 1:
            return shortest_intervals(self, level)[:, 0]
        inside, outside = np.array([level]), np.array([1 - level])
        p, q = (outside, inside) if self.is_upper else (inside, outside)
        return np.append(0.0, self.quantiles(p, q))

    # What tells the shape of a density, such as `Series`

    @property
    def reach(self) -> Floats:
        """Length of the support, shape (1,)."""
        return np.array([self.width])

    @property
    def deviation(self) -> Floats:
        """The standard deviation, shape (1,)."""
        n = self.a + self.b
        return np.array([self.width * np.sqrt(self.a * self.b / (n + 1)) / n])

    def waves(self, _: int = 2) -> "SingleBeta":
        """Return what evaluates the cdf and its derivatives."""
        return self

    def at(self, y: Floats) -> Floats:
        """Return the cdf, the density and its slope at y, shape (1, n)."""
        share = y / self.width
        logs = xlogy(self.a - 1, share) + xlog1py(self.b - 1, -share)
        density = np.exp(logs - self._log_scale)
        slope = ((self.a - 1) / share - (self.b - 1) / (1 - share)) / self.width
        return np.stack([betainc(self.a, self.b, share), density, density * slope])

    def grid(self) -> Grid:
        """Return values on an even grid."""
        first, last = self.width * betaincinv(self.a, self.b, [_BEYOND, 1 - _BEYOND])
        y = np.linspace(first, last, _PLACES)[np.newaxis]
        cdf, density, _ = self.at(y)
        return Grid(y, cdf, density)

    @property
    def _log_scale(self) -> float:
        return float(log_beta(np.array(self.a), np.array(self.b)) + np.log(self.width))
