"""Pooled cross-validation: counts of folds, added up, and pairs of candidates."""

from skpostbac.model_selection._pooling.folds import (
    ClassShareWarning,
    FoldCounts,
    OutcomeMetric,
    TrainingVariation,
    accuracy_of,
    candidate_params,
    check_n_repeats,
    corrected_for_training,
    fold_counts,
    fold_words,
    is_accuracy,
    value_column,
    weights_by_text,
)
from skpostbac.model_selection._pooling.pooling import (
    cross_val_posterior,
    pooled_paired_counts,
    pooled_posteriors,
)
