"""What classes borrow from one another: a prior that they share, and its posterior.

`hyperprior` has the prior, `kinds` sorts classes into strata of alike size, `states` has the nodes
of the rate and the strength that the classes of a stratum share, `strata` these classes in each
state, `chain` the way of the states from one stratum to the next, and `pool` all of this for the
classes that borrow from one another. It knows of no sum of accuracies: `_hierarchical` has its
distribution, and `_pairs` that of differences. Imports `_beta` and `_numerics`.
"""

from skpostbac.stats._borrowing.chain import Chain, Link
from skpostbac.stats._borrowing.hyperprior import Hyperprior, log_rise
from skpostbac.stats._borrowing.kinds import Kinds, stratum_numbers
from skpostbac.stats._borrowing.pool import Pool, kind_means
from skpostbac.stats._borrowing.strata import Stratum

__all__ = [
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
