"""Which of several classifiers are right on the same samples of a test set."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeGuard

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
    input_errors,
    nonnegative_array,
    shown,
)
from skpostbac.metrics._counts import (
    SHOWN_CLASSES,
    ClassCounts,
    Counts,
    check_no_shares,
    format_count,
    select_classes,
)
from skpostbac.metrics._dependence import (
    DesignEffects,
    RowValues,
    SampleDesign,
    design_effects,
    whole_counts,
)
from skpostbac.metrics._labels import (
    Outcomes,
    WeightType,
    label_list,
    read_outcomes,
    unique_label_array,
)
from skpostbac.stats._beta import LARGEST

# Scorers store outcomes as one bit a sample, packed into integers that floats hold
# exactly.
WORD_BITS = 53
WORD_KEY = "outcomes_{}"

# Both right, only the first, only the second, neither: the columns of a table of two
# classifiers.
CELLS = np.array([[True, True], [True, False], [False, True], [False, False]])


@dataclass(frozen=True, init=False, eq=False, repr=False)
class PairedCounts(Counts):
    """Joint counts of correct predictions across classifiers, for each class.

    :class:`~skpostbac.ClassCounts` has one classifier by itself, such as a
    :meth:`margin` of these counts. The pattern of a sample is which of the T
    classifiers are right. The number of samples with each pattern in each class is the
    sufficient statistic of a paired comparison. ``+`` and :func:`sum` add counts of the
    same classifiers on different samples, by the rules of
    :class:`~skpostbac.ClassCounts`. With groups, the counts also keep one row for each
    group, class and pattern that occurs, of 40 + T bytes.

    Use :func:`paired_counts` to start from labels, and :meth:`from_cells` to start from
    tables of two classifiers.

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
        The labels, as in :class:`~skpostbac.ClassCounts`.
    class_index, patterns, counts : ndarray
        Read-only, with one row for each class and pattern that occurs, in increasing
        order.

    Raises
    ------
    TypeError
        If a name is not a string.
    ValueError
        If there is no classifier, if a name is empty or duplicated, if `classes` is
        empty or has duplicates, if the shapes differ, or if an index or a count is out
        of range.

    Examples
    --------
    >>> from skpostbac.metrics import PairedCounts
    >>> monday = PairedCounts.from_cells([[7, 1, 2, 0]], classes=["cat"])
    >>> tuesday = PairedCounts.from_cells(
    ...     [[5, 0, 1, 1], [2, 0, 0, 1]], classes=["cat", "dog"]
    ... )
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
    # Of samples with groups or importance weights.
    _design: SampleDesign | None = None

    _format = "skpostbac.PairedCounts"
    _keys = ("names", "classes", "class_index", "patterns", "counts")

    def __init__(
        self,
        names: Sequence[str],
        classes: ArrayLike,
        class_index: ArrayLike,
        patterns: ArrayLike,
        counts: ArrayLike,
    ) -> None:
        names = check_names(names)
        labels = unique_label_array(classes, "classes")
        index = float_array(class_index, "class_index")
        bits = float_array(patterns, "patterns")
        bits = bits if bits.size else bits.reshape(-1, len(names))
        number = nonnegative_array(counts, "counts")
        if index.shape != number.shape or bits.shape != (len(number), len(names)):
            raise ValueError(
                "class_index, patterns and counts must be of shapes (n,), (n, "
                f"{len(names)}) and (n,), got {index.shape}, {bits.shape} and "
                f"{number.shape}"
            )
        if not np.isin(index, np.arange(len(labels))).all():
            raise ValueError(
                f"class_index must hold integers from 0 to {len(labels) - 1}"
            )
        if not np.isin(bits, [0, 1]).all():
            raise ValueError("patterns must hold booleans")
        rows = group_rows(index.astype(np.intp), bits.astype(bool).T, number)
        self._set(names, labels, *rows)

    def _check(self) -> None:
        if np.any(large := ~(self._totals <= LARGEST)):
            raise ValueError(
                f"counts must add up to at most {LARGEST:g} for each class, "
                f"got {first(self._totals, large)}"
            )

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
            Number of samples on which both were right, only the first, only the second,
            neither.
        names : sequence of two str, default=("A", "B")
            Names of the classifiers.
        classes : array-like of shape (n_classes,), default=None
            Class labels, by default 0, 1, ...

        Returns
        -------
        counts : PairedCounts

        Examples
        --------
        >>> from skpostbac.metrics import PairedCounts
        >>> PairedCounts.from_cells([[7, 1, 2, 0], [3, 0, 0, 2]]).margin("A")
        ClassCounts(0: 8/10, 1: 3/5)
        """
        table = float_array(cells, "cells")
        if table.ndim != 2 or table.shape[1] != len(CELLS):
            raise ValueError(
                f"cells must be of shape (n_classes, 4), got {table.shape}"
            )
        check_nonnegative(table, "cells")
        check_no_shares(table, "cells")
        labels = (
            np.arange(len(table))
            if classes is None
            else unique_label_array(classes, "classes")
        )
        if len(labels) != len(table):
            raise ValueError(
                f"classes must have one label for each of {len(table)} rows of cells"
            )
        index = np.repeat(np.arange(len(table)), len(CELLS))
        return cls(names, labels, index, np.tile(CELLS, (len(table), 1)), table.ravel())

    def margin(self, name: str) -> ClassCounts:
        """Return the counts of one classifier alone.

        Parameters
        ----------
        name : str
            Name of the classifier.

        Returns
        -------
        counts : ClassCounts
            Same as :func:`~skpostbac.class_counts` for its predictions.
        """
        position = position_of(name, self.names, "name")
        correct = self.counts * self.patterns[:, position]
        design = self._design and self._design.of_classifier(position)
        return ClassCounts._of_checked(
            self.classes, self._by_class(correct), self._totals, design
        )

    def cells(self, first: str, second: str) -> Floats:
        """Return the table of four cells of two classifiers.

        Parameters
        ----------
        first, second : str
            Names of the classifiers.

        Returns
        -------
        cells : ndarray of shape (n_classes, 4)
            Number of samples on which both were right, only the first, only the second,
            neither.
        """
        one, two = (
            self.patterns[:, position_of(name, self.names, argument)]
            for name, argument in ((first, "first"), (second, "second"))
        )
        cells = (one & two, one & ~two, ~one & two, ~(one | two))
        return np.stack([self._by_class(self.counts * cell) for cell in cells], axis=1)

    def _trials(self, first: str, second: str, correction: str = "") -> Floats:
        """Return how often only the first is right, both or neither, only the second.

        They are those of a confidence sequence, shape (n_classes, 3): raise if there is
        none.
        """
        both, only_first, only_second, neither = self.cells(first, second).T
        cells = np.stack([only_first, both + neither, only_second], axis=1)
        return whole_counts(cells, self._design, correction)

    def _as_one_class(self) -> PairedCounts:
        """Return the same samples as those of a single class."""
        if self.n_classes == 1:
            return self
        index = np.zeros_like(self.class_index)
        design = self._design and self._design.as_one_class()
        rows = PatternRows(index, self.patterns, self.counts)
        return _join(self.names, np.zeros(1, np.int64), [rows], design)

    def design_effects(self, first: str, second: str) -> DesignEffects | None:
        """Return the design effects for the difference of two classifiers.

        Parameters
        ----------
        first, second : str
            Names of different classifiers.

        Returns
        -------
        effects : DesignEffects or None
            None without groups and importance weights. `margin` returns those of one
            classifier.

        Raises
        ------
        ValueError
            If a name is unknown, or both are the same.
        """
        one = position_of(first, self.names, "first")
        two = position_of(second, self.names, "second")
        if one == two:
            raise ValueError(
                f"first and second must be different classifiers, got {first!r} twice"
            )
        if self._design is None:
            return None
        hits = self._design.hits[[one, two]]
        difference = np.diff(hits.astype(np.float64), axis=0)[0]
        differ = difference != 0
        values = RowValues(difference, (differ, differ))
        return design_effects(self._design, values, (0.0, 1 / self.n_classes))

    def _by_class(self, counts: Floats) -> Floats:
        return np.bincount(self.class_index, counts, len(self.classes)).astype(float)

    @property
    def _totals(self) -> Floats:
        return self._by_class(self.counts)

    def _moved(
        self, labels: LabelArray, place: Indices, design: SampleDesign | None
    ) -> PairedCounts:
        index = place[self.class_index]
        kept = index >= 0
        rows = PatternRows(index[kept], self.patterns[kept], self.counts[kept])
        return _join(self.names, labels, [rows], design)

    def _plus(self, other: PairedCounts, design: SampleDesign | None) -> PairedCounts:
        return _join(self.names, self.classes, (self._rows, other._rows), design)

    def __add__(self, other: PairedCounts) -> PairedCounts:
        if not isinstance(other, PairedCounts):
            return NotImplemented
        if self.names != other.names:
            raise ValueError(
                "counts can be added only for the same classifiers in the same order, "
                f"got {shown(self.names)} and {shown(other.names)}"
            )
        return super().__add__(other)

    @property
    def _rows(self) -> PatternRows:
        return PatternRows(self.class_index, self.patterns, self.counts)

    def _made_of(self) -> tuple[Any, ...]:
        arrays = (array.tobytes() for array in self._rows)
        return self.names, tuple(label_list(self.classes)), *arrays, self._design

    def __repr__(self) -> str:
        names = [repr(name) for name in self.names[:SHOWN_CLASSES]]
        names += ["..."] * (len(self.names) > SHOWN_CLASSES)
        facts = f"n_classes={self.n_classes}, n_patterns={len(self.counts)}"
        facts += f", {self._design}" if self._design is not None else ""
        size = format_count(self.n_samples)
        return f"PairedCounts({', '.join(names)}, {facts}, n={size})"


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

    :func:`~skpostbac.class_counts` has the counts of one classifier, which are the
    margins of these. The candidates of a search are counted by
    :func:`~skpostbac.model_selection.pooled_paired_counts`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels, in any format that scikit-learn accepts.
    predictions : mapping of str to array-like of shape (n_samples,), or DataFrame
        Predicted labels of each classifier for the same samples, by name; a pandas or
        polars DataFrame has one column per classifier. Predictions of a class that is
        not counted are errors of the true class.
    labels : array-like of shape (n_classes,), default=None
        Classes to count, in this order, by default the sorted classes in `y_true`. A
        class that is absent from `y_true` has no samples; samples whose true class is
        not listed are ignored.
    sample_weight : array-like of shape (n_samples,), default=None
        Finite, non-negative weights, by default case counts, so their scale matters: a
        weight of 2 counts the sample twice.
    weight_type, groups : optional
        As for :func:`~skpostbac.class_counts`: meaning of the weights, and group of
        each sample.

    Returns
    -------
    counts : PairedCounts
        Joint counts. Their margins equal :func:`~skpostbac.class_counts` for each
        classifier.

    Raises
    ------
    TypeError, ValueError
        If `predictions` is neither a mapping from strings nor a DataFrame, or is empty;
        or for the reasons listed in :func:`~skpostbac.class_counts`.

    See Also
    --------
    skpostbac.compare_predictions : The comparison that follows from the counts.

    Examples
    --------
    >>> from skpostbac.metrics import paired_counts
    >>> counts = paired_counts(
    ...     ["a", "a", "b"], {"one": ["a", "a", "a"], "two": ["a", "b", "b"]}
    ... )
    >>> counts.cells("one", "two")
    array([[1., 1., 0., 0.],
           [0., 0., 1., 0.]])
    """
    columns = named_predictions(predictions)
    names = tuple(columns)
    outcomes = read_outcomes(
        y_true, by_argument(columns, names), sample_weight, weight_type, groups
    )
    return count_patterns(outcomes, names, labels)


def count_patterns(
    outcomes: Outcomes, names: tuple[str, ...], labels: ArrayLike | None = None
) -> PairedCounts:
    """Count the outcomes of several classifiers in each class, or of these labels."""
    rows = (group_rows(*samples) for samples in outcomes.blocks())
    counts = _join(names, outcomes.classes, rows)
    return select_classes(counts, outcomes, labels)


def _join(
    names: tuple[str, ...],
    classes: LabelArray,
    parts: Iterable[PatternRows],
    design: SampleDesign | None = None,
) -> PairedCounts:
    index, patterns, counts = map(np.concatenate, zip(*parts, strict=True))
    rows = group_rows(index, patterns.T, counts)
    return PairedCounts._of_checked(names, classes, *rows, design)


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


def named_predictions(
    predictions: object, name: str = "predictions"
) -> dict[str, ArrayLike]:
    """Return predictions by the name of the classifier or DataFrame column.

    Raises
    ------
    TypeError
        If `predictions` are neither a mapping nor a DataFrame.
    TypeError, ValueError
        For the reasons listed in :func:`check_names`.
    """
    if not is_named(predictions):
        raise TypeError(
            f'{name} must be a mapping such as {{"A": a, "B": b}}, or a DataFrame with '
            f"a column for each classifier, got {type(predictions).__name__}"
        )
    names: Any = predictions
    if not isinstance(predictions, Mapping):
        # The columns of a pyarrow table are their values.
        names = getattr(predictions, "column_names", predictions.columns)
    with input_errors(name):
        return {column: predictions[column] for column in check_names(tuple(names))}


def is_named(predictions: object) -> TypeGuard[Predictions]:
    """Return whether predictions are a mapping or a DataFrame, of pandas or polars."""
    return isinstance(predictions, Mapping) or hasattr(predictions, "columns")


def by_argument(
    predictions: Predictions, names: Iterable[str], argument: str = "predictions"
) -> dict[str, ArrayLike]:
    """Return the predictions of these classifiers by what messages call them."""
    return {f"{argument}[{name!r}]": predictions[name] for name in names}


def position_of(name: object, names: Sequence[str], argument: str) -> int:
    """Return the position of a classifier, or say that the argument is none."""
    if not isinstance(name, str) or name not in names:
        raise ValueError(f"{argument} must be one of {shown(names)}, got {shown(name)}")
    return names.index(name)


def check_names(names: Sequence[Any]) -> tuple[str, ...]:
    """Return the names of classifiers: one or more different strings.

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
            raise ValueError(
                f"the names of classifiers must not be empty, got {name!r}"
            )
    if not names:
        raise ValueError("names must hold at least one classifier, got none")
    if len(set(names)) < len(names):
        raise ValueError(
            f"the names of classifiers must be different, got {shown(names)}"
        )
    return tuple(names)


class PatternRows(NamedTuple):
    """Distinct pairs of a class and a pattern, sorted, and how often they occur."""

    class_index: Indices
    patterns: Bools
    counts: Floats


def group_rows(
    class_index: Indices, hits: Iterable[Bools], weight: Floats | None
) -> PatternRows:
    """Add up the rows of the same class and pattern; those of weight 0 are left out.

    The patterns grow by one classifier at a time, and are numbered anew each time, so
    that the numbers stay small and nothing needs to be sorted.
    """
    number, index = renumber(class_index)
    patterns = np.empty((len(index), 0), dtype=bool)
    for hit in hits:
        number, found = renumber(2 * number + hit)
        parent, is_hit = np.divmod(found, 2)
        index = index[parent]
        patterns = np.column_stack([patterns[parent], is_hit == 1])
    counts = np.bincount(number, weights=weight, minlength=len(index)).astype(
        np.float64
    )
    kept = counts > 0
    return PatternRows(index[kept], patterns[kept], counts[kept])


def renumber(numbers: Indices) -> tuple[Indices, Indices]:
    """Return the rank of each number among the distinct ones, and the distinct ones."""
    occurs = np.bincount(numbers) > 0
    return (np.cumsum(occurs) - 1)[numbers], np.flatnonzero(occurs)


def class_order(labels: Sequence[Hashable]) -> list[int]:
    """Return the positions of the labels sorted by their text.

    It is the same whether the labels are those of `y` or were read from the names of
    columns.
    """
    return sorted(range(len(labels)), key=lambda position: str(labels[position]))


def pack_bits(bits: Bools, n_bits: int) -> dict[str, float]:
    """Write bits of shape (n,) as words of `n_bits`, the first as the lowest.

    Examples
    --------
    >>> import numpy as np
    >>> pack_bits(np.array([True, False, True, True]), 60)
    {'outcomes_0': 13.0, 'outcomes_1': 0.0}
    """
    padded = np.zeros((-(-n_bits // WORD_BITS), WORD_BITS))
    padded.flat[: len(bits)] = bits
    words = padded @ np.ldexp(1.0, np.arange(WORD_BITS))
    return {WORD_KEY.format(number): word for number, word in enumerate(words.tolist())}


def unpack_bits(words: Floats, n_bits: int) -> Bools:
    """Read the first bits of words (..., count) as an array (..., n_bits).

    Examples
    --------
    >>> import numpy as np
    >>> unpack_bits(np.array([13.0, 0.0]), 5)
    array([ True, False,  True,  True, False])
    """
    octets = words.astype("<u8", order="C").view(np.uint8)
    bits = np.unpackbits(octets, axis=-1, bitorder="little")
    used = bits.reshape(*words.shape, 64)[..., :WORD_BITS]
    return used.reshape(*words.shape[:-1], -1)[..., :n_bits].astype(bool)
