"""Exact posteriors of metrics: a Beta distribution, a weighted sum of Betas, or a ratio of them.

Each function returns None where the posterior has no such form.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from skpostbac._utils import Floats
from skpostbac.metrics._confusion.metrics import F_MEASURES
from skpostbac.metrics._confusion.model import ConfusionModel
from skpostbac.stats import (
    BetaAverage,
    BetaQuotient,
    BetaRatio,
    LibbyNovickBeta,
    ShiftedDistribution,
)

Exact: TypeAlias = BetaAverage | BetaQuotient | BetaRatio | LibbyNovickBeta | ShiftedDistribution

_LIKELIHOOD_RATIOS = ("negative_likelihood_ratio", "positive_likelihood_ratio")

# A sum of false positives is drawn at random if a class has a smaller parameter than this for the
# predictions of other classes, or a smaller share relative to the largest one.
_LEAST_QUIET, _LEAST_SHARE = 5.0, 1e-3


def no_distribution(model: ConfusionModel) -> None:
    """Return None: most metrics have no known distribution."""


def distribution_of_class(name: str, position: int, model: ConfusionModel) -> Exact | None:
    """Return the distribution of a metric of one class against all others."""
    if name == "recall":
        return BetaAverage(model.right[[position]], model.wrong[[position]])
    if name == "false_positive_rate":
        return _false_positive_rate(model, position)
    if name in _LIKELIHOOD_RATIOS:
        return _likelihood_ratio(name, position, model)
    if model.prevalence is None:
        return _of_sampled_class(name, position, model)
    return _of_known_class(name, position, model, model.prevalence)


def _likelihood_ratio(name: str, position: int, model: ConfusionModel) -> BetaQuotient | None:
    """Return the distribution of a likelihood ratio, or None if it is not known.

    The positive one is the recall divided by the false positive rate; the negative one is 1 minus
    the recall divided by 1 minus the false positive rate. The false positive rate is a Beta
    variable with two classes, or with sampled shares.
    """
    alarms, quiet = _alarms(model, position)
    if model.prevalence is not None and len(alarms) > 1:
        return None
    right, wrong = model.right[position], model.wrong[position]
    a, b = np.array([right, alarms.sum()]), np.array([wrong, quiet.sum()])
    return BetaQuotient(a, b) if name.startswith("positive") else BetaQuotient(b, a)


def _of_sampled_class(name: str, position: int, model: ConfusionModel) -> Exact:
    """Return the distribution of a metric of one class, whose share is sampled.

    The four outcomes have a Dirichlet distribution: a share of some of them is a Beta variable,
    independent of how the rest is divided.
    """
    tp, fp, fn, tn = _outcomes(model.cells, position)
    betas = {
        "jaccard": (tp, fp + fn),
        "negative_predictive_value": (tn, fn),
        "precision": (tp, fp),
    }
    if name in betas:
        a, b = betas[name]
        return BetaAverage([a], [b])
    weight = F_MEASURES[name] ** 2
    if weight == 1:
        # The odds 2 TP / (FP + FN) are twice those of the Jaccard index.
        return LibbyNovickBeta(tp, fp + fn, factor=2)
    # Of what is no true negative: the share of true positives, and of false negatives among errors.
    right, missed = BetaAverage([tp], [fn + fp]), BetaAverage([fn], [fp])
    top = 1 + weight
    return BetaRatio(right, missed, [[0.0, 0.0], [top, top]], [[1.0, weight], [top, top]])


def _outcomes(cells: Floats, position: int) -> tuple[float, float, float, float]:
    """Return true and false positives, and false and true negatives, of one class.

    Only sums: a difference has no digits of a small prior.
    """
    others = np.delete(cells, position, axis=0)
    fn, tn = np.delete(cells[position], position).sum(), np.delete(others, position, axis=1).sum()
    return float(cells[position, position]), float(others[:, position].sum()), float(fn), float(tn)


def _of_known_class(
    name: str, position: int, model: ConfusionModel, shares: Floats
) -> BetaRatio | None:
    """Return the distribution of a metric of one class, whose share is known.

    The metric is a ratio of two bilinear forms in the recall and the false positive rate. A form is
    given by its values at recalls of 0 and 1 (rows) and false positive rates of 0 and 1 (columns);
    so are the true positives `tp`, and the other outcomes.
    """
    own, rest = shares[position], np.delete(shares, position)
    if own == 0 or not rest.any():
        return None
    tp, fp = np.array([[0, 0], [own, own]]), np.array([[0, rest.sum()]] * 2)
    fn, tn = tp[::-1], fp[:, ::-1]
    numerator, denominator = _parts(name, tp, fp, fn, tn)
    alarms, quiet = _alarms(model, position)
    if not _is_smooth(quiet[rest > 0], rest[rest > 0]):
        return None
    return BetaRatio(
        BetaAverage(model.right[[position]], model.wrong[[position]]),
        BetaAverage(alarms, quiet, weights=rest),
        numerator,
        denominator,
    )


def _is_smooth(quiet: Floats, shares: Floats) -> bool:
    """Return whether the density of a sum of false positives is smooth enough for a ratio.

    The density has a kink, of the order `quiet`, where all samples of a class are predicted as
    another one. The ratio then takes seconds to compute, as it does if shares differ by orders of
    magnitude.
    """
    several = quiet.size > 1
    rough = quiet.min() < _LEAST_QUIET or shares.min() < _LEAST_SHARE * shares.max()
    return not (several and rough)


def _parts(name: str, tp: Floats, fp: Floats, fn: Floats, tn: Floats) -> tuple[Floats, Floats]:
    """Return numerator and denominator of a metric."""
    if name in F_MEASURES:
        weight = F_MEASURES[name] ** 2
        return (1 + weight) * tp, (1 + weight) * tp + weight * fn + fp
    return {
        "jaccard": (tp, tp + fp + fn),
        "negative_predictive_value": (tn, tn + fn),
        "precision": (tp, tp + fp),
    }[name]


def distribution_of_macro(name: str, model: ConfusionModel) -> Exact | None:
    """Return the distribution of the mean of a metric over the classes.

    The columns of one Dirichlet matrix, each divided by its sum, are independent.
    """
    if name == "recall":
        return BetaAverage(model.right, model.wrong)
    if name == "precision" and model.prevalence is None:
        errors = model.cells * (1 - np.eye(len(model.cells)))
        return BetaAverage(model.right, errors.sum(axis=0))
    return None


def distribution_of_micro(name: str, model: ConfusionModel) -> Exact | None:
    """Return the distribution of a metric of the sums over the classes.

    Each error is a false positive and a false negative, so that recall, precision and the
    F-measures are the accuracy. Each of n samples is a negative of k - 1 classes.
    """
    if name == "false_positive_rate":
        return _error_rate(model, share=1 / (len(model.cells) - 1))
    accuracy = distribution_of_accuracy(model)
    if name == "jaccard":
        # A / (2 - A) of the accuracy A, with half its odds.
        if model.prevalence is not None:
            return None
        return LibbyNovickBeta(model.right.sum(), model.wrong.sum(), factor=0.5)
    if name == "negative_predictive_value" and len(model.cells) > 2:
        return None
    return accuracy


def distribution_of_weighted(name: str, model: ConfusionModel) -> Exact | None:
    """Return the distribution of the mean of a metric over the classes, weighted by their shares.

    The weighted mean of the recalls is the accuracy.
    """
    return distribution_of_accuracy(model) if name == "recall" else None


def distribution_of_kappa(model: ConfusionModel) -> BetaRatio | None:
    """Return the distribution of kappa of two classes of known shares p and q.

    Of the recall r of the first and the false positive rate f it is

        2 p q (r - f) / (p q r + q^2 f + p^2 (1 - r) + p q (1 - f)).
    """
    if model.prevalence is None or len(model.cells) > 2 or not model.prevalence.all():
        return None
    p, q = model.prevalence
    numerator = np.array([[0, -2 * p * q], [2 * p * q, 0]])
    denominator = np.array([[p, p * p + q * q], [2 * p * q, q]])
    first, second = (
        BetaAverage(a, b) for a, b in zip(model.cells[:, :1], model.cells[:, 1:], strict=True)
    )
    return BetaRatio(first, second, numerator, denominator)


def distribution_of_accuracy(model: ConfusionModel) -> BetaAverage:
    """Return the distribution of the accuracy."""
    if model.prevalence is None:
        return BetaAverage([model.right.sum()], [model.wrong.sum()])
    return BetaAverage(model.right, model.wrong, weights=model.prevalence)


def distribution_of_mean(payoffs: Floats, model: ConfusionModel) -> Exact | None:
    """Return the distribution of the mean payoff, given that of each cell, shape (k, k)."""
    if model.prevalence is None:
        return _mean_of_sampled(payoffs.ravel(), model.cells.ravel())
    return _mean_of_known(payoffs, model, model.prevalence)


def _mean_of_sampled(payoffs: Floats, cells: Floats) -> Exact | None:
    """Return the distribution of a mean over cells whose shares have one Dirichlet distribution.

    Cells of equal payoff are merged. With three payoffs u < v < w, let S be the share of the cells
    that pay v or w, and T the part of S that pays w. S and T are independent Beta variables, and
    the mean is (1 - S) u + S ((1 - T) v + T w).
    """
    values, places = np.unique(payoffs, return_inverse=True)
    sizes = np.asarray(np.bincount(places, weights=cells), dtype=np.float64)
    if len(values) == 2:
        return _shifted(sizes[1:], sizes[:1], np.diff(values), values[0])
    if len(values) > 3:
        return None
    share = BetaAverage([sizes[1:].sum()], sizes[:1])
    last = BetaAverage(sizes[2:], sizes[1:2])
    return BetaRatio(share, last, [values[[0, 0]], values[1:]], np.ones((2, 2)))


def _mean_of_known(payoffs: Floats, model: ConfusionModel, shares: Floats) -> Exact | None:
    """Return the distribution of the mean at known shares of the classes.

    A class with two payoffs contributes the lower one plus their difference times a Beta variable.
    """
    if any(len(np.unique(row)) > 2 for row in payoffs[shares > 0]):
        return None
    least, width = payoffs.min(axis=1), np.ptp(payoffs, axis=1)
    upper = np.where(payoffs > least[:, np.newaxis], model.cells, 0.0).sum(axis=1)
    varied = (shares > 0) & (width > 0)
    if not varied.any():
        raise ValueError("metric does not depend on the predictions for these shares of classes")
    rest = model.cells.sum(axis=1) - upper
    return _shifted(upper[varied], rest[varied], (shares * width)[varied], float(shares @ least))


def _shifted(a: Floats, b: Floats, weights: Floats, shift: float) -> Exact:
    """Return the distribution of a weighted sum of Beta variables and a constant."""
    average = BetaAverage(a, b, weights=weights)
    return ShiftedDistribution(average, shift) if shift else average


def _error_rate(model: ConfusionModel, share: float) -> BetaAverage:
    """Return the distribution of a share of the error rate."""
    if model.prevalence is None:
        return BetaAverage([model.wrong.sum()], [model.right.sum()], weights=[share])
    return BetaAverage(model.wrong, model.right, weights=share * model.prevalence)


def _false_positive_rate(model: ConfusionModel, position: int) -> BetaAverage:
    alarms, quiet = _alarms(model, position)
    if model.prevalence is None:
        return BetaAverage([alarms.sum()], [quiet.sum()])
    weights = np.delete(model.prevalence, position)
    if not weights.any():
        raise ValueError("prevalence leaves no samples outside the requested class")
    return BetaAverage(alarms, quiet, weights=weights / weights.sum())


def _alarms(model: ConfusionModel, position: int) -> tuple[Floats, Floats]:
    """Return, for each other class, the parameters of predicting this class, and of any other."""
    others = np.delete(model.cells, position, axis=0)
    return others[:, position], np.delete(others, position, axis=1).sum(axis=1)
