"""Distributions of rising functions of a variable, from that of the variable.

For Y = g(X), with g rising,

    P(Y > y) = P(X > x),    f_Y(y) = f_X(x) dx / dy,    y = g(x),

and quantiles of Y are g of those of X. Powers have x = y^(1 / e). With l and h the
distances of X to both ends of its support, of width w, and its odds l / h, odds r l / h
belong to the distances

    w r l / (h + r l),    w h / (h + r l).

The moments of Z = (Y - g(E[X])) / unit are integrals of the tails,

    E[Z^k] = integral over z > 0 of k z^(k-1) P(Z > z) dz - integral over z < 0 of
             k z^(k-1) P(Z <= z) dz,

on panels that are narrower towards points where the tails are not smooth. The unit is
the standard deviation to first order, so that moments do not cancel where the
distribution is narrow.
"""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from skpostbac._utils import Floats, float_or_nan, shown
from skpostbac.stats._centred import Centred, Evaluator
from skpostbac.stats._distribution import BoundedDistribution
from skpostbac.stats._inversion import LEAST, quantiles
from skpostbac.stats._located import SmallTails
from skpostbac.stats._numerics import EPS, Frame

# Nodes of a panel of the moments.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)


class Transform(BoundedDistribution):
    """Distribution of a function of a variable X, with one parameter."""

    distribution: BoundedDistribution
    """The distribution of X."""

    _parameter: ClassVar[str]

    def __init__(self, distribution: BoundedDistribution) -> None:
        if not isinstance(distribution, BoundedDistribution):
            raise TypeError(
                "distribution must be a BoundedDistribution, got "
                f"{type(distribution).__name__}"
            )
        self.distribution: BoundedDistribution = distribution

    def __repr__(self) -> str:
        """Show the mean, the standard deviation and the parameter."""
        value = getattr(self, self._parameter)
        return f"{super().__repr__()[:-1]}, {self._parameter}={value:.4g})"


class MonotoneTransform(Transform):
    """Distribution of a rising function g of a variable X.

    In its frame the origin, g at the mean of X, stands for the mean.
    """

    @abstractmethod
    def _outer(self, distance: Floats) -> Floats:
        """Distances of g(x) from the origin, for x at a distance from its mean."""

    @abstractmethod
    def _inner(self, y: Floats, to_low: Floats) -> Floats:
        """Distances of x from its mean and three derivatives, (4, ...).

        They are at distances y from the origin, and `to_low` from the lower end.
        """

    @abstractmethod
    def _ends(
        self, to_low: Floats, to_high: Floats, *, is_inner: bool
    ) -> tuple[Floats, Floats]:
        """Distances of x from both ends, from those of y if `is_inner`, or reversed."""

    @abstractmethod
    def _end_densities(self) -> tuple[float, float]:
        """Limits of the density at both ends of the support."""

    @cached_property
    def _centred(self) -> "_Transformed":
        frame, inner, base = (
            self._frame,
            self.distribution._frame,
            self.distribution._centred,
        )
        ends = np.array([-frame.mean_to_low, frame.mean_to_high])
        inner_ends = np.array([-inner.mean_to_low, inner.mean_to_high])
        range_ = np.concatenate([base.low, base.high])
        # An end of the range that is one of the support, but for rounding, is that end.
        is_end = np.abs(range_ - inner_ends) <= 4 * EPS * np.abs(inner_ends)
        low, high = np.where(is_end, ends, self._outer(range_))[:, np.newaxis]
        return _Transformed(
            transform=self,
            base=base,
            low=low,
            high=high,
            deviation=np.array([self._unit]),
            end_densities=np.array(self._end_densities())[:, np.newaxis],
            least=base.least,
        )

    def mean(self) -> float:
        """Return the mean, by quadrature."""
        return self._frame.mean + self._unit * float(self._moments[0])

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        x, (first, last) = (
            self.distribution._draw(rng, shape),
            self.distribution.support(),
        )
        to_low, to_high = self._ends(x - first, last - x, is_inner=False)
        return np.where(
            to_low < to_high, self._frame.low + to_low, self._frame.high - to_high
        )

    @property
    def _cumulants(self) -> Floats:
        return self._moments[1:]

    @cached_property
    def _unit(self) -> float:
        """Standard deviation to first order."""
        with np.errstate(over="ignore", invalid="ignore"):  # of higher derivatives
            at_origin = self._inner(np.zeros(()), np.array(self._frame.mean_to_low))
        first_order = float(self.distribution.standard_deviation() / at_origin[1])
        # Of a distribution that is wide beside its mean, rare values are what counts.
        return max(first_order, 1e-60 * self._frame.mean_to_high)

    @cached_property
    def _moments(self) -> Floats:
        """Mean, and second to fourth cumulant, from the origin and in units."""
        part = self._centred
        frame = self._frame
        unit = self._unit
        low, high = float(part.low[0]) / unit, float(part.high[0]) / unit
        # Panels are as wide as the unit up to 12 of them from the origin, and twice as
        # wide each beyond.
        far = np.ceil(np.log2(max(-low, high, 1) / 12)) + 1
        steps = np.append(np.arange(1.0, 12), 12 * 2.0 ** np.arange(max(far, 1)))
        edges = np.concatenate([[low, 0.0, high], steps, -steps])
        # Beside places where a tail is not smooth each is a third as wide as the one
        # before. Such are the ends of the support, where tails are powers. Beside many
        # places tails are next to smooth.
        fine = np.arange(0.0, np.log(1e-12), -np.log(3))
        ends = np.array([-frame.mean_to_low, frame.mean_to_high]) / unit
        places = ends[(low <= ends) & (ends <= high)]
        if part.critical_points.size <= 32:
            places = np.append(places, part.critical_points[0] / unit)
        for place in places:
            edges = np.concatenate(
                [edges, [place], place + np.exp(fine), place - np.exp(fine)]
            )
        edges = np.unique(np.clip(edges, low, high))
        half = 0.5 * np.diff(edges)
        z = (0.5 * (edges[1:] + edges[:-1]) + np.multiply.outer(_NODES, half)).ravel()
        y = (unit * z)[np.newaxis]
        to_low, to_high = (
            np.maximum(x, 0.0) for x in (frame.mean_to_low + y, frame.mean_to_high - y)
        )
        below, above, _ = np.clip(part.tails(y, to_low, to_high)[:, 0], 0.0, 1.0)
        tails = (
            np.where(z > 0, above, -below) * np.multiply.outer(_WEIGHTS, half).ravel()
        )
        # E[g(Z)] is g(0) plus the integral of g' times these tails, for g = (z -
        # mean)^k.
        mean = float(tails.sum())
        second, third, fourth = (
            (-mean) ** k + k * ((z - mean) ** (k - 1) @ tails) for k in (2, 3, 4)
        )
        variance = max(second, np.finfo(float).tiny)
        return np.array([mean, variance, third, fourth - 3 * variance**2])


@dataclass(frozen=True)
class _Transformed(Centred):
    """A transformed variable at distances from its origin, as an array of one."""

    transform: MonotoneTransform
    base: Centred

    @property
    def critical_points(self) -> Floats:
        return self.transform._outer(self.base.critical_points)

    def evaluator(self, n_derivatives: int) -> Evaluator:
        base = self.base.evaluator(n_derivatives)

        def evaluate(y: Floats) -> Floats:
            with np.errstate(all="ignore"):
                to_low = self.transform._frame.mean_to_low + y
                x, first, second, third = self.transform._inner(y, to_low)
                inside = np.clip(x, self.base.low, self.base.high)
                values = base(inside)
                values[1:] = np.where(x == inside, values[1:], 0.0)
                # By the chain rule.
                if n_derivatives > 2:
                    turn = 3 * values[2] * first * second
                    values[3] = values[3] * first**3 + turn + values[1] * third
                if n_derivatives > 1:
                    values[2] = values[2] * first**2 + values[1] * second
                values[1:2] *= first
            return values

        return evaluate

    def tails(self, y: Floats, to_low: Floats, to_high: Floats) -> Floats:
        with np.errstate(all="ignore"):
            x, stretch = self.transform._inner(y, to_low)[:2]
            inner = self.transform._ends(to_low, to_high, is_inner=True)
            values = self.base.tails(x, *inner)
            values[2] *= stretch
        return values

    def quantiles_from_ends(self, p: Floats, q: Floats) -> tuple[Floats, Floats]:
        ends = self.base.quantiles_from_ends(p, q)
        if ends is None:
            frame = self.transform.distribution._frame
            # Smaller probabilities are not told from these.
            p, q = (
                np.clip(np.where(p * q > 0, x, 0.5), LEAST, 1 - LEAST) for x in (p, q)
            )
            y = quantiles(self.base, p, q)
            ends = frame.mean_to_low + y, frame.mean_to_high - y
        with np.errstate(all="ignore"):
            return self.transform._ends(
                *(np.maximum(x, 0.0) for x in ends), is_inner=False
            )


class PowerTransform(MonotoneTransform):
    r"""Distribution of the root :math:`Y = X^e` of a variable from zero on.

    Tails, densities and quantiles follow from those of X. If X is a sum, logarithms of
    tails below 1e-11 are bounds, and probabilities below 1e-10 have the quantile of
    1e-10.

    The moments are integrals of the tails. Their error is about 1e-12 standard
    deviations, or 1e-12 of the support if the standard deviation of Y exceeds its mean.

    Parameters
    ----------
    distribution : BoundedDistribution
        Distribution of X, with a support that begins at zero.
    exponent : float
        The power e, in [1e-6, 1].

    Raises
    ------
    TypeError
        If `distribution` is not a `BoundedDistribution`.
    ValueError
        If the support does not begin at zero, or if the exponent is out of range.

    Examples
    --------
    The square root of a Beta(4, 1) variable is a Beta(8, 1) variable.

    >>> from skpostbac.stats import BetaAverage
    >>> from skpostbac.stats._transforms import PowerTransform
    >>> root = PowerTransform(BetaAverage([4], [1]), 0.5)
    >>> root
    PowerTransform(mean=0.8889, sd=0.09938, exponent=0.5)
    >>> root.interval(0.95)
    Interval(low=0.6306, high=0.9968)
    >>> BetaAverage([8], [1]).interval(0.95)
    Interval(low=0.6306, high=0.9968)
    """

    exponent: float
    """The power e."""

    _parameter = "exponent"

    def __init__(self, distribution: BoundedDistribution, exponent: float) -> None:
        super().__init__(distribution)
        if distribution.support().low != 0:
            raise ValueError(
                "distribution must have a support that begins at 0, got "
                f"{distribution.support()}"
            )
        power = float_or_nan(exponent)
        if not 1e-6 <= power <= 1:
            raise ValueError(
                f"exponent must be a number from 1e-6 to 1, got {shown(exponent)}"
            )
        self.exponent: float = power

    @cached_property
    def _frame(self) -> Frame:
        # The origin stands for the mean, which would ask for the moments.
        inner = self.distribution._frame
        high = self.distribution.support().high
        origin = float(inner.mean**self.exponent)
        top = float(high**self.exponent)
        below = _power_of_one_plus(np.array(-inner.mean_to_high / high), self.exponent)
        return Frame(0.0, top, origin, 0.0, origin, float(-top * below))

    def _outer(self, distance: Floats) -> Floats:
        share = distance / self.distribution.mean()
        return self._frame.mean * _power_of_one_plus(share, self.exponent)

    def _inner(self, y: Floats, to_low: Floats) -> Floats:
        power, origin, mean = (
            1 / self.exponent,
            self._frame.mean,
            self.distribution.mean(),
        )
        place = np.maximum(to_low, 0.0)
        # Distances from the origin have no digits of places that are next to zero.
        near_zero = np.log(place / origin)
        logs = np.where(
            place < 0.5 * origin, near_zero, np.log1p(np.maximum(y / origin, -1.0))
        )
        x = mean * np.expm1(power * logs)
        first = power * mean / origin * (place / origin) ** (power - 1)
        second = first * (power - 1) / place
        return np.stack([x, first, second, second * (power - 2) / place])

    def _ends(
        self, to_low: Floats, to_high: Floats, *, is_inner: bool
    ) -> tuple[Floats, Floats]:
        tops = self.distribution.support().high, self._frame.high
        power = 1 / self.exponent if is_inner else self.exponent
        wanted, given = tops if is_inner else tops[::-1]
        low = wanted * (to_low / given) ** power
        # The distance to the far end may have no digits left of the one to the near
        # end.
        high = -wanted * _power_of_one_plus(-to_high / given, power)
        return low, np.where(to_low < 0.5 * given, wanted - low, high)

    def _end_densities(self) -> tuple[float, float]:
        low, high = self.distribution._centred.end_densities[:, 0].tolist()
        top = self.distribution.support().high
        power = 1 / self.exponent
        at_high = high * power * top / self._frame.high
        if power == 1 or (low == 0 and power > 1) or (low == np.inf and power < 1):
            return low, at_high
        # The power with which P(X <= x) falls decides. Without approximations to small
        # tails, small quantiles tell.
        x = np.array([1e-120, 1e-100]) * top
        if (
            self.distribution._small_tails is None
            and self.distribution._centred.least > x[0]
        ):
            x = np.asarray(self.distribution.icdf([1e-9, 1e-7]))
        log_cdf = np.asarray(self.distribution.logcdf(x))
        log_x = np.log(x)
        fall = float(np.diff(log_cdf)[0] / np.diff(log_x)[0]) * power
        # Of a sum, the logs are approximations.
        if abs(fall - 1) < 1e-5:
            return float(np.exp(log_cdf[0] - log_x[0] / power)), at_high
        return (np.inf if fall < 1 else 0.0), at_high


def _power_of_one_plus(x: Floats, power: float) -> Floats:
    """Return (1 + x) ** power - 1, also of a tiny x; rounding may leave it below -1."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.expm1(power * np.log1p(np.maximum(x, -1.0))))


class OddsTransform(MonotoneTransform):
    """Distribution of Y, whose odds are those of X times a factor.

    Odds are distances to the lower end of the support, divided by those to the upper
    end. Between
    0 and 1 they are x / (1 - x). The support does not change.

    Parameters
    ----------
    distribution : BoundedDistribution
        Distribution of X.
    factor : float
        The factor r, from 1e-8 to 1e8.

    Raises
    ------
    TypeError
        If `distribution` is not a `BoundedDistribution`.
    ValueError
        If `factor` is out of range.

    Notes
    -----
    Probabilities and quantiles are as accurate as those of X. The errors of the moments
    are about 1e-12 standard deviations.

    Examples
    --------
    >>> from skpostbac.stats import BetaAverage
    >>> from skpostbac.stats._transforms import OddsTransform
    >>> OddsTransform(BetaAverage([31, 9, 4], [3, 3, 2]), 0.8)
    OddsTransform(mean=0.7364, sd=0.08185, factor=0.8)
    """

    factor: float
    """The factor r."""

    _parameter = "factor"

    def __init__(self, distribution: BoundedDistribution, factor: float) -> None:
        super().__init__(distribution)
        ratio = float_or_nan(factor)
        if not 1e-8 <= ratio <= 1e8:
            raise ValueError(
                f"factor must be a number from 1e-8 to 1e8, got {shown(factor)}"
            )
        self.factor: float = ratio

    @cached_property
    def _frame(self) -> Frame:
        # The origin stands for the mean, which would ask for the moments.
        inner = self.distribution._frame
        ends = np.array(inner.mean_to_low), np.array(inner.mean_to_high)
        to_low, to_high = map(float, self._ends(*ends, is_inner=False))
        origin = inner.low + to_low if to_low < to_high else inner.high - to_high
        return Frame(inner.low, inner.high, origin, 0.0, to_low, to_high)

    def _outer(self, distance: Floats) -> Floats:
        return np.asarray(_moved(distance, self.distribution._frame, self.factor)[0])

    def _inner(self, y: Floats, to_low: Floats) -> Floats:
        del to_low
        return _moved(y, self._frame, 1 / self.factor)

    def _ends(
        self, to_low: Floats, to_high: Floats, *, is_inner: bool
    ) -> tuple[Floats, Floats]:
        factor = 1 / self.factor if is_inner else self.factor
        share = (to_low + to_high) / (to_high + factor * to_low)
        return np.asarray(factor * to_low * share), np.asarray(to_high * share)

    def _end_densities(self) -> tuple[float, float]:
        low, high = self.distribution._centred.end_densities[:, 0].tolist()
        return low / self.factor, high * self.factor


def _moved(distance: Floats, frame: Frame, factor: float) -> Floats:
    """Return distances from the mean, and three derivatives, after odds are multiplied.

    For odds with the denominators s and t, a distance becomes factor w^2 / (s t) times
    as large, without cancellation.
    """
    width = frame.mean_to_low + frame.mean_to_high
    at_mean = (frame.mean_to_high + factor * frame.mean_to_low) / width
    share = at_mean + (factor - 1) * distance / width
    first = factor / share**2
    second = -2 * (factor - 1) / (share * width) * first
    third = -3 * (factor - 1) / (share * width) * second
    return np.stack([factor * distance / (share * at_mean), first, second, third])


class ShiftedDistribution(Transform):
    """Distribution of X + s, a variable plus a constant.

    Parameters
    ----------
    distribution : BoundedDistribution
        Distribution of X.
    shift : float
        The constant s, finite.

    Raises
    ------
    TypeError
        If `distribution` is not a `BoundedDistribution`.
    ValueError
        If `shift` is not a finite number.

    Examples
    --------
    >>> from skpostbac.stats import BetaAverage, ShiftedDistribution
    >>> shifted = ShiftedDistribution(BetaAverage([31, 9, 4], [3, 3, 2]), -0.03)
    >>> shifted
    ShiftedDistribution(mean=0.7461, sd=0.07338, shift=-0.03)
    >>> shifted.support()
    Interval(low=-0.03, high=0.97)
    """

    shift: float
    """The constant s."""

    _parameter = "shift"

    def __init__(self, distribution: BoundedDistribution, shift: float) -> None:
        super().__init__(distribution)
        if not np.isfinite(s := float_or_nan(shift)):
            raise ValueError(f"shift must be a finite number, got {shown(shift)}")
        self.shift: float = s

    @property
    def _unit(self) -> float:
        return self.distribution._unit

    @property
    def _cumulants(self) -> Floats:
        return self.distribution._cumulants

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        return np.asarray(self.distribution._draw(rng, shape) + self.shift)

    @cached_property
    def _frame(self) -> Frame:
        shift = self.shift
        return self.distribution._frame.plus(Frame(shift, shift, shift, 0.0, 0.0, 0.0))

    @property
    def _centred(self) -> Centred:
        return self.distribution._centred

    @property
    def _small_tails(self) -> SmallTails | None:
        return self.distribution._small_tails
