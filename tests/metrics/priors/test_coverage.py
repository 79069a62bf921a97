"""How often intervals are expected to hold the truth, against intervals of the engine."""

from functools import cache

import numpy as np
import pytest
from scipy.stats import norm

from skpostbac.metrics import ClassCounts
from skpostbac.metrics._posteriors.influence import (
    _typical_recalls,
    expected_coverage,
    shared_coverage,
)
from skpostbac.stats import BetaAverage

CASES = {
    "flat, many small": ([4, 5, 5, 3, 5, 4, 5, 5, 4, 5], [5] * 10, 1.0),
    "weak, two samples": ([2, 1, 2, 1, 2, 1, 1, 2], [2] * 8, 1 / 8),
    "weak, unequal": ([2, 8, 25, 90], [2, 10, 30, 100], 1 / 4),
    "perfect": ([10] * 3, [10] * 3, 1 / 3),
}


@cache
def hull(classes, exponent):
    """Return the interval of pairs of counts (correct, total), whose order does not matter."""
    k, n = np.transpose(classes)
    distribution = BetaAverage(exponent + k, exponent + n - k)
    ends = np.transpose([distribution.hdi(0.95), distribution.interval(0.95)])
    return ends[0].min(), ends[1].max()


@pytest.mark.parametrize(("correct", "total", "exponent"), CASES.values(), ids=CASES)
def test_share_is_that_of_exact_intervals(correct, total, exponent):
    """Test sets of other random numbers, and the reported intervals of the engine."""
    counts = ClassCounts(range(len(total)), correct, total)
    size = counts.n_classes
    prior, weights = np.full((size, 2), exponent), np.full(size, 1 / size)
    recalls = _typical_recalls(counts.correct, counts.total)
    drawn = np.random.default_rng(1).binomial(counts.total.astype(int), recalls, (300, size))
    held = []
    for k in drawn:
        low, high = hull(tuple(sorted(zip(k, total, strict=True))), exponent)
        held.append(low <= recalls.mean() <= high)
    # Three standard errors of the difference of shares of 300 and of 200, and .02 for the
    # approximate ends.
    error = np.sqrt(max(np.mean(held) * (1 - np.mean(held)), 0.01) * (1 / 300 + 1 / 200))
    found = expected_coverage(counts.correct, counts.total, prior, weights)
    assert found == pytest.approx(np.mean(held), abs=3 * error + 0.02)
    assert found == expected_coverage(counts.correct, counts.total, prior, weights)


def test_typical_recalls_by_hand():
    """Classes of 2, 3 and 4 samples are of neighbouring octaves; those of 100 are not."""
    counts = ClassCounts(range(5), [2, 3, 0, 90, 0], [2, 3, 4, 100, 0])
    rates = (np.array([2, 3, 0]) + 0.2) / (np.array([2, 3, 4]) + 0.4)
    large = (90 + 0.2) / 100.4
    expected = [
        *((np.array([2, 3, 0]) + 3 * rates.mean()) / (np.array([2, 3, 4]) + 3)),
        (90 + 3 * large) / 103,
        rates.mean(),  # without samples: like the smallest
    ]
    np.testing.assert_allclose(_typical_recalls(counts.correct, counts.total), expected, rtol=1e-14)


def test_whole_range():
    """Weights, fractions of samples, 1e15 samples, many classes, and nothing observed."""
    counts = ClassCounts(range(4), [0.5, 9e14, 0, 3], [1.25, 1e15, 0, 3])
    prior, weights = np.full((4, 2), 0.25), np.array([0.5, 0, 0.25, 0.25])
    assert 0 <= expected_coverage(counts.correct, counts.total, prior, weights) <= 1
    size = 30_000
    many, weights = (np.full(size, 9.0), np.full(size, 10.0)), np.full(size, 1 / size)
    assert expected_coverage(*many, np.ones((size, 2)), weights) == 0
    assert expected_coverage(*many, np.full((size, 2), 1 / size), weights) > 0.5
    nothing = np.zeros(2), np.zeros(2)
    assert np.isnan(expected_coverage(*nothing, np.ones((2, 2)), np.full(2, 0.5)))
    assert np.isnan(shared_coverage(*nothing, np.full(2, 0.5), 0.5, 0.2))


def test_bias_of_a_shared_prior():
    """None where the distance is that of noise; half an interval off, and half of them miss."""
    counts = np.full(20, 80.0), np.full(20, 100.0)
    weights = np.full(20, 0.05)
    sd = np.sqrt(0.8 * 0.2 / 2000)
    assert shared_coverage(*counts, weights, 0.8, sd) == pytest.approx(0.95)
    # Where the posterior is as wide as the sampling distribution, a standard deviation is noise:
    # 1.96 - 1 / 1.96 = 1.45 is bias, and the upper end is 0.51 away.
    assert shared_coverage(*counts, weights, 0.8 + 1.96 * sd, sd) == pytest.approx(
        norm.cdf(0.51), abs=0.01
    )
    assert shared_coverage(*counts, weights, 0.8 + 0.9 * sd, 0.1 * sd) == pytest.approx(0.95)
