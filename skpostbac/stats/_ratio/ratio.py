"""Ratios of bilinear forms in two independent averages of Betas, and multiples of the odds of one.

The ratio R = N / D with support [low, high] has the odds

    (R - low) / (high - R) = E / F,    E = N - low D,    F = high D - N,

a ratio of two non-negative forms. The density of the log-odds (`density`) is tabulated; all answers
follow from the table. Where R equals its value at a corner of the unit square, inside the support,
the density may have a kink or a pole, of order the sum of two exponents minus one. The panels of
the table are refined towards such points.

The place of a sum of two variables in its support is such a ratio, with a constant denominator. A
few variables are added one by one, and sums of many are tabulated from their Fourier series.
"""

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from skpostbac._utils import Floats, float_array, float_or_nan, shown
from skpostbac.stats._beta import BetaAverage
from skpostbac.stats._distribution import Interval, Table, TabulatedDistribution
from skpostbac.stats._numerics import EPS
from skpostbac.stats._ratio.density import SMOOTH, LogOdds, LogRatio, tolerance_of

# Range of values whose products do not over- or underflow.
_SMALLEST, _LARGEST = 1e-70, 1e70
# Two variables are added, and up to so many where exponents next to an end have so small a sum, as
# a series is less accurate beside a corner. This is the error of the log density then.
_FEW, _SMALL, _ERROR = 6, 0.5, 1e-11
# Error of the density by a series, relative to the largest. Closer to an end than so many standard
# deviations the density is a power of the distance.
_NOISE, _NEAREST = 1e-12, 1e-7
# Probability beyond the outermost quantiles of a series, and a density that is none.
_OUTERMOST, _LEAST = 1e-10, 1e-20
# Edges of the first panels, in standard deviations from the middle, up to the widest of these.
_EDGES, _WIDEST = np.array([-12.0, -8.0, -5.0, -2.5, 0.0, 2.5, 5.0, 8.0, 12.0]), 4.0
# Range of the parameters of a multiple of odds, that of `BetaAverage`, and of factors.
_PARAMETERS, _FACTORS = (1e-6, 1e15), (1e-4, 1e4)


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
        self._support = _support_of(self._numerator, self._denominator)
        _check_saddle(self._numerator, self._denominator)

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
    start, scale = float(np.log(place / rest)), min(sd / (width * place * rest), _WIDEST)
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
    if sizes.size and not _SMALLEST <= sizes.min() <= sizes.max() <= _LARGEST:
        raise ValueError(
            f"{name} must be zero or between {_SMALLEST:g} and {_LARGEST:g} in size, got "
            f"{array.tolist()}"
        )
    array.flags.writeable = False
    return array


def _support_of(numerator: Floats, denominator: Floats) -> Interval:
    """Return the smallest and the largest ratio, which are attained at corners."""
    known = denominator > 0
    if (denominator < 0).any() or not known.any() or (numerator[~known] != 0).any():
        raise ValueError(
            "denominator must be positive, or zero where the numerator is also zero, got "
            f"the denominator {denominator.tolist()} and the numerator {numerator.tolist()}"
        )
    ratios = numerator[known] / denominator[known]
    low, high = float(ratios.min()), float(ratios.max())
    if not high > low:
        raise ValueError(
            f"the ratio of numerator and denominator must not be constant, got {low:g}"
        )
    return Interval(low, high)


def _check_saddle(numerator: Floats, denominator: Floats) -> None:
    """Raise if the ratio may have one value along two curves.

    The ratio is then above that value at two opposite corners and below it at the other two.
    """
    known = denominator > 0
    ratios = np.unique(numerator[known] / denominator[known])
    for t in (ratios[1:] + ratios[:-1]) / 2:
        (c00, c01), (c10, c11) = numerator - t * denominator
        if min(c01 * c10, c00 * c11) >= 0:
            raise ValueError("the ratio of numerator and denominator must not have a saddle")


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
        self._a = _between(a, "a", *_PARAMETERS)
        self._b = _between(b, "b", *_PARAMETERS)
        self._factor = _between(factor, "factor", *_FACTORS)

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
        edges = variable.mode + shift + variable.scale * _EDGES
        tolerance = tolerance_of(variable)
        return Table.of(lambda u: variable.log_density(u - shift), edges, tolerance)


def _between(value: float, name: str, low: float, high: float) -> float:
    """Return a number in a range."""
    if not low <= (number := float_or_nan(value)) <= high:
        raise ValueError(f"{name} must be between {low:g} and {high:g}, got {shown(value)}")
    return number
