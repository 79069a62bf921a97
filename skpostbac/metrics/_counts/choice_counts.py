"""Counts of all the classes that a classifier chose from."""

from __future__ import annotations

from numpy.typing import ArrayLike

from skpostbac.metrics._counts.counts import ClassCounts, class_counts
from skpostbac.metrics._labels import distinct_labels, merge_labels


def count_choices(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> ClassCounts:
    """Count as :func:`class_counts`, by default with the classes that are only predicted.

    Of these there are no samples, but each is one more class to choose from.

    Raises
    ------
    ValueError, TypeError
        For the reasons listed in :func:`class_counts`.

    Examples
    --------
    >>> count_choices(["a", "a", "b"], ["a", "c", "b"])
    ClassCounts('a': 1/2, 'b': 1/1, 'c': 0/0)
    """
    counts = class_counts(
        y_true, y_pred, labels=labels, sample_weight=sample_weight, weight_type="case"
    )
    if labels is not None:
        return counts
    return counts.reindex(merge_labels(counts.classes, distinct_labels(y_pred, "y_pred")))
