"""The kinds of pictures of one or several posteriors; each draws them into given axes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import floor, log10
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from skpostbac.displays._density import Curve, density_curve
from skpostbac.displays._style import COLORS, font_size, line_styles, literal
from skpostbac.stats import Interval
from skpostbac.stats._law import Law

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

# More entries than this stand beside the axes, not within.
_MOST_INSIDE = 5
# A ridge may reach this far, in rows; a violin this far to either side.
_RIDGE_HEIGHT = 1.35
_VIOLIN_HEIGHT = 0.42
# Text below this size, in points, is not read: then only some rows are labelled.
_SMALLEST_FONT = 5.0
# Probability of the thick part of an interval in a forest.
INNER_LEVEL = 0.5

Styles: TypeAlias = Sequence[Mapping[str, Any]]


class Portrait(NamedTuple):
    """What is told of one posterior."""

    name: str
    law: Law
    mean: float
    interval: Interval

    def figures(self) -> str:
        """Write the mean and the interval, with two digits of the width of the latter."""
        width = self.interval.high - self.interval.low
        digits = max(2, 1 - floor(log10(width))) if width > 0 else 3
        low, high = (f"{end:.{digits}f}" for end in self.interval)
        return f"{self.mean:.{digits}f} [{low}, {high}]"


class Drawn(NamedTuple):
    """Artists, one of a sort for each posterior."""

    lines: tuple[Line2D, ...]
    intervals: tuple[Artist, ...]
    means: tuple[Line2D, ...]


def draw_densities(ax: Axes, portraits: Sequence[Portrait], styles: Styles) -> Drawn:
    """Draw densities over one another, with the area above the interval shaded."""
    lines, areas, means, heights = [], [], [], []
    for portrait, default, style in zip(
        portraits, line_styles(len(portraits)), styles, strict=True
    ):
        curve = density_curve(portrait.law)
        label = ": ".join(filter(None, [portrait.name, portrait.figures()]))
        (line,) = ax.plot(*curve, **{"label": literal(label), **default, **style})
        shade = {"color": line.get_color(), "linewidth": 0, "zorder": line.get_zorder() - 0.5}
        alpha = 0.25 if len(portraits) <= _MOST_INSIDE else 0.08
        areas.append(ax.fill_between(*curve.between(*portrait.interval), alpha=alpha, **shade))
        height = min(float(curve.height(portrait.mean)), curve.shown_height())
        means.append(_mean_line(ax, portrait.mean, (0, height), line.get_color()))
        lines.append(line)
        heights.append(curve.shown_height())
    ax.set(ylabel="probability density", ylim=(0, 1.05 * max(heights)))
    return Drawn(tuple(lines), tuple(areas), tuple(means))


def draw_ridges(ax: Axes, portraits: Sequence[Portrait], styles: Styles) -> Drawn:
    """Draw one density above the other, all of them equally high."""
    lines, areas, means = [], [], []
    for row, portrait, style in _rows(portraits, styles):
        curve = _scaled(density_curve(portrait.law), _RIDGE_HEIGHT)
        # A row nearer to the reader stands in front of those behind.
        front = {"zorder": 2 + (len(portraits) - row) / (len(portraits) + 1)}
        (line,) = ax.plot(
            curve.x, row + curve.y, **{"color": COLORS[0], "linewidth": 1.2, **front, **style}
        )
        ax.fill_between(curve.x, row, row + curve.y, color="white", linewidth=0, **front)
        fill = {"color": line.get_color(), "linewidth": 0, **front}
        ax.fill_between(curve.x, row, row + curve.y, alpha=0.15, **fill)
        held = curve.between(*portrait.interval)
        areas.append(ax.fill_between(held.x, row, row + held.y, alpha=0.4, **fill))
        top = row + float(curve.height(portrait.mean))
        means.append(_mean_line(ax, portrait.mean, (row, top), line.get_color(), **front))
        lines.append(line)
    label_rows(ax, portraits)
    ax.set_ylim(-0.25, len(portraits) - 1 + 1.1 * _RIDGE_HEIGHT)
    return Drawn(tuple(lines), tuple(areas), tuple(means))


def draw_violins(ax: Axes, portraits: Sequence[Portrait], styles: Styles) -> Drawn:
    """Draw densities to both sides of their rows, all of them equally wide."""
    lines, areas, means = [], [], []
    for row, portrait, style in _rows(portraits, styles):
        curve = _scaled(density_curve(portrait.law), _VIOLIN_HEIGHT)
        x, y = np.append(curve.x, curve.x[::-1]), np.append(curve.y, -curve.y[::-1])
        (line,) = ax.plot(x, row + y, **{"color": COLORS[0], "linewidth": 1.2, **style})
        fill = {"color": line.get_color(), "linewidth": 0}
        ax.fill_between(curve.x, row - curve.y, row + curve.y, alpha=0.15, **fill)
        held = curve.between(*portrait.interval)
        areas.append(ax.fill_between(held.x, row - held.y, row + held.y, alpha=0.4, **fill))
        means.append(_mean_point(ax, portrait.mean, row, line.get_color()))
        lines.append(line)
    label_rows(ax, portraits)
    return Drawn(tuple(lines), tuple(areas), tuple(means))


def draw_forest(ax: Axes, portraits: Sequence[Portrait], styles: Styles) -> Drawn:
    """Draw intervals, with a thick part that is as likely as not, and the means."""
    lines, inner, means = [], [], []
    for row, portrait, style in _rows(portraits, styles):
        (line,) = ax.plot(
            portrait.interval, (row, row), **{"color": COLORS[0], "linewidth": 1.5, **style}
        )
        width, color = line.get_linewidth(), line.get_color()
        half = portrait.law.interval(INNER_LEVEL)
        inner += ax.plot(half, (row, row), color=color, linewidth=2.7 * width)
        means.append(_mean_point(ax, portrait.mean, row, color))
        lines.append(line)
    label_rows(ax, portraits)
    return Drawn(tuple(lines), tuple(inner), tuple(means))


KINDS: dict[str, Callable[[Axes, Sequence[Portrait], Styles], Drawn]] = {
    "density": draw_densities,
    "ridge": draw_ridges,
    "violin": draw_violins,
    "forest": draw_forest,
}


def label_rows(ax: Axes, portraits: Sequence[Portrait]) -> None:
    """Write the names at the rows, the first on top; only some of them if they do not fit."""
    n = len(portraits)
    ax.set_ylim(-0.6, n - 0.4)
    shown = shown_rows(ax, n)
    ax.set_yticks(
        [n - 1 - index for index in shown],
        [literal(portraits[index].name) for index in shown],
        fontsize=max(font_size(ax, n), _SMALLEST_FONT),
    )
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", alpha=0.25)
    ax.set_axisbelow(True)


def shown_rows(ax: Axes, n: int) -> range:
    """Return which of `n` rows are labelled: all, or each k-th."""
    return range(0, n, int(np.ceil(_SMALLEST_FONT / font_size(ax, n))))


def add_legend(ax: Axes, n: int, title: str | None) -> None:
    """Explain what has a label: within the axes, or beside them if there is too much of it."""
    beside = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0), "borderaxespad": 0.0}
    place = beside if n > _MOST_INSIDE else {"loc": "best"}
    size = min(10.0, max(_SMALLEST_FONT, font_size(ax, n + 2)))
    ax.legend(title=title, fontsize=size, title_fontsize=size, **place)


def _rows(portraits: Sequence[Portrait], styles: Styles) -> Any:
    """Yield the height, the portrait and the style of each row, from the top."""
    return zip(range(len(portraits) - 1, -1, -1), portraits, styles, strict=True)


def _scaled(curve: Curve, height: float) -> Curve:
    """Stretch a density to this height; infinite ones are cut off."""
    shown = curve.shown_height()
    return Curve(curve.x, np.minimum(curve.y, shown) * (height / shown))


def _mean_line(
    ax: Axes, mean: float, ends: tuple[float, float], color: Any, **style: Any
) -> Line2D:
    (line,) = ax.plot((mean, mean), ends, color=color, linewidth=1, **style)
    return line


def _mean_point(ax: Axes, mean: float, row: int, color: Any) -> Line2D:
    (line,) = ax.plot(mean, row, marker="o", color=color, markerfacecolor="white", zorder=3)
    return line
