"""Labels of the samples, as they come in: from any container to a column, and not checked yet.

scikit-learn's `column_or_1d` reads what NumPy can: lists, column vectors, columns of data frames.
It is not asked where NumPy would read other labels than were given (masked ones as NaN, numbers
beside text as text, long integers as floats, text cut at its last null character), nor for
categories of pandas and polars, which are numbered already and would be spelled out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import column_or_1d

from skpostbac._utils import LabelArray, as_numpy, input_errors

# Samples that are read together: what is computed of them stays in the cache.
BLOCK = 2**16
# Arguments that are no labels, so that the hint on scores does not apply.
GROUP_NAMES = ("groups", "sensitive_features")
# What is added to scikit-learn's reason where y_pred may be what predict_proba returned.
NO_SCORES = "class labels are needed, not probabilities or scores"
NO_CLASSIFIER = "labels are needed, not a classifier: call its predict, or cross_val_predict"


class Categories(NamedTuple):
    """What the numbers of a categorical column mean; not all of them need occur."""

    numbers: NDArray[np.integer[Any]]
    """Numbers of the categories, sorted."""
    labels: LabelArray
    """The label of each."""


class Column(NamedTuple):
    """Labels of the samples, unchecked."""

    array: LabelArray
    """The labels in one dimension, or the numbers of categories."""
    kind: Literal["integer", "text", "category", "other"]
    """Integers are finite, of whatever numeric dtype; text is that of NumPy, or strings alone."""
    categories: Categories | None = None


def read_columns(columns: Mapping[str, ArrayLike]) -> dict[str, Column]:
    """Read labels by the name of the argument that holds them, as :func:`read_column`."""
    return {name: read_column(y, name) for name, y in columns.items()}


def read_column(y: Any, name: str) -> Column:
    """Convert an array-like to a column of unchecked labels; leave categories as numbers.

    Raises
    ------
    ValueError, TypeError
        As :func:`as_label_array` raises them, or if a category is missing.
    """
    kind = type(getattr(y, "dtype", None)).__name__
    if kind == "CategoricalDtype" and len(y):
        return _of_pandas(getattr(y, "cat", y), name)
    if kind in ("Categorical", "Enum") and hasattr(y, "to_physical") and len(y):
        return _of_polars(y, name)
    array = as_label_array(y, name)
    if is_integral(array):
        return Column(array, "integer")
    return Column(array, "text" if _is_text(array) else "other")


def _of_pandas(column: Any, name: str) -> Column:
    numbers = np.asarray(column.codes)
    if numbers.min() < 0:
        raise ValueError(f"Input {name} contains NaN.")
    labels = as_label_array(column.categories, name)
    return Column(numbers, "category", Categories(np.arange(len(labels)), labels))


def _of_polars(column: Any, name: str) -> Column:
    if column.null_count():
        raise ValueError(f"Input {name} contains NaN.")
    # The numbers of categories may be shared with other columns, and have gaps.
    found = column.unique()
    numbers = found.to_physical().to_numpy()
    order = np.argsort(numbers)
    categories = Categories(numbers[order], as_label_array(found, name)[order])
    return Column(column.to_physical().to_numpy(), "category", categories)


def as_label_array(y: Any, name: str) -> LabelArray:
    """Convert an array-like or a column vector to a 1-d array; the labels are not checked."""
    kinds = set(map(type, y)) if isinstance(y, list | tuple) else set()
    if np.ma.is_masked(y) or _has_masked(y, kinds):
        raise ValueError(f"Input {name} contains masked values.")
    if kinds == {str}:
        return _object_array(y)
    if len(kinds) == 1 and kinds <= {bool, int, float}:
        return _of_numbers(y)
    array = np.asarray(y) if _is_plain(y) else _convert(y, name)
    if array.dtype.kind == "T":  # of StringDType
        return array.astype(object)
    is_long = array.dtype.kind == "f" and array.itemsize > 8
    return _shorten(array, name) if is_long else array


def _has_masked(labels: Any, kinds: set[type]) -> bool:
    """Return whether a label of a list, of these types, is masked: NumPy would read it as NaN."""
    has_arrays = any(issubclass(kind, np.ma.MaskedArray) for kind in kinds)
    return has_arrays and any(map(np.ma.is_masked, labels))


def _object_array(labels: Sequence[Any]) -> LabelArray:
    """Return labels as they are: NumPy cuts null characters off, and widens all to the longest."""
    return np.fromiter(labels, object, len(labels))


def _of_numbers(labels: Sequence[Any]) -> LabelArray:
    """Return an array of numbers of Python of one type; integers that became floats as objects."""
    array = np.asarray(labels)
    is_rounded = array.dtype.kind == "f" and isinstance(labels[0], int)
    return _object_array(labels) if is_rounded else array


def _is_plain(y: Any) -> bool:
    """Return whether `y` is in one dimension, and of a dtype that NumPy takes as it is.

    Arrays of other libraries are not: some of them are out of NumPy's reach.
    """
    return (
        (isinstance(y, np.ndarray) or (hasattr(y, "__array__") and not hasattr(y, "__dlpack__")))
        and getattr(y, "ndim", None) == 1
        and isinstance(getattr(y, "dtype", None), np.dtype)
    )


def _convert(y: Any, name: str) -> LabelArray:
    y = as_numpy(y, name)
    with input_errors(name):
        return _read(y, name)


def _read(y: Any, name: str) -> LabelArray:
    if isinstance(y, list | tuple) and any(isinstance(label, str) for label in y):
        return _object_array(y)
    if str(getattr(y, "dtype", None)) == "String":
        y = y.to_numpy()  # Python strings; `__array__` of polars makes an array of text
    array = _as_column(y, name)
    if isinstance(y, list | tuple) and _is_rounded(y, array):
        array = column_or_1d(np.asarray(y, dtype=object))
    exact = getattr(getattr(y, "dtype", None), "numpy_dtype", None)
    if array.dtype.kind == "f" and exact is not None and not np.isnan(array).any():
        # A nullable integer or boolean column; as floats, long integers would merge.
        array = np.asarray(y, dtype=exact)
    return array


def _as_column(y: Any, name: str) -> LabelArray:
    try:
        column: LabelArray = column_or_1d(y)
    except ValueError as error:
        table = _as_table(y)
        if table is not None and name in GROUP_NAMES:
            message = f"must be one-dimensional, got an array of shape {table.shape}"
            raise ValueError(message) from error
        if table is not None and table.dtype.kind == "f":  # as predict_proba returns it
            hint = f"{NO_SCORES}: take classes_[scores.argmax(axis=1)]"
            raise ValueError(f"{error} ({hint})") from error
        if hasattr(y, "predict"):
            raise ValueError(f"{error} ({NO_CLASSIFIER})") from error
        raise
    return column


def _as_table(y: Any) -> NDArray[Any] | None:
    """Return an array of two dimensions; None of anything else."""
    with suppress(TypeError, ValueError):  # ragged, or what NumPy cannot read
        table = np.asarray(y)
        return table if table.ndim == 2 else None
    return None


def _is_rounded(labels: Any, array: LabelArray) -> bool:
    """Return whether NumPy may have rounded integers."""
    is_long = array.dtype.kind == "f" and bool(np.any(np.abs(array) >= 2**53))
    return is_long and any(issubclass(kind, int | np.integer) for kind in map(type, labels))


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


def is_integral(y: LabelArray) -> bool:
    """Return whether all labels are finite integers, of whatever numeric dtype."""
    if y.dtype.kind != "f":
        return y.dtype.kind in "biu"
    blocks = (y[start : start + BLOCK] for start in range(0, len(y), BLOCK))
    with np.errstate(invalid="ignore"):
        return all(np.all(block == block.astype(np.int64)) for block in blocks)


def _is_text(y: LabelArray) -> bool:
    """Return whether all labels are strings, among which none is missing."""
    return y.dtype.kind == "U" or (y.dtype.kind == "O" and set(map(type, y)) == {str})
