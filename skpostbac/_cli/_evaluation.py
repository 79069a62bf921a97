"""The posteriors of the classifiers of a table, and their comparison."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skpostbac._cli._formats import InputError
from skpostbac._cli._table import Table
from skpostbac.metrics import (
    PairedCounts,
    PosteriorBalancedAccuracy,
    PriorInfluenceWarning,
    SelectedPosterior,
    SubgroupPosteriors,
    class_counts,
    paired_counts,
    subgroup_posteriors,
)
from skpostbac.metrics._priors import DEFAULT_PRIOR
from skpostbac.model_selection import PosteriorComparison, selected_posterior

# Number of classifiers in the report, best first.
SENTENCES = 5
# A fixed seed: the same table gives the same output.
SEED = 0


@dataclass(frozen=True)
class Settings:
    """Options of the evaluation."""

    prior: str | tuple[float, ...] = DEFAULT_PRIOR
    level: float = 0.95
    rope: float = 0.0
    labels: tuple[str, ...] | None = None
    fail_below: float | None = None
    """Smallest acceptable lower bound."""
    selected: bool = False


@dataclass(frozen=True)
class Evaluation:
    """Posteriors of the classifiers of a table, and their comparison."""

    table: Table
    settings: Settings
    posteriors: dict[str, PosteriorBalancedAccuracy]
    """By name of the classifier, in the order of the table."""
    comparison: PosteriorComparison | None
    """None for a single classifier."""
    selected: SelectedPosterior | None = None
    """Posterior of the best classifier, corrected for selection, with ``--selected``."""
    subgroups: dict[str, SubgroupPosteriors] | None = None
    """By name of the classifier, with ``--by``."""

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
        Prior, level of the intervals, rope, and the classes if they differ from the truth's.

    Returns
    -------
    evaluation : Evaluation

    Raises
    ------
    InputError
        If an option does not fit the table, such as a class that does not occur.
    """
    check_options(table, settings)
    subgroups = None if table.by is None else _split(table, settings)
    if len(table.classifiers) == 1:
        return Evaluation(table, settings, _alone(table, settings), None, None, subgroups)
    counts = _count(table, settings)
    comparison = _compare(counts, settings)
    # Show the posteriors that are compared.
    posteriors = dict(zip(comparison.names, comparison.posteriors, strict=True))
    selected = _select(counts, settings) if settings.selected else None
    return Evaluation(table, settings, posteriors, comparison, selected, subgroups)


def check_options(table: Table, settings: Settings) -> None:
    """Raise if an option cannot be applied to this table."""
    if settings.selected and len(table.classifiers) == 1:
        raise InputError("--selected needs at least two classifiers")
    if settings.selected and table.groups is not None:
        raise InputError("--selected: no correction for selection is known for --groups")
    if table.by is not None and len(names := {row[-1] for row in table.rows}) < 2:
        raise InputError(f"--by: all samples are in one subgroup, {names.pop()!r}")


def report(evaluation: Evaluation) -> list[str]:
    """Return the report as sentences, most important first."""
    return [*_report_all(evaluation), *_report_more(evaluation)]


def _report_more(evaluation: Evaluation) -> list[str]:
    """Report the correction for selection, and the subgroups of the best classifier."""
    level, lines = evaluation.settings.level, []
    if evaluation.selected is not None:
        lines += evaluation.selected.report(level).splitlines()
    if evaluation.subgroups is not None:
        best = evaluation.ranking[0]
        sentences = evaluation.subgroups[best].report(level).splitlines()
        lines += [f"{best}, by {evaluation.table.by}: {sentences[0]}", *sentences[1:3]]
    return lines


def _report_all(evaluation: Evaluation) -> list[str]:
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
    # Not compare_predictions: the document has its own notes on labels and the prior.
    return PosteriorComparison.from_paired_counts(
        counts, prior=settings.prior, rope=settings.rope, random_state=SEED
    )


def _alone(table: Table, settings: Settings) -> dict[str, PosteriorBalancedAccuracy]:
    """Evaluate a single classifier."""
    y_true, y_pred = _columns(table)[:2]
    (name,) = table.classifiers
    counts = class_counts(y_true, y_pred, **_options(table, settings))
    return {name: PosteriorBalancedAccuracy(counts, prior=settings.prior)}


def _select(counts: PairedCounts, settings: Settings) -> SelectedPosterior:
    with warnings.catch_warnings():
        # The document has its own note on the prior.
        warnings.simplefilter("ignore", PriorInfluenceWarning)
        return selected_posterior(counts, prior=settings.prior, random_state=SEED)


def _split(table: Table, settings: Settings) -> dict[str, SubgroupPosteriors]:
    """Evaluate each classifier on each subgroup."""
    y_true, *y_preds, by = _columns(table)
    options = _options(table, settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PriorInfluenceWarning)
        return {
            name: subgroup_posteriors(
                y_true, y_pred, sensitive_features=by, prior=settings.prior, **options
            )
            for name, y_pred in zip(table.classifiers, y_preds, strict=True)
        }


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
            raise InputError(f"--labels: class {label!r} is neither a true nor a predicted label")
    if not any(row[0] in labels for row in table.rows):
        raise InputError(f"--labels: none of the classes occurs in {table.truth!r}")
