"""Smooth ROC and precision-recall curves of normal scores, and their posterior.

Their public module is `skpostbac.binormal`. Imports `_posteriors`, `_counts` and what
these import.
"""

from skpostbac.metrics._binormal.check import BinormalCheck, NormalScores, binormal_check
from skpostbac.metrics._binormal.class_scores import ClassScores, ScoreMoments, check_share
from skpostbac.metrics._binormal.empirical_areas import EmpiricalAreas
from skpostbac.metrics._binormal.model import (
    BinormalModel,
    binormal_average_precision_score,
    binormal_precision_recall_curve,
    binormal_roc_auc_score,
    binormal_roc_curve,
    estimate_model,
)
from skpostbac.metrics._binormal.posterior import (
    BinormalDraws,
    CurveBand,
    PosteriorBinormal,
    posterior_binormal,
)
from skpostbac.metrics._binormal.scorer import make_binormal_scorer
from skpostbac.metrics._binormal.warning import BinormalAssumptionWarning

__all__ = [
    "BinormalAssumptionWarning",
    "BinormalCheck",
    "BinormalDraws",
    "BinormalModel",
    "ClassScores",
    "CurveBand",
    "EmpiricalAreas",
    "NormalScores",
    "PosteriorBinormal",
    "ScoreMoments",
    "binormal_average_precision_score",
    "binormal_check",
    "binormal_precision_recall_curve",
    "binormal_roc_auc_score",
    "binormal_roc_curve",
    "check_share",
    "estimate_model",
    "make_binormal_scorer",
    "posterior_binormal",
]
