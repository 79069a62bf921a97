"""The posterior balanced accuracy: published values, invariants, pooling, display."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from skpostbac.metrics import (
    ClassCounts,
    PosteriorBalancedAccuracy,
    class_counts,
    posterior_balanced_accuracy,
)
from skpostbac.stats import BetaAverage, Hyperprior

REFERENCE = Path(__file__).parents[2] / "reference"
PUBLISHED = json.loads((REFERENCE / "published.json").read_text(encoding="utf-8"))
TABLE = PUBLISHED["carrillo_table_1"]["rows"]
DISTRIBUTIONS = PUBLISHED["distributions"]["rows"]
from_counts = PosteriorBalancedAccuracy.from_counts
# For tests that take whatever counts there are; those of the warning are elsewhere.
any_influence = pytest.mark.filterwarnings("ignore::skpostbac.metrics.PriorInfluenceWarning")


def names(rows):
    """Return the names of published rows, as test ids."""
    return [row["name"] for row in rows]


@pytest.fixture
def posterior():
    """Return the posterior of the first classifier of Carrillo et al."""
    return from_counts([30, 8, 3], [32, 10, 4])


@st.composite
def class_tables(draw, max_classes=4):
    """Draw correct and total counts of a few classes."""
    total = draw(st.lists(st.integers(0, 50), min_size=1, max_size=max_classes))
    return [draw(st.integers(0, n)) for n in total], total


# Published values


@pytest.mark.parametrize("figure", ["mean", "low", "high"])
@pytest.mark.parametrize("row", TABLE, ids=names(TABLE))
def test_carrillo_table_1(row, figure):
    """All digits printed, but for the two misprints: mean to three, limits to two."""
    posterior = from_counts(row["correct"], row["total"], prior="uniform")
    low, high = posterior.credible_interval(0.95, method="central")
    value = {"mean": posterior.mean(), "low": low, "high": high}[figure]
    digit = 1e-3 if figure == "mean" else 1e-2
    off = [row["name"], figure] in PUBLISHED["carrillo_table_1"]["off_by_one"]
    assert abs(value - row[figure]) < digit * (1 if off else 0.5)


@any_influence
@pytest.mark.parametrize("row", DISTRIBUTIONS, ids=names(DISTRIBUTIONS))
def test_distributions_of_published_counts(row):
    """Mean, quantiles and the probability of chance."""
    posterior = from_counts(row["correct"], row["total"], prior=row["prior"])
    low, high = posterior.credible_interval(0.95, method="central")
    chance = posterior.prob_below(posterior.chance)
    found = [posterior.mean(), posterior.median(), low, high, chance]
    expected = [row[key] for key in ("mean", "median", "low", "high", "prob_at_or_below_chance")]
    # Half of the digits that the other program claims, or better.
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)


@any_influence
@pytest.mark.parametrize("row", DISTRIBUTIONS, ids=names(DISTRIBUTIONS))
def test_densest_interval_of_published_counts(row):
    """The shortest interval is as short, and holds as much."""
    posterior = from_counts(row["correct"], row["total"], prior=row["prior"])
    low, high = posterior.credible_interval(0.95, method="hdi")
    assert high - low == pytest.approx(row["hdi"][1] - row["hdi"][0], abs=1e-9)
    assert posterior.cdf(high) - posterior.cdf(low) == pytest.approx(0.95, abs=1e-9)
    # The ends move freely along a flat top: they are known less well than the length.
    np.testing.assert_allclose((low, high), row["hdi"], rtol=0, atol=1e-5)


def test_confusion_matrix_has_true_classes_in_rows():
    """The lecture notes print the transpose; the recalls tell which is which."""
    printed = np.array(PUBLISHED["pitie_three_classes"]["predicted_by_actual"])
    posterior = PosteriorBalancedAccuracy.from_confusion_matrix(printed.T)
    assert posterior.counts == ClassCounts([0, 1, 2], [102, 89, 120], [117, 110, 137])
    wrong = PosteriorBalancedAccuracy.from_confusion_matrix(printed)
    assert wrong.counts.total.tolist() == [117, 109, 138]


# Invariants


@any_influence
@given(table=class_tables(), prior=st.sampled_from(["uniform", "jeffreys", (2, 3)]))
def test_mean_is_exact(table, prior):
    """The closed form, in rational arithmetic."""
    correct, total = table
    a, b = {"uniform": (1, 1), "jeffreys": (Fraction(1, 2), Fraction(1, 2))}.get(prior, prior)
    means = [(a + k) / Fraction(a + b + n) for k, n in zip(correct, total, strict=True)]
    expected = float(sum(means) / len(means))
    assert from_counts(correct, total, prior=prior).mean() == pytest.approx(expected, rel=1e-14)


@any_influence
@given(table=class_tables(), data=st.data())
def test_permuting_the_classes_changes_nothing(table, data):
    """The average does not depend on the order of the classes, nor do the recalls."""
    correct, total = (np.array(column) for column in table)
    order = np.array(data.draw(st.permutations(range(len(total)))))
    weights = data.draw(st.lists(st.integers(1, 9), min_size=len(total), max_size=len(total)))
    weights = np.array(weights)
    one = from_counts(correct, total, class_weight=weights)
    two = from_counts(correct[order], total[order], classes=order, class_weight=weights[order])
    low, high = one.credible_interval(method="central")
    # Sums in another order.
    np.testing.assert_allclose(two.cdf([low, high]), [0.025, 0.975], rtol=0, atol=1e-9)
    assert {label: distribution.mean() for label, distribution in one.recalls().items()} == {
        label: distribution.mean() for label, distribution in two.recalls().items()
    }


@any_influence
@given(table=class_tables(), parts=st.integers(1, 3))
def test_pooling_is_counting_together(table, parts):
    """The posterior of all folds counts the prior once."""
    correct, total = table
    one = from_counts(correct, total, prior="reciprocal")
    pooled = sum([one] * parts)
    assert pooled == from_counts(
        np.multiply(correct, parts), np.multiply(total, parts), prior="reciprocal"
    )


@given(k=st.integers(0, 20), n=st.integers(20, 40))
def test_one_class_is_a_beta_distribution(k, n):
    """With a single class nothing is averaged."""
    posterior = from_counts([k], [n])
    distribution = stats.beta(k + 1, n - k + 1)
    assert posterior.chance == 1
    assert posterior.prob_above_chance() == 0
    np.testing.assert_allclose(
        posterior.cdf([0.2, 0.7]), distribution.cdf([0.2, 0.7]), rtol=0, atol=1e-12
    )


def test_class_weights_weigh_the_classes():
    """The mean is that of the weighted recalls, and a class of weight zero does not count."""
    counts = ([20, 15, 8], [25, 30, 10])
    means = np.array([21 / 27, 16 / 32, 9 / 12])
    posterior = from_counts(*counts, class_weight=[5, 3, 2], prior="uniform")
    assert posterior.mean() == pytest.approx(means @ [0.5, 0.3, 0.2], rel=1e-14)
    assert posterior.class_weight.tolist() == [0.5, 0.3, 0.2]
    alone = from_counts(*counts, class_weight=[0, 0, 1], prior="uniform")
    assert alone.median() == pytest.approx(stats.beta(9, 3).median(), abs=1e-12)
    assert posterior.chance == 1 / 3


def test_priors_by_class():
    """Each class has its own row."""
    posterior = from_counts([0, 0], [0, 0], prior=[[1, 3], [3, 1]])
    assert [distribution.mean() for distribution in posterior.recalls().values()] == [0.25, 0.75]
    assert posterior.prior.tolist() == [[1, 3], [3, 1]]


@any_influence
def test_absent_class_keeps_its_prior():
    """Labels may name a class that is not in y_true."""
    posterior = posterior_balanced_accuracy([0, 0], [0, 1], labels=[0, 5], prior="jeffreys")
    distribution = posterior.recalls()[5]
    assert (distribution.a.tolist(), distribution.b.tolist()) == ([0.5], [0.5])


@pytest.mark.parametrize("prior", ["hierarchical", (0.5, 0.5)], ids=["shared", "pair"])
@pytest.mark.parametrize("kept", [[2], [0, 2]], ids=["one", "two"])
def test_report_on_classes_of_weight_zero(kept, prior):
    """They are not named, and one class that is left is reported as if it was alone."""
    correct, total = np.array([3, 2, 50]), np.array([4, 10, 60])
    weight = np.isin(np.arange(3), kept).astype(float)
    posterior = from_counts(correct, total, class_weight=weight, prior=prior)
    assert posterior.chance == 1 / 3
    assert posterior.score_name == ("Recall" if kept == [2] else "Balanced accuracy")
    report = posterior.report()
    assert "Class 1" not in report
    if kept == [2] and prior != "hierarchical":
        left = from_counts(correct[kept], total[kept], classes=kept, prior=prior)
        assert report == left.report()


# Pooling


def test_pooling_merges_classes_by_label():
    """The prior is resolved again for the union of the classes."""
    one = posterior_balanced_accuracy([0, 0, 1], [0, 1, 1], prior="reciprocal")
    two = posterior_balanced_accuracy([1, 2], [1, 1], prior="reciprocal")
    pooled = one + two
    assert pooled.counts == class_counts([0, 0, 1, 1, 2], [0, 1, 1, 1, 1])
    assert pooled.prior.tolist() == [[1 / 3, 1 / 3]] * 3


@any_influence
def test_pooling_keeps_weights_by_label():
    """A dict of weights serves the union as well."""
    weights = {"a": 1, "b": 1, "c": 2}
    one = posterior_balanced_accuracy(["a", "b"], ["a", "b"], class_weight=weights)
    two = posterior_balanced_accuracy(["c"], ["c"], class_weight=weights)
    assert (one + two).class_weight.tolist() == [0.25, 0.25, 0.5]


@pytest.mark.parametrize(
    ("one", "two", "message"),
    [
        ({"prior": "uniform"}, {"prior": "jeffreys"}, "different prior cannot be pooled"),
        ({"prior": "uniform"}, {"prior": (1, 2)}, "different prior cannot be pooled"),
        ({"prior": "uniform"}, {"prior": [[1, 1], [1, 2]]}, "different prior cannot be pooled"),
        ({"prior": "hierarchical"}, {"prior": "uniform"}, "different prior cannot be pooled"),
        ({"prior": (1, 2)}, {"prior": (2, 1)}, "different prior cannot be pooled"),
        ({"class_weight": None}, {"class_weight": [1, 2]}, "different class_weight cannot"),
        (
            {"prior": "jeffreys", "classes": [0, 1]},
            {"prior": "reciprocal", "classes": [0, 2]},
            "different prior cannot be pooled",
        ),
        ({"class_weight": [1, 2]}, {"class_weight": [2, 1]}, "different class_weight cannot"),
        (
            {"prior": [[1, 1], [2, 2]], "classes": [0, 1]},
            {"prior": [[1, 1], [2, 2]], "classes": [1, 0]},
            "array as prior can be pooled only if they have the same classes",
        ),
        (
            {"class_weight": [1, 2], "classes": [0, 1]},
            {"class_weight": [1, 2], "classes": [0, 2]},
            "array as class_weight can be pooled only if they have the same classes",
        ),
    ],
    ids=[
        "name",
        "name and pair",
        "name and rows",
        "hierarchical",
        "pair",
        "weighted",
        "pool",
        "weights",
        "prior rows",
        "weight rows",
    ],
)
def test_pooling_needs_the_same_prior_and_weights(one, two, message):
    """Nothing is chosen between two priors, and no row is given to another class."""
    with pytest.raises(ValueError, match=message):
        from_counts([1, 1], [2, 2], **one) + from_counts([1, 1], [2, 2], **two)


@pytest.mark.parametrize(
    ("one", "two", "kept"),
    [
        ({"prior": "uniform"}, {"prior": (1, 1)}, ""),
        ({"prior": "uniform"}, {"prior": [[1, 1], [1, 1]]}, "prior=<array of shape (2, 2)>, "),
        ({"prior": "jeffreys"}, {"prior": (0.5, 0.5)}, "prior='jeffreys', "),
        ({"prior": "hierarchical"}, {"prior": Hyperprior()}, "prior='hierarchical', "),
        ({"class_weight": None}, {"class_weight": [3, 3]}, "weighted, "),
        ({"class_weight": {0: 1, 1: 2}}, {"class_weight": [2, 4]}, "weighted, "),
    ],
    ids=["pair", "rows", "jeffreys", "hyperprior", "weights", "dict"],
)
def test_equal_values_can_be_pooled(one, two, kept):
    """Equal posteriors have a sum, from either side, of what is surest of further classes."""
    counts = ClassCounts([0, 1], [7, 3], [9, 4])
    p, q = (PosteriorBalancedAccuracy(counts, **keywords) for keywords in (one, two))
    assert p == q
    for pool in (p + q, q + p, sum([p, q])):
        assert pool == PosteriorBalancedAccuracy(counts + counts, **one)
        assert pool == PosteriorBalancedAccuracy(counts + counts, **two)
        assert f"{kept}n_classes" in repr(pool)


@pytest.mark.parametrize("other", [1, None, "a"], ids=repr)
def test_only_posteriors_pool(posterior, other):
    """Anything else is a TypeError, on both sides."""
    with pytest.raises(TypeError, match="unsupported operand"):
        posterior + other
    with pytest.raises(TypeError, match=r"unsupported operand|can only concatenate"):
        other + posterior


# Bad input


@pytest.mark.parametrize(
    ("C", "message"),
    [
        ([[1, 2, 3], [4, 5, 6]], "C must be a square confusion matrix"),
        ([1, 2], "C must be a square confusion matrix"),
        (np.zeros((0, 0)), "C must be a square confusion matrix"),
        ([[1, -1], [0, 1]], "C must be finite and non-negative"),
        ([[1, np.nan], [0, 1]], "C must be finite and non-negative"),
        ([["a", "b"], ["c", "d"]], "C must be an array of numbers, got 'a' at position \\(0, 0\\)"),
        ([[1, 1], [-3, 1]], "non-negative, got -3.0 at position \\(1, 0\\)$"),
        ([[1e308, 1e308], [0, 1]], r"C must have rows that add up to at most 1e\+15, got inf"),
        (pd.DataFrame(np.eye(2), ["a", "b"], ["b", "a"]), "C must have the same labels"),
        (pd.DataFrame(np.eye(2), ["a", "b"], ["a", "c"]), "row 'b' where the column is 'c'"),
    ],
    ids=[
        "oblong",
        "vector",
        "empty",
        "negative",
        "NaN",
        "text",
        "first",
        "huge",
        "other order",
        "other labels",
    ],
)
def test_bad_matrices_are_refused(C, message):
    """A confusion matrix is square, finite and non-negative."""
    with pytest.raises(ValueError, match=message):
        PosteriorBalancedAccuracy.from_confusion_matrix(C)


@pytest.mark.parametrize(
    ("labels", "expected"), [(None, ["b", "a"]), ([1, 2], [1, 2])], ids=["index", "labels"]
)
def test_a_data_frame_brings_its_labels(labels, expected):
    """The index names the classes, unless labels are given."""
    C = pd.DataFrame([[3, 1], [0, 2]], index=["b", "a"], columns=["b", "a"])
    posterior = PosteriorBalancedAccuracy.from_confusion_matrix(C, labels=labels)
    assert posterior.counts == ClassCounts(expected, [3, 2], [4, 2])


@pytest.mark.parametrize(
    ("classes", "expected"), [(None, ["b", "a"]), ([1, 2], [1, 2])], ids=["index", "classes"]
)
def test_series_bring_their_classes(classes, expected):
    """Counts by class keep their labels, unless others are given."""
    correct, total = pd.Series({"b": 3, "a": 2}), pd.Series({"b": 4, "a": 2})
    counts = from_counts(correct, total, classes=classes).counts
    assert counts == ClassCounts(expected, [3, 2], [4, 2])


def test_one_series_is_an_array():
    """Without a second index there is nothing to compare."""
    assert from_counts([3, 2], pd.Series({"b": 4, "a": 2})) == from_counts([3, 2], [4, 2])


@pytest.mark.parametrize("other", [{"a": 2, "b": 4}, {"b": 4, "c": 2}], ids=["order", "labels"])
def test_series_must_have_one_index(other):
    """They are not aligned in silence, nor taken by position."""
    with pytest.raises(ValueError, match="correct and total must have the same index"):
        from_counts(pd.Series({"b": 1, "a": 2}), pd.Series(other))


@pytest.mark.parametrize(
    ("total", "keywords", "message"),
    [
        ([2e15, 1], {}, r"total must not exceed 1e\+15, got 20{15}.0 at position 0"),
        ([1, 1e15], {}, r"prior and total must add up to .* got a total of 10{15}.0 at position 1"),
        ([1, 1e15], {"prior": (1, 1e15)}, "prior and total must add up to at most"),
    ],
    ids=["total", "sum", "prior"],
)
def test_counts_out_of_range_are_refused(total, keywords, message):
    """At once, and not when the distribution is asked for."""
    with pytest.raises(ValueError, match=message):
        from_counts([0, 1], total, **keywords)


def test_labels_of_a_matrix_must_fit():
    """One label for each row."""
    with pytest.raises(
        ValueError, match="labels must have one label for each of the 2 rows of C, got 3"
    ):
        PosteriorBalancedAccuracy.from_confusion_matrix([[1, 0], [0, 1]], labels=[0, 1, 2])


# As a value


@pytest.mark.parametrize(
    "other",
    [
        from_counts([1, 2], [2, 4]),
        from_counts([1, 1], [2, 2], prior="uniform"),
        from_counts([1, 1], [2, 2], class_weight=[1, 2]),
        ClassCounts([0, 1], [1, 1], [2, 2]),
    ],
    ids=["counts", "prior", "weights", "type"],
)
def test_other_posteriors_are_not_equal(other):
    """Equality is by value."""
    assert from_counts([1, 1], [2, 2]) != other


def test_repr_is_one_line(posterior):
    """Mean, interval, and how much data is behind them."""
    right, wrong = np.array([30, 8, 3]) + 1 / 3, np.array([2, 2, 1]) + 1 / 3
    kept = 1 - (2 / 3) / (right + wrong)
    average = BetaAverage(kept * right, kept * wrong)
    low, high = average.interval(0.95).low, average.hdi(0.95).high
    figures = f"mean={average.mean():.3f}, 95% CI=[{low:.3f}, {high:.3f}]"
    assert repr(posterior) == f"PosteriorBalancedAccuracy({figures}, n_classes=3, n=46)"


@pytest.mark.parametrize(
    ("keywords", "text"),
    [
        ({"prior": "jeffreys"}, "prior='jeffreys'"),
        ({"prior": "uniform"}, "prior='uniform'"),
        ({"prior": (2, 1)}, "prior=(2, 1)"),
        ({"prior": np.ones((3, 2))}, "prior=<array of shape (3, 2)>"),
        ({"class_weight": [1, 2, 3]}, "weighted"),
    ],
    ids=["name", "the papers'", "pair", "rows", "weights"],
)
def test_repr_shows_what_is_not_default(keywords, text):
    """Like scikit-learn's, and on one line."""
    shown = repr(from_counts([30, 8, 3], [32, 10, 4], **keywords))
    assert f", {text}, n_classes=3" in shown
    assert "\n" not in shown


def test_html_has_a_row_for_each_class(read_html, shortest_interval):
    """With the counts, and the mean and the interval of the Beta of the class."""
    page = read_html(from_counts([30, 8], [32, 10], classes=["a", "b"])._repr_html_())
    _, high = shortest_interval(stats.beta(8.5, 2.5), 0.95)
    low = stats.beta(8.5, 2.5).ppf(0.025)
    assert page.rows[0] == ["class", "correct", "total", "accuracy", "95% CI"]
    assert page.rows[2] == ["b", "8", "10", "0.773", f"[{low:.3f}, {high:.3f}]"]


@any_influence
def test_html_is_small_with_many_classes(read_html):
    """Twenty rows and a word on the rest."""
    page = read_html(from_counts(np.ones(100), np.ones(100))._repr_html_())
    assert len(page.rows) == 22
    assert page.rows[-1] == ["and 80 more"]
