"""Joint outcomes of several classifiers on one test set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import nan
from reprlib import repr as short_repr
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skpostbac._utils import (
    Bools,
    Floats,
    Indices,
    LabelArray,
    StablePickle,
    block,
    check_nonnegative,
    first,
    float_array,
    format_column,
    format_share,
    input_errors,
    more,
    nonnegative_array,
    table,
)
from skpostbac.metrics._counts.counts import (
    OTHER_BATCH,
    SHOWN_CLASSES,
    ClassCounts,
    format_count,
    reindex_batch,
    select_classes,
)
from skpostbac.metrics._counts.json import (
    read_design,
    read_document,
    read_integers,
    read_labels,
    read_numbers,
    read_rows,
    read_strings,
    write_counts,
    write_document,
    write_labels,
)
from skpostbac.metrics._dependence import (
    DesignEffects,
    FigureSums,
    SampleDesign,
    design_effects,
    difference_figure,
    hit_figure,
    make_design,
    merge_designs,
)
from skpostbac.metrics._labels import (
    Outcomes,
    Predictions,
    WeightType,
    by_argument,
    check_names,
    check_same_kind,
    label_list,
    merge_labels,
    named_predictions,
    position_of,
    positions,
    read_outcomes,
    unique_label_array,
)
from skpostbac.stats._beta import LARGEST

FORMAT = "skpostbac.PairedCounts"

# Both right, only the first, only the second, neither: the columns of a table of two classifiers.
CELLS = np.array([[True, True], [True, False], [False, True], [False, False]])


@dataclass(frozen=True, eq=False, repr=False)
class PairedCounts(StablePickle):
    """Joint counts of correct predictions across classifiers, for each class of one test set.

    The pattern of a sample is which of the T classifiers are right. The number of samples with each
    pattern in each class is the sufficient statistic of a paired comparison. ``+`` and :func:`sum`
    add counts of the same classifiers on different samples, by the rules of :class:`ClassCounts`;
    :meth:`update` adds the batches of a stream.

    Use :func:`paired_counts` to start from labels, and :meth:`from_cells` to start from tables of
    two classifiers.

    Parameters
    ----------
    names : sequence of T str
        Distinct names of the T >= 1 classifiers.
    classes : array-like of shape (n_classes,)
        The distinct labels, at least one.
    class_index : array-like of int of shape (n_rows,)
        Position in `classes` of the class of each row.
    patterns : array-like of bool of shape (n_rows, T)
        Which classifiers are right. Rows of the same class and pattern are added up.
    counts : array-like of shape (n_rows,)
        Finite, non-negative number of samples of each row; need not be integers.

    Attributes
    ----------
    names : tuple of T str
    classes : ndarray of shape (n_classes,)
        The labels, as in :class:`ClassCounts`.
    class_index, patterns, counts : ndarray
        Read-only, with one row for each class and pattern that occurs, in increasing order.

    Raises
    ------
    TypeError
        If a name is not a string.
    ValueError
        If there is no classifier, if a name is empty or duplicated, if `classes` is empty or has
        duplicates, if the shapes differ, or if an index or a count is out of range.

    Examples
    --------
    >>> from skpostbac import PairedCounts
    >>> monday = PairedCounts.from_cells([[7, 1, 2, 0]], classes=["cat"])
    >>> tuesday = PairedCounts.from_cells([[5, 0, 1, 1], [2, 0, 0, 1]], classes=["cat", "dog"])
    >>> total = monday + tuesday
    >>> total
    PairedCounts('A', 'B', n_classes=2, n_patterns=6, n=20)
    >>> total.cells("A", "B")
    array([[12.,  1.,  3.,  1.],
           [ 2.,  0.,  0.,  1.]])
    >>> total.margin("B")
    ClassCounts('cat': 15/17, 'dog': 2/3)
    """

    names: tuple[str, ...]
    classes: LabelArray
    class_index: Indices
    patterns: Bools
    counts: Floats
    # Of samples with groups or importance weights: of each classifier, then of each pair of them.
    _design: SampleDesign | None = None

    def __init__(
        self,
        names: Sequence[str],
        classes: ArrayLike,
        class_index: ArrayLike,
        patterns: ArrayLike,
        counts: ArrayLike,
    ) -> None:
        names, labels = check_names(names), unique_label_array(classes, "classes")
        with input_errors("class_index must hold integers"):
            index = np.asarray(class_index)
        with input_errors("patterns must hold booleans"):
            bits = np.asarray(patterns)
        number = nonnegative_array(counts, "counts")
        _check_rows(index, bits, number, (len(labels), len(names)))
        rows = group_rows(index.astype(np.intp), bits.astype(bool).T, number)
        for array in rows:
            array.flags.writeable = False
        vars(self).update(names=names, classes=labels, **rows._asdict())  # past __setattr__
        _check_totals(self._by_class(self.counts))

    @classmethod
    def empty(cls, names: Sequence[str]) -> PairedCounts:
        """Create empty counts for these classifiers, without classes.

        Parameters
        ----------
        names : sequence of T str
            Distinct names of the T >= 1 classifiers.

        Returns
        -------
        counts : PairedCounts
            Empty counts, as a start for adding batches.
        """
        counts = cls(names, [0], [], np.empty((0, len(check_names(names))), bool), [])
        vars(counts)["classes"] = counts.classes[:0]
        return counts

    @classmethod
    def from_cells(
        cls,
        cells: ArrayLike,
        *,
        names: Sequence[str] = ("A", "B"),
        classes: ArrayLike | None = None,
    ) -> PairedCounts:
        """Create the counts of two classifiers from four cells per class.

        Parameters
        ----------
        cells : array-like of shape (n_classes, 4)
            Number of samples on which both were right, only the first, only the second, neither.
        names : sequence of two str, default=("A", "B")
            Names of the classifiers.
        classes : array-like of shape (n_classes,), default=None
            Class labels, by default 0, 1, ...

        Returns
        -------
        counts : PairedCounts

        Examples
        --------
        >>> from skpostbac import PairedCounts
        >>> PairedCounts.from_cells([[7, 1, 2, 0], [3, 0, 0, 2]]).margin("A")
        ClassCounts(0: 8/10, 1: 3/5)
        """
        table = float_array(cells, "cells")
        if table.ndim != 2 or table.shape[1] != len(CELLS):
            raise ValueError(f"cells must be of shape (n_classes, 4), got {table.shape}")
        check_nonnegative(table, "cells")
        labels = (
            np.arange(len(table)) if classes is None else unique_label_array(classes, "classes")
        )
        if len(labels) != len(table):
            raise ValueError(f"classes must have one label for each of {len(table)} rows of cells")
        index = np.repeat(np.arange(len(table)), len(CELLS))
        return cls(names, labels, index, np.tile(CELLS, (len(table), 1)), table.ravel())

    @property
    def n_classes(self) -> int:
        """Number of classes, absent ones included."""
        return len(self.classes)

    @property
    def n_samples(self) -> float:
        """Number of samples, or the sum of their weights."""
        return float(self.counts.sum())

    def margin(self, name: str) -> ClassCounts:
        """Return the counts of one classifier alone.

        Parameters
        ----------
        name : str
            Name of the classifier.

        Returns
        -------
        counts : ClassCounts
            Same as :func:`class_counts` for its predictions.
        """
        correct = self.counts * self.patterns[:, self.position(name)]
        if not self.n_classes:
            return ClassCounts.empty()
        counts = ClassCounts(self.classes, self._by_class(correct), self._by_class(self.counts))
        return counts._designed(self._design and self._design.figure(self.position(name)))

    def cells(self, first: str, second: str) -> Floats:
        """Return the table of four cells of two classifiers.

        Parameters
        ----------
        first, second : str
            Names of the classifiers.

        Returns
        -------
        cells : ndarray of shape (n_classes, 4)
            Number of samples on which both were right, only the first, only the second, neither.
        """
        places = [
            position_of(first, self.names, "first"),
            position_of(second, self.names, "second"),
        ]
        pair = self.patterns[:, places]
        is_cell = (pair[:, np.newaxis] == CELLS).all(axis=2)
        return np.stack([self._by_class(self.counts * cell) for cell in is_cell.T], axis=1)

    @property
    def has_importance_weights(self) -> bool:
        """Whether the counts are sums of importance weights."""
        return self._design is not None and self._design.squares is not None

    def design_effects(self, first: str, second: str) -> DesignEffects | None:
        """Return the design effects for the difference of two classifiers.

        Parameters
        ----------
        first, second : str
            Names of different classifiers.

        Returns
        -------
        effects : DesignEffects or None
            None without groups and importance weights. `margin` returns those of one classifier.

        Raises
        ------
        ValueError
            If a name is unknown, or both are the same.
        """
        one = position_of(first, self.names, "first")
        two = position_of(second, self.names, "second")
        if one == two:
            raise ValueError(f"first and second must be different classifiers, got {first!r} twice")
        if self._design is None:
            return None
        cells = self.cells(first, second)
        sums = FigureSums(cells.sum(axis=1), cells[:, 2] - cells[:, 1], cells[:, 1] + cells[:, 2])
        pair = list(combinations(range(len(self.names)), 2)).index((min(one, two), max(one, two)))
        design = self._design.figure(len(self.names) + pair)
        return design_effects(
            design if one < two else design.mirrored(), sums, (0.0, 1 / self.n_classes)
        )

    def _designed(self, design: SampleDesign | None) -> PairedCounts:
        """Return the counts of samples with groups or importance weights."""
        if design is None:
            return self
        counts = object.__new__(PairedCounts)
        vars(counts).update({**self.__getstate__(), "_design": design})
        return counts

    def reindex(self, classes: ArrayLike) -> PairedCounts:
        """Return the counts of these classes, in this order.

        Parameters
        ----------
        classes : array-like of shape (n_classes,)
            Distinct labels. New labels have no samples; classes that are not listed are dropped.

        Returns
        -------
        counts : PairedCounts
        """
        labels = unique_label_array(classes, "classes")
        index = positions(self.classes, labels)[self.class_index]
        kept = index >= 0
        counts = PairedCounts(
            self.names, labels, index[kept], self.patterns[kept], self.counts[kept]
        )
        if self._design is None:
            return counts
        return counts._designed(self._design.reindex(positions(self.classes, labels), len(labels)))

    def position(self, name: str) -> int:
        """Return the position of a classifier in `names`."""
        return position_of(name, self.names, "name")

    def _by_class(self, counts: Floats) -> Floats:
        sums = np.bincount(self.class_index, weights=counts, minlength=self.n_classes)
        return sums.astype(np.float64, copy=False)

    def update(
        self,
        y_true: ArrayLike,
        predictions: Predictions,
        *,
        labels: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        weight_type: WeightType = None,
        groups: ArrayLike | None = None,
    ) -> PairedCounts:
        """Return the counts with another batch added, leaving the original unchanged.

        Parameters
        ----------
        y_true, predictions, labels, sample_weight, weight_type, groups
            As for :func:`paired_counts`, with predictions of all classifiers in `names`, in any
            order. The classes are those of :meth:`ClassCounts.update`. The batch may be empty,
            and need not have any of the labels.

        Returns
        -------
        counts : PairedCounts

        Raises
        ------
        ValueError, TypeError
            If `predictions` has other classifiers; or for the reasons listed in
            :func:`paired_counts`, or if the counts cannot be added.

        Examples
        --------
        >>> from skpostbac import PairedCounts
        >>> counts = PairedCounts.empty(["one", "two"])
        >>> counts = counts.update(["a", "b"], {"one": ["a", "a"], "two": ["a", "b"]})
        >>> counts = counts.update(["a", "c"], {"two": ["b", "c"], "one": ["a", "c"]})
        >>> counts.cells("one", "two")
        array([[1., 1., 0., 0.],
               [0., 0., 1., 0.],
               [1., 0., 0., 0.]])
        """
        columns = named_predictions(predictions)
        if set(columns) != set(self.names):
            raise ValueError(
                f"predictions must be of the classifiers {short_repr(self.names)}, "
                f"got {short_repr(tuple(columns))}"
            )
        outcomes = read_outcomes(
            y_true,
            by_argument(columns, self.names),
            sample_weight,
            weight_type=weight_type,
            groups=groups,
            least=0,
        )
        batch = _count(self.names, outcomes, labels, reindex_batch, weight_type)
        check_same_kind(self.classes, batch.classes, OTHER_BATCH)
        return self + batch

    def to_json(self) -> str:
        """Write the counts as JSON.

        The text is an object with the keys ``"format"`` (``"skpostbac.PairedCounts"``),
        ``"version"`` (1), and with a list each ``"names"``, ``"classes"``, ``"class_index"``,
        ``"patterns"``, which has a list of 0 and 1 for each row, and ``"counts"``. Labels are
        strings, numbers or ``true`` and ``false``. With groups or importance weights there is an
        object ``"design"`` of sums, too, as in :meth:`ClassCounts.to_json`.

        Returns
        -------
        text : str

        Raises
        ------
        TypeError
            If a label is neither a str, an int, a bool nor a finite float.

        Examples
        --------
        >>> from skpostbac import PairedCounts
        >>> print(PairedCounts.from_cells([[7, 1, 0, 0]], classes=["a"]).to_json())
        {"format": "skpostbac.PairedCounts", "version": 1, "names": ["A", "B"], "classes": ["a"],
         "class_index": [0, 0], "patterns": [[1, 0], [1, 1]], "counts": [1, 7]}
        """
        fields = {
            "names": self.names,
            "classes": write_labels(self.classes),
            "class_index": self.class_index.tolist(),
            "patterns": self.patterns.astype(int).tolist(),
            "counts": write_counts(self.counts),
        }
        return write_document(FORMAT, fields, self._design)

    @classmethod
    def from_json(cls, text: str) -> PairedCounts:
        """Read counts written by :meth:`to_json`.

        Parameters
        ----------
        text : str

        Returns
        -------
        counts : PairedCounts
            Equal to those that were written.

        Raises
        ------
        TypeError
            If `text` is not a str.
        ValueError
            If `text` is not a document of this format and version, if a key is missing, unknown,
            duplicated or of the wrong type, or for the reasons listed for the constructor.

        Examples
        --------
        >>> from skpostbac import PairedCounts
        >>> PairedCounts.from_json(PairedCounts.from_cells([[7, 1, 2, 0]]).to_json())
        PairedCounts('A', 'B', n_classes=1, n_patterns=3, n=10)
        """
        keys = ("names", "classes", "class_index", "patterns", "counts")
        document, design = read_document(text, FORMAT, keys)
        names = read_strings(document["names"], "names")
        if not any(document[key] for key in keys[1:]):
            return cls.empty(names)
        classes = read_labels(document["classes"])
        index = read_integers(document["class_index"], "class_index", len(classes))
        patterns = read_rows(document["patterns"], "patterns", len(names))
        counts = cls(names, classes, index, patterns, read_numbers(document["counts"], "counts"))
        if design is None:
            return counts
        n_figures, total = len(names) * (len(names) + 1) // 2, counts._by_class(counts.counts)
        return counts._designed(read_design(design, total, n_figures))

    def __add__(self, other: PairedCounts) -> PairedCounts:
        if not isinstance(other, PairedCounts):
            return NotImplemented
        if self.names != other.names:
            raise ValueError(
                "counts can be added only for the same classifiers in the same order, got "
                f"{short_repr(self.names)} and {short_repr(other.names)}"
            )
        if not (self.n_classes and other.n_classes):
            return other if other.n_classes else self
        classes = merge_labels(self.classes, other.classes)
        left, right = self.reindex(classes), other.reindex(classes)
        total = _join(self.names, classes, (left._rows(), right._rows()))
        if left._design is None and right._design is None:
            return total
        has_samples = bool(left.counts.any()), bool(right.counts.any())
        return total._designed(merge_designs(left._design, right._design, has_samples))

    def __radd__(self, other: object) -> PairedCounts:
        # `sum` starts from 0.
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PairedCounts):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _rows(self) -> Rows:
        return Rows(self.class_index, self.patterns, self.counts)

    def _key(self) -> tuple[Any, ...]:
        arrays = tuple(array.tobytes() for array in self._rows())
        return self.names, tuple(label_list(self.classes)), *arrays, self._design

    def _repr_html_(self) -> str:
        names = self.names[:SHOWN_CLASSES]
        right = self.patterns[:, : len(names)]
        numbers = [f"{number}" for number in range(1, len(names) + 1)]
        numbered = [f"{n} {name}" for n, name in zip(numbers, names, strict=True)]
        note = more(len(self.names), SHOWN_CLASSES)
        correct = self.counts @ right
        totals = (numbered, format_column(correct.tolist()), _shares(correct, self.n_samples))
        alone = (right.T * self.counts) @ ~right
        cells = np.array(format_column(alone.ravel().tolist())).reshape(alone.shape).tolist()
        for i, row in enumerate(cells):
            row[i] = ""
        return block(
            repr(self),
            table(("classifier", "correct", "accuracy"), zip(*totals, strict=True), note=note),
            table(
                ("row correct, column wrong", *numbers),
                ((name, *row) for name, row in zip(numbered, cells, strict=True)),
                note=note,
            ),
        )

    def __repr__(self) -> str:
        names = [repr(name) for name in self.names[:SHOWN_CLASSES]]
        names += ["..."] * (len(self.names) > SHOWN_CLASSES)
        facts = f"n_classes={self.n_classes}, n_patterns={len(self.counts)}"
        facts += f", {self._design}" if self._design is not None else ""
        return f"PairedCounts({', '.join(names)}, {facts}, n={format_count(self.n_samples)})"


def _shares(correct: Floats, n: float) -> list[str]:
    return [format_share(number / n if n else nan) for number in correct.tolist()]


def paired_counts(
    y_true: ArrayLike,
    predictions: Predictions,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = None,
    groups: ArrayLike | None = None,
) -> PairedCounts:
    """Count joint correct predictions of several classifiers, for each class.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels, in any format that scikit-learn accepts.
    predictions : mapping of str to array-like of shape (n_samples,), or DataFrame
        Predicted labels of each classifier for the same samples, by name; a pandas or polars
        DataFrame has one column per classifier. Predictions of a class that is not counted are
        errors of the true class.
    labels : array-like of shape (n_classes,), default=None
        Classes to count, in this order, by default the sorted classes in `y_true`. A class that is
        absent from `y_true` has no samples; samples whose true class is not listed are ignored.
    sample_weight : array-like of shape (n_samples,), default=None
        Finite, non-negative weights, by default case counts, so their scale matters: a weight
        of 2 counts the sample twice.
    weight_type, groups : optional
        As for :func:`class_counts`: meaning of the weights, and group of each sample.

    Returns
    -------
    counts : PairedCounts
        Joint counts. Their margins equal :func:`class_counts` for each classifier.

    Raises
    ------
    TypeError, ValueError
        If `predictions` is neither a mapping from strings nor a DataFrame, or is empty; or for the
        reasons listed in :func:`class_counts`.

    See Also
    --------
    compare_predictions : The comparison that follows from the counts.

    Examples
    --------
    >>> from skpostbac import paired_counts
    >>> counts = paired_counts(["a", "a", "b"], {"one": ["a", "a", "a"], "two": ["a", "b", "b"]})
    >>> counts.cells("one", "two")
    array([[1., 1., 0., 0.],
           [0., 0., 1., 0.]])
    """
    columns = named_predictions(predictions)
    names = tuple(columns)
    outcomes = read_outcomes(
        y_true,
        by_argument(columns, names),
        sample_weight,
        weight_type=weight_type,
        groups=groups,
    )
    return _count(names, outcomes, labels, select_classes, weight_type)


def _count(
    names: tuple[str, ...],
    outcomes: Outcomes,
    labels: ArrayLike | None,
    select: Callable[[PairedCounts, ArrayLike], PairedCounts],
    weight_type: WeightType,
) -> PairedCounts:
    """Count the classes that are selected; keep the design of samples that are no plain cases."""
    if outcomes.n_samples:
        blocks = [group_rows(*block) for block in outcomes.blocks()]
        counts = _join(names, outcomes.classes, blocks)
    else:
        counts = PairedCounts.empty(names)
    if labels is not None:
        counts = select(counts, labels)
    has_importance = weight_type == "importance"
    if not outcomes.n_samples or (outcomes.groups is None and not has_importance):
        return counts
    return counts._designed(_make_design(counts, outcomes, has_importance))


def _make_design(
    counts: PairedCounts, outcomes: Outcomes, has_importance: bool
) -> SampleDesign | None:
    """Add up what is kept of the samples of the classes that were counted."""
    samples = outcomes.read()
    place = positions(outcomes.classes, counts.classes)[samples.codes]
    kept = place >= 0
    hits = [hit[kept] for hit in samples.hits]
    figures = [*map(hit_figure, hits), *(difference_figure(*two) for two in combinations(hits, 2))]
    return make_design(
        place[kept],
        counts.n_classes,
        None if outcomes.groups is None else outcomes.groups(slice(None))[kept],
        None if samples.weight is None else samples.weight[kept],
        figures,
        is_importance=has_importance,
    )


def _join(names: tuple[str, ...], classes: LabelArray, parts: Iterable[Rows]) -> PairedCounts:
    return PairedCounts(names, classes, *map(np.concatenate, zip(*parts, strict=True)))


class Rows(NamedTuple):
    """Distinct pairs of a class and a pattern, in increasing order, and how often they occur."""

    class_index: Indices
    patterns: Bools
    counts: Floats


def group_rows(class_index: Indices, hits: Iterable[Bools], weight: Floats | None) -> Rows:
    """Add up the rows of the same class and pattern; those of weight 0 are left out.

    The patterns grow by one classifier at a time, and are numbered anew each time, so that the
    numbers stay small and nothing needs to be sorted.
    """
    number, index = _renumber(class_index)
    patterns = np.empty((len(index), 0), dtype=bool)
    for hit in hits:
        number, found = _renumber(2 * number + hit)
        parent, is_hit = np.divmod(found, 2)
        index, patterns = index[parent], np.column_stack([patterns[parent], is_hit == 1])
    counts = np.bincount(number, weights=weight, minlength=len(index)).astype(np.float64)
    kept = counts > 0
    return Rows(index[kept], patterns[kept], counts[kept])


def _renumber(numbers: Indices) -> tuple[Indices, Indices]:
    """Return the rank of each number among the distinct ones, and the distinct ones."""
    occurs = np.bincount(numbers) > 0
    return (np.cumsum(occurs) - 1)[numbers], np.flatnonzero(occurs)


def _check_rows(
    index: NDArray[Any], patterns: NDArray[Any], counts: Floats, shape: tuple[int, int]
) -> None:
    n_classes, n_names = shape
    if index.shape != counts.shape or patterns.shape != (len(counts), n_names):
        raise ValueError(
            f"class_index, patterns and counts must be of shapes (n,), (n, {n_names}) and (n,), "
            f"got {index.shape}, {patterns.shape} and {counts.shape}"
        )
    if not len(counts):
        return
    if index.dtype.kind not in "iu" or index.min() < 0 or index.max() >= n_classes:
        raise ValueError(f"class_index must hold integers from 0 to {n_classes - 1}")
    if patterns.dtype.kind not in "biu" or not np.isin(patterns, [0, 1]).all():
        raise ValueError("patterns must hold booleans")


def _check_totals(totals: Floats) -> None:
    if np.any(large := ~(totals <= LARGEST)):
        raise ValueError(
            f"counts must add up to at most {LARGEST:g} for each class, got {first(totals, large)}"
        )
