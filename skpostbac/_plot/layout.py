"""Layout of text around axes: names, columns of numbers, legends and ticks.

The constrained layout of matplotlib makes room for all text around axes; in a figure
without a layout engine, `arrange` runs it once. Legends and labels of axes are wrapped,
and names are shortened to a number of characters, so that at least a fraction of the
width remains for the data.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from textwrap import fill
from typing import TYPE_CHECKING, Any, Self
from unicodedata import east_asian_width

import numpy as np
from numpy.typing import NDArray

from skpostbac._plot.text import literal, shorten
from skpostbac._utils import Floats, float_or_nan

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

# Font sizes in points: the smallest readable one, that of names and numbers beside
# axes, and that of legends. The last two are scaled down in cells narrower than the
# full width.
SMALLEST_FONT = 6.0
LARGEST_FONT = 10.0
LARGEST_NOTE = 8.5
_FULL_WIDTH = 290.0
# Fraction of the width of a cell for the data, and of its height for a legend.
DATA_FRACTION = 0.3
_LEGEND_FRACTION = 0.36
# Limits on the length of names, in characters.
_MIN_NAME_LENGTH = 18
_MAX_NAME_LENGTH = 60
# Typical width of a character as a fraction of the font size; that of Chinese and other
# full-width characters is 1.
_CHARACTER_WIDTH = 0.57
# Handle and gaps of an entry of a legend in characters, and the height of a line as a
# multiple of the font size.
_HANDLE_LENGTH = 6
_LINE_HEIGHT = 1.45
# Gap between axes and the columns of text beside them, in points, and the one between
# columns, in characters.
_TEXT_GAP = 6.0
_COLUMN_GAP = 1
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


def cell_size(ax: Axes) -> tuple[float, float]:
    """Return the width and the height, in points, for axes and the text around them."""
    width = to_points(ax, ax.figure.bbox.width)
    height = to_points(ax, ax.figure.bbox.height)
    spec = ax.get_subplotspec()
    if spec is None:
        return width, height

    # In grids with the default gaps, these and the margins add about 30%.
    figure: Any = ax.figure  # or a subfigure
    box = spec.get_position(figure)
    return 1.3 * box.width * width, 1.3 * box.height * height


def axes_size(ax: Axes) -> tuple[float, float]:
    """Return the width and the height of axes in points."""
    box = ax.get_window_extent()
    return to_points(ax, box.width), to_points(ax, box.height)


def to_points(ax: Axes, pixels: float) -> float:
    """Convert a length from pixels to points."""
    return pixels * 72 / float(ax.figure.dpi)


def fitting_length(texts: Sequence[str], size: float, width: float) -> int:
    """Return how many characters of texts fit into a width in points."""
    is_wide = any(east_asian_width(char) in "WF" for char in "".join(texts))
    return int(width / (size * (1.0 if is_wide else _CHARACTER_WIDTH)))


def wrap_text(parts: Sequence[str], size: float, width: float) -> str:
    """Join parts on one line, or start a new one with each if they are too long."""
    text = " ".join(parts)
    length = max(fitting_length(parts, size, width), _MIN_NAME_LENGTH)
    if len(text) <= length:
        return text
    lines = (fill(" ".join(shorten(p.split(" "), length)), length) for p in parts)
    return "\n".join(lines)


def fit_names(names: Sequence[object], size: float, width: float) -> list[str]:
    """Abbreviate names to a width in points, but to no less than 18 characters.

    The counts of a class, as in "class (9/10)", are kept.
    """
    texts = [str(name) for name in names]
    length = fitting_length(texts, size, width)
    length = min(max(length, _MIN_NAME_LENGTH), _MAX_NAME_LENGTH)
    heads = [re.sub(r" \(\S+/\S+\)$", "", text) for text in texts]
    counts = [text.removeprefix(head) for text, head in zip(texts, heads, strict=True)]
    length = max(length - max(map(len, counts)), _MIN_NAME_LENGTH // 2)
    short = shorten(heads, length)
    return [literal(name + count) for name, count in zip(short, counts, strict=True)]


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
    """Reduce the size of tick labels and of the axis labels if the cell is narrow."""
    size = scale_font(ax, LARGEST_FONT)
    if size < LARGEST_FONT:
        for axis in (ax.xaxis, ax.yaxis):
            size = min(size, float(axis.label.get_fontsize()))
            axis.set_tick_params(labelsize=size)
            axis.label.set_fontsize(size)


def label_axis(axis: Axis, label: str, *, pos_label: object = None) -> None:
    """Set a label with the positive class, on several lines if it is too long."""
    parts = [literal(label)]
    if pos_label is not None:
        parts.append(literal(f"(Positive label: {pos_label})"))
    width, height = cell_size(axis.axes)
    length = 0.65 * width if axis is axis.axes.xaxis else 0.5 * height
    axis.set_label_text(wrap_text(parts, float(axis.label.get_fontsize()), length))


def legend_below(ax: Axes, title: str) -> None:
    """Add a legend below the axes and their label, where it covers no data."""
    from matplotlib.lines import Line2D

    handles, labels = ax.get_legend_handles_labels()
    if not handles:
        return

    size = note_size(ax)
    width, height = cell_size(ax)
    length = fitting_length(labels, size, 0.9 * width)
    labels = _fit_entries(labels, length - _HANDLE_LENGTH)
    longest = max(len(line) for label in labels for line in label.split("\n"))
    n_columns = max(1, min(3, length // (longest + _HANDLE_LENGTH), len(labels)))

    # If the legend is too high, the last entries are counted instead.
    n_lines = np.cumsum([label.count("\n") + 1 for label in labels])
    free = int(_LEGEND_FRACTION * height / (_LINE_HEIGHT * size)) * n_columns
    if n_lines[-1] > free:
        n_shown = int(np.searchsorted(n_lines, free))
        handles = [*handles[:n_shown], Line2D([], [], linestyle="none")]
        labels = [*labels[:n_shown], f"and {len(labels) - n_shown} more"]

    # The legend is below ticks and label; at another resolution, these may be higher.
    ticks = ax.xaxis.get_tightbbox()
    pixels = 0 if ticks is None else ax.get_window_extent().y0 - ticks.y0
    depth = 1.05 * to_points(ax, pixels)
    ax.legend(
        handles,
        labels,
        title=title,
        loc="upper center",
        bbox_to_anchor=(0.5, 0),
        borderaxespad=depth / size + 0.6,
        fontsize=size,
        title_fontsize=size,
        frameon=False,
        ncols=n_columns,
        columnspacing=1,
    )


def _fit_entries(labels: Sequence[str], length: int) -> list[str]:
    """Cut the names of entries, but not the numbers after them, which are wrapped."""
    parts = [label.partition(" (") for label in labels]
    longest = max(len(numbers) for _, _, numbers in parts) + 2
    names = [name for name, _, _ in parts]
    short = shorten(names, max(length - longest, _MIN_NAME_LENGTH))
    return [
        fill(name + gap + numbers, length)
        for name, (_, gap, numbers) in zip(short, parts, strict=True)
    ]


def arrange(ax: Axes) -> None:
    """Make room for the text around axes: run the layout engine of the figure once.

    It is the constrained one in a figure without any. Nothing happens to axes outside a
    grid, whose position is the user's choice.
    """
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    if ax.get_subplotspec() is not None:
        figure = ax.figure.figure  # that of a subfigure, too
        engine = figure.get_layout_engine() or ConstrainedLayoutEngine()
        engine.execute(figure)


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
) -> float:
    """Label rows with names, the first on top, and with columns of text on their right.

    To leave the data their fraction of the width, columns are omitted, the first one
    first, then the font size is reduced, and names are cut. Return the font size.
    """
    if any(child.get_label() == _TEXT_COLUMN for child in ax.child_axes):
        raise ValueError("ax has the rows of another plot; use other axes")

    heights = range(len(names) - 1, -1, -1)
    ax.set_ylim(-margins[0], heights[0] + margins[1])
    size, step = row_font(ax, 0.7 * row_height(ax), LARGEST_FONT)

    # The lengths of columns, with the gaps after them, and of the names.
    lengths = {
        header: max(map(len, [header, *texts])) + _COLUMN_GAP
        for header, texts in columns.items()
    }
    free = (1 - DATA_FRACTION) * cell_size(ax)[0] - 2 * _TEXT_GAP
    longest = min(max(len(str(name)) for name in names), _MIN_NAME_LENGTH)
    most = fitting_length([], SMALLEST_FONT, free) - longest
    while lengths and sum(lengths.values()) > most:
        del lengths[next(iter(lengths))]

    length = sum(lengths.values())
    fitting = free / (_CHARACTER_WIDTH * (length + longest))
    size = max(SMALLEST_FONT, min(size, fitting))
    shown_names = fit_names(
        names[::step], size, free - _CHARACTER_WIDTH * size * length
    )
    ax.set_yticks(heights[::step], shown_names, fontsize=size)
    ax.tick_params(axis="y", length=0)

    end = _TEXT_GAP
    for header, length in lengths.items():
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
        end += _CHARACTER_WIDTH * size * length
    return size


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
        is_fitting = max(map(len, names)) <= fitting_length(names, size, step) - 2

        if self.only_numbers:
            # matplotlib's own ticks of a logarithmic axis are powers of ten, too.
            are_powers = self.is_log and np.allclose(
                self.positions, np.rint(self.positions), atol=1e-9
            )
            if is_first and not are_powers and is_fitting:
                ax.set_xticks(list(ticks), names)
                ax.set_xticks([], minor=True)
            elif not self.is_log and np.equal(self.x, np.rint(self.x)).all():
                ax.xaxis.set_major_locator(MaxNLocator(nbins="auto", integer=True))
            return

        # Rotated labels need a distance of about 1.7 times their font size.
        style: dict[str, Any] = {}
        every = 1
        if not is_fitting:
            size = max(SMALLEST_FONT, min(size, step / 1.7))
            every = ceil(1.7 * size / step)
            style = {"ha": "right", "rotation_mode": "anchor", "rotation": 45}
        shown_names = fit_names(names[::every], size, 0.35 * min(cell_size(ax)))
        ax.set_xticks(list(ticks)[::every], shown_names, fontsize=size, **style)
