r"""Small tails of sums of Betas, by a saddlepoint approximation.

With the cumulant generating function K of a sum X and K'(s) = x, the lower tail is about (Lugannani
and Rice, Advances in Applied Probability 12, 1980; in the form of Barndorff-Nielsen, Biometrika 73,
1986)

    P(X <= x) ~ Phi(r + log(u / r) / r),    r = sign(s) sqrt(2 (s x - K(s))),    u = s sqrt(K''(s)),

and the density exp(K(s) - s x) / sqrt(2 pi K''(s)). All is computed from the distance D of X from
the end of the support to which s pushes it, in which nothing cancels: it has the expectation
E[D exp(-t D)] / E[exp(-t D)] at t = |s|. E[exp(-t D)] is the product of those of the variables, by
quadrature over the log-odds d of v, measured from those of p: with v = p e^d / (q + p e^d),

    B(a, b) p^-a q^-b E[exp(-x v)] = int exp(n p d - n log(q + p e^d) - x v) dd.

The exponent has its maximum where v = 2 a / (n + x + sqrt((n + x)^2 - 4 a x)), with the second
derivative -C, C = a (1 - v)^2 + b v^2. Nodes are even in u with d = d_0 + sinh(u) / sqrt(C), or
closer where C is below 1. In tails below 1e-11 the errors are mostly below 1 %, and with few
perfect classes up to 16 %.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, log_ndtr

from skpostbac._utils import Floats
from skpostbac.stats._beta.betas import Betas
from skpostbac.stats._numerics import stirling_remainder

# A relative step of Newton's that is the last one, and the least log of a tail.
_LAST = 1e-6
# Distances from an end that are not told apart from smaller ones.
_TINY = 1e-140


@dataclass(frozen=True)
class BetaTails:
    """Small tails of sums of Betas; parameters of shape (m, l)."""

    a: Floats
    b: Floats
    weights: Floats

    def logs(self, row: int, to_low: Floats, to_high: Floats) -> Floats:
        """Return logs of P(X <= x), P(X > x) and the density, (3, n), at distances from ends."""
        betas, found = self._betas(row), np.empty((3, to_low.size))
        is_low = to_low < _mean_distance(betas, is_low=True)
        for side, distance, chosen in ((True, to_low, is_low), (False, to_high, ~is_low)):
            width = max(1, 2**12 // betas.p.size)
            for start in range(0, np.count_nonzero(chosen), width):
                columns = np.flatnonzero(chosen)[start : start + width]
                near, far, density = _near_end(betas, distance[columns], is_low=side)
                found[:, columns] = (near, far, density) if side else (far, near, density)
        return found

    def distances(self, row: int, log_tails: Floats, *, is_low: bool) -> Floats:
        """Distances from an end of the points with such tails towards it, shape (n,)."""
        betas = self._betas(row)
        first = np.full(log_tails.shape, -2 - 0.5 * np.log(betas.variance[0]))
        farthest = np.log(betas.near.max() + 1) - np.log(_TINY * betas.size.sum())
        last, found = np.full(log_tails.shape, farthest), first
        for _ in range(50):
            log_t = 0.5 * (first + last)
            log_mgf, found, variance = _tilted(betas, np.exp(log_t), is_low=is_low)
            is_far = _log_tails(np.exp(log_t), found, log_mgf, variance)[0] < log_tails
            first, last = np.where(is_far, first, log_t), np.where(is_far, log_t, last)
        return found

    def _betas(self, row: int) -> Betas:
        return Betas.reflected(*(x[[row]] for x in (self.a, self.b, self.weights)))


def _near_end(betas: Betas, distance: Floats, *, is_low: bool) -> tuple[Floats, Floats, Floats]:
    """Return logs of the tail towards an end, of the other one, and of the density."""
    distance = np.maximum(distance, _TINY * betas.size.sum())
    mean = _mean_distance(betas, is_low=is_low)
    # The tilt of a Gamma variable with the same mean and variance.
    log_t = np.log(np.maximum(mean / distance - 1, _LAST) * (mean / betas.variance))
    low, high = np.full(distance.shape, -np.inf), np.full(distance.shape, np.inf)
    for _ in range(40):
        _, found, variance = _tilted(betas, np.exp(log_t), is_low=is_low)
        is_near = found < distance
        low, high = np.where(is_near, low, log_t), np.where(is_near, log_t, high)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            step = np.log(found / distance) * found / (np.exp(log_t) * variance)
        moved = log_t + np.clip(step, -20.0, 20.0)
        moved = np.where((low < moved) & (moved < high), moved, 0.5 * (low + high))
        moved = np.where(np.isfinite(moved), moved, log_t)
        step, log_t = moved - log_t, moved
        if (np.abs(step) <= _LAST).all():
            break
    t = np.exp(log_t)
    log_mgf, _, variance = _tilted(betas, t, is_low=is_low)
    return _log_tails(t, distance, log_mgf, variance)


def _log_tails(
    t: Floats, distance: Floats, log_mgf: Floats, variance: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return the same at saddlepoints."""
    # Rounding may leave nothing of either.
    variance = np.maximum(variance, np.finfo(float).tiny)
    fall = np.maximum(-(log_mgf + t * distance), _LAST)
    r, u = np.sqrt(2 * fall), t * np.sqrt(variance)
    r = r + np.log(np.maximum(u / r, np.finfo(float).tiny)) / r
    return log_ndtr(-r), log_ndtr(r), -fall - 0.5 * np.log(2 * np.pi * variance)


def _mean_distance(betas: Betas, *, is_low: bool) -> float:
    """Mean distance of the sum from an end."""
    share = np.where((betas.weight > 0) == is_low, betas.p, betas.q)
    return float((betas.count * betas.size * share).sum())


def _tilted(betas: Betas, t: Floats, *, is_low: bool) -> Floats:
    """Log E[exp(-t D)], and mean and variance of D under that tilt, shape (3, n)."""
    kept = betas.size[0] > 0
    weight, count, near, far = (
        x[0, kept, np.newaxis, np.newaxis]
        for x in (betas.weight, betas.count, betas.near, betas.far)
    )
    # Each variable as its distance from the end: a is the exponent there.
    is_near = (weight > 0) == is_low
    a, b = np.where(is_near, near, far), np.where(is_near, far, near)
    n = a + b
    p, q, size = a / n, b / n, np.abs(weight)
    x = size * t[:, np.newaxis]
    # v, 1 - v and v - p at the maximum, each without cancellation where it is small.
    v = 2 * a / _sum_of_root(n + x, -4 * a * x)
    rest = 2 * b / _sum_of_root(n - x, 4 * b * x)
    shift = -2 * x * p * q / _sum_of_root(n + x * (q - p), 4 * x * x * p * q)
    is_small = np.abs(shift) < 0.5 * np.minimum(p, q)
    close = np.log1p(np.where(is_small, shift / p, 0)) - np.log1p(np.where(is_small, -shift / q, 0))
    start = np.where(is_small, close, np.log(v / p) - np.log(rest / q))
    # Beside the maximum v bends where d is about 0, and nodes must not step over that.
    scale = np.minimum(1 / np.sqrt(a * rest**2 + b * v**2), 1.0)
    # What is left out at the ends of the nodes is below exp(-30).
    reach = np.arcsinh(30 / (np.minimum(a, b) * scale) + np.sqrt(60)).max()
    nodes = np.linspace(-reach, reach, 2 * int(np.ceil(reach / 0.16)) + 1)
    d = start + scale * np.sinh(nodes)
    share = expit(d + np.log(p) - np.log(q))
    # n p d - n log(q + p e^d), or the same from n q and -d: p or q may be lost beside the other.
    is_below, size_of_d = d < 0, np.abs(d)
    power, part = np.where(is_below, a, b), np.where(is_below, p, q)
    other = np.where(is_below, q, p)
    close = np.log1p(part * np.expm1(-np.minimum(size_of_d, 0.5)))
    log_sum = np.where(size_of_d < 0.5, close, np.log(other + part * np.exp(-size_of_d)))
    height = -power * size_of_d - n * log_sum - x * share
    top = height.max(axis=-1, keepdims=True)
    mass = np.exp(height - top) * np.cosh(nodes)
    total = mass.sum(axis=-1, keepdims=True)
    mean = (mass * share).sum(axis=-1, keepdims=True) / total
    variance = (mass * (share - mean) ** 2).sum(axis=-1, keepdims=True) / total
    log_scale = 0.5 * np.log(2 * np.pi / (n * p * q)) + stirling_remainder(a)
    log_scale += stirling_remainder(b) - stirling_remainder(n)
    log_mgf = top + np.log(total * scale * (nodes[1] - nodes[0])) - log_scale
    terms = np.stack([log_mgf, size * mean, size**2 * variance])
    return np.asarray((count * terms).sum(axis=1)[..., 0])


def _sum_of_root(x: Floats, product: Floats) -> Floats:
    """X + sqrt(x^2 + product), without cancellation."""
    root = np.sqrt(np.maximum(x * x + product, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(x >= 0, x + root, product / (root - x)))
