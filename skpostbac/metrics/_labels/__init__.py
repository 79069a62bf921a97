"""Reading of labels: arrays, lists, categorical columns, predictions by name, scores.

`labels` reads labels from any container, encodes them as small integers and finds the correct
predictions. It also reads predictions by the names of classifiers, and the scores of two classes.
Imports `_dependence`, which needs sums over samples, and `skpostbac.stats`, for the largest count.
"""

from skpostbac.metrics._labels.labels import (
    BinaryScores,
    Outcomes,
    Predictions,
    WeightType,
    array_of_labels,
    by_argument,
    check_names,
    check_same_type,
    check_weight_type,
    encode,
    is_named,
    label_index,
    label_list,
    merge_labels,
    named_predictions,
    position_of,
    positions,
    positive_label,
    read_column,
    read_outcomes,
    read_scores,
    unique_label_array,
    warn_if_foreign,
    warn_of_labels,
)
