"""Reading of labels: arrays, lists, categorical columns, predictions by name.

`reading` converts each container to a column, once. `outcomes` encodes the true labels as small
integers, compares the predictions with them and counts. `scores` reads binary labels with scores,
and `labels` checks the distinct labels. Imports `_dependence`,
for a warning, and `skpostbac.stats`, for the largest count.
"""

from skpostbac.metrics._labels.foreign_labels import warn_if_foreign
from skpostbac.metrics._labels.labels import (
    array_of_labels,
    check_batch_kind,
    check_same_kind,
    label_index,
    label_list,
    merge_labels,
    naming,
    positions,
    unique_label_array,
)
from skpostbac.metrics._labels.outcomes import (
    Outcomes,
    WeightType,
    check_weight_type,
    count_hits,
    distinct_labels,
    encode,
    read_outcomes,
)
from skpostbac.metrics._labels.predictions import (
    Predictions,
    by_argument,
    check_names,
    is_named,
    named_predictions,
    position_of,
)
from skpostbac.metrics._labels.reading import Column, read_column
from skpostbac.metrics._labels.scores import BinaryScores, read_scores

__all__ = [
    "BinaryScores",
    "Column",
    "Outcomes",
    "Predictions",
    "WeightType",
    "array_of_labels",
    "by_argument",
    "check_batch_kind",
    "check_names",
    "check_same_kind",
    "check_weight_type",
    "count_hits",
    "distinct_labels",
    "encode",
    "is_named",
    "label_index",
    "label_list",
    "merge_labels",
    "named_predictions",
    "naming",
    "position_of",
    "positions",
    "read_column",
    "read_outcomes",
    "read_scores",
    "unique_label_array",
    "warn_if_foreign",
]
