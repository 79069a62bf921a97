"""Quantiles and tails of weighted sums of two Betas whose transforms decay slowly, many at once.

With positive weights, X = v theta + w eta and F the cdf of eta,

    P(X <= x) = E[F((x - v theta) / w)],

where the argument of F lies in (0, 1) for theta between max(0, (x - w) / v) and min(1, x / v), and
F is 1 below. Classes with few errors have powers at the ends of this range, which the tanh-sinh
rule integrates (Takahasi and Mori, Publ. RIMS 9, 1974). Its error is about the square of that with
every second node, which is known at no cost. Where this is not small, as for an interior peak that
is narrow beside the range, no quantile is found here.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, betaincinv

from skpostbac._utils import Bools, Floats
from skpostbac.stats._beta.moments import variances
from skpostbac.stats._distribution import Tails
from skpostbac.stats._numerics import Rows, log_beta
from skpostbac.stats._smooth import LEAST

# Step of the rule, and its largest argument. At 4 a share of 6e-38 of the range is left out, and
# so less than 1e-15 of the probability if no exponent is smaller than this one.
_STEP, _LAST, _LEAST_EXPONENT = 0.075, 4.0, 0.4
# Larger sums of exponents lose digits where x is near a weight.
_LARGEST = 3e3
# Largest errors of the rule with every second node, of a probability and relative to a density:
# those of the rule are about their squares.
_DOUBTFUL, _DOUBTFUL_DENSITY = 1e-9, 1e-6
# Newton's step from a log tail with no more than this error is the last: it leaves the square.
_LAST_STEP, _MOST_STEPS = 1e-7, 12
# Quantiles that are computed together: about a megabyte for an array over their nodes.
_BLOCK = 1024
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
class _Pairs(Rows):
    """Sums of two Betas with positive weights, shape (m, 2), the wider one first.

    `log_betas` are the logs of the Beta functions.
    """

    a: Floats
    b: Floats
    weights: Floats
    log_betas: Floats

    @classmethod
    def of(cls, a: Floats, b: Floats, weights: Floats) -> "_Pairs":
        return cls(a, b, weights, log_beta(a, b))

    def at(self, x: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return cdf, density and errors of both with every second node at x, (m, n).

        That of the density is relative, and at least the root of what the ends leave out.
        """
        fields = (self.a, self.b, self.weights, self.log_betas)
        (a, c), (b, d), (v, w), (log_beta_a, log_beta_c) = (
            values.T[:, :, np.newaxis, np.newaxis] for values in fields
        )
        x = x[..., np.newaxis]
        low, high = np.maximum(0.0, (x - w) / v), np.minimum(1.0, x / v)
        length = high - low
        left, right = length * _SHARE, length * _REST
        theta, other = low + left, (1 - high) + right
        # The argument of F and its complement, without cancellation.
        y, z = (np.maximum(x - v, 0.0) + v * right) / w, (np.maximum(w - x, 0.0) + v * left) / w
        is_upper = y > 0.5
        tail = betainc(np.where(is_upper, d, c), np.where(is_upper, c, d), np.minimum(y, z))
        density = np.exp((a - 1) * np.log(theta) + (b - 1) * np.log(other) - log_beta_a)
        density *= length * _WEIGHT
        terms = density * np.where(is_upper, 1 - tail, tail)
        cdf = terms.sum(axis=-1)
        density *= np.exp((c - 1) * np.log(y) + (d - 1) * np.log(z) - log_beta_c)
        error = np.abs(2 * terms[..., ::2].sum(axis=-1) - cdf)
        cdf += betainc(a, b, low)[..., 0]
        total, half = density.sum(axis=-1), density[..., ::2].sum(axis=-1)
        # Both densities may be infinite at one end, where x is a weight, or very near one.
        left_out = (density[..., 0] + density[..., -1]) / total
        doubt = np.maximum(np.abs(2 * half - total) / total, np.sqrt(left_out))
        return cdf, total / w[..., 0], error, doubt


def rough_tails(
    a: Floats, b: Floats, weights: Floats, to_low: Floats, to_high: Floats
) -> tuple[Tails, Bools]:
    """Tails and density at distances from both ends of the support, and which are accurate.

    The parameters of one sum have the shape (2,), the distances (n,). The errors are below 1e-12,
    and of a tail or density not less than `LEAST` below 1e-9 of it.
    """
    if not _is_fit(a, b, weights).all():
        unknown = np.zeros(to_low.shape)
        return Tails(unknown, unknown, unknown), np.zeros(to_low.shape, dtype=bool)
    pairs, is_upper = _seen_from_nearer_end(a[np.newaxis], b[np.newaxis], weights[np.newaxis])
    with np.errstate(all="ignore"):
        y = to_high if is_upper[0, 0] else to_low
        cdf, density, error, error_of_density = (x[0] for x in pairs.at(y[np.newaxis]))
        is_known = (error < _DOUBTFUL) & (error_of_density < _DOUBTFUL_DENSITY)
        is_known &= (cdf >= LEAST) & (1 - cdf >= LEAST)
        below, above = (1 - cdf, cdf) if is_upper[0, 0] else (cdf, 1 - cdf)
        return Tails(np.log(below), np.log(above), np.log(density)), is_known


def _is_fit(a: Floats, b: Floats, weights: Floats) -> Bools:
    """Return which variables the rule can integrate."""
    fit = (weights != 0) & (np.minimum(a, b) >= _LEAST_EXPONENT) & (a + b <= _LARGEST)
    return np.asarray(fit)


def rough_quantiles(a: Floats, b: Floats, weights: Floats, p: Floats, q: Floats) -> Floats:
    """Return the x with P(X <= x) = p = 1 - q, shape (m, n); NaN if not found.

    The parameters of the sums have the shape (m, 2). The errors are below 1e-12 in probability.
    """
    found = np.full(p.shape, np.nan)
    fit = _is_fit(a, b, weights).all(axis=1)
    rows, size = np.flatnonzero(fit), max(1, _BLOCK // max(1, p.shape[1]))
    for start in range(0, rows.size, size):
        part = rows[start : start + size]
        found[part] = _quantiles(a[part], b[part], weights[part], p[part], q[part])
    return found


def _quantiles(a: Floats, b: Floats, weights: Floats, p: Floats, q: Floats) -> Floats:
    pairs, is_upper = _seen_from_nearer_end(a, b, weights)
    y = _newton(pairs, np.where(is_upper, q, p), np.where(is_upper, p, q))
    low = np.minimum(weights, 0.0).sum(axis=1, keepdims=True)
    high = np.maximum(weights, 0.0).sum(axis=1, keepdims=True)
    return np.asarray(np.where(is_upper, high - y, low + y))


def _seen_from_nearer_end(a: Floats, b: Floats, weights: Floats) -> tuple[_Pairs, Bools]:
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
    order = np.argsort(-variance, axis=1)
    parts = (np.take_along_axis(values, order, 1) for values in (a, b, weights))
    return _Pairs.of(*parts), is_upper


def _newton(pairs: _Pairs, p: Floats, q: Floats) -> Floats:
    """Solve log P(X <= x) = log p, or that of the upper tail if smaller, by Newton's steps."""
    width = pairs.weights.sum(axis=1, keepdims=True)
    mean = (pairs.weights * pairs.a / (pairs.a + pairs.b)).sum(axis=1, keepdims=True) / width
    variance = variances(pairs.a, pairs.b, pairs.weights).sum(axis=1, keepdims=True)
    # A Beta of the same moments.
    size = mean * (1 - mean) * width * width / variance - 1
    y = width * betaincinv(size * mean, size * (1 - mean), p)
    found, rows = np.full(y.shape, np.nan), np.arange(len(y))
    low, high = np.zeros_like(y), np.broadcast_to(width, y.shape)
    with np.errstate(all="ignore"):
        for _ in range(_MOST_STEPS):
            cdf, density, error, _ = pairs.at(y)
            low, high = np.where(cdf < p, y, low), np.where(cdf < p, high, y)
            is_lower = p <= q
            tail = np.maximum(np.where(is_lower, cdf, 1 - cdf), _TINY)
            missing = np.log(np.minimum(p, q) / tail)
            is_last = (np.abs(missing) <= _LAST_STEP) & (error < _DOUBTFUL)
            following = y + np.where(is_lower, missing, -missing) * tail / density
            is_inside = (low < following) & (following < high)
            y = np.where(is_inside | is_last, following, (low + high) / 2)
            found[rows] = np.where(is_last, y, np.nan)
            is_open = ~is_last.all(axis=1)
            if not is_open.any():
                break
            rows, pairs = rows[is_open], pairs[is_open]
            y, low, high, p, q = (x[is_open] for x in (y, low, high, p, q))
    return found
