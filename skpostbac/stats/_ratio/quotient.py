"""The distribution of the quotient of two independent Beta variables.

Q = X / Y is the odds of W = X / (X + Y), a ratio of bilinear forms between 0 and 1 (`BetaRatio`).
Its logarithm is therefore what the table of W knows, the log-odds.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import (
    Floats,
    RngLike,
    check_generator,
    check_level,
    check_shape,
    float_array,
    probability_array,
    shown,
)
from skpostbac.stats._beta import BetaAverage
from skpostbac.stats._distribution import Distribution, Interval
from skpostbac.stats._ratio.ratio import BetaRatio

# Values of X / (X + Y) and of its denominator at the corners of the unit square.
_SHARE, _SUM = [[0, 0], [1, 1]], [[0, 1], [1, 2]]
# Number of lower tails on the initial grid of the search for the shortest interval.
_TAILS = 65
# Error of the lower tail of the shortest interval, relative to the probability outside it.
_TOLERANCE = 1e-9


class BetaQuotient(Distribution):
    r"""Distribution of the quotient X / Y of two independent Beta variables.

    Examples are the positive likelihood ratio (recall divided by false positive rate), the negative
    likelihood ratio, and the relative risk of two groups.

    Parameters
    ----------
    a, b : array_like of shape (2,)
        Parameters of X and Y, positive and finite.

    Raises
    ------
    ValueError
        If `a` or `b` has another shape or is not positive and finite.

    Notes
    -----
    Probabilities are computed from X / (X + Y), to about 1e-12 (:class:`BetaRatio`). With
    :math:`Y \sim \mathrm{Beta}(a, b)` the mean is :math:`E[X]\, (a + b - 1) / (a - 1)`, infinite
    if :math:`a \le 1`; the standard deviation is infinite if :math:`a \le 2`. See
    [1]_ for the density and the moments.

    References
    ----------
    .. [1] T. Pham-Gia (2000). Distributions of the ratios of independent beta variables and
       applications. Communications in Statistics - Theory and Methods 29, 2693-2715.

    Examples
    --------
    Likelihood ratio of a test that finds 188 of 209 cases and calls 25 of 191 others positive:

    >>> from skpostbac.stats import BetaQuotient
    >>> ratio = BetaQuotient([188.5, 25.5], [21.5, 166.5])
    >>> ratio
    BetaQuotient(median=6.823, 95% interval=[4.857, 10.14])
    >>> ratio.mean(), ratio.standard_deviation()
    (6.998, 1.358)
    """

    def __init__(self, a: ArrayLike, b: ArrayLike) -> None:
        self._a, self._b = _pair(a, "a"), _pair(b, "b")

    @property
    def a(self) -> Floats:
        """First parameters of X and Y, read-only, shape (2,)."""
        return self._a

    @property
    def b(self) -> Floats:
        """Second parameters of X and Y, read-only, shape (2,)."""
        return self._b

    def __repr__(self) -> str:
        """Show the median and the central 95 % interval: the mean may be infinite."""
        low, high = self.interval()
        return f"BetaQuotient(median={self.median():.4g}, 95% interval=[{low:.4g}, {high:.4g}])"

    def support(self) -> Interval:
        """Return the support, from 0 to infinity."""
        return Interval(0.0, np.inf)

    def mean(self) -> float:
        """Return the mean, in closed form; it may be infinite."""
        (a, c), (b, d) = self._a, self._b
        return float(a / (a + b) * (c + d - 1) / (c - 1)) if c > 1 else np.inf

    def variance(self) -> float:
        """Return the variance, in closed form; it may be infinite."""
        (a, c), (b, d) = self._a, self._b
        if c <= 2:
            return np.inf
        # Squared coefficients of variation of X and of 1 / Y.
        first, second = b / (a * (a + b + 1)), d / ((c + d - 1) * (c - 2))
        return float(self.mean() ** 2 * (first + second + first * second))

    def standard_deviation(self) -> float:
        """Return the standard deviation, in closed form; it may be infinite."""
        return float(np.sqrt(self.variance()))

    def median(self) -> float:
        """Return the median."""
        return float(self.icdf(0.5))

    def pdf(self, x: ArrayLike) -> np.float64 | Floats:
        """Return the probability density at `x`, zero below 0; NaN where `x` is NaN."""
        x = float_array(x, "x")
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            density = np.asarray(np.exp(self._logs_at(x)[2] - np.log(x)))
        density[(x < 0) | (x == np.inf)] = 0.0
        if (x == 0).any():
            density[x == 0] = self._share.pdf(0)  # where dx / dw = 1 / (1 - w)^2 is 1
        return density[()]

    def cdf(self, x: ArrayLike) -> np.float64 | Floats:
        """Return P(X / Y <= x); NaN where `x` is NaN."""
        return np.asarray(np.exp(self._logs_at(float_array(x, "x"))[0]))[()]

    def ccdf(self, x: ArrayLike) -> np.float64 | Floats:
        """Return P(X / Y > x), accurate where it is small; NaN where `x` is NaN."""
        return np.asarray(np.exp(self._logs_at(float_array(x, "x"))[1]))[()]

    def icdf(self, p: ArrayLike) -> np.float64 | Floats:
        """Return the quantile at `p` in [0, 1]; NaN where it is NaN."""
        p = probability_array(p, "p")
        with np.errstate(divide="ignore"):
            return self._quantile(np.log(p), np.log1p(-p))

    def iccdf(self, p: ArrayLike) -> np.float64 | Floats:
        """Return the x with P(X / Y > x) = p; NaN where `p` is NaN."""
        p = probability_array(p, "p")
        with np.errstate(divide="ignore"):
            return self._quantile(np.log1p(-p), np.log(p))

    def interval(self, level: float = 0.95) -> Interval:
        """Return the central interval, with equal probability in both tails."""
        tail = (1 - check_level(level)) / 2
        return Interval(float(self.icdf(tail)), float(self.iccdf(tail)))

    def hdi(self, level: float = 0.95) -> Interval:
        """Return the highest-density interval, the shortest one with this probability."""
        level = check_level(level)
        ends = self._share._table.shortest(level, _exponential_stretch)
        if ends is not None:
            with np.errstate(over="ignore"):
                return Interval(*map(float, np.exp(ends)))
        return self._searched_hdi(1 - level)

    def _searched_hdi(self, outside: float) -> Interval:
        """Find the shortest interval with a probability outside, whatever the density is like."""
        # A slow import that nothing else here needs.
        from scipy.optimize import minimize_scalar

        def width(tail: Floats) -> Floats:
            return np.asarray(self.iccdf(outside - tail) - self.icdf(tail))

        tails = outside * np.linspace(0, 1, _TAILS)
        best = int(np.argmin(width(tails)))
        found = minimize_scalar(
            lambda tail: float(width(np.asarray(tail))),
            bounds=(tails[max(best - 1, 0)], tails[min(best + 1, _TAILS - 1)]),
            method="bounded",
            options={"xatol": _TOLERANCE * outside},
        )
        tail = found.x if found.fun < width(tails[best]) else tails[best]
        return Interval(float(self.icdf(tail)), float(self.iccdf(outside - tail)))

    def sample(
        self,
        shape: int | tuple[int, ...] = (),
        *,
        rng: RngLike = None,
    ) -> np.float64 | Floats:
        """Draw independent random values of the given shape."""
        generator, size = check_generator(rng), check_shape(shape)
        (a, c), (b, d) = self._a, self._b
        with np.errstate(divide="ignore"):
            return np.asarray(generator.beta(a, b, size) / generator.beta(c, d, size))[()]

    @cached_property
    def _share(self) -> BetaRatio:
        return _share_of(*zip(self._a, self._b, strict=True))

    def _curve(self) -> Callable[[Floats], Floats]:
        """Return the density as a function, for plotting."""
        return lambda x: np.asarray(self.pdf(x))

    def _logs_at(self, x: Floats) -> Floats:
        """Return logs of both tails at x, and of the density of log(X / Y) at log x."""
        logs = np.full((3, *x.shape), np.nan)
        logs[:, x <= 0] = np.array([[-np.inf], [0.0], [-np.inf]])
        logs[:, x == np.inf] = np.array([[0.0], [-np.inf], [-np.inf]])
        inside = (x > 0) & (x < np.inf)
        if inside.any():
            logs[:, inside] = np.stack(self._share._logs_at(np.log(x[inside])))
        return logs

    def _quantile(self, log_p: Floats, log_q: Floats) -> np.float64 | Floats:
        """Quantile of exp(log_p) = 1 - exp(log_q)."""
        x = np.full(log_p.shape, np.nan)
        x[log_p == -np.inf], x[log_q == -np.inf] = 0.0, np.inf
        inner = (log_p > -np.inf) & (log_q > -np.inf)
        if inner.any():
            with np.errstate(over="ignore"):
                x[inner] = np.exp(self._share._quantiles(log_p[inner], log_q[inner]))
        return x[()]


def _exponential_stretch(u: Floats) -> tuple[Floats, Floats]:
    """Log of dx / du for x = exp(u), and its derivative."""
    return u, np.ones_like(u)


def _share_of(first: tuple[float, float], second: tuple[float, float]) -> BetaRatio:
    """Return the distribution of X / (X + Y)."""
    x, y = (BetaAverage([a], [b]) for a, b in (first, second))
    return BetaRatio(x, y, _SHARE, _SUM)


def _pair(values: ArrayLike, name: str) -> Floats:
    """Return a read-only copy of two parameters."""
    array = float_array(values, name).copy()
    if array.shape != (2,) or not (np.isfinite(array) & (array > 0)).all():
        raise ValueError(f"{name} must be two positive finite numbers, got {shown(values)}")
    array.flags.writeable = False
    return array
