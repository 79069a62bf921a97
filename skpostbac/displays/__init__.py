"""Plots of posteriors, comparisons, searches and curves; plotting requires matplotlib.

Like scikit-learn's displays, they are created by ``from_estimator``, ``from_predictions`` and other
constructors from data. The plots of distributions are in `skpostbac._plot`.
"""

from skpostbac._plot import ComparisonPlot, PosteriorPlot, ThresholdPlot
from skpostbac.displays._binormal_curve import BinormalCurveDisplay
from skpostbac.displays._comparison import PosteriorComparisonDisplay
from skpostbac.displays._normal_scores import NormalScoresDisplay
from skpostbac.displays._posterior import PosteriorDisplay
from skpostbac.displays._search import PosteriorSearchDisplay
from skpostbac.displays._thresholds import PosteriorThresholdDisplay

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
