"""Exponents far below 1/2: what lies beside a corner of the cube of class accuracies.

The references integrate over the log-odds of the classes. Distances to both ends of (0, 1) are kept
in logs: with an exponent of 0.003 a tenth of the mass is closer to an end than the smallest double.
"""

import numpy as np
import pytest
from scipy import stats
from scipy.special import betainc, betaln

from skpostbac.stats import BetaAverage


def log_ends(logit):
    """Logs of the distances to zero and to one."""
    return -np.logaddexp(0, -logit), -np.logaddexp(0, logit)


def spread(low, high, size):
    """Nodes and weights of a trapezoid rule, dense about zero."""
    u = np.linspace(np.arcsinh(low), np.arcsinh(high), size)
    return np.sinh(u), np.cosh(u) * (u[1] - u[0])


def lower_tail(a, b, log_x):
    """P(theta <= x), x at most 1/2."""
    leading = np.exp(a * log_x - np.log(a) - betaln(a, b))
    return np.where(log_x < -40, leading, betainc(a, b, np.exp(np.maximum(log_x, -40))))


def cdf(a, b, log_x, log_rest):
    """P(theta <= x), by the logs of x and of 1 - x."""
    below = lower_tail(a, b, np.minimum(log_x, np.log(0.5)))
    above = lower_tail(b, a, np.minimum(log_rest, np.log(0.5)))
    return np.where(log_x < log_rest, below, 1 - above)


def two_classes(a, b, ratio):
    """P(theta_2 <= ratio * (1 - theta_1)), for a ratio of one at most."""
    t, weights = spread(-40 / a[0] - 40, 40 / b[0] + 40, 8_001)
    log_x, log_rest = log_ends(t)
    density = np.exp(a[0] * log_x + b[0] * log_rest - betaln(a[0], b[0]))
    with np.errstate(divide="ignore"):
        log_gap = np.log(1 - ratio) + log_rest
    tail = cdf(a[1], b[1], np.log(ratio) + log_rest, np.logaddexp(log_x, log_gap))
    return (density * weights * tail).sum()


def three_classes(a, b):
    """P(theta_1 + theta_2 + theta_3 <= 1), with theta_2 = (1 - theta_1) v."""
    t, weights = spread(-40 / a[0] - 40, 40 / b[0] + 40, 600)
    u, inner = spread(-40 / a[1] - 40, 40 / a[2] + 40, 600)
    (log_x, log_rest), (log_v, log_w) = log_ends(t[:, np.newaxis]), log_ends(u)
    log_y, log_y_rest = log_rest + log_v, np.logaddexp(log_x, log_rest + log_w)
    logs = a[0] * log_x + b[0] * log_rest + a[1] * log_y + (b[1] - 1) * log_y_rest + log_w
    logs -= betaln(a[0], b[0]) + betaln(a[1], b[1])
    tail = cdf(a[2], b[2], log_rest + log_w, np.logaddexp(log_x, log_y))
    return weights @ (np.exp(logs) * tail) @ inner


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([0.005, 0.003], [0.002, 0.01]),
        ([0.001, 0.003], [0.002, 0.001]),
        ([0.05, 0.003], [0.02, 0.1]),
        ([0.01, 0.02], [0.01, 0.02]),
        ([0.5, 0.01], [0.2, 1.0]),
    ],
    ids=str,
)
@pytest.mark.parametrize("weights", [[0.5, 0.5], [0.3, 0.4]], ids=["equal", "unequal"])
def test_two_classes_on_a_corner(a, b, weights):
    """The cdf where one class is at an end and the other one at either."""
    expected = two_classes(a, b, weights[0] / weights[1])
    distribution = BetaAverage(a, b, weights=weights)
    assert distribution.cdf(weights[0]) == pytest.approx(expected, rel=0, abs=3e-12)
    assert distribution.ccdf(weights[0]) == pytest.approx(1 - expected, rel=0, abs=3e-12)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([0.05, 0.1, 0.2], [0.1, 0.03, 0.07]),
        ([0.01, 0.02, 0.03], [0.02, 0.01, 0.005]),
    ],
    ids=str,
)
def test_three_classes_on_a_corner(a, b):
    """Three corners at one place, with different exponents."""
    assert BetaAverage(a, b).cdf(1 / 3) == pytest.approx(three_classes(a, b), rel=0, abs=1e-12)


@pytest.mark.parametrize("gap", [1e-14, 1e-10, 1e-6, 1e-3], ids=str)
def test_beside_a_corner(gap):
    """Below a corner: theta_1 + theta_2 <= 1 - gap, with theta_1 = (1 - gap) v."""
    a, b = [0.005, 0.003], [0.002, 0.01]
    low = 1 - gap
    t, weights = spread(-40 / a[0] - 40, 40 / a[1] + 40, 8_001)
    (log_v, log_w), (log_low, log_gap) = log_ends(t), np.log([low, 1 - low])
    logs = a[0] * (log_low + log_v) + (b[0] - 1) * np.logaddexp(log_gap, log_low + log_w) + log_w
    tail = cdf(a[1], b[1], log_low + log_w, np.logaddexp(log_gap, log_low + log_v))
    expected = (np.exp(logs - betaln(a[0], b[0])) * tail * weights).sum()
    found = BetaAverage(a, b, weights=[1.0, 1.0]).cdf(low)
    # The corner is known to a rounding or two.
    assert found == pytest.approx(expected, rel=0, abs=3e-12 + 1e-17 / gap)


@pytest.mark.parametrize("exponent", [0.7, 0.9])
def test_density_on_a_corner(exponent):
    """The integral of f(t) f(1 - t), which barely converges."""
    t, weights = spread(-5000, 5000, 8_001)
    logs = (2 * exponent - 1) * sum(log_ends(t)) - 2 * betaln(exponent, exponent)
    expected = 2 * (np.exp(logs) * weights).sum()
    found = BetaAverage([exponent] * 2, [exponent] * 2).pdf(0.5)
    assert found == pytest.approx(expected, rel=1e-11)


def test_more_corners_than_can_be_opened():
    """A million corners at all scales: a sum is the mixture of those with one sample more."""
    a, b = np.full(20, 0.01), np.full(20, 0.01)
    a[::3], b[1::4] = 3.01, 1.01
    weights = np.geomspace(1e-6, 1, 20)
    one = np.arange(20) == 18
    x = np.array([1e-6, 1e-4, 0.3, 0.9, 1.4, 1.7])
    right = BetaAverage(a + one, b, weights=weights)
    wrong = BetaAverage(a, b + one, weights=weights)
    share = a[18] / (a[18] + b[18])
    distribution = BetaAverage(a, b, weights=weights)
    for tail in ("cdf", "ccdf"):
        mixed = share * getattr(right, tail)(x) + (1 - share) * getattr(wrong, tail)(x)
        np.testing.assert_allclose(getattr(distribution, tail)(x), mixed, rtol=0, atol=1e-11)


@pytest.mark.parametrize("scale", [1e-3, 1e-6])
def test_many_small_classes_out_of_reach(scale):
    """Too many classes of little weight to be split: amid two large ones they hardly matter."""
    exponents, small = np.full(16, 0.01), scale * np.geomspace(0.3, 1, 14)
    distribution = BetaAverage(exponents, exponents, weights=[1.0, 0.7, *small])
    # All of them are symmetric about the mean.
    y = np.array([-0.03, -0.01, 0.0, 0.01, 0.03])
    found = distribution.cdf(distribution.mean() + y)
    np.testing.assert_allclose(found + found[::-1], 1, rtol=0, atol=2e-9)
    pair = BetaAverage(exponents[:2], exponents[:2], weights=[1.0, 0.7])
    # Their mean is exact; the second order in their scale is that of the slope of the density.
    np.testing.assert_allclose(found, pair.cdf(pair.mean() + y), rtol=0, atol=scale**2 + 3e-9)


@pytest.mark.parametrize("smallest", [1e-4, 1e-7])
def test_tiny_exponents_at_many_scales_do_not_overflow(smallest):
    """Masses at corners of all scales, against draws."""
    a, b, weights = np.full(20, 0.001), np.full(20, 1.001), np.geomspace(1, smallest, 20)
    distribution = BetaAverage(a, b, weights=weights)
    draws = np.random.default_rng(0).beta(a, b, (100_000, 20)) @ weights
    low, high = distribution.hdi(0.95)
    assert low == 0
    assert np.mean(draws <= high) == pytest.approx(0.95, abs=0.003)
    mean = distribution.mean()
    assert distribution.cdf(mean) == pytest.approx(np.mean(draws <= mean), abs=0.003)


def test_many_perfect_classes_of_one_size():
    """The sum of many small losses is nearly that of one class with the sum of the exponents."""
    average = BetaAverage(np.full(1000, 1e6), np.full(1000, 1 / 1000))
    one = stats.gamma(1.0, scale=1e-9)
    x = np.array([0.5, 1.0, 3.0]) * 1e-9
    assert average.cdf(1 - x) == pytest.approx(one.sf(x), abs=1e-5)
