"""The law of random draws, for figures whose posterior has no closed form."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from skpostbac.metrics._arrays import FloatArray
from skpostbac.stats import Interval
from skpostbac.stats._distribution import check_level


class Draws:
    """Empirical law of independent draws, with the method names of the engine's laws.

    Parameters
    ----------
    values : ndarray of shape (n_draws,)
        Finite numbers, at least two.

    Examples
    --------
    >>> draws = Draws(np.array([4.0, 1.0, 3.0, 2.0]))
    >>> draws.mean(), draws.standard_error()
    (2.5, 0.6455)
    >>> float(draws.ccdf(3))
    0.25
    """

    def __init__(self, values: FloatArray) -> None:
        self._sorted = np.sort(values)
        self._sorted.flags.writeable = False

    @property
    def values(self) -> FloatArray:
        """The draws in ascending order, read-only, shape (n_draws,)."""
        return self._sorted

    def mean(self) -> float:
        """Return the mean."""
        return float(self._sorted.mean())

    def median(self) -> float:
        """Return the median."""
        return float(np.median(self._sorted))

    def standard_deviation(self) -> float:
        """Return the standard deviation."""
        return float(self._sorted.std(ddof=1))

    def standard_error(self) -> float:
        """Return the standard error of the mean, which more draws make smaller."""
        return float(self.standard_deviation() / np.sqrt(self._sorted.size))

    def cdf(self, x: ArrayLike) -> np.float64 | FloatArray:
        """Return the share of the draws that are at most `x`."""
        return np.searchsorted(self._sorted, x, side="right") / self._sorted.size

    def ccdf(self, x: ArrayLike) -> np.float64 | FloatArray:
        """Return the share of the draws that are above `x`."""
        above = self._sorted.size - np.searchsorted(self._sorted, x, side="right")
        return above / self._sorted.size

    def icdf(self, p: ArrayLike) -> np.float64 | FloatArray:
        """Return the quantile at `p` in [0, 1]."""
        return np.quantile(self._sorted, np.asarray(p, dtype=np.float64))

    def interval(self, level: float = 0.95) -> Interval:
        """Return the interval that leaves out as many draws on either side."""
        tail = (1 - check_level(level)) / 2
        return Interval(*map(float, np.quantile(self._sorted, [tail, 1 - tail])))

    def hdi(self, level: float = 0.95) -> Interval:
        """Return the shortest interval that holds this share of the draws."""
        held = int(np.ceil(check_level(level) * self._sorted.size))
        low, high = self._sorted[: self._sorted.size - held + 1], self._sorted[held - 1 :]
        best = int(np.argmin(high - low))
        return Interval(float(low[best]), float(high[best]))
