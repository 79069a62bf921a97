"""Arrays of bounded distributions, in terms of the distances from their means.

`Centred` is what the engine asks of any of them; series, tables and transforms of
variables are such arrays. Points and probabilities have the shape (m, n): n for each of
m distributions. Imports `skpostbac._utils`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self, TypeAlias

import numpy as np

from skpostbac._utils import Bools, Floats

# Points y, shape (m, n), to the distribution function less 1/2 and its first
# derivatives there, shape (1 + d, m, n). Less 1/2, so that both tails have the same
# accuracy.
Evaluator: TypeAlias = Callable[[Floats], Floats]


def power_limits(powers: Floats, logs: Floats, tolerance: float = 1e-9) -> Floats:
    """Return the limits at d = 0 of exp(log) d^(a - 1) / Gamma(a), for powers a.

    Powers within the tolerance of one are one, where the limit is finite.
    """
    is_finite = np.abs(powers - 1) <= tolerance
    # Others may overflow.
    limits = np.exp(np.where(is_finite, logs, -np.inf))
    return np.where((powers < 1) & ~is_finite, np.inf, limits)


@dataclass(frozen=True, kw_only=True)
class Centred(ABC):
    """Base class of m distributions, in terms of the distances from their means.

    Attributes
    ----------
    low, high : ends of the range, outside which the mass is negligible, shape (m,).
    deviation : standard deviations, shape (m,).
    end_densities : limits of the densities at `low` and `high`, shape (2, m).
    has_one_peak : whether each density is known to be unimodal.
    least : tails, and densities in units of 1 / `deviation`, have no relative accuracy
        below this.
    """

    low: Floats
    high: Floats
    deviation: Floats
    end_densities: Floats
    has_one_peak: bool = False
    least: float = 1e-11

    @property
    def bounds(self) -> Floats:
        """Ends of the range as columns, shape (2, m, 1)."""
        return np.array([self.low, self.high])[..., np.newaxis]

    @property
    def critical_points(self) -> Floats:
        """Distances at which the density may have a kink or a pole, shape (m, C)."""
        return np.empty((self.low.size, 0))

    @property
    def critical_points_from_low(self) -> Floats:
        """The same from the lower end of the support, if known, shape (m, C)."""
        return np.empty((self.low.size, 0))

    def selected(self, rows: Bools, **fields: Any) -> Self:
        """Return some of the distributions; subclasses add their own fields."""
        return replace(
            self,
            low=self.low[rows],
            high=self.high[rows],
            deviation=self.deviation[rows],
            end_densities=self.end_densities[:, rows],
            **fields,
        )

    @property
    def resolution(self) -> Floats:
        """Width of the narrowest feature between `critical_points`, shape (m,)."""
        return np.zeros_like(self.low)

    @abstractmethod
    def evaluator(self, n_derivatives: int) -> Evaluator:
        """Return a function for the cdf less 1/2 and its first derivatives."""

    def tails(self, y: Floats, to_low: Floats, to_high: Floats) -> Floats:
        """Return P(X <= x), P(X > x) and the density inside the support, (3, m, n).

        Points are given by their distances from the mean and from both ends.
        """
        del to_low, to_high  # subclasses that compute from the ends use these
        first, last = self.bounds
        return self._inside(y, *self.evaluator(1)(np.clip(y, first, last)))

    def _inside(self, y: Floats, excess: Floats, density: Floats) -> Floats:
        """Return both tails and the density, which are constant outside the range."""
        first, last = self.bounds
        is_inside = (first <= y) & (y <= last)
        excess = np.where(is_inside, np.clip(excess, -0.5, 0.5), np.copysign(0.5, y))
        density = np.where(is_inside, np.maximum(density, 0.0), 0.0)
        return np.stack([0.5 + excess, 0.5 - excess, density])

    def known_quantiles(self, p: Floats, q: Floats) -> Floats | None:
        """Return distances of quantiles from the mean; None if they are to be found."""
        del p, q
        return None

    def quantiles_from_ends(self, p: Floats, q: Floats) -> tuple[Floats, Floats] | None:
        """Return distances of quantiles, P(X <= x) = p = 1 - q, from both ends.

        None if they are no more accurate than distances from the mean.
        """
        del p, q
        return None
