"""Classes whose recalls share a rate, and `HierarchicalBetaAverage`.

`strata` has the classes of alike size, `states` the nodes of the rate and the strength that these
share, `chain` their way from one stratum to the next, and `pool` the likelihood of all of them.
`tilted` sums the transform over all paths of states, from some height on by the expansions in
`ends`; `tilted_sum` and `terms` are what an inversion asks for. `end_mixture` has the tails next to
the ends of the support, `beta_mixture` those of a single class. Imports `_beta`, `_inversion` and
what these import.
"""

from skpostbac.stats._hierarchical.average import HierarchicalBetaAverage
from skpostbac.stats._hierarchical.chain import Link
from skpostbac.stats._hierarchical.hyperprior import Hyperprior
from skpostbac.stats._hierarchical.pool import Pool, Stratum
from skpostbac.stats._hierarchical.strata import Kinds, stratum_numbers

__all__ = [
    "HierarchicalBetaAverage",
    "Hyperprior",
    "Kinds",
    "Link",
    "Pool",
    "Stratum",
    "stratum_numbers",
]
