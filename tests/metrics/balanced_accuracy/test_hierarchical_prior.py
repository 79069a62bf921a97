"""The hierarchical prior of posteriors, scores and scorers: classes borrow from one another."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skpostbac.metrics import (
    ClassCounts,
    PosteriorBalancedAccuracy,
    make_posterior_scorer,
    posterior_accuracy,
    posterior_balanced_accuracy,
    posterior_balanced_accuracy_score,
    posterior_confusion_metric,
)
from skpostbac.stats import BetaAverage, HierarchicalBetaAverage, Hyperprior

COUNTS = ClassCounts(["a", "b", "c"], [9, 8, 1], [10, 10, 2])


def test_distribution_is_the_engine_s():
    """With the weights of the classes, and a hyperprior of one's own."""
    hyperprior = Hyperprior(kappa=(10, 50), outlier=0.1)
    weights = {"a": 1, "b": 2, "c": 1}
    posterior = PosteriorBalancedAccuracy(COUNTS, prior=hyperprior, class_weight=weights)
    distribution = HierarchicalBetaAverage(
        COUNTS.correct, COUNTS.total, weights=[0.25, 0.5, 0.25], hyperprior=hyperprior
    )
    assert posterior.credible_interval(method="central") == distribution.interval()
    assert posterior.prior is hyperprior
    assert PosteriorBalancedAccuracy(COUNTS, prior="hierarchical").prior == Hyperprior()


def test_before_the_data():
    """The prior itself is the case of no samples: symmetric, and wider than with flat priors."""
    posterior = PosteriorBalancedAccuracy(COUNTS, prior="hierarchical")
    prior = posterior.prior_distribution
    assert prior.cdf(0.3) == pytest.approx(prior.ccdf(0.7), abs=1e-9)
    assert prior.mean() == pytest.approx(0.5, abs=1e-12)
    assert prior.standard_deviation() > BetaAverage([1] * 3, [1] * 3).standard_deviation()
    chance = posterior.prob_above_chance()
    assert chance.prior == pytest.approx(prior.ccdf(1 / 3), rel=1e-9)
    odds = posterior.ccdf(1 / 3) / posterior.cdf(1 / 3) * prior.cdf(1 / 3) / prior.ccdf(1 / 3)
    assert chance.bayes_factor == pytest.approx(odds, rel=1e-6)


def test_recalls_of_all_classes():
    """Each class's posterior knows the others: a small one is drawn to them."""
    recalls = PosteriorBalancedAccuracy(COUNTS, prior="hierarchical").recalls()
    alone = PosteriorBalancedAccuracy(COUNTS, prior="jeffreys").recalls()
    assert list(recalls) == ["a", "b", "c"]
    assert recalls["c"].mean() > alone["c"].mean()
    assert recalls["c"].standard_deviation() < alone["c"].standard_deviation()


def test_many_classes_are_not_pulled_to_one_half():
    """A hundred classes of ten samples, nine in ten correct: .9 is inside, unlike with flat."""
    correct = np.random.default_rng(0).binomial(10, 0.9, 100)
    counts = ClassCounts(range(100), correct, [10] * 100)
    low, high = PosteriorBalancedAccuracy(counts, prior="hierarchical").credible_interval()
    assert low < 0.9 < high
    flat = PosteriorBalancedAccuracy(counts, prior="uniform")
    assert flat.credible_interval(0.999).high < 0.9


def test_score_and_scorer():
    """As `prior` of both, in cross-validation and in a search of two processes."""
    X, y = load_digits(return_X_y=True)
    X, y = X[:400], y[:400]
    tree = DecisionTreeClassifier(max_depth=6, random_state=0)
    scorer = make_posterior_scorer(objective="lower", prior="hierarchical")
    scores = cross_val_score(tree, X, y, scoring=scorer, cv=3)
    predicted = tree.fit(X[:300], y[:300]).predict(X[300:])
    direct = posterior_balanced_accuracy(y[300:], predicted, prior="hierarchical")
    score = posterior_balanced_accuracy_score(
        y[300:], predicted, objective="lower", prior="hierarchical"
    )
    assert score == direct.iccdf(0.95)
    assert ((scores > 0.3) & (scores < 0.9)).all()
    search = GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1e2]}, scoring=scorer, n_jobs=2)
    assert search.fit(X, y).best_params_ == {"var_smoothing": 1e-9}


def test_where_classes_must_be_independent():
    """One line says so."""
    for evaluate in (posterior_confusion_metric, posterior_accuracy):
        arguments = ("f1",) if evaluate is posterior_confusion_metric else ()
        with pytest.raises(ValueError, match="prior must"):
            evaluate([0, 1, 1], [0, 1, 0], *arguments, prior="hierarchical")
