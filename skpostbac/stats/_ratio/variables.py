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
from skpostbac.stats._numerics import stirling_remainder

# From this many samples on the density is taken in relation to the mode: before, rounding leaves
# less than 1e-13 of it.
_MANY = 200.0
# Log-odds below the mode at which nothing is left of a density of so many samples.
_LAST = 700.0


@dataclass(frozen=True)
class LogOdds:
    """The log-odds of a variable: their log density, their mode and about how far they reach.

    Attributes
    ----------
    log_density : function of log-odds, an array of any shape.
    mode, scale : where most of the probability is, and about the standard deviation.
    powers : exponents a, b with which the density of the variable behaves as x^(a - 1) at 0 and as
        (1 - x)^(b - 1) at 1.
    error : of the log density, where it is tabulated.
    """

    log_density: Callable[[Floats], Floats]
    mode: float
    scale: float
    powers: tuple[float, float]
    error: float = 0.0

    @property
    def bend(self) -> float:
        """Where the log density bends: near the mode, or the end at which an exponent is small."""
        a, b = self.powers
        return self.mode if min(a, b) > 1 else float(np.log1p(a) - np.log1p(b))

    @property
    def bend_width(self) -> float:
        """About the width of the bend."""
        return min(self.scale, 1.0)


def beta_log_odds(a: float, b: float) -> LogOdds:
    """Return the log-odds of a Beta variable."""
    n, mode = a + b, float(np.log(a) - np.log(b))
    # As seen from the nearer end: the share of the larger exponent has no digits of the other.
    side, least = (1.0, b / n) if b <= a else (-1.0, a / n)
    log_peak = float(
        0.5 * (np.log(a) + np.log(b / n) - np.log(2 * np.pi))
        - stirling_remainder(np.array([a, b, n])) @ np.array([1.0, 1.0, -1.0])
    )

    at_zero = log_peak - a * mode + n * float(_softplus(np.float64(mode)))

    def direct(z: Floats) -> Floats:
        return a * z - n * _softplus(z) + at_zero

    def centred(z: Floats) -> Floats:
        d = np.maximum(side * (z - mode), -_LAST)
        return log_peak - n * (least * d + np.log1p(least * np.expm1(-d)))

    scale = float(np.sqrt(1 / a + 1 / b))
    return LogOdds(direct if n < _MANY else centred, mode, scale, (a, b))


def _softplus(z: Floats | np.float64) -> Floats:
    """log(1 + e^z)."""
    return np.asarray(np.maximum(z, 0.0) + np.log1p(np.exp(-np.abs(z))))
