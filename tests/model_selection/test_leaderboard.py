"""Many systems on the same items: pairs at once, ranks and who may be the best."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from skpostbac import (
    PosteriorBalancedAccuracy,
    compare_outcomes,
    compare_posteriors,
    compare_predictions,
)
from skpostbac.stats import _several

pytestmark = pytest.mark.filterwarnings("ignore::skpostbac.metrics.GroupsWarning")


def board(skills, n, rng):
    """Return outcomes of systems on items of which some are hard, shape (n, T)."""
    difficulty = rng.normal(0, 1.5, (n, 1))
    return difficulty + rng.normal(0, 0.7, (n, len(skills))) < skills


def compare(right, **options):
    """Compare the systems "0", "1", ..."""
    return compare_outcomes(
        {str(i): column for i, column in enumerate(right.T)}, **options
    )


def test_pairs_of_accuracies():
    """The share of samples that only one predicts correctly is a Beta variable.

    A millionth of the prior is on agreement.
    """
    right = board(np.linspace(0.5, 1.5, 14), 80, np.random.default_rng(0))
    greater = compare(right).prob_greater()
    for i, j in combinations(range(14), 2):
        only = (right[:, i] & ~right[:, j]).sum(), (right[:, j] & ~right[:, i]).sum()
        expected = stats.beta.sf(0.5, 1 + only[0], 1 + only[1])
        assert greater[i, j] == pytest.approx(expected, abs=1e-6)
    assert_allclose(greater + greater.T, 1, rtol=0, atol=1e-15)


@pytest.mark.parametrize("n_classes", [2, 3, 7])
@pytest.mark.parametrize("class_weight", [None, "uneven"])
def test_pairs_of_balanced_accuracies(n_classes, class_weight):
    """Of many classifiers at once they are those of each difference."""
    rng = np.random.default_rng(n_classes)
    right = board(np.linspace(0.5, 1.5, 12), 300, rng)
    y = rng.integers(0, n_classes, 300)
    predictions = {
        str(i): np.where(one, y, (y + 1) % n_classes) for i, one in enumerate(right.T)
    }
    weights = None if class_weight is None else np.arange(1.0, n_classes + 1)
    comparison = compare_predictions(y, predictions, class_weight=weights)
    greater = comparison.prob_greater()
    for i, j in combinations(range(12), 2):
        difference = comparison.difference(str(i), str(j))
        assert greater[i, j] == pytest.approx(float(difference.ccdf(0)), abs=1e-7)


def test_ranks_without_doubt():
    """Of systems far apart each has one rank, and one may be the best."""
    right = np.arange(1000)[:, np.newaxis] < [900, 100, 500]
    comparison = compare(right)
    for joint in (True, False):
        low, high = comparison.rank_interval(joint=joint)
        assert low.tolist() == high.tolist() == [1, 3, 2]
    assert comparison.may_be_best().tolist() == [True, False, False]


def test_ranks_without_information():
    """Systems with equal outcomes have all ranks, at any level."""
    right = np.tile(np.arange(10)[:, np.newaxis] < 7, 5)
    for level in (0.3, 0.5, 0.999):
        low, high = compare(right).rank_interval(level)
        assert (low == 1).all()
        assert (high == 5).all()
        assert compare(right).may_be_best(level).all()


@pytest.mark.parametrize("only_first", range(15))
def test_two_systems(only_first):
    """A single pair has the critical values of a normal variable, of one side or two."""
    cells = np.repeat(
        [[1, 1], [1, 0], [0, 1]], [40, only_first, 14 - only_first], axis=0
    )
    comparison = compare(cells)
    score = stats.norm.ppf(comparison.prob_greater("0", "1"))
    assert comparison.may_be_best()[0] == (score > -1.645)
    low, high = comparison.rank_interval()
    assert low.tolist() == [1 + (score < -1.96), 1 + (score > 1.96)]
    assert high.tolist() == [2 - (score > 1.96), 2 - (score < -1.96)]


def test_order_and_copies():
    """Systems in another order have the same ranks; a copy has those of its original."""
    right = board(np.linspace(0.3, 1.6, 9), 400, np.random.default_rng(1))
    low, high = compare(right).rank_interval()
    best = compare(right).may_be_best()
    order = np.random.default_rng(2).permutation(9)
    moved = compare(right[:, order])
    assert_array_equal(moved.rank_interval(), [low[order], high[order]])
    assert_array_equal(moved.may_be_best(), best[order])

    # Copies of the worst push the worst rank of the others no further than that of all.
    worst = int(np.argmin(right.mean(axis=0)))
    copies = compare(right[:, [*range(9), *[worst] * 20]])
    assert_array_equal(copies.may_be_best()[:9], best)
    assert_array_equal(copies.rank_interval()[0][:9], low)
    assert_array_equal(copies.rank_interval()[0][9:], low[worst])


def test_joint_intervals_are_wider():
    """What holds for all at once allows at least the ranks of each by itself."""
    right = board(np.linspace(1, 1.6, 12), 400, np.random.default_rng(3))
    comparison = compare(right)
    low, high = comparison.rank_interval()
    alone_low, alone_high = comparison.rank_interval(joint=False)
    assert (low <= alone_low).all()
    assert (high >= alone_high).all()
    assert (alone_high - alone_low).sum() < (high - low).sum()
    assert_array_equal(comparison.may_be_best(), comparison.may_be_best(0.95))
    assert comparison.may_be_best(0.5).sum() < comparison.may_be_best(0.99).sum()


@pytest.mark.slow
def test_coverage_of_equal_systems():
    """A given one of ten stays in 95 %; the most probable alone is any of them."""
    n_boards = 150
    kept = np.empty((n_boards, 10), bool)
    ranks = np.empty(n_boards, bool)
    for number in range(n_boards):
        right = board(np.full(10, 0.9), 150, np.random.default_rng([5, number]))
        comparison = compare(right)
        kept[number] = comparison.may_be_best()
        low, high = comparison.rank_interval()
        ranks[number] = (low == 1).all() and (high == 10).all()
    # Two standard errors of 150 boards.
    assert kept.mean() > 0.95 - 2 * np.sqrt(0.95 * 0.05 / n_boards)
    assert kept.all(axis=1).mean() < 0.9
    assert ranks.mean() > 0.95 - 2 * np.sqrt(0.95 * 0.05 / n_boards)


def test_other_comparisons():
    """Independent classifiers, other metrics and groups have ranks too."""
    total = [400, 300]
    independent = compare_posteriors(
        {
            name: PosteriorBalancedAccuracy.from_counts(correct, total)
            for name, correct in zip(
                "abc", ([390, 290], [385, 288], [100, 90]), strict=True
            )
        }
    )
    assert independent.may_be_best().tolist() == [True, True, False]
    rng = np.random.default_rng(6)
    right = board(np.array([2.0, 1.9, -2.0]), 400, rng)
    grouped = compare(right, groups=np.arange(400) // 2)
    assert np.transpose(grouped.rank_interval()).tolist() == [[1, 2], [1, 2], [3, 3]]
    y = rng.integers(0, 2, 400)
    predictions = {str(i): np.where(one, y, 1 - y) for i, one in enumerate(right.T)}
    f1 = compare_predictions(y, predictions, metric="f1", n_draws=2000)
    assert f1.may_be_best().tolist() == [True, True, False]
    # Lower is better.
    rate = compare_predictions(y, predictions, metric="fpr", n_draws=2000)
    assert rate.may_be_best().tolist() == [True, True, False]


@pytest.mark.slow
def test_many_patterns(monkeypatch):
    """Draws of many patterns together have the results of draws one by one."""
    rng = np.random.default_rng(7)
    right = board(np.linspace(0.9, 0.95, 12), 20_000, rng)
    # One that differs from the first on a few items only.
    near = right[:, :1] ^ (rng.random((20_000, 1)) < 5e-4)
    right = np.hstack([right, near])
    together = compare(right)
    ranks = together.rank_probabilities()
    assert 0 < together.joint._patterns[0].n_drawn < 100
    monkeypatch.setattr(_several, "_FEW_PATTERNS", 10**6)
    one_by_one = compare(right, random_state=1, n_draws=20_000)
    assert one_by_one.joint._patterns[0].n_drawn > 1024
    error = one_by_one.monte_carlo_error().rank_probabilities
    assert_allclose(
        ranks, one_by_one.rank_probabilities(), rtol=0, atol=5 * error.max()
    )
    losses = together.expected_loss(), one_by_one.expected_loss()
    assert_allclose(*losses, rtol=0, atol=1e-4)


def test_report_of_many():
    """The top eight of many, and all that may be the best."""
    right = board(np.linspace(0, 2, 12), 300, np.random.default_rng(8))
    comparison = compare(right)
    report = " ".join(comparison.report().split())
    names = [
        name for name in comparison.ranking() if comparison.may_be_best()[int(name)]
    ]
    assert f"{len(names)} of 12 may be the best (95%): {', '.join(names)}." in report
    assert "Showing the top 8 of 12 systems." in report
    low, high = comparison.rank_interval()
    second = int(comparison.ranking()[1])
    assert f"and a rank of {low[second]} to {high[second]}." in report
    first = comparison.ranking()[0]
    assert f" rank of {first} is {low[int(first)]} to {high[int(first)]}." in report
    assert "The best score was selected as such" in report
    record = comparison.summary()[1]
    assert (record["rank_low"], record["rank_high"]) == (low[second], high[second])
