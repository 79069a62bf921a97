"""Metrics as functions of many confusion matrices at once.

All take arrays of shape (..., k, k), true classes as rows, and return the shape (...). The entries
may be counts or shares. Where a metric is 0 / 0 it is nan.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np

from skpostbac._utils import Floats

ConfusionMetric: TypeAlias = Callable[[Floats], Floats]


class OneVsRest(NamedTuple):
    """Each class against all others, as arrays of shape (..., k)."""

    tp: Floats
    fp: Floats
    fn: Floats
    tn: Floats

    @classmethod
    def of(cls, C: Floats) -> OneVsRest:
        """Split confusion matrices."""
        tp = np.diagonal(C, axis1=-2, axis2=-1)
        fp, fn = C.sum(axis=-2) - tp, C.sum(axis=-1) - tp
        return cls(tp, fp, fn, C.sum(axis=(-2, -1))[..., np.newaxis] - tp - fp - fn)


def _recall(table: OneVsRest) -> Floats:
    return table.tp / (table.tp + table.fn)


def _precision(table: OneVsRest) -> Floats:
    return table.tp / (table.tp + table.fp)


def _false_positive_rate(table: OneVsRest) -> Floats:
    return table.fp / (table.fp + table.tn)


def _negative_predictive_value(table: OneVsRest) -> Floats:
    return table.tn / (table.tn + table.fn)


def _jaccard(table: OneVsRest) -> Floats:
    return table.tp / (table.tp + table.fp + table.fn)


def _positive_likelihood_ratio(table: OneVsRest) -> Floats:
    return _recall(table) / _false_positive_rate(table)


def _negative_likelihood_ratio(table: OneVsRest) -> Floats:
    return (1 - _recall(table)) / (1 - _false_positive_rate(table))


def _f(table: OneVsRest, beta: float) -> Floats:
    right = (1 + beta**2) * table.tp
    return right / (right + beta**2 * table.fn + table.fp)


def accuracy(C: Floats) -> Floats:
    """Share of correct predictions."""
    return np.asarray(_correct(C) / C.sum(axis=(-2, -1)))


def kappa(C: Floats) -> Floats:
    """Cohen's kappa: agreement beyond that of independent labels of the same frequencies."""
    total = C.sum(axis=(-2, -1))
    by_chance = (C.sum(axis=-1) * C.sum(axis=-2)).sum(axis=-1) / total**2
    return np.asarray((accuracy(C) - by_chance) / (1 - by_chance))


def mcc(C: Floats) -> Floats:
    """Matthews correlation coefficient of any number of classes."""
    total, true, pred = C.sum(axis=(-2, -1)), C.sum(axis=-1), C.sum(axis=-2)
    covariance = _correct(C) * total - (true * pred).sum(axis=-1)
    spread = (total**2 - (true**2).sum(axis=-1)) * (total**2 - (pred**2).sum(axis=-1))
    return np.asarray(covariance / np.sqrt(spread))


def _correct(C: Floats) -> Floats:
    return np.asarray(np.trace(C, axis1=-2, axis2=-1))


# The F-measures by name, with the weight beta of the recall beside the precision.
F_MEASURES = {"f0.5": 0.5, "f1": 1.0, "f2": 2.0}
BY_CLASS: dict[str, Callable[[OneVsRest], Floats]] = {
    **{name: partial(_f, beta=beta) for name, beta in F_MEASURES.items()},
    "false_positive_rate": _false_positive_rate,
    "jaccard": _jaccard,
    "negative_likelihood_ratio": _negative_likelihood_ratio,
    "negative_predictive_value": _negative_predictive_value,
    "positive_likelihood_ratio": _positive_likelihood_ratio,
    "precision": _precision,
    "recall": _recall,
}
OVERALL: dict[str, ConfusionMetric] = {"accuracy": accuracy, "kappa": kappa, "mcc": mcc}


def of_class(name: str, position: int) -> ConfusionMetric:
    """Return a metric of one class against all others."""
    return lambda C: BY_CLASS[name](OneVsRest.of(C))[..., position]


def mean_payoff(payoffs: Floats) -> ConfusionMetric:
    """Return the mean over the samples of what each cell, shape (k, k), costs or brings."""
    return lambda C: np.asarray((C * payoffs).sum(axis=(-2, -1)) / C.sum(axis=(-2, -1)))


def macro(name: str) -> ConfusionMetric:
    """Return the mean of a metric over the classes."""
    return lambda C: BY_CLASS[name](OneVsRest.of(C)).mean(axis=-1)


def micro(name: str) -> ConfusionMetric:
    """Return a metric of the sums over the classes of true and false positives and negatives."""

    def metric(C: Floats) -> Floats:
        return BY_CLASS[name](OneVsRest(*(part.sum(axis=-1) for part in OneVsRest.of(C))))

    return metric


def weighted(name: str) -> ConfusionMetric:
    """Return the mean of a metric over the classes, by their shares among the true labels."""

    def metric(C: Floats) -> Floats:
        values, samples = BY_CLASS[name](OneVsRest.of(C)), C.sum(axis=-1)
        shares = samples / samples.sum(axis=-1, keepdims=True)
        # A class without samples does not count, though its metric may be 0 / 0.
        return np.asarray(np.where(shares > 0, shares * values, 0.0).sum(axis=-1))

    return metric
