"""Plot of a score against the decision threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from skpostbac._plot.base import Plot
from skpostbac._plot.style import Kwargs, chance_kwargs, merge_kwargs, shade, unused_styles
from skpostbac._plot.text import literal
from skpostbac._utils import check_text, shown

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.container import ErrorbarContainer
    from matplotlib.lines import Line2D


class ThresholdPlot(Plot):
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

    line_: Line2D
    interval_: Artist
    band_: Artist | None
    best_: ErrorbarContainer
    chance_level_: Line2D | None

    def __init__(self, curve: Any, *, name: str | None = None) -> None:
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
        flags = {"plot_band": plot_band, "plot_chance_level": plot_chance_level, "despine": despine}
        kwargs = {"band_kwargs": band_kwargs, "chance_level_kw": chance_level_kw}
        ax = self._start(ax, (6.4, 5.2), curve_kwargs=curve_kwargs, **kwargs, **flags)
        curve, percent = self.curve, f"{100 * self.curve.level:.12g}%"
        # Between two scores the predictions are the same as at the upper one.
        style = {**unused_styles(ax, 1)[0], "drawstyle": "steps-post"}
        style["label"] = "Posterior mean" if self.name is None else literal(self.name)
        (self.line_,) = ax.plot(curve.thresholds, curve.mean, **merge_kwargs(style, curve_kwargs))
        color = self.line_.get_color()
        area: dict[str, Any] = {"facecolor": color, "alpha": shade(ax, 0.3), "linewidth": 0}
        area |= {"label": f"{percent} interval at each", "step": "post"}
        self.interval_ = ax.fill_between(curve.thresholds, *curve.interval, **area)
        self.band_ = None
        if plot_band:
            area |= {"label": f"{percent} band of the whole curve", "alpha": shade(ax, 0.12)}
            style = merge_kwargs(area, band_kwargs, is_area=True)
            self.band_ = ax.fill_between(curve.thresholds, *curve.band, **style)
        best = curve.corrected.mean(), curve.corrected.credible_interval(curve.level)
        label = f"Best: {curve.best_threshold:.3g}, corrected"
        point: Any = {"fmt": "o", "markerfacecolor": ax.get_facecolor(), "capsize": 3}
        self.best_ = self._point(curve.best_threshold, *best, label, color=color, **point)
        self.chance_level_ = None
        if plot_chance_level:
            self.chance_level_ = ax.axhline(0.5, **chance_kwargs(0.5, chance_level_kw))
        ax.set(xlabel="Threshold", ylabel="Balanced accuracy")
        return self._finish(despine, legend="")
