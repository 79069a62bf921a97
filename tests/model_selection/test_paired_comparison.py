"""Comparison of classifiers on the same samples."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import parallel_config
from scipy import stats

from skpostbac.metrics import (
    PairedCounts,
    PosteriorBalancedAccuracy,
    PriorInfluenceWarning,
    class_counts,
    paired_counts,
)
from skpostbac.model_selection import (
    MonteCarloError,
    PosteriorComparison,
    compare_posteriors,
    compare_predictions,
)
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


@pytest.mark.parametrize("prior", ["uniform", "jeffreys", (1 / 3, 1 / 3), (3, 0.5)])
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


def default_dirichlet(cells):
    """Return the posterior's parameters by hand: all prior mass on disagreement, less strength."""
    n_classes = len(cells)
    masses = cells + np.array([0, 1, 1, 0]) / n_classes
    lost = np.minimum(cells.sum(axis=1), 1 - 1 / n_classes) / masses.sum(axis=1)
    return masses * (1 - lost)[:, np.newaxis]


@pytest.mark.parametrize("groups", [False, True], ids=["cells", "groups of one"])
def test_default_pair(groups):
    """The difference has the mean of the posteriors' difference, and its own variance."""
    counts = PairedCounts.from_cells(CELLS, names=("A", "B"))
    if groups:
        y_true = np.repeat([0, 1, 2], CELLS.sum(axis=1))
        right = np.concatenate([np.repeat([3, 2, 1, 0], row) for row in CELLS])
        predictions = {name: np.where(right & bit, y_true, 3) for name, bit in (("A", 2), ("B", 1))}
        counts = paired_counts(y_true, predictions, labels=[0, 1, 2], groups=np.arange(y_true.size))
    comparison = PosteriorComparison.from_paired_counts(counts)
    one, two = comparison.posteriors
    distribution = comparison.difference("A", "B")
    assert distribution.mean() == pytest.approx(one.mean() - two.mean(), abs=1e-14)
    masses = default_dirichlet(CELLS)
    share = masses / masses.sum(axis=1, keepdims=True)
    single = share[:, 1] + share[:, 2] - (share[:, 1] - share[:, 2]) ** 2
    expected = np.sum(single / (masses.sum(axis=1) + 1)) / len(CELLS) ** 2
    assert distribution.variance() == pytest.approx(expected, rel=1e-6)


def test_default_pair_without_agreement():
    """Where no sample agrees, the difference is a Beta variable, stretched to [-1, 1]."""
    distribution = compare(np.array([[0, 3, 5, 0]])).difference("B", "A")
    x = np.linspace(-0.9, 0.9, 7)
    np.testing.assert_allclose(distribution.cdf(x), stats.beta(6, 4).cdf((x + 1) / 2), atol=1e-5)


def test_default_ranks_against_simulation():
    """Ranks of three, by Dirichlet draws of all patterns: one or two are right in the prior's."""
    rng = np.random.default_rng(4)
    patterns = np.array(np.meshgrid(*[[0, 1]] * 3, indexing="ij")).reshape(3, -1).T
    table = np.array([[1, 0, 1, 0, 1, 0, 2, 1], [0, 1, 0, 0, 2, 0, 0, 1]])
    counts = PairedCounts(
        ("A", "B", "C"), [0, 1], np.repeat([0, 1], 8), np.tile(patterns, (2, 1)), table.ravel()
    )
    comparison = PosteriorComparison.from_paired_counts(counts, n_draws=400_000)
    prior = np.isin(patterns.sum(axis=1), [1, 2]) / 6
    kept = 1 - 0.5 / (table.sum(axis=1) + 1)
    masses = kept[:, np.newaxis] * (table + prior)
    draws = 0.0
    for row in masses:
        listed = row > 0
        draws = draws + rng.dirichlet(row[listed], 400_000) @ patterns[listed] / 2
    order = np.argsort(-draws, axis=1)
    ranks = np.array([[np.mean(order[:, rank] == i) for rank in range(3)] for i in range(3)])
    error = SIGMAS * np.sqrt(2 * 0.25 / 400_000)
    np.testing.assert_allclose(comparison.rank_probabilities(), ranks, rtol=0, atol=error)


def sum_of_covariances(comparison):
    """Return the covariance of two balanced accuracies, from the cells of each class."""
    one = comparison.posteriors[0]
    a, b = one.prior.T
    cells = CELLS + (np.array([a * a, a * b, a * b, b * b]) / (a + b)).T
    share = cells / cells.sum(axis=1, keepdims=True)
    first, second = share[:, 0] + share[:, 1], share[:, 0] + share[:, 2]
    covariances = (share[:, 0] - first * second) / (cells.sum(axis=1) + 1)
    return one.class_weight**2 @ covariances


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


def test_the_order_of_the_classifiers_does_not_matter(four):
    """Each keeps its own numbers, within Monte Carlo error where they are drawn."""
    y_true, predictions = simulate_predictions(4)
    order = (3, 1, 0, 2)
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


def test_jobs_do_not_matter():
    """Blocks of draws have seeds of their own, and are added up in order, as are pairs."""
    y_true, predictions = simulate_predictions(3)
    one, many = (
        compare_predictions(y_true, predictions, random_state=0, n_draws=30_001, n_jobs=jobs)
        for jobs in (None, 2)
    )
    assert one == many
    np.testing.assert_array_equal(one.rank_probabilities(), many.rank_probabilities())
    np.testing.assert_array_equal(one.expected_loss(), many.expected_loss())
    with parallel_config(backend="threading"):  # processes take seconds to start
        np.testing.assert_array_equal(one.prob_greater(), many.prob_greater())


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


def test_report(four):
    """What was compared and how, in sentences."""
    assert "Scores are recalls of class 0, the only class" in compare([[9, 1, 2, 3]]).report()
    first, *others, how, score, training, precision = four.report().splitlines()
    best = four.names.index(four.summary()[0]["name"])
    error = four.summary()[0]["prob_best_error"]
    assert error == four.monte_carlo_error().rank_probabilities[best, 0]
    assert "averaged over the classes; chance level is 0.333." in score
    assert "variation from retraining" in training
    assert how == four.explanation
    assert how.startswith("Paired comparison: all classifiers were tested on the same 300 samples")
    assert "agreement on individual samples" in how
    assert first.startswith(f"{four.ranking()[0]} has the highest posterior mean of 4 classifiers")
    assert len(others) == 3
    assert "estimated from random draws, with a standard error of up to about 0.00" in precision


@pytest.mark.parametrize("objective", ["prob_best", "expected_rank", "expected_loss"])
def test_ranking_by_standing(objective, four):
    """The best first, whichever direction is better."""
    values = getattr(four, objective)()
    order = np.argsort(values if objective != "prob_best" else -values, kind="stable")
    assert four.ranking(objective) == tuple(four.names[i] for i in order)
    with pytest.raises(ValueError, match="objective must be one of"):
        four.ranking("best")


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
