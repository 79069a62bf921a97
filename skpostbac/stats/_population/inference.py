"""Distributions of group-level inference: of a population, of its groups, and of a new one."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.polynomial.chebyshev import chebder, chebval
from scipy.special import logsumexp

from skpostbac._utils import Floats
from skpostbac.stats._distribution import LogitDistribution
from skpostbac.stats._numerics import EPS, log_sum
from skpostbac.stats._population.model import BetaModel, group_model, log_likelihood
from skpostbac.stats._population.prior import BetaBinomial, NormalBinomial
from skpostbac.stats._population.quadrature import Evidence, PosteriorRows, series

# Log density beyond the ends of a series falls by this for each half of its length.
_BEYOND = 1e4
_NEWTON_STEPS, _CLOSE = 12, 1e-9
# Places of the grid of a series for each of its terms.
_GRID = 4
# Slope of the mean accuracy at spreads that hardly count, where all means are 1/2.
_FLAT = 1e-13
# Points whose densities given the nodes are computed at once.
_BLOCK = 128
# Largest error of the log densities that counts, and what rounding leaves of a term of size one.
_TOLERANCE, _ROUNDING = 1e-10, 10 * EPS


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
        model = group_model(prior)
        # Groups of the same counts are computed once.
        kinds, kind, count = np.unique(
            np.stack([correct, total]), axis=1, return_inverse=True, return_counts=True
        )
        self._model, self._kinds, self._kind = model, kinds, kind.ravel()
        self._posterior = PosteriorRows.of(Evidence(model, kinds[0], kinds[1], count.astype(float)))
        rows = self._posterior.rows
        self._nodes = self._posterior.nodes(model.spread(rows.middle, rows.concentration))
        # Log densities are sums of terms as large as this.
        largest = float(total.sum()) + np.exp(self._nodes.concentration.max())
        self._tolerance = _TOLERANCE + _ROUNDING * float(largest)

    def population_location(self) -> LogitDistribution:
        """Distribution of the accuracy at the location."""
        rows, log_posterior = self._posterior.rows, self._posterior.log_posterior

        def log_density(u: Floats) -> Floats:
            values = _extended(log_posterior, rows.v(rows.z(u[:, None])))
            return np.asarray(logsumexp(values, axis=1))

        return LogitDistribution(log_density, *self._location, self._tolerance)

    def population_mean(self) -> LogitDistribution:
        """Distribution of the mean of the accuracies in the population."""
        rows, log_posterior = self._posterior.rows, self._posterior.log_posterior
        log_right, log_wrong = self._model.log_mean(rows.points, rows.concentration)
        means = RisingSeries.of(_trimmed(series(log_right - log_wrong)))

        def log_density(u: Floats) -> Floats:
            v = means.inverse(u, rows.v(rows.z(u[:, None])))
            stretch = rows.log_slope(rows.at(v)) + np.log(0.5 * (rows.high - rows.low))
            stretch -= np.log(means.slope_at(v))
            beyond = _BEYOND * np.abs(u[:, None] - means.at(v))
            values = chebval(v, log_posterior, tensor=False) + stretch - beyond
            return np.asarray(logsumexp(values, axis=1))

        return LogitDistribution(log_density, *self._location, self._tolerance)

    def new_group(self) -> LogitDistribution:
        """Distribution of the accuracy of one more group."""
        return self._group(self._nodes.log_weight, 0.0, 0.0)

    def group(self, index: int) -> LogitDistribution:
        """Distribution of the accuracy of one of the groups."""
        return self._of_kind(int(self._kind[index]))

    def groups(self, number: int) -> list[LogitDistribution]:
        """Distributions of the first groups, one for all that have the same counts."""
        kinds = self._kind[:number].tolist()
        distributions = {kind: self._of_kind(kind) for kind in dict.fromkeys(kinds)}
        return [distributions[kind] for kind in kinds]

    def _of_kind(self, kind: int) -> LogitDistribution:
        others = self._nodes.log_weight - self._nodes.evidence[:, kind]
        return self._group(others, *self._kinds[:, kind])

    def sample_groups(self, n_draws: int, rng: np.random.Generator) -> Floats:
        """Draw the accuracies of all groups together, shape (n_draws, m).

        Given the parameters of a Beta population, the accuracies are independent Betas.

        Raises
        ------
        TypeError
            If the population is none of Betas.
        """
        if not isinstance(self._model, BetaModel):
            raise TypeError("groups are drawn together from a population of Betas only")
        weight = np.exp(self._nodes.log_weight - self._nodes.log_weight.max())
        node = rng.choice(weight.size, n_draws, p=weight / weight.sum())
        a, b = self._model.exponents(self._nodes.location[node], self._nodes.concentration[node])
        correct, total = self._kinds[:, self._kind]
        draws = rng.beta(a[:, np.newaxis] + correct, b[:, np.newaxis] + total - correct)
        return np.asarray(draws, np.float64)

    def _group(self, log_weight: Floats, correct: float, total: float) -> LogitDistribution:
        """Distribution of the accuracy of a group with these counts, given weights of nodes."""
        mixed = self._model.coefficients(self._nodes.location, self._nodes.concentration)
        mixed[0] += log_weight

        def log_density(u: Floats) -> Floats:
            blocks = [u[i : i + _BLOCK] for i in range(0, u.size, _BLOCK)]
            logs = [_log_sum(self._model.terms(block) @ mixed) for block in blocks]
            return log_likelihood(u, correct, total) + np.concatenate(logs)

        return LogitDistribution(log_density, *self._group_shape(correct, total), self._tolerance)

    @property
    def _location(self) -> tuple[float, float]:
        """A point amid the posterior of the location, and its width."""
        nodes = self._nodes
        weight = np.exp(nodes.log_weight)
        mean = float(weight @ nodes.location)
        return mean, float(np.sqrt(weight @ (nodes.location - mean) ** 2))

    def _group_shape(self, correct: float, total: float) -> tuple[float, float]:
        """Return a point amid the posterior of a group, and its width, as if all were normal."""
        centre, width = self._location
        best = np.argmax(self._nodes.log_weight)
        spread = self._model.spread(self._nodes.location[best], self._nodes.concentration[best])
        right, wrong = correct + 0.5, total - correct + 0.5
        information = right * wrong / (right + wrong) if total else 0.0
        precision = 1 / (width**2 + spread**2)
        weight = information + precision
        mean = (information * np.log(right / wrong) + precision * centre) / weight
        return float(mean), float(1 / np.sqrt(weight))


def _log_sum(values: Floats) -> Floats:
    """Log of the sums of the exponentials of rows."""
    return log_sum(values.T)


def _trimmed(series: Floats) -> Floats:
    """Leave out the last terms of series that do not count."""
    counts = np.abs(series).max(axis=1) > _ROUNDING * np.abs(series).max()
    return series[: int(np.flatnonzero(counts).max(initial=1)) + 1]


def _extended(series: Floats, v: Floats) -> Floats:
    """Value of a series on [-1, 1], falling steeply beyond."""
    inside = np.clip(v, -1.0, 1.0)
    return np.asarray(chebval(inside, series, tensor=False) - _BEYOND * np.abs(v - inside))


@dataclass(frozen=True)
class RisingSeries:
    """Chebyshev series on [-1, 1] that rise, one a column.

    Attributes
    ----------
    series, slope : coefficients of the series and of their slopes, shape (n_terms, n_rows).
    places : those of the grid on [-1, 1], shape (n_places,).
    """

    series: Floats
    slope: Floats
    places: Floats

    @classmethod
    def of(cls, series: Floats) -> "RisingSeries":
        """Tabulate some series."""
        places = -np.cos(np.linspace(0.0, np.pi, _GRID * len(series)))
        return cls(series, np.asarray(chebder(series), dtype=float), places)

    @cached_property
    def grid(self) -> Floats:
        """Values of each on the grid, shape (n_rows, n_places)."""
        # Rounding may let them fall.
        return np.asarray(np.maximum.accumulate(chebval(self.places, self.series), axis=1))

    def at(self, v: Floats) -> Floats:
        """Value of each series, shape (n, n_rows)."""
        return np.asarray(chebval(v, self.series, tensor=False))

    def slope_at(self, v: Floats) -> Floats:
        """Slope of each series, where rounding may let it fall."""
        return np.maximum(chebval(v, self.slope, tensor=False), _FLAT)

    def inverse(self, value: Floats, start: Floats) -> Floats:
        """Where each series has some values, or is closest to them, shape (n, n_rows).

        Where it does not reach them that is an end. Else Newton's method begins at a start, or,
        unless all starts are close, between two places of the grid: hardly more than two steps are
        needed then.
        """
        v = np.clip(start, -1.0, 1.0)
        excess = self.at(v) - value[:, None]
        reached = np.where(np.abs(v) < 1, np.abs(excess) < _CLOSE, v * excess <= 0)
        if reached.all():
            newton = v - excess / self.slope_at(v)
            return np.where(np.abs(v) < 1, np.clip(newton, -1.0, 1.0), v)
        return self._from_grid(value)

    def _from_grid(self, value: Floats) -> Floats:
        """Where each series has some values, by Newton's method from the grid."""
        v = np.stack([np.interp(value, row, self.places) for row in self.grid], axis=1)
        rest, column = np.nonzero(np.abs(v) < 1)
        low, high = self._cell(value, v.shape)
        for _ in range(_NEWTON_STEPS):
            last = v[rest, column]
            excess = chebval(last, self.series[:, column], tensor=False) - value[rest]
            slope = chebval(last, self.slope[:, column], tensor=False)
            newton = last - excess / np.maximum(slope, _FLAT)
            v[rest, column] = np.clip(newton, low[rest, column], high[rest, column])
            moved = np.abs(v[rest, column] - last) > _CLOSE
            if not moved.any():
                break
            rest, column = rest[moved], column[moved]
        return v

    def _cell(self, value: Floats, shape: tuple[int, ...]) -> tuple[Floats, Floats]:
        """Places of the grid between which each series has some values."""
        cell = np.empty(shape, dtype=int)
        for number, row in enumerate(self.grid):
            cell[:, number] = np.searchsorted(row, value)
        cell = np.clip(cell, 1, self.places.size - 1)
        return self.places[cell - 1], self.places[cell]
