"""Plots of one or several posteriors, and of one for each decision threshold."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, Self, TypeAlias

import numpy as np

from skpostbac._plot import layout
from skpostbac._plot.base import (
    COLORS,
    Kwargs,
    Plot,
    colors,
    merge_kwargs,
    shade,
    unused_styles,
)
from skpostbac._plot.curve import density_curve
from skpostbac._plot.text import (
    estimate_title,
    interval_name,
    literal,
    with_score,
)
from skpostbac._utils import (
    check_choice,
    check_flags,
    check_text,
    format_estimates,
    shown,
)
from skpostbac.stats import Interval
from skpostbac.stats._beta import evaluate_all
from skpostbac.stats._distribution import (
    DEFAULT_INTERVAL,
    Distribution,
    IntervalMethod,
    interval_of,
)

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.container import ErrorbarContainer
    from matplotlib.lines import Line2D

Kind: TypeAlias = Literal["auto", "density", "ridge", "forest"]

# More overlaid densities are hard to distinguish: by default, they have a row each.
_MAX_DENSITIES = len(COLORS)
# Height of a ridge above its row, in rows.
_RIDGE_HEIGHT = 0.9
# Probability of the thick part of an interval in a forest plot.
_INNER_LEVEL = 0.5


class Posterior(Protocol):
    """Object with a distribution; its `score_name` and `chance` are used if present."""

    @property
    def distribution(self) -> Distribution:
        """The distribution that is plotted."""


AnyPosterior: TypeAlias = Posterior | Distribution
# Lines, intervals and means: tuples of one for each posterior, or in rows, one artist
# for all.
Artists: TypeAlias = tuple[Any, Any, Any]


class Summaries(NamedTuple):
    """Values to plot for several posteriors, of which the first is on top."""

    distributions: list[Distribution]
    means: list[float]
    """The means, or the medians if one of the means is infinite."""
    intervals: list[Interval]
    texts: list[str]
    """Means and intervals with equal decimals."""
    title: str
    """What the texts are: "Mean [95% CI]"."""
    level: float
    method: str


def summarize(
    posteriors: Iterable[AnyPosterior], level: float, method: str
) -> Summaries:
    """Compute means (or medians, if a mean is infinite) and intervals of posteriors."""
    distributions = [
        entry if isinstance(entry, Distribution) else entry.distribution
        for entry in posteriors
    ]
    intervals = all_intervals(distributions, level, method)
    middle = "Mean"
    means = [distribution.mean() for distribution in distributions]
    if not all(map(math.isfinite, means)):
        middle = "Median"
        means = [float(distribution.median()) for distribution in distributions]

    title = estimate_title(level, method, middle=middle)
    texts = [*map(" ".join, format_estimates(means, intervals, n_decimals=2))]
    return Summaries(distributions, means, intervals, texts, title, level, method)


def all_intervals(
    distributions: Sequence[Distribution], level: float, method: str
) -> list[Interval]:
    """Return the interval of each distribution; similar ones are computed together."""
    ends = evaluate_all(distributions, lambda group: interval_of(group, level, method))
    return [Interval(low, high) for low, high in ends.tolist()]


def _chance_level(posteriors: Mapping[str, AnyPosterior]) -> float:
    """Return the chance level, which must be the same for all posteriors."""
    levels = {entry.chance for entry in posteriors.values() if hasattr(entry, "chance")}
    if len(levels) != 1:
        got = "several" if levels else "none"
        raise ValueError(
            f"plot_chance_level needs posteriors with the same chance level, got {got}"
        )
    return float(levels.pop())


def _plot_densities(
    ax: Axes, names: Sequence[str], summaries: Summaries, kwargs: Kwargs
) -> Artists:
    """Plot densities over one another, with the area above the interval shaded."""
    alpha = shade(ax, 0.25 if len(names) <= 5 else 0.08)
    top = ax.get_ylim()[1] if ax.has_data() else 0.0
    styles = unused_styles(ax)

    lines = []
    areas = []
    means = []
    for name, distribution, mean, interval, text in zip(
        names, *summaries[:4], strict=True
    ):
        curve = density_curve(distribution)
        shown_height = curve.shown_height()
        top = max(top, 1.05 * shown_height)

        style = {**next(styles), "label": with_score(name, text)}
        (line,) = ax.plot(*curve, **merge_kwargs(style, kwargs))
        lines.append(line)
        color = line.get_color()
        area = curve.between(*interval)
        areas.append(ax.fill_between(*area, color=color, alpha=alpha, linewidth=0))
        height = min(float(curve.height(mean)), shown_height)
        means += ax.plot([mean] * 2, (0, height), color=color, linewidth=1)
    layout.label_axis(ax.yaxis, "Probability density")
    ax.set_ylim(0, top)
    return tuple(lines), tuple(areas), tuple(means)


def _plot_ridges(
    ax: Axes, names: Sequence[str], summaries: Summaries, kwargs: Kwargs
) -> Artists:
    """Plot densities of equal height, each on its row."""
    from matplotlib.collections import LineCollection, PolyCollection

    columns = {summaries.title: summaries.texts}
    rows = layout.label_rows(ax, names, columns, margins=(0.25, 1))
    curves = []
    areas = []
    tops = []
    for row, distribution, mean, interval in zip(rows, *summaries[:3], strict=True):
        curve = density_curve(distribution)
        # Infinite densities are cut off.
        shares = np.minimum(curve.y / curve.shown_height(), 1)
        curve = curve._replace(y=_RIDGE_HEIGHT * shares)
        curves.append(np.column_stack([curve.x, row + curve.y]))

        x, y = curve.between(*interval)
        y = np.concatenate([[0], y, [0]])
        areas.append(np.column_stack([np.pad(x, 1, "edge"), row + y]))
        tops.append(row + float(curve.height(mean)))

    style = {"color": colors(ax)[0], "linewidth": 1.2}
    lines = LineCollection(curves, **merge_kwargs(style, kwargs))
    color = lines.get_color()[0]
    shaded = PolyCollection(areas, facecolor=color, alpha=shade(ax, 0.4), linewidth=0)
    shaded.set_label(interval_name(summaries.level, summaries.method))
    ax.add_collection(lines)
    ax.add_collection(shaded)
    means = ax.vlines(summaries.means, rows, tops, color=color, linewidth=1)
    return lines, shaded, means


def plot_forest(
    ax: Axes,
    names: Sequence[str],
    summaries: Summaries,
    kwargs: Kwargs,
    **columns: Sequence[str],
) -> Artists:
    """Plot means and intervals, with the 50% interval thick if it is the shorter one.

    The columns of numbers are on the right, those of the means and intervals first.
    """
    distributions, means, intervals, texts, title, level, method = summaries
    rows = layout.label_rows(ax, names, {title: texts, **columns})
    row_height = layout.row_height(ax)
    width = min(1.5, 0.3 * row_height)
    style = {"color": colors(ax)[0], "linewidth": width}
    style["label"] = interval_name(level, method)
    lines = ax.hlines(rows, *np.transpose(intervals), **merge_kwargs(style, kwargs))
    color = lines.get_color()[0]

    inner = None
    if level > _INNER_LEVEL:
        ends = np.transpose(all_intervals(distributions, _INNER_LEVEL, method))
        width = 2.7 * np.min(lines.get_linewidth())
        label = interval_name(_INNER_LEVEL, method)
        inner = ax.hlines(rows, *ends, color=color, linewidth=width, label=label)
    (points,) = ax.plot(
        means,
        rows,
        "o",
        color=color,
        markerfacecolor=ax.get_facecolor(),
        markersize=min(6.0, 0.7 * row_height),
        zorder=3,
    )
    return lines, inner, points


class PosteriorPlot(Plot):
    """Plot of one or several posteriors.

    The ``plot`` methods of the posteriors return it. Use
    :class:`~skpostbac.PosteriorDisplay` to create it from predictions and other data.
    All parameters are stored as attributes.

    Parameters
    ----------
    posteriors : posterior, or mapping of str to posterior
        One posterior, or several by name: a
        :class:`~skpostbac.PosteriorBalancedAccuracy` or the posterior of another scalar
        metric, a distribution such as ``posterior.recalls()["a"]`` or a
        :class:`~skpostbac.stats.DrawnDistribution`, or any object with a
        ``distribution``.
    score_name : str, default=None
        Label of the x-axis, by default the common ``score_name`` of the posteriors.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes with the plot.
    figure_ : matplotlib Figure
        Figure containing the axes.
    lines_ : tuple of matplotlib Line2D, or LineCollection
        Density of each posterior. In rows, this and the next two are one artist for
        all; in a forest plot, it has the intervals.
    intervals_ : tuple of matplotlib PolyCollection, PolyCollection, or LineCollection
        Shaded area of the interval of each posterior. In a forest plot, the 50%
        intervals, or None if the level is not higher.
    means_ : tuple of matplotlib Line2D, LineCollection, or Line2D
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
    ['C1 (0.81 [0.63, 0.95])', 'C3 (0.93 [0.80, 1.00])', 'Chance level (0.33)']
    >>> plt.close(display.figure_)
    """

    lines_: Any
    intervals_: Any
    means_: Any
    _is_score_x = True

    def __init__(
        self,
        posteriors: AnyPosterior | Mapping[str, AnyPosterior],
        *,
        score_name: str | None = None,
    ) -> None:
        check_text(score_name, "score_name")
        has_names = isinstance(posteriors, Mapping)
        entries: Any = posteriors if has_names else {"": posteriors}
        if not entries:
            raise ValueError("posteriors must contain at least one posterior, got none")

        for name, entry in entries.items():
            if not isinstance(getattr(entry, "distribution", entry), Distribution):
                what = f"posteriors[{name!r}]" if has_names else "posteriors"
                got = type(entry).__name__
                raise TypeError(f"{what} must be a posterior, got {got}")

        self.posteriors = posteriors
        self.score_name = score_name

    def plot(
        self,
        ax: Axes | None = None,
        *,
        kind: Kind = "auto",
        level: float = 0.95,
        method: IntervalMethod = DEFAULT_INTERVAL,
        curve_kwargs: Kwargs = None,
        plot_chance_level: bool = False,
        chance_level_kwargs: Kwargs = None,
        despine: bool = False,
    ) -> Self:
        """Plot the posteriors.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to plot on, by default those of a new figure. A density gets a colour
            and a line style not yet used in them; all other kinds need axes without
            rows.
        kind : {"auto", "density", "ridge", "forest"}, default="auto"
            "density": overlaid densities with shaded credible intervals, lines at the
            means, and the numbers in the legend below. The other kinds have one row per
            posterior: "ridge" shows densities of equal height, "forest" shows credible
            intervals with the 50% interval thick. "auto" is "density" for up to six
            posteriors, and "forest" for more. Up to twelve densities differ in colour
            and line style.
        level : float, default=0.95
            Probability of the credible intervals, in (0, 1).
        method : {"hull", "hdi", "central"}, default="hull"
            Hull of both other intervals, the shortest interval, or the one with equal
            probability in both tails.
        curve_kwargs : dict, default=None
            Keyword arguments of matplotlib's ``plot`` for all lines.
        plot_chance_level : bool, default=False
            Whether to plot the chance level.
        chance_level_kwargs : dict, default=None
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
            If `kind`, `level` or `method` is invalid, if the posteriors have no common
            chance level, or if `ax` contains the rows of another plot.

        Notes
        -----
        An infinite density, such as that of a class without errors under Jeffreys'
        prior, is cut off at 2.7 times the height above which a quarter of the
        probability lies.

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from skpostbac import PosteriorBalancedAccuracy
        >>> from skpostbac.displays import PosteriorPlot
        >>> posterior = PosteriorBalancedAccuracy.from_counts([30, 8], [32, 10])
        >>> display = PosteriorPlot(posterior).plot(level=0.9, method="hdi")
        >>> display.ax_.get_legend().get_title().get_text()
        'Mean [90% HDI]'
        >>> display.lines_[0].get_label()
        '0.85 [0.75, 0.95]'
        >>> plt.close(display.figure_)
        """
        check_flags(plot_chance_level=plot_chance_level)
        check_choice(kind, ("auto", "density", "ridge", "forest"), "kind")
        posteriors = (
            self.posteriors
            if isinstance(self.posteriors, Mapping)
            else {"": self.posteriors}
        )
        names = list(posteriors)
        n = len(names)
        summaries = summarize(posteriors.values(), level, method)
        chance = _chance_level(posteriors) if plot_chance_level else None

        if kind == "auto":
            kind = "density" if n <= _MAX_DENSITIES else "forest"
        size = layout.rows_size(n, names)
        if kind == "density":
            size = 6.4, 4.2 + 0.2 * min(n, 12)  # higher for a longer legend below
        ax = self._start(
            ax,
            size,
            curve_kwargs=curve_kwargs,
            chance_level_kwargs=chance_level_kwargs,
            despine=despine,
        )

        plots = {
            "density": _plot_densities,
            "ridge": _plot_ridges,
            "forest": plot_forest,
        }
        artists = plots[kind](ax, names, summaries, curve_kwargs)
        self.lines_, self.intervals_, self.means_ = artists

        score_names = {
            str(getattr(entry, "score_name", "Value")) for entry in posteriors.values()
        }
        score_name = literal(score_names.pop()) if len(score_names) == 1 else "Value"
        ax.set_xlabel(self.score_name or score_name)
        if chance is not None:
            style = self._chance_style(chance, chance_level_kwargs)
            self.chance_level_ = ax.axvline(chance, **style)
        if kind == "density":
            return self._finish(despine, title=summaries.title)
        return self._finish(despine, "left")


class ThresholdPlot(Plot):
    """Plot of the posterior balanced accuracy against the decision threshold.

    The ``plot`` method of a :class:`~skpostbac.metrics.PosteriorThresholdCurve` returns
    it. Use :class:`~skpostbac.PosteriorThresholdDisplay` to create it from labels and
    scores or from a classifier.

    Parameters
    ----------
    curve : PosteriorThresholdCurve
        The curve to plot.
    name : str, default=None
        Name of the classifier in the legend.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes with the plot.
    figure_ : matplotlib Figure
        Figure containing the axes.
    line_ : matplotlib Line2D
        The posterior mean.
    interval_ : matplotlib PolyCollection
        The credible interval at each threshold.
    band_ : matplotlib PolyCollection or None
        The simultaneous credible band of the whole curve.
    best_ : matplotlib ErrorbarContainer
        The best threshold and its balanced accuracy, corrected for selection.
    chance_level_ : matplotlib Line2D or None
        The chance level line.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from skpostbac import posterior_threshold_curve
    >>> y_true = [0, 0, 0, 0, 0, 1, 1, 1]
    >>> y_score = [0.1, 0.2, 0.3, 0.4, 0.7, 0.5, 0.8, 0.9]
    >>> curve = posterior_threshold_curve(y_true, y_score, random_state=0)
    >>> display = curve.plot()
    >>> display.ax_.get_xlabel(), display.ax_.get_ylabel()
    ('Threshold', 'Balanced accuracy')
    >>> plt.close(display.figure_)
    """

    line_: Line2D
    interval_: Artist
    band_: Artist | None
    best_: ErrorbarContainer

    def __init__(self, curve: Any, *, name: str | None = None) -> None:
        if not hasattr(curve, "best_threshold"):
            raise TypeError(
                f"curve must be a PosteriorThresholdCurve, got {shown(curve)}"
            )
        check_text(name, "name")
        self.curve = curve
        self.name = name

    def plot(
        self,
        ax: Axes | None = None,
        *,
        plot_band: bool = True,
        plot_chance_level: bool = False,
        curve_kwargs: Kwargs = None,
        band_kwargs: Kwargs = None,
        chance_level_kwargs: Kwargs = None,
        despine: bool = False,
    ) -> Self:
        """Plot the curve.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to plot on, by default those of a new figure. The curve gets a colour
            and a line style not yet used in them.
        plot_band : bool, default=True
            Whether to plot the simultaneous band of the whole curve in addition to the
            intervals.
        plot_chance_level : bool, default=False
            Whether to plot the chance level, 0.5.
        curve_kwargs, band_kwargs, chance_level_kwargs : dict, default=None
            Keyword arguments of matplotlib for the curve, the band and the chance
            level.
        despine : bool, default=False
            Whether to remove the top and right spines.

        Returns
        -------
        display : ThresholdPlot
            This object.

        Raises
        ------
        ImportError
            If matplotlib is not installed.

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from skpostbac import posterior_threshold_curve
        >>> y_true = [0, 0, 0, 0, 0, 1, 1, 1]
        >>> y_score = [0.1, 0.2, 0.3, 0.4, 0.7, 0.5, 0.8, 0.9]
        >>> curve = posterior_threshold_curve(y_true, y_score, random_state=0)
        >>> display = curve.plot(plot_band=False, plot_chance_level=True)
        >>> len(display.ax_.get_legend().get_texts())
        4
        >>> plt.close(display.figure_)
        """
        ax = self._start(
            ax,
            (6.4, 5.2),
            curve_kwargs=curve_kwargs,
            band_kwargs=band_kwargs,
            chance_level_kwargs=chance_level_kwargs,
            plot_band=plot_band,
            plot_chance_level=plot_chance_level,
            despine=despine,
        )
        curve = self.curve
        percent = f"{100 * curve.level:.12g}%"

        # Between two scores the predictions are the same as at the upper one.
        label = "Posterior mean" if self.name is None else literal(self.name)
        style = {**next(unused_styles(ax)), "drawstyle": "steps-post", "label": label}
        style = merge_kwargs(style, curve_kwargs)
        (self.line_,) = ax.plot(curve.thresholds, curve.mean, **style)

        color = self.line_.get_color()
        area: dict[str, Any] = {
            "facecolor": color,
            "alpha": shade(ax, 0.3),
            "linewidth": 0,
            "label": f"{percent} interval at each",
            "step": "post",
        }
        self.interval_ = ax.fill_between(curve.thresholds, *curve.interval, **area)
        self.band_ = None
        if plot_band:
            area["label"] = f"{percent} band of the whole curve"
            area["alpha"] = shade(ax, 0.12)
            area = merge_kwargs(area, band_kwargs, is_area=True)
            self.band_ = ax.fill_between(curve.thresholds, *curve.band, **area)

        self.best_ = self._point(
            curve.best_threshold,
            curve.corrected.mean(),
            curve.corrected.credible_interval(curve.level),
            f"Best: {curve.best_threshold:.3g}, corrected",
            color=color,
            fmt="o",
            markerfacecolor=ax.get_facecolor(),
            capsize=3,
        )

        if plot_chance_level:
            style = self._chance_style(0.5, chance_level_kwargs)
            self.chance_level_ = ax.axhline(0.5, **style)
        ax.set(xlabel="Threshold", ylabel="Balanced accuracy")
        return self._finish(despine)
