"""Posteriors by random draws, against the distributions that are drawn from."""

import pickle

import numpy as np
import pytest
from scipy.stats import norm, sem

from skpostbac.metrics import DrawnPosterior


def test_figures_by_hand():
    """Ten draws, with ties."""
    posterior = DrawnPosterior([3, 1, 4, 1, 5, 9, 2, 6, 5, 3])
    assert posterior.mean() == 3.9
    assert posterior.median() == posterior.icdf(0.5) == 3.5
    assert posterior.cdf(5) == posterior.prob_below(5) == 0.8
    np.testing.assert_array_equal(posterior.ccdf([0, 5, 9]), [1, 0.2, 0])
    np.testing.assert_array_equal(posterior.prob_above([0, 5, 9]), [1, 0.2, 0])
    # Eight of ten draws: from 1 to 5 is the shortest.
    assert posterior.credible_interval(0.8, method="hdi") == posterior.hdi(0.8) == (1, 5)
    assert posterior.credible_interval(0.8) == (1, posterior.icdf(0.9))
    central = posterior.credible_interval(0.5, method="central")
    assert central == posterior.interval(0.5) == (2.25, 5)
    assert posterior.monte_carlo_error() == pytest.approx(sem(posterior.draws))


def test_errors_are_those_of_repeated_draws():
    """The errors told are the spread over many samples of a normal distribution."""
    rng = np.random.default_rng(0)
    samples = [DrawnPosterior(rng.normal(size=1000)) for _ in range(400)]
    ends = np.array([sample.interval(0.8) for sample in samples])
    told = [sample.credible_interval_error(0.8, method="central") for sample in samples]
    exact = np.sqrt(0.1 * 0.9 / 1000) / norm.pdf(norm.ppf(0.1))
    # The spread over 400 samples has an error of 3.5 %, and the told one a small bias.
    np.testing.assert_allclose(ends.std(axis=0), exact, rtol=0.12)
    np.testing.assert_allclose(np.mean(told, axis=0), exact, rtol=0.05)
    means = [sample.monte_carlo_error() for sample in samples]
    assert np.mean(means) == pytest.approx(1 / np.sqrt(1000), rel=0.01)


def test_errors_of_shortest_intervals_are_those_of_repeated_draws():
    """The ends of a skew distribution, to a third: parts of the draws are not yet asymptotic."""
    rng = np.random.default_rng(0)
    samples = [DrawnPosterior(rng.beta(40, 2, 10_000)) for _ in range(150)]
    ends = np.array([sample.credible_interval() for sample in samples])
    told = np.mean([sample.credible_interval_error() for sample in samples], axis=0)
    np.testing.assert_allclose(told, ends.std(axis=0), rtol=1 / 3)


def test_samples_are_of_the_draws():
    """Each draw is as likely; seeded, of any shape, and single numbers too."""
    posterior = DrawnPosterior([1, 2, 2, 7])
    values, times = np.unique(posterior.sample((200, 100), rng=0), return_counts=True)
    assert values.tolist() == [1, 2, 7]
    # Five standard errors of a share of 20,000.
    np.testing.assert_allclose(times / 20_000, [0.25, 0.5, 0.25], atol=5 * 0.5 / 20_000**0.5)
    assert posterior.sample((2, 3), rng=1).tolist() == posterior.sample((2, 3), rng=1).tolist()
    assert posterior.sample(rng=np.random.default_rng(2)) in (1, 2, 7)


def test_draws_are_sorted_and_read_only():
    """A copy, also after pickling."""
    draws = np.array([3.0, 1.0, 2.0])
    posterior = pickle.loads(pickle.dumps(DrawnPosterior(draws)))
    assert posterior.draws.tolist() == [1, 2, 3]
    assert draws.tolist() == [3, 1, 2]
    with pytest.raises(ValueError, match="read-only"):
        posterior.draws[0] = 0


@pytest.mark.parametrize("method", ["credible_interval", "credible_interval_error"])
@pytest.mark.parametrize("level", [0, 1, "a"])
def test_bad_levels(method, level):
    """As everywhere."""
    with pytest.raises(ValueError, match="level must be a number strictly between 0 and 1"):
        getattr(DrawnPosterior(np.arange(9.0)), method)(level)


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
        DrawnPosterior(draws)
