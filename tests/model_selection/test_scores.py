"""Paired comparison of rankings, beside the posteriors of each and plain loops."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from skpostbac import (
    compare_posteriors,
    compare_scores,
    posterior_average_precision,
    posterior_roc_auc,
)
from skpostbac.metrics._ranking.areas import Ranking, make_curves, roc_area

METRICS = {
    "roc_auc": (posterior_roc_auc, roc_auc_score),
    "average_precision": (posterior_average_precision, average_precision_score),
}
each_metric = pytest.mark.parametrize("metric", METRICS)


def draw(n, seed=0, shifts=(1.0, 1.4, 1.2)):
    """Return labels, and correlated scores of several classifiers, some of them tied."""
    rng = np.random.default_rng(seed)
    y, shared = rng.random(n) < 0.4, rng.normal(size=n)
    names = ["one", "two", "three"][: len(shifts)]
    return y, {
        name: (shared + rng.normal(size=n) / 2 + shift * y).round(1)
        for name, shift in zip(names, shifts, strict=True)
    }


@pytest.mark.slow
@each_metric
def test_posteriors_are_those_of_each_alone(metric):
    """Within the error of the draws; the values on the test samples are scikit-learn's."""
    y, scores = draw(60)
    comparison = compare_scores(y, scores, metric=metric)
    posterior_of, score = METRICS[metric]
    for found, values in zip(comparison.posteriors, scores.values(), strict=True):
        alone = posterior_of(y, values)
        assert found.observed == pytest.approx(score(y, values), abs=1e-12)
        assert found.mean() == pytest.approx(
            alone.mean(), abs=6 * alone.summary()["monte_carlo_error"]
        )
        assert found.standard_deviation() == pytest.approx(
            alone.standard_deviation(), rel=0.03
        )


def weighted(y, scores, rng, score):
    """Draw the difference of weighted samples, with four corners of each class beyond them."""
    w, areas = rng.standard_gamma(np.ones(len(y))), []
    # Both low, the first low, the second low, both high: negatives, positives.
    corners = rng.standard_gamma([[3 / 8, 1 / 8, 1 / 8, 3 / 8]] * 2)
    for values, low in zip(scores.values(), ([0, 1], [0, 2]), strict=True):
        high = [i for i in range(4) if i not in low]
        ends = np.stack(
            [corners[:, i].sum(axis=1) for i in (low, high)], axis=1
        ).ravel()
        extended = (
            np.append(y, [False, False, True, True]),
            np.append(values, [-99, 99, -99, 99]),
        )
        areas.append(score(*extended, sample_weight=np.append(w, ends)))
    return areas[1] - areas[0]


@each_metric
@pytest.mark.slow
def test_difference_is_that_of_weighted_samples(metric):
    """Mean and spread of differences that scikit-learn computes of drawn weights."""
    y, scores = draw(40, shifts=(1.0, 1.4))
    rng, size, score = np.random.default_rng(0), 500, METRICS[metric][1]
    differences = [weighted(y, scores, rng, score) for _ in range(size)]
    found = compare_scores(y, scores, metric=metric).difference("two", "one")
    spread = np.std(differences)
    assert found.mean() == pytest.approx(
        np.mean(differences), abs=5 * spread / size**0.5
    )
    assert found.standard_deviation() == pytest.approx(
        spread, rel=5 / (2 * size) ** 0.5
    )


@pytest.mark.slow
def test_classifiers_that_agree_are_compared_more_precisely():
    """Than on different samples; equal ones are as likely to be better as not."""
    y, scores = draw(300)
    paired = compare_scores(y, scores)
    alone = {name: posterior_roc_auc(y, values) for name, values in scores.items()}
    apart = compare_posteriors(alone)
    one, other = (each.difference("two", "one") for each in (paired, apart))
    assert one.standard_deviation() < 0.8 * other.standard_deviation()
    same = compare_scores(y, {"one": scores["one"], "two": scores["one"]})
    assert same.prob_greater()[0, 1] == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("n_classifiers", [1, 2, 3, 4, 5, 8, 9, 20])
def test_each_pair_has_the_same_law_beyond_all_scores(n_classifiers):
    """Whatever its company: sums of Gamma variables have the sums of their shapes."""
    y, s = draw(12, shifts=(1.0,))
    rankings = [Ranking(s["one"], y, classifier=i) for i in range(n_classifiers)]
    # Groups, so that one classifier has separate ends, too.
    curves = make_curves(rankings, roc_area, np.ones(12), np.arange(12))
    n_levels = curves.n_levels[0]
    shapes = curves.shapes[curves.ends]
    beyond = (
        curves.matrix[:, curves.ends].toarray().reshape(n_classifiers, 2, n_levels, -1)
    )
    for label, own in enumerate(np.moveaxis(beyond[:, :, [0, -1]], 1, 0)):
        assert shapes[own.any(axis=(0, 1))].sum() == pytest.approx(1), label
        for i, first in enumerate(own):
            assert first @ shapes == pytest.approx([1 / 2, 1 / 2])
            for second in own[:i]:
                law = np.einsum("iu,ju,u->ij", first, second, shapes)
                assert law == pytest.approx(np.array([[3, 1], [1, 3]]) / 8)


@each_metric
def test_others_do_not_change_a_difference(metric):
    """Within the error of the draws, wherever the pair stands among them."""
    y, scores = draw(30)
    pair = {name: scores[name] for name in ("one", "two")}
    more = {f"other {i}": scores["three"] ** i for i in range(3)}
    found, among = (
        compare_scores(y, each, metric=metric, n_draws=20_000).difference("two", "one")
        for each in (pair, {"one": pair["one"], **more, "two": pair["two"]})
    )
    spread = found.standard_deviation()
    assert among.mean() == pytest.approx(found.mean(), abs=0.04 * spread)
    assert among.standard_deviation() == pytest.approx(spread, rel=0.03)
    assert among.credible_interval() == pytest.approx(
        found.credible_interval(), abs=0.15 * spread
    )


def test_a_better_one_is_found():
    """DeLong's test finds it in 54 of 100 such data sets: areas of 0.80 and 0.885."""
    y = np.arange(45) < 15
    n_found = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        own = rng.normal(size=(2, 45)) * 0.2**0.5
        one, two = rng.normal(size=45) * 0.8**0.5 + own + np.outer([1.19, 1.70], y)
        comparison = compare_scores(
            y, {"one": one, "two": two}, n_draws=1000, random_state=seed
        )
        n_found += comparison.prob_greater("two", "one") > 0.95
    assert n_found > 25


def test_one_that_is_never_worse_is_not_surely_better():
    """If a single sample tells."""
    y = np.repeat([0, 1], 10)
    one = np.append(np.arange(10), np.arange(10) + 5.5)
    two = one + 1.0 * (np.arange(20) == 12)
    assert 0.5 < compare_scores(y, {"one": one, "two": two}).prob_best()[1] < 0.95


def test_many_samples_have_the_normal_limit():
    """As by draws of the same samples."""
    y, scores = draw(6000)
    scores = {
        name: values + np.linspace(0, 1e-6, 6000) for name, values in scores.items()
    }
    limit, drawn = (compare_scores(y, scores, n_draws=n) for n in (None, 2000))
    assert (
        limit.posteriors[0].summary()["monte_carlo_error"]
        == 0
        < drawn.posteriors[0].summary()["monte_carlo_error"]
    )
    one, other = (each.difference("two", "one") for each in (limit, drawn))
    assert one.mean() == pytest.approx(
        other.mean(), abs=0.2 * other.standard_deviation()
    )
    assert one.standard_deviation() == pytest.approx(
        other.standard_deviation(), rel=0.1
    )


def test_more_classes_groups_and_weights():
    """The posteriors follow the options; all results are those of one joint distribution."""
    rng = np.random.default_rng(1)
    y = rng.choice(["a", "b", "c"], 90)
    scores = {
        name: rng.random((90, 3)) + gain * (y[:, np.newaxis] == ["a", "b", "c"])
        for name, gain in [("one", 0.2), ("two", 0.4), ("three", 0.3)]
    }
    options = {
        "multi_class": "ovr",
        "average": "weighted",
        "groups": np.arange(90) // 3,
    }
    comparison = compare_scores(y, scores, rope=0.01, n_draws=3000, **options)
    alone = posterior_roc_auc(y, scores["two"], n_draws=3000, **options)
    assert comparison.posteriors[1].mean() == pytest.approx(alone.mean(), abs=0.01)
    assert comparison.rank_probabilities().sum(axis=0) == pytest.approx(1)
    assert sum(comparison.rope_masses("one", "two")) == pytest.approx(1)
    assert "90 samples from 30 groups" in " ".join(comparison.report().split())
    weight = {"sample_weight": rng.uniform(0.5, 2, 90), "weight_type": "importance"}
    assert compare_scores(y, scores, n_draws=100, multi_class="ovo", **weight).summary()
    assert pickle.loads(pickle.dumps(comparison)).prob_best() == pytest.approx(
        comparison.prob_best()
    )


def test_columns_of_a_frame_are_classifiers():
    """Under their names; the picture has them, too."""
    y, scores = draw(40)
    comparison = compare_scores(y, pd.DataFrame(scores), n_draws=500)
    assert comparison.names == ("one", "two", "three")
    assert "metric='ROC AUC'" in repr(comparison)
    assert comparison._repr_html_()
    display = comparison.plot(kind="decision")
    assert display.ax_.get_xlabel() == "ROC AUC"


Y, S = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
WRONG = {
    "alone": (
        {"scores": {"one": S}},
        "scores must hold at least two to compare, got 1",
    ),
    "text": ({"scores": {"one": S, "two": list("abcd")}}, r"scores\['two'\] must be"),
    "length": ({"scores": {"one": S, "two": S[:3]}}, r"y_true and scores\['two'\]"),
    "metric": ({"metric": "auc"}, "metric must be one of"),
    "rope": ({"rope": -1}, "rope must be"),
    "prevalence": (
        {"metric": "average_precision", "prevalence": 2},
        "prevalence must be",
    ),
}


@pytest.mark.parametrize(("arguments", "message"), WRONG.values(), ids=WRONG)
def test_wrong_arguments_are_named(arguments, message):
    """By one error."""
    given = {"scores": {"one": S, "two": S}, "n_draws": 10, **arguments}
    with pytest.raises(ValueError, match=message):
        compare_scores(Y, given.pop("scores"), **given)
