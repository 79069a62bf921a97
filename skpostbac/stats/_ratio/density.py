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
the logarithm by less than 3e-10.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import expit

from skpostbac._utils import Floats
from skpostbac.stats._distribution import DEPTH, LogitDensity
from skpostbac.stats._numerics import EPS, REACH
from skpostbac.stats._ratio.curve import Curves
from skpostbac.stats._ratio.pieces import integrate_pieces
from skpostbac.stats._ratio.variables import LogOdds
from skpostbac.stats._ratio.windows import KnownWindows, Windows

# Distance from a kink below which rounding shows.
_BESIDE = 1e-12
# Error of the log density in a table, also where it is small, and that of rounding: it shows in
# proportion to the steepness of a density, and so to the inverse of its width.
_TOLERANCE, _FAR_TOLERANCE, _ROUNDING = 1e-12, 1e-10, 8 * EPS
# Share of that inverse by which rounding grows at most where a variable reaches far.
_OF_REACH = 0.02
# Edges of the first panels, in standard deviations from the middle.
EDGES = np.array([-12.0, -8.0, -5.0, -2.5, 0.0, 2.5, 5.0, 8.0, 12.0])
# Widest scale of a variable: panels double beyond the first ones.
_WIDEST = 4.0
# With a smaller exponent the integrand is integrated in pieces.
_SMALL = 0.05
# Rows of an array of integrands: larger arrays than 100 kB are mapped anew each time.
_ROWS = 192
# Places at which an outline of the density is seen, in scales from the middle.
_OUTLINE = np.array([0.5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 18, 24, 36, 64, 128, 330])
_OUTLINE = np.concatenate([-_OUTLINE[::-1], [0.0], _OUTLINE])
# The first panels: their width in the middle, how it grows with the distance, and a fall of the log
# density that one resolves. They go so far beyond the depth, as the outline is rough.
_WIDTH, _WIDER, _DROP, _BEYOND = 1.8, 0.5, 18.0, 4.0
# A corner with less than this exponent is a kink. Panels beside it are narrower by a factor each,
# in logs, until about this share of the probability is left.
SMOOTH, _GRADE, _LEFT = 30.0, 1.4, 1e-13
# Windows of one in so many rows are looked for.
_STRIDE = 6
# Step of the trapezoid rule at first, and how often they are halved.
_STEP, _HALVINGS = 0.18, 9
# A change that leaves an error of its square, and one by rounding, of which no halving rids.
_SETTLED, _NOISE = 3e-10, 16.0


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

    def log_density(self, u: Floats, known: KnownWindows | None = None) -> Floats:
        """Return the log density of the log ratio, shape (n,).

        The windows of some integrands may be known. Within rounding of a kink of the order e the
        density is a constant. Where it has a pole there, about d^(e - 1) at a distance d, the
        constant has the mass of the pole, 1 / e times as much.
        """
        u, log_share = u.copy(), np.zeros(u.shape)
        for place, power in zip(*self.kinks, strict=True):
            close = np.abs(u - place) < _BESIDE
            u[close] = place + np.copysign(_BESIDE, u[close] - place)
            log_share[close] -= np.log(min(power, 1.0))
        return log_share + self._log_density(u, known)

    def _log_density(self, u: Floats, known: KnownWindows | None) -> Floats:
        order = np.argsort(u)
        log_density = np.empty(u.size)
        known = None if self.reaches_far else self._windows(u[order], known)
        for start in range(0, u.size, _ROWS):
            rows = order[start : start + _ROWS]
            curves = self._curves(u[rows])
            with np.errstate(divide="ignore", over="ignore", under="ignore"):
                log_density[rows] = (
                    _trapezoid(curves, known.at(u[rows])) if known else integrate_pieces(curves)
                )
        return log_density

    def _windows(self, u: Floats, known: KnownWindows | None) -> KnownWindows:
        """Return windows between which all u are, which rise."""
        beyond = u if known is None else known.beyond(u)
        if known and not beyond.size:
            return known
        some = np.unique(np.append(np.arange(0, beyond.size, _STRIDE), beyond.size - 1))
        found = self._look_for_windows(beyond[some])
        return known.joined(found) if known else found

    def _look_for_windows(self, u: Floats) -> KnownWindows:
        with np.errstate(divide="ignore", over="ignore", under="ignore"):
            return KnownWindows(u, Windows.of(self._curves(u)))

    @property
    def reaches_far(self) -> bool:
        """Whether a variable has an exponent so small that it varies on many scales."""
        return min(*self.first.powers, *self.second.powers) < _SMALL

    def middle_and_scale(self) -> tuple[float, float]:
        """Return the log ratio at the modes, and about its standard deviation."""
        x, z = self.first.mode, self.second.mode
        step_x, step_z = (min(one.scale, _WIDEST) for one in (self.first, self.second))
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
        tolerance, far = tolerances(self.first, self.second)
        edges = _graded(self._edges(depth), *self.kinks)
        middles = np.concatenate([edges[:1], 0.5 * (edges[1:] + edges[:-1]), edges[-1:]])
        known = None if self.reaches_far else self._look_for_windows(middles)
        return LogitDensity.between(
            partial(self.log_density, known=known),
            edges,
            tolerance,
            depth=depth,
            far=far,
            last=np.inf if self.reaches_far else None,
        )

    def _edges(self, depth: float) -> Floats:
        """Return edges of panels that are seldom too wide, down to about exp(-depth).

        The outline is the largest integrand at places where a variable is some scales off.
        """
        start, scale = self.middle_and_scale()
        u = start + scale * _OUTLINE
        curves = self._curves(u)
        x, z = (one.mode + one.scale * _OUTLINE for one in (self.first, self.second))
        p = np.concatenate([curves.p_of_first(x), curves.p_of_second(z)], axis=1)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            # Far out there may be no place at which a variable is near its mode.
            height = np.fmax.reduce(curves.log_integrand(p), axis=1, initial=-np.inf)
        kept = np.flatnonzero(height > height.max() - depth)
        kept = np.arange(max(kept[0] - 1, 0), min(kept[-1] + 2, u.size))
        u, height = u[kept], np.maximum(height[kept], height.max() - depth - _BEYOND)
        steps = np.diff(u) / (_WIDTH + _WIDER * np.abs(0.5 * (u[1:] + u[:-1]) - start))
        steps += np.abs(np.diff(height)) / _DROP
        number = np.append(0.0, np.cumsum(steps))
        return np.interp(np.linspace(0, number[-1], int(np.ceil(number[-1])) + 1), number, u)

    def _curves(self, u: Floats) -> Curves:
        return Curves.of(
            self.first, self.second, self.numerator, self.denominator, u[:, np.newaxis]
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
    narrow = root * float(np.clip(_OF_REACH * root, 1.0, max(reach, 1.0)))
    return _ROUNDING * max(narrow, reach)


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


def _trapezoid(curve: Curves, window: Windows) -> Floats:
    """Log of the integral, by a trapezoid rule whose step is halved until it has converged."""
    low, high = window.ends
    count = int(np.ceil((high - low).mean() / _STEP))
    step = (high - low) / count
    settled = 2 * max(_SETTLED, _NOISE * _rounding(curve.first, curve.second))
    v = low + step * np.arange(count + 1)
    sums = _log_sum(curve.log_integrand(window.places(v)), np.cosh(v))
    result, open_rows = np.empty(len(low)), np.arange(len(low))
    for _ in range(_HALVINGS):
        v = low + step * (np.arange(count) + 0.5)
        more = _log_sum(curve.log_integrand(window.places(v)), np.cosh(v))
        # The sum of the second half alone is another rule of the first step.
        rest = ~(np.abs(more - sums) < settled)
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
