"""Confusion matrices, and counts of each class from tables.

True classes are rows, predicted classes are columns.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import (
    Bools,
    Floats,
    Indices,
    LabelArray,
    check_nonnegative,
    first,
    float_array,
    nonnegative_array,
)
from skpostbac.metrics._counts.counts import ClassCounts, check_labels
from skpostbac.metrics._labels import (
    WeightType,
    encode,
    label_index,
    merge_labels,
    positions,
    read_column,
    read_outcomes,
    unique_label_array,
)
from skpostbac.stats._beta import LARGEST

# Shares that were rounded to two digits may add up to a little less or more than 1. The cells of a
# weighted matrix are not integers either, but hardly have a sum near 1 in each row or each column.
_ROUNDING = 0.05


class ConfusedSamples(NamedTuple):
    """Samples of the classes of a confusion matrix, one by one; arrays of shape (n_samples,)."""

    true: Indices
    """Row of each sample."""
    pred: Indices
    """Column of each sample, or of each classifier in turn, shape (n_samples, T)."""
    group: Indices | None
    """Number of its group."""
    weight: Floats | None
    """Its weight, None for 1 each."""

    def chosen(self, which: Bools) -> ConfusedSamples:
        """Return some of the samples."""
        return ConfusedSamples(*(None if one is None else one[which] for one in self))  # type: ignore[arg-type]


def count_confusions(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = None,
    groups: ArrayLike | None = None,
) -> tuple[LabelArray, Floats, ConfusedSamples]:
    """Return the classes, the confusion matrix, which leaves out no prediction, and its samples.

    Warns
    -----
    SampleWeightWarning
        As :func:`class_counts` gives it.

    Raises
    ------
    ValueError, TypeError
        As :func:`class_counts` raises them, or if a class that is not listed is predicted.

    Examples
    --------
    >>> classes, C, _ = count_confusions(["a", "a", "b"], ["a", "c", "b"])
    >>> C
    array([[1., 0., 1.],
           [0., 1., 0.],
           [0., 0., 0.]])
    """
    predictions = {"y_pred": y_pred}
    classes, samples = read_confusions(
        y_true, predictions, labels, sample_weight, weight_type, groups
    )
    samples = samples._replace(pred=samples.pred[:, 0])
    size = len(classes)
    matrix = np.bincount(size * samples.true + samples.pred, samples.weight, size**2)
    return classes, matrix.reshape(size, size).astype(np.float64), samples


def read_confusions(
    y_true: ArrayLike,
    predictions: Mapping[str, ArrayLike],
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = None,
    groups: ArrayLike | None = None,
) -> tuple[LabelArray, ConfusedSamples]:
    """Return the classes, and the samples with the predictions of one or several classifiers.

    `predictions` has the predicted labels by the name of their argument, for error messages. What
    is raised and warned of is that of `count_confusions`.
    """
    outcomes = read_outcomes(y_true, predictions, sample_weight, weight_type, groups)
    every = slice(None)
    found = {name: encode(read_column(y, name)) for name, y in predictions.items()}
    if labels is None:
        values = (column.values for column in found.values())
        classes = reduce(merge_labels, values, outcomes.classes)
    else:
        classes = check_labels(labels, outcomes.classes)
    true = positions(outcomes.classes, classes)[outcomes.codes(every)]
    columns = [positions(one.values, classes)[one.codes(every)] for one in found.values()]
    group = None if outcomes.groups is None else outcomes.groups(every)
    samples = ConfusedSamples(true, np.column_stack(columns), group, outcomes.weight)
    samples = samples.chosen(true >= 0)
    is_unknown = samples.pred < 0
    if samples.weight is not None:
        is_unknown &= samples.weight[:, np.newaxis] > 0
    if is_unknown.any():
        name = list(predictions)[int(np.argmax(is_unknown.any(axis=0)))]
        raise ValueError(f"{name} has classes that are not in labels, {classes}")
    return classes, samples.chosen(np.all(samples.pred >= 0, axis=1))


def read_confusion_matrix(C: ArrayLike, labels: ArrayLike | None) -> tuple[LabelArray, Floats]:
    """Return the classes and a copy of a square matrix of non-negative, unnormalised counts.

    By default, the classes are the index of a DataFrame, which must equal its columns, or integers.
    """
    matrix = float_array(C, "C")
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size:
        raise ValueError(
            f"C must be a square confusion matrix of shape (n_classes, n_classes), "
            f"got an array of shape {matrix.shape}"
        )
    check_nonnegative(matrix, "C")
    with np.errstate(over="ignore"):
        total = matrix.sum(axis=1)
    if np.any(large := total > LARGEST):
        raise ValueError(
            f"C must have rows that add up to at most {LARGEST:g}, got {first(total, large)}"
        )
    if not ((matrix % 1 == 0).all() or (matrix > 1).any()):
        _check_unnormalised(matrix)
    index, columns = label_index(C), getattr(C, "columns", None)
    if index is not None and columns is not None:
        for row, column in zip(index, columns, strict=True):
            if row != column:
                raise ValueError(
                    "C must have the same labels as rows and as columns, in the same order; "
                    f"found the row {row!r} where the column is {column!r}"
                )
    else:
        index = np.arange(len(matrix))
    classes = unique_label_array(index if labels is None else labels, "labels")
    if len(classes) != len(matrix):
        raise ValueError(
            f"labels must have one label for each of the {len(matrix)} rows of C, "
            f"got {len(classes)}"
        )
    return classes, matrix


def _check_unnormalised(matrix: Floats) -> None:
    """Raise for a normalised matrix, whose number of samples is unknown."""
    sums = {
        "each of its rows": matrix.sum(axis=1),
        "each of its columns": matrix.sum(axis=0),
        "all of them": matrix.sum(keepdims=True),
    }
    for which, total in sums.items():
        # A class without samples has shares of 0.
        if (np.abs(total[total > 0] - 1) <= _ROUNDING).all():
            raise ValueError(
                f"C must hold counts, got shares that add up to 1 in {which}: "
                "give the confusion matrix with normalize=None"
            )


def counts_of_matrix(C: ArrayLike, labels: ArrayLike | None = None) -> ClassCounts:
    """Return the counts of a confusion matrix: its diagonal, and the sums of its rows.

    Examples
    --------
    >>> counts_of_matrix([[7, 2], [1, 2]], ["a", "b"])
    ClassCounts('a': 7/9, 'b': 2/3)
    """
    classes, matrix = read_confusion_matrix(C, labels)
    return ClassCounts(classes, np.diag(matrix), matrix.sum(axis=1))


def counts_of_numbers(
    correct: ArrayLike, total: ArrayLike, classes: ArrayLike | None
) -> ClassCounts:
    """Return counts from arrays, whose classes are by default those of their common index.

    Examples
    --------
    >>> counts_of_numbers([7, 2], [9, 3], None)
    ClassCounts(0: 7/9, 1: 2/3)
    """
    index = label_index(correct), label_index(total)
    if classes is None and index[0] is not None and index[1] is not None:
        if list(index[0]) != list(index[1]):
            raise ValueError("correct and total must have the same index, in the same order")
        classes = index[0]
    total = nonnegative_array(total, "total")
    return ClassCounts(np.arange(len(total)) if classes is None else classes, correct, total)
