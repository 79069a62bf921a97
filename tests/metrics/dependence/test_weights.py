"""Weights that are no case counts: effective sizes, and a warning where nothing was said."""

import warnings

import numpy as np
import pytest

from skpostbac import (
    ClassCounts,
    PosteriorBalancedAccuracy,
    PosteriorComparison,
    class_counts,
    compare_predictions,
    posterior_accuracy,
    posterior_balanced_accuracy,
    posterior_balanced_accuracy_score,
    subgroup_posteriors,
)
from skpostbac.metrics import SampleWeightWarning, paired_counts
from tests.metrics.dependence.slow import draw
from tests.texts import sentences


def weights_of(n, variation, seed=0):
    """Return log-normal weights of mean 1 and a coefficient of variation."""
    spread = np.sqrt(np.log1p(variation**2))
    return np.exp(spread * np.random.default_rng(seed).normal(size=n) - spread**2 / 2)


def by_hand(y, right, weight):
    """Return correct and effective samples of each class, by Kish and by linearisation."""
    found = []
    for label in (classes := sorted(set(y))):
        w, x = weight[y == label], right[y == label]
        size, p = w.sum() ** 2 / (w**2).sum(), (w * x).sum() / w.sum()
        c = 1 / len(classes)
        weak = (p * size + c) / (size + 2 * c)
        # One sample that has its share of squares by its weight.
        share = ((w**2 * x).sum() / (w**2).sum() * size + weak) / (size + 1)
        variance = (share * (1 - weak) ** 2 + (1 - share) * weak**2) / size
        found.append((p, min(size, weak * (1 - weak) / variance)))
    return np.array(found).T


@pytest.mark.filterwarnings("ignore:A few large importance weights")
@pytest.mark.parametrize("variation", [0.3, 1, 2])
@pytest.mark.parametrize(
    "tied", [-1, 0, 1], ids=["errors heavier", "unrelated", "errors lighter"]
)
def test_effective_size(variation, tied):
    """That of Kish, or less where errors have the larger weights."""
    y, y_pred, _, _ = draw(1, n=300)
    right = y == y_pred
    weight = weights_of(300, variation) * np.exp(tied * right)
    counts = class_counts(y, y_pred, sample_weight=weight, weight_type="importance")
    p, size = by_hand(y, right, weight)
    effective = counts.effective()
    np.testing.assert_allclose(effective.total, size, rtol=1e-10)
    np.testing.assert_allclose(effective.recalls, p, rtol=1e-12)
    kish = [weight[y == i].sum() ** 2 / (weight[y == i] ** 2).sum() for i in range(3)]
    assert (effective.total <= np.array(kish) * (1 + 1e-12)).all()


@pytest.mark.parametrize(("names", "sign"), [("ab", 1), ("ba", -1)])
def test_effective_size_of_a_difference(names, sign):
    """That of Kish, or less where discordant samples are heavier, whichever comes first."""
    y, one, two, _ = draw(1, n=300)
    discordance = (one == y) * 1.0 - (two == y)
    weight = weights_of(300, 1) * np.exp(abs(discordance))
    counts = paired_counts(
        y, {"a": one, "b": two}, sample_weight=weight, weight_type="importance"
    )
    found = counts.design_effects(*names).effective_size
    for label in range(3):
        w, x = weight[y == label], sign * discordance[y == label]
        kish = w.sum() ** 2 / (w**2).sum()
        # Two prior samples, shared by the classes, of which half are discordant.
        first, second = (w @ x / w.sum() * kish, w @ x**2 / w.sum() * kish + 1 / 3)
        first, second = first / (kish + 2 / 3), second / (kish + 2 / 3)
        deviation = w**2 @ (x - first) ** 2 / (w**2).sum()
        # One sample that has its share of squares by its weight.
        deviation = (deviation * kish + second - first**2) / (kish + 1)
        size = min(kish, (second - first**2) / deviation * kish)
        assert found[label] == pytest.approx(size, rel=1e-10)


@pytest.mark.parametrize("scale", [1e-90, 7.0, 1e12])
@pytest.mark.parametrize("is_grouped", [False, True], ids=["alone", "grouped"])
def test_scale_of_importance_weights_does_not_matter(scale, is_grouped):
    """Twice as large weights are no more samples, of one classifier and of two."""
    y, y_pred, other, groups = draw(1)
    named, found = {"a": y_pred, "b": other}, []
    for weight in (weights_of(len(y), 1), scale * weights_of(len(y), 1)):
        options = {"sample_weight": weight, "weight_type": "importance"}
        options |= {"groups": groups} if is_grouped else {}
        counts = class_counts(y, y_pred, **options)
        pair = PosteriorComparison.from_paired_counts(
            paired_counts(y, named, **options)
        )
        interval = PosteriorBalancedAccuracy(counts).credible_interval()
        difference = pair.difference_interval("a", "b")
        found.append([*counts.effective().total, *interval, *difference])
    np.testing.assert_allclose(*found, rtol=1e-8)


def test_equal_importance_weights_are_no_weights():
    """Whatever their size."""
    y, y_pred, other, patients = draw(1)
    weight = np.full(len(y), 0.37)
    for groups in (None, patients):
        options = {
            "sample_weight": weight,
            "weight_type": "importance",
            "groups": groups,
        }
        found = class_counts(y, y_pred, **options).effective()
        expected = class_counts(y, y_pred, groups=groups).effective()
        np.testing.assert_allclose(found.total, expected.total, rtol=1e-12)
        np.testing.assert_allclose(found.correct, expected.correct, rtol=1e-12)
        named = {"a": y_pred, "b": other}
        effects = paired_counts(y, named, **options).design_effects("a", "b")
        plain = paired_counts(y, named, groups=groups).design_effects("a", "b")
        expected = np.bincount(y) if plain is None else plain.effective_size
        np.testing.assert_allclose(effects.effective_size, expected, rtol=1e-12)


@pytest.mark.parametrize("is_grouped", [False, True], ids=["alone", "grouped"])
def test_batches_of_importance_weights_add(is_grouped):
    """Rows of batches are those of all samples; JSON keeps them."""
    y, y_pred, other, groups = draw(1)
    weight = weights_of(len(y), 1)

    def count(at):
        options = {"sample_weight": weight[at], "weight_type": "importance"}
        options |= {"groups": groups[at]} if is_grouped else {}
        named = {"a": y_pred[at], "b": other[at]}
        return class_counts(y[at], y_pred[at], **options), paired_counts(
            y[at], named, **options
        )

    whole, pair = count(np.full(len(y), True))
    parts, pairs = zip(
        *(count(groups % 3 == number) for number in range(3)), strict=True
    )
    np.testing.assert_allclose(
        sum(parts).effective().total, whole.effective().total, rtol=1e-12
    )
    np.testing.assert_allclose(
        sum(pairs).design_effects("a", "b").divisor,
        pair.design_effects("a", "b").divisor,
        rtol=1e-12,
    )
    for one in (whole, pair):
        assert type(one).from_json(one.to_json()) == one


FRACTIONS = {
    "halves": np.full(6, 0.5),
    "mean one": np.array([0.2, 1.8, 0.7, 1.3, 1.1, 0.9]),
}
Y, Y_PRED = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 0]
NAMED = {"a": Y_PRED, "b": Y_PRED[::-1]}
CALLS = {
    "class_counts": lambda w, **k: class_counts(Y, Y_PRED, sample_weight=w, **k),
    "paired_counts": lambda w, **k: paired_counts(Y, NAMED, sample_weight=w, **k),
    "balanced accuracy": lambda w, **k: posterior_balanced_accuracy(
        Y, Y_PRED, sample_weight=w, **k
    ),
    "accuracy": lambda w, **k: posterior_accuracy(Y, Y_PRED, sample_weight=w, **k),
    "score": lambda w, **k: posterior_balanced_accuracy_score(
        Y, Y_PRED, sample_weight=w, **k
    ),
    "comparison": lambda w, **k: compare_predictions(Y, NAMED, sample_weight=w, **k),
}


@pytest.mark.parametrize("weight", FRACTIONS.values(), ids=FRACTIONS)
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_fractions_that_nobody_declared_are_warned_of(call, weight):
    """Either meaning silences it, and so do whole numbers."""
    with pytest.warns(SampleWeightWarning, match="weight_type='importance'"):
        undeclared = call(weight)
    for meaning in ("case", "importance"):
        with warnings.catch_warnings():
            warnings.simplefilter("error", SampleWeightWarning)
            declared = call(weight, weight_type=meaning)
            call(np.array([1, 2, 0, 3.0, 1, 1]))
        if meaning == "case" and not isinstance(declared, float):
            assert type(declared) is type(undeclared)


def test_report_counts_samples_and_not_what_they_are_worth():
    """The number of samples, beside their worth; those of weight 0 are none."""
    y, y_pred, _, _ = draw(1, n=120)
    weight = 7 * weights_of(120, 1) * (np.arange(120) % 6 > 0)
    posterior = posterior_balanced_accuracy(
        y, y_pred, sample_weight=weight, weight_type="importance"
    )
    worth = posterior.effective_counts.n_samples
    first, *others = sentences(posterior).splitlines()
    assert (
        f"on the 100 test samples (effective size {worth:.4g}) of 3 classes." in first
    )
    lowest = posterior.counts.recalls.min()
    assert any(
        line.endswith(f"the lowest recall on the test samples: {lowest:.3f}.")
        for line in others
    )
    counts = posterior.counts
    halves = [
        class_counts(
            y[part], y_pred[part], sample_weight=weight[part], weight_type="importance"
        )
        for part in (slice(60), slice(60, None))
    ]
    for same in (sum(halves), ClassCounts.from_json(counts.to_json())):
        assert "on the 100 test samples" in sentences(PosteriorBalancedAccuracy(same))


@pytest.mark.parametrize("entry", [posterior_balanced_accuracy, class_counts])
def test_few_large_weights_are_told(entry):
    """Three of 25 samples with ten times the weight of the others; not with 250 samples."""
    y = np.repeat(["ill", "well"], 25)
    weight = np.where(np.arange(50) % 25 < 3, 10.0, 1.0)
    match = r"about class '(ill|well)': its 25 samples have an effective size of 8\.4"
    with pytest.warns(SampleWeightWarning, match=match) as caught:
        entry(y, y, sample_weight=weight, weight_type="importance")
    assert len(caught) == 1
    entry(
        np.tile(y, 10),
        np.tile(y, 10),
        sample_weight=np.tile(weight, 10),
        weight_type="importance",
    )


@pytest.mark.parametrize("scale", [1.0, 10.0])
def test_reports_have_the_number_of_samples(scale):
    """Of accuracies, comparisons and subgroups, not the sum of the weights."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 200)
    predictions = {name: np.where(rng.random(200) < 0.8, y, 1 - y) for name in "ab"}
    options = {
        "sample_weight": scale * weights_of(200, 0.5),
        "weight_type": "importance",
    }
    site = np.repeat(["x", "y"], 100)
    reports = [
        posterior_accuracy(y, predictions["a"], **options),
        compare_predictions(y, predictions, **options),
        compare_predictions(y, predictions, metric="accuracy", **options),
        compare_predictions(y, predictions, metric="f1", **options),
        subgroup_posteriors(y, predictions["a"], sensitive_features=site, **options),
    ]
    said = ["200 test samples", "same 200 samples", "same 200 samples", "same samples"]
    for report, text in zip(
        map(sentences, reports), [*said, "100 samples"], strict=True
    ):
        assert text in report
        assert "effective samples" not in report
