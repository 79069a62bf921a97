"""Comparison of classifiers on different samples, and on the same ones."""

import dataclasses
from itertools import combinations

import numpy as np
import pandas as pd
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
    PosteriorComparison,
    compare_posteriors,
    compare_predictions,
)
from tests.texts import sentences

# Standard errors within which an estimate meets the truth but for one case in two million.
SIGMAS = 5
# Fewer draws than by default keep the tests short.
DRAWS = 20_000

# Table 1 of Carrillo et al. (2013): correct predictions of 32, 10 and 4 samples.
CARRILLO = {"C1": [30, 8, 3], "C2": [30, 2, 1], "C3": [32, 9, 4]}
TOTAL = [32, 10, 4]
# Mean, quantiles .025, .5 and .975, P(> 0) and P(within .01) of differences of these under flat
# priors, by exact piecewise polynomials.
DIFFERENCES = {
    ("C1", "C2"): (
        *(
            0.27777777777777785,
            0.06338729545998267,
            0.2822780726769382,
            0.46675887957337314,
        ),
        *(0.9940576960348031, 0.0029889913432168957),
    ),
    ("C3", "C1"): (
        *(
            0.1029411764705882,
            -0.08334735299515265,
            0.10277060572864732,
            0.2873976887750283,
        ),
        *(0.8649863511008343, 0.04586731481370754),
    ),
}
# Rank probabilities of the three by quadrature on another grid; these rows and columns add up to
# 1 within 2e-10 only.
RANKS = [
    [0.1350007460301741, 0.8590698528722429, 0.005929401097563986],
    [3.737048191858976e-05, 0.006052818955572891, 0.9939098105624926],
    [0.86496188340278, 0.1348773281654347, 0.00016078824658523358],
]
# Both right, only the first, only the second, neither; B is better on the first class, A on the
# second, and no two cells are equal.
CELLS = np.array([[21, 2, 7, 4], [9, 3, 1, 6], [30, 0, 5, 8]])


def posterior(correct, total, prior="uniform", **options):
    """Return the posterior under the prior of the paper."""
    return PosteriorBalancedAccuracy.from_counts(correct, total, prior=prior, **options)


def carrillo(**options):
    """Compare the classifiers of the paper."""
    return compare_posteriors(
        {k: posterior(v, TOTAL) for k, v in CARRILLO.items()}, **options
    )


def compare(cells=CELLS, names=("A", "B"), **options):
    """Compare two classifiers by their table."""
    counts = PairedCounts.from_cells(cells, names=names)
    return PosteriorComparison.from_paired_counts(
        counts, **{"n_draws": DRAWS} | options
    )


def simulate(n_classifiers, sizes=(180, 90, 30)):
    """Return labels of three classes, and predictions of which many err on the same samples."""
    rng = np.random.default_rng(0)
    y_true = np.repeat([0, 1, 2], sizes)
    difficulty = rng.random(y_true.size)
    predictions = {}
    for number, accuracy in enumerate(np.linspace(0.75, 0.78, n_classifiers)):
        is_right = 0.7 * difficulty + 0.3 * rng.random(y_true.size) < accuracy
        predictions[f"c{number}"] = np.where(is_right, y_true, (y_true + 1) % 3)
    return y_true, predictions


def compare_simulated(n_classifiers, sizes=(180, 90, 30), **options):
    """Compare simulated classifiers."""
    return compare_predictions(
        *simulate(n_classifiers, sizes), **{"n_draws": DRAWS} | options
    )


@pytest.fixture(scope="module")
def three():
    """The comparison of the paper; its parts are computed once."""
    return carrillo(rope=0.01)


@pytest.fixture(scope="module")
def four():
    """Comparison of four classifiers on the same samples."""
    return compare_simulated(4, rope=0.02, prior="jeffreys")


# ---- against reference values and brute force


@pytest.mark.parametrize("pair", DIFFERENCES, ids="-".join)
def test_difference(pair, three):
    """Distribution, interval, probability and rope masses of one difference."""
    distribution = three.difference(*pair)
    low, high = three.difference_interval(*pair, method="central")
    row, column = map(three.names.index, pair)
    found = [distribution.mean(), low, distribution.median(), high]
    found += [three.prob_greater()[row, column], three.rope_masses(*pair).within]
    assert found == pytest.approx(DIFFERENCES[pair], abs=1e-9, rel=0)
    ends = np.transpose([distribution.hdi(0.9), distribution.interval(0.9)])
    assert three.difference_interval(*pair, 0.9) == (ends[0].min(), ends[1].max())
    assert three.difference_interval(*pair, 0.9, method="hdi") == distribution.hdi(0.9)


def test_probability_of_two_names(three):
    """A float, the entry of the matrix."""
    matrix = three.prob_greater()
    for i, j in combinations(range(3), 2):
        one, two = three.names[i], three.names[j]
        probability = three.prob_greater(one, two)
        assert type(probability) is float
        assert probability == pytest.approx(matrix[i, j], rel=1e-12)
        assert three.prob_greater(b=one, a=two) == pytest.approx(
            matrix[j, i], rel=1e-12
        )
    for one_name in ({"a": "C1"}, {"b": "C1"}):
        with pytest.raises(ValueError, match="must be"):
            three.prob_greater(**one_name)


def test_rank_probabilities(three):
    """Every rank of every classifier."""
    np.testing.assert_allclose(three.rank_probabilities(), RANKS, rtol=0, atol=1e-9)


@pytest.mark.parametrize("prior", [(1, 1), (2, 1)], ids=["uniform", "skew"])
def test_pair_against_simulation(prior):
    """The difference, and its direction, by draws of the four cells of each class."""
    (a, b), size, rng = prior, 400_000, np.random.default_rng(5)
    delta = np.zeros(size)
    for row in CELLS:
        cells = rng.dirichlet(
            row + np.array([a * a, a * b, a * b, b * b]) / (a + b), size
        )
        delta += (cells[:, 1] - cells[:, 2]) / len(CELLS)
    comparison = compare(prior=prior, rope=0.03)
    error = SIGMAS / np.sqrt(size)
    distribution = comparison.difference("A", "B")
    assert distribution.standard_deviation() == pytest.approx(delta.std(), rel=error)
    below, within, above = comparison.rope_masses("A", "B")
    found = [
        distribution.cdf(-0.08),
        below,
        within,
        above,
        comparison.prob_greater()[0, 1],
    ]
    shares = [
        delta <= -0.08,
        delta < -0.03,
        np.abs(delta) <= 0.03,
        delta > 0.03,
        delta > 0,
    ]
    np.testing.assert_allclose(found, np.mean(shares, axis=1), rtol=0, atol=error / 2)
    for ours, loss in zip(comparison.expected_loss(), (-delta, delta), strict=True):
        assert abs(ours - np.maximum(loss, 0).mean()) < error * delta.std()


def masses_of(table, prior, patterns):
    """Return the parameters of the Dirichlet distribution of the patterns of a class."""
    count = patterns.shape[1]
    if prior != "calibrated":
        a, b = (1, 1) if prior == "uniform" else prior
        return table + (a + b) * np.where(patterns, a / (a + b), b / (a + b)).prod(
            axis=1
        )
    # Half of them are right in the patterns of the prior; each class loses half an observation.
    half = np.abs(patterns.sum(axis=1) - count / 2) < 1
    return (1 - 0.5 / (table.sum(axis=1, keepdims=True) + 1)) * (
        table + half / half.sum()
    )


@pytest.mark.parametrize(
    ("prior", "count"),
    [
        *(("uniform", 3), ("calibrated", 4), ((0.02, 0.01), 3)),
        *(
            pytest.param(prior, count, marks=pytest.mark.slow)
            for prior, count in [
                ("calibrated", 3),
                ((0.02, 0.01), 4),
                ((0.7, 2.0), 4),
                ((30, 20), 4),
            ]
        ),
    ],
    ids=str,
)
def test_several_against_simulation(prior, count):
    """Ranks and losses of three or four, by Dirichlet draws of all their patterns."""
    rng, size, weights = np.random.default_rng(2), 100_000, np.array([0.25, 0.75])
    patterns = (
        np.array(np.meshgrid(*[[0, 1]] * count, indexing="ij")).reshape(count, -1).T
    )
    table = rng.poisson(1, (2, len(patterns))) * rng.integers(0, 3, (2, len(patterns)))
    if prior == "calibrated":
        table = np.minimum(table, 1)
    index, rows = np.repeat([0, 1], len(patterns)), np.tile(patterns, (2, 1))
    counts = PairedCounts(tuple("ABCD"[:count]), [0, 1], index, rows, table.ravel())
    comparison = PosteriorComparison.from_paired_counts(
        counts, random_state=1, n_draws=size, prior=prior, class_weight=weights
    )
    draws = 0.0
    for row, weight in zip(masses_of(table, prior, patterns), weights, strict=True):
        draws = draws + weight * rng.dirichlet(row[row > 0], size) @ patterns[row > 0]
    order = np.argsort(-draws, axis=1)
    ranks = np.array(
        [[np.mean(order[:, k] == i) for k in range(count)] for i in range(count)]
    )
    losses = draws.max(axis=1, keepdims=True) - draws
    error = comparison.monte_carlo_error()
    wide = SIGMAS * np.sqrt(2)  # both sides are drawn, in equal numbers
    assert np.all(
        np.abs(comparison.rank_probabilities() - ranks)
        < wide * error.rank_probabilities
    )
    rank_gap = np.abs(comparison.expected_rank() - ranks @ np.arange(1, count + 1))
    assert np.all(rank_gap < wide * error.expected_rank)
    loss_gap = np.abs(comparison.expected_loss() - losses.mean(axis=0))
    brute_error = losses.std(axis=0) / np.sqrt(size)
    assert np.all(loss_gap < SIGMAS * np.hypot(error.expected_loss, brute_error))
    best = np.argmax([posterior.mean() for posterior in comparison.posteriors])
    np.testing.assert_allclose(error.expected_loss, brute_error[best], rtol=0.03)
    if prior != "calibrated":
        brute = np.mean(draws[:, 0] > draws[:, 1])
        assert abs(comparison.prob_greater()[0, 1] - brute) < SIGMAS * 0.5 / np.sqrt(
            size
        )


@pytest.mark.parametrize("class_weight", [None, [1, 2, 5]], ids=["equal", "weighted"])
@pytest.mark.parametrize("prior", ["jeffreys", (3, 0.5)])
def test_margins_are_the_posteriors(prior, class_weight):
    """Means of the pair differ as those of the posteriors, and variances add up with agreement."""
    options = {"prior": prior, "class_weight": class_weight}
    comparison = compare(**options)
    for name, entry in zip(comparison.names, comparison.posteriors, strict=True):
        margin = PairedCounts.from_cells(CELLS).margin(name)
        assert entry == PosteriorBalancedAccuracy(margin, **options)
    one, two = comparison.posteriors
    a, b = np.full((3, 2), 0.5 if prior == "jeffreys" else prior).T
    cells = CELLS + (np.array([a * a, a * b, a * b, b * b]) / (a + b)).T
    share = cells / cells.sum(axis=1, keepdims=True)
    first, second = share[:, 0] + share[:, 1], share[:, 0] + share[:, 2]
    covariance = one.class_weight**2 @ (
        (share[:, 0] - first * second) / (cells.sum(axis=1) + 1)
    )
    distribution = comparison.difference("A", "B")
    assert distribution.mean() == pytest.approx(one.mean() - two.mean(), abs=1e-14)
    expected = (
        one.distribution.variance() + two.distribution.variance() - 2 * covariance
    )
    assert distribution.variance() == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("groups", [False, True], ids=["cells", "groups of one"])
def test_default_pair(groups):
    """All prior mass is on disagreement, and each class loses some observations."""
    counts = PairedCounts.from_cells(CELLS, names=("A", "B"))
    if groups:
        y_true = np.repeat([0, 1, 2], CELLS.sum(axis=1))
        right = np.concatenate([np.repeat([3, 2, 1, 0], row) for row in CELLS])
        predictions = {
            name: np.where(right & bit, y_true, 3) for name, bit in (("A", 2), ("B", 1))
        }
        counts = paired_counts(
            y_true, predictions, labels=[0, 1, 2], groups=np.arange(y_true.size)
        )
    comparison = PosteriorComparison.from_paired_counts(counts)
    one, two = comparison.posteriors
    distribution = comparison.difference("A", "B")
    assert distribution.mean() == pytest.approx(one.mean() - two.mean(), abs=1e-14)
    masses = CELLS + np.array([0, 1, 1, 0]) / 3
    masses *= 1 - (5 / 6) / masses.sum(axis=1, keepdims=True)
    share = masses / masses.sum(axis=1, keepdims=True)
    single = share[:, 1] + share[:, 2] - (share[:, 1] - share[:, 2]) ** 2
    expected = np.sum(single / (masses.sum(axis=1) + 1)) / len(CELLS) ** 2
    assert distribution.variance() == pytest.approx(expected, rel=1e-6)


def test_default_pair_without_agreement():
    """Where no sample agrees, the difference is a Beta variable, stretched to [-1, 1]."""
    distribution = compare(np.array([[0, 3, 5, 0]])).difference("B", "A")
    x = np.linspace(-0.9, 0.9, 7)
    np.testing.assert_allclose(
        distribution.cdf(x), stats.beta(6, 4).cdf((x + 1) / 2), atol=1e-5
    )


# ---- what holds for any comparison

PAIRS_OF_SAMPLES = {"groups": np.arange(300) // 2}
# How to compare, and the error of the expected rank of any classifier and of a loss.
KINDS = {
    "independent": (carrillo, 1e-10, 1e-10),
    "patterns": (lambda: compare_simulated(4, prior="jeffreys"), 0.04, 1e-14),
    "groups": (
        lambda: compare_simulated(3, prior="jeffreys", **PAIRS_OF_SAMPLES),
        0.05,
        4e-3,
    ),
    "pair in groups": (lambda: compare_simulated(2, **PAIRS_OF_SAMPLES), 1e-10, 2e-3),
}


@pytest.mark.parametrize("kind", KINDS)
def test_identities(kind):
    """Probabilities add up; ranks follow from pairs, and losses from mean differences."""
    make, rank_error, loss_error = KINDS[kind]
    comparison = make()
    greater, ranks = comparison.prob_greater(), comparison.rank_probabilities()
    names = comparison.names
    for i, j in combinations(range(len(names)), 2):
        distribution = comparison.difference(names[i], names[j])
        assert greater[i, j] == pytest.approx(distribution.ccdf(0.0), abs=1e-12)
    np.testing.assert_allclose(greater + greater.T, 1.0, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(np.diag(greater), 0.5)
    np.testing.assert_allclose(
        [ranks.sum(axis=0), ranks.sum(axis=1)], 1.0, rtol=0, atol=1e-9
    )
    assert (comparison.prob_best() == ranks[:, 0]).all()
    expected = 0.5 + greater.sum(axis=0)
    np.testing.assert_allclose(
        comparison.expected_rank(), expected, rtol=0, atol=rank_error
    )
    losses, leader = comparison.expected_loss(), comparison.ranking()[0]
    means = [
        0 if name == leader else comparison.difference(leader, name).mean()
        for name in names
    ]
    gaps = losses - losses[names.index(leader)]
    np.testing.assert_allclose(gaps, means, rtol=0, atol=loss_error)
    assert np.all(losses > 0)
    objectives = (
        ("prob_best", -ranks[:, 0]),
        ("expected_rank", comparison.expected_rank()),
        ("expected_loss", losses),
    )
    for objective, values in objectives:
        order = np.argsort(values, kind="stable")
        assert comparison.ranking(objective) == tuple(names[i] for i in order)


@pytest.mark.filterwarnings(
    "ignore::skpostbac.metrics.PriorInfluenceWarning",
    "ignore:The last numbers of correct and total are the sums",
)
@settings(max_examples=10)
@given(st.lists(st.tuples(*[st.integers(0, 30)] * 4), min_size=1, max_size=3))
def test_the_difference_turns_round(cells):
    """B - A is A - B mirrored, and so is the table with its columns exchanged."""
    both, one, two, neither = np.transpose(cells)
    total = both + one + two + neither
    independent = compare_posteriors(
        {"A": posterior(both + one, total), "B": posterior(both + two, total)},
        rope=0.05,
    )
    paired = compare(cells, rope=0.05)
    for comparison in (independent, paired):
        forth, back = comparison.rope_masses("A", "B"), comparison.rope_masses("B", "A")
        np.testing.assert_allclose(forth, back[::-1], rtol=0, atol=1e-10)
        assert sum(forth) == pytest.approx(1, abs=1e-10)
        means = (
            comparison.difference("A", "B").mean(),
            comparison.difference("B", "A").mean(),
        )
        assert means[0] == pytest.approx(-means[1])
    swapped = compare(np.array(cells)[:, [0, 2, 1, 3]], names=("B", "A"))
    greater = paired.prob_greater()[0, 1], swapped.prob_greater()[1, 0]
    assert greater[0] == pytest.approx(greater[1], abs=1e-10)


def test_equal_classifiers_tie():
    """They share all ranks alike, lose alike, and beat no one."""
    same = posterior([9, 8], [10, 10])
    comparison = compare_posteriors({"a": same, "b": same, "c": same})
    np.testing.assert_allclose(
        comparison.rank_probabilities(), 1 / 3, rtol=0, atol=1e-10
    )
    np.testing.assert_allclose(comparison.prob_greater(), 0.5, rtol=0, atol=1e-10)
    assert np.ptp(comparison.expected_loss()) < 1e-10
    assert comparison.win_counts().tolist() == [0, 0, 0]
    assert comparison.ranking() == ("a", "b", "c")
    report = sentences(comparison)
    assert report.startswith(
        "a, b and c share the highest estimated balanced accuracy among 3 classifiers, "
    )
    assert (
        "): none is ahead. 3 of 3 may be the best (95%): a, b, c. The 95% interval of the rank of a is 1 to 3.\n"
        in report
    )
    # Predictions, with a prior so weak that it is lost in rounding.
    y_true = np.repeat([0, 1], 50)
    y_pred = np.where(np.arange(100) % 7, y_true, 1 - y_true)
    drawn = compare_predictions(
        y_true, dict.fromkeys("ABC", y_pred), prior=(1e-3, 1e-3), n_draws=DRAWS
    )
    error = drawn.monte_carlo_error().rank_probabilities
    assert np.all(np.abs(drawn.rank_probabilities() - 1 / 3) < SIGMAS * error)
    assert np.all(drawn.expected_loss() < 1e-3)
    for cells in ([[8, 0, 0, 2]] * 3, [[8, 1, 1, 0]] * 3):
        pair = compare(cells, rope=0.05)
        np.testing.assert_allclose(pair.prob_greater(), 0.5, rtol=0, atol=1e-10)
        np.testing.assert_allclose(pair.prob_best(), 0.5, rtol=0, atol=1e-10)
        assert pair.difference("A", "B").mean() == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize("count", [2, 12])
def test_losses_of_a_likely_winner(count):
    """What the best one loses to each other adds up, as no two of them ever beat it at once."""
    right = [[280, 270], [240, 260], *([90 - i, 60] for i in range(10))][:count]
    comparison = compare_posteriors(
        {str(i): posterior(correct, [300, 300]) for i, correct in enumerate(right)}
    )
    difference = comparison.difference("1", "0")
    x, step = np.linspace(0, 10 * difference.standard_deviation(), 20_001, retstep=True)
    expected = difference.ccdf(x).sum() * step - 0.5 * step * difference.ccdf(0.0)
    assert 1e-9 < expected < 1e-4
    assert comparison.expected_loss()[0] == pytest.approx(expected, rel=1e-3, abs=0)


@pytest.mark.parametrize("count", [5, 12])
def test_pairs_of_few_and_many(count):
    """Those of many are integrated at once, and are those of single differences."""
    comparison = compare_posteriors(
        {
            str(right): posterior([right], [200])
            for right in np.linspace(20, 190, count, dtype=int)
        }
    )
    greater = comparison.prob_greater()
    assert np.sum(greater < 1e-6) > count
    for i, j in combinations(range(count), 2):
        distribution = comparison.difference(comparison.names[i], comparison.names[j])
        expected = [distribution.ccdf(0.0), distribution.cdf(0.0)]
        assert [greater[i, j], greater[j, i]] == pytest.approx(
            expected, rel=0, abs=1e-12
        )
        if (tiny := min(expected)) < 1e-10:
            assert min(greater[i, j], greater[j, i]) == pytest.approx(
                tiny, rel=1e-6, abs=0
            )


def test_sample_weights_are_case_counts():
    """A weight of 3 is three samples."""
    y_true, predictions = simulate(3, (36, 18, 6))
    weight = np.arange(60) % 4
    weighted = compare_predictions(
        y_true, predictions, sample_weight=weight, n_draws=DRAWS
    )
    repeated = compare_predictions(
        np.repeat(y_true, weight),
        {name: np.repeat(y_pred, weight) for name, y_pred in predictions.items()},
        n_draws=DRAWS,
    )
    assert weighted == repeated
    np.testing.assert_array_equal(weighted.prob_best(), repeated.prob_best())


def test_labels_and_absent_classes():
    """A class that is asked for and absent has its prior; the posteriors say the same."""
    y_true, predictions = [0, 0, 1, 2], {"A": [0, 0, 1, 1], "B": [0, 1, 1, 2]}
    options = {"labels": [0, 1, 5], "n_draws": DRAWS, "prior": "uniform"}
    with pytest.warns(PriorInfluenceWarning):
        comparison = compare_predictions(y_true, predictions, **options)
    for entry, y_pred in zip(comparison.posteriors, predictions.values(), strict=True):
        counts = class_counts(y_true, y_pred, labels=[0, 1, 5])
        assert entry == PosteriorBalancedAccuracy(counts, prior="uniform")
    # Only class 0 tells them apart: one sample of two, and priors of 1/2 for each cell.
    assert comparison.difference("A", "B").mean() == pytest.approx(1 / 4 / 3)


# ---- random draws


@pytest.mark.parametrize(
    "options",
    [{}, {"prior": "jeffreys", **PAIRS_OF_SAMPLES}],
    ids=["patterns", "groups"],
)
def test_seeds_reproduce(options):
    """The same seed gives the same numbers, another seed others."""
    counts = paired_counts(*simulate(3), groups=options.pop("groups", None))

    def best(random_state):
        return PosteriorComparison.from_paired_counts(
            counts, random_state=random_state, n_draws=2000, **options
        ).prob_best()

    for make in (int, np.random.RandomState, np.random.default_rng):
        np.testing.assert_array_equal(best(make(1)), best(make(1)))
    assert np.any(best(1) != best(2))
    # A share of the draws is a coarse number: two may well agree, ten do not.
    assert len({tuple(best(None)) for _ in range(10)}) > 1


def test_jobs_do_not_matter():
    """Blocks of draws have seeds of their own, and are added up in order, as are pairs."""
    one, many = (
        compare_simulated(3, n_draws=30_001, n_jobs=jobs) for jobs in (None, 2)
    )
    assert one == many
    np.testing.assert_array_equal(one.rank_probabilities(), many.rank_probabilities())
    np.testing.assert_array_equal(one.expected_loss(), many.expected_loss())
    with parallel_config(backend="threading"):  # processes take seconds to start
        np.testing.assert_array_equal(one.prob_greater(), many.prob_greater())


@pytest.mark.slow
def test_errors_are_those_of_repeated_runs(four):
    """Their spread over seeds is what one run reports; what is exact has none."""
    counts = paired_counts(*simulate(3))
    runs = [
        PosteriorComparison.from_paired_counts(counts, random_state=seed, n_draws=500)
        for seed in range(60)
    ]
    exact = (
        compare(),
        compare_posteriors(dict(zip(four.names, four.posteriors, strict=True))),
    )
    for method in ("rank_probabilities", "expected_rank", "expected_loss"):
        spread = np.std([getattr(run, method)() for run in runs], axis=0)
        error = np.mean(
            [getattr(run.monte_carlo_error(), method) for run in runs], axis=0
        )
        np.testing.assert_allclose(error, spread, rtol=0.5, atol=2 / 500)
        assert not any(getattr(one.monte_carlo_error(), method).any() for one in exact)
        assert getattr(four.monte_carlo_error(), method).all()


# ---- what is returned


def test_summary_is_a_table(three, four):
    """Plain records, best first, which pandas takes as they are."""
    records = three.summary(level=0.9)
    assert [record["name"] for record in records] == ["C3", "C1", "C2"]
    assert {type(value) for record in records for value in record.values()} <= {
        str,
        float,
        int,
        bool,
    }
    table = pd.DataFrame(records).set_index("name")
    for name, entry in zip(three.names, three.posteriors, strict=True):
        assert table.loc[name, "mean"] == entry.mean()
        assert (
            table.loc[name, "low"],
            table.loc[name, "high"],
        ) == entry.credible_interval(0.9)
    assert table["wins"].tolist() == [2, 1, 0]
    best = four.names.index(four.ranking()[0])
    error = four.monte_carlo_error().rank_probabilities[best, 0]
    assert four.summary()[0]["prob_best_error"] == error


def test_report_of_independent_posteriors(three):
    """One sentence for each, best first, without certainty, then what was compared."""
    low, high = three.posteriors[2].credible_interval()
    ends = three.difference_interval("C3", "C1")
    lines = sentences(three).splitlines()
    first, second, third, how, selected, ranks, score, training = lines
    assert first == (
        "C3 has the highest estimated balanced accuracy among 3 classifiers, 0.879 (95% "
        f"credible interval {low:.3f} to {high:.3f}); it is the best with probability 0.865. "
        "2 of 3 may be the best (95%): C3, C1. The 95% interval of the rank of C3 is 1 to 2."
    )
    assert second.startswith("C1 has 0.776 (95% credible interval ")
    assert second.endswith(
        "C3 is better than C1 by more than 0.01 with probability 0.841, practically equivalent "
        "(within 0.01) with probability 0.046 and worse by more than 0.01 with probability 0.113 "
        f"(difference 0.103, 95% credible interval {ends.low:.3f} to {ends.high:.3f})."
    )
    assert "probability > 0.999, practically equivalent (within 0.01) with" in third
    assert how.startswith(
        "Independent comparison: the classifiers are assumed to have been tested"
    )
    assert selected.startswith("The best score was selected as such")
    assert ranks.startswith(
        "A classifier may be the best if no other surely beats it. "
    )
    assert score.endswith("averaged over the classes; its chance level is 0.333.")
    assert training.endswith("variation from retraining is not included.")
    assert str(three) == three.report()


def test_report_of_paired_classifiers(four):
    """How they were compared, and how precise random draws are."""
    *_, how, _, _, _, _, precision = sentences(four).splitlines()
    assert how == four.explanation
    assert how.startswith(
        "Paired comparison: all classifiers were tested on the same 300 samples"
    )
    assert (
        "estimated from random draws, with a standard error of up to about 0.00"
        in precision
    )
    assert "Scores are recalls of class 0, not balanced accuracies" in sentences(
        compare([[9, 1, 2, 3]])
    )


def test_report_leaves_out_errors_that_cannot_be_seen():
    """Of classifiers far apart, the digits printed are those of any other draws."""
    clear = compare([[0, 0, 400, 3], [0, 0, 400, 3]])
    assert "is the best with probability > 0.999" in sentences(clear)
    assert "random draws" not in sentences(clear)


def test_ranking_by_bounds():
    """The lower bound prefers the more certain, unless its level is low."""
    counts = {
        "few": posterior([9, 10], [10, 10]),
        "many": posterior([90, 88], [100, 100]),
    }
    comparison = compare_posteriors(counts)
    assert comparison.ranking("lower", 0.01) == ("few", "many")
    assert comparison.ranking("lower") == ("many", "few")


def test_repr_is_one_line(three):
    """And stays one with many classifiers."""
    assert repr(three) == "PosteriorComparison('C1', 'C2', 'C3', rope=0.01)"
    assert (
        repr(compare(rope=0.02)) == "PosteriorComparison('A', 'B', rope=0.02, paired)"
    )
    many = compare_posteriors({str(i): posterior([1], [2]) for i in range(20)})
    assert repr(many).endswith("'7', ..., rope=0)")


# ---- arguments


def test_how_posteriors_depend_is_known_to_their_joint():
    """The same posteriors, on the same samples and on different ones, are not equal."""
    paired = compare()
    apart = compare_posteriors(dict(zip(paired.names, paired.posteriors, strict=True)))
    assert apart.posteriors == paired.posteriors
    assert apart != paired == compare()
    assert (apart.joint.is_paired, paired.joint.is_paired) == (False, True)
    again = PosteriorComparison(paired.names, paired.joint)
    assert again == paired
    assert hash(again) == hash(paired)
    # Posteriors of its own would be those of other data.
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        dataclasses.replace(paired, posteriors=paired.posteriors[::-1])


def test_weights_in_another_order_are_the_same():
    """They go with the labels; samples, priors and the order of the classes may differ."""
    weights = {"x": 1, "y": 3}
    one = posterior(
        [9, 8], [10, 10], "jeffreys", classes=["x", "y"], class_weight=weights
    )
    two = posterior([5, 5], [9, 9], classes=["y", "x"], class_weight=[0.3, 0.1])
    assert compare_posteriors({"a": one, "b": two}).ranking() == ("a", "b")


ONE, TWO = posterior([1], [2]), posterior([1, 1], [2, 2])
PAIR = ("a", "b")


@pytest.mark.parametrize(
    ("posteriors", "error", "message"),
    [
        pytest.param(
            (ONE, ONE),
            TypeError,
            "posteriors must be a mapping .*, got tuple",
            id="tuple",
        ),
        pytest.param(
            {"a": ONE}, ValueError, "at least two to compare, got 1", id="one"
        ),
        pytest.param(
            {"a": ONE, 1: ONE}, TypeError, "must be strings, got 1", id="name"
        ),
        pytest.param(
            {"a": ONE, "b": 0.5},
            TypeError,
            r"posteriors\['b'\] must be the posterior of a metric, got float",
            id="number",
        ),
        pytest.param(
            {"a": ONE, "b": TWO},
            ValueError,
            r"same classes: 'a' has no other, only 'b' has \[1\]$",
            id="one more class",
        ),
        pytest.param(
            {"a": TWO, "b": posterior([1, 1], [2, 2], classes=[1, 5])},
            ValueError,
            r"only 'a' has \[0\], only 'b' has \[5\]$",
            id="another class",
        ),
        pytest.param(
            {"a": TWO, "b": posterior([1, 1], [2, 2], class_weight=[1, 3])},
            ValueError,
            "must have the same class_weight: 0 has 0.5 of 'a', and 0.25 of 'b'",
            id="weights",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused(posteriors, error, message):
    """The message says which posterior, and what of it is different."""
    with pytest.raises(error, match=message):
        compare_posteriors(posteriors)


@pytest.mark.parametrize(
    ("names", "error", "message"),
    [
        ("ab", TypeError, "names must be a tuple"),
        (("a", 1), TypeError, "must be strings, got 1"),
        (("a", "a"), ValueError, "must be different"),
        (("a",), ValueError, "at least two to compare, got 1"),
        (("a", "b", "c"), ValueError, "names and joint .* 3 names and 2 posteriors"),
    ],
    ids=["text", "number", "twice", "one", "three"],
)
def test_the_constructor_checks_names(names, error, message):
    """There is one for each posterior of the joint distribution."""
    joint = compare_posteriors({"a": ONE, "b": ONE}).joint
    with pytest.raises(error, match=message):
        PosteriorComparison(names, joint)


@pytest.mark.parametrize(
    "joint", [(ONE, ONE), None, ONE], ids=["tuple", "none", "posterior"]
)
def test_the_constructor_needs_a_joint(joint):
    """The message says which functions make one."""
    with pytest.raises(
        TypeError, match=r"joint must be .*compare_posteriors and compare_pred"
    ):
        PosteriorComparison(PAIR, joint)


@pytest.mark.parametrize("rope", [-0.1, 1, np.nan, "wide"], ids=str)
def test_the_constructor_checks_the_rope(rope):
    """Of two accuracies it must be below 1."""
    joint = compare_posteriors({"a": ONE, "b": ONE}).joint
    with pytest.raises((TypeError, ValueError), match="rope must"):
        PosteriorComparison(PAIR, joint, rope=rope)


def test_the_constructor_copies():
    """A list becomes a tuple of its own, and the rope a float."""
    names, joint = ["a", "b"], compare_posteriors({"c": ONE, "d": ONE}).joint
    comparison = PosteriorComparison(names, joint, rope=0)
    names[0] = "c"
    assert (comparison.names, comparison.posteriors) == (("a", "b"), (ONE, ONE))
    assert type(comparison.rope) is float
    other = compare_posteriors({"a": ONE, "b": ONE})
    assert comparison == other
    assert hash(comparison) == hash(other)


@pytest.mark.parametrize(
    "method", ["difference", "difference_interval", "design_effects", "prob_greater"]
)
@pytest.mark.parametrize(
    ("pair", "message"),
    [
        (("C4", "C1"), "a must be one of .* got 'C4'"),
        (("C1", "C4"), "b must be one of .* got 'C4'"),
        (("C1", "C1"), "a and b must be different, got 'C1' twice"),
    ],
    ids=["a", "b", "same"],
)
def test_bad_pairs_are_refused(method, pair, message, three):
    """Both names must be there, and differ."""
    with pytest.raises(ValueError, match=message):
        getattr(three, method)(*pair)


def test_bad_objectives_and_counts_are_refused(three):
    """The message lists what there is."""
    with pytest.raises(ValueError, match=r"objective must be one of .*'prob_best'"):
        three.ranking("best")
    with pytest.raises(TypeError, match="counts must be PairedCounts, got ClassCounts"):
        PosteriorComparison.from_paired_counts(class_counts([0, 1], [0, 1]))
