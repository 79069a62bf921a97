"""Functions that vary slowly with the log of the height, at many heights of a vertical line.

Divided by its wave, the contribution of an end at s = c + it is an analytic function of log t up to
a distance of about pi / 2, where s becomes real. On panels of log t much shorter than that,
Chebyshev polynomials of low degree interpolate it to rounding error, for any number of heights.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.polynomial.chebyshev import chebvander

from skpostbac._utils import Bools, Complexes, Floats
from skpostbac.stats._numerics import matrix_product

# With panels at most this long a singularity pi / 3 away leaves 6^-20 of a function at the nodes.
_LENGTH, _NODES = 0.7, 20
# Coefficients that have not fallen to this, relative to the largest value, do not converge.
_CONVERGED = 1e-13
_PLACES: Floats = np.cos(np.pi * (np.arange(_NODES) + 0.5) / _NODES)
_TO_SERIES: Floats = np.asarray(np.linalg.inv(chebvander(_PLACES, _NODES - 1)).T, dtype=float)

# A function of s, shape (n,), with values of shape (..., n).
Function = Callable[[Complexes], Complexes]


def at_heights(function: Function, s: Complexes) -> Complexes:
    """Evaluate a function at s, on few nodes where there are many s of rising height on a line."""
    panels = Panels.of(s)
    if panels is None:
        return function(s)
    found = panels.interpolated(function(panels.nodes))
    return function(s) if found is None else found


@dataclass(frozen=True)
class Panels:
    """Panels of the log of the height, between whose nodes functions of s are interpolated."""

    s: Complexes
    count: int

    @classmethod
    def of(cls, s: Complexes, length: float = _LENGTH) -> "Panels | None":
        """Cut a line of rising s into panels, if their nodes are less than half as many.

        Longer ones than the default have fewer nodes, and serve values whose small digits do not
        count.
        """
        if s.size <= 2 * _NODES or not _is_rising_line(s):
            return None
        count = max(int(np.ceil(np.log(s.imag[-1] / s.imag[0]) / length)), 1)
        return cls(s, count) if s.size > 2 * count * _NODES else None

    @property
    def _length(self) -> float:
        return float(np.log(self.s.imag[-1] / self.s.imag[0])) / self.count

    @property
    def nodes(self) -> Complexes:
        """Chebyshev nodes of all panels."""
        middles = np.arange(self.count) + 0.5
        places = np.add.outer(middles, 0.5 * _PLACES) * self._length
        return np.asarray(self.s.real[0] + 1j * (self.s.imag[0] * np.exp(places)).ravel())

    def interpolated(self, values: Complexes, converged: float = _CONVERGED) -> Complexes | None:
        """Interpolate values at the nodes, (..., n_nodes), if their series converge."""
        series = self._series(values)
        if not self._converges(series, converged * max(np.abs(values).max(), 1.0)).all():
            return None
        return self._values(series)

    def interpolated_where(self, values: Complexes, error: float) -> tuple[Complexes, Bools]:
        """Interpolate values at the nodes, and tell at which heights their series converge."""
        series = self._series(values)
        known = self._converges(series, error)
        known = np.asarray(known.all(axis=tuple(range(known.ndim - 1))))
        return self._values(series), np.repeat(known, np.diff(self._bounds))

    def _series(self, values: Complexes) -> Complexes:
        """Coefficients on each panel, shape (..., count, n_orders)."""
        return values.reshape(*values.shape[:-1], self.count, _NODES) @ _TO_SERIES

    def _converges(self, series: Complexes, error: float) -> Bools:
        """On which panels the last coefficients are small."""
        return np.asarray(np.abs(series[..., -2:]).max(axis=-1) <= error)

    @cached_property
    def _away(self) -> Floats:
        """Places of all s, in panels from the first."""
        return np.asarray(np.log(self.s.imag / self.s.imag[0]) / self._length)

    @cached_property
    def _bounds(self) -> list[int]:
        """Where the s of each panel begin, and where the last ends."""
        inner = np.searchsorted(self._away, np.arange(1, self.count)).tolist()
        return [0, *inner, self._away.size]

    def _values(self, series: Complexes) -> Complexes:
        """Sum the series of all panels, shape (..., n)."""
        result: Complexes = np.empty((*series.shape[:-2], self.s.size), dtype=complex)
        for panel, (start, stop) in enumerate(pairwise(self._bounds)):
            x = 2 * (self._away[start:stop] - panel) - 1
            table: Floats = np.asarray(chebvander(x, _NODES - 1).T, dtype=float)
            part = series[..., panel, :].reshape(-1, _NODES)
            values = matrix_product(part.real, table) + 1j * matrix_product(part.imag, table)
            result[..., start:stop] = values.reshape(*result.shape[:-1], -1)
        return result


def _is_rising_line(s: Complexes) -> bool:
    rises = s.imag[0] > 0 and (np.diff(s.imag) > 0).all()
    return bool(rises and (s.real == s.real[0]).all())
