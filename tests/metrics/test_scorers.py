"""The score function, and all scorers where scikit-learn calls them, metadata routing included."""

import pickle
from functools import partial

import numpy as np
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_wine
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.metrics import accuracy_score
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    StratifiedKFold,
    cross_validate,
)
from sklearn.tree import DecisionTreeClassifier

from skpostbac.binary_equivalent import make_binary_equivalent_scorer
from skpostbac.metrics import (
    ClassCounts,
    ClassCountsScorer,
    OutcomesScorer,
    class_counts,
    make_posterior_scorer,
    posterior_balanced_accuracy,
    posterior_balanced_accuracy_score,
)
from skpostbac.metrics._prior import PRIOR_NAMES
from skpostbac.model_selection import pooled_posteriors

X, Y = load_wine(return_X_y=True)
SPLITS = StratifiedKFold(3, shuffle=True, random_state=0)
Y_TRUE = [0] * 8 + [1] * 4 + [2] * 3
Y_PRED = [0] * 6 + [1] * 2 + [1] * 3 + [2] * 4
# Scorers of one number, and of counts, that take weights; and one that takes none.
WEIGHTED = {
    "posterior": make_posterior_scorer,
    "binary equivalent": make_binary_equivalent_scorer,
    "counts": ClassCountsScorer,
}
SCORERS = {**WEIGHTED, "outcomes": partial(OutcomesScorer, 200)}
all_scorers = pytest.mark.parametrize("make", SCORERS.values(), ids=SCORERS)
weighted_scorers = pytest.mark.parametrize("make", WEIGHTED.values(), ids=WEIGHTED)
count_scorers = pytest.mark.parametrize(
    "make", [ClassCountsScorer, SCORERS["outcomes"]]
)


def tree(**parameters):
    """Return a classifier that errs now and then."""
    return DecisionTreeClassifier(max_depth=2, random_state=0, **parameters)


def folds_of(results, labels):
    """Return the counts of each fold from what cross_validate returns."""
    columns = [
        results[f"test_{kind}_{label}"]
        for kind in ("correct", "total")
        for label in labels
    ]
    return [
        ClassCounts(labels, *np.split(np.array(row), 2))
        for row in zip(*columns, strict=True)
    ]


class Constant(ClassifierMixin, BaseEstimator):
    """A classifier without `classes_`."""

    def fit(self, X, y):
        """Learn nothing."""
        self.label_ = y[0]
        return self

    def predict(self, X):
        """Return one label for all."""
        return np.full(len(X), self.label_)


# The score function


@given(level=st.floats(0.01, 0.99))
def test_objectives(level):
    """A plain float out of the posterior; bounds hold with the level."""
    posterior = posterior_balanced_accuracy(Y_TRUE, Y_PRED)
    expected = {
        "mean": posterior.mean(),
        "median": posterior.distribution.icdf(0.5),
        "mode": posterior.mode(),
        "lower": posterior.distribution.icdf(1 - level),
        "upper": posterior.distribution.icdf(level),
    }
    for objective, value in expected.items():
        options = {"objective": objective, "level": level}
        score = posterior_balanced_accuracy_score(Y_TRUE, Y_PRED, **options)
        assert type(score) is float
        assert score == pytest.approx(value, abs=1e-9)


@pytest.mark.filterwarnings("ignore:Classes without samples")
def test_all_arguments_reach_the_posterior():
    """Labels, both kinds of weights, and the prior; the function through its scorer."""
    options = {
        "labels": [2, 1, 7],
        "class_weight": {2: 1, 1: 2, 7: 3},
        "prior": "jeffreys",
    }
    weight = np.arange(15)
    score = posterior_balanced_accuracy_score(
        Y_TRUE, Y_PRED, sample_weight=weight, **options
    )
    posterior = posterior_balanced_accuracy(
        Y_TRUE, Y_PRED, sample_weight=weight, **options
    )
    assert score == posterior.mean()
    options |= {"objective": "lower", "level": 0.9}
    classifier = tree().fit(X, Y)
    expected = posterior_balanced_accuracy_score(Y, classifier.predict(X), **options)
    scorer = make_posterior_scorer(**options)
    assert scorer(classifier, X, Y) == expected
    text = repr(make_posterior_scorer("lower", level=0.9))
    assert text.startswith("make_scorer(posterior_balanced_accuracy_score")
    assert "objective=lower, level=0.9, prior=calibrated" in text


BAD_OPTIONS = {
    "objective": (
        {"objective": "best"},
        r"objective must be one of \['mean', 'median', 'mode', ",
    ),
    "no objective": ({"objective": None}, "objective must be one of"),
    "level": ({"level": 1}, "level must be a number strictly between 0 and 1"),
    "level of a bound": (
        {"objective": "lower", "level": "0.9"},
        "level must be a number",
    ),
    "prior": ({"prior": "flat"}, "prior must be one of"),
    "weight": (
        {"class_weight": "balanced"},
        "class_weight must be a dict or an array of numbers, got 'balanced'",
    ),
    "labels": ({"labels": [1, 1]}, "labels must not contain duplicates"),
    "rows": ({"labels": [1, 2], "prior": np.ones((3, 2))}, "one row for each of the 2"),
    "weights": (
        {"labels": [1, 2], "class_weight": {1: 1}},
        r"has no weight for .* \[2\]",
    ),
    "type": ({"weight_type": 1}, "weight_type must be one of"),
}


@pytest.mark.parametrize(("options", "message"), BAD_OPTIONS.values(), ids=BAD_OPTIONS)
def test_bad_options_are_refused(options, message):
    """By the function, and by the scorer at construction."""
    with pytest.raises(ValueError, match=message):
        posterior_balanced_accuracy_score(Y_TRUE, Y_PRED, **options)
    with pytest.raises(ValueError, match=message):
        make_posterior_scorer(**options)


# All scorers


@all_scorers
def test_scorers_survive_pickling(make):
    """As joblib sends them to other processes, where test_joblib.py runs a search."""
    scorer = pickle.loads(pickle.dumps(make(labels=[1, 2])))
    classifier = tree().fit(X, Y)
    assert scorer(classifier, X, Y) == make(labels=[1, 2])(classifier, X, Y)


@weighted_scorers
def test_sample_weight_of_a_direct_call(make):
    """A scorer takes weights when it is called: as many samples."""
    weight = np.arange(len(Y))
    classifier, repeat = tree().fit(X, Y), np.repeat(np.arange(len(Y)), weight)
    weighted = make()(classifier, X, Y, sample_weight=weight)
    assert weighted == make()(classifier, X[repeat], Y[repeat])


@weighted_scorers
def test_search_with_weights_without_routing(make):
    """Some versions of scikit-learn pass the weights of `fit` on to the scorer, some do not."""
    with pytest.raises(
        RuntimeError, match="only available when metadata routing is enabled"
    ):
        make().set_score_request(sample_weight=True)
    search = GridSearchCV(
        tree(),
        {"max_depth": [1, 2]},
        scoring=make(),
        cv=SPLITS,
        refit=False,
        error_score="raise",
    )
    results = search.fit(X, Y, sample_weight=np.full(len(Y), 2.0)).cv_results_
    scores = [value for key, value in results.items() if key.startswith("split0_test_")]
    assert np.isfinite(scores).all()


def test_scorer_of_the_binary_equivalent():
    """A power of scikit-learn's accuracy in each fold."""
    scorers = {
        "plain": "accuracy",
        "ours": make_binary_equivalent_scorer(labels=[0, 1, 2]),
    }
    scores = cross_validate(tree(), X, Y, cv=SPLITS, scoring=scorers)
    np.testing.assert_allclose(
        scores["test_ours"], np.sqrt(scores["test_plain"]), rtol=1e-12
    )
    classifier = tree().fit(X, Y)
    expected = accuracy_score(Y, classifier.predict(X)) ** 0.5
    assert make_binary_equivalent_scorer()(classifier, X, Y) == pytest.approx(expected)


def test_importance_weights_in_a_scorer():
    """Their scale does not matter, and no fold warns."""
    weight = np.random.default_rng(0).lognormal(size=len(Y))
    scorer = make_posterior_scorer("lower", weight_type="importance")
    classifier = tree().fit(X, Y)
    one, two = (
        scorer(classifier, X, Y, sample_weight=w) for w in (weight, 100 * weight)
    )
    assert one == pytest.approx(two, rel=1e-9)
    assert one < make_posterior_scorer("lower")(classifier, X, Y)
    with pytest.raises(
        ValueError, match="weight_type='importance' needs sample_weight"
    ):
        scorer(classifier, X, Y)


# Scorers of counts


def test_counts_of_the_folds_pool_exactly():
    """The sum over the folds is the counts of all predictions."""
    results = cross_validate(
        tree(), X, Y, cv=SPLITS, scoring=ClassCountsScorer(), return_estimator=True
    )
    pairs = zip(results["estimator"], SPLITS.split(X, Y), strict=True)
    predicted = [
        (Y[test], estimator.predict(X[test])) for estimator, (_, test) in pairs
    ]
    y_true, y_pred = (np.concatenate(column) for column in zip(*predicted, strict=True))
    assert sum(folds_of(results, [0, 1, 2])) == class_counts(y_true, y_pred)


def test_keys_are_those_of_the_classes():
    """Of the estimator, absent ones included, or as given; samples of others are left out."""
    classifier = tree().fit(X, Y)
    counts = ClassCountsScorer()(classifier, X[Y == 1], Y[Y == 1])
    keys = {f"{kind}_{label}" for kind in ("correct", "total") for label in range(3)}
    assert set(counts) == keys | {"n_classes"}
    assert (counts["total_0"], counts["total_1"]) == (0.0, 71.0)
    assert {type(value) for value in counts.values()} == {float}
    counts = ClassCountsScorer(labels=[2, 7])(classifier, X, Y)
    assert list(counts) == ["correct_2", "correct_7", "total_2", "total_7"]
    assert (counts["total_2"], counts["total_7"]) == (48.0, 0.0)


@count_scorers
def test_unknown_classes_are_an_error(make):
    """Sorted labels and unshuffled folds, or no `classes_`: the samples do not vanish."""
    folds, name = KFold(3), type(make()).__name__
    with pytest.raises(
        ValueError, match=rf"not trained on, \[0\]; pass labels= to {name}"
    ):
        cross_validate(tree(), X, Y, cv=folds, scoring=make(), error_score="raise")
    results = cross_validate(
        tree(), X, Y, cv=folds, scoring=make(labels=[0, 1, 2]), error_score="raise"
    )
    assert sum(folds_of(results, [0, 1, 2])).total.tolist() == [59, 71, 48]
    classifier = Constant().fit(X, Y)
    with pytest.raises(
        ValueError, match=f"Constant has no classes_; pass labels= to {name}"
    ):
        dict(make()(classifier, X, Y))
    assert make(labels=[0, 1])(classifier, X, Y)["correct_0"] == 59


# The first lacks class 2 in training, and in the second set also in testing.
HALVES = [(np.r_[:130], np.r_[130:178]), (np.r_[:178:2], np.r_[1:178:2])]
ABSENT = [(np.r_[:130:2], np.r_[1:130:2]), (np.r_[:178:2], np.r_[1:178:2])]


@count_scorers
@pytest.mark.parametrize("error_score", [np.nan, 0, "raise"])
@pytest.mark.parametrize("folds", [HALVES, HALVES[::-1]], ids=["first", "last"])
@pytest.mark.parametrize("from_search", [False, True], ids=["folds", "search"])
def test_a_fold_that_lacks_a_class_has_a_clear_error(
    from_search, folds, error_score, make
):
    """Whatever scikit-learn does with errors of scorers, and whichever fold it is."""
    options = {"cv": folds, "scoring": make(), "error_score": error_score}
    run = partial(cross_validate, tree())
    if from_search:
        run = GridSearchCV(tree(), {"max_depth": [1]}, refit=False, **options).fit
        options = {}
    with pytest.raises(
        ValueError, match=r"^y has classes .*not trained on, \[2\]; pass"
    ):
        run(X, Y, **options)


@pytest.mark.parametrize("error_score", [np.nan, "raise"])
def test_a_fold_that_is_too_large_has_a_clear_error(error_score):
    """Also if others are not."""
    with pytest.raises(ValueError, match=r"^max_test_size must be at least.* 71 for"):
        cross_validate(
            tree(),
            X,
            Y,
            cv=[(np.r_[:178], np.r_[:71]), (np.r_[:178], np.r_[:72])],
            scoring=OutcomesScorer(71),
            error_score=error_score,
        )


@count_scorers
@pytest.mark.parametrize("folds", [ABSENT, ABSENT[::-1]], ids=["first", "last"])
def test_folds_with_different_classes_are_not_pooled(folds, make):
    """Class 2 of the other fold would be left out."""
    with pytest.raises(ValueError, match=r"^all splits must count the same classes"):
        pooled_posteriors(cross_validate(tree(), X, Y, cv=folds, scoring=make()))
    (posterior,) = pooled_posteriors(
        cross_validate(tree(), X, Y, cv=folds, scoring=make(labels=[0, 1, 2]))
    )
    assert posterior.counts.n_samples == 65 + 89


@count_scorers
def test_counts_beside_other_scores(make):
    """One function returns them all, since scikit-learn takes a number from each."""
    scorers = {"counts": make(), "accuracy": "accuracy"}
    with pytest.raises(ValueError, match="scoring must return a number, got"):
        cross_validate(tree(), X, Y, scoring=scorers)
    results = cross_validate(
        tree(),
        X,
        Y,
        scoring=lambda fitted, X, y: {
            **make()(fitted, X, y),
            "accuracy": fitted.score(X, y),
        },
    )
    (posterior,) = pooled_posteriors(results)
    assert results["test_accuracy"].mean() == pytest.approx(
        posterior.counts.accuracy, abs=0.01
    )


class Same(str):
    """A label that prints like any other."""

    __slots__ = ()

    def __str__(self):
        """Return the same text."""
        return "same"


@count_scorers
def test_labels_are_checked_at_construction(make):
    """They are distinct, also as text: two keys would be one."""
    with pytest.raises(ValueError, match="labels must not contain duplicates"):
        make(labels=[1, 1])
    with pytest.raises(
        ValueError, match=r"labels must not have the same text: \['same'\]"
    ):
        make(labels=np.array([Same("1"), Same("2")], object))


@pytest.mark.parametrize("labels", [None, [0, 1], ["b", "a"]], ids=repr)
@pytest.mark.parametrize(
    "make", [ClassCountsScorer, partial(OutcomesScorer, np.int64(9))]
)
def test_scorers_of_counts_are_values(make, labels):
    """Equal, printable and picklable by what they were made of."""
    scorer = make(labels=labels)
    twins = (
        pickle.loads(pickle.dumps(scorer)),
        clone(scorer, safe=False),
        eval(repr(scorer)),
    )
    for twin in (*twins, make(labels=labels and np.array(labels))):
        assert twin == scorer
        assert hash(twin) == hash(scorer)
    assert scorer not in (
        make(labels=[5]),
        OutcomesScorer(8, labels=labels),
        repr(scorer),
    )
    assert ClassCountsScorer(labels=labels) != OutcomesScorer(9, labels=labels)
    assert ClassCountsScorer(weight_type="case") != ClassCountsScorer()
    assert (
        repr(ClassCountsScorer(weight_type="case"))
        == "ClassCountsScorer(weight_type='case')"
    )


def test_weight_type_of_counts():
    """Declared fractions of cases are counted in silence; importance weights cannot be pooled."""
    classifier = Constant().fit(X, Y)
    scorer = ClassCountsScorer(labels=[0, 1], weight_type="case")
    assert (
        scorer(classifier, X, Y, sample_weight=np.full(len(Y), 0.5))["total_0"] == 29.5
    )
    with pytest.raises(
        ValueError, match=r"must be 'case' or None .* cross_val_predict"
    ):
        ClassCountsScorer(weight_type="importance")
    with pytest.raises(ValueError, match="weight_type must be one of"):
        ClassCountsScorer(weight_type="survey")


def unpack(outcomes, n_samples):
    """Read the outcomes of the samples from the text of the integers."""
    count = sum(key.startswith("outcomes_") for key in outcomes)
    words = [
        f"{int(outcomes[f'outcomes_{number}']):053b}"[::-1] for number in range(count)
    ]
    return [bit == "1" for bit in "".join(words)[:n_samples]]


@pytest.mark.parametrize("labels", [None, [2, 0]], ids=["all", "some"])
def test_outcomes_come_with_the_counts(labels):
    """One bit a sample, sorted by class; the counts are those of the other scorer."""
    classifier = tree().fit(X, Y)
    outcomes = OutcomesScorer(200, labels=labels)(classifier, X, Y)
    counts = ClassCountsScorer(labels=labels)(classifier, X, Y)
    assert {key: outcomes[key] for key in counts} == counts
    hits = classifier.predict(X) == Y
    expected = np.concatenate(
        [hits[label == Y] for label in sorted(labels or [0, 1, 2])]
    )
    assert unpack(outcomes, len(expected)) == expected.tolist()
    assert not all(expected)


def test_outcomes_are_sorted_by_the_text_of_their_class():
    """Class 10 comes before class 9."""
    y = np.array([9, 10, 9, 10, 10])
    classifier = Constant().fit(y[:, np.newaxis], y)
    outcomes = OutcomesScorer(5, labels=[9, 10])(classifier, y[:, np.newaxis], y)
    assert unpack(outcomes, 5) == [False, False, False, True, True]


def test_size_of_outcomes():
    """It settles the columns of all folds, and is never exceeded in silence."""
    classifier, scorer = tree().fit(X, Y), OutcomesScorer(54)
    (keys,) = {tuple(scorer(classifier, X[:size], Y[:size])) for size in (53, 54)}
    assert [key for key in keys if "outcomes" in key] == ["outcomes_0", "outcomes_1"]
    with pytest.raises(
        ValueError, match=r"max_test_size must be at least .* 177 for one of 178"
    ):
        dict(OutcomesScorer(177)(classifier, X, Y))
    assert OutcomesScorer(59, labels=[0])(classifier, X, Y)["total_0"] == 59
    for size in (0, -1, 2.0, True, "9", None):
        with pytest.raises(
            ValueError, match="max_test_size must be a positive integer"
        ):
            OutcomesScorer(size)


# Metadata routing


@pytest.fixture
def routing():
    """Enable metadata routing."""
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def validate(scorer, classifier=None, **params):
    """Cross-validate, and return the scores."""
    results = cross_validate(
        tree() if classifier is None else classifier,
        X,
        Y,
        cv=SPLITS,
        scoring=scorer,
        params=params,
        error_score="raise",
    )
    return {
        key: value.tolist() for key, value in results.items() if key.startswith("test_")
    }


@pytest.mark.usefixtures("routing")
@weighted_scorers
def test_routing_of_weights(make):
    """Requested, requested but not given, renamed, refused, and not set; clones keep requests."""
    weight = np.arange(len(Y)) % 3 + 1.0
    deaf, taking = (
        tree().set_fit_request(sample_weight=takes) for takes in (False, True)
    )
    plain = validate(make())
    requested = make().set_score_request(sample_weight=True)
    weighted = validate(requested, deaf, sample_weight=weight)
    assert weighted != plain
    assert validate(requested) == plain
    renamed = make().set_score_request(sample_weight="cases")
    assert validate(renamed, deaf, cases=weight) == weighted
    refused = make().set_score_request(sample_weight=False)
    alone = validate(refused, taking, sample_weight=np.full(len(Y), 3.0))
    assert alone == plain
    with pytest.raises((UnsetMetadataPassedError, TypeError), match="sample_weight"):
        validate(make(), deaf, sample_weight=weight)
    search = clone(
        GridSearchCV(
            deaf, {"max_depth": [2]}, scoring=requested, cv=SPLITS, refit=False
        )
    )
    requested.set_score_request(sample_weight=False)
    assert search.scoring.get_metadata_routing().score.requests["sample_weight"] is True
    results = search.fit(X, Y, sample_weight=weight).cv_results_
    for key, values in weighted.items():
        assert [results[f"split{fold}_{key}"][0] for fold in range(3)] == values


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize(
    "prior",
    [*PRIOR_NAMES, (2, 1), [[1, 2], [3, 4], [5, 6]]],
    ids=[*PRIOR_NAMES, "pair", "array"],
)
def test_scorers_take_the_prior_of_a_posterior(prior):
    """As they take it by name; in a clone and a pickle, and with weights that are routed."""
    weight, classifier = (
        np.arange(len(Y)) % 3 + 1.0,
        tree().set_fit_request(sample_weight=False),
    )
    given = posterior_balanced_accuracy(Y, Y[::-1], prior=prior).prior
    scorer = make_posterior_scorer(prior=given).set_score_request(sample_weight=True)
    assert f"prior={given}" in repr(scorer)
    search = GridSearchCV(classifier, {"max_depth": [2]}, scoring=scorer, cv=SPLITS)
    twins = {
        "pickle": pickle.loads(pickle.dumps(scorer)),
        "clone": clone(scorer, safe=False),
        "search": clone(search).scoring,
    }
    expected = validate(
        make_posterior_scorer(prior=prior).set_score_request(sample_weight=True),
        classifier,
        sample_weight=weight,
    )
    for twin in (scorer, *twins.values()):
        assert twin._kwargs == scorer._kwargs
        assert twin._kwargs["prior"] == given
        assert repr(twin) == repr(scorer)
        assert validate(twin, classifier, sample_weight=weight) == expected
    assert validate(scorer, classifier) != expected
    # Two classes: of an array of three rows nothing is chosen.
    if isinstance(prior, list):
        with pytest.raises(
            ValueError, match=r"^prior must have one row for each of the 2"
        ):
            make_posterior_scorer(prior=given, labels=[0, 1])
    else:
        two, named = (
            make_posterior_scorer(prior=one, labels=[0, 1]) for one in (given, prior)
        )
        classifier = tree().fit(X, Y)
        assert two(classifier, X, Y) == named(classifier, X, Y)


@pytest.mark.usefixtures("routing")
def test_weights_do_not_reach_the_outcomes():
    """They go to the fit, and each tested sample counts as one."""
    classifier = tree().set_fit_request(sample_weight=True)
    scores = validate(
        OutcomesScorer(200), classifier, sample_weight=np.full(len(Y), 3.0)
    )
    assert scores == validate(OutcomesScorer(200))


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("labels", [None, np.unique(Y)], ids=["no labels", "labels"])
def test_groups_of_a_splitter_need_no_request(labels):
    """As with the scorers of scikit-learn; the scorer has no part in them."""
    groups, scorer = np.arange(len(Y)) // 3, make_posterior_scorer(labels=labels)
    folds = list(GroupKFold(3).split(X, Y, groups))
    routed, folded = (
        cross_validate(tree(), X, Y, cv=cv, scoring=scorer, params=params)["test_score"]
        for cv, params in ((GroupKFold(3), {"groups": groups}), (folds, {}))
    )
    np.testing.assert_array_equal(routed, folded)
    search = GridSearchCV(
        tree(), {"max_depth": [1, 2]}, scoring=scorer, cv=GroupKFold(3)
    )
    assert search.fit(X, Y, groups=groups).best_score_ > 0.5


@pytest.mark.usefixtures("routing")
def test_groups_are_routed_to_the_scorer():
    """And to the splitter, from one parameter; the score is that of the fold with its groups."""
    groups, params = np.arange(len(Y)) // 3, {"objective": "lower"}
    scorer = make_posterior_scorer(**params).set_score_request(groups=True)
    found = cross_validate(
        tree(), X, Y, cv=GroupKFold(3), scoring=scorer, params={"groups": groups}
    )["test_score"]
    for score, (train, test) in zip(
        found, GroupKFold(3).split(X, Y, groups), strict=True
    ):
        y_pred = tree().fit(X[train], Y[train]).predict(X[test])
        assert score == posterior_balanced_accuracy_score(
            Y[test], y_pred, groups=groups[test], **params
        )
        assert score < posterior_balanced_accuracy_score(Y[test], y_pred, **params)
