"""Simulation-based calibration of the priors (Talts et al., arXiv 1804.06788, 2018).

If recalls are drawn from a prior and counts from the recalls, the posterior probability below the
true balanced accuracy has a uniform distribution.
"""

import numpy as np
import pytest
from scipy import stats

from skpostbac import ClassCounts, PosteriorBalancedAccuracy
from skpostbac.stats import Hyperprior


def reciprocal_recalls(sizes, rng):
    """Draw the recalls of l classes from Beta(1 / l, 1 / l)."""
    return rng.beta(1 / sizes.size, 1 / sizes.size, sizes.size)


def hierarchical_recalls(sizes, rng):
    """Draw the recalls from the chain of rates and strengths over strata of class size."""
    prior = Hyperprior()
    recalls = np.empty(sizes.size)
    strata = np.floor(np.log2(sizes))
    rate = strength = None
    for stratum in np.unique(strata):
        step = rng.random()
        if rate is None or step < 1 - prior.stay - prior.move:
            rate, strength = rng.beta(prior.rate, prior.rate), rng.choice(prior.kappa)
        elif step < 1 - prior.stay:
            successes = rng.binomial(24, rate)
            rate = rng.beta(prior.rate + successes, prior.rate + 24 - successes)
        here = np.flatnonzero(strata == stratum)
        is_outlier = rng.random(here.size) < 2 / (sizes.size + 4)
        borrowed = np.where(is_outlier, 0.0, strength)
        recalls[here] = rng.beta(
            prior.base + rate * borrowed, prior.base + (1 - rate) * borrowed
        )
    return recalls


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
        shares[number] = posteriors[key].cdf(recalls.mean())
    return shares


@pytest.mark.slow
@pytest.mark.parametrize(
    "sizes", [[3, 3], [4, 9, 9, 12], [6] * 20], ids=["two", "four", "twenty"]
)
@pytest.mark.parametrize(
    ("prior", "draw_recalls"),
    [("reciprocal", reciprocal_recalls), ("hierarchical", hierarchical_recalls)],
    ids=["reciprocal", "hierarchical"],
)
def test_truths_from_the_prior_have_uniform_ranks(prior, draw_recalls, sizes):
    """The limit is a distance of .19 between both distribution functions."""
    shares = shares_below(prior, draw_recalls, np.array(sizes), seed=11)
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
