"""Layout of the text around axes: names, columns of numbers, notes, legends, values of parameters.

The *cell* of axes is their part of the figure: that of their place in the grid of subplots. Text
is measured, and cut before it takes more of the cell than it may; the rest is for the data. The
constrained layout then makes room for the text. In a figure without a layout, `make_room` does.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any, Self
from unicodedata import east_asian_width

import numpy as np
from numpy.typing import NDArray

from skpostbac._plot.text import literal, shorten
from skpostbac._utils import Floats, float_or_nan, printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.gridspec import SubplotSpec
    from matplotlib.lines import Line2D
    from matplotlib.transforms import Bbox, BboxBase

# Smaller text, in points, cannot be read. The others are the sizes of names and numbers beside
# axes, and of notes and legends, in cells of at least the last width; smaller cells have less.
SMALLEST_FONT, LARGEST_FONT, LARGEST_NOTE, _FULL_WIDTH = 6.0, 10.0, 8.5, 290.0
# Fractions of the cell: the width for the data, and the least width and height of the axes.
DATA_FRACTION, LEAST_FRACTION = 0.38, 0.3
# A name has at least and at most so many characters, and if there is no room for so many in a
# legend, a line of its own.
LEAST_NAME, MOST_NAME, LEGEND_NAME = 18, 60, 22
# Handle of a legend with its gaps, gap to the next column, height of an entry, and gap to the label
# of the axis, as multiples of the font size.
_HANDLE, _COLUMN, _ENTRY, _GAP = 3.2, 2.0, 1.45, 0.6
# Gaps between axes and the text beside them, and between columns of it, in points.
_BESIDE_GAP, _COLUMN_GAP = 6.0, 10.0
# Label of the axis that holds a column of text beside rows.
_BESIDE = "beside rows"
# Minimum ratio of the largest to the smallest value for a logarithmic axis.
_DECADES = 100


def contrasting(color: Sequence[float] | NDArray[np.float64]) -> str:
    """Return black or white, whichever contrasts more with a colour (red, green, blue, ...)."""
    red, green, blue = color[:3]
    return "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "white"


def is_dark(ax: Axes) -> bool:
    """Return whether the background of axes is dark."""
    from matplotlib.colors import to_rgb

    return contrasting(to_rgb(ax.get_facecolor())) == "white"


def neutral(ax: Axes) -> str:
    """Return the colour of headers, notes and reference lines."""
    return "#B4B4B4" if is_dark(ax) else "#767676"


def cell(ax: Axes) -> BboxBase:
    """Return the box, in pixels, of axes and the text around them."""
    from matplotlib.transforms import TransformedBbox

    spec = ax.get_subplotspec()
    if spec is None:
        return ax.figure.bbox
    return TransformedBbox(_relative_cell(spec, ax.figure), ax.figure.transSubfigure)


def _relative_cell(spec: SubplotSpec, figure: Any) -> Bbox:
    """Return a cell as a fraction of the figure: up to the middle of the gaps between subplots."""
    from matplotlib.transforms import Bbox

    top = spec.get_topmost_subplotspec()
    parent = Bbox.unit() if top is spec else _relative_cell(top, figure)
    bottoms, tops, lefts, rights = map(np.asarray, spec.get_gridspec().get_grid_positions(figure))
    x = [parent.x0, *(rights[:-1] + lefts[1:]) / 2, parent.x1]
    y = [parent.y1, *(bottoms[:-1] + tops[1:]) / 2, parent.y0]
    columns, rows = spec.colspan, spec.rowspan
    return Bbox.from_extents(x[columns.start], y[rows.stop], x[columns.stop], y[rows.start])


def cell_size(ax: Axes) -> tuple[float, float]:
    """Return the width and the height of the cell of axes in points."""
    return points(ax, cell(ax).width), points(ax, cell(ax).height)


def axes_size(ax: Axes) -> tuple[float, float]:
    """Return the width and the height of axes in points."""
    box = ax.get_window_extent()
    return points(ax, box.width), points(ax, box.height)


def points(ax: Axes, pixels: float) -> float:
    """Return a length in points."""
    return pixels * 72 / float(ax.figure.dpi)


def text_width(text: str, size: float) -> float:
    """Return the width of a text in points; of several lines, that of the longest."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size)
    # Characters that are not printable are escaped when they are drawn, too.
    lines = [printable(line) for line in text.replace(r"\$", "$").split("\n")]
    with warnings.catch_warnings():
        # Characters that the font lacks are reported when the text is drawn.
        warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
        widths = [
            text_to_path.get_text_width_height_descent(line, font, False)[0] for line in lines
        ]
    # Chinese characters and others as wide as high, of which the font has narrower boxes.
    wide = [sum(east_asian_width(char) in "WF" for char in line) for line in lines]
    return max(float(w) + 0.4 * size * n for w, n in zip(widths, wide, strict=True))


def fit_names(
    names: Sequence[object], size: float, width: float, least: int = LEAST_NAME
) -> list[str]:
    """Return names as they are shown, cut to a width in points or a least number of characters."""
    per_character = max(
        (text_width(str(name), size) / len(str(name)) for name in names if str(name)), default=1.0
    )
    n_characters = min(max(int(width / per_character), least), MOST_NAME)
    return [literal(name) for name in shorten(names, n_characters)]


def scaled(ax: Axes, size: float) -> float:
    """Return a font size, smaller in a small cell but readable."""
    return max(min(size, SMALLEST_FONT), size * min(1.0, cell_size(ax)[0] / _FULL_WIDTH))


def note_size(ax: Axes) -> float:
    """Return the font size of legends and notes."""
    return scaled(ax, LARGEST_NOTE)


def fitting_size(ax: Axes, fitting: float, largest: float) -> tuple[float, int]:
    """Return a readable font size for rows of text, given the one that fits; k: each k-th fits."""
    size = min(max(fitting, SMALLEST_FONT), scaled(ax, largest))
    return size, ceil(size / fitting) if fitting < SMALLEST_FONT else 1


def scale_text(ax: Axes) -> None:
    """Make the numbers and the labels of small axes smaller, in proportion."""
    import matplotlib as mpl
    from matplotlib.font_manager import FontProperties

    def scaled_default(name: Any) -> float:
        return scaled(ax, FontProperties(size=mpl.rcParams[name]).get_size_in_points())

    if scaled(ax, LARGEST_FONT) < LARGEST_FONT:
        for axis, name in ((ax.xaxis, "xtick.labelsize"), (ax.yaxis, "ytick.labelsize")):
            axis.set_tick_params(labelsize=scaled_default(name))
            axis.label.set_fontsize(scaled_default("axes.labelsize"))


def label_axis(axis: Axis, label: str, *, pos_label: object = None) -> None:
    """Set a label with the positive class, which has a line of its own if there is no room."""
    size = float(axis.label.get_fontsize())
    length = 0.65 * cell_size(axis.axes)[axis is axis.axes.yaxis]
    note = "" if pos_label is None else f"Positive label: {pos_label}"
    text = literal(f"{label} ({note})" if note else label)
    if text_width(text, size) > length:
        (text,) = fit_names([label], size, length)
        text += f"\n({fit_names([note], size, length)[0]})" if note else ""
    axis.set_label_text(text)


def legend_below(ax: Axes, title: str) -> None:
    """Add a legend below the axes and their label, where it covers no data."""
    from matplotlib.lines import Line2D
    from matplotlib.transforms import ScaledTranslation

    handles, labels = ax.get_legend_handles_labels()
    if not handles:
        return
    size, (width, height) = note_size(ax), cell_size(ax)
    width *= 0.9
    labels = _fit_entries(labels, size, width - _HANDLE * size)
    entry = max(text_width(label, size) for label in labels) + (_HANDLE + _COLUMN) * size
    n_columns = max(1, min(3, int((width + _COLUMN * size) / entry), len(labels)))
    n_lines = max(label.count("\n") + 1 for label in labels)
    # Text is up to some hundredths longer at another resolution.
    depth = 1.05 * depth_below(ax) + _GAP * size
    # At most this fraction of the cell, and not so much that the axes become too low.
    free = min(0.45 * height, (1 - LEAST_FRACTION) * height - depth - 3 * size)
    free -= _ENTRY * size if title else 0
    most = max(1, int(free / (_ENTRY * size * n_lines))) * n_columns
    if len(labels) > most:
        handles = [*handles[: most - 1], Line2D([], [], linestyle="none")]
        labels = [*labels[: most - 1], f"and {len(labels) - most + 1} more"]
    below = ax.transAxes + ScaledTranslation(0, -depth / 72, ax.figure.dpi_scale_trans)
    place: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, 0), "borderaxespad": 0}
    style: dict[str, Any] = {"fontsize": size, "title_fontsize": size, "frameon": False}
    style |= {"ncols": n_columns, "columnspacing": _COLUMN, "bbox_transform": below}
    ax.legend(handles, labels, title=title, **place, **style)


def _fit_entries(labels: Sequence[str], size: float, width: float) -> list[str]:
    """Cut the names in long entries, or else put the numbers after them into a second line."""
    long = {label: label.rpartition(" (") for label in labels if text_width(label, size) > width}
    if not long:
        return list(labels)
    # Without numbers, the name is the last part.
    names = {label: name if gap else end for label, (name, gap, end) in long.items()}
    numbers = {label: f"({end}" if gap else "" for label, (_, gap, end) in long.items()}
    left = width - max(text_width(f" {text}", size) for text in numbers.values())
    # The mean width of a character is about 0.55 of the font size.
    gap = " " if left >= LEGEND_NAME * 0.55 * size else "\n"
    cut = fit_names(list(names.values()), size, left if gap == " " else width)
    entries = {
        label: name + (gap + numbers[label] if numbers[label] else "")
        for label, name in zip(long, cut, strict=True)
    }
    return [entries.get(label, label) for label in labels]


def depth_below(ax: Axes) -> float:
    """Return how far below the axes their ticks and their label reach, in points."""
    box = ax.xaxis.get_tightbbox()
    return 0.0 if box is None else points(ax, ax.get_window_extent().y0 - box.y0)


def make_room(ax: Axes) -> None:
    """Pull the edges of axes in until the text around them is within their cell.

    Only in a figure without a layout, which would do so itself, and only axes in a grid: other ones
    have the place that they were given. A later layout starts from the grid again.
    """
    from matplotlib.transforms import Bbox

    if ax.get_subplotspec() is None or ax.figure.get_layout_engine() is not None:
        return
    box = cell(ax).padded(-4)
    for _ in range(3):  # ticks move when the axes do
        outer, frame = ax.get_tightbbox(), ax.get_window_extent()
        if outer is None:
            return
        (start, end), (first, last), (low, high) = (b.get_points() for b in (frame, outer, box))
        start, end = start + np.maximum(0, low - first), end - np.maximum(0, last - high)
        # With no room left, axes of a least size are as close to the middle as they can be.
        half = LEAST_FRACTION * (high - low) / 2
        middle = np.clip((start + end) / 2, low + half, high - half)
        ends = np.where(end - start >= 2 * half, [start, end], [middle - half, middle + half])
        ax.set_position(Bbox(ax.figure.transSubfigure.inverted().transform(ends)))
        ax.set_in_layout(True)  # which setting the position ends


def rows_size(n: int, names: Sequence[object] = ()) -> tuple[float, float]:
    """Return the size in inches of a figure of `n` rows, with room for long names."""
    growth = 0.08 * (max((len(str(name)) for name in names), default=0) - 20)
    return 7.2 + float(np.clip(growth, 0, 3)), float(np.clip(1.3 + 0.4 * n, 2.2, 12))


def row_height(ax: Axes) -> float:
    """Return the height of one unit of the y-axis, in points."""
    low, high = ax.get_ylim()
    return axes_size(ax)[1] / abs(high - low)


def label_rows(
    ax: Axes,
    names: Sequence[object],
    columns: Mapping[str, Sequence[str]],
    *,
    margins: tuple[float, float] = (0.6, 0.6),
    reserve: float = 0.0,
) -> tuple[float, float]:
    """Give each name a row, the first on top, with the texts of each column beside it.

    The data keep their part of the width. Columns that do not fit are left out, the first of them
    first, and names are cut to what is left. `reserve` points stay free for more. Return the font
    size and where the columns end, in points from the axes.
    """
    if any(child.get_label() == _BESIDE for child in ax.child_axes):
        raise ValueError("ax has the rows of another plot; use other axes")
    heights = range(len(names) - 1, -1, -1)
    ax.set_ylim(-margins[0], heights[0] + margins[1])
    size, step = fitting_size(ax, 0.8 * row_height(ax), LARGEST_FONT)
    room = (1 - DATA_FRACTION) * cell_size(ax)[0] - reserve - 2 * _BESIDE_GAP
    least = max(text_width(str(name)[:LEAST_NAME], SMALLEST_FONT) for name in names)

    def widths_that_fit() -> dict[str, float]:
        """Return the widths of the last columns that fit, with the gaps after them."""
        kept: dict[str, float] = {}
        for header, texts in reversed(list(columns.items())):
            header_width = text_width(header, min(size, note_size(ax)))
            width = max(text_width(max(texts, key=len), size), header_width) + _COLUMN_GAP
            if sum(kept.values()) + width > room - least:
                break
            kept = {header: width, **kept}
        return kept

    while len(kept := widths_that_fit()) < len(columns) and size > SMALLEST_FONT:
        size = max(SMALLEST_FONT, size - 0.5)
    width = room - sum(kept.values())
    ax.set_yticks(heights[::step], fit_names(names[::step], size, width), fontsize=size)
    ax.tick_params(axis="y", length=0)
    end = _BESIDE_GAP
    header_style: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points"}
    header_style |= {"fontsize": min(size, note_size(ax)), "color": neutral(ax), "va": "bottom"}
    for header, width in kept.items():
        # Labels of ticks, since layouts make room for these.
        axis = ax.secondary_yaxis("right")
        axis.set_label(_BESIDE)
        axis.set_yticks(heights[::step], columns[header][::step], fontsize=size)
        axis.tick_params(axis="y", length=0, pad=end)
        axis.spines["right"].set_visible(False)
        ax.annotate(header, (1, 1), (end, 2), **header_style)
        end += width
    return size, end


def write_above(ax: Axes, line: Line2D) -> None:
    """Write the label of a vertical line above it, outside the axes and below their title."""
    axis = ax.secondary_xaxis("top")
    x, label = float(np.ravel(line.get_xdata())[0]), str(line.get_label())
    # In the right half the text ends at the line, or it would meet the header of a column.
    low, high = ax.get_xlim()
    ha = "right" if x > (low + high) / 2 else "center"
    axis.set_xticks([x], [label], fontsize=note_size(ax), color=line.get_color(), ha=ha)
    axis.tick_params(axis="x", length=0)
    axis.spines["top"].set_visible(False)


def write_note(ax: Axes, *parts: str) -> None:
    """Write below the label of the x-axis what the shapes in the axes are."""
    size = note_size(ax)
    is_narrow = text_width(", ".join(parts), size) > DATA_FRACTION * cell_size(ax)[0]
    text = (",\n" if is_narrow else ", ").join(parts)
    place: dict[str, Any] = {"xycoords": ax.xaxis.label, "textcoords": "offset points"}
    style: dict[str, Any] = {"fontsize": size, "color": neutral(ax), "ha": "center", "va": "top"}
    ax.annotate(text, (0.5, 0), (0, -2), annotation_clip=False, **place, **style)


def value_text(value: Any) -> str:
    """Return the value of a parameter as text.

    Examples
    --------
    >>> value_text(0.12345678), value_text(len), value_text("rbf")
    ('0.1235', 'len', 'rbf')
    """
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(getattr(value, "__name__", value))


@dataclass(frozen=True)
class ParamAxis:
    """Axis of a parameter: numbers in scale, and other values to their right."""

    x: Floats
    """Positions of the values."""
    texts: tuple[str, ...]
    """Text of each value."""
    is_log: bool = False
    is_ordered: bool = True
    """Whether a line from one value to the next makes sense."""
    only_numbers: bool = True

    @classmethod
    def of_values(cls, values: Sequence[Any]) -> Self:
        """Return the axis of values, a logarithmic one if they span decades."""
        texts = tuple(map(value_text, values))
        x = np.array([np.nan if isinstance(v, bool) else float_or_nan(v) for v in values])
        x[~np.isfinite(x)] = np.nan
        is_word = np.isnan(x)
        words = list(dict.fromkeys(texts[i] for i in np.flatnonzero(is_word)))
        known = x[~is_word]
        is_log = bool(known.size and known.min() > 0 and known.max() >= _DECADES * known.min())
        scaled = np.unique(np.log10(known) if is_log else known)
        step = np.median(np.diff(scaled)) if len(scaled) > 1 else 1.0
        for i in np.flatnonzero(is_word):
            place = scaled.max(initial=-1.0) + step * (words.index(texts[i]) + 1)
            x[i] = 10**place if is_log else place
        return cls(x, texts, is_log, is_ordered=bool(known.size), only_numbers=not words)

    @property
    def places(self) -> Floats:
        """Different places in the scale of the axis."""
        places: Floats = np.unique(np.log10(self.x) if self.is_log else self.x)
        return places

    def step(self, ax: Axes) -> float:
        """Return the smallest distance between two values, in points."""
        places, width = self.places, axes_size(ax)[0]
        if len(places) == 1:
            return width
        return float(0.9 * width * np.diff(places).min() / np.ptp(places))

    def set_margins(self, ax: Axes, shift: float) -> None:
        """Set margins with room for artists that are moved sideways by some points."""
        moved = shift / axes_size(ax)[0]
        ax.set_xmargin(max(ax.get_xmargin(), moved / (1 - 2 * moved)))

    def set_ticks(self, ax: Axes, is_first: bool) -> None:
        """Set ticks at the values, if there is room and no other display needs ticks.

        Text is rotated if it is long, and many values have only every k-th tick.
        """
        from matplotlib.ticker import MaxNLocator

        ticks = dict(sorted(zip(self.x.tolist(), self.texts, strict=True)))
        names, step = list(ticks.values()), self.step(ax)
        size = float(ax.xaxis.get_ticklabels()[0].get_fontsize())
        longest = max(text_width(name, size) for name in names)
        if self.only_numbers:
            powers = self.is_log and np.allclose(self.places, np.rint(self.places), atol=1e-9)
            if is_first and not powers and longest + size <= step:
                ax.set_xticks(list(ticks), names)
                ax.set_xticks([], minor=True)
            elif not self.is_log and np.equal(self.x, np.rint(self.x)).all():
                ax.xaxis.set_major_locator(MaxNLocator(nbins="auto", integer=True))
            return
        width, height = cell_size(ax)
        style: dict[str, Any] = {}
        room, every = step - size, 1
        if longest > room:
            style = {"ha": "right", "rotation_mode": "anchor", "rotation": 30}
            room = min(0.35 * width, 0.6 * height)
            if step < 2.4 * size:  # too narrow for slanted text
                size = max(SMALLEST_FONT, min(size, step / 1.15))
                every = ceil(1.15 * size / step)
                style.update(rotation=90, va="center")
                room = 0.35 * height
        shown_names = fit_names(names[::every], size, room)
        ax.set_xticks(list(ticks)[::every], shown_names, fontsize=size, **style)
