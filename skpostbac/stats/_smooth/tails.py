"""Tails and densities of smooth distributions, where series are accurate to relative error.

Its errors are absolute: about 1e-14 of a probability, or 1.5e-13 with a million samples, and as
much of a density in units of the standard deviation. They are relative ones of 1e-10 where neither
is below `LEAST`.
"""

import numpy as np

from skpostbac._utils import Bools, Floats
from skpostbac.stats._distribution import Tails
from skpostbac.stats._smooth.series import Series

# Smallest tail, and smallest density times the standard deviation, that is taken from a series.
LEAST = 1e-4


def central_tails_of(series: Series, y: Floats) -> tuple[Tails, Bools]:
    """Tails and density at distances from the mean, (m, n), and which of them are accurate."""
    cdf, density = series.waves(1).at(y)
    deviation = series.deviation[:, np.newaxis]
    is_known = (np.abs(y) <= series.reach[:, np.newaxis]) & (cdf >= LEAST) & (1 - cdf >= LEAST)
    is_known &= density * deviation >= LEAST
    cdf, density = np.where(is_known, cdf, 0.5), np.where(is_known, density, 1.0)
    return Tails(np.log(cdf), np.log1p(-cdf), np.log(density)), is_known


def central_densities_of(series: Series, y: Floats) -> tuple[Floats, Bools]:
    """Densities at distances from the mean, (m, n), and which of them are accurate."""
    density = series.waves(1).at(y)[1]
    is_known = np.abs(y) <= series.reach[:, np.newaxis]
    return density, is_known & (density * series.deviation[:, np.newaxis] >= LEAST)
