"""Counts, posteriors, scores and scorers, computed from labels.

Also implements the public module `skpostbac.binary_equivalent`.
"""

from skpostbac.metrics._accuracy import (
    PosteriorAccuracy,
    posterior_accuracy,
)
from skpostbac.metrics._advice import (
    PriorInfluence,
    PriorInfluenceWarning,
)
from skpostbac.metrics._balanced_accuracy import (
    PosteriorBalancedAccuracy,
    posterior_balanced_accuracy,
)
from skpostbac.metrics._confusion import (
    ExpectedCost,
    NetBenefit,
    PosteriorClassificationReport,
    PosteriorConfusionMetric,
    posterior_classification_report,
    posterior_confusion_metric,
    required_labels,
)
from skpostbac.metrics._counts import (
    ClassCounts,
    class_counts,
)
from skpostbac.metrics._dependence import (
    DesignEffects,
    GroupsWarning,
    SampleWeightWarning,
)
from skpostbac.metrics._labels import StrayLabelWarning
from skpostbac.metrics._paired_counts import (
    PairedCounts,
    paired_counts,
)
from skpostbac.metrics._population import PopulationPosterior, population_posterior
from skpostbac.metrics._prevalence import (
    JudgeWarning,
    PosteriorPrevalence,
    PrevalenceDifference,
    posterior_prevalence,
)
from skpostbac.metrics._prior import BetaPrior, CalibratedPrior
from skpostbac.metrics._ranking import (
    PosteriorRankingMetric,
    make_ranking_scorer,
    posterior_average_precision,
    posterior_roc_auc,
)
from skpostbac.metrics._scorers import (
    ClassCountsScorer,
    OutcomesScorer,
    make_posterior_scorer,
    posterior_balanced_accuracy_score,
)
from skpostbac.metrics._selected import (
    SelectedPosterior,
)
from skpostbac.metrics._subgroups import SubgroupPosteriors, subgroup_posteriors
from skpostbac.metrics._thresholds import (
    PosteriorThresholdCurve,
    posterior_threshold_curve,
)
from skpostbac.metrics._validated_prevalence import PosteriorValidatedPrevalence

__all__ = [
    "BetaPrior",
    "CalibratedPrior",
    "ClassCounts",
    "ClassCountsScorer",
    "DesignEffects",
    "ExpectedCost",
    "GroupsWarning",
    "JudgeWarning",
    "NetBenefit",
    "OutcomesScorer",
    "PairedCounts",
    "PopulationPosterior",
    "PosteriorAccuracy",
    "PosteriorBalancedAccuracy",
    "PosteriorClassificationReport",
    "PosteriorConfusionMetric",
    "PosteriorPrevalence",
    "PosteriorRankingMetric",
    "PosteriorThresholdCurve",
    "PosteriorValidatedPrevalence",
    "PrevalenceDifference",
    "PriorInfluence",
    "PriorInfluenceWarning",
    "SampleWeightWarning",
    "SelectedPosterior",
    "StrayLabelWarning",
    "SubgroupPosteriors",
    "class_counts",
    "make_posterior_scorer",
    "make_ranking_scorer",
    "paired_counts",
    "population_posterior",
    "posterior_accuracy",
    "posterior_average_precision",
    "posterior_balanced_accuracy",
    "posterior_balanced_accuracy_score",
    "posterior_classification_report",
    "posterior_confusion_metric",
    "posterior_prevalence",
    "posterior_roc_auc",
    "posterior_threshold_curve",
    "required_labels",
    "subgroup_posteriors",
]
