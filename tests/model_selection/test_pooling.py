"""Pooling of the folds of a cross-validation."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from joblib import parallel_config
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneOut,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_predict,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skpostbac.metrics import (
    ClassCounts,
    ClassCountsScorer,
    GroupsWarning,
    OutcomesScorer,
    PriorInfluenceWarning,
    class_counts,
)
from skpostbac.model_selection import (
    cross_val_posterior,
    pooled_paired_counts,
    pooled_posteriors,
    selected_posterior,
)

TREE = DecisionTreeClassifier(random_state=0)
CV = StratifiedKFold(3)


class Fragile(ClassifierMixin, BaseEstimator):
    """Predicts the first class; its fit fails for given first samples, or always."""

    def __init__(self, broken=False, fails_on=()):
        self.broken = broken
        self.fails_on = fails_on

    def fit(self, X, y):
        if self.broken or X[0, 0] in self.fails_on:
            raise ValueError("the fit failed")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def search_wine(**options):
    """Search three depths of a tree with a counts scorer."""
    X, y = load_wine(return_X_y=True)
    defaults = {"scoring": ClassCountsScorer(), "refit": False, "cv": CV}
    return GridSearchCV(TREE, {"max_depth": [1, 2, 4]}, **defaults | options).fit(X, y)


@pytest.fixture(scope="module")
def wine_results():
    """`cv_results_` of a small search."""
    return search_wine().cv_results_


def results_of(counts):
    """Write fold counts {label: (correct, total)} as `cross_validate` does."""
    return {
        f"test_{kind}_{label}": np.asarray(values, dtype=float)
        for label, pair in counts.items()
        for kind, values in zip(("correct", "total"), pair, strict=True)
    }


# ---- pooled_posteriors


def test_pooling_equals_counting_the_predictions(wine_results):
    """Each candidate's counts are those of its out-of-fold predictions."""
    X, y = load_wine(return_X_y=True)
    posteriors = pooled_posteriors(wine_results, labels=[0, 1, 2])
    for params, posterior in zip(wine_results["params"], posteriors, strict=True):
        tree = DecisionTreeClassifier(random_state=0, **params)
        assert posterior.counts == class_counts(y, cross_val_predict(tree, X, y, cv=CV))


def test_cross_validate_is_one_candidate():
    """The result is a tuple all the same."""
    X, y = load_iris(return_X_y=True)
    scores = cross_validate(GaussianNB(), X, y, scoring=ClassCountsScorer(), cv=CV)
    (posterior,) = pooled_posteriors(scores, labels=[0, 1, 2])
    assert posterior.counts == class_counts(y, cross_val_predict(GaussianNB(), X, y, cv=CV))


def test_a_data_frame_pools_alike(wine_results):
    """`pandas.DataFrame(cv_results_)` and a selection of its rows are accepted."""
    table = pd.DataFrame(wine_results)
    assert pooled_posteriors(table) == pooled_posteriors(wine_results)
    assert pooled_posteriors(table.drop(index=0)) == pooled_posteriors(wine_results)[1:]


def test_training_scores_do_not_count(wine_results):
    """Columns of `return_train_score=True` are left alone."""
    results = search_wine(return_train_score=True).cv_results_
    assert pooled_posteriors(results) == pooled_posteriors(wine_results)


def test_labels_are_strings_unless_given(wine_results):
    """Columns know the classes by their text, `labels` brings them back, in its order."""
    assert pooled_posteriors(wine_results)[0].counts.classes.tolist() == ["0", "1", "2"]
    chosen = pooled_posteriors(wine_results, labels=[2, 0])[0].counts
    everything = pooled_posteriors(wine_results, labels=[0, 1, 2])[0].counts
    assert chosen == ClassCounts([2, 0], everything.correct[[2, 0]], everything.total[[2, 0]])


def test_labels_may_leave_a_fold_empty():
    """A fold without samples of the chosen classes is no failed fit."""
    results = results_of({"a": ([1, 0], [2, 0]), "b": ([0, 3], [0, 4])})
    (posterior,) = pooled_posteriors(results, labels=["a"])
    assert posterior.counts == ClassCounts(["a"], [1], [2])


def test_labels_with_odd_text():
    """Label texts may hold underscores, words of the columns, digits and line breaks."""
    labels = ["split0_test_correct_x", "total_", "1", "a\nb", "é ø"]
    results = results_of({label: ([1, 2], [3, 4]) for label in labels})
    (posterior,) = pooled_posteriors(results)
    assert posterior.counts == ClassCounts(labels, [3] * 5, [7] * 5)


@pytest.mark.parametrize("labels", [None, [0, 1, 2]])
def test_class_weights_by_label_or_text(labels, wine_results):
    """The labels of `y` are keys, whether or not they are known; so is their text if not."""
    options = {"labels": labels, "class_weight": {0: 1, np.int64(1): 2, 2: 1}}
    posterior = pooled_posteriors(wine_results, prior="jeffreys", **options)[0]
    np.testing.assert_array_equal(posterior.prior, 0.5)
    np.testing.assert_array_equal(posterior.class_weight, [0.25, 0.5, 0.25])
    texts = {"0": 1, "1": 2, "2": 1}
    assert pooled_posteriors(wine_results, class_weight=texts)[0].class_weight[1] == 0.5


def test_splits_pool_in_any_number():
    """The tenth split and those after it are found."""
    results = search_wine(cv=StratifiedKFold(12)).cv_results_
    assert pooled_posteriors(results)[0].counts.n_samples == 178


def indexed(cv, model=TREE, **options):
    """Cross-validate on the wines with a counts scorer, and keep the indices."""
    X, y = load_wine(return_X_y=True)
    options = {"scoring": ClassCountsScorer(labels=[0, 1, 2]), **options}
    return cross_validate(model, X, y, cv=cv, return_indices=True, **options)


def test_indices_tell_the_repeats():
    """Each sample counts once, without `n_repeats`, which need not be right without indices."""
    results = indexed(RepeatedStratifiedKFold(n_splits=3, n_repeats=4, random_state=0))
    (posterior,) = pooled_posteriors(results)
    np.testing.assert_array_equal(posterior.counts.total, [59, 71, 48])
    assert pooled_posteriors(results, n_repeats=4) == (posterior,)
    del results["indices"]
    assert pooled_posteriors(results)[0].counts.n_samples == 4 * 178
    assert pooled_posteriors(results, n_repeats=4) == (posterior,)


def test_overlapping_tests_count_as_the_samples_that_were_tested():
    """Random splits test some samples more often; as masks, too."""
    cv = ShuffleSplit(6, test_size=0.3, random_state=0)
    results = indexed(cv)
    n_tested = len(np.unique(np.concatenate(results["indices"]["test"])))
    (posterior,) = pooled_posteriors(results)
    assert posterior.counts.n_samples == pytest.approx(n_tested, rel=1e-12)
    results["indices"]["test"] = [np.isin(np.arange(178), t) for t in results["indices"]["test"]]
    assert pooled_posteriors(results) == (posterior,)


def test_indices_and_repeats_must_agree():
    """The message has both numbers."""
    results = indexed(RepeatedStratifiedKFold(n_splits=3, n_repeats=4, random_state=0))
    for n_repeats in (1, 2):
        with pytest.raises(ValueError, match=f"tested 4 times on average, got {n_repeats};"):
            pooled_posteriors(results, n_repeats=n_repeats)
    with pytest.raises(ValueError, match="n_repeats must agree with the indices"):
        pooled_posteriors(indexed(CV), n_repeats=3)


@pytest.mark.parametrize(
    ("indices", "error", "message"),
    [
        ({"test": [[0, 1]]}, ValueError, "have a test set for each of the 3 splits, got 1"),
        ({"train": []}, TypeError, "be what cross_validate returns"),
        (5, TypeError, "be what cross_validate returns"),
        ({"test": [["a"], [1], [2]]}, ValueError, "be what cross_validate returns"),
    ],
)
def test_bad_indices_are_refused(indices, error, message):
    """The message names the entry."""
    results = results_of({"a": ([1, 1, 1], [2, 2, 2])}) | {"indices": indices}
    with pytest.raises(error, match=rf"cv_results\['indices'\] must {message}"):
        pooled_posteriors(results)


def test_a_class_that_was_not_trained_on_is_told():
    """The scorer failed, and the remedy is not the scorer that was given."""
    X, y = load_wine(return_X_y=True)
    for scorer in (ClassCountsScorer(), OutcomesScorer(len(y))):
        with pytest.warns(UserWarning, match="Scoring failed"):
            scores = cross_validate(TREE, X, y, scoring=scorer, cv=KFold(3))
        for function in (pooled_posteriors, pooled_paired_counts, selected_posterior):
            with pytest.raises(ValueError, match=r"since scoring failed.*labels=np.unique\(y\)"):
                function(scores)


def test_pooling_is_not_averaging():
    """300 samples, 30 of the small class, 10 folds: the prior counts once, not ten times."""
    folds = {"small": ([2] * 10, [3] * 10), "large": ([24] * 10, [27] * 10)}
    (pooled,) = pooled_posteriors(results_of(folds), prior="uniform")
    assert pooled.mean() == pytest.approx((21 / 32 + 241 / 272) / 2, rel=1e-14)
    assert pooled.mean() > (3 / 5 + 25 / 29) / 2


@pytest.mark.parametrize(
    ("results", "options", "error", "message"),
    [
        pytest.param([1, 2], {}, TypeError, "cv_results must be", id="list"),
        pytest.param({}, {}, ValueError, "ClassCountsScorer", id="empty"),
        pytest.param({"test_score": [1.0]}, {}, ValueError, "ClassCountsScorer", id="scalar"),
        pytest.param(
            {"test_correct_a": [1.0]}, {}, ValueError, "has no 'test_total_a'", id="no total"
        ),
        pytest.param(
            {
                "split0_test_correct_a": [1.0],
                "split0_test_total_a": [1.0],
                "split1_test_correct_b": [1.0],
                "split1_test_total_b": [1.0],
            },
            {},
            ValueError,
            "has no 'split0_test_correct_b'",
            id="classes differ",
        ),
        pytest.param(
            results_of({"a": ([1], [2])}), {"labels": ["b"]}, ValueError, "labels", id="labels"
        ),
        pytest.param(
            results_of({"a": ([1], [2])}),
            {"labels": ["a", "a"]},
            ValueError,
            "labels",
            id="labels twice",
        ),
        pytest.param(results_of({"a": ([3], [2])}), {}, ValueError, "got 3 of 2$", id="counts"),
        pytest.param(
            results_of({"a": ([1], [2])}), {"prior": "flat"}, ValueError, "prior", id="prior"
        ),
    ],
)
def test_bad_results_are_refused(results, options, error, message):
    """The message names what is wrong."""
    with pytest.raises(error, match=message):
        pooled_posteriors(results, **options)


@pytest.mark.parametrize("n_repeats", [0, -1, 1.5, "2", 2, True])
def test_bad_repeats_are_refused(n_repeats, wine_results):
    """Repeats are a positive integer that divides the number of splits, here 3."""
    with pytest.raises(ValueError, match="n_repeats must"):
        pooled_posteriors(wine_results, n_repeats=n_repeats)


# ---- failed fits


def search_fragile(parameters, **options):
    """Search an estimator whose fits fail, on 12 samples whose first feature is their index."""
    X, y = np.arange(12.0).reshape(-1, 1), np.repeat([0, 1], 6)
    cv = KFold(3)
    search = GridSearchCV(
        Fragile(), parameters, scoring=ClassCountsScorer(labels=[0, 1]), cv=cv, **options
    )
    with pytest.warns(FitFailedWarning, match="fits failed"):
        return search.fit(X, y)


@pytest.mark.filterwarnings("ignore:One or more of the test scores:UserWarning")
@pytest.mark.parametrize("error_score", [np.nan, 0])
def test_failed_candidates_are_named(error_score):
    """They have no posterior, and the others keep their places."""
    parameters = {"broken": [True, False]}
    results = search_fragile(parameters, refit=False, error_score=error_score).cv_results_
    with pytest.warns(FitFailedWarning, match=r"failed fits .*: candidate 0, splits 0, 1, 2$"):
        failed, posterior = pooled_posteriors(results)
    assert failed is None
    assert posterior.counts == ClassCounts(["0", "1"], [6, 0], [6, 6])
    with pytest.raises(ValueError, match=r"failed fits: candidate 0, splits 0, 1, 2$"):
        pooled_posteriors(pd.DataFrame(results).drop(index=1))


def test_failed_fold_of_cross_validate_is_named():
    """Without candidates, the message names the splits."""
    X, y = np.arange(12.0).reshape(-1, 1), np.repeat([0, 1], 6)
    with pytest.warns(FitFailedWarning, match="1 fits failed"):
        scores = cross_validate(
            Fragile(fails_on=(4.0,)), X, y, scoring=ClassCountsScorer(labels=[0, 1]), cv=KFold(3)
        )
    with pytest.raises(ValueError, match=r"failed fits: split 0$"):
        pooled_posteriors(scores)


# ---- cross_val_posterior

# The counts of the predictions that were made, without division.
THESE = {"training_variation": None}


def test_cross_val_posterior_counts_the_predictions():
    """Its counts are those of the out-of-fold predictions, under the labels of y."""
    X, y = load_breast_cancer(return_X_y=True)
    y = np.array(["malignant", "benign"])[y]
    with parallel_config(backend="threading"):  # processes take seconds to start
        posterior = cross_val_posterior(GaussianNB(), X, y, cv=CV, n_jobs=2, **THESE)
    assert posterior.counts == class_counts(y, cross_val_predict(GaussianNB(), X, y, cv=CV))


def test_cross_val_posterior_defaults_to_five_stratified_folds():
    """`cv=None` means what it means to `cross_validate`."""
    X, y = load_wine(return_X_y=True)
    assert cross_val_posterior(TREE, X, y) == cross_val_posterior(TREE, X, y, cv=StratifiedKFold(5))


@pytest.mark.parametrize(
    "cv",
    [
        pytest.param(
            RepeatedStratifiedKFold(n_splits=3, n_repeats=4, random_state=0), id="repeated"
        ),
        pytest.param(LeaveOneOut(), id="leave one out"),
        pytest.param(list(CV.split(*load_wine(return_X_y=True))) * 2, id="list, twice"),
    ],
)
def test_each_sample_counts_once(cv):
    """However often it is tested, a sample is one sample."""
    X, y = load_wine(return_X_y=True)
    posterior = cross_val_posterior(GaussianNB(), X, y, cv=cv, **THESE)
    np.testing.assert_allclose(posterior.counts.total, [59, 71, 48], rtol=1e-14)


@pytest.mark.parametrize(
    "cv",
    [
        pytest.param(ShuffleSplit(8, test_size=0.3, random_state=0), id="shuffled"),
        pytest.param(TimeSeriesSplit(4), id="time series"),
    ],
)
def test_samples_tested_unequally(cv):
    """The counts add up to the number of distinct samples tested."""
    X, y = load_iris(return_X_y=True)
    shuffled = np.random.default_rng(0).permutation(len(y))
    X, y = X[shuffled], y[shuffled]
    tested = np.unique(np.concatenate([test for _, test in cv.split(X)]))
    assert len(tested) < len(y)
    posterior = cross_val_posterior(GaussianNB(), X, y, cv=cv, **THESE)
    np.testing.assert_allclose(posterior.counts.total, np.bincount(y[tested]), rtol=1e-14)


GROUPED = {
    "int": (4, StratifiedGroupKFold(4)),
    "default": (None, StratifiedGroupKFold(5)),
    "splitter": (GroupKFold(3), GroupKFold(3)),
}


@pytest.mark.parametrize(("cv", "splitter"), GROUPED.values(), ids=GROUPED)
def test_groups_split_and_count(cv, splitter):
    """By argument or among the parameters; no group is in two folds by default."""
    X, y = load_wine(return_X_y=True)
    groups = np.arange(len(y)) // 4
    predicted = cross_val_predict(GaussianNB(), X, y, groups=groups, cv=splitter)
    expected = class_counts(y, predicted, groups=groups)
    for way in ({"groups": groups}, {"params": {"groups": groups}}):
        with pytest.warns(GroupsWarning, match="Some groups have samples of several classes"):
            found = cross_val_posterior(GaussianNB(), X, y, cv=cv, **way, **THESE)
        assert found.counts.correct.tolist() == expected.correct.tolist()
        np.testing.assert_allclose(
            found.effective_counts.total, expected.effective().total, rtol=1e-12
        )


def test_groups_of_repeated_tests_count_once():
    """Each sample is tested twice, and is one sample of its group."""
    X, y = load_wine(return_X_y=True)
    groups = np.arange(len(y)) // 4
    splits = list(GroupKFold(3).split(X, y, groups))
    with pytest.warns(GroupsWarning, match="Some groups have samples of several classes"):
        once, twice = (
            cross_val_posterior(GaussianNB(), X, y, groups=groups, cv=cv)
            for cv in (splits, splits * 2)
        )
    np.testing.assert_allclose(
        twice.effective_counts.total, once.effective_counts.total, rtol=1e-12
    )


def test_groups_keep_labels_and_text():
    """Labels in another order, one of them absent, and classes that are text."""
    X, y = load_wine(return_X_y=True)
    names, groups = np.array(["b", "a", "c"])[y], np.arange(len(y)) // 4
    predicted = cross_val_predict(GaussianNB(), X, names, groups=groups, cv=GroupKFold(3))
    labels = ["c", "b", "x", "a"]
    expected = class_counts(names, predicted, groups=groups, labels=labels).effective()
    with (
        pytest.warns(GroupsWarning, match="Some groups have samples of several classes"),
        pytest.warns(PriorInfluenceWarning, match="Class 'x' has no samples"),
    ):
        found = cross_val_posterior(
            GaussianNB(), X, names, groups=groups, cv=GroupKFold(3), labels=labels, **THESE
        ).effective_counts
    assert found.classes.tolist() == labels
    np.testing.assert_allclose(found.total, expected.total, rtol=1e-12)
    np.testing.assert_allclose(found.correct, expected.correct, rtol=1e-12)


@pytest.mark.filterwarnings("ignore::skpostbac.metrics.GroupsWarning")
def test_groups_are_routed_to_an_inner_search():
    """With metadata routing, to an estimator that requests them, as in `cross_val_predict`."""
    X, y = load_breast_cancer(return_X_y=True)
    groups = np.arange(len(y)) // 4
    search = GridSearchCV(TREE, {"max_depth": [1, 2]}, cv=GroupKFold(3))
    with sklearn.config_context(enable_metadata_routing=True):
        predicted = cross_val_predict(search, X, y, cv=GroupKFold(3), params={"groups": groups})
        expected = class_counts(y, predicted, groups=groups)
        for way in ({"groups": groups}, {"params": {"groups": groups}}):
            assert (
                cross_val_posterior(search, X, y, cv=GroupKFold(3), **way, **THESE).counts
                == expected
            )


@pytest.mark.parametrize(
    "cv", [[[0.5, 0.5]], [(0, 1)], [([0], [99])], [([0], [[1]])], np.ma.masked, 5 * [("a", "b")]]
)
def test_what_are_no_splits_is_refused(cv):
    """The message names the argument."""
    with pytest.raises(TypeError, match=r"^cv must be an int, a splitter or an iterable of pairs"):
        cross_val_posterior(GaussianNB(), np.arange(8.0).reshape(-1, 1), [0, 1] * 4, cv=cv)


def test_groups_are_given_once():
    """By argument or in the parameters."""
    with pytest.raises(ValueError, match="groups must be given once"):
        cross_val_posterior(
            GaussianNB(), [[0], [1]], [0, 1], groups=[0, 1], params={"groups": [0, 1]}
        )


def test_given_labels_keep_an_absent_class():
    """A class that does not occur stays, as its prior."""
    X, y = load_iris(return_X_y=True)
    with pytest.warns(PriorInfluenceWarning, match="^Class 3 has no samples"):
        posterior = cross_val_posterior(
            GaussianNB(), X, y, labels=[0, 1, 2, 3], prior="uniform", **THESE
        )
    assert posterior.counts.total.tolist() == [50, 50, 50, 0]


def test_fit_parameters_reach_the_estimator():
    """Zero weights on the flowers of one class leave it unknown to the classifier."""
    X, y = load_iris(return_X_y=True)
    weights = (y != 2).astype(float)
    posterior = cross_val_posterior(TREE, X, y, params={"sample_weight": weights}, **THESE)
    assert posterior.counts.correct[2] == 0
    assert posterior.counts.total[2] == 50


def test_fit_parameters_with_routing():
    """With metadata routing, weights still go to the estimator alone."""
    X, y = load_iris(return_X_y=True)
    weights = np.full(len(y), 3.0)
    with sklearn.config_context(enable_metadata_routing=True):
        classifier = DecisionTreeClassifier(random_state=0).set_fit_request(sample_weight=True)
        posterior = cross_val_posterior(
            classifier, X, y, params={"sample_weight": weights}, **THESE
        )
    assert posterior.counts.n_samples == len(y)


def test_a_failed_fit_is_raised():
    """There is nothing to pool without it."""
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="the fit failed"):
        cross_val_posterior(Fragile(broken=True), X, y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({"prior": "flat"}, "prior must be", id="prior"),
        pytest.param({"prior": [[1, 1]]}, "prior must have one row", id="prior rows"),
        pytest.param({"class_weight": {0: 1}}, "class_weight has no weight for", id="class_weight"),
        pytest.param({"labels": [0, 0]}, "must not contain duplicates", id="labels"),
    ],
)
def test_bad_parameters_are_refused_before_the_first_fit(options, message):
    """The fit, which would fail too, is not reached."""
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        cross_val_posterior(Fragile(broken=True), X, y, **options)


def test_arguments_in_another_order_are_refused():
    """The message names the one that is no estimator."""
    X, y = load_iris(return_X_y=True)
    with pytest.raises(TypeError, match=r"^estimator must have fit and predict, got ndarray; .*y$"):
        cross_val_posterior(X, y, GaussianNB())


def test_prior_and_class_weight_of_cross_val_posterior():
    """They are those of the posterior."""
    X, y = load_iris(return_X_y=True)
    posterior = cross_val_posterior(
        DummyClassifier(), X, y, prior=(2, 1), class_weight={0: 1, 1: 1, 2: 2}
    )
    np.testing.assert_array_equal(posterior.prior, [[2, 1]] * 3)
    np.testing.assert_array_equal(posterior.class_weight, [0.25, 0.25, 0.5])
