"""Elementary functions less their leading terms, free of cancellation.

exp(x) - 1 - x, log(1 + x) - x and sin(x) - x lose all digits for a small x if they are computed as
they are written. Power series give them to rounding there: that of sinh, of
log(1 + x) = 2 atanh(x / (2 + x)), and of sin. The remainder of Stirling's formula,

    log Gamma(x) - [(x - 1/2) log x - x + log(2 pi) / 2] = sum_k B_2k / (2k (2k - 1)) x^(1 - 2k),

is asymptotic, and taken from x = 8 on with nine terms. It gives log B(a, b) without the
cancellation of three log Gammas.
"""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from scipy.special import gammaln

from skpostbac._utils import Complexes, Floats

Numbers = TypeVar("Numbers", Floats, Complexes)

# Spacing of doubles beside one.
EPS = 2.0**-52
# A log of this much less than the largest adds nothing to a sum.
_NOTHING = -700.0
_HALF_LOG_2PI = 0.5 * np.log(2 * np.pi)
# 1/k! for k = 3, 5, ... 17 and 1/k for k = 3, 5, ... 23: enough for 1e-17 within their ranges.
_SINH_TERMS = (1.0 / np.cumprod(np.arange(1.0, 18.0))[2::2]).tolist()
_ATANH_TERMS = (1.0 / np.arange(3.0, 25.0, 2.0)).tolist()
# B_2k / (2k (2k - 1)), the Stirling series of log Gamma.
_STIRLING_TERMS = (
    *(1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188),
    *(-691 / 360360, 1 / 156, -3617 / 122400, 43867 / 244188),
)


def polynomial(x: Numbers, coefficients: Sequence[float]) -> Numbers:
    """Evaluate a polynomial by Horner's rule, lowest coefficient first."""
    value = np.full_like(x, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        value *= x
        value += coefficient
    return value


def log_sum(values: Floats) -> Floats:
    """Log of the sums of the exponentials along the first axis, of finite numbers.

    That is `scipy.special.logsumexp` without what it does for other arrays.
    """
    top = values.max(axis=0)
    below = values - top
    # Where exp underflows it takes ten times as long.
    np.maximum(below, _NOTHING, out=below)
    return np.asarray(top + np.log(np.exp(below, out=below).sum(axis=0)))


def expm1mx(x: Floats) -> Floats:
    """Return exp(x) - 1 - x for ``|x| <= 1``, as 2 sinh(x/2)^2 + (sinh(x) - x)."""
    half, square = np.sinh(0.5 * x), x * x
    return np.asarray(2.0 * half * half + x * square * polynomial(square, _SINH_TERMS))


def log1pmx(x: Floats) -> Floats:
    """Return log(1 + x) - x."""
    small = np.minimum(np.maximum(x, -0.3), 0.3)
    r = small / (2.0 + small)
    square = r * r
    series = 2.0 * r * square * polynomial(square, _ATANH_TERMS)
    return np.where(small == x, series - r * small, np.log1p(x) - x)


def stirling_remainder(x: Floats) -> Floats:
    """Return log Gamma(x) less its Stirling approximation, (x - 1/2) log x - x + log(2 pi) / 2."""
    large = np.maximum(x, 8.0)
    inverse_square = 1.0 / (large * large)
    remainder = np.asarray(polynomial(inverse_square, _STIRLING_TERMS) / large)
    is_small = x <= 8.0
    # Log Gamma is expensive, and most arguments are large.
    if is_small.any():
        small = x[is_small]
        log_gamma = gammaln(small)
        remainder[is_small] = log_gamma - (small - 0.5) * np.log(small) + small - _HALF_LOG_2PI
    return remainder


def log_beta(a: Floats | float, b: Floats | float) -> Floats:
    """Return log B(a, b), without the cancellation of three log Gammas."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    n = a + b
    remainder_a, remainder_b, remainder = stirling_remainder(np.array([a, b, n]))
    small, large = np.minimum(a, b), np.maximum(a, b)
    bulk = small * np.log(small / n) + large * np.log1p(-small / n)
    half_logs = 0.5 * (np.log(2 * np.pi) + np.log(n / a) - np.log(b))
    value: Floats = half_logs + bulk + (remainder_a + remainder_b - remainder)
    return value
