"""Pooled cross-validation, choice of the best candidate of a search, and comparison."""

from skpostbac.model_selection._comparison import (
    PosteriorComparison,
    RopeMasses,
    compare_posteriors,
    compare_predictions,
)
from skpostbac.model_selection._joint import MonteCarloError
from skpostbac.model_selection._pooling import cross_val_posterior, pooled_posteriors
from skpostbac.model_selection._refit import PosteriorRefit

__all__ = [
    "MonteCarloError",
    "PosteriorComparison",
    "PosteriorRefit",
    "RopeMasses",
    "compare_posteriors",
    "compare_predictions",
    "cross_val_posterior",
    "pooled_posteriors",
]
