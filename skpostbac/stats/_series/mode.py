"""Modes of many distributions.

Where there may be more than one peak, some densities at quantiles, corners and the ends of the
support tell which two are the highest. Between the neighbours of a peak the slope of the density is
zero, or the density ends or bends.
"""

import numpy as np
from scipy.special import ndtr

from skpostbac._utils import Floats
from skpostbac.stats._series.quantile import quantiles
from skpostbac.stats._series.series import Centred

# Probabilities between whose quantiles modes are looked for.
_P = ndtr(np.linspace(-4, 4, 25))
# Equal parts between two of them at whose ends the density is looked at.
_PARTS = 8
_LAST, _MOST_STEPS = 1e-13, 100
# A Newton step of so many standard deviations leaves an error of about its square.
_SHORT = 1e-7
# The slope is that small there, in parts of the density over the standard deviation.
_LEVEL = 1e-4
# A mode is at most sqrt(3) standard deviations from the mean (Johnson and Rogers, Annals of
# Mathematical Statistics 22, 1951).
_FARTHEST = 1.74
# Share of a density that may be a rounding error.
_FLAT = 1e-12
# Share of the distance to the neighbours at which the search for a slope of zero begins.
_BESIDE = 1e-9


def modes(distributions: Centred) -> Floats:
    """Distances of the modes from the mean, shape (m,)."""
    low, high = distributions.low[:, np.newaxis], distributions.high[:, np.newaxis]
    deviation = distributions.deviation[:, np.newaxis]
    rows, evaluate = np.arange(low.size)[:, np.newaxis], distributions.evaluator(3)
    at_low, at_high = distributions.end_densities[..., np.newaxis]
    with np.errstate(all="ignore"):
        if distributions.is_log_concave:
            # The peak is near that of a Beta with the same range, mean and variance, and no farther
            # from the mean than so many standard deviations.
            y = (low + high) / (low * high / deviation**2 - 1)
            first = np.maximum(low, -_FARTHEST * deviation)
            last = np.minimum(high, _FARTHEST * deviation)
            top, highest = np.where(at_low > at_high, low, high), np.maximum(at_low, at_high)
        else:
            p = np.broadcast_to(_P, (low.size, _P.size))
            inner = quantiles(distributions, p, p[:, ::-1], 1e-2)
            # A narrow peak of a variable beside wide ones may be between two quantiles.
            gaps = np.diff(inner, axis=1)[..., np.newaxis] * (np.arange(_PARTS) / _PARTS)
            fine = (inner[:, :-1, np.newaxis] + gaps).reshape(low.size, -1)
            looked_at = [low, fine, inner[:, -1:], distributions.places, high]
            places = np.concatenate(looked_at, axis=1)
            places.sort(axis=1)
            heights = distributions.evaluator(1)(places)[1]
            heights = np.where(places <= low, at_low, np.where(places >= high, at_high, heights))
            # The two highest peaks, each with its neighbours.
            padded = np.full((low.size, places.shape[1] + 2), -np.inf)
            padded[:, 1:-1] = heights
            is_peak = (heights >= padded[:, :-2]) & (heights >= padded[:, 2:])
            best = np.argsort(np.where(is_peak, -heights, np.inf), axis=1, kind="stable")[:, :2]
            best = np.where(is_peak[rows, best], best, best[:, :1])
            top, highest = places[rows, best], heights[rows, best]
            first = places[rows, np.maximum(best - 1, 0)]
            last = places[rows, np.minimum(best + 1, places.shape[1] - 1)]
            # At an end, or a corner, the slope may not exist.
            y = top + _BESIDE * (first - top + last - top)
        density, is_level = highest, highest > 0
        for _ in range(_MOST_STEPS):
            _, density, slope, bend = evaluate(y)
            first, last = np.where(slope > 0, y, first), np.where(slope > 0, last, y)
            moved = y - slope / bend
            is_safe = (first <= moved) & (moved <= last) & (bend < 0)
            moved = np.where(is_safe, moved, 0.5 * (first + last))
            # Beside a corner steps are short where the density bends, and need not be near a peak.
            is_level = is_safe & (np.abs(slope) * deviation <= _LEVEL * density)
            is_last = np.abs(moved - y) <= np.where(is_level, _SHORT, _LAST) * deviation
            y = moved
            if is_last.all():
                break
    # Where the slope is zero, rounding errors of the density tell nothing.
    is_higher = density >= highest * np.where(is_level, 1 - _FLAT, 1.0)
    found, heights = np.where(is_higher, y, top), np.where(is_higher, density, highest)
    return np.asarray(found[rows[:, 0], heights.argmax(axis=1)])
