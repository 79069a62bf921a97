"""Normal-scores plot: the scores of both classes lie on straight lines if they are normal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._plot import (
    COLORS,
    LINE_STYLES,
    Kwargs,
    check_kwargs,
    check_matplotlib,
    despine_axes,
    ink,
    label_axis,
    legend_below,
    line_kwargs,
    own_axes,
    positive_note,
    settle,
    with_score,
)
from skpostbac._utils import check_flags
from skpostbac.binormal import BinormalCheck, NormalScores, binormal_check
from skpostbac.displays._scores import positive_scores
from skpostbac.metrics._binormal import ClassScores

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

MARKERS = ("o", "^")


class NormalScoresDisplay:
    """Normal-scores (Q-Q) plot of both classes: straight lines if the scores are normal.

    Create it with :meth:`from_estimator` or :meth:`from_predictions`, or from a
    :class:`~skpostbac.binormal.BinormalCheck` with ``NormalScoresDisplay(check).plot()``. All
    parameters are stored as attributes.

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
        Sorted scores of the negatives and of the positives against the normal quantiles. The label
        contains the p-value, with Holm's correction for two classes.
    lines_ : tuple of 2 matplotlib Line2D
        Normal distributions with the mean and the standard deviation of the scores, as fitted by
        :class:`~skpostbac.binormal.BinormalModel`.

    See Also
    --------
    skpostbac.binormal.binormal_check : Compute the data of the plot, and the tests.
    BinormalCurveDisplay : Plot curves that assume normal scores.

    Examples
    --------
    >>> import numpy as np
    >>> from skpostbac import NormalScoresDisplay
    >>> from skpostbac.binormal import binormal_check
    >>> y_true = np.repeat([0, 1], 30)
    >>> y_score = np.concatenate([np.linspace(-1, 1, 30), np.exp(np.linspace(-2, 2, 30))])
    >>> display = NormalScoresDisplay(binormal_check(y_true, y_score)).plot()
    >>> [points.get_label() for points in display.points_]
    ['Negatives (n = 30, p = 0.27)', 'Positives (n = 30, p = 0.0002)']
    """

    def __init__(self, check: BinormalCheck, *, pos_label: Any = None) -> None:
        self.check = check
        self.pos_label = pos_label

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: ArrayLike, y: ArrayLike, *, pos_label: Any = None, **options: Any
    ) -> NormalScoresDisplay:
        """Plot the scores of a fitted classifier.

        Parameters
        ----------
        estimator, X, y, pos_label
            As for :meth:`BinormalCurveDisplay.from_estimator`.
        **options
            As for :meth:`plot`.

        Returns
        -------
        display : NormalScoresDisplay

        Raises
        ------
        ValueError, TypeError, ImportError
            As for :meth:`from_predictions`.

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
        >>> from skpostbac import NormalScoresDisplay
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> lda = LinearDiscriminantAnalysis().fit(X[::2], y[::2])
        >>> display = NormalScoresDisplay.from_estimator(lda, X[1::2], y[1::2])
        >>> [points.get_label() for points in display.points_]
        ['Negatives (n = 110, p = 1)', 'Positives (n = 174, p = 1)']
        >>> plt.close(display.figure_)
        """
        y_score, pos_label = positive_scores(estimator, X, y, pos_label)
        return cls.from_predictions(y, y_score, pos_label=pos_label, **options)

    @classmethod
    def from_predictions(
        cls, y_true: ArrayLike, y_score: ArrayLike, *, pos_label: Any = None, **options: Any
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
        >>> from skpostbac import NormalScoresDisplay
        >>> y_true, y_score = [0, 0, 0, 0, 1, 1, 1], [-3, -1, -2, 0, 0, 9, 1]
        >>> display = NormalScoresDisplay.from_predictions(y_true, y_score)
        >>> [points.get_label() for points in display.points_]
        ['Negatives (n = 4, p = 0.97)', 'Positives (n = 3, p = 0.39)']
        >>> plt.close(display.figure_)
        """
        check_matplotlib(f"{cls.__name__}.from_predictions")
        check = binormal_check(y_true, y_score, pos_label=pos_label)
        return cls(check, pos_label=1 if pos_label is None else pos_label).plot(**options)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        points_kwargs: Kwargs = None,
        lines_kwargs: Kwargs = None,
        despine: bool = False,
    ) -> NormalScoresDisplay:
        """Plot the scores and the lines.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to plot on; a new figure by default.
        points_kwargs, lines_kwargs : dict, default=None
            Keyword arguments of matplotlib's `plot` for the points and lines of both classes.
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
        >>> from skpostbac import NormalScoresDisplay
        >>> from skpostbac.binormal import binormal_check
        >>> check = binormal_check([0, 0, 0, 1, 1, 1], [-3, -1, -2, 0, 2, 1])
        >>> display = NormalScoresDisplay(check).plot()
        >>> display.points_[1].get_ydata()
        array([0., 1., 2.])
        >>> plt.close(display.figure_)
        """
        check_flags(despine=despine)
        check_kwargs(points_kwargs=points_kwargs, lines_kwargs=lines_kwargs)
        self.ax_ = ax = own_axes(ax, f"{type(self).__name__}.plot", figsize=(6.4, 5.2))
        self.figure_ = ax.figure
        self.lines_ = tuple(self._plot_lines(lines_kwargs))
        self.points_ = tuple(self._plot_points(points_kwargs))
        ax.set(xlabel="Standard normal quantile")
        label_axis(ax.yaxis, "Score", positive_note(self.pos_label))
        if despine:
            despine_axes(ax, "top", "right")
        legend_below(ax, "p-value of a test of normality")
        settle(ax)
        return self

    def _plot_lines(self, kwargs: Kwargs) -> Iterator[Artist]:
        for part, linestyle in zip(self._classes, LINE_STYLES, strict=False):
            ends = part.expected[[0, -1]]
            moments = ClassScores(part.scores, np.ones_like(part.scores)).moments()
            line = moments.mean + moments.sd * ends
            style = {"color": ink(self.ax_), "linewidth": 1, "linestyle": linestyle, "zorder": 3}
            yield self.ax_.plot(ends, line, **line_kwargs(style, kwargs))[0]

    def _plot_points(self, kwargs: Kwargs) -> Iterator[Artist]:
        styles = zip(("Negatives", "Positives"), MARKERS, COLORS, strict=False)
        p_values = self.check.adjusted_p_values
        for part, p_value, (name, marker, color) in zip(
            self._classes, p_values, styles, strict=True
        ):
            style = {
                "color": color,
                "marker": marker,
                "markersize": 4,
                "linestyle": "none",
                "label": with_score(name, f"n = {len(part.scores)}, p = {p_value:.2g}"),
            }
            yield self.ax_.plot(part.expected, part.scores, **line_kwargs(style, kwargs))[0]

    @property
    def _classes(self) -> tuple[NormalScores, NormalScores]:
        return self.check.negative, self.check.positive
