"""Parameters of weighted sums of Betas, checked and broadcast.

The last axis is over the variables of a sum. The axes before it are those of an array of
distributions and broadcast as in NumPy.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import Floats, FrozenArrays, float_array
from skpostbac.stats._numerics import LARGEST_WEIGHT, SMALLEST_WEIGHT

# Beyond these limits the variable is a constant or a coin toss in double precision.
SMALLEST, LARGEST = 1e-6, 1e15


@dataclass(frozen=True, eq=False)
class Parameters(FrozenArrays):
    """Exponents and weights, read-only and of one shape (..., l); `equal` are weights of 1 / l."""

    a: Floats
    b: Floats
    weights: Floats
    equal: bool

    @classmethod
    def checked(cls, a: ArrayLike, b: ArrayLike, weights: ArrayLike | None) -> "Parameters":
        """Check parameters; a single number stands for all variables."""
        exponents = {"a": float_array(a, "a"), "b": float_array(b, "b")}
        for name, array in exponents.items():
            other = exponents["b" if name == "a" else "a"]
            if not array.ndim and other.ndim:
                exponents[name] = array = np.full(other.shape[-1], array)
            _check_vectors(array, name)
            if not SMALLEST <= array.min(initial=1.0) <= array.max(initial=1.0) <= LARGEST:
                if (array <= 0).any():
                    raise ValueError(f"{name} must be positive.")
                raise ValueError(f"{name} must lie between {SMALLEST:g} and {LARGEST:g}.")
        first, second = exponents.values()
        n_variables = first.shape[-1]
        if second.shape[-1] != n_variables:
            raise ValueError(
                "a and b must have the same length along the last axis; got "
                f"{n_variables} and {second.shape[-1]}."
            )
        given = _weights(weights, n_variables)
        try:
            arrays = np.broadcast_arrays(first, second, given)
        except ValueError as error:
            raise ValueError(
                "a, b and weights must broadcast with each other; got the shapes "
                f"{first.shape}, {second.shape} and {given.shape}."
            ) from error
        return cls(arrays[0], arrays[1], arrays[2], weights is None)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array of distributions."""
        return self.a.shape[:-1]

    @property
    def rows(self) -> tuple[Floats, Floats, Floats]:
        """Exponents and weights of each distribution, shape (m, l) each."""
        shape = -1 if self.a.size else 0, self.a.shape[-1]
        return self.a.reshape(shape), self.b.reshape(shape), self.weights.reshape(shape)


def _weights(weights: ArrayLike | None, n_variables: int) -> Floats:
    """Return the weights of each sum; None stands for equal weights."""
    if weights is None:
        return np.full(n_variables, 1 / n_variables)
    array = float_array(weights, "weights")
    _check_vectors(array, "weights")
    if array.shape[-1] != n_variables:
        raise ValueError(
            f"weights must have length {n_variables} along the last axis; got {array.shape[-1]}."
        )
    if not array.any(axis=-1).all():
        raise ValueError("weights must not all be zero.")
    size = np.abs(array[array != 0])
    if size.size and (size.min() < SMALLEST_WEIGHT or size.max() > LARGEST_WEIGHT):
        raise ValueError(
            f"weights must be zero or between {SMALLEST_WEIGHT:g} and {LARGEST_WEIGHT:g} in size."
        )
    return array


def _check_vectors(array: Floats, name: str) -> None:
    if not array.ndim or not array.shape[-1]:
        raise ValueError(
            f"{name} must be a non-empty array, with the variables along its last axis; "
            f"got the shape {array.shape}."
        )
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite.")
