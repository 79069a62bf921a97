r"""Fourier series of the densities of sums of independent variables.

`Series` evaluates distribution functions and their derivatives; `series_of` makes one
for any family of sums that has the few methods of `Sums`. Imports `_centred`,
`_corners` and `_numerics`.

**Terms.** An *order* is the index k of a Fourier coefficient. A *corner* is a point
where ends of all variables of a sum meet; the density may be singular there. A *level*
is a series of larger steps beside each corner, which takes over at a height t where
another series ends.

**Fourier series.** With X centred at its mean, v_k = E[exp(i k h X)] and h = 2 pi / P,
the sawtooth of period P gives

    P(X <= y) = 1/2 + y / P - sum_k Im(exp(-i k h y) v_k) / (pi k),    |y - X| < P,

for k = 1, 2, ..., exactly where no mass is farther than P from y; the density is its
derivative. The series ends at the order where the coefficients vanish. If they decay
too slowly for that, use is made of the transform at large t: it is a sum over the
corners c,

    E[exp(i t X)] = sum_c exp(i t c) g_c(t),

where g_c is analytic for Re t > 0 and decays like a power of t.

**Corners.** From the order on where the ends of all variables are resolved, the
remainder is summed in closed form (`_corners`).

**Levels.** The expansions g_c hold from the height on where the ends of all variables
are resolved. If scales differ, this may be 10^9 times the height T where the first
variables are. Then the series ends smoothly: its coefficients are multiplied by
1 - B(t / T), where B rises from 0 at 1/4 to 1 at 1 like an error function. The rest is

    B(t / T) E[exp(i t X)] = B(t / T) sum_c exp(i t c) g_c(t) phi(t),

with the corners c of the variables that are resolved at T / 4, and the transform phi of
the sum of all others about its mean. Each term is smooth in t, and therefore is the
transform of a function of y that vanishes farther from c than S / T, S = 161, plus the
range of the other variables: it is a Fourier series of this much smaller period, with
larger steps. This level in turn ends where its coefficients vanish, or at the corners
of all variables, or smoothly after `MAX_ORDERS`, up to 40 times as high as before;
then the next level follows. The remainders about all origins are kept as one more
level, with a row for each corner that counts.

**Points.** A sum over orders is computed for each point, or, for many points, for a
grid by the fast Fourier transform, from which it is interpolated (`sums_at`).

For sums of independent variables, `vanishing_heights` bounds where the transform
vanishes, and `Truncation` chooses how many orders a series has and what completes it.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol, Self

import numpy as np
from scipy.special import erfc

from skpostbac._utils import Bools, Complexes, Floats, Indices
from skpostbac.stats._centred import Centred, Evaluator
from skpostbac.stats._corners import MAX_PRODUCTS, Corners, Rule, offsets
from skpostbac.stats._numerics import stacked_products, sums_at, waves

# Up to so many orders, coefficients take less time than the sums over corners.
CHEAP = 900
# A variable whose standard deviation is below this share of that of the sum is replaced
# by its mean.
NARROW = 1e-13
# Coefficients, and the mass outside the range, are neglected below exp(-DEPTH) =
# 3.4e-14. Both are bounds that are seldom attained, and the error of a series is a
# fraction 1 / order of the first coefficient neglected.
DEPTH = 31.0
# The period is a little wider than the range, so that its two ends do not meet.
PERIOD = 1 + 1 / 16
# The most orders of a series, but for levels that would not reach further.
MAX_ORDERS = 2**11
# S: what begins smoothly at a height T vanishes farther than S / T from its origin.
_SPREAD = 161.0
# Coefficients of waves beside corners are neglected if their sum is below this.
_NEGLIGIBLE = 3e-14
# At most so many remainders of a level are summed over corners.
_MAX_REMAINDERS = 512
# Points of a level, about its strongest origins, where peaks are looked for.
_MOST_POINTS = 100
# More points of a distribution than this are interpolated on a grid.
_MANY_POINTS = 100
# Coefficients that are computed at a time, about a megabyte, which fits into caches.
_BLOCK_ENTRIES = 2**16


@dataclass(frozen=True)
class Waves:
    """Waves of m Fourier series: the series without their linear terms.

    Attributes
    ----------
    period : P, shape (m,).
    coefficients : v_k from k = 1 to K - 1, shape (m, K - 1).
    corners : remainder of the series; None if it vanishes.
    """

    period: Floats
    coefficients: Complexes
    corners: Corners | None = None

    def selected(self, rows: Any) -> "Waves":
        """Return the waves of some of the distributions."""
        return Waves(
            self.period[rows],
            self.coefficients[rows],
            self.corners and self.corners.selected(rows),
        )

    def evaluator(self, n_derivatives: int) -> Callable[[Floats, Floats], Floats]:
        """Return a function for the sums of the waves and their first derivatives.

        It takes the distances from the origin of the waves, shape (m, n), and from the
        anchors, shape (A, m, n). The values have the shape (1 + d, m, n).
        """
        count = self.coefficients.shape[1]
        step = 2 * np.pi / self.period

        # exp(-i k h y) of the order k = i n + j is the product of those of i n and j,
        # so that 2 n exponentials give the sum of n^2 orders as a matrix product.
        n_inner = math.isqrt(count - 1) + 1
        orders = np.arange(1, -(-count // n_inner) * n_inner + 1)
        inner_and_outer = np.concatenate([orders[:n_inner], orders[::n_inner] - 1])

        # The terms of derivative d are i / pi (-i h)^d exp(-i k h y) v_k k^(d - 1).
        table = np.zeros((len(step), n_derivatives + 1, orders.size), dtype=complex)
        np.multiply(
            self.coefficients, (1j / np.pi) / orders[:count], out=table[:, 0, :count]
        )
        rates = -1j * step[:, np.newaxis] * orders
        for d in range(n_derivatives):
            np.multiply(table[:, d], rates, out=table[:, d + 1])
        by_inner = table.reshape(len(step), -1, n_inner)
        width = max(1, MAX_PRODUCTS // table.size)

        if self.corners is not None:
            remainder, max_width = self.corners.evaluator(n_derivatives)
            exponents = np.arange(n_derivatives + 1)[:, np.newaxis, np.newaxis]
            factors = (1j / np.pi) * (-1j * step[:, np.newaxis]) ** exponents
            width = min(width, max_width)

        def products(turns: Floats) -> Floats:
            """Return the sums over the orders, shape (1 + d, m, n)."""
            angles = (-2 * np.pi) * turns[..., np.newaxis]
            phases = angles * inner_and_outer
            # `waves` makes more calls, which pay off for large arrays only.
            wave = np.exp(1j * phases) if phases.size < 500 else waves(phases, 0.0)
            inner = stacked_products(by_inner, wave[..., :n_inner].transpose(0, 2, 1))
            inner = inner.reshape(len(step), n_derivatives + 1, -1, turns.shape[1])
            sums = np.einsum("mdrn,mnr->dmn", inner, wave[..., n_inner:])
            return np.asarray(sums.real)

        def evaluate(y: Floats, points: Floats) -> Floats:
            turns = y / self.period[:, np.newaxis]
            columns = [
                slice(start, start + width) for start in range(0, y.shape[1], width)
            ]
            values = np.empty((n_derivatives + 1, *y.shape))
            if y.shape[1] > _MANY_POINTS:
                values[:] = sums_at(table, turns).swapaxes(0, 1)
            else:
                for some in columns:
                    values[..., some] = products(turns[:, some])
            if self.corners is not None:
                for some in columns:
                    values[..., some] += (factors * remainder(points[..., some])).real
            return values

        return evaluate


@dataclass(frozen=True)
class Level:
    """Waves beyond the last order of a series, beside one corner in each of p rows.

    Attributes
    ----------
    rows : distribution that each belongs to, shape (p,).
    positions : distances of the origins of the waves from the anchors, shape (A, p, 1).
    below, above : distances from the origin where the waves end, shape (p,).
    waves : series of p rows with a larger step.
    """

    rows: Indices
    positions: Floats
    below: Floats
    above: Floats
    waves: Waves

    def selected(self, rows: Bools) -> "Level":
        """Return what belongs to some of the distributions, which are numbered anew."""
        own = rows[self.rows]
        return Level(
            (np.cumsum(rows) - 1)[self.rows[own]],
            self.positions[:, own],
            self.below[own],
            self.above[own],
            self.waves.selected(own),
        )

    @property
    def strengths(self) -> Floats:
        """Largest coefficient of each row, shape (p,)."""
        if self.waves.corners is not None:
            return np.asarray(np.abs(self.waves.corners.values[:, 0, 0]))
        return np.asarray(np.abs(self.waves.coefficients).max(axis=1))

    def points(self, anchor: int) -> Floats:
        """Return points at which the density may have a kink, pole or peak, (p, n).

        They are given by their distances from an anchor.
        """
        if self.waves.corners is not None:
            return np.asarray(self.waves.corners.positions[anchor])
        shares = 2.0 ** np.arange(-12, 1)
        above = np.outer(self.above, np.append(0.0, shares))
        around = np.concatenate([np.outer(-self.below, shares), above], axis=1)
        return np.asarray(self.positions[anchor] + around)

    def adder(self, n_derivatives: int) -> Callable[[Floats, Floats], None]:
        """Return a function that adds the waves at points, (A, m, n), to values."""

        @lru_cache(maxsize=1)
        def evaluator(chosen: bytes) -> Callable[[Floats, Floats], Floats]:
            waves = self.waves.selected(np.frombuffer(chosen, dtype=bool))
            return waves.evaluator(n_derivatives)

        def add(points: Floats, values: Floats) -> None:
            points = points[:, self.rows]
            y = offsets(points, self.positions)[:, 0]
            inside = ((-self.below <= y.T) & (self.above >= y.T)).T

            # Points are inside the waves of few origins.
            chosen = inside.any(axis=1)
            if not chosen.any():
                return
            inside = inside[chosen]

            # Of each row, the points inside come first.
            most = int(inside.sum(axis=1).max())
            columns = np.argsort(~inside, axis=1, kind="stable")[:, :most]
            row = np.flatnonzero(chosen)[:, np.newaxis]
            evaluate = evaluator(chosen.tobytes())
            terms = evaluate(y[row, columns], points[:, row, columns])
            terms *= np.take_along_axis(inside, columns, axis=1)
            for value, term in zip(values, terms, strict=True):
                np.add.at(value, (self.rows[row], columns), term)

        return add


@dataclass(frozen=True, repr=False)
class Series(Centred):
    """Fourier series of m centred distributions.

    Attributes
    ----------
    waves : waves of the whole period.
    levels : waves beyond their last order.
    """

    waves: Waves
    levels: tuple[Level, ...] = ()

    def __repr__(self) -> str:
        """Show the numbers of orders, of corners that are summed, and of levels."""
        every = [self.waves, *(level.waves for level in self.levels)]
        sizes = [waves.corners.values.shape for waves in every if waves.corners]
        n_corners = sum(rows * corners for rows, corners, _ in sizes)
        n_levels = sum(level.waves.corners is None for level in self.levels)
        return (
            f"Series(n_orders={self.waves.coefficients.shape[1] + 1}, "
            f"n_corners={n_corners}, n_levels={n_levels})"
        )

    @property
    def critical_points(self) -> Floats:
        """Corners, and points of all scales about the strongest origins of levels."""
        points = self._critical_points(0, _MOST_POINTS)
        return np.asarray(np.clip(points, *self.bounds))

    @property
    def critical_points_from_low(self) -> Floats:
        return self._critical_points(1, math.inf)

    def _critical_points(self, anchor: int, most: float) -> Floats:
        """Return those of the strongest origins, about so many of each level."""
        found = [np.empty((self.low.size, 0))]
        if self.waves.corners is not None:
            found += [*self.waves.corners.positions[anchor : anchor + 1]]
        for level in self.levels:
            # Several rows of a level may belong to one distribution.
            near = level.points(anchor)
            order = np.lexsort((-level.strengths, level.rows))
            rank = np.arange(order.size) - np.searchsorted(level.rows, level.rows)
            kept = rank * near.shape[1] < most
            rank = rank[kept]
            near = near[order[kept]]
            places = np.zeros((self.low.size, rank.max() + 1, near.shape[1]))
            places[level.rows[kept], rank] = near
            found.append(places.reshape(self.low.size, -1))
        return np.concatenate(found, axis=1)

    @property
    def resolution(self) -> Floats:
        return np.asarray(self.waves.period / (self.waves.coefficients.shape[1] + 1))

    def selected(self, rows: Bools, **fields: Any) -> Self:
        levels = [level.selected(rows) for level in self.levels]
        return super().selected(
            rows,
            waves=self.waves.selected(rows),
            levels=tuple(level for level in levels if level.rows.size),
            **fields,
        )

    def evaluator(self, n_derivatives: int) -> Evaluator:
        evaluate = self._evaluator(n_derivatives)
        return lambda y: evaluate(y[np.newaxis])

    def _evaluator(self, n_derivatives: int) -> Evaluator:
        """Return a function of points given by distances from anchors, (A, m, n)."""
        period = self.waves.period[:, np.newaxis]
        evaluate_waves = self.waves.evaluator(n_derivatives)
        adders = [level.adder(n_derivatives) for level in self.levels]

        def evaluate(points: Floats) -> Floats:
            values = evaluate_waves(points[0], points)
            values[0] += points[0] / period
            values[1:2] += 1 / period
            for add in adders:
                add(points, values)
            return values

        return evaluate

    def tails(self, y: Floats, to_low: Floats, to_high: Floats) -> Floats:
        first, last = self.bounds
        points = np.array([np.clip(y, first, last), to_low, -to_high])
        return self._inside(y, *self._evaluator(1)(points))


def chernoff_bounds(scale: Floats, variance: Floats, to_ends: Floats) -> Floats:
    """Return distances from the mean beyond which the mass is negligible, shape (2, m).

    At most exp(-DEPTH) is beyond them if each tail is below that of a Gamma variable of
    such a scale and variance (see `skpostbac.stats._beta.sums`), or none as the support
    ends.
    """
    reach = 2 / 3 * DEPTH * scale
    bounds = reach + np.sqrt(reach * reach + 2 * DEPTH * variance)
    return np.asarray(np.minimum(bounds, to_ends))


def vanishing_heights(exponents: Floats, ratios: Floats, variance: Floats) -> Floats:
    """Return heights T with sum_i o_i log(1 + T^2 v_i / o_i) = 2 DEPTH, shape (m,).

    The left-hand side is convex and increasing in u = log T^2. For a single Gamma
    variable with the sum of the shapes and of the variances it is larger (Jensen's
    inequality), so that the iteration starts below the root, and a Newton step leads
    above it.
    """
    shape = exponents.sum(axis=1)
    u = np.log(np.expm1(np.minimum(2 * DEPTH / shape, 400.0)) * shape / variance)
    for _ in range(60):
        x = np.exp(u)[:, np.newaxis] * ratios
        missing = 2 * DEPTH - (exponents * np.log1p(x)).sum(axis=1)
        step = missing / (exponents * (x / (1 + x))).sum(axis=1)
        u = np.minimum(u + step, 400.0)
        # The error after a step is at most half its square.
        if np.abs(step).max() < 0.2:
            break
    return np.asarray(np.exp(0.5 * u))


class Sums(Protocol):
    """Protocol of m sums of l independent variables with known transforms."""

    @property
    def variance(self) -> Floats:
        """Variances of the sums, shape (m,)."""

    @property
    def decay(self) -> Floats:
        """Powers of 1 / t as which the terms of corners decrease, shape (m,)."""

    @property
    def resolved(self) -> Floats:
        """Heights from which transforms are sums over ends, (m, l); 0 for constants."""

    @property
    def vanishing(self) -> Floats:
        """Heights from which the transforms of the sums are negligible, shape (m,)."""

    @property
    def means(self) -> Floats:
        """Distances of the means from the mean and both ends, shape (3, m)."""

    @property
    def have_one_peak(self) -> Bools:
        """Whether the densities are known to be unimodal, shape (m,)."""

    def __getitem__(self, rows: Any) -> Self:
        """Return some of the sums."""

    def only(self, chosen: Bools) -> Self:
        """Return the sums of some of the variables, shape (m, l)."""

    def ranges(self) -> Floats:
        """Return distances below and above the means beyond which no mass counts."""

    def end_densities(self, reach: Floats) -> Floats:
        """Return the limits of the densities at the ends of the ranges, (2, m)."""

    def coefficients(self, step: Floats, n_orders: int) -> Complexes:
        """Return the transforms at multiples of steps (m,), from 1 to n_orders - 1."""

    def corners(
        self, log_orders: Complexes, step: Floats, scale: Floats
    ) -> tuple[Floats, Complexes]:
        """Return positions (3, m, C) and values at logs of orders (N,), (m, C, N).

        Corners whose values times a scale, shape (m,), are negligible are left out.
        """


@dataclass(frozen=True)
class Truncation:
    """Number of orders of m series, and what completes them.

    Either the transform has vanished after the last order, or the ends of all variables
    are resolved and corners sum the remainder, or a level follows; this is so only
    after the most orders.

    Attributes
    ----------
    n_orders : whole numbers, shape (m,).
    has_corners : whether the remainder is summed over corners, shape (m,).
    has_level : whether the series ends smoothly and a level follows, shape (m,).
    """

    n_orders: Indices
    has_corners: Bools
    has_level: Bools

    @classmethod
    def of(cls, vanishing: Floats, resolved: Floats, begun: Floats) -> "Truncation":
        """Choose it for orders, shape (m,) each, where transforms vanish and so on.

        A series has no corners before the order where it has `begun`, and a level
        reaches at least eight times as far.
        """
        wanted = np.where(
            vanishing <= CHEAP, vanishing, np.minimum(vanishing, resolved)
        )
        most = np.maximum(MAX_ORDERS, 8 * begun)
        least = np.maximum(1.01 * begun + 1, 8)
        n_orders = np.ceil(np.minimum(np.maximum(wanted + 1, least), most))
        if n_orders.size > 1:
            # One of four numbers for each power of two, so that few differ.
            unit = np.ldexp(1.0, np.frexp(n_orders - 1)[1] - 2)
            n_orders = np.ceil(n_orders / unit) * unit
        is_open = n_orders < vanishing
        has_level = is_open & (resolved > n_orders)
        if (has_level & (n_orders < most)).any():
            raise RuntimeError("A series ends before its variables are resolved.")
        return cls(n_orders.astype(np.intp), is_open & ~has_level, has_level)


def smooth_step(x: Floats) -> Floats:
    """Return values that rise from 0 at x <= 1/4 to 1 at x >= 1.

    They do so without a trace: the Fourier transform of the derivative is below 1e-13
    beyond `_SPREAD`.
    """
    rising = 0.5 * erfc(5.5 * (1 - (x - 0.25) / 0.375))
    return np.asarray(np.where(x <= 0.25, 0.0, rising))


def _groups(
    sums: Sums, step: Floats, reached: Floats, *keys: Any
) -> Iterator[tuple[Any, ...]]:
    """Yield the fields of a truncation, other keys, and blocks of rows sharing them.

    The series have these steps, and begin at the height that was reached, (m,) each.
    """
    truncation = Truncation.of(
        sums.vanishing / step, sums.resolved.max(axis=1) / step, reached / step
    )
    fields = truncation.n_orders, truncation.has_corners, truncation.has_level
    columns = [column.tolist() for column in (*fields, *keys)]
    groups: dict[tuple[Any, ...], list[int]] = {}
    for i, key in enumerate(zip(*columns, strict=True)):
        groups.setdefault(key, []).append(i)
    for key, rows in groups.items():
        size = max(1, _BLOCK_ENTRIES // key[0])
        for start in range(0, len(rows), size):
            yield *key, np.array(rows[start : start + size])


def series_of(sums: Sums) -> Iterator[tuple[Indices, Series]]:
    """Yield series of sums that share a number of orders, and their rows."""
    reach = sums.ranges()
    below, above = reach
    step = 2 * np.pi / (PERIOD * (below + above))
    end_densities = sums.end_densities(reach)
    deviation = np.sqrt(sums.variance)
    groups = _groups(sums, step, np.zeros_like(step), sums.have_one_peak)
    for n_orders, has_corners, has_level, has_one_peak, rows in groups:
        block = sums if rows.size == step.size else sums[rows]
        h = step[rows]
        values = block.coefficients(h, n_orders)
        corners = None
        levels: list[Level] = []
        if has_corners:
            rule = _rule(block, n_orders)
            found = block.corners(rule.log_orders, h, np.ones_like(h))
            corners = Corners(rule, h, *found)
        if has_level:
            values = values * (1 - smooth_step(np.arange(1, n_orders) / n_orders))
            levels = [*_levels(block, np.arange(rows.size), n_orders * h)]
        yield (
            rows,
            Series(
                Waves(2 * np.pi / h, values, corners),
                tuple(levels),
                low=-below[rows],
                high=above[rows],
                deviation=deviation[rows],
                end_densities=end_densities[:, rows],
                has_one_peak=has_one_peak,
            ),
        )


def _rule(sums: Sums, n_orders: int) -> Rule:
    # Rounded down to eighths, so that cached rules are used again.
    decay = float(sums.decay.min())
    return Rule.of(n_orders, math.floor(8 * decay) / 8 or decay)


def _is_relevant(sizes: Floats, most: int | None = None) -> Bools:
    """Return which terms to keep, (m, C), so that the sum of the others is small.

    At most so many are kept of each row.
    """
    order = np.argsort(sizes, axis=1)
    total = np.cumsum(np.take_along_axis(sizes, order, axis=1), axis=1)
    kept = total > _NEGLIGIBLE
    if most is not None:
        kept[:, :-most] = False
    relevant = np.empty(sizes.shape, dtype=bool)
    np.put_along_axis(relevant, order, kept, axis=1)
    return relevant


def _levels(sums: Sums, rows: Indices, reached: Floats) -> Iterator[Level]:
    """Yield the levels of sums, shape (m,), whose series end smoothly at a height.

    Each has its row in the whole, and the height that was reached, shape (m,).
    """
    is_wide = sums.resolved <= 0.25 * reached[:, np.newaxis]
    narrow = sums.only(~is_wide)
    spread = _SPREAD / reached
    below, above = (spread + distance for distance in narrow.ranges())
    step = 2 * np.pi / (below + above)
    groups = _groups(sums, step, reached)
    for n_orders, has_corners, has_level, alike in groups:
        h = step[alike]
        wide = sums[alike].only(is_wide[alike])
        others = narrow[alike]

        # The beginning is zero up to a quarter of the height reached.
        first = max(1, int((0.25 * reached[alike] / h).min()))
        orders = np.arange(first, n_orders)
        factors = others.coefficients(h, n_orders)[:, first - 1 :]
        factors *= smooth_step(orders * (h / reached[alike])[:, np.newaxis])
        if has_level:
            factors *= 1 - smooth_step(orders / n_orders)
        largest = np.abs(factors).max(axis=1)

        logs = np.log(orders + 0j)
        rule = _rule(sums[alike], n_orders)
        if has_corners:
            logs = np.append(logs, rule.log_orders)
        positions, terms = wide.corners(logs, h, largest)

        # Every corner of every row has its own waves; some are negligible in sum.
        values = terms[..., : orders.size] * factors[:, np.newaxis]
        row, corner = np.nonzero(_is_relevant(np.abs(values).max(axis=2)))
        values = np.pad(values[row, corner], ((0, 0), (first - 1, 0)))

        origins = (positions + others.means[..., np.newaxis])[..., np.newaxis]
        if row.size:
            series = Waves(2 * np.pi / h[row], values)
            own = alike[row]
            yield Level(
                rows[own], origins[:, row, corner], below[own], above[own], series
            )
        if has_corners:
            # Their remainders are summed over the corners of the other variables.
            terms = terms[..., orders.size :]
            inner, inner_terms = others.corners(rule.log_orders, h, largest)
            outer_sizes = np.abs(terms[:, :, np.newaxis, 0])
            sizes = outer_sizes * np.abs(inner_terms[:, np.newaxis, :, 0])
            relevant = _is_relevant(sizes.reshape(len(h), -1), _MAX_REMAINDERS)
            row, corner, other = np.nonzero(relevant.reshape(sizes.shape))
            at_corners = positions[:, row, corner] + inner[:, row, other]
            at_rule = terms[row, corner] * inner_terms[row, other]
            corners = Corners(
                rule, h[row], at_corners[..., np.newaxis], at_rule[:, np.newaxis]
            )
            if row.size:
                no_orders = np.zeros((row.size, 1), dtype=complex)
                remainder = Waves(2 * np.pi / h[row], no_orders, corners)
                own = alike[row]
                yield Level(
                    rows[own],
                    origins[:, row, corner],
                    below[own],
                    above[own],
                    remainder,
                )
        if has_level:
            yield from _levels(sums[alike], rows[alike], n_orders * h)
