"""Class labels of samples, which predictions are correct, and scores of two classes.

Reads labels from any container, checks them, and merges distinct ones. scikit-learn's
`column_or_1d` reads what NumPy can: lists, column vectors, columns of data frames. It
is not used where NumPy would read other labels than were given (masked ones as NaN,
numbers beside text as text, long integers as floats, text cut at its last null
character).

Outcomes of the samples are computed block by block. True labels are encoded as their
positions among the sorted distinct labels, and predictions are compared with them.
Integers are looked up in a table, other labels in a dict. `np.unique` and
scikit-learn's `LabelEncoder` can encode labels, too, but keep a code for each sample
and are slower: a million labels of three classes took them 6 ms as int64, 18 ms as int8
and 104 ms as text, here 3, 3 and 76 ms; as objects 823 and 79 ms, here 63 ms.
`pandas.factorize` is as fast, but pandas is not required. Categories of pandas and
polars are numbered already, and are not converted to text.
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_consistent_length, column_or_1d

from skpostbac._utils import (
    Bools,
    Floats,
    Indices,
    LabelArray,
    as_numpy,
    check_choice,
    describe_strays,
    first,
    float_array,
    input_errors,
    is_integer,
    nonnegative_array,
    shown,
    user_stacklevel,
)
from skpostbac.metrics._dependence import (
    SampleDesign,
    warn_of_few_weights,
    warn_of_fractions,
)
from skpostbac.stats._beta import LARGEST

# Meaning of the weights. None stands for "case", with a warning if they are not whole
# numbers.
WeightType: TypeAlias = Literal["case", "importance"] | None
# The square of the largest importance weight must not underflow to zero.
_LEAST_WEIGHT = 1e-100
# Samples that are read together: what is computed of them stays in the cache.
BLOCK = 2**16
# An array of text may be so many times as wide as its labels, and have so many
# characters more.
_SPARE_WIDTH = 8
_SMALL_TEXT = 10**6
# What labels are, by the dtype of their array and, in one of objects, by their type.
_TYPES: dict[str, tuple[str, type | tuple[type, ...]]] = {
    "string": ("U", str),
    "date": ("M", (np.datetime64, date)),
    "duration": ("m", (np.timedelta64, timedelta)),
}
_NO_SCORES = "class labels are needed, not probabilities or scores"
# Integers are looked up in a table if their range is at most the first number, or at
# most the second and twice the number of samples.
_SMALL_RANGE = 2**10
_LARGE_RANGE = 2**20

# Sums of larger scores overflow.
_LARGEST_SCORE = 1e300


def as_label_array(y: Any, name: str) -> LabelArray:
    """Convert an array-like or a column vector to a 1-d array of unchecked labels."""
    types = set(map(type, y)) if isinstance(y, list | tuple) else set()
    has_arrays = any(issubclass(one, np.ma.MaskedArray) for one in types)
    if np.ma.is_masked(y) or (has_arrays and any(map(np.ma.is_masked, y))):
        raise ValueError(f"Input {name} contains masked values.")
    if any(issubclass(one, str) for one in types):
        return np.fromiter(
            y, object, len(y)
        )  # NumPy would widen all labels to the longest
    # Arrays of other libraries may be out of NumPy's reach.
    is_array = isinstance(y, np.ndarray) or (
        hasattr(y, "__array__") and not hasattr(y, "__dlpack__")
    )
    is_plain = (
        is_array and getattr(y, "ndim", None) == 1 and isinstance(y.dtype, np.dtype)
    )
    if is_plain or (types and types <= {bool, int, float}):
        array = np.asarray(y)
    else:
        array = _converted(as_numpy(y, name), name)
    if array.dtype.kind == "T":  # of StringDType
        return array.astype(object)
    if array.dtype.kind != "f":
        return array
    if (
        any(issubclass(one, int | np.integer) for one in types)
        and (np.abs(array) >= 2**53).any()
    ):
        return np.asarray(y, dtype=object)  # integers that may have been rounded
    if array.itemsize > 8:  # two long doubles could become one class
        raise ValueError(
            f"{name} must hold labels of at most 64 bits, got {array.dtype}"
        )
    return array


def _converted(y: Any, name: str) -> LabelArray:
    """Return a 1-d array; raise with a hint if scikit-learn cannot read it."""
    with input_errors(name):
        if str(getattr(y, "dtype", None)) == "String":
            y = (
                y.to_numpy()
            )  # Python strings; `__array__` of polars makes an array of text
        try:
            array: LabelArray = column_or_1d(y)
        except ValueError as error:
            table = np.zeros(0)
            hint = ""
            with suppress(TypeError, ValueError):  # ragged, or what NumPy cannot read
                table = np.asarray(y)
            if table.ndim == 2 and name in ("groups", "sensitive_features"):
                message = (
                    f"must be one-dimensional, got an array of shape {table.shape}"
                )
                raise ValueError(message) from error
            # As predict_proba returns it.
            if table.ndim == 2 and table.dtype.kind == "f":
                hint = f" ({_NO_SCORES}: take classes_[scores.argmax(axis=1)])"
            elif table.ndim == 2 or isinstance(y, list | tuple):
                hint = (
                    " (one label for each sample is needed: take classes_[y.argmax("
                    "axis=1)] of one-hot rows, and each column alone of several labels)"
                )
            elif hasattr(y, "predict"):
                hint = (
                    " (labels are needed, not a classifier: call its predict, or "
                    "cross_val_predict)"
                )
            elif callable(y):
                hint = " (labels are needed, not a function)"
            elif isinstance(y, Iterable):
                hint = " (pass a list of the labels)"
            raise ValueError(f"{error}{hint}") from error
        exact = getattr(getattr(y, "dtype", None), "numpy_dtype", None)
        if array.dtype.kind == "f" and exact is not None and not np.isnan(array).any():
            # A nullable integer or boolean column; as floats, long integers would
            # merge.
            array = np.asarray(y, dtype=exact)
    return array


def is_integral(y: LabelArray) -> bool:
    """Return whether all labels are finite integers, of whatever numeric dtype."""
    if y.dtype.kind != "f":
        return y.dtype.kind in "biu"
    blocks = (y[start : start + BLOCK] for start in range(0, len(y), BLOCK))
    with np.errstate(invalid="ignore"):
        return all(np.all(block == block.astype(np.int64)) for block in blocks)


def class_labels(values: LabelArray, name: str) -> LabelArray:
    """Return distinct labels as :func:`array_of_labels`; raise if they are not classes.

    Raises
    ------
    ValueError
        If the labels are continuous or of an unknown type.
    TypeError
        If the labels are bytes.
    """
    labels: list[Any] = label_list(values)
    if values.dtype.kind in "biumMU" or _type_of(values) == "string":
        return array_of_labels(labels)
    if any(isinstance(label, bytes) for label in labels):
        raise TypeError(
            f"{name}: Support for labels represented as bytes is not supported. "
            "Convert the labels to a string or integer format."
        )
    if not is_integral(values):
        with input_errors(name), np.errstate(invalid="ignore"):
            target = type_of_target(values, input_name=name)
            hint = f" ({_NO_SCORES})" if target == "continuous" else ""
            odd = [label for label in labels if not _is_class_label(label)]
            if not odd:
                hint = ": convert them, as by y.astype(int)"
            elif values.dtype.kind == "O" and not hint:
                hint = (
                    f" such as {shown(odd[0])}: class labels are strings, integers of "
                    "at most 64 bits, booleans, or arrays of datetime64"
                )
            raise ValueError(
                f"{target} is not supported, got labels of dtype {values.dtype}{hint}"
            )
    return array_of_labels(labels)


def _is_class_label(label: Any) -> bool:
    return (
        -(2**63) <= label < 2**63
        if is_integer(label)
        else isinstance(label, str | bool)
    )


def unique_label_array(labels: ArrayLike, name: str) -> LabelArray:
    """Return a read-only array of the labels, which must be distinct and at least one.

    It is that of :func:`array_of_labels`.
    """
    with input_errors(name):
        if not isinstance(labels, list | tuple) and np.ndim(labels) == 0:
            found = shown(labels)
            raise ValueError(f"must be an array of labels, such as a list, got {found}")
    given = as_label_array(labels, name)
    if given.dtype.kind == "c":
        raise ValueError(
            f"{name}: Complex data not supported {shown(label_list(given))}"
        )
    if not len(given):
        raise ValueError(f"'{name}' should contain at least one label.")
    _check_uniform(given, name)
    array = array_of_labels(label_list(given))
    with input_errors(name):
        n_distinct = len(set(label_list(array)))
    if n_distinct < len(array):
        raise ValueError(
            f"{name} must not contain duplicates, got {shown(label_list(array))}"
        )
    array.flags.writeable = False
    return array


def _check_uniform(
    values: LabelArray, name: str, places: Indices | slice = slice(None)
) -> None:
    """Raise if labels are missing or mix strings and numbers.

    By default each label occurs once; `places` has the position of that of each sample.
    """
    labels = label_list(values)
    if values.dtype.kind in "biuU" or set(map(type, labels)) == {
        str
    }:  # nothing is missing
        return
    with input_errors(name):  # labels may compare by functions of their own
        is_missing = np.array([_is_missing(label) for label in labels], bool)
    _check_present(is_missing[places], name)
    if any(isinstance(label, float) and np.isinf(label) for label in labels):
        raise ValueError(
            f"Input {name} contains infinity or a value too large for dtype('float64')."
        )
    if (
        values.dtype.kind == "O"
        and len({isinstance(label, str) for label in labels}) > 1
    ):
        raise ValueError(
            f"Mix of label input types (string and number) in {name}; Got "
            f"{shown(labels)}."
        )


def _check_present(is_missing: Bools, name: str) -> None:
    """Raise if labels of samples are missing."""
    if is_missing.any():
        raise ValueError(
            f"Input {name} contains NaN: {is_missing.sum()} of {len(is_missing)} "
            f"labels are missing, the first at position {is_missing.argmax()}."
        )


def _is_missing(label: Any) -> bool:
    # The comparison of pandas.NA with itself has no truth value, that of a signaling
    # NaN raises.
    if label is None or type(label).__name__ == "NAType":
        return True
    return label.is_nan() if isinstance(label, Decimal) else bool(label != label)


def array_of_labels(labels: list[Any]) -> LabelArray:
    """Return an array of the labels that NumPy has not altered.

    Its dtype follows from the labels, not from the array that they come from: numbers
    have 64 bits, text is as wide as needed, and what no such array can hold are
    objects.
    """
    # NumPy cuts null characters off the end of text, and makes each label as wide as
    # the longest.
    texts = [label for label in labels if isinstance(label, str)]
    widths = list(map(len, texts))
    is_wide = (
        len(labels) * max(widths, default=0) > _SPARE_WIDTH * sum(widths) + _SMALL_TEXT
    )
    if not (is_wide or any(text.endswith("\0") for text in texts)):
        are_integers = bool(labels) and all(isinstance(label, int) for label in labels)
        is_unsigned = are_integers and min(labels) >= 0 and 2**63 <= max(labels) < 2**64
        with suppress(ValueError):  # of tuples of different lengths
            array = np.asarray(labels, np.uint64 if is_unsigned else None)
            if array.ndim == 1 and label_list(array) == labels:
                return (
                    array + 0 if array.dtype.kind == "f" else array
                )  # -0.0 becomes 0.0
    return np.fromiter(labels, object, len(labels))


def label_list(array: LabelArray) -> list[Hashable]:
    """Return the labels as Python objects, which hash and print as users expect."""
    # `tolist` would turn dates in nanoseconds into integers.
    labels: list[Hashable] = list(array) if array.dtype.kind in "mM" else array.tolist()
    return labels


def label_index(values: Any) -> Any:
    """Return the index of a pandas object, or None (`list.index` is a method)."""
    index = getattr(values, "index", None)
    return None if callable(index) else index


def _type_of(values: LabelArray) -> str:
    """Return what the labels are; a number, if nothing else is known of them."""
    for name, (code, types) in _TYPES.items():
        is_of_types = values.dtype.kind == "O" and all(
            isinstance(one, types) for one in values
        )
        if values.dtype.kind == code or is_of_types:
            return name
    return "number"


def check_same_type(first: LabelArray, second: LabelArray, prefix: str = "") -> None:
    """Raise if there are labels of two types, such as strings and numbers."""
    types = _type_of(first), _type_of(second)
    if types[0] != types[1] and len(first) and len(second):
        raise ValueError(
            f"{prefix}Mix of label input types ({types[0]} and {types[1]}); "
            f"Got {shown(label_list(first))} and {shown(label_list(second))}. "
            "Convert one of them, as by astype."
        )


def positions(labels: LabelArray, classes: LabelArray) -> Indices:
    """Return where each label stands among the classes, -1 for one that does not."""
    index = {label: position for position, label in enumerate(label_list(classes))}
    return np.array([index.get(label, -1) for label in label_list(labels)], np.intp)


def merge_labels(first: LabelArray, second: LabelArray) -> LabelArray:
    """Return the union: as given if both agree, else sorted if possible."""
    check_same_type(first, second)
    if label_list(first) == label_list(second):
        return first
    union: list[Any] = list(dict.fromkeys(label_list(first) + label_list(second)))
    with suppress(TypeError):  # no order between them, such as members of an Enum
        union.sort()
    return array_of_labels(union)


class Column(NamedTuple):
    """Labels of the samples, unchecked."""

    name: str
    """The argument that holds them, for error messages."""
    array: LabelArray
    """The labels in one dimension, or the numbers of categories."""
    kind: Literal["integer", "text", "category", "other"]
    """Integers are finite numbers of any dtype; text is that of NumPy, or strings."""
    categories: tuple[LabelArray, LabelArray] | None = None
    """Sorted numbers of categories, not all of which need occur, and their labels."""

    def at(self, rows: Indices) -> Column:
        """Return the labels of some samples."""
        return self._replace(array=self.array[rows])


class Encoded(NamedTuple):
    """Labels as positions among the sorted distinct ones, computed by blocks."""

    values: LabelArray
    """Distinct labels, sorted, of the dtypes of :func:`array_of_labels`."""
    codes: Callable[[slice], Indices]
    """Returns the position in ``values`` of each label of a block."""


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

    def read(
        self, block: slice = slice(None)
    ) -> tuple[Indices, list[Bools], Floats | None]:
        """Return classes, hits of each classifier and weights of a block."""
        weight = None if self.weight is None else self.weight[block]
        return self.codes(block), [hits(block) for hits in self.hits], weight

    def blocks(self) -> Iterator[tuple[Indices, list[Bools], Floats | None]]:
        """Read all samples, in blocks that have no fewer than there are classes."""
        step = max(BLOCK, len(self.classes))
        for start in range(0, self.n_samples, step):
            yield self.read(slice(start, start + step))

    def design(
        self, classes: LabelArray, weight_type: WeightType
    ) -> SampleDesign | None:
        """Return the rows that design effects need of these classes, if any."""
        if not self.n_samples or (self.groups is None and weight_type != "importance"):
            return None
        codes, hits, weight = self.read()
        return SampleDesign.of_samples(
            positions(self.classes, classes)[codes],
            len(classes),
            None if self.groups is None else self.groups(slice(None)),
            weight,
            hits,
            is_importance=weight_type == "importance",
        ).merged()

    def count(self) -> Floats:
        """Return the errors and the hits of each class, shape (2, n_classes)."""
        size = len(self.classes)
        cells = np.zeros(2 * size)
        for codes, (hits,), weight in self.blocks():
            cells += np.bincount(2 * codes + hits, weight, 2 * size)
        return cells.reshape(size, 2).T


def read_outcomes(
    y_true: ArrayLike,
    predictions: Mapping[str, ArrayLike],
    sample_weight: ArrayLike | None,
    weight_type: WeightType = None,
    groups: ArrayLike | None = None,
    *,
    is_batch: bool = False,
) -> Outcomes:
    """Check true labels, predictions of one or several classifiers, weights and groups.

    `predictions` has the predicted labels by the name of their argument, for error
    messages. A batch may be empty, and all its weights may be 0.

    Raises
    ------
    ValueError, TypeError
        For the reasons listed in :func:`class_counts`.
    """
    check_weight_type(weight_type, has_weights=sample_weight is not None)
    given = {
        "y_true": y_true,
        **predictions,
        **({} if groups is None else {"groups": groups}),
    }
    columns = {name: read_column(y, name) for name, y in given.items()}
    arrays = {name: column.array for name, column in columns.items()}
    weight = None
    if sample_weight is not None:
        arrays["sample_weight"] = weight = nonnegative_array(
            sample_weight, "sample_weight"
        )
    lengths = list(map(len, arrays.values()))
    if len(set(lengths)) > 1:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: {lengths} "
            f"({', '.join(arrays)})"
        )
    n_samples = lengths[0]
    if not n_samples and not is_batch:
        raise ValueError(
            "Found empty input array (e.g., `y_true` or `y_pred`) while a minimum "
            "of 1 sample is required."
        )
    if not n_samples:  # of which there is no block
        return Outcomes(np.zeros(0, int), 0, lambda _: np.zeros(0, np.intp), [], weight)
    if not is_batch and weight is not None and not weight.any():
        raise ValueError(
            "sample_weight: Sample weights must contain at least one non-zero number."
        )
    true = encode(columns["y_true"])
    hits = [_find_hits(columns["y_true"], true, columns[name]) for name in predictions]
    group = None if groups is None else encode(columns["groups"]).codes
    if weight is not None:
        _check_weights(weight, true, weight_type)
    return Outcomes(true.values, n_samples, true.codes, hits, weight, group)


def check_weight_type(weight_type: object, *, has_weights: bool = True) -> None:
    """Raise if `weight_type` is invalid, or there are no weights for it."""
    if weight_type is not None:
        check_choice(weight_type, ("case", "importance"), "weight_type")
    if weight_type == "importance" and not has_weights:
        raise ValueError("weight_type='importance' needs sample_weight, got None")


def _check_weights(weight: Floats, true: Encoded, weight_type: WeightType) -> None:
    """Raise if weights are out of range; warn if they are hardly case counts."""
    with np.errstate(over="ignore"):
        if weight.sum() > LARGEST:
            sums = np.bincount(
                true.codes(slice(None)), weight, minlength=len(true.values)
            )
            if np.any(large := sums > LARGEST):
                place = int(np.argmax(large))
                raise ValueError(
                    f"sample_weight must add up to at most {LARGEST:g} for each class, "
                    f"got {sums[place]:g} for {shown(label_list(true.values)[place])}"
                )
    if weight_type is None:
        warn_of_fractions(weight)
    if weight_type == "importance" and 0 < weight.max() < _LEAST_WEIGHT:
        raise ValueError(
            "sample_weight must have an importance weight of at least "
            f"{_LEAST_WEIGHT:g}, got at most {weight.max():g}"
        )
    if weight_type == "importance" and weight.any():
        warn_of_few_weights(weight, true.codes(slice(None)), label_list(true.values))


def _find_hits(
    first: Column, true: Encoded, second: Column
) -> Callable[[slice], Bools]:
    """Return a function that finds the correct predictions of a block."""
    if first.kind == second.kind != "category":
        # NumPy compares text, and integers unless one of two types is rounded to the
        # other.
        is_exact = (first.array.dtype.kind == "f") == (second.array.dtype.kind == "f")
        if first.kind == "text" or (first.kind == "integer" and is_exact):
            return lambda block: first.array[block] == second.array[block]
    pred = encode(second)
    check_same_type(true.values, pred.values, f"y_true and {second.name}: ")
    recoded = positions(pred.values, true.values)
    return lambda block: true.codes(block) == recoded[pred.codes(block)]


def read_column(y: Any, name: str) -> Column:
    """Convert an array-like to a column of unchecked labels or category codes.

    Raises
    ------
    ValueError, TypeError
        As :func:`as_label_array` raises them, or if a category is missing.
    """
    if type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "biu":
        return Column(name, y, "integer")
    dtype = type(getattr(y, "dtype", None)).__name__
    if dtype == "CategoricalDtype" and len(y):  # of pandas
        column = getattr(y, "cat", y)
        numbers = np.asarray(column.codes)
        _check_present(numbers < 0, name)
        labels = as_label_array(column.categories, name)
        return Column(name, numbers, "category", (np.arange(len(labels)), labels))
    if (
        dtype in ("Categorical", "Enum") and hasattr(y, "to_physical") and len(y)
    ):  # of polars
        _check_present(y.is_null().to_numpy(), name)
        # The numbers of categories may be shared with other columns, and have gaps.
        found = y.unique()
        numbers = found.to_physical().to_numpy()
        labels = as_label_array(found, name)
        order = np.argsort(numbers)
        categories = numbers[order], labels[order]
        return Column(name, y.to_physical().to_numpy(), "category", categories)
    array = as_label_array(y, name)
    if is_integral(array):
        return Column(name, array, "integer")
    is_text = array.dtype.kind == "U" or (
        array.dtype.kind == "O" and set(map(type, array)) == {str}
    )
    return Column(name, array, "text" if is_text else "other")


def encode(column: Column) -> Encoded:
    """Encode labels by the sorted distinct ones; raise if they are no class labels.

    Integers and categories are encoded anew for each block, and need no memory that
    grows with their number.

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
        places: Indices | slice = slice(None)  # none is missing
    else:
        places = np.empty(len(y), np.intp)
        index: defaultdict[Hashable, int] = defaultdict()
        index.default_factory = index.__len__  # a new label has the next number
        # Other labels than text may have hashes of their own, which may fail.
        with nullcontext() if column.kind == "text" else input_errors(column.name):
            for start in range(0, len(y), BLOCK):
                block = label_list(y[start : start + BLOCK])
                places[start : start + BLOCK] = np.fromiter(
                    map(index.__getitem__, block), np.intp, len(block)
                )
        found = np.fromiter(index, y.dtype, len(index))
        codes = places.__getitem__
    _check_uniform(found, column.name, places)
    distinct = class_labels(found, column.name)
    order = np.argsort(distinct)
    rank = np.argsort(order)
    return Encoded(distinct[order], lambda block: rank[codes(block)])


def encode_integral(y: LabelArray) -> Encoded:
    """Encode integers of any numeric dtype by the sorted distinct ones."""
    low = y.min()
    high = y.max()
    n_values = int(high) - int(low) + 1
    if n_values > max(_SMALL_RANGE, min(_LARGE_RANGE, 2 * len(y))):
        values = y[:0]
        start = 0
        while start < len(y):  # with memory for little more than the distinct numbers
            stop = start + max(BLOCK, 2 * len(values))
            # Not by np.unique, which hashes: a million integers took a hundred times as
            # long.
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
    return Encoded(
        values, lambda block: rank[y[block].astype(np.int64, copy=False) - origin]
    )


def warn_of_strays(
    y_true: ArrayLike,
    predictions: Mapping[str, ArrayLike],
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> None:
    """Warn of predictions that are no class of the truth, such as "Yes" for "yes".

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    predictions : mapping of str to array-like of shape (n_samples,)
        Predicted labels by the name of the argument that holds them.
    classes : array-like of shape (n_classes,), default=None
        The classes, by default those of `y_true`. Samples of others do not count.
    sample_weight : array-like of shape (n_samples,), default=None
        Samples of weight 0 do not count.
    """
    every = slice(None)
    true = read_column(y_true, "y_true")
    given = encode(true).values if classes is None else np.asarray(classes)
    for name, y_pred in predictions.items():
        pred = read_column(y_pred, name)
        rows = _stray_rows(true, pred, given)
        if sample_weight is not None:
            rows = rows[nonnegative_array(sample_weight, "sample_weight")[rows] > 0]
        # Of a single class, all errors are predictions of others.
        if not rows.size or len(given) == 1 < len(pred.array) - rows.size:
            continue

        known = encode(true.at(rows))
        is_class = positions(known.values, given)[known.codes(every)] >= 0
        found = encode(pred.at(rows))
        n = np.bincount(found.codes(every)[is_class], minlength=len(found.values))
        # Classes of the truth that were left out are no surprise.
        n *= positions(found.values, encode(true).values) < 0
        if n.any():
            order = np.argsort(-n)[: np.count_nonzero(n)]
            strays = label_list(found.values[order])
            warnings.warn(
                f"{name}: {describe_strays(strays, n.sum(), label_list(given))}",
                UserWarning,
                stacklevel=user_stacklevel(),
            )


def _stray_rows(true: Column, pred: Column, classes: LabelArray) -> Indices:
    """Return the samples whose prediction is none of the classes."""
    rows: Indices | None = None
    if true.kind == pred.kind == "text":
        # Most predictions are right, and need not be encoded.
        rows = np.flatnonzero(true.array != pred.array)
        pred = pred.at(rows)
    if not len(pred.array):
        return np.zeros(0, np.intp)

    values, codes = encode(pred)
    is_stray = positions(values, classes) < 0
    found = [np.zeros(0, np.intp)]
    for start in range(0, len(pred.array) if is_stray.any() else 0, BLOCK):
        block = is_stray[codes(slice(start, start + BLOCK))]
        found.append(start + np.flatnonzero(block))
    places = np.concatenate(found)
    return places if rows is None else rows[places]


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
            f'{name} must be a mapping {{"name": y_pred, ...}}, or a DataFrame with a '
            f"column for each classifier, got {type(predictions).__name__}"
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


def by_argument(predictions: Predictions, names: Iterable[str]) -> dict[str, ArrayLike]:
    """Return the predictions of these classifiers by what messages call them."""
    return {f"predictions[{name!r}]": predictions[name] for name in names}


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
        weight is negative, infinite or NaN, or if those of a class add up to too much;
        if the lengths differ.
    TypeError
        If the labels are bytes or a sparse matrix.
    """
    outcomes = read_outcomes(y_true, {}, sample_weight, weight_type)
    classes: list[Any] = label_list(outcomes.classes)
    if len(classes) > 2:
        raise ValueError(
            f"multiclass format is not supported: y_true has {len(classes)} classes"
        )
    if len(classes) < 2:
        raise ValueError(f"y_true must have samples of two classes, got only {classes}")
    positive = classes.index(positive_label(classes, pos_label))
    is_positive = np.asarray(outcomes.codes(slice(None)) == positive)
    scores = float_array(y_score, "y_score")
    if scores.ndim != 1:
        raise ValueError(
            "y_score must be 1-dimensional, the scores of the positive class, got an "
            f"array of shape {scores.shape}"
        )
    if (bad := ~np.isfinite(scores)).any():
        raise ValueError(f"y_score must be finite, got {first(scores, bad)}")
    if (bad := np.abs(scores) > _LARGEST_SCORE).any():
        raise ValueError(
            f"y_score must be between -{_LARGEST_SCORE:g} and {_LARGEST_SCORE:g}, "
            f"got {first(scores, bad)}"
        )
    with input_errors("y_true and y_score"):
        check_consistent_length(is_positive, scores)
    weight = np.ones(len(scores)) if outcomes.weight is None else outcomes.weight
    return BinaryScores((classes[0], classes[1]), positive, is_positive, scores, weight)


def warn_of_labels(scores: Floats, name: str) -> None:
    """Warn if the scores of one of two classes look like predicted labels."""
    low = scores.min()
    high = scores.max()
    if high == 1 and low in (-1, 0) and np.all((scores == low) | (scores == high)):
        warnings.warn(
            f"{name} has only two values, like predicted labels: pass scores, such as "
            "predict_proba(X)[:, 1] or decision_function(X)",
            UserWarning,
            stacklevel=user_stacklevel(),
        )


def positive_label(classes: list[Any], pos_label: Any) -> Any:
    """Return the label of the positive class, with scikit-learn's default."""
    if pos_label is None:
        if set(classes) not in ({0, 1}, {-1, 1}):
            raise ValueError(
                f"y_true takes value in {classes} and pos_label is not specified: "
                "either make y_true take value in {0, 1} or {-1, 1} or pass pos_label "
                "explicitly."
            )
        return 1
    with suppress(TypeError):  # of what cannot be hashed, such as an array
        if pos_label in set(classes):
            return pos_label
    raise ValueError(
        f"pos_label={shown(pos_label)} is not a valid label: It should be one of "
        f"{classes}"
    )
