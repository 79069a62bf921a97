"""Classifiers that were tested on several subjects, folds or sites.

Imports `_posteriors`, `_counts` and what these import.
"""

from skpostbac.metrics._groups.posterior import GroupPosterior, group_posterior

__all__ = [
    "GroupPosterior",
    "group_posterior",
]
