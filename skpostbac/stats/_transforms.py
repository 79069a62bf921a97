"""Distributions of functions of a variable: shifts, multiples of odds, and roots.

The log-odds z = log(l / h) of a variable, with the distances l and h from both ends of
its support, have a density that is smooth however small or large z is. Odds are
multiplied by adding a constant to z. With the share x = l / (l + h), and s =
-log(-log(x)), a root x^e has s - log(e). Both are tabulated from the density of z.

A series has no relative accuracy where its density is small. Beyond its outermost
quantiles the density of z is taken as an exponential, with the probability that is left
there.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.special import expit, log_expit

from skpostbac._utils import Floats, float_or_nan, shown
from skpostbac.stats._beta import BetaAverage
from skpostbac.stats._centred import Centred
from skpostbac.stats._distribution import BoundedDistribution, Interval
from skpostbac.stats._located import SmallTails
from skpostbac.stats._numerics import Frame, log_binomial
from skpostbac.stats._table import CentredShare, LogitDistribution, Table

# Error of log densities.
_TOLERANCE = 1e-12
# Errors of the density by a series, relative to the largest: of sums, and of
# distributions that integrate over further unknowns. The tails beyond the outermost
# quantiles are so many times as large.
_NOISE_OF_SUMS = 1e-13
_NOISE = 1e-11
_SIGNAL = 1e3
# Closer to an end than so many standard deviations the density is a power of the
# distance.
_NEAREST = 1e-7
# A density that is none.
_LEAST = 1e-20
# Beside this many corners densities are next to smooth.
_MOST_KINKS = 200
# Beyond these log-odds 1 - x is exp(-z), and so is -log(x).
_FAR = 36.0


@dataclass(frozen=True)
class LogOdds:
    """The log-odds of a variable in its support: their log density, mode, and scale.

    Attributes
    ----------
    log_density : function of log-odds, an array of any shape, up to a constant.
    mode, scale : where most of the probability is, and about the standard deviation.
    powers : exponents a, b with which the density of the variable behaves as
        x^(a - 1) at 0 and as (1 - x)^(b - 1) at 1.
    kinks : where the density may have a kink or a pole.
    noise : error of the density, relative to its largest value.
    """

    log_density: Callable[[Floats], Floats]
    mode: float
    scale: float
    powers: tuple[float, float]
    kinks: Floats = field(default_factory=lambda: np.empty(0))
    noise: float = 0.0

    @classmethod
    def of(cls, distribution: BoundedDistribution) -> "LogOdds":
        """Return the log-odds of a distribution."""
        if (
            isinstance(distribution, BetaAverage)
            and np.count_nonzero(distribution.weights) == 1
        ):
            weight = distribution.weights.sum()
            (a,), (b,) = (
                x[distribution.weights != 0] for x in (distribution.a, distribution.b)
            )
            if weight < 0:
                a, b = b, a
            mode = np.log(a) - np.log(b)
            scale = np.sqrt(1 / a + 1 / b)
            return cls(
                lambda z: log_binomial(z, a, b), float(mode), float(scale), (a, b)
            )

        centred = distribution._centred
        frame = distribution._frame
        width = frame.mean_to_low + frame.mean_to_high
        mode = float(np.log(frame.mean_to_low) - np.log(frame.mean_to_high))
        sd = distribution.standard_deviation() / width
        scale = min(sd / float(expit(mode) * expit(-mode)), 4.0)

        noise = 0.0
        if isinstance(centred, CentredShare):
            table = centred.table
        else:
            noise = _NOISE if distribution._small_tails is None else _NOISE_OF_SUMS
            table = _tabulated(distribution, mode, scale, noise)
        near, far = table.outer[1].tolist()
        return cls(table.log_density, mode, scale, (near, far), table.kinks, 10 * noise)


def _tabulated(
    distribution: BoundedDistribution, mode: float, scale: float, noise: float
) -> Table:
    """Tabulate the log-odds of a distribution from its densities in the support."""
    frame = distribution._frame
    width = frame.mean_to_low + frame.mean_to_high

    def values(z: Floats) -> Floats:
        """Return both tails and the log density."""
        to_low = width * expit(z)
        to_high = width * expit(-z)
        is_low = to_low < to_high
        y = np.where(is_low, to_low - frame.mean_to_low, frame.mean_to_high - to_high)
        below, above, density = distribution._centred.tails(
            *(x[np.newaxis] for x in (y, to_low, to_high))
        )[:, 0]
        log_density = np.log(np.maximum(density * to_low * to_high / width, _LEAST))
        return np.stack([below, above, log_density])

    low = float(distribution.icdf(_SIGNAL * noise)) - frame.low
    high = frame.high - float(distribution.iccdf(_SIGNAL * noise))
    nearest = _NEAREST * distribution.standard_deviation()
    lowest, highest = (
        sign * float(np.log(to_end) - np.log(width - to_end))
        for sign, to_end in ((1, max(low, nearest)), (-1, max(high, nearest)))
    )
    at_ends = values(np.array([lowest, highest]))
    # The tail of an exponential is its density over its rate. Where that is less than
    # 1, the density is infinite at the end.
    is_finite = np.isfinite(distribution._centred.end_densities[:, 0])
    rates = np.maximum(np.exp(at_ends[2]) / np.diagonal(at_ends[:2]), is_finite)

    def log_density(z: Floats) -> Floats:
        beyond = np.minimum([z - lowest, highest - z], 0.0)
        return np.asarray(values(np.clip(z, lowest, highest))[2] + rates @ beyond)

    kinks = (distribution._centred.critical_points[0] + frame.mean_to_low) / width
    kinks = kinks[(kinks > 0) & (kinks < 1)]
    if kinks.size > _MOST_KINKS:
        kinks = kinks[:0]
    kinks = np.append(np.log(kinks) - np.log1p(-kinks), [lowest, highest])
    return Table.of(log_density, mode, scale, _TOLERANCE, kinks=kinks, noise=noise)


class OddsTransform(LogitDistribution):
    """Distribution of a variable in the same support with a multiple of the odds.

    Odds are distances to the lower end of the support, divided by those to the upper
    end.

    Parameters
    ----------
    distribution : BoundedDistribution
        Distribution of the variable.
    factor : float
        The positive factor.

    Examples
    --------
    >>> from skpostbac.stats import BetaAverage
    >>> OddsTransform(BetaAverage([31, 9, 4], [3, 3, 2]), 0.8)
    OddsTransform(mean=0.7364, sd=0.08185)
    """

    def __init__(self, distribution: BoundedDistribution, factor: float) -> None:
        self.distribution = distribution
        self.factor = factor
        one = LogOdds.of(distribution)
        shift = float(np.log(factor))
        super().__init__(
            lambda u: one.log_density(u - shift),
            one.mode + shift,
            one.scale,
            _TOLERANCE,
            kinks=one.kinks + shift,
            noise=one.noise,
            support=distribution.support(),
        )

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        x = self.distribution._draw(rng, shape)
        low, high = self._ends
        to_low = self.factor * (x - low)
        to_high = high - x
        return np.asarray((low * to_high + high * to_low) / (to_low + to_high))


class PowerTransform(LogitDistribution):
    """Distribution of a root of a variable on an interval from zero.

    Parameters
    ----------
    distribution : BoundedDistribution
        Distribution of the variable.
    exponent : float
        The exponent, in (0, 1].

    Raises
    ------
    ValueError
        If the support does not begin at zero.

    Examples
    --------
    The square root of a Beta(4, 1) variable is a Beta(8, 1) variable.

    >>> from skpostbac.stats import BetaAverage
    >>> PowerTransform(BetaAverage([4], [1]), 0.5).interval(0.95)
    Interval(low=0.6306, high=0.9968)
    >>> BetaAverage([8], [1]).interval(0.95)
    Interval(low=0.6306, high=0.9968)
    """

    def __init__(self, distribution: BoundedDistribution, exponent: float) -> None:
        low, high = distribution.support()
        if low != 0:
            raise ValueError(
                f"distribution must have a support that begins at 0, got {low:g}"
            )
        self.distribution = distribution
        self.exponent = exponent
        one = LogOdds.of(distribution)

        def log_density(u: Floats) -> Floats:
            z, log_slope = _raised(u, 1 / exponent)
            return one.log_density(z) + log_slope

        mode, log_slope = _raised(np.array(one.mode), exponent)
        kinks, _ = _raised(one.kinks, exponent)
        super().__init__(
            log_density,
            float(mode),
            one.scale * float(np.exp(log_slope)),
            _TOLERANCE,
            kinks=kinks,
            noise=one.noise,
            support=Interval(0.0, float(high**exponent)),
        )

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        return np.asarray(self.distribution._draw(rng, shape) ** self.exponent)


def _raised(z: Floats, exponent: float) -> tuple[Floats, Floats]:
    """Return log-odds of x^exponent, and logs of their slope, at log-odds z of x."""
    with np.errstate(divide="ignore"):
        s = np.where(z > _FAR, z, -np.log(-log_expit(z))) - np.log(exponent)
        minus_log = np.exp(-s)
        u = np.where(s > _FAR, s, -minus_log - np.log(-np.expm1(-minus_log)))
    return u, np.log(exponent) + log_expit(-z) + u + minus_log


class ShiftedDistribution(BoundedDistribution):
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

    distribution: BoundedDistribution
    """The distribution of X."""
    shift: float
    """The constant s."""

    def __init__(self, distribution: BoundedDistribution, shift: float) -> None:
        if not isinstance(distribution, BoundedDistribution):
            raise TypeError(
                "distribution must be a BoundedDistribution, got "
                f"{type(distribution).__name__}"
            )
        number = float_or_nan(shift)
        if not np.isfinite(number):
            raise ValueError(f"shift must be a finite number, got {shown(shift)}")
        self.distribution = distribution
        self.shift = number

    def __repr__(self) -> str:
        """Show the mean, the standard deviation and the constant."""
        return f"{super().__repr__()[:-1]}, shift={self.shift:.4g})"

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
