"""The document as tables of text, for the terminal and the HTML page."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, TypeAlias

from skpostbac._utils import format_probability, printable
from skpostbac.metrics._priors import say_untested

Record: TypeAlias = dict[str, Any]

# Classes listed with their numbers of samples.
SHOWN_CLASSES = 8
# Classifiers listed on standard error if their lower bounds are too low.
SHOWN_CLASSIFIERS = 5
# Columns of a table after the first; further columns go into a table below.
COLUMNS = 8


@dataclass(frozen=True)
class Section:
    """A table with a title above it and notes below."""

    title: str
    header: list[str]
    rows: list[list[str]]
    notes: list[str]

    def blocks(self) -> Iterator[list[list[str]]]:
        """Yield the table in parts that fit a page, each with its header and first column."""
        rows = [self.header, *self.rows]
        for start in range(1, len(self.header), COLUMNS):
            yield [[row[0], *row[start : start + COLUMNS]] for row in rows]


def make_sections(document: Record) -> list[Section]:
    """Return the tables: posteriors, comparison, ranking, and those of options.

    Parameters
    ----------
    document : dict
        What `make_document` returns.

    Returns
    -------
    sections : list of Section
        The posteriors, three tables of the comparison if there is one, and those of options.
    """
    settings = document["settings"]
    level = f"{100 * settings['level']:.12g}%"
    sections = [_posteriors(document, level)]
    if document["comparison"]:
        sections += [
            _comparison(document["comparison"]),
            _differences(document, level),
            _ranking(document["ranking"]),
        ]
    if document["selected"]:
        sections.append(_selected(document["selected"], level))
    return [*sections, *_subgroups(document["subgroups"], level)]


def describe_data(document: Record) -> dict[str, str]:
    """Describe the data: truth, samples, classes and prior."""
    data = document["data"]
    left_out = f" ({data['n_left_out']} from other classes left out)" if data["n_left_out"] else ""
    return {
        "Truth": f"column {printable(data['truth'])} of {printable(data['source'])}",
        "Samples": f"{data['n_samples']}{left_out}{_name_groups(data['groups'])}",
        "Classes": f"{data['n_classes']}: {_list_classes(data['classes'])}",
        "Prior": _name_prior(document["settings"]["prior"]),
    }


def _name_groups(groups: Record | None) -> str:
    if groups is None:
        return ""
    return f" in {groups['n_groups']} groups (column {printable(groups['column'])})"


def _list_classes(classes: Sequence[Record]) -> str:
    shown = [
        f"{printable(record['label'])} ({record['n_samples']})"
        for record in classes[:SHOWN_CLASSES]
    ]
    hidden = len(classes) - SHOWN_CLASSES
    return ", ".join(shown) + (f" and {hidden} more" if hidden > 0 else "")


def _name_prior(prior: str | list[float]) -> str:
    return prior if isinstance(prior, str) else f"Beta({prior[0]:g}, {prior[1]:g})"


def _posteriors(document: Record, level: str) -> Section:
    names = ["classifier", "accuracy", "bal.acc.", "mean", "median"]
    records = document["posteriors"]
    return Section(
        f"Posterior of the {_name_score(document)} (accuracy, bal.acc.: sample values)",
        [*names, f"{level} interval", f"{level} lower", "P(>chance)"],
        [_posterior_row(record) for record in records],
        [
            *_explain_chance(document["data"]["chance"], records[0]["prior_prob_above_chance"]),
            *map(_report_unseen, filter(itemgetter("n_unseen"), records)),
            *_report_prior([record for record in records if record["remedy"]]),
            *_report_untested(records[0]["untested"], document["settings"]["prior"]),
            *_report_groups([record for record in records if record["groups"]]),
            *_report_ids(document["data"]["ids"]),
        ],
    )


def _posterior_row(record: Record) -> list[str]:
    return [
        printable(record["name"]),
        *(_decimal(record[key]) for key in ("accuracy", "balanced_accuracy", "mean", "median")),
        _interval(record),
        _decimal(record["lower"]),
        _probability(record["prob_above_chance"]),
    ]


def _explain_chance(chance: float | None, prior: float | None) -> list[str]:
    if chance is None:
        return ["There is only one class: this is its recall, not a balanced accuracy."]
    return [f"Chance level: {chance:.3f}. Prior P(>chance): {_probability(prior)}."]


def _report_unseen(record: Record) -> str:
    number = record["n_unseen"]
    what = (
        "1 prediction is none of the classes and counts as an error"
        if number == 1
        else f"{number} predictions are none of the classes and count as errors"
    )
    return f"{printable(record['name'])}: {what}."


def _report_prior(dominated: Sequence[Record]) -> list[str]:
    if not dominated:
        return []
    worst = min(dominated, key=itemgetter("expected_coverage"))
    share, remedy = worst["expected_coverage"], _as_option(worst["remedy"])
    note = f"95% intervals would contain the balanced accuracy in about {share:.0%} of test sets"
    return [f"{note} like this one: {remedy}."]


def _report_untested(labels: Sequence[str], prior: str | list[float]) -> list[str]:
    """Name the classes without samples, which are the same for all classifiers."""
    if not labels:
        return []
    borrow = prior == "hierarchical"
    return [printable(say_untested(labels, borrow=borrow, leave_out_with="--labels"))]


def _report_groups(records: Sequence[Record]) -> list[str]:
    """Report the effective sample size of each classifier, and shared caveats once."""
    worth = [
        (f"{printable(record['name'])}: " if len(records) > 1 else "")
        + printable(record["groups"]["worth"])
        for record in records
    ]
    doubts = (note for record in records for note in record["groups"]["doubts"])
    return [*worth, *map(printable, dict.fromkeys(doubts))]


def _report_ids(ids: Record | None) -> list[str]:
    return [printable(ids["note"])] if ids and ids["note"] else []


def _as_option(remedy: str) -> str:
    """Write prior='name' as an option, and other names without quotes."""
    return remedy.replace("prior=", "--prior ").replace("'", "")


def describe_failed(document: Record) -> str:
    """Return one line with the lower bounds that are below ``--fail-below``."""
    failed, settings = document["failed"], document["settings"]
    shown = [
        # Rounded down, so that it is not shown as the value that it is below.
        f"{printable(record['name'])} {_decimal(math.floor(1000 * record['lower']) / 1000)}"
        for record in document["posteriors"]
        if record["name"] in failed[:SHOWN_CLASSIFIERS]
    ]
    hidden = len(failed) - SHOWN_CLASSIFIERS
    bound = f"{100 * settings['level']:.12g}% lower bound of the {_name_score(document)}"
    more = f" and {hidden} more" if hidden > 0 else ""
    return f"{bound} below {settings['fail_below']:.12g}: {', '.join(shown)}{more}"


def _name_score(document: Record) -> str:
    """Return the name of the score, which is a recall for a single class."""
    data = document["data"]
    if data["n_classes"] > 1:
        return str(data["score"])
    return f"recall of {printable(data['classes'][0]['label'])}"


def _comparison(comparison: Record) -> Section:
    table = comparison["prob_greater"]
    numbers = [str(number) for number in range(1, len(table) + 1)]
    rows = [
        [f"{number} {printable(name)}", *(_probability(row.get(column)) for column in table)]
        for number, (name, row) in zip(numbers, table.items(), strict=True)
    ]
    return Section(
        "Comparison: probability that the row is better than the column",
        ["classifier", *numbers],
        rows,
        [comparison["note"]],
    )


def _differences(document: Record, level: str) -> Section:
    comparison, rope = document["comparison"], document["settings"]["rope"]
    is_balanced = document["data"]["n_classes"] > 1
    header = ["first - second", "mean", f"{level} interval"]
    if rope > 0:
        header += [f"P(<-{rope:g})", "P(within)", f"P(>{rope:g})"]
    rows = [_difference_row(pair) for pair in comparison["pairs"]]
    return Section(
        f"Difference in {'balanced accuracy' if is_balanced else 'recall'}", header, rows, []
    )


def _difference_row(pair: Record) -> list[str]:
    return [
        f"{printable(pair['first'])} - {printable(pair['second'])}",
        _decimal(pair["mean"], sign="+"),
        _interval(pair, sign="+"),
        *map(_probability, (pair["rope"] or {}).values()),
    ]


def _ranking(ranking: Sequence[Record]) -> Section:
    return Section(
        "Ranking by posterior mean",
        ["classifier", "P(best)", "expected rank", "expected loss", "mean"],
        [_ranking_row(record) for record in ranking],
        _explain_draws(max(record["prob_best_error"] for record in ranking)),
    )


def _ranking_row(record: Record) -> list[str]:
    return [
        f"{record['rank']} {printable(record['name'])}",
        _probability(record["prob_best"]),
        *(_decimal(record[key]) for key in ("expected_rank", "expected_loss", "mean")),
    ]


def _explain_draws(error: float) -> list[str]:
    if error == 0:
        return []
    return [
        f"P(best) is estimated from random draws, with a standard error of up to about {error:.1g}."
    ]


def _selected(record: Record, level: str) -> Section:
    plain = record["uncorrected"]
    return Section(
        f"Best of {record['n_candidates']}, corrected for selection",
        ["classifier", "mean", f"{level} interval", "optimism", "uncorrected", f"{level} interval"],
        [
            [
                printable(record["name"]),
                _decimal(record["mean"]),
                _interval(record),
                _decimal(record["optimism"]),
                _decimal(plain["mean"]),
                _interval(plain),
            ]
        ],
        ["The best of several classifiers has also been lucky; optimism estimates this bias."],
    )


def _subgroups(subgroups: Record | None, level: str) -> list[Section]:
    if subgroups is None:
        return []
    column = printable(subgroups["column"])
    return [
        Section(
            f"{printable(record['name'])}, by {column}",
            [column, "samples", "mean", "median", f"{level} interval", "P(worst)"],
            [_subgroup_row(group) for group in record["groups"]],
            [_explain_gap(record)],
        )
        for record in subgroups["classifiers"]
    ]


def _explain_gap(record: Record) -> str:
    gap, worst = _figure(record["gap"]), _figure(record["worst"])
    return f"Gap between best and worst group: {gap}; worst group: {worst}."


def _subgroup_row(group: Record) -> list[str]:
    return [
        printable(group["name"]),
        str(group["n_samples"]),
        *(_decimal(group[key]) for key in ("mean", "median")),
        _interval(group),
        _probability(group["prob_worst"]),
    ]


def _figure(record: Record) -> str:
    return f"{_decimal(record['mean'])} {_interval(record)}"


def judged_sections(document: Record) -> list[Section]:
    """Return the tables of the prevalences of the judged systems and of their differences."""
    level = f"{100 * document['settings']['level']:.12g}%"
    sections = [_shares(document["prevalences"], level)]
    if document["differences"]:
        sections.append(_compared(document["differences"], level))
    return sections


def describe_judge(document: Record) -> dict[str, str]:
    """Describe the data: the verdicts and the judge."""
    data, judge, informed = document["data"], document["judge"], document["judge"]["informedness"]
    hits = ["{} {} of {}".format(name, *judge[name]) for name in ("sensitivity", "specificity")]
    verdicts = f"{data['n_samples']} rows of {printable(data['source'])}"
    return {
        "Verdicts": f"{verdicts}; positive: {printable(data['positive'])}",
        "Judge": f"{', '.join(hits)}; informedness {_figure(informed)}",
    }


def _shares(records: Sequence[Record], level: str) -> Section:
    return Section(
        "Posterior of the share of positives, corrected for the errors of the judge",
        ["system", "positive verdicts", "mean", "median", f"{level} interval", "P(<0 or >1)"],
        [
            [
                printable(record["name"]),
                f"{record['positives']}/{record['total']}",
                _decimal(record["mean"]),
                _decimal(record["median"]),
                _interval(record),
                _probability(record["outside"]),
            ]
            for record in records
        ],
        [printable(f"{r['name']}: {r['note']}.") for r in records if r["note"]],
    )


def _compared(records: Sequence[Record], level: str) -> Section:
    return Section(
        "Difference in the share of positives, same judge",
        ["first - second", "mean", f"{level} interval", "P(first > second)"],
        [
            [
                f"{printable(record['first'])} - {printable(record['second'])}",
                _decimal(record["mean"], sign="+"),
                _interval(record, sign="+"),
                _probability(record["prob_greater"]),
            ]
            for record in records
        ],
        [],
    )


def _decimal(value: float | None, sign: str = "") -> str:
    # Adding 0 turns a rounded -0.0 into 0.0.
    return "-" if value is None else f"{round(value, 3) + 0.0:{sign}.3f}"


def _interval(record: Record, sign: str = "") -> str:
    return f"[{_decimal(record['low'], sign)}, {_decimal(record['high'], sign)}]"


def _probability(value: float | None) -> str:
    return "-" if value is None else format_probability(value)
