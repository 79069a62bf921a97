"""Arrays of distributions on the real line.

They answer at points x what `Centred` answers at distances from the mean, with
approximations to tails that are too small for it. Imports `_centred` and `_inversion`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from skpostbac._utils import Bools, Floats, Indices
from skpostbac.stats._centred import Centred
from skpostbac.stats._inversion import LEAST, modes, quantiles, shortest_intervals

# In standard deviations: closer to a corner, the rounding of distances may count.
_CLOSE = 1e-6
# Probabilities by which the rounding of a distance may change.
_LEAST_ROUNDING = 1e-12


def _middle(first: Floats, last: Floats) -> Floats:
    """Return a double as many doubles above the first as below the last."""
    bits = np.array([first, last]).view(np.int64)
    # Of negative doubles, the order of the bits is reversed.
    ranks = np.where(bits < 0, np.iinfo(np.int64).min - bits, bits)
    rank = (ranks[0] >> 1) + (ranks[1] >> 1) + (ranks[0] & ranks[1] & 1)
    bits = np.where(rank < 0, np.iinfo(np.int64).min - rank, rank)
    return np.asarray(bits.view(np.float64))


class SmallTails(Protocol):
    """Protocol of approximations to tails that are too small for a series."""

    def logs(self, row: int, to_low: Floats, to_high: Floats) -> Floats:
        """Return logs of P(X <= x), P(X > x) and the density, (3, n).

        Points are given by their distances from both ends.
        """

    def distances(self, row: int, log_tails: Floats, *, is_low: bool) -> Floats:
        """Return the distances from an end of points with such tails, shape (n,)."""


@dataclass(frozen=True)
class Located:
    """Distributions on the real line.

    Attributes
    ----------
    frames : means, their rounding errors, and lower and upper ends of the supports,
        shape (4, m).
    parts : distributions that are computed together, and their rows.
    small_tails : approximations to tails below `Centred.least`, which bounds them if
        None.
    """

    frames: Floats
    parts: Sequence[tuple[Indices, Centred]]
    small_tails: SmallTails | None = None

    def values(self, x: Floats) -> Floats:
        """Return P(X <= x), P(X > x) and the density, (3, m, n).

        Their accuracy is absolute.
        """
        mean, error, low, high = self.frames[..., np.newaxis]
        inner = np.clip(x, low, high)
        y = (inner - mean) - error
        to_low = inner - low
        to_high = high - inner
        result = np.empty((3, *y.shape))
        at_ends = np.empty((2, len(y), 1))
        for rows, part in self.parts:
            result[:, rows] = part.tails(y[rows], to_low[rows], to_high[rows])
            at_ends[:, rows, 0] = part.end_densities

        at_low, at_high = at_ends
        for outside, is_end, value in (
            ([[[0]], [[1]]], x <= low, at_low),
            ([[[1]], [[0]]], x >= high, at_high),
        ):
            result[:2] = np.where(is_end, outside, result[:2])
            result[2] = np.where(is_end, np.where(x == inner, value, 0.0), result[2])
        return np.where(np.isnan(y), np.nan, result)

    def between(self, x: Floats, y: Floats) -> Floats:
        """Return P(x < X <= y), negative where y is below x."""
        # From the lower to the upper limit, so that exchanging the limits changes only
        # the sign.
        lower = self.values(np.minimum(x, y))
        upper = self.values(np.maximum(x, y))
        # The difference of the smaller tails loses fewer digits.
        between = np.where(lower[0] > 0.5, lower[1] - upper[1], upper[0] - lower[0])
        return np.asarray(np.where(y < x, -between, between))

    def log_between(self, x: Floats, y: Floats) -> Floats:
        """Return log P(x < X <= y), NaN where that is negative as y is below x."""
        lower = self.logs(x)
        upper = self.logs(y)
        # The difference of the smaller tails loses fewer digits.
        is_above = lower[0] > upper[1]
        large = np.where(is_above, lower[1], upper[0])
        small = np.where(is_above, upper[1], lower[0])
        with np.errstate(all="ignore"):
            between = large + np.log1p(-np.exp(np.minimum(small - large, 0.0)))
        between = np.where((large == -np.inf) & (small == -np.inf), -np.inf, between)
        return np.where(self.between(x, y) < 0, np.nan, between)

    def logs(self, x: Floats) -> Floats:
        """Return logs of P(X <= x), P(X > x) and the density, (3, m, n)."""
        values = self.values(x)
        _, _, low, high = self.frames[..., np.newaxis]
        to_low = x - low
        to_high = high - x
        with np.errstate(divide="ignore"):
            logs = np.log(values)

        unit = np.ones((3, len(x), 1))
        least = np.empty((len(x), 1))
        for rows, part in self.parts:
            unit[2, rows, 0] = part.deviation
            least[rows] = part.least
        is_small = (np.minimum(to_low, to_high) > 0) & (unit * values < least)
        if self.small_tails is None:
            return np.where(is_small, np.log(least / unit), logs)

        for row in np.flatnonzero(is_small.any(axis=(0, 2))).tolist():
            columns = is_small[:, row].any(axis=0)
            logs[:, row, columns] = np.where(
                is_small[:, row, columns],
                self.small_tails.logs(row, to_low[row, columns], to_high[row, columns]),
                logs[:, row, columns],
            )
        return logs

    def quantiles(self, p: Floats, q: Floats) -> Floats:
        """Return points with P(X <= x) = p = 1 - q."""
        x = np.empty(p.shape)
        is_central = np.minimum(p, q) >= LEAST
        inner = np.where(np.isnan(p), 0.5, [p, q])
        inner = np.minimum(np.maximum(inner, LEAST), 1 - LEAST)
        mean, error, low, high = self.frames[..., np.newaxis]
        for rows, part in self.parts:
            distances = part.quantiles_from_ends(p[rows], q[rows])
            if distances is None:
                y = quantiles(part, inner[0][rows], inner[1][rows])
                x[rows] = mean[rows] + (error[rows] + y)
            else:
                to_low, to_high = distances
                x[rows] = np.where(
                    to_low < to_high, low[rows] + to_low, high[rows] - to_high
                )
                is_central[rows] = True

        if self.small_tails is not None:
            for i in np.flatnonzero(~is_central.all(axis=1)).tolist():
                for tail, end, sign in ((p[i], low[i], 1), (q[i], high[i], -1)):
                    is_small = ~is_central[i] & (tail < 0.5) & (tail > 0)
                    if is_small.any():
                        logs = np.log(tail[is_small])
                        to_end = self.small_tails.distances(i, logs, is_low=sign > 0)
                        x[i, is_small] = end + sign * to_end

        x = np.minimum(np.maximum(x, low), high)
        x = np.where(is_central, self._refined(x, *inner), x)
        x = np.where(p <= 0, low, np.where(q <= 0, high, x))
        return np.where(np.isnan(p), np.nan, x)

    def _is_close(self, x: Floats) -> Bools:
        """Return whether points are so close to a corner that their rounding counts."""
        is_close = np.zeros(x.shape, dtype=bool)
        low, high = self.frames[2:, :, np.newaxis]
        for rows, part in self.parts:
            from_low = part.critical_points_from_low
            if from_low.size:
                corners = (low[rows] + from_low)[:, np.newaxis]
                distance = np.abs(x[rows, :, np.newaxis] - corners)
                reach = _CLOSE * part.deviation[:, np.newaxis]
                is_close[rows] = distance.min(axis=2) < reach
        if is_close.any():
            rounding = np.spacing(np.abs([low, high]).max(axis=0))
            is_close &= self.values(x)[2] * rounding > _LEAST_ROUNDING
        return is_close

    def _refined(self, x: Floats, p: Floats, q: Floats) -> Floats:
        """Return the doubles closest to quantiles beside corners.

        The cdf may be so steep there that the rounding of a distance from the mean
        counts. Beside an end at zero doubles are closer to each other by far.
        """
        is_close = self._is_close(x)
        if not is_close.any():
            return x
        _, _, low, high = self.frames[..., np.newaxis]
        slack = 8 * np.spacing(np.abs([low, high]).max(axis=0))

        first = np.where(is_close, np.clip(x - slack, low, high), x)
        last = np.where(is_close, np.clip(x + slack, low, high), x)
        for _ in range(64):
            middle = _middle(first, last)
            below, above, _ = self.values(middle)
            is_below = np.where(p <= q, below <= p, above >= q)
            first = np.where(is_below, middle, first)
            last = np.where(is_below, last, middle)
            if (np.nextafter(first, last) == last).all():
                break
        errors = [np.abs(self.values(x)[0] - p) for x in (first, last)]
        return np.where(errors[0] <= errors[1], first, last)

    def shortest(self, level: float) -> Floats:
        """Return both ends of the shortest intervals, shape (2, m)."""
        # Rounding may exchange the ends of the narrowest.
        ends = np.sort(self._points(2, lambda part: shortest_intervals(part, level).T))
        _, _, low, high = self.frames[..., np.newaxis]
        is_inside = (ends > low) & (ends < high)
        is_close = (is_inside & self._is_close(ends)).any(axis=1)
        if is_close.any():
            # The rounding of one end may count: the other one makes up for it.
            lower, upper, _ = self.values(ends)
            p = np.column_stack([lower[:, 1] - level, lower[:, 0] + level])
            q = np.column_stack([upper[:, 1] + level, upper[:, 0] - level])
            moved = self.quantiles(np.clip(p, 0, 1), np.clip(q, 0, 1))
            lengths = np.array([ends[:, 1] - moved[:, 0], moved[:, 1] - ends[:, 0]])
            possible = np.array([p[:, 0] >= 0, q[:, 1] >= 0])
            side = np.where(possible, lengths, np.inf).argmin(axis=0)
            chosen = np.flatnonzero(is_close & possible.any(axis=0))
            ends[chosen, side[chosen]] = moved[chosen, side[chosen]]
        return ends.T

    def modes(self) -> Floats:
        """Return the points of highest density, shape (m,)."""
        return self._points(1, lambda part: modes(part)[:, np.newaxis])[:, 0]

    def _points(self, n: int, solve: Callable[[Centred], Floats]) -> Floats:
        """Return points of each distribution, (m, n), solved for as distances."""
        points = np.empty((self.frames.shape[1], n))
        for rows, part in self.parts:
            y = solve(part)
            mean, error, low, high = self.frames[:, rows, np.newaxis]
            x = mean + (error + y)

            # An end of the range within rounding error of one of the support is that
            # end. So is a point beside a pole there: much mass may be so close to the
            # pole that its distance rounds to zero. The density may also be infinite at
            # a corner, and fall steeply beside it.
            corners = low + part.critical_points_from_low
            ends = np.concatenate([low, high, corners], axis=1)[:, np.newaxis]
            margin = 4 * np.spacing(np.abs([low, high]).max(axis=0))
            is_near = np.abs(x[..., np.newaxis] - ends) <= margin[..., np.newaxis]
            at_low, at_high = np.isinf(part.end_densities)[..., np.newaxis]
            first, last = part.bounds
            is_near[..., 0] &= (y <= first) | at_low
            is_near[..., 1] &= (y >= last) | at_high
            nearest = np.where(is_near, ends, -np.inf).max(axis=2)
            x = np.where(is_near.any(axis=2), nearest, x)
            points[rows] = np.clip(x, low, high)
        return points
