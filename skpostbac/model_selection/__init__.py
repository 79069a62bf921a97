"""Pooled cross-validation, choice of the best candidate of a search, and comparison."""

from skpostbac.model_selection._comparison import (
    PosteriorComparison,
    RopeMasses,
    compare_posteriors,
)
from skpostbac.model_selection._pooling import cross_val_posterior, pooled_posteriors
from skpostbac.model_selection._refit import PosteriorRefit

__all__ = [
    "PosteriorComparison",
    "PosteriorRefit",
    "RopeMasses",
    "compare_posteriors",
    "cross_val_posterior",
    "pooled_posteriors",
]
