"""Plots of a comparison of classifiers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

import numpy as np

from skpostbac._plot import layout
from skpostbac._plot.base import Plot, check_matplotlib, colors, shade, text_color
from skpostbac._plot.curve import density_curve
from skpostbac._plot.layout import contrasting, neutral
from skpostbac._plot.posterior import plot_forest, summarize
from skpostbac._utils import check_choice, format_probability, input_errors, shown
from skpostbac.stats._distribution import DEFAULT_INTERVAL, IntervalMethod, interval_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.colorbar import Colorbar

ComparisonKind: TypeAlias = Literal["decision", "difference", "matrix", "ranks"]

# Width of a digit, as a fraction of the font size.
_DIGIT_WIDTH = 0.62
# Smallest font size of probabilities in cells of a matrix; smaller ones are omitted.
_SMALLEST_NUMBER = 4.5


class ComparisonPlot(Plot):
    """Plot of a comparison: differences, pairwise probabilities and ranks.

    :meth:`~skpostbac.PosteriorComparison.plot` returns it. Use
    :class:`~skpostbac.PosteriorComparisonDisplay` to create it from predictions and
    other data.

    Parameters
    ----------
    comparison : PosteriorComparison
        The comparison, stored as an attribute.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes with the plot.
    figure_ : matplotlib Figure
        Figure containing the axes.
    artists_ : dict of str to artists
        Artists of the plot, by name. A "difference" has "line", "areas" (below, within
        and above the rope), "rope", "zero", "interval", "mean" and "texts"; a "matrix"
        has "image", "diagonal", "texts" and "colorbar"; "ranks" have "bars", of all
        classifiers for each rank, and "colorbar"; a "decision" has "lines", "intervals"
        and "means", as a :class:`PosteriorPlot`.

    See Also
    --------
    skpostbac.PosteriorComparisonDisplay : The same plots from predictions or a search.
    PosteriorPlot : Plots of the posteriors.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from skpostbac import PairedCounts, PosteriorComparison
    >>> from skpostbac.displays import ComparisonPlot
    >>> cells = [[27, 3, 5, 5], [12, 0, 4, 4]]
    >>> counts = PairedCounts.from_cells(cells, names=("old", "new"))
    >>> comparison = PosteriorComparison.from_paired_counts(counts, rope=0.02)
    >>> display = ComparisonPlot(comparison).plot(kind="difference")
    >>> for text in display.artists_["texts"]:
    ...     print(*text.get_text().splitlines())
    old better 0.008
    within ±0.02 0.034
    new better 0.957
    >>> plt.close(display.figure_)
    """

    artists_: dict[str, Any]
    _is_score_x = True

    def __init__(self, comparison: Any) -> None:
        if not hasattr(comparison, "rope_masses"):
            got = type(comparison).__name__
            raise TypeError(f"comparison must be a PosteriorComparison, got {got}")
        self.comparison = comparison

    def plot(
        self,
        ax: Axes | None = None,
        *,
        kind: ComparisonKind = "decision",
        pair: tuple[str, str] | None = None,
        level: float = 0.95,
        method: IntervalMethod = DEFAULT_INTERVAL,
        cmap: Any = "cividis",
        despine: bool = False,
    ) -> Self:
        """Plot the comparison.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to plot on, by default those of a new figure.
        kind : {"decision", "difference", "matrix", "ranks"}, default="decision"
            "decision": credible interval, probability of being best and expected loss
            of each classifier, smallest loss first; the numbers of the interval are
            left out if they do not fit. "difference": density of the difference of two
            classifiers, with the probabilities that the first is better, that the
            second is better, and that the difference lies within the rope. "matrix":
            probability that one classifier is better than another, for all pairs,
            highest mean first. "ranks": probabilities of all ranks of each classifier,
            smallest expected rank first.
        pair : tuple of two str, default=None
            Names of the classifiers for kind "difference", first minus second; by
            default the two with the highest posterior means.
        level : float, default=0.95
            Probability of the credible intervals, in (0, 1).
        method : {"hull", "hdi", "central"}, default="hull"
            Hull of both other intervals, the shortest interval, or the one with equal
            probability in both tails.
        cmap : str or matplotlib Colormap, default="cividis"
            Colour map of the kinds "matrix" and "ranks".
        despine : bool, default=False
            Whether to hide the spines without an axis.

        Returns
        -------
        display : ComparisonPlot
            This object.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        TypeError
            If `cmap` is neither a name nor a Colormap.
        ValueError
            If `kind`, `level` or `method` is invalid, if `pair` does not name two of
            the classifiers, or if `ax` contains the rows of another plot.

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from skpostbac import PairedCounts, PosteriorComparison
        >>> from skpostbac.displays import ComparisonPlot
        >>> cells = [[27, 3, 5, 5], [12, 0, 4, 4]]
        >>> counts = PairedCounts.from_cells(cells, names=("old", "new"))
        >>> comparison = PosteriorComparison.from_paired_counts(counts)
        >>> display = ComparisonPlot(comparison).plot(kind="difference", level=0.9)
        >>> display.ax_.get_xlabel().splitlines()[1]
        'Mean [90% CI]: 0.12 [0.02, 0.22]'
        >>> plt.close(display.figure_)
        """
        check_choice(kind, ("decision", "difference", "matrix", "ranks"), "kind")
        comparison = self.comparison
        names = comparison.names

        if kind == "difference" or pair is not None:
            pair = comparison.ranking()[:2] if pair is None else pair
            if not isinstance(pair, tuple | list) or len(pair) != 2:
                raise ValueError(f"pair must name two of {names}, got {shown(pair)}")
            with input_errors("pair"):
                comparison.difference(*pair)
        # Raise for an invalid level or method before creating a figure.
        interval_of(comparison.posteriors[0].distribution, level, method)

        if not (cmap is None or isinstance(cmap, str)):
            check_matplotlib(f"{type(self).__name__}.plot")
            from matplotlib.colors import Colormap

            if not isinstance(cmap, Colormap):
                raise TypeError(
                    f"cmap must be a str or a matplotlib Colormap, got {shown(cmap)}"
                )

        ax = self._start(ax, _figure_size(kind, names), despine=despine)
        if kind == "difference":
            self.artists_ = _plot_difference(ax, comparison, pair, level, method)
            return self._finish(despine)

        if kind == "decision":
            self.artists_ = _plot_decision(ax, comparison, level, method)
            return self._finish(despine, "left", legend="")

        plot = _plot_matrix if kind == "matrix" else _plot_ranks
        self.artists_ = plot(ax, comparison, cmap)
        return self._finish(despine, "left")


def _figure_size(kind: str, names: Sequence[str]) -> tuple[float, float]:
    """Return the width and the height of a new figure in inches."""
    if kind == "difference":
        return 6.4, 4.0

    if kind == "matrix":
        longest = 0.06 * min(max(map(len, names)), 40)
        side = float(np.clip(2.0 + 0.42 * len(names) + longest, 4, 14))
        return 1.2 * side, side

    width, height = layout.rows_size(len(names), names)
    return width + 1.8, height  # wider for the columns beside the rows


def _plot_difference(
    ax: Axes, comparison: Any, pair: Any, level: float, method: str
) -> dict[str, Any]:
    """Plot the density of a difference with the probabilities that the rope divides."""
    distribution = comparison.difference(*pair)
    rope = comparison.rope
    summaries = summarize({"": distribution}, level, method)
    (summary,) = summaries.entries

    curve = density_curve(distribution)
    (line,) = ax.plot(*curve, color=text_color(ax), linewidth=1.2)

    size = float(ax.xaxis.label.get_fontsize())
    width = layout.cell_size(ax)[0]
    a, b = layout.fit_names(pair, size, 0.3 * width)

    # The areas that the rope divides have their probabilities in the legend.
    gray = neutral(ax)
    first, second, *_ = colors(ax)
    sides = (
        (-np.inf, -rope, second, f"{b} better"),
        (-rope, rope, gray, f"within \N{PLUS-MINUS SIGN}{rope:g}" if rope else ""),
        (rope, np.inf, first, f"{a} better"),
    )
    areas = []
    for (low, high, color, label), mass in zip(
        sides, comparison.rope_masses(*pair), strict=True
    ):
        area = ax.fill_between(
            *curve.between(low, high), color=color, alpha=shade(ax, 0.35), linewidth=0
        )
        area.set_label(f"{label} {format_probability(mass)}" if label else "")
        areas.append(area)
    band = ax.axvspan(
        -rope, rope, color=gray, alpha=shade(ax, 0.12), linewidth=0, zorder=0
    )
    zero = ax.axvline(0, color=gray, linewidth=1, linestyle=":", zorder=1)

    bar: dict[str, Any] = {"color": text_color(ax), "clip_on": False, "zorder": 4}
    (interval,) = ax.plot(summary.interval, (0, 0), linewidth=4, **bar)
    (mean,) = ax.plot(summary.mean, 0, "o", markerfacecolor=ax.get_facecolor(), **bar)

    better, worse = (b, a) if comparison.less_is_better else (a, b)
    score = comparison.posteriors[0].score_name
    parts = [f"{score}:", better, f"\N{MINUS SIGN} {worse}"]
    label = layout.wrap_text(parts, size, 0.9 * width)
    ax.set_xlabel(f"{label}\n{summaries.title}: {summary.text}")
    layout.label_axis(ax.yaxis, "Probability density")
    ax.set_ylim(0, 1.05 * curve.shown_height())
    layout.legend_below(ax, "")
    legend: Any = ax.get_legend()

    return {
        "line": line,
        "areas": tuple(areas),
        "rope": band,
        "zero": zero,
        "interval": interval,
        "mean": mean,
        "texts": tuple(legend.get_texts()),
    }


def _plot_matrix(ax: Axes, comparison: Any, cmap: Any) -> dict[str, Any]:
    """Plot the probabilities that the row is better than the column."""
    from matplotlib.collections import PolyCollection

    ranking, order = _sorted(comparison, "mean")
    probabilities = comparison.prob_greater()[np.ix_(order, order)]
    n = len(order)
    image = ax.imshow(probabilities, cmap=cmap, vmin=0, vmax=1)

    size, step = layout.row_font(
        ax, 0.5 * min(layout.axes_size(ax)) / n, layout.LARGEST_NOTE
    )
    names = layout.fit_names(ranking[::step], size, 0.3 * min(layout.cell_size(ax)))
    slanted: dict[str, Any] = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    ax.set_xticks(range(0, n, step), names, fontsize=size, **slanted)
    ax.set_yticks(range(0, n, step), names, fontsize=size)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    layout.label_axis(ax.xaxis, "... than this (column)")
    layout.label_axis(ax.yaxis, "This is better ... (row)")
    inset = ax.inset_axes((1.03, 0, 0.04, 1))  # as high as the squares
    colorbar = _colorbar(ax, image, "P(row better)", cax=inset)

    square = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
    diagonal = PolyCollection(
        [square + i for i in range(n)],
        facecolor=ax.get_facecolor(),
        edgecolor=neutral(ax),
        linewidth=0,
        hatch="////",
        label="The same classifier",
    )
    ax.add_collection(diagonal, autolim=False)
    layout.legend_below(ax, "")

    # Numbers fit into the squares of the final size.
    layout.arrange(ax)
    texts = np.full((n, n), None)
    size = min(0.85 * size, min(layout.axes_size(ax)) / (4 * n * _DIGIT_WIDTH))
    if size >= _SMALLEST_NUMBER:
        backgrounds = image.to_rgba(probabilities)
        style: dict[str, Any] = {"fontsize": size, "ha": "center", "va": "center"}
        for i, j in np.argwhere(~np.eye(n, dtype=bool)):
            color = contrasting(backgrounds[i, j])
            number = _two_digits(probabilities[i, j])
            texts[i, j] = ax.text(j, i, number, color=color, **style)
    return {"image": image, "diagonal": diagonal, "texts": texts, "colorbar": colorbar}


def _plot_ranks(ax: Axes, comparison: Any, cmap: Any) -> dict[str, Any]:
    """Plot the rank probabilities of each classifier as a stacked bar."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import BoundaryNorm

    ranking, order = _sorted(comparison, "expected_rank")
    n = len(order)
    columns = {
        "Expected rank": [f"{rank:.2f}" for rank in comparison.expected_rank()[order]]
    }
    size = 0.85 * layout.label_rows(ax, ranking, columns)

    probabilities = comparison.rank_probabilities()[order]
    starts = np.cumsum(probabilities, axis=1) - probabilities
    # Negative ranks: the best one has the last colour, which is the brightest by
    # default.
    scale = ScalarMappable(BoundaryNorm(np.arange(-n - 0.5, 0), 256), cmap)
    edge: dict[str, Any] = {
        "edgecolor": ax.get_facecolor(),
        "linewidth": min(0.6, 4 / n),
    }

    # Bars with a number are long enough for three digits and a gap.
    data_width = layout.DATA_FRACTION * layout.cell_size(ax)[0]
    min_probability = max(0.08, 3.5 * _DIGIT_WIDTH * size / data_width)
    rows = range(n - 1, -1, -1)
    bars = []
    for rank, (width, left) in enumerate(
        zip(probabilities.T, starts.T, strict=True), 1
    ):
        color = scale.to_rgba(np.array([-rank]))[0]
        bars.append(
            ax.barh(rows, width, left=left, color=color, label=f"Rank {rank}", **edge)
        )
        if 0.8 * layout.row_height(ax) >= size:
            numbers = [_two_digits(p) if p >= min_probability else "" for p in width]
            style: dict[str, Any] = {"color": contrasting(color), "fontsize": size}
            ax.bar_label(bars[-1], numbers, label_type="center", **style)
    ax.set(xlim=(0, 1), xlabel="Probability of each rank")

    colorbar = _colorbar(ax, scale, "Rank", location="top", pad=0.02, aspect=40)
    colorbar.ax.invert_xaxis()  # the best rank first
    ticks = range(1, n + 1, -(-n // 5))
    colorbar.set_ticks([-rank for rank in ticks], labels=[str(rank) for rank in ticks])
    colorbar.ax.tick_params(which="both", length=0)
    return {"bars": tuple(bars), "colorbar": colorbar}


def _plot_decision(
    ax: Axes, comparison: Any, level: float, method: str
) -> dict[str, Any]:
    """Plot the intervals beside the probability of being best and the expected loss."""
    ranking, order = _sorted(comparison, "expected_loss")
    posteriors = {
        name: comparison.posteriors[i] for name, i in zip(ranking, order, strict=True)
    }
    columns = {
        "P(best)": [format_probability(p) for p in comparison.prob_best()[order]],
        "Expected loss": [f"{loss:.4f}" for loss in comparison.expected_loss()[order]],
    }

    artists = plot_forest(ax, summarize(posteriors, level, method), columns)
    ax.set_xlabel(comparison.posteriors[0].score_name)
    return dict(zip(("lines", "intervals", "means"), artists, strict=True))


def _sorted(comparison: Any, objective: str) -> tuple[list[str], list[int]]:
    """Return the names, best first, and the indices of the classifiers."""
    ranking = list(comparison.ranking(objective))
    return ranking, [comparison.names.index(name) for name in ranking]


def _two_digits(probability: float) -> str:
    """Format a probability with two digits, and never as 0 or 1."""
    if probability < 0.005:
        return "<.01"
    return ">.99" if probability > 0.995 else f"{probability:.2f}".removeprefix("0")


def _colorbar(ax: Axes, mappable: ScalarMappable, label: str, **place: Any) -> Colorbar:
    """Add a colour bar with text in the size of notes."""
    size = layout.note_size(ax)
    colorbar = ax.figure.colorbar(mappable, ax=ax, use_gridspec=False, **place)
    colorbar.set_label(label, fontsize=size)
    colorbar.ax.tick_params(labelsize=size)
    return colorbar
