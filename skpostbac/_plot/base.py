"""Base class of all plots: where they are drawn, and how they end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from skpostbac._plot.layout import legend_below, make_room, scale_text
from skpostbac._plot.style import check_kwargs, check_matplotlib, despine_axes
from skpostbac._plot.text import estimate, with_score
from skpostbac._utils import check_flags, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import ErrorbarContainer
    from matplotlib.figure import Figure, SubFigure

    from skpostbac.stats import Interval


class Plot:
    """Base class of the plots: a ``plot`` method starts with `_start` and ends with `_finish`."""

    ax_: Axes
    figure_: Figure | SubFigure
    # Whether the scores are along the x-axis. In a new figure its numbers are then written in full:
    # 0.90001 instead of 1 and, at the end of the axis, 1e-5 + 0.9.
    _is_score_x = False

    def _start(self, ax: Axes | None, size: tuple[float, float], **options: Any) -> Axes:
        """Check options, which are flags or keyword arguments of artists, and set the axes.

        These are `ax`, or those of a new figure of this size in inches.
        """
        for name, value in options.items():
            check = check_kwargs if name.endswith(("_kwargs", "_kw")) else check_flags
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
            despine_axes(self.ax_, "top", "right", *sides)
        if legend is not None:
            legend_below(self.ax_, legend)
        make_room(self.ax_)
        return self
