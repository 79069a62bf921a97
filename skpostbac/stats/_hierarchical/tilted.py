r"""The transform of classes that borrow from a shared rate, under a tilt and along a contour.

The posterior of a class, given the state of its stratum, is that of an outlier, reweighted by

    g(theta) = epsilon + (1 - epsilon) theta^up (1 - theta)^down / Z,

where `up` and `down` are what it borrows. The transform of a stratum in a state is the product of
those of its classes, and that of the sum adds up products over the strata along all paths of
states (`chain`). A class enters by a Chebyshev series (`chebyshev`), where that is short, or else
by a rule in log-odds on which all states share the abscissae, so that one table of g serves all
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
from skpostbac.stats._beta import chebyshev_coefficients, chebyshev_moments, end_radius
from skpostbac.stats._hierarchical.ends import MixedEnd
from skpostbac.stats._hierarchical.pool import Pool, Stratum
from skpostbac.stats._inversion import Corner
from skpostbac.stats._numerics import NEGLIGIBLE

# Kinds are summed in blocks of this many.
_BLOCK = 64
# A kind has a short series if its weight times the modulus of s is below the first, and the real
# part below the second, with which three digits are lost, or below the third where half of them are
# enough.
_LARGEST, _LARGEST_TILT, _ROUGH_TILT = 300.0, 16.0, 40.0
# Numbers in a table at most.
_TABLE = 2**22
# Numbers in the table of all states and abscissae of a rule, of which there may be a few at a time.
_LARGE_TABLE = 2**23
# Tilts that push a class of more samples than this to an end have a rule of their own.
_MANY = 1e4
# A rule in log-odds is uniform this far from the middle of its distributions. As its abscissae
# spread out beyond, it needs more of them by the factor.
_CORE, _STRETCHED = 2.5, 1.15
# Heights among which the one is looked for where a distribution has decayed to a share.
_HEIGHTS, _LARGEST_ORDER, _DECAYED = np.geomspace(8.0, 1e6, 36), 1e8, 1e-13


@dataclass(frozen=True)
class UnderTilt:
    """What is known of a pool under a tilt.

    Attributes
    ----------
    log_mgf : log E[exp(c x)].
    log_weights : log of the weights of the states, of sum one in each stratum.
    kind_log_mgfs : log E[exp(c x)] of each kind in each state, for each stratum.
    factors : factors of the states of each stratum, whose products over all paths add up to one.
    after : for each stratum, the sums of these over what may follow each state.
    """

    log_mgf: float
    log_weights: tuple[Floats, ...]
    kind_log_mgfs: tuple[Floats, ...]
    factors: tuple[Floats, ...]
    after: tuple[Floats, ...]

    @classmethod
    def of(cls, pool: Pool, kind_log_mgfs: tuple[Floats, ...]) -> "UnderTilt":
        """Sum over the paths of a pool."""
        logs = [
            one.log_likelihood + table @ one.kinds.count
            for one, table in zip(pool.strata, kind_log_mgfs, strict=True)
        ]
        paths = pool.chain.paths(logs)
        factors = (np.exp(one - scale) for one, scale in zip(logs, paths.log_scales, strict=True))
        return cls(
            sum(paths.log_scales) - pool.log_evidence,
            paths.log_weights,
            kind_log_mgfs,
            tuple(factors),
            paths.after,
        )

    def where(self, kept: list[Bools]) -> "UnderTilt":
        """Return what is known of some of the states; they keep their shares of the whole."""
        some = (
            tuple(table[flags] for table, flags in zip(tables, kept, strict=True))
            for tables in (self.log_weights, self.kind_log_mgfs, self.factors, self.after)
        )
        return UnderTilt(self.log_mgf, *some)


@dataclass(frozen=True)
class Along:
    """Transform of a pool at c + rates.

    Attributes
    ----------
    values : E[exp(s (x - anchor))] / E[exp(c (x - anchor))] at s = c + rates, shape (n_rates,).
    anchor : position about which they vary little.
    largest : largest modulus of what each state contributes to the values, all strata in one row.
    under : what is known under the tilt.
    """

    values: Complexes
    anchor: float
    largest: Floats
    under: UnderTilt

    @property
    def log_mgf(self) -> float:
        """Log E[exp(c x)]."""
        return self.under.log_mgf

    @property
    def log_weights(self) -> Floats:
        """Log of the weights of the states, all strata in one row."""
        return np.concatenate(self.under.log_weights)


class TiltedPool:
    """A pool of classes under a tilt c, at positions relative to an origin."""

    def __init__(self, pool: Pool, tilt: float, from_end: bool) -> None:
        self.pool, self.tilt, self._from_end = pool, tilt, from_end
        self.strata = [TiltedStratum(one, tilt, from_end) for one in pool.strata]

    def _from_same_origin(self, pool: Pool, tilt: float) -> "TiltedPool":
        some = TiltedPool(pool, tilt, self._from_end)
        for own, other in zip(some.strata, self.strata, strict=True):
            own.low_end, own.high_end = other.low_end, other.high_end
        return some

    def narrowed(self, kept: Bools, along: Along) -> "TiltedPool":
        """Return the pool at some of its states, with what is known of them under the tilt."""
        bounds = np.cumsum([one.n_states for one in self.strata])[:-1]
        # A path has a state in each stratum, however little it contributes.
        flags = [
            flag if flag.any() else largest == largest.max()
            for flag, largest in zip(
                np.split(kept, bounds), np.split(along.largest, bounds), strict=True
            )
        ]
        kept = np.concatenate(flags)
        some = self._from_same_origin(self.pool.where(flags), self.tilt)
        some.at_tilt = replace(along, largest=along.largest[kept], under=along.under.where(flags))
        under = some.at_tilt.under
        for number, (one, own) in enumerate(zip(some.strata, self.strata, strict=True)):
            one.under = under.log_weights[number], under.kind_log_mgfs[number]
            one.keep_moments(own, flags[number])
        return some

    def along(self, rates: Complexes) -> Along:
        """Evaluate the transform at c + rates."""
        found = [one.along(rates) for one in self.strata]
        known = vars(self).get("at_tilt")
        under = known.under if known else UnderTilt.of(self.pool, tuple(x.log_mgfs for x in found))
        anchor, tables, largest = 0.0, [], []
        for one, logs, factor in zip(found, under.log_weights, under.factors, strict=True):
            weights = np.exp(logs)
            centre = float(weights @ one.position / weights.sum())
            anchor += centre
            table = one.values
            if np.ptp(one.position):
                table = table * np.exp(np.multiply.outer(one.position - centre, rates))
            largest.append(weights * np.abs(table).max(axis=1))
            tables.append(factor[:, np.newaxis] * table)
        values = self.pool.chain.total(tables)
        return Along(values, anchor, np.concatenate(largest), under)

    @property
    def lowest(self) -> float:
        """Lowest value of the pool."""
        return sum(float(one.low_end @ one.count) for one in self.strata)

    @property
    def highest(self) -> float:
        """Highest value of the pool."""
        return sum(float(one.high_end @ one.count) for one in self.strata)

    @property
    def n_states(self) -> int:
        """Number of states of all strata."""
        return sum(one.n_states for one in self.strata)

    @cached_property
    def end_heights(self) -> Floats:
        """Heights from which the ends of each kind separate, shape (n_kinds,)."""
        return np.concatenate([one.end_heights for one in self.strata])

    @cached_property
    def at_tilt(self) -> Along:
        """Transform at the tilt itself."""
        return self.along(np.zeros(1, dtype=complex))

    def turns_over(self, rates: Floats) -> bool:
        """Whether a class of many samples is pushed to an end by a tilt of c + one of the rates."""
        return any(one.turns_over(rates) for one in self.strata)

    def log_mgf(self, rate: float) -> float:
        """Log E[exp((c + rate) x)], x being relative to the same origin."""
        return self._from_same_origin(self.pool, self.tilt + rate).at_tilt.log_mgf

    def decay_height(self, scale: float) -> float:
        """Height at which the transform has about decayed, by an envelope like that of Gammas.

        It is infinite if it is beyond some heights in units of 1 / scale.
        """
        envelopes = [one.log_envelope() for one in self.strata]
        for height in _HEIGHTS / scale:
            tables = [
                (factor * np.exp(envelope(height)))[:, np.newaxis]
                for factor, envelope in zip(self.at_tilt.under.factors, envelopes, strict=True)
            ]
            if self.pool.chain.total(tables)[0] < _DECAYED:
                return float(height)
        return np.inf

    @property
    def decay_order(self) -> float:
        """Least power with which the share of a corner decays."""
        return sum(one.decay_order for one in self.strata)

    def growth_order(self, height: float) -> float:
        """Largest power with which the share of a corner grows towards the origin."""
        return sum(one.growth_order(height) for one in self.strata)

    @property
    def n_corners(self) -> float:
        """Number of corners, those of classes that are alike being one."""
        return float(np.prod([np.prod(one.count + 1) for one in self.strata]))

    def corners(self, rates: Complexes) -> list[Corner]:
        """Split the transform at c + rates, all with positive imaginary part, over M(c)."""
        s = self.tilt + rates
        # Where the modulus of s is least the amplitudes are largest.
        found = self._amplitudes(s[[np.abs(s).argmin()]])
        most = max(one.n_states for one in self.strata) * max(len(found), 1)
        blocks = [(block.size, self._amplitudes(block)) for block in _blocks(s, most)]
        corners = []
        for key in sorted(set().union(*(table for _, table in blocks))):
            parts = [table.get(key, np.zeros(size, dtype=complex)) for size, table in blocks]
            corners.append(Corner(*self._place(key), np.concatenate(parts)))
        return corners

    def _place(self, key: tuple[int, ...]) -> tuple[float, float]:
        """Place of a corner with so many classes of each kind at their upper ends, and its blur."""
        low = np.concatenate([one.low_end for one in self.strata])
        high = np.concatenate([one.high_end for one in self.strata])
        up = np.array(key, dtype=float)
        down = np.concatenate([one.count for one in self.strata]) - up
        return float(down @ low + up @ high), float(down @ np.abs(low) + up @ np.abs(high))

    def _amplitudes(self, s: Complexes) -> dict[tuple[int, ...], Complexes]:
        """Amplitudes of the corners at some s, but for those that are negligible."""
        under, chain = self.at_tilt.under, self.pool.chain
        start = np.multiply.outer(chain.start, np.ones(s.shape, dtype=complex))
        tables: dict[tuple[int, ...], Complexes] = {(): start}
        for number, one in enumerate(self.strata):
            if number:
                link = chain.links[number - 1]
                tables = {key: link.forward(table) for key, table in tables.items()}
            factor, after = under.factors[number], under.after[number]
            tables = {key: factor[:, np.newaxis] * table for key, table in tables.items()}
            tables = one.split(tables, s, after)
        found = {key: table.sum(axis=0) for key, table in tables.items()}
        return {key: one for key, one in found.items() if np.abs(one).max() > NEGLIGIBLE}


class TiltedStratum:
    """The classes of a stratum under a tilt c, at positions relative to an origin.

    Attributes
    ----------
    low_end, high_end : positions of the ends of each kind.
    under : log weights of the states and log E[exp(c x)] of the kinds under the tilt, once known.
    """

    under: tuple[Floats, Floats] | None = None

    def __init__(self, stratum: Stratum, tilt: float, from_end: bool) -> None:
        self.stratum, self.tilt = stratum, tilt
        self._moments: dict[int, Floats] = {}
        weights, size = stratum.kinds.weights, np.abs(stratum.kinds.weights)
        up = weights > 0
        if from_end:
            self.low_end, self.high_end = -size, np.zeros_like(size)
        else:
            right, wrong = stratum.means
            self.low_end = -size * np.where(up, right, wrong)
            self.high_end = size * np.where(up, wrong, right)

    @property
    def count(self) -> Floats:
        """How many classes of each kind there are."""
        return self.stratum.kinds.count

    @property
    def n_states(self) -> int:
        """Number of states."""
        return self.stratum.n_states

    def along(self, rates: Complexes) -> "_Products":
        """Evaluate the transforms at c + rates."""
        count = self.count
        position = np.zeros(self.n_states)
        product = np.ones((self.n_states, rates.size), dtype=complex)
        log_mgfs = np.empty((self.n_states, count.size))
        for start in range(0, count.size, _BLOCK):
            block = np.arange(start, min(start + _BLOCK, count.size))
            for part in self._parts(block, rates):
                position += part.places @ count[part.index]
                log_mgfs[:, part.index] = self.tilt * part.places + part.log_mgf
                product *= part.values
        return _Products(product, position, log_mgfs)

    def _parts(self, block: Indices, rates: Complexes) -> Iterator["_Part"]:
        """Transform some kinds, each in the cheapest way."""
        split = self.end_heights[block] <= rates.imag.min()
        for kind in block[split]:
            yield self._by_ends(kind, rates)
        block = block[~split]
        s, size = self.tilt + rates, np.abs(self.stratum.kinds.weights[block])
        # Real rates serve bounds alone, which may lose digits.
        rough = rates.real.any() and not rates.imag.any()
        largest_tilt = _ROUGH_TILT if rough else _LARGEST_TILT
        short = (np.abs(s).max() * size < _LARGEST) & (np.abs(s.real).max() * size < largest_tilt)
        weights = self.stratum.kinds.weights[block]
        for weight in np.unique(weights[short]):
            yield self._by_series(block[short & (weights == weight)], s)
        if not short.all():
            yield from self._by_rule(block[~short], rates)

    def _by_series(self, index: Indices, s: Complexes) -> "_Part":
        """Sum the Chebyshev series of some kinds of one weight."""
        weight, count = float(self.stratum.kinds.weights[index[0]]), self.count[index]
        at_all: Complexes = np.append(complex(self.tilt), s)
        coefficients = chebyshev_coefficients(weight / 2 * at_all)
        table = coefficients.view(float)
        product = np.ones((self.n_states, s.size), dtype=complex)
        at_tilt = np.empty((self.n_states, index.size))
        for place, kind in enumerate(index.tolist()):
            sums = (self._chebyshev_moments(kind, len(coefficients)) @ table).view(complex)
            at_tilt[:, place] = sums[:, 0].real
            product *= _power(sums[:, 1:], count[place])
        # About the mean of each kind instead of one half.
        right, wrong = (rate[index] for rate in self.stratum.means)
        shift, logs = weight * (0.5 - right), np.log(at_tilt)
        product *= np.exp((count @ shift) * (s - self.tilt))
        product *= np.exp(-logs @ count)[:, np.newaxis]
        places = np.broadcast_to(self._places(index, right, wrong), at_tilt.shape)
        return _Part(index, places, logs + self.tilt * shift, product)

    def keep_moments(self, other: "TiltedStratum", kept: Bools) -> None:
        """Take the Chebyshev moments that another one has computed at more states."""
        every = bool(kept.all())
        for kind, table in other._moments.items():
            self._moments[kind] = table if every else table[kept]

    def _chebyshev_moments(self, kind: int, order: int) -> Floats:
        """Return E[T_r(2 theta - 1)] of a kind below an order, (n_states, order)."""
        known = self._moments.get(kind)
        if known is None or known.shape[1] < order:
            stratum, r = self.stratum, self.stratum.outlier[:, [kind]]
            own = chebyshev_moments(stratum.a[:, kind], stratum.b[:, kind], order)
            other = chebyshev_moments(stratum.outlier_a[kind], stratum.outlier_b[kind], order)
            known = own + r * (other - own)
            self._moments[kind] = known
        return known[:, :order]

    def _by_rule(self, index: Indices, rates: Complexes) -> Iterator["_Part"]:
        """Sum a rule in log-odds for each of some kinds."""
        stratum, span = self.stratum, self._span(index, rates)
        base = tb.tilt_betas(
            stratum.outlier_a[index],
            stratum.outlier_b[index],
            stratum.kinds.weights[index],
            self.tilt,
        )
        log_mgf = tb.quadrature(base, tb.extent(base), self.tilt, np.zeros(index.size)).log_mgf
        right, wrong = np.where(base.flipped, (base.q, base.p), (base.p, base.q))
        places = self._places(index, right[np.newaxis], wrong[np.newaxis])
        for row, kind in enumerate(index):
            rule = _Rule.of(base[row : row + 1], *span[:, row])
            count = self.n_states * rule.deviations.size // _LARGE_TABLE + 1
            some = [stratum.where(part) for part in _cut(self.n_states, count)]
            values, log_mass = zip(*(self._summed(part, rule, rates) for part in some), strict=True)
            yield _Part(
                index[[row]],
                np.broadcast_to(places[:, [row]], (self.n_states, 1)),
                (np.concatenate(log_mass) + log_mgf[row] - stratum.log_evidence[:, kind])[
                    :, np.newaxis
                ],
                _power(np.concatenate(values), self.count[kind]),
            )

    def _summed(
        self, stratum: Stratum, rule: "_Rule", rates: Complexes
    ) -> tuple[Complexes, Floats]:
        """Sum a rule in some states: transforms, (n_states, n), and logs of the sums of weights."""
        table, log_mass = _reweighted(stratum, rule)
        # Where no weight is left a large tilt would overflow.
        kept = np.asarray(table.any(axis=0))
        table, deviations = table[:, kept], rule.deviations[kept]
        values = [_transform(table, deviations, block) for block in _blocks(rates, kept.size)]
        return np.hstack(values), log_mass

    def _by_ends(self, kind: int, rates: Complexes) -> "_Part":
        """Sum the ends of one kind, at heights where these have separated."""
        low, high = (end.shares(self.tilt + rates) for end in self._ends(kind))
        values = high + low * np.exp((self.low_end[kind] - self.high_end[kind]) * rates)
        places = np.full((self.n_states, 1), self.high_end[kind])
        log_mgf = self._kind_log_mgfs[:, [kind]] - self.tilt * places
        return _Part(np.array([kind]), places, log_mgf, _power(values, self.count[kind]))

    def _span(self, index: Indices, rates: Complexes) -> Floats:
        """Log-odds between which some kinds lie, and bandwidths there, shape (3, n_kinds).

        They hold whatever the classes borrow, and at all real parts and heights.
        """
        stratum = self.stratum
        up, down = stratum.up, stratum.down
        kappa = up + down
        ends = [np.argmin(up), np.argmax(up), np.argmin(down)]
        # In log-odds a Beta is narrowest where up down / kappa is largest.
        ends += [np.argmax(down), np.argmin(kappa), np.argmax(kappa), np.argmax(up * down / kappa)]
        a = np.add.outer(np.append(up[ends], 0.0), stratum.outlier_a[index])
        b = np.add.outer(np.append(down[ends], 0.0), stratum.outlier_b[index])
        weights = np.broadcast_to(stratum.kinds.weights[index], a.shape).ravel()
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
        weights = self.stratum.kinds.weights[index]
        size, up = np.abs(weights), weights > 0
        above, below = size * np.where(up, right, wrong), size * np.where(up, wrong, right)
        # From the nearer of both ends: a small distance keeps its digits.
        from_high, from_low = self.high_end[index] - below, self.low_end[index] + above
        return np.asarray(np.where(below < above, from_high, from_low))

    @cached_property
    def end_heights(self) -> Floats:
        """Heights from which the ends of each kind separate, shape (n_kinds,)."""
        radius = end_radius(self.stratum.a, self.stratum.b).max(axis=0)
        return np.asarray(radius / np.abs(self.stratum.kinds.weights))

    def turns_over(self, rates: Floats) -> bool:
        """Whether a class of many samples is pushed to an end by a tilt of c + one of the rates."""
        pushes = np.abs(self.tilt + rates).max() * np.abs(self.stratum.kinds.weights)
        n = self.stratum.outlier_a + self.stratum.outlier_b
        return bool(((pushes > n) & (n > _MANY)).any())

    def log_envelope(self) -> Callable[[float], Floats]:
        """Log of a bound of the transforms at a height, by an envelope like that of Gammas."""
        stratum = self.stratum
        own = self._envelope(stratum.a, stratum.b)
        other = self._envelope(stratum.outlier_a, stratum.outlier_b)
        return lambda height: np.maximum(own(height), other(height)) @ self.count

    def _envelope(self, a: Floats, b: Floats) -> Callable[[float], Floats]:
        """Log of a bound of the transforms of Betas of each kind, shape (..., n_kinds)."""
        weights = np.broadcast_to(self.stratum.kinds.weights, a.shape)
        betas = tb.tilt_betas(a.ravel(), b.ravel(), weights.ravel(), self.tilt)
        order = np.minimum(tb.extent(betas).order, _LARGEST_ORDER)
        scale = np.sqrt(tb.laplace_moments(betas)[1] / order)
        return lambda t: np.reshape(-order * np.log(np.hypot(1.0, t * scale)), a.shape)

    @property
    def decay_order(self) -> float:
        """Least power with which the share of a corner decays."""
        least = np.minimum(self.stratum.outlier_a, self.stratum.outlier_b)
        return float((self.count * least).sum())

    def growth_order(self, height: float) -> float:
        """Largest power with which the share of a corner grows towards the origin."""
        ends = [self._ends(kind) for kind in range(self.count.size)]
        most = np.array([max(end.growth_order(height) for end in pair) for pair in ends])
        return float(most @ self.count)

    def split(
        self, tables: dict[tuple[int, ...], Complexes], s: Complexes, after: Floats
    ) -> dict[tuple[int, ...], Complexes]:
        """Split each table, shape (n_states, n), by how many classes of each kind are right.

        What is negligible beside what may follow each state is left out.
        """
        for kind, count in enumerate(self.count.astype(int)):
            lows, highs = (_powers(end.shares(s), count) for end in self._ends(kind))
            shares = [binom(count, j) * highs[j] * lows[count - j] for j in range(count + 1)]
            tables = {
                (*key, j): table * share
                for key, table in tables.items()
                for j, share in enumerate(shares)
            }
            tables = {
                key: one
                for key, one in tables.items()
                if (np.abs(one).max(axis=1) * after).max() > NEGLIGIBLE
            }
        return tables

    @property
    def _kind_log_mgfs(self) -> Floats:
        """Log E[exp(c x)] of the kinds in each state."""
        if self.under is None:
            raise RuntimeError("The ends of a class are known under a tilt alone.")
        return self.under[1]

    def _ends(self, kind: int) -> tuple[MixedEnd, MixedEnd]:
        """Both ends of a kind relative to its M(c), lower first."""
        stratum, weight = self.stratum, float(self.stratum.kinds.weights[kind])
        a, b = stratum.a[:, kind], stratum.b[:, kind]
        outlier_a, outlier_b = stratum.outlier_a[[kind]], stratum.outlier_b[[kind]]
        if weight < 0:
            a, b, outlier_a, outlier_b = b, a, outlier_b, outlier_a
        log_mgf = self._kind_log_mgfs[:, kind]
        own, other = (share[:, kind] - log_mgf for share in stratum.log_shares)
        low, high = self.tilt * self.low_end[kind], self.tilt * self.high_end[kind]
        size = abs(weight)
        return (
            MixedEnd(True, size, a, b, own + low, outlier_a, outlier_b, other + low),
            MixedEnd(False, size, b, a, own + high, outlier_b, outlier_a, other + high),
        )


def _reweighted(stratum: Stratum, rule: "_Rule") -> tuple[Floats, Floats]:
    """Weights g times those of a rule, of sum one for each state, and the logs of their sums."""
    share = stratum.share
    with np.errstate(divide="ignore"):
        factor = np.log1p(-share) - stratum.log_norm
    borrowed = np.stack([stratum.up, stratum.down, factor, np.ones_like(factor)], axis=1)
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


def _transform(weights: Floats, places: Floats, rates: Complexes) -> Complexes:
    """Sum exponentials of some weights, shape (n_states, n_places), at each of the rates."""
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


def _power(x: Complexes, count: float) -> Complexes:
    """Raise to a power that mostly is one."""
    return x if count == 1 else np.asarray(x**count)


def _powers(x: Complexes, most: int) -> list[Complexes]:
    """Powers 0 to `most`."""
    return list(accumulate([x] * most, np.multiply, initial=np.ones_like(x)))


@dataclass(frozen=True)
class _Products:
    """Transforms of a stratum over those at the tilt, (n_states, n), about its positions.

    The positions have shape (n_states,), the log mgfs of the kinds (n_states, n_kinds).
    """

    values: Complexes
    position: Floats
    log_mgfs: Floats


@dataclass(frozen=True)
class _Part:
    """Product of the transforms of some kinds over those at the tilt, shape (n_states, n).

    The positions about which they are, and the log mgfs at the tilt about these, have shape
    (n_states, n_kinds).
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
