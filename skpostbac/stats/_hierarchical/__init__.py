"""Classes whose recalls share a rate, and `HierarchicalBetaAverage`.

The hyperprior, the quadrature over it, and a sum over classes given each of its nodes, which is
inverted as other sums are. Imports `_beta`, `_inversion` and what these import.
"""

from skpostbac.stats._hierarchical.average import HierarchicalBetaAverage
from skpostbac.stats._hierarchical.hyperprior import Hyperprior

__all__ = [
    "HierarchicalBetaAverage",
    "Hyperprior",
]
