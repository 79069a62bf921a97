"""How the results are told in tables and notes, and how these look in a terminal.

A `Section` is one table with its title and notes, which text and page have in common.
"""

from __future__ import annotations

import math
import textwrap
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, TypeAlias

from skpostbac._utils import format_probability, is_shown, join_first, printable
from skpostbac.metrics._posteriors import describe_untested

Record: TypeAlias = dict[str, Any]

WIDTH = 96
# Classes listed with their numbers of samples.
SHOWN_CLASSES = 8
# Classifiers listed on standard error if their lower bounds are too low.
SHOWN_CLASSIFIERS = 5
# Probability that a classifier must be below to replace the baseline.
RISK = "5%"
# Columns of a table after the first; further columns go into a table below.
COLUMNS = 8

HINT = """\
To evaluate your own predictions, pass a CSV file with a column of true labels and one column
per classifier:
    skpostbac predictions.csv --truth COLUMN"""


# Cells of a table that combine several values of a record.
COMBINED: dict[str, Callable[[Record], Any]] = {
    "interval": lambda record: (record["low"], record["high"]),
    "pair": lambda record: f"{record['first']} - {record['second']}",
    "ranked": lambda record: f"{record['rank']} {record['name']}",
    "verdicts": lambda record: f"{record['positives']}/{record['total']}",
}


@dataclass(frozen=True)
class Section:
    """A table with a title above it and notes below."""

    title: str
    header: Sequence[str]
    values: Sequence[Sequence[Any]]
    """Strings, numbers, intervals as pairs of numbers, and None, row by row."""
    notes: Sequence[str] = ()
    sign: str = ""
    """A plus to show the sign of all numbers."""

    def blocks(self) -> Iterator[list[list[str]]]:
        """Yield the cells in parts that fit a page, each with its header and first column."""
        rows = [
            [self._format(*cell) for cell in zip(self.header, row, strict=True)]
            for row in self.values
        ]
        for start in range(1, len(self.header), COLUMNS):
            yield [[row[0], *row[start : start + COLUMNS]] for row in [self.header, *rows]]

    def _format(self, heading: str, value: Any) -> str:
        if isinstance(value, str):
            return printable(value)
        if isinstance(value, int):
            return str(value)
        if value is not None and heading.startswith("P("):
            return format_probability(value)
        return _format(value, self.sign)


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
    facts = "\n".join(
        _fill(f"{key:<9} {value}", indent=10) for key, value in describe_data(document).items()
    )
    text = "\n\n".join([facts, *map(_show, make_sections(document))]) + "\n"
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
    """Describe the data: truth, samples, classes and prior, or verdicts and judge."""
    data, source = document["data"], printable(document["data"]["source"])
    if judge := document.get("judge"):
        hits = ["{} {} of {}".format(name, *judge[name]) for name in ("sensitivity", "specificity")]
        return {
            "Verdicts": f"{data['n_samples']} rows of {source}; "
            f"positive: {printable(data['positive'])}",
            "Judge": f"{', '.join(hits)}; informedness {_estimate(judge['informedness'])}",
        }
    if "areas" in document:
        groups = data["groups"] and f" in groups (column {printable(data['groups'])})"
        return {
            "Truth": f"column {printable(data['truth'])} of {source}",
            "Samples": f"{data['n_samples']}{groups or ''}",
            "Positive": printable(data["positive"]),
        }
    samples, prior = f"{data['n_samples']}", document["settings"]["prior"]
    if data["n_left_out"]:
        samples += f" ({data['n_left_out']} from other classes left out)"
    if groups := data["groups"]:
        samples += f" in {groups['n_groups']} groups (column {printable(groups['column'])})"
    labels = [f"{printable(one['label'])} ({one['n_samples']})" for one in data["classes"]]
    return {
        "Truth": f"column {printable(data['truth'])} of {source}",
        "Samples": samples,
        "Classes": f"{data['n_classes']}: {join_first(labels, SHOWN_CLASSES)}",
        "Prior": prior if isinstance(prior, str) else f"Beta({prior[0]:g}, {prior[1]:g})",
    }


def make_sections(document: Record) -> list[Section]:
    """Return the tables of the results.

    Parameters
    ----------
    document : dict
        What `make_document` or `make_judge_document` returns.

    Returns
    -------
    sections : list of Section
        The posteriors, three tables of the comparison if there is one, and those of options; or
        the prevalences by a judge and their differences.
    """
    level = _level(document)
    interval = f"{level} interval"
    estimate = ["mean", "median", interval]
    if "judge" in document:
        return _judge_sections(document, interval)
    if "areas" in document:
        return _area_sections(document, interval)
    sections = [
        Section(
            f"Posterior of the {_name_score(document)} (accuracy, bal.acc.: sample values)",
            ["classifier", "accuracy", "bal.acc.", *estimate, f"{level} lower", "P(>chance)"],
            _rows(
                document["posteriors"],
                *("name", "accuracy", "balanced_accuracy", "mean", "median", "interval"),
                *("lower", "prob_above_chance"),
            ),
            _posterior_notes(document),
        )
    ]
    if document["comparison"]:
        sections += _comparison_sections(document, interval)
    if gate := document["gate"]:
        sections.append(_gate_section(document, gate, interval))
    if record := document["selected"]:
        title = f"Best of {record['n_candidates']}, corrected for selection"
        header = ["classifier", "mean", interval, "optimism", "uncorrected", interval]
        corrected, uncorrected = _rows([record, record["uncorrected"]], "mean", "interval")
        row = [record["name"], *corrected, record["optimism"], *uncorrected]
        note = "The best of several classifiers has also been lucky; optimism estimates this bias."
        sections.append(Section(title, header, [row], [note]))
    if subgroups := document["subgroups"]:
        column = printable(subgroups["column"])
        header = [column, "samples", *estimate, "P(worst)"]
        for record in subgroups["classifiers"]:
            keys = ("name", "n_samples", "mean", "median", "interval", "prob_worst")
            gap, worst = _estimate(record["gap"]), _estimate(record["worst"])
            note = f"Gap between best and worst group: {gap}; worst group: {worst}."
            title, rows = f"{_name(record)}, by {column}", _rows(record["groups"], *keys)
            sections.append(Section(title, header, rows, [note]))
    return sections


def _rows(records: Iterable[Record], *keys: str) -> list[list[Any]]:
    """Return the values of these keys, row by row."""
    return [
        [COMBINED[key](record) if key in COMBINED else record[key] for key in keys]
        for record in records
    ]


def _posterior_notes(document: Record) -> list[str]:
    records, data = document["posteriors"], document["data"]
    notes = ["Less is better."] if data["less_is_better"] else []
    if data["n_classes"] == 1:
        notes = ["There is only one class: this is its recall, not a balanced accuracy."]
    elif data["chance"] is not None:
        prior_probability = format_probability(records[0]["prior_prob_above_chance"])
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
        borrow = document["settings"]["prior"] == "hierarchical"
        notes.append(
            printable(describe_untested(untested, borrow=borrow, leave_out_with="--labels"))
        )
    if grouped := [record for record in records if record["groups"]]:
        for record in grouped:
            name = f"{_name(record)}: " if len(grouped) > 1 else ""
            notes.append(name + printable(record["groups"]["worth"]))
        doubts = (note for record in grouped for note in record["groups"]["doubts"])
        notes += map(printable, dict.fromkeys(doubts))  # each once
    if data["ids"] and data["ids"]["note"]:
        notes.append(printable(data["ids"]["note"]))
    return notes


def _comparison_sections(document: Record, interval: str) -> list[Section]:
    """Return the tables of probabilities, of differences and of the ranking."""
    comparison, rope = document["comparison"], document["settings"]["rope"]
    matrix = comparison["prob_greater"]
    probabilities = [
        [f"{rank} {name}", *("-" if b == name else format_probability(row[b]) for b in matrix)]
        for rank, (name, row) in enumerate(matrix.items(), 1)
    ]
    header = ["first - second", "mean", interval]
    differences = _rows(comparison["pairs"], "pair", "mean", "interval")
    if rope > 0:
        header += [f"P(<-{rope:g})", "P(within)", f"P(>{rope:g})"]
        for row, pair in zip(differences, comparison["pairs"], strict=True):
            row += pair["rope"].values()
    error = max(record["prob_best_error"] for record in document["ranking"])
    drawn = (
        f"P(best) is estimated from random draws, with a standard error of up to about {error:.1g}."
    )
    kinds = ("prob_greater_error",), ("mean_error",), ("low_error", "high_error")
    errors = [max(pair[key] for pair in comparison["pairs"] for key in keys) for keys in kinds]
    notes = []
    if document["data"]["less_is_better"]:
        notes.append("Less is better: a positive number is by how much less the first has.")
    width = min(pair["high"] - pair["low"] for pair in comparison["pairs"])
    if any(is_shown(error, width) for error in errors) and errors[1]:
        notes.append(
            "Probabilities, means and ends of intervals are estimated from random draws, with "
            "standard errors of up to about {:.1g}, {:.1g} and {:.1g}.".format(*errors)
        )
    return [
        Section(
            "Comparison: probability that the row is better than the column",
            ["classifier", *map(str, range(1, len(matrix) + 1))],
            probabilities,
            [comparison["note"]],
        ),
        Section(
            f"Difference in {printable(document['data']['score'])}",
            header,
            differences,
            notes,
            sign="+",
        ),
        Section(
            "Ranking by posterior mean",
            ["classifier", "P(best)", "expected rank", "expected loss", "mean"],
            _rows(
                document["ranking"],
                *("ranked", "prob_best", "expected_rank", "expected_loss", "mean"),
            ),
            [drawn] if is_shown(error) else [],
        ),
    ]


def _gate_section(document: Record, gate: Record, interval: str) -> Section:
    """Return the table of the losses against the baseline."""
    score = printable(document["data"]["score"])
    title = f"Loss in {score} against {printable(gate['baseline'])}"
    header = ["classifier", "mean", interval, f"P(>{gate['max_loss']:g})", "gate"]
    rows = _rows(gate["candidates"], "name", "mean", "interval", "prob_too_large")
    for row, record in zip(rows, gate["candidates"], strict=True):
        row.append("passed" if record["passed"] else "failed")
    note = f"A classifier passes if a loss of more than {gate['max_loss']:g} has less than {RISK}."
    return Section(title, header, rows, [note], sign="+")


def _judge_sections(document: Record, interval: str) -> list[Section]:
    """Return the tables of the prevalences of judged systems, and of their differences."""
    records, differences = document["prevalences"], document["differences"]
    prevalences = Section(
        "Posterior of the share of positives, corrected for the errors of the judge",
        ["system", "positive verdicts", "mean", "median", interval, "P(<0 or >1)"],
        _rows(records, "name", "verdicts", "mean", "median", "interval", "outside"),
        [printable(f"{r['name']}: {r['note']}.") for r in records if r["note"]],
    )
    title = "Difference in the share of positives, same judge"
    header = ["first - second", "mean", interval, "P(first > second)"]
    rows = _rows(differences, "pair", "mean", "interval", "prob_greater")
    return [prevalences, *([Section(title, header, rows, sign="+")] if differences else [])]


def _area_sections(document: Record, interval: str) -> list[Section]:
    """Return the tables of the areas under both curves, and of their differences."""
    sections = []
    for metric, name in (("roc_auc", "ROC AUC"), ("average_precision", "average precision")):
        records, differences = (
            [record for record in document[key] if record["metric"] == metric]
            for key in ("areas", "differences")
        )
        header = ["classifier", "samples", "mean", "median", interval]
        rows = _rows(records, "name", "observed", "mean", "median", "interval")
        sections.append(Section(f"Posterior of the {name} (samples: sample values)", header, rows))
        if differences:
            header = ["first - second", "mean", interval, "P(first > second)"]
            rows = _rows(differences, "pair", "mean", "interval", "prob_greater")
            sections.append(Section(f"Difference in {name}, same samples", header, rows, sign="+"))
    return sections


def describe_failures(document: Record) -> list[str]:
    """Return a line each on low bounds (``--fail-below``) and on large losses (``--max-loss``)."""
    lines = [_describe_failed(document)] if document["failed"] else []
    if (gate := document["gate"]) and not gate["passed"]:
        failed = [
            f"{_name(record)} {format_probability(record['prob_too_large'])}"
            for record in gate["candidates"]
            if not record["passed"]
        ]
        lines.append(
            f"P(loss in {_name_score(document)} against {printable(gate['baseline'])} > "
            f"{gate['max_loss']:.12g}) is not below {RISK}: {join_first(failed, SHOWN_CLASSIFIERS)}"
        )
    return lines


def _describe_failed(document: Record) -> str:
    """Return one line with the lower bounds that are below ``--fail-below``."""
    bounds = [
        # Rounded down, so that it is not shown as the value that it is below.
        f"{_name(record)} {_format(math.floor(1000 * record['lower']) / 1000)}"
        for record in document["posteriors"]
        if record["name"] in document["failed"]
    ]
    return (
        f"{_level(document)} lower bound of the {_name_score(document)} below "
        f"{document['settings']['fail_below']:.12g}: {join_first(bounds, SHOWN_CLASSIFIERS)}"
    )


def _name_score(document: Record) -> str:
    """Return the name of the score, which is a recall for a single class."""
    data = document["data"]
    if data["n_classes"] > 1:
        return printable(data["score"])
    return f"recall of {printable(data['classes'][0]['label'])}"


def _level(document: Record) -> str:
    return f"{100 * document['settings']['level']:.12g}%"


def _name(record: Record) -> str:
    return printable(record["name"])


def _estimate(record: Record) -> str:
    return f"{_format(record['mean'])} {_format((record['low'], record['high']))}"


def _format(value: Any, sign: str = "") -> str:
    """Format a number or an interval with three decimals."""
    if isinstance(value, tuple):
        low, high = (_format(end, sign) for end in value)
        return f"[{low}, {high}]"
    # Adding 0 turns a rounded -0.0 into 0.0.
    return "-" if value is None else f"{round(value, 3) + 0.0:{sign}.3f}"
