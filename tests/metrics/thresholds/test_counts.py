"""Correct predictions at each threshold, the band of whole curves, and the best threshold."""

from itertools import product

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

from skpostbac import posterior_threshold_curve

pytestmark = pytest.mark.filterwarnings(
    "ignore::skpostbac.metrics.PriorInfluenceWarning"
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
    counts = posterior_threshold_curve(y_true, y_score, pos_label=pos_label)
    other = {"ill": "healthy", "healthy": "ill"}[pos_label]
    assert set(counts.thresholds) == set(y_score)
    for threshold, correct in zip(counts.thresholds, counts.correct, strict=True):
        matrix = confusion_matrix(
            y_true, np.where(y_score >= threshold, pos_label, other)
        )
        assert correct.tolist() == np.diag(matrix).tolist()
        assert counts.total.tolist() == matrix.sum(axis=1).tolist()


def test_weights_count_cases(data):
    """A sample of weight 3 counts as three samples, and one of weight 0 as none."""
    y_true, y_score = data
    weight = np.arange(60) % 4
    weighted = posterior_threshold_curve(
        y_true, y_score, pos_label="ill", sample_weight=weight
    )
    repeated = posterior_threshold_curve(
        np.repeat(y_true, weight), np.repeat(y_score, weight), pos_label="ill"
    )
    assert np.allclose(weighted.correct, repeated.correct, rtol=1e-15)
    assert weighted.thresholds.tolist() == repeated.thresholds.tolist()


@pytest.mark.parametrize("pos_label", ["ill", "healthy"])
@pytest.mark.parametrize("weights", [(0.5, 0.5), (0.2, 0.8)])
def test_the_band_holds_its_share_of_the_curves(data, pos_label, weights):
    """Of curves of Dirichlet weights of the samples, with those of the prior at both ends."""
    (y_true, y_score), prior = data, {"healthy": (0.5, 1.5), "ill": (2.0, 0.25)}
    curve = posterior_threshold_curve(
        y_true,
        y_score,
        pos_label=pos_label,
        prior=list(prior.values()),
        class_weight=weights,
        level=0.9,
    )
    rng, size, curves = np.random.default_rng(1), 4000, 0.0
    for label, weight in zip(prior, weights, strict=True):
        scores = y_score[y_true == label]
        masses = rng.dirichlet([*np.ones(scores.size), *prior[label]], size)
        # What the prior has right is right at each threshold, and what it has wrong is wrong.
        right = (scores[:, np.newaxis] >= curve.thresholds) == (label == pos_label)
        curves = curves + weight * (masses[:, :-2] @ right + masses[:, -2:-1])
    low, high = curve.band
    inside = (low <= curves) & (curves <= high)
    # Five standard errors of both shares.
    assert inside.all(axis=1).mean() == pytest.approx(
        0.9, abs=5 * 0.3 * np.sqrt(2 / size)
    )
    assert (inside.mean(axis=0) > 0.9).all()
    assert (low > 0).all()
    assert (high < 1).all()


@pytest.mark.parametrize("weights", [(0.5, 0.5), (0.8, 0.2)])
@pytest.mark.parametrize("pos_label", [0, 1])
def test_optimism_is_the_mean_over_all_bootstrap_samples(weights, pos_label):
    """Three samples a class: 27 x 27 bootstrap samples, each evaluated sample by sample."""
    y_true, y_score = (
        np.array([0, 0, 0, 1, 1, 1]),
        np.array([0.1, 0.4, 0.6, 0.3, 0.5, 0.9]),
    )
    y_score = y_score if pos_label else -y_score
    thresholds = np.sort(y_score)[::-1]

    def accuracy(chosen, threshold):
        hits = np.where(y_score >= threshold, pos_label, 1 - pos_label) == y_true
        return (
            weights[0] * hits[chosen[:3]].mean() + weights[1] * hits[chosen[3:]].mean()
        )

    observed = [accuracy(list(range(6)), threshold) for threshold in thresholds]
    gains = []
    for negatives in product(range(3), repeat=3):
        for positives in product(range(3, 6), repeat=3):
            again = [
                accuracy([*negatives, *positives], threshold)
                for threshold in thresholds
            ]
            best = int(np.argmax(np.round(again, 12)))
            gains.append(again[best] - observed[best])
    found = [
        posterior_threshold_curve(
            y_true,
            y_score,
            pos_label=pos_label,
            class_weight=weights,
            random_state=seed,
        ).corrected
        for seed in range(20)
    ]
    error = found[0].optimism_error
    assert 0 < error < 0.02
    mean = np.mean([one.optimism for one in found])
    assert mean == pytest.approx(np.mean(gains), abs=5 * error / np.sqrt(20))
