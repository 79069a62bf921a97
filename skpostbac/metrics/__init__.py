"""From labels to counts, to the posterior, to scores and scorers."""

from skpostbac.metrics._binary_equivalent import (
    PosteriorBinaryEquivalentAccuracy,
    binary_equivalent_accuracy,
    binary_equivalent_accuracy_score,
    binary_equivalent_recalls,
    make_binary_equivalent_scorer,
)
from skpostbac.metrics._binormal import (
    BinormalModel,
    binormal_average_precision_score,
    binormal_precision_recall_curve,
    binormal_roc_auc_score,
    binormal_roc_curve,
)
from skpostbac.metrics._binormal_check import BinormalCheck, NormalScores, binormal_check
from skpostbac.metrics._binormal_posterior import (
    BinormalDraws,
    CurveBand,
    PosteriorBinormal,
    posterior_binormal,
)
from skpostbac.metrics._binormal_scorer import make_binormal_scorer
from skpostbac.metrics._binormal_warning import BinormalAssumptionWarning
from skpostbac.metrics._class_scores import ScoreMoments
from skpostbac.metrics._counts import ClassCounts, class_counts
from skpostbac.metrics._drawn_posterior import DrawnPosterior
from skpostbac.metrics._empirical_areas import EmpiricalAreas
from skpostbac.metrics._group_posterior import GroupPosterior, group_posterior
from skpostbac.metrics._guessing import GuessingTest, guessing_test
from skpostbac.metrics._paired_counts import PairedCounts, paired_counts
from skpostbac.metrics._posterior import (
    PosteriorBalancedAccuracy,
    posterior_balanced_accuracy,
)
from skpostbac.metrics._posterior_accuracy import PosteriorAccuracy, posterior_accuracy
from skpostbac.metrics._posterior_confusion_metric import (
    PosteriorConfusionMetric,
    posterior_confusion_metric,
)
from skpostbac.metrics._prior_influence import PriorInfluence
from skpostbac.metrics._prior_warning import PriorInfluenceWarning
from skpostbac.metrics._prob_above_chance import ProbAboveChance
from skpostbac.metrics._score import posterior_balanced_accuracy_score
from skpostbac.metrics._scorer import ClassCountsScorer, OutcomesScorer, make_posterior_scorer

__all__ = [
    "BinormalAssumptionWarning",
    "BinormalCheck",
    "BinormalDraws",
    "BinormalModel",
    "ClassCounts",
    "ClassCountsScorer",
    "CurveBand",
    "DrawnPosterior",
    "EmpiricalAreas",
    "GroupPosterior",
    "GuessingTest",
    "NormalScores",
    "OutcomesScorer",
    "PairedCounts",
    "PosteriorAccuracy",
    "PosteriorBalancedAccuracy",
    "PosteriorBinaryEquivalentAccuracy",
    "PosteriorBinormal",
    "PosteriorConfusionMetric",
    "PriorInfluence",
    "PriorInfluenceWarning",
    "ProbAboveChance",
    "ScoreMoments",
    "binary_equivalent_accuracy",
    "binary_equivalent_accuracy_score",
    "binary_equivalent_recalls",
    "binormal_average_precision_score",
    "binormal_check",
    "binormal_precision_recall_curve",
    "binormal_roc_auc_score",
    "binormal_roc_curve",
    "class_counts",
    "group_posterior",
    "guessing_test",
    "make_binary_equivalent_scorer",
    "make_binormal_scorer",
    "make_posterior_scorer",
    "paired_counts",
    "posterior_accuracy",
    "posterior_balanced_accuracy",
    "posterior_balanced_accuracy_score",
    "posterior_binormal",
    "posterior_confusion_metric",
]
