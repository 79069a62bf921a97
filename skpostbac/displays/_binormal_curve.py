"""Smooth ROC and precision-recall curves, their credible bands, and the empirical curve."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import (
    auc,
    average_precision_score,
    precision_recall_curve,
    roc_curve,
)

from skpostbac._plot import (
    Kwargs,
    area_kwargs,
    chance_kwargs,
    check_kwargs,
    check_matplotlib,
    despine_axes,
    estimate,
    free_styles,
    label_axis,
    legend_below,
    line_kwargs,
    own_axes,
    positive_note,
    settle,
    shade,
    with_score,
)
from skpostbac._utils import (
    Floats,
    RandomStateLike,
    check_choice,
    check_flags,
    check_level,
    check_probability,
    check_text,
    float_array,
    input_errors,
    shown,
)
from skpostbac.binormal import BinormalModel, CurveBand, PosteriorBinormal, posterior_binormal
from skpostbac.displays._scores import positive_scores
from skpostbac.metrics import DrawnPosterior
from skpostbac.metrics._binormal import check_share, estimate_model
from skpostbac.stats._distribution import Interval, interval_of

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

# Points at which bands are computed: denser towards both ends, where the curves are steep. 0 is
# left out, as the precision of each draw is 1 or 0 there, which would show as a spike.
BAND_POINTS = (1 - np.cos(np.linspace(0, np.pi, 201)[1:])) / 2


class EmpiricalCurve(NamedTuple):
    """Empirical curve, as computed by scikit-learn."""

    x: Floats
    """False-positive rates, or recalls."""
    y: Floats
    """True-positive rates, or precisions."""
    area: float
    """Area under the ROC curve, or average precision."""


@dataclass(frozen=True)
class _Kind:
    """Properties of the two kinds of curves."""

    xlabel: str
    ylabel: str
    area_name: str
    drawstyle: str
    points: Callable[[BinormalModel], tuple[Floats, Floats]]
    area: Callable[[BinormalModel], float]
    area_posterior: Callable[[PosteriorBinormal], DrawnPosterior]
    band: Callable[[PosteriorBinormal, float], CurveBand]
    empirical: Callable[..., EmpiricalCurve]
    # Chance level at both ends, and the area below it, as functions of the positive fraction.
    chance: Callable[[float], tuple[float, float, float]]


def _empirical_roc(y_true: ArrayLike, y_score: ArrayLike, **options: Any) -> EmpiricalCurve:
    fpr, tpr, _ = roc_curve(y_true, y_score, **options)
    return EmpiricalCurve(fpr, tpr, float(auc(fpr, tpr)))


def _empirical_precision_recall(
    y_true: ArrayLike, y_score: ArrayLike, *, pos_label: Any, **options: Any
) -> EmpiricalCurve:
    precision, recall, _ = precision_recall_curve(y_true, y_score, pos_label=pos_label, **options)
    area = average_precision_score(y_true, y_score, pos_label=pos_label, **options)
    return EmpiricalCurve(recall, precision, float(area))


KINDS = {
    "roc": _Kind(
        xlabel="False Positive Rate",
        ylabel="True Positive Rate",
        area_name="AUC",
        drawstyle="default",
        points=lambda model: model.roc_curve()[:2],
        area=BinormalModel.roc_auc,
        area_posterior=PosteriorBinormal.roc_auc,
        band=lambda posterior, level: posterior.roc_band(level, fpr=BAND_POINTS),
        empirical=_empirical_roc,
        chance=lambda _: (0, 1, 0.5),
    ),
    "precision_recall": _Kind(
        xlabel="Recall",
        ylabel="Precision",
        area_name="AP",
        drawstyle="steps-post",
        points=lambda model: model.precision_recall_curve()[1::-1],
        area=BinormalModel.average_precision,
        area_posterior=PosteriorBinormal.average_precision,
        band=lambda posterior, level: posterior.precision_recall_band(level, recall=BAND_POINTS),
        empirical=_empirical_precision_recall,
        chance=lambda fraction: (fraction, fraction, fraction),
    ),
}


class BinormalCurveDisplay:
    """Smooth ROC or precision-recall curve of normal scores, with a credible band.

    Create it with :meth:`from_estimator`, :meth:`from_predictions` or :meth:`from_model`. All
    parameters are stored as attributes.

    Parameters
    ----------
    curve : {"roc", "precision_recall"}
        Type of the curve; "pr" is short for "precision_recall".
    x, y : ndarray of shape (n_points,)
        Points of the smooth curve: false and true positive rates, or recalls and precisions.
    area : float
        Area under the curve.
    positive_fraction : float
        Fraction of positives, the chance level of the precision.
    interval : (float, float), default=None
        Credible interval of the area.
    band : CurveBand, default=None
        Pointwise credible band of the curve.
    level : float, default=0.95
        Probability of the credible interval, and of the band at each point.
    empirical : EmpiricalCurve, default=None
        The empirical curve: `x`, `y` and `area`, as computed by scikit-learn.
    name : str, default=None
        Name of the curve in the legend.
    pos_label : int, float, bool or str, default=None
        Label of the positive class, shown in the axis labels.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes with the curve.
    figure_ : matplotlib Figure
        Figure of the axes.
    line_ : matplotlib Line2D
        The smooth curve.
    band_ : matplotlib PolyCollection or None
        The credible band.
    empirical_line_ : matplotlib Line2D or None
        The empirical curve.
    chance_level_ : matplotlib Line2D or None
        The chance level line, if plotted.

    See Also
    --------
    NormalScoresDisplay : Check the assumption that the scores are normal.
    sklearn.metrics.RocCurveDisplay : Plot the empirical curve only.
    skpostbac.binormal.BinormalModel : The model of the scores.

    Examples
    --------
    The effect of class imbalance on a precision-recall curve:

    >>> from dataclasses import replace
    >>> from skpostbac import BinormalCurveDisplay
    >>> from skpostbac.binormal import BinormalModel
    >>> model = BinormalModel(mean_negative=-1, sd_negative=2, mean_positive=1, sd_positive=2)
    >>> ax = None
    >>> for fraction in (0.5, 0.1):
    ...     display = BinormalCurveDisplay.from_model(
    ...         replace(model, positive_fraction=fraction),
    ...         curve="precision_recall",
    ...         name=f"{fraction:.0%} positive",
    ...         ax=ax,
    ...     )
    ...     ax = display.ax_
    >>> [line.get_label() for line in ax.lines]
    ['50% positive (AP = 0.75)', '10% positive (AP = 0.29)']
    """

    def __init__(
        self,
        *,
        curve: Literal["roc", "precision_recall", "pr"],
        x: Floats,
        y: Floats,
        area: float,
        positive_fraction: float,
        interval: Interval | None = None,
        band: CurveBand | None = None,
        level: float = 0.95,
        empirical: EmpiricalCurve | None = None,
        name: str | None = None,
        pos_label: Any = None,
    ) -> None:
        self.curve = _curve_name(curve)
        check_text(name, "name")
        if band is not None:
            _check_band(band)
        self.x, self.y = _points(x, y)
        self.area = check_share(area, "area")
        self.positive_fraction = check_probability(positive_fraction, "positive_fraction")
        self.interval = None if interval is None else _ends(interval)
        self.band = band
        self.level = check_level(level)
        self.empirical = None if empirical is None else _staircase(empirical)
        self.name = name
        self.pos_label = pos_label

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: ArrayLike, y: ArrayLike, *, pos_label: Any = None, **options: Any
    ) -> BinormalCurveDisplay:
        """Plot the curve of a fitted classifier.

        Parameters
        ----------
        estimator : estimator instance
            Fitted binary classifier or pipeline. The scores come from its `decision_function`, or
            else from `predict_proba`, whose probabilities are rarely normal.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Test samples.
        y : array-like of shape (n_samples,)
            True labels.
        pos_label : int, float, bool or str, default=None
            Label of the positive class; by default ``estimator.classes_[1]``.
        **options
            As for :meth:`from_predictions`: `curve`, "roc" (the default) or "precision_recall",
            `level`, `random_state`, `ax` and others. The default `name` is the class name of the
            estimator.

        Returns
        -------
        display : BinormalCurveDisplay

        Raises
        ------
        ValueError, TypeError, ImportError
            As for :meth:`from_predictions`.

        Warns
        -----
        BinormalAssumptionWarning
            As for :meth:`from_predictions`.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
        >>> from sklearn.model_selection import train_test_split
        >>> from skpostbac import BinormalCurveDisplay
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> X_train, X_test, y_train, y_test = train_test_split(X[:, :2], y, random_state=0)
        >>> lda = LinearDiscriminantAnalysis().fit(X_train, y_train)
        >>> display = BinormalCurveDisplay.from_estimator(lda, X_test, y_test, random_state=0)
        >>> display.line_.get_label()
        'LinearDiscriminantAnalysis (AUC = 0.96 [0.92, 0.98])'
        """
        y_score, pos_label = positive_scores(estimator, X, y, pos_label)
        options = {"name": type(estimator).__name__, **options}
        return cls.from_predictions(y, y_score, pos_label=pos_label, **options)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        curve: Literal["roc", "precision_recall", "pr"] = "roc",
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        positive_fraction: float | None = None,
        level: float = 0.95,
        n_draws: int = 4000,
        random_state: RandomStateLike = 0,
        name: str | None = "Binormal",
        ax: Axes | None = None,
        **plot_options: Any,
    ) -> BinormalCurveDisplay:
        """Plot the curve, given true labels and scores.

        Parameters
        ----------
        y_true, y_score, pos_label, sample_weight
            As for :meth:`~skpostbac.binormal.BinormalModel.fit`.
        curve : {"roc", "precision_recall"}, default="roc"
            Type of the curve; "pr" is short for "precision_recall".
        positive_fraction : float, default=None
            Fraction of positives where the classifier will be used, in (0, 1). The empirical curve
            then weights the samples to this fraction. By default it is estimated from the samples,
            and the credible band includes its uncertainty.
        level : float, default=0.95
            Probability of the credible interval of the area and, pointwise, of the band.
        n_draws, random_state
            As for :func:`~skpostbac.binormal.posterior_binormal`.
        name : str, default="Binormal"
            Name of the curve in the legend.
        ax : matplotlib Axes, default=None
            Axes to plot on; a new figure by default.
        **plot_options
            As for :meth:`plot`.

        Returns
        -------
        display : BinormalCurveDisplay

        Raises
        ------
        ValueError, TypeError
            If `curve` is unknown or `level` is not in (0, 1), or as for
            :func:`~skpostbac.binormal.posterior_binormal`.
        ImportError
            If matplotlib is not installed.

        Warns
        -----
        BinormalAssumptionWarning
            If the scores are clearly not normal.

        Examples
        --------
        >>> from skpostbac import BinormalCurveDisplay
        >>> y_true, y_score = [0, 0, 0, 0, 1, 1, 1], [-3, -1, -2, 0, 0, 2, 1]
        >>> display = BinormalCurveDisplay.from_predictions(y_true, y_score, random_state=0)
        >>> display.line_.get_label()
        'Binormal (AUC = 0.94 [0.51, 1.00])'
        >>> display.empirical_line_.get_label()
        'Empirical (AUC = 0.96)'
        """
        check_matplotlib(f"{cls.__name__}.from_predictions")
        check_text(name, "name")
        kind = _kind(curve)
        labelled = {"pos_label": pos_label, "sample_weight": sample_weight}
        posterior = posterior_binormal(
            y_true,
            y_score,
            positive_fraction=positive_fraction,
            n_draws=n_draws,
            random_state=random_state,
            **labelled,
        )
        model = estimate_model(posterior.negative, posterior.positive, positive_fraction)
        pos_label = 1 if pos_label is None else pos_label
        weight = _population_weight(
            np.asarray(y_true) == pos_label, sample_weight, posterior.positive_fraction
        )
        display = cls(
            curve=curve,
            **_of_model(kind, model),
            interval=interval_of(kind.area_posterior(posterior), level),
            band=kind.band(posterior, level),
            level=check_level(level),
            empirical=kind.empirical(y_true, y_score, pos_label=pos_label, sample_weight=weight),
            name=name,
            pos_label=pos_label,
        )
        return display.plot(ax, **plot_options)

    @classmethod
    def from_model(
        cls,
        model: BinormalModel,
        *,
        curve: Literal["roc", "precision_recall", "pr"] = "roc",
        name: str | None = None,
        ax: Axes | None = None,
        **plot_options: Any,
    ) -> BinormalCurveDisplay:
        """Plot the curve of a model with known parameters.

        Parameters
        ----------
        model : BinormalModel
            Normal distributions of both classes, and the fraction of positives.
        curve : {"roc", "precision_recall"}, default="roc"
            Type of the curve; "pr" is short for "precision_recall".
        name : str, default=None
            Name of the curve in the legend.
        ax : matplotlib Axes, default=None
            Axes to plot on; a new figure by default.
        **plot_options
            As for :meth:`plot`.

        Returns
        -------
        display : BinormalCurveDisplay

        Raises
        ------
        ValueError
            If `curve` is unknown.
        ImportError
            If matplotlib is not installed.

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from skpostbac import BinormalCurveDisplay
        >>> from skpostbac.binormal import BinormalModel
        >>> model = BinormalModel(mean_negative=-1, sd_negative=2, mean_positive=1, sd_positive=2)
        >>> display = BinormalCurveDisplay.from_model(model, plot_chance_level=True)
        >>> [line.get_label() for line in display.ax_.lines]
        ['AUC = 0.76', 'Chance level (AUC = 0.5)']
        >>> plt.close(display.figure_)
        """
        check_matplotlib(f"{cls.__name__}.from_model")
        if not isinstance(model, BinormalModel):
            raise TypeError(f"model must be a BinormalModel, got {shown(model)}")
        return cls(curve=curve, **_of_model(_kind(curve), model), name=name).plot(
            ax, **plot_options
        )

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        plot_band: bool = True,
        plot_empirical: bool = True,
        plot_chance_level: bool = False,
        curve_kwargs: Kwargs = None,
        band_kwargs: Kwargs = None,
        empirical_kwargs: Kwargs = None,
        chance_level_kw: Kwargs = None,
        despine: bool = False,
    ) -> BinormalCurveDisplay:
        """Plot the curve.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to plot on; a new figure by default. The curve gets a colour and a line style not
            yet used in them.
        name : str, default=None
            Name of the curve in the legend, by default the display's `name`.
        plot_band, plot_empirical : bool, default=True
            Whether to plot the credible band and the empirical curve, if available. The legend
            always shows the area under the empirical curve.
        plot_chance_level : bool, default=False
            Whether to plot the chance level.
        curve_kwargs, empirical_kwargs, chance_level_kw : dict, default=None
            Keyword arguments of matplotlib's `plot` for the smooth curve, the empirical curve
            and the chance level.
        band_kwargs : dict, default=None
            Keyword arguments of matplotlib's `fill_between` for the band.
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
        >>> from skpostbac import BinormalCurveDisplay
        >>> from skpostbac.binormal import BinormalModel
        >>> model = BinormalModel(mean_negative=-1, sd_negative=2, mean_positive=1, sd_positive=2)
        >>> display = BinormalCurveDisplay.from_model(model).plot(name="known")
        >>> display.line_.get_label()
        'known (AUC = 0.76)'
        >>> plt.close("all")
        """
        check_flags(
            plot_band=plot_band,
            plot_empirical=plot_empirical,
            plot_chance_level=plot_chance_level,
            despine=despine,
        )
        check_kwargs(
            curve_kwargs=curve_kwargs,
            band_kwargs=band_kwargs,
            empirical_kwargs=empirical_kwargs,
            chance_level_kw=chance_level_kw,
        )
        check_text(name, "name")
        ax = own_axes(ax, f"{type(self).__name__}.plot", figsize=(5.4, 6.7))
        self.ax_, self.figure_ = ax, ax.figure
        kind, name = _kind(self.curve), self.name if name is None else name
        area = f"{kind.area_name} = {estimate(self.area, self.interval)}"
        if self.empirical is not None and not plot_empirical:
            area += f", empirical {estimate(self.empirical.area)}"
        label = with_score(name, area)
        style = {**free_styles(ax, 1)[0], "label": label}
        (self.line_,) = ax.plot(self.x, self.y, **line_kwargs(style, curve_kwargs))
        self.band_ = self._plot_band(band_kwargs) if plot_band else None
        self.empirical_line_ = self._plot_empirical(empirical_kwargs) if plot_empirical else None
        self.chance_level_ = self._plot_chance_level(chance_level_kw) if plot_chance_level else None
        ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
        label_axis(ax.xaxis, kind.xlabel, positive_note(self.pos_label))
        label_axis(ax.yaxis, kind.ylabel, positive_note(self.pos_label))
        if despine:
            despine_axes(ax, "top", "right")
        legend_below(ax)
        settle(ax)
        return self

    def _plot_band(self, kwargs: Kwargs) -> Artist | None:
        if self.band is None:
            return None
        label = f"{100 * self.level:g}% credible band"
        _, known = self.ax_.get_legend_handles_labels()
        style = {
            "facecolor": self.line_.get_color(),
            "alpha": shade(self.ax_, 0.2),
            "linewidth": 0,
            "label": "" if label in known else label,  # one entry stands for the bands of all
        }
        band = self.band
        return self.ax_.fill_between(band.x, band.low, band.high, **area_kwargs(style, kwargs))

    def _plot_empirical(self, kwargs: Kwargs) -> Artist | None:
        if self.empirical is None:
            return None
        x, y, area = self.empirical
        kind = _kind(self.curve)
        style = {
            "color": free_styles(self.ax_, 1)[0]["color"],
            "linewidth": 1.0,
            "drawstyle": kind.drawstyle,
            "label": f"Empirical ({kind.area_name} = {estimate(area)})",
        }
        return self.ax_.plot(x, y, **line_kwargs(style, kwargs))[0]

    def _plot_chance_level(self, kwargs: Kwargs) -> Artist:
        kind = _kind(self.curve)
        start, end, area = kind.chance(self.positive_fraction)
        style = chance_kwargs(area, kwargs, kind.area_name)
        return self.ax_.plot((0, 1), (start, end), **style)[0]


def _curve_name(curve: Any) -> str:
    """Return the name of a curve, given its name or "pr"."""
    if isinstance(curve, str) and curve == "pr":
        return "precision_recall"
    check_choice(curve, KINDS, "curve")
    return str(curve)


def _kind(curve: str) -> _Kind:
    return KINDS[_curve_name(curve)]


def _points(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    """Return the checked points of a curve."""
    points = float_array(x, "x"), float_array(y, "y")
    if points[0].ndim != 1 or points[0].shape != points[1].shape:
        shapes = " and ".join(str(values.shape) for values in points)
        raise ValueError(
            f"x and y must be 1-dimensional and have the same length, got the shapes {shapes}"
        )
    return points


def _check_band(band: object) -> None:
    """Raise if `band` is not a band."""
    if not isinstance(band, CurveBand):
        raise TypeError(f"band must be a CurveBand or None, got {shown(band)}")
    with input_errors("band"):
        for ends in (band.low, band.median, band.high):
            _points(band.x, ends)


def _ends(interval: object) -> Interval:
    """Return the checked interval of the area."""
    ends = float_array(interval, "interval")  # type: ignore[arg-type]
    if ends.shape != (2,) or not 0 <= ends[0] <= ends[1] <= 1:
        raise ValueError(f"interval must be two ascending numbers in [0, 1], got {shown(interval)}")
    return Interval(*ends.tolist())


def _staircase(empirical: object) -> EmpiricalCurve:
    """Return the checked empirical curve."""
    if not isinstance(empirical, tuple) or len(empirical) != 3:
        raise TypeError(f"empirical must be an EmpiricalCurve or None, got {shown(empirical)}")
    x, y, area = empirical
    with input_errors("empirical"):
        return EmpiricalCurve(*_points(x, y), check_share(area, "area"))


def _of_model(kind: _Kind, model: BinormalModel) -> dict[str, Any]:
    """Return the parameters of the display of a model."""
    x, y = kind.points(model)
    fraction = model.positive_fraction
    return {"x": x, "y": y, "area": kind.area(model), "positive_fraction": fraction}


def _population_weight(
    is_positive: NDArray[np.bool_],
    sample_weight: ArrayLike | None,
    positive_fraction: float | None,
) -> ArrayLike | None:
    """Return sample weights with this fraction of positives."""
    if positive_fraction is None:
        return sample_weight
    weight = np.ones(len(is_positive)) if sample_weight is None else np.asarray(sample_weight)
    share = weight[is_positive].sum() / weight.sum()
    ratios = positive_fraction / share, (1 - positive_fraction) / (1 - share)
    population: Floats = weight * np.where(is_positive, *ratios)
    return population
