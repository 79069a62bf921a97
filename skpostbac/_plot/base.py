"""Base classes of plots, and the checks, colours and styles that they share.

Also contains the `from_estimator` of the displays of binary classifiers.

matplotlib is imported when a plot is made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from inspect import signature
from itertools import cycle
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

from numpy.typing import ArrayLike

from skpostbac._plot.layout import (
    arrange,
    font_size,
    is_dark,
    label_axis,
    legend_below,
    neutral,
)
from skpostbac._plot.text import estimate, with_score
from skpostbac._utils import Floats, check_flags, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import ErrorbarContainer
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D

    from skpostbac.stats import Interval

Kwargs: TypeAlias = Mapping[str, Any] | None

# The palette of Okabe and Ito (2008), which colour-blind readers can distinguish,
# without its yellow, which is faint on white. On a dark background the bright colours
# come first, and its dark blue is left out. Line styles distinguish the lines in
# greyscale: both cycled, there are twelve different pairs.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
DARK_COLORS = ("#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#f0e442", "#d55e00")
LINE_STYLES = ("-", "--", "-.", ":")


class Plot:
    """Base class of plots: ``plot`` starts with `_start` and ends with `_finish`."""

    ax_: Axes
    figure_: Figure | SubFigure
    chance_level_: Line2D | None
    plot: Any
    # Whether the x-axis shows scores. In a new figure its tick labels are then written
    # in full: 0.90001 instead of 1 with an offset of 1e-5 + 0.9 at the end of the axis.
    _is_score_x = False

    @classmethod
    def _split(
        cls, options: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the options of a computation, and those of ``plot``."""
        others = dict(options)
        names = signature(cls.plot).parameters
        plot_options = {name: others.pop(name) for name in options if name in names}
        return others, plot_options

    def _start(
        self, ax: Axes | None, size: tuple[float, float], **options: Any
    ) -> Axes:
        """Check the options, set `ax_` and `figure_`, and return the axes.

        The options are flags, or keyword arguments of artists if their names end with
        "_kwargs". Without `ax`, the axes are those of a new figure of `size` inches.
        """
        for name, value in options.items():
            check = check_kwargs if name.endswith("_kwargs") else check_flags
            check(**{name: value})

        check_matplotlib(f"{type(self).__name__}.plot")
        from matplotlib import pyplot as plt
        from matplotlib import rcParams
        from matplotlib.axes import Axes

        if ax is None:
            _, self.ax_ = plt.subplots(layout="constrained", figsize=size)
            if self._is_score_x:
                self.ax_.ticklabel_format(axis="x", useOffset=False)
                self.ax_.locator_params(axis="x", nbins=6)
        elif isinstance(ax, Axes):
            self.ax_ = ax
            if (text_size := font_size(ax)) < rcParams["font.size"]:
                ax.tick_params(labelsize=text_size)
                ax.xaxis.label.set_fontsize(text_size)
                ax.yaxis.label.set_fontsize(text_size)
        else:
            raise TypeError(f"ax must be matplotlib Axes or None, got {shown(ax)}")

        self.figure_ = self.ax_.figure
        self.chance_level_ = None
        return self.ax_

    def _point(
        self, x: float, mean: float, interval: Interval, label: str, **style: Any
    ) -> ErrorbarContainer:
        """Plot a mean and its interval, with the numbers in the label."""
        lengths = [[mean - interval.low], [interval.high - mean]]
        label = with_score(label, estimate(mean, interval))
        return self.ax_.errorbar([x], [mean], yerr=lengths, label=label, **style)

    def _chance_style(
        self, chance: float, given: Kwargs, score: str = ""
    ) -> dict[str, Any]:
        """Return keyword arguments of the chance level line."""
        label = with_score("Chance level", f"{score}{chance:.2g}")
        style = {"color": neutral(self.ax_), "linestyle": ":", "label": label}
        return merge_kwargs(style, given)

    def _finish(self, despine: bool, *sides: str, title: str = "") -> Self:
        """Finish the axes: spines, legend, and space for the text around them.

        With `despine`, the spines at the top, on the right and on `sides` are hidden.
        `title` is that of the legend.
        """
        if despine:
            self.ax_.spines[["top", "right", *sides]].set_visible(False)
        legend_below(self.ax_, title)
        arrange(self.ax_)
        return self


def check_matplotlib(caller: str) -> None:
    """Raise an ImportError with installation instructions if matplotlib is missing."""
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
    for argument, value in arguments.items():
        kwargs = {} if value is None else value
        has_names = isinstance(kwargs, Mapping) and all(
            isinstance(key, str) for key in kwargs
        )
        if not has_names:
            raise TypeError(
                f"{argument} must be a dict with names as keys, or None, "
                f"got {shown(value)}"
            )


def merge_kwargs(
    default: Mapping[str, Any], given: Kwargs, *, is_area: bool = False
) -> dict[str, Any]:
    """Return keyword arguments of a line or an area, with aliases ("lw") in full.

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


def unused_styles(ax: Axes) -> Iterator[dict[str, Any]]:
    """Return an endless iterator over styles of new lines, of which twelve differ.

    Those with the colours, and then the line styles, that are used least in the axes
    come first.
    """
    used: list[Any] = [
        (line.get_color(), line.get_linestyle()) for line in ax.get_lines()
    ]
    used_colors = [color for color, _ in used]
    pairs = sorted(
        zip(2 * colors(ax), 3 * LINE_STYLES, strict=True),
        key=lambda pair: (used_colors.count(pair[0]), used.count(pair)),
    )
    return ({"color": color, "linestyle": style} for color, style in cycle(pairs))


def colors(ax: Axes) -> tuple[str, ...]:
    """Return colours of lines and areas that are visible on the background."""
    return DARK_COLORS if is_dark(ax) else COLORS


def text_color(ax: Axes) -> Any:
    """Return the colour of text: black, or white on a dark background."""
    return ax.xaxis.label.get_color()


def shade(ax: Axes, alpha: float) -> float:
    """Return the opacity of an area, twice as high on a dark background."""
    return min(0.8, 2 * alpha) if is_dark(ax) else alpha


class BinaryDisplayMixin:
    """Constructor of displays of binary classifiers from a fitted one."""

    from_predictions: ClassVar[Any]

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike,
        y: ArrayLike,
        *,
        pos_label: Any = None,
        **options: Any,
    ) -> Self:
        """Plot the scores of a fitted classifier.

        Parameters
        ----------
        estimator : estimator instance
            Fitted binary classifier or pipeline. The scores come from its
            `decision_function`, or else from `predict_proba`, whose probabilities are
            rarely normal.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Test samples.
        y : array-like of shape (n_samples,)
            True labels.
        pos_label : int, float, bool or str, default=None
            Label of the positive class; by default ``estimator.classes_[1]``.
        **options
            As for `from_predictions`. A `name` is by default the class name of the
            estimator.

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
        >>> from skpostbac.binormal import BinormalCurveDisplay
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> lda = LinearDiscriminantAnalysis().fit(X[::2, :2], y[::2])
        >>> display = BinormalCurveDisplay.from_estimator(lda, X[1::2, :2], y[1::2])
        >>> display.line_.get_label()
        'LinearDiscriminantAnalysis (AUC = 0.92)'
        >>> plt.close(display.figure_)
        """
        from sklearn.metrics import make_scorer
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(estimator)
        if pos_label is None and len(getattr(estimator, "classes_", ())) == 2:
            pos_label = estimator.classes_[1]

        # A scorer that returns the scores themselves: scikit-learn then selects the
        # method, the column and the sign.
        scorer = make_scorer(
            lambda y_true, y_score, pos_label: y_score,
            response_method=("decision_function", "predict_proba"),
            pos_label=pos_label,
        )
        y_score = scorer(estimator, X, y)

        if options.get("name") is None:
            options["name"] = type(estimator).__name__
        display: Self = cls.from_predictions(y, y_score, pos_label=pos_label, **options)
        return display


class CurveDisplay(BinaryDisplayMixin, Plot):
    """Base class of ROC and precision-recall curves with a chance level."""

    line_: Line2D

    def _plot_line(self, x: Floats, y: Floats, label: str, kwargs: Kwargs) -> None:
        style = {**next(unused_styles(self.ax_)), "label": label}
        (self.line_,) = self.ax_.plot(x, y, **merge_kwargs(style, kwargs))

    def _plot_diagonal(self, kwargs: Kwargs, score: str) -> None:
        style = self._chance_style(0.5, kwargs, score)
        (self.chance_level_,) = self.ax_.plot((0, 1), (0, 1), **style)

    def _finish_curve(
        self, xlabel: str, ylabel: str, pos_label: object, despine: bool
    ) -> Self:
        # A margin of 0.01 shows lines along the edges in their full width.
        limits = (-0.01, 1.01)
        # While room is made for the legend below, no gap may be between them.
        self.ax_.set(xlim=limits, ylim=limits, aspect="equal", anchor="S")

        positive = [] if pos_label is None else [f"(Positive label: {pos_label})"]
        label_axis(self.ax_.xaxis, xlabel, *positive)
        label_axis(self.ax_.yaxis, ylabel, *positive)
        self._finish(despine)
        self.ax_.set_anchor("N")
        return self
