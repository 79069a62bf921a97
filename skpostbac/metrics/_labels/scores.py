"""True labels of two classes, and the score of each sample."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_consistent_length

from skpostbac._utils import Bools, Floats, first, float_array, nonnegative_array, shown
from skpostbac.metrics._labels.labels import label_list, naming
from skpostbac.metrics._labels.outcomes import encode
from skpostbac.metrics._labels.reading import Column, read_column
from skpostbac.stats._beta import LARGEST

# Sums of larger scores overflow.
LARGEST_SCORE = 1e300


class BinaryScores(NamedTuple):
    """Scores of samples of two classes."""

    classes: tuple[Any, Any]
    """Sorted labels of both classes."""
    positive: int
    """Which of them is the positive one, 0 or 1."""
    is_positive: Bools
    """Whether the true class of each sample is the positive one, shape (n_samples,)."""
    values: Floats
    """The score of each sample, finite."""
    weight: Floats
    """The case count of each sample, not negative."""


def read_scores(
    y_true: ArrayLike,
    y_score: ArrayLike,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    *,
    most: float = LARGEST,
) -> BinaryScores:
    """Read the labels and the scores of two classes, whose weights add up to at most `most`.

    Raises
    ------
    ValueError
        If there are not two classes; if `pos_label` is not one of them, or not given where it is
        needed; if a score is not a finite number of at most 1e300; if a weight is negative,
        infinite or NaN, or if those of a class add up to too much; if the lengths differ.
    TypeError
        If the labels are bytes or a sparse matrix.
    """
    labels = read_column(y_true, "y_true")
    weight = np.ones(len(labels.array))
    if sample_weight is not None:
        weight = nonnegative_array(sample_weight, "sample_weight")
    classes, positive, is_positive = _is_positive(labels, pos_label)
    scores = _finite_scores(y_score)
    with naming("y_score"):
        check_consistent_length(labels.array, scores)
    with naming("sample_weight"):
        check_consistent_length(labels.array, weight)
    with np.errstate(over="ignore"):
        total = np.bincount(is_positive, weight).max()
    if total > most:
        raise ValueError(
            f"sample_weight must add up to at most {most:g} for each class, got {total:g}"
        )
    return BinaryScores(classes, positive, is_positive, scores, weight)


def _finite_scores(y_score: ArrayLike) -> Floats:
    scores = float_array(y_score, "y_score")
    if scores.ndim != 1:
        raise ValueError(f"y_score must be 1-dimensional, got an array of shape {scores.shape}")
    if (bad := ~np.isfinite(scores)).any():
        raise ValueError(f"y_score must be finite, got {first(scores, bad)}")
    if (bad := np.abs(scores) > LARGEST_SCORE).any():
        raise ValueError(
            f"y_score must be between -{LARGEST_SCORE:g} and {LARGEST_SCORE:g}, "
            f"got {first(scores, bad)}"
        )
    return scores


def _is_positive(y_true: Column, pos_label: Any) -> tuple[tuple[Any, Any], int, Bools]:
    """Return two classes, which of them is positive, and which samples are of that class."""
    if not len(y_true.array):
        raise ValueError("Found empty input array y_true while a minimum of 1 sample is required.")
    labels = encode(y_true, "y_true")
    classes = label_list(labels.values)
    if len(classes) > 2:
        raise ValueError(f"multiclass format is not supported: y_true has {len(classes)} classes")
    if len(classes) < 2:
        raise ValueError(f"y_true must have samples of two classes, got only {classes}")
    positive = classes.index(_positive_label(classes, pos_label))
    is_positive = np.asarray(labels.codes(slice(None)) == positive)
    return (classes[0], classes[1]), positive, is_positive


def _positive_label(classes: list[Any], pos_label: Any) -> Any:
    """Return the label of the positive class, with scikit-learn's default."""
    if pos_label is None:
        if set(classes) not in ({0, 1}, {-1, 1}):
            raise ValueError(
                f"y_true takes value in {classes} and pos_label is not specified: either make "
                "y_true take value in {0, 1} or {-1, 1} or pass pos_label explicitly."
            )
        return 1
    with suppress(TypeError):  # of what cannot be hashed, such as an array
        if pos_label in set(classes):
            return pos_label
    raise ValueError(
        f"pos_label={shown(pos_label)} is not a valid label: It should be one of {classes}"
    )
