"""Sizes of test sets under a prior that the classes share, against exact posteriors."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtri

from skpostbac import required_test_size
from skpostbac.model_selection._test_size.class_plans import (
    Binomial,
    PairedPlan,
    RecallPlan,
    SeparatePlan,
)
from skpostbac.model_selection._test_size.shared import SharedNarrowInterval, SharedSureDifference
from skpostbac.stats import HierarchicalBetaAverage, HierarchicalPairedDifference, Hyperprior

SIZES = (20, 25, 80)
BINOMIAL, PRIOR = Binomial(0.8), (1 / 3, 1 / 3)


def plans_of(kind, *distributions):
    """Return the plans of three classes of equal weights."""
    return [kind(size, *distributions, PRIOR, 1 / 3) for size in SIZES]


@pytest.mark.parametrize("correct", [(17, 20, 66), (18, 25, 44)], ids=str)
def test_width_is_that_of_the_exact_interval(correct):
    """Skewness and kurtosis of independent priors are good to a hundredth of the width."""
    goal, y, x = (
        SharedNarrowInterval(0.2, 0.95, Hyperprior()),
        np.zeros(3),
        np.array(correct, float),
    )
    low, high = HierarchicalBetaAverage(correct, SIZES).interval(0.95)
    found = goal.exact(plans_of(RecallPlan, BINOMIAL), y, x)
    assert 1 - found == pytest.approx((high - low) / 0.2, rel=0.01)


def test_paired_difference_is_that_of_draws():
    """Near the level: the score of P(B > A) has an error of .005 by the draws."""
    goal, y, x = (
        SharedSureDifference(0.95, Hyperprior()),
        np.array([6.0, 7, 15]),
        np.array([4.0, 5, 10]),
    )
    counts = np.column_stack([np.array(SIZES) - y, y - x, x, 0 * x])
    score = ndtri(HierarchicalPairedDifference(counts).ccdf(0.0)) - ndtri(0.95)
    found = goal.exact(plans_of(PairedPlan, BINOMIAL, BINOMIAL), y, x)
    assert found == pytest.approx(score, abs=0.03)


def test_difference_on_separate_sets_is_that_of_the_exact_distribution():
    """Three terms of the expansion, near the level."""
    goal, y, x = (
        SharedSureDifference(0.95, Hyperprior()),
        np.array([14.0, 17, 55]),
        np.array([17.0, 23, 62]),
    )
    difference = HierarchicalBetaAverage(x, SIZES) - HierarchicalBetaAverage(y, SIZES)
    score = ndtri(difference.ccdf(0.0)) - ndtri(0.95)
    found = goal.exact(plans_of(SeparatePlan, BINOMIAL, BINOMIAL), y, x)
    assert found == pytest.approx(score, abs=0.03)


@pytest.mark.parametrize(
    "options", [{"width": 0.2}, {"difference": 0.1, "paired": False}], ids=["width", "difference"]
)
def test_classes_that_borrow_nothing_have_the_prior_of_jeffreys(options):
    """The exact assurance under independent priors is known; six outcomes calibrate the other."""
    recalls = [0.85, 0.8, 0.7]
    exact = required_test_size(recalls, prior="jeffreys", **options)
    shared = required_test_size(recalls, prior=Hyperprior(outlier=1), **options)
    size = int(exact.samples[0])
    assert shared.assurance_at(size) == pytest.approx(exact.assurance, abs=0.02)
    assert shared.samples[0] == pytest.approx(size, rel=0.05)


def test_one_class_is_that_of_an_enumeration():
    """The exact intervals of all counts but those of a probability below 1e-4."""
    plan = required_test_size(0.9, width=0.2, prior="hierarchical")
    chances = stats.binom(50, 0.9).pmf(np.arange(51))
    expected = 0.0
    for correct in np.flatnonzero(chances > 1e-4).tolist():
        low, high = HierarchicalBetaAverage([correct], [50]).interval(0.95)
        expected += chances[correct] * (high - low <= 0.2)
    assert plan.assurance_at(50) == pytest.approx(expected, abs=1e-3)
    assert plan.assurance >= 0.8 > plan.assurance_at(plan.total - 1)
    assert plan.report().splitlines()[1:] == [
        "The hierarchical prior makes this probability approximate, to about 0.02."
    ]


@pytest.mark.slow
@pytest.mark.parametrize("shares", [(1, 1, 1, 1, 1), (1, 1, 1, 4, 4)], ids=["equal", "unequal"])
def test_width_is_that_of_a_simulation(shares):
    """Exact intervals of 200 test sets: three standard errors, and .02 of the approximation."""
    recalls = [0.6, 0.7, 0.8, 0.9, 0.95]
    plan = required_test_size(recalls, width=0.1, class_proportions=shares, prior="hierarchical")
    correct = np.random.default_rng(3).binomial(plan.samples, recalls, (200, 5))
    intervals = [HierarchicalBetaAverage(k, plan.samples).interval(0.95) for k in correct]
    share = np.mean([high - low <= 0.1 for low, high in intervals])
    assert plan.assurance == pytest.approx(share, abs=3 * np.sqrt(0.16 / 200) + 0.02)


@pytest.mark.slow
def test_paired_difference_is_that_of_a_simulation():
    """Draws of the posterior in 400 test sets: three standard errors, and .02 as above."""
    recalls = np.linspace(0.6, 0.85, 6)
    options = {"difference": 0.08, "agreement": 0.85}
    plan = required_test_size(recalls, **options, prior="hierarchical")
    rng, size = np.random.default_rng(3), plan.samples
    found = 0
    for _ in range(400):
        discordant = rng.binomial(size, 0.15)
        only_b = rng.binomial(discordant, (0.15 + 0.08) / 2 / 0.15)
        cells = np.column_stack([size - discordant, discordant - only_b, only_b, 0 * size])
        found += HierarchicalPairedDifference(cells, n_draws=20_000).ccdf(0.0) >= 0.95
    assert plan.assurance == pytest.approx(found / 400, abs=3 * np.sqrt(0.16 / 400) + 0.02)
