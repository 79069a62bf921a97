"""Answers about many sums of Betas at once.

Inside this module parameters have the shape (m, l), and points and probabilities (m, n), for m sums
of l variables and n points of each.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from skpostbac._utils import Bools, Floats, Indices
from skpostbac.stats._beta.betas import Betas
from skpostbac.stats._beta.plan import many_series
from skpostbac.stats._beta.saddlepoint import distances, log_tails
from skpostbac.stats._beta.single import SingleBetas
from skpostbac.stats._series import Series, modes, quantiles, shortest_intervals

# Tails, and densities in units of the standard deviation, whose logs are approximated.
SMALL = 1e-11
# Sums of the parameters of a single Beta up to which the incomplete Beta function is accurate.
_LARGEST = 1e6
# Quantiles of smaller probabilities are those of the approximated logs.
_LEAST_QUANTILE = 1e-10


@dataclass(frozen=True)
class BetaSums:
    """Weighted sums of independent Betas.

    Attributes
    ----------
    a, b, weights : parameters, shape (m, l).
    mean, mean_rest : means, each a sum of two doubles, shape (m,).
    low, high : ends of the supports, shape (m,).
    """

    a: Floats
    b: Floats
    weights: Floats
    mean: Floats
    mean_rest: Floats
    low: Floats
    high: Floats

    @cached_property
    def parts(self) -> Sequence[tuple[Indices, Series | SingleBetas]]:
        """Distributions that are computed together, and their rows."""
        kept = self.weights.any(axis=0)
        a, b, weights = (x[:, kept] for x in (self.a, self.b, self.weights))
        if a.shape[1] == 1 and a.size and (a + b).max() <= _LARGEST:
            weight = np.where(a > b, -weights, weights)
            single = SingleBetas(np.minimum(a, b)[:, 0], np.maximum(a, b)[:, 0], weight[:, 0])
            return [(np.arange(len(a)), single)]
        return many_series(a, b, weights)

    def values(self, x: Floats) -> Floats:
        """Return P(X <= x), P(X > x) and the density at points, (3, m, n), to absolute accuracy."""
        return self._values_at(*self._distances(x))

    def logs(self, x: Floats) -> Floats:
        """Return logs of the same; small ones are approximations."""
        return self.logs_at(*self._distances(x))

    def _distances(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Distances of points from the means and from both ends of the supports."""
        mean, rest, low, high = (
            z[:, np.newaxis] for z in (self.mean, self.mean_rest, self.low, self.high)
        )
        return (x - mean) - rest, x - low, high - x

    def _values_at(self, y: Floats, to_low: Floats, to_high: Floats) -> Floats:
        found = np.empty((3, *y.shape))
        for rows, part in self.parts:
            below, above = to_low[rows], to_high[rows]
            if isinstance(part, SingleBetas):
                values = part.tails(below, above)
            else:
                first, last = part.low[:, np.newaxis], part.high[:, np.newaxis]
                excess, density = part.evaluator(1)(np.clip(y[rows], first, last))
                inside = (first <= y[rows]) & (y[rows] <= last)
                excess = np.where(inside, np.clip(excess, -0.5, 0.5), np.copysign(0.5, y[rows]))
                density = np.where(inside, np.maximum(density, 0.0), 0.0)
                values = np.stack([0.5 + excess, 0.5 - excess, density])
            at_low, at_high = part.end_densities[..., np.newaxis]
            for ends, at_end, outside in ((below, at_low, [0, 1]), (above, at_high, [1, 0])):
                tails = np.reshape(outside, (2, 1, 1))
                values[:2] = np.where(ends <= 0, tails, values[:2])
                values[2] = np.where(ends == 0, at_end, np.where(ends < 0, 0.0, values[2]))
            found[:, rows] = np.where(np.isnan(y[rows]), np.nan, values)
        return found

    def logs_at(self, y: Floats, to_low: Floats, to_high: Floats) -> Floats:
        """Return the same at distances from the mean and from both ends of the support."""
        values = self._values_at(y, to_low, to_high)
        with np.errstate(divide="ignore"):
            logs = np.log(values)
        for rows, part in self.parts:
            # A single Beta has relative accuracy as long as nothing underflows.
            least = 1e-300 if isinstance(part, SingleBetas) else SMALL
            unit = np.stack([np.ones_like(part.deviation)] * 2 + [part.deviation])[..., np.newaxis]
            is_small = (unit * values[:, rows] < least) & (np.minimum(to_low, to_high)[rows] > 0)
            for i in np.flatnonzero(is_small.any(axis=(0, 2))):
                row, columns = rows[i], is_small[:, i].any(axis=0)
                parameters = (z[[row]] for z in (self.a, self.b, self.weights))
                ends = (to_low[row, columns], to_high[row, columns])
                found = log_tails(Betas.reflected(*parameters), *ends)
                own = logs[:, row, columns]
                logs[:, row, columns] = np.where(is_small[:, i, columns], found, own)
        return logs

    def derivatives(self, y: Floats) -> Floats:
        """P(X > x), the density and its slope at distances from the mean, (3, m, n)."""
        found = np.empty((3, *y.shape))
        for rows, part in self.parts:
            first, last = part.low[:, np.newaxis], part.high[:, np.newaxis]
            values = part.evaluator(2)(np.clip(y[rows], first, last))
            values[1:] = np.where((first <= y[rows]) & (y[rows] <= last), values[1:], 0.0)
            found[:, rows] = np.stack([np.clip(0.5 - values[0], 0.0, 1.0), *values[1:]])
        return found

    def quantiles(self, p: Floats, q: Floats) -> Floats:
        """Points with P(X <= x) = p = 1 - q."""
        x, smaller = np.empty(p.shape), np.minimum(p, q)
        is_far, is_central = smaller < _LEAST_QUANTILE, smaller >= _LEAST_QUANTILE
        first, second = (np.where(is_central, share, 0.5) for share in (p, q))
        for rows, part in self.parts:
            if isinstance(part, SingleBetas):
                low, high = (end[rows, np.newaxis] for end in (self.low, self.high))
                to_low, to_high = part.quantiles(p[rows], q[rows])
                x[rows] = np.where(to_low < to_high, low + to_low, high - to_high)
                is_far[rows] = False
            else:
                x[rows] = self._at(rows, part, quantiles(part, first[rows], second[rows]))
        if not is_central.all():
            x = self._far_quantiles(p, q, is_far, x) if is_far.any() else x
            x = np.where(p <= 0, self.low[:, np.newaxis], x)
            x = np.where(q <= 0, self.high[:, np.newaxis], x)
            x[np.isnan(p)] = np.nan
        return x

    def _far_quantiles(self, p: Floats, q: Floats, is_far: Bools, x: Floats) -> Floats:
        """Replace quantiles of tiny probabilities by those of the approximated logs."""
        for i in np.flatnonzero(is_far.any(axis=1)):
            betas = Betas.reflected(*(z[[i]] for z in (self.a, self.b, self.weights)))
            for tail, end, sign in ((p[i], self.low[i], 1), (q[i], self.high[i], -1)):
                chosen = is_far[i] & (tail < 0.5) & (tail > 0)
                if chosen.any():
                    found = distances(betas, np.log(tail[chosen]), is_low=sign > 0)
                    x[i, chosen] = end + sign * found
        return np.clip(x, self.low[:, np.newaxis], self.high[:, np.newaxis])

    def shortest(self, level: float) -> Floats:
        """Both ends of the shortest intervals, shape (2, m)."""
        return self._places(2, lambda part: shortest_intervals(part, level).T).T

    def modes(self) -> Floats:
        """Points of highest density, shape (m,)."""
        return self._places(1, lambda part: modes(part)[:, np.newaxis])[:, 0]

    def _places(self, n: int, find: Callable[[Series | SingleBetas], Floats]) -> Floats:
        """Points of each distribution, (m, n), from distances from the mean."""
        found = np.empty((len(self.mean), n))
        for rows, part in self.parts:
            found[rows] = self._at(rows, part, find(part))
        return found

    def _at(self, rows: Indices, part: Series | SingleBetas, y: Floats) -> Floats:
        """Return points at distances from the means, inside the support."""
        mean, rest, low, high = (
            x[rows, np.newaxis] for x in (self.mean, self.mean_rest, self.low, self.high)
        )
        x = mean + (rest + y)
        # An end of the range that is one of the support, but for rounding, is that end.
        unit = 4 * np.spacing(np.maximum(np.abs(low), np.abs(high)))
        is_low = (y <= part.low[:, np.newaxis]) & (x < low + unit)
        is_high = (y >= part.high[:, np.newaxis]) & (x > high - unit)
        return np.asarray(np.clip(np.where(is_low, low, np.where(is_high, high, x)), low, high))
