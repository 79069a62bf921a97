"""Central moments of Betas, and cumulants of weighted sums of them, in closed form.

The density f of Beta(a, b) satisfies theta (1 - theta) f' = (a - 1 - (n - 2) theta) f with n = a +
b. Times a power of theta - mu and integrated by parts, this gives the recursion of the central
moments

    m_{r+1} = r / (n + r) (mu (1 - mu) m_{r-1} + (1 - 2 mu) m_r),  m_0 = 1,  m_1 = 0,

with the mean mu = a / n. The cumulants of one variable are kappa_2 = m_2, kappa_3 = m_3 and
kappa_4 = m_4 - 3 m_2^2; those of sum_i w_i theta_i are the sums of w_i^r kappa_r.
"""

from math import comb

import numpy as np

from skpostbac._utils import Floats

# Points of a Gauss rule, and the highest moment that it takes.
_MOST_POINTS = 9
ORDER = 2 * _MOST_POINTS


def central_moments(a: Floats, b: Floats, order: int) -> Floats:
    """Central moments 0 to `order` of Beta(a, b), shape (order + 1, ..., l)."""
    n = a + b
    spread, lean = (a / n) * (b / n), (b - a) / n
    moments = np.empty((order + 1, *a.shape))
    moments[0], moments[1] = 1.0, 0.0
    for r in range(1, order):
        moments[r + 1] = r / (n + r) * (spread * moments[r - 1] + lean * moments[r])
    return moments


def variances(a: Floats, b: Floats, weights: Floats) -> Floats:
    """Variance of each weights * theta, theta ~ Beta(a, b)."""
    n = a + b
    return np.asarray((a / n) * (b / n) * (weights * weights) / (n + 1))


def cumulants(a: Floats, b: Floats, weights: Floats) -> Floats:
    """Second, third and fourth cumulant of sum(weights * theta), shape (3, ...)."""
    _, _, second, third, fourth = central_moments(a, b, 4)
    square = weights * weights
    terms = [
        square * second,
        square * weights * third,
        square * square * (fourth - 3 * second * second),
    ]
    return np.asarray(np.sum(terms, axis=-1))


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
