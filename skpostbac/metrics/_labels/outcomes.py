"""Outcomes of the samples of a test set, for one or several classifiers, read block by block.

True labels are encoded as their positions among the sorted distinct labels, and predictions are
compared with them. Integers are looked up in a table, other labels in a dict. `np.unique` and
scikit-learn's `LabelEncoder` can encode labels, too, but keep a code for each sample and are
slower: a million labels of three classes took them 6 ms as int64, 18 ms as int8 and 104 ms as text,
here 3, 3 and 76 ms; as objects 823 and 79 ms, here 63 ms. `pandas.factorize` is as fast, but pandas
is not required.
"""

from __future__ import annotations

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
    array_of_labels,
    check_same_kind,
    class_labels,
    label_list,
    positions,
)
from skpostbac.metrics._labels.reading import BLOCK, Categories, Column, read_column, read_columns
from skpostbac.stats._beta import LARGEST

# Meaning of the weights. None stands for "case", with a warning if they are not whole numbers.
WeightType: TypeAlias = Literal["case", "importance"] | None
WEIGHT_TYPES = ("case", "importance")
# The square of the largest importance weight must not underflow to zero.
_LEAST_WEIGHT = 1e-100

# Integers are looked up in a table if their range is at most the first number, or at most the
# second and twice the number of samples.
SMALL_RANGE, LARGE_RANGE = 2**10, 2**20


class Encoded(NamedTuple):
    """Labels as positions in an array of the sorted distinct ones, computed a block at a time."""

    values: LabelArray
    """Distinct labels, sorted, as :func:`array_of_labels` returns them."""
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
        """Return all samples, block by block."""
        return map(self.read, _blocks(self.n_samples, len(self.classes)))


def count_hits(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    sample_weight: ArrayLike | None,
    *,
    weight_type: WeightType = None,
    least: int,
) -> tuple[LabelArray, Floats]:
    """Return the classes, and the numbers of errors and of hits of each, shape (2, n_classes).

    The parameters are those of :func:`read_outcomes`, whose errors it raises.

    Examples
    --------
    >>> classes, table = count_hits(["a", "a", "b"], ["a", "b", "b"], None, least=1)
    >>> classes.tolist(), table.tolist()
    (['a', 'b'], [[1.0, 0.0], [1.0, 1.0]])
    """
    outcomes = read_outcomes(
        y_true, {"y_pred": y_pred}, sample_weight, weight_type=weight_type, least=least
    )
    size = len(outcomes.classes)
    cells = np.zeros(2 * size)
    for block in outcomes.blocks():
        (hits,) = block.hits
        cells += np.bincount(2 * block.codes + hits, weights=block.weight, minlength=2 * size)
    return outcomes.classes, cells.reshape(size, 2).T


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
    columns = read_columns({"y_true": y_true, **predictions})
    group = None if groups is None else read_column(groups, "groups")
    weight = None if sample_weight is None else nonnegative_array(sample_weight, "sample_weight")
    n_samples = _check_lengths(columns if group is None else {**columns, "groups": group}, weight)
    if not n_samples and not least:  # of which there is no block
        return Outcomes(np.array([]), n_samples, _no_codes, [], weight)
    _check_samples(n_samples, weight, least)
    true = encode(columns["y_true"], "y_true")
    hits = [_find_hits(columns["y_true"], true, columns[name], name) for name in predictions]
    numbers = None if group is None else encode(group, "groups").codes
    outcomes = Outcomes(true.values, n_samples, true.codes, hits, weight, numbers)
    _check_weights(outcomes)
    if weight is not None and weight_type != "case":
        _check_meaning(weight, weight_type)
    return outcomes


def check_weight_type(weight_type: object, *, has_weights: bool = True) -> None:
    """Raise if `weight_type` is invalid, or says what weights mean that are not there."""
    if weight_type is not None:
        check_choice(weight_type, WEIGHT_TYPES, "weight_type")
    if weight_type == "importance" and not has_weights:
        raise ValueError("weight_type='importance' needs sample_weight, got None")


def _check_meaning(weight: Floats, weight_type: WeightType) -> None:
    """Warn of weights that are probably not case counts; raise if importance weights vanish."""
    if weight_type is None:
        warn_of_fractions(weight)
    elif weight.any() and weight.max() < _LEAST_WEIGHT:
        raise ValueError(
            f"sample_weight must have an importance weight of at least {_LEAST_WEIGHT:g}, "
            f"got at most {weight.max():g}"
        )


def _check_lengths(columns: Mapping[str, Column], weight: Floats | None) -> int:
    """Return the number of samples, which must be the same everywhere."""
    arrays = {name: column.array for name, column in columns.items()}
    y_true = arrays["y_true"]
    others = arrays if weight is None else {**arrays, "sample_weight": weight}
    for name, other in others.items():
        if len(other) != len(y_true):
            with input_errors(f"y_true and {name}"):
                check_consistent_length(y_true, other)
    return len(y_true)


def _check_samples(n_samples: int, weight: Floats | None, least: int) -> None:
    """Raise if there are no samples or all weights are 0."""
    if n_samples < least:
        raise ValueError(
            "Found empty input array (e.g., `y_true` or `y_pred`) while a minimum "
            "of 1 sample is required."
        )
    if least and weight is not None and not weight.any():
        raise ValueError("sample_weight: Sample weights must contain at least one non-zero number.")


def _check_weights(outcomes: Outcomes) -> None:
    """Raise if the weights of a class add up to too much."""
    weight, classes = outcomes.weight, outcomes.classes
    with np.errstate(over="ignore"):
        if weight is None or weight.sum() <= LARGEST:
            return
        sums = np.bincount(outcomes.codes(slice(None)), weight, minlength=len(classes))
    if np.any(large := sums > LARGEST):
        place = int(np.argmax(large))
        raise ValueError(
            f"sample_weight must add up to at most {LARGEST:g} for each class, "
            f"got {sums[place]:g} for {short_repr(label_list(classes)[place])}"
        )


def _no_codes(block: slice) -> Indices:
    return np.zeros(0, np.intp)


def _find_hits(first: Column, true: Encoded, second: Column, name: str) -> Callable[[slice], Bools]:
    """Return a function that tells which of the true labels of a block were predicted."""
    if _are_comparable(first, second):
        return lambda block: first.array[block] == second.array[block]
    pred = encode(second, name)
    with input_errors(f"y_true and {name}"):
        check_same_kind(true.values, pred.values)
    recoded = positions(pred.values, true.values)
    return lambda block: true.codes(block) == recoded[pred.codes(block)]


def _are_comparable(first: Column, second: Column) -> bool:
    """Return whether the comparison by NumPy is exact, and no label needs a check."""
    if first.kind != second.kind:
        return False
    # An integer and a float may compare equal after rounding.
    is_float = first.array.dtype.kind == "f", second.array.dtype.kind == "f"
    return first.kind == "text" or (first.kind == "integer" and is_float[0] == is_float[1])


def distinct_labels(y: ArrayLike, name: str) -> LabelArray:
    """Return the sorted distinct labels of samples, of which there must be one."""
    return encode(read_column(y, name), name).values


def encode(column: Column, name: str) -> Encoded:
    """Encode labels by the sorted distinct ones; refuse those that are no class labels.

    Integers and categories are encoded anew for each block, and need no memory that grows with
    their number.

    Raises
    ------
    ValueError, TypeError
        As :func:`class_labels` raises them; TypeError also if labels are not hashable.
    """
    if column.kind == "integer":
        values, codes = encode_integral(column.array)
        return Encoded(array_of_labels(values.tolist()), codes)
    categories = column.categories
    found, codes = (
        _by_hash(column, name) if categories is None else _by_number(column.array, categories)
    )
    values = class_labels(found, name)
    order = np.argsort(values)
    rank = np.argsort(order)
    return Encoded(values[order], lambda block: rank[codes(block)])


def _by_number(y: LabelArray, categories: Categories) -> Encoded:
    """Return the labels of the categories that occur, in the order of their numbers."""
    numbers, codes = encode_integral(y)
    return Encoded(categories.labels[np.searchsorted(categories.numbers, numbers)], codes)


def _by_hash(column: Column, name: str) -> Encoded:
    """Return the distinct labels in the order of their first appearance."""
    y = column.array
    codes = np.empty(len(y), np.intp)
    index: defaultdict[Hashable, int] = defaultdict()
    index.default_factory = index.__len__  # a new label has the next number
    # Other labels than text may have hashes of their own, which may fail.
    with nullcontext() if column.kind == "text" else input_errors(name):
        for block in _blocks(len(y)):
            labels = list(y[block]) if y.dtype.kind in "mM" else y[block].tolist()
            codes[block] = np.fromiter(map(index.__getitem__, labels), np.intp, len(labels))
    return Encoded(np.fromiter(index, y.dtype, len(index)), codes.__getitem__)


def encode_integral(y: LabelArray) -> Encoded:
    """Encode a 1-d array of integers, of whatever numeric dtype, by the sorted distinct ones."""
    low, high = y.min(), y.max()
    n_values = int(high) - int(low) + 1
    if n_values > max(SMALL_RANGE, min(LARGE_RANGE, 2 * len(y))):
        values = _distinct(y)
        return Encoded(values, lambda block: np.searchsorted(values, y[block]))
    occurs = np.zeros(n_values, bool)
    for block in _blocks(len(y)):
        occurs[_subtract(y[block], low)] = True
    values = np.flatnonzero(occurs).astype(y.dtype) + low
    rank = np.cumsum(occurs) - 1
    return Encoded(values, lambda block: rank[_subtract(y[block], low)])


def _blocks(n_samples: int, n_classes: int = 0) -> Iterator[slice]:
    """Return the blocks of the samples, which have no fewer than there are classes."""
    step = max(BLOCK, n_classes)
    return (slice(start, start + step) for start in range(0, n_samples, step))


def _distinct(y: LabelArray) -> LabelArray:
    """Return the sorted distinct numbers, with memory for little more than these."""
    values, start = y[:0], 0
    while start < len(y):
        stop = start + max(BLOCK, 2 * len(values))
        # Not by np.unique, which hashes: that of a million integers took a hundred times as long.
        ordered = np.sort(np.concatenate([values, y[start:stop]]))
        values = ordered[np.append(True, ordered[1:] != ordered[:-1])]
        start = stop
    return values


def _subtract(y: LabelArray, low: Any) -> Indices:
    # Modulo 2**64 the difference is right for every integer type.
    offsets: Indices = y.astype(np.int64, copy=False) - low.astype(np.int64)
    return offsets
