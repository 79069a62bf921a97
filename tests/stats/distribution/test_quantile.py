"""The search for quantiles, on tails whose quantiles are known in closed form."""

import numpy as np
import pytest

from skpostbac.stats import BetaAverage
from skpostbac.stats._distribution.quantile import upper_quantile

LOG_P = np.log([0.5, 0.4, 0.025, 1e-3, 1e-10, 1e-100, 1e-300])
# Newton steps of quadratic convergence, from a first guess that may be far in a deep tail.
MOST_EVALUATIONS = 40


class Counted:
    """The upper tail (1 - x)^b of Beta(1, b), which counts how often it is asked."""

    def __init__(self, b):
        self.b, self.calls = b, 0

    def __call__(self, points):
        self.calls += 1
        log_distance = np.log(points.to_high)
        return self.b * log_distance, np.log(self.b) + (self.b - 1) * log_distance


@pytest.mark.parametrize("b", [0.5, 1.0, 3.0, 40.0, 1e4, 1e9])
def test_power_tail(b):
    """The distance of the quantile to the upper end has full relative accuracy."""
    distribution, tail = BetaAverage([1.0], [b]), Counted(b)
    expected = np.exp(LOG_P / b)
    reachable = expected > 1e-150
    points = upper_quantile(
        distribution._frame, tail, LOG_P[reachable], distribution.standard_deviation()
    )
    # The log of the tail is 1e-9 from the one asked for before the last step, which squares it;
    # the tail is rounded, to 1e-16 of its log.
    allowed = (1e-15 * np.abs(LOG_P[reachable]) + 1e-15) / b + 1e-15
    assert (np.abs(points.to_high / expected[reachable] - 1) <= allowed + 1e-12).all()
    assert tail.calls <= MOST_EVALUATIONS


def test_quantiles_of_one_call_and_of_many():
    """Quantiles found together are those found one by one, to what rounding is worth there."""
    distribution = BetaAverage([3.5, 12, 80], [0.5, 5, 1])
    p = np.array([1e-30, 1e-4, 0.2, 0.7, 1 - 1e-12])
    alone = [distribution.icdf(value) for value in p]
    together = distribution.icdf(p)
    allowed = 1e-12 * np.abs(alone) + 2e-12 / np.maximum(distribution.pdf(alone), 1e-6)
    # Tiny probabilities are approximated, one as another.
    allowed[0] = 1e-12
    assert (np.abs(together - alone) <= allowed).all()


def test_quantile_at_the_end():
    """A quantile closer to the end than the spacing of doubles is the end."""
    distribution = BetaAverage([40.0], [0.5])
    assert distribution.iccdf(1e-12) == 1.0
    assert distribution.iccdf(1e-7) == pytest.approx(1.0, abs=1e-14)


def test_centre_tells_where_a_far_quantile_is():
    """A search from the rough quantile that rounding leaves takes one evaluation."""
    distribution, tail = BetaAverage([1.0], [3.0]), Counted(3.0)
    start = distribution._frame.mean_to_high - np.exp(LOG_P / 3) * (1 + 1e-11)
    start[-1] = np.nan
    points = upper_quantile(
        distribution._frame, tail, LOG_P[:-1], distribution.standard_deviation(), start[:-1]
    )
    np.testing.assert_allclose(points.to_high, np.exp(LOG_P[:-1] / 3), rtol=1e-13)
    assert tail.calls == 1
    points = upper_quantile(
        distribution._frame, tail, LOG_P, distribution.standard_deviation(), start
    )
    np.testing.assert_allclose(points.to_high, np.exp(LOG_P / 3), rtol=1e-13)
