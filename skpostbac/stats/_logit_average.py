"""The law of a weighted average of independent accuracies, each given by its log-odds."""

from collections.abc import Sequence
from functools import reduce

import numpy as np
from numpy.polynomial.legendre import leggauss
from scipy.special import expit, log_expit, logsumexp

from skpostbac.stats._logit_law import LogitLaw
from skpostbac.stats._points import Floats

_NODES, _WEIGHTS = leggauss(16)
# Ends of pieces that the position between two ends needs itself.
_MIDDLE = np.linspace(-12.0, 12.0, 9)
# What the panels of the laws leave open cannot be resolved.
_TOLERANCE = 1e-8
# Points of which the integrals are computed at once.
_BLOCK = 64


def logit_average(laws: Sequence[LogitLaw], weights: Floats) -> LogitLaw:
    """Return the law of the weighted average of independent variables.

    Parameters
    ----------
    laws : sequence of l LogitLaw
        At least one.
    weights : ndarray of shape (l,)
        Positive.
    """

    def add(one: tuple[LogitLaw, float], other: tuple[LogitLaw, float]) -> tuple[LogitLaw, float]:
        weight = one[1] + other[1]
        return _average_of_two(one[0], other[0], one[1] / weight), weight

    return reduce(add, zip(laws, weights.tolist(), strict=True))[0]


def _average_of_two(first: LogitLaw, second: LogitLaw, weight: float) -> LogitLaw:
    """Law of weight * X + (1 - weight) * Y."""

    def log_density(u: Floats) -> Floats:
        blocks = [u[i : i + _BLOCK] for i in range(0, u.size, _BLOCK)]
        return np.concatenate([_log_density(first, second, weight, block) for block in blocks])

    mean = weight * first.mean() + (1 - weight) * second.mean()
    rest = 1 - weight * first.mean() - (1 - weight) * second.mean()
    sd = np.hypot(weight * first.standard_deviation(), (1 - weight) * second.standard_deviation())
    return LogitLaw(log_density, float(np.log(mean / rest)), float(sd / (mean * rest)), _TOLERANCE)


def _log_density(first: LogitLaw, second: LogitLaw, weight: float, u: Floats) -> Floats:
    """Log density of the log-odds of z = weight * x + (1 - weight) * y, by integration over x.

    All x are between two ends, at each of which x or y is 0 or 1. The integral is over the
    log-odds of the position of x between them, in pieces on which both densities are smooth.
    """
    z, rest = expit(u), expit(-u)
    part, ratio = 1 - weight, weight / (1 - weight)
    # Distances of x from 0 and 1 and of y from 0 and 1, at the ends where they are least.
    x_low, x_high = np.maximum(1 - rest / weight, 0.0), np.maximum(1 - z / weight, 0.0)
    y_low, y_high = np.maximum(1 - rest / part, 0.0), np.maximum(1 - z / part, 0.0)
    log_length = np.minimum(log_expit(-np.abs(u)) - np.log(weight), min(0.0, -np.log(ratio)))
    edges = _edges(first.edges, x_low, x_high, log_length)
    middle = np.broadcast_to(_MIDDLE, (u.size, _MIDDLE.size))
    y_edges = _edges(second.edges, y_low, y_high, log_length + np.log(ratio))
    edges = np.hstack([edges, -y_edges, middle])
    edges.sort(axis=1)
    half = 0.5 * np.diff(edges)[..., None]
    v = 0.5 * (edges[:, 1:] + edges[:, :-1])[..., None] + half * _NODES
    from_left = log_length[:, None, None] + log_expit(v)
    from_right = log_length[:, None, None] + log_expit(-v)
    x = _log_odds(x_low, x_high, from_left, from_right)
    y = _log_odds(y_low, y_high, from_right + np.log(ratio), from_left + np.log(ratio))
    # Densities of x and y in place of those of their log-odds, and of the log-odds of z.
    values = first.log_density(x) + second.log_density(y)
    values -= log_expit(x) + log_expit(-x) + log_expit(y) + log_expit(-y)
    values += from_left + log_expit(-v) + np.log(_WEIGHTS)
    with np.errstate(divide="ignore"):
        total = logsumexp(values + np.log(half), axis=(1, 2))
    return np.asarray(total + log_expit(u) + log_expit(-u) - np.log(part))


def _edges(edges: Floats, low: Floats, high: Floats, log_length: Floats) -> Floats:
    """Log-odds of the positions between two ends of points with given log-odds, (n, n_edges).

    Those that are not between the ends go to the closest end.
    """
    with np.errstate(divide="ignore"):
        log_left = np.where(
            low[:, None] > 0,
            np.log(np.maximum(expit(edges) - low[:, None], 0.0)),
            log_expit(edges),
        )
        log_right = np.where(
            high[:, None] > 0,
            np.log(np.maximum(expit(-edges) - high[:, None], 0.0)),
            log_expit(-edges),
        )
    limit = log_length[:, None]
    inside = (log_left < limit) & (log_right < limit)
    odds = np.where(inside, log_left - log_right, np.where(log_left >= limit, np.inf, -np.inf))
    first = np.min(odds, axis=1, where=np.isfinite(odds), initial=0.0)
    last = np.max(odds, axis=1, where=np.isfinite(odds), initial=0.0)
    return np.clip(odds, first[:, None] - 40.0, last[:, None] + 40.0)


def _log_odds(low: Floats, high: Floats, log_left: Floats, log_right: Floats) -> Floats:
    """Log-odds of a point at log distances from two ends that have distances from 0 and 1."""
    with np.errstate(divide="ignore"):
        log_low, log_high = np.log(low)[:, None, None], np.log(high)[:, None, None]
    return np.asarray(np.logaddexp(log_low, log_left) - np.logaddexp(log_high, log_right))
