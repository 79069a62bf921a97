"""Elementary functions free of cancellation, exact means of sums, and the frames of supports.

**Logs of Gamma and Beta functions.** The remainder of Stirling's formula,

    log Gamma(x) - [(x - 1/2) log x - x + log(2 pi) / 2] = sum_k B_2k / (2k (2k - 1)) x^(1 - 2k),

is asymptotic, and taken from x = 8 on with nine terms. It gives log B(a, b) without the
cancellation of three log Gammas.

**Means of sums to twice the working precision.** A rounding error of a product is found exactly, by
splitting both factors in halves (Dekker, Numerische Mathematik 18, 1971), and sums are rounded once
(`math.fsum`).
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from skpostbac._utils import Complexes, Floats, float_array

Numbers = TypeVar("Numbers", Floats, Complexes)

# Spacing of doubles beside one.
EPS = 2.0**-52
# A log of this much less than the largest adds nothing to a sum.
_NOTHING = -700.0
_HALF_LOG_2PI = 0.5 * np.log(2 * np.pi)
# B_2k / (2k (2k - 1)), the Stirling series of log Gamma.
_STIRLING_TERMS = (
    *(1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188),
    *(-691 / 360360, 1 / 156, -3617 / 122400, 43867 / 244188),
)


def polynomial(x: Numbers, coefficients: Sequence[float]) -> Numbers:
    """Evaluate a polynomial by Horner's rule, lowest coefficient first."""
    value = np.full_like(x, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        value *= x
        value += coefficient
    return value


def log_sum(values: Floats) -> Floats:
    """Log of the sums of the exponentials along the first axis, of finite numbers.

    That is `scipy.special.logsumexp` without what it does for other arrays.
    """
    top = values.max(axis=0)
    below = values - top
    # Where exp underflows it takes ten times as long.
    np.maximum(below, _NOTHING, out=below)
    return np.asarray(top + np.log(np.exp(below, out=below).sum(axis=0)))


def log_binomial(u: Floats, right: float, wrong: float) -> Floats:
    """Return right log(p) + wrong log(1 - p) at log-odds u, less its maximum.

    With d the distance of u from the maximum, where p is right / (right + wrong), this is

        -n (q d + log(1 + q (exp(-d) - 1))),    q = 1 - p,

    seen from the nearer end: no digits are lost where n is large and d is small.
    """
    n = right + wrong
    below, least = np.log(right) - np.log(wrong) - u, wrong / n
    if wrong > right:
        below, least = -below, right / n
    # Far below, exp would overflow, and is all that counts.
    found = np.minimum(below, -_NOTHING)
    farther = below - found
    np.expm1(found, out=found)
    found *= least
    np.log1p(found, out=found)
    below *= least
    found -= below
    found += farther
    found *= -n
    return np.asarray(found)


def stirling_remainder(x: Floats) -> Floats:
    """Return log Gamma(x) less its Stirling approximation, (x - 1/2) log x - x + log(2 pi) / 2."""
    large = np.maximum(x, 8.0)
    inverse_square = 1.0 / (large * large)
    remainder = np.asarray(polynomial(inverse_square, _STIRLING_TERMS) / large)
    is_small = x <= 8.0
    # Log Gamma is expensive, and most arguments are large.
    if is_small.any():
        small = x[is_small]
        log_gamma = gammaln(small)
        remainder[is_small] = log_gamma - (small - 0.5) * np.log(small) + small - _HALF_LOG_2PI
    return remainder


def log_beta(a: Floats | float, b: Floats | float) -> Floats:
    """Return log B(a, b), without the cancellation of three log Gammas."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    n = a + b
    remainder_a, remainder_b, remainder = stirling_remainder(np.array([a, b, n]))
    small, large = np.minimum(a, b), np.maximum(a, b)
    bulk = small * np.log(small / n) + large * np.log1p(-small / n)
    half_logs = 0.5 * (np.log(2 * np.pi) + np.log(n / a) - np.log(b))
    value: Floats = half_logs + bulk + (remainder_a + remainder_b - remainder)
    return value


# Dekker's splitting constant for IEEE doubles, 2^27 + 1.
_SPLITTER = 134217729.0
# Weights whose fourth powers, in the kurtosis, do not over- or underflow.
SMALLEST_WEIGHT, LARGEST_WEIGHT = 1e-70, 1e70


@dataclass(frozen=True)
class Frame:
    """Both ends of a support, the mean as a sum of two doubles, and its distances from the ends.

    A distribution of width 1e-9 beside an end, or beside its mean, is resolved by distances from
    there, and not by x itself, whose spacing may be wider than the distribution.
    """

    low: float
    high: float
    mean: float
    mean_rest: float
    mean_to_low: float
    mean_to_high: float

    def mirrored(self) -> "Frame":
        """Return the frame of the negated variable."""
        ends = self.mean_to_high, self.mean_to_low
        return Frame(-self.high, -self.low, -self.mean, -self.mean_rest, *ends)

    def plus(self, other: "Frame") -> "Frame":
        """Return the frame of the sum of two independent variables."""
        return Frame(
            self.low + other.low,
            self.high + other.high,
            *exact_sum([self.mean, self.mean_rest, other.mean, other.mean_rest]),
            self.mean_to_low + other.mean_to_low,
            self.mean_to_high + other.mean_to_high,
        )

    def moved(self, shift: float) -> "Frame":
        """Return the frame of the variable plus a constant."""
        return self.plus(Frame(shift, shift, shift, 0.0, 0.0, 0.0))


def weighted_mean(a: Floats, b: Floats, weights: Floats | None) -> tuple[float, float]:
    """Return the sum of weights * a / (a + b) to twice the working precision.

    It is an unevaluated sum of two doubles; `weights` of None stands for 1 / l exactly.
    """
    ratio, rest = _exact_ratio(a, b)
    if weights is None:
        total, total_rest = exact_sum([*ratio.tolist(), *rest.tolist()])
        mean = total / a.size
        product, error = _exact_product(np.float64(mean), np.float64(a.size))
        return mean, float(((total - product) - error + total_rest) / a.size)
    product, error = _exact_product(weights, ratio)
    return exact_sum(np.concatenate([product, error, weights * rest]).tolist())


def weighted_means(a: Floats, b: Floats, weights: Floats | None) -> tuple[Floats, Floats]:
    """Return the same for many sums, along the last axis."""
    ratio, rest = _exact_ratio(a, b)
    if weights is None:
        total, total_rest = _accumulated(ratio, rest)
        size = np.float64(a.shape[-1])
        mean = total / size
        product, error = _exact_product(mean, size)
        return mean, np.asarray(((total - product) - error + total_rest) / size)
    product, error = _exact_product(weights, ratio)
    return _accumulated(product, error + weights * rest)


def _accumulated(terms: Floats, rests: Floats) -> tuple[Floats, Floats]:
    """Sum of two doubles each along the last axis.

    The errors of adding are exact (Knuth, The Art of Computer Programming 2, 4.2.2).
    """
    total, total_rest = np.zeros(terms.shape[:-1]), np.asarray(rests.sum(axis=-1))
    for i in range(terms.shape[-1]):
        term = terms[..., i]
        new = total + term
        shown = new - total
        total_rest = total_rest + ((total - (new - shown)) + (term - shown))
        total = new
    return total, total_rest


def _exact_ratio(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return a / (a + b) as a sum of two doubles."""
    n = a + b
    larger, smaller = np.maximum(a, b), np.minimum(a, b)
    n_rest = smaller - (n - larger)
    ratio = a / n
    product, error = _exact_product(ratio, n)
    return ratio, ((a - product) - error - ratio * n_rest) / n


def _exact_product(x: Any, y: Any) -> tuple[Any, Any]:
    """X * y as a sum of two doubles (Dekker 1971)."""
    product = x * y
    x_high, y_high = _high_half(x), _high_half(y)
    x_low, y_low = x - x_high, y - y_high
    return product, ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low


def _high_half(x: Any) -> Any:
    scaled = _SPLITTER * x
    return scaled - (scaled - x)


def exact_sum(parts: Iterable[float]) -> tuple[float, float]:
    """Return the sum of numbers, correctly rounded, and what the rounding left over."""
    parts = list(parts)
    total = math.fsum(parts)
    return total, math.fsum([*parts, -total])


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
