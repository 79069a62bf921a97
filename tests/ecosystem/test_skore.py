"""skore: our scorers as metrics of its reports."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_score, cross_validate, train_test_split
from sklearn.tree import DecisionTreeClassifier

from skpostbac import (
    ClassCountsScorer,
    make_posterior_scorer,
    pooled_posteriors,
    posterior_balanced_accuracy_score,
)

skore = pytest.importorskip("skore", reason="needs the extra ecosystem")

NAME = "posterior_balanced_accuracy_score"
TREE = DecisionTreeClassifier(max_depth=3, random_state=0)


def column(report, metric):
    """Return the single column that a report has for a metric."""
    return report.metrics.summarize(metric=metric).frame().iloc[0]


def test_estimator_report(tumours):
    """The report has the lower bound of the test set's posterior."""
    X, y = tumours
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    report = skore.EstimatorReport(
        TREE, X_train=X_train, y_train=y_train, X_test=X_test, y_test=y_test
    )
    report.metrics.add(make_posterior_scorer(objective="lower"))
    expected = posterior_balanced_accuracy_score(
        y_test, report.estimator_.predict(X_test), objective="lower"
    )
    assert column(report, NAME).item() == pytest.approx(expected)


def test_cross_validation_report(tumours, folds):
    """The report has the mean and the spread of the folds' lower bounds."""
    scorer = make_posterior_scorer(objective="lower")
    report = skore.CrossValidationReport(TREE, *tumours, splitter=folds)
    report.metrics.add(scorer)
    scores = cross_val_score(TREE, *tumours, scoring=scorer, cv=folds)
    expected = [scores.mean(), scores.std(ddof=1)]
    np.testing.assert_allclose(column(report, NAME).to_numpy(dtype=float), expected)


def test_counts_of_a_report_pool(tumours, folds):
    """The reports of the folds have what the pooled posterior is made of."""
    report = skore.CrossValidationReport(TREE, *tumours, splitter=folds)
    report.metrics.add(ClassCountsScorer())
    counts = [
        fold.metrics.summarize(metric="ClassCountsScorer").frame().add_prefix("test_")
        for fold in report.reports_
    ]
    scores = cross_validate(TREE, *tumours, scoring=ClassCountsScorer(), cv=folds)
    assert pooled_posteriors(pd.DataFrame(counts)) == pooled_posteriors(scores)
