"""The hierarchical prior of the recalls of classes, and its posterior.

`hyperprior` defines the prior. `states` sorts classes into strata of similar size and has the
quadrature nodes of the rate and the strength shared by a stratum, `strata` the classes given each
state, `chain` the Markov chain of states over the strata, and `pool` combines these for one pool of
classes. `transform` has the transforms of strata in their states, `series` the distribution of the
sum, and `average` the public class. Imports `_distribution`, `_series` and `_numerics`.
"""

from skpostbac.stats._borrowing.average import HierarchicalBetaAverage
from skpostbac.stats._borrowing.chain import Chain, Link
from skpostbac.stats._borrowing.hyperprior import Hyperprior
from skpostbac.stats._borrowing.pool import Pool
from skpostbac.stats._borrowing.states import Kinds, stratum_numbers
from skpostbac.stats._borrowing.strata import Stratum

__all__ = [
    "Chain",
    "HierarchicalBetaAverage",
    "Hyperprior",
    "Kinds",
    "Link",
    "Pool",
    "Stratum",
    "stratum_numbers",
]
