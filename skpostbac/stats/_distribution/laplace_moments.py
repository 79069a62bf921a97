r"""Moments of fractional order of a positive variable, from its Laplace transform.

For 0 < s < 1 and L(t) = E[exp(-t X)]

    E[X^s] = 1 / Gamma(1 - s) * integral of t^-s E[X exp(-t X)] dt  over t > 0,

as the integral of t^-s exp(-t x) is Gamma(1 - s) x^(s - 1). With t = exp(u) the integrand is
positive and analytic in the strip of half width pi / 2, so that the trapezoid rule with the step h
has an error of exp(-pi^2 / h). Far out on both sides it is a pure exponential: there the series is
geometric, and is summed in closed form. Nothing of this knows of the many corners at which a
density of several small exponents bends.
"""

from collections.abc import Callable

import numpy as np
from scipy.special import gamma

from skpostbac._utils import Floats
from skpostbac.stats._numerics import DEPTH

# Log of L(t), and its slope E[X exp(-t X)] / L(t).
Laplace = Callable[[float], tuple[float, float]]
# Step in u; more nodes on one side are not taken.
_STEP, _MOST_NODES = 0.25, 1500
# A side ends where so many ratios of neighbours are the same.
_ALIKE, _SAME = 4, 1e-14


def fractional_moments(laplace: Laplace, scale: float, orders: Floats) -> Floats:
    """Return E[X^s] of a positive X of about a scale, at orders s between 0 and 1, shape (n,)."""
    start = float(-np.log(scale))
    sums = _side(laplace, start, -1, orders) + _side(laplace, start + _STEP, 1, orders)
    return np.asarray(_STEP * sums / gamma(1 - orders))


def _side(laplace: Laplace, start: float, side: int, orders: Floats) -> Floats:
    """Sum over the nodes from a start on, to where the integrand is straight or nothing."""
    logs: list[float] = []
    for number in range(_MOST_NODES):
        t = float(np.exp(start + side * _STEP * number))
        log_transform, mean = laplace(t)
        logs.append(log_transform + float(np.log(mean)))
        slopes = np.diff(logs[-_ALIKE - 1 :])
        if side > 0 and logs[-1] < logs[0] - 10 * DEPTH:
            break
        if len(slopes) == _ALIKE and np.ptp(slopes) < _SAME * max(abs(logs[-1]), 1.0):
            break
    u = start + side * _STEP * np.arange(float(len(logs)))
    terms = np.exp(np.array(logs) + np.multiply.outer(1 - orders, u))
    # Towards t = 0 the log of E[X exp(-t X)] is constant. Far above, L(t) falls like t^-p, and its
    # slope like p / t.
    slope = -t * mean - 1 if side > 0 else 0.0
    ratio = np.exp(side * _STEP * (1 - orders + slope))
    return np.asarray(terms.sum(axis=1) + terms[:, -1] * ratio / (1 - ratio))
