"""Averages of two Beta variables whose weights add up to one and are Betas, too.

For independent Q, X and Y with Beta distributions, this is

    Z = Q X + (1 - Q) Y.

Given Q it is a weighted sum of two Betas, whose distribution is that of `BetaAverage`.
Given X and Y it is between them, and

    P(Z <= z | X, Y) = P(Q <= (z - Y) / (X - Y))    if X > Y.

The mean over the other variables is taken by Gauss rules of their distributions. The
first way converges fast if Q is known well; the second if X and Y differ by much and
are known well. Where neither was sufficient, as with X close to one, Y close to zero
and Q known well, the other was. The number of nodes is doubled until either way has
converged.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh_tridiagonal
from scipy.special import betainc

from skpostbac._utils import Floats
from skpostbac.stats._beta import BetaAverage
from skpostbac.stats._several import REACH, PanelDistribution, resolve

# Accuracy of the distribution function, and the panels that it may take.
_CDF_ERROR = 1e-6
_MOST_PANELS = 16
# Numbers of nodes. With the last, errors were below 1e-5 for a few samples, and below
# 1e-6 otherwise.
_FEWEST_NODES = 16
_MOST_NODES = 128
# Distances from the mean of Z and of Q, in standard deviations, at which convergence is
# judged. Beside Q the distribution has a kink if X is close to one and Y to zero.
_PROBES = np.linspace(-3.0, 3.0, 13)


def blend_moments(q: Floats, x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return means and variances of Z from parameters of Q, X and Y, (..., 2)."""
    (mean_q, var_q), (mean_x, var_x), (mean_y, var_y) = map(_moments, (q, x, y))
    rest = 1 - mean_q
    variance = var_q * (mean_x - mean_y) ** 2
    variance += (mean_q**2 + var_q) * var_x + (rest**2 + var_q) * var_y
    return mean_q * mean_x + rest * mean_y, variance


def _moments(beta: Floats) -> tuple[Floats, Floats]:
    total = beta.sum(axis=-1)
    mean = beta[..., 0] / total
    return mean, mean * (1 - mean) / (total + 1)


def beta_blend(q: Floats, x: Floats, y: Floats) -> PanelDistribution:
    """Return the distribution of Z, with errors of the cdf of at most about 1e-5.

    Parameters
    ----------
    q, x, y : ndarray of shape (2,)
        Parameters of the Beta distributions of Q, X and Y.

    Examples
    --------
    If X and Y have the totals that Q has, all are shares of a Dirichlet variable, and Z
    is a Beta variable.

    >>> import numpy as np
    >>> from skpostbac.stats import BetaAverage
    >>> z = beta_blend(np.array([9, 5]), np.array([7, 2]), np.array([1, 4]))
    >>> float(z.cdf(0.5)), float(BetaAverage([8], [6]).cdf(0.5))
    (0.2905, 0.2905)
    """
    mean, variance = blend_moments(q, x, y)
    sd = np.sqrt(variance)
    share, variance = _moments(q)
    beside = share + np.sqrt(variance) * _PROBES
    ways = (_given_share, _given_ends)
    probes = np.concatenate([mean + sd * _PROBES, beside, 1 - beside])
    probes = np.clip(probes, 0.0, 1.0)
    size = _FEWEST_NODES
    values = [way(probes, q, x, y, size) for way in ways]
    changes = np.full(2, np.inf)
    while changes.min() > _CDF_ERROR and size < _MOST_NODES:
        size *= 2
        before = values
        values = [way(probes, q, x, y, size) for way in ways]
        changes = np.abs(np.subtract(values, before)).max(axis=1)
    way = ways[changes.argmin()]
    # Panels cannot resolve more than the nodes.
    tolerance = max(_CDF_ERROR, changes.min())

    edges = mean + sd * np.array([-REACH, -3.0, -1.0, 1.0, 3.0, REACH])
    return resolve(
        lambda z: way(z, q, x, y, size),
        np.unique([0.0, *np.clip(edges, 0.0, 1.0), 1.0]),
        tolerance=tolerance,
        most=_MOST_PANELS,
    )


def _given_share(z: Floats, q: Floats, x: Floats, y: Floats, size: int) -> Floats:
    """Return P(Z <= z) as a mean over Q."""
    share, weight = _beta_rule(q, size)
    a, b = np.stack([x, y], axis=1)
    weights = np.stack([share, 1 - share], axis=1)
    sums = BetaAverage(a, b, weights=weights[:, np.newaxis])
    return np.asarray(weight @ sums.cdf(z))


def _given_ends(z: Floats, q: Floats, x: Floats, y: Floats, size: int) -> Floats:
    """Return P(Z <= z) as a mean over X and Y."""
    first, first_weight = _beta_rule(x, size)
    second, second_weight = _beta_rule(y, size)
    gap = first[:, np.newaxis] - second
    gap[gap == 0] = np.finfo(float).tiny
    share = (z[:, np.newaxis, np.newaxis] - second) / gap
    below = betainc(q[0], q[1], np.clip(share, 0.0, 1.0))
    below = np.where(gap > 0, below, 1 - below)
    return np.asarray(first_weight @ below @ second_weight)


def _beta_rule(beta: Floats, size: int) -> tuple[Floats, Floats]:
    """Return nodes and weights of the Gauss rule of a Beta distribution.

    They are eigenvalues and eigenvectors of the Jacobi matrix (Golub and Welsch,
    Mathematics of Computation 23, 1969).
    """
    a, b = beta
    k = np.arange(1.0, size)
    s = 2 * k + a + b
    diagonal = 0.5 + 0.5 * (a - b) * (a + b - 2) / (s * (s - 2))
    ratio = np.ones_like(k)
    ratio[1:] = (k[1:] + a + b - 2) / (s[1:] - 3)
    squares = k * (k + a - 1) * (k + b - 1) * ratio / ((s - 2) ** 2 * (s - 1))
    nodes, vectors = eigh_tridiagonal(
        np.append(a / (a + b), diagonal), np.sqrt(squares)
    )
    return np.clip(nodes, 0.0, 1.0), vectors[0] ** 2
