"""The posterior of a population of accuracies, given the counts of some groups out of it.

At each of some concentrations the log posterior of the location is replaced by a Chebyshev series,
and so is the evidence of each group. All laws are integrals over the location and sums over the
concentrations of these.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial.chebyshev import chebder, chebpts1, chebval, chebvander
from scipy.optimize.elementwise import find_minimum
from scipy.special import log_expit, logsumexp

from skpostbac.stats._group_model import GroupModel
from skpostbac.stats._logit_law import LogitLaw
from skpostbac.stats._points import Floats

# Series of the log posterior reach out to exp(-depth) of its maximum, beyond those of the laws.
_DEPTH = 80.0
_DEGREE = 112
_POINTS = chebpts1(_DEGREE + 1)
_TO_SERIES = np.linalg.inv(chebvander(_POINTS, _DEGREE))
# Log density beyond the ends of a series falls by this for each half of its length.
_BEYOND = 1e4
# Concentrations down to exp(-depth) of the largest share, in steps of so many of its half-widths.
_SHARE_DEPTH, _STEP = 30.0, 0.6
_N_SCAN, _MAX_SCANS = 33, 8
# The maximum of the location is looked for so far beyond the observed log-odds.
_MARGIN = 50.0
# Trapezoid rule for a product of two peaks.
_Z = np.linspace(-7.8, 7.8, 23)
# Share below which groups are all but alike, and log-odds beyond which nothing changes.
_ALIKE, _FAR = 1e-3, 10.0
_NEWTON_STEPS, _BISECTIONS = 12, 9


@dataclass(frozen=True)
class _Slices:
    """The posterior of the location at each of some concentrations, seen from its maximum.

    Attributes
    ----------
    concentration, log_weight : ndarray of shape (n,)
        Nodes of a rule for the integral over the concentration.
    peak, width, left, right : ndarray of shape (n,)
        The location of the maximum, and how far from it the log has fallen by 1/2, on average of
        both sides, and by `_DEPTH` on each side.
    log_share : ndarray of shape (n,)
        About the log of what each node adds to the integral.
    """

    concentration: Floats
    log_weight: Floats
    peak: Floats
    width: Floats
    left: Floats
    right: Floats
    log_share: Floats

    def v(self, location: Floats) -> Floats:
        """Position on [-1, 1] of a location: about linear at the peak, logarithmic beyond."""
        first, last = np.arcsinh(-self.left / self.width), np.arcsinh(self.right / self.width)
        v = np.arcsinh((location - self.peak) / self.width)
        return np.asarray((2 * v - first - last) / (last - first))

    def location(self, v: Floats) -> Floats:
        """Location at a position on [-1, 1]."""
        first, last = np.arcsinh(-self.left / self.width), np.arcsinh(self.right / self.width)
        sinh = np.sinh(0.5 * (first + last + v * (last - first)))
        return np.asarray(self.peak + self.width * sinh)

    def log_stretch(self, v: Floats) -> Floats:
        """Log of the derivative of the location by the position."""
        first, last = np.arcsinh(-self.left / self.width), np.arcsinh(self.right / self.width)
        cosh = np.cosh(0.5 * (first + last + v * (last - first)))
        return np.asarray(np.log(0.5 * self.width * (last - first) * cosh))


class GroupInference:
    """The posterior of a population, of its groups, and of one more group.

    Parameters
    ----------
    model : GroupModel
        How the accuracies vary between groups.
    correct, total : ndarray of shape (m,)
        Counts of the groups.
    """

    def __init__(self, model: GroupModel, correct: Floats, total: Floats) -> None:
        self._model = model
        self._correct, self._total = correct, total
        # Groups of the same counts are computed once.
        pairs = np.stack([correct, total])
        kinds, self._kind, self._count = np.unique(
            pairs, axis=1, return_inverse=True, return_counts=True
        )
        self._kind = self._kind.ravel()
        self._kinds = kinds
        self._slices = self._place()
        location = self._slices.location(_POINTS[:, None])
        log_prior = model.log_prior(location, self._slices.concentration)
        evidence = self._log_evidence(location, self._slices.concentration)
        log_posterior = log_prior + evidence @ self._count + self._slices.log_weight
        self._posterior = _TO_SERIES @ log_posterior
        self._evidence = np.tensordot(_TO_SERIES, evidence, 1)

    def _log_evidence(self, location: Floats, concentration: Floats) -> Floats:
        """Log evidence of each kind of group along a new last axis."""
        columns = [
            self._model.log_evidence(location, concentration, correct, total)
            for correct, total in self._kinds.T
        ]
        return np.stack(columns, axis=-1)

    def _log_posterior(self, location: Floats, concentration: Floats) -> Floats:
        prior = self._model.log_prior(location, concentration)
        return np.asarray(prior + self._log_evidence(location, concentration) @ self._count)

    def _stretched(self, tau: Floats) -> tuple[Floats, Floats]:
        """Concentrations, and log of their derivative: stretched where groups are all but alike.

        There the counts no longer tell concentrations apart, and the posterior is that of a prior.
        """
        stretch = np.exp(tau - self._alike)
        return tau + stretch, np.log1p(stretch)

    @property
    def _alike(self) -> float:
        return float(np.log(self._total.sum() + 1.0)) + 3.0

    def _place(self) -> _Slices:
        """Look for the concentrations that count, in ever smaller ranges."""
        # About the same range once it is stretched.
        low, high = (
            min(end, self._alike + float(np.log1p(max(end - self._alike, 0.0))))
            for end in self._model.concentrations
        )
        tau, share = self._scan(low, high)
        for _ in range(_MAX_SCANS):
            first, last = _ends(share, _SHARE_DEPTH)
            step = float(tau[1] - tau[0])
            low, high = max(low, float(tau[first]) - step), min(high, float(tau[last]) + step)
            if last - first > _N_SCAN // 2:
                break
            tau, share = self._scan(low, high)
        first, last = _ends(share, 0.5)
        half_width = 0.5 * float(tau[1] - tau[0]) * (last - first + 1)
        step = min(self._model.largest_step, _STEP * half_width)
        return self._slices_at(np.linspace(low, high, int(np.ceil((high - low) / step)) + 1))

    def _scan(self, low: float, high: float) -> tuple[Floats, Floats]:
        tau = np.linspace(low, high, _N_SCAN)
        return tau, self._ridge(tau)[2]

    def _slices_at(self, tau: Floats) -> _Slices:
        concentration, log_weight = self._stretched(tau)
        peak, width, share = self._ridge(tau)
        left, right = (self._fall(peak, concentration, side, _DEPTH) for side in (-1.0, 1.0))
        return _Slices(concentration, log_weight, peak, width, left, right, share)

    def _ridge(self, tau: Floats) -> tuple[Floats, Floats, Floats]:
        """Location and width of the maximum at each concentration, and log of its share."""
        concentration, log_weight = self._stretched(tau)
        correct, total = self._kinds
        edges = np.log((correct + 0.5) / (total - correct + 0.5))
        low, high = min(edges.min(), 0.0) - _MARGIN, max(edges.max(), 0.0) + _MARGIN

        def depth(location: Floats, *active: Any, **_: Any) -> Floats:
            return -self._log_posterior(location, *active)

        found = find_minimum(
            depth,
            (low + 0 * tau, edges.mean() + 0 * tau, high + 0 * tau),
            args=(concentration,),
            tolerances={"xatol": 1e-5, "xrtol": 0.0, "fatol": 1e-5, "frtol": 0.0},
        )
        peak = found.x
        sides = (self._fall(peak, concentration, side, 0.5) for side in (-1.0, 1.0))
        width = 0.5 * np.sum(list(sides), axis=0)
        log_peak = self._log_posterior(peak, concentration)
        return peak, width, log_peak + np.log(width) + log_weight

    def _fall(self, peak: Floats, concentration: Floats, side: float, fall: float) -> Floats:
        """Distance from the maximum at which the log has fallen so far, to about ten per cent."""
        top = self._log_posterior(peak, concentration)
        low, high = np.full(peak.shape, -25.0), np.full(peak.shape, 20.0)
        for _ in range(_BISECTIONS):
            middle = 0.5 * (low + high)
            value = self._log_posterior(peak + side * np.exp(middle), concentration)
            low, high = np.where(value > top - fall, [middle, high], [low, middle])
        return np.asarray(np.exp(high))

    @property
    def _shape(self) -> tuple[float, float]:
        """A point amid the posterior of the location, and its width."""
        best = int(np.argmax(self._slices.log_share))
        return float(self._slices.peak[best]), float(self._slices.width[best])

    def population_location(self) -> LogitLaw:
        """Law of the accuracy at the location."""

        def log_density(u: Floats) -> Floats:
            values = _extended(self._posterior, self._slices.v(u[:, None]))
            return np.asarray(logsumexp(values, axis=1))

        return LogitLaw(log_density, *self._shape)

    def population_mean(self) -> LogitLaw:
        """Law of the mean of the accuracies in the population."""
        location = self._slices.location(_POINTS[:, None])
        log_right, log_wrong = self._model.log_mean(location, self._slices.concentration)
        log_odds = _TO_SERIES @ (log_right - log_wrong)
        slope = np.asarray(chebder(log_odds), dtype=float)

        def log_density(u: Floats) -> Floats:
            v = _inverse(log_odds, slope, u[:, None])
            stretch = self._slices.log_stretch(v) - np.log(chebval(v, slope, tensor=False))
            beyond = _BEYOND * np.abs(u[:, None] - chebval(v, log_odds, tensor=False))
            values = chebval(v, self._posterior, tensor=False) + stretch - beyond
            return np.asarray(logsumexp(values, axis=1))

        return LogitLaw(log_density, *self._shape)

    def new_group(self) -> LogitLaw:
        """Law of the accuracy of one more group."""
        return LogitLaw(
            lambda u: self._log_group_density(u, self._posterior), *self._group_shape(0.0, 0.0)
        )

    def group(self, index: int) -> LogitLaw:
        """Law of the accuracy of one of the groups."""
        correct, total = self._correct[index], self._total[index]
        others = self._posterior - self._evidence[..., self._kind[index]]

        def log_density(u: Floats) -> Floats:
            likelihood = correct * log_expit(u) + (total - correct) * log_expit(-u)
            return np.asarray(likelihood + self._log_group_density(u, others))

        return LogitLaw(log_density, *self._group_shape(correct, total))

    def _group_shape(self, correct: float, total: float) -> tuple[float, float]:
        """Return a point amid the posterior of a group, and its width, as if all were normal."""
        centre, width = self._shape
        spread = self._spread[np.argmax(self._slices.log_share)]
        right, wrong = correct + 0.5, total - correct + 0.5
        information = right * wrong / (right + wrong) if total else 0.0
        precision = 1 / (width**2 + spread**2)
        weight = information + precision
        mean = (information * np.log(right / wrong) + precision * centre) / weight
        return float(mean), float(1 / np.sqrt(weight))

    @property
    def _spread(self) -> Floats:
        """Standard deviation of the log-odds of a group at each concentration."""
        spread = self._model.spread(self._slices.peak, self._slices.concentration)
        return np.clip(spread, 1e-100, 1e100)

    def _log_group_density(self, u: Floats, posterior: Floats) -> Floats:
        """Log density of the accuracy of a group, given the series of what is known of it.

        The nodes of the location are placed by the product of its posterior with the density of
        the group, as if both were normal.
        """
        slices, spread = self._slices, self._spread
        share = 1 / (1 + (slices.width / spread) ** 2)
        centre = share * slices.peak + (1 - share) * u[:, None]
        # Groups that are all but alike are spread otherwise where the population is elsewhere.
        there = self._model.spread(np.clip(u[:, None], -_FAR, _FAR), slices.concentration)
        spread = np.where(share < _ALIKE, there, spread)
        scale = slices.width / np.hypot(1.0, slices.width / spread)
        total = np.full(scale.shape, -np.inf)
        for z in _Z:
            location = centre + z * scale
            values = _extended(posterior, slices.v(location))
            values += self._model.log_density(u[:, None], location, slices.concentration)
            total = np.logaddexp(total, values)
        return np.asarray(logsumexp(total + np.log(scale), axis=1))


def _ends(values: Floats, fall: float) -> tuple[int, int]:
    """First and last place where the values are not much below their maximum."""
    places = np.flatnonzero(values > values.max() - fall)
    return int(places[0]), int(places[-1])


def _extended(series: Floats, v: Floats) -> Floats:
    """Value of a series on [-1, 1], falling steeply beyond."""
    inside = np.clip(v, -1.0, 1.0)
    return np.asarray(chebval(inside, series, tensor=False) - _BEYOND * np.abs(v - inside))


def _inverse(series: Floats, slope: Floats, value: Floats) -> Floats:
    """Where on [-1, 1] a rising series has a value, or is closest to it."""
    low, high = np.full(np.broadcast_shapes(value.shape, series.shape[1:]), -1.0), np.array(1.0)
    v = 0.0 * low
    for _ in range(_NEWTON_STEPS):
        excess = chebval(v, series, tensor=False) - value
        low, high = np.where(excess < 0, v, low), np.where(excess < 0, high, v)
        v = v - excess / chebval(v, slope, tensor=False)
        v = np.where((low <= v) & (v <= high), v, 0.5 * (low + high))
    return v
