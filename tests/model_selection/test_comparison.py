"""Comparison of classifiers on independent test sets."""

import dataclasses
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skpostbac.metrics import PairedCounts, PosteriorBalancedAccuracy
from skpostbac.model_selection import (
    PosteriorComparison,
    compare_posteriors,
)

# Table 1 of Carrillo et al. (2013): correct predictions of 32, 10 and 4 samples.
CARRILLO = {"C1": [30, 8, 3], "C2": [30, 2, 1], "C3": [32, 9, 4]}
TOTAL = [32, 10, 4]

# Differences of these under flat priors, by exact piecewise polynomials; rope01 is the
# probability of a difference of at most .01.
DIFFERENCES = {
    ("C1", "C2"): {
        "mean": 0.27777777777777785,
        "q025": 0.06338729545998267,
        "median": 0.2822780726769382,
        "q975": 0.46675887957337314,
        "p_gt_0": 0.9940576960348031,
        "rope01": 0.0029889913432168957,
    },
    ("C3", "C1"): {
        "mean": 0.1029411764705882,
        "q025": -0.08334735299515265,
        "median": 0.10277060572864732,
        "q975": 0.2873976887750283,
        "p_gt_0": 0.8649863511008343,
        "rope01": 0.04586731481370754,
    },
    ("C3", "C2"): {
        "mean": 0.380718954248366,
        "q025": 0.18144317509991734,
        "median": 0.386564919213911,
        "q975": 0.5469023461306681,
        "p_gt_0": 0.9998147440444138,
        "rope01": 0.0001265770806594957,
    },
}
# Rank probabilities of the three by quadrature on another grid; these rows and columns add up to
# 1 within 2e-10 only.
RANKS = [
    [0.1350007460301741, 0.8590698528722429, 0.005929401097563986],
    [3.737048191858976e-05, 0.006052818955572891, 0.9939098105624926],
    [0.86496188340278, 0.1348773281654347, 0.00016078824658523358],
]
EXACT = {"abs": 1e-9, "rel": 0}


def posterior(correct, total, prior="uniform", **options):
    """Return the posterior under the prior of the paper."""
    return PosteriorBalancedAccuracy.from_counts(correct, total, prior=prior, **options)


def carrillo(names=tuple(CARRILLO), **options):
    """Compare classifiers of the paper."""
    return compare_posteriors({name: posterior(CARRILLO[name], TOTAL) for name in names}, **options)


@pytest.fixture(scope="module")
def three():
    """Comparison of all three classifiers; its parts are computed once."""
    return carrillo(rope=0.01)


# ---- against reference values


@pytest.mark.parametrize("pair", DIFFERENCES, ids="-".join)
def test_difference(pair, three):
    """Distribution, interval, probability and rope masses of one difference."""
    expected = DIFFERENCES[pair]
    distribution = three.difference(*pair)
    assert distribution.mean() == pytest.approx(expected["mean"], **EXACT)
    assert distribution.median() == pytest.approx(expected["median"], **EXACT)
    low, high = three.difference_interval(*pair, method="central")
    assert low == pytest.approx(expected["q025"], **EXACT)
    assert high == pytest.approx(expected["q975"], **EXACT)
    row, column = map(three.names.index, pair)
    assert three.prob_greater()[row, column] == pytest.approx(expected["p_gt_0"], **EXACT)
    assert three.rope_masses(*pair).within == pytest.approx(expected["rope01"], **EXACT)


def test_rank_probabilities(three):
    """Every rank of every classifier."""
    np.testing.assert_allclose(three.rank_probabilities(), RANKS, rtol=0, atol=1e-9)


# ---- what holds for any comparison


def test_expected_rank_follows_from_the_pairs(three):
    """One more than the expected number of better classifiers."""
    expected = 0.5 + three.prob_greater().sum(axis=0)
    np.testing.assert_allclose(three.expected_rank(), expected, rtol=0, atol=1e-10)


def test_losses_differ_as_the_means_do(three):
    """The expected maximum cancels."""
    means = np.array([entry.mean() for entry in three.posteriors])
    losses = three.expected_loss()
    np.testing.assert_allclose(losses - losses[0], means[0] - means, rtol=0, atol=1e-10)
    assert np.all(losses > 0)


COUNTS = st.lists(st.tuples(*[st.integers(0, 30)] * 4), min_size=2, max_size=3)


@pytest.mark.filterwarnings("ignore::skpostbac.metrics.PriorInfluenceWarning")
@settings(max_examples=15)
@given(COUNTS)
def test_the_difference_turns_round(counts):
    """B - A is A - B mirrored, whatever the counts of right and wrong for each class."""
    right_a, wrong_a, right_b, wrong_b = np.transpose(counts)
    comparison = compare_posteriors(
        {"A": posterior(right_a, right_a + wrong_a), "B": posterior(right_b, right_b + wrong_b)},
        rope=0.05,
    )
    forth, back = comparison.rope_masses("A", "B"), comparison.rope_masses("B", "A")
    np.testing.assert_allclose(forth, back[::-1], rtol=0, atol=1e-10)
    greater = comparison.prob_greater()
    assert greater[0, 1] + greater[1, 0] == pytest.approx(1.0, abs=1e-12)
    assert comparison.difference("A", "B").mean() == pytest.approx(
        -comparison.difference("B", "A").mean()
    )


def test_equal_classifiers_tie():
    """Equal posteriors share all ranks alike, lose alike, and beat no one."""
    same = posterior([9, 8], [10, 10])
    comparison = compare_posteriors({"a": same, "b": same, "c": same})
    np.testing.assert_allclose(comparison.rank_probabilities(), 1 / 3, rtol=0, atol=1e-10)
    np.testing.assert_allclose(comparison.prob_greater(), 0.5, rtol=0, atol=1e-10)
    assert np.ptp(comparison.expected_loss()) < 1e-10
    assert comparison.win_counts().tolist() == [0, 0, 0]
    assert comparison.ranking() == ("a", "b", "c")
    report = comparison.report()
    assert report.startswith("a, b and c tie for the highest posterior mean of 3 classifiers, ")
    assert "; a is the best with probability 0.333." in report
    two = compare_posteriors({"a": same, "c": posterior([1, 8], [10, 10]), "b": same})
    assert two.report().startswith("a and b tie for the highest posterior mean of 3 classifiers")


def test_certain_differences():
    """What is left of the other probability, and of the loss, is next to nothing."""
    comparison = compare_posteriors({"a": posterior([190], [200]), "b": posterior([20], [200])})
    greater = comparison.prob_greater()
    assert greater[0, 1] == 1.0
    assert 0 <= greater[1, 0] <= 1e-12
    assert 0 <= comparison.expected_loss()[0] <= 1e-12


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


def test_weights_in_another_order_are_the_same():
    """They go with the labels; samples, priors and the order of the classes may differ."""
    weights = {"x": 1, "y": 3}
    comparison = compare_posteriors(
        {
            "a": posterior([9, 8], [10, 10], "jeffreys", classes=["x", "y"], class_weight=weights),
            "b": posterior([5, 5], [9, 9], classes=["y", "x"], class_weight=[0.3, 0.1]),
        }
    )
    assert comparison.ranking() == ("a", "b")


def test_averages_of_other_weights_are_not_compared():
    """They are different quantities; the message names a class and its weights."""
    message = r"posteriors must have the same class_weight: 'x' has 0.5 of 'a', and 0.25 of 'b'"
    with pytest.raises(ValueError, match=message):
        compare_posteriors(
            {
                "a": posterior([9, 8], [10, 10], classes=["x", "y"]),
                "b": posterior([9, 8], [10, 10], classes=["x", "y"], class_weight=[1, 3]),
            }
        )


def test_how_posteriors_depend_is_not_for_the_caller_to_say():
    """It follows from what they are made of, so that it cannot be that of other data."""
    counts = PairedCounts.from_cells([[27, 3, 5, 5], [12, 0, 4, 4]])
    paired = PosteriorComparison.from_paired_counts(counts, random_state=0)
    one, two = posterior([9, 8], [10, 10]), posterior([5, 5], [9, 9])
    with pytest.raises(TypeError, match="unexpected keyword argument 'joint'"):
        PosteriorComparison(("A", "B"), (one, two), joint=paired)
    # A copy with other fields would have the joint distribution of other data.
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        dataclasses.replace(paired, posteriors=(one, two))
    margins = PosteriorComparison(paired.names, paired.posteriors)
    assert margins != paired
    assert paired == PosteriorComparison.from_paired_counts(counts, random_state=0)
    means = [entry.mean() for entry in paired.posteriors]
    assert paired.difference("A", "B").mean() == pytest.approx(means[0] - means[1], abs=1e-14)


@pytest.mark.parametrize("count", [5, 12])
def test_pairs_of_few_and_many(count):
    """Those of many are integrated at once, and are those of single differences."""
    comparison = compare_posteriors(
        {str(right): posterior([right], [200]) for right in np.linspace(20, 190, count, dtype=int)}
    )
    greater = comparison.prob_greater()
    assert np.sum(greater < 1e-6) > count
    for i, j in combinations(range(count), 2):
        distribution = comparison.difference(comparison.names[i], comparison.names[j])
        assert greater[i, j] >= 0
        assert greater[i, j] == pytest.approx(distribution.ccdf(0.0), rel=0, abs=1e-12)
        assert greater[j, i] == pytest.approx(distribution.cdf(0.0), rel=0, abs=1e-12)
        if (tiny := min(distribution.ccdf(0.0), distribution.cdf(0.0))) < 1e-10:
            assert min(greater[i, j], greater[j, i]) == pytest.approx(tiny, rel=1e-6, abs=0)
    np.testing.assert_allclose(greater + greater.T, 1.0, rtol=0, atol=1e-14)
    np.testing.assert_array_equal(np.diag(greater), 0.5)


# ---- what is returned


def test_summary_is_a_table(three):
    """Plain records, best first, which pandas takes as they are."""
    records = three.summary(level=0.9)
    assert [record["name"] for record in records] == ["C3", "C1", "C2"]
    assert {type(value) for record in records for value in record.values()} <= {str, float, int}
    table = pd.DataFrame(records).set_index("name")
    for name, entry in zip(three.names, three.posteriors, strict=True):
        assert table.loc[name, "mean"] == entry.mean()
        assert (table.loc[name, "low"], table.loc[name, "high"]) == entry.credible_interval(0.9)
    assert table["prob_best"].sum() == pytest.approx(1.0, abs=1e-10)
    assert table["wins"].tolist() == [2, 1, 0]


def test_report_says_the_result(three):
    """One sentence for each, best first, without certainty, then what was compared."""
    entries = dict(zip(three.names, three.posteriors, strict=True))

    def hull(distribution):
        ends = np.transpose([distribution.hdi(), distribution.interval()])
        return f"{ends[0].min():.3f} to {ends[1].max():.3f}"

    shown = {name: hull(posterior.distribution) for name, posterior in entries.items()}
    difference = hull(three.difference("C3", "C1"))
    first, second, third, how, score, training = three.report().splitlines()
    assert score.endswith("averaged over the classes; chance level is 0.333.")
    assert how.startswith(
        "Independent comparison: the classifiers are assumed to have been tested on"
    )
    assert first == (
        "C3 has the highest posterior mean of 3 classifiers, 0.879 (95% credible interval "
        f"{shown['C3']}); it is the best with probability 0.865."
    )
    assert second == (
        f"C1 has 0.776 (95% credible interval {shown['C1']}). C3 is better than C1 by more than "
        "0.01 with probability 0.841, practically equivalent (within 0.01) with probability 0.046 "
        "and worse by more than 0.01 with probability 0.113 (difference 0.103, 95% interval "
        f"{difference})."
    )
    assert (
        "probability > 0.999, practically equivalent (within 0.01) with probability < 0.001"
        in third
    )
    assert training.endswith("variation from retraining is not included.")
    assert str(three) == three.report()


def test_repr_is_one_line(three):
    """And stays one with many classifiers."""
    assert repr(three) == "PosteriorComparison('C1', 'C2', 'C3', rope=0.01)"
    many = compare_posteriors({str(i): posterior([1], [2]) for i in range(20)})
    assert repr(many).endswith("'7', ..., rope=0)")


# ---- bad input


ONE = posterior([1], [2])


@pytest.mark.parametrize(
    ("names", "posteriors", "error", "message"),
    [
        pytest.param("ab", (ONE, ONE), TypeError, "names must be a tuple", id="text"),
        pytest.param(("a", "b"), {ONE}, TypeError, "posteriors must be a tuple", id="set"),
        pytest.param((), (), ValueError, "at least two classifiers, got 0", id="none"),
        pytest.param(("a",), (ONE,), ValueError, "at least two classifiers, got 1", id="one"),
        pytest.param(("a", 1), (ONE, ONE), TypeError, "must be strings, got 1", id="number"),
        pytest.param(("a", "a"), (ONE, ONE), ValueError, "must be different", id="twice"),
        pytest.param(
            ("a", "b"),
            (ONE,) * 3,
            ValueError,
            "names and posteriors must .* got 2 names",
            id="more",
        ),
        pytest.param(
            ("a", "b"),
            (ONE, 0.5),
            TypeError,
            r"posteriors\['b'\] must be a .*, got float",
            id="type",
        ),
    ],
)
def test_the_constructor_checks(names, posteriors, error, message):
    """The class is public, and so is the function, which takes a mapping."""
    with pytest.raises(error, match=message):
        PosteriorComparison(names, posteriors)
    with pytest.raises(TypeError, match="posteriors must be a mapping, got tuple"):
        compare_posteriors(posteriors if isinstance(posteriors, tuple) else tuple(posteriors))


def test_the_constructor_copies():
    """Lists become tuples of its own, and the rope a float."""
    names, posteriors = ["a", "b"], [ONE, ONE]
    comparison = PosteriorComparison(names, posteriors, rope=0)
    names[0], posteriors[0] = "c", None
    assert (comparison.names, comparison.posteriors) == (("a", "b"), (ONE, ONE))
    assert type(comparison.rope) is float
    assert hash(comparison) == hash(compare_posteriors({"a": ONE, "b": ONE}))


def test_other_classes_are_refused():
    """Averages over other classes are other quantities; the message names the classes."""
    two, three = posterior([1, 1], [2, 2]), posterior([1, 1, 1], [2, 2, 2])
    with pytest.raises(ValueError, match=r"same classes: 'a' has no other, only 'b' has \[2\]$"):
        compare_posteriors({"a": two, "b": three})
    other = posterior([1, 1], [2, 2], classes=[1, 5])
    with pytest.raises(ValueError, match=r"only 'a' has \[0\], only 'c' has \[5\]$"):
        PosteriorComparison(("a", "b", "c"), (two, two, other))


@pytest.mark.parametrize("rope", [-0.1, 1, 5, np.nan, np.inf, "0.1", None])
def test_bad_ropes_are_refused(rope):
    """It is a number of [0, 1), as no difference is beyond."""
    with pytest.raises(ValueError, match="rope must be"):
        carrillo(rope=rope)
    with pytest.raises(ValueError, match="rope must be"):
        PosteriorComparison(("a", "b"), (ONE, ONE), rope=rope)


@pytest.mark.parametrize("method", ["difference", "difference_interval", "rope_masses"])
@pytest.mark.parametrize(
    ("pair", "message"),
    [
        (("C4", "C1"), "a must be one of .* got 'C4'"),
        (("C1", "C4"), "b must be one of .* got 'C4'"),
        (("C1", "C1"), "a and b must be different classifiers, got 'C1' twice"),
    ],
    ids=["a", "b", "same"],
)
def test_bad_pairs_are_refused(method, pair, message, three):
    """Both names must be there, and differ."""
    with pytest.raises(ValueError, match=message):
        getattr(three, method)(*pair)
