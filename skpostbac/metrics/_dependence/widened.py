"""Beta distributions matched to a mean and a variance, where classes depend on one another.

With groups that have samples of several classes the accuracies of the classes are correlated. Their
average has then the mean that it has without this, and a larger variance; its distribution is taken
to be a Beta of these moments, on [0, 1], or on [-1, 1] for a difference.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from skpostbac._utils import Floats
from skpostbac.stats import (
    BetaAverage,
    BoundedDistribution,
    HierarchicalBetaAverage,
    ShiftedDistribution,
)
from skpostbac.stats._beta import LARGEST, SMALLEST

# The largest share of the variance of a coin of the same mean.
_MOST = 0.9


def matched_beta(mean: float, variance: float) -> tuple[float, float]:
    """Return a and b of the Beta distribution on [0, 1] of this mean and variance.

    The variance is capped at 0.9 of that of a coin.

    Examples
    --------
    >>> matched_beta(0.75, 0.0375)
    (3.0, 1.0)
    """
    coin = mean * (1 - mean)
    size = coin / min(variance, _MOST * coin) - 1
    a, b = np.clip([mean * size, (1 - mean) * size], SMALLEST, LARGEST)
    return float(a), float(b)


class WidenedAverage(BetaAverage):
    """The average of accuracies of classes that depend on one another.

    It has the classes of the average that it was made of.
    """

    _average: BetaAverage | HierarchicalBetaAverage
    _factor: float

    def __new__(
        cls, average: BetaAverage | HierarchicalBetaAverage, factor: float
    ) -> WidenedAverage:
        """Multiply the variance of an average by a factor."""
        a, b = matched_beta(average.mean(), factor * average.variance())
        self = super().__new__(cls, [a], [b])
        assert isinstance(self, WidenedAverage)
        self._average, self._factor = average, factor
        return self

    def __getnewargs_ex__(self) -> tuple[Any, Any]:
        """Return what a copy or a pickle is made of."""
        return (self._average, self._factor), {}

    def marginals(self) -> list[BetaAverage]:
        """Return the distribution of each class alone."""
        return self._average.marginals()  # type: ignore[return-value]

    def means(self) -> Floats:
        """Return the mean of each class, shape (l,)."""
        return self._average.means()


def widened_difference(mean: float, variance: float) -> BoundedDistribution:
    """Return a Beta variable on [-1, 1] of this mean and variance.

    Examples
    --------
    >>> distribution = widened_difference(0.5, 0.15)
    >>> distribution.support(), distribution.mean(), distribution.variance()
    (Interval(low=-1.0, high=1.0), 0.5, 0.15)
    """
    a, b = matched_beta((1 + mean) / 2, variance / 4)
    return ShiftedDistribution(BetaAverage([a], [b], weights=[2.0]), -1.0)
