"""Labels as they come in: arrays, lists, categorical columns, predictions by name.

They are read once and encoded as small integers; weights of classes and of samples are matched with
them. Imports `skpostbac._utils`.
"""

from skpostbac.metrics._labels.categorical import as_labels
from skpostbac.metrics._labels.class_weight import (
    ClassWeightLike,
    ClassWeightSpec,
    check_class_weight,
    resolve_class_weight,
)
from skpostbac.metrics._labels.foreign_labels import warn_if_foreign
from skpostbac.metrics._labels.labels import (
    array_of_labels,
    as_label_array,
    check_batch_kind,
    check_same_kind,
    encode_sorted,
    label_index,
    label_list,
    merge_labels,
    naming,
    unique_label_array,
)
from skpostbac.metrics._labels.outcomes import Outcomes, check_samples, read_outcomes
from skpostbac.metrics._labels.predictions import (
    Predictions,
    by_argument,
    check_names,
    is_named,
    named_predictions,
    position_of,
)

__all__ = [
    "ClassWeightLike",
    "ClassWeightSpec",
    "Outcomes",
    "Predictions",
    "array_of_labels",
    "as_label_array",
    "as_labels",
    "by_argument",
    "check_batch_kind",
    "check_class_weight",
    "check_names",
    "check_same_kind",
    "check_samples",
    "encode_sorted",
    "is_named",
    "label_index",
    "label_list",
    "merge_labels",
    "named_predictions",
    "naming",
    "position_of",
    "read_outcomes",
    "resolve_class_weight",
    "unique_label_array",
    "warn_if_foreign",
]
