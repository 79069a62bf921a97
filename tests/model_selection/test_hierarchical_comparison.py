"""The hierarchical prior across folds, candidates and classifiers."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.tree import DecisionTreeClassifier

from skpostbac import (
    ClassCounts,
    ClassCountsScorer,
    OutcomesScorer,
    PairedCounts,
    PosteriorBalancedAccuracy,
    PosteriorComparison,
    PosteriorRefit,
    compare_posteriors,
    compare_predictions,
    cross_val_posterior,
    pooled_posteriors,
    required_test_size,
)
from skpostbac.model_selection import pooled_paired_counts
from skpostbac.stats import HierarchicalPairedDifference, Hyperprior

CELLS = np.array([[21, 2, 7, 4], [9, 3, 1, 6], [30, 0, 5, 8]])


def compare(cells=CELLS, **options):
    """Compare A and B by their table."""
    counts = PairedCounts.from_cells(cells)
    return PosteriorComparison.from_paired_counts(counts, **{"prior": "hierarchical"} | options)


def simulate(skills, sizes, seed=0):
    """Return labels, and predictions of classifiers that err on the same samples, mostly."""
    rng = np.random.default_rng(seed)
    y_true = np.repeat(np.arange(len(sizes)), sizes)
    hard = rng.random(y_true.size)
    predictions = {}
    for name, skill in skills.items():
        is_right = 0.7 * hard + 0.3 * rng.random(y_true.size) < skill
        predictions[name] = np.where(is_right, y_true, (y_true + 1) % len(sizes))
    return y_true, predictions


@pytest.fixture(scope="module")
def three():
    """Return three classifiers, compared."""
    y_true, predictions = simulate({"a": 0.6, "b": 0.65, "c": 0.63}, [10, 20, 40, 40])
    return compare_predictions(y_true, predictions, prior="hierarchical", rope=0.02, random_state=0)


def posterior(correct, prior="hierarchical"):
    """Return the posterior of three classes of ten samples."""
    return PosteriorBalancedAccuracy(ClassCounts(range(3), correct, [10, 10, 4]), prior=prior)


def test_pooled_folds():
    """The counts of all folds are pooled before classes borrow."""
    X, y = load_wine(return_X_y=True)
    tree = DecisionTreeClassifier(random_state=0)
    scores = cross_validate(tree, X, y, scoring=ClassCountsScorer(), cv=5)
    (pooled,) = pooled_posteriors(scores, prior="hierarchical")
    options = {"prior": "hierarchical", "training_variation": None}
    assert cross_val_posterior(tree, X, y, cv=5, **options).mean() == pooled.mean()
    counts = pooled.counts
    assert counts.n_samples == len(y)
    assert pooled.mean() == PosteriorBalancedAccuracy(counts, prior="hierarchical").mean()


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
    """The pilot of a planned test set."""
    with pytest.raises(ValueError, match=r"recalls must not .* another one, such as 'reciprocal'"):
        required_test_size(posterior([9, 8, 3]), width=0.2)


def test_pair():
    """All of two classifiers is that of the distribution of their difference."""
    comparison = compare(rope=0.02)
    distribution = comparison.difference("B", "A")
    expected = HierarchicalPairedDifference(CELLS)
    assert isinstance(distribution, HierarchicalPairedDifference)
    assert distribution.mean() == pytest.approx(expected.mean(), rel=1e-9)
    assert distribution.interval() == pytest.approx(expected.interval(), abs=0.003)
    below, within, above = comparison.rope_masses("B", "A")
    assert below == distribution.cdf(-0.02)
    assert above == distribution.ccdf(0.02)
    assert below + within + above == pytest.approx(1)
    probability = distribution.ccdf(0)
    np.testing.assert_allclose(comparison.prob_greater()[1], [probability, 0.5])
    np.testing.assert_allclose(comparison.prob_best(), [1 - probability, probability])
    losses = np.maximum(distribution.draws, 0).mean(), np.maximum(-distribution.draws, 0).mean()
    np.testing.assert_allclose(comparison.expected_loss(), losses)
    error = comparison.monte_carlo_error()
    assert error.rank_probabilities[0, 0] == pytest.approx(distribution.cdf_error(0))
    assert 0 < error.expected_loss.max() < 1e-3
    mirrored = comparison.difference("A", "B")
    np.testing.assert_array_equal(mirrored.draws, -distribution.draws[::-1])
    assert repr(comparison) == "PosteriorComparison('A', 'B', rope=0.02, paired)"


def test_hyperprior_and_weights():
    """Parameters of the prior and weights of the classes are those of all distributions."""
    prior, weights = Hyperprior(strata=None), [0.2, 0.2, 0.6]
    comparison = compare(prior=prior, class_weight=weights)
    distribution = comparison.difference("A", "B")
    assert distribution.hyperprior == comparison.posteriors[0].prior == prior
    np.testing.assert_allclose(np.abs(distribution.weights), weights)


@pytest.mark.parametrize("cells", [[[8, 0, 0, 2]] * 3, [[8, 1, 1, 0]] * 3], ids=["same", "even"])
def test_equal_classifiers(cells):
    """Neither of them is better, to the last digit."""
    comparison = compare(cells, rope=0.05)
    np.testing.assert_array_equal(comparison.prob_greater(), 0.5)
    np.testing.assert_array_equal(comparison.prob_best(), 0.5)
    below, _, above = comparison.rope_masses("A", "B")
    assert below == pytest.approx(above)
    assert comparison.difference("A", "B").mean() == 0


def test_pairs_of_three(three):
    """Each pair is as if there were no other classifier, whatever the random state."""
    y_true, predictions = simulate({"a": 0.6, "b": 0.65, "c": 0.63}, [10, 20, 40, 40])
    pair = {name: predictions[name] for name in "bc"}
    alone = compare_predictions(y_true, pair, prior="hierarchical", random_state=1)
    assert alone.prob_greater()[0, 1] == three.prob_greater()[1, 2]
    assert alone.difference("b", "c") == three.difference("b", "c")


def test_ranks_of_three(three):
    """They agree with the probabilities of pairs, and of the leader with the means."""
    ranks, greater = three.rank_probabilities(), three.prob_greater()
    np.testing.assert_allclose(ranks.sum(axis=0), 1)
    np.testing.assert_allclose(ranks.sum(axis=1), 1)
    # The expected rank is one plus the number of others that are better. That of the leader has
    # the pairs themselves, those of the others have pairs of the copula.
    expected = 1 + (greater.T - np.diag([0.5] * 3)).sum(axis=1)
    np.testing.assert_allclose(three.expected_rank(), expected, atol=0.05)
    leader = int(np.argmin(expected))
    assert three.expected_rank()[leader] == pytest.approx(expected[leader], abs=1e-3)
    losses = three.expected_loss()
    means = [three.difference(three.names[leader], name).mean() for name in "ac"]
    np.testing.assert_allclose(losses[[0, 2]] - losses[leader], means, atol=1e-3)


def test_ranks_with_many_samples():
    """The prior does not matter: as by joint draws of the patterns."""
    y_true, predictions = simulate({"a": 0.6, "b": 0.62, "c": 0.61, "d": 0.58}, [300] * 3)
    ranks, losses = [], []
    for prior in ("hierarchical", "jeffreys"):
        comparison = compare_predictions(y_true, predictions, prior=prior, random_state=0)
        ranks.append(comparison.rank_probabilities())
        losses.append(comparison.expected_loss())
    np.testing.assert_allclose(*ranks, atol=0.03)
    np.testing.assert_allclose(*losses, atol=0.002)


def test_report(three):
    """How classes borrow, and how precise the draws are."""
    assert "Classes of similar size share information on how often two classifiers" in str(three)
    assert "estimated from random draws, with a standard error of up to about 0.00" in str(three)


@pytest.mark.parametrize("prior", ["jeffreys", "hierarchical"])
def test_ranks_in_groups(prior):
    """Two have those of their difference; of three they depend on the seed alone."""
    y_true, predictions = simulate({"a": 0.6, "b": 0.65, "c": 0.7}, [40, 40, 40])
    options = {"prior": prior, "groups": np.arange(y_true.size) // 2}
    for names in ("ab", "ba"):
        pair = compare_predictions(y_true, {name: predictions[name] for name in names}, **options)
        greater = pair.prob_greater()
        assert pair.prob_best() == pytest.approx([greater[0, 1], greater[1, 0]], abs=1e-9)
        first, second = pair.expected_loss()
        assert second - first == pytest.approx(pair.difference(*names).mean(), abs=0.002)
    if prior == "jeffreys":
        one, again, other = (
            compare_predictions(y_true, predictions, random_state=seed, n_draws=10_000, **options)
            for seed in (1, 1, 2)
        )
        np.testing.assert_array_equal(one.rank_probabilities(), again.rank_probabilities())
        assert (one.rank_probabilities() != other.rank_probabilities()).any()
        error = one.monte_carlo_error().rank_probabilities
        gap = np.abs(one.rank_probabilities() - other.rank_probabilities())
        assert np.all(gap < 8 * error)


def test_paired_refit():
    """A candidate is worse than the best with the probability of their paired difference."""
    X, y = load_wine(return_X_y=True)
    refit = PosteriorRefit("mean", prior="hierarchical", complexity="max_depth")
    search = GridSearchCV(
        DecisionTreeClassifier(random_state=0),
        {"max_depth": [1, 2, 3]},
        scoring=OutcomesScorer(len(y)),
        refit=refit,
    ).fit(X, y)
    rows = refit.summary(search.cv_results_)
    counts = pooled_paired_counts(search.cv_results_)
    comparison = PosteriorComparison.from_paired_counts(counts, prior="hierarchical")
    best = comparison.ranking()[0]
    for row, name in zip(rows, counts.names, strict=True):
        if name != best:
            assert row["prob_worse"] == comparison.difference(name, best).cdf(0)


def test_rare_classes_against_common_ones():
    """B gains on many rare classes: flat cells pull this to zero, borrowing does not."""
    cells = [[1, 0, 1, 0]] * 20 + [[60, 2, 2, 0]] * 4
    flat, borrowing = compare(cells, prior="uniform"), compare(cells)
    observed = 20 / 24 / 2
    assert flat.difference("B", "A").ccdf(observed) < 0.01
    low, high = borrowing.difference("B", "A").interval()
    assert low < observed < high
