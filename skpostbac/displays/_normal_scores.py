"""Normal-scores plot: the scores of both classes lie on straight lines if they are normal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from skpostbac import _plot
from skpostbac._plot import Kwargs, Plot
from skpostbac.binormal import BinormalCheck, binormal_check
from skpostbac.displays._scores import BinaryDisplayMixin

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class NormalScoresDisplay(BinaryDisplayMixin, Plot):
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

    _has_name = False

    def __init__(self, check: BinormalCheck, *, pos_label: Any = None) -> None:
        self.check = check
        self.pos_label = pos_label

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
        kwargs = {"points_kwargs": points_kwargs, "lines_kwargs": lines_kwargs}
        ax = self._start(ax, (6.4, 5.2), despine=despine, **kwargs)
        classes = self.check.negative, self.check.positive
        lines, points = [], []
        for part, linestyle in zip(classes, _plot.LINE_STYLES, strict=False):
            ends = part.expected[[0, -1]]
            scale = np.abs(part.scores).max()  # so that squares neither overflow nor vanish
            mean, sd = (
                scale * (part.scores / scale).mean(),
                scale * (part.scores / scale).std(ddof=1),
            )
            style: dict[str, Any] = {"linewidth": 1, "linestyle": linestyle, "zorder": 3}
            style["color"] = _plot.text_color(ax)
            line = mean + sd * ends
            lines += ax.plot(ends, line, **_plot.merge_kwargs(style, lines_kwargs))
        names = zip(("Negatives", "Positives"), ("o", "^"), _plot.COLORS, strict=False)
        p_values = self.check.adjusted_p_values
        for part, p_value, (name, marker, color) in zip(classes, p_values, names, strict=True):
            label = _plot.with_score(name, f"n = {len(part.scores)}, p = {p_value:.2g}")
            style = {"color": color, "marker": marker, "markersize": 4, "linestyle": "none"}
            style = _plot.merge_kwargs({**style, "label": label}, points_kwargs)
            points += ax.plot(part.expected, part.scores, **style)
        self.lines_, self.points_ = tuple(lines), tuple(points)
        ax.set_xlabel("Standard normal quantile")
        _plot.label_axis(ax.yaxis, "Score", pos_label=self.pos_label)
        return self._finish(despine, legend="p-value of a test of normality")
