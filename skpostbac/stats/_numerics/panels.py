"""Integrals over panels that are halved until the halves agree with the whole.

Each panel has a Gauss-Legendre rule of 12 points, exact for polynomials up to degree 23. A panel is
accepted, with the sum of its halves, when this differs from the whole by no more than a share of
the sum of the moduli of the integrals over all first panels. For a smooth function the halves have
an error of about 2^-24 of that difference. At a kink only the panels beside it go on being halved,
and those that the noise of the function keeps open are accepted when they become too many.
"""

from collections.abc import Callable

import numpy as np

from skpostbac._utils import Floats

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)
# A panel beside a kink is halved this often at most.
_ROUNDS = 40
# More panels than this, and than so many times the first ones, are not halved at a time: they
# differ by the noise of the function.
_MOST_OPEN, _MOST_TIMES = 500, 2


def integrate_panels(
    function: Callable[[Floats], Floats], edges: Floats, tolerance: float
) -> Floats:
    """Integrate several functions at once over neighbouring panels.

    Parameters
    ----------
    function : callable
        Takes points, shape (n,), and returns the values of the m functions, shape (m, n).
    edges : ndarray of shape (n_panels + 1,)
        Ascending ends of the first panels.
    tolerance : float
        How far the two halves of a panel may differ from the whole, as a share of the integral of
        the modulus over all panels.

    Returns
    -------
    integrals : ndarray of shape (m,)
    """
    low, high = edges[:-1], edges[1:]
    whole, total = _integrals(function, low, high), 0.0
    allowed = tolerance * np.abs(whole).sum(axis=1, keepdims=True)
    most = max(_MOST_OPEN, _MOST_TIMES * low.size)
    for _ in range(_ROUNDS):
        middle = 0.5 * (low + high)
        halves = _integrals(function, np.append(low, middle), np.append(middle, high))
        left, right = np.split(halves, 2, axis=1)
        is_open = (np.abs(left + right - whole) > allowed).any(axis=0)
        total = total + (left + right)[:, ~is_open].sum(axis=1)
        low, high = (
            np.append(low[is_open], middle[is_open]),
            np.append(middle[is_open], high[is_open]),
        )
        whole = np.append(left[:, is_open], right[:, is_open], axis=1)
        if not 0 < low.size <= most:
            break
    return np.asarray(total + whole.sum(axis=1))


def _integrals(function: Callable[[Floats], Floats], low: Floats, high: Floats) -> Floats:
    """Return the integral of each function over each panel, shape (m, n_panels)."""
    half = 0.5 * (high - low)
    points = (0.5 * (low + high))[:, np.newaxis] + half[:, np.newaxis] * _NODES
    values = function(points.ravel())
    return np.asarray((values.reshape(len(values), *points.shape) @ _WEIGHTS) * half)
