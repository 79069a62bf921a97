"""Tails of a sum of independent binomial variables, accurate for small tails and many trials."""

import numpy as np
from scipy.special import expit, logit

from skpostbac._utils import Floats
from skpostbac.stats._numerics import REACH, bracketed_root, expm1mx, log1pmx, sinmx

# Standard deviations, and counts, beyond which a tail is below exp(-60).
_REACH = 12.0
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
        In [-inf, 0], accurate to about 1e-12 of the larger of 1 and itself, but for the rounding
        of the expected number of successes.

    Examples
    --------
    >>> import math
    >>> math.exp(log_survival(2, np.array([2.0, 1.0]), np.array([0.5, 0.1])))
    0.3
    >>> log_survival(600, np.array([1000.0]), np.array([0.1]))
    -754.27
    """
    certain = n[p == 1].sum()
    inner = (p > 0) & (p < 1) & (n > 0)
    rates, kind = np.unique(p[inner], return_inverse=True)
    trials = np.bincount(kind, n[inner], rates.size).astype(float)
    return _inner_log_survival(k - float(certain), trials, rates)


def _inner_log_survival(k: float, n: Floats, p: Floats) -> float:
    """Return log P(S >= k) for probabilities inside (0, 1)."""
    if k <= 0:
        return 0.0
    if k > n.sum():
        return -np.inf
    if k > n @ p:
        return min(_log_upper_tail(k, n, p), 0.0)
    # A failure may be as good as certain.
    return float(np.log1p(-np.exp(log_survival(n.sum() - k + 1, n, 1 - p))))


def _log_upper_tail(k: float, n: Floats, p: Floats) -> float:
    """Return log P(S >= k) for a k above the mean of S."""
    if k == n.sum():
        return float(n @ np.log(p))
    excess = float(k - n @ p)
    t = _saddle(excess, n, p)
    return float(n @ _centred_cumulant(t, p) - t * excess + np.log(_mean_power(t, excess, n, p)))


def _saddle(excess: float, n: Floats, p: Floats) -> float:
    """Return the t > 0 where exp(K(t) - t k) / (1 - exp(-t)) is smallest, for k above the mean."""

    def slope(log_t: float) -> float:
        t = np.exp(log_t)
        return float(n @ _rise(t, p) - excess + np.exp(-t) / np.expm1(-t))

    # At the first t the last term is the largest, at the other the mean is almost the sum of n.
    low = 0.5 / np.sqrt(n.sum() + 1)
    high = np.log(4) + max(0.0, np.log(n.sum() + 1) - logit(p).min())
    return float(np.exp(bracketed_root(slope, np.log(low), np.log(high))))


def _rise(t: float, p: Floats) -> Floats:
    """Return by how much a tilt raises probabilities."""
    return np.asarray(-expit(logit(p) + t) * (1 - p) * np.expm1(-t))


def _centred_cumulant(t: float, p: Floats) -> Floats:
    """Return log(1 - p + p exp(t)) - p t, without cancellation."""
    rare, tilt = np.minimum(p, 1 - p), np.where(p < 0.5, t, -t)
    near = np.clip(tilt, -1.0, 1.0)
    series = log1pmx(rare * np.expm1(near)) + rare * expm1mx(near)
    direct = np.logaddexp(np.log1p(-rare), np.log(rare) + tilt) - rare * tilt
    return np.where(near == tilt, series, direct)


def _mean_power(t: float, excess: float, n: Floats, p: Floats) -> float:
    """Return E[exp(-t (S - k)); S >= k] of the tilted S, by the trapezoid rule."""
    tilted = expit(logit(p) + t)
    variance = float(n @ (tilted * (1 - tilted)))
    # Other coefficients of the periodic integrand are added to the one in search: far ones.
    size = 2 * np.ceil(REACH / (2 * t) + _REACH / 2 * (1 + np.sqrt(variance))) + 1
    # The modulus of the characteristic function is at most exp(-2 variance sin(angle / 2)^2).
    last = 2 * np.arcsin(np.sqrt(min(REACH / (2 * variance), 1.0)))
    angles = 2 * np.pi / size * np.arange(min(size // 2, np.ceil(last / (2 * np.pi) * size)) + 1)
    log_modulus, phase = np.zeros(angles.size), angles * (n @ _rise(t, p) - excess)
    for first in range(0, n.size, _BLOCK):
        block = slice(first, first + _BLOCK)
        parts = _characteristic(angles, tilted[block, np.newaxis])
        log_modulus, phase = log_modulus + n[block] @ parts[0], phase + n[block] @ parts[1]
    # 1 - exp(-t - i angle)
    real = -np.expm1(-t) + 2 * np.exp(-t) * np.sin(angles / 2) ** 2
    imaginary = np.exp(-t) * np.sin(angles)
    turned = (real * np.cos(phase) + imaginary * np.sin(phase)) / (real**2 + imaginary**2)
    values = np.exp(log_modulus) * turned
    return float((2 * values.sum() - values[0]) / size)


def _characteristic(angles: Floats, p: Floats) -> tuple[Floats, Floats]:
    """Return log modulus and argument of E exp(i angle (X - p)), for a Bernoulli(p) variable X."""
    q = 1 - p
    log_modulus = 0.5 * np.log1p(-4 * p * q * np.sin(angles / 2) ** 2)
    sine = p * sinmx(q * angles) - q * sinmx(p * angles)
    return log_modulus, np.arctan2(sine, p * np.cos(q * angles) + q * np.cos(p * angles))
