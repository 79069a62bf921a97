"""Priors of the classes' recalls, how far they move a posterior, and when that is too far.

The threshold of `PriorInfluenceWarning` stands in `warning`. Imports `_counts`, `_labels` and
`skpostbac.stats`.
"""

from skpostbac.metrics._priors.influence import PriorInfluence
from skpostbac.metrics._priors.prior import (
    NAMED_PRIORS,
    PRIOR_NAMES,
    Prior,
    PriorLike,
    PriorSpec,
    average_distribution,
    check_prior,
    format_prior,
    independent_prior,
    is_one_symmetric_beta,
    resolve_prior,
)
from skpostbac.metrics._priors.warning import (
    HIERARCHICAL,
    WEAKER,
    PriorInfluenceWarning,
    dominating_influence,
    explain,
    moves_far,
    say_untested,
    untested_alone,
    warn_if_prior_dominates,
    warn_if_prior_moves,
)

__all__ = [
    "HIERARCHICAL",
    "NAMED_PRIORS",
    "PRIOR_NAMES",
    "WEAKER",
    "Prior",
    "PriorInfluence",
    "PriorInfluenceWarning",
    "PriorLike",
    "PriorSpec",
    "average_distribution",
    "check_prior",
    "dominating_influence",
    "explain",
    "format_prior",
    "independent_prior",
    "is_one_symmetric_beta",
    "moves_far",
    "resolve_prior",
    "say_untested",
    "untested_alone",
    "warn_if_prior_dominates",
    "warn_if_prior_moves",
]
