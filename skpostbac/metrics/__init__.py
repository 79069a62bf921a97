"""From labels to counts, to the posterior, to scores and scorers."""

from skpostbac.metrics._accuracy import PosteriorAccuracy, posterior_accuracy
from skpostbac.metrics._balanced_accuracy import (
    ClassCountsScorer,
    OutcomesScorer,
    PosteriorBalancedAccuracy,
    make_posterior_scorer,
    posterior_balanced_accuracy,
    posterior_balanced_accuracy_score,
)
from skpostbac.metrics._binary_equivalent import (
    GuessingTest,
    PosteriorBinaryEquivalentAccuracy,
    binary_equivalent_accuracy,
    binary_equivalent_accuracy_score,
    binary_equivalent_recalls,
    guessing_test,
    make_binary_equivalent_scorer,
)
from skpostbac.metrics._binormal import (
    BinormalAssumptionWarning,
    BinormalCheck,
    BinormalDraws,
    BinormalModel,
    CurveBand,
    EmpiricalAreas,
    NormalScores,
    PosteriorBinormal,
    ScoreMoments,
    binormal_average_precision_score,
    binormal_check,
    binormal_precision_recall_curve,
    binormal_roc_auc_score,
    binormal_roc_curve,
    make_binormal_scorer,
    posterior_binormal,
)
from skpostbac.metrics._confusion import PosteriorConfusionMetric, posterior_confusion_metric
from skpostbac.metrics._counts import ClassCounts, PairedCounts, class_counts, paired_counts
from skpostbac.metrics._groups import GroupPosterior, group_posterior
from skpostbac.metrics._posteriors import ProbAboveChance
from skpostbac.metrics._priors import PriorInfluence, PriorInfluenceWarning
from skpostbac.stats._distribution import DrawnPosterior

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
