"""The distribution of a variable whose odds are a multiple of those of another."""

import numpy as np
import pytest
from scipy import integrate

from skpostbac.stats import (
    BetaAverage,
    HierarchicalBetaAverage,
    LibbyNovickBeta,
    ShiftedDistribution,
)
from skpostbac.stats._distribution import OddsTransform

P = np.array([1e-9, 1e-4, 0.1, 0.5, 0.9, 0.999])


def forward(x, factor, low=0.0, high=1.0):
    """Multiply the odds of x between two ends."""
    share = (x - low) / (high - low)
    return low + (high - low) * share * factor / (1 - share + share * factor)


@pytest.mark.parametrize("factor", [0.02, 0.7, 50])
@pytest.mark.parametrize(
    ("a", "b"), [(0.5, 0.5), (20.5, 0.5), (3, 40), (1, 1), (2e3, 0.5), (3e5, 1e6)]
)
def test_of_a_beta_variable_it_is_the_generalised_beta(a, b, factor):
    """Tails, density, moments and intervals, which are tabulated there."""
    found, known = OddsTransform(BetaAverage([a], [b]), factor), LibbyNovickBeta(a, b, factor)
    x, sd = known.icdf(P), known.standard_deviation()
    # SciPy's incomplete Beta function has errors of 5e-12 where both exponents are 1/2.
    np.testing.assert_allclose(found.cdf(x), known.cdf(x), rtol=0, atol=1e-11)
    np.testing.assert_allclose(found.ccdf(x), known.ccdf(x), rtol=0, atol=1e-11)
    density = known.pdf(x)
    np.testing.assert_allclose(found.pdf(x), density, rtol=1e-8, atol=1e-9 * density.max())
    np.testing.assert_allclose(found.icdf(P), x, rtol=1e-9, atol=1e-5 * sd)
    np.testing.assert_allclose(found.icdf(P[1:]), x[1:], rtol=1e-9)
    assert found.mean() == pytest.approx(known.mean(), abs=1e-10 * sd)
    assert found.variance() == pytest.approx(known.variance(), rel=1e-9)
    # Third and fourth moments in units of the deviation weigh errors of 1e-13 in tails.
    assert found.skewness() == pytest.approx(known.skewness(), abs=1e-7)
    assert found.kurtosis() == pytest.approx(known.kurtosis(), abs=1e-6)
    if a == b == 1:
        assert found.pdf([0, 1]) == pytest.approx([1 / factor, factor], rel=1e-8)
    if min(a, b) >= 1:
        assert found.hdi() == pytest.approx(np.array(known.hdi()), abs=1e-6 * sd)
        assert found.mode() == pytest.approx(known.mode(), abs=1e-6 * sd)


AVERAGES = {
    "smooth": BetaAverage([31, 9, 4], [3, 3, 2]),
    "perfect classes": BetaAverage([20.5, 20.5], [0.5, 0.5]),
    "hierarchical": HierarchicalBetaAverage([3, 8], [5, 9]),
    "between -1 and 1": ShiftedDistribution(BetaAverage([4, 3], [1, 2], weights=[1, 1]), -1),
}


@pytest.mark.parametrize("factor", [0.1, 0.8])
@pytest.mark.parametrize("name", AVERAGES)
def test_change_of_variables_of_an_average(name, factor):
    """Places are transformed, probabilities stay; moments by quadrature over the inner density."""
    inner = AVERAGES[name]
    low, high = inner.support()
    found, p = OddsTransform(inner, factor), np.linspace(0.01, 0.99, 9)
    x = inner.icdf(p)
    y = forward(x, factor, low, high)
    assert found.icdf(p) == pytest.approx(y, rel=1e-9)
    assert found.cdf(y) == pytest.approx(p, rel=1e-8)
    step = 1e-5 * (high - low)
    slope = (found.cdf(y + step) - found.cdf(y - step)) / (2 * step)
    assert found.pdf(y) == pytest.approx(slope, rel=1e-5)
    first, second = (
        integrate.quad(
            lambda t, k=k: forward(t, factor, low, high) ** k * inner.pdf(t),
            *(low, high),
            points=x,
            limit=200,
        )[0]
        for k in (1, 2)
    )
    assert found.mean() == pytest.approx(first, abs=1e-8)
    assert found.variance() == pytest.approx(second - first**2, abs=1e-8)
    ends = np.array(inner.interval())
    assert found.interval() == pytest.approx(forward(ends, factor, low, high), rel=1e-9)
    assert found.support() == pytest.approx(inner.support())


@pytest.mark.parametrize("name", AVERAGES)
def test_the_factor_one_changes_nothing(name):
    """Moments by quadrature are those in closed form."""
    inner = AVERAGES[name]
    same, sd = OddsTransform(inner, 1), inner.standard_deviation()
    assert same.mean() == pytest.approx(inner.mean(), abs=1e-10 * sd)
    assert same.variance() == pytest.approx(inner.variance(), rel=1e-9)
    assert same.skewness() == pytest.approx(inner.skewness(), abs=1e-8)
    assert same.kurtosis() == pytest.approx(inner.kurtosis(), abs=1e-7)
    assert same.hdi() == pytest.approx(np.array(inner.hdi()), abs=1e-9)
    assert same.mode() == pytest.approx(inner.mode(), abs=1e-8)


def test_far_tails_keep_their_relative_accuracy():
    """A probability of 1e-90 is that of the inner distribution."""
    inner = BetaAverage([901, 81], [101, 21])
    found = OddsTransform(inner, 0.25)
    assert found.logcdf(forward(0.4, 0.25)) == pytest.approx(inner.logcdf(0.4), rel=1e-12)


def test_what_is_no_distribution_or_out_of_range_is_refused():
    """The message names the argument."""
    with pytest.raises(TypeError, match="distribution must be a BoundedDistribution, got float"):
        OddsTransform(0.5, 0.1)
    for factor in (0, -1, np.inf, np.nan, "a"):
        with pytest.raises(ValueError, match="factor must be a number from 1e-20 to 1e\\+20"):
            OddsTransform(AVERAGES["smooth"], factor)
