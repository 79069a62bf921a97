"""Independent variables on (0, 1), by the density of their log-odds.

For theta ~ Beta(a, b) with n = a + b the log-odds z have the log density

    a z - n log(1 + e^z) - log B(a, b),

whose mode is that of theta = a / n = p. With d the distance from it this is

    log density at the mode - n log(q e^(-p d) + p e^(q d)),    q = 1 - p,

which loses no digits where n is large and d is small.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from skpostbac._utils import Floats
from skpostbac.stats._beta import BetaAverage
from skpostbac.stats._distribution import LogitDensity
from skpostbac.stats._numerics import Points, stirling_remainder

# From this many samples on the density is taken in relation to the mode: before, rounding leaves
# less than 1e-13 of it.
_MANY = 200.0
# Accuracy of the log density of a sum, and the log-odds of the smallest double.
_TOLERANCE, _LAST = 1e-12, 700.0


@dataclass(frozen=True)
class LogOdds:
    """The log-odds of a variable: their log density, their mode and about how far they reach.

    Attributes
    ----------
    log_density : function of log-odds, of any shape.
    mode, scale : where most of the probability is, and about the standard deviation.
    powers : exponents a, b with which the density of the variable behaves as x^(a - 1) at 0 and as
        (1 - x)^(b - 1) at 1.
    """

    log_density: Callable[[Floats], Floats]
    mode: float
    scale: float
    powers: tuple[float, float]


def log_odds_of(distribution: BetaAverage) -> LogOdds:
    """Return the log-odds of a sum of Betas, whose support is taken for (0, 1)."""
    kept = distribution.weights != 0
    a, b, weights = distribution.a[kept], distribution.b[kept], distribution.weights[kept]
    near_low, near_high = np.where(weights > 0, a, b), np.where(weights > 0, b, a)
    powers = float(near_low.sum()), float(near_high.sum())
    if a.size == 1:
        return _of_beta(*powers)
    return _of_sum(distribution, powers)


def _of_beta(a: float, b: float) -> LogOdds:
    n, mode = a + b, float(np.log(a) - np.log(b))
    p, q = a / n, b / n
    log_peak = float(
        0.5 * (np.log(a) + np.log(b / n) - np.log(2 * np.pi))
        - stirling_remainder(np.array([a, b, n])) @ np.array([1.0, 1.0, -1.0])
    )

    def direct(z: Floats) -> Floats:
        return log_peak + (a * (z - mode) - n * (_softplus(z) - _softplus(np.float64(mode))))

    def centred(z: Floats) -> Floats:
        d = z - mode
        near = np.minimum(np.maximum(d, -1.0), 1.0)
        bulk = np.log1p(q * np.expm1(-p * near) + p * np.expm1(q * near))
        far = np.where(d > 0, q * d + np.log(p + q * np.exp(-np.abs(d))), 0.0)
        far = np.where(d < 0, -p * d + np.log(q + p * np.exp(-np.abs(d))), far)
        return log_peak - n * np.where(near == d, bulk, far)

    scale = float(np.sqrt(1 / a + 1 / b))
    return LogOdds(direct if n < _MANY else centred, mode, scale, (a, b))


def _of_sum(distribution: BetaAverage, powers: tuple[float, float]) -> LogOdds:
    """Tabulate the density of the log-odds of a sum."""
    frame = distribution._frame
    width = frame.mean_to_low + frame.mean_to_high
    low, high = frame.mean_to_low / width, frame.mean_to_high / width
    scale = distribution.standard_deviation() / (width * low * high)
    evaluate = distribution._search()

    def log_density(z: Floats) -> Floats:
        z = np.clip(z, -_LAST, _LAST)
        to_low, to_high = width / (1 + np.exp(-z)), width / (1 + np.exp(z))
        from_mean = np.where(
            to_low < to_high, to_low - frame.mean_to_low, frame.mean_to_high - to_high
        )
        log_pdf = evaluate(Points(from_mean, to_low, to_high)).log_pdf
        return np.asarray(log_pdf + np.log(to_low) + np.log(to_high) - np.log(width))

    start = float(np.log(low / high))
    table = LogitDensity.of(log_density, start, min(scale, 4.0), _TOLERANCE)
    return LogOdds(
        lambda z: table.log_density(z.ravel()).reshape(z.shape), start, min(scale, 40.0), powers
    )


def _softplus(z: Floats | np.float64) -> Floats:
    """log(1 + e^z)."""
    return np.asarray(np.maximum(z, 0.0) + np.log1p(np.exp(-np.abs(z))))
