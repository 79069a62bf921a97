"""The test of draws that other tests use tells what is right from what is not."""

import numpy as np
import pytest
from scipy.stats import beta, kstest


@pytest.mark.parametrize("n", [50, 20_000])
def test_pvalue_is_nearly_that_of_the_whole_test(draws_pvalue, n):
    """A look at 200 of the draws gives the p-value of all of them, but for a factor of two."""
    draws = beta(4, 2).rvs(n, random_state=0)
    for shape in (4.0, 4.02):
        p = kstest(draws, beta(shape, 2).cdf).pvalue
        assert 0.5 * p < draws_pvalue(draws, beta(shape, 2).cdf) < 2 * p


def test_draws_of_another_distribution_are_seen(draws_pvalue):
    """Exponents that differ by 4 %, a shift of 0.01, and a fiftieth that is stuck at an end."""
    draws = beta(4, 2).rvs(20_000, random_state=0)
    assert draws_pvalue(draws, beta(4, 2).cdf) > 0.01
    assert draws_pvalue(draws, beta(4.15, 2).cdf) < 1e-3
    assert draws_pvalue(draws + 0.01, beta(4, 2).cdf) < 1e-3
    stuck = np.where(np.arange(draws.size) % 50 == 0, 0.0, draws)
    assert draws_pvalue(stuck, beta(4, 2).cdf) < 1e-3
