"""The posterior of the accuracy.

Imports `_posteriors`, `_binary_equivalent`, `_priors`, `_counts` and what these import.
"""

from skpostbac.metrics._accuracy.posterior import PosteriorAccuracy, posterior_accuracy

__all__ = [
    "PosteriorAccuracy",
    "posterior_accuracy",
]
