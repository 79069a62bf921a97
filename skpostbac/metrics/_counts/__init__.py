"""Counts, the sufficient statistics of the posteriors.

Computes `ClassCounts` and `PairedCounts` from labels, tables or confusion matrices, and the
outcomes of samples that scorers pass on. Imports `_labels` and `skpostbac.stats`.
"""

from skpostbac.metrics._counts.counts import (
    ClassCounts,
    Summable,
    check_labels,
    class_counts,
    count_choices,
    counts_of_matrix,
    counts_of_numbers,
    describe_samples,
    format_count,
    read_confusion_matrix,
)
from skpostbac.metrics._counts.pairs import (
    WORD_BITS,
    WORD_KEY,
    PairedCounts,
    class_order,
    pack_bits,
    paired_counts,
    renumber,
    unpack_bits,
)
