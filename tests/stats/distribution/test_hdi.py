"""Shortest intervals and modes, by brute force over quantiles and densities."""

import numpy as np
import pytest

from skpostbac import population_posterior
from skpostbac.stats import (
    BetaAverage,
    HierarchicalBetaAverage,
    PairedDifference,
    PowerTransform,
)
from skpostbac.stats._distribution.table import LogitDistribution

RNG = np.random.default_rng(20261122)


def counts(n_classes, largest=1000):
    """Return right and wrong predictions of random classes, many of them perfect or empty."""
    total = np.floor(largest ** RNG.uniform(0, 1, n_classes))
    correct = RNG.binomial(total.astype(int), RNG.uniform(0, 1, n_classes)).astype(float)
    kind = RNG.uniform(size=n_classes)
    correct = np.select([kind < 0.35, kind > 0.9], [total, 0.0], correct)
    return correct, total - correct


def average(weights=None, largest=1000):
    """Return a random average of one to ten classes."""
    right, wrong = counts(RNG.integers(1, 11), largest)
    prior = RNG.choice([0.1, 0.5, 1.0, 2.0])
    if weights:
        weights = RNG.choice([-1, 1], right.size) * 10 ** RNG.uniform(-6, 0, right.size)
    return BetaAverage(right + prior, wrong + prior, weights=weights)


def hierarchical(weights=None):
    """Return a random hierarchical average of one to five classes."""
    right, wrong = counts(RNG.integers(1, 6), 200)
    return HierarchicalBetaAverage(right, right + wrong, weights=weights)


def paired():
    """Return a random difference of two classifiers."""
    return PairedDifference(RNG.choice([0, 0, 1, 3, 40], (RNG.integers(1, 6), 4)), prior=0.5)


def two_peaks(u):
    """Log density in log-odds with two peaks of different width."""
    return np.logaddexp(-0.5 * ((u + 2) / 0.2) ** 2, -0.5 * ((u - 1) / 0.5) ** 2 - 1)


def some(make, number):
    """Return some distributions."""
    return [make() for _ in range(number)]


def perfect(n_classes, size):
    """Return the hierarchical average of perfect classes."""
    return HierarchicalBetaAverage([size] * n_classes, [size] * n_classes)


DISTRIBUTIONS = [
    *some(average, 8),
    *some(lambda: average(weights=True), 4),
    *some(lambda: average(largest=1e7), 4),
    *some(lambda: average(largest=50) - average(largest=50), 3),
    *some(paired, 3),
    *some(lambda: PowerTransform(average(largest=100), RNG.choice([0.5, 2.0])), 2),
    *some(hierarchical, 2),
    pytest.param(perfect(3, 2), id="perfect-3-of-2"),
    pytest.param(perfect(3, 9), id="perfect-3-of-9"),
    pytest.param(BetaAverage([10.5] * 3, [0.5] * 3), id="three-perfect"),
    pytest.param(BetaAverage([1e7 + 0.5, 2.5], [0.5, 0.5]), id="kink"),
    pytest.param(BetaAverage([0.5, 0.5], [0.5, 0.5]), id="pole-amid"),
    pytest.param(BetaAverage([0.5], [0.5]), id="poles-at-both-ends"),
    pytest.param(BetaAverage([1.0], [1.0]), id="uniform"),
    pytest.param(BetaAverage([1.0, 1.0], [1.0, 1.0], weights=[1, 0.2]), id="plateau"),
    pytest.param(LogitDistribution(two_peaks, 0.0, 1.0), id="two-peaks"),
]


def shortest_of_many(distribution, level):
    """Return the length of the shortest of many intervals, looked for again about the best."""
    alpha = 1 - level
    below = alpha * np.linspace(0, 1, 41)
    lengths = []
    for _ in range(2):
        length = distribution.iccdf(np.maximum(alpha - below, 0.0)) - distribution.icdf(below)
        best = int(np.argmin(length))
        lengths.append(length[best])
        below = np.linspace(below[max(best - 1, 0)], below[min(best + 1, below.size - 1)], 21)
    return min(lengths)


@pytest.mark.slow
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_hdi_is_the_shortest_interval_of_its_probability(distribution):
    """None of many intervals of the same probability is shorter."""
    level = 0.8
    low, high = distribution.hdi(level)
    ends = np.array([low, high])
    rounding = np.minimum(distribution.pdf(ends), 1e16) @ np.spacing(np.abs(ends))
    assert distribution.cdf(low, high) == pytest.approx(level, abs=1e-11 + 2 * rounding)
    spacing = np.spacing(np.abs(ends).max())
    assert high - low <= shortest_of_many(distribution, level) * (1 + 1e-9) + 4 * spacing


@pytest.mark.parametrize("level", [1e-6, 0.9999, 1 - 1e-9], ids=["narrow", "wide", "almost-all"])
def test_hdi_of_extreme_levels(level):
    """A unimodal density is equal at both ends, and the tails outside have their mass."""
    distribution = BetaAverage([31, 9, 4], [3, 3, 2])
    low, high = distribution.hdi(level)
    assert distribution.cdf(low) + distribution.ccdf(high) == pytest.approx(1 - level, rel=1e-8)
    assert distribution.logpdf(low) == pytest.approx(distribution.logpdf(high), abs=1e-5)


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_no_density_is_higher_than_at_the_mode(distribution):
    """Compared with many quantiles, and with the surroundings of the mode."""
    mode = distribution.mode()
    x = distribution.icdf(np.linspace(0.01, 0.99, 99))
    near = mode + distribution.standard_deviation() * np.outer([-1, 1], np.geomspace(1e-9, 1, 40))
    assert distribution.logpdf(mode) >= distribution.logpdf(np.append(x, near)).max() - 1e-8


@pytest.mark.parametrize("weight", [1e-4, 1e-6])
def test_mode_in_a_peak_of_little_mass(weight):
    """The pole of one class, blurred by a second of small weight, is narrow."""
    distribution = BetaAverage([0.7, 0.7], [3.0, 3.0], weights=[1.0, weight])
    x = weight * np.linspace(0, 2, 2001)[1:]
    assert distribution.cdf(weight) < 1 / 32
    assert distribution.logpdf(distribution.mode()) >= distribution.logpdf(x).max() - 1e-8


def test_interval_of_hardly_any_probability():
    """Its ends are in order, whatever rounding does."""
    low, high = HierarchicalBetaAverage([3, 5, 0], [4, 9, 0]).hdi(5e-324)
    assert low <= high


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
    distribution = population_posterior(correct, total, model="beta-binomial").groups[0]
    x = np.linspace(0.85, 0.95, 501)
    assert distribution.pdf(distribution.mode()) >= distribution.pdf(x).max()
