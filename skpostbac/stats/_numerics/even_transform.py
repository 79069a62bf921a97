r"""Sums of many waves at even heights, by a fast Fourier transform.

The sums

    f_k = \sum_j m_j exp(i k x_j),    k = 0, 1, ..., n - 1,

of masses m_j at any angles x_j are the Fourier coefficients of a train of spikes. Each spike is
smeared by a narrow kernel phi over an even grid of R points, on which one FFT finds all sums, times
the transform of the kernel (Dutt and Rokhlin, SIAM Journal on Scientific Computing 14, 1993). With
phi(z) = exp(beta (sqrt(1 - z^2) - 1)) on W points, R >= 4 n and beta = 2.3 W the aliases are below
1e-14 of the sum of the masses (Barnett, Magland and af Klinteberg, the same journal 41, 2019).
"""

from functools import cache

import numpy as np
from numpy.polynomial.chebyshev import chebval
from numpy.polynomial.legendre import leggauss

from skpostbac._utils import Complexes, Floats

# Points over which a spike is smeared, its exponent, and points for each sum.
_POINTS, _BETA, _OVERSAMPLING = 16, 2.3 * 16, 4
# Largest turn from the middle of the kernel to its end, and the degree of a polynomial in the
# square of the turn that is exact up to there: the next coefficients are rounding.
_MOST_TURN, _DEGREE = np.pi * _POINTS / _OVERSAMPLING, 14
# Nodes of the integral of the kernel times a cosine, which turns by less than two radians.
_NODES: Floats
_WEIGHTS: Floats
_NODES, _WEIGHTS = leggauss(64)


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
    values: Complexes = np.asarray(sums / _interpolated_transform(turns), dtype=complex)
    return values


def _kernel(z: Floats) -> Floats:
    return np.exp(_BETA * (np.sqrt(np.maximum(1 - z * z, 0.0)) - 1))


def _interpolated_transform(turns: Floats) -> Floats:
    """Return the same as `_transform`, in a hundredth of the time."""
    return np.asarray(chebval(2 * (turns / _MOST_TURN) ** 2 - 1, _coefficients()))


@cache
def _coefficients() -> Floats:
    """Coefficients of the transform in Chebyshev polynomials of the square of the turn."""
    number = _DEGREE + 1
    angles = np.pi * (np.arange(number) + 0.5) / number
    values = _transform(_MOST_TURN * np.cos(0.5 * angles))
    coefficients = np.cos(np.multiply.outer(np.arange(number), angles)) @ values * (2 / number)
    coefficients[0] /= 2
    return np.asarray(coefficients)


def _transform(turns: Floats) -> Floats:
    """Sum of the kernel times cos(turn z) over the points of the grid, as an integral."""
    # The kernel ends in a root, beyond which nothing counts: z = sin(v) makes it smooth.
    v = 0.5 * np.pi * _NODES
    weights = _WEIGHTS * (0.25 * np.pi * _POINTS) * np.cos(v) * _kernel(np.sin(v))
    return np.asarray(np.cos(np.multiply.outer(turns, np.sin(v))) @ weights)
