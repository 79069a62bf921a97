"""The words of posteriors, which all laws have beside those of the engine."""

import math

import numpy as np
import pytest

from skpostbac.stats import (
    BetaAverage,
    HierarchicalBetaAverage,
    PairedDifference,
    PowerTransform,
)

LAWS = {
    "sum": BetaAverage([31, 9], [3, 3]),
    "difference": PairedDifference([[27, 3, 5, 5]]),
    "power": PowerTransform(BetaAverage([4], [2]), 0.5),
    "hierarchical": HierarchicalBetaAverage([8, 9], [10, 10]),
}


def test_closed_form():
    """P(X <= x) is x**2 for Beta(2, 1), whose density rises."""
    law = BetaAverage([2], [1])
    assert law.prob_below(0.3) == pytest.approx(0.09, rel=1e-12)
    assert law.prob_above(0.3) == pytest.approx(0.91, rel=1e-12)
    central = law.credible_interval(0.9)
    assert central == pytest.approx((math.sqrt(0.05), math.sqrt(0.95)), rel=1e-12)
    shortest = law.credible_interval(0.9, method="hdi")
    assert shortest == pytest.approx((math.sqrt(0.1), 1), rel=1e-9)


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_same_as_the_engine(law):
    """Two names for a thing, with Python's floats for numbers."""
    assert law.credible_interval(0.8) == law.interval(0.8)
    assert law.credible_interval(0.8, method="hdi") == law.hdi(0.8)
    x = law.mean()
    assert type(law.prob_above(x)) is type(law.prob_below(x)) is float
    assert (law.prob_above(x), law.prob_below(x)) == (law.ccdf(x), law.cdf(x))
    np.testing.assert_array_equal(law.prob_above([x, 1.0]), law.ccdf([x, 1.0]))


def test_unknown_method():
    """There are two kinds of intervals."""
    with pytest.raises(ValueError, match="method must be 'central' or 'hdi', got 'equal'"):
        BetaAverage([2], [1]).credible_interval(method="equal")
