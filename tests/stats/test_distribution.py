"""What distributions share: shortest intervals and modes by brute force, log-odds, and draws."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from scipy.special import log_expit

from skpostbac import population_posterior
from skpostbac.stats import BetaAverage, DrawnDistribution
from skpostbac.stats._table import LogitDistribution


@pytest.mark.parametrize(
    "level", [1e-6, 0.9999, 1 - 1e-9], ids=["narrow", "wide", "almost-all"]
)
def test_hdi_of_extreme_levels(level):
    """A unimodal density is equal at both ends, and the tails outside have their mass."""
    distribution = BetaAverage([31, 9, 4], [3, 3, 2])
    low, high = distribution.hdi(level)
    assert distribution.cdf(low) + distribution.ccdf(high) == pytest.approx(
        1 - level, rel=1e-8
    )
    assert distribution.logpdf(low) == pytest.approx(
        distribution.logpdf(high), abs=1e-5
    )
    # Ends are in order, whatever rounding does.
    low, high = distribution.hdi(5e-324)
    assert low <= high


@pytest.mark.parametrize("weight", [1e-4, 1e-6])
def test_mode_in_a_peak_of_little_mass(weight):
    """The pole of one class, blurred by a second of small weight, is narrow."""
    distribution = BetaAverage([0.7, 0.7], [3.0, 3.0], weights=[1.0, weight])
    x = weight * np.linspace(0, 2, 2001)[1:]
    assert (
        distribution.logpdf(distribution.mode()) >= distribution.logpdf(x).max() - 1e-8
    )


@pytest.mark.parametrize("level", [0.95, 0.999])
def test_poles_with_mass_closer_than_rounding(level):
    """Half of it is closer to 0 or 1 than the smallest step from the mean."""
    distribution = BetaAverage([1e-3] * 3, [1e-3] * 3)
    low, high = distribution.hdi(level)
    assert high - low == 1
    assert distribution.cdf(high) - distribution.cdf(np.nextafter(low, -1)) >= level


def test_mode_in_a_narrow_peak_beside_a_wide_one():
    """An accuracy of 10^5 samples and another one, of two groups."""
    correct = [[4, 86_674], [27, 117], [17_193, 82]]
    total = [[5, 87_885], [42, 160], [20_587, 135]]
    distribution = population_posterior(correct, total).groups[0]
    x = np.linspace(0.85, 0.95, 501)
    assert distribution.pdf(distribution.mode()) >= distribution.pdf(x).max()


# Distributions given by the density of log-odds


@pytest.mark.parametrize(
    ("a", "b"), [(31, 3), (0.5, 0.5), (1, 1), (1e4, 300), (300, 1)]
)
def test_a_beta_distribution_is_that_of_scipy(a, b):
    """The density of its log-odds is x^a (1 - x)^b; panels meet the log density to 1e-10."""
    start, scale = np.log(a / b), np.sqrt(1 / a + 1 / b)
    found = LogitDistribution(
        lambda u: a * log_expit(u) + b * log_expit(-u), start, scale
    )
    exact, p = stats.beta(a, b), np.array([1e-10, 1e-3, 0.2, 0.5, 0.9, 0.999])
    x = exact.ppf(p)
    assert_allclose(found.cdf(x), exact.cdf(x), rtol=1e-9)
    assert_allclose(found.ccdf(x), exact.sf(x), rtol=1e-9)
    assert_allclose(found.pdf(x), exact.pdf(x), rtol=1e-9)
    assert_allclose(found.icdf(p), x, rtol=1e-9)
    moments = [
        found.mean(),
        found.variance(),
        found.skewness(),
        found.kurtosis(convention="excess"),
    ]
    assert_allclose(moments, exact.stats("mvsk"), rtol=1e-8, atol=1e-9)
    # Zero, infinite, or a limit between.
    assert_allclose(found.logpdf([0, 1]), exact.logpdf([0, 1]), atol=1e-8)
    logs = found.logcdf([1e-200, 1e-100, 1e-30, 1e-3])
    assert np.isfinite(logs).all()
    assert (np.diff(logs) >= 0).all()
    # The function it was made of is not needed.
    assert pickle.loads(pickle.dumps(found)).cdf(0.3) == found.cdf(0.3)


# Posteriors by random draws


def test_figures_by_hand():
    """Ten draws, with ties."""
    posterior = DrawnDistribution([3, 1, 4, 1, 5, 9, 2, 6, 5, 3])
    assert posterior.mean() == 3.9
    assert posterior.median() == posterior.icdf(0.5) == 3.5
    assert posterior.cdf(5) == posterior.prob_below(5) == 0.8
    assert_array_equal(posterior.ccdf([0, 5, 9]), [1, 0.2, 0])
    assert_array_equal(posterior.prob_above([0, 5, 9]), [1, 0.2, 0])
    # Eight of ten draws: from 1 to 5 is the shortest.
    assert (
        posterior.credible_interval(0.8, method="hdi") == posterior.hdi(0.8) == (1, 5)
    )
    assert posterior.credible_interval(0.8) == (1, posterior.icdf(0.9))
    central = posterior.credible_interval(0.5, method="central")
    assert central == posterior.interval(0.5) == (2.25, 5)
    assert posterior.monte_carlo_error() == pytest.approx(stats.sem(posterior.draws))


def test_errors_are_those_of_repeated_draws():
    """The errors told are the spread over many samples of a normal distribution."""
    rng = np.random.default_rng(0)
    samples = [DrawnDistribution(rng.normal(size=1000)) for _ in range(400)]
    ends = np.array([sample.interval(0.8) for sample in samples])
    told = [sample.credible_interval_error(0.8, method="central") for sample in samples]
    exact = np.sqrt(0.1 * 0.9 / 1000) / stats.norm.pdf(stats.norm.ppf(0.1))
    # The spread over 400 samples has an error of 3.5 %, and the told one a small bias.
    assert_allclose(ends.std(axis=0), exact, rtol=0.12)
    assert_allclose(np.mean(told, axis=0), exact, rtol=0.05)
    means = [sample.monte_carlo_error() for sample in samples]
    assert np.mean(means) == pytest.approx(1 / np.sqrt(1000), rel=0.01)


def test_errors_of_shortest_intervals_are_those_of_repeated_draws():
    """The ends of a skew distribution, to a third: parts of the draws are not yet asymptotic."""
    rng = np.random.default_rng(0)
    samples = [DrawnDistribution(rng.beta(40, 2, 10_000)) for _ in range(150)]
    for method in ("hull", "hdi"):
        ends = np.array([sample.credible_interval(method=method) for sample in samples])
        told = [sample.credible_interval_error(method=method) for sample in samples]
        assert_allclose(np.mean(told, axis=0), ends.std(axis=0), rtol=1 / 3)


def test_moments_beyond_the_tail_index():
    """They are infinite, as those of a Pareto variable, and of the draws below it."""
    draws = np.random.default_rng(0).pareto(2.5, 10_000) + 1
    for tail_index, finite in ((0.9, 0), (1, 0), (1.5, 1), (2, 1), (2.5, 2), (3.5, 3)):
        one, plain = DrawnDistribution(draws, tail_index), DrawnDistribution(draws)
        moments = [one.mean(), one.variance(), one.skewness(), one.kurtosis()]
        same = [plain.mean(), plain.variance(), plain.skewness(), plain.kurtosis()]
        assert moments[:finite] == same[:finite]
        assert not np.isfinite(moments[finite:]).any()
        assert np.isfinite(one.monte_carlo_error()) == (finite > 1)
        assert one.median() == plain.median()
    for bad in (0, -1, np.nan, "2", None):
        with pytest.raises(ValueError, match="tail_index must be a positive number"):
            DrawnDistribution(draws, bad)


def test_samples_are_of_the_draws():
    """Each draw is as likely; a copy, sorted and read-only."""
    draws = np.array([7.0, 2, 1, 2])
    posterior = pickle.loads(pickle.dumps(DrawnDistribution(draws)))
    values, times = np.unique(posterior.sample((200, 100), rng=0), return_counts=True)
    assert values.tolist() == [1, 2, 7]
    # Five standard errors of a share of 20,000.
    assert_allclose(times / 20_000, [0.25, 0.5, 0.25], atol=5 * 0.5 / 20_000**0.5)
    assert draws.tolist() == [7, 2, 1, 2]
    assert posterior.draws.tolist() == [1, 2, 2, 7]
    with pytest.raises(ValueError, match="read-only"):
        posterior.draws[0] = 0


@pytest.mark.parametrize(
    ("draws", "message"),
    [
        ([1.0], r"draws must be at least two numbers, got the shape \(1,\)"),
        ([[1.0, 2.0]], r"draws must be at least two numbers, got the shape \(1, 2\)"),
        ([1.0, np.nan], "draws must be finite, got nan at position 1"),
        (["a", "b"], "draws must be an array of numbers"),
    ],
    ids=["one", "table", "nan", "text"],
)
def test_bad_draws(draws, message):
    """Nothing can be said of them."""
    with pytest.raises(ValueError, match=message):
        DrawnDistribution(draws)


def test_quantiles_of_small_probabilities_beside_zero():
    """They rise like a power of the probability, also below what a series resolves."""
    a = np.array([0.3, 0.2])
    p = np.array([1e-14, 1e-12, 1e-11, 1e-10, 1e-9])
    x = BetaAverage(a, [20.0, 9.0]).icdf(p)
    # Below 1e-10 they are those of approximate tails, which are off by a tenth.
    assert_allclose(np.diff(np.log(x)), np.diff(np.log(p)) / a.sum(), rtol=0.1)
