"""Predicted labels: how good each classifier is, and which is best.

`answer_evaluation` makes the records of the classifiers and of their differences. Each
function that it calls then adds one table, or what one option asks for: records, a
section, and what fails.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator

from skpostbac._cli.answer import (
    Answer,
    Record,
    as_options,
    describe,
    percent,
    ranked,
    report_of,
)
from skpostbac._cli.evaluation import Evaluation, evaluate
from skpostbac._cli.gates import add_gates
from skpostbac._cli.plots import make_plots
from skpostbac._cli.table import InputTable
from skpostbac._utils import (
    describe_strays,
    finite_or_none,
    join_first,
    unwrap,
)
from skpostbac.metrics import PosteriorBalancedAccuracy

# Classes listed with their numbers of samples, and columns that are left out.
LISTED = 20
# Predicted labels that are none of the classes, listed with their numbers.
MOST_STRAYS = 10
# Sentences of a report at the top of a page.
SENTENCES = 3


def answer_labels(table: InputTable, args: Namespace) -> Answer:
    """Evaluate and compare the classifiers of a table, or systems by their answers."""
    evaluation = evaluate(table, args)
    data = _describe_data(evaluation, table)
    level = args.level
    posteriors, differences = describe(evaluation.scores, evaluation.comparison, level)
    for one in posteriors:
        one |= _describe_classifier(evaluation, table, one["name"], level)
    best, posterior = next(iter(evaluation.scores.items()))
    answer = Answer(
        args,
        data,
        _facts(data, table, args),
        {"posteriors": posteriors, "differences": differences},
        method={best: posterior.methods_text(level)},
        plots=list(make_plots(evaluation, data, args)),
        tested=posterior._tested,
    )
    _add_ranking(answer)
    _add_posteriors(answer, evaluation)
    add_gates(answer, evaluation, table)
    _add_selected(answer, evaluation, table)
    _add_subgroups(answer, evaluation)
    return answer


def _describe_data(evaluation: Evaluation, table: InputTable) -> Record:
    """Return what was evaluated, and by which score."""
    score = next(iter(evaluation.scores.values()))
    counts = next(iter(evaluation.counts.values()))
    classes = [
        {"label": str(label), "n_samples": int(n)}
        for label, n in zip(counts.classes, counts.total, strict=True)
    ]
    name = score._name
    if len(classes) == 1 and table.truth is not None:
        name += f" of class {classes[0]['label']}"
    n_samples = int(counts.n_samples)
    effects = score.design_effects
    return {
        "source": table.source,
        "columns_left_out": table.left_out,
        "n_samples": n_samples,
        "n_left_out": table.n_rows - n_samples,
        "n_groups": effects and int(effects.n_groups),
        "n_ids": table.n_ids,
        "score": name,
        "less_is_better": score._less_is_better,
        "chance": getattr(score, "chance", None) if len(classes) > 1 else None,
        "classes": classes,
    }


def _describe_classifier(
    evaluation: Evaluation, table: InputTable, name: str, level: float
) -> Record:
    """Return what the samples say of a classifier, and the bounds of its score."""
    score = evaluation.scores[name]
    counts = evaluation.counts[name]
    strays = table.strays(name, list(map(str, counts.classes)))
    effects = score.design_effects
    record = {
        "correct": counts.correct.astype(int).tolist(),
        "n_unseen": strays.total(),
        "unseen": dict(strays.most_common(MOST_STRAYS)),
        "accuracy": counts.accuracy,
        "balanced_accuracy": PosteriorBalancedAccuracy(counts).observed,
        "observed": score.observed,
        "lower": score.lower_bound(level),
        "upper": score.upper_bound(level),
        "design_effects": effects and effects.design_effect.tolist(),
        "effective_samples": effects and float(effects.effective_size.sum()),
    }
    return finite_or_none(record)


def _facts(data: Record, table: InputTable, args: Namespace) -> dict[str, str]:
    """Return the data and the prior in words."""
    columns = join_first(list(map(repr, table.left_out)), LISTED)
    left_out = f"; columns left out, as {table.why_left_out}: {columns}" * bool(columns)
    if args.correct and (name := table.name_column) is not None:
        left_out += (
            f"; if {name!r} names the systems, this is a long table: give each system "
            f"a column of its own, as by pandas.DataFrame.pivot(columns={name!r}, ...)"
        )
    samples = f"{data['n_samples']}"
    if n_left_out := data["n_left_out"]:
        samples += f" ({n_left_out} from other classes left out)"
    if n_groups := data["n_groups"]:
        samples += f" in {n_groups} groups (column {args.groups})"
    prior = args.prior
    if not isinstance(prior, str):
        prior = "Beta({:g}, {:g})".format(*prior)
    if args.correct:
        systems = join_first(list(map(repr, table.predictions)), LISTED)
        columns = "column" if len(table.predictions) == 1 else "columns"
        hint = "" if args.classifier else " (choose with --classifier)"
        facts = {
            "Answers": f"{data['source']}{left_out}",
            "Systems": f"{columns} {systems}{hint}",
            "Items": samples,
        }
        return {**facts, "Prior": prior}
    classes = []
    for label, n in map(dict.values, data["classes"]):
        shown = label if label == label.strip() else repr(label)
        classes.append(f"{shown} ({n})")
    return {
        "Truth": f"column {args.truth} of {data['source']}{left_out}",
        "Samples": samples,
        "Classes": f"{len(classes)}: {join_first(classes, LISTED)}",
        "Prior": prior,
    }


def _add_ranking(answer: Answer) -> None:
    """Add the ranking of several classifiers, and their differences."""
    ranking = ranked(answer.results["posteriors"])
    if len(ranking) == 1:
        return
    columns = "prob_best may_be_best ranks mean"
    may_be = f"may be best: no other {answer.tested} is surely better"
    ranks = f"{percent(answer.args.level)} ranks: intervals that all hold at once"
    notes = [f"P(best): the probability of being the best; {may_be}; {ranks}."]
    if answer.args.all_pairs:
        columns = "prob_best may_be_best ranks expected_rank expected_loss mean"
        notes.append(
            "expected rank: the average rank; expected loss: by how much the best "
            "score is better on average."
        )
    answer.add("Ranking by posterior mean", answer.tested, columns, ranking, notes)
    answer.add_differences(
        f"Difference in {answer.data['score']}",
        answer.results["differences"],
        ranking,
        "{1} - {0}" if answer.data["less_is_better"] else "{0} - {1}",
    )


def _add_posteriors(answer: Answer, evaluation: Evaluation) -> None:
    """Add the posterior of each classifier, and the notes of the report."""
    args = answer.args
    data = answer.data
    observed = ""
    columns = "observed mean interval lower"
    if data["less_is_better"]:
        columns = "observed mean interval upper"
    if answer.args.correct:
        columns = columns.replace("observed", "accuracy")
        observed = " (accuracy: share of these items right)"
    elif data["chance"] is not None:
        observed = " (accuracy, bal.acc.: on the test samples)"
        columns = "accuracy balanced_accuracy mean interval lower guessing_p_value"
    if args.groups is not None:
        columns += " effective_samples"
    notes = [*_notes_on_classifiers(answer, evaluation), *_report(answer, evaluation)]
    n_rows = data["n_samples"] + data["n_left_out"]
    n_ids = data["n_ids"]
    if args.id is not None and args.groups is None and n_ids < n_rows:
        notes.append(
            f"The {n_rows} rows have only {n_ids} different values in column "
            f"{args.id}: repeats are not independent; use --groups {args.id} to "
            "account for this."
        )
    title = f"Posterior of the {data['score']}{observed}"
    ranking = ranked(answer.results["posteriors"])
    answer.add(title, answer.tested, columns, ranking, notes)
    answer.results["notes"] = [answer.lead[0], *notes]


def _report(answer: Answer, evaluation: Evaluation) -> list[str]:
    """Add the first sentences of the report, and return those below the table."""
    level = answer.args.level
    sentences, notes = report_of(evaluation.scores, evaluation.comparison, level)
    answer.lead += sentences[:SENTENCES]
    if (n := len(evaluation.scores)) > SENTENCES:
        answer.lead.append(f"Showing the top {SENTENCES} of {n} {answer.tested}s.")
    return list(map(as_options, notes))


def _notes_on_classifiers(answer: Answer, evaluation: Evaluation) -> Iterator[str]:
    """Yield what the table needs to be read, and which predictions are no class."""
    if answer.data["chance"] is not None and evaluation.comparison is not None:
        yield "p-value: of the test against guessing."
    for one in answer.results["posteriors"]:
        if n := one["n_unseen"]:
            classes = map(str, evaluation.counts[one["name"]].classes)
            strays = describe_strays(list(one["unseen"]), n, classes)
            yield f"{one['name']}: {strays}."


def _add_selected(answer: Answer, evaluation: Evaluation, table: InputTable) -> None:
    """Add the best classifier, corrected for its selection (``--selected``)."""
    selected = evaluation.selected
    answer.results["selected"] = None
    if selected is None or selected.candidate is None:
        return
    level = answer.args.level
    record = {
        "name": table.predictions[selected.candidate],
        "n_candidates": selected.n_candidates,
        **selected.summary(level),
    }
    answer.results["selected"] = record
    title = f"Best of {selected.n_candidates}, corrected for selection"
    columns = "mean interval optimism uncorrected_mean"
    report = unwrap(selected.report(level))
    answer.add(title, "classifier", columns, [record], report[1:])
    answer.lead += report


def _add_subgroups(answer: Answer, evaluation: Evaluation) -> None:
    """Add each classifier on each subgroup (``--by``)."""
    level = answer.args.level
    answer.results["subgroups"] = []
    for name, subgroups in evaluation.subgroups.items():
        groups = subgroups.summary(level)
        record = {
            "name": name,
            "groups": groups,
            "gap": subgroups.gap.summary(level),
            "worst": subgroups.worst.summary(level),
        }
        answer.results["subgroups"].append(record)
        title = f"{name}, by {answer.args.by}"
        columns = "n_samples mean interval prob_worst"
        # Items are of one class, whose recall is the accuracy.
        score = "accuracy" if answer.args.correct else subgroups._score_name.lower()
        notes = subgroups._sentences(level, score)[:SENTENCES]
        answer.add(title, "subgroup", columns, groups, notes)
