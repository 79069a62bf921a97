"""What is asked of the posterior of a single figure, whatever its law is computed from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike

from skpostbac.metrics._arrays import FloatArray
from skpostbac.stats import Interval
from skpostbac.stats._distribution import check_level


class Law(Protocol):
    """A law of one random variable: exact, or that of random draws."""

    def mean(self) -> float: ...
    def median(self) -> float: ...
    def standard_deviation(self) -> float: ...
    def cdf(self, x: ArrayLike, /) -> np.float64 | FloatArray: ...
    def ccdf(self, x: ArrayLike, /) -> np.float64 | FloatArray: ...
    def icdf(self, p: ArrayLike, /) -> np.float64 | FloatArray: ...
    def interval(self, level: float = ...) -> Interval: ...
    def hdi(self, level: float = ...) -> Interval: ...


class FigurePosterior(ABC):
    """Posterior of a single figure; subclasses have its law as `distribution`."""

    @property
    @abstractmethod
    def distribution(self) -> Law:
        """The law of the figure, given the data."""

    def mean(self) -> float:
        """Return the posterior mean."""
        return self.distribution.mean()

    def median(self) -> float:
        """Return the posterior median."""
        return self.distribution.median()

    def standard_deviation(self) -> float:
        """Return the posterior standard deviation."""
        return self.distribution.standard_deviation()

    def cdf(self, x: ArrayLike) -> float | FloatArray:
        """Return P(figure <= x): a float, or an array of the shape of `x`."""
        return plain_float(self.distribution.cdf(x))

    def ccdf(self, x: ArrayLike) -> float | FloatArray:
        """Return P(figure > x): a float, or an array of the shape of `x`."""
        return plain_float(self.distribution.ccdf(x))

    def icdf(self, p: ArrayLike) -> float | FloatArray:
        """Return the quantile at `p` in [0, 1]: a float, or an array of the shape of `p`."""
        return plain_float(self.distribution.icdf(p))

    def prob_above(self, value: ArrayLike) -> float | FloatArray:
        """Return the probability that the figure is above `value`."""
        return self.ccdf(value)

    def prob_below(self, value: ArrayLike) -> float | FloatArray:
        """Return the probability that the figure is at most `value`."""
        return self.cdf(value)

    def credible_interval(
        self, level: float = 0.95, *, method: Literal["central", "hdi"] = "central"
    ) -> Interval:
        """Return an interval that holds the figure with a given probability.

        Parameters
        ----------
        level : float, default=0.95
            Probability of the interval, in (0, 1).
        method : {"central", "hdi"}, default="central"
            "central" leaves out the same probability on both sides; "hdi" is the shortest
            interval.

        Returns
        -------
        interval : Interval
            Named tuple ``(low, high)``.

        Raises
        ------
        ValueError
            If `level` or `method` is another.
        """
        level = check_level(level)
        if method == "central":
            return self.distribution.interval(level)
        if method == "hdi":
            return self.distribution.hdi(level)
        raise ValueError(f"method must be 'central' or 'hdi', got {method!r}")

    def _summary(self) -> str:
        """Write the mean and the interval, as they stand in a repr."""
        low, high = self.credible_interval()
        return f"mean={self.mean():.3f}, 95% CI=[{low:.3f}, {high:.3f}]"


def plain_float(values: float | FloatArray) -> float | FloatArray:
    """Return a NumPy scalar as a Python float, and an array as it is."""
    return values if isinstance(values, np.ndarray) else float(values)
