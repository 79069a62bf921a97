"""Class labels of any kind: checked, and encoded as small integers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from datetime import date, timedelta
from decimal import Decimal
from reprlib import repr as short_repr
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import column_or_1d

from skpostbac._utils import Indices, LabelArray, as_numpy, input_errors

# Integers of a range up to the first are looked up in a table, whatever the number of samples,
# and those of a range up to the second if there are not much fewer samples.
SMALL_RANGE, LARGE_RANGE = 2**10, 2**20
# Samples that are read together: what is computed of them stays in the cache.
BLOCK = 2**16
# Characters of an array of text that are no concern: as many times those of the labels, and more.
SPARE_WIDTH, SMALL_TEXT = 8, 10**6
# What labels are, by the dtype of their array and, in one of objects, by their type.
KIND_OF_DTYPE = {"U": "string", "M": "date", "m": "duration"}
KIND_OF_OBJECTS: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "date": (np.datetime64, date),
    "duration": (np.timedelta64, timedelta),
}
# What is added to scikit-learn's reason where y_pred may be what predict_proba returned.
NO_SCORES = "class labels are needed, not probabilities or scores"


class EncodedLabels(NamedTuple):
    """Labels as positions in an array of the distinct ones, computed for a block at a time."""

    values: LabelArray
    """Distinct labels, in no particular order."""
    codes: Callable[[slice], Indices]
    """Returns the position in ``values`` of each label of a block."""
    n_samples: int


class SortedLabels(NamedTuple):
    """Labels as positions in an array of the sorted distinct ones, as :class:`EncodedLabels`."""

    values: LabelArray
    """Distinct labels, sorted."""
    codes: Callable[[slice], Indices]
    """Returns the position in ``values`` of each label of a block."""


def naming(name: str) -> AbstractContextManager[None]:
    """Put the name of the argument before the message of an error, in one line."""
    return input_errors(name)


def as_label_array(y: ArrayLike, name: str) -> LabelArray:
    """Convert an array-like or a column vector to a 1-d array; the labels are not checked."""
    if np.ma.is_masked(y) or (isinstance(y, list | tuple) and _has_masked(y)):
        raise ValueError(f"Input {name} contains masked values.")
    y = as_numpy(y, name)
    if _is_plain(y):
        array = np.asarray(y)
    else:
        with naming(name):
            array = _convert(y)
    if array.dtype.kind == "T":  # of StringDType
        return array.astype(object)
    is_long = array.dtype.kind == "f" and array.itemsize > 8
    return _shorten(array, name) if is_long else array


def _shorten(array: LabelArray, name: str) -> LabelArray:
    """Return long doubles as numbers of 64 bits, which must be as exact."""
    if is_integral(array):
        return array.astype(np.int64)
    with np.errstate(over="ignore"):
        floats = array.astype(np.float64)
    is_exact = (floats == array) | np.isnan(array)
    if not is_exact.all():
        found = array[~is_exact][0]
        raise ValueError(f"{name} must hold labels of at most 64 bits, got {found!r}")
    return floats


def _has_masked(labels: Any) -> bool:
    """Tell whether one of the labels is masked, which NumPy would read as NaN."""
    kinds = set(map(type, labels))  # as a rule, this is all that needs to be seen
    has_arrays = any(issubclass(kind, np.ma.MaskedArray) for kind in kinds)
    return has_arrays and any(map(np.ma.is_masked, labels))


def _is_plain(y: Any) -> bool:
    """Tell whether `y` is in one dimension, and of a dtype that NumPy takes as it is."""
    return (
        hasattr(y, "__array__")
        and getattr(y, "ndim", None) == 1
        and isinstance(getattr(y, "dtype", None), np.dtype)
    )


def _convert(y: Any) -> LabelArray:
    if isinstance(y, list | tuple) and _needs_objects(y):
        return _object_array(y)
    if str(getattr(y, "dtype", None)) == "String":
        y = y.to_numpy()  # Python strings; `__array__` of polars makes an array of text
    array = _as_column(y)
    if isinstance(y, list | tuple) and _is_altered(y, array):
        array = column_or_1d(np.asarray(y, dtype=object))
    exact = getattr(getattr(y, "dtype", None), "numpy_dtype", None)
    if array.dtype.kind == "f" and exact is not None and not np.isnan(array).any():
        # A nullable integer or boolean column; as floats, long integers would merge.
        array = np.asarray(y, dtype=exact)
    return array


def _needs_objects(labels: Sequence[Any]) -> bool:
    """Tell whether some labels are text that an array of text cannot hold, or not in reason.

    It cuts null characters off the end, and makes each label as wide as the longest.
    """
    texts = [label for label in labels if isinstance(label, str)]
    widths = list(map(len, texts))
    is_wide = len(labels) * max(widths, default=0) > SPARE_WIDTH * sum(widths) + SMALL_TEXT
    return is_wide or any(text.endswith("\0") for text in texts)


def _object_array(labels: Sequence[Any]) -> LabelArray:
    return np.fromiter(labels, object, len(labels))


def _as_column(y: Any) -> LabelArray:
    try:
        column: LabelArray = column_or_1d(y)
    except ValueError as error:
        if _holds_scores(y):
            hint = f"{NO_SCORES}: take classes_[scores.argmax(axis=1)]"
            raise ValueError(f"{error} ({hint})") from error
        raise
    return column


def _holds_scores(y: Any) -> bool:
    """Tell whether `y` is a table of real numbers, as `predict_proba` returns it."""
    with suppress(TypeError, ValueError):  # ragged, or what NumPy cannot read
        table = np.asarray(y)
        return table.ndim == 2 and table.dtype.kind == "f"
    return False


def _is_altered(labels: Any, array: LabelArray) -> bool:
    """Tell whether NumPy has written numbers, or NaN, as text, or may have rounded integers."""
    if array.dtype.kind == "U":
        return not _all_strings(labels)
    is_long = array.dtype.kind == "f" and bool(np.any(np.abs(array) >= 2**53))
    return is_long and any(issubclass(kind, int | np.integer) for kind in map(type, labels))


def unique_label_array(labels: ArrayLike, name: str) -> LabelArray:
    """Return a read-only array of the labels, which must be distinct and at least one.

    It is that of :func:`array_of_labels`.
    """
    with naming(name):
        if not isinstance(labels, list | tuple) and np.ndim(labels) == 0:
            found = short_repr(labels)
            raise ValueError(f"must be an array of labels, such as a list, got {found}")
    given = as_label_array(labels, name)
    if given.dtype.kind == "c":
        raise ValueError(f"{name}: Complex data not supported {_show(given)}")
    if not len(given):
        raise ValueError(f"'{name}' should contain at least one label.")
    _check_uniform(given, name)
    array = array_of_labels(label_list(given))
    with naming(name):
        n_distinct = len(set(label_list(array)))
    if n_distinct < len(array):
        raise ValueError(f"{name} must not contain duplicates, got {_show(array)}")
    array.flags.writeable = False
    return array


def label_index(values: Any) -> Any:
    """Return the index of a pandas object, or None (`list.index` is a method)."""
    index = getattr(values, "index", None)
    return None if callable(index) else index


def encode_labels(y: LabelArray, name: str) -> EncodedLabels:
    """Encode a 1-d array of labels; refuse what is no class label.

    Raises
    ------
    ValueError
        If a label is missing, if strings and numbers are mixed, or if the labels are
        continuous or of an unknown kind.
    TypeError
        If the labels are bytes or not hashable.
    """
    codes = np.empty(len(y), np.intp)
    index: defaultdict[Hashable, int] = defaultdict()
    index.default_factory = index.__len__  # a new label has the next number
    with naming(name):
        for block in blocks(len(y)):
            labels = label_list(y[block])
            codes[block] = np.fromiter(map(index.__getitem__, labels), np.intp, len(labels))
    values = np.fromiter(index, y.dtype, len(index))
    check_labels(values, name)
    return EncodedLabels(values, codes.__getitem__, len(codes))


def encode_sorted(y: LabelArray | EncodedLabels, name: str) -> SortedLabels:
    """Encode labels by the sorted distinct ones; refuse what :func:`encode_labels` refuses.

    Integers and categories are encoded anew for each block, and need no memory that grows with
    their number.
    """
    if isinstance(y, np.ndarray) and is_integral(y):
        return encode_integral(y)
    labels = encode_labels(y, name) if isinstance(y, np.ndarray) else y
    order = np.argsort(labels.values)
    rank = np.argsort(order)
    return SortedLabels(labels.values[order], lambda block: rank[labels.codes(block)])


def is_integral(y: LabelArray) -> bool:
    """Tell whether all labels are finite integers, of whatever numeric dtype."""
    if y.dtype.kind == "f":
        with np.errstate(invalid="ignore"):
            return all(np.all(y[block] == y[block].astype(np.int64)) for block in blocks(len(y)))
    return y.dtype.kind in "biu"


def encode_integral(y: LabelArray) -> SortedLabels:
    """Encode a 1-d array of integers, of whatever numeric dtype, by the sorted distinct ones."""
    low, high = y.min(), y.max()
    n_values = int(high) - int(low) + 1
    if n_values > max(SMALL_RANGE, min(LARGE_RANGE, 2 * len(y))):
        values = _distinct(y)
        return SortedLabels(values, lambda block: np.searchsorted(values, y[block]))
    occurs = np.zeros(n_values, bool)
    for block in blocks(len(y)):
        occurs[_subtract(y[block], low)] = True
    values = np.flatnonzero(occurs).astype(y.dtype) + low
    rank = np.cumsum(occurs) - 1
    return SortedLabels(values, lambda block: rank[_subtract(y[block], low)])


def blocks(n_samples: int, n_classes: int = 0) -> Iterator[slice]:
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


def check_labels(values: LabelArray, name: str) -> None:
    """Refuse distinct labels that are no classes, as :func:`encode_labels` does."""
    _check_uniform(values, name)
    _check_discrete(values, name)


def _check_uniform(values: LabelArray, name: str) -> None:
    """Refuse labels of which some are missing, or some are strings and others numbers."""
    if values.dtype.kind in "biuU":  # in which nothing is missing
        return
    labels = label_list(values)
    with naming(name):  # labels may compare by functions of their own
        is_missing = any(map(_is_missing, labels))
    if is_missing:
        raise ValueError(f"Input {name} contains NaN.")
    if values.dtype.kind == "O" and len({isinstance(label, str) for label in labels}) > 1:
        raise ValueError(
            f"Mix of label input types (string and number) in {name}; Got {_show(values)}."
        )


def _check_discrete(values: LabelArray, name: str) -> None:
    """Refuse labels that scikit-learn does not take for classes."""
    if any(isinstance(label, bytes) for label in label_list(values)):
        raise TypeError(
            f"{name}: Support for labels represented as bytes is not supported. "
            "Convert the labels to a string or integer format."
        )
    if not (is_integral(values) or _holds_strings(values) or values.dtype.kind in "mM"):
        with naming(name), np.errstate(invalid="ignore"):
            kind = type_of_target(values, input_name=name)
            hint = f" ({NO_SCORES})" if kind == "continuous" else _odd_label(values)
            raise ValueError(f"{kind} is not supported, got labels of dtype {values.dtype}{hint}")


def _odd_label(values: LabelArray) -> str:
    """Write, of labels that are objects, the first that is none, and what would be one."""
    odd = [label for label in label_list(values) if not _is_plain_label(label)]
    if values.dtype.kind != "O" or not odd:
        return ""
    return (
        f" such as {short_repr(odd[0])}: class labels are strings, integers of at most 64 bits, "
        "booleans, or arrays of datetime64"
    )


def _is_plain_label(label: object) -> bool:
    """Tell whether a label is what arrays of labels hold; an integer also if it is in range."""
    if isinstance(label, int | np.integer):
        return -(2**63) <= int(label) < 2**63
    return isinstance(label, str)


def check_same_kind(first: LabelArray, second: LabelArray) -> None:
    """Refuse labels of two kinds, such as strings in one array and numbers in the other."""
    kinds = _kind(first), _kind(second)
    if kinds[0] != kinds[1]:
        raise ValueError(
            f"Mix of label input types ({kinds[0]} and {kinds[1]}); "
            f"Got {_show(first)} and {_show(second)}."
        )


def check_batch_kind(known: LabelArray, labels: LabelArray) -> None:
    """Refuse the labels of a batch that are of another kind than those that were counted."""
    if len(known) and len(labels):
        with naming("y_true must have labels of the kind that was counted before"):
            check_same_kind(known, labels)


def _kind(values: LabelArray) -> str:
    """Return what the labels are; a number, if nothing else is known of them."""
    if values.dtype.kind in KIND_OF_DTYPE:
        return KIND_OF_DTYPE[values.dtype.kind]
    if values.dtype.kind == "O":
        for kind, types in KIND_OF_OBJECTS.items():
            if all(isinstance(label, types) for label in values):
                return kind
    return "number"


def label_list(array: LabelArray) -> list[Hashable]:
    """Return the labels as Python objects, which hash and print as users expect."""
    # `tolist` would turn dates in nanoseconds into integers.
    labels: list[Hashable] = list(array) if array.dtype.kind in "mM" else array.tolist()
    return labels


def _show(labels: LabelArray) -> str:
    """Write labels in one short line."""
    return short_repr(label_list(labels))


def merge_labels(first: LabelArray, second: LabelArray) -> LabelArray:
    """Return the union: as it is if both agree, else sorted, else by first appearance."""
    check_same_kind(first, second)
    if label_list(first) == label_list(second):
        return first
    union: list[Any] = list(dict.fromkeys(label_list(first) + label_list(second)))
    with suppress(TypeError):  # no order between them, such as members of an Enum
        union.sort()
    return array_of_labels(union)


def array_of_labels(labels: list[Any]) -> LabelArray:
    """Return an array of the labels that NumPy has not altered.

    Its dtype follows from the labels, not from the array that they come from: numbers have 64
    bits, text is as wide as needed, and what no such array can hold are objects.
    """
    if not _needs_objects(labels):
        with suppress(ValueError):  # of tuples of different lengths
            array = np.asarray(labels, np.uint64 if _are_unsigned(labels) else None)
            if array.ndim == 1 and label_list(array) == labels:
                return array + 0 if array.dtype.kind == "f" else array  # -0.0 becomes 0.0
    return _object_array(labels)


def _are_unsigned(labels: list[Any]) -> bool:
    """Tell whether integers need the type that NumPy does not choose if some of them are small."""
    if not all(isinstance(label, int) for label in labels):
        return False
    return min(labels, default=0) >= 0 and 2**63 <= max(labels, default=0) < 2**64


def _all_strings(labels: Any) -> bool:
    return all(isinstance(label, str) for label in labels)


def _holds_strings(values: LabelArray) -> bool:
    return _kind(values) == "string"


def _is_missing(label: Any) -> bool:
    # The comparison of pandas.NA with itself has no truth value, that of a signaling NaN raises.
    if label is None or type(label).__name__ == "NAType":
        return True
    return label.is_nan() if isinstance(label, Decimal) else bool(label != label)
