"""Far tails between the points at which they are known."""

import numpy as np
from numpy.testing import assert_allclose
from scipy import stats

from skpostbac.stats._inversion.known_tails import KnownTails


def _known(law, distance):
    """Return what is known of a distribution at some distances from its upper end, 1."""
    return KnownTails.of(distance, law.logsf(1 - distance), law.logpdf(1 - distance))


def test_power_is_followed_to_any_distance():
    """The log of a power is a straight line in the log of the distance."""
    known = _known(stats.beta(1, 2.5), np.array([0.5, 1e-2]))
    distance = np.array([0.3, 1e-5, 1e-200])
    log_tail, log_density, error = known.at(distance)
    assert_allclose(log_tail, 2.5 * np.log(distance), rtol=1e-13)
    assert_allclose(log_density, np.log(2.5) + 1.5 * np.log(distance), rtol=1e-13)
    assert (error < 1e-10).all()


def test_tail_of_a_beta_is_within_what_is_told():
    """Between the points and beyond the last, and rising; points may come in any order."""
    law, distance = stats.beta(40, 6), np.geomspace(1e-6, 0.2, 60)
    log_tail, log_density, error = _known(law, np.array([1e-3, 0.14, 0.02])).at(distance)
    exact = law.logsf(1 - distance)
    assert (np.abs(log_tail - exact) <= 2 * error + 1e-9).all()
    assert np.abs(log_tail - exact).max() < 0.2
    assert (np.diff(log_tail) > 0).all()
    inside = (distance > 1e-3) & (distance < 0.14)
    assert_allclose(log_density[inside], law.logpdf(1 - distance[inside]), atol=0.3)


def test_what_is_not_finite_is_left_out():
    """A single point that is left has a tangent alone, and nobody knows its error."""
    known = KnownTails.of(np.array([0.1, 0.01]), np.array([-3.0, -np.inf]), np.array([1.0, 0.0]))
    log_tail, _, error = known.at(np.array([0.05]))
    assert log_tail[0] < -3
    assert np.isinf(error[0])
