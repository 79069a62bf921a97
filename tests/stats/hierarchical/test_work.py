"""Sums of classes that borrow end after so much work, and tell what they leave out."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

from skpostbac.stats import HierarchicalBetaAverage, Hyperprior, PowerTransform
from skpostbac.stats._hierarchical import tilted, tilted_sum
from skpostbac.stats._inversion import inverter

SIZES = np.rint(np.geomspace(1, 5976000.0, 9))
NINE = SIZES * (np.arange(9) % 2), SIZES
SIGNED = np.resize([1, -0.2021, 0.005224], 9)
MANY_SCALES = np.array([3.0, 0.0, 40.0, 7.0]), np.array([3.0, 2.0, 41.0, 9.0])


def _sizes_of_lines(monkeypatch):
    """Record how many nodes lines have, and whether they have decayed."""
    found, line_of = [], tilted_sum.TiltedPoolSum.line

    def line(self, least, most):
        line = line_of(self, least, most)
        found.append((line.size, line.has_decayed))
        return line

    monkeypatch.setattr(tilted_sum.TiltedPoolSum, "line", line)
    return found


def test_line_ends_after_its_work_and_tells(monkeypatch):
    """What a line leaves out that had to end early is no more than about what is told."""
    distribution = HierarchicalBetaAverage(*MANY_SCALES, weights=[1.0, 0.3, 0.1, 0.03])
    x = np.array([0.4, 0.9, 1.2, 1.3])
    exact = distribution.cdf(x)
    found = _sizes_of_lines(monkeypatch)
    monkeypatch.setattr(tilted_sum, "_MOST_WORK", 2.0**17)
    monkeypatch.setattr(tilted_sum, "_MUCH_WORK", 2.0**16)
    early = HierarchicalBetaAverage(*MANY_SCALES, weights=[1.0, 0.3, 0.1, 0.03])
    with pytest.warns(RuntimeWarning, match="errors of about") as told:
        cut = early.cdf(x)
    assert not all(decayed for _, decayed in found)
    assert len(told) == 1
    size = float(str(told[0].message).rstrip(".").split()[-1])
    assert 0 < np.abs(cut - exact).max() < 3 * size


@pytest.mark.parametrize("seed", [19, 24])
def test_short_line_goes_on_to_its_decay(monkeypatch, seed):
    """Many classes take much work at few nodes, of which the last one alone tells little."""
    found = _sizes_of_lines(monkeypatch)
    rng = np.random.default_rng(seed)
    total = np.sort(np.resize(3 * 2 ** np.arange(8), 60))
    distribution = HierarchicalBetaAverage(rng.binomial(total, rng.beta(9, 3, 60)), total)
    assert_allclose(distribution.cdf(distribution.interval(0.95)), [0.025, 0.975], rtol=1e-9)
    assert all(decayed for _, decayed in found)


def test_line_of_equal_weights_ends_where_it_has_decayed(monkeypatch):
    """Nodes beyond the decay, up to where coins of one weight would have turned, are enough."""
    found = _sizes_of_lines(monkeypatch)
    total = np.rint(np.geomspace(2, 5e4, 30))
    HierarchicalBetaAverage(np.rint(0.7 * total), total).cdf(0.7)
    assert all(decayed for _, decayed in found)
    assert max(size for size, _ in found) < 200


def test_range_under_a_large_tilt():
    """Chernoff's bound holds next to a far anchor, where a wave of a real rate would overflow."""
    distribution = HierarchicalBetaAverage(*NINE, weights=SIGNED)
    one = distribution._far_pools.tilted(5.08e4)
    low, high = one.bounds
    assert high - low < 40 * np.sqrt(one.variance)


@pytest.mark.parametrize("log_p", [-30.0, -161.0])
def test_place_of_a_far_tail(log_p):
    """The place by the saddlepoint is that of a log probability which is close."""
    total = np.array([12.0, 30.0, 7.0])
    distribution = HierarchicalBetaAverage([9, 20, 5], total)
    place = distribution._far_pools.place_of(log_p)
    found = distribution.logccdf(distribution.mean() + place)
    assert abs(found / log_p - 1) < 0.3


def test_far_quantiles_take_few_contours(monkeypatch):
    """A quantile of a far tail is found from a place that the tilts alone have told."""
    found = _sizes_of_lines(monkeypatch)
    distribution = HierarchicalBetaAverage([40, 3, 900], [50, 4, 1000])
    p = 1e-70
    x = distribution.iccdf(p)
    assert len(found) <= 4
    assert_allclose(distribution.logccdf(x), np.log(p), rtol=1e-9)


@pytest.mark.slow
def test_states_under_a_tilt_are_those_of_all_looks(monkeypatch):
    """Where some states are looked at, far tails are as where all of them are."""
    from skpostbac.stats._borrowing import strata

    total = np.rint(np.geomspace(3, 400, 12))
    correct, x = np.rint(0.8 * total), np.array([0.4, 0.95])
    some = HierarchicalBetaAverage(correct, total).logcdf(x)
    monkeypatch.setattr(strata, "_STRIDE", 1)
    assert_allclose(HierarchicalBetaAverage(correct, total).logcdf(x), some, rtol=1e-10)


def test_classes_of_many_scales_come_back():
    """Classes of all sizes with weights over five decades once took more than half a minute."""
    total = np.resize([7136000.0, 11930, 33, 0, 260], 12)
    distribution = HierarchicalBetaAverage(
        total * (np.arange(12) % 2),
        total,
        weights=np.geomspace(1, 2.999e-05, 12),
        hyperprior=Hyperprior(rate=0.3412),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        assert 0.3 < distribution.cdf(distribution.mean()) < 0.7


def _count_far_contours(monkeypatch):
    """Count the contours through saddlepoints."""
    found, build = [], inverter.Inversion._saddle_contour

    def counted(self, *arguments):
        found.append(arguments)
        return build(self, *arguments)

    monkeypatch.setattr(inverter.Inversion, "_saddle_contour", counted)
    return found


def _ask(name):
    """Return a question to a distribution."""
    return lambda distribution: np.atleast_1d(getattr(distribution, name)())


QUESTIONS = {name: _ask(name) for name in ("interval", "hdi", "mode", "median")}
QUESTIONS["mean of a power"] = lambda one: np.atleast_1d(PowerTransform(one, 0.4).mean())


@pytest.mark.slow
@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
def test_centre_that_is_cut_off_asks_for_no_far_contours(monkeypatch, question):
    """Those would be cut off, too; the error is told, and what is found is close."""
    weights = [1.0, 0.3, 0.1, 0.03]
    exact = question(HierarchicalBetaAverage(*MANY_SCALES, weights=weights))
    found = _count_far_contours(monkeypatch)
    monkeypatch.setattr(tilted_sum, "_MOST_WORK", 2.0**17)
    monkeypatch.setattr(tilted_sum, "_MUCH_WORK", 2.0**16)
    with pytest.warns(RuntimeWarning, match="errors of about") as told:
        cut = question(HierarchicalBetaAverage(*MANY_SCALES, weights=weights))
    assert len(told) == 1
    assert not found
    assert_allclose(cut, exact, atol=0.02)


def test_far_tails_beyond_the_work_of_a_call_are_interpolated(monkeypatch):
    """With the work of one contour their logs are within what is told, and fall."""
    total = np.array([12.0, 30.0, 7.0])
    distribution = HierarchicalBetaAverage([9, 20, 5], total)
    x = np.array([0.05, 0.1, 0.14, 0.2, 0.25])
    exact = distribution.logcdf(x)
    found = _count_far_contours(monkeypatch)
    monkeypatch.setattr(inverter, "_MUCH_WORK", 0.0)
    monkeypatch.setattr(inverter, "_MOST_WORK", 1.0)
    with pytest.warns(RuntimeWarning, match="too expensive to compute") as told:
        close = HierarchicalBetaAverage([9, 20, 5], total).logcdf(x)
    assert len(found) == 1
    size = float(str(told[0].message).rstrip(".").split()[-1])
    assert (np.diff(close) > 0).all()
    assert 0 < np.abs(close - exact).max() < 2 * size


CALLS = {
    "cdf": lambda one: one.cdf([1e-9, 0.4, 0.9, 1.2, 1.42999]),
    "cdf between": lambda one: one.cdf([0.1, 0.4], [0.9, 1.2]),
    "icdf": lambda one: one.icdf([1e-40, 1e-20, 0.3, 0.7, 1 - 1e-12]),
    "hdi": lambda one: one.hdi(1 - 1e-6),
    "pdf of a power": lambda one: PowerTransform(one, 0.4).pdf([0.01, 0.5, 0.9]),
}


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_each_call_warns_once(monkeypatch, call):
    """Of all that it leaves out, in the centre and in the tails on both sides."""
    monkeypatch.setattr(tilted_sum, "_MOST_WORK", 2.0**17)
    monkeypatch.setattr(tilted_sum, "_MUCH_WORK", 2.0**16)
    monkeypatch.setattr(inverter, "_MUCH_WORK", 0.0)
    monkeypatch.setattr(inverter, "_MOST_WORK", 2.0**18)
    one = HierarchicalBetaAverage(*MANY_SCALES, weights=[1.0, 0.3, 0.1, 0.03])
    with pytest.warns(RuntimeWarning, match="errors of") as told:
        call(one)
    assert len(told) == 1
    assert told[0].filename == __file__


@pytest.mark.slow
def test_limited_work_goes_to_where_interpolation_is_worst(monkeypatch):
    """With the work of a few contours the logs of many far tails are close everywhere."""
    total, x = np.array([12.0, 30.0, 7.0]), np.geomspace(1e-12, 0.25, 12)
    monkeypatch.setattr(inverter, "_MOST_WORK", np.inf)
    exact = HierarchicalBetaAverage([9, 20, 5], total).logcdf(x)
    monkeypatch.setattr(inverter, "_MUCH_WORK", 0.0)
    monkeypatch.setattr(inverter, "_MOST_WORK", 2.0**22)
    found = _count_far_contours(monkeypatch)
    with pytest.warns(RuntimeWarning, match="too expensive to compute") as told:
        close = HierarchicalBetaAverage([9, 20, 5], total).logcdf(x)
    assert len(found) < 9
    size = float(str(told[0].message).rstrip(".").split()[-1])
    assert np.abs(close - exact).max() < size < 0.01 * np.ptp(exact)


def test_transform_is_evaluated_as_far_as_its_work_allows():
    """The first of the rates alone are evaluated, a few at least."""
    distribution = HierarchicalBetaAverage(*MANY_SCALES, weights=[1.0, 0.3, 0.1, 0.03])
    (pool,) = distribution._inversion._upper.tilted(2.0)._pools
    rates = 1j * np.arange(200.0)
    whole, few = pool.along(rates), pool.along(rates, 0.0)
    assert whole.values.size == 200
    assert few.values.size == 64
    assert_allclose(few.values, whole.values[:64], rtol=1e-10, atol=1e-12)


def test_saddlepoints_are_looked_for_without_transforms():
    """Laplace's method tells mean and variance under a tilt closely, and costs no transforms."""
    total = np.rint(np.geomspace(3, 4e4, 12))
    distribution = HierarchicalBetaAverage(np.rint(0.8 * total), total)
    for tilt in (30.0, 1e3, 1e5):
        one = distribution._far_pools.tilted(tilt)
        mean, variance = one.approximate_mean, one.approximate_variance
        assert one.work == 0
        assert abs(mean - one.mean) < 0.2 * np.sqrt(one.variance + 1 / tilt**2)
        assert_allclose(variance, one.variance, rtol=0.1)


def test_points_that_are_equal_share_a_contour(monkeypatch):
    """Also where rounding of a log of a thousand millions leaves much in the tail itself."""
    found = _count_far_contours(monkeypatch)
    distribution = HierarchicalBetaAverage([0, 0, 0], [9993000, 728, 524700])
    first, second = distribution.logccdf([0.9999, 0.9999])
    assert first == second < -1e7
    assert len(found) == 1


def test_far_shortest_interval_takes_few_contours(monkeypatch):
    """All of its search shares them."""
    found = _count_far_contours(monkeypatch)
    low, high = HierarchicalBetaAverage([2, 4, 9, 16], [4, 8, 18, 32]).hdi(1 - 1e-7)
    assert_allclose(low + high, 1, rtol=1e-9)
    assert len(found) <= 20


def test_small_tails_that_are_cut_off_are_told(monkeypatch):
    """What a line leaves out of a small tail is told relative to it."""
    distribution = HierarchicalBetaAverage(*MANY_SCALES, weights=[1.0, 0.3, 0.1, 0.03])
    exact = distribution.logcdf(0.01)
    assert exact < np.log(1e-9)
    monkeypatch.setattr(tilted_sum, "_MOST_WORK", 2.0**14)
    monkeypatch.setattr(tilted_sum, "_MUCH_WORK", 2.0**13)
    monkeypatch.setattr(tilted, "_LEAST_RATES", 12)
    early = HierarchicalBetaAverage(*MANY_SCALES, weights=[1.0, 0.3, 0.1, 0.03])
    with pytest.warns(RuntimeWarning, match="logarithms may have errors of") as told:
        early.logcdf(0.01)
    assert len(told) == 1
