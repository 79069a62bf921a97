"""Statements about chance: probabilities, a test against guessing, and bounds."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.integrate import dblquad
from scipy.stats import beta, binom, fisher_exact

from skpostbac import posterior_balanced_accuracy, posterior_balanced_accuracy_score
from skpostbac.metrics import (
    ClassCounts,
    PosteriorBalancedAccuracy,
    SelectedPosterior,
)
from tests.texts import sentences


def below_chance(n):
    """Return P(theta_1 + theta_2 <= 1) of two Beta(n + 1, 1): (n + 1) B(n + 1, n + 2)."""
    return Fraction(
        (n + 1) * math.factorial(n) * math.factorial(n + 1), math.factorial(2 * n + 2)
    )


@pytest.mark.parametrize("n", [1, 5, 20, 200, 400])
def test_probability_of_two_classes(n):
    """Also where it is next to 1, and the other one next to 0."""
    posterior = PosteriorBalancedAccuracy.from_counts([n, n], [n, n], prior="uniform")
    below = float(below_chance(n))
    assert posterior.prob_above(posterior.chance) == pytest.approx(1 - below, rel=1e-12)
    assert posterior.prob_below(posterior.chance) == pytest.approx(below, abs=1e-12)


# Tests against guessing, and bounds

CONSTANT = [9990, 0], [9990, 10]


@pytest.mark.parametrize("prior", ["calibrated", "uniform", (2, 1)])
@pytest.mark.parametrize(
    ("correct", "total"),
    [([40, 2], [45, 10]), ([9989, 1], [9990, 10]), ([7, 7], [7, 7]), ([0, 3], [4, 9])],
)
def test_two_classes_have_fishers_test(correct, total, prior):
    """The p-value of two classes is that of Fisher's exact test, whatever the prior."""
    posterior = PosteriorBalancedAccuracy.from_counts(correct, total, prior=prior)
    first, second = correct
    table = [[first, total[0] - first], [total[1] - second, second]]
    expected = fisher_exact(table, alternative="greater").pvalue
    assert posterior.guessing_p_value() == pytest.approx(expected, rel=1e-7)


def test_p_value_of_three_classes():
    """The probability that three recalls with exact lower limits sum to 1 at most."""
    a, b = [3, 1, 2], [3, 6, 4]
    expected, _ = dblquad(
        lambda y, x: (
            beta.pdf(x, a[0], b[0])
            * beta.pdf(y, a[1], b[1])
            * beta.cdf(1 - x - y, a[2], b[2])
        ),
        0,
        1,
        0,
        lambda x: 1 - x,
    )
    posterior = PosteriorBalancedAccuracy.from_counts(
        a, [5, 6, 5], class_weight=[1, 2, 3]
    )
    assert posterior.guessing_p_value() == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("rate", [0, 0.02, 0.6, 1])
def test_guessers_seldom_beat_chance(rate):
    """Of guessers that predict the rare label at some rate, at most 5 % are said to beat chance."""
    total = 60, 4
    claimed = 0.0
    for common in range(61):
        for rare in range(5):
            share = binom.pmf(common, 60, 1 - rate) * binom.pmf(rare, 4, rate)
            if share < 1e-5:
                continue
            posterior = PosteriorBalancedAccuracy(
                ClassCounts([0, 1], [common, rare], total)
            )
            is_better = posterior.lower_bound(0.95) >= 0.5
            assert is_better <= (posterior.guessing_p_value() <= 0.05)
            claimed += share * is_better
    assert claimed <= 0.05


@pytest.mark.parametrize("prior", ["calibrated", "uniform", (9, 1)])
def test_a_constant_prediction_is_not_above_chance(prior):
    """Its bound is below chance, its p-value 1, and the report says first what it is."""
    posterior = PosteriorBalancedAccuracy.from_counts(
        *CONSTANT, classes=["a", "b"], prior=prior
    )
    assert posterior.guessing_p_value() == 1
    assert 0.49 < posterior.lower_bound() < 0.5
    first, *_ = sentences(posterior).splitlines()
    assert first.endswith(". Always predicting 'a' gives these counts.")
    assert "beating" not in posterior.report()
    assert SelectedPosterior(posterior, optimism=0.0).lower_bound() < 0.5


def test_bounds_rise_with_the_results_and_fall_with_the_level():
    """Also where guessing is ruled out by one more correct prediction, or by a lower level."""
    for n, m in ((12, 4), (25, 7)):
        bounds = np.array(
            [
                [
                    PosteriorBalancedAccuracy.from_counts([i, j], [n, m]).lower_bound()
                    for j in range(m + 1)
                ]
                for i in range(n + 1)
            ]
        )
        assert np.diff(bounds, axis=0).min() >= 0
        assert np.diff(bounds, axis=1).min() >= 0
    one = PosteriorBalancedAccuracy.from_counts([33, 5], [100, 5])
    bounds = [one.lower_bound(level) for level in (0.5, 0.8, 0.9, 0.95, 0.96, 0.99)]
    assert np.diff(bounds).max() <= 0


def test_bounds_of_weighted_classes_are_quantiles():
    """The test against guessing is of equal weights."""
    one = PosteriorBalancedAccuracy.from_counts(
        [990, 0], [990, 10], class_weight=[1, 0]
    )
    assert one.lower_bound() == pytest.approx(one.distribution.icdf(0.05), rel=1e-12)


def test_scorer_of_the_lower_bound():
    """A gate by the score of a constant prediction is below chance, too."""
    y_true = [0] * 9990 + [1] * 10
    score = posterior_balanced_accuracy_score(y_true, [0] * 10_000, objective="lower")
    assert 0.49 < score < 0.5


def test_only_counts_of_a_constant_are_called_so():
    """One error, a hit elsewhere or a single class is something else."""
    for correct, total in [
        ([8, 0], [9, 3]),
        ([9, 1], [9, 3]),
        ([9], [9]),
        ([9, 0], [9, 0]),
    ]:
        report = PosteriorBalancedAccuracy(
            ClassCounts(range(len(total)), correct, total)
        ).report()
        assert "Always" not in report


def test_ends_of_the_bounds():
    """No error leaves room for 1, no hit for 0, whatever the level; else quantiles bound."""
    perfect = PosteriorBalancedAccuracy.from_counts([10, 10], [10, 10])
    wrong = PosteriorBalancedAccuracy.from_counts([0, 0], [10, 10])
    assert (perfect.upper_bound(0.6), wrong.lower_bound(0.6)) == (1, 0)
    assert wrong.upper_bound() == pytest.approx(1 - perfect.lower_bound(), abs=1e-9)
    usual = PosteriorBalancedAccuracy.from_counts([40, 7], [45, 10])
    assert usual.lower_bound(0.9) == usual.distribution.iccdf(0.9)
    assert usual.upper_bound(0.9) == usual.distribution.icdf(0.9)
    # The class without a weight has the only errors.
    one = PosteriorBalancedAccuracy.from_counts([3, 1], [3, 2], class_weight=[1, 0])
    assert one.upper_bound() == 1


@pytest.mark.filterwarnings("ignore::skpostbac.metrics.GroupsWarning")
def test_groups_weaken_the_test():
    """Samples of the same groups are less evidence, also where groups span both classes."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(40), 6)
    y_true = np.tile([0, 1], 120)
    right = rng.random(40)[groups] < 0.75
    y_pred = np.where(right, y_true, 1 - y_true)
    alone = posterior_balanced_accuracy(y_true, y_pred)
    grouped = posterior_balanced_accuracy(y_true, y_pred, groups=groups)
    assert alone.guessing_p_value() < 0.01
    assert grouped.guessing_p_value() > 5 * alone.guessing_p_value()
