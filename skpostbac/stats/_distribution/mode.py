"""The mode: the place of highest density.

The highest peaks of an outline are followed at the same time. In each of a few rounds the
surroundings of every peak are cut finer, and the peaks are put in order of their height. Between
the neighbours of the highest one the mode is the root of the slope of the density, by Brent's
method, if the slope changes its sign there. The root is more precise than a maximum, which rounding
determines to the square root of its error only. At a kink or at an end, where the slope has no
root, it is the highest place that was found. Of places of equal density to within 1e-11 the last
candidate is taken.
"""

from collections.abc import Callable

import numpy as np

from skpostbac._utils import Floats
from skpostbac.stats._distribution.outline import Outline
from skpostbac.stats._distribution.tails import Values
from skpostbac.stats._numerics import bracketed_root

# So many local peaks are followed, if they are higher than a share of the highest.
_PEAKS, _LOW = 6, 0.5
# Rounds in which the surroundings of a peak are looked at, and places in each.
_ROUNDS, _PLACES = 3, 10
# Relative differences of densities that rounding does not tell apart.
_EQUAL_HEIGHTS = 1e-11
_LARGEST = 1e300


def highest_place(evaluate: Callable[[Floats], Values], outline: Outline) -> tuple[float, float]:
    """Return the place of highest density inside an outline, and that density.

    The outline must not miss a peak, and hold the places where the density may have a kink.
    """

    def density(y: Floats) -> Floats:
        values = evaluate(y)
        return np.where(np.isfinite(values.error), np.minimum(values.density, _LARGEST), 0.0)

    def slope(y: float) -> float:
        return float(evaluate(np.array([y])).slope[0])

    brackets = _brackets(outline)
    for _ in range(_ROUNDS):
        places = [np.union1d(np.linspace(row[0], row[2], _PLACES), row) for row in brackets]
        ends = np.cumsum([row.size for row in places])
        rows = np.split(density(np.concatenate(places)), ends[:-1])
        order = np.argsort([-row.max() for row in rows], kind="stable")
        brackets = [_around(places[i], int(rows[i].argmax())) for i in order]
    left, peak, right = map(float, brackets[0])
    candidates = [peak]
    # The zero of the slope is more precise than the largest of equal densities, but at a kink.
    if slope(left) > 0 > slope(right):
        accuracy = 1e-15 * float(np.ptp(outline.y))
        candidates.append(bracketed_root(slope, left, right, accuracy=accuracy))
    heights = density(np.array(candidates))
    last = np.flatnonzero(heights >= heights.max() * (1 - _EQUAL_HEIGHTS))[-1]
    return candidates[int(last)], float(heights.max())


def _brackets(outline: Outline) -> list[Floats]:
    """Highest places and their neighbours, each of shape (3,)."""
    density = np.minimum(outline.density, _LARGEST)
    padded = np.concatenate([[0.0], density, [0.0]])
    peaks = (density >= padded[:-2]) & (density >= padded[2:]) & (density >= _LOW * density.max())
    number = np.flatnonzero(peaks)
    number = number[np.argsort(-density[number], kind="stable")][:_PEAKS]
    return [_around(outline.y, int(one)) for one in number]


def _around(places: Floats, best: int) -> Floats:
    """Return a place between its neighbours, itself where it has none."""
    return np.asarray(places[np.clip([best - 1, best, best + 1], 0, places.size - 1)])
