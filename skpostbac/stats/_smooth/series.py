"""Fourier series of distributions on bounded intervals.

With X centred at its mean, phi_k = E[exp(i k h X)] and h = 2 pi / P, the sawtooth of period P gives

    P(X <= y) = 1/2 + y / P + sum_k Im(exp(i k h y) conj(phi_k)) / (pi k),    |y - X| < P,

for k = 1, 2, ..., exactly where no mass is farther than P from y; the density is its derivative.
Values on an even grid follow by one fast Fourier transform. A grid of four places for each order is
so fine that the distribution, which has no higher ones, has no more detail.
"""

from dataclasses import dataclass

import numpy as np

from skpostbac._utils import Complexes, Floats
from skpostbac.stats._numerics import Rows, stacked_products
from skpostbac.stats._smooth.waves import powers, waves

# Places of a grid for each coefficient.
_FINENESS = 4
# Least tail and density whose logs and ratios are taken.
_TINY = 1e-300


@dataclass(frozen=True)
class Series(Rows):
    """Fourier series of m centred distributions.

    Attributes
    ----------
    period, reach : P, and how far from the mean values are resolved; shape (m,).
    deviation : the standard deviations.
    coefficients : conj(phi_k) from k = 0 on, shape (m, n_orders).
    """

    period: Floats
    reach: Floats
    deviation: Floats
    coefficients: Complexes

    @property
    def step(self) -> Floats:
        """Distance between two orders, h."""
        return 2 * np.pi / self.period

    def waves(self, n_derivatives: int = 2) -> "Waves":
        """Return what evaluates the cdf and its derivatives."""
        orders = np.arange(self.coefficients.shape[1])
        rates: Complexes = np.asarray(1j * self.step[:, np.newaxis] * orders)
        table = np.empty((len(rates), n_derivatives + 1, orders.size), dtype=complex)
        table[:, 0, 1:] = self.coefficients[:, 1:] / (1j * np.pi * orders[1:])
        table[:, 0, 0] = 0.5
        for i in range(n_derivatives):
            np.multiply(table[:, i], rates, out=table[:, i + 1])
        if n_derivatives:
            table[:, 1, 0] = 1 / self.period
        return Waves(self.period, table)

    def grid(self) -> "Grid":
        """Return values of the cdf and the density on an even grid about the mean."""
        orders = np.arange(self.coefficients.shape[1])
        count = _FINENESS * orders.size
        # The grid begins half a period below the mean.
        spectrum = np.empty((len(self.period), 2, orders.size), dtype=complex)
        spectrum[:, 1] = self.coefficients * (count * (1.0 - 2.0 * (orders % 2)))
        spectrum[:, 0, 1:] = spectrum[:, 1, 1:] / (2j * np.pi * orders[1:])
        spectrum[:, 0, 0] = 0.5 * count
        spectrum[:, 1] /= self.period[:, np.newaxis]
        values = np.fft.irfft(spectrum, count)
        share = np.arange(count) / count - 0.5
        y = self.period[:, np.newaxis] * share
        return Grid(y, values[:, 0] + share, values[:, 1])


@dataclass(frozen=True)
class Waves:
    """Sums of waves: Re sum_k table_k exp(i k h y), for the cdf less y / P and derivatives."""

    period: Floats
    table: Complexes

    def at(self, y: Floats) -> Floats:
        """Return the cdf and its derivatives at y, shape (m, n), along a new first axis."""
        turns = y / self.period[:, np.newaxis]
        table = powers(1.0, waves(2 * np.pi * turns, 0.0), self.table.shape[2])
        values = stacked_products(self.table, table.transpose(1, 0, 2)).real.transpose(1, 0, 2)
        values[0] += turns
        return np.asarray(values)

    def sums(self, y: Floats) -> Floats:
        """Return the cdf of the first distribution at many points y, shape (n,).

        The wave of order i s + j is that of order i s times that of order j: of K orders, only
        about 2 sqrt(K) exponentials of each point are computed.
        """
        table = self.table[0, 0]
        stride = int(np.ceil(np.sqrt(table.size)))
        rows = -(-table.size // stride)
        square = np.zeros(rows * stride, dtype=complex)
        square[: table.size] = table
        angle = 1j * (2 * np.pi / self.period[0]) * y[:, np.newaxis]
        fine = np.exp(angle * np.arange(stride))
        coarse = np.exp(angle * (stride * np.arange(rows)))
        square = square.reshape(rows, stride).T
        partial = stacked_products(fine[np.newaxis], square[np.newaxis])[0]
        return np.asarray((partial * coarse).sum(axis=1).real + y / self.period[0])


@dataclass(frozen=True)
class Grid:
    """Places y, cdf and density there, shape (m, n)."""

    y: Floats
    cdf: Floats
    density: Floats

    def quantiles(self, p: Floats, q: Floats) -> Floats:
        """Return about where P(X <= y) = p = 1 - q, shape (m, number of p).

        Between two places of the grid, y is a cubic Hermite polynomial in the log of the smaller
        tail, as a function of which it is nearly straight.
        """
        upper = p > 0.5
        cell = (self.cdf[:, np.newaxis, :] <= p[..., np.newaxis]).sum(axis=-1) - 1
        cell = np.minimum(np.maximum(cell, 0), self.cdf.shape[1] - 2)
        row = np.arange(len(cell))[:, np.newaxis]
        y0, step = self.y[row, cell], self.y[:, 1:2] - self.y[:, :1]
        ends = cell + np.array([0, 1])[:, np.newaxis, np.newaxis]
        cdf, density = self.cdf[row, ends], np.maximum(self.density[row, ends], _TINY)
        tail = np.maximum(np.where(upper, 1 - cdf, cdf), _TINY)
        logs = np.log(tail)
        width = logs[1] - logs[0]
        # The log of the tail has the slope density / tail.
        slope = np.where(upper, -width, width) * tail / density / step
        with np.errstate(divide="ignore", invalid="ignore"):
            s = (np.log(np.where(upper, q, p)) - logs[0]) / width
        square, cube = 3 - 2 * slope[0] - slope[1], slope[0] + slope[1] - 2
        share = s * (slope[0] + s * (square + s * cube))
        return np.asarray(y0 + step * np.minimum(np.maximum(share, 0.0), 1.0))
