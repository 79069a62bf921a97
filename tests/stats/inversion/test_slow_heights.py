"""Shares of the ends at many heights of a line, interpolated between few of them."""

import mpmath
import numpy as np
import pytest

from skpostbac.stats import PairedDifference
from skpostbac.stats._dirichlet.ends import concentrated_end, end_radius, end_shares
from skpostbac.stats._inversion.slow_heights import at_heights

FEW_COUNTS = np.array([[0.02, 0.02, 44.04], [3.0, 0.5, 7.0]])
WEIGHTS = np.array([1.0, 0.6])


def counted(function):
    """Return a function that also notes at how many points it was called."""
    sizes = []

    def noting(s):
        sizes.append(s.size)
        return function(s)

    return noting, sizes


FUNCTIONS = {
    "all vertices": lambda s: end_shares(FEW_COUNTS, WEIGHTS, s),
    "one vertex": lambda s: concentrated_end(np.array([0.3, 0.02, 5000.0]), s, 2),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("tilt", [1e-3, 2.0, 300.0])
def test_shares_at_many_heights_need_few_evaluations(name, tilt):
    """They are those of each height by itself, at a hundred times as many points as evaluations."""
    lowest = 9000.0 if name == "one vertex" else end_radius(FEW_COUNTS).max() / WEIGHTS.min()
    s = tilt + 1j * lowest * np.linspace(1.0, 120.0, 20_000)
    function, sizes = counted(FUNCTIONS[name])
    found = at_heights(function, s)
    assert sum(sizes) <= s.size / 100
    expected = FUNCTIONS[name](s[::50])
    assert np.abs(found[..., ::50] - expected).max() < 1e-13 * np.abs(expected).max()


LINES = {
    "few points": 1.0 + 1j * np.linspace(1.0, 9.0, 50),
    "level": np.linspace(1.0, 9.0, 500) + 1j,
    "falling": 1.0 + 1j * np.linspace(9.0, 1.0, 500),
    "one point": np.array([1.0 + 2.0j]),
    "one height": np.full(500, 1.0 + 2.0j),
    "none": np.empty(0, dtype=complex),
}


@pytest.mark.parametrize("name", LINES)
def test_other_points_are_evaluated_one_by_one(name):
    """Nothing is interpolated but many rising heights."""
    function, sizes = counted(np.sin)
    np.testing.assert_array_equal(at_heights(function, LINES[name]), np.sin(LINES[name]))
    assert sizes == [LINES[name].size]


def test_a_function_that_varies_fast_is_evaluated_everywhere():
    """A wave is no slow function of the log of the height: its series does not converge."""
    s = 1.0 + 1j * np.linspace(1.0, 900.0, 20_000)
    np.testing.assert_array_equal(at_heights(np.exp, s), np.exp(s))


@pytest.mark.slow
def test_far_tails_of_many_classes_of_like_answers():
    """Their logs are those of the saddlepoint method with exact transforms, in 40 digits.

    The error of that is 1 / 12 of the inverse power of the tail, here below 1e-5 in a log of -1e6.
    A term is E exp(z (D - 1)) = Gamma(n) / Gamma(r + a) / (2 z)^a / z^r times a series 2F0 in 1/z.
    """
    samples, prior = np.rint(np.geomspace(1.0, 45980.0, 72)), 0.02022
    weights = np.random.default_rng(202416).normal(size=72)
    counts = np.outer(samples, [1.0, 0.0, 0.0, 0.0])
    distribution = PairedDifference(counts, prior=prior, weights=weights)
    x = np.array([65.45380832902438, 65.45094014314351])
    expected = [_log_tail(samples, prior, np.abs(weights), value) for value in x.tolist()]
    np.testing.assert_allclose(distribution.logccdf(x), expected, rtol=1e-11)
    assert distribution.cdf(x[0], x[1]) == 0.0


def _log_tail(samples, prior, weights, x):
    """Log P(X > x) by the saddlepoint method in the log of s."""
    with mpmath.workdps(30):
        a = mpmath.mpf(prior)
        terms = [(mpmath.mpf(w), n + 2 * a) for n, w in zip(samples.tolist(), weights, strict=True)]
        distance = sum(w for w, _ in terms) - mpmath.mpf(x)

        def log_mgf(log_s):
            return sum(_log_term(w * mpmath.exp(log_s), a, r) for w, r in terms)

        def exponent(log_s):
            return log_mgf(log_s) + distance * mpmath.exp(log_s)

        order = sum(r + a for _, r in terms)
        saddle = mpmath.findroot(
            lambda v: mpmath.diff(exponent, v) - 1, mpmath.log(order / distance)
        )
        bend = mpmath.diff(exponent, saddle, 2)
        return float(exponent(saddle) - mpmath.log(2 * mpmath.pi * bend) / 2)


def _log_term(z, a, r):
    """Log E exp(z (D - 1)) of one class with the exponents a, a and r, at large z."""
    term, series = mpmath.mpf(1), mpmath.mpf(1)
    for k in range(60):
        term *= (r + k) * (1 - a + k) / (k + 1) / z
        series += term
        if abs(term) < mpmath.mpf(10) ** -28:
            break
    log_factor = mpmath.loggamma(2 * a + r) - mpmath.loggamma(a)
    return log_factor - a * mpmath.log(2 * z) - r * mpmath.log(z) + mpmath.log(series)
