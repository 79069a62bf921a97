"""The kinds of plots of a comparison; each function plots into given axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from skpostbac._plot.curve import density_curve
from skpostbac._plot.gallery import Posterior, portray_all
from skpostbac._plot.posterior_kinds import draw_forest, explain_shapes
from skpostbac._plot.room import (
    DATA_SHARE,
    fit_names,
    height_left,
    note_size,
    points,
    settle,
    text_width,
    tile,
    tile_width,
)
from skpostbac._plot.rows import (
    fitting_size,
    label_rows,
    row_height,
    shrink_until,
    write_note,
)
from skpostbac._plot.style import COLORS, NEUTRAL, colorbar_beside, contrasting, ink, shade
from skpostbac._plot.text import literal, shorten
from skpostbac._utils import Floats, format_probability
from skpostbac.stats._distribution import Distribution

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Numbers are written into the cells of a matrix if their font is at least this large, in points.
_SMALLEST_NUMBER = 4.5
# Bars of ranks less likely than this are too short for a number.
_SHORTEST_WRITTEN = 0.08
# Width of a character, as a share of the size of the font.
_CHARACTER_WIDTH = 0.62
# Room for a colour bar with its label, as a multiple of the size of the font.
_BAR_ROOM = 6.0
# Bold letters are wider by a tenth.
_BOLD = 1.1
# Room for the labels of a matrix and its colour bar, as a multiple of the size of the font.
_MATRIX_ROOM = 8.0
# Names to the left of a matrix take at most this share of the width.
_NAME_SHARE = 0.3
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
        ax.fill_between(*curve.between(low, high), color=color, alpha=shade(ax, 0.35), linewidth=0)
        for low, high, color in sides
    ]
    band = ax.axvspan(-rope, rope, color=NEUTRAL, alpha=shade(ax, 0.12), linewidth=0, zorder=0)
    zero = ax.axvline(0, color=NEUTRAL, linewidth=1, linestyle=":", zorder=1)
    bar: dict[str, Any] = {"color": ink(ax), "clip_on": False, "zorder": 4}
    (interval,) = ax.plot(portrait.interval, (0, 0), linewidth=4, **bar)
    (mean,) = ax.plot(portrait.mean, 0, "o", markerfacecolor=ax.get_facecolor(), **bar)
    _write_subtraction(ax, request.pair, f"{gallery.title}: {portrait.figures}")
    settle(ax)  # from here on, the axes are as large as they will be
    texts = _write_masses(ax, comparison, request.pair)
    written = max(text.get_window_extent().height for text in texts)
    share = 1 - 2 * _MARGIN - points(ax, written) / height_left(ax)
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
    """Write what is subtracted from what below the axes, in three lines if one is too long."""
    label = ax.xaxis.label
    size = float(label.get_fontsize())
    width = DATA_SHARE * 2 * tile_width(ax)
    a, b = (literal(name) for name in shorten(pair))
    text = f"Balanced accuracy: {a} \N{MINUS SIGN} {b}"
    if text_width(text, size) > width:
        a, b = fit_names(pair, size, width - 2 * size)
        text = f"Balanced accuracy:\n{a}\n\N{MINUS SIGN} {b}"
    label.set_text(f"{text}\n{figures}")


def _write_masses(ax: Axes, comparison: Comparison, pair: tuple[str, str]) -> tuple[Any, ...]:
    """Write the probabilities of all outcomes above the density, from left to right."""
    size = float(ax.xaxis.label.get_fontsize())
    below, within, above = map(format_probability, comparison.rope_masses(*pair))
    rope = f"within \N{PLUS-MINUS SIGN}{comparison.rope:g}"
    middle = text_width(rope, _BOLD * size) if comparison.rope else 0
    width = 0.94 * points(ax, ax.get_window_extent().width) - middle - 2 * size
    a, b = fit_names(pair, _BOLD * size, width / 2, least=10)
    entries = [
        (0.02, "left", f"{b} better\n{below}", COLORS[1]),
        *([(0.5, "center", f"{rope}\n{within}", NEUTRAL)] if comparison.rope else []),
        (0.98, "right", f"{a} better\n{above}", COLORS[0]),
    ]
    style: dict[str, Any] = {"va": "top", "weight": "bold", "transform": ax.transAxes}
    top = 1 - _MARGIN
    texts = [ax.text(x, top, t, ha=ha, color=c, fontsize=size, **style) for x, ha, t, c in entries]

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
    ranking, order = _sorted(comparison, "mean")
    probabilities = comparison.prob_greater()[np.ix_(order, order)]
    n = len(order)
    image = ax.imshow(probabilities, cmap=request.cmap, vmin=0, vmax=1)
    side = _cell_side(ax, ranking)
    size, step = fitting_size(0.8 * side, note_size(ax))
    names = fit_names(ranking[::step], size, _NAME_SHARE * tile_width(ax))
    slanted: dict[str, Any] = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    ax.set_xticks(range(0, n, step), names, fontsize=size, **slanted)
    ax.set_yticks(range(0, n, step), names, fontsize=size)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set_xlabel("... than this one (column)")
    ax.set_ylabel("This one is better ... (row)")
    colorbar = colorbar_beside(ax, image, "P(row better than column)", size=note_size(ax))
    write_note(ax, "Hatched: the same classifier")
    return {
        "image": image,
        "diagonal": _hatch_diagonal(ax, n),
        "texts": _write_cells(ax, image, min(0.85 * size, side / (4 * _CHARACTER_WIDTH))),
        "colorbar": colorbar,
    }


def _cell_side(ax: Axes, names: Sequence[str]) -> float:
    """Return how large cells will be, in points, beside names, labels and a colour bar."""
    size = note_size(ax)
    name = min(max(text_width(n, size) for n in names), _NAME_SHARE * tile_width(ax))
    width = tile_width(ax) - name - _MATRIX_ROOM * size
    # Slanted by 45 degrees, names are as high as wide.
    height = points(ax, tile(ax).height) - 0.75 * name - _MATRIX_ROOM * size
    axes = points(ax, min(ax.get_window_extent().size))
    return max(1.0, min(width, height, axes)) / len(names)


def _hatch_diagonal(ax: Axes, n: int) -> Any:
    """Cover the cells in which a classifier would be compared with itself."""
    from matplotlib.collections import PolyCollection

    corners = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
    style: dict[str, Any] = {"facecolor": ax.get_facecolor(), "edgecolor": NEUTRAL, "linewidth": 0}
    cells = [corners + place for place in range(n)]
    return ax.add_collection(PolyCollection(cells, hatch="////", **style), autolim=False)


def _write_cells(ax: Axes, image: Any, size: float) -> Any:
    """Write the probabilities into their cells, if they can be read there."""
    probabilities = image.get_array()
    texts = np.full(probabilities.shape, None)
    if size < _SMALLEST_NUMBER:
        return texts
    style: dict[str, Any] = {"fontsize": size, "ha": "center", "va": "center"}
    colors = image.to_rgba(probabilities)
    for i, j in np.argwhere(~np.eye(len(texts), dtype=bool)):
        color = contrasting(colors[i, j])
        texts[i, j] = ax.text(j, i, _two_digits(probabilities[i, j]), color=color, **style)
    return texts


def draw_ranks(ax: Axes, comparison: Comparison, request: Request) -> dict[str, Any]:
    """Draw the probabilities of the ranks of each classifier as bars that add up to 1."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import BoundaryNorm

    ranking, order = _sorted(comparison, "expected_rank")
    n = len(order)
    expected = [f"{rank:.2f}" for rank in comparison.expected_rank()[order]]
    reserve = _BAR_ROOM * note_size(ax)
    rows = label_rows(ax, ranking, {"Expected rank": expected}, reserve=reserve)
    probabilities = comparison.rank_probabilities()[order]
    # The last colour, which is the brightest by default, is that of the best rank.
    scale = ScalarMappable(BoundaryNorm(np.arange(-n - 0.5, 0), 256), request.cmap)
    bars = _draw_bars(ax, probabilities, scale, 0.85 * rows.size)
    ax.set(xlim=(0, 1), xlabel="Probability of each rank")
    colorbar = colorbar_beside(ax, scale, "Rank", size=note_size(ax), offset=rows.end)
    ticks = range(1, n + 1, -(-n // 10))
    colorbar.set_ticks([-rank for rank in ticks], labels=[str(rank) for rank in ticks])
    colorbar.ax.tick_params(which="both", length=0)
    return {"bars": bars, "colorbar": colorbar}


def _draw_bars(ax: Axes, probabilities: Floats, scale: Any, size: float) -> tuple[Any, ...]:
    """Draw the bars of each rank, with their probabilities where these fit."""
    starts = np.cumsum(probabilities, axis=1) - probabilities
    n = len(probabilities)
    rows, bars = range(n - 1, -1, -1), []
    edge: dict[str, Any] = {"edgecolor": ax.get_facecolor(), "linewidth": min(0.6, 4 / n)}
    # Three characters and a gap; the data get about their share of the room.
    shortest = max(_SHORTEST_WRITTEN, 3.5 * _CHARACTER_WIDTH * size / (DATA_SHARE * tile_width(ax)))
    for rank, (width, left) in enumerate(zip(probabilities.T, starts.T, strict=True), 1):
        color = scale.to_rgba(np.array([-rank]))[0]
        bar = ax.barh(rows, width, left=left, color=color, label=f"Rank {rank}", **edge)
        if 0.8 * row_height(ax) >= size:
            written = [_two_digits(p) if p >= shortest else "" for p in width]
            style: dict[str, Any] = {"color": contrasting(color), "fontsize": size}
            ax.bar_label(bar, written, label_type="center", **style)
        bars.append(bar)
    return tuple(bars)


def draw_decision(ax: Axes, comparison: Comparison, request: Request) -> dict[str, Any]:
    """Draw the intervals beside the probability of being best and the expected loss."""
    ranking, order = _sorted(comparison, "expected_loss")
    posteriors = dict(zip(ranking, (comparison.posteriors[index] for index in order), strict=True))
    gallery = portray_all(posteriors, request.level, request.method)
    columns = {
        "P(best)": [format_probability(p) for p in comparison.prob_best()[order]],
        "Expected loss": [f"{loss:.4f}" for loss in comparison.expected_loss()[order]],
    }
    drawn = draw_forest(ax, gallery, columns)
    ax.set_xlabel("Balanced accuracy")
    explain_shapes(ax, "forest", gallery)
    return drawn._asdict()


KINDS: dict[str, Callable[[Axes, Comparison, Request], dict[str, Any]]] = {
    "decision": draw_decision,
    "difference": draw_difference,
    "matrix": draw_matrix,
    "ranks": draw_ranks,
}


def _sorted(comparison: Comparison, objective: str) -> tuple[list[str], list[int]]:
    """Return the names, best first, and the places of the classifiers."""
    ranking = list(comparison.ranking(objective))
    return ranking, [comparison.names.index(name) for name in ranking]


def _two_digits(probability: float) -> str:
    """Write a probability with two digits, and never as 0 or 1."""
    if probability < 0.005:
        return "<.01"
    return ">.99" if probability > 0.995 else f"{probability:.2f}".removeprefix("0")
