"""Rows of a plot: names on the left, columns of numbers on the right, and notes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from skpostbac._plot.room import (
    DATA_SHARE,
    LEAST_NAME,
    SMALLEST_FONT,
    fit_names,
    note_size,
    points,
    row_size,
    text_width,
    tile_width,
)
from skpostbac._plot.style import NEUTRAL, despine_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from matplotlib.text import Text

# Label of the axes with text beside rows.
_BESIDE = "beside rows"
# Between the axes and the text beside them, and between columns of it, in points.
_GAP, _COLUMN_GAP = 6.0, 10.0
# A figure grows by so many inches for each character of its longest name above some.
_CHARACTER, _USUAL, _MOST_GROWTH = 0.08, 20, 3.0


class Rows(NamedTuple):
    """How rows were written."""

    size: float
    """Size of the font."""
    step: int
    """Each row of so many has a name."""
    end: float
    """Where the columns end, in points from the axes."""


def rows_size(n: int, names: Sequence[object] = ()) -> tuple[float, float]:
    """Return the size in inches of a figure of `n` rows, with room for long names."""
    longest = max((len(str(name)) for name in names), default=0)
    growth = float(np.clip(_CHARACTER * (longest - _USUAL), 0, _MOST_GROWTH))
    return 7.2 + growth, float(np.clip(1.3 + 0.4 * n, 2.2, 12))


def row_height(ax: Axes) -> float:
    """Return the height of one unit of the y-axis, in points."""
    low, high = ax.get_ylim()
    return points(ax, ax.get_window_extent().height) / abs(high - low)


def fitting_text(ax: Axes) -> tuple[float, int]:
    """Return the size of text that fits into rows, and which rows it fits: each k-th."""
    return fitting_size(0.8 * row_height(ax), row_size(ax))


def fitting_size(fitting: float, largest: float) -> tuple[float, int]:
    """Return a readable size of text, given the one that fits, and which rows it fits."""
    size = min(max(fitting, SMALLEST_FONT), largest)
    return size, ceil(size / fitting) if fitting < SMALLEST_FONT else 1


def shrink_until(fits: Callable[[], bool], texts: Sequence[Text]) -> None:
    """Make texts smaller until they fit, or until smaller ones could not be read."""
    while not fits() and (size := float(texts[0].get_fontsize())) > SMALLEST_FONT:
        for text in texts:
            text.set_fontsize(max(SMALLEST_FONT, size - 0.5))


def check_no_rows(ax: Axes) -> None:
    """Raise if the axes have the rows of another plot, whose names would be replaced."""
    if any(child.get_label() == _BESIDE for child in ax.child_axes):
        raise ValueError("ax has the rows of another plot; use other axes")


def label_rows(
    ax: Axes,
    names: Sequence[object],
    columns: Mapping[str, Sequence[str]],
    *,
    margins: tuple[float, float] = (0.6, 0.6),
    reserve: float = 0.0,
) -> Rows:
    """Give each name a row, the first on top, with the texts of each column beside it.

    The data keep their share of the room. Columns that do not fit beside them are left out, the
    first of them first, and names are cut to what is left. `reserve` points stay free for more.
    """
    check_no_rows(ax)
    heights = range(len(names) - 1, -1, -1)
    ax.set_ylim(-margins[0], heights[0] + margins[1])
    size, step = fitting_text(ax)
    room = (1 - DATA_SHARE) * tile_width(ax) - reserve - 2 * _GAP
    least = max(text_width(str(name)[:LEAST_NAME], SMALLEST_FONT) for name in names)
    kept = _fitting_columns(ax, columns, size, room - least)
    while len(kept) < len(columns) and size > SMALLEST_FONT:
        size = max(SMALLEST_FONT, size - 0.5)
        kept = _fitting_columns(ax, columns, size, room - least)
    width = room - sum(kept.values())
    ax.set_yticks(heights[::step], fit_names(names[::step], size, width), fontsize=size)
    ax.tick_params(axis="y", length=0)
    offset = _GAP
    for header, taken in kept.items():
        texts = columns[header][::step]
        _write_beside(ax, heights[::step], texts, header=header, size=size, offset=offset)
        offset += taken
    return Rows(size, step, offset)


def _fitting_columns(
    ax: Axes, columns: Mapping[str, Sequence[str]], size: float, room: float
) -> dict[str, float]:
    """Return the widths of the last columns that fit, with the gaps after them."""
    note = min(size, note_size(ax))
    kept: dict[str, float] = {}
    for header, texts in reversed(list(columns.items())):
        longest = max(texts, key=len)
        width = max(text_width(longest, size), text_width(header, note)) + _COLUMN_GAP
        if sum(kept.values()) + width > room:
            break
        kept = {header: width, **kept}
    return kept


def _write_beside(
    ax: Axes,
    heights: Sequence[float],
    texts: Sequence[str],
    *,
    header: str,
    size: float,
    offset: float,
) -> None:
    """Write a column of text to the right of the axes, `offset` points away.

    The texts are labels of ticks, for which layouts make room.
    """
    axis = ax.secondary_yaxis("right")
    axis.set_label(_BESIDE)
    axis.set_yticks(heights, texts, fontsize=size)
    axis.tick_params(axis="y", length=0, pad=offset)
    despine_axes(axis, "right")
    place: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points"}
    style: dict[str, Any] = {"fontsize": min(size, note_size(ax)), "color": NEUTRAL, "va": "bottom"}
    ax.annotate(header, (1, 1), (offset, 2), **place, **style)


def write_above(ax: Axes, line: Line2D) -> None:
    """Write the label of a vertical line above it, outside the axes and below their title."""
    axis = ax.secondary_xaxis("top")
    x, label = float(np.ravel(line.get_xdata())[0]), str(line.get_label())
    # In the right half the text ends at the line, or it would meet the header of what is beside.
    low, high = ax.get_xlim()
    ha = "right" if x > (low + high) / 2 else "center"
    axis.set_xticks([x], [label], fontsize=note_size(ax), color=line.get_color(), ha=ha)
    axis.tick_params(axis="x", length=0)
    despine_axes(axis, "top")


def write_note(ax: Axes, *parts: str) -> None:
    """Write below the label of the x-axis what the shapes in the axes are."""
    size = note_size(ax)
    is_narrow = text_width(", ".join(parts), size) > DATA_SHARE * tile_width(ax)
    text = (",\n" if is_narrow else ", ").join(parts)
    place: dict[str, Any] = {"xycoords": ax.xaxis.label, "textcoords": "offset points"}
    style: dict[str, Any] = {"fontsize": size, "color": NEUTRAL, "va": "top"}
    ax.annotate(text, (0.5, 0), (0, -2), ha="center", annotation_clip=False, **place, **style)
