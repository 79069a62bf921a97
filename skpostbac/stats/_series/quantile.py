"""Quantiles of many distributions by safeguarded Halley steps.

With the smaller tail t, the density f and its slope f', steps are taken on log t, which is nearly
straight far from the centre: with e = log(t / q) and the rate r = f / t, a Newton step is e / r,
and f' / f - r bends it. The root stays bracketed, and a step out of the bracket halves it instead.
The steps converge cubically: one over which neither the tail nor the density changes by more than
a share `last` is the last.
"""

import numpy as np
from scipy.special import betaincinv

from skpostbac._utils import Floats
from skpostbac.stats._series.series import Centred

LAST, _MOST_STEPS = 2e-5, 300
# One step of so many halves the bracket, whatever it is.
_PATIENCE = 4
# Rounding errors of a tail; a smaller one only tells on which side the quantile is.
_NOISE = 1e-14
# Relative errors of a tail that are rounding errors at most.
_EXACT = 1e-15


def quantiles(distributions: Centred, p: Floats, q: Floats, last: float = LAST) -> Floats:
    """Distances from the mean with P(X <= y) = p = 1 - q, both positive; all of shape (m, n)."""
    evaluate, is_lower, wanted = distributions.evaluator(2), p <= q, np.minimum(p, q)
    sign, y = np.where(is_lower, 1.0, -1.0), matched_quantiles(distributions, p)
    low, high = distributions.low[:, np.newaxis], distributions.high[:, np.newaxis]
    is_found = np.zeros(p.shape, dtype=bool)
    with np.errstate(all="ignore"):
        for i in range(_MOST_STEPS):
            excess, density, slope = evaluate(y)
            tail, turn = 0.5 + sign * excess, slope / density
            log_ratio = np.log(tail / wanted)
            newton = log_ratio * tail / (sign * density)
            bend = 1 - 0.5 * (newton * turn - log_ratio)
            step = newton / np.minimum(np.maximum(bend, 0.5), 2.0)
            moved, size = y - step, np.abs(step)
            is_safe = (low <= moved) & (moved <= high) & (density > 0) & (tail > _NOISE)
            is_last = is_safe & (np.maximum(np.abs(log_ratio), size * np.abs(turn)) < last)
            if is_last.all():
                return np.where(is_found, y, moved)
            is_above = (tail > wanted) == is_lower
            low, high = np.where(is_above, low, y), np.where(is_above, y, high)
            # Beside a pole steps are too short, or cross it again and again.
            spacing = np.spacing(np.abs(y))
            is_safe &= (low <= moved) & (moved <= high) & (size > spacing)
            is_safe &= i % _PATIENCE < _PATIENCE - 1
            moved = np.where(is_safe | is_last, moved, 0.5 * (low + high))
            # At a pole itself there is no step.
            is_there = np.abs(log_ratio) <= _EXACT
            moved = np.where(is_there, y, moved)
            is_last |= is_there | (high - low <= spacing)
            y, is_found = np.where(is_found, y, moved), is_found | is_last
            if is_found.all():
                break
    return y


def matched_quantiles(distributions: Centred, p: Floats) -> Floats:
    """Quantiles of Beta distributions with the same range, mean and variance."""
    low, high = distributions.low, distributions.high
    size = np.maximum(-low * high / distributions.deviation**2 - 1, 1e-3) / (high - low)
    a, b = (-low * size)[:, np.newaxis], (high * size)[:, np.newaxis]
    return np.asarray(low[:, np.newaxis] + (high - low)[:, np.newaxis] * betaincinv(a, b, p))
