"""Distributions given by the density of log-odds, and their averages, against exact ones."""

import pickle

import numpy as np
import pytest
from scipy import stats
from scipy.special import betaln, log_expit

from skpostbac import group_posterior
from skpostbac.stats import BetaAverage
from skpostbac.stats._distribution.log_odds import LogitDistribution
from skpostbac.stats._population import average as _logit_average
from skpostbac.stats._population.average import logit_average
from skpostbac.stats._population.model import log_likelihood


def beta_distribution(a, b):
    """The distribution of Beta(a, b): the density of its log-odds is x^a (1 - x)^b."""
    return LogitDistribution(
        lambda u: a * log_expit(u) + b * log_expit(-u), np.log(a / b), np.sqrt(1 / a + 1 / b)
    )


def narrow_beta_distribution(a, b):
    """The same without cancellation at the maximum, where the terms are large."""
    return LogitDistribution(
        lambda u: log_likelihood(u, a, a + b), np.log(a / b), np.sqrt(1 / a + 1 / b)
    )


@pytest.mark.parametrize(("a", "b"), [(31, 3), (0.5, 0.5), (1, 1), (1e4, 300), (300, 1)])
def test_a_beta_distribution_is_that_of_scipy(a, b):
    """Tails, densities, quantiles and moments; panels meet the log density to 1e-10."""
    distribution, exact = beta_distribution(a, b), stats.beta(a, b)
    p = np.array([1e-20, 1e-10, 1e-3, 0.2, 0.5, 0.9, 0.999])
    x = exact.ppf(p)
    np.testing.assert_allclose(distribution.cdf(x), exact.cdf(x), rtol=1e-9)
    np.testing.assert_allclose(distribution.ccdf(x), exact.sf(x), rtol=1e-9)
    np.testing.assert_allclose(distribution.pdf(x), exact.pdf(x), rtol=1e-9)
    np.testing.assert_allclose(distribution.icdf(p), x, rtol=1e-9)
    moments = [
        distribution.mean(),
        distribution.variance(),
        distribution.skewness(),
        distribution.kurtosis(),
    ]
    np.testing.assert_allclose(moments, exact.stats("mvsk"), rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize(("a", "b", "error"), [(31, 3, 0.1), (0.5, 0.5, 1e-8)])
def test_far_tails_are_continued(a, b, error):
    """They are powers of x in the limit; at the end of the panels those of 31 are almost."""
    x = np.array([1e-200, 1e-100, 1e-30])
    exact = a * np.log(x) - np.log(a) - betaln(a, b)
    np.testing.assert_allclose(beta_distribution(a, b).logcdf(x), exact, rtol=error)
    np.testing.assert_allclose(
        beta_distribution(b, a).logccdf(1 - 1e-9), a * np.log(1e-9), rtol=0.5
    )


@pytest.mark.parametrize(
    ("a", "b", "ends"),
    [
        (4, 2, (-np.inf, -np.inf)),
        (0.5, 0.5, (np.inf, np.inf)),
        (1, 1, (0.0, 0.0)),
        (300, 1, (-np.inf, np.log(300))),
    ],
)
def test_the_density_at_the_ends(a, b, ends):
    """Zero, infinite, or a limit between."""
    np.testing.assert_allclose(beta_distribution(a, b)._log_end_densities, ends, atol=1e-8)


def test_the_hdi_and_the_mode_are_those_of_the_beta_distribution():
    """What `BoundedDistribution` shares works with panels as well."""
    distribution, exact = beta_distribution(31, 3), BetaAverage([31], [3])
    np.testing.assert_allclose(distribution.hdi(0.9), exact.hdi(0.9), rtol=1e-8)
    assert distribution.mode() == pytest.approx(30 / 32, abs=1e-9)


def test_samples_follow_the_distribution():
    """Kolmogorov and Smirnov's test."""
    distribution = beta_distribution(4, 2)
    assert stats.kstest(distribution.sample(2000, rng=0), stats.beta(4, 2).cdf).pvalue > 0.01


def test_pickling_keeps_the_distribution():
    """The function it was made of is not needed."""
    distribution = beta_distribution(4, 2)
    assert pickle.loads(pickle.dumps(distribution)).cdf(0.3) == distribution.cdf(0.3)


@pytest.mark.parametrize(
    ("a", "b", "weights"),
    [
        ([31, 9], [3, 3], [0.5, 0.5]),
        ([31, 9, 4], [3, 3, 2], [1 / 3, 1 / 3, 1 / 3]),
        ([41, 2], [1, 3], [0.3, 0.7]),
        ([1, 1], [1, 1], [0.5, 0.5]),
        ([3000, 20], [10, 5], [0.5, 0.5]),
    ],
)
def test_averages_of_beta_distributions_are_those_of_the_inversion(a, b, weights):
    """A convolution in real space against the inversion of a characteristic function."""
    distribution = logit_average([*map(beta_distribution, a, b)], np.array(weights))
    exact = BetaAverage(a, b, weights=weights)
    x = exact.icdf([1e-12, 1e-6, 0.01, 0.3, 0.5, 0.9, 0.999])
    np.testing.assert_allclose(distribution.cdf(x), exact.cdf(x), rtol=1e-8, atol=2e-12)
    np.testing.assert_allclose(distribution.ccdf(x), exact.ccdf(x), rtol=1e-8, atol=2e-12)
    assert distribution.mean() == pytest.approx(exact.mean(), abs=1e-10)


def test_an_average_of_narrow_distributions():
    """Their log densities fall by a million up to the log-odds of the smallest double."""
    a, b = np.array([220_000, 1200]), np.array([216_000, 1190])
    average = logit_average([*map(narrow_beta_distribution, a, b)], np.array([0.5, 0.5]))
    exact = BetaAverage(a, b)
    x = exact.icdf([1e-12, 1e-6, 0.01, 0.3, 0.5, 0.9, 0.999])
    np.testing.assert_allclose(average.cdf(x), exact.cdf(x), rtol=1e-11, atol=2e-12)
    np.testing.assert_allclose(average.ccdf(x), exact.ccdf(x), rtol=1e-11, atol=2e-12)
    np.testing.assert_allclose(average.hdi(), exact.hdi(), rtol=1e-9)
    # Far out, that of the Betas is a saddlepoint approximation.
    np.testing.assert_allclose(
        average.logccdf([0.52, 0.55]), exact.logccdf([0.52, 0.55]), atol=0.02
    )


def test_curve_in_a_tail():
    """A curve far out, all of it in one call, is that of the inversion of Betas."""
    average = logit_average(
        [beta_distribution(31, 3), beta_distribution(9, 2)], np.array([0.5, 0.5])
    )
    exact = BetaAverage([31, 9], [3, 2])
    x = exact.mean() - exact.standard_deviation() * np.linspace(3, 6, 60)
    np.testing.assert_allclose(average.logcdf(x), exact.logcdf(x), rtol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("power", [1e-3, 3e-3])
def test_quantiles_beside_an_end_that_holds_half_of_the_mass(power):
    """The tilt of a point within 1e-160 of the end has a square that is no double."""
    average = logit_average([beta_distribution(power, power)] * 2, np.array([0.5, 0.5]))
    assert average.icdf(1 - 1e-3) == 1.0


def test_an_unresolved_average_warns(monkeypatch):
    """Where neither the line nor the ends come close, nothing is returned in silence."""
    monkeypatch.setattr(_logit_average, "_MOST_DOUBLINGS", 1)
    average = logit_average([beta_distribution(0.3, 0.3)] * 2, np.array([0.5, 0.5]))
    with pytest.warns(RuntimeWarning, match="too much mass next to 0 or 1"):
        average.cdf(0.4)


def test_density_beyond_all_floats_is_infinite():
    """And no overflow is warned of."""
    assert group_posterior([8, 9, 3], [10, 10, 9]).new_group.pdf(5e-324) >= 0
