"""Scorers of the binormal areas where scikit-learn calls them."""

import pickle

import numpy as np
import pytest
import sklearn
from sklearn.datasets import load_breast_cancer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB

from skpostbac.binormal import (
    BinormalAssumptionWarning,
    binormal_average_precision_score,
    binormal_roc_auc_score,
    make_binormal_scorer,
)

X, Y = load_breast_cancer(return_X_y=True)
X = X[:, :2]  # of which a linear discriminant makes normal scores
SPLITS = StratifiedKFold(3)
METRICS = pytest.mark.parametrize(
    ("metric", "function"),
    [
        ("roc_auc", binormal_roc_auc_score),
        ("average_precision", binormal_average_precision_score),
    ],
)


@METRICS
def test_cross_validation_scores_each_fold(metric, function):
    """By the decision function."""
    results = cross_validate(
        LinearDiscriminantAnalysis(),
        X,
        Y,
        cv=SPLITS,
        scoring={metric: make_binormal_scorer(metric)},
        return_estimator=True,
        error_score="raise",
    )
    folds = zip(results["estimator"], SPLITS.split(X, Y), strict=True)
    expected = [function(Y[test], model.decision_function(X[test])) for model, (_, test) in folds]
    assert results[f"test_{metric}"].tolist() == expected


@METRICS
def test_probabilities_do_if_there_is_no_decision_function(metric, function):
    """Those of the positive class, which may be either."""
    model = GaussianNB().fit(X, Y)
    assert not hasattr(model, "decision_function")
    for label in (0, 1):
        with pytest.warns(BinormalAssumptionWarning, match="as probabilities do"):
            score = make_binormal_scorer(metric, pos_label=label)(model, X, Y)
        with pytest.warns(BinormalAssumptionWarning, match="as probabilities do"):
            expected = function(Y, model.predict_proba(X)[:, label], pos_label=label)
        assert score == pytest.approx(expected, rel=1e-12)


@METRICS
def test_search_with_text_labels(metric, function):
    """The best candidate has the best mean of the folds."""
    y = np.array(["malignant", "benign"])[Y]
    search = GridSearchCV(
        LinearDiscriminantAnalysis(solver="lsqr"),
        {"shrinkage": [0.0, 0.5, 1.0]},
        scoring=make_binormal_scorer(metric, pos_label="malignant"),
        cv=SPLITS,
        error_score="raise",
    ).fit(X, y)
    assert search.best_score_ == search.cv_results_["mean_test_score"].max()
    # The decision function is for the last class in sorted order: malignant.
    decision = search.best_estimator_.decision_function(X)
    assert search.score(X, y) == function(y, decision, pos_label="malignant")
    assert search.score(X, y) > 0.9


def test_positive_fraction_reaches_the_score():
    """The average precision of another population."""
    model = LinearDiscriminantAnalysis().fit(X, Y)
    scorer = make_binormal_scorer("average_precision", positive_fraction=0.01)
    expected = binormal_average_precision_score(
        Y, model.decision_function(X), positive_fraction=0.01
    )
    assert scorer(model, X, Y) == expected
    assert scorer(model, X, Y) < make_binormal_scorer("average_precision")(model, X, Y)


@METRICS
def test_weights_are_routed(metric, function):
    """Where they are requested."""
    weight = 1.0 + np.arange(len(Y)) % 2
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = make_binormal_scorer(metric).set_score_request(sample_weight=True)
        results = cross_validate(
            LinearDiscriminantAnalysis(),
            X,
            Y,
            cv=SPLITS,
            scoring=scorer,
            params={"sample_weight": weight},
            return_estimator=True,
            error_score="raise",
        )
    folds = zip(results["estimator"], SPLITS.split(X, Y), strict=True)
    expected = [
        function(Y[test], model.decision_function(X[test]), sample_weight=weight[test])
        for model, (_, test) in folds
    ]
    assert results["test_score"].tolist() == expected


def test_scorer_survives_pickling():
    """Joblib sends it to other processes."""
    model = LinearDiscriminantAnalysis().fit(X, Y)
    scorer = make_binormal_scorer("average_precision", pos_label=1)
    assert pickle.loads(pickle.dumps(scorer))(model, X, Y) == scorer(model, X, Y)
    assert make_binormal_scorer() is not make_binormal_scorer()


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("auc",), {}, r"metric must be one of \['roc_auc', 'average_precision'\], got 'auc'"),
        (("average_precision",), {"positive_fraction": 2}, "positive_fraction must be a number"),
        (("roc_auc",), {"positive_fraction": 0.1}, "positive_fraction is for average_precision"),
    ],
)
def test_mistakes_show_at_construction(arguments, options, message):
    """Not after a search has run for an hour."""
    with pytest.raises(ValueError, match=message):
        make_binormal_scorer(*arguments, **options)
