r"""Joint posterior of the confusion matrices of classifiers on the same samples.

A cell is a true class i and the predictions of T classifiers. The probabilities of the
:math:`k^{T+1}` cells have a Dirichlet distribution: the cells that occur have their
counts as parameters, and a prior of the mass :math:`a_i + b_i` is spread over all cells
of true class i. Added up over the other classifiers, the prior of one classifier has
:math:`a_i` on the right prediction and :math:`b_i / (k - 1)` on each wrong one, as for
`ConfusionModel`.

The prior favours disagreement as far as possible, so that few disagreements do not make
the difference of two classifiers look too certain. A cell of the prior is drawn by T
numbers u, one in each of the intervals between 0, 1/T, ..., 1 in random order: a
classifier is right if its u is below a / (a + b), and the interval above is divided
among the wrong predictions. Of two classifiers with a = b exactly one is right.

The cells that occur are Gamma variables, up to a factor, and so are those of the prior
of two classifiers. With more classifiers the prior has too many cells to be listed: its
total mass is another Gamma variable, which is divided among random cells by breaking a
stick (Sethuraman, Statistica Sinica 4, 1994).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from skpostbac._utils import Floats, FrozenArrays, Indices, LabelArray, RandomStateLike
from skpostbac.metrics._confusion.distributions import ConfusionModel, with_prevalence
from skpostbac.metrics._confusion.metrics import (
    Metric,
    Target,
    find_target,
    read_prevalence,
)
from skpostbac.metrics._confusion.posterior import (
    PosteriorConfusionMetric,
    infer_metric,
    read_recall_prior,
)
from skpostbac.metrics._confusion.samples import design_of, read_confusions
from skpostbac.metrics._dependence import DesignEffects, sum_by
from skpostbac.metrics._labels import WeightType, read_outcomes, warn_of_repeated_ids
from skpostbac.metrics._paired_counts import renumber
from skpostbac.metrics._prior import DEFAULT_PRIOR, BetaPrior, PriorLike

# The share of all mass that may remain for the last piece of the stick, and the largest
# number of pieces. If more are needed, the remaining mass is drawn for each classifier
# alone.
_LAST_PIECE = 1e-4
_MOST_PIECES = 64
# Numbers in an array of a block of draws, and Gamma variables that take about a second;
# there are no fewer draws than these.
_JOINT_BLOCK = 2**19
_MOST_JOINT_CELLS = 3 * 10**7
_LEAST_JOINT_DRAWS = 2_000


@dataclass(frozen=True, eq=False, kw_only=True)
class JointConfusion(FrozenArrays):
    """Posterior of the probabilities of true class and predictions of T classifiers.

    Attributes
    ----------
    metric, pos_label, average
        As for :func:`~skpostbac.posterior_confusion_metric`.
    classes : array of shape (k,)
        The labels.
    n_columns : int
        Columns of the matrices: k, or k + 1 if predictions are none of the classes.
    cells : array of int of shape (n_cells, 1 + T)
        Positions of the true class and of the predictions, for each cell that occurs.
    counts : array of shape (n_cells,)
        Samples of each cell.
    prior : BetaPrior
        Prior of the recall of each class.
    prevalence : array of shape (k,) or None
        Known shares of the classes.
    effects : tuple of DesignEffects
        Of the difference of each pair of classifiers; empty without groups and
        importance weights.
    """

    metric: Metric
    pos_label: Hashable
    average: str | None
    classes: LabelArray
    n_columns: int
    cells: Indices
    counts: Floats
    prior: BetaPrior
    prevalence: Floats | None
    effects: tuple[DesignEffects, ...] = ()

    @property
    def n_classifiers(self) -> int:
        """Number of classifiers, T."""
        return int(self.cells.shape[1]) - 1

    @property
    def n_classes(self) -> int:
        """Number of classes, k."""
        return len(self.classes)

    @cached_property
    def target(self) -> Target:
        """The metric, as a function of confusion matrices."""
        return find_target(self.metric, self.classes, self.pos_label, self.average)

    def matrices(self) -> Floats:
        """Return the confusion matrix of each classifier, shape (T, k, n_columns)."""
        k = self.n_classes
        m = self.n_columns
        number = m * self.cells[:, :1] + self.cells[:, 1:]
        sums = [np.bincount(column, self.counts, k * m) for column in number.T]
        return np.reshape(sums, (-1, k, m))

    def effects_of(self, i: int, j: int) -> DesignEffects | None:
        """Return the design effects of the difference of two classifiers, if any."""
        if not self.effects:
            return None
        pairs = list(combinations(range(self.n_classifiers), 2))
        return self.effects[pairs.index((min(i, j), max(i, j)))]

    def of_pair(self, i: int, j: int, divisor: Floats | float) -> JointConfusion:
        """Return the posterior of two classifiers, with the counts divided by class."""
        chosen = self.cells[:, [0, 1 + i, 1 + j]]
        counts = self.counts / np.broadcast_to(divisor, self.n_classes)[chosen[:, 0]]
        cells, place = np.unique(chosen, axis=0, return_inverse=True)
        sums = sum_by(place.ravel(), counts, len(cells))
        return replace(self, cells=cells, counts=sums, effects=())

    def draw(self, rng: np.random.Generator, n_draws: int) -> Iterator[Floats]:
        """Draw confusion matrices up to a factor, in blocks (T, n, k, n_columns)."""
        cells = self.cells
        counts = self.counts
        k = self.n_classes
        m = self.n_columns
        t = self.n_classifiers
        if t == 2:
            more, masses = self._prior_of_pair()
            cells = np.concatenate([cells, more])
            counts = np.concatenate([counts, masses])

        # Sums of the cells, for each classifier and each entry of its matrix.
        n = len(counts)
        entry = m * (k * np.arange(t) + cells[:, :1]) + cells[:, 1:]
        column = np.repeat(np.arange(n), t)
        matrix = csr_array(
            (np.ones(n * t), (entry.ravel(), column)), shape=(t * k * m, n)
        )

        block = max(1, _JOINT_BLOCK // max(n, t * k * m))
        for start in range(0, n_draws, block):
            size = min(block, n_draws - start)
            gammas = rng.standard_gamma(counts[:, np.newaxis], (n, size))
            C: Floats = np.asarray(matrix @ gammas).reshape(t, k, m, size)
            if t > 2:
                self._add_prior(C[:, :, :k], rng)
            yield np.moveaxis(C, -1, 1)

    def _prior_of_pair(self) -> tuple[Indices, Floats]:
        """Return the cells of the prior of two classifiers, and their masses."""
        k = self.n_classes
        a = self.prior.a
        b = self.prior.b
        # For each class, the upper ends of the intervals of u for the right prediction
        # and the others. One u is below 1/2, the other above.
        ends = np.linspace(a / (a + b), 1, k).T
        below = np.diff(np.minimum(ends, 0.5), axis=1, prepend=0)
        above = np.diff(np.maximum(ends, 0.5), axis=1, prepend=0.5)
        both = below[:, :, np.newaxis] * above[:, np.newaxis]
        both = both + both.transpose(0, 2, 1)
        masses = 2 * (a + b)[:, np.newaxis, np.newaxis] * both
        true, one, other = np.nonzero(masses)
        cells = np.column_stack([true, (true + one) % k, (true + other) % k])
        return cells, masses[true, one, other]

    def _add_prior(self, C: Floats, rng: np.random.Generator) -> None:
        """Add draws of the prior to those of the classes, (T, k, k, size)."""
        t, k, _, size = C.shape
        a = self.prior.a[:, np.newaxis]
        b = self.prior.b[:, np.newaxis]
        mass = a + b
        right = a / mass

        # A piece leaves mass / (1 + mass) of the mass on average, which is a small
        # share of all if there are many samples.
        total = sum_by(self.cells[:, 0], self.counts, k)[:, np.newaxis]
        needed = np.log(_LAST_PIECE * (1 + total / mass)) / np.log(mass / (1 + mass))
        pieces = max(1, int(np.ceil(needed.max())))

        classifier, true, draw = np.ogrid[:t, :k, :size]
        stick = rng.standard_gamma(mass, (k, size))
        for piece in range(min(pieces, _MOST_PIECES)):
            # A piece is a Beta(1, mass) share of the stick.
            shorter = stick * np.exp(rng.standard_exponential((k, size)) / -mass)
            if piece == pieces - 1:
                shorter = np.zeros_like(stick)

            order = rng.permutation(t)[:, np.newaxis, np.newaxis]
            strata = (order + rng.integers(0, t, (k, size))) % t
            u = (strata + rng.random((t, k, size))) / t
            wrong = 1 + ((u - right) / (1 - right) * (k - 1)).astype(np.intp)
            label = np.where(u < right, true, (true + np.minimum(wrong, k - 1)) % k)

            C[classifier, true, label, draw] += stick - shorter
            stick = shorter

        if pieces > _MOST_PIECES:
            each = np.full((k, k), b / (k - 1))
            np.fill_diagonal(each, self.prior.a)
            alone = rng.standard_gamma(each[..., np.newaxis], C.shape)
            C += stick[:, np.newaxis] * (alone / alone.sum(axis=2, keepdims=True))

    def values(self, rng: np.random.Generator, n_draws: int) -> Floats:
        """Draw the metric of each classifier, shape (T, n_draws), or fewer draws."""
        size = max(len(self.counts), self.n_classifiers * self.n_classes**2)
        blocks = []
        for C in self.draw(rng, _affordable(n_draws, size)):
            with np.errstate(divide="ignore", invalid="ignore"):
                joint = with_prevalence(C, self.prevalence).reshape(-1, *C.shape[2:])
                blocks.append(self.target.function(joint).reshape(C.shape[:2]))
        values = np.concatenate(blocks, axis=1)
        if not np.isfinite(values).all():
            raise ValueError("metric is not a finite number for all drawn matrices")
        return values


def _affordable(n_draws: int, n_cells: int) -> int:
    """Return the number of draws, or fewer if there are many cells."""
    return min(n_draws, max(_LEAST_JOINT_DRAWS, _MOST_JOINT_CELLS // n_cells))


def confuse_jointly(
    y_true: ArrayLike,
    predictions: Mapping[str, ArrayLike],
    metric: Metric,
    *,
    pos_label: Hashable = None,
    average: str | None = None,
    prevalence: ArrayLike = "sampled",
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = None,
    groups: ArrayLike | None = None,
    prior: PriorLike = DEFAULT_PRIOR,
    n_draws: int,
    random_state: RandomStateLike = 0,
) -> tuple[JointConfusion, list[PosteriorConfusionMetric]]:
    """Return the joint posterior of several classifiers, and the posterior of each.

    `predictions` has the predicted labels by the name of their argument, for error
    messages. All others are arguments of :func:`~skpostbac.posterior_confusion_metric`,
    whose posteriors these are.
    """
    outcomes = read_outcomes(y_true, predictions, sample_weight, weight_type, groups)
    classes, samples = read_confusions(outcomes, labels)
    if groups is None:
        warn_of_repeated_ids(y_true)
    k = len(classes)
    m = samples.n_columns(k)
    target = find_target(metric, classes, pos_label, average)
    prevalence = read_prevalence(prevalence, classes, pos_label)
    recall_prior = read_recall_prior(target, prior, k)

    # Number the distinct rows anew as columns are added, so that numbers stay small.
    number, distinct = renumber(samples.true)
    cells = distinct[:, np.newaxis]
    for column in samples.pred.T:
        number, distinct = renumber(m * number + column)
        parent, label = np.divmod(distinct, m)
        cells = np.column_stack([cells[parent], label])
    counts = sum_by(number, samples.weight, len(cells))

    joint = JointConfusion(
        metric=metric,
        pos_label=pos_label,
        average=average,
        classes=classes,
        n_columns=m,
        cells=cells[counts > 0],
        counts=counts[counts > 0],
        prior=recall_prior,
        prevalence=None,
    )

    matrices = joint.matrices()
    shares = ConfusionModel.of(matrices[0], recall_prior, prevalence).prevalence
    size = _affordable(n_draws, k * k)
    posteriors = [
        infer_metric(
            target,
            C,
            classes,
            prevalence,
            prior,
            size,
            random_state,
            samples._replace(pred=column),
        )
        for C, column in zip(matrices, samples.pred.T, strict=True)
    ]
    if samples.are_independent:
        return replace(joint, prevalence=shares), posteriors

    matrices = samples.effective_counts(matrices)
    models = [ConfusionModel.of(C, recall_prior, shares) for C in matrices]
    effects = [
        design_of(
            target.function,
            [models[i], models[j]],
            samples._replace(pred=samples.pred[:, [i, j]]),
        )
        for i, j in combinations(range(len(models)), 2)
    ]
    joint = replace(joint, prevalence=shares, effects=tuple(effects))
    return joint, posteriors
