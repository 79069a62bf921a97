"""Group-level inference against multiple precision and dense grids, and averages over classes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from scipy.special import betainc, betaln, expit, log_expit, logit

from skpostbac import population_posterior
from skpostbac.stats import (
    BetaAverage,
    BetaBinomial,
    NormalBinomial,
    _numerics,
)
from skpostbac.stats._population import LogitAverage
from skpostbac.stats._table import LogitDistribution

CORRECT, TOTAL = np.array([82.0, 75, 92, 85, 88]), np.full(5, 100.0)
P = np.array([1e-9, 1e-6, 1e-3, 0.2, 0.45, 0.7, 0.95, 0.999, 1 - 1e-6])
both_models = pytest.mark.parametrize(
    "model", [NormalBinomial(), BetaBinomial()], ids=["normal", "beta"]
)


def normal_grid(correct, total, size, lowest, step):
    """The posterior of mu and log(lambda), with Gamma(size, size) lambda, and the mean of a group.

    Accuracies are integrated by Gauss and Hermite in a narrow population, and in a wide one by a
    trapezoid rule that has its far ends.
    """
    t = np.arange(lowest, 12.6 if size < 1 else 4.2, step)
    mu = np.linspace(-7, 7, 281) if size < 1 else np.linspace(-7, 9, 201)
    rho, (z, weights) = (
        np.linspace(-45, 45, 1801),
        np.polynomial.hermite_e.hermegauss(120),
    )
    log_posterior = (size * t - size * np.exp(t))[:, None] - 0.5 * mu**2
    mean = np.empty_like(log_posterior)
    for i, sd in enumerate(np.exp(-0.5 * t)):
        u, kernel, far = rho, stats.norm.pdf(rho, mu[:, None], sd) * 0.05, 1.0
        if sd < 0.4:
            u, kernel, far = mu[:, None] + sd * z, weights / weights.sum(), 0.0
        above = far * stats.norm.sf((45.025 - mu) / sd)
        mean[i] = (expit(u) * kernel).sum(axis=1) + above
        for k, n in zip(correct, total, strict=True):
            likelihood = np.exp(k * log_expit(u) + (n - k) * log_expit(-u))
            log_posterior[i] += np.log(
                (likelihood * kernel).sum(axis=1) + above * (k == n)
            )
    posterior = np.exp(log_posterior - log_posterior.max())
    return mu, np.exp(t)[:, None], posterior / posterior.sum(), mean


@pytest.mark.parametrize(
    ("correct", "total", "size", "lowest", "error"),
    [
        (CORRECT, TOTAL, 1.0, -11, 1e-7),
        pytest.param(CORRECT, TOTAL, 0.001, -14, 1e-7, marks=pytest.mark.slow),
        pytest.param([3], [5], 0.001, -56, 1e-6, marks=pytest.mark.slow),
    ],
    ids=["default prior", "vague, five", "vague, one small"],
)
def test_normal_distributions_are_those_of_a_dense_grid(
    correct, total, size, lowest, error
):
    """The trapezoid rule on both grids converges fast; vague priors reach spreads of 1e12."""
    mu, precision, posterior, means = normal_grid(
        correct, total, size, lowest, 0.3 if size == 1 else 0.15
    )
    found = population_posterior(
        correct, total, model=NormalBinomial(shape=size, rate=size)
    )
    location, mean = found.population_median, found.population_mean
    assert location.mean() == pytest.approx(np.sum(posterior * expit(mu)), abs=error)
    assert mean.mean() == pytest.approx(np.sum(posterior * means), abs=error)
    variance = np.sum(posterior * (means - mean.mean()) ** 2)
    assert mean.variance() == pytest.approx(variance, abs=error)
    for x in (0.3, 0.5, 0.9):
        below = np.sum(posterior * stats.norm.cdf((logit(x) - mu) * np.sqrt(precision)))
        assert float(found.new_group.cdf(x)) == pytest.approx(below, abs=error)


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
    found = population_posterior(correct, total, model=BetaBinomial())
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
    found = [
        population_posterior([k], [n], model=BetaBinomial())
        for k, n in ((1, 1), (0, 1), (0, 0))
    ]
    x = np.array([0.05, 0.3, 0.6, 0.9])
    for name in ("population_mean", "new_group"):
        right, wrong, prior = (getattr(each, name).cdf(x) for each in found)
        assert_allclose(0.5 * (right + wrong), prior, atol=3e-7)
    # The mean is uniform.
    assert_allclose(found[2].population_mean.cdf(x), x, atol=1e-8)


@both_models
def test_large_groups_know_their_accuracies(model):
    """Groups that say next to nothing of one another: each has the posterior of its counts."""
    correct, total = np.array([8.2e5, 6.1e5, 9.3e5]), np.full(3, 1e6)
    own = stats.beta(correct[0], total[0] - correct[0])
    group = population_posterior(correct, total, model=model).groups[0]
    assert group.mean() == pytest.approx(own.mean(), abs=2e-6)
    assert group.standard_deviation() == pytest.approx(own.std(), rel=1e-4)


@pytest.mark.parametrize(
    ("model", "correct", "total"),
    [
        (NormalBinomial(), CORRECT, TOTAL),
        (BetaBinomial(), CORRECT, TOTAL),
        (NormalBinomial(), [0, 4, 2], [0, 4, 7]),
        (NormalBinomial(mean=-10.0, precision=5.0), [3, 9], [5, 9]),
        (NormalBinomial(), [8.2e5, 6.1e5, 9.3e5], [1e6] * 3),
    ],
    ids=["normal", "beta", "empty and perfect", "far prior", "large"],
)
def test_a_new_group_has_the_mean_of_the_population(model, correct, total):
    """Two integrals by different ways; a group without samples is a new group."""
    found = population_posterior(correct, total, model=model)
    new = found.new_group
    assert new.mean() == pytest.approx(found.population_mean.mean(), abs=2e-8)
    if total[0] == 0:
        assert found.groups[0].mean() == pytest.approx(new.mean(), abs=1e-8)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("rate", 0.0, "rate must be finite and positive"),
        ("shape", np.inf, "shape must be finite and positive"),
        ("precision", -1.0, "precision must be finite and positive"),
        ("mean", np.nan, "mean must be finite"),
        ("mean", -11.0, "mean must be between -10 and 10"),
    ],
)
def test_bad_priors_are_refused(name, value, message):
    with pytest.raises(ValueError, match=message):
        NormalBinomial(**{name: value})


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
    found, exact = LogitAverage((*map(beta, a, b),)), BetaAverage(a, b)
    x = exact.icdf(P)
    # Log densities are tabulated to 1e-10, and some corners are at the points.
    assert_allclose(found.cdf(x), exact.cdf(x), rtol=0, atol=1e-11)
    assert_allclose(found.ccdf(x), exact.ccdf(x), rtol=0, atol=1e-11)
    assert_allclose(found.pdf(x[3:7]), exact.pdf(x[3:7]), rtol=1e-8)
    assert_allclose(found.icdf(P[2:8]), exact.icdf(P[2:8]), rtol=0, atol=1e-10)
    assert_allclose(found.hdi(0.9), exact.hdi(0.9), rtol=0, atol=1e-8)
    assert found.mean() == pytest.approx(exact.mean(), abs=1e-12)
    assert found.variance() == pytest.approx(exact.variance(), rel=1e-9)
    assert found.skewness() == pytest.approx(exact.skewness(), abs=1e-7)
    assert found.kurtosis() == pytest.approx(exact.kurtosis(), abs=1e-7)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ([0.4, 0.5], [3, 4], np.inf),
        ([0.5, 0.5], [1, 1], 0.5 * np.pi),
        ([2, 3], [1, 4], 0.0),
    ],
    ids=["pole", "flat", "zero"],
)
def test_density_at_the_end(a, b, expected):
    """Of Beta(1/2, 1) the density is x^(-1/2) / 2: of the mean of two it is pi / 2 at zero."""
    average = LogitAverage((*map(beta, a, b),))
    assert average.pdf(0.0) == pytest.approx(expected, rel=1e-6)
    assert average.pdf(-1e-9) == 0.0


HEAVY = {
    "new group": (BetaBinomial(), [[0, 0], [0, 1], [1, 0]], [[10, 20]] * 3),
    "all wrong": (BetaBinomial(), [[0, 0]] * 8, [[127, 127]] * 8),
    "all wrong, two sizes": (BetaBinomial(), [[0, 0]] * 6, [[40, 3000]] * 6),
}


@pytest.mark.parametrize(("model", "correct", "total"), HEAVY.values(), ids=HEAVY)
def test_mass_as_close_to_the_end_as_doubles_allow(model, correct, total):
    """P(X + Y <= 2 x) by a sum over cells of X, with a thousandth of the mass below 1e-12."""
    average = population_posterior(correct, total, model=model).new_group
    columns = zip(np.transpose(correct), np.transpose(total), strict=True)
    one, two = (
        population_posterior(*column, model=model).new_group for column in columns
    )
    # Cells of X get narrower towards zero, and where Y does.
    v = np.linspace(-600, 40, 20_001)
    for x in (1e-9, 1e-6, 1e-3, 0.05):
        masses = np.diff(one.cdf(2 * x * expit(v)), prepend=0.0)
        others = two.cdf(2 * x * expit(-np.append(v[:1], 0.5 * (v[1:] + v[:-1]))))
        expected = masses @ others
        assert average.cdf(x) == pytest.approx(expected, abs=1e-6)
        assert average.ccdf(x) == pytest.approx(1 - expected, abs=1e-6)


@pytest.mark.slow
def test_corners_inside_the_support():
    """Prior to all data, a share of both accuracies is at different ends: the mean is symmetric."""
    new = population_posterior(np.zeros(3), np.zeros(3), model=BetaBinomial()).new_group
    average = LogitAverage((new,) * 2)
    # Of the mass, 3e-4 is within the rounding of this corner.
    assert average.cdf(0.5) == pytest.approx(0.5, abs=2e-4)
    d = np.array([1e-9, 1e-6, 1e-3, 0.2, 0.4999])
    assert_allclose(average.cdf(0.5 - d), average.ccdf(0.5 + d), rtol=0, atol=1e-9)
    # Of four, the sum of two means of two; logs are finite and rise.
    four = LogitAverage((new,) * 4)
    assert four.variance() == pytest.approx(0.5 * average.variance(), rel=1e-12)
    draws = np.sort(np.mean([new.sample(20_000, rng=k) for k in range(4)], axis=0))
    x = np.array([1e-6, 0.1, 0.25, 0.4, 0.5001, 0.75])
    assert_allclose(four.cdf(x), np.searchsorted(draws, x) / draws.size, atol=0.01)
    logs = four.logcdf([5e-324, 1e-197, 1e-15, 1e-3])
    assert np.isfinite(logs).all()
    assert (np.diff(logs) >= 0).all()


def test_a_narrow_accuracy_beside_a_wide_one():
    """Seen by a window on the last orders only: less accurate next to the end."""
    a, b = [3.0, 1e7], [0.5, 0.5]
    average, exact = (
        LogitAverage((*map(beta, a, b),)),
        BetaAverage(a, b),
    )
    for p, error in (
        (np.array([0.01, 0.3, 0.6, 0.9]), 1e-9),
        (np.array([0.99, 0.999]), 2e-3),
    ):
        assert_allclose(average.cdf(exact.icdf(p)), p, rtol=0, atol=error)


def test_corners_that_are_all_negligible():
    """Twenty groups: no corner counts, and the intervals have their mass."""
    rng = np.random.default_rng(20)
    shares = np.clip(rng.normal(0.75, 0.08, 20), 0, 1)
    correct = rng.binomial(40, np.stack([shares, shares], axis=1))
    posterior = population_posterior(correct, np.full((20, 2), 40))
    for group in posterior.groups:
        low, high = group.hdi(0.9)
        assert_allclose(group.cdf(low, high), 0.9, atol=1e-7)
