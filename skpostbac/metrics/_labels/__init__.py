"""Reading of labels: arrays, lists, categorical columns, predictions by name.

`labels` reads labels from any container, encodes them as small integers and finds the correct
predictions. `predictions` reads classifiers by name, and binary labels with scores. Imports
`_dependence`, for a warning, and `skpostbac.stats`, for the largest count.
"""

from skpostbac.metrics._labels.labels import (
    Outcomes,
    WeightType,
    array_of_labels,
    check_same_type,
    check_weight_type,
    encode,
    label_index,
    label_list,
    merge_labels,
    positions,
    read_column,
    read_outcomes,
    unique_label_array,
    warn_if_foreign,
)
from skpostbac.metrics._labels.predictions import (
    BinaryScores,
    Predictions,
    by_argument,
    check_names,
    is_named,
    named_predictions,
    position_of,
    positive_label,
    read_scores,
)
