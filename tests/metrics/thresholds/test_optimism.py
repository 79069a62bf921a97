"""The optimism of a choice, against all bootstrap samples of a tiny data set."""

from itertools import product

import numpy as np
import pytest

from skpostbac.metrics._labels import read_scores
from skpostbac.metrics._thresholds.counts import ThresholdCounts, count_at_thresholds
from skpostbac.metrics._thresholds.optimism import bootstrap_optimism


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


def test_one_threshold_is_no_choice():
    """There is nothing to be optimistic about."""
    counts = ThresholdCounts(np.array([0.0]), np.array([[3.0, 4.0]]), np.array([5.0, 5.0]), 1)
    assert bootstrap_optimism(counts, np.full(2, 0.5), 50, np.random.default_rng(0)).mean == 0


def test_more_samples_have_less_optimism():
    """The same curve with a hundred times the samples."""
    correct = np.array([[9.0, 2.0], [7.0, 5.0], [5.0, 7.0], [2.0, 9.0]])
    counts = ThresholdCounts(np.arange(4.0)[::-1], correct, np.full(2, 10.0), 1)
    large = counts._replace(correct=100 * correct, total=np.full(2, 1000.0))
    small_sample, large_sample = (
        bootstrap_optimism(c, np.full(2, 0.5), 500, np.random.default_rng(0)).mean
        for c in (counts, large)
    )
    assert 0 < large_sample < small_sample / 3
