"""Central moments of Betas, and cumulants of weighted sums of them, in closed form.

The density f of Beta(a, b) satisfies theta (1 - theta) f' = (a - 1 - (n - 2) theta) f with n = a +
b. Times a power of theta - mu and integrated by parts, this gives the recursion of the central
moments

    m_{r+1} = r / (n + r) (mu (1 - mu) m_{r-1} + (1 - 2 mu) m_r),  m_0 = 1,  m_1 = 0,

with the mean mu = a / n. The cumulants of one variable are kappa_2 = m_2, kappa_3 = m_3 and
kappa_4 = m_4 - 3 m_2^2; those of sum_i w_i theta_i are the sums of w_i^r kappa_r.
"""

import numpy as np

from skpostbac._utils import Floats


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
