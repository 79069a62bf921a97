r"""Weighted Beta variables under an exponential tilt: the transforms that inversion needs.

For w theta with theta ~ Beta(a, b), and a real tilt c, this module evaluates

    phi(t) = E[exp((c + it) w (theta - mode))] / E[exp(c w (theta - mode))],

the characteristic function of the tilted variable about the mode of its log-odds. With
theta = expit(y) the tilted density in y is analytic in a strip and decays exponentially, so the
trapezoid rule converges geometrically (Trefethen and Weideman, SIAM Review 56, 2014). Every
exponent is taken relative to the mode, in a form whose error does not grow with a + b.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from skpostbac.stats._special import (
    Complexes,
    Floats,
    expm1mx,
    log1pmx,
    log_beta,
    polynomial,
    stirling_remainder,
)

# Weights below exp(-REACH) = 4e-18 of the largest are left out.
REACH = 40.0
# A side on which the weights reach this far in log-odds needs nodes that spread out.
_FAR = 3.0
# Imaginary shifts over which the bandwidth of the trapezoid rule is minimised.
_SHIFTS = np.concatenate([np.geomspace(1e-4, 0.1, 8, endpoint=False), np.linspace(0.1, 1.5, 15)])
# Above this many radians of the trapezoid rule the growth of the integrand is worth measuring.
_MANY_STEPS = 2500.0
# Classes are processed in blocks, so that the work array stays small for any number of them.
BLOCK = 256
# (-1)^k / k, k = 2 ... 17.
_LOG_TERMS = ((-1.0) ** np.arange(16) / np.arange(2.0, 18.0)).tolist()


@dataclass(frozen=True)
class TiltedBetas:
    """Independent weighted Betas under a common tilt, each seen from its smaller side.

    A class whose mode exceeds 1/2 is reflected (theta -> 1 - theta), so that ``p <= q = 1 - p``
    and the distance to the near end keeps all its digits.

    Attributes
    ----------
    a, b : exponents at the near and the far end.
    weight : signed weight of the reflected variable.
    tilt : c times `weight`.
    p, q : mode in log-odds and its complement.
    shift : mode less untilted mean of the reflected variable.
    flipped : whether the variable was reflected.
    """

    a: Floats
    b: Floats
    weight: Floats
    tilt: Floats
    p: Floats
    q: Floats
    shift: Floats
    flipped: NDArray[np.bool_]

    @property
    def curvature(self) -> Floats:
        """Minus the second derivative of the log density in y at the mode."""
        return self.p * self.q * (self.a + self.b - self.tilt * (self.q - self.p))

    @property
    def variance(self) -> Floats:
        """Variance of each weighted term, to leading (Laplace) order."""
        return (self.weight * self.p * self.q) ** 2 / self.curvature

    @property
    def mean_less_mode(self) -> Floats:
        """Tilted mean less the mode of each weighted term, to second Laplace order."""
        return -self.weight * self.tilt * (self.p * self.q) ** 3 / self.curvature**2

    def block(self, index: Any) -> "TiltedBetas":
        """Return some of the classes."""
        return TiltedBetas(*(getattr(self, name)[index] for name in self.__dataclass_fields__))

    def column(self) -> "TiltedBetas":
        """Return the same classes as a column, to broadcast against nodes."""
        return self.block((slice(None), np.newaxis))


def tilt_betas(a: Floats, b: Floats, weights: Floats, c: float) -> TiltedBetas:
    """Tilt independent weighted Betas by exp(c w theta)."""
    n = a + b
    k = c * weights
    root = np.where(
        k > 0,
        np.hypot(n - k, 2 * np.sqrt(np.maximum(k, 0.0) * a)),
        np.hypot(n + k, 2 * np.sqrt(np.maximum(-k, 0.0) * b)),
    )
    # Two forms of one root of k p^2 + (n - k) p - a = 0: each is free of cancellation on its side.
    guard = np.where(k == 0, 1.0, k)
    p = np.where(k <= n, 2 * a / (np.maximum(n - k, 0.0) + root), (k - n + root) / (2 * guard))
    q = np.where(k >= -n, 2 * b / (np.maximum(n + k, 0.0) + root), (n + k - root) / (2 * guard))
    flip = p > q
    p, q = np.where(flip, q, p), np.where(flip, p, q)
    sign = np.where(flip, -1.0, 1.0)
    return TiltedBetas(
        a=np.where(flip, b, a),
        b=np.where(flip, a, b),
        weight=sign * weights,
        tilt=sign * k,
        p=p,
        q=q,
        shift=sign * k * p * q / n,
        flipped=flip,
    )


def log_weight(terms: TiltedBetas, d: Floats) -> Floats:
    """Log density of the log-odds at distance d from the mode, less its value there.

    `terms` is a column of classes, `d` has shape (n_classes, n_nodes).
    """
    n = terms.a + terms.b
    # Past the middle of (0, 1), log(1 + p expm1(d)) is written from the other end.
    far = d > np.log1p(1 / terms.p)
    near_d = np.where(far, 0.0, d)
    growth, excess = np.expm1(near_d), expm1mx(near_d)
    core = -n * (log1pmx(terms.p * growth) + terms.p * excess)
    far_d = np.where(far, d, 0.0)
    tail = -n * (terms.q * far_d + np.log(terms.p + terms.q * np.exp(-far_d)))
    bend = (excess - terms.p * d * growth) / (1 + terms.p * growth)
    bend = np.where(np.abs(d) < 1, bend, _relative_step(terms, d) - d)
    return np.where(far, tail, core) + terms.tilt * terms.p * terms.q * bend


def _relative_step(terms: TiltedBetas, d: Floats) -> Floats:
    """(theta - p) / (p q) at log-odds d away from the mode."""
    fade = np.exp(-np.abs(d))
    step = np.expm1(-np.abs(d))
    return np.where(d > 0, -step / (terms.p + terms.q * fade), step / (terms.q + terms.p * fade))


def deviation(terms: TiltedBetas, d: Floats) -> Floats:
    """Weighted variable less its mode, at log-odds d away from the mode."""
    return terms.weight * terms.p * terms.q * _relative_step(terms, d)


def _log_odds_reach(terms: TiltedBetas) -> tuple[Floats, Floats]:
    """Distances in log-odds, to the left and right, at which the weight falls below exp(-REACH).

    An end with exponent e is reached by x + sqrt(2 x), x = REACH / e; a Gamma variable falls
    double-exponentially away from its end. The guesses are checked, and searched for where they
    fall short or go much too far.
    """
    core, near, far = (REACH / order for order in (terms.curvature, terms.a, terms.b))
    slow = [x + np.sqrt(2 * x) for x in (core, near, far)]
    left = np.stack([slow[1], slow[0]], axis=1)
    right = np.stack([np.log1p(slow[0]), slow[2] + np.log(terms.q / terms.p)], axis=1)
    depth = -log_weight(terms.column(), np.concatenate([-left, right], axis=1))
    return (
        _first_that_holds(terms, -1, left, depth[:, :2]),
        _first_that_holds(terms, 1, right, depth[:, 2:]),
    )


def _first_that_holds(terms: TiltedBetas, side: int, guesses: Floats, depth: Floats) -> Floats:
    """Smallest guess of a reach that is neither short nor excessive; a search where none is."""
    holds = (depth >= REACH) & (depth < 3 * REACH)
    reach: Floats = np.where(holds, guesses, np.inf).min(axis=1)
    lost = np.flatnonzero(np.isinf(reach))
    if lost.size:
        reach[lost] = _search_reach(terms.block(lost), side)
    return reach


def _search_reach(terms: TiltedBetas, side: int) -> Floats:
    """Distance in log-odds at which the weight falls below exp(-REACH), to 2 %."""
    column = terms.column()

    def falls_short(d: Floats) -> NDArray[np.bool_]:
        return log_weight(column, side * d[:, np.newaxis])[:, 0] > -REACH

    far = np.sqrt(2 * REACH / terms.curvature)
    while (short := falls_short(far)).any():
        far = np.where(short, 1.5 * far, far)
    near = np.zeros_like(far)
    while ((far - near) > 0.02 * far).any():
        middle = 0.5 * (near + far)
        short = falls_short(middle)
        near, far = np.where(short, middle, near), np.where(short, far, middle)
    return far


@dataclass(frozen=True)
class Extent:
    """How far each class reaches: in log-odds, and as a weighted deviation on either side."""

    left: Floats
    right: Floats
    low: Floats
    high: Floats
    order: Floats

    def block(self, index: Any) -> "Extent":
        """Return some of the classes."""
        return Extent(*(getattr(self, name)[index] for name in self.__dataclass_fields__))


def extent(terms: TiltedBetas) -> Extent:
    """Measure the classes: everything beyond the returned reach weighs less than 4e-18."""
    left, right = _log_odds_reach(terms)
    first, last = deviation(terms, -left), deviation(terms, right)
    touches_near = np.exp(-left) < 0.25
    touches_far = terms.q + terms.p * np.exp(np.minimum(right, 700.0)) > 4.0
    order = np.minimum(
        np.where(touches_near, terms.a, np.inf), np.where(touches_far, terms.b, np.inf)
    )
    return Extent(left, right, np.minimum(first, last), np.maximum(first, last), order)


def _log_mgf(terms: TiltedBetas, mass: Floats) -> Floats:
    """Log E[exp(c w (theta - mode))] of each class; `mass` is the integral of its weights.

    The normalising log Beta function enters by its Stirling remainders alone, which stay exact
    where the difference of log Gammas would lose eight digits (n = 1e9).
    """
    n = terms.a + terms.b
    mean, rest = terms.a / n, terms.b / n
    up, down = terms.shift / mean, -terms.shift / rest
    log_up = np.where(
        np.abs(up) < 0.3, log1pmx(np.clip(up, -0.3, 0.3)), np.log(terms.p / mean) - up
    )
    log_down = np.where(
        np.abs(down) < 0.3, log1pmx(np.clip(down, -0.3, 0.3)), np.log(terms.q / rest) - down
    )
    remainders = stirling_remainder(terms.a) + stirling_remainder(terms.b) - stirling_remainder(n)
    log_norm = 0.5 * np.log(2 * np.pi / (n * mean * rest)) + remainders
    return terms.a * log_up + terms.b * log_down + np.log(mass) - log_norm


def _bandwidth(terms: TiltedBetas, reach: Extent, t_max: Floats) -> Floats:
    """Bandwidth in log-odds of the weights times exp(i t w theta), |t| <= t_max.

    Shifting the path by i s costs at most the growth of the integrand and gains exp(-s bandwidth).
    The growth is bounded by that of a Gamma variable near one end, and by that of a Beta variable
    at the middle of (0, 1); where both bounds are poor it is measured. The best s is taken over a
    grid.
    """
    column = terms.column()
    rate = (t_max * np.abs(terms.weight))[:, np.newaxis]
    core = column.curvature
    slack = np.cos(_SHIFTS) - rate * column.p * column.q / core * np.sin(_SHIFTS)
    gamma_like = np.where(slack > 0, -core * np.log(np.where(slack > 0, slack, 1.0)), np.inf)
    half = np.tan(_SHIFTS / 2)
    beta_like = 0.5 * (rate * half + (column.a + column.b) * np.log1p(half**2))
    # max over r of r (1 - r) / (1 + r)^3 is 0.0962: how far the shift moves the real part of theta.
    beta_like = beta_like + 0.1925 * np.abs(column.tilt) * half**2
    bandwidth: Floats = ((REACH + np.minimum(gamma_like, beta_like)) / _SHIFTS).min(axis=1)
    steps = bandwidth * (reach.left + reach.right)
    for i in np.flatnonzero(steps > _MANY_STEPS):
        growth = _growth(terms.block(slice(i, i + 1)), reach.left[i], reach.right[i], rate[i, 0])
        bandwidth[i] = min(bandwidth[i], ((REACH + growth) / _SHIFTS).min())
    return bandwidth


def _growth(term: TiltedBetas, left: float, right: float, rate: float) -> Floats:
    """Log growth of the integrand of one class on paths shifted by each of `_SHIFTS`."""
    d = np.linspace(-min(left, 50.0), min(right, 50.0), 64)[:, np.newaxis] + 1j * _SHIFTS
    odds = term.p * np.exp(d)
    theta = odds / (term.q + odds)
    n = term.a + term.b
    weight = n * (term.p * d - np.log(term.q + odds)) + term.tilt * (
        theta - term.p - term.p * term.q * d
    )
    growth: Floats = np.maximum((weight.real + rate * np.abs(theta.imag)).max(axis=0), 0.0)
    return growth


def _nodes(terms: TiltedBetas, reach: Extent, t_max: Floats) -> tuple[Floats, Floats]:
    """Trapezoid nodes (as weighted deviations from the mode) and their weights.

    The log-odds are v + exp(-v0) - exp(-(v + v0)) + exp(v - v1) - exp(-v1): uniform in the bulk,
    and spread out exponentially on a side where the weights reach far.
    """
    v0 = np.where(reach.left > _FAR, 2.0, np.inf)
    v1 = np.where(reach.right > _FAR, 2.0 + np.log(terms.q / terms.p), np.inf)
    start = -np.minimum(reach.left, v0 + np.log1p(reach.left))
    stop = np.minimum(reach.right, v1 + np.log1p(reach.right))
    stretch = np.where(np.isfinite(v0) | np.isfinite(v1), 1.15, 1.0)
    bandwidth = stretch * _bandwidth(terms, reach, t_max)
    count = np.ceil(((stop - start) * bandwidth).max() / (2 * np.pi))
    step = (stop - start) / count
    v = start[:, np.newaxis] + step[:, np.newaxis] * np.arange(count + 1)
    fade_left, fade_right = np.exp(-v0)[:, np.newaxis], np.exp(-v1)[:, np.newaxis]
    left, right = fade_left * np.exp(-v), fade_right * np.exp(v)
    d = v + (fade_left - left) + (right - fade_right)
    column = terms.column()
    weights = np.exp(log_weight(column, d)) * (1 + left + right) * step[:, np.newaxis]
    return deviation(column, d), weights


@dataclass(frozen=True)
class Quadrature:
    """Nodes of each class about its mode, weights that sum to one, and log mgfs about the mode.

    Shapes (n_classes, n_nodes), the same, and (n_classes,).
    """

    nodes: Floats
    weights: Floats
    log_mgf: Floats

    @property
    def mean(self) -> Floats:
        """Tilted mean less the mode of each weighted class."""
        mean: Floats = (self.weights * self.nodes).sum(axis=1)
        return mean


def quadrature(terms: TiltedBetas, reach: Extent, t_max: Floats) -> Quadrature:
    """Discretise tilted classes so that their transforms are exact up to t_max, (n_classes,)."""
    nodes, weights = _nodes(terms, reach, t_max)
    mass = weights.sum(axis=1)
    weights /= mass[:, np.newaxis]
    log_mgf = _log_mgf(terms, mass)
    # A small tilt is undone on the nodes themselves: with many classes the logs are many and small.
    small = np.abs(terms.tilt / terms.weight) * np.maximum(-reach.low, reach.high) < 3.0
    if small.any():
        undone = np.expm1(-(terms.tilt[small] / terms.weight[small])[:, np.newaxis] * nodes[small])
        log_mgf[small] = -np.log1p((weights[small] * undone).sum(axis=1))
    return Quadrature(nodes, weights, log_mgf)


def waves_less_one(nodes: Floats, weights: Floats, bases: Floats, offsets: Floats) -> Complexes:
    """Sum over the nodes of weights * (exp(i t nodes) - 1) for t = bases[:, None] + offsets.

    An exponential of a sum factors, so the whole table costs one product of matrices. It is summed
    by einsum, in an order that does not depend on the threads of a linear algebra library. The
    transform is returned as a difference from one, which many classes of small variance are close
    to. Returns shape (n_classes, n_bases, n_offsets).
    """
    row = nodes[:, np.newaxis, :]
    coarse = _expm1i(bases[:, np.newaxis] * row) * weights[:, np.newaxis, :]
    fine = _expm1i(offsets[:, np.newaxis] * row)
    less_one = np.einsum("cbj,coj->cbo", coarse, fine)
    less_one += np.einsum("cj,coj->co", weights, fine)[:, np.newaxis, :]
    less_one += coarse.sum(axis=2, keepdims=True)
    return np.asarray(less_one)


def _expm1i(x: Floats) -> Complexes:
    """exp(i x) - 1."""
    half = np.sin(0.5 * x)
    return -2 * half * half + 1j * np.sin(x)


def end_series(a: float, b: float, z: Complexes) -> Complexes:
    r"""Log of the share of the end theta = 0 in E[exp(z theta)], theta ~ Beta(a, b).

    The confluent hypergeometric function splits exactly into two ends, each a Tricomi function:
    Gamma(a + b) / Gamma(b) (-z)^-a [1 + sum_k (a)_k (1 - b)_k / k! (-z)^-k] for the end 0 (DLMF
    13.7.2), and its mirror image times exp(z) for the end 1. The series is finite for integer b,
    and accurate to rounding for ``|z| >= end_radius(a, b)`` otherwise.
    """
    inverse: Complexes = np.asarray(-1.0 / z)
    radius = float(end_radius(np.asarray(a), np.asarray(b)))
    series = polynomial(inverse * radius, _end_terms(a, b, radius))
    log_factor = float(gammaln(a) - log_beta(a, b))
    return np.asarray(np.log(series) + a * np.log(inverse) + log_factor)


def end_radius(a: Floats, b: Floats) -> Floats:
    """Smallest modulus of z at which `end_series` is used, for either end."""
    return 60.0 + 2.0 * (a + b)


def _end_terms(a: float, b: float, radius: float) -> list[float]:
    """Terms of the series at -z = radius, down to the last one that counts."""
    k = np.arange(200.0)
    ratios = (a + k) * (1 - b + k) / ((k + 1) * radius)
    terms = np.cumprod(np.concatenate([[1.0], ratios]))
    peak = np.maximum.accumulate(np.abs(terms))
    negligible = np.flatnonzero(np.abs(terms) < 1e-18 * peak)
    return list(map(float, terms[: negligible[0]] if negligible.size else terms))


def concentrated_end(near: float, far: float, z: Complexes) -> Complexes:
    r"""Log of E[exp(z u)], u ~ Beta(near, far), when all of its mass is close to u = 0.

    With nu = far - 1 - z the path u = x / nu turns the integral into one of x^(near - 1) exp(-x)
    times exp((far - 1) (log(1 - u) + u)), which varies little for `|nu| >= concentrated_radius`.
    It then needs a fixed number of nodes however large `far` is.
    """
    nu = far - 1 - z
    log_x, log_weights = _gamma_nodes(near)
    u = np.exp(log_x) / nu[:, np.newaxis]
    sums = np.exp(log_weights + (far - 1) * _log1pmx_complex(-u)).sum(axis=1)
    share: Complexes = np.log(sums) - near * np.log(nu) - log_beta(near, far)
    return share


def concentrated_radius(near: Floats, far: Floats) -> Floats:
    """Smallest modulus of nu at which `concentrated_end` is used."""
    return _gamma_reach(near) * np.maximum(2.0, np.sqrt(far) / 3.5)


def _gamma_reach(order: Floats) -> Floats:
    """Where x^order exp(-x) has fallen to exp(-REACH) of its largest value, at most."""
    return np.asarray(order + np.sqrt(2 * REACH * order) + REACH)


def _gamma_nodes(order: float) -> tuple[Floats, Floats]:
    """Log nodes and log weights for the integral of x^(order - 1) exp(-x) over (0, inf).

    log x = v - exp(-v): exponentially spread out towards zero, where a small order decays slowly.
    """
    bandwidth = ((REACH - order * np.log(np.cos(_SHIFTS))) / _SHIFTS).min()
    low = np.log(order) - REACH / order - np.sqrt(2 * REACH / order)
    high = np.log(_gamma_reach(np.asarray(order)))
    start, stop = (low if low > 0 else -np.log1p(-low)), high + np.exp(-high)
    v = np.linspace(start, stop, int(np.ceil((stop - start) * bandwidth / (2 * np.pi))) + 1)
    log_x = v - np.exp(-v)
    return log_x, order * log_x - np.exp(log_x) + np.log1p(np.exp(-v)) + np.log(v[1] - v[0])


def _log1pmx_complex(x: Complexes) -> Complexes:
    """log(1 + x) - x for complex x away from -1."""
    small = np.where(np.abs(x) < 0.1, x, 0.0)
    series = -small * small * polynomial(small, _LOG_TERMS)
    return np.where(np.abs(x) < 0.1, series, np.log(1 + x) - x)
