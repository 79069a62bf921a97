"""The choice of a candidate by its pooled posterior, and the posterior of the best one."""

import copy
from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from skpostbac.metrics import (
    ClassCountsScorer,
    OutcomesScorer,
    PairedCounts,
    PosteriorBalancedAccuracy,
    paired_counts,
    posterior_balanced_accuracy,
)
from skpostbac.model_selection import (
    PosteriorRefit,
    compare_predictions,
    pooled_posteriors,
    selected_posterior,
)
from tests.texts import sentences

NAN = np.nan
TREE = DecisionTreeClassifier(random_state=0)


def search_results(correct, total):
    """Write counts [candidate][split][class] as the `cv_results_` of a search."""
    return {
        f"split{split}_test_{kind}_{label}": values[:, split, label]
        for kind, values in (("correct", np.array(correct)), ("total", np.array(total)))
        for split in range(values.shape[1])
        for label in range(values.shape[2])
    }


def results_of(correct, **values):
    """Write candidates that were tested on 100 samples of each of two classes."""
    counts = [[[number, number]] for number in correct]
    params = [
        dict(zip(values, row, strict=True))
        for row in zip(*values.values(), strict=True)
    ]
    return search_results(counts, [[[100, 100]]] * len(correct)) | {"params": params}


@pytest.fixture(scope="module")
def tumours():
    """569 tumours, 212 malignant, under their names."""
    X, y = load_breast_cancer(return_X_y=True)
    return X, np.array(["malignant", "benign"])[y]


@pytest.fixture(scope="module")
def results(tumours):
    """A search of 30 candidates on 150 samples."""
    X, y = tumours
    grid = {"n_neighbors": range(1, 30, 2), "p": [1, 2]}
    search = GridSearchCV(
        KNeighborsClassifier(), grid, scoring=OutcomesScorer(len(y)), refit=False, cv=5
    )
    return search.fit(X[:150, :2], y[:150]).cv_results_


# ---- the best candidate

# Candidate 0 has the higher mean; candidate 1 has ten times the samples, hence the higher bound.
FEW_OR_MANY = search_results([[[9, 10]], [[90, 88]]], [[[10, 10]], [[100, 100]]])


@pytest.mark.parametrize("objective", ["lower", "mean", "median", "mode", "upper"])
def test_the_largest_objective_wins(objective):
    """The index is that of the largest value of the objective."""
    posteriors = [
        PosteriorBalancedAccuracy.from_counts([9, 10], [10, 10]),
        PosteriorBalancedAccuracy.from_counts([90, 88], [100, 100]),
    ]
    value = {
        "lower": lambda p: p.distribution.icdf(0.05),
        "upper": lambda p: p.distribution.icdf(0.95),
    }.get(objective, lambda p: getattr(p, objective)())
    values = [value(posterior) for posterior in posteriors]
    index = PosteriorRefit(objective)(FEW_OR_MANY)
    assert type(index) is int
    assert index == np.argmax(values)
    records = PosteriorRefit(objective).summary(FEW_OR_MANY)
    assert [record["objective"] for record in records] == pytest.approx(values)


def test_level_weights_and_ties():
    """A low lower bound lies high in the tail; weights are by label; ties go to the first."""
    assert PosteriorRefit("lower", level=0.01)(FEW_OR_MANY) == 0
    one_each = search_results([[[9, 5]], [[5, 8]]], [[[10, 10]]] * 2)
    assert PosteriorRefit(class_weight={0: 9, 1: 1})(one_each) == 0
    assert PosteriorRefit(class_weight={0: 1, 1: 9})(one_each) == 1
    equal = [[[1, 1], [1, 1]], [[9, 8], [7, 9]], [[7, 9], [9, 8]]]
    assert PosteriorRefit()(search_results(equal, [[[10, 10], [10, 10]]] * 3)) == 1


def test_failed_candidates_are_passed_over():
    """The warning names them; the index still counts them."""
    counts = (
        [[[9, 9]], [[NAN, NAN]], [[10, 10]]],
        [[[10, 10]], [[NAN, NAN]], [[10, 10]]],
    )
    with pytest.warns(FitFailedWarning, match="skipped: candidate 1, split 0$"):
        assert PosteriorRefit()(search_results(*counts)) == 2
    failed = search_results([[[NAN, NAN]]] * 2, [[[NAN, NAN]]] * 2)
    with pytest.raises(
        ValueError, match="have failed fits: candidate 0, split 0; candidate 1"
    ):
        PosteriorRefit()(failed)


def test_repeats_count_once(tumours):
    """The same folds twice are no more evidence, paired or not."""
    even, odd = np.arange(0, 200, 2), np.arange(1, 200, 2)
    folds = [(even, odd), (odd, even)]
    for scorer in (OutcomesScorer(100), ClassCountsScorer()):
        options = {"scoring": scorer, "refit": False}
        once, twice = (
            GridSearchCV(TREE, {"max_depth": [1, 3, 8]}, cv=cv, **options)
            .fit(*tumours)
            .cv_results_
            for cv in (folds, folds * 2)
        )
        expected = pd.DataFrame(PosteriorRefit(rope=0.01).summary(once))
        found = pd.DataFrame(PosteriorRefit(rope=0.01, n_repeats=2).summary(twice))
        pd.testing.assert_frame_equal(found, expected, rtol=1e-9)
    with pytest.raises(ValueError, match="n_repeats must divide"):
        PosteriorRefit(n_repeats=3)(twice)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"objective": "best"}, "objective must be one of"),
        ({"level": 1.0}, "level must be"),
        ({"prior": "flat"}, "prior must be"),
        ({"prior": (0, 1)}, "prior must"),
        ({"class_weight": [-1, 1]}, "class_weight must"),
        ({"labels": [1, 1]}, "labels must not"),
        ({"labels": [0, 1], "prior": [[1, 1]] * 3}, "prior must have"),
        ({"labels": [0, 1], "class_weight": {0: 1}}, "class_weight has no weight for"),
        ({"class_weight": {1: 1, "1": 2}}, "different keys of the same"),
        ({"n_repeats": 0}, "n_repeats must be"),
        ({"n_repeats": True}, "n_repeats must be"),
        ({"rope": -0.1}, "rope must be"),
        ({"limit": 0}, "limit must be"),
        ({"limit": 1.0}, "limit must be"),
        ({"limit": "0.5"}, "limit must be"),
    ],
    ids=str,
)
def test_bad_parameters_are_refused_before_the_search(options, message):
    """The constructor checks them."""
    with pytest.raises(ValueError, match=message):
        PosteriorRefit(**options)


def test_dicts_and_arrays_are_copied():
    """The rule prints as before, and as what makes it again."""
    weights = {"a": 1.0, "b": 2.0}
    rule = PosteriorRefit(class_weight=weights)
    weights["a"] = 9.0
    assert rule.class_weight == {"a": 1.0, "b": 2.0}
    other = PosteriorRefit(class_weight={"b": 2, "a": 1})
    assert (rule, hash(rule)) == (other, hash(other))
    assert eval(repr(rule)) == rule
    prior, weights, labels = np.ones((2, 2)), np.array([1.0, 2.0]), np.array(["a", "b"])
    rule = PosteriorRefit(prior=prior, class_weight=weights, labels=labels)
    same = copy.deepcopy(rule)
    prior[:], weights[:], labels[:] = 9, 9, "c"
    assert rule == same
    assert (rule.prior, rule.class_weight) == (((1.0, 1.0), (1.0, 1.0)), (1.0, 2.0))


# ---- the simplest candidate that is not clearly worse

# The last is the best, the second and the third hardly differ from it.
LADDER = {"correct": [60, 89, 89, 90], "depth": [1, 2, 3, 4], "C": [1.0, 5.0, 5.0, 0.1]}


def count_params(params):
    """Return a complexity that a search could not know."""
    return len(params), params.get("depth", 9)


@pytest.mark.parametrize(
    ("complexity", "chosen"),
    [
        pytest.param(None, 3, id="none"),
        pytest.param("depth", 1, id="name"),
        pytest.param("-depth", 3, id="larger is simpler"),
        pytest.param("-C", 1, id="tie"),  # of complexity and objective
        pytest.param("C", 3, id="number"),
        pytest.param("mean_score_time", 2, id="column"),
        pytest.param(count_params, 1, id="function"),
        pytest.param(lambda params: "abcd"[-params["depth"]], 3, id="text"),
    ],
)
def test_the_simplest_that_is_not_clearly_worse(complexity, chosen):
    """The first candidate is the simplest by most of them, and clearly worse."""
    results = results_of(**LADDER) | {"mean_score_time": np.array([0.1, 0.3, 0.2, 0.4])}
    rule = PosteriorRefit(complexity=complexity)
    assert rule(results) == rule(pd.DataFrame(results)) == chosen


def test_ties_in_complexity_and_no_limit():
    """A tie goes to the larger objective, then to the first; None is the most complex."""
    rule, reverse = (
        PosteriorRefit(complexity="depth"),
        PosteriorRefit(complexity="-depth"),
    )
    assert rule(results_of([88, 89, 89, 90], depth=[2, 2, 2, 3])) == 1
    assert rule(results_of([90, 90], depth=[None, 7])) == 1
    assert reverse(results_of([90, 90], depth=[7, None])) == 1


def test_the_rope_and_the_limit_matter():
    """One point less is worse with a probability between 1/2 and 0.84, by 0.2 hardly ever."""
    results = results_of([89, 90], depth=[1, 2])
    assert PosteriorRefit(complexity="depth")(results) == 0
    assert PosteriorRefit(complexity="depth", limit=0.5)(results) == 1
    assert PosteriorRefit(complexity="depth", limit=0.05)(results) == 1
    assert PosteriorRefit(complexity="depth", limit=0.05, rope=0.2)(results) == 0
    # The default is one standard deviation of the difference, nearly normal for many samples.
    n, best = 10_000, 9_000
    sd = np.sqrt(2 * 0.9 * 0.1 / n / 2)
    for deviations, chosen in [(0.9, 0), (1.1, 1)]:
        counts = [[[best - n * sd * deviations] * 2], [[best] * 2]], [[[n, n]]] * 2
        results = search_results(*counts) | {"params": results["params"]}
        assert PosteriorRefit("mean", complexity="depth")(results) == chosen


def test_summary_is_what_the_choice_follows():
    """One record for each candidate; failed ones have no values, nor need they a complexity."""
    results = results_of([90, NAN, 89, 60], depth=[4, "?", 3, 1])
    rule = PosteriorRefit("mean", complexity="depth", rope=0.01, prior="uniform")
    with pytest.warns(FitFailedWarning, match="candidate 1, split 0"):
        table = pd.DataFrame(rule.summary(results))
    assert table["candidate"].tolist() == [0, 1, 2, 3]
    # The mean of Beta(1 + k, 1 + 100 - k) is (1 + k) / 102, and of the average of two as well.
    np.testing.assert_allclose(
        table["objective"], [91 / 102, NAN, 90 / 102, 61 / 102], rtol=1e-12
    )
    assert table["complexity"][[0, 2, 3]].tolist() == [4, 3, 1]
    assert table["prob_worse"][0] == 0
    assert np.isnan(table["prob_worse"][1])
    assert table["eligible"].tolist() == [True, False, True, False]
    assert table["chosen"].tolist() == [False, False, True, False]


def test_independent_posteriors_against_draws():
    """Without the outcomes of samples, each posterior is drawn on its own."""
    rng = np.random.default_rng(0)
    correct, total = np.array([[30, 8], [31, 9]]), np.array([32, 10])
    counts = search_results(correct[:, np.newaxis], [[total]] * 2)
    (record, _) = PosteriorRefit("mean", rope=0.03, prior="uniform").summary(counts)
    first, second = (
        rng.beta(1 + k, 1 + total - k, (400_000, 2)).mean(axis=1) for k in correct
    )
    assert record["prob_worse"] == pytest.approx(
        np.mean(first < second - 0.03), abs=0.004
    )  # 5 se


@pytest.mark.slow
@pytest.mark.parametrize(
    ("labels", "options"),
    [
        (None, {"prior": "jeffreys", "class_weight": {"benign": 1, "malignant": 3}}),
        (["malignant", "benign"], {"prior": [[1, 2], [3, 4]]}),
    ],
    ids=["weights", "priors"],
)
def test_paired_probabilities_are_those_of_the_predictions(labels, options, tumours):
    """What the search keeps is what the predictions say, sample by sample."""
    X, y = tumours
    rule = PosteriorRefit(
        "mean", complexity="max_depth", rope=0.01, limit=0.3, labels=labels, **options
    )
    grid = {"max_depth": [1, 2, 3, 5]}
    search = GridSearchCV(TREE, grid, scoring=OutcomesScorer(len(y)), refit=rule).fit(
        X, y
    )
    predictions = {
        str(depth): cross_val_predict(clone(TREE).set_params(max_depth=depth), X, y)
        for depth in grid["max_depth"]
    }
    comparison = compare_predictions(
        y, predictions, rope=0.01, labels=labels, **options
    )
    best = comparison.ranking()[0]
    expected = [
        0.0 if name == best else comparison.rope_masses(name, best).below
        for name in comparison.names
    ]
    table = rule.summary(search.cv_results_)
    np.testing.assert_allclose(
        [row["prob_worse"] for row in table], expected, atol=1e-10
    )
    eligible = [
        index for index, probability in enumerate(expected) if probability < 0.3
    ]
    assert search.best_index_ == eligible[0]  # the depths increase


@pytest.mark.parametrize(
    ("complexity", "values", "message"),
    [
        ("deep", {"depth": [1, 2]}, r"parameter .*\['depth'\].* got 'deep'"),
        ("", {"depth": [1, 2]}, "got ''"),
        (
            "kernel",
            {"kernel": ["rbf", "rbf"]},
            "candidate 0 has no number for 'kernel'",
        ),
        ("depth", {"depth": [1, NAN]}, "candidate 1 has no number .* nan"),
        (lambda params: params["depth"], {"depth": [1, "all"]}, "complexity: .*'<'"),
    ],
    ids=["name", "empty", "text", "nan", "mixed"],
)
def test_a_complexity_must_have_an_order(complexity, values, message):
    """One clear error that names the argument."""
    with pytest.raises((ValueError, TypeError), match=message):
        PosteriorRefit(complexity=complexity)(results_of([89, 90], **values))


def test_parameters_that_are_missing():
    """As in a list of grids: a function of the parameters can say what is simpler."""
    results = results_of([89, 90], depth=[1, 2]) | {
        "params": [{"depth": 1}, {"leaves": 3}]
    }
    with pytest.raises(
        ValueError, match=r"candidate 1 has no number for 'depth'.* give a func"
    ):
        PosteriorRefit(complexity="depth")(results)
    assert PosteriorRefit(complexity=count_params)(results) == 0
    with pytest.raises(ValueError, match="complexity needs the 'params'"):
        PosteriorRefit(complexity="depth")(FEW_OR_MANY)
    with pytest.raises(
        TypeError, match=r"cv_results\['params'\] must hold a dict for each"
    ):
        PosteriorRefit(complexity="depth")(results | {"params": [1, 2]})
    with pytest.raises(ValueError, match="a value for each of the 2 candidates, got 1"):
        PosteriorRefit(complexity="depth")(results | {"params": [{"depth": 1}]})


# ---- the posterior of the best candidate, corrected


def test_the_uncorrected_posterior_is_that_of_the_pooled_folds(results):
    """Of the candidate with the largest balanced accuracy."""
    options = {"labels": ["malignant", "benign"], "class_weight": [1, 2]}
    pooled = pooled_posteriors(results, **options)
    selected = selected_posterior(results, **options)
    recalls = [p.counts.correct / p.counts.total @ [1 / 3, 2 / 3] for p in pooled]
    assert (selected.candidate, selected.n_candidates) == (np.argmax(recalls), 30)
    assert selected.uncorrected == pooled[selected.candidate]
    gain = selected.uncorrected.mean() - selected.mean()
    assert gain == pytest.approx(selected.optimism, rel=0.02)
    assert 0.005 < selected.optimism < 0.05
    again, other = (
        selected_posterior(results, random_state=seed, **options) for seed in (0, 2)
    )
    assert again == selected
    gap = abs(selected.optimism - other.optimism)
    assert 0 < gap < 5 * (selected.optimism_error + other.optimism_error)
    wide = selected_posterior(results, training_variation="nadeau-bengio", **options)
    assert wide.optimism == selected.optimism
    assert wide.standard_deviation() > 1.4 * selected.standard_deviation()
    halved = selected_posterior(results, n_repeats=5, **options).uncorrected.counts
    np.testing.assert_allclose(halved.total * 5, selected.uncorrected.counts.total)


def test_optimism_is_the_mean_over_all_bootstrap_samples():
    """Two and four samples of two classes, three candidates: all 2^2 x 4^4 bootstrap samples."""
    hits = np.array(
        [[1, 0, 1], [1, 1, 0], [0, 1, 1], [1, 0, 0], [0, 1, 0], [1, 1, 0]], dtype=bool
    )
    counts = PairedCounts(["a", "b", "c"], [0, 1], [0, 0, 1, 1, 1, 1], hits, np.ones(6))
    # Sums of these are exact, and so are ties.
    weights = np.array([0.25, 0.75])
    scores = np.array(
        [
            weights @ [hits[list(first)].mean(axis=0), hits[list(second)].mean(axis=0)]
            for first, second in product(
                product(range(2), repeat=2), product(range(2, 6), repeat=4)
            )
        ]
    )
    plain = weights @ [hits[:2].mean(axis=0), hits[2:].mean(axis=0)]
    expected = np.mean(scores.max(axis=1) - plain[scores.argmax(axis=1)])
    found = [
        selected_posterior(counts, class_weight=weights, random_state=seed)
        for seed in range(20)
    ]
    optimism = np.mean([one.optimism for one in found])
    assert optimism == pytest.approx(
        expected, abs=5 * found[0].optimism_error / np.sqrt(20)
    )
    assert {one.candidate for one in found} == {int(np.argmax(plain))}


def test_candidates_with_failed_fits_are_left_out(results):
    """Positions are those of all candidates."""
    broken = {key: np.array(column, dtype=object) for key, column in results.items()}
    best = selected_posterior(results).candidate
    for key, column in broken.items():
        if key.startswith("split0_test"):
            column[best] = np.nan
    with pytest.warns(FitFailedWarning, match=f"skipped: candidate {best}, split 0"):
        again = selected_posterior(broken)
    assert again.candidate != best
    assert again.n_candidates == 29


def test_one_candidate_is_no_choice():
    """The results of `cross_validate` are one candidate: nothing is corrected."""
    X, y = load_wine(return_X_y=True)
    scores = cross_validate(TREE, X, y, scoring=OutcomesScorer(200))
    selected = selected_posterior(scores)
    assert (selected.optimism, selected.n_candidates) == (0, 1)
    assert selected.uncorrected == pooled_posteriors(scores)[0]
    assert "among" not in sentences(selected)
    assert sentences(selected).endswith("It was the only one, so it is not corrected.")


def test_reports(results):
    """The corrected numbers first, as in the summary."""
    selected = selected_posterior(results)
    first, second = sentences(selected).splitlines()
    assert f"{selected.mean():.3f}" in first
    params = results["params"][selected.candidate]
    shown = ", ".join(f"{name}={value}" for name, value in params.items())
    assert f"of the best (candidate {selected.candidate}: {shown}) is" in first
    inflated = f"selected among 30 on the same samples, which inflates it by {selected.optimism:.3f}"
    assert inflated in second
    summary = selected.summary()
    assert summary["uncorrected_mean"] == selected.uncorrected.mean()
    assert (summary["low"], summary["high"]) == selected.credible_interval()
    counts = {key: column for key, column in results.items() if "outcomes" not in key}
    with pytest.raises(ValueError, match=r"no outcomes .* scoring=OutcomesScorer"):
        selected_posterior(counts)


def test_paired_counts_of_one_test_set():
    """The same samples as a single fold, whichever way they come."""
    X, y = load_wine(return_X_y=True)
    fitted = [clone(TREE).set_params(max_depth=depth).fit(X, y) for depth in (1, 2)]
    predictions = {str(i): tree.predict(X) for i, tree in enumerate(fitted)}
    predictions["2"] = np.roll(predictions["1"], 1)
    counts = paired_counts(y, predictions)
    for options in (
        {"prior": "jeffreys"},
        {"labels": [2, 1], "class_weight": {2: 3, 1: 1}},
    ):
        selected = selected_posterior(counts, **options)
        assert (selected.candidate, selected.n_candidates) == (1, 3)
        expected = posterior_balanced_accuracy(y, predictions["1"], **options)
        assert selected.uncorrected == expected


@pytest.mark.parametrize(
    ("counted", "options", "match"),
    [
        ({"groups": [1, 1, 2, 2]}, {}, "samples in groups or with importance weights"),
        (
            {"sample_weight": [1, 2, 3, 1], "weight_type": "importance"},
            {},
            "samples in groups or with importance weights",
        ),
        ({}, {"n_repeats": 2}, "n_repeats does not apply"),
        ({}, {"training_variation": "nadeau-bengio"}, "training_variation does not"),
    ],
    ids=["groups", "weights", "repeats", "folds"],
)
def test_what_paired_counts_cannot_have(counted, options, match):
    """Nothing is silently left out."""
    counts = paired_counts(
        [0, 0, 1, 1], {"a": [0, 1, 1, 1], "b": [0, 0, 1, 0]}, **counted
    )
    with pytest.raises(ValueError, match=match):
        selected_posterior(counts, **options)
