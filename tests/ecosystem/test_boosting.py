"""LightGBM and XGBoost: classifiers like any other."""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_predict

from skpostbac import ClassCountsScorer, PosteriorRefit, class_counts, pooled_posteriors

REASON = "needs the group ecosystem"


def lightgbm_classifier():
    lightgbm = pytest.importorskip("lightgbm", reason=REASON)
    return lightgbm.LGBMClassifier(n_estimators=5, random_state=0, n_jobs=1, verbose=-1)


def xgboost_classifier():
    xgboost = pytest.importorskip("xgboost", reason=REASON)
    return xgboost.XGBClassifier(n_estimators=5, random_state=0, n_jobs=1)


@pytest.mark.parametrize("make", [lightgbm_classifier, xgboost_classifier])
def test_search(make, tumours, folds):
    """Each candidate's pooled counts are those of its predictions."""
    X, names = tumours
    y = (names == "benign").astype(int)  # XGBoost takes no words
    model = make()
    search = GridSearchCV(
        model,
        {"max_depth": [1, 3]},
        scoring=ClassCountsScorer(),
        refit=PosteriorRefit("lower"),
        cv=folds,
    ).fit(X, y)
    posteriors = pooled_posteriors(search.cv_results_, labels=[0, 1])
    for params, posterior in zip(search.cv_results_["params"], posteriors, strict=True):
        y_pred = cross_val_predict(model.set_params(**params), X, y, cv=folds)
        assert posterior.counts == class_counts(y, y_pred)
    bounds = [posterior.distribution.iccdf(0.95) for posterior in posteriors]
    assert search.best_index_ == np.argmax(bounds)
