"""Metrics by name, with their exact distribution, if any, and their draws."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from reprlib import repr as short_repr
from typing import TypeAlias

import numpy as np

from skpostbac._utils import Floats, LabelArray, check_choice, shown
from skpostbac.metrics._confusion.distributions import (
    Exact,
    distribution_of_accuracy,
    distribution_of_class,
    distribution_of_kappa,
    distribution_of_macro,
    distribution_of_mean,
    distribution_of_micro,
    distribution_of_weighted,
    no_distribution,
)
from skpostbac.metrics._confusion.metrics import (
    BY_CLASS,
    OVERALL,
    ConfusionMetric,
    macro,
    mean_payoff,
    micro,
    of_class,
    weighted,
)
from skpostbac.metrics._confusion.model import ConfusionModel
from skpostbac.metrics._confusion.payoffs import ExpectedCost, NetBenefit, payoffs_of
from skpostbac.metrics._labels import label_list

# Default number of draws: the standard error of the mean of a metric in [0, 1] is at most 0.0016.
# There are fewer draws with many classes, as 4 * 10^7 cells take a second or two.
_MOST_DRAWS, _LEAST_DRAWS, _MOST_CELLS = 100_000, 1_000, 4 * 10**7

# How to average a metric over the classes, and the distribution of the average.
AVERAGES = {
    "macro": (macro, distribution_of_macro),
    "micro": (micro, distribution_of_micro),
    "weighted": (weighted, distribution_of_weighted),
}
DISTRIBUTIONS: dict[str, Callable[[ConfusionModel], Exact | None]] = {
    "accuracy": distribution_of_accuracy,
    "kappa": distribution_of_kappa,
}
# Other names of metrics, such as those of scikit-learn's functions and scorers, in lower case and
# without "_score".
SYNONYMS = {
    "balanced_accuracy": "recall_macro",
    "cohen_kappa": "kappa",
    "dice": "f1",
    "fall_out": "false_positive_rate",
    "fpr": "false_positive_rate",
    "iou": "jaccard",
    "matthews_corrcoef": "mcc",
    "lr+": "positive_likelihood_ratio",
    "lr-": "negative_likelihood_ratio",
    "npv": "negative_predictive_value",
    "positive_predictive_value": "precision",
    "ppv": "precision",
    "sensitivity": "recall",
    "tpr": "recall",
    "true_positive_rate": "recall",
}
# Ambiguous names, and what they probably mean.
_VAGUE = {"f_beta": "f2", "f_measure": "f1", "fbeta": "f2", "fscore": "f1"}
# Metrics that need a number or a matrix, and how to construct them.
_MADE = {
    "cost": "ExpectedCost(costs)",
    "decision_curve": "NetBenefit(threshold)",
    "expected_cost": "ExpectedCost(costs)",
    "net_benefit": "NetBenefit(threshold)",
}

Metric: TypeAlias = str | ConfusionMetric | ExpectedCost | NetBenefit


@dataclass(frozen=True)
class Target:
    """A metric of the whole matrix."""

    name: str
    function: ConfusionMetric
    """Metric of matrices of shape (n, k, k), whatever the sum of their entries."""
    distribution: Callable[[ConfusionModel], Exact | None] = no_distribution

    def draw(self, model: ConfusionModel, rng: np.random.Generator, n_draws: int | None) -> Floats:
        """Evaluate the metric on matrices drawn from their posterior."""
        size = n_draws or _default_draws(model.cells.size)
        return np.concatenate([self.function(block) for block in model.draw(rng, size)])


def find_target(
    metric: Metric, classes: LabelArray, pos_label: Hashable, average: str | None
) -> Target:
    """Look up a metric by its name, with its distribution where it has one.

    Raises
    ------
    ValueError
        If there is no such metric, class or average, or if the metric has none of the latter two.
    """
    if isinstance(metric, ExpectedCost):
        _check_whole(pos_label, average)
        return _of_costs(metric, classes)
    if isinstance(metric, NetBenefit):
        return _of_decisions(metric, classes, pos_label, average)
    name, average = _read_name(metric, average)
    if average is not None:
        check_choice(average, ["binary", *AVERAGES], "average")
    if callable(name):
        _check_whole(pos_label, average)
        return Target(getattr(name, "__name__", repr(name)), _of_shares(name))
    if name in OVERALL:
        _check_whole(pos_label, average)
        return Target(name, OVERALL[name], DISTRIBUTIONS.get(name, no_distribution))
    average = average or _usual_average(classes, pos_label)
    if average == "binary":
        return _of_one_class(name, classes, pos_label)
    if pos_label is not None:
        raise ValueError(f"average={average!r} does not apply: pos_label asks for one class")
    function_of, distribution_of = AVERAGES[average]
    return Target(f"{average} {name}", function_of(name), partial(distribution_of, name))


def _of_costs(metric: ExpectedCost, classes: LabelArray) -> Target:
    """Return the expected cost of a prediction."""
    if len(metric.costs) != len(classes):
        raise ValueError(
            f"costs must have a row for each of the {len(classes)} classes, got {len(metric.costs)}"
        )
    return _of_payoffs("expected cost", np.array(metric.costs))


def _of_decisions(
    metric: NetBenefit, classes: LabelArray, pos_label: Hashable, average: str | None
) -> Target:
    """Return the net benefit of acting on one class."""
    if average not in (None, "binary"):
        raise ValueError(f"average={average!r} does not apply: metric is of one class")
    place = _positive(classes, pos_label)
    threshold = f"{metric.threshold:g}"
    if float(threshold) == 1:  # which no threshold is
        threshold = repr(metric.threshold)
    name = f"net benefit of {label_list(classes)[place]} at {threshold}"
    return _of_payoffs(name, payoffs_of(metric, len(classes), place))


def _of_payoffs(name: str, payoffs: Floats) -> Target:
    return Target(name, mean_payoff(payoffs), partial(distribution_of_mean, payoffs))


def _of_one_class(name: str, classes: LabelArray, pos_label: Hashable) -> Target:
    """Return a metric of a class against all others."""
    place = _positive(classes, pos_label)
    distribution = partial(distribution_of_class, name, place)
    label = label_list(classes)[place]  # True, if that is what stands for 1
    return Target(f"{name} of {label}", of_class(name, place), distribution)


def _positive(classes: LabelArray, pos_label: Hashable) -> int:
    """Return the position of the positive class.

    As in scikit-learn, two classes of which one is 1 need no `pos_label`.
    """
    if pos_label is None and not _has_one(classes):
        raise ValueError(
            "metric of one class needs a pos_label, unless one of two classes is 1: it must be "
            f"one of {shown(label_list(classes))}; averages are {sorted(AVERAGES)}"
        )
    return _position(1 if pos_label is None else pos_label, classes)


def _usual_average(classes: LabelArray, pos_label: Hashable) -> str:
    """Return scikit-learn's default "binary" for one or two classes, otherwise "macro"."""
    return "binary" if pos_label is not None or len(classes) == 2 else "macro"


def _has_one(classes: LabelArray) -> bool:
    """Return whether there are two classes of which one is 1, or True."""
    return len(classes) == 2 and 1 in label_list(classes)


def _read_name(
    metric: str | ConfusionMetric, average: str | None
) -> tuple[str | ConfusionMetric, str | None]:
    """Return the function or canonical name, and the average, which may be part of the name."""
    if callable(metric) and not isinstance(metric, type):
        _check_takes_matrices(metric)
        return metric, average
    name, own_average = _plain_name(metric) if isinstance(metric, str) else ("", None)
    if not (name in BY_CLASS or (name in OVERALL and own_average is None)):
        names = sorted({*BY_CLASS, *OVERALL})
        raise ValueError(
            f"metric must be a function or one of {names}, got {metric!r}{_suggestion(metric)}"
        )
    if own_average is not None and average not in (None, own_average):
        raise ValueError(f"average={average!r} contradicts metric={metric!r}")
    return name, own_average or average


def _check_takes_matrices(metric: ConfusionMetric) -> None:
    """Raise for functions and scorers of scikit-learn, which take labels, not matrices."""
    if str(getattr(metric, "__module__", "")).startswith("sklearn."):
        found = getattr(metric, "__name__", repr(metric))
        raise ValueError(
            "metric must be a name or a function of confusion matrices, got scikit-learn's "
            f"{found}, which takes labels; give a name, such as 'f1_score'"
        )


def _plain_name(text: str) -> tuple[str, str | None]:
    """Split a name such as "f1_macro", and look it up among the synonyms."""
    name = text.lower().removesuffix("_score")
    name = SYNONYMS.get(name, name)
    stem, _, last = name.rpartition("_")
    return (SYNONYMS.get(stem, stem), last) if last in AVERAGES else (name, None)


def _check_whole(pos_label: Hashable, average: str | None) -> None:
    """Raise for options that do not apply to a metric of the whole matrix."""
    if pos_label is not None:
        raise ValueError(f"pos_label={pos_label!r} does not apply: metric is of all classes")
    if average not in (None, "macro"):  # the latter is the default of most metrics
        raise ValueError(f"average={average!r} does not apply: metric is not averaged over classes")


def _suggestion(metric: object) -> str:
    """Suggest the metric that was probably meant."""
    if not isinstance(metric, str):
        return ""
    text = metric.strip().replace(" ", "_").replace("-", "_").removesuffix("_score")
    name, average = _plain_name(text)
    made = get_close_matches(name, _MADE, n=1, cutoff=0.8)
    if made:
        return f"; did you mean {_MADE[made[0]]}?"
    known = {**SYNONYMS, **_VAGUE, **{one: one for one in (*BY_CLASS, *OVERALL)}}
    close = get_close_matches(name, known, n=1, cutoff=0.8)
    if not close:
        return ""
    option = f" with average={average!r}" if average else ""
    return f"; did you mean {known[close[0]]!r}{option}?"


def _position(pos_label: Hashable, classes: LabelArray) -> int:
    places = {label: place for place, label in enumerate(label_list(classes))}
    with suppress(KeyError, TypeError):  # of what cannot be hashed, such as an array
        return places[pos_label]
    found = short_repr(pos_label)
    raise ValueError(f"pos_label={found} is not a valid label: it should be in {list(places)}")


def _of_shares(metric: ConfusionMetric) -> ConfusionMetric:
    """Pass matrices of sum 1 to a user's metric, and check that it returns a number for each."""

    def function(C: Floats) -> Floats:
        values = np.asarray(metric(C / C.sum(axis=(1, 2), keepdims=True)), dtype=np.float64)
        if values.shape != (len(C),):
            raise ValueError(
                "metric must return one number for each confusion matrix, so the shape "
                f"({len(C)},) for the input shape {C.shape}; got {values.shape}"
            )
        return values

    return function


def _default_draws(n_cells: int) -> int:
    """Return the default number of draws of matrices with so many cells."""
    return max(_LEAST_DRAWS, min(_MOST_DRAWS, _MOST_CELLS // n_cells))
