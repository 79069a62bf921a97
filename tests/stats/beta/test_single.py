"""Sums of one Beta, in closed form, against the inversion of the transform and SciPy."""

import numpy as np
import pytest
from scipy import stats

from skpostbac.stats import BetaAverage
from skpostbac.stats._beta.single import SingleBeta
from skpostbac.stats._inversion import WeightedSum

CASES = [(50.5, 0.5), (0.5, 20.5), (3, 2), (1, 1), (85, 17), (0.3, 0.2), (1e5, 0.5), (1 / 3, 7)]


@pytest.mark.parametrize("weight", [1.0, 0.3, -2.0])
@pytest.mark.parametrize(("a", "b"), CASES)
def test_tails(a, b, weight):
    """Both tails and the density are those of contours, also where a tail is small."""
    single = BetaAverage([a], [b], weights=[weight])
    x = single.icdf([1e-6, 0.025, 0.5, 0.975])
    x = x[np.abs(x - single.support().low) > 1e-6]
    x = x[np.abs(x - single.support().high) > 1e-6]
    tails = WeightedSum._tails(single, single._frame.locate(x))
    np.testing.assert_allclose(single.logcdf(x), tails.log_cdf, rtol=0, atol=1e-11)
    np.testing.assert_allclose(single.logccdf(x), tails.log_ccdf, rtol=0, atol=1e-11)
    np.testing.assert_allclose(single.logpdf(x), tails.log_pdf, rtol=0, atol=1e-11)


@pytest.mark.parametrize(("a", "b"), CASES)
def test_quantiles(a, b):
    """They are those of SciPy, and take no contour."""
    single, p = BetaAverage([a], [b]), np.array([0.025, 0.4, 0.975])
    np.testing.assert_allclose(single.icdf(p), stats.beta(a, b).ppf(p), rtol=1e-12)
    low, high = single.interval()
    np.testing.assert_allclose((low, high), single.icdf([0.025, 0.975]), rtol=1e-14)
    assert "_inversion" not in vars(single)


@pytest.mark.parametrize("weight", [1.0, -0.5])
@pytest.mark.parametrize(("a", "b"), CASES)
def test_shortest_interval_and_mode(a, b, weight):
    """Those of the general search, within its accuracy."""
    single = BetaAverage([a], [b], weights=[weight])
    expected = WeightedSum.hdi(single, 0.95)
    np.testing.assert_allclose(single.hdi(), expected, rtol=0, atol=1e-8)
    low, high = single.hdi()
    if max(a, b) > 1:
        # With both exponents below 1, much is nearer to the ends than doubles tell.
        assert single.cdf(low) + single.ccdf(high) == pytest.approx(0.05, abs=1e-12)
        assert single.mode() == pytest.approx(WeightedSum.mode(single), abs=1e-7)


def test_a_sum_with_one_weight():
    """Variables without a weight have no part in it."""
    single = BetaAverage([3, 30.5, 9], [4, 0.5, 1], weights=[0, 0.5, 0])
    assert single.mode() == 0.5
    assert single.cdf(0.49) == pytest.approx(stats.beta(30.5, 0.5).cdf(0.98), abs=1e-14)
    assert single.hdi() == (pytest.approx(stats.beta(30.5, 0.5).ppf(0.05) / 2), 0.5)


@pytest.mark.parametrize(("a", "b"), [(150, 200), (2e6, 3), (1e-3, 3)])
def test_parameters_left_to_others(a, b):
    """Rounding would show, or the function underflows."""
    assert SingleBeta.of(a, b, 1.0) is None


def test_arrays_of_single_variables():
    """They are the same one by one."""
    a, b = np.array([[50.5], [3], [850]]), np.array([[0.5], [2], [170]])
    both = BetaAverage(a, b)
    for name in ("interval", "hdi"):
        found = np.stack(getattr(both, name)(), axis=1)
        alone = [getattr(BetaAverage(*row), name)() for row in zip(a, b, strict=True)]
        np.testing.assert_allclose(found, alone, rtol=1e-12)
