"""The results as tables, and how these look in a terminal.

A `Section` is one table with its title and notes, which text and page have in common.
"""

from __future__ import annotations

import math
import textwrap
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any, TypeAlias

from skpostbac._utils import format_probability, printable
from skpostbac.metrics._priors import say_untested

Record: TypeAlias = dict[str, Any]
# The heading of a column, and what formats its cell of a record.
Column: TypeAlias = tuple[str, Callable[[Record], str]]

WIDTH = 96
# Classes listed with their numbers of samples.
SHOWN_CLASSES = 8
# Classifiers listed on standard error if their lower bounds are too low.
SHOWN_CLASSIFIERS = 5
# Columns of a table after the first; further columns go into a table below.
COLUMNS = 8

HINT = """\
To evaluate your own predictions, pass a CSV file with a column of true labels and one column
per classifier:
    skpostbac predictions.csv --truth COLUMN"""


@dataclass(frozen=True)
class Section:
    """A table with a title above it and notes below."""

    title: str
    columns: Sequence[Column]
    records: Sequence[Record]
    notes: Sequence[str] = ()

    def blocks(self) -> Iterator[list[list[str]]]:
        """Yield the table in parts that fit a page, each with its header and first column."""
        rows = [[cell(record) for _, cell in self.columns] for record in self.records]
        rows = [[heading for heading, _ in self.columns], *rows]
        for start in range(1, len(self.columns), COLUMNS):
            yield [[row[0], *row[start : start + COLUMNS]] for row in rows]


def render(document: Record) -> str:
    """Render the results as text.

    Parameters
    ----------
    document : dict
        What `make_document` or `make_judge_document` returns.

    Returns
    -------
    text : str
        Paragraphs and tables.
    """
    describe, tables = (
        (_describe_verdicts, _judge_sections)
        if "judge" in document
        else (describe_data, make_sections)
    )
    facts = [_fill(f"{key:<9} {value}", indent=10) for key, value in describe(document).items()]
    text = "\n\n".join(["\n".join(facts), *map(_show, tables(document))]) + "\n"
    if document["data"].get("example"):
        return f"{_fill(document['data']['description'])}\n\n{text}\n{HINT}\n"
    return text


def _show(section: Section) -> str:
    """Render a table: its first column to the left, the others to the right."""
    blocks = []
    for rows in section.blocks():
        widths = [max(map(_text_width, column)) for column in zip(*rows, strict=True)]
        lines = []
        for row in rows:
            gaps = [" " * (w - _text_width(text)) for text, w in zip(row, widths, strict=True)]
            others = map(str.__add__, gaps[1:], row[1:])
            lines.append("  ".join([row[0] + gaps[0], *others]).rstrip())
        rule = "-" * max(map(_text_width, lines))
        blocks.append("\n".join([section.title, lines[0], rule, *lines[1:]]))
    return "\n".join(["\n\n".join(blocks), *map(_fill, section.notes)])


def _text_width(text: str) -> int:
    """Return the number of terminal columns that the text takes."""
    return sum(
        0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "WF")
        for char in text
    )


def _fill(text: str, indent: int = 0) -> str:
    return textwrap.fill(
        text, WIDTH, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False
    )


def describe_data(document: Record) -> dict[str, str]:
    """Describe the data: truth, samples, classes and prior."""
    data, prior = document["data"], document["settings"]["prior"]
    groups, classes = data["groups"], data["classes"]
    left_out = f" ({data['n_left_out']} from other classes left out)" if data["n_left_out"] else ""
    in_groups = (
        f" in {groups['n_groups']} groups (column {printable(groups['column'])})" if groups else ""
    )
    listed = ", ".join(
        f"{printable(record['label'])} ({record['n_samples']})"
        for record in classes[:SHOWN_CLASSES]
    )
    hidden = len(classes) - SHOWN_CLASSES
    return {
        "Truth": f"column {printable(data['truth'])} of {printable(data['source'])}",
        "Samples": f"{data['n_samples']}{left_out}{in_groups}",
        "Classes": f"{data['n_classes']}: {listed}{f' and {hidden} more' if hidden > 0 else ''}",
        "Prior": prior if isinstance(prior, str) else f"Beta({prior[0]:g}, {prior[1]:g})",
    }


def make_sections(document: Record) -> list[Section]:
    """Return the tables of the results.

    Parameters
    ----------
    document : dict
        What `make_document` returns.

    Returns
    -------
    sections : list of Section
        The posteriors, three tables of the comparison if there is one, and those of options.
    """
    level, records = _level(document), document["posteriors"]
    sections = [
        Section(
            f"Posterior of the {_name_score(document)} (accuracy, bal.acc.: sample values)",
            [
                ("classifier", _name),
                ("accuracy", _decimal("accuracy")),
                ("bal.acc.", _decimal("balanced_accuracy")),
                *_estimates(level, "median"),
                (f"{level} lower", _decimal("lower")),
                ("P(>chance)", _probability("prob_above_chance")),
            ],
            records,
            _posterior_notes(document),
        )
    ]
    if document["comparison"]:
        sections += _comparison_sections(document, level)
    if record := document["selected"]:
        columns: list[Column] = [
            ("classifier", _name),
            *_estimates(level),
            ("optimism", _decimal("optimism")),
            ("uncorrected", lambda record: _format(record["uncorrected"]["mean"])),
            (f"{level} interval", lambda record: _interval(record["uncorrected"])),
        ]
        title = f"Best of {record['n_candidates']}, corrected for selection"
        note = "The best of several classifiers has also been lucky; optimism estimates this bias."
        sections.append(Section(title, columns, [record], [note]))
    if document["subgroups"]:
        sections += _subgroup_sections(document["subgroups"], level)
    return sections


def _posterior_notes(document: Record) -> list[str]:
    records, data = document["posteriors"], document["data"]
    prior = document["settings"]["prior"]
    if data["chance"] is None:
        notes = ["There is only one class: this is its recall, not a balanced accuracy."]
    else:
        prior_probability = _probability("prior_prob_above_chance")(records[0])
        notes = [f"Chance level: {data['chance']:.3f}. Prior P(>chance): {prior_probability}."]
    for record in records:
        if number := record["n_unseen"]:
            what = (
                "1 prediction is none of the classes and counts as an error"
                if number == 1
                else f"{number} predictions are none of the classes and count as errors"
            )
            notes.append(f"{_name(record)}: {what}.")
    if dominated := [record for record in records if record["remedy"]]:
        worst = min(dominated, key=itemgetter("expected_coverage"))
        # prior='name' becomes an option, and other names lose their quotes.
        remedy = worst["remedy"].replace("prior=", "--prior ").replace("'", "")
        notes.append(
            "95% intervals would contain the balanced accuracy in about "
            f"{worst['expected_coverage']:.0%} of test sets like this one: {remedy}."
        )
    if untested := records[0]["untested"]:  # the same for all classifiers
        borrow = prior == "hierarchical"
        notes.append(printable(say_untested(untested, borrow=borrow, leave_out_with="--labels")))
    if grouped := [record for record in records if record["groups"]]:
        for record in grouped:
            name = f"{_name(record)}: " if len(grouped) > 1 else ""
            notes.append(name + printable(record["groups"]["worth"]))
        doubts = (note for record in grouped for note in record["groups"]["doubts"])
        notes += map(printable, dict.fromkeys(doubts))  # each once
    if data["ids"] and data["ids"]["note"]:
        notes.append(printable(data["ids"]["note"]))
    return notes


def describe_failed(document: Record) -> str:
    """Return one line with the lower bounds that are below ``--fail-below``."""
    failed = document["failed"]
    shown = [
        # Rounded down, so that it is not shown as the value that it is below.
        f"{_name(record)} {_format(math.floor(1000 * record['lower']) / 1000)}"
        for record in document["posteriors"]
        if record["name"] in failed[:SHOWN_CLASSIFIERS]
    ]
    hidden = len(failed) - SHOWN_CLASSIFIERS
    more = f" and {hidden} more" if hidden > 0 else ""
    return (
        f"{_level(document)} lower bound of the {_name_score(document)} below "
        f"{document['settings']['fail_below']:.12g}: {', '.join(shown)}{more}"
    )


def _name_score(document: Record) -> str:
    """Return the name of the score, which is a recall for a single class."""
    data = document["data"]
    if data["n_classes"] > 1:
        return str(data["score"])
    return f"recall of {printable(data['classes'][0]['label'])}"


def _comparison_sections(document: Record, level: str) -> list[Section]:
    """Return the tables of probabilities, of differences and of the ranking."""
    comparison, rope = document["comparison"], document["settings"]["rope"]
    matrix = comparison["prob_greater"]
    rows = [
        {"rank": number, "name": name, "better than": {name: None, **others}}
        for number, (name, others) in enumerate(matrix.items(), 1)
    ]
    columns: list[Column] = [
        ("classifier", _ranked),
        *((str(n), _probability(name, within="better than")) for n, name in enumerate(matrix, 1)),
    ]
    title = "Comparison: probability that the row is better than the column"
    probabilities = Section(title, columns, rows, [comparison["note"]])

    columns = [("first - second", _pair), *_estimates(level, sign="+")]
    if rope > 0:
        headings = {"below": f"P(<-{rope:g})", "within": "P(within)", "above": f"P(>{rope:g})"}
        columns += [
            (heading, _probability(key, within="rope")) for key, heading in headings.items()
        ]
    score = "balanced accuracy" if document["data"]["n_classes"] > 1 else "recall"
    differences = Section(f"Difference in {score}", columns, comparison["pairs"])

    error = max(record["prob_best_error"] for record in document["ranking"])
    drawn = (
        f"P(best) is estimated from random draws, with a standard error of up to about {error:.1g}."
    )
    ranking = Section(
        "Ranking by posterior mean",
        [
            ("classifier", _ranked),
            ("P(best)", _probability("prob_best")),
            ("expected rank", _decimal("expected_rank")),
            ("expected loss", _decimal("expected_loss")),
            ("mean", _decimal("mean")),
        ],
        document["ranking"],
        [drawn] if error else [],
    )
    return [probabilities, differences, ranking]


def _subgroup_sections(subgroups: Record, level: str) -> list[Section]:
    column = printable(subgroups["column"])
    columns: list[Column] = [
        (column, _name),
        ("samples", lambda group: str(group["n_samples"])),
        *_estimates(level, "median"),
        ("P(worst)", _probability("prob_worst")),
    ]
    sections = []
    for record in subgroups["classifiers"]:
        gap, worst = _estimate(record["gap"]), _estimate(record["worst"])
        note = f"Gap between best and worst group: {gap}; worst group: {worst}."
        sections.append(Section(f"{_name(record)}, by {column}", columns, record["groups"], [note]))
    return sections


def _describe_verdicts(document: Record) -> dict[str, str]:
    data, judge = document["data"], document["judge"]
    hits = ["{} {} of {}".format(name, *judge[name]) for name in ("sensitivity", "specificity")]
    verdicts = f"{data['n_samples']} rows of {printable(data['source'])}"
    return {
        "Verdicts": f"{verdicts}; positive: {printable(data['positive'])}",
        "Judge": f"{', '.join(hits)}; informedness {_estimate(judge['informedness'])}",
    }


def _judge_sections(document: Record) -> list[Section]:
    """Return the tables of the prevalences of judged systems, and of their differences."""
    records, differences, level = document["prevalences"], document["differences"], _level(document)
    prevalences = Section(
        "Posterior of the share of positives, corrected for the errors of the judge",
        [
            ("system", _name),
            ("positive verdicts", lambda record: f"{record['positives']}/{record['total']}"),
            *_estimates(level, "median"),
            ("P(<0 or >1)", _probability("outside")),
        ],
        records,
        [printable(f"{r['name']}: {r['note']}.") for r in records if r["note"]],
    )
    probability = ("P(first > second)", _probability("prob_greater"))
    columns = [("first - second", _pair), *_estimates(level, sign="+"), probability]
    title = "Difference in the share of positives, same judge"
    return [prevalences, *([Section(title, columns, differences)] if differences else [])]


def _level(document: Record) -> str:
    return f"{100 * document['settings']['level']:.12g}%"


def _name(record: Record) -> str:
    return printable(record["name"])


def _ranked(record: Record) -> str:
    return f"{record['rank']} {_name(record)}"


def _pair(record: Record) -> str:
    return f"{printable(record['first'])} - {printable(record['second'])}"


def _decimal(key: str, sign: str = "") -> Callable[[Record], str]:
    return lambda record: _format(record[key], sign)


def _probability(key: str, within: str | None = None) -> Callable[[Record], str]:
    def cell(record: Record) -> str:
        value = (record[within] if within else record)[key]
        return "-" if value is None else format_probability(value)

    return cell


def _estimates(level: str, *more: str, sign: str = "") -> list[Column]:
    """Return the columns of means, of `more` numbers and of intervals."""
    numbers = [(key, _decimal(key, sign)) for key in ("mean", *more)]
    return [*numbers, (f"{level} interval", partial(_interval, sign=sign))]


def _interval(record: Record, sign: str = "") -> str:
    return f"[{_format(record['low'], sign)}, {_format(record['high'], sign)}]"


def _estimate(record: Record) -> str:
    return f"{_format(record['mean'])} {_interval(record)}"


def _format(value: float | None, sign: str = "") -> str:
    # Adding 0 turns a rounded -0.0 into 0.0.
    return "-" if value is None else f"{round(value, 3) + 0.0:{sign}.3f}"
