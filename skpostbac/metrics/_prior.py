"""The prior of each class's accuracy, given by name, by a pair or by an array."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from skpostbac.metrics._arrays import LARGEST, SMALLEST, FloatArray, first, float_array

PriorSpec: TypeAlias = str | FloatArray

# a = b of the Beta distribution; 1 / n_classes where there is no number.
NAMED_PRIORS: dict[str, float | None] = {
    "uniform": 1.0,
    "jeffreys": 1 / 2,
    "neutral": 1 / 3,
    "reciprocal": None,
}


def check_prior(prior: ArrayLike) -> PriorSpec:
    """Check a prior as far as this can be done without the number of classes.

    Parameters
    ----------
    prior : str, pair of floats or array-like of shape (n_classes, 2)
        A name out of "uniform" (a = b = 1), "jeffreys" (1/2), "neutral" (1/3) and
        "reciprocal" (1 / n_classes), a pair ``(a, b)`` for all classes, or one for each.

    Returns
    -------
    spec : str or ndarray of shape (2,) or (n_classes, 2)
        The name, or a read-only copy of the numbers.

    Raises
    ------
    ValueError
        If the name is unknown, the shape is another, or a number is not in [1e-6, 1e15].
    """
    if isinstance(prior, str):
        if prior not in NAMED_PRIORS:
            raise ValueError(_message(repr(prior)))
        return prior
    array = float_array(prior, "prior")
    if array.ndim not in (1, 2) or array.shape[-1] != 2 or not len(array):
        raise ValueError(_message(f"an array of shape {array.shape}"))
    _check_range(array)
    array.flags.writeable = False
    return array


def resolve_prior(spec: PriorSpec, n_classes: int) -> FloatArray:
    """Return the read-only (n_classes, 2) array of a checked prior.

    A (2, 2) array for two classes holds one pair for each class.

    Raises
    ------
    ValueError
        If an array has not one row for each class, or 1 / n_classes is too small.

    Examples
    --------
    >>> resolve_prior("reciprocal", 4)
    array([[0.25, 0.25],
           [0.25, 0.25],
           [0.25, 0.25],
           [0.25, 0.25]])
    """
    if isinstance(spec, str):
        spec = np.full(2, NAMED_PRIORS[spec] or 1 / n_classes)
        _check_range(spec)
    if spec.ndim == 2 and len(spec) != n_classes:
        raise ValueError(
            f"prior must have one row for each of the {n_classes} classes, got {len(spec)} rows"
        )
    return np.broadcast_to(spec, (n_classes, 2))


def is_one_symmetric_law(spec: PriorSpec) -> bool:
    """Tell whether a checked prior is the same Beta(a, a) for all classes: by name, or a pair."""
    if isinstance(spec, str):
        return spec in NAMED_PRIORS
    return spec.ndim == 1 and bool(spec[0] == spec[1])


def format_prior(spec: PriorSpec) -> str:
    """Write a checked prior in a few characters."""
    if isinstance(spec, str):
        return repr(spec)
    if spec.ndim == 1:
        return f"({spec[0]:g}, {spec[1]:g})"
    return f"<array of shape {spec.shape}>"


def _check_range(array: FloatArray) -> None:
    bad = ~((array >= SMALLEST) & (array <= LARGEST))
    if bad.any():
        raise ValueError(
            f"prior must have a and b between {SMALLEST:g} and {LARGEST:g}, got {first(array, bad)}"
        )


def _message(got: str) -> str:
    return (
        f"prior must be one of {sorted(NAMED_PRIORS)}, a pair (a, b) or an array of shape "
        f"(n_classes, 2), got {got}"
    )
