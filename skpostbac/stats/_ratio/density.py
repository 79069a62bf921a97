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
analytic in a strip about the real axis and falls exponentially in both directions. The trapezoid
rule then converges geometrically (Trefethen and Weideman, SIAM Review 56, 2014), and halving its
step at least squares the error: a step is halved until that moves the logarithm by less than 1e-8.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from skpostbac._utils import Floats
from skpostbac.stats._distribution import DEPTH, LogitDensity
from skpostbac.stats._numerics import EPS, REACH
from skpostbac.stats._ratio.variables import LogOdds

# Distance from a kink below which rounding shows.
_BESIDE = 1e-12
# Error of the log density in a table, also where it is small, and that of rounding: it shows in
# proportion to the root of the number of samples.
_TOLERANCE, _FAR_TOLERANCE, _ROUNDING = 1e-12, 1e-10, 8 * EPS
# Share of that root by which rounding grows at most where a variable reaches far.
_OF_REACH = 0.02
# Edges of the first panels, in standard deviations from the middle.
EDGES = np.array([-12.0, -8.0, -5.0, -2.5, 0.0, 2.5, 5.0, 8.0, 12.0])
# A corner with less than this exponent is a kink. Panels beside it are narrower by a factor each,
# in logs, until about this share of the probability is left.
SMOOTH, _GRADE, _LEFT = 30.0, 1.4, 1e-13
# Places of a variable at which a peak is looked for, in scales from its mode.
_STEPS = np.concatenate([-(2.0 ** np.arange(9, -2, -2)), [0.0], 2.0 ** np.arange(-1, 10, 2)])
# Places at which a peak is looked for again, until the next look narrows by less than a share.
_LOOK, _NARROW, _LOOKS = 17, 0.6, 40
# The ends of the integrands are looked for in one of so many rows.
_STRIDE = 6
# Steps of the trapezoid rule at first, and how often they are halved.
_FIRST, _HALVINGS = 32, 12
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
            log_density[order] = _trapezoid(curve, *_windows(curve))
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

    @property
    def size(self) -> float:
        """The larger number of samples of both variables."""
        return max(sum(self.first.powers), sum(self.second.powers))

    def table(self, depth: float = DEPTH) -> LogitDensity:
        """Tabulate the density, until it is below exp(-depth) of its largest value."""
        start, scale = self.middle_and_scale()
        tolerance = max(_TOLERANCE, self.rounding, self.first.error, self.second.error)
        return LogitDensity.between(
            self.log_density,
            _graded(start + scale * EDGES, *self.kinks),
            tolerance,
            depth=depth,
            far=max(_FAR_TOLERANCE, tolerance),
        )

    @property
    def rounding(self) -> float:
        """About the error of a log density by rounding.

        A log-odds that is far out, as of a variable with a small exponent, has an error in
        proportion, which counts where the other variable is narrow.
        """
        root = float(np.sqrt(self.size))
        reach = REACH / min(*self.first.powers, *self.second.powers)
        return _ROUNDING * root * float(np.clip(_OF_REACH * root, 1.0, max(reach, 1.0)))

    def _at(self, x: float, z: float) -> float:
        theta, y = (np.array([expit(-place), expit(place)]) for place in (x, z))
        return float(np.log(theta @ self.numerator @ y) - np.log(theta @ self.denominator @ y))


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
        with np.errstate(divide="ignore"):
            return cls(
                ratio,
                np.where(falling, -1.0, 1.0),
                np.where(falling, c[::-1], c),
                np.log(np.where(falling, f[::-1], f)),
            )

    def __getitem__(self, rows: Floats) -> _Curve:
        return _Curve(self.ratio, self.sign[rows], self.c[:, :, rows], self.log_f[:, :, rows])

    def places(self, p: Floats) -> tuple[Floats, Floats]:
        """Log-odds x and z of the points with x + z = p."""
        (c00, c01), (c10, c11) = self.c
        log_c01, log_c10 = np.log(np.abs(c01)), np.log(np.abs(c10))
        middle, k = 0.5 * (log_c01 + log_c10), 0.5 * (log_c10 - log_c01)
        bend = np.sign(c01) * _asinh_of_sum(
            (np.sign(c00), np.log(np.abs(0.5 * c00)) - middle - 0.5 * p),
            (np.sign(c11), np.log(np.abs(0.5 * c11)) - middle + 0.5 * p),
        )
        return 0.5 * p - k + bend, 0.5 * p + k - bend

    def log_integrand(self, p: Floats) -> Floats:
        """Log of the integrand at places p, shape (n, m)."""
        x, z = self.places(p)
        log_f = self.log_f
        odds: list[list[Floats]] = [[np.zeros(1), z], [x, p]]
        above = _log_add(
            [log_f[i, j] + odds[i][j] for i, j in np.ndindex(2, 2) if (log_f[i, j] > -np.inf).any()]
        )
        log_c = np.log(np.abs([self.c[0, 1], self.c[1, 0]]))
        below = _log_add([log_c[0] + z, log_c[1] + x])
        densities = self.ratio.first.log_density(self.sign * x) + self.ratio.second.log_density(z)
        return densities + above - below

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


def _windows(curve: _Curve) -> tuple[Floats, Floats]:
    """Return the ends of places that count, as of some rows, for all rows between them."""
    size = len(curve.sign)
    some = np.unique(np.append(np.arange(0, size, _STRIDE), size - 1))
    low, high = _window(curve[some])
    before = np.searchsorted(some, np.arange(size), side="right") - 1
    after = np.searchsorted(some, np.arange(size))
    return np.minimum(low[before], low[after]), np.maximum(high[before], high[after])


def _window(curve: _Curve) -> tuple[Floats, Floats]:
    """Return the ends of the places where the integrand counts, shape (n, 1)."""
    p = curve.candidates()
    seen = np.isfinite(p)
    first = np.where(seen.any(axis=1), np.nanmin(np.where(seen, p, np.inf), axis=1), 0.0)
    last = np.where(seen.any(axis=1), np.nanmax(np.where(seen, p, -np.inf), axis=1), 0.0)
    p = np.where(seen, p, first[:, np.newaxis])
    outer = 2.0 ** np.arange(0, 14)
    p = np.sort(np.concatenate([first[:, None] - outer, p, last[:, None] + outer], axis=1), axis=1)
    low, high = _narrowed(p, curve.log_integrand(p))
    shares = np.linspace(0, 1, _LOOK)
    for _ in range(_LOOKS):
        p = low + (high - low) * shares
        new_low, new_high = _narrowed(p, curve.log_integrand(p))
        narrow = (new_high - new_low) > _NARROW * (high - low)
        low, high = new_low, new_high
        if narrow.all():
            break
    return low, high


def _narrowed(p: Floats, values: Floats) -> tuple[Floats, Floats]:
    """Last places before and after all those at which the integrand counts."""
    counts = values > values.max(axis=1, keepdims=True) - REACH
    first = np.maximum(counts.argmax(axis=1) - 1, 0)
    last = np.minimum(p.shape[1] - counts[:, ::-1].argmax(axis=1), p.shape[1] - 1)
    rows = np.arange(len(p))
    return p[rows, first][:, np.newaxis], p[rows, last][:, np.newaxis]


def _trapezoid(curve: _Curve, low: Floats, high: Floats) -> Floats:
    """Log of the integral, by a trapezoid rule whose step is halved until it has converged."""
    step, settled = (high - low) / _FIRST, max(_SETTLED, _NOISE * curve.ratio.rounding)
    sums = _log_sum(curve.log_integrand(low + step * np.arange(_FIRST + 1)))
    result, open_rows, count = np.empty(len(low)), np.arange(len(low)), _FIRST
    for _ in range(_HALVINGS):
        more = low + step * (np.arange(count) + 0.5)
        halved = np.logaddexp(sums, _log_sum(curve.log_integrand(more)))
        change = np.abs(halved - sums - np.log(2.0))
        step, count = 0.5 * step, 2 * count
        result[open_rows] = halved + np.log(step[:, 0])
        rest = ~(change < settled)
        if not rest.any():
            break
        curve, low, step, sums = curve[rest], low[rest], step[rest], halved[rest]
        open_rows = open_rows[rest]
    return result


def _log_sum(values: Floats) -> Floats:
    top = values.max(axis=1)
    return np.asarray(top + np.log(np.exp(values - top[:, np.newaxis]).sum(axis=1)))


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


def _asinh_of_sum(*terms: tuple[Floats, Floats]) -> Floats:
    """Return asinh of a sum of terms, each given by its sign and the log of its size."""
    largest = np.maximum(terms[0][1], terms[1][1])
    shift = np.maximum(largest, 0.0)
    total = sum(sign * np.exp(log - shift) for sign, log in terms)
    size = np.abs(total)
    # asinh(e^shift t) = log(e^shift t + sqrt(e^(2 shift) t^2 + 1)).
    one = np.exp(-shift)
    far = shift + np.log(size + np.hypot(size, one))
    return np.where(shift > 0, np.sign(total) * far, np.arcsinh(total))
