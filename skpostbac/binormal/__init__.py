"""Smooth ROC and precision-recall curves of scores that are normal in both classes.

`binormal_roc_curve`, `binormal_precision_recall_curve` and the scores of the areas
under them take labels and scores, like scikit-learn's functions. `BinormalModel` has
the curves of given parameters, `BinormalCurveDisplay` plots them, and `binormal_check`
tests whether the scores are normal. Credible intervals of both areas that hold for any
scores are those of `skpostbac.posterior_roc_auc` and
`skpostbac.posterior_average_precision`.
"""

from skpostbac.binormal._check import (
    BinormalAssumptionWarning,
    BinormalCheck,
    binormal_check,
)
from skpostbac.binormal._display import BinormalCurveDisplay
from skpostbac.binormal._model import (
    BinormalModel,
    binormal_average_precision_score,
    binormal_precision_recall_curve,
    binormal_roc_auc_score,
    binormal_roc_curve,
)

__all__ = [
    "BinormalAssumptionWarning",
    "BinormalCheck",
    "BinormalCurveDisplay",
    "BinormalModel",
    "binormal_average_precision_score",
    "binormal_check",
    "binormal_precision_recall_curve",
    "binormal_roc_auc_score",
    "binormal_roc_curve",
]
