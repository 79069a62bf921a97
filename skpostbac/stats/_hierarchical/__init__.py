"""Classes whose recalls share a rate, and `HierarchicalBetaAverage`.

The hyperprior, classes in strata of alike size, a Markov chain of what these share, the quadrature
over its states, and a sum over classes given these, which is inverted as other sums are. Imports
`_beta`, `_inversion` and what these import.
"""

from skpostbac.stats._hierarchical.average import HierarchicalBetaAverage
from skpostbac.stats._hierarchical.hyperprior import Hyperprior

__all__ = [
    "HierarchicalBetaAverage",
    "Hyperprior",
]
