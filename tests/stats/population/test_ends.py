"""Tails of averages of log-odds distributions next to the ends of (0, 1)."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import gammaln, log_expit

from skpostbac import group_posterior
from skpostbac.stats import BetaBinomial
from skpostbac.stats._distribution.log_odds import LogitDistribution
from skpostbac.stats._population.average import logit_average
from skpostbac.stats._population.inference import GroupInference
from skpostbac.stats._population.tilted import TiltedLogit

SIDES = pytest.mark.parametrize("from_above", [False, True], ids=["lower", "upper"])
EXPONENTS = np.array([[3.0, 3.5], [2.0, 4.0]])
WEIGHTS = np.array([0.4, 0.6])


def betas():
    """Return the average of two Beta variables, given by the densities of their log-odds."""
    distributions = [
        LogitDistribution(
            lambda u, a=a, b=b: a * log_expit(u) + b * log_expit(-u), np.log(a / b), 1.0
        )
        for a, b in EXPONENTS
    ]
    return logit_average(distributions, WEIGHTS)


def leading_powers(near, far):
    """Return the log of the factor and the power of the tail of a sum of Betas at its end."""
    order = near.sum()
    factors = gammaln(near + far) - gammaln(far) - near * np.log(WEIGHTS)
    return factors.sum() - gammaln(order + 1), order


def test_log_tails_down_to_the_smallest_double_are_leading_powers():
    """For Betas the tail close to the end is a power of the distance, known in closed form."""
    x = np.array([1e-13, 1e-15, 1e-16, 1e-17, 1e-25, 1e-60, 1e-150, 1e-153, 1e-300, 5e-324])
    constant, order = leading_powers(*EXPONENTS.T)
    average = betas()
    found = np.array([average.logcdf(one) for one in x])
    assert_allclose(found, constant + order * np.log(x), rtol=1e-9)
    density = constant + np.log(order) + (order - 1) * np.log(x)
    assert_allclose(average.logpdf(x), density, rtol=1e-9)


@SIDES
@pytest.mark.parametrize("distance", [1e-13, 1e-15, 1e-16, 1e-17, 1e-18, 1e-30])
def test_inversion_meets_leading_powers_at_the_ends(from_above, distance):
    """A contour through the saddlepoint finds the same powers, however large the tilt."""
    inversion = betas()._inversion
    summands = inversion._seen_from(1 if from_above else -1)
    tilted, _ = inversion._saddle_distribution(summands, -distance, from_end=True, start=0.0)
    values = tilted.contour().logs_at(np.array([-distance]))
    log_tail, log_density = summands.log_end_tail(np.array([distance]))
    assert_allclose(values.log_tail, log_tail, rtol=1e-12)
    assert_allclose(values.log_density, log_density, rtol=1e-12)


@pytest.mark.slow
def test_tiny_distances_are_seen_in_other_units():
    """Where squares are no doubles the log tail goes on, and its slope is the density."""
    correct, total = np.resize([0.0, 3, 40, 97, 9], (2, 4)), np.resize([1.0, 5, 43, 100, 9], (2, 4))
    distribution = group_posterior(correct, total, model="normal-binomial").groups[0]
    x = np.array([1e-300, 1e-220, 1e-130, 0.999e-140, 1.001e-140])
    for side in (distribution.logcdf, distribution.logccdf):
        assert np.isfinite(side(x)).all()
    beside = np.multiply.outer([1 - 1e-4, 1 + 1e-4], x)
    slope = np.diff(distribution.logcdf(beside), axis=0)[0] / np.log(beside[1] / beside[0])
    expected = np.exp(distribution.logpdf(x) + np.log(x) - distribution.logcdf(x))
    assert_allclose(slope, expected, rtol=1e-4)


def test_panels_are_refined_once_for_each_height(monkeypatch):
    """Mean, variance, bounds and transforms of a term share the nodes of one height."""
    seen, refined = [], TiltedLogit._refined

    def counted(self, panels, top):
        seen.append((self, top))
        return refined(self, panels, top)

    monkeypatch.setattr(TiltedLogit, "_refined", counted)
    normal = LogitDistribution(lambda u: -0.5 * (u - 1) ** 2, 1.0, 1.0)
    logit_average([normal, normal], np.full(2, 0.5)).cdf([0.3, 0.7])
    # Those under the tilt alone are the first ones of height zero.
    repeated = [pair for pair in set(seen) if pair[1] > 0 and seen.count(pair) > 1]
    assert seen
    assert not repeated
    assert all(seen.count((term, 0.0)) <= 2 for term, _ in seen)


def test_next_to_an_end_where_squares_of_distances_are_no_doubles():
    """Probabilities fall on to there; nodes without end were asked for at 1e-197."""
    groups = GroupInference(BetaBinomial(), np.zeros(3), np.zeros(3))
    average = logit_average([groups.new_group()] * 4, np.full(4, 0.25))
    logs = average.logcdf([1e-155, 1e-197])
    assert np.isfinite(logs).all()
    assert logs[1] < logs[0]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The distribution of the average has too much mass")
def test_quantile_closer_to_an_end_than_any_double_is_the_end():
    """Once no double is left that is closer the search ends."""
    groups = GroupInference(BetaBinomial(), np.zeros(3), np.zeros(3))
    average = logit_average([groups.new_group()] * 2, np.full(2, 0.5))
    assert average.icdf(1e-300) == 0.0


@SIDES
def test_waves_by_products_are_those_of_exponentials(from_above):
    """At even heights, and at doubled ones, against the exponential at each node and height."""
    density = GroupInference(BetaBinomial(), np.array([8.0]), np.array([9.0])).new_group()._table
    term = TiltedLogit(density, 0.3, 2.0, from_above=from_above, from_end=False)
    octaves = np.multiply.outer([1.0, 2.0, 4.0], [100.0, 130.0, 170.0])
    for heights, values in [
        (even := np.linspace(300.0, 700.0, 9), term.transform_evenly(even)),
        (octaves, term.transform_doubling(octaves)),
    ]:
        position, mass = term._nodes(float(heights.max()))
        assert position.size > 2**10
        exact = np.exp(1j * np.multiply.outer(heights, position - term.mean)) @ mass
        assert_allclose(values, exact, rtol=0, atol=1e-13)
