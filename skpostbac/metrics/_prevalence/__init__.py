"""A share that an imperfect judge has measured. Imports `_posteriors` and `_priors`."""

from skpostbac.metrics._prevalence.posterior import (
    JudgeWarning,
    PosteriorPrevalence,
    PrevalenceDifference,
    posterior_prevalence,
)

__all__ = ["JudgeWarning", "PosteriorPrevalence", "PrevalenceDifference", "posterior_prevalence"]
