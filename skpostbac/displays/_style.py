"""What all displays share: matplotlib, asked for only when something is drawn, axes and colours."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from itertools import cycle, islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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


def literal(text: object, width: int = 60) -> str:
    """Return text as matplotlib is to show it, character by character.

    It takes what stands between two ``$`` as a formula, and leaves labels that begin with ``_``
    out of legends. Very long text is cut in the middle.
    """
    text = str(text)
    if len(text) > width:
        half = (width - 3) // 2
        text = f"{text[:half]}...{text[-half:]}"
    text = text.replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def font_size(ax: Axes, n: int, vertical: bool = True) -> float:
    """Return the size in points, at most 10, at which `n` lines of text fit along an axis."""
    box = ax.get_window_extent()
    length = (box.height if vertical else box.width) * 72 / ax.figure.dpi
    return float(min(10.0, 0.8 * length / n))


def despine_axes(ax: Axes, *sides: str) -> None:
    """Hide spines."""
    ax.spines[list(sides)].set_visible(False)


def contrasting(color: tuple[float, ...]) -> str:
    """Return black or white, whichever is read better on a colour (red, green, blue, ...)."""
    red, green, blue = color[:3]
    return "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "white"
