"""The transform of one Beta at large arguments, split exactly into the shares of its two ends.

The confluent hypergeometric function is a sum of two Tricomi functions (DLMF 13.2.41), one for
each end of the interval. Each share varies slowly and is continued off the vertical line, into the
half plane in which its wave decays.
"""

import numpy as np
from scipy.special import gamma, gammaln

from skpostbac._utils import Bools, Complexes, Floats
from skpostbac.stats._numerics import NEGLIGIBLE, REACH, log_beta, matrix_product, polynomial
from skpostbac.stats._tilted.betas import SHIFTS

_MAX_TERMS = (24, 72, 200)
# (-1)^k / k, k = 2 ... 17.
_LOG_TERMS = ((-1.0) ** np.arange(16) / np.arange(2.0, 18.0)).tolist()


def end_radius(a: Floats, b: Floats) -> Floats:
    """Smallest modulus of z = w s at which `end_shares` may be used, in any direction."""
    return np.asarray(60.0 + 2.0 * (a + b))


def end_shares(exponents: Floats, size: Floats, s: Complexes, log_factor: Floats) -> Complexes:
    r"""Shares of both ends in E[exp(s v)], v in [0, size] with exponents `low` and `high`.

    That of the lower end is Gamma(n) / Gamma(high) (-z)^-low [1 + sum_k (low)_k (1 - high)_k / k!
    (-z)^-k] at z = size s, that of the upper end its mirror image, without the wave exp(z) (DLMF
    13.7.2). The series is finite for an integer exponent, and accurate to rounding from
    `end_radius` on otherwise. `exponents` and `log_factor` have shape (2, l), lower end first,
    `size` has shape (l,), `s` shape (n,) and a positive imaginary part; returns shape (2, l, n).
    """
    near, far = exponents.ravel(), exponents[::-1].ravel()
    sizes, lower = np.tile(size, 2), np.repeat([True, False], size.size)
    shares = end_share(near, far, sizes, s, log_factor.ravel(), lower)
    return shares.reshape(2, size.size, s.size)


def end_share(
    near: Floats,
    far: Floats,
    size: Floats,
    s: Complexes,
    log_factor: Floats,
    lower: Bools,
) -> Complexes:
    """Shares of single ends, of the lower or of the upper one, shape (l, n); see `end_shares`."""
    nearest = float(np.abs(s).min())
    terms = _terms(near, far, size * nearest)
    terms[lower, 1::2] *= -1
    powers = np.cumprod(np.broadcast_to(nearest / s, (terms.shape[1] - 1, s.size)), axis=0)
    series = matrix_product(terms[:, 1:], powers.view(float)).view(complex)
    series += terms[:, :1]
    # The lower end sees exp(-i pi) s, the upper end s.
    log_factor = (
        log_factor + log_leading_share(near, far, size * nearest) + 1j * np.pi * near * lower
    )
    logs = log_factor[:, np.newaxis] - np.multiply.outer(near, np.log(s / nearest))
    return np.asarray(np.exp(logs) * series)


def log_leading_share(near: Floats, far: Floats, radius: Floats | float) -> Floats:
    """Log modulus of the leading term of the share of an end at modulus `radius` of z."""
    return np.asarray(_log_gamma_ratio(near, far) - near * np.log(radius))


def _log_gamma_ratio(near: Floats, far: Floats) -> Floats:
    """Log Gamma(near + far) / Gamma(far)."""
    n = near + far
    if n.max() < 150:
        return np.asarray(np.log(gamma(n) / gamma(far)))
    return gammaln(near) - log_beta(near, far)


def _terms(near: Floats, far: Floats, radius: Floats) -> Floats:
    """Terms of the series at a modulus `radius`, shape (l, n_terms), to the last that counts."""
    for most in _MAX_TERMS:
        terms = _first_terms(near, far, radius, most)
        sizes = np.abs(terms)
        largest = np.maximum.accumulate(sizes, axis=1)
        counts = np.any(sizes > NEGLIGIBLE * largest, axis=0)
        if not counts[-1]:
            return terms[:, : max(2, int(counts.argmin()))]
    return _first_terms(near, far, radius, _MAX_TERMS[-1])


def _first_terms(near: Floats, far: Floats, radius: Floats, most: int) -> Floats:
    """Terms 0 to `most` of the series."""
    k = np.arange(most)
    terms = np.ones((near.size, most + 1))
    ratios = (near[:, np.newaxis] + k) * (1 - far[:, np.newaxis] + k)
    np.divide(ratios, radius[:, np.newaxis] * (k + 1), out=terms[:, 1:])
    return np.asarray(np.multiply.accumulate(terms, axis=1))


def concentrated_end(near: float, far: float, z: Complexes) -> Complexes:
    r"""Log of E[exp(z u)], u ~ Beta(near, far), when all of its mass is close to u = 0.

    With nu = far - 1 - z the path u = x / nu turns the integral into one of x^(near - 1) exp(-x)
    times exp((far - 1) (log(1 - u) + u)), which varies little for `|nu| >= concentrated_radius`.
    It then needs a fixed number of nodes however large `far` is.
    """
    nu = far - 1 - z
    log_x, log_weights = _gamma_nodes(near)
    u = np.exp(log_x) / nu[:, np.newaxis]
    sums = np.exp(log_weights + (far - 1) * log1pmx_complex(-u)).sum(axis=1)
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
    bandwidth = ((REACH - order * np.log(np.cos(SHIFTS))) / SHIFTS).min()
    low = np.log(order) - REACH / order - np.sqrt(2 * REACH / order)
    high = np.log(_gamma_reach(np.asarray(order)))
    start, stop = (low if low > 0 else -np.log1p(-low)), high + np.exp(-high)
    v = np.linspace(start, stop, int(np.ceil((stop - start) * bandwidth / (2 * np.pi))) + 1)
    log_x = v - np.exp(-v)
    return log_x, order * log_x - np.exp(log_x) + np.log1p(np.exp(-v)) + np.log(v[1] - v[0])


def log1pmx_complex(x: Complexes) -> Complexes:
    """log(1 + x) - x for complex x away from -1."""
    small = np.where(np.abs(x) < 0.1, x, 0.0)
    series = -small * small * polynomial(small, _LOG_TERMS)
    return np.where(np.abs(x) < 0.1, series, np.log(1 + x) - x)
