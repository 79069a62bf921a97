"""The posterior of both recalls at all thresholds together.

As the threshold falls from one value t_j to the next, d_j more positives are predicted correctly.
The true-positive rate at t_j is F_j, the mass of a Dirichlet distribution with the parameters

    a, d_1, d_2, ..., d_m, b

in its first j + 1 cells. This is the Dirichlet process of Ferguson (Annals of Statistics 1, 1973),
whose posterior adds the observations to the prior mass, here at both ends of the axis of scores.
F_j is Beta(a + k_j, b + n - k_j), the posterior of the recall at that threshold alone, so that the
curve has at each threshold the distribution that is computed there, and its increments are
independent but for their sum. The rate of the negatives that are predicted positive has the
parameters b, e_1, ..., e_m, a in the same way.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logit

from skpostbac._utils import Floats
from skpostbac.metrics._thresholds.counts import ThresholdCounts

# Mass beside which a share is taken to be an end of [0, 1], which has no logit.
_SMALLEST = 1e-15


def draw_curves(
    counts: ThresholdCounts,
    prior: Floats,
    class_weight: Floats,
    n_draws: int,
    rng: np.random.Generator,
) -> Floats:
    """Draw the weighted mean of the recalls along the thresholds, shape (n_draws, n_thresholds)."""
    curves = np.zeros((n_draws, len(counts.thresholds)))
    for i, passed in enumerate(counts.passed().T):
        a, b = prior[i]
        first, last = (a, b) if i == counts.positive else (b, a)
        shares = _draw_shares(np.diff(passed, prepend=0.0), first, last, n_draws, rng)
        curves += class_weight[i] * (shares if i == counts.positive else 1 - shares)
    return curves


def _draw_shares(
    cells: Floats, first: float, last: float, n_draws: int, rng: np.random.Generator
) -> Floats:
    """Draw the cumulative shares of a Dirichlet distribution up to each of the cells."""
    parameters = np.concatenate([[first], np.maximum(cells, 0), [last]])
    filled = parameters > 0
    masses = np.zeros((n_draws, len(parameters)))
    masses[:, filled] = rng.standard_gamma(parameters[filled], (n_draws, filled.sum()))
    sums = np.cumsum(masses, axis=1)
    return np.asarray(sums[:, 1:-1] / sums[:, -1:])


def simultaneous_band(curves: Floats, level: float) -> tuple[Floats, Floats]:
    """Return the ends of a band that holds so large a share of the curves from end to end.

    The largest distance of a curve from the mean curve is measured in logits, in standard
    deviations at each threshold, so that the band stays within (0, 1); its quantile at `level` is
    the half-width of the band at all of them (Montiel Olea and Plagborg-Moller, Journal of Applied
    Econometrics 34, 2019).
    """
    logits = logit(np.clip(curves, _SMALLEST, 1 - _SMALLEST))
    centre, spread = logits.mean(axis=0), logits.std(axis=0)
    farthest = np.max(np.abs(logits - centre) / spread, axis=1)
    reach = np.quantile(farthest, level) * spread
    return np.asarray(expit(centre - reach)), np.asarray(expit(centre + reach))


def share_of_best(curves: Floats) -> Floats:
    """Return how often each threshold is the best of a curve."""
    best = np.argmax(curves, axis=1)
    return np.bincount(best, minlength=curves.shape[1]) / len(curves)
