r"""Quadrature over the hyperparameters of a hierarchical prior, given the counts of the classes.

Each strength kappa has a row of nodes in the common rate mu = sin(phi / 2)^2, phi = pi expit(v). In
phi a rate is known equally well anywhere. A trapezoid rule that is uniform in the bulk, and spreads
out beyond, where nothing but the prior decays, converges geometrically (Trefethen and Weideman,
SIAM Review 56, 2014). As kappa is bounded no class is ever tied to mu, and a distribution given the
nodes is as smooth as that of its classes: a mixture of such distributions over a fixed set of nodes
has no error but that of this rule.

The posterior density of v at a strength kappa is, up to a factor,

    p(mu) dmu/dv * prod_i [epsilon + (1 - epsilon) R_i],
    R_i = B(k_i + b + up, n_i - k_i + b + down) B(b, b)
          / (B(k_i + b, n_i - k_i + b) B(b + up, b + down)),

with k_i of n_i samples of class i correct, up = mu kappa, down = (1 - mu) kappa, and b and epsilon
of the hyperprior: R_i is the probability of the counts if the class borrows over that if it does
not. The posterior probability that class i is an outlier is epsilon over the factor of the class.
Nodes with a weight below exp(-depth) of the largest are left out.
"""

from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np
from scipy.special import expit

from skpostbac._utils import Bools, Floats, Indices
from skpostbac.stats._hierarchical.hyperprior import (
    Hyperprior,
    log_borrowing,
    log_rate_density,
    log_rise,
)

# Steps of the trapezoid rule at most: in v, and in standard deviations of the posterior of v and
# of the sum given the hyperparameters.
_STEP, _POSTERIOR_STEP, _SUM_STEP = 0.28, 0.42, 0.75
# Nodes are uniform within about this share of the reach of a normal posterior of their depth.
_UNIFORM = 0.77
# At how many places a row is looked at, out to where doubles end, and how often at most, until the
# largest value stands out from the next by no more than this.
_LOOKS, _FARTHEST, _MOST_PEAKS, _SHARP = 41, 340.0, 12, 3.0
# Peaks of classes that disagree are looked for within this many scales.
_FARTHEST_PEAK = 15.0


@dataclass(frozen=True)
class Kinds:
    """Kinds of classes, `count` of each alike: counts of samples and weights in the sum."""

    correct: Floats
    total: Floats
    weights: Floats
    count: Floats

    @classmethod
    def of(cls, correct: Floats, total: Floats, weights: Floats) -> "Kinds":
        """Keep one class of each kind."""
        rows, count = np.unique(np.stack([correct, total, weights]), axis=1, return_counts=True)
        return cls(rows[0], rows[1], rows[2], count.astype(float))

    @property
    def wrong(self) -> Floats:
        """Samples that were not predicted correctly."""
        return self.total - self.correct

    @property
    def share(self) -> Floats:
        """Sum of the absolute weights of each kind."""
        return self.count * np.abs(self.weights)

    def mirrored(self) -> "Kinds":
        """Return the kinds of minus the sum."""
        return Kinds(self.correct, self.total, -self.weights, self.count)

    def where(self, kept: Bools) -> "Kinds":
        """Return some of the kinds."""
        return Kinds(self.correct[kept], self.total[kept], self.weights[kept], self.count[kept])


@dataclass(frozen=True)
class HyperNodes:
    """Nodes of the posterior of the hyperparameters, shape (n_nodes,).

    Attributes
    ----------
    up, down : mu kappa and (1 - mu) kappa, what a class borrows of correct and wrong samples.
    log_norm : log E[theta^up (1 - theta)^down] for an outlier without samples.
    log_weights : log of the posterior weights, of sum one.
    log_evidence : log probability of the counts of each kind, over that for an outlier,
        shape (n_nodes, n_kinds).
    outlier : posterior probability that a class of each kind is an outlier, of the same shape.
    """

    up: Floats
    down: Floats
    log_norm: Floats
    log_weights: Floats
    log_evidence: Floats
    outlier: Floats

    def where(self, kept: Bools) -> "HyperNodes":
        """Return some of the nodes."""
        return HyperNodes(*(getattr(self, field.name)[kept] for field in fields(self)))


def hyper_nodes(kinds: Kinds, hyperprior: Hyperprior, outlier: float, depth: float) -> HyperNodes:
    """Place nodes wherever the posterior is above exp(-depth) of its largest value.

    `outlier` is the prior probability that a class is an outlier.
    """
    posterior = LogPosterior(kinds, hyperprior, outlier)
    kappa, v, log_step = _Rows.of(posterior, depth).nodes()
    density, log_evidence, outliers = posterior.at(v, kappa)
    log_weights = density + log_step
    mu, nu, _ = _rate(v)
    up, down = mu * kappa, nu * kappa
    log_norm = log_borrowing(up, down, hyperprior.base, hyperprior.base)
    nodes = HyperNodes(up, down, log_norm, log_weights, log_evidence, outliers)
    nodes = nodes.where(log_weights > log_weights.max() - depth)
    return replace(nodes, log_weights=nodes.log_weights - np.logaddexp.reduce(nodes.log_weights))


class LogPosterior:
    """Log posterior density of v for each kappa."""

    def __init__(self, kinds: Kinds, hyperprior: Hyperprior, outlier: float) -> None:
        self.kinds, self.hyperprior = kinds, hyperprior
        self.kappa = np.array(hyperprior.kappa)
        self.outlier = outlier

    @cached_property
    def _distinct(self) -> list[tuple[Floats, Indices]]:
        """Distinct counts of correct and wrong samples and of both, and where each belongs."""
        columns = self.kinds.correct, self.kinds.wrong, self.kinds.total
        return [np.unique(column, return_inverse=True) for column in columns]

    def middles(self) -> tuple[Floats, Floats]:
        """Where v is about, for each kappa, and how well it is known."""
        kinds, kappa, rate = self.kinds, self.kappa[:, np.newaxis], self.hyperprior.rate
        known = kinds.count * (kappa + 1) / (kinds.total + kappa)
        size = known @ kinds.total + 2 * rate
        phi = 2 * np.arcsin(np.sqrt((known @ kinds.correct + rate) / size))
        # A rate known from n samples has a standard deviation of n^-1/2 in phi.
        return np.log(phi / (np.pi - phi)), np.pi / (phi * (np.pi - phi) * np.sqrt(size))

    def disagreement(self, middle: Floats) -> Floats:
        """Return how far from each middle the rate of a class may be, in v."""
        kinds, rate = self.kinds, self.hyperprior.rate
        share = (kinds.correct + rate) / (kinds.total + 2 * rate)
        phi = 2 * np.arcsin(np.sqrt(share[kinds.total > 0]))
        places = np.log(phi / (np.pi - phi))
        return np.asarray(np.abs(np.subtract.outer(middle, places)).max(axis=1, initial=0.0))

    def log_evidence(self, up: Floats, down: Floats) -> Floats:
        """Log probability of the counts if a class borrows, over that if it does not.

        Shape (n_nodes, n_kinds).
        """
        base = self.hyperprior.base
        parts = zip(self._distinct, (up, down, up + down), (base, base, 2 * base), strict=True)
        rises = []
        for (values, place), borrowed, exponent in parts:
            # Each kappa has many nodes: what depends on it alone is looked up.
            distinct, row = np.unique(borrowed, return_inverse=True)
            at = np.append(0.0, values) + exponent
            rise = log_rise(at, distinct[:, np.newaxis])
            rises.append((rise[:, 1:] - rise[:, :1])[row][:, place])
        return np.asarray(rises[0] + rises[1] - rises[2])

    def at(self, v: Floats, kappa: Floats) -> tuple[Floats, Floats, Floats]:
        """Log density at some v, and log evidence of each kind and its chance to be an outlier."""
        mu, nu, slope = _rate(v)
        y = np.log(mu) - np.log(nu)
        rate_density = log_rate_density(y, self.hyperprior.rate)
        prior = rate_density + np.log(slope) - np.log(mu) - np.log(nu)
        evidence = self.log_evidence(mu * kappa, nu * kappa)
        outlier = np.zeros_like(evidence)
        if self.outlier:
            own, other = evidence + np.log1p(-self.outlier), np.log(self.outlier)
            outlier, evidence = expit(other - own), np.logaddexp(own, other)
        return prior + evidence @ self.kinds.count, evidence, outlier


@dataclass(frozen=True)
class _Rows:
    """For each kappa the range and the step of the nodes, in scales about a middle."""

    turn: Floats
    kappa: Floats
    middle: Floats
    scale: Floats
    low: Floats
    high: Floats
    step: Floats

    @classmethod
    def of(cls, posterior: LogPosterior, depth: float) -> "_Rows":
        """Look at the posterior of each kappa at a few places."""
        middle, scale = posterior.middles()
        # Where classes disagree, the posterior may have a peak at the rate of each.
        apart = np.minimum(posterior.disagreement(middle) / scale, _FARTHEST_PEAK)
        turn = _UNIFORM * np.sqrt(2 * depth) + apart
        u, v, values = _look(posterior, middle, scale, turn)
        for _ in range(_MOST_PEAKS):
            missed = _missed(u, values, turn)
            if not missed.any():
                break
            peak, width = _peak(v, values)
            middle = np.where(missed, peak, middle)
            scale = np.where(missed, np.minimum(width, scale), scale)
            u, v, values = _look(posterior, middle, scale, turn)
        inside = values > values.max() - depth
        # Each range has a look beyond it on either side.
        wide = inside.copy()
        wide[:-1] |= inside[1:]
        wide[1:] |= inside[:-1]
        smooth = np.where(inside, _smoothness(posterior, v), np.inf).min(axis=0)
        step = np.minimum(_POSTERIOR_STEP, np.minimum(_STEP, _SUM_STEP * smooth) / scale)
        low = np.where(wide, u, np.inf).min(axis=0)
        high = np.where(wide, u, -np.inf).max(axis=0)
        some = np.isfinite(low)
        return cls(*(x[some] for x in (turn, posterior.kappa, middle, scale, low, high, step)))

    def nodes(self) -> tuple[Floats, Floats, Floats]:
        """Return kappa and v at each node, and the log of the step in v."""
        count = np.ceil((self.high - self.low) / self.step).astype(int) + 1
        step = (self.high - self.low) / (count - 1)
        row = np.repeat(np.arange(count.size), count)
        number = np.arange(row.size) - (np.cumsum(count) - count)[row]
        u = self.low[row] + step[row] * number
        v, slope = _spread(u, self.middle[row], self.scale[row], self.turn[row])
        return self.kappa[row], v, np.log(step[row] * slope)


def _look(
    posterior: LogPosterior, middle: Floats, scale: Floats, turn: Floats
) -> tuple[Floats, Floats, Floats]:
    """Log posterior at a few places for each kappa: u, v and values of shape (_LOOKS, r)."""
    farthest = turn + np.log(_FARTHEST / scale)
    u = np.multiply.outer(np.linspace(-1, 1, _LOOKS), farthest)
    v, _ = _spread(u, middle, scale, turn)
    kappa = np.broadcast_to(posterior.kappa, v.shape)
    return u, v, posterior.at(v.ravel(), kappa.ravel())[0].reshape(v.shape)


def _missed(u: Floats, values: Floats, turn: Floats) -> Bools:
    """Find the kappas whose peak is not where the nodes are dense, or is narrower than these."""
    best = np.abs(np.take_along_axis(u, values.argmax(axis=0)[np.newaxis], axis=0)[0])
    first, second = np.sort(values, axis=0)[:-3:-1]
    return np.asarray((best > 0.4 * turn) | (first - second > _SHARP))


def _peak(v: Floats, values: Floats) -> tuple[Floats, Floats]:
    """Top and width of the parabola through the largest values and their neighbours."""
    best = np.clip(values.argmax(axis=0), 1, len(v) - 2)
    near = best + np.array([[-1], [0], [1]])
    x, f = np.take_along_axis(v, near, axis=0), np.take_along_axis(values, near, axis=0)
    left, right = np.maximum(np.diff(x, axis=0), 1e-300)
    before, after = (f[1] - f[0]) / left, (f[2] - f[1]) / right
    turned = np.maximum(before - after, 1e-300)
    top = x[1] + 0.5 * (before * right + after * left) / turned
    return np.clip(top, x[0], x[2]), np.sqrt(0.5 * (left + right) / turned)


def _spread(u: Floats, middle: Floats, scale: Floats, turn: Floats) -> tuple[Floats, Floats]:
    """Return places v at u scales from a middle, which spread out beyond `turn`, and dv/du."""
    up, down = np.exp(u - turn), np.exp(-u - turn)
    v = np.clip(middle + scale * (u + up - down), -_FARTHEST, _FARTHEST)
    return v, scale * (1 + up + down)


def _rate(v: Floats) -> tuple[Floats, Floats, Floats]:
    """Rates mu and 1 - mu at some v, and the slope of mu."""
    low, high = np.pi * expit(v), np.pi * expit(-v)
    mu, nu = np.sin(low / 2) ** 2, np.sin(high / 2) ** 2
    return mu, nu, np.sqrt(mu * nu) * low * high / np.pi


def _smoothness(posterior: LogPosterior, v: Floats) -> Floats:
    """Return the standard deviation of the sum given kappa, over the slope of its mean in v."""
    kinds, base = posterior.kinds, posterior.hyperprior.base
    mu, nu, slope = _rate(v)
    a = (mu * posterior.kappa)[..., np.newaxis] + kinds.correct + base
    b = (nu * posterior.kappa)[..., np.newaxis] + kinds.wrong + base
    variance = (a * b / ((a + b) ** 2 * (a + b + 1))) @ (kinds.count * kinds.weights**2)
    moved = slope * posterior.kappa * (1 / (a + b) @ kinds.share)
    return np.asarray(np.sqrt(variance) / np.maximum(moved, 1e-300))
