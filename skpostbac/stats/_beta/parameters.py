"""Parameters of many weighted sums of Betas, checked and broadcast.

The last axis is over the variables of a sum. The axes before it are those of an array of
distributions and broadcast as in NumPy.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import Floats, float_array
from skpostbac.stats._numerics import LARGEST_WEIGHT, SMALLEST_WEIGHT

# Beyond these limits the variable is a constant or a coin toss in double precision.
SMALLEST, LARGEST = 1e-6, 1e15


@dataclass(frozen=True)
class Parameters:
    """Exponents and weights, read-only and of one shape (..., l); `equal` are weights of 1 / l."""

    a: Floats
    b: Floats
    weights: Floats
    equal: bool

    @classmethod
    def checked(cls, a: ArrayLike, b: ArrayLike, weights: ArrayLike | None) -> "Parameters":
        """Check parameters, at least one of which has two or more dimensions."""
        exponents = [_exponents("a", a), _exponents("b", b)]
        n_variables = exponents[0].shape[-1]
        if exponents[1].shape[-1] != n_variables:
            raise ValueError(
                "a and b must have the same length along the last axis; got "
                f"{n_variables} and {exponents[1].shape[-1]}."
            )
        given = _weights(weights, n_variables)
        try:
            arrays = np.broadcast_arrays(*exponents, given)
        except ValueError as error:
            raise ValueError(
                "a, b and weights must broadcast with each other; got the shapes "
                f"{exponents[0].shape}, {exponents[1].shape} and {given.shape}."
            ) from error
        own = [np.array(array) for array in arrays]
        for array in own:
            array.flags.writeable = False
        return cls(own[0], own[1], own[2], weights is None)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array of distributions."""
        return self.a.shape[:-1]

    @property
    def rows(self) -> tuple[Floats, Floats, Floats]:
        """Exponents and weights of each distribution, shape (m, l) each."""
        shape = -1 if self.a.size else 0, self.a.shape[-1]
        return self.a.reshape(shape), self.b.reshape(shape), self.weights.reshape(shape)


def check_exponents(name: str, array: Floats) -> Floats:
    """Return the exponents, checked to be in the supported range."""
    if array.size and not (array.min() >= SMALLEST and array.max() <= LARGEST):
        if not (array > 0).all():
            raise ValueError(f"{name} must be positive.")
        raise ValueError(f"{name} must lie between {SMALLEST:g} and {LARGEST:g}.")
    return array


def _exponents(name: str, values: ArrayLike) -> Floats:
    return check_exponents(name, _finite(name, values))


def _weights(values: ArrayLike | None, n_variables: int) -> Floats:
    """Return the weights of each sum; None stands for equal weights."""
    if values is None:
        return np.full(n_variables, 1 / n_variables)
    array = _finite("weights", values)
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


def _finite(name: str, values: ArrayLike) -> Floats:
    array = float_array(values, name)
    if not array.ndim or not array.shape[-1]:
        raise ValueError(
            f"{name} must have a last axis of one or more variables; got {array.shape}."
        )
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite.")
    return array
