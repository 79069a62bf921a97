"""Priors and class weights, their influence on a posterior, and the warning about it.

`assumptions` defines the priors, the class weights and the posterior given counts. `coverage`
estimates how often intervals contain the truth, and sets the threshold of the warning. `influence`
measures how far the prior moves a posterior, and defines `PriorInfluenceWarning`. `pooling` checks
whether two posteriors can be pooled. Imports `_counts`, `_labels` and `skpostbac.stats`.
"""

from skpostbac.metrics._priors.assumptions import (
    DEFAULT_ACCURACY_PRIOR,
    DEFAULT_PRIOR,
    NAMED_PRIORS,
    PRIOR_NAMES,
    SHARED_PRIORS,
    AverageDistribution,
    ClassWeightLike,
    ClassWeightSpec,
    Prior,
    PriorLike,
    PriorSpec,
    assume,
    average_distribution,
    check_class_weight,
    check_counts,
    check_prior,
    check_sums,
    format_prior,
    independent_prior,
    resolve_class_weight,
    resolve_prior,
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
from skpostbac.metrics._priors.pooling import pooled_assumptions

__all__ = [
    "DEFAULT_ACCURACY_PRIOR",
    "DEFAULT_PRIOR",
    "NAMED_PRIORS",
    "PRIOR_NAMES",
    "SHARED_PRIORS",
    "AverageDistribution",
    "ClassWeightLike",
    "ClassWeightSpec",
    "Prior",
    "PriorInfluence",
    "PriorInfluenceWarning",
    "PriorLike",
    "PriorSpec",
    "assume",
    "average_distribution",
    "check_class_weight",
    "check_counts",
    "check_prior",
    "check_sums",
    "dominating_influence",
    "format_prior",
    "independent_prior",
    "is_one_symmetric_beta",
    "moves_far",
    "pooled_assumptions",
    "resolve_class_weight",
    "resolve_prior",
    "say_untested",
    "tell_of_coverage",
    "tell_of_untested",
    "warn_if_prior_dominates",
    "warn_if_prior_moves",
    "widened",
]
