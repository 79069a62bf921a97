"""Distributions given by the density of log-odds, and their averages, against exact ones."""

import pickle

import numpy as np
import pytest
from scipy import stats
from scipy.special import log_expit

from skpostbac import population_posterior
from skpostbac.stats import BetaAverage
from skpostbac.stats._distribution.table import LogitDistribution


def beta_distribution(a, b):
    """The distribution of Beta(a, b): the density of its log-odds is x^a (1 - x)^b."""
    return LogitDistribution(
        lambda u: a * log_expit(u) + b * log_expit(-u), np.log(a / b), np.sqrt(1 / a + 1 / b)
    )


@pytest.mark.parametrize(("a", "b"), [(31, 3), (0.5, 0.5), (1, 1), (1e4, 300), (300, 1)])
def test_a_beta_distribution_is_that_of_scipy(a, b):
    """Tails, densities, quantiles and moments; panels meet the log density to 1e-10."""
    distribution, exact = beta_distribution(a, b), stats.beta(a, b)
    p = np.array([1e-10, 1e-3, 0.2, 0.5, 0.9, 0.999])
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


@pytest.mark.parametrize(("a", "b"), [(31, 3), (0.5, 0.5)])
def test_logs_of_far_tails_are_finite(a, b):
    """And fall towards the end."""
    logs = beta_distribution(a, b).logcdf([1e-200, 1e-100, 1e-30, 1e-3])
    assert np.isfinite(logs).all()
    assert (np.diff(logs) >= 0).all()


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
    np.testing.assert_allclose(beta_distribution(a, b).logpdf([0, 1]), ends, atol=1e-8)


def test_the_hdi_and_the_mode_are_those_of_the_beta_distribution():
    """What `BoundedDistribution` shares works with panels as well."""
    distribution, exact = beta_distribution(31, 3), BetaAverage([31], [3])
    np.testing.assert_allclose(distribution.hdi(0.9), exact.hdi(0.9), rtol=1e-8)
    assert distribution.mode() == pytest.approx(30 / 32, abs=1e-9)


def test_pickling_keeps_the_distribution():
    """The function it was made of is not needed."""
    distribution = beta_distribution(4, 2)
    assert pickle.loads(pickle.dumps(distribution)).cdf(0.3) == distribution.cdf(0.3)


def test_density_beyond_all_floats_is_infinite():
    """And no overflow is warned of."""
    assert population_posterior([8, 9, 3], [10, 10, 9]).new_group.pdf(5e-324) >= 0
