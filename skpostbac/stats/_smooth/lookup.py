"""Quantiles of smooth distributions, from a grid and polished to full accuracy.

Halley's steps on the series start from the quantiles that a grid gives. From a distance e of the
root, in standard deviations, a step leaves an error of about e^3.
"""

import numpy as np

from skpostbac._utils import Floats
from skpostbac.stats._smooth.series import Series, Waves

# A Halley step of no more than this many standard deviations is the last.
_LAST_STEP = 2e-5
_MOST_STEPS = 5


def quantiles(series: Series, p: Floats, q: Floats) -> Floats:
    """Distances y from the mean with P(X <= y) = p = 1 - q, shape (m, n); NaN if not found."""
    y = series.grid().quantiles(p, q)
    return _halley(series.waves(), y, p, series.deviation[:, np.newaxis])


def _halley(waves: Waves, y: Floats, p: Floats, deviation: Floats) -> Floats:
    """Take Halley's steps to P(X <= y) = p until they are short."""
    is_last = np.zeros(y.shape, dtype=bool)
    with np.errstate(all="ignore"):
        for _ in range(_MOST_STEPS):
            cdf, density, slope = waves.at(y)
            newton = (p - cdf) / density
            step = newton / np.maximum(1 + 0.5 * newton * slope / density, 0.5)
            y = y + step
            is_last = np.abs(step) <= _LAST_STEP * deviation
            if is_last.all():
                break
    return np.where(is_last, y, np.nan)
