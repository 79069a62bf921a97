"""Per-class counts of correct predictions: all that the posterior needs of the data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_consistent_length

from skpostbac.metrics._arrays import LARGEST, FloatArray, first, nonnegative_array
from skpostbac.metrics._labels import (
    EncodedLabels,
    LabelArray,
    as_label_array,
    check_same_kind,
    encode_labels,
    encode_sorted,
    is_integral,
    label_list,
    merge_labels,
    naming,
    unique_label_array,
)

# Classes listed one by one in the repr.
SHOWN_CLASSES = 8


@dataclass(frozen=True, eq=False, repr=False)
class ClassCounts:
    """How many samples of each class there are, and how many were predicted correctly.

    The counts are the sufficient statistic of the posterior balanced accuracy, and they add:
    ``+`` and :func:`sum` merge the counts of folds, batches or sites label by label. If the
    two sides list the same labels in the same order, that order stays. Otherwise the result
    has the union of the labels, sorted (in order of first appearance if they have no order).

    Parameters
    ----------
    classes : array-like of shape (n_classes,)
        The distinct labels, at least one.
    correct : array-like of shape (n_classes,)
        Correct predictions among the samples of each class, in [0, ``total``].
    total : array-like of shape (n_classes,)
        Samples of each class, at most 1e15; 0 for an absent class. Counts need not be integers.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
    correct, total : ndarray of shape (n_classes,) and dtype float64
        Read-only copies of the parameters.

    Raises
    ------
    ValueError
        If a count is negative, infinite, NaN or too large, if one of ``correct`` exceeds its
        ``total``, if the lengths differ, or if there is no class or a duplicate one.

    Examples
    --------
    >>> from skpostbac import ClassCounts
    >>> monday = ClassCounts(["cat", "dog"], correct=[7, 2], total=[9, 3])
    >>> tuesday = ClassCounts(["cat", "fox"], correct=[5, 1], total=[6, 4])
    >>> monday + tuesday
    ClassCounts('cat': 12/15, 'dog': 2/3, 'fox': 1/4)
    """

    classes: LabelArray
    correct: FloatArray
    total: FloatArray

    def __init__(self, classes: ArrayLike, correct: ArrayLike, total: ArrayLike) -> None:
        object.__setattr__(self, "classes", unique_label_array(classes, "classes"))
        object.__setattr__(self, "correct", nonnegative_array(correct, "correct"))
        object.__setattr__(self, "total", nonnegative_array(total, "total"))
        self._check()

    def _check(self) -> None:
        if not len(self.classes) == len(self.correct) == len(self.total):
            raise ValueError(
                "classes, correct and total must have the same length, got "
                f"{len(self.classes)}, {len(self.correct)} and {len(self.total)}"
            )
        if np.any(large := self.total > LARGEST):
            raise ValueError(f"total must not exceed {LARGEST:g}, got {first(self.total, large)}")
        if np.any(self.correct > self.total):
            raise ValueError(f"correct must not exceed total, got {self!r}")

    @property
    def n_classes(self) -> int:
        """Number of classes, absent ones included."""
        return len(self.classes)

    @property
    def n_samples(self) -> float:
        """Number of samples, or the sum of their weights."""
        return float(self.total.sum())

    @property
    def accuracy(self) -> float:
        """Share of correct predictions among all samples; nan without samples."""
        n = self.n_samples
        return float(self.correct.sum() / n) if n else float("nan")

    @property
    def recalls(self) -> FloatArray:
        """Share of correct predictions of each class, shape (n_classes,); nan without samples.

        Examples
        --------
        >>> from skpostbac import ClassCounts
        >>> counts = ClassCounts(["cat", "dog", "fox"], correct=[7, 2, 0], total=[9, 3, 0])
        >>> counts.recalls.tolist(), counts.accuracy
        ([0.7778, 0.6667, nan], 0.75)
        """
        with np.errstate(invalid="ignore"):
            return self.correct / self.total

    def reindex(self, classes: ArrayLike) -> ClassCounts:
        """Return the counts of these classes, in this order.

        Parameters
        ----------
        classes : array-like of shape (n_classes,)
            Distinct labels. One that is new counts 0; a class that is not named is left out.

        Returns
        -------
        counts : ClassCounts

        Examples
        --------
        >>> from skpostbac import ClassCounts
        >>> ClassCounts(["cat", "dog"], correct=[7, 2], total=[9, 3]).reindex(["fox", "cat"])
        ClassCounts('fox': 0/0, 'cat': 7/9)
        """
        labels = unique_label_array(classes, "classes")
        index = {label: i for i, label in enumerate(label_list(self.classes))}
        rows = [index.get(label, -1) for label in label_list(labels)]  # -1: the 0 appended
        return ClassCounts(labels, np.append(self.correct, 0)[rows], np.append(self.total, 0)[rows])

    def __add__(self, other: ClassCounts) -> ClassCounts:
        if not isinstance(other, ClassCounts):
            return NotImplemented
        classes = merge_labels(self.classes, other.classes)
        left, right = self.reindex(classes), other.reindex(classes)
        return ClassCounts(classes, left.correct + right.correct, left.total + right.total)

    def __radd__(self, other: object) -> ClassCounts:
        # `sum` starts from 0.
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ClassCounts):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[tuple[Any, ...], ...]:
        return tuple(label_list(self.classes)), tuple(self.correct), tuple(self.total)

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor: a pickled array does not stay read-only.
        return ClassCounts, (self.classes, self.correct, self.total)

    def __repr__(self) -> str:
        labels = label_list(self.classes[:SHOWN_CLASSES])
        cells = [
            f"{label!r}: {format_count(correct)}/{format_count(total)}"
            for label, correct, total in zip(labels, self.correct, self.total, strict=False)
        ]
        if self.n_classes > SHOWN_CLASSES:
            cells.append(f"..., n_classes={self.n_classes}")
        return f"ClassCounts({', '.join(cells)})"


def class_counts(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> ClassCounts:
    """Count the samples and the correct predictions of each class.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels, of any kind that scikit-learn takes.
    y_pred : array-like of shape (n_samples,)
        Predicted labels. A prediction of a class that is not counted is an error of the true
        class, and never dropped.
    labels : array-like of shape (n_classes,), default=None
        Classes to count, in this order. One that is absent from `y_true` has a total of 0;
        samples of a true class that is not listed are left out. By default the sorted classes
        found in `y_true`.
    sample_weight : array-like of shape (n_samples,), default=None
        Finite, non-negative case counts. Their scale matters: a weight of 2 is two
        observations of the sample.

    Returns
    -------
    counts : ClassCounts
        Label, correct predictions and samples of each class.

    Raises
    ------
    ValueError
        If the input is empty, not one-dimensional, of different lengths, continuous, with
        missing labels or with strings and numbers mixed; if `labels` has duplicates or none
        of them occurs in `y_true`; if a weight is negative, infinite or NaN, or if all are zero.
    TypeError
        If the labels are bytes or a sparse matrix.

    See Also
    --------
    posterior_balanced_accuracy : The posterior that follows from the counts.

    Examples
    --------
    >>> from skpostbac import class_counts
    >>> class_counts(["a", "a", "a", "b", "b"], ["a", "a", "b", "b", "c"])
    ClassCounts('a': 2/3, 'b': 1/2)
    >>> class_counts([0, 0, 1, 1], [0, 1, 1, 1], labels=[2, 1, 0])
    ClassCounts(2: 0/0, 1: 2/2, 0: 1/2)
    """
    outcomes = read_outcomes(y_true, {"y_pred": y_pred}, sample_weight)
    counts = _count(outcomes)
    return counts if labels is None else select_classes(counts, labels)


def format_count(value: float) -> str:
    """Write a count in full if it is an integer of moderate length, else with six digits."""
    return f"{value:.0f}" if value < 1e15 and value % 1 == 0 else f"{value:g}"


class Outcomes(NamedTuple):
    """What the samples say of one or several classifiers."""

    classes: LabelArray
    """Distinct true labels, sorted."""
    codes: NDArray[np.intp]
    """Position in `classes` of the true label of each sample."""
    hits: Iterator[NDArray[np.bool_]]
    """For each classifier in turn, which samples it predicts correctly."""
    weight: FloatArray | None
    """Case count of each sample, None for 1 each."""


def read_outcomes(
    y_true: ArrayLike, predictions: Mapping[str, ArrayLike], sample_weight: ArrayLike | None
) -> Outcomes:
    """Check true labels, weights and the predictions of one or several classifiers.

    `predictions` has the predicted labels by the name of the argument that holds them, which
    stands in the messages of errors.

    Raises
    ------
    ValueError, TypeError
        As :func:`class_counts` raises them; for predictions that are no labels, once their turn
        comes in `hits`.
    """
    y_true = as_label_array(y_true, "y_true")
    y_preds = {name: as_label_array(y_pred, name) for name, y_pred in predictions.items()}
    weight = None if sample_weight is None else nonnegative_array(sample_weight, "sample_weight")
    _check_lengths(y_true, y_preds, weight)
    if weight is not None and not weight.any():
        raise ValueError("sample_weight: Sample weights must contain at least one non-zero number.")
    true = encode_sorted(y_true, "y_true")
    hits = (_find_hits(y_true, true, y_pred, name) for name, y_pred in y_preds.items())
    return Outcomes(true.values, true.codes, hits, weight)


class Selectable(Protocol):
    """Counts of classes, of which some can be selected."""

    @property
    def classes(self) -> LabelArray:
        """Labels of the classes."""
        ...

    def reindex(self, classes: ArrayLike, /) -> Self:
        """Return the counts of these classes."""
        ...


Counts = TypeVar("Counts", bound=Selectable)


def select_classes(counts: Counts, labels: ArrayLike) -> Counts:
    """Return the counts of the classes that a user names, of which one must have samples."""
    wanted = unique_label_array(labels, "labels")
    if not set(label_list(wanted)) & set(label_list(counts.classes)):
        raise ValueError("At least one label specified must be in y_true")
    return counts.reindex(wanted)


def _check_lengths(
    y_true: LabelArray, y_preds: Mapping[str, LabelArray], weight: FloatArray | None
) -> None:
    others: dict[str, NDArray[Any] | None] = {**y_preds, "sample_weight": weight}
    for name, other in others.items():
        if other is not None and len(other) != len(y_true):
            with naming(name):
                check_consistent_length(y_true, other)
    if not len(y_true):
        raise ValueError(
            "Found empty input array (e.g., `y_true` or `y_pred`) while a minimum "
            "of 1 sample is required."
        )


def _find_hits(
    y_true: LabelArray, true: EncodedLabels, y_pred: LabelArray, name: str
) -> NDArray[np.bool_]:
    """Tell which of the true labels were predicted."""
    # An integer and a float may compare equal after rounding.
    same_kind = (y_true.dtype.kind == "f") == (y_pred.dtype.kind == "f")
    if same_kind and is_integral(y_true) and is_integral(y_pred):
        return np.asarray(y_true == y_pred)
    pred = encode_labels(y_pred, name)
    with naming(name):
        check_same_kind(true.values, pred.values)
    index = {label: code for code, label in enumerate(label_list(true.values))}
    recoded = np.array([index.get(label, -1) for label in label_list(pred.values)])
    return np.asarray(true.codes == recoded[pred.codes])


def _count(outcomes: Outcomes) -> ClassCounts:
    (hits,) = outcomes.hits
    size = len(outcomes.classes)
    cells = np.bincount(2 * outcomes.codes + hits, weights=outcomes.weight, minlength=2 * size)
    table = cells.reshape(size, 2).astype(np.float64, copy=False)  # errors, hits
    with np.errstate(over="ignore"):  # infinite counts are refused
        return ClassCounts(outcomes.classes, table[:, 1], table.sum(axis=1))
