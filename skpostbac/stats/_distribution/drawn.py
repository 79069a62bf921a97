"""A distribution estimated from random draws.

Probabilities are shares of the n draws, and quantiles interpolate between them. The standard error
of the mean is s / sqrt(n). That of a quantile at p follows from the binomial number of draws below
it, whose standard deviation is sqrt(n p (1 - p)): it is half the distance between the quantiles at
p - d and p + d with d = sqrt(p (1 - p) / n) (Serfling, Approximation Theorems of Mathematical
Statistics, 1980). The shortest interval of a share of the draws has larger errors, which fall as
n^(-1/3) (Kim and Pollard, Annals of Statistics 18, 1990).

Their density is estimated by a normal kernel on a fine histogram, of the width of Silverman's rule
(Density Estimation for Statistics and Data Analysis, 1986, section 3.4.2, eq. 3.30). What it would
move beyond the outermost draws is reflected there, so that the estimate never leaves the range of
the possible values.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import (
    Floats,
    check_level,
    first,
    float_array,
    is_shown,
    paragraphs,
    probability_array,
)
from skpostbac.stats._distribution.distribution import (
    DEFAULT_INTERVAL,
    Convention,
    Distribution,
    Interval,
    IntervalMethod,
    broadcast_limits,
    check_interval_method,
    describe,
    figures_of,
    interval_of,
    normal_kurtosis,
    plain_float,
)

# Parts of the draws from which the error of their shortest interval is estimated, to a sixth.
_PARTS = 20
# Bins of the histogram for each standard deviation of the kernel, the fewest and the most.
_BINS_PER_WIDTH, _LEAST_BINS, _MOST_BINS = 5, 50, 2_000
# The kernel ends at so many standard deviations.
_REACH = 4


class DrawnDistribution(Distribution):
    """Base class of distributions that are known by sorted draws."""

    draws: Floats

    def skewness(self) -> float:
        """Return the skewness of the draws, the third standardised moment; NaN if all are equal."""
        return self._standardised(3)

    def kurtosis(self, *, convention: Convention = "non-excess") -> float:
        """Return the kurtosis of the draws, less 3 if `convention` is "excess"."""
        return self._standardised(4) - 3 + normal_kurtosis(convention)

    def _standardised(self, order: int) -> float:
        away = self.draws - self.draws.mean()
        with np.errstate(invalid="ignore"):
            return float(np.mean(away**order) / np.mean(away**2) ** (order / 2))

    def mode(self) -> float:
        """Return the point of highest density, as estimated from the draws."""
        x, y = self._density
        return float(x[np.argmax(y)])

    def pdf(self, x: ArrayLike) -> np.float64 | Floats:
        """Return the normal kernel density estimate at `x`, which flattens sharp peaks."""
        points, heights = self._density
        return np.interp(float_array(x, "x"), points, heights, left=0.0, right=0.0)[()]

    @cached_property
    def _density(self) -> tuple[Floats, Floats]:
        if self.draws[0] < self.draws[-1]:
            return kernel_density(self.draws)
        return self.draws[:1], np.array([np.inf])

    def logpdf(self, x: ArrayLike) -> np.float64 | Floats:
        """Return the logarithm of `pdf`."""
        return _log(self.pdf(x))

    def cdf(self, x: ArrayLike, y: ArrayLike | None = None) -> np.float64 | Floats:
        """Return the share of the draws that are at most `x`, or in (x, y] if `y` is given."""
        if y is None:
            return self._share(x, 0)
        lower, upper = broadcast_limits(x, y)
        return self._share(upper, 0) - self._share(lower, 0)

    def ccdf(self, x: ArrayLike, y: ArrayLike | None = None) -> np.float64 | Floats:
        """Return the share of the draws that are above `x`, or not in (x, y] if `y` is given."""
        if y is None:
            return self._share(x, 1)
        lower, upper = broadcast_limits(x, y)
        return self._share(lower, 0) + self._share(upper, 1)

    def _share(self, x: ArrayLike, side: int) -> np.float64 | Floats:
        """Return the share of the draws up to `x`, or above; NumPy sorts a NaN above them."""
        x = float_array(x, "x")
        below = np.searchsorted(self.draws, x, side="right")
        count = self.draws.size - below if side else below
        return np.where(np.isnan(x), np.nan, count / self.draws.size)[()]

    def logcdf(self, x: ArrayLike, y: ArrayLike | None = None) -> np.float64 | Floats:
        """Return the logarithm of `cdf`: -inf without draws, NaN where `y` is below `x`."""
        return _log(self.cdf(x, y))

    def logccdf(self, x: ArrayLike, y: ArrayLike | None = None) -> np.float64 | Floats:
        """Return the logarithm of `ccdf`, -inf without draws."""
        return _log(self.ccdf(x, y))

    def icdf(self, p: ArrayLike) -> np.float64 | Floats:
        """Return the quantile at `p` in [0, 1]; NaN where it is NaN."""
        p = probability_array(p, "p")
        quantile, known = np.full(p.shape, np.nan), ~np.isnan(p)
        quantile[known] = np.quantile(self.draws, p[known])
        return quantile[()]

    def iccdf(self, p: ArrayLike) -> np.float64 | Floats:
        """Return the value exceeded by a share `p` of the draws; NaN where it is NaN."""
        return self.icdf(1 - probability_array(p, "p"))

    def interval(self, level: float = 0.95) -> Interval:
        """Return the central interval, with equally many draws in both tails.

        Examples
        --------
        >>> from skpostbac.metrics import DrawnPosterior
        >>> DrawnPosterior(range(101)).interval(0.9)
        Interval(low=5.0, high=95.0)
        """
        return Interval(*np.quantile(self.draws, central_tails(level)).tolist())

    def hdi(self, level: float = 0.95) -> Interval:
        """Return the shortest interval that contains this share of the draws.

        Examples
        --------
        >>> from skpostbac.metrics import DrawnPosterior
        >>> DrawnPosterior([1, 1, 2, 2, 3, 4, 6, 9]).hdi(0.75)
        Interval(low=1.0, high=4.0)
        """
        held = int(np.ceil(check_level(level) * self.draws.size))
        low, high = self.draws[: self.draws.size - held + 1], self.draws[held - 1 :]
        best = int(np.argmin(high - low))
        return Interval(float(low[best]), float(high[best]))


@dataclass(frozen=True, eq=False, repr=False)
class DrawnPosterior(DrawnDistribution):
    """Posterior distribution of one number, estimated from independent random draws.

    Probabilities are shares of the draws: 0 or 1 beyond the most extreme draws, and NaN at NaN.
    Samples are taken from the draws with replacement.
    Points and probabilities are checked like those of exact distributions
    (:class:`skpostbac.stats.BoundedDistribution`).

    Parameters
    ----------
    draws : array-like of shape (n_draws,)
        Finite numbers, at least two.

    Attributes
    ----------
    draws : ndarray of shape (n_draws,)
        The draws, sorted and read-only.

    Raises
    ------
    ValueError
        If there are fewer than two draws, or if a draw is not finite.

    Examples
    --------
    >>> from skpostbac.metrics import DrawnPosterior
    >>> posterior = DrawnPosterior([4, 1, 3, 2])
    >>> posterior.mean(), posterior.monte_carlo_error()
    (2.5, 0.6455)
    >>> posterior.prob_above(3)
    0.25
    """

    draws: Floats

    def __post_init__(self) -> None:
        array = float_array(self.draws, "draws")
        if array.ndim != 1 or array.size < 2:
            raise ValueError(f"draws must be at least two numbers, got the shape {array.shape}")
        if (bad := ~np.isfinite(array)).any():
            raise ValueError(f"draws must be finite, got {first(array, bad)}")
        draws = np.sort(array)
        draws.flags.writeable = False
        object.__setattr__(self, "draws", draws)

    def mean(self) -> float:
        """Return the mean of the draws."""
        return float(self.draws.mean())

    def median(self) -> float:
        """Return the median of the draws."""
        return float(np.median(self.draws))

    def variance(self) -> float:
        """Return the variance of the draws, with n - 1 in the denominator."""
        return float(self.draws.var(ddof=1))

    def monte_carlo_error(self) -> float:
        """Return the Monte Carlo standard error of the mean, which decreases with more draws.

        Examples
        --------
        >>> import numpy as np
        >>> from skpostbac.metrics import DrawnPosterior
        >>> rng = np.random.default_rng(0)
        >>> DrawnPosterior(rng.beta(9, 3, size=1000)).monte_carlo_error()
        0.0038
        >>> DrawnPosterior(rng.beta(9, 3, size=100_000)).monte_carlo_error()
        0.00038
        """
        return self.standard_deviation() / float(np.sqrt(self.draws.size))

    def __neg__(self) -> DrawnPosterior:
        """Return the distribution of the negated number."""
        return DrawnPosterior(-self.draws)

    def support(self) -> Interval:
        """Return the smallest and the largest draw."""
        return Interval(float(self.draws[0]), float(self.draws[-1]))

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        return np.asarray(self.draws[rng.integers(self.draws.size, size=shape)])

    def credible_interval(
        self, level: float = 0.95, *, method: IntervalMethod = DEFAULT_INTERVAL
    ) -> Interval:
        """Return the hull of both intervals, `hdi` or `interval`, like the other posteriors."""
        return interval_of(self, level, method)

    def summary(self, level: float = 0.95) -> dict[str, float]:
        """Return summary statistics, under the same keys as other posteriors.

        Parameters
        ----------
        level : float, default=0.95
            Probability of the credible interval, in (0, 1).

        Returns
        -------
        figures : dict of str to float
            "mean", "median", "standard_deviation", "low" and "high", the ends of the credible
            interval, "level", and the Monte Carlo standard errors of the mean,
            "monte_carlo_error", and of both ends, "low_error" and "high_error" (see
            `credible_interval_error`).

        Examples
        --------
        >>> from skpostbac.metrics import DrawnPosterior
        >>> DrawnPosterior(range(101)).summary()["median"]
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
        >>> from skpostbac.metrics import DrawnPosterior
        >>> print(DrawnPosterior(range(101)).report())
        Posterior mean: 50.000 (95% credible interval 0.000 to 97.500).
        Estimated from 101 random draws; standard errors: mean 3, ends of the interval 5 and 2.
        """
        return paragraphs(f"Posterior mean: {describe(self, level)}.", describe_draws(self, level))

    def __str__(self) -> str:
        return self.report()

    def prob_above(self, value: ArrayLike) -> float | Floats:
        """Return the share of the draws above `value`; NaN where it is NaN."""
        return plain_float(self.ccdf(float_array(value, "value")))

    def prob_below(self, value: ArrayLike) -> float | Floats:
        """Return the share of the draws that are at most `value`; NaN where it is NaN."""
        return plain_float(self.cdf(float_array(value, "value")))

    def credible_interval_error(
        self, level: float = 0.95, *, method: IntervalMethod = DEFAULT_INTERVAL
    ) -> Interval:
        """Return the Monte Carlo standard errors of both ends of the credible interval.

        The ends of the shortest interval have errors that decrease as n^(-1/3) ([1]_), estimated
        from 20 subsets of the draws. The central interval has smaller errors. The number of draws
        below a quantile is binomial; the error is half the distance between the order statistics
        one standard deviation below and above ([2]_).

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
        .. [1] J. Kim and D. Pollard (1990). Cube root asymptotics. Annals of Statistics 18,
           191-219.
        .. [2] R. J. Serfling (1980). Approximation Theorems of Mathematical Statistics. Wiley.

        Examples
        --------
        >>> import numpy as np
        >>> from skpostbac.metrics import DrawnPosterior
        >>> posterior = DrawnPosterior(np.random.default_rng(0).beta(9, 3, size=10_000))
        >>> posterior.credible_interval(method="central")
        Interval(low=0.49, high=0.94)
        >>> posterior.credible_interval_error(method="central")
        Interval(low=0.0044, high=0.0014)
        """
        tails = central_tails(level)
        check_interval_method(method)
        step = np.sqrt(tails * (1 - tails) / self.draws.size)
        below, above = np.quantile(self.draws, np.clip([tails - step, tails + step], 0, 1))
        of_central = (above - below) / 2
        if method == "central":
            return Interval(*of_central.tolist())
        # The draws are sorted, so contiguous parts would not be representative.
        draws = np.random.default_rng(0).permutation(self.draws)
        parts = np.array_split(draws, min(_PARTS, draws.size // 2))
        ends = np.array([DrawnPosterior(part).hdi(level) for part in parts])
        of_hdi = ends.std(axis=0, ddof=1) if len(parts) > 1 else np.full(2, np.nan)
        of_hdi = of_hdi / np.cbrt(len(parts))
        if method == "hdi":
            return Interval(*of_hdi.tolist())
        # Each end of the hull has the error of the interval that it is the end of.
        is_shortest = np.subtract(self.hdi(level), self.interval(level)) * [-1, 1] > 0
        return Interval(*np.where(is_shortest, of_hdi, of_central).tolist())

    def __repr__(self) -> str:
        low, high = interval_of(self, 0.95)
        return (
            f"DrawnPosterior(mean={self.mean():.3f}, 95% CI=[{low:.3f}, {high:.3f}], "
            f"n_draws={self.draws.size})"
        )


def _log(values: np.float64 | Floats) -> np.float64 | Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log(values)


def errors_of(posterior: DrawnPosterior, level: float) -> dict[str, float]:
    """Return the standard errors of the mean and of the ends of the shortest interval, by key."""
    low, high = posterior.credible_interval_error(level)
    return {
        "monte_carlo_error": posterior.monte_carlo_error(),
        "low_error": low,
        "high_error": high,
    }


def describe_draws(posterior: DrawnPosterior, level: float) -> str:
    """Return a sentence with the number of draws, and the standard errors that can be seen."""
    mean, low, high = errors_of(posterior, level).values()
    ends = interval_of(posterior, level)
    sentence = f"Estimated from {posterior.draws.size:,} random draws"
    if not any(is_shown(error, ends.high - ends.low) for error in (mean, low, high)):
        return f"{sentence}."
    return (
        f"{sentence}; standard errors: mean {mean:.1g}, ends of the interval {low:.1g} and "
        f"{high:.1g}."
    )


def central_tails(level: float) -> Floats:
    """Return the probabilities below both ends of a central interval."""
    tail = (1 - check_level(level)) / 2
    return np.array([tail, 1 - tail])


def kernel_density(draws: Floats) -> tuple[Floats, Floats]:
    """Return increasing points and the densities there, of draws that are not all the same.

    Parameters
    ----------
    draws : array of shape (n,)
        Sorted, at least two.
    """
    # A slow import, done only when needed.
    from scipy.ndimage import gaussian_filter1d

    low, high = draws[0], draws[-1]
    # Silverman's rule: 1.06 times the smaller of two estimates of the spread over the root of n.
    lower, upper = np.quantile(draws, [0.25, 0.75])
    spread = min((upper - lower) / 1.34 or np.inf, draws.std(ddof=1))
    width = float(1.06 * spread * draws.size**-0.2)
    n_bins = int(np.clip(np.ceil(_BINS_PER_WIDTH * (high - low) / width), _LEAST_BINS, _MOST_BINS))
    # Bins are no narrower than the distance of neighbouring floats.
    n_bins = max(1, min(n_bins, int((high - low) / np.spacing(max(abs(low), abs(high))))))
    density, edges = np.histogram(draws, bins=n_bins, range=(low, high), density=True)
    scale = width / (edges[1] - edges[0])
    y = gaussian_filter1d(density, scale, radius=int(np.ceil(_REACH * scale)))
    # At the outermost draws a reflected density is flat.
    x = np.concatenate([[low], (edges[1:] + edges[:-1]) / 2, [high]])
    return x, np.concatenate([y[:1], y, y[-1:]])
