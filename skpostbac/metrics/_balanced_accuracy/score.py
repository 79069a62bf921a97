"""Score function that summarises the posterior in one number."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from numpy.typing import ArrayLike

from skpostbac._utils import Floats, check_choice, check_flags, check_level
from skpostbac.metrics._balanced_accuracy.posterior import PosteriorBalancedAccuracy
from skpostbac.metrics._counts import class_counts
from skpostbac.metrics._labels import WeightType
from skpostbac.metrics._priors import DEFAULT_PRIOR, ClassWeightLike, PriorLike

OBJECTIVES: dict[str, Callable[[PosteriorBalancedAccuracy, float], float | Floats]] = {
    "mean": lambda posterior, level: posterior.mean(),
    "median": lambda posterior, level: posterior.median(),
    "mode": lambda posterior, level: posterior.mode(),
    "lower": lambda posterior, level: posterior.iccdf(level),
    "upper": lambda posterior, level: posterior.icdf(level),
}


def posterior_balanced_accuracy_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    objective: str = "mean",
    level: float = 0.95,
    prior: PriorLike = DEFAULT_PRIOR,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = None,
    groups: ArrayLike | None = None,
    class_weight: ClassWeightLike = None,
    adjusted: bool = False,
) -> float:
    """Summarise the posterior balanced accuracy in one number.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels, in any format that scikit-learn accepts.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    objective : {"mean", "median", "mode", "lower", "upper"}, default="mean"
        Statistic to return. "lower" and "upper" are one-sided credible bounds: the balanced
        accuracy is at least "lower", or at most "upper", with probability `level`.
    level : float, default=0.95
        Probability of the bounds, in (0, 1). Ignored for other objectives.
    prior : str, pair of floats, array-like of shape (n_classes, 2) or Hyperprior, \
            default="reciprocal"
        Prior of the accuracy on each class: "reciprocal", "uniform", "jeffreys", "neutral",
        "hierarchical", a pair ``(a, b)`` for all classes, one pair per class, or a Hyperprior.
    labels : array-like of shape (n_classes,), default=None
        Classes to average over, by default those in `y_true`. A class that is absent from `y_true`
        keeps its prior; samples whose true class is not listed are ignored.
    sample_weight : array-like of shape (n_samples,), default=None
        Finite, non-negative weights. By default they are case counts, so their scale matters.
    weight_type : {"case", "importance"}, default=None
        Meaning of the weights: case counts, or importance (survey, inverse-probability) weights,
        whose scale does not matter. None means "case", with a warning if the weights are not whole
        numbers.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as a patient, a site or a document. Samples of the same group
        are treated as correlated and count for less; see :ref:`groups`.
    class_weight : dict or array-like of shape (n_classes,), default=None
        Weights of the classes in the average, normalised to sum to 1.
    adjusted : bool, default=False
        Rescale the score so that chance level is 0 and a perfect score is 1.

    Returns
    -------
    score : float
        In [0, 1], or in [-1 / (n_classes - 1), 1] if adjusted.

    Raises
    ------
    ValueError
        If `objective` is unknown, if `level` is outside (0, 1), if `adjusted` is True with a single
        class, or for the reasons listed in :func:`posterior_balanced_accuracy`.
    TypeError
        If `adjusted` is not a bool, or for the reasons listed in
        :func:`posterior_balanced_accuracy`.

    See Also
    --------
    make_posterior_scorer : Scorer for model selection.
    posterior_balanced_accuracy : The full posterior.

    Notes
    -----
    This function never gives a :class:`PriorInfluenceWarning` or :class:`GroupsWarning`, which a
    search would repeat in each fold.

    References
    ----------
    .. [1] K. H. Brodersen, C. S. Ong, K. E. Stephan and J. M. Buhmann (2010). The balanced
       accuracy and its posterior distribution. Proceedings of the 20th International
       Conference on Pattern Recognition, 3121-3124.

    Examples
    --------
    >>> from skpostbac import posterior_balanced_accuracy_score
    >>> y_true, y_pred = [0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 1]
    >>> posterior_balanced_accuracy_score(y_true, y_pred)
    0.7667
    >>> posterior_balanced_accuracy_score(y_true, y_pred, objective="lower")
    0.5216
    """
    check_objective(objective, level)
    check_flags(adjusted=adjusted)
    counts = class_counts(
        y_true,
        y_pred,
        labels=labels,
        sample_weight=sample_weight,
        weight_type=weight_type,
        groups=groups,
    )
    posterior = PosteriorBalancedAccuracy(counts, prior=prior, class_weight=class_weight)
    score = float(OBJECTIVES[objective](posterior, level))
    return _adjust(score, posterior.chance) if adjusted else score


def check_objective(objective: str, level: float, known: Sequence[str] = tuple(OBJECTIVES)) -> None:
    """Raise if the objective is unknown or the level is not in (0, 1)."""
    check_choice(objective, known, "objective")
    check_level(level)


def _adjust(score: float, chance: float) -> float:
    if chance == 1:
        raise ValueError("adjusted=True needs at least two classes: with one, chance is 1")
    return (score - chance) / (1 - chance)
