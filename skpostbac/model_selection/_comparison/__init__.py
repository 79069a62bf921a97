"""Which classifier is better, by how much, and how sure that is.

Imports `skpostbac.metrics`, its folders and what these import.
"""

from skpostbac.model_selection._comparison.comparison import (
    PosteriorComparison,
    RopeMasses,
    check_rope,
    compare_posteriors,
    compare_predictions,
)
from skpostbac.model_selection._comparison.joint import (
    IndependentJoint,
    Joint,
    MonteCarloError,
    PairedJoint,
)
from skpostbac.model_selection._comparison.report import TRAINING, explain_score, name_best

__all__ = [
    "TRAINING",
    "IndependentJoint",
    "Joint",
    "MonteCarloError",
    "PairedJoint",
    "PosteriorComparison",
    "RopeMasses",
    "check_rope",
    "compare_posteriors",
    "compare_predictions",
    "explain_score",
    "name_best",
]
