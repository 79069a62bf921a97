"""The posterior of the balanced accuracy, as an object, as a score and in scorers.

Imports `_posteriors`, `_binary_equivalent`, `_priors`, `_counts`, `_scoring` and what these
import.
"""

from skpostbac.metrics._balanced_accuracy.posterior import (
    PosteriorBalancedAccuracy,
    posterior_balanced_accuracy,
)
from skpostbac.metrics._balanced_accuracy.report import tell_of_design
from skpostbac.metrics._balanced_accuracy.score import (
    OBJECTIVES,
    check_objective,
    posterior_balanced_accuracy_score,
)
from skpostbac.metrics._balanced_accuracy.scorer import (
    ClassCountsScorer,
    OutcomesScorer,
    make_posterior_scorer,
    predict,
)

__all__ = [
    "OBJECTIVES",
    "ClassCountsScorer",
    "OutcomesScorer",
    "PosteriorBalancedAccuracy",
    "check_objective",
    "make_posterior_scorer",
    "posterior_balanced_accuracy",
    "posterior_balanced_accuracy_score",
    "predict",
    "tell_of_design",
]
