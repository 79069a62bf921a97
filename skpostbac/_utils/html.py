"""HTML fragments for notebooks and reports, in the colours and font of the surrounding page.

All text is escaped. Nothing is fetched and nothing is run: no scripts, no style sheets, no fonts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape as escape_markup

import numpy as np

from skpostbac._utils.format import printable
from skpostbac._utils.validation import Floats, shown

# Seen on white and on black.
ACCENT = "#3388cc"

# Styles stand in each tag: notebooks bring rules of their own for all cells, and some sites remove
# style sheets. Some browsers do not pass the colour on into a table. Long names break.
TABLE = (
    "color:inherit;border-collapse:collapse;margin:.4em 0;width:auto;"
    "font-variant-numeric:tabular-nums"
)
NAME = "text-align:left;padding:.15em 1.2em .15em 0;overflow-wrap:anywhere;min-width:5em"
FIRST_NUMBER = "text-align:right;padding:.15em 0;white-space:nowrap"
NUMBER = "text-align:right;padding:.15em 0 .15em 1.2em;white-space:nowrap"

# Of a drawing, in pixels: the plot, and what the numbers below it need at its sides and its foot.
WIDTH, HEIGHT, SIDE, FOOT = 360, 84, 40, 18


def escape(text: str) -> str:
    """Return text that a browser shows as it is, without markup and control characters."""
    return escape_markup(printable(text))


def block(title: str, *parts: str) -> str:
    """Return a title in the type of code with the parts below it."""
    return (
        '<div style="max-width:100%;overflow-wrap:anywhere">'
        f"<code>{escape(title)}</code>{''.join(parts)}</div>"
    )


def paragraph(text: str) -> str:
    """Return a paragraph of text."""
    return f'<p style="margin:.4em 0">{escape(text)}</p>'


def table(header: Sequence[str], rows: Iterable[Sequence[str]], *, note: str = "") -> str:
    """Return a table of names and, to the right, numbers.

    A note stands in a row of its own below the others.
    """
    foot = f'<tr><td colspan="{len(header)}" style="{NAME}">{escape(note)}</td></tr>'
    body = (_row("td", NAME, row) for row in rows)
    return _table(_row("th", NAME, header), *body, *([foot] if note else []))


def _table(head: str, *body: str) -> str:
    return (
        f'<table style="{TABLE}"><thead style="border-bottom:1px solid #8888">{head}</thead>'
        f"<tbody>{''.join(body)}</tbody></table>"
    )


def _row(tag: str, first: str, cells: Sequence[str]) -> str:
    """Return a row, whose first cell has a style of its own."""
    styles = (first, *[NUMBER] * (len(cells) - 1))
    inner = (
        f'<{tag} style="{style}">{escape(cell)}</{tag}>'
        for style, cell in zip(styles, cells, strict=True)
    )
    return f"<tr>{''.join(inner)}</tr>"


def more(n: int, shown: int) -> str:
    """Return the note of a table that shows the first of n rows.

    Examples
    --------
    >>> more(10, shown=8), more(8, shown=8)
    ('and 2 more', '')
    """
    return f"and {n - shown} more" if n > shown else ""


def record(header: Sequence[str], *cells: str) -> str:
    """Return a table of one row, all of whose cells are numbers."""
    return _table(_row("th", FIRST_NUMBER, header), _row("td", FIRST_NUMBER, cells))


def parameters(values: Mapping[str, object]) -> str:
    """Return a table of parameters by their names."""
    return table(("parameter", "value"), [(name, shown(value)) for name, value in values.items()])


def density_drawing(
    x: Floats, y: Floats, interval: tuple[float, float], ends: Sequence[str], title: str
) -> str:
    """Draw a density with a shaded interval, as an inline SVG.

    Parameters
    ----------
    x, y : arrays of shape (n_points,)
        Points of the curve: `x` increases, `y` is finite and somewhere positive.
    interval : pair of floats
        Ends of the shaded part.
    ends : pair of str
        What is written below them.
    title : str
        What the drawing shows, for a reader who cannot see it.
    """
    across = SIDE + WIDTH * (x - x[0]) / (x[-1] - x[0])
    down = HEIGHT * (1 - y / y.max())
    low, high = np.interp(interval, x, across).tolist()
    inside = (low <= across) & (across <= high)
    shade = f"{low:.1f},{HEIGHT} {_points(across[inside], down[inside])} {high:.1f},{HEIGHT}"
    return (
        f'<svg role="img" aria-label="{escape(title)}" viewBox="0 -2 {WIDTH + 2 * SIDE} '
        f'{HEIGHT + FOOT}" style="display:block;max-width:{WIDTH + 2 * SIDE}px">'
        f'<polygon points="{shade}" fill="{ACCENT}" fill-opacity="0.3"/>'
        f'<polyline points="{_points(across, down)}" fill="none" stroke="{ACCENT}" '
        'stroke-width="1.5"/>'
        f'<path d="M{SIDE} {HEIGHT}h{WIDTH}" stroke="currentColor"/>'
        '<g fill="currentColor" font-size="11" font-family="sans-serif">'
        f'<text x="{low:.1f}" y="{HEIGHT + 12}" text-anchor="end">{escape(ends[0])}</text>'
        f'<text x="{high:.1f}" y="{HEIGHT + 12}">{escape(ends[1])}</text></g></svg>'
    )


def _points(across: Floats, down: Floats) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(across, down, strict=True))
