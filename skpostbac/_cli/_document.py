"""The results for the classifiers of a table, as a plain dict.

All outputs are made from this document. It contains dicts, lists, strings, numbers and None
only. The user guide explains the keys and has their schema.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._cli._evaluation import Evaluation, Settings
from skpostbac._cli._table import Table
from skpostbac._version import __version__
from skpostbac.metrics import ClassCounts, PosteriorBalancedAccuracy
from skpostbac.metrics._posteriors import ScalarPosterior, tell_of_design
from skpostbac.metrics._priors import dominating_influence
from skpostbac.model_selection import PosteriorComparison
from skpostbac.stats._distribution import interval_of

Record: TypeAlias = dict[str, Any]
_OF_SUBGROUPS = ("mean", "median", "low", "high", "prob_worst")


def make_document(evaluation: Evaluation) -> Record:
    """Describe the results for the classifiers of a table.

    Parameters
    ----------
    evaluation : Evaluation
        Posteriors and comparison.

    Returns
    -------
    document : dict
        With the keys "version", "data", "settings", "posteriors", "failed", "comparison",
        "ranking", "selected" and "subgroups".
    """
    table, settings, posteriors = evaluation.table, evaluation.settings, evaluation.posteriors
    records = _describe_posteriors(table, posteriors, settings.level)
    document = {
        "version": __version__,
        "data": _describe_data(table, next(iter(posteriors.values()))),
        "settings": _describe_settings(settings),
        "posteriors": records,
        "failed": _failed(records, settings.fail_below),
        "comparison": None,
        "ranking": None,
        "selected": _describe_selected(evaluation),
        "subgroups": _describe_subgroups(evaluation),
    }
    if evaluation.comparison is not None:
        document["comparison"] = _describe_comparison(evaluation.comparison, settings)
        document["ranking"] = _describe_ranking(evaluation.comparison)
    return document


def _describe_data(table: Table, posterior: PosteriorBalancedAccuracy) -> Record:
    counts = posterior.counts
    totals = zip(_labels(posterior), counts.total, strict=True)
    return {
        "source": table.source,
        "description": table.description,
        "example": table.description is not None,
        "truth": table.truth,
        "n_samples": int(counts.n_samples),
        "n_left_out": table.n_rows - int(counts.n_samples),
        "n_classes": counts.n_classes,
        "score": "balanced accuracy" if counts.n_classes > 1 else "recall",
        "chance": _chance(posterior),
        "classes": [{"label": label, "n_samples": int(total)} for label, total in totals],
        "groups": _describe_groups(table, posterior),
        "ids": _describe_ids(table),
    }


def _describe_groups(table: Table, posterior: PosteriorBalancedAccuracy) -> Record | None:
    effects = posterior.design_effects
    if effects is None:
        return None
    return {"column": table.groups, "n_groups": int(effects.n_groups)}


def _describe_ids(table: Table) -> Record | None:
    if table.ids is None:
        return None
    column, number = table.ids.column, table.ids.n_different
    note = None
    if number < table.n_rows:
        hint = "" if table.groups is not None else f"; use --groups {column} to account for this"
        note = (
            f"The {table.n_rows} rows have only {number} different values in column {column}: "
            f"repeated samples are not independent{hint}."
        )
    return {"column": column, "n_different": number, "note": note}


def _describe_selected(evaluation: Evaluation) -> Record | None:
    selected, level = evaluation.selected, evaluation.settings.level
    if selected is None or selected.candidate is None:
        return None
    return {
        "name": evaluation.table.classifiers[selected.candidate],
        "n_candidates": selected.n_candidates,
        **_describe_figure(selected, level),
        "median": _number(selected.median()),
        "optimism": _number(selected.optimism),
        "optimism_error": _number(selected.optimism_error),
        "uncorrected": _describe_figure(selected.uncorrected, level),
    }


def _describe_subgroups(evaluation: Evaluation) -> Record | None:
    if evaluation.subgroups is None:
        return None
    level = evaluation.settings.level
    return {
        "column": evaluation.table.by,
        "classifiers": [
            {
                "name": name,
                "groups": [
                    {
                        "name": str(record["name"]),
                        "n_samples": int(record["n_samples"]),
                        **{key: _number(record[key]) for key in _OF_SUBGROUPS},
                    }
                    for record in subgroups.summary(level)
                ],
                "gap": _describe_figure(subgroups.gap, level),
                "worst": _describe_figure(subgroups.worst, level),
            }
            for name, subgroups in evaluation.subgroups.items()
        ],
    }


def _describe_figure(posterior: ScalarPosterior, level: float) -> Record:
    low, high = posterior.credible_interval(level)
    return {"mean": _number(posterior.mean()), "low": _number(low), "high": _number(high)}


def _describe_settings(settings: Settings) -> Record:
    prior = settings.prior
    return {
        "prior": prior if isinstance(prior, str) else list(prior),
        "level": settings.level,
        "rope": settings.rope,
        "fail_below": settings.fail_below,
    }


def _failed(records: list[Record], least: float | None) -> list[str] | None:
    """Return the classifiers whose lower bound is below ``--fail-below``."""
    return None if least is None else [one["name"] for one in records if one["lower"] < least]


def _describe_posteriors(
    table: Table, posteriors: dict[str, PosteriorBalancedAccuracy], level: float
) -> list[Record]:
    return [
        {
            "name": name,
            "correct": [int(number) for number in posterior.counts.correct],
            "n_unseen": _count_unseen(table, column, set(_labels(posterior))),
            **_describe_sample(posterior.counts),
            **_describe_posterior(posterior, level),
        }
        for column, (name, posterior) in enumerate(posteriors.items(), 1)
    ]


def _count_unseen(table: Table, column: int, classes: set[str]) -> int:
    """Count the samples of the classes whose prediction is not one of the classes."""
    return sum(
        number
        for row, number in table.rows.items()
        if row[0] in classes and row[column] not in classes
    )


def _describe_sample(counts: ClassCounts) -> Record:
    present = counts.total > 0
    recalls = counts.correct[present] / counts.total[present]
    return {
        "accuracy": _number(counts.correct.sum() / counts.total.sum()),
        "balanced_accuracy": _number(recalls.mean()),
    }


def _describe_posterior(posterior: PosteriorBalancedAccuracy, level: float) -> Record:
    summary = posterior.summary(level)
    has_chance = _chance(posterior) is not None
    influence, dominating = posterior.prior_influence(), dominating_influence(posterior)
    return {
        **{key: _number(summary[key]) for key in ("mean", "median", "low", "high")},
        "lower": _number(posterior.iccdf(level)),
        **{
            key: _number(summary[key]) if has_chance else None
            for key in (
                "prob_above_chance",
                "prior_prob_above_chance",
                "bayes_factor_above_chance",
            )
        },
        "prior_influence": _number(influence.shift),
        "expected_coverage": _number(influence.expected_coverage),
        "remedy": None if dominating is None else dominating.remedy or None,
        "untested": list(influence.unobserved),
        "groups": _describe_design(posterior, level),
    }


def _describe_design(posterior: PosteriorBalancedAccuracy, level: float) -> Record | None:
    effects, notes = posterior.design_effects, tell_of_design(posterior, level)
    if effects is None or notes is None:
        return None
    return {
        "design_effects": effects.design_effect.tolist(),
        "effective_samples": _number(effects.effective_size.sum()),
        "correlation": _number(effects.correlation),
        "correlation_used": _number(effects.correlation_used),
        "degrees_of_freedom": _number(effects.degrees_of_freedom),
        **notes._asdict(),
    }


def _describe_comparison(comparison: PosteriorComparison, settings: Settings) -> Record:
    # The better one comes first, so that the difference is the gain.
    pairs = combinations(comparison.ranking(), 2)
    return {
        "note": comparison.explanation,
        "prob_greater": _by_name(comparison),
        "pairs": [
            _describe_pair(comparison, first, second, settings.level) for first, second in pairs
        ],
    }


def _by_name(comparison: PosteriorComparison) -> dict[str, dict[str, float | None]]:
    """Return P(first is better than second), by the names of the two."""
    names, matrix = comparison.names, comparison.prob_greater()
    return {
        row: {column: _number(p) for column, p in zip(names, line, strict=True) if column != row}
        for row, line in zip(names, matrix, strict=True)
    }


def _describe_pair(
    comparison: PosteriorComparison, first: str, second: str, level: float
) -> Record:
    distribution = comparison.difference(first, second)
    low, high = interval_of(distribution, level)
    masses = comparison.rope_masses(first, second)._asdict() if comparison.rope > 0 else None
    effects = comparison.design_effects(first, second)
    return {
        "first": first,
        "second": second,
        "mean": _number(distribution.mean()),
        "low": _number(low),
        "high": _number(high),
        "rope": masses and {key: _number(value) for key, value in masses.items()},
        "design_effects": effects and effects.design_effect.tolist(),
    }


def _describe_ranking(comparison: PosteriorComparison) -> list[Record]:
    keys = ("prob_best", "prob_best_error", "expected_rank", "expected_loss", "mean")
    return [
        {
            "rank": rank,
            "name": record["name"],
            **{key: _number(record[key]) for key in keys},
        }
        for rank, record in enumerate(comparison.summary(), 1)
    ]


def _labels(posterior: PosteriorBalancedAccuracy) -> list[str]:
    return [str(label) for label in posterior.counts.classes]


def _chance(posterior: PosteriorBalancedAccuracy) -> float | None:
    """Return the chance level, or None for a single class."""
    return posterior.chance if posterior.counts.n_classes > 1 else None


def _number(value: ArrayLike) -> float | None:
    """Return a finite float, or None, as JSON has no others."""
    number = float(np.asarray(value))
    return number if math.isfinite(number) else None
