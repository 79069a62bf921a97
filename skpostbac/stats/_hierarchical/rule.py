"""Quadrature in log-odds for one class, with the same nodes for all states.

The posterior of a class, given the state of its stratum, is that of an outlier, reweighted by

    g(theta) = epsilon + (1 - epsilon) theta^up (1 - theta)^down / Z,

where `up` and `down` are the borrowed numbers of correct and wrong samples. One table of g is used
for all heights, in bands: a borrower has weight at few of the nodes. If there are many heights, the
transform of a class next to an end of its range is interpolated
(`skpostbac.stats._inversion.slow_heights`).
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import log_expit

from skpostbac._utils import Bools, Complexes, Floats
from skpostbac.stats import _tilted as tb
from skpostbac.stats._borrowing import Borrowed, Stratum
from skpostbac.stats._inversion import Panels
from skpostbac.stats._numerics import matrix_product

# A rule in log-odds is uniform this far from the middle of its distributions. As its abscissae
# spread out beyond, it needs more of them by the factor.
_CORE, _STRETCHED = 2.5, 1.15
# A borrower's weights below exp(-46) = 1e-20 of the largest are left out; where real rates favour
# them, those below exp(-600).
_DEPTH, _LOST = 46.0, 600.0
# So many neighbouring states have their weights on the same abscissae.
_NEIGHBOURS = 32
# A rule of more abscissae than this may be graded. It then has a density of at least so much, by
# what is needed at so many places of each density.
_MANY_EVEN, _LEAST_BAND, _PLACES = 300, 10.0, 33
# Newton steps for an abscissa of a graded rule, from a grid of so many places.
_ROUNDS, _GRID = 6, 256
# With 1.15 of them transforms of perfect classes move by 3e-12, with 1.35 by 1e-17.
_GRADED = 1.35
# Numbers in a table at most.
_TABLE = 2**22


@dataclass(frozen=True)
class Span:
    """Log-odds between which some densities lie, and their bandwidths there, shape (n_looks, ...).

    The last are those of the densities, and of their products with the waves of all heights.
    """

    low: Floats
    high: Floats
    own: Floats
    band: Floats

    def of(self, kind: int) -> "Span":
        """Return the densities of one kind."""
        return Span(*(table[:, kind] for table in (self.low, self.high, self.own, self.band)))

    def mirrored(self) -> "Span":
        """Return the span of minus the log-odds."""
        return replace(self, low=-self.high, high=-self.low)


@dataclass(frozen=True)
class Rule:
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

    @cached_property
    def logs(self) -> Floats:
        """Logs of theta, 1 - theta and e, and of the weights, shape (4, n_abscissae)."""
        ones = np.ones_like(self.log_right)
        return np.stack([self.log_right, self.log_wrong, ones, self.log_weights])

    @classmethod
    def of(cls, base: tb.TiltedBetas, span: "Span") -> "Rule":
        """Place a rule for an outlier, for all densities of a span."""
        p, q = float(base.p[0]), float(base.q[0])
        flipped, mode = bool(base.flipped[0]), float(np.log(base.p[0]) - np.log(base.q[0]))
        d, slope = _abscissae(span.mirrored() if flipped else span, mode)
        log_weights, steps = tb.log_weight_and_step(base, d[np.newaxis])
        log_weights = log_weights[0] + np.log(slope)
        near, far = log_expit(mode + d), log_expit(-mode - d)
        return cls(
            deviations=float(base.weight[0]) * p * q * steps[0],
            log_weights=log_weights - np.logaddexp.reduce(log_weights),
            log_right=far if flipped else near,
            log_wrong=near if flipped else far,
        )


@dataclass(frozen=True)
class Band:
    """Some neighbouring states, and the abscissae at which a borrower has weight in one of them.

    A borrower of many samples has weight at few of the abscissae that serve all states.
    """

    states: slice
    places: slice

    @classmethod
    def all_of(
        cls, stratum: Stratum, rule: Rule, exponents: Floats, rates: Complexes, borrows: Bools
    ) -> "list[Band]":
        """Find where a borrower has weight in the states in which it counts, for some rates.

        The ratio of the densities at two rates mu is monotone, so that the tails of those between
        are lighter: the outermost states of a band tell.
        """
        index = np.flatnonzero(borrows)
        if not index.size:
            return []
        kappa = stratum.borrowed.kappa[index]
        ends = np.flatnonzero((kappa[1:] != kappa[:-1]) | (np.diff(index) > 1)) + 1
        rows = np.split(index, ends)
        bands = [row[k : k + _NEIGHBOURS] for row in rows for k in range(0, row.size, _NEIGHBOURS)]
        outermost = np.array([[band[0], band[-1]] for band in bands]).ravel()
        logs = matrix_product(exponents[outermost], rule.logs)
        inside = np.zeros(logs.shape, dtype=bool)
        for rate in {0.0, float(rates.real.min()), float(rates.real.max())}:
            tilted = logs + rate * rule.deviations
            inside |= tilted > tilted.max(axis=1, keepdims=True) - _DEPTH
        # Where all weights vanish, also beside those of an outlier, a real wave may overflow.
        least = float(np.log(stratum.share)) if stratum.share else -np.inf
        inside &= logs > np.maximum(logs.max(axis=1, keepdims=True), least) - _LOST
        inside = inside[::2] | inside[1::2]
        first, last = inside.argmax(axis=1), logs.shape[1] - inside[:, ::-1].argmax(axis=1)
        return [
            cls(slice(int(bands[k][0]), int(bands[k][-1]) + 1), slice(int(first[k]), int(last[k])))
            for k in np.flatnonzero(inside.any(axis=1))
        ]


@dataclass(frozen=True)
class Weighted:
    """A rule with the weights of a class in each state of its stratum.

    Attributes
    ----------
    places : deviations.
    bands, own : where a borrower has weight, and its weights there.
    other_places, other : deviations at which an outlier has weight, and its weights there.
    share : what the weights of an outlier are multiplied by in each state, shape (n_states,).
    log_mass : log of what the sum of all weights in a state was before it was made one.
    """

    places: Floats
    bands: list[Band]
    own: list[Floats]
    other_places: Floats
    other: Floats
    share: Floats
    log_mass: Floats

    @classmethod
    def of(cls, stratum: Stratum, rule: Rule, rates: Complexes, borrows: Bools) -> "Weighted":
        """Reweight the rule for an outlier by g, for a transform at some rates.

        In states where the class does not borrow it is an outlier.
        """
        share, n_states = stratum.share, stratum.n_states
        exponents = _exponents(stratum.borrowed, share)
        bands = Band.all_of(stratum, rule, exponents, rates, borrows)
        other, largest, tables = np.exp(rule.log_weights), np.zeros(n_states), []
        mass = np.full(n_states, share * other.sum())
        for band in bands:
            logs = matrix_product(exponents[band.states], rule.logs[:, band.places])
            # A possible outlier keeps the sums from vanishing.
            if not share:
                largest[band.states] = logs.max(axis=1)
                logs -= largest[band.states, np.newaxis]
            own = np.exp(logs, out=logs)
            mass[band.states] += own.sum(axis=1)
            own /= mass[band.states, np.newaxis]
            tables.append(own)
        # Where no weight is left a large tilt would overflow.
        kept = share * other > 0
        return cls(
            places=rule.deviations,
            bands=bands,
            own=tables,
            other_places=rule.deviations[kept],
            other=other[kept],
            share=share / mass,
            log_mass=np.log(mass) + largest,
        )

    def transform(
        self, rates: Complexes, end: float, scale: Floats, *, borrower: bool = False
    ) -> Complexes:
        """Sum exponentials, shape (n_states, n), at each of the rates, or a borrower's alone.

        Seen from an `end` of the class, its transform as a borrower hardly oscillates in log s. The
        `scale` of a state is how much an error counts there.
        """
        own = self._interpolated(rates, end, scale)
        if own is None:
            own = self._own(0.0, rates)
        if not borrower and self.other.size:
            outlier = _summed(self.other[np.newaxis], self.other_places, rates)
            own += self.share[:, np.newaxis] * outlier
        return own

    def _interpolated(self, rates: Complexes, end: float, scale: Floats) -> Complexes | None:
        """Interpolate the transform of a borrower between few heights, where that is possible."""
        panels = Panels.of(rates)
        if panels is None:
            return None
        found = panels.interpolated(scale[:, np.newaxis] * self._own(end, panels.nodes))
        if found is not None:
            found *= (1 / scale)[:, np.newaxis]
            found *= np.exp(end * rates)
        return found

    def _own(self, end: float, rates: Complexes) -> Complexes:
        """Transform of a borrower in all states, seen from an end."""
        sums = np.zeros((self.share.size, rates.size), dtype=complex)
        if not self.bands:
            return sums
        low = min(band.places.start for band in self.bands)
        high = max(band.places.stop for band in self.bands)
        most = max(_TABLE // (high - low), 1)
        for start in range(0, rates.size, most):
            some = slice(start, start + most)
            waves = np.exp(np.multiply.outer(self.places[low:high] - end, rates[some])).view(float)
            for band, own in zip(self.bands, self.own, strict=True):
                rows = waves[band.places.start - low : band.places.stop - low]
                sums[band.states, some] = matrix_product(own, rows).view(complex)
        return sums


def _abscissae(span: Span, mode: float) -> tuple[Floats, Floats]:
    """Abscissae of a rule about a mode, and their slopes in what is even, for a span."""
    even = _even(span, mode)
    if even.size <= _MANY_EVEN:
        return even.abscissae()
    mirrored = span.mirrored()
    graded, other = _Graded.of(span, mode), _Graded.of(mirrored, -mode)
    if other.size < min(even.size, graded.size):
        d, slope = other.abscissae()
        return -d[::-1], slope[::-1]
    return graded.abscissae() if graded.size < even.size else even.abscissae()


@dataclass(frozen=True)
class _Even:
    """Abscissae that are uniform between the middle of the distributions and that of the interval.

    They are exponential beyond `left` and `right`.
    """

    start: float
    stop: float
    left: float
    right: float
    size: int

    def abscissae(self) -> tuple[Floats, Floats]:
        """Return them, and their slopes."""
        v = np.linspace(self.start, self.stop, self.size)
        up, down = np.exp(v - self.right), np.exp(-v - self.left)
        d = v + (up - np.exp(-self.right)) - (down - np.exp(-self.left))
        return d, 1 + up + down


def _even(span: Span, mode: float) -> _Even:
    first, last = float(span.low.min()) - mode, float(span.high.max()) - mode
    left, right = _CORE + max(0.0, mode), _CORE + max(0.0, -mode)
    start, stop = _pulled_in(first, left), -_pulled_in(-last, right)
    count = np.ceil((stop - start) * _STRETCHED * float(span.band.max()) / (2 * np.pi))
    return _Even(start, stop, left, right, int(count) + 2)


def _pulled_in(first: float, left: float) -> float:
    """Where a place is before what is beyond -left is spread out."""
    return first if first > -left else -(left + float(np.log1p(-first - left)))


@dataclass(frozen=True)
class _Graded:
    """Abscissae whose density grows with the log-odds, as the bandwidth does next to an end.

    The density in u is base + most exp((d - top) / 2): a wave turns as exp(d), and a Beta there is
    as narrow as exp(-d / 2). Far below, d falls exponentially with u.
    """

    start: float
    stop: float
    left: float
    top: float
    base: float
    most: float

    @classmethod
    def of(cls, span: Span, mode: float) -> "_Graded":
        """Take what the densities of a span need within a share of their ranges."""
        widest = int(span.band.argmax())
        top, most = float(span.high[widest]), float(span.band[widest])
        away = np.multiply.outer(np.linspace(0, 1, _PLACES), span.high - span.low)
        need = span.own + (span.band - span.own) * np.exp(-away)
        given = most * np.exp(np.clip((span.high - away - top) / 2, None, _LOST))
        base = max(float((need - given).max()), _LEAST_BAND)
        left = _CORE + max(0.0, mode)
        start = _pulled_in(float(span.low.min()) - mode, left)
        return cls(start, float(span.high.max()) - mode, left, top - mode, base, most)

    def _place(self, u: Floats) -> tuple[Floats, Floats]:
        """Deviations at some u, and their slopes."""
        down = np.exp(-u - self.left)
        return u - (down - np.exp(-self.left)), 1 + down

    def _integral(self, u: Floats) -> tuple[Floats, Floats]:
        """Integral of the density up to some u, and the density."""
        d, slope = self._place(u)
        grown = self.most * np.exp(np.minimum((d - self.top) / 2, _LOST))
        return self.base * u + 2 * grown, self.base + grown * slope

    @property
    def size(self) -> int:
        """How many abscissae there are."""
        first, last = self._integral(np.array([self.start, self.stop]))[0]
        return int(min(np.ceil((last - first) * _GRADED / (2 * np.pi)) + 2, 2.0**40))

    def abscissae(self) -> tuple[Floats, Floats]:
        """Return them, and their slopes."""
        first, last = self._integral(np.array([self.start, self.stop]))[0]
        v = np.linspace(first, last, self.size)
        # The integral bends up: Newton steps come down from above.
        looks = np.linspace(self.start, self.stop, _GRID)
        sums = self._integral(looks)[0]
        u = looks[np.minimum(np.searchsorted(sums, v), looks.size - 1)]
        for _ in range(_ROUNDS):
            found, density = self._integral(u)
            u = u - (found - v) / density
        d, slope = self._place(u)
        return d, slope / self._integral(u)[1]


def _exponents(borrowed: Borrowed, share: float) -> Floats:
    """Factors of the rows of `Rule.logs` in the log weights of a borrower, (n_states, 4)."""
    with np.errstate(divide="ignore"):
        factor = np.log1p(-share) - borrowed.log_norm
    return np.stack([borrowed.up, borrowed.down, factor, np.ones_like(factor)], axis=1)


def _summed(weights: Floats, places: Floats, rates: Complexes) -> Complexes:
    """Sum exponentials of some weights, shape (n_states, n_places), at each of the rates."""
    most = max(_TABLE // max(places.size, 1), 1)
    parts = []
    for some in np.split(rates, range(most, rates.size, most)):
        waves = np.exp(np.multiply.outer(places, some))
        parts.append(matrix_product(weights, waves.view(float)).view(complex))
    return parts[0] if len(parts) == 1 else np.hstack(parts)
