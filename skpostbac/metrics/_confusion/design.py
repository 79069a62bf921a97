r"""Design effects of metrics of the confusion matrix.

A metric f of the shares P of the cells changes with a sample in cell c by its influence,

.. math::

    u_c = \frac{d}{d\varepsilon} f((1 - \varepsilon) P + \varepsilon \delta_c),

and the error of f is approximately the mean influence of the samples. Surveys use the same
linearisation for the variances of ratios (Hampel, Journal of the American Statistical Association
69, 1974). The influences take the place of the hits in the design effects (`_dependence`). Samples
that do not affect the metric are left out: the precision of a class depends only on the samples
that are predicted as this class.

If the mean influence is zero in each class, as for recalls or with known shares of the classes,
only the variation within classes counts. If, besides, each group has samples of one class only,
each class has its own design effect, as for the balanced accuracy. Otherwise all samples are
treated as one class, because groups may also differ in their mix of classes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from skpostbac._utils import Floats, Indices
from skpostbac.metrics._confusion.distributions import MOST_CELLS, ConfusionModel
from skpostbac.metrics._confusion.metrics import ConfusionMetric
from skpostbac.metrics._counts import ConfusedSamples
from skpostbac.metrics._dependence import (
    DesignEffects,
    SampleValues,
    ValueSums,
    design_effects,
    make_design,
)

# Step of the derivative. Values of a metric have relative errors of 1e-16, and so influences of
# 1e-9; what is below this share of the largest is no influence.
_STEP, _NOTHING = 1e-7, 1e-6


def design_of_metric(
    function: ConfusionMetric,
    model: ConfusionModel,
    samples: ConfusedSamples,
    *,
    is_importance: bool,
) -> DesignEffects:
    """Return the design effects of a metric, of each class or of all samples together.

    Parameters
    ----------
    function : callable
        The metric, of matrices of shape (n, k, k).
    model : ConfusionModel
        Posterior of the cells, as if the samples were independent, which says where the metric is
        linearised.
    samples : ConfusedSamples
    is_importance : bool
        Whether the weights are importance weights.
    """
    return _of_influences([_influences(function, model, samples)], model, samples, is_importance)


def design_of_difference(
    function: ConfusionMetric,
    models: Sequence[ConfusionModel],
    samples: ConfusedSamples,
    *,
    is_importance: bool,
) -> DesignEffects:
    """Return the design effects of a difference, the second of two classifiers less the first.

    Parameters are those of `design_of_metric`, with the `models` and the predictions of both.
    """
    found = [
        _influences(function, model, samples._replace(pred=pred))
        for model, pred in zip(models, samples.pred.T, strict=True)
    ]
    return _of_influences(found, models[0], samples, is_importance)


def _of_influences(
    found: Sequence[tuple[Floats, bool]],
    model: ConfusionModel,
    samples: ConfusedSamples,
    is_importance: bool,
) -> DesignEffects:
    """Return the design effects of the influences of one classifier, or of two, subtracted."""
    is_centred = all(centred for _, centred in found)
    pred, (influence, _) = samples.pred.reshape(len(samples.true), -1), found[-1]
    value, low, high = influence[samples.true, pred[:, -1]], influence.min(1), influence.max(1)
    if len(found) > 1:
        influence, _ = found[0]
        value = value - influence[samples.true, pred[:, 0]]
        low, high = low - influence.max(1), high - influence.min(1)
    kept = np.abs(value) > _NOTHING * np.maximum(np.abs(low), np.abs(high)).max()
    samples, value = samples.chosen(kept), value[kept]
    # Whether a group has samples of several classes.
    crosses = False
    if samples.group is not None:
        pairs = np.unique(np.stack([samples.group, samples.true]), axis=1)
        crosses = len(np.unique(pairs[0])) < pairs.shape[1]
    if is_centred and not crosses:
        # In each class alone, where a share of its own is not there to be divided by.
        share = (model.cells / model.cells.sum()).sum(axis=1)
        rows = samples.true, value * share[samples.true], low * share, high * share
    else:
        rows = np.zeros_like(samples.true), value, low.min(keepdims=True), high.max(keepdims=True)
    return _effects(*rows, samples, is_importance)


def _influences(
    function: ConfusionMetric, model: ConfusionModel, samples: ConfusedSamples
) -> tuple[Floats, bool]:
    """Return the influence of each cell with samples, (k, k), and whether it is 0 in each row."""
    shares = model.cells / model.cells.sum()
    k = len(shares)
    # Cells without samples in a row with some are needed to tell whether its mean is 0.
    rows = np.unique(samples.true)
    cells = (rows[:, np.newaxis] * k + np.arange(k)).ravel()
    before = function(model.joint(shares)[np.newaxis])[0]
    slopes = np.zeros(k * k)
    block = max(1, MOST_CELLS // shares.size)
    for start in range(0, cells.size, block):
        chosen = cells[start : start + block]
        moved = np.repeat((1 - _STEP) * shares[np.newaxis], chosen.size, axis=0)
        moved.reshape(chosen.size, -1)[np.arange(chosen.size), chosen] += _STEP
        slopes[chosen] = (function(model.joint(moved)) - before) / _STEP
    influence = slopes.reshape(k, k)
    if not np.isfinite(influence).all():
        raise ValueError("metric is not a finite number near the expected confusion matrix")
    means = (influence * shares).sum(axis=1) / shares.sum(axis=1)
    return influence, bool(np.abs(means).max() <= _NOTHING * np.abs(influence).max())


def _effects(
    classes: Indices,
    value: Floats,
    low: Floats,
    high: Floats,
    samples: ConfusedSamples,
    is_importance: bool,
) -> DesignEffects:
    """Return the design effects of influences, of which each class has these limits."""
    n_classes = len(low)
    weight = np.ones(len(value)) if samples.weight is None else samples.weight
    design = make_design(
        classes,
        n_classes,
        samples.group,
        samples.weight,
        [SampleValues(value, (value < 0, value > 0))],
        is_importance=is_importance,
    )
    assert design is not None
    sums = [
        np.asarray(np.bincount(classes, weight * value**power, n_classes), np.float64)
        for power in range(3)
    ]
    # Two prior samples for all classes together, one of the least and one of the largest influence.
    cells = (low + high) / n_classes, (low**2 + high**2) / n_classes
    return design_effects(design, ValueSums(*sums), cells)
