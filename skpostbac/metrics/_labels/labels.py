"""Arrays of class labels: read from any container, checked, compared and merged.

scikit-learn's `column_or_1d` reads what NumPy can: lists, column vectors, columns of data frames.
It is not asked where NumPy would read other labels than were given (masked ones as NaN, numbers
beside text as text, long integers as floats, text cut at its last null character).
"""

from __future__ import annotations

from collections.abc import Hashable
from contextlib import suppress
from datetime import date, timedelta
from decimal import Decimal
from reprlib import repr as short_repr
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import column_or_1d

from skpostbac._utils import Indices, LabelArray, as_numpy, input_errors, is_integer, shown

# Samples that are read together: what is computed of them stays in the cache.
BLOCK = 2**16
# An array of text may be so many times as wide as its labels, and have so many characters more.
_SPARE_WIDTH, _SMALL_TEXT = 8, 10**6
# What labels are, by the dtype of their array and, in one of objects, by their type.
_KINDS: dict[str, tuple[str, type | tuple[type, ...]]] = {
    "string": ("U", str),
    "date": ("M", (np.datetime64, date)),
    "duration": ("m", (np.timedelta64, timedelta)),
}
_NO_SCORES = "class labels are needed, not probabilities or scores"


def as_label_array(y: Any, name: str) -> LabelArray:
    """Convert an array-like or a column vector to a 1-d array; the labels are not checked."""
    kinds = set(map(type, y)) if isinstance(y, list | tuple) else set()
    has_arrays = any(issubclass(kind, np.ma.MaskedArray) for kind in kinds)
    if np.ma.is_masked(y) or (has_arrays and any(map(np.ma.is_masked, y))):
        raise ValueError(f"Input {name} contains masked values.")
    if any(issubclass(kind, str) for kind in kinds):
        return np.fromiter(y, object, len(y))  # NumPy would widen all labels to the longest
    # Arrays of other libraries may be out of NumPy's reach.
    is_array = isinstance(y, np.ndarray) or (
        hasattr(y, "__array__") and not hasattr(y, "__dlpack__")
    )
    is_plain = is_array and getattr(y, "ndim", None) == 1 and isinstance(y.dtype, np.dtype)
    if is_plain or (kinds and kinds <= {bool, int, float}):
        array = np.asarray(y)
    else:
        array = _converted(as_numpy(y, name), name)
    if array.dtype.kind == "T":  # of StringDType
        return array.astype(object)
    if array.dtype.kind != "f":
        return array
    if any(issubclass(kind, int | np.integer) for kind in kinds) and (np.abs(array) >= 2**53).any():
        return np.asarray(y, dtype=object)  # integers that may have been rounded
    if array.itemsize <= 8:
        return array
    # Long doubles become numbers of 64 bits, which must be as exact.
    if is_integral(array):
        return array.astype(np.int64)
    with np.errstate(over="ignore"):
        floats = array.astype(np.float64)
    is_exact = (floats == array) | np.isnan(array)
    if not is_exact.all():
        found = array[~is_exact][0]
        raise ValueError(f"{name} must hold labels of at most 64 bits, got {found!r}")
    return floats


def _converted(y: Any, name: str) -> LabelArray:
    """Return an array of one dimension; say what to do about what scikit-learn refuses."""
    with input_errors(name):
        if str(getattr(y, "dtype", None)) == "String":
            y = y.to_numpy()  # Python strings; `__array__` of polars makes an array of text
        try:
            array: LabelArray = column_or_1d(y)
        except ValueError as error:
            table, hint = np.zeros(0), ""
            with suppress(TypeError, ValueError):  # ragged, or what NumPy cannot read
                table = np.asarray(y)
            if table.ndim == 2 and name in ("groups", "sensitive_features"):
                message = f"must be one-dimensional, got an array of shape {table.shape}"
                raise ValueError(message) from error
            if table.ndim == 2 and table.dtype.kind == "f":  # as predict_proba returns it
                hint = f" ({_NO_SCORES}: take classes_[scores.argmax(axis=1)])"
            elif hasattr(y, "predict"):
                hint = (
                    " (labels are needed, not a classifier: call its predict, or cross_val_predict)"
                )
            raise ValueError(f"{error}{hint}") from error
        exact = getattr(getattr(y, "dtype", None), "numpy_dtype", None)
        if array.dtype.kind == "f" and exact is not None and not np.isnan(array).any():
            # A nullable integer or boolean column; as floats, long integers would merge.
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
        If a label is missing, if strings and numbers are mixed, or if the labels are
        continuous or of an unknown kind.
    TypeError
        If the labels are bytes.
    """
    _check_uniform(values, name)
    labels: list[Any] = label_list(values)
    if values.dtype.kind in "biumMU" or _kind(values) == "string":
        return array_of_labels(labels)
    if any(isinstance(label, bytes) for label in labels):
        raise TypeError(
            f"{name}: Support for labels represented as bytes is not supported. "
            "Convert the labels to a string or integer format."
        )
    if not is_integral(values):
        with input_errors(name), np.errstate(invalid="ignore"):
            kind = type_of_target(values, input_name=name)
            hint = f" ({_NO_SCORES})" if kind == "continuous" else ""
            for label in labels if values.dtype.kind == "O" and not hint else ():
                is_known = isinstance(label, str | bool)
                if not (-(2**63) <= label < 2**63 if is_integer(label) else is_known):
                    hint = (
                        f" such as {short_repr(label)}: class labels are strings, integers of at "
                        "most 64 bits, booleans, or arrays of datetime64"
                    )
                    break
            raise ValueError(f"{kind} is not supported, got labels of dtype {values.dtype}{hint}")
    return array_of_labels(labels)


def unique_label_array(labels: ArrayLike, name: str) -> LabelArray:
    """Return a read-only array of the labels, which must be distinct and at least one.

    It is that of :func:`array_of_labels`.
    """
    with input_errors(name):
        if not isinstance(labels, list | tuple) and np.ndim(labels) == 0:
            found = short_repr(labels)
            raise ValueError(f"must be an array of labels, such as a list, got {found}")
    given = as_label_array(labels, name)
    if given.dtype.kind == "c":
        raise ValueError(f"{name}: Complex data not supported {shown(label_list(given))}")
    if not len(given):
        raise ValueError(f"'{name}' should contain at least one label.")
    _check_uniform(given, name)
    array = array_of_labels(label_list(given))
    with input_errors(name):
        n_distinct = len(set(label_list(array)))
    if n_distinct < len(array):
        raise ValueError(f"{name} must not contain duplicates, got {shown(label_list(array))}")
    array.flags.writeable = False
    return array


def _check_uniform(values: LabelArray, name: str) -> None:
    """Raise if labels are missing or mix strings and numbers."""
    labels = label_list(values)
    if values.dtype.kind in "biuU" or set(map(type, labels)) == {str}:  # nothing is missing
        return
    with input_errors(name):  # labels may compare by functions of their own
        is_missing = any(map(_is_missing, labels))
    if is_missing:
        raise ValueError(f"Input {name} contains NaN.")
    if values.dtype.kind == "O" and len({isinstance(label, str) for label in labels}) > 1:
        raise ValueError(
            f"Mix of label input types (string and number) in {name}; Got {shown(labels)}."
        )


def _is_missing(label: Any) -> bool:
    # The comparison of pandas.NA with itself has no truth value, that of a signaling NaN raises.
    if label is None or type(label).__name__ == "NAType":
        return True
    return label.is_nan() if isinstance(label, Decimal) else bool(label != label)


def array_of_labels(labels: list[Any]) -> LabelArray:
    """Return an array of the labels that NumPy has not altered.

    Its dtype follows from the labels, not from the array that they come from: numbers have 64
    bits, text is as wide as needed, and what no such array can hold are objects.
    """
    # NumPy cuts null characters off the end of text, and makes each label as wide as the longest.
    texts = [label for label in labels if isinstance(label, str)]
    widths = list(map(len, texts))
    is_wide = len(labels) * max(widths, default=0) > _SPARE_WIDTH * sum(widths) + _SMALL_TEXT
    if not (is_wide or any(text.endswith("\0") for text in texts)):
        are_integers = bool(labels) and all(isinstance(label, int) for label in labels)
        is_unsigned = are_integers and min(labels) >= 0 and 2**63 <= max(labels) < 2**64
        with suppress(ValueError):  # of tuples of different lengths
            array = np.asarray(labels, np.uint64 if is_unsigned else None)
            if array.ndim == 1 and label_list(array) == labels:
                return array + 0 if array.dtype.kind == "f" else array  # -0.0 becomes 0.0
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


def _kind(values: LabelArray) -> str:
    """Return what the labels are; a number, if nothing else is known of them."""
    for kind, (code, types) in _KINDS.items():
        is_of_types = values.dtype.kind == "O" and all(isinstance(one, types) for one in values)
        if values.dtype.kind == code or is_of_types:
            return kind
    return "number"


def check_same_kind(first: LabelArray, second: LabelArray, prefix: str = "") -> None:
    """Raise if there are labels of two types, such as strings and numbers."""
    kinds = _kind(first), _kind(second)
    if kinds[0] != kinds[1] and len(first) and len(second):
        raise ValueError(
            f"{prefix}Mix of label input types ({kinds[0]} and {kinds[1]}); "
            f"Got {shown(label_list(first))} and {shown(label_list(second))}."
        )


def positions(labels: LabelArray, classes: LabelArray) -> Indices:
    """Return where each label stands among the classes, -1 for one that does not."""
    index = {label: position for position, label in enumerate(label_list(classes))}
    return np.array([index.get(label, -1) for label in label_list(labels)], np.intp)


def merge_labels(first: LabelArray, second: LabelArray) -> LabelArray:
    """Return the union: as it is if both agree, else sorted, else by first appearance."""
    check_same_kind(first, second)
    if label_list(first) == label_list(second):
        return first
    union: list[Any] = list(dict.fromkeys(label_list(first) + label_list(second)))
    with suppress(TypeError):  # no order between them, such as members of an Enum
        union.sort()
    return array_of_labels(union)
