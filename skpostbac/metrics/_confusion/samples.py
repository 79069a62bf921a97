r"""Samples of a confusion matrix, and the design effects of its metrics.

A metric f of the shares P of the cells changes with a sample in cell c by its
influence,

.. math::

    u_c = \frac{d}{d\varepsilon} f((1 - \varepsilon) P + \varepsilon \delta_c),

and the error of f is approximately the mean influence of the samples. Surveys use the
same linearisation for the variances of ratios (Hampel, Journal of the American
Statistical Association 69, 1974). The influences take the place of the hits in the
design effects (`_dependence`). Samples that do not affect the metric are left out: the
precision of a class depends only on the samples that are predicted as this class.

If the mean influence is zero in each class, as for recalls or with known shares of the
classes, only the variation within classes counts. If, besides, each group has samples
of one class only, each class has its own design effect, as for the balanced accuracy.
Otherwise all samples are treated as one class, because groups may also differ in their
mix of classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import Bools, Floats, Indices, LabelArray
from skpostbac.metrics._confusion.distributions import MOST_CELLS, ConfusionModel
from skpostbac.metrics._confusion.metrics import ConfusionMetric
from skpostbac.metrics._counts import check_labels
from skpostbac.metrics._dependence import (
    DesignEffects,
    RowValues,
    SampleDesign,
    design_effects,
    sum_by,
)
from skpostbac.metrics._labels import (
    Outcomes,
    positions,
)

# Step of the derivative. Values of a metric have relative errors of 1e-16, and so
# influences of 1e-9; what is below this share of the largest is no influence.
_STEP = 1e-7
_NOTHING = 1e-6


class ConfusedSamples(NamedTuple):
    """Samples of the classes of a confusion matrix, arrays of shape (n_samples,)."""

    true: Indices
    """Row of each sample."""
    pred: Indices
    """Column of each sample, or of each classifier in turn, shape (n_samples, T).

    A prediction that is none of the k classes has the column k.
    """
    group: Indices | None
    """Number of its group."""
    weight: Floats
    """Its weight."""
    is_importance: bool
    """Whether the weights are importance weights."""

    @property
    def are_independent(self) -> bool:
        """Whether the samples are independent cases."""
        return self.group is None and not self.is_importance

    def chosen(self, which: Bools) -> ConfusedSamples:
        """Return some of the samples."""
        return self._replace(
            true=self.true[which],
            pred=self.pred[which],
            group=None if self.group is None else self.group[which],
            weight=self.weight[which],
        )

    def effective_counts(self, C: Floats) -> Floats:
        """Return counts scaled so that importance weights add up to their size."""
        if not self.is_importance:
            return C
        scale: float = self.weight.sum() / (self.weight**2).sum()
        return scale * C

    def n_columns(self, k: int) -> int:
        """Return k, or k + 1 if predictions are none of the k classes."""
        return int(self.pred.max(initial=k - 1)) + 1

    def matrix(self, k: int) -> Floats:
        """Return the confusion matrix of one classifier, shape (k, n_columns)."""
        m = self.n_columns(k)
        cells = m * self.true + self.pred.ravel()
        return sum_by(cells, self.weight, k * m).reshape(k, m)


def read_confusions(
    outcomes: Outcomes, labels: ArrayLike | None = None
) -> tuple[LabelArray, ConfusedSamples]:
    """Return the classes, and the samples with the predictions of each classifier.

    Predictions that are none of the classes are in a last column.

    Examples
    --------
    >>> from skpostbac.metrics._labels import read_outcomes
    >>> outcomes = read_outcomes(["a", "a", "b"], {"y_pred": ["a", "c", "b"]}, None)
    >>> classes, samples = read_confusions(outcomes)
    >>> samples.matrix(len(classes))
    array([[1., 0., 1.],
           [0., 1., 0.]])
    """
    classes = outcomes.classes
    if labels is not None:
        classes = check_labels(labels, classes)

    every = slice(None)
    true = positions(outcomes.classes, classes)[outcomes.codes(every)]
    pred = np.column_stack(
        [one.recoded(classes).codes() for one in outcomes.predictions]
    )
    weight = outcomes.weights
    is_stray = np.any(pred < 0, axis=1)
    samples = ConfusedSamples(
        true,
        np.where(pred < 0, len(classes), pred),
        None if outcomes.groups is None else outcomes.groups(every),
        weight,
        outcomes.is_importance,
    )
    return classes, samples.chosen((true >= 0) & ~(is_stray & (weight == 0)))


def design_of(
    function: ConfusionMetric,
    models: Sequence[ConfusionModel],
    samples: ConfusedSamples,
) -> DesignEffects:
    """Return the design effects of a metric, of each class or of all samples together.

    Parameters
    ----------
    function : callable
        The metric, of matrices of shape (n, k, k).
    models : sequence of ConfusionModel
        Posterior of the cells, as if the samples were independent, where the metric is
        linearised. With two models, the metric is the second less the first.
    samples : ConfusedSamples
        Samples with the predictions of each model.
    """
    pred = samples.pred.reshape(len(samples.true), -1)
    influence, is_centred = _influences(function, models[-1], samples.true)
    value = influence[samples.true, pred[:, -1]]
    low = influence.min(axis=1)
    high = influence.max(axis=1)
    if len(models) > 1:
        influence, is_first_centred = _influences(function, models[0], samples.true)
        value = value - influence[samples.true, pred[:, 0]]
        low = low - influence.max(axis=1)
        high = high - influence.min(axis=1)
        is_centred = is_centred and is_first_centred

    matters = np.abs(value) > _NOTHING * np.maximum(np.abs(low), np.abs(high)).max()
    matters &= samples.weight > 0
    samples = samples.chosen(matters)
    value = value[matters]

    # Whether a group has samples of several classes.
    crosses = False
    if samples.group is not None:
        pairs = np.unique(np.stack([samples.group, samples.true]), axis=1)
        crosses = len(np.unique(pairs[0])) < pairs.shape[1]
    if is_centred and not crosses:
        # Influences on a recall are inversely proportional to the share of its class.
        classes = samples.true
        share = (models[0].cells / models[0].cells.sum()).sum(axis=1)
        value = value * share[classes]
        low = low * share
        high = high * share
    else:
        classes = np.zeros_like(samples.true)
        low = low.min(keepdims=True)
        high = high.max(keepdims=True)

    n_classes = len(low)
    design = SampleDesign.of_samples(
        classes,
        n_classes,
        samples.group,
        samples.weight,
        [],
        is_importance=samples.is_importance,
    )
    # Two prior samples for all classes together, one of the least and one of the
    # largest influence.
    prior = ((low + high) / n_classes, (low**2 + high**2) / n_classes)
    return design_effects(design, RowValues(value, (value < 0, value > 0)), prior)


def _influences(
    function: ConfusionMetric, model: ConfusionModel, true: Indices
) -> tuple[Floats, bool]:
    """Return the influences of cells, and whether their mean in rows is 0."""
    shares = model.cells / model.cells.sum()
    m = shares.shape[1]

    # Cells without samples in a row with some are needed to tell whether its mean is 0.
    rows = np.unique(true)
    cells = (rows[:, np.newaxis] * m + np.arange(m)).ravel()
    before = function(model.joint(shares)[np.newaxis])[0]
    slopes = np.zeros(shares.size)
    block = max(1, MOST_CELLS // shares.size)
    for start in range(0, cells.size, block):
        chosen = cells[start : start + block]
        is_cell = chosen[:, np.newaxis] == np.arange(shares.size)
        shifted = (1 - _STEP) * shares + _STEP * is_cell.reshape(-1, *shares.shape)
        slopes[chosen] = (function(model.joint(shifted)) - before) / _STEP

    influence = slopes.reshape(shares.shape)
    if not np.isfinite(influence).all():
        raise ValueError(
            "metric is not a finite number near the expected confusion matrix"
        )
    means = (influence * shares).sum(axis=1) / shares.sum(axis=1)
    return influence, bool(np.abs(means).max() <= _NOTHING * np.abs(influence).max())
