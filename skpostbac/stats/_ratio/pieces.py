"""The integral along a curve where an exponent is so small that a variable varies on many scales.

The integrand is then nearly the exponential of a piecewise linear function, of a length that is the
inverse of the exponent, with bends as narrow as the other variable. Pieces begin at the bends and
grow by a factor with the distance from them, and are halved where that is not enough.
"""

from __future__ import annotations

import numpy as np

from skpostbac._utils import Bools, Floats, Indices
from skpostbac.stats._numerics import REACH, integrate
from skpostbac.stats._ratio.curve import Curves

# Factor by which the distances of pieces from a bend grow, and a distance that is longer than those
# between the bends where no exponent is small.
_GROWTH, _MARGIN = 4.0, 1e3


def integrate_pieces(curves: Curves) -> Floats:
    """Log of the integral along each curve, shape (n,)."""
    edges = _edges(curves)
    values = curves.log_integrand(edges)
    top = values.max(axis=1, keepdims=True)
    low, high = _limits(edges, values > top - REACH)

    def integrands(index: Indices, p: Floats) -> Floats:
        return np.asarray(np.exp(curves[index].log_integrand(p.T) - top[index]).T)

    return np.asarray(top[:, 0] + np.log(integrate(integrands, np.clip(edges, low, high))))


def _edges(curves: Curves) -> Floats:
    """Return the ends of pieces about all bends, shape (n, n_edges), rising."""
    first, second = curves.first, curves.second
    centres = [
        curves.p_of_first(np.array([first.bend])),
        curves.p_of_second(np.array([second.bend])),
    ]
    least = min(*first.powers, *second.powers)
    reach = 2 * REACH / least + _MARGIN
    parts = []
    widths = [first.bend_width, second.bend_width, 1.0]
    for centre, width in zip([*centres, curves.bends], widths, strict=True):
        count = int(np.ceil(np.log(reach / width) / np.log(_GROWTH)))
        steps = width * _GROWTH ** np.arange(count + 1)
        steps = np.concatenate([-steps[::-1], [0.0], steps])
        known = np.where(np.isfinite(centre), centre, 0.0)
        parts.append((known[..., np.newaxis] + steps).reshape(len(centre), -1))
    return np.sort(np.concatenate(parts, axis=1), axis=1)


def _limits(edges: Floats, counts: Bools) -> tuple[Floats, Floats]:
    """Last edges before and after all those at which the integrand counts, shape (n, 1)."""
    first = np.maximum(counts.argmax(axis=1) - 1, 0)
    last = np.minimum(edges.shape[1] - counts[:, ::-1].argmax(axis=1), edges.shape[1] - 1)
    rows = np.arange(len(edges))
    return edges[rows, first][:, np.newaxis], edges[rows, last][:, np.newaxis]
