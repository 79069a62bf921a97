"""ROC curve of the samples, with a credible band and the posterior of the area."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from skpostbac import _plot
from skpostbac._plot import CurveDisplay, Kwargs
from skpostbac._utils import Floats, RandomStateLike, check_level, check_text
from skpostbac.metrics import PosteriorRankingMetric
from skpostbac.metrics._labels import WeightType
from skpostbac.metrics._ranking import roc_with_band

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection


class PosteriorRocDisplay(CurveDisplay):
    """ROC curve of the samples with a credible band that needs no model of the scores.

    Create it with :meth:`from_estimator` or :meth:`from_predictions`. All parameters
    are stored as attributes.

    Parameters
    ----------
    fpr, tpr : ndarray of shape (n_points,)
        Points all along the curve of the samples.
    low, high : ndarray of shape (n_points,)
        Band at each point: a central credible interval of the true-positive rate at
        this false-positive rate, extended to the curve where necessary. The whole curve
        of the population is in the band with a smaller probability than `level`.
    posterior : PosteriorRankingMetric
        Posterior of the area under the curve.
    level : float, default=0.95
        Probability of the band at each point, and of the interval of the area.
    name : str, default=None
        Name of the classifier in the legend.
    pos_label : int, float, bool or str, default=None
        Label of the positive class, shown in the axis labels.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes with the curve.
    figure_ : matplotlib Figure
        Figure of the axes.
    line_ : matplotlib Line2D
        The curve.
    band_ : matplotlib PolyCollection or None
        The band, if plotted.
    chance_level_ : matplotlib Line2D or None
        The chance level line, if plotted.

    See Also
    --------
    posterior_roc_auc : The posterior of the area.
    skpostbac.binormal.BinormalCurveDisplay : A smooth curve of normal scores.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from skpostbac import PosteriorRocDisplay
    >>> y_true = [0, 0, 0, 0, 0, 1, 1, 1]
    >>> y_score = [0.1, 0.2, 0.3, 0.4, 0.7, 0.5, 0.8, 0.9]
    >>> display = PosteriorRocDisplay.from_predictions(y_true, y_score, name="tree")
    >>> display.line_.get_label()
    'tree (AUC = 0.77 [0.39, 1.00])'
    >>> bool((display.low <= display.tpr).all() and (display.tpr <= display.high).all())
    True
    >>> plt.close(display.figure_)
    """

    band_: PolyCollection | None

    def __init__(
        self,
        fpr: Floats,
        tpr: Floats,
        low: Floats,
        high: Floats,
        *,
        posterior: PosteriorRankingMetric,
        level: float = 0.95,
        name: str | None = None,
        pos_label: Any = None,
    ) -> None:
        check_text(name, "name")
        self.fpr = fpr
        self.tpr = tpr
        self.low = low
        self.high = high
        self.posterior = posterior
        self.level = check_level(level)
        self.name = name
        self.pos_label = pos_label

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        weight_type: WeightType = None,
        groups: ArrayLike | None = None,
        level: float = 0.95,
        random_state: RandomStateLike = 0,
        name: str | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> PosteriorRocDisplay:
        """Plot the curve, given true labels and scores.

        Parameters
        ----------
        y_true, y_score, pos_label, sample_weight, weight_type, groups, random_state
            As for :func:`~skpostbac.posterior_roc_auc`, of two classes.
        level : float, default=0.95
            Probability of the band at each point, and of the interval of the area, in
            (0, 1).
        name : str, default=None
            Name of the classifier in the legend.
        ax : matplotlib Axes, default=None
            Axes to plot on; a new figure by default.
        **options
            As for :meth:`plot`.

        Returns
        -------
        display : PosteriorRocDisplay

        Raises
        ------
        ValueError, TypeError
            As for :func:`~skpostbac.posterior_roc_auc`.
        ImportError
            If matplotlib is not installed.
        """
        posterior, band = roc_with_band(
            y_true,
            y_score,
            level=level,
            pos_label=pos_label,
            sample_weight=sample_weight,
            weight_type=weight_type,
            groups=groups,
            random_state=random_state,
        )
        display = cls(
            *band,
            posterior=posterior,
            level=level,
            name=name,
            pos_label=1 if pos_label is None else pos_label,
        )
        return display.plot(ax, **options)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        plot_band: bool = True,
        plot_chance_level: bool = False,
        curve_kwargs: Kwargs = None,
        band_kwargs: Kwargs = None,
        chance_level_kwargs: Kwargs = None,
        despine: bool = False,
    ) -> PosteriorRocDisplay:
        """Plot the curve.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to plot on; a new figure by default. The curve gets a colour and a line
            style not yet used in them.
        name : str, default=None
            Name of the curve in the legend, by default the display's `name`.
        plot_band : bool, default=True
            Whether to plot the band.
        plot_chance_level : bool, default=False
            Whether to plot the chance level.
        curve_kwargs, band_kwargs, chance_level_kwargs : dict, default=None
            Keyword arguments of matplotlib for the curve, the band and the chance
            level.
        despine : bool, default=False
            Whether to remove the top and right spines.

        Returns
        -------
        display : PosteriorRocDisplay
            This object.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        check_text(name, "name")
        ax = self._start(
            ax,
            (5.4, 6.0),
            curve_kwargs=curve_kwargs,
            band_kwargs=band_kwargs,
            chance_level_kwargs=chance_level_kwargs,
            plot_band=plot_band,
            plot_chance_level=plot_chance_level,
            despine=despine,
        )

        interval = self.posterior.credible_interval(self.level)
        area = f"AUC = {_plot.estimate(self.posterior.mean(), interval)}"
        label = _plot.with_score(self.name if name is None else name, area)
        self._plot_line(self.fpr, self.tpr, label, curve_kwargs)

        self.band_ = None
        if plot_band:
            label = f"{100 * self.level:g}% credible band"
            if label in ax.get_legend_handles_labels()[1]:
                label = ""  # equal labels share a legend entry
            style: dict[str, Any] = {
                "facecolor": self.line_.get_color(),
                "alpha": _plot.shade(ax, 0.2),
                "linewidth": 0,
                "label": label,
            }
            style = _plot.merge_kwargs(style, band_kwargs, is_area=True)
            self.band_ = ax.fill_between(self.fpr, self.low, self.high, **style)
        if plot_chance_level:
            self._plot_diagonal(chance_level_kwargs, "AUC = ")
        return self._finish_curve(
            "False Positive Rate", "True Positive Rate", self.pos_label, despine
        )
