"""Answers about many distributions at points of the real line.

Points and probabilities have the shape (m, n): n of each of m distributions.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from skpostbac._utils import Floats, Indices
from skpostbac.stats._series.mode import modes
from skpostbac.stats._series.quantile import quantiles
from skpostbac.stats._series.series import Centred
from skpostbac.stats._series.shortest import shortest_intervals

# Quantiles of smaller probabilities are those of the approximated logs.
_LEAST = 1e-10


class SmallTails(Protocol):
    """Protocol of approximations to tails that are too small for a series."""

    def logs(self, row: int, to_low: Floats, to_high: Floats) -> Floats:
        """Return logs of P(X <= x), P(X > x) and the density, (3, n), at distances from ends."""

    def distances(self, row: int, log_tails: Floats, *, is_low: bool) -> Floats:
        """Distances from an end of the points with such tails towards it, shape (n,)."""


@dataclass(frozen=True)
class Located:
    """Distributions at their places on the real line.

    Attributes
    ----------
    frames : means, what their rounding left over, and lower and upper ends of the supports,
        shape (4, m).
    parts : distributions that are computed together, and their rows.
    small_tails : approximations to tails below the least of a part, which bounds them if None.
    """

    frames: Floats
    parts: Sequence[tuple[Indices, Centred]]
    small_tails: SmallTails | None = None

    def values(self, x: Floats) -> Floats:
        """Return P(X <= x), P(X > x) and the density at points, (3, m, n), to absolute accuracy."""
        return self._values(*self._distances(x))

    def _distances(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Distances of points from the means and from both ends of the supports."""
        mean, rest, low, high = self.frames[..., np.newaxis]
        return (x - mean) - rest, x - low, high - x

    def _values(self, y: Floats, to_low: Floats, to_high: Floats) -> Floats:
        found = np.empty((3, *y.shape))
        for rows, part in self.parts:
            below, above = to_low[rows], to_high[rows]
            values = part.tails(y[rows], below, above)
            at_low, at_high = part.end_densities[..., np.newaxis]
            for ends, at_end, outside in ((below, at_low, [0, 1]), (above, at_high, [1, 0])):
                tails = np.reshape(outside, (2, 1, 1))
                values[:2] = np.where(ends <= 0, tails, values[:2])
                values[2] = np.where(ends == 0, at_end, np.where(ends < 0, 0.0, values[2]))
            found[:, rows] = np.where(np.isnan(y[rows]), np.nan, values)
        return found

    def between(self, x: Floats, y: Floats) -> Floats:
        """Return P(x < X <= y), negative where y is below x."""
        # From the lower to the upper limit, so that exchanged limits change nothing but the sign.
        lower, upper = self.values(np.minimum(x, y)), self.values(np.maximum(x, y))
        # Both limits in the upper half: the difference of the upper tails loses fewer digits.
        between = np.where(lower[0] > 0.5, lower[1] - upper[1], upper[0] - lower[0])
        return np.asarray(np.where(y < x, -between, between))

    def logs(self, x: Floats) -> Floats:
        """Return logs of the same; small ones are approximations."""
        return self.logs_at(*self._distances(x))

    def logs_at(self, y: Floats, to_low: Floats, to_high: Floats) -> Floats:
        """Return the same at distances from the mean and from both ends of the support."""
        values = self._values(y, to_low, to_high)
        with np.errstate(divide="ignore"):
            logs = np.log(values)
        for rows, part in self.parts:
            unit = np.stack([np.ones_like(part.deviation)] * 2 + [part.deviation])[..., np.newaxis]
            is_inside = np.minimum(to_low, to_high)[rows] > 0
            is_small = is_inside & (unit * values[:, rows] < part.least)
            if self.small_tails is None:
                logs[:, rows] = np.where(is_small, np.log(part.least / unit), logs[:, rows])
                continue
            for i in np.flatnonzero(is_small.any(axis=(0, 2))):
                row, columns = rows[i], is_small[:, i].any(axis=0)
                found = self.small_tails.logs(row, to_low[row, columns], to_high[row, columns])
                own = logs[:, row, columns]
                logs[:, row, columns] = np.where(is_small[:, i, columns], found, own)
        return logs

    def quantiles(self, p: Floats, q: Floats) -> Floats:
        """Points with P(X <= x) = p = 1 - q."""
        x, is_central = np.empty(p.shape), np.minimum(p, q) >= _LEAST
        are_central = bool(is_central.all())
        inner = p, q
        if not are_central:
            inner = np.clip(np.nan_to_num([p, q], nan=0.5), _LEAST, 1 - _LEAST)
        mean, rest, low, high = self.frames[..., np.newaxis]
        for rows, part in self.parts:
            own = part.quantiles_from_ends(p[rows], q[rows])
            if own is None:
                y = quantiles(part, inner[0][rows], inner[1][rows])
                x[rows] = mean[rows] + (rest[rows] + y)
            else:
                to_low, to_high = own
                x[rows] = np.where(to_low < to_high, low[rows] + to_low, high[rows] - to_high)
                is_central[rows] = True
        if not (are_central or self.small_tails is None):
            for i in np.flatnonzero(~is_central.all(axis=1)).tolist():
                for tail, end, sign in ((p[i], low[i], 1), (q[i], high[i], -1)):
                    chosen = ~is_central[i] & (tail < 0.5) & (tail > 0)
                    if chosen.any():
                        logs = np.log(tail[chosen])
                        found = self.small_tails.distances(i, logs, is_low=sign > 0)
                        x[i, chosen] = end + sign * found
        x = np.minimum(np.maximum(x, low), high)
        if not are_central:
            x = np.where(p <= 0, low, np.where(q <= 0, high, x))
            x[np.isnan(p)] = np.nan
        return np.asarray(x)

    def shortest(self, level: float) -> Floats:
        """Both ends of the shortest intervals, shape (2, m)."""
        return self._places(2, lambda part: shortest_intervals(part, level).T).T

    def modes(self) -> Floats:
        """Points of highest density, shape (m,)."""
        return self._places(1, lambda part: modes(part)[:, np.newaxis])[:, 0]

    def _places(self, n: int, find: Callable[[Centred], Floats]) -> Floats:
        """Points of each distribution, (m, n), from distances from the mean."""
        found = np.empty((self.frames.shape[1], n))
        for rows, part in self.parts:
            y, (mean, rest, low, high) = find(part), self.frames[:, rows, np.newaxis]
            x = mean + (rest + y)
            # An end of the range that is one of the support, but for rounding, is that end. So is a
            # point beside a pole there, where a distance that rounds to zero may have much mass.
            unit = 4 * np.spacing(np.maximum(np.abs(low), np.abs(high)))
            at_low, at_high = np.isinf(part.end_densities)[..., np.newaxis]
            first, last = part.low[:, np.newaxis], part.high[:, np.newaxis]
            x = np.where(((y <= first) | at_low) & (x < low + unit), low, x)
            x = np.where(((y >= last) | at_high) & (x > high - unit), high, x)
            found[rows] = np.clip(x, low, high)
        return found
