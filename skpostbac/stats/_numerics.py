r"""Numerical methods that do not depend on a distribution.

Special functions without cancellation, exact sums and frames of supports, arrays that
are indexed together, complex exponentials, single-threaded matrix products, barycentric
interpolation and adaptive quadrature. Imports `skpostbac._utils`.

**Logs of Gamma and Beta functions.** The remainder of Stirling's formula,

    log Gamma(x) - [(x - 1/2) log x - x + log(2 pi) / 2] = sum_k B_2k / (2k (2k - 1))
    x^(1 - 2k),

is asymptotic, and used from x = 8 on with seven terms. It gives log B(a, b) without the
cancellation of three log Gammas.

**Waves.** A complex exponential costs ten times as much as a tangent, from which cosine
and sine follow,

    exp(i x) = (1 - s^2 + 2 i s) / (1 + s^2),    s = tan(x / 2).

A relative error e of s amounts to an error e s / (1 + s^2) of x / 2, at most e / 2, so
poles of the tangent do no harm.

**Matrix products.** The OpenBLAS library of NumPy divides larger products among
threads. The products here are so small that its threads mostly wait for one another,
and they wait actively: each occupies a core, until 20 ms after the last product. If the
cores have other work, products then take several times as long, in the worst case a
thousand times. Therefore products are split into blocks below the threshold of
OpenBLAS; this does not change settings of the whole process, as `threadpoolctl` would.

**Nonuniform Fourier sums.** The sums

    f_k = \sum_j m_j exp(i k x_j),    k = 0, 1, ..., n - 1,

of masses m_j at any angles x_j are the Fourier coefficients of a train of spikes. Each
spike is spread by a narrow kernel phi over an equispaced grid of R points, on which one
FFT gives all sums, times the transform of the kernel (Dutt and Rokhlin, SIAM Journal on
Scientific Computing 14, 1993). With phi(z) = exp(beta (sqrt(1 - z^2) - 1)) on W points,
R >= 4 n and beta = 2.3 W the aliases are below 1e-14 of the sum of the masses (Barnett,
Magland and af Klinteberg, the same journal 41, 2019).

**Adaptive quadrature** integrates many functions at once. Function i has its own
interval, which is divided into pieces, each with a Gauss-Legendre rule of 12 points,
exact up to degree 23. A piece is halved until the sum of its halves differs from the
whole by no more than a fraction of the first estimate of the integral of the modulus.
All pieces that are still to be halved are evaluated in one call. For a smooth function
halving divides the error by about 2^24, so accepted values are far more accurate than
the tolerance. At a kink only the adjacent pieces are halved further; pieces that do not
converge because of noise are accepted when they become too many.
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

# Spacing of doubles above one.
EPS = 2.0**-52
# exp of this is still a normal double, and vanishes in a sum with exp(0).
_LEAST_EXPONENT = -700.0
# B_2k / (2k (2k - 1)), the Stirling series of log Gamma. At 8 the next term is 8e-16.
_STIRLING_TERMS = (
    1 / 12,
    -1 / 360,
    1 / 1260,
    -1 / 1680,
    1 / 1188,
    -691 / 360360,
    1 / 156,
)


def polynomial(x: Numbers, coefficients: Sequence[float]) -> Numbers:
    """Evaluate a polynomial by Horner's rule, lowest coefficient first."""
    value = np.full_like(x, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        value *= x
        value += coefficient
    return value


def log_sum(values: Floats) -> Floats:
    """Return the log of the sum of exponentials of finite numbers along the first axis.

    It is faster than `scipy.special.logsumexp`, which also handles infinities.
    """
    largest = values.max(axis=0)
    below = values - largest
    # exp takes ten times as long where it underflows.
    np.maximum(below, _LEAST_EXPONENT, out=below)
    return np.asarray(largest + np.log(np.exp(below, out=below).sum(axis=0)))


def log_binomial(u: Floats, right: float, wrong: float) -> Floats:
    """Return right log(p) + wrong log(1 - p) at log-odds u, minus its maximum.

    The maximum is at p = right / n, n = right + wrong. With q = 1 - p there, and d the
    distance of u below the maximum, the value is

        -n (log(1 + q (exp(d) - 1)) - q d).

    If p is smaller than q, the mirrored formula is used: then no digits are lost where
    n is large and d is small.
    """
    n = right + wrong
    below = np.log(right) - np.log(wrong) - u
    if wrong > right:
        return log_power_ratio(-below, right / n, n)
    return log_power_ratio(below, wrong / n, n)


def log_power_ratio(
    distance: Floats, share: Floats | float, n: Floats | float
) -> Floats:
    """Return -n (log(1 + s (exp(d) - 1)) - s d) for distances d and shares s."""
    # Where exp would overflow, the log is linear in the distance.
    loss = np.minimum(distance, -_LEAST_EXPONENT)
    linear = distance - loss
    np.expm1(loss, out=loss)
    loss *= share
    np.log1p(loss, out=loss)

    loss -= distance * share
    loss += linear
    loss *= -n
    return np.asarray(loss)


def stirling_remainder(x: Floats) -> Floats:
    """Return log Gamma(x) - [(x - 1/2) log x - x + log(2 pi) / 2]."""
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
    """Return log Gamma(x + d) - log Gamma(x) - d log x, for any x > 0 and d >= 0.

    Stirling's series gives it in a form without cancellation: the error is a few
    rounding errors of d.
    """
    remainder = stirling_remainder(x + d) - stirling_remainder(x)
    return (x + d - 0.5) * np.log1p(d / x) - d + remainder


def log_beta(a: Floats | float, b: Floats | float) -> Floats:
    """Return log B(a, b), without the cancellation of three log Gammas."""
    a = np.asarray(a, float)
    b = np.asarray(b, float)
    n = a + b
    remainder_a, remainder_b, remainder = stirling_remainder(np.array([a, b, n]))

    small = np.minimum(a, b)
    large = np.maximum(a, b)
    powers = small * np.log(small / n) + large * np.log1p(-small / n)
    half_logs = 0.5 * (np.log(2 * np.pi) + np.log(n / a) - np.log(b))
    value: Floats = half_logs + powers + (remainder_a + remainder_b - remainder)
    return value


# The fourth powers of such weights, in the kurtosis, do not overflow or underflow.
SMALLEST_WEIGHT = 1e-70
LARGEST_WEIGHT = 1e70


@dataclass(frozen=True)
class Frame:
    """Support and mean of a distribution, as precise as its width may require.

    The mean is the sum of two doubles, `mean` and `mean_rest`. Next to an end of the
    support, or next to the mean, a distribution may be narrower than the spacing of
    doubles x there. It is then resolved by distances from the end or the mean, for
    which the frame has the distances of the mean from both ends.
    """

    low: float
    high: float
    mean: float
    mean_rest: float
    mean_to_low: float
    mean_to_high: float

    def mirrored(self) -> Frame:
        """Return the frame of the negated variable."""
        return Frame(
            -self.high,
            -self.low,
            -self.mean,
            -self.mean_rest,
            self.mean_to_high,
            self.mean_to_low,
        )

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
    """Return the correctly rounded sum of numbers, and its rounding error."""
    parts = list(parts)
    total = math.fsum(parts)
    return total, math.fsum([*parts, -total])


def sum_weights(weights: ArrayLike | None, size: int) -> Floats:
    """Return a read-only copy of the weights of a sum; None means equal weights."""
    given = np.full(size, 1 / size) if weights is None else weights
    array = float_array(given, "weights")
    if array.ndim != 1:
        raise ValueError(f"weights must have one dimension; got {array.shape}.")
    check_weights(array, size)
    array.flags.writeable = False
    return array


def check_weights(array: Floats, size: int) -> None:
    """Raise unless weights have this length along the last axis and a valid size."""
    if array.shape[-1] != size:
        raise ValueError(
            f"weights must have length {size} along the last axis; "
            f"got {array.shape[-1]}."
        )
    if not np.isfinite(array).all():
        raise ValueError("weights must be finite.")
    if not array.any(axis=-1).all():
        raise ValueError("weights must not all be zero.")

    moduli = np.abs(array[array != 0])
    smallest = moduli.min(initial=1.0)
    largest = moduli.max(initial=1.0)
    if smallest < SMALLEST_WEIGHT or largest > LARGEST_WEIGHT:
        raise ValueError(
            f"weights must be zero or between {SMALLEST_WEIGHT:g} and "
            f"{LARGEST_WEIGHT:g} in size."
        )


# OpenBLAS uses one thread for products of real matrices with at most this many
# multiplications (measured with 0.3.31).
_ONE_THREAD_MULTIPLICATIONS = 2**19 - 1
# Blocks of fewer rows and columns would be slow.
_LEAST_BLOCK_SIDE = 8


class Rows:
    """Mixin of frozen dataclasses of arrays that are indexed together by rows."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __getitem__(self, index: Any) -> Self:
        """Return the rows that a NumPy index selects."""
        return type(self)(
            *[getattr(self, name)[index] for name in self.__dataclass_fields__]
        )


def places_in_panels(low: Floats, high: Floats, x: Floats) -> tuple[Indices, Floats]:
    """Return the panel of each point, and its position there, from -1 to 1."""
    panel = np.minimum(np.searchsorted(high, x), high.size - 1)
    left = low[panel]
    right = high[panel]
    return panel, np.clip((2 * x - left - right) / (right - left), -1.0, 1.0)


def waves(angle: Floats, log_size: Floats | float) -> Complexes:
    """Return exp(log_size + i angle)."""
    tangent = np.tan(0.5 * angle)
    square = tangent * tangent
    scale = np.exp(log_size) / (1 + square)

    result = np.empty(scale.shape, dtype=complex)
    np.multiply(scale, 1 - square, out=result.real)
    np.multiply(scale, tangent + tangent, out=result.imag)
    return result


def powers(first: Complexes | float, factor: Complexes, count: int) -> Complexes:
    """Return `first` times the powers 0 to count - 1 of a factor, on a new first axis.

    Each product doubles the number of powers.
    """
    table = np.empty((count, *factor.shape), dtype=complex)
    table[0] = first
    done = 1
    while done < count:
        more = min(done, count - done)
        np.multiply(table[:more], factor, out=table[done : done + more])
        factor = factor * factor
        done = done + more
    return table


def matrix_product(a: Floats, b: Floats) -> Floats:
    """Return the matrix product of a, shape (m, k), and b, shape (k, n)."""
    m, k = a.shape
    n = b.shape[1]
    size = m * k * n
    side = isqrt(_ONE_THREAD_MULTIPLICATIONS // max(k, 1))
    # Large products gain from several threads.
    if size <= _ONE_THREAD_MULTIPLICATIONS or size > 2**26 or side < _LEAST_BLOCK_SIDE:
        return np.asarray(a @ b)

    table = np.empty((m, n))
    height = width = side
    # If there are not many more rows or columns than in a square block, take them all.
    if m <= min(n, 2 * side):
        height = m
        width = _ONE_THREAD_MULTIPLICATIONS // (k * m)
    elif n <= 2 * side:
        height = _ONE_THREAD_MULTIPLICATIONS // (k * n)
        width = n

    _fill_with_product(table, a, b, height, width)
    return table


def _fill_with_product(
    out: Numbers, a: Numbers, b: Numbers, height: int, width: int
) -> None:
    """Compute matrix products in blocks of so many rows and columns."""
    for row in range(0, out.shape[-2], height):
        rows = slice(row, row + height)
        for column in range(0, out.shape[-1], width):
            columns = slice(column, column + width)
            np.matmul(a[..., rows, :], b[..., columns], out=out[..., rows, columns])


def chebyshev_count(change: float) -> int:
    """Return how many Chebyshev points interpolate a wave with an error of about 1e-12.

    The wave is exp(i change x) for x from -1 to 1.
    """
    return int(np.ceil(change + 5 * np.cbrt(change) + 6))


def chebyshev_points(count: int) -> Floats:
    """Return the Chebyshev points of the second kind on [0, 1], ends included."""
    return 0.5 - 0.5 * np.cos(np.pi * np.arange(count) / (count - 1))


def chebyshev_matrix(count: int, x: Floats) -> Floats:
    """Return the matrix that interpolates from Chebyshev points to x in [0, 1]."""
    weights = np.where(np.arange(count) % 2, -1.0, 1.0)
    weights[[0, -1]] *= 0.5
    return barycentric(chebyshev_points(count), weights, x)


def barycentric(nodes: Floats, weights: Floats, x: Floats) -> Floats:
    """Return the Lagrange polynomials of n nodes at x, shape (..., n).

    They are computed by the barycentric formula (Berrut and Trefethen, SIAM Review 46,
    2004).
    """
    gap = x[..., np.newaxis] - nodes
    gap[gap == 0] = np.finfo(float).tiny
    lagrange = weights / gap
    lagrange /= lagrange.sum(axis=-1, keepdims=True)
    return lagrange


def chebyshev_values(table: Complexes, matrix: Floats) -> Complexes:
    """Return the product of complex values, along the last axis, and a real matrix."""
    values = np.empty((*table.shape[:-1], matrix.shape[1]), dtype=complex)
    for out, part in ((values.real, table.real), (values.imag, table.imag)):
        flat = np.ascontiguousarray(part).reshape(-1, len(matrix))
        out[...] = matrix_product(flat, matrix).reshape(out.shape)
    return values


def stacked_products(a: Complexes, b: Complexes) -> Complexes:
    """Return the matrix products of a, shape (s, m, k), and b, shape (s, k, n)."""
    _, m, k = a.shape
    n = b.shape[2]
    # OpenBLAS uses one thread up to these numbers of complex multiplications.
    most = 2**16 - 1 if min(m, n) > 1 else 2**12 - 1
    if m * k * n <= most:
        return np.asarray(np.matmul(a, b))

    result: Complexes = np.empty((len(a), m, n), dtype=complex)
    height = max(min(m, most // (k * min(n, _LEAST_BLOCK_SIDE))), 1)
    width = max(min(n, most // (k * height)), 1)
    _fill_with_product(result, a, b, height, width)
    return result


# Number of grid points that the kernel covers, its exponent, and grid points per sum.
_KERNEL_POINTS = 16
_KERNEL_EXPONENT = 2.3 * 16
_OVERSAMPLING = 4
# Largest phase between the middle of the kernel and its end.
_LARGEST_PHASE = np.pi * _KERNEL_POINTS / _OVERSAMPLING


def even_sums(angles: Floats, masses: Floats, count: int) -> Complexes:
    """Return the sums of m exp(i k x) over masses m at angles x, for k < count.

    `count` must be 8 or more. Errors are about 1e-14 of the sum of the moduli of the
    masses, plus the rounding errors of k x.
    """
    # This import is slow, and seldom needed.
    from scipy.fft import next_fast_len, rfft

    size = next_fast_len(_OVERSAMPLING * count, real=True)
    indices, weights = _kernel_weights(angles * (size / (2 * np.pi)), size)
    grid = np.bincount(indices.ravel(), (masses * weights).ravel(), size)
    sums = np.conj(rfft(grid)[:count])
    return np.asarray(sums / _smoothing(np.arange(count), size), dtype=complex)


def sums_at(coefficients: Complexes, turns: Floats) -> Floats:
    """Return the real parts of the sums of c_k exp(-2 pi i k x), from k = 1 on.

    Errors are about 1e-14 of the sum of the moduli of the coefficients. For a hundred
    points or more this is faster than a sum for each.

    Parameters
    ----------
    coefficients : shape (m, d, n_orders), of d functions at the same points.
    turns : x, shape (m, n).

    Returns
    -------
    sums : ndarray of shape (m, d, n)
    """
    from scipy.fft import irfft, next_fast_len

    count = coefficients.shape[-1]
    size = next_fast_len(_OVERSAMPLING * (count + 1), real=True)
    spectrum = np.zeros((*coefficients.shape[:-1], size // 2 + 1), dtype=complex)
    smoothing = _smoothing(np.arange(1, count + 1), size)
    np.multiply(coefficients.conj(), 0.5 / smoothing, out=spectrum[..., 1 : count + 1])
    grid = irfft(spectrum, size, norm="forward")

    sums = np.zeros((*coefficients.shape[:-1], turns.shape[-1]))
    for index, weight in zip(*_kernel_weights(turns * size, size), strict=True):
        at_index = np.take_along_axis(grid, index[:, np.newaxis], axis=-1)
        sums += weight[:, np.newaxis] * at_index
    return sums


def _kernel_weights(position: Floats, size: int) -> tuple[Indices, Floats]:
    """Return the points of a periodic grid about each position, and the kernel there.

    Both have a new first axis.
    """
    first = np.ceil(position - _KERNEL_POINTS / 2)
    points = np.arange(_KERNEL_POINTS)
    indices = np.add.outer(points, first.astype(np.intp)) % size
    distances = np.add.outer(points, first - position)
    return indices, _kernel(distances * (2 / _KERNEL_POINTS))


def _smoothing(orders: Indices, size: int) -> Floats:
    """Return the factors by which the kernel changes the coefficients."""
    phases = orders * (np.pi * _KERNEL_POINTS / size)
    return chebval(2 * (phases / _LARGEST_PHASE) ** 2 - 1, _kernel_transform())


def _kernel(z: Floats) -> Floats:
    return np.exp(_KERNEL_EXPONENT * (np.sqrt(np.maximum(1 - z * z, 0.0)) - 1))


@cache
def _kernel_transform() -> Floats:
    """Return Chebyshev coefficients of the kernel's transform in the squared phase.

    The transform is the sum of the kernel times cos(phase z) over the points of the
    grid, approximated by an integral. The kernel ends like a square root at |z| = 1;
    with z = sin(v) the integrand is smooth.
    """
    nodes, weights = leggauss(64)
    v = 0.5 * np.pi * nodes
    weights = weights * (0.25 * np.pi * _KERNEL_POINTS) * np.cos(v) * _kernel(np.sin(v))

    # Degree 14 is enough: the next coefficients are at the level of rounding errors.
    count = 15
    angles = np.pi * (np.arange(count) + 0.5) / count
    phases = _LARGEST_PHASE * np.cos(0.5 * angles)
    values = np.cos(np.multiply.outer(phases, np.sin(v))) @ weights

    cosines = np.cos(np.multiply.outer(np.arange(count), angles))
    coefficients = cosines @ values * (2 / count)
    coefficients[0] /= 2
    return coefficients


Family = Callable[[Indices, Floats], Floats]

_GAUSS_NODES, _GAUSS_WEIGHTS = leggauss(12)


def integrate(functions: Family, edges: Floats, tolerance: float = 1e-11) -> Floats:
    """Integrate functions, each over its own interval.

    Parameters
    ----------
    functions : callable
        ``functions(index, x)`` returns finite values of function number ``index[i]`` at
        the points ``x[:, i]``. They may have further leading axes, for several
        functions on the same interval.
    edges : ndarray of shape (n_functions, n_edges)
        Ascending ends of the initial pieces, which may be empty. They must be fine
        enough: a peak much narrower than its piece may be missed.
    tolerance : float, default=1e-11
        Accepted difference between a piece and the sum of its halves, as a fraction of
        the integral of the modulus over all pieces.

    Returns
    -------
    integrals : ndarray of shape (..., n_functions)
        Relative errors are well below ten times the tolerance.
    """
    count = len(edges)
    index, piece = np.nonzero(np.diff(edges) > 0)
    left = edges[index, piece]
    right = edges[index, piece + 1]
    whole = _gauss(functions, index, left, right)
    allowed = tolerance * _sums(np.abs(whole), index, count)

    total = np.zeros_like(allowed)
    # So many pieces fail to converge only if the functions are noisy.
    most = max(500, 2 * index.size)
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
        left = np.r_[left[split], middle[split]]
        right = np.r_[middle[split], right[split]]
        whole = np.concatenate([first[..., split], second[..., split]], axis=-1)
    return total + _sums(whole, index, count)


def _gauss(functions: Family, index: Indices, left: Floats, right: Floats) -> Floats:
    """Apply the Gauss-Legendre rule to each piece."""
    half = (right - left) / 2
    x = (left + right) / 2 + half * _GAUSS_NODES[:, np.newaxis]
    integrals: Floats = half * (_GAUSS_WEIGHTS @ functions(index, x))
    return integrals


def _sums(values: Floats, index: Indices, count: int) -> Floats:
    """Sum the values of the pieces of each function."""
    shape = values.shape[:-1]
    rows = values.reshape(prod(shape), index.size)
    return np.reshape([np.bincount(index, row, count) for row in rows], (*shape, count))
