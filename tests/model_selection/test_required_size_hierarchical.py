"""Sizes of test sets under a prior that the classes share, against exact posteriors."""

import numpy as np
import pytest
from scipy import stats

from skpostbac import required_test_size
from skpostbac.stats import HierarchicalBetaAverage, HierarchicalPairedDifference, Hyperprior


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


def test_rare_classes_borrow_from_common_ones():
    """Here the widths spread more than under independent priors: .713 of 1,400 test sets."""
    plan = required_test_size(
        [0.9, 0.8, 0.7], width=0.1, class_proportions=[100, 10, 1], prior="hierarchical"
    )
    assert plan.assurance_at(40) == pytest.approx(0.713, abs=0.02)
    assert plan.assurance_at(38) < 0.66


def test_few_different_outcomes_are_all_looked_at():
    """By their probabilities and exact intervals, none of which is within .01 of the width."""
    plan = required_test_size([0.9, 0.8], width=0.415, assurance=0.2, prior="hierarchical")
    binomials = [stats.binom(6, rate).pmf(np.arange(7)) for rate in (0.9, 0.8)]
    expected = 0.0
    for i, j in np.ndindex(7, 7):
        distribution = HierarchicalBetaAverage([i, j], [6, 6])
        low, high = np.transpose([distribution.hdi(0.95), distribution.interval(0.95)])
        chance = binomials[0][i] * binomials[1][j]
        expected += chance * (high.max() - low.min() <= 0.415)
    assert plan.assurance_at(6) == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("paired", [True, False], ids=["paired", "separate"])
def test_differences_in_few_outcomes_are_those_of_exact_posteriors(paired):
    """One class of three samples; no posterior is close to the level."""
    options = {"difference": 0.4, "paired": paired, "level": 0.85, "assurance": 0.3}
    plan = required_test_size(0.5, **options, prior="hierarchical")
    expected, size = 0.0, 3
    for a, b in np.ndindex(size + 1, size + 1):
        if not paired:
            chance = stats.binom.pmf(a, size, 0.5) * stats.binom.pmf(b, size, 0.9)
            gain = HierarchicalBetaAverage([b], [size]) - HierarchicalBetaAverage([a], [size])
        elif a + b <= size:
            # only A is right with 0.5 * 0.1, and only B with 0.9 * 0.5
            cells = [a, b, size - a - b]
            chance = stats.multinomial.pmf(cells, size, [0.05, 0.45, 0.5])
            gain = HierarchicalPairedDifference([[size - a - b, a, b, 0]])
        else:
            continue
        expected += chance * (gain.ccdf(0.0) >= 0.85)
    assert 0.01 < expected < 0.99
    assert plan.assurance_at(size) == pytest.approx(expected, abs=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("shares", [(1, 1, 1, 1, 1), (1, 1, 1, 4, 4)], ids=["equal", "unequal"])
def test_width_is_that_of_a_simulation(shares):
    """Exact intervals of 200 test sets: three standard errors, and .02 of the approximation."""
    recalls = [0.6, 0.7, 0.8, 0.9, 0.95]
    plan = required_test_size(recalls, width=0.1, class_proportions=shares, prior="hierarchical")
    correct = np.random.default_rng(3).binomial(plan.samples, recalls, (200, 5))
    distributions = [HierarchicalBetaAverage(k, plan.samples) for k in correct]
    ends = np.array([[one.hdi(0.95), one.interval(0.95)] for one in distributions])
    share = np.mean(ends[..., 1].max(axis=1) - ends[..., 0].min(axis=1) <= 0.1)
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
