"""Scorers of ranking metrics, for searches and cross-validation."""

from collections.abc import Callable, Hashable
from inspect import signature
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import check_choice
from skpostbac.metrics._labels import label_list
from skpostbac.metrics._ranking.posterior import (
    PosteriorRankingMetric,
    posterior_average_precision,
    posterior_roc_auc,
)
from skpostbac.metrics._scorers import (
    OBJECTIVES,
    Objective,
    Scorer,
    check_objective,
    make_named_scorer,
)

_POSTERIORS: dict[str, Callable[..., PosteriorRankingMetric]] = {
    "roc_auc": posterior_roc_auc,
    "average_precision": posterior_average_precision,
}
# A fold takes some hundredths of a second.
_N_DRAWS = 4000


def make_ranking_scorer(
    metric: Literal["roc_auc", "average_precision"] = "roc_auc",
    objective: Objective = "mean",
    *,
    level: float = 0.95,
    **options: Any,
) -> Scorer:
    """Make a scorer of the ROC AUC or the average precision, for `scoring=`.

    Parameters
    ----------
    metric : {"roc_auc", "average_precision"}, default="roc_auc"
        The metric.
    objective : {"mean", "median", "mode", "lower", "upper"}, default="mean"
        Statistic of its posterior to return. "lower" and "upper" are one-sided credible
        bounds.
    level : float, default=0.95
        Probability of the bounds, in (0, 1).
    **options
        As for :func:`posterior_roc_auc` or :func:`posterior_average_precision`, such as
        `pos_label` (by default ``estimator.classes_[1]``), `multi_class` or
        `prevalence`. By default there are 4,000 random draws.

    Returns
    -------
    scorer : callable
        Scorer made by :func:`sklearn.metrics.make_scorer`, new at each call. It asks
        `decision_function` of a classifier, or else `predict_proba`, and
        `predict_proba` alone if `multi_class` is given.

    Raises
    ------
    ValueError
        If `metric`, `objective` or `level` is invalid.
    TypeError
        If the posterior does not take an option.

    See Also
    --------
    make_posterior_scorer : Scorer of the balanced accuracy.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skpostbac import make_ranking_scorer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    >>> scorer = make_ranking_scorer("roc_auc", "lower")
    >>> cross_val_score(tree, X, y, scoring=scorer).round(3)
    array([0.856, 0.812, 0.791, 0.849, 0.815])
    """
    check_choice(metric, _POSTERIORS, "metric")
    check_objective(objective, level)
    signature(_POSTERIORS[metric]).bind([], [], **options)

    methods: str | tuple[str, ...] = ("decision_function", "predict_proba")
    if options.get("multi_class", "raise") != "raise":
        methods = "predict_proba"
    return make_named_scorer(
        ranking_score,
        response_method=methods,
        metric=metric,
        objective=objective,
        level=level,
        n_draws=options.pop("n_draws", _N_DRAWS),
        **options,
    )


def ranking_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    metric: str,
    objective: str,
    level: float,
    pos_label: Hashable = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    **options: Any,
) -> float:
    """Return a statistic of the posterior."""
    if pos_label is None and len(labels := np.unique(y_true)) == 2:
        pos_label = label_list(labels)[1]  # whose scores the scorer asks for
    posterior = _POSTERIORS[metric](
        y_true,
        y_score,
        pos_label=pos_label,
        sample_weight=sample_weight,
        groups=groups,
        **options,
    )
    return float(OBJECTIVES[objective](posterior, level))
