"""The transform of classes under a hierarchical prior, under a tilt and along a contour.

The transform of a stratum, given its state, is the product over its classes (`tilted_stratum`). The
transform of the sum adds products over the strata along all paths of states (`chain`). Far out,
where the classes have one end each that counts, it hardly oscillates about the place of these ends,
and is interpolated between few heights. If it decays only algebraically, the rest of its series is
summed at the branch points, as in `skpostbac.stats._inversion.branch_points`: as no class borrows
more than kappa, all of them split at one height.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from skpostbac._utils import Bools, Complexes, Floats
from skpostbac.stats._borrowing import Pool
from skpostbac.stats._hierarchical.series import Coefficients
from skpostbac.stats._hierarchical.tilted_stratum import (
    Products,
    TiltedStratum,
    blocks,
    log_envelopes,
)
from skpostbac.stats._inversion import Corner, Panels
from skpostbac.stats._numerics import DECAYED, NEGLIGIBLE, log_sum

# Heights among which the one is looked for where a distribution has decayed.
_HEIGHTS = np.geomspace(8.0, 1e6, 36)
# A transform is interpolated between heights at so many corners at most, to this error.
_MOST_CORNERS, _CONVERGED = 64, 1e-12
# Panels of the log of the height on which it is interpolated as a whole, and above those where that
# was possible. In this share of a step it turns by far less than half a turn.
_LENGTH, _LONG, _BESIDE = 0.83, 1.75, 0.01
# So many heights below the first panels are evaluated at most.
_MOST_BELOW = 96
# Heights at which the size of what a state contributes is looked at.
_LOOKS = 6
# However little work is left, the transform is evaluated at so many rates. Interpolation at its
# corners is tried for so many heights between each two nodes: one of them takes several times.
_LEAST_RATES, _WORTH = 64, 8.0
# Classes that are alike at most, where it is tried at all.
_MOST_ALIKE = 64.0
# Work at a node between which the transform is interpolated, beside that of its corners.
_OF_RULES = 4.0


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
    largest : for each stratum, about the largest modulus of what a state contributes.
    under : what is known under the tilt.
    work : how many transforms of a class in a state it took, about.
    is_smooth : whether it was interpolated, at the last rates at least.
    """

    values: Complexes
    anchor: float
    largest: tuple[Floats, ...]
    under: UnderTilt
    work: float
    is_smooth: bool = False

    @property
    def log_mgf(self) -> float:
        """Log E[exp(c x)]."""
        return self.under.log_mgf

    def first(self, size: int) -> "Along":
        """Return the transform at the first rates alone."""
        return replace(self, values=self.values[:size])

    def replaced(self, where: Bools, other: "Along", rates: Complexes) -> "Along":
        """Return the transform with the values of another at some rates, the first of which it has.

        It ends before the first that has none.
        """
        index = np.flatnonzero(where)
        size = index[other.values.size] if other.values.size < index.size else rates.size
        index = index[: other.values.size]
        values = self.values.copy()
        values[index] = other.values * np.exp((other.anchor - self.anchor) * rates[index])
        pairs = zip(self.largest, other.largest, strict=True)
        return replace(
            self,
            values=values[:size],
            largest=tuple(np.maximum(one, two) for one, two in pairs),
            work=self.work + other.work,
        )


@dataclass(frozen=True)
class TiltedPool:
    """A pool of classes under a tilt c, at positions relative to an origin.

    Attributes
    ----------
    known : what is known under the tilt, once it is.
    is_smooth : whether the transform was interpolated at the last heights.
    """

    pool: Pool
    tilt: float
    from_end: bool
    strata: tuple[TiltedStratum, ...]
    known: UnderTilt | None = None
    is_smooth: bool = False

    @classmethod
    def of(cls, pool: Pool, tilt: float, from_end: bool) -> "TiltedPool":
        """Tilt a pool; positions are distances from the mean, or from the upper end."""
        strata = (TiltedStratum(one, tilt, from_end) for one in pool.strata)
        return cls(pool, tilt, from_end, tuple(strata))

    def above(self, found: Along, share: float) -> "TiltedPool":
        """Return the pool for heights above some at which it was evaluated.

        States that contributed less than a share there are left out.
        """
        some = self.narrowed(found.largest, share, found.under)
        return replace(some, is_smooth=found.is_smooth)

    def narrowed(self, sizes: Sequence[Floats], share: float, under: UnderTilt) -> "TiltedPool":
        """Return the pool at the states whose sizes are above a share, and what is known of them.

        A path has a state in each stratum, however little it contributes.
        """
        kept = self.pool.chain.hulls([size >= min(share, size.max()) for size in sizes])
        if all(flags.all() for flags in kept):
            some, pool = under, self.pool
        else:
            some, pool = under.where(kept), self.pool.where(kept)
        known = zip(self.strata, kept, some.log_weights, some.kind_log_mgfs, strict=True)
        return replace(
            self,
            pool=pool,
            strata=tuple(one.where(flags, weights, logs) for one, flags, weights, logs in known),
            known=some,
        )

    def along(self, rates: Complexes, most_work: float = np.inf) -> Along:
        """Evaluate the transform at c + rates, at few of them where that tells the others.

        Where it does not, only at as many of the first as the work allows, and a few at least.
        """
        below = self._n_below(rates)
        length = _LONG if self.is_smooth else _LENGTH
        panels = Panels.of(rates[below:], length) if self.known else None
        if panels is None:
            return self._along_all(rates, most_work)
        found, known = self._along_panels(rates[:below], panels)
        if known.all():
            return found
        rest = self._along_all(rates[~known], most_work - found.work)
        return found.replaced(~known, rest, rates)

    def _n_below(self, rates: Complexes) -> int:
        """How many rates to evaluate in any case: the lower half, where other corners may count."""
        middle = np.sqrt(rates.imag[0] * rates.imag[-1])
        below = int(np.searchsorted(rates.imag, middle))
        return 0 if self.is_smooth or below > _MOST_BELOW else below

    def _along_panels(self, below: Complexes, panels: Panels) -> tuple[Along, Bools]:
        """Evaluate the transform at some rates, and interpolate it between others above them.

        Where only one corner is left, the transform hardly turns about its place, which the turn of
        the first values tells. Also tells at which rates it is known.
        """
        first, second = panels.s[:2]
        beside = first + _BESIDE * (second - first)
        found = self._at_all(np.concatenate([below, [first, beside], panels.nodes]))
        values = found.values[below.size :]
        turn = np.angle(values[1] * np.conj(values[0]))
        place = float(turn / (beside - first).imag)
        smooth, known = panels.interpolated_where(
            values[2:] * np.exp(-place * panels.nodes), _CONVERGED
        )
        values = np.append(found.values[: below.size] * np.exp(-place * below), smooth)
        anchor, is_smooth = found.anchor + place, bool(known[-1])
        known = np.append(np.ones(below.size, dtype=bool), known)
        return replace(found, values=values, anchor=anchor, is_smooth=is_smooth), known

    def _along_all(self, rates: Complexes, most_work: float) -> Along:
        """Evaluate the transform, by its corners at few rates if there are very many."""
        attempt = self._nodes_worth(rates)
        found = self._along_corners(rates) if attempt else None
        if found is None:
            rates = rates[: int(min(max(most_work / self.work, _LEAST_RATES), rates.size))]
            found = self._at_all(rates)
            found = replace(found, work=found.work + self.work * _OF_RULES * attempt)
        return found

    def _at_all(self, rates: Complexes) -> Along:
        """Evaluate the transform at all rates, not too many at a time."""
        most = max((one.n_states for one in self.strata), default=1)
        return _joined([self._along_states(block) for block in blocks(rates, most)], rates)

    def _nodes_worth(self, rates: Complexes) -> int:
        """How many nodes an attempt to interpolate between them takes, if it is worth it."""
        panels = None if self.known is None else Panels.of(rates)
        if panels is None or rates.size < _WORTH * panels.nodes.size:
            return 0
        # Corners of more classes that are alike would fill the memory before most are dropped.
        if max(float(one.count.max(initial=0.0)) for one in self.strata) > _MOST_ALIKE:
            return 0
        return panels.nodes.size

    def _along_corners(self, rates: Complexes) -> Along | None:
        """Interpolate what the transform has at corners between heights, if that is possible."""
        panels = Panels.of(rates)
        if panels is None or self.known is None:
            return None
        # No more of them than the heights between the nodes are worth.
        most = min(rates.size / panels.nodes.size, _MOST_CORNERS)
        try:
            # Far from its end under a large tilt a class would overflow.
            with np.errstate(over="raise", invalid="raise"):
                corners = self.corners(panels.nodes, most)
        except FloatingPointError:
            return None
        if not corners:
            return None
        shares = panels.interpolated(np.array([one.amplitude for one in corners]), _CONVERGED)
        if shares is None:
            return None
        offsets = np.array([one.offset for one in corners])
        anchor = float(offsets[np.abs(shares[:, 0]).argmax()])
        values = np.zeros(rates.shape, dtype=complex)
        for share, offset in zip(shares, offsets, strict=True):
            values += share * np.exp((offset - anchor) * rates)
        largest = tuple(map(np.exp, self.known.log_weights))
        work = self.work * panels.nodes.size * (len(corners) + _OF_RULES)
        return Along(values, anchor, largest, self.known, work, is_smooth=True)

    def _along_states(self, rates: Complexes) -> Along:
        """Evaluate the transform at all rates."""
        coefficients = Coefficients(self.tilt, rates)
        # One stratum at a time, if possible: all tables together would be large.
        found: Iterable[Products] = (one.along(rates, coefficients) for one in self.strata)
        under = self.known
        if under is None:
            found = list(found)
            under = UnderTilt.of(self.pool, tuple(one.log_mgfs for one in found))
        anchors, works, largest = [], [], []
        looks = np.unique(np.linspace(0, rates.size - 1, _LOOKS).astype(int))

        def tables() -> Iterator[Complexes]:
            for one, logs, factor in zip(found, under.log_weights, under.factors, strict=True):
                weights = np.exp(logs)
                centre = float(weights @ one.position / weights.sum())
                table = one.values
                if np.ptp(one.position):
                    table *= np.exp(np.multiply.outer(one.position - centre, rates))
                anchors.append(centre)
                works.append(one.work)
                largest.append(weights * np.abs(table[:, looks]).max(axis=1))
                table *= factor[:, np.newaxis]
                yield table

        values = self.pool.chain.total(tables())
        work = sum(works) + self.n_states * rates.size
        return Along(values, sum(anchors), tuple(largest), under, work)

    @property
    def under(self) -> UnderTilt:
        """What is known under the tilt."""
        return self.known or self.along(np.zeros(1, dtype=complex)).under

    @property
    def lowest(self) -> float:
        """Lowest value of the pool."""
        return sum(float(one.low_end @ one.count) for one in self.strata)

    @property
    def highest(self) -> float:
        """Highest value of the pool."""
        return sum(float(one.high_end @ one.count) for one in self.strata)

    def log_laplace_mgf(self, tilt: float) -> float:
        """Log E[exp(s (x - highest))] at a tilt nearby, by Laplace's method."""
        return self.pool.log_laplace_mgf(tilt)

    @property
    def n_states(self) -> int:
        """Number of states of all strata."""
        return sum(one.n_states for one in self.strata)

    @property
    def sizes(self) -> Floats:
        """Sizes of the weights of all kinds."""
        weights = [one.stratum.kinds.weights for one in self.strata]
        return np.asarray(np.abs(np.concatenate(weights)))

    @property
    def work(self) -> float:
        """How many transforms of a class in a state there are at each height, and steps."""
        return float(sum(one.n_states * (one.count.size + 1) for one in self.strata))

    @cached_property
    def end_heights(self) -> Floats:
        """Heights from which the ends of each kind separate, shape (n_kinds,)."""
        return np.concatenate([one.end_heights for one in self.strata])

    def rough_log_mgfs(self, rates: Floats) -> Floats:
        """Log of E[exp((c + rate) x)] over that at c, roughly, at each of some real rates.

        The logs of the transforms of the classes are taken at some of the states, and by straight
        lines between.
        """
        under, logs = self.under, np.zeros(rates.shape)
        coefficients = Coefficients(self.tilt, rates.astype(complex))
        sums = self.pool.chain.first()[:, np.newaxis]
        for number, (one, factor) in enumerate(zip(self.strata, under.factors, strict=True)):
            if number:
                sums = self.pool.chain.forward(number - 1, sums)
            table = one.rough_log_mgfs(rates, coefficients)
            largest = table.max(axis=0)
            sums = sums * factor[:, np.newaxis] * np.exp(table - largest)
            # Tails of many strata would underflow.
            total = sums.sum(axis=0)
            sums, logs = sums / total, logs + largest + np.log(total)
        return logs

    def decay_height(self, scale: float) -> float:
        """Height at which the transform has decayed, by an envelope like that of Gammas.

        It is infinite if it is beyond some heights in units of 1 / scale. With Hoelder's inequality
        the mean of a product over n strata is at most that of the means of n-th powers.
        """
        logs_at, n = log_envelopes(self.strata), len(self.strata)

        def has_decayed(height: float) -> bool:
            pairs = zip(self.under.log_weights, logs_at(height), strict=True)
            return bool(sum(log_sum(own + n * logs) / n for own, logs in pairs) < np.log(DECAYED))

        heights = _HEIGHTS / scale
        place = bisect_left(heights, True, key=has_decayed)
        return float(heights[place]) if place < heights.size else np.inf

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

    def corners(self, rates: Complexes, most_corners: float = np.inf) -> list[Corner]:
        """Split the transform at c + rates, all with positive imaginary part, over M(c).

        There are none if they were too many.
        """
        s = self.tilt + rates
        # Where the modulus of s is least the amplitudes are largest.
        first = s[[np.abs(s).argmin()]]
        least = float(np.abs(first[0]))
        found = self._amplitudes(first, least, most_corners)
        if not found:
            return []
        wanted = {key[:size] for key in found for size in range(len(key) + 1)}
        most = max(one.n_states for one in self.strata) * len(found)
        parts = [
            (block.size, self._amplitudes(block, least, np.inf, wanted))
            for block in blocks(s, most)
        ]
        corners = []
        for key in sorted(set().union(*(table for _, table in parts))):
            some = [table.get(key, np.zeros(size, dtype=complex)) for size, table in parts]
            corners.append(Corner(*self._place(key), np.concatenate(some)))
        return corners

    def _place(self, key: tuple[int, ...]) -> tuple[float, float]:
        """Place of a corner with so many classes of each kind at their upper ends, and its blur."""
        low = np.concatenate([one.low_end for one in self.strata])
        high = np.concatenate([one.high_end for one in self.strata])
        up = np.array(key, dtype=float)
        down = np.concatenate([one.count for one in self.strata]) - up
        return float(down @ low + up @ high), float(down @ np.abs(low) + up @ np.abs(high))

    def _amplitudes(
        self,
        s: Complexes,
        least: float,
        most: float,
        wanted: Set[tuple[int, ...]] | None = None,
    ) -> dict[tuple[int, ...], Complexes]:
        """Amplitudes of the corners at some s, but for those that are negligible, or not wanted."""
        under, chain = self.under, self.pool.chain
        start = np.multiply.outer(chain.first(), np.ones(s.shape, dtype=complex))
        tables: dict[tuple[int, ...], Complexes] = {(): start}
        for number, one in enumerate(self.strata):
            if number:
                tables = {key: chain.forward(number - 1, some) for key, some in tables.items()}
            factor, after = under.factors[number], under.after[number]
            tables = {key: factor[:, np.newaxis] * table for key, table in tables.items()}
            tables = one.split(tables, s, after, least, most, wanted)
        return {
            key: table.sum(axis=0)
            for key, table in tables.items()
            if np.abs(table).sum(axis=0).max() > NEGLIGIBLE
        }


def _joined(parts: list[Along], rates: Complexes) -> Along:
    """Join the transform of some stretches of rates, about the anchor of the first."""
    if len(parts) == 1:
        return parts[0]
    anchors = np.repeat([one.anchor for one in parts], [one.values.size for one in parts])
    values = np.concatenate([one.values for one in parts])
    values *= np.exp((anchors - parts[0].anchor) * rates)
    largest = (np.max(sizes, axis=0) for sizes in zip(*(one.largest for one in parts), strict=True))
    work = sum(one.work for one in parts)
    return replace(parts[0], values=values, largest=tuple(largest), work=work)
