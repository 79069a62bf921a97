"""A scorer of the areas under the binormal curves."""

from __future__ import annotations

from typing import Any

from skpostbac._utils import check_choice, check_probability
from skpostbac.metrics._binormal.model import (
    binormal_average_precision_score,
    binormal_roc_auc_score,
)
from skpostbac.metrics._posteriors import make_named_scorer

METRICS = {
    "roc_auc": binormal_roc_auc_score,
    "average_precision": binormal_average_precision_score,
}


def make_binormal_scorer(
    metric: str = "roc_auc",
    *,
    pos_label: Any = None,
    positive_fraction: float | None = None,
) -> Any:
    """Make a scorer of an area under a binormal curve, for `scoring=`.

    Parameters
    ----------
    metric : {"roc_auc", "average_precision"}, default="roc_auc"
        Area to score.
    pos_label : int, float, bool or str, default=None
        Label of the positive class; 1 by default, if the labels are {0, 1} or {-1, 1}.
    positive_fraction : float, default=None
        Share of positives, in (0, 1), for "average_precision" only; by default the share in each
        test set.

    Returns
    -------
    scorer : callable
        Scorer made by :func:`sklearn.metrics.make_scorer`. It scores the `decision_function` of a
        classifier, or else its `predict_proba`, whose probabilities are rarely normal. A test set
        with fewer than two different scores in a class is an error.

    Raises
    ------
    ValueError
        If `metric` is unknown; if `positive_fraction` is not in (0, 1), or is given for the area
        under the ROC curve, which does not depend on it.

    Warns
    -----
    BinormalAssumptionWarning
        By the scorer, for each test set whose scores are clearly not normal.

    See Also
    --------
    binormal_roc_auc_score, binormal_average_precision_score : The score functions.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    >>> from sklearn.model_selection import cross_val_score
    >>> from skpostbac.binormal import make_binormal_scorer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> scorer = make_binormal_scorer("average_precision", positive_fraction=0.1)
    >>> cross_val_score(LinearDiscriminantAnalysis(), X[:, :2], y, scoring=scorer, cv=3)
    array([0.55, 0.57, 0.71])
    """
    check_choice(metric, METRICS, "metric")
    options = {"pos_label": pos_label}
    if positive_fraction is not None:
        if metric == "roc_auc":
            raise ValueError("positive_fraction is for average_precision: roc_auc does not use it")
        options["positive_fraction"] = check_probability(positive_fraction, "positive_fraction")
    responses = ("decision_function", "predict_proba")
    return make_named_scorer(METRICS[metric], response_method=responses, **options)
