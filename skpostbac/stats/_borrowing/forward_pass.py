r"""Fourier series of sums of recalls of classes that borrow from each other.

The transform of the sum about its mean is a sum over the paths of states,

    v(t) = sum over eta_1, ..., eta_S of P(eta | counts) prod_g v_g(eta_g; t),

one forward pass of the chain with the transforms of the strata (`transform`), at all heights t of a
block at once. A product over pools, if there are several.

A few heights come first. At tilts t = -i s they give Chernoff's bounds of the range of the sum, and
on a geometric grid they tell where the transform vanishes. If that takes many orders, as beside
corners where classes without errors meet, only the first orders are computed one by one. From some
height on v(t) exp(-i t c), with the place c of the corner, is a smooth function of log t: the other
orders are interpolated from the geometric grid. Some of them are computed for comparison: where
several corners count, more orders are computed one by one; where interpolation fails beyond these,
there are fewer. A series that does not vanish goes over to zero smoothly: this blurs the
distribution over a few times P / K, and is exact farther from the corners.
"""

from collections.abc import Sequence
from functools import reduce

import numpy as np
from scipy.special import binom, erfc, expit, gammaln, log_expit

from skpostbac._utils import Complexes, Floats
from skpostbac.stats._borrowing.pool import Pool
from skpostbac.stats._borrowing.states import decay, vanishing_height
from skpostbac.stats._borrowing.transform import StratumTransform
from skpostbac.stats._fourier import Series, Waves
from skpostbac.stats._numerics import Frame, barycentric, log_beta, log_sum
from skpostbac.stats._table import CentredShare, Table

# A coefficient is negligible below this, and states of less mass do not count.
_NEGLIGIBLE, _LIGHTEST = 4e-11, 1e-14
# The most orders, and the fewest that are computed one by one.
_MOST, _EACH = 2**13, 48
# Rows of a stratum are computed together if weights, over samples, have no larger ratio.
_RATIO = 8.0
# Points of an interpolation between orders, and its largest error.
_POINTS, _TOLERANCE = 12, 1e-10


class PooledTransform:
    """Transform of a sum about its mean, at any heights up to a limit."""

    def __init__(self, pools: Sequence[Pool], height: float) -> None:
        self._pools = pools
        strata = [[one.parts(_RATIO) for one in pool.strata] for pool in pools]
        self._parts = [
            [[StratumTransform.of(part, height) for part in parts] for parts in some]
            for some in strata
        ]

    def __call__(self, heights: Complexes | Floats) -> Complexes:
        """Return E[exp(i t (X - mean))], shape (n,)."""
        heights = heights.astype(np.complex128)
        strata = [one for pool in self._pools for one in pool.strata]
        most = max(one.log_weights.size for one in strata)
        # At most 256 heights at a time, between which transforms are interpolated; fewer with many
        # states, so that tables stay small
        blocks = np.array_split(heights, -(-heights.size // min(max(2**20 // most, 1), 256)))
        totals = [np.ones(block.size, dtype=complex) for block in blocks]
        for pool, parts in zip(self._pools, self._parts, strict=True):
            # States that do not count have none: their moment generating function may overflow.
            likelihoods = [
                np.where(one.log_weights < np.log(_LIGHTEST), -np.inf, one.log_likelihood)
                for one in pool.strata
            ]
            sizes = [np.exp(logs - logs.max())[:, np.newaxis] for logs in likelihoods]
            of_all = pool.chain.total(sizes)
            for block, total in zip(blocks, totals, strict=True):
                one = np.ones(block.size, dtype=complex)
                factors = (
                    reduce(np.multiply, (x.values(block) for x in some), one) for some in parts
                )
                pairs = zip(sizes, factors, strict=True)
                total *= pool.chain.total(np.where(size > 0, size * x, 0.0) for size, x in pairs)
                total /= of_all
        return np.concatenate(totals)


def pooled_series(pools: Sequence[Pool], ends: tuple[float, float], deviation: float) -> Series:
    """Series of the sum of some pools, at the states that their transforms need.

    The ends of the support are distances from the mean, the lower one negative.
    """
    transform, grid, on_grid, reach = _looked_at(pools, deviation)
    low, high = max(-reach[0], ends[0]), min(reach[1], ends[1])
    # The period is a little wider than the range.
    period = (1 + 1 / 16) * (high - low)
    step = 2 * np.pi / period
    late = np.flatnonzero(np.abs(on_grid) > _NEGLIGIBLE)
    last = grid[min(late[-1] + 1, grid.size - 1)] if late.size else grid[0]
    count = int(min(np.ceil(last / step) + 1, _MOST))
    first, orders = count, np.arange(1.0, count)
    values = np.empty(count - 1, dtype=complex)
    # Fewer orders are not worth an interpolation.
    if count > 256 and grid.size > _POINTS:
        # Where all classes are at their nearer ends
        corner = 0.0
        for one in (one for pool in pools for one in pool.strata):
            classes, (right, wrong) = one.classes, one.means
            gaps = np.where(classes.wrong < classes.correct, wrong, -right)
            corner += float(classes.count @ (classes.weights * gaps))
        strata = [one for pool in pools for one in pool.strata]
        # Orders if interpolation fails, the fewer the more states and rows there are
        work = sum(one.log_weights.size * one.classes.count.size for one in strata)
        most = int(np.clip(2**26 / work, 2**9, 2**11))
        compared = np.geomspace(_EACH, count - 1, 16).astype(np.intp)
        exact = transform(step * orders[compared - 1])
        logs, smooth = np.log(grid), on_grid * np.exp(-1j * grid * corner)
        while True:
            values = _interpolated(logs, smooth, np.log(step * orders))
            values *= np.exp(1j * step * orders * corner)
            errors = np.abs(values[compared - 1] - exact)
            # Probabilities are sums of coefficients over their orders: larger errors of late ones
            # do little harm, and spare orders where several corners count.
            for size, least in (errors, _EACH), (errors / compared, most // 2):
                missed = np.flatnonzero(size > _TOLERANCE)
                first = max(int(compared[min(missed[-1] + 1, 15)]), least) if missed.size else least
                if first <= most:
                    break
            # A grid twice as dense costs less than these orders, unless waves of other corners are
            # what it misses.
            if min(first, most) - _EACH < 2 * logs.size or logs[1] - logs[0] < 0.1:
                break
            between = 0.5 * (logs[1:] + logs[:-1])
            heights = np.exp(between)
            more = transform(heights) * np.exp(-1j * heights * corner)
            places = np.arange(1, logs.size)
            logs, smooth = np.insert(logs, places, between), np.insert(smooth, places, more)
        if first > most:
            first = count = min(count, most)
            values, orders = values[: count - 1], orders[: count - 1]
    values[: first - 1] = transform(step * orders[: first - 1])
    if abs(values[-1]) > _NEGLIGIBLE:
        values *= 0.5 * erfc(10 * (orders / count - 0.675))
    return Series(
        Waves(np.array([period]), values[np.newaxis]),
        low=np.array([low]),
        high=np.array([high]),
        deviation=np.array([deviation]),
        end_densities=_end_densities(pools)
        * (np.array([[low], [high]]) == np.reshape(ends, (2, 1))),
        least=1e-10,
    )


def _looked_at(
    pools: Sequence[Pool], deviation: float
) -> tuple[PooledTransform, Floats, Complexes, list[float]]:
    """Transform up to where it vanishes, if it does; itself on a grid; and the reach of the sum."""
    # The transform is negligible from this height on, about, by the envelopes of the strata.
    terms = []
    for one in (one for pool in pools for one in pool.strata if one.classes.count.size):
        kappa, place = np.unique(one.borrowed.kappa, return_inverse=True)
        shares = np.bincount(place.ravel(), np.exp(one.log_weights))
        terms.append((shares, decay(one.classes, one.means, one.base, kappa)))
    guess = vanishing_height(
        lambda t: np.log(np.maximum([x @ np.exp(log(t)) for x, log in terms], 1e-300)).sum(),
        float(np.log(_NEGLIGIBLE)),
        1,
    )[0]
    most = 2 * np.pi * _MOST / (16 * deviation)
    attempts = [1.2 * guess, 2.5 * guess] if guess * deviation < 120 else []
    attempts = [limit for limit in attempts if limit < most]
    # Tilts of Chernoff's bounds
    tilts = np.array([0.35, 0.7, 1.5, 3.5, 7.0]) / deviation
    while True:
        limit = attempts.pop(0) if attempts else most
        # A geometric grid, dense enough to interpolate on it in the last attempt
        per_octave, first = 8 if limit == most else 3, 6.0 / deviation
        octaves = max(np.log2(limit / first), 0.5)
        grid = first * np.exp2(np.arange(np.ceil(octaves * per_octave) + 1) / per_octave)
        transform = PooledTransform(pools, float(grid[-1]))
        with np.errstate(over="ignore", invalid="ignore"):
            found = transform(np.concatenate([1j * tilts, -1j * tilts, grid]))
        on_grid = found[2 * tilts.size :]
        if limit == most or np.abs(on_grid[-1]) <= _NEGLIGIBLE:
            # A moment generating function that overflows bounds nothing.
            logs = np.log(np.abs(found[: 2 * tilts.size])).reshape(2, -1)
            # No more than exp(-27.6) = 1e-12 is beyond.
            reach = np.where(np.isnan(logs), np.inf, (logs + 27.6) / tilts).min(axis=1)
            return transform, grid, on_grid, reach.tolist()
        # A power of the height vanishes far out only.
        if np.abs(on_grid[-1]) > 1e-4:
            attempts.clear()


def _end_densities(pools: Sequence[Pool]) -> Floats:
    """Limits of the density at both ends of the support, shape (2, 1).

    The exponents of the distance from an end are least if all classes are outliers. If these add up
    to one, the limit is the density of a Dirichlet integral.
    """
    logs = 0.0
    for pool in pools:
        tops = [np.exp(one.log_likelihood - one.log_likelihood.max()) for one in pool.strata]
        alone = [np.prod(one.outlier**one.classes.count, axis=1) for one in pool.strata]
        factors = (np.stack([x, x * y], axis=1) for x, y in zip(tops, alone, strict=True))
        some, of_all = pool.chain.total(factors)[::-1]
        with np.errstate(divide="ignore"):
            logs += float(np.log(some / of_all))
    power, logs_at = np.zeros(2), np.full(2, logs)
    for one in (one for pool in pools for one in pool.strata):
        classes, a, b = one.classes, one.outlier_a, one.outlier_b
        for side, is_up in enumerate((True, False)):
            e, o = np.where((classes.weights > 0) == is_up, [a, b], [b, a])
            power[side] += classes.count @ e
            density = gammaln(e) - log_beta(e, o) - e * np.log(np.abs(classes.weights))
            logs_at[side] += float(classes.count @ density)
    # Sums of exponents are rounded.
    is_flat, is_pole = np.abs(power - 1) < 1e-9, power < 1 - 1e-9
    limit = np.where(is_pole, np.inf, np.where(is_flat, np.exp(np.minimum(logs_at, 700)), 0.0))
    return limit[:, np.newaxis]


def _interpolated(x: Floats, values: Complexes, points: Floats) -> Complexes:
    """Interpolate between even x by polynomials through the nearest ones."""
    place, n = (points - x[0]) / (x[1] - x[0]), min(_POINTS, x.size)
    start = np.clip(np.floor(place).astype(int) - n // 2 + 1, 0, x.size - n)
    number = np.arange(n)
    weights = np.asarray((-1.0) ** number * binom(n - 1, number), np.float64)
    shares = barycentric(number.astype(float), weights, place - start)
    return np.asarray((shares * values[start[:, np.newaxis] + number]).sum(axis=1))


def class_share(pool: Pool, frame: Frame, deviation: float) -> CentredShare:
    """Distribution of a weighted recall of a single class: a mixture of Betas over the states.

    Its density is that of an outlier times a sum over the states, of what the class borrows there.
    """
    (one,) = (stratum for stratum in pool.strata if stratum.classes.count.size)
    chances, (mean, rest) = np.exp(one.log_weights), (frame.mean_to_low, frame.mean_to_high)
    borrows = chances * (1 - one.outlier[:, 0])
    kept = borrows > _LIGHTEST
    logs = one.log_borrower[:, 0] + one.borrowed.log_norm
    powers = np.stack([one.borrowed.up, one.borrowed.down])[:, kept]
    own = one.outlier_a[0], one.outlier_b[0]
    if one.classes.weights[0] < 0:
        powers, own = powers[::-1], own[::-1]
    powers = np.hstack([powers, np.zeros((2, 1))])
    alone = max(chances.sum() - borrows.sum(), 1e-300)
    factors = np.append(np.log(borrows[kept]) - logs[kept], np.log(alone))[:, np.newaxis]
    # From the nearer end, exponents keep their digits where n is large.
    n, side = own[0] + own[1], 1.0 if own[0] < own[1] else -1.0
    share, mode = min(own) / n, np.log(own[0]) - np.log(own[1])

    def log_density(u: Floats) -> Floats:
        d = side * (u - mode)
        rise = np.log1p(share * np.expm1(np.minimum(d, 100.0)))
        rise = np.where(d < 100.0, rise, np.log(share) + d)
        borrowed = powers.T @ np.stack([log_expit(u), log_expit(-u)])
        return np.asarray(n * (share * d - rise) + log_sum(borrowed + factors))

    start, scale = np.log(mean) - np.log(rest), deviation * (mean + rest) / (mean * rest)
    edges = start + min(scale, 2.0) * np.array([-2.0, -1.0, 0.0, 1.0, 2.0])
    table = Table.of(log_density, edges, _TOLERANCE)
    return CentredShare(
        table=table,
        low=np.array([-mean]),
        high=np.array([rest]),
        deviation=np.array([deviation]),
        end_densities=_end_densities([pool]),
        has_one_peak=table.has_one_peak(1 - 2 * expit(table.points)),
    )
