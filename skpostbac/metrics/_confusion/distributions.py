"""Metrics whose posterior is a Beta distribution, or the distribution of a weighted sum of them.

Each function returns None where there is no such distribution.
"""

from __future__ import annotations

import numpy as np

from skpostbac._utils import Indices
from skpostbac.metrics._confusion.model import ConfusionModel
from skpostbac.stats import BetaAverage


def no_distribution(model: ConfusionModel) -> None:
    """Return no distribution: of most metrics it is not known."""


def distribution_of_class(name: str, position: int, model: ConfusionModel) -> BetaAverage | None:
    """Return the distribution of a metric of one class against all others."""
    if name == "recall":
        return BetaAverage(model.right[[position]], model.wrong[[position]])
    if name == "precision":
        return _precisions(model, np.array([position]))
    if name == "false_positive_rate":
        return _false_positive_rate(model, position)
    return None


def distribution_of_macro(name: str, model: ConfusionModel) -> BetaAverage | None:
    """Return the distribution of the mean of a metric over the classes."""
    if name == "recall":
        return BetaAverage(model.right, model.wrong)
    if name == "precision":
        return _precisions(model, np.arange(len(model.cells)))
    return None


def distribution_of_micro(name: str, model: ConfusionModel) -> BetaAverage:
    """Return the distribution of a metric of the sums over the classes.

    Each error is a false positive and a false negative, so that recall, precision and F1 are the
    accuracy. Each of n samples is a negative of k - 1 classes.
    """
    if name == "false_positive_rate":
        return _error_rate(model, share=1 / (len(model.cells) - 1))
    return distribution_of_accuracy(model)


def distribution_of_accuracy(model: ConfusionModel) -> BetaAverage:
    """Return the distribution of the accuracy."""
    if model.prevalence is None:
        return BetaAverage([model.right.sum()], [model.wrong.sum()])
    return BetaAverage(model.right, model.wrong, weights=model.prevalence)


def _error_rate(model: ConfusionModel, share: float) -> BetaAverage:
    """Return the distribution of a share of the error rate."""
    if model.prevalence is None:
        return BetaAverage([model.wrong.sum()], [model.right.sum()], weights=[share])
    return BetaAverage(model.wrong, model.right, weights=share * model.prevalence)


def _precisions(model: ConfusionModel, positions: Indices) -> BetaAverage | None:
    """Return the distribution of the mean precision of some classes.

    The columns of one Dirichlet matrix, each divided by its sum, are independent.
    """
    if model.prevalence is not None:
        return None
    right = model.right[positions]
    return BetaAverage(right, model.cells[:, positions].sum(axis=0) - right)


def _false_positive_rate(model: ConfusionModel, position: int) -> BetaAverage:
    others = np.delete(model.cells, position, axis=0)
    alarms = others[:, position]
    quiet = np.delete(others, position, axis=1).sum(axis=1)
    if model.prevalence is None:
        return BetaAverage([alarms.sum()], [quiet.sum()])
    weights = np.delete(model.prevalence, position)
    if not weights.any():
        raise ValueError("prevalence leaves no sample without the class that is asked for")
    return BetaAverage(alarms, quiet, weights=weights / weights.sum())
