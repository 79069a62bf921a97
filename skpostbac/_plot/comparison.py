"""Plots of a comparison of classifiers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

import numpy as np

from skpostbac._plot.comparison_kinds import KINDS, Comparison, Request
from skpostbac._plot.room import settle
from skpostbac._plot.rows import rows_size
from skpostbac._plot.style import check_cmap, despine_axes, own_axes, write_full_numbers
from skpostbac._utils import check_choice, check_flags, input_errors, shown
from skpostbac.stats._distribution import DEFAULT_INTERVAL, IntervalMethod, interval_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

ComparisonKind: TypeAlias = Literal["decision", "difference", "matrix", "ranks"]


# Additional width of a figure with columns beside the rows, in inches.
_COLUMNS = 1.8


def _rows_size(names: Sequence[str]) -> tuple[float, float]:
    width, height = rows_size(len(names), names)
    return width + _COLUMNS, height


def _matrix_size(names: Sequence[str]) -> tuple[float, float]:
    longest = 0.06 * min(max(map(len, names)), 40)
    side = float(np.clip(2.0 + 0.42 * len(names) + longest, 4, 14))
    return 1.2 * side, side


_FIGURE_SIZES: dict[str, Callable[[Sequence[str]], tuple[float, float]]] = {
    "decision": _rows_size,
    "difference": lambda _: (6.4, 4.0),
    "matrix": _matrix_size,
    "ranks": _rows_size,
}


def _check_pair(comparison: Comparison, pair: tuple[str, str] | None) -> tuple[str, str]:
    """Return the checked names of two different classifiers."""
    names = comparison.ranking()[:2] if pair is None else pair
    if not isinstance(names, tuple | list) or len(names) != 2:
        raise ValueError(f"pair must name two of {comparison.names}, got {shown(pair)}")
    with input_errors("pair"):
        comparison.difference(*names)
    return names[0], names[1]


class ComparisonPlot:
    """Plot of a comparison: differences, pairwise probabilities and ranks.

    :meth:`~skpostbac.PosteriorComparison.plot` returns it. Use
    :class:`~skpostbac.PosteriorComparisonDisplay` to create it from predictions and other data.

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
        Artists of the plot, by name. A "difference" has "line", "areas" (below, within and above
        the rope), "rope", "zero", "interval", "mean" and "texts"; a "matrix" has "image",
        "diagonal", "texts" and "colorbar"; "ranks" have "bars", of all classifiers for each rank,
        and "colorbar"; a "decision" has "lines", "intervals" and "means", as a
        :class:`PosteriorPlot`.

    See Also
    --------
    skpostbac.PosteriorComparisonDisplay : The same plots from predictions or from a search.
    PosteriorPlot : Plots of the posteriors.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from skpostbac import PairedCounts, PosteriorComparison
    >>> from skpostbac.displays import ComparisonPlot
    >>> counts = PairedCounts.from_cells([[27, 3, 5, 5], [12, 0, 4, 4]], names=("old", "new"))
    >>> comparison = PosteriorComparison.from_paired_counts(counts, rope=0.02)
    >>> display = ComparisonPlot(comparison).plot(kind="difference")
    >>> for text in display.artists_["texts"]:
    ...     print(*text.get_text().splitlines())
    old better 0.005
    within ±0.02 0.027
    new better 0.968
    >>> plt.close(display.figure_)
    """

    ax_: Axes
    figure_: Figure | SubFigure
    artists_: dict[str, Any]

    def __init__(self, comparison: Comparison) -> None:
        if not isinstance(comparison, Comparison):
            raise TypeError(
                f"comparison must be a PosteriorComparison, got {type(comparison).__name__}"
            )
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
            "decision": credible interval, probability of being best and expected loss of each
            classifier, smallest loss first; the numbers of the interval are left out if they do
            not fit. "difference": density of the difference of two classifiers, with the
            probabilities that the first is better, that the second is better, and that the
            difference lies within the rope. "matrix": probability that one classifier is better
            than another, for all pairs, highest mean first. "ranks": probabilities of all ranks of
            each classifier, smallest expected rank first.
        pair : tuple of two str, default=None
            Names of the classifiers for kind "difference", first minus second; by default the two
            with the highest posterior means.
        level : float, default=0.95
            Probability of the credible intervals, in (0, 1).
        method : {"hdi", "central"}, default="hdi"
            Shortest interval, or the one with equal probability in both tails.
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
            If `kind`, `level` or `method` is invalid, if `pair` does not name two of the
            classifiers, or if `ax` contains the rows of another plot.

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from skpostbac import PairedCounts, PosteriorComparison
        >>> from skpostbac.displays import ComparisonPlot
        >>> counts = PairedCounts.from_cells([[27, 3, 5, 5], [12, 0, 4, 4]], names=("old", "new"))
        >>> comparison = PosteriorComparison.from_paired_counts(counts)
        >>> display = ComparisonPlot(comparison).plot(kind="difference", level=0.9)
        >>> display.ax_.get_xlabel().splitlines()[1]
        'Mean [90% HDI]: 0.12 [0.03, 0.21]'
        >>> plt.close(display.figure_)
        """
        check_flags(despine=despine)
        check_choice(kind, KINDS, "kind")
        names = self.comparison.names
        if kind == "difference" or pair is not None:
            pair = _check_pair(self.comparison, pair)
        # Raise for an invalid level or method before creating a figure.
        interval_of(self.comparison.posteriors[0].distribution, level, method)
        request = Request(pair or (names[0], names[1]), level, method, cmap)
        size, caller = _FIGURE_SIZES[kind](names), f"{type(self).__name__}.plot"
        check_cmap(cmap, caller)
        self.ax_ = own_axes(ax, caller, figsize=size)
        self.figure_ = self.ax_.figure
        if ax is None:
            write_full_numbers(self.ax_)
        self.artists_ = KINDS[kind](self.ax_, self.comparison, request)
        if despine:
            despine_axes(self.ax_, "top", "right", *([] if kind == "difference" else ["left"]))
        settle(self.ax_)
        return self
