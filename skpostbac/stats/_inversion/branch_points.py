r"""The rest of a Fourier series whose terms decay only algebraically.

Above some height T the transform of a class is exactly the sum of two terms, one for each end, and
that of a sum of classes is a sum over the corners of the cube of class accuracies. Each corner has
a term A(s) exp(s v), where v is the value of the sum at the corner and A varies slowly. The
contribution of a corner to the series from T on,

    sum over k >= 0 of f(T + (k + 1/2) h),   f(s) = A(s) exp(-s (y - v)) / s,

is an integral along the horizontal line Im s = T (the Abel-Plana formula). With r the distance
along it and P = 2 pi / h,

    -i / h * integral of f(c + iT + r) / (1 + exp(-r P)) dr     for y > v,
     i / h * integral of f(c + iT + r) / (1 + exp(r P)) dr      for y < v:

the factor ends the integral exponentially on the side to which f grows. With r = (pi / P) sinh(u)
the poles of the factor are at |Im u| = pi / 2, and exp(-r y) stays bounded up to there: the
trapezoid rule in u converges geometrically at any y, however close to a corner.

Classes of very different scales split at different heights. At height T a corner may still contain
the unsplit mass of narrow classes. If y lies within this mass, the sum continues up the line, with
the longer steps that the narrow mass allows, until those classes split, too. Two series with
different steps from the same T differ by one integral along the horizontal line, with the
difference of their factors.

Classes of many scales have a tree of such masses, hundreds of thousands of which may matter. Only a
limited number, the largest ones, are resolved. The contribution of each of the others is bounded by
about its amplitude at T and is added to the error estimate. So is the truncation error of a line
within a mass, whose length is limited by its work; classes with too many corners are not split.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce
from itertools import zip_longest

import numpy as np

from skpostbac._utils import Bools, Complexes, Floats, Indices
from skpostbac.stats._inversion.contour import CutWaves, Part, Waves, derivatives
from skpostbac.stats._inversion.lattice import Corner, Leading
from skpostbac.stats._inversion.transform import Grid, Line, TiltedSum
from skpostbac.stats._numerics import DEPTH, EPS, NEGLIGIBLE

# Radians up to which one stretch of the line is cheaper than a further level of corners.
_PHASE_BUDGET = 800.0
# Radians of the line that are worth a level line from its end.
_LONG_PHASE = 8000.0
# Classes of next to no width are split at heights so many times as large.
_THIN = 8.0
# Half widths of strips in u, and rises, among which the largest step is chosen.
_STRIPS = np.linspace(0.1, 1.12, 52)
_RISES = np.array([[0.0], [0.4], [0.8]])
# Smallest distance of doubles from a corner, relative to the width of the distribution.
_MAX_LOG_DISTANCE = 46.0
# Steps of the line that a level takes at least. Amplitudes are tabulated for about this many pairs
# of a corner and a step.
_MIN_STEPS = 4
_TABLE = 2**22
# Beyond the level line nodes begin to spread out after this many powers of e.
_SPREAD = 40.0
# Largest number of masses that are resolved, and smallest contribution to a tail relative to M(c).
_MOST_OPEN, _LEAST_OPEN = 2000, 1e-17
# Values with a larger log are infinite.
_LARGEST_LOG = 300.0
# A density whose corner falls with a power this close to one is infinite there.
_ROUNDED = 1e-9


@dataclass(frozen=True)
class Level:
    """Classes that are split together at one height, and those that stay unsplit above it."""

    height: float
    split: Indices
    rest: Indices


# Which corner of each level, the first ones.
Path = tuple[int, ...]


@dataclass(frozen=True)
class _Stretch:
    """Nodes c + rates, at some distances from a start, and the corners there.

    The measure holds what the whole classes and the step times 1 / (pi s) contribute. The step is
    that in u, or in height. The whole classes are seen from their mode plus a shift; `whole` is the
    size of their transform at the node nearest to the start. `kind` tells whether the line is cut
    off.
    """

    rates: Complexes
    distance: Complexes
    measure: Complexes
    step: float
    tables: tuple["_Table", ...] = ()
    shift: float = 0.0
    whole: float = 1.0
    kind: type[Waves] = Waves

    def corner(self, path: Path) -> Corner:
        """Corner at the end of a path, its amplitude the coefficients of the tail."""
        corners = (table.corner(key) for table, key in zip(self.tables, path, strict=False))
        return reduce(Corner.times, corners, Corner(0.0, 0.0, self.measure))

    def corners(self, path: Path) -> "_Table":
        """Return the corners of the next level at the end of a path."""
        before, table = self.corner(path), self.tables[len(path)]
        return _Table(
            before.offset + table.offsets,
            before.blur + table.blurs,
            before.amplitude * table.amplitudes,
        )

    def of_whole(self, near: Bools, transform: Complexes) -> "_Stretch":
        """Keep some nodes, and multiply by a transform there of the classes that stay whole."""
        kept = replace(self, rates=self.rates[near], distance=self.distance[near])
        whole = float(np.abs(transform[kept.nearest]))
        return replace(kept, measure=self.measure[near] * transform, whole=whole)

    @cached_property
    def nearest(self) -> int:
        """Which of the nodes is nearest to the start."""
        return int(np.argmin(np.abs(self.distance)))

    @property
    def share(self) -> float:
        """How large a product of transforms is there, for a coefficient of the tail of one."""
        return float(self.whole / np.abs(self.measure[self.nearest]))


@dataclass(frozen=True)
class _Table:
    """Corners: their offsets and blurs, shape (n_corners,), and amplitudes, (n_corners, n)."""

    offsets: Floats
    blurs: Floats
    amplitudes: Complexes

    @classmethod
    def of(cls, corners: list[Corner], size: int) -> "_Table":
        """Tabulate some corners at `size` places."""
        amplitudes = np.array([corner.amplitude for corner in corners], dtype=complex)
        return cls(
            np.array([corner.offset for corner in corners]),
            np.array([corner.blur for corner in corners]),
            amplitudes.reshape(len(corners), size),
        )

    def __len__(self) -> int:
        return self.offsets.size

    def __getitem__(self, rows: Indices) -> "_Table":
        return _Table(self.offsets[rows], self.blurs[rows], self.amplitudes[rows])

    def corner(self, key: int) -> Corner:
        """Return one of the corners."""
        return Corner(float(self.offsets[key]), float(self.blurs[key]), self.amplitudes[key])

    @property
    def counted(self) -> Indices:
        """Which of the corners are anywhere more than next to nothing."""
        return np.flatnonzero(np.abs(self.amplitudes).max(axis=1, initial=0.0) > NEGLIGIBLE)


@dataclass(frozen=True)
class OnDemand:
    """What is summed within the mass about one corner, found when a y first comes near it.

    Classes of many scales have more corners than could be opened, and each y is near few of them.
    """

    find: Callable[[], tuple[Part, ...]]

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The parts of the sum."""
        return self.find()

    def missing(self, y: Floats) -> Floats:
        """Return what is missing from the tail at each y."""
        return sum((part.missing(y) for part in self.parts), np.zeros(y.size))


@dataclass(frozen=True)
class Unresolved:
    """A mass about one corner that is not resolved, and about how much its parts add."""

    size: float
    parts: tuple[Part, ...] = ()

    def missing(self, y: Floats) -> Floats:
        """Return what is missing from the tail at each y."""
        return np.full(y.size, self.size)


@dataclass(frozen=True)
class CornerIntegrals:
    """Shares of some corners, shape (n_corners,), beyond the last node of a series.

    Attributes
    ----------
    places : positions of the corners, or of the modes of the masses that they carry.
    blur : rounding error of the places; a y within it is taken to be on the corner.
    unbounded : whether the density grows without bound towards the corner.
    half_width : distance from its place within which a corner is followed by its `near` parts.
    wrap : whether the series is periodic in y, as one is that begins on the real axis.
    is_whole : whether nothing is left out within the mass about any corner.
    """

    places: Floats
    blur: Floats
    rates: Complexes
    distance: Complexes
    coefficients: Complexes
    unbounded: Bools
    period: float
    half_width: float = 0.0
    wrap: bool = True
    near: tuple[OnDemand | Unresolved, ...] = ()
    is_whole: bool = True

    @classmethod
    def of(
        cls, line: _Stretch, corners: _Table, tilt: float, period: float, mode: float = 0.0
    ) -> "CornerIntegrals":
        """Take the amplitudes of some corners for the coefficients of the tail."""
        return cls(
            places=corners.offsets + mode,
            blur=2 * EPS * corners.blurs,
            rates=line.rates,
            distance=line.distance,
            coefficients=derivatives(corners.amplitudes, tilt + line.rates),
            unbounded=np.zeros(len(corners), dtype=bool),
            period=period,
        )

    @property
    def size(self) -> int:
        """About how many exponentials are summed for each y, of those that all y have in common."""
        return self.places.size * self.rates.size

    def at(self, y: Floats) -> Floats:
        """Return the sums at each y, shape (n, 3)."""
        gap = self._gaps(y)
        side = np.where(gap >= 0, 1.0, -1.0)
        above, below = self._log_ends
        ends = np.where(side[:, :, np.newaxis] > 0, above, below)
        waves = np.exp(ends - self.rates * gap[:, :, np.newaxis])
        if self.half_width:
            side = np.where(np.abs(gap) < self.half_width, 0.0, side)
        waves *= side[:, :, np.newaxis]
        sums = np.einsum("ycr,ckr->yk", waves, self.coefficients).imag
        if self.unbounded.any():
            sums[((gap == 0) & self.unbounded).any(axis=1), 1] = np.inf
        for corner in np.flatnonzero((side == 0).any(axis=0)):
            inside = np.flatnonzero(side[:, corner] == 0)
            seen = self.places[corner] + gap[inside, corner]
            sums[inside] += sum(part.at(seen) for part in self.near[corner].parts)
        return np.asarray(sums)

    def _gaps(self, y: Floats) -> Floats:
        """Distances from each y to the corners, shape (n, n_corners)."""
        gap = y[:, np.newaxis] - self.places
        if self.wrap:
            gap = gap - self.period * np.round(gap / self.period)
        return np.where(np.abs(gap) <= self.blur, 0.0, gap)

    def missing(self, y: Floats) -> Floats:
        """Return what is missing from the tail at each y."""
        missing = np.zeros(y.size)
        if not self.is_whole:
            gap = self._gaps(y)
            for corner in np.flatnonzero((np.abs(gap) < self.half_width).any(axis=0)):
                inside = np.flatnonzero(np.abs(gap[:, corner]) < self.half_width)
                seen = self.places[corner] + gap[inside, corner]
                missing[inside] += self.near[corner].missing(seen)
        return missing

    @cached_property
    def _log_ends(self) -> tuple[Complexes, Complexes]:
        """Log of the factors that end the integrals for y above and below a corner."""
        phase = self.period * self.distance
        right = phase.real >= 0
        small = np.log1p(np.exp(np.where(right, -phase, phase)))
        return np.where(right, 0.0, phase) - small, np.where(right, -phase, 0.0) - small


def corner_levels(distribution: TiltedSum, period: float) -> list[Level]:
    """Sort the classes into levels, by the height from which their ends separate, widest first."""
    reach, heights = distribution.terms.reach, distribution.terms.end_height
    levels: list[Level] = []
    rest = distribution.everything
    clear = clear_height(distribution.tilt, period)
    while np.isfinite(heights[rest]).any():
        width = distribution.total((reach.high - reach.low)[rest], rest)
        limit = max(8 * heights[rest].min(), _PHASE_BUDGET / width, clear)
        # A class of next to no width beside one end cannot stay whole: it has no mass to sum up.
        thin = heights[rest] * (reach.high - reach.low)[rest] < 1
        joint = heights[rest] <= np.where(thin, _THIN, 1.0) * limit
        height = max(float(heights[rest][joint].max()), clear)
        levels.append(Level(height, rest[joint], rest[~joint]))
        rest = rest[~joint]
    return levels


def clear_height(tilt: float, period: float) -> float:
    """Height from which on a level line stays clear of the singularity at s = 0."""
    return min(2 * tilt, _LONG_PHASE / period)


def _horizon(
    tilt: float, nearest: float, start: float, period: float, orders: tuple[float, float]
) -> _Stretch:
    """Place nodes on the horizontal line at a height, to where the corners have decayed.

    The shares of the corners have no singularity beyond `nearest` on the real axis. The orders are
    those of `_level_line`.
    """
    step, distance, turn = _level_line(complex(max(tilt, nearest), start), period, *orders)
    rates = distance + 1j * start
    return _Stretch(rates, distance, turn / (tilt + rates), step)


def _level_line(
    start: complex, period: float, decay_order: float, growth_order: float
) -> tuple[float, Complexes, Complexes]:
    """Place nodes on the horizontal line through a point, to where its corners have decayed.

    Returns the step in u, the distances r from the start, and dr / pi for each step. The shares of
    the corners decay at least with the one power, and grow towards the origin like the other.
    """
    decayed = DEPTH / decay_order if decay_order >= 2 else _MAX_LOG_DISTANCE
    log_distance = min(np.log(abs(start) * period) + decayed, _MAX_LOG_DISTANCE)
    step, rise = _steepest(start, growth_order)
    count = np.ceil(log_distance / step)
    u = step * np.arange(-count, count + 1) + 1j * rise
    return step, np.pi / period * np.sinh(u), (step / period) * np.cosh(u)


def _steepest(s: complex, order: float) -> tuple[float, float]:
    """Largest step in u that leaves exp(-DEPTH), and how far u + i rise rises for it.

    The shares grow like |s|^-order towards s = 0, relative to M(c) by (c / |s|)^order at most. From
    a line that is low beside the tilt that matters: a path that rises on both sides stays clear of
    it, at the price of coming closer to the poles of the factor.
    """
    clearance = np.angle(s) + _RISES - _STRIPS
    inside = (clearance > 0.01) & (np.pi / 2 > _RISES + _STRIPS)
    nearest = abs(s) * np.sin(np.where(inside, np.minimum(clearance, np.pi / 2), np.pi / 2))
    growth = order * np.maximum(np.log(s.real / nearest), 0.0)
    steps = np.where(inside, 2 * np.pi * _STRIPS / (DEPTH + growth), 0.0)
    rise, strip = np.unravel_index(np.argmax(steps), steps.shape)
    return float(steps[rise, strip]), float(_RISES[rise, 0])


def _steps_up(start: float, stop: float, period: float, most: int) -> Grid:
    """Place heights from half a step above a start on; no more than `most`, or the least."""
    step = 2 * np.pi / period
    count = min((stop - start) / step, most)
    return Grid.even(start + 0.5 * step, step, max(int(np.ceil(count)), _MIN_STEPS))


@dataclass(frozen=True)
class _Stage:
    """One level: the horizontal line on which its corners are integrated, and the line above.

    On the line above, from the same height, the whole classes are summed with a period of their
    own, where a y comes near their mass. No class may stay whole: there is nothing to climb then.
    The line is cut off where their transform may not have decayed, and no level follows.
    """

    level: Level
    leading: Leading
    horizon: _Stretch
    period: float
    climb: Callable[[], _Stretch] | None
    next_period: float
    is_cut: bool = False

    @cached_property
    def above(self) -> _Stretch | None:
        """The line above."""
        return None if self.climb is None else self.climb()


class Corners:
    """The corners of a sum of independent terms, level by level, from some height on."""

    def __init__(
        self, distribution: TiltedSum, levels: list[Level], line: Line, period: float
    ) -> None:
        """Evaluate all levels, the first from half a step above the last node of a line on."""
        self._sum, self._log_mgf = distribution, line.of_terms
        start = (line.size - 0.5) * 2 * np.pi / period
        self._stages: list[_Stage] = []
        for level, after in zip_longest(levels, levels[1:]):
            stage, start = self._stage(level, after.height if after else np.inf, start, period)
            self._stages.append(stage)
            period = stage.next_period
            if not np.isfinite(start):
                break

    def _stage(
        self, level: Level, next_height: float, start: float, period: float
    ) -> tuple[_Stage, float]:
        """Evaluate a level, and return from which height the next one is split, if any is."""
        known, rest = self._known, level.rest
        if not rest.size:
            horizon, leading = self._split(level, start, period, np.inf)
            return _Stage(level, leading, horizon, period, None, np.inf), np.inf
        # The whole classes reach a quarter of this from their mode, or it is all the same series.
        next_period = min(4 * max(self._sum.reaches(rest)), period)
        horizon, leading = self._split(level, start, period, 4.5 * DEPTH / next_period)
        decayed = self._sum.decay_height_of(rest)
        most = min(_TABLE // max(1, sum(map(len, horizon.tables))), self._sum.most_heights(rest))
        stop = min(decayed, next_height)
        grid = _steps_up(start, stop, next_period, most)
        top = grid.top + np.pi / next_period
        is_cut = top < (1 - 1e-9) * stop
        climb = partial(
            self._above, rest, [*known, leading], start, grid, next_period, may_be_cut=is_cut
        )
        stage = _Stage(level, leading, horizon, period, climb, next_period, is_cut)
        return stage, top if not is_cut and next_height < decayed else np.inf

    @property
    def _known(self) -> list[Leading]:
        """Which corners count, for each level."""
        return [stage.leading for stage in self._stages]

    def _split(
        self, level: Level, start: float, period: float, farthest: float
    ) -> tuple[_Stretch, Leading]:
        """Evaluate the corners of a level, and of those before it, on the horizontal line.

        Also returns which of its corners count.
        """
        terms, total, rest = self._sum.terms, self._sum.total, level.rest
        split = np.concatenate([*(np.unique(one.index) for one in self._known), level.split])
        orders = (
            total(terms.end_orders[split].min(axis=1), split),
            total(terms.reach.order[split], split),
        )
        nearest = float(terms.singular_range[split].max())
        line = _horizon(self._sum.tilt, nearest, start, period, orders)
        if rest.size:
            near = np.abs(line.distance.real) < farthest
            line = line.of_whole(near, self._sum.at(rest, line.rates[near]))
        leading, corners = self._sum.split(level.split, self._log_mgf, line.rates)
        table = _Table.of(corners, line.rates.size)
        return replace(line, tables=(*self._tables(self._known, line.rates), table)), leading

    def _tables(self, known: list[Leading], rates: Complexes) -> list[_Table]:
        """Corners of some levels at other c + rates."""
        corners = (self._sum.corners(one, self._log_mgf, rates) for one in known)
        return [_Table.of(found, rates.size) for found in corners]

    def _above(
        self,
        rest: Indices,
        known: list[Leading],
        start: float,
        grid: Grid,
        period: float,
        *,
        may_be_cut: bool,
    ) -> _Stretch:
        """Sum the whole classes up the line, at the heights of a grid."""
        step = 2 * np.pi / period
        rates: Complexes = np.asarray(1j * grid.heights)
        line = self._sum.along(rest, grid)
        tables = tuple(self._tables(known, rates))
        measure: Complexes = np.asarray(line.values * step / (np.pi * (self._sum.tilt + rates)))
        shift = line.anchor - self._sum.total(self._sum.terms.mode[rest], rest)
        kind = CutWaves if may_be_cut and not line.has_decayed else Waves
        return _Stretch(rates, rates - 1j * start, measure, step, tables, shift, kind=kind)

    def integrals(self, path: Path = ()) -> CornerIntegrals:
        """Integrate at all corners of one level, on a path through those before it."""
        stage, tilt = self._stages[len(path)], self._sum.tilt
        rest, line = stage.level.rest, stage.horizon
        found = line.corners(path)
        counted = found.counted
        corners, paths = found[counted], [(*path, int(key)) for key in counted]
        mode = self._sum.total(self._sum.terms.mode[rest], rest)
        integrals = CornerIntegrals.of(line, corners, tilt, stage.period, mode)
        unbounded = integrals.unbounded
        if not rest.size:
            unbounded = self._complete(integrals.coefficients, paths)
        return replace(
            integrals,
            unbounded=unbounded,
            half_width=0.0 if stage.climb is None else 0.5 * stage.next_period,
            wrap=not path,
            near=self._all_near(paths, integrals.places, corners),
            is_whole=self._opened.is_whole and not self._stages[-1].is_cut,
        )

    def _all_near(
        self, paths: list[Path], places: Floats, corners: _Table
    ) -> tuple[OnDemand | Unresolved, ...]:
        """Sum what the corners add within their masses, as far as these are opened."""
        near: list[OnDemand | Unresolved] = []
        for row, (path, place) in enumerate(zip(paths, places.tolist(), strict=True)):
            if path in self._opened.paths:
                near.append(OnDemand(partial(self._near, path, place, corners.corner(row))))
            else:
                line = self._stages[len(path) - 1].horizon
                near.append(
                    Unresolved(line.share * float(np.abs(corners.amplitudes[row, line.nearest])))
                )
        return tuple(near)

    @cached_property
    def _opened(self) -> "_Opened":
        """Choose the largest masses, each within one that is opened."""
        opened = _Opened.nothing()
        for stage in self._stages:
            if stage.climb is None:
                break
            opened = opened.within(stage.horizon)
        return opened.limited()

    def _near(self, path: Path, place: float, corner: Corner) -> tuple[Part, ...]:
        """Sum what a corner adds to the series within the mass of the classes that stay whole."""
        stage, tilt = self._stages[len(path) - 1], self._sum.tilt
        if stage.above is None:
            return ()
        line, above = stage.horizon, stage.above
        difference = _end(line.distance, stage.period) - _end(line.distance, stage.next_period)
        shares = above.corner(path).amplitude
        parts: tuple[Part, ...] = (
            Waves.of_tail(place, line.rates, -1j * difference * corner.amplitude, tilt),
            above.kind.of_tail(place + above.shift, above.rates, shares, tilt),
        )
        return parts if len(path) == len(self._stages) else (*parts, self.integrals(path))

    def _complete(self, coefficients: Complexes, paths: list[Path]) -> Bools:
        """Add to the last coefficients, shape (n_corners, 3, n), those beyond the level line.

        What they add up to counts only at y on the corner itself. There the tail falls as a sum of
        powers of r, one for each set of ends that meet at the corner, and slowly where exponents
        are small: 3 % of Beta(0.005, 1) are closer to zero than any double. Also returns at which
        corners the density is unbounded.
        """
        line, known = self._stages[-1].horizon, self._known
        keys = np.array(paths, dtype=int).reshape(len(paths), len(known)).T
        orders = np.asarray(sum(one.orders[key] for one, key in zip(known, keys, strict=True)))
        s = self._sum.tilt + line.rates[-1]
        for derivative in (0, 1):
            excess = orders - derivative
            slow = np.flatnonzero((excess > _ROUNDED) & (excess * _MAX_LOG_DISTANCE < DEPTH))
            if slow.size:
                last = line.measure[-1] * s**derivative
                log_ratio, weights = _beyond(line.step, float(excess[slow].min()))
                tables = self._far_tables(line.rates[-1], log_ratio, derivative)
                for row in slow:
                    at_corner = zip(tables, paths[row], strict=True)
                    shares = _product([table[key].amplitude for table, key in at_corner])
                    coefficients[row, derivative, -1] += last * (weights * shares).sum()
        return np.asarray(orders <= 1 + _ROUNDED)

    def _far_tables(self, rate: complex, log_ratio: Floats, rise: int) -> list[list[Corner]]:
        """Corners of all levels at moduli exp(log_ratio) times that of a rate, times it to a power.

        The power `rise` is spread over all terms, so that no factor overflows.
        """
        counts = np.array([leading.index.size for leading in self._known])
        return [
            self._sum.far_corners(leading, self._log_mgf, rate, log_ratio, float(share))
            for leading, share in zip(self._known, rise * counts / counts.sum(), strict=True)
        ]


@dataclass(frozen=True)
class _Opened:
    """Paths to the masses that are opened, and about how much each adds to the tail.

    Attributes
    ----------
    levels : the paths of each level, shape (n, level), and how much each adds, shape (n,).
    is_whole : whether no mass that counts is left out.
    """

    levels: tuple[tuple[Indices, Floats], ...]
    is_whole: bool

    @classmethod
    def nothing(cls) -> "_Opened":
        """Begin with the path of no corners."""
        return cls(((np.zeros((1, 0), dtype=int), np.ones(1)),), is_whole=True)

    def within(self, line: _Stretch) -> "_Opened":
        """Add the largest masses about the corners of the next level, on its horizontal line."""
        before, most = self.levels[-1]
        shares = [np.abs(table.amplitudes[:, line.nearest]) for table in line.tables]
        sizes = np.full(len(before), line.whole)
        for share, keys in zip(shares, before.T, strict=False):
            sizes *= share[keys]
        sizes = np.multiply.outer(sizes, shares[-1])
        sizes = np.minimum(sizes, most[:, np.newaxis]).ravel()
        counted = np.flatnonzero(sizes > _LEAST_OPEN)
        chosen = counted[np.argsort(-sizes[counted], kind="stable")[:_MOST_OPEN]]
        one, last = np.divmod(chosen, shares[-1].size)
        level = np.column_stack([before[one], last]), sizes[chosen]
        return _Opened((*self.levels, level), self.is_whole and chosen.size == counted.size)

    def limited(self) -> "_Opened":
        """Keep the largest masses of all levels."""
        sizes = np.concatenate([sizes for _, sizes in self.levels[1:]] or [np.zeros(0)])
        if sizes.size <= _MOST_OPEN:
            return self
        least = np.sort(sizes)[-_MOST_OPEN]
        levels = [(paths[sizes >= least], sizes[sizes >= least]) for paths, sizes in self.levels]
        return _Opened(tuple(levels), is_whole=False)

    @cached_property
    def paths(self) -> frozenset[Path]:
        """The paths to the masses that are opened."""
        return frozenset(
            tuple(map(int, path)) for paths, _ in self.levels for path in paths.tolist()
        )


def _product(factors: list[Complexes]) -> Complexes:
    """Multiply amplitudes of levels, of which some are as large as others are small."""
    with np.errstate(divide="ignore"):  # of an amplitude of zero
        log_size = np.log(np.abs(factors)).sum(axis=0)
    # Not by factors of size one: a quotient by a subnormal number overflows.
    phase = np.angle(factors).sum(axis=0)
    return np.asarray(np.exp(np.minimum(log_size, _LARGEST_LOG)) * np.exp(1j * phase))


def _beyond(step: float, order: float) -> tuple[Floats, Floats]:
    """Nodes at even steps beyond the last of a level line, to where a power of r has decayed.

    The log of r is v + exp(v - 40) above that of the last one. Returns it, and its derivatives.
    """
    stop = min(DEPTH / order, _SPREAD + np.log(max(DEPTH / order, 1.0)))
    v = step * np.arange(1.0, np.ceil(stop / step) + 1)
    spread = np.exp(v - _SPREAD)
    return v + spread, 1 + spread


def joint_integrals(
    split: Callable[[Complexes], list[Corner]],
    tilt: float,
    start: float,
    period: float,
    orders: tuple[float, float],
) -> tuple[CornerIntegrals, ...]:
    """Complete a series by corners that all split at one height, half a step above the last node.

    `split` gives the corners of the transform at c + rates, relative to M(c). There may be none
    that counts: then nothing is left to add.
    """
    line = _horizon(tilt, 0.0, start, period, orders)
    here = Corner(0.0, 0.0, line.measure)
    corners = [one for one in (corner.times(here) for corner in split(line.rates)) if one.counts]
    if not corners:
        return ()
    corners, unbounded = _extrapolated(corners, line.step)
    table = _Table.of(corners, line.rates.size)
    return (replace(CornerIntegrals.of(line, table, tilt, period), unbounded=unbounded),)


def _extrapolated(corners: list[Corner], step: float) -> tuple[list[Corner], Bools]:
    """Add to the last amplitude of each corner those beyond, which go on falling as a power.

    What they add up to counts only at y on the corner itself, and for small exponents there.
    Also returns at which corners the density is unbounded.
    """
    values = np.array([corner.amplitude for corner in corners])
    sizes = np.abs(values[:, -2:])
    falls = sizes[:, 1] < sizes[:, 0]
    ratios = np.where(falls, sizes[:, 1] / np.maximum(sizes[:, 0], 1e-300), 0.0)
    values[:, -1] /= 1 - ratios
    # From a node to the next r grows by the factor exp(step): order one leaves its inverse.
    unbounded = ratios > np.exp(-(1 + 1e-9) * step)
    return [
        replace(one, amplitude=row) for one, row in zip(corners, values, strict=True)
    ], unbounded


def _end(distance: Complexes, period: float) -> Complexes:
    """1 / (1 + exp(-r P)) less a unit step at r = 0."""
    side = np.where(distance.real >= 0, 1.0, -1.0)
    fade = np.exp(-side * distance * period)
    return np.asarray(-side * fade / (1 + fade))
