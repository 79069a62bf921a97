"""The posterior of the accuracy, and of a prevalence measured by an imperfect judge.

Imports `_posteriors`, `_binary_equivalent`, `_priors`, `_counts` and what these import.
"""

from skpostbac.metrics._accuracy.posterior import PosteriorAccuracy, posterior_accuracy
from skpostbac.metrics._accuracy.prevalence import (
    JudgeWarning,
    PosteriorPrevalence,
    PrevalenceDifference,
    posterior_prevalence,
)

__all__ = [
    "JudgeWarning",
    "PosteriorAccuracy",
    "PosteriorPrevalence",
    "PrevalenceDifference",
    "posterior_accuracy",
    "posterior_prevalence",
]
