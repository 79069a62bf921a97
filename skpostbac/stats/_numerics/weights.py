"""Vectors of weights and of other parameters of the variables of a sum."""

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import Floats, float_array

# Weights whose fourth powers, in the kurtosis, do not over- or underflow.
SMALLEST_WEIGHT, LARGEST_WEIGHT = 1e-70, 1e70


def sum_weights(weights: ArrayLike | None, size: int) -> Floats:
    """Return a read-only copy of the weights of a sum; None stands for equal weights."""
    if weights is None:
        equal = np.full(size, 1 / size)
        equal.flags.writeable = False
        return equal
    array = vector("weights", weights)
    if array.shape != (size,):
        raise ValueError(f"weights must have length {size}; got {array.size}.")
    if not array.any():
        raise ValueError("weights must not all be zero.")
    size_of = np.abs(array[array != 0])
    if size_of.min() < SMALLEST_WEIGHT or size_of.max() > LARGEST_WEIGHT:
        raise ValueError(
            f"weights must be zero or between {SMALLEST_WEIGHT:g} and {LARGEST_WEIGHT:g} in size."
        )
    return array


def vector(name: str, values: ArrayLike) -> Floats:
    """Return a read-only copy of a finite, non-empty vector."""
    array = float_array(values, name)
    if array.ndim != 1 or not array.size:
        raise ValueError(f"{name} must be a non-empty array of one dimension; got {array.shape}.")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite.")
    array.flags.writeable = False
    return array
