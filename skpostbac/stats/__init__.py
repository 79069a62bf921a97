"""Distributions of accuracies and of weighted sums of Betas, on NumPy and SciPy."""

from skpostbac.stats._beta import BetaAverage, BetaAverages
from skpostbac.stats._dirichlet import PairedDifference
from skpostbac.stats._distribution import (
    BoundedDistribution,
    DrawnDistribution,
    Interval,
)
from skpostbac.stats._ratio import BetaRatio
from skpostbac.stats._transforms import ShiftedDistribution

__all__ = [
    "BetaAverage",
    "BetaAverages",
    "BetaRatio",
    "BoundedDistribution",
    "DrawnDistribution",
    "Interval",
    "PairedDifference",
    "ShiftedDistribution",
]
