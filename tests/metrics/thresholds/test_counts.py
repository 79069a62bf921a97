"""Correct predictions at each threshold, the draws of whole curves, and the best threshold."""

from itertools import product

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

from skpostbac import posterior_threshold_curve
from skpostbac.metrics._labels import read_scores
from skpostbac.metrics._thresholds.curve import (
    ThresholdCounts,
    bootstrap_optimism,
    count_at_thresholds,
    draw_curves,
    simultaneous_band,
)
from skpostbac.stats import BetaAverage

pytestmark = pytest.mark.filterwarnings("ignore::skpostbac.metrics.PriorInfluenceWarning")


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
    counts = posterior_threshold_curve(y_true, y_score, pos_label=pos_label)
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
    weighted = posterior_threshold_curve(y_true, y_score, pos_label="ill", sample_weight=weight)
    repeated = posterior_threshold_curve(
        np.repeat(y_true, weight), np.repeat(y_score, weight), pos_label="ill"
    )
    assert np.allclose(weighted.correct, repeated.correct, rtol=1e-15)
    assert weighted.thresholds.tolist() == repeated.thresholds.tolist()


COUNTS = ThresholdCounts(
    np.array([4.0, 3.0, 2.0, 1.0]),
    np.array([[9.0, 1.0], [7.0, 4.0], [7.0, 6.0], [0.0, 6.0]]),
    np.array([10.0, 6.0]),
    1,
)
PRIOR = np.array([[0.5, 1.5], [2.0, 0.25]])


@pytest.mark.parametrize("weights", [(0.5, 0.5), (0.2, 0.8)])
def test_each_threshold_has_its_own_posterior(weights, draws_pvalue):
    """At each threshold the draws are those of the weighted average of both Betas."""
    rng = np.random.default_rng(0)
    draws = draw_curves(COUNTS, PRIOR, np.array(weights), 20_000, rng)
    for row, correct in zip(draws.T, COUNTS.correct, strict=True):
        a, b = PRIOR[:, 0] + correct, PRIOR[:, 1] + COUNTS.total - correct
        exact = BetaAverage(a, b, weights=weights)
        assert draws_pvalue(row, exact.cdf) > 1e-3


def test_thresholds_depend_on_each_other_as_in_a_dirichlet_distribution():
    """The covariance of cumulative shares F <= G is F (1 - G) / (n + 1)."""
    rng = np.random.default_rng(1)
    draws = draw_curves(COUNTS, PRIOR, np.array([0.0, 1.0]), 100_000, rng)
    n = PRIOR[1].sum() + COUNTS.total[1]
    mean = (PRIOR[1, 0] + COUNTS.correct[:, 1]) / n
    exact = np.minimum.outer(mean, mean) * (1 - np.maximum.outer(mean, mean)) / (n + 1)
    assert np.allclose(np.cov(draws.T), exact, atol=5 * exact.max() * np.sqrt(2 / 100_000))


def test_the_band_holds_its_share_of_the_curves():
    """As many draws stay inside from end to end as asked, and more at each threshold alone."""
    rng = np.random.default_rng(5)
    curves = draw_curves(COUNTS, PRIOR, np.full(2, 0.5), 4000, rng)
    low, high = simultaneous_band(curves, 0.9)
    inside = (low <= curves) & (curves <= high)
    assert inside.all(axis=1).mean() == pytest.approx(0.9, abs=5e-4)
    assert (inside.mean(axis=0) > 0.92).all()
    assert (low > 0).all()
    assert (high < 1).all()


@pytest.mark.parametrize("weights", [(0.5, 0.5), (0.8, 0.2)])
@pytest.mark.parametrize("pos_label", [0, 1])
def test_optimism_is_the_mean_over_all_bootstrap_samples(weights, pos_label):
    """Three samples a class: 27 x 27 bootstrap samples, each evaluated sample by sample."""
    y_true, y_score = np.array([0, 0, 0, 1, 1, 1]), np.array([0.1, 0.4, 0.6, 0.3, 0.5, 0.9])
    y_score = y_score if pos_label else -y_score
    thresholds = np.sort(y_score)[::-1]
    weights = np.array(weights)

    def accuracy(chosen, threshold):
        hits = np.where(y_score >= threshold, pos_label, 1 - pos_label) == y_true
        return weights[0] * hits[chosen[:3]].mean() + weights[1] * hits[chosen[3:]].mean()

    everything = list(range(6))
    observed = [accuracy(everything, threshold) for threshold in thresholds]
    gains = []
    for negatives in product(range(3), repeat=3):
        for positives in product(range(3, 6), repeat=3):
            again = [accuracy([*negatives, *positives], threshold) for threshold in thresholds]
            best = int(np.argmax(np.round(again, 12)))
            gains.append(again[best] - observed[best])
    counts = count_at_thresholds(read_scores(y_true, y_score, pos_label))
    found = bootstrap_optimism(counts, weights, 40_000, np.random.default_rng(0))
    assert found.mean == pytest.approx(np.mean(gains), abs=5 * found.error)
    assert found.error < 0.002
