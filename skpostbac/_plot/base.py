"""What all plots have in common: checks, axes, colours, styles and keyword arguments of artists.

Also the constructor of the displays of binary classifiers from a fitted one.

matplotlib is imported when a plot is made.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from importlib.util import find_spec
from inspect import signature
from itertools import accumulate, cycle, islice, product
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

from numpy.typing import ArrayLike

from skpostbac._plot.layout import is_dark, label_axis, legend_below, make_room, neutral, scale_text
from skpostbac._plot.text import estimate, with_score
from skpostbac._utils import Floats, check_flags, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import ErrorbarContainer
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D

    from skpostbac.stats import Interval

Kwargs: TypeAlias = Mapping[str, Any] | None

# The palette of Okabe and Ito (2008), told apart by colour-blind readers, without its yellow,
# which is faint on white. On a dark background the bright colours come first, and its dark blue is
# left out. Line styles tell the colours apart in print without colour.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
DARK_COLORS = ("#56B4E9", "#E69F00", "#009E73", "#CC79A7", "#F0E442", "#D55E00")
LINE_STYLES = ("-", "--", "-.", ":")
# Widths, as multiples of matplotlib's, tell more than twelve lines apart.
LINE_WIDTHS = (1.0, 2.0, 0.5)


class Plot:
    """Base class of the plots: a ``plot`` method starts with `_start` and ends with `_finish`."""

    ax_: Axes
    figure_: Figure | SubFigure
    plot: Any
    # Whether the scores are along the x-axis. In a new figure its numbers are then written in full:
    # 0.90001 instead of 1 and, at the end of the axis, 1e-5 + 0.9.
    _is_score_x = False

    def __repr__(self) -> str:
        is_plotted = hasattr(self, "ax_")
        state = "axes in ax_, figure in figure_" if is_plotted else "not plotted yet"
        return f"<{type(self).__name__}: {state}>"

    @classmethod
    def _split(cls, options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the options of a computation, and those of ``plot``."""
        of_plot = {
            name: options[name] for name in signature(cls.plot).parameters if name in options
        }
        return {name: options[name] for name in options if name not in of_plot}, of_plot

    def _start(self, ax: Axes | None, size: tuple[float, float], **options: Any) -> Axes:
        """Check options, which are flags or keyword arguments of artists, and set the axes.

        These are `ax`, or those of a new figure of this size in inches.
        """
        for name, value in options.items():
            check = check_kwargs if name.endswith("_kwargs") else check_flags
            check(**{name: value})
        check_matplotlib(f"{type(self).__name__}.plot")
        from matplotlib import pyplot as plt
        from matplotlib.axes import Axes

        if ax is None:
            _, self.ax_ = plt.subplots(layout="constrained", figsize=size)
            if self._is_score_x:
                self.ax_.ticklabel_format(axis="x", useOffset=False)
                self.ax_.locator_params(axis="x", nbins=6)
        elif isinstance(ax, Axes):
            self.ax_ = ax
            scale_text(ax)
        else:
            raise TypeError(f"ax must be matplotlib Axes or None, got {shown(ax)}")
        self.figure_ = self.ax_.figure
        return self.ax_

    def _point(
        self, x: float, mean: float, interval: Interval, label: str, **style: Any
    ) -> ErrorbarContainer:
        """Plot a mean and its interval, with the numbers in the label."""
        ends = [[mean - interval.low], [interval.high - mean]]
        label = with_score(label, estimate(mean, interval))
        return self.ax_.errorbar([x], [mean], yerr=ends, label=label, **style)

    def _finish(self, despine: bool, *sides: str, legend: str | None = None) -> Self:
        """Hide the spines without an axis if asked for, add a legend, and make room for the text.

        `sides` are hidden beside those at the top and on the right; `legend` is the title of the
        legend, which may be empty.
        """
        if despine:
            self.ax_.spines[["top", "right", *sides]].set_visible(False)
        if legend is not None:
            legend_below(self.ax_, legend)
        make_room(self.ax_)
        return self


def check_matplotlib(caller: str) -> None:
    """Raise an ImportError that explains how to install matplotlib, if it is missing."""
    if find_spec("matplotlib") is None:
        raise ImportError(
            f"{caller} requires matplotlib. You can install matplotlib with "
            "`pip install matplotlib`"
        )


def check_kwargs(**arguments: object) -> None:
    """Raise unless each value is a dict with names as keys, or None.

    Examples
    --------
    >>> check_kwargs(curve_kwargs={"lw": 1}, band_kwargs=None)
    >>> check_kwargs(band_kwargs=1)
    Traceback (most recent call last):
        ...
    TypeError: band_kwargs must be a dict with names as keys, or None, got 1
    """
    for argument, given in arguments.items():
        names = {} if given is None else given
        if not isinstance(names, Mapping) or not all(isinstance(name, str) for name in names):
            raise TypeError(
                f"{argument} must be a dict with names as keys, or None, got {shown(given)}"
            )


def merge_kwargs(
    default: Mapping[str, Any], given: Kwargs, *, is_area: bool = False
) -> dict[str, Any]:
    """Return the keyword arguments of a line or an area; aliases such as "lw" are understood.

    Examples
    --------
    >>> merge_kwargs({"color": "black", "linewidth": 2}, {"lw": 1})
    {'color': 'black', 'linewidth': 1}
    """
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D

    artist = PolyCollection if is_area else Line2D
    return {**default, **normalize_kwargs(dict(given or {}), artist)}


def chance_kwargs(
    ax: Axes, chance: float, given: Kwargs, score: str | None = None
) -> dict[str, Any]:
    """Return the keyword arguments of the chance level line.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> chance_kwargs(Figure().subplots(), 0.5, {"ls": "--"}, "AUC")["label"]
    'Chance level (AUC = 0.5)'
    """
    value = f"{score} = {chance:.2g}" if score else f"{chance:.2g}"
    label = with_score("Chance level", value)
    return merge_kwargs({"color": neutral(ax), "linestyle": ":", "label": label}, given)


def unused_styles(ax: Axes, n: int) -> list[dict[str, Any]]:
    """Return colour, style and width of `n` new lines, all different up to 36.

    Those that look least like a line of the axes come first.
    """
    import matplotlib as mpl
    from matplotlib.colors import same_color

    def likeness(style: Mapping[str, Any], line: Line2D) -> int:
        """Return 0 if the colours differ, 1 if only these are equal, ..., 3 if all is equal."""
        same = (
            same_color(style["color"], line.get_color()),
            style["linestyle"] == line.get_linestyle(),
            style["linewidth"] == line.get_linewidth(),
        )
        return sum(accumulate(same, min))

    pairs = list(islice(zip(cycle(colors(ax)), cycle(LINE_STYLES), strict=False), 12))
    styles = [
        {"color": color, "linestyle": style, "linewidth": scale * mpl.rcParams["lines.linewidth"]}
        for scale, (color, style) in product(LINE_WIDTHS, pairs)
    ]
    lines = ax.get_lines()
    styles.sort(key=lambda style: max((likeness(style, line) for line in lines), default=0))
    return list(islice(cycle(styles), n))


def colors(ax: Axes) -> tuple[str, ...]:
    """Return the colours of lines and areas, which can be seen on the background of the axes."""
    return DARK_COLORS if is_dark(ax) else COLORS


def text_color(ax: Axes) -> Any:
    """Return the colour of text: black, or white on a dark background."""
    return ax.xaxis.label.get_color()


def shade(ax: Axes, alpha: float) -> float:
    """Return the opacity of an area; on a dark background a colour needs twice as much."""
    return min(0.8, 2 * alpha) if is_dark(ax) else alpha


class BinaryDisplayMixin:
    """Constructor of displays of binary classifiers from a fitted one."""

    _has_name: ClassVar[bool] = True

    from_predictions: ClassVar[Any]

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: ArrayLike, y: ArrayLike, *, pos_label: Any = None, **options: Any
    ) -> Self:
        """Plot the scores of a fitted classifier.

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
            As for `from_predictions`. A `name` is by default the class name of the estimator.

        Returns
        -------
        display : display of the same class

        Raises
        ------
        ValueError, TypeError, ImportError
            As for `from_predictions`.

        Warns
        -----
        BinormalAssumptionWarning
            As for `from_predictions`.

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
        >>> from skpostbac.binormal import BinormalCurveDisplay, NormalScoresDisplay
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> lda = LinearDiscriminantAnalysis().fit(X[::2, :2], y[::2])
        >>> display = BinormalCurveDisplay.from_estimator(lda, X[1::2, :2], y[1::2])
        >>> display.line_.get_label()
        'LinearDiscriminantAnalysis (AUC = 0.922 [0.880, 0.951])'
        >>> display = NormalScoresDisplay.from_estimator(lda, X[1::2, :2], y[1::2])
        >>> [points.get_label() for points in display.points_]
        ['Negatives (n = 110, p = 0.34)', 'Positives (n = 174, p = 0.4)']
        >>> plt.close("all")
        """
        from sklearn.metrics import make_scorer
        from sklearn.utils.validation import check_is_fitted

        if isinstance(estimator, type) or not hasattr(estimator, "fit"):
            raise TypeError(f"estimator must be a fitted classifier, got {shown(estimator)}")
        check_is_fitted(estimator)
        if pos_label is None and len(getattr(estimator, "classes_", ())) == 2:
            pos_label = estimator.classes_[1]
        if not isinstance(pos_label, Hashable):
            raise TypeError(f"pos_label must be a label, got {shown(pos_label)}")
        # scikit-learn's scorer selects the method, the column and the sign of the scores.
        scorer = make_scorer(
            lambda y_true, y_score, pos_label: y_score,
            response_method=("decision_function", "predict_proba"),
            pos_label=pos_label,
        )
        if cls._has_name and options.get("name") is None:
            options["name"] = type(estimator).__name__
        y_score = scorer(estimator, X, y)
        display: Self = cls.from_predictions(y, y_score, pos_label=pos_label, **options)
        return display


class CurveDisplay(BinaryDisplayMixin, Plot):
    """Base class of ROC and precision-recall curves: a line with a band, and the chance level."""

    line_: Line2D
    band_: Any
    chance_level_: Line2D | None

    def _plot_line(self, x: Floats, y: Floats, label: str, kwargs: Kwargs) -> None:
        style = {**unused_styles(self.ax_, 1)[0], "label": label}
        (self.line_,) = self.ax_.plot(x, y, **merge_kwargs(style, kwargs))
        self.band_ = self.chance_level_ = None

    def _plot_band(self, x: Floats, low: Floats, high: Floats, label: str, kw: Kwargs) -> None:
        """Plot a band in the colour of the line; equal labels have one entry in the legend."""
        if label in self.ax_.get_legend_handles_labels()[1]:
            label = ""
        style: dict[str, Any] = {"facecolor": self.line_.get_color()}
        style |= {"alpha": shade(self.ax_, 0.2), "linewidth": 0, "label": label}
        style = merge_kwargs(style, kw, is_area=True)
        self.band_ = self.ax_.fill_between(x, low, high, **style)

    def _plot_chance(self, ends: tuple[float, float], kwargs: Kwargs, score: str) -> None:
        style = chance_kwargs(self.ax_, sum(ends) / 2, kwargs, score)
        (self.chance_level_,) = self.ax_.plot((0, 1), ends, **style)

    def _finish_curve(self, xlabel: str, ylabel: str, pos_label: object, despine: bool) -> Self:
        self.ax_.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
        label_axis(self.ax_.xaxis, xlabel, pos_label=pos_label)
        label_axis(self.ax_.yaxis, ylabel, pos_label=pos_label)
        return self._finish(despine, legend="")
