r"""Ratios of bilinear forms in two independent averages of Betas.

The density of the log of a ratio is an integral along a curve. Ratios are known by a
table of that density. Imports `_beta`, `_table` and what these import.

**The density of the log of a ratio of two bilinear forms.** Let theta and y be
independent on (0, 1), X and Z their odds, x and z their log-odds with the densities
g(x) and h(z), and let

    E(theta, y) = sum_ij E_ij theta^i (1 - theta)^(1 - i) y^j (1 - y)^(1 - j),

and F likewise: the forms have the values E_ij >= 0 and F_ij at the corners of the unit
square. The log ratio U = log(E / F) is at most u where

    Phi(u, x, z) = c_00 + c_01 Z + c_10 X + c_11 X Z <= 0,    c_ij = E_ij - e^u F_ij.

With theta replaced by 1 - theta, if need be, the zeros of Phi are an increasing curve,
on which c_01 c_10 < 0. Its parameter is p = x + z, which is any real number:

    z = p / 2 + k - s asinh(B),    x = p / 2 - k + s asinh(B),
    k = log|c_10 / c_01| / 2,    s = sign c_01,
    B = (c_00 e^(-p / 2) + c_11 e^(p / 2)) / (2 sqrt|c_01 c_10|),

the positive root of the quadratic equation for Z with X = e^p / Z. The density of U is

    f(u) = integral of g h |dx/du| dz,    |dx/du| dz = |Phi_u| / |Phi_x - Phi_z| dp,

with Phi_x - Phi_z = c_10 X - c_01 Z, whose terms have one sign, as those of -Phi_u
have:

    f(u) = integral of g(x) h(z) e^u (F_00 + F_01 Z + F_10 X + F_11 X Z) / (|c_10| X +
    |c_01| Z) dp.

All is positive, so that a density has its relative accuracy however small it is. The
integrand is analytic about the real axis, and nearly the exponential of a piecewise
linear function, with bends that are as narrow as a variable. Gauss-Legendre rules on
pieces that begin at the bends, and grow by a factor with the distance from them, thus
converge at one rate.

**Ratios.** The ratio R = N / D with support [low, high] has the
odds

    (R - low) / (high - R) = E / F,    E = N - low D,    F = high D - N,

a ratio of two non-negative forms. The density of the log-odds is tabulated; all answers
follow from the table. Where R equals its value at a corner of the unit square, inside
the support, the density may have a kink or a pole, of order the sum of two exponents
minus one. Panels of the table end there.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from skpostbac._utils import Floats, float_array
from skpostbac.stats._beta import BetaAverage
from skpostbac.stats._distribution import Interval
from skpostbac.stats._log_odds import LogOdds
from skpostbac.stats._numerics import EPS, Rows, log_sum
from skpostbac.stats._table import (
    PANEL_NODES,
    PANEL_WEIGHTS,
    Table,
    TabulatedDistribution,
)

# What is below exp(-_REACH) = 4.2e-18 of the largest value is left out.
_REACH = 40.0
# Growth of the pieces of an integral with the distance from a bend.
_GROWTH = 4.0
# Distance from a kink below which rounding shows.
_BESIDE = 1e-12
# A corner with at least this exponent is smooth.
_SMOOTH = 30.0
# Larger arrays than 100 kB are mapped anew each time.
_BLOCK = 128


@dataclass(frozen=True)
class _LogRatio:
    """The log of a ratio of bilinear forms: its variables, and values at the corners.

    Attributes
    ----------
    first, second : log-odds of both variables.
    numerator, denominator : values at the corners, not negative, shape (2, 2); the row
        is the value of the first variable.
    """

    first: LogOdds
    second: LogOdds
    numerator: Floats
    denominator: Floats

    @cached_property
    def kinks(self) -> tuple[Floats, Floats]:
        """Log ratios at corners amid the support, and the sums of exponents there."""
        powers = np.add.outer(self.first.powers, self.second.powers)
        inside = (self.numerator > 0) & (self.denominator > 0) & (powers < _SMOOTH)
        log_ratios = np.log(self.numerator[inside]) - np.log(self.denominator[inside])
        return log_ratios, powers[inside]

    def table(self) -> Table:
        """Tabulate the density."""
        variables = self.first, self.second
        x, z = (expit([-one.mode, one.mode]) for one in variables)
        middle = np.log(x @ self.numerator @ z) - np.log(x @ self.denominator @ z)
        # The log ratio moves by no more than a log-odds.
        scale = np.hypot(min(self.first.scale, 4.0), min(self.second.scale, 4.0))
        # Log-odds are far out if an exponent is small, and densities steep if a
        # variable is narrow.
        farthest = _REACH / min(min(one.powers) for one in variables)
        steepest = max(1 / one.scale for one in variables)
        kinks, powers = self.kinks
        poles = kinks[powers < 1]
        return Table.of(
            self.log_density,
            float(middle),
            float(scale),
            max(1e-12, 8 * EPS * max(steepest, farthest)),
            kinks=np.concatenate([kinks, poles - _BESIDE, poles + _BESIDE]),
            noise=max(one.noise for one in variables),
        )

    def log_density(self, u: Floats) -> Floats:
        """Return the log density of the log ratio, shape (n,), up to a constant.

        Within rounding of a kink of the order e the density is a constant. Where it has
        a pole there, about d^(e - 1) at a distance d, the constant has the mass of the
        pole, 1 / e times as much.
        """
        u = u.copy()
        log_density = np.zeros(u.shape)
        for place, power in zip(*self.kinks, strict=True):
            close = np.abs(u - place) < _BESIDE
            u[close] = place + np.copysign(_BESIDE, u[close] - place)
            log_density[close] -= np.log(min(power, 1.0))
        with np.errstate(divide="ignore", over="ignore", under="ignore"):
            for start in range(0, u.size, _BLOCK):
                rows = slice(start, start + _BLOCK)
                log_density[rows] += _Curves.of(self, u[rows]).log_integrals(self)
        return log_density


@dataclass(frozen=True)
class _Curves(Rows):
    """The curves on which the log ratio is u, for n values of u.

    All numbers are held as logs and signs, as those of a variable with a small exponent
    are far beyond the largest doubles.

    Attributes
    ----------
    flip : -1 where the first variable is taken as its complement, shape (n, 1).
    sign_c, log_c : signs and logs of the values of Phi at the corners, shape
        (n, 2, 2, 1).
    log_f : logs of e^u F at the corners, shape (n, 2, 2, 1).
    """

    flip: Floats
    sign_c: Floats
    log_c: Floats
    log_f: Floats

    @classmethod
    def of(cls, ratio: _LogRatio, u: Floats) -> "_Curves":
        """Return the curves of a ratio."""
        u = u[:, np.newaxis, np.newaxis]
        with np.errstate(divide="ignore", invalid="ignore"):
            log_e = np.log(ratio.numerator)
            log_f = np.log(ratio.denominator)
            # Beside a corner the distance from it tells the difference.
            away = u - (log_e - log_f)
            log_e = log_e - np.maximum(u, 0.0)
            log_f = log_f + np.minimum(u, 0.0)
            log_c = np.where(away < 0, log_e, log_f) + np.log(-np.expm1(-np.abs(away)))
        # Where both are zero there is no distance.
        is_none = np.isnan(away)
        sign_c = np.where(is_none, 0.0, -np.sign(away))
        log_c = np.where(is_none, -np.inf, log_c)

        # The curve rises if the corners on its two sides are those of one column.
        product = sign_c[:, 0] * sign_c[:, 1, ::-1]
        log_product = log_c[:, 0] + log_c[:, 1, ::-1]
        top = np.maximum(log_product.max(axis=1, keepdims=True), -1e300)
        same, across = (product * np.exp(log_product - top)).T
        is_falling = (across > same)[:, np.newaxis, np.newaxis]
        corners = (np.where(is_falling, x[:, ::-1], x) for x in (sign_c, log_c, log_f))
        flip = np.where(is_falling[..., 0], -1.0, 1.0)
        return cls(flip, *(x[..., np.newaxis] for x in corners))

    @property
    def log_scale(self) -> Floats:
        """Log of 2 sqrt|c_01 c_10|, shape (n, 1)."""
        return np.asarray(
            0.5 * (self.log_c[:, 0, 1] + self.log_c[:, 1, 0]) + np.log(2.0)
        )

    def log_integrand(self, ratio: _LogRatio, p: Floats) -> Floats:
        """Return the log of the integrand at places p, shape (n, m)."""
        half = 0.5 * p
        # The exponentials in B may overflow, and so all is divided by the largest of
        # them.
        low = self.log_c[:, 0, 0] - self.log_scale - half
        high = self.log_c[:, 1, 1] - self.log_scale + half
        top = np.maximum(np.maximum(low, high), 0.0)
        b = self.sign_c[:, 0, 0] * np.exp(low - top) + self.sign_c[:, 1, 1] * np.exp(
            high - top
        )
        root = np.sqrt(b**2 + np.exp(-2 * top))
        asinh = np.copysign(top + np.log(np.abs(b) + root), b)

        half_gap = 0.5 * (self.log_c[:, 1, 0] - self.log_c[:, 0, 1])
        to_second = half_gap - self.sign_c[:, 0, 1] * asinh
        x = half - to_second
        z = half + to_second
        log_odds = {(0, 0): 0 * p, (0, 1): z, (1, 0): x, (1, 1): p}
        terms = [
            self.log_f[:, i, j] + log_odds[i, j]
            for i, j in log_odds
            if np.isfinite(self.log_f[:, i, j]).any()
        ]
        # |c_10| X + |c_01| Z = 2 sqrt(|c_01 c_10|) e^(p / 2) sqrt(B^2 + 1).
        below = self.log_scale + half + top + np.log(root)
        densities = ratio.first.log_density(self.flip * x) + ratio.second.log_density(z)
        return np.asarray(densities + log_sum(np.stack(terms)) - below)

    def p_at(self, variable: int, x: float) -> Floats:
        """Return the p at which a variable, 0 or 1, has the log-odds x, shape (n, 1).

        These are x + log(-(c_00 + c_10 e^x) / (c_01 + c_11 e^x)) for the first
        variable, or not finite if it has no such log-odds on a curve.
        """
        c = self.sign_c * np.exp(self.log_c)
        places = x * self.flip
        if variable == 1:
            c = c.swapaxes(1, 2)
            places = np.full_like(places, x)
        forms = c[:, 0] + c[:, 1] * np.exp(places)[:, np.newaxis]
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(places + np.log(-forms[:, 0] / forms[:, 1]))

    def log_integrals(self, ratio: _LogRatio) -> Floats:
        """Return logs of the integrals along the curves, shape (n,), in pieces."""
        first = ratio.first
        second = ratio.second
        log_scale = self.log_scale
        # Curves bend where one of the terms of B is 1, or where both are equal and
        # larger.
        start = 2 * (self.log_c[:, 0, 0] - log_scale)
        end = 2 * (log_scale - self.log_c[:, 1, 1])
        middle = 0.5 * (start + end)
        bends = np.minimum(start, middle), np.maximum(end, middle)
        centres = [(bend, 2.0) for bend in bends]
        for i, variable in enumerate((first, second)):
            # A log density bends near its mode, or at the end at which an exponent is
            # small.
            a, b = variable.powers
            bend = variable.mode if min(a, b) > 1 else float(np.log1p(a) - np.log1p(b))
            centres.append((self.p_at(i, bend), 2.0 * min(variable.scale, 1.0)))

        reach = 2 * _REACH / min(*first.powers, *second.powers) + 1e3
        parts = []
        for centre, width in centres:
            count = int(np.ceil(np.log(reach / width) / np.log(_GROWTH)))
            steps = width * _GROWTH ** np.arange(count + 1)
            known = np.where(np.isfinite(centre), centre, 0.0)
            parts.append(known + np.concatenate([-steps[::-1], [0.0], steps]))
        edges = np.sort(np.concatenate(parts, axis=1), axis=1)

        values = self.log_integrand(ratio, edges)
        top = values.max(axis=1, keepdims=True)
        is_high = values > top - _REACH
        widths = np.diff(edges, axis=1)
        rows, pieces = np.nonzero((is_high[:, 1:] | is_high[:, :-1]) & (widths > 0))
        half = 0.5 * widths[rows, pieces, np.newaxis]
        p = edges[rows, pieces, np.newaxis] + half * (PANEL_NODES + 1)
        integrand = np.exp(self[rows].log_integrand(ratio, p) - top[rows])
        masses = half[:, 0] * (integrand @ PANEL_WEIGHTS)
        return np.asarray(top[:, 0] + np.log(np.bincount(rows, masses, len(edges))))


class BetaRatio(TabulatedDistribution):
    r"""Distribution of a ratio of two bilinear forms in two independent variables.

    Each variable is a Beta variable or a weighted sum of Beta variables, rescaled from
    its support to [0, 1]: :math:`\theta` and :math:`\eta`. The ratio is

    .. math:: R = \frac{N(\theta, \eta)}{D(\theta, \eta)}, \quad
        N(\theta, \eta) = \sum_{i, j} N_{ij} \theta^i (1 - \theta)^{1 - i}
        \eta^j (1 - \eta)^{1 - j},

    with D of the same form. Both are linear in each variable and given by their values
    at the four corners of the unit square. If the class shares are known, precision,
    F-measures, Jaccard's index and net benefit are such ratios of the recall and the
    false positive rate.

    Parameters
    ----------
    first, second : BetaAverage
        Independent variables.
    numerator, denominator : array_like of shape (2, 2)
        Values of the forms at the corners: first variable at its lower end (row 0) or
        upper end (row 1), second at its lower end (column 0) or upper end (column 1).
        The denominator must be non-negative, and zero only where the numerator is also
        zero.

    Raises
    ------
    TypeError
        If a variable is not a `BetaAverage`.
    ValueError
        If the forms have another shape or are not finite, or if their ratio is
        constant, unbounded or has a saddle (one value along two curves).

    Notes
    -----
    Densities are integrals of positive functions along a curve of equal ratio, with a
    relative error of about 1e-13. They are tabulated once: errors of probabilities are
    about 1e-12. This takes some hundredths of a second, and up to half a second for
    sums or if parameters are below 1. The errors grow in proportion to the inverse of
    parameters below 1e-4, to 1e-10 at 1e-6. The density of a sum of Betas with
    parameters below 2 at both ends has kinks and poles, which take long to resolve.
    Logarithms of tails below 1e-18 are extrapolations.

    Examples
    --------
    Precision at a prevalence of 1 in 100, from 21 of 24 positives found and 3 of 80
    negatives called positive:

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

    first: BetaAverage
    """The first variable."""
    second: BetaAverage
    """The second variable."""
    numerator: Floats
    """Values of the numerator at the corners, read-only, shape (2, 2)."""
    denominator: Floats
    """Values of the denominator at the corners, read-only, shape (2, 2)."""

    def __init__(
        self,
        first: BetaAverage,
        second: BetaAverage,
        numerator: ArrayLike,
        denominator: ArrayLike,
    ) -> None:
        for name, variable in {"first": first, "second": second}.items():
            if not isinstance(variable, BetaAverage):
                raise TypeError(
                    f"{name} must be a BetaAverage, got {type(variable).__name__}"
                )
        self.first, self.second = first, second
        self.numerator = _checked_form(numerator, "numerator")
        self.denominator = _checked_form(denominator, "denominator")
        n, d = self.numerator, self.denominator
        known = d > 0
        if (d < 0).any() or not known.any() or (n[~known] != 0).any():
            raise ValueError(
                "denominator must be positive, or zero where the numerator is also "
                "zero, got "
                f"the denominator {d.tolist()} and the numerator {n.tolist()}"
            )
        # The smallest and the largest ratio are attained at corners.
        ratios = np.unique(n[known] / d[known])
        self._ends = Interval(float(ratios[0]), float(ratios[-1]))
        if ratios.size == 1:
            raise ValueError(
                "the ratio of numerator and denominator must not be constant, got "
                f"{ratios[0]:g}"
            )
        # At a saddle the ratio is above a value at two opposite corners, and below at
        # the others.
        for t in (ratios[1:] + ratios[:-1]) / 2:
            (c00, c01), (c10, c11) = n - t * d
            if min(c01 * c10, c00 * c11) >= 0:
                raise ValueError(
                    "the ratio of numerator and denominator must not have a saddle"
                )

    @cached_property
    def _log_ratio(self) -> _LogRatio:
        """The log-odds of the ratio in its support."""
        low, high = self._ends
        n = self.numerator
        at_low = low * self.denominator
        at_high = high * self.denominator
        rounding = 4 * EPS * np.abs([n, at_low, at_high]).max(axis=0)
        above = n - at_low
        below = at_high - n
        return _LogRatio(
            LogOdds.of(self.first),
            LogOdds.of(self.second),
            np.where(above > rounding, above, 0.0),
            np.where(below > rounding, below, 0.0),
        )

    @cached_property
    def _table(self) -> Table:
        return self._log_ratio.table()


def _checked_form(values: ArrayLike, name: str) -> Floats:
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
            f"{name} must be zero or between 1e-70 and 1e70 in size, got "
            f"{array.tolist()}"
        )
    array.flags.writeable = False
    return array
