"""Posterior of a confusion matrix, and of metrics of it that have a known distribution.

The rows of the matrix have Dirichlet distributions. A metric is then a Beta variable, a
weighted sum of some, or a ratio of these. The functions return None where it has no
such form.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import Floats, nonnegative_array
from skpostbac.metrics._dependence import sum_by
from skpostbac.metrics._prior import BetaPrior
from skpostbac.stats import (
    BetaAverage,
    BetaRatio,
    ShiftedDistribution,
)
from skpostbac.stats._transforms import OddsTransform

Exact: TypeAlias = BetaAverage | BetaRatio | OddsTransform | ShiftedDistribution

# The F-measures by name, with the weight beta of the recall beside the precision.
F_MEASURES = {"f0.5": 0.5, "f1": 1.0, "f2": 2.0}
# A sum of false positives is drawn at random if a class has a smaller parameter than
# this for the predictions of other classes, or a smaller share relative to the largest
# one.
_LEAST_NEGATIVES = 5.0
_LEAST_RELATIVE_SHARE = 1e-3
# Cells of a block of draws, whose arrays then fit the cache.
MOST_CELLS = 2**18


@dataclass(frozen=True)
class ConfusionModel:
    r"""Posterior of the probabilities of true and predicted classes.

    Row i of `cells`, shape (k, k), has the Dirichlet parameters of the predictions for
    class i: the counts, with the prior's :math:`a_i` added on the diagonal and
    :math:`b_i / (k - 1)` to each cell beside it. The recall of class i is thereby
    :math:`\mathrm{Beta}(a_i + \text{correct}, b_i + \text{wrong})`. A last column, of
    predictions that are none of the classes, has counts only: the posteriors of other
    classifiers do not depend on it.

    `prevalence`, shape (k,), has known shares of the classes. If it is None they have
    the Dirichlet posterior of the sums of the rows; all cells together then have one
    Dirichlet posterior, with `cells` as its parameters.

    `strength`, shape (k,), is the factor of both parameters of each recall in their
    average.
    """

    cells: Floats
    prevalence: Floats | None
    strength: Floats

    @classmethod
    def of(
        cls, C: Floats, prior: BetaPrior, prevalence: ArrayLike | None
    ) -> ConfusionModel:
        """Return the posterior for counts, a prior of the recalls and a prevalence.

        None stands for "sampled", as in the field.
        """
        k = len(C)
        if k < 2:
            raise ValueError(
                "A confusion matrix needs at least two classes, got one; list those "
                "without samples in labels"
            )

        total = C.sum(axis=1)
        cells = C.astype(np.float64)
        cells[:, :k] += (prior.b / (k - 1))[:, np.newaxis]
        np.fill_diagonal(cells, prior.a + np.diagonal(C))
        strength = prior.strength(total)

        if prevalence is None:
            return cls(cells, None, strength)
        if isinstance(prevalence, str):
            if prevalence == "sampled":
                return cls(cells, None, strength)
            if prevalence != "observed":
                raise ValueError(
                    "prevalence must be 'sampled', 'observed', a number or an array of "
                    f"shape (n_classes,), got {prevalence!r}"
                )
            prevalence = total

        shares = nonnegative_array(prevalence, "prevalence")
        if len(shares) != k or not shares.any():
            raise ValueError(
                f"prevalence must have a share for each of the {k} classes, not all "
                f"zero, got {shares}"
            )
        relative = shares / shares.max()  # the sum of the shares may overflow
        return cls(cells, relative / relative.sum(), strength)

    @property
    def right(self) -> Floats:
        """Parameters of correct predictions, shape (k,)."""
        return np.diagonal(self.cells)

    @property
    def errors(self) -> Floats:
        """Parameters of wrong predictions, as `cells`, with zeros on the diagonal."""
        return self.cells * (1 - np.eye(*self.cells.shape))

    @property
    def wrong(self) -> Floats:
        """Parameters of all wrong predictions for each class, shape (k,)."""
        return np.asarray(self.errors.sum(axis=1))

    def outside(self, position: int) -> tuple[Floats, Floats]:
        """Return the parameters of samples of each other class, shape (k - 1,).

        The first are those of predicting the class at `position`, the second those of
        predicting any other.
        """
        rows = np.delete(self.cells, position, axis=0)
        return rows[:, position], np.delete(rows, position, axis=1).sum(axis=1)

    def joint(self, weights: Floats) -> Floats:
        """Return `with_prevalence` of this model."""
        return with_prevalence(weights, self.prevalence)

    def draw(self, rng: np.random.Generator, n_draws: int) -> Iterator[Floats]:
        """Draw matrices proportional to joint probabilities, in blocks (n, k, k)."""
        block = max(1, MOST_CELLS // self.cells.size)
        for start in range(0, n_draws, block):
            yield self.draw_block(rng, min(block, n_draws - start))

    def draw_block(self, rng: np.random.Generator, size: int) -> Floats:
        """Draw matrices, shape (size, k, k)."""
        # One cell after the other, which is faster.
        cells = self.cells[..., np.newaxis]
        weights = rng.standard_gamma(cells, (*self.cells.shape, size))
        return self.joint(np.moveaxis(weights, -1, 0))


def with_prevalence(weights: Floats, prevalence: Floats | None) -> Floats:
    """Give the rows of matrices, shape (..., k, m), the known shares of the classes.

    The result is in proportion to joint probabilities of true and predicted classes.
    """
    if prevalence is None:
        return weights
    shares = prevalence[:, np.newaxis]
    with np.errstate(invalid="ignore"):  # nothing is known of a row without counts
        rows = weights / weights.sum(axis=-1, keepdims=True)
    return np.where(shares > 0, rows * shares, 0.0)


class RecallSum(NamedTuple):
    """A metric that is a constant plus a weighted sum of the recalls.

    It has an exact distribution, and the difference of two classifiers on the same
    samples as well.
    """

    weights: tuple[float, ...] | None
    """Weight of each recall; None for exactly 1 / n_classes each."""
    constant: float = 0.0

    def distribution(self, model: ConfusionModel) -> Exact:
        """Return the distribution of the metric."""
        right = model.strength * model.right
        wrong = model.strength * model.wrong
        return _shifted(right, wrong, self.weights, self.constant)


# The balanced accuracy.
MEAN_RECALL = RecallSum(None)


def no_distribution(model: ConfusionModel) -> None:
    """Return None: most metrics have no known distribution."""


def distribution_of_class(
    name: str, position: int, model: ConfusionModel
) -> Exact | None:
    """Return the distribution of a metric of one class against all others.

    If the shares of the classes are sampled, the four outcomes have a Dirichlet
    distribution: a share of some of them is a Beta variable, independent of how the
    others are divided.
    """
    tp = model.right[position]
    wrong = model.wrong[position]
    if name == "recall":
        return BetaAverage([tp], [wrong])

    positives, negatives = model.outside(position)
    shares = model.prevalence
    if name in ("false_positive_rate", "specificity") and shares is not None:
        weights = np.delete(shares, position)
        if not weights.any():
            raise ValueError("prevalence leaves no samples outside the requested class")
        if name == "specificity":
            positives, negatives = negatives, positives
        return BetaAverage(positives, negatives, weights=weights / weights.sum())

    if name.endswith("likelihood_ratio"):
        return None
    if shares is not None:
        return _distribution_of_known_share(name, position, model, shares)

    # Only sums: a difference loses the digits of a small prior.
    fp = positives.sum()
    fn = np.delete(model.cells[position], position).sum()
    tn = negatives.sum()
    betas = {
        "false_positive_rate": ([fp], [tn]),
        "jaccard": ([tp], [fp + fn]),
        "negative_predictive_value": ([tn], [fn]),
        "precision": ([tp], [fp]),
        "specificity": ([tn], [fp]),
    }
    if name in betas:
        return BetaAverage(*betas[name])

    weight = F_MEASURES[name] ** 2
    if weight == 1:
        # The odds 2 TP / (FP + FN) are twice those of the Jaccard index.
        return OddsTransform(BetaAverage([tp], [fp + fn]), 2)
    # The share of true positives in all but the true negatives, and that of false
    # negatives in the errors.
    hits = BetaAverage([tp], [fn + fp])
    missed = BetaAverage([fn], [fp])
    top = 1 + weight
    return BetaRatio(
        hits, missed, [[0.0, 0.0], [top, top]], [[1.0, weight], [top, top]]
    )


def tail_index_of_class(name: str, position: int, model: ConfusionModel) -> float:
    """Return the order from which on moments of a metric of one class are infinite.

    A likelihood ratio divides by the share of some cells, whose density at small x is
    in proportion to x to the power of their parameters' sum minus 1.
    """
    if not name.endswith("likelihood_ratio"):
        return np.inf
    positives, negatives = model.outside(position)
    cells = positives if name.startswith("positive") else negatives
    if model.prevalence is not None:
        cells = cells[np.delete(model.prevalence, position) > 0]
    return float(cells.sum())


def tail_index_of_average(name: str, average: str, model: ConfusionModel) -> float:
    """Return the same for an average over the classes, or for their sums."""
    of_each = [
        tail_index_of_class(name, place, model) for place in range(len(model.cells))
    ]
    return sum(of_each) if average == "micro" else min(of_each)


def _distribution_of_known_share(
    name: str, position: int, model: ConfusionModel, shares: Floats
) -> BetaRatio | None:
    """Return the distribution of a metric of one class, whose share is known.

    The metric is a ratio of two bilinear forms in the recall and the false positive
    rate. A form is given by its values at recalls of 0 and 1 (rows) and false positive
    rates of 0 and 1 (columns); so are the true positives `tp`, and the other outcomes.
    """
    own = shares[position]
    others = np.delete(shares, position)
    if own == 0 or not others.any():
        return None
    positives, negatives = model.outside(position)
    # The density of a sum of false positives has a kink, of the order `negatives`,
    # where all of a class are predicted as another one. The ratio then takes seconds to
    # compute, as it does if shares differ by orders of magnitude.
    seen = others > 0
    is_uneven = others[seen].min() < _LEAST_RELATIVE_SHARE * others.max()
    is_rough = is_uneven or negatives[seen].min() < _LEAST_NEGATIVES
    if seen.sum() > 1 and is_rough:
        return None

    tp = np.array([[0, 0], [own, own]])
    fp = np.array([[0, others.sum()]] * 2)
    fn = tp[::-1]
    tn = fp[:, ::-1]

    if name in F_MEASURES:
        weight = F_MEASURES[name] ** 2
        numerator = (1 + weight) * tp
        denominator = (1 + weight) * tp + weight * fn + fp
    else:
        numerator, denominator = {
            "jaccard": (tp, tp + fp + fn),
            "negative_predictive_value": (tn, tn + fn),
            "precision": (tp, tp + fp),
        }[name]
    return BetaRatio(
        BetaAverage(model.right[[position]], model.wrong[[position]]),
        BetaAverage(positives, negatives, weights=others),
        numerator,
        denominator,
    )


def distribution_of_macro(name: str, model: ConfusionModel) -> Exact | None:
    """Return the distribution of the mean of a metric over the classes.

    The columns of one Dirichlet matrix, each divided by its sum, are independent.
    """
    if name == "precision" and model.prevalence is None:
        return BetaAverage(model.right, model.errors.sum(axis=0)[: len(model.cells)])
    return None


def distribution_of_micro(name: str, model: ConfusionModel) -> Exact | None:
    """Return the distribution of a metric of the sums over the classes.

    Each error is a false negative and, if it is one of the classes, a false positive;
    if all are, recall, precision and the F-measures are the accuracy.
    """
    has_strays = model.cells.shape[1] > len(model.cells)
    if name == "recall" or (name in ("precision", *F_MEASURES) and not has_strays):
        return distribution_of_accuracy(model)
    return None


def distribution_of_accuracy(model: ConfusionModel) -> BetaAverage:
    """Return the distribution of the accuracy."""
    if model.prevalence is None:
        return BetaAverage([model.right.sum()], [model.wrong.sum()])
    return BetaAverage(model.right, model.wrong, weights=model.prevalence)


def distribution_of_mean(payoffs: Floats, model: ConfusionModel) -> Exact | None:
    """Return the distribution of the mean of the payoffs of the cells, shape (k, k).

    A last column may have the payoffs of predictions that are none of the classes.
    """
    payoffs = payoffs[:, : model.cells.shape[1]]
    shares = model.prevalence
    if shares is None:
        # The shares of all cells have one Dirichlet distribution. Cells of equal payoff
        # are merged.
        values, places = np.unique(payoffs.ravel(), return_inverse=True)
        sizes = sum_by(places, model.cells.ravel(), len(values))
        if len(values) > 3:
            return None
        if len(values) == 2:
            return _shifted(sizes[1:], sizes[:1], np.diff(values), values[0])

        # With payoffs u < v < w, let S be the share of the cells that pay v or w, and T
        # the part of S that pays w: independent Beta variables. The mean is (1 - S) u +
        # S ((1 - T) v + T w).
        share = BetaAverage([sizes[1:].sum()], sizes[:1])
        last = BetaAverage(sizes[2:], sizes[1:2])
        return BetaRatio(share, last, [values[[0, 0]], values[1:]], np.ones((2, 2)))

    # A class with two payoffs adds the lower one and their difference times a Beta
    # variable.
    if any(len(np.unique(row)) > 2 for row in payoffs[shares > 0]):
        return None
    least = payoffs.min(axis=1)
    width = np.ptp(payoffs, axis=1)
    upper = np.where(payoffs > least[:, np.newaxis], model.cells, 0.0).sum(axis=1)
    lower = model.cells.sum(axis=1) - upper

    varied = (shares > 0) & (width > 0)
    if not varied.any():
        raise ValueError(
            "metric does not depend on the predictions for these shares of classes"
        )
    return _shifted(
        upper[varied], lower[varied], (shares * width)[varied], float(shares @ least)
    )


def _shifted(
    a: Floats, b: Floats, weights: Floats | tuple[float, ...] | None, shift: float
) -> BetaAverage | ShiftedDistribution:
    """Return the distribution of a weighted sum of Beta variables and a constant."""
    average = BetaAverage(a, b, weights=weights)
    return ShiftedDistribution(average, shift) if shift else average
