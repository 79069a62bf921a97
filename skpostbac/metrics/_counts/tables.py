"""Counts of each class from a table: as two columns, or as a confusion matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import nonnegative_array
from skpostbac.metrics._counts.confusion_matrix import check_confusion_matrix, matrix_index
from skpostbac.metrics._counts.counts import ClassCounts
from skpostbac.metrics._labels import label_index, unique_label_array


def counts_of_numbers(
    correct: ArrayLike, total: ArrayLike, classes: ArrayLike | None
) -> ClassCounts:
    """Return counts from arrays, whose classes are by default those of their common index.

    Examples
    --------
    >>> counts_of_numbers([7, 2], [9, 3], None)
    ClassCounts(0: 7/9, 1: 2/3)
    """
    return _numbered(correct, total, _common_index(correct, total) if classes is None else classes)


def counts_of_matrix(C: ArrayLike, labels: ArrayLike | None) -> ClassCounts:
    """Return counts from a confusion matrix, whose labels are by default those of a DataFrame.

    Examples
    --------
    >>> counts_of_matrix([[7, 2], [1, 2]], ["a", "b"])
    ClassCounts('a': 7/9, 'b': 2/3)
    """
    matrix, index = check_confusion_matrix(C), matrix_index(C)
    if labels is not None:
        index = _row_labels(labels, len(matrix))
    return _numbered(np.diag(matrix), matrix.sum(axis=1), index)


def _row_labels(labels: ArrayLike, n_rows: int) -> ArrayLike:
    """Return the labels of the rows of a confusion matrix, of which each must have one."""
    array = unique_label_array(labels, "labels")
    if len(array) != n_rows:
        raise ValueError(
            f"labels must have one label for each of the {n_rows} rows of C, got {len(array)}"
        )
    return array


def _numbered(correct: ArrayLike, total: ArrayLike, classes: Any) -> ClassCounts:
    """Return counts of classes that are 0, 1, ... if they have no labels."""
    total = nonnegative_array(total, "total")
    return ClassCounts(np.arange(len(total)) if classes is None else classes, correct, total)


def _common_index(correct: Any, total: Any) -> Any:
    """Return the labels of two Series, which must be the same; None if one has no index."""
    one, two = label_index(correct), label_index(total)
    if one is None or two is None:
        return None
    if list(one) != list(two):
        raise ValueError("correct and total must have the same index, in the same order")
    return one
