"""Ranks, pairs and losses of independent posteriors: exact integrals, dense grids, identities.

One class without samples has the Beta distribution of its prior.
"""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from skpostbac import PosteriorBalancedAccuracy, compare_posteriors

pytestmark = pytest.mark.filterwarnings(
    "ignore::skpostbac.metrics.PriorInfluenceWarning"
)


def compare(parameters):
    """Compare Beta distributions."""
    return compare_posteriors(
        {
            str(i): PosteriorBalancedAccuracy.from_counts([0], [0], prior=pair)
            for i, pair in enumerate(parameters)
        }
    )


def counts_above(cdf):
    """P(k of the others exceed x) at some points, for each variable left out; shape (T, T, n)."""
    found = []
    for i in range(len(cdf)):
        above = np.zeros_like(cdf)
        above[0] = 1.0
        for other in np.delete(cdf, i, axis=0):
            above[1:] = above[1:] * other + above[:-1] * (1 - other)
            above[0] *= other
        found.append(above)
    return np.array(found)


def exact(parameters):
    """Return ranks and losses of integer Betas by a rule of Gauss, exact for polynomials."""
    nodes, weights = np.polynomial.legendre.leggauss(100)
    x, weights = (1 + nodes) / 2, weights / 2
    distributions = [stats.beta(a, b) for a, b in parameters]
    cdf = np.array([one.cdf(x) for one in distributions])
    masses = np.array([weights * one.pdf(x) for one in distributions])
    others = np.array([np.delete(cdf, i, axis=0).prod(axis=0) for i in range(len(cdf))])
    return np.einsum("ikn,in->ik", counts_above(cdf), masses), cdf * (
        1 - others
    ) @ weights


@pytest.mark.parametrize(
    "parameters",
    [
        [(1, 1)] * 4,
        [(3, 1), (2, 2), (1, 4), (5, 3)],
        [(31, 3), (9, 3)],
        [(6, 1), (11, 1), (11, 1)],
        [(2, 9), (9, 1)],
    ],
    ids=["equal", "wide", "two", "perfect", "apart"],
)
def test_integrals_of_polynomials(parameters):
    """Ranks, pairs and losses."""
    comparison, (ranks, losses) = compare(parameters), exact(parameters)
    # A few hundred nodes, each right to a few units in the last place.
    assert_allclose(comparison.rank_probabilities(), ranks, rtol=0, atol=2e-13)
    assert_allclose(comparison.expected_loss(), losses, rtol=1e-9, atol=1e-13)
    greater = comparison.prob_greater()
    for i, j in combinations(range(len(parameters)), 2):
        expected = exact([parameters[i], parameters[j]])[0][0, 0]
        assert greater[i, j] == pytest.approx(expected, abs=2e-13)


HARD = {
    "jeffreys": [(32.5, 0.5), (10.5, 0.5), (4.5, 0.5), (0.5, 0.5)],
    "neutral": [(1 / 3, 31 / 3), (1 / 3, 1 / 3), (4 / 3, 1 / 3)],
    "narrow beside wide": [(9e7, 1e7), (9.001e7, 1e7), (900, 100), (2, 1)],
    "alike": [(901, 101)] * 12,
}


@pytest.mark.parametrize("parameters", HARD.values(), ids=HARD)
def test_hard_distributions(parameters):
    """Identities, and sums over the cells of a dense grid."""
    comparison = compare(parameters)
    ranks, losses = comparison.rank_probabilities(), comparison.expected_loss()
    assert min(ranks.min(), losses.min()) >= 0
    # Columns add up to 1 only if the panels resolve the integrand.
    assert_allclose(ranks.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    assert_allclose(ranks.sum(axis=0), 1.0, rtol=0, atol=1e-10)
    expected = 0.5 + comparison.prob_greater().sum(axis=0)
    assert_allclose(
        ranks @ np.arange(1, len(parameters) + 1), expected, rtol=0, atol=1e-9
    )
    shares = np.linspace(0, 1, 4001)
    quantiles = [stats.beta.ppf(shares, a, b) for a, b in parameters]
    points = np.unique([*np.concatenate(quantiles), *np.linspace(0, 1, 10001)])
    cdf = np.array([stats.beta.cdf(points, a, b) for a, b in parameters])
    # A cell holds 1 / 4000 of a distribution at most; the rules leave the square of that.
    above = counts_above(cdf)
    expected = np.einsum(
        "ikn,in->ik", (above[..., 1:] + above[..., :-1]) / 2, np.diff(cdf)
    )
    assert_allclose(ranks, expected, rtol=0, atol=1e-6)
    others = np.array([np.delete(cdf, i, axis=0).prod(axis=0) for i in range(len(cdf))])
    assert_allclose(losses, np.trapezoid(cdf * (1 - others), points), rtol=0, atol=1e-6)
    means = np.array([a / (a + b) for a, b in parameters])
    assert_allclose(losses - losses[0], means[0] - means, rtol=0, atol=1e-11)
