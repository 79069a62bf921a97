"""The posterior balanced accuracy: published values, invariants, pooling, display."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import balanced_accuracy_score

from skpostbac.metrics import (
    ClassCounts,
    PosteriorBalancedAccuracy,
    PosteriorConfusionMetric,
    class_counts,
    posterior_balanced_accuracy,
)
from tests.texts import sentences

REFERENCE = Path(__file__).parents[2] / "reference"
PUBLISHED = json.loads((REFERENCE / "published.json").read_text(encoding="utf-8"))
TABLE = PUBLISHED["carrillo_table_1"]["rows"]
DISTRIBUTIONS = PUBLISHED["distributions"]["rows"]
from_counts = PosteriorBalancedAccuracy.from_counts
# For tests that take whatever counts there are; those of the warning are elsewhere.
any_influence = pytest.mark.filterwarnings(
    "ignore::skpostbac.metrics.PriorInfluenceWarning",
    "ignore:The last numbers of correct and total are the sums",
)


def names(rows):
    """Return the names of published rows, as test ids."""
    return [row["name"] for row in rows]


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
    expected = [
        row[key] for key in ("mean", "median", "low", "high", "prob_at_or_below_chance")
    ]
    # Half of the digits that the other program claims, or better.
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)


@any_influence
@pytest.mark.parametrize("row", DISTRIBUTIONS, ids=names(DISTRIBUTIONS))
def test_densest_interval_of_published_counts(row):
    """The shortest interval is as short, and holds as much."""
    posterior = from_counts(row["correct"], row["total"], prior=row["prior"])
    low, high = posterior.credible_interval(0.95, method="hdi")
    assert high - low == pytest.approx(row["hdi"][1] - row["hdi"][0], abs=1e-9)
    assert posterior.distribution.cdf(high) - posterior.distribution.cdf(
        low
    ) == pytest.approx(0.95, abs=1e-9)
    # The ends move freely along a flat top: they are known less well than the length.
    np.testing.assert_allclose((low, high), row["hdi"], rtol=0, atol=1e-5)


# Invariants


@any_influence
@given(table=class_tables(), prior=st.sampled_from(["uniform", "jeffreys", (2, 3)]))
def test_mean_is_exact(table, prior):
    """The closed form, in rational arithmetic."""
    correct, total = table
    a, b = {"uniform": (1, 1), "jeffreys": (Fraction(1, 2), Fraction(1, 2))}.get(
        prior, prior
    )
    means = [(a + k) / Fraction(a + b + n) for k, n in zip(correct, total, strict=True)]
    expected = float(sum(means) / len(means))
    assert from_counts(correct, total, prior=prior).mean() == pytest.approx(
        expected, rel=1e-14
    )


@any_influence
@given(table=class_tables(), data=st.data())
def test_permuting_the_classes_changes_nothing(table, data):
    """The average does not depend on the order of the classes, nor do the recalls."""
    correct, total = (np.array(column) for column in table)
    order = np.array(data.draw(st.permutations(range(len(total)))))
    weights = data.draw(
        st.lists(st.integers(1, 9), min_size=len(total), max_size=len(total))
    )
    weights = np.array(weights)
    one = from_counts(correct, total, class_weight=weights)
    two = from_counts(
        correct[order], total[order], classes=order, class_weight=weights[order]
    )
    low, high = one.credible_interval(method="central")
    # Sums in another order.
    np.testing.assert_allclose(
        two.distribution.cdf([low, high]), [0.025, 0.975], rtol=0, atol=1e-9
    )
    assert {
        label: distribution.mean() for label, distribution in one.recalls().items()
    } == {label: distribution.mean() for label, distribution in two.recalls().items()}


@any_influence
@given(table=class_tables(), parts=st.integers(1, 3))
def test_pooling_is_counting_together(table, parts):
    """The posterior of all folds counts the prior once."""
    correct, total = table
    one = from_counts(correct, total, prior="calibrated")
    pooled = PosteriorBalancedAccuracy(sum([one.counts] * parts), prior=one.prior)
    assert pooled == from_counts(
        np.multiply(correct, parts), np.multiply(total, parts), prior="calibrated"
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


def test_before_the_data():
    """The prior of the average has the variance of independent Betas with these weights."""
    nothing = ClassCounts(range(3), [0] * 3, [0] * 3)
    prior = PosteriorBalancedAccuracy(
        nothing, class_weight=[5, 3, 2], prior=(2, 1)
    ).distribution
    assert prior.mean() == pytest.approx(2 / 3, rel=1e-14)
    variance = stats.beta(2, 1).var() * (0.25 + 0.09 + 0.04)
    assert prior.variance() == pytest.approx(variance, rel=1e-12)


@pytest.mark.parametrize("kept", [[2], [0, 2]], ids=["one", "two"])
def test_report_on_classes_of_weight_zero(kept):
    """They are not named, and one class that is left is reported as if it was alone."""
    correct, total = np.array([3, 2, 50]), np.array([4, 10, 60])
    weight = np.isin(np.arange(3), kept).astype(float)
    posterior = from_counts(correct, total, class_weight=weight, prior=(0.5, 0.5))
    assert posterior.chance == 1 / 3
    assert posterior.score_name == ("Recall" if kept == [2] else "Balanced accuracy")
    report = sentences(posterior)
    assert "Class 1" not in report
    if kept == [2]:
        left = from_counts([50], [60], classes=kept, prior=(0.5, 0.5))
        assert report == sentences(left)


@any_influence
def test_report_has_the_value_of_the_samples():
    """As scikit-learn computes it, if all classes have samples."""
    y_true, y_pred = [0] * 9 + [1] * 4, [0] * 7 + [1] * 2 + [1] * 3 + [0]
    observed = balanced_accuracy_score(y_true, y_pred)
    report = sentences(posterior_balanced_accuracy(y_true, y_pred))
    assert f"; {observed:.3f} on the 13 test samples of 2 classes." in report
    assert ", from 3 test samples of 2 classes." in sentences(
        from_counts([2, 0], [3, 0])
    )


def test_report_of_classes_that_are_equally_weak():
    """No class is named as the weakest where several are, or all."""
    report = sentences(from_counts([1, 3, 5, 15], [4, 4, 20, 20]))
    assert (
        "2 classes have the lowest recall on the test samples, 0.250: 0, 2." in report
    )
    assert "lowest" not in sentences(from_counts([3, 15], [4, 20]))


def test_report_of_a_perfect_result():
    """A mean below 1 beside an observed 1, outside of the interval, is no contradiction."""
    perfect = from_counts([15, 39], [15, 39])
    report = sentences(perfect)
    assert report.startswith(
        "The balanced accuracy is 1.000 on the 54 test samples of 2 classes; "
    )
    assert (
        f"for new samples expect {perfect.mean():.3f} (95% credible interval" in report
    )
    assert "All predictions are correct." in report
    assert "lowest recall" not in report
    # A single sample that is right is no reason to name its class.
    report = sentences(from_counts([1, 95], [1, 100]))
    assert (
        "Class 1 has the lowest recall on the test samples: 0.950 (95 of 100" in report
    )
    assert "All predictions" not in report
    one = PosteriorConfusionMetric.from_confusion_matrix(
        [[9, 0], [0, 9]], "f1", pos_label=1
    )
    assert sentences(one).startswith(
        "The F1 of class 1 is 1.000 on the test samples; for new samples expect 0."
    )


# Pooling


@pytest.mark.parametrize("prior", ["calibrated", "reciprocal"])
def test_pooling_merges_classes_by_label(prior):
    """The prior of one batch is resolved again for the union of the classes."""
    one = posterior_balanced_accuracy([0, 0, 1], [0, 1, 1], prior=prior)
    two = posterior_balanced_accuracy([1, 2], [1, 1], prior=prior)
    pooled = PosteriorBalancedAccuracy(one.counts + two.counts, prior=one.prior)
    assert pooled.counts == class_counts([0, 0, 1, 1, 2], [0, 1, 1, 1, 1])
    assert pooled.prior.name == prior
    assert pooled.prior.a.tolist() == pooled.prior.b.tolist() == [1 / 3] * 3


# Bad input


# As a value


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
