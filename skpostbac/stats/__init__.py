"""Distributions of accuracies and of weighted sums of Betas; requires only NumPy and SciPy."""

from skpostbac.stats._beta import BetaAverage, BetaAverages
from skpostbac.stats._borrowing import Hyperprior
from skpostbac.stats._dirichlet import PairedDifference
from skpostbac.stats._distribution import (
    BoundedDistribution,
    Interval,
    PowerTransform,
    ShiftedDistribution,
)
from skpostbac.stats._hierarchical import HierarchicalBetaAverage
from skpostbac.stats._pairs import HierarchicalPairedDifference
from skpostbac.stats._population import BetaBinomial, NormalBinomial
from skpostbac.stats._ratio import BetaQuotient, BetaRatio

__all__ = [
    "BetaAverage",
    "BetaAverages",
    "BetaBinomial",
    "BetaQuotient",
    "BetaRatio",
    "BoundedDistribution",
    "HierarchicalBetaAverage",
    "HierarchicalPairedDifference",
    "Hyperprior",
    "Interval",
    "NormalBinomial",
    "PairedDifference",
    "PowerTransform",
    "ShiftedDistribution",
]
