"""The hierarchical prior across folds, candidates and classifiers."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.tree import DecisionTreeClassifier

from skpostbac import (
    ClassCounts,
    ClassCountsScorer,
    PosteriorBalancedAccuracy,
    PosteriorRefit,
    compare_posteriors,
    compare_predictions,
    cross_val_posterior,
    pooled_posteriors,
    required_test_size,
)


def posterior(correct, prior="hierarchical"):
    """Return the posterior of three classes of ten samples."""
    return PosteriorBalancedAccuracy(ClassCounts(range(3), correct, [10, 10, 4]), prior=prior)


def test_pooled_folds():
    """The counts of all folds are pooled before classes borrow."""
    X, y = load_wine(return_X_y=True)
    tree = DecisionTreeClassifier(random_state=0)
    scores = cross_validate(tree, X, y, scoring=ClassCountsScorer(), cv=5)
    (pooled,) = pooled_posteriors(scores, prior="hierarchical")
    assert cross_val_posterior(tree, X, y, cv=5, prior="hierarchical").mean() == pooled.mean()
    counts = pooled.counts
    assert counts.n_samples == len(y)
    assert pooled.mean() == PosteriorBalancedAccuracy(counts, prior="hierarchical").mean()


def test_refit():
    """A search is decided by it; the probability of being worse as well."""
    X, y = load_wine(return_X_y=True)
    refit = PosteriorRefit("lower", prior="hierarchical", complexity="max_depth")
    search = GridSearchCV(
        DecisionTreeClassifier(random_state=0),
        {"max_depth": [1, 2, 6]},
        scoring=ClassCountsScorer(),
        refit=refit,
    ).fit(X, y)
    rows = refit.summary(search.cv_results_)
    posteriors = pooled_posteriors(search.cv_results_, prior="hierarchical")
    assert rows[2]["objective"] == posteriors[2].iccdf(0.95)
    assert rows[0]["prob_worse"] > 0.999


def test_comparison_by_draws():
    """Independent test sets: exact probabilities against draws of the distributions."""
    posteriors = {"a": posterior([9, 8, 3]), "b": posterior([8, 8, 4]), "c": posterior([10, 9, 2])}
    comparison = compare_posteriors(posteriors, rope=0.05)
    rng = np.random.default_rng(5)
    draws = np.array([one.distribution.sample(40_000, rng=rng) for one in posteriors.values()])
    error = 4 * 0.5 / 200
    greater = (draws[:, np.newaxis] > draws).mean(axis=2)
    np.fill_diagonal(greater, 0.5)
    np.testing.assert_allclose(comparison.prob_greater(), greater, rtol=0, atol=error)
    best = np.bincount(draws.argmax(axis=0), minlength=3) / draws.shape[1]
    np.testing.assert_allclose(comparison.prob_best(), best, rtol=0, atol=error)
    below = (draws[0] - draws[1] < -0.05).mean()
    assert comparison.rope_masses("a", "b").below == pytest.approx(below, abs=error)


def test_priors_of_two_kinds_are_not_compared():
    """One clear error."""
    message = "posteriors must all have the same hierarchical prior"
    with pytest.raises(ValueError, match=message):
        compare_posteriors({"a": posterior([9, 8, 3]), "b": posterior([9, 8, 3], "uniform")})


def test_where_classes_must_be_independent():
    """Pairs on one test set, and planned test sets."""
    with pytest.raises(ValueError, match="prior must be independent for each class"):
        compare_predictions([0, 1], {"a": [0, 1], "b": [1, 1]}, prior="hierarchical")
    with pytest.raises(ValueError, match="prior must be independent for each class"):
        required_test_size([0.9, 0.8], width=0.2, prior="hierarchical")
    with pytest.raises(ValueError, match="recalls must not have a hierarchical prior"):
        required_test_size(posterior([9, 8, 3]), width=0.2)
