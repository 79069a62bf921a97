"""Groups: design effects by worked examples, by loops over groups, and what must not change."""

import json
import pickle
import re
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta

from skpostbac import (
    ClassCounts,
    PosteriorAccuracy,
    PosteriorBalancedAccuracy,
    PosteriorComparison,
    class_counts,
    compare_posteriors,
    compare_predictions,
    posterior_accuracy,
    posterior_balanced_accuracy,
    posterior_balanced_accuracy_score,
    posterior_confusion_metric,
)
from skpostbac.metrics import GroupsWarning, PairedCounts, paired_counts
from tests.metrics.dependence import slow
from tests.metrics.dependence.slow import draw
from tests.texts import sentences

REFERENCE = Path(__file__).parents[2] / "reference" / "groups.json"
CASES = {case["name"]: case for case in json.loads(REFERENCE.read_text())["cases"]}


def samples_of(rows):
    """Return the class, the group and the prediction of each sample of a table."""
    rows = np.array(rows)
    y, groups = (np.repeat(rows[:, column], rows[:, 2]) for column in (0, 1))
    right = np.concatenate([np.arange(n) < k for _, _, n, k in rows])
    return y, np.where(right, y, -1), groups


def beta_of_default(counts):
    """Return a and b of each class under the default prior, from its definition."""
    share = 1 / len(counts.classes)
    a, b = share + counts.correct, share + counts.total - counts.correct
    kept = 1 - np.minimum(counts.total, 1 - share) / (a + b)
    return kept * a, kept * b


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_worked_examples(case):
    """Every value that the rule passes, in four small tables."""
    y, y_pred, groups = samples_of(case["rows"])
    counts = class_counts(y, y_pred, groups=groups)
    effects = counts.design_effects
    found = [effects.correlation, effects.degrees_of_freedom, effects.correlation_used]
    # Student's quantile, which SciPy 1.15 has to 2e-11 only, is in all but the first two.
    np.testing.assert_allclose(found[:2], [case["rho"], case["nu"]], rtol=1e-12)
    assert found[2] == pytest.approx(case["rho_used"], rel=1e-10)
    np.testing.assert_allclose(effects.design_effect, case["design_effect"], rtol=1e-10)
    # The reference has this prior with its full strength, as has an array of its numbers.
    prior = np.full(2, 1 / len(counts.classes))
    distribution = PosteriorBalancedAccuracy(counts, prior=prior).distribution
    assert distribution.mean() == pytest.approx(case["mean"], rel=1e-10)
    assert distribution.standard_deviation() == pytest.approx(case["sd"], rel=1e-10)
    # The reference has the Beta of these moments, and not the average of the classes.
    np.testing.assert_allclose(distribution.interval(), case["interval"], atol=0.006)
    # The default prior has the same means, with the strength of 1.5 - 2 / l samples less.
    default = PosteriorBalancedAccuracy(counts)
    a, b = beta_of_default(counts.effective())
    np.testing.assert_allclose(
        default.distribution.means(), beta(a, b).mean(), rtol=1e-12
    )
    assert default.mean() == pytest.approx(case["mean"], rel=1e-10)


@pytest.mark.parametrize("nested", [True, False], ids=["nested", "crossing"])
@pytest.mark.parametrize("seed", range(6))
def test_design_effects_by_loops(seed, nested):
    """Rows of groups give what loops over samples give."""
    y, y_pred, _, groups = draw(seed, nested=nested, n_groups=5 + 4 * seed)
    right = y == y_pred
    rho, nu, used, across, deff = slow.effects(
        y, groups, right.astype(int), (~right, right)
    )
    effects = class_counts(y, y_pred, groups=groups).design_effects
    assert effects.correlation == pytest.approx(rho, rel=1e-10, abs=1e-12)
    assert effects.degrees_of_freedom == pytest.approx(nu, rel=1e-10)
    assert effects.correlation_used == pytest.approx(used, rel=1e-10)
    assert effects.correlation_across == pytest.approx(across, rel=1e-9, abs=1e-12)
    np.testing.assert_allclose(effects.design_effect, deff, rtol=1e-10)
    assert effects.crosses == (not nested)


@pytest.mark.parametrize("seed", range(6))
def test_design_effects_of_pairs_by_loops(seed):
    """The same of the signed discordance, whichever classifier comes first."""
    y, *predictions, groups = draw(seed, n_groups=8 + 3 * seed)
    one, two = (y == y_pred for y_pred in predictions)
    differ = one != two
    expected = slow.effects(y, groups, two.astype(int) - one, (differ, differ))
    counts = paired_counts(y, dict(zip("AB", predictions, strict=True)), groups=groups)
    for names in ("AB", "BA"):
        effects = counts.design_effects(*names)
        found = [
            effects.correlation,
            effects.degrees_of_freedom,
            effects.correlation_used,
            effects.correlation_across,
        ]
        np.testing.assert_allclose(found, expected[:4], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(effects.design_effect, expected[4], rtol=1e-10)


@pytest.mark.parametrize("class_weight", [None, [1, 2, 5]], ids=["equal", "weighted"])
@pytest.mark.parametrize("seed", [0, 1, 4])
def test_crossing_groups_widen_to_a_matched_beta(seed, class_weight):
    """The mean stays, the variance is multiplied, and the distribution is that of SciPy."""
    y, y_pred, _, groups = draw(seed, n_groups=20, n=300)
    counts = class_counts(y, y_pred, groups=groups)
    effects, plain = counts.design_effects, counts.effective()
    assert effects.correlation_across > 0
    average = PosteriorBalancedAccuracy(plain, class_weight=class_weight)
    means = average.distribution.means()
    factor = slow.widening(
        y,
        groups,
        means * (1 - means),
        effects.design_effect,
        effects.correlation_across,
        average.class_weight,
    )
    posterior = PosteriorBalancedAccuracy(counts, class_weight=class_weight)
    mean, variance = average.mean(), factor * average.distribution.variance()
    assert factor > 1.01
    assert posterior.mean() == pytest.approx(mean, rel=1e-12)
    assert posterior.distribution.variance() == pytest.approx(variance, rel=1e-9)
    size = mean * (1 - mean) / variance - 1
    expected = beta(mean * size, (1 - mean) * size)
    assert posterior.distribution.cdf(0.75) == pytest.approx(
        expected.cdf(0.75), rel=1e-9
    )
    assert posterior.distribution.means().tolist() == means.tolist()
    # Classes alone are not widened.
    assert posterior.recalls()[0].variance() == pytest.approx(
        average.recalls()[0].variance()
    )


@pytest.mark.filterwarnings("ignore::skpostbac.metrics.SampleWeightWarning")
def test_crossing_pairs_widen_to_a_matched_beta():
    """On [-1, 1], and antisymmetric."""
    y, *predictions, groups = draw(3, n_groups=20, n=300)
    counts = paired_counts(y, dict(zip("AB", predictions, strict=True)), groups=groups)
    effects = counts.design_effects("A", "B")
    cells = counts.cells("A", "B") / effects.divisor[:, np.newaxis]
    divided = PosteriorComparison.from_paired_counts(PairedCounts.from_cells(cells))
    plain = divided.difference("B", "A")
    # The default prior: on disagreement but for 1e-6, with the strength of 5/6 of a sample less.
    kept = 1 - 5 / 6 / (cells.sum(axis=1, keepdims=True) + 2 / 3)
    masses = kept * (cells + np.array([0, 1, 1, 0]) / 3) + 1e-6 * np.array(
        [1, -1, -1, 1]
    )
    shares = masses / masses.sum(axis=1, keepdims=True)
    variances = shares[:, 1] + shares[:, 2] - (shares[:, 2] - shares[:, 1]) ** 2
    factor = slow.widening(
        y,
        groups,
        variances,
        effects.design_effect,
        effects.correlation_across,
        np.full(3, 1 / 3),
    )
    comparison = PosteriorComparison.from_paired_counts(counts)
    difference = comparison.difference("B", "A")
    assert effects.correlation_across > 0
    assert difference.mean() == pytest.approx(plain.mean(), rel=1e-10)
    assert difference.variance() == pytest.approx(factor * plain.variance(), rel=1e-9)
    assert difference.support() == (-1, 1)
    mean, variance = (1 + plain.mean()) / 2, factor * plain.variance() / 4
    size = mean * (1 - mean) / variance - 1
    expected = beta(mean * size, (1 - mean) * size)
    assert float(difference.ccdf(0.0)) == pytest.approx(expected.sf(0.5), rel=1e-9)
    np.testing.assert_allclose(
        difference.interval(), 2 * expected.ppf([0.025, 0.975]) - 1
    )
    other = comparison.difference("A", "B")
    assert float(difference.ccdf(-0.1)) == pytest.approx(
        float(other.cdf(0.1)), rel=1e-9
    )


@pytest.mark.parametrize("prior", ["calibrated", "jeffreys"])
def test_groups_of_one_change_nothing(prior):
    """Each sample a group of its own: the same answers, to the last digit."""
    y, *predictions, _ = draw(2)
    named = {"a": predictions[0], "b": predictions[1], "c": predictions[0][::-1]}
    own = np.arange(len(y))
    one = posterior_balanced_accuracy(y, named["a"], groups=own, prior=prior)
    two = posterior_balanced_accuracy(y, named["a"], prior=prior)
    assert one.credible_interval() == two.credible_interval()
    assert one.effective_counts == two.counts
    pairs = [
        compare_predictions(
            y, named, prior=prior, groups=groups, n_draws=2000, random_state=0
        )
        for groups in (own, None)
    ]
    np.testing.assert_array_equal(*(pair.prob_greater() for pair in pairs))
    np.testing.assert_array_equal(*(pair.rank_probabilities() for pair in pairs))
    accuracies = [
        posterior_accuracy(y, named["a"], groups=groups) for groups in (own, None)
    ]
    assert accuracies[0].credible_interval() == accuracies[1].credible_interval()


def test_batches_of_disjoint_groups_add(grouped):
    """Their rows are what design effects are made of, in any order of the batches."""
    y, y_pred, other, groups = grouped
    parts = [groups % 3 == number for number in (2, 0, 1)]
    whole = class_counts(y, y_pred, groups=groups)
    added = sum(class_counts(y[at], y_pred[at], groups=groups[at]) for at in parts)
    for counts in (added, added + ClassCounts([0, 1, 2], [0] * 3, [0] * 3)):
        np.testing.assert_allclose(
            counts.effective().total, whole.effective().total, rtol=1e-12
        )
        assert counts.design_effects.n_groups == len(set(groups))
        largest = (
            counts.design_effects.largest_share,
            whole.design_effects.largest_share,
        )
        np.testing.assert_allclose(*largest, rtol=1e-12)
    named = [{"a": y_pred[at], "b": other[at]} for at in parts]
    paired = sum(
        paired_counts(y[at], columns, groups=groups[at])
        for at, columns in zip(parts, named, strict=True)
    )
    expected = paired_counts(
        y, {"a": y_pred, "b": other}, groups=groups
    ).design_effects("a", "b")
    found = paired.design_effects("a", "b")
    np.testing.assert_allclose(found.divisor, expected.divisor, rtol=1e-12)


def test_json_and_pickles_keep_the_groups(grouped):
    """Sites exchange rows of groups as they exchange counts."""
    y, y_pred, other, groups = grouped
    counts = class_counts(y, y_pred, groups=groups)
    paired = paired_counts(y, {"a": y_pred, "b": other}, groups=groups)
    for one in (counts, paired, counts.reindex([2]), counts.reindex(["none"])):
        read = type(one).from_json(one.to_json())
        assert read == one
        assert read + one == one + one
        assert pickle.loads(pickle.dumps(one)) == one
        assert hash(pickle.loads(pickle.dumps(one))) == hash(one)
    assert paired.margin("a") == counts
    assert counts != ClassCounts(counts.classes, counts.correct, counts.total)


BROKEN = {
    "not an object": (lambda d: [1], "'design' must be an object with the keys"),
    "empty": (lambda d: {}, "'design' must be an object with the keys"),
    "unknown key": (lambda d: d | {"x": 1}, "'design' must be an object with the keys"),
    "not a flag": (
        lambda d: d | {"has_groups": 2},
        "'has_groups' must be bool of shape ()",
    ),
    "shape": (
        lambda d: d | {"sums": d["sums"][:2]},
        "'sums' must be float of shape (3, ",
    ),
    "another classifier": (
        lambda d: d | {"hits": d["hits"] * 2},
        "'hits' must be bool of shape (1, ",
    ),
    "other classes": (
        lambda d: d | {"class_index": [3] * len(d["group"])},
        "'design' must add up to the samples of each class",
    ),
    "half a group": (
        lambda d: d | {"group": [0.5] * len(d["group"])},
        "'group' must be int of shape",
    ),
    "huge group": (
        lambda d: d | {"group": [10**30] * len(d["group"])},
        "'group' must be int of shape",
    ),
    "text": (
        lambda d: d | {"group": ["a"] * len(d["group"])},
        "'group' must be an array of numbers, got 'a'",
    ),
    "negative": (
        lambda d: d | {"sums": [[-n for n in one] for one in d["sums"]]},
        "'sums' must be finite and non-negative",
    ),
    "other totals": (
        lambda d: d | {"sums": [[2 * n for n in one] for one in d["sums"]]},
        "'design' must add up to the samples of each class",
    ),
}


@pytest.mark.parametrize(("change", "message"), BROKEN.values(), ids=BROKEN)
def test_json_of_another_design_is_refused(change, message):
    """With the key that is wrong."""
    y, y_pred, _, groups = draw(1)
    document = json.loads(class_counts(y, y_pred, groups=groups).to_json())
    document["design"] = change(document["design"])
    with pytest.raises(ValueError, match=re.escape(message)):
        ClassCounts.from_json(json.dumps(document))


def test_order_and_names_do_not_matter(grouped):
    """Of the samples, of the groups, and of the classes."""
    y, y_pred, _, groups = grouped
    interval = PosteriorBalancedAccuracy(
        class_counts(y, y_pred, groups=groups)
    ).credible_interval()
    order = np.random.default_rng(0).permutation(len(y))
    names = np.array([f"patient {group}" for group in groups])
    for changed in (
        class_counts(y[order], y_pred[order], groups=groups[order]),
        class_counts(y, y_pred, groups=names),
        class_counts(y, y_pred, groups=groups, labels=[2, 0, 1]),
        class_counts(y, y_pred, groups=groups).reindex([1, 2, 0]),
    ):
        found = PosteriorBalancedAccuracy(changed).credible_interval()
        np.testing.assert_allclose(found, interval, rtol=1e-9)


def test_classes_are_left_out():
    """By labels and afterwards, also if groups have samples of other classes."""
    y, y_pred, _, groups = draw(4, nested=True)
    kept = y != 1
    expected = class_counts(y[kept], y_pred[kept], groups=groups[kept])
    whole = class_counts(y, y_pred, groups=groups)
    for counts in (
        whole.reindex([0, 2]),
        class_counts(y, y_pred, groups=groups, labels=[0, 2]),
    ):
        np.testing.assert_allclose(
            counts.effective().total, expected.effective().total, rtol=1e-12
        )
        accuracy, other = PosteriorAccuracy(counts), PosteriorAccuracy(expected)
        assert accuracy.distribution.variance() == pytest.approx(
            other.distribution.variance(), rel=1e-9
        )
    nothing = whole.reindex(["other"])
    assert nothing.effective() == ClassCounts(["other"], [0], [0])
    assert PosteriorBalancedAccuracy(nothing).mean() == 0.5
    y, y_pred, _, groups = draw(4)
    kept = y != 1
    expected = class_counts(y[kept], y_pred[kept], groups=groups[kept])
    whole = class_counts(y, y_pred, groups=groups)
    assert class_counts(y, y_pred, groups=groups, labels=[0, 2]) == expected
    assert whole.reindex([0, 2]) == expected


def test_accuracy_has_the_design_effect_of_one_class():
    """Groups count as if all samples were of one class."""
    y, y_pred, _, groups = draw(6)
    right = y == y_pred
    *_, deff = slow.effects(
        np.zeros(len(y)), groups, right.astype(int), (~right, right)
    )
    with pytest.warns(GroupsWarning, match="independent groups"):
        posterior = posterior_accuracy(y, y_pred, groups=groups)
    n, k = len(y) / deff[0], right.sum() / deff[0]
    assert posterior.mean() == pytest.approx((k + 0.5) / (n + 1), rel=1e-10)
    assert (posterior.distribution.a + posterior.distribution.b)[0] == pytest.approx(
        n + 1
    )


def warned(y, y_pred, groups):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", GroupsWarning)
        posterior_balanced_accuracy(y, y_pred, groups=groups)
    return [str(entry.message) for entry in caught if entry.category is GroupsWarning]


def balanced(n_groups, size, wrong=4):
    """Two classes of equal groups, each `wrong`-th sample of which is wrong."""
    y = np.repeat([0, 1], n_groups * size)
    y_pred = np.where(np.arange(len(y)) % wrong == 0, 1 - y, y)
    return y, y_pred, np.arange(len(y)) // size


def test_what_is_warned_of():
    """Few groups, no estimate, a large group, and groups across classes."""
    assert warned(*balanced(30, 5)) == []
    (few,) = warned(*balanced(6, 5))
    assert "A class has about 6 independent groups" in few
    y, _, groups = balanced(30, 5)
    (perfect,) = warned(y, y, groups)
    assert "cannot be estimated" in perfect
    y, y_pred, groups = balanced(60, 3)
    (large,) = warned(y, y_pred, np.where(np.arange(len(y)) < 80, 0, groups))
    assert "One group contains a third or more of the samples of class 0" in large
    y, y_pred, _ = balanced(30, 5)
    (crossing,) = warned(y, y_pred, np.arange(len(y)) % 40)
    assert crossing.startswith("Some groups have samples of several classes")
    assert warned(y, y_pred, np.arange(len(y))) == []


def test_scores_do_not_warn():
    """A search would repeat it in each fold."""
    y, y_pred, groups = balanced(6, 5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        score = posterior_balanced_accuracy_score(
            y, y_pred, objective="lower", groups=groups
        )
        alone = posterior_balanced_accuracy_score(y, y_pred, objective="lower")
    assert score < alone


def test_report_says_how_much_the_samples_are_worth():
    """Where all samples of a group are right, or none."""
    y, _, groups = balanced(30, 20)
    y_pred = np.where(groups % 5 == 0, 1 - y, y)
    text = sentences(posterior_balanced_accuracy(y, y_pred, groups=groups))
    assert (
        "The samples come from 60 groups, with an estimated correlation of 1.00" in text
    )


@pytest.mark.parametrize("prior", ["calibrated", "jeffreys"])
def test_several_classifiers_in_groups(grouped, prior):
    """Each pair has its own difference; ranks and losses agree with them."""
    y, one, two, groups = grouped
    named = {"one": one, "two": two, "three": np.roll(one, 1)}
    counts = paired_counts(y, named, groups=groups)
    comparison = PosteriorComparison.from_paired_counts(
        counts, prior=prior, n_draws=20_000, random_state=0
    )
    ranks = comparison.rank_probabilities()
    np.testing.assert_allclose(ranks.sum(axis=0), 1)
    pair = PosteriorComparison.from_paired_counts(
        paired_counts(y, {name: named[name] for name in ("one", "two")}, groups=groups),
        prior=prior,
        random_state=0,
    )
    assert pair.prob_greater()[0, 1] == pytest.approx(
        comparison.prob_greater()[0, 1], abs=1e-9
    )
    assert pair.prob_best().sum() == pytest.approx(1)
    assert "allows for the correlation of samples within" in pair.explanation


def test_widened_averages_are_subtracted():
    """From each other, and from one without groups: variances add up."""
    y, y_pred, _, groups = draw(0, n_groups=20, n=300)
    widened = PosteriorBalancedAccuracy(class_counts(y, y_pred, groups=groups))
    alone = PosteriorBalancedAccuracy(class_counts(y, y_pred))
    difference = compare_posteriors({"one": widened, "two": alone}).difference(
        "one", "two"
    )
    assert difference.variance() == pytest.approx(
        widened.distribution.variance() + alone.distribution.variance(), rel=1e-9
    )
    both = compare_posteriors({"one": widened, "two": widened})
    assert both.prob_greater()[0, 1] == pytest.approx(0.5, abs=1e-9)


POSTERIORS = {
    "balanced accuracy": posterior_balanced_accuracy,
    "accuracy": posterior_accuracy,
    "comparison": lambda y, p, **options: compare_predictions(
        y, {"a": p, "b": 1 - p}, **options
    ),
    "metric": partial(posterior_confusion_metric, metric="accuracy"),
}


@pytest.mark.parametrize("function", POSTERIORS.values(), ids=POSTERIORS)
def test_repeated_ids_are_told(function):
    """The index of a Series names the samples; where it repeats, groups are asked for."""
    y, y_pred, _ = balanced(30, 5)
    repeated = pd.Series(y, index=np.arange(300) // 2)
    with pytest.warns(
        GroupsWarning, match=r"such as .*0\)?\. If they are samples of one patient"
    ):
        function(repeated, y_pred)
    with warnings.catch_warnings(action="error", category=GroupsWarning):
        function(repeated, y_pred, groups=np.arange(300))
        function(pd.Series(y), y_pred)


def test_json_has_rows():
    """One for each group, class and outcome, with numbers for the names of groups."""
    counts = class_counts(
        [0, 0, 1, 1, 1], [0, 1, 1, 1, 0], groups=["Ada", "Eve", "Eve", "Eve", "Ada"]
    )
    assert json.loads(counts.to_json())["design"] == {
        "has_groups": True,
        "is_importance": False,
        "group": [0, 0, 1, 1],
        "class_index": [0, 1, 0, 1],
        "hits": [[True, False, False, True]],
        "sums": [[1, 1, 1, 2]] * 3,
    }


def test_rows_do_not_depend_on_the_number_of_samples():
    """Twice as many samples of the same groups are as many rows, with twice the counts."""
    y, y_pred, _, groups = draw(1)
    twice = class_counts(np.tile(y, 2), np.tile(y_pred, 2), groups=np.tile(groups, 2))
    weighted = class_counts(
        y, y_pred, groups=groups, sample_weight=np.full(len(y), 2.0)
    )
    assert twice == weighted
    one = class_counts(y, y_pred, groups=groups)._design
    assert np.array_equal(one.group, twice._design.group)
    assert np.array_equal(2 * one.sums, twice._design.sums)


@pytest.mark.filterwarnings("ignore::skpostbac.metrics.GroupsWarning")
def test_constant_outcomes_have_no_correlation():
    """Rounding does not make groups differ whose samples are all alike."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 200)
    weight = rng.choice([0.1, 0.3, 0.7], 200)
    options = {"sample_weight": weight, "weight_type": "case"}
    effects = posterior_confusion_metric(
        y,
        (y + 1) % 3,
        "precision",
        pos_label=1,
        groups=rng.integers(0, 9, 200),
        **options,
    ).design_effects
    assert effects.degrees_of_freedom == effects.correlation == 0


def test_groups_of_one_sample_of_each_class():
    """They are not said to be single samples: the recalls are correlated."""
    y = np.repeat([0, 1], 50)
    y_pred = np.where(np.arange(100) % 50 < 9, 1 - y, y)
    with pytest.warns(GroupsWarning, match="Some groups have samples of several"):
        crossing = posterior_balanced_accuracy(y, y_pred, groups=np.arange(100) % 50)
    report = sentences(crossing)
    assert "No class has several samples of one of the 50 groups." in report
    assert "Some groups have samples of several classes" in report
    alone = posterior_balanced_accuracy(y, y_pred, groups=np.arange(100))
    assert "Each of the 100 groups has one sample" in sentences(alone)


@pytest.mark.parametrize("size", [2, 5])
def test_groups_count_as_one_sample_at_least(size):
    """Where samples of a group are all right or all wrong, each is worth one."""
    group = np.repeat(np.arange(40), size)
    y_true = group % 2
    y_pred = np.where(group % 5 == 0, 1 - y_true, y_true)
    effects = class_counts(y_true, y_pred, groups=group).design_effects
    assert effects.correlation_used == 1
    np.testing.assert_allclose(effects.effective_size, 20)


def test_correlation_is_assumed_where_no_sample_is_wrong():
    """It is not said to be estimated."""
    y = np.repeat([0, 1], 40)
    with pytest.warns(GroupsWarning, match="cannot be estimated"):
        posterior = posterior_balanced_accuracy(y, y, groups=np.arange(80) // 4)
    assert "with an assumed correlation of 0.96." in sentences(posterior)
    assert "estimated correlation" not in sentences(posterior)
