"""What all displays share: matplotlib, asked for only when something is drawn, axes and colours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from itertools import cycle, islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axes._base import _AxesBase
    from matplotlib.lines import Line2D

# The palette of Okabe and Ito (2008), told apart by colour-blind readers, without its yellow,
# which is faint on white. Line styles tell the colours apart in print without colour.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
LINE_STYLES = ("-", "--", "-.", ":")

# Reference lines: chance, no difference, rope.
NEUTRAL = "#666666"


def check_matplotlib(caller: str) -> None:
    """Raise the ImportError that says who needs matplotlib, and how to get it."""
    if find_spec("matplotlib") is None:
        raise ImportError(
            f"{caller} requires matplotlib. You can install matplotlib with "
            "`pip install matplotlib`"
        )


def own_axes(ax: Axes | None, caller: str, **subplots: Any) -> Axes:
    """Return `ax`, or the axes of a new figure."""
    check_matplotlib(caller)
    if ax is not None:
        return ax
    from matplotlib import pyplot as plt

    _, ax = plt.subplots(layout="constrained", **subplots)
    return ax


def line_styles(n: int) -> Iterator[dict[str, str]]:
    """Return colour and line style of each of `n` lines, all different up to twelve."""
    pairs = zip(cycle(COLORS), cycle(LINE_STYLES), strict=False)
    return islice(({"color": color, "linestyle": style} for color, style in pairs), n)


def write_full_numbers(ax: Axes) -> None:
    """Write 0.90001 at the x-axis of new axes, not 1 and, at its end, 1e-5 + 0.9."""
    ax.ticklabel_format(axis="x", useOffset=False)
    ax.locator_params(axis="x", nbins=6)


def row_height(ax: Axes) -> float:
    """Return the height of one unit of the y-axis, in points."""
    low, high = ax.get_ylim()
    return float(ax.get_window_extent().height * 72 / ax.figure.dpi / abs(high - low))


def write_beside(
    ax: Axes,
    heights: Sequence[float],
    texts: Sequence[str],
    *,
    header: str,
    font_size: float,
    offset: float = 6,
) -> None:
    """Write a column of text to the right of the axes, `offset` points away.

    The texts are labels of ticks, for which layouts make room.
    """
    axis = ax.secondary_yaxis("right")
    axis.set_yticks(heights, texts, fontsize=font_size)
    axis.tick_params(axis="y", length=0, pad=offset)
    despine_axes(axis, "right")
    ax.annotate(
        header,
        (1, 1),
        (offset, 2),
        xycoords="axes fraction",
        textcoords="offset points",
        fontsize="small",
        color=NEUTRAL,
        va="bottom",
    )


def write_above(ax: Axes, line: Line2D) -> None:
    """Write the label of a vertical line above it, outside the axes and below their title."""
    axis = ax.secondary_xaxis("top")
    x, label = float(np.ravel(line.get_xdata())[0]), str(line.get_label())
    axis.set_xticks([x], [label], fontsize="small", color=line.get_color())
    axis.tick_params(axis="x", length=0)
    despine_axes(axis, "top")


def despine_axes(ax: _AxesBase, *sides: str) -> None:
    """Hide spines."""
    for side in sides:
        ax.spines[side].set_visible(False)


def contrasting(color: Sequence[float] | NDArray[np.float64]) -> str:
    """Return black or white, whichever is read better on a colour (red, green, blue, ...)."""
    red, green, blue = color[:3]
    return "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "white"
