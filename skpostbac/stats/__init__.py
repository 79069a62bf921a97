"""Laws of accuracies, and of weighted sums of Beta variables; needs NumPy and SciPy only."""

from skpostbac.stats._beta_average import BetaAverage
from skpostbac.stats._distribution import BoundedDistribution
from skpostbac.stats._group_prior import BetaBinomial, NormalBinomial
from skpostbac.stats._hierarchical import HierarchicalBetaAverage
from skpostbac.stats._hyperprior import Hyperprior
from skpostbac.stats._law import Interval
from skpostbac.stats._paired_difference import PairedDifference
from skpostbac.stats._power_transform import PowerTransform

__all__ = [
    "BetaAverage",
    "BetaBinomial",
    "BoundedDistribution",
    "HierarchicalBetaAverage",
    "Hyperprior",
    "Interval",
    "NormalBinomial",
    "PairedDifference",
    "PowerTransform",
]
