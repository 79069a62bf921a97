"""The distribution of a variable plus a constant.

Tails and densities of Y = X + s are those of X at y - s. Distances from the mean and from the ends
of the support do not change.
"""

from collections.abc import Callable
from functools import cached_property

import numpy as np

from skpostbac._utils import Floats, float_or_nan, shown
from skpostbac.stats._distribution import (
    BoundedDistribution,
    ContourDistribution,
    Interval,
    Tails,
    Values,
)
from skpostbac.stats._numerics import Frame, Points


class ShiftedDistribution(ContourDistribution):
    """Distribution of X + s, a variable plus a constant.

    Parameters
    ----------
    distribution : BoundedDistribution
        Distribution of X.
    shift : float
        The constant s, finite.

    Raises
    ------
    TypeError
        If `distribution` is not a `BoundedDistribution`.
    ValueError
        If `shift` is not a finite number.

    Examples
    --------
    >>> from skpostbac.stats import BetaAverage, ShiftedDistribution
    >>> shifted = ShiftedDistribution(BetaAverage([31, 9, 4], [3, 3, 2]), -0.03)
    >>> shifted
    ShiftedDistribution(mean=0.7461, sd=0.07338, shift=-0.03)
    >>> shifted.support()
    Interval(low=-0.03, high=0.97)
    """

    def __init__(self, distribution: BoundedDistribution, shift: float) -> None:
        if not isinstance(distribution, BoundedDistribution):
            raise TypeError(
                f"distribution must be a BoundedDistribution, got {type(distribution).__name__}"
            )
        if not np.isfinite(s := float_or_nan(shift)):
            raise ValueError(f"shift must be a finite number, got {shown(shift)}")
        self._distribution: BoundedDistribution = distribution
        self._shift: float = s

    @property
    def distribution(self) -> BoundedDistribution:
        """The distribution of X."""
        return self._distribution

    @property
    def shift(self) -> float:
        """The constant s."""
        return self._shift

    def __repr__(self) -> str:
        """Show the mean, the standard deviation and the constant."""
        mean, sd = self.mean(), self.standard_deviation()
        return f"ShiftedDistribution(mean={mean:.4g}, sd={sd:.4g}, shift={self.shift:.4g})"

    def variance(self) -> float:
        """Return the variance, the same as that of X."""
        return self.distribution.variance()

    def skewness(self) -> float:
        """Return the skewness, the same as that of X."""
        return self.distribution.skewness()

    def kurtosis(self) -> float:
        """Return the excess kurtosis, which is that of X."""
        return self.distribution.kurtosis()

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        return np.asarray(self.distribution._draw(rng, shape) + self.shift)

    @cached_property
    def _frame(self) -> Frame:
        return self.distribution._frame.moved(self.shift)

    def _tails(self, points: Points) -> Tails:
        return self.distribution._tails(points)

    @property
    def _is_exact(self) -> bool:
        return self.distribution._is_exact

    def _search(self) -> Callable[[Points], Tails]:
        return self.distribution._search()

    def _centre(self, y: Floats) -> Values:
        return self.distribution._centre(y)

    def _centre_to(self, y: Floats, allowed: Floats) -> Values:
        return self.distribution._centre_to(y, allowed)

    @property
    def _log_end_densities(self) -> Interval:
        return self.distribution._log_end_densities

    def _kinks(self) -> list[float]:
        return self.distribution._kinks()
