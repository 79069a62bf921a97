"""Pooling of the folds of a cross-validation into one posterior.

Reads `cv_results_`, pools folds and pairs candidates tested on the same folds. Imports
`skpostbac.metrics`, its folders and what these import.
"""

from skpostbac.model_selection._pooling.folds import (
    FoldCounts,
    check_n_repeats,
    cross_val_posterior,
    fold_counts,
    fold_words,
    pooled_posteriors,
    weights_by_text,
)
from skpostbac.model_selection._pooling.pairing import pair_candidates, pooled_paired_counts
from skpostbac.model_selection._pooling.results import candidate_params, value_column
from skpostbac.model_selection._pooling.training_variation import (
    TrainingVariation,
    corrected_for_training,
    training_inflation,
)

__all__ = [
    "FoldCounts",
    "TrainingVariation",
    "candidate_params",
    "check_n_repeats",
    "corrected_for_training",
    "cross_val_posterior",
    "fold_counts",
    "fold_words",
    "pair_candidates",
    "pooled_paired_counts",
    "pooled_posteriors",
    "training_inflation",
    "value_column",
    "weights_by_text",
]
