"""Layout of text around axes: names, columns of numbers, notes, legends and ticks.

The *cell* of axes is the area of the figure that belongs to them: their box in the grid
of subplots with half of the gaps around it, or the whole figure without a grid. Text is
measured and shortened so that a minimum fraction of the cell remains for the data. The
constrained layout of matplotlib then shrinks the axes to fit the text into the cell. In
a figure without a layout engine, `shrink_to_cell` does the same.
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

# Font sizes in points: the smallest readable one, that of names and numbers beside
# axes, and that of notes and legends. The last two are scaled down in cells narrower
# than the full width.
SMALLEST_FONT = 6.0
LARGEST_FONT = 10.0
LARGEST_NOTE = 8.5
_FULL_WIDTH = 290.0
# Fractions of the cell: the width for the data, and the smallest width and height of
# the axes.
DATA_FRACTION = 0.38
MIN_AXES_FRACTION = 0.3
# Limits on the length of names, in characters. Where a legend has no space for names of
# the last length, the numbers after them move to a second line.
MIN_NAME_LENGTH = 18
MAX_NAME_LENGTH = 60
MIN_LEGEND_NAME_LENGTH = 22
# Dimensions of legends as multiples of the font size: width of a handle with its gaps,
# gap between columns, height of an entry, and gap below the label of the axis.
_HANDLE_WIDTH = 3.2
_LEGEND_COLUMN_GAP = 2.0
_ENTRY_HEIGHT = 1.45
_LEGEND_GAP = 0.6
# Gaps between axes and the columns of text beside them, and between columns, in points.
_TEXT_GAP = 6.0
_COLUMN_GAP = 10.0
# Label of the secondary axes that hold these columns.
_TEXT_COLUMN = "beside rows"
# Minimum ratio of the largest to the smallest value for a logarithmic axis.
_MIN_LOG_RATIO = 100


def contrasting(color: Sequence[float] | NDArray[np.float64]) -> str:
    """Return black or white, whichever contrasts more with an RGB or RGBA colour."""
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
    """Return a cell in figure fractions; it ends in the middle of gaps in the grid."""
    from matplotlib.transforms import Bbox

    top = spec.get_topmost_subplotspec()
    parent = Bbox.unit() if top is spec else _relative_cell(top, figure)

    grid = spec.get_gridspec().get_grid_positions(figure)
    bottoms, tops, lefts, rights = map(np.asarray, grid)
    x = [parent.x0, *(rights[:-1] + lefts[1:]) / 2, parent.x1]
    y = [parent.y1, *(bottoms[:-1] + tops[1:]) / 2, parent.y0]

    columns = spec.colspan
    rows = spec.rowspan
    return Bbox.from_extents(
        x[columns.start], y[rows.stop], x[columns.stop], y[rows.start]
    )


def cell_size(ax: Axes) -> tuple[float, float]:
    """Return the width and the height of the cell of axes in points."""
    box = cell(ax)
    return to_points(ax, box.width), to_points(ax, box.height)


def axes_size(ax: Axes) -> tuple[float, float]:
    """Return the width and the height of axes in points."""
    box = ax.get_window_extent()
    return to_points(ax, box.width), to_points(ax, box.height)


def to_points(ax: Axes, pixels: float) -> float:
    """Convert a length from pixels to points."""
    return pixels * 72 / float(ax.figure.dpi)


def text_width(text: str, size: float) -> float:
    """Return the width of a text in points: that of its longest line."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size)
    # As `literal` writes them: unprintable characters are escaped in the plot, too.
    lines = [printable(line) for line in text.replace(r"\$", "$").split("\n")]
    with warnings.catch_warnings():
        # matplotlib warns of missing glyphs once more when the text is drawn.
        warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
        widths = [
            text_to_path.get_text_width_height_descent(line, font, False)[0]
            for line in lines
        ]

    # The font lacks Chinese and other full-width characters, and its substitute for
    # them is narrower than they are in a font that has them.
    n_wide = [sum(east_asian_width(char) in "WF" for char in line) for line in lines]
    return max(float(w) + 0.4 * size * n for w, n in zip(widths, n_wide, strict=True))


def fit_names(
    names: Sequence[object],
    size: float,
    width: float,
    min_length: int = MIN_NAME_LENGTH,
) -> list[str]:
    """Abbreviate names to a width in points, but to no less than `min_length`."""
    per_character = max(
        (text_width(str(name), size) / len(str(name)) for name in names if str(name)),
        default=1.0,
    )
    length = min(max(int(width / per_character), min_length), MAX_NAME_LENGTH)
    return [literal(name) for name in shorten(names, length)]


def scale_font(ax: Axes, size: float) -> float:
    """Return a font size scaled down in a narrow cell, but still readable."""
    scale = min(1.0, cell_size(ax)[0] / _FULL_WIDTH)
    return max(min(size, SMALLEST_FONT), size * scale)


def note_size(ax: Axes) -> float:
    """Return the font size of legends and notes."""
    return scale_font(ax, LARGEST_NOTE)


def row_font(ax: Axes, fitting: float, largest: float) -> tuple[float, int]:
    """Return a readable font size for labels of rows, and the step between them.

    If the size that fits is too small, only every k-th row has a label.
    """
    size = min(max(fitting, SMALLEST_FONT), scale_font(ax, largest))
    return size, ceil(size / fitting) if fitting < SMALLEST_FONT else 1


def scale_text(ax: Axes) -> None:
    """Scale the tick labels and the axis labels down if the cell is narrow."""
    import matplotlib as mpl
    from matplotlib.font_manager import FontProperties

    def scale_default(name: Any) -> float:
        default = FontProperties(size=mpl.rcParams[name]).get_size_in_points()
        return scale_font(ax, default)

    if scale_font(ax, LARGEST_FONT) < LARGEST_FONT:
        for axis, name in (
            (ax.xaxis, "xtick.labelsize"),
            (ax.yaxis, "ytick.labelsize"),
        ):
            axis.set_tick_params(labelsize=scale_default(name))
            axis.label.set_fontsize(scale_default("axes.labelsize"))


def label_axis(axis: Axis, label: str, *, pos_label: object = None) -> None:
    """Set a label with the positive class, on two lines if it is too long for one."""
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

    size = note_size(ax)
    width, height = cell_size(ax)
    width *= 0.9
    column_gap = _LEGEND_COLUMN_GAP * size
    labels = _fit_entries(labels, size, width - _HANDLE_WIDTH * size)
    longest = max(text_width(label, size) for label in labels)
    column_width = longest + (_HANDLE_WIDTH + _LEGEND_COLUMN_GAP) * size
    n_columns = max(1, min(3, int((width + column_gap) / column_width), len(labels)))

    # At another resolution, text may be a few percent longer.
    depth = 1.05 * depth_below(ax) + _LEGEND_GAP * size

    # The legend has at most this fraction of the cell, and leaves the axes their
    # minimum height. If it is too long, the last entries are counted instead.
    entry_height = _ENTRY_HEIGHT * size
    n_lines = max(label.count("\n") + 1 for label in labels)
    free = min(0.45 * height, (1 - MIN_AXES_FRACTION) * height - depth - 3 * size)
    free -= entry_height if title else 0
    n_shown = max(1, int(free / (entry_height * n_lines))) * n_columns
    if len(labels) > n_shown:
        handles = [*handles[: n_shown - 1], Line2D([], [], linestyle="none")]
        labels = [*labels[: n_shown - 1], f"and {len(labels) - n_shown + 1} more"]

    below = ax.transAxes + ScaledTranslation(0, -depth / 72, ax.figure.dpi_scale_trans)
    ax.legend(
        handles,
        labels,
        title=title,
        loc="upper center",
        bbox_to_anchor=(0.5, 0),
        bbox_transform=below,
        borderaxespad=0,
        fontsize=size,
        title_fontsize=size,
        frameon=False,
        ncols=n_columns,
        columnspacing=_LEGEND_COLUMN_GAP,
    )


def _fit_entries(labels: Sequence[str], size: float, width: float) -> list[str]:
    """Shorten long legend entries: cut their names, or break before the numbers."""
    long = {
        label: label.rpartition(" (")
        for label in labels
        if text_width(label, size) > width
    }
    if not long:
        return list(labels)

    # An entry without numbers has an empty separator, and its name comes last.
    names = {label: name if sep else end for label, (name, sep, end) in long.items()}
    numbers = {label: f"({end}" if sep else "" for label, (_, sep, end) in long.items()}

    name_width = width - max(text_width(f" {text}", size) for text in numbers.values())
    # The mean width of a character is about 0.55 of the font size.
    is_one_line = name_width >= MIN_LEGEND_NAME_LENGTH * 0.55 * size
    gap = " " if is_one_line else "\n"
    short = fit_names(list(names.values()), size, name_width if is_one_line else width)
    entries = {
        label: name + (gap + numbers[label] if numbers[label] else "")
        for label, name in zip(long, short, strict=True)
    }
    return [entries.get(label, label) for label in labels]


def depth_below(ax: Axes) -> float:
    """Return the height of the ticks and the label below the axes, in points."""
    box = ax.xaxis.get_tightbbox()
    return 0.0 if box is None else to_points(ax, ax.get_window_extent().y0 - box.y0)


def shrink_to_cell(ax: Axes) -> None:
    """Shrink the axes until the text around them fits into their cell.

    It does nothing in a figure with a layout engine, and to axes outside a grid, whose
    position is the user's choice. A layout engine set later starts from the grid.
    """
    from matplotlib.transforms import Bbox

    if ax.get_subplotspec() is None or ax.figure.get_layout_engine() is not None:
        return

    low, high = cell(ax).padded(-4).get_points()
    half = MIN_AXES_FRACTION * (high - low) / 2
    for _ in range(3):  # smaller axes may have other ticks, with labels of other sizes
        outer = ax.get_tightbbox()
        if outer is None:
            return
        first, last = outer.get_points()
        start, end = ax.get_window_extent().get_points()
        start = start + np.maximum(0, low - first)
        end = end - np.maximum(0, last - high)

        # Axes that would be too small have their minimum size, around the same middle
        # if that is within the cell.
        middle = np.clip((start + end) / 2, low + half, high - half)
        ends = np.where(
            end - start >= 2 * half, [start, end], [middle - half, middle + half]
        )
        ax.set_position(Bbox(ax.figure.transSubfigure.inverted().transform(ends)))
        ax.set_in_layout(True)  # `set_position` takes the axes out of layouts


def rows_size(n: int, names: Sequence[object] = ()) -> tuple[float, float]:
    """Return the size in inches of a figure of `n` rows, wider for long names."""
    growth = 0.08 * (max((len(str(name)) for name in names), default=0) - 20)
    width = 7.2 + float(np.clip(growth, 0, 3))
    height = float(np.clip(1.3 + 0.4 * n, 2.2, 12))
    return width, height


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
    """Label rows with names, the first on top, and with columns of text on their right.

    To leave the data their fraction of the width, the font size is reduced, then
    columns are omitted, the first one first, and names are cut. `reserve` points remain
    free on the right. Return the font size, and the distance in points from the axes to
    the end of the columns.
    """
    if any(child.get_label() == _TEXT_COLUMN for child in ax.child_axes):
        raise ValueError("ax has the rows of another plot; use other axes")

    heights = range(len(names) - 1, -1, -1)
    ax.set_ylim(-margins[0], heights[0] + margins[1])
    size, step = row_font(ax, 0.8 * row_height(ax), LARGEST_FONT)
    free = (1 - DATA_FRACTION) * cell_size(ax)[0] - reserve - 2 * _TEXT_GAP
    min_width = max(
        text_width(str(name)[:MIN_NAME_LENGTH], SMALLEST_FONT) for name in names
    )

    def widths_that_fit() -> dict[str, float]:
        """Return the widths of the last columns that fit, with the gaps after them."""
        widths: dict[str, float] = {}
        for header, texts in reversed(list(columns.items())):
            header_width = text_width(header, min(size, note_size(ax)))
            width = max(text_width(max(texts, key=len), size), header_width)
            width += _COLUMN_GAP
            if sum(widths.values()) + width > free - min_width:
                break
            widths = {header: width, **widths}
        return widths

    while len(widths := widths_that_fit()) < len(columns) and size > SMALLEST_FONT:
        size = max(SMALLEST_FONT, size - 0.5)

    shown_names = fit_names(names[::step], size, free - sum(widths.values()))
    ax.set_yticks(heights[::step], shown_names, fontsize=size)
    ax.tick_params(axis="y", length=0)

    end = _TEXT_GAP
    for header, width in widths.items():
        # Texts are tick labels of a secondary axis, for which layout engines reserve
        # space.
        axis = ax.secondary_yaxis("right")
        axis.set_label(_TEXT_COLUMN)
        axis.set_yticks(heights[::step], columns[header][::step], fontsize=size)
        axis.tick_params(axis="y", length=0, pad=end)
        axis.spines["right"].set_visible(False)

        ax.annotate(
            header,
            (1, 1),
            (end, 2),
            xycoords="axes fraction",
            textcoords="offset points",
            fontsize=min(size, note_size(ax)),
            color=neutral(ax),
            va="bottom",
        )
        end += width
    return size, end


def label_above(ax: Axes, line: Line2D) -> None:
    """Write the label of a vertical line above the axes and below their title."""
    axis = ax.secondary_xaxis("top")
    x = float(np.ravel(line.get_xdata())[0])
    label = str(line.get_label())

    # In the right half, a centred label could overlap the header of a column.
    low, high = ax.get_xlim()
    ha = "right" if x > (low + high) / 2 else "center"
    axis.set_xticks([x], [label], fontsize=note_size(ax), color=line.get_color(), ha=ha)
    axis.tick_params(axis="x", length=0)
    axis.spines["top"].set_visible(False)


def add_note(ax: Axes, *parts: str) -> None:
    """Write an explanation below the label of the x-axis, with a line for each part.

    The parts share one line if there is enough space.
    """
    size = note_size(ax)
    is_narrow = text_width(", ".join(parts), size) > DATA_FRACTION * cell_size(ax)[0]
    ax.annotate(
        (",\n" if is_narrow else ", ").join(parts),
        (0.5, 0),
        (0, -2),
        xycoords=ax.xaxis.label,
        textcoords="offset points",
        annotation_clip=False,
        fontsize=size,
        color=neutral(ax),
        ha="center",
        va="top",
    )


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
    """Axis of a parameter: numbers to scale, and other values on their right."""

    x: Floats
    """Positions of the values."""
    texts: tuple[str, ...]
    """Text of each value."""
    is_log: bool = False
    is_ordered: bool = True
    """Whether lines may connect the values: False if none of them is a number."""
    only_numbers: bool = True

    @classmethod
    def of_values(cls, values: Sequence[Any]) -> Self:
        """Return the axis of values, logarithmic if they span two decades."""
        texts = tuple(map(value_text, values))
        x = np.array(
            [np.nan if isinstance(v, bool) else float_or_nan(v) for v in values]
        )
        x[~np.isfinite(x)] = np.nan
        is_word = np.isnan(x)
        words = list(dict.fromkeys(texts[i] for i in np.flatnonzero(is_word)))

        numbers = x[~is_word]
        is_log = bool(
            numbers.size
            and numbers.min() > 0
            and numbers.max() >= _MIN_LOG_RATIO * numbers.min()
        )

        # Words follow the largest number at the typical distance between numbers.
        scaled = np.unique(np.log10(numbers) if is_log else numbers)
        step = np.median(np.diff(scaled)) if len(scaled) > 1 else 1.0
        for i in np.flatnonzero(is_word):
            position = scaled.max(initial=-1.0) + step * (words.index(texts[i]) + 1)
            x[i] = 10**position if is_log else position

        return cls(
            x, texts, is_log, is_ordered=bool(numbers.size), only_numbers=not words
        )

    @property
    def positions(self) -> Floats:
        """Distinct positions, logarithms on a logarithmic axis."""
        positions: Floats = np.unique(np.log10(self.x) if self.is_log else self.x)
        return positions

    def step(self, ax: Axes) -> float:
        """Return the smallest distance between two values, in points."""
        positions = self.positions
        width = axes_size(ax)[0]
        if len(positions) == 1:
            return width
        return float(0.9 * width * np.diff(positions).min() / np.ptp(positions))

    def set_margins(self, ax: Axes, shift: float) -> None:
        """Set margins wide enough for artists shifted sideways by `shift` points."""
        fraction = shift / axes_size(ax)[0]
        ax.set_xmargin(max(ax.get_xmargin(), fraction / (1 - 2 * fraction)))

    def set_ticks(self, ax: Axes, is_first: bool) -> None:
        """Set ticks at the values, or keep the default ticks.

        Numbers get ticks at the values if these fit and if this is the first plot in
        the axes. Other values always do: long text is rotated, and if there are many
        values, only every k-th has a tick.
        """
        from matplotlib.ticker import MaxNLocator

        ticks = dict(sorted(zip(self.x.tolist(), self.texts, strict=True)))
        names = list(ticks.values())
        step = self.step(ax)
        size = float(ax.xaxis.get_ticklabels()[0].get_fontsize())
        longest = max(text_width(name, size) for name in names)

        if self.only_numbers:
            # matplotlib's own ticks of a logarithmic axis are powers of ten, too.
            are_powers = self.is_log and np.allclose(
                self.positions, np.rint(self.positions), atol=1e-9
            )
            if is_first and not are_powers and longest + size <= step:
                ax.set_xticks(list(ticks), names)
                ax.set_xticks([], minor=True)
            elif not self.is_log and np.equal(self.x, np.rint(self.x)).all():
                ax.xaxis.set_major_locator(MaxNLocator(nbins="auto", integer=True))
            return

        cell_width, cell_height = cell_size(ax)
        style: dict[str, Any] = {}
        width = step - size
        every = 1
        if longest > width:
            style = {"ha": "right", "rotation_mode": "anchor", "rotation": 30}
            width = min(0.35 * cell_width, 0.6 * cell_height)
            if step < 2.4 * size:  # rotated by 30 degrees, labels would overlap
                size = max(SMALLEST_FONT, min(size, step / 1.15))
                every = ceil(1.15 * size / step)
                style.update(rotation=90, va="center")
                width = 0.35 * cell_height
        shown_names = fit_names(names[::every], size, width)
        ax.set_xticks(list(ticks)[::every], shown_names, fontsize=size, **style)
