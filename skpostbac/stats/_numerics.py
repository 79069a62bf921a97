r"""Numerical methods that do not depend on a distribution.

Elementary functions without cancellation, exact sums and frames of supports, records of arrays,
waves and products of matrices by one thread, and adaptive quadrature. Imports `skpostbac._utils`.

**Logs of Gamma and Beta functions.** The remainder of Stirling's formula,

    log Gamma(x) - [(x - 1/2) log x - x + log(2 pi) / 2] = sum_k B_2k / (2k (2k - 1)) x^(1 - 2k),

is asymptotic, and taken from x = 8 on with nine terms. It gives log B(a, b) without the
cancellation of three log Gammas.

**Waves.** A complex exponential costs ten times as much as a tangent, from which cosine and sine
follow,

    exp(i x) = (1 - s^2 + 2 i s) / (1 + s^2),    s = tan(x / 2).

A relative error e of s stands for an error e s / (1 + s^2) of x / 2, at most e / 2, so that poles
of the tangent do no harm.

**Products.** OpenBLAS, with which NumPy comes, divides larger products among threads. Those here
are so small that its threads mostly wait for one another, and actively: each takes a whole core,
and for 20 ms after the last product, too. Where other work is to be done, products then take
several times as long, up to a thousand times on a busy machine. So they are cut into blocks, and
nothing is set for the whole process, as by `threadpoolctl`.

**Sums of waves at even heights.** The sums

    f_k = \sum_j m_j exp(i k x_j),    k = 0, 1, ..., n - 1,

of masses m_j at any angles x_j are the Fourier coefficients of a train of spikes. Each spike is
smeared by a narrow kernel phi over an even grid of R points, on which one FFT finds all sums, times
the transform of the kernel (Dutt and Rokhlin, SIAM Journal on Scientific Computing 14, 1993). With
phi(z) = exp(beta (sqrt(1 - z^2) - 1)) on W points, R >= 4 n and beta = 2.3 W the aliases are below
1e-14 of the sum of the masses (Barnett, Magland and af Klinteberg, the same journal 41, 2019).

**Adaptive quadrature** takes many functions at once. Function i has its own interval, cut into
pieces, each with a Gauss-Legendre rule of 12 points, exact up to degree 23. A piece is halved until
its halves differ from the whole by no more than a share of the first estimate of the integral of
the modulus. The pieces of all functions that are still open are evaluated in one call. For a smooth
function halving divides the error by about 2^24, so that what is accepted is far better than the
tolerance. At a kink only the pieces beside it go on being halved, and those that the noise of a
function keeps open are accepted when they become too many.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import Field, dataclass
from functools import cache
from math import isqrt, prod
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.polynomial.chebyshev import chebval
from numpy.polynomial.legendre import leggauss
from numpy.typing import ArrayLike
from scipy.special import gammaln

from skpostbac._utils import Complexes, Floats, Indices, float_array

Numbers = TypeVar("Numbers", Floats, Complexes)

# Spacing of doubles beside one.
EPS = 2.0**-52
# A log of this much less than the largest adds nothing to a sum.
_NOTHING = -700.0
# B_2k / (2k (2k - 1)), the Stirling series of log Gamma. At 8 the next term is 8e-16.
_STIRLING_TERMS = 1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156


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

    def mirrored(self) -> Frame:
        """Return the frame of the negated variable."""
        ends = self.mean_to_high, self.mean_to_low
        return Frame(-self.high, -self.low, -self.mean, -self.mean_rest, *ends)

    def plus(self, other: Frame) -> Frame:
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


# Most multiplications of real matrices that OpenBLAS leaves to one thread (measured with 0.3.31).
_MOST = 2**19 - 1
# Blocks of fewer rows and columns would be slow.
_LEAST = 8


class Rows:
    """A frozen dataclass of arrays whose rows can be selected by any NumPy index."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __getitem__(self, index: Any) -> Self:
        """Return some of the rows."""
        return type(self)(*[getattr(self, name)[index] for name in self.__dataclass_fields__])


def places_in_panels(low: Floats, high: Floats, x: Floats) -> tuple[Indices, Floats]:
    """Return the panel of each point, and where it lies in it, from -1 to 1."""
    panel = np.minimum(np.searchsorted(high, x), high.size - 1)
    left, right = low[panel], high[panel]
    return panel, np.clip((2 * x - left - right) / (right - left), -1.0, 1.0)


def waves(angle: Floats, log_size: Floats | float) -> Complexes:
    """Return exp(log_size + i angle)."""
    tangent = np.tan(0.5 * angle)
    square = tangent * tangent
    size = np.exp(log_size) / (1 + square)
    result = np.empty(size.shape, dtype=complex)
    np.multiply(size, 1 - square, out=result.real)
    np.multiply(size, tangent + tangent, out=result.imag)
    return result


def powers(first: Complexes | float, factor: Complexes, count: int) -> Complexes:
    """Return `first` times the powers 0 to count - 1 of a factor, along a new first axis.

    Each call doubles their number.
    """
    table = np.empty((count, *factor.shape), dtype=complex)
    table[0] = first
    known = 1
    while known < count:
        more = min(known, count - known)
        np.multiply(table[:more], factor, out=table[known : known + more])
        factor, known = factor * factor, known + more
    return table


def matrix_product(a: Floats, b: Floats, out: Floats | None = None) -> Floats:
    """Return the matrix product of a, shape (m, k), and b, (k, n) or (k,), into `out` if given."""
    if b.ndim == 1:
        return np.asarray(np.matmul(a, b, out=out))
    (m, k), n = a.shape, b.shape[1]
    size, side = m * k * n, isqrt(_MOST // max(k, 1))
    # Large products are worth the threads.
    if size <= _MOST or size > 2**26 or side < _LEAST:
        return np.asarray(np.matmul(a, b, out=out))
    table = np.empty((m, n)) if out is None else out
    height = width = side
    # All rows, or all columns, if they are not many more.
    if m <= min(n, 2 * side):
        height, width = m, _MOST // (k * m)
    elif n <= 2 * side:
        height, width = _MOST // (k * n), n
    for row in range(0, m, height):
        rows = slice(row, row + height)
        for column in range(0, n, width):
            columns = slice(column, column + width)
            np.matmul(a[rows], b[:, columns], out=table[rows, columns])
    return table


def chebyshev_count(change: float, growth: float = 0.0) -> int:
    """Return how many Chebyshev points leave about 1e-12 of waves that turn so far either way.

    They may also grow, like exp(growth (x - 1)) for x from -1 to 1, whose coefficients fall like
    exp(-k^2 / (2 growth)).
    """
    return int(np.ceil(np.hypot(change + 5 * np.cbrt(change) + 6, np.sqrt(54 * growth))))


def chebyshev_points(count: int) -> Floats:
    """Return points of [0, 1], with both ends, that are dense beside the ends."""
    return np.asarray(0.5 - 0.5 * np.cos(np.pi * np.arange(count) / (count - 1)))


def chebyshev_matrix(count: int, x: Floats) -> Floats:
    """Return the matrix from values at Chebyshev points to those at x, in [0, 1]."""
    weights = np.where(np.arange(count) % 2, -1.0, 1.0)
    weights[[0, -1]] *= 0.5
    return barycentric(chebyshev_points(count), weights, x)


def barycentric(nodes: Floats, weights: Floats, x: Floats) -> Floats:
    """Return the shares of values at n nodes in their polynomial at x, shape (..., n).

    By the barycentric formula (Berrut and Trefethen, SIAM Review 46, 2004).
    """
    gap = x[..., np.newaxis] - nodes
    gap[gap == 0] = np.finfo(float).tiny
    shares = weights / gap
    shares /= shares.sum(axis=-1, keepdims=True)
    return np.asarray(shares)


def chebyshev_values(table: Complexes, matrix: Floats) -> Complexes:
    """Return the product of complex values, along the last axis, and a real matrix."""
    found = np.empty((*table.shape[:-1], matrix.shape[1]), dtype=complex)
    for part, known in ((found.real, table.real), (found.imag, table.imag)):
        flat = np.ascontiguousarray(known).reshape(-1, len(matrix))
        part[...] = matrix_product(flat, matrix).reshape(part.shape)
    return found


def stacked_products(a: Complexes, b: Complexes) -> Complexes:
    """Return the matrix products of a, shape (s, m, k), and b, shape (s, k, n)."""
    (_, m, k), n = a.shape, b.shape[2]
    # Multiplications that OpenBLAS leaves to one thread; fewer with a vector.
    most = 2**16 - 1 if min(m, n) > 1 else 2**12 - 1
    if m * k * n <= most:
        return np.asarray(np.matmul(a, b))
    result = np.empty((len(a), m, n), dtype=complex)
    height = max(min(m, most // (k * min(n, _LEAST))), 1)
    width = max(min(n, most // (k * height)), 1)
    for row in range(0, m, height):
        rows = slice(row, row + height)
        for column in range(0, n, width):
            columns = slice(column, column + width)
            np.matmul(a[:, rows], b[..., columns], out=result[:, rows, columns])
    return result


# Points over which a spike is smeared, its exponent, and points for each sum.
_POINTS, _BETA, _OVERSAMPLING = 16, 2.3 * 16, 4
# Largest turn from the middle of the kernel to its end.
_MOST_TURN = np.pi * _POINTS / _OVERSAMPLING


def even_sums(angles: Floats, masses: Floats, count: int) -> Complexes:
    """Return the sums over masses m at angles x of m exp(i k x), for k < count, which is 8 or more.

    The errors are about 1e-14 of the sum of the sizes of the masses, and those that rounding
    leaves in k x.
    """
    # A slow import, done only when needed.
    from scipy.fft import next_fast_len, rfft

    size = next_fast_len(_OVERSAMPLING * count, real=True)
    place = angles * (size / (2 * np.pi))
    first = np.ceil(place - _POINTS / 2)
    smeared = np.zeros(size)
    for point in range(_POINTS):
        z = (first + point - place) * (2 / _POINTS)
        index = np.mod(first + point, size).astype(np.intp)
        smeared += np.bincount(index, masses * _kernel(z), size)
    sums = np.conj(rfft(smeared)[:count])
    turns = np.arange(count, dtype=np.float64) * (np.pi * _POINTS / size)
    transform = chebval(2 * (turns / _MOST_TURN) ** 2 - 1, _coefficients())
    return np.asarray(sums / transform, dtype=complex)


def _kernel(z: Floats) -> Floats:
    return np.exp(_BETA * (np.sqrt(np.maximum(1 - z * z, 0.0)) - 1))


@cache
def _coefficients() -> Floats:
    """Coefficients of the transform of the kernel in Chebyshev polynomials of the squared turn.

    The transform is the sum of the kernel times cos(turn z) over the points of the grid, as an
    integral. The kernel ends in a root, beyond which nothing counts: z = sin(v) makes it smooth,
    and the cosine turns by less than two radians.
    """
    nodes, weights = leggauss(64)
    v = 0.5 * np.pi * nodes
    weights = weights * (0.25 * np.pi * _POINTS) * np.cos(v) * _kernel(np.sin(v))
    # A polynomial of degree 14 is exact: the next coefficients are rounding.
    number = 15
    angles = np.pi * (np.arange(number) + 0.5) / number
    turns = _MOST_TURN * np.cos(0.5 * angles)
    values = np.cos(np.multiply.outer(turns, np.sin(v))) @ weights
    coefficients = np.cos(np.multiply.outer(np.arange(number), angles)) @ values * (2 / number)
    coefficients[0] /= 2
    return np.asarray(coefficients)


Family = Callable[[Indices, Floats], Floats]

_NODES, _WEIGHTS = leggauss(12)


def integrate(functions: Family, edges: Floats, tolerance: float = 1e-11) -> Floats:
    """Integrate functions, each over its own interval.

    Parameters
    ----------
    functions : callable
        ``functions(index, x)`` has the values of function number ``index[i]`` at the points
        ``x[:, i]``, finite ones. They may have further axes before, one for each of several
        functions on the same interval.
    edges : ndarray of shape (n_functions, n_edges)
        Ascending ends of the pieces to begin with. A feature of a function is found if it is not
        much narrower than the piece it lies in; pieces may be empty.
    tolerance : float, default=1e-11
        How far the two halves of a piece may differ from the whole, as a share of the integral of
        the modulus over all pieces.

    Returns
    -------
    integrals : ndarray of shape (..., n_functions)
        Relative errors are well below ten times the tolerance.
    """
    count = len(edges)
    index, piece = np.nonzero(np.diff(edges) > 0)
    left, right = edges[index, piece], edges[index, piece + 1]
    whole = _gauss(functions, index, left, right)
    allowed = tolerance * _sums(np.abs(whole), index, count)
    # More pieces are not halved at a time: they differ by the noise of the functions.
    total, most = np.zeros_like(allowed), max(500, 2 * index.size)
    for _ in range(50):
        if not 0 < index.size <= most:
            break
        middle = (left + right) / 2
        first = _gauss(functions, index, left, middle)
        second = _gauss(functions, index, middle, right)
        differ = np.abs(first + second - whole) > allowed[..., index]
        split = differ.any(axis=tuple(range(differ.ndim - 1)))
        total += _sums((first + second)[..., ~split], index[~split], count)
        index = np.tile(index[split], 2)
        left, right = np.r_[left[split], middle[split]], np.r_[middle[split], right[split]]
        whole = np.concatenate([first[..., split], second[..., split]], axis=-1)
    return np.asarray(total + _sums(whole, index, count))


def _gauss(functions: Family, index: Indices, left: Floats, right: Floats) -> Floats:
    """Apply one Gauss-Legendre rule to each piece."""
    half = (right - left) / 2
    x = (left + right) / 2 + half * _NODES[:, np.newaxis]
    integrals: Floats = half * (_WEIGHTS @ functions(index, x))
    return integrals


def _sums(values: Floats, index: Indices, count: int) -> Floats:
    """Add up the values of each function."""
    shape = values.shape[:-1]
    rows = values.reshape(prod(shape), index.size)
    return np.reshape([np.bincount(index, row, count) for row in rows], (*shape, count))
