"""A posterior that is known by random draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from skpostbac.metrics._arrays import FloatArray
from skpostbac.stats import Interval
from skpostbac.stats._distribution import check_level


@dataclass(frozen=True, eq=False, repr=False)
class DrawnPosterior:
    """Posterior distribution of one number, by independent random draws.

    Attributes
    ----------
    draws : ndarray of shape (n_draws,)
        The draws, sorted and read-only.

    Examples
    --------
    >>> from skpostbac import posterior_binormal
    >>> area = posterior_binormal([0, 0, 0, 1, 1, 1], [-3, -1, -2, 0, 2, 1]).roc_auc()
    >>> area
    DrawnPosterior(mean=0.877, 95% CI=[0.443, 1.000], n_draws=4000)
    >>> area.mean_error() < 0.003
    True
    """

    draws: FloatArray

    def __post_init__(self) -> None:
        draws = np.sort(np.asarray(self.draws, dtype=np.float64))
        draws.flags.writeable = False
        object.__setattr__(self, "draws", draws)

    def mean(self) -> float:
        """Return the mean of the draws."""
        return float(self.draws.mean())

    def standard_deviation(self) -> float:
        """Return the standard deviation of the draws."""
        return float(self.draws.std(ddof=1))

    def median(self) -> float:
        """Return the median of the draws."""
        return float(np.median(self.draws))

    def mean_error(self) -> float:
        """Return the Monte Carlo standard error of the mean."""
        return self.standard_deviation() / float(np.sqrt(len(self.draws)))

    def prob_above(self, value: float) -> float:
        """Return the share of the draws above a value."""
        return float(np.mean(self.draws > value))

    def credible_interval(self, level: float = 0.95) -> Interval:
        """Return the central credible interval.

        Parameters
        ----------
        level : float, default=0.95
            Probability of the interval, in (0, 1).

        Returns
        -------
        low, high : float

        Raises
        ------
        ValueError
            If `level` is outside (0, 1).
        """
        return Interval(*np.quantile(self.draws, central_tails(level)).tolist())

    def credible_interval_error(self, level: float = 0.95) -> Interval:
        """Return the Monte Carlo standard errors of both ends of the central interval.

        The number of draws below a quantile is binomial: half the distance between the draws
        that are one standard deviation of it below and above estimates the error.

        Parameters
        ----------
        level : float, default=0.95
            Probability of the interval, in (0, 1).

        Returns
        -------
        low, high : float

        Raises
        ------
        ValueError
            If `level` is outside (0, 1).
        """
        tails = central_tails(level)
        step = np.sqrt(tails * (1 - tails) / len(self.draws))
        below, above = np.quantile(self.draws, np.clip([tails - step, tails + step], 0, 1))
        return Interval(*((above - below) / 2).tolist())

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor: a pickled array does not stay read-only.
        return DrawnPosterior, (self.draws,)

    def __repr__(self) -> str:
        low, high = self.credible_interval()
        return (
            f"DrawnPosterior(mean={self.mean():.3f}, 95% CI=[{low:.3f}, {high:.3f}], "
            f"n_draws={len(self.draws)})"
        )


def central_tails(level: float) -> FloatArray:
    """Return the probabilities below both ends of a central interval."""
    tail = (1 - check_level(level)) / 2
    return np.array([tail, 1 - tail])
