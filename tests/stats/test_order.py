"""Order statistics of independent laws: ranks, pairs and shortfalls."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from skpostbac.stats import _order
from skpostbac.stats._order import (
    STIFFNESS,
    expected_shortfalls,
    pairwise_probabilities,
    rank_probabilities,
    resolve_jointly,
)


@dataclass
class ScaledBeta:
    """A Beta law moved to [low, low + width], after SciPy."""

    a: float
    b: float
    low: float = 0.0
    width: float = 1.0

    def support(self):
        return self.low, self.low + self.width

    def cdf(self, x):
        return stats.beta.cdf(x, self.a, self.b, self.low, self.width)

    def ccdf(self, x):
        return stats.beta.sf(x, self.a, self.b, self.low, self.width)

    def mean(self):
        return self.low + self.width * self.a / (self.a + self.b)

    def standard_deviation(self):
        return self.width * stats.beta.std(self.a, self.b)


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
    """Return the rank probabilities as fractions, by a sum over all sets of laws above x."""
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


INTEGER_LAWS = {
    "equal": [(1, 1)] * 4,
    "wide": [(3, 1), (2, 2), (1, 4), (5, 3)],
    "two": [(31, 3), (9, 3)],
    "perfect": [(6, 1), (11, 1), (11, 1)],
}


@pytest.mark.parametrize("parameters", INTEGER_LAWS.values(), ids=INTEGER_LAWS.keys())
def test_rank_probabilities_are_exact(parameters):
    """They agree with exact rational integration of polynomials."""
    panels = resolve_jointly([ScaledBeta(a, b) for a, b in parameters])
    expected = np.array(exact_ranks(parameters), dtype=float)
    # a few hundred nodes, each right to a few units in the last place
    np.testing.assert_allclose(rank_probabilities(panels), expected, rtol=0, atol=1e-13)


@pytest.mark.parametrize("parameters", INTEGER_LAWS.values(), ids=INTEGER_LAWS.keys())
def test_pairwise_probabilities_are_exact(parameters):
    """They agree with the ranks of two laws alone."""
    pairwise = pairwise_probabilities(resolve_jointly([ScaledBeta(*p) for p in parameters]))
    for i, j in combinations(range(len(parameters)), 2):
        expected = float(exact_ranks([parameters[i], parameters[j]])[0][0])
        assert pairwise[i, j] == pytest.approx(expected, abs=1e-13)


HARD_LAWS = {
    "jeffreys": [(32.5, 0.5), (10.5, 0.5), (4.5, 0.5), (0.5, 0.5)],
    "neutral": [(1 / 3, 31 / 3), (1 / 3, 1 / 3), (4 / 3, 1 / 3)],
    "narrow beside wide": [(9e7, 1e7), (9.001e7, 1e7), (900, 100), (2, 1)],
    "apart": [(9e7, 1e7), (5e7, 1e7), (1e7, 1e7)],
    "alike": [(901, 101)] * 30,
    "one moved off": [(5, 2), (5, 2, -0.5, 1.25), (40, 2, 0.3, 0.5)],
    "one law": [(5, 2)],
}


@pytest.mark.parametrize("parameters", HARD_LAWS.values(), ids=HARD_LAWS.keys())
def test_rank_probabilities_are_doubly_stochastic(parameters):
    """Rows and columns add up to 1; columns do so only if the panels resolve the integrand."""
    ranks = rank_probabilities(resolve_jointly([ScaledBeta(*p) for p in parameters]))
    np.testing.assert_allclose(ranks.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(ranks.sum(axis=0), 1.0, rtol=0, atol=1e-10)
    assert np.all(ranks >= 0)


@pytest.mark.parametrize("parameters", HARD_LAWS.values(), ids=HARD_LAWS.keys())
def test_expected_rank_follows_from_the_pairs(parameters):
    """The expected rank is 1 and the sum of the probabilities of being beaten."""
    panels = resolve_jointly([ScaledBeta(*p) for p in parameters])
    ranks = np.arange(1, len(parameters) + 1)
    expected = 0.5 + pairwise_probabilities(panels).sum(axis=0)
    np.testing.assert_allclose(rank_probabilities(panels) @ ranks, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("parameters", HARD_LAWS.values(), ids=HARD_LAWS.keys())
def test_shortfall_is_the_expected_maximum_less_the_mean(parameters):
    """Two integrals of different integrands agree."""
    laws = [ScaledBeta(*p) for p in parameters]
    panels = resolve_jointly(laws)
    means = np.array([law.mean() for law in laws])
    shortfalls = expected_shortfalls(panels)
    maximum = panels.edges.max() - panels.integrate(panels.cdf.prod(axis=2))
    np.testing.assert_allclose(shortfalls, maximum - means, rtol=0, atol=1e-11)
    assert np.all(shortfalls >= 0)


def test_shortfall_of_a_certain_winner_keeps_its_digits():
    """P(X_2 > X_1) is 1e-21 here, and the shortfall of the first is smaller still."""
    sure, other = ScaledBeta(60, 2), ScaledBeta(2, 60)
    shortfall = expected_shortfalls(resolve_jointly([sure, other]))[0]
    points = np.linspace(0, 1, 20001)
    expected = np.trapezoid(sure.cdf(points) * other.ccdf(points), points)
    assert 0 < expected < 1e-20
    assert shortfall == pytest.approx(expected, rel=1e-6)


def test_many_laws():
    """A hundred laws keep both sums, and being best is likeliest for the highest."""
    laws = [ScaledBeta(40 + i % 25, 10) for i in range(100)]
    ranks = rank_probabilities(resolve_jointly(laws))
    np.testing.assert_allclose(ranks.sum(axis=0), 1.0, rtol=0, atol=1e-10)
    assert ranks[:, 0].argmax() == 24


@settings(max_examples=30)
@given(
    st.lists(st.tuples(st.floats(0.5, 200), st.floats(0.5, 200)), min_size=2, max_size=5),
    st.randoms(use_true_random=False),
)
def test_permutation_moves_rows(parameters, random):
    """The order in which laws are given makes no difference to what each gets."""
    order = list(range(len(parameters)))
    random.shuffle(order)
    laws = [ScaledBeta(*p) for p in parameters]
    ranks = rank_probabilities(resolve_jointly(laws))
    permuted = rank_probabilities(resolve_jointly([laws[i] for i in order]))
    np.testing.assert_allclose(permuted, ranks[order], rtol=0, atol=1e-12)


@settings(max_examples=30)
@given(st.lists(st.tuples(st.floats(0.5, 200), st.floats(0.5, 200)), min_size=2, max_size=5))
def test_reflection_reverses_the_ranks(parameters):
    """Exchanging a and b turns every law round, and so the best becomes the worst."""
    ranks = rank_probabilities(resolve_jointly([ScaledBeta(a, b) for a, b in parameters]))
    turned = rank_probabilities(resolve_jointly([ScaledBeta(b, a) for a, b in parameters]))
    np.testing.assert_allclose(turned, ranks[:, ::-1], rtol=0, atol=1e-10)


def test_stiffness_sums_by_parts():
    """What makes the rows of the rank probabilities add up to 1, exactly."""
    boundary = np.zeros_like(STIFFNESS)
    boundary[0, 0], boundary[-1, -1] = -1.0, 1.0
    np.testing.assert_array_equal(STIFFNESS + STIFFNESS.T, boundary)


def test_panels_meet():
    """The panels tile the joint support without a gap."""
    edges = resolve_jointly([ScaledBeta(9e5, 1e5), ScaledBeta(2, 1, -1.0, 1.5)]).edges
    assert (edges[0, 0], edges[-1, 1]) == (-1.0, 1.0)
    np.testing.assert_array_equal(edges[1:, 0], edges[:-1, 1])


def test_noise_does_not_refine_for_ever():
    """A law computed to six digits only ends in a bounded number of panels."""

    class Noisy(ScaledBeta):
        def cdf(self, x):
            return np.round(super().cdf(x), 6)

    panels = resolve_jointly([Noisy(8, 3), Noisy(7, 4)])
    assert len(panels.edges) <= 2 * _order.MAX_PANELS
    assert pairwise_probabilities(panels)[0, 1] == pytest.approx(
        float(exact_ranks([(8, 3), (7, 4)])[0][0]), abs=1e-5
    )
