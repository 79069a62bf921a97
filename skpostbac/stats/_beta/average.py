"""The distribution of a weighted sum of independent Beta variables.

For X = sum_i w_i theta_i with independent theta_i ~ Beta(a_i, b_i) the moment generating function
is a product of confluent hypergeometric functions,

    M(s) = prod_i 1F1(a_i; a_i + b_i; w_i s).

On the imaginary axis it is the characteristic function of Carrillo et al. (2014), eq. 13. It is
inverted along a Bromwich contour (`skpostbac.stats._inversion`), with one factor for each term
(`terms`). The variance is sum_i w_i^2 a_i b_i / (n_i^2 (n_i + 1)) with n_i = a_i + b_i. The mean
and the ends of the support are kept as sums of two doubles each.
"""

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import Bools, Floats, check_level, float_array
from skpostbac.stats._beta.averages import BetaAverages
from skpostbac.stats._beta.moments import cumulants, variances
from skpostbac.stats._beta.parameters import Parameters, check_exponents
from skpostbac.stats._beta.rough_pairs import MOST_PLACES, rough_quantiles, rough_tails
from skpostbac.stats._beta.rough_shapes import rough_mode, rough_shortest
from skpostbac.stats._beta.single import SingleBeta
from skpostbac.stats._beta.terms import WeightedBetas
from skpostbac.stats._distribution import Interval, Laplace, LeftOut, Tails
from skpostbac.stats._inversion import FarContour, Inversion, WeightedSum, sum_weights, vector
from skpostbac.stats._numerics import Frame, Points, exact_sum, weighted_mean
from skpostbac.stats._smooth import (
    LEAST,
    Series,
    central_densities_of,
    central_tails_of,
    modes,
    quantiles,
    shortest_intervals,
    single_series,
)


class BetaAverage(WeightedSum):
    r"""Distribution of :math:`\lambda = \sum_i w_i \theta_i` with independent :math:`\theta_i`.

    Here :math:`\theta_i \sim \mathrm{Beta}(a_i, b_i)`. With the default weights this is the
    posterior of the balanced accuracy ([1]_, eq. 12). It is computed by inverting the exact product
    of characteristic functions ([1]_, eq. 13), without a grid or random draws.

    Parameters
    ----------
    a, b : array_like of shape (l,) or (..., l)
        Parameters of the Beta variables, positive, between 1e-6 and 1e15. If one of them is a
        number, it is that of all variables.
    weights : array_like of shape (l,) or (..., l), optional
        Weights of any sign, finite and not all zero. They need not sum to one. The default is
        1 / l each.

    Raises
    ------
    ValueError
        If a parameter is out of range or the shapes do not agree.

    See Also
    --------
    scipy.stats.beta : Distribution of a single Beta variable.

    Notes
    -----
    Parameters with more than one dimension return `BetaAverages`, an array of distributions whose
    methods return arrays. All axes but the last are broadcast. Most posteriors are smooth; each
    then takes about a tenth of the time of a single distribution.

    ``B - A`` is the distribution of the difference of two independent variables, again a
    `BetaAverage`.

    A corner is a sum of a subset of the weights. A point within rounding error of a corner is
    treated as the corner. With exponents far below 1/2, much of the mass is closer to the corners
    than doubles can resolve; at a corner, ``cdf`` and ``ccdf`` split this mass exactly (to 1e-12,
    measured at exponents from 1e-3).

    References
    ----------
    .. [1] H. Carrillo, K. H. Brodersen and J. A. Castellanos, "Probabilistic performance
       evaluation for multiclass classification using the posterior balanced accuracy", ROBOT2013,
       Advances in Intelligent Systems and Computing 252, 2014, 347-361.

    Examples
    --------
    The first classifier of [1]_: 30 of 32, 8 of 10 and 3 of 4 samples correct, flat prior.

    >>> from skpostbac.stats import BetaAverage
    >>> distribution = BetaAverage([31, 9, 4], [3, 3, 2])
    >>> round(distribution.mean(), 6)
    0.776144
    >>> low, high = distribution.interval(0.95)
    >>> round(low, 6), round(high, 6)
    (0.621508, 0.903213)
    >>> bool(distribution.cdf(1 / 3) < 1e-9)
    True

    All three classifiers of [1]_ at once, and their differences from the first:

    >>> a, b = [[31, 9, 4], [31, 3, 2], [33, 10, 5]], [[3, 3, 2], [3, 9, 4], [1, 2, 1]]
    >>> distributions = BetaAverage(a, b)
    >>> distributions
    BetaAverages(shape=(3,), n_variables=3)
    >>> distributions.mean().round(6)
    array([0.776144, 0.498366, 0.879085])
    >>> low, high = distributions.interval(0.95)
    >>> low.round(6), high.round(6)
    (array([0.621508, 0.370593, 0.741882]), array([0.903213, 0.652492, 0.967747]))
    >>> (distributions - distribution).ccdf(0).round(6)
    array([0.5     , 0.005942, 0.864986])
    """

    def __new__(
        cls, a: ArrayLike, b: ArrayLike, *, weights: ArrayLike | None = None
    ) -> "BetaAverage":
        """Return one distribution, or `BetaAverages` for parameters with more dimensions."""
        first, second = float_array(a, "a"), float_array(b, "b")
        arrays = {"a": _spread(first, second), "b": _spread(second, first)}
        if weights is not None:
            arrays["weights"] = float_array(weights, "weights")
        if max(array.ndim for array in arrays.values()) > 1:
            # The docstring says so; for type checkers only `beta_averages` does.
            return beta_averages(**arrays)  # type: ignore[return-value]
        self = super().__new__(cls)
        self._set(**arrays)
        return self

    def __getnewargs_ex__(self) -> tuple[tuple[Floats, Floats], dict[str, Floats | None]]:
        """Return the arguments for copying and pickling."""
        return (self._a, self._b), {"weights": None if self._equal else self._weights}

    def _set(self, a: Floats, b: Floats, weights: Floats | None = None) -> None:
        self._a, self._b = _positive_vector("a", a), _positive_vector("b", b)
        if self._b.shape != self._a.shape:
            raise ValueError(
                f"a and b must have the same length; got {self._a.size} and {self._b.size}."
            )
        self._equal = weights is None
        self._weights = sum_weights(weights, self._a.size)

    @property
    def a(self) -> Floats:
        """First parameters of the Beta variables, read-only, shape (l,)."""
        return self._a

    @property
    def b(self) -> Floats:
        """Second parameters of the Beta variables, read-only, shape (l,)."""
        return self._b

    @property
    def weights(self) -> Floats:
        """Weights of the Beta variables, read-only, shape (l,)."""
        return self._weights

    @property
    def has_equal_weights(self) -> bool:
        """Whether the weights are the default, exactly 1 / l each."""
        return self._equal

    def __repr__(self) -> str:
        """Show the mean, the standard deviation and the number of variables."""
        mean, sd = self.mean(), self.standard_deviation()
        return f"BetaAverage(mean={mean:.4g}, sd={sd:.4g}, n_variables={self.a.size})"

    def __getstate__(self) -> dict[str, Any]:
        """Keep the frame: that of a difference or a mirrored distribution cannot be recomputed."""
        return {**super().__getstate__(), "_frame": self._frame}

    def __neg__(self) -> "BetaAverage":
        """Return the distribution of the negated variable."""
        distribution = BetaAverage(self.a, self.b, weights=-self.weights)
        return distribution._framed(self._frame.mirrored())

    @overload
    def __sub__(self, other: "BetaAverage") -> "BetaAverage": ...

    @overload
    def __sub__(self, other: BetaAverages) -> BetaAverages: ...

    def __sub__(self, other: "BetaAverage | BetaAverages") -> "BetaAverage | BetaAverages":
        """Return the distribution of the difference of two independent variables."""
        if isinstance(other, BetaAverages):
            return beta_averages(self.a, self.b, self.weights) - other
        if not isinstance(other, BetaAverage):
            return NotImplemented
        distribution = BetaAverage(
            np.concatenate([self.a, other.a]),
            np.concatenate([self.b, other.b]),
            weights=np.concatenate([self.weights, -other.weights]),
        )
        return distribution._framed(self._frame.plus(other._frame.mirrored()))

    def __rsub__(self, other: BetaAverages) -> BetaAverages:
        """Return the distributions of many other variables minus this one."""
        if not isinstance(other, BetaAverages):
            return NotImplemented
        return other - beta_averages(self.a, self.b, self.weights)

    def _framed(self, frame: Frame) -> "BetaAverage":
        # A frame holds equal weights of 1 / l exactly; an array of weights rounds them.
        vars(self)["_frame"] = frame
        return self

    def marginals(self) -> list["BetaAverage"]:
        """Return the marginal distribution of each variable."""
        return [BetaAverage([a], [b]) for a, b in zip(self.a, self.b, strict=True)]

    def means(self) -> Floats:
        """Return the mean of each variable, shape (l,)."""
        return np.asarray(self.a / (self.a + self.b))

    def variance(self) -> float:
        """Return the variance, in closed form."""
        return float(variances(self.a, self.b, self.weights).sum())

    @cached_property
    def _series(self) -> Series | None:
        """The Fourier series of the density; None if it decays slowly."""
        return single_series(self.a, self.b, self.weights)

    @cached_property
    def _single(self) -> SingleBeta | None:
        """The sum, if it is one of a single variable that is computed in closed form."""
        kept = np.flatnonzero(self.weights)
        if kept.size != 1:
            return None
        return SingleBeta.of(*(float(x[kept[0]]) for x in (self.a, self.b, self.weights)))

    @cached_property
    def _rough_pair(self) -> tuple[Floats, Floats, Floats] | None:
        """Parameters and weights, of two variables whose sum is not smooth; None of any other."""
        kept = self.weights != 0
        if self._series is not None or np.count_nonzero(kept) != 2:
            return None
        return self.a[kept], self.b[kept], self.weights[kept]

    def _cdf_of_series(self) -> Callable[[Floats], Floats] | None:
        """Return the cdf at distances from the mean, to 1e-14; None if not smooth.

        This is faster than contours, which are more accurate in small tails.
        """
        series = single_series(self.a, self.b, self.weights, is_whole=True)
        if series is None:
            return None
        waves, reach = series.waves(0), float(series.reach[0])

        def cdf(y: Floats) -> Floats:
            inside = waves.sums(np.clip(y, -reach, reach).ravel()).reshape(y.shape)
            return np.where(np.abs(y) < reach, np.clip(inside, 0.0, 1.0), y > 0)

        return cdf

    def _tails(self, points: Points) -> Tails:
        if self._single is not None:
            tails, is_known = self._single.tails(points)
            return tails if is_known.all() else self._completed(tails, is_known, points)
        if self._series:
            return self._smooth_tails(self._series, points)
        if self._rough_pair is None or points.from_mean.size > MOST_PLACES:
            return super()._tails(points)
        tails, is_known = rough_tails(*self._rough_pair, points.to_low, points.to_high)
        return tails if is_known.all() else self._completed(tails, is_known, points)

    def _completed(self, tails: Tails, is_known: Bools, points: Points) -> Tails:
        """Replace tails that are not known by those of contours."""
        return tails.replaced(~is_known, super()._tails(points[~is_known]))

    @property
    def _is_exact(self) -> bool:
        return self._series is not None or super()._is_exact

    def _search(self) -> Callable[[Points], Tails]:
        return (
            super()._search()
            if self._series is None
            else partial(self._smooth_tails, self._series, kept=[])
        )

    def _curve(self) -> Callable[[Floats], Floats]:
        pdf, series = super()._curve(), self._series
        if series is None:
            return pdf

        def smooth_pdf(x: Floats) -> Floats:
            y = self._frame.locate(x).from_mean
            densities, is_known = central_densities_of(series, y[np.newaxis])
            density, is_rest = np.asarray(densities[0]), ~is_known[0]
            if is_rest.any():
                density[is_rest] = pdf(x[is_rest])
            return density

        return smooth_pdf

    def _smooth_tails(
        self, series: Series, points: Points, kept: list[FarContour] | None = None
    ) -> Tails:
        """Evaluate both tails and the density; small tails by contours through saddlepoints."""
        tails, is_known = central_tails_of(series, points.from_mean[np.newaxis])
        tails, is_far = tails[0], ~is_known[0]
        if not is_far.any():
            return tails
        return tails.replaced(is_far, self._inversion.far(points[is_far], kept))

    def _central_quantile(self, p: Floats, q: Floats) -> tuple[Floats, Bools]:
        if self._series is None:
            return super()._central_quantile(p, q)
        y = quantiles(self._series, p[np.newaxis], q[np.newaxis])[0]
        return y, np.isfinite(y) & (np.minimum(p, q) >= LEAST)

    def _inner_quantile(self, log_p: Floats, log_q: Floats, left_out: LeftOut) -> Floats:
        if self._single is not None:
            y = self._single.quantiles(np.exp(log_p), np.exp(log_q))
            if not np.isnan(y).any():
                return self._from_end(y)
        # A few quantiles of a rough sum of two take less than its contour.
        is_central = np.minimum(log_p, log_q).min() >= np.log(LEAST)
        if self._rough_pair is not None and is_central and log_p.size <= MOST_PLACES:
            rows = (*self._rough_pair, np.exp(log_p), np.exp(log_q))
            x = rough_quantiles(*(row[np.newaxis] for row in rows))[0]
            if not np.isnan(x).any():
                return np.asarray(x)
        return super()._inner_quantile(log_p, log_q, left_out)

    def mode(self) -> float:
        """Return the point of highest density.

        This is an end of the support if the density is unbounded there.
        """
        if self._single is not None and not np.isnan(self._single.mode):
            return float(self._from_end(np.array([self._single.mode]))[0])
        if self._rough_pair is not None:
            mode = rough_mode(*self._rough_pair)
            return super().mode() if np.isnan(mode) else mode
        y = np.full(1, np.nan) if self._series is None else modes(self._series)
        if np.isnan(y[0]):
            return super().mode()
        return float(self._frame.x(self._frame.near_mean(y))[0])

    def hdi(self, level: float = 0.95) -> Interval:
        level = check_level(level)
        ends = np.full(2, np.nan)
        if self._single is not None:
            ends = np.sort(self._from_end(self._single.shortest(level)))
        elif self._series is not None:
            y = shortest_intervals(self._series, level)[:, 0]
            ends = self._frame.x(self._frame.near_mean(y))
        elif self._rough_pair is not None:
            ends = rough_shortest(*self._rough_pair, level)
        return super().hdi(level) if np.isnan(ends).any() else Interval(*map(float, ends))

    hdi.__doc__ = WeightedSum.hdi.__doc__

    def _from_end(self, y: Floats) -> Floats:
        """Return points at distances from the nearer end of the support of a single variable."""
        low, high = self.support()
        return high - y if self._single and self._single.is_upper else low + y

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        total = np.zeros(shape)
        for a, b, weight in zip(self.a, self.b, self.weights, strict=True):
            total += weight * rng.beta(a, b, size=shape)
        return total

    @cached_property
    def _cumulants(self) -> tuple[float, float, float]:
        second, third, fourth = cumulants(self.a, self.b, self.weights).tolist()
        return second, third, fourth

    @cached_property
    def _frame(self) -> Frame:
        n = self.a + self.b
        mean = weighted_mean(self.a, self.b, None if self._equal else self.weights)
        low = exact_sum([np.minimum(self.weights, 0.0)])
        high = (1.0, 0.0) if self._equal else exact_sum([np.maximum(self.weights, 0.0)])
        down = np.where(self.weights > 0, self.a, self.b) / n
        up = np.where(self.weights > 0, self.b, self.a) / n
        size = np.abs(self.weights)
        return Frame(*low, *high, *mean, float((size * down).sum()), float((size * up).sum()))

    @cached_property
    def _inversion(self) -> Inversion:
        return Inversion(self._terms)

    @property
    def _terms(self) -> WeightedBetas:
        """The terms with nonzero weight."""
        kept = self.weights != 0
        return WeightedBetas.of(self.a[kept], self.b[kept], self.weights[kept])

    def _laplace(self) -> Laplace:
        below = self._terms.mirrored()

        def laplace(t: float) -> tuple[float, float]:
            log_mgf, mean = below.tilted(t, from_end=True).log_mgf_and_mean
            return log_mgf, -mean

        return laplace

    @property
    def _ends(self) -> Floats:
        n = self.a + self.b
        return np.array([-self.weights * self.a / n, self.weights * self.b / n]).T


def _spread(number: Floats, over: Floats) -> Floats:
    """Return a number for each variable of another array; arrays as they are."""
    return number if number.ndim or not over.ndim else np.full(over.shape[-1], number)


def beta_averages(a: ArrayLike, b: ArrayLike, weights: ArrayLike | None = None) -> BetaAverages:
    """Return `BetaAverage` for parameters with more than one dimension."""
    return BetaAverages(Parameters.checked(a, b, weights), _alone)


def _alone(a: Floats, b: Floats, weights: Floats | None) -> BetaAverage:
    return BetaAverage(a, b, weights=weights)


def _positive_vector(name: str, values: Floats) -> Floats:
    """Return a read-only copy of a vector of parameters."""
    return check_exponents(name, vector(name, values))
