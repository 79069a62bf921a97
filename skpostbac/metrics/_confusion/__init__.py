"""Posterior of any metric of a confusion matrix.

Exact if the metric has a known distribution, otherwise by random draws. Imports
`_posterior`, `_prior`, `_advice`, `_counts` and what these import.
"""

from skpostbac.metrics._confusion.distributions import MEAN_RECALL, RecallSum
from skpostbac.metrics._confusion.joint import JointConfusion, confuse_jointly
from skpostbac.metrics._confusion.metrics import (
    AVERAGES,
    OVERALL,
    ExpectedCost,
    Metric,
    NetBenefit,
    read_name,
)
from skpostbac.metrics._confusion.plan import required_labels
from skpostbac.metrics._confusion.posterior import (
    PosteriorConfusionMetric,
    posterior_confusion_metric,
)
from skpostbac.metrics._confusion.report import (
    PosteriorClassificationReport,
    posterior_classification_report,
)
