r"""Records of arrays, complex waves and their sums, and matrix products by one thread.

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
"""

from dataclasses import Field
from functools import cache
from math import isqrt
from typing import Any, ClassVar, Self

import numpy as np
from numpy.polynomial.chebyshev import chebval
from numpy.polynomial.legendre import leggauss

from skpostbac._utils import Complexes, Floats

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
    """Return the sums over masses m at angles x of m exp(i k x), for k = 0, ..., count - 1.

    The errors are about 1e-14 of the sum of the sizes of the masses, and those that rounding
    leaves in k x.
    """
    # A slow import, done only when needed.
    from scipy.fft import next_fast_len, rfft

    size = next_fast_len(max(_OVERSAMPLING * count, 2 * _POINTS), real=True)
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
