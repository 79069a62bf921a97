"""The document as aligned plain text."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Sequence
from operator import itemgetter
from typing import Any, TypeAlias

Record: TypeAlias = dict[str, Any]

WIDTH = 96
# Classes listed with their numbers of samples.
SHOWN_CLASSES = 8
# Columns of the square table side by side; more of them go below.
MATRIX_COLUMNS = 8

HINT = """\
Your own predictions: a CSV file with the true label and one column for each classifier.
    skpostbac predictions.csv --truth COLUMN"""


def render(document: Record) -> str:
    """Write the document as text.

    Parameters
    ----------
    document : dict
        What `make_document` returns.

    Returns
    -------
    text : str
        Paragraphs and tables.
    """
    data, level = document["data"], f"{100 * document['settings']['level']:.12g} %"
    parts = [_show_data(data, document["settings"]), _show_posteriors(document, level)]
    if document["comparison"]:
        parts += [
            _show_comparison(document["comparison"]),
            _show_differences(document["comparison"], document["settings"]["rope"], level),
            _show_ranking(document["ranking"]),
        ]
    if data["example"]:
        parts = [_fill(data["description"]), *parts, HINT]
    return "\n\n".join(parts) + "\n"


def _show_data(data: Record, settings: Record) -> str:
    left_out = f" ({data['n_left_out']} of other classes left out)" if data["n_left_out"] else ""
    facts = {
        "Truth": f"column {_printable(data['truth'])} of {_printable(data['source'])}",
        "Samples": f"{data['n_samples']}{left_out}",
        "Classes": f"{data['n_classes']}: {_list_classes(data['classes'])}",
        "Prior": _name_prior(settings["prior"]),
    }
    return "\n".join(_fill(f"{key:<9} {value}", indent=10) for key, value in facts.items())


def _list_classes(classes: Sequence[Record]) -> str:
    shown = [
        f"{_printable(record['label'])} ({record['n_samples']})"
        for record in classes[:SHOWN_CLASSES]
    ]
    hidden = len(classes) - SHOWN_CLASSES
    return ", ".join(shown) + (f" and {hidden} more" if hidden > 0 else "")


def _name_prior(prior: str | list[float]) -> str:
    return prior if isinstance(prior, str) else f"Beta({prior[0]:g}, {prior[1]:g})"


def _show_posteriors(document: Record, level: str) -> str:
    names = ["classifier", "accuracy", "bal.acc.", "mean", "median"]
    header = [*names, f"{level} interval", f"{level} lower", "P(>chance)"]
    records = document["posteriors"]
    return _section(
        "Posterior of the balanced accuracy (accuracy, bal.acc.: of the sample)",
        [header, *map(_posterior_row, records)],
        *_explain_chance(document["data"]["chance"], records[0]["prior_prob_above_chance"]),
        *map(_report_unseen, filter(itemgetter("n_unseen"), records)),
        *_report_prior(list(filter(itemgetter("prior_dominates"), records))),
    )


def _posterior_row(record: Record) -> list[str]:
    return [
        _printable(record["name"]),
        *(_decimal(record[key]) for key in ("accuracy", "balanced_accuracy", "mean", "median")),
        _interval(record),
        _decimal(record["lower"]),
        _probability(record["prob_above_chance"]),
    ]


def _explain_chance(chance: float | None, prior: float | None) -> list[str]:
    if chance is None:
        return []
    return [f"Chance is {chance:.3f}; before the data, P(>chance) was {_probability(prior)}."]


def _report_unseen(record: Record) -> str:
    number = record["n_unseen"]
    what = "1 prediction is" if number == 1 else f"{number} predictions are"
    return f"{_printable(record['name'])}: {what} of no class, and counted as wrong."


def _report_prior(dominated: Sequence[Record]) -> list[str]:
    if not dominated:
        return []
    shift = max(abs(record["prior_influence"]) for record in dominated)
    note = f"The prior moves the mean by up to {shift:.1f} standard deviations"
    return [f"{note}: consider --prior hierarchical."]


def _show_comparison(comparison: Record) -> str:
    table = comparison["prob_greater"]
    title = "Comparison: probability that the row is better than the column"
    blocks = [
        _section(title, _comparison_rows(table, slice(start, start + MATRIX_COLUMNS)))
        for start in range(0, len(table), MATRIX_COLUMNS)
    ]
    return "\n\n".join(blocks) + f"\n{_fill(comparison['note'])}"


def _comparison_rows(table: Record, shown: slice) -> list[list[str]]:
    """Return header and rows of some columns of the square table."""
    names = list(table)
    numbers = range(1, len(names) + 1)
    rows = [
        [f"{number} {_printable(name)}"] + [_probability(table[name].get(c)) for c in names[shown]]
        for number, name in zip(numbers, names, strict=True)
    ]
    return [["classifier", *map(str, numbers[shown])], *rows]


def _show_differences(comparison: Record, rope: float, level: str) -> str:
    header = ["first - second", "mean", f"{level} interval"]
    if rope > 0:
        header += [f"P(<-{rope:g})", "P(within)", f"P(>{rope:g})"]
    return _section(
        "Difference of the balanced accuracies",
        [header, *map(_difference_row, comparison["pairs"])],
    )


def _difference_row(pair: Record) -> list[str]:
    return [
        f"{_printable(pair['first'])} - {_printable(pair['second'])}",
        _decimal(pair["mean"], sign="+"),
        _interval(pair, sign="+"),
        *map(_probability, (pair["rope"] or {}).values()),
    ]


def _show_ranking(ranking: Sequence[Record]) -> str:
    header = ["classifier", "P(best)", "expected rank", "expected loss", "mean"]
    return _section(
        "Ranking, by posterior mean",
        [header, *map(_ranking_row, ranking)],
        *_explain_draws(max(record["prob_best_error"] for record in ranking)),
    )


def _ranking_row(record: Record) -> list[str]:
    return [
        f"{record['rank']} {_printable(record['name'])}",
        _probability(record["prob_best"]),
        *(_decimal(record[key]) for key in ("expected_rank", "expected_loss", "mean")),
    ]


def _explain_draws(error: float) -> list[str]:
    if error == 0:
        return []
    return [
        f"P(best) is estimated from random draws, with a standard error of up to about {error:.1g}."
    ]


def _section(title: str, rows: Sequence[Sequence[str]], *notes: str) -> str:
    header, *body = _align(rows)
    rule = "-" * max(map(_width, [header, *body]))
    return "\n".join([title, header, rule, *body, *notes])


def _align(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return lines of columns: the first to the left, the others to the right."""
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            text + gap if not index else gap + text
            for index, (text, width) in enumerate(zip(row, widths, strict=True))
            for gap in [" " * (width - _width(text))]
        ).rstrip()
        for row in rows
    ]


def _width(text: str) -> int:
    """Return the number of terminal columns that the text takes."""
    return sum(
        0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "WF")
        for char in text
    )


def _printable(text: str) -> str:
    """Escape what would move the cursor, hide or reorder text."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )


def _fill(text: str, indent: int = 0) -> str:
    return textwrap.fill(
        text, WIDTH, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False
    )


def _decimal(value: float | None, sign: str = "") -> str:
    # Adding 0 turns a rounded -0.0 into 0.0.
    return "-" if value is None else f"{round(value, 3) + 0.0:{sign}.3f}"


def _interval(record: Record, sign: str = "") -> str:
    return f"[{_decimal(record['low'], sign)}, {_decimal(record['high'], sign)}]"


def _probability(value: float | None) -> str:
    """Write a probability with three digits, and never as 0 or 1."""
    if value is None:
        return "-"
    if value < 0.0005:
        return "<0.001"
    return ">0.999" if value > 0.9995 else f"{value:.3f}"
