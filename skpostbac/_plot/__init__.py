"""Plots of distributions, used by the ``plot`` methods of the results.

`PosteriorPlot`, `ComparisonPlot` and `ThresholdPlot` plot results and store the
artists; `skpostbac.displays` adds the constructors from data. Also contains the polygon
of a density, and what all plots have in common. matplotlib is imported when a plot is
made. Imports `skpostbac._utils`, `skpostbac.stats` and its folders.
"""

from skpostbac._plot.base import (
    BinaryDisplayMixin,
    CurveDisplay,
    Kwargs,
    Plot,
    check_matplotlib,
    merge_kwargs,
    shade,
    text_color,
    unused_styles,
)
from skpostbac._plot.comparison import ComparisonPlot
from skpostbac._plot.curve import density_curve
from skpostbac._plot.layout import (
    ParamAxis,
    cell_size,
    label_axis,
    rows_size,
    value_text,
)
from skpostbac._plot.posterior import (
    AnyPosterior,
    Kind,
    PosteriorPlot,
    ThresholdPlot,
    all_intervals,
)
from skpostbac._plot.text import estimate, estimate_title, literal, shorten, with_score
