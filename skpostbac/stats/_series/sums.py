"""What series of sums of independent variables have in common.

`vanishing_heights` is where the transform of a sum ends, and `orders` how many orders its series
has. Where its variables are at their ends from some height on, but for a few narrow ones, these
count by the points of a Gauss rule, and `fade` leads the coefficients over to that.
"""

from math import comb

import numpy as np
from scipy.special import erfc

from skpostbac._utils import Floats

# Variables of less than this share of the standard deviation of their sum count by their means.
NARROW = 1e-13
# The transform is cut off, and the mass beyond the range, below exp(-DEPTH) = 1.7e-15. Both bounds
# are seldom attained.
DEPTH = 34.0
# Newton's steps for the height: all but the first come from above. A short one is the last, and
# leaves an error of at most half its square.
_MOST_STEPS, _LAST = 60, 0.2
_MOST_LOG = 400.0
# Orders of a series: the fewest, the most, the most of all variables of a sum together, and the
# most of each of many variables.
_FEWEST, _MOST, _MOST_OF_ALL, _MOST_OF_MANY = 8, 2**16, 2**20, 2**13
# So many orders take less time than corners.
_CHEAP = 300
# The period is a little wider than the range, so that its two ends do not meet.
PERIOD = 1 + 1 / 16
# Points of a Gauss rule, and the highest moment that it takes.
_MOST_POINTS = 9
ORDER = 2 * _MOST_POINTS


def vanishing_heights(exponents: Floats, ratios: Floats, variance: Floats) -> Floats:
    """Heights T with sum_i o_i log(1 + T^2 v_i / o_i) = 2 DEPTH, shape (m,).

    In u = log T^2 the left-hand side of the equation is convex and increasing. That of a single
    Gamma variable, of the same shape and variance as all together, is larger (Jensen's inequality),
    so that the search begins below the root, and a Newton step leads above.
    """
    shape = exponents.sum(axis=1)
    u = np.log(np.expm1(np.minimum(2 * DEPTH / shape, _MOST_LOG)) * shape / variance)
    for _ in range(_MOST_STEPS):
        x = np.exp(u)[:, np.newaxis] * ratios
        missing = 2 * DEPTH - (exponents * np.log1p(x)).sum(axis=1)
        step = missing / (exponents * (x / (1 + x))).sum(axis=1)
        u = np.minimum(u + step, _MOST_LOG)
        if (np.abs(step) < _LAST).all():
            break
    return np.asarray(np.exp(0.5 * u))


def orders(vanished: Floats, resolved: Floats, n_variables: int) -> Floats:
    """Return the numbers of orders of series, whole numbers, shape (m,).

    They end at the order where the transform has vanished, or where the ends of all variables are
    resolved and the rest is summed in closed form, whichever comes first.
    """
    wanted = np.where(vanished <= _CHEAP, vanished, np.minimum(vanished, resolved))
    most = max(min(_MOST, _MOST_OF_ALL // n_variables), _MOST_OF_MANY)
    return np.asarray(np.minimum(np.maximum(np.ceil(wanted) + 1, _FEWEST), most))


def gauss_points(moments: Floats, weights: Floats, count: Floats) -> tuple[Floats, Floats]:
    """Gauss rules for weighted sums about their means, `count` (m, l) of each variable.

    `moments` are central ones of the variables, shape (ORDER + 1, m, l). Returns nodes and weights,
    shape (m, n). The recursion of the orthogonal polynomials follows from the Cholesky factor of
    the moments (Golub and Welsch, Mathematics of Computation 23, 1969). A rule has fewer points
    where rounding leaves no such factor.
    """
    scale = np.sqrt((count * weights**2 * moments[2]).sum(axis=1))
    moments = _moments_of_sums(moments, weights, count, scale)
    for n in range(_MOST_POINTS, 0, -1):
        index = np.add.outer(np.arange(n + 1), np.arange(n + 1))
        try:
            factor = np.linalg.cholesky(moments[:, index])
        except np.linalg.LinAlgError:
            continue
        diagonal = np.diagonal(factor, axis1=1, axis2=2)
        ratio = np.diagonal(factor, offset=-1, axis1=1, axis2=2) / diagonal[:, :-1]
        jacobi = np.zeros((len(scale), n, n))
        i = np.arange(n)
        jacobi[:, i, i] = ratio - np.pad(ratio[:, :-1], ((0, 0), (1, 0)))
        beside = diagonal[:, 1:n] / diagonal[:, : n - 1]
        jacobi[:, i[1:], i[:-1]] = jacobi[:, i[:-1], i[1:]] = beside
        nodes, vectors = np.linalg.eigh(jacobi)
        return nodes * scale[:, np.newaxis], vectors[:, 0] ** 2
    return np.zeros((len(scale), 1)), np.ones((len(scale), 1))


def _moments_of_sums(moments: Floats, weights: Floats, count: Floats, scale: Floats) -> Floats:
    """Moments of sums about their means, in units of a scale; those of normal variables if zero."""
    order = len(moments) - 1
    one = np.zeros_like(moments)
    for k in range(2, order + 1):
        rest = sum(comb(k - 1, j - 1) * one[j] * moments[k - j] for j in range(2, k))
        one[k] = moments[k] - rest
    share = weights / np.where(scale > 0, scale, 1.0)[:, np.newaxis]
    total = [(count * share**k * one[k]).sum(axis=1) for k in range(order + 1)]
    total[2] = np.ones_like(scale)
    sums = [np.ones_like(scale)]
    for k in range(1, order + 1):
        terms = [comb(k - 1, j - 1) * total[j] * sums[k - j] for j in range(1, k + 1)]
        sums.append(np.sum(terms, axis=0))
    return np.stack(sums, axis=-1)


def fade(count: int) -> Floats:
    """Shares that rise from 0 to 1, so smoothly that a series shows no trace of it; (count,)."""
    return np.asarray(0.5 * erfc(np.linspace(5, -5, count)))
