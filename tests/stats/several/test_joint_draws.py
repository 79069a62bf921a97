"""Joint draws of accuracies: against a Dirichlet over all patterns, listed one by one."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import beta

from skpostbac.stats._several import joint_draws as _patterns
from skpostbac.stats._several.joint_draws import (
    MOST_LISTED,
    PatternDistribution,
    draw_averages,
    tally,
)

N = 200_000
# Standard errors within which two independent estimates agree but for one case in two million.
SIGMAS = 5

PATTERNS = np.array(list(product([0.0, 1.0], repeat=3)))
OBSERVED = {
    "none": {},
    "one": {0b111: 4.0},
    "few": {0b111: 6.0, 0b110: 2.0, 0b001: 1.0, 0b000: 1.5},
    "all": {number: 1.0 + number for number in range(8)},
    "a trace": {0b101: 1e-3, 0b011: 2e-3},
}
PRIORS = {
    "uniform": (1.0, 1.0),
    "jeffreys": (0.5, 0.5),
    "weak": (0.02, 0.01),
    "skew": (0.7, 2.0),
    "strong": (30.0, 20.0),
    "balanced": (0.6, 0.6, True),
    "balanced, weak": (0.02, 0.02, True),
}


def make_distribution(observed, prior):
    rows = list(observed)
    return PatternDistribution(PATTERNS[rows], np.array([observed[row] for row in rows]), *prior)


def draw_by_enumeration(observed, prior, size, rng):
    """Draw from the Dirichlet distribution over all eight patterns."""
    a, b, *balanced = prior
    right = a / (a + b)
    mass = (a + b) * np.prod(np.where(PATTERNS == 1, right, 1 - right), axis=1)
    if balanced:
        mass = (a + b) / 6 * np.isin(PATTERNS.sum(axis=1), [1, 2])
    for number, count in observed.items():
        mass[number] += count
    return rng.dirichlet(mass, size) @ PATTERNS


def statistics(draws):
    """Return what depends on the joint distribution: products up to order four, and ranks."""
    centred = draws - draws.mean(axis=0)
    one, two, three = centred.T
    return np.stack(
        [
            *draws.T,
            *(draws**2).T,
            one * two,
            one * three,
            two * three,
            one * two * three,
            one**2 * two,
            one**2 * two**2,
            two**2 * three**2,
            *orders(*draws.T),
            draws.max(axis=1),
            draws.min(axis=1),
        ]
    )


def orders(one, two, three):
    """Return who is ahead, by more than rounding."""
    ahead = one > two + 1e-12
    return ahead, ahead & (one > three + 1e-12), ahead & (three > one + 1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("prior", PRIORS.values(), ids=PRIORS)
@pytest.mark.parametrize("observed", OBSERVED.values(), ids=OBSERVED)
def test_draws_follow_the_distribution_of_all_patterns(observed, prior):
    """Moments and orders agree within Monte Carlo error."""
    rng = np.random.default_rng(7)
    ours = statistics(make_distribution(observed, prior).draw(N, rng))
    brute = statistics(draw_by_enumeration(observed, prior, N, rng))
    error = np.sqrt((ours.var(axis=1) + brute.var(axis=1)) / N)
    gap = np.abs(ours.mean(axis=1) - brute.mean(axis=1))
    assert np.all(gap <= SIGMAS * error + 1e-12)


@pytest.mark.parametrize("listed", [0, MOST_LISTED], ids=["pieces", "listed"])
def test_both_ways_to_draw_agree(listed, monkeypatch):
    """With sticks and with all patterns listed, the distribution is that of all patterns."""
    monkeypatch.setattr(_patterns, "MOST_LISTED", listed)
    test_draws_follow_the_distribution_of_all_patterns(OBSERVED["few"], PRIORS["skew"])


def test_few_patterns_are_listed():
    """A draw of three classifiers is eight Gamma variables: the counts, plus 1/4 each."""
    shapes = []

    class Recorder:
        def standard_gamma(self, shape, out):
            shapes.append(shape)
            out[:] = 1.0

    make_distribution(OBSERVED["few"], (1, 1)).draw(2, Recorder())
    assert sorted(shapes) == [0.25, 0.25, 0.25, 0.25, 1.25, 1.75, 2.25, 6.25]


@pytest.mark.parametrize("prior", PRIORS.values(), ids=PRIORS)
def test_margins_are_beta(prior):
    """Each classifier alone has its Beta distribution, by the largest distance of the two cdf."""
    distribution = make_distribution(OBSERVED["few"], prior)
    right = distribution.counts @ distribution.patterns
    draws = distribution.draw(N, np.random.default_rng(3))
    for accuracies, k in zip(draws.T, right, strict=True):
        cdf = beta(distribution.a + k, distribution.b + distribution.counts.sum() - k).cdf(
            np.sort(accuracies)
        )
        distance = np.abs(cdf - (np.arange(N) + 0.5) / N).max()
        assert distance < 2.7 / np.sqrt(N)  # Kolmogorov: exceeded once in a million


@pytest.mark.parametrize("mass", [0.01, 1.0, 2.0, 10.0, 1e15])
def test_pieces_leave_little(mass):
    """The fourth power of what is left of the stick is 1e-6 on average, or there are 64 pieces."""

    class Counter(np.random.Generator):
        pieces = 0

        def standard_exponential(self, *arguments):
            self.pieces += 1
            return super().standard_exponential(*arguments)

    rng = Counter(np.random.PCG64(0))
    PatternDistribution(np.ones((1, 4)), np.ones(1), mass / 2, mass / 2).draw(2, rng)
    left = mass / (mass + 4)
    assert rng.pieces == 64 or left**rng.pieces <= 1e-6
    assert rng.pieces == 1 or left ** (rng.pieces - 1) > 1e-6


@pytest.mark.parametrize("count", [4, 7])
def test_balanced_prior_disagrees_most(count):
    """Without samples, the covariance of two is that of patterns with half of them right."""
    draws = PatternDistribution(np.zeros((0, count)), np.zeros(0), 0.5, 0.5, True).draw(
        N, np.random.default_rng(0)
    )
    disagreement = {4: 2 / 3, 7: 4 / 7}[count]
    products = np.prod(draws[:, [0, -1]] - 0.5, axis=1)
    # A Dirichlet distribution of mass 1 halves the covariance of a single pattern.
    expected = (0.25 - disagreement / 2) / 2
    assert abs(products.mean() - expected) < SIGMAS * products.std() / np.sqrt(N)


def test_one_sample_among_many_classes():
    """Gamma variables of tiny shapes are all 0 in doubles; the draws are shares all the same."""
    distribution = PatternDistribution(PATTERNS[[7]], np.array([3e-3]), 3e-6, 3e-6, True)
    draws = distribution.draw(20_000, np.random.default_rng(0))
    assert np.all((draws >= 0) & (draws <= 1 + 1e-12))
    assert draws.mean() == pytest.approx(1.0, abs=0.005)


def test_averages_weigh_the_classes():
    """Classes are independent; one of weight zero is not drawn."""
    distributions = [
        make_distribution(OBSERVED["few"], (1, 1)),
        make_distribution(OBSERVED["all"], (1, 1)),
    ]
    weights = np.array([0.25, 0.75])
    draws = draw_averages(distributions, weights, N, np.random.default_rng(0))
    means, variances = zip(
        *(expected_moments(distribution) for distribution in distributions), strict=True
    )
    error = np.sqrt(draws.var(axis=0) / N)
    assert np.all(np.abs(draws.mean(axis=0) - weights @ means) < SIGMAS * error)
    np.testing.assert_allclose(draws.var(axis=0), weights**2 @ variances, rtol=0.03)
    alone = draw_averages(distributions, np.array([1.0, 0.0]), 5, np.random.default_rng(1))
    np.testing.assert_array_equal(alone, distributions[0].draw(5, np.random.default_rng(1)))


def expected_moments(distribution):
    right = distribution.counts @ distribution.patterns
    margin = beta(distribution.a + right, distribution.b + distribution.counts.sum() - right)
    return margin.mean(), margin.var()


def test_tally_by_hand():
    """Ranks and shortfalls of three draws of three values."""
    draws = np.array([[0.9, 0.5, 0.7], [0.1, 0.4, 0.2], [0.8, 0.6, 0.3]])
    counted = tally(draws, np.random.default_rng(0))
    np.testing.assert_array_equal(counted.ranks, [[2, 0, 1], [1, 1, 1], [0, 2, 1]])
    np.testing.assert_allclose(counted.losses, [0.3, 0.6, 0.9], rtol=1e-12)
    np.testing.assert_allclose(counted.squares, [0.09, 0.2, 0.33], rtol=1e-12)
    both = counted + counted
    np.testing.assert_array_equal(both.ranks, 2 * counted.ranks)
    np.testing.assert_array_equal(both.squares, 2 * counted.squares)


def test_ties_are_broken_at_random():
    """Two equal columns share the ranks evenly."""
    values = np.random.default_rng(0).random(10_000)
    draws = np.column_stack([values, values, values + 1])
    ranks = tally(draws, np.random.default_rng(1)).ranks
    assert ranks[2].tolist() == [10_000, 0, 0]
    assert abs(ranks[0, 1] - 5_000) < SIGMAS * 50
    assert ranks.sum(axis=0).tolist() == ranks.sum(axis=1).tolist() == [10_000] * 3


def test_a_prior_lost_in_rounding():
    """The weakest prior gives no NaN, and accuracies within [0, 1]."""
    distribution = PatternDistribution(PATTERNS[[7, 5]], np.array([30.0, 20.0]), 1e-6, 1e-6)
    draws = distribution.draw(1000, np.random.default_rng(0))
    assert np.all((draws >= 0) & (draws <= 1 + 1e-12))
    np.testing.assert_allclose(draws[:, [0, 2]], 1.0, rtol=0, atol=1e-12)
