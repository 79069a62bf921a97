"""Plots of posteriors, comparisons, searches and curves; plotting requires matplotlib.

Like scikit-learn's displays, they are created by ``from_estimator``, ``from_predictions`` and other
constructors from data. The plots of distributions are in `skpostbac._plot`.
"""

from skpostbac._plot import ComparisonPlot, PosteriorPlot, ThresholdPlot
from skpostbac.displays._binormal import BinormalCurveDisplay, NormalScoresDisplay
from skpostbac.displays._posterior import (
    PosteriorComparisonDisplay,
    PosteriorDisplay,
    PosteriorThresholdDisplay,
)
from skpostbac.displays._search import PosteriorSearchDisplay

__all__ = [
    "BinormalCurveDisplay",
    "ComparisonPlot",
    "NormalScoresDisplay",
    "PosteriorComparisonDisplay",
    "PosteriorDisplay",
    "PosteriorPlot",
    "PosteriorSearchDisplay",
    "PosteriorThresholdDisplay",
    "ThresholdPlot",
]
