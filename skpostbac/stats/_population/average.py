r"""The distribution of a weighted average of independent accuracies, each given by its log-odds.

The transform of the average is the product of those of the accuracies, sums over the nodes of their
densities. An accuracy may be as close to 0 or 1 as doubles allow: with few groups, the log-odds of
one more have heavy tails, and the transform falls like a power of log t. Next to an end the density
of the distance d from it is then a sum of powers,

    f(d) = sum_j c_j d^(a_j - 1),

fitted by least squares to the densities at even steps of log d, and its transform there is
sum_j c_j Gamma(a_j) (-i t)^(-a_j) (Watson's lemma), for complex t as well. The products of the
ends of all accuracies are the corners of a Fourier series (`_series`). Orders are doubled
until the transform has vanished, or is that of the corners to 1e-10.

Where neither is the case up to 65,536 orders, as with 3 samples of one class and 10^5 of another,
all of them right, a window ends the series. Errors of probabilities are then 1e-9 farther than 1e-3
from the end, and up to 2 % beside it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial

import numpy as np
from scipy.special import erfc, expit, gamma, gammaln, logsumexp

from skpostbac._utils import Bools, Complexes, Floats
from skpostbac.stats._distribution import (
    BoundedDistribution,
    LogitDistribution,
    Table,
)
from skpostbac.stats._numerics import Frame, even_sums, exact_sum, powers
from skpostbac.stats._series import DEPTH, PERIOD, Centred, Corners, Rule, Series

# The fewest orders of a series, and coefficients that count as zero.
_FEWEST, _VANISHED = 32, 1e-14
# Powers of an end, beyond the least.
_POWERS = np.concatenate(
    [[0.0], np.geomspace(0.03, 1.0, 16, endpoint=False), np.arange(1.0, 20.0, 0.5)]
)


def logit_average(
    distributions: Sequence[LogitDistribution], weights: Floats
) -> BoundedDistribution:
    """Return the distribution of the weighted average of independent variables.

    Parameters
    ----------
    distributions : sequence of l LogitDistribution
        At least one.
    weights : ndarray of shape (l,)
        Positive, of sum one.
    """
    if len(distributions) == 1:
        return distributions[0]
    return LogitAverage(tuple(distributions), weights)


class LogitAverage(BoundedDistribution):
    """Weighted average of independent accuracies that are given by their log-odds.

    Parameters
    ----------
    distributions : tuple of l LogitDistribution
        Two or more.
    weights : ndarray of shape (l,)
        Positive, of sum one.
    """

    def __init__(self, distributions: tuple[LogitDistribution, ...], weights: Floats) -> None:
        self._distributions, self._weights = distributions, weights

    def __repr__(self) -> str:
        """Show the mean, the standard deviation and the number of variables."""
        mean, sd = self.mean(), self.standard_deviation()
        return f"LogitAverage(mean={mean:.4g}, sd={sd:.4g}, n_variables={len(self._distributions)})"

    @cached_property
    def _terms(self) -> list["_Term"]:
        return [
            _Term(distribution._table, weight)
            for distribution, weight in zip(self._distributions, self._weights, strict=True)
        ]

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        total = np.zeros(shape)
        for distribution, weight in zip(self._distributions, self._weights, strict=True):
            total += weight * distribution.sample(shape, rng=rng)
        return total

    @cached_property
    def _cumulants(self) -> Floats:
        found = np.array([term.table.cumulants for term in self._terms])
        return np.asarray((self._weights[:, np.newaxis] ** [2, 3, 4] * found).sum(axis=0))

    @cached_property
    def _frame(self) -> Frame:
        to_low, to_high = np.array([term.ends for term in self._terms]).T * [[-1.0], [1.0]]
        mean = exact_sum(to_low.tolist())
        return Frame(0.0, 1.0, *mean, mean[0], float(to_high.sum()))

    @cached_property
    def _centred(self) -> Centred:
        return _series(self._terms, self.standard_deviation())


@dataclass(frozen=True)
class _Term:
    """One accuracy times its weight, at distances from its mean."""

    table: Table
    weight: float

    @property
    def ends(self) -> tuple[float, float]:
        """Both ends."""
        below, above = self.table.mean_and_rest
        unit = self.weight / (below + above)
        return -unit * below, unit * above

    def refined(self, table: Table, top: float) -> Table:
        """Halve panels until they resolve waves up to a height."""
        while True:
            # On a panel of 16 nodes, which leave 1e-18 of a wave that turns by 14 radians
            is_wide = top * self.weight * np.diff(expit(table.edges)) > 14.0
            if not is_wide.any():
                return table
            table = table.halved(is_wide)

    def nodes(self, table: Table) -> tuple[Floats, Floats]:
        """Positions and masses."""
        (u, mass), (low, high) = table.nodes, self.ends
        inside = np.where(u < 0, low + self.weight * expit(u), high - self.weight * expit(-u))
        return inside, mass / mass.sum()

    def fitted_end(self, end: int, farthest: float) -> tuple[float, float, Floats]:
        """Return a mass at the lower end (0) or the upper one (1), and the density next to it.

        Given the first power, and c_j Gamma(a_j) of the density c_j (d / farthest)^a_j / d.
        """
        y, (left, right) = _fit()
        x, side = farthest / self.weight * np.exp(-y), 1 - 2 * end
        log_rest = np.log1p(-x)
        u = side * (np.log(farthest / self.weight) - y - log_rest)
        # The least power is that of the end, or the first one of a density that falls ever faster.
        below, above, _, slope, _ = self.table.values(u[:1])[:, 0].tolist()
        least = min(float(self.table.end_powers[1][end]), side * slope, 20.0)
        first, mass = max(least, 0.03), 0.0
        factors = right @ (left @ np.exp(self.table.log_density(u) - log_rest + first * y))
        # Of small powers, what is closer than the points of the fit is taken as the end itself.
        if least < 0.5:
            mass = (below, above)[end] - float((factors / (first + _POWERS)).sum())
        return mass, first, factors * gamma(first + _POWERS)


@cache
def _fit() -> tuple[Floats, tuple[Floats, Floats]]:
    """Points y and two matrices whose product takes values there to factors of exp(-a y).

    The logs of the distance reach down to 40 below the largest. The inverse itself would magnify
    rounding errors.
    """
    y = 0.05 * np.sinh(np.linspace(0, np.arcsinh(40.0 / 0.05), 300))
    weights = np.sqrt(np.gradient(y))[:, np.newaxis]
    u, size, v = np.linalg.svd(weights * np.exp(-np.multiply.outer(y, _POWERS)), False)
    kept = size > 1e-13 * size[0]
    return y, ((u * weights)[:, kept].T, v[kept].T / size[kept])


def _series(terms: list[_Term], deviation: float) -> Series:
    """Return the series of the sum of some terms."""
    tables = [term.table for term in terms]
    nodes = [term.nodes(x) for term, x in zip(terms, tables, strict=True)]
    ends = np.array([term.ends for term in terms]).sum(axis=0)
    # Chernoff's bound of exp(-34) on the mass beyond, unless an end of the support is closer
    rates: Floats = 2.0 ** np.arange(-2.0, 6.0) / deviation
    reach = np.empty(2)
    for i, side in enumerate((-1.0, 1.0)):
        exponents = [(np.multiply.outer(side * rates, y), mass) for y, mass in nodes]
        log_mgf = sum(logsumexp(x, axis=1, b=mass) for x, mass in exponents)
        reach[i] = min(float(np.min((DEPTH + log_mgf) / rates)), side * ends[i])
    step = 2 * np.pi / (PERIOD * reach.sum())
    # No transform has vanished sooner than that of a normal variable, at 8 / sd.
    order = max(_FEWEST, int(2 ** np.floor(np.log2(8.0 / (step * deviation)))))
    corners_at, has_vanished = None, False
    while True:
        top = order * step
        tables = [term.refined(x, top) for term, x in zip(terms, tables, strict=True)]
        nodes = [term.nodes(x) for term, x in zip(terms, tables, strict=True)]
        looks, farthest = top * np.linspace(0.55, 1.0, 6), 40.0 / top
        turns = [np.multiply.outer([looks[0], looks[1] - looks[0]], y) for y, _ in nodes]
        parts = zip(turns, nodes, strict=True)
        transforms = [
            powers(np.exp(1j * t[0]), np.exp(1j * t[1]), looks.size) @ mass
            for t, (_, mass) in parts
        ]
        values = np.prod(transforms, axis=0)
        has_vanished = bool(np.abs(values).max() < _VANISHED)
        if has_vanished:
            break
        # An end is fitted where waves turn by less than 40 radians, a fifth of an accuracy at most.
        if farthest < 0.2 * min(term.weight for term in terms):
            fits = [[term.fitted_end(end, farthest) for end in (0, 1)] for term in terms]
            corners_at = partial(_corners, terms, fits, farthest)
            places, amplitudes = corners_at(np.log(looks))
            waves = np.exp(1j * np.multiply.outer(places, looks))
            if np.abs((waves * amplitudes).sum(axis=0) - values).max() < 1e-10:
                break
            corners_at = None
        # More would take some seconds.
        if order >= 2**16:
            break
        order *= 2
    coefficients = np.prod([even_sums(step * y, mass, order) for y, mass in nodes], axis=0)[1:]
    corners = None
    if corners_at:
        rule = Rule.of(order, sum(float(t.table.end_powers[1].min()) for t in terms))
        places, amplitudes = corners_at((np.log(step) + rule.log_orders).ravel())
        if places.size:
            shape = (1, *places.shape, *rule.log_orders.shape)
            corners = Corners(rule, np.array([step]), places[np.newaxis], amplitudes.reshape(shape))
    elif has_vanished:
        last = np.flatnonzero(np.abs(coefficients) > 0.1 * _VANISHED).max(initial=_FEWEST)
        coefficients = coefficients[: last + 1]
    else:
        # A window smooths the distribution over some of the last waves.
        coefficients = coefficients * 0.5 * erfc(np.linspace(-10, 6, coefficients.size))
    return Series(
        *(np.array([2 * np.pi / step]), coefficients[np.newaxis], corners),
        low=-reach[:1],
        high=reach[1:],
        deviation=np.array([deviation]),
        end_densities=_end_densities(terms, reach >= np.abs(ends)),
    )


def _corners(
    terms: list[_Term],
    fits: list[list[tuple[float, float, Floats]]],
    farthest: float,
    log_t: Complexes,
) -> tuple[Floats, Complexes]:
    """Return places of corners, (C,), and their transforms at heights whose logs are given."""
    places, values = np.zeros(1), np.ones((1, log_t.size), dtype=complex)
    logs = [np.log(farthest) + log_t + turn * np.pi for turn in (-0.5j, 0.5j)]
    tables = [np.exp(-np.multiply.outer(_POWERS, log_z)) for log_z in logs]
    for term, ends in zip(terms, fits, strict=True):
        pair = np.array(
            [
                mass + np.exp(-first * log_z) * (factors @ table)
                for (mass, first, factors), log_z, table in zip(ends, logs, tables, strict=True)
            ]
        )
        places = np.add.outer(term.ends, places).ravel()
        values = (pair[:, np.newaxis] * values).reshape(-1, log_t.size)
        # Corners at the same place are one, and some do not count.
        order = np.argsort(places)
        first_of = np.flatnonzero(np.diff(places[order], prepend=-np.inf) > 1e-12)
        places, values = places[order][first_of], np.add.reduceat(values[order], first_of, axis=0)
        kept = np.abs(values).max(axis=1) > 1e-15
        places, values = places[kept], values[kept]
    return places, values


def _end_densities(terms: list[_Term], is_end: Bools) -> Floats:
    """Limits of the density at both ends of the range, shape (2, 1).

    Densities c d^(a - 1) of the terms at a distance d have a sum like the product of all
    c Gamma(a) d^a, divided by d Gamma(sum of all a).
    """
    found = np.zeros((2, 1))
    weights = np.array([term.weight for term in terms])
    for end in (0, 1):
        log_factor, power = np.array([np.array(term.table.end_powers)[:, end] for term in terms]).T
        if is_end[end] and power.sum() < 1 + 1e-6:
            logs = log_factor + gammaln(power) - power * np.log(weights)
            found[end] = np.exp(logs.sum()) if power.sum() > 1 - 1e-6 else np.inf
    return found
