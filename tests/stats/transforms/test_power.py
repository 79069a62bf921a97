"""Powers of a variable: Beta variables whose powers are known, mpmath, and invariants."""

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.special import roots_sh_jacobi

from skpostbac.stats import BetaAverage, HierarchicalBetaAverage, Hyperprior, PowerTransform
from skpostbac.stats._numerics.quadrature import integrate


def exact_moments(a, b, exponent, k_max=4):
    """Return E[Y^k] of a power of a Beta variable, in 60 digits: ratios of Beta functions."""
    a, b, exponent = map(mp.mpf, (a, b, exponent))
    return [mp.beta(a + k * exponent, b) / mp.beta(a, b) for k in range(k_max + 1)]


def standardised(moments):
    """Return mean, variance, skewness and excess kurtosis."""
    _, m1, m2, m3, m4 = moments
    variance = m2 - m1**2
    third = m3 - 3 * m1 * m2 + 2 * m1**3
    fourth = m4 - 4 * m1 * m3 + 6 * m1**2 * m2 - 3 * m1**4
    return [float(v) for v in (m1, variance, third / variance**1.5, fourth / variance**2 - 3)]


@pytest.mark.parametrize(
    ("a", "b", "exponent"),
    [
        (4, 1, 0.5),
        (43, 14, 1 / 9),
        (43, 14, 1 / 999),
        (1, 1, 1 / 99),
        (0.5, 0.5, 0.5),
        (1 / 3, 7, 0.25),
        (3, 50, 2),
        (1, 1, 3),
        (1e6, 1e5, 0.5),
        (1e12, 1e10, 0.2),
        (1e-3, 1e-3, 0.5),
        # Powers whose moments are owed to rare values, at many times the power of the mean.
        (0.5, 3, 64),
        (1, 60, 64),
        (0.5, 2, 0.2),
        (0.01, 3, 0.1),
        (0.01, 3, 0.02),
        (0.3, 1e5, 0.2),
        (1e-3, 1e-3, 0.2),
        (0.4, 3, 2e-3),
    ],
    ids=str,
)
def test_moments_of_one_beta_variable(a, b, exponent):
    """In closed form; the mean also in relation to the standard deviation."""
    with mp.workdps(60):
        mean, variance, skewness, kurtosis = standardised(exact_moments(a, b, exponent))
    distribution = PowerTransform(BetaAverage([a], [b]), exponent)
    # Values down to 1e-1000, whose tails are not resolved.
    error = 1e-8 if a / exponent == 0.5 else 1e-10
    assert distribution.mean() == pytest.approx(mean, rel=1e-14, abs=error * variance**0.5)
    assert distribution.variance() == pytest.approx(variance, rel=error)
    # Third and fourth moments in units of the deviation weigh errors of 1e-12 in tails.
    assert distribution.skewness() == pytest.approx(skewness, rel=1e-9, abs=1e-8)
    assert distribution.kurtosis() == pytest.approx(kurtosis, rel=1e-9, abs=1e-7)


@given(a=st.floats(0.3, 200), exponent=st.floats(0.01, 4))
def test_power_of_beta_with_one(a, exponent):
    """X ~ Beta(a, 1) has the cdf x^a, and so its power is Beta(a / exponent, 1)."""
    distribution, power = (
        PowerTransform(BetaAverage([a], [1]), exponent),
        stats.beta(a / exponent, 1),
    )
    x = np.array([1e-3, 0.2, 0.7, 0.99, 1 - 1e-9])
    expected = (a / exponent) * np.log(x)
    # Where y^(1 / exponent) leaves the range of doubles, the distribution stops.
    reached = np.log(x) / exponent > -690
    # The log of a probability next to 1 is as exact as the probability, and that of one below the
    # doubles is not promised.
    known = reached & (expected > np.log(1e-300))
    np.testing.assert_allclose(
        distribution.logcdf(x)[known], expected[known], rtol=1e-9, atol=1e-15
    )
    np.testing.assert_allclose(
        distribution.pdf(x)[reached], power.pdf(x)[reached], rtol=1e-8, atol=1e-290
    )
    np.testing.assert_allclose(distribution.ccdf(x), power.sf(x), rtol=1e-9)
    p = np.array([1e-9, 0.1, 0.5, 0.999])
    np.testing.assert_allclose(distribution.icdf(p), power.ppf(p), rtol=1e-11, atol=1e-15)
    np.testing.assert_allclose(distribution.cdf(distribution.icdf(p)), p, rtol=0, atol=1e-12)


def test_average_by_integration():
    """Mean and variance of the root of an average of two classes, by rules of Gauss and Jacobi."""
    # Shifted Jacobi polynomials of p = a + b - 1 and q = a are orthogonal under Beta(a, b).
    (s, of_s), (t, of_t) = (roots_sh_jacobi(60, a + b - 1, a) for a, b in ((7, 2), (3, 4)))
    root, weight = np.sqrt(np.add.outer(s, t) / 2), np.multiply.outer(of_s, of_t)
    mean, square = (np.average(root**k, weights=weight) for k in (1, 2))
    distribution = PowerTransform(BetaAverage([7, 3], [2, 4]), 0.5)
    assert distribution.mean() == pytest.approx(mean, rel=1e-10)
    assert distribution.variance() == pytest.approx(square - mean**2, rel=1e-8)


@pytest.mark.parametrize(("a", "b"), [(4, 3), (43, 14), (1.5, 30)])
def test_mode_of_a_root(a, b):
    """The density y^(2 a - 1) (1 - y^2)^(b - 1) is highest where its slope is zero."""
    mode = np.sqrt((2 * a - 1) / (2 * a + 2 * b - 3))
    # Without the slope, a search for the highest point stops at 1e-8.
    assert PowerTransform(BetaAverage([a], [b]), 0.5).mode() == pytest.approx(mode, rel=1e-12)


def test_support_of_a_scaled_variable():
    """Three times a Beta(2, 1) variable, squared: the cdf is x / 9 on (0, 9)."""
    distribution = PowerTransform(BetaAverage([2], [1], weights=[3]), 2)
    assert distribution.support() == (0, 9)
    np.testing.assert_allclose(
        distribution.cdf([1e-6, 1, 8.999]), [1e-6 / 9, 1 / 9, 8.999 / 9], rtol=1e-12
    )
    np.testing.assert_allclose(distribution.pdf([0, 1, 9]), 1 / 9, rtol=1e-9)
    assert distribution.mean() == pytest.approx(4.5, rel=1e-12)


@pytest.mark.parametrize(
    ("a", "exponent", "expected"), [(1, 2, np.inf), (2, 2, 1.0), (3, 2, 0.0), (1, 0.5, 0.0)]
)
def test_density_at_zero(a, exponent, expected):
    """X ~ Beta(a, 1): a / exponent * y^(a / exponent - 1)."""
    distribution = PowerTransform(BetaAverage([a], [1]), exponent)
    assert distribution.pdf(0.0) == pytest.approx(expected, rel=1e-12)
    assert distribution.pdf(1.0) == pytest.approx(a / exponent, rel=1e-12)


def test_narrow_distribution():
    """A distribution of width 1e-7 keeps its digits: the delta method is exact to first order."""
    distribution = BetaAverage([9e13], [1e13])
    root = PowerTransform(distribution, 0.5)
    sd = distribution.standard_deviation() / (2 * np.sqrt(0.9))
    assert root.standard_deviation() == pytest.approx(sd, rel=1e-6)
    low, high = root.interval(0.95)
    assert high - low == pytest.approx(2 * 1.959964 * sd, rel=1e-5)


@pytest.mark.parametrize("exponent", [0, -1, 1e-7, 2**70, np.inf, np.nan, "2", None], ids=str)
def test_bad_exponent(exponent):
    """Out of the range in which the moments can be integrated."""
    with pytest.raises(ValueError, match="exponent must be a number from 1e-06 to 1000"):
        PowerTransform(BetaAverage([1], [1]), exponent)


def test_bad_distribution():
    """A distribution, and of a variable that is not negative."""
    with pytest.raises(TypeError, match="distribution must be a BoundedDistribution, got float"):
        PowerTransform(0.5, 2)
    difference = BetaAverage([1], [1]) - BetaAverage([1], [1])
    with pytest.raises(ValueError, match="distribution must have a support that begins at 0"):
        PowerTransform(difference, 2)


def test_integrals_beside_a_kink():
    """Several functions at once, of which one has a kink."""
    found = integrate(
        lambda _, x: np.stack([np.abs(x - 1 / 3), x**3]), np.array([[0.0, 1, 2]]), 1e-13
    )
    np.testing.assert_allclose(found[:, 0], [(1 / 9 + 25 / 9) / 2, 4], rtol=1e-11)


def _closed_form(distribution):
    return (
        distribution.mean(),
        distribution.variance(),
        distribution.skewness(),
        distribution.kurtosis(),
    )


@pytest.mark.parametrize(
    "distribution",
    [
        HierarchicalBetaAverage([3, 5], [4, 9]),
        HierarchicalBetaAverage([10] * 40, [10] * 40),
        HierarchicalBetaAverage([75] * 3, [75] * 3, weights=[0.97, 1e-2, 2e-2]),
        BetaAverage([75, 60, 3], [0.1, 0.3, 2]),
    ],
    ids=["two classes", "perfect classes", "unequal weights", "independent"],
)
def test_moments_of_the_power_one(distribution):
    """They are those of the distribution, in closed form."""
    found, expected = _closed_form(PowerTransform(distribution, 1)), _closed_form(distribution)
    # They are integrals of a distribution function, whose errors are absolute: 1e-13 for sums of
    # independent Betas, 1e-9 where classes borrow and all are perfect.
    error = 1e-13 if isinstance(distribution, BetaAverage) else 1e-9
    mean, sd = distribution.mean(), distribution.standard_deviation()
    assert found[0] == pytest.approx(mean, abs=10 * error)
    assert found[1] == pytest.approx(expected[1], rel=1e-9, abs=10 * error * mean)
    np.testing.assert_allclose(found[2:], expected[2:], rtol=1e-7, atol=100 * error / sd)


def test_root_of_many_perfect_classes():
    """By the delta method: the mean of a narrow distribution to the fourth order of its spread."""
    total = np.rint(np.geomspace(1, 4.257, 486))
    distribution, e = (
        HierarchicalBetaAverage(total, total, hyperprior=Hyperprior(base=1.42)),
        1 / 485,
    )
    relative = distribution.standard_deviation() / distribution.mean()
    third, fourth = (
        distribution.skewness() * relative**3,
        (distribution.kurtosis() + 3) * relative**4,
    )
    terms = [e * (e - 1) / 2 * relative**2, e * (e - 1) * (e - 2) / 6 * third]
    terms.append(e * (e - 1) * (e - 2) * (e - 3) / 24 * fourth)
    expected = distribution.mean() ** e * (1 + sum(terms))
    power = PowerTransform(distribution, e)
    assert power.mean() == pytest.approx(expected, abs=1e-6 * power.standard_deviation())


@pytest.mark.parametrize("a", [1e-6, 1e-5, 3e-5])
def test_mean_of_a_power_for_tiny_exponents(a):
    """E X^e = a / (a + e) for Beta(a, 1): the transform falls too slowly to be summed.

    The tails, which reach to exp(-1 / a), are integrated to 1e-7.
    """
    mean = PowerTransform(BetaAverage([a], [1]), 0.05).mean()
    assert mean == pytest.approx(a / (a + 0.05), rel=2e-7)


def test_moments_of_classes_of_many_scales():
    """Where the density bends at thousands of corners, against draws."""
    a, b, weights = np.full(31, 1 / 31), np.resize([0.1, 2, 11], 31), np.geomspace(1, 6e-5, 31)
    power = PowerTransform(BetaAverage(a, b, weights=weights), 0.2)
    draws = (np.random.default_rng(0).beta(a, b, (100_000, 31)) @ weights) ** 0.2
    assert power.mean() == pytest.approx(draws.mean(), abs=5 * draws.std() / np.sqrt(draws.size))
    assert power.standard_deviation() == pytest.approx(draws.std(), rel=0.01)
