"""Scorers where scikit-learn calls them, metadata routing included."""

import pickle
from functools import partial

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_wine
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    StratifiedKFold,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skpostbac.metrics import (
    ClassCounts,
    ClassCountsScorer,
    OutcomesScorer,
    class_counts,
    make_posterior_scorer,
    posterior_balanced_accuracy_score,
)

X, Y = load_wine(return_X_y=True)
SPLITS = StratifiedKFold(3, shuffle=True, random_state=0)
SCORERS = {"posterior": make_posterior_scorer, "counts": ClassCountsScorer}


def tree(**parameters):
    """Return a classifier that errs now and then."""
    return DecisionTreeClassifier(max_depth=2, random_state=0, **parameters)


def folds_of(results, labels):
    """Return the counts of each fold from what cross_validate returns."""
    columns = [results[f"test_{kind}_{label}"] for kind in ("correct", "total") for label in labels]
    return [ClassCounts(labels, *np.split(np.array(row), 2)) for row in zip(*columns, strict=True)]


class Constant(ClassifierMixin, BaseEstimator):
    """A classifier without `classes_`."""

    def fit(self, X, y):
        """Learn nothing."""
        self.label_ = y[0]
        return self

    def predict(self, X):
        """Return one label for all."""
        return np.full(len(X), self.label_)


# make_posterior_scorer


def test_scorer_scores_as_the_function_does():
    """All options reach the score function."""
    options = {
        "objective": "lower",
        "level": 0.9,
        "prior": "jeffreys",
        "labels": [2, 1],
        "class_weight": {1: 1, 2: 2},
        "adjusted": True,
    }
    classifier = tree().fit(X, Y)
    expected = posterior_balanced_accuracy_score(Y, classifier.predict(X), **options)
    assert make_posterior_scorer(**options)(classifier, X, Y) == expected


def test_scorer_prints_its_options():
    """The repr names the function and the options."""
    text = repr(make_posterior_scorer("lower", level=0.9))
    assert text.startswith("make_scorer(posterior_balanced_accuracy_score")
    assert "objective=lower, level=0.9, prior=reciprocal" in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"objective": "best"}, "objective must be one of"),
        ({"level": 1}, "level must be a number"),
        ({"prior": "flat"}, "prior must be one of"),
        ({"class_weight": "balanced"}, "class_weight must be None"),
        ({"labels": [1, 1]}, "labels must not contain duplicates"),
        ({"labels": [1, 2], "prior": np.ones((3, 2))}, "prior must have one row for each of the 2"),
        (
            {"labels": [1, 2], "class_weight": {1: 1}},
            r"class_weight has no weight for .* \[2\]",
        ),
    ],
    ids=["objective", "level", "prior", "weight", "labels", "rows", "weights"],
)
def test_mistakes_show_at_construction(options, message):
    """Not after a search has run for an hour."""
    with pytest.raises(ValueError, match=message):
        make_posterior_scorer(**options)


@pytest.mark.parametrize("objective", ["mean", "lower"])
def test_search_picks_by_the_posterior(objective):
    """The best candidate is the one with the best average of the folds."""
    search = GridSearchCV(
        make_pipeline(StandardScaler(), tree()),
        {"decisiontreeclassifier__max_depth": [1, 2, 4]},
        scoring=make_posterior_scorer(objective=objective),
        cv=SPLITS,
        n_jobs=1,
        error_score="raise",
    )
    search = clone(search).fit(X, Y)
    scores = search.cv_results_["mean_test_score"]
    assert search.best_score_ == scores.max()
    assert search.best_params_["decisiontreeclassifier__max_depth"] > 1
    assert search.score(X, Y) > search.best_score_


# ClassCountsScorer


def test_counts_of_the_folds_pool_exactly():
    """The sum over the folds is the counts of all predictions."""
    results = cross_validate(
        tree(), X, Y, cv=SPLITS, scoring=ClassCountsScorer(), return_estimator=True
    )
    pairs = zip(results["estimator"], SPLITS.split(X, Y), strict=True)
    predicted = [(Y[test], estimator.predict(X[test])) for estimator, (_, test) in pairs]
    y_true, y_pred = (np.concatenate(column) for column in zip(*predicted, strict=True))
    assert sum(folds_of(results, [0, 1, 2])) == class_counts(y_true, y_pred)


def test_all_folds_have_the_same_keys():
    """A class that is absent from a fold is there with a total of 0."""
    classifier = tree().fit(X, Y)
    counts = ClassCountsScorer()(classifier, X[Y == 1], Y[Y == 1])
    assert set(counts) == {f"{kind}_{label}" for kind in ("correct", "total") for label in range(3)}
    assert (counts["total_0"], counts["total_1"]) == (0.0, 71.0)
    assert {type(value) for value in counts.values()} == {float}


def test_labels_are_counted_as_given():
    """With labels, samples of other classes are left out."""
    classifier = tree().fit(X, Y)
    counts = ClassCountsScorer(labels=[2, 7])(classifier, X, Y)
    assert list(counts) == ["correct_2", "correct_7", "total_2", "total_7"]
    assert (counts["total_2"], counts["total_7"]) == (48.0, 0.0)


def test_class_unknown_to_the_estimator_is_an_error():
    """Sorted labels and unshuffled folds: the samples do not vanish."""
    folds = KFold(3)
    with pytest.raises(ValueError, match=r"not trained on, \[0\]; pass labels="):
        cross_validate(tree(), X, Y, cv=folds, scoring=ClassCountsScorer(), error_score="raise")
    results = cross_validate(
        tree(), X, Y, cv=folds, scoring=ClassCountsScorer(labels=[0, 1, 2]), error_score="raise"
    )
    assert sum(folds_of(results, [0, 1, 2])).total.tolist() == [59, 71, 48]


def test_estimator_without_classes_needs_labels():
    """The message says what to do."""
    classifier = Constant().fit(X, Y)
    with pytest.raises(ValueError, match="Constant has no classes_; pass labels="):
        ClassCountsScorer()(classifier, X, Y)
    assert ClassCountsScorer(labels=[0, 1])(classifier, X, Y)["correct_0"] == 59


def test_labels_are_checked_at_construction():
    """They are distinct, also as text: two keys would be one."""
    with pytest.raises(ValueError, match="labels must not contain duplicates"):
        ClassCountsScorer(labels=[1, 1])
    labels = np.array(["2020-01-01", "2020-01-02"], "M8[D]")
    assert ClassCountsScorer(labels=labels).labels.tolist() == labels.tolist()
    with pytest.raises(ValueError, match=r"labels must not have the same text: \['same'\]"):
        ClassCountsScorer(labels=np.array([Same("1"), Same("2")], object))


class Same(str):
    """A label that prints like any other."""

    __slots__ = ()

    def __str__(self):
        """Return the same text."""
        return "same"


def test_counts_scorer_prints_its_labels():
    """As it would be written."""
    assert repr(ClassCountsScorer()) == "ClassCountsScorer()"
    assert repr(ClassCountsScorer(labels=("b", "a"))) == "ClassCountsScorer(labels=['b', 'a'])"


# OutcomesScorer


def unpack(outcomes, n_samples):
    """Read the outcomes of the samples from the text of the integers."""
    count = sum(key.startswith("outcomes_") for key in outcomes)
    words = [f"{int(outcomes[f'outcomes_{number}']):053b}"[::-1] for number in range(count)]
    return [bit == "1" for bit in "".join(words)[:n_samples]]


@pytest.mark.parametrize("labels", [None, [2, 0]], ids=["all", "some"])
def test_outcomes_come_with_the_counts(labels):
    """One bit a sample, sorted by class; the counts are those of the other scorer."""
    classifier = tree().fit(X, Y)
    outcomes = OutcomesScorer(200, labels=labels)(classifier, X, Y)
    counts = ClassCountsScorer(labels=labels)(classifier, X, Y)
    assert {key: outcomes[key] for key in counts} == counts
    hits = classifier.predict(X) == Y
    expected = np.concatenate([hits[label == Y] for label in sorted(labels or [0, 1, 2])])
    assert unpack(outcomes, len(expected)) == expected.tolist()
    assert not all(expected)


def test_outcomes_are_sorted_by_the_text_of_their_class():
    """Class 10 comes before class 9."""
    y = np.array([9, 10, 9, 10, 10])
    classifier = Constant().fit(y[:, np.newaxis], y)
    outcomes = OutcomesScorer(5, labels=[9, 10])(classifier, y[:, np.newaxis], y)
    assert unpack(outcomes, 5) == [False, False, False, True, True]


def test_keys_of_outcomes_depend_on_the_size_alone():
    """Folds that differ by a sample have the same columns."""
    classifier, scorer = tree().fit(X, Y), OutcomesScorer(54)
    keys = {tuple(scorer(classifier, X[:size], Y[:size])) for size in (53, 54)}
    assert len(keys) == 1
    assert "outcomes_1" in keys.pop()
    assert {type(value) for value in scorer(classifier, X[:54], Y[:54]).values()} == {float}


def test_more_samples_than_there_is_room_for_are_refused():
    """Never left out in silence; samples of other classes need no room."""
    classifier = tree().fit(X, Y)
    with pytest.raises(ValueError, match=r"max_test_size must be at least .* 177 for one of 178"):
        OutcomesScorer(177)(classifier, X, Y)
    assert OutcomesScorer(59, labels=[0])(classifier, X, Y)["total_0"] == 59


@pytest.mark.parametrize("size", [0, -1, 2.0, True, "9", None], ids=repr)
def test_bad_sizes_are_refused(size):
    """At construction."""
    with pytest.raises(ValueError, match="max_test_size must be a positive integer"):
        OutcomesScorer(size)


def test_errors_of_outcomes_name_their_scorer():
    """The advice is about the scorer at hand."""
    with pytest.raises(ValueError, match="pass labels= to OutcomesScorer"):
        OutcomesScorer(200)(Constant().fit(X, Y), X, Y)
    with pytest.raises(ValueError, match=r"not trained on, \[2\]; pass labels= to OutcomesScorer"):
        OutcomesScorer(200)(tree().fit(X[Y < 2], Y[Y < 2]), X, Y)
    with pytest.raises(ValueError, match="labels must not"):
        OutcomesScorer(200, labels=[1, 1])


@pytest.mark.parametrize("labels", [None, [0, 1], ["b", "a"]], ids=repr)
@pytest.mark.parametrize("make", [ClassCountsScorer, partial(OutcomesScorer, np.int64(9))])
def test_scorers_of_counts_are_values(make, labels):
    """Equal, printable and picklable by what they were made of."""
    scorer = make(labels=labels)
    twins = pickle.loads(pickle.dumps(scorer)), clone(scorer, safe=False), eval(repr(scorer))
    for twin in (*twins, make(labels=labels and np.array(labels))):
        assert twin == scorer
        assert hash(twin) == hash(scorer)
    assert scorer not in (make(labels=[5]), OutcomesScorer(8, labels=labels), repr(scorer))
    assert ClassCountsScorer(labels=labels) != OutcomesScorer(9, labels=labels)
    assert ClassCountsScorer(weight_type="case") != ClassCountsScorer()


@pytest.mark.parametrize("labels", [None, np.unique(Y)], ids=["no labels", "labels"])
def test_groups_of_a_splitter_need_no_request(labels):
    """As with the scorers of scikit-learn; the scorer has no part in them."""
    groups = np.arange(len(Y)) // 3
    scorer = make_posterior_scorer(labels=labels)
    with sklearn.config_context(enable_metadata_routing=True):
        routed, folded = (
            cross_validate(tree(), X, Y, cv=cv, scoring=scorer, params=params)["test_score"]
            for cv, params in (
                (GroupKFold(3), {"groups": groups}),
                (list(GroupKFold(3).split(X, Y, groups)), {}),
            )
        )
        np.testing.assert_array_equal(routed, folded)
        search = GridSearchCV(tree(), {"max_depth": [1, 2]}, scoring=scorer, cv=GroupKFold(3))
        assert search.fit(X, Y, groups=groups).best_score_ > 0.5


def test_groups_are_routed_to_the_scorer():
    """And to the splitter, from one parameter; the score is that of the fold with its groups."""
    groups = np.arange(len(Y)) // 3
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = make_posterior_scorer("lower").set_score_request(groups=True)
        found = cross_validate(
            tree(), X, Y, cv=GroupKFold(3), scoring=scorer, params={"groups": groups}
        )["test_score"]
    for score, (train, test) in zip(found, GroupKFold(3).split(X, Y, groups), strict=True):
        y_pred = tree().fit(X[train], Y[train]).predict(X[test])
        expected = posterior_balanced_accuracy_score(
            Y[test], y_pred, objective="lower", groups=groups[test]
        )
        assert score == expected
        assert score < posterior_balanced_accuracy_score(Y[test], y_pred, objective="lower")


def test_importance_weights_in_a_scorer():
    """Their scale does not matter, and no fold warns."""
    weight = np.random.default_rng(0).lognormal(size=len(Y))
    scorer = make_posterior_scorer("lower", weight_type="importance")
    classifier = tree().fit(X, Y)
    one, two = (scorer(classifier, X, Y, sample_weight=w) for w in (weight, 100 * weight))
    assert one == pytest.approx(two, rel=1e-9)
    assert one < make_posterior_scorer("lower")(classifier, X, Y)
    with pytest.raises(ValueError, match="weight_type='importance' needs sample_weight"):
        scorer(classifier, X, Y)


def test_weights_do_not_reach_the_outcomes():
    """They go to the fit, and each tested sample counts as one."""
    with sklearn.config_context(enable_metadata_routing=True):
        classifier = tree().set_fit_request(sample_weight=True)
        scores = validate(OutcomesScorer(200), classifier, sample_weight=np.full(len(Y), 3.0))
        assert scores == validate(OutcomesScorer(200))


# Both


@pytest.mark.parametrize("make", SCORERS.values(), ids=SCORERS)
def test_scorers_survive_pickling_and_a_process(make):
    """Joblib sends them to other processes."""
    scorer = pickle.loads(pickle.dumps(make(labels=[1, 2])))
    classifier = tree().fit(X, Y)
    assert scorer(classifier, X, Y) == make(labels=[1, 2])(classifier, X, Y)
    results = cross_validate(classifier, X, Y, cv=2, scoring=scorer, n_jobs=2, error_score="raise")
    assert len(results["fit_time"]) == 2


@pytest.mark.parametrize("make", SCORERS.values(), ids=SCORERS)
def test_sample_weight_of_a_direct_call(make):
    """A scorer takes weights when it is called."""
    weight = np.arange(len(Y))
    classifier = tree().fit(X, Y)
    weighted = make()(classifier, X, Y, sample_weight=weight)
    repeat = np.repeat(np.arange(len(Y)), weight)
    assert weighted == make()(classifier, X[repeat], Y[repeat])


@pytest.mark.parametrize("make", SCORERS.values(), ids=SCORERS)
def test_requests_need_routing(make):
    """As for every scorer of scikit-learn."""
    with pytest.raises(RuntimeError, match="only available when metadata routing is enabled"):
        make().set_score_request(sample_weight=True)


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
    return {key: value.tolist() for key, value in results.items() if key.startswith("test_")}


def routed(scorer, name="sample_weight"):
    """Cross-validate with weights that the classifier refuses."""
    classifier = tree().set_fit_request(sample_weight=False)
    return validate(scorer, classifier, **{name: np.full(len(Y), 3.0)})


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("make", SCORERS.values(), ids=SCORERS)
class TestRouting:
    """Metadata routing: `sample_weight` requested, refused, renamed or not set."""

    def test_requested(self, make):
        """Weights reach the scorer."""
        weighted = routed(make().set_score_request(sample_weight=True))
        assert weighted != validate(make())

    def test_requested_but_not_given(self, make):
        """A request does not oblige."""
        assert validate(make().set_score_request(sample_weight=True)) == validate(make())

    def test_renamed(self, make):
        """Weights go by the name that was requested."""
        weighted = routed(make().set_score_request(sample_weight="cases"), name="cases")
        assert weighted == routed(make().set_score_request(sample_weight=True))

    def test_refused(self, make):
        """Weights that the estimator takes do not reach the scorer."""
        scorer = make().set_score_request(sample_weight=False)
        classifier = tree().set_fit_request(sample_weight=True)
        assert validate(scorer, classifier, sample_weight=np.full(len(Y), 3.0)) == validate(make())

    def test_unset(self, make):
        """Weights that nobody asked for are an error, of either type by version."""
        with pytest.raises((UnsetMetadataPassedError, TypeError), match="sample_weight"):
            routed(make())

    def test_in_a_search(self, make):
        """The search routes the weights to the scorer."""
        search = GridSearchCV(
            tree().set_fit_request(sample_weight=False),
            {"max_depth": [1, 2]},
            scoring=make().set_score_request(sample_weight=True),
            cv=SPLITS,
            refit=False,
            error_score="raise",
        )
        weighted = search.fit(X, Y, sample_weight=np.full(len(Y), 3.0)).cv_results_
        plain = search.fit(X, Y).cv_results_
        keys = [key for key in plain if key.startswith("split0_test_")]
        assert keys
        assert any((weighted[key] != plain[key]).any() for key in keys)

    def test_requests_survive_cloning(self, make):
        """A clone of the search keeps the request, and does not share it."""
        scorer = make().set_score_request(sample_weight=True)
        search = clone(GridSearchCV(tree(), {"max_depth": [1]}, scoring=scorer))
        scorer.set_score_request(sample_weight=False)
        request = search.scoring.get_metadata_routing().score.requests
        assert request["sample_weight"] is True


@pytest.mark.parametrize("make", SCORERS.values(), ids=SCORERS)
def test_search_with_weights_without_routing(make):
    """Some versions of scikit-learn pass the weights of `fit` on to the scorer, some do not."""
    search = GridSearchCV(
        tree(), {"max_depth": [1, 2]}, scoring=make(), cv=SPLITS, refit=False, error_score="raise"
    )
    results = search.fit(X, Y, sample_weight=np.full(len(Y), 2.0)).cv_results_
    scores = [value for key, value in results.items() if key.startswith("split0_test_")]
    assert np.isfinite(scores).all()
