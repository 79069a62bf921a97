"""Per-class counts of correct predictions: all that the posterior needs of the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import Floats, LabelArray, StablePickle, first, nonnegative_array
from skpostbac.metrics._counts.json import (
    read_document,
    read_labels,
    read_numbers,
    write_counts,
    write_document,
    write_labels,
)
from skpostbac.metrics._labels import (
    check_batch_kind,
    check_same_kind,
    count_hits,
    label_list,
    merge_labels,
    naming,
    positions,
    unique_label_array,
)
from skpostbac.stats._beta import LARGEST

# Classes listed one by one in the repr.
SHOWN_CLASSES = 8
FORMAT = "skpostbac.ClassCounts"


@dataclass(frozen=True, eq=False, repr=False)
class ClassCounts(StablePickle):
    """How many samples of each class there are, and how many were predicted correctly.

    The counts are the sufficient statistic of the posterior balanced accuracy, and they add:
    ``+`` and :func:`sum` merge the counts of folds, batches or sites label by label. If the
    two sides list the same labels in the same order, that order stays. Otherwise the result
    has the union of the labels, sorted (in order of first appearance if they have no order).
    Strings, numbers, dates and durations are not merged with each other.

    Batches can come in any order, and be merged in any order: :meth:`update` adds those of a
    stream one by one, :meth:`to_json` sends the counts of a site elsewhere, and the result is
    that of all samples together. It is exact for integer counts; sums of other weights have
    the rounding errors of their order.

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
        The labels; numbers have 64 bits, and text is as wide as needed.
    correct, total : ndarray of shape (n_classes,) and dtype float64
        Read-only copies of the parameters.

    Raises
    ------
    ValueError
        If a count is negative, infinite, NaN or too large, if one of ``correct`` exceeds its
        ``total``, if the lengths differ, or if there is no class (which :meth:`empty` makes) or
        a duplicate one.

    Examples
    --------
    >>> from skpostbac import ClassCounts
    >>> monday = ClassCounts(["cat", "dog"], correct=[7, 2], total=[9, 3])
    >>> tuesday = ClassCounts(["cat", "fox"], correct=[5, 1], total=[6, 4])
    >>> monday + tuesday
    ClassCounts('cat': 12/15, 'dog': 2/3, 'fox': 1/4)
    """

    classes: LabelArray
    correct: Floats
    total: Floats

    def __init__(self, classes: ArrayLike, correct: ArrayLike, total: ArrayLike) -> None:
        object.__setattr__(self, "classes", unique_label_array(classes, "classes"))
        object.__setattr__(self, "correct", nonnegative_array(correct, "correct"))
        object.__setattr__(self, "total", nonnegative_array(total, "total"))
        self._check()

    @classmethod
    def empty(cls) -> ClassCounts:
        """Return the counts before the first batch, of no class.

        Returns
        -------
        counts : ClassCounts
            Counts that change nothing when added; there is no posterior of them alone.

        Examples
        --------
        >>> from skpostbac import ClassCounts
        >>> sum([ClassCounts(["a"], [7], [9])], start=ClassCounts.empty())
        ClassCounts('a': 7/9)
        """
        return cls._of_table(np.zeros(0, np.int64), np.zeros((2, 0)))

    @classmethod
    def _of_table(cls, classes: LabelArray, table: Floats) -> ClassCounts:
        """Return the counts of distinct labels, as they were counted: errors, and hits."""
        counts = object.__new__(cls)
        columns = {"classes": classes, "correct": table[1].copy(), "total": table.sum(axis=0)}
        for name, column in columns.items():
            column.flags.writeable = False
            object.__setattr__(counts, name, column)
        counts._check()
        return counts

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
    def recalls(self) -> Floats:
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
        rows = positions(labels, self.classes)  # -1: the 0 appended
        return ClassCounts(labels, np.append(self.correct, 0)[rows], np.append(self.total, 0)[rows])

    def update(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> ClassCounts:
        """Return the counts with those of another batch added; the counts do not change.

        Parameters
        ----------
        y_true, y_pred, labels, sample_weight
            As for :func:`class_counts`. Without `labels`, a class that the batch is the first to
            have among `y_true` is new in the result; one that occurs only in `y_pred` is none.
            With `labels`, all samples of other classes in the batch are left out; give the same
            labels with each batch. The batch may be empty, and need not have any of the labels.

        Returns
        -------
        counts : ClassCounts

        Raises
        ------
        ValueError, TypeError
            As :func:`class_counts` and ``+`` raise them.

        Examples
        --------
        >>> from skpostbac import ClassCounts
        >>> batches = [(["a", "b"], ["a", "a"]), (["a", "c"], ["d", "c"])]
        >>> counts = ClassCounts.empty()
        >>> for y_true, y_pred in batches:
        ...     counts = counts.update(y_true, y_pred)
        >>> counts
        ClassCounts('a': 1/2, 'b': 0/1, 'c': 1/1)
        """
        batch = ClassCounts._of_table(*count_hits(y_true, y_pred, sample_weight, least=0))
        if labels is not None:
            batch = reindex_batch(batch, labels)
        check_batch_kind(self.classes, batch.classes)
        return self + batch

    def to_json(self) -> str:
        """Write the counts as JSON.

        The text is an object with the keys ``"format"`` (``"skpostbac.ClassCounts"``),
        ``"version"`` (1), and ``"classes"``, ``"correct"`` and ``"total"`` with a list each.
        Labels are strings, numbers or ``true`` and ``false``.

        Returns
        -------
        text : str

        Raises
        ------
        TypeError
            If a label is neither a str, an int, a bool nor a finite float.

        Examples
        --------
        >>> from skpostbac import ClassCounts
        >>> print(ClassCounts(["a", "b"], [7, 2.5], [9, 3]).to_json())
        {"format": "skpostbac.ClassCounts", "version": 1, "classes": ["a", "b"],
         "correct": [7, 2.5], "total": [9, 3]}
        """
        fields = {
            "classes": write_labels(self.classes),
            "correct": write_counts(self.correct),
            "total": write_counts(self.total),
        }
        return write_document(FORMAT, fields)

    @classmethod
    def from_json(cls, text: str) -> ClassCounts:
        """Read the counts that :meth:`to_json` has written.

        Parameters
        ----------
        text : str

        Returns
        -------
        counts : ClassCounts
            Equal to those that were written.

        Raises
        ------
        TypeError
            If `text` is no str.
        ValueError
            If it is no document of this format and version, if a key is missing, unknown, there
            twice or of the wrong type, or as the constructor raises it.

        Examples
        --------
        >>> from skpostbac import ClassCounts
        >>> ClassCounts.from_json(ClassCounts(["a", "b"], [7, 2.5], [9, 3]).to_json())
        ClassCounts('a': 7/9, 'b': 2.5/3)
        """
        document = read_document(text, FORMAT, ("classes", "correct", "total"))
        if not any(document.values()):
            return cls.empty()
        correct, total = (read_numbers(document[name], name) for name in ("correct", "total"))
        return cls(read_labels(document["classes"]), correct, total)

    def __add__(self, other: ClassCounts) -> ClassCounts:
        if not isinstance(other, ClassCounts):
            return NotImplemented
        if not (self.n_classes and other.n_classes):
            return other if other.n_classes else self
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
        missing labels or with strings and numbers mixed; if `labels` has duplicates, is of
        another kind than `y_true` or none of them occurs there; if a weight is negative,
        infinite or NaN, or if all are zero.
    TypeError
        If the labels are bytes or a sparse matrix, or an array that NumPy cannot read.

    See Also
    --------
    posterior_balanced_accuracy : The posterior that follows from the counts.
    ClassCounts.update : Counts of a stream, batch by batch.

    Notes
    -----
    Arrays of numbers and categorical columns are counted block by block, with memory for a block
    and the classes beyond that of the labels. Weights and arrays of text need about ten bytes a
    sample more, as do nullable integers; lists and columns of text that have to be converted need
    those of an array or of Python strings, which can be a hundred. Arrays of other libraries are
    read by DLPack, and must be in the memory of the CPU.

    Examples
    --------
    >>> from skpostbac import class_counts
    >>> class_counts(["a", "a", "a", "b", "b"], ["a", "a", "b", "b", "c"])
    ClassCounts('a': 2/3, 'b': 1/2)
    >>> class_counts([0, 0, 1, 1], [0, 1, 1, 1], labels=[2, 1, 0])
    ClassCounts(2: 0/0, 1: 2/2, 0: 1/2)
    """
    counts = ClassCounts._of_table(*count_hits(y_true, y_pred, sample_weight, least=1))
    return counts if labels is None else select_classes(counts, labels)


def format_count(value: float) -> str:
    """Write a count in full if it is an integer of moderate length, else with six digits."""
    return f"{value:.0f}" if value < 1e15 and value % 1 == 0 else f"{value:g}"


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
    selected = reindex_batch(counts, labels)
    if not set(label_list(selected.classes)) & set(label_list(counts.classes)):
        raise ValueError("At least one label specified must be in y_true")
    return selected


def reindex_batch(counts: Counts, labels: ArrayLike) -> Counts:
    """Return the counts of the classes that a user names, which are labels of the same kind."""
    wanted = unique_label_array(labels, "labels")
    if len(counts.classes):
        with naming("labels"):
            check_same_kind(wanted, counts.classes)
    return counts.reindex(wanted)
