"""One classifier on several groups of people: each group, the worst one, and the gap.

Imports `_balanced_accuracy`, `_posteriors`, `_priors`, `_labels` and `_counts`.
"""

from skpostbac.metrics._subgroups.posterior import SubgroupPosteriors, subgroup_posteriors

__all__ = ["SubgroupPosteriors", "subgroup_posteriors"]
