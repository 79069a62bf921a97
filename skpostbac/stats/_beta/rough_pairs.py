"""Quantiles and tails of weighted sums of two Betas whose transforms decay slowly, many at once.

With positive weights, X = v theta + w eta and F the cdf of eta,

    P(X <= x) = E[F((x - v theta) / w)],

where the argument of F lies in (0, 1) for theta between max(0, (x - w) / v) and min(1, x / v), and
F is 1 below. Theta is the narrower one of both, and only where its density is not negligible does
the integrand count. Classes with few errors have powers at the ends of this range, which the
tanh-sinh rule integrates (Takahasi and Mori, Publ. RIMS 9, 1974). Its error is about the square of
that with every second node, which is known at no cost. Where this is not small, no quantile is
found here.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import betainc, betaincc, betaincinv

from skpostbac._utils import Bools, Floats
from skpostbac.stats._beta.moments import variances
from skpostbac.stats._distribution import Tails
from skpostbac.stats._numerics import Rows, log_beta

# Step of the rule, and its largest argument. At 4 a share of 6e-38 of the range is left out, and
# so less than 1e-15 of the probability if no exponent is smaller than this one.
_STEP, _LAST, _LEAST_EXPONENT = 0.04, 4.0, 0.4
# Larger sums of exponents lose digits where x is near a weight.
_LARGEST = 3e3
# Largest errors of the rule with every second node, of a probability, relative to a small one, and
# relative to a density: those of the rule are about their squares. Where x is very near a weight,
# a power just beyond the range lets them fall less, which the step makes up for.
_DOUBTFUL, _DOUBTFUL_TAIL, _DOUBTFUL_DENSITY = 1e-8, 1e-6, 1e-5
# Probability of theta beyond each end of its range, and most of a density at the outermost nodes,
# about what is left out there.
_LEFT_OUT, _MOST_LEFT_OUT = 1e-18, 1e-12
# Smallest tails that are computed with that range, and with the whole one.
_LEAST_TAIL, _LEAST_FAR_TAIL = 1e-5, 1e-25
# With a larger exponent a density falls to zero at an end.
_FALLING = 2.0
# Newton's step from a log tail with no more than this error is the last: it leaves the square.
_LAST_STEP, _MOST_STEPS = 1e-7, 12
# Steps with every second node end with this error, or after so many.
_CLOSE, _COARSE_STEPS = 1e-4, 5
# Quantiles that are computed together: about a megabyte for an array over their nodes.
_BLOCK = 512
# More quantiles of a sum than this cost less by its contour, which serves all of them.
MOST_PLACES = 16
_TINY = 1e-300


def _rule() -> tuple[Floats, Floats, Floats]:
    """Return the places of the nodes in (0, 1), their complements and their weights."""
    t = _STEP * np.arange(-round(_LAST / _STEP), round(_LAST / _STEP) + 1)
    u = np.pi * np.sinh(t)
    share, rest = 1 / (1 + np.exp(-u)), 1 / (1 + np.exp(u))
    return share, rest, _STEP * np.pi * np.cosh(t) * share * rest


_SHARE, _REST, _WEIGHT = _rule()


@dataclass(frozen=True)
class Pairs(Rows):
    """Sums of two Betas with positive weights, shape (m, 2), the narrower one first.

    Attributes
    ----------
    log_betas : logs of the Beta functions.
    reach : where the first variable has nearly all its probability.
    """

    a: Floats
    b: Floats
    weights: Floats
    log_betas: Floats
    reach: Floats

    @classmethod
    def of(cls, a: Floats, b: Floats, weights: Floats) -> "Pairs":
        near, far = np.stack([a[:, 0], b[:, 0]]), np.stack([b[:, 0], a[:, 0]])
        # Where both densities are infinite at one end, what is beside it counts.
        low, high = np.where(near > _FALLING, betaincinv(near, far, _LEFT_OUT), 0.0)
        return cls(a, b, weights, log_beta(a, b), np.stack([low, 1 - high], axis=1))

    @property
    def mean(self) -> Floats:
        """Mean of each sum, shape (m, 1)."""
        return np.asarray((self.weights * self.a / (self.a + self.b)).sum(axis=1, keepdims=True))

    @property
    def variance(self) -> Floats:
        """Variance of each sum, shape (m, 1)."""
        return np.asarray(variances(self.a, self.b, self.weights).sum(axis=1, keepdims=True))

    def like_beta(self, p: Floats) -> Floats:
        """Return quantiles of a Beta of the same support, mean and variance, shape (m, n)."""
        width = self.weights.sum(axis=1, keepdims=True)
        mean = self.mean / width
        size = mean * (1 - mean) * width * width / self.variance - 1
        return np.asarray(width * betaincinv(size * mean, size * (1 - mean), p))

    def unbounded(self) -> "Pairs":
        """Return the same with the whole range of the first variable."""
        return replace(self, reach=np.broadcast_to([0.0, 1.0], self.reach.shape))

    def has_pole_at(self, x: Floats) -> Bools:
        """Return where one variable is 0, the other is 1, and both densities are too high."""
        (a, c), (b, d), (v, w) = (values.T for values in (self.a, self.b, self.weights))
        return np.asarray(((x == v) & (b + c <= 1)) | ((x == w) & (a + d <= 1)))

    def at(self, x: Floats, stride: int = 1) -> tuple[Floats, Floats, Floats, Floats]:
        """Return cdf, density and errors of both with every second node at x, (m, n).

        That of the density is relative.
        """
        nodes = Nodes.of(self, x, stride)
        (cdf, _), (error, _) = nodes.tails_and_errors()
        total, doubt = nodes.density_and_doubt()
        return cdf, total, error, doubt


@dataclass(frozen=True)
class Nodes:
    """Nodes of the rule for the sums at x, shape (m, n, n_nodes); parameters are (m, 1, 1).

    Attributes
    ----------
    parameters : a and b of theta, those of eta, the weights v and w and the log Beta function of
        eta.
    slopes : derivatives of the ends of the range of theta.
    low, length : where this range begins, and how long it is.
    share, rest : places of the nodes in it and their complements.
    theta, other : theta and 1 - theta.
    y, z : argument of the cdf of eta and its complement.
    weights : those of the rule, with the density of theta.
    """

    parameters: tuple[Floats, ...]
    slopes: tuple[Floats, Floats]
    low: Floats
    length: Floats
    share: Floats
    rest: Floats
    theta: Floats
    other: Floats
    y: Floats
    z: Floats
    weights: Floats

    @classmethod
    def of(cls, pairs: Pairs, x: Floats, stride: int = 1) -> "Nodes":
        """Place every `stride`-th node."""
        fields = (pairs.a, pairs.b, pairs.weights, pairs.log_betas, pairs.reach)
        (a, c), (b, d), (v, w), (log_beta_a, log_beta_c), (first, last) = (
            values.T[:, :, np.newaxis, np.newaxis] for values in fields
        )
        share, rest, weight = _SHARE[::stride], _REST[::stride], stride * _WEIGHT[::stride]
        x = x[..., np.newaxis]
        low, high = np.maximum(first, (x - w) / v), np.minimum(last, x / v)
        length = np.maximum(high - low, 0.0)
        left, right = length * share, length * rest
        theta, other = low + left, (1 - high) + right
        # The argument of F and its complement, without cancellation.
        above, below = x - v * last, w - (x - v * first)
        y, z = (np.maximum(above, 0.0) + v * right) / w, (np.maximum(below, 0.0) + v * left) / w
        weights = np.exp((a - 1) * np.log(theta) + (b - 1) * np.log(other) - log_beta_a)
        weights *= length * weight
        parameters, slopes = (a, b, c, d, v, w, log_beta_c), ((below < 0) / v, (above < 0) / v)
        return cls(parameters, slopes, low, length, share, rest, theta, other, y, z, weights)

    def tails_and_errors(self) -> tuple[Floats, Floats]:
        """Return P(X <= x) and P(X > x), shape (2, m, n), and the errors with every second node."""
        a, b, c, d, *_ = self.parameters
        # Terms of both are accurate where they are small.
        is_upper = self.y * (c + d) > c
        one, two = np.where(is_upper, d, c), np.where(is_upper, c, d)
        tail = betainc(one, two, np.where(is_upper, self.z, self.y))
        rest = 1 - tail
        terms = self.weights * np.where(is_upper, [rest, tail], [tail, rest])
        total = terms.sum(axis=-1)
        error = np.abs(2 * terms[..., ::2].sum(axis=-1) - total)
        beyond = [betainc(a, b, self.low), betaincc(a, b, self.low + self.length)]
        return total + np.stack(beyond)[..., 0], error

    @cached_property
    def densities(self) -> Floats:
        """Terms of the density."""
        _, _, c, d, _, w, log_beta_c = self.parameters
        logs = (c - 1) * np.log(self.y) + (d - 1) * np.log(self.z) - log_beta_c
        return np.asarray(self.weights * np.exp(logs) / w)

    def density_and_doubt(self) -> tuple[Floats, Floats]:
        """Return the density, and its relative error with every second node.

        The error is infinite if too much is left out at the ends.
        """
        terms = self.densities
        total, half = terms.sum(axis=-1), terms[..., ::2].sum(axis=-1)
        # Both densities may be infinite at one end, where x is a weight, or very near one.
        left_out = (terms[..., 0] + terms[..., -1]) / total
        return total, np.where(left_out < _MOST_LEFT_OUT, np.abs(2 * half - total) / total, np.inf)

    def derivatives(self) -> tuple[Floats, Floats]:
        """Return both derivatives of the density.

        At a fixed share of the range, all factors of a term are powers of linear functions of x.
        """
        (a, b, c, d, v, w, _), (slope_of_low, slope_of_high) = self.parameters, self.slopes
        growth = slope_of_high - slope_of_low
        shift = slope_of_low + growth * self.share
        rates = [
            (np.ones(1), growth / self.length),
            (a - 1, shift / self.theta),
            (b - 1, -shift / self.other),
            (c - 1, (1 - v * slope_of_high + v * growth * self.rest) / (w * self.y)),
            (d - 1, (v * slope_of_low - 1 + v * growth * self.share) / (w * self.z)),
        ]
        slope, bend = np.zeros_like(self.y), np.zeros_like(self.y)
        for power, rate in rates:
            change = power * rate
            slope += change
            bend -= change * rate
        bend += slope * slope
        return (self.densities * slope).sum(axis=-1), (self.densities * bend).sum(axis=-1)


def rough_tails(
    a: Floats, b: Floats, weights: Floats, to_low: Floats, to_high: Floats
) -> tuple[Tails, Bools]:
    """Tails and density at distances from both ends of the support, and which are accurate.

    The parameters of one sum have the shape (2,), the distances (n,). The errors are below 1e-12,
    and below 1e-9 of a tail or density.
    """
    if not is_fit(a, b, weights).all():
        unknown = np.zeros(to_low.shape)
        return Tails(unknown, unknown, unknown), np.zeros(to_low.shape, dtype=bool)
    pairs, is_upper = seen_from_nearer_end(a[np.newaxis], b[np.newaxis], weights[np.newaxis])
    y = to_high if is_upper[0, 0] else to_low
    with np.errstate(all="ignore"):
        tails, is_known = _tails(pairs, y, _LEAST_TAIL)
        if not is_known.all():
            # In small tails the range of theta is another one.
            far, is_far_known = _tails(pairs.unbounded(), y[~is_known], _LEAST_FAR_TAIL)
            tails = tails.replaced(~is_known, far)
            is_known[~is_known] = is_far_known
    if is_upper[0, 0]:
        tails = Tails(tails.log_ccdf, tails.log_cdf, tails.log_pdf)
    return tails, is_known


def _tails(pairs: Pairs, y: Floats, least: float) -> tuple[Tails, Bools]:
    """Tails of one sum not less than `least`, and density, and which of them are accurate."""
    nodes = Nodes.of(pairs, y[np.newaxis])
    tails, errors = (values[:, 0] for values in nodes.tails_and_errors())
    log_below, log_above = np.log(tails)
    density, doubt = (values[0] for values in nodes.density_and_doubt())
    is_pole = pairs.has_pole_at(y)
    density[is_pole], doubt[is_pole] = np.inf, 0.0
    # In relation to the tail, the error of the rule is about the square of that.
    is_doubtful = (errors > _DOUBTFUL_TAIL * tails) | (errors > _DOUBTFUL * np.sqrt(tails))
    is_known = ~is_doubtful.any(axis=0) & (doubt < _DOUBTFUL_DENSITY)
    return Tails(log_below, log_above, np.log(density)), is_known & (tails.min(axis=0) >= least)


def is_accurate(error: Floats, error_of_density: Floats) -> Bools:
    """Return where errors with every second node tell that those of the rule are small."""
    return np.asarray((error < _DOUBTFUL) & (error_of_density < _DOUBTFUL_DENSITY))


def is_fit(a: Floats, b: Floats, weights: Floats) -> Bools:
    """Return which variables the rule can integrate."""
    fit = (weights != 0) & (np.minimum(a, b) >= _LEAST_EXPONENT) & (a + b <= _LARGEST)
    return np.asarray(fit)


def rough_quantiles(a: Floats, b: Floats, weights: Floats, p: Floats, q: Floats) -> Floats:
    """Return the x with P(X <= x) = p = 1 - q, shape (m, n); NaN if not found.

    The parameters of the sums have the shape (m, 2). The errors are below 1e-12 in probability.
    """
    found = np.full(p.shape, np.nan)
    fit = is_fit(a, b, weights).all(axis=1)
    rows, size = np.flatnonzero(fit), max(1, _BLOCK // max(1, p.shape[1]))
    for start in range(0, rows.size, size):
        part = rows[start : start + size]
        found[part] = _quantiles(a[part], b[part], weights[part], p[part], q[part])
    return found


def _quantiles(a: Floats, b: Floats, weights: Floats, p: Floats, q: Floats) -> Floats:
    pairs, is_upper = seen_from_nearer_end(a, b, weights)
    y = pair_quantiles(pairs, np.where(is_upper, q, p), np.where(is_upper, p, q))
    low = np.minimum(weights, 0.0).sum(axis=1, keepdims=True)
    high = np.maximum(weights, 0.0).sum(axis=1, keepdims=True)
    return np.asarray(np.where(is_upper, high - y, low + y))


def seen_from_nearer_end(a: Floats, b: Floats, weights: Floats) -> tuple[Pairs, Bools]:
    """Return sums with positive weights, and which are seen from the upper end, (m, 1).

    It is the end that is nearer to the mean.
    """
    low = np.minimum(weights, 0.0).sum(axis=1, keepdims=True)
    high = np.maximum(weights, 0.0).sum(axis=1, keepdims=True)
    mean = (weights * a / (a + b)).sum(axis=1, keepdims=True)
    is_upper = high - mean < mean - low
    is_mirrored = (weights < 0) != is_upper
    a, b = np.where(is_mirrored, b, a), np.where(is_mirrored, a, b)
    weights, variance = np.abs(weights), variances(a, b, weights)
    order = np.argsort(variance, axis=1)
    parts = (np.take_along_axis(values, order, 1) for values in (a, b, weights))
    return Pairs.of(*parts), is_upper


def pair_quantiles(pairs: Pairs, p: Floats, q: Floats) -> Floats:
    """Solve log P(X <= x) = log p, or that of the upper tail if smaller, by Newton's steps."""
    y, width = pairs.like_beta(p), pairs.weights.sum(axis=1, keepdims=True)
    found, rows = np.full(y.shape, np.nan), np.arange(len(y))
    low, high = np.zeros_like(y), np.broadcast_to(width, y.shape)
    # Every second node is enough at first.
    stride = 2
    with np.errstate(all="ignore"):
        for number in range(_MOST_STEPS):
            cdf, density, error, _ = pairs.at(y, stride)
            low, high = np.where(cdf < p, y, low), np.where(cdf < p, high, y)
            is_lower = p <= q
            tail = np.maximum(np.where(is_lower, cdf, 1 - cdf), _TINY)
            missing = np.log(np.minimum(p, q) / tail)
            is_last = (np.abs(missing) <= _LAST_STEP) & (error < _DOUBTFUL) & (stride == 1)
            following = y + np.where(is_lower, missing, -missing) * tail / density
            is_inside = (low < following) & (following < high)
            y = np.where(is_inside | is_last, following, (low + high) / 2)
            if stride > 1 and (number == _COARSE_STEPS or (np.abs(missing) <= _CLOSE).all()):
                stride, low, high = 1, np.zeros_like(y), np.broadcast_to(width[rows], y.shape)
            found[rows] = np.where(is_last, y, np.nan)
            is_open = ~is_last.all(axis=1)
            if not is_open.any():
                break
            rows, pairs = rows[is_open], pairs[is_open]
            y, low, high, p, q = (x[is_open] for x in (y, low, high, p, q))
    return found
