"""What a law of one random variable offers, be it computed or known by draws."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray


class Interval(NamedTuple):
    """Two ends of an interval."""

    low: float
    high: float


class Law(ABC):
    """A law of one random variable.

    Method names follow SciPy's random variables. `credible_interval`, `prob_above` and
    `prob_below` say the same in the words of the posteriors of this package: they are `interval`
    or `hdi`, `ccdf` and `cdf`, with plain floats for numbers.
    """

    @abstractmethod
    def mean(self) -> float:
        """Return the mean."""

    @abstractmethod
    def median(self) -> float:
        """Return the median."""

    @abstractmethod
    def standard_deviation(self) -> float:
        """Return the standard deviation."""

    @abstractmethod
    def cdf(self, x: ArrayLike) -> np.float64 | NDArray[np.float64]:
        """Return P(X <= x)."""

    @abstractmethod
    def ccdf(self, x: ArrayLike) -> np.float64 | NDArray[np.float64]:
        """Return P(X > x)."""

    @abstractmethod
    def icdf(self, p: ArrayLike) -> np.float64 | NDArray[np.float64]:
        """Return the quantile at `p`."""

    @abstractmethod
    def interval(self, level: float = 0.95) -> Interval:
        """Return the central interval."""

    @abstractmethod
    def hdi(self, level: float = 0.95) -> Interval:
        """Return the shortest interval."""

    def credible_interval(
        self, level: float = 0.95, *, method: Literal["central", "hdi"] = "central"
    ) -> Interval:
        """Return the interval that holds the variable with probability `level`.

        Parameters
        ----------
        level : float, default=0.95
            Probability, in (0, 1).
        method : {"central", "hdi"}, default="central"
            "central" leaves out the same probability on both sides; "hdi" is the shortest
            interval, of highest density.

        Returns
        -------
        interval : Interval
            Named tuple ``(low, high)``.

        Raises
        ------
        ValueError
            If `level` or `method` is another.

        Examples
        --------
        >>> from skpostbac.stats import BetaAverage
        >>> BetaAverage([2], [1]).credible_interval(0.5)  # roots of 1/4 and 3/4
        Interval(low=0.5, high=0.8660)
        >>> BetaAverage([2], [1]).credible_interval(0.5, method="hdi")  # from the root of 1/2
        Interval(low=0.7071, high=1.0)
        """
        if method == "central":
            return self.interval(level)
        if method == "hdi":
            return self.hdi(level)
        raise ValueError(f"method must be 'central' or 'hdi', got {method!r}")

    def prob_above(self, value: ArrayLike) -> float | NDArray[np.float64]:
        """Return P(X > value): a float, or an array of the shape of `value`."""
        return plain_float(self.ccdf(value))

    def prob_below(self, value: ArrayLike) -> float | NDArray[np.float64]:
        """Return P(X <= value): a float, or an array of the shape of `value`."""
        return plain_float(self.cdf(value))


def plain_float(values: float | NDArray[np.float64]) -> float | NDArray[np.float64]:
    """Return a NumPy scalar as a Python float, and an array as it is."""
    return values if isinstance(values, np.ndarray) else float(values)
