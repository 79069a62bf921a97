"""skore: our scorers as metrics of its reports."""

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import cross_val_score, cross_validate, train_test_split
from sklearn.tree import DecisionTreeClassifier

from skpostbac import (
    ClassCountsScorer,
    compare_predictions,
    make_posterior_scorer,
    pooled_posteriors,
    posterior_balanced_accuracy_score,
)

skore = pytest.importorskip("skore", reason="needs the group ecosystem")

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


class DifferenceIsKnown(skore.Check):
    """Say whether the test samples tell a report's model from that of another one.

    As the guide has it. What a check finds of a comparison is lost in skore 0.28.
    """

    code = "DIFFERENCE"
    title = "The difference is not known"
    report_types = ["estimator", "cross-validation"]  # noqa: RUF012
    severity = "tip"

    def __init__(self, rival):
        self.rival = rival

    def check_function(self, report):
        """Return what is known, if that is less than a probability of .95."""
        folds = getattr(report, "reports_", [report])
        comparison = compare_predictions(
            np.concatenate([fold.y_test for fold in folds]),
            {"model": predictions_of(report), "rival": predictions_of(self.rival)},
            random_state=0,
        )
        known = comparison.prob_best().max() > 0.95
        return None if known else comparison.report().splitlines()[0]


def predictions_of(report):
    """Return the predictions of a report's test samples, whether of one split or of several."""
    folds = getattr(report, "reports_", [report])
    return np.concatenate([fold.get_predictions(data_source="test") for fold in folds])


def report_of_holdout(model, X, y):
    """Return the report of a model on a test set."""
    names = ("X_train", "X_test", "y_train", "y_test")
    parts = dict(zip(names, train_test_split(X, y, random_state=0), strict=True))
    return skore.EstimatorReport(model, **parts)


def report_of_folds(model, X, y):
    """Return the report of a model on three folds."""
    return skore.CrossValidationReport(model, X, y, splitter=3)


@pytest.mark.parametrize("report_of", [report_of_holdout, report_of_folds])
@pytest.mark.parametrize(
    ("rival", "section"),
    [
        (DecisionTreeClassifier(max_depth=4, random_state=1), "tip"),
        (DummyClassifier(), "passed"),
    ],
    ids=["alike", "worse"],
)
def test_a_check_of_the_difference(tumours, report_of, rival, section):
    """A tree and a deeper one are not told apart; a tree and the majority are."""
    report = report_of(TREE, *tumours)
    report.checks.add([DifferenceIsKnown(report_of(rival, *tumours))])
    checks = report.checks.summarize(fast_mode=True).frame().set_index("code")
    assert checks.loc["DIFFERENCE", "section"] == section
