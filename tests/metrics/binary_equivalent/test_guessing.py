"""Accuracies against those of random guesses."""

import math

import numpy as np
import pytest
from scipy import stats

from skpostbac import ClassCounts
from skpostbac.binary_equivalent import GuessingTest, guessing_test

CARRILLO = ClassCounts([0, 1, 2], [30, 8, 3], [32, 10, 4])


def test_uniform_guesses_are_binomial():
    """The exact binomial test of SciPy."""
    test = GuessingTest.from_counts(CARRILLO)
    exact = stats.binomtest(41, 46, 1 / 3, alternative="greater")
    assert test.p_value == pytest.approx(exact.pvalue, rel=1e-10)
    assert test.expected_correct == pytest.approx(46 / 3)
    assert test.gain == pytest.approx(41 - 46 / 3)
    # For uniform guesses, the accuracy rescaled from 1 / 3 to 0.
    assert test.error_reduction == pytest.approx((41 / 46 - 1 / 3) / (1 - 1 / 3))


def test_stratified_guesses_by_hand():
    """Eight of one class, two of the other, one error."""
    y_true, y_pred = [0] * 8 + [1] * 2, [0] * 9 + [1]
    test = guessing_test(y_true, y_pred, strategy="stratified")
    assert test.p_value == pytest.approx(
        0.8**8 * (1 - 0.8**2) + 8 * 0.8**7 * 0.2 * 0.2**2
    )
    assert test.expected_correct == pytest.approx((8**2 + 2**2) / 10)
    assert (
        guessing_test([0, 1], [1, 0]).correct,
        guessing_test([0, 1], [1, 0]).p_value,
    ) == (0, 1)


def test_always_the_same_guess():
    """It is right for all samples of its class, and for no other."""
    y_true, y_pred = ["a"] * 6 + ["b"] * 3, ["a"] * 6 + ["b"] + ["a"] * 2
    assert guessing_test(y_true, y_pred, strategy=[1, 0]).p_value == 0
    assert guessing_test(y_true, ["a"] * 9, strategy=[1, 0]).p_value == 1
    assert (
        guessing_test(y_true, y_pred, strategy=[1, 3]).expected_correct
        == 6 / 4 + 3 * 3 / 4
    )
    only = guessing_test(["a"] * 6, ["a"] * 6)
    assert only.p_value == 1
    assert math.isnan(only.error_reduction)


def test_article_of_many_classes():
    """23 % of 865 classes, the worst score and the least likely guess."""
    counts = ClassCounts(range(865), np.r_[np.ones(199), np.zeros(666)], np.ones(865))
    test = GuessingTest.from_counts(counts)
    exact = sum(math.comb(865, k) * 864 ** (865 - k) for k in range(199, 866))
    assert test.log_p_value == pytest.approx(
        math.log(exact) - 865 * math.log(865), rel=1e-12
    )


def test_tiny_p_values_have_logarithms():
    """All of 10,000 right: 2 ** -10,000."""
    test = GuessingTest.from_counts(ClassCounts([0, 1], [5000, 5000], [5000, 5000]))
    assert test.p_value == 0
    assert test.log_p_value == pytest.approx(-10_000 * math.log(2), rel=1e-14)
    assert "p_value=10^-3010.3" in repr(test)


@pytest.mark.parametrize(
    ("total", "shares"),
    [
        ((7, 9), (1 / 3, 2 / 3)),
        ((32, 10, 4), (0.5, 0.3, 0.2)),
        ((60, 1, 9), (0.001, 0.099, 0.9)),
        ((5, 0, 5), (0.0, 0.5, 0.5)),
        ((3, 5), (1.0, 0.0)),
    ],
    ids=str,
)
def test_every_count(total, shares):
    """All tails, from 1 down to the smallest, by multiplying polynomials of positive terms."""
    pmf = np.ones(1)
    for n, p in zip(total, shares, strict=True):
        pmf = np.convolve(pmf, stats.binom.pmf(np.arange(n + 1), n, p))
    for k in range(pmf.size):
        before = np.append(0, np.cumsum(total)[:-1])
        counts = ClassCounts(range(len(total)), np.clip(k - before, 0, total), total)
        tail, test = (
            math.fsum(pmf[k:]),
            GuessingTest.from_counts(counts, strategy=shares),
        )
        expected = math.log(tail) if tail else -math.inf
        assert test.log_p_value == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_any_number_of_samples():
    """Half a standard deviation above what guessing has, with 2e14 samples of two classes."""
    counts = ClassCounts([0, 1], [5e13, 5e13 + 3_535_534], [1e14, 1e14])
    test = GuessingTest.from_counts(counts)
    assert test.p_value == pytest.approx(stats.norm.sf(0.5), rel=1e-6)
    far = GuessingTest.from_counts(ClassCounts([0, 1], [6e13] * 2, [1e14] * 2))
    divergence = math.log(2) + 0.6 * math.log(0.6) + 0.4 * math.log(0.4)
    assert far.log_p_value == pytest.approx(-2e14 * divergence, rel=1e-11)


def test_classes_of_the_truth_are_guessed_from():
    """A class that is only predicted must be listed."""
    test = guessing_test([0, 0, 1, 1], [0, 2, 1, 1])
    assert test.expected_correct == 2
    named = guessing_test([0, 0, 1, 1], [0, 2, 1, 1], labels=[0, 1, 2])
    assert named.p_value == pytest.approx(stats.binom.sf(2, 4, 1 / 3), rel=1e-12)
