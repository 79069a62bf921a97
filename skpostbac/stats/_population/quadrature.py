r"""Quadrature over the two parameters of a population of groups, given their counts.

The spread of the groups, t = exp(-concentration / 2), is written as s sinh(y), and has a row of
nodes for each y of a midpoint rule. A posterior that is smooth and even in t, as where groups may
be alike, needs no small t then: the rule converges geometrically (Trefethen and Weideman, SIAM
Review 56, 2014), and the narrowest distribution of a group is not much narrower than that of the
location. The distribution of a group is then a mixture over nodes on the rows; values between
these, which the distributions of the population need, come from Chebyshev series.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.polynomial.chebyshev import chebpts1, chebvander
from scipy.special import logsumexp

from skpostbac._utils import Floats
from skpostbac.stats._numerics import Rows
from skpostbac.stats._population.model import GroupModel

# Rows reach down to exp(-depth) of the maximum.
_DEPTH = 70.0
# Steps at most: in y, in standard deviations of y, and in z; and in y so that the mean accuracy
# moves by less than so many widths of its distribution given y.
_STEP, _POSTERIOR_STEP, _Z_STEP = 0.22, 0.5, 0.5
_MEAN_STEP, _TINY = 0.8, 0.05
_MOST_ROWS = 160
# Largest ratio of the width of a row to the spread of the groups that nodes resolve.
_LARGEST_RATIO = 50.0
# Log of the share of the posterior where the mean is looked at.
_NEAR = 20.0
# Locations are spread like the sinh of z so many scales from the middle of a row.
_TURN = 4.0
# Where a row is looked at: roughly, and out to where nothing is left.
_FEW_LOOKS, _LOOKS = np.linspace(-4.0, 4.0, 9), np.linspace(-13.0, 13.0, 41)
_N_SCAN, _SCANS = 33, 3
# Between the nodes the log posterior is a Chebyshev series of this degree.
_DEGREE = 96
_POINTS: Floats = chebpts1(_DEGREE + 1)
_TO_SERIES = np.linalg.inv(chebvander(_POINTS, _DEGREE))


@dataclass(frozen=True)
class Evidence:
    """What is known of the parameters: a model, and the kinds of groups, `count` of each alike."""

    model: GroupModel
    correct: Floats
    total: Floats
    count: Floats

    @property
    def n_mixed(self) -> float:
        """Number of groups with both right and wrong predictions."""
        mixed = (self.correct > 0) & (self.correct < self.total)
        return float(self.count[mixed].sum())

    def of_kinds(self, location: Floats, concentration: Floats) -> Floats:
        """Log evidence of each kind of group, along a new last axis."""
        columns = [
            self.model.log_evidence(location, concentration, correct, total)
            for correct, total in zip(self.correct, self.total, strict=True)
        ]
        return np.stack(columns, axis=-1)

    def log_posterior(self, location: Floats, concentration: Floats) -> Floats:
        """Log posterior density of the location and of the log concentration."""
        prior = self.model.log_prior(location, concentration)
        return np.asarray(prior + self.of_kinds(location, concentration) @ self.count)

    def normal(self, concentration: Floats) -> tuple[Floats, Floats]:
        """Mean and standard deviation of the location, as if all log-odds were normal."""
        right, wrong = self.correct + 0.5, self.total - self.correct + 0.5
        edges, noise = np.log(right / wrong), 1 / right + 1 / wrong
        mean, precision = self.model.location_prior
        centre = (self.count @ (edges / noise) + mean * precision) / (
            self.count @ (1 / noise) + precision
        )
        spread = self.model.spread(centre, concentration)
        weights = self.count / (noise + spread[:, None] ** 2)
        total = weights.sum(axis=1) + precision
        return (weights @ edges + precision * mean) / total, 1 / np.sqrt(total)


@dataclass(frozen=True)
class LocationRows(Rows):
    """A row of locations for each of some concentrations.

    Attributes
    ----------
    concentration, log_weight : ndarray of shape (n,)
        Nodes of the rule for the integral over the log concentration.
    middle, scale, low, high : ndarray of shape (n,)
        The location is ``middle + scale * 4 sinh(z / 4)`` for z between low and high.
    """

    concentration: Floats
    log_weight: Floats
    middle: Floats
    scale: Floats
    low: Floats
    high: Floats

    def location(self, z: Floats) -> Floats:
        """Location at z, shape (..., n)."""
        return np.asarray(self.middle + self.scale * _TURN * np.sinh(z / _TURN))

    def z(self, location: Floats) -> Floats:
        """Return z at a location, shape (..., n)."""
        return np.asarray(_TURN * np.arcsinh((location - self.middle) / (self.scale * _TURN)))

    def log_slope(self, z: Floats) -> Floats:
        """Log of the derivative of the location by z."""
        return np.asarray(np.log(self.scale * np.cosh(z / _TURN)))

    @property
    def points(self) -> Floats:
        """Locations of which the values make a `series`, shape (degree + 1, n)."""
        return self.location(self.at(_POINTS[:, None]))

    def at(self, v: Floats) -> Floats:
        """Return z at a position v on [-1, 1], the argument of the series."""
        return np.asarray(0.5 * (self.low + self.high) + 0.5 * (self.high - self.low) * v)

    def v(self, z: Floats) -> Floats:
        """Position on [-1, 1] of z."""
        return np.asarray((2 * z - self.low - self.high) / (self.high - self.low))


@dataclass(frozen=True)
class Nodes:
    """Nodes of the posterior of both parameters, shape (n,).

    Attributes
    ----------
    location, concentration : the parameters.
    log_weight : log of the posterior weights, of sum one.
    evidence : log evidence of each kind of group, shape (n, n_kinds).
    """

    location: Floats
    concentration: Floats
    log_weight: Floats
    evidence: Floats


@dataclass(frozen=True)
class PosteriorRows:
    """The posterior along rows: Chebyshev series in v, shape (degree + 1, n_rows).

    Attributes
    ----------
    rows : LocationRows
    log_posterior : series of the log posterior density, with the weights of the rows.
    evidence : series of the log evidence of each kind, with a last axis for these.
    """

    rows: LocationRows
    log_posterior: Floats
    evidence: Floats

    @classmethod
    def of(cls, evidence: Evidence) -> "PosteriorRows":
        """Place rows wherever the posterior counts, and look at the posterior along them."""
        rows = _rows(evidence, *_spreads(evidence))
        of_kinds = evidence.of_kinds(rows.points, rows.concentration)
        prior = evidence.model.log_prior(rows.points, rows.concentration)
        log_posterior = prior + of_kinds @ evidence.count + rows.log_weight
        return cls(rows, series(log_posterior), series(of_kinds))

    def nodes(self, spread: Floats) -> Nodes:
        """Nodes that resolve groups that are spread so much around each location."""
        rows = self.rows
        ratio = rows.scale / spread
        # Groups that are closer to alike are taken as spread so much, which widens a distribution
        # by 2e-4.
        narrowed = np.log(np.maximum(ratio / _LARGEST_RATIO, 1.0))
        step = _Z_STEP / np.hypot(1.0, np.minimum(ratio, _LARGEST_RATIO))
        sizes = np.ceil((rows.high - rows.low) / step).astype(int)
        # A midpoint rule along each row.
        v = np.concatenate([(np.arange(n) + 0.5) / n for n in sizes]) * 2 - 1
        row = np.repeat(np.arange(sizes.size), sizes)
        place = rows[row]
        z = place.at(v)
        ends = np.cumsum(sizes)[:-1]
        basis = np.split(chebvander(v, _DEGREE), ends)
        both = np.concatenate([self.log_posterior[..., None], self.evidence], axis=-1)
        values = np.concatenate([part @ both[:, i] for i, part in enumerate(basis)])
        log_weight = (
            values[:, 0] + place.log_slope(z) + np.log((place.high - place.low) / sizes[row])
        )
        kept = log_weight > log_weight.max() - _DEPTH
        return Nodes(
            place.location(z)[kept],
            (place.concentration - 2 * narrowed[row])[kept],
            (log_weight - logsumexp(log_weight))[kept],
            values[kept, 1:],
        )


def series(values: Floats) -> Floats:
    """Chebyshev series in v, along the first axis, of what has these values at the `points`."""
    return np.tensordot(_TO_SERIES, values, 1)


def _spreads(evidence: Evidence) -> tuple[Floats, Floats]:
    """Concentrations wherever the posterior counts, and logs of their weights."""
    unit = evidence.model.least_spread(float(evidence.count @ evidence.total))
    largest = evidence.model.largest_spread(evidence.n_mixed)
    low, high = 0.0, float(np.arcsinh(largest / unit))
    for _ in range(_SCANS):
        low, high = _narrowed(evidence, unit, low, high)
    y, share = _scan(evidence, unit, low, high)
    weights = np.exp(share)
    deviation = float(np.sqrt(weights @ (y - weights @ y) ** 2))
    most = [_STEP, _POSTERIOR_STEP * deviation, _mean_step(evidence, unit, y[share > -_NEAR])]
    step = max(min(most), (high - low) / _MOST_ROWS)
    y = step * (np.arange(np.floor(low / step), np.ceil(high / step) + 1) + 0.5)
    concentration, log_slope = _stretched(y, unit)
    return concentration, log_slope + np.log(step)


def _narrowed(evidence: Evidence, unit: float, low: float, high: float) -> tuple[float, float]:
    """Range of y where the posterior counts, within a wider one."""
    y, share = _scan(evidence, unit, low, high)
    inside, step = y[share > share.max() - _DEPTH], float(y[1] - y[0])
    return max(float(inside[0]) - step, low), min(float(inside[-1]) + step, high)


def _scan(evidence: Evidence, unit: float, low: float, high: float) -> tuple[Floats, Floats]:
    """Return some y in a range, and about the log of the share of each in the posterior."""
    y = np.linspace(low, high, 2 * _N_SCAN + 1)[1::2]
    concentration, log_slope = _stretched(y, unit)
    middle, scale = evidence.normal(concentration)
    values = evidence.log_posterior(middle + scale * _FEW_LOOKS[:, None], concentration)
    share = logsumexp(values, axis=0) + np.log(scale) + log_slope
    return y, np.asarray(share - logsumexp(share))


def _mean_step(evidence: Evidence, unit: float, y: Floats) -> float:
    """Step in y within which the mean accuracy moves less than its distribution given y is wide."""

    def log_odds(y: Floats, scales: float = 0.0) -> Floats:
        place = middle + scales * scale
        log_right, log_wrong = evidence.model.log_mean(place, _stretched(y, unit)[0])
        return log_right - log_wrong

    middle, scale = evidence.normal(_stretched(y, unit)[0])
    along = np.abs(log_odds(y * (1 + _TINY)) - log_odds(y * (1 - _TINY))) / y
    across = log_odds(y, _TINY) - log_odds(y, -_TINY)
    return float(_MEAN_STEP / np.max(along / across, initial=_TINY))


def _stretched(y: Floats, unit: float) -> tuple[Floats, Floats]:
    """Concentration at y, and the log of its derivative."""
    return -2 * np.log(unit * np.sinh(y)), np.log(2 / np.tanh(y))


def _rows(evidence: Evidence, concentration: Floats, log_weight: Floats) -> LocationRows:
    """Place a row of locations for each concentration where the posterior counts."""
    low, high = np.full((2, concentration.size), [[_LOOKS[0]], [_LOOKS[-1]]])
    rough = LocationRows(concentration, log_weight, *evidence.normal(concentration), low, high)
    location = rough.location(_LOOKS[:, None])
    values = evidence.log_posterior(location, concentration) + log_weight
    mass = np.exp(values - values.max(axis=0) + rough.log_slope(_LOOKS[:, None]))
    mass /= mass.sum(axis=0)
    middle = np.sum(mass * location, axis=0)
    deviation = np.sqrt(np.sum(mass * (location - middle) ** 2, axis=0))
    # Not narrower than what the looks resolve.
    scale = np.maximum(deviation, 0.3 * rough.scale)
    inside = values > values.max() - _DEPTH
    some = inside.any(axis=0)
    # Each range has a look beyond it on either side.
    first = np.maximum(inside.argmax(axis=0) - 1, 0)
    last = _LOOKS.size - 1 - np.maximum(inside[::-1].argmax(axis=0) - 1, 0)
    row = np.arange(concentration.size)
    left, right = location[first, row], location[last, row]
    rows = replace(rough, middle=middle, scale=scale)
    return replace(rows, low=rows.z(left), high=rows.z(right))[some]
