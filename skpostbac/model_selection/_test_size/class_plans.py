"""The counts that a test set may bring, class by class, and what the posterior makes of them.

The counts of a class are a pair (y, x). The distribution of x given y is binomial or beta-binomial,
and y is the discordant samples of two classifiers on one test set, the correct predictions of the
first classifier on a test set of its own, or nothing.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Protocol, TypeAlias

import numpy as np
from scipy import special, stats

from skpostbac._utils import Floats
from skpostbac.stats._beta import central_moments

# Outcomes less likely than this are left out of tables.
_NEGLIGIBLE = 1e-14
# Of more different sizes, quantiles are not looked up in tables.
_MANY_SIZES = 100
# From this variance on, and up to this normal score, the expansion of a binomial quantile is good
# to 1.7 / variance, measured; one that is closer to the next count than twice that is looked at.
_LEAST_VARIANCE, _LARGEST_SCORE, _CLOSE = 50.0, 4.0, 3.5


class Distribution(Protocol):
    """Distribution of the correct predictions among `size` samples, for arrays of sizes."""

    @property
    def spread(self) -> float:
        """Variance of one sample."""

    def tail_from(self, x: Floats, size: Floats) -> Floats:
        """P(X >= x)."""

    def tail_to(self, x: Floats, size: Floats) -> Floats:
        """P(X <= x)."""

    def table(self, size: int) -> tuple[Floats, Floats]:
        """Values that are not negligible, and their probabilities."""

    def quantile(self, u: Floats, size: Floats) -> Floats:
        """Smallest value whose cdf is at least u."""


@dataclass(frozen=True)
class Binomial:
    """Counts of a class whose recall is known."""

    rate: float

    @property
    def spread(self) -> float:
        """Variance of one sample."""
        return self.rate * (1 - self.rate)

    def tail_from(self, x: Floats, size: Floats) -> Floats:
        """P(X >= x)."""
        return _of_distinct(self._tail_from, x, size)

    def tail_to(self, x: Floats, size: Floats) -> Floats:
        """P(X <= x)."""
        return _of_distinct(self._tail_to, x, size)

    def table(self, size: int) -> tuple[Floats, Floats]:
        """Values that are not negligible, and their probabilities."""
        return _binomial_table(self.rate, size)

    def quantile(self, u: Floats, size: Floats) -> Floats:
        """Smallest value whose cdf is at least u."""
        sizes, which = np.unique(size, return_inverse=True)
        if sizes.size > _MANY_SIZES:
            return _binomial_quantile(u, size, self.rate)
        result = np.empty_like(u)
        for place, n in enumerate(sizes.astype(int).tolist()):
            result[which == place] = _table_quantile(u[which == place], self.table(n))
        return result

    def _tail_from(self, x: Floats, size: Floats) -> Floats:
        inside = special.betainc(np.maximum(x, 1), np.maximum(size - x, 0) + 1, self.rate)
        return np.where(x <= 0, 1.0, np.where(x > size, 0.0, inside))

    def _tail_to(self, x: Floats, size: Floats) -> Floats:
        inside = special.betaincc(np.maximum(x, 0) + 1, np.maximum(size - x, 1), self.rate)
        return np.where(x >= size, 1.0, np.where(x < 0, 0.0, inside))


def _binomial_quantile(u: Floats, size: Floats, rate: float) -> Floats:
    """Smallest value whose cdf is at least u, for many different sizes.

    By the expansion of Cornish and Fisher with the corrections of Sheppard and for continuity, and
    where that is close to a whole number or the variance is small by the cdf itself.
    """
    variance, score = size * (rate * (1 - rate)), special.ndtri(u)
    is_wide = (variance >= _LEAST_VARIANCE) & (np.abs(score) <= _LARGEST_SCORE)
    variance, z = np.where(is_wide, variance, 1.0), np.where(is_wide, score, 0.0)
    square = z * z
    lean, peak = (1 - 2 * rate) ** 2 / variance, (1 - 6 * rate * (1 - rate)) / variance
    bend = z * (peak * (square - 3) / 24 - lean * (2 * square - 5) / 36)
    bend += (1 - 2 * rate) / np.sqrt(variance) * (square - 1) / 6
    place = size * rate - 0.5 + np.sqrt(np.maximum(variance - 1 / 12, 0.0)) * (z + bend)
    values = np.ceil(place)
    looked_at = ~is_wide | (np.abs(place - np.rint(place)) < _CLOSE / variance)
    values[looked_at] = stats.binom.ppf(u[looked_at], size[looked_at], rate)
    return np.asarray(values)


def _of_distinct(function: Callable[[Floats, Floats], Floats], x: Floats, size: Floats) -> Floats:
    """Evaluate a function of counts, of which few are different, once for each."""
    pairs, place = np.unique(x + 1j * size, return_inverse=True)
    return function(pairs.real, pairs.imag)[place].reshape(x.shape)


@lru_cache(maxsize=128)
def _binomial_table(rate: float, size: int) -> tuple[Floats, Floats]:
    """Return values that are not negligible, and their probabilities."""
    mean = size * rate
    reach = 9 * np.sqrt(mean * (1 - rate)) + 15
    values = np.arange(max(0.0, np.floor(mean - reach)), min(size, np.ceil(mean + reach)) + 1)
    return _without_negligible(values, stats.binom.pmf(values, size, rate))


@dataclass(frozen=True)
class BetaBinomial:
    """Counts of a class whose recall is Beta(a, b)."""

    a: float
    b: float

    @property
    def spread(self) -> float:
        """Variance of one sample."""
        return self.a * self.b / (self.a + self.b) ** 2

    def tail_from(self, x: Floats, size: Floats) -> Floats:
        """P(X >= x)."""
        n = int(size.flat[0])
        tails = np.cumsum(_beta_binomial(self.a, self.b, n)[::-1])[::-1]
        return np.asarray(np.append(np.minimum(tails, 1.0), 0.0)[np.clip(x, 0, n + 1).astype(int)])

    def tail_to(self, x: Floats, size: Floats) -> Floats:
        """P(X <= x)."""
        n = int(size.flat[0])
        tails = np.minimum(np.cumsum(_beta_binomial(self.a, self.b, n)), 1.0)
        return np.asarray(np.append(0.0, tails)[np.clip(x + 1, 0, n + 1).astype(int)])

    def table(self, size: int) -> tuple[Floats, Floats]:
        """Values that are not negligible, and their probabilities."""
        return _without_negligible(np.arange(size + 1.0), _beta_binomial(self.a, self.b, size))

    def quantile(self, u: Floats, size: Floats) -> Floats:
        """Smallest value whose cdf is at least u."""
        return _table_quantile(u, self.table(int(size.flat[0])))


@lru_cache(maxsize=8)
def _beta_binomial(a: float, b: float, size: int) -> Floats:
    """Return the probabilities of 0 to `size` correct predictions."""
    x = np.arange(size + 1.0)
    ways = -np.log(size + 1.0) - special.betaln(size - x + 1, x + 1)
    log_pmf = ways + special.betaln(x + a, size - x + b) - special.betaln(a, b)
    pmf: Floats = np.exp(log_pmf)
    pmf /= pmf.sum()
    pmf.flags.writeable = False
    return pmf


def _without_negligible(values: Floats, pmf: Floats) -> tuple[Floats, Floats]:
    kept = pmf > _NEGLIGIBLE
    table = values[kept], pmf[kept]
    for array in table:
        array.flags.writeable = False
    return table


def _table_quantile(u: Floats, table: tuple[Floats, Floats]) -> Floats:
    values, pmf = table
    place = np.searchsorted(np.cumsum(pmf), u)
    return values[np.minimum(place, values.size - 1)]


@dataclass(frozen=True)
class RecallPlan:
    """x correct predictions of one classifier; y is nothing."""

    size: int
    second: Distribution
    prior: tuple[float, float]
    weight: float

    @property
    def spread(self) -> float:
        """Variance of one sample's part of the recall."""
        return self.second.spread

    def first_table(self) -> tuple[Floats, Floats]:
        """Return one value, which means nothing."""
        return np.zeros(1), np.ones(1)

    def first_quantile(self, u: Floats) -> Floats:
        """Return zeros."""
        return np.zeros_like(u)

    def trials(self, y: Floats) -> Floats:
        """Return the number of samples."""
        return np.full_like(y, self.size)

    def cumulants(self, y: Floats, x: Floats) -> Floats:
        """Return those of the weighted recall."""
        a, b = self.prior
        return _beta_cumulants(a + x, b + (self.size - x), self.weight)


@dataclass(frozen=True)
class SeparatePlan:
    """y and x correct predictions of two classifiers, each on samples of its own."""

    size: int
    first: Distribution
    second: Distribution
    prior: tuple[float, float]
    weight: float

    @property
    def spread(self) -> float:
        """Variance of one sample's part of the difference."""
        return self.first.spread + self.second.spread

    def first_table(self) -> tuple[Floats, Floats]:
        """Values of y and their probabilities."""
        return self.first.table(self.size)

    def first_quantile(self, u: Floats) -> Floats:
        """Quantile of y."""
        return self.first.quantile(u, np.full_like(u, self.size))

    def trials(self, y: Floats) -> Floats:
        """Return the number of samples."""
        return np.full_like(y, self.size)

    def cumulants(self, y: Floats, x: Floats) -> Floats:
        """Return those of the weighted difference of the recalls, second less first."""
        a, b = self.prior
        return _beta_cumulants(a + x, b + (self.size - x), self.weight) + _beta_cumulants(
            a + y, b + (self.size - y), -self.weight
        )


@dataclass(frozen=True)
class PairedPlan:
    """x of the y samples that just one of two classifiers gets right are those of the second."""

    size: int
    first: Binomial
    second: Distribution
    prior: tuple[float, float]
    weight: float

    @property
    def spread(self) -> float:
        """Variance of one sample's part of the difference, if it is small."""
        return self.first.rate

    @property
    def cells(self) -> Floats:
        """Dirichlet prior of both right, only A, only B, neither, with the margins of `prior`."""
        a, b = self.prior
        return np.array([a * a, a * b, a * b, b * b]) / (a + b)

    def first_table(self) -> tuple[Floats, Floats]:
        """Values of y and their probabilities."""
        return self.first.table(self.size)

    def first_quantile(self, u: Floats) -> Floats:
        """Quantile of y."""
        return self.first.quantile(u, np.full_like(u, self.size))

    def trials(self, y: Floats) -> Floats:
        """Return the number of discordant samples."""
        return y

    def cumulants(self, y: Floats, x: Floats) -> Floats:
        """Return those of the weighted difference of two cells of a Dirichlet."""
        cell = self.cells[1]
        total = self.cells.sum() + self.size
        return _dirichlet_cumulants(cell + y - x, cell + x, total, self.weight)


ClassPlan: TypeAlias = RecallPlan | SeparatePlan | PairedPlan


def _beta_cumulants(a: Floats, b: Floats, weight: float) -> Floats:
    """Return the cumulants 1 to 4 of weight * Beta(a, b), shape (4, ...)."""
    moments = central_moments(a.ravel(), b.ravel(), 4)
    first = (a / (a + b)).ravel()
    cumulants = np.stack([first, moments[2], moments[3], moments[4] - 3 * moments[2] ** 2])
    return _scaled(cumulants, weight).reshape(4, *a.shape)


def _dirichlet_cumulants(a: Floats, b: Floats, total: float, weight: float) -> Floats:
    """Return the cumulants 1 to 4 of weight * (B - A) for cells a and b of a Dirichlet."""
    a, b = np.broadcast_arrays(a, b)
    mean = (b - a) / total
    variance = ((a + b) / total - mean * mean) / (total + 1)
    third, fourth = _raw_moments(a, b, total)
    second = variance + mean * mean
    third_central = third - 3 * mean * second + 2 * mean**3
    fourth_central = fourth - 4 * mean * third + 6 * mean**2 * second - 3 * mean**4
    rest = [third_central, fourth_central - 3 * variance**2]
    return _scaled(np.stack([mean, variance, *rest]), weight)


def _raw_moments(a: Floats, b: Floats, total: float) -> tuple[Floats, Floats]:
    """Return the third and the fourth moment of B - A by the rising factorials of the cells."""
    (_, a1, a2, a3, a4), (_, b1, b2, b3, b4) = _rising(a, 4), _rising(b, 4)
    *_, total3, total4 = _rising(np.float64(total), 4)
    third = (b3 - a3 + 3 * (b1 * a2 - b2 * a1)) / total3
    fourth = (b4 + a4 - 4 * (b3 * a1 + b1 * a3) + 6 * b2 * a2) / total4
    return np.asarray(third), np.asarray(fourth)


def _rising(x: Floats | np.float64, order: int) -> list[Floats | np.float64]:
    """Return the rising factorials 1, x, x (x + 1), ..., a tenth of the time of `special.poch`."""
    return list(accumulate((x + k for k in range(order)), operator.mul, initial=1.0 + 0.0 * x))


def _scaled(cumulants: Floats, weight: float) -> Floats:
    powers = weight ** np.arange(1.0, 5.0)
    return cumulants * powers.reshape(4, *[1] * (cumulants.ndim - 1))
