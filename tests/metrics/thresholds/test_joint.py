"""The posterior of whole curves, against the Beta and Dirichlet distributions."""

import numpy as np
import pytest
from scipy import stats

from skpostbac.metrics._thresholds.counts import ThresholdCounts
from skpostbac.metrics._thresholds.joint import draw_curves, share_of_best, simultaneous_band
from skpostbac.stats import BetaAverage

COUNTS = ThresholdCounts(
    np.array([4.0, 3.0, 2.0, 1.0]),
    np.array([[9.0, 1.0], [7.0, 4.0], [7.0, 6.0], [0.0, 6.0]]),
    np.array([10.0, 6.0]),
    1,
)
PRIOR = np.array([[0.5, 1.5], [2.0, 0.25]])


def mirrored(counts):
    """Exchange both classes."""
    return counts._replace(correct=counts.correct[:, ::-1], total=counts.total[::-1], positive=0)


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


def test_recalls_rise_and_fall_along_the_curve():
    """With falling threshold the recall of the positives rises, that of the negatives falls."""
    rng = np.random.default_rng(2)
    positive = draw_curves(COUNTS, PRIOR, np.array([0.0, 1.0]), 100, rng)
    negative = draw_curves(COUNTS, PRIOR, np.array([1.0, 0.0]), 100, rng)
    assert (np.diff(positive) >= 0).all()
    assert (np.diff(negative) <= 0).all()


def test_either_class_may_be_the_positive_one():
    """The order of the classes does not matter to the distribution."""
    curves = draw_curves(COUNTS, PRIOR, np.array([0.3, 0.7]), 20_000, np.random.default_rng(3))
    again = draw_curves(
        mirrored(COUNTS), PRIOR[::-1], np.array([0.7, 0.3]), 20_000, np.random.default_rng(4)
    )
    for one, other in zip(curves.T, again.T, strict=True):
        assert stats.ks_2samp(one, other).pvalue > 1e-3


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


def test_the_probability_to_be_best_counts_the_draws():
    """Two thresholds: the share of draws in which one beats the other."""
    rng = np.random.default_rng(6)
    curves = draw_curves(COUNTS, PRIOR, np.full(2, 0.5), 1000, rng)[:, :2]
    share = share_of_best(curves)
    assert share[0] == (curves[:, 0] > curves[:, 1]).mean()
    assert share.sum() == pytest.approx(1)
