"""The shortest interval of a given probability, where the density is equal at both ends."""

from collections.abc import Callable

import numpy as np

from skpostbac.stats._contour import Values
from skpostbac.stats._points import Floats

_MAX_STEPS = 12


def shortest_interval(
    evaluate: Callable[[Floats], Values], y: Floats, level: float
) -> Floats | None:
    """Solve for two points with the probability `level` between them and equal density.

    Newton's method in both points from a start `y`, shape (2,), which is close. Returns None where
    it does not settle at a shortest interval: the density must rise at the lower point and fall at
    the upper one.
    """
    for _ in range(_MAX_STEPS):
        values = evaluate(y)
        if not (_resolved(values) and values.slope[0] > 0 > values.slope[1]):
            return None
        density, tail = values.density, values.tail
        relative_slope = values.slope / density
        residual = np.array([tail[0] - tail[1] - level, np.log(density[0] / density[1])])
        jacobian = np.array([[-density[0], density[1]], [relative_slope[0], -relative_slope[1]]])
        step = np.linalg.solve(jacobian, residual)
        y = y - step
        if np.abs(step).max() <= 1e-13 * np.ptp(y):
            return y if np.abs(residual[0]) < 1e-12 else None
    return None


def _resolved(values: Values) -> bool:
    """Whether both points are within the range of the contour, and have a density."""
    return bool(np.isfinite(values.error).all() and (values.density > 0).all())
