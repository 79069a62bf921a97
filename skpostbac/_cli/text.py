"""How the results are told in tables and notes, and how these look in a terminal.

A `Section` is one table with its title and notes, which text and page have in common.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from skpostbac._cli.arguments import LARGEST_RISK
from skpostbac._cli.results import Record
from skpostbac._utils import (
    describe_strays,
    format_probability,
    is_shown,
    join_first,
    printable,
)
from skpostbac.metrics._advice import describe_untested

TEXT_WIDTH = 96
# Columns of a terminal that a table may take, and the least that is left of its first
# column, whose text is wrapped.
TABLE_WIDTH = 100
LEAST_NAME = 24
# Classes listed with their numbers of samples.
LISTED_CLASSES = 8
# Classifiers listed on standard error if their lower bounds are too low, and in notes.
SHOWN_CLASSIFIERS = 5
# Columns of a table after the first; further columns go into a table below.
COLUMNS = 8

HINT = (
    "To evaluate your own predictions, pass a CSV file with a column of true labels "
    "and one column\nper classifier:\n    skpostbac predictions.csv --truth COLUMN"
)


# Cells of a table that combine several values of a record.
COMBINED: dict[str, Callable[[Record], Any]] = {
    "interval": lambda record: (record["low"], record["high"]),
    "pair": lambda record: f"{record['first']} - {record['second']}",
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
    signed: Collection[str] = ()
    """Headings of the columns of differences, whose numbers show their signs."""
    is_folded: bool = False
    """Whether the page folds this, and the text leaves it out unless asked."""

    def __post_init__(self) -> None:
        """Check that columns of differences exist and are no probabilities."""
        for heading in self.signed:
            if heading not in self.header or _is_probability(heading):
                raise ValueError(f"{heading!r} is no column of differences")

    def blocks(self) -> Iterator[list[list[str]]]:
        """Yield the cells in parts that fit a page, with header and first column."""
        rows = [
            [self._format(*cell) for cell in zip(self.header, row, strict=True)]
            for row in self.values
        ]
        for start in range(1, len(self.header), COLUMNS):
            yield [
                [row[0], *row[start : start + COLUMNS]] for row in [self.header, *rows]
            ]

    def _format(self, heading: str, value: Any) -> str:
        if isinstance(value, str):
            return printable(value)
        if isinstance(value, int):
            return str(value)
        if value is not None and _is_probability(heading):
            return format_probability(value)
        return _format(value, "+" if heading in self.signed else "")


def _is_probability(heading: str) -> bool:
    """Return whether a column has probabilities, as its heading says."""
    return heading.startswith(("P(", "p-"))


def render(document: Record, all_pairs: bool = False) -> str:
    """Render the results as text.

    Parameters
    ----------
    document : dict
        What `make_document`, `make_judge_document` or `make_scores_document` returns.
    all_pairs : bool, default=False
        Whether to show the sections that are folded.

    Returns
    -------
    text : str
        Paragraphs and tables.
    """
    facts = "\n".join(
        _fill(f"{key:<9} {value}", indent=10)
        for key, value in describe_data(document).items()
    )
    shown = [one for one in make_sections(document) if all_pairs or not one.is_folded]
    text = "\n\n".join([facts, *map(_show, shown)]) + "\n"
    if document["data"].get("example"):
        return f"{_fill(document['data']['description'])}\n\n{text}\n{HINT}\n"
    return text


def _show(section: Section) -> str:
    """Render a table: its first column to the left, the others to the right."""
    blocks = []
    for cells in section.blocks():
        others = [
            max(map(_text_width, column)) + 2 for column in zip(*cells, strict=True)
        ][1:]
        room = max(TABLE_WIDTH - sum(others), LEAST_NAME)
        names = [textwrap.wrap(row[0], room, subsequent_indent="  ") for row in cells]
        rows = []
        for (first, *rest), row in zip(names, cells, strict=True):
            rows += [[first, *row[1:]], *([one, *[""] * len(others)] for one in rest)]
        widths = [max(map(_text_width, column)) for column in zip(*rows, strict=True)]
        lines = []
        for row in rows:
            gaps = [
                " " * (w - _text_width(text))
                for text, w in zip(row, widths, strict=True)
            ]
            lines.append(
                "  ".join([row[0] + gaps[0], *map(str.__add__, gaps[1:], row[1:])])
            )
        rule = "-" * max(map(_text_width, lines))
        blocks.append(
            "\n".join(
                [
                    _fill(section.title),
                    lines[0].rstrip(),
                    rule,
                    *map(str.rstrip, lines[1:]),
                ]
            )
        )
    return "\n".join(["\n\n".join(blocks), *map(_fill, section.notes)])


def _text_width(text: str) -> int:
    """Return the number of terminal columns that the text takes."""
    return sum(
        0
        if unicodedata.combining(char)
        else 1 + (unicodedata.east_asian_width(char) in "WF")
        for char in text
    )


def _fill(text: str, indent: int = 0) -> str:
    """Wrap the text, but keep an option and its value on one line, to be copied."""
    bound = re.sub(r"(--[\w-]+) (?=\w)", "\\1\0", text)
    filled = textwrap.fill(
        bound,
        TEXT_WIDTH,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return filled.replace("\0", " ")


def describe_data(document: Record) -> dict[str, str]:
    """Describe the data: truth, samples, classes and prior, or verdicts and judge."""
    data = document["data"]
    source = printable(document["data"]["source"])
    if judge := document.get("judge"):
        hits = [
            "{} {} of {}".format(name, *judge[name])
            for name in ("sensitivity", "specificity")
        ]
        return {
            "Verdicts": f"{data['n_samples']} rows of {source}; "
            f"positive: {printable(data['positive'])}",
            "Judge": "; informedness ".join(
                [", ".join(hits), _estimate(judge["informedness"])]
            ),
        }
    if "areas" in document:
        groups = data["groups"] and f" in groups (column {printable(data['groups'])})"
        return {
            "Truth": f"column {printable(data['truth'])} of {source}",
            "Samples": f"{data['n_samples']}{groups or ''}",
            "Positive": printable(data["positive"]),
        }
    samples = f"{data['n_samples']}"
    prior = document["settings"]["prior"]
    if data["n_left_out"]:
        samples += f" ({data['n_left_out']} from other classes left out)"
    if groups := data["groups"]:
        samples += (
            f" in {groups['n_groups']} groups (column {printable(groups['column'])})"
        )
    labels = [
        f"{repr(label) if label != label.strip() else printable(label)} ({n})"
        for label, n in _rows(data["classes"], "label", "n_samples")
    ]
    if left_out := list(map(printable, data["columns_left_out"])):
        source += (
            "; columns left out, as at least a third of the values are none of the "
            f"classes: {join_first(left_out, LISTED_CLASSES)}"
        )
    return {
        "Truth": f"column {printable(data['truth'])} of {source}",
        "Samples": samples,
        "Classes": f"{data['n_classes']}: {join_first(labels, LISTED_CLASSES)}",
        "Prior": prior
        if isinstance(prior, str)
        else f"Beta({prior[0]:g}, {prior[1]:g})",
    }


def make_sections(document: Record) -> list[Section]:
    """Return the tables of the results.

    Parameters
    ----------
    document : dict
        What `make_document`, `make_judge_document` or `make_scores_document` returns.

    Returns
    -------
    sections : list of Section
        The ranking and the differences from the best if there are several classifiers,
        the posteriors, and the tables of options; or the prevalences by a judge, or the
        areas under curves, and their differences.
    """
    level = _level(document)
    interval = f"{level} CI"
    estimate = ["mean", "median", interval]
    if "judge" in document:
        return _judge_sections(document, interval)
    if "areas" in document:
        return _area_sections(document, interval)
    sections = (
        _comparison_sections(document, interval) if document["comparison"] else []
    )
    columns = {"classifier": "name", "samples": "observed"}
    if has_chance := document["data"]["chance"] is not None:
        columns = {
            "classifier": "name",
            "accuracy": "accuracy",
            "bal.acc.": "balanced_accuracy",
        }
    of_samples = ", ".join(list(columns)[1:])
    columns |= {
        "mean": "mean",
        "median": "median",
        interval: "interval",
        f"{level} lower": "lower",
    }
    if has_chance:
        columns["p-value"] = "guessing_p_value"
    records = _best_first(document, document["posteriors"])
    sections.append(
        Section(
            f"Posterior of the {_name_score(document)} ({of_samples}: sample values)",
            list(columns),
            _rows(records, *columns.values()),
            _posterior_notes(document),
        )
    )
    if gate := document["gate"]:
        sections.append(_gate_section(document, gate, interval))
    if record := document["selected"]:
        title = f"Best of {record['n_candidates']}, corrected for selection"
        header = ["classifier", "mean", interval, "optimism", "uncorrected", interval]
        corrected, uncorrected = _rows(
            [record, record["uncorrected"]], "mean", "interval"
        )
        row = [record["name"], *corrected, record["optimism"], *uncorrected]
        note = (
            "The best of several classifiers has also been lucky; optimism estimates "
            "this bias."
        )
        sections.append(Section(title, header, [row], [note]))
    if subgroups := document["subgroups"]:
        column = printable(subgroups["column"])
        header = [column, "samples", *estimate, "P(worst)"]
        by_name = {record["name"]: record for record in subgroups["classifiers"]}
        for record in map(by_name.__getitem__, _numbers(document)):
            keys = ("name", "n_samples", "mean", "median", "interval", "prob_worst")
            gap = _estimate(record["gap"])
            worst = _estimate(record["worst"])
            note = f"Gap between best and worst group: {gap}; worst group: {worst}."
            title = f"{_name(record)}, by {column}"
            rows = _rows(record["groups"], *keys)
            sections.append(Section(title, header, rows, [note]))
    return sections


def _rows(records: Iterable[Record], *keys: str) -> list[list[Any]]:
    """Return the values of these keys, row by row."""
    return [
        [COMBINED[key](record) if key in COMBINED else record[key] for key in keys]
        for record in records
    ]


def _numbers(document: Record) -> dict[str, str]:
    """Return the names of the classifiers, best first, with ranks if several.

    The ranks are right-aligned.
    """
    if document["ranking"] is None:
        return {record["name"]: record["name"] for record in document["posteriors"]}
    width = len(str(len(document["ranking"])))
    return {
        one["name"]: f"{one['rank']:{width}} {one['name']}"
        for one in document["ranking"]
    }


def _best_first(document: Record, records: Iterable[Record]) -> list[Record]:
    """Return the records of classifiers, best first and with numbered names."""
    by_name = {record["name"]: record for record in records}
    return [
        {**by_name[name], "name": number}
        for name, number in _numbers(document).items()
        if name in by_name
    ]


def _first(notes: list[str]) -> list[str]:
    """Return the first of many notes of one kind."""
    more = len(notes) - SHOWN_CLASSIFIERS
    return (
        [*notes[:SHOWN_CLASSIFIERS], f"{more} more such notes."] if more > 0 else notes
    )


def _posterior_notes(document: Record) -> list[str]:
    data = document["data"]
    by_name = {record["name"]: record for record in document["posteriors"]}
    records = [by_name[name] for name in _numbers(document)]
    notes = ["Lower is better."] if data["less_is_better"] else []
    if data["n_classes"] == 1:
        notes = [
            "There is only one class: this is its recall, not a balanced accuracy."
        ]
    elif data["chance"] is not None:
        level = f"{data['chance']:.3f}"
        notes = [f"p-value: of the test against guessing (chance level {level})."]
        if document["settings"]["fail_below"] is not None:
            notes.append(
                "With two classes, a 95% lower bound is above the true value in less "
                "than 5% of test sets on average, but in up to 12% where a small class "
                "is hard."
            )
    notes += _first(
        [
            f"{_name(record)}: {printable(record['constant'])}"
            for record in records
            if record["constant"]
        ]
    )
    classes = [one["label"] for one in data["classes"]]
    unseen = [
        f"{_name(record)}: {describe_strays(list(record['unseen']), number, classes)}."
        for record in records
        if (number := record["n_unseen"])
    ]
    notes += _first(unseen)
    if dominated := [record for record in records if record["remedy"]]:
        worst = min(dominated, key=itemgetter("expected_coverage"))
        # prior='name' becomes an option, and other names lose their quotes.
        remedy = worst["remedy"].replace("prior=", "--prior ").replace("'", "")
        notes.append(
            "95% intervals would contain the balanced accuracy in about "
            f"{worst['expected_coverage']:.0%} of test sets like this one: {remedy}."
        )
    if untested := records[0]["untested"]:  # the same for all classifiers
        note = describe_untested(untested, leave_out_with="--labels")
        notes.append(printable(note))
    if grouped := [record for record in records if record["groups"]]:
        names = [f"{_name(record)}: " if len(grouped) > 1 else "" for record in grouped]
        worths = [printable(record["groups"]["worth"]) for record in grouped]
        notes += _first(list(map(str.__add__, names, worths)))
        doubts = (note for record in grouped for note in record["groups"]["doubts"])
        notes += _first(list(map(printable, dict.fromkeys(doubts))))  # each once
    if data["ids"] and data["ids"]["note"]:
        notes.append(printable(data["ids"]["note"]))
    return notes


def _comparison_sections(document: Record, interval: str) -> list[Section]:
    """Return the ranking, the differences from the best, and all others, folded."""
    sections = [_ranking_section(document), _best_section(document, interval)]
    if len(_numbers(document)) > 2:
        sections += [_others_section(document, interval), _matrix_section(document)]
    return sections


def _ranking_section(document: Record) -> Section:
    """Return the table of probabilities of being the best, ranks and losses."""
    keys = ("name", "prob_best", "expected_rank", "expected_loss", "mean")
    error = max(record["prob_best_error"] for record in document["ranking"])
    drawn = (
        "P(best) is estimated from random draws, with a standard error of up to about "
        f"{error:.1g}."
    )
    return Section(
        "Ranking by posterior mean",
        ["classifier", "P(best)", "expected rank", "expected loss", "mean"],
        _rows(_best_first(document, document["ranking"]), *keys),
        [drawn] if is_shown(error) else [],
    )


def _best_section(document: Record, interval: str) -> Section:
    """Return the table of differences from the best."""
    numbers = _numbers(document)
    best, label = next(iter(numbers.items()))
    pairs = document["comparison"]["pairs"]
    return Section(
        f"{_difference_title(document)}: {_minus(document, label, 'other')}",
        ["other", *_difference_header(document, interval)],
        [
            [numbers[pair["second"]], *_difference_cells(document, pair)]
            for pair in pairs
            if pair["first"] == best
        ],
        [*_difference_notes(document), document["comparison"]["note"]],
        signed=("mean", interval),
    )


def _others_section(document: Record, interval: str) -> Section:
    """Return the table of differences between all others than the best."""
    numbers = _numbers(document)
    best = next(iter(numbers))
    rows = []
    for pair in document["comparison"]["pairs"]:
        if pair["first"] != best:
            names = numbers[pair["first"]], numbers[pair["second"]]
            cells = _difference_cells(document, pair)
            rows.append([_minus(document, *names), *cells])
    return Section(
        f"{_difference_title(document)}: all other pairs",
        [
            _minus(document, "first", "second"),
            *_difference_header(document, interval),
        ],
        rows,
        signed=("mean", interval),
        is_folded=True,
    )


def _matrix_section(document: Record) -> Section:
    """Return the table of the probabilities of all pairs."""
    matrix = document["comparison"]["prob_greater"]
    numbers = _numbers(document)
    rows = []
    for a, name in numbers.items():
        cells = ["-" if a == b else format_probability(matrix[a][b]) for b in numbers]
        rows.append([name, *cells])
    return Section(
        "All pairs: probability that the row is better than the column",
        ["classifier", *map(str, range(1, len(numbers) + 1))],
        rows,
        is_folded=True,
    )


def _difference_title(document: Record) -> str:
    return f"Difference in {printable(document['data']['score'])}"


def _difference_header(document: Record, interval: str) -> list[str]:
    """Return the headings of a difference, its interval and its probabilities."""
    header = ["mean", interval, "P(>0)"]
    if (rope := document["settings"]["rope"]) > 0:
        header += [f"P(<-{rope:g})", "P(within)", f"P(>{rope:g})"]
    return header


def _difference_cells(document: Record, pair: Record) -> list[Any]:
    """Return the cells below the headings of a difference."""
    probability = document["comparison"]["prob_greater"][pair["first"]][pair["second"]]
    masses = pair["rope"].values() if document["settings"]["rope"] > 0 else []
    return [*_rows([pair], "mean", "interval")[0], probability, *masses]


def _difference_notes(document: Record) -> list[str]:
    """Return the notes on the direction of a metric and on random draws."""
    notes = ["Lower is better."] if document["data"]["less_is_better"] else []
    pairs = document["comparison"]["pairs"]
    kinds = ("prob_greater_error",), ("mean_error",), ("low_error", "high_error")
    errors = [max(pair[key] for pair in pairs for key in keys) for keys in kinds]
    width = min(pair["high"] - pair["low"] for pair in pairs)
    if any(is_shown(error, width) for error in errors) and errors[1]:
        shown = "{:.1g}, {:.1g} and {:.1g}".format(*errors)
        notes.append(
            "Probabilities, means and ends of intervals are estimated from random "
            f"draws, with standard errors of up to about {shown}."
        )
    return notes


def _minus(document: Record, better: str, other: str) -> str:
    """Name the difference, which is positive if the first is better."""
    terms = [printable(better.strip()), printable(other.strip())]
    return " - ".join(terms[::-1] if document["data"]["less_is_better"] else terms)


def _gate_section(document: Record, gate: Record, interval: str) -> Section:
    """Return the table of the losses against the baseline."""
    score = printable(document["data"]["score"])
    title = f"Loss in {score} against {printable(gate['baseline'])}"
    header = ["classifier", "mean", interval, f"P(>{gate['max_loss']:g})", "gate"]
    candidates = _best_first(document, gate["candidates"])
    rows = _rows(candidates, "name", "mean", "interval", "prob_too_large")
    for row, record in zip(rows, candidates, strict=True):
        row.append("passed" if record["passed"] else "failed")
    note = (
        "A classifier passes if the probability of losing more than "
        f"{gate['max_loss']:g} is below {LARGEST_RISK:.0%}."
    )
    return Section(title, header, rows, [note], signed=("mean", interval))


def _judge_sections(document: Record, interval: str) -> list[Section]:
    """Return the tables of the prevalences of systems and of their differences."""
    records = document["prevalences"]
    differences = document["differences"]
    prevalences = Section(
        "Posterior of the share of positives, corrected for the errors of the judge",
        ["system", "positive verdicts", "mean", "median", interval, "P(<0 or >1)"],
        _rows(records, "name", "verdicts", "mean", "median", "interval", "outside"),
        [printable(f"{r['name']}: {r['note']}.") for r in records if r["note"]],
    )
    title = "Difference in the share of positives, if the judge errs equally on both"
    return [prevalences, *_difference_sections(title, differences, interval)]


def _difference_sections(
    title: str, differences: Sequence[Record], interval: str
) -> Iterator[Section]:
    """Yield the differences from the best, then those of other pairs, folded."""
    header = ["first - second", "mean", interval, "P(first > second)"]
    rows = _rows(differences, "pair", "mean", "interval", "prob_greater")
    n_best = sum(record["first"] == differences[0]["first"] for record in differences)
    if differences:
        yield Section(title, header, rows[:n_best], signed=("mean", interval))
    if len(differences) > n_best:
        yield Section(
            f"{title}: all other pairs",
            header,
            rows[n_best:],
            signed=("mean", interval),
            is_folded=True,
        )


def _area_sections(document: Record, interval: str) -> list[Section]:
    """Return the tables of the areas under both curves, and of their differences."""
    sections = []
    for metric, name in (
        ("roc_auc", "ROC AUC"),
        ("average_precision", "average precision"),
    ):
        records, differences = (
            [record for record in document[key] if record["metric"] == metric]
            for key in ("areas", "differences")
        )
        header = ["classifier", "samples", "mean", "median", interval]
        keys = ["name", "observed", "mean", "median", "interval"]
        if differences:
            header = [*header, "P(best)"]
            keys = [*keys, "prob_best"]
        rows = _rows(sorted(records, key=itemgetter("mean"), reverse=True), *keys)
        sections.append(
            Section(f"Posterior of the {name} (samples: sample values)", header, rows)
        )
        title = f"Difference in {name}, same samples"
        sections += _difference_sections(title, differences, interval)
    return sections


def describe_failures(document: Record) -> list[str]:
    """Return a line on low bounds and one on large losses, if there are any."""
    lines = [_describe_failed(document)] if document["failed"] else []
    if (gate := document["gate"]) and not gate["passed"]:
        failed = [
            f"{_name(record)} {format_probability(record['prob_too_large'])}"
            for record in gate["candidates"]
            if not record["passed"]
        ]
        lines.append(
            f"P(loss in {_name_score(document)} against {printable(gate['baseline'])} "
            f"> {gate['max_loss']:.12g}) is not below {LARGEST_RISK:.0%}: "
            f"{join_first(failed, SHOWN_CLASSIFIERS)}"
        )
    return lines


def _describe_failed(document: Record) -> str:
    """Return one line with the lower bounds that are below ``--fail-below``."""
    bound = document["settings"]["fail_below"]
    bounds = []
    by_name = {record["name"]: record for record in document["posteriors"]}
    for record in map(by_name.__getitem__, _numbers(document)):
        if record["name"] in document["failed"]:
            # As in the table, with more digits if it would be shown as the value that
            # it is below.
            shown = (f"{record['lower']:.{digits}f}" for digits in range(3, 17))
            fitting = next(
                (text for text in shown if float(text) < bound), repr(record["lower"])
            )
            bounds.append(f"{_name(record)} {fitting}")
    return (
        f"{_level(document)} lower bound of the {_name_score(document)} below "
        f"{document['settings']['fail_below']:.12g}: "
        f"{join_first(bounds, SHOWN_CLASSIFIERS)}"
    )


def _name_score(document: Record) -> str:
    """Return the name of the score, which is a recall for a single class."""
    data = document["data"]
    if data["n_classes"] > 1:
        return printable(data["score"])
    return f"recall of class {printable(data['classes'][0]['label'])}"


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
