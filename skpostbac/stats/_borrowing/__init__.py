"""The hierarchical prior of the recalls of classes, and its posterior.

`hyperprior` defines the prior. `states` sorts classes into strata of similar size and has the
quadrature nodes of the rate and the strength shared by a stratum, `chain` the Markov chain of
states over the strata, and `pool` the classes of a pool given their states. `transform` has the
transforms of strata in their states, `forward_pass` the distribution of the sum, and `average` the
public class. Imports `_beta`, `_distribution`, `_fourier` and `_numerics`.
"""

from skpostbac.stats._borrowing.average import HierarchicalBetaAverage
from skpostbac.stats._borrowing.chain import Chain
from skpostbac.stats._borrowing.hyperprior import (
    LARGEST_COUNT,
    Hyperprior,
    resolve_hyperprior,
)
from skpostbac.stats._borrowing.pool import Pool, Stratum
from skpostbac.stats._borrowing.states import EqualClasses, stratum_numbers
