"""Tail probabilities and densities of a weighted sum of independent Betas, at any point.

One contour through a tilt of one standard deviation serves the centre of the law. A point whose
smaller tail it cannot give to full relative accuracy gets a contour through its own saddlepoint,
which then serves its neighbours too.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from skpostbac.stats import _tilted_beta as tb
from skpostbac.stats._contour import DEPTH, MAX_LINE_NODES, Contour, line_contour
from skpostbac.stats._corners import corner_contour
from skpostbac.stats._points import Points
from skpostbac.stats._tilted_beta import Floats
from skpostbac.stats._transform import TiltedSum, modes

# Relative error of the smaller tail that a contour may leave at the points it serves.
_ACCURACY = 1e-12


@dataclass(frozen=True)
class Tails:
    """Log of P(X <= x), of P(X > x) and of the density at each point."""

    log_cdf: Floats
    log_ccdf: Floats
    log_pdf: Floats


class Inversion:
    """The law of a sum of weighted Betas, all weights non-zero."""

    def __init__(self, a: Floats, b: Floats, weights: Floats) -> None:
        n = a + b
        self.standard_deviation = float(np.sqrt((weights**2 * a * b / (n * n * (n + 1))).sum()))
        self._a, self._b, self._weights = a, b, weights

    def tails(self, points: Points) -> Tails:
        """Evaluate both tails and the density."""
        log_ccdf, noise = self._central.log_tail(points.from_mean)
        log_pdf = self._central.log_density(points.from_mean)
        log_cdf = _log_complement(log_ccdf)
        served = noise * np.exp(log_ccdf - np.minimum(log_cdf, log_ccdf)) < _ACCURACY
        for side in (1, -1):
            rest = np.flatnonzero(~served & (side * points.from_mean >= 0))
            if rest.size:
                seen = points[rest] if side > 0 else points[rest].mirrored()
                smaller, log_pdf[rest] = self._far_tail(side, seen)
                target, other = (log_ccdf, log_cdf) if side > 0 else (log_cdf, log_ccdf)
                target[rest], other[rest] = smaller, _log_complement(smaller)
        return Tails(log_cdf, log_ccdf, log_pdf)

    def centre(self, points: Points) -> tuple[Floats, Floats]:
        """Log density and its slope, to absolute accuracy and in the centre of the law only."""
        return self._central.log_density(points.from_mean), self._central.slope(points.from_mean)

    @cached_property
    def _central(self) -> Contour:
        return self._contour(1, 1 / self.standard_deviation, from_end=False)

    def _far_tail(self, side: int, points: Points) -> tuple[Floats, Floats]:
        """Log upper tail and log density, nearest points first, by saddlepoint contours."""
        log_tail, log_pdf = np.empty(points.from_mean.shape), np.empty(points.from_mean.shape)
        pending = np.argsort(points.from_mean, kind="stable")
        while pending.size:
            contour, y = self._saddle_contour(side, points[pending])
            value, noise = contour.log_tail(y)
            served = noise < _ACCURACY
            served[0] = True
            done = pending[served]
            log_tail[done] = value[served]
            log_pdf[done] = contour.log_density(y[served])
            pending = pending[~served]
        return log_tail, log_pdf

    def _saddle_contour(self, side: int, points: Points) -> tuple[Contour, Floats]:
        """Contour through the saddlepoint of the first point, and all points in its coordinate."""
        from_end = bool(points.to_high[0] < points.from_mean[0])
        y = -points.to_high if from_end else points.from_mean
        tilt = self._saddlepoint(side, float(y[0]), from_end=from_end)
        return self._contour(side, tilt, from_end=from_end), y

    def _saddlepoint(self, side: int, y: float, *, from_end: bool) -> float:
        """Solve K'(c) - 1/c = y for c > 0, to 5 % and with K' to second Laplace order."""
        weights = side * self._weights
        low, high = -690.0, 690.0
        log_c = -np.log(self.standard_deviation)
        while high - low > 0.05:
            c = np.exp(log_c)
            terms = tb.tilt_betas(self._a, self._b, weights, c)
            mean = modes(terms, weights, from_end=from_end) + terms.mean_less_mode
            excess = mean.sum() - 1 / c - y
            low, high = (low, log_c) if excess > 0 else (log_c, high)
            step = excess / (c * terms.variance.sum() + 1 / c)
            if abs(step) < 0.05:
                break
            # Far from the root the distance falls like a power of c: a step of three is bold enough.
            newton = log_c - np.clip(step, -3.0, 3.0)
            log_c = newton if low < newton < high else 0.5 * (low + high)
        return float(np.exp(log_c))

    def _contour(self, side: int, tilt: float, *, from_end: bool) -> Contour:
        law = TiltedSum(self._a, self._b, side * self._weights, tilt, from_end=from_end)
        everything = np.arange(law.size)
        low, high = law.bounds(everything)
        height = law.decay_height(everything, DEPTH)
        if height * (low + high) <= 2 * np.pi * MAX_LINE_NODES:
            return line_contour(law, low, high, height)
        return corner_contour(law)


def _log_complement(log_p: Floats) -> Floats:
    """log(1 - p), to full accuracy for either size of p."""
    p = np.exp(np.minimum(log_p, 0.0))
    with np.errstate(divide="ignore"):
        return np.where(p > 0.5, np.log(-np.expm1(np.minimum(log_p, 0.0))), np.log1p(-p))
