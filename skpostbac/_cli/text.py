"""How the results look on a terminal of 80 columns."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Sequence
from itertools import zip_longest

from skpostbac._cli.answer import Answer
from skpostbac._utils import printable

# Columns of a terminal, and the least that a table leaves for its names.
WIDTH = 80
LEAST_NAME = 10


class _Names(textwrap.TextWrapper):
    """Breaks names behind what joins their words, too."""

    wordsep_re = re.compile(r"(\s+)|(?<=[_./-])(?!\d)")


def render_text(answer: Answer) -> str:
    """Render the results for a terminal: a sentence, facts, tables with their notes."""
    facts = [
        fill(f"{key:<9} {value}", indent=10) for key, value in answer.facts.items()
    ]
    parts = [fill(answer.lead[0]), "\n".join(facts)]
    for section in answer.sections:
        notes = map(fill, section.notes)
        table = _table(*section.cells(answer.args))
        parts.append("\n".join([fill(section.title), table, *notes]))
    return "\n\n".join(parts) + "\n"


def _table(header: Sequence[str], *rows: Sequence[str]) -> str:
    """Render a table: its first column to the left, the others to the right.

    If it is too wide, headings are broken to the width of their numbers, and names to
    what is left for them.
    """
    head = [tuple(header)]
    if sum(_widths(header, *rows)) + 2 * len(header) > WIDTH + 2:
        headings = [
            textwrap.wrap(heading, width, break_long_words=False)
            for heading, width in zip(header, _widths(*rows), strict=True)
        ]
        from_below = zip_longest(*(lines[::-1] for lines in headings), fillvalue="")
        head = list(from_below)[::-1]
    widths = _widths(*head, *rows)
    room = max(WIDTH - sum(widths[1:]) - 2 * len(widths[1:]), LEAST_NAME)
    widths[0] = min(widths[0], room)
    names = _Names(room, subsequent_indent="  ")
    lines = []
    for name, *cells in (*head, *rows):
        start, *rest = names.wrap(name) or [""]
        padded = [_pad(start, -widths[0]), *map(_pad, cells, widths[1:])]
        lines += ["  ".join(padded).rstrip(), *rest]
    lines.insert(len(head), "-" * max(map(_width, lines)))
    return "\n".join(lines)


def _widths(*rows: Sequence[str]) -> list[int]:
    return [max(map(_width, column)) for column in zip(*rows, strict=True)]


def _pad(text: str, width: int) -> str:
    """Fill a text with blanks to a width, behind it if that is negative."""
    blanks = " " * (abs(width) - _width(text))
    return f"{text}{blanks}" if width < 0 else f"{blanks}{text}"


def _width(text: str) -> int:
    """Return the number of terminal columns that the text takes."""
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(unicodedata.combining(char) > 0 for char in text)


def fill(text: str, indent: int = 0) -> str:
    """Wrap a printable text; an option and its value stay on one line, to be copied."""
    bound = re.sub(r"(--[\w-]+) (?=\w)", "\\1\0", printable(text))
    filled = textwrap.fill(
        bound,
        WIDTH,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return filled.replace("\0", " ")
