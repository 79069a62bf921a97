"""Warning about scores that contradict the binormal model."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logit

from skpostbac._utils import Floats, user_stacklevel
from skpostbac.metrics._binormal.check import check_scores
from skpostbac.metrics._binormal.class_scores import ClassScores, split_scores
from skpostbac.metrics._binormal.discrepancy import Discrepancy, largest_discrepancy

# benchmarks/binormal_assumption.py measures what these three find, and how often they are wrong.
SIGNIFICANCE, LARGEST_DISCREPANCY, FEWEST_VALUES = 0.005, 1.5, 5

DECISION = "the `decision_function` of the classifier"
EMPIRICAL = "the empirical curve, RocCurveDisplay or PrecisionRecallDisplay of sklearn.metrics"


class BinormalAssumptionWarning(UserWarning):
    r"""The scores of a class are clearly not normal, so the binormal areas may be wrong.

    It is given once per call by everything that fits the binormal model to scores: its functions
    and scorers, :meth:`BinormalModel.fit`, :func:`posterior_binormal` and
    :class:`~skpostbac.BinormalCurveDisplay`, but not by :func:`binormal_check` and
    :class:`~skpostbac.NormalScoresDisplay`, which check the same assumption. The message names one
    of three causes and a remedy:

    - Scores take few values, as hard labels and ratings do. With shares :math:`p_v` of the values
      of a class, :math:`1 / \sum p_v^2` is their effective number, the number of values if they
      are equally frequent. It is less than 5, and at most half the number of samples. Use the
      `decision_function` of the classifier, or the empirical curve.
    - All scores lie in [0, 1], as probabilities do. Use the `decision_function`, or else the
      log-odds, where these bring the areas near to the empirical ones, and otherwise the empirical
      curve: the message says which. Normal scores that happen to lie there are no exception; a
      larger scale changes no area.
    - :func:`binormal_check` rejects at 0.005, and the area under the ROC curve or the average
      precision is more than 1.5 posterior standard deviations of its log-odds from the empirical
      one. Either alone is not enough: tests detect harmless deviations in large samples, and areas
      close to 1 vary. Use the empirical curve, or an increasing function of the scores that makes
      them normal.

    Weights are case counts in the effective numbers and in the areas; the test of normality counts
    each sample once. See :ref:`binormal_assumption` for the measurements behind these limits.

    Examples
    --------
    >>> import warnings
    >>> from skpostbac.binormal import BinormalAssumptionWarning, binormal_roc_auc_score
    >>> with warnings.catch_warnings(category=BinormalAssumptionWarning, action="ignore"):
    ...     binormal_roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.802
    """


class LogOdds(NamedTuple):
    """Log-odds of probabilities, and how they are computed."""

    values: Floats
    recipe: str


def checked_scores(
    y_true: ArrayLike, y_score: ArrayLike, pos_label: Any, sample_weight: ArrayLike | None
) -> tuple[ClassScores, ClassScores]:
    """Split scores as :func:`split_scores` does, and warn the user if they cannot be normal."""
    scores = split_scores(y_true, y_score, pos_label, sample_weight)
    reason = broken_assumption(*scores)
    if reason is not None:
        warnings.warn(reason, BinormalAssumptionWarning, stacklevel=user_stacklevel())
    return scores


def broken_assumption(negative: ClassScores, positive: ClassScores) -> str | None:
    """Return why scores contradict the binormal model, with a remedy, or None."""
    rules = (_explain_few_values, _explain_probabilities, _explain_discrepancy)
    return next(filter(None, (rule(negative, positive) for rule in rules)), None)


def _explain_few_values(negative: ClassScores, positive: ClassScores) -> str | None:
    """Detect hard labels, ratings and votes of few members."""
    numbers = {name: _effective_values(part) for name, part in _named(negative, positive)}
    few = [
        name
        for name, part in _named(negative, positive)
        if numbers[name] < FEWEST_VALUES and 2 * numbers[name] <= part.weight.sum()
    ]
    if not few:
        return None
    name = min(few, key=lambda name: numbers[name])
    return (
        f"y_score takes few values, effectively {numbers[name]:.1f} in the {name} class, as hard "
        "labels and votes do; the binormal model is of continuous, normal scores. "
        f"{_describe(largest_discrepancy(negative, positive))} Use {DECISION}, or {EMPIRICAL}."
    )


def _explain_probabilities(negative: ClassScores, positive: ClassScores) -> str | None:
    """Detect probabilities, and check whether their log-odds are suitable."""
    low = min(part.values.min() for part in (negative, positive))
    high = max(part.values.max() for part in (negative, positive))
    if low < 0 or high > 1:
        return None
    odds = log_odds(np.concatenate([negative.values, positive.values]))
    remedy = f"{EMPIRICAL}; log-odds would not do here"
    if odds is not None and is_repaired(odds.values, negative, positive):
        remedy = f"{DECISION}, or {odds.recipe}, which gives nearly the empirical areas"
    found = largest_discrepancy(negative, positive)
    return (
        "y_score lies in [0, 1], as probabilities do, which are not normal in each class. "
        f"{_describe(found)} Use {remedy}."
    )


def _explain_discrepancy(negative: ClassScores, positive: ClassScores) -> str | None:
    """Detect scores that are not normal and areas that are wrong."""
    check = check_scores(negative, positive)
    if not check.rejects(SIGNIFICANCE):
        return None
    found = largest_discrepancy(negative, positive)
    if not found.size > LARGEST_DISCREPANCY:
        return None
    p_values = dict(zip(("negative", "positive"), check.adjusted_p_values, strict=True))
    name = min(p_values, key=lambda name: p_values[name])
    return (
        f"y_score is not normal in the {name} class (p = {p_values[name]:.2g}). {_describe(found)} "
        f"Use {EMPIRICAL}, or an increasing function of the scores that is normal in each class."
    )


def log_odds(probability: Floats) -> LogOdds | None:
    """Return log-odds, for which 0 and 1 become half as far from the ends as the next ones.

    A share of t votes becomes (1 / 2) / t in place of 0, as it is usual for counts. None if there
    is nothing between 0 and 1.
    """
    inside = np.minimum(probability, 1 - probability)
    if inside.min() > 0:
        return LogOdds(logit(probability), "scipy.special.logit(y_score)")
    if not inside.any():
        return None
    # The log-odds of 1 - 2**-53 are the largest that are finite.
    end = max(2.0**-53, float(inside[inside > 0].min()) / 2)
    recipe = f"scipy.special.logit(np.clip(y_score, {end:.2g}, 1 - {end:.2g}))"
    return LogOdds(logit(probability.clip(end, 1 - end)), recipe)


def is_repaired(values: Floats, negative: ClassScores, positive: ClassScores) -> bool:
    """Return whether other scores of the same samples bring the areas near the empirical ones."""
    n = len(negative.values)
    parts = ClassScores(values[:n], negative.weight), ClassScores(values[n:], positive.weight)
    if any(np.ptp(part.values) == 0 for part in parts):
        return False
    return largest_discrepancy(*parts).size <= LARGEST_DISCREPANCY


def _describe(found: Discrepancy) -> str:
    return (
        f"The {found.name} is {found.binormal:.4g} by the binormal model and "
        f"{found.empirical:.4g} by the empirical curve."
    )


def _named(negative: ClassScores, positive: ClassScores) -> tuple[tuple[str, ClassScores], ...]:
    return ("negative", negative), ("positive", positive)


def _effective_values(part: ClassScores) -> float:
    """Return the inverse of the probability that two draws of the scores are equal."""
    _, index = np.unique(part.values, return_inverse=True)
    weight = np.bincount(index, part.weight)
    return float(weight.sum() ** 2 / (weight @ weight))
