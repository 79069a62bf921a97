"""Predicted labels: how good each classifier is, and which is best."""

from __future__ import annotations

import math
import re
from argparse import Namespace
from collections.abc import Iterator, Sequence

from skpostbac._cli.arguments import LARGEST_RISK
from skpostbac._cli.evaluation import Evaluation, difference_records, evaluate
from skpostbac._cli.sections import (
    Answer,
    Record,
    Section,
    difference_sections,
    format_estimate,
    make_document,
    percent,
    ranked,
)
from skpostbac._cli.table import InputTable
from skpostbac._utils import describe_strays, format_probability, join_first
from skpostbac.metrics._balanced_accuracy import constant_note
from skpostbac.stats._distribution import figures_of

# Classes listed with their numbers of samples, and columns that are left out.
LISTED = 8
# Classifiers named in a failure, and notes of one kind.
SHOWN = 5
# Predicted labels that are none of the classes, listed with their numbers.
MOST_STRAYS = 10
SELECTED = (
    "The best of several classifiers has also been lucky; optimism estimates this bias."
)


def answer_labels(table: InputTable, args: Namespace) -> Answer:
    """Evaluate and compare the classifiers of a table."""
    evaluation = evaluate(table, args)
    comparison = evaluation.comparison
    posteriors = [_describe_classifier(evaluation, name) for name in evaluation.ranking]
    differences: list[Record] = []
    if comparison is not None:
        differences = difference_records(comparison, args.level)
        for one, ranks in zip(posteriors, comparison.summary(args.level), strict=True):
            one |= ranks
    bound = -math.inf if args.fail_below is None else args.fail_below
    results: Record = {
        "posteriors": posteriors,
        "differences": differences,
        "failed": [one["name"] for one in posteriors if one["lower"] < bound],
        "gate": _describe_gate(evaluation),
        "selected": _describe_selected(evaluation),
        "subgroups": _describe_subgroups(evaluation),
        "notes": list(_notes(evaluation, posteriors)),
    }
    return Answer(
        make_document(args, _describe_data(evaluation), **results),
        _facts(evaluation),
        list(_sections(evaluation, results)),
        list(_failures(evaluation, results)),
        evaluation,
    )


def _describe_data(evaluation: Evaluation) -> Record:
    table = evaluation.table
    counts = evaluation.counts
    effects = evaluation.effects(table.predictions[0])
    return {
        "source": table.source,
        "description": table.description,
        "columns_left_out": table.left_out,
        "n_samples": int(counts.n_samples),
        "n_left_out": table.n_rows - int(counts.n_samples),
        "n_groups": effects and int(effects.n_groups),
        "n_ids": table.n_ids,
        "score": evaluation.score_name,
        "less_is_better": evaluation.less_is_better,
        "chance": evaluation.chance,
        "classes": [
            {"label": str(label), "n_samples": int(n)}
            for label, n in zip(counts.classes, counts.total, strict=True)
        ],
    }


def _describe_classifier(evaluation: Evaluation, name: str) -> Record:
    level = evaluation.args.level
    posterior = evaluation.posteriors[name]
    score = evaluation.scores[name]
    counts = posterior.counts
    strays = evaluation.table.strays(name, evaluation.labels)
    effects = evaluation.effects(name)
    return {
        "name": name,
        "correct": counts.correct.astype(int),
        "n_unseen": strays.total(),
        "unseen": dict(strays.most_common(MOST_STRAYS)),
        "accuracy": counts.accuracy,
        "balanced_accuracy": posterior.observed,
        "observed": score.observed,
        **score.summary(level),
        "lower": score.lower_bound(level),
        "design_effects": effects and effects.design_effect,
        "effective_samples": effects and effects.effective_size.sum(),
    }


def _describe_gate(evaluation: Evaluation) -> list[Record]:
    """Describe how likely each classifier loses too much against the baseline."""
    args = evaluation.args
    comparison = evaluation.comparison
    if comparison is None or args.baseline is None:
        return []
    records = []
    for name in evaluation.ranking:
        if name != args.baseline:
            loss = comparison.difference(args.baseline, name)
            risk = float(loss.ccdf(args.max_loss))
            record = {
                "name": name,
                **figures_of(loss, args.level),
                "prob_too_large": risk,
                "passed": risk < LARGEST_RISK,
            }
            records.append(record)
    return records


def _describe_selected(evaluation: Evaluation) -> Record | None:
    """Describe the best classifier, corrected for selection."""
    selected = evaluation.selected
    if selected is None or selected.candidate is None:
        return None
    return {
        "name": evaluation.table.predictions[selected.candidate],
        "n_candidates": selected.n_candidates,
        **selected.summary(evaluation.args.level),
    }


def _describe_subgroups(evaluation: Evaluation) -> list[Record]:
    level = evaluation.args.level
    records = []
    for name, posteriors in evaluation.subgroups.items():
        record = {
            "name": name,
            "groups": [
                {**group, "n_samples": int(group["n_samples"])}
                for group in posteriors.summary(level)
            ],
            "gap": posteriors.gap.summary(level),
            "worst": posteriors.worst.summary(level),
        }
        records.append(record)
    return records


def _facts(evaluation: Evaluation) -> dict[str, str]:
    """Describe the data: truth, samples, classes and prior."""
    args = evaluation.args
    table = evaluation.table
    counts = evaluation.counts
    n_left_out = table.n_rows - int(counts.n_samples)
    truth = f"column {table.truth} of {table.source}"
    if table.left_out:
        truth += (
            "; columns left out, as at least a third of the values are none of the "
            f"classes: {join_first(list(map(repr, table.left_out)), LISTED)}"
        )
    samples = f"{counts.n_samples:.0f}"
    if n_left_out:
        samples += f" ({n_left_out} from other classes left out)"
    if effects := evaluation.effects(table.predictions[0]):
        samples += f" in {effects.n_groups:.0f} groups (column {args.groups})"
    classes = [
        f"{label if label == label.strip() else repr(label)} ({n:.0f})"
        for label, n in zip(evaluation.labels, counts.total, strict=True)
    ]
    is_name = isinstance(args.prior, str)
    return {
        "Truth": truth,
        "Samples": samples,
        "Classes": f"{len(classes)}: {join_first(classes, LISTED)}",
        "Prior": args.prior if is_name else "Beta({:g}, {:g})".format(*args.prior),
    }


def _notes(evaluation: Evaluation, records: Sequence[Record]) -> Iterator[str]:
    """Yield what else to know of the posteriors: the report, and what the file has."""
    args = evaluation.args
    table = evaluation.table
    is_known = evaluation.chance == 0.5 and args.level == 0.95
    if is_known and args.fail_below is not None:
        yield (
            "With two classes, a 95% lower bound is above the true value in less than "
            "5% of test sets on average, but in up to 12% where a small class is hard."
        )
    if evaluation.comparison is None:
        yield from evaluation.results
    elif evaluation.chance is not None:
        yield "p-value: of the test against guessing."
    of_classifiers = []
    for one in records:
        name = one["name"]
        constant = constant_note(evaluation.posteriors[name].counts)
        if constant and evaluation.comparison is not None:
            of_classifiers.append(f"{name}: {constant}")
        if n := one["n_unseen"]:
            strays = describe_strays(list(one["unseen"]), n, evaluation.labels)
            of_classifiers.append(f"{name}: {strays}.")
    yield from of_classifiers[:SHOWN]
    if (more := len(of_classifiers) - SHOWN) > 0:
        yield f"{more} more such notes."
    for caveat in evaluation.caveats:
        # Arguments become options.
        option = caveat.replace("labels= or a class_weight of 0", "--labels")
        yield re.sub(r"prior='(\w+)'", r"--prior \1", option)
    if args.id is not None and table.n_ids < table.n_rows:
        hint = "" if args.groups else f"; use --groups {args.id} to account for this"
        yield (
            f"The {table.n_rows} rows have only {table.n_ids} different values in "
            f"column {args.id}: repeated samples are not independent{hint}."
        )


def _sections(evaluation: Evaluation, results: Record) -> Iterator[Section]:
    """Yield the tables, of which the ranking and the differences come first."""
    args = evaluation.args
    interval = {f"{percent(args.level)} CI": "interval"}
    estimate = {"mean": "mean", "median": "median", **interval}
    ranking = ranked(results["posteriors"])
    if evaluation.comparison is not None:
        columns = {
            "classifier": "label",
            "P(best)": "prob_best",
            "expected rank": "expected_rank",
            "expected loss": "expected_loss",
            "mean": "mean",
        }
        yield Section("Ranking by posterior mean", columns, ranking)
        title = f"Difference in {evaluation.score_name}"
        less = evaluation.less_is_better
        yield from difference_sections(
            title, results["differences"], ranking, args, less_is_better=less
        )
    observed = {"samples": "observed"}
    p_value = {}
    if evaluation.chance is not None:
        observed = {"accuracy": "accuracy", "bal.acc.": "balanced_accuracy"}
        p_value = {"p-value": "guessing_p_value"}
    last = {f"{percent(args.level)} lower": "lower", **p_value}
    if args.groups is not None:
        last["effective size"] = "effective_samples"
    yield Section(
        f"Posterior of the {evaluation.full_name} "
        f"({', '.join(observed)}: sample values)",
        {"classifier": "label", **observed, **estimate, **last},
        ranking,
        results["notes"],
    )
    if results["gate"]:
        risk = f"P(>{args.max_loss:g})"
        yield Section(
            f"Loss in {evaluation.score_name} against {args.baseline}",
            {"classifier": "name", "mean": "mean", **interval}
            | {risk: "prob_too_large", "passed": "passed"},
            results["gate"],
            [f"A classifier passes if {risk} is below {LARGEST_RISK:.0%}."],
            is_difference=True,
        )
    if selected := results["selected"]:
        yield Section(
            f"Best of {selected['n_candidates']}, corrected for selection",
            {"classifier": "name", "mean": "mean", **interval}
            | {"optimism": "optimism", "uncorrected": "uncorrected_mean"},
            [selected],
            [SELECTED],
        )
    for one in results["subgroups"]:
        gap = format_estimate(one["gap"])
        worst = format_estimate(one["worst"])
        yield Section(
            f"{one['name']}, by {args.by}",
            {"subgroup": "name", "samples": "n_samples", **estimate}
            | {"P(worst)": "prob_worst"},
            one["groups"],
            [f"Gap between best and worst group: {gap}; worst group: {worst}."],
        )


def _failures(evaluation: Evaluation, results: Record) -> Iterator[str]:
    """Yield a line on low bounds and one on large losses, if there are any."""
    args = evaluation.args
    bounds = []
    for one in results["posteriors"]:
        if one["name"] in results["failed"]:
            shown = f"{one['lower']:.3f}"
            # With all digits if it would be shown as the bound.
            shown = shown if float(shown) < args.fail_below else f"{one['lower']}"
            bounds.append(f"{one['name']} {shown}")
    if bounds:
        yield (
            f"{percent(args.level)} lower bound of the {evaluation.full_name} below "
            f"{args.fail_below:.12g}: {join_first(bounds, SHOWN)}"
        )
    losses = [
        f"{one['name']} {format_probability(one['prob_too_large'])}"
        for one in results["gate"]
        if not one["passed"]
    ]
    if losses:
        yield (
            f"P(loss in {evaluation.full_name} against {args.baseline} > "
            f"{args.max_loss:.12g}) is not below {LARGEST_RISK:.0%}: "
            f"{join_first(losses, SHOWN)}"
        )
