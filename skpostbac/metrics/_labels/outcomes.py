"""Outcomes of the samples of a test set, for one or several classifiers, read block by block.

True labels are encoded as their positions among the sorted distinct labels, and predictions are
compared with them. Integers are looked up in a table, other labels in a dict. `np.unique` and
scikit-learn's `LabelEncoder` can encode labels, too, but keep a code for each sample and are
slower: a million labels of three classes took them 6 ms as int64, 18 ms as int8 and 104 ms as text,
here 3, 3 and 76 ms; as objects 823 and 79 ms, here 63 ms. `pandas.factorize` is as fast, but pandas
is not required. Categories of pandas and polars are numbered already, and are not spelled out.
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from reprlib import repr as short_repr
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_consistent_length

from skpostbac._utils import (
    Bools,
    Floats,
    Indices,
    LabelArray,
    check_choice,
    input_errors,
    nonnegative_array,
)
from skpostbac.metrics._dependence import warn_of_fractions
from skpostbac.metrics._labels.labels import (
    BLOCK,
    as_label_array,
    check_same_kind,
    class_labels,
    is_integral,
    label_list,
    positions,
)
from skpostbac.stats._beta import LARGEST

# Meaning of the weights. None stands for "case", with a warning if they are not whole numbers.
WeightType: TypeAlias = Literal["case", "importance"] | None
# The square of the largest importance weight must not underflow to zero.
_LEAST_WEIGHT = 1e-100
# Integers are looked up in a table if their range is at most the first number, or at most the
# second and twice the number of samples.
_SMALL_RANGE, _LARGE_RANGE = 2**10, 2**20


class Column(NamedTuple):
    """Labels of the samples, unchecked."""

    array: LabelArray
    """The labels in one dimension, or the numbers of categories."""
    kind: Literal["integer", "text", "category", "other"]
    """Integers are finite, of whatever numeric dtype; text is that of NumPy, or strings alone."""
    categories: tuple[LabelArray, LabelArray] | None = None
    """Sorted numbers of categories, not all of which need occur, and their labels."""


class Encoded(NamedTuple):
    """Labels as positions in an array of the sorted distinct ones, computed a block at a time."""

    values: LabelArray
    """Distinct labels, sorted, of the dtypes of :func:`array_of_labels`."""
    codes: Callable[[slice], Indices]
    """Returns the position in ``values`` of each label of a block."""


class Block(NamedTuple):
    """Consecutive samples."""

    codes: Indices
    """Position in the classes of the true label of each sample."""
    hits: list[Bools]
    """For each classifier, which samples it predicts correctly."""
    weight: Floats | None
    """Case count of each sample, None for 1 each."""


@dataclass(frozen=True)
class Outcomes:
    """Outcomes of the samples, computed block by block."""

    classes: LabelArray
    """Distinct true labels, sorted."""
    n_samples: int
    codes: Callable[[slice], Indices]
    hits: Sequence[Callable[[slice], Bools]]
    weight: Floats | None
    groups: Callable[[slice], Indices] | None = None
    """Returns the number of the group of each sample of a block."""

    def read(self, block: slice = slice(None)) -> Block:
        """Return the samples of a block, by default all."""
        weight = None if self.weight is None else self.weight[block]
        return Block(self.codes(block), [hits(block) for hits in self.hits], weight)

    def blocks(self) -> Iterator[Block]:
        """Return all samples, in blocks that have no fewer than there are classes."""
        step = max(BLOCK, len(self.classes))
        for start in range(0, self.n_samples, step):
            yield self.read(slice(start, start + step))

    def count(self) -> Floats:
        """Return the errors and the hits of each class, (2, n_classes), of a single classifier."""
        size = len(self.classes)
        cells = np.zeros(2 * size)
        for codes, (hits,), weight in self.blocks():
            cells += np.bincount(2 * codes + hits, weight, 2 * size)
        return cells.reshape(size, 2).T


def read_outcomes(
    y_true: ArrayLike,
    predictions: Mapping[str, ArrayLike],
    sample_weight: ArrayLike | None,
    *,
    weight_type: WeightType = None,
    groups: ArrayLike | None = None,
    least: int = 1,
) -> Outcomes:
    """Check true labels, weights, groups and the predictions of one or several classifiers.

    `predictions` has the predicted labels by the name of their argument, for error messages.
    `least` is the smallest number of samples allowed, 0 or 1; if it is 1, the weights must not all
    be 0.

    Raises
    ------
    ValueError, TypeError
        For the reasons listed in :func:`class_counts`.
    """
    check_weight_type(weight_type, has_weights=sample_weight is not None)
    columns = {"y_true": read_column(y_true, "y_true")}
    for name, y_pred in predictions.items():
        columns[name] = read_column(y_pred, name)
    if groups is not None:
        columns["groups"] = read_column(groups, "groups")
    arrays = {name: column.array for name, column in columns.items()}
    weight = None
    if sample_weight is not None:
        arrays["sample_weight"] = weight = nonnegative_array(sample_weight, "sample_weight")
    n_samples = len(arrays["y_true"])
    for name, array in arrays.items():
        if len(array) != n_samples:
            with input_errors(f"y_true and {name}"):
                check_consistent_length(arrays["y_true"], array)
    if n_samples < least:
        raise ValueError(
            "Found empty input array (e.g., `y_true` or `y_pred`) while a minimum "
            "of 1 sample is required."
        )
    if not n_samples:  # of which there is no block
        return Outcomes(np.zeros(0, int), 0, lambda _: np.zeros(0, np.intp), [], weight)
    if least and weight is not None and not weight.any():
        raise ValueError("sample_weight: Sample weights must contain at least one non-zero number.")
    true = encode(columns["y_true"], "y_true")
    hits = [_find_hits(columns["y_true"], true, columns[name], name) for name in predictions]
    group = None if groups is None else encode(columns["groups"], "groups").codes
    if weight is not None:
        _check_weights(weight, true, weight_type)
    return Outcomes(true.values, n_samples, true.codes, hits, weight, group)


def check_weight_type(weight_type: object, *, has_weights: bool = True) -> None:
    """Raise if `weight_type` is invalid, or says what weights mean that are not there."""
    if weight_type is not None:
        check_choice(weight_type, ("case", "importance"), "weight_type")
    if weight_type == "importance" and not has_weights:
        raise ValueError("weight_type='importance' needs sample_weight, got None")


def _check_weights(weight: Floats, true: Encoded, weight_type: WeightType) -> None:
    """Raise if weights are too large or too small; warn if they are probably not case counts."""
    with np.errstate(over="ignore"):
        if weight.sum() > LARGEST:
            sums = np.bincount(true.codes(slice(None)), weight, minlength=len(true.values))
            if np.any(large := sums > LARGEST):
                place = int(np.argmax(large))
                raise ValueError(
                    f"sample_weight must add up to at most {LARGEST:g} for each class, "
                    f"got {sums[place]:g} for {short_repr(label_list(true.values)[place])}"
                )
    if weight_type is None:
        warn_of_fractions(weight)
    if weight_type == "importance" and 0 < weight.max() < _LEAST_WEIGHT:
        raise ValueError(
            f"sample_weight must have an importance weight of at least {_LEAST_WEIGHT:g}, "
            f"got at most {weight.max():g}"
        )


def _find_hits(first: Column, true: Encoded, second: Column, name: str) -> Callable[[slice], Bools]:
    """Return a function that tells which of the true labels of a block were predicted."""
    if first.kind == second.kind != "category":
        # NumPy compares text, and integers unless one of two types is rounded to the other.
        is_exact = (first.array.dtype.kind == "f") == (second.array.dtype.kind == "f")
        if first.kind == "text" or (first.kind == "integer" and is_exact):
            return lambda block: first.array[block] == second.array[block]
    pred = encode(second, name)
    check_same_kind(true.values, pred.values, f"y_true and {name}: ")
    recoded = positions(pred.values, true.values)
    return lambda block: true.codes(block) == recoded[pred.codes(block)]


def read_column(y: Any, name: str) -> Column:
    """Convert an array-like to a column of unchecked labels; leave categories as numbers.

    Raises
    ------
    ValueError, TypeError
        As :func:`as_label_array` raises them, or if a category is missing.
    """
    if type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "biu":
        return Column(y, "integer")
    kind = type(getattr(y, "dtype", None)).__name__
    if kind == "CategoricalDtype" and len(y):  # of pandas
        column = getattr(y, "cat", y)
        numbers = np.asarray(column.codes)
        if numbers.min() < 0:
            raise ValueError(f"Input {name} contains NaN.")
        labels = as_label_array(column.categories, name)
        return Column(numbers, "category", (np.arange(len(labels)), labels))
    if kind in ("Categorical", "Enum") and hasattr(y, "to_physical") and len(y):  # of polars
        if y.null_count():
            raise ValueError(f"Input {name} contains NaN.")
        # The numbers of categories may be shared with other columns, and have gaps.
        found = y.unique()
        numbers, labels = found.to_physical().to_numpy(), as_label_array(found, name)
        order = np.argsort(numbers)
        return Column(y.to_physical().to_numpy(), "category", (numbers[order], labels[order]))
    array = as_label_array(y, name)
    if is_integral(array):
        return Column(array, "integer")
    if array.dtype.kind == "U" or (array.dtype.kind == "O" and set(map(type, array)) == {str}):
        return Column(array, "text")
    return Column(array, "other")


def encode(column: Column, name: str) -> Encoded:
    """Encode labels by the sorted distinct ones; refuse those that are no class labels.

    Integers and categories are encoded anew for each block, and need no memory that grows with
    their number.

    Raises
    ------
    ValueError, TypeError
        As :func:`class_labels` raises them; TypeError also if labels are not hashable.
    """
    y = column.array
    if column.kind == "integer":
        values, codes = encode_integral(y)
        if values.dtype.kind == "f":
            values = values.astype(np.float64) + 0.0  # -0.0 becomes 0.0
        elif values.dtype.kind != "b":
            values = values.astype(np.int64 if values[-1] < 2**63 else np.uint64)
        return Encoded(values, codes)
    if column.categories is not None:
        numbers, codes = encode_integral(y)
        known, labels = column.categories
        found = labels[np.searchsorted(known, numbers)]
    else:
        places = np.empty(len(y), np.intp)
        index: defaultdict[Hashable, int] = defaultdict()
        index.default_factory = index.__len__  # a new label has the next number
        # Other labels than text may have hashes of their own, which may fail.
        with nullcontext() if column.kind == "text" else input_errors(name):
            for start in range(0, len(y), BLOCK):
                block = label_list(y[start : start + BLOCK])
                places[start : start + BLOCK] = np.fromiter(
                    map(index.__getitem__, block), np.intp, len(block)
                )
        found, codes = np.fromiter(index, y.dtype, len(index)), places.__getitem__
    distinct = class_labels(found, name)
    order = np.argsort(distinct)
    rank = np.argsort(order)
    return Encoded(distinct[order], lambda block: rank[codes(block)])


def encode_integral(y: LabelArray) -> Encoded:
    """Encode a 1-d array of integers, of whatever numeric dtype, by the sorted distinct ones."""
    low, high = y.min(), y.max()
    n_values = int(high) - int(low) + 1
    if n_values > max(_SMALL_RANGE, min(_LARGE_RANGE, 2 * len(y))):
        values, start = y[:0], 0
        while start < len(y):  # with memory for little more than the distinct numbers
            stop = start + max(BLOCK, 2 * len(values))
            # Not by np.unique, which hashes: a million integers took a hundred times as long.
            ordered = np.sort(np.concatenate([values, y[start:stop]]))
            values = ordered[np.append(True, ordered[1:] != ordered[:-1])]
            start = stop
        return Encoded(values, lambda block: np.searchsorted(values, y[block]))
    # Modulo 2**64 the difference of both is right for every integer type.
    origin = low.astype(np.int64)
    occurs = np.zeros(n_values, bool)
    for start in range(0, len(y), BLOCK):
        occurs[y[start : start + BLOCK].astype(np.int64, copy=False) - origin] = True
    rank = np.cumsum(occurs) - 1
    values = np.flatnonzero(occurs).astype(y.dtype) + low
    return Encoded(values, lambda block: rank[y[block].astype(np.int64, copy=False) - origin])


def warn_if_foreign(
    y_true: ArrayLike, predictions: Mapping[str, ArrayLike], *, stacklevel: int
) -> None:
    """Warn if no predicted label is a true label, such as "Yes" instead of "yes".

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    predictions : mapping of str to array-like of shape (n_samples,)
        Predicted labels by the name of the argument that holds them. The check needs their distinct
        labels: ask only about predictions without a hit.
    stacklevel : int
        As for :func:`warnings.warn`, relative to the caller of this function.
    """
    for name, y_pred in predictions.items():
        true, pred = (
            label_list(encode(read_column(y, of), of).values)
            for y, of in ((y_true, "y_true"), (y_pred, name))
        )
        if not set(true) & set(pred):
            shown = [
                f"{', '.join(map(repr, labels[:3]))}{', ...' if len(labels) > 3 else ''}"
                for labels in (true, pred)
            ]
            warnings.warn(
                f"{name} holds none of the labels of y_true ({shown[0]}), but {shown[1]}: "
                "each prediction counts as an error",
                UserWarning,
                stacklevel=stacklevel + 1,
            )
