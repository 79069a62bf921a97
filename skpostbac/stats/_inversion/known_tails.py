"""Interpolation of a far tail between known points, where further contours are too expensive.

The log of the tail is interpolated as a function of the log of the distance from the end of the
support; close to the end it is a straight line. Between two points the interpolant is the cubic
Hermite polynomial, and beyond the last point the tangent. The error estimate is half the difference
from the chord, or from the last chord.
"""

from dataclasses import dataclass

import numpy as np

from skpostbac._utils import Floats

# Largest distance between the logs of distances, and smallest slope.
_SAME, _FLAT = 1e-9, 1e-300


@dataclass(frozen=True)
class KnownTails:
    """Log tails and their slopes at rising logs of the distance from the end of the support."""

    log_distance: Floats
    log_tail: Floats
    slope: Floats

    @classmethod
    def of(cls, distance: Floats, log_tail: Floats, log_density: Floats) -> "KnownTails":
        """Take what is known at some distances, in any order; some of it may not be finite."""
        x = np.log(distance)
        with np.errstate(over="ignore", invalid="ignore"):
            slope = np.exp(log_density - log_tail + x)
        known = np.isfinite(log_tail) & np.isfinite(slope)
        order = np.flatnonzero(known)[np.argsort(x[known], kind="stable")]
        order = order[np.append(np.diff(x[order]) > _SAME, True)]
        return cls(x[order], log_tail[order], slope[order])

    def at(self, distance: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the log tail, the log density, and about the error of the first."""
        x = np.log(distance)
        if self.log_distance.size < 2:
            return self._on_tangent(x)
        cell = np.clip(np.searchsorted(self.log_distance, x) - 1, 0, self.log_distance.size - 2)
        first, width = self.log_distance[cell], np.diff(self.log_distance)[cell]
        rise, s = np.diff(self.log_tail)[cell], (x - first) / width
        # A cubic is monotone if its slopes are at most three times that of the chord.
        d0, d1 = (
            np.minimum(self.slope[cell + k] * width, 3 * np.maximum(rise, 0.0)) for k in (0, 1)
        )
        square, cube = 3 * rise - 2 * d0 - d1, d0 + d1 - 2 * rise
        value = self.log_tail[cell] + s * (d0 + s * (square + s * cube))
        slope = (d0 + s * (2 * square + s * 3 * cube)) / width
        chord = self.log_tail[cell] + s * rise
        tangent, tangent_density, _ = self._on_tangent(x)
        beyond = s < 0
        value = np.where(beyond, tangent, value)
        density = value + np.log(np.maximum(slope, _FLAT)) - x
        return value, np.where(beyond, tangent_density, density), 0.5 * np.abs(value - chord)

    def _on_tangent(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the same on the tangent at the point nearest to the end."""
        value = self.log_tail[0] + self.slope[0] * (x - self.log_distance[0])
        return value, value + np.log(max(self.slope[0], _FLAT)) - x, np.full(x.shape, np.inf)
