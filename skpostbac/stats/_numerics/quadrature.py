"""Adaptive quadrature of many functions at once.

Function i has its own interval, cut into pieces, each with a Gauss-Legendre rule of 12 points,
exact up to degree 23. A piece is halved until its halves differ from the whole by no more than a
share of the first estimate of the integral of the modulus. The pieces of all functions that are
still open are evaluated in one call. For a smooth function halving divides the error by about 2^24,
so that what is accepted is far better than the tolerance. At a kink only the pieces beside it go on
being halved, and those that the noise of a function keeps open are accepted when they become too
many.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np
from numpy.polynomial.legendre import leggauss

from skpostbac._utils import Floats, Indices

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
