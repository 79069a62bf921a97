"""Interface of univariate distributions, computed or known by draws.

The methods have the names of SciPy's random variables. The central interval of a level leaves out
(1 - level) / 2 on either side; `hdi` is the shortest interval of that probability.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import Floats, RngLike, StablePickle, shown


class Interval(NamedTuple):
    """Two ends of an interval.

    A record that functions return, not checked when it is made: what takes one checks it.
    """

    low: float
    """Lower end."""
    high: float
    """Upper end."""


class Distribution(StablePickle, ABC):
    """A distribution of one random variable.

    Method names follow SciPy's random variables.
    """

    @abstractmethod
    def mean(self) -> float:
        """Return the mean."""

    @abstractmethod
    def median(self) -> float:
        """Return the median."""

    @abstractmethod
    def variance(self) -> float:
        """Return the variance."""

    @abstractmethod
    def standard_deviation(self) -> float:
        """Return the standard deviation."""

    @abstractmethod
    def cdf(self, x: ArrayLike) -> np.float64 | Floats:
        """Return P(X <= x)."""

    @abstractmethod
    def ccdf(self, x: ArrayLike) -> np.float64 | Floats:
        """Return P(X > x)."""

    @abstractmethod
    def icdf(self, p: ArrayLike) -> np.float64 | Floats:
        """Return the quantile at `p`."""

    @abstractmethod
    def interval(self, level: float = 0.95) -> Interval:
        """Return the central interval."""

    @abstractmethod
    def hdi(self, level: float = 0.95) -> Interval:
        """Return the shortest interval."""

    @abstractmethod
    def sample(
        self,
        shape: int | tuple[int, ...] = (),
        *,
        rng: RngLike = None,
    ) -> np.float64 | Floats:
        """Draw independent values."""


def interval_of(distribution: Distribution, level: float, method: object) -> Interval:
    """Return the "central" interval of a distribution, or its shortest one, "hdi"."""
    intervals = {"central": distribution.interval, "hdi": distribution.hdi}
    if not isinstance(method, str) or method not in intervals:
        raise ValueError(f"method must be 'central' or 'hdi', got {shown(method)}")
    return intervals[method](level)


def plain_float(values: float | Floats) -> float | Floats:
    """Return a NumPy scalar as a Python float, and an array as it is."""
    return values if isinstance(values, np.ndarray) else float(values)
