"""What the posterior of any single figure offers, be it computed or drawn.

Imports `skpostbac._plot` and `skpostbac.stats`.
"""

from skpostbac.metrics._posteriors.chance import ProbAboveChance, prob_above_chance
from skpostbac.metrics._posteriors.corrected import CorrectedPosterior
from skpostbac.metrics._posteriors.figure import ExactPosterior, FigurePosterior, figures_of

__all__ = [
    "CorrectedPosterior",
    "ExactPosterior",
    "FigurePosterior",
    "ProbAboveChance",
    "figures_of",
    "prob_above_chance",
]
