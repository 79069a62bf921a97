r"""Group-level inference: the posterior of a population, of its groups, and of one more group.

The posterior of the two parameters of a population, given the counts of its groups, is integrated
by quadrature. The spread of the groups, t = exp(-concentration / 2), is written as s sinh(y), and
has a row of locations for each y of a midpoint rule. A posterior that is smooth and even in t, as
where groups may be alike, needs no small t then: the rule converges geometrically (Trefethen and
Weideman, SIAM Review 56, 2014), and the narrowest distribution of a group is not much narrower than
that of the location. The distribution of a group is a mixture over nodes on the rows; values
between these, which the distributions of the population need, come from Chebyshev series.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.polynomial.chebyshev import chebder, chebpts1, chebval, chebvander
from scipy.special import logsumexp

from skpostbac._utils import Floats
from skpostbac.stats._distribution import LogitDistribution
from skpostbac.stats._numerics import EPS, Rows, log_sum
from skpostbac.stats._population.model import (
    BetaBinomial,
    NormalBinomial,
    log_likelihood,
)

# Rows reach down to exp(-depth) of the maximum.
_DEPTH, _TINY = 70.0, 0.05
# Largest ratio of the width of a row to the spread of the groups that nodes resolve.
_LARGEST_RATIO = 50.0
# Locations are spread like the sinh of z so many scales from the middle of a row.
_TURN = 4.0
# Where a row is looked at, out to where nothing is left.
_LOOKS = np.linspace(-13.0, 13.0, 41)
# Between the nodes the log posterior is a Chebyshev series of this degree.
_DEGREE = 96
_POINTS: Floats = chebpts1(_DEGREE + 1)
_TO_SERIES = np.linalg.inv(chebvander(_POINTS, _DEGREE))


@dataclass(frozen=True)
class _Rows(Rows):
    """A row of locations, or of other log-odds, for each of some concentrations; shape (n,).

    Attributes
    ----------
    concentration, log_weight : nodes of the rule for the integral over the log concentration.
    middle, scale, low, high : locations are ``middle + scale * 4 sinh(z / 4)``, z in [low, high].
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

    def at(self, v: Floats) -> Floats:
        """Return z at a position v on [-1, 1], the argument of a series."""
        return np.asarray(0.5 * (self.low + self.high) + 0.5 * (self.high - self.low) * v)

    @property
    def points(self) -> Floats:
        """Locations of which the values make a series, shape (degree + 1, n)."""
        return self.location(self.at(_POINTS[:, None]))

    def log_mixture(self, log_densities: Floats) -> Callable[[Floats], Floats]:
        """Return the log of the sum of densities of locations, given the logs at the points."""
        series = _series(log_densities)

        def log_density(u: Floats) -> Floats:
            v = (2 * self.z(u[:, None]) - self.low - self.high) / (self.high - self.low)
            inside = np.clip(v, -1.0, 1.0)
            # Beyond the ends of a row it falls by so much for each half of their length.
            values = chebval(inside, series, tensor=False) - 1e4 * np.abs(v - inside)
            return np.asarray(logsumexp(values, axis=1))

        return log_density


def _series(values: Floats) -> Floats:
    """Chebyshev series in v, along the first axis, of what has these values at the points."""
    return np.tensordot(_TO_SERIES, values, 1)


class GroupInference:
    """The posterior of a population, of its groups, and of one more group.

    Parameters
    ----------
    prior : NormalBinomial or BetaBinomial
        How the accuracies vary between groups.
    correct, total : ndarray of shape (m,)
        Counts of the groups.
    """

    def __init__(
        self, prior: NormalBinomial | BetaBinomial, correct: Floats, total: Floats
    ) -> None:
        self._prior = prior
        # Groups of the same counts are computed once.
        self._kinds, kind, count = np.unique(
            np.stack([correct, total]), axis=1, return_inverse=True, return_counts=True
        )
        self._kind, self._count = kind.ravel(), count.astype(float)
        self._rows = self._place_rows()
        rows = self._rows
        of_kinds = self._log_evidence(rows.points, rows.concentration)
        self._log_posterior = (
            self._prior._log_prior(rows.points, rows.concentration)
            + of_kinds @ self._count
            + rows.log_weight
        )
        # Nodes and log weights, of sum one, that resolve groups around each location, and their log
        # evidence of each kind, shape (n, n_kinds)
        ratio = rows.scale / self._prior._spread(rows.middle, rows.concentration)
        # Groups that are closer to alike are taken as spread so much, which widens a distribution
        # by 2e-4.
        narrowed = np.log(np.maximum(ratio / _LARGEST_RATIO, 1.0))
        step = 0.5 / np.hypot(1.0, np.minimum(ratio, _LARGEST_RATIO))
        sizes = np.ceil((rows.high - rows.low) / step).astype(int)
        # A midpoint rule along each row
        v = np.concatenate([(np.arange(n) + 0.5) / n for n in sizes]) * 2 - 1
        row = np.repeat(np.arange(sizes.size), sizes)
        both = _series(np.concatenate([self._log_posterior[..., None], of_kinds], axis=-1))
        basis = np.split(chebvander(v, _DEGREE), np.cumsum(sizes)[:-1])
        values = np.concatenate([part @ both[:, i] for i, part in enumerate(basis)])
        place = rows[row]
        z = place.at(v)
        log_weight = (
            values[:, 0] + place.log_slope(z) + np.log((place.high - place.low) / sizes[row])
        )
        kept = log_weight > log_weight.max() - _DEPTH
        self._location = place.location(z)[kept]
        self._concentration = (place.concentration - 2 * narrowed[row])[kept]
        self._log_weight = (log_weight - logsumexp(log_weight))[kept]
        self._evidence = values[kept, 1:]
        # Log densities are sums of terms as large as this.
        largest = float(total.sum()) + float(np.exp(self._concentration.max()))
        self._tolerance = 1e-10 + 10 * EPS * largest

    def _log_evidence(self, location: Floats, concentration: Floats) -> Floats:
        """Log evidence of each kind of group, along a new last axis."""
        columns = [
            self._prior._log_evidence(location, concentration, correct, total)
            for correct, total in self._kinds.T
        ]
        return np.stack(columns, axis=-1)

    def _log_density(self, location: Floats, concentration: Floats) -> Floats:
        """Log posterior density of the location and of the log concentration."""
        prior = self._prior._log_prior(location, concentration)
        return np.asarray(prior + self._log_evidence(location, concentration) @ self._count)

    def _normal(self, concentration: Floats) -> tuple[Floats, Floats]:
        """Mean and standard deviation of the location, as if all log-odds were normal."""
        right, wrong = self._kinds[0] + 0.5, self._kinds[1] - self._kinds[0] + 0.5
        edges, noise = np.log(right / wrong), 1 / right + 1 / wrong
        mean, precision = self._prior._location_prior
        centre = (self._count @ (edges / noise) + mean * precision) / (
            self._count @ (1 / noise) + precision
        )
        spread = self._prior._spread(centre, concentration)
        weights = self._count / (noise + spread[:, None] ** 2)
        total = weights.sum(axis=1) + precision
        return (weights @ edges + precision * mean) / total, 1 / np.sqrt(total)

    def _spreads(self) -> tuple[Floats, Floats]:
        """Concentrations wherever the posterior counts, and logs of their weights."""
        correct, total = self._kinds
        unit = self._prior._least_spread(float(self._count @ total))
        is_mixed = (correct > 0) & (correct < total)
        largest = self._prior._largest_spread(float(self._count[is_mixed].sum()))

        def stretched(y: Floats) -> tuple[Floats, Floats]:
            """Concentration at y, and the log of its derivative."""
            return -2 * np.log(unit * np.sinh(y)), np.log(2 / np.tanh(y))

        def scan(low: float, high: float) -> tuple[Floats, Floats]:
            """Return some y in a range, and about the log of the share of each."""
            y = np.linspace(low, high, 67)[1::2]
            concentration, log_slope = stretched(y)
            middle, scale = self._normal(concentration)
            looks = np.linspace(-4.0, 4.0, 9)[:, None]
            values = self._log_density(middle + scale * looks, concentration)
            return y, np.asarray(logsumexp(values, axis=0) + np.log(scale) + log_slope)

        low, high = 0.0, float(np.arcsinh(largest / unit))
        for _ in range(3):
            y, share = scan(low, high)
            inside, gap = y[share > share.max() - _DEPTH], float(y[1] - y[0])
            low, high = max(float(inside[0]) - gap, low), min(float(inside[-1]) + gap, high)
        y, share = scan(low, high)
        share -= logsumexp(share)
        weights = np.exp(share)
        deviation = float(np.sqrt(weights @ (y - weights @ y) ** 2))
        # How far the log-odds of the mean move along y, and across
        near = y[share > -20.0]
        middle, scale = self._normal(stretched(near)[0])
        up, down = (
            self._prior._mean_log_odds(middle, stretched(near * f)[0])
            for f in (1 + _TINY, 1 - _TINY)
        )
        right, left = (
            self._prior._mean_log_odds(middle + x * scale, stretched(near)[0])
            for x in (_TINY, -_TINY)
        )
        turn = float(np.max(np.abs(up - down) / near / (right - left), initial=_TINY))
        # Of less than half a standard deviation of y, and so that the mean accuracy moves by less
        # than .8 widths of its distribution given y
        step = max(min(0.22, 0.5 * deviation, 0.8 / turn), (high - low) / 160)
        y = step * (np.arange(np.floor(low / step), np.ceil(high / step) + 1) + 0.5)
        concentration, log_slope = stretched(y)
        return concentration, log_slope + np.log(step)

    def _place_rows(self) -> _Rows:
        """Place a row of locations for each concentration where the posterior counts."""
        concentration, log_weight = self._spreads()
        low, high = np.full((2, concentration.size), [[_LOOKS[0]], [_LOOKS[-1]]])
        rough = _Rows(concentration, log_weight, *self._normal(concentration), low, high)
        location = rough.location(_LOOKS[:, None])
        values = self._log_density(location, concentration) + log_weight
        mass = np.exp(values - values.max(axis=0) + rough.log_slope(_LOOKS[:, None]))
        mass /= mass.sum(axis=0)
        middle = np.sum(mass * location, axis=0)
        deviation = np.sqrt(np.sum(mass * (location - middle) ** 2, axis=0))
        # Not narrower than what the looks resolve
        rows = replace(rough, middle=middle, scale=np.maximum(deviation, 0.3 * rough.scale))
        inside = values > values.max() - _DEPTH
        # Each range has a look beyond it on either side.
        first = np.maximum(inside.argmax(axis=0) - 1, 0)
        last = _LOOKS.size - 1 - np.maximum(inside[::-1].argmax(axis=0) - 1, 0)
        row = np.arange(concentration.size)
        low, high = rows.z(location[first, row]), rows.z(location[last, row])
        return replace(rows, low=low, high=high)[inside.any(axis=0)]

    @cached_property
    def _shape(self) -> tuple[float, float]:
        """A point amid the posterior of the location, and its width."""
        weight = np.exp(self._log_weight)
        mean = float(weight @ self._location)
        return mean, float(np.sqrt(weight @ (self._location - mean) ** 2))

    def population_location(self) -> LogitDistribution:
        """Distribution of the accuracy at the location."""
        log_density = self._rows.log_mixture(self._log_posterior)
        return LogitDistribution(log_density, *self._shape, self._tolerance)

    def population_mean(self) -> LogitDistribution:
        """Distribution of the mean of the accuracies in the population."""
        if isinstance(self._prior, BetaBinomial):
            return self.population_location()
        rows = self._rows
        means = _series(self._prior._mean_log_odds(rows.points, rows.concentration))
        slopes = np.asarray(chebder(means), float)

        def mean(v: Floats) -> Floats:
            return np.asarray(chebval(v, means, tensor=False))

        def slope(v: Floats) -> Floats:
            # Of spreads that hardly count, all means are 1/2.
            return np.asarray(np.maximum(chebval(v, slopes, tensor=False), 1e-13))

        # Rows of means between the same ends, spread like the locations about the same middle
        middle = np.clip(-(rows.low + rows.high) / (rows.high - rows.low), -1.0, 1.0)
        scale = 2 * slope(middle) / (rows.high - rows.low)
        own = replace(rows, middle=mean(middle), scale=scale)
        low, high = own.z(mean(-np.ones_like(middle))), own.z(mean(np.ones_like(middle)))
        own = replace(own, low=low, high=np.maximum(high, low + _TINY))
        # Positions v of their points, by Newton's method from the nearest known ones
        wanted, known = own.points, -np.cos(np.linspace(0.0, np.pi, 4 * _DEGREE))
        grid = np.maximum.accumulate(chebval(known, means), axis=1)
        v = np.stack([np.interp(x, y, known) for x, y in zip(wanted.T, grid, strict=True)], axis=1)
        for _ in range(5):
            v = np.clip(v - (mean(v) - wanted) / slope(v), -1.0, 1.0)
        stretch = rows.log_slope(rows.at(v)) + np.log(0.5 * (rows.high - rows.low) / slope(v))
        log_posterior = chebval(v, _series(self._log_posterior), tensor=False)
        return LogitDistribution(
            own.log_mixture(log_posterior + stretch), *self._shape, self._tolerance
        )

    def new_group(self) -> LogitDistribution:
        """Distribution of the accuracy of one more group."""
        return self._group(self._log_weight, 0.0, 0.0)

    def groups(self, number: int) -> list[LogitDistribution]:
        """Distributions of the first groups, one for all that have the same counts."""
        kinds = self._kind[:number].tolist()
        distributions = {
            kind: self._group(self._log_weight - self._evidence[:, kind], *self._kinds[:, kind])
            for kind in dict.fromkeys(kinds)
        }
        return [distributions[kind] for kind in kinds]

    def _group(self, log_weight: Floats, correct: float, total: float) -> LogitDistribution:
        """Distribution of the accuracy of a group with these counts, given weights of nodes."""
        mixed = self._prior._coefficients(self._location, self._concentration)
        mixed[0] += log_weight

        def log_density(u: Floats) -> Floats:
            blocks = (u[i : i + 128] for i in range(0, u.size, 128))
            logs = [log_sum((self._prior._terms(block) @ mixed).T) for block in blocks]
            return log_likelihood(u, correct, total) + np.concatenate(logs)

        # A point amid it, and its width, as if all were normal
        centre, width = self._shape
        best = np.argmax(self._log_weight)
        spread = self._prior._spread(self._location[best], self._concentration[best])
        right, wrong = correct + 0.5, total - correct + 0.5
        information = right * wrong / (right + wrong) if total else 0.0
        precision = 1 / (width**2 + spread**2)
        weight = information + precision
        start = (information * np.log(right / wrong) + precision * centre) / weight
        return LogitDistribution(
            log_density, float(start), float(1 / np.sqrt(weight)), self._tolerance
        )

    def sample_groups(self, n_draws: int, rng: np.random.Generator) -> Floats:
        """Draw the accuracies of all groups together, shape (n_draws, m).

        Given the parameters of a Beta population, the accuracies are independent Betas.

        Raises
        ------
        TypeError
            If the population is none of Betas.
        """
        if not isinstance(self._prior, BetaBinomial):
            raise TypeError("groups are drawn together from a population of Betas only")
        weight = np.exp(self._log_weight - self._log_weight.max())
        node = rng.choice(weight.size, n_draws, p=weight / weight.sum())
        a, b = self._prior._exponents(self._location[node], self._concentration[node])
        correct, total = self._kinds[:, self._kind]
        draws = rng.beta(a[:, np.newaxis] + correct, b[:, np.newaxis] + total - correct)
        return np.asarray(draws, np.float64)
