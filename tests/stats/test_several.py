"""Several variables: ranks, extremes and shortfalls, joint draws, and sums of binomial counts."""

import math
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import integrate, stats

from skpostbac.stats import BetaAverage, HierarchicalBetaAverage, PairedDifference, _several

N = 200_000
# Standard errors within which two independent estimates agree but for one case in two million.
SIGMAS = 5


@dataclass
class ScaledBeta:
    """A Beta distribution moved to [low, low + width], after SciPy, to some digits."""

    a: float
    b: float
    low: float = 0.0
    width: float = 1.0
    digits: int = 99

    def cdf(self, x):
        return np.round(stats.beta.cdf(x, self.a, self.b, self.low, self.width), self.digits)

    def support(self):
        return self.low, self.low + self.width

    def mean(self):
        return self.low + self.width * self.a / (self.a + self.b)

    def standard_deviation(self):
        return self.width * stats.beta.std(self.a, self.b)


def single(a, b):
    """Return a Beta distribution as an average of one."""
    return BetaAverage([a], [b])


def ranks_of(distributions):
    """Return the rank probabilities."""
    return _several.rank_probabilities(_several.resolve_jointly(distributions))


# Ranks, pairs and shortfalls


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


def exact_ranks(parameters):
    """Return the rank probabilities of integer Betas by a rule of Gauss, exact for polynomials."""
    nodes, weights = np.polynomial.legendre.leggauss(100)
    x, weights = (1 + nodes) / 2, weights / 2
    laws = [stats.beta(a, b) for a, b in parameters]
    above = counts_above(np.array([law.cdf(x) for law in laws]))
    masses = np.array([weights * law.pdf(x) for law in laws])
    return np.einsum("ikn,in->ik", above, masses)


@pytest.mark.parametrize("maker", [ScaledBeta, single], ids=["SciPy", "inverted"])
@pytest.mark.parametrize(
    "parameters",
    [
        [(1, 1)] * 4,
        [(3, 1), (2, 2), (1, 4), (5, 3)],
        [(31, 3), (9, 3)],
        [(6, 1), (11, 1), (11, 1)],
    ],
    ids=["equal", "wide", "two", "perfect"],
)
def test_rank_probabilities_are_exact(parameters, maker):
    """They agree with the integrals of polynomials."""
    panels = _several.resolve_jointly([maker(a, b) for a, b in parameters])
    # A few hundred nodes, each right to a few units in the last place.
    expected = exact_ranks(parameters)
    assert_allclose(_several.rank_probabilities(panels), expected, rtol=0, atol=2e-13)
    pairwise = _several.pairwise_probabilities(panels)
    assert_allclose(pairwise + pairwise.T, 1, rtol=1e-15)
    for i, j in combinations(range(len(parameters)), 2):
        expected = exact_ranks([parameters[i], parameters[j]])[0, 0]
        assert pairwise[i, j] == pytest.approx(expected, abs=2e-13)


HARD = {
    "jeffreys": [(32.5, 0.5), (10.5, 0.5), (4.5, 0.5), (0.5, 0.5)],
    "neutral": [(1 / 3, 31 / 3), (1 / 3, 1 / 3), (4 / 3, 1 / 3)],
    "narrow beside wide": [(9e7, 1e7), (9.001e7, 1e7), (900, 100), (2, 1)],
    "alike": [(901, 101)] * 30,
    "one moved off": [(5, 2), (5, 2, -0.5, 1.25), (40, 2, 0.3, 0.5)],
    "one distribution": [(5, 2)],
}


@pytest.mark.parametrize("parameters", HARD.values(), ids=HARD)
def test_hard_distributions(parameters):
    """Identities of ranks, pairs and shortfalls, and sums over the cells of a dense grid."""
    distributions = [ScaledBeta(*p) for p in parameters]
    panels = _several.resolve_jointly(distributions)
    ranks = _several.rank_probabilities(panels)
    shortfalls = _several.expected_shortfalls(panels)
    assert min(ranks.min(), shortfalls.min()) >= 0
    # Columns add up to 1 only if the panels resolve the integrand.
    assert_allclose(ranks.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    assert_allclose(ranks.sum(axis=0), 1.0, rtol=0, atol=1e-10)
    # The expected rank is 1 and the sum of the probabilities of being beaten.
    expected = 0.5 + _several.pairwise_probabilities(panels).sum(axis=0)
    assert_allclose(ranks @ np.arange(1, len(parameters) + 1), expected, rtol=0, atol=1e-9)
    shares = np.linspace(0, 1, 4001)
    quantiles = [stats.beta.ppf(shares, one.a, one.b, one.low, one.width) for one in distributions]
    points = np.unique([*np.concatenate(quantiles), *np.linspace(-0.5, 1, 10001)])
    cdf = np.array([distribution.cdf(points) for distribution in distributions])
    # A cell holds 1 / 4000 of a distribution at most; the rules leave the square of that.
    above = counts_above(cdf)
    expected = np.einsum("ikn,in->ik", (above[..., 1:] + above[..., :-1]) / 2, np.diff(cdf))
    assert_allclose(ranks, expected, rtol=0, atol=1e-6)
    others = np.array([np.delete(cdf, i, axis=0).prod(axis=0) for i in range(len(cdf))])
    expected = np.trapezoid(cdf * (1 - others), points)
    assert_allclose(shortfalls, expected, rtol=0, atol=1e-6)
    # The largest shortfall less the smallest is a difference of means.
    means = np.array([distribution.mean() for distribution in distributions])
    assert_allclose(shortfalls - shortfalls[0], means[0] - means, rtol=0, atol=1e-11)


# Right and wrong predictions of the classes of a few classifiers.
COUNTS = {
    "ordinary": [([30, 8, 3], [2, 2, 1]), ([30, 2, 1], [2, 8, 3]), ([28, 9, 4], [4, 1, 0])],
    "perfect": [([20, 15], [0, 0]), ([900, 80], [0, 0]), ([19, 15], [1, 0]), ([2], [7])],
    "kinks": [([0, 1], [1, 0]), ([0, 0], [0, 0]), ([2, 0], [0, 1]), ([1, 1, 0], [0, 1, 0])],
    "widths": [([4, 3], [1, 2]), ([7e5, 7e5], [3e5, 3e5]), ([69, 72], [31, 28]), ([5], [0])],
    "far apart": [([k, k], [100 - k, 100 - k]) for k in (40, 60, 75, 90)],
}


@pytest.mark.parametrize("prior", [0.5, 1.0])
@pytest.mark.parametrize("counts", COUNTS.values(), ids=COUNTS)
def test_pairs_are_differences(counts, prior):
    """The pairs agree with the distribution of each difference."""
    distributions = [BetaAverage(np.add(k, prior), np.add(n, prior)) for k, n in counts]
    pairwise = _several.pairwise_probabilities(_several.resolve_jointly(distributions))
    for i, j in combinations(range(len(distributions)), 2):
        expected = (distributions[i] - distributions[j]).ccdf(0.0)
        # Kinks are halved down to this.
        assert pairwise[i, j] == pytest.approx(expected, rel=0, abs=1e-11)


@given(
    st.lists(st.tuples(st.floats(0.5, 200), st.floats(0.5, 200)), min_size=2, max_size=5),
    st.randoms(use_true_random=False),
)
def test_order_and_direction_of_distributions(parameters, random):
    """Permuted, each gets the same; exchanging a and b makes the best the worst."""
    order = list(range(len(parameters)))
    random.shuffle(order)
    ranks = ranks_of([ScaledBeta(a, b) for a, b in parameters])
    permuted = ranks_of([ScaledBeta(*parameters[i]) for i in order])
    assert_allclose(permuted, ranks[order], rtol=0, atol=1e-12)
    turned = ranks_of([ScaledBeta(b, a) for a, b in parameters])
    assert_allclose(turned, ranks[:, ::-1], rtol=0, atol=1e-8)


def test_noise_does_not_refine_for_ever():
    """A distribution computed to six digits only ends in a bounded number of panels."""
    noisy = [ScaledBeta(8, 3, digits=6), ScaledBeta(7, 4, digits=6)]
    panels = _several.resolve_jointly(noisy)
    assert len(panels.edges) <= 1024
    found = _several.pairwise_probabilities(panels)[0, 1]
    assert found == pytest.approx(exact_ranks([(8, 3), (7, 4)])[0, 0], abs=1e-5)


# The smallest of several variables, and their range


EXTREMES = {
    "two alike": [(8, 3), (8, 3)],
    "two apart": [(80, 10), (20, 30)],
    "perfect": [(9.5, 0.5), (30.5, 0.5)],
    "three": [(8, 3), (30.5, 2.5), (4, 4)],
}


@pytest.mark.parametrize("parameters", EXTREMES.values(), ids=EXTREMES)
def test_smallest_and_range(parameters):
    """Products of upper tails, and P(max - min <= d) by integrals in quantiles of the smallest."""
    exact, ours = [stats.beta(a, b) for a, b in parameters], [single(a, b) for a, b in parameters]
    x, found = np.linspace(0.01, 0.99, 23), _several.smallest(ours)
    above = np.prod([one.sf(x) for one in exact], axis=0)
    assert found.ccdf(x) == pytest.approx(above, abs=1e-9)
    assert found.cdf(x) == pytest.approx(1 - above, abs=1e-9)
    mean = integrate.quad(lambda t: np.prod([d.sf(t) for d in exact]), 0, 1, epsabs=1e-12)[0]
    assert found.mean() == pytest.approx(mean, abs=1e-9)
    found, p = _several.largest_distance(ours), np.polynomial.legendre.leggauss(400)
    for d in (0.01, 0.3, 0.7):
        total = 0.0
        for i, one in enumerate(exact):
            # Where the upper limit leaves the support the integrand has a kink.
            cut = one.cdf(1 - d)
            for low, high in ((0, cut), (cut, 1)):
                # Denser towards both ends: p = sin(v)^2.
                share = np.sin(0.25 * np.pi * (1 + p[0])) ** 2
                slope = 0.25 * np.pi * np.sin(0.5 * np.pi * (1 + p[0]))
                at = one.ppf(low + (high - low) * share)
                others = [other.cdf(at + d) - other.cdf(at) for other in np.delete(exact, i)]
                total += (high - low) * (p[1] * slope) @ np.prod(others, axis=0)
        assert found.cdf(d) == pytest.approx(total, abs=1e-7)
        assert found.ccdf(d) == pytest.approx(1 - total, abs=1e-7)


def test_two_variables_have_the_range_of_their_difference():
    """|X - Y| by the exact distribution of the difference; of uniform ones it is a triangle."""
    one, two = BetaAverage([8, 3], [3, 1]), BetaAverage([30, 4.5], [3, 0.5])
    found, difference = _several.largest_distance([one, two]), one - two
    d = np.array([0.003, 0.05, 0.2, 0.4])
    assert found.cdf(d) == pytest.approx(difference.cdf(d) - difference.cdf(-d), abs=1e-9)
    density = difference.pdf(d) + difference.pdf(-d)
    assert found.pdf(d) == pytest.approx(density, rel=1e-5)
    for extreme in (_several.largest_distance, _several.smallest):
        found = extreme([single(1, 1)] * 2)
        assert found.pdf([0, 0.3, 1]) == pytest.approx([2, 1.4, 0], abs=1e-9)
        assert found.mean() == pytest.approx(1 / 3, rel=1e-12)


@pytest.mark.parametrize("count", [3, 10])
def test_draws_agree(count):
    """Moments and quantiles of drawn extremes, within five standard errors."""
    rng = np.random.default_rng(count)
    distributions = [
        BetaAverage(rng.integers(5, 60, 2) + 0.5, rng.integers(0, 9, 2) + 0.5) for _ in range(count)
    ]
    distributions[0] = HierarchicalBetaAverage([3, 8], [5, 9])
    draws = np.stack([one.sample(N, rng=rng) for one in distributions])
    for found, drawn in (
        (_several.largest_distance(distributions), np.ptp(draws, axis=0)),
        (_several.smallest(distributions), draws.min(axis=0)),
    ):
        error = drawn.std() / np.sqrt(drawn.size)
        assert found.mean() == pytest.approx(drawn.mean(), abs=SIGMAS * error)
        assert found.standard_deviation() == pytest.approx(drawn.std(), rel=0.02)
        shares = [(drawn <= x).mean() for x in found.icdf([0.05, 0.5, 0.95])]
        assert shares == pytest.approx([0.05, 0.5, 0.95], abs=0.003)


# The mean of the positive part


@pytest.mark.parametrize(
    ("one", "two"), [((3, 2), (2, 3)), ((2, 9), (9, 1)), ((1, 40), (40, 1)), ((30, 1), (1, 30))]
)
def test_positive_part_of_a_difference(one, two):
    """E[max(X - Y, 0)] is the integral of P(Y < x < X), of polynomials, by a rule of Gauss."""
    nodes, weights = np.polynomial.legendre.leggauss(100)
    x = (1 + nodes) / 2
    expected = weights / 2 @ (stats.beta(*one).sf(x) * stats.beta(*two).cdf(x))
    found = _several.mean_positive_part(single(*one) - single(*two))
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-13)


@pytest.mark.parametrize(
    "cells",
    [
        [[27, 3, 5, 5], [12, 0, 4, 4]],
        [[1e9, 1e5, 2e5, 1e7], [1e8, 1e4, 1e4, 1e5]],
        [[3, 0, 0, 0]],
    ],
    ids=["few", "many", "alike"],
)
def test_positive_less_negative_part_is_the_mean(cells):
    """E[max(X, 0)] - E[max(-X, 0)] = E[X], with the distribution of -X computed anew."""
    distribution = PairedDifference(cells)
    mirrored = PairedDifference(np.asarray(cells)[:, [0, 2, 1, 3]])
    gain, loss = map(_several.mean_positive_part, (distribution, mirrored))
    assert gain - loss == pytest.approx(distribution.mean(), abs=1e-11 * max(gain, loss))


def test_parts_that_are_all_or_nothing():
    """The mean of Beta(2, 3) is 2 / 5; without a positive part nothing is integrated."""
    assert _several.mean_positive_part(single(2, 3)) == pytest.approx(0.4, rel=1e-11)
    assert _several.mean_positive_part(-single(2, 3)) == 0


# Joint draws of the accuracies on one class, against a Dirichlet over all patterns


PATTERNS = np.array(list(product([0.0, 1.0], repeat=3)))
FEW = {0b111: 6.0, 0b110: 2.0, 0b001: 1.0, 0b000: 1.5}
OBSERVED = {
    "none": {},
    "few": FEW,
    "all": {number: 1.0 + number for number in range(8)},
    "a trace": {0b101: 1e-3, 0b011: 2e-3},
}
PRIORS = {
    "uniform": (1.0, 1.0),
    "weak": (0.02, 0.01),
    "skew": (0.7, 2.0),
    "strong": (30.0, 20.0),
    "balanced": (0.6, 0.6, True),
    "balanced, weak": (0.02, 0.02, True),
}


def patterns_of(observed, prior, count=3):
    """Return the distribution of so many classifiers, of which the last ones are copies."""
    rows = np.array(list(observed), dtype=int)
    columns = np.minimum(np.arange(count), 2)
    counts = np.array([observed[row] for row in rows])
    return _several.PatternDistribution(PATTERNS[rows][:, columns], counts, *prior)


def statistics(draws):
    """Return what depends on the joint distribution: products up to order four, and ranks."""
    one, two, three = (draws - draws.mean(axis=0)).T
    first, second, third = draws.T
    ahead = first > second + 1e-12
    products = [one * two, one * three, two * three, one * two * three]
    products += [one**2 * two, one**2 * two**2, two**2 * three**2]
    orders = [ahead, ahead & (first > third + 1e-12), ahead & (third > first + 1e-12)]
    return np.stack([*draws.T, *(draws**2).T, *products, *orders, draws.max(axis=1)])


@pytest.mark.parametrize(
    ("observed", "prior"),
    [
        pytest.param(o, p, id=f"{a}-{b}", marks=[pytest.mark.slow] * (a != "few"))
        for (a, o), (b, p) in product(OBSERVED.items(), PRIORS.items())
    ],
)
def test_draws_follow_the_distribution_of_all_patterns(observed, prior):
    """Moments and orders agree within Monte Carlo error, also with the prior of four classifiers.

    Three of four classifiers have the same distribution but for a balanced prior; patterns are
    listed for three, and the prior is drawn in pieces for four.
    """
    rng = np.random.default_rng(7)
    a, b, *balanced = prior
    mass = (a + b) * np.prod(np.where(PATTERNS == 1, a / (a + b), b / (a + b)), axis=1)
    if balanced:
        mass = (a + b) / 6 * np.isin(PATTERNS.sum(axis=1), [1, 2])
    for number, count in observed.items():
        mass[number] += count
    brute = statistics(rng.dirichlet(mass, N) @ PATTERNS)
    for n_classifiers in (3,) if balanced else (3, 4):
        ours = statistics(patterns_of(observed, prior, n_classifiers).draw(N, rng)[:, :3])
        error = np.sqrt((ours.var(axis=1) + brute.var(axis=1)) / N)
        gap = np.abs(ours.mean(axis=1) - brute.mean(axis=1))
        assert np.all(gap <= SIGMAS * error + 1e-12)


@pytest.mark.parametrize("count", [3, 5])
@pytest.mark.parametrize("prior", PRIORS.values(), ids=PRIORS)
def test_margins_are_beta(prior, count):
    """Each classifier alone has its Beta distribution, by the largest distance of the two cdf."""
    drawn = patterns_of(FEW, prior, count)
    right = drawn.counts @ drawn.patterns
    size = N // 4
    draws = drawn.draw(size, np.random.default_rng(3))
    for accuracies, k in zip(draws.T, right, strict=True):
        law = stats.beta(drawn.a + k, drawn.b + drawn.counts.sum() - k)
        distance = np.abs(law.cdf(np.sort(accuracies)) - (np.arange(size) + 0.5) / size).max()
        assert distance < 2.7 / np.sqrt(size)  # Kolmogorov: exceeded once in a million


@pytest.mark.parametrize(
    ("observed", "prior", "error"),
    [({7: 3e-3}, (3e-6, 3e-6, True), 5e-3), ({7: 30.0, 5: 20.0}, (1e-6, 1e-6), 1e-12)],
    ids=["one sample among many classes", "a prior lost in rounding"],
)
def test_tiny_shapes(observed, prior, error):
    """Gamma variables of tiny shapes are all 0 in doubles; the draws are shares all the same."""
    draws = patterns_of(observed, prior).draw(20_000, np.random.default_rng(0))
    assert np.all((draws >= 0) & (draws <= 1 + 1e-12))
    assert_allclose(draws[:, [0, 2]].mean(axis=0), 1.0, rtol=0, atol=error)


def test_averages_weigh_the_classes():
    """Classes are independent; one of weight zero is not drawn."""
    both = [patterns_of(FEW, (1, 1)), patterns_of(OBSERVED["all"], (1, 1))]
    weights = np.array([0.25, 0.75])
    draws = _several.draw_averages(both, weights, N, np.random.default_rng(0))
    right = np.array([one.counts @ one.patterns for one in both])
    total = np.array([[one.counts.sum()] for one in both])
    laws = stats.beta(1 + right, 1 + total - right)
    error = np.sqrt(draws.var(axis=0) / N)
    assert np.all(np.abs(draws.mean(axis=0) - weights @ laws.mean()) < SIGMAS * error)
    assert_allclose(draws.var(axis=0), weights**2 @ laws.var(), rtol=0.03)
    alone = _several.draw_averages(both, np.array([1.0, 0.0]), 5, np.random.default_rng(1))
    assert_array_equal(alone, both[0].draw(5, np.random.default_rng(1)))


def test_tally():
    """Ranks and shortfalls of three draws of three values; ties are broken at random."""
    draws = np.array([[0.9, 0.5, 0.7], [0.1, 0.4, 0.2], [0.8, 0.6, 0.3]])
    counted = _several.tally(draws, np.random.default_rng(0))
    both = counted + counted
    assert_array_equal(counted.ranks, [[2, 0, 1], [1, 1, 1], [0, 2, 1]])
    assert_allclose(counted.losses, [0.3, 0.6, 0.9], rtol=1e-12)
    assert_allclose(both.squares, [0.18, 0.4, 0.66], rtol=1e-12)
    assert both.size == 6
    values = np.random.default_rng(0).random(10_000)
    ranks = _several.tally(
        np.stack([values, values, values + 1], 1), np.random.default_rng(1)
    ).ranks
    assert ranks[2].tolist() == [10_000, 0, 0]
    assert abs(ranks[0, 1] - 5_000) < SIGMAS * 50


# Tails of sums of binomial variables


@pytest.mark.parametrize(
    ("n", "p"),
    [
        ((7,), (1 / 3,)),
        ((32, 10, 4), (0.5, 0.2, 0.02)),
        ((60, 1, 9), (0.001, 0.99, 2 / 3)),
        ((5, 0, 5), (0.0, 0.5, 0.25)),
        ((3, 5), (1.0, 1 / 7)),
    ],
    ids=str,
)
def test_every_count(n, p):
    """All tails, from 1 down to the smallest, by multiplying polynomials of positive terms."""
    pmf = np.ones(1)
    for trials, success in zip(n, p, strict=True):
        for _ in range(trials):
            pmf = np.convolve(pmf, [1 - success, success])
    for k in range(pmf.size):
        tail, found = math.fsum(pmf[k:]), _several.log_survival(k, np.array(n, float), np.array(p))
        expected = math.log(tail) if tail else -np.inf
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)


@given(n=st.integers(1, 10**6), p=st.floats(1e-6, 1 - 1e-6), share=st.floats(0, 1))
def test_one_binomial_variable(n, p, share):
    """SciPy's tail, as far as it has one."""
    k = int(share * n)
    expected = stats.binom.logsf(k - 1, n, p)
    found = _several.log_survival(k, np.array([float(n)]), np.array([p]))
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9) if expected > -650 else found < -600


@pytest.mark.parametrize("deviates", [-3, 0, 1, 5])
def test_a_hundred_trillion_trials(deviates):
    """The normal tail from half a count below, whose next terms are of the order of 1 / n."""
    n = 1e14
    k = int(n / 2 + deviates * math.sqrt(n / 4))
    expected = stats.norm.logsf((k - 0.5 - n / 2) / math.sqrt(n / 4))
    found = _several.log_survival(k, np.array([0.6e14, 0.4e14]), np.array([0.5, 0.5]))
    # Terms of the size of 1e8 cancel.
    assert found == pytest.approx(expected, rel=1e-8)


def test_many_unequal_probabilities():
    """Two thousand kinds, more than a block, by a Fourier transform over all counts."""
    n, p = np.full(2000, 2.0), np.linspace(0.1, 0.9, 2000)
    angles = 2j * np.pi * np.fft.fftfreq(4001)
    logs = sum(2 * np.log1p(probability * np.expm1(angles)) for probability in p)
    pmf = np.fft.fft(np.exp(logs)).real / angles.size
    for k in (1940, 2000, 2060):
        expected = math.log(math.fsum(pmf[k:]))
        assert _several.log_survival(k, n, p) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("n", "p", "error"), [(2.0**42, 1e-13, 1e-12), (2.0**22, 1 - 2**-20, 1e-9)]
)
def test_rare_success_and_rare_failure(n, p, error):
    """SciPy's tail for as many successes or failures as are expected, and one more."""
    k = math.floor(n * p) + 1
    expected = stats.binom.logsf(k - 1, n, p)
    # Of failures the number of trials is rounded; an almost impossible success changes nothing.
    found = _several.log_survival(k, np.array([n, 10]), np.array([p, 1e-300]))
    assert found == pytest.approx(expected, rel=error)
