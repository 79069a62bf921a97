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
