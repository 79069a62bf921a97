"""Tests of how far a sum with small exponents is taken to reach, and of the corners that count."""

import numpy as np
import pytest
from scipy import stats

from skpostbac.stats._inversion.chernoff import chernoff_rates, chernoff_reach, sub_gamma
from skpostbac.stats._inversion.lattice import lattices


def test_reach_of_a_normal_and_of_a_gamma_variable():
    """Chernoff's bound is sqrt(2 V REACH), and for an exponential variable about REACH."""
    rates = chernoff_rates(1000.0, 1.0)
    normal = chernoff_reach(rates, sub_gamma(rates, 1.0, 0.0))
    assert np.sqrt(80) <= normal < 1.07 * np.sqrt(80)
    rates = rates[rates < 1]
    assert 40 <= chernoff_reach(rates, -np.log1p(-rates)) < 70


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
