"""Log-odds of variables, as functions and tables: what ratios are made of.

The log-odds z = log(l / h) of a variable, with the distances l and h from both ends of
its support, have a density that is smooth however small or large z is. That of a sum is
tabulated.

A series has no relative accuracy where its density is small. Beyond its outermost
quantiles the density of z is taken as an exponential, with the probability that is left
there.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit

from skpostbac._utils import Floats
from skpostbac.stats._beta import BetaAverage
from skpostbac.stats._numerics import log_binomial
from skpostbac.stats._table import Table

# Error of log densities.
_TOLERANCE = 1e-12
# Error of the density by a series, relative to the largest. The tails beyond the
# outermost quantiles are so many times as large.
_NOISE = 1e-13
_SIGNAL = 1e3
# Closer to an end than so many standard deviations the density is a power of the
# distance.
_NEAREST = 1e-7
# A density that is none.
_LEAST = 1e-20
# Beside this many corners densities are next to smooth.
_MOST_KINKS = 200


@dataclass(frozen=True)
class LogOdds:
    """The log-odds of a variable in its support: their log density, mode, and scale.

    Attributes
    ----------
    log_density : function of log-odds, an array of any shape, up to a constant.
    mode, scale : where most of the probability is, and about the standard deviation.
    powers : exponents a, b with which the density of the variable behaves as
        x^(a - 1) at 0 and as (1 - x)^(b - 1) at 1.
    kinks : where the density may have a kink or a pole.
    noise : error of the density, relative to its largest value.
    """

    log_density: Callable[[Floats], Floats]
    mode: float
    scale: float
    powers: tuple[float, float]
    kinks: Floats = field(default_factory=lambda: np.empty(0))
    noise: float = 0.0

    @classmethod
    def of(cls, distribution: BetaAverage) -> "LogOdds":
        """Return the log-odds of a Beta variable or of a sum."""
        if np.count_nonzero(distribution.weights) == 1:
            weight = distribution.weights.sum()
            (a,), (b,) = (
                x[distribution.weights != 0] for x in (distribution.a, distribution.b)
            )
            if weight < 0:
                a, b = b, a
            mode = np.log(a) - np.log(b)
            scale = np.sqrt(1 / a + 1 / b)
            return cls(
                lambda z: log_binomial(z, a, b), float(mode), float(scale), (a, b)
            )

        frame = distribution._frame
        width = frame.mean_to_low + frame.mean_to_high
        mode = float(np.log(frame.mean_to_low) - np.log(frame.mean_to_high))
        sd = distribution.standard_deviation() / width
        scale = min(sd / float(expit(mode) * expit(-mode)), 4.0)

        table = _tabulated(distribution, mode, scale)
        near, far = table.outer[1].tolist()
        return cls(
            table.log_density, mode, scale, (near, far), table.kinks, 10 * _NOISE
        )


def _tabulated(distribution: BetaAverage, mode: float, scale: float) -> Table:
    """Tabulate the log-odds of a sum from its densities in the support."""
    frame = distribution._frame
    width = frame.mean_to_low + frame.mean_to_high

    def values(z: Floats) -> Floats:
        """Return both tails and the log density."""
        to_low = width * expit(z)
        to_high = width * expit(-z)
        is_low = to_low < to_high
        y = np.where(is_low, to_low - frame.mean_to_low, frame.mean_to_high - to_high)
        below, above, density = distribution._centred.tails(
            *(x[np.newaxis] for x in (y, to_low, to_high))
        )[:, 0]
        log_density = np.log(np.maximum(density * to_low * to_high / width, _LEAST))
        return np.stack([below, above, log_density])

    low = float(distribution.icdf(_SIGNAL * _NOISE)) - frame.low
    high = frame.high - float(distribution.iccdf(_SIGNAL * _NOISE))
    nearest = _NEAREST * distribution.standard_deviation()
    lowest, highest = (
        sign * float(np.log(to_end) - np.log(width - to_end))
        for sign, to_end in ((1, max(low, nearest)), (-1, max(high, nearest)))
    )
    at_ends = values(np.array([lowest, highest]))
    # The tail of an exponential is its density over its rate. Where that is less than
    # 1, the density is infinite at the end.
    is_finite = np.isfinite(distribution._centred.end_densities[:, 0])
    rates = np.maximum(np.exp(at_ends[2]) / np.diagonal(at_ends[:2]), is_finite)

    def log_density(z: Floats) -> Floats:
        beyond = np.minimum([z - lowest, highest - z], 0.0)
        return np.asarray(values(np.clip(z, lowest, highest))[2] + rates @ beyond)

    kinks = (distribution._centred.critical_points[0] + frame.mean_to_low) / width
    kinks = kinks[(kinks > 0) & (kinks < 1)]
    if kinks.size > _MOST_KINKS:
        kinks = kinks[:0]
    kinks = np.append(np.log(kinks) - np.log1p(-kinks), [lowest, highest])
    return Table.of(log_density, mode, scale, _TOLERANCE, kinks=kinks, noise=_NOISE)
