"""Plot of a score against the decision threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, Self

from skpostbac._plot.kwargs import Kwargs, area_kwargs, chance_kwargs, check_kwargs, line_kwargs
from skpostbac._plot.room import legend_below, settle
from skpostbac._plot.style import despine_axes, free_styles, own_axes, shade
from skpostbac._plot.text import estimate, literal, with_score
from skpostbac._utils import Floats, check_flags, check_text, shown
from skpostbac.stats import Interval

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.container import ErrorbarContainer
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D


class Corrected(Protocol):
    """Posterior at the best threshold, corrected for selection."""

    def mean(self) -> float:
        """Return the mean."""

    def credible_interval(self, level: float = ...) -> Interval:
        """Return the interval."""


class ThresholdCurve(Protocol):
    """A score at decreasing thresholds."""

    @property
    def thresholds(self) -> Floats:
        """Decreasing thresholds."""

    @property
    def mean(self) -> Floats:
        """The score at each."""

    @property
    def interval(self) -> tuple[Floats, Floats]:
        """Ends of the interval at each."""

    @property
    def band(self) -> tuple[Floats, Floats]:
        """Ends of the band of the whole curve."""

    @property
    def best_threshold(self) -> float:
        """The best threshold."""

    @property
    def corrected(self) -> Corrected:
        """The score there."""

    @property
    def level(self) -> float:
        """Probability of the intervals and of the band."""


class ThresholdPlot:
    """Plot of the posterior balanced accuracy against the decision threshold.

    The ``plot`` method of a :class:`~skpostbac.metrics.PosteriorThresholdCurve` returns it. Use
    :class:`~skpostbac.PosteriorThresholdDisplay` to create it from labels and scores or from a
    classifier.

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
    >>> y_score = [0.1, 0.2, 0.3, 0.4, 0.7, 0.5, 0.8, 0.9]
    >>> curve = posterior_threshold_curve([0, 0, 0, 0, 0, 1, 1, 1], y_score, random_state=0)
    >>> display = curve.plot()
    >>> display.ax_.get_xlabel(), display.ax_.get_ylabel()
    ('Threshold', 'Balanced accuracy')
    >>> plt.close(display.figure_)
    """

    ax_: Axes
    figure_: Figure | SubFigure
    line_: Line2D
    interval_: Artist
    band_: Artist | None
    best_: ErrorbarContainer
    chance_level_: Line2D | None

    def __init__(self, curve: ThresholdCurve, *, name: str | None = None) -> None:
        if not hasattr(curve, "best_threshold"):
            raise TypeError(f"curve must be a PosteriorThresholdCurve, got {shown(curve)}")
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
        chance_level_kw: Kwargs = None,
        despine: bool = False,
    ) -> Self:
        """Plot the curve.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to plot on, by default those of a new figure. The curve gets a colour and a line
            style not yet used in them.
        plot_band : bool, default=True
            Whether to plot the simultaneous band of the whole curve in addition to the intervals.
        plot_chance_level : bool, default=False
            Whether to plot the chance level, 0.5.
        curve_kwargs, band_kwargs, chance_level_kw : dict, default=None
            Keyword arguments of matplotlib for the curve, the band and the chance level.
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
        >>> y_score = [0.1, 0.2, 0.3, 0.4, 0.7, 0.5, 0.8, 0.9]
        >>> curve = posterior_threshold_curve([0, 0, 0, 0, 0, 1, 1, 1], y_score, random_state=0)
        >>> display = curve.plot(plot_band=False, plot_chance_level=True)
        >>> len(display.ax_.get_legend().get_texts())
        4
        >>> plt.close(display.figure_)
        """
        check_flags(plot_band=plot_band, plot_chance_level=plot_chance_level, despine=despine)
        check_kwargs(
            curve_kwargs=curve_kwargs, band_kwargs=band_kwargs, chance_level_kw=chance_level_kw
        )
        self.ax_ = own_axes(ax, f"{type(self).__name__}.plot", figsize=(6.4, 5.2))
        self.figure_ = self.ax_.figure
        self.line_ = self._plot_mean(curve_kwargs)
        percent = f"{100 * self.curve.level:.12g}%"
        self.interval_ = self._fill(self.curve.interval, 0.3, f"{percent} interval at each", None)
        self.band_ = None
        if plot_band:
            label = f"{percent} band of the whole curve"
            self.band_ = self._fill(self.curve.band, 0.12, label, band_kwargs)
        self.best_ = self._mark_best()
        self.chance_level_ = None
        if plot_chance_level:
            self.chance_level_ = self.ax_.axhline(0.5, **chance_kwargs(0.5, chance_level_kw))
        self.ax_.set(xlabel="Threshold", ylabel="Balanced accuracy")
        if despine:
            despine_axes(self.ax_, "top", "right")
        legend_below(self.ax_)
        settle(self.ax_)
        return self

    def _plot_mean(self, kwargs: Kwargs) -> Line2D:
        label = "Posterior mean" if self.name is None else literal(self.name)
        # Between two scores the predictions are the same as at the upper one.
        style = {**free_styles(self.ax_, 1)[0], "drawstyle": "steps-post", "label": label}
        given = line_kwargs(style, kwargs)
        return self.ax_.plot(self.curve.thresholds, self.curve.mean, **given)[0]

    def _fill(self, ends: tuple[Floats, Floats], alpha: float, label: str, kwargs: Kwargs) -> Any:
        style = {
            "facecolor": self.line_.get_color(),
            "alpha": shade(self.ax_, alpha),
            "linewidth": 0,
            "label": label,
        }
        return self.ax_.fill_between(
            self.curve.thresholds, *ends, step="post", **area_kwargs(style, kwargs)
        )

    def _mark_best(self) -> ErrorbarContainer:
        posterior, threshold = self.curve.corrected, self.curve.best_threshold
        mean, interval = posterior.mean(), posterior.credible_interval(self.curve.level)
        return self.ax_.errorbar(
            [threshold],
            [mean],
            yerr=[[mean - interval.low], [interval.high - mean]],
            fmt="o",
            color=self.line_.get_color(),
            markerfacecolor=self.ax_.get_facecolor(),
            capsize=3,
            label=with_score(f"Best: {threshold:.3g}, corrected", estimate(mean, interval)),
        )
