"""The classes of a stratum under a tilt, and their transforms along a contour.

The transform of a class is a Chebyshev series (`series`) if that is short, or else a quadrature in
log-odds (`rule`). At large heights it is the sum of the contributions of its two ends (`ends`).
"""

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, Literal

import numpy as np
from scipy.special import binom

from skpostbac._utils import Bools, Complexes, Floats, Indices
from skpostbac.stats import _tilted as tb
from skpostbac.stats._borrowing import Stratum
from skpostbac.stats._hierarchical.ends import MixedEnd
from skpostbac.stats._hierarchical.rule import Rule, Span, Weighted
from skpostbac.stats._hierarchical.series import Coefficients, Group
from skpostbac.stats._numerics import NEGLIGIBLE, matrix_product
from skpostbac.stats._tilted import end_radius

# A kind has a short series if its weight times the modulus of s is below the first, and the real
# part below the second, with which three digits are lost, or below the third where half of them are
# enough.
_LARGEST, _LARGEST_TILT, ROUGH_TILT = 300.0, 16.0, 40.0
# Numbers in a table at most.
_TABLE = 2**22
# Numbers in the table of all states and abscissae of a rule, of which there may be a few at a time.
_LARGE_TABLE = 2**23
# Tilts that push a class of more samples than this to an end have a rule of their own.
_MANY = 1e4
# Errors count no less than this in a state.
_LOG_NEGLIGIBLE = float(np.log(NEGLIGIBLE))
# What is transformed: all classes of a kind, one of them, or what one has if it borrows.
_Share = Literal["kind", "class", "borrower"]
# Work for each abscissa of a rule in a state, and for each of its waves, in transforms of a class
# in a state.
_ABSCISSA, _WAVE = 0.2, 0.004
# The terms of an end cancel to no less than exp(-4) of the largest.
_CANCELLED = 2.0
# Largest order of an envelope.
_LARGEST_ORDER = 1e8


@dataclass(frozen=True)
class Products:
    """Transforms of a stratum over those at the tilt, (n_states, n), about its positions.

    The positions have shape (n_states,), the log mgfs of the kinds (n_states, n_kinds). The work is
    counted in transforms of a class in a state.
    """

    values: Complexes
    position: Floats
    log_mgfs: Floats
    work: float


@dataclass(frozen=True)
class Part:
    """Product of the transforms of some kinds over those at the tilt, shape (n_states, n).

    The positions about which they are, and the log mgfs at the tilt about these, have shape
    (n_states, n_kinds). The rule has so many abscissae, if there is one.
    """

    index: Indices
    places: Floats
    log_mgf: Floats
    values: Complexes
    n_abscissae: int = 0

    @property
    def work(self) -> float:
        """About how many transforms of a class in a state by a short series take as long."""
        of_rule = self.n_abscissae * (_ABSCISSA + _WAVE * self.values.shape[1])
        return float(len(self.values) * (self.index.size * self.values.shape[1] + of_rule))


@dataclass(frozen=True)
class TiltedStratum:
    """The classes of a stratum under a tilt c, at positions relative to an origin.

    Attributes
    ----------
    from_end : whether the origin is the upper end of the support; it is the mean if not.
    log_weights : log of the weights of the states under the tilt, once known.
    kind_log_mgfs : log E[exp(c x)] of the kinds in each state, once known.
    """

    stratum: Stratum
    tilt: float
    from_end: bool
    log_weights: Floats | None = None
    kind_log_mgfs: Floats | None = None

    def where(
        self, kept: Bools, log_weights: Floats | None, kind_log_mgfs: Floats | None
    ) -> "TiltedStratum":
        """Return the classes in some of the states; weights and log mgfs are those there."""
        stratum = self.stratum if kept.all() else self.stratum.where(kept)
        return TiltedStratum(stratum, self.tilt, self.from_end, log_weights, kind_log_mgfs)

    @cached_property
    def _is_up(self) -> Bools:
        """Whether the upper end of a kind is that of perfect accuracy."""
        return np.asarray(self.stratum.kinds.weights > 0)

    @cached_property
    def low_end(self) -> Floats:
        """Position of the lower end of each kind."""
        size, (right, wrong) = np.abs(self.stratum.kinds.weights), self.stratum.means
        return -size * (1.0 if self.from_end else np.where(self._is_up, right, wrong))

    @cached_property
    def high_end(self) -> Floats:
        """Position of the upper end of each kind."""
        size, (right, wrong) = np.abs(self.stratum.kinds.weights), self.stratum.means
        return size * (0.0 if self.from_end else np.where(self._is_up, wrong, right))

    @cached_property
    def _groups(self) -> tuple[Group, ...]:
        return Group.all_of(self.stratum)

    @property
    def count(self) -> Floats:
        """How many classes of each kind there are."""
        return self.stratum.kinds.count

    @property
    def n_states(self) -> int:
        """Number of states."""
        return self.stratum.n_states

    def along(self, rates: Complexes, coefficients: Coefficients) -> Products:
        """Evaluate the transforms at c + rates; coefficients are those at c and c + rates."""
        count = self.count
        position, log_mgfs = np.zeros(self.n_states), np.empty((self.n_states, count.size))
        values, work = np.ones((1, 1), dtype=complex), 0.0
        for part in self._parts(rates, coefficients):
            work += part.work
            position += part.places @ count[part.index]
            log_mgfs[:, part.index] = self.tilt * part.places + part.log_mgf
            # In its place: new large tables take longer than the products.
            values = np.multiply(values, part.values, out=part.values)
        if not count.size:
            values = np.ones((self.n_states, rates.size), dtype=complex)
        return Products(values, position, log_mgfs, work)

    def rough_log_mgfs(self, rates: Floats, coefficients: Coefficients) -> Floats:
        """Log of E[exp((c + rate) x)] over that at c, (n_states, n), roughly, at real rates.

        It is taken at some of the states, and by straight lines between. Coefficients are those at
        c and c + rates.
        """
        looks, real = self.stratum.looks, rates.astype(complex)
        some = self._some(looks.flags)
        if not some.turns_over(rates):
            found = some.along(real, coefficients)
            values = found.values.real
            if (values > 0).all():
                return looks.between(np.log(values) + np.multiply.outer(found.position, rates))
        # Between the ends of a class of many samples no rule serves several tilts.
        tables = [some._log_mgf_at(self.tilt + rate) for rate in (0.0, *rates)]
        return looks.between(np.stack(tables[1:], axis=1) - tables[0][:, np.newaxis])

    def _log_mgf_at(self, tilt: float) -> Floats:
        """Log of E[exp(s x)] in each state at another tilt s."""
        nothing = np.zeros(1, dtype=complex)
        other = TiltedStratum(self.stratum, tilt, self.from_end)
        return np.asarray(other.along(nothing, Coefficients(tilt, nothing)).log_mgfs @ self.count)

    def _parts(self, rates: Complexes, coefficients: Coefficients) -> Iterator[Part]:
        """Transform some kinds, each in the cheapest way."""
        split, pushed = self.end_heights <= rates.imag.min(), self._pushed(rates)
        by_rule = np.zeros(split.shape, dtype=bool)
        for group in self._groups:
            at_end = pushed[:, group.index].any(axis=0)
            for kind in group.index[at_end]:
                yield self._by_upper_end(kind, rates, pushed[:, kind])
            whole = ~(split[group.index] | at_end)
            for kind in group.index[~(whole | at_end)]:
                yield self._by_ends(kind, rates)
            if whole.any():
                if self._is_short(group.weight, rates):
                    yield self._by_series(group.where(whole), rates, coefficients)
                    continue
                some = whole & self._is_partly_split(group.index, rates)
                for kind in group.index[some]:
                    yield self._by_ends(kind, rates)
                by_rule[group.index[whole & ~some]] = True
        if by_rule.any():
            yield from self._by_rule(np.flatnonzero(by_rule), rates)

    def _is_partly_split(self, index: Indices, rates: Complexes) -> Bools:
        """Whether the ends of some kinds have separated in some states, as far as is known."""
        if self.kind_log_mgfs is None:
            return np.zeros(index.size, dtype=bool)
        radius = end_radius(self.stratum.a[:, index], self.stratum.b[:, index]).min(axis=0)
        return np.asarray(radius <= rates.imag.min() * np.abs(self.stratum.kinds.weights[index]))

    def _pushed(self, rates: Complexes) -> Bools:
        """In which states each kind is pushed so far to its upper end that this alone counts.

        The terms of its expansion grow to about exp(a b / |s w|), and cancel.
        """
        least = self.tilt + float(rates.real.min())
        a, b, size = self.stratum.a, self.stratum.b, np.abs(self.stratum.kinds.weights)
        if least * size.max(initial=0.0) <= float(end_radius(np.zeros(1), np.zeros(1))[0]):
            return np.zeros(a.shape, dtype=bool)
        return np.asarray(np.maximum(end_radius(a, b), a * b / _CANCELLED) <= least * size)

    def _by_upper_end(self, kind: int, rates: Complexes, pushed: Bools) -> Part:
        """Expand the transform of a kind at its upper end in the states that push it there."""
        index = np.array([kind])
        if not pushed.all():
            parts = [self._some(pushed)._by_upper_end(kind, rates, pushed[pushed])]
            group = Group(index, float(self.stratum.kinds.weights[kind]))
            parts += [self._some(~pushed)._by_itself(group, rates)]
            return _merged(parts, pushed)
        s = np.append(complex(self.tilt), self.tilt + rates)
        end = self._end(kind, lower=False)
        log_mgf, order = end.leading(self.tilt)
        shares = end.scaled(-log_mgf).shares(s)
        # About the mean, where a high power hardly turns.
        away = order / self.tilt
        mgf, waves = shares[:, :1].real, np.exp(np.multiply.outer(away, rates))
        return Part(
            index,
            (self.high_end[kind] - away)[:, np.newaxis],
            (log_mgf + order)[:, np.newaxis] + np.log(mgf),
            _power(shares[:, 1:] / mgf * waves, self.count[kind]),
        )

    def _by_itself(self, group: Group, rates: Complexes) -> Part:
        """Transform one kind by a series or by a rule."""
        if self._is_short(group.weight, rates):
            return self._by_series(group, rates, Coefficients(self.tilt, rates))
        return next(self._by_rule(group.index, rates))

    def _by_series(
        self, group: Group, rates: Complexes, coefficients: Coefficients, share: _Share = "kind"
    ) -> Part:
        """Sum the Chebyshev series of some kinds of one weight."""
        table, weight, index = coefficients.of(group.weight), group.weight, group.index
        at_tilt, n_orders = np.ascontiguousarray(table[:, 0].real), len(table)
        moments = group.moments(self.stratum, n_orders, spare=1)
        right, wrong = (rate[index] for rate in self.stratum.means)
        # About the mean of each kind instead of one half.
        shift = weight * (0.5 - right)
        log_mgf, product = np.empty((self.n_states, index.size)), np.ones((1, 1), dtype=complex)
        waves = np.empty((n_orders + 1, rates.size), dtype=complex)
        for place, kind in enumerate(index):
            np.multiply(table[:, 1:], np.exp(shift[place] * rates), out=waves[:-1])
            own, other = moments[:-1, place, :-1], moments[:-1, place, -1]
            outlier = self.stratum.outlier[:, kind]
            mgf = (1 - outlier) * (at_tilt @ own) + outlier * (at_tilt @ other)
            log_mgf[:, place] = np.log(mgf) + self.tilt * shift[place]
            # That of an outlier, which all states share, is as one more order.
            own *= (1 - outlier) / mgf
            waves[-1] = (other @ waves[:-1].view(float)).view(complex)
            moments[-1, place, :-1] = 0.0 if share == "borrower" else outlier / mgf
            values = matrix_product(moments[:, place, :-1].T, waves.view(float)).view(complex)
            values = _power(values, self.count[kind] if share == "kind" else 1)
            product = np.multiply(product, values, out=values)
        places = np.broadcast_to(self._places(index, right, wrong), log_mgf.shape)
        return Part(index, places, log_mgf, product)

    def _by_rule(self, index: Indices, rates: Complexes, share: _Share = "kind") -> Iterator[Part]:
        """Sum a rule in log-odds for each of some kinds."""
        stratum, span = self.stratum, self._span(index, rates)
        scale = self._scale
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
            rule = Rule.of(base[row : row + 1], span.of(row))
            above, below = self.high_end[kind] - places[0, row], self.low_end[kind] - places[0, row]
            end = float(above if above < -below else below)
            borrows = self._borrows(kind, rates)
            log_mass = np.empty(self.n_states)
            parts = []
            count = self.n_states * rule.deviations.size // _LARGE_TABLE + 1
            for some in _cut(self.n_states, count):
                weighted = Weighted.of(stratum.where(some), rule, rates, borrows[some])
                log_mass[some] = weighted.log_mass
                parts.append(
                    weighted.transform(rates, end, scale[some], borrower=share == "borrower")
                )
            values = parts[0] if len(parts) == 1 else np.concatenate(parts)
            yield Part(
                index[[row]],
                np.broadcast_to(places[:, [row]], (self.n_states, 1)),
                (log_mass + log_mgf[row] - stratum.log_evidence[:, kind])[:, np.newaxis],
                _power(values, self.count[kind] if share == "kind" else 1),
                rule.deviations.size,
            )

    def _borrows(self, kind: int, rates: Complexes) -> Bools:
        """In which states it counts at some rates that a class of a kind may borrow.

        Relative to that of an outlier a transform is no larger than by exp(s w).
        """
        stratum = self.stratum
        if stratum.share in (0, 1):
            return np.full(self.n_states, stratum.share == 0)
        most = float(np.abs(self.tilt + rates.real).max(initial=self.tilt))
        log_odds = np.log1p(-stratum.share) - np.log(stratum.share) + stratum.log_borrower[:, kind]
        return np.asarray(
            log_odds + most * abs(float(stratum.kinds.weights[kind])) > _LOG_NEGLIGIBLE
        )

    @property
    def _scale(self) -> Floats:
        """How much an error counts in each state: one, or less where the weight is small."""
        if self.log_weights is None:
            return np.ones(self.n_states)
        logs = self.log_weights + np.log(self.n_states)
        return np.asarray(np.exp(np.clip(logs, _LOG_NEGLIGIBLE, 0.0)))

    def _by_ends(self, kind: int, rates: Complexes) -> Part:
        """Sum the ends of one kind, at heights where these have separated in some states."""
        s = self.tilt + rates
        low, high = self._shares(kind, s, float(np.abs(s).min()))
        values = high + low * np.exp((self.low_end[kind] - self.high_end[kind]) * rates)
        places = np.full((self.n_states, 1), self.high_end[kind])
        log_mgf = self._known_log_mgfs[:, [kind]] - self.tilt * places
        return Part(np.array([kind]), places, log_mgf, _power(values, self.count[kind]))

    def _span(self, index: Indices, rates: Complexes) -> Span:
        """Log-odds between which some kinds lie, and bandwidths there, (n_looks, n_kinds).

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
        found = []
        for c in {self.tilt + float(rates.real.min()), self.tilt + float(rates.real.max())}:
            betas = tb.tilt_betas(a.ravel(), b.ravel(), weights, c)
            reach, near = tb.extent(betas), np.log(betas.p) - np.log(betas.q)
            first = np.where(betas.flipped, -near - reach.right, near - reach.left)
            last = np.where(betas.flipped, -near + reach.left, near + reach.right)
            bands = tb.bandwidths(betas, 0.0), tb.bandwidths(betas, top)
            found.append([x.reshape(a.shape) for x in (first, last, *bands)])
        return Span(*map(np.concatenate, zip(*found, strict=True)))

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
        self,
        tables: dict[tuple[int, ...], Complexes],
        s: Complexes,
        after: Floats,
        least: float,
        most: float,
        wanted: Set[tuple[int, ...]] | None = None,
    ) -> dict[tuple[int, ...], Complexes]:
        """Split each table, shape (n_states, n), by how many classes of each kind are right.

        A borrower remains whole where its ends do not separate at the `least` modulus of s. What
        is negligible beside what may follow each state is left out, or what is not wanted. There is
        nothing if more than `most` tables are left.
        """
        for kind, count in enumerate(self.count.astype(int)):
            shares = _power_shares(*self._shares(kind, s, least), count)
            tables = {
                (*key, j): table * share
                for key, table in tables.items()
                for j, share in enumerate(shares)
                if wanted is None or (*key, j) in wanted
            }
            tables = {
                key: one
                for key, one in tables.items()
                if (np.abs(one).max(axis=1) * after).max() > NEGLIGIBLE
            }
            if len(tables) > most:
                return {}
        return tables

    def _shares(self, kind: int, s: Complexes, least: float) -> tuple[Complexes, Complexes]:
        """Shares of both ends of a kind, lower first, shape (n_states, n)."""
        radius = end_radius(self.stratum.a[:, kind], self.stratum.b[:, kind])
        split = np.asarray(radius <= least * abs(float(self.stratum.kinds.weights[kind])))
        if not split.any():
            return self._whole(kind, s, least)
        low, high = (end.where(split).shares(s) for end in self._ends(kind))
        if split.all():
            return low, high
        tables = np.empty((2, self.n_states, s.size), dtype=complex)
        tables[:, split] = low, high
        tables[:, ~split] = self._some(~split)._whole(kind, s, least)
        return tables[0], tables[1]

    def _some(self, kept: Bools) -> "TiltedStratum":
        """Return the classes in some of the states."""
        logs = None if self.log_weights is None else self.log_weights[kept]
        mgfs = None if self.kind_log_mgfs is None else self.kind_log_mgfs[kept]
        return self.where(kept, logs, mgfs)

    def _whole(self, kind: int, s: Complexes, least: float) -> tuple[Complexes, Complexes]:
        """Shares of both ends of a kind, lower first, if only those of an outlier may separate.

        A borrower is seen from the end that is nearer.
        """
        stratum, weight = self.stratum, float(self.stratum.kinds.weights[kind])
        radius = end_radius(stratum.outlier_a[[kind]], stratum.outlier_b[[kind]])[0]
        separated = bool(radius <= least * abs(weight))
        rates, ends = s - self.tilt, (float(self.low_end[kind]), float(self.high_end[kind]))
        part = self._one(kind, rates, "borrower" if separated else "class")
        place = part.places[:, 0]
        upper = self._is_nearer_upper(kind)
        whole = part.values * np.exp(np.multiply.outer(place - ends[upper], rates))
        if separated:
            low, high = (end.outlier_shares(s) for end in self._ends(kind))
        else:
            low, high = np.zeros_like(whole), np.zeros_like(whole)
        return (low, high + whole) if upper else (low + whole, high)

    def _is_nearer_upper(self, kind: int) -> bool:
        """Whether a class of a kind that borrows is nearer to its upper end under the tilt."""
        weights = np.full(self.n_states, 1 / self.n_states)
        if self.log_weights is not None:
            weights = np.exp(self.log_weights - np.logaddexp.reduce(self.log_weights))
        a, b = (np.array([weights @ x[:, kind]]) for x in (self.stratum.a, self.stratum.b))
        betas = tb.tilt_betas(a, b, self.stratum.kinds.weights[[kind]], self.tilt)
        right, wrong = (betas.q, betas.p) if betas.flipped[0] else (betas.p, betas.q)
        return bool((right > wrong)[0] == self._is_up[kind])

    def _one(self, kind: int, rates: Complexes, share: _Share) -> Part:
        """Transform one class of a kind, or what it has if it borrows."""
        group = Group(np.array([kind]), float(self.stratum.kinds.weights[kind]))
        if self._is_short(group.weight, rates):
            return self._by_series(group, rates, Coefficients(self.tilt, rates), share)
        return next(self._by_rule(group.index, rates, share))

    def _is_short(self, weight: float, rates: Complexes) -> bool:
        """Whether the Chebyshev series of a kind is short."""
        s, size = self.tilt + rates, abs(weight)
        # Real rates serve bounds alone, which may lose digits.
        rough = rates.real.any() and not rates.imag.any()
        most = ROUGH_TILT if rough else _LARGEST_TILT
        return bool(np.abs(s).max() * size < _LARGEST and np.abs(s.real).max() * size < most)

    @property
    def _known_log_mgfs(self) -> Floats:
        """Log E[exp(c x)] of the kinds in each state."""
        if self.kind_log_mgfs is None:
            raise RuntimeError("The ends of a class are known under a tilt alone.")
        return self.kind_log_mgfs

    def _ends(self, kind: int) -> tuple[MixedEnd, MixedEnd]:
        """Both ends of a kind relative to its M(c), lower first."""
        log_mgf = self._known_log_mgfs[:, kind]
        low, high = self.tilt * self.low_end[kind], self.tilt * self.high_end[kind]
        return (
            self._end(kind, lower=True).scaled(low - log_mgf),
            self._end(kind, lower=False).scaled(high - log_mgf),
        )

    def _end(self, kind: int, *, lower: bool) -> MixedEnd:
        """One end of a kind, seen from itself."""
        stratum, weight = self.stratum, float(self.stratum.kinds.weights[kind])
        a, b = stratum.a[:, kind], stratum.b[:, kind]
        outlier_a, outlier_b = stratum.outlier_a[[kind]], stratum.outlier_b[[kind]]
        if lower == (weight < 0):
            a, b, outlier_a, outlier_b = b, a, outlier_b, outlier_a
        own, other = (share[:, kind] for share in stratum.log_shares)
        return MixedEnd(lower, abs(weight), a, b, own, outlier_a, outlier_b, other)


def log_envelopes(strata: Sequence[TiltedStratum]) -> Callable[[float], list[Floats]]:
    """Log of a bound of the transforms of strata at a height, by an envelope like that of Gammas.

    It is taken at some of the states, and by straight lines between.
    """
    looked = [one.stratum.looked_at for one in strata]
    # An outlier is as one more state.
    a = [np.vstack([one.a, one.outlier_a]) for one in looked]
    b = [np.vstack([one.b, one.outlier_b]) for one in looked]
    weights = [np.resize(one.kinds.weights, x.shape) for one, x in zip(looked, a, strict=True)]
    flat_a, flat_b, flat = (np.concatenate([x.ravel() for x in some]) for some in (a, b, weights))
    betas = tb.tilt_betas(flat_a, flat_b, flat, strata[0].tilt)
    order = np.minimum(tb.extent(betas).order, _LARGEST_ORDER)
    scale = np.sqrt(tb.laplace_moments(betas)[1] / order)
    ends = np.cumsum([x.size for x in a])[:-1]

    def logs_at(height: float) -> list[Floats]:
        tables = np.split(-order * np.log(np.hypot(1.0, height * scale)), ends)
        tables = [table.reshape(x.shape) for table, x in zip(tables, a, strict=True)]
        return [
            one.stratum.looks.between(np.maximum(table[:-1], table[-1]) @ one.count)
            for one, table in zip(strata, tables, strict=True)
        ]

    return logs_at


def blocks(rates: Complexes, size: int) -> list[Complexes]:
    """Cut rates into blocks for tables of `size` numbers for each."""
    most = max(_TABLE // size, 1)
    return np.split(rates, range(most, rates.size, most))


def _merged(parts: list[Part], first: Bools) -> Part:
    """Put the states of one part, and those of another where not `first`, in their places."""
    one, other = parts

    def column(own: Floats | Complexes, rest: Floats | Complexes) -> Any:
        table = np.empty((first.size, own.shape[1]), dtype=own.dtype)
        table[first], table[~first] = own, rest
        return table

    return Part(
        one.index,
        column(one.places, other.places),
        column(one.log_mgf, other.log_mgf),
        column(one.values, other.values),
        other.n_abscissae,
    )


def _cut(size: int, count: int) -> list[Bools]:
    """Cut places into some blocks of neighbours."""
    block = np.arange(size) * count // size
    return [block == number for number in range(count)]


def _power(x: Complexes, count: float) -> Complexes:
    """Raise to a whole power that mostly is one, by squaring: complex powers are slow."""
    if count == 1:
        return x
    product, square, left = np.ones_like(x), x, int(count)
    while left:
        if left % 2:
            product = product * square
        left //= 2
        square = square * square if left else square
    return product


def _power_shares(low: Complexes, high: Complexes, count: int) -> list[Complexes]:
    """Shares of the numbers of classes, 0 to count, that are at the upper one of both ends."""
    lows, highs = _powers(low, count), _powers(high, count)
    inner = (binom(count, j) * highs[j - 1] * lows[count - j - 1] for j in range(1, count))
    return [lows[-1], *inner, highs[-1]]


def _powers(x: Complexes, most: int) -> list[Complexes]:
    """Powers 1 to `most`."""
    return list(accumulate([x] * most, np.multiply))
