"""Base class of the distribution of an increasing function of a variable.

For Y = g(X), with g increasing,

    P(Y > y) = P(X > x),    f_Y(y) = f_X(x) dx / dy,    y = g(x),

and quantiles of Y are g of those of X. The moments of Z = (Y - origin) / unit are integrals of the
tails,

    E[Z^k] = integral over z > 0 of k z^(k-1) P(Z > z) dz - integral over z < 0 of
             k z^(k-1) P(Z <= z) dz,

by adaptive quadrature on panels. The origin is g at the mean of X, so that the moments do not
cancel where the distribution is narrow.
"""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial

import numpy as np

from skpostbac._utils import Bools, Floats, Indices
from skpostbac.stats._distribution import (
    BoundedDistribution,
    ContourDistribution,
    LeftOut,
    Tails,
    Values,
)
from skpostbac.stats._numerics import EPS, Points, integrate

# Relative error of a panel of the moments: the centre is known to about 1e-14, and a centre that is
# cut off to what it tells.
_MOMENT_ERROR, _CUT_MOMENT_ERROR = 3e-13, 1e-6
# What an error of a tail may add to the integrand of the fourth moment of a distribution that is
# not wide, a moment of at least one in its units. The error is a bound, of some ten times what it
# is.
_LOST = 3e-12
# Far tails are looked at this often for each power of two, and beyond one that can add no more than
# this to the fourth moment they are left out.
_CUTS, _NOTHING = 8, 1e-15


class MonotoneTransform(ContourDistribution):
    """Distribution of an increasing function g of a variable X.

    Subclasses define g and its inverse between distances from the origin, g at the mean of X, and
    distances from the mean; the position of x among the ends of its support; the derivative of the
    inverse; and the frame, in which the origin stands for the mean.
    """

    def __init__(self, distribution: BoundedDistribution) -> None:
        if not isinstance(distribution, BoundedDistribution):
            raise TypeError(
                f"distribution must be a BoundedDistribution, got {type(distribution).__name__}"
            )
        self._distribution: BoundedDistribution = distribution

    @property
    def distribution(self) -> BoundedDistribution:
        """The distribution of X."""
        return self._distribution

    @abstractmethod
    def _transformed(self, x: Floats) -> Floats:
        """Return g(x)."""

    @abstractmethod
    def _inner_distance(self, from_origin: Floats) -> Floats:
        """Distance of x from the mean of X."""

    @abstractmethod
    def _outer_distance(self, from_mean: Floats) -> Floats:
        """Distance of y from the origin, for x at a distance from the mean of X."""

    @abstractmethod
    def _inner(self, points: Points) -> Points:
        """Return the positions of x, with all their distances."""

    @abstractmethod
    def _log_stretch(self, points: Points) -> Floats:
        """Return the log of dx / dy."""

    @abstractmethod
    def _stretch(self, from_origin: Floats) -> tuple[Floats, Floats]:
        """Return dx / dy and the derivative of its log."""

    @property
    @abstractmethod
    def _first_order(self) -> float:
        """Standard deviation of Y to first order."""

    @property
    def _origin(self) -> float:
        return self._frame.mean

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
        return np.asarray(self._transformed(self.distribution._draw(rng, shape)))

    def _quantile(
        self, log_p: Floats | np.float64, log_q: Floats | np.float64, left_out: LeftOut
    ) -> Floats:
        return self._transformed(self.distribution._quantile(log_p, log_q, left_out))

    # Y is measured from its origin, in units of the standard deviation that it has to first order:
    # a distribution narrower than the spacing of doubles keeps its digits.

    @property
    def _unit(self) -> float:
        return self._first_order

    @property
    def _scale(self) -> float:
        return self._unit

    @cached_property
    def _moments(self) -> Floats:
        """First four moments of Y about the origin, in units."""
        return self._integrated(self._near_tail, self._near_reach, self._near_error)

    def _integrated(
        self,
        signed_tail: Callable[[Floats, Callable[[Points], Tails]], Floats],
        reach: Callable[[Callable[[Points], Tails]], Floats],
        tolerance: float,
    ) -> Floats:
        """Integrate the moments between two distances from the origin, in units.

        E[Z^k] is the integral of k z^(k - 1) times P(Z > z) above zero and -P(Z <= z) below it.
        """
        left_out = LeftOut()
        self.distribution._note_centre(np.zeros(1), left_out)
        evaluate = left_out.noting(self.distribution._search())

        def integrand(_: Indices, z: Floats) -> Floats:
            signed = signed_tail(z.ravel(), evaluate).reshape(z.shape)
            return np.stack([k * z ** (k - 1) * signed for k in (1, 2, 3, 4)])

        low, high = reach(evaluate)
        first = np.floor(np.log2(self._first_order / self._unit)) - 1
        steps = 2.0 ** np.arange(first, np.log2(max(-low, high, 1)))
        edges = np.unique(np.clip([low, *-steps, 0, *steps, high], low, high))
        moments = integrate(integrand, edges[np.newaxis], tolerance)[:, 0]
        left_out.warn()
        return moments

    @property
    def _near_error(self) -> float:
        """Relative error of a panel: the noise of a centre that is cut off is more."""
        return _MOMENT_ERROR if self.distribution._is_exact else _CUT_MOMENT_ERROR

    def _near_reach(self, evaluate: Callable[[Points], Tails]) -> Floats:
        """Distances from the origin, in units, between which the moments are integrated.

        Far tails are dear, and mostly nothing: a tail P at z bounds what is beyond it in the fourth
        moment, up to the end e of the support, by P e^4.
        """
        ends = self._ends_from_mean / self._unit
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
        tails = evaluate(self._inner(self._frame.near_mean(self._unit * z)))
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

    def _tails(self, points: Points) -> Tails:
        return self._stretched(self.distribution._tails, points)

    @property
    def _is_exact(self) -> bool:
        return self.distribution._is_exact

    def _search(self) -> Callable[[Points], Tails]:
        return partial(self._stretched, self.distribution._search())

    def _stretched(self, evaluate: Callable[[Points], Tails], points: Points) -> Tails:
        """Return the tails and the density, from those of X."""
        tails = evaluate(self._inner(points))
        return replace(tails, log_pdf=tails.log_pdf + self._log_stretch(points))

    def _centre(self, y: Floats) -> Values:
        values = self.distribution._centre(self._inner_distance(y))
        stretch, lean = self._stretch(y)
        with np.errstate(over="ignore", invalid="ignore"):  # an unbounded density
            density = values.density * stretch
            slope = values.slope * stretch**2 + density * lean
        return Values(values.tail, values.error, density, np.nan_to_num(slope, nan=0.0))

    def _kinks(self) -> list[float]:
        return list(map(float, self._outer_distance(np.array(self.distribution._kinks()))))
