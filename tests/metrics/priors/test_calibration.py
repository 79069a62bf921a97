"""Simulation-based calibration of the priors (Talts et al., arXiv 1804.06788, 2018).

If recalls are drawn from a prior and counts from the recalls, the posterior probability below the
true balanced accuracy has a uniform distribution.
"""

import numpy as np
import pytest
from scipy import stats

from skpostbac import ClassCounts, PosteriorBalancedAccuracy


def reciprocal_recalls(sizes, rng):
    """Draw the recalls of l classes from Beta(1 / l, 1 / l)."""
    return rng.beta(1 / sizes.size, 1 / sizes.size, sizes.size)


def shares_below(prior, draw_recalls, sizes, seed):
    """Return the posterior probability below the truth in each of 100 simulated test sets."""
    rng, shares, posteriors = np.random.default_rng(seed), np.empty(100), {}
    for number in range(shares.size):
        recalls = draw_recalls(sizes, rng)
        correct = rng.binomial(sizes, recalls)
        # Small test sets are often alike, and the order of equal sizes does not matter.
        key = tuple(sorted(zip(sizes.tolist(), correct.tolist(), strict=True)))
        if key not in posteriors:
            counts = ClassCounts(range(sizes.size), correct, sizes)
            posteriors[key] = PosteriorBalancedAccuracy(counts, prior=prior)
        shares[number] = posteriors[key].distribution.cdf(recalls.mean())
    return shares


@pytest.mark.slow
@pytest.mark.parametrize(
    "sizes", [[3, 3], [4, 9, 9, 12], [6] * 20], ids=["two", "four", "twenty"]
)
def test_truths_from_the_prior_have_uniform_ranks(sizes):
    """The limit is a distance of .19 between both distribution functions."""
    shares = shares_below("reciprocal", reciprocal_recalls, np.array(sizes), seed=11)
    assert stats.kstest(shares, "uniform").pvalue > 1e-3


def test_ranks_show_a_wrong_prior():
    """The flat prior expects recalls of 1/2, and these are around .9."""
    shares = shares_below(
        "uniform",
        lambda sizes, rng: rng.beta(9, 1, sizes.size),
        np.array([6] * 20),
        seed=11,
    )
    assert stats.kstest(shares, "uniform").pvalue < 1e-6
