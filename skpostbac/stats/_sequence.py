r"""Confidence sequences: intervals that hold at all looks at once.

The samples of class i fall into m cells with probabilities p_i. With n_ij of n_i
samples in cell j, the ratio of the prior to the posterior density of p_i,

    R_i = \mathrm{B}(a + n_i) / \mathrm{B}(a) \prod_j p_{ij}^{-n_ij},

is a martingale under the true p_i that starts at 1, as each of its factors has mean 1
given the samples before. So is the product over the classes, in whatever order their
samples arrive. By Ville's inequality, with probability 1 - alpha it never reaches
1 / alpha: the region of all p where \prod_i R_i < 1 / alpha holds the true one at all
times at once (Waudby-Smith and Ramdas, Advances in Neural Information Processing
Systems 33, 2020). It is convex, and its projection on the score \sum_i w_i \sum_j v_j
p_ij, with equally spaced values v_j of the cells, is an interval that does, too. A
ratio of densities of the score itself would be no martingale if there are two classes.

**The upper end.** Let d_j = 0, 1, ... be the distance of the value of cell j below the
highest. At the end of the score, the gradients of score and log R are parallel:

    p_ij = (n_ij / n_i) / (1 + z_ij),    z_ij = s w_i d_j / n_i - x_i,

where x_i makes the probabilities add up to one, and one s > 0 for all classes makes R
reach 1 / alpha. A best cell without samples has what is left by the others. Both roots
are unique.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.special import betainc, gammaln

from skpostbac._utils import Floats
from skpostbac.stats._distribution import Interval
from skpostbac.stats._numerics import EPS, log_beta, log_rising, stirling_remainder

# Dirichlet priors by the number of cells: right and wrong; only the first right, both
# or neither, only the second. They are Jeffreys' for two and four cells.
_PRIORS = {2: np.array([0.5, 0.5]), 3: np.array([0.5, 1.0, 0.5])}
# Logs of s between which the end lies; beyond the last, the score is at its maximum.
_LEAST_PULL = -10.0
_LARGEST_PULL = 300.0
# Newton's method converges quadratically from one side.
_MOST_STEPS = 50


def sequence_interval(cells: Floats, weights: Floats, level: float) -> Interval:
    """Return what the confidence sequence of a score has after these samples.

    Parameters
    ----------
    cells : ndarray of shape (n_classes, 2) or (n_classes, 3)
        Number of samples of each class in cells of the values 1, 0 or 1, 0, -1.
    weights : ndarray of shape (n_classes,)
        Weights of the classes in the score, which sum to 1.
    level : float
        Probability that all intervals hold.
    """
    # The others leave the score, or the region, as it is.
    is_used = (weights > 0) & cells.any(axis=1)
    cells = cells[is_used]
    weights = weights[is_used]

    prior = _PRIORS[cells.shape[1]]
    peaks = _log_peak(cells, prior).sum(axis=1)
    peaks -= _log_peak(cells.sum(axis=1), prior.sum())
    slack = -np.log1p(-level) - peaks.sum()
    low = 2 - cells.shape[1] + _shortfall(cells[:, ::-1], weights, slack)
    return Interval(low, 1 - _shortfall(cells, weights, slack))


def _log_peak(count: Floats, prior: Floats) -> Floats:
    """Return log Gamma(n + a) - log Gamma(a) - n log n + n, without cancellation.

    Summed over the cells, less that of the total, it is the log of R at the observed
    shares.
    """
    n = np.maximum(count, 1.0)
    log_gamma = log_rising(n, prior) + stirling_remainder(n)
    log_gamma += (prior - 0.5) * np.log(n) + 0.5 * np.log(2 * np.pi)
    return np.where(count > 0, log_gamma - gammaln(prior), 0.0)


def _shortfall(cells: Floats, weights: Floats, slack: float) -> float:
    """Return how far the upper end of the score is below its maximum.

    The log of R may exceed its minimum, at the observed shares, by `slack`.
    """
    total = cells.sum(axis=1)
    shares = cells / total[:, np.newaxis]
    steps = np.arange(cells.shape[1])

    def tilt(log_pull: float) -> Floats:
        return _tilt(shares, np.outer(np.exp(log_pull) * weights / total, steps))

    def excess(log_pull: float) -> float:
        return float((cells * np.log1p(tilt(log_pull))).sum() - slack)

    log_pull = _LARGEST_PULL
    if excess(log_pull) > 0:
        log_pull = brentq(excess, _LEAST_PULL, _LARGEST_PULL, xtol=1e-13)
    probabilities = shares / (1 + tilt(log_pull))
    return float(weights @ (probabilities @ steps))


def _tilt(shares: Floats, distances: Floats) -> Floats:
    """Return z = d - x of distances d, with x so that the sum of shares / (1 + z) is 1.

    If the first share is 0, x may be 1, and the sum less.
    """
    x = np.minimum(1 - shares[:, 0], 1 - EPS)
    for _ in range(_MOST_STEPS):
        z = distances - x[:, np.newaxis]
        terms = shares / (1 + z)
        surplus = -(terms * z).sum(axis=1)
        # Of 1 / sum - 1, which is concave.
        slope = (terms / (1 + z)).sum(axis=1)
        step = np.maximum(surplus, 0.0) * (1 + surplus) / slope
        x -= step
        if np.all(step <= 4 * EPS * np.abs(x)):
            break
    return np.asarray(distances - x[:, np.newaxis])


def majority_p_value(successes: float, failures: float) -> float:
    """Return the p-value at any look of a success probability of at most 1/2.

    It is 1 / e, at most 1, where e is the mean over p of the likelihood of p divided by
    that of 1/2, and p has the distribution Beta(1/2, 1/2) of what is above 1/2. If the
    probability is at most 1/2, e is a supermartingale that starts at 1.
    """
    a = successes + 0.5
    b = failures + 0.5
    with np.errstate(divide="ignore"):
        log_share = np.log(2 * betainc(b, a, 0.5))
    log_e = (a + b - 1) * np.log(2) + log_beta(a, b) - log_beta(0.5, 0.5) + log_share
    return float(np.exp(-max(log_e, 0.0)))
