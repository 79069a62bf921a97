"""Everything in scikit-learn that takes a scorer, run on real data."""

import pickle

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    RandomizedSearchCV,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    learning_curve,
    permutation_test_score,
    validation_curve,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skpostbac.metrics import (
    ClassCountsScorer,
    class_counts,
    make_posterior_scorer,
    posterior_balanced_accuracy,
    posterior_balanced_accuracy_score,
)
from skpostbac.model_selection import PosteriorRefit, cross_val_posterior, pooled_posteriors

TREE = DecisionTreeClassifier(random_state=0)
DEPTHS = {"max_depth": [1, 2, 4]}
CV = StratifiedKFold(3)
SEARCHES = [
    pytest.param(GridSearchCV, {}, id="grid"),
    pytest.param(RandomizedSearchCV, {"n_iter": 2, "random_state": 0}, id="randomized"),
]


@pytest.fixture(scope="module")
def wine():
    """178 wines of three growers: 59, 71 and 48."""
    return load_wine(return_X_y=True)


@pytest.fixture(scope="module")
def tumours():
    """569 tumours, 212 malignant, under their names."""
    X, y = load_breast_cancer(return_X_y=True)
    return X, np.array(["malignant", "benign"])[y]


@pytest.fixture
def lower():
    """A scorer of the one-sided lower bound."""
    return make_posterior_scorer(objective="lower")


@pytest.fixture
def routing():
    """Metadata routing, enabled for one test."""
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def counts_of_predictions(estimator, X, y, cv):
    """Count the out-of-fold predictions directly."""
    return class_counts(y, cross_val_predict(estimator, X, y, cv=cv))


# ---- searches


@pytest.mark.parametrize(("search_class", "options"), SEARCHES)
def test_search_with_a_scalar_scorer(search_class, options, tumours, lower):
    """The winner has the largest mean of the folds' lower bounds, computed anew."""
    X, y = tumours
    search = search_class(TREE, DEPTHS, scoring=lower, cv=CV, n_jobs=2, **options).fit(X, y)
    means = [
        np.mean(
            [
                posterior_balanced_accuracy_score(
                    y[test],
                    clone(TREE).set_params(**params).fit(X[train], y[train]).predict(X[test]),
                    objective="lower",
                )
                for train, test in CV.split(X, y)
            ]
        )
        for params in search.cv_results_["params"]
    ]
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], means, rtol=1e-12)
    assert search.best_index_ == np.argmax(means)
    assert search.best_score_ == pytest.approx(max(means))


@pytest.mark.parametrize(("search_class", "options"), SEARCHES)
def test_search_with_counts_and_a_refit_rule(search_class, options, tumours):
    """The winner has the largest bound of the pooled posterior, and is refitted."""
    X, y = tumours
    search = search_class(
        TREE,
        DEPTHS,
        scoring=ClassCountsScorer(),
        refit=PosteriorRefit("lower"),
        cv=CV,
        n_jobs=2,
        **options,
    ).fit(X, y)
    candidates = [clone(TREE).set_params(**params) for params in search.cv_results_["params"]]
    bounds = [
        posterior_balanced_accuracy_score(
            y, cross_val_predict(candidate, X, y, cv=CV), objective="lower"
        )
        for candidate in candidates
    ]
    assert search.best_index_ == np.argmax(bounds)
    assert search.best_params_ == search.cv_results_["params"][search.best_index_]
    assert set(search.predict(X)) == {"malignant", "benign"}


def test_the_way_round_the_missing_best_score(tumours):
    """What the documentation of PosteriorRefit advises works."""
    X, y = tumours
    search = GridSearchCV(
        TREE, DEPTHS, scoring=ClassCountsScorer(), refit=PosteriorRefit(), cv=CV
    ).fit(X, y)
    assert not hasattr(search, "best_score_")
    best = pooled_posteriors(search.cv_results_)[search.best_index_]
    assert best.counts.n_samples == len(y)
    expected = posterior_balanced_accuracy(y, search.predict(X)).mean()
    with pytest.raises(KeyError):
        search.score(X, y)
    assert make_posterior_scorer()(search, X, y) == pytest.approx(expected)


def test_halving_search(wine, lower):
    """Successive halving takes the scalar scorer."""
    search = HalvingGridSearchCV(
        TREE, DEPTHS, scoring=lower, cv=CV, min_resources=40, random_state=0
    ).fit(*wine)
    assert 0 < search.best_score_ < 1


def test_search_over_a_pipeline(wine):
    """A pipeline is searched like any other classifier."""
    X, y = wine
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    search = GridSearchCV(
        pipeline,
        {"logisticregression__C": [1e-3, 1.0]},
        scoring=ClassCountsScorer(),
        refit=PosteriorRefit("mean"),
        cv=CV,
    ).fit(X, y)
    assert search.best_params_ == {"logisticregression__C": 1.0}


def test_searches_clone_and_pickle(wine):
    """A search that holds a scorer and a refit rule survives both, fitted or not."""
    X, y = wine
    search = GridSearchCV(
        TREE, DEPTHS, scoring=ClassCountsScorer(), refit=PosteriorRefit("median"), cv=CV
    )
    copied = clone(search)
    assert copied.refit == search.refit
    assert copied.scoring == search.scoring
    fitted = search.fit(X, y)
    restored = pickle.loads(pickle.dumps(fitted))
    assert restored.best_index_ == fitted.best_index_
    assert restored.fit(X, y).best_index_ == fitted.best_index_


# ---- cross-validation


def test_cross_validate_with_counts(wine):
    """The pooled counts are those of the out-of-fold predictions."""
    X, y = wine
    scores = cross_validate(TREE, X, y, scoring=ClassCountsScorer(), cv=CV, n_jobs=2)
    (posterior,) = pooled_posteriors(scores, labels=[0, 1, 2])
    assert posterior.counts == counts_of_predictions(TREE, X, y, CV)


def test_cross_validate_with_several_scalar_scorers(wine, lower):
    """Scorers with different objectives make up a dict of scorers."""
    scorers = {"mean": make_posterior_scorer(), "lower": lower}
    scores = cross_validate(TREE, *wine, scoring=scorers, cv=CV)
    assert np.all(scores["test_lower"] < scores["test_mean"])


def test_cross_val_score(wine, lower):
    """One value for each fold: the bound of the fold's own posterior."""
    X, y = wine
    scores = cross_val_score(TREE, X, y, scoring=lower, cv=CV)
    expected = [
        posterior_balanced_accuracy(
            y[test], clone(TREE).fit(X[train], y[train]).predict(X[test])
        ).iccdf(0.95)
        for train, test in CV.split(X, y)
    ]
    np.testing.assert_allclose(scores, expected, rtol=1e-12)


def test_learning_curve(wine, lower):
    """Scores for each size of the training set; more samples help here."""
    sizes, _, scores = learning_curve(
        GaussianNB(), *wine, scoring=lower, cv=CV, train_sizes=[0.1, 1.0], shuffle=True,
        random_state=0,
    )  # fmt: skip
    assert scores.shape == (2, 3)
    assert sizes[0] < sizes[1]
    assert scores[0].mean() < scores[1].mean()


def test_validation_curve(wine, lower):
    """Scores for each depth; a stump cannot tell three classes apart."""
    _, scores = validation_curve(
        TREE, *wine, param_name="max_depth", param_range=[1, 4], scoring=lower, cv=CV
    )
    assert scores[0].mean() < scores[1].mean()


def test_permutation_test_score(wine, lower):
    """No permutation of the classes scores like the classes."""
    score, permuted, p_value = permutation_test_score(
        GaussianNB(), *wine, scoring=lower, cv=CV, n_permutations=9, random_state=0
    )
    assert score > permuted.max()
    assert p_value == pytest.approx(0.1)


# ---- features and thresholds


def test_rfecv(wine, lower):
    """Recursive elimination drops noise and keeps the features."""
    X, y = wine
    noisy = np.column_stack([X[:, 6:9], np.random.default_rng(0).normal(size=(len(y), 2))])
    selector = RFECV(TREE, scoring=lower, cv=CV).fit(noisy, y)
    assert selector.support_[0]
    assert selector.n_features_ < 5


def test_sequential_feature_selector(wine, lower):
    """Forward selection takes the feature with the best score first."""
    X, y = wine
    selector = SequentialFeatureSelector(
        GaussianNB(), n_features_to_select=1, scoring=lower, cv=CV
    ).fit(X[:, 4:8], y)
    scores = [
        cross_val_score(GaussianNB(), X[:, [i]], y, scoring=lower, cv=CV) for i in range(4, 8)
    ]
    assert selector.get_support().argmax() == np.argmax(np.mean(scores, axis=1))


def test_permutation_importance(wine, lower):
    """A constant feature has no importance, the one that the tree uses has some."""
    X, y = wine
    X = np.column_stack([np.ones(len(y)), X[:, 6]])
    result = permutation_importance(
        clone(TREE).fit(X, y), X, y, scoring=lower, n_repeats=2, random_state=0
    )
    assert result.importances_mean[0] == 0
    assert result.importances_mean[1] > 0.1


def test_tuned_threshold(tumours, lower):
    """The threshold with the largest score is found."""
    X, y = tumours
    tuned = TunedThresholdClassifierCV(
        GaussianNB(), scoring=lower, thresholds=20, cv=CV, store_cv_results=True
    ).fit(X, y)
    assert tuned.best_score_ == np.max(tuned.cv_results_["scores"])
    assert 0 < tuned.best_threshold_ < 1


# ---- metadata routing, with params={} where there are none: scikit-learn 1.6 fails for None


SCORERS = [
    pytest.param(make_posterior_scorer, "test_score", id="scalar"),
    pytest.param(ClassCountsScorer, "test_total_0", id="counts"),
]


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize(("factory", "key"), SCORERS)
def test_requested_weights_reach_the_scorer(factory, key):
    """Weights of two count every sample twice."""
    X, y = load_iris(return_X_y=True)
    classifier = DummyClassifier().set_fit_request(sample_weight=False)
    scorer = factory().set_score_request(sample_weight=True)
    params = {"sample_weight": np.full(len(y), 2.0)}
    weighted = cross_validate(classifier, X, y, scoring=scorer, cv=CV, params=params)
    plain = cross_validate(classifier, X, y, scoring=factory(), cv=CV, params={})
    assert np.all(weighted[key] != plain[key])


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize(("factory", "key"), SCORERS)
def test_refused_weights_do_not_reach_the_scorer(factory, key):
    """A scorer that refuses weights counts each sample once."""
    X, y = load_iris(return_X_y=True)
    classifier = DummyClassifier().set_fit_request(sample_weight=True)
    scorer = factory().set_score_request(sample_weight=False)
    params = {"sample_weight": np.full(len(y), 2.0)}
    refused = cross_validate(classifier, X, y, scoring=scorer, cv=CV, params=params)
    plain = cross_validate(classifier, X, y, scoring=factory(), cv=CV, params={})
    np.testing.assert_array_equal(refused[key], plain[key])


def test_cross_validation_without_metadata():
    """Routing changes nothing where there is nothing to route."""
    X, y = load_iris(return_X_y=True)
    expected = counts_of_predictions(TREE, X, y, CV)
    with sklearn.config_context(enable_metadata_routing=True):
        assert cross_val_posterior(TREE, X, y, cv=CV).counts == expected


def is_unset_refused(scorer):
    """Tell whether weights that the scorer neither requests nor refuses are an error."""
    X, y = load_iris(return_X_y=True)
    classifier = DummyClassifier().set_fit_request(sample_weight=True)
    weights = {"sample_weight": np.ones(len(y))}
    try:
        cross_validate(classifier, X, y, scoring=scorer, cv=CV, params=weights)
    except UnsetMetadataPassedError:
        return True
    return False


@pytest.mark.usefixtures("routing")
def test_unset_weights_are_an_error_for_counts():
    """Scikit-learn asks for a decision."""
    assert is_unset_refused(ClassCountsScorer())


@pytest.mark.usefixtures("routing")
def test_unset_weights_of_the_scalar_scorer_are_treated_as_any_others():
    """Scikit-learn 1.6 let them pass for one scorer alone; later versions do not."""
    expected = is_unset_refused(make_scorer(balanced_accuracy_score))
    assert is_unset_refused(make_posterior_scorer()) == expected


@pytest.mark.usefixtures("routing")
def test_weights_reach_the_counts_in_a_search():
    """The totals of a search are sums of weights, and pool to their sum."""
    X, y = load_iris(return_X_y=True)
    weights = np.linspace(0.5, 1.5, len(y))
    search = GridSearchCV(
        clone(TREE).set_fit_request(sample_weight=True),
        DEPTHS,
        scoring=ClassCountsScorer().set_score_request(sample_weight=True),
        refit=PosteriorRefit(),
        cv=CV,
    ).fit(X, y, sample_weight=weights)
    for posterior in pooled_posteriors(search.cv_results_):
        assert posterior.counts.n_samples == pytest.approx(weights.sum())
