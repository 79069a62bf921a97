"""The kinds of pictures of a comparison; each draws one into given axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from skpostbac._plot.curve import density_curve
from skpostbac._plot.gallery import Posterior, portray_all
from skpostbac._plot.posterior_kinds import draw_forest
from skpostbac._plot.style import (
    COLORS,
    NEUTRAL,
    check_no_rows,
    contrasting,
    fitting_text,
    ink,
    row_height,
    shrink_until,
    write_beside,
)
from skpostbac._plot.text import literal, shorten
from skpostbac._utils import Floats, format_probability
from skpostbac.stats._distribution import Distribution

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Numbers are written into the cells of a matrix if their font is at least this large, in points.
_SMALLEST_NUMBER = 4.5
# Bars of ranks less likely than this are too short for a number.
_SHORTEST_WRITTEN = 0.08
# Width of a character, as a share of the size of the font, and what is left between columns.
_CHARACTER_WIDTH, _COLUMN_GAP = 0.62, 12.0
# Space around the texts above a density, as a share of the height of the axes, and between them,
# in pixels.
_MARGIN, _TEXT_GAP = 0.03, 3.0
# The density has at least this share of the height, however small the axes are.
_LEAST_SHARE = 0.3


@runtime_checkable
class Comparison(Protocol):
    """What is drawn of several classifiers; arrays are in the order of their names."""

    @property
    def names(self) -> Sequence[str]:
        """Different names of the classifiers."""

    @property
    def posteriors(self) -> Sequence[Posterior]:
        """Their posteriors."""

    @property
    def rope(self) -> float:
        """Half-width of the region of practical equivalence."""

    def difference(self, a: str, b: str) -> Distribution:
        """Return the distribution of the first score less the second."""

    def rope_masses(self, a: str, b: str) -> tuple[float, float, float]:
        """Return the probabilities of a difference below, within and above the rope."""

    def ranking(self, objective: str = ...) -> Sequence[str]:
        """Return the names, best first."""

    def prob_greater(self) -> Floats:
        """Return the probability that the one of the row is better than that of the column."""

    def prob_best(self) -> Floats:
        """Return the probability of each of being best."""

    def rank_probabilities(self) -> Floats:
        """Return the probabilities of all ranks (columns) of each (rows)."""

    def expected_rank(self) -> Floats:
        """Return the expected rank of each."""

    def expected_loss(self) -> Floats:
        """Return what the choice of each is expected to lose to the best."""


class Request(NamedTuple):
    """What is to be drawn of a comparison."""

    pair: tuple[str, str]
    level: float
    method: str
    cmap: Any


def draw_difference(ax: Axes, comparison: Comparison, request: Request) -> dict[str, Any]:
    """Draw the density of a difference, with the probabilities to both sides of the rope."""
    a, b = request.pair
    distribution, rope = comparison.difference(a, b), comparison.rope
    gallery = portray_all({"": distribution}, request.level, request.method)
    (portrait,) = gallery.portraits
    curve = density_curve(distribution)
    (line,) = ax.plot(*curve, color=ink(ax), linewidth=1.2)
    sides = ((-np.inf, -rope, COLORS[1]), (-rope, rope, NEUTRAL), (rope, np.inf, COLORS[0]))
    areas = [
        ax.fill_between(*curve.between(low, high), color=color, alpha=0.35, linewidth=0)
        for low, high, color in sides
    ]
    band = ax.axvspan(-rope, rope, color=NEUTRAL, alpha=0.12, linewidth=0, zorder=0)
    zero = ax.axvline(0, color=NEUTRAL, linewidth=1, linestyle=":", zorder=1)
    bar: dict[str, Any] = {"color": ink(ax), "clip_on": False, "zorder": 4}
    (interval,) = ax.plot(portrait.interval, (0, 0), linewidth=4, **bar)
    (mean,) = ax.plot(portrait.mean, 0, "o", markerfacecolor=ax.get_facecolor(), **bar)
    _write_subtraction(ax, request.pair, f"{gallery.title}: {portrait.figures}")
    texts = _write_masses(ax, comparison, request.pair)
    bottom = min(text.get_window_extent().y0 for text in texts)
    share = ax.transAxes.inverted().transform((0, bottom))[1] - _MARGIN
    ax.set(ylabel="Probability density", ylim=(0, curve.shown_height() / max(share, _LEAST_SHARE)))
    return {
        "line": line,
        "areas": tuple(areas),
        "rope": band,
        "zero": zero,
        "interval": interval,
        "mean": mean,
        "texts": texts,
    }


def _write_subtraction(ax: Axes, pair: tuple[str, str], figures: str) -> None:
    """Write what is subtracted from what below the axes, in two lines if one is too long."""
    a, b = map(literal, shorten(pair, 30))
    label = ax.xaxis.label
    label.set_text(f"Balanced accuracy: {a} \N{MINUS SIGN} {b}\n{figures}")

    def fits() -> bool:
        return bool(label.get_window_extent().width <= ax.get_window_extent().width)

    if not fits():
        label.set_text(f"Balanced accuracy: {a}\n\N{MINUS SIGN} {b}\n{figures}")
        shrink_until(fits, [label])


def _write_masses(ax: Axes, comparison: Comparison, pair: tuple[str, str]) -> tuple[Any, ...]:
    """Write the probabilities of all outcomes above the density, from left to right."""
    a, b = map(literal, shorten(pair, 20))
    below, within, above = map(format_probability, comparison.rope_masses(*pair))
    rope = f"within \N{PLUS-MINUS SIGN}{comparison.rope:g}"
    entries = [
        (0.02, "left", f"{b} better\n{below}", COLORS[1]),
        *([(0.5, "center", f"{rope}\n{within}", NEUTRAL)] if comparison.rope else []),
        (0.98, "right", f"{a} better\n{above}", COLORS[0]),
    ]
    style: dict[str, Any] = {"va": "top", "weight": "bold", "transform": ax.transAxes}
    top = 1 - _MARGIN
    texts = [ax.text(x, top, text, ha=ha, color=c, **style) for x, ha, text, c in entries]

    def fits() -> bool:
        boxes = [text.get_window_extent().padded(_TEXT_GAP) for text in texts]
        return all(left.x1 <= right.x0 for left, right in pairwise(boxes))

    if not fits():
        texts[0].set_text(f"{b}\nbetter\n{below}")
        texts[-1].set_text(f"{a}\nbetter\n{above}")
        shrink_until(fits, texts)
    return tuple(texts)


def draw_matrix(ax: Axes, comparison: Comparison, request: Request) -> dict[str, Any]:
    """Draw the probability that the classifier of the row is better than that of the column."""
    names, order = _sorted(comparison, "mean", width=30)
    probabilities = comparison.prob_greater()[np.ix_(order, order)]
    n = len(names)
    image = ax.imshow(probabilities, cmap=request.cmap, vmin=0, vmax=1)
    label = "P(row better than column)"
    colorbar = ax.figure.colorbar(image, ax=ax, label=label, shrink=0.8)
    ax.apply_aspect()  # from here on, the cells are as large as they will be
    size, step = fitting_text(ax)
    slanted: dict[str, Any] = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    ax.set_xticks(range(0, n, step), names[::step], fontsize=size, **slanted)
    ax.set_yticks(range(0, n, step), names[::step], fontsize=size)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set(xlabel="Column", ylabel="Row")
    texts = np.full((n, n), None)
    number_size = min(0.85 * size, row_height(ax) / (4 * _CHARACTER_WIDTH))
    if number_size >= _SMALLEST_NUMBER:
        style: dict[str, Any] = {"fontsize": number_size, "ha": "center", "va": "center"}
        colors = image.to_rgba(probabilities)
        for i, j in np.argwhere(~np.eye(n, dtype=bool)):
            color = contrasting(colors[i, j])
            texts[i, j] = ax.text(j, i, _two_digits(probabilities[i, j]), color=color, **style)
    return {"image": image, "texts": texts, "colorbar": colorbar}


def draw_ranks(ax: Axes, comparison: Comparison, request: Request) -> dict[str, Any]:
    """Draw the probabilities of the ranks of each classifier as bars that add up to 1."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import BoundaryNorm

    check_no_rows(ax)
    names, order = _sorted(comparison, "expected_rank")
    n = len(names)
    probabilities = comparison.rank_probabilities()[order]
    starts = np.cumsum(probabilities, axis=1) - probabilities
    ax.set_ylim(-0.6, n - 0.4)
    size, step = fitting_text(ax)
    # The last colour, which is the brightest by default, is that of the best rank.
    scale = ScalarMappable(BoundaryNorm(np.arange(-n - 0.5, 0), 256), request.cmap)
    rows, bars = range(n - 1, -1, -1), []
    for rank, (width, left) in enumerate(zip(probabilities.T, starts.T, strict=True), 1):
        color = scale.to_rgba(np.array([-rank]))[0]
        edge: dict[str, Any] = {"edgecolor": ax.get_facecolor(), "linewidth": min(0.6, 4 / n)}
        bar = ax.barh(rows, width, left=left, color=color, label=f"Rank {rank}", **edge)
        written = [_two_digits(p) if p >= _SHORTEST_WRITTEN else "" for p in width]
        style: dict[str, Any] = {"color": contrasting(color), "fontsize": 0.85 * size}
        ax.bar_label(bar, written, label_type="center", **style)
        bars.append(bar)
    ax.set_yticks(rows[::step], names[::step], fontsize=size)
    ax.tick_params(axis="y", length=0)
    ax.set(xlim=(0, 1), xlabel="Probability of each rank")
    expected = [f"{rank:.2f}" for rank in comparison.expected_rank()[order][::step]]
    write_beside(ax, rows[::step], expected, header="Expected rank", font_size=size)
    colorbar = ax.figure.colorbar(scale, ax=ax, label="Rank", aspect=30)
    ticks = range(1, n + 1, -(-n // 10))
    colorbar.set_ticks([-rank for rank in ticks], labels=[str(rank) for rank in ticks])
    colorbar.ax.tick_params(which="both", length=0)
    return {"bars": tuple(bars), "colorbar": colorbar}


def draw_decision(ax: Axes, comparison: Comparison, request: Request) -> dict[str, Any]:
    """Draw the intervals beside the probability of being best and the expected loss."""
    _, order = _sorted(comparison, "expected_loss")
    posteriors = {comparison.names[index]: comparison.posteriors[index] for index in order}
    gallery = portray_all(posteriors, request.level, request.method)
    drawn = draw_forest(ax, gallery)
    ax.set_xlabel("Balanced accuracy")
    size, step = fitting_text(ax)
    rows = range(len(order) - 1, -1, -step)
    columns = {
        gallery.title: gallery.figures(),
        "P(best)": [format_probability(p) for p in comparison.prob_best()[order]],
        "Expected loss": [f"{loss:.4f}" for loss in comparison.expected_loss()[order]],
    }
    widths = [_width([header, *texts], size) for header, texts in columns.items()]
    offsets = _COLUMN_GAP / 2 + np.cumsum(widths)
    for (header, texts), offset in zip(list(columns.items())[1:], offsets[:-1], strict=True):
        write_beside(ax, rows, texts[::step], header=header, font_size=size, offset=float(offset))
    return drawn._asdict()


KINDS: dict[str, Callable[[Axes, Comparison, Request], dict[str, Any]]] = {
    "decision": draw_decision,
    "difference": draw_difference,
    "matrix": draw_matrix,
    "ranks": draw_ranks,
}


def _sorted(comparison: Comparison, objective: str, width: int = 60) -> tuple[list[str], list[int]]:
    """Return the names as they are shown, best first, and the places of the classifiers."""
    ranking = comparison.ranking(objective)
    shown = [literal(name) for name in shorten(ranking, width)]
    return shown, [comparison.names.index(name) for name in ranking]


def _two_digits(probability: float) -> str:
    """Write a probability with two digits, and never as 0 or 1."""
    if probability < 0.005:
        return "<.01"
    return ">.99" if probability > 0.995 else f"{probability:.2f}".removeprefix("0")


def _width(texts: list[str], size: float) -> float:
    """Return about how wide a column is, in points."""
    return _CHARACTER_WIDTH * size * max(map(len, texts)) + _COLUMN_GAP
