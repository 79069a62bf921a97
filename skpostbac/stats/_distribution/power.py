"""The distribution of a power of a variable, from the distribution of the variable.

For Y = X^e with X >= 0 and e > 0,

    P(Y > y) = P(X > x),    f_Y(y) = f_X(x) x / (e y),    x = y^(1/e),

and quantiles of Y are quantiles of X to the power e. The moments of Z = (Y - origin) / unit are
integrals of the tails,

    E[Z^k] = integral over z > 0 of k z^(k-1) P(Z > z) dz - integral over z < 0 of
             k z^(k-1) P(Z <= z) dz,

by adaptive quadrature on panels. The origin is the power of the mean of X, so that the moments do
not cancel where the distribution is narrow.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial

import numpy as np

from skpostbac._utils import Bools, Floats, Indices, float_or_nan, shown
from skpostbac.stats._distribution.bounded import BoundedDistribution
from skpostbac.stats._distribution.interface import Interval
from skpostbac.stats._distribution.laplace_moments import Laplace, moments_about_one
from skpostbac.stats._distribution.tails import LeftOut, Tails, Values
from skpostbac.stats._numerics import EPS, Frame, Points, integrate

# Smallest and largest exponent: the quadrature of the moments fails far beyond these.
_LEAST, _LARGEST = 1e-6, 1e3
# Relative error of a panel of the moments: the centre is known to about 1e-14, a centre that is cut
# off to what it tells, and far tails, which count where the distribution is wide, to 1e-12 of
# themselves.
_MOMENT_ERROR, _WIDE_MOMENT_ERROR, _CUT_MOMENT_ERROR = 3e-13, 1e-11, 1e-6
# What an error of a tail may add to the integrand of the fourth moment of a distribution that is
# not wide, a moment of at least one in its units. The error is a bound, of some ten times what it
# is.
_LOST = 3e-12
# Log upper tails that may count in the moments of a distribution that is wide beside its mean.
_LOG_TAILS = -np.geomspace(1.0, 700.0, 24)
# Those that a centre tells which is cut off.
_NEAR_TAIL = -7.0
# Far tails are looked at this often for each power of two, and beyond one that can add no more than
# this to the fourth moment they are left out.
_CUTS, _NOTHING = 8, 1e-15
# Moments of the orders 4 e between these come from the Laplace transform. They lose digits where X
# is narrow: its mean may be so many standard deviations.
_LEAST_ORDER, _LARGEST_ORDER, _LARGEST_RATIO = 4e-3, 0.8, 8.0
# Distances to an end of the support below this are taken for it.
_SMALLEST = 1e-300
# Two places so close to zero that only the leading power of the density counts.
_NEAR_ZERO = np.array([1e-120, 1e-100])


class PowerTransform(BoundedDistribution):
    r"""Distribution of the power :math:`Y = X^e` of a variable X on an interval from zero.

    Tails, densities and quantiles follow from those of X and are as accurate. Where
    :math:`y^{1/e}` is below 1e-300, log tails are those at 1e-300.

    The moments are integrals of the tails. Their error is about 1e-12 standard deviations, or a
    relative error of 1e-10 if the standard deviation of Y exceeds its mean. They usually take a
    millisecond. For a `BetaAverage` whose standard deviation exceeds an eighth of its mean and
    exponents between 0.001 and 0.2, they come from its Laplace transform in a few tenths of a
    second. Many classes without correct predictions and with weights of many scales may take
    several seconds. If the characteristic function of X is truncated, with a warning, the moments
    have the errors that the warning states.

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
        if not isinstance(distribution, BoundedDistribution):
            raise TypeError(
                f"distribution must be a BoundedDistribution, got {type(distribution).__name__}"
            )
        if distribution.support().low != 0:
            raise ValueError(
                f"distribution must have a support that begins at 0, got {distribution.support()}"
            )
        power = float_or_nan(exponent)
        if not _LEAST <= power <= _LARGEST:
            raise ValueError(
                f"exponent must be a number from {_LEAST:g} to {_LARGEST:g}, got {shown(exponent)}"
            )
        self._distribution: BoundedDistribution = distribution
        self._exponent: float = power

    @property
    def distribution(self) -> BoundedDistribution:
        """The distribution of X."""
        return self._distribution

    @property
    def exponent(self) -> float:
        """The power e."""
        return self._exponent

    def __repr__(self) -> str:
        """Show the mean, the standard deviation and the exponent."""
        mean, sd = self.mean(), self.standard_deviation()
        return f"PowerTransform(mean={mean:.4g}, sd={sd:.4g}, exponent={self.exponent:.4g})"

    def mean(self) -> float:
        """Return the mean, by quadrature."""
        return self._origin + self._unit * float(self._moments[0])

    def variance(self) -> float:
        """Return the variance, by quadrature."""
        return float(self._unit**2 * self._central_moments[0])

    def skewness(self) -> float:
        """Return the skewness, the third standardised moment."""
        variance, third, _ = self._central_moments
        return float(third / variance**1.5)

    def kurtosis(self) -> float:
        """Return the excess kurtosis, which is zero for a normal distribution."""
        variance, _, fourth = self._central_moments
        return float(fourth / variance**2 - 3)

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        return np.asarray(self.distribution._draw(rng, shape) ** self.exponent)

    def _quantile(
        self, log_p: Floats | np.float64, log_q: Floats | np.float64, left_out: LeftOut
    ) -> Floats:
        return self.distribution._quantile(log_p, log_q, left_out) ** self.exponent

    # Y is measured from the power of the mean of X, its origin, in units of the standard deviation
    # that it has to first order, if that is small: a distribution narrower than the spacing of
    # doubles keeps its digits.

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
        if not self._is_wide or self._laplace_of_x is not None:
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

    @property
    def _scale(self) -> float:
        return self._unit

    @cached_property
    def _frame(self) -> Frame:
        # The origin stands for the mean, which would ask for the moments.
        origin, to_high = self._origin, self._high_from_origin
        return Frame(0.0, 0.0, self._high, 0.0, origin, 0.0, origin, to_high)

    @cached_property
    def _moments(self) -> Floats:
        """First four moments of Y about the origin, in units.

        E[Z^k] is the integral of k z^(k - 1) times P(Z > z) above zero and -P(Z <= z) below it.
        """
        if self._laplace_of_x is not None:
            moments = self._fractional_moments(self._laplace_of_x)
            if moments is not None:
                return moments
        # What a centre does not know that is cut off, far tails do not tell either.
        by_tails = self._is_wide and self.distribution._is_exact
        signed_tail = self._far_tail if by_tails else self._near_tail
        left_out = LeftOut()
        self.distribution._note_centre(np.zeros(1), left_out)
        evaluate = left_out.noting(self.distribution._search())

        def integrand(_: Indices, z: Floats) -> Floats:
            signed = signed_tail(z.ravel(), evaluate).reshape(z.shape)
            return np.stack([k * z ** (k - 1) * signed for k in (1, 2, 3, 4)])

        low, high = self._wide_reach if by_tails else self._near_reach(evaluate)
        first = np.floor(np.log2(self._first_order / self._unit)) - 1
        steps = 2.0 ** np.arange(first, np.log2(max(-low, high, 1)))
        edges = np.unique(np.clip([low, *-steps, 0, *steps, high], low, high))
        tolerance = _WIDE_MOMENT_ERROR if by_tails else self._near_error
        moments = integrate(integrand, edges[np.newaxis], tolerance)[:, 0]
        left_out.warn()
        return moments

    @property
    def _near_error(self) -> float:
        """Relative error of a panel: the noise of a centre that is cut off is more."""
        return _MOMENT_ERROR if self.distribution._is_exact else _CUT_MOMENT_ERROR

    @property
    def _laplace_of_x(self) -> Laplace | None:
        """The Laplace transform of X, where the moments come from it."""
        fractional = _LEAST_ORDER <= 4 * self.exponent <= _LARGEST_ORDER
        wide = self.distribution.mean() <= _LARGEST_RATIO * self.distribution.standard_deviation()
        if fractional and wide:
            return self.distribution._laplace()
        return None

    def _fractional_moments(self, laplace: Laplace) -> Floats | None:
        """First four moments about the origin, in units, where the transform gives them."""
        mean = float(self.distribution.mean())

        def relative(t: float) -> tuple[float, float]:
            log_transform, slope = laplace(t / mean)
            return log_transform, slope / mean

        about_one = moments_about_one(relative, self.exponent)
        if about_one is None:
            return None
        return np.asarray(about_one * (self._origin / self._unit) ** np.arange(1.0, 5.0))

    @property
    def _wide_reach(self) -> Floats:
        """Distances from the origin, in units, between which the moments are integrated."""
        log_p = np.array([_LOG_TAILS[-1], 0.0])
        ends = self.distribution._quantile(log_p, log_p[::-1], LeftOut())
        ends -= self.distribution.mean()
        return self._outer_distance(ends) / self._unit

    def _near_reach(self, evaluate: Callable[[Points], Tails]) -> Floats:
        """Distances from the origin, in units, between which the moments are integrated.

        Far tails are dear, and mostly nothing: a tail P at z bounds what is beyond it in the fourth
        moment, up to the end e of the support, by P e^4.
        """
        ends = np.array([-self._origin, self._high_from_origin]) / self._unit
        for side, end in enumerate(ends.tolist()):
            steps = np.arange(0.0, np.log2(max(abs(end), 1.0)), 1 / _CUTS)
            z = np.copysign(2.0**steps, end)
            lost = np.flatnonzero(self._from_centre(z)[1])
            if not (lost.size and self.distribution._is_exact):
                continue
            # From just before the first that the centre does not know.
            for place in z[np.maximum(lost - 1, 0)][:: _CUTS // 2]:
                tail = abs(float(self._far_tail(np.array([place]), evaluate)[0]))
                if tail * end**4 < _NOTHING:
                    ends[side] = place
                    break
        return ends

    def _near_tail(self, z: Floats, evaluate: Callable[[Points], Tails]) -> Floats:
        """P(Z > z) above zero, and -P(Z <= z) below it, to an accuracy that falls with z^3."""
        signed, lost = self._from_centre(z)
        if lost.any() and self.distribution._is_exact:
            signed[lost] = self._far_tail(z[lost], evaluate)
        return signed

    def _from_centre(self, z: Floats) -> tuple[Floats, Bools]:
        """Tails like those of `_near_tail` from the centre of the distribution of X alone.

        It is enough wherever its error does not show in the moments, and beyond its reach, which
        falls short of less than exp(-39 - |x - mean| / (2 sd)). Also tells where it is not.
        """
        from_mean, allowed = (
            self._inner_distance(self._unit * z),
            _LOST / np.fmax(np.abs(z), 1) ** 3,
        )
        values = self.distribution._centre_to(from_mean, allowed)
        signed = np.where(z > 0, values.tail, values.tail - 1)
        # Beside an end of the support the rounding of x - mean shows.
        error = values.error + EPS * np.abs(from_mean * values.density)
        error = np.where(np.isfinite(values.error), error, 0.0)
        return signed, error > allowed

    def _far_tail(self, z: Floats, evaluate: Callable[[Points], Tails]) -> Floats:
        """P(Z > z) above zero, and -P(Z <= z) below it, to relative accuracy."""
        y = self._unit * z
        tails = evaluate(self._inner(y, self._origin + y, self._high_from_origin - y))
        return np.where(z > 0, np.exp(tails.log_ccdf), -np.exp(tails.log_cdf))

    @cached_property
    def _central_moments(self) -> tuple[float, float, float]:
        """Second to fourth central moment, in units."""
        m1, m2, m3, m4 = self._moments.tolist()
        return (
            m2 - m1**2,
            m3 - 3 * m1 * m2 + 2 * m1**3,
            m4 - 4 * m1 * m3 + 6 * m1**2 * m2 - 3 * m1**4,
        )

    def _inner_distance(self, from_origin: Floats) -> Floats:
        """Distance of x from the mean of X."""
        return self.distribution.mean() * _power_of_one_plus(
            from_origin / self._origin, 1 / self.exponent
        )

    def _outer_distance(self, from_mean: Floats) -> Floats:
        """Distance of y from the origin, for x at a distance from the mean of X."""
        return self._origin * _power_of_one_plus(
            from_mean / self.distribution.mean(), self.exponent
        )

    def _inner(self, from_origin: Floats, to_low: Floats, to_high: Floats) -> Points:
        """Return the positions of x, with all their distances."""
        power, high = 1 / self.exponent, self._inner_high
        inner_to_low = high * (to_low / self._high) ** power
        # The distance to the far end may have no digits left of the one to the near end.
        inner_to_high = np.where(
            to_low < 0.5 * self._high,
            high - inner_to_low,
            -high * _power_of_one_plus(-to_high / self._high, power),
        )
        return Points(
            self._inner_distance(from_origin),
            np.maximum(inner_to_low, _SMALLEST),
            np.maximum(inner_to_high, _SMALLEST),
        )

    def _tails(self, points: Points) -> Tails:
        return self._stretched(self.distribution._tails, points)

    @property
    def _is_exact(self) -> bool:
        return self.distribution._is_exact

    def _search(self) -> Callable[[Points], Tails]:
        return partial(self._stretched, self.distribution._search())

    def _stretched(self, evaluate: Callable[[Points], Tails], points: Points) -> Tails:
        """Return the tails and the density, from those of X."""
        tails = evaluate(self._inner(points.from_mean, points.to_low, points.to_high))
        return replace(tails, log_pdf=tails.log_pdf + self._log_stretch(points))

    def _log_stretch(self, points: Points) -> Floats:
        """Return the log of dx / dy."""
        power, share = 1 / self.exponent, points.to_low / self._high
        at_high = np.log(power * self._inner_high / self._high)
        return np.asarray(at_high + (power - 1) * np.log(share))

    def _centre(self, y: Floats) -> Values:
        values = self.distribution._centre(self._inner_distance(y))
        power, position = 1 / self.exponent, np.maximum(self._frame.mean + y, _SMALLEST)
        stretch = (
            power
            * self.distribution.mean()
            / self._origin
            * (position / self._origin) ** (power - 1)
        )
        with np.errstate(over="ignore", invalid="ignore"):  # an unbounded density
            density = values.density * stretch
            slope = values.slope * stretch**2 + density * (power - 1) / position
        return Values(values.tail, values.error, density, np.nan_to_num(slope, nan=0.0))

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

    def _kinks(self) -> list[float]:
        return list(map(float, self._outer_distance(np.array(self.distribution._kinks()))))


def _power_of_one_plus(x: Floats | np.float64, power: float) -> Floats:
    """Return (1 + x) ** power - 1, also where x is tiny; an x that rounding left below -1 is -1."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.expm1(power * np.log1p(np.maximum(x, -1.0))))
