"""Priors of the classes' recalls: names, numbers and hyperpriors, and the posterior given counts.

Imports `_counts`, `_dependence`, `_labels` and `skpostbac.stats`.
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
