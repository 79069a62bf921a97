"""Adaptive quadrature of many functions at once.

Function i has its own interval, cut into pieces, each with a Gauss-Legendre rule of 12 points. A
piece is halved until its halves differ from the whole by no more than 1e-11 of the first estimate
of the integral of the function. The pieces of all functions that are still open are evaluated in
one call. For a smooth function halving divides the error by about 2^24, so that what is accepted
has a relative error well below 1e-10.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.polynomial.legendre import leggauss

from skpostbac._utils import Floats, Indices

Family = Callable[[Indices, Floats], Floats]

_NODES, _WEIGHTS = leggauss(12)

# The sum of two halves is accepted if it differs by no more than this from their whole. It is far
# better than that: to halve a piece of a smooth function divides the error by about 2**24.
_TOLERANCE = 1e-11


def integrate(functions: Family, edges: Floats) -> Floats:
    """Integrate non-negative functions, each over its own interval.

    Parameters
    ----------
    functions : callable
        ``functions(index, x)`` has the values of function number ``index[i]`` at the points
        ``x[:, i]``, finite ones.
    edges : ndarray of shape (n_functions, n_edges)
        Ascending ends of the pieces to begin with. A feature of a function is found if it is not
        much narrower than the piece it lies in; pieces may be empty.

    Returns
    -------
    integrals : ndarray of shape (n_functions,)
        Relative errors are well below 1e-10.
    """
    count = len(edges)
    index, piece = np.nonzero(np.diff(edges) > 0)
    left, right = edges[index, piece], edges[index, piece + 1]
    whole = _gauss(functions, index, left, right)
    allowed = _TOLERANCE * np.bincount(index, whole, count)
    total = np.zeros(count)
    while index.size:
        middle = (left + right) / 2
        first = _gauss(functions, index, left, middle)
        second = _gauss(functions, index, middle, right)
        split = np.abs(first + second - whole) > allowed[index]
        total += np.bincount(index[~split], (first + second)[~split], count)
        index = np.tile(index[split], 2)
        left, right = np.r_[left[split], middle[split]], np.r_[middle[split], right[split]]
        whole = np.r_[first[split], second[split]]
    return total


def _gauss(functions: Family, index: Indices, left: Floats, right: Floats) -> Floats:
    """Apply one Gauss-Legendre rule to each piece."""
    half = (right - left) / 2
    x = (left + right) / 2 + half * _NODES[:, np.newaxis]
    integrals: Floats = half * (_WEIGHTS @ functions(index, x))
    return integrals
