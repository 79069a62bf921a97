"""Distributions that have not moved to series: they are computed along contours.

A subclass computes tails, densities and moments; this module computes the rest from them. The
quantile is the root of P(X <= x) = p (`quantile`), and the mode the point of highest density
(`mode`). The shortest interval has equal densities at its ends, unless it ends at a kink or an end
of the support (`hdi`). There are two accuracies: `_centre` is cheap and has absolute accuracy;
`_tails` returns logs with relative accuracy in arbitrarily small tails, and is used where `_centre`
does not suffice.
"""

from abc import abstractmethod
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import (
    Bools,
    Floats,
    Indices,
    RngLike,
    check_generator,
    check_level,
    check_shape,
    float_array,
    probability_array,
)
from skpostbac.stats._distribution.bounded import BoundedDistribution
from skpostbac.stats._distribution.hdi import shortest_interval
from skpostbac.stats._distribution.interface import Interval, broadcast_limits
from skpostbac.stats._distribution.mode import highest_place
from skpostbac.stats._distribution.outline import Outline, Profile, resolve
from skpostbac.stats._distribution.quantile import beta_quantile, central_quantile, upper_quantile
from skpostbac.stats._distribution.tails import LeftOut, Tails, Values
from skpostbac.stats._numerics import Frame, Points
from skpostbac.stats._series import Centred, Evaluator

# Fraction of the distance to an end of the support at which the density counts as interior.
_ALMOST = 1 - 1e-6
# Initial grid of the search for the mode: distances from the mean in standard deviations.
_UNITS = np.linspace(-8, 8, 49)
# An interval between two points is split if its probability exceeds the first, or the second where
# the densities at the points do not predict the probability.
_LARGE, _LEAST = 1 / 16, 1e-4


# Initial grid of the search for the HDI: tail probabilities relative to the one outside.
_SHARES = np.array([1 / 64, 1 / 16, 1 / 6, 1 / 3, 1 / 2, 2 / 3, 5 / 6, 15 / 16, 1, 9 / 8])
# A smaller probability outside the HDI than this needs tails of relative accuracy.
_SMALL_TAIL = 1e-5
# A larger error of the central contour than this does, too.
_LOST = 1e-11
# Largest number of kinks, and distance in standard deviations, up to which each is examined.
_FEW_KINKS, _REACH = 100, 16.0

# Logs of tails less than those outside an interval by more than this do not move it.
_UNSEEN = 16.0

# Log of the smaller tail below which a quantile is far out.
_LOG_FAR = float(np.log(1e-9))


class ContourDistribution(BoundedDistribution):
    """Base class of continuous distributions on a bounded interval.

    Method names follow SciPy's random variables. Subclasses define the support and the mean
    (`_frame`), the tails and the density inside the support to relative (`_tails`) and absolute
    accuracy (`_centre`), the limits of the density at both ends (`_log_end_densities`), and the
    moments.

    Notes
    -----
    Points and probabilities may be real numbers of any type, including `Fraction` and `Decimal`;
    other types raise a ValueError. NaN gives NaN.

    For weighted sums of Beta variables, errors are absolute: 1e-12 in probabilities, and more
    beside a point where the density is not smooth. Logarithms of tails below 1e-11 are a
    saddlepoint approximation, good to about 1 % of the tail. For paired differences, the tests
    require a relative error of at most 1e-8 in probabilities between 1e-300 and 1/2. See
    :ref:`evidence_accuracy`. The distributions under a hierarchical prior and of populations
    integrate over further unknowns and are less accurate.
    """

    @property
    @abstractmethod
    def _frame(self) -> Frame:
        """Both ends of the support and the mean."""

    @property
    def _centred(self) -> Centred:
        return _ContourCentred(self)

    @abstractmethod
    def _tails(self, points: Points) -> Tails:
        """Log tails and log density at points strictly inside the support, shape (n,)."""

    def _search(self) -> Callable[[Points], Tails]:
        """Return a version of `_tails` for repeated calls at nearby points."""
        return self._tails

    @property
    @abstractmethod
    def _log_end_densities(self) -> Interval:
        """Limits of the log density at both ends of the support."""

    @abstractmethod
    def _centre(self, y: Floats) -> Values:
        """Upper tail and density at distances from the mean, to absolute accuracy."""

    @property
    def _is_exact(self) -> bool:
        """Whether `_tails` is more accurate than `_centre`."""
        return True

    def _centre_to(self, y: Floats, allowed: Floats) -> Values:
        """Return the same with errors up to `allowed`, where possible."""
        return self._centre(y)

    @abstractmethod
    def variance(self) -> float:
        """Return the variance."""

    @abstractmethod
    def skewness(self) -> float:
        """Return the skewness, the third standardised moment."""

    @abstractmethod
    def kurtosis(self) -> float:
        """Return the excess kurtosis, which is zero for a normal distribution."""

    @abstractmethod
    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        """Draw random values."""

    def sample(
        self,
        shape: int | tuple[int, ...] = (),
        *,
        rng: RngLike = None,
    ) -> np.float64 | Floats:
        """Draw independent random values.

        Parameters
        ----------
        shape : int or tuple of int, default=()
            Shape of the result; a single float for ``()``.
        rng : Generator, BitGenerator, SeedSequence or int, optional
            NumPy generator or seed, such as a non-negative integer. By default a generator with
            fresh entropy.

        Returns
        -------
        sample : float or ndarray of shape `shape`

        Raises
        ------
        TypeError
            If `shape` or `rng` has an invalid type.
        ValueError
            If `shape` or `rng` contains a negative integer, or if `shape` is too large.
        MemoryError
            If the result does not fit in memory.
        """
        return _scalar(self._draw(check_generator(rng), check_shape(shape)))

    def support(self) -> Interval:
        """Return the support: the smallest and the largest possible value.

        Returns
        -------
        low, high : float
        """
        return Interval(self._frame.low, self._frame.high)

    def mean(self) -> float:
        """Return the mean, in closed form."""
        return self._frame.mean

    def standard_deviation(self) -> float:
        """Return the standard deviation, in closed form."""
        return float(np.sqrt(self.variance()))

    def pdf(self, x: ArrayLike) -> np.float64 | Floats:
        """Return the probability density at `x`.

        Parameters
        ----------
        x : array_like
            Any shape. The density is zero outside the support. At an end of the support it is the
            limit from inside, which may be infinite. It may also be infinite inside the support,
            such as halfway between a perfect class and an always wrong one under Jeffreys' prior.

        Returns
        -------
        pdf : float or ndarray of the shape of `x`

        Raises
        ------
        ValueError
            If `x` is not real.
        """
        with np.errstate(over="ignore"):  # densities beyond the largest double are infinite
            return np.exp(self.logpdf(x))

    def logpdf(self, x: ArrayLike) -> np.float64 | Floats:
        """Return the logarithm of the probability density at `x`.

        Parameters
        ----------
        x : array_like
            Any shape.

        Returns
        -------
        logpdf : float or ndarray of the shape of `x`
        """
        return _scalar(self._log_values(x)[2])

    def cdf(self, x: ArrayLike, y: ArrayLike | None = None) -> np.float64 | Floats:
        """Return P(X <= x), or P(x < X <= y) when `y` is given.

        Parameters
        ----------
        x : array_like
            Any shape.
        y : array_like, optional
            Upper limit; broadcast with `x`. The result is negative where `y` is below `x`, like an
            integral from x to y, and NaN where either is NaN.

        Returns
        -------
        cdf : float or ndarray of the shape of `x`

        Raises
        ------
        ValueError
            If `x` or `y` is not real, or if they do not broadcast.
        """
        if y is None:
            return np.exp(self.logcdf(x))
        limits = np.stack(broadcast_limits(x, y))
        # From the lower to the upper limit, so that exchanged limits change nothing but the sign.
        log_cdf, log_ccdf, _ = self._log_values(np.sort(limits, axis=0))
        # Both limits in the upper half: the difference of the upper tails loses fewer digits.
        from_below = np.exp(log_cdf[1]) - np.exp(log_cdf[0])
        from_above = np.exp(log_ccdf[0]) - np.exp(log_ccdf[1])
        between = np.where(log_cdf[0] > np.log(0.5), from_above, from_below)
        return _scalar(np.where(limits[1] < limits[0], -between, between))

    def ccdf(self, x: ArrayLike) -> np.float64 | Floats:
        """Return P(X > x), computed directly and so accurate where it is small.

        Parameters
        ----------
        x : array_like
            Any shape.

        Returns
        -------
        ccdf : float or ndarray of the shape of `x`
        """
        return np.exp(self.logccdf(x))

    def logcdf(self, x: ArrayLike) -> np.float64 | Floats:
        """Return the logarithm of P(X <= x), finite far below the smallest double.

        Parameters
        ----------
        x : array_like
            Any shape.

        Returns
        -------
        logcdf : float or ndarray of the shape of `x`
        """
        return _scalar(self._log_values(x)[0])

    def logccdf(self, x: ArrayLike) -> np.float64 | Floats:
        """Return the logarithm of P(X > x), finite far below the smallest double.

        Parameters
        ----------
        x : array_like
            Any shape.

        Returns
        -------
        logccdf : float or ndarray of the shape of `x`
        """
        return _scalar(self._log_values(x)[1])

    def icdf(self, p: ArrayLike) -> np.float64 | Floats:
        """Return the x with P(X <= x) = p, the quantile.

        Parameters
        ----------
        p : array_like
            Probabilities in [0, 1], any shape. Zero and one give the ends of the support; NaN
            gives NaN.

        Returns
        -------
        icdf : float or ndarray of the shape of `p`

        Raises
        ------
        ValueError
            If `p` is not real or not in [0, 1].
        """
        p = probability_array(p, "p")
        with np.errstate(divide="ignore"):
            return _scalar(self._told_quantile(np.log(p), np.log1p(-p)))

    def iccdf(self, p: ArrayLike) -> np.float64 | Floats:
        """Return the x with P(X > x) = p.

        Parameters
        ----------
        p : array_like
            Probabilities in [0, 1], any shape. Zero and one give the ends of the support; NaN
            gives NaN.

        Returns
        -------
        iccdf : float or ndarray of the shape of `p`

        Raises
        ------
        ValueError
            If `p` is not real or not in [0, 1].
        """
        p = probability_array(p, "p")
        with np.errstate(divide="ignore"):
            return _scalar(self._told_quantile(np.log1p(-p), np.log(p)))

    def median(self) -> float:
        """Return the median."""
        return float(self.icdf(0.5))

    def mode(self) -> float:
        """Return the point of highest density.

        This is an end of the support if the density is unbounded there.
        """
        left_out = LeftOut()
        place, height = highest_place(self._centre, self._outline(left_out))
        self._note_centre(np.array([place]), left_out)
        left_out.warn()
        end = int(np.argmax(self._log_end_densities))
        if self._log_end_densities[end] >= np.log(height):
            return float(self.support()[end])
        return float(self._frame.x(self._frame.near_mean(np.array([place])))[0])

    def _kinks(self) -> list[float]:
        """Distances from the mean at which the density may have a kink."""
        return []

    def _outline(self, left_out: LeftOut) -> Outline:
        """Resolve the density on a grid, refined until interpolation predicts probabilities."""
        low, high = self._ends_from_mean
        reach = _REACH * self._scale
        y = np.append(_UNITS * self._scale, self._kinks())
        y = y[(np.maximum(low, -reach) < y) & (y < np.minimum(high, reach))]
        y = np.concatenate(
            [y, _almost(low, y.min(initial=high)), _almost(high, y.max(initial=low))]
        )
        profile = partial(self._central_profile, far=self._far_profile(left_out, -np.inf))
        start = Outline.of(profile, y).monotone()

        def coarse(outline: Outline) -> Bools:
            return outline.coarse(_LARGE, _LEAST)

        return resolve(profile, start, coarse, self._spacing)

    def interval(self, level: float = 0.95) -> Interval:
        """Return the central interval, with equal probability in both tails.

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
        tail = 0.5 * (1 - check_level(level))
        with np.errstate(divide="ignore"):
            inner, outer = np.log1p(-tail), np.log(tail)
            ends = self._told_quantile(np.array([outer, inner]), np.array([inner, outer]))
        return Interval(*map(float, ends))

    def hdi(self, level: float = 0.95) -> Interval:
        """Return the highest-density interval, the shortest one with this probability.

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
        level = check_level(level)
        left_out = LeftOut()
        low, high = self._shortest(level, left_out)
        left_out.warn()
        return Interval(low, high)

    def _shortest(self, level: float, left_out: LeftOut) -> tuple[float, float]:
        """Return the ends of the shortest interval."""
        profile = self._profile(level, left_out)
        low, high = self.support()
        found = shortest_interval(profile, self._flanks(level, left_out), level, self._spacing)
        log_level, log_rest = np.log(level), np.log1p(-level)
        if found.below == 0:
            return low, float(self._quantile(log_level, log_rest, left_out))
        if found.below == 1 - level:
            return float(self._quantile(log_rest, log_level, left_out)), high
        places = np.array([found.low, found.high])
        self._note_centre(places, left_out)
        # Rounding may swap the ends of an interval with very small probability.
        first, last = np.sort(self._frame.x(self._frame.near_mean(places)))
        return float(first), float(last)

    def _note_centre(self, y: Floats, left_out: LeftOut) -> None:
        """Take account of errors at some distances from the mean, where the centre is cut off."""
        if not self._is_exact:
            left_out.note_errors(self._centre(y).error)

    @property
    def _spacing(self) -> float:
        """Spacing of doubles in the range of the distribution."""
        reach = min(8 * self._scale, float(np.abs(self._ends_from_mean).max()))
        return float(np.spacing(abs(self._frame.mean) + reach))

    @property
    def _ends_from_mean(self) -> Floats:
        return np.array([-self._frame.mean_to_low, self._frame.mean_to_high])

    def _flanks(self, level: float, left_out: LeftOut) -> Floats:
        """Distances from the mean at which to start the search for the shortest interval."""
        shares = (1 - level) * _SHARES
        if 1 - level < _SMALL_TAIL:
            logs, rest = np.log(shares), np.log1p(-shares)
            x = [self._quantile(logs, rest, left_out), self._quantile(rest, logs, left_out)]
            y = self._frame.locate(np.concatenate(x)).from_mean
        else:
            p = np.concatenate([shares, 1 - shares])
            scale = self._scale
            kinks = np.array(self._few_kinks)
            kinks = kinks[np.abs(kinks) < _REACH * scale]
            y = np.append(beta_quantile(self._frame, p, scale), kinks)
        low, high = ends = self._ends_from_mean
        return np.append(y[(low < y) & (y < high)], ends)

    @property
    def _few_kinks(self) -> list[float]:
        kinks = self._kinks()
        return kinks if len(kinks) <= _FEW_KINKS else []

    @property
    def _scale(self) -> float:
        """About the standard deviation."""
        return self.standard_deviation()

    def _profile(self, level: float, left_out: LeftOut) -> Profile:
        """Return a function for both tails and the density, as accurate as the level needs."""
        far = self._far_profile(left_out, np.log1p(-level) - _UNSEEN)
        evaluate = far if 1 - level < _SMALL_TAIL else partial(self._central_profile, far=far)
        first, last = self._ends_from_mean

        def profile(y: Floats) -> Floats:
            below, above = y <= first, y >= last
            inside = ~(below | above)
            values = np.empty((3, y.size))
            values[:, inside] = evaluate(y[inside])
            low, high = np.exp(self._log_end_densities)
            values[:, below] = np.array([[0.0], [1.0], [low]])
            values[:, above] = np.array([[1.0], [0.0], [high]])
            return values

        return profile

    def _central_profile(self, y: Floats, far: Profile) -> Floats:
        values = self._centre(y)
        # The density is negligible beyond the range of the contour.
        density = np.where(np.isfinite(values.error), np.maximum(values.density, 0.0), 0.0)
        tail = np.clip(values.tail, 0.0, 1.0)
        profile = np.stack([1 - tail, tail, density])
        lost = np.isfinite(values.error) & (values.error > _LOST)
        if lost.any() and self._is_exact:
            profile[:, lost] = far(y[lost])
        return profile

    def _far_profile(self, left_out: LeftOut, least: float) -> Profile:
        """Return the profile by tails of relative accuracy; logs below `least` do not matter."""
        search = self._search()

        def profile(y: Floats) -> Floats:
            tails = search(self._frame.near_mean(y))
            seen = np.minimum(tails.log_cdf, tails.log_ccdf) + tails.apart > least
            left_out.note(tails[np.flatnonzero(seen)])
            return np.exp(np.stack([tails.log_cdf, tails.log_ccdf, tails.log_pdf]))

        return profile

    def _curve(self) -> Callable[[Floats], Floats]:
        """Return a `pdf` with a cache for neighbouring points, for plotting a curve."""
        evaluate = self._search()

        def pdf(x: Floats) -> Floats:
            with np.errstate(over="ignore"):
                return np.asarray(np.exp(self._log_values(x, evaluate)[2]))

        return pdf

    def _log_values(
        self, x: ArrayLike, evaluate: Callable[[Points], Tails] | None = None
    ) -> Floats:
        """Log cdf, log ccdf and log pdf at x, stacked along a new first axis."""
        x = float_array(x, "x")
        low, high = self.support()
        values = np.full((3, *x.shape), np.nan)
        values[:, x < low] = np.array([[-np.inf], [0.0], [-np.inf]])
        values[:, x > high] = np.array([[0.0], [-np.inf], [-np.inf]])
        if ((x == low) | (x == high)).any():
            first, last = self._log_end_densities
            values[:, x == low] = np.array([[-np.inf], [0.0], [first]])
            values[:, x == high] = np.array([[0.0], [-np.inf], [last]])
        inside = (low < x) & (x < high)
        if inside.any():
            left_out = LeftOut()
            tails = left_out.note((evaluate or self._tails)(self._frame.locate(x[inside])))
            left_out.warn()
            values[:, inside] = np.stack([tails.log_cdf, tails.log_ccdf, tails.log_pdf])
        return values

    def _told_quantile(self, log_p: Floats, log_q: Floats) -> Floats:
        """Quantile of exp(log_p) = 1 - exp(log_q), with a warning of what is left out."""
        left_out = LeftOut()
        x = self._quantile(log_p, log_q, left_out)
        left_out.warn()
        return x

    def _quantile(
        self, log_p: Floats | np.float64, log_q: Floats | np.float64, left_out: LeftOut
    ) -> Floats:
        """Quantile of exp(log_p) = 1 - exp(log_q)."""
        log_p, log_q = np.asarray(log_p, float), np.asarray(log_q, float)
        x = np.full(log_p.shape, np.nan)
        low, high = self.support()
        x[log_p == -np.inf], x[log_q == -np.inf] = low, high
        inner = (log_p > -np.inf) & (log_q > -np.inf)
        if inner.any():
            x[inner] = self._inner_quantile(log_p[inner], log_q[inner], left_out)
        return x

    def _inner_quantile(self, log_p: Floats, log_q: Floats, left_out: LeftOut) -> Floats:
        """Quantile inside the support, (n,), from `_centre` where accurate enough."""
        p = np.exp(log_p)
        y, found = self._central_quantile(p, np.exp(log_q))
        if not (found.all() or self._is_exact):
            found = np.isfinite(y)
        self._note_centre(y[found], left_out)
        x = self._frame.x(self._frame.near_mean(y))
        if found.all():
            return x
        # Points are most accurate from the nearer end, small probabilities from their own tail.
        is_low = beta_quantile(self._frame, p, self.standard_deviation()) < 0
        from_low = np.where(np.minimum(log_p, log_q) < np.log(1e-3), log_p <= log_q, is_low)
        for log_tail, side, is_upper in ((log_p, from_low, False), (log_q, ~from_low, True)):
            for part in self._searches(np.flatnonzero(~found & side), log_tail):
                places = self._solve(log_tail[part], y[part], left_out, upper=is_upper)
                x[part] = self._frame.x(places)
        return x

    def _searches(self, wanted: Indices, log_tail: Floats) -> list[Indices]:
        """Divide quantiles into those that are searched together.

        The work for far tails in one search is limited. Moderate quantiles do not share it with far
        ones, nor with each other if the centre is so expensive that it is cut off.
        """
        is_far = log_tail[wanted] < _LOG_FAR
        moderate = wanted[~is_far]
        together = [moderate] if self._is_exact else list(moderate[:, np.newaxis])
        return [part for part in (*together, wanted[is_far]) if part.size]

    def _central_quantile(self, p: Floats, q: Floats) -> tuple[Floats, Bools]:
        """Distances of quantiles from the mean, NaN if unknown, and whether they are accurate."""
        start = beta_quantile(self._frame, p, self.standard_deviation())
        return central_quantile(self._centre, start, p, q)

    def _solve(self, log_p: Floats, start: Floats, left_out: LeftOut, *, upper: bool) -> Points:
        """Points whose upper (or lower) tail has the log probability `log_p`.

        The search starts at the given distances from the mean, or at a guess where they are NaN.
        """
        scale = self.standard_deviation()

        search = left_out.noting(self._search())

        def log_tail(points: Points) -> tuple[Floats, Floats]:
            tails = search(points if upper else points.mirrored())
            return (tails.log_ccdf if upper else tails.log_cdf), tails.log_pdf

        if upper:
            return upper_quantile(self._frame, log_tail, log_p, scale, start)
        return upper_quantile(self._frame.mirrored(), log_tail, log_p, scale, -start).mirrored()


class _ContourCentred:
    """What transforms ask of a distribution along contours."""

    is_log_concave, least = False, 1e-290

    def __init__(self, distribution: ContourDistribution) -> None:
        self._distribution, frame = distribution, distribution._frame
        self.low, self.high = np.array([-frame.mean_to_low]), np.array([frame.mean_to_high])
        self.deviation = np.array([distribution.standard_deviation()])
        self.end_densities = np.exp(np.array(distribution._log_end_densities))[:, np.newaxis]
        self.places = np.array([distribution._kinks()])

    def evaluator(self, n_derivatives: int) -> Evaluator:
        """Return what evaluates the distribution function less 1/2 and up to three derivatives."""

        def evaluate(y: Floats) -> Floats:
            step = 1e-4 * self.deviation
            found, above, below = (
                self._distribution._centre(x) for x in (y[0], y[0] + step, y[0] - step)
            )
            bend = 0.5 * (above.slope - below.slope) / step
            values = np.stack([0.5 - found.tail, found.density, found.slope, bend])
            return np.nan_to_num(values[: n_derivatives + 1, np.newaxis])

        return evaluate

    def tails(self, y: Floats, to_low: Floats, to_high: Floats) -> Floats:
        """P(X <= x), P(X > x) and the density, (3, 1, n), at distances from mean and ends."""
        found = self._distribution._centre(y[0])
        values = np.nan_to_num([1 - found.tail, found.tail, found.density])
        return np.asarray(np.clip(values, 0.0, [[1.0], [1.0], [np.inf]])[:, np.newaxis])

    def quantiles_from_ends(self, p: Floats, q: Floats) -> tuple[Floats, Floats]:
        """Distances from both ends of the points with P(X <= x) = p = 1 - q."""
        low, high = self._distribution.support()
        with np.errstate(divide="ignore"):
            x = self._distribution._quantile(np.log(p), np.log(q), LeftOut())
        return x - low, high - x


def _almost(end: float, last: float) -> Floats:
    """Point between the outermost one and an end of the support, with finite density."""
    return np.array([last + _ALMOST * (end - last)])


def _scalar(values: Floats) -> np.float64 | Floats:
    """Return a 0-d array as a float."""
    return values[()]
