"""The posteriors of the classifiers of a table, and their comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skpostbac._cli._table import InputError, Table
from skpostbac._utils import describe_estimate
from skpostbac.metrics import (
    PairedCounts,
    PosteriorBalancedAccuracy,
    class_counts,
    paired_counts,
)
from skpostbac.metrics._priors import DEFAULT_PRIOR, NAMED_PRIORS, SHARED_PRIORS
from skpostbac.model_selection import PosteriorComparison
from skpostbac.model_selection._comparison import TRAINING, explain_score, name_best

# Classifiers that the sentences speak of, best first.
SENTENCES = 5
# The same table gives the same output.
SEED = 0

# There is no joint distribution of classifiers on the same samples whose classes share a prior.
NOT_COMPARED = (
    "The classifiers are not compared or ranked: a comparison needs a prior that is independent "
    f"for each class, so --prior {', '.join(NAMED_PRIORS)} or A,B."
)


@dataclass(frozen=True)
class Settings:
    """What is evaluated, and how."""

    prior: str | tuple[float, ...] = DEFAULT_PRIOR
    level: float = 0.95
    rope: float = 0.0
    labels: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Evaluation:
    """What is known of the classifiers of a table."""

    table: Table
    settings: Settings
    posteriors: dict[str, PosteriorBalancedAccuracy]
    """By name of the classifier, in the order of the table."""
    comparison: PosteriorComparison | None
    """Of these posteriors; None for a single classifier, and with a prior that takes none."""

    @property
    def ranking(self) -> tuple[str, ...]:
        """Names of the classifiers by decreasing posterior mean; ties stay in order."""
        posteriors = self.posteriors
        return tuple(sorted(posteriors, key=lambda name: posteriors[name].mean(), reverse=True))

    @property
    def note(self) -> str:
        """Why there is no comparison of several classifiers, in a sentence; else empty."""
        is_missing = self.comparison is None and len(self.posteriors) > 1
        return NOT_COMPARED if is_missing else ""


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
    counts = _count(table, settings)
    if settings.prior in SHARED_PRIORS:
        return Evaluation(table, settings, _each(counts, settings), None)
    comparison = _compare(counts, settings)
    # Those that are compared are those that are shown.
    posteriors = dict(zip(comparison.names, comparison.posteriors, strict=True))
    return Evaluation(table, settings, posteriors, comparison)


def report(evaluation: Evaluation) -> list[str]:
    """Say in sentences what it comes to, the most important first."""
    level, number = evaluation.settings.level, len(evaluation.posteriors)
    if number == 1:
        (posterior,) = evaluation.posteriors.values()
        return posterior.report(level).splitlines()
    if evaluation.comparison is None:
        lines = _report_each(evaluation)
    else:
        lines = evaluation.comparison.report(level).splitlines()
    hidden = [f"Of {number} classifiers, {SENTENCES} are named."] if number > SENTENCES else []
    return [*lines[: min(number, SENTENCES)], *hidden, *lines[number:]]


def _report_each(evaluation: Evaluation) -> list[str]:
    """Say how good each of several classifiers is, the best first, and that this is all."""
    best, *others = evaluation.ranking
    means = {name: evaluation.posteriors[name].mean() for name in evaluation.ranking}
    return [
        f"{name_best(means)}, {_describe(evaluation, best)}.",
        *(f"{name} has {_describe(evaluation, name)}." for name in others),
        evaluation.note,
        explain_score(evaluation.posteriors[best]),
        TRAINING,
    ]


def _describe(evaluation: Evaluation, name: str) -> str:
    posterior, level = evaluation.posteriors[name], evaluation.settings.level
    return describe_estimate(posterior.mean(), posterior.credible_interval(level), level)


def _count(table: Table, settings: Settings) -> PairedCounts:
    y_true, *y_preds = _columns(table)
    predictions = dict(zip(table.classifiers, y_preds, strict=True))
    return paired_counts(y_true, predictions, **_options(table, settings))


def _compare(counts: PairedCounts, settings: Settings) -> PosteriorComparison:
    # Not by compare_predictions: the document has its own notes of labels and of the prior.
    return PosteriorComparison.from_paired_counts(
        counts, prior=settings.prior, rope=settings.rope, random_state=SEED
    )


def _each(counts: PairedCounts, settings: Settings) -> dict[str, PosteriorBalancedAccuracy]:
    """Evaluate classifiers that are not compared."""
    return {
        name: PosteriorBalancedAccuracy(counts.margin(name), prior=settings.prior)
        for name in counts.names
    }


def _alone(table: Table, settings: Settings) -> dict[str, PosteriorBalancedAccuracy]:
    """Evaluate a classifier that is alone."""
    y_true, y_pred = _columns(table)
    (name,) = table.classifiers
    counts = class_counts(y_true, y_pred, **_options(table, settings))
    return {name: PosteriorBalancedAccuracy(counts, prior=settings.prior)}


def _columns(table: Table) -> NDArray[np.object_]:
    # As objects: in an array of strings each cell would be as wide as the widest label.
    return np.array(list(table.rows), dtype=object).T


def _options(table: Table, settings: Settings) -> dict[str, Any]:
    _check_labels(settings.labels, table)
    return {"labels": settings.labels, "sample_weight": list(table.rows.values())}


def _check_labels(labels: tuple[str, ...] | None, table: Table) -> None:
    if labels is None:
        return
    for label in labels:
        if not any(label in row for row in table.rows):
            raise InputError(f"--labels: class {label!r} is never seen, true or predicted")
    if not any(row[0] in labels for row in table.rows):
        raise InputError(f"--labels: none of the classes occurs in {table.truth!r}")
