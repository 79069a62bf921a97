"""Arrays of numbers that the caller can no longer change."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray: TypeAlias = NDArray[np.float64]


def float_array(values: ArrayLike, name: str) -> FloatArray:
    """Return a copy of the values, which must be numbers.

    Raises
    ------
    ValueError
        If they are not, or if the array would be ragged.
    """
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be an array of numbers: {error}") from error


def nonnegative_array(values: ArrayLike, name: str) -> FloatArray:
    """Return a read-only copy of finite, non-negative numbers in one dimension."""
    array = float_array(values, name)
    if array.ndim != 1:
        raise ValueError(f"{name} must be 1-dimensional, got an array of shape {array.shape}")
    if not np.all(np.isfinite(array) & (array >= 0)):
        raise ValueError(f"{name} must be finite and non-negative, got {array}")
    array.flags.writeable = False
    return array
