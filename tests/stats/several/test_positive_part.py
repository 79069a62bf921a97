"""The mean of the positive part: exact rational values, and an identity."""

from fractions import Fraction
from math import comb, factorial

import numpy as np
import pytest

from skpostbac.stats import BetaAverage, PairedDifference
from skpostbac.stats._several import mean_positive_part


def polynomial(a, b):
    """Return the coefficients of the density of Beta(a, b), for integers."""
    scale = Fraction(factorial(a + b - 1), factorial(a - 1) * factorial(b - 1))
    return {a - 1 + k: scale * comb(b - 1, k) * (-1) ** k for k in range(b)}


def exact(one, two):
    """Return E[max(X - Y, 0)] of two Beta variables, by integrating the polynomials."""
    return sum(
        p * q * (Fraction(1, j + 1) - Fraction(1, j + 2)) / (i + j + 3)
        for i, p in polynomial(*one).items()
        for j, q in polynomial(*two).items()
    )


@pytest.mark.parametrize(
    ("one", "two"),
    [((3, 2), (2, 3)), ((1, 1), (1, 1)), ((2, 9), (9, 1)), ((1, 40), (40, 1)), ((30, 1), (1, 30))],
)
def test_difference_of_two_betas(one, two):
    """To the error of probabilities."""
    distribution = BetaAverage([one[0]], [one[1]]) - BetaAverage([two[0]], [two[1]])
    assert mean_positive_part(distribution) == pytest.approx(
        float(exact(one, two)), rel=1e-9, abs=1e-13
    )


@pytest.mark.parametrize(
    "cells",
    [
        [[27, 3, 5, 5], [12, 0, 4, 4]],
        [[900, 40, 2, 10], [90, 30, 1, 3]],
        [[1e9, 1e5, 2e5, 1e7], [1e8, 1e4, 1e4, 1e5]],
        [[3, 0, 0, 0]],
    ],
    ids=["few", "far", "many", "alike"],
)
def test_positive_less_negative_part_is_the_mean(cells):
    """E[max(X, 0)] - E[max(-X, 0)] = E[X], with the distribution of -X computed anew."""
    distribution = PairedDifference(cells)
    mirrored = PairedDifference(np.asarray(cells)[:, [0, 2, 1, 3]])
    gain, loss = mean_positive_part(distribution), mean_positive_part(mirrored)
    assert gain - loss == pytest.approx(distribution.mean(), abs=1e-11 * max(gain, loss))


def test_distribution_without_a_negative_part():
    """It is its own positive part: the mean of Beta(2, 3) is 2 / 5."""
    assert mean_positive_part(BetaAverage([2], [3])) == pytest.approx(0.4, rel=1e-11)


def test_distribution_without_a_positive_part():
    """Nothing is integrated, and nothing divided by zero."""
    assert mean_positive_part(BetaAverage([2], [3], weights=[-1])) == 0
