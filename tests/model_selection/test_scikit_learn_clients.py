"""Everything in scikit-learn that takes a scorer, run on real data."""

import copy
import pickle
import sys

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.inspection import permutation_importance
from sklearn.linear_model import (
    LogisticRegression,
    LogisticRegressionCV,
    RidgeClassifierCV,
)
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    HalvingRandomSearchCV,
    LearningCurveDisplay,
    RandomizedSearchCV,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    ValidationCurveDisplay,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    learning_curve,
    permutation_test_score,
    validation_curve,
)
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skpostbac.binary_equivalent import (
    binary_equivalent_accuracy_score,
    make_binary_equivalent_scorer,
)
from skpostbac.metrics import (
    ClassCountsScorer,
    OutcomesScorer,
    make_posterior_scorer,
    posterior_balanced_accuracy,
    posterior_balanced_accuracy_score,
)
from skpostbac.model_selection import PosteriorRefit, pooled_posteriors

TREE = DecisionTreeClassifier(random_state=0)
DEPTHS = {"max_depth": [1, 2, 4]}
CV = StratifiedKFold(3)


@pytest.fixture(scope="module")
def tumours():
    """569 tumours, 212 malignant, under their names."""
    X, y = load_breast_cancer(return_X_y=True)
    return X, np.array(["malignant", "benign"])[y]


@pytest.fixture
def routing():
    """Metadata routing, enabled for one test."""
    with sklearn.config_context(enable_metadata_routing=True):
        yield


# ---- searches


@pytest.mark.parametrize("search_class", [GridSearchCV, RandomizedSearchCV])
def test_search_with_counts_and_a_refit_rule(search_class, tumours):
    """The winner has the largest bound of the pooled posterior, and is refitted.

    What the documentation of PosteriorRefit advises in place of `best_score_` works.
    """
    options = {} if search_class is GridSearchCV else {"n_iter": 2, "random_state": 0}
    rule = PosteriorRefit("lower")
    search = search_class(
        TREE, DEPTHS, scoring=ClassCountsScorer(), refit=rule, cv=CV, **options
    )
    assert clone(search).refit == rule
    assert clone(search).scoring == search.scoring
    X, y = tumours
    search.fit(X, y)
    bounds = []
    for params in search.cv_results_["params"]:
        predicted = cross_val_predict(clone(TREE).set_params(**params), X, y, cv=CV)
        bounds.append(
            posterior_balanced_accuracy_score(y, predicted, objective="lower")
        )
    assert search.best_index_ == np.argmax(bounds)
    assert search.best_params_ == search.cv_results_["params"][search.best_index_]
    assert not hasattr(search, "best_score_")
    with pytest.raises(KeyError):
        search.score(X, y)
    restored = pickle.loads(pickle.dumps(search))
    expected = posterior_balanced_accuracy(y, restored.predict(X)).mean()
    assert make_posterior_scorer()(search, X, y) == pytest.approx(expected)
    best = pooled_posteriors(restored.cv_results_)[restored.best_index_]
    assert best.counts.n_samples == len(y)
    assert restored.fit(X, y).best_index_ == search.best_index_


# ---- every scorer in every client: what a plain function gives that calls the score function


def mean_of_folds(estimator, X, y, sample_weight=None):
    """Score as `make_posterior_scorer` does."""
    return posterior_balanced_accuracy_score(
        y, estimator.predict(X), sample_weight=sample_weight
    )


def bound_of_one_class(estimator, X, y):
    """Score a recall alone."""
    predictions = estimator.predict(X)
    return posterior_balanced_accuracy_score(
        y, predictions, objective="lower", labels=[1]
    )


def binary_equivalent(estimator, X, y):
    """Score as `make_binary_equivalent_scorer` does."""
    return binary_equivalent_accuracy_score(y, estimator.predict(X), labels=[0, 1])


NUMBERS = {
    "posterior": (make_posterior_scorer, mean_of_folds),
    "labels": (lambda: make_posterior_scorer("lower", labels=[1]), bound_of_one_class),
    "bea": (make_binary_equivalent_scorer, binary_equivalent),
    "bea-labels": (
        lambda: make_binary_equivalent_scorer(labels=[0, 1]),
        binary_equivalent,
    ),
}
OTHERS = sorted(NUMBERS.keys() - {"posterior"})
LOGISTIC = (
    pytest.mark.filterwarnings(  # of scikit-learn's own changes to LogisticRegressionCV
        "ignore:.*legacy:FutureWarning", "ignore:.*l1_ratios:FutureWarning"
    )
)
BEFORE_1_9 = tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 9)
OTHER_LABELS = (
    "LogisticRegressionCV before scikit-learn 1.9 scores with the labels -1 and 1"
)
LDA = LinearDiscriminantAnalysis()
TOLERANCES = {"tol": [1e-4, 1e-3]}
SMALL = StratifiedKFold(2)
FITS = {
    "grid": GridSearchCV(LDA, TOLERANCES, cv=SMALL),
    "randomized": RandomizedSearchCV(
        LDA, TOLERANCES, n_iter=2, cv=SMALL, random_state=0
    ),
    "halving": HalvingGridSearchCV(
        LDA, TOLERANCES, cv=SMALL, min_resources=200, random_state=0
    ),
    "halving-random": HalvingRandomSearchCV(
        LDA, TOLERANCES, cv=SMALL, min_resources=200, random_state=0
    ),
    "rfecv": RFECV(LDA, cv=SMALL),
    "logistic": LogisticRegressionCV(Cs=2, cv=SMALL),
    "ridge": RidgeClassifierCV(cv=SMALL),
    "boosting": HistGradientBoostingClassifier(
        max_iter=5, early_stopping=True, n_iter_no_change=2, random_state=0
    ),
}
FOUND = ["cv_results_", "scores_", "best_score_", "validation_score_"]
CALLS = {
    "cross_validate": lambda s, X, y: cross_validate(LDA, X, y, scoring=s, cv=SMALL)[
        "test_score"
    ],
    "cross_validate-dict": lambda s, X, y: cross_validate(
        LDA, X, y, scoring={"a": s, "b": "accuracy"}, cv=SMALL
    )["test_a"],
    "cross_val_score": lambda s, X, y: cross_val_score(LDA, X, y, scoring=s, cv=SMALL),
    "learning_curve": lambda s, X, y: learning_curve(
        LDA, X, y, scoring=s, cv=SMALL, train_sizes=[0.5, 1.0]
    )[2],
    "validation_curve": lambda s, X, y: validation_curve(
        LDA, X, y, param_name="tol", param_range=[1e-4, 1e-3], scoring=s, cv=SMALL
    )[1],
    "permutation_test": lambda s, X, y: permutation_test_score(
        LDA, X, y, scoring=s, cv=SMALL, n_permutations=2, random_state=0
    )[1],
    "features": lambda s, X, y: (
        SequentialFeatureSelector(LDA, n_features_to_select=1, scoring=s, cv=SMALL)
        .fit(X, y)
        .get_support()
    ),
    "importance": lambda s, X, y: (
        permutation_importance(
            clone(LDA).fit(X, y), X, y, scoring=s, n_repeats=1, random_state=0
        ).importances
    ),
    "learning_display": lambda s, X, y: (
        LearningCurveDisplay.from_estimator(
            LDA, X, y, scoring=s, cv=SMALL, train_sizes=[0.5, 1.0]
        ).test_scores
    ),
    "validation_display": lambda s, X, y: (
        ValidationCurveDisplay.from_estimator(
            LDA, X, y, scoring=s, cv=SMALL, param_name="tol", param_range=[1e-4, 1e-3]
        ).test_scores
    ),
} | {
    name: lambda s, X, y, model=model: scores_found(model, s, X, y)
    for name, model in FITS.items()
}


def scores_found(model, scorer, X, y):
    """Return the scores that a model stores that is fitted with a scorer."""
    fitted = clone(model).set_params(scoring=scorer).fit(X, y)
    found = next(getattr(fitted, name) for name in FOUND if hasattr(fitted, name))
    if not isinstance(found, dict):
        return found
    return found.get("mean_test_score", next(iter(found.values())))


def pickle_copy(counts):
    """Return what a pickle restores."""
    return pickle.loads(pickle.dumps(counts))


@pytest.fixture(scope="module")
def features():
    """Four features of the tumours, and classes 0 and 1 that are sorted by no feature."""
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X[:, :4]), y


@pytest.fixture
def closed_figures():
    """Close what the displays have opened."""
    yield
    if "matplotlib" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@LOGISTIC
@pytest.mark.usefixtures("closed_figures")
@pytest.mark.parametrize(
    ("client", "scorer"),
    [
        *((client, "posterior") for client in CALLS),
        *(
            (client, scorer)
            for client in ("logistic", "validation_display")
            for scorer in OTHERS
        ),
    ],
)
def test_scores_in_every_client(client, scorer, features):
    """They are those of a function that calls the score function."""
    if client.endswith("display"):
        pytest.importorskip("matplotlib")
    if (client, scorer) == ("logistic", "bea") and BEFORE_1_9:
        pytest.skip(OTHER_LABELS)
    make, function = NUMBERS[scorer]
    scores = CALLS[client](make(), *features)
    assert np.all(np.isfinite(scores))
    np.testing.assert_array_equal(scores, CALLS[client](function, *features))


@pytest.mark.skipif(BEFORE_1_9, reason=OTHER_LABELS)
@LOGISTIC
def test_labels_of_logistic_regression(features):
    """Folds are scored with all classes, also where one of them lacks a class."""
    X, y = features
    folds = [
        (np.arange(0, 300), np.flatnonzero(y == 0)[-80:]),
        (np.arange(300, 569), np.arange(9)),
    ]
    model = LogisticRegressionCV(Cs=1, cv=folds, scoring=make_posterior_scorer())
    scores = scores_found(model, make_posterior_scorer(), X, y).ravel()
    predicted = [
        LogisticRegression(C=1e-4).fit(X[train], y[train]).predict(X[test])
        for train, test in folds
    ]
    expected = [
        posterior_balanced_accuracy_score(y[test], y_pred, labels=[0, 1])
        for (_, test), y_pred in zip(folds, predicted, strict=True)
    ]
    np.testing.assert_allclose(scores, expected, rtol=1e-12)


# ---- scorers of counts where one number is needed


COUNTS = [
    pytest.param(ClassCountsScorer(), id="counts"),
    pytest.param(OutcomesScorer(600), id="outcomes"),
]
NO_NUMBER = [
    "cross_validate-dict",
    "cross_val_score",
    "permutation_test",
    "features",
    "rfecv",
    "logistic",
    "boosting",
    "learning_display",
    "validation_display",
]


@LOGISTIC
@pytest.mark.parametrize("scorer", COUNTS)
@pytest.mark.parametrize("client", NO_NUMBER)
def test_counts_are_no_number(client, scorer, features):
    """Whatever a client does with what it takes for a number, there is an error."""
    match = "number, got|dict|CountsDict|attribute '(__name__|_score_func)'"
    with pytest.raises((TypeError, AttributeError, ValueError), match=match):
        CALLS[client](scorer, *features)


@pytest.mark.parametrize("scorer", COUNTS)
def test_tuned_threshold(scorer, features):
    """The one of the largest score, which counts have not."""
    tuned = TunedThresholdClassifierCV(
        LDA, thresholds=20, cv=SMALL, store_cv_results=True
    )
    tuned.set_params(scoring=make_posterior_scorer("lower")).fit(*features)
    assert tuned.best_score_ == np.max(tuned.cv_results_["scores"])
    assert 0 < tuned.best_threshold_ < 1
    with pytest.raises(AttributeError, match="no attribute '_score_func'"):
        tuned.set_params(scoring=scorer).fit(*features)


@pytest.mark.filterwarnings(
    "ignore:The scoring OutcomesScorer.* does not support sample_weight"
)
@pytest.mark.parametrize("scorer", COUNTS)
@pytest.mark.parametrize("client", ["grid", "randomized", "ridge"])
def test_counts_in_a_search_without_a_rule(client, scorer, features):
    """scikit-learn itself says that it needs a `refit`."""
    model = clone(FITS[client]).set_params(scoring=scorer)
    with pytest.raises(ValueError, match="the parameter refit must be set"):
        model.fit(features[0], features[1])


@pytest.mark.parametrize("scorer", COUNTS)
@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, pickle_copy], ids=lambda f: f.__name__
)
def test_counts_are_a_dict(copied, scorer, features):
    """They stay what they are, equal to a plain dict, through copies and pickles."""
    counts = copied(scorer(clone(LDA).fit(*features), *features))
    assert isinstance(counts, dict)
    assert counts == dict(counts) == eval(repr(counts))
    assert f"{counts}" == str(dict(counts))
    assert type(counts | {}) is dict


# ---- metadata routing, with params={} where there are none: scikit-learn 1.6 fails for None
