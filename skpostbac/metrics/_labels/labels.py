"""Arrays of distinct class labels of any kind: checked, compared and merged."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from contextlib import AbstractContextManager, suppress
from datetime import date, timedelta
from decimal import Decimal
from reprlib import repr as short_repr
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.multiclass import type_of_target

from skpostbac._utils import Indices, LabelArray, input_errors
from skpostbac.metrics._labels.reading import NO_SCORES, as_label_array, is_integral

# Characters of an array of text that are no concern: as many times those of the labels, and more.
SPARE_WIDTH, SMALL_TEXT = 8, 10**6
# What labels are, by the dtype of their array and, in one of objects, by their type.
KIND_OF_DTYPE = {"U": "string", "M": "date", "m": "duration"}
KIND_OF_OBJECTS: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "date": (np.datetime64, date),
    "duration": (np.timedelta64, timedelta),
}


def naming(name: str) -> AbstractContextManager[None]:
    """Put the name of the argument before the message of an error, in one line."""
    return input_errors(name)


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
    _check_discrete(values, name)
    return array_of_labels(label_list(values))


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


def _check_uniform(values: LabelArray, name: str) -> None:
    """Raise if labels are missing or mix strings and numbers."""
    labels = label_list(values)
    if values.dtype.kind in "biuU" or set(map(type, labels)) == {str}:  # nothing is missing
        return
    with naming(name):  # labels may compare by functions of their own
        is_missing = any(map(_is_missing, labels))
    if is_missing:
        raise ValueError(f"Input {name} contains NaN.")
    if values.dtype.kind == "O" and len({isinstance(label, str) for label in labels}) > 1:
        raise ValueError(
            f"Mix of label input types (string and number) in {name}; Got {_show(values)}."
        )


def _check_discrete(values: LabelArray, name: str) -> None:
    """Raise if scikit-learn does not accept the labels as classes."""
    if values.dtype.kind in "biumMU" or _kind(values) == "string":
        return
    if any(isinstance(label, bytes) for label in label_list(values)):
        raise TypeError(
            f"{name}: Support for labels represented as bytes is not supported. "
            "Convert the labels to a string or integer format."
        )
    if not is_integral(values):
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
    """Return whether a label is what arrays of labels hold; an integer also if it is in range."""
    if isinstance(label, int | np.integer):
        return -(2**63) <= int(label) < 2**63
    return isinstance(label, str)


def check_same_kind(first: LabelArray, second: LabelArray) -> None:
    """Raise if the labels have two types, such as strings and numbers."""
    kinds = _kind(first), _kind(second)
    if kinds[0] != kinds[1]:
        raise ValueError(
            f"Mix of label input types ({kinds[0]} and {kinds[1]}); "
            f"Got {_show(first)} and {_show(second)}."
        )


def check_batch_kind(known: LabelArray, labels: LabelArray) -> None:
    """Raise if the labels of a batch have another type than the counted ones."""
    if len(known) and len(labels):
        with naming("y_true must have labels of the same type as the counted ones"):
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


def positions(labels: LabelArray, classes: LabelArray) -> Indices:
    """Return where each label stands among the classes, -1 for one that does not."""
    index = {label: position for position, label in enumerate(label_list(classes))}
    return np.array([index.get(label, -1) for label in label_list(labels)], np.intp)


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
    return np.fromiter(labels, object, len(labels))


def _needs_objects(labels: Sequence[Any]) -> bool:
    """Return whether some labels are text that an array of text cannot hold, or not in reason.

    It cuts null characters off the end, and makes each label as wide as the longest.
    """
    texts = [label for label in labels if isinstance(label, str)]
    widths = list(map(len, texts))
    is_wide = len(labels) * max(widths, default=0) > SPARE_WIDTH * sum(widths) + SMALL_TEXT
    return is_wide or any(text.endswith("\0") for text in texts)


def _are_unsigned(labels: list[Any]) -> bool:
    """Return whether integers need an unsigned type that NumPy would not choose."""
    if not all(isinstance(label, int) for label in labels):
        return False
    return min(labels, default=0) >= 0 and 2**63 <= max(labels, default=0) < 2**64


def _is_missing(label: Any) -> bool:
    # The comparison of pandas.NA with itself has no truth value, that of a signaling NaN raises.
    if label is None or type(label).__name__ == "NAType":
        return True
    return label.is_nan() if isinstance(label, Decimal) else bool(label != label)
