"""Paired differences of classes that borrow strength: sums over all states, draws, limits, input.

The values of tests/reference/hierarchical_pairs.json are sums over all states of both shares, by a
Fourier series that uses nothing of the package.
"""

import json
import pickle
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from skpostbac.stats import HierarchicalPairedDifference, Hyperprior

REFERENCE = json.loads(
    (Path(__file__).parents[2] / "reference" / "hierarchical_pairs.json").read_text()
)
SIZES = np.array([2, 4, 8, 16, 32, 64, 128, 256])


def cells(total, only_a, only_b):
    """Return a table; which of the other samples both got right does not matter."""
    total, only_a, only_b = np.broadcast_arrays(total, only_a, only_b)
    return np.column_stack([total - only_a - only_b, only_a, only_b, 0 * total])


@cache
def distribution_of(name):
    """Make the distribution of a reference record."""
    record = REFERENCE[name]
    table = cells(*(np.array(record[key]) for key in ("total", "only_a", "only_b")))
    hyperprior = Hyperprior(kappa=tuple(record["kappa"]))
    return HierarchicalPairedDifference(
        table, weights=record["weights"], hyperprior=hyperprior
    )


@pytest.mark.parametrize("name", REFERENCE)
def test_moments(name):
    """Mean and variance are sums over states: nothing but the quadrature is left."""
    distribution, record = distribution_of(name), REFERENCE[name]
    assert distribution.mean() == pytest.approx(record["mean"], rel=1e-8)
    assert distribution.variance() == pytest.approx(record["variance"], rel=1e-8)
    assert distribution.standard_deviation() ** 2 == pytest.approx(
        distribution.variance()
    )


@pytest.mark.parametrize("name", REFERENCE)
def test_cdf(name):
    """Probabilities are off by no more than random draws of a seed may be."""
    distribution, record = distribution_of(name), REFERENCE[name]
    errors = np.abs(distribution.cdf(record["x"]) - record["cdf"])
    assert (errors < 3 * distribution.cdf_error(record["x"])).all()
    assert errors.max() < 0.002


MANY = {
    "equal": cells(np.full(30, 20), np.arange(30) % 3, np.arange(30) % 4),
    "geometric": cells(
        np.resize(SIZES, 30), np.resize(SIZES, 30) // 8, np.resize(SIZES, 30) // 5
    ),
    "agreement": cells(np.full(30, 5), 0, 0),
    "one differs": cells(np.full(30, 50), 0, np.arange(30) == 0),
    "all differ": cells(np.full(30, 10), 0, 10),
    "many agree": cells(np.full(90, 5), 0, np.arange(90) == 0),
    "one huge": cells(
        np.append(np.full(29, 3), 10**6), 0, np.append(np.ones(29), 31_000)
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MANY)
def test_many_classes(name):
    """Classes that are drawn by the cumulants of their sum do not differ from those drawn alone."""
    distribution = HierarchicalPairedDifference(MANY[name], n_draws=2**16)
    sample = distribution.sample(2**15, rng=1)
    levels = np.array([0.005, 0.025, 0.1, 0.5, 0.9, 0.975, 0.995])
    below = (sample[:, np.newaxis] <= distribution.icdf(levels)).mean(axis=0)
    error = np.sqrt(
        levels * (1 - levels) * (1 / sample.size + 1 / distribution.n_draws)
    )
    assert (np.abs(below - levels) < 3.5 * error + 5e-4).all()
    mean, sd = distribution.mean(), distribution.standard_deviation()
    assert sample.mean() == pytest.approx(mean, abs=4 * sd / np.sqrt(sample.size))
    assert sample.std() == pytest.approx(sd, rel=0.05)


@pytest.mark.slow
def test_without_borrowing():
    """If all classes are outliers, all shares are independent Beta variables."""
    table = MANY["geometric"][:8]
    distribution = HierarchicalPairedDifference(table, hyperprior=Hyperprior(outlier=1))
    both, only_a, only_b, neither = table.T[:, :, np.newaxis] + 0.5
    discordant = stats.beta(only_a + only_b - 0.5, both + neither - 0.5)
    balance = stats.beta(only_b, only_a, loc=-1, scale=2)
    shares = discordant.rvs((8, 100_000), random_state=1)
    draws = (shares * balance.rvs((8, 100_000), random_state=2)).mean(axis=0)
    mean, square = (
        discordant.mean() * balance.mean(),
        discordant.moment(2) * balance.moment(2),
    )
    assert distribution.mean() == pytest.approx(mean.mean(), rel=1e-9)
    assert distribution.variance() == pytest.approx(
        (square - mean**2).sum() / 64, rel=1e-9
    )
    assert distribution.skewness() == pytest.approx(stats.skew(draws), abs=0.05)
    assert distribution.kurtosis(convention="excess") == pytest.approx(
        stats.kurtosis(draws), abs=0.1
    )
    levels = [0.01, 0.05, 0.3, 0.5, 0.8, 0.95, 0.99]
    assert_allclose(distribution.cdf(np.quantile(draws, levels)), levels, atol=0.007)
    assert_allclose(
        distribution.interval(), np.quantile(draws, [0.025, 0.975]), atol=0.003
    )


@pytest.mark.parametrize("name", ["agreement", "empty", "as often"])
def test_no_difference(name):
    """Where each alone is right as often as the other, each is better with probability 1/2."""
    table = {
        "agreement": cells(SIZES, 0, 0),
        "empty": np.zeros((3, 4)),
        "as often": cells(SIZES, SIZES // 4, SIZES // 4),
    }[name]
    distribution = HierarchicalPairedDifference(table, n_draws=2**14)
    assert distribution.mean() == 0
    assert distribution.skewness() == pytest.approx(0, abs=1e-12)
    assert distribution.cdf(0) == distribution.ccdf(0) == 0.5
    low, high = distribution.interval(0.9)
    assert low == pytest.approx(-high)
    assert 0 < high < 1
    low, high = distribution.hdi()
    assert low == pytest.approx(-high)


def test_rare_classes_may_differ_from_common_ones():
    """B gains on the rare classes alone: its gain is not spread over the common ones."""
    sizes = np.repeat(SIZES, 4)
    gain = np.where(sizes < 20, sizes // 2, 0)
    loss = np.where(sizes < 20, 0, sizes // 16)
    observed = np.mean((gain - loss) / sizes)
    chain = HierarchicalPairedDifference(cells(sizes, loss, gain), n_draws=1000)
    one = HierarchicalPairedDifference(
        cells(sizes, loss, gain), hyperprior=Hyperprior(strata=None), n_draws=1000
    )
    assert abs(chain.mean() - observed) < 0.04 < abs(one.mean() - observed)


def test_mirrored():
    """Minus the variable has the same draws with the other sign, also out of a pickle."""
    weights = [0.5, -0.2, 0.3]
    distribution = HierarchicalPairedDifference(
        MANY["equal"][:3], weights=weights, n_draws=999
    )
    mirrored = -distribution
    again = pickle.loads(pickle.dumps(mirrored))
    assert again == mirrored != distribution
    for one in (mirrored, again):
        assert_array_equal(one.draws, -distribution.draws[::-1])
        assert one.mean() == -distribution.mean()
        assert one.variance() == distribution.variance()
        assert one.cdf(-0.1) == np.mean(distribution.draws >= 0.1)
    assert -mirrored == distribution


def test_draws_have_the_exact_mean_and_variance():
    """They are shifted and stretched to them; the seed tells the rest."""
    one, same, other = (
        HierarchicalPairedDifference(MANY["equal"], n_draws=5000, seed=seed)
        for seed in (3, 3, 4)
    )
    assert_array_equal(one.draws, same.draws)
    assert np.abs(one.draws - other.draws).max() > 0
    for distribution in (one, other):
        assert distribution.draws.mean() == pytest.approx(distribution.mean())
        assert distribution.draws.std() == pytest.approx(
            distribution.standard_deviation()
        )


@pytest.mark.slow
def test_stated_errors():
    """The spread over seeds is what is stated, or less."""
    made = [
        HierarchicalPairedDifference(MANY["equal"], n_draws=4000, seed=k)
        for k in range(40)
    ]
    cdfs = np.array([one.cdf([0.0, 0.03, 0.08]) for one in made])
    stated = made[0].cdf_error([0.0, 0.03, 0.08])
    assert (cdfs.std(axis=0) < 1.2 * stated).all()
    ends = np.array([one.interval() for one in made])
    assert (
        ends.std(axis=0) < 1.3 * np.mean([one.interval_error() for one in made], axis=0)
    ).all()
    assert made[0].cdf_error(1.0) == pytest.approx(1 / 4000, rel=0.01)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"counts": [[1, 2, 3]]}, ValueError, "counts must have the shape"),
        (
            {"counts": [[1, 2, -3, 4]]},
            ValueError,
            "counts must be finite and not negative",
        ),
        ({"counts": [[1e15, 1, 0, 0]]}, ValueError, "counts must add up to at most 1e"),
        ({"weights": [1, 2]}, ValueError, "weights must have length 1"),
        ({"weights": [0]}, ValueError, "weights must not all be zero"),
        ({"hyperprior": "hierarchical"}, TypeError, "hyperprior must be a Hyperprior"),
        ({"n_draws": 1}, ValueError, "n_draws == 1, must be >= 2"),
        ({"n_draws": 10**9}, ValueError, "n_draws == 1000000000, must be <= 10000000"),
        ({"n_draws": 10.0}, TypeError, "n_draws must be an instance of int"),
        ({"seed": -1}, ValueError, "seed"),
        ({"seed": "zero"}, TypeError, "seed must be a non-negative integer"),
    ],
    ids=str,
)
def test_bad_input(arguments, error, message):
    """One clear error that names the argument."""
    with pytest.raises(error, match=message):
        HierarchicalPairedDifference(**{"counts": [[1, 2, 3, 4]]} | arguments)


def test_error_of_the_ends_is_that_of_the_central_interval():
    """Half the distance of quantiles that are a standard deviation of their share apart."""
    distribution = HierarchicalPairedDifference([[30, 4, 7, 3], [12, 2, 1, 5]])
    tails = np.array([0.025, 0.975])
    step = np.sqrt(tails * (1 - tails) / distribution.n_draws)
    ends = np.quantile(distribution.draws, [tails - step, tails + step])
    assert_allclose(distribution.interval_error(), np.diff(ends, axis=0)[0] / 2)


def test_a_density_of_neighbouring_floats_has_a_mode():
    """With 1e15 samples, the draws are a few thousand floats apart."""
    distribution = HierarchicalPairedDifference([[0, 1e15, 0, 0]])
    low, high = distribution.draws[[0, -1]]
    assert low <= distribution.mode() <= high
