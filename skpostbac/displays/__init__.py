"""Pictures of posteriors, comparisons, searches and curves; they need matplotlib when they draw."""

from skpostbac.displays._binormal_curve import BinormalCurveDisplay
from skpostbac.displays._comparison import PosteriorComparisonDisplay
from skpostbac.displays._normal_scores import NormalScoresDisplay
from skpostbac.displays._posterior import PosteriorDisplay
from skpostbac.displays._search import PosteriorSearchDisplay

__all__ = [
    "BinormalCurveDisplay",
    "NormalScoresDisplay",
    "PosteriorComparisonDisplay",
    "PosteriorDisplay",
    "PosteriorSearchDisplay",
]
