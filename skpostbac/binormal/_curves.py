"""Formulas of the ROC and precision-recall curves of normal scores in two classes.

All functions take arrays that broadcast. They depend on the two distributions through
`shift`, the difference of the means in standard deviations of the negatives, and
`ratio`, the standard deviation of the positives over that of the negatives. At the
threshold with a true-positive rate of Phi(u), the false-positive rate is
Phi(ratio u - shift). `log_odds` are the prior log-odds of the positive class.
"""

import numpy as np
from scipy.special import expit, log_ndtr, ndtr

from skpostbac._utils import Floats, Indices
from skpostbac.stats._numerics import integrate

# Edges of the integration over recall, as normal deviates. Beyond 9 there is a fraction
# of 1e-19 of the recall, with a precision of at most twice that at a deviate of 0. The
# lower tail counts until the normal density underflows at -39, since precision may be
# large there and tiny elsewhere.
_RECALL_EDGES = np.array([-39.0, -18.0, -9.0, -6.0, -3.0, 0.0, 3.0, 6.0, 9.0])

# Deviates of the false-positive rate, from where it underflows to almost 1. They are
# further edges: precision may drop from 1 to 0 within this range, more steeply further
# out, and over a short range of recall if the ratio of standard deviations is large.
_FPR_EDGES = np.arange(-39.0, 7.0, 3.0)

# Number of pairs of distributions that are integrated at a time, to bound the memory.
_BLOCK_SIZE = 1024


def standardise(
    mean_negative: Floats,
    sd_negative: Floats,
    mean_positive: Floats,
    sd_positive: Floats,
) -> tuple[Floats, Floats]:
    """Return shift and ratio of two normal distributions."""
    return (mean_positive - mean_negative) / sd_negative, sd_positive / sd_negative


def roc_auc(shift: Floats, ratio: Floats) -> Floats:
    """Return the area under the ROC curve, in closed form."""
    area: Floats = ndtr(shift / np.hypot(1, ratio))
    return area


def precision(
    deviate: Floats, shift: Floats, ratio: Floats, log_odds: Floats
) -> Floats:
    """Return the precision where recall is Phi(deviate); at -inf, its limit.

    It is computed from the logarithms of both rates, since in the tails the rates
    underflow, but not their quotient.
    """
    with np.errstate(invalid="ignore"):  # inf - inf, replaced by the limit
        log_ratio = log_ndtr(deviate) - log_ndtr(ratio * deviate - shift)

    # As recall tends to 0, the class with the larger standard deviation dominates, or
    # in a tie, that with the larger mean.
    dominance = np.where(ratio == 1, shift, ratio - 1)
    limit = np.where(dominance == 0, 0, np.copysign(np.inf, dominance))
    values: Floats = expit(log_odds + np.where(np.isneginf(deviate), limit, log_ratio))
    return values


def average_precision(shift: Floats, ratio: Floats, log_odds: Floats) -> Floats:
    """Integrate precision over recall; the arguments have the same shape (n,).

    The relative error is below 1e-10.
    """

    def integrand(index: Indices, u: Floats) -> Floats:
        density = np.exp(-u * u / 2) / np.sqrt(2 * np.pi)
        values: Floats = density * precision(
            u, shift[index], ratio[index], log_odds[index]
        )
        return values

    if len(shift) > _BLOCK_SIZE:
        starts = range(0, len(shift), _BLOCK_SIZE)
        blocks = [slice(start, start + _BLOCK_SIZE) for start in starts]
        return np.concatenate(
            [average_precision(shift[i], ratio[i], log_odds[i]) for i in blocks]
        )

    recall_edges = np.broadcast_to(_RECALL_EDGES, (len(shift), len(_RECALL_EDGES)))
    fpr_edges = (shift[:, np.newaxis] + _FPR_EDGES) / ratio[:, np.newaxis]
    fpr_edges = fpr_edges.clip(_RECALL_EDGES[0], _RECALL_EDGES[-1])
    edges = np.concatenate([recall_edges, fpr_edges], axis=1)
    return integrate(integrand, np.sort(edges, axis=1))
