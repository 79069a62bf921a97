r"""The transform of classes that borrow from a shared rate, under a tilt and along a contour.

The posterior of a class, given the hyperparameters, is that of an outlier, reweighted by

    g(theta) = epsilon + (1 - epsilon) theta^up (1 - theta)^down / Z,

where `up` and `down` are what it borrows. The transform of a sum is the average over the nodes of
products over the classes. A class enters by its moments, where their series is short, or else by
a rule in log-odds on which all nodes share the abscissae, so that one table of g serves all
heights. Where the sum decays only algebraically the rest of its series is summed at the branch
points, as in `skpostbac.stats._inversion.branch_points`: as no class borrows more than kappa, all
of them split at one height.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate

import numpy as np
from scipy.special import binom, log_expit

from skpostbac._utils import Bools, Complexes, Floats, Indices
from skpostbac.stats import _beta as tb
from skpostbac.stats._beta import end_radius
from skpostbac.stats._hierarchical.ends import MixedEnd
from skpostbac.stats._hierarchical.pool import Pool
from skpostbac.stats._hierarchical.quadrature import HyperNodes
from skpostbac.stats._inversion import NEGLIGIBLE, Corner

# Kinds are summed by their moments in blocks of this many. Terms below the first share are left
# out; a sum of moduli above the second would cost digits.
_BLOCK, _NEGLIGIBLE, _LARGEST_TERMS = 64, 1e-17, 2000.0
# Numbers in a table at most.
_TABLE = 2**22
# Numbers in the table of all nodes and abscissae of a rule, of which there may be a few at a time.
_LARGE_TABLE = 2**23
# Tilts that push a class of more samples than this to an end have a rule of their own.
_MANY = 1e4
# A rule in log-odds is uniform this far from the middle of its distributions. Beyond, where its
# nodes spread out, it needs more of them.
_CORE, _STRETCHED = 2.5, 1.15
# Heights among which the one is looked for where a distribution has decayed to a share.
_HEIGHTS, _LARGEST_ORDER, _DECAYED = np.geomspace(8.0, 1e6, 36), 1e8, 1e-13


@dataclass(frozen=True)
class Along:
    """Transform of a pool at c + rates.

    Attributes
    ----------
    values : E[exp(s (x - anchor))] / E[exp(c (x - anchor))], shape (n_rates,).
    anchor : position about which they vary little.
    log_mgf : log E[exp(c x)].
    log_weights : log of the weights of the nodes under the tilt, of sum one.
    kind_log_mgfs : log E[exp(c x)] of each kind at each node, shape (n_nodes, n_kinds).
    largest : largest modulus of what each node contributes to the values.
    """

    values: Complexes
    anchor: float
    log_mgf: float
    log_weights: Floats
    kind_log_mgfs: Floats
    largest: Floats


class TiltedPool:
    """A pool of classes under a tilt c, at positions relative to an origin."""

    def __init__(self, pool: Pool, tilt: float, from_end: bool) -> None:
        self.pool, self.tilt, self._from_end = pool, tilt, from_end
        weights, size = pool.kinds.weights, np.abs(pool.kinds.weights)
        up = weights > 0
        if from_end:
            self.low_end, self.high_end = -size, np.zeros_like(size)
        else:
            right, wrong = pool.means
            self.low_end = -size * np.where(up, right, wrong)
            self.high_end = size * np.where(up, wrong, right)

    def at_nodes(self, kept: Bools) -> "TiltedPool":
        """Return the pool at some of its nodes, seen from the same origin."""
        some = TiltedPool(self.pool.at_nodes(kept), self.tilt, self._from_end)
        some.low_end, some.high_end = self.low_end, self.high_end
        return some

    def narrowed(self, kept: Bools, at_tilt: Along) -> "TiltedPool":
        """Return the pool at some of its nodes, with what is known of them under the tilt."""
        some = self.at_nodes(kept)
        some.at_tilt = replace(
            at_tilt,
            log_weights=at_tilt.log_weights[kept],
            kind_log_mgfs=at_tilt.kind_log_mgfs[kept],
            largest=at_tilt.largest[kept],
        )
        return some

    def along(self, rates: Complexes) -> Along:
        """Evaluate the transform at c + rates."""
        nodes, kinds = self.pool.nodes, self.pool.kinds
        position = np.zeros(nodes.up.size)
        product = np.ones((nodes.up.size, rates.size), dtype=complex)
        log_mgfs = np.empty((nodes.up.size, kinds.count.size))
        for start in range(0, kinds.count.size, _BLOCK):
            block = np.arange(start, min(start + _BLOCK, kinds.count.size))
            for part in self._parts(block, rates):
                count = kinds.count[part.index]
                position += part.places @ count
                log_mgfs[:, part.index] = self.tilt * part.places + part.log_mgf
                for values, times in zip(part.values, count, strict=True):
                    product *= values if times == 1 else values**times
        logs = nodes.log_weights + log_mgfs @ kinds.count
        log_mgf = float(np.logaddexp.reduce(logs))
        # Some of the nodes keep their share of the whole.
        known = vars(self).get("at_tilt")
        share = 0.0 if known is None else float(np.logaddexp.reduce(known.log_weights))
        log_weights = logs - (log_mgf - share)
        weights = np.exp(log_weights)
        anchor = float(weights @ position / weights.sum())
        product *= np.exp(np.multiply.outer(position - anchor, rates))
        largest = weights * np.abs(product).max(axis=1)
        return Along(weights @ product, anchor, log_mgf, log_weights, log_mgfs, largest)

    def _parts(self, block: Indices, rates: Complexes) -> Iterator["_Part"]:
        """Transform some kinds, each in the cheapest way."""
        split = self.end_heights[block] <= rates.imag.min()
        for kind in block[split]:
            yield self._by_ends(kind, rates)
        block = block[~split]
        short, series = self._by_moments(block, self.tilt + rates)
        if short.any():
            yield series
        if not short.all():
            yield from self._by_nodes(block[~short], rates)

    def _by_moments(self, index: Indices, s: Complexes) -> tuple[Bools, "_Part"]:
        """Sum the moment series of those kinds for which it is short; returns which those are."""
        pool, largest = self.pool, float(np.abs(s).max())
        weights = pool.kinds.weights[index] * largest
        terms = [np.ones((self.n_nodes, index.size))]
        # What a node loses counts by its weight, where that is known.
        known = vars(self).get("at_tilt")
        counted = np.ones(self.n_nodes) if known is None else np.exp(known.log_weights)
        terms.append(np.zeros_like(terms[0]))
        total, last = terms[0], np.ones(index.size)
        short = np.zeros(index.size, dtype=bool)
        for term in pool.moment_terms(index, weights):
            terms.append(term)
            size = np.abs(term)
            # Terms that are too large may overflow, while those of other kinds go on.
            with np.errstate(over="ignore", invalid="ignore"):
                total = total + size
                before, last, most = last, counted @ size, counted @ total
            short = (most < _LARGEST_TERMS) & (np.maximum(last, before) < _NEGLIGIBLE)
            if (short | ~(most < _LARGEST_TERMS)).all():
                break
        kept = index[short]
        table = np.array([term[:, short] for term in terms]).transpose(2, 1, 0)
        steps = s / largest
        powers = np.cumprod(np.broadcast_to(steps, (len(terms), s.size)), axis=0) / steps
        at_tilt = (table * (self.tilt / largest) ** np.arange(len(terms))).sum(axis=2)
        values = (table @ powers.view(float)).view(complex) / at_tilt[:, :, np.newaxis]
        right, wrong = (rate[:, kept] for rate in pool.rates)
        return short, _Part(kept, self._places(kept, right, wrong), np.log(at_tilt.T), values)

    def _by_nodes(self, index: Indices, rates: Complexes) -> Iterator["_Part"]:
        """Sum a rule in log-odds for each of some kinds."""
        nodes, span = self.pool.nodes, self._span(index, rates)
        base = tb.tilt_betas(
            self.pool.outlier_a[index],
            self.pool.outlier_b[index],
            self.pool.kinds.weights[index],
            self.tilt,
        )
        log_mgf = tb.quadrature(base, tb.extent(base), self.tilt, np.zeros(index.size)).log_mgf
        right, wrong = np.where(base.flipped, (base.q, base.p), (base.p, base.q))
        places = self._places(index, right[np.newaxis], wrong[np.newaxis])
        for row, kind in enumerate(index):
            rule = _Rule.of(base[row : row + 1], *span[:, row])
            count = nodes.up.size * rule.deviations.size // _LARGE_TABLE + 1
            some = [self.pool.nodes.where(part) for part in _cut(nodes.up.size, count)]
            values, log_mass = zip(*(self._summed(part, rule, rates) for part in some), strict=True)
            yield _Part(
                index[[row]],
                np.broadcast_to(places[:, [row]], (nodes.up.size, 1)),
                (np.concatenate(log_mass) + log_mgf[row] - nodes.log_evidence[:, kind])[
                    :, np.newaxis
                ],
                np.concatenate(values)[np.newaxis],
            )

    def _summed(
        self, nodes: HyperNodes, rule: "_Rule", rates: Complexes
    ) -> tuple[Complexes, Floats]:
        """Sum a rule at some nodes: transforms, (n_nodes, n), and logs of the sums of weights."""
        table, log_mass = self._reweighted(nodes, rule)
        # Where no weight is left a large tilt would overflow.
        kept = np.asarray(table.any(axis=0))
        table, deviations = table[:, kept], rule.deviations[kept]
        values = [_transform(table, deviations, block) for block in _blocks(rates, kept.size)]
        return np.hstack(values), log_mass

    def _reweighted(self, nodes: HyperNodes, rule: "_Rule") -> tuple[Floats, Floats]:
        """Weights g times those of a rule, of sum one for each node, and the logs of their sums."""
        share = self.pool.outlier
        factor = np.log1p(-share) - nodes.log_norm
        borrowed = np.stack([nodes.up, nodes.down, factor, np.ones_like(factor)], axis=1)
        ones = np.ones_like(rule.log_right)
        logs = borrowed @ np.stack([rule.log_right, rule.log_wrong, ones, rule.log_weights])
        # A possible outlier keeps the sums from vanishing.
        largest = np.zeros(logs.shape[0]) if share else logs.max(axis=1)
        if not share:
            logs -= largest[:, np.newaxis]
        table = np.exp(logs, out=logs)
        table += share * np.exp(rule.log_weights)
        mass = table.sum(axis=1)
        table /= mass[:, np.newaxis]
        return table, np.log(mass) + largest

    def _by_ends(self, kind: int, rates: Complexes) -> "_Part":
        """Sum the ends of one kind, at heights where these have separated."""
        low, high = (end.shares(self.tilt + rates) for end in self._ends(kind))
        values = high + low * np.exp((self.low_end[kind] - self.high_end[kind]) * rates)
        places = np.full((self.n_nodes, 1), self.high_end[kind])
        log_mgf = self.at_tilt.kind_log_mgfs[:, [kind]] - self.tilt * places
        return _Part(np.array([kind]), places, log_mgf, values[np.newaxis])

    def _span(self, index: Indices, rates: Complexes) -> Floats:
        """Log-odds between which some kinds lie, and bandwidths there, shape (3, n_kinds).

        They hold whatever the classes borrow, and at all real parts and heights.
        """
        nodes, pool = self.pool.nodes, self.pool
        kappa = nodes.up + nodes.down
        ends = [np.argmin(nodes.up), np.argmax(nodes.up), np.argmin(nodes.down)]
        ends += [np.argmax(nodes.down), np.argmin(kappa), np.argmax(kappa)]
        a = np.add.outer(np.append(nodes.up[ends], 0.0), pool.outlier_a[index])
        b = np.add.outer(np.append(nodes.down[ends], 0.0), pool.outlier_b[index])
        weights = np.broadcast_to(pool.kinds.weights[index], a.shape).ravel()
        top = float(np.abs(rates.imag).max())
        low, high, band = np.full(index.size, np.inf), np.full(index.size, -np.inf), 0.0
        for c in {self.tilt + float(rates.real.min()), self.tilt + float(rates.real.max())}:
            betas = tb.tilt_betas(a.ravel(), b.ravel(), weights, c)
            reach, near = tb.extent(betas), np.log(betas.p) - np.log(betas.q)
            first = np.where(betas.flipped, -near - reach.right, near - reach.left)
            last = np.where(betas.flipped, -near + reach.left, near + reach.right)
            low = np.minimum(low, first.reshape(a.shape).min(axis=0))
            high = np.maximum(high, last.reshape(a.shape).max(axis=0))
            band = np.maximum(band, tb.bandwidths(betas, top).reshape(a.shape).max(axis=0))
        return np.array([low, high, band])

    def _places(self, index: Indices, right: Floats, wrong: Floats) -> Floats:
        """Positions of some kinds at accuracies `right` = 1 - `wrong`, shape (..., n_kinds)."""
        weights = self.pool.kinds.weights[index]
        size, up = np.abs(weights), weights > 0
        above, below = size * np.where(up, right, wrong), size * np.where(up, wrong, right)
        # From the nearer of both ends: a small distance keeps its digits.
        from_high, from_low = self.high_end[index] - below, self.low_end[index] + above
        return np.asarray(np.where(below < above, from_high, from_low))

    @property
    def n_nodes(self) -> int:
        """Number of nodes of the hyperparameters."""
        return self.pool.nodes.up.size

    @cached_property
    def end_heights(self) -> Floats:
        """Heights from which the ends of each kind separate, shape (n_kinds,)."""
        radius = end_radius(self.pool.a, self.pool.b).max(axis=0)
        return np.asarray(radius / np.abs(self.pool.kinds.weights))

    @cached_property
    def at_tilt(self) -> Along:
        """Transform at the tilt itself."""
        return self.along(np.zeros(1, dtype=complex))

    def turns_over(self, rates: Floats) -> bool:
        """Whether a class of many samples is pushed to an end by a tilt of c + one of the rates."""
        pushes = np.abs(self.tilt + rates).max() * np.abs(self.pool.kinds.weights)
        n = self.pool.outlier_a + self.pool.outlier_b
        return bool(((pushes > n) & (n > _MANY)).any())

    def log_mgf(self, rate: float) -> float:
        """Log E[exp((c + rate) x)], x being relative to the same origin."""
        tilted = TiltedPool(self.pool, self.tilt + rate, self._from_end)
        tilted.low_end, tilted.high_end = self.low_end, self.high_end
        return tilted.at_tilt.log_mgf

    def decay_height(self, scale: float) -> float:
        """Height at which the transform has about decayed, by an envelope like that of Gammas.

        It is infinite if it is beyond some heights in units of 1 / scale.
        """
        pool, count = self.pool, self.pool.kinds.count
        own, other = (
            self._envelope(pool.a, pool.b),
            self._envelope(pool.outlier_a, pool.outlier_b),
        )
        for height in _HEIGHTS / scale:
            logs = np.maximum(own(height), other(height)) @ count + self.at_tilt.log_weights
            if np.logaddexp.reduce(logs) < np.log(_DECAYED):
                return float(height)
        return np.inf

    def _envelope(self, a: Floats, b: Floats) -> Callable[[float], Floats]:
        """Log of a bound of the transforms of Betas of each kind, shape (..., n_kinds)."""
        weights = np.broadcast_to(self.pool.kinds.weights, a.shape)
        betas = tb.tilt_betas(a.ravel(), b.ravel(), weights.ravel(), self.tilt)
        order = np.minimum(tb.extent(betas).order, _LARGEST_ORDER)
        scale = np.sqrt(tb.laplace_moments(betas)[1] / order)
        return lambda t: np.reshape(-order * np.log(np.hypot(1.0, t * scale)), a.shape)

    @property
    def decay_order(self) -> float:
        """Least power with which the share of a corner decays."""
        pool = self.pool
        least = np.minimum(pool.outlier_a, pool.outlier_b)
        return float((pool.kinds.count * least).sum())

    def growth_order(self, height: float) -> float:
        """Largest power with which the share of a corner grows towards the origin."""
        count = self.pool.kinds.count
        ends = [self._ends(kind) for kind in range(count.size)]
        most = [max(end.growth_order(height) for end in pair) for pair in ends]
        return float(most @ count)

    @property
    def n_corners(self) -> float:
        """Number of corners, those of classes that are alike being one."""
        return float(np.prod(self.pool.kinds.count + 1))

    def corners(self, rates: Complexes) -> list[Corner]:
        """Split the transform at c + rates, all with positive imaginary part, over M(c)."""
        count = self.pool.kinds.count
        # How many classes of each kind are at their upper ends.
        numbers = np.indices([int(k) + 1 for k in count]).reshape(count.size, -1).T
        offsets = (count - numbers) @ self.low_end + numbers @ self.high_end
        blurs = (count - numbers) @ np.abs(self.low_end) + numbers @ np.abs(self.high_end)
        s = self.tilt + rates
        # Where the modulus of s is least the amplitudes are largest.
        found = self._amplitudes(numbers, s[[np.abs(s).argmin()]]).any(axis=1).sum()
        blocks = _blocks(s, self.n_nodes * max(int(found), 1))
        amplitudes = np.hstack([self._amplitudes(numbers, block) for block in blocks])
        return [Corner(*one) for one in zip(offsets, blurs, amplitudes, strict=True)]

    def _amplitudes(self, numbers: Indices, s: Complexes) -> Complexes:
        """Amplitudes of corners at some s, shape (n_corners, n); small ones may be zero."""
        weights = np.exp(self.at_tilt.log_weights)
        start = weights[:, np.newaxis] * np.ones(s.shape, dtype=complex)
        tables: dict[tuple[int, ...], Complexes] = {(): start}
        for kind, count in enumerate(self.pool.kinds.count.astype(int)):
            lows, highs = (_powers(end.shares(s), count) for end in self._ends(kind))
            shares = [binom(count, j) * highs[j] * lows[count - j] for j in range(count + 1)]
            tables = {
                (*key, j): table * share
                for key, table in tables.items()
                for j, share in enumerate(shares)
            }
            tables = {key: one for key, one in tables.items() if np.abs(one).max() > NEGLIGIBLE}
        found = {key: table.sum(axis=0) for key, table in tables.items()}
        nothing = np.zeros(s.shape, dtype=complex)
        return np.array([found.get(tuple(key), nothing) for key in numbers.tolist()])

    def _ends(self, kind: int) -> tuple[MixedEnd, MixedEnd]:
        """Both ends of a kind relative to its M(c), lower first."""
        pool, weight = self.pool, float(self.pool.kinds.weights[kind])
        a, b = pool.a[:, kind], pool.b[:, kind]
        outlier_a, outlier_b = pool.outlier_a[[kind]], pool.outlier_b[[kind]]
        if weight < 0:
            a, b, outlier_a, outlier_b = b, a, outlier_b, outlier_a
        log_mgf = self.at_tilt.kind_log_mgfs[:, kind]
        own, other = (share[:, kind] - log_mgf for share in pool.log_shares)
        low, high = self.tilt * self.low_end[kind], self.tilt * self.high_end[kind]
        size = abs(weight)
        return (
            MixedEnd(True, size, a, b, own + low, outlier_a, outlier_b, other + low),
            MixedEnd(False, size, b, a, own + high, outlier_b, outlier_a, other + high),
        )


def _transform(weights: Floats, places: Floats, rates: Complexes) -> Complexes:
    """Sum exponentials of some weights, shape (n_nodes, n_places), at each of the rates."""
    waves = np.exp(np.multiply.outer(places, rates))
    return np.asarray((weights @ waves.view(float)).view(complex))


def _blocks(rates: Complexes, size: int) -> list[Complexes]:
    """Cut rates into blocks for tables of `size` numbers for each."""
    most = max(_TABLE // size, 1)
    return np.split(rates, range(most, rates.size, most))


def _cut(size: int, count: int) -> list[Bools]:
    """Cut places into some blocks of neighbours."""
    block = np.arange(size) * count // size
    return [block == number for number in range(count)]


def _powers(x: Complexes, most: int) -> list[Complexes]:
    """Powers 0 to `most`."""
    return list(accumulate([x] * most, np.multiply, initial=np.ones_like(x)))


@dataclass(frozen=True)
class _Part:
    """Transforms of some kinds over those at the tilt, (n_kinds, n_nodes, n), about their places.

    The places and the log mgfs at the tilt, about these, have shape (n_nodes, n_kinds).
    """

    index: Indices
    places: Floats
    log_mgf: Floats
    values: Complexes


@dataclass(frozen=True)
class _Rule:
    """Abscissae in log-odds for one class, whatever it borrows, shape (n_abscissae,).

    Attributes
    ----------
    deviations : weighted deviations from the tilted mode of an outlier.
    log_weights : log of those of an outlier under the tilt, of sum one.
    log_right, log_wrong : log theta and log (1 - theta).
    """

    deviations: Floats
    log_weights: Floats
    log_right: Floats
    log_wrong: Floats

    @classmethod
    def of(cls, base: tb.TiltedBetas, low: float, high: float, bandwidth: float) -> "_Rule":
        """Place a rule for an outlier from `low` to `high`, for densities of some bandwidth."""
        p, q = float(base.p[0]), float(base.q[0])
        flipped, mode = bool(base.flipped[0]), float(np.log(base.p[0]) - np.log(base.q[0]))
        first, last = (-high - mode, -low - mode) if flipped else (low - mode, high - mode)
        # Uniform between the middle of the distributions and that of the interval, exponential
        # beyond.
        left, right = _CORE + max(0.0, mode), _CORE + max(0.0, -mode)
        start = first if first > -left else -(left + np.log1p(-first - left))
        stop = last if last < right else right + np.log1p(last - right)
        count = np.ceil((stop - start) * _STRETCHED * bandwidth / (2 * np.pi))
        v = np.linspace(start, stop, int(count) + 2)
        up, down = np.exp(v - right), np.exp(-v - left)
        d = v + (up - np.exp(-right)) - (down - np.exp(-left))
        log_weights, steps = tb.log_weight_and_step(base, d[np.newaxis])
        log_weights = log_weights[0] + np.log1p(up + down)
        near, far = log_expit(mode + d), log_expit(-mode - d)
        return cls(
            deviations=float(base.weight[0]) * p * q * steps[0],
            log_weights=log_weights - np.logaddexp.reduce(log_weights),
            log_right=far if flipped else near,
            log_wrong=near if flipped else far,
        )
