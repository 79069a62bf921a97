"""Plots of posteriors, comparisons, searches and curves; plotting requires matplotlib.

Like scikit-learn's displays, they are created by ``from_estimator``,
``from_predictions`` and other constructors from data. The plots of distributions are in
`skpostbac._plot`, that of the binormal model in `skpostbac.binormal`.
"""

from skpostbac._plot import ComparisonPlot, PosteriorPlot, ThresholdPlot
from skpostbac.displays._posterior import (
    PosteriorComparisonDisplay,
    PosteriorDisplay,
    PosteriorThresholdDisplay,
)
from skpostbac.displays._roc import PosteriorRocDisplay
from skpostbac.displays._search import PosteriorSearchDisplay

__all__ = [
    "ComparisonPlot",
    "PosteriorComparisonDisplay",
    "PosteriorDisplay",
    "PosteriorPlot",
    "PosteriorRocDisplay",
    "PosteriorSearchDisplay",
    "PosteriorThresholdDisplay",
    "ThresholdPlot",
]
