"""Averages of accuracies given by their log-odds, against sums of Betas and quadrature."""

import numpy as np
import pytest
from numpy.polynomial.legendre import leggauss
from numpy.testing import assert_allclose
from scipy.special import expit, log_expit

from skpostbac import population_posterior
from skpostbac.stats import BetaAverage, BetaBinomial, NormalBinomial
from skpostbac.stats._distribution.table import LogitDistribution
from skpostbac.stats._population.average import logit_average
from skpostbac.stats._population.inference import GroupInference
from skpostbac.stats._population.model import log_likelihood

P = np.array([1e-9, 1e-6, 1e-3, 0.2, 0.45, 0.7, 0.95, 0.999, 1 - 1e-6])


def beta(a, b):
    """Return Beta(a, b) by its log-odds, without cancellation at the maximum."""
    return LogitDistribution(
        lambda u: log_likelihood(u, a, a + b), np.log(a / b), np.sqrt(1 / a + 1 / b)
    )


BETAS = {
    "smooth": ([31, 9, 4], [3, 3, 2], None),
    "unequal weights": ([31, 2], [3, 9], [0.8, 0.2]),
    "narrow": ([220_000, 1200], [216_000, 1190], None),
    "two scales": ([9.0, 99_990.5], [3.0, 10.5], None),
    "perfect": ([30.5, 12.5, 8.5], [0.5, 0.5, 0.5], None),
    "both ends": ([20.5, 0.5], [0.5, 8.5], None),
    "uniform": ([1.0, 1.0], [1.0, 1.0], None),
    "poles": ([0.5, 0.5], [0.5, 0.5], None),
    "many": ([40.0] * 30, [0.5, 3.5] * 15, None),
}


@pytest.mark.parametrize("case", BETAS)
def test_averages_of_betas(case):
    """Tails, densities, quantiles and moments are those of the series of Betas."""
    a, b, weights = BETAS[case]
    found = logit_average(
        [*map(beta, a, b)], np.full(len(a), 1 / len(a)) if weights is None else np.array(weights)
    )
    exact = BetaAverage(a, b, weights=weights)
    x = exact.icdf(P)
    # Log densities are tabulated to 1e-10, and some corners are at the points.
    assert_allclose(found.cdf(x), exact.cdf(x), rtol=0, atol=1e-11)
    assert_allclose(found.ccdf(x), exact.ccdf(x), rtol=0, atol=1e-11)
    inner = x[3:7]
    assert_allclose(found.pdf(inner), exact.pdf(inner), rtol=1e-8)
    assert_allclose(found.icdf(P[2:8]), exact.icdf(P[2:8]), rtol=0, atol=1e-10)
    assert_allclose(found.interval(), exact.interval(), rtol=0, atol=1e-10)
    assert_allclose(found.hdi(0.9), exact.hdi(0.9), rtol=0, atol=1e-8)
    assert found.mean() == pytest.approx(exact.mean(), abs=1e-12)
    assert found.variance() == pytest.approx(exact.variance(), rel=1e-9)
    assert found.skewness() == pytest.approx(exact.skewness(), abs=1e-7)
    assert found.kurtosis() == pytest.approx(exact.kurtosis(), abs=1e-7)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [([0.4, 0.5], [3, 4], np.inf), ([0.5, 0.5], [1, 1], 0.5 * np.pi), ([2, 3], [1, 4], 0.0)],
    ids=["pole", "flat", "zero"],
)
def test_density_at_the_end(a, b, expected):
    """Of Beta(1/2, 1) the density is x^(-1/2) / 2: of the mean of two it is pi / 2 at zero."""
    average = logit_average([*map(beta, a, b)], np.full(2, 0.5))
    assert average.pdf(0.0) == pytest.approx(expected, rel=1e-6)
    assert average.pdf(-1e-9) == 0.0


def tail_of_two(one, two, gap):
    """P(X + Y > 2 - 2 gap) by Gauss's rule in the log-odds of the larger distance from 1.

    Of two distances of sum below 2 gap one is below gap, or both are.
    """

    def above(distribution, distance):
        distance = np.minimum(distance, 1 - 1e-16)
        u = np.log1p(-distance) - np.log(distance)
        return distribution._table.values(u.ravel())[1].reshape(u.shape)

    def half(one, two):
        table, first = one._table, np.log1p(-gap) - np.log(gap)
        steps = first + np.append(np.arange(0, 60, 0.25), np.arange(60, 800, 2.0))
        edges = np.union1d(steps, table.edges[table.edges > first])
        nodes, weights = leggauss(20)
        size = 0.5 * np.diff(edges)[:, np.newaxis]
        u = (edges[:-1, np.newaxis] + size * (1 + nodes)).ravel()
        masses = np.exp(table.log_density(u)) * (size * weights).ravel()
        last = table.values(edges[-1:])[1]
        return masses @ above(two, 2 * gap - expit(-u)) + last * above(two, np.array([2 * gap]))

    both = above(one, np.array([gap])) * above(two, np.array([gap]))
    return float((half(one, two) + half(two, one) - both)[0])


HEAVY = {
    "new group": (BetaBinomial(), [[10, 20], [10, 19], [9, 20]], [[10, 20]] * 3, "new_group"),
    "perfect groups": (BetaBinomial(), [[10, 20], [10, 19], [9, 20]], [[10, 20]] * 3, "groups"),
    "normal": (NormalBinomial(), [[10, 20], [9, 20]], [[10, 20]] * 2, "new_group"),
    "no samples": (BetaBinomial(), [[0, 0]] * 3, [[0, 0]] * 3, "new_group"),
}


@pytest.mark.parametrize("case", HEAVY)
def test_mass_as_close_to_the_end_as_doubles_allow(case):
    """Against quadrature over one of two accuracies, with a thousandth within 1e-12 of 1."""
    model, correct, total, name = HEAVY[case]
    distribution = getattr(population_posterior(correct, total, model=model), name)
    distribution = distribution[0] if name == "groups" else distribution
    one, two = distribution._distributions
    # A point keeps its distance from the mean, with an error of 1e-16.
    for gap, error in ((1e-12, 1e-7), (1e-9, 1e-9), (1e-6, 1e-11), (1e-3, 1e-11), (0.05, 1e-11)):
        x = 1 - gap
        expected = tail_of_two(one, two, 1 - x)
        assert distribution.ccdf(x) == pytest.approx(expected, abs=error)
        assert distribution.cdf(x) == pytest.approx(1 - expected, abs=error)


def test_corners_inside_the_support():
    """Prior to all data, a share of both accuracies is at different ends: the mean is symmetric."""
    groups = GroupInference(BetaBinomial(), np.zeros(3), np.zeros(3))
    average = logit_average([groups.new_group()] * 2, np.full(2, 0.5))
    assert average.cdf(0.5) == pytest.approx(0.5, abs=1e-4)
    d = np.array([1e-9, 1e-6, 1e-3, 0.2, 0.4999])
    assert_allclose(average.cdf(0.5 - d), average.ccdf(0.5 + d), rtol=0, atol=1e-9)
    # Of four, the sum of two means of two
    four = logit_average([groups.new_group()] * 4, np.full(4, 0.25))
    assert four.variance() == pytest.approx(0.5 * average.variance(), rel=1e-12)
    draws = np.sort(four.sample(200_000, rng=1))
    x = np.array([1e-6, 0.1, 0.25, 0.4, 0.5001, 0.75])
    assert_allclose(four.cdf(x), np.searchsorted(draws, x) / draws.size, atol=0.004)


def test_quantiles_and_logs_next_to_the_end():
    """They are finite, rise, and need no work without end."""
    average = logit_average([beta(1e-3, 1e-3)] * 2, np.full(2, 0.5))
    assert average.icdf(1 - 1e-3) == pytest.approx(1.0, abs=1e-15)
    assert average.icdf(1e-3) == pytest.approx(0.0, abs=1e-15)
    groups = GroupInference(BetaBinomial(), np.zeros(3), np.zeros(3))
    average = logit_average([groups.new_group()] * 4, np.full(4, 0.25))
    logs = average.logcdf([5e-324, 1e-197, 1e-15, 1e-3])
    assert np.isfinite(logs).all()
    assert (np.diff(logs) >= 0).all()


def test_a_narrow_accuracy_beside_a_wide_one():
    """Seen by a window on the last orders only: less accurate next to the end."""
    a, b = [3.0, 1e7], [0.5, 0.5]
    average = logit_average([*map(beta, a, b)], np.full(2, 0.5))
    exact = BetaAverage(a, b)
    p = np.array([0.01, 0.3, 0.6, 0.9])
    assert_allclose(average.cdf(exact.icdf(p)), p, rtol=0, atol=1e-9)
    p = np.array([0.99, 0.999])
    assert_allclose(average.cdf(exact.icdf(p)), p, rtol=0, atol=2e-3)


def test_one_accuracy_is_its_own_average():
    """It is returned as it is."""
    one = LogitDistribution(lambda u: 3 * log_expit(u) + 2 * log_expit(-u), 0.4, 1.0)
    assert logit_average([one], np.ones(1)) is one
