"""The distribution of a ratio of two bilinear forms in independent averages of Betas.

The ratio R = N / D with support [low, high] has the odds

    (R - low) / (high - R) = E / F,    E = N - low D,    F = high D - N,

a ratio of two non-negative forms. The density of the log-odds (`density`) is tabulated
(`tabulated`); tails, moments and quantiles follow from the table. Where R equals its value at a
corner of the unit square, inside the support, the density may have a kink or a pole, of order the
sum of two exponents minus one. The panels of the table are refined towards such points.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from skpostbac._utils import Floats, float_array
from skpostbac.stats._beta import BetaAverage
from skpostbac.stats._distribution import Interval, LogitDensity
from skpostbac.stats._numerics import EPS
from skpostbac.stats._ratio.density import SMOOTH, LogRatio
from skpostbac.stats._ratio.sums import log_odds_of
from skpostbac.stats._ratio.tabulated import TabulatedRatio

# Range of values whose products do not over- or underflow.
_SMALLEST, _LARGEST = 1e-70, 1e70


class BetaRatio(TabulatedRatio):
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
    error of about 1e-14. They are tabulated once: probabilities are accurate to about 1e-12, and
    small tails to a relative error of about 1e-9, down to 1e-300. This takes some milliseconds for
    two Beta variables, however large their parameters are, and up to a second if they are tiny. The
    errors grow in proportion to the inverse of parameters below 1e-4: to 1e-11 and 1e-8 at 1e-6.
    The density of a sum of Betas with parameters below 2 at both ends has kinks and poles;
    resolving each of them may take minutes.

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
            log_odds_of(self._first),
            log_odds_of(self._second),
            np.where(above > rounding, above, 0.0),
            np.where(below > rounding, below, 0.0),
        )

    def _tabulated(self, depth: float) -> LogitDensity:
        return self._log_ratio.table(depth)

    def _kinks(self) -> list[float]:
        places, powers = self._log_ratio.kinks
        share = expit(places[powers < SMOOTH])
        return list(map(float, self._width * share - self._frame.mean_to_low))


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
