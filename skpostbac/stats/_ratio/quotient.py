"""The distribution of the quotient of two independent Beta variables.

Q = X / Y is the odds of W = X / (X + Y), a ratio of bilinear forms between 0 and 1. Its logarithm
is therefore what the table of W knows, the log-odds.
"""

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

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
from skpostbac.stats._distribution import CentredTable, Distribution, Interval, Table
from skpostbac.stats._ratio.ratio import BetaRatio
from skpostbac.stats._series import shortest_intervals

# Values of X / (X + Y) and of its denominator at the corners of the unit square.
_SHARE, _SUM = [[0, 0], [1, 1]], [[0, 1], [1, 2]]
# What is above does not count in the shortest interval, as a share of the probability outside it,
# or at a quotient of exp(300) medians.
_NOTHING, _FARTHEST = 1e-4, 300.0
# The shortest interval up to a quotient exp(30) times that of the peak leaves nothing below.
_HEAVY = 30.0
# Error of the power with which the density begins.
_FLAT = 1e-6


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
        return np.asarray(self._asked(x)[2])[()]

    def cdf(self, x: ArrayLike) -> np.float64 | Floats:
        """Return P(X / Y <= x); NaN where `x` is NaN."""
        return np.asarray(self._asked(x)[0])[()]

    def ccdf(self, x: ArrayLike) -> np.float64 | Floats:
        """Return P(X / Y > x), accurate where it is small; NaN where `x` is NaN."""
        return np.asarray(self._asked(x)[1])[()]

    def _asked(self, x: ArrayLike) -> Floats:
        """Return both tails and the density at points."""
        x = float_array(x, "x")
        values = np.full((3, *x.shape), np.nan)
        values[:, x <= 0] = np.array([[0.0], [1.0], [0.0]])
        values[:, x == np.inf] = np.array([[1.0], [0.0], [0.0]])
        values[2, x == 0] = self._table.end_densities[0]  # where dx / dw = 1 / (1 - w)^2 is 1
        is_inside = (x > 0) & (x < np.inf)
        log_x = np.log(x[is_inside])
        below, above, log_density = self._table.values(log_x)[:3]
        with np.errstate(over="ignore", under="ignore"):
            values[:, is_inside] = below, above, np.exp(log_density - log_x)
        return values

    def icdf(self, p: ArrayLike) -> np.float64 | Floats:
        """Return the quantile at `p` in [0, 1]; NaN where it is NaN."""
        p = probability_array(p, "p")
        return self._quantiles(p, 1 - p)[()]

    def iccdf(self, p: ArrayLike) -> np.float64 | Floats:
        """Return the x with P(X / Y > x) = p; NaN where `p` is NaN."""
        p = probability_array(p, "p")
        return self._quantiles(1 - p, p)[()]

    def _quantiles(self, p: Floats, q: Floats) -> Floats:
        is_inside = p * q > 0
        x = np.where(np.isnan(p), np.nan, np.where(p > 0, np.inf, 0.0))
        with np.errstate(over="ignore", under="ignore"):
            x[is_inside] = np.exp(self._table.quantiles(p[is_inside], q[is_inside]))
        return x

    def interval(self, level: float = 0.95) -> Interval:
        """Return the central interval, with equal probability in both tails."""
        tail = (1 - check_level(level)) / 2
        low, high = self._quantiles(np.array([tail, 1 - tail]), np.array([1 - tail, tail]))
        return Interval(float(low), float(high))

    def hdi(self, level: float = 0.95) -> Interval:
        """Return the highest-density interval, the shortest one with this probability."""
        outside = _NOTHING * (1 - check_level(level))
        p = np.array([0.16, 0.5, 0.84, 1 - outside])
        q = np.array([0.84, 0.5, 0.16, outside])
        log_x = self._table.quantiles(p, q)
        heavy = float(self._table.quantiles(np.array([level]), np.array([1 - level]))[0])
        points, turn = self._table.points, np.ones_like(self._table.points)
        has_one_peak = self._table.has_one_peak(turn)
        top = float(points[np.argmax(self._table.logs.ravel() - points)])
        if has_one_peak and heavy - top > _HEAVY:
            return self._heavy_hdi(top, heavy)
        # In units of the median, and less one of them.
        down, _, up, high = np.expm1(np.minimum(log_x - log_x[1], _FARTHEST))
        at_zero = np.exp(min(log_x[1], _FARTHEST)) * self._table.end_densities[0]
        centred = _CentredQuotient(
            *(self._table, float(log_x[1]), -1.0, float(high), float(0.5 * (up - down))),
            ends=(float(at_zero), 0.0),
            is_log_concave=has_one_peak,
        )
        ends = 1 + shortest_intervals(centred, level)[:, 0]
        with np.errstate(divide="ignore", over="ignore"):
            return Interval(*np.exp(np.log(ends) + log_x[1]).tolist())

    def _heavy_hdi(self, top: float, log_high: float) -> Interval:
        """Return the shortest interval about a peak up to so far out that nothing is below it.

        Where the density rises, what is below is no more than the lower end times the density, that
        is, the ratio of the ends.
        """
        table, low = self._table, 0.0
        fall = float(table.outer[1][0])
        if fall > 1 + _FLAT:

            def excess(log_x: float) -> float:
                found = table.log_density(np.array([log_x, log_high])) - [log_x, log_high]
                return float(found[0] - found[1])

            log_low = float(table.edges[0])
            # Beyond the table the log density is a straight line.
            before = excess(log_low) / (fall - 1)
            log_low = log_low - before if before > 0 else brentq(excess, log_low, top)
            low = float(np.exp(log_low))
        with np.errstate(over="ignore"):
            return Interval(low, float(np.exp(log_high)))

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
    def _table(self) -> Table:
        """Log of the quotient."""
        x, y = (BetaAverage([a], [b]) for a, b in zip(self._a, self._b, strict=True))
        return BetaRatio(x, y, _SHARE, _SUM)._table


class _CentredQuotient(CentredTable):
    """The quotient in units of its median, less one."""

    def log_odds(self, y: Floats) -> Floats:
        return np.asarray(np.log1p(y) + self.centre)

    def stretch(self, u: Floats) -> tuple[Floats, Floats, Floats]:
        return u - self.centre, np.ones_like(u), np.zeros_like(u)


def _pair(values: ArrayLike, name: str) -> Floats:
    """Return a read-only copy of two parameters."""
    array = float_array(values, name).copy()
    if array.shape != (2,) or not (np.isfinite(array) & (array > 0)).all():
        raise ValueError(f"{name} must be two positive finite numbers, got {shown(values)}")
    array.flags.writeable = False
    return array
