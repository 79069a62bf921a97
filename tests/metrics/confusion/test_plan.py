"""How many samples to label: a Beta distribution, simulated labels, limits and errors."""

import re

import numpy as np
import pytest
from scipy import stats

from skpostbac import PosteriorConfusionMetric, required_labels

from_matrix = PosteriorConfusionMetric.from_confusion_matrix

PILOT = np.array([[46, 8], [4, 42]])
COUNTS = {0: 8000, 1: 2000}


def test_precision():
    """It depends on the labels of its class alone, with a Beta posterior."""
    found = required_labels(
        PILOT, "precision", width=0.1, prediction_counts=COUNTS, labels=[0, 1]
    )
    assert found[0] == found[1]
    sizes = np.arange(50, 500)
    p = 42.5 / 51
    beta = stats.beta(p * sizes + 0.5, (1 - p) * sizes + 0.5)
    # The hull of the shortest and this interval is hardly wider.
    widths = beta.ppf(0.975) - beta.ppf(0.025)
    assert found[1] == pytest.approx(sizes[widths < 0.1][0], rel=0.05)


@pytest.mark.parametrize("metric", ["f1", "accuracy"])
@pytest.mark.parametrize("known", ["prediction_counts", "prediction_shares"])
def test_simulated_labels(metric, known):
    """Labels of this number give the width, half of them a larger one."""
    options = {known: COUNTS}
    width = 0.08
    plan = required_labels(PILOT, metric, width=width, **options)
    rng = np.random.default_rng(0)
    within = (PILOT + 0.5) / (PILOT + 0.5).sum(axis=0)
    widths = []
    for _ in range(60):
        C = rng.multinomial([plan[0], plan[1]], within.T).T
        posterior = from_matrix(C, metric, n_draws=4000, **options)
        low, high = posterior.credible_interval()
        widths.append(high - low)
    assert np.median(widths) == pytest.approx(width, rel=0.05)


@pytest.mark.slow
def test_design():
    """Labels keep the proportions of the pilot, up to the number of predictions."""
    options = {"width": 0.1, "prediction_counts": {"no": 8000, "yes": 60}}
    found = required_labels(
        PILOT * [3, 1], "f1", pos_label="yes", labels=["no", "yes"], **options
    )
    assert found["yes"] == 60
    shares = {"width": 0.1, "prediction_shares": {0: 8, 1: 2}}
    free = required_labels(PILOT * [3, 1], "f1", **shares)
    assert free[0] == pytest.approx(3 * free[1], abs=3)
    scaled = {"width": 0.1, "prediction_shares": {0: 80, 1: 20}}
    assert required_labels(PILOT * [3, 1], "f1", **scaled) == free
    assert required_labels(PILOT, "f1", width=1, prediction_counts=COUNTS) == {
        0: 1,
        1: 1,
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"width": 0.1}, "prediction_counts or prediction_shares must be given"),
        ({"width": 0, "prediction_counts": COUNTS}, "width must be positive, got 0"),
        ({"width": "a", "prediction_counts": COUNTS}, "width must be positive"),
        (
            {"width": 0.001, "prediction_counts": COUNTS},
            "width=0.001 is less than that with all samples labelled",
        ),
        (
            {"width": 0.1, "prediction_counts": {0: 8, 1: 8}},
            "prediction_counts of 0 is 8",
        ),
    ],
)
def test_errors(options, message):
    """Each names the argument."""
    with pytest.raises(ValueError, match=re.escape(message)):
        required_labels(PILOT, "f1", **options)
