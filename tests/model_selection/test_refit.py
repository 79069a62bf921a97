"""The choice of a candidate by its pooled posterior."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.exceptions import FitFailedWarning

from skpostbac.metrics import PosteriorBalancedAccuracy
from skpostbac.model_selection import PosteriorRefit

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


def test_the_bound_prefers_more_samples():
    """And the upper bound prefers fewer."""
    assert PosteriorRefit("lower")(FEW_OR_MANY) == 1
    assert PosteriorRefit("upper")(FEW_OR_MANY) == 0


def test_the_level_matters():
    """At a level of .01 the lower bound lies high in the tail."""
    assert PosteriorRefit("lower", level=0.01)(FEW_OR_MANY) == 0


def test_the_repeats_matter():
    """Two splits that test the same samples twice are one test of each."""
    results = search_results([[[9, 10], [9, 10]], [[8, 10], [8, 10]]], [[[10, 10], [10, 10]]] * 2)
    assert PosteriorRefit(n_repeats=2)(results) == 0
    with pytest.raises(ValueError, match="n_repeats must divide"):
        PosteriorRefit(n_repeats=3)(results)


def test_the_class_weight_matters():
    """Weights turn the choice."""
    results = search_results([[[9, 5]], [[5, 8]]], [[[10, 10]]] * 2)
    assert PosteriorRefit(class_weight=[9, 1])(results) == 0
    assert PosteriorRefit(class_weight={0: 1, 1: 9}, labels=[0, 1])(results) == 1


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
    with pytest.warns(FitFailedWarning, match="passed over: candidate 1, split 0$"):
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
            {"labels": [0, 1], "class_weight": {0: 1}}, "not in class_weight", id="weight of one"
        ),
        pytest.param(
            {"class_weight": {1: 1, "1": 2}}, "different keys of the same", id="weight text"
        ),
        pytest.param({"n_repeats": 0}, "n_repeats must be", id="n_repeats"),
        pytest.param({"n_repeats": True}, "n_repeats must be", id="n_repeats bool"),
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


def test_counts_are_needed():
    """The message says which scorer provides them."""
    with pytest.raises(ValueError, match="ClassCountsScorer"):
        PosteriorRefit()({"split0_test_score": np.array([0.5])})


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
@pytest.mark.parametrize("class_weight", [None, [1, 2], {0: 1, 1: 2}])
def test_copies_are_equal(duplicate, class_weight):
    """It survives what joblib and `clone` do to it."""
    rule = PosteriorRefit("mean", prior="jeffreys", class_weight=class_weight, n_repeats=2)
    assert duplicate(rule) == rule
    assert hash(duplicate(rule)) == hash(rule)


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


def test_repr_names_the_parameters():
    """A search prints it."""
    assert repr(PosteriorRefit("mean", level=0.9)) == (
        "PosteriorRefit(objective='mean', level=0.9, prior='uniform', class_weight=None, "
        "labels=None, n_repeats=1)"
    )
