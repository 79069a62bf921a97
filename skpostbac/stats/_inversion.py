r"""Quantiles, shortest intervals and modes of arrays of distributions.

They are computed from the distribution functions and their derivatives, for any
distributions that can be evaluated (`_centred`). Imports `_centred`.

**Quantiles** are computed by safeguarded Halley steps. With the smaller tail t, the
density f and the distance d from the end of the support on this side, steps are taken
on log t as a function of log d: it is linear near the end, where a tail is a power of
d, and nearly linear in the tails in general. The root stays bracketed. Steps converge
cubically: the iteration stops after a step over which both the tail and the density
change by less than a relative tolerance.

**Shortest intervals** [l, u] have equal densities at both ends, or end where the
support does. Newton's method on the logs of the distances from the ends of the support
solves

    F(u) - F(l) = level,    log f(u) = log f(l).

For a unimodal distribution, any solution is the shortest interval. The iteration starts
at the central interval of a Beta distribution with the same moments, shifted by a third
of the skewness in standard deviations: to first order in the skewness, the densities
are then equal at both ends (Edgeworth's expansion). Otherwise the solution is bracketed
first, on a grid of lower tails between 0 and 1 - level. Where Newton's method does not
converge inside the bracket, the lower tail is computed by false position (Dowell and
Jarratt, BIT 11, 1971).

**Modes** of distributions that may be multimodal are searched on a grid of quantiles of
a Beta distribution with the same moments, the corners and the ends of the support.
Between the neighbours of a peak, the derivative of the density has a root, or the
density has an end or a kink.
"""

import math

import numpy as np
from scipy.special import betaincinv, ndtr

from skpostbac._utils import Bools, Floats
from skpostbac.stats._centred import Centred, Evaluator

# Lower tails of intervals, as shares of 1 - level. The first and the last interval end
# where the support does.
_SHARES = 0.5 - 0.5 * np.cos(np.pi * np.arange(17) / 16)
# Quantiles of smaller probabilities are those of approximate log tails.
LEAST = 1e-10


def quantiles(
    distributions: Centred,
    p: Floats,
    q: Floats,
    tolerance: float = 1e-4,
    start: Floats | None = None,
    evaluate: Evaluator | None = None,
) -> Floats:
    """Return distances from the mean with P(X <= y) = p = 1 - q, shape (m, n).

    Both probabilities are positive, shape (m, n).
    """
    evaluate = evaluate or distributions.evaluator(2)
    sign = np.where(p <= q, 1.0, -1.0)
    target = np.minimum(p, q)
    low, high = distributions.bounds
    end = np.where(p <= q, low, high)

    y = matched_quantiles(distributions, p) if start is None else start
    has_converged = np.zeros(p.shape, dtype=bool)
    points = y.copy()
    values = np.empty((3, *p.shape))
    # If they are few, each point brackets all quantiles of its distribution.
    spread = (slice(None), np.newaxis) if p.shape[1] <= 64 else (..., np.newaxis)

    with np.errstate(all="ignore"):
        for i in range(300):
            if has_converged.any():
                # Of each row, those that have converged come last, and are left out.
                columns = np.argsort(has_converged, axis=1, kind="stable")
                columns = columns[:, : (~has_converged).sum(axis=1).max()]
                left = np.take_along_axis(y, columns, axis=1)
                np.put_along_axis(points, columns, left, axis=1)
                np.put_along_axis(values, columns[np.newaxis], evaluate(left), axis=2)
            else:
                points[...] = y
                values[...] = evaluate(y)
            step, log_ratio, change, is_usable = _halley(y - end, sign, target, values)

            candidate = y + step
            is_safe = (low <= candidate) & (candidate <= high) & is_usable
            is_last = np.maximum(np.abs(log_ratio), np.abs(change)) < tolerance
            is_last &= is_safe
            if is_last.all():
                return np.where(has_converged, y, candidate)
            # First steps are seldom too long, and later ones can correct them: the
            # bracket is not updated yet.
            if i == 0 and is_safe.all():
                y = candidate
                has_converged = is_last
                continue

            excess = (sign * (target - 0.5))[..., np.newaxis]
            is_below = values[0][spread] <= excess
            low = np.maximum(
                low, np.where(is_below, points[spread], -np.inf).max(axis=2)
            )
            high = np.minimum(
                high, np.where(is_below, np.inf, points[spread]).min(axis=2)
            )

            # Near a pole, steps are too short or cross it repeatedly: every fourth step
            # is a bisection.
            spacing = np.spacing(np.abs(y))
            is_safe &= (low <= candidate) & (candidate <= high)
            is_safe &= (np.abs(candidate - y) > spacing) & (i % 4 < 3)
            candidate = np.where(is_safe | is_last, candidate, 0.5 * (low + high))

            # At a pole itself no step is defined. Elsewhere the error after a step of
            # the relative size `tolerance` is below its fourth power.
            is_exact = np.abs(log_ratio) <= 1e-15
            candidate = np.where(is_exact, y, candidate)
            short = np.maximum(
                spacing, tolerance**4 * distributions.deviation[:, np.newaxis]
            )
            is_last |= is_exact | (high - low <= short)
            y = np.where(has_converged, y, candidate)
            has_converged = has_converged | is_last
            if has_converged.all():
                break
    return y


def _halley(
    distance: Floats, sign: Floats, target: Floats, values: Floats
) -> tuple[Floats, Floats, Floats, Bools]:
    """Return Halley steps for the log tail as a function of the log distance.

    Also returns the logs of tail / target, the relative changes of the density over
    Newton steps, and whether the values allow a step. `distance` from the end of the
    support is negative at upper ends, where `sign` is -1.
    """
    excess, density, slope = values
    tail = 0.5 + sign * excess
    log_ratio = np.log(tail / target)
    newton = sign * log_ratio * tail / density
    change = newton * slope / density
    log_step = newton / distance

    denominator = 1 - 0.5 * (change - log_ratio + log_step)
    log_step /= np.minimum(np.maximum(denominator, 0.5), 2.0)
    # Where the tail is below 1e-14, it may be a rounding error.
    is_usable = (density > 0) & (tail > 1e-14)
    return distance * np.expm1(-log_step), log_ratio, change, is_usable


def matched_quantiles(distributions: Centred, p: Floats) -> Floats:
    """Return quantiles of Beta distributions with the same range, mean and variance."""
    low, high = distributions.bounds
    variance = distributions.deviation[:, np.newaxis] ** 2
    size = np.maximum(-low * high / variance - 1, 1e-3) / (high - low)
    return np.asarray(low + (high - low) * betaincinv(-low * size, high * size, p))


def shortest_intervals(distributions: Centred, level: float) -> Floats:
    """Return the distances of both ends from the mean, shape (2, m)."""
    low = distributions.low
    high = distributions.high
    tail = 0.5 * (1 - level)
    rows = np.arange(low.size)
    evaluate = distributions.evaluator(2)

    if distributions.has_one_peak:
        p = np.broadcast_to([tail, 1 - tail], (low.size, 2))
        central = matched_quantiles(distributions, p).T
        ends = central + (2 / 3) * (low + high) / (
            low * high / distributions.deviation**2 - 1
        )
        # Not much closer to the ends of the range than the quantiles.
        ends = np.maximum(ends, low + 0.35 * (central[0] - low))
        ends = np.minimum(ends, high - 0.35 * (high - central[1]))
        solution, has_converged = _equal_densities(
            distributions, evaluate, ends, (low, high), rows >= 0, level
        )
        if has_converged.all():
            return solution

    # A coarser grid is enough for a unimodal distribution.
    shares = _SHARES[::4] if distributions.has_one_peak else _SHARES
    grid = (1 - level) * shares
    lower_tails = np.tile(grid, (rows.size, 1))
    ends = _intervals_above(distributions, evaluate, lower_tails, level, tolerance=1e-2)
    lengths = ends[1] - ends[0]
    best = np.argmin(lengths, axis=1)
    ratio = _log_density_ratio(distributions, evaluate, ends)

    # If the lower end has the larger density, the interval is too high. The best one
    # may also end where the support does, and then no solution is bracketed.
    first = np.where(ratio[rows, best] > 0, best - 1, best)
    is_inner = (first >= 0) & (first < grid.size - 1)
    first = np.minimum(np.maximum(first, 0), grid.size - 2)
    bracket = ends[:, rows, first], ends[:, rows, first + 1]

    # Several intervals of a multimodal distribution have equal densities at both ends.
    # The length has a minimum where the ratio changes from negative to positive.
    below = np.minimum(ratio[rows, first], -1e-9)
    above = np.maximum(ratio[rows, first + 1], 1e-9)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = below / (below - above)
    share = np.where((share > 0.01) & (share < 0.99), share, 0.5)

    # Between intervals, tails vary less abruptly than ends: these may be where the
    # density has vanished.
    tail = grid[first] + share * (grid[first + 1] - grid[first])
    tail = np.where(is_inner, tail, grid[best])
    start = _intervals_above(distributions, evaluate, tail[:, np.newaxis], level)[
        ..., 0
    ]

    solution, has_converged = _equal_densities(
        distributions, evaluate, start, bracket, is_inner, level
    )
    is_short = solution[1] - solution[0] <= (1 + 1e-5) * lengths[rows, best]
    has_converged &= ~is_inner | is_short
    if not has_converged.all():
        left = ~has_converged
        solution[:, left] = _by_false_position(
            distributions.selected(left),
            grid[np.stack([first, first + 1])][:, left],
            np.stack([below, above])[:, left],
            start[:, left],
            level,
        )
    return solution


def _intervals_above(
    distributions: Centred,
    evaluate: Evaluator,
    lower_tails: Floats,
    level: float,
    tolerance: float = 1e-4,
    start: Floats | None = None,
) -> Floats:
    """Return the ends of intervals with the given lower tails, shape (2, m, n)."""
    p = np.array([lower_tails, lower_tails + level])
    q = np.array([1 - lower_tails, np.maximum((1 - level) - lower_tails, 0)])
    low, high = distributions.bounds

    # An end of the support is no quantile to be computed: the other end of its interval
    # is computed twice instead.
    at_end = (p <= 0) | (q <= 0)
    p_inner = np.where(at_end, p[::-1], p)
    q_inner = np.where(at_end, q[::-1], q)
    p_inner = np.hstack([*p_inner])
    q_inner = np.hstack([*q_inner])
    inner = distributions.known_quantiles(p_inner, q_inner)
    if inner is None:
        y = None
        if start is not None:
            y = np.hstack([*np.where(at_end, start[::-1], start)])
        inner = quantiles(distributions, p_inner, q_inner, tolerance, y, evaluate)
    ends = np.array(np.split(inner, 2, axis=1))
    return np.where(p <= 0, low, np.where(q <= 0, high, ends))


def _log_density_ratio(
    distributions: Centred, evaluate: Evaluator, ends: Floats
) -> Floats:
    """Return the log density at lower ends less that at upper ends, (m, n)."""
    low, high = distributions.bounds
    at_ends = distributions.end_densities[..., np.newaxis]
    is_end = [ends[0] <= low, ends[1] >= high]
    densities = evaluate(np.concatenate(ends, axis=1))[1]
    densities = np.where(is_end, at_ends, np.split(densities, 2, axis=1))
    with np.errstate(divide="ignore", invalid="ignore"):
        lower, upper = np.log(np.maximum(densities, 0.0))
        return np.where(lower == upper, 0.0, lower - upper)


def _equal_densities(
    distributions: Centred,
    evaluate: Evaluator,
    ends: Floats,
    bracket: tuple[Floats, Floats],
    is_inner: Bools,
    level: float,
) -> tuple[Floats, Bools]:
    """Solve for ends with equal densities, (2, m), by Newton's method in a bracket.

    Ends that are not inner ones stay as they are. Also returns which are solutions.
    """
    has_converged = ~is_inner
    if has_converged.all():
        return ends, has_converged
    support = distributions.bounds[..., 0]
    size = ends[1] - ends[0]

    with np.errstate(all="ignore"):
        for _ in range(12):
            cdf, density, slope = evaluate(ends.T).transpose(0, 2, 1)
            missing = level - (cdf[1] - cdf[0])
            log_ratio = np.log(density[0] / density[1])
            log_slope = slope / density

            # The steps du and dl solve density_1 du - density_0 dl = missing and
            # log_slope_1 du - log_slope_0 dl = log_ratio. They are taken on the logs of
            # the distances from the ends of the support.
            distance = ends - support
            step = density[::-1] * log_ratio - log_slope[::-1] * missing
            step /= density[0] * log_slope[1] - density[1] * log_slope[0]
            candidate = ends + distance * np.expm1(np.minimum(step / distance, 5.0))
            inside = np.minimum(np.maximum(candidate, bracket[0]), bracket[1])

            # The error after a step of 1e-7 of the interval is about its square. Near
            # an end of the support a step may be short where the densities still
            # differ.
            is_last = np.abs(step) <= 1e-7 * size
            is_last &= np.abs(candidate - inside) <= 1e-4 * size
            is_last = is_last.all(axis=0) & (np.abs(log_ratio) < 1e-3)
            # The bracket is accurate to a few digits only, and may exclude a solution.
            candidate = np.where(is_last, candidate, inside)
            ends = np.where(has_converged, ends, candidate)
            has_converged |= is_last
            if has_converged.all():
                break
    return ends, has_converged


def _by_false_position(
    distributions: Centred, tails: Floats, ratios: Floats, start: Floats, level: float
) -> Floats:
    """Solve for the lower tail between two with their log density ratios.

    Returns both ends of the intervals, shape (2, m).
    """
    first, last = tails
    low, high = ratios
    ends = start[..., np.newaxis]
    evaluate = distributions.evaluator(2)
    accuracy = 1e-7 * (1 - level)
    # The density may vanish where the support ends, and yet this may be the solution.
    is_last = np.isinf(high)
    is_first = np.isinf(low) & ~is_last
    was_high = is_last
    with np.errstate(all="ignore"):
        for i in range(100):
            tail = (first * high - last * low) / (high - low)
            is_safe = (first < tail) & (tail < last) & (i % 4 < 3)
            tail = np.where(is_safe, tail, 0.5 * (first + last))
            if i == 0:
                tail = np.where(is_last, last - accuracy, tail)
                tail = np.where(is_first, first + accuracy, tail)
            # Smaller tails cannot be distinguished from zero.
            tail = np.clip(tail, 1e-12, (1 - level) - 1e-12)
            ends = _intervals_above(
                distributions, evaluate, tail[:, np.newaxis], level, start=ends
            )
            ratio = _log_density_ratio(distributions, evaluate, ends)[:, 0]

            # The Illinois rule halves the value at an end that stays a second time.
            is_high = ratio > 0
            kept = np.where((is_high == was_high) & (i > 0), 0.5, 1.0)
            low = np.where(is_high, kept * low, ratio)
            high = np.where(is_high, ratio, kept * high)
            was_high = is_high
            first = np.where(is_high, first, tail)
            last = np.where(is_high, tail, last)
            # The length is at its minimum, and changes by the square of an error here.
            if ((last - first <= accuracy) | (np.abs(ratio) <= 1e-7)).all():
                break
    return ends[..., 0]


def modes(distributions: Centred) -> Floats:
    """Return the distances of the modes from the mean, shape (m,)."""
    if not distributions.has_one_peak:
        return _highest_peaks(distributions)

    # The mode is near that of a Beta distribution with the same range, mean and
    # variance, and at most sqrt(3) standard deviations from the mean (Johnson and
    # Rogers, Annals of Mathematical Statistics 22, 1951).
    low, high = distributions.bounds
    deviation = distributions.deviation[:, np.newaxis]
    at_low, at_high = distributions.end_densities[..., np.newaxis]
    first = np.maximum(low, -1.74 * deviation)
    last = np.minimum(high, 1.74 * deviation)
    start = np.clip((low + high) / (low * high / deviation**2 - 1), first, last)
    end = np.where(at_low > at_high, low, high)
    evaluate = distributions.evaluator(3)
    peaks, heights = _climbed(
        distributions, evaluate, (first, last), start, end, np.maximum(at_low, at_high)
    )
    # The density of a unimodal distribution is at least this at its mode, as for a
    # uniform one; below, the slope was a rounding error.
    is_missed = heights[:, 0] * distributions.deviation < 1 / math.sqrt(12) - 1e-6
    if is_missed.any():
        peaks[is_missed, 0] = _highest_peaks(distributions.selected(is_missed))
    return peaks[:, 0]


def _highest_peaks(distributions: Centred) -> Floats:
    """Return the highest points of densities of any form, shape (m,)."""
    bracket, top, height = _bracketed_peaks(distributions)
    # At an end, or at a corner, the slope may not exist.
    start = top + 1e-9 * (bracket[0] - top + bracket[1] - top)
    evaluate = distributions.evaluator(3)
    peaks, heights = _climbed(distributions, evaluate, bracket, start, top, height)
    return np.take_along_axis(peaks, heights.argmax(axis=1)[:, np.newaxis], 1)[:, 0]


def _climbed(
    distributions: Centred,
    evaluate: Evaluator,
    bracket: tuple[Floats, Floats],
    start: Floats,
    top: Floats,
    highest: Floats,
) -> tuple[Floats, Floats]:
    """Return the peaks between brackets and their heights, shape (m, n) each.

    The slope is zero there, or they are the highest points `top` known before.
    """
    deviation = distributions.deviation[:, np.newaxis]
    first, last = bracket
    y = start
    density = highest
    is_flat = highest > 0
    with np.errstate(all="ignore"):
        for _ in range(100):
            _, density, slope, curvature = evaluate(y)
            first = np.where(slope > 0, y, first)
            last = np.where(slope > 0, last, y)
            candidate = y - slope / curvature
            is_safe = (first <= candidate) & (candidate <= last) & (curvature < 0)
            candidate = np.where(is_safe, candidate, 0.5 * (first + last))

            # Where the slope is small, the error after a short step is about its
            # square. Near a corner a step may be short far from a peak, as the
            # curvature is large.
            is_flat = is_safe & (np.abs(slope) * deviation <= 1e-4 * density)
            short = np.where(is_flat, 1e-7, 1e-13) * deviation
            is_last = np.abs(candidate - y) <= short
            y = candidate
            if is_last.all():
                break

        # Where the slope is zero, differences of densities are rounding errors.
        is_higher = density >= highest * np.where(is_flat, 1 - 1e-12, 1.0)
    return np.where(is_higher, y, top), np.where(is_higher, density, highest)


def _bracketed_peaks(
    distributions: Centred,
) -> tuple[tuple[Floats, Floats], Floats, Floats]:
    """Return the two highest points of a grid between their neighbours, and heights.

    Shape (m, 2) each.
    """
    low, high = distributions.bounds
    at_low, at_high = distributions.end_densities[..., np.newaxis]
    rows = np.arange(low.size)[:, np.newaxis]

    # Quantiles, closer where a narrow peak may lie between two of them.
    p = np.tile(ndtr(np.linspace(-4, 4, 13)), (low.size, 1))
    inner = np.clip(matched_quantiles(distributions, p), low, high)
    gaps = np.diff(inner, axis=1)[..., np.newaxis]
    with np.errstate(divide="ignore"):
        widest = (gaps.max(axis=(1, 2)) / distributions.resolution).max()
    n_pieces = int(min(np.ceil(widest), 16))
    gaps = gaps * (np.arange(n_pieces) / n_pieces)
    fine = (inner[:, :-1, np.newaxis] + gaps).reshape(low.size, -1)
    points = [low, fine, inner[:, -1:], distributions.critical_points, high]
    grid = np.sort(np.concatenate(points, axis=1))

    with np.errstate(all="ignore"):
        heights = distributions.evaluator(1)(grid)[1]
    heights = np.where(grid <= low, at_low, np.where(grid >= high, at_high, heights))
    padded = np.pad(heights, ((0, 0), (1, 1)), constant_values=-np.inf)
    is_peak = (heights >= padded[:, :-2]) & (heights >= padded[:, 2:])

    ranked = np.argsort(np.where(is_peak, -heights, np.inf), axis=1, kind="stable")
    best = ranked[:, :2]
    best = np.where(is_peak[rows, best], best, best[:, :1])
    first = grid[rows, np.maximum(best - 1, 0)]
    last = grid[rows, np.minimum(best + 1, grid.shape[1] - 1)]
    return (first, last), grid[rows, best], heights[rows, best]
