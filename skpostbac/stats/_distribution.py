"""Interface of univariate distributions, and base classes for bounded ones and draws.

Method names follow SciPy's random variables. The central interval leaves a probability
of (1 - level) / 2 in each tail; `hdi` is the shortest interval of this probability.
Results report the hull of both, see `interval_of`.

A family of distributions on a bounded interval provides its mean and support
(`_frame`), the distribution at distances from its mean (`_centred`) and its moments.
All other methods are derived here, including random draws, unless a family has a faster
method.

**Random draws.** Probabilities are proportions of the n draws, and quantiles
interpolate between them. The standard error of the mean is s / sqrt(n). That of a
quantile at p follows from the binomial number of draws below it, whose standard
deviation is sqrt(n p (1 - p)): it is half the distance between the quantiles at p - d
and p + d with d = sqrt(p (1 - p) / n) (Serfling, Approximation Theorems of Mathematical
Statistics, 1980). The ends of the shortest interval have larger errors, which decrease
as n^(-1/3) (Kim and Pollard, Annals of Statistics 18, 1990).

The density of draws is estimated by a normal kernel on a fine histogram, with
Silverman's bandwidth (Density Estimation for Statistics and Data Analysis, 1986,
section 3.4.2, eq. 3.30). The estimate is reflected at the outermost draws, so it never
leaves the range of possible values.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import (
    Any,
    Generic,
    Literal,
    NamedTuple,
    Protocol,
    TypeAlias,
    TypeVar,
    cast,
    get_args,
    overload,
)

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import (
    Floats,
    Indices,
    RngLike,
    SetOnce,
    block,
    check_choice,
    check_generator,
    check_interval_level,
    check_level,
    check_shape,
    describe_estimate,
    first,
    float_array,
    float_or_nan,
    format_column,
    format_estimates,
    is_shown,
    paragraphs,
    probability_array,
    record,
    round_estimate,
    shown,
)
from skpostbac.stats._centred import Centred
from skpostbac.stats._located import Located, SmallTails
from skpostbac.stats._numerics import Frame

IntervalMethod: TypeAlias = Literal["hull", "hdi", "central"]
Convention: TypeAlias = Literal["non-excess", "excess"]
# With few samples and almost no errors the central interval excludes values close to 1;
# if a rare class is harder, the shortest interval excludes lower values. The coverage
# of all three is measured in `benchmarks/interval_coverage.py`.
DEFAULT_INTERVAL: IntervalMethod = "hull"


class Interval(NamedTuple):
    """Two ends of an interval.

    Functions return it; its values are not checked when it is created.
    """

    low: float
    """Lower end."""
    high: float
    """Upper end."""

    def __repr__(self) -> str:
        _, low, high = round_estimate(self.low, self, n_decimals=4)
        return f"Interval(low={low}, high={high})"

    def _repr_html_(self) -> str:
        return block(repr(self), record(self._fields, *format_column(self)))


class Intervals(NamedTuple):
    """Both ends of many intervals.

    Functions return it; its values are not checked.
    """

    low: Floats
    """Lower ends."""
    high: Floats
    """Upper ends."""


# Types that differ between one distribution and an array of distributions: a number for
# each of them, and intervals.
Moments = TypeVar("Moments", float, Floats)
Ends = TypeVar("Ends", Interval, Intervals, covariant=True)


class HasIntervals(Protocol[Ends]):
    """A distribution or an array of distributions."""

    def hdi(self, level: float) -> Ends:
        """Return the shortest interval."""
        ...

    def interval(self, level: float) -> Ends:
        """Return the central interval."""
        ...


class Distribution(SetOnce, ABC):
    """A distribution of one random variable.

    Method names follow SciPy's random variables.
    """

    @abstractmethod
    def mean(self) -> float:
        """Return the mean."""

    def median(self) -> float:
        """Return the median."""
        return float(self.icdf(0.5))

    @abstractmethod
    def variance(self) -> float:
        """Return the variance."""

    def standard_deviation(self) -> float:
        """Return the standard deviation."""
        return float(np.sqrt(self.variance()))

    @abstractmethod
    def support(self) -> Interval:
        """Return the smallest and the largest possible value."""

    @abstractmethod
    def mode(self) -> float:
        """Return the point of highest density."""

    @overload
    @abstractmethod
    def pdf(self, x: float) -> float: ...
    @overload
    @abstractmethod
    def pdf(self, x: ArrayLike) -> Floats: ...
    @abstractmethod
    def pdf(self, x: ArrayLike) -> float | Floats:
        """Return the density at `x`."""

    @overload
    @abstractmethod
    def cdf(self, x: float, y: float | None = None) -> float: ...
    @overload
    @abstractmethod
    def cdf(self, x: ArrayLike, y: ArrayLike | None = None) -> Floats: ...
    @abstractmethod
    def cdf(self, x: ArrayLike, y: ArrayLike | None = None) -> float | Floats:
        """Return P(X <= x), or P(x < X <= y) when `y` is given."""

    @overload
    @abstractmethod
    def ccdf(self, x: float, y: float | None = None) -> float: ...
    @overload
    @abstractmethod
    def ccdf(self, x: ArrayLike, y: ArrayLike | None = None) -> Floats: ...
    @abstractmethod
    def ccdf(self, x: ArrayLike, y: ArrayLike | None = None) -> float | Floats:
        """Return P(X > x), or P(X <= x) + P(X > y) when `y` is given."""

    @overload
    @abstractmethod
    def icdf(self, p: float) -> float: ...
    @overload
    @abstractmethod
    def icdf(self, p: ArrayLike) -> Floats: ...
    @abstractmethod
    def icdf(self, p: ArrayLike) -> float | Floats:
        """Return the quantile at `p`."""

    @overload
    @abstractmethod
    def iccdf(self, p: float) -> float: ...
    @overload
    @abstractmethod
    def iccdf(self, p: ArrayLike) -> Floats: ...
    @abstractmethod
    def iccdf(self, p: ArrayLike) -> float | Floats:
        """Return the x with P(X > x) = p."""

    @abstractmethod
    def interval(self, level: float = 0.95) -> Interval:
        """Return the central interval."""

    @abstractmethod
    def hdi(self, level: float = 0.95) -> Interval:
        """Return the shortest interval."""

    def credible_interval(
        self, level: float = 0.95, *, method: IntervalMethod = DEFAULT_INTERVAL
    ) -> Interval:
        """Return the interval that reports and posteriors show.

        Parameters
        ----------
        level : float, default=0.95
            Probability of the interval, in (0, 1).
        method : {"hull", "hdi", "central"}, default="hull"
            The shortest interval (`hdi`), the central one (`interval`), or the smallest
            that contains both.

        Returns
        -------
        low, high : float

        Examples
        --------
        >>> from skpostbac.stats import BetaAverage
        >>> BetaAverage([9, 5], [2, 1]).credible_interval()
        Interval(low=0.6176, high=0.9763)
        """
        return interval_of(self, level, method)

    @abstractmethod
    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        """Draw random values."""

    @overload
    def sample(self, *, rng: RngLike = None) -> float: ...
    @overload
    def sample(
        self, shape: int | tuple[int, ...], *, rng: RngLike = None
    ) -> Floats: ...
    def sample(
        self, shape: int | tuple[int, ...] = (), *, rng: RngLike = None
    ) -> float | Floats:
        """Draw independent random values.

        Parameters
        ----------
        shape : int or tuple of int, default=()
            Shape of the result; a single float for ``()``.
        rng : Generator, BitGenerator, SeedSequence or int, optional
            NumPy generator or seed, such as a non-negative integer. By default a
            generator with fresh entropy.

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
        draws = self._draw(check_generator(rng), check_shape(shape))
        return np.asarray(draws)[()]

    def to_scipy(self) -> Any:
        """Return this distribution as a random variable of :mod:`scipy.stats`.

        SciPy's arithmetic, transformations and mixtures apply to it.

        Returns
        -------
        variable : random variable
            Made by :func:`scipy.stats.make_distribution`; it calls this distribution.

        Raises
        ------
        ImportError
            If SciPy is older than 1.16.

        Examples
        --------
        >>> from scipy import stats
        >>> from skpostbac.stats import BetaAverage
        >>> variable = BetaAverage([31, 9, 4], [3, 3, 2]).to_scipy()
        >>> (2 * variable - 1).cdf(0.6)
        np.float64(0.5985)
        >>> stats.Mixture([variable, stats.Uniform(a=0, b=1)]).mean()
        np.float64(0.6381)
        """
        from scipy import __version__, stats

        if tuple(map(int, __version__.split(".")[:2])) < (1, 16):
            raise ImportError(f"to_scipy needs SciPy 1.16 or later, got {__version__}")

        moments = {
            (1, "raw"): "mean",
            (2, "central"): "variance",
            (3, "standardized"): "skewness",
            (4, "standardized"): "kurtosis",
        }

        def moment(order: int, kind: str) -> float | None:
            name = moments.get((order, kind))
            return getattr(self, name)() if name else None

        def logpdf(_: Any, x: ArrayLike) -> Any:
            # Integrals of logarithms have complex points, of imaginary part 0.
            own: Any = self
            return own.logpdf(np.real(x))

        names = ["pdf", "cdf", "ccdf", "logcdf", "logccdf", "icdf", "iccdf"]
        names += ["median", "mode", "sample"]
        attributes = {
            "__make_distribution_version__": "1.16.0",
            "parameters": (),
            "support": tuple(self.support()),
            "moment": staticmethod(moment),
            "logpdf": logpdf,
            **{name: getattr(self, name) for name in names},
        }
        own_type = type(type(self).__name__, (), attributes)
        family: Any = stats.make_distribution(own_type())
        family.__repr__ = family.__str__ = lambda _: repr(self)
        family.__reduce__ = lambda _: (type(self).to_scipy, (self,))
        return family()

    def _repr_html_(self) -> str:
        (estimate,) = estimates([self])
        (sd,) = format_column([self.standard_deviation()])
        header = ("mean", "95% CI", "standard deviation")
        return block(repr(self), record(header, *estimate, sd))


def estimates(
    distributions: Collection[Distribution], level: float = 0.95
) -> list[tuple[str, str]]:
    """Return formatted means and intervals."""
    means = [distribution.mean() for distribution in distributions]
    intervals = [interval_of(distribution, level) for distribution in distributions]
    return format_estimates(means, intervals)


def estimate_rows(
    distributions: Mapping[str, Distribution], level: float = 0.95
) -> list[tuple[str, str, str]]:
    """Return the rows of a table: names, means and intervals."""
    cells = estimates(distributions.values(), level)
    return [(name, *row) for name, row in zip(distributions, cells, strict=True)]


def interval_of(
    distribution: HasIntervals[Ends], level: float, method: object = DEFAULT_INTERVAL
) -> Ends:
    """Return the "hull", "hdi" or "central" interval of one or several distributions.

    The default method is that of all reported intervals.
    """
    check_interval_method(method)
    check_interval_level(level)
    if method == "hdi":
        return distribution.hdi(level)
    if method == "central":
        return distribution.interval(level)

    shortest = distribution.hdi(level)
    central = distribution.interval(level)
    low: Any = plain_float(np.minimum(shortest[0], central[0]))
    high: Any = plain_float(np.maximum(shortest[1], central[1]))
    return type(shortest)(low, high)


def check_interval_method(method: object) -> None:
    """Raise unless `method` is the name of a kind of interval."""
    if not isinstance(method, str) or method not in get_args(IntervalMethod):
        raise ValueError(
            f"method must be 'hull', 'hdi' or 'central', got {shown(method)}"
        )


def figures_of(
    distribution: Distribution, level: float, interval: Interval | None = None
) -> dict[str, float]:
    """Return the statistics that all summaries contain, by key.

    The interval is computed unless it is given.
    """
    low, high = interval or interval_of(distribution, level)
    return {
        "mean": distribution.mean(),
        "median": distribution.median(),
        "standard_deviation": distribution.standard_deviation(),
        "low": low,
        "high": high,
        "level": float(level),
    }


def describe(distribution: Distribution, level: float) -> str:
    """Return the mean and the credible interval as part of a sentence."""
    return describe_estimate(
        distribution.mean(), interval_of(distribution, level), level
    )


def normal_kurtosis(convention: object) -> float:
    """Return the "non-excess" or "excess" kurtosis of a normal distribution."""
    check_choice(convention, ("non-excess", "excess"), "convention")
    return 3.0 if convention == "non-excess" else 0.0


def broadcast_limits(x: ArrayLike, y: ArrayLike) -> tuple[Floats, ...]:
    """Return both limits of an integral as arrays of their common shape."""
    lower = float_array(x, "x")
    upper = float_array(y, "y")
    try:
        return np.broadcast_arrays(lower, upper)
    except ValueError as error:
        raise ValueError(
            f"x and y must broadcast with each other, got the shapes {lower.shape} and "
            f"{upper.shape}"
        ) from error


def plain_float(values: float | Floats) -> float | Floats:
    """Return a NumPy scalar as a Python float, and an array as it is."""
    return values if isinstance(values, np.ndarray) else float(values)


class _BroadcastRows(NamedTuple):
    """Broadcast values arranged in rows, one row for each distribution.

    Attributes
    ----------
    shape : tuple of int
        Shape of the result.
    order : array of shape (m, n), or None for one distribution
        Index of each value in the flat result.
    """

    shape: tuple[int, ...]
    order: Indices | None

    @classmethod
    def of(
        cls, shape: tuple[int, ...], others: tuple[int, ...], name: str
    ) -> _BroadcastRows:
        """Broadcast an array of distributions with others."""
        try:
            result = np.broadcast_shapes(shape, others) if shape else others
        except ValueError as error:
            raise ValueError(
                f"{name} must broadcast with the distributions, got the shapes "
                f"{others} and {shape}"
            ) from error

        count = math.prod(shape)
        if count == 1:
            return cls(result, None)
        row = np.broadcast_to(np.arange(count).reshape(shape), result).ravel()
        order = np.argsort(row, kind="stable")
        return cls(result, order.reshape(count, row.size // max(count, 1)))

    def split(self, values: Floats) -> Floats:
        """Return the values for each distribution, shape (m, n)."""
        if values.shape != self.shape:
            values = np.broadcast_to(values, self.shape)
        if self.order is None:
            return values.reshape(1, -1)
        return values.ravel()[self.order]

    def joined(self, values: Floats) -> Any:
        """Return values of shape (m, n) in the broadcast shape, or a number for ()."""
        if self.order is None:
            return values.reshape(self.shape)[()]
        result = np.empty(self.order.size)
        result[self.order] = values
        return result.reshape(self.shape)[()]


class LocatedDistributions(ABC, Generic[Moments, Ends]):
    """Methods of one distribution, or of an array of distributions.

    Points and probabilities are broadcast with the array.
    """

    @property
    def _shape(self) -> tuple[int, ...]:
        """Shape of the array of distributions."""
        return ()

    @property
    def _cumulants(self) -> Floats:
        """Second to fourth cumulant in powers of `_unit`.

        Families that override all moments need none.
        """
        raise NotImplementedError

    @property
    def _unit(self) -> float:
        """Unit of the cumulants."""
        return 1.0

    @abstractmethod
    def _numbers(self, values: Floats) -> Moments:
        """Return one number for each distribution, given an array of shape (m,)."""

    @abstractmethod
    def _intervals(self, values: Floats) -> Ends:
        """Return one interval for each distribution, given an array of shape (2, m)."""

    @property
    @abstractmethod
    def _located(self) -> Located:
        """The distributions as functions of x."""

    def variance(self) -> Moments:
        """Return the variance."""
        return self._numbers(self._unit**2 * self._cumulants[0])

    def standard_deviation(self) -> Moments:
        """Return the standard deviation."""
        return self._numbers(np.sqrt(self.variance()))

    def skewness(self) -> Moments:
        """Return the skewness, the third standardised moment."""
        return self._numbers(self._cumulants[1] / self._cumulants[0] ** 1.5)

    def kurtosis(self, *, convention: Convention = "non-excess") -> Moments:
        """Return the kurtosis, the fourth standardised moment.

        Parameters
        ----------
        convention : {"non-excess", "excess"}, default="non-excess"
            "excess" subtracts 3, that of a normal distribution.

        Returns
        -------
        kurtosis : float, or ndarray of the shape of the array of distributions

        Raises
        ------
        ValueError
            If `convention` is unknown.
        """
        excess = self._cumulants[2] / self._cumulants[0] ** 2
        return self._numbers(excess + normal_kurtosis(convention))

    def mode(self) -> Moments:
        """Return the point of highest density.

        This is an end of the support if the density is unbounded there.
        """
        return self._numbers(self._located.modes())

    def interval(self, level: float = 0.95) -> Ends:
        """Return the central interval, with equal probability in both tails.

        Parameters
        ----------
        level : float, default=0.95
            Probability of the interval, in (0, 1).

        Returns
        -------
        low, high : float, or ndarray of the shape of the array of distributions

        Raises
        ------
        ValueError
            If `level` is outside (0, 1).
        """
        tail = 0.5 * (1 - check_level(level))
        located = self._located
        p = np.full((located.frames.shape[1], 2), [tail, 1 - tail])
        return self._intervals(located.quantiles(p, p[:, ::-1]).T)

    def hdi(self, level: float = 0.95) -> Ends:
        """Return the highest-density interval, the shortest one with this probability.

        Parameters
        ----------
        level : float, default=0.95
            Probability of the interval, in (0, 1).

        Returns
        -------
        low, high : float, or ndarray of the shape of the array of distributions

        Raises
        ------
        ValueError
            If `level` is outside (0, 1).
        """
        return self._intervals(self._located.shortest(check_level(level)))

    @overload
    def pdf(self, x: float) -> Moments: ...
    @overload
    def pdf(self, x: ArrayLike) -> Floats: ...
    def pdf(self, x: ArrayLike) -> Moments | Floats:
        """Return the probability density at `x`.

        Parameters
        ----------
        x : array_like
            Any shape. The density is zero outside the support. At an end of the support
            it is the limit from inside, which may be infinite. Where it has a pole
            inside the support, such as halfway between a perfect class and an always
            wrong one under Jeffreys' prior, it is a large number.

        Returns
        -------
        pdf : float or ndarray of the shape of `x`

        Raises
        ------
        ValueError
            If `x` is not real.
        """
        return self._at(x, self._located.values, 2)

    @overload
    def logpdf(self, x: float) -> Moments: ...
    @overload
    def logpdf(self, x: ArrayLike) -> Floats: ...
    def logpdf(self, x: ArrayLike) -> Moments | Floats:
        """Return the logarithm of the probability density at `x`.

        Parameters
        ----------
        x : array_like
            Any shape.

        Returns
        -------
        logpdf : float or ndarray of the shape of `x`
        """
        return self._at(x, self._located.logs, 2)

    @overload
    def cdf(self, x: float, y: float | None = None) -> Moments: ...
    @overload
    def cdf(self, x: ArrayLike, y: ArrayLike | None = None) -> Floats: ...
    def cdf(self, x: ArrayLike, y: ArrayLike | None = None) -> Moments | Floats:
        """Return P(X <= x), or P(x < X <= y) when `y` is given.

        Parameters
        ----------
        x : array_like
            Any shape.
        y : array_like, optional
            Upper limit; broadcast with `x`. The result is negative where `y` is below
            `x`, like an integral from x to y, and NaN where either is NaN.

        Returns
        -------
        cdf : float or ndarray of the shape of `x`

        Raises
        ------
        ValueError
            If `x` or `y` is not real, or if they do not broadcast.
        """
        if y is None:
            return self._at(x, self._located.values, 0)
        return self._between(x, y, self._located.between)

    @overload
    def ccdf(self, x: float, y: float | None = None) -> Moments: ...
    @overload
    def ccdf(self, x: ArrayLike, y: ArrayLike | None = None) -> Floats: ...
    def ccdf(self, x: ArrayLike, y: ArrayLike | None = None) -> Moments | Floats:
        """Return P(X > x), or P(X <= x) + P(X > y) when `y` is given.

        Parameters
        ----------
        x : array_like
            Any shape.
        y : array_like, optional
            Upper limit; broadcast with `x`.

        Returns
        -------
        ccdf : float or ndarray of the shape of `x`
            With the same absolute error as P(X <= x).
        """
        tails = self._located.values
        if y is None:
            return self._at(x, tails, 1)
        return self._between(x, y, lambda x, y: tails(x)[0] + tails(y)[1])

    @overload
    def logcdf(self, x: float, y: float | None = None) -> Moments: ...
    @overload
    def logcdf(self, x: ArrayLike, y: ArrayLike | None = None) -> Floats: ...
    def logcdf(self, x: ArrayLike, y: ArrayLike | None = None) -> Moments | Floats:
        """Return the logarithm of P(X <= x), or of P(x < X <= y) when `y` is given.

        Parameters
        ----------
        x : array_like
            Any shape.
        y : array_like, optional
            Upper limit; broadcast with `x`.

        Returns
        -------
        logcdf : float or ndarray of the shape of `x`
            Finite inside the support. NaN where `y` is below `x`, where SciPy returns
            the complex logarithm of a negative number.
        """
        if y is None:
            return self._at(x, self._located.logs, 0)
        return self._between(x, y, self._located.log_between)

    @overload
    def logccdf(self, x: float, y: float | None = None) -> Moments: ...
    @overload
    def logccdf(self, x: ArrayLike, y: ArrayLike | None = None) -> Floats: ...
    def logccdf(self, x: ArrayLike, y: ArrayLike | None = None) -> Moments | Floats:
        """Return the logarithm of P(X > x), or of P(X <= x) + P(X > y) if `y` is given.

        Parameters
        ----------
        x : array_like
            Any shape.
        y : array_like, optional
            Upper limit; broadcast with `x`.

        Returns
        -------
        logccdf : float or ndarray of the shape of `x`
            Finite inside the support.
        """
        logs = self._located.logs
        if y is None:
            return self._at(x, logs, 1)
        return self._between(x, y, lambda x, y: np.logaddexp(logs(x)[0], logs(y)[1]))

    def _at(
        self, x: ArrayLike, function: Callable[[Floats], Floats], i: int
    ) -> Moments | Floats:
        """Return the value number i of a function at points."""
        return self._broadcast(lambda x: function(x)[i], float_array(x, "x"))

    def _between(
        self, x: ArrayLike, y: ArrayLike, function: Callable[[Floats, Floats], Floats]
    ) -> Moments | Floats:
        """Return a function of two limits."""
        return self._broadcast(function, *broadcast_limits(x, y))

    def _broadcast(
        self, function: Callable[..., Floats], *points: Floats, name: str = "x"
    ) -> Moments | Floats:
        """Return a function of points of one shape, broadcast with the array."""
        rows = _BroadcastRows.of(self._shape, points[0].shape, name)
        return cast(Moments | Floats, rows.joined(function(*map(rows.split, points))))

    @overload
    def icdf(self, p: float) -> Moments: ...
    @overload
    def icdf(self, p: ArrayLike) -> Floats: ...
    def icdf(self, p: ArrayLike) -> Moments | Floats:
        """Return the x with P(X <= x) = p, the quantile.

        Parameters
        ----------
        p : array_like
            Probabilities in [0, 1], any shape. Zero and one give the ends of the
            support; NaN gives NaN.

        Returns
        -------
        icdf : float or ndarray of the shape of `p`

        Raises
        ------
        ValueError
            If `p` is not real or not in [0, 1].
        """
        return self._quantiles(p, is_upper=False)

    @overload
    def iccdf(self, p: float) -> Moments: ...
    @overload
    def iccdf(self, p: ArrayLike) -> Floats: ...
    def iccdf(self, p: ArrayLike) -> Moments | Floats:
        """Return the x with P(X > x) = p.

        Parameters
        ----------
        p : array_like
            Probabilities in [0, 1], any shape. Zero and one give the ends of the
            support; NaN gives NaN.

        Returns
        -------
        iccdf : float or ndarray of the shape of `p`

        Raises
        ------
        ValueError
            If `p` is not real or not in [0, 1].
        """
        return self._quantiles(p, is_upper=True)

    def _quantiles(self, p: ArrayLike, *, is_upper: bool) -> Moments | Floats:
        p = probability_array(p, "p")
        tails = (1 - p, p) if is_upper else (p, 1 - p)
        return self._broadcast(self._located.quantiles, *tails, name="p")


class BoundedDistribution(LocatedDistributions[float, Interval], Distribution):
    """Base class of continuous distributions on a bounded interval.

    Method names follow SciPy's random variables.

    Notes
    -----
    Points and probabilities may be real numbers of any type, including `Fraction` and
    `Decimal`; other types raise a ValueError. NaN gives NaN.

    Errors of probabilities are absolute: 1e-12, and more beside a point where the
    density is not smooth. The distributions of populations integrate over further
    unknowns and are less accurate. Logarithms of tails below 1e-11 are approximations
    or bounds. See :ref:`numerics` and :ref:`evidence_accuracy`.
    """

    @property
    @abstractmethod
    def _frame(self) -> Frame:
        """Support and mean."""

    @property
    @abstractmethod
    def _centred(self) -> Centred:
        """The distribution at distances from its mean, as an array of one."""

    @property
    def _small_tails(self) -> SmallTails | None:
        """Approximations to small tails; if there are none, the tails are bounded."""
        return None

    @cached_property
    def _located(self) -> Located:
        frame = self._frame
        frames = np.array([[frame.mean], [frame.mean_rest], [frame.low], [frame.high]])
        return Located(frames, [(np.arange(1), self._centred)], self._small_tails)

    def __repr__(self) -> str:
        """Show the mean and the standard deviation."""
        sd = self.standard_deviation()
        return f"{type(self).__name__}(mean={self.mean():.4g}, sd={sd:.4g})"

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

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        return np.asarray(self.icdf(rng.random(shape)))

    def _numbers(self, values: Floats) -> float:
        return float(values.item())

    def _intervals(self, values: Floats) -> Interval:
        return Interval(*values[:, 0].tolist())


# Number of subsets of the draws from which the errors of the shortest interval are
# estimated, with a relative error of about a sixth.
_N_SUBSETS = 20
# Number of histogram bins per standard deviation of the kernel, and its limits.
_BINS_PER_BANDWIDTH = 5
_LEAST_BINS = 50
_MOST_BINS = 2_000
# The kernel is truncated at this many standard deviations.
_KERNEL_REACH = 4


@dataclass(frozen=True, eq=False, repr=False)
class DrawnDistribution(Distribution):
    """Posterior distribution of one number, estimated from independent random draws.

    Probabilities are proportions of the draws: 0 or 1 beyond the most extreme draws,
    and NaN at NaN. Samples are taken from the draws with replacement. Points and
    probabilities are checked like those of exact distributions
    (:class:`skpostbac.stats.BoundedDistribution`).

    Parameters
    ----------
    draws : array-like of shape (n_draws,)
        Finite numbers, at least two.
    tail_index : float, default=inf
        Moments of this order and above are infinite, as those of a ratio whose
        denominator may be close to 0, though those of the draws are not.

    Attributes
    ----------
    draws : ndarray of shape (n_draws,)
        The draws, sorted and read-only.

    Raises
    ------
    ValueError
        If there are fewer than two draws, if a draw is not finite, or if `tail_index`
        is not positive.

    Examples
    --------
    >>> from skpostbac.stats import DrawnDistribution
    >>> posterior = DrawnDistribution([4, 1, 3, 2])
    >>> posterior.mean(), posterior.monte_carlo_error()
    (2.5, 0.6455)
    >>> posterior.prob_above(3)
    0.25
    """

    draws: Floats
    tail_index: float = np.inf

    def __post_init__(self) -> None:
        array = float_array(self.draws, "draws")
        if array.ndim != 1 or array.size < 2:
            raise ValueError(
                f"draws must be at least two numbers, got the shape {array.shape}"
            )
        if (bad := ~np.isfinite(array)).any():
            raise ValueError(f"draws must be finite, got {first(array, bad)}")
        if not float_or_nan(self.tail_index) > 0:
            raise ValueError(
                f"tail_index must be a positive number, got {shown(self.tail_index)}"
            )

        draws = np.sort(array)
        draws.flags.writeable = False
        object.__setattr__(self, "draws", draws)

    def mean(self) -> float:
        """Return the mean of the draws, or infinity; NaN if both tails may be long."""
        if self.tail_index > 1:
            return float(self.draws.mean())
        return np.inf if self.draws[0] >= 0 else np.nan

    def median(self) -> float:
        """Return the median of the draws."""
        return float(np.median(self.draws))

    def variance(self) -> float:
        """Return the variance of the draws, divided by n - 1, or infinity."""
        return float(self.draws.var(ddof=1)) if self.tail_index > 2 else np.inf

    def skewness(self) -> float:
        """Return the third standardised moment of the draws; NaN if all are equal."""
        return self._standardised(3)

    def kurtosis(self, *, convention: Convention = "non-excess") -> float:
        """Return the kurtosis of the draws, less 3 if `convention` is "excess"."""
        return self._standardised(4) - 3 + normal_kurtosis(convention)

    def _standardised(self, order: int) -> float:
        if self.tail_index <= order:
            return np.inf if self.tail_index > 2 else np.nan
        centred = self.draws - self.draws.mean()
        with np.errstate(invalid="ignore"):
            return float(np.mean(centred**order) / np.mean(centred**2) ** (order / 2))

    @property
    def _has_long_tail(self) -> bool:
        return bool(self.tail_index < np.inf and 0 < self.draws[0] < self.draws[-1])

    def mode(self) -> float:
        """Return the point of highest estimated density."""
        points, densities = self._density
        return float(points[np.argmax(densities)])

    @overload
    def pdf(self, x: float) -> float: ...
    @overload
    def pdf(self, x: ArrayLike) -> Floats: ...
    def pdf(self, x: ArrayLike) -> float | Floats:
        """Return the normal kernel density estimate at `x`, which flattens sharp peaks.

        It is zero beyond the outermost draws.
        """
        x = float_array(x, "x")
        return np.interp(x, *self._density, left=0.0, right=0.0)[()]

    @cached_property
    def _density(self) -> tuple[Floats, Floats]:
        if self.draws[0] == self.draws[-1]:
            return self.draws[:1], np.array([np.inf])
        if self._has_long_tail:
            # The logarithm has a short tail.
            log_points, density = kernel_density(np.log(self.draws))
            points = np.exp(log_points)
            return points, density / points
        return kernel_density(self.draws)

    @overload
    def logpdf(self, x: float) -> float: ...
    @overload
    def logpdf(self, x: ArrayLike) -> Floats: ...
    def logpdf(self, x: ArrayLike) -> float | Floats:
        """Return the logarithm of `pdf`."""
        return _log(self.pdf(x))

    @overload
    def cdf(self, x: float, y: float | None = None) -> float: ...
    @overload
    def cdf(self, x: ArrayLike, y: ArrayLike | None = None) -> Floats: ...
    def cdf(self, x: ArrayLike, y: ArrayLike | None = None) -> float | Floats:
        """Return the proportion of draws up to `x`, or in (x, y] if `y` is given."""
        if y is None:
            return self._tails(x)[0]
        lower, upper = broadcast_limits(x, y)
        return self._tails(upper)[0] - self._tails(lower)[0]

    @overload
    def ccdf(self, x: float, y: float | None = None) -> float: ...
    @overload
    def ccdf(self, x: ArrayLike, y: ArrayLike | None = None) -> Floats: ...
    def ccdf(self, x: ArrayLike, y: ArrayLike | None = None) -> float | Floats:
        """Return the proportion of draws above `x`, or outside (x, y] if given `y`."""
        if y is None:
            return self._tails(x)[1]
        lower, upper = broadcast_limits(x, y)
        return self._tails(lower)[0] + self._tails(upper)[1]

    def _tails(self, x: ArrayLike) -> tuple[float | Floats, ...]:
        """Return the proportions of draws up to `x` and above; NaN at NaN."""
        x = float_array(x, "x")
        below = np.searchsorted(self.draws, x, side="right")
        counts = np.array([below, self.draws.size - below])
        return tuple(np.where(np.isnan(x), np.nan, counts / self.draws.size))

    @overload
    def logcdf(self, x: float, y: float | None = None) -> float: ...
    @overload
    def logcdf(self, x: ArrayLike, y: ArrayLike | None = None) -> Floats: ...
    def logcdf(self, x: ArrayLike, y: ArrayLike | None = None) -> float | Floats:
        """Return the logarithm of `cdf`; NaN where `y` is below `x`."""
        return _log(self.cdf(x, y))

    @overload
    def logccdf(self, x: float, y: float | None = None) -> float: ...
    @overload
    def logccdf(self, x: ArrayLike, y: ArrayLike | None = None) -> Floats: ...
    def logccdf(self, x: ArrayLike, y: ArrayLike | None = None) -> float | Floats:
        """Return the logarithm of `ccdf`."""
        return _log(self.ccdf(x, y))

    @overload
    def icdf(self, p: float) -> float: ...
    @overload
    def icdf(self, p: ArrayLike) -> Floats: ...
    def icdf(self, p: ArrayLike) -> float | Floats:
        """Return the quantile at `p` in [0, 1]; NaN at NaN."""
        p = probability_array(p, "p")
        quantile = np.full(p.shape, np.nan)
        is_number = ~np.isnan(p)
        quantile[is_number] = np.quantile(self.draws, p[is_number])
        return quantile[()]

    @overload
    def iccdf(self, p: float) -> float: ...
    @overload
    def iccdf(self, p: ArrayLike) -> Floats: ...
    def iccdf(self, p: ArrayLike) -> float | Floats:
        """Return the value exceeded by a proportion `p` of the draws; NaN at NaN."""
        return self.icdf(1 - probability_array(p, "p"))

    def interval(self, level: float = 0.95) -> Interval:
        """Return the central interval, with equally many draws in both tails.

        Examples
        --------
        >>> from skpostbac.stats import DrawnDistribution
        >>> DrawnDistribution(range(101)).interval(0.9)
        Interval(low=5.0, high=95.0)
        """
        return Interval(*np.quantile(self.draws, central_tails(level)).tolist())

    def hdi(self, level: float = 0.95) -> Interval:
        """Return the shortest interval that contains this proportion of the draws.

        Examples
        --------
        >>> from skpostbac.stats import DrawnDistribution
        >>> DrawnDistribution([1, 1, 2, 2, 3, 4, 6, 9]).hdi(0.75)
        Interval(low=1.0, high=4.0)
        """
        n_inside = int(np.ceil(check_level(level) * self.draws.size))
        low = self.draws[: self.draws.size - n_inside + 1]
        high = self.draws[n_inside - 1 :]
        best = int(np.argmin(high - low))
        return Interval(float(low[best]), float(high[best]))

    def monte_carlo_error(self) -> float:
        """Return the Monte Carlo standard error of the mean, which may be infinite.

        Examples
        --------
        >>> import numpy as np
        >>> from skpostbac.stats import DrawnDistribution
        >>> rng = np.random.default_rng(0)
        >>> DrawnDistribution(rng.beta(9, 3, size=1000)).monte_carlo_error()
        0.0038
        >>> DrawnDistribution(rng.beta(9, 3, size=100_000)).monte_carlo_error()
        0.00038
        """
        return self.standard_deviation() / float(np.sqrt(self.draws.size))

    def __neg__(self) -> DrawnDistribution:
        """Return the distribution of the negated number."""
        return DrawnDistribution(-self.draws, self.tail_index)

    def support(self) -> Interval:
        """Return the smallest and the largest draw."""
        return Interval(float(self.draws[0]), float(self.draws[-1]))

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        return np.asarray(self.draws[rng.integers(self.draws.size, size=shape)])

    def summary(self, level: float = 0.95) -> dict[str, float]:
        """Return summary statistics, under the same keys as other posteriors.

        Parameters
        ----------
        level : float, default=0.95
            Probability of the credible interval, in (0, 1).

        Returns
        -------
        figures : dict of str to float
            "mean", "median", "standard_deviation", "low" and "high", the ends of the
            credible interval, "level", and the Monte Carlo standard errors of the mean,
            "monte_carlo_error", and of both ends, "low_error" and "high_error" (see
            `credible_interval_error`).

        Examples
        --------
        >>> from skpostbac.stats import DrawnDistribution
        >>> DrawnDistribution(range(101)).summary()["median"]
        50.0
        """
        return {**figures_of(self, level), **errors_of(self, level)}

    def report(self, level: float = 0.95) -> str:
        """Return a text report: the mean, its interval and their Monte Carlo errors.

        Parameters
        ----------
        level : float, default=0.95
            Probability of the credible interval, in (0, 1).

        Returns
        -------
        sentences : str
            One sentence per line.

        Examples
        --------
        >>> from skpostbac.stats import DrawnDistribution
        >>> print(DrawnDistribution(range(101)).report())
        Posterior mean: 50.000 (95% credible interval 0.000 to 97.500).
        Estimated from 101 random draws; standard errors: mean 3, ends of the interval 5
            and 2.
        """
        return paragraphs(
            f"Posterior mean: {describe(self, level)}.", describe_draws(self, level)
        )

    def __str__(self) -> str:
        return self.report()

    def prob_above(self, value: ArrayLike) -> float | Floats:
        """Return the proportion of draws above `value`; NaN at NaN."""
        return plain_float(self.ccdf(float_array(value, "value")))

    def prob_below(self, value: ArrayLike) -> float | Floats:
        """Return the proportion of draws up to `value`; NaN at NaN."""
        return plain_float(self.cdf(float_array(value, "value")))

    def credible_interval_error(
        self, level: float = 0.95, *, method: IntervalMethod = DEFAULT_INTERVAL
    ) -> Interval:
        """Return the Monte Carlo standard errors of both ends of the credible interval.

        The ends of the shortest interval have errors that decrease as n^(-1/3) ([1]_),
        estimated from 20 subsets of the draws. The central interval has smaller errors.
        The number of draws below a quantile is binomial; the error is half the distance
        between the order statistics one standard deviation below and above ([2]_).

        Parameters
        ----------
        level : float, default=0.95
            Probability of the interval, in (0, 1).
        method : {"hull", "hdi", "central"}, default="hull"
            As for `credible_interval`.

        Returns
        -------
        low, high : float
            NaN for the shortest interval if there are fewer than four draws.

        Raises
        ------
        ValueError
            If `level` is outside (0, 1) or `method` is invalid.

        References
        ----------
        .. [1] J. Kim and D. Pollard (1990). Cube root asymptotics. Annals of Statistics
           18, 191-219.
        .. [2] R. J. Serfling (1980). Approximation Theorems of Mathematical Statistics.
           Wiley.

        Examples
        --------
        >>> import numpy as np
        >>> from skpostbac.stats import DrawnDistribution
        >>> rng = np.random.default_rng(0)
        >>> posterior = DrawnDistribution(rng.beta(9, 3, size=10_000))
        >>> posterior.credible_interval(method="central")
        Interval(low=0.49, high=0.94)
        >>> posterior.credible_interval_error(method="central")
        Interval(low=0.0044, high=0.0014)
        """
        check_interval_method(method)
        errors = self._quantile_errors(central_tails(level))

        if method != "central":
            # The draws are sorted, so contiguous subsets would not be representative.
            draws = np.random.default_rng(0).permutation(self.draws)
            subsets = np.array_split(draws, min(_N_SUBSETS, draws.size // 2))
            ends = np.array([DrawnDistribution(part).hdi(level) for part in subsets])
            of_hdi = np.full(2, np.nan)
            if len(subsets) > 1:
                of_hdi = ends.std(axis=0, ddof=1) / np.cbrt(len(subsets))
            if self._has_long_tail:
                # With more draws, the lower end would move on as far as with these.
                of_hdi = np.hypot(of_hdi, ends.mean(axis=0) - self.hdi(level))

            # Each end of the hull is an end of the shortest or the central interval.
            is_shortest = method == "hdi" or (
                np.subtract(self.hdi(level), self.interval(level)) * [-1, 1] > 0
            )
            errors = np.where(is_shortest, of_hdi, errors)
        return Interval(*errors.tolist())

    def _quantile_errors(self, p: Floats) -> Floats:
        """Return the Monte Carlo standard errors of the quantiles at `p`."""
        sd = np.sqrt(p * (1 - p) / self.draws.size)
        below, above = np.quantile(self.draws, np.clip([p - sd, p + sd], 0, 1))
        return np.asarray(above - below) / 2

    def __repr__(self) -> str:
        low, high = interval_of(self, 0.95)
        return (
            f"DrawnDistribution(mean={self.mean():.3f}, 95% CI=[{low:.3f}, "
            f"{high:.3f}], n_draws={self.draws.size})"
        )


def _log(values: float | Floats) -> float | Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log(values)


def errors_of(posterior: DrawnDistribution, level: float) -> dict[str, float]:
    """Return the Monte Carlo errors of the mean and the interval's ends, by key."""
    low, high = posterior.credible_interval_error(level)
    return {
        "monte_carlo_error": posterior.monte_carlo_error(),
        "low_error": low,
        "high_error": high,
    }


def describe_draws(posterior: DrawnDistribution, level: float) -> str:
    """Return a sentence with the number of draws and the Monte Carlo errors.

    Errors are left out if they cannot change a digit of the reported estimates.
    """
    name = "mean"
    middle, low, high = errors_of(posterior, level).values()
    if np.isinf(middle):
        name = "median"
        (middle,) = posterior._quantile_errors(np.array([0.5]))
    ends = interval_of(posterior, level)
    sentence = f"Estimated from {posterior.draws.size:,} random draws"
    if not any(is_shown(error, ends.high - ends.low) for error in (middle, low, high)):
        return f"{sentence}."
    return (
        f"{sentence}; standard errors: {name} {middle:.1g}, ends of the interval "
        f"{low:.1g} and {high:.1g}."
    )


def central_tails(level: float) -> Floats:
    """Return the probabilities below both ends of a central interval."""
    tail = (1 - check_level(level)) / 2
    return np.array([tail, 1 - tail])


def kernel_density(draws: Floats) -> tuple[Floats, Floats]:
    """Return increasing points and a normal kernel density estimate there.

    Parameters
    ----------
    draws : array of shape (n,)
        Sorted draws, not all equal.
    """
    # This import is slow, and seldom needed.
    from scipy.ndimage import gaussian_filter1d

    low = draws[0]
    high = draws[-1]
    # Silverman's rule uses the smaller of two estimates of the standard deviation.
    lower, upper = np.quantile(draws, [0.25, 0.75])
    deviation = min((upper - lower) / 1.34 or np.inf, draws.std(ddof=1))
    bandwidth = float(1.06 * deviation * draws.size**-0.2)

    n_bins = np.ceil(_BINS_PER_BANDWIDTH * (high - low) / bandwidth)
    n_bins = int(np.clip(n_bins, _LEAST_BINS, _MOST_BINS))
    # Bins are no narrower than the spacing of doubles.
    n_doubles = int((high - low) / np.spacing(max(abs(low), abs(high))))
    n_bins = max(1, min(n_bins, n_doubles))

    density, edges = np.histogram(draws, bins=n_bins, range=(low, high), density=True)
    scale = bandwidth / (edges[1] - edges[0])
    y = gaussian_filter1d(density, scale, radius=int(np.ceil(_KERNEL_REACH * scale)))
    # The reflected density is flat at the outermost draws.
    x = np.concatenate([[low], (edges[1:] + edges[:-1]) / 2, [high]])
    return x, np.concatenate([y[:1], y, y[-1:]])
