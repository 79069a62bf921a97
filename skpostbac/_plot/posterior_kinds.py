"""The kinds of plots of posteriors; each function plots into given axes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from skpostbac._plot.curve import Curve, density_curve
from skpostbac._plot.gallery import Gallery, all_intervals
from skpostbac._plot.kwargs import line_kwargs
from skpostbac._plot.rows import label_rows, row_height, write_note
from skpostbac._plot.style import COLORS, free_styles, shade
from skpostbac._plot.text import interval_name, shorten, with_score

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

# More densities than this are hard to tell apart: each has a row, if the caller does not choose.
MOST_DENSITIES = len(COLORS)
# More areas than this are shaded faintly.
_MOST_SHADED = 5
# A ridge may reach this far, in rows; a violin this far to either side.
_RIDGE_HEIGHT = 1.35
_VIOLIN_HEIGHT = 0.42
# Probability of the thick part of an interval in a forest.
INNER_LEVEL = 0.5


class Drawn(NamedTuple):
    """Artists, one of a sort for each posterior, or none."""

    lines: tuple[Line2D, ...]
    intervals: tuple[Artist, ...]
    means: tuple[Line2D, ...]


def draw_densities(ax: Axes, gallery: Gallery) -> Drawn:
    """Draw densities over one another, with the area above the interval shaded."""
    n = len(gallery.portraits)
    alpha = shade(ax, 0.25 if n <= _MOST_SHADED else 0.08)
    labels = map(with_score, shorten(gallery.names), gallery.figures())
    columns = labels, gallery.portraits, free_styles(ax, n), gallery.styles
    lines, areas, means = [], [], []
    heights = [ax.get_ylim()[1] if ax.has_data() else 0.0]
    for label, portrait, default, style in zip(*columns, strict=True):
        curve = density_curve(portrait.distribution)
        (line,) = ax.plot(*curve, **line_kwargs({"label": label, **default}, style))
        fill: dict[str, Any] = {"color": line.get_color(), "alpha": alpha, "linewidth": 0}
        areas.append(ax.fill_between(*curve.between(*portrait.interval), **fill))
        height = min(float(curve.height(portrait.mean)), curve.shown_height())
        means.append(_mean_line(ax, portrait.mean, (0, height), line.get_color()))
        lines.append(line)
        heights.append(1.05 * curve.shown_height())
    ax.set(ylabel="Probability density", ylim=(0, max(heights)))
    return Drawn(tuple(lines), tuple(areas), tuple(means))


def draw_ridges(ax: Axes, gallery: Gallery) -> Drawn:
    """Draw one density above the other, all of them equally high."""
    columns = {gallery.title: gallery.figures()}
    _label(ax, gallery, columns, margins=(0.25, 1.1 * _RIDGE_HEIGHT))
    lines, areas, means = [], [], []
    for row, portrait, style in gallery.rows():
        curve = _scaled(density_curve(portrait.distribution), _RIDGE_HEIGHT)
        # A row nearer to the reader stands in front of those behind.
        front: dict[str, Any] = {"zorder": 2 + 1 / (row + 2)}
        (line,) = ax.plot(
            curve.x,
            row + curve.y,
            **line_kwargs({"color": COLORS[0], "linewidth": 1.2, **front}, style),
        )
        ax.fill_between(curve.x, row, row + curve.y, color=ax.get_facecolor(), linewidth=0, **front)
        fill: dict[str, Any] = {"color": line.get_color(), "linewidth": 0, **front}
        ax.fill_between(curve.x, row, row + curve.y, alpha=shade(ax, 0.15), **fill)
        held = curve.between(*portrait.interval)
        areas.append(ax.fill_between(held.x, row, row + held.y, alpha=shade(ax, 0.4), **fill))
        top = row + float(curve.height(portrait.mean))
        means.append(_mean_line(ax, portrait.mean, (row, top), line.get_color(), **front))
        lines.append(line)
    return Drawn(tuple(lines), tuple(areas), tuple(means))


def draw_violins(ax: Axes, gallery: Gallery) -> Drawn:
    """Draw densities to both sides of their rows, all of them equally wide."""
    _label(ax, gallery, {gallery.title: gallery.figures()})
    lines, areas, means = [], [], []
    for row, portrait, style in gallery.rows():
        curve = _scaled(density_curve(portrait.distribution), _VIOLIN_HEIGHT)
        x, y = np.append(curve.x, curve.x[::-1]), np.append(curve.y, -curve.y[::-1])
        (line,) = ax.plot(x, row + y, **line_kwargs({"color": COLORS[0], "linewidth": 1.2}, style))
        fill: dict[str, Any] = {"color": line.get_color(), "linewidth": 0}
        ax.fill_between(curve.x, row - curve.y, row + curve.y, alpha=shade(ax, 0.15), **fill)
        held = curve.between(*portrait.interval)
        dark = shade(ax, 0.4)
        areas.append(ax.fill_between(held.x, row - held.y, row + held.y, alpha=dark, **fill))
        means.append(_mean_point(ax, portrait.mean, row, line.get_color()))
        lines.append(line)
    return Drawn(tuple(lines), tuple(areas), tuple(means))


def draw_forest(
    ax: Axes, gallery: Gallery, more: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> Drawn:
    """Draw means and intervals; a thick part of longer ones is as likely as not.

    Beside them stand mean and interval, and `more` columns by their headers.
    """
    _label(ax, gallery, {gallery.title: gallery.figures(), **more})
    lines, inner, means = [], [], []
    width = min(1.5, 0.3 * row_height(ax))
    distributions = [portrait.distribution for portrait in gallery.portraits]
    halves = all_intervals(distributions, INNER_LEVEL, gallery.method)
    for (row, portrait, style), half in zip(gallery.rows(), halves, strict=True):
        (line,) = ax.plot(
            portrait.interval,
            (row, row),
            **line_kwargs({"color": COLORS[0], "linewidth": width}, style),
        )
        color = line.get_color()
        if gallery.level > INNER_LEVEL:
            inner += ax.plot(half, (row, row), color=color, linewidth=2.7 * line.get_linewidth())
        means.append(_mean_point(ax, portrait.mean, row, color))
        lines.append(line)
    return Drawn(tuple(lines), tuple(inner), tuple(means))


KINDS: dict[str, Callable[[Axes, Gallery], Drawn]] = {
    "density": draw_densities,
    "ridge": draw_ridges,
    "violin": draw_violins,
    "forest": draw_forest,
}


def explain_shapes(ax: Axes, kind: str, gallery: Gallery) -> None:
    """Write below a picture with rows what its areas and bars are."""
    if kind != "forest":
        write_note(ax, f"Strong colour: {gallery.interval_name}")
    elif gallery.level > INNER_LEVEL:
        inner = interval_name(INNER_LEVEL, gallery.method)
        write_note(ax, f"Thin bars: {gallery.interval_name}", f"thick bars: {inner}")


def density_size(n: int) -> tuple[float, float]:
    """Return the size in inches of a figure of `n` densities, with room for a legend below."""
    return 6.4, 4.2 + 0.2 * min(n, 12)


def _label(
    ax: Axes,
    gallery: Gallery,
    columns: Mapping[str, Sequence[str]],
    margins: tuple[float, float] = (0.6, 0.6),
) -> None:
    """Give each posterior a row, with light lines at the ticks behind it."""
    label_rows(ax, gallery.names, columns, margins=margins)
    ax.grid(axis="x", alpha=0.25)
    ax.set_axisbelow(True)


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
    size = min(6.0, 0.7 * row_height(ax))
    (line,) = ax.plot(
        mean, row, "o", color=color, markerfacecolor=ax.get_facecolor(), markersize=size, zorder=3
    )
    return line
