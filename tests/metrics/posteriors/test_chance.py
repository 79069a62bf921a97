"""A probability of being above chance beside what it was before the data."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from mpmath import mp, mpf

from skpostbac.metrics import ClassCounts, PosteriorBalancedAccuracy, ProbAboveChance


def probability_of(correct, total, prior="uniform", **options):
    """Return the probability above chance for some counts."""
    counts = ClassCounts(range(len(total)), correct, total)
    return PosteriorBalancedAccuracy(counts, prior=prior, **options).prob_above_chance()


def below_chance(n):
    """Return P(theta_1 + theta_2 <= 1) of two Beta(n + 1, 1): (n + 1) B(n + 1, n + 2)."""
    return Fraction(
        (n + 1) * math.factorial(n) * math.factorial(n + 1), math.factorial(2 * n + 2)
    )


@pytest.mark.parametrize("n", [1, 5, 20, 200, 400])
def test_bayes_factor_of_two_classes(n):
    """Odds after over odds before, which are 1; also where the probability rounds to 1."""
    below = below_chance(n)
    probability = probability_of([n, n], [n, n])
    assert probability == pytest.approx(float(1 - below), rel=1e-12)
    # Below 1e-11 a tail is an approximation.
    digits = 1e-8 if n <= 5 else 0.02
    assert probability.bayes_factor == pytest.approx(
        float((1 - below) / below), rel=digits
    )


def test_prior_odds_are_far_from_even():
    """Forty classes: the prior is sure to 1e-48, and the data of all errors still count."""
    # P(sum <= 1) of forty Beta(1, 2): the density 2 (1 - t) has the Laplace transform
    # 2 / s - 2 / s^2, and the powers of 1 / s in its 40th power over s are inverted one by one.
    with mp.workdps(80):
        below = (
            mp.nsum(
                lambda j: (
                    mp.binomial(40, int(j)) * (-1) ** int(j) / mp.factorial(40 + int(j))
                ),
                [0, 40],
            )
            * mpf(2) ** 40
        )
        prior = 1 / mp.factorial(40)
        expected = float(((1 - below) / below) / ((1 - prior) / prior))
    assert probability_of([0] * 40, [1] * 40).bayes_factor == pytest.approx(
        expected, rel=1e-8
    )


def test_beyond_doubles():
    """Ten thousand of ten thousand: the odds have six thousand digits."""
    assert probability_of([10**4] * 2, [10**4] * 2).bayes_factor == math.inf
    assert probability_of([0] * 2, [10**4] * 2).bayes_factor == 0


def test_weights_hold_for_the_prior_as_well():
    """With all weight on one class, the prior is that class's own."""
    probability = probability_of([1, 1, 1], [2, 2, 2], class_weight=[0, 0, 1])
    assert probability.prior == pytest.approx(2 / 3, rel=1e-12)
    # Beta(2, 2) is above 1/3 with probability 20/27: odds of 20/7, over 2.
    assert probability.bayes_factor == pytest.approx(10 / 7, rel=1e-10)


def test_it_is_a_float():
    """In arithmetic, comparisons, formats, JSON and arrays."""
    probability = ProbAboveChance(0.75, 0.5, 3)
    assert isinstance(probability, float)
    assert probability == 0.75
    assert hash(probability) == hash(0.75)
    assert type(1 - probability) is float
    assert 0.7 < probability < 0.8
    assert f"{probability:.1%}" == "75.0%"
    assert json.dumps(probability) == "0.75"
    assert np.array([probability, 1.0]).dtype == np.float64
    assert (type(probability.prior), type(probability.bayes_factor)) == (float, float)
