"""Predictions of several classifiers by name, and scores of samples of two classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from reprlib import repr as short_repr
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_consistent_length

from skpostbac._utils import (
    Bools,
    Floats,
    first,
    float_array,
    input_errors,
    nonnegative_array,
    shown,
)
from skpostbac.metrics._labels.labels import encode, label_list, read_column
from skpostbac.stats._beta import LARGEST

# Sums of larger scores overflow.
_LARGEST_SCORE = 1e300


class DataFrame(Protocol):
    """Interface of pandas and polars tables."""

    @property
    def columns(self) -> Any:
        """Names of the columns."""
        ...

    def __getitem__(self, name: str, /) -> Any:
        """Return a column."""
        ...


Predictions: TypeAlias = Mapping[str, ArrayLike] | DataFrame


def named_predictions(predictions: object, name: str = "predictions") -> dict[str, ArrayLike]:
    """Return predictions by the name of the classifier, which is that of a column in a DataFrame.

    Raises
    ------
    TypeError
        If `predictions` are neither a mapping nor a DataFrame.
    TypeError, ValueError
        For the reasons listed in :func:`check_names`.
    """
    if not is_named(predictions):
        raise TypeError(
            f'{name} must be a mapping {{"name": y_pred, ...}}, or a DataFrame with a column '
            f"for each classifier, got {type(predictions).__name__}"
        )
    names = predictions if isinstance(predictions, Mapping) else predictions.columns
    with input_errors(name):
        checked = check_names(tuple(names))
    return {column: predictions[column] for column in checked}


def is_named(predictions: object) -> TypeGuard[Predictions]:
    """Return whether predictions are a mapping or a DataFrame, of pandas or polars."""
    return isinstance(predictions, Mapping) or hasattr(predictions, "columns")


def by_argument(predictions: Predictions, names: Iterable[str]) -> dict[str, ArrayLike]:
    """Return the predictions of these classifiers by what messages call them."""
    return {f"predictions[{name!r}]": predictions[name] for name in names}


def position_of(name: object, names: Sequence[str], argument: str) -> int:
    """Return the position of a classifier, or say that the argument is none."""
    if not isinstance(name, str) or name not in names:
        raise ValueError(f"{argument} must be one of {short_repr(names)}, got {shown(name)}")
    return names.index(name)


def check_names(names: Sequence[Any]) -> tuple[str, ...]:
    """Return the names of classifiers, which must be different strings and at least one.

    Raises
    ------
    TypeError
        If they are neither a tuple nor a list, or if one is not a string.
    ValueError
        If there is none, if one is empty, or if one occurs twice.
    """
    if not isinstance(names, tuple | list):
        raise TypeError(f"names must be a tuple or a list, got {type(names).__name__}")
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"the names of classifiers must be strings, got {name!r}")
        if not name:
            raise ValueError(f"the names of classifiers must not be empty, got {name!r}")
    if not names:
        raise ValueError("names must hold at least one classifier, got none")
    if len(set(names)) < len(names):
        raise ValueError(f"the names of classifiers must be different, got {short_repr(names)}")
    return tuple(names)


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
    column = read_column(y_true, "y_true")
    weight = np.ones(len(column.array))
    if sample_weight is not None:
        weight = nonnegative_array(sample_weight, "sample_weight")
    if not len(column.array):
        raise ValueError("Found empty input array y_true while a minimum of 1 sample is required.")
    labels = encode(column)
    classes: list[Any] = label_list(labels.values)
    if len(classes) > 2:
        raise ValueError(f"multiclass format is not supported: y_true has {len(classes)} classes")
    if len(classes) < 2:
        raise ValueError(f"y_true must have samples of two classes, got only {classes}")
    positive = classes.index(positive_label(classes, pos_label))
    is_positive = np.asarray(labels.codes(slice(None)) == positive)
    scores = float_array(y_score, "y_score")
    if scores.ndim != 1:
        raise ValueError(f"y_score must be 1-dimensional, got an array of shape {scores.shape}")
    if (bad := ~np.isfinite(scores)).any():
        raise ValueError(f"y_score must be finite, got {first(scores, bad)}")
    if (bad := np.abs(scores) > _LARGEST_SCORE).any():
        raise ValueError(
            f"y_score must be between -{_LARGEST_SCORE:g} and {_LARGEST_SCORE:g}, "
            f"got {first(scores, bad)}"
        )
    for name, values in {"y_score": scores, "sample_weight": weight}.items():
        with input_errors(name):
            check_consistent_length(column.array, values)
    with np.errstate(over="ignore"):
        total = np.bincount(is_positive, weight).max()
    if total > most:
        raise ValueError(
            f"sample_weight must add up to at most {most:g} for each class, got {total:g}"
        )
    return BinaryScores((classes[0], classes[1]), positive, is_positive, scores, weight)


def positive_label(classes: list[Any], pos_label: Any) -> Any:
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
