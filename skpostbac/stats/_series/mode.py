"""Modes of many distributions.

Of some densities, at quantiles, corners and the ends of the support, the two highest peaks are
looked at: between the neighbours of each the slope of the density is zero, or the density ends or
bends.
"""

import numpy as np
from scipy.special import ndtr

from skpostbac._utils import Floats
from skpostbac.stats._series.quantile import quantiles
from skpostbac.stats._series.series import Centred

# Probabilities between whose quantiles modes are looked for.
_P = ndtr(np.linspace(-4, 4, 25))
_LAST, _MOST_STEPS = 1e-11, 100
# Share of the distance to the neighbours at which the search for a slope of zero begins.
_BESIDE = 1e-9


def modes(distributions: Centred) -> Floats:
    """Distances of the modes from the mean, shape (m,)."""
    low, high = distributions.low[:, np.newaxis], distributions.high[:, np.newaxis]
    of_all = _P[::6] if distributions.is_log_concave else _P
    p, q = (np.broadcast_to(x, (low.size, x.size)) for x in (of_all, of_all[::-1]))
    inner = quantiles(distributions, p, q, 1e-2)
    places = np.sort(np.concatenate([low, inner, distributions.places, high], axis=1), axis=1)
    heights = _heights(distributions, places)
    # The two highest peaks, each with its neighbours.
    padded = np.pad(heights, ((0, 0), (1, 1)), constant_values=-np.inf)
    is_peak = (heights >= padded[:, :-2]) & (heights >= padded[:, 2:])
    best = np.argsort(np.where(is_peak, -heights, np.inf), axis=1, kind="stable")[:, :2]
    best = np.where(is_peak[np.arange(low.size)[:, np.newaxis], best], best, best[:, :1])
    around = np.stack([np.maximum(best - 1, 0), best, np.minimum(best + 1, places.shape[1] - 1)])
    first, top, last = places[np.arange(low.size)[:, np.newaxis], around]
    # At an end, or a corner, the slope may not exist.
    y, evaluate = top + _BESIDE * (first - top + last - top), distributions.evaluator(3)
    with np.errstate(all="ignore"):
        for _ in range(_MOST_STEPS):
            slope, bend = evaluate(y)[2:]
            first, last = np.where(slope > 0, y, first), np.where(slope > 0, last, y)
            moved = y - slope / bend
            is_safe = (first < moved) & (moved < last) & (bend < 0)
            moved = np.where(is_safe, moved, 0.5 * (first + last))
            is_last = np.abs(moved - y) <= _LAST * distributions.deviation[:, np.newaxis]
            y = moved
            if is_last.all():
                break
    found = np.concatenate([top, y], axis=1)
    highest = _heights(distributions, found).argmax(axis=1)
    return np.asarray(found[np.arange(low.size), highest])


def _heights(distributions: Centred, y: Floats) -> Floats:
    """Densities at y, (m, n), with their limits at the ends."""
    density = distributions.evaluator(1)(y)[1]
    at_low, at_high = distributions.end_densities[..., np.newaxis]
    density = np.where(y <= distributions.low[:, np.newaxis], at_low, density)
    return np.asarray(np.where(y >= distributions.high[:, np.newaxis], at_high, density))
