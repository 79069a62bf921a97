"""Weighted sums of Betas: parameters, means and cumulants.

**Moments.** The density f of Beta(a, b) satisfies theta (1 - theta) f' = (a - 1 - (n -
2) theta) f with n = a + b. Times a power of theta - mu and integrated by parts, this
gives the recursion of the central moments

    m_{r+1} = r / (n + r) (mu (1 - mu) m_{r-1} + (1 - 2 mu) m_r),  m_0 = 1,  m_1 = 0,

with the mean mu = a / n. The cumulants of one variable are kappa_2 = m_2, kappa_3 = m_3
and kappa_4 = m_4 - 3 m_2^2; those of sum_i w_i theta_i are the sums of w_i^r kappa_r.

Means have twice the working precision. A rounding error of a product is found
exactly, by splitting both factors in halves (Dekker, Numerische Mathematik 18, 1971),
and sums have no rounding errors in their leading digits.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import Floats, StablePickle, float_array
from skpostbac.stats._numerics import check_weights

# Beyond these limits the variable is a constant or a coin toss in double precision.
SMALLEST = 1e-6
LARGEST = 1e15
# Dekker's splitting constant for IEEE doubles, 2^27 + 1.
_SPLITTER = 134217729.0


@dataclass(frozen=True, eq=False)
class Parameters(StablePickle):
    """Exponents and weights, read-only and of one shape (..., l).

    `equal` tells whether the weights are 1 / l each.
    """

    a: Floats
    b: Floats
    weights: Floats
    equal: bool

    @classmethod
    def checked(
        cls, a: ArrayLike, b: ArrayLike, weights: ArrayLike | None
    ) -> "Parameters":
        """Check parameters; a single number stands for all variables."""
        first = float_array(a, "a")
        second = float_array(b, "b")
        if second.ndim and not first.ndim:
            first = np.full(second.shape[-1], first)
        if first.ndim and not second.ndim:
            second = np.full(first.shape[-1], second)
        _check_exponents(first, "a")
        _check_exponents(second, "b")
        n_variables = first.shape[-1]
        if second.shape[-1] != n_variables:
            raise ValueError(
                "a and b must have the same length along the last axis; got "
                f"{n_variables} and {second.shape[-1]}."
            )
        if weights is None:
            given = np.full(n_variables, 1 / n_variables)
        else:
            given = float_array(weights, "weights")
            _check_last_axis(given, "weights")
            check_weights(given, n_variables)
        try:
            shape = np.broadcast_shapes(first.shape, second.shape, given.shape)
        except ValueError as error:
            raise ValueError(
                "a, b and weights must broadcast with each other; got the shapes "
                f"{first.shape}, {second.shape} and {given.shape}."
            ) from error
        arrays = [
            x if x.shape == shape else np.array(np.broadcast_to(x, shape))
            for x in (first, second, given)
        ]
        for array in arrays:
            array.flags.writeable = False
        return cls(arrays[0], arrays[1], arrays[2], weights is None)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array of distributions."""
        return self.a.shape[:-1]

    @cached_property
    def rows(self) -> tuple[Floats, Floats, Floats]:
        """Exponents and weights of each distribution, shape (m, l) each."""
        shape = -1 if self.a.size else 0, self.a.shape[-1]
        return self.a.reshape(shape), self.b.reshape(shape), self.weights.reshape(shape)

    @cached_property
    def frames(self) -> Floats:
        """Means, their rounding errors, and both ends of the supports, shape (4, m)."""
        a, b, weights = self.rows
        mean, error = weighted_means(a, b, None if self.equal else weights)
        if self.equal:
            return np.array([mean, error, np.zeros_like(mean), np.ones_like(mean)])
        ends = exact_sums(
            np.array([np.minimum(weights, 0.0), np.maximum(weights, 0.0)])
        )
        return np.array([mean, error, *np.add(*ends)])


def _check_exponents(array: Floats, name: str) -> None:
    _check_last_axis(array, name)
    least = array.min(initial=1.0)
    most = array.max(initial=1.0)
    if not (least >= SMALLEST and most <= LARGEST):
        if not np.isfinite(array).all():
            raise ValueError(f"{name} must be finite.")
        if least <= 0:
            raise ValueError(f"{name} must be positive.")
        raise ValueError(f"{name} must lie between {SMALLEST:g} and {LARGEST:g}.")


def _check_last_axis(array: Floats, name: str) -> None:
    if not array.ndim or not array.shape[-1]:
        raise ValueError(
            f"{name} must be a non-empty array, with the variables along its last "
            f"axis; got the shape {array.shape}."
        )


def weighted_means(
    a: Floats, b: Floats, weights: Floats | None
) -> tuple[Floats, Floats]:
    """Return sums of weights * a / (a + b) along the last axis, to twice the precision.

    They are unevaluated sums of two doubles; `weights` of None stands for 1 / l
    exactly.
    """
    n = a + b
    size = np.float64(a.shape[-1])
    ratio = a / n
    product, product_error = _exact_product(ratio, n)
    n_error = np.minimum(a, b) - (n - np.maximum(a, b))
    error = ((a - product) - product_error - ratio * n_error) / n
    if weights is not None:
        ratio, product_error = _exact_product(weights, ratio)
        error = product_error + weights * error
    total, total_error = exact_sums(ratio)
    total_error = total_error + error.sum(axis=-1)

    if weights is None:
        undivided = total
        total = total / size
        # The products of both halves with a whole number are exact.
        high, low = _halves(total)
        total_error = ((undivided - high * size) - low * size + total_error) / size

    # The error of their sum (Knuth, The Art of Computer Programming 2, 4.2.2).
    mean = total + total_error
    added = mean - total
    return mean, (total - (mean - added)) + (total_error - added)


def exact_sums(terms: Floats) -> tuple[Floats, Floats]:
    """Return sums along the last axis as sums of two doubles.

    The leading digits of all terms are multiples of one number, and add up without an
    error (Rump, Ogita and Oishi, SIAM Journal on Scientific Computing 31, 2008).
    """
    largest = np.abs(terms).max(axis=-1, keepdims=True)
    unit = np.ldexp(1.0, np.frexp(largest * (terms.shape[-1] + 2))[1])
    leading = (terms + unit) - unit
    return leading.sum(axis=-1), (terms - leading).sum(axis=-1)


def _halves(x: Any) -> tuple[Any, Any]:
    """Return two numbers of half as many digits that add up to x."""
    scaled = _SPLITTER * x
    high = scaled - (scaled - x)
    return high, x - high


def _exact_product(x: Any, y: Any) -> tuple[Any, Any]:
    """Return x * y as a sum of two doubles (Dekker 1971)."""
    product = x * y
    x_high, x_low = _halves(x)
    y_high, y_low = _halves(y)
    error = (x_high * y_high - product) + x_high * y_low + x_low * y_high
    return product, error + x_low * y_low


def central_moments(a: Floats, b: Floats, order: int) -> Floats:
    """Return central moments 0 to `order` of Beta(a, b), shape (order + 1, ..., l)."""
    n = a + b
    scale = (a / n) * (b / n)
    asymmetry = (b - a) / n
    moments = np.empty((order + 1, *a.shape))
    moments[0] = 1.0
    moments[1] = 0.0
    for r in range(1, order):
        terms = scale * moments[r - 1] + asymmetry * moments[r]
        moments[r + 1] = r / (n + r) * terms
    return moments


def variances(a: Floats, b: Floats, weights: Floats) -> Floats:
    """Return the variance of each weights * theta, theta ~ Beta(a, b)."""
    n = a + b
    return (a / n) * (b / n) * (weights * weights) / (n + 1)


def cumulants(a: Floats, b: Floats, weights: Floats) -> Floats:
    """Return the cumulants 2 to 4 of sum(weights * theta), shape (3, ...)."""
    _, _, second, third, fourth = central_moments(a, b, 4)
    square = weights * weights
    terms = [
        square * second,
        square * weights * third,
        square * square * (fourth - 3 * second * second),
    ]
    return np.asarray(np.sum(terms, axis=-1))
