r"""Transforms of strata of classes in their states, at any heights.

In the state (mu, kappa) a class that borrows is Beta(a, b) with a = k + base + mu kappa and
b = n - k + base + (1 - mu) kappa. Its transform is an entire function of mu (Kummer's function
M(a, a + b; i t w), NIST Digital Library of Mathematical Functions, 13.2), and changes by a factor
of about

    (1 + i x)^(kappa d),    x = t w / (n + kappa),

over a distance d, until it vanishes: a wave that turns by the angle of 1 + i x and grows by its
size. It is computed at some Chebyshev points of the rates of each strength, and at all rates by
interpolation. Rows of a stratum whose x differ much need different numbers of points, and are
computed apart. At all points where n p q is alike it is a quadrature with the same nodes, on a
rotated path in the plane of log-odds (`skpostbac.stats._beta.characteristic`). On a path at the
angle alpha, at log-odds d from those of p, the weights are

    exp(n (i p alpha - log(q + p e^(d + i alpha))) + n p d + e (d + i alpha)),    e = a - n p.

With one strength n is the same at all points, so that these differ by exp(e d), which is real, and
by a factor for all nodes: transforms are products of a real matrix and that of the waves.

Where many rows have short reaches in the sum, their transforms hardly turn over a block of heights.
They are multiplied in batches, each at the few Chebyshev points of the heights that its sum needs.

Heights may be complex: minus i times a real tilt gives the moment generating function.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from skpostbac._utils import Bools, Complexes, Floats, Indices
from skpostbac.stats._beta import bandwidth, rotated, window
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
# Classes share nodes if their samples have no larger ratio.
_RATIO = 3.0
# Of more rows times states and heights than this, rows are multiplied in batches at few heights:
# of those whose waves turn by about 12 together, and of up to 64.
_MANY, _TURN, _BATCH = 2**20, 12.0, 64


@dataclass(frozen=True)
class Rule:
    """Quadrature of some rows at some points of the rate; those of equal counts share weights.

    Attributes
    ----------
    rows : their places in the stratum.
    kind : number of the counts of each row.
    sizes : their weights in the sum.
    offset : centre of the nodes less the means, for each kind.
    sizes_of_weights : shape (n_kinds, n_points, n_nodes).
    turns : directions of the weights, for some points each, shape (n_kinds, n_nodes).
    scale : what makes their sums one, shape (n_kinds, n_points).
    theta : nodes less their centre, shape (n_nodes,).
    """

    rows: Indices
    kind: Indices
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
        rows: Indices,
        borrowed: tuple[Floats, Floats, Sequence[slice]],
        height: float,
    ) -> "Rule":
        """Find nodes that serve rows that borrow so many samples, shape (n_points,) each.

        The points with one strength are given as well.
        """
        up, down, alike = borrowed
        # Rows of equal counts follow one another.
        counts = np.stack([stratum.classes.correct, stratum.classes.total])[:, rows]
        is_new = np.append(True, np.diff(counts).any(axis=0))
        in_sum, first = stratum.classes.weights[rows], rows[is_new]
        own = stratum.classes[first]
        a = (own.correct + stratum.base)[:, np.newaxis] + up
        b = (own.wrong + stratum.base)[:, np.newaxis] + down
        n = a + b
        place, curvature = np.log(a / b), a * (b / n)
        rate = height * np.abs(in_sum).max() / n
        # The rotation lets the weights grow by exp(1.5) at most.
        angle = min(float(np.arccos(np.exp(-1.5 / curvature.max()))), 0.6)
        # Log-odds are counted from this.
        middle = 0.5 * float(place.min() + place.max())
        p, q = 1 / (1 + np.exp(-middle)), 1 / (1 + np.exp(middle))
        low, high = window(a / n, b / n, n, curvature, _DIGITS, 2)
        reach = np.array([(middle - place + low).max(), (place - middle + high).max()])
        # In windows that reach far, nodes spread out, beginning at two.
        begin = 2.0 + np.log1p(rate)
        start = np.array(
            [(begin - np.minimum(place, 0)).max(), (begin + np.maximum(place, 0)).max()]
        )
        start += [middle, -middle]
        is_far = (reach > 4) & (reach > start)
        spread = np.where(is_far, np.exp(-start), 0.0)
        reach = np.where(is_far, np.minimum(reach, start + np.log(reach + spread)), reach)
        few = np.geomspace(curvature.min(), curvature.max(), 4)
        width = float(bandwidth(few, angle, rate.max(), _DIGITS).max()) / (2 * np.pi)
        count = int(np.ceil(reach.sum() * width + 2))
        v = np.linspace(-reach[0], reach[1], count)
        down_v, up_v = spread[0] * np.exp(-v), spread[1] * np.exp(v)
        d, stretch = v + (spread[0] - down_v) + (up_v - spread[1]), 1 + down_v + up_v
        if in_sum[0] < 0:
            angle = -angle
        x, y, square, sizes, angles = rotated(p, d, angle)
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
        right, wrong = (mean[first] for mean in stratum.means)
        offset = np.where(right < wrong, p - right, wrong - q)
        return cls(
            *(rows, np.cumsum(is_new) - 1, in_sum, offset, weights),
            [(points, turn[:, kept]) for points, turn in zip(alike, turns, strict=True)],
            *(scale, theta),
        )

    def values(self, heights: Complexes, some: Indices) -> Complexes:
        """Return transforms of some rows about their means, (n_points, n_some, n_heights)."""
        sizes, place = np.unique(self.sizes[some], return_inverse=True)
        reach = np.abs(sizes).max() * np.abs(self.theta + self.offset[:, np.newaxis]).max()
        points, matrix = _few_heights(heights, float(reach))
        found = np.empty((self.scale.shape[1], some.size, points.size), dtype=complex)
        turns = np.multiply.outer(sizes, points)
        angle = np.multiply.outer(self.theta, turns)
        wave, kind = waves(angle.real, -angle.imag), self.kind[some]
        for number in set(kind.tolist()):
            here = kind == number
            own = place[here] if sizes.size > 1 else slice(None)
            columns = wave[:, own].reshape(self.theta.size, -1)
            sums = np.empty((len(found), columns.shape[1]), dtype=complex)
            for alike, direction in self.turns:
                turned = direction[number][:, np.newaxis] * columns
                weights = self.sizes_of_weights[number, alike]
                matrix_product(weights, turned.view(float), sums[alike].view(float))
            sums *= np.exp(1j * self.offset[number] * turns[own]).ravel()
            sums *= self.scale[number][:, np.newaxis]
            found[:, here] = sums.reshape(len(found), -1, points.size)
        return found if matrix is None else chebyshev_values(found, matrix)


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
            half, z = 0.5 * (up[-1] - up[0]), np.expm1(turn)
            n_points = chebyshev_count(half * np.arctan(z), half * 0.5 * np.log1p(z * z))
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
        (right, wrong), classes = self.stratum.means, self.stratum.classes
        deviations = np.sqrt(right * wrong / (classes.total + 1))
        # Less than 1e-12 of the mass is farther from the mean than 30 standard deviations, even of
        # an exponential variable.
        reach = np.minimum(np.maximum(right, wrong), 30 * deviations)
        reach *= classes.count * np.abs(classes.weights)
        found = np.ones((self.stratum.log_weights.size, heights.size), dtype=complex)
        # Rows with short reaches are multiplied at few heights.
        order = np.argsort(reach)
        turned = 0.5 * (heights[-1] - heights[0]).real * np.cumsum(reach[order])
        batch = np.zeros_like(turned)
        if order.size * found.size > _MANY:
            batch = np.maximum(turned // _TURN, np.arange(order.size) // _BATCH)
        for number in np.unique(batch):
            chosen = np.isin(np.arange(order.size), order[batch == number])
            few, of_few = _few_heights(heights, float(reach[chosen].sum()))
            product = self._product(few, chosen)
            found *= product if of_few is None else chebyshev_values(product, of_few)
        return found

    def _product(self, heights: Complexes, chosen: Bools) -> Complexes:
        """Transform of the sum of some rows."""
        count, borrows = self.stratum.classes.count.astype(int), 1 - self.stratum.outlier
        product = np.ones((len(borrows), heights.size), dtype=complex)
        alone = np.empty((count.size, heights.size), dtype=complex)
        for rule in self.outliers:
            if (some := np.flatnonzero(chosen[rule.rows])).size:
                (alone[rule.rows[some]],) = rule.values(heights, some)
        for rules, parts in self.parts:
            for rule in rules:
                some = np.flatnonzero(chosen[rule.rows])
                if not some.size:
                    continue
                rows = rule.rows[some]
                other, power = alone[rows], count[rows]
                table = rule.values(heights, some)
                table -= other
                for states, points, matrix in parts:
                    values = table[points]
                    if matrix is not None:
                        flat = values.reshape(len(values), -1).view(float)
                        values = matrix_product(matrix, flat).view(complex)
                        values = values.reshape(-1, *other.shape)
                    # Each point is used by one strength, and each table once.
                    values *= borrows[states][:, rows, np.newaxis]
                    values += other
                    for one, times in zip(values.transpose(1, 0, 2), power, strict=True):
                        product[states] *= one if times == 1 else one**times
        return product


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
