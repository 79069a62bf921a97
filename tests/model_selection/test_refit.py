"""The choice of a candidate by its pooled posterior."""

import copy

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.tree import DecisionTreeClassifier

from skpostbac.metrics import (
    ClassCountsScorer,
    OutcomesScorer,
    PosteriorBalancedAccuracy,
)
from skpostbac.model_selection import PosteriorRefit, compare_predictions

NAN = np.nan


def search_results(correct, total):
    """Write counts [candidate][split][class] as the `cv_results_` of a search."""
    return {
        f"split{split}_test_{kind}_{label}": values[:, split, label]
        for kind, values in (("correct", np.array(correct)), ("total", np.array(total)))
        for split in range(values.shape[1])
        for label in range(values.shape[2])
    }


# Candidate 0 has the higher mean; candidate 1 has ten times the samples, hence the higher bound.
FEW_OR_MANY = search_results([[[9, 10]], [[90, 88]]], [[[10, 10]], [[100, 100]]])


@pytest.mark.parametrize("objective", ["lower", "mean", "median", "mode", "upper"])
def test_the_largest_objective_wins(objective):
    """The index is that of the largest value of the objective."""
    posteriors = [
        PosteriorBalancedAccuracy.from_counts([9, 10], [10, 10]),
        PosteriorBalancedAccuracy.from_counts([90, 88], [100, 100]),
    ]
    value = {"lower": lambda p: p.icdf(0.05), "upper": lambda p: p.icdf(0.95)}.get(
        objective, lambda p: getattr(p, objective)()
    )
    index = PosteriorRefit(objective)(FEW_OR_MANY)
    assert type(index) is int
    assert index == np.argmax([value(posterior) for posterior in posteriors])


def test_the_level_matters():
    """At a level of .01 the lower bound lies high in the tail."""
    assert PosteriorRefit("lower", level=0.01)(FEW_OR_MANY) == 0


def test_the_repeats_matter():
    """Two splits that test the same samples twice are one test of each."""
    results = search_results([[[9, 10], [9, 10]], [[8, 10], [8, 10]]], [[[10, 10], [10, 10]]] * 2)
    assert PosteriorRefit(n_repeats=2)(results) == 0
    with pytest.raises(ValueError, match="n_repeats must divide"):
        PosteriorRefit(n_repeats=3)(results)


def test_the_class_weight_needs_no_labels():
    """The classes of the columns are texts, those of a dict are the labels of `y`."""
    results = search_results([[[9, 5]], [[5, 8]]], [[[10, 10]]] * 2)
    assert PosteriorRefit(class_weight={0: 9, 1: 1})(results) == 0
    assert PosteriorRefit(class_weight={0: 1, 1: 9})(results) == 1


def test_ties_go_to_the_first():
    """Equal counts in another order of the splits are a tie."""
    results = search_results(
        [[[1, 1], [1, 1]], [[9, 8], [7, 9]], [[7, 9], [9, 8]]], [[[10, 10], [10, 10]]] * 3
    )
    assert PosteriorRefit()(results) == 1


def test_failed_candidates_are_passed_over():
    """The warning names them; the index still counts them."""
    results = search_results(
        [[[9, 9]], [[NAN, NAN]], [[10, 10]]], [[[10, 10]], [[NAN, NAN]], [[10, 10]]]
    )
    with pytest.warns(FitFailedWarning, match="skipped: candidate 1, split 0$"):
        assert PosteriorRefit()(results) == 2


def test_nothing_but_failures_is_an_error():
    """There is no candidate to choose."""
    results = search_results([[[NAN, NAN]]] * 2, [[[NAN, NAN]]] * 2)
    with pytest.raises(
        ValueError, match="All candidates have failed fits: candidate 0, split 0; candidate 1"
    ):
        PosteriorRefit()(results)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({"objective": "best"}, "objective must be one of", id="objective"),
        pytest.param({"level": 1.0}, "level must be", id="level"),
        pytest.param({"level": "high"}, "level must be", id="level text"),
        pytest.param({"prior": "flat"}, "prior must be", id="prior"),
        pytest.param({"prior": (0, 1)}, "prior must", id="prior pair"),
        pytest.param({"class_weight": [-1, 1]}, "class_weight must", id="class_weight"),
        pytest.param({"labels": [1, 1]}, "labels must not", id="labels"),
        pytest.param({"labels": [0, 1], "prior": [[1, 1]] * 3}, "prior must have", id="prior rows"),
        pytest.param(
            {"labels": [0, 1], "class_weight": {0: 1}},
            "class_weight has no weight for",
            id="weight of one",
        ),
        pytest.param(
            {"class_weight": {1: 1, "1": 2}}, "different keys of the same", id="weight text"
        ),
        pytest.param({"n_repeats": 0}, "n_repeats must be", id="n_repeats"),
        pytest.param({"n_repeats": True}, "n_repeats must be", id="n_repeats bool"),
        pytest.param({"rope": -0.1}, "rope must be", id="rope"),
        pytest.param({"limit": 0}, "limit must be", id="limit"),
        pytest.param({"limit": 1.0}, "limit must be", id="limit of one"),
        pytest.param({"limit": "0.5"}, "limit must be", id="limit text"),
    ],
)
def test_bad_parameters_are_refused_before_the_search(options, message):
    """The constructor checks them."""
    with pytest.raises(ValueError, match=message):
        PosteriorRefit(**options)


def test_the_class_itself_is_no_rule():
    """A search calls it with its results, which the message does not print."""
    with pytest.raises(TypeError, match=r"got dict; .* refit=PosteriorRefit\(\)$"):
        PosteriorRefit(FEW_OR_MANY)


def test_dicts_are_copied_and_frozen():
    """The rule prints as before, and as what makes it again."""
    weights = {"a": 1.0, "b": 2.0}
    rule = PosteriorRefit(class_weight=weights)
    weights["a"] = 9.0
    assert rule.class_weight == {"a": 1.0, "b": 2.0}
    assert rule == PosteriorRefit(class_weight={"b": 2, "a": 1})
    assert hash(rule) == hash(PosteriorRefit(class_weight={"b": 2, "a": 1}))
    with pytest.raises(TypeError, match="item assignment"):
        rule.class_weight["a"] = 9.0
    assert eval(repr(rule)) == rule


def test_arrays_are_copied():
    """Changing the caller's arrays later changes nothing, and equality stays decidable."""
    prior, weights, labels = np.ones((2, 2)), np.array([1.0, 2.0]), np.array(["a", "b"])
    rule = PosteriorRefit(prior=prior, class_weight=weights, labels=labels)
    same = copy.deepcopy(rule)
    prior[:], weights[:], labels[:] = 9, 9, "c"
    assert rule == same
    assert (rule.prior, rule.class_weight, rule.labels) == (
        ((1.0, 1.0), (1.0, 1.0)),
        (1.0, 2.0),
        ("a", "b"),
    )


# ---- the simplest candidate that is not clearly worse


def parameters(**values):
    """Write lists of values as the `params` of the candidates."""
    return [dict(zip(values, row, strict=True)) for row in zip(*values.values(), strict=True)]


def results_of(correct, **values):
    """Write candidates that were tested on 100 samples of each of two classes."""
    counts = [[[number, number]] for number in correct]
    total = [[[100, 100]]] * len(correct)
    return search_results(counts, total) | {"params": parameters(**values)}


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
    assert rule(results) == chosen
    assert rule(pd.DataFrame(results)) == chosen


def test_ties_in_complexity_go_to_the_larger_objective():
    """And then to the first."""
    results = results_of([88, 89, 89, 90], depth=[2, 2, 2, 3])
    assert PosteriorRefit(complexity="depth")(results) == 1


def test_none_is_no_limit():
    """A tree without a greatest depth is the most complex one."""
    assert PosteriorRefit(complexity="depth")(results_of([90, 90], depth=[None, 7])) == 1
    assert PosteriorRefit(complexity="-depth")(results_of([90, 90], depth=[7, None])) == 1


def test_the_rope_and_the_limit_matter():
    """One point less is worse with a probability between 1/2 and 0.84, by 0.2 hardly ever."""
    results = results_of([89, 90], depth=[1, 2])
    assert PosteriorRefit(complexity="depth")(results) == 0
    assert PosteriorRefit(complexity="depth", limit=0.5)(results) == 1
    assert PosteriorRefit(complexity="depth", limit=0.05)(results) == 1
    assert PosteriorRefit(complexity="depth", limit=0.05, rope=0.2)(results) == 0


def test_the_default_limit_is_one_standard_deviation():
    """Of the difference, which is nearly normal for many samples."""
    n, best = 10_000, 9_000
    sd = np.sqrt(2 * 0.9 * 0.1 / n / 2)
    for deviations, chosen in [(0.9, 0), (1.1, 1)]:
        worse = best - n * sd * deviations
        results = search_results([[[worse] * 2], [[best] * 2]], [[[n, n]]] * 2)
        results["params"] = parameters(depth=[1, 2])
        assert PosteriorRefit("mean", complexity="depth")(results) == chosen


def test_summary_is_what_the_choice_follows():
    """One record for each candidate; failed ones have no values, nor need they a complexity."""
    results = results_of([90, NAN, 89, 60], depth=[4, "?", 3, 1])
    rule = PosteriorRefit("mean", complexity="depth", rope=0.01, prior="uniform")
    with pytest.warns(FitFailedWarning, match="candidate 1, split 0"):
        table = pd.DataFrame(rule.summary(results))
    assert table["candidate"].tolist() == [0, 1, 2, 3]
    # The mean of Beta(1 + k, 1 + 100 - k) is (1 + k) / 102, and of the average of two as well.
    np.testing.assert_allclose(table["objective"], [91 / 102, NAN, 90 / 102, 61 / 102], rtol=1e-12)
    assert table["complexity"].tolist()[:1] + table["complexity"].tolist()[2:] == [4, 3, 1]
    assert table["prob_worse"][0] == 0
    assert np.isnan(table["prob_worse"][1])
    assert table["eligible"].tolist() == [True, False, True, False]
    assert table["chosen"].tolist() == [False, False, True, False]
    with pytest.warns(FitFailedWarning, match="candidate 1, split 0"):
        assert rule(results) == 2


def test_independent_posteriors_against_draws():
    """Without the outcomes of samples, each posterior is drawn on its own."""
    rng = np.random.default_rng(0)
    correct, total = np.array([[30, 8], [31, 9]]), np.array([32, 10])
    results = search_results(correct[:, np.newaxis], [[total]] * 2)
    (record, _) = PosteriorRefit("mean", rope=0.03, prior="uniform").summary(results)
    first, second = (rng.beta(1 + k, 1 + total - k, (400_000, 2)).mean(axis=1) for k in correct)
    assert record["prob_worse"] == pytest.approx(np.mean(first < second - 0.03), abs=0.004)  # 5 se


@pytest.fixture(scope="module")
def tumours():
    """569 tumours, 212 malignant, under their names."""
    X, y = load_breast_cancer(return_X_y=True)
    return X, np.array(["malignant", "benign"])[y]


def search_depths(X, y, scoring, rule):
    """Search depths of a tree."""
    return GridSearchCV(
        DecisionTreeClassifier(random_state=0),
        {"max_depth": [1, 2, 3, 5, None]},
        scoring=scoring,
        refit=rule,
    ).fit(X, y)


def predictions_of(search, X, y):
    """Return the out-of-fold predictions of each candidate by its position."""
    return {
        str(index): cross_val_predict(clone(search.estimator).set_params(**params), X, y)
        for index, params in enumerate(search.cv_results_["params"])
    }


@pytest.mark.parametrize(
    ("labels", "options"),
    [
        pytest.param(
            None,
            {"prior": "jeffreys", "class_weight": {"benign": 1, "malignant": 3}},
            id="weights",
        ),
        pytest.param(["malignant", "benign"], {"prior": [[1, 2], [3, 4]]}, id="priors"),
    ],
)
def test_paired_probabilities_are_those_of_the_predictions(labels, options, tumours):
    """What the search keeps is what the predictions say, sample by sample."""
    X, y = tumours
    rule = PosteriorRefit(
        "mean", complexity="max_depth", rope=0.01, limit=0.3, labels=labels, **options
    )
    search = search_depths(X, y, OutcomesScorer(len(y)), rule)
    comparison = compare_predictions(
        y, predictions_of(search, X, y), rope=0.01, labels=labels, **options
    )
    best = comparison.ranking()[0]
    expected = [
        0.0 if name == best else comparison.rope_masses(name, best).below
        for name in comparison.names
    ]
    table = rule.summary(search.cv_results_)
    np.testing.assert_allclose([row["prob_worse"] for row in table], expected, atol=1e-10)
    eligible = [index for index, probability in enumerate(expected) if probability < 0.3]
    assert search.best_index_ == eligible[0]  # the depths increase


def test_repeats_count_once():
    """The same folds twice are no more evidence, paired or not."""
    X, y = make_classification(200, random_state=0, flip_y=0.3)
    even, odd = np.arange(0, 200, 2), np.arange(1, 200, 2)
    folds = [(even, odd), (odd, even)]
    grid = {"max_depth": [1, 3, 8]}
    for scorer in (OutcomesScorer(100), ClassCountsScorer()):
        once, twice = (
            GridSearchCV(
                DecisionTreeClassifier(random_state=0), grid, scoring=scorer, cv=cv, refit=False
            )
            .fit(X, y)
            .cv_results_
            for cv in (folds, folds * 2)
        )
        expected = PosteriorRefit(rope=0.01).summary(once)
        actual = PosteriorRefit(rope=0.01, n_repeats=2).summary(twice)
        for key in ("objective", "prob_worse"):
            np.testing.assert_allclose(
                [row[key] for row in actual], [row[key] for row in expected], rtol=1e-9
            )


@pytest.mark.parametrize(
    ("complexity", "values", "message"),
    [
        pytest.param("deep", {"depth": [1, 2]}, r"parameter .*\['depth'\].* got 'deep'", id="name"),
        pytest.param("", {"depth": [1, 2]}, "got ''", id="empty"),
        pytest.param(
            "kernel",
            {"kernel": ["rbf", "rbf"]},
            "candidate 0 has no number for 'kernel'",
            id="text",
        ),
        pytest.param("depth", {"depth": [1, NAN]}, "candidate 1 has no number .* nan", id="nan"),
        pytest.param(
            lambda params: params["depth"], {"depth": [1, "all"]}, "complexity: .*'<'", id="mixed"
        ),
    ],
)
def test_a_complexity_must_have_an_order(complexity, values, message):
    """One clear error that names the argument."""
    with pytest.raises((ValueError, TypeError), match=message):
        PosteriorRefit(complexity=complexity)(results_of([89, 90], **values))


def test_a_parameter_that_some_candidates_lack():
    """As in a list of grids: a function of the parameters can say what is simpler."""
    results = results_of([89, 90], depth=[1, 2])
    results["params"] = [{"depth": 1}, {"leaves": 3}]
    with pytest.raises(ValueError, match=r"candidate 1 has no number for 'depth'.* give a func"):
        PosteriorRefit(complexity="depth")(results)
    assert PosteriorRefit(complexity=count_params)(results) == 0


def test_a_complexity_needs_the_parameters():
    """Counts alone do not say which candidate is simple."""
    with pytest.raises(ValueError, match="complexity needs the 'params'"):
        PosteriorRefit(complexity="depth")(FEW_OR_MANY)


@pytest.mark.parametrize("complexity", [3, ["depth"], b"depth"], ids=repr)
def test_what_is_no_complexity_is_refused_at_once(complexity):
    """Before the search."""
    with pytest.raises(TypeError, match="complexity must be a name, a function"):
        PosteriorRefit(complexity=complexity)
