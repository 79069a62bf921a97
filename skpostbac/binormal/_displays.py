"""Plots of the binormal model: curves with credible bands, and normal-scores plots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import precision_recall_curve, roc_curve

from skpostbac import _plot
from skpostbac._plot import BinaryDisplayMixin, CurveDisplay, Kwargs, Plot
from skpostbac._utils import (
    Floats,
    check_choice,
    check_level,
    check_probability,
    check_proportion,
    check_text,
    float_array,
    input_errors,
    shown,
)
from skpostbac.binormal._check import BinormalCheck, binormal_check
from skpostbac.binormal._model import BinormalModel, estimate_model
from skpostbac.binormal._posterior import CurveBand, posterior_binormal
from skpostbac.stats._distribution import Interval, interval_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CurveKind = Literal["roc", "precision_recall", "pr"]

# Points at which bands are computed: denser towards both ends, where the curves are
# steep, and without 0, where the precision of each draw is 1 or 0, which would appear
# as a spike.
BAND_POINTS = (1 - np.cos(np.linspace(0, np.pi, 201)[1:])) / 2
# Labels of both axes, and the name of the area under the curve.
LABELS = {
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
    interval: Interval | None = None
    """Credible interval of the area without a model."""


class BinormalCurveDisplay(CurveDisplay):
    """Smooth ROC or precision-recall curve of normal scores, with a credible band.

    Create it with :meth:`from_estimator`, :meth:`from_predictions` or
    :meth:`from_model`. All parameters are stored as attributes.

    Parameters
    ----------
    curve : {"roc", "precision_recall"}
        Type of the curve; "pr" is short for "precision_recall".
    x, y : ndarray of shape (n_points,)
        Points of the smooth curve: false and true positive rates, or recalls and
        precisions.
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
    >>> from skpostbac.binormal import BinormalCurveDisplay
    >>> from skpostbac.binormal import BinormalModel
    >>> model = BinormalModel(
    ...     mean_negative=-1, sd_negative=2, mean_positive=1, sd_positive=2
    ... )
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
        curve: CurveKind,
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
        self.x, self.y = _check_curve(x, y)
        self.area = check_proportion(area, "area")
        self.positive_fraction = check_probability(
            positive_fraction, "positive_fraction"
        )

        self.interval = None
        if interval is not None:
            ends = float_array(interval, "interval")
            if ends.shape != (2,) or not 0 <= ends[0] <= ends[1] <= 1:
                raise ValueError(
                    "interval must be two ascending numbers in [0, 1], "
                    f"got {shown(interval)}"
                )
            self.interval = Interval(*ends.tolist())

        if band is not None:
            if not isinstance(band, CurveBand):
                raise TypeError(f"band must be a CurveBand or None, got {shown(band)}")
            with input_errors("band"):
                for heights in (band.low, band.median, band.high):
                    _check_curve(band.x, heights)
        self.band = band
        self.level = check_level(level)

        self.empirical = None
        if empirical is not None:
            values: Any = empirical
            if not isinstance(values, tuple) or len(values) not in (3, 4):
                raise TypeError(
                    f"empirical must be an EmpiricalCurve or None, got {shown(values)}"
                )
            with input_errors("empirical"):
                empirical_area = check_proportion(values[2], "area")
                points = _check_curve(*values[:2])
                self.empirical = EmpiricalCurve(*points, empirical_area, *values[3:])

        self.name = name
        self.pos_label = pos_label

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
        level: float = 0.95,
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
            Type of the curve; "pr" is short for "precision_recall".
        positive_fraction : float, default=None
            Fraction of positives where the classifier will be used, in (0, 1). The
            empirical curve then weights the samples to this fraction. By default it is
            estimated from the samples, and the credible band includes its uncertainty.
        level : float, default=0.95
            Probability of the credible interval of the area and, pointwise, of the
            band.
        name : str, default="Binormal"
            Name of the curve in the legend.
        ax : matplotlib Axes, default=None
            Axes to plot on; a new figure by default.
        **options
            As for :func:`~skpostbac.binormal.posterior_binormal`: `n_draws` and
            `random_state`; and those of :meth:`plot`.

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
        >>> from skpostbac.binormal import BinormalCurveDisplay
        >>> display = BinormalCurveDisplay.from_predictions(
        ...     [0, 0, 0, 0, 1, 1, 1], [-3, -1, -2, 0, 0, 2, 1], random_state=0
        ... )
        >>> display.line_.get_label()
        'Binormal (AUC = 0.94 [0.43, 1.00])'
        >>> display.empirical_line_.get_label()
        'Empirical (AUC = 0.96 [0.38, 1.00])'
        """
        check_text(name, "name")
        curve = _curve_name(curve)
        options, plot_options = cls._split(options)
        posterior = posterior_binormal(
            y_true,
            y_score,
            pos_label=pos_label,
            sample_weight=sample_weight,
            positive_fraction=positive_fraction,
            **options,
        )
        model = estimate_model(
            posterior.negative, posterior.positive, positive_fraction
        )

        pos_label = 1 if pos_label is None else pos_label
        weight = sample_weight
        if (fraction := posterior.positive_fraction) is not None:
            # The empirical curve is that of a population with this fraction of
            # positives.
            is_positive = np.asarray(y_true) == pos_label
            count = np.ones(len(is_positive)) if weight is None else np.asarray(weight)
            observed = count[is_positive].sum() / count.sum()
            weight = count * np.where(
                is_positive, fraction / observed, (1 - fraction) / (1 - observed)
            )

        labels: Any = {"pos_label": pos_label, "sample_weight": weight}
        if curve == "roc":
            area = posterior.roc_auc()
            band = posterior.roc_band(level, fpr=BAND_POINTS)
            x, y, _ = roc_curve(y_true, y_score, **labels)
        else:
            area = posterior.average_precision()
            band = posterior.precision_recall_band(level, recall=BAND_POINTS)
            y, x, _ = precision_recall_curve(y_true, y_score, **labels)

        assert posterior.empirical is not None
        assert posterior.without_model is not None
        index = int(curve != "roc")
        interval = posterior.without_model[index].credible_interval(level)
        display = cls(
            **_model_params(curve, model),
            interval=interval_of(area, level),
            band=band,
            level=level,
            empirical=EmpiricalCurve(x, y, posterior.empirical[index], interval),
            name=name,
            pos_label=pos_label,
        )
        return display.plot(ax, **plot_options)

    @classmethod
    def from_model(
        cls,
        model: BinormalModel,
        *,
        curve: CurveKind = "roc",
        name: str | None = None,
        ax: Axes | None = None,
        **plot_options: Any,
    ) -> BinormalCurveDisplay:
        """Plot the curve of a model with given parameters.

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
        >>> from skpostbac.binormal import BinormalCurveDisplay, BinormalModel
        >>> model = BinormalModel(
        ...     mean_negative=-1, sd_negative=2, mean_positive=1, sd_positive=2
        ... )
        >>> display = BinormalCurveDisplay.from_model(model, plot_chance_level=True)
        >>> [line.get_label() for line in display.ax_.lines]
        ['AUC = 0.76', 'Chance level (AUC = 0.5)']
        >>> plt.close(display.figure_)
        """
        if not isinstance(model, BinormalModel):
            raise TypeError(f"model must be a BinormalModel, got {shown(model)}")
        display = cls(**_model_params(_curve_name(curve), model), name=name)
        return display.plot(ax, **plot_options)

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
        plot_band, plot_empirical : bool, default=True
            Whether to plot the credible band and the empirical curve, if available. The
            legend always shows the area under the empirical curve.
        plot_chance_level : bool, default=False
            Whether to plot the chance level.
        curve_kwargs, empirical_kwargs, chance_level_kwargs : dict, default=None
            Keyword arguments of matplotlib's `plot` for the smooth curve, the empirical
            curve and the chance level.
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
        >>> from skpostbac.binormal import BinormalCurveDisplay, BinormalModel
        >>> model = BinormalModel(
        ...     mean_negative=-1, sd_negative=2, mean_positive=1, sd_positive=2
        ... )
        >>> display = BinormalCurveDisplay.from_model(model).plot(name="known")
        >>> display.line_.get_label()
        'known (AUC = 0.76)'
        >>> plt.close("all")
        """
        check_text(name, "name")
        ax = self._start(
            ax,
            (5.4, 6.7),
            curve_kwargs=curve_kwargs,
            band_kwargs=band_kwargs,
            empirical_kwargs=empirical_kwargs,
            chance_level_kwargs=chance_level_kwargs,
            plot_band=plot_band,
            plot_empirical=plot_empirical,
            plot_chance_level=plot_chance_level,
            despine=despine,
        )
        xlabel, ylabel, area_name = LABELS[self.curve]

        name = self.name if name is None else name
        score = f"{area_name} = {_plot.estimate(self.area, self.interval)}"
        if self.empirical is not None and not plot_empirical:
            score += f", empirical {_plot.estimate(*self.empirical[2:])}"
        self._plot_line(self.x, self.y, _plot.with_score(name, score), curve_kwargs)
        if plot_band and (band := self.band) is not None:
            label = f"{100 * self.level:g}% band of the binormal model"
            self._plot_band(band.x, band.low, band.high, label, band_kwargs)

        self.empirical_line_ = None
        if plot_empirical and self.empirical is not None:
            x, y, area, interval = self.empirical
            score = f"{area_name} = {_plot.estimate(area, interval)}"
            style = {
                "color": _plot.unused_styles(ax, 1)[0]["color"],
                "linewidth": 1.0,
                "label": _plot.with_score("Empirical", score),
                "drawstyle": "default" if self.curve == "roc" else "steps-post",
            }
            style = _plot.merge_kwargs(style, empirical_kwargs)
            (self.empirical_line_,) = ax.plot(x, y, **style)

        if plot_chance_level:
            ends = (0, 1) if self.curve == "roc" else (self.positive_fraction,) * 2
            self._plot_chance(ends, chance_level_kwargs, area_name)
        return self._finish_curve(xlabel, ylabel, self.pos_label, despine)


def _curve_name(curve: CurveKind) -> CurveKind:
    """Return the full name of a curve, which may be given as "pr"."""
    name: object = curve
    if isinstance(name, str) and name == "pr":
        return "precision_recall"
    check_choice(curve, LABELS, "curve")
    return curve


def _check_curve(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    """Return the points of a curve as arrays; raise if their shapes are invalid."""
    x = float_array(x, "x")
    y = float_array(y, "y")
    if x.ndim != 1 or x.shape != y.shape:
        raise ValueError(
            "x and y must be 1-dimensional and have the same length, "
            f"got the shapes {x.shape} and {y.shape}"
        )
    return x, y


def _model_params(curve: str, model: BinormalModel) -> dict[str, Any]:
    """Return the parameters of the display of a model."""
    if curve == "roc":
        x, y, _ = model.roc_curve()
        area = model.roc_auc()
    else:
        y, x, _ = model.precision_recall_curve()
        area = model.average_precision()
    fraction = model.positive_fraction
    return {"curve": curve, "x": x, "y": y, "area": area, "positive_fraction": fraction}


class NormalScoresDisplay(BinaryDisplayMixin, Plot):
    """Normal-scores (Q-Q) plot of both classes, with straight lines of normal scores.

    Create it with :meth:`from_estimator` or :meth:`from_predictions`, or from a
    :class:`~skpostbac.binormal.BinormalCheck` with
    ``NormalScoresDisplay(check).plot()``. All parameters are stored as attributes.

    Parameters
    ----------
    check : BinormalCheck
        Normal scores and tests of both classes.
    pos_label : int, float, bool or str, default=None
        Label of the positive class, shown in the legend.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes with the points.
    figure_ : matplotlib Figure
        Figure of the axes.
    points_ : tuple of 2 matplotlib Line2D
        Sorted scores of the negatives and of the positives against the normal
        quantiles. The label contains the p-value, with Holm's correction for two
        classes.
    lines_ : tuple of 2 matplotlib Line2D
        Normal distributions with the mean and the standard deviation of the scores, as
        fitted by :class:`~skpostbac.binormal.BinormalModel`.

    See Also
    --------
    skpostbac.binormal.binormal_check : Compute the data of the plot, and the tests.
    BinormalCurveDisplay : Plot curves that assume normal scores.

    Examples
    --------
    >>> import numpy as np
    >>> from skpostbac.binormal import NormalScoresDisplay
    >>> from skpostbac.binormal import binormal_check
    >>> y_true = np.repeat([0, 1], 30)
    >>> y_score = np.append(np.linspace(-1, 1, 30), np.exp(np.linspace(-2, 2, 30)))
    >>> display = NormalScoresDisplay(binormal_check(y_true, y_score)).plot()
    >>> [points.get_label() for points in display.points_]
    ['Negatives (n = 30, p = 0.27)', 'Positives (n = 30, p = 0.0002)']
    """

    _has_name = False

    def __init__(self, check: BinormalCheck, *, pos_label: Any = None) -> None:
        self.check = check
        self.pos_label = pos_label

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        pos_label: Any = None,
        **options: Any,
    ) -> NormalScoresDisplay:
        """Plot the scores of both classes, given true labels and scores.

        Parameters
        ----------
        y_true, y_score, pos_label
            As for :meth:`~skpostbac.binormal.BinormalModel.fit`.
        **options
            As for :meth:`plot`.

        Returns
        -------
        display : NormalScoresDisplay

        Raises
        ------
        ValueError, TypeError
            As for :func:`~skpostbac.binormal.binormal_check`.
        ImportError
            If matplotlib is not installed.

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from skpostbac.binormal import NormalScoresDisplay
        >>> y_true, y_score = [0, 0, 0, 0, 1, 1, 1], [-3, -1, -2, 0, 0, 9, 1]
        >>> display = NormalScoresDisplay.from_predictions(y_true, y_score)
        >>> [points.get_label() for points in display.points_]
        ['Negatives (n = 4, p = 0.97)', 'Positives (n = 3, p = 0.39)']
        >>> plt.close(display.figure_)
        """
        check = binormal_check(y_true, y_score, pos_label=pos_label)
        display = cls(check, pos_label=1 if pos_label is None else pos_label)
        return display.plot(**options)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        points_kwargs: Kwargs = None,
        line_kwargs: Kwargs = None,
        despine: bool = False,
    ) -> NormalScoresDisplay:
        """Plot the scores and the lines.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to plot on; a new figure by default.
        points_kwargs, line_kwargs : dict, default=None
            Keyword arguments of matplotlib's `plot` for the points and lines of both
            classes.
        despine : bool, default=False
            Whether to remove the top and right spines.

        Returns
        -------
        display : NormalScoresDisplay
            This object.

        Raises
        ------
        ImportError
            If matplotlib is not installed.

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from skpostbac.binormal import NormalScoresDisplay
        >>> from skpostbac.binormal import binormal_check
        >>> check = binormal_check([0, 0, 0, 1, 1, 1], [-3, -1, -2, 0, 2, 1])
        >>> display = NormalScoresDisplay(check).plot()
        >>> display.points_[1].get_ydata()
        array([0., 1., 2.])
        >>> plt.close(display.figure_)
        """
        ax = self._start(
            ax,
            (6.4, 5.2),
            despine=despine,
            points_kwargs=points_kwargs,
            line_kwargs=line_kwargs,
        )

        lines = []
        points = []
        for scores, p_value, name, marker, color, linestyle in zip(
            (self.check.negative, self.check.positive),
            self.check.adjusted_p_values,
            ("Negatives", "Positives"),
            ("o", "^"),
            _plot.colors(ax)[:2],
            ("-", "--"),
            strict=True,
        ):
            quantiles = scores.expected
            values = scores.scores
            scale = np.abs(values).max()  # so that squares neither overflow nor vanish
            mean = scale * (values / scale).mean()
            sd = scale * (values / scale).std(ddof=1)

            style: dict[str, Any] = {
                "linestyle": linestyle,
                "linewidth": 1,
                "zorder": 3,
                "color": _plot.text_color(ax),
            }
            style = _plot.merge_kwargs(style, line_kwargs)
            ends = quantiles[[0, -1]]
            lines += ax.plot(ends, mean + sd * ends, **style)

            score = f"n = {len(values)}, p = {p_value:.2g}"
            style = {
                "color": color,
                "marker": marker,
                "markersize": 4,
                "linestyle": "none",
                "label": _plot.with_score(name, score),
            }
            style = _plot.merge_kwargs(style, points_kwargs)
            points += ax.plot(quantiles, values, **style)
        self.lines_ = tuple(lines)
        self.points_ = tuple(points)

        ax.set_xlabel("Standard normal quantile")
        _plot.label_axis(ax.yaxis, "Score", pos_label=self.pos_label)
        return self._finish(despine, legend="p-value of a test of normality")
