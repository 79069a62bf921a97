"""The document as aligned plain text."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from skpostbac._cli._sections import Record, Section, describe_data, make_sections

WIDTH = 96

HINT = """\
To evaluate your own predictions, pass a CSV file with a column of true labels and one column
per classifier:
    skpostbac predictions.csv --truth COLUMN"""


def render(document: Record) -> str:
    """Render the document as text.

    Parameters
    ----------
    document : dict
        What `make_document` returns.

    Returns
    -------
    text : str
        Paragraphs and tables.
    """
    text = render_parts(describe_data(document), make_sections(document))
    if document["data"]["example"]:
        return f"{_fill(document['data']['description'])}\n\n{text}\n{HINT}\n"
    return text


def render_parts(facts: Mapping[str, str], sections: Iterable[Section]) -> str:
    """Render the description of the data and the tables."""
    lines = [_fill(f"{key:<9} {value}", indent=10) for key, value in facts.items()]
    return "\n\n".join(["\n".join(lines), *map(_show, sections)]) + "\n"


def _show(section: Section) -> str:
    blocks = [
        "\n".join([section.title, header, "-" * max(map(text_width, [header, *body])), *body])
        for header, *body in map(_align, section.blocks())
    ]
    return "\n".join(["\n\n".join(blocks), *map(_fill, section.notes)])


def _align(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return lines of columns: the first to the left, the others to the right."""
    widths = [max(map(text_width, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            text + gap if not index else gap + text
            for index, (text, width) in enumerate(zip(row, widths, strict=True))
            for gap in [" " * (width - text_width(text))]
        ).rstrip()
        for row in rows
    ]


def text_width(text: str) -> int:
    """Return the number of terminal columns that the text takes."""
    return sum(
        0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "WF")
        for char in text
    )


def _fill(text: str, indent: int = 0) -> str:
    return textwrap.fill(
        text, WIDTH, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False
    )
