"""Smooth ROC and precision-recall curves of scores that are normal in both classes.

`binormal_roc_curve`, `binormal_precision_recall_curve` and the scores of the areas
under them take labels and scores, like scikit-learn's functions. `posterior_binormal`
computes credible intervals of the areas and bands of the curves, `BinormalModel` the
curves for given parameters, and `binormal_check` tests whether the scores are normal.
`BinormalCurveDisplay` and `NormalScoresDisplay` plot them.
"""

from skpostbac.binormal._check import (
    BinormalAssumptionWarning,
    BinormalCheck,
    NormalScores,
    binormal_check,
)
from skpostbac.binormal._displays import BinormalCurveDisplay, NormalScoresDisplay
from skpostbac.binormal._model import (
    BinormalModel,
    binormal_average_precision_score,
    binormal_precision_recall_curve,
    binormal_roc_auc_score,
    binormal_roc_curve,
    make_binormal_scorer,
)
from skpostbac.binormal._posterior import (
    BinormalDraws,
    CurveBand,
    PosteriorBinormal,
    posterior_binormal,
)
from skpostbac.binormal._scores import EmpiricalAreas, ScoreMoments

__all__ = [
    "BinormalAssumptionWarning",
    "BinormalCheck",
    "BinormalCurveDisplay",
    "BinormalDraws",
    "BinormalModel",
    "CurveBand",
    "EmpiricalAreas",
    "NormalScores",
    "NormalScoresDisplay",
    "PosteriorBinormal",
    "ScoreMoments",
    "binormal_average_precision_score",
    "binormal_check",
    "binormal_precision_recall_curve",
    "binormal_roc_auc_score",
    "binormal_roc_curve",
    "make_binormal_scorer",
    "posterior_binormal",
]
