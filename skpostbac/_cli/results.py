"""What the results for a table are, and under which keys ``--json`` prints them.

`evaluate` computes the posteriors and compares them; `make_document` describes them
with dicts, lists, strings, numbers and None only. Text and page are made from this
document. The user guide explains its keys and has their schema.
"""

from __future__ import annotations

import math
import warnings
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from skpostbac import __version__
from skpostbac._cli.arguments import LARGEST_RISK
from skpostbac._cli.table import InputError, InputTable
from skpostbac._utils import join_first
from skpostbac.metrics import (
    GroupsWarning,
    JudgeWarning,
    PosteriorAccuracy,
    PosteriorBalancedAccuracy,
    PriorInfluence,
    PriorInfluenceWarning,
    SelectedPosterior,
    StrayLabelWarning,
    SubgroupPosteriors,
    class_counts,
    paired_counts,
    posterior_average_precision,
    posterior_confusion_metric,
    posterior_prevalence,
    posterior_roc_auc,
    subgroup_posteriors,
)
from skpostbac.metrics._advice import (
    dominating_influence,
)
from skpostbac.metrics._balanced_accuracy import (
    constant_note,
    describe_design,
)
from skpostbac.metrics._confusion import AVERAGES, OVERALL, read_name
from skpostbac.metrics._dependence import describe_effective_size, group_notes
from skpostbac.metrics._posterior import (
    ScalarPosterior,
)
from skpostbac.model_selection import (
    PosteriorComparison,
    compare_predictions,
    compare_scores,
    selected_posterior,
)
from skpostbac.stats._distribution import Distribution, interval_of

Record: TypeAlias = dict[str, Any]

# A fixed seed: the same table gives the same output.
SEED = 0
# Classes listed in an error.
MOST_CLASSES_IN_ERROR = 8
# Predicted labels that are none of the classes, listed with their numbers.
MOST_STRAYS = 10


@dataclass(frozen=True)
class Evaluation:
    """Posteriors of the classifiers of a table, and their comparison."""

    table: InputTable
    settings: Namespace
    """The arguments of the command line."""
    posteriors: dict[str, PosteriorBalancedAccuracy]
    """By name of the classifier, in the order of the table."""
    scores: dict[str, Any]
    """Posteriors of the metric, which are those of the balanced accuracy by default."""
    comparison: PosteriorComparison | None
    """None for a single classifier."""
    selected: SelectedPosterior | None
    """Posterior of the best classifier, corrected for selection (``--selected``)."""
    subgroups: dict[str, SubgroupPosteriors] | None
    """By name of the classifier, with ``--by``."""

    @property
    def ranking(self) -> list[str]:
        """Names of the classifiers by decreasing posterior mean; ties stay in order."""
        return (
            list(self.comparison.ranking())
            if self.comparison
            else list(self.posteriors)
        )

    @property
    def n_classes(self) -> int:
        """Number of classes that are averaged over."""
        return next(iter(self.posteriors.values())).counts.n_classes


def evaluate(table: InputTable, settings: Namespace) -> Evaluation:
    """Evaluate and compare the classifiers of a table.

    Parameters
    ----------
    table : InputTable
        True labels and predictions.
    settings : Namespace
        The arguments of the command line.

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
        "groups": None if settings.groups is None else columns[len(predictions)],
    }
    metric, pos_label = _read_metric(table, settings)
    has_own_metric = metric != "balanced_accuracy"
    scores: dict[str, Any] = {}
    subgroups = comparison = selected = None
    with warnings.catch_warnings():
        # The document has its own notes on the prior, on groups and on labels.
        warnings.simplefilter("ignore", PriorInfluenceWarning)
        warnings.simplefilter("ignore", GroupsWarning)
        warnings.simplefilter("ignore", StrayLabelWarning)
        if settings.by is not None:
            # Pooled, under a prior of their own
            subgroups = {
                name: subgroup_posteriors(
                    y_true, y_pred, sensitive_features=columns[-1], **options
                )
                for name, y_pred in predictions.items()
            }
        of_metric = {
            "metric": metric,
            "pos_label": pos_label,
            "prior": prior,
            **options,
        }
        if len(predictions) == 1:
            ((name, y_pred),) = predictions.items()
            counts = class_counts(y_true, y_pred, **options)
            posteriors = {name: PosteriorBalancedAccuracy(counts, prior=prior)}
            if has_own_metric:
                scores = {name: posterior_confusion_metric(y_true, y_pred, **of_metric)}
        else:
            pairs = paired_counts(y_true, predictions, **options)
            # Not compare_predictions: the document has its own notes on labels and the
            # prior.
            comparison = PosteriorComparison.from_paired_counts(
                pairs, prior=prior, rope=settings.rope, random_state=SEED
            )
            # Show the posteriors that are compared.
            posteriors = dict(zip(comparison.names, comparison.posteriors, strict=True))
            if settings.selected:
                chosen_by = settings.metric  # the balanced or the plain accuracy
                selected = selected_posterior(
                    pairs, metric=chosen_by, prior=prior, random_state=SEED
                )
            if has_own_metric:
                comparison = compare_predictions(
                    y_true,
                    predictions,
                    rope=settings.rope,
                    random_state=SEED,
                    **of_metric,
                )
                scores = dict(zip(comparison.names, comparison.posteriors, strict=True))
    scores = scores or posteriors
    if settings.fail_below is not None and first_of(scores)._less_is_better:
        raise InputError(
            f"--fail-below cannot be combined with --metric {metric}: lower is better"
        )
    return Evaluation(
        table, settings, posteriors, scores, comparison, selected, subgroups
    )


def _check_settings(table: InputTable, settings: Namespace) -> None:
    """Raise if an option cannot be applied to this table."""
    n_labels = len(table.columns)
    if settings.selected and n_labels == 2:
        raise InputError("--selected needs at least two classifiers")
    knows_optimism = settings.metric in ("balanced_accuracy", "accuracy")
    if settings.selected and (settings.groups is not None or not knows_optimism):
        option = "--groups" if knows_optimism else f"--metric {settings.metric}"
        raise InputError(
            f"--selected: no correction for selection is known for {option}"
        )
    columns = table.columns[1:n_labels]
    baseline = settings.baseline
    if baseline is not None and (baseline not in columns or len(columns) == 1):
        known = ", ".join(map(repr, columns))
        raise InputError(
            "--baseline must be one of two or more columns of predictions, got "
            f"{baseline!r}; there are {known}"
        )
    if settings.by is not None and len(names := {row[-1] for row in table.rows}) < 2:
        raise InputError(f"--by: all samples are in one subgroup, {names.pop()!r}")
    if settings.labels is None:
        return
    for label in settings.labels:
        if not any(label in row[:n_labels] for row in table.rows):
            raise InputError(
                f"--labels: class {label!r} is neither a true nor a predicted label"
            )
    if not any(row[0] in settings.labels for row in table.rows):
        raise InputError(
            f"--labels: none of the classes occurs in {table.columns[0]!r}"
        )


def _read_metric(table: InputTable, settings: Namespace) -> tuple[str, str | None]:
    """Return the metric and its class, which is 1 of the classes 0 and 1 by default."""
    option = f"--metric {settings.metric}"
    (metric, _, label) = settings.metric.partition(":")
    of_class = f"{metric}:LABEL"
    averages = ", ".join(f"{metric}_{one}" for one in AVERAGES)
    try:
        name, average = read_name(metric, None)
    except ValueError as error:  # which has the names
        reason = str(error).replace("a function or ", "")
        examples = ", ".join(["f1:LABEL", *(f"f1_{one}" for one in AVERAGES)])
        raise InputError(f"--{reason}; of a class or average: {examples}") from error
    if name in OVERALL or average is not None:
        if label:
            raise InputError(f"{option}: {metric} is of all classes, not of {label!r}")
        return metric, None
    classes = set(settings.labels or (row[0] for row in table.rows))
    if label and label not in classes:
        known = join_first(list(map(repr, sorted(classes))), MOST_CLASSES_IN_ERROR)
        raise InputError(
            f"{option}: there is no class {label!r}; the classes are {known}"
        )
    label = label or _default_positive(classes)
    if not label and len(classes) == 2:
        raise InputError(
            f"{option} needs a class or an average: {of_class}, {averages}"
        )
    return metric, label or None


def _default_positive(classes: set[str]) -> str:
    """Return 1 if that is one of two classes beside 0 or -1, else an empty string."""
    return "1" if classes in ({"0", "1"}, {"-1", "1"}) else ""


def make_document(evaluation: Evaluation) -> Record:
    """Describe the results for the classifiers of a table.

    Parameters
    ----------
    evaluation : Evaluation
        Posteriors and comparison.

    Returns
    -------
    document : dict
        With the keys "version", "data", "settings", "posteriors", "failed", "gate",
        "comparison", "ranking", "selected" and "subgroups".
    """
    settings, level = evaluation.settings, evaluation.settings.level
    bound = settings.fail_below
    selected = evaluation.selected
    subgroups = evaluation.subgroups
    records = [_describe_posterior(evaluation, name) for name in evaluation.posteriors]
    document = {
        "version": __version__,
        "data": _describe_data(evaluation),
        "settings": _pick(
            vars(settings), "metric", "prior", "level", "rope", "fail_below"
        ),
        "posteriors": records,
        "failed": None
        if bound is None
        else [r["name"] for r in records if r["lower"] < bound],
        "gate": None,
        "comparison": None,
        "ranking": None,
        "selected": None,
        "subgroups": None,
    }
    if evaluation.comparison is not None:
        document |= _describe_comparison(evaluation.comparison, level)
        if settings.baseline is not None:
            document["gate"] = _describe_gate(evaluation.comparison, settings)
    if selected is not None and selected.candidate is not None:
        document["selected"] = {
            "name": evaluation.table.columns[1 + selected.candidate],
            "n_candidates": selected.n_candidates,
            **_summarise(selected, level),
            "median": selected.median(),
            "optimism": selected.optimism,
            "optimism_error": selected.optimism_error,
            "uncorrected": _summarise(selected.uncorrected, level),
        }
    if subgroups is not None:
        keys = ("name", "n_samples", "mean", "median", "low", "high", "prob_worst")
        document["subgroups"] = {
            "column": settings.by,
            "classifiers": [
                {
                    "name": name,
                    "groups": [
                        _pick(record | {"n_samples": int(record["n_samples"])}, *keys)
                        for record in posteriors.summary(level)
                    ],
                    "gap": _summarise(posteriors.gap, level),
                    "worst": _summarise(posteriors.worst, level),
                }
                for name, posteriors in subgroups.items()
            ],
        }
    return dict(_json_types(document))


def _describe_data(evaluation: Evaluation) -> Record:
    table = evaluation.table
    posterior = next(iter(evaluation.posteriors.values()))
    counts = posterior.counts
    effects = posterior.design_effects
    settings = evaluation.settings
    n_rows = table.rows.total()
    n_samples = int(counts.n_samples)
    ids = None
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
        "columns_left_out": table.left_out,
        "n_samples": n_samples,
        "n_left_out": n_rows - n_samples,
        "n_classes": counts.n_classes,
        "score": name_score(evaluation),
        "less_is_better": first_of(evaluation.scores)._less_is_better,
        "chance": posterior.chance if has_chance(evaluation) else None,
        "classes": [
            {"label": str(label), "n_samples": int(total)}
            for label, total in zip(counts.classes, counts.total, strict=True)
        ],
        "groups": effects
        and {"column": settings.groups, "n_groups": int(effects.n_groups)},
        "ids": ids,
    }


def has_chance(evaluation: Evaluation) -> bool:
    """Return whether the score is a balanced accuracy of several classes."""
    return evaluation.n_classes > 1 and evaluation.scores is evaluation.posteriors


def name_score(evaluation: Evaluation) -> str:
    """Return the name of the score, as in the middle of a sentence."""
    name = str(first_of(evaluation.scores).score_name)
    is_abbreviation = name[1:2].isupper() or name[1:2].isdigit()  # MCC, F1
    return name if is_abbreviation else name[:1].lower() + name[1:]


def first_of(posteriors: Mapping[str, Any]) -> Any:
    """Return one of the posteriors, which are all of one metric."""
    return next(iter(posteriors.values()))


def _describe_posterior(evaluation: Evaluation, name: str) -> Record:
    """Describe the posterior of a classifier."""
    posterior = evaluation.posteriors[name]
    level = evaluation.settings.level
    score = evaluation.scores[name]
    counts = posterior.counts
    summary = score.summary(level)
    classes = {str(label) for label in counts.classes}
    strays = evaluation.table.strays(name, classes)
    present = counts.total > 0
    influence: PriorInfluence | None = posterior.prior_influence()
    dominating = dominating_influence([posterior._evidence()])
    effects = posterior.design_effects
    (worth, doubts) = describe_design(posterior, level)
    if score is not posterior:
        influence = dominating = None  # those of the balanced accuracy
    if score is not posterior and effects is not None:
        is_of_counts = isinstance(score, PosteriorAccuracy)
        effects = (
            score.counts._as_one_class() if is_of_counts else score
        ).design_effects
        worth = describe_effective_size(effects, False)
        doubts = group_notes(effects, sorted(classes))
    return {
        "name": name,
        "correct": counts.correct.astype(int),
        "n_unseen": strays.total(),
        "unseen": dict(strays.most_common(MOST_STRAYS)),
        "accuracy": counts.accuracy,
        "balanced_accuracy": posterior.observed,
        "observed": score.observed,
        **_pick(summary, "mean", "median", "low", "high"),
        "mean_error": summary.get("monte_carlo_error", 0.0),
        **{key: summary.get(key, 0.0) for key in ("low_error", "high_error")},
        "lower": score.lower_bound(level),
        "guessing_p_value": (
            posterior.guessing_p_value() if has_chance(evaluation) else None
        ),
        "constant": constant_note(counts) or None,
        "prior_influence": None if influence is None else influence.shift,
        "expected_coverage": None if influence is None else influence.expected_coverage,
        "remedy": None if dominating is None else dominating.remedy or None,
        "untested": counts.classes[~present],
        "groups": effects
        and {
            "design_effects": effects.design_effect,
            "effective_samples": effects.effective_size.sum(),
            "correlation": effects.correlation,
            "correlation_used": effects.correlation_used,
            "degrees_of_freedom": effects.degrees_of_freedom,
            "worth": worth,
            "doubts": doubts,
        },
    }


def _describe_comparison(comparison: PosteriorComparison, level: float) -> Record:
    pairs = []
    columns = comparison.table("differences", level=level)
    # The better one comes first, so that the difference is the gain.
    for row in zip(*columns.values(), strict=True):
        record = dict(zip(columns, row, strict=True))
        effects = comparison.design_effects(record["first"], record["second"])
        pair = {
            **_pick(record, "first", "second", "mean", "low", "high"),
            "mean_error": record["monte_carlo_error"],
            **_pick(record, "low_error", "high_error", "prob_greater_error"),
            "rope": _pick(record, "below", "within", "above")
            if comparison.rope
            else None,
            "design_effects": effects and effects.design_effect,
        }
        pairs.append(pair)
    matrix = {
        name: {
            other: p
            for other, p in zip(comparison.names, row, strict=True)
            if other != name
        }
        for name, row in zip(comparison.names, comparison.prob_greater(), strict=True)
    }
    keys = (
        "rank",
        "name",
        "prob_best",
        "prob_best_error",
        "expected_rank",
        "expected_loss",
    )
    ranking = [
        _pick({"rank": rank, **record}, *keys, "mean")
        for rank, record in enumerate(comparison.summary(), 1)
    ]
    described = {"note": comparison.explanation, "prob_greater": matrix, "pairs": pairs}
    return {"comparison": described, "ranking": ranking}


def _describe_gate(comparison: PosteriorComparison, settings: Namespace) -> Record:
    """Describe how likely each classifier loses too much against the baseline."""
    baseline = settings.baseline
    candidates = []
    for name in comparison.names:
        if name == baseline:
            continue
        loss = comparison.difference(baseline, name)
        probability = float(loss.ccdf(settings.max_loss))
        record = {
            "name": name,
            **_summarise(loss, settings.level),
            "prob_too_large": probability,
            "passed": probability < LARGEST_RISK,
        }
        candidates.append(record)
    passed = all(record["passed"] for record in candidates)
    keys = {"baseline": baseline, "max_loss": settings.max_loss}
    return {**keys, "candidates": candidates, "passed": passed}


def make_judge_document(table: InputTable, settings: Namespace) -> Record:
    """Describe the prevalences of systems that an imperfect judge has judged.

    Raises
    ------
    InputError
        If a column has more than one verdict beside the positive one.
    """
    positive = settings.positive
    level = settings.level
    total = table.rows.total()
    judge = _pick(vars(settings), "sensitivity", "specificity")
    posteriors = {}
    records = []
    for place, name in enumerate(table.columns):
        verdicts = {row[place] for row in table.rows}
        if len(verdicts - {positive}) > 1:
            shown = ", ".join(map(repr, sorted(verdicts)[:3]))
            raise InputError(
                f"column {name!r} may contain only {positive!r} and one other verdict, "
                f"got {shown}; select the columns of verdicts with --classifier"
            )
        positives = sum(n for row, n in table.rows.items() if row[place] == positive)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", JudgeWarning)
            posterior = posterior_prevalence(
                positives, total, prior=settings.prior, **judge
            )
        notes = [str(one.message) for one in caught if one.category is JudgeWarning]
        record = {
            "name": name,
            "positives": positives,
            "total": total,
            "mean": posterior.mean(),
            "median": posterior.median(),
            **_summarise(posterior, level),
            "outside": posterior.prob_below_zero + posterior.prob_above_one,
            "note": notes[0] if notes else None,
        }
        posteriors[name] = posterior
        records.append(record)
    differences = []
    for first, second in combinations(_by_mean(posteriors), 2):
        difference = posteriors[first].difference(posteriors[second])
        record = {
            "first": first,
            "second": second,
            **_summarise(difference, level),
            "prob_greater": difference.prob_above(0.0),
        }
        differences.append(record)
    informedness = next(iter(posteriors.values())).judge_informedness
    document = {
        "version": __version__,
        "data": {"source": table.source, "n_samples": total, "positive": positive},
        "settings": _pick(vars(settings), "prior", "level"),
        "judge": {**judge, "informedness": _summarise(informedness, level)},
        "prevalences": records,
        "differences": differences,
    }
    return dict(_json_types(document))


def make_scores_document(table: InputTable, settings: Namespace) -> Record:
    """Describe the areas under ROC and precision-recall curves, and their differences.

    Raises
    ------
    InputError
        If there are not two classes, if the positive one is not known, or if a score is
        no finite number.
    """
    y_true, *columns = np.array(list(table.rows), dtype=object).T
    names = table.columns[1:]
    labels = sorted(set(y_true))
    positive = settings.positive
    if positive is None:
        positive = _default_positive(set(labels)) or None
    if len(labels) != 2 or positive not in labels:
        raise InputError(
            "--scores need two classes, of which --positive names one, got "
            f"{len(labels)} classes and {positive!r}"
        )
    scores = {}
    for name, cells in zip(names, columns, strict=False):
        try:
            scores[name] = np.array([float(cell) for cell in cells])
        except ValueError as error:
            raise InputError(f"column {name!r} must have numbers: {error}") from error
        if not np.isfinite(scores[name]).all():
            raise InputError(f"column {name!r} must have finite numbers")
    options: dict[str, Any] = {
        "sample_weight": list(table.rows.values()),
        "groups": None if settings.groups is None else columns[-1],
        "random_state": SEED,
    }
    y_true = y_true == positive
    level = settings.level
    records = []
    differences = []
    find: Any = {
        "roc_auc": posterior_roc_auc,
        "average_precision": posterior_average_precision,
    }
    for metric, posterior_of in find.items():
        posteriors: Sequence[Any]
        prob_best: dict[str, float] = {}
        if len(scores) == 1:
            posteriors = [
                posterior_of(y_true, values, **options) for values in scores.values()
            ]
        else:
            comparison = compare_scores(y_true, scores, metric=metric, **options)
            posteriors = comparison.posteriors
            prob_best = {
                one["name"]: one["prob_best"] for one in comparison.summary(level)
            }
            for first, second in combinations(comparison.ranking(), 2):
                difference = comparison.difference(first, second)
                above = {"prob_greater": float(difference.ccdf(0.0))}
                pair = {"metric": metric, "first": first, "second": second}
                differences.append({**pair, **_summarise(difference, level), **above})
        for name, posterior in zip(scores, posteriors, strict=True):
            figures = _pick(
                posterior.summary(level), "observed", "mean", "median", "low", "high"
            )
            best = {"prob_best": prob_best.get(name)}
            records.append({"metric": metric, "name": name, **figures, **best})
    data = {
        "source": table.source,
        "truth": table.columns[0],
        "n_samples": table.rows.total(),
    }
    return dict(
        _json_types(
            {
                "version": __version__,
                "data": {**data, "positive": positive, "groups": settings.groups},
                "settings": {"level": level},
                "areas": records,
                "differences": differences,
            }
        )
    )


def _by_mean(posteriors: Mapping[str, ScalarPosterior]) -> list[str]:
    return sorted(posteriors, key=lambda name: posteriors[name].mean(), reverse=True)


def _summarise(posterior: ScalarPosterior | Distribution, level: float) -> Record:
    """Return the mean and the interval."""
    if isinstance(posterior, ScalarPosterior):
        low, high = posterior.credible_interval(level)
    else:
        low, high = interval_of(posterior, level)
    return {"mean": posterior.mean(), "low": low, "high": high}


def _pick(record: Record, *keys: str) -> Record:
    return {key: record[key] for key in keys}


def _json_types(value: Any) -> Any:
    """Return the value in the types of JSON, which has finite numbers only."""
    if isinstance(value, dict):
        return {key: _json_types(item) for key, item in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [_json_types(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return value
