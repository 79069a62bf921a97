"""Weighted sums of Betas: parameters, means, cumulants and ranges.

Arrays have shape (m, l): m sums of l variables.

**Reflection.** A variable with a > b is reflected, theta -> 1 - theta with the weight
-w, so that a <= b and p = a / n <= 1/2. No digits of a small p are lost then.

**Ranges.** The range of a sum and that of its transform follow from bounds for each
variable. The characteristic function of a Gamma variable of variance v and shape o has
the modulus (1 + t^2 v / o)^(-o / 2). That of a Beta decays at least as fast with o = a
(tests check it), so that the product is below exp(-D) from the height T with

    1/2 sum_i o_i log(1 + T^2 v_i / o_i) = D

on. The moment generating function of a centred Beta is, on the side of its longer tail,
below that of a centred Gamma variable of the same variance v and third cumulant c v, c
= 2 |b - a| / (n (n + 2)), and below that of a normal variable on the other; tests check
it, and Skorski has tails of this form (Bernstein-type bounds for Beta distribution,
Modern Stochastics 10, 2023). For a Gamma variable

    log E[exp(h X)] = v h^2 k(c h / 2),    k(y) = -(log(1 - y) + y) / y^2,

and k increases, so that in a sum the variances add, and the largest |w| c of the
variables skewed to a side counts there. By Chernoff's bound, and u - log(1 + u) >=
u^2 / 2 / (1 + 2 u / 3), no more than exp(-D) is on that side beyond

    D c / 3 + sqrt((D c / 3)^2 + 2 D v),

and nothing beyond the end of the support.

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

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import Bools, Floats, StablePickle, float_array
from skpostbac.stats._fourier import DEPTH, NARROW
from skpostbac.stats._numerics import Rows, check_weights

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
        scaled = _SPLITTER * total
        high = scaled - (scaled - total)
        low = total - high
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


def _exact_product(x: Any, y: Any) -> tuple[Any, Any]:
    """Return x * y as a sum of two doubles (Dekker 1971)."""
    product = x * y
    scaled_x = _SPLITTER * x
    scaled_y = _SPLITTER * y
    x_high = scaled_x - (scaled_x - x)
    y_high = scaled_y - (scaled_y - y)
    x_low = x - x_high
    y_low = y - y_high
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


@dataclass(frozen=True)
class Betas(Rows):
    """Sums of `weight` times theta ~ Beta(n p, n q), p <= q = 1 - p; shapes (m, l).

    Attributes
    ----------
    count : number of identical variables that each stands for.
    a, b : the exponents, n p and n q.
    curvature : minus the second derivative of the log density of the log-odds at p,
        n p q.
    size : sizes of the weights.
    variances : variance of each weighted variable.
    to_low, to_high : distances of the mean of each weighted variable from its ends.
    """

    count: Floats
    n: Floats
    p: Floats
    q: Floats
    weight: Floats
    a: Floats
    b: Floats
    curvature: Floats
    size: Floats
    variances: Floats
    to_low: Floats
    to_high: Floats

    @classmethod
    def reflected(cls, a: Floats, b: Floats, weights: Floats) -> "Betas":
        """Reflect variables so that a <= b."""
        count = np.ones_like(a)
        if len(a) == 1:
            # Identical variables of a single sum are computed once.
            counts = Counter(
                zip(a[0].tolist(), b[0].tolist(), weights[0].tolist(), strict=True)
            )
            if len(counts) < a.shape[1]:
                a, b, weights = np.array(list(counts)).T[:, np.newaxis]
                count = np.array([list(counts.values())], dtype=float)
        each = variances(a, b, weights)
        variance = (count * each).sum(axis=1, keepdims=True)

        weight = np.where(a > b, -weights, weights)
        a, b = np.sort([a, b], axis=0)
        n = a + b
        p = a / n
        q = b / n
        size = np.abs(weights)
        to_low = size * np.where(weight > 0, p, q)
        to_high = size * np.where(weight > 0, q, p)
        betas = cls(count, n, p, q, weight, a, b, a * q, size, each, to_low, to_high)
        return betas._with_constants(each <= NARROW**2 * variance)

    def _with_constants(self, chosen: Bools) -> "Betas":
        """Replace variables, (m, l), by their means: uniform ones of weight zero."""
        if not chosen.any():
            return self
        uniform = {"n": 2.0, "p": 0.5, "q": 0.5, "a": 1.0, "b": 1.0, "curvature": 0.5}
        none = {"weight": 0.0, "size": 0.0, "variances": 0.0}
        values = {
            name: np.where(chosen, value, getattr(self, name))
            for name, value in (uniform | none).items()
        }
        return replace(self, **values)

    def only(self, chosen: Bools) -> "Betas":
        """Return sums of some of the variables, (m, l)."""
        columns = chosen.any(axis=0)
        kept = self[:, columns]
        is_left_out = ~chosen[:, columns]
        if not is_left_out.any():
            return kept
        zero = {
            name: np.where(is_left_out, 0.0, getattr(kept, name))
            for name in ("to_low", "to_high")
        }
        return replace(kept._with_constants(is_left_out), **zero)

    @property
    def variance(self) -> Floats:
        """Variances of the sums, shape (m,)."""
        return np.asarray((self.count * self.variances).sum(axis=1))


def ranges(betas: Betas) -> tuple[Floats, Floats]:
    """Return distances from the mean, below and above, beyond which mass is negligible.

    Shape (m,) each.
    """
    sides = np.array([-1.0, 1.0])[:, np.newaxis, np.newaxis]
    scale = (2 / 3 * DEPTH) * betas.weight * (betas.q - betas.p) / (betas.n + 2)
    largest = (sides * scale).max(axis=2, initial=0.0)
    bounds = largest + np.sqrt(largest * largest + 2 * DEPTH * betas.variance)

    ends = (betas.count * (betas.size > 0) * [betas.to_low, betas.to_high]).sum(axis=2)
    below, above = np.minimum(bounds, ends)
    return below, above
