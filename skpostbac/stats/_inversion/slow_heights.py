"""Functions that vary slowly with the log of the height, at many heights of a vertical line.

Divided by its wave, the contribution of an end at s = c + it is an analytic function of log t up to
a distance of about pi / 2, where s becomes real. On panels of log t much shorter than that,
Chebyshev polynomials of low degree interpolate it to rounding error, for any number of heights.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.polynomial.chebyshev import chebvander

from skpostbac._utils import Complexes, Floats

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
    def of(cls, s: Complexes) -> "Panels | None":
        """Cut a line of rising s into panels, if their nodes are less than half as many."""
        if s.size <= 2 * _NODES or not _is_rising_line(s):
            return None
        count = max(int(np.ceil(np.log(s.imag[-1] / s.imag[0]) / _LENGTH)), 1)
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
        series = values.reshape(*values.shape[:-1], self.count, _NODES) @ _TO_SERIES
        if not np.abs(series[..., -2:]).max() <= converged * max(np.abs(values).max(), 1.0):
            return None
        result: Complexes = np.empty((*values.shape[:-1], self.s.size), dtype=complex)
        away = np.log(self.s.imag / self.s.imag[0]) / self._length
        bounds = [0, *np.searchsorted(away, np.arange(1, self.count)).tolist(), away.size]
        for panel, (start, stop) in enumerate(pairwise(bounds)):
            x = 2 * (away[start:stop] - panel) - 1
            table, part = chebvander(x, _NODES - 1).T, series[..., panel, :]
            result[..., start:stop] = part.real @ table + 1j * (part.imag @ table)
        return result


def _is_rising_line(s: Complexes) -> bool:
    rises = s.imag[0] > 0 and (np.diff(s.imag) > 0).all()
    return bool(rises and (s.real == s.real[0]).all())
