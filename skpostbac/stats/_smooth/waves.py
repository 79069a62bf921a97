"""Waves, their powers and sums, in few calls.

A complex exponential costs ten times as much as a tangent, from which cosine and sine follow,

    exp(i x) = (1 - s^2 + 2 i s) / (1 + s^2),    s = tan(x / 2).

A relative error e of s stands for an error e s / (1 + s^2) of x / 2, at most e / 2, so that poles
of the tangent do no harm.
"""

import numpy as np

from skpostbac._utils import Complexes, Floats

# Multiplications in a product of two matrices from which OpenBLAS divides it among threads, which
# takes longer, up to a thousand times on a busy machine, than to compute so small a product.
_THREADS = 2**16


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


def products(first: Complexes, second: Complexes) -> Complexes:
    """Return the matrix products of (m, i, k) and (m, k, j), without threads."""
    (_, rows, inner), columns = first.shape, second.shape[2]
    result = np.empty((len(first), rows, columns), dtype=complex)
    width = max(1, (_THREADS - 1) // (rows * inner))
    for start in range(0, columns, width):
        part = np.s_[..., start : start + width]
        np.matmul(first, second[part], out=result[part])
    return result
