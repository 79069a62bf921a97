"""imbalanced-learn: only training samples are resampled, the counts are of the real ones."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.tree import DecisionTreeClassifier

from skpostbac import (
    ClassCountsScorer,
    PosteriorRefit,
    class_counts,
    make_posterior_scorer,
    pooled_posteriors,
    posterior_balanced_accuracy,
)

REASON = "needs the group ecosystem"
ensemble = pytest.importorskip("imblearn.ensemble", reason=REASON)
over_sampling = pytest.importorskip("imblearn.over_sampling", reason=REASON)
pipeline = pytest.importorskip("imblearn.pipeline", reason=REASON)


@pytest.fixture
def rare(tumours):
    """A tenth of the malignant tumours, and all benign ones."""
    X, y = tumours
    is_kept = (y == "benign") | (np.cumsum(y == "malignant") % 10 == 0)
    return X[is_kept], y[is_kept]


def test_search_over_a_pipeline_that_resamples(rare, folds):
    """The pooled counts are those of the predictions of all samples, none of them twice."""
    model = pipeline.make_pipeline(
        over_sampling.RandomOverSampler(random_state=0),
        DecisionTreeClassifier(max_depth=2, random_state=0),
    )
    search = GridSearchCV(
        model,
        {"decisiontreeclassifier__max_depth": [1, 3]},
        scoring=ClassCountsScorer(),
        refit=PosteriorRefit("lower"),
        cv=folds,
    ).fit(*rare)
    X, y = rare
    for params, posterior in zip(
        search.cv_results_["params"], pooled_posteriors(search.cv_results_), strict=True
    ):
        y_pred = cross_val_predict(model.set_params(**params), X, y, cv=folds)
        assert posterior.counts == class_counts(y, y_pred)


def test_resampling_helps_the_rare_class(rare, folds):
    """The balanced accuracy rises, which the plain one would not show."""
    X, y = rare
    shy = LogisticRegression(C=0.01)
    bold = pipeline.make_pipeline(over_sampling.RandomOverSampler(random_state=0), shy)
    before, after = (
        posterior_balanced_accuracy(
            y, cross_val_predict(model, X / X.max(axis=0), y, cv=folds)
        )
        for model in (shy, bold)
    )
    assert after.credible_interval().low > before.credible_interval().high


def test_search_over_a_balanced_forest(rare, folds):
    """The forest is searched like any classifier."""
    search = GridSearchCV(
        ensemble.BalancedRandomForestClassifier(n_estimators=10, random_state=0),
        {"max_depth": [1, 3]},
        scoring=make_posterior_scorer(objective="lower"),
        cv=folds,
    ).fit(*rare)
    assert search.best_score_ == search.cv_results_["mean_test_score"].max() > 0.5
