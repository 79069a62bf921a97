"""Scores of a fitted classifier."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from numpy.typing import ArrayLike
from sklearn.metrics import make_scorer
from sklearn.utils.validation import check_is_fitted

from skpostbac._utils import Floats, shown


def positive_scores(
    estimator: Any, X: ArrayLike, y: ArrayLike, pos_label: Any
) -> tuple[Floats, Any]:
    """Return the scores for the positive class, and its label.

    The scores come from `decision_function`, or else from `predict_proba`. The default positive
    class is the second one, as in scikit-learn's displays.
    """
    if isinstance(estimator, type) or not hasattr(estimator, "fit"):
        raise TypeError(f"estimator must be a fitted classifier, got {shown(estimator)}")
    check_is_fitted(estimator)
    if pos_label is None and len(getattr(estimator, "classes_", ())) == 2:
        pos_label = estimator.classes_[1]
    if not isinstance(pos_label, Hashable):
        raise TypeError(f"pos_label must be a label, got {shown(pos_label)}")
    # A dummy scorer: scikit-learn selects the method, the column and the sign.
    scorer = make_scorer(
        _score_of, response_method=("decision_function", "predict_proba"), pos_label=pos_label
    )
    return scorer(estimator, X, y), pos_label


def _score_of(y_true: ArrayLike, y_score: Floats, *, pos_label: Any) -> Floats:
    return y_score
