r"""Transforms of strata of classes in their states, at any heights.

In the state (mu, kappa) a class that borrows is Beta(a, b) with a = k + base + mu kappa and
b = n - k + base + (1 - mu) kappa. Its transform is an entire function of mu (Kummer's function
M(a, a + b; i t w), NIST Digital Library of Mathematical Functions, 13.2), and changes by a factor
of about

    exp(kappa d log(1 + |t w| / (n + kappa)))

over a distance d, until it vanishes. It is computed at some Chebyshev points of the rates of each
strength, and at all rates by interpolation. At all points where n p q is alike it is a quadrature
with the same nodes, on a rotated path in the plane of log-odds (`skpostbac.stats._beta.series`).
On a path at the angle alpha, at log-odds d from those of p, the weights are

    exp(n (i p alpha - log(q + p e^(d + i alpha))) + n p d + e (d + i alpha)),    e = a - n p.

With one strength n is the same at all points, so that these differ by exp(e d), which is real, and
by a factor for all nodes: transforms are products of a real matrix and that of the waves.

Heights may be complex: minus i times a real tilt gives the moment generating function.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from skpostbac._utils import Complexes, Floats, Indices
from skpostbac.stats._borrowing.pool import Stratum
from skpostbac.stats._numerics import (
    chebyshev_count,
    chebyshev_matrix,
    chebyshev_points,
    chebyshev_values,
    matrix_product,
    waves,
)

# Weights below exp(-DIGITS) = 5e-12 are left out, and so is the error of the rule.
_DIGITS = 26.0
# Beyond this the odds would overflow, and theta is 0 or 1.
_LARGEST_LOG_ODDS = 300.0
# Classes share nodes if their samples have no larger ratio.
_RATIO = 3.0


@dataclass(frozen=True)
class Rule:
    """Quadrature of some rows at some points of the rate.

    Attributes
    ----------
    rows : their places in the stratum.
    sizes : their weights in the sum.
    offset : centre of the nodes less the means of the rows.
    sizes_of_weights : shape (n_rows, n_points, n_nodes).
    turns : their directions, for some points each, shape (n_rows, n_nodes).
    scale : what makes their sums one, shape (n_rows, n_points).
    theta : nodes less their centre, shape (n_nodes,).
    """

    classes: Indices
    sizes: Floats
    offset: Floats
    sizes_of_weights: Floats
    turns: list[tuple[slice, Complexes]]
    scale: Complexes
    theta: Complexes

    @classmethod
    def of(
        cls,
        stratum: Stratum,
        classes: Indices,
        borrowed: tuple[Floats, Floats, Sequence[slice]],
        height: float,
    ) -> "Rule":
        """Find nodes that serve rows that borrow so many samples, shape (n_points,) each.

        The points with one strength are given as well.
        """
        up, down, alike = borrowed
        own = stratum.classes[classes]
        a = (own.correct + stratum.base)[:, np.newaxis] + up
        b = (own.wrong + stratum.base)[:, np.newaxis] + down
        n = a + b
        place, curvature = np.log(a / b), a * (b / n)
        rate = height * np.abs(own.weights)[:, np.newaxis] / n
        # The rotation lets the weights grow by exp(1.5) at most.
        angle = min(float(np.arccos(np.exp(-1.5 / curvature.max()))), 0.6)
        # Log-odds are counted from this.
        middle = 0.5 * float(place.min() + place.max())
        p, q = 1 / (1 + np.exp(-middle)), 1 / (1 + np.exp(middle))
        low, high = _window(a / n, b / n, n, curvature)
        below, above = float((middle - place + low).max()), float((place - middle + high).max())
        # In windows that reach far, nodes spread out, beginning at two.
        begin = 2.0 + np.log1p(rate)
        spread, reach = [0.0, 0.0], [below, above]
        for side, start in enumerate(
            (
                middle - (np.minimum(place, 0) - begin).min(),
                (np.maximum(place, 0) + begin).max() - middle,
            )
        ):
            if reach[side] > 4 and reach[side] > start:
                spread[side] = float(np.exp(-start))
                reach[side] = float(min(reach[side], start + np.log(reach[side] + spread[side])))
        few = np.geomspace(curvature.min(), curvature.max(), 4)
        bandwidth = _bandwidth(few, angle, float(rate.max()))
        count = int(np.ceil(sum(reach) * bandwidth / (2 * np.pi) + 2))
        v = np.linspace(-reach[0], reach[1], count)
        down_v, up_v = spread[0] * np.exp(-v), spread[1] * np.exp(v)
        d, stretch = v + (spread[0] - down_v) + (up_v - spread[1]), 1 + down_v + up_v
        if own.weights[0] < 0:
            angle = -angle
        # As in `skpostbac.stats._beta.series`: q + p exp(d + i angle) is 1 + x + i y.
        finite = np.minimum(d, _LARGEST_LOG_ODDS)
        odds_less_one, half_sine = np.expm1(finite), np.sin(0.5 * angle)
        x = p * (odds_less_one * np.cos(angle) - 2 * half_sine * half_sine)
        y = (odds_less_one + 1) * (p * np.sin(angle))
        square = x * (x + 2) + y * y
        sizes = p * d - 0.5 * np.log1p(square) - (d - finite)
        angles = p * angle - np.arctan2(y, 1 + x)
        n, excess = n[..., np.newaxis], (a - n * p)[..., np.newaxis]
        weights = n * sizes + excess * d
        weights -= weights.max(axis=-1, keepdims=True)
        np.exp(weights, out=weights)
        weights *= stretch
        scale = np.empty(a.shape, dtype=complex)
        turns = []
        for points in alike:
            turn = np.exp(1j * angles * n[:, points.start])
            # As pairs of reals: OpenBLAS leaves these to one thread.
            pairs = turn.view(float).reshape(*turn.shape, 2)
            scale[:, points] = 1 / (weights[:, points] @ pairs).view(complex)[..., 0]
            turns.append(turn)
        # Bounds of windows may be far too wide.
        kept = (weights * np.abs(scale)[..., np.newaxis]).max(axis=(0, 1)) > 1e-14
        weights, x, y, square = weights[..., kept], x[kept], y[kept], square[kept]
        theta = (q / (1 + square)) * (x * (1 + x) + y * y + 1j * y)
        right, wrong = (mean[classes] for mean in stratum.means)
        return cls(
            *(classes, own.weights, np.where(right < wrong, p - right, wrong - q), weights),
            [(points, turn[:, kept]) for points, turn in zip(alike, turns, strict=True)],
            *(scale, theta),
        )

    def values(self, heights: Complexes) -> Complexes:
        """Return transforms about the means, shape (n_rows, n_points, n_heights)."""
        found = np.empty((*self.scale.shape, heights.size), dtype=complex)
        for size in set(self.sizes.tolist()):
            chosen = self.sizes == size
            theta, shift = size * self.theta, size * self.offset[chosen]
            reach = float(np.abs(theta + shift[:, np.newaxis]).max())
            points, matrix = _few_heights(heights, reach)
            angle = np.multiply.outer(theta, points)
            wave, sizes = waves(angle.real, -angle.imag), self.sizes_of_weights[chosen]
            sums = np.empty((*sizes.shape[:2], points.size), dtype=complex)
            for alike, turns in self.turns:
                turned = turns[chosen][..., np.newaxis] * wave
                columns, here = turned.view(float), sums[:, alike].view(float)
                for row, table, out in zip(sizes[:, alike], columns, here, strict=True):
                    matrix_product(row, table, out)
            shifts = np.exp(1j * np.multiply.outer(shift, points))[:, np.newaxis]
            sums *= self.scale[chosen][..., np.newaxis] * shifts
            found[chosen] = sums if matrix is None else chebyshev_values(sums, matrix)
        return found


def _window(p: Floats, q: Floats, n: Floats, curvature: Floats) -> tuple[Floats, Floats]:
    """Distances in log-odds, below and above, beyond which the weights are negligible.

    The root of n (log(q + p e^d) - p d) = DIGITS. The function is convex, and Newton's steps stay
    outside, beginning with the lines to which it tends, or a Gamma variable.
    """
    x, level, found = _DIGITS / curvature, _DIGITS / n, []
    for near, far in ((p, q), (q, p)):
        # On each side, as if it were the lower one.
        d = np.minimum((level - np.log(far)) / near, x + np.sqrt(2 * x))
        d = np.minimum(d, _LARGEST_LOG_ODDS)
        for _ in range(2):
            fall = near * np.expm1(-d)
            excess = np.log1p(fall) + near * d - level
            d = d + np.where(d < _LARGEST_LOG_ODDS, excess * (1 + fall) / (far * fall), 0.0)
        found.append(d)
    return found[0], found[1]


def _bandwidth(curvature: Floats, angle: float, rate: float) -> float:
    """Largest bandwidth of the integrands on a path."""
    most = 4 * (np.sqrt(2 * _DIGITS / curvature) + angle)
    shares = np.array([0.1, 0.2, 0.32, 0.46, 0.62, 0.8, 0.95])
    shift = np.minimum(0.5 * np.pi - angle, most)[:, np.newaxis] * shares
    # The wave does not grow on paths on the same side.
    shift = np.hstack([shift, np.full((curvature.size, 1), 0.95 * angle)])
    down = np.cos(angle - shift) + np.minimum(rate * np.sin(angle - shift), 0.0)
    least = np.maximum(np.minimum(np.cos(angle + shift), down), 1e-300)
    growth = -curvature[:, np.newaxis] * np.log(least)
    return float(((_DIGITS + growth) / shift).min(axis=1).max())


def _rules(
    stratum: Stratum, borrowed: tuple[Floats, Floats, Sequence[slice]], height: float
) -> list[Rule]:
    """Rules for all rows of a stratum at some points, those of similar rows together."""
    classes, (up, down, _) = stratum.classes, borrowed
    a = classes.correct + stratum.base + up.mean()
    b = classes.wrong + stratum.base + down.mean()
    n, place, is_up = a + b, np.log(a / b), classes.weights > 0
    width = np.sqrt(2 * _DIGITS * n / a / b)
    order = np.lexsort((place, np.floor(np.log(n) / np.log(_RATIO)), is_up))
    found, first = [], 0
    for last in range(1, n.size + 1):
        if last < n.size:
            one, two = order[first], order[last]
            is_alike = is_up[one] == is_up[two] and max(n[one], n[two]) < _RATIO * min(
                n[one], n[two]
            )
            # and their windows overlap
            if is_alike and abs(place[two] - place[one]) < 0.7 * (width[one] + width[two]):
                continue
        found.append(Rule.of(stratum, np.sort(order[first:last]), borrowed, height))
        first = last
    return found


@dataclass(frozen=True)
class StratumTransform:
    """Transform of the sum of a stratum about its mean, in each state.

    Attributes
    ----------
    stratum : the classes.
    outliers : rules of the rows if they borrow nothing.
    parts : rules at some points, and for states with one strength their rows, the points from which
        these are interpolated, and the matrix that does it, if any.
    """

    stratum: Stratum
    outliers: list[Rule]
    parts: list[tuple[list[Rule], list[tuple[slice, slice, Floats | None]]]]

    @classmethod
    def of(cls, stratum: Stratum, height: float) -> "StratumTransform":
        """Prepare transforms at real heights up to one, and with small tilts."""
        if not stratum.classes.count.size:
            return cls(stratum, [], [])
        kappa, one = stratum.borrowed.kappa, stratum.classes.total.argmin()
        a, b = stratum.a[:, one], stratum.b[:, one]
        curvature = a * (b / (a + b))
        # States of a strength share points where n p q, of the smallest class, is alike.
        level = 2 * np.floor(np.log(curvature) / np.log(8.0)) + (a < b)
        differs = (np.diff(kappa) > 0) | (np.diff(level) != 0)
        bounds = np.flatnonzero(np.append(np.append(True, differs), True)).tolist()
        size = height * np.abs(stratum.classes.weights).max() / (kappa + stratum.classes.total[one])
        parts: dict[
            float, tuple[list[Floats], list[Floats], list[tuple[slice, slice, Floats | None]]]
        ] = {}
        for first, last in pairwise(bounds):
            rows = slice(first, last)
            up, down, matrix = stratum.borrowed.up[rows], stratum.borrowed.down[rows], None
            # Where t w / n is more than 7 over the root of n p q, a transform is below exp(-24).
            turn = min(np.log1p(size[first]), 7.0 / np.sqrt(curvature[rows].min()))
            change = 0.5 * (up[-1] - up[0]) * turn
            n_points = chebyshev_count(change)
            if n_points < up.size:
                matrix = chebyshev_matrix(n_points, (up - up[0]) / (up[-1] - up[0]))
                share = chebyshev_points(n_points)
                up, down = (x[0] + (x[-1] - x[0]) * share for x in (up, down))
            ups, downs, some = parts.setdefault(level[first], ([], [], []))
            start = sum(part.size for part in ups)
            some.append((rows, slice(start, start + up.size), matrix))
            ups.append(up)
            downs.append(down)
        found = []
        for ups, downs, some in parts.values():
            alike = [points for _, points, _ in some]
            borrowed = np.concatenate(ups), np.concatenate(downs), alike
            found.append((_rules(stratum, borrowed, height), some))
        nothing = np.zeros(1), np.zeros(1), [slice(0, 1)]
        return cls(stratum, _rules(stratum, nothing, height), found)

    def values(self, heights: Complexes) -> Complexes:
        """Transform in all states, shape (n_states, n_heights); real heights are ascending."""
        stratum, (right, wrong) = self.stratum, self.stratum.means
        deviations = np.sqrt(right * wrong / (stratum.classes.total + 1))
        # Less than 1e-12 of the mass is farther from the mean than 30 standard deviations, even of
        # an exponential variable.
        reach = np.minimum(np.maximum(right, wrong), 30 * deviations)
        heights, of_heights = _few_heights(
            heights, float(stratum.classes.count @ (np.abs(stratum.classes.weights) * reach))
        )
        found = np.ones((stratum.log_weights.size, heights.size), dtype=complex)
        count = stratum.classes.count.astype(int)
        alone = np.empty((count.size, heights.size), dtype=complex)
        for rule in self.outliers:
            alone[rule.classes] = rule.values(heights)[:, 0]
        borrows = 1 - stratum.outlier
        for rules, some in self.parts:
            for rule in rules:
                other, power = alone[rule.classes], count[rule.classes]
                # (n_points, n_rows, n_heights)
                table = np.subtract(rule.values(heights).transpose(1, 0, 2), other, order="C")
                for rows, points, matrix in some:
                    values = table[points]
                    if matrix is not None:
                        flat = values.reshape(len(values), -1).view(float)
                        values = matrix_product(matrix, flat).view(complex)
                        values = values.reshape(-1, *other.shape)
                    # Each point is used by one strength, and each table once.
                    values *= borrows[rows, rule.classes][..., np.newaxis]
                    values += other
                    for one, times in zip(values.transpose(1, 0, 2), power, strict=True):
                        found[rows] *= one if times == 1 else one**times
        return found if of_heights is None else chebyshev_values(found, of_heights)


def _few_heights(heights: Complexes, reach: float) -> tuple[Complexes, Floats | None]:
    """Heights at which transforms of variables in [-reach, reach] are computed.

    And the matrix that takes values there to all heights, if few real ones suffice.
    """
    change = 0.5 * (heights[-1] - heights[0]).real
    count = chebyshev_count(change * reach)
    if heights.imag.any() or count > 0.7 * heights.size:
        return heights, None
    points = heights[0] + 2 * change * chebyshev_points(count)
    return points, chebyshev_matrix(count, (heights - heights[0]).real / (2 * change)).T
