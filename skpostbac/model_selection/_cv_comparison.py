"""Paired comparison of classifiers cross-validated on the same folds."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import (
    Floats,
    RandomStateLike,
    check_flags,
    check_n_draws,
    draw_seed,
    input_errors,
    shown,
    user_stacklevel,
)
from skpostbac.metrics import PairedCounts, PosteriorBalancedAccuracy
from skpostbac.metrics._advice import (
    warn_of_prior,
)
from skpostbac.metrics._class_weight import (
    ClassWeightLike,
)
from skpostbac.metrics._prior import (
    DEFAULT_PRIOR,
    PriorLike,
)
from skpostbac.model_selection._comparison import PosteriorComparison
from skpostbac.model_selection._joint import N_JOINT_DRAWS, margins_of, outcome_joint
from skpostbac.model_selection._pooling import (
    FoldCounts,
    OutcomeMetric,
    TrainingVariation,
    corrected_for_training,
    fold_counts,
    fold_words,
    is_accuracy,
    weights_by_text,
)

# What to run; `scoring=ClassCountsScorer()` alone would not do.
_OUTCOMES = " with scoring=OutcomesScorer(max_test_size=len(y))"


def compare_cv_results(
    cv_results: Mapping[str, Any],
    *,
    metric: OutcomeMetric = "balanced_accuracy",
    rope: float = 0.0,
    labels: ArrayLike | None = None,
    class_weight: ClassWeightLike = None,
    prior: PriorLike = DEFAULT_PRIOR,
    n_repeats: int | None = None,
    training_variation: TrainingVariation = "nadeau-bengio",
    same_splits: bool = False,
    n_draws: int = N_JOINT_DRAWS,
    random_state: RandomStateLike = 0,
) -> PosteriorComparison:
    """Compare classifiers that were cross-validated on the same folds.

    Parameters
    ----------
    cv_results : mapping of str to dict or DataFrame
        Results of T >= 2 classifiers, by name: the output of
        :func:`~sklearn.model_selection.cross_validate` with
        ``scoring=OutcomesScorer(...)`` and the same splits. To compare tuned
        classifiers, cross-validate the searches, such as
        :class:`~sklearn.model_selection.GridSearchCV`.
    metric : {"balanced_accuracy", "accuracy"}, default="balanced_accuracy"
        What is compared. Outcomes of samples do not suffice for other metrics.
    rope, class_weight, prior, n_draws, random_state
        As for :func:`~skpostbac.compare_predictions`. Without `labels`, the keys of a
        `class_weight` dict are matched as strings.
    labels, n_repeats
        As for :func:`~skpostbac.pooled_posteriors`.
    training_variation : {"nadeau-bengio"} or None, default="nadeau-bengio"
        By default the comparison answers which algorithm is better, for models refitted
        on data sets of this size, with the correction of
        :func:`~skpostbac.pooled_posteriors`. With None it applies to these predictions
        only, and equally good algorithms seem different too often.
    same_splits : bool, default=False
        Pass True to state that all classifiers used the same splits, if the results do
        not show it. This silences the warning.

    Returns
    -------
    comparison : PosteriorComparison
        Paired comparison, which accounts for agreement on individual samples.

    Raises
    ------
    TypeError
        If `cv_results` is not a mapping of names.
    ValueError
        If there are fewer than two classifiers, if one has no sample outcomes, has
        failed fits, is a search or was tested on other folds, if `metric` is another
        one, or for the reasons listed in :func:`~skpostbac.compare_predictions`.

    Warns
    -----
    UserWarning
        If the results do not show which samples were tested, and `same_splits` is
        False.
    PriorInfluenceWarning
        If 95 % intervals under this prior would often miss the true value in similar
        test sets, or if a class has no samples.
    ClassShareWarning
        As for :func:`~skpostbac.cross_val_posterior`.

    See Also
    --------
    compare_predictions : Classifiers with one test set.
    skpostbac.model_selection.pooled_paired_counts : The candidates of one search.

    Notes
    -----
    The folds are checked to have the same number of samples of each class and, if
    :func:`~sklearn.model_selection.cross_validate` returned the indices
    (``return_indices=True``), the same samples. Without indices this cannot be checked:
    folds of ``StratifiedKFold(shuffle=True)`` without a seed have the same sizes but
    different samples, so the comparison would pair samples at random.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.model_selection import StratifiedKFold, cross_validate
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skpostbac import OutcomesScorer, compare_cv_results
    >>> X, y = load_wine(return_X_y=True)
    >>> folds = StratifiedKFold(5, shuffle=True, random_state=0)
    >>> models = {"tree": DecisionTreeClassifier(random_state=0), "Bayes": GaussianNB()}
    >>> options = {"scoring": OutcomesScorer(len(y)), "return_indices": True}
    >>> results = {
    ...     name: cross_validate(model, X, y, cv=folds, **options)
    ...     for name, model in models.items()
    ... }
    >>> comparison = compare_cv_results(results, random_state=0)
    >>> float(comparison.prob_greater()[1, 0])
    0.9555
    >>> these = compare_cv_results(results, training_variation=None, random_state=0)
    >>> float(these.prob_greater()[1, 0])  # these predictions only
    0.9978
    """
    check_flags(same_splits=same_splits)
    is_one_class = is_accuracy(metric, class_weight)
    folds, words = _read(cv_results, labels)
    merged = _merge(folds, is_declared=same_splits)
    merged = replace(merged, n_repeats=n_repeats, training_variation=training_variation)
    # Scorers with a larger `max_test_size` have more words.
    most = max(each.shape[2] for each in words)
    padded = [
        np.pad(each, ((0, 0), (0, 0), (0, most - each.shape[2]))) for each in words
    ]
    times = merged.times * merged.inflation
    paired = merged.pair(np.concatenate(padded), range(len(folds)), times)
    counts = PairedCounts(
        list(folds), paired.classes, paired.class_index, paired.patterns, paired.counts
    )
    class_weight = weights_by_text(class_weight) if labels is None else class_weight
    margins = [
        corrected_for_training(
            PosteriorBalancedAccuracy(one, prior=prior, class_weight=class_weight),
            training_variation,
            merged.inflation,
        )
        for one in margins_of(counts, is_one_class=is_one_class)
    ]
    joint = outcome_joint(
        counts,
        margins,
        is_one_class=is_one_class,
        n_draws=check_n_draws(n_draws, 1),
        seed=draw_seed(random_state),
        inflation=merged.inflation,
        correction=margins[0].correction,
    )
    merged.warn_of_shares(*margins)
    warn_of_prior(*joint.evidence())
    return PosteriorComparison(counts.names, joint, rope=rope)


def _read(
    cv_results: Any, labels: ArrayLike | None
) -> tuple[dict[str, FoldCounts], list[Floats]]:
    """Return folds and outcomes of each classifier."""
    is_one_result = hasattr(cv_results, "keys") and any(
        "fit_time" in str(k) for k in cv_results
    )
    if is_one_result or not isinstance(cv_results, Mapping):
        found = "the results of one call" if is_one_result else shown(cv_results)
        raise TypeError(
            "cv_results must map the name of each classifier to its results, got "
            f"{found}; to compare the candidates of a search, use "
            "PosteriorComparison.from_paired_counts(pooled_paired_counts(search.cv_results_))"
        )
    if len(cv_results) < 2:
        raise ValueError(
            f"cv_results must have at least two classifiers, got {list(cv_results)}"
        )
    folds = {}
    outcomes = []
    for name, results in cv_results.items():
        if not hasattr(results, "keys"):
            raise TypeError(
                f"cv_results of {name!r} must be what cross_validate "
                f"returns{_OUTCOMES}, got {type(results).__name__}"
            )
        with input_errors(f"cv_results of {name!r}"):
            words = fold_words(results)
        if words is None:
            raise ValueError(
                f"cv_results of {name!r} has no outcomes of samples (test_outcomes_0): "
                f"run cross_validate{_OUTCOMES} and the splits of the "
                "others"
            )
        counts = fold_counts(results, labels)
        if counts.from_search:
            raise ValueError(
                f"cv_results of {name!r} is that of a search, whose best candidate was "
                "selected on these folds: cross-validate the search itself"
            )
        if counts.has_failed.any():
            raise ValueError(
                f"cv_results of {name!r} has failed fits: {counts.failures()}"
            )
        folds[name] = counts
        outcomes.append(words)
    return folds, outcomes


def _merge(counts: Mapping[str, FoldCounts], *, is_declared: bool) -> FoldCounts:
    """Return the counts of all classifiers as those of candidates of one search."""
    (first, one), *others = counts.items()
    advice = "give all of them the same splits, as cv=list(cv.split(X, y))"
    for name, other in others:
        if other.names != one.names or not np.array_equal(other.total, one.total):
            raise ValueError(
                f"cv_results of {name!r} has other classes or folds than {first!r}: "
                f"{advice}, and the same scorer"
            )
    tests = {
        name: each.tests for name, each in counts.items() if each.tests is not None
    }
    (first, shared), *others_tests = tests.items() or [("", ())]
    for name, indices in others_tests:
        if not all(map(np.array_equal, shared, indices)):
            raise ValueError(
                f"cv_results of {name!r} was tested on other samples than {first!r}: "
                f"{advice}"
            )
    unknown = [name for name in counts if name not in tests]
    if unknown and not is_declared:
        warnings.warn(
            f"cv_results of {unknown[0]!r} do not show which samples were tested, and "
            "samples are paired by position in the folds: run cross_validate with "
            "return_indices=True, or pass same_splits=True if all classifiers used the "
            "same splits.",
            UserWarning,
            stacklevel=user_stacklevel(),
        )
    return replace(
        one,
        correct=np.concatenate([each.correct for each in counts.values()]),
        total=np.concatenate([each.total for each in counts.values()]),
        has_failed=np.concatenate([each.has_failed for each in counts.values()]),
        tests=shared or None,
        n_train=next(
            (each.n_train for each in counts.values() if each.n_train is not None), None
        ),
    )
