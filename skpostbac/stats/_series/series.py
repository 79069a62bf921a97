r"""Fourier series of distributions on bounded intervals.

With X centred at its mean, v_k = E[exp(i k h X)] and h = 2 pi / P, the sawtooth of period P gives

    P(X <= y) = 1/2 + y / P - sum_k Im(exp(-i k h y) v_k) / (pi k),    |y - X| < P,

for k = 1, 2, ..., exactly where no mass is farther than P from y; the density is its derivative.
Where the coefficients vanish, the series ends. Otherwise they are those of the corners from some
order on, and the rest of the series is summed in closed form (`corners`).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np

from skpostbac._utils import Complexes, Floats
from skpostbac.stats._numerics import stacked_products, turned
from skpostbac.stats._series.corners import Corners

# Points y, shape (m, n), to the distribution function less 1/2 and its first derivatives there,
# shape (1 + d, m, n). Less 1/2, so that both tails have the same accuracy.
Evaluator: TypeAlias = Callable[[Floats], Floats]

# Tails, and densities in units of the standard deviation, that are too small for a series.
LEAST_TAIL = 1e-11
# Products that are held at a time.
_BLOCK = 2**18


class Centred(Protocol):
    """Protocol of m distributions, at distances from their means."""

    @property
    def low(self) -> Floats:
        """What is below does not count, shape (m,)."""

    @property
    def high(self) -> Floats:
        """What is above does not count, shape (m,)."""

    @property
    def deviation(self) -> Floats:
        """Standard deviations, shape (m,)."""

    @property
    def end_densities(self) -> Floats:
        """Limits of the densities at `low` and `high`, shape (2, m)."""

    @property
    def is_log_concave(self) -> bool:
        """Whether all log densities are known to be concave, so that each has a single peak."""

    @property
    def places(self) -> Floats:
        """Distances at which the density may have a kink or a pole, shape (m, C)."""

    @property
    def least(self) -> float:
        """Tails below this have no relative accuracy."""

    def evaluator(self, n_derivatives: int) -> Evaluator:
        """Return what evaluates the distribution functions and so many derivatives."""

    def tails(self, y: Floats, to_low: Floats, to_high: Floats) -> Floats:
        """P(X <= x), P(X > x) and the density, (3, m, n), between the ends of the supports.

        Points are given by their distances from the mean and from both ends.
        """

    def quantiles_from_ends(self, p: Floats, q: Floats) -> tuple[Floats, Floats] | None:
        """Distances from both ends of the supports of the points with P(X <= x) = p = 1 - q.

        None if they are no more accurate than distances from the mean.
        """


@dataclass(frozen=True)
class Series:
    """Fourier series of m centred distributions.

    Attributes
    ----------
    period : P, shape (m,).
    low, high : nothing that counts is below or above these distances from the mean, shape (m,).
    deviation : standard deviations, shape (m,).
    end_densities : limits of the densities at `low` and `high`, shape (2, m).
    is_log_concave : whether all log densities are known to be concave.
    coefficients : v_k from k = 1 to K - 1, shape (m, K - 1).
    corners : the rest of the series; None if it vanishes.
    """

    period: Floats
    low: Floats
    high: Floats
    deviation: Floats
    end_densities: Floats
    is_log_concave: bool
    coefficients: Complexes
    corners: Corners | None
    least: float = LEAST_TAIL

    @property
    def places(self) -> Floats:
        """Distances at which the density may have a kink or a pole, shape (m, C)."""
        if self.corners is None:
            return np.empty((len(self.period), 0))
        return np.clip(self.corners.places, self.low[:, np.newaxis], self.high[:, np.newaxis])

    def evaluator(self, n_derivatives: int) -> Evaluator:
        """Return what evaluates the distribution functions and so many derivatives."""
        count, period = self.coefficients.shape[1], self.period[:, np.newaxis]
        step = 2 * np.pi / self.period
        # The wave of order 1 + i c + j is that of order i c times that of order 1 + j.
        fine = math.isqrt(count - 1) + 1
        orders = np.arange(1, -(-count // fine) * fine + 1)
        inner, outer = orders[:fine], orders[::fine] - 1
        # Those of derivative d are i / pi (-i h)^d exp(-i k h y) v_k k^(d - 1).
        table = np.zeros((len(step), n_derivatives + 1, orders.size), dtype=complex)
        np.multiply(self.coefficients, (1j / np.pi) / orders[:count], out=table[:, 0, :count])
        rates = -1j * step[:, np.newaxis] * orders
        for d in range(n_derivatives):
            np.multiply(table[:, d], rates, out=table[:, d + 1])
        table = table.reshape(len(step), -1, fine)
        if self.corners is not None:
            rest = self.corners.evaluator(n_derivatives)
            factors = (1j / np.pi) * (-1j * step) ** np.arange(n_derivatives + 1)[:, np.newaxis]
        width = max(1, _BLOCK // table.size)

        def sums(turns: Floats) -> Floats:
            angles = (-2 * np.pi) * turns[..., np.newaxis]
            products = stacked_products(table, turned(angles * inner).transpose(0, 2, 1))
            products = products.reshape(len(step), n_derivatives + 1, -1, turns.shape[1])
            return np.asarray(np.einsum("mdrn,mnr->dmn", products, turned(angles * outer)).real)

        def evaluate(y: Floats) -> Floats:
            turns, values = y / period, np.empty((n_derivatives + 1, *y.shape))
            for start in range(0, y.shape[1], width):
                part = slice(start, start + width)
                values[..., part] = sums(turns[:, part])
            if self.corners is not None:
                values += (factors[..., np.newaxis] * rest(y)).real
            values[0] += turns
            values[1:2] += 1 / period
            return values

        return evaluate

    def tails(self, y: Floats, to_low: Floats, to_high: Floats) -> Floats:
        """P(X <= x), P(X > x) and the density at distances from the mean, (3, m, n)."""
        return tails_about_means(self, y)

    def quantiles_from_ends(self, p: Floats, q: Floats) -> None:
        """Return None: distances from the mean have the same accuracy."""


def tails_about_means(distributions: Centred, y: Floats) -> Floats:
    """P(X <= x), P(X > x) and the density at distances from the means, (3, m, n)."""
    first, last = distributions.low[:, np.newaxis], distributions.high[:, np.newaxis]
    excess, density = distributions.evaluator(1)(np.clip(y, first, last))
    is_inside = (first <= y) & (y <= last)
    excess = np.where(is_inside, np.clip(excess, -0.5, 0.5), np.copysign(0.5, y))
    density = np.where(is_inside, np.maximum(density, 0.0), 0.0)
    return np.stack([0.5 + excess, 0.5 - excess, density])
