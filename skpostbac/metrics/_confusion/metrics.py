"""Metrics of the confusion matrix by name, as functions of many matrices at once.

All take arrays of shape (..., k, k), true classes as rows, and return the shape (...).
The entries may be counts or shares. Where a metric is 0 / 0 it is nan. A last column
may have the predictions that are none of the classes: errors of their true class, but
no false positives.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from operator import methodcaller
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import (
    Floats,
    LabelArray,
    check_choice,
    float_array,
    float_or_nan,
    input_errors,
    shown,
)
from skpostbac.metrics._binary_scores import label_position
from skpostbac.metrics._confusion.distributions import (
    F_MEASURES,
    MEAN_RECALL,
    ConfusionModel,
    Exact,
    RecallSum,
    distribution_of_accuracy,
    distribution_of_class,
    distribution_of_macro,
    distribution_of_mean,
    distribution_of_micro,
    no_distribution,
    tail_index_of_average,
    tail_index_of_class,
)
from skpostbac.metrics._labels import label_list
from skpostbac.metrics._prior import BetaPrior

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
        k = C.shape[-1]
        tp = np.diagonal(C, axis1=-2, axis2=-1)
        # A difference loses the digits of small numbers, by which ratios divide.
        errors = C * (1 - np.eye(*C.shape[-2:]))
        fp = errors.sum(axis=-2)[..., : tp.shape[-1]]
        fn = errors.sum(axis=-1)
        rest = C.sum(axis=(-2, -1))[..., np.newaxis] - tp - fp - fn
        return cls(tp, fp, fn, tp[..., ::-1] if k == 2 else rest)


def accuracy(C: Floats) -> Floats:
    """Share of correct predictions."""
    return np.asarray(np.trace(C, axis1=-2, axis2=-1) / C.sum(axis=(-2, -1)))


def kappa(C: Floats) -> Floats:
    """Cohen's kappa: agreement beyond that by chance at the same class frequencies."""
    total = C.sum(axis=(-2, -1))
    pred = C.sum(axis=-2)[..., : C.shape[-2]]
    by_chance = (C.sum(axis=-1) * pred).sum(axis=-1) / total**2
    return np.asarray((accuracy(C) - by_chance) / (1 - by_chance))


def mcc(C: Floats) -> Floats:
    """Matthews correlation coefficient of any number of classes."""
    total = C.sum(axis=(-2, -1))
    true = C.sum(axis=-1)
    pred = C.sum(axis=-2)
    by_chance = (true * pred[..., : C.shape[-2]]).sum(axis=-1)
    covariance = np.trace(C, axis1=-2, axis2=-1) * total - by_chance
    spread = (total**2 - (true**2).sum(axis=-1)) * (total**2 - (pred**2).sum(axis=-1))
    return np.asarray(covariance / np.sqrt(spread))


def recalls(C: Floats) -> Floats:
    """Recall of each class, shape (..., k)."""
    return np.asarray(np.diagonal(C, axis1=-2, axis2=-1) / C.sum(axis=-1))


def informedness(C: Floats) -> Floats:
    """Sum of both recalls less 1: Youden's J of two classes."""
    return np.asarray(recalls(C).sum(axis=-1) - 1)


def geometric_mean(C: Floats) -> Floats:
    """Geometric mean of the recalls."""
    return np.asarray(recalls(C).prod(axis=-1) ** (1 / C.shape[-2]))


def f_measure(table: OneVsRest, *, beta: float) -> Floats:
    """Harmonic mean of recall and precision, the former with the weight beta**2."""
    right = (1 + beta**2) * table.tp
    return right / (right + beta**2 * table.fn + table.fp)


BY_CLASS: dict[str, Callable[[OneVsRest], Floats]] = {
    **{name: partial(f_measure, beta=beta) for name, beta in F_MEASURES.items()},
    "false_positive_rate": lambda table: table.fp / (table.fp + table.tn),
    "jaccard": lambda table: table.tp / (table.tp + table.fp + table.fn),
    "negative_likelihood_ratio": lambda table: BY_CLASS["positive_likelihood_ratio"](
        OneVsRest(tp=table.fn, fp=table.tn, fn=table.tp, tn=table.fp)
    ),
    "negative_predictive_value": lambda table: table.tn / (table.tn + table.fn),
    "positive_likelihood_ratio": lambda table: (
        BY_CLASS["recall"](table) / BY_CLASS["false_positive_rate"](table)
    ),
    "precision": lambda table: table.tp / (table.tp + table.fp),
    "recall": lambda table: table.tp / (table.tp + table.fn),
    "specificity": lambda table: table.tn / (table.tn + table.fp),
}


@dataclass(frozen=True)
class Target:
    """A metric of the whole matrix."""

    name: str
    function: ConfusionMetric
    """Metric of matrices (n, k, k) or (n, k, k + 1), whatever their sums."""
    distribution: Callable[[ConfusionModel], Exact | None] = no_distribution
    """Returns the exact distribution of the metric, or None."""
    tail_index: Callable[[ConfusionModel], float] = lambda model: np.inf
    """Returns the order from which on moments of the metric are infinite."""
    recall_sum: RecallSum | None = None
    """The metric in terms of the recalls, if it is a weighted sum of them."""
    prior: Callable[[BetaPrior], BetaPrior] = methodcaller("plain")
    """Returns the prior of the recalls in this metric."""
    n_classes: int | None = None
    """Number of classes for which the metric is defined; None for any."""


def as_given(prior: BetaPrior) -> BetaPrior:
    """Return the prior of a weighted sum of recalls, that of the average."""
    return prior


# Youden's J is 2 BA - 1 of the balanced accuracy BA.
_YOUDEN = RecallSum((1.0, 1.0), -1.0)
OVERALL = {
    target.name: target
    for target in (
        Target("accuracy", accuracy, distribution_of_accuracy),
        Target("geometric_mean", geometric_mean),
        Target(
            "informedness",
            informedness,
            _YOUDEN.distribution,
            recall_sum=_YOUDEN,
            prior=as_given,
            n_classes=2,
        ),
        Target("kappa", kappa),
        Target("mcc", mcc),
    )
}


def of_class(name: str, position: int) -> ConfusionMetric:
    """Return a metric of one class against all others."""
    return lambda C: BY_CLASS[name](OneVsRest.of(C))[..., position]


def macro(name: str) -> ConfusionMetric:
    """Return the mean of a metric over the classes."""
    return lambda C: BY_CLASS[name](OneVsRest.of(C)).mean(axis=-1)


def micro(name: str) -> ConfusionMetric:
    """Return a metric of true and false positives and negatives summed over classes."""
    return lambda C: BY_CLASS[name](
        OneVsRest(*(part.sum(axis=-1) for part in OneVsRest.of(C)))
    )


def weighted(name: str) -> ConfusionMetric:
    """Return the mean of a metric over the classes, weighted by their frequencies."""

    def metric(C: Floats) -> Floats:
        values = BY_CLASS[name](OneVsRest.of(C))
        samples = C.sum(axis=-1)
        shares = samples / samples.sum(axis=-1, keepdims=True)
        # A class without samples does not count, though its metric may be 0 / 0.
        return np.asarray(np.where(shares > 0, shares * values, 0.0).sum(axis=-1))

    return metric


# Range of costs, and least threshold: their products with the shares of classes, and
# the squares of these, are doubles without overflow.
_SMALLEST_COST = 1e-50
_LARGEST_COST = 1e50


@dataclass(frozen=True)
class ExpectedCost:
    """Mean cost of a prediction, for :func:`~skpostbac.posterior_confusion_metric`.

    The posterior is exact with known shares of two classes, or of more classes if each
    row has at most two different costs, and with ``prevalence="sampled"`` if there are
    at most three different costs in all. Otherwise it uses random draws.

    Parameters
    ----------
    costs : array-like of shape (n_classes, n_classes)
        Cost of each prediction (columns) of each true class (rows), in the order of the
        labels. In any unit, not all equal; negative for a gain. Zero, or between 1e-50
        and 1e50 in size.

    Raises
    ------
    ValueError
        If `costs` is not such a matrix.

    Examples
    --------
    A missed case costs ten times as much as a false alarm.

    >>> from skpostbac import PosteriorConfusionMetric
    >>> from skpostbac.metrics import ExpectedCost
    >>> C = [[166, 25], [21, 188]]
    >>> cost = ExpectedCost([[0, 1], [10, 0]])
    >>> PosteriorConfusionMetric.from_confusion_matrix(C, cost)
    PosteriorConfusionMetric('expected cost', mean=0.598, 95% CI=[0.388, 0.838], exact)
    """

    costs: tuple[tuple[float, ...], ...]

    def __init__(self, costs: ArrayLike) -> None:
        matrix = float_array(costs, "costs")
        if matrix.ndim != 2 or len(set(matrix.shape)) > 1 or len(matrix) < 2:
            raise ValueError(
                f"costs must have the shape (n_classes, n_classes), got {matrix.shape}"
            )
        if not np.isfinite(matrix).all() or matrix.min() == matrix.max():
            raise ValueError(
                f"costs must be finite and not all alike, got {shown(costs)}"
            )
        sizes = np.abs(matrix[matrix != 0])
        if not _SMALLEST_COST <= sizes.min() <= sizes.max() <= _LARGEST_COST:
            raise ValueError(
                f"costs must be zero or between {_SMALLEST_COST:g} and "
                f"{_LARGEST_COST:g} in size, got {shown(costs)}"
            )
        # Past the frozen __setattr__.
        vars(self)["costs"] = tuple(map(tuple, matrix.tolist()))


@dataclass(frozen=True)
class NetBenefit:
    r"""Net benefit of decisions, for :func:`~skpostbac.posterior_confusion_metric`.

    It is :math:`(TP - w FP) / n` with :math:`w = t / (1 - t)`, the odds of the
    threshold probability t at which acting and not acting are equally good [1]_. Never
    acting has a net benefit of 0. The posterior is exact with ``prevalence="sampled"``,
    and for two classes of known shares.

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
    .. [1] A. J. Vickers and E. B. Elkin (2006). Decision curve analysis: a novel method
       for evaluating prediction models. Medical Decision Making 26, 565-574.

    Examples
    --------
    >>> from skpostbac import PosteriorConfusionMetric
    >>> from skpostbac.metrics import NetBenefit
    >>> C = [[166, 25], [21, 188]]
    >>> PosteriorConfusionMetric.from_confusion_matrix(C, NetBenefit(0.2))
    PosteriorConfusionMetric('net benefit of 1 at 0.2', mean=0.453,
        95% CI=[0.403, 0.504], exact)
    """

    threshold: float

    def __post_init__(self) -> None:
        value = float_or_nan(self.threshold)
        if not 0 < value < 1:
            raise ValueError(
                f"threshold must be in (0, 1), got {shown(self.threshold)}"
            )
        if value < _SMALLEST_COST:
            raise ValueError(
                f"threshold must be at least {_SMALLEST_COST:g}, got "
                f"{shown(self.threshold)}"
            )
        vars(self)["threshold"] = value


# How to average a metric over the classes, and the distribution of the average.
AVERAGES = {
    "macro": (macro, distribution_of_macro),
    "micro": (micro, distribution_of_micro),
    # The recall, so weighted, is the accuracy.
    "weighted": (
        weighted,
        lambda name, model: (
            distribution_of_accuracy(model) if name == "recall" else None
        ),
    ),
}
# Other names of metrics, such as those of scikit-learn's functions and scorers, in
# lower case, with underscores and without "_score".
SYNONYMS = {
    "balanced_accuracy": "recall_macro",
    "bookmaker_informedness": "informedness",
    "cohen_kappa": "kappa",
    "dice": "f1",
    "fall_out": "false_positive_rate",
    "fpr": "false_positive_rate",
    "g_mean": "geometric_mean",
    "gmean": "geometric_mean",
    "iou": "jaccard",
    "matthews": "mcc",
    "matthews_corrcoef": "mcc",
    "lr+": "positive_likelihood_ratio",
    "lr-": "negative_likelihood_ratio",
    "npv": "negative_predictive_value",
    "positive_predictive_value": "precision",
    "ppv": "precision",
    "sensitivity": "recall",
    "tnr": "specificity",
    "tpr": "recall",
    "true_negative_rate": "specificity",
    "true_positive_rate": "recall",
    "youden_j": "informedness",
}
# What was probably meant by ambiguous names, or metrics that need a number or a matrix.
_MEANT = {
    "auc": "posterior_roc_auc or compare_scores, which take scores",
    "average_precision": (
        "posterior_average_precision or compare_scores, which take scores"
    ),
    "cost": "ExpectedCost(costs)",
    "decision_curve": "NetBenefit(threshold)",
    "expected_cost": "ExpectedCost(costs)",
    "f_beta": "'f2'",
    "f_measure": "'f1'",
    "fbeta": "'f2'",
    "fscore": "'f1'",
    "net_benefit": "NetBenefit(threshold)",
    "roc_auc": "posterior_roc_auc or compare_scores, which take scores",
}

# Metrics for which lower is better, beside costs.
_LESS_IS_BETTER = "expected cost", "false_positive_rate", "negative_likelihood_ratio"

Metric: TypeAlias = str | ConfusionMetric | ExpectedCost | NetBenefit


def find_target(
    metric: Metric, classes: LabelArray, pos_label: Hashable, average: str | None
) -> Target:
    """Look up a metric by its name, with its distribution where it has one.

    Raises
    ------
    ValueError
        If there is no such metric, class or average, or if the metric has none of the
        latter two.
    """
    if average is not None:
        check_choice(average, ["binary", *AVERAGES], "average")
    if isinstance(metric, ExpectedCost | NetBenefit):
        return _mean_of_cells(metric, classes, pos_label, average)
    if callable(metric) and not isinstance(metric, type):
        target = _own_metric(metric)
        _check_overall(pos_label, average)
        return target

    name, average = read_name(metric, average)
    if name in OVERALL:
        _check_overall(pos_label, average)
        target = OVERALL[name]
        if target.n_classes not in (None, len(classes)):
            raise ValueError(
                f"metric={name!r} is for {target.n_classes} classes, got {len(classes)}"
            )
        return target

    # As in scikit-learn, two classes are not averaged by default.
    average = average or (
        "binary" if pos_label is not None or len(classes) == 2 else "macro"
    )
    if average == "binary":
        place = _position(pos_label, classes)
        label = label_list(classes)[place]  # may be True for the pos_label 1
        return Target(
            f"{name} of {label}",
            of_class(name, place),
            partial(distribution_of_class, name, place),
            partial(tail_index_of_class, name, place),
            prior=methodcaller("alone"),
        )

    if pos_label is not None:
        raise ValueError(
            f"average={average!r} does not apply: pos_label asks for one class"
        )
    function_of, distribution_of = AVERAGES[average]
    function = function_of(name)
    target_name = f"{average} {name}"
    if target_name == "macro recall":
        return Target(
            "balanced accuracy",
            function,
            MEAN_RECALL.distribution,
            recall_sum=MEAN_RECALL,
            prior=as_given,
        )
    return Target(
        target_name,
        function,
        partial(distribution_of, name),
        partial(tail_index_of_average, name, average),
    )


def read_prevalence(
    prevalence: ArrayLike, classes: LabelArray, pos_label: Hashable
) -> ArrayLike:
    """Return prevalence, a single number as the shares of two classes.

    Raises
    ------
    ValueError
        If a number is not in (0, 1), or if there is no positive one of two classes.
    """
    share = float_or_nan(prevalence)
    if np.isnan(share) and not isinstance(prevalence, float):
        return prevalence
    labels = label_list(classes)
    positive = 1 if pos_label is None else pos_label
    if len(labels) != 2 or positive not in labels or not 0 < share < 1:
        raise ValueError(
            "prevalence must be 'sampled', 'observed', an array of the shares of the "
            f"classes {shown(labels)}, or a number in (0, 1), the share of pos_label, "
            f"by default 1, of two classes; got {shown(prevalence)}"
        )
    return [share if label == positive else 1 - share for label in labels]


def less_is_better(name: str) -> bool:
    """Return whether lower is better for a metric, by the name of its posterior.

    Examples
    --------
    >>> less_is_better("macro false_positive_rate")
    True
    >>> less_is_better("recall of no expected cost")
    False
    """
    return name.partition(" of ")[0].endswith(_LESS_IS_BETTER)


def _mean_of_cells(
    metric: ExpectedCost | NetBenefit,
    classes: LabelArray,
    pos_label: Hashable,
    average: str | None,
) -> Target:
    """Return the metric of costs, or of the payoffs of a net benefit."""
    if isinstance(metric, ExpectedCost):
        _check_overall(pos_label, average)
        if len(metric.costs) != len(classes):
            raise ValueError(
                f"costs must have a row for each of the {len(classes)} classes, got "
                f"{len(metric.costs)}"
            )
        name = "expected cost"
        payoffs = np.array(metric.costs)
    else:
        if average not in (None, "binary"):
            raise ValueError(
                f"average={average!r} does not apply: metric is of one class"
            )
        place = _position(pos_label, classes)
        t = metric.threshold
        threshold = repr(t) if float(f"{t:g}") == 1 else f"{t:g}"  # no threshold is 1
        name = f"net benefit of {label_list(classes)[place]} at {threshold}"
        payoffs = np.zeros((len(classes), len(classes) + 1))
        payoffs[:, place] = -t / (1 - t)
        payoffs[place, place] = 1.0

    def mean(C: Floats) -> Floats:
        if C.shape[-1] > payoffs.shape[1]:
            raise ValueError(
                "costs has no column for predictions that are none of the classes: "
                "recode them as a class, or list them in labels"
            )
        sums = (C * payoffs[:, : C.shape[-1]]).sum(axis=(-2, -1))
        return np.asarray(sums / C.sum(axis=(-2, -1)))

    return Target(name, mean, partial(distribution_of_mean, payoffs))


def _own_metric(metric: ConfusionMetric) -> Target:
    """Return a user's function, which is given matrices of sum 1, and checked."""
    name = getattr(metric, "__name__", repr(metric))
    # Functions and scorers of scikit-learn take labels.
    if str(getattr(metric, "__module__", "")).startswith("sklearn."):
        raise ValueError(
            "metric must be a name or a function of confusion matrices, got "
            f"scikit-learn's {name}, which takes labels; give a name, such as "
            "'f1_score'"
        )

    def function(C: Floats) -> Floats:
        shares = C / C.sum(axis=(1, 2), keepdims=True)
        with input_errors("metric is called with confusion matrices, and failed"):
            values = np.asarray(metric(shares), dtype=np.float64)
        if values.shape != (len(C),):
            raise ValueError(
                "metric must return one number for each confusion matrix, so the shape "
                f"({len(C)},) for the input shape {C.shape}; got {values.shape}"
            )
        return values

    return Target(name, function)


def _position(pos_label: Hashable, classes: LabelArray) -> int:
    """Return the position of the positive class.

    As in scikit-learn, two classes of which one is 1, or True, need no `pos_label`.
    """
    labels = label_list(classes)
    if pos_label is None:
        if len(labels) != 2 or 1 not in labels:
            raise ValueError(
                f"metric of one class needs a pos_label, one of {shown(labels)}, "
                "unless one of two classes is 1; averages over the classes are "
                f"{sorted(AVERAGES)}"
            )
        pos_label = 1
    return label_position(labels, pos_label)


def _check_overall(pos_label: Hashable, average: str | None) -> None:
    """Raise for options that do not apply to a metric of the whole matrix."""
    if pos_label is not None:
        raise ValueError(
            f"pos_label={pos_label!r} does not apply: the metric has no positive "
            "class; leave pos_label out"
        )
    if average not in (None, "macro"):  # the latter is the default of most metrics
        raise ValueError(
            f"average={average!r} does not apply: metric is not averaged over classes"
        )


def read_name(metric: object, average: str | None) -> tuple[str, str | None]:
    """Return the canonical name and the average, which may be part of the name."""
    name, own_average = _plain_name(metric) if isinstance(metric, str) else ("", None)
    if name not in BY_CLASS and (name not in OVERALL or own_average is not None):
        names = sorted({*BY_CLASS, *OVERALL, *SYNONYMS})
        hint = _suggestion(metric) if isinstance(metric, str) else ""
        raise ValueError(
            f"metric={metric!r} is unknown{hint}; it must be a function or one of "
            f"{names}"
        )
    if own_average is not None and average not in (None, own_average):
        raise ValueError(f"average={average!r} contradicts metric={metric!r}")
    return name, own_average or average


def _plain_name(text: str) -> tuple[str, str | None]:
    """Split a name such as "f1_macro" or "macro f1", whose metric may be a synonym."""
    name = re.sub(r"\b[ -]\b", "_", text.strip().lower()).removesuffix("_score")
    name = SYNONYMS.get(name, name)
    for average in AVERAGES:
        stem = name.removeprefix(f"{average}_").removesuffix(f"_{average}")
        if stem != name:
            return SYNONYMS.get(stem, stem), average
    return name, None


def _suggestion(metric: str) -> str:
    """Suggest the metric that was probably meant."""
    name, average = _plain_name(metric)
    names = (*SYNONYMS, *BY_CLASS, *OVERALL)
    meant = {one: repr(SYNONYMS.get(one, one)) for one in names} | _MEANT

    close = get_close_matches(name, meant, n=1, cutoff=0.7)
    option = f" with average={average!r}" if average else ""
    return f" (did you mean {meant[close[0]]}{option}?)" if close else ""
