"""Joint computations with several distributions.

Order statistics, minimum and range of independent variables; joint draws of dependent variables,
from patterns or correlations; the expected loss of a choice, and sums of binomial counts. Imports
`_distribution`, `_series` and `_numerics`.
"""

from skpostbac.stats._several.joint_draws import (
    PatternDistribution,
    Tally,
    draw_averages,
    draw_with_ranks,
    nearest_correlations,
    tally,
)
from skpostbac.stats._several.order_statistics import (
    JointPanels,
    PanelDistribution,
    expected_shortfalls,
    largest_distance,
    log_survival,
    mean_positive_part,
    pairwise_probabilities,
    rank_probabilities,
    resolve,
    resolve_jointly,
    smallest,
)
