"""Layout of text around axes: names, columns of numbers, legends and ticks.

The constrained layout of matplotlib makes room for all text around axes; in a figure
without a layout engine, `arrange` runs it once. Names are shortened to a number of
characters that follows from the size of the grid cell of the axes, so that at least a
fraction of it remains for the data.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
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

# Smallest readable font size in points, and the width in points of a cell below which
# fonts are smaller than the default. Legends and notes are smaller by a factor.
SMALLEST_FONT = 6.0
_FULL_WIDTH = 290.0
NOTE_SCALE = 0.85
# Fraction of the width of a cell for the data, and of its height for a legend.
_DATA_FRACTION = 0.27
_LEGEND_FRACTION = 0.36
# Fraction of the height of a cell, or of its shorter side, for the rows of axes.
_ROWS_FRACTION = 0.75
# Limits on the length of names, in characters.
_MIN_NAME_LENGTH = 12
_MAX_NAME_LENGTH = 60
# Typical width of a character as a fraction of the font size; that of Chinese and other
# full-width characters is 1.
_CHARACTER_WIDTH = 0.57
# Handle and gaps of an entry of a legend in characters, and the height of a line as a
# multiple of the font size.
_HANDLE_LENGTH = 6
_LINE_HEIGHT = 1.45
# Gap between axes and the columns of text beside them, in points.
_TEXT_GAP = 6.0
# Label of the texts in these columns, which a legend leaves out.
_TEXT_COLUMN = "_beside rows"
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


def cell_size(ax: Axes) -> Floats:
    """Return the width and the height, in points, for axes and the text around them."""
    figure: Any = ax.figure  # or a subfigure
    spec = ax.get_subplotspec()
    box: Any = ax.get_position() if spec is None else spec.get_position(figure)

    # In grids with the default gaps, these and the margins add about 30%.
    size: Floats = 1.3 * box.size * figure.bbox.size * 72 / figure.dpi
    return size


def row_height(ax: Axes) -> float:
    """Return the approximate height of one unit of the y-axis, in points."""
    low, high = ax.get_ylim()
    return float(_ROWS_FRACTION * cell_size(ax)[1] / abs(high - low))


def font_size(ax: Axes, scale: float = 1.0) -> float:
    """Return a multiple of the default font size, reduced in a narrow cell."""
    import matplotlib as mpl

    largest = scale * float(mpl.rcParams["font.size"])
    fitting = largest * cell_size(ax)[0] / _FULL_WIDTH
    return float(np.clip(fitting, min(SMALLEST_FONT, largest), largest))


def row_font(ax: Axes, fitting: float) -> tuple[float, int]:
    """Return a readable font size for labels of rows, and the step between them.

    If the size that fits is too small, only every k-th row has a label.
    """
    size = min(max(fitting, SMALLEST_FONT), font_size(ax))
    return size, max(1, ceil(size / fitting - 1e-9))


def fitting_length(texts: Sequence[str], size: float, width: float) -> int:
    """Return how many characters of texts fit into a width in points."""
    is_wide = any(east_asian_width(char) in "WF" for char in "".join(texts))
    length = int(width / (size * (1.0 if is_wide else _CHARACTER_WIDTH)))
    return max(length, _MIN_NAME_LENGTH)


def fit_names(names: Sequence[object], size: float, width: float) -> list[str]:
    """Abbreviate names of rows to a width in points, but to no less than 12 characters.

    The counts of a class, as in "class (9/10)", are kept.
    """
    texts = [str(name) for name in names]
    length = min(fitting_length(texts, size, width), _MAX_NAME_LENGTH)
    return [literal(text) for text in _cut_names(texts, length, r" \(\S+/\S+\)$")]


def _cut_names(labels: Sequence[str], length: int, end: str) -> list[str]:
    """Abbreviate names to a number of characters, but not the ends with a pattern."""
    names = [re.sub(end, "", label) for label in labels]
    ends = [label.removeprefix(name) for label, name in zip(labels, names, strict=True)]
    length = max(length - max(map(len, ends)), _MIN_NAME_LENGTH)
    return [name + end for name, end in zip(shorten(names, length), ends, strict=True)]


def label_axis(axis: Axis, *parts: str) -> None:
    """Set a label, whose parts are on lines of their own if it is too long for one."""
    ax = axis.axes
    width, height = cell_size(ax)
    space = 0.75 * width if axis is ax.xaxis else 0.6 * height
    length = fitting_length(parts, float(axis.label.get_fontsize()), space)

    lines = [literal(part) for part in parts]
    text = " ".join(lines)
    if len(text) > length:
        text = "\n".join(fill(line, length) for line in lines)
    axis.set_label_text(text)


def legend_below(ax: Axes, title: str) -> None:
    """Add a legend below the axes and their label, where it covers no data.

    Names are cut, but not the numbers after them. If there are too many entries, the
    last ones are counted instead.
    """
    from matplotlib.lines import Line2D

    handles, labels = ax.get_legend_handles_labels()
    if not handles:
        return

    size = font_size(ax, NOTE_SCALE)
    width, height = cell_size(ax)
    length = fitting_length(labels, size, 0.9 * width)
    labels = _cut_names(labels, length - _HANDLE_LENGTH, r" \([^()]*\)$")
    longest = max(map(len, labels)) + _HANDLE_LENGTH
    n_columns = max(1, min(3, length // longest, len(labels)))

    n_most = int(_LEGEND_FRACTION * height / (_LINE_HEIGHT * size)) * n_columns
    if len(labels) > n_most:
        handles = [*handles[: n_most - 1], Line2D([], [], linestyle="none")]
        n_left = len(labels) - n_most + 1
        labels = [*labels[: n_most - 1], f"and {n_left} more"]

    # The legend is below ticks and label; at another resolution, these may be higher.
    ticks = ax.xaxis.get_tightbbox()
    pixels = 0 if ticks is None else ax.bbox.y0 - ticks.y0
    depth = 1.05 * pixels * 72 / ax.figure.dpi
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


def arrange(ax: Axes) -> None:
    """Make room for the text around axes where the figure does not when it is drawn.

    Without a layout engine, the constrained one runs once; square axes need one run
    more. Nothing happens to axes outside a grid, whose position is the user's choice.
    """
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure = ax.figure.figure  # that of a subfigure, too
    engine = figure.get_layout_engine()
    is_ready = engine is not None and ax.get_aspect() == "auto"
    if ax.get_subplotspec() is not None and not is_ready:
        (engine or ConstrainedLayoutEngine()).execute(figure)


def rows_size(n: int, names: Sequence[object] = ()) -> tuple[float, float]:
    """Return the size in inches of a figure of `n` rows, wider for long names."""
    growth = 0.08 * (max((len(str(name)) for name in names), default=0) - 20)
    width = 7.2 + float(np.clip(growth, 0, 3))
    height = float(np.clip(1.3 + 0.4 * n, 2.2, 12))
    return width, height


def label_rows(
    ax: Axes,
    names: Sequence[object],
    columns: Mapping[str, Sequence[str]],
    *,
    margins: tuple[float, float] = (0.6, 0.6),
) -> range:
    """Label rows with names, the first on top, and with columns of text on their right.

    To leave the data their fraction of the width, columns are omitted, the first one
    first, and names are cut. Return the positions of the rows on the y-axis.
    """
    if any(text.get_label() == _TEXT_COLUMN for text in ax.texts):
        raise ValueError("ax has the rows of another plot; use other axes")

    heights = range(len(names) - 1, -1, -1)
    ax.set_ylim(-margins[0], heights[0] + margins[1])
    size, step = row_font(ax, 0.7 * row_height(ax))

    # Widths in points, that of names being the shortest to which they may be cut.
    character = _CHARACTER_WIDTH * size
    widths = {
        header: character * (max(map(len, [header, *texts])) + 1)
        for header, texts in columns.items()
    }
    longest = min(max(len(str(name)) for name in names), _MIN_NAME_LENGTH)
    free = (1 - _DATA_FRACTION) * cell_size(ax)[0] - 2 * _TEXT_GAP
    while widths and sum(widths.values()) + character * longest > free:
        del widths[next(iter(widths))]

    shown_names = fit_names(names[::step], size, free - sum(widths.values()))
    ax.set_yticks(heights[::step], shown_names, fontsize=size)
    ax.tick_params(axis="y", length=0)

    write = partial(
        ax.annotate,
        xycoords=ax.get_yaxis_transform(),
        textcoords="offset points",
        label=_TEXT_COLUMN,
        fontsize=size,
    )
    start = _TEXT_GAP
    for header, width in widths.items():
        top = (1, ax.get_ylim()[1])
        write(header, top, (start, 2), va="bottom", color=neutral(ax))
        texts = columns[header][::step]
        for height, text in zip(heights[::step], texts, strict=True):
            write(text, (1, height), (start, 0), va="center")
        start += width

    ax.grid(axis="x", alpha=0.25)
    ax.set_axisbelow(True)
    return heights


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
    """Axis of a parameter: to scale if its values are numbers, or else in equal steps.

    In equal steps, numbers come first, in increasing order.
    """

    x: Floats
    """Positions of the values."""
    names: Sequence[str] = ()
    """Texts at the positions 0, 1, ..., unless the axis is to scale."""
    is_ordered: bool = True
    """Whether lines may connect the values: False if none of them is a number."""

    @classmethod
    def of_values(cls, values: Sequence[Any]) -> Self:
        """Return the axis of values; infinite ones are no numbers."""
        x = np.array(
            [np.nan if isinstance(v, bool) else float_or_nan(v) for v in values]
        )
        is_number = np.isfinite(x)
        if is_number.all() and np.ptp(x) > 0:
            return cls(x)

        x[~is_number] = np.inf
        texts = [value_text(value) for value in values]
        order = np.argsort(x, kind="stable")
        names = list(dict.fromkeys(texts[i] for i in order))
        positions = np.array([names.index(text) for text in texts], dtype=float)
        return cls(positions, names, is_ordered=bool(is_number.any()))

    @property
    def is_log(self) -> bool:
        """Whether the axis is logarithmic, as numbers span two decades."""
        low = self.x.min()
        return not self.names and low > 0 and self.x.max() >= _MIN_LOG_RATIO * low

    def step(self, ax: Axes) -> float:
        """Return the smallest distance between two values, in points."""
        positions = np.unique(np.log10(self.x) if self.is_log else self.x)
        steps = np.diff(positions) / max(np.ptp(positions), 1e-300)
        return float(_ROWS_FRACTION * cell_size(ax)[0] * steps.min(initial=1.0))

    def set_ticks(self, ax: Axes) -> None:
        """Set the names as tick labels, and integers as ticks of integers.

        Long names are rotated, and if there are many, only every k-th has a tick.
        """
        if not self.names:
            if not self.is_log and np.equal(self.x, np.rint(self.x)).all():
                ax.locator_params(axis="x", integer=True)
            return

        # Rotated labels need a distance of about 1.7 times their font size.
        step = self.step(ax)
        size, every = row_font(ax, step / 1.7)
        style: dict[str, Any] = {}
        if (max(map(len, self.names)) + 2) * _CHARACTER_WIDTH * size > step:
            style = {"ha": "right", "rotation_mode": "anchor", "rotation": 45}
        shown = fit_names(self.names[::every], size, 0.35 * min(cell_size(ax)))
        ax.set_xticks(range(0, len(self.names), every), shown, fontsize=size, **style)
