"""Comparison of classifiers on the same samples."""

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skpostbac.metrics import (
    PairedCounts,
    PosteriorBalancedAccuracy,
    PriorInfluenceWarning,
    class_counts,
    paired_counts,
    posterior_balanced_accuracy,
)
from skpostbac.model_selection import (
    MonteCarloError,
    PosteriorComparison,
    compare_posteriors,
    compare_predictions,
)
from skpostbac.model_selection._comparison.joint import prior_cells
from skpostbac.stats import PairedDifference

# Standard errors within which an estimate meets the truth but for one case in two million.
SIGMAS = 5
# Fewer draws than by default keep the tests short.
DRAWS = 20_000

# Both right, only the first, only the second, neither; B is better on the first class, A on the
# second, and no two cells are equal.
CELLS = np.array([[21, 2, 7, 4], [9, 3, 1, 6], [30, 0, 5, 8]])


def compare(cells=CELLS, names=("A", "B"), **options):
    """Compare two classifiers by their table."""
    counts = PairedCounts.from_cells(cells, names=names)
    return PosteriorComparison.from_paired_counts(counts, **{"n_draws": DRAWS} | options)


def simulate_predictions(n_classifiers, n_samples=300, seed=0):
    """Return labels of three classes, and predictions of which many err on the same samples."""
    rng = np.random.default_rng(seed)
    y_true = rng.choice(3, n_samples, p=[0.6, 0.3, 0.1])
    difficulty = rng.random(n_samples)
    accuracies = np.linspace(0.7, 0.8, n_classifiers)
    predictions = {}
    for number, accuracy in enumerate(accuracies):
        is_right = 0.7 * difficulty + 0.3 * rng.random(n_samples) < accuracy
        predictions[f"c{number}"] = np.where(is_right, y_true, (y_true + 1) % 3)
    return y_true, predictions


@pytest.fixture(scope="module")
def four():
    """Comparison of four classifiers; its parts are computed once."""
    y_true, predictions = simulate_predictions(4)
    return compare_predictions(
        y_true, predictions, rope=0.02, prior="jeffreys", random_state=0, n_draws=DRAWS
    )


# ---- against brute force


@pytest.mark.parametrize("prior", [(1, 1), (0.5, 0.5), (2, 1)], ids=["uniform", "jeffreys", "skew"])
def test_pair_against_simulation(prior):
    """The difference, and its direction, by draws of the four cells of each class."""
    a, b = prior
    size = 400_000
    rng = np.random.default_rng(5)
    first, second = np.zeros(size), np.zeros(size)
    for row in CELLS:
        cells = rng.dirichlet(row + np.array([a * a, a * b, a * b, b * b]) / (a + b), size)
        first += (cells[:, 0] + cells[:, 1]) / len(CELLS)
        second += (cells[:, 0] + cells[:, 2]) / len(CELLS)
    comparison = compare(prior=prior, rope=0.03)
    delta = first - second
    error = SIGMAS / np.sqrt(size)
    distribution = comparison.difference("A", "B")
    assert isinstance(distribution, PairedDifference)
    assert abs(distribution.mean() - delta.mean()) < error * delta.std()
    assert distribution.standard_deviation() == pytest.approx(delta.std(), rel=error)
    for x in (-0.15, -0.08, 0.0, 0.05):
        assert abs(distribution.cdf(x) - np.mean(delta <= x)) < error / 2
    masses = comparison.rope_masses("A", "B")
    assert abs(masses.below - np.mean(delta < -0.03)) < error / 2
    assert abs(masses.within - np.mean(np.abs(delta) <= 0.03)) < error / 2
    assert abs(masses.above - np.mean(delta > 0.03)) < error / 2
    assert abs(comparison.prob_greater()[0, 1] - np.mean(delta > 0)) < error / 2
    loss = np.maximum(-delta, 0), np.maximum(delta, 0)
    for ours, brute in zip(comparison.expected_loss(), loss, strict=True):
        assert abs(ours - brute.mean()) < error * brute.std()
    assert not comparison.monte_carlo_error().expected_loss.any()


def test_three_against_simulation():
    """Ranks and losses of three, by Dirichlet draws of all eight patterns."""
    rng = np.random.default_rng(2)
    size = 400_000
    patterns = np.array(np.meshgrid(*[[0, 1]] * 3, indexing="ij")).reshape(3, -1).T
    table = np.array([[3, 0, 2, 0, 1, 4, 2, 12], [1, 2, 0, 0, 3, 0, 0, 5]])
    counts = PairedCounts(
        ("A", "B", "C"), [0, 1], np.repeat([0, 1], 8), np.tile(patterns, (2, 1)), table.ravel()
    )
    draws = sum(rng.dirichlet(row + 1 / 4, size) @ patterns for row in table) / 2
    comparison = PosteriorComparison.from_paired_counts(
        counts, random_state=1, n_draws=400_000, prior="uniform"
    )
    order = np.argsort(-draws, axis=1)
    ranks = np.array([[np.mean(order[:, rank] == i) for rank in range(3)] for i in range(3)])
    losses = draws.max(axis=1, keepdims=True) - draws
    error = comparison.monte_carlo_error()
    # Both sides are drawn, in equal numbers.
    wide = SIGMAS * np.sqrt(2)
    gap = np.abs(comparison.rank_probabilities() - ranks)
    assert np.all(gap < wide * error.rank_probabilities)
    rank_gap = np.abs(comparison.expected_rank() - ranks @ [1, 2, 3])
    assert np.all(rank_gap < wide * error.expected_rank)
    loss_gap = np.abs(comparison.expected_loss() - losses.mean(axis=0))
    brute_error = losses.std(axis=0) / np.sqrt(size)
    assert np.all(loss_gap < SIGMAS * np.hypot(error.expected_loss, brute_error))
    best = np.argmax([posterior.mean() for posterior in comparison.posteriors])
    expected = losses[:, best].std() / np.sqrt(size)
    np.testing.assert_allclose(error.expected_loss, expected, rtol=0.02)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        brute = np.mean(draws[:, i] > draws[:, j])
        assert abs(comparison.prob_greater()[i, j] - brute) < SIGMAS * 0.5 / np.sqrt(size)


def test_two_drawn_jointly_are_the_exact_pair():
    """A third classifier changes nothing in the distribution of the other two."""
    comparison = compare()
    tally = comparison._joint._tally
    drawn = tally.ranks[:, 0] / DRAWS
    np.testing.assert_allclose(
        drawn, comparison.prob_best(), rtol=0, atol=SIGMAS * 0.5 / np.sqrt(DRAWS)
    )
    difference = (tally.losses[1] - tally.losses[0]) / DRAWS
    distribution = comparison.difference("A", "B")
    error = SIGMAS * distribution.standard_deviation() / np.sqrt(DRAWS)
    assert abs(difference - distribution.mean()) < error


def test_agreement_tells_more():
    """The same margins, tested on the same samples with full agreement, or on different samples.

    12 and 16 of 16 samples are right, and 13 and 16. The standard deviations follow from the
    moments of Dirichlet and Beta distributions; the probabilities are shares of 10 million random
    draws, of the cells of each class for the pair and of each accuracy by itself without pairing.
    """
    paired = compare([[12, 0, 1, 3], [16, 0, 0, 0]], prior="uniform")
    independent = compare_posteriors(dict(zip(paired.names, paired.posteriors, strict=True)))
    # Of each class (p + q - (p - q)^2) / 19 for the cells p and q that differ, of 18 in all.
    of_pair = np.sqrt((2 / 18 - 1 / 18**2 + 1 / 18) / 19) / 2
    # Of each margin a b / (18^2 19).
    of_margins = np.sqrt((13 * 5 + 14 * 4 + 17 + 17) / (18**2 * 19)) / 2
    for comparison, deviation, probability in (
        (paired, of_pair, 0.75179),
        (independent, of_margins, 0.63945),
    ):
        distribution = comparison.difference("B", "A")
        assert distribution.mean() == pytest.approx(1 / 36, rel=1e-12)
        assert distribution.standard_deviation() == pytest.approx(deviation, rel=1e-10)
        greater = comparison.prob_greater()[1, 0]
        assert abs(greater - probability) < SIGMAS * 0.5 / np.sqrt(10_000_000)
    assert (round(of_pair, 3), round(of_margins, 3)) == (0.046, 0.079)


# ---- what holds for any comparison


@pytest.mark.parametrize("prior", ["uniform", "jeffreys", "reciprocal", (3, 0.5)])
@pytest.mark.parametrize("class_weight", [None, [1, 2, 5]], ids=["equal", "weighted"])
def test_margins_are_the_posteriors(prior, class_weight):
    """Means of the pair differ as those of the posteriors, and variances add up with agreement."""
    options = {"prior": prior, "class_weight": class_weight}
    comparison = compare(**options)
    for number, name in enumerate(comparison.names):
        counts = PairedCounts.from_cells(CELLS).margin(name)
        alone = PosteriorBalancedAccuracy(counts, **options)
        assert comparison.posteriors[number] == alone
    one, two = comparison.posteriors
    distribution = comparison.difference("A", "B")
    assert distribution.mean() == pytest.approx(one.mean() - two.mean(), abs=1e-14)
    covariance = sum_of_covariances(comparison)
    expected = one.variance() + two.variance() - 2 * covariance
    assert distribution.variance() == pytest.approx(expected, rel=1e-10)


def sum_of_covariances(comparison):
    """Return the covariance of two balanced accuracies, from the cells of each class."""
    one = comparison.posteriors[0]
    cells = CELLS + prior_cells(one.prior)
    share = cells / cells.sum(axis=1, keepdims=True)
    first, second = share[:, 0] + share[:, 1], share[:, 0] + share[:, 2]
    covariances = (share[:, 0] - first * second) / (cells.sum(axis=1) + 1)
    return one.class_weight**2 @ covariances


@pytest.mark.parametrize("prior", [(1.0, 1.0), (0.5, 0.5), (7.0, 0.1)])
def test_prior_cells_keep_the_margins(prior):
    """Both right and only one of them add up to a, the others to b."""
    ((both, first, second, neither),) = prior_cells(np.array([prior]))
    assert both + first == pytest.approx(prior[0], rel=1e-15)
    assert both + second == pytest.approx(prior[0], rel=1e-15)
    assert second + neither == pytest.approx(prior[1], rel=1e-15)


@settings(max_examples=15)
@given(st.lists(st.tuples(*[st.integers(0, 30)] * 4), min_size=1, max_size=3))
def test_the_difference_turns_round(cells):
    """B - A is A - B mirrored, and so is the table with its columns exchanged."""
    comparison = compare(cells, rope=0.05)
    swapped = compare(np.array(cells)[:, [0, 2, 1, 3]], names=("B", "A"), rope=0.05)
    forth, back = comparison.rope_masses("A", "B"), comparison.rope_masses("B", "A")
    np.testing.assert_allclose(forth, back[::-1], rtol=0, atol=1e-10)
    np.testing.assert_allclose(forth, swapped.rope_masses("A", "B"), rtol=0, atol=1e-10)
    assert sum(forth) == pytest.approx(1, abs=1e-10)
    greater = comparison.prob_greater()
    assert greater[0, 1] + greater[1, 0] == pytest.approx(1.0, abs=1e-12)
    assert greater[0, 1] == pytest.approx(swapped.prob_greater()[1, 0], abs=1e-10)


def test_names_of_classes_do_not_matter():
    """Nor does their order."""
    y_true, predictions = simulate_predictions(3)
    names = np.array(["z", "x", "y"])
    options = {"random_state": 3, "n_draws": DRAWS}
    one = compare_predictions(y_true, predictions, **options)
    two = compare_predictions(
        names[y_true], {name: names[y_pred] for name, y_pred in predictions.items()}, **options
    )
    np.testing.assert_allclose(one.prob_greater(), two.prob_greater(), rtol=0, atol=1e-10)
    error = one.monte_carlo_error().rank_probabilities
    gap = np.abs(one.rank_probabilities() - two.rank_probabilities())
    assert np.all(gap < SIGMAS * np.sqrt(2) * error)


@pytest.mark.parametrize("order", [(3, 1, 0, 2), (1, 2, 3, 0)])
def test_the_order_of_the_classifiers_does_not_matter(order, four):
    """Each keeps its own numbers, within Monte Carlo error where they are drawn."""
    y_true, predictions = simulate_predictions(4)
    names = [four.names[i] for i in order]
    other = compare_predictions(
        y_true,
        {name: predictions[name] for name in names},
        prior="jeffreys",
        random_state=0,
        n_draws=DRAWS,
    )
    rows = list(order)
    pairs = np.ix_(rows, rows)
    np.testing.assert_allclose(other.prob_greater(), four.prob_greater()[pairs], atol=1e-10)
    wide = SIGMAS * np.sqrt(2)
    error = four.monte_carlo_error()
    gap = np.abs(other.rank_probabilities() - four.rank_probabilities()[rows])
    assert np.all(gap < wide * error.rank_probabilities[rows])
    gap = np.abs(other.expected_loss() - four.expected_loss()[rows])
    assert np.all(gap < wide * error.expected_loss[rows])
    assert other.ranking() == four.ranking()


def test_sums(four):
    """Probabilities add up, and ranks follow from the pairs."""
    greater, ranks = four.prob_greater(), four.rank_probabilities()
    np.testing.assert_allclose(greater + greater.T, 1.0, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(np.diag(greater), 0.5)
    np.testing.assert_allclose(ranks.sum(axis=0), 1.0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(ranks.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    error = four.monte_carlo_error().expected_rank
    expected = 0.5 + greater.sum(axis=0)
    assert np.all(np.abs(four.expected_rank() - expected) < SIGMAS * error)
    means = np.array([entry.mean() for entry in four.posteriors])
    losses = four.expected_loss()
    np.testing.assert_allclose(losses - losses[0], means[0] - means, rtol=0, atol=1e-14)
    assert np.all(losses > 0)
    assert four.ranking("expected_loss") == four.ranking()


def test_equal_predictions_differ_by_the_prior_alone():
    """The mean is 0, and what is left shrinks like the prior's share, not like the error."""
    widths, shares = [], []
    for size in (10, 100, 1000):
        comparison = compare([[0.9 * size, 0, 0, 0.1 * size]])
        distribution = comparison.difference("A", "B")
        assert distribution.mean() == 0
        assert comparison.prob_greater()[0, 1] == pytest.approx(0.5, abs=1e-9)
        widths.append(distribution.standard_deviation())
        shares.append(1 / (size + 2))
    # A variance of (p_A + p_B) / (n + 1) with 1/2 each in the cells that differ.
    np.testing.assert_allclose(widths, np.sqrt(np.array(shares) / (1 / np.array(shares) + 1)))
    np.testing.assert_allclose(compare([[9, 0, 0, 1]]).prob_best(), 0.5, rtol=0, atol=1e-9)


def test_equal_predictions_share_the_ranks():
    """Also of several, and with a prior so weak that it is lost in rounding."""
    y_true = np.repeat([0, 1], 50)
    y_pred = np.where(np.arange(100) % 7, y_true, 1 - y_true)
    comparison = compare_predictions(
        y_true, dict.fromkeys("ABC", y_pred), prior=(1e-3, 1e-3), random_state=0, n_draws=DRAWS
    )
    error = comparison.monte_carlo_error().rank_probabilities
    assert np.all(np.abs(comparison.rank_probabilities() - 1 / 3) < SIGMAS * error)
    assert np.all(comparison.expected_loss() < 1e-3)
    assert comparison.win_counts().tolist() == [0, 0, 0]


def test_sample_weights_are_case_counts():
    """A weight of 3 is three samples."""
    y_true, predictions = simulate_predictions(3, n_samples=60)
    weight = np.arange(60) % 4
    options = {"random_state": 0, "n_draws": DRAWS}
    weighted = compare_predictions(y_true, predictions, sample_weight=weight, **options)
    repeated = compare_predictions(
        np.repeat(y_true, weight),
        {name: np.repeat(y_pred, weight) for name, y_pred in predictions.items()},
        **options,
    )
    assert weighted == repeated
    np.testing.assert_array_equal(weighted.prob_best(), repeated.prob_best())


def test_labels_and_absent_classes():
    """A class that is asked for and absent has its prior; the posteriors say the same."""
    y_true, predictions = [0, 0, 1, 2], {"A": [0, 0, 1, 1], "B": [0, 1, 1, 2]}
    with pytest.warns(PriorInfluenceWarning):
        comparison = compare_predictions(
            y_true, predictions, labels=[0, 1, 5], n_draws=DRAWS, prior="uniform"
        )
    for posterior, y_pred in zip(comparison.posteriors, predictions.values(), strict=True):
        counts = class_counts(y_true, y_pred, labels=[0, 1, 5])
        assert posterior == PosteriorBalancedAccuracy(counts, prior="uniform")
    distribution = comparison.difference("A", "B")
    # Only class 0 tells them apart: one sample of two, and priors of 1/2 for each cell.
    assert distribution.mean() == pytest.approx(1 / 4 / 3)
    assert np.isfinite(comparison.expected_loss()).all()


def test_merged_shards_are_compared_as_one():
    """Batches on different machines give the same comparison."""
    y_true, predictions = simulate_predictions(3)
    halves = [
        paired_counts(y_true[part], {name: y[part] for name, y in predictions.items()})
        for part in (slice(0, 150), slice(150, None))
    ]
    options = {"random_state": 0, "n_draws": DRAWS}
    merged = PosteriorComparison.from_paired_counts(sum(halves), **options)
    assert merged == compare_predictions(y_true, predictions, **options)


def test_independent_posteriors_are_wider():
    """Classifiers that mostly agree are told apart sooner on the same samples."""
    y_true, predictions = simulate_predictions(2)
    paired = compare_predictions(y_true, predictions)
    independent = compare_posteriors(
        {name: posterior_balanced_accuracy(y_true, y) for name, y in predictions.items()}
    )
    assert paired.posteriors == independent.posteriors
    one, two = paired.difference("c1", "c0"), independent.difference("c1", "c0")
    assert one.mean() == pytest.approx(two.mean(), abs=1e-15)
    assert one.standard_deviation() < 0.9 * two.standard_deviation()
    assert paired.prob_greater()[1, 0] > independent.prob_greater()[1, 0] > 0.5


# ---- random draws


def test_seeds_reproduce():
    """The same seed gives the same numbers, another seed others, and pairs need none."""
    y_true, predictions = simulate_predictions(3)

    def best(random_state):
        return compare_predictions(
            y_true, predictions, random_state=random_state, n_draws=DRAWS
        ).prob_best()

    np.testing.assert_array_equal(best(1), best(1))
    np.testing.assert_array_equal(best(np.random.RandomState(1)), best(np.random.RandomState(1)))
    np.testing.assert_array_equal(best(np.random.default_rng(1)), best(np.random.default_rng(1)))
    assert np.any(best(1) != best(2))
    # A share of the draws is a coarse number: two may well agree, ten do not.
    assert len({tuple(best(None)) for _ in range(10)}) > 1


def test_the_global_state_is_left_alone():
    """No seed means fresh entropy."""
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    compare(random_state=None).expected_loss()
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_a_comparison_does_not_change():
    """Without a seed, too, it returns the same each time, and after pickling."""
    y_true, predictions = simulate_predictions(3)
    comparison = compare_predictions(y_true, predictions, n_draws=DRAWS, random_state=None)
    copies = copy.deepcopy(comparison), pickle.loads(pickle.dumps(comparison))
    for other in copies:
        assert other == comparison
        assert hash(other) == hash(comparison)
        np.testing.assert_array_equal(other.prob_best(), comparison.prob_best())
    assert comparison != compare_predictions(y_true, predictions, n_draws=DRAWS, random_state=None)


@pytest.mark.parametrize("n_jobs", [2, -1])
def test_jobs_do_not_matter(n_jobs):
    """Blocks of draws have seeds of their own, and are added up in order."""
    y_true, predictions = simulate_predictions(3)
    one, many = (
        compare_predictions(y_true, predictions, random_state=0, n_draws=30_001, n_jobs=jobs)
        for jobs in (None, n_jobs)
    )
    assert one == many
    np.testing.assert_array_equal(one.rank_probabilities(), many.rank_probabilities())
    np.testing.assert_array_equal(one.expected_loss(), many.expected_loss())


def test_pairs_in_parallel():
    """Exact probabilities are the same from several processes."""
    one, two = compare(), compare(n_jobs=2)
    np.testing.assert_array_equal(one.prob_greater(), two.prob_greater())


def test_errors_are_those_of_repeated_runs():
    """Their spread over seeds is what one run reports."""
    y_true, predictions = simulate_predictions(3)
    counts = paired_counts(y_true, predictions)
    runs = [
        PosteriorComparison.from_paired_counts(counts, random_state=seed, n_draws=500)
        for seed in range(60)
    ]
    for method in ("rank_probabilities", "expected_rank", "expected_loss"):
        spread = np.std([getattr(run, method)() for run in runs], axis=0)
        error = np.mean([getattr(run.monte_carlo_error(), method) for run in runs], axis=0)
        np.testing.assert_allclose(error, spread, rtol=0.5, atol=2 / 500)


def test_what_is_exact_has_no_error(four):
    """Two classifiers are ranked by quadrature, and so is all that is independent."""
    error = compare().monte_carlo_error()
    assert isinstance(error, MonteCarloError)
    assert not error.rank_probabilities.any()
    assert not error.expected_rank.any()
    assert not error.expected_loss.any()
    posteriors = dict(zip(four.names, four.posteriors, strict=True))
    independent = compare_posteriors(posteriors).monte_carlo_error()
    drawn = four.monte_carlo_error()
    for name in ("rank_probabilities", "expected_rank", "expected_loss"):
        assert not getattr(independent, name).any()
        assert getattr(drawn, name).all()


# ---- what is returned


def test_summary_has_the_same_keys(four):
    """Paired or not, with the standard error of the probability of being the best."""
    posteriors = dict(zip(four.names, four.posteriors, strict=True))
    record, *_ = four.summary()
    other, *_ = compare_posteriors(posteriors).summary()
    assert record.keys() == other.keys()
    assert other["prob_best_error"] == 0
    best = four.names.index(record["name"])
    assert record["prob_best_error"] == four.monte_carlo_error().rank_probabilities[best, 0]


def test_report(four):
    """What was compared and how, in sentences."""
    first, *others, how, score, training, precision = four.report().splitlines()
    assert "averaged over the classes; chance level is 0.333." in score
    assert "variation from retraining" in training
    assert how == four.explanation
    assert how.startswith("Paired comparison: all classifiers were tested on the same 300 samples")
    assert "agreement on individual samples" in how
    assert first.startswith(f"{four.ranking()[0]} has the highest posterior mean of 4 classifiers")
    assert len(others) == 3
    assert "estimated from random draws, with a standard error of up to about 0.00" in precision


def test_report_names_the_better_one():
    """The one that is right more often is the better one, on an asymmetric table."""
    comparison = compare([[20, 1, 9, 5], [10, 0, 3, 2]], names=("worse", "better"))
    first, second, *_ = comparison.report().splitlines()
    # Means under Beta(1/2, 1/2): (29.5 / 36 + 13.5 / 16) / 2 and (21.5 / 36 + 10.5 / 16) / 2.
    assert first.startswith("better has the highest posterior mean of 2 classifiers, 0.832 (")
    assert second.startswith("worse has 0.627 (")
    assert "better is better than worse with probability 0.99" in second
    assert "(difference 0.205, 95% interval 0.0" in second
    assert comparison.prob_greater()[1, 0] > 0.99
    assert comparison.win_counts().tolist() == [0, 1]
    losses = comparison.expected_loss()
    assert losses[1] < 0.001 < 0.19 < losses[0]


@pytest.mark.parametrize("objective", ["prob_best", "expected_rank", "expected_loss"])
def test_ranking_by_standing(objective, four):
    """The best first, whichever direction is better."""
    values = getattr(four, objective)()
    order = np.argsort(values if objective != "prob_best" else -values, kind="stable")
    assert four.ranking(objective) == tuple(four.names[i] for i in order)


def test_one_class_has_no_guessing():
    """The report says nothing of it."""
    assert "guessing" not in compare([[9, 1, 2, 3]]).report()


def test_repr():
    """It says that the comparison is paired."""
    assert repr(compare(rope=0.1)) == "PosteriorComparison('A', 'B', rope=0.1, paired)"


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_columns_of_a_data_frame_are_classifiers(frame):
    """They are compared as the entries of a mapping."""
    y_true, predictions = list("aabb"), {"two": list("abbb"), "one": list("aaba")}
    comparison = compare_predictions(y_true, frame(predictions))
    assert comparison.names == ("two", "one")
    expected = compare_predictions(y_true, predictions).prob_greater()
    assert (comparison.prob_greater() == expected).all()


# ---- bad input


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"predictions": {"A": [0, 1]}}, ValueError, "predictions must hold at least two"),
        ({"predictions": [[0, 1], [0, 1]]}, TypeError, "predictions must be a mapping"),
        ({"predictions": {"A": [0, 1], "B": [0]}}, ValueError, r"predictions\['B'\]: "),
        ({"rope": -1}, ValueError, "rope must be"),
        ({"prior": "flat"}, ValueError, "prior must be one of"),
        ({"prior": (9, 0.001)}, ValueError, "prior must have .* got a = 9 and b = 0.001"),
        ({"class_weight": [1]}, ValueError, "class_weight must have"),
        ({"labels": [7]}, ValueError, "label"),
        ({"sample_weight": [-1, 1]}, ValueError, "sample_weight must be"),
        ({"random_state": "seed"}, ValueError, "^random_state must be None, an integer"),
        ({"n_draws": 0}, ValueError, "n_draws == 0, must be >= 1"),
        ({"n_draws": 1.5}, TypeError, "n_draws must be an instance of"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else None,
)
def test_bad_arguments_are_refused(options, error, message):
    """The message is one line, and names the argument."""
    arguments = {"predictions": {"A": [0, 1], "B": [0, 0]}} | options
    with pytest.raises(error, match=message) as caught:
        compare_predictions([0, 1], **arguments)
    assert "\n" not in str(caught.value)


def test_counts_must_be_paired():
    """Counts of one classifier cannot be compared."""
    with pytest.raises(TypeError, match="counts must be PairedCounts, got ClassCounts"):
        PosteriorComparison.from_paired_counts(class_counts([0, 1], [0, 1]))
