"""The average of recalls under a hierarchical prior, `HierarchicalBetaAverage`.

`tilted` sums the transform over all paths of states. `tilted_stratum` computes it for one stratum:
each class by its Chebyshev `series`, by a `rule`, or above some height by its two `ends`.
`tilted_sum` and `terms` are the interface for the inversion. `end_mixture` computes the tails next
to the ends of the support, `beta_mixture` those of a single class. Imports `_borrowing`, `_beta`,
`_inversion` and what these import.
"""

from skpostbac.stats._hierarchical.average import HierarchicalBetaAverage

__all__ = [
    "HierarchicalBetaAverage",
]
