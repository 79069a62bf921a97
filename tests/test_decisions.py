"""The study of decisions: what it computes at once is what the public calls return."""

import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

from skpostbac import PosteriorBalancedAccuracy, PosteriorComparison
from skpostbac.metrics import PairedCounts

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"

pytestmark = pytest.mark.skipif(
    not BENCHMARKS.is_dir(), reason="benchmarks/ is not part of this copy"
)


@pytest.fixture(scope="module")
def study():
    """Return the module of the study."""
    pytest.importorskip("matplotlib")
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import decisions
    finally:
        sys.path.remove(str(BENCHMARKS))
    return decisions


def test_probability_above_decides_as_the_lower_bound_does(study):
    """The gate of the command line and P(above) > .95 pass the same outcomes."""
    sizes = (6, 3)
    above = study.enumerate_scores(sizes, study.GOAL)
    for correct in np.ndindex(above.shape):
        posterior = PosteriorBalancedAccuracy.from_counts(correct, sizes)
        assert above[correct] == pytest.approx(
            posterior.distribution.ccdf(study.GOAL), abs=1e-10
        )
        passes = posterior.lower_bound() > study.GOAL
        assert passes == (above[correct] > study.LEVEL)
        fails = posterior.upper_bound() < study.GOAL
        assert fails == (above[correct] < 1 - study.LEVEL)


def test_shares_of_outcomes_are_those_of_a_binomial_variable(study):
    """Where the second class does not matter, one tail is left."""
    sizes = (12, 5)
    is_said = np.zeros((13, 6))
    is_said[9:] = 1
    found = study.share(is_said, sizes, (0.7, 0.4))
    assert found == pytest.approx(binom.sf(8, 12, 0.7), rel=1e-12)


def test_worst_shares_are_those_of_all_recalls(study, monkeypatch):
    """Outcomes that are left out do not matter, and none is counted twice."""
    recalls = np.array([0.6, 0.95])
    monkeypatch.setattr(study, "RECALLS", recalls)
    monkeypatch.setitem(study.SIZES, "few", (5, 3))
    expected = np.zeros(2)
    for pair in np.stack(np.meshgrid(recalls, recalls), axis=-1).reshape(-1, 2):
        wrong = np.zeros(2)
        for correct in np.ndindex(6, 4):
            posterior = PosteriorBalancedAccuracy.from_counts(correct, (5, 3))
            bounds = posterior.lower_bound(), posterior.upper_bound()
            is_wrong = bounds[0] > pair.mean(), bounds[1] < pair.mean()
            wrong += np.array(is_wrong) * binom.pmf(correct, (5, 3), pair).prod()
        expected = np.maximum(expected, wrong)
    found = study.measure_worst(2, "few", None)
    assert found["passes"] == pytest.approx(expected[:1], abs=1e-12)
    assert found["fails"] == pytest.approx(expected[[1, 1]], abs=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3, 10])
def test_recalls_have_the_asked_means(study, n_classes):
    """Scores and differences are those that the tables name."""
    for kind in study.KINDS:
        recalls = study.recalls_of(n_classes, kind, 0.85)
        assert recalls.mean() == pytest.approx(0.85)
    for true, traded in ((0.0, 0.05), (0.1, 0.0)):
        first, second = study.pair_recalls(n_classes, true, traded)
        assert (first - second).mean() == pytest.approx(true)
        assert study.cell_probabilities(first, second).sum(axis=1) == pytest.approx(1)
        cells = study.cell_probabilities(first, second)
        assert cells[:, 0] + cells[:, 1] == pytest.approx(first)


@pytest.mark.parametrize(("n_classes", "size"), [(2, "10+10"), (3, "50+50")])
def test_pairs_at_once_are_those_of_the_comparison(study, n_classes, size):
    """Few samples take the fallback, more the sum for all sets at once."""
    rng = np.random.default_rng(0)
    recalls = study.pair_recalls(n_classes, 0.05)
    cells = study.draw_cells(n_classes, size, recalls, 5, rng)
    expected = [
        PosteriorComparison.from_paired_counts(
            PairedCounts.from_cells(one, names=("A", "B"))
        ).prob_greater("A", "B")
        for one in cells
    ]
    assert study.prob_better(cells) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("n_classes", [1, 2, 10])
def test_sequences_at_once_pass_as_the_intervals_do(study, n_classes):
    """The region of the recalls decides as the end of the interval does."""
    rng = np.random.default_rng(1)
    total = rng.integers(10, 120, (40, n_classes)).astype(float)
    correct = rng.binomial(total.astype(int), 0.9).astype(float)
    goals = rng.uniform(0.5, 0.9, 40)
    expected = [
        PosteriorBalancedAccuracy.from_counts(k, n).confidence_sequence().low > goal
        for k, n, goal in zip(correct, total, goals, strict=True)
    ]
    found = [
        bool(study.sequence_passes(k, n, goal))
        for k, n, goal in zip(correct, total, goals, strict=True)
    ]
    assert found == expected
    assert 0 < sum(found) < len(found)
