"""The distribution of a variable whose odds are a multiple of those of another.

With l and h the distances of X to the lower and to the upper end of its support, of width w, the
odds of X are l / h. Those of Y are r l / h, so that its distances are

    w r l / (h + r l),    w h / (h + r l),

and X has the odds of Y divided by r. The density follows from dx / dy = r w^2 / (r h + l)^2, with
the distances of Y. The moments are integrals of the tails (`monotone`).
"""

from functools import cached_property

import numpy as np

from skpostbac._utils import Floats, float_or_nan, shown
from skpostbac.stats._distribution import BoundedDistribution, Interval
from skpostbac.stats._numerics import Frame, Points
from skpostbac.stats._transforms.monotone import MonotoneTransform

# Smallest factor, and the inverse of the largest one.
_LEAST = 1e-20


class OddsTransform(MonotoneTransform):
    """Distribution of Y, whose odds are those of X times a factor.

    Odds are distances to the lower end of the support, divided by those to the upper end. Between
    0 and 1 they are x / (1 - x). The support does not change.

    Parameters
    ----------
    distribution : BoundedDistribution
        Distribution of X.
    factor : float
        The factor r, from 1e-20 to 1e20.

    Raises
    ------
    TypeError
        If `distribution` is not a `BoundedDistribution`.
    ValueError
        If `factor` is out of range.

    Notes
    -----
    Tails, densities and quantiles are as accurate as those of X. The errors of the moments are
    about 1e-12 standard deviations.

    Examples
    --------
    >>> from skpostbac.stats import BetaAverage
    >>> from skpostbac.stats._transforms import OddsTransform
    >>> OddsTransform(BetaAverage([31, 9, 4], [3, 3, 2]), 0.8)
    OddsTransform(mean=0.7364, sd=0.08185, factor=0.8)
    """

    def __init__(self, distribution: BoundedDistribution, factor: float) -> None:
        super().__init__(distribution)
        ratio = float_or_nan(factor)
        if not _LEAST <= ratio <= 1 / _LEAST:
            raise ValueError(
                f"factor must be a number from {_LEAST:g} to {1 / _LEAST:g}, got {shown(factor)}"
            )
        self._factor: float = ratio

    @property
    def factor(self) -> float:
        """The factor r."""
        return self._factor

    def __repr__(self) -> str:
        """Show the mean, the standard deviation and the factor."""
        mean, sd = self.mean(), self.standard_deviation()
        return f"OddsTransform(mean={mean:.4g}, sd={sd:.4g}, factor={self.factor:.4g})"

    @property
    def _width(self) -> float:
        return self._frame.mean_to_low + self._frame.mean_to_high

    @cached_property
    def _frame(self) -> Frame:
        # The origin stands for the mean, which would ask for the moments.
        inner = self.distribution._frame
        distances = _scaled(
            np.float64(inner.mean_to_low), np.float64(inner.mean_to_high), self.factor
        )
        to_low, to_high = map(float, distances)
        origin = inner.low + to_low if to_low < to_high else inner.high - to_high
        return Frame(
            *(inner.low, inner.low_rest, inner.high, inner.high_rest),
            *(origin, 0.0, to_low, to_high),
        )

    def _transformed(self, x: Floats) -> Floats:
        low, high = self.support()
        to_low, to_high = _scaled(x - low, high - x, self.factor)
        return np.where(to_low < to_high, low + to_low, high - to_high)

    def _inner_distance(self, from_origin: Floats) -> Floats:
        return _moved(from_origin, self._frame, 1 / self.factor)

    def _outer_distance(self, from_mean: Floats) -> Floats:
        return _moved(from_mean, self.distribution._frame, self.factor)

    def _inner(self, points: Points) -> Points:
        distances = _scaled(points.to_low, points.to_high, 1 / self.factor)
        return Points(self._inner_distance(points.from_mean), *distances)

    def _log_stretch(self, points: Points) -> Floats:
        share = (self.factor * points.to_high + points.to_low) / self._width
        return np.asarray(np.log(self.factor) - 2 * np.log(share))

    def _stretch(self, from_origin: Floats) -> tuple[Floats, Floats]:
        points, r = self._frame.near_mean(from_origin), self.factor
        share = r * points.to_high + points.to_low
        return r * (self._width / share) ** 2, 2 * (r - 1) / share

    @property
    def _first_order(self) -> float:
        at_origin, _ = self._stretch(np.zeros(()))
        return float(self.distribution.standard_deviation() / at_origin)

    @property
    def _log_end_densities(self) -> Interval:
        low, high = self.distribution._log_end_densities
        log_factor = float(np.log(self.factor))
        return Interval(low - log_factor, high + log_factor)


def _scaled(
    to_low: Floats | np.float64, to_high: Floats | np.float64, factor: float
) -> tuple[Floats, Floats]:
    """Return the distances to both ends of the point whose odds are so many times as large."""
    share = (to_low + to_high) / (to_high + factor * to_low)
    return np.asarray(factor * to_low * share), np.asarray(to_high * share)


def _moved(distance: Floats, frame: Frame, factor: float) -> Floats:
    """Return the distance of two points that were at a distance, one of them the mean of a frame.

    It has no cancellation: for odds with the denominators s and t it is r w^2 / (s t) times as
    large.
    """
    points = frame.near_mean(distance)
    width = frame.mean_to_low + frame.mean_to_high
    share = (points.to_high + factor * points.to_low) / width
    at_mean = (frame.mean_to_high + factor * frame.mean_to_low) / width
    return np.asarray(factor * distance / (share * at_mean))
