"""Ratios of bilinear forms in two averages of Betas, quotients of two Betas, multiples of odds.

The ratio R = N / D with support [low, high] has the odds

    (R - low) / (high - R) = E / F,    E = N - low D,    F = high D - N,

a ratio of two non-negative forms. The density of the log-odds (`density`) is tabulated; all answers
follow from the table. Where R equals its value at a corner of the unit square, inside the support,
the density may have a kink or a pole, of order the sum of two exponents minus one. The panels of
the table are refined towards such points.

The quotient Q = X / Y is the odds of X / (X + Y), a ratio of bilinear forms between 0 and 1. Its
logarithm is therefore what the table of that ratio knows, the log-odds.

The place of a sum of two variables in its support is such a ratio, with a constant denominator. A
few variables are added one by one, and sums of many are tabulated from their Fourier series.
"""

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq, minimize_scalar
from scipy.special import expit

from skpostbac._utils import (
    Floats,
    check_level,
    float_array,
    float_or_nan,
    probability_array,
    shown,
)
from skpostbac.stats._beta import BetaAverage
from skpostbac.stats._distribution import (
    Distribution,
    Interval,
    Table,
    TabulatedDistribution,
    broadcast_limits,
)
from skpostbac.stats._numerics import EPS
from skpostbac.stats._ratio.density import SMOOTH, LogOdds, LogRatio, tolerance_of

# Two variables are added, and up to so many where exponents next to an end have so small a sum, as
# a series is less accurate beside a corner. This is the error of the log density then.
_FEW, _SMALL, _ERROR = 6, 0.5, 1e-11
# Error of the density by a series, relative to the largest. Closer to an end than so many standard
# deviations the density is a power of the distance.
_NOISE, _NEAREST = 1e-12, 1e-7
# Probability beyond the outermost quantiles of a series, and a density that is none.
_OUTERMOST, _LEAST = 1e-10, 1e-20


class BetaRatio(TabulatedDistribution):
    r"""Distribution of a ratio of two bilinear forms in two independent variables.

    Each variable is a Beta variable or a weighted sum of Beta variables, rescaled from its support
    to [0, 1]: :math:`\theta` and :math:`\eta`. The ratio is

    .. math:: R = \frac{N(\theta, \eta)}{D(\theta, \eta)}, \quad
        N(\theta, \eta) = \sum_{i, j} N_{ij} \theta^i (1 - \theta)^{1 - i}
        \eta^j (1 - \eta)^{1 - j},

    with D of the same form. Both are linear in each variable and given by their values at the four
    corners of the unit square. If the class shares are known, precision, F-measures, Jaccard's
    index and net benefit are such ratios of the recall and the false positive rate.

    Parameters
    ----------
    first, second : BetaAverage
        Independent variables.
    numerator, denominator : array_like of shape (2, 2)
        Values of the forms at the corners: first variable at its lower end (row 0) or upper end
        (row 1), second at its lower end (column 0) or upper end (column 1). The denominator must be
        non-negative, and zero only where the numerator is also zero.

    Raises
    ------
    TypeError
        If a variable is not a `BetaAverage`.
    ValueError
        If the forms have another shape or are not finite, or if their ratio is constant, unbounded
        or has a saddle (one value along two curves).

    Notes
    -----
    Densities are integrals of positive functions along a curve of equal ratio, with a relative
    error of about 1e-14. They are tabulated once: errors of probabilities are about 1e-12. This
    takes some milliseconds for two Beta variables, however large their parameters are, and up to a
    second if they are tiny. The errors grow in proportion to the inverse of parameters below 1e-4,
    to 1e-10 at 1e-6. The density of a sum of Betas with parameters below 2 at both ends has kinks
    and poles, which take long to resolve. Logarithms of tails below 1e-18 are extrapolations.

    Examples
    --------
    Precision at a prevalence of 1 in 100, from 21 of 24 positives found and 3 of 80 negatives
    called positive:

    >>> from skpostbac.stats import BetaAverage, BetaRatio
    >>> recall, alarms = BetaAverage([21], [3]), BetaAverage([3], [77])
    >>> precision = BetaRatio(
    ...     recall, alarms, [[0, 0], [0.01, 0.01]], [[0, 0.99], [0.01, 1]]
    ... )
    >>> precision
    BetaRatio(mean=0.234, sd=0.114)
    >>> precision.interval(0.95)
    Interval(low=0.0894, high=0.5290)
    """

    def __init__(
        self,
        first: BetaAverage,
        second: BetaAverage,
        numerator: ArrayLike,
        denominator: ArrayLike,
    ) -> None:
        for name, variable in {"first": first, "second": second}.items():
            if not isinstance(variable, BetaAverage):
                raise TypeError(f"{name} must be a BetaAverage, got {type(variable).__name__}")
        self._first, self._second = first, second
        self._numerator = _corners(numerator, "numerator")
        self._denominator = _corners(denominator, "denominator")
        n, d = self._numerator, self._denominator
        known = d > 0
        if (d < 0).any() or not known.any() or (n[~known] != 0).any():
            raise ValueError(
                "denominator must be positive, or zero where the numerator is also zero, got "
                f"the denominator {d.tolist()} and the numerator {n.tolist()}"
            )
        # The smallest and the largest ratio are attained at corners.
        ratios = np.unique(n[known] / d[known])
        self._support = Interval(float(ratios[0]), float(ratios[-1]))
        if ratios.size == 1:
            raise ValueError(
                f"the ratio of numerator and denominator must not be constant, got {ratios[0]:g}"
            )
        # At a saddle the ratio is above a value at two opposite corners, and below at the others.
        for t in (ratios[1:] + ratios[:-1]) / 2:
            (c00, c01), (c10, c11) = n - t * d
            if min(c01 * c10, c00 * c11) >= 0:
                raise ValueError("the ratio of numerator and denominator must not have a saddle")

    @property
    def first(self) -> BetaAverage:
        """The first variable."""
        return self._first

    @property
    def second(self) -> BetaAverage:
        """The second variable."""
        return self._second

    @property
    def numerator(self) -> Floats:
        """Values of the numerator at the corners, read-only, shape (2, 2)."""
        return self._numerator

    @property
    def denominator(self) -> Floats:
        """Values of the denominator at the corners, read-only, shape (2, 2)."""
        return self._denominator

    @property
    def _ends(self) -> Interval:
        return self._support

    @cached_property
    def _log_ratio(self) -> LogRatio:
        """The log-odds of the ratio in its support."""
        n, (low, high) = self._numerator, self._support
        at_low, at_high = low * self._denominator, high * self._denominator
        rounding = 4 * EPS * np.abs([n, at_low, at_high]).max(axis=0)
        above, below = n - at_low, at_high - n
        return LogRatio(
            _log_odds_of(self._first),
            _log_odds_of(self._second),
            np.where(above > rounding, above, 0.0),
            np.where(below > rounding, below, 0.0),
        )

    @cached_property
    def _table(self) -> Table:
        return self._log_ratio.table()

    @property
    def _places(self) -> Floats:
        places, powers = self._log_ratio.kinks
        return np.asarray(places[powers < SMOOTH])


def _log_odds_of(distribution: BetaAverage) -> LogOdds:
    """Return the log-odds of a sum of Betas, whose support is taken for (0, 1)."""
    kept = distribution.weights != 0
    a, b, weights = distribution.a[kept], distribution.b[kept], distribution.weights[kept]
    # Seen from the lower end of the support.
    pairs = np.where(weights > 0, [a, b], [b, a]).T.tolist()
    powers = np.sum(pairs, axis=0)
    if len(pairs) > (2 if powers.min() > _SMALL else _FEW):
        return _tabulated(distribution, *powers.tolist())
    order, sizes = np.argsort(np.abs(weights)).tolist(), np.abs(weights).tolist()
    total, width = LogOdds.of_beta(*pairs[order[0]]), sizes[order[0]]
    for i in order[1:]:
        size, further = sizes[i], LogOdds.of_beta(*pairs[i])
        numerator = np.array([[0.0, size], [width, width + size]])
        ratio = LogRatio(total, further, numerator, numerator[::-1, ::-1].copy())
        near, far = np.add(total.powers, further.powers).tolist()
        total = LogOdds(ratio.table().log_density, *ratio.middle_and_scale, (near, far), _ERROR)
        width += size
    return total


def _tabulated(distribution: BetaAverage, near: float, far: float) -> LogOdds:
    """Return the log-odds of a sum by its series, with the exponents of its density at the ends.

    Beyond its outermost quantiles the density is exponential and has their probability.
    """
    frame, located = distribution._frame, distribution._located
    width, sd = frame.mean_to_low + frame.mean_to_high, distribution.standard_deviation()
    tails = np.array([[_OUTERMOST, 1 - _OUTERMOST]])
    low, high = located.quantiles(tails, tails[:, ::-1])[0]
    nearest = np.log(_NEAREST * sd / width)
    place, rest = frame.mean_to_low / width, frame.mean_to_high / width
    start, scale = float(np.log(place / rest)), min(sd / (width * place * rest), 4.0)
    with np.errstate(divide="ignore"):
        lowest = max(np.log((low - frame.low) / (frame.high - low)), nearest)
        highest = min(np.log((high - frame.low) / (frame.high - high)), -nearest)

    def inside(z: Floats) -> Floats:
        to_low, to_high = width * expit(z), width * expit(-z)
        is_low = to_low < to_high
        y = np.where(is_low, to_low - frame.mean_to_low, frame.mean_to_high - to_high)
        values = distribution._centred.tails(*(x[np.newaxis] for x in (y, to_low, to_high)))
        return np.asarray(np.log(np.maximum(values[2, 0] * to_low * to_high / width, _LEAST)))

    ends = np.array([lowest, highest])
    slopes = np.where(np.abs(ends) < -nearest, np.exp(inside(ends)) / _OUTERMOST, [near, far])

    def log_density(z: Floats) -> Floats:
        beyond = np.minimum([z - lowest, highest - z], 0.0)
        return np.asarray(inside(np.clip(z, lowest, highest)) + slopes @ beyond)

    edges = np.linspace(lowest, highest, int(np.ceil((highest - lowest) / (1.5 * scale))) + 1)
    table = Table.of(log_density, edges, 0.1 * _ERROR, noise=0.1 * _NOISE)
    return LogOdds(table.log_density, start, scale, (near, far), _ERROR, _NOISE)


def _corners(values: ArrayLike, name: str) -> Floats:
    """Return a read-only copy of the values of a form at the corners."""
    array = float_array(values, name)
    if array.shape != (2, 2):
        raise ValueError(f"{name} must have the shape (2, 2), got {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite, got {array.tolist()}")
    sizes = np.abs(array[array != 0])
    # Products do not over- or underflow.
    if sizes.size and not 1e-70 <= sizes.min() <= sizes.max() <= 1e70:
        raise ValueError(
            f"{name} must be zero or between 1e-70 and 1e70 in size, got {array.tolist()}"
        )
    array.flags.writeable = False
    return array


class LibbyNovickBeta(TabulatedDistribution):
    r"""Distribution of a variable whose odds are a multiple of those of a Beta variable.

    With :math:`\theta \sim \mathrm{Beta}(a, b)` and a factor c it is the distribution of

    .. math:: R = \frac{c \theta}{1 - \theta + c \theta}, \qquad
        \frac{R}{1 - R} = c \, \frac{\theta}{1 - \theta},

    the generalised Beta distribution of [1]_. The F1 measure is such a variable if the class shares
    are sampled: it is :math:`2 J / (1 + J)`, of the Jaccard index J, which is a Beta variable.

    Parameters
    ----------
    a, b : float
        Parameters of the Beta variable, between 1e-6 and 1e15.
    factor : float
        The factor c, between 1e-4 and 1e4.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    The density of the log-odds is in closed form and tabulated once. Probabilities and moments are
    integrals of it, with an absolute error of about 1e-12.

    References
    ----------
    .. [1] D. L. Libby and M. R. Novick (1982). Multivariate generalized beta distributions with
       applications to utility assessment. Journal of Educational Statistics 7, 271-294.

    Examples
    --------
    F1 with 21 true positives, 3 false negatives and 5 false positives, flat prior of the cells:

    >>> from skpostbac.stats import LibbyNovickBeta
    >>> f1 = LibbyNovickBeta(22, 10, factor=2)
    >>> f1
    LibbyNovickBeta(mean=0.8121, sd=0.05794)
    >>> f1.interval(0.95)
    Interval(low=0.6839, high=0.9090)
    """

    def __init__(self, a: float, b: float, factor: float) -> None:
        self._a, self._b = _between(a, "a", 1e-6, 1e15), _between(b, "b", 1e-6, 1e15)
        self._factor = _between(factor, "factor", 1e-4, 1e4)

    @property
    def a(self) -> float:
        """First parameter of the Beta variable."""
        return self._a

    @property
    def b(self) -> float:
        """Second parameter of the Beta variable."""
        return self._b

    @property
    def factor(self) -> float:
        """Ratio of the odds to those of the Beta variable."""
        return self._factor

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        share = rng.beta(self._a, self._b, shape)
        # Not 0 / 0 where a share is 1.
        return np.asarray(share / (share + (1 - share) / self._factor))

    @cached_property
    def _table(self) -> Table:
        variable, shift = LogOdds.of_beta(self._a, self._b), np.log(self._factor)
        steps = np.array([-12.0, -8.0, -5.0, -2.5, 0.0, 2.5, 5.0, 8.0, 12.0])
        edges = variable.mode + shift + variable.scale * steps
        tolerance = tolerance_of(variable)
        return Table.of(lambda u: variable.log_density(u - shift), edges, tolerance)


def _between(value: float, name: str, low: float, high: float) -> float:
    """Return a number in a range."""
    if not low <= (number := float_or_nan(value)) <= high:
        raise ValueError(f"{name} must be between {low:g} and {high:g}, got {shown(value)}")
    return number


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

    def pdf(self, x: ArrayLike) -> np.float64 | Floats:
        """Return the probability density at `x`, zero below 0; NaN where `x` is NaN."""
        return np.asarray(self._asked(x)[2])[()]

    def mode(self) -> float:
        """Return the point of highest density, 0 if it is unbounded there."""
        x = np.append(0.0, self.icdf(np.linspace(1e-3, 1 - 1e-3, 201)))
        best = int(np.argmax(self._asked(x)[2, :-1]))
        if best == 0:
            return 0.0
        bounds = float(x[best - 1]), float(x[best + 1])
        found = minimize_scalar(lambda at: -float(self.pdf(at)), bounds=bounds, method="bounded")
        return float(found.x)

    def cdf(self, x: ArrayLike, y: ArrayLike | None = None) -> np.float64 | Floats:
        """Return P(X / Y <= x), or P(x < X / Y <= y) when `y` is given; NaN at NaN."""
        if y is None:
            return np.asarray(self._asked(x)[0])[()]
        lower, upper = map(self._asked, broadcast_limits(x, y))
        # The difference of the smaller tails loses fewer digits.
        is_above = lower[0] > upper[1]
        return np.asarray(np.where(is_above, lower[1] - upper[1], upper[0] - lower[0]))[()]

    def ccdf(self, x: ArrayLike, y: ArrayLike | None = None) -> np.float64 | Floats:
        """Return P(X / Y > x), accurate where it is small, or 1 - ``cdf(x, y)``; NaN at NaN."""
        if y is None:
            return np.asarray(self._asked(x)[1])[()]
        lower, upper = broadcast_limits(x, y)
        return np.asarray(self._asked(lower)[0] + self._asked(upper)[1])[()]

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
        outside = 1 - check_level(level)

        def log_ends(log_odds: Floats) -> Floats:
            """Return logs of both ends, (2, n), by the log-odds of the share outside below."""
            p, q = outside * expit(log_odds), outside * expit(-log_odds)
            found = self._table.quantiles(np.append(p, 1 - q), np.append(1 - p, q))
            return found.reshape(2, -1)

        def excess(log_odds: float) -> float:
            """Log density at the lower end less that at the upper one."""
            log_x = log_ends(np.array([log_odds]))[:, 0]
            at_low, at_high = self._table.log_density(log_x) - log_x
            return float(at_low - at_high)

        # The shortest of some intervals, and the one near it with equal densities at both ends
        tried = np.sinh(np.linspace(-7.2, 4.4, 80))
        low, high = log_ends(tried)
        best = int(np.argmin(high + np.log1p(-np.exp(low - high))))
        first, last = tried[max(best - 1, 0)], tried[min(best + 1, tried.size - 1)]
        if excess(first) < 0 < excess(last):
            low, high = log_ends(np.array([brentq(excess, first, last, xtol=1e-9)]))
            best = 0
        elif best == 0:
            # The density falls from zero on.
            low, high = np.array(
                [[-np.inf], self._table.quantiles(*np.array([[level], [outside]]))]
            )
        with np.errstate(over="ignore"):
            return Interval(float(np.exp(low[best])), float(np.exp(high[best])))

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        (a, c), (b, d) = self._a, self._b
        with np.errstate(divide="ignore"):
            return np.asarray(rng.beta(a, b, shape) / rng.beta(c, d, shape))

    @cached_property
    def _table(self) -> Table:
        """Log of the quotient."""
        x, y = (BetaAverage([a], [b]) for a, b in zip(self._a, self._b, strict=True))
        # X / (X + Y) at the corners of the unit square
        return BetaRatio(x, y, [[0, 0], [1, 1]], [[0, 1], [1, 2]])._table


def _pair(values: ArrayLike, name: str) -> Floats:
    """Return a read-only copy of two parameters."""
    array = float_array(values, name).copy()
    if array.shape != (2,) or not (np.isfinite(array) & (array > 0)).all():
        raise ValueError(f"{name} must be two positive finite numbers, got {shown(values)}")
    array.flags.writeable = False
    return array
