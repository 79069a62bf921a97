"""Tails of a sum of independent binomial variables, on a log scale."""

import numpy as np
from scipy.special import expit, logit

from skpostbac._utils import Floats
from skpostbac.stats._numerics import bracketed_root

# Standard deviations, and counts, beyond which a tail is below exp(-40), and that logarithm.
_REACH, _DEPTH = 10.0, 40.0
# Rates whose characteristic functions are multiplied at once.
_BLOCK = 1024


def log_survival(k: float, n: Floats, p: Floats) -> float:
    r"""Return log P(S >= k) of a sum S of independent Binomial(n_i, p_i) variables.

    With the cumulant generating function K of S, and any t > 0,

    .. math::

        P(S \ge k) = \frac{1}{2 \pi} \int_{-\pi}^{\pi}
        \frac{e^{K(t + i\varphi) - (t + i\varphi) k}}{1 - e^{-t - i\varphi}}\,d\varphi.

    At the t where the integrand is smallest on the real axis it decays within some tilted standard
    deviations, and the trapezoid rule converges geometrically. A few hundred nodes are enough for
    any number of trials.

    Parameters
    ----------
    k : float
        A count, an integer.
    n : ndarray of shape (l,)
        Numbers of trials: integers, as floats.
    p : ndarray of shape (l,)
        Probabilities of success, in [0, 1].

    Returns
    -------
    log_probability : float
        In [-inf, 0]. The error is some rounding errors of the number of trials.

    Examples
    --------
    >>> import math
    >>> math.exp(log_survival(2, np.array([2.0, 1.0]), np.array([0.5, 0.1])))
    0.3
    >>> log_survival(600, np.array([1000.0]), np.array([0.1]))
    -754.27
    """
    k, inner = k - float(n[p == 1].sum()), (p > 0) & (p < 1) & (n > 0)
    rates, kind = np.unique(p[inner], return_inverse=True)
    trials = np.bincount(kind, n[inner], rates.size).astype(float)
    total = trials.sum()
    if k <= 0:
        return 0.0
    if k > total:
        return -np.inf
    if k == total:
        return float(trials @ np.log(rates))
    if k <= trials @ rates:
        # A failure may be as good as certain.
        return float(np.log1p(-np.exp(log_survival(total - k + 1, trials, 1 - rates))))

    def slope(log_t: float) -> float:
        t = np.exp(log_t)
        return float(trials @ expit(logit(rates) + t) - k + np.exp(-t) / np.expm1(-t))

    # At the first t the last term is the largest, at the other the mean is almost the total.
    low = 0.5 / np.sqrt(total + 1)
    high = np.log(4) + max(0.0, np.log(total + 1) - logit(rates).min())
    t = np.exp(bracketed_root(slope, np.log(low), np.log(high)))
    tilted = expit(logit(rates) + t)
    variance = float(trials @ (tilted * (1 - tilted)))
    # Other coefficients of the periodic integrand are added to the one in search: far ones.
    size = 2 * np.ceil(_DEPTH / (2 * t) + _REACH / 2 * (1 + np.sqrt(variance))) + 1
    # The modulus of the characteristic function is at most exp(-2 variance sin(angle / 2)^2).
    last = 2 * np.arcsin(np.sqrt(min(_DEPTH / (2 * variance), 1.0)))
    count = min(size // 2, np.ceil(last / (2 * np.pi) * size)) + 1
    angle = 2 * np.pi / size * np.arange(count)
    s, half = t + 1j * angle, np.sin(0.5 * angle)
    # NumPy's functions of complex numbers near zero lose digits: exp(s) - 1 = x + i y,
    x = np.expm1(t) * np.cos(angle) - 2 * half**2
    y = np.exp(t) * np.sin(angle)
    logs = -k * s - np.log(1 - np.exp(-s))
    for i in range(0, rates.size, _BLOCK):
        block = slice(i, i + _BLOCK)
        real, imaginary = (np.multiply.outer(rates[block], part) for part in (x, y))
        # and log(1 + z)
        size_of_all = trials[block] @ np.log1p(real * (2 + real) + imaginary**2)
        logs += 0.5 * size_of_all + 1j * (trials[block] @ np.arctan2(imaginary, 1 + real))
    values = np.exp(logs - logs[0].real).real
    mean = float((2 * values.sum() - values[0]) / size)
    return min(float(logs[0].real) + float(np.log(mean)), 0.0)
