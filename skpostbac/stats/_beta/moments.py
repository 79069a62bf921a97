"""Central moments of Betas, and cumulants of weighted sums of them, in closed form."""

import numpy as np

from skpostbac._utils import Floats


def central_moments(a: Floats, b: Floats, order: int) -> Floats:
    """Central moments 0 to `order` of Beta(a, b), shape (order + 1, l).

    m_{r+1} = r / (s + r) (mu (1 - mu) m_{r-1} + (1 - 2 mu) m_r) with s = a + b.
    """
    s = a + b
    spread, lean = (a / s) * (b / s), (b - a) / s
    moments = np.empty((order + 1, a.size))
    moments[0], moments[1] = 1.0, 0.0
    for r in range(1, order):
        moments[r + 1] = r / (s + r) * (spread * moments[r - 1] + lean * moments[r])
    return moments


def variances(a: Floats, b: Floats, weights: Floats) -> Floats:
    """Variance of each weights * theta, theta ~ Beta(a, b)."""
    n = a + b
    return np.asarray((a / n) * (b / n) * (weights * weights) / (n + 1))


def cumulants(a: Floats, b: Floats, weights: Floats) -> tuple[float, float, float]:
    """Second, third and fourth cumulant of sum(weights * theta), theta ~ Beta(a, b)."""
    _, _, second, third, fourth = central_moments(a, b, 4)
    square = weights * weights
    return (
        float((square * second).sum()),
        float((square * weights * third).sum()),
        float((square * square * (fourth - 3 * second * second)).sum()),
    )
