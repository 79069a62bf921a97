"""Tests of how far a sum with small exponents is taken to reach, and of the corners that count."""

import numpy as np
import pytest
from scipy import stats

from skpostbac.stats import BetaAverage
from skpostbac.stats._beta.terms import WeightedBetas
from skpostbac.stats._inversion.chernoff import chernoff_rates, chernoff_reach, sub_gamma
from skpostbac.stats._inversion.lattice import lattices

MANY = 300


def test_reach_of_a_normal_and_of_a_gamma_variable():
    """Chernoff's bound is sqrt(2 V REACH), and for an exponential variable about REACH."""
    rates = chernoff_rates(1000.0, 1.0)
    normal = chernoff_reach(rates, sub_gamma(rates, 1.0, 0.0))
    assert np.sqrt(80) <= normal < 1.07 * np.sqrt(80)
    rates = rates[rates < 1]
    assert 40 <= chernoff_reach(rates, -np.log1p(-rates)) < 70


@pytest.mark.parametrize("samples", [20.0, np.geomspace(5, 500, MANY)], ids=["equal", "varied"])
@pytest.mark.parametrize("side", [1, -1], ids=["perfect", "wrong"])
def test_reach_of_many_classes_at_their_ends(samples, side):
    """What perfect classes lose under a prior of 1 / l is less than an exponential variable."""
    wrong, correct = np.full(MANY, 1 / MANY), samples + np.full(MANY, 1 / MANY)
    a, b = (correct, wrong) if side > 0 else (wrong, correct)
    terms = WeightedBetas.of(a, b, np.full(MANY, 1 / MANY))
    sums = terms.tilted(1e-9)
    reach = max(sums.reaches(sums.everything))
    lost = stats.expon.isf(np.exp(-40.0)) / np.min(samples) / MANY
    assert 0.1 * lost < reach < 1.5 * lost


def test_distribution_of_many_perfect_classes_of_one_size():
    """The sum of many small losses is nearly that of one class with the sum of the exponents."""
    average = BetaAverage(np.full(1000, 1e6), np.full(1000, 1 / 1000))
    one = stats.gamma(1.0, scale=1e-9)
    x = np.array([0.5, 1.0, 3.0]) * 1e-9
    assert average.cdf(1 - x) == pytest.approx(one.sf(x), abs=1e-5)


def test_corners_that_are_left_out_on_the_way_do_not_count():
    """The coefficients of (q + p z)^m are those of the binomial distribution, to 1e-20."""
    share = np.broadcast_to(np.array([0.99, 0.01])[:, np.newaxis], (500, 2, 1)).astype(complex)
    places, orders = np.tile([0.0, 1.0], (500, 1)), np.tile([0.0, 1.0], (500, 1))
    (found,) = lattices(np.ones(500), places, orders, share)
    power = np.rint(found.offsets)
    expected = stats.binom(500, 0.01).pmf(power)
    assert found.amplitudes[:, 0].real == pytest.approx(expected, rel=1e-9, abs=1e-19)
    assert found.offsets.size < 60
    assert found.orders == pytest.approx(power)
    (again,) = lattices(np.ones(500), places, orders, share, [found.windows])
    assert (again.amplitudes == found.amplitudes).all()
