"""Plot of the smooth curves of the binormal model beside the empirical ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from numpy.typing import ArrayLike
from sklearn.metrics import (
    average_precision_score,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)

from skpostbac import _plot
from skpostbac._plot import CurveDisplay, Kwargs
from skpostbac._utils import Floats, check_choice, check_text, shown
from skpostbac.binormal._model import BinormalModel
from skpostbac.metrics._binary_scores import read_scores

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

CurveKind = Literal["roc", "precision_recall"]

# Labels of both axes, and the name of the area under the curve.
_LABELS = {
    "roc": ("False Positive Rate", "True Positive Rate", "AUC"),
    "precision_recall": ("Recall", "Precision", "AP"),
}


class EmpiricalCurve(NamedTuple):
    """Empirical curve, as computed by scikit-learn."""

    x: Floats
    """False-positive rates, or recalls."""
    y: Floats
    """True-positive rates, or precisions."""
    area: float
    """Area under the ROC curve, or average precision."""


class BinormalCurveDisplay(CurveDisplay):
    """Smooth ROC or precision-recall curve of normal scores, and the empirical one.

    Create it with :meth:`from_estimator` or :meth:`from_predictions`, or from a
    :class:`BinormalModel` with ``BinormalCurveDisplay(model).plot()``. All parameters
    are stored as attributes.

    Parameters
    ----------
    model : BinormalModel
        Normal distributions of both classes, and the fraction of positives.
    curve : {"roc", "precision_recall"}, default="roc"
        Type of the curve.
    name : str, default=None
        Name of the curve in the legend.
    pos_label : int, float, bool or str, default=None
        Label of the positive class, shown in the axis labels.

    Attributes
    ----------
    empirical : EmpiricalCurve or None
        `x`, `y` and `area` of the empirical curve, as computed by scikit-learn. None if
        the scores are not known.
    ax_ : matplotlib Axes
        Axes with the curve.
    figure_ : matplotlib Figure
        Figure of the axes.
    line_ : matplotlib Line2D
        The smooth curve.
    empirical_line_ : matplotlib Line2D or None
        The empirical curve, if plotted.
    chance_level_ : matplotlib Line2D or None
        The chance level line, if plotted.

    See Also
    --------
    binormal_check : Check the assumption that the scores are normal.
    skpostbac.PosteriorRocDisplay : ROC curve with a credible band for any scores.
    sklearn.metrics.RocCurveDisplay : Plot the empirical curve only.

    Examples
    --------
    The effect of class imbalance on a precision-recall curve:

    >>> from dataclasses import replace
    >>> from skpostbac.binormal import BinormalCurveDisplay
    >>> from skpostbac.binormal import BinormalModel
    >>> model = BinormalModel(
    ...     mean_negative=-1, sd_negative=2, mean_positive=1, sd_positive=2
    ... )
    >>> ax = None
    >>> for fraction in (0.5, 0.1):
    ...     display = BinormalCurveDisplay(
    ...         replace(model, positive_fraction=fraction),
    ...         curve="precision_recall",
    ...         name=f"{fraction:.0%} positive",
    ...     ).plot(ax)
    ...     ax = display.ax_
    >>> [line.get_label() for line in ax.lines]
    ['50% positive (AP = 0.75)', '10% positive (AP = 0.29)']
    """

    empirical_line_: Line2D | None

    def __init__(
        self,
        model: BinormalModel,
        *,
        curve: CurveKind = "roc",
        name: str | None = None,
        pos_label: Any = None,
    ) -> None:
        if not isinstance(model, BinormalModel):
            raise TypeError(f"model must be a BinormalModel, got {shown(model)}")
        check_choice(curve, _LABELS, "curve")
        check_text(name, "name")
        self.model = model
        self.curve = curve
        self.name = name
        self.pos_label = pos_label
        self.empirical: EmpiricalCurve | None = None

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        curve: CurveKind = "roc",
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        positive_fraction: float | None = None,
        name: str | None = "Binormal",
        ax: Axes | None = None,
        **options: Any,
    ) -> BinormalCurveDisplay:
        """Plot the curve, given true labels and scores.

        Parameters
        ----------
        y_true, y_score, pos_label, sample_weight
            As for :meth:`~skpostbac.binormal.BinormalModel.fit`.
        curve : {"roc", "precision_recall"}, default="roc"
            Type of the curve.
        positive_fraction : float, default=None
            Fraction of positives where the classifier will be used, in (0, 1). The
            empirical curve then weights the samples to this fraction. By default it is
            that of the samples.
        name : str, default="Binormal"
            Name of the curve in the legend.
        ax : matplotlib Axes, default=None
            Axes to plot on; a new figure by default.
        **options
            As for :meth:`plot`.

        Returns
        -------
        display : BinormalCurveDisplay

        Raises
        ------
        ValueError, TypeError
            If `curve` is unknown, or as for
            :meth:`~skpostbac.binormal.BinormalModel.fit`.
        ImportError
            If matplotlib is not installed.

        Warns
        -----
        BinormalAssumptionWarning
            If the scores are clearly not normal.

        Examples
        --------
        >>> from skpostbac.binormal import BinormalCurveDisplay
        >>> display = BinormalCurveDisplay.from_predictions(
        ...     [0, 0, 0, 0, 1, 1, 1], [-3, -1, -2, 0, 0, 2, 1]
        ... )
        >>> display.line_.get_label()
        'Binormal (AUC = 0.94)'
        >>> display.empirical_line_.get_label()
        'Empirical (AUC = 0.96)'
        """
        model = BinormalModel.fit(
            y_true,
            y_score,
            pos_label=pos_label,
            sample_weight=sample_weight,
            positive_fraction=positive_fraction,
        )
        label = 1 if pos_label is None else pos_label
        display = cls(model, curve=curve, name=name, pos_label=label)

        scores = read_scores(y_true, y_score, pos_label, sample_weight)
        is_positive = scores.is_positive
        weight = scores.weight.copy()
        if positive_fraction is not None:
            # Weight the samples so that the positives have this fraction.
            weight[is_positive] *= positive_fraction / weight[is_positive].sum()
            weight[~is_positive] *= (1 - positive_fraction) / weight[~is_positive].sum()

        data = (is_positive, scores.values)
        if curve == "roc":
            x, y, _ = roc_curve(*data, sample_weight=weight)
            area = roc_auc_score(*data, sample_weight=weight)
        else:
            y, x, _ = precision_recall_curve(*data, sample_weight=weight)
            area = average_precision_score(*data, sample_weight=weight)
        display.empirical = EmpiricalCurve(x, y, float(area))
        return display.plot(ax, **options)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        plot_empirical: bool = True,
        plot_chance_level: bool = False,
        curve_kwargs: Kwargs = None,
        empirical_kwargs: Kwargs = None,
        chance_level_kwargs: Kwargs = None,
        despine: bool = False,
    ) -> BinormalCurveDisplay:
        """Plot the curve.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to plot on; a new figure by default. The curve gets a colour and a line
            style not yet used in them.
        name : str, default=None
            Name of the curve in the legend, by default the display's `name`.
        plot_empirical : bool, default=True
            Whether to plot the empirical curve, if available.
        plot_chance_level : bool, default=False
            Whether to plot the chance level.
        curve_kwargs, empirical_kwargs, chance_level_kwargs : dict, default=None
            Keyword arguments of matplotlib's `plot` for the smooth curve, the empirical
            curve and the chance level.
        despine : bool, default=False
            Whether to remove the top and right spines.

        Returns
        -------
        display : BinormalCurveDisplay
            This object.

        Raises
        ------
        ImportError
            If matplotlib is not installed.

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from skpostbac.binormal import BinormalCurveDisplay, BinormalModel
        >>> model = BinormalModel(
        ...     mean_negative=-1, sd_negative=2, mean_positive=1, sd_positive=2
        ... )
        >>> display = BinormalCurveDisplay(model).plot(plot_chance_level=True)
        >>> [line.get_label() for line in display.ax_.lines]
        ['AUC = 0.76', 'Chance level (AUC = 0.5)']
        >>> plt.close("all")
        """
        check_text(name, "name")
        ax = self._start(
            ax,
            (5.4, 6.0),
            curve_kwargs=curve_kwargs,
            empirical_kwargs=empirical_kwargs,
            chance_level_kwargs=chance_level_kwargs,
            plot_empirical=plot_empirical,
            plot_chance_level=plot_chance_level,
            despine=despine,
        )
        xlabel, ylabel, area_name = _LABELS[self.curve]
        is_roc = self.curve == "roc"

        if is_roc:
            x, y, _ = self.model.roc_curve()
            area = self.model.roc_auc()
        else:
            y, x, _ = self.model.precision_recall_curve()
            area = self.model.average_precision()

        name = self.name if name is None else name
        label = _plot.with_score(name, f"{area_name} = {area:.2f}")
        self._plot_line(x, y, label, curve_kwargs)

        self.empirical_line_ = None
        if plot_empirical and self.empirical is not None:
            x, y, area = self.empirical
            style = {
                "color": next(_plot.unused_styles(ax))["color"],
                "linewidth": 1.0,
                "label": f"Empirical ({area_name} = {area:.2f})",
                "drawstyle": "default" if is_roc else "steps-post",
            }
            style = _plot.merge_kwargs(style, empirical_kwargs)
            (self.empirical_line_,) = ax.plot(x, y, **style)

        if plot_chance_level and is_roc:
            self._plot_diagonal(chance_level_kwargs, f"{area_name} = ")
        elif plot_chance_level:
            chance = self.model.positive_fraction
            style = self._chance_style(chance, chance_level_kwargs, f"{area_name} = ")
            self.chance_level_ = ax.axhline(chance, **style)
        return self._finish_curve(xlabel, ylabel, self.pos_label, despine)
