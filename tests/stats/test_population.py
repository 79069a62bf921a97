"""Group-level inference against multiple precision and dense grids, and averages over classes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from scipy.special import betainc, betaln, expit, log_expit

from skpostbac import population_posterior
from skpostbac.stats import BetaAverage, _numerics
from skpostbac.stats._population import average
from skpostbac.stats._table import LogitDistribution

CORRECT, TOTAL = np.array([82.0, 75, 92, 85, 88]), np.full(5, 100.0)
# Documented error of probabilities.
ERROR = 1e-5
P = np.array([1e-9, 1e-6, 1e-3, 0.2, 0.45, 0.7, 0.95, 0.999, 1 - 1e-6])


def beta_mixture(correct, total):
    """Alpha, beta and weights on a dense grid of the log-odds of the mean and of kappa^(-1/2)."""
    y = 0.12 * (np.arange(120)[:, None] + 0.5)
    root = 0.5 / np.sqrt(np.sum(total) + 4) * np.sinh(y)
    location = np.arange(-45, 45, 0.015)
    a, b = expit(location) / root**2, expit(-location) / root**2
    log_posterior = np.log(np.cosh(y)) - 2.5 * np.log1p(root**2)
    log_posterior = log_posterior + log_expit(location) + log_expit(-location)
    for k, n in zip(correct, total, strict=True):
        log_posterior += betaln(a + k, b + (n - k)) - betaln(a, b)
    weights = np.exp(log_posterior - log_posterior.max())
    kept = weights > 1e-13
    return a[kept], b[kept], weights[kept] / weights.sum()


@pytest.mark.parametrize(
    ("correct", "total", "error"),
    [([82, 75, 92, 85, 88], [100] * 5, 1e-8), ([3, 9], [5, 9], 1e-8), ([9], [9], 1e-7)],
    ids=["five", "two small", "one perfect"],
)
def test_beta_distributions_are_those_of_a_dense_grid(correct, total, error):
    """Mixtures of Beta distributions; close to 1, beside a perfect group, grids converge slowly."""
    found = population_posterior(correct, total)
    a, b, weights = beta_mixture(correct, total)
    mean = found.population_mean.mean()
    assert mean == pytest.approx(weights @ (a / (a + b)), abs=error)
    k, n = correct[0], total[0]
    for x in (0.3, 0.5, 0.7, 0.9):
        new, group = found.new_group.cdf(x), found.groups[0].cdf(x)
        assert float(new) == pytest.approx(weights @ betainc(a, b, x), abs=error)
        mixed = weights @ betainc(a + k, b + n - k, x)
        assert float(group) == pytest.approx(mixed, abs=error)


def test_prior_and_data_agree_on_average():
    """One sample is right with probability 1/2: the mean of both posteriors is the prior."""
    found = [population_posterior([k], [n]) for k, n in ((1, 1), (0, 1), (0, 0))]
    x = np.array([0.05, 0.3, 0.6, 0.9])
    for name in ("population_mean", "new_group"):
        right, wrong, prior = (getattr(each, name).cdf(x) for each in found)
        assert_allclose(0.5 * (right + wrong), prior, atol=ERROR)
    # The mean is uniform.
    assert_allclose(found[2].population_mean.cdf(x), x, atol=1e-8)


def test_large_groups_know_their_accuracies():
    """Groups that say next to nothing of one another: each has the posterior of its counts."""
    correct, total = np.array([8.2e5, 6.1e5, 9.3e5]), np.full(3, 1e6)
    own = stats.beta(correct[0], total[0] - correct[0])
    group = population_posterior(correct, total).groups[0]
    assert group.mean() == pytest.approx(own.mean(), abs=2e-6)
    assert group.standard_deviation() == pytest.approx(own.std(), rel=1e-4)


@pytest.mark.parametrize(
    ("correct", "total"),
    [
        (CORRECT, TOTAL),
        ([0, 4, 2], [0, 4, 7]),
        ([8.2e5, 6.1e5, 9.3e5], [1e6] * 3),
        ([5, 3, 9e5, 70, 2], [6, 5, 1e6, 90, 2]),
    ],
    ids=["five", "empty and perfect", "large", "two sizes"],
)
def test_a_new_group_has_the_mean_of_the_population(correct, total):
    """Two integrals by different ways; a group without samples is a new group."""
    found = population_posterior(correct, total)
    new = found.new_group
    assert new.mean() == pytest.approx(found.population_mean.mean(), abs=2e-8)
    if total[0] == 0:
        assert found.groups[0].mean() == pytest.approx(new.mean(), abs=1e-8)


# Averages of accuracies that are given by their log-odds


def beta(a, b):
    """Return Beta(a, b) by the log density of its log-odds, less its maximum."""
    start, scale = np.log(a / b), np.sqrt(1 / a + 1 / b)
    return LogitDistribution(lambda u: _numerics.log_binomial(u, a, b), start, scale)


BETAS = {
    "smooth": ([31, 9, 4], [3, 3, 2]),
    "narrow": ([220_000, 1200], [216_000, 1190]),
    "two scales": ([9.0, 99_990.5], [3.0, 10.5]),
    "perfect": ([30.5, 12.5, 8.5], [0.5, 0.5, 0.5]),
    "both ends": ([20.5, 0.5], [0.5, 8.5]),
    "uniform": ([1.0, 1.0], [1.0, 1.0]),
    "poles": ([0.5, 0.5], [0.5, 0.5]),
    "many": ([40.0] * 30, [0.5, 3.5] * 15),
}


@pytest.mark.parametrize(("a", "b"), BETAS.values(), ids=BETAS)
def test_averages_of_betas(a, b):
    """Tails, densities, quantiles and moments are those of the series of Betas."""
    found, exact = average([*map(beta, a, b)]), BetaAverage(a, b)
    x = exact.icdf(P)
    assert_allclose(found.cdf(x), exact.cdf(x), rtol=0, atol=ERROR)
    assert_allclose(found.ccdf(x), exact.ccdf(x), rtol=0, atol=ERROR)
    assert_allclose(found.pdf(x[3:7]), exact.pdf(x[3:7]), rtol=1e-4)
    assert_allclose(exact.cdf(found.icdf(P[2:8])), P[2:8], rtol=0, atol=ERROR)
    shortest = exact.hdi(0.9)
    assert_allclose(found.hdi(0.9), shortest, atol=1e-4 * np.ptp(shortest))
    assert found.mean() == pytest.approx(exact.mean(), abs=1e-7)
    assert found.variance() == pytest.approx(exact.variance(), rel=1e-5)
    assert found.skewness() == pytest.approx(exact.skewness(), abs=1e-4)
    assert found.kurtosis() == pytest.approx(exact.kurtosis(), abs=1e-3)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [([0.5, 0.5], [1, 1], 0.5 * np.pi), ([2, 3], [1, 4], 0.0)],
    ids=["flat", "zero"],
)
def test_density_at_the_end(a, b, expected):
    """Of Beta(1/2, 1) the density is x^(-1/2) / 2: of the mean of two it is pi / 2 at zero."""
    found = average([*map(beta, a, b)])
    assert found.pdf(0.0) == pytest.approx(expected, rel=1e-3, abs=1e-5)
    assert found.pdf(-1e-9) == 0.0


HEAVY = {
    "new group": ([[0, 0], [0, 1], [1, 0]], [[10, 20]] * 3),
    "all wrong": ([[0, 0]] * 8, [[127, 127]] * 8),
    "all wrong, two sizes": ([[0, 0]] * 6, [[40, 3000]] * 6),
}


@pytest.mark.parametrize(("correct", "total"), HEAVY.values(), ids=HEAVY)
def test_mass_next_to_the_end(correct, total):
    """P(X + Y <= 2 x) by a sum over cells of X, with a thousandth of the mass below 1e-12."""
    found = population_posterior(correct, total).new_group
    columns = zip(np.transpose(correct), np.transpose(total), strict=True)
    one, two = (population_posterior(*column).new_group for column in columns)
    # Cells of X get narrower towards zero, and where Y does.
    v = np.linspace(-600, 40, 20_001)
    for x in (1e-9, 1e-6, 1e-3, 0.05):
        masses = np.diff(one.cdf(2 * x * expit(v)), prepend=0.0)
        others = two.cdf(2 * x * expit(-np.append(v[:1], 0.5 * (v[1:] + v[:-1]))))
        expected = masses @ others
        assert found.cdf(x) == pytest.approx(expected, abs=1e-6)
        assert found.ccdf(x) == pytest.approx(1 - expected, abs=1e-6)


@pytest.mark.slow
def test_corners_inside_the_support():
    """Prior to all data, a share of both accuracies is at different ends: the mean is symmetric."""
    new = population_posterior(np.zeros(3), np.zeros(3)).new_group
    found = average([new] * 2)
    # Of the mass, 3e-4 is within the rounding of this corner.
    assert found.cdf(0.5) == pytest.approx(0.5, abs=2e-4)
    d = np.array([1e-9, 1e-6, 1e-3, 0.2, 0.4999])
    assert_allclose(found.cdf(0.5 - d), found.ccdf(0.5 + d), rtol=0, atol=ERROR)
    # Of four, the sum of two means of two; logs are finite and rise.
    four = average([new] * 4)
    assert four.variance() == pytest.approx(0.5 * found.variance(), rel=1e-6)
    draws = np.sort(np.mean([new.sample(20_000, rng=k) for k in range(4)], axis=0))
    x = np.array([1e-6, 0.1, 0.25, 0.4, 0.5001, 0.75])
    assert_allclose(four.cdf(x), np.searchsorted(draws, x) / draws.size, atol=0.01)
    logs = four.logcdf([5e-324, 1e-197, 1e-15, 1e-3])
    assert np.isfinite(logs).all()
    assert (np.diff(logs) >= 0).all()


def test_a_narrow_accuracy_beside_a_wide_one():
    """The narrow one is at a corner of its own, and the other one has a pole."""
    a, b = [3.0, 1e7], [0.5, 0.5]
    found, exact = average([*map(beta, a, b)]), BetaAverage(a, b)
    p = np.array([0.01, 0.3, 0.6, 0.9, 0.99, 0.999])
    assert_allclose(found.cdf(exact.icdf(p)), p, rtol=0, atol=ERROR)


def test_corners_that_are_all_negligible():
    """Twenty groups: no corner counts, and the intervals have their mass."""
    rng = np.random.default_rng(20)
    shares = np.clip(rng.normal(0.75, 0.08, 20), 0, 1)
    correct = rng.binomial(40, np.stack([shares, shares], axis=1))
    posterior = population_posterior(correct, np.full((20, 2), 40))
    for group in posterior.groups:
        low, high = group.hdi(0.9)
        assert_allclose(group.cdf(low, high), 0.9, atol=ERROR)
