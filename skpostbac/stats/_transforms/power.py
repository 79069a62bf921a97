"""The distribution of a power of a variable, from the distribution of the variable.

For Y = X^e with X >= 0 and e > 0,

    P(Y > y) = P(X > x),    f_Y(y) = f_X(x) x / (e y),    x = y^(1/e).

The moments are integrals of the tails (`monotone`), over the rare values that count where the
distribution is wide beside its mean.
"""

from collections.abc import Callable
from functools import cached_property

import numpy as np

from skpostbac._utils import Floats, float_or_nan, shown
from skpostbac.stats._distribution import BoundedDistribution, Interval, LeftOut, Tails
from skpostbac.stats._numerics import Frame, Points
from skpostbac.stats._transforms.monotone import MonotoneTransform

# Smallest and largest exponent: the quadrature of the moments fails far beyond these.
_LEAST, _LARGEST = 1e-6, 1e3
# Relative error of a panel of the moments from far tails, which count where the distribution is
# wide, to 1e-12 of themselves.
_WIDE_MOMENT_ERROR = 1e-11
# Log upper tails that may count in the moments of a distribution that is wide beside its mean.
_LOG_TAILS = -np.geomspace(1.0, 700.0, 24)
# Those that a centre tells which is cut off.
_NEAR_TAIL = -7.0
# Distances to an end of the support below this are taken for it.
_SMALLEST = 1e-300
# Two places so close to zero that only the leading power of the density counts.
_NEAR_ZERO = np.array([1e-120, 1e-100])


class PowerTransform(MonotoneTransform):
    r"""Distribution of the power :math:`Y = X^e` of a variable X on an interval from zero.

    Tails, densities and quantiles follow from those of X and are as accurate. Where
    :math:`y^{1/e}` is below 1e-300, log tails are those at 1e-300.

    The moments are integrals of the tails. Their error is about 1e-12 standard deviations, or a
    relative error of 1e-8 if the standard deviation of Y exceeds its mean. They take some
    milliseconds, and for many classes without correct predictions and with weights of many scales
    up to several seconds. If the characteristic function of X is truncated, with a warning, the
    moments have the errors that the warning states.

    Parameters
    ----------
    distribution : BoundedDistribution
        Distribution of X, with a support that begins at zero.
    exponent : float
        The power e, from 1e-6 to 1000.

    Raises
    ------
    TypeError
        If `distribution` is not a `BoundedDistribution`.
    ValueError
        If the support does not begin at zero, or if the exponent is out of range.

    Examples
    --------
    The square root of a Beta(4, 1) variable is a Beta(8, 1) variable.

    >>> from skpostbac.stats import BetaAverage, PowerTransform
    >>> root = PowerTransform(BetaAverage([4], [1]), 0.5)
    >>> root
    PowerTransform(mean=0.8889, sd=0.09938, exponent=0.5)
    >>> root.interval(0.95)
    Interval(low=0.6306, high=0.9968)
    >>> BetaAverage([8], [1]).interval(0.95)
    Interval(low=0.6306, high=0.9968)
    """

    def __init__(self, distribution: BoundedDistribution, exponent: float) -> None:
        super().__init__(distribution)
        if distribution.support().low != 0:
            raise ValueError(
                f"distribution must have a support that begins at 0, got {distribution.support()}"
            )
        power = float_or_nan(exponent)
        if not _LEAST <= power <= _LARGEST:
            raise ValueError(
                f"exponent must be a number from {_LEAST:g} to {_LARGEST:g}, got {shown(exponent)}"
            )
        self._exponent: float = power

    @property
    def exponent(self) -> float:
        """The power e."""
        return self._exponent

    def __repr__(self) -> str:
        """Show the mean, the standard deviation and the exponent."""
        mean, sd = self.mean(), self.standard_deviation()
        return f"PowerTransform(mean={mean:.4g}, sd={sd:.4g}, exponent={self.exponent:.4g})"

    def _transformed(self, x: Floats) -> Floats:
        return np.asarray(x**self.exponent)

    @property
    def _origin(self) -> float:
        return float(self.distribution.mean() ** self.exponent)

    @property
    def _is_wide(self) -> bool:
        return self.exponent * self.distribution.standard_deviation() >= self.distribution.mean()

    @property
    def _first_order(self) -> float:
        relative = self.distribution.standard_deviation() / self.distribution.mean()
        return self.exponent * self._origin * relative

    @cached_property
    def _unit(self) -> float:
        if not self._is_wide:
            return self._first_order
        # The rare values are what counts then: about the fourth root of E[Y^4], by its integrand.
        tails = _LOG_TAILS if self.distribution._is_exact else _LOG_TAILS[_LOG_TAILS > _NEAR_TAIL]
        x = self.distribution._quantile(np.log1p(-np.exp(tails)), tails, LeftOut())
        return max(self._first_order, float((x**self.exponent * np.exp(tails / 4)).max()))

    @property
    def _inner_high(self) -> float:
        return self.distribution.support().high

    @property
    def _high(self) -> float:
        return float(self._inner_high**self.exponent)

    @property
    def _high_from_origin(self) -> float:
        below = np.float64(self.distribution._frame.mean_to_high / self._inner_high)
        return float(-self._high * _power_of_one_plus(-below, self.exponent))

    @cached_property
    def _frame(self) -> Frame:
        # The origin stands for the mean, which would ask for the moments.
        origin, to_high = self._origin, self._high_from_origin
        return Frame(0.0, 0.0, self._high, 0.0, origin, 0.0, origin, to_high)

    @cached_property
    def _moments(self) -> Floats:
        # What a centre does not know that is cut off, far tails do not tell either.
        if self._is_wide and self.distribution._is_exact:
            return self._integrated(self._far_tail, self._wide_reach, _WIDE_MOMENT_ERROR)
        return self._integrated(self._near_tail, self._near_reach, self._near_error)

    def _wide_reach(self, _: Callable[[Points], Tails]) -> Floats:
        """Distances from the origin, in units, between which the moments are integrated."""
        log_p = np.array([_LOG_TAILS[-1], 0.0])
        ends = self.distribution._quantile(log_p, log_p[::-1], LeftOut())
        ends -= self.distribution.mean()
        return self._outer_distance(ends) / self._unit

    def _inner_distance(self, from_origin: Floats) -> Floats:
        return self.distribution.mean() * _power_of_one_plus(
            from_origin / self._origin, 1 / self.exponent
        )

    def _outer_distance(self, from_mean: Floats) -> Floats:
        return self._origin * _power_of_one_plus(
            from_mean / self.distribution.mean(), self.exponent
        )

    def _inner(self, points: Points) -> Points:
        power, high = 1 / self.exponent, self._inner_high
        to_low, to_high = points.to_low, points.to_high
        inner_to_low = high * (to_low / self._high) ** power
        # The distance to the far end may have no digits left of the one to the near end.
        inner_to_high = np.where(
            to_low < 0.5 * self._high,
            high - inner_to_low,
            -high * _power_of_one_plus(-to_high / self._high, power),
        )
        return Points(
            self._inner_distance(points.from_mean),
            np.maximum(inner_to_low, _SMALLEST),
            np.maximum(inner_to_high, _SMALLEST),
        )

    def _log_stretch(self, points: Points) -> Floats:
        power, share = 1 / self.exponent, points.to_low / self._high
        at_high = np.log(power * self._inner_high / self._high)
        return np.asarray(at_high + (power - 1) * np.log(share))

    def _stretch(self, from_origin: Floats) -> tuple[Floats, Floats]:
        power, position = 1 / self.exponent, np.maximum(self._origin + from_origin, _SMALLEST)
        at_origin = power * self.distribution.mean() / self._origin
        return at_origin * (position / self._origin) ** (power - 1), (power - 1) / position

    @cached_property
    def _log_end_densities(self) -> Interval:
        stretch = self._log_stretch(self._frame.near_high(np.zeros(1)))
        at_high = float(self.distribution._log_end_densities.high + stretch[0])
        return Interval(self._log_density_at_zero(), at_high)

    def _log_density_at_zero(self) -> float:
        """Return the limit of the log density, from the power with which it comes close to zero."""
        x = _NEAR_ZERO
        tails = self.distribution._tails(
            Points(x - self.distribution.mean(), x, self._inner_high - x)
        )
        log_density = tails.log_pdf + (1 - self.exponent) * np.log(x) - np.log(self.exponent)
        power = float(np.diff(log_density)[0] / np.diff(np.log(x))[0])
        if abs(power) < 1e-9:  # constant, but for rounding
            return float(log_density[0])
        return -np.inf if power > 0 else np.inf


def _power_of_one_plus(x: Floats | np.float64, power: float) -> Floats:
    """Return (1 + x) ** power - 1, also where x is tiny; an x that rounding left below -1 is -1."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.expm1(power * np.log1p(np.maximum(x, -1.0))))
