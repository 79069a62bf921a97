"""The smallest of independent variables and their range, against quadrature and draws."""

from itertools import combinations

import numpy as np
import pytest
from scipy import integrate, stats

from skpostbac.stats import BetaAverage, HierarchicalBetaAverage
from skpostbac.stats._several import PanelDistribution, largest_distance, smallest
from skpostbac.stats._several.order_statistics import NODES


def single(a, b):
    """Return one Beta variable, as SciPy's and as ours."""
    return stats.beta(a, b), BetaAverage([a], [b])


CASES = {
    "two alike": [(8, 3), (8, 3)],
    "two apart": [(80, 10), (20, 30)],
    "perfect": [(9.5, 0.5), (30.5, 0.5)],
    "three": [(8, 3), (30.5, 2.5), (4, 4)],
}
EACH = pytest.mark.parametrize("case", CASES)


@EACH
def test_the_smallest_has_the_product_of_the_upper_tails(case):
    """P(min > x) and its mean, for Betas of SciPy."""
    exact, ours = zip(*(single(a, b) for a, b in CASES[case]), strict=True)
    found = smallest(ours)
    x = np.linspace(0.01, 0.99, 23)
    assert found.ccdf(x) == pytest.approx(np.prod([d.sf(x) for d in exact], axis=0), abs=1e-9)
    assert found.cdf(x) == pytest.approx(1 - np.prod([d.sf(x) for d in exact], axis=0), abs=1e-9)
    mean = integrate.quad(lambda t: np.prod([d.sf(t) for d in exact]), 0, 1, epsabs=1e-12)[0]
    assert found.mean() == pytest.approx(mean, abs=1e-9)


@pytest.mark.slow
@EACH
def test_the_range_has_its_integral(case):
    """P(max - min <= d) by SciPy's quadrature, in the quantiles of the smallest."""
    exact, ours = zip(*(single(a, b) for a, b in CASES[case]), strict=True)
    found = largest_distance(ours)
    for d in (0.01, 0.1, 0.3, 0.7):
        total = 0.0
        for i, one in enumerate(exact):
            others = [other for j, other in enumerate(exact) if j != i]

            def within(p, one=one, others=others, d=d):
                x = one.ppf(p)
                return np.prod([other.cdf(x + d) - other.cdf(x) for other in others])

            cut = [float(one.cdf(1 - d))]
            total += integrate.quad(within, 0, 1, points=cut, epsabs=1e-11, limit=400)[0]
        assert found.cdf(d) == pytest.approx(total, abs=2e-8)
        assert found.ccdf(d) == pytest.approx(1 - total, abs=2e-8)


def test_two_variables_have_the_range_of_their_difference():
    """|X - Y| by the exact distribution of the difference."""
    one, two = BetaAverage([8, 3], [3, 1]), BetaAverage([30, 4.5], [3, 0.5])
    found, difference = largest_distance([one, two]), one - two
    d = np.array([0.003, 0.05, 0.2, 0.4])
    assert found.cdf(d) == pytest.approx(difference.cdf(d) - difference.cdf(-d), abs=1e-9)
    density = difference.pdf(d) + difference.pdf(-d)
    assert found.pdf(d) == pytest.approx(density, rel=1e-5)


def test_two_uniform_variables():
    """The densities of their distance and of the smaller one are 2 (1 - x), also at the ends."""
    uniform = BetaAverage([1], [1])
    for found in (largest_distance([uniform] * 2), smallest([uniform] * 2)):
        assert found.pdf([0, 0.3, 1]) == pytest.approx([2, 1.4, 0], abs=1e-9)
        assert found.mean() == pytest.approx(1 / 3, rel=1e-12)


@pytest.mark.parametrize("count", [3, 10])
def test_draws_agree(count):
    """Moments and quantiles of drawn ranges, within five standard errors."""
    rng = np.random.default_rng(count)
    distributions = [
        BetaAverage(rng.integers(5, 60, 2) + 0.5, rng.integers(0, 9, 2) + 0.5) for _ in range(count)
    ]
    draws = np.stack([one.sample(200_000, rng=rng) for one in distributions])
    for found, drawn in (
        (largest_distance(distributions), np.ptp(draws, axis=0)),
        (smallest(distributions), draws.min(axis=0)),
    ):
        error = drawn.std() / np.sqrt(drawn.size)
        assert found.mean() == pytest.approx(drawn.mean(), abs=5 * error)
        assert found.standard_deviation() == pytest.approx(drawn.std(), rel=0.02)
        shares = [(drawn <= x).mean() for x in found.icdf([0.05, 0.5, 0.95])]
        assert shares == pytest.approx([0.05, 0.5, 0.95], abs=0.0025)


def test_quantiles_invert_the_distribution_function():
    """On both sides, and at both ends."""
    found = largest_distance([BetaAverage([8, 3], [3, 1]), BetaAverage([30, 4], [3, 5])])
    p = np.array([1e-6, 0.3, 0.8, 1 - 1e-6])
    assert found.cdf(found.icdf(p)) == pytest.approx(p, abs=1e-10)
    assert found.ccdf(found.iccdf(p)) == pytest.approx(p, abs=1e-10)
    assert (found.icdf(0), found.icdf(1)) == found.support()
    assert np.isnan(found.icdf(np.nan))
    assert np.isnan(found.cdf(np.nan))


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_the_shortest_interval_holds_the_level_and_is_short(level):
    """No other interval of the level is shorter."""
    found = largest_distance([BetaAverage([8, 3], [3, 1]), BetaAverage([30, 4], [3, 5])])
    low, high = found.hdi(level)
    assert found.cdf(high) - found.cdf(low) == pytest.approx(level, abs=1e-9)
    p = np.linspace(0, 1 - level, 301)
    assert high - low <= (found.icdf(p + level) - found.icdf(p)).min() + 1e-12


def test_hierarchical_distributions_have_a_range_too():
    """Against draws of both."""
    groups = [HierarchicalBetaAverage([3, 8], [5, 9]), HierarchicalBetaAverage([7, 20], [9, 30])]
    found = largest_distance(groups)
    x = np.stack([one.sample(100_000, rng=k) for k, one in enumerate(groups)])
    drawn = np.ptp(x, axis=0)
    assert found.mean() == pytest.approx(drawn.mean(), abs=5 * drawn.std() / np.sqrt(drawn.size))


def test_no_pair_is_farther_apart_than_all():
    """The range of a part is stochastically smaller."""
    distributions = [
        BetaAverage([8, 3], [3, 1]),
        BetaAverage([30, 4], [3, 5]),
        BetaAverage([4], [4]),
    ]
    whole = largest_distance(distributions)
    d = np.linspace(0.01, 0.6, 9)
    for pair in combinations(distributions, 2):
        assert (largest_distance(pair).cdf(d) >= whole.cdf(d) - 1e-9).all()


def test_quantiles_of_steep_and_flat_panels():
    """Newton's steps end where halving would: where the distribution function meets p."""
    edges = np.array([[0.0, 0.25], [0.25, 0.5], [0.5, 1.0]])
    x = edges.mean(axis=1)[:, np.newaxis] + np.diff(edges, axis=1) / 2 * NODES
    cdf = np.where(x < 0.25, 0.5 * (4 * x) ** 9, np.where(x < 0.5, 0.5, 1 - 8 * (1 - x) ** 4))
    distribution = PanelDistribution(edges, cdf.copy())
    p = np.array([0.0, 1e-9, 1e-4, 0.3, 0.6, 0.999, 1 - 1e-9, 1.0, np.nan])
    found = distribution.icdf(p)
    np.testing.assert_allclose(distribution.cdf(found[1:-2]), p[1:-2], rtol=1e-9, atol=1e-14)
    assert found[0] == 0
    assert found[-2] == 1
    assert np.isnan(found[-1])
