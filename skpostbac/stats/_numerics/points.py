"""Weights of sums, and positions that keep their distances to both ends and to the mean.

A distribution of width 1e-9 beside an end, or beside its mean, is resolved by these distances and
not by x itself, whose spacing may be wider than the distribution. The ends and the mean of a
support are unevaluated sums of two doubles, of about 32 digits. The rounding error of
a product is found exactly, by splitting both factors in halves (Dekker, Numerische Mathematik 18,
1971), and sums are rounded once (`math.fsum`).
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import Floats, float_array
from skpostbac.stats._numerics.arrays import Rows

# Dekker's splitting constant for IEEE doubles, 2^27 + 1.
_SPLITTER = 134217729.0
# Weights whose fourth powers, in the kurtosis, do not over- or underflow.
SMALLEST_WEIGHT, LARGEST_WEIGHT = 1e-70, 1e70


@dataclass(frozen=True)
class Points(Rows):
    """Positions inside the support, each held as three distances.

    Attributes
    ----------
    from_mean : x - mean, signed.
    to_low, to_high : distances to both ends of the support, not negative.
    """

    from_mean: Floats
    to_low: Floats
    to_high: Floats

    def mirrored(self) -> "Points":
        """Return the same points seen from the other side."""
        return Points(-self.from_mean, self.to_high, self.to_low)


@dataclass(frozen=True)
class Frame:
    """Both ends of a support and the mean, each an unevaluated sum of two doubles."""

    low: float
    low_rest: float
    high: float
    high_rest: float
    mean: float
    mean_rest: float
    mean_to_low: float
    mean_to_high: float

    def locate(self, x: Floats) -> Points:
        """Return the positions of x within the support."""
        return Points(
            (x - self.mean) - self.mean_rest,
            (x - self.low) - self.low_rest,
            (self.high - x) + self.high_rest,
        )

    def near_high(self, distance: Floats) -> Points:
        """Return the positions at a distance below the upper end."""
        width = self.mean_to_low + self.mean_to_high
        return Points(self.mean_to_high - distance, width - distance, distance)

    def near_mean(self, distance: Floats) -> Points:
        """Return the positions at a signed distance from the mean."""
        return Points(distance, self.mean_to_low + distance, self.mean_to_high - distance)

    def mirrored(self) -> "Frame":
        """Return the frame of the negated variable."""
        return Frame(
            *(-self.high, -self.high_rest),
            *(-self.low, -self.low_rest),
            *(-self.mean, -self.mean_rest),
            *(self.mean_to_high, self.mean_to_low),
        )

    def plus(self, other: "Frame") -> "Frame":
        """Return the frame of the sum of two independent variables."""
        return Frame(
            *_sum_of_pairs(self.low, self.low_rest, other.low, other.low_rest),
            *_sum_of_pairs(self.high, self.high_rest, other.high, other.high_rest),
            *_sum_of_pairs(self.mean, self.mean_rest, other.mean, other.mean_rest),
            self.mean_to_low + other.mean_to_low,
            self.mean_to_high + other.mean_to_high,
        )

    def moved(self, shift: float) -> "Frame":
        """Return the frame of the variable plus a constant."""
        return Frame(
            *_sum_of_pairs(self.low, self.low_rest, shift, 0.0),
            *_sum_of_pairs(self.high, self.high_rest, shift, 0.0),
            *_sum_of_pairs(self.mean, self.mean_rest, shift, 0.0),
            self.mean_to_low,
            self.mean_to_high,
        )

    def x(self, points: Points) -> Floats:
        """Return the doubles nearest to the positions, from the nearest reference."""
        near_mean = self.mean + (self.mean_rest + points.from_mean)
        x = np.where(points.to_low < np.abs(points.from_mean), self.low + points.to_low, near_mean)
        x = np.where(points.to_high < np.abs(points.from_mean), self.high - points.to_high, x)
        return np.asarray(np.minimum(np.maximum(x, self.low), self.high))


def weighted_mean(a: Floats, b: Floats, weights: Floats | None) -> tuple[float, float]:
    """Return the sum of weights * a / (a + b) to twice the working precision.

    It is an unevaluated sum of two doubles; `weights` of None stands for 1 / l exactly.
    """
    ratio, rest = _exact_ratio(a, b)
    if weights is None:
        total, total_rest = exact_sum([ratio, rest])
        mean = total / a.size
        product, error = _exact_product(np.float64(mean), np.float64(a.size))
        return mean, float(((total - product) - error + total_rest) / a.size)
    product, error = _exact_product(weights, ratio)
    return exact_sum([product, error, weights * rest])


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


def _sum_of_pairs(*parts: float) -> tuple[float, float]:
    total = math.fsum(parts)
    return total, math.fsum([*parts, -total])


def exact_sum(parts: list[Floats]) -> tuple[float, float]:
    """Return the sum of all numbers, correctly rounded, and what the rounding left over."""
    return _sum_of_pairs(*np.concatenate(parts).tolist())


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
