"""Metrics of many confusion matrices at once, held against scikit-learn's of one."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn import metrics

from skpostbac.metrics._confusion.metrics import OVERALL, macro, micro, of_class

SKLEARN = {
    "f0.5": partial(metrics.fbeta_score, beta=0.5),
    "f1": metrics.f1_score,
    "f2": partial(metrics.fbeta_score, beta=2),
    "jaccard": metrics.jaccard_score,
    "precision": metrics.precision_score,
    "recall": metrics.recall_score,
    "accuracy": metrics.accuracy_score,
    "kappa": metrics.cohen_kappa_score,
    "mcc": metrics.matthews_corrcoef,
}
positive_matrices = st.integers(2, 5).flatmap(
    lambda k: arrays(np.int64, (k, k), elements=st.integers(1, 9))
)


def as_labels(C):
    """Return labels that have this confusion matrix."""
    true, pred = np.indices(C.shape)
    return np.repeat(true.ravel(), C.ravel()), np.repeat(pred.ravel(), C.ravel())


@pytest.mark.parametrize("name", ["f0.5", "f1", "f2", "jaccard", "precision", "recall"])
@given(C=positive_matrices)
def test_averages_are_those_of_scikit_learn(name, C):
    """Of one class, macro and micro."""
    y_true, y_pred = as_labels(C)
    assert macro(name)(C) == pytest.approx(SKLEARN[name](y_true, y_pred, average="macro"))
    assert micro(name)(C) == pytest.approx(SKLEARN[name](y_true, y_pred, average="micro"))
    by_class = SKLEARN[name](y_true, y_pred, average=None)
    found = [of_class(name, i)(C) for i in range(len(C))]
    np.testing.assert_allclose(found, by_class, rtol=1e-12)


@pytest.mark.parametrize("name", sorted(OVERALL))
@given(C=positive_matrices)
def test_overall_metrics_are_those_of_scikit_learn(name, C):
    """Accuracy, kappa and the correlation coefficient of any number of classes."""
    # Kappa and the correlation may be exactly 0.
    expected = SKLEARN[name](*as_labels(C))
    assert OVERALL[name](C) == pytest.approx(expected, rel=1e-12, abs=1e-14)


@given(C=positive_matrices)
def test_false_positive_rate_is_by_hand(C):
    """Of the samples of other classes, those that are called this one."""
    k = len(C)
    alarms = [sum(C[i, j] for i in range(k) if i != j) for j in range(k)]
    negatives = [sum(C[i].sum() for i in range(k) if i != j) for j in range(k)]
    rates = np.divide(alarms, negatives)
    found = [of_class("false_positive_rate", j)(C) for j in range(k)]
    np.testing.assert_allclose(found, rates, rtol=1e-14)
    assert macro("false_positive_rate")(C) == pytest.approx(rates.mean())
    assert micro("false_positive_rate")(C) == pytest.approx(sum(alarms) / sum(negatives))


@given(C=positive_matrices)
def test_negative_predictive_value_is_by_hand(C):
    """Of the samples that are not called a class, those of other classes."""
    k = len(C)
    quiet = [C[:, [i for i in range(k) if i != j]] for j in range(k)]
    values = [1 - rest[j].sum() / rest.sum() for j, rest in enumerate(quiet)]
    found = [of_class("negative_predictive_value", j)(C) for j in range(k)]
    np.testing.assert_allclose(found, values, rtol=1e-13)
