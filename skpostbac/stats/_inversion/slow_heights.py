"""Functions that vary slowly with the log of the height, at many heights of a vertical line.

What is left of the share of an end, once its wave is split off, is analytic in log t at s = c + it
up to a distance of about pi / 2, where s becomes real. On panels of log t that are short beside
that, Chebyshev polynomials of low degree give it to rounding, for any number of heights.
"""

from collections.abc import Callable

import numpy as np
from numpy.polynomial.chebyshev import chebvander

from skpostbac._utils import Complexes, Floats, Indices

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
    if s.size <= 2 * _NODES or not _is_rising_line(s):
        return function(s)
    panels = max(int(np.ceil(np.log(s.imag[-1] / s.imag[0]) / _LENGTH)), 1)
    if s.size <= 2 * panels * _NODES:
        return function(s)
    return _interpolated(function, s, panels)


def _is_rising_line(s: Complexes) -> bool:
    return bool((s.real == s.real[0]).all() and (np.diff(s.imag) > 0).all())


def _interpolated(function: Function, s: Complexes, panels: int) -> Complexes:
    """Interpolate between Chebyshev nodes of each panel, if the series converge there."""
    heights = s.imag
    length = np.log(heights[-1] / heights[0]) / panels
    middles = np.arange(panels) + 0.5
    places = np.add.outer(middles, 0.5 * _PLACES) * length
    values = function(s.real[0] + 1j * (heights[0] * np.exp(places)).ravel())
    series = values.reshape(*values.shape[:-1], panels, _NODES) @ _TO_SERIES
    if not np.abs(series[..., -2:]).max() <= _CONVERGED * max(np.abs(values).max(), 1.0):
        return function(s)
    result: Complexes = np.empty((*values.shape[:-1], s.size), dtype=complex)
    away = np.log(heights / heights[0]) / length
    first: Indices = np.searchsorted(away, np.arange(1, panels))
    for panel, x in enumerate(np.split(2 * away, first)):
        table = chebvander(x - 2 * middles[panel], _NODES - 1).T
        part, start = series[..., panel, :], 0 if panel == 0 else int(first[panel - 1])
        result[..., start : start + x.size] = part.real @ table + 1j * (part.imag @ table)
    return result
