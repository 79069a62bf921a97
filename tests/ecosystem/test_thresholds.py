"""scikit-learn's confusion matrices at all thresholds."""

import numpy as np
import pytest
from sklearn import metrics
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.preprocessing import scale

from skpostbac import posterior_threshold_curve
from skpostbac.stats import BetaAverage


@pytest.mark.skipif(
    not hasattr(metrics, "confusion_matrix_at_thresholds"),
    reason="needs scikit-learn 1.8",
)
def test_counts_at_all_thresholds(tumours):
    """They are the parameters of as many distributions, whose means are those of the curve."""
    X, y = scale(tumours[0]), tumours[1] == "malignant"
    scores = cross_val_predict(LogisticRegression(), X, y, method="decision_function")
    tn, fp, fn, tp, thresholds = metrics.confusion_matrix_at_thresholds(y, scores)
    right, wrong = np.stack([tn, tp], axis=-1), np.stack([fp, fn], axis=-1)
    posteriors = BetaAverage(right + 0.5, wrong + 0.5)
    curve = posterior_threshold_curve(y, scores)
    means = dict(zip(curve.thresholds, curve.mean, strict=True))
    shared = np.isin(thresholds, curve.thresholds)
    assert shared.sum() > 100
    expected = [means[threshold] for threshold in thresholds[shared]]
    np.testing.assert_allclose(posteriors.mean()[shared], expected, rtol=1e-12)
