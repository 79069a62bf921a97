"""Priors and class weights, their influence on a posterior, and the warning about it.

`assumptions` defines the priors, the class weights and the posterior given counts. `influence`
measures how far the prior moves a posterior and how often intervals contain the truth, and defines
`PriorInfluenceWarning`. Imports `_counts`, `_labels` and `skpostbac.stats`.
"""

from skpostbac.metrics._priors.assumptions import (
    DEFAULT_ACCURACY_PRIOR,
    DEFAULT_PRIOR,
    HIERARCHICAL,
    HIERARCHICAL_EXPLANATION,
    NAMED_PRIORS,
    PRIOR_NAMES,
    AverageDistribution,
    ClassWeightLike,
    ClassWeightSpec,
    Prior,
    PriorLike,
    PriorSpec,
    average_distribution,
    check_class_weight,
    check_counts,
    check_prior,
    check_sums,
    format_prior,
    independent_prior,
    kept_strength,
    posterior_exponents,
    resolve_class_weight,
    resolve_prior,
    spent_observations,
    widened,
)
from skpostbac.metrics._priors.influence import (
    PriorInfluence,
    PriorInfluenceWarning,
    dominating_influence,
    is_one_symmetric_beta,
    moves_far,
    say_untested,
    tell_of_coverage,
    tell_of_untested,
    warn_if_prior_dominates,
    warn_if_prior_moves,
)
