"""The hierarchical prior of the recalls of classes, and its posterior.

`hyperprior` defines the prior, and `kinds` sorts classes into strata of similar size. `states` are
the quadrature nodes of the rate and the strength shared by a stratum, `strata` the classes given
each state, `chain` the Markov chain of states over the strata, and `pool` combines all of this for
one pool of classes. The distributions of sums and differences of recalls are in `_hierarchical` and
`_pairs`. Imports `_beta` and `_numerics`.
"""

from skpostbac.stats._borrowing.chain import Chain, Link
from skpostbac.stats._borrowing.hyperprior import Hyperprior, log_rise
from skpostbac.stats._borrowing.kinds import Kinds, stratum_numbers
from skpostbac.stats._borrowing.pool import Pool, kind_means
from skpostbac.stats._borrowing.strata import Borrowed, Stratum

__all__ = [
    "Borrowed",
    "Chain",
    "Hyperprior",
    "Kinds",
    "Link",
    "Pool",
    "Stratum",
    "kind_means",
    "log_rise",
    "stratum_numbers",
]
