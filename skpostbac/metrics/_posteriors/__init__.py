"""What the posterior of any single figure offers, be it computed or drawn.

Also the posterior of what was chosen as the best of several, and what the choice adds to it.

Imports `skpostbac._plot` and `skpostbac.stats`.
"""

from skpostbac.metrics._posteriors.chance import ProbAboveChance, prob_above_chance
from skpostbac.metrics._posteriors.figure import ExactPosterior, FigurePosterior
from skpostbac.metrics._posteriors.optimism import Optimism, optimism_of_choice
from skpostbac.metrics._posteriors.selected import SelectedPosterior

__all__ = [
    "ExactPosterior",
    "FigurePosterior",
    "Optimism",
    "ProbAboveChance",
    "SelectedPosterior",
    "optimism_of_choice",
    "prob_above_chance",
]
