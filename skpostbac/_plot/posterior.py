"""Plot of one or several posteriors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

from skpostbac._plot.gallery import (
    AnyPosterior,
    Gallery,
    chance_level,
    named_posteriors,
    portray_all,
    score_name,
)
from skpostbac._plot.kwargs import chance_kwargs, check_kwargs
from skpostbac._plot.posterior_kinds import KINDS, MOST_DENSITIES, density_size, explain_shapes
from skpostbac._plot.room import legend_below, settle
from skpostbac._plot.rows import rows_size, write_above
from skpostbac._plot.style import despine_axes, own_axes, write_full_numbers
from skpostbac._plot.text import literal
from skpostbac._utils import check_choice, check_flags, check_text
from skpostbac.stats._distribution import DEFAULT_INTERVAL, IntervalMethod, one_warning

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D

Kind: TypeAlias = Literal["auto", "density", "ridge", "violin", "forest"]


class PosteriorPlot:
    """Plot of one or several posteriors.

    The ``plot`` methods of the posteriors return it. Use :class:`~skpostbac.PosteriorDisplay` to
    create it from predictions and other data. All parameters are stored as attributes.

    Parameters
    ----------
    posteriors : posterior, or mapping of str to posterior
        One posterior, or several by name: a :class:`~skpostbac.PosteriorBalancedAccuracy` or the
        posterior of another scalar metric, a distribution such as ``posterior.recalls()["a"]`` or a
        :class:`~skpostbac.DrawnPosterior`, or any object with a ``distribution``.
    score_name : str, default=None
        Label of the x-axis, by default the common ``score_name`` of the posteriors.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes with the plot.
    figure_ : matplotlib Figure
        Figure containing the axes.
    lines_ : tuple of matplotlib Line2D
        Density of each posterior, or its interval in a forest plot.
    intervals_ : tuple of matplotlib artists
        Shaded area of the interval of each posterior. In a forest plot, the 50% intervals, or none
        if the level is not higher.
    means_ : tuple of matplotlib Line2D
        Mean of each posterior.
    chance_level_ : matplotlib Line2D or None
        The chance level line, if plotted.

    See Also
    --------
    skpostbac.PosteriorDisplay : The same plot from labels, a classifier or test folds.
    ComparisonPlot : Plots of differences and ranks.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from skpostbac import PosteriorBalancedAccuracy
    >>> from skpostbac.displays import PosteriorPlot
    >>> total = [32, 10, 4]
    >>> display = PosteriorPlot(
    ...     {
    ...         "C1": PosteriorBalancedAccuracy.from_counts([30, 8, 3], total),
    ...         "C3": PosteriorBalancedAccuracy.from_counts([32, 9, 4], total),
    ...     }
    ... ).plot(plot_chance_level=True)
    >>> [text.get_text() for text in display.ax_.get_legend().get_texts()]
    ['C1 (0.81 [0.66, 0.94])', 'C3 (0.93 [0.83, 1.00])', 'Chance level (0.33)']
    >>> plt.close(display.figure_)
    """

    ax_: Axes
    figure_: Figure | SubFigure
    lines_: tuple[Line2D, ...]
    intervals_: tuple[Any, ...]
    means_: tuple[Line2D, ...]
    chance_level_: Line2D | None

    def __init__(
        self,
        posteriors: AnyPosterior | Mapping[str, AnyPosterior],
        *,
        score_name: str | None = None,
    ) -> None:
        named_posteriors(posteriors)
        check_text(score_name, "score_name")
        self.posteriors = posteriors
        self.score_name = score_name

    @one_warning
    def plot(
        self,
        ax: Axes | None = None,
        *,
        kind: Kind = "auto",
        level: float = 0.95,
        method: IntervalMethod = DEFAULT_INTERVAL,
        curve_kwargs: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        plot_chance_level: bool = False,
        chance_level_kw: Mapping[str, Any] | None = None,
        despine: bool = False,
    ) -> Self:
        """Plot the posteriors.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to plot on, by default those of a new figure. A density gets a colour and a line
            style not yet used in them; all other kinds need axes without rows.
        kind : {"auto", "density", "ridge", "violin", "forest"}, default="auto"
            "density": overlaid densities with shaded credible intervals, lines at the means, and
            the numbers in the legend below. The other kinds have one row per posterior: "ridge" and
            "violin" show densities of equal height, "forest" shows credible intervals with the 50%
            interval thick. "auto" is "density" for up to six posteriors, and "forest" for more. Up
            to twelve densities differ in colour and line style, and up to 36 also in line width.
        level : float, default=0.95
            Probability of the credible intervals, in (0, 1).
        method : {"hdi", "central"}, default="hdi"
            Shortest interval, or the one with equal probability in both tails.
        curve_kwargs : dict or sequence of dict, default=None
            Keyword arguments of matplotlib's ``plot`` for all lines, or for each line.
        plot_chance_level : bool, default=False
            Whether to plot the chance level.
        chance_level_kw : dict, default=None
            Keyword arguments of matplotlib's ``axvline`` for the chance level.
        despine : bool, default=False
            Whether to hide the spines without an axis.

        Returns
        -------
        display : PosteriorPlot
            This object.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        TypeError
            If `posteriors` are not posteriors.
        ValueError
            If `kind`, `level` or `method` is invalid, if the number of `curve_kwargs` and of
            posteriors differ, if the posteriors have no common chance level, or if `ax` contains
            the rows of another plot.

        Notes
        -----
        An infinite density, such as that of a class without errors under Jeffreys' prior, is cut
        off at 2.7 times the height above which a quarter of the probability lies.

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from skpostbac import PosteriorBalancedAccuracy
        >>> from skpostbac.displays import PosteriorPlot
        >>> posterior = PosteriorBalancedAccuracy.from_counts([30, 8], [32, 10])
        >>> display = PosteriorPlot(posterior).plot(level=0.9, method="hdi")
        >>> display.ax_.get_legend().get_title().get_text(), display.lines_[0].get_label()
        ('Mean [90% HDI]', '0.85 [0.75, 0.95]')
        >>> plt.close(display.figure_)
        """
        check_flags(plot_chance_level=plot_chance_level, despine=despine)
        check_choice(kind, ("auto", *KINDS), "kind")
        check_kwargs(chance_level_kw=chance_level_kw)
        posteriors = named_posteriors(self.posteriors)
        gallery = portray_all(posteriors, level, method, curve_kwargs)
        chance = chance_level(posteriors) if plot_chance_level else None
        if kind == "auto":
            kind = "density" if len(posteriors) <= MOST_DENSITIES else "forest"
        n = len(posteriors)
        size = density_size(n) if kind == "density" else rows_size(n, list(posteriors))
        self.ax_ = own_axes(ax, f"{type(self).__name__}.plot", figsize=size)
        self.figure_ = self.ax_.figure
        if ax is None:
            write_full_numbers(self.ax_)
        self.lines_, self.intervals_, self.means_ = KINDS[kind](self.ax_, gallery)
        self.ax_.set_xlabel(self.score_name or literal(score_name(posteriors)))
        self.chance_level_ = None
        if chance is not None:
            self.chance_level_ = self.ax_.axvline(chance, **chance_kwargs(chance, chance_level_kw))
        if despine:
            despine_axes(self.ax_, "top", "right", *([] if kind == "density" else ["left"]))
        self._explain(kind, gallery)
        settle(self.ax_)
        return self

    def _explain(self, kind: Kind, gallery: Gallery) -> None:
        """Write the legend or the note, outside of the axes."""
        if kind == "density":
            legend_below(self.ax_, gallery.title)
            return
        explain_shapes(self.ax_, kind, gallery)
        if self.chance_level_ is not None:
            write_above(self.ax_, self.chance_level_)
