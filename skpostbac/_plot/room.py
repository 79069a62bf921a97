"""Room around axes: names, figures and legends get their share of it, the data the rest.

The tile of axes is their share of the figure: that of their place in the grid of subplots. Texts
are measured, and cut before they take more of the tile than they may. Layouts of matplotlib then
make room for them; where the figure has none, :func:`settle` moves the edges of the axes.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from operator import add
from typing import TYPE_CHECKING, Any

from skpostbac._plot.text import literal, shorten
from skpostbac._utils import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.gridspec import SubplotSpec
    from matplotlib.legend import Legend
    from matplotlib.transforms import Bbox, BboxBase

# Text below the first size, in points, is not read; above the second it is too loud.
SMALLEST_FONT, LARGEST_FONT = 6.0, 10.0
# Sizes of legends and headers.
LARGEST_NOTE = 8.5
# In tiles narrower than this, in points, text is smaller.
_FULL_WIDTH = 290.0
# Width that is kept for the data, and width and height below which axes are not pushed together,
# as shares of the tile.
DATA_SHARE, LEAST_SHARE = 0.38, 0.3
# Names have at least so many characters, if there are as many, and at most so many.
LEAST_NAME, MOST_NAME = 18, 60
# With less room than for so many characters, a name in a legend has a line of its own.
LEGEND_NAME = 22
# Mean width of a character, as a share of the size of the font.
_CHARACTER_WIDTH = 0.55
# What is left free around all that is written, in pixels.
_EDGE = 4.0
# Handle of a legend with its gaps, gap to the next column, height of an entry, and gap to the label
# of the axis, as multiples of the size of the font.
_HANDLE, _COLUMN, _ENTRY, _GAP = 3.2, 2.0, 1.45, 0.6
# A legend takes at most these shares of the width and of the height of the tile.
_LEGEND_WIDTH, _LEGEND_HEIGHT = 0.9, 0.45


def tile(ax: Axes) -> BboxBase:
    """Return the box, in pixels, that belongs to axes and to what is written around them."""
    from matplotlib.transforms import TransformedBbox

    spec = ax.get_subplotspec()
    if spec is None:
        return ax.figure.bbox
    return TransformedBbox(_share(spec, ax), ax.figure.transSubfigure)


def _share(spec: SubplotSpec, ax: Axes) -> Bbox:
    """Return the tile as a share of the figure: up to the middle of the gaps between subplots."""
    from matplotlib.transforms import Bbox

    top = spec.get_topmost_subplotspec()
    whole = Bbox.unit() if top is spec else _share(top, ax)
    figure: Any = ax.figure  # a part of a figure will do as well
    bottoms, tops, lefts, rights = spec.get_gridspec().get_grid_positions(figure)
    rows, columns = spec.rowspan, spec.colspan

    def middle(first: Any, second: Any, place: int, edge: float) -> float:
        return float(first[place - 1] + second[place]) / 2 if 0 < place < len(first) else edge

    return Bbox.from_extents(
        middle(rights, lefts, columns.start, whole.x0),
        middle(bottoms, tops, rows.stop, whole.y0),
        middle(rights, lefts, columns.stop, whole.x1),
        middle(bottoms, tops, rows.start, whole.y1),
    )


def points(ax: Axes, pixels: float) -> float:
    """Return a length in points."""
    return pixels * 72 / float(ax.figure.dpi)


def tile_width(ax: Axes) -> float:
    """Return the width of the tile of axes in points."""
    return points(ax, tile(ax).width)


def text_width(text: str, size: float) -> float:
    """Return the width of a text in points; of several lines, that of the longest."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size)
    # What is not printable is escaped, as when it is drawn.
    lines = [printable(line) for line in text.replace(r"\$", "$").split("\n")]
    with warnings.catch_warnings():
        # Whoever draws the text is told of characters that the font lacks.
        warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
        sizes = [text_to_path.get_text_width_height_descent(line, font, False) for line in lines]
    return float(max(width for width, _, _ in sizes))


def fit_names(
    names: Sequence[object], size: float, width: float, least: int = LEAST_NAME
) -> list[str]:
    """Return names as they are shown, cut to this width in points or to so many characters."""
    per_character = max(
        (text_width(str(name), size) / len(str(name)) for name in names if str(name)), default=1.0
    )
    allowed = int(width / per_character)
    cut = shorten(names, min(max(allowed, least), MOST_NAME))
    return [literal(name) for name in cut]


def scaled(ax: Axes, size: float) -> float:
    """Return a size of the font, smaller in a small tile, but readable."""
    return max(min(size, SMALLEST_FONT), size * min(1.0, tile_width(ax) / _FULL_WIDTH))


def note_size(ax: Axes) -> float:
    """Return the size of the font of a legend and of notes."""
    return scaled(ax, LARGEST_NOTE)


def row_size(ax: Axes) -> float:
    """Return the largest size of the font of names and figures beside axes."""
    return scaled(ax, LARGEST_FONT)


def scale_text(ax: Axes) -> None:
    """Make the numbers and the labels of small axes smaller, in proportion."""
    import matplotlib as mpl
    from matplotlib.font_manager import FontProperties

    if scaled(ax, LARGEST_FONT) == LARGEST_FONT:
        return
    label = FontProperties(size=mpl.rcParams["axes.labelsize"]).get_size_in_points()
    sizes = mpl.rcParams["xtick.labelsize"], mpl.rcParams["ytick.labelsize"]
    for axis, given in zip((ax.xaxis, ax.yaxis), sizes, strict=True):
        axis.set_tick_params(labelsize=scaled(ax, FontProperties(size=given).get_size_in_points()))
        axis.label.set_fontsize(scaled(ax, label))


def label_axis(axis: Axis, label: str, note: str = "") -> None:
    """Write a label and a note in parentheses, which stands in a line of its own if need be."""
    size = float(axis.label.get_fontsize())
    share = tile(axis.axes)
    length = 0.65 * points(axis.axes, share.width if axis is axis.axes.xaxis else share.height)
    text = literal(f"{label} ({note})" if note else label)
    if text_width(text, size) > length:
        lines = [fit_names([line], size, length)[0] for line in (label, note) if line]
        text = f"{lines[0]}\n({lines[1]})" if note else lines[0]
    axis.set_label_text(text)


def positive_note(pos_label: object) -> str:
    """Return which class is the positive one, if it is known."""
    return "" if pos_label is None else f"Positive label: {pos_label}"


def legend_below(ax: Axes, title: str | None = None) -> Legend | None:
    """Explain what has a label, below the axes and their label, where no data are."""
    from matplotlib.lines import Line2D
    from matplotlib.transforms import ScaledTranslation

    handles, labels = ax.get_legend_handles_labels()
    if not handles:
        return None
    size, box = note_size(ax), tile(ax)
    width = _LEGEND_WIDTH * points(ax, box.width)
    labels = _fit_entries(labels, size, width - _HANDLE * size)
    entry = max(text_width(label, size) for label in labels) + (_HANDLE + _COLUMN) * size
    n_columns = max(1, min(3, int((width + _COLUMN * size) / entry), len(labels)))
    n_lines = max(label.count("\n") + 1 for label in labels)
    # Text is up to some hundredths longer at another resolution.
    depth = 1.05 * depth_below(ax) + _GAP * size
    height = points(ax, box.height)
    free = min(_LEGEND_HEIGHT * height, (1 - LEAST_SHARE) * height - depth - 3 * size)
    free -= _ENTRY * size if title else 0
    most = max(1, int(free / (_ENTRY * size * n_lines))) * n_columns
    if len(labels) > most:
        rest = f"and {len(labels) - most + 1} more"
        nothing = Line2D([], [], linestyle="none")
        handles, labels = [*handles[: most - 1], nothing], [*labels[: most - 1], rest]
    below = ScaledTranslation(0, -depth / 72, ax.figure.dpi_scale_trans)
    return ax.legend(
        handles,
        labels,
        title=title,
        loc="upper center",
        bbox_to_anchor=(0.5, 0),
        bbox_transform=ax.transAxes + below,
        borderaxespad=0,
        fontsize=size,
        title_fontsize=size,
        ncols=n_columns,
        columnspacing=_COLUMN,
        frameon=False,
    )


def _fit_entries(labels: Sequence[str], size: float, width: float) -> list[str]:
    """Cut the names in long entries, or else give the figures after them a line of their own."""
    parts = {label: _part(label) for label in labels if text_width(label, size) > width}
    if not parts:
        return list(labels)
    left = width - max(text_width(f" {rest}", size) for _, rest in parts.values())
    is_enough = left >= LEGEND_NAME * _CHARACTER_WIDTH * size
    names = fit_names([name for name, _ in parts.values()], size, left if is_enough else width)
    gap = " " if is_enough else "\n"
    rests = [gap + rest if rest else "" for _, rest in parts.values()]
    fitted = dict(zip(parts, map(add, names, rests), strict=True))
    return [fitted.get(label, label) for label in labels]


def _part(label: str) -> tuple[str, str]:
    """Return what stands before the last parenthesis, and this."""
    name, bracket, rest = label.rpartition(" (")
    return (name, f"({rest}") if bracket else (label, "")


def depth_below(ax: Axes) -> float:
    """Return how far below the axes their ticks and their label reach, in points."""
    box = ax.xaxis.get_tightbbox()
    return 0.0 if box is None else points(ax, ax.get_window_extent().y0 - box.y0)


def height_left(ax: Axes) -> float:
    """Return how high axes will be, in points, when a layout has made room for their label."""
    height = points(ax, ax.get_window_extent().height)
    return min(height, points(ax, tile(ax).height) - depth_below(ax) - LARGEST_FONT)


def settle(ax: Axes) -> None:
    """Pull the edges of axes in until all that is written around them is in their tile.

    Only in a figure without a layout, which would do so itself, and only axes in a grid: other ones
    have the place that they were given. A later layout starts from the grid again.
    """
    from matplotlib.transforms import Bbox

    if ax.get_subplotspec() is None or ax.figure.get_layout_engine() is not None:
        return
    box = tile(ax).padded(-_EDGE)
    for _ in range(3):  # ticks move when the axes do
        outer, frame = ax.get_tightbbox(), ax.get_window_extent()
        if outer is None:
            return
        x0, x1 = _pull(frame.intervalx, outer.intervalx, box.intervalx)
        y0, y1 = _pull(frame.intervaly, outer.intervaly, box.intervaly)
        ends = ax.figure.transSubfigure.inverted().transform([(x0, y0), (x1, y1)])
        ax.set_position(Bbox(ends))
        ax.set_in_layout(True)  # which setting the position ends


def _pull(frame: Any, outer: Any, box: Any) -> tuple[float, float]:
    """Return the ends of axes so that what is around them is in the box, with a least length."""
    low = frame[0] + max(0.0, box[0] - outer[0])
    high = frame[1] - max(0.0, outer[1] - box[1])
    least = LEAST_SHARE * (box[1] - box[0])
    if high - low >= least:
        return float(low), float(high)
    middle = min(max((low + high) / 2, box[0] + least / 2), box[1] - least / 2)
    return float(middle - least / 2), float(middle + least / 2)
