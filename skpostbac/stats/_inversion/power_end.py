"""Sums whose density close to an end of the support is a power of the distance.

Near an end of the support all variables are near one of their ends. If the density of variable i is
C_i y^(p_i - 1) / Gamma(p_i) at a distance y from its end, the density of the sum is

    prod_i C_i y^(p - 1) / Gamma(p),  p = sum_i p_i,

because the Laplace transforms of the densities are C_i s^-p_i. The upper tail is y / p times the
density.
"""

from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np
from scipy.special import gammaln

from skpostbac._utils import Floats

# From this many variables on, those that are alike are looked for.
_MANY = 16
# Share of the least weight, for one sample, within which the next power is below rounding.
_LEADING = 1e-18


class PowerEnd(ABC):
    """A sum as it is close to the upper end of its support."""

    @property
    @abstractmethod
    def order(self) -> float:
        """Power p with which the upper tail vanishes at the upper end of the support."""

    @property
    @abstractmethod
    def log_end_factor(self) -> float:
        """Log of the product of all C_i."""

    @property
    def has_flat_end(self) -> bool:
        """Whether the density tends to a constant at the upper end."""
        return self.order == 1

    def log_end_tail(self, distance: Floats) -> tuple[Floats, Floats]:
        """Leading terms of the log upper tail and the log density, close to the upper end."""
        order, factor = self.order, self.log_end_factor
        with np.errstate(divide="ignore"):
            log_distance = np.log(distance)
        log_tail = factor - gammaln(order + 1) + order * log_distance
        fall = np.zeros(distance.shape) if self.has_flat_end else (order - 1) * log_distance
        return log_tail, np.asarray(factor - gammaln(order) + fall)

    def log_end_density(self) -> float:
        """Limit of the log density at the upper end of the support."""
        return float(self.log_end_tail(np.zeros(1))[1][0])


class IndependentSum(PowerEnd):
    """Independent weighted variables, `count` of each alike.

    Attributes
    ----------
    weights, count : shape (l,).
    """

    weights: Floats
    count: Floats

    @property
    @abstractmethod
    def size(self) -> Floats:
        """Sum of the exponents of each variable."""

    @property
    @abstractmethod
    def ends(self) -> Floats:
        """Distances of the ends of each from its mean, lowest first, shape (l, n_ends)."""

    @property
    @abstractmethod
    def variances(self) -> Floats:
        """Variance of each weighted variable."""

    @property
    @abstractmethod
    def end_powers(self) -> tuple[Floats, Floats]:
        """Log of C_i and p_i of each variable at its upper end."""

    @cached_property
    def standard_deviation(self) -> float:
        """Standard deviation of the sum."""
        return float(np.sqrt((self.count * self.variances).sum()))

    @property
    def order(self) -> float:
        """Power with which the upper tail vanishes at the upper end of the support."""
        return float((self.count * self.end_powers[1]).sum())

    @property
    def log_end_factor(self) -> float:
        """Log of the product of the factors of all variables."""
        return float((self.count * self.end_powers[0]).sum())

    @property
    def power_range(self) -> float:
        """Distance from an end of the support within which only leading powers count."""
        return float(_LEADING * np.abs(self.weights).min() / self.size.max())


def alike(rows: Floats) -> tuple[Floats, Floats]:
    """Return one of each row, where there are many, and how many are like it."""
    if len(rows) < _MANY:
        return rows, np.ones(len(rows))
    rows, count = np.unique(rows, axis=0, return_counts=True)
    return rows, count.astype(float)
