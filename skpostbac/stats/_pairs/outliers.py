"""Rare outliers among many classes.

An outlier class may be far from the common rate of the others. Usually few or none of many classes
are outliers, so their sum is far from a smooth distribution with the same cumulants. Rare outliers
are therefore drawn individually; their number is Poisson with the expected number of the state. The
same class may be drawn twice, with a probability of second order.
"""

from dataclasses import replace

import numpy as np

from skpostbac._utils import Bools, Floats, Indices
from skpostbac.stats._borrowing.strata import Stratum

# Kinds whose classes are outliers with no more than this probability, over all states.
_RARE = 0.2


def is_rare(stratum: Stratum) -> Bools:
    """Return which kinds are rarely outliers."""
    return np.asarray(np.exp(stratum.log_weights) @ stratum.outlier < _RARE)


def without_rare(stratum: Stratum) -> Stratum:
    """Return a stratum of whose rare kinds no class is an outlier."""
    log_borrower = np.where(is_rare(stratum), np.inf, stratum.log_borrower)
    return replace(stratum, log_borrower=log_borrower)


def draw_outliers(
    stratum: Stratum, state: Indices, count: Floats, rng: np.random.Generator
) -> tuple[Indices, Indices]:
    """Draw rare outliers among `count` classes of each kind: of which draw, and of which kind."""
    sums = np.cumsum(np.where(is_rare(stratum), stratum.outlier, 0.0) * count, axis=1)
    number = rng.poisson(sums[state, -1])
    draw = np.repeat(np.arange(state.size), number)
    level = rng.random(draw.size) * sums[state[draw], -1]
    kind = np.zeros(draw.size, dtype=np.intp)
    for column in sums[:, :-1].T:
        kind += column[state[draw]] < level
    return draw, kind
