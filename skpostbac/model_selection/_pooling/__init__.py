"""Pooled cross-validation: reads `cv_results_`, adds the counts of its folds, pairs candidates."""

from skpostbac.model_selection._pooling.folds import (
    FoldCounts,
    candidate_params,
    check_n_repeats,
    fold_counts,
    fold_words,
    pair_candidates,
    value_column,
    weights_by_text,
)
from skpostbac.model_selection._pooling.pooling import (
    cross_val_posterior,
    pooled_paired_counts,
    pooled_posteriors,
)
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
