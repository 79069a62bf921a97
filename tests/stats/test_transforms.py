"""Roots, shifts and multiples of the odds of a variable: closed forms and invariants."""

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import integrate, stats

from skpostbac.stats import (
    BetaAverage,
    ShiftedDistribution,
)
from skpostbac.stats._transforms import OddsTransform, PowerTransform

P = np.array([1e-9, 1e-4, 0.1, 0.5, 0.9, 0.999])
INNER = {
    "smooth": BetaAverage([31, 9, 4], [3, 3, 2]),
    "perfect classes": BetaAverage([20.5, 20.5], [0.5, 0.5]),
    "unequal": BetaAverage([75, 60, 3], [0.1, 0.3, 2]),
    "between 0 and 2": BetaAverage([4, 3], [1, 2], weights=[1, 1]),
}
every_inner = pytest.mark.parametrize("inner", INNER.values(), ids=INNER)


@every_inner
@pytest.mark.parametrize("shift", [-0.04, 0.5])
def test_everything_moves_by_the_constant(inner, shift):
    """Places move, probabilities and densities stay."""
    shifted = ShiftedDistribution(inner, shift)
    assert shifted.cdf(inner.icdf(P) + shift) == pytest.approx(
        inner.cdf(inner.icdf(P)), abs=1e-9
    )
    assert shifted.icdf(P) == pytest.approx(inner.icdf(P) + shift, abs=1e-12)
    for name in ("hdi", "interval", "support", "mean", "mode"):
        expected = np.array(getattr(inner, name)()) + shift
        assert getattr(shifted, name)() == pytest.approx(expected, abs=1e-6)
    for name in ("variance", "skewness", "kurtosis"):
        assert getattr(shifted, name)() == getattr(inner, name)()
    assert shifted.sample(3, rng=0) == pytest.approx(inner.sample(3, rng=0) + shift)


@every_inner
@pytest.mark.parametrize("transform", [PowerTransform, OddsTransform])
def test_the_identity(inner, transform):
    """Moments by quadrature are those in closed form; intervals and modes stay as they are."""
    same, sd = transform(inner, 1), inner.standard_deviation()
    assert same.mean() == pytest.approx(inner.mean(), abs=1e-10 * sd)
    assert same.variance() == pytest.approx(inner.variance(), rel=1e-9)
    # Errors of the distribution function are absolute.
    assert same.skewness() == pytest.approx(inner.skewness(), abs=1e-7)
    assert same.kurtosis() == pytest.approx(inner.kurtosis(), abs=1e-6)
    assert same.hdi() == pytest.approx(np.array(inner.hdi()), abs=1e-9)
    assert same.mode() == pytest.approx(inner.mode(), abs=1e-8)
    # Smaller tails are taken as powers.
    p = P[1:]
    assert same.pdf(same.icdf(p)) == pytest.approx(inner.pdf(inner.icdf(p)), rel=1e-7)


@every_inner
def test_change_of_variables(inner):
    """Places are transformed, probabilities stay; moments by quadrature over the inner density."""
    low, high = inner.support()
    power, p = 0.7, np.linspace(0.01, 0.99, 9)
    factor, x = 0.3, inner.icdf(p)

    def odds(x):
        return low + (high - low) * (x - low) * factor / (high - x + (x - low) * factor)

    for found, forward in (
        (PowerTransform(inner, power), lambda x: x**power),
        (OddsTransform(inner, factor), odds),
    ):
        y = forward(x)
        assert found.icdf(p) == pytest.approx(y, rel=1e-9)
        assert found.cdf(y) == pytest.approx(p, rel=1e-8)
        step = 1e-5 * (high - low)
        slope = (found.cdf(y + step) - found.cdf(y - step)) / (2 * step)
        assert found.pdf(y) == pytest.approx(slope, rel=1e-5)
        first, second = (
            integrate.quad(
                lambda t, k=k, forward=forward: forward(t) ** k * inner.pdf(t),
                *(low, high),
                points=x,
                limit=200,
            )[0]
            for k in (1, 2)
        )
        assert found.mean() == pytest.approx(first, abs=1e-8)
        assert found.variance() == pytest.approx(second - first**2, abs=1e-8)
        assert found.support() == pytest.approx((forward(low), forward(high)))


def test_small_tails_keep_their_relative_accuracy():
    """A probability of 1e-13, and the density there, are those of a single variable."""
    inner = BetaAverage([601], [101])
    # Images of 0.75, and the slopes of the inverses there.
    for found, x, slope in (
        (ShiftedDistribution(inner, 0.25), 1.0, 1.0),
        (OddsTransform(inner, 0.25), 3 / 7, 0.4375**2 / 0.25),
        (PowerTransform(inner, 0.5), 0.75**0.5, 2 * 0.75**0.5),
    ):
        assert found.logcdf(x) == pytest.approx(inner.logcdf(0.75), abs=1e-9)
        assert found.logpdf(x) == pytest.approx(
            inner.logpdf(0.75) + np.log(slope), abs=1e-9
        )
    assert inner.logcdf(0.75) < np.log(1e-8)


@pytest.mark.parametrize(
    ("distribution", "shift", "error", "message"),
    [
        (0.5, 0.1, TypeError, "distribution must be a BoundedDistribution, got float"),
        (INNER["smooth"], np.inf, ValueError, "shift must be a finite number, got inf"),
    ],
)
def test_refusals(distribution, shift, error, message):
    """The message names the argument."""
    with pytest.raises(error, match=message):
        ShiftedDistribution(distribution, shift)


# Odds

ODDS = {
    "f1": (22, 10, 2),
    "few": (1.5, 0.5, 2),
    "nothing known": (0.5, 0.5, 0.5),
    "rare": (3.5, 4e3, 30),
    "perfect": (1e5, 0.5, 2),
    "tiny exponents": (0.02, 0.3, 2),
    "rounded masses": (9251.6, 28.5, 2.49),
}


@pytest.mark.parametrize(("a", "b", "factor"), ODDS.values(), ids=ODDS)
def test_a_multiple_of_odds(a, b, factor):
    """Tails and moments by mpmath, quantiles and density by SciPy; no tail exceeds one."""
    variable, share = OddsTransform(BetaAverage([a], [b]), factor), stats.beta(a, b)
    quantiles = share.ppf(P)
    places = factor * quantiles / (1 - quantiles + factor * quantiles)
    for x in places[(places > 0) & (places < 1)]:
        with mp.workdps(40):
            t = mp.mpf(x)
            low = mp.betainc(a, b, 0, t / (t + factor * (1 - t)), regularized=True)
            tails, smaller = (
                [float(low), float(1 - low)],
                float(mp.log(min(low, 1 - low))),
            )
        # SciPy's incomplete Beta function has errors of 5e-12 where an exponent is 1/2.
        assert_allclose([variable.cdf(x), variable.ccdf(x)], tails, rtol=0, atol=1e-11)
        log_tail = min(variable.logcdf(x), variable.logccdf(x))
        assert log_tail == pytest.approx(smaller, abs=1e-11 / min(tails))
    assert_allclose(variable.icdf(P[1:]), places[1:], rtol=1e-10, atol=1e-15)
    x = variable.icdf([0.1, 0.5, 0.8])
    unit = x + factor * (1 - x)
    expected = share.logpdf(x / unit) + np.log(factor / unit**2)
    assert_allclose(variable.logpdf(x), expected, rtol=1e-9, atol=1e-9)
    # E[share^k / (1 + (factor - 1) share)^k] is a hypergeometric function.
    with mp.workdps(40):
        n, x = mp.mpf(a) + b, 1 - mp.mpf(factor)
        mean = factor * a / n * mp.hyp2f1(1, a + 1, n + 1, x)
        second = factor**2 * a * (a + 1) / (n * (n + 1)) * mp.hyp2f1(2, a + 2, n + 2, x)
        moments = float(mean), float(second - mean**2)
    assert variable.mean() == pytest.approx(moments[0], rel=1e-13)
    assert variable.variance() == pytest.approx(moments[1], rel=5e-9)
    away = variable.standard_deviation() * np.linspace(-12, 12, 97)
    x = np.append(variable.mean() + away, np.linspace(0, 1, 2001))
    assert max(variable.cdf(x).max(), variable.ccdf(x).max()) <= 1


# Powers


@pytest.mark.parametrize(
    ("a", "b", "exponent"),
    [
        (43, 14, 1 / 999),
        (0.5, 0.5, 0.5),
        (1 / 3, 7, 0.25),
        (1e12, 1e10, 0.2),
        (1e-3, 1e-3, 0.5),
        (0.01, 3, 0.1),
        (0.3, 1e5, 0.2),
        (0.4, 3, 2e-3),
    ],
    ids=str,
)
def test_moments_of_one_beta_variable(a, b, exponent):
    """Ratios of Beta functions in 60 digits; the mean also beside the standard deviation."""
    with mp.workdps(60):
        ratios = [
            mp.beta(mp.mpf(a) + k * mp.mpf(exponent), b) / mp.beta(a, b)
            for k in range(5)
        ]
        _, m1, m2, m3, m4 = ratios
        variance = m2 - m1**2
        skewness = (m3 - 3 * m1 * m2 + 2 * m1**3) / variance**1.5
        kurtosis = (m4 - 4 * m1 * m3 + 6 * m1**2 * m2 - 3 * m1**4) / variance**2 - 3
    found = PowerTransform(BetaAverage([a], [b]), exponent)
    assert found.mean() == pytest.approx(
        float(m1), rel=1e-14, abs=1e-10 * float(variance) ** 0.5
    )
    assert found.variance() == pytest.approx(float(variance), rel=1e-10)
    # Third and fourth moments in units of the deviation weigh errors of 1e-12 in tails.
    assert found.skewness() == pytest.approx(float(skewness), rel=1e-9, abs=1e-8)
    assert found.kurtosis(convention="excess") == pytest.approx(
        float(kurtosis), rel=1e-9, abs=1e-7
    )


@given(a=st.floats(0.3, 200), exponent=st.floats(0.01, 1))
def test_power_of_beta_with_one(a, exponent):
    """X ~ Beta(a, 1) has the cdf x^a, and so its power is Beta(a / exponent, 1)."""
    found, power = (
        PowerTransform(BetaAverage([a], [1]), exponent),
        stats.beta(a / exponent, 1),
    )
    x = np.array([1e-3, 0.2, 0.7, 0.99, 1 - 1e-9])
    expected = (a / exponent) * np.log(x)
    # Where y^(1 / exponent) leaves the range of doubles, the distribution stops.
    reached = np.log(x) / exponent > -690
    # The log of a probability next to 1 is as exact as the probability, and those below 1e-18 are
    # extrapolated.
    known = reached & (expected > np.log(1e-17))
    assert_allclose(found.logcdf(x)[known], expected[known], rtol=1e-9, atol=1e-15)
    assert_allclose(found.pdf(x)[known], power.pdf(x)[known], rtol=1e-8)
    assert_allclose(found.ccdf(x), power.sf(x), rtol=1e-9)
    p = np.array([1e-9, 0.1, 0.5, 0.999])
    assert_allclose(found.icdf(p), power.ppf(p), rtol=1e-11, atol=1e-15)
    assert_allclose(found.cdf(found.icdf(p)), p, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("a", "b"), [(4, 3), (43, 14), (1.5, 30)])
def test_mode_of_a_root(a, b):
    """The density y^(2 a - 1) (1 - y^2)^(b - 1) is highest where its slope is zero."""
    mode = np.sqrt((2 * a - 1) / (2 * a + 2 * b - 3))
    # Without the slope, a search for the highest point stops at 1e-8.
    assert PowerTransform(BetaAverage([a], [b]), 0.5).mode() == pytest.approx(
        mode, rel=1e-12
    )


@pytest.mark.parametrize(
    ("a", "exponent", "expected"),
    [(0.25, 0.5, np.inf), (0.5, 0.5, 1.0), (1, 0.5, 0.0)],
)
def test_density_at_zero(a, exponent, expected):
    """X ~ Beta(a, 1): a / exponent * y^(a / exponent - 1)."""
    found = PowerTransform(BetaAverage([a], [1]), exponent)
    assert found.pdf(0.0) == pytest.approx(expected, rel=1e-9)
    assert found.pdf(1.0) == pytest.approx(a / exponent, rel=1e-9)


@pytest.mark.parametrize("a", [1e-6, 3e-5])
def test_mean_of_a_power_for_tiny_exponents(a):
    """E X^e = a / (a + e) for Beta(a, 1); the tails, which reach to exp(-1 / a), to 1e-7."""
    mean = PowerTransform(BetaAverage([a], [1]), 0.05).mean()
    assert mean == pytest.approx(a / (a + 0.05), rel=2e-7)


@pytest.mark.slow
def test_moments_of_classes_of_many_scales():
    """Where the density bends at thousands of corners, against draws."""
    a, b, weights = (
        np.full(16, 1 / 16),
        np.resize([0.1, 2, 11], 16),
        np.geomspace(1, 6e-5, 16),
    )
    power = PowerTransform(BetaAverage(a, b, weights=weights), 0.2)
    draws = (np.random.default_rng(0).beta(a, b, (100_000, 16)) @ weights) ** 0.2
    assert power.mean() == pytest.approx(
        draws.mean(), abs=5 * draws.std() / np.sqrt(draws.size)
    )
    assert power.standard_deviation() == pytest.approx(draws.std(), rel=0.01)
