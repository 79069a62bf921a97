"""What a user asks for: a metric, its distribution where it has one, and its draws."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from reprlib import repr as short_repr

import numpy as np

from skpostbac._utils import Floats, LabelArray, check_choice
from skpostbac.metrics._confusion.distributions import (
    Exact,
    distribution_of_accuracy,
    distribution_of_class,
    distribution_of_kappa,
    distribution_of_macro,
    distribution_of_micro,
    no_distribution,
)
from skpostbac.metrics._confusion.metrics import (
    BY_CLASS,
    OVERALL,
    ConfusionMetric,
    macro,
    micro,
    of_class,
)
from skpostbac.metrics._confusion.model import ConfusionModel
from skpostbac.metrics._labels import label_list

# Draws unless asked for: standard errors of the mean of at most 0.0016 for a metric in [0, 1].
# Fewer with many classes, of which 10^8 cells take a few seconds.
_MOST_DRAWS, _LEAST_DRAWS, _MOST_CELLS = 100_000, 1_000, 10**8

# How to average a metric over the classes, and the distribution of the average.
AVERAGES = {"macro": (macro, distribution_of_macro), "micro": (micro, distribution_of_micro)}
DISTRIBUTIONS: dict[str, Callable[[ConfusionModel], Exact | None]] = {
    "accuracy": distribution_of_accuracy,
    "kappa": distribution_of_kappa,
}
# What else metrics are called, such as scikit-learn's names of functions and scorers, in lower case
# and without "_score".
SYNONYMS = {
    "cohen_kappa": "kappa",
    "dice": "f1",
    "f_score": "f1",
    "fall_out": "false_positive_rate",
    "fbeta": "f2",
    "fpr": "false_positive_rate",
    "iou": "jaccard",
    "matthews_corrcoef": "mcc",
    "npv": "negative_predictive_value",
    "positive_predictive_value": "precision",
    "ppv": "precision",
    "sensitivity": "recall",
    "tpr": "recall",
    "true_positive_rate": "recall",
}


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
    metric: str | ConfusionMetric, classes: LabelArray, pos_label: Hashable, average: str
) -> Target:
    """Look up a metric by its name, with its distribution where it has one.

    Raises
    ------
    ValueError
        If there is no such metric, class or average, or if the metric has none of the latter two.
    """
    _check_applies(metric, pos_label, average)
    if callable(metric):
        return Target(getattr(metric, "__name__", repr(metric)), _of_shares(metric))
    if metric in OVERALL:
        return Target(metric, OVERALL[metric], DISTRIBUTIONS.get(metric, no_distribution))
    if pos_label is not None:
        place = _position(pos_label, classes)
        distribution = partial(distribution_of_class, metric, place)
        name, function = f"{metric} of {pos_label}", of_class(metric, place)
        return Target(name, function, distribution)
    function_of, distribution_of = AVERAGES[average]
    return Target(f"{average} {metric}", function_of(metric), partial(distribution_of, metric))


def _check_applies(metric: object, pos_label: Hashable, average: str) -> None:
    """Refuse an unknown metric or average, and options that would do nothing."""
    by_class = isinstance(metric, str) and metric in BY_CLASS
    by_function = callable(metric) and not isinstance(metric, type)
    if not (by_class or by_function or (isinstance(metric, str) and metric in OVERALL)):
        names = sorted({*BY_CLASS, *OVERALL})
        raise ValueError(
            f"metric must be a function or one of {names}, got {metric!r}{_suggestion(metric)}"
        )
    check_choice(average, sorted(AVERAGES), "average")
    if pos_label is not None and not by_class:
        raise ValueError(f"pos_label={pos_label!r} does not apply: metric is of all classes")
    if average != "macro" and (pos_label is not None or not by_class):
        raise ValueError(f"average={average!r} does not apply: metric is not averaged over classes")


def _suggestion(metric: object) -> str:
    """Ask whether a metric is meant that goes by another name."""
    if not isinstance(metric, str):
        return ""
    name = metric.lower().strip().replace(" ", "_").replace("-", "_").removesuffix("_score")
    name, _, average = name.partition("_m")
    if f"m{average}" not in AVERAGES:
        name, average = f"{name}_m{average}" if average else name, ""
    known = {**SYNONYMS, **{one: one for one in (*BY_CLASS, *OVERALL)}}
    close = get_close_matches(name, known, n=1, cutoff=0.8)
    if not close:
        return ""
    option = f" with average='m{average}'" if average else ""
    return f"; did you mean {known[close[0]]!r}{option}?"


def _position(pos_label: Hashable, classes: LabelArray) -> int:
    places = {label: place for place, label in enumerate(label_list(classes))}
    with suppress(KeyError, TypeError):  # of what cannot be hashed, such as an array
        return places[pos_label]
    found = short_repr(pos_label)
    raise ValueError(f"pos_label={found} is not a valid label: it should be in {list(places)}")


def _of_shares(metric: ConfusionMetric) -> ConfusionMetric:
    """Give a user's metric matrices of sum 1, and see to it that it returns a number for each."""

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
    """Return how many draws are worth their time, if this many cells are drawn each time."""
    return max(_LEAST_DRAWS, min(_MOST_DRAWS, _MOST_CELLS // n_cells))
