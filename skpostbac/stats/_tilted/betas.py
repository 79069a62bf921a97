r"""Beta variables under an exponential tilt, discretised in log-odds.

For theta ~ Beta(a, b), a weight w and a real tilt c, the density of the tilted variable,
proportional to theta^(a-1) (1-theta)^(b-1) exp(c w theta), is analytic in a strip about the real
axis of the log-odds y = log(theta / (1 - theta)) and decays exponentially in y, so the trapezoid
rule converges geometrically (Trefethen and Weideman, SIAM Review 56, 2014). Every exponent is
taken relative to the mode, in a form whose error does not grow with a + b.
"""

from dataclasses import dataclass

import numpy as np

from skpostbac._utils import Bools, Floats
from skpostbac.stats._inversion import Quadrature, Reach
from skpostbac.stats._numerics import REACH, Rows, expm1mx, log1pmx, stirling_remainder

# Log levels at which the reach is compared with that of a normal variable.
_LEVELS = np.array([[REACH], [REACH / 2], [REACH / 4], [REACH / 8]])
# A side on which the weights reach this far in log-odds needs nodes that spread out.
_FAR = 3.0
# Factor on the number of nodes where they spread out.
_STRETCH = 1.15
# Imaginary shifts over which the bandwidth of the trapezoid rule is minimised.
SHIFTS = np.concatenate([np.geomspace(1e-4, 0.1, 8, endpoint=False), np.linspace(0.1, 1.5, 15)])
_COS, _SIN, _HALF_TAN = np.cos(SHIFTS), np.sin(SHIFTS), np.tan(SHIFTS / 2)
_LOG_SECANT = np.log1p(_HALF_TAN**2)
# Twice the largest r (1 - r) / (1 + r)^3, by which a shift moves the real part of theta.
_FARTHEST_SHIFT = 0.1925
# Above this many radians of the trapezoid rule the growth of the integrand is worth measuring.
_MANY_STEPS = 6000.0
# A tilt that changes the weights by at most exp(6) within reach is undone on the nodes.
_MILD = 6.0


@dataclass(frozen=True)
class TiltedBetas(Rows):
    """Independent weighted Betas under a common tilt, each seen from its smaller side.

    A class whose mode exceeds 1/2 is reflected (theta -> 1 - theta), so that ``p <= q = 1 - p``
    and the distance to the near end keeps all its digits. All arrays have shape (l,).

    Attributes
    ----------
    a, b : exponents at the near and the far end.
    weight : signed weight of the reflected variable.
    tilt : c times `weight`.
    p, q : mode in log-odds and its complement.
    flipped : whether the variable was reflected.
    """

    a: Floats
    b: Floats
    weight: Floats
    tilt: Floats
    p: Floats
    q: Floats
    flipped: Bools

    @property
    def n(self) -> Floats:
        """Sum of both exponents."""
        return self.a + self.b

    @property
    def curvature(self) -> Floats:
        """Minus the second derivative of the log density in y at the mode."""
        return self.p * self.q * (self.n - self.tilt * (self.q - self.p))

    @property
    def shift(self) -> Floats:
        """Mode less untilted mean of the reflected variable."""
        return self.tilt * self.p * self.q / self.n


def tilt_betas(a: Floats, b: Floats, weights: Floats, c: float) -> TiltedBetas:
    """Tilt independent weighted Betas by exp(c w theta)."""
    k = c * weights
    n = a + b
    # Seen from the side to which the tilt pushes: the mode is a root of k p^2 + (n - k) p - a = 0.
    pushed_down = k < 0
    a, b = np.where(pushed_down, b, a), np.where(pushed_down, a, b)
    push = np.abs(k)
    rest = n - push
    root = np.sqrt(rest * rest + 4 * push * a)
    # Two forms of one root, each free of cancellation on its side.
    p = np.where(rest >= 0, 2 * a, root - rest) / np.where(rest >= 0, rest + root, 2 * push)
    q = 2 * b / (n + push + root)
    flip = p > q
    sign = np.where(flip == pushed_down, 1.0, -1.0)
    return TiltedBetas(
        a=np.where(flip, b, a),
        b=np.where(flip, a, b),
        weight=sign * weights,
        tilt=sign * k,
        p=np.where(flip, q, p),
        q=np.where(flip, p, q),
        flipped=flip != pushed_down,
    )


def log_weight_and_step(terms: TiltedBetas, d: Floats) -> tuple[Floats, Floats]:
    """Log density of the log-odds at distance d from the mode, less its value there, and the step.

    The step is (theta - p) / (p q). `d` has shape (n_classes, n_nodes).
    """
    p, q = terms.p[:, np.newaxis], terms.q[:, np.newaxis]
    step = relative_step(p, q, d)
    inner = np.minimum(np.maximum(d, -1.0), 1.0)
    excess = expm1mx(np.array([-p * inner, q * inner, inner]))
    # q exp(-p d) + p exp(q d), less one: a sum of positive terms.
    near = np.log1p(q * excess[0] + p * excess[1])
    finite = np.minimum(d, 600.0)
    far = np.log1p(p * np.expm1(finite)) + (d - finite) - p * d
    growth = excess[2] + inner
    bend = (excess[2] - p * inner * growth) / (1 + p * growth)
    close = inner == d
    bulk, bend = np.where(close, near, far), np.where(close, bend, step - d)
    return (terms.tilt * terms.p * terms.q)[:, np.newaxis] * bend - terms.n[
        :, np.newaxis
    ] * bulk, step


def relative_step(p: Floats, q: Floats, d: Floats) -> Floats:
    """(theta - p) / (p q) at log-odds d away from those of p."""
    size = np.abs(d)
    fade, up = np.exp(-size), d > 0
    return np.asarray(
        np.copysign(np.expm1(-size), d) / (np.where(up, p, q) + np.where(up, q, p) * fade)
    )


@dataclass(frozen=True)
class Extent(Reach):
    """How far each class reaches, also in log-odds.

    Attributes
    ----------
    left, right : distances from the mode in log-odds, beyond which the weight is negligible.
    """

    left: Floats
    right: Floats


def extent(terms: TiltedBetas) -> Extent:
    """Bound the classes: everything beyond the returned reach weighs less than 4e-18.

    The slope of the log density at theta is (p - theta) m(theta), where m is linear: it is
    a / p at the near end, b / q at the far end and curvature / (p q) at the mode. With the least m
    on a side, integrals of (theta - p) dy, bounded from below, give the reach.

    A variable whose reach at every level exp(-L) is below sqrt(2 V L) + C L is sub-gamma; in a sum
    of independent ones the V add and the C do not (Boucheron, Lugosi, Massart, Concentration
    Inequalities, 2013, 2.4). The excess is C REACH.
    """
    p, q, pq = terms.p, terms.q, terms.p * terms.q
    middle = terms.curvature / pq
    log_p, log_q = np.log(p), np.log1p(-p)
    share, log_rest = np.array([[p], [q]]), np.array([[log_q], [log_p]])
    slope = np.minimum(np.array([[terms.a / p], [terms.b / q]]), middle)
    x = _LEVELS / (slope * pq)
    bound = np.minimum(x + np.sqrt(2 * x), (_LEVELS / slope - log_rest) / share)
    # Half way from the mode to the end m is still above the middle of its values at both.
    x = _LEVELS / (0.5 * (slope + middle) * pq)
    inner = x + np.sqrt(2 * x)
    left, right = np.where(inner < np.log1p(np.exp(-log_rest)), np.minimum(bound, inner), bound)
    # Up to theta = 1/2, theta - p exceeds p q expm1(d) / 2.
    y = 2 * _LEVELS / (np.minimum(middle, terms.n - terms.tilt * (0.5 - p)) * pq)
    gamma_like = np.log1p(y + np.sqrt(2 * y))
    right = np.where(gamma_like < log_q - log_p, np.minimum(right, gamma_like), right)
    size = np.abs(terms.weight) * pq
    low, high = size * np.abs(relative_step(p, q, np.array([-left, right])))
    normal = size * np.sqrt(2 * _LEVELS / terms.curvature)
    scale = REACH / _LEVELS
    low_excess = np.maximum(((low - normal) * scale).max(axis=0), 0.0)
    high_excess = np.maximum(((high - normal) * scale).max(axis=0), 0.0)
    touches_near = left[0] > np.log(4.0)
    touches_far = right[0] > np.log(4.0) + log_q - log_p
    order = np.minimum(
        np.where(touches_near, terms.a, np.inf), np.where(touches_far, terms.b, np.inf)
    )
    up = terms.weight > 0
    return Extent(
        low=-np.where(up, low[0], high[0]),
        high=np.where(up, high[0], low[0]),
        low_excess=np.where(up, low_excess, high_excess),
        high_excess=np.where(up, high_excess, low_excess),
        order=order,
        left=left[0],
        right=right[0],
    )


def laplace_moments(terms: TiltedBetas) -> tuple[Floats, Floats]:
    """Tilted mean less mode, and variance, of each weighted class, to leading Laplace orders."""
    pq, curvature = terms.p * terms.q, terms.curvature
    spread = terms.weight * pq
    return -spread * terms.tilt * (pq / curvature) ** 2, spread * spread / curvature


def log_laplace_mgf(a: Floats, b: Floats, weights: Floats, tilt: float) -> Floats:
    """Log E[exp(c (w theta - e))] of Betas to leading Laplace order, of their common shape.

    Here e = max(w, 0) is the end to which a tilt c > 0 pushes: measured from there, the logs stay
    small, and keep their digits, however large the tilt is.
    """
    shape = np.broadcast_shapes(a.shape, b.shape, weights.shape)
    a, b, w = (np.broadcast_to(x, shape).ravel() for x in (a, b, weights))
    terms = tilt_betas(a, b, w, tilt)
    to_end = np.where(terms.flipped == (w > 0), terms.p, terms.q)
    logs = _log_mgf(terms, np.sqrt(2 * np.pi / terms.curvature)) - tilt * np.abs(w) * to_end
    return np.reshape(logs, shape)


def _log_mgf(terms: TiltedBetas, mass: Floats) -> Floats:
    """Log E[exp(c w (theta - mode))] of each class; `mass` is the integral of its weights.

    The normalising log Beta function enters by its Stirling remainders alone, which stay exact
    where the difference of log Gammas would lose eight digits (n = 1e9).
    """
    n = terms.n
    mean, rest = terms.a / n, terms.b / n
    up, down = terms.shift / mean, -terms.shift / rest
    log_up = np.where(
        np.abs(up) < 0.3,
        log1pmx(np.minimum(np.maximum(up, -0.3), 0.3)),
        np.log(terms.p / mean) - up,
    )
    log_down = np.where(
        np.abs(down) < 0.3,
        log1pmx(np.minimum(np.maximum(down, -0.3), 0.3)),
        np.log(terms.q / rest) - down,
    )
    remainders = stirling_remainder(np.array([terms.a, terms.b, n]))
    log_norm = 0.5 * np.log(2 * np.pi / (n * mean * rest))
    log_norm += remainders[0] + remainders[1] - remainders[2]
    return terms.a * log_up + terms.b * log_down + np.log(mass) - log_norm


def growths(terms: TiltedBetas, rate: Floats) -> Floats:
    """Bound on the log growth of the weights times exp(i rate theta) on paths shifted by `SHIFTS`.

    It is that of a Gamma variable near one end, or that of a Beta variable at the middle of (0, 1).
    `rate` and the terms have shape (...,), the growth (..., n_shifts).
    """
    rate, core, tilt = rate[..., np.newaxis], terms.curvature[..., np.newaxis], np.abs(terms.tilt)
    slack = _COS - rate * (terms.p * terms.q)[..., np.newaxis] / core * _SIN
    gamma_like = np.where(slack > 0, -core * np.log(np.maximum(slack, 1e-300)), np.inf)
    beta_like = 0.5 * (rate * _HALF_TAN + terms.n[..., np.newaxis] * _LOG_SECANT)
    beta_like += _FARTHEST_SHIFT * tilt[..., np.newaxis] * _HALF_TAN**2
    return np.asarray(np.minimum(gamma_like, beta_like))


def bandwidths(terms: TiltedBetas, t_max: Floats | float) -> Floats:
    """Bandwidth in log-odds of the weights times exp(i t w theta), |t| <= t_max.

    Shifting the path by i s costs at most the growth of the integrand and gains exp(-s bandwidth).
    The best s is taken over a grid.
    """
    growth = growths(terms, t_max * np.abs(terms.weight))
    return np.asarray(((REACH + growth) / SHIFTS).min(axis=1))


def _bandwidth(terms: TiltedBetas, reach: Extent, t_max: Floats, length: Floats) -> Floats:
    """Bandwidth for nodes that are spread over `length`; measured where both bounds are poor."""
    bandwidth = bandwidths(terms, t_max)
    for i in np.flatnonzero(bandwidth * length > _MANY_STEPS):
        rate = float(t_max[i] * np.abs(terms.weight[i]))
        growth = _measured_growth(terms[i : i + 1], reach.left[i], reach.right[i], rate)
        bandwidth[i] = min(bandwidth[i], ((REACH + growth) / SHIFTS).min())
    return bandwidth


def _measured_growth(term: TiltedBetas, left: float, right: float, rate: float) -> Floats:
    """Log growth of the integrand of one class on paths shifted by each of `SHIFTS`."""
    d = np.linspace(-min(left, 50.0), min(right, 50.0), 64)[:, np.newaxis] + 1j * SHIFTS
    odds = term.p * np.exp(d)
    theta = odds / (term.q + odds)
    weight = term.n * (term.p * d - np.log(term.q + odds)) + term.tilt * (
        theta - term.p - term.p * term.q * d
    )
    growth: Floats = np.maximum((weight.real + rate * np.abs(theta.imag)).max(axis=0), 0.0)
    return growth


@dataclass(frozen=True)
class SpreadNodes:
    """Where the nodes of some classes are in log-odds, and how they spread out.

    The log-odds about the mode are v + exp(-v0) - exp(-(v + v0)) + exp(v - v1) - exp(-v1): uniform
    in the bulk, and spread out exponentially on a side where the weights reach far. Shapes (l,).
    """

    terms: TiltedBetas
    is_spread: Bools
    v0: Floats
    v1: Floats
    start: Floats
    stop: Floats

    @classmethod
    def of(cls, terms: TiltedBetas, left: Floats, right: Floats) -> "SpreadNodes":
        """Choose the spread for classes that reach so far from their modes."""
        wide_left, wide_right = left > _FAR, right > _FAR
        is_spread = wide_left | wide_right
        if not is_spread.any():
            return cls(terms, is_spread, left, left, -left, right)
        v0 = np.where(wide_left, 2.0, np.inf)
        v1 = np.where(wide_right, 2.0 + np.log(terms.q / terms.p), np.inf)
        start = -np.minimum(left, v0 + np.log1p(left))
        return cls(terms, is_spread, v0, v1, start, np.minimum(right, v1 + np.log1p(right)))

    def length(self, stretch: float) -> Floats:
        """Lengths in v, stretched where the nodes spread out."""
        return (self.stop - self.start) * np.where(self.is_spread, stretch, 1.0)

    def rule(self, count: Floats) -> tuple[Floats, Floats, Floats]:
        """Deviations of `weight` theta, log weights and steps at so many steps, (l, n_nodes).

        Rows with fewer steps than others go on with their last node.
        """
        step = ((self.stop - self.start) / count)[:, np.newaxis]
        number = np.minimum(np.arange(np.max(count) + 1), count[..., np.newaxis])
        d = v = self.start[:, np.newaxis] + step * number
        if self.is_spread.any():
            fade_left, fade_right = np.exp(-self.v0)[:, np.newaxis], np.exp(-self.v1)[:, np.newaxis]
            left, right = fade_left * np.exp(-v), fade_right * np.exp(v)
            d, step = v + (fade_left - left) + (right - fade_right), step * (1 + left + right)
        log_weights, deviations = deviations_at(self.terms, d)
        return deviations, log_weights, step


def deviations_at(terms: TiltedBetas, d: Floats) -> tuple[Floats, Floats]:
    """Log weights and weighted deviations at distances d from the mode in log-odds, (l, n)."""
    log_weights, steps = log_weight_and_step(terms, d)
    return log_weights, (terms.weight * terms.p * terms.q)[:, np.newaxis] * steps


def quadrature(terms: TiltedBetas, reach: Extent, c: float, t_max: Floats) -> Quadrature:
    """Discretise classes tilted by c so that their transforms are exact up to t_max, (l,)."""
    spread = SpreadNodes.of(terms, reach.left, reach.right)
    length = spread.length(_STRETCH)
    steps = np.ceil((length * _bandwidth(terms, reach, t_max, length)).max() / (2 * np.pi))
    nodes, log_weights, step = spread.rule(steps)
    weights = np.exp(log_weights) * step
    mass = weights.sum(axis=1)
    weights /= mass[:, np.newaxis]
    # A mild tilt is undone on the nodes themselves: with many classes the logs are many and small.
    mild = c * np.maximum(-reach.low, reach.high) < _MILD
    if mild.all():
        return Quadrature(nodes, weights, _undone(nodes, weights, c))
    log_mgf = _log_mgf(terms, mass)
    log_mgf[mild] = _undone(nodes[mild], weights[mild], c)
    return Quadrature(nodes, weights, log_mgf)


def _undone(nodes: Floats, weights: Floats, c: float) -> Floats:
    """Log E[exp(c w (theta - mode))] from tilted nodes."""
    return np.asarray(-np.log1p((weights * np.expm1(-c * nodes)).sum(axis=1)))
