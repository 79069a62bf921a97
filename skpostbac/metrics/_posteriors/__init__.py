"""Common interface of the posteriors of scalar metrics, exact or by draws.

Also the posterior of the best of several candidates, corrected for selection.

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
