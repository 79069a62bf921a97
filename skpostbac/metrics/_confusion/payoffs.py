"""Metrics that average a cost or benefit per cell of the confusion matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import Floats, float_array, float_or_nan, shown

# Range of costs, and least threshold: times the shares of classes, these and their differences can
# be squared and multiplied.
_SMALLEST, _LARGEST = 1e-50, 1e50


@dataclass(frozen=True)
class ExpectedCost:
    """Mean cost of a prediction, a metric for :func:`posterior_confusion_metric`.

    The posterior is exact with known shares of two classes, or of more classes if each row has at
    most two different costs, and with ``prevalence="sampled"`` if there are at most three different
    costs in all. Otherwise it uses random draws.

    Parameters
    ----------
    costs : array-like of shape (n_classes, n_classes)
        Cost of each prediction (columns) of each true class (rows), in the order of the labels.
        In any unit, not all equal; negative for a gain. Zero, or between 1e-50 and 1e50 in size.

    Raises
    ------
    ValueError
        If `costs` is not such a matrix.

    Examples
    --------
    A missed case costs ten times as much as a false alarm.

    >>> from skpostbac import ExpectedCost, PosteriorConfusionMetric
    >>> C = [[166, 25], [21, 188]]
    >>> PosteriorConfusionMetric.from_confusion_matrix(C, ExpectedCost([[0, 1], [10, 0]]))
    PosteriorConfusionMetric('expected cost', mean=0.598, 95% CI=[0.388, 0.821], exact)
    """

    costs: tuple[tuple[float, ...], ...]

    def __init__(self, costs: ArrayLike) -> None:
        matrix = float_array(costs, "costs")
        if matrix.ndim != 2 or len(set(matrix.shape)) > 1 or len(matrix) < 2:
            raise ValueError(
                f"costs must have the shape (n_classes, n_classes), got {matrix.shape}"
            )
        if not np.isfinite(matrix).all() or matrix.min() == matrix.max():
            raise ValueError(f"costs must be finite and not all alike, got {shown(costs)}")
        sizes = np.abs(matrix[matrix != 0])
        if not _SMALLEST <= sizes.min() <= sizes.max() <= _LARGEST:
            raise ValueError(
                f"costs must be zero or between {_SMALLEST:g} and {_LARGEST:g} in size, got "
                f"{shown(costs)}"
            )
        vars(self)["costs"] = tuple(map(tuple, matrix.tolist()))  # past the frozen __setattr__


@dataclass(frozen=True)
class NetBenefit:
    r"""Net benefit of decisions, a metric for :func:`posterior_confusion_metric`.

    It is :math:`(TP - w FP) / n` with :math:`w = t / (1 - t)`, the odds of the threshold
    probability t at which acting and not acting are equally good [1]_. Never acting has a net
    benefit of 0. The posterior is exact with ``prevalence="sampled"``, and for two classes of known
    shares.

    Parameters
    ----------
    threshold : float
        The threshold probability t, in (0, 1), at least 1e-50.

    Raises
    ------
    ValueError
        If `threshold` is not in (0, 1), or below 1e-50.

    References
    ----------
    .. [1] A. J. Vickers and E. B. Elkin (2006). Decision curve analysis: a novel method for
       evaluating prediction models. Medical Decision Making 26, 565-574.

    Examples
    --------
    >>> from skpostbac import NetBenefit, PosteriorConfusionMetric
    >>> C = [[166, 25], [21, 188]]
    >>> PosteriorConfusionMetric.from_confusion_matrix(C, NetBenefit(0.2))
    PosteriorConfusionMetric('net benefit of 1 at 0.2', mean=0.453, 95% CI=[0.403, 0.504], exact)
    """

    threshold: float

    def __post_init__(self) -> None:
        value = float_or_nan(self.threshold)
        if not 0 < value < 1:
            raise ValueError(f"threshold must be in (0, 1), got {shown(self.threshold)}")
        if value < _SMALLEST:
            raise ValueError(
                f"threshold must be at least {_SMALLEST:g}, got {shown(self.threshold)}"
            )
        vars(self)["threshold"] = value


def payoffs_of(metric: NetBenefit, n_classes: int, position: int) -> Floats:
    """Return what each cell brings if one class is acted on, shape (n_classes, n_classes)."""
    matrix = np.zeros((n_classes, n_classes))
    matrix[:, position] = -metric.threshold / (1 - metric.threshold)
    matrix[position, position] = 1.0
    return matrix
