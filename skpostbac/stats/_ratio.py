r"""Ratios of bilinear forms in two independent averages of Betas.

The density of the log of a ratio is an integral along a curve. Ratios are known by a table of that
density. Imports `_beta`, `_table` and what these import.

**The density of the log of a ratio of two bilinear forms.** Let theta and y be independent on (0,
1), X and Z their odds, x and z their log-odds with the densities g(x) and h(z), and let

    E(theta, y) = sum_ij E_ij theta^i (1 - theta)^(1 - i) y^j (1 - y)^(1 - j),    E_ij >= 0,

and F likewise: the forms have the values E_ij and F_ij at the corners of the unit square. The log
ratio U = log(E / F) is at most u where

    Phi(u, x, z) = c_00 + c_01 Z + c_10 X + c_11 X Z <= 0,    c_ij = E_ij - e^u F_ij.

With theta replaced by 1 - theta, if need be, the zeros of Phi are an increasing curve, on which
c_01 c_10 < 0. Its parameter is p = x + z, which is any real number:

    z = p / 2 + k - s asinh(B),    x = p / 2 - k + s asinh(B),
    k = log|c_10 / c_01| / 2,    s = sign c_01,
    B = (c_00 e^(-p / 2) + c_11 e^(p / 2)) / (2 sqrt|c_01 c_10|),

the positive root of the quadratic equation for Z with X = e^p / Z. The density of U is

    f(u) = integral of g h |dx/du| dz,    |dx/du| dz = |Phi_u| / |Phi_x - Phi_z| dp,

with Phi_x - Phi_z = c_10 X - c_01 Z, whose terms have one sign, as those of -Phi_u have:

    f(u) = integral of g(x) h(z) e^u (F_00 + F_01 Z + F_10 X + F_11 X Z) / (|c_10| X + |c_01| Z) dp.

All is positive, so that a density has its relative accuracy however small it is. The integrand is
analytic in a strip about the real axis and falls exponentially in both directions, though slowly
in one of them where a class has no errors: with p = c + s sinh(v) about a peak, the ends are a few
units of v away. The trapezoid rule then converges geometrically (Trefethen and Weideman, SIAM
Review 56, 2014), and halving its step at least squares the error: a step is halved until that moves
the logarithm by less than 3e-10.

Where an exponent is small, the integrand is nearly the exponential of a piecewise linear function,
of a length that is the inverse of the exponent, with bends as narrow as the other variable. Pieces
then begin at the bends and grow by a factor with the distance from them.

**Ratios.** The ratio R = N / D with support [low, high] has the
odds

    (R - low) / (high - R) = E / F,    E = N - low D,    F = high D - N,

a ratio of two non-negative forms. The density of the log-odds is tabulated; all answers
follow from the table. Where R equals its value at a corner of the unit square, inside the support,
the density may have a kink or a pole, of order the sum of two exponents minus one. The panels of
the table are refined towards such points.

The place of a sum of two variables in its support is such a ratio, with a constant denominator. A
few variables are added one by one, and sums of many are tabulated from their Fourier series.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from skpostbac._utils import (
    Bools,
    Floats,
    Indices,
    float_array,
)
from skpostbac.stats._beta import BetaAverage
from skpostbac.stats._distribution import Interval
from skpostbac.stats._numerics import EPS, integrate, log_binomial, stirling_remainder
from skpostbac.stats._table import LAST, Table, TabulatedDistribution

# What is below exp(-REACH) = 4.2e-18 of the largest value is left out, and below exp(-DEPTH) of the
# density.
_REACH, _DEPTH = 40.0, 44.0
# Distance from a kink below which rounding shows.
_BESIDE = 1e-12
# A corner with less than this exponent is a kink.
SMOOTH = 30.0
# Places at which the density is outlined, in scales from the middle.
_OUTLINE = np.array([0.5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 18, 24, 36, 64, 128, 330])
_OUTLINE = np.concatenate([-_OUTLINE[::-1], [0.0], _OUTLINE])


@dataclass(frozen=True)
class LogOdds:
    """The log-odds of a variable: their log density, their mode and about how far they reach.

    Attributes
    ----------
    log_density : function of log-odds, an array of any shape.
    mode, scale : where most of the probability is, and about the standard deviation.
    powers : exponents a, b with which the density of the variable behaves as x^(a - 1) at 0 and as
        (1 - x)^(b - 1) at 1.
    error : of the log density, where it is tabulated.
    noise : error of the density, relative to its largest value, if that is more.
    """

    log_density: Callable[[Floats], Floats]
    mode: float
    scale: float
    powers: tuple[float, float]
    error: float = 0.0
    noise: float = 0.0

    @classmethod
    def of_beta(cls, a: float, b: float) -> "LogOdds":
        """Return the log-odds of a Beta variable."""
        n, mode = a + b, float(np.log(a) - np.log(b))
        log_peak = float(
            0.5 * (np.log(a) + np.log(b / n) - np.log(2 * np.pi))
            - stirling_remainder(np.array([a, b, n])) @ np.array([1.0, 1.0, -1.0])
        )
        scale = float(np.sqrt(1 / a + 1 / b))
        return cls(lambda z: log_peak + log_binomial(z, a, b), mode, scale, (a, b))


def _rounding(*variables: LogOdds) -> float:
    """About the error of a log density by rounding.

    It shows in proportion to the steepness of a density, and so to the inverse of its width. A
    log-odds that is far out, as of a variable with a small exponent, has an error in proportion,
    which counts where the other variable is narrow.
    """
    root = max(1.0, 1 / min(one.scale for one in variables))
    reach = _REACH / min(min(one.powers) for one in variables)
    narrow = root * float(np.clip(0.02 * root, 1.0, max(reach, 1.0)))
    return 8 * EPS * max(narrow, reach)


@dataclass(frozen=True)
class LogRatio:
    """The log of a ratio of bilinear forms: its variables and the values at the four corners.

    Attributes
    ----------
    first, second : log-odds of both variables.
    numerator, denominator : values at the corners, not negative, shape (2, 2); the row is the
        value of the first variable.
    """

    first: LogOdds
    second: LogOdds
    numerator: Floats
    denominator: Floats

    @property
    def kinks(self) -> tuple[Floats, Floats]:
        """Log ratios at corners amid the support, and the sums of exponents there."""
        powers = np.add.outer(self.first.powers, self.second.powers)
        inside = (self.numerator > 0) & (self.denominator > 0)
        e, f = self.numerator[inside], self.denominator[inside]
        return np.log(e) - np.log(f), powers[inside]

    @cached_property
    def middle_and_scale(self) -> tuple[float, float]:
        """Return the log ratio at the modes, and about its standard deviation."""
        x, z = self.first.mode, self.second.mode
        step_x, step_z = (min(one.scale, 4.0) for one in (self.first, self.second))
        at_x = expit(np.array([[-x, x], [-x - step_x, x + step_x], [-x, x]]))
        at_z = expit(np.array([[-z, z], [-z, z], [-z - step_z, z + step_z]]))
        forms = [((at_x @ form) * at_z).sum(axis=1) for form in (self.numerator, self.denominator)]
        middle, *moved = np.log(forms[0]) - np.log(forms[1])
        return float(middle), float(np.hypot(*(moved - middle)))

    def table(self) -> Table:
        """Tabulate the density."""
        # Panels that are seldom too wide: the outline is the largest integrand at places where a
        # variable is some scales off.
        start, scale = self.middle_and_scale
        u = start + scale * _OUTLINE
        curves = _Curves(self, u[:, np.newaxis])
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            # Far out there may be no place at which a variable is near its mode.
            p = curves.p_near_modes(_OUTLINE)
            height = np.fmax.reduce(curves.log_integrand(p), axis=1, initial=-np.inf)
        kept = np.flatnonzero(height > height.max() - _DEPTH)
        kept = np.arange(max(kept[0] - 1, 0), min(kept[-1] + 2, u.size))
        u, height = u[kept], np.maximum(height[kept], height.max() - _DEPTH)
        # The width of a panel in the middle, how it grows with the distance, and a fall of the log
        # density that one resolves
        steps = np.diff(u) / (1.8 * scale + 0.5 * np.abs(0.5 * (u[1:] + u[:-1]) - start))
        steps += np.abs(np.diff(height)) / 18.0
        number = np.append(0.0, np.cumsum(steps))
        edges = np.interp(np.linspace(0, number[-1], int(np.ceil(number[-1])) + 1), number, u)
        width = edges[-1] - edges[0]
        for place, power in zip(*self.kinks, strict=True):
            if power < SMOOTH:
                # Panels beside a kink are narrower by a factor of 4 each, until about 1e-13 of the
                # probability is left.
                left = max(width * 1e-13 ** (1 / power), _BESIDE)
                count = int(np.ceil(np.log(width / left) / np.log(4.0)))
                steps = np.geomspace(width, left, count + 1)
                edges = np.concatenate([edges, place - steps, [place], place + steps])
        last = np.inf if self._reaches_far else LAST
        variables = self.first, self.second
        tolerance = max(1e-12, _rounding(*variables), *(one.error for one in variables))
        noise = max(self.first.noise, self.second.noise)
        return Table.of(self.log_density, np.unique(edges), tolerance, noise=noise, last=last)

    @property
    def _reaches_far(self) -> bool:
        """Whether a variable has an exponent so small that it varies on many scales."""
        return min(*self.first.powers, *self.second.powers) < 0.05

    def log_density(self, u: Floats) -> Floats:
        """Return the log density of the log ratio, shape (n,).

        Within rounding of a kink of the order e the density is a constant. Where it has a pole
        there, about d^(e - 1) at a distance d, the constant has the mass of the pole, 1 / e times
        as much.
        """
        order, log_density = np.argsort(u), np.zeros(u.shape)
        u = u[order]
        for place, power in zip(*self.kinks, strict=True):
            close = np.abs(u - place) < _BESIDE
            u[close] = place + np.copysign(_BESIDE, u[close] - place)
            log_density[order[close]] -= np.log(min(power, 1.0))
        with np.errstate(divide="ignore", over="ignore", under="ignore"):
            windows = None if self._reaches_far else _windows(self, u)
            # Larger arrays than 100 kB are mapped anew each time.
            for start in range(0, u.size, 128):
                rows = slice(start, start + 128)
                curves = _Curves(self, u[rows, np.newaxis])
                log_density[order[rows]] += (
                    _integrate_pieces(curves)
                    if windows is None
                    else _trapezoid(curves, windows[:, rows])
                )
        return log_density


class _Curves:
    """The curves on which the log ratio is u, for many u; arrays have the shape (n, 1).

    All numbers are held as logs and signs, as those of a variable with a small exponent are far
    beyond the largest doubles.

    Attributes
    ----------
    flip : -1 where the first variable is taken as its complement.
    sign_c, log_c : signs and logs of the values of Phi at the corners, shape (2, 2, n, 1).
    log_f : logs of e^u F at the corners, shape (2, 2, n, 1).
    """

    def __init__(self, ratio: LogRatio, u: Floats) -> None:
        self.ratio = ratio
        with np.errstate(divide="ignore", invalid="ignore"):
            forms = np.array([ratio.numerator, ratio.denominator])
            log_e, log_f = np.log(forms)[..., np.newaxis, np.newaxis]
            # Beside a corner the distance from it tells the difference.
            away = u - (log_e - log_f)
            log_e, log_f = log_e - np.maximum(u, 0.0), log_f + np.minimum(u, 0.0)
            log_c = np.where(away < 0, log_e, log_f) + np.log(-np.expm1(-np.abs(away)))
        # Where both are zero there is no distance.
        is_none = np.isnan(away)
        sign_c = np.where(is_none, 0.0, -np.sign(away))
        log_c = np.where(is_none, -np.inf, log_c)
        product, log_product = sign_c[0] * sign_c[1, ::-1], log_c[0] + log_c[1, ::-1]
        # Those below count as zero.
        top = np.maximum(log_product.max(axis=0), -1e300)
        same, across = product * np.exp(log_product - top)
        is_falling = across > same
        self.flip = np.where(is_falling, -1.0, 1.0)
        self.sign_c, self.log_c, self.log_f = (
            np.where(is_falling, x[::-1], x) for x in (sign_c, log_c, log_f)
        )

    def __getitem__(self, rows: Bools | Indices) -> "_Curves":
        new = object.__new__(_Curves)
        new.ratio, new.flip = self.ratio, self.flip[rows]
        new.sign_c, new.log_c, new.log_f = (
            x[:, :, rows] for x in (self.sign_c, self.log_c, self.log_f)
        )
        return new

    @cached_property
    def _constants(
        self,
    ) -> tuple[Floats, Floats, list[tuple[Floats, Floats, float]], list[tuple[int, int]]]:
        """Log of 2 sqrt|c_01 c_10|, k, terms of B, and corners where the denominator is not zero.

        Terms are signs and logs without their exponentials, and the signs of the exponents.
        """
        log_scale = 0.5 * (self.log_c[0, 1] + self.log_c[1, 0]) + np.log(2.0)
        terms = [
            (self.sign_c[i, i], self.log_c[i, i] - log_scale, side)
            for i, side in enumerate((-1.0, 1.0))
            if self.sign_c[i, i].any()
        ]
        places = [(i, j) for i, j in np.ndindex(2, 2) if (self.log_f[i, j] > -np.inf).any()]
        return log_scale, 0.5 * (self.log_c[1, 0] - self.log_c[0, 1]), terms, places

    def log_integrand(self, p: Floats) -> Floats:
        """Log of the integrand at places p, shape (n, m)."""
        log_scale, half_gap, terms, places = self._constants
        half = 0.5 * p
        # asinh B and log sqrt(B^2 + 1): the exponentials in B may overflow, and so all is divided
        # by the largest of them.
        below, to_second = half + log_scale, half_gap
        if terms:
            logs = [log + side * half for _, log, side in terms]
            top = np.maximum(logs[0], 0.0)
            np.maximum(top, logs[-1], out=top)
            b = terms[0][0] * np.exp(logs[0] - top)
            if len(terms) > 1:
                b += terms[1][0] * np.exp(logs[1] - top)
            one = np.exp(-top)
            root = np.sqrt(b * b + one * one)
            below += top + np.log(root)
            to_second = half_gap - self.sign_c[0, 1] * np.copysign(
                top + np.log(np.abs(b) + root), b
            )
        x, z = half - to_second, half + to_second
        odds = {(0, 0): 0.0, (0, 1): z, (1, 0): x, (1, 1): p}
        above = [self.log_f[at] + odds[at] for at in places]
        highest = above[0]
        for term in above[1:]:
            highest = np.maximum(highest, term)
        if len(above) > 1:
            total = np.exp(above[0] - highest)
            for term in above[1:]:
                total += np.exp(term - highest)
            highest += np.log(total)
        # |c_10| X + |c_01| Z = 2 sqrt(|c_01 c_10|) e^(p / 2) sqrt(B^2 + 1).
        found = self.ratio.first.log_density(self.flip * x)
        found += self.ratio.second.log_density(z)
        found += highest
        found -= below
        return found

    def p_at(self, variable: int, x: Floats) -> Floats:
        """Places p at which a variable, 0 or 1, has the log-odds x, shape (m,); NaN for none.

        These are x + log(-(c_00 + c_10 e^x) / (c_01 + c_11 e^x)) for the first variable.
        """
        sign_c, log_c = self.sign_c, self.log_c
        if variable == 0:
            x = self.flip * x
        else:
            sign_c, log_c = sign_c.swapaxes(0, 1), log_c.swapaxes(0, 1)
        logs = log_c[0], log_c[1] + x
        top = np.maximum(logs[0], logs[1])
        with np.errstate(invalid="ignore", divide="ignore"):
            totals = sign_c[0] * np.exp(logs[0] - top) + sign_c[1] * np.exp(logs[1] - top)
            found = top + np.log(np.abs(totals))
            is_positive = totals[0] * totals[1] < 0
            p = x + np.where(is_positive, found[0] - found[1], np.nan)
        return np.asarray(np.where(np.isfinite(p), p, np.nan))

    def p_near_modes(self, scales: Floats) -> Floats:
        """Places p at which either variable is so many scales from its mode, shape (n, 2 m)."""
        pair = enumerate((self.ratio.first, self.ratio.second))
        return np.concatenate([self.p_at(i, z.mode + z.scale * scales) for i, z in pair], axis=1)


def _windows(ratio: LogRatio, u: Floats) -> Floats:
    """Windows of the integrands at rising u: low, high, centre and scale, shape (4, n, 1).

    The integrand counts between low and high. Nodes are even in v with p = centre + scale sinh(v):
    even in p across the peak, and in the logs of their distances from it further out, where an
    integrand may fall slowly. The scale is how far it falls on the steeper side.

    The windows of one u in eight are looked for. Between two curves an integrand is within the
    windows of both.
    """
    known = np.unique(np.append(np.arange(0, u.size, 8), u.size - 1))
    curves = _Curves(ratio, u[known, np.newaxis])
    # Places where one of the variables is near its mode, in scales, and further out.
    scales, further = 2.0 ** np.arange(-1, 10, 2), 2.0 ** np.arange(0, 14)
    p = curves.p_near_modes(np.concatenate([-scales[::-1], [0.0], scales]))
    is_seen = np.isfinite(p)
    first, last = (
        np.where(is_seen.any(axis=1), f(np.where(is_seen, p, -sign * np.inf), axis=1), 0.0)
        for f, sign in ((np.min, -1), (np.max, 1))
    )
    first, last = first[:, np.newaxis], last[:, np.newaxis]
    p = np.concatenate([first - further, np.where(is_seen, p, first), last + further], axis=1)
    p, rows = np.sort(p, axis=1), np.arange(len(p))
    found = np.array([-np.inf, np.inf, 0.0, np.inf])[:, np.newaxis, np.newaxis]
    # Windows are looked at again until a look no longer narrows them by a share.
    for _ in range(40):
        values = curves.log_integrand(p)
        place = values.argmax(axis=1)
        top, centre = values[rows, place, np.newaxis], p[rows, place, np.newaxis]
        left, right = _around(p, values > top - 4.0)
        to_left, to_right = centre - left, right - centre
        nearer = np.where(to_left * to_right > 0, np.minimum(to_left, to_right), right - left)
        low, high = _around(p, values > top - _REACH)
        before, found = found, np.stack([low, high, centre, np.minimum(nearer, 2.5)])
        is_narrow = (high - low) < 0.6 * (before[1] - before[0])
        if not (is_narrow | (found[3] < 0.6 * before[3])).any():
            break
        ends = np.arcsinh((found[:2] - centre) / found[3])
        p = centre + found[3] * np.sinh(ends[0] + (ends[1] - ends[0]) * np.linspace(0, 1, 17))
    below = np.minimum(np.arange(u.size) // 8, max(known.size - 2, 0))
    above = np.minimum(below + 1, known.size - 1)
    windows = np.stack([np.interp(u, u[known], one[:, 0]) for one in found])[..., np.newaxis]
    windows[0] = np.minimum(found[0, below], found[0, above])
    windows[1] = np.maximum(found[1, below], found[1, above])
    return windows


def _around(p: Floats, counts: Bools) -> tuple[Floats, Floats]:
    """Return the last places before and after all those that count, shape (n, 1)."""
    first = np.maximum(counts.argmax(axis=1) - 1, 0)
    last = np.minimum(p.shape[1] - counts[:, ::-1].argmax(axis=1), p.shape[1] - 1)
    rows = np.arange(len(p))
    return p[rows, first][:, np.newaxis], p[rows, last][:, np.newaxis]


def _trapezoid(curves: _Curves, windows: Floats) -> Floats:
    """Log of the integral, by a trapezoid rule whose step is halved until it has converged."""
    low, high, centre, scale = windows
    low, high = (np.arcsinh((end - centre) / scale) for end in (low, high))
    count = int(np.ceil((high - low).mean() / 0.18))
    step, is_open = (high - low) / count, np.arange(len(low))

    def log_sum(shares: Floats) -> Floats:
        v = low + step * shares
        values = curves.log_integrand(centre + scale * np.sinh(v))
        top = values.max(axis=1, keepdims=True)
        values -= top
        totals = np.einsum("ij,ij->i", np.exp(values, out=values), np.cosh(v))
        return np.asarray(top[:, 0] + np.log(totals))

    ratio, unit = curves.ratio, np.log(curves.ratio.middle_and_scale[1])
    noise = max(ratio.first.noise, ratio.second.noise)
    # A change of the log that leaves an error of its square; of rounding no halving rids.
    settled = max(3e-10, 16 * _rounding(ratio.first, ratio.second))
    result, sums = np.empty(len(low)), log_sum(np.arange(count + 1.0))
    for _ in range(9 if noise == 0 else 3):
        more = log_sum(np.arange(0.5, count))
        # The sum of the second half alone is another rule of the first step.
        change = np.abs(more - sums)
        step, count, sums = 0.5 * step, 2 * count, np.logaddexp(sums, more)
        result[is_open] = sums + np.log((step * scale)[:, 0])
        depth = np.clip(-unit - result[is_open], 0.0, _DEPTH)
        rest = ~(change < 2 * np.maximum(noise * np.exp(depth), settled))
        if not rest.any():
            break
        curves, is_open, sums = curves[rest], is_open[rest], sums[rest]
        low, step, centre, scale = low[rest], step[rest], centre[rest], scale[rest]
    return result


def _integrate_pieces(curves: _Curves) -> Floats:
    """Log of the integral along each curve, shape (n,), in pieces about all bends."""
    first, second = curves.ratio.first, curves.ratio.second
    log_scale = curves._constants[0]
    # Curves bend where the terms of B are 1, and between these places.
    bends = [2 * (curves.log_c[0, 0] - log_scale), 2 * (log_scale - curves.log_c[1, 1])]
    centres = [(bend, 1.0) for bend in (*bends, 0.5 * (bends[0] + bends[1]))]
    for i, variable in enumerate((first, second)):
        # A log density bends near its mode, or at the end at which an exponent is small.
        a, b = variable.powers
        bend = variable.mode if min(a, b) > 1 else float(np.log1p(a) - np.log1p(b))
        centres.append((curves.p_at(i, np.array([bend])), min(variable.scale, 1.0)))
    reach, parts = 2 * _REACH / min(*first.powers, *second.powers) + 1e3, []
    for centre, width in centres:
        # Pieces grow by a factor of 4 with the distance from a bend.
        count = int(np.ceil(np.log(reach / width) / np.log(4.0)))
        steps = width * 4.0 ** np.arange(count + 1)
        known = np.where(np.isfinite(centre), centre, 0.0)
        parts.append(known + np.concatenate([-steps[::-1], [0.0], steps]))
    edges = np.sort(np.concatenate(parts, axis=1), axis=1)
    values = curves.log_integrand(edges)
    top = values.max(axis=1, keepdims=True)
    low, high = _around(edges, values > top - _REACH)

    def integrands(index: Indices, p: Floats) -> Floats:
        return np.asarray(np.exp(curves[index].log_integrand(p.T) - top[index]).T)

    return np.asarray(top[:, 0] + np.log(integrate(integrands, np.clip(edges, low, high))))


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

    first: BetaAverage
    """The first variable."""
    second: BetaAverage
    """The second variable."""
    numerator: Floats
    """Values of the numerator at the corners, read-only, shape (2, 2)."""
    denominator: Floats
    """Values of the denominator at the corners, read-only, shape (2, 2)."""

    def __init__(
        self, first: BetaAverage, second: BetaAverage, numerator: ArrayLike, denominator: ArrayLike
    ) -> None:
        for name, variable in {"first": first, "second": second}.items():
            if not isinstance(variable, BetaAverage):
                raise TypeError(f"{name} must be a BetaAverage, got {type(variable).__name__}")
        self.first, self.second = first, second
        self.numerator = _checked_form(numerator, "numerator")
        self.denominator = _checked_form(denominator, "denominator")
        n, d = self.numerator, self.denominator
        known = d > 0
        if (d < 0).any() or not known.any() or (n[~known] != 0).any():
            raise ValueError(
                "denominator must be positive, or zero where the numerator is also zero, got "
                f"the denominator {d.tolist()} and the numerator {n.tolist()}"
            )
        # The smallest and the largest ratio are attained at corners.
        ratios = np.unique(n[known] / d[known])
        self._ends = Interval(float(ratios[0]), float(ratios[-1]))
        if ratios.size == 1:
            raise ValueError(
                f"the ratio of numerator and denominator must not be constant, got {ratios[0]:g}"
            )
        # At a saddle the ratio is above a value at two opposite corners, and below at the others.
        for t in (ratios[1:] + ratios[:-1]) / 2:
            (c00, c01), (c10, c11) = n - t * d
            if min(c01 * c10, c00 * c11) >= 0:
                raise ValueError("the ratio of numerator and denominator must not have a saddle")

    @cached_property
    def _log_ratio(self) -> LogRatio:
        """The log-odds of the ratio in its support."""
        n, (low, high) = self.numerator, self._ends
        at_low, at_high = low * self.denominator, high * self.denominator
        rounding = 4 * EPS * np.abs([n, at_low, at_high]).max(axis=0)
        above, below = n - at_low, at_high - n
        return LogRatio(
            _log_odds_of(self.first),
            _log_odds_of(self.second),
            np.where(above > rounding, above, 0.0),
            np.where(below > rounding, below, 0.0),
        )

    @cached_property
    def _table(self) -> Table:
        return self._log_ratio.table()

    @property
    def _critical_log_odds(self) -> Floats:
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
            f"{name} must be zero or between 1e-70 and 1e70 in size, got {array.tolist()}"
        )
    array.flags.writeable = False
    return array
