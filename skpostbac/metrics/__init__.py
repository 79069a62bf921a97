"""From labels to counts, to the posterior, to scores and scorers."""

from skpostbac.metrics._counts import ClassCounts, class_counts
from skpostbac.metrics._paired_counts import PairedCounts, paired_counts
from skpostbac.metrics._posterior import (
    PosteriorBalancedAccuracy,
    posterior_balanced_accuracy,
)
from skpostbac.metrics._prior_influence import PriorInfluence
from skpostbac.metrics._prior_warning import PriorInfluenceWarning
from skpostbac.metrics._prob_above_chance import ProbAboveChance
from skpostbac.metrics._score import posterior_balanced_accuracy_score
from skpostbac.metrics._scorer import ClassCountsScorer, OutcomesScorer, make_posterior_scorer

__all__ = [
    "ClassCounts",
    "ClassCountsScorer",
    "OutcomesScorer",
    "PairedCounts",
    "PosteriorBalancedAccuracy",
    "PriorInfluence",
    "PriorInfluenceWarning",
    "ProbAboveChance",
    "class_counts",
    "make_posterior_scorer",
    "paired_counts",
    "posterior_balanced_accuracy",
    "posterior_balanced_accuracy_score",
]
