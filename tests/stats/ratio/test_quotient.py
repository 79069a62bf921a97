"""Quotients of two Beta variables: against quadrature, closed forms and draws."""

import mpmath
import numpy as np
import pytest
from scipy import integrate

from skpostbac.stats import BetaQuotient

CASES = {
    "likelihood ratio": ([188.5, 25.5], [21.5, 166.5]),
    "no false alarm": ([9.5, 0.5], [1.5, 30.5]),
    "few": ([2.5, 1.5], [1.5, 3.5]),
    "nothing known": ([0.5, 0.5], [0.5, 0.5]),
    "two scales": ([80.5, 3.5], [20.5, 5e3]),
}
every_case = pytest.mark.parametrize(("a", "b"), CASES.values(), ids=CASES)


def tails_by_quadrature(a, b, x):
    """Return P(X <= x Y) and P(X > x Y), as integrals over Y in 30 digits."""
    (a, c), (b, d) = ([mpmath.mpf(value) for value in pair] for pair in (a, b))

    def density(y):
        return y ** (c - 1) * (1 - y) ** (d - 1) / mpmath.beta(c, d)

    def below(y):
        return mpmath.betainc(a, b, 0, min(x * y, 1), regularized=True)

    mean = c / (c + d)
    width = mpmath.sqrt(mean * (1 - mean) / (c + d + 1))
    places = {mean + k * width for k in (-8, -3, 0, 3, 8)} | {1 / mpmath.mpf(x)}
    cuts = [0, *sorted(place for place in places if 0 < place < 1), 1]
    with mpmath.workdps(30):
        return (
            mpmath.quad(lambda y: density(y) * below(y), cuts),
            mpmath.quad(lambda y: density(y) * (1 - below(y)), cuts),
        )


@pytest.mark.slow
@pytest.mark.parametrize("level", [0.02, 0.5, 0.98])
@every_case
def test_tails_by_quadrature(a, b, level):
    """Both of them, at quantiles."""
    quotient = BetaQuotient(a, b)
    x = float(quotient.icdf(level))
    expected = list(map(float, tails_by_quadrature(a, b, x)))
    np.testing.assert_allclose([quotient.cdf(x), quotient.ccdf(x)], expected, rtol=2e-9)
    assert quotient.cdf(x) == pytest.approx(level, rel=1e-11)


def test_powers_of_uniform_variables():
    """X and Y of Beta(a, 1) are powers of uniform variables, and P(X <= x Y) is x^a / 2."""
    quotient = BetaQuotient([3, 3], [1, 1])
    x = np.array([0.01, 0.5, 0.9, 1, 2, 40])
    expected = np.where(x <= 1, x**3 / 2, 1 - x**-3.0 / 2)
    np.testing.assert_allclose(quotient.cdf(x), expected, rtol=1e-11)
    np.testing.assert_allclose(quotient.ccdf(x), 1 - expected, rtol=1e-10)
    smooth = x != 1
    slope = np.where(x <= 1, 1.5 * x**2, 1.5 * x**-4.0)
    np.testing.assert_allclose(quotient.pdf(x)[smooth], slope[smooth], rtol=1e-9)


@every_case
def test_the_inverse_has_the_inverse_quantiles(a, b):
    """Y / X at the other tail, also far out."""
    quotient, inverse = BetaQuotient(a, b), BetaQuotient(a[::-1], b[::-1])
    p = np.array([1e-12, 0.01, 0.3, 0.5, 0.9, 1 - 1e-9])
    np.testing.assert_allclose(quotient.icdf(p) * inverse.iccdf(p), 1, rtol=1e-9)


def test_moments():
    """In closed form, as by quadrature; infinite where the denominator is often near 0."""
    quotient = BetaQuotient([9.5, 6.5], [1.5, 30.5])
    mean = integrate.quad(quotient.ccdf, 0, np.inf, limit=200)[0]
    square = integrate.quad(lambda x: 2 * x * quotient.ccdf(x), 0, np.inf, limit=200)[0]
    assert quotient.mean() == pytest.approx(mean, rel=1e-7)
    assert quotient.variance() == pytest.approx(square - mean**2, rel=1e-5)
    assert BetaQuotient([3, 1], [2, 9]).mean() == np.inf
    assert BetaQuotient([3, 2], [2, 9]).standard_deviation() == np.inf
    assert np.isfinite(BetaQuotient([3, 2], [2, 9]).mean())


@every_case
def test_shortest_interval(a, b):
    """It holds its probability, and no shift makes it shorter."""
    quotient = BetaQuotient(a, b)
    low, high = quotient.hdi(0.9)
    assert quotient.cdf(high) - quotient.cdf(low) == pytest.approx(0.9, abs=1e-10)
    tail = float(quotient.cdf(low))
    for other in (0.9 * tail, tail + 1e-4, 0.05):
        width = quotient.iccdf(0.1 - other) - quotient.icdf(other)
        assert width >= (high - low) * (1 - 1e-9)
    if low > 0:
        assert quotient.pdf(low) == pytest.approx(quotient.pdf(high), rel=1e-2)


@pytest.mark.parametrize("a", [(3.05, 0.05), (1.0, 0.05), (0.5, 0.02), (900.0, 0.1)])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_shortest_interval_of_a_heavy_tail(a, level):
    """It holds its probability also where it reaches to 1e60 medians, or farther."""
    quotient = BetaQuotient(a, [1.05, 433.05])
    low, high = quotient.hdi(level)
    assert quotient.cdf(high) - quotient.cdf(low) == pytest.approx(level, abs=1e-10)
    width = quotient.iccdf(1 - level - 1e-4) - quotient.icdf(1e-4)
    assert width >= (high - low) * (1 - 1e-9)
    if low > 0 and high > 1e15:
        assert quotient.pdf(low) == pytest.approx(quotient.pdf(high), rel=1e-6)


@pytest.mark.parametrize("bad", [[1], [1, -1], [np.inf, 1], [[1, 2]]], ids=str)
def test_parameters_are_checked(bad):
    """By name."""
    with pytest.raises(ValueError, match="a must be two positive finite numbers"):
        BetaQuotient(bad, [1, 2])
    with pytest.raises(ValueError, match="b must be two positive finite numbers"):
        BetaQuotient([1, 2], bad)


def test_a_view_of_an_interval_without_end():
    """Quantiles above the largest double are shown as infinite."""
    quotient = BetaQuotient([1, 1e-6], [1, 1])
    assert quotient.interval().high == np.inf
    assert "inf]" in quotient._repr_html_()
