"""The names of `skpostbac` itself: what a user calls. Imported when one of them is first used.

This is the only list of them. Each has its home in a public subpackage, beside the classes of
results that only functions make, which stay there.
"""

from skpostbac.displays import (
    BinormalCurveDisplay,
    NormalScoresDisplay,
    PosteriorComparisonDisplay,
    PosteriorDisplay,
    PosteriorSearchDisplay,
)
from skpostbac.metrics import (
    ClassCounts,
    ClassCountsScorer,
    DrawnPosterior,
    GroupPosterior,
    OutcomesScorer,
    PairedCounts,
    PosteriorAccuracy,
    PosteriorBalancedAccuracy,
    PosteriorConfusionMetric,
    PriorInfluenceWarning,
    class_counts,
    group_posterior,
    make_posterior_scorer,
    paired_counts,
    posterior_accuracy,
    posterior_balanced_accuracy,
    posterior_balanced_accuracy_score,
    posterior_confusion_metric,
)
from skpostbac.model_selection import (
    PosteriorComparison,
    PosteriorRefit,
    compare_posteriors,
    compare_predictions,
    cross_val_posterior,
    pooled_paired_counts,
    pooled_posteriors,
    required_test_size,
)

__all__ = [
    "BinormalCurveDisplay",
    "ClassCounts",
    "ClassCountsScorer",
    "DrawnPosterior",
    "GroupPosterior",
    "NormalScoresDisplay",
    "OutcomesScorer",
    "PairedCounts",
    "PosteriorAccuracy",
    "PosteriorBalancedAccuracy",
    "PosteriorComparison",
    "PosteriorComparisonDisplay",
    "PosteriorConfusionMetric",
    "PosteriorDisplay",
    "PosteriorRefit",
    "PosteriorSearchDisplay",
    "PriorInfluenceWarning",
    "class_counts",
    "compare_posteriors",
    "compare_predictions",
    "cross_val_posterior",
    "group_posterior",
    "make_posterior_scorer",
    "paired_counts",
    "pooled_paired_counts",
    "pooled_posteriors",
    "posterior_accuracy",
    "posterior_balanced_accuracy",
    "posterior_balanced_accuracy_score",
    "posterior_confusion_metric",
    "required_test_size",
]
