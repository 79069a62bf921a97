"""Answers: a document for JSON, and tables that text and page render.

A `Section` describes a table once.
"""

from __future__ import annotations

import math
import re
import textwrap
import unicodedata
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from skpostbac import __version__
from skpostbac._cli.arguments import OPTIONS
from skpostbac._utils import format_probability, printable

Record: TypeAlias = dict[str, Any]

TEXT_WIDTH = 96
# Columns of a terminal that a table may take, and the least that is left of its first
# column, whose text is wrapped.
TABLE_WIDTH = 100
LEAST_NAME = 24


@dataclass(frozen=True)
class Section:
    """A table with a title above it and notes below."""

    title: str
    columns: Mapping[str, str]
    """Keys of the records by heading; "interval" is that from "low" to "high"."""
    records: Sequence[Record]
    notes: Sequence[str] = ()
    is_difference: bool = False
    """Whether means and intervals are of differences, and show their signs."""
    is_folded: bool = False
    """Whether the page folds this, and the text leaves it out unless asked."""

    def cells(self) -> list[list[str]]:
        """Return the rows as text, the headings first."""
        rows = [
            [self._format(record, *column) for column in self.columns.items()]
            for record in self.records
        ]
        return [list(map(printable, self.columns)), *rows]

    def _format(self, record: Record, heading: str, key: str) -> str:
        sign = "+" if self.is_difference else ""
        if key == "interval":
            return format_interval(record, sign)
        value = record[key]
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, str | int):
            return printable(str(value))
        if value is not None and heading.startswith(("P(", "p-")):
            return format_probability(value)
        return _number(value, sign if key == "mean" else "")


@dataclass(frozen=True)
class Answer:
    """The results of a question."""

    document: Record
    """What ``--json`` prints."""
    facts: Mapping[str, str]
    """What the data are."""
    sections: Sequence[Section]
    failures: Sequence[str] = ()
    """What does not pass a gate, a line each."""
    evaluation: Any = None
    """What plots and page show, of predicted labels."""


def make_document(args: Namespace, data: Record, **results: Any) -> Record:
    """Return the document of a question: version, data, options and results."""
    settings = {name: getattr(args, name) for name in OPTIONS[args.question].split()}
    settings["level"] = args.level
    document = {"version": __version__, "data": data, "settings": settings, **results}
    return dict(_to_json(document))


def _to_json(value: Any) -> Any:
    """Return the value in the types of JSON, which has finite numbers only."""
    if isinstance(value, dict):
        return {key: _to_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return list(map(_to_json, value))
    if isinstance(value, np.ndarray | np.generic):
        return _to_json(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _number(value: float | None, sign: str = "") -> str:
    if value is None or not math.isfinite(value):
        return "-"
    return f"{value:{sign}z.3f}"


def format_interval(record: Record, sign: str = "") -> str:
    """Format the interval of a record."""
    return f"[{_number(record['low'], sign)}, {_number(record['high'], sign)}]"


def format_estimate(record: Record) -> str:
    """Format the mean of a record and its interval."""
    return f"{_number(record['mean'])} {format_interval(record)}"


def percent(level: float) -> str:
    """Format the probability of an interval.

    Examples
    --------
    >>> percent(0.95)
    '95%'
    """
    return f"{100 * level:.12g}%"


def ranked(records: Sequence[Record]) -> list[Record]:
    """Return records with labels: the names, with ranks if there are several."""
    if len(records) == 1:
        return [{**record, "label": record["name"]} for record in records]
    width = len(str(len(records)))
    return [
        {**record, "label": f"{rank:{width}} {record['name']}"}
        for rank, record in enumerate(records, 1)
    ]


def difference_sections(
    title: str,
    differences: Sequence[Record],
    ranking: Sequence[Record],
    args: Namespace,
    *,
    less_is_better: bool = False,
) -> Iterator[Section]:
    """Yield the differences from the best, then those of all other pairs, folded.

    Parameters
    ----------
    title : str
        What differs.
    differences : sequence of dict
        By pair, in the order of the ranking.
    ranking : sequence of dict
        What `ranked` returns.
    args : Namespace
        Arguments of the command line, such as the level of the intervals.
    less_is_better : bool, default=False
        Whether the differences are second minus first.
    """
    if not differences:
        return
    labels = {record["name"]: record["label"] for record in ranking}
    minus = "{1} - {0}" if less_is_better else "{0} - {1}"
    rows = []
    for one in differences:
        second = labels[one["second"]]
        pair = minus.format(labels[one["first"]].strip(), second.strip())
        rows.append({**one, "second": second, "pair": pair})
    columns = {"mean": "mean", f"{percent(args.level)} CI": "interval"}
    columns["P(>0)"] = "prob_greater"
    if rope := args.rope:
        columns |= {f"P(<-{rope:g})": "below", "P(within)": "within"}
        columns[f"P(>{rope:g})"] = "above"
    n_best = len(ranking) - 1
    best = minus.format(ranking[0]["label"].strip(), "other")
    of_best = {"other": "second", **columns}
    yield Section(f"{title}: {best}", of_best, rows[:n_best], is_difference=True)
    if rows[n_best:]:
        yield Section(
            f"{title}: all other pairs",
            {minus.format("first", "second"): "pair", **columns},
            rows[n_best:],
            is_difference=True,
            is_folded=True,
        )


def render_text(answer: Answer, show_all: bool) -> str:
    """Render the results for a terminal.

    Parameters
    ----------
    answer : Answer
        The results.
    show_all : bool
        Whether to show the sections that are folded.

    Returns
    -------
    text : str
        Paragraphs and tables.
    """
    facts = [
        fill(f"{key:<9} {value}", indent=10) for key, value in answer.facts.items()
    ]
    shown = [one for one in answer.sections if show_all or not one.is_folded]
    return "\n\n".join(["\n".join(facts), *map(_render_section, shown)]) + "\n"


def _render_section(section: Section) -> str:
    """Render a table: its first column to the left, the others to the right."""
    names, *columns = zip(*section.cells(), strict=True)
    cells = [_pad(column, str.rjust) for column in columns]
    room = TABLE_WIDTH - sum(2 + _text_width(column[0]) for column in cells)
    wrapped = [
        textwrap.wrap(name, max(room, LEAST_NAME), subsequent_indent="  ")
        for name in names
    ]
    starts = _pad([first for first, *_ in wrapped], str.ljust)
    rows = []
    for start, (_, *rest), *others in zip(starts, wrapped, *cells, strict=True):
        rows.append("\n".join(["  ".join([start, *others]).rstrip(), *rest]))
    rule = "-" * max(_text_width(line) for row in rows for line in row.split("\n"))
    lines = [fill(section.title), rows[0], rule, *rows[1:], *map(fill, section.notes)]
    return "\n".join(lines)


def _pad(cells: Sequence[str], justify: Callable[[str, int], str]) -> list[str]:
    """Pad texts to the same number of terminal columns."""
    width = max(map(_text_width, cells))
    return [justify(text, width + len(text) - _text_width(text)) for text in cells]


def _text_width(text: str) -> int:
    """Return the number of terminal columns that the text takes."""
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(unicodedata.combining(char) > 0 for char in text)


def fill(text: str, indent: int = 0) -> str:
    """Wrap a printable text; an option and its value stay on one line, to be copied."""
    bound = re.sub(r"(--[\w-]+) (?=\w)", "\\1\0", printable(text))
    filled = textwrap.fill(
        bound,
        TEXT_WIDTH,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return filled.replace("\0", " ")
