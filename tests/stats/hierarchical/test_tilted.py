"""Tests of transforms under a tilt: those at few heights against those at all."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from skpostbac.stats import HierarchicalBetaAverage
from skpostbac.stats._hierarchical import rule, tilted_stratum
from skpostbac.stats._hierarchical.end_mixture import _log_sum
from skpostbac.stats._hierarchical.series import Coefficients
from skpostbac.stats._hierarchical.tilted import TiltedPool
from skpostbac.stats._hierarchical.tilted_stratum import TiltedStratum

# Counts, weights, heights times the standard deviation.
ALONG = {
    "perfect": ([3, 30, 300], [3, 30, 300], None, (40, 130)),
    "perfect classes alike": ([20, 20, 60], [20, 20, 60], None, (40, 130)),
    "none correct": ([0, 0, 0], [37, 390, 12], [0.5, -0.2, 0.3], (60, 400)),
    "both ends": ([0, 1], [1, 1], None, (450, 1500)),
}


@pytest.mark.parametrize("case", ALONG.values(), ids=ALONG)
def test_few_heights_tell_all(case):
    """The transform between the heights of nodes is what a sum over all states gives."""
    correct, total, weights, span = case
    distribution = HierarchicalBetaAverage(correct, total, weights=weights)
    sd, (classes,) = distribution.standard_deviation(), distribution._parts
    pool = TiltedPool.of(classes.pool, 0.5 / sd, from_end=False)
    under = pool.under
    pool = pool.narrowed([np.exp(logs) for logs in under.log_weights], 1e-18, under)
    rates = 1j * np.linspace(*span, 300) / sd
    found, expected = pool._along_corners(rates), pool._along_states(rates)
    assert found is not None
    values = found.values * np.exp((found.anchor - expected.anchor) * rates)
    assert_allclose(values, expected.values, rtol=0, atol=3e-12)


# Correct of 10, 100 and 1,000 samples, heights times the standard deviation, and whether the last
# of them are interpolated.
PANELS = {
    "perfect": ([10, 99, 999], (40, 170), True),
    "nearly perfect": ([9, 99, 999], (20, 70), True),
    "between the ends": ([9, 60, 500], (3, 12), False),
}


@pytest.mark.parametrize(("correct", "span", "is_smooth"), PANELS.values(), ids=PANELS)
def test_panels_tell_the_transform_where_they_converge(correct, span, is_smooth):
    """Where it is not interpolated the transform is summed, and both together are as all sums."""
    distribution = HierarchicalBetaAverage(correct, [10, 100, 1000])
    sd, (classes,) = distribution.standard_deviation(), distribution._parts
    pool = TiltedPool.of(classes.pool, 0.5 / sd, from_end=False)
    pool = pool.narrowed([np.exp(logs) for logs in pool.under.log_weights], 1e-18, pool.under)
    rates = 1j * np.linspace(*span, 120) / sd
    found, expected = pool.along(rates), pool._along_states(rates)
    assert found.is_smooth is is_smooth
    assert (found.work < 0.8 * expected.work) is is_smooth
    values = found.values * np.exp((found.anchor - expected.anchor) * rates)
    assert_allclose(values, expected.values, rtol=0, atol=3e-12)


def test_bands_leave_nothing_out(monkeypatch):
    """A rule with the weights of few states on few abscissae is as one with all on all."""
    (classes,) = HierarchicalBetaAverage([4, 49, 4999], [5, 50, 5000])._parts
    rates = 1j * np.linspace(2000, 3000, 7)
    for one in classes.pool.strata:
        found = TiltedStratum(one, 9.0, from_end=False).along(rates, Coefficients(9.0, rates))
        with monkeypatch.context() as patch:
            patch.setattr(rule, "_NEIGHBOURS", 10**6)
            patch.setattr(tilted_stratum, "_LOG_NEGLIGIBLE", -np.inf)
            patch.setattr(rule, "_DEPTH", 300.0)
            whole = TiltedStratum(one, 9.0, from_end=False).along(rates, Coefficients(9.0, rates))
        assert_allclose(found.values, whole.values, rtol=0, atol=1e-14)
        assert_allclose(found.log_mgfs, whole.log_mgfs, rtol=0, atol=1e-13)


def test_classes_in_the_middle_are_summed_at_all_heights():
    """Far from both ends the transform oscillates, and few heights do not tell it."""
    distribution = HierarchicalBetaAverage([40, 41, 42], [80, 82, 85])
    (classes,) = distribution._parts
    pool = TiltedPool.of(classes.pool, 10.0, from_end=False)
    pool = pool.narrowed([np.exp(logs) for logs in pool.under.log_weights], 1e-18, pool.under)
    assert pool._along_corners(1j * np.linspace(40, 100, 300)) is None


def test_transform_of_a_stratum_at_the_tilt_is_one():
    """Values are relative to those at the tilt, by a series and by a rule."""
    (classes,) = HierarchicalBetaAverage([9, 2000], [10, 2001], weights=[0.4, 20.0])._parts
    for one in classes.pool.strata:
        tilted = TiltedStratum(one, 3.0, from_end=False)
        rates = np.zeros(1, dtype=complex)
        values = tilted.along(rates, Coefficients(3.0, rates)).values
        assert_allclose(values, 1, rtol=1e-12)


def test_corners_of_many_like_classes_are_not_tried():
    """A hundred of them have as many corners, with tables of all states for each."""
    for number, is_tried in ((3, True), (100, False)):
        distribution = HierarchicalBetaAverage([20] * number, [20] * number)
        (pool,) = distribution._inversion._upper.tilted(2.0)._pools
        assert (pool._nodes_worth(1j * np.linspace(1e4, 2e4, 200)) > 0) is is_tried


@pytest.mark.slow
def test_range_of_a_class_between_its_ends():
    """A class that a tilt pushes off its end is still seen from both ends by a sharp bound."""
    weights = np.random.default_rng(150476).dirichlet(np.full(903, 0.3)) + 1e-9
    distribution = HierarchicalBetaAverage(np.zeros(903), np.full(903, 7422), weights=weights)
    tilted = distribution._inversion._far_from(1).tilted(394662.0)
    low, high = tilted.bounds
    assert high - low < 20 * np.sqrt(tilted.variance)


@pytest.mark.slow
def test_range_of_heavy_tails_at_many_states():
    """Where a tilt is close to where a transform ends, smaller rates bound the range."""
    weights = np.random.default_rng(248431).normal(size=57)
    total = np.full(57, 510600)
    distribution = HierarchicalBetaAverage(total * (np.arange(57) % 2), total, weights=weights)
    tilted = distribution._inversion._far_from(-1).tilted(199798.0)
    low, high = tilted.bounds
    assert high - low < 80 * np.sqrt(tilted.variance)


PUSHED = {
    "to a perfect class": ([9.0, 0.5], [9.0, 0.5], [0.7, 0.3]),
    "away from perfect classes": ([9, 40], [9, 40], [-0.7, -0.3]),
    "both ways": ([9, 8], [9, 9], [0.7, -0.3]),
}


@pytest.mark.parametrize("case", PUSHED.values(), ids=PUSHED)
def test_pushed_classes_are_expanded_at_their_end(monkeypatch, case):
    """Under a large tilt the upper end alone gives what a rule does."""
    correct, total, weights = case
    (classes,) = HierarchicalBetaAverage(correct, total, weights=weights)._parts
    tilt, rates = 2e5, 1j * np.linspace(0, 3e5, 9)
    found = TiltedPool.of(classes.under(tilt), tilt, from_end=True).along(rates)
    monkeypatch.setattr(
        TiltedStratum, "_pushed", lambda self, rates: np.zeros(self.stratum.a.shape, dtype=bool)
    )
    expected = TiltedPool.of(classes.under(tilt), tilt, from_end=True).along(rates)
    assert_allclose(found.log_mgf, expected.log_mgf, rtol=1e-12)
    values = found.values * np.exp((found.anchor - expected.anchor) * rates)
    assert_allclose(values, expected.values, rtol=0, atol=1e-11)


@pytest.mark.parametrize("correct", [51698.0, 0.0])
def test_graded_rule_is_short(monkeypatch, correct):
    """A perfect class has few abscissae at a large height, and the same transform."""
    (classes,) = HierarchicalBetaAverage([correct], [51698.0])._parts
    (one,) = classes.pool.strata
    rates = 1j * np.linspace(0, 1e5, 50)

    def part():
        return next(TiltedStratum(one, 10.0, from_end=False)._by_rule(np.array([0]), rates))

    graded = part()
    monkeypatch.setattr(rule, "_MANY_EVEN", 10**9)
    even = part()
    assert 4 * graded.n_abscissae < even.n_abscissae
    assert_allclose(graded.values, even.values, rtol=0, atol=1e-12)


def test_sum_of_powers_beside_each_other():
    """Where one of two powers is negligible it is left out, at all s."""
    own = np.array([0.0, -90.0, 90.0, 30.0]), np.array([2.0, 2.0, 2.0, 5.0])
    other = np.zeros(4), np.full(4, 0.5)
    log_s = np.array([1.0, 3.0 + 0.5j, 9.0 - 1.0j])
    expected = np.log(sum(np.exp(a[:, None] - np.outer(p, log_s)) for a, p in (own, other)))
    found = _log_sum(own, other, log_s)
    assert_allclose(np.exp(1j * found.imag), np.exp(1j * expected.imag), atol=1e-13)
    assert_allclose(found.real, expected.real, rtol=1e-13)
