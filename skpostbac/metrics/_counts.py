"""Counts of the samples of each class, and of their correct predictions.

The base class of counts adds them, selects classes, and writes and reads JSON.
"""

from __future__ import annotations

import json
import re
import warnings
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import (
    Floats,
    Indices,
    LabelArray,
    StablePickle,
    check_nonnegative,
    first,
    float_array,
    label_repr,
    nonnegative_array,
    shown,
    user_stacklevel,
)
from skpostbac.metrics._dependence import (
    DesignEffects,
    RowValues,
    SampleDesign,
    SampleWeightWarning,
    are_fractions,
    design_effects,
    merge_designs,
    whole_counts,
)
from skpostbac.metrics._labels import (
    RIGHT,
    Outcomes,
    WeightType,
    check_same_type,
    label_list,
    merge_labels,
    positions,
    read_outcomes,
    unique_label_array,
)
from skpostbac.stats._beta import LARGEST

# Classes listed one by one in the repr.
SHOWN_CLASSES = 8
# Percentages with one digit may add up to a little less or more than 100. The cells of
# a weighted matrix are not whole numbers either, but hardly have such a sum in each row
# or each column.
_PERCENT_ROUNDING = 1.0
# What the name of an axis has if it is of predictions, as a word or behind "_".
_OF_PREDICTIONS = re.compile(
    r"(?<![^\W_])pred(s|ict|icted|ictions?)?(?![^\W_])", re.IGNORECASE
)
# Of the JSON format.
VERSION = 1


class Counts(StablePickle, ABC):
    """Base class of counts of the samples of each class."""

    classes: LabelArray
    # Of samples with groups or importance weights; it is not there in counts of
    # independent cases.
    _design: SampleDesign | None

    # Of JSON: the name of the format, and the keys with lists.
    _format: ClassVar[str]
    _keys: ClassVar[tuple[str, ...]]

    @property
    @abstractmethod
    def _totals(self) -> Floats:
        """Number of samples of each class."""

    @abstractmethod
    def _moved(
        self, labels: LabelArray, place: Indices, design: SampleDesign | None
    ) -> Self:
        """Return the counts in a new order of classes; a place of -1 drops a class."""

    @abstractmethod
    def _plus(self, other: Self, design: SampleDesign | None) -> Self:
        """Return the sum with counts of the same classes."""

    @property
    def _unit(self) -> str:
        """What reports call a sample."""
        return "item" if label_list(self.classes) == [RIGHT] else "sample"

    @property
    def n_classes(self) -> int:
        """Number of classes, absent ones included."""
        return len(self.classes)

    @property
    def n_samples(self) -> float:
        """Number of samples, or the sum of their weights."""
        return float(self._totals.sum())

    @property
    def n_given(self) -> float:
        """Number of samples, or the sum of case counts."""
        if self._design is not None and self.has_importance_weights:
            return float(self._design.n_samples.sum())
        return self.n_samples

    @property
    def has_importance_weights(self) -> bool:
        """Whether the counts are sums of importance weights."""
        return self._design is not None and self._design.is_importance

    @classmethod
    def _of_checked(cls, *fields: Any) -> Self:
        """Return the counts that these fields make, of which only sums are checked."""
        counts = object.__new__(cls)
        counts._set(*fields)
        return counts

    def _set(self, *fields: Any) -> None:
        """Set the fields, past the frozen `__setattr__`, and check sums."""
        vars(self).update(zip((*self._keys, "_design"), fields, strict=False))
        for value in fields:
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
        self._check()

    @abstractmethod
    def _check(self) -> None:
        """Raise if sums are too large."""

    def reindex(self, classes: ArrayLike) -> Self:
        """Return the counts of these classes, in this order.

        Parameters
        ----------
        classes : array-like of shape (n_classes,)
            Distinct labels. New labels have no samples; classes that are not listed are
            dropped.

        Returns
        -------
        counts : ClassCounts or PairedCounts

        Examples
        --------
        >>> from skpostbac import ClassCounts
        >>> ClassCounts(["cat", "dog"], correct=[7, 2], total=[9, 3]).reindex(
        ...     ["fox", "cat"]
        ... )
        ClassCounts('fox': 0/0, 'cat': 7/9)
        """
        labels = unique_label_array(classes, "classes")
        place = positions(self.classes, labels)
        design = self._design and self._design.reindex(place, len(labels))
        return self._moved(labels, place, design)

    def __add__(self, other: Self) -> Self:
        if not isinstance(other, type(self)):
            return NotImplemented
        classes = merge_labels(self.classes, other.classes)
        left = self.reindex(classes)
        right = other.reindex(classes)
        # Counts without samples fit any.
        design = merge_designs(
            [one._design for one in (left, right) if one._design or one._totals.any()]
        )
        return left._plus(right, design)

    def __radd__(self, other: object) -> Self:
        """Let `sum` add counts, which starts from 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def to_json(self) -> str:
        """Write the counts as JSON.

        The text is an object with the keys ``"format"`` (``"skpostbac.ClassCounts"`` or
        ``"skpostbac.PairedCounts"``) and ``"version"`` (1). All other keys have lists:
        for `ClassCounts`, ``"classes"``, ``"correct"`` and ``"total"``; for
        `PairedCounts`, ``"names"``, ``"classes"``, ``"class_index"``, ``"patterns"``
        (a list of ``true`` and ``false`` for each row) and ``"counts"``. Labels are
        strings, numbers or ``true`` and ``false``.

        With groups or importance weights, an object ``"design"`` has one row for each
        group, class and outcome, as columns: ``"group"``, with numbers in place of
        names, ``"class_index"``, ``"hits"`` (a list of ``true`` and ``false`` for each
        classifier) and ``"sums"`` (the numbers of samples, and the sums of their
        weights and of the squares of these).

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
        >>> from skpostbac.metrics import PairedCounts
        >>> print(ClassCounts(["a", "b"], [7, 2.5], [9, 3]).to_json())
        {"format": "skpostbac.ClassCounts", "version": 1, "classes": ["a", "b"],
         "correct": [7.0, 2.5], "total": [9.0, 3.0]}
        >>> print(PairedCounts.from_cells([[7, 1, 0, 0]], classes=["a"]).to_json())
        {"format": "skpostbac.PairedCounts", "version": 1, "names": ["A", "B"],
         "classes": ["a"], "class_index": [0, 0], "patterns": [[true, false],
         [true, true]], "counts": [1.0, 7.0]}
        """
        document: dict[str, Any] = {"format": self._format, "version": VERSION}
        for key in self._keys:
            column = getattr(self, key)
            is_array = isinstance(column, np.ndarray)
            document[key] = label_list(column) if is_array else list(column)
        if self._design is not None:
            document["design"] = self._design.to_columns()
        return json.dumps(document, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read counts written by :meth:`to_json`.

        Parameters
        ----------
        text : str

        Returns
        -------
        counts : ClassCounts or PairedCounts
            Equal to those that were written.

        Raises
        ------
        TypeError
            If `text` is not a str.
        ValueError
            If `text` is not a document of this format and version, if a key is missing
            or unknown, if the rows of groups do not add up to the counts, or for the
            reasons listed for the constructor.

        Examples
        --------
        >>> from skpostbac import ClassCounts
        >>> ClassCounts.from_json(ClassCounts(["a", "b"], [7, 2.5], [9, 3]).to_json())
        ClassCounts('a': 7/9, 'b': 2.5/3)
        """
        try:
            document = json.loads(text)
        except (RecursionError, ValueError) as error:
            raise ValueError(f"text must be JSON: {error}") from error
        if not isinstance(document, dict):
            raise ValueError(f"text must be a JSON object, got {shown(document)}")
        for key, expected in (("format", cls._format), ("version", VERSION)):
            found = document.pop(key, None)
            if found != expected:
                raise ValueError(f"{key!r} must be {expected!r}, got {shown(found)}")
        columns = document.pop("design", None)
        try:
            counts = cls(**document)
        except TypeError as error:  # of another key, or what is no string or number
            raise ValueError(f"text: {error}") from error
        if columns is None:
            return counts
        n_classifiers = len(document.get("names", ["one"]))
        design = SampleDesign.of_columns(columns, n_classifiers, counts._totals)
        return counts._moved(counts.classes, np.arange(counts.n_classes), design)


def check_labels(labels: ArrayLike, found: LabelArray) -> LabelArray:
    """Return the labels to count; raise if their type differs, or none occurs."""
    wanted = unique_label_array(labels, "labels")
    check_same_type([*label_list(wanted[:1]), *label_list(found[:1])], "labels: ")
    if not set(label_list(wanted)) & set(label_list(found)):
        raise ValueError("At least one label specified must be in y_true")
    return wanted


@dataclass(frozen=True, init=False, eq=False, repr=False)
class ClassCounts(Counts):
    """Number of samples and of correct predictions of one classifier in each class.

    The counts are the sufficient statistic of the posterior balanced accuracy. ``+``
    and :func:`sum` add the counts of folds, batches or sites label by label. If both
    sides have the same labels in the same order, the order is kept. Otherwise the
    result has the sorted union of the labels (in order of first appearance if they
    cannot be sorted). Strings, numbers, dates and durations cannot be mixed.

    Batches can be added in any order, also as a stream arrives, and :meth:`to_json`
    exports the counts of a site: the result is the same as for all samples together. It
    is exact for integer counts, and up to rounding errors for other weights and for
    groups. Batches with groups must have no group in common.
    With groups, the counts also keep one row for each group, class and outcome, of 41
    bytes.

    Parameters
    ----------
    classes : array-like of shape (n_classes,)
        The distinct labels, at least one.
    correct : array-like of shape (n_classes,)
        Number of correct predictions in each class, in [0, ``total``].
    total : array-like of shape (n_classes,)
        Number of samples of each class, at most 1e15; 0 for an absent class. Counts
        need not be integers.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        Class labels.
    correct, total : ndarray of shape (n_classes,) and dtype float64
        Read-only copies of the parameters.

    Raises
    ------
    ValueError
        If a count is negative, infinite, NaN or too large, if ``correct`` exceeds
        ``total``, if the lengths differ, or if `classes` is empty or has duplicates.

    See Also
    --------
    class_counts : The counts of labels and predictions.
    PosteriorBalancedAccuracy : The posterior of counts.

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
    _design: SampleDesign | None = None

    _format = "skpostbac.ClassCounts"
    _keys = ("classes", "correct", "total")

    def __init__(
        self, classes: ArrayLike, correct: ArrayLike, total: ArrayLike
    ) -> None:
        self._set(
            unique_label_array(classes, "classes"),
            nonnegative_array(correct, "correct"),
            nonnegative_array(total, "total"),
        )

    def _check(self) -> None:
        if not len(self.classes) == len(self.correct) == len(self.total):
            raise ValueError(
                "classes, correct and total must have the same length, got "
                f"{len(self.classes)}, {len(self.correct)} and {len(self.total)}"
            )
        if np.any(large := self.total > LARGEST):
            raise ValueError(
                f"total must not exceed {LARGEST:g}, got {first(self.total, large)}"
            )
        if np.any(self.correct > self.total):
            raise ValueError(f"correct must not exceed total, got {self!r}")

    @cached_property
    def design_effects(self) -> DesignEffects | None:
        """Design effects of the counts; None without groups and importance weights."""
        if self._design is None:
            return None
        # A prior of two samples for all classes together, half of them right.
        cell = 1 / self.n_classes
        (hit,) = self._design.hits
        values = RowValues(hit.astype(np.float64), (~hit, hit))
        return design_effects(self._design, values, (cell, cell))

    def effective(self) -> ClassCounts:
        """Return the effective counts, as if of independent samples.

        Returns
        -------
        counts : ClassCounts
            Counts divided by the design effects of groups and importance weights, so
            usually not integers. Unchanged without groups and importance weights.

        Examples
        --------
        >>> from skpostbac import class_counts
        >>> y_true, y_pred = ["a"] * 6 + ["b"] * 4, ["a"] * 5 + ["b"] * 4 + ["a"]
        >>> patients = [1, 1, 1, 2, 3, 3, 4, 4, 5, 6]
        >>> class_counts(y_true, y_pred, groups=patients).effective()
        ClassCounts('a': 2.52004/3.02405, 'b': 2.19133/2.92177)
        """
        effects = self.design_effects
        if effects is None:
            return self
        return ClassCounts(
            self.classes, self.correct / effects.divisor, self.total / effects.divisor
        )

    def _as_one_class(self) -> ClassCounts:
        """Return the same samples as those of a single class."""
        if self.n_classes == 1:
            return self
        correct = self.correct.sum(keepdims=True)
        total = self.total.sum(keepdims=True)
        design = self._design and self._design.as_one_class()
        return ClassCounts._of_checked(np.zeros(1, np.int64), correct, total, design)

    def _trials(self, correction: str = "") -> Floats:
        """Return right and wrong predictions of each class, shape (n_classes, 2).

        They are those of a confidence sequence: raise if there is none.
        """
        cells = np.stack([self.correct, self.total - self.correct], axis=1)
        return whole_counts(cells, self._design, correction)

    @property
    def accuracy(self) -> float:
        """Share of correct predictions among all samples; nan without samples."""
        n = self.n_samples
        return float(self.correct.sum() / n) if n else float("nan")

    @property
    def recalls(self) -> Floats:
        """Share of correct predictions of each class; nan without samples.

        Examples
        --------
        >>> from skpostbac import ClassCounts
        >>> counts = ClassCounts(
        ...     ["cat", "dog", "fox"], correct=[7, 2, 0], total=[9, 3, 0]
        ... )
        >>> counts.recalls.tolist(), counts.accuracy
        ([0.7778, 0.6667, nan], 0.75)
        """
        with np.errstate(invalid="ignore"):
            return self.correct / self.total

    @property
    def _totals(self) -> Floats:
        return self.total

    def _moved(
        self, labels: LabelArray, place: Indices, design: SampleDesign | None
    ) -> ClassCounts:
        kept = place >= 0
        correct, total = np.zeros((2, len(labels)))
        correct[place[kept]] = self.correct[kept]
        total[place[kept]] = self.total[kept]
        return ClassCounts._of_checked(labels, correct, total, design)

    def _plus(self, other: ClassCounts, design: SampleDesign | None) -> ClassCounts:
        correct = self.correct + other.correct
        total = self.total + other.total
        return ClassCounts._of_checked(self.classes, correct, total, design)

    def _made_of(self) -> tuple[Any, ...]:
        return (
            tuple(label_list(self.classes)),
            tuple(self.correct),
            tuple(self.total),
            self._design,
        )

    def __repr__(self) -> str:
        labels = map(label_repr, label_list(self.classes[:SHOWN_CLASSES]))
        cells = [
            f"{label}: {format_count(correct, 'g')}/{format_count(total, 'g')}"
            for label, correct, total in zip(
                labels, self.correct, self.total, strict=False
            )
        ]
        if self.n_classes > SHOWN_CLASSES:
            cells.append(f"..., n_classes={self.n_classes}")
        if self._design is not None:
            cells.append(str(self._design))
        return f"ClassCounts({', '.join(cells)})"


def check_counts(counts: object) -> None:
    """Raise unless these are counts of one classifier."""
    if not isinstance(counts, ClassCounts):
        raise TypeError(
            f"counts must be ClassCounts, got {type(counts).__name__}; for labels use "
            "posterior_balanced_accuracy or class_counts"
        )


def class_counts(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = None,
    groups: ArrayLike | None = None,
) -> ClassCounts:
    """Count the samples and the correct predictions of each class.

    These are the counts of one classifier. :func:`~skpostbac.metrics.paired_counts`
    also has which of several classifiers are right on the same samples.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels, in any format that scikit-learn accepts.
    y_pred : array-like of shape (n_samples,)
        Predicted labels. Predictions of a class that is not counted are errors of the
        true class.
    labels : array-like of shape (n_classes,), default=None
        Classes to count, in this order, by default the sorted classes in `y_true`. A
        class that is absent from `y_true` has a total of 0; samples whose true class is
        not listed are ignored.
    sample_weight : array-like of shape (n_samples,), default=None
        Finite, non-negative weights, by default case counts, so their scale matters: a
        weight of 2 counts the sample twice.
    weight_type : {"case", "importance"}, default=None
        Meaning of the weights: case counts, or importance (survey, inverse-probability)
        weights, whose scale does not matter. None means "case", with a warning if the
        weights are not whole numbers.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as a patient, a site or a document. Samples of
        the same group are treated as correlated and count for less; see :ref:`groups`.

    Returns
    -------
    counts : ClassCounts
        Label, correct predictions and samples of each class.

    Raises
    ------
    ValueError
        If the input is empty, not one-dimensional, of different lengths, continuous,
        with missing labels or with strings and numbers mixed; if `labels` has
        duplicates, has another type than `y_true` or none of them occurs there; if a
        weight is negative, infinite or NaN, or if all are zero; if `weight_type` is
        invalid.
    TypeError
        If the labels are bytes or a sparse matrix, or an array that NumPy cannot read.

    Warns
    -----
    SampleWeightWarning
        If weights are not whole numbers and `weight_type` is None.

    See Also
    --------
    posterior_balanced_accuracy : The posterior that follows from the counts.
    ClassCounts.effective : Counts of independent samples that are worth as much.

    Notes
    -----
    Arrays of numbers and categorical columns are counted block by block, with little
    additional memory. Weights, arrays of text and nullable integers need ten to twenty
    more bytes per sample; lists and columns of text that must be converted need up to a
    hundred, and groups and importance weights two hundred. Arrays of other libraries
    are read by DLPack, and must be in CPU memory.

    Examples
    --------
    >>> from skpostbac import class_counts
    >>> class_counts(["a", "a", "a", "b", "b"], ["a", "a", "b", "b", "c"])
    ClassCounts('a': 2/3, 'b': 1/2)
    >>> class_counts([0, 0, 1, 1], [0, 1, 1, 1], labels=[2, 1, 0])
    ClassCounts(2: 0/0, 1: 2/2, 0: 1/2)
    """
    outcomes = read_outcomes(
        y_true, {"y_pred": y_pred}, sample_weight, weight_type, groups
    )
    return count_outcomes(outcomes, labels)


def count_outcomes(outcomes: Outcomes, labels: ArrayLike | None = None) -> ClassCounts:
    """Count the outcomes of one classifier in each class, or of these labels."""
    errors, correct = outcomes.count()
    counts = ClassCounts._of_checked(outcomes.classes, correct, errors + correct)
    return select_classes(counts, outcomes, labels)


CountsOf = TypeVar("CountsOf", bound=Counts)


def select_classes(
    counts: CountsOf,
    outcomes: Outcomes,
    labels: ArrayLike | None,
) -> CountsOf:
    """Return the counts of the labels, with the design of groups and weights."""
    wanted = counts.classes
    if labels is not None:
        wanted = check_labels(labels, counts.classes)
    elif outcomes.groups is None and not outcomes.is_importance:
        return counts
    design = outcomes.design(wanted)
    return counts._moved(wanted, positions(counts.classes, wanted), design)


def read_confusion_matrix(
    C: ArrayLike, labels: ArrayLike | None
) -> tuple[LabelArray, Floats]:
    """Return the classes and a checked copy of a confusion matrix of counts.

    By default, the classes are the index of a DataFrame, which must equal its columns,
    or integers.
    """
    matrix = float_array(C, "C")
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size:
        raise ValueError(
            "C must be a square confusion matrix of shape (n_classes, n_classes), "
            f"without totals, got an array of shape {matrix.shape}"
        )
    check_nonnegative(matrix, "C")
    with np.errstate(over="ignore"):
        total = matrix.sum(axis=1)
    if np.any(large := total > LARGEST):
        raise ValueError(
            f"C must have rows that add up to at most {LARGEST:g}, got "
            f"{first(total, large)}"
        )
    _check_cells(matrix)
    index = label_index(C)
    columns = getattr(C, "columns", None)
    if index is not None and columns is not None:
        # R has predictions as rows, and caret names the axes.
        if _is_of_predictions(index) and not _is_of_predictions(columns):
            matrix = matrix.T
        for row, column in zip(index, columns, strict=True):
            if row != column:
                raise ValueError(
                    "C must have the same labels as rows and as columns, in the same "
                    f"order; found the row {row!r} where the column is {column!r}. If "
                    "they are the same class, pass C.to_numpy() with labels="
                )
    else:
        index = np.arange(len(matrix))
    classes = unique_label_array(index if labels is None else labels, "labels")
    if len(classes) != len(matrix):
        raise ValueError(
            f"labels must have one label for each of the {len(matrix)} rows of C, "
            f"got {len(classes)}"
        )
    if not matrix.any():
        warnings.warn(
            "C has no samples: the posterior is the prior",
            UserWarning,
            stacklevel=user_stacklevel(),
        )
    return classes, matrix


def _is_of_predictions(axis: Any) -> bool:
    """Return whether the name of an axis of a DataFrame says so, as "y_pred" does."""
    return _OF_PREDICTIONS.search(str(axis.name)) is not None


def _check_cells(matrix: Floats) -> None:
    """Raise for totals, shares and percentages; warn of other fractions."""
    are_cells_whole = not are_fractions(matrix[:-1, :-1]).any()
    edges = are_fractions(np.stack([matrix[-1, :-1], matrix[:-1, -1]]))
    are_shares = len(matrix) > 2 and are_cells_whole and edges.any(axis=1).all()
    if are_shares or _end_with_totals(matrix, matrix.T):
        raise ValueError(
            "C must hold the counts of the classes alone: leave out its last row and "
            "column, which have totals or shares, as in C[:-1, :-1], or C.iloc[:-1, "
            ":-1] of a DataFrame"
        )
    sums = matrix.sum(axis=1), matrix.sum(axis=0), matrix.sum(keepdims=True)
    # A class without samples has percentages of 0.
    are_percentages = are_fractions(matrix).any() and any(
        (np.abs(total[total > 0] - 100) <= _PERCENT_ROUNDING).all() for total in sums
    )
    cure = "give the confusion matrix with normalize=None"
    if are_percentages:
        raise ValueError(f"C must hold counts, got percentages: {cure}")
    check_no_shares(matrix, "C", cure)


def _end_with_totals(one: Floats, other: Floats) -> bool:
    """Return whether the last entries of both arrays are the sums of several others."""
    has_several = np.count_nonzero(one[:-1], axis=0).max() > 1
    sums = ((each[-1], each[:-1].sum(axis=0)) for each in (one, other))
    return has_several and all(
        (np.abs(last - total) <= 1e-5 * total).all() for last, total in sums
    )


def check_no_shares(
    counts: Floats,
    name: str,
    cure: str = "multiply each by its number of samples, and round",
) -> None:
    """Raise for shares in place of counts, and warn of other fractions."""
    fractions = are_fractions(counts)
    if not fractions.any():
        return
    found = first(counts, fractions)
    if counts.max() <= 1:
        raise ValueError(f"{name} must hold counts, got shares such as {found}: {cure}")
    warnings.warn(
        f"{name} has counts that are not whole numbers, such as {found}. They are "
        "taken as sums of case weights; if they are percentages or averages, pass the "
        "numbers of samples.",
        SampleWeightWarning,
        stacklevel=user_stacklevel(),
    )


def check_no_totals(correct: Floats, total: Floats) -> None:
    """Raise for shares in place of counts, and warn if the last look like totals."""
    check_no_shares(correct, "correct")
    check_no_shares(total, "total")
    # Classes of 10, 20 and 30 samples may do so, too.
    if _end_with_totals(total, correct):
        warnings.warn(
            "The last numbers of correct and total are the sums of all others: leave "
            "totals out, or ignore this if these are counts of their own.",
            UserWarning,
            stacklevel=user_stacklevel(),
        )


def label_index(values: Any) -> Any:
    """Return the index of a pandas object, or None (`list.index` is a method)."""
    index = getattr(values, "index", None)
    return None if callable(index) else index


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
    """Return counts from arrays; their common index has the default classes.

    Examples
    --------
    >>> counts_of_numbers([7, 2], [9, 3], None)
    ClassCounts(0: 7/9, 1: 2/3)
    """
    index = label_index(correct), label_index(total)
    if classes is None and index[0] is not None and index[1] is not None:
        if list(index[0]) != list(index[1]):
            raise ValueError(
                "correct and total must have the same index, in the same order"
            )
        classes = index[0]
    total = nonnegative_array(total, "total")
    counts = ClassCounts(
        np.arange(len(total)) if classes is None else classes, correct, total
    )
    check_no_totals(counts.correct, counts.total)
    return counts


def format_count(value: float, fraction: str = ".1f") -> str:
    """Write a whole count in full, and another one with one decimal.

    Examples
    --------
    >>> format_count(712), format_count(79.1111), format_count(2.5e20)
    ('712', '79.1', '2.5e+20')
    """
    if value % 1 == 0 and value < 1e15:
        return f"{value:.0f}"
    return format(value, fraction if 0.05 <= value < 1e5 else "g")


def describe_samples(n: float, unit: str = "sample") -> str:
    """Return a number of samples in words; a fraction is an effective number.

    Examples
    --------
    >>> describe_samples(55), describe_samples(79.1111)
    ('55 samples', 'about 79.1 effective samples')
    """
    about, effective = ("about ", " effective") if n % 1 else ("", "")
    plural = "" if n == 1 else "s"
    return f"{about}{format_count(n)}{effective} {unit}{plural}"
