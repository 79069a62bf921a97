r"""The distribution of a weighted average of independent accuracies, each given by its log-odds.

The transform of the average is the product of those of the accuracies, sums over the nodes of their
densities. An accuracy may be as close to 0 or 1 as doubles allow: with few groups, the log-odds of
one more have heavy tails, and the transform falls like a power of log t. Next to an end the density
of the distance d from it is then a sum of powers,

    f(d) = sum_j c_j d^(a_j - 1),

fitted by least squares to the densities at even steps of log d, and its transform there is
sum_j c_j Gamma(a_j) (-i t)^(-a_j) (Watson's lemma), for complex t as well. The products of the
ends of all accuracies are the corners of a Fourier series (`_series.corners`). Orders are doubled
until the transform has vanished, or is that of the corners to 1e-10.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from scipy.special import erfc, expit, gammaln, logsumexp

from skpostbac._utils import Complexes, Floats
from skpostbac.stats._distribution import (
    BoundedDistribution,
    LogitDensity,
    LogitDistribution,
    Panels,
)
from skpostbac.stats._numerics import Frame, even_sums, exact_sum
from skpostbac.stats._series import Centred, Corners, Rule, Series

# Log of the mass that may be outside of the range of a series, and its period in ranges.
_DEPTH, _PERIOD = 34.0, 1 + 1 / 16
# The fewest orders of a series, and the most: a second or so.
_FEWEST, _MOST = 32, 2**16
# Coefficients that count as zero, and what corners may miss of a transform.
_VANISHED, _MISSED = 1e-14, 1e-10
# Heights, as shares of the last, at which a transform is looked at.
_LOOKS = np.linspace(0.55, 1.0, 10)
# Radians by which a wave turns on a panel of 16 nodes, which leave 1e-18, and a mass that is none.
_TURN, _NEGLIGIBLE = 14.0, 1e-20
# Powers of an end. They are fitted where log d is up to 40 below its largest, where a wave turns by
# 40 radians; what is closer to the end is taken as the end.
_POWERS = np.append(np.geomspace(0.03, 1.0, 16, endpoint=False), np.arange(1.0, 20.0, 0.5))
_RADIANS, _CLOSEST = 40.0, 40.0
# An end reaches no farther than to this share of an accuracy.
_WIDEST = 0.2
# Places of corners that rounding tells apart, and the least that counts.
_ROUNDING, _LEAST = 1e-15, 1e-15
# Powers of a density at an end that count as zero.
_FLAT = 1e-6


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
    return (
        distributions[0] if len(distributions) == 1 else LogitAverage(tuple(distributions), weights)
    )


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
        """Variance, third and fourth cumulant."""
        orders, weights = np.array([2, 3, 4]), self._weights[:, np.newaxis]
        found = np.array([[t.density.central_moment(k) for k in orders] for t in self._terms])
        found[:, 2] -= 3 * found[:, 0] ** 2
        return np.asarray((weights**orders * found).sum(axis=0))

    def variance(self) -> float:
        """Return the variance, by quadrature."""
        return float(self._cumulants[0])

    def skewness(self) -> float:
        """Return the skewness, the third standardised moment, by quadrature."""
        return float(self._cumulants[1] / self._cumulants[0] ** 1.5)

    def kurtosis(self) -> float:
        """Return the excess kurtosis, by quadrature; it is zero for a normal distribution."""
        return float(self._cumulants[2] / self._cumulants[0] ** 2)

    @cached_property
    def _frame(self) -> Frame:
        to_low, to_high = np.array([term.ends for term in self._terms]).T * [[-1.0], [1.0]]
        mean = exact_sum([to_low])
        return Frame(0.0, 0.0, 1.0, 0.0, *mean, mean[0], float(to_high.sum()))

    @cached_property
    def _centred(self) -> Centred:
        return _series(self._terms, self.standard_deviation())


@dataclass(frozen=True)
class _Term:
    """One accuracy times its weight, at distances from its mean."""

    density: LogitDensity
    weight: float

    @property
    def ends(self) -> tuple[float, float]:
        """Both ends."""
        below, above = self.density.mean_and_rest
        return -self.weight * below, self.weight * above

    def refined(self, panels: Panels, top: float) -> Panels:
        """Halve panels until they resolve waves up to a height."""
        panels = panels[panels.log_masses > np.log(_NEGLIGIBLE)]
        while True:
            turn = top * self.weight * (expit(panels.right) - expit(panels.left))
            if not (turn > _TURN).any():
                return panels
            panels = panels.halved(turn > _TURN)

    def nodes(self, panels: Panels) -> tuple[Floats, Floats]:
        """Positions and masses, with those closer to the ends than any panel."""
        u, log_mass = panels.nodes
        low, high = self.ends
        inside = np.where(u < 0, low + self.weight * expit(u), high - self.weight * expit(-u))
        masses = np.append(np.exp(log_mass), self.density._masses_beyond)
        return np.append(inside, [low, high]), masses

    def fitted_end(self, end: int, farthest: float) -> tuple[float, Floats]:
        """Mass at the lower (0) or upper end (1), and factors of (d / farthest)^a - 1 next to it."""
        y, (left, right) = _fit()
        x = farthest / self.weight * np.exp(-y)
        log_rest = np.log1p(-x)
        u = (1 - 2 * end) * (np.log(farthest / self.weight) - y - log_rest)
        factors = right @ (left @ np.exp(self.density.log_density(u) - log_rest))
        mass = np.exp(self.density.log_tail(u[:1], np.array([end == 0])))[0]
        return float(mass - (factors / _POWERS).sum()), factors


@cache
def _fit() -> tuple[Floats, tuple[Floats, Floats]]:
    """Points y and two matrices whose product takes values there to factors of exp(-a y).

    The inverse itself would magnify rounding errors.
    """
    y = 0.05 * np.sinh(np.linspace(0, np.arcsinh(_CLOSEST / 0.05), 300))
    weights = np.sqrt(np.gradient(y))[:, np.newaxis]
    u, size, v = np.linalg.svd(weights * np.exp(-np.multiply.outer(y, _POWERS)), False)
    kept = size > 1e-13 * size[0]
    return y, ((u * weights)[:, kept].T, v[kept].T / size[kept])


def _series(terms: list[_Term], deviation: float) -> Series:
    """Return the series of the sum of some terms."""
    coarse = [term.nodes(term.density.panels) for term in terms]
    ends = np.array([term.ends for term in terms]).sum(axis=0)
    rates = 2.0 ** np.arange(-2, 6)[:, np.newaxis] / deviation
    # Chernoff's bound on the mass beyond
    low, high = (
        side * min(np.min((_DEPTH + sum(_log_mgf(side * rates, *x) for x in coarse)) / rates[:, 0]), side * end)
        for side, end in zip((-1.0, 1.0), ends.tolist(), strict=True)
    )
    step, order = 2 * np.pi / (_PERIOD * (high - low)), _FEWEST
    panels = [term.density.panels for term in terms]
    while True:
        top = order * step
        panels = [term.refined(x, top) for term, x in zip(terms, panels, strict=True)]
        nodes = [term.nodes(x) for term, x in zip(terms, panels, strict=True)]
        looks = top * _LOOKS
        values = np.prod([_transform(looks, *x) for x in nodes], axis=0)
        has_vanished, fits = np.abs(values).max() < _VANISHED, None
        if has_vanished or order == _MOST:
            break
        if _RADIANS / top < _WIDEST * min(term.weight for term in terms):
            farthest = _RADIANS / top
            fits = [[term.fitted_end(end, farthest) for end in (0, 1)] for term in terms]
            places, at_looks = _corners(terms, fits, farthest, np.log(looks))
            waves = np.exp(1j * np.multiply.outer(places, looks))
            if np.abs((waves * at_looks).sum(axis=0) - values).max() < _MISSED:
                break
            fits = None
        order *= 2
    coefficients = np.prod([even_sums(step * y, mass, order) for y, mass in nodes], axis=0)[1:]
    corners = None
    if fits:
        rule = Rule.of(order, sum(min(a for _, a in t.density.end_powers) for t in terms))
        logs = (np.log(step) + rule.log_orders).ravel()
        places, amplitudes = _corners(terms, fits, farthest, logs)
        shape = (1, *places.shape, *rule.log_orders.shape)
        if places.size:
            corners = Corners(rule, np.array([step]), places[np.newaxis], amplitudes.reshape(shape))
    elif has_vanished:
        coefficients = coefficients[: 1 + int(np.flatnonzero(np.abs(coefficients) > _VANISHED / 10).max(initial=_FEWEST))]
    else:
        # a window, which smooths the distribution over some steps of the last wave
        coefficients = coefficients * 0.5 * erfc(np.linspace(-10, 6, coefficients.size))
    return Series(
        np.array([2 * np.pi / step]),
        np.array([low]),
        np.array([high]),
        np.array([deviation]),
        _end_densities(terms, (low <= ends[0], high >= ends[1])),
        False,
        coefficients[np.newaxis],
        corners,
    )


def _log_mgf(rates: Floats, position: Floats, mass: Floats) -> Floats:
    """Log E exp(r x) at some rates, shape (n, 1)."""
    return np.asarray(logsumexp(rates * position, axis=1, b=mass))


def _transform(heights: Floats, position: Floats, mass: Floats) -> Complexes:
    """E exp(i t x) at some heights."""
    return np.array([mass @ np.exp(1j * height * position) for height in heights])


def _corners(
    terms: list[_Term], fits: list[list[tuple[float, Floats]]], farthest: float, log_t: Complexes
) -> tuple[Floats, Complexes]:
    """Return places of corners, (C,), and their transforms at heights whose logs are given."""
    places, values = np.zeros(1), np.ones((1, log_t.size), dtype=complex)
    gammas = np.exp(gammaln(_POWERS))
    for term, ends in zip(terms, fits, strict=True):
        pair = []
        for turn, (atom, factors) in zip((-0.5j, 0.5j), ends, strict=True):
            log_z = np.log(farthest) + log_t + turn * np.pi
            pair.append(atom + (factors * gammas) @ np.exp(-np.multiply.outer(_POWERS, log_z)))
        places = np.add.outer(term.ends, places).ravel()
        values = (np.array(pair)[:, np.newaxis] * values).reshape(-1, log_t.size)
        # Corners at the same place are one.
        order = np.argsort(places)
        places, values = places[order], values[order]
        first = np.flatnonzero(np.diff(places, prepend=-np.inf) > _ROUNDING)
        places, values = places[first], np.add.reduceat(values, first, axis=0)
        kept = np.abs(values).max(axis=1) > _LEAST
        places, values = places[kept], values[kept]
    return places, values


def _end_densities(terms: list[_Term], is_end: tuple[bool, bool]) -> Floats:
    """Limits of the density at both ends of the range, shape (2, 1).

    Densities c d^(a - 1) of the terms at a distance d have a sum like the product of all
    c Gamma(a) d^a, divided by d Gamma(sum of all a).
    """
    found = np.zeros((2, 1))
    weights = np.array([term.weight for term in terms])
    for end in (0, 1):
        log_factor, power = np.array([term.density.end_powers[end] for term in terms]).T
        if is_end[end] and power.sum() < 1 + _FLAT:
            logs = log_factor + gammaln(power) - power * np.log(weights)
            found[end] = np.exp(logs.sum()) if power.sum() > 1 - _FLAT else np.inf
    return found
