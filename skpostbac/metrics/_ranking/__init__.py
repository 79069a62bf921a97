"""Posteriors of the ROC AUC and of the average precision, without a model of scores.

`areas` has the curves of weighted samples and their areas; `posterior` reads labels and
scores. Imports `_posterior`, `_labels`, `_dependence` and `skpostbac.stats`.
"""

from skpostbac.metrics._ranking.areas import precision_area, roc_area
from skpostbac.metrics._ranking.posterior import (
    PosteriorRankingMetric,
    area_of,
    infer,
    posterior_average_precision,
    posterior_roc_auc,
    rank,
    read_scored,
    roc_with_band,
)
from skpostbac.metrics._ranking.scorer import make_ranking_scorer
