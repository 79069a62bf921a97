"""Elementary functions free of cancellation, exact sums, and the frames of supports.

**Logs of Gamma and Beta functions.** The remainder of Stirling's formula,

    log Gamma(x) - [(x - 1/2) log x - x + log(2 pi) / 2] = sum_k B_2k / (2k (2k - 1)) x^(1 - 2k),

is asymptotic, and taken from x = 8 on with nine terms. It gives log B(a, b) without the
cancellation of three log Gammas.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from skpostbac._utils import Complexes, Floats, float_array

Numbers = TypeVar("Numbers", Floats, Complexes)

# Spacing of doubles beside one.
EPS = 2.0**-52
# A log of this much less than the largest adds nothing to a sum.
_NOTHING = -700.0
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
        remainder[is_small] = (
            log_gamma - (small - 0.5) * np.log(small) + small - 0.5 * np.log(2 * np.pi)
        )
    return remainder


def log_rising(x: Floats, d: Floats) -> Floats:
    """Return log Gamma(x + d) - log Gamma(x) - d log x, for x > 0 and d >= 0 of any size.

    By Stirling's series, in a form without cancellation: the error is some roundings of d.
    """
    rest = stirling_remainder(x + d) - stirling_remainder(x)
    return np.asarray((x + d - 0.5) * np.log1p(d / x) - d + rest)


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
    check_weights(array, size)
    return array


def check_weights(array: Floats, size: int) -> None:
    """Raise unless weights have this length along the last axis, and a size that is supported."""
    if array.shape[-1] != size:
        raise ValueError(
            f"weights must have length {size} along the last axis; got {array.shape[-1]}."
        )
    if not np.isfinite(array).all():
        raise ValueError("weights must be finite.")
    if not array.any(axis=-1).all():
        raise ValueError("weights must not all be zero.")
    size_of = np.abs(array[array != 0])
    least, most = size_of.min(initial=1.0), size_of.max(initial=1.0)
    if least < SMALLEST_WEIGHT or most > LARGEST_WEIGHT:
        raise ValueError(
            f"weights must be zero or between {SMALLEST_WEIGHT:g} and {LARGEST_WEIGHT:g} in size."
        )


def vector(name: str, values: ArrayLike) -> Floats:
    """Return a read-only copy of a finite, non-empty vector."""
    array = float_array(values, name)
    if array.ndim != 1 or not array.size:
        raise ValueError(f"{name} must be a non-empty array of one dimension; got {array.shape}.")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite.")
    array.flags.writeable = False
    return array
