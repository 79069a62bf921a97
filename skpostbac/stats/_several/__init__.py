"""Joint computations with several distributions.

Order statistics, minimum and range of independent variables; joint draws of dependent variables,
from patterns or correlations; the expected loss of a choice, and sums of binomial counts. Imports
`_distribution` and `_numerics`.
"""

from skpostbac.stats._several.binomial_sum import log_survival
from skpostbac.stats._several.copula import draw_with_ranks, nearest_correlations
from skpostbac.stats._several.extremes import largest_distance, smallest
from skpostbac.stats._several.joint_draws import PatternDistribution, Tally, draw_averages, tally
from skpostbac.stats._several.order_statistics import (
    Distribution,
    JointPanels,
    expected_shortfalls,
    pairwise_probabilities,
    rank_probabilities,
    resolve_jointly,
    sharpen,
)
from skpostbac.stats._several.panel_distribution import PanelDistribution, resolve
from skpostbac.stats._several.positive_part import mean_positive_part

__all__ = [
    "Distribution",
    "JointPanels",
    "PanelDistribution",
    "PatternDistribution",
    "Tally",
    "draw_averages",
    "draw_with_ranks",
    "expected_shortfalls",
    "largest_distance",
    "log_survival",
    "mean_positive_part",
    "nearest_correlations",
    "pairwise_probabilities",
    "rank_probabilities",
    "resolve",
    "resolve_jointly",
    "sharpen",
    "smallest",
    "tally",
]
