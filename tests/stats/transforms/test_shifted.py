"""The distribution of a variable plus a constant."""

import numpy as np
import pytest

from skpostbac.stats import BetaAverage, HierarchicalBetaAverage, ShiftedDistribution

INNER = {
    "smooth": BetaAverage([31, 9, 4], [3, 3, 2]),
    "perfect classes": BetaAverage([3.5, 9.5], [0.5, 0.5]),
    "hierarchical": HierarchicalBetaAverage([3, 8], [5, 9]),
}


@pytest.mark.parametrize("name", INNER)
@pytest.mark.parametrize("shift", [-0.04, 0.5])
def test_everything_moves_by_the_constant(name, shift):
    """Places move, probabilities and densities stay."""
    inner = INNER[name]
    shifted = ShiftedDistribution(inner, shift)
    x = np.linspace(0.2, 0.95, 7)
    p = np.array([1e-6, 0.1, 0.5, 0.975])
    assert shifted.cdf(x + shift) == pytest.approx(inner.cdf(x), rel=1e-9)
    assert shifted.ccdf(x + shift) == pytest.approx(inner.ccdf(x), rel=1e-9)
    assert shifted.pdf(x + shift) == pytest.approx(inner.pdf(x), rel=1e-8, abs=1e-9)
    assert shifted.icdf(p) == pytest.approx(inner.icdf(p) + shift, abs=1e-12)
    assert shifted.hdi() == pytest.approx(np.array(inner.hdi()) + shift, abs=1e-7)
    assert shifted.interval() == pytest.approx(np.array(inner.interval()) + shift, abs=1e-12)
    assert shifted.support() == pytest.approx(np.array(inner.support()) + shift)
    assert shifted.mean() == pytest.approx(inner.mean() + shift)
    assert shifted.mode() == pytest.approx(inner.mode() + shift, abs=1e-6)
    assert shifted.variance() == inner.variance()
    assert shifted.skewness() == inner.skewness()
    assert shifted.kurtosis() == inner.kurtosis()
    assert shifted.sample(3, rng=0) == pytest.approx(inner.sample(3, rng=0) + shift)


def test_far_tails_keep_their_relative_accuracy():
    """A probability of 1e-90 is that of the inner distribution."""
    inner = BetaAverage([901, 81], [101, 21])
    shifted = ShiftedDistribution(inner, 0.25)
    assert shifted.logcdf(0.65) == pytest.approx(inner.logcdf(0.4), rel=1e-12)


def test_what_is_no_distribution_or_no_number_is_refused():
    """The message names the argument."""
    with pytest.raises(TypeError, match="distribution must be a BoundedDistribution, got float"):
        ShiftedDistribution(0.5, 0.1)
    with pytest.raises(ValueError, match="shift must be a finite number"):
        ShiftedDistribution(INNER["smooth"], np.inf)
