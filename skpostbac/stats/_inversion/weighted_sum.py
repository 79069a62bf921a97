"""Distributions of weighted sums of independent variables, by inversion.

For X = sum_i w_i X_i the moment generating function is the product of those of the terms,

    M(s) = prod_i E[exp(s w_i X_i)],

from which `Inversion` takes the tails and the density. The cumulants are sums over the terms,
kappa_r(X) = sum_i w_i^r kappa_r(X_i), so that the variance kappa_2, the skewness
kappa_3 / kappa_2^(3/2) and the excess kurtosis kappa_4 / kappa_2^2 follow from those of the terms.
The density of a sum can have kinks and poles only at corners, where every term is at one of its
ends. If there are few corners, the search for the mode examines each of them.
"""

import math
from abc import abstractmethod
from collections.abc import Callable
from functools import cached_property, partial

import numpy as np

from skpostbac._utils import Floats
from skpostbac.stats._distribution import ContourDistribution, Interval, Tails, Values
from skpostbac.stats._inversion.inverter import Inversion
from skpostbac.stats._numerics import Points

# Largest number of corners that the search for the mode examines.
_FEW_CORNERS = 1000


class WeightedSum(ContourDistribution):
    """The distribution of a weighted sum of independent variables, each on a bounded interval.

    Subclasses also define how to draw from it, its support and its mean (`_frame`).
    """

    @property
    @abstractmethod
    def _inversion(self) -> Inversion:
        """The distribution, by inversion of its transform."""

    @property
    @abstractmethod
    def _cumulants(self) -> tuple[float, float, float]:
        """Second, third and fourth cumulant."""

    @property
    @abstractmethod
    def _ends(self) -> Floats:
        """Distances of the ends of each term from its mean, shape (l, n_ends)."""

    def variance(self) -> float:
        """Return the variance, in closed form."""
        return self._cumulants[0]

    def skewness(self) -> float:
        """Return the skewness, the third standardised moment, in closed form."""
        return float(self._cumulants[1] / self._cumulants[0] ** 1.5)

    def kurtosis(self) -> float:
        """Return the excess kurtosis, in closed form; it is zero for a normal distribution."""
        return self._cumulants[2] / self._cumulants[0] ** 2

    def _tails(self, points: Points) -> Tails:
        return self._inversion.tails(points)

    def _search(self) -> Callable[[Points], Tails]:
        # The cache serves a single search: results must not depend on previous calls.
        return partial(self._inversion.tails, kept=[])

    def _centre(self, y: Floats) -> Values:
        return self._inversion.centre(y)

    @property
    def _is_exact(self) -> bool:
        return self._inversion.is_whole

    def _centre_to(self, y: Floats, allowed: Floats) -> Values:
        return self._inversion.centre(y, allowed)

    def _kinks(self) -> list[float]:
        ends = self._ends
        # In logarithms, as the number itself overflows from 1024 terms on.
        if len(ends) * math.log(ends.shape[1]) > math.log(_FEW_CORNERS):
            return []
        places = np.zeros(1)
        for row in ends:
            places = np.unique(np.add.outer(places, row))
        return places.tolist()

    @cached_property
    def _log_end_densities(self) -> Interval:
        return Interval(self._inversion.log_end_density(-1), self._inversion.log_end_density(1))
