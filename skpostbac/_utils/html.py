"""HTML fragments for notebooks and reports, styled like the surrounding page.

All text is escaped. The fragments load and run nothing: no scripts, style sheets or
fonts.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape as escape_markup

import numpy as np

from skpostbac._utils.format import printable
from skpostbac._utils.validation import Floats, shown

# This blue is legible on both white and black.
ACCENT = "#3388cc"

# Inline styles: notebooks have their own rules for table cells, and some sites remove
# style sheets. Some browsers do not let tables inherit the text colour by default. Long
# names break between words where they can, and anywhere if a word is too long.
TABLE_STYLE = (
    "color:inherit;border-collapse:collapse;margin:.4em 0;width:auto;"
    "font-variant-numeric:tabular-nums"
)
NAME_STYLE = (
    "text-align:left;padding:.15em 1.2em .15em 0;overflow-wrap:anywhere;min-width:7em"
)
FIRST_NUMBER_STYLE = "text-align:right;padding:.15em 0;white-space:nowrap"
NUMBER_STYLE = "text-align:right;padding:.15em 0 .15em 1.2em;white-space:nowrap"

# In names such as random_forest and RandomForest.
BETWEEN_WORDS = re.compile(r"(?<=_)(?=\w)|(?<=[a-z])(?=[A-Z])")

# Sizes of a density drawing in pixels. The margins hold the numbers below the plot.
DENSITY_WIDTH = 360
DENSITY_HEIGHT = 84
SIDE_MARGIN = 40
BOTTOM_MARGIN = 18


def escape(text: str) -> str:
    """Return text with markup and control characters escaped."""
    return escape_markup(printable(text))


def block(title: str, *parts: str) -> str:
    """Return a title in monospace type with the parts below it."""
    return _wrap(f"<code>{escape(title)}</code>", *parts)


def result(sentence: str, *parts: str) -> str:
    """Return a sentence with the parts below it."""
    return _wrap(paragraph(sentence), *parts)


def _wrap(*parts: str) -> str:
    style = "max-width:100%;overflow-wrap:anywhere;overflow-x:auto"
    return f'<div style="{style}">{"".join(parts)}</div>'


def paragraph(text: str) -> str:
    """Return a paragraph of text."""
    return f'<p style="margin:.4em 0">{escape(text)}</p>'


def table(
    header: Sequence[str], rows: Iterable[Sequence[str]], *, note: str = ""
) -> str:
    """Return a table with names in the first column and numbers in the others.

    A note is shown in a separate last row.
    """
    body = [_row("td", NAME_STYLE, row) for row in rows]
    if note:
        style = f'colspan="{len(header)}" style="{NAME_STYLE}"'
        body.append(f"<tr><td {style}>{escape(note)}</td></tr>")
    return _wrap_table(_row("th", NAME_STYLE, header), *body)


def _wrap_table(head: str, *body: str) -> str:
    return (
        f'<table style="{TABLE_STYLE}">'
        f'<thead style="border-bottom:1px solid #8888">{head}</thead>'
        f"<tbody>{''.join(body)}</tbody></table>"
    )


def _row(tag: str, first_style: str, cells: Sequence[str]) -> str:
    """Return a table row whose first cell has its own style."""
    styles = (first_style, *[NUMBER_STYLE] * (len(cells) - 1))
    inner = (
        f'<{tag} style="{style}">{BETWEEN_WORDS.sub("<wbr/>", escape(cell))}</{tag}>'
        for style, cell in zip(styles, cells, strict=True)
    )
    return f"<tr>{''.join(inner)}</tr>"


def more(n: int, shown: int) -> str:
    """Return the note of a table that shows only the first of n rows.

    Examples
    --------
    >>> more(10, shown=8), more(8, shown=8)
    ('and 2 more', '')
    """
    return f"and {n - shown} more" if n > shown else ""


def record(header: Sequence[str], *cells: str) -> str:
    """Return a table of one row of numbers."""
    return _wrap_table(
        _row("th", FIRST_NUMBER_STYLE, header), _row("td", FIRST_NUMBER_STYLE, cells)
    )


def parameters(values: Mapping[str, object]) -> str:
    """Return a table of parameters and their values."""
    return table(
        ("parameter", "value"), [(name, shown(value)) for name, value in values.items()]
    )


def density_drawing(
    x: Floats, y: Floats, interval: tuple[float, float], ends: Sequence[str], title: str
) -> str:
    """Draw a density with a shaded interval, as an inline SVG.

    Parameters
    ----------
    x, y : arrays of shape (n_points,)
        Points of the curve. `x` increases; `y` is finite and positive at one of them.
    interval : pair of floats
        Ends of the shaded interval.
    ends : pair of str
        Labels of these ends.
    title : str
        Description of the drawing for screen readers.
    """
    across = SIDE_MARGIN + DENSITY_WIDTH * (x - x[0]) / (x[-1] - x[0])
    down = DENSITY_HEIGHT * (1 - y / y.max())
    low, high = np.interp(interval, x, across).tolist()

    inside = (low <= across) & (across <= high)
    curve = _svg_points(across[inside], down[inside])
    shade = f"{low:.1f},{DENSITY_HEIGHT} {curve} {high:.1f},{DENSITY_HEIGHT}"

    width = DENSITY_WIDTH + 2 * SIDE_MARGIN
    height = DENSITY_HEIGHT + BOTTOM_MARGIN
    baseline = DENSITY_HEIGHT + 12
    return (
        f'<svg role="img" aria-label="{escape(title)}" '
        f'viewBox="0 -2 {width} {height}" style="display:block;max-width:{width}px">'
        f'<polygon points="{shade}" fill="{ACCENT}" fill-opacity="0.3"/>'
        f'<polyline points="{_svg_points(across, down)}" fill="none" '
        f'stroke="{ACCENT}" stroke-width="1.5"/>'
        f'<path d="M{SIDE_MARGIN} {DENSITY_HEIGHT}h{DENSITY_WIDTH}" '
        'stroke="currentColor"/>'
        '<g fill="currentColor" font-size="11" font-family="sans-serif">'
        f'<text x="{low:.1f}" y="{baseline}" text-anchor="end">{escape(ends[0])}</text>'
        f'<text x="{high:.1f}" y="{baseline}">{escape(ends[1])}</text></g></svg>'
    )


def _svg_points(across: Floats, down: Floats) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(across, down, strict=True))
