"""Common style of plots: axes and colours; matplotlib is imported when needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from itertools import accumulate, cycle, islice, product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from skpostbac._plot.room import scale_text
from skpostbac._utils import shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axes._base import _AxesBase
    from matplotlib.cm import ScalarMappable
    from matplotlib.colorbar import Colorbar
    from matplotlib.lines import Line2D

# The palette of Okabe and Ito (2008), told apart by colour-blind readers, without its yellow,
# which is faint on white. Line styles tell the colours apart in print without colour.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
LINE_STYLES = ("-", "--", "-.", ":")
# Widths, as multiples of matplotlib's, tell more than twelve lines apart.
LINE_WIDTHS = (1.0, 2.0, 0.5)

# Reference lines: chance, no difference, rope. As readable on black as on white.
NEUTRAL = "#767676"


def check_matplotlib(caller: str) -> None:
    """Raise an ImportError that explains how to install matplotlib, if it is missing."""
    if find_spec("matplotlib") is None:
        raise ImportError(
            f"{caller} requires matplotlib. You can install matplotlib with "
            "`pip install matplotlib`"
        )


def own_axes(ax: Axes | None, caller: str, **subplots: Any) -> Axes:
    """Return `ax`, which must be axes, or the axes of a new figure if it is None."""
    check_matplotlib(caller)
    if ax is not None:
        scale_text(check_axes(ax))
        return ax
    from matplotlib import pyplot as plt

    _, ax = plt.subplots(layout="constrained", **subplots)
    return ax


def check_axes(ax: object) -> Axes:
    """Return `ax`, or raise if it is not Axes, such as an array of them."""
    from matplotlib.axes import Axes

    if not isinstance(ax, Axes):
        raise TypeError(f"ax must be matplotlib Axes or None, got {shown(ax)}")
    return ax


def check_cmap(cmap: object, caller: str) -> None:
    """Raise if `cmap` is neither a name, which matplotlib checks, nor a Colormap."""
    check_matplotlib(caller)
    from matplotlib.colors import Colormap

    if not (cmap is None or isinstance(cmap, str | Colormap)):
        raise TypeError(f"cmap must be a str or a matplotlib Colormap, got {shown(cmap)}")


def free_styles(ax: Axes, n: int) -> list[dict[str, Any]]:
    """Return colour, style and width of `n` new lines, all different up to 36.

    Those that look least like a line of the axes come first.
    """
    import matplotlib as mpl

    pairs = islice(zip(cycle(COLORS), cycle(LINE_STYLES), strict=False), 12)
    styles = [
        {"color": color, "linestyle": style, "linewidth": scale * mpl.rcParams["lines.linewidth"]}
        for scale, (color, style) in product(LINE_WIDTHS, list(pairs))
    ]
    lines = ax.get_lines()
    styles.sort(key=lambda style: max((_likeness(style, line) for line in lines), default=0))
    return list(islice(cycle(styles), n))


def _likeness(style: Mapping[str, Any], line: Line2D) -> int:
    """Return 0 if the colours differ, 1 if only these are the same, ..., 3 if all is the same."""
    from matplotlib.colors import same_color

    same = (
        same_color(style["color"], line.get_color()),
        style["linestyle"] == line.get_linestyle(),
        style["linewidth"] == line.get_linewidth(),
    )
    return sum(accumulate(same, min))


def ink(ax: Axes) -> Any:
    """Return the colour of what is written at the axes: black, or white on a dark background."""
    return ax.xaxis.label.get_color()


def write_full_numbers(ax: Axes) -> None:
    """Write 0.90001 at the x-axis of new axes, not 1 and, at its end, 1e-5 + 0.9."""
    ax.ticklabel_format(axis="x", useOffset=False)
    ax.locator_params(axis="x", nbins=6)


def colorbar_beside(
    ax: Axes, mappable: ScalarMappable, label: str, *, size: float, offset: float = 0.0
) -> Colorbar:
    """Draw a colour bar to the right of axes, `offset` points and a gap away.

    It belongs to the axes, whose size and place in the grid of subplots it leaves alone.
    """
    from matplotlib.transforms import ScaledTranslation, blended_transform_factory

    axes: Any = ax.transAxes
    inches, corner = ax.figure.dpi_scale_trans, ScaledTranslation(1, 0, axes)
    place = blended_transform_factory(inches + corner, ax.transAxes)
    bar = ax.inset_axes(((offset + size) / 72, 0, size / 72, 1), transform=place)
    colorbar = ax.figure.colorbar(mappable, cax=bar)
    colorbar.set_label(label, fontsize=size)
    bar.tick_params(labelsize=size)
    return colorbar


def shade(ax: Axes, alpha: float) -> float:
    """Return the opacity of an area: on a dark ground a colour needs twice as much to be seen."""
    from matplotlib.colors import to_rgb

    return alpha if contrasting(to_rgb(ax.get_facecolor())) == "black" else min(0.8, 2 * alpha)


def despine_axes(ax: _AxesBase, *sides: str) -> None:
    """Hide spines."""
    for side in sides:
        ax.spines[side].set_visible(False)


def contrasting(color: Sequence[float] | NDArray[np.float64]) -> str:
    """Return black or white, whichever contrasts more with a colour (red, green, blue, ...)."""
    red, green, blue = color[:3]
    return "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "white"
