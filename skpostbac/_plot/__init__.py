"""Plots of distributions, used by the ``plot`` methods of the results.

`PosteriorPlot` and `ComparisonPlot` plot distributions and store the artists;
`skpostbac.displays` adds the constructors from data. Also contains the polygon of a density and the
common style. matplotlib is imported when a plot is made. Imports `skpostbac._utils`,
`skpostbac.stats` and its folders.
"""

from skpostbac._plot.comparison import ComparisonPlot
from skpostbac._plot.curve import Curve, density_curve
from skpostbac._plot.gallery import AnyPosterior, all_intervals
from skpostbac._plot.kwargs import Kwargs, area_kwargs, chance_kwargs, check_kwargs, line_kwargs
from skpostbac._plot.posterior import Kind, PosteriorPlot
from skpostbac._plot.room import (
    SMALLEST_FONT,
    fit_names,
    label_axis,
    legend_below,
    note_size,
    points,
    positive_note,
    settle,
    text_width,
    tile,
    tile_width,
)
from skpostbac._plot.rows import rows_size
from skpostbac._plot.style import (
    COLORS,
    LINE_STYLES,
    check_matplotlib,
    despine_axes,
    free_styles,
    ink,
    own_axes,
    shade,
)
from skpostbac._plot.text import (
    estimate,
    estimate_title,
    literal,
    shorten,
    with_score,
)
from skpostbac._plot.threshold import ThresholdPlot

__all__ = [
    "COLORS",
    "LINE_STYLES",
    "SMALLEST_FONT",
    "AnyPosterior",
    "ComparisonPlot",
    "Curve",
    "Kind",
    "Kwargs",
    "PosteriorPlot",
    "ThresholdPlot",
    "all_intervals",
    "area_kwargs",
    "chance_kwargs",
    "check_kwargs",
    "check_matplotlib",
    "density_curve",
    "despine_axes",
    "estimate",
    "estimate_title",
    "fit_names",
    "free_styles",
    "ink",
    "label_axis",
    "legend_below",
    "line_kwargs",
    "literal",
    "note_size",
    "own_axes",
    "points",
    "positive_note",
    "rows_size",
    "settle",
    "shade",
    "shorten",
    "text_width",
    "tile",
    "tile_width",
    "with_score",
]
