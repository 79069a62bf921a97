r"""Moments of a small power of a positive variable, from its Laplace transform.

For 0 <= s < 1 and L(t) = E[exp(-t X)]

    E[X^s] = integral of g(s) E[X exp(-t X)] dt  over t > 0,   g(s) = t^-s / Gamma(1 - s),

as the integral of t^-s exp(-t x) is Gamma(1 - s) x^(s - 1). The moments of X^e about one are those
of the k-th differences of g at s = 0, e, 2 e, ...,

    E[(X^e - 1)^k] = integral of (sum_j binom(k, j) (-1)^(k - j) g(j e)) E[X exp(-t X)] dt,

which are summed without cancellation: with G = g(e) and the differences q_j of g(j e) / G^j at
0, 1, ..., j, which do not depend on t, they are sum_j binom(k, j) q_j G^j (G - 1)^(k - j), where
q_0 = 1 and q_1 = 0.

With t = exp(u) the integrand is analytic in the strip of half width pi / 2, so that the trapezoid
rule with the step h has an error of exp(-pi^2 / h). Far above, E[X exp(-t X)] is a power of t:
there its log goes on as a straight line. Nothing of this knows of the many corners at which a
density of several small exponents bends.
"""

from collections.abc import Callable

import numpy as np
from scipy.special import gammaln, zeta

from skpostbac._utils import Floats
from skpostbac.stats._numerics import DEPTH, expm1mx

# Log of L(t), and minus its slope, E[X exp(-t X)] / L(t).
Laplace = Callable[[float], tuple[float, float]]
# Step in u; more nodes than these are not evaluated, or added on a straight line.
_STEP, _MOST_NODES, _MOST_ADDED = 0.25, 1500, 2**20
# The line is straight where the power of t is the same at so many nodes.
_ALIKE, _SAME = 4, 1e-14


def moments_about_one(laplace: Laplace, exponent: float) -> Floats | None:
    """Return E[(X^e - 1)^k] for k = 1, 2, 3, 4, of a positive X of mean one; 4 e is below one.

    None if the line above falls so slowly, as for exponents far below 1e-3, that it has no end.
    """
    # Far below zero t E[X exp(-t X)] is t; the differences grow like t^(-4 e).
    below = np.arange(-np.ceil(DEPTH / (1 - 4 * exponent) / _STEP), 0) * _STEP
    near = below[below > -DEPTH].tolist()
    found = [_log_integrand(laplace, u)[0] for u in near]
    above = _above(laplace)
    if above is None:
        return None
    logs = np.concatenate([below[below <= -DEPTH], found, above])
    u = _STEP * np.arange(float(logs.size)) + below[0]
    return np.asarray(_STEP * (_differences(u, exponent) @ np.exp(logs)))


def _log_integrand(laplace: Laplace, u: float) -> tuple[float, float]:
    """Log of t E[X exp(-t X)] at t = exp(u), and the power p with which L falls like t^-p."""
    log_transform, mean = laplace(float(np.exp(u)))
    return log_transform + float(np.log(mean)) + u, float(np.exp(np.log(mean) + u))


def _above(laplace: Laplace) -> Floats | None:
    """Return logs of the integrand at u = 0 and above, to where it is next to nothing."""
    logs: list[float] = []
    powers: list[float] = []
    for number in range(_MOST_NODES):
        log, power = _log_integrand(laplace, _STEP * number)
        logs.append(log)
        powers.append(power)
        straight = len(powers) > _ALIKE and np.ptp(powers[-_ALIKE:]) < _SAME * power
        if straight or log < -DEPTH - 10:
            break
    added = max(logs[-1] + DEPTH + 10, 0.0) / (_STEP * powers[-1])
    if added > _MOST_ADDED:
        return None
    return np.append(logs, logs[-1] - _STEP * powers[-1] * np.arange(1.0, added + 1))


def _differences(u: Floats, exponent: float) -> Floats:
    """First to fourth differences of g at t = exp(u), shape (4, n)."""
    log_g = -exponent * u - gammaln(1 - exponent)
    g, x = np.exp(log_g), np.expm1(log_g)
    q2, q3, q4 = _ratio_differences(exponent)
    second, third = q2 * g**2, q3 * g**3
    fourth = x**4 + 6 * second * x**2 + 4 * third * x + q4 * g**4
    return np.array([x, x**2 + second, x**3 + 3 * second * x + third, fourth])


def _ratio_differences(exponent: float) -> tuple[float, float, float]:
    """Differences q_2 to q_4 of r_j = Gamma(1 - e)^j / Gamma(1 - j e) at j = 0, 1, ..., k.

    They fall like e^k. The log of r_j is the sum of zeta(n) e^n (j - j^n) / n over n >= 2, and the
    differences are taken of its terms, and of what is left of r_j.
    """
    n = np.arange(2.0, 400.0)
    weights = zeta(n) * np.power(exponent, n) / n
    logs = [float((weights * (j - np.power(float(j), n))).sum()) for j in range(5)]
    rest = expm1mx(np.array(logs))
    third = 3 - 3**n - 3 * (2 - 2**n)
    fourth = 4 - 4**n - 4 * (3 - 3**n) + 6 * (2 - 2**n)
    return (
        float(np.expm1(logs[2])),
        float((weights * third).sum() + rest[3] - 3 * rest[2]),
        float((weights * fourth).sum() + rest[4] - 4 * rest[3] + 6 * rest[2]),
    )
