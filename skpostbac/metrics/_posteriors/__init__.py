"""Posteriors of accuracies and of other scalar metrics, and the scorers made of them.

`base` has what all posteriors offer: intervals, probabilities, summary, report and plot. `metric`
adds the value in the samples and the errors of random draws. A file
each has the accuracy, the balanced accuracy, the binary-equivalent accuracy with the test against
guessing, a prevalence measured by an imperfect judge, and the best of several candidates. Imports
`_priors`, `_counts`, `_dependence`, `_labels`, `skpostbac._plot` and `skpostbac.stats`.
"""

from skpostbac.metrics._posteriors.accuracy import PosteriorAccuracy, posterior_accuracy
from skpostbac.metrics._posteriors.balanced_accuracy import (
    PosteriorBalancedAccuracy,
    posterior_balanced_accuracy,
    tell_of_design,
)
from skpostbac.metrics._posteriors.base import ProbAboveChance, ScalarPosterior
from skpostbac.metrics._posteriors.binary_equivalent import (
    GuessingTest,
    PosteriorBinaryEquivalentAccuracy,
    binary_equivalent_accuracy,
    binary_equivalent_accuracy_score,
    binary_equivalent_recalls,
    guessing_test,
)
from skpostbac.metrics._posteriors.metric import PosteriorMetric
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
