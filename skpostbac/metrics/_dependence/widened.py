"""Beta distributions matched to a mean and a variance, where classes depend on one another.

With groups that have samples of several classes the accuracies of the classes are correlated. Their
average has then the mean that it has without this, and a larger variance; its distribution is taken
to be a Beta of these moments, on [0, 1], or on [-1, 1] for a difference.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from skpostbac._utils import Floats
from skpostbac.stats import BetaAverage, HierarchicalBetaAverage
from skpostbac.stats._beta import LARGEST, SMALLEST
from skpostbac.stats._numerics import Frame

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

    def __init__(self, average: BetaAverage | HierarchicalBetaAverage, factor: float) -> None:
        a, b = matched_beta(average.mean(), factor * average.variance())
        super().__init__([a], [b])
        self._average = average

    def marginals(self) -> list[BetaAverage]:
        """Return the distribution of each class alone."""
        return self._average.marginals()  # type: ignore[return-value]

    def means(self) -> Floats:
        """Return the mean of each class, shape (l,)."""
        return self._average.means()


class WidenedDifference(BetaAverage):
    """A difference of the given mean and variance, a Beta variable that is moved to [-1, 1]."""

    def __init__(self, mean: float, variance: float) -> None:
        a, b = matched_beta((1 + mean) / 2, variance / 4)
        super().__init__([a], [b], weights=[2.0])

    @cached_property
    def _frame(self) -> Frame:
        return super()._frame.plus(Frame(-1.0, 0.0, -1.0, 0.0, -1.0, 0.0, 0.0, 0.0))

    def __neg__(self) -> WidenedDifference:
        """Return the distribution of the negated difference."""
        return WidenedDifference(-self.mean(), self.variance())

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        return super()._draw(rng, shape) - 1
