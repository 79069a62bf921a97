"""Many weighted sums of Betas at once.

Smooth distributions are computed together (`skpostbac.stats._smooth`), and so are the quantiles of
two variables whose transforms decay slowly (`rough_pairs`). Other such distributions, and tails too
small for the absolute accuracy of both, are computed one by one. Inside this module parameters have
the shape (m, l), and points and probabilities (m, n), for m distributions of l variables and n
points of each.
"""

import math
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import (
    Floats,
    Indices,
    RngLike,
    StablePickle,
    block,
    check_generator,
    check_level,
    check_shape,
    float_array,
    format_estimates,
    more,
    probability_array,
    table,
)
from skpostbac.stats._beta.moments import cumulants
from skpostbac.stats._beta.parameters import Parameters
from skpostbac.stats._beta.rough_pairs import MOST_PLACES, rough_quantiles
from skpostbac.stats._distribution import BoundedDistribution, broadcast_limits
from skpostbac.stats._numerics import weighted_means
from skpostbac.stats._smooth import (
    LEAST,
    Series,
    central_tails_of,
    many_series,
    modes,
    quantiles,
    shortest_intervals,
)

# Number of waves tabulated at a time.
_TABLE = 2**17
# Number of distributions shown in the HTML view.
SHOWN = 8

Alone = Callable[[Floats, Floats, Floats | None], BoundedDistribution]


class Intervals(NamedTuple):
    """Both ends of many intervals.

    Functions return it; its values are not checked.
    """

    low: Floats
    """Lower ends."""
    high: Floats
    """Upper ends."""


class BetaAverages(StablePickle):
    """An array of distributions of weighted sums of independent Beta variables.

    `BetaAverage` returns it for parameters with more than one dimension. It has the methods of a
    single distribution. They return arrays of the shape of the array of distributions, broadcast
    with the points or probabilities. The values agree with those of the single distributions to
    about 1e-12.

    The series used for the computation are cached: a few hundred numbers for each distribution.

    See Also
    --------
    BetaAverage : Parameters and an example.
    """

    def __init__(self, parameters: Parameters, alone: Alone) -> None:
        self._parameters, self._alone = parameters, alone

    @property
    def a(self) -> Floats:
        """First parameters of the Beta variables, read-only, shape (..., l)."""
        return self._parameters.a

    @property
    def b(self) -> Floats:
        """Second parameters of the Beta variables, read-only, shape (..., l)."""
        return self._parameters.b

    @property
    def weights(self) -> Floats:
        """Weights of the Beta variables, read-only, shape (..., l)."""
        return self._parameters.weights

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape (...) of the array of distributions."""
        return self._parameters.shape

    def __repr__(self) -> str:
        """Show the shape and the number of variables."""
        return f"BetaAverages(shape={self.shape}, n_variables={self.a.shape[-1]})"

    def _repr_html_(self) -> str:
        """Show the first distributions, by their index."""
        flat = (len(self.a.reshape(-1, self.a.shape[-1])), self.a.shape[-1])
        parameters = (self.a, self.b, np.broadcast_to(self.weights, self.a.shape))
        first = self._made(*(values.reshape(flat)[:SHOWN] for values in parameters))
        intervals = list(zip(*(ends.tolist() for ends in first.hdi()), strict=True))
        estimates = format_estimates(first.mean().tolist(), intervals)
        places = map(str, np.ndindex(self.shape))
        rows = [(place, *estimate) for place, estimate in zip(places, estimates, strict=False)]
        return block(
            repr(self), table(("index", "mean", "95% CI"), rows, note=more(flat[0], SHOWN))
        )

    def __neg__(self) -> "BetaAverages":
        """Return the distributions of the negated variables."""
        return self._made(self.a, self.b, -self.weights)

    def __sub__(self, other: object) -> "BetaAverages":
        """Return the distributions of the differences of independent variables."""
        if not isinstance(other, BetaAverages):
            return NotImplemented
        shape = np.broadcast_shapes(self.shape, other.shape)

        def joined(first: Floats, second: Floats) -> Floats:
            arrays = [np.broadcast_to(x, (*shape, x.shape[-1])) for x in (first, second)]
            return np.concatenate(arrays, axis=-1)

        return self._made(
            joined(self.a, other.a),
            joined(self.b, other.b),
            joined(self.weights, -other.weights),
        )

    def _made(self, a: Floats, b: Floats, weights: Floats) -> "BetaAverages":
        return BetaAverages(Parameters.checked(a, b, weights), self._alone)

    # Moments

    def support(self) -> Intervals:
        """Return the lower and upper ends of the support, shape (...) each."""
        low, high = self._support
        return Intervals(low.reshape(self.shape), high.reshape(self.shape))

    def mean(self) -> Floats:
        """Return the means, in closed form."""
        return self._means[0].reshape(self.shape)

    def variance(self) -> Floats:
        """Return the variances, in closed form."""
        return np.asarray(self._cumulants[0])

    def standard_deviation(self) -> Floats:
        """Return the standard deviations, in closed form."""
        return np.sqrt(self.variance())

    def skewness(self) -> Floats:
        """Return the skewnesses, the third standardised moments, in closed form."""
        return np.asarray(self._cumulants[1] / self._cumulants[0] ** 1.5)

    def kurtosis(self) -> Floats:
        """Return the excess kurtoses, in closed form."""
        return np.asarray(self._cumulants[2] / self._cumulants[0] ** 2)

    @property
    def _cumulants(self) -> Floats:
        return cumulants(self.a, self.b, self.weights)

    @cached_property
    def _means(self) -> tuple[Floats, Floats]:
        """Means, each a sum of two doubles, shape (m,)."""
        a, b, weights = self._parameters.rows
        return weighted_means(a, b, None if self._parameters.equal else weights)

    @property
    def _support(self) -> tuple[Floats, Floats]:
        weights = self._parameters.rows[2]
        low, high = np.minimum(weights, 0.0).sum(axis=1), np.maximum(weights, 0.0).sum(axis=1)
        return low, np.ones_like(high) if self._parameters.equal else high

    # Probabilities

    def pdf(self, x: ArrayLike) -> Floats:
        """Return the probability densities at `x`, which is broadcast with the array."""
        with np.errstate(over="ignore"):  # densities beyond the largest double are infinite
            return np.asarray(np.exp(self.logpdf(x)))

    def logpdf(self, x: ArrayLike) -> Floats:
        """Return the logarithms of the probability densities at `x`."""
        return np.asarray(self._log_values(x)[2])

    def cdf(self, x: ArrayLike, y: ArrayLike | None = None) -> Floats:
        """Return P(X <= x), or P(x < X <= y) when `y` is given.

        Parameters
        ----------
        x, y : array_like
            Broadcast with the array of distributions.

        Returns
        -------
        cdf : ndarray

        Raises
        ------
        ValueError
            If `x` or `y` is not real, or if they do not broadcast.
        """
        if y is None:
            return np.asarray(np.exp(self.logcdf(x)))
        lower, upper = (self._log_values(limit) for limit in broadcast_limits(x, y))
        # Both limits in the upper half: the difference of the upper tails loses fewer digits.
        from_below = np.exp(upper[0]) - np.exp(lower[0])
        from_above = np.exp(lower[1]) - np.exp(upper[1])
        is_upper = np.minimum(lower[0], upper[0]) > np.log(0.5)
        return np.asarray(np.where(is_upper, from_above, from_below))

    def ccdf(self, x: ArrayLike) -> Floats:
        """Return P(X > x), accurate also where it is small."""
        return np.asarray(np.exp(self.logccdf(x)))

    def logcdf(self, x: ArrayLike) -> Floats:
        """Return the logarithms of P(X <= x), finite far below the smallest double."""
        return np.asarray(self._log_values(x)[0])

    def logccdf(self, x: ArrayLike) -> Floats:
        """Return the logarithms of P(X > x), finite far below the smallest double."""
        return np.asarray(self._log_values(x)[1])

    # Quantiles and places

    def icdf(self, p: ArrayLike) -> Floats:
        """Return the x with P(X <= x) = p, the quantiles; `p` is broadcast with the array."""
        p = probability_array(p, "p")
        return self._quantiles(p, 1 - p)

    def iccdf(self, p: ArrayLike) -> Floats:
        """Return the x with P(X > x) = p; `p` is broadcast with the array."""
        p = probability_array(p, "p")
        return self._quantiles(1 - p, p)

    def median(self) -> Floats:
        """Return the medians."""
        return self.icdf(0.5)

    def interval(self, level: float = 0.95) -> Intervals:
        """Return the central intervals, with equal probability in both tails.

        Parameters
        ----------
        level : float, default=0.95
            Probability of the intervals, in (0, 1).

        Returns
        -------
        low, high : ndarray of shape (...)

        Raises
        ------
        ValueError
            If `level` is outside (0, 1).
        """
        tail = 0.5 * (1 - check_level(level))
        count = self._means[0].size
        p, q = (np.tile(pair, (count, 1)) for pair in ([tail, 1 - tail], [1 - tail, tail]))
        return self._intervals(self._row_quantiles(p, q))

    def hdi(self, level: float = 0.95) -> Intervals:
        """Return the highest-density intervals, the shortest ones with this probability.

        Parameters
        ----------
        level : float, default=0.95
            Probability of the intervals, in (0, 1).

        Returns
        -------
        low, high : ndarray of shape (...)

        Raises
        ------
        ValueError
            If `level` is outside (0, 1).
        """
        level = check_level(level)
        ends = self._places(lambda series: shortest_intervals(series, level).T, 2)
        for i in np.flatnonzero(np.isnan(ends[:, 0])).tolist():
            ends[i] = self._one(i).hdi(level)
        return self._intervals(ends)

    def mode(self) -> Floats:
        """Return the points of highest density; an end of the support if unbounded there."""
        places = self._places(lambda series: modes(series)[:, np.newaxis], 1)[:, 0]
        for i in np.flatnonzero(np.isnan(places)).tolist():
            places[i] = self._one(i).mode()
        return places.reshape(self.shape)

    def sample(self, shape: int | tuple[int, ...] = (), *, rng: RngLike = None) -> Floats:
        """Draw independent random values.

        Parameters
        ----------
        shape : int or tuple of int, default=()
            Shape of the draws of each distribution.
        rng : Generator, BitGenerator, SeedSequence or int, optional
            NumPy generator or seed. By default a generator with fresh entropy.

        Returns
        -------
        sample : ndarray of the shape `shape`, followed by that of the distributions
        """
        generator, size = check_generator(rng), (*check_shape(shape), *self.shape)
        total = np.zeros(size)
        for i in range(self.a.shape[-1]):
            total += self.weights[..., i] * generator.beta(self.a[..., i], self.b[..., i], size)
        return total

    # Smooth distributions together, others one by one

    @cached_property
    def _series(self) -> list[tuple[Indices, Series]]:
        """The smooth distributions: their rows, and their series."""
        return many_series(*self._parameters.rows)

    def _one(self, row: int) -> BoundedDistribution:
        a, b, weights = (array[row] for array in self._parameters.rows)
        return self._alone(a, b, None if self._parameters.equal else weights)

    def _places(self, find: Callable[[Series], Floats], n: int) -> Floats:
        """Return n points of each distribution, (m, n), NaN where not found."""
        found = np.full((self._means[0].size, n), np.nan)
        for rows, series in self._series:
            found[rows] = self._at(rows, find(series))
        return found

    def _at(self, rows: Indices, y: Floats) -> Floats:
        """Return the points at distances y from the means, (m, n), inside the support."""
        mean, rest = (part[rows, np.newaxis] for part in self._means)
        low, high = (end[rows, np.newaxis] for end in self._support)
        return np.clip(mean + (rest + y), low, high)

    def _log_values(self, x: ArrayLike) -> Floats:
        """Log cdf, log ccdf and log pdf at x, stacked along a new first axis."""
        x = float_array(x, "x")
        rows = _Rows.of(self.shape, x.shape, "x")
        found = self._row_values(rows.split(x))
        return rows.joined(found)

    def _row_values(self, x: Floats) -> Floats:
        """Log cdf, log ccdf and log pdf at x, shape (m, n)."""
        low, high = (end[:, np.newaxis] for end in self._support)
        found = np.full((3, *x.shape), np.nan)
        found[:, x < low] = np.array([[-np.inf], [0.0], [-np.inf]])
        found[:, x > high] = np.array([[0.0], [-np.inf], [-np.inf]])
        inside = (low <= x) & (x <= high)
        for rows, part, series in self._blocks(x.shape[1]):
            mean, rest = (one[rows, np.newaxis] for one in self._means)
            places = np.clip(x[rows, part], low[rows], high[rows])
            tails, is_known = central_tails_of(series, (places - mean) - rest)
            values = np.stack([tails.log_cdf, tails.log_ccdf, tails.log_pdf])
            is_known &= inside[rows, part]
            found[:, rows, part] = np.where(is_known, values, found[:, rows, part])
        missing = inside & np.isnan(found[0])
        for i in np.flatnonzero(missing.any(axis=1)).tolist():
            found[:, i, missing[i]] = self._one(i)._log_values(x[i, missing[i]])
        return found

    def _intervals(self, ends: Floats) -> Intervals:
        """Reshape ends, shape (m, 2), to the shape of the array of distributions."""
        return Intervals(*(ends[:, i].reshape(self.shape) for i in range(2)))

    def _quantiles(self, p: Floats, q: Floats) -> Floats:
        """Quantiles of p = 1 - q."""
        rows = _Rows.of(self.shape, p.shape, "p")
        return rows.joined(self._row_quantiles(rows.split(p), rows.split(q)))

    def _row_quantiles(self, p: Floats, q: Floats) -> Floats:
        """Quantiles of p = 1 - q, shape (m, n)."""
        low, high = (np.broadcast_to(end[:, np.newaxis], p.shape) for end in self._support)
        found = np.where(p == 0, low, np.where(q == 0, high, np.nan))
        is_central = np.minimum(p, q) >= LEAST
        for rows, part, series in self._blocks(p.shape[1]):
            y = quantiles(series, p[rows, part], q[rows, part])
            places = np.where(is_central[rows, part], self._at(rows, y), found[rows, part])
            found[rows, part] = places
        missing = np.isnan(found) & ~np.isnan(p)
        if self.a.shape[-1] == 2 and p.shape[1] <= MOST_PLACES:
            rows = np.flatnonzero((missing & is_central).any(axis=1))
            places = rough_quantiles(*(x[rows] for x in (*self._parameters.rows, p, q)))
            found[rows] = np.where(missing[rows] & is_central[rows], places, found[rows])
            missing &= np.isnan(found)
        for i in np.flatnonzero(missing.any(axis=1)).tolist():
            # Use the smaller of p and q, which is more accurate.
            one, is_upper = self._one(i), missing[i] & (q[i] < p[i])
            is_lower = missing[i] & ~is_upper
            found[i, is_lower], found[i, is_upper] = (
                one.icdf(p[i, is_lower]),
                one.iccdf(q[i, is_upper]),
            )
        return found

    def _blocks(self, n: int) -> Iterator[tuple[Indices, slice, Series]]:
        """Yield rows and columns of smooth distributions at n places, with their series."""
        for rows, series in self._series:
            width = max(1, _TABLE // series.coefficients.size)
            for start in range(0, n, width):
                yield rows, slice(start, start + width), series


class _Rows(NamedTuple):
    """Broadcast values arranged in rows, one row for each distribution.

    `order` is the index of each value in the flat result, shape (m, n).
    """

    shape: tuple[int, ...]
    order: Indices

    @classmethod
    def of(cls, shape: tuple[int, ...], others: tuple[int, ...], name: str) -> "_Rows":
        """Broadcast an array of distributions with others."""
        try:
            result = np.broadcast_shapes(shape, others)
        except ValueError as error:
            raise ValueError(
                f"{name} must broadcast with the distributions, got the shapes {others} and {shape}"
            ) from error
        count, size = math.prod(shape), math.prod(result)
        row = np.broadcast_to(np.arange(count).reshape(shape), result).ravel()
        order = np.argsort(row, kind="stable")
        return cls(result, order.reshape(count, size // count if count else 0))

    def split(self, values: Floats) -> Floats:
        """Return the values for each distribution, shape (m, n)."""
        return np.asarray(np.broadcast_to(values, self.shape).ravel()[self.order])

    def joined(self, values: Floats) -> Floats:
        """Reorder values of shape (..., m, n) to the broadcast shape."""
        before = values.shape[:-2]
        result = np.empty((*before, self.order.size))
        result[..., self.order] = values
        return result.reshape((*before, *self.shape))
