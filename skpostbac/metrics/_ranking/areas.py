"""Areas under the ROC and the precision-recall curves of samples with random weights.

The weights of the Bayesian bootstrap (Rubin, Annals of Statistics 9, 1981) are
independent Gamma variables, one for each sample, or for each group of samples that
depend on one another. With half a sample of either class below all scores, and half a
sample above, areas are not certain where no score is out of order; nor are differences
where one classifier is never worse, as these halves are not the same for all of them.

A curve has levels, distinct scores from the lowest to the highest. The masses n_l of
negatives and p_l of positives at them are sums of weights. With the shares of negatives
below a level and of positives and negatives from it on,

    roc_auc = sum_l p_l (sum_{k<l} n_k + n_l / 2) / (sum p sum n), average_precision =
    sum_l p_l P_l / sum p,    P_l = share of positives in levels k >= l.

Levels next to each other that have samples of one class only, and of the same one,
count as one for `roc_auc`; for `average_precision` those of negatives do.

The areas are smooth functions of the weights g_u. With many samples they are normal,
with the covariances sum_u s_u (dA / dg_u) (dB / dg_u), where s_u is the mean and the
variance of g_u.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.linalg import hadamard
from scipy.sparse import csr_array, eye_array

from skpostbac._utils import Bools, Floats, Indices
from skpostbac.metrics._dependence import sum_by

# Masses of negatives and positives at the levels of a curve, (2, L, ...), to the area,
# (...).
Area: TypeAlias = Callable[[Floats], Floats]


def roc_area(masses: Floats) -> Floats:
    """Return the area under the ROC curve."""
    negative, positive = masses
    below = np.cumsum(negative, axis=0) - 0.5 * negative
    sums = masses.sum(axis=1)
    return np.asarray((positive * below).sum(axis=0) / (sums[0] * sums[1]))


def precision_area(masses: Floats, prevalence: float | None = None) -> Floats:
    """Return the average precision, for a known prevalence if it is given."""
    sums = masses.sum(axis=1)
    negative, positive = np.cumsum(masses[:, ::-1], axis=1)[:, ::-1]
    if prevalence is not None:
        negative = negative * ((1 - prevalence) / sums[0])
        positive = positive * (prevalence / sums[1])
    total = negative + positive
    precision = np.divide(positive, total, out=np.zeros_like(total), where=total > 0)
    return np.asarray((masses[1] * precision).sum(axis=0) / sums[1])


def roc_points(masses: Floats) -> Floats:
    """Return false- and true-positive rates at all thresholds, (2, L + 1, ...)."""
    rates = np.cumsum(masses[:, ::-1], axis=1) / masses.sum(axis=1, keepdims=True)
    return np.concatenate([np.zeros_like(rates[:, :1]), rates], axis=1)


def _roc_slopes(masses: Floats) -> Floats:
    """Return the derivatives of the ROC AUC by the masses, shape (2, L)."""
    negative, positive = masses
    sums = masses.sum(axis=1)
    area = roc_area(masses)
    below = (np.cumsum(negative) - 0.5 * negative) / sums[0]
    above = 1 - (np.cumsum(positive) - 0.5 * positive) / sums[1]
    return np.stack([(above - area) / sums[0], (below - area) / sums[1]])


def _precision_slopes(masses: Floats) -> Floats:
    """Return the derivatives of the average precision by the masses, shape (2, L)."""
    total_positive = masses[1].sum()
    area = precision_area(masses)
    negative, positive = np.cumsum(masses[:, ::-1], axis=1)[:, ::-1]
    total = negative + positive

    # A mass counts in the precision at its level, and at all levels below.
    factor = masses[1] / total_positive / total**2
    own = (positive / total - area) / total_positive
    by_negative = -np.cumsum(factor * positive)
    return np.stack([by_negative, np.cumsum(factor * negative) + own])


# The derivatives of the areas that have a normal limit. With a known prevalence the
# average precision is too far from linear.
SLOPES: dict[Area, Callable[[Floats], Floats]] = {
    roc_area: _roc_slopes,
    precision_area: _precision_slopes,
}


# Draws at once: with a hundred levels, their masses stay in the cache of a processor.
_BLOCK = 1000


class RocBand(NamedTuple):
    """Points of a ROC curve, with credible intervals of the heights, (n_points,)."""

    fpr: Floats
    tpr: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True)
class Curves:
    """Curves of levels whose masses are sums of independent weights.

    Attributes
    ----------
    shapes : ndarray of shape (U,)
        Parameters of the weights, which are Gamma variables.
    matrix : csr_array of shape (2 * all levels, U)
        Masses from weights: negatives, then positives of each curve.
    n_levels : ndarray of shape (C,)
        Number of levels of each curve.
    ends : ndarray of int
        Positions of the weights below and above all scores.
    area : callable
        Area of a curve.
    """

    shapes: Floats
    matrix: csr_array
    n_levels: Indices
    ends: Indices
    area: Area

    def _masses(self, weights: Floats) -> list[Floats]:
        """Return the masses (2, L, n) of each curve for weights of shape (U, n)."""
        masses = np.split(self.matrix @ weights, 2 * np.cumsum(self.n_levels)[:-1])
        return [each.reshape(2, -1, weights.shape[1]) for each in masses]

    def areas(self, weights: Floats) -> Floats:
        """Return the area of each curve, shape (C, n), for weights of shape (U, n)."""
        return np.stack([self.area(masses) for masses in self._masses(weights)])

    @property
    def _observed(self) -> Floats:
        """The weights on the test samples, shape (U, 1)."""
        weights = self.shapes.copy()
        weights[self.ends] = 0.0
        return weights[:, np.newaxis]

    def observed(self) -> Floats:
        """Return the areas on the test samples, shape (C,)."""
        return self.areas(self._observed)[:, 0]

    def _draws(self, rng: np.random.Generator, n_draws: int) -> Iterator[Floats]:
        """Draw weights, in blocks of shape (U, n)."""
        width = min(_BLOCK, max(1, 2**20 // max(self.matrix.shape)))
        for start in range(0, n_draws, width):
            weights = np.empty((len(self.shapes), min(width, n_draws - start)))
            for row, shape in zip(weights, self.shapes.tolist(), strict=True):
                rng.standard_gamma(shape, out=row)
            yield weights

    def draw(self, rng: np.random.Generator, n_draws: int) -> Floats:
        """Draw the areas of all curves, (C, n_draws)."""
        return np.hstack([self.areas(weights) for weights in self._draws(rng, n_draws)])

    def roc_band(self, level: float, rng: np.random.Generator, n_draws: int) -> RocBand:
        """Return points of the first curve with intervals, which contain them."""
        # Both rates increase, and so does their sum, along the curve.
        steps = roc_points(self._masses(self._observed)[0])[..., 0]
        length = steps.sum(axis=0)
        along = np.union1d(length, np.linspace(0, 2, 401))
        fpr, tpr = (np.interp(along, length, rates) for rates in steps)

        heights = [
            np.interp(fpr, *points)
            for weights in self._draws(rng, n_draws)
            for points in roc_points(self._masses(weights)[0]).transpose(2, 0, 1)
        ]
        tail = (1 - level) / 2
        low, high = np.quantile(heights, [tail, 1 - tail], axis=0)
        return RocBand(fpr, tpr, np.minimum(low, tpr), np.maximum(high, tpr))

    def normal_limit(self) -> tuple[Floats, Floats]:
        """Return means, shape (C,), and covariances, (C, C), of the normal limit.

        The area must be one of `SLOPES`.
        """
        shapes = self.shapes[:, np.newaxis]
        slopes = []
        end = 0
        for masses in self._masses(shapes):
            start = end
            end += masses.size
            slope = SLOPES[self.area](masses[..., 0]).ravel()
            slopes.append(self.matrix[start:end].T @ slope)

        by_weight = np.array(slopes)
        return self.areas(shapes)[:, 0], (by_weight * self.shapes) @ by_weight.T


class Ranking(NamedTuple):
    """Scores of samples for one curve of a classifier."""

    scores: Floats
    is_positive: Bools
    chosen: Bools | slice = slice(None)
    """Samples that belong to the curve."""
    classifier: int = 0


# Probability that a sample beyond all scores is on different sides for two classifiers.
# With a lower one, intervals contain the difference less often if a class has about ten
# samples; with a higher one, fewer real differences are found.
_DISAGREEMENT = 0.25


def _corners(n_classifiers: int) -> tuple[Indices, Floats]:
    """Return the corners beyond the scores of all classifiers, and their shapes.

    A corner, a row of shape (T,), has -1 for each of T classifiers if it is below all
    scores, and 1 if it is above them. The 2 N corners are the rows of a Hadamard matrix
    and of its negative: in any two columns each pair of sides is in N / 2 rows, and in
    any three each triple is equally often.

    All corners have the shape d / N, and the two on which all classifiers agree have
    1/2 - d more. The weight in all corners with given sides of two classifiers is thus
    a Gamma variable of the shape d / 2 if the sides differ, and (1 - d) / 2 if they do
    not, whatever the other classifiers. For one classifier it is 1/2 on each side.
    """
    size = 1 << (n_classifiers - 1).bit_length()
    above = hadamard(size)[:, :n_classifiers]
    shapes = np.full(size, _DISAGREEMENT / size)
    shapes[0] += 0.5 - _DISAGREEMENT
    return np.concatenate([-above, above]), np.tile(shapes, 2)


def make_curves(
    rankings: Sequence[Ranking],
    area: Area,
    weight: Floats,
    group: Indices | None = None,
    *,
    is_importance: bool = False,
) -> Curves:
    """Arrange n samples by the levels of their scores.

    Parameters
    ----------
    rankings : sequence of Ranking
        Rankings of the same samples by one classifier or several.
    area : callable
        Area of a curve.
    weight : ndarray of shape (n,)
        Positive weights.
    group : ndarray of shape (n,), optional
        Index of the group of each sample.
    is_importance : bool
        Whether the weights are importance weights.
    """
    cells = np.full((len(rankings), len(weight)), -1)
    n_levels = list[int]()
    ends = []
    for row, ranking in zip(cells, rankings, strict=True):
        is_positive = ranking.is_positive[ranking.chosen]
        values, place = np.unique(ranking.scores[ranking.chosen], return_inverse=True)
        occurs = np.zeros((2, values.size), dtype=bool)
        occurs[is_positive.astype(int), place] = True
        alone = occurs & ~occurs[::-1] & [[True], [area is roc_area]]
        level = np.cumsum(np.append(True, ~(alone[:, 1:] & alone[:, :-1]).any(axis=0)))

        # The levels of both classes are rows of the matrix, with one more at each end.
        start = 2 * sum(n_levels)
        size = int(level[-1]) + 2
        row[ranking.chosen] = start + size * is_positive + level[place]
        ends.append(start + np.array([0, size - 1, size, 2 * size - 1]))
        n_levels.append(size)
    size = 2 * sum(n_levels)
    levels = np.array(n_levels)
    _, sample = np.nonzero(cells >= 0)
    cells = cells[cells >= 0]

    if len(rankings) == 1 and group is None and not is_importance:
        # Weights of samples at the same level are added up.
        shapes = sum_by(cells, weight[sample], size)
        shapes[ends[0]] = 0.5
        matrix = eye_array(size, format="csr")
        return Curves(shapes, matrix, levels, ends[0], area)

    # The random weights are those of groups or samples; case counts are their shapes.
    unit = np.arange(len(weight))
    shapes = np.ones(len(weight))
    masses = weight
    if group is not None:
        unit = group
        shapes = np.ones(group.max() + 1)
    elif not is_importance:
        shapes = weight
        masses = np.ones(len(weight))
    n_units = len(shapes)

    # Corners of negatives, then of positives.
    corners, beyond = _corners(1 + max(ranking.classifier for ranking in rankings))
    of_class = n_units + np.array([[0], [len(beyond)]])
    all_masses = [masses[sample]]
    columns = [unit[sample]]
    for ranking in rankings:
        # A unit in a corner has the effective mass of the others, sum m^2 / sum m.
        place = 2 * unit[ranking.chosen] + ranking.is_positive[ranking.chosen]
        each = sum_by(place, masses[ranking.chosen], 2 * n_units).reshape(-1, 2)
        mass = (each**2).sum(axis=0) / each.sum(axis=0)
        all_masses.append(np.repeat(mass, len(beyond)))
        below_first = np.argsort(corners[:, ranking.classifier], kind="stable")
        columns.append((of_class + below_first).ravel())

    rows = np.concatenate([cells, np.repeat(ends, len(beyond) // 2)])
    shapes = np.concatenate([shapes, beyond, beyond])
    entries = np.concatenate(all_masses), (rows, np.concatenate(columns))
    matrix = csr_array(entries, shape=(size, len(shapes)))
    return Curves(shapes, matrix, levels, np.arange(n_units, len(shapes)), area)
