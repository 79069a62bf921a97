"""Fragments of HTML for notebooks and reports, in the colours and the font of the page around them.

All text is escaped. Nothing is fetched and nothing is run: no scripts, no style sheets, no fonts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape as escape_markup

import numpy as np

from skpostbac._utils.arrays import Floats
from skpostbac._utils.text import printable

# Seen on white and on black.
ACCENT = "#3388cc"

# Of a drawing, in pixels: the plot, and what the numbers below it need at its sides and its foot.
WIDTH, HEIGHT, SIDE, FOOT = 360, 84, 40, 18


def escape(text: str) -> str:
    """Return text that a browser shows as it is, without markup and control characters."""
    return escape_markup(printable(text))


def block(title: str, *parts: str) -> str:
    """Return a title in the type of code with the parts below it."""
    return f"<div><code>{escape(title)}</code>{''.join(parts)}</div>"


def table(header: Sequence[str], rows: Iterable[Sequence[str]], *, note: str = "") -> str:
    """Return a table; a note stands in a row of its own below the others."""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
    foot = f'<tr><td colspan="{len(header)}">{escape(note)}</td></tr>' if note else ""
    body = "".join(map(_row, rows)) + foot
    # Some browsers do not pass the colour on into a table.
    style = ' style="color:inherit;border-spacing:1em .2em;text-align:left"'
    return f"<table{style}><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _row(cells: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"


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
