"""Arrays of numbers that the caller can no longer change."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skpostbac.stats._beta_average import _LARGEST, _SMALLEST
from skpostbac.stats._validation import as_numpy, check_choice, first, float_array, input_errors

__all__ = [
    "LARGEST",
    "SMALLEST",
    "FloatArray",
    "as_numpy",
    "check_choice",
    "check_nonnegative",
    "first",
    "float_array",
    "input_errors",
    "nonnegative_array",
]

FloatArray: TypeAlias = NDArray[np.float64]

# Parameters of Beta laws that the engine takes, and so priors and counts.
SMALLEST, LARGEST = _SMALLEST, _LARGEST


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
