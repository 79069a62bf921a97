r"""Complex waves.

A complex exponential costs ten times as much as a tangent, from which cosine and sine follow,

    exp(i x) = (1 - s^2 + 2 i s) / (1 + s^2),    s = tan(x / 2).

A relative error e of s stands for an error e s / (1 + s^2) of x / 2, at most e / 2, so that poles
of the tangent do no harm.
"""

import numpy as np

from skpostbac._utils import Complexes, Floats

# Fewer waves than this are complex exponentials.
_FEW = 500


def turned(angle: Floats) -> Complexes:
    """Return exp(i angle), in the fewest calls if there are few."""
    return np.exp(1j * angle) if angle.size < _FEW else waves(angle, 0.0)


def waves(angle: Floats, log_size: Floats | float) -> Complexes:
    """Return exp(log_size + i angle)."""
    tangent = np.tan(0.5 * angle)
    square = tangent * tangent
    size = np.exp(log_size) / (1 + square)
    result = np.empty(size.shape, dtype=complex)
    np.multiply(size, 1 - square, out=result.real)
    np.multiply(size, tangent + tangent, out=result.imag)
    return result


def powers(first: Complexes | float, factor: Complexes, count: int) -> Complexes:
    """Return `first` times the powers 0 to count - 1 of a factor, along a new first axis.

    Each call doubles their number.
    """
    table = np.empty((count, *factor.shape), dtype=complex)
    table[0] = first
    known = 1
    while known < count:
        more = min(known, count - known)
        np.multiply(table[:more], factor, out=table[known : known + more])
        factor, known = factor * factor, known + more
    return table
