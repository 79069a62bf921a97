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
    """The exact assurance under independent priors is known."""
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


def test_assurance_is_that_of_simulated_moments_if_rare_classes_borrow_from_common_ones():
    """Here the widths spread more than under independent priors: .806 of 2,000 test sets."""
    plan = required_test_size(
        [0.9, 0.8, 0.7], width=0.1, class_proportions=[100, 10, 1], prior="hierarchical"
    )
    goal, prior = SharedNarrowInterval(0.1, 0.95, Hyperprior()), (1 / 3, 1 / 3)
    sizes, recalls = (4000, 400, 40), (0.9, 0.8, 0.7)
    plans = [RecallPlan(n, Binomial(r), prior, 1 / 3) for n, r in zip(sizes, recalls, strict=True)]
    correct = np.random.default_rng(0).binomial(sizes, recalls, (400, 3)).astype(float)
    share = np.mean([goal.exact(plans, np.zeros(3), x) >= 0 for x in correct])
    assert plan.assurance_at(40) == pytest.approx(share, abs=3 * np.sqrt(0.16 / 400))
    assert plan.assurance_at(40) == pytest.approx(0.806, abs=0.02)
    assert plan.assurance_at(38) < 0.75


def test_few_different_outcomes_are_all_looked_at():
    """The outcomes of two small classes, by their probabilities."""
    plan = required_test_size([0.9, 0.8], width=0.4, prior="hierarchical")
    goal = SharedNarrowInterval(0.4, 0.95, Hyperprior())
    plans = [RecallPlan(6, Binomial(rate), (0.5, 0.5), 0.5) for rate in (0.9, 0.8)]
    binomials = [stats.binom(6, rate).pmf(np.arange(7)) for rate in (0.9, 0.8)]
    expected = sum(
        binomials[0][i] * binomials[1][j]
        for i, j in np.ndindex(7, 7)
        if goal.exact(plans, np.zeros(2), np.array([i, j], float)) >= 0
    )
    assert plan.assurance_at(6) == pytest.approx(expected, abs=1e-3)


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
