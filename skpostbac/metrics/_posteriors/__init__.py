"""Posteriors of accuracies and of other scalar metrics, and the scorers made of them.

`base` has what all posteriors offer: intervals, probabilities, summary, report and plot, and the
errors of random draws. A file each has the accuracy, the balanced accuracy, the influence of its
prior, the binary-equivalent accuracy with the test against guessing, a prevalence measured by an
imperfect judge, the best of several candidates, and the scorers. Imports `_priors`, `_counts`,
`_dependence`, `_labels`, `skpostbac._plot` and `skpostbac.stats`.
"""

from skpostbac.metrics._posteriors.accuracy import PosteriorAccuracy, posterior_accuracy
from skpostbac.metrics._posteriors.balanced_accuracy import (
    PosteriorBalancedAccuracy,
    describe_design,
    posterior_balanced_accuracy,
)
from skpostbac.metrics._posteriors.base import PosteriorMetric, ProbAboveChance, ScalarPosterior
from skpostbac.metrics._posteriors.binary_equivalent import (
    GuessingTest,
    PosteriorBinaryEquivalentAccuracy,
    binary_equivalent_accuracy,
    binary_equivalent_accuracy_score,
    binary_equivalent_recalls,
    guessing_test,
)
from skpostbac.metrics._posteriors.influence import (
    PriorInfluence,
    PriorInfluenceWarning,
    coverage_notes,
    describe_untested,
    dominating_influence,
    is_one_symmetric_beta,
    moves_far,
    untested_notes,
    warn_if_prior_dominates,
    warn_if_prior_moves,
)
from skpostbac.metrics._posteriors.prevalence import (
    JudgeWarning,
    PosteriorPrevalence,
    PrevalenceDifference,
    posterior_prevalence,
)
from skpostbac.metrics._posteriors.scorers import (
    OBJECTIVES,
    ClassCountsScorer,
    OutcomesScorer,
    check_objective,
    make_binary_equivalent_scorer,
    make_named_scorer,
    make_posterior_scorer,
    posterior_balanced_accuracy_score,
    predict,
)
from skpostbac.metrics._posteriors.selected import Optimism, SelectedPosterior, optimism_of_choice
