"""Formulas of the ROC and precision-recall curves of two normal distributions of scores.

All functions take arrays that broadcast. They depend on the two distributions through `shift`, the
difference of the means in standard deviations of the negatives, and `ratio`, the standard
deviation of the positives over that of the negatives. With the threshold where the true-positive
rate is Phi(u), the false-positive rate is Phi(ratio u - shift). `log_odds` are those of being
positive before the score is known.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit, log_ndtr, ndtr

from skpostbac._utils import Floats, Indices
from skpostbac.stats._numerics import integrate

# Normal deviates between which recall is integrated. Above 9 lies 1e-19 of it, where the precision
# is at most twice what it is at a deviate of 0; the density underflows below -39, down to which the
# precision may be large while it is tiny elsewhere.
_RECALL_EDGES = np.array([-39.0, -18.0, -9.0, -6.0, -3.0, 0.0, 3.0, 6.0, 9.0])

# Deviates of the false-positive rate between which it goes from nothing to next to 1. Precision may
# do the same in reverse, the more sharply the further out, and within a small part of the recall if
# the positives are much wider than the negatives.
_FPR_EDGES = np.arange(-39.0, 7.0, 3.0)

# Pairs of distributions that are integrated at a time, so that memory does not grow with their
# number.
_BLOCK = 1024


def standardise(
    mean_negative: Floats, sd_negative: Floats, mean_positive: Floats, sd_positive: Floats
) -> tuple[Floats, Floats]:
    """Return shift and ratio of two normal distributions."""
    return (mean_positive - mean_negative) / sd_negative, sd_positive / sd_negative


def roc_auc(shift: Floats, ratio: Floats) -> Floats:
    """Return the area under the ROC curve, in closed form."""
    area: Floats = ndtr(shift / np.hypot(1, ratio))
    return area


def precision(deviate: Floats, shift: Floats, ratio: Floats, log_odds: Floats) -> Floats:
    """Return the precision where recall is Phi(deviate); at -inf, its limit.

    The rates enter by their logarithms: far out both underflow, and their quotient does not.
    """
    with np.errstate(invalid="ignore"):  # inf - inf, where the limit is taken
        log_ratio = log_ndtr(deviate) - log_ndtr(ratio * deviate - shift)
    # Towards recall 0 the wider distribution wins, or else the one that is further up.
    wins = np.where(ratio == 1, shift, ratio - 1)
    limit = np.where(wins == 0, 0, np.copysign(np.inf, wins))
    values: Floats = expit(log_odds + np.where(np.isneginf(deviate), limit, log_ratio))
    return values


def average_precision(shift: Floats, ratio: Floats, log_odds: Floats) -> Floats:
    """Integrate precision over recall; the arguments have the same shape (n,).

    The relative error is below 1e-10.
    """

    def integrand(index: Indices, u: Floats) -> Floats:
        density = np.exp(-u * u / 2) / np.sqrt(2 * np.pi)
        values: Floats = density * precision(u, shift[index], ratio[index], log_odds[index])
        return values

    if len(shift) > _BLOCK:
        cuts = range(_BLOCK, len(shift), _BLOCK)
        blocks = zip(*(np.split(column, cuts) for column in (shift, ratio, log_odds)), strict=True)
        return np.concatenate([average_precision(*block) for block in blocks])
    rise = (shift[:, np.newaxis] + _FPR_EDGES) / ratio[:, np.newaxis]
    fixed = np.broadcast_to(_RECALL_EDGES, (len(shift), len(_RECALL_EDGES)))
    edges = np.concatenate([fixed, rise.clip(_RECALL_EDGES[0], _RECALL_EDGES[-1])], axis=1)
    return integrate(integrand, np.sort(edges, axis=1))
