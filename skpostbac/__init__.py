"""Posterior balanced accuracy: evaluate, compare and select classifiers."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from skpostbac._version import __version__ as __version__

if TYPE_CHECKING:
    from skpostbac.displays import (
        BinormalCurveDisplay,
        ComparisonPlot,
        NormalScoresDisplay,
        PosteriorComparisonDisplay,
        PosteriorDisplay,
        PosteriorPlot,
        PosteriorSearchDisplay,
    )
    from skpostbac.metrics import (
        BinormalAssumptionWarning,
        BinormalCheck,
        BinormalDraws,
        BinormalModel,
        ClassCounts,
        ClassCountsScorer,
        CurveBand,
        DrawnPosterior,
        EmpiricalAreas,
        GroupPosterior,
        GuessingTest,
        NormalScores,
        OutcomesScorer,
        PairedCounts,
        PosteriorAccuracy,
        PosteriorBalancedAccuracy,
        PosteriorBinaryEquivalentAccuracy,
        PosteriorBinormal,
        PosteriorConfusionMetric,
        PriorInfluence,
        PriorInfluenceWarning,
        ProbAboveChance,
        ScoreMoments,
        binary_equivalent_accuracy,
        binary_equivalent_accuracy_score,
        binary_equivalent_recalls,
        binormal_average_precision_score,
        binormal_check,
        binormal_precision_recall_curve,
        binormal_roc_auc_score,
        binormal_roc_curve,
        class_counts,
        group_posterior,
        guessing_test,
        make_binary_equivalent_scorer,
        make_binormal_scorer,
        make_posterior_scorer,
        paired_counts,
        posterior_accuracy,
        posterior_balanced_accuracy,
        posterior_balanced_accuracy_score,
        posterior_binormal,
        posterior_confusion_metric,
    )
    from skpostbac.model_selection import (
        MonteCarloError,
        PosteriorComparison,
        PosteriorRefit,
        RequiredTestSize,
        RopeMasses,
        compare_posteriors,
        compare_predictions,
        cross_val_posterior,
        pooled_paired_counts,
        pooled_posteriors,
        required_test_size,
    )

__all__ = [
    "BinormalAssumptionWarning",
    "BinormalCheck",
    "BinormalCurveDisplay",
    "BinormalDraws",
    "BinormalModel",
    "ClassCounts",
    "ClassCountsScorer",
    "ComparisonPlot",
    "CurveBand",
    "DrawnPosterior",
    "EmpiricalAreas",
    "GroupPosterior",
    "GuessingTest",
    "MonteCarloError",
    "NormalScores",
    "NormalScoresDisplay",
    "OutcomesScorer",
    "PairedCounts",
    "PosteriorAccuracy",
    "PosteriorBalancedAccuracy",
    "PosteriorBinaryEquivalentAccuracy",
    "PosteriorBinormal",
    "PosteriorComparison",
    "PosteriorComparisonDisplay",
    "PosteriorConfusionMetric",
    "PosteriorDisplay",
    "PosteriorPlot",
    "PosteriorRefit",
    "PosteriorSearchDisplay",
    "PriorInfluence",
    "PriorInfluenceWarning",
    "ProbAboveChance",
    "RequiredTestSize",
    "RopeMasses",
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
    "compare_posteriors",
    "compare_predictions",
    "cross_val_posterior",
    "group_posterior",
    "guessing_test",
    "make_binary_equivalent_scorer",
    "make_binormal_scorer",
    "make_posterior_scorer",
    "paired_counts",
    "pooled_paired_counts",
    "pooled_posteriors",
    "posterior_accuracy",
    "posterior_balanced_accuracy",
    "posterior_balanced_accuracy_score",
    "posterior_binormal",
    "posterior_confusion_metric",
    "required_test_size",
]

_ROOMS = ("skpostbac.metrics", "skpostbac.model_selection", "skpostbac.displays")


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that `skpostbac.stats` needs no scikit-learn."""
    if name in __all__:
        for room in map(import_module, _ROOMS):
            if name in room.__all__:
                return getattr(room, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names along with what is loaded."""
    return sorted({*globals(), *__all__})
