r"""The density of the log of a ratio of two bilinear forms of independent variables.

Let theta and y be independent on (0, 1), X and Z their odds, x and z their log-odds with the
densities g(x) and h(z), and let

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
the logarithm by less than 1e-8.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from skpostbac._utils import Bools, Floats, Indices
from skpostbac.stats._distribution import DEPTH, LogitDensity
from skpostbac.stats._numerics import EPS, REACH
from skpostbac.stats._ratio.variables import LogOdds

# Distance from a kink below which rounding shows.
_BESIDE = 1e-12
# Error of the log density in a table, also where it is small, and that of rounding: it shows in
# proportion to the steepness of a density, and so to the inverse of its width.
_TOLERANCE, _FAR_TOLERANCE, _ROUNDING = 1e-12, 1e-10, 8 * EPS
# Share of that inverse by which rounding grows at most where a variable reaches far.
_OF_REACH = 0.02
# Edges of the first panels, in standard deviations from the middle.
EDGES = np.array([-12.0, -8.0, -5.0, -2.5, 0.0, 2.5, 5.0, 8.0, 12.0])
# A corner with less than this exponent is a kink. Panels beside it are narrower by a factor each,
# in logs, until about this share of the probability is left.
SMOOTH, _GRADE, _LEFT = 30.0, 1.4, 1e-13
# Places of a variable at which a peak is looked for, in scales from its mode, and further out.
_STEPS = np.concatenate([-(2.0 ** np.arange(9, -2, -2)), [0.0], 2.0 ** np.arange(-1, 10, 2)])
_OUTER = 2.0 ** np.arange(0, 14)
# The peak is where the integrand is above exp(-_PEAK) of its largest value.
_PEAK = 2.0
# Places at which both are looked for again, until the next look narrows by less than a share.
_LOOK, _NARROW, _LOOKS = 17, 0.6, 40
# Integrands of one in so many rows are looked at.
_STRIDE = 6
# Steps of the trapezoid rule at first, and how often they are halved.
_FIRST, _HALVINGS = 24, 9
# A change that leaves an error of its square, and one by rounding, of which no halving rids.
_SETTLED, _NOISE = 1e-8, 16.0


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

    def log_density(self, u: Floats) -> Floats:
        """Return the log density of the log ratio, shape (n,).

        Within rounding of a kink of the order e it is a constant. Where it has a pole there, about
        d^(e - 1) at a distance d, the constant has the mass of the pole, 1 / e times as much.
        """
        u, log_share = u.copy(), np.zeros(u.shape)
        for place, power in zip(*self.kinks, strict=True):
            close = np.abs(u - place) < _BESIDE
            u[close] = place + np.copysign(_BESIDE, u[close] - place)
            log_share[close] -= np.log(min(power, 1.0))
        return log_share + self._log_density(u)

    def _log_density(self, u: Floats) -> Floats:
        order = np.argsort(u)
        curve = _Curve.of(self, u[order, np.newaxis])
        log_density = np.empty(u.size)
        with np.errstate(divide="ignore", over="ignore", under="ignore"):
            log_density[order] = _trapezoid(curve, _windows(curve))
        return log_density

    def middle_and_scale(self) -> tuple[float, float]:
        """Return the log ratio at the modes, and about its standard deviation."""
        places = [(self.first.mode, self.first.scale), (self.second.mode, self.second.scale)]
        (x, step_x), (z, step_z) = places
        middle = self._at(x, z)
        moved = [self._at(x + step_x, z), self._at(x, z + step_z)]
        return middle, float(np.hypot(moved[0] - middle, moved[1] - middle))

    @property
    def kinks(self) -> tuple[Floats, Floats]:
        """Log ratios at corners amid the support, and the sums of exponents there."""
        powers = np.add.outer(self.first.powers, self.second.powers)
        inside = (self.numerator > 0) & (self.denominator > 0)
        e, f = self.numerator[inside], self.denominator[inside]
        return np.log(e) - np.log(f), powers[inside]

    def table(self, depth: float = DEPTH) -> LogitDensity:
        """Tabulate the density, until it is below exp(-depth) of its largest value."""
        start, scale = self.middle_and_scale()
        tolerance, far = tolerances(self.first, self.second)
        return LogitDensity.between(
            self.log_density,
            _graded(start + scale * EDGES, *self.kinks),
            tolerance,
            depth=depth,
            far=far,
        )

    def _at(self, x: float, z: float) -> float:
        theta, y = (np.array([expit(-place), expit(place)]) for place in (x, z))
        return float(np.log(theta @ self.numerator @ y) - np.log(theta @ self.denominator @ y))


def tolerances(*variables: LogOdds) -> tuple[float, float]:
    """Return errors of a log density in a table: where most of the mass is, and elsewhere."""
    tolerance = max(_TOLERANCE, _rounding(*variables), *(one.error for one in variables))
    return tolerance, max(_FAR_TOLERANCE, tolerance)


def _rounding(*variables: LogOdds) -> float:
    """About the error of a log density by rounding.

    It grows as the density narrows. A log-odds that is far out, as of a variable with a small
    exponent, has an error in proportion, which counts where the other variable is narrow.
    """
    root = max(1.0, 1 / min(one.scale for one in variables))
    reach = REACH / min(min(one.powers) for one in variables)
    return _ROUNDING * root * float(np.clip(_OF_REACH * root, 1.0, max(reach, 1.0)))


@dataclass(frozen=True)
class _Curve:
    """The curves on which the log ratio is u, for many u; arrays have the shape (n, 1)."""

    ratio: LogRatio
    sign: Floats
    """-1 where the first variable is taken as its complement."""
    c: Floats
    """Values of Phi at the corners, shape (2, 2, n, 1)."""
    log_f: Floats
    """Logs of e^u F at the corners, shape (2, 2, n, 1)."""
    log_c: Floats
    """Logs of the sizes of c, shape (2, 2, n, 1)."""

    @classmethod
    def of(cls, ratio: LogRatio, u: Floats) -> _Curve:
        grow, shrink = np.exp(np.minimum(u, 0.0)), np.exp(-np.maximum(u, 0.0))
        e = ratio.numerator[:, :, np.newaxis, np.newaxis] * shrink
        f = ratio.denominator[:, :, np.newaxis, np.newaxis] * grow
        with np.errstate(divide="ignore", invalid="ignore"):
            corner = np.log(ratio.numerator) - np.log(ratio.denominator)
        # Beside a corner the distance from it tells the difference.
        away = u - np.where(np.isfinite(corner), corner, 0.0)[:, :, np.newaxis, np.newaxis]
        c = np.where(away < 0, -e * np.expm1(-np.abs(away)), f * np.expm1(-np.abs(away)))
        c = np.where(np.isfinite(corner)[:, :, np.newaxis, np.newaxis], c, e - f)
        falling = c[0, 1] * c[1, 0] > c[0, 0] * c[1, 1]
        c, f = np.where(falling, c[::-1], c), np.where(falling, f[::-1], f)
        with np.errstate(divide="ignore"):
            return cls(ratio, np.where(falling, -1.0, 1.0), c, np.log(f), np.log(np.abs(c)))

    def __getitem__(self, rows: Bools | Indices) -> _Curve:
        return _Curve(
            self.ratio,
            self.sign[rows],
            self.c[:, :, rows],
            self.log_f[:, :, rows],
            self.log_c[:, :, rows],
        )

    def log_integrand(self, p: Floats) -> Floats:
        """Log of the integrand at places p, shape (n, m)."""
        log_f, half = self.log_f, 0.5 * p
        log_c01, log_c10 = self.log_c[0, 1], self.log_c[1, 0]
        log_scale = 0.5 * (log_c01 + log_c10) + np.log(2.0)
        asinh_b, log_root = self._asinh_of_b(half, log_scale)
        to_second = 0.5 * (log_c10 - log_c01) - np.sign(self.c[0, 1]) * asinh_b
        x, z = half - to_second, half + to_second
        odds: list[list[Floats]] = [[np.zeros(1), z], [x, p]]
        above = _log_add(
            [log_f[i, j] + odds[i][j] for i, j in np.ndindex(2, 2) if (log_f[i, j] > -np.inf).any()]
        )
        # |c_10| X + |c_01| Z = 2 sqrt(|c_01 c_10|) e^(p / 2) sqrt(B^2 + 1).
        below = half + (log_root + log_scale)
        densities = self.ratio.first.log_density(self.sign * x) + self.ratio.second.log_density(z)
        return np.asarray(densities + (above - below))

    def _asinh_of_b(self, half: Floats, log_scale: Floats) -> tuple[Floats, Floats]:
        """Return asinh(B) and log sqrt(B^2 + 1) where p / 2 is `half`.

        The exponentials in B may overflow, and so all is divided by the largest of them.
        """
        first = (self.log_c[0, 0] - log_scale) - half
        second = (self.log_c[1, 1] - log_scale) + half
        top = np.maximum(np.maximum(first, second), 0.0)
        b = np.sign(self.c[0, 0]) * np.exp(first - top) + np.sign(self.c[1, 1]) * np.exp(
            second - top
        )
        one = np.exp(-top)
        root = np.sqrt(b * b + one * one)
        return np.copysign(top + np.log(np.abs(b) + root), b), top + np.log(root)

    def candidates(self) -> Floats:
        """Places where one of the variables is near its mode, shape (n, m), increasing."""
        (c00, c01), (c10, c11) = self.c
        first, second = self.ratio.first, self.ratio.second
        x = self.sign * (first.mode + first.scale * _STEPS)
        z = second.mode + second.scale * _STEPS
        with np.errstate(invalid="ignore", divide="ignore"):
            of_x = np.log(-(c00 + c10 * np.exp(x)) / (c01 + c11 * np.exp(x)))
            of_z = np.log(-(c00 + c01 * np.exp(z)) / (c10 + c11 * np.exp(z)))
        p = np.concatenate([x + of_x, of_z + z], axis=1)
        return np.sort(np.where(np.isfinite(p), p, np.nan), axis=1)


def _graded(edges: Floats, kinks: Floats, powers: Floats) -> Floats:
    """Add edges at the kinks, and ever closer to them, until little is left in between."""
    width = edges[-1] - edges[0]
    for place, power in zip(kinks, powers, strict=True):
        if power < SMOOTH:
            left = max(width * _LEFT ** (1 / power), _BESIDE)
            count = int(np.ceil(np.log(width / left) / _GRADE))
            steps = np.geomspace(width, left, count + 1)
            edges = np.concatenate([edges, place - steps, [place], place + steps])
    return np.unique(edges)


@dataclass(frozen=True)
class _Window:
    """Where integrands count, and where their peaks are; arrays have the shape (n, 1).

    Nodes are even in v with p = centre + scale sinh(v): even in p across the peak, and in the logs
    of their distances from it further out, where an integrand may fall slowly.
    """

    low: Floats
    high: Floats
    left: Floats
    """Where the peak begins."""
    right: Floats
    """Where it ends."""

    @classmethod
    def seen(cls, p: Floats, values: Floats) -> _Window:
        """Return the last places before and after all those at which the integrand counts."""
        top = values.max(axis=1, keepdims=True)
        return cls(*_around(p, values > top - REACH), *_around(p, values > top - _PEAK))

    def __getitem__(self, rows: Bools | Indices) -> _Window:
        return _Window(self.low[rows], self.high[rows], self.left[rows], self.right[rows])

    def joined(self, other: _Window) -> _Window:
        """Return windows that hold those of both."""
        return _Window(
            np.minimum(self.low, other.low),
            np.maximum(self.high, other.high),
            np.minimum(self.left, other.left),
            np.maximum(self.right, other.right),
        )

    @property
    def centre(self) -> Floats:
        return 0.5 * (self.left + self.right)

    @property
    def scale(self) -> Floats:
        return 0.5 * (self.right - self.left)

    @property
    def ends(self) -> tuple[Floats, Floats]:
        """The smallest v, and the largest."""
        return (
            np.arcsinh((self.low - self.centre) / self.scale),
            np.arcsinh((self.high - self.centre) / self.scale),
        )

    def places(self, v: Floats) -> Floats:
        return self.centre + self.scale * np.sinh(v)

    def is_narrow_in(self, other: _Window) -> bool:
        """Return whether a window is much narrower than another, or its peak is."""
        outer = (self.high - self.low) < _NARROW * (other.high - other.low)
        inner = (self.right - self.left) < _NARROW * (other.right - other.left)
        return bool((outer | inner).any())


def _around(p: Floats, counts: Bools) -> tuple[Floats, Floats]:
    first = np.maximum(counts.argmax(axis=1) - 1, 0)
    last = np.minimum(p.shape[1] - counts[:, ::-1].argmax(axis=1), p.shape[1] - 1)
    rows = np.arange(len(p))
    return p[rows, first][:, np.newaxis], p[rows, last][:, np.newaxis]


def _windows(curve: _Curve) -> _Window:
    """Return the windows of all rows, each from those of the nearest rows that are looked at."""
    size = len(curve.sign)
    some = np.unique(np.append(np.arange(0, size, _STRIDE), size - 1))
    window = _window(curve[some])
    before = np.searchsorted(some, np.arange(size), side="right") - 1
    after = np.searchsorted(some, np.arange(size))
    return window[before].joined(window[after])


def _window(curve: _Curve) -> _Window:
    """Look for the windows of integrands."""
    p = curve.candidates()
    seen = np.isfinite(p)
    first = np.where(seen.any(axis=1), np.nanmin(np.where(seen, p, np.inf), axis=1), 0.0)
    last = np.where(seen.any(axis=1), np.nanmax(np.where(seen, p, -np.inf), axis=1), 0.0)
    p = np.where(seen, p, first[:, np.newaxis])
    p = np.concatenate([first[:, None] - _OUTER, p, last[:, None] + _OUTER], axis=1)
    p = np.sort(p, axis=1)
    window = _Window.seen(p, curve.log_integrand(p))
    shares = np.linspace(0, 1, _LOOK)
    for _ in range(_LOOKS):
        low, high = window.ends
        p = window.places(low + (high - low) * shares)
        before, window = window, _Window.seen(p, curve.log_integrand(p))
        if not window.is_narrow_in(before):
            break
    return window


def _trapezoid(curve: _Curve, window: _Window) -> Floats:
    """Log of the integral, by a trapezoid rule whose step is halved until it has converged."""
    low, high = window.ends
    step, settled = (
        (high - low) / _FIRST,
        max(_SETTLED, _NOISE * _rounding(curve.ratio.first, curve.ratio.second)),
    )
    v = low + step * np.arange(_FIRST + 1)
    sums = _log_sum(curve.log_integrand(window.places(v)), np.cosh(v))
    result, open_rows, count = np.empty(len(low)), np.arange(len(low)), _FIRST
    for _ in range(_HALVINGS):
        v = low + step * (np.arange(count) + 0.5)
        more = _log_sum(curve.log_integrand(window.places(v)), np.cosh(v))
        # The sum of the second half alone is another rule of the first step.
        rest = ~(np.abs(more - sums) < 2 * settled)
        step, count, sums = 0.5 * step, 2 * count, np.logaddexp(sums, more)
        result[open_rows] = sums + np.log((step * window.scale)[:, 0])
        if not rest.any():
            break
        curve, window, open_rows = curve[rest], window[rest], open_rows[rest]
        low, step, sums = low[rest], step[rest], sums[rest]
    return result


def _log_sum(values: Floats, weights: Floats) -> Floats:
    top = values.max(axis=1)
    return np.asarray(top + np.log((np.exp(values - top[:, np.newaxis]) * weights).sum(axis=1)))


def _log_add(terms: list[Floats]) -> Floats:
    """Log of the sum of exponentials, some of which may be zero."""
    top = terms[0]
    for term in terms[1:]:
        top = np.maximum(top, term)
    if len(terms) == 1:
        return top
    total = np.exp(terms[0] - top)
    for term in terms[1:]:
        total += np.exp(term - top)
    return np.asarray(top + np.log(total))
