"""Order statistics of independent distributions: ranks, pairs and shortfalls."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.special import betainc, roots_jacobi

from skpostbac.stats import BetaAverage
from skpostbac.stats._several.order_statistics import (
    MAX_PANELS,
    TOLERANCE,
    expected_shortfalls,
    pairwise_probabilities,
    rank_probabilities,
    resolve_jointly,
)


@dataclass
class ScaledBeta:
    """A Beta distribution moved to [low, low + width], after SciPy."""

    a: float
    b: float
    low: float = 0.0
    width: float = 1.0

    def cdf(self, x):
        return stats.beta.cdf(x, self.a, self.b, self.low, self.width)

    def ccdf(self, x):
        return stats.beta.sf(x, self.a, self.b, self.low, self.width)

    def support(self):
        return self.low, self.low + self.width

    def mean(self):
        return self.low + self.width * self.a / (self.a + self.b)

    def standard_deviation(self):
        return self.width * stats.beta.std(self.a, self.b)


def inverted_beta(a, b):
    """Return a Beta distribution as an average of one."""
    return BetaAverage([a], [b])


MAKERS = {"SciPy": ScaledBeta, "inverted": inverted_beta}


def polynomial_product(first, second):
    """Multiply polynomials with exact coefficients, constant term first."""
    product = [Fraction(0)] * (len(first) + len(second) - 1)
    for i, left in enumerate(first):
        for j, right in enumerate(second):
            product[i + j] += left * right
    return product


def beta_cdf(a, b):
    """Return the distribution function of Beta(a, b), a and b integer, as a polynomial."""
    scale = a * comb(a + b - 1, a)
    terms = [Fraction((-1) ** k * comb(b - 1, k) * scale, a + k) for k in range(b)]
    return [Fraction(0)] * a + terms


def exact_ranks(parameters):
    """Return the rank probabilities as fractions, by a sum over all sets above x."""
    count = len(parameters)
    cdfs = [beta_cdf(a, b) for a, b in parameters]
    ccdfs = [[1 - cdf[0], *(-term for term in cdf[1:])] for cdf in cdfs]
    ranks = [[Fraction(0)] * count for _ in range(count)]
    for i in range(count):
        others = [j for j in range(count) if j != i]
        density = [power * term for power, term in enumerate(cdfs[i])][1:]
        for above in range(count):
            for chosen in combinations(others, above):
                integrand = density
                for j in others:
                    integrand = polynomial_product(integrand, (ccdfs if j in chosen else cdfs)[j])
                ranks[i][above] += sum(term / (k + 1) for k, term in enumerate(integrand))
    return ranks


INTEGER_DISTRIBUTIONS = {
    "equal": [(1, 1)] * 4,
    "wide": [(3, 1), (2, 2), (1, 4), (5, 3)],
    "two": [(31, 3), (9, 3)],
    "perfect": [(6, 1), (11, 1), (11, 1)],
}


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS.keys())
@pytest.mark.parametrize(
    "parameters", INTEGER_DISTRIBUTIONS.values(), ids=INTEGER_DISTRIBUTIONS.keys()
)
def test_rank_probabilities_are_exact(parameters, maker):
    """They agree with exact rational integration of polynomials."""
    panels = resolve_jointly([maker(a, b) for a, b in parameters])
    expected = np.array(exact_ranks(parameters), dtype=float)
    # a few hundred nodes, each right to a few units in the last place
    np.testing.assert_allclose(rank_probabilities(panels), expected, rtol=0, atol=1e-13)
    pairwise = pairwise_probabilities(panels)
    for i, j in combinations(range(len(parameters)), 2):
        expected = float(exact_ranks([parameters[i], parameters[j]])[0][0])
        assert pairwise[i, j] == pytest.approx(expected, abs=1e-13)


HARD_DISTRIBUTIONS = {
    "jeffreys": [(32.5, 0.5), (10.5, 0.5), (4.5, 0.5), (0.5, 0.5)],
    "neutral": [(1 / 3, 31 / 3), (1 / 3, 1 / 3), (4 / 3, 1 / 3)],
    "narrow beside wide": [(9e7, 1e7), (9.001e7, 1e7), (900, 100), (2, 1)],
    "apart": [(9e7, 1e7), (5e7, 1e7), (1e7, 1e7)],
    "alike": [(901, 101)] * 30,
    "one moved off": [(5, 2), (5, 2, -0.5, 1.25), (40, 2, 0.3, 0.5)],
    "one distribution": [(5, 2)],
}


@pytest.mark.parametrize("parameters", HARD_DISTRIBUTIONS.values(), ids=HARD_DISTRIBUTIONS.keys())
def test_hard_distributions(parameters):
    """Identities of ranks, pairs and shortfalls, and sums over the cells of a dense grid."""
    distributions = [ScaledBeta(*p) for p in parameters]
    panels = resolve_jointly(distributions)
    ranks, shortfalls = rank_probabilities(panels), expected_shortfalls(panels)
    assert np.all(ranks >= 0)
    assert np.all(shortfalls >= 0)
    # Columns add up to 1 only if the panels resolve the integrand.
    np.testing.assert_allclose(ranks.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(ranks.sum(axis=0), 1.0, rtol=0, atol=1e-10)
    # The expected rank is 1 and the sum of the probabilities of being beaten.
    expected = 0.5 + pairwise_probabilities(panels).sum(axis=0)
    mean_ranks = ranks @ np.arange(1, len(parameters) + 1)
    np.testing.assert_allclose(mean_ranks, expected, rtol=0, atol=1e-9)
    # The shortfall is the expected maximum less the mean.
    means = np.array([distribution.mean() for distribution in distributions])
    maximum = panels.edges.max() - panels.integrate(panels.cdf.prod(axis=2))
    np.testing.assert_allclose(shortfalls, maximum - means, rtol=0, atol=1e-11)
    shares = np.linspace(0, 1, 4001)
    quantiles = [stats.beta.ppf(shares, one.a, one.b, one.low, one.width) for one in distributions]
    points = np.unique([*np.concatenate(quantiles), *np.linspace(-0.5, 1, 10001)])
    cdf = np.array([distribution.cdf(points) for distribution in distributions])
    # A cell holds 1 / 4000 of a distribution at most; the rules leave the square of that.
    np.testing.assert_allclose(ranks, ranks_on_a_grid(cdf), rtol=0, atol=1e-6)
    others = np.array([np.delete(cdf, i, axis=0).prod(axis=0) for i in range(len(cdf))])
    expected = np.trapezoid(cdf * (1 - others), points)
    np.testing.assert_allclose(shortfalls, expected, rtol=0, atol=1e-6)


def test_shortfall_of_an_all_but_certain_winner():
    """A loss of some 1e-10 has three digits."""
    distributions = [BetaAverage([60], [9]), BetaAverage([15], [25])]
    shortfall = expected_shortfalls(resolve_jointly(distributions))[0]
    points = np.linspace(0, 1, 20001)
    below, above = stats.beta.cdf(points, 60, 9), stats.beta.sf(points, 15, 25)
    expected = np.trapezoid(below * above, points)
    assert 1e-11 < expected < 1e-9
    assert shortfall == pytest.approx(expected, rel=1e-3)


def ranks_on_a_grid(cdf):
    """Leave out each distribution, multiply the others, and sum over the cells of a grid."""
    ranks = []
    for i, own in enumerate(cdf):
        above = np.zeros_like(cdf)
        above[0] = 1.0
        for other in np.delete(cdf, i, axis=0):
            above[1:] = above[1:] * other + above[:-1] * (1 - other)
            above[0] *= other
        ranks.append((above[:, 1:] + above[:, :-1]) / 2 @ np.diff(own))
    return np.array(ranks)


# Right and wrong predictions of the classes of a few classifiers.
COUNTS = {
    "ordinary": [([30, 8, 3], [2, 2, 1]), ([30, 2, 1], [2, 8, 3]), ([28, 9, 4], [4, 1, 0])],
    "perfect": [([20, 15], [0, 0]), ([8, 9], [0, 0]), ([900, 80], [0, 0]), ([19, 15], [1, 0])],
    "kinks": [([0, 1], [1, 0]), ([0, 0], [0, 0]), ([2, 0], [0, 1]), ([1, 1, 0], [0, 1, 0])],
    "widths": [([4, 3], [1, 2]), ([7e5, 7e5], [3e5, 3e5]), ([69, 72], [31, 28]), ([5], [0])],
    "many classes": [([9] * 50, [3] * 50), ([18] * 50, [5] * 50), ([8] * 49 + [90], [3] * 50)],
}


def averages(counts, prior=1.0):
    """Return the distributions of average accuracies."""
    return [BetaAverage(np.add(right, prior), np.add(wrong, prior)) for right, wrong in counts]


@pytest.mark.parametrize("prior", [0.5, 1.0])
@pytest.mark.parametrize("counts", COUNTS.values(), ids=COUNTS.keys())
def test_pairs_are_differences(counts, prior):
    """The pairs agree with the distribution of each difference."""
    distributions = averages(counts, prior)
    pairwise = pairwise_probabilities(resolve_jointly(distributions))
    for i, j in combinations(range(len(distributions)), 2):
        # kinks are halved down to this
        assert pairwise[i, j] == pytest.approx(
            (distributions[i] - distributions[j]).ccdf(0.0), rel=0, abs=1e-11
        )


def test_small_probabilities():
    """Those of pairs, resolved jointly, are the tails of differences."""
    distributions = [BetaAverage([k + 1, k + 1], [101 - k, 101 - k]) for k in range(40, 91, 5)]
    pairwise = pairwise_probabilities(resolve_jointly(distributions))
    small = np.argwhere((pairwise > 1e-10) & (pairwise < 1e-5))
    assert len(small) > 10
    for i, j in small:
        expected = (distributions[i] - distributions[j]).ccdf(0.0)
        assert pairwise[i, j] == pytest.approx(expected, rel=0, abs=2e-12)


def test_outclassed_classifiers_are_compared():
    """P(A > B) is the mean of the cdf of B, a polynomial for which Gauss-Jacobi rules are exact."""
    perfect, poor = BetaAverage([50.5] * 3, [0.5] * 3), BetaAverage([3], [5])
    nodes, masses = roots_jacobi(8, -0.5, 49.5)
    theta, masses = 0.5 * (1 + nodes), masses / masses.sum()
    average = (theta[:, None, None] + theta[:, None] + theta) / 3
    expected = np.einsum("i,j,k,ijk", masses, masses, masses, betainc(5, 3, 1 - average))
    panels = resolve_jointly([perfect, poor])
    np.testing.assert_allclose(pairwise_probabilities(panels)[1, 0], expected, rtol=1e-7)


def test_many_distributions():
    """A hundred distributions keep both sums, and being best is likeliest for the highest."""
    distributions = [ScaledBeta(40 + i % 25, 10) for i in range(100)]
    ranks = rank_probabilities(resolve_jointly(distributions))
    np.testing.assert_allclose(ranks.sum(axis=0), 1.0, rtol=0, atol=1e-10)
    # four are alike
    assert ranks[:, 0].argmax() % 25 == 24


@given(
    st.lists(st.tuples(st.floats(0.5, 200), st.floats(0.5, 200)), min_size=2, max_size=5),
    st.randoms(use_true_random=False),
)
def test_permutation_moves_rows(parameters, random):
    """The order in which distributions are given makes no difference to what each gets."""
    order = list(range(len(parameters)))
    random.shuffle(order)
    distributions = [ScaledBeta(*p) for p in parameters]
    ranks = rank_probabilities(resolve_jointly(distributions))
    permuted = rank_probabilities(resolve_jointly([distributions[i] for i in order]))
    np.testing.assert_allclose(permuted, ranks[order], rtol=0, atol=1e-12)


@given(st.lists(st.tuples(st.floats(0.5, 200), st.floats(0.5, 200)), min_size=2, max_size=5))
def test_reflection_reverses_the_ranks(parameters):
    """Exchanging a and b turns every distribution round, and so the best becomes the worst."""
    ranks = rank_probabilities(resolve_jointly([ScaledBeta(a, b) for a, b in parameters]))
    turned = rank_probabilities(resolve_jointly([ScaledBeta(b, a) for a, b in parameters]))
    np.testing.assert_allclose(turned, ranks[:, ::-1], rtol=0, atol=10 * TOLERANCE)


def test_noise_does_not_refine_for_ever():
    """A distribution computed to six digits only ends in a bounded number of panels."""

    class Noisy(ScaledBeta):
        def cdf(self, x):
            return np.round(super().cdf(x), 6)

    panels = resolve_jointly([Noisy(8, 3), Noisy(7, 4)])
    assert len(panels.edges) <= 2 * MAX_PANELS
    assert pairwise_probabilities(panels)[0, 1] == pytest.approx(
        float(exact_ranks([(8, 3), (7, 4)])[0][0]), abs=1e-5
    )
