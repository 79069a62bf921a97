"""Tails of a sum of independent binomial variables, however small."""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit, logit

from skpostbac.stats._points import Floats

# Standard deviations, and counts, beyond which a tail is below exp(-60).
_REACH = 12


def log_survival(k: int, n: Floats, p: Floats) -> float:
    """Return log P(S >= k) of a sum S of independent Binomial(n_i, p_i) variables.

    S is tilted until its mean is k, where its probabilities are no longer tiny, and they are found
    by a discrete Fourier transform over the counts close by. The time grows with the standard
    deviation of S.

    Parameters
    ----------
    k : int
        A count.
    n : ndarray of shape (l,)
        Numbers of trials: integers, as floats.
    p : ndarray of shape (l,)
        Probabilities of success, in [0, 1].

    Returns
    -------
    log_probability : float
        In [-inf, 0], accurate to about 1e-12 of the larger of 1 and itself.

    Examples
    --------
    >>> import math
    >>> math.exp(log_survival(2, np.array([2.0, 1.0]), np.array([0.5, 0.1])))
    0.3
    >>> log_survival(600, np.array([1000.0]), np.array([0.1]))
    -754.27
    """
    certain, possible = n[p == 1].sum(), n[p > 0].sum()
    if k <= certain:
        return 0.0
    if k > possible:
        return -np.inf
    if k == possible:
        return float((n[p > 0] * np.log(p[p > 0])).sum())
    inner = (p > 0) & (p < 1) & (n > 0)
    return _inner_log_survival(k - certain, n[inner], p[inner])


def _inner_log_survival(k: float, n: Floats, p: Floats) -> float:
    """Return log P(S >= k) for 0 < k < n.sum() and probabilities inside (0, 1)."""
    tilt = _tilt(k, n, p)
    tilted = expit(logit(p) + tilt)
    first, probabilities = _probabilities(n, tilted)
    beyond = first + np.arange(probabilities.size) - k
    share = probabilities[beyond >= 0] @ np.exp(-tilt * beyond[beyond >= 0])
    return float(min((n * np.log1p(p * np.expm1(tilt))).sum() - tilt * k + np.log(share), 0.0))


def _tilt(k: float, n: Floats, p: Floats) -> float:
    """Return the t >= 0 for which the tilted mean is k, or 0 if the mean is above it."""

    def excess(tilt: float) -> float:
        return float(n @ expit(logit(p) + tilt) - k)

    if excess(0.0) >= 0:
        return 0.0
    # There the mean is within 1 of the sum of n.
    return float(brentq(excess, 0.0, np.log(n.sum() + 1) - logit(p).min()))


def _probabilities(n: Floats, p: Floats) -> tuple[float, Floats]:
    """Return a count, and the probabilities of it and of those above it that matter."""
    mean, reach = n @ p, _REACH * (1 + np.sqrt(n @ (p * (1 - p))))
    first = max(np.floor(mean - reach), 0.0)
    size = int(min(np.ceil(mean + reach), n.sum()) - first) + 1
    angles = 2j * np.pi * np.fft.fftfreq(size)
    logs: NDArray[np.complex128] = -first * angles
    for trials, probability in zip(n, p, strict=True):
        logs = logs + trials * np.log1p(probability * np.expm1(angles))
    return first, np.maximum(np.fft.fft(np.exp(logs)).real / size, 0.0)
