r"""The transform of classes that borrow from a shared rate, under a tilt and along a contour.

The posterior of a class, given the hyperparameters, is that of an outlier, reweighted by

    g(theta) = epsilon + (1 - epsilon) theta^up (1 - theta)^down / Z,

where `up` and `down` are what it borrows. The transform of a sum is the average over the nodes of
products over the classes. A class enters by its moments, where their series is short, or else by
a rule in log-odds on which all nodes share the abscissae, so that one table of g serves all
heights. Where the sum decays only algebraically the rest of its series is summed by corners, as in
`skpostbac.stats._corners`: as no class borrows more than kappa, all of them split at one height.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import binom, log_expit

from skpostbac.stats import _tilted_beta as tb
from skpostbac.stats._beta_ends import end_radius, end_shares
from skpostbac.stats._contour import DEPTH, Contour, Part, Series, Waves, fourier_series
from skpostbac.stats._corners import Fan, joint_fan
from skpostbac.stats._hyperprior import log_borrowing
from skpostbac.stats._mixed_betas import Group
from skpostbac.stats._special import Complexes, Floats
from skpostbac.stats._transform import Corner, Indices

# Kinds are summed by their moments in blocks of this many. Terms below the first share are left
# out; a sum of moduli above the second would cost digits.
_BLOCK, _NEGLIGIBLE, _LARGEST_TERMS = 64, 1e-17, 2000.0
# Numbers in a table at most.
_TABLE = 2**22
# A rule in log-odds is uniform this far from the middle of its laws, and leaves out what is below
# exp(-_DIGITS). Imaginary shifts over which its bandwidth is minimised.
_CORE, _DIGITS = 2.5, 33.0
_HALF_TAN = np.tan(tb.SHIFTS / 2)
# Nodes of less weight under a tilt than this are left out.
_LEAST_WEIGHT = 1e-18
# Tilts relative to the first, in inverse standard deviations, by which the reach of a law is
# bounded, and the one by which its variance is found.
_BOUNDS, _SMALL = np.array([1.5, 6.0]), 1e-3
# A series ends where its terms have decayed to this, or after so many nodes. It begins with one of
# these heights, in inverse standard deviations, and grows by a factor.
_DECAYED, _MOST_NODES = 1e-13, 2**15
_HEIGHTS, _GROWTH = np.geomspace(7.0, 30.0, 9), 1.3
# More corners than this are not summed one by one.
_MOST_CORNERS = 600


@dataclass(frozen=True)
class Along:
    """Transform of a group at c + rates.

    Attributes
    ----------
    values : E[exp(s (x - anchor))] / E[exp(c (x - anchor))], shape (n_rates,).
    anchor : position about which they vary little.
    log_mgf : log E[exp(c x)].
    log_weights : log of the weights of the nodes under the tilt, of sum one.
    kind_log_mgfs : log E[exp(c x)] of each kind at each node, shape (n_nodes, n_kinds).
    """

    values: Complexes
    anchor: float
    log_mgf: float
    log_weights: Floats
    kind_log_mgfs: Floats


class TiltedGroup:
    """A group of classes under a tilt c, at positions relative to an origin."""

    def __init__(self, group: Group, tilt: float, from_end: bool) -> None:
        self.group, self.tilt, self._from_end = group, tilt, from_end
        weights, size = group.kinds.weights, np.abs(group.kinds.weights)
        up = weights > 0
        if from_end:
            self.low_end, self.high_end = -size, np.zeros_like(size)
        else:
            right, wrong = group.means
            self.low_end = -size * np.where(up, right, wrong)
            self.high_end = size * np.where(up, wrong, right)

    def at_nodes(self, kept: NDArray[np.bool_]) -> "TiltedGroup":
        """Return the group at some of its nodes, seen from the same origin."""
        some = TiltedGroup(self.group.at_nodes(kept), self.tilt, self._from_end)
        some.low_end, some.high_end = self.low_end, self.high_end
        return some

    def position(self, right: Floats, wrong: Floats) -> Floats:
        """Positions of classes of accuracy `right` = 1 - `wrong`, shape (..., n_kinds)."""
        weights = self.group.kinds.weights
        size, up = np.abs(weights), weights > 0
        below = size * np.where(up, wrong, right)
        if self._from_end:
            return np.asarray(-below)
        # From the nearer of both ends: a difference of small numbers keeps its digits.
        above = size * np.where(up, right, wrong)
        return np.where(below < above, self.high_end - below, self.low_end + above)

    def along(self, rates: Complexes) -> Along:
        """Evaluate the transform at c + rates."""
        nodes, kinds = self.group.nodes, self.group.kinds
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
        weights = np.exp(logs - log_mgf)
        anchor = float(weights @ position)
        product *= np.exp(np.multiply.outer(position - anchor, rates))
        return Along(weights @ product, anchor, log_mgf, logs - log_mgf, log_mgfs)

    def _parts(self, block: Indices, rates: Complexes) -> Iterator["_Part"]:
        """Transform some kinds, each in the cheapest way."""
        short, series = self._by_moments(block, self.tilt + rates)
        if short.any():
            yield series
        if not short.all():
            yield from self._by_nodes(block[~short], rates)

    def _by_moments(self, index: Indices, s: Complexes) -> tuple[NDArray[np.bool_], "_Part"]:
        """Sum the moment series of those kinds for which it is short; returns which those are."""
        group, largest = self.group, float(np.abs(s).max())
        weights = group.kinds.weights[index] * largest
        terms = [np.ones((group.nodes.up.size, index.size))]
        terms.append(np.zeros_like(terms[0]))
        total, last, scale = terms[0], np.ones(index.size), weights
        for order, moment in enumerate(group.moments(index), 2):
            scale = scale * weights / order
            terms.append(moment * scale)
            size = np.abs(terms[-1])
            total, before, last = total + size, last, size.max(axis=0)
            short = (total.max(axis=0) < _LARGEST_TERMS) & (np.maximum(last, before) < _NEGLIGIBLE)
            if (short | (total.max(axis=0) >= _LARGEST_TERMS)).all():
                break
        kept = index[short]
        table = np.array([term[:, short] for term in terms]).transpose(2, 1, 0)
        steps = s / largest
        powers = np.cumprod(np.broadcast_to(steps, (len(terms), s.size)), axis=0) / steps
        at_tilt = (table * (self.tilt / largest) ** np.arange(len(terms))).sum(axis=2)
        values = (table @ powers.real + 1j * (table @ powers.imag)) / at_tilt[:, :, np.newaxis]
        right, wrong = (rate[:, kept] for rate in group.rates)
        return short, _Part(kept, self._places(kept, right, wrong), np.log(at_tilt.T), values)

    def _by_nodes(self, index: Indices, rates: Complexes) -> Iterator["_Part"]:
        """Sum a rule in log-odds for each of some kinds."""
        nodes, low, high = self.group.nodes, *self._reach(index, rates)
        base = tb.tilt_betas(
            self.group.outlier_a[index],
            self.group.outlier_b[index],
            self.group.kinds.weights[index],
            self.tilt,
        )
        log_mgf = tb.quadrature(base, tb.extent(base), self.tilt, np.zeros(index.size)).log_mgf
        right, wrong = np.where(base.flipped, (base.q, base.p), (base.p, base.q))
        places = self._places(index, right[np.newaxis], wrong[np.newaxis])
        top = float(np.abs(rates).max())
        for row, kind in enumerate(index):
            rule = _Rule.of(base.block(slice(row, row + 1)), low[row], high[row], top, self._most)
            table = self._reweighting(rule) * rule.weights
            mass = table.sum(axis=1)
            waves = np.exp(np.multiply.outer(rule.deviations, rates))
            values = (table @ waves.real + 1j * (table @ waves.imag)) / mass[:, np.newaxis]
            yield _Part(
                index[[row]],
                np.broadcast_to(places[:, [row]], (mass.size, 1)),
                (np.log(mass) + log_mgf[row] - nodes.log_evidence[:, kind])[:, np.newaxis],
                values[np.newaxis],
            )

    @property
    def _most(self) -> float:
        """What a class borrows at most."""
        return float((self.group.nodes.up + self.group.nodes.down).max())

    def _reweighting(self, rule: "_Rule") -> Floats:
        """Return g at the abscissae of a rule, shape (n_nodes, n_abscissae)."""
        nodes, base, share = self.group.nodes, self.group.hyperprior.base, self.group.outlier
        log_norm = log_borrowing(nodes.up, nodes.down, base, base) - np.log1p(-share)
        table = np.multiply.outer(nodes.up, rule.log_right)
        table += np.multiply.outer(nodes.down, rule.log_wrong)
        table -= log_norm[:, np.newaxis]
        np.exp(table, out=table)
        table += share
        return table

    def _reach(self, index: Indices, rates: Complexes) -> tuple[Floats, Floats]:
        """Log-odds between which some kinds lie, whatever they borrow, at all real parts."""
        nodes, group = self.group.nodes, self.group
        kappa = nodes.up + nodes.down
        ends = [np.argmin(nodes.up), np.argmax(nodes.up), np.argmin(nodes.down)]
        ends += [np.argmax(nodes.down), np.argmin(kappa), np.argmax(kappa)]
        up, down = np.append(nodes.up[ends], 0.0), np.append(nodes.down[ends], 0.0)
        a = np.add.outer(up, group.outlier_a[index])
        b = np.add.outer(down, group.outlier_b[index])
        weights = np.broadcast_to(group.kinds.weights[index], a.shape)
        low, high = np.full(index.size, np.inf), np.full(index.size, -np.inf)
        for c in {self.tilt + float(rates.real.min()), self.tilt + float(rates.real.max())}:
            betas = tb.tilt_betas(a.ravel(), b.ravel(), weights.ravel(), c)
            reach, near = tb.extent(betas), np.log(betas.p) - np.log(betas.q)
            first = np.where(betas.flipped, -near - reach.right, near - reach.left)
            last = np.where(betas.flipped, -near + reach.left, near + reach.right)
            low = np.minimum(low, first.reshape(a.shape).min(axis=0))
            high = np.maximum(high, last.reshape(a.shape).max(axis=0))
        return low, high

    def _places(self, index: Indices, right: Floats, wrong: Floats) -> Floats:
        """Positions of some kinds at accuracies `right` = 1 - `wrong`, shape (..., n_kinds)."""
        weights = self.group.kinds.weights[index]
        size, up = np.abs(weights), weights > 0
        above, below = size * np.where(up, right, wrong), size * np.where(up, wrong, right)
        # From the nearer of both ends: a small distance keeps its digits.
        from_high, from_low = self.high_end[index] - below, self.low_end[index] + above
        return np.where(below < above, from_high, from_low)

    @property
    def end_height(self) -> float:
        """Height from which the ends of all classes separate."""
        radius = end_radius(self.group.a, self.group.b).max(axis=0)
        return float((radius / np.abs(self.group.kinds.weights)).max())

    def decay_height(self, log_weights: Floats, scale: float) -> float:
        """Height at which the transform has about decayed, by an envelope like that of Gammas.

        `log_weights` are those of the nodes under the tilt.
        """
        group = self.group
        n, order = group.a + group.b, np.minimum(group.a, group.b)
        ratio = group.a * group.b / (n * n * (n + 1) * order) * (group.kinds.weights / scale) ** 2
        size = group.kinds.count * order
        for height in _HEIGHTS:
            logs = log_weights - 0.5 * (np.log1p(height**2 * ratio) * size).sum(axis=1)
            if np.logaddexp.reduce(logs) < np.log(_DECAYED):
                break
        return float(height / scale)

    @property
    def decay_order(self) -> float:
        """Least power with which the share of a corner decays."""
        group = self.group
        least = np.minimum(group.outlier_a, group.outlier_b)
        return float((group.kinds.count * least).sum())

    @property
    def growth_order(self) -> float:
        """Largest power with which the share of a corner grows towards the origin."""
        group = self.group
        most = np.maximum(group.a, group.b).max(axis=0)
        return float((group.kinds.count * most).sum())

    @property
    def n_corners(self) -> float:
        """Number of corners, those of classes that are alike being one."""
        return float(np.prod(self.group.kinds.count + 1))

    def corners(self, rates: Complexes, along: Along) -> list[Corner]:
        """Split the transform at c + rates, all with positive imaginary part, over M(c)."""
        weights = np.exp(along.log_weights)
        corners = [(0.0, 0.0, np.broadcast_to(weights[:, np.newaxis], (weights.size, rates.size)))]
        for kind, count in enumerate(self.group.kinds.count.astype(int)):
            shares = self._shares(kind, rates, along.kind_log_mgfs[:, kind])
            places = float(self.low_end[kind]), float(self.high_end[kind])
            number = np.arange(count + 1)
            choices = binom(count, number)
            corners = [
                (
                    offset + j * places[1] + (count - j) * places[0],
                    blur + count * max(map(abs, places)),
                    amplitude * (choices[j] * shares[1] ** j * shares[0] ** (count - j)),
                )
                for offset, blur, amplitude in corners
                for j in number
            ]
        return [Corner(offset, blur, table.sum(axis=0)) for offset, blur, table in corners]

    def _shares(self, kind: int, rates: Complexes, log_mgf: Floats) -> Complexes:
        """Amplitudes of both ends of a kind relative to its M(c), lower first, (2, n_nodes, n)."""
        group = self.group
        a = np.append(group.a[:, kind], group.outlier_a[kind])
        b = np.append(group.b[:, kind], group.outlier_b[kind])
        weight = float(group.kinds.weights[kind])
        exponents = np.array([a, b] if weight > 0 else [b, a])
        places = np.array([[self.low_end[kind]], [self.high_end[kind]]])
        # The outlier is the same at all nodes, its size relative to M(c) is not.
        middle = float(log_mgf.mean())
        factors = self.tilt * places - np.append(log_mgf, middle)
        size = np.full(a.size, abs(weight))
        shares = end_shares(exponents, size, self.tilt + rates, factors)
        r = group.nodes.outlier[:, [kind]]
        other = shares[:, -1:] * np.exp(middle - log_mgf)[:, np.newaxis]
        return np.asarray((1 - r) * shares[:, :-1] + r * other)


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
    weights : those of an outlier under the tilt, of sum one.
    log_right, log_wrong : log theta and log (1 - theta).
    """

    deviations: Floats
    weights: Floats
    log_right: Floats
    log_wrong: Floats

    @classmethod
    def of(cls, base: tb.TiltedBetas, low: float, high: float, top: float, most: float) -> "_Rule":
        """Place a rule for an outlier so that it serves classes that borrow up to `most`.

        It reaches from `low` to `high` and resolves waves up to `top`.
        """
        p, q, size = float(base.p[0]), float(base.q[0]), abs(float(base.weight[0]))
        flipped, mode = bool(base.flipped[0]), float(np.log(base.p[0]) - np.log(base.q[0]))
        first, last = (-high - mode, -low - mode) if flipped else (low - mode, high - mode)
        # Uniform between the middle of the laws and that of the interval, exponential beyond.
        left, right = _CORE + max(0.0, mode), _CORE + max(0.0, -mode)
        start = first if first > -left else -(left + np.log1p(-first - left))
        stop = last if last < right else right + np.log1p(last - right)
        growth = 0.5 * (top * size * _HALF_TAN + (float(base.n[0]) + most) * np.log1p(_HALF_TAN**2))
        growth += 0.1925 * abs(float(base.tilt[0])) * _HALF_TAN**2
        bandwidth = 1.15 * float(((_DIGITS + growth) / tb.SHIFTS).min())
        v = np.linspace(start, stop, int(np.ceil((stop - start) * bandwidth / (2 * np.pi))) + 2)
        up, down = np.exp(v - right), np.exp(-v - left)
        d = v + (up - np.exp(-right)) - (down - np.exp(-left))
        log_weights, steps = tb.log_weight_and_step(base, d[np.newaxis])
        weights = np.exp(log_weights[0]) * (1 + up + down)
        near, far = log_expit(mode + d), log_expit(-mode - d)
        return cls(
            deviations=float(base.weight[0]) * p * q * steps[0],
            weights=weights / weights.sum(),
            log_right=far if flipped else near,
            log_wrong=near if flipped else far,
        )


class TiltedMixture:
    """A sum of independent groups under a common tilt, as an inversion sees it."""

    def __init__(self, groups: list[TiltedGroup], tilt: float, scale: float) -> None:
        """Take groups under one tilt; `scale` is about the standard deviation of their sum."""
        self.tilt, self._scale, self._all = tilt, scale, groups
        offsets = _BOUNDS / scale
        self._rates: Complexes = np.concatenate([[1j * _SMALL / scale], offsets, -offsets])
        self._first = [group.along(self._rates) for group in groups]
        kept = [one.log_weights > np.log(_LEAST_WEIGHT) for one in self._first]
        self._groups = [group.at_nodes(some) for group, some in zip(groups, kept, strict=True)]

    @property
    def _anchor(self) -> float:
        return sum(one.anchor for one in self._first)

    @cached_property
    def _values(self) -> Complexes:
        """Transform at the first rates about the anchor."""
        return np.asarray(np.prod([one.values for one in self._first], axis=0))

    @property
    def mean(self) -> float:
        """The mean: the slope of the log transform."""
        return self._anchor + float(np.angle(self._values[0])) * self._scale / _SMALL

    @property
    def mode(self) -> float:
        """About where the law is."""
        return self.mean

    @property
    def approximate_mean(self) -> float:
        """The mean."""
        return self.mean

    @property
    def variance(self) -> float:
        """The variance, by the bend of the log transform."""
        return -2 * float(np.log(np.abs(self._values[0]))) * (self._scale / _SMALL) ** 2

    @cached_property
    def _bounds(self) -> tuple[float, float]:
        """Positions beyond which the law is negligible, by Chernoff's bound and by its ends."""
        logs = (np.log(self._values[1:].real) + DEPTH).reshape(2, -1)
        offsets = _BOUNDS / self._scale
        high, low = (
            self._anchor + (logs[0] / offsets).min(),
            self._anchor - (logs[1] / offsets).min(),
        )
        counts = [group.group.kinds.count for group in self._all]
        ends = [
            (one.low_end @ n, one.high_end @ n) for one, n in zip(self._all, counts, strict=True)
        ]
        lowest, highest = np.array(ends).sum(axis=0)
        return max(float(low), float(lowest)), min(float(high), float(highest))

    def contour(self) -> Contour:
        """Sum a Fourier series on the line through the tilt, and its rest by corners."""
        rule = fourier_series(self.tilt, *self._bounds)
        split = max(group.end_height for group in self._groups)
        corners = np.prod([group.n_corners for group in self._groups])
        most = _MOST_NODES
        if corners <= _MOST_CORNERS:
            most = min(most, int(np.ceil(split / rule.step)) + 1)
        height = min(
            group.decay_height(
                one.log_weights[one.log_weights > np.log(_LEAST_WEIGHT)], self._scale
            )
            for group, one in zip(self._groups, self._first, strict=True)
        )
        count = min(int(np.ceil(height / rule.step)) + 1, most)
        values = self._line(rule, 0, count)
        while np.abs(values[-4:]).max() > _DECAYED and values.size < most:
            values = np.append(
                values, self._line(rule, values.size, min(int(_GROWTH * values.size) + 1, most))
            )
        rates: Complexes = 1j * rule.step * np.arange(values.size)
        coefficients = values * (rule.step / np.pi) / (self.tilt + rates)
        coefficients[0] /= 2
        waves = Waves.of_tail(self._anchor, rates, coefficients, self.tilt)
        log_mgf = sum(one.log_mgf for one in self._first)
        rest: tuple[Part, ...] = ()
        if np.abs(values[-4:]).max() > _DECAYED and corners <= _MOST_CORNERS:
            rest = (self._fan(rule, values.size),)
        return Contour(self.tilt, log_mgf, waves, rest, rule.low, rule.high, rule.image)

    def _line(self, rule: Series, first: int, last: int) -> Complexes:
        """Transform at some nodes of a series, about the anchor."""
        rates: Complexes = 1j * rule.step * np.arange(first, last)
        values = np.ones_like(rates)
        for group in self._groups:
            along = group.along(rates)
            values *= along.values * np.exp(along.anchor * rates)
        return np.asarray(values * np.exp(-self._anchor * rates))

    def _fan(self, rule: Series, count: int) -> Fan:
        """Complete a series from half a step above its last node."""
        at_tilt = [group.along(np.zeros(1, dtype=complex)) for group in self._groups]

        def split(rates: Complexes) -> list[Corner]:
            corners = [Corner(0.0, 0.0, np.ones(rates.shape, dtype=complex))]
            for group, along in zip(self._groups, at_tilt, strict=True):
                corners = [
                    one.times(other) for one in corners for other in group.corners(rates, along)
                ]
            return corners

        decay, growth = (
            sum(getattr(group, name) for group in self._groups)
            for name in ("decay_order", "growth_order")
        )
        start = (count - 0.5) * rule.step
        return joint_fan(split, self.tilt, start, rule.period, decay, growth)
