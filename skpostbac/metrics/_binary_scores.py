"""Scores of samples of two classes, and which class is the positive one."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_consistent_length

from skpostbac._utils import (
    Bools,
    Floats,
    first,
    float_array,
    input_errors,
    shown,
    user_stacklevel,
)
from skpostbac.metrics._labels import WeightType, label_list, read_outcomes

# Sums of larger scores overflow.
_LARGEST_SCORE = 1e300


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
    weight_type: WeightType = "case",
) -> BinaryScores:
    """Read the labels and the scores of two classes.

    Raises
    ------
    ValueError
        If there are not two classes; if `pos_label` is not one of them, or not given
        where it is needed; if a score is not a finite number of at most 1e300; if a
        weight is negative, infinite or NaN, or if they add up to more than 1e15;
        if the lengths differ.
    TypeError
        If the labels are bytes or a sparse matrix.
    """
    outcomes = read_outcomes(y_true, {}, sample_weight, weight_type)
    classes = label_list(outcomes.classes)
    positive = positive_position(classes, pos_label)
    is_positive = np.asarray(outcomes.codes(slice(None)) == positive)
    scores = read_score_array(y_score, "y_score", is_positive)
    check_one_column(scores, "y_score")
    if (bad := np.abs(scores) > _LARGEST_SCORE).any():
        raise ValueError(
            f"y_score must be between -{_LARGEST_SCORE:g} and {_LARGEST_SCORE:g}, "
            f"got {first(scores, bad)}"
        )
    both = classes[0], classes[1]
    return BinaryScores(both, positive, is_positive, scores, outcomes.weights)


def read_score_array(values: ArrayLike, name: str, labels: ArrayLike) -> Floats:
    """Return finite scores of the samples with these labels."""
    scores = float_array(values, name)
    with input_errors(f"y_true and {name}"):
        check_consistent_length(labels, scores)
    if (bad := ~np.isfinite(scores)).any():
        raise ValueError(f"{name} must be finite, got {first(scores, bad)}")
    return scores


def check_one_column(scores: Floats, name: str) -> None:
    """Raise unless there is one score for each sample."""
    if scores.ndim != 1:
        raise ValueError(
            f"{name} must be 1-dimensional, the scores of the positive class, got an "
            f"array of shape {scores.shape}"
        )


def are_labels(scores: Floats) -> bool:
    """Return whether the scores of one of two classes look like predicted labels."""
    low = scores.min()
    high = scores.max()
    are_two = bool(np.all((scores == low) | (scores == high)))
    return high == 1 and low in (-1, 0) and are_two


def warn_of_labels(scores: Floats, name: str) -> None:
    """Warn if the scores of one of two classes look like predicted labels."""
    if are_labels(scores):
        warnings.warn(
            f"{name} has only two values, like predicted labels: pass scores, such as "
            "predict_proba(X)[:, 1] or decision_function(X)",
            UserWarning,
            stacklevel=user_stacklevel(),
        )


def positive_position(classes: Sequence[Any], pos_label: Any) -> int:
    """Return the position of the positive one of two classes, by default that of 1."""
    if len(classes) > 2:
        raise ValueError(
            f"multiclass format is not supported: y_true has {len(classes)} classes"
        )
    if len(classes) < 2:
        raise ValueError(f"y_true must have samples of two classes, got only {classes}")
    if pos_label is None:
        if set(classes) not in ({0, 1}, {-1, 1}):
            raise ValueError(
                f"y_true takes value in {classes} and pos_label is not specified: "
                "either make y_true take value in {0, 1} or {-1, 1} or pass pos_label "
                "explicitly."
            )
        pos_label = 1
    return label_position(classes, pos_label)


def label_position(classes: Sequence[Any], pos_label: Any) -> int:
    """Return the position of a label among the classes."""
    with suppress(TypeError):  # of what cannot be hashed, such as an array
        if pos_label in set(classes):
            return classes.index(pos_label)
    raise ValueError(
        f"pos_label={shown(pos_label)} is not a valid label: It should be one of "
        f"{classes}"
    )
