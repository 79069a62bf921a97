"""What the posterior of any single figure offers, be it computed or drawn.

Imports `skpostbac.stats`.
"""

from skpostbac.metrics._posteriors.chance import ProbAboveChance, prob_above_chance
from skpostbac.metrics._posteriors.curve import Curve, density_curve
from skpostbac.metrics._posteriors.drawn import DrawnPosterior, central_tails
from skpostbac.metrics._posteriors.figure import ExactPosterior, FigurePosterior, figures_of

__all__ = [
    "Curve",
    "DrawnPosterior",
    "ExactPosterior",
    "FigurePosterior",
    "ProbAboveChance",
    "central_tails",
    "density_curve",
    "figures_of",
    "prob_above_chance",
]
