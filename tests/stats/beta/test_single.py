"""Sums of one Beta, against SciPy."""

import numpy as np
import pytest
from scipy import stats

from skpostbac.stats import BetaAverage

CASES = [(50.5, 0.5), (0.5, 20.5), (3, 2), (1, 1), (85, 17), (0.3, 0.2), (1e5, 0.5), (1 / 3, 7)]
every_case = pytest.mark.parametrize(("a", "b"), CASES)


@pytest.mark.parametrize("weight", [1.0, 0.25, -2.0])
@every_case
def test_tails(a, b, weight):
    """Both tails and the density, also where a tail is small."""
    single, exact = BetaAverage([a], [b], weights=[weight]), stats.beta(a, b)
    share = exact.ppf([1e-100, 1e-20, 1e-6, 0.025, 0.5, 0.975])
    share = share[share * weight != 0]
    tails = [exact.cdf(share), exact.sf(share)][:: 1 if weight > 0 else -1]
    x = weight * share
    np.testing.assert_allclose(single.cdf(x), tails[0], rtol=1e-11)
    np.testing.assert_allclose(single.ccdf(x), tails[1], rtol=1e-11)
    np.testing.assert_allclose(single.logcdf(x), np.log(tails[0]), rtol=1e-11, atol=1e-15)
    np.testing.assert_allclose(single.logccdf(x), np.log(tails[1]), rtol=1e-11, atol=1e-15)
    np.testing.assert_allclose(single.pdf(x), exact.pdf(share) / abs(weight), rtol=1e-10)


@pytest.mark.parametrize(("a", "b"), [(0.2, 0.3), (0.3, 0.2)])
def test_quantiles_beside_an_end(a, b):
    """They have the relative accuracy of SciPy's at either end."""
    p = np.array([1e-9, 1e-6, 1e-3])
    lower, upper = BetaAverage([a], [b]), BetaAverage([a], [b], weights=[-1])
    expected = stats.beta(a, b).ppf(p)
    np.testing.assert_allclose(lower.icdf(p), expected, rtol=1e-11)
    np.testing.assert_allclose(upper.iccdf(p), -expected, rtol=1e-11)


@pytest.mark.parametrize("weight", [1.0, -0.5])
@pytest.mark.parametrize(("a", "b"), [(3, 2), (85, 17), (1.5, 1e3)])
def test_shortest_interval_and_mode(a, b, weight, shortest_interval):
    """With the mode inside, between two points of the same density."""
    single = BetaAverage([a], [b], weights=[weight])
    expected = np.sort(weight * np.array(shortest_interval(stats.beta(a, b), 0.95)))
    np.testing.assert_allclose(single.hdi(0.95), expected, rtol=0, atol=1e-8)
    assert single.mode() == pytest.approx(weight * (a - 1) / (a + b - 2), abs=1e-9)


@pytest.mark.parametrize("weight", [1.0, -0.5])
@pytest.mark.parametrize(("a", "b"), [(50.5, 0.5), (1e5, 0.5), (7, 1)])
def test_shortest_interval_at_an_end(a, b, weight):
    """With the mode at the upper end, there the interval ends."""
    single = BetaAverage([a], [b], weights=[weight])
    expected = np.sort([weight * stats.beta(a, b).ppf(0.05), weight])
    np.testing.assert_allclose(single.hdi(0.95), expected, rtol=1e-11)
    assert single.mode() == weight


@pytest.mark.parametrize(("a", "b"), [(7e5, 8e5), (2e6, 3), (1e-3, 3), (4e9, 0.5)])
def test_parameters_of_any_size(a, b):
    """Also where the incomplete Beta function loses digits."""
    single, exact = BetaAverage([a], [b]), stats.beta(a, b)
    x = exact.ppf([0.5, 0.6, 0.9, 0.99])
    assert (np.diff(x) > 0).all()
    np.testing.assert_allclose(single.cdf(x), exact.cdf(x), rtol=0, atol=1e-11)
    np.testing.assert_allclose(single.ccdf(x), exact.sf(x), rtol=0, atol=1e-11)


def test_arrays_of_single_variables():
    """They are the same one by one."""
    a, b = np.array([[50.5], [3], [850]]), np.array([[0.5], [2], [170]])
    both = BetaAverage(a, b)
    for name in ("interval", "hdi"):
        found = np.stack(getattr(both, name)(), axis=1)
        alone = [getattr(BetaAverage(*row), name)() for row in zip(a, b, strict=True)]
        np.testing.assert_allclose(found, alone, rtol=1e-12)
