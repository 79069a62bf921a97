"""The average of recalls that borrow strength from one another, `HierarchicalBetaAverage`.

`tilted` sums the transform over all paths of states, `tilted_stratum` has that of a stratum: each
class by its Chebyshev `series`, by a `rule`, or from some height on by its two `ends`. `tilted_sum`
and `terms` are what an inversion asks for. `end_mixture` has the tails next to the ends of the
support, `beta_mixture` those of a single class. Imports `_borrowing`, `_beta`, `_inversion` and
what these import.
"""

from skpostbac.stats._hierarchical.average import HierarchicalBetaAverage

__all__ = [
    "HierarchicalBetaAverage",
]
