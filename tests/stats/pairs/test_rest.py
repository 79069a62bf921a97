"""Sums of classes by their cumulants, and paths of states."""

from math import comb

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from skpostbac.stats import Hyperprior
from skpostbac.stats._pairs.model import (
    PairedShares,
    cumulant_tables,
    draw_of_cumulants,
    draw_outliers,
    draw_paths,
    is_rare,
    without_rare,
)


@pytest.mark.parametrize(
    ("skewness", "kurtosis", "fifth"),
    [
        (0, 0, 0),
        (0.5, -0.2, 0),
        (-0.5, -0.2, 0),
        (1, 1.5, 3),
        (1, 1.4, 2),
        (-2, 5.5, -20),
        (-2, 6.5, -30),
        (0, -1, 0),
        (0, 3, 0),
        (-1, 2.5, -9),
        (0.5, 2, 9),
    ],
)
def test_draws_have_their_cumulants(skewness, kurtosis, fifth):
    """Gamma variables on one side of the line of one Gamma variable, a Beta on the other."""
    cumulants = np.array([0.3, 4, 8 * skewness, 16 * kurtosis, 32 * fifth])
    values = draw_of_cumulants(np.outer(cumulants, np.ones(400_000)), np.random.default_rng(0))
    assert values.mean() == pytest.approx(0.3, abs=0.02)
    assert values.var() == pytest.approx(4, rel=0.02)
    assert stats.skew(values) == pytest.approx(skewness, abs=0.05)
    assert stats.kurtosis(values) == pytest.approx(kurtosis, abs=0.3, rel=0.1)
    if kurtosis >= 1.5 * skewness**2:
        found = stats.moment(values, 5) / 32 - 10 * stats.moment(values, 3) / 8
        assert found == pytest.approx(fifth, abs=2, rel=0.3)


def mixture_moments(stratum, state, row):
    """Raw moments 1 to 5 of a share: a mixture of two Betas."""
    r = stratum.outlier[state, row]
    own = stats.beta(stratum.a[state, row], stratum.b[state, row])
    other = stats.beta(stratum.outlier_a[row], stratum.outlier_b[row])
    return np.array([(1 - r) * own.moment(k) + r * other.moment(k) for k in range(1, 6)])


def cumulants_of(raw):
    """Cumulants of raw moments, by their recursion."""
    found = []
    for n, moment in enumerate(raw, 1):
        parts = (comb(n - 1, k) * found[k] * raw[n - k - 2] for k in range(n - 1))
        found.append(moment - sum(parts))
    return np.array(found)


def test_cumulants_of_a_sum():
    """Cumulants of products of independent variables, added over classes."""
    total, only_a, only_b = np.array([[9.0, 12, 12], [1, 0, 3], [2, 0, 4]])
    weights = np.array([0.5, 0.3, -0.2])
    model = PairedShares.of(total, only_a, only_b, weights, Hyperprior(strata=None, kappa=(8,)))
    d, s = model.discordant.strata[0], model.wins.strata[0]
    count = np.array([1.0, 2.0, 0.0])
    groups = model.discordant.groups[0], model.wins.groups[0]
    assert all(group.first.size == group.of_state.size for group in groups)
    tables = cumulant_tables(d, s, groups, model.weights, count)
    for i, j in ((0, 0), (5, 9), (12, 3)):
        expected = np.zeros(5)
        for row in range(3):
            share, wins = mixture_moments(d, i, row), mixture_moments(s, j, row)
            # E (2 s - 1)^k by the binomial theorem.
            known = np.append(1, wins)
            balance = [
                sum(comb(k, j) * 2**j * known[j] * (-1) ** (k - j) for j in range(k + 1))
                for k in range(1, 6)
            ]
            powers = model.weights[row] ** np.arange(1, 6)
            expected += count[row] * powers * cumulants_of(share * balance)
        assert_allclose([table[i, j] for table in tables], expected, rtol=1e-8, atol=1e-12)


def test_groups_of_states():
    """Sums of very many states are about those of their groups; few states stay what they are."""
    total = np.array([30.0, 40, 50])
    counts = (total, 0.1 * total, 0.2 * total, np.array([0.2, 0.3, 0.5]))
    model = PairedShares.of(*counts, Hyperprior(strata=None))
    shares, groups = model.discordant, model.discordant.groups[0]
    rates = shares.strata[0].rates[0]
    assert groups.averages(rates).shape == (groups.of_state.max() + 1, 3)
    averages = groups.averages(rates)[groups.of_state]
    deviations = shares.chances[0] @ (rates - averages) ** 2
    assert (deviations < 1e-3 * np.diag(shares.between)).all()
    np.testing.assert_allclose(shares.chances[0] @ averages, shares.means)


def test_outliers():
    """As many as expected in each state, of rows in proportion; a likely outlier is not rare."""
    total, differ = np.full(40, 50.0), np.append(np.resize([4.0, 5, 6], 39), 45)
    model = PairedShares.of(total, 0 * total, differ, np.ones(40), Hyperprior(strata=None))
    stratum = model.discordant.strata[0]
    assert is_rare(stratum).tolist() == [True, True, True, False]
    state = np.full(200_000, int(np.argmax(model.discordant.start)))
    draw, row = draw_outliers(stratum, state, model.count, np.random.default_rng(0))
    expected = (stratum.outlier[state[0]] * model.count)[:3]
    found = np.bincount(row) / state.size
    assert_allclose(found, expected, atol=5 * np.sqrt(expected.max() / state.size))
    numbers = np.bincount(draw, minlength=state.size)
    assert numbers.var() == pytest.approx(numbers.mean(), rel=0.05)
    pure = without_rare(stratum).outlier
    assert not pure[:, :3].any()
    assert_allclose(pure[:, 3], stratum.outlier[:, 3])


def matrix_of(step):
    """Return the chances of the next states (rows) given those of a stratum (columns)."""
    return step.forward(np.eye(step.norm.size))


def test_paths():
    """Each state is drawn as often as expected, give or take one; steps have their chances."""
    sizes = np.array([3.0, 6, 12, 24])
    model = PairedShares.of(sizes, sizes / 3, sizes / 3, np.ones(4), Hyperprior(kappa=(8, 32)))
    shares, size = model.discordant, 50_000
    paths = list(draw_paths(shares, size, np.random.default_rng(0)))
    first = np.bincount(paths[0], minlength=shares.start.size)
    assert np.abs(first - size * shares.start).max() < 1
    joint = np.diag(shares.start)
    for step, path in zip(shares.steps, paths[1:], strict=True):
        assert_allclose(matrix_of(step).sum(axis=0), 1)
        joint = step.forward(joint)
        pairs = np.zeros_like(joint)
        np.add.at(pairs, (path, paths[0]), 1 / size)
        # Between distant strata as well: what a path has passed does not sort it.
        assert (np.abs(pairs - joint) < 5 * np.sqrt((joint + 1e-4) / size)).all()
        chance = joint.sum(axis=1)
        seen = np.bincount(path, minlength=chance.size) / size
        assert (np.abs(seen - chance) < 4 * np.sqrt((chance + 1e-4) / size)).all()


def test_a_value_without_variance_is_its_mean():
    """Next to one that varies."""
    cumulants = np.array([[0.3, 0.0, 0.0, 0.0, 0.0], [0.1, 1e-4, 1e-7, 1e-10, 0.0]]).T
    constant, other = draw_of_cumulants(cumulants, np.random.default_rng(0))
    assert constant == 0.3
    assert abs(other - 0.1) < 0.1
