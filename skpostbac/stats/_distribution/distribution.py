"""Univariate distributions: their interface, and the base class of those on bounded intervals.

Method names follow SciPy's random variables. The central interval leaves a probability of
(1 - level) / 2 in each tail; `hdi` is the shortest interval of this probability. Results report the
hull of both, see `interval_of`.

A family of distributions on a bounded interval gives its mean and support (`_frame`), itself at
distances from its mean (`_centred`), its moments and random draws. What follows from these is
written here once.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import (
    Any,
    ClassVar,
    Generic,
    Literal,
    NamedTuple,
    Protocol,
    TypeAlias,
    TypeVar,
    cast,
    get_args,
)

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import (
    Floats,
    Indices,
    RngLike,
    StablePickle,
    block,
    check_choice,
    check_generator,
    check_level,
    check_shape,
    describe_estimate,
    float_array,
    format_column,
    format_estimates,
    probability_array,
    record,
    shown,
)
from skpostbac.stats._numerics import Frame
from skpostbac.stats._series import Centred, Located, SmallTails

IntervalMethod: TypeAlias = Literal["hull", "hdi", "central"]
Convention: TypeAlias = Literal["non-excess", "excess"]
# The central interval leaves out values next to 1 where few samples have next to no errors, and the
# shortest one those below where a rare class is harder: `benchmarks/interval_coverage.py`.
DEFAULT_INTERVAL: IntervalMethod = "hull"


class Interval(NamedTuple):
    """Two ends of an interval.

    Functions return it; its values are not checked when it is created.
    """

    low: float
    """Lower end."""
    high: float
    """Upper end."""

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


# What one distribution returns, and an array of them: at points, for each distribution, intervals.
Values = TypeVar("Values")
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


class Distribution(StablePickle, ABC):
    """A distribution of one random variable.

    Method names follow SciPy's random variables.
    """

    # Whether intervals are too slow for an HTML view.
    _has_slow_intervals: ClassVar[bool] = False

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

    @abstractmethod
    def pdf(self, x: ArrayLike) -> np.float64 | Floats:
        """Return the density at `x`."""

    @abstractmethod
    def cdf(self, x: ArrayLike, y: ArrayLike | None = None) -> np.float64 | Floats:
        """Return P(X <= x), or P(x < X <= y) when `y` is given."""

    @abstractmethod
    def ccdf(self, x: ArrayLike, y: ArrayLike | None = None) -> np.float64 | Floats:
        """Return P(X > x), or P(X <= x) + P(X > y) when `y` is given."""

    @abstractmethod
    def icdf(self, p: ArrayLike) -> np.float64 | Floats:
        """Return the quantile at `p`."""

    @abstractmethod
    def iccdf(self, p: ArrayLike) -> np.float64 | Floats:
        """Return the x with P(X > x) = p."""

    @abstractmethod
    def interval(self, level: float = 0.95) -> Interval:
        """Return the central interval."""

    @abstractmethod
    def hdi(self, level: float = 0.95) -> Interval:
        """Return the shortest interval."""

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
        draws = self._draw(check_generator(rng), check_shape(shape))
        return np.asarray(draws)[()]

    def to_scipy(self) -> Any:
        """Return this distribution as a random variable of :mod:`scipy.stats`.

        SciPy's arithmetic, transformations and mixtures apply to it.

        Returns
        -------
        variable : random variable
            Made by :func:`scipy.stats.make_distribution`; it asks this distribution.

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
            name = moments.get((order, kind), "")
            return getattr(self, name)() if hasattr(self, name) else None

        names = ["pdf", "logpdf", "cdf", "ccdf", "logcdf", "logccdf", "icdf", "iccdf"]
        names += ["median", "mode", "sample"]
        described = {
            "__make_distribution_version__": "1.16.0",
            "parameters": (),
            "support": tuple(self.support()),
            "moment": staticmethod(moment),
            **{name: getattr(self, name) for name in names if hasattr(self, name)},
        }
        return stats.make_distribution(type(type(self).__name__, (), described)())()

    def _repr_html_(self) -> str:
        (estimate,) = estimate_rows({"": self})
        (sd,) = format_column([self.standard_deviation()])
        header = ("mean", "95% CI", "standard deviation")
        return block(repr(self), record(header, *estimate[1:], sd))


def estimate_rows(
    distributions: Mapping[str, Distribution], level: float = 0.95
) -> list[tuple[str, str, str]]:
    """Return the rows of a table: names, means and intervals."""
    means = [distribution.mean() for distribution in distributions.values()]
    intervals = [interval_of(distribution, level) for distribution in distributions.values()]
    estimates = format_estimates(means, intervals)
    return [(name, *estimate) for name, estimate in zip(distributions, estimates, strict=True)]


def interval_of(
    distribution: HasIntervals[Ends], level: float, method: object = DEFAULT_INTERVAL
) -> Ends:
    """Return the "hull", "hdi" or "central" interval of a distribution, or those of an array.

    This is the one place that decides which interval is reported unless a method is asked for.
    """
    check_interval_method(method)
    if method == "hdi":
        return distribution.hdi(level)
    if method == "central":
        return distribution.interval(level)
    shortest, central = distribution.hdi(level), distribution.interval(level)
    low: Any = plain_float(np.minimum(shortest[0], central[0]))
    high: Any = plain_float(np.maximum(shortest[1], central[1]))
    return type(shortest)(low, high)


def check_interval_method(method: object) -> None:
    """Raise unless `method` is the name of an interval."""
    if not isinstance(method, str) or method not in get_args(IntervalMethod):
        raise ValueError(f"method must be 'hull', 'hdi' or 'central', got {shown(method)}")


def figures_of(
    distribution: Distribution, level: float, interval: Interval | None = None
) -> dict[str, float]:
    """Return the values that all summaries contain, by key; the interval may be known already."""
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
    return describe_estimate(distribution.mean(), interval_of(distribution, level), level)


def estimate_columns(
    distributions: Sequence[Distribution],
) -> tuple[tuple[str, str], list[tuple[str, str]]]:
    """Return the header and the cells of two columns: means and intervals.

    Standard deviations replace intervals that would take long.
    """
    if not any(distribution._has_slow_intervals for distribution in distributions):
        intervals = [interval_of(distribution, 0.95) for distribution in distributions]
        return ("mean", "95% CI"), format_estimates(
            [one.mean() for one in distributions], intervals
        )
    means = [f"{distribution.mean():.3f}" for distribution in distributions]
    deviations = [f"{distribution.standard_deviation():.3f}" for distribution in distributions]
    return ("mean", "standard deviation"), list(zip(means, deviations, strict=True))


def normal_kurtosis(convention: object) -> float:
    """Return the kurtosis of a normal distribution by SciPy's "non-excess" or "excess"."""
    check_choice(convention, ("non-excess", "excess"), "convention")
    return 3.0 if convention == "non-excess" else 0.0


def broadcast_limits(x: ArrayLike, y: ArrayLike) -> tuple[Floats, ...]:
    """Return both limits of an integral as arrays of their common shape."""
    lower, upper = float_array(x, "x"), float_array(y, "y")
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


class _Rows(NamedTuple):
    """Broadcast values arranged in rows, one row for each distribution.

    `order` is the index of each value in the flat result, shape (m, n); None for one distribution.
    """

    shape: tuple[int, ...]
    order: Indices | None

    @classmethod
    def of(cls, shape: tuple[int, ...], others: tuple[int, ...], name: str) -> "_Rows":
        """Broadcast an array of distributions with others."""
        try:
            result = np.broadcast_shapes(shape, others) if shape else others
        except ValueError as error:
            raise ValueError(
                f"{name} must broadcast with the distributions, got the shapes {others} and {shape}"
            ) from error
        count, size = math.prod(shape), math.prod(result)
        if count == 1:
            return cls(result, None)
        row = np.broadcast_to(np.arange(count).reshape(shape), result).ravel()
        order = np.argsort(row, kind="stable")
        return cls(result, order.reshape(count, size // count if count else 0))

    def split(self, values: Floats) -> Floats:
        """Return the values for each distribution, shape (m, n)."""
        if values.shape != self.shape:
            values = np.broadcast_to(values, self.shape)
        return values.reshape(1, -1) if self.order is None else values.ravel()[self.order]

    def joined(self, values: Floats) -> Any:
        """Reorder values of shape (m, n) to the broadcast shape; a number if that is ()."""
        if self.order is None:
            return values.reshape(self.shape)[()]
        result = np.empty(self.order.size)
        result[self.order] = values
        return result.reshape(self.shape)[()]


class LocatedDistributions(ABC, Generic[Values, Moments, Ends]):
    """Moments, probabilities, quantiles and intervals of one distribution, or of an array of them.

    Points and probabilities are broadcast with the array.
    """

    @property
    def _shape(self) -> tuple[int, ...]:
        """Shape of the array of distributions."""
        return ()

    @property
    def _cumulants(self) -> Floats:
        """Second, third and fourth cumulant in powers of the unit, if moments follow from these."""
        raise NotImplementedError

    @property
    def _unit(self) -> float:
        """Unit of the cumulants."""
        return 1.0

    @abstractmethod
    def _numbers(self, values: Floats) -> Moments:
        """Return a number of each distribution, from as many values."""

    @abstractmethod
    def _intervals(self, values: Floats) -> Ends:
        """Return an interval of each distribution, given as an array of shape (2, m)."""

    @property
    @abstractmethod
    def _located(self) -> Located:
        """Return the distributions at their places on the real line."""

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
        tail, located = 0.5 * (1 - check_level(level)), self._located
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

    def pdf(self, x: ArrayLike) -> Values:
        """Return the probability density at `x`.

        Parameters
        ----------
        x : array_like
            Any shape. The density is zero outside the support. At an end of the support it is the
            limit from inside, which may be infinite. Where it has a pole inside the support, such
            as halfway between a perfect class and an always wrong one under Jeffreys' prior, it is
            a large number.

        Returns
        -------
        pdf : float or ndarray of the shape of `x`

        Raises
        ------
        ValueError
            If `x` is not real.
        """
        return self._asked(self._located.values, x, 2)

    def logpdf(self, x: ArrayLike) -> Values:
        """Return the logarithm of the probability density at `x`.

        Parameters
        ----------
        x : array_like
            Any shape.

        Returns
        -------
        logpdf : float or ndarray of the shape of `x`
        """
        return self._asked(self._located.logs, x, 2)

    def cdf(self, x: ArrayLike, y: ArrayLike | None = None) -> Values:
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
            return self._asked(self._located.values, x, 0)
        return self._limited(self._located.between, x, y)

    def ccdf(self, x: ArrayLike, y: ArrayLike | None = None) -> Values:
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
            return self._asked(tails, x, 1)
        return self._limited(lambda x, y: tails(x)[0] + tails(y)[1], x, y)

    def logcdf(self, x: ArrayLike, y: ArrayLike | None = None) -> Values:
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
            Finite inside the support. NaN where `y` is below `x`, where SciPy returns the complex
            logarithm of a negative number.
        """
        if y is None:
            return self._asked(self._located.logs, x, 0)
        return self._limited(self._located.log_between, x, y)

    def logccdf(self, x: ArrayLike, y: ArrayLike | None = None) -> Values:
        """Return the logarithm of P(X > x), or of P(X <= x) + P(X > y) when `y` is given.

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
            return self._asked(logs, x, 1)
        return self._limited(lambda x, y: np.logaddexp(logs(x)[0], logs(y)[1]), x, y)

    def _asked(self, answer: Callable[[Floats], Floats], x: ArrayLike, i: int) -> Values:
        """Return the answer i about points."""
        x = float_array(x, "x")
        rows = _Rows.of(self._shape, x.shape, "x")
        return cast(Values, rows.joined(answer(rows.split(x))[i]))

    def _limited(
        self, answer: Callable[[Floats, Floats], Floats], x: ArrayLike, y: ArrayLike
    ) -> Values:
        """Return an answer about two limits."""
        limits = broadcast_limits(x, y)
        rows = _Rows.of(self._shape, limits[0].shape, "x")
        return cast(Values, rows.joined(answer(*map(rows.split, limits))))

    def icdf(self, p: ArrayLike) -> Values:
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
        return self._quantiles(p, is_upper=False)

    def iccdf(self, p: ArrayLike) -> Values:
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
        return self._quantiles(p, is_upper=True)

    def _quantiles(self, p: ArrayLike, *, is_upper: bool) -> Values:
        p = probability_array(p, "p")
        rows = _Rows.of(self._shape, p.shape, "p")
        p = rows.split(p)
        p, q = (1 - p, p) if is_upper else (p, 1 - p)
        return cast(Values, rows.joined(self._located.quantiles(p, q)))


class BoundedDistribution(LocatedDistributions[np.float64 | Floats, float, Interval], Distribution):
    """Base class of continuous distributions on a bounded interval.

    Method names follow SciPy's random variables.

    Notes
    -----
    Points and probabilities may be real numbers of any type, including `Fraction` and `Decimal`;
    other types raise a ValueError. NaN gives NaN.

    Errors of probabilities are absolute: 1e-12, and more beside a point where the density is not
    smooth. The distributions under a hierarchical prior and of populations integrate over further
    unknowns and are less accurate. Logarithms of tails below 1e-11 are approximations or bounds.
    See :ref:`numerics` and :ref:`evidence_accuracy`.
    """

    @property
    @abstractmethod
    def _frame(self) -> Frame:
        """Both ends of the support and the mean."""

    @property
    @abstractmethod
    def _centred(self) -> Centred:
        """Return this distribution at distances from its mean, as an array of one."""

    @property
    def _small_tails(self) -> SmallTails | None:
        """Approximations to small tails; by default these are bounded."""
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
