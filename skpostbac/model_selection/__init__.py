"""Comparison, pooled cross-validation, choice of a candidate, test-set size."""

from skpostbac.model_selection._comparison import (
    PosteriorComparison,
    RopeMasses,
    compare_posteriors,
    compare_predictions,
)
from skpostbac.model_selection._cv_comparison import compare_cv_results
from skpostbac.model_selection._joint import MonteCarloError
from skpostbac.model_selection._outcomes import compare_outcomes
from skpostbac.model_selection._pooling import (
    ClassShareWarning,
    cross_val_posterior,
    pooled_paired_counts,
    pooled_posteriors,
)
from skpostbac.model_selection._scores import compare_scores
from skpostbac.model_selection._selection import PosteriorRefit, selected_posterior
from skpostbac.model_selection._test_size import RequiredTestSize, required_test_size

__all__ = [
    "ClassShareWarning",
    "MonteCarloError",
    "PosteriorComparison",
    "PosteriorRefit",
    "RequiredTestSize",
    "RopeMasses",
    "compare_cv_results",
    "compare_outcomes",
    "compare_posteriors",
    "compare_predictions",
    "compare_scores",
    "cross_val_posterior",
    "pooled_paired_counts",
    "pooled_posteriors",
    "required_test_size",
    "selected_posterior",
]
