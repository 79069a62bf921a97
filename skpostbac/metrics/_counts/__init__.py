"""Counts, the sufficient statistics of the posteriors.

Computes `ClassCounts` and `PairedCounts` from labels, tables or confusion matrices, and the
outcomes of samples that scorers pass on. Imports `_labels` and `skpostbac.stats`.
"""

from skpostbac.metrics._counts.confusion_matrix import (
    ConfusedSamples,
    check_confusion_matrix,
    confused_samples,
    count_confusions,
    counts_of_matrix,
    counts_of_numbers,
    matrix_index,
)
from skpostbac.metrics._counts.counts import ClassCounts, class_counts, count_choices, format_count
from skpostbac.metrics._counts.pairs import (
    WORD_BITS,
    WORD_KEY,
    PairedCounts,
    class_order,
    n_words,
    pack_bits,
    paired_counts,
    unpack_bits,
    word_keys,
)

__all__ = [
    "WORD_BITS",
    "WORD_KEY",
    "ClassCounts",
    "ConfusedSamples",
    "PairedCounts",
    "check_confusion_matrix",
    "class_counts",
    "class_order",
    "confused_samples",
    "count_choices",
    "count_confusions",
    "counts_of_matrix",
    "counts_of_numbers",
    "format_count",
    "matrix_index",
    "n_words",
    "pack_bits",
    "paired_counts",
    "unpack_bits",
    "word_keys",
]
