"""Arrays of numbers that the caller can no longer change."""

from __future__ import annotations

from decimal import Decimal
from numbers import Real
from reprlib import repr as short_repr
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skpostbac.stats._beta_average import _LARGEST, _SMALLEST

FloatArray: TypeAlias = NDArray[np.float64]

# Parameters of Beta laws that the engine takes, and so priors and counts.
SMALLEST, LARGEST = _SMALLEST, _LARGEST


def as_numpy(values: Any, name: str) -> Any:
    """Return an array of another library in NumPy, without a copy; anything else as it is.

    Raises
    ------
    TypeError
        If NumPy cannot read it: if it is not in the memory of the CPU, if gradients are
        recorded for it, or if it has a dtype that NumPy has not.
    """
    is_other = hasattr(values, "__dlpack__") and not isinstance(values, np.ndarray)
    if not is_other or hasattr(values, "__arrow_c_array__"):  # NumPy reads more of Arrow itself
        return values
    try:
        return np.from_dlpack(values)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        # No test has an array on another device that holds data.
        raise TypeError(
            f"{name} must be an array that NumPy can read in the memory of the CPU: {error}"
        ) from error


def float_array(values: ArrayLike, name: str) -> FloatArray:
    """Return a copy of the values, which must be real numbers.

    Raises
    ------
    ValueError
        If they are not, if one of them is masked, or if the array would be ragged.
    TypeError
        As :func:`as_numpy` raises it.
    """
    if np.ma.is_masked(values):
        raise ValueError(f"{name} must be an array of numbers, got masked values")
    values = as_numpy(values, name)
    try:
        array = np.asarray(values)
        # NumPy writes numbers beside strings as text: look at what was given.
        objects = array if array.dtype.kind in "biuf" else np.asarray(values, dtype=object)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be an array of numbers: {error}") from error
    _check_real(array.dtype, objects, name)
    try:
        with np.errstate(over="ignore"):  # long doubles become infinite
            return array.astype(np.float64)
    except OverflowError as error:
        raise ValueError(f"{name} must be an array of numbers: {error}") from error


def nonnegative_array(values: ArrayLike, name: str) -> FloatArray:
    """Return a read-only copy of finite, non-negative numbers in one dimension."""
    array = float_array(values, name)
    if array.ndim != 1:
        raise ValueError(f"{name} must be 1-dimensional, got an array of shape {array.shape}")
    check_nonnegative(array, name)
    array += 0.0  # -0.0 becomes 0.0
    array.flags.writeable = False
    return array


def check_nonnegative(array: FloatArray, name: str) -> None:
    """Refuse numbers that are negative, infinite or NaN."""
    bad = ~(np.isfinite(array) & (array >= 0))
    if bad.any():
        raise ValueError(f"{name} must be finite and non-negative, got {first(array, bad)}")


def first(array: NDArray[Any], bad: NDArray[np.bool_]) -> str:
    """Write the first value that is bad, and where in the array it is."""
    place = tuple(int(i) for i in np.unravel_index(np.argmax(bad), bad.shape))
    value = short_repr(array.item(place))
    if not place:
        return value
    return f"{value} at position {place[0] if len(place) == 1 else place}"


def _check_real(dtype: np.dtype[Any], objects: NDArray[Any], name: str) -> None:
    """Refuse what is no number, or was none before it became an array of objects."""
    if dtype.kind in "biuf":
        return
    bad = np.array([not isinstance(value, (Real, Decimal, np.bool_)) for value in objects.flat])
    if bad.any():
        found = first(objects, bad.reshape(objects.shape))
        raise ValueError(f"{name} must be an array of numbers, got {found}")
    if dtype.kind != "O" and objects.size:
        raise ValueError(f"{name} must be an array of numbers, got the dtype {dtype}")
