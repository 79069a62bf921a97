"""The log-odds of weighted sums of Betas, as places in their supports.

A sum of two variables is a bilinear form, and so a ratio with a constant denominator: its density
is tabulated as that of a ratio is (`density`), and further variables are added one by one. Sums of
many are inverted along contours, which keep the relative accuracy of small densities.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from skpostbac._utils import Floats
from skpostbac.stats._beta import BetaAverage
from skpostbac.stats._distribution import LeftOut, LogitDensity
from skpostbac.stats._inversion import Inversion
from skpostbac.stats._numerics import Points
from skpostbac.stats._ratio.density import EDGES, LogRatio
from skpostbac.stats._ratio.variables import LogOdds, beta_log_odds
from skpostbac.stats._tilted import WeightedBetas

# Up to so many variables are added one by one, and the error of the log density that this leaves.
_FEW, _ERROR = 6, 1e-11
# Accuracy of the log density of a sum that is inverted, the log-odds of the smallest double, and
# the widest first panels.
_TOLERANCE, _LAST, _WIDE = 1e-12, 700.0, 4.0


def log_odds_of(distribution: BetaAverage) -> LogOdds:
    """Return the log-odds of a sum of Betas, whose support is taken for (0, 1)."""
    kept = distribution.weights != 0
    a, b, weights = distribution.a[kept], distribution.b[kept], distribution.weights[kept]
    # Seen from the lower end of the support.
    near, far = np.where(weights > 0, a, b), np.where(weights > 0, b, a)
    if a.size > _FEW:
        return _by_inversion(distribution, (float(near.sum()), float(far.sum())))
    variables = [beta_log_odds(*map(float, pair)) for pair in zip(near, far, strict=True)]
    first, *rest = map(int, np.argsort(np.abs(weights)))
    total, width = variables[first], float(np.abs(weights[first]))
    for i in rest:
        weight = float(np.abs(weights[i]))
        total, width = _added(total, width, variables[i], weight), width + weight
    return total


def _added(first: LogOdds, width: float, second: LogOdds, weight: float) -> LogOdds:
    """Return the log-odds of the place of a sum."""
    ratio = LogRatio(
        first,
        second,
        np.array([[0.0, weight], [width, width + weight]]),
        np.array([[width + weight, width], [weight, 0.0]]),
    )
    start, scale = ratio.middle_and_scale()
    a, b = np.add(first.powers, second.powers)
    return LogOdds(ratio.table().log_density, start, scale, (float(a), float(b)), _ERROR)


def _by_inversion(distribution: BetaAverage, powers: tuple[float, float]) -> LogOdds:
    """Tabulate the density of the log-odds of a sum."""
    frame = distribution._frame
    width = frame.mean_to_low + frame.mean_to_high
    kept = distribution.weights != 0
    terms = WeightedBetas.of(
        *(x[kept] for x in (distribution.a, distribution.b, distribution.weights))
    )
    left_out = LeftOut()
    evaluate = left_out.noting(partial(Inversion(terms).tails, kept=[]))

    def log_density(z: Floats) -> Floats:
        z = np.clip(z, -_LAST, _LAST)
        to_low, to_high = width / (1 + np.exp(-z)), width / (1 + np.exp(z))
        from_mean = np.where(
            to_low < to_high, to_low - frame.mean_to_low, frame.mean_to_high - to_high
        )
        log_pdf = evaluate(Points(from_mean, to_low, to_high)).log_pdf
        return np.asarray(log_pdf + np.log(to_low) + np.log(to_high) - np.log(width))

    place, rest = frame.mean_to_low / width, frame.mean_to_high / width
    scale = distribution.standard_deviation() / (width * place * rest)
    edges = np.log(place / rest) + min(scale, _WIDE) * EDGES
    table = LogitDensity.between(log_density, edges, _TOLERANCE)
    left_out.warn()
    return LogOdds(
        table.log_density, float(np.log(place / rest)), min(scale, _WIDE), powers, _ERROR
    )
