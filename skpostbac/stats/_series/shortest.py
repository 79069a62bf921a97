"""Shortest intervals of many distributions.

Of the intervals [l, u] that leave a share of 1 - level below and the rest above, the shortest has
the same density at both ends, or ends where the support does. Some shares tell between which two it
is; there Newton's steps solve

    F(u) - F(l) = level,    log f(u) = log f(l).

Where they do not settle between the two, the share is found by false position (Dowell and Jarratt,
BIT 11, 1971).

Of a distribution with a single peak, any interval that solves both equations is the shortest. The
steps begin at the central interval of a similar Beta, shifted by a third of the skewness in
standard deviations: to the first order in the skewness, the densities are then the same at both
ends (Edgeworth's expansion).
"""

import numpy as np

from skpostbac._utils import Bools, Floats
from skpostbac.stats._series.quantile import LAST, matched_quantiles, quantiles
from skpostbac.stats._series.series import Centred

# Shares of 1 - level that are left below; both ends of the support are among the ends.
_SHARES = 0.5 - 0.5 * np.cos(np.pi * np.arange(17) / 16)
# Probabilities that are not told from zero.
_NOISE = 1e-12
# Quantiles of these are found to about the cube of this.
_COARSE = 1e-2
# A Newton step of no more than this share of the interval leaves an error of its square.
# Beside an end of the support a step may be short where the densities still differ.
_LAST, _BALANCED, _MOST_STEPS = 1e-7, 1e-3, 12
# Share of the distance to an end of the support at which steps from a central interval end.
_BESIDE = 0.02
# How far the interval may be outside of those that bracket it, whose ends are known so far.
_SLACK = 1e-4
# The share is found to such a part of 1 - level, or densities to such a part of themselves.
_NARROW, _SAME, _MOST_SECANTS = 1e-11, 1e-9, 100


def shortest_intervals(distributions: Centred, level: float) -> Floats:
    """Distances of both ends from the mean, shape (2, m)."""
    rows = np.arange(len(distributions.deviation))
    if distributions.is_log_concave:
        found, is_found = _from_central(distributions, level)
        if is_found.all():
            return found
    # Of a distribution with a single peak a few shares tell as much.
    of_all = (1 - level) * (_SHARES[::4] if distributions.is_log_concave else _SHARES)
    shares = np.broadcast_to(of_all, (rows.size, of_all.size))
    ends = _intervals(distributions, shares, level, last=_COARSE)
    best = np.argmin(ends[1] - ends[0], axis=1)
    excess = _excess(distributions, ends)
    # The lower end has the larger density in intervals that are too high.
    first = np.where(excess[rows, best] > 0, best - 1, best)
    is_inner = (first >= 0) & (first < of_all.size - 1)
    first = np.clip(first, 0, of_all.size - 2)
    bracket = ends[:, rows, first], ends[:, rows, first + 1]
    around = np.stack([excess[rows, first], excess[rows, first + 1]])
    with np.errstate(divide="ignore", invalid="ignore"):
        share = around[0] / (around[0] - around[1])
    share = np.where((share > 0) & (share < 1), share, 0.5)
    start = bracket[0] + share * (bracket[1] - bracket[0])
    if not is_inner.all():
        at_end = _intervals(distributions, of_all[best][:, np.newaxis], level)[..., 0]
        start = np.where(is_inner, start, at_end)
    found, is_found = _newton(distributions, start, bracket, is_inner, level)
    if not is_found.all():
        shares = of_all[np.stack([first, first + 1])]
        found = np.where(is_found, found, _by_secants(distributions, shares, around, level))
    return found


def _from_central(distributions: Centred, level: float) -> tuple[Floats, Bools]:
    """Return the ends of intervals, (2, m), and which of them are right: those with inner ends."""
    low, high, tail = distributions.low, distributions.high, 0.5 * (1 - level)
    p = np.broadcast_to([tail, 1 - tail], (low.size, 2))
    central = matched_quantiles(distributions, p)
    ends = central.T + (2 / 3) * (low + high) / (low * high / distributions.deviation**2 - 1)
    nearest = low + _BESIDE * (central[:, 0] - low), high - _BESIDE * (high - central[:, 1])
    ends = np.minimum(np.maximum(ends, nearest[0]), nearest[1])
    return _newton(distributions, ends, nearest, np.ones(low.size, dtype=bool), level)


def _intervals(distributions: Centred, below: Floats, level: float, last: float = LAST) -> Floats:
    """Return the ends of intervals with so much probability below, shape (2, m, n)."""
    p = np.stack([below, below + level], axis=1).reshape(len(below), -1)
    q = np.stack([1 - below, np.maximum((1 - level) - below, 0)], axis=1).reshape(p.shape)
    low, high = distributions.low[:, np.newaxis], distributions.high[:, np.newaxis]
    is_inside = (p > 0) & (q > 0)
    y = quantiles(distributions, np.where(is_inside, p, 0.5), np.where(is_inside, q, 0.5), last)
    y = np.where(p <= 0, low, np.where(q <= 0, high, y))
    return np.moveaxis(y.reshape(len(below), 2, -1), 1, 0)


def _excess(distributions: Centred, ends: Floats) -> Floats:
    """Log density at the lower end less that at the upper one, (m, n)."""
    low, high = np.split(distributions.evaluator(1)(np.concatenate(ends, axis=1))[1], 2, axis=1)
    at_low, at_high = distributions.end_densities[..., np.newaxis]
    low = np.where(ends[0] <= distributions.low[:, np.newaxis], at_low, low)
    high = np.where(ends[1] >= distributions.high[:, np.newaxis], at_high, high)
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = np.log(np.maximum(low, 0.0)), np.log(np.maximum(high, 0.0))
        return np.where(low == high, 0.0, low - high)


def _newton(
    distributions: Centred,
    ends: Floats,
    bracket: tuple[Floats, Floats],
    is_inner: Bools,
    level: float,
) -> tuple[Floats, Bools]:
    """Move inner ends, (2, m), to where the densities are equal; tell which are right."""
    is_found = ~is_inner
    if is_found.all():
        return ends, is_found
    evaluate, size = distributions.evaluator(2), ends[1] - ends[0]
    slack = _SLACK * size
    with np.errstate(all="ignore"):
        for _ in range(_MOST_STEPS):
            cdf, density, slope = evaluate(ends.T).transpose(0, 2, 1)
            missing = level - (cdf[1] - cdf[0])
            fall, turn = np.log(density[0] / density[1]), slope / density
            # density_1 du - density_0 dl = missing and turn_1 du - turn_0 dl = fall.
            step = density[::-1] * fall - turn[::-1] * missing
            step /= density[0] * turn[1] - density[1] * turn[0]
            moved = ends + step
            inside = np.minimum(np.maximum(moved, bracket[0]), bracket[1])
            is_last = (np.abs(step) <= _LAST * size) & (np.abs(moved - inside) <= slack)
            is_last = is_last[0] & is_last[1] & (np.abs(fall) < _BALANCED)
            # What brackets it is known to a few digits only.
            moved = np.where(is_last, moved, inside)
            ends = np.where(is_found, ends, moved)
            is_found |= is_last
            if is_found.all():
                break
    return ends, is_found


def _by_secants(distributions: Centred, shares: Floats, excess: Floats, level: float) -> Floats:
    """Find the share left below, between two with their excesses, and return both ends."""
    (first, last), (low, high) = shares, excess
    ends = np.empty(shares.shape)
    with np.errstate(all="ignore"):
        for i in range(_MOST_SECANTS):
            share = (first * high - last * low) / (high - low)
            is_safe = (first < share) & (share < last) & (i % 4 < 3)
            share = np.where(is_safe, share, 0.5 * (first + last))
            share = np.clip(share, _NOISE, (1 - level) - _NOISE)
            ends = _intervals(distributions, share[:, np.newaxis], level)
            found = _excess(distributions, ends)[:, 0]
            is_high = found > 0
            # The other end counts half, where this one moves again.
            low, high = np.where(is_high, 0.5 * low, found), np.where(is_high, found, 0.5 * high)
            first, last = np.where(is_high, first, share), np.where(is_high, share, last)
            if ((last - first <= _NARROW * (1 - level)) | (np.abs(found) <= _SAME)).all():
                break
    return ends[..., 0]
