"""The posteriors of the classifiers of a table, and their comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skpostbac._cli._formats import InputError
from skpostbac._cli._table import Table
from skpostbac.metrics import (
    PairedCounts,
    PosteriorBalancedAccuracy,
    class_counts,
    paired_counts,
)
from skpostbac.metrics._priors import DEFAULT_PRIOR
from skpostbac.model_selection import PosteriorComparison

# Classifiers that the sentences speak of, best first.
SENTENCES = 5
# The same table gives the same output.
SEED = 0


@dataclass(frozen=True)
class Settings:
    """What is evaluated, and how."""

    prior: str | tuple[float, ...] = DEFAULT_PRIOR
    level: float = 0.95
    rope: float = 0.0
    labels: tuple[str, ...] | None = None
    fail_below: float | None = None
    """What no lower bound may be below."""


@dataclass(frozen=True)
class Evaluation:
    """What is known of the classifiers of a table."""

    table: Table
    settings: Settings
    posteriors: dict[str, PosteriorBalancedAccuracy]
    """By name of the classifier, in the order of the table."""
    comparison: PosteriorComparison | None
    """Of these posteriors; None for a single classifier."""

    @property
    def ranking(self) -> tuple[str, ...]:
        """Names of the classifiers by decreasing posterior mean; ties stay in order."""
        posteriors = self.posteriors
        return tuple(sorted(posteriors, key=lambda name: posteriors[name].mean(), reverse=True))


def evaluate(table: Table, settings: Settings) -> Evaluation:
    """Evaluate and compare the classifiers of a table.

    Parameters
    ----------
    table : Table
        True labels and predictions.
    settings : Settings
        Prior, level of the intervals, rope, and the classes if they are not those of the truth.

    Returns
    -------
    evaluation : Evaluation

    Raises
    ------
    InputError
        If the classes do not fit the labels of the table.
    """
    if len(table.classifiers) == 1:
        return Evaluation(table, settings, _alone(table, settings), None)
    comparison = _compare(_count(table, settings), settings)
    # Those that are compared are those that are shown.
    posteriors = dict(zip(comparison.names, comparison.posteriors, strict=True))
    return Evaluation(table, settings, posteriors, comparison)


def report(evaluation: Evaluation) -> list[str]:
    """Say in sentences what it comes to, the most important first."""
    level, number = evaluation.settings.level, len(evaluation.posteriors)
    if evaluation.comparison is None:
        (posterior,) = evaluation.posteriors.values()
        return posterior.report(level).splitlines()
    lines = evaluation.comparison.report(level).splitlines()
    hidden = (
        [f"Showing the best {SENTENCES} of {number} classifiers."] if number > SENTENCES else []
    )
    return [*lines[: min(number, SENTENCES)], *hidden, *lines[number:]]


def _count(table: Table, settings: Settings) -> PairedCounts:
    y_true, *y_preds = _columns(table)[: 1 + len(table.classifiers)]
    predictions = dict(zip(table.classifiers, y_preds, strict=True))
    return paired_counts(y_true, predictions, **_options(table, settings))


def _compare(counts: PairedCounts, settings: Settings) -> PosteriorComparison:
    # Not by compare_predictions: the document has its own notes of labels and of the prior.
    return PosteriorComparison.from_paired_counts(
        counts, prior=settings.prior, rope=settings.rope, random_state=SEED
    )


def _alone(table: Table, settings: Settings) -> dict[str, PosteriorBalancedAccuracy]:
    """Evaluate a classifier that is alone."""
    y_true, y_pred = _columns(table)[:2]
    (name,) = table.classifiers
    counts = class_counts(y_true, y_pred, **_options(table, settings))
    return {name: PosteriorBalancedAccuracy(counts, prior=settings.prior)}


def _columns(table: Table) -> NDArray[np.object_]:
    # As objects: in an array of strings each cell would be as wide as the widest label.
    return np.array(list(table.rows), dtype=object).T


def _options(table: Table, settings: Settings) -> dict[str, Any]:
    _check_labels(settings.labels, table)
    groups = {} if table.groups is None else {"groups": _columns(table)[-1]}
    return {"labels": settings.labels, "sample_weight": list(table.rows.values()), **groups}


def _check_labels(labels: tuple[str, ...] | None, table: Table) -> None:
    if labels is None:
        return
    for label in labels:
        if not any(label in row for row in table.label_rows):
            raise InputError(f"--labels: class {label!r} is never seen, true or predicted")
    if not any(row[0] in labels for row in table.rows):
        raise InputError(f"--labels: none of the classes occurs in {table.truth!r}")
