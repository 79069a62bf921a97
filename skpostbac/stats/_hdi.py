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
        if not np.isfinite(values.error).all() or not values.slope[0] > 0 > values.slope[1]:
            return None
        density, tail = np.exp(values.log_density), np.exp(np.minimum(values.log_tail, 0.0))
        relative_slope = values.slope / density
        residual = np.array(
            [tail[0] - tail[1] - level, values.log_density[0] - values.log_density[1]]
        )
        jacobian = np.array([[-density[0], density[1]], [relative_slope[0], -relative_slope[1]]])
        step = np.linalg.solve(jacobian, residual)
        y = y - step
        if np.abs(step).max() <= 1e-13 * np.ptp(y):
            return y if np.abs(residual[0]) < 1e-12 else None
    return None
