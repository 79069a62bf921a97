"""Comparison of classifiers: which one is better, by how much, and with what probability.

Imports `skpostbac.metrics`, its folders and what these import.
"""

from skpostbac.model_selection._comparison.comparison import (
    N_DRAWS,
    PosteriorComparison,
    RopeMasses,
    check_rope,
    compare_posteriors,
    compare_predictions,
)
from skpostbac.model_selection._comparison.hierarchical import pair_posteriors
from skpostbac.model_selection._comparison.joint import (
    IndependentJoint,
    Joint,
    MonteCarloError,
    PairedJoint,
)

__all__ = [
    "N_DRAWS",
    "IndependentJoint",
    "Joint",
    "MonteCarloError",
    "PairedJoint",
    "PosteriorComparison",
    "RopeMasses",
    "check_rope",
    "compare_posteriors",
    "compare_predictions",
    "pair_posteriors",
]
