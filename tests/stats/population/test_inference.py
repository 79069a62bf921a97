"""Group-level inference against multiple precision and dense grids."""

import mpmath
import numpy as np
import pytest
from scipy import stats
from scipy.special import betainc, betaln, expit, log_expit, logit

from skpostbac.stats import BetaBinomial, BoundedDistribution, NormalBinomial
from skpostbac.stats._population.average import logit_average
from skpostbac.stats._population.inference import GroupInference
from skpostbac.stats._population.model import group_model

CORRECT, TOTAL = np.array([82.0, 75, 92, 85, 88]), np.full(5, 100.0)


def precise_normal_evidence(mean, precision, k, n):
    """The integral over the log-odds of a group, in 30 digits."""
    with mpmath.workdps(30):
        mean, precision = mpmath.mpf(mean), mpmath.mpf(precision)

        def integrand(rho):
            binomial = -k * mpmath.log1p(mpmath.exp(-rho)) - (n - k) * mpmath.log1p(mpmath.exp(rho))
            return mpmath.exp(binomial - precision * (rho - mean) ** 2 / 2)

        sd = 1 / mpmath.sqrt(precision)
        cuts = sorted({mean + sd * i for i in range(-14, 15, 2)} | {*range(-60, 61, 4)})
        value = mpmath.quad(integrand, [cut for cut in cuts if abs(cut - mean) <= 14 * sd])
        return float(mpmath.log(value * mpmath.sqrt(precision / (2 * mpmath.pi))))


@pytest.mark.parametrize(
    ("location", "concentration", "k", "n"),
    [(1.5, 0.5, 82, 100), (0, -3, 10, 10), (-3, 2, 0, 1), (1, -4, 3, 6), (0.5, -2, 1, 2)],
)
def test_normal_evidence_is_that_of_multiple_precision(location, concentration, k, n):
    """Perfect groups and wide populations too."""
    arguments = map(np.float64, (location, concentration, k, n))
    value = group_model(NormalBinomial()).log_evidence(*arguments)
    exact = precise_normal_evidence(location, float(np.exp(concentration)), k, n)
    assert float(value) == pytest.approx(exact, abs=2e-9)


@pytest.mark.parametrize("concentration", [-20.0, -1.0, 3.0, 12.0, 20.0])
def test_beta_model_is_that_of_multiple_precision(concentration):
    """Evidence and density keep their digits for groups that are alike and groups that are not."""
    location, k, n = 2.0, 50, 55
    u = location + 0.3 * min(1.0, float(np.exp(-concentration / 2)))
    with mpmath.workdps(60):
        size = mpmath.exp(concentration)
        a, b = size / (1 + mpmath.exp(-location)), size / (1 + mpmath.exp(location))
        evidence = mpmath.log(mpmath.rf(a, k) * mpmath.rf(b, n - k) / mpmath.rf(a + b, n))
        x = 1 / (1 + mpmath.exp(-mpmath.mpf(u)))
        beta = mpmath.loggamma(a) + mpmath.loggamma(b) - mpmath.loggamma(a + b)
        density = a * mpmath.log(x) + b * mpmath.log(1 - x) - beta
    values = map(np.float64, (location, concentration, k, n))
    model = group_model(BetaBinomial())
    assert float(model.log_evidence(*values)) == pytest.approx(float(evidence), abs=1e-10)
    value = model.terms(np.float64(u)) @ model.coefficients(
        np.float64(location), np.float64(concentration)
    )
    assert float(value) == pytest.approx(float(density), abs=1e-6)


@pytest.fixture(scope="module")
def normal():
    return GroupInference(NormalBinomial(), CORRECT, TOTAL)


@pytest.fixture(scope="module")
def normal_grid():
    """The posterior of mu and log(lambda) on a dense grid, the accuracies summed on another."""
    rho = np.linspace(-6, 12, 3601)
    mu, t = np.linspace(-7, 9, 321), np.linspace(-11, 4.2, 77)
    likelihood = CORRECT * log_expit(rho[:, None]) + (TOTAL - CORRECT) * log_expit(-rho[:, None])
    likelihood = np.exp(likelihood - likelihood.max(axis=0))
    log_posterior = np.empty((t.size, mu.size))
    for i, log_precision in enumerate(t):
        kernel = stats.norm.pdf(rho, mu[:, None], np.exp(-0.5 * log_precision))
        log_posterior[i] = np.log(kernel @ likelihood).sum(axis=1)
    log_posterior += (t - np.exp(t))[:, None] - 0.5 * mu**2
    posterior = np.exp(log_posterior - log_posterior.max())
    return mu, np.exp(t)[:, None], posterior / posterior.sum()


def test_normal_distributions_are_those_of_a_dense_grid(normal, normal_grid):
    """The trapezoid rule on both grids converges fast; its ends leave about 1e-9."""
    mu, precision, posterior = normal_grid
    location = normal.population_location()
    assert location.mean() == pytest.approx(np.sum(posterior * expit(mu)), abs=1e-8)
    z, weights = np.polynomial.hermite_e.hermegauss(60)
    means = expit(mu[:, None] + z / np.sqrt(precision[..., None])) @ (weights / weights.sum())
    mean = float(np.sum(posterior * means))
    distribution = normal.population_mean()
    assert distribution.mean() == pytest.approx(mean, abs=1e-7)
    assert distribution.variance() == pytest.approx(
        np.sum(posterior * (means - mean) ** 2), abs=1e-7
    )
    new = normal.new_group()
    for x in (0.5, 0.9):
        below = stats.norm.cdf((logit(x) - mu) * np.sqrt(precision))
        assert float(new.cdf(x)) == pytest.approx(np.sum(posterior * below), abs=1e-8)


def vague_grid(correct, total, size, lowest):
    """Posterior of mu and log(lambda), and mean of a new group, with Gamma(size, size) lambda."""
    t, mu = np.arange(lowest, 12.6, 0.15), np.linspace(-7, 7, 281)
    rho, (z, weights) = np.linspace(-45, 45, 1801), np.polynomial.hermite_e.hermegauss(120)
    log_posterior = (size * t - size * np.exp(t))[:, None] - 0.5 * mu**2
    mean = np.empty_like(log_posterior)
    for i, sd in enumerate(np.exp(-0.5 * t)):
        # A narrow population, by Gauss and Hermite; a wide one, by a rule that has its far ends.
        u, kernel, far = rho, stats.norm.pdf(rho, mu[:, None], sd) * 0.05, 1.0
        if sd < 0.4:
            u, kernel, far = mu[:, None] + sd * z, weights / weights.sum(), 0.0
        above = far * stats.norm.sf((45.025 - mu) / sd)
        mean[i] = (expit(u) * kernel).sum(axis=1) + above
        for k, n in zip(correct, total, strict=True):
            likelihood = np.exp(k * log_expit(u) + (n - k) * log_expit(-u))
            log_posterior[i] += np.log((likelihood * kernel).sum(axis=1) + above * (k == n))
    posterior = np.exp(log_posterior - log_posterior.max())
    return mu, np.exp(t)[:, None], posterior / posterior.sum(), mean


@pytest.mark.slow
@pytest.mark.parametrize(
    ("correct", "total", "lowest", "error"),
    [(CORRECT, TOTAL, -14, 1e-8), ([3, 9], [5, 9], -56, 1e-6), ([3], [5], -56, 1e-6)],
    ids=["five", "two small", "one small"],
)
def test_vague_prior(correct, total, lowest, error):
    """Gamma(0.001, 0.001), out to spreads of 1e12."""
    mu, precision, posterior, means = vague_grid(correct, total, 0.001, lowest)
    model = NormalBinomial(shape=0.001, rate=0.001)
    inference = GroupInference(model, np.array(correct, float), np.array(total, float))
    location, distribution = inference.population_location(), inference.population_mean()
    assert location.mean() == pytest.approx(np.sum(posterior * expit(mu)), abs=error)
    assert distribution.mean() == pytest.approx(np.sum(posterior * means), abs=error)
    variance = np.sum(posterior * (means - distribution.mean()) ** 2)
    assert distribution.variance() == pytest.approx(variance, abs=error)
    for x in (0.3, 0.5, 0.9):
        below = np.sum(posterior * stats.norm.cdf((logit(x) - mu) * np.sqrt(precision)))
        assert float(inference.new_group().cdf(x)) == pytest.approx(below, abs=error)


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
    inference = GroupInference(BetaBinomial(), np.array(correct, float), np.array(total, float))
    a, b, weights = beta_mixture(correct, total)
    mean = inference.population_mean().mean()
    assert mean == pytest.approx(weights @ (a / (a + b)), abs=error)
    k, n = correct[0], total[0]
    for x in (0.3, 0.5, 0.7, 0.9):
        new, group = inference.new_group().cdf(x), inference.groups(1)[0].cdf(x)
        assert float(new) == pytest.approx(weights @ betainc(a, b, x), abs=error)
        mixed = weights @ betainc(a + k, b + n - k, x)
        assert float(group) == pytest.approx(mixed, abs=error)


def test_prior_and_data_agree_on_average():
    """One sample is right with probability 1/2: the mean of both posteriors is the prior."""
    right, wrong, prior = (
        GroupInference(BetaBinomial(), np.array([k]), np.array([n]))
        for k, n in ((1.0, 1.0), (0.0, 1.0), (0.0, 0.0))
    )
    x = np.array([0.05, 0.3, 0.6, 0.9])
    for name in ("population_mean", "new_group"):
        distributions = [getattr(each, name)() for each in (right, wrong, prior)]
        average = 0.5 * (distributions[0].cdf(x) + distributions[1].cdf(x))
        np.testing.assert_allclose(average, distributions[2].cdf(x), atol=3e-7)
    # The mean is uniform.
    np.testing.assert_allclose(prior.population_mean().cdf(x), x, atol=1e-8)


@pytest.mark.parametrize("model", [NormalBinomial(), BetaBinomial()], ids=["normal", "beta"])
def test_large_groups_know_their_accuracies(model):
    """Groups that say next to nothing of one another: each has the posterior of its counts."""
    correct, total = np.array([8.2e5, 6.1e5, 9.3e5]), np.full(3, 1e6)
    inference = GroupInference(model, correct, total)
    own = stats.beta(correct[0], total[0] - correct[0])
    distribution = inference.groups(1)[0]
    assert distribution.mean() == pytest.approx(own.mean(), abs=2e-6)
    assert distribution.standard_deviation() == pytest.approx(own.std(), rel=1e-4)
    new, mean = inference.new_group(), inference.population_mean()
    assert new.mean() == pytest.approx(mean.mean(), abs=1e-8)


@pytest.mark.parametrize(
    ("model", "correct", "total"),
    [
        (NormalBinomial(), [82, 75, 92, 85, 88], [100] * 5),
        (BetaBinomial(), [82, 75, 92, 85, 88], [100] * 5),
        (NormalBinomial(), [3, 9], [5, 9]),
        (NormalBinomial(), [0, 4, 2], [0, 4, 7]),
        (NormalBinomial(mean=-10.0, precision=5.0), [3, 9], [5, 9]),
    ],
    ids=["normal", "beta", "few", "empty and perfect", "far prior"],
)
def test_a_new_group_has_the_mean_of_the_population(model, correct, total):
    """Two integrals by different ways; a group without samples is a new group."""
    inference = GroupInference(model, np.array(correct, float), np.array(total, float))
    new = inference.new_group()
    assert new.mean() == pytest.approx(inference.population_mean().mean(), abs=2e-8)
    if total[0] == 0:
        assert inference.groups(1)[0].mean() == pytest.approx(new.mean(), abs=1e-8)


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


@pytest.mark.parametrize("prior", [NormalBinomial(), BetaBinomial()], ids=["normal", "beta"])
def test_priors_and_distributions_show_users_nothing_else(prior):
    """Parameters and the methods of all distributions; the quadrature stays inside."""

    def public(value):
        return {name for name in dir(value) if not name.startswith("_")}

    assert public(prior) == set(vars(prior))
    columns = [GroupInference(prior, CORRECT, TOTAL).new_group()] * 2
    for distribution in (columns[0], logit_average(columns, np.array([0.5, 0.5]))):
        assert public(distribution) == public(BoundedDistribution)
