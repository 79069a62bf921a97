"""The results for a table, and the document with the keys that ``--json`` prints.

`evaluate` computes the posteriors and compares them; `make_document` describes them with dicts,
lists, strings, numbers and None only. Text and page are made from this document. The user guide
explains its keys and has their schema.
"""

from __future__ import annotations

import math
import warnings
from argparse import Namespace
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from skpostbac import __version__
from skpostbac._cli.table import InputError, Table
from skpostbac.metrics import (
    JudgeWarning,
    PosteriorBalancedAccuracy,
    PriorInfluenceWarning,
    SelectedPosterior,
    SubgroupPosteriors,
    class_counts,
    paired_counts,
    posterior_prevalence,
    subgroup_posteriors,
)
from skpostbac.metrics._posteriors import ScalarPosterior, tell_of_design
from skpostbac.metrics._priors import dominating_influence
from skpostbac.model_selection import PosteriorComparison, selected_posterior
from skpostbac.stats._distribution import Distribution, interval_of

Record: TypeAlias = dict[str, Any]

# A fixed seed: the same table gives the same output.
SEED = 0


@dataclass(frozen=True)
class Evaluation:
    """Posteriors of the classifiers of a table, and their comparison."""

    table: Table
    settings: Namespace
    """The arguments of the command line."""
    posteriors: dict[str, PosteriorBalancedAccuracy]
    """By name of the classifier, in the order of the table."""
    comparison: PosteriorComparison | None
    """None for a single classifier."""
    selected: SelectedPosterior | None
    """Posterior of the best classifier, corrected for selection, with ``--selected``."""
    subgroups: dict[str, SubgroupPosteriors] | None
    """By name of the classifier, with ``--by``."""

    @property
    def ranking(self) -> list[str]:
        """Names of the classifiers by decreasing posterior mean; ties stay in order."""
        return _best_first(self.posteriors)

    @property
    def n_classes(self) -> int:
        """Number of classes that are averaged over."""
        return next(iter(self.posteriors.values())).counts.n_classes


def evaluate(table: Table, settings: Namespace) -> Evaluation:
    """Evaluate and compare the classifiers of a table.

    Parameters
    ----------
    table : Table
        True labels and predictions.
    settings : Namespace
        The arguments `labels`, `prior`, `level`, `rope`, `fail_below` and `selected`.

    Returns
    -------
    evaluation : Evaluation

    Raises
    ------
    InputError
        If an option does not fit the table, such as a class that does not occur.
    """
    _check_settings(table, settings)
    prior = settings.prior
    # As objects: in an array of strings each cell would be as wide as the widest label.
    y_true, *columns = np.array(list(table.rows), dtype=object).T
    predictions = dict(zip(table.columns[1:], columns, strict=False))
    options: dict[str, Any] = {
        "labels": settings.labels,
        "sample_weight": list(table.rows.values()),
        "groups": None if settings.groups is None else columns[-1],
    }
    subgroups = comparison = selected = None
    with warnings.catch_warnings():
        # The document has its own note on the prior.
        warnings.simplefilter("ignore", PriorInfluenceWarning)
        if settings.by is not None:
            # Pooled, under a prior of their own; --by excludes --groups.
            del options["groups"]
            subgroups = {
                name: subgroup_posteriors(y_true, y_pred, sensitive_features=columns[-1], **options)
                for name, y_pred in predictions.items()
            }
        if len(predictions) == 1:
            ((name, y_pred),) = predictions.items()
            counts = class_counts(y_true, y_pred, **options)
            posteriors = {name: PosteriorBalancedAccuracy(counts, prior=prior)}
        else:
            pairs = paired_counts(y_true, predictions, **options)
            # Not compare_predictions: the document has its own notes on labels and the prior.
            comparison = PosteriorComparison.from_paired_counts(
                pairs, prior=prior, rope=settings.rope, random_state=SEED
            )
            # Show the posteriors that are compared.
            posteriors = dict(zip(comparison.names, comparison.posteriors, strict=True))
            if settings.selected:
                selected = selected_posterior(pairs, prior=prior, random_state=SEED)
    return Evaluation(table, settings, posteriors, comparison, selected, subgroups)


def _check_settings(table: Table, settings: Namespace) -> None:
    """Raise if an option cannot be applied to this table."""
    n_labels = len(table.columns)
    if settings.selected and n_labels == 2:
        raise InputError("--selected needs at least two classifiers")
    if settings.selected and settings.groups is not None:
        raise InputError("--selected: no correction for selection is known for --groups")
    if settings.by is not None and len(names := {row[-1] for row in table.rows}) < 2:
        raise InputError(f"--by: all samples are in one subgroup, {names.pop()!r}")
    if settings.labels is None:
        return
    for label in settings.labels:
        if not any(label in row[:n_labels] for row in table.rows):
            raise InputError(f"--labels: class {label!r} is neither a true nor a predicted label")
    if not any(row[0] in settings.labels for row in table.rows):
        raise InputError(f"--labels: none of the classes occurs in {table.columns[0]!r}")


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
    settings, bound = evaluation.settings, evaluation.settings.fail_below
    records = [
        _describe_posterior(evaluation, column, name)
        for column, name in enumerate(evaluation.posteriors, 1)
    ]
    return {
        "version": __version__,
        "data": _describe_data(evaluation),
        "settings": {**_describe_settings(settings), "rope": settings.rope, "fail_below": bound},
        "posteriors": records,
        "failed": None if bound is None else [r["name"] for r in records if r["lower"] < bound],
        **_describe_comparison(evaluation),
        "selected": _describe_selected(evaluation),
        "subgroups": _describe_subgroups(evaluation),
    }


def _describe_settings(settings: Namespace) -> Record:
    prior = settings.prior
    return {"prior": prior if isinstance(prior, str) else list(prior), "level": settings.level}


def _describe_data(evaluation: Evaluation) -> Record:
    table, posterior = evaluation.table, next(iter(evaluation.posteriors.values()))
    counts, effects, settings = posterior.counts, posterior.design_effects, evaluation.settings
    n_rows, n_samples, ids = table.rows.total(), int(counts.n_samples), None
    if settings.id is not None:
        ids = {"column": settings.id, "n_different": table.n_ids, "note": None}
        if table.n_ids < n_rows:
            hint = f"; use --groups {settings.id} to account for this"
            ids["note"] = (
                f"The {n_rows} rows have only {table.n_ids} different values in column "
                f"{settings.id}: repeated samples are not independent"
                f"{hint if settings.groups is None else ''}."
            )
    return {
        "source": table.source,
        "description": table.description,
        "example": table.description is not None,
        "truth": table.columns[0],
        "n_samples": n_samples,
        "n_left_out": n_rows - n_samples,
        "n_classes": counts.n_classes,
        "score": "balanced accuracy" if counts.n_classes > 1 else "recall",
        "chance": posterior.chance if counts.n_classes > 1 else None,
        "classes": [
            {"label": str(label), "n_samples": int(total)}
            for label, total in zip(counts.classes, counts.total, strict=True)
        ],
        "groups": effects and {"column": settings.groups, "n_groups": int(effects.n_groups)},
        "ids": ids,
    }


def _describe_posterior(evaluation: Evaluation, column: int, name: str) -> Record:
    """Describe the posterior of a classifier, whose labels are in this column of the rows."""
    posterior, level = evaluation.posteriors[name], evaluation.settings.level
    counts, summary = posterior.counts, posterior.summary(level)
    classes = {str(label) for label in counts.classes}
    present = counts.total > 0
    influence, dominating = posterior.prior_influence(), dominating_influence(posterior)
    chance_keys = ("prob_above_chance", "prior_prob_above_chance", "bayes_factor_above_chance")
    above_chance = _numbers(summary, chance_keys)
    return {
        "name": name,
        "correct": [int(number) for number in counts.correct],
        # Samples of the classes whose prediction is not one of the classes.
        "n_unseen": sum(
            number
            for row, number in evaluation.table.rows.items()
            if row[0] in classes and row[column] not in classes
        ),
        "accuracy": _number(counts.correct.sum() / counts.total.sum()),
        "balanced_accuracy": _number((counts.correct[present] / counts.total[present]).mean()),
        **_numbers(summary, ("mean", "median", "low", "high")),
        "lower": _number(posterior.iccdf(level)),
        **(above_chance if counts.n_classes > 1 else dict.fromkeys(above_chance)),
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


def _describe_comparison(evaluation: Evaluation) -> Record:
    comparison, level = evaluation.comparison, evaluation.settings.level
    if comparison is None:
        return {"comparison": None, "ranking": None}
    pairs = []
    # The better one comes first, so that the difference is the gain.
    for first, second in combinations(comparison.ranking(), 2):
        effects = comparison.design_effects(first, second)
        masses = comparison.rope_masses(first, second)._asdict() if comparison.rope > 0 else None
        record = {
            "first": first,
            "second": second,
            **_estimate(comparison.difference(first, second), level),
            "rope": masses and _numbers(masses, masses),
            "design_effects": effects and effects.design_effect.tolist(),
        }
        pairs.append(record)
    matrix = {
        row: dict(zip(comparison.names, map(_number, probabilities), strict=True))
        for row, probabilities in zip(comparison.names, comparison.prob_greater(), strict=True)
    }
    for row, others in matrix.items():
        del others[row]
    keys = ("prob_best", "prob_best_error", "expected_rank", "expected_loss", "mean")
    ranking = [
        {"rank": rank, "name": record["name"], **_numbers(record, keys)}
        for rank, record in enumerate(comparison.summary(), 1)
    ]
    described = {"note": comparison.explanation, "prob_greater": matrix, "pairs": pairs}
    return {"comparison": described, "ranking": ranking}


def _describe_selected(evaluation: Evaluation) -> Record | None:
    selected, level = evaluation.selected, evaluation.settings.level
    if selected is None or selected.candidate is None:
        return None
    return {
        "name": evaluation.table.columns[1 + selected.candidate],
        "n_candidates": selected.n_candidates,
        **_estimate(selected, level),
        "median": _number(selected.median()),
        "optimism": _number(selected.optimism),
        "optimism_error": _number(selected.optimism_error),
        "uncorrected": _estimate(selected.uncorrected, level),
    }


def _describe_subgroups(evaluation: Evaluation) -> Record | None:
    if evaluation.subgroups is None:
        return None
    level = evaluation.settings.level
    keys = ("mean", "median", "low", "high", "prob_worst")
    return {
        "column": evaluation.settings.by,
        "classifiers": [
            {
                "name": name,
                "groups": [
                    {
                        "name": str(record["name"]),
                        "n_samples": int(record["n_samples"]),
                        **_numbers(record, keys),
                    }
                    for record in subgroups.summary(level)
                ],
                "gap": _estimate(subgroups.gap, level),
                "worst": _estimate(subgroups.worst, level),
            }
            for name, subgroups in evaluation.subgroups.items()
        ],
    }


def make_judge_document(table: Table, settings: Namespace) -> Record:
    """Describe the prevalences of systems that an imperfect judge has judged.

    Raises
    ------
    InputError
        If a column has more than one verdict beside the positive one.
    """
    positive, level, total = settings.positive, settings.level, table.rows.total()
    judge = {"sensitivity": settings.sensitivity, "specificity": settings.specificity}
    posteriors, records = {}, []
    for place, name in enumerate(table.columns):
        verdicts = {row[place] for row in table.rows}
        if len(verdicts - {positive}) > 1:
            shown = ", ".join(map(repr, sorted(verdicts)[:3]))
            raise InputError(
                f"column {name!r} may contain only {positive!r} and one other verdict, got "
                f"{shown}; select the columns of verdicts with --classifier"
            )
        positives = sum(n for row, n in table.rows.items() if row[place] == positive)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", JudgeWarning)
            posterior = posterior_prevalence(positives, total, prior=settings.prior, **judge)
        notes = [str(one.message) for one in caught if one.category is JudgeWarning]
        estimate = _estimate(posterior, level)
        record = {
            "name": name,
            "positives": int(posterior.positives),
            "total": int(posterior.total),
            "mean": estimate.pop("mean"),
            "median": posterior.median(),
            **estimate,
            "outside": posterior.prob_below_zero + posterior.prob_above_one,
            "note": notes[0] if notes else None,
        }
        posteriors[name] = posterior
        records.append(record)
    differences = []
    for first, second in combinations(_best_first(posteriors), 2):
        difference = posteriors[first].difference(posteriors[second])
        record = {
            "first": first,
            "second": second,
            **_estimate(difference, level),
            "prob_greater": float(difference.prob_above(0.0)),
        }
        differences.append(record)
    informedness = next(iter(posteriors.values())).judge_informedness
    return {
        "version": __version__,
        "data": {"source": table.source, "n_samples": total, "positive": positive},
        "settings": _describe_settings(settings),
        "judge": {
            **{name: list(counts) for name, counts in judge.items()},
            "informedness": _estimate(informedness, level),
        },
        "prevalences": records,
        "differences": differences,
    }


def _best_first(posteriors: Mapping[str, ScalarPosterior]) -> list[str]:
    return sorted(posteriors, key=lambda name: posteriors[name].mean(), reverse=True)


def _estimate(posterior: ScalarPosterior | Distribution, level: float) -> Record:
    """Return the mean and the interval."""
    if isinstance(posterior, ScalarPosterior):
        low, high = posterior.credible_interval(level)
    else:
        low, high = interval_of(posterior, level)
    return {"mean": _number(posterior.mean()), "low": _number(low), "high": _number(high)}


def _numbers(record: Record, keys: Iterable[str]) -> Record:
    return {key: _number(record[key]) for key in keys}


def _number(value: ArrayLike) -> float | None:
    """Return a finite float, or None, as JSON has no others."""
    number = float(np.asarray(value))
    return number if math.isfinite(number) else None
