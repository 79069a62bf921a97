"""scikit-learn's callbacks: they call our scorers at each step of a fit, and watch a search."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import scale

from skpostbac import (
    ClassCountsScorer,
    PosteriorRefit,
    make_posterior_scorer,
    posterior_balanced_accuracy_score,
)

callback = pytest.importorskip("sklearn.callback", reason="needs scikit-learn 1.9")


def test_monitor_of_a_number(tumours):
    """The log ends with the score of the fitted model on its training set."""
    X, y = scale(tumours[0]), tumours[1]
    monitor = callback.ScoringMonitor(scoring=make_posterior_scorer(objective="lower"))
    model = LogisticRegression().set_callbacks(monitor).fit(X, y)
    scores = [entry["score"] for entry in monitor.get_logs().data if "score" in entry]
    expected = posterior_balanced_accuracy_score(y, model.predict(X), objective="lower")
    assert scores[-1] == pytest.approx(expected)


def test_monitor_of_counts(tumours):
    """Counts are logged, one entry for each of them."""
    X, y = scale(tumours[0]), tumours[1]
    monitor = callback.ScoringMonitor(scoring=ClassCountsScorer())
    model = LogisticRegression().set_callbacks(monitor).fit(X, y)
    last = monitor.get_logs().data_as_pandas.iloc[-1]
    assert last["total_malignant"] == 212
    assert last["correct_malignant"] == np.sum(
        model.predict(X)[y == "malignant"] == "malignant"
    )


def test_callbacks_of_a_search(tumours, folds, capsys):
    """A search with a progress bar and a monitor chooses what it chooses without."""
    pytest.importorskip("rich", reason="needs the group ecosystem")
    X, y = scale(tumours[0]), tumours[1]

    def search(model):
        return GridSearchCV(
            model,
            {"C": [1e-4, 1.0]},
            scoring=ClassCountsScorer(),
            refit=PosteriorRefit("lower"),
            cv=folds,
        )

    monitor = callback.ScoringMonitor(scoring=make_posterior_scorer())
    watched = search(LogisticRegression().set_callbacks(monitor))
    watched.set_callbacks(callback.ProgressBar()).fit(X, y)
    assert (
        watched.best_index_ == search(LogisticRegression()).fit(X, y).best_index_ == 1
    )
    assert monitor.get_logs().data
    assert "GridSearchCV" in capsys.readouterr().out
