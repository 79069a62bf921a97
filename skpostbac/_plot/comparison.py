"""Plots of a comparison of classifiers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

import numpy as np

from skpostbac._plot import layout
from skpostbac._plot.base import Plot, colors, shade, text_color
from skpostbac._plot.curve import density_curve
from skpostbac._plot.layout import contrasting, neutral
from skpostbac._plot.posterior import plot_forest, summarize
from skpostbac._plot.text import literal, shorten
from skpostbac._utils import (
    Floats,
    check_choice,
    format_probability,
    input_errors,
    shown,
)
from skpostbac.stats._distribution import DEFAULT_INTERVAL, IntervalMethod, interval_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ComparisonKind: TypeAlias = Literal["decision", "difference", "matrix", "ranks"]

# Characters of a name in a difference.
_NAME_LENGTH = 30
# Width of a number in a heat map, as a multiple of the font size.
_NUMBER_WIDTH = 2.5


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
        and above the rope), "zero", "interval" and "mean"; a "matrix" and "ranks" have
        "image", "texts" and "colorbar"; a "decision" has "lines", "intervals" and
        "means", as a :class:`PosteriorPlot`.

    See Also
    --------
    skpostbac.PosteriorComparisonDisplay : The same plots from predictions or a search.
    PosteriorPlot : Plots of the posteriors.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from skpostbac import PosteriorComparison
    >>> from skpostbac.metrics import PairedCounts
    >>> from skpostbac.displays import ComparisonPlot
    >>> cells = [[27, 3, 5, 5], [12, 0, 4, 4]]
    >>> counts = PairedCounts.from_cells(cells, names=("old", "new"))
    >>> comparison = PosteriorComparison.from_paired_counts(counts, rope=0.02)
    >>> display = ComparisonPlot(comparison).plot(kind="difference")
    >>> for area in display.artists_["areas"]:
    ...     print(area.get_label())
    old better (0.008)
    within ±0.02 (0.034)
    new better (0.957)
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
            "decision": credible interval, with the 50 % interval drawn thick,
            probability of being best, whether it may be best
            (:meth:`~skpostbac.PosteriorComparison.may_be_best`), and expected loss of
            each classifier, smallest loss first; the numbers of the interval are left
            out if they do not fit. "difference": density of the difference of two
            classifiers, with the probabilities that the first is better, that the
            second is better, and that the difference lies within the rope; only this
            kind shows the rope. "matrix": probability that one classifier is better
            than another, for all pairs, highest mean first. "ranks": probability of
            each rank of each classifier, smallest expected rank first.
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
        ValueError
            If `kind`, `level` or `method` is invalid, if `pair` does not name two of
            the classifiers, or if `ax` contains the rows of another plot.

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from skpostbac import PosteriorComparison
        >>> from skpostbac.metrics import PairedCounts
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

        ax = self._start(ax, _figure_size(kind, names), despine=despine)
        if kind == "difference":
            self.artists_ = _plot_difference(ax, comparison, pair, level, method)
            return self._finish(despine)
        if kind == "decision":
            self.artists_ = _plot_decision(ax, comparison, level, method)
        else:
            plot = _plot_matrix if kind == "matrix" else _plot_ranks
            self.artists_ = plot(ax, comparison, cmap)
        return self._finish(despine, "left")


def _figure_size(kind: str, names: Sequence[str]) -> tuple[float, float]:
    """Return the width and the height of a new figure in inches."""
    if kind == "difference":
        return 6.4, 4.0

    if kind == "decision":
        width, height = layout.rows_size(len(names), names)
        return width + 2.6, height  # wider for the columns beside the rows

    side = min(4 + 0.35 * len(names), 11)
    return 1.2 * side, side


def _plot_difference(
    ax: Axes, comparison: Any, pair: Any, level: float, method: str
) -> dict[str, Any]:
    """Plot the density of a difference with the probabilities that the rope divides."""
    distribution = comparison.difference(*pair)
    rope = comparison.rope
    summaries = summarize([distribution], level, method)

    curve = density_curve(distribution)
    (line,) = ax.plot(*curve, color=text_color(ax), linewidth=1.2)

    # The areas that the rope divides have their probabilities in the legend.
    a, b = map(literal, shorten(pair, _NAME_LENGTH))
    gray = neutral(ax)
    first, second, *_ = colors(ax)
    sides = (
        (-np.inf, -rope, second, f"{b} better"),
        (-rope, rope, gray, f"within \N{PLUS-MINUS SIGN}{rope:g}"),
        (rope, np.inf, first, f"{a} better"),
    )
    areas = []
    for (low, high, color, label), mass in zip(
        sides, comparison.rope_masses(*pair), strict=True
    ):
        area = ax.fill_between(
            *curve.between(low, high), color=color, alpha=shade(ax, 0.35), linewidth=0
        )
        if low < high:
            area.set_label(f"{label} ({format_probability(mass)})")
        areas.append(area)
    zero = ax.axvline(0, color=gray, linewidth=1, linestyle=":", zorder=1)

    bar: dict[str, Any] = {"color": text_color(ax), "clip_on": False, "zorder": 4}
    (interval,) = ax.plot(summaries.intervals[0], (0, 0), linewidth=4, **bar)
    (mean,) = ax.plot(
        summaries.means, 0, "o", markerfacecolor=ax.get_facecolor(), **bar
    )

    better, worse = (b, a) if comparison.less_is_better else (a, b)
    score = comparison.posteriors[0].score_name
    layout.label_axis(ax.xaxis, f"{score}:", better, f"\N{MINUS SIGN} {worse}")
    ax.set_xlabel(f"{ax.get_xlabel()}\n{summaries.title}: {summaries.texts[0]}")
    layout.label_axis(ax.yaxis, "Probability density")
    ax.set_ylim(0, 1.05 * curve.shown_height())
    return {
        "line": line,
        "areas": tuple(areas),
        "zero": zero,
        "interval": interval,
        "mean": mean,
    }


def _plot_matrix(ax: Axes, comparison: Any, cmap: Any) -> dict[str, Any]:
    """Plot the probabilities that the row is better than the column."""
    names, order = _sorted(comparison, "mean")
    probabilities = comparison.prob_greater()[np.ix_(order, order)]
    np.fill_diagonal(probabilities, np.nan)

    artists = _plot_heat_map(ax, probabilities, names, cmap, 1.0, "P(row better)")
    shown = [text.get_text() for text in ax.get_yticklabels()]
    ax.set_xticks(
        ax.get_yticks(), shown, rotation=45, ha="right", rotation_mode="anchor"
    )
    layout.label_axis(ax.xaxis, "... than this (column)")
    layout.label_axis(ax.yaxis, "This is better ... (row)")
    return artists


def _plot_ranks(ax: Axes, comparison: Any, cmap: Any) -> dict[str, Any]:
    """Plot the probability that the row has the rank of the column."""
    names, order = _sorted(comparison, "expected_rank")
    probabilities = comparison.rank_probabilities()[order]

    highest = probabilities.max()
    artists = _plot_heat_map(ax, probabilities, names, cmap, highest, "Probability")
    ticks = ax.get_yticks()
    ax.set_xticks(ticks, [f"{tick + 1:.0f}" for tick in ticks])
    layout.label_axis(ax.xaxis, "Rank")
    return artists


def _plot_heat_map(
    ax: Axes,
    probabilities: Floats,
    names: Sequence[str],
    cmap: Any,
    highest: float,
    label: str,
) -> dict[str, Any]:
    """Plot a square table of probabilities, with numbers where they fit."""
    n = len(names)
    image = ax.imshow(probabilities, cmap=cmap, vmin=0, vmax=highest, aspect="auto")

    side = min(layout.cell_size(ax))
    row = 0.65 * side / n
    size, step = layout.row_font(ax, 0.7 * row)
    shown = layout.fit_names(names[::step], size, 0.3 * side)
    ax.set_yticks(range(0, n, step), shown)
    ax.tick_params(length=0, labelsize=size)
    ax.spines[:].set_visible(False)

    note = layout.font_size(ax, layout.NOTE_SCALE)
    colorbar = ax.figure.colorbar(image, ax=ax, use_gridspec=False)
    colorbar.set_label(label, fontsize=note)
    colorbar.ax.tick_params(labelsize=note)

    texts = np.full((n, n), None)
    size = min(size, row / _NUMBER_WIDTH)
    if size >= layout.SMALLEST_FONT:
        backgrounds = image.to_rgba(probabilities)
        for i, j in np.argwhere(np.isfinite(probabilities)):
            number = _two_digits(probabilities[i, j])
            color = contrasting(backgrounds[i, j])
            # They are inside: the layout engine need not measure them.
            style: dict[str, Any] = {"ha": "center", "va": "center", "in_layout": False}
            texts[i, j] = ax.text(j, i, number, color=color, fontsize=size, **style)
    return {"image": image, "texts": texts, "colorbar": colorbar}


def _plot_decision(
    ax: Axes, comparison: Any, level: float, method: str
) -> dict[str, Any]:
    """Plot the intervals beside who is the best, and the expected losses."""
    names, order = _sorted(comparison, "expected_loss")
    summaries = summarize([comparison.posteriors[i] for i in order], level, method)
    losses = comparison.expected_loss()[order]
    may_be_best = comparison.may_be_best(level)[order]
    columns = {
        "P(best)": [*map(format_probability, comparison.prob_best()[order])],
        "May be best": ["yes" if one else "no" for one in may_be_best],
        "Expected loss": [f"{loss:.4f}" for loss in losses],
    }
    artists = plot_forest(ax, names, summaries, None, **columns)
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
