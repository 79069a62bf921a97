"""Posterior balanced accuracy: evaluate, compare and select classifiers.

Where to start:

- `posterior_balanced_accuracy` evaluates one classifier from labels and predictions.
  The result provides intervals, probabilities, ``report()`` and ``plot()``.
- `compare_predictions` compares classifiers on the same test samples, and
  `compare_outcomes` systems by which items they got right.
- `make_posterior_scorer` and `cross_val_posterior` are for searches and
  cross-validation.
- `required_test_size` plans a test set.
- `posterior_confusion_metric` evaluates precision, F1, kappa and other metrics.

Submodules: `skpostbac.binormal` (smooth ROC and precision-recall curves),
`skpostbac.binary_equivalent` (multiclass accuracies on the two-class scale) and
`skpostbac.stats` (the distributions; requires only NumPy and SciPy). Classes that are
only returned by functions are in `skpostbac.metrics` and `skpostbac.model_selection`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from skpostbac.displays import (
        PosteriorComparisonDisplay,
        PosteriorDisplay,
        PosteriorRocDisplay,
        PosteriorSearchDisplay,
        PosteriorThresholdDisplay,
    )
    from skpostbac.metrics import (
        ClassCounts,
        ClassCountsScorer,
        OutcomesScorer,
        PosteriorAccuracy,
        PosteriorBalancedAccuracy,
        PosteriorConfusionMetric,
        class_counts,
        make_posterior_scorer,
        make_ranking_scorer,
        population_posterior,
        posterior_accuracy,
        posterior_average_precision,
        posterior_balanced_accuracy,
        posterior_balanced_accuracy_score,
        posterior_classification_report,
        posterior_confusion_metric,
        posterior_prevalence,
        posterior_roc_auc,
        posterior_threshold_curve,
        required_labels,
        subgroup_posteriors,
    )
    from skpostbac.model_selection import (
        PosteriorComparison,
        PosteriorRefit,
        compare_cv_results,
        compare_outcomes,
        compare_posteriors,
        compare_predictions,
        compare_scores,
        cross_val_posterior,
        pooled_posteriors,
        required_test_size,
        selected_posterior,
    )

__all__ = [
    "ClassCounts",
    "ClassCountsScorer",
    "OutcomesScorer",
    "PosteriorAccuracy",
    "PosteriorBalancedAccuracy",
    "PosteriorComparison",
    "PosteriorComparisonDisplay",
    "PosteriorConfusionMetric",
    "PosteriorDisplay",
    "PosteriorRefit",
    "PosteriorRocDisplay",
    "PosteriorSearchDisplay",
    "PosteriorThresholdDisplay",
    "class_counts",
    "compare_cv_results",
    "compare_outcomes",
    "compare_posteriors",
    "compare_predictions",
    "compare_scores",
    "cross_val_posterior",
    "make_posterior_scorer",
    "make_ranking_scorer",
    "pooled_posteriors",
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
    "required_test_size",
    "selected_posterior",
    "subgroup_posteriors",
]

# The only definition of the version, which a build reads without importing this file.
__version__ = "0.1.0.dev0"

_SUBMODULES = (
    "binary_equivalent",
    "binormal",
    "displays",
    "metrics",
    "model_selection",
    "stats",
)


def __getattr__(name: str) -> Any:
    """Import a name on first use: `skpostbac.stats` needs no scikit-learn (PEP 562)."""
    if name in _SUBMODULES:
        return import_module(f"{__name__}.{name}")
    if name in __all__:
        for submodule in ("metrics", "model_selection", "displays"):
            home = import_module(f"{__name__}.{submodule}")
            if name in home.__all__:
                return globals().setdefault(name, getattr(home, name))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names and submodules."""
    return sorted([*__all__, *_SUBMODULES, "__version__"])
