"""How often intervals are expected to hold the truth, against intervals of the engine."""

import numpy as np
import pytest

from skpostbac import ClassCounts, PosteriorBalancedAccuracy

CASES = {
    "flat, many small": ([4, 5, 5, 3, 5, 4, 5, 5, 4, 5], [5] * 10, 1.0),
    "weak, two samples": ([2, 1, 2, 1, 2, 1, 1, 2], [2] * 8, 1 / 8),
    "weak, unequal": ([2, 8, 25, 90], [2, 10, 30, 100], 1 / 4),
    "perfect": ([10] * 3, [10] * 3, 1 / 3),
}


def expected_coverage(correct, total, exponent, weights=None):
    """Return what a posterior tells of its intervals."""
    prior, counts = (
        np.full((len(total), 2), exponent),
        ClassCounts(range(len(total)), correct, total),
    )
    posterior = PosteriorBalancedAccuracy(counts, prior=prior, class_weight=weights)
    return posterior.prior_influence().expected_coverage


def typical_recalls(correct, total):
    """Draw each class by three samples to the mean of those that are at most an octave away."""
    correct, total = np.array(correct), np.array(total)
    octave, least = np.floor(np.log2(total)), 1 / total.size
    rates = (correct + least) / (total + 2 * least)
    centre = [rates[np.abs(octave - one) <= 1].mean() for one in octave]
    return (correct + 3 * np.array(centre)) / (total + 3)


@pytest.mark.parametrize(("correct", "total", "exponent"), CASES.values(), ids=CASES)
def test_share_is_that_of_exact_intervals(correct, total, exponent):
    """Test sets of other random numbers, and the reported intervals of the engine."""
    recalls, held, known = typical_recalls(correct, total), [], {}
    drawn = np.random.default_rng(1).binomial(total, recalls, (300, len(total)))
    for k in drawn:
        # The order of the classes does not matter.
        pairs = tuple(sorted(zip(k.tolist(), total, strict=True)))
        if pairs not in known:
            counts = ClassCounts(range(len(total)), *zip(*pairs, strict=True))
            posterior = PosteriorBalancedAccuracy(
                counts, prior=np.full((len(total), 2), exponent)
            )
            known[pairs] = posterior.credible_interval()
        low, high = known[pairs]
        held.append(low <= recalls.mean() <= high)
    # Three standard errors of the difference of shares of 300 and of 200, and .02 for the
    # approximate ends.
    error = np.sqrt(
        max(np.mean(held) * (1 - np.mean(held)), 0.01) * (1 / 300 + 1 / 200)
    )
    found = expected_coverage(correct, total, exponent)
    assert found == pytest.approx(np.mean(held), abs=3 * error + 0.02)
    assert found == expected_coverage(correct, total, exponent)


def test_whole_range():
    """Weights, fractions of samples, 1e15 samples, and nothing observed."""
    counts = [0.5, 9e14, 0, 3], [1.25, 1e15 - 1, 0, 3]
    assert 0 <= expected_coverage(*counts, 0.25, [0.5, 0, 0.25, 0.25]) <= 1
    assert np.isnan(expected_coverage([0, 0], [0, 0], 1.0))
