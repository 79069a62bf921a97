"""Tests of the quadrature over rates and strengths."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special

from skpostbac.stats._borrowing import states as _states
from skpostbac.stats._borrowing.states import place_states, windows


def rule(degree, m, posteriors=None, depth=40.0):
    """Return the nodes of one strength."""

    def flat(mu, nu, kappa):
        return np.zeros((1, mu.size))

    kappa, degree = np.array([5.0]), np.array([degree])
    found = windows(kappa, degree, m, posteriors or flat, depth)
    return place_states(kappa, degree, m, [found])[0]


@pytest.mark.parametrize("m", [0.05, 0.75, 1.0, 20.0])
@pytest.mark.parametrize("degree", [16, 31])
def test_rule_is_exact_for_polynomials(degree, m):
    """Moments of Beta(m, m) up to twice the number of nodes, at both ends."""
    nodes = rule(degree, m)
    weight = np.exp(nodes.log_prior)
    for power in (0, 1, 7, 2 * degree - 1):
        expected = np.exp(special.betaln(m + power, m) - special.betaln(m, m))
        assert weight @ nodes.mu**power == pytest.approx(expected, rel=1e-11)
        assert weight @ nodes.nu**power == pytest.approx(expected, rel=1e-11)
    assert_allclose(nodes.mu + nodes.nu, 1, rtol=1e-15)


@pytest.mark.parametrize("m", [0.75, 5.0, 20.0])
def test_large_rules_are_those_of_small_ones(monkeypatch, m):
    """Newton's method finds the nodes and weights that the whole rule has."""
    whole = rule(300, m)
    monkeypatch.setattr(_states, "_WHOLE", 100)
    found = rule(300, m)
    assert_allclose(found.mu, whole.mu, rtol=1e-9)
    assert_allclose(found.log_prior, whole.log_prior, rtol=0, atol=1e-9)


def test_outermost_nodes_of_a_large_rule():
    """Nodes of P_1200 with alpha = beta = 19 and their weights, by mpmath with 40 digits."""
    nodes = rule(1200, 20.0, depth=np.inf)
    mu = [9.9580839863208052e-5, 1.3974384979104648e-4, 1.8109654472586038e-4]
    weight = [5.1727786967125223e-69, 3.2058302990177519e-66, 4.6379530643893348e-64]
    assert_allclose(nodes.mu[:3], mu, rtol=1e-11)
    assert_allclose(nodes.nu[:-4:-1], mu, rtol=1e-11)
    assert_allclose(np.exp(nodes.log_prior[:3]), weight, rtol=1e-10)


@pytest.mark.parametrize("mode", [1e-4, 0.3, 0.999])
def test_windows_hold_a_narrow_posterior(mode):
    """Few nodes of many, and all the mass, however narrow the posterior is."""
    n = 3e6

    def posterior(mu, nu, kappa):
        return n * (special.xlogy(mode, mu / mode) + special.xlog1py(1 - mode, -mu))[np.newaxis]

    degree = int(4 * np.sqrt(n))
    nodes = rule(degree, 0.75, posterior)
    assert nodes.mu.size < degree / 10
    logs = posterior(nodes.mu, nodes.nu, nodes.kappa)[0] + nodes.log_prior
    a, b = 0.75 + n * mode, 0.75 + n * (1 - mode)
    expected = special.betaln(a, b) - special.betaln(0.75, 0.75) - n * mode * np.log(mode)
    assert np.logaddexp.reduce(logs) == pytest.approx(expected, abs=2e-7)


def test_two_narrow_peaks_are_both_found():
    """One that is far lower than the other is left out, one that counts is not."""

    def posterior(mu, nu, kappa):
        peaks = [-1e6 * (mu - place) ** 2 for place in (0.2003, 0.7001)]
        return np.logaddexp(peaks[0], peaks[1] - 20)[np.newaxis]

    nodes = rule(4000, 1.0, posterior)
    assert (np.abs(nodes.mu - 0.2003) < 1e-3).any()
    assert (np.abs(nodes.mu - 0.7001) < 1e-3).any()
