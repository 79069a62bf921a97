"""Correct predictions at each threshold, against scikit-learn threshold by threshold."""

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, confusion_matrix

from skpostbac.metrics._labels import read_scores
from skpostbac.metrics._thresholds.counts import (
    ThresholdCounts,
    _count_by_rates,
    best_of,
    count_at_thresholds,
    thin,
)


@pytest.fixture(name="data")
def data_fixture():
    """Labels and scores with ties."""
    rng = np.random.default_rng(0)
    y_true = rng.random(60) < 0.3
    return np.where(y_true, "ill", "healthy"), np.round(rng.normal(size=60) + y_true, 1)


@pytest.mark.parametrize("pos_label", ["ill", "healthy"])
def test_counts_are_those_of_confusion_matrices(data, pos_label):
    """At each threshold, the diagonal is that of the confusion matrix of the predictions."""
    y_true, y_score = data
    counts = count_at_thresholds(read_scores(y_true, y_score, pos_label))
    other = {"ill": "healthy", "healthy": "ill"}[pos_label]
    assert set(counts.thresholds) == set(y_score)
    for threshold, correct in zip(counts.thresholds, counts.correct, strict=True):
        matrix = confusion_matrix(y_true, np.where(y_score >= threshold, pos_label, other))
        assert correct.tolist() == np.diag(matrix).tolist()
        assert counts.total.tolist() == matrix.sum(axis=1).tolist()


def test_weights_count_cases(data):
    """A sample of weight 3 counts as three samples, and one of weight 0 as none."""
    y_true, y_score = data
    weight = np.arange(60) % 4
    weighted = count_at_thresholds(read_scores(y_true, y_score, "ill", weight))
    repeated = count_at_thresholds(
        read_scores(np.repeat(y_true, weight), np.repeat(y_score, weight), "ill")
    )
    assert np.allclose(weighted.correct, repeated.correct, rtol=1e-15)
    assert weighted.thresholds.tolist() == repeated.thresholds.tolist()


@pytest.mark.parametrize("weighted", [False, True])
def test_older_versions_of_scikit_learn_count_the_same(data, weighted, monkeypatch):
    """The counts taken from a ROC curve are those of the confusion matrices."""
    y_true, y_score = data
    weight = 0.5 + np.arange(60) % 3 if weighted else None
    scores = read_scores(y_true, y_score, "ill", weight)
    new = count_at_thresholds(scores)
    monkeypatch.setattr(
        "sklearn.metrics.confusion_matrix_at_thresholds", _count_by_rates, raising=False
    )
    old = count_at_thresholds(scores)
    assert np.allclose(old.correct, new.correct, rtol=1e-14, atol=1e-13)
    assert np.allclose(old.total, new.total, rtol=1e-14)
    assert old.thresholds.tolist() == new.thresholds.tolist()


def test_the_best_threshold_is_that_of_a_loop(data):
    """No threshold has a larger balanced accuracy."""
    y_true, y_score = data
    counts = count_at_thresholds(read_scores(y_true, y_score, "ill"))
    scores = [
        balanced_accuracy_score(y_true, np.where(y_score >= threshold, "ill", "healthy"))
        for threshold in counts.thresholds
    ]
    assert best_of(counts, np.full(2, 0.5)) == np.argmax(scores)


@pytest.mark.parametrize("most", [3, 7, 30])
def test_thinning_keeps_the_best_and_both_ends(most):
    """At most so many are left, in order, among them the best, the first and the last."""
    rng = np.random.default_rng(1)
    y_true = rng.random(5000) < 0.1
    counts = count_at_thresholds(read_scores(y_true, rng.normal(size=5000) + y_true, True))
    weights = np.array([0.3, 0.7])
    kept = thin(counts, weights, most)
    assert len(kept.thresholds) <= most
    assert (np.diff(kept.thresholds) < 0).all()
    best = counts.thresholds[best_of(counts, weights)]
    assert {best, counts.thresholds[0], counts.thresholds[-1]} <= set(kept.thresholds)
    rows = np.searchsorted(-counts.thresholds, -kept.thresholds)
    assert (counts.correct[rows] == kept.correct).all()


def test_few_thresholds_are_not_thinned():
    """Nothing is left out of a curve that is short enough."""
    counts = ThresholdCounts(np.array([2.0, 1.0]), np.eye(2), np.ones(2), 1)
    assert thin(counts, np.full(2, 0.5), 2) is counts
