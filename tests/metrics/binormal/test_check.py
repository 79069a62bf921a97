"""The check of the binormal assumption, where it holds and where it fails."""

import pickle
from copy import deepcopy

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm

from skpostbac.binormal import BinormalCheck, NormalScores, binormal_check


def normal_data(size, seed=0):
    """Return labels and scores of two normal distributions, as many of each class."""
    y = np.repeat([0, 1], size)
    return y, np.random.default_rng(seed).normal(2 * y, 1 + y)


def pickle_twice(check):
    """Return what comes out of a pickle of what came out of a pickle."""
    return pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(check))))


def with_p_values(negative, positive):
    """Return a check with these results."""
    return BinormalCheck(
        *(NormalScores([-0.6, 0.6], [0, 1], value) for value in (negative, positive))
    )


@pytest.mark.parametrize(
    ("p_values", "adjusted"),
    [
        ((0.01, 0.04), (0.02, 0.04)),
        ((0.04, 0.03), (0.06, 0.06)),
        ((0.7, 0.9), (1, 1)),
        ((1, 0.2), (1, 0.4)),
        ((0.01, 0.01), (0.02, 0.02)),
    ],
)
def test_correction_of_holm(p_values, adjusted):
    """Twice the smaller one, and the larger one if that is more."""
    check = with_p_values(*p_values)
    assert check.adjusted_p_values == pytest.approx(adjusted)
    assert check.rejects(0.05) == (min(adjusted) <= 0.05)


@pytest.mark.parametrize("size", [10, 100])
def test_normal_scores_are_rejected_as_often_as_told(size):
    """In 400 data sets, to four standard errors; the two tests are nearly independent."""
    rejected = [binormal_check(*normal_data(size, seed)).rejects(0.1) for seed in range(400)]
    assert np.mean(rejected) == pytest.approx(0.0975, abs=4 * np.sqrt(0.1 * 0.9 / 400))


@pytest.mark.parametrize("size", [100, 6000])
def test_other_distributions_are_rejected(size):
    """Probabilities in place of log odds, by either test."""
    y, score = normal_data(size)
    assert not binormal_check(y, score).rejects(0.001)
    assert binormal_check(y, expit(score)).rejects(0.001)


@pytest.mark.parametrize("size", [100, 6000])
@pytest.mark.parametrize("scale", [1e-300, 1e-25, 1e25, 1e100, 1e290])
@pytest.mark.parametrize("sign", [1, -1])
def test_p_values_do_not_depend_on_the_scale(size, scale, sign):
    """Nor on the sign, to the digits that scaling leaves."""
    y, score = normal_data(size)
    for values in (score, np.exp(score / 3)):
        plain = binormal_check(y, values).adjusted_p_values
        scaled = binormal_check(y, sign * scale * values)
        assert scaled.adjusted_p_values == pytest.approx(plain, rel=1e-6)


def test_p_values_do_not_depend_on_the_location():
    """As far as the scores keep their digits."""
    y, score = normal_data(100)
    plain = binormal_check(y, np.exp(score / 3)).adjusted_p_values
    for shift in (-1e9, 1e3, 1e9):
        moved = binormal_check(y, np.exp(score / 3) + shift).adjusted_p_values
        assert moved == pytest.approx(plain, rel=1e-3)


def test_one_class_is_enough():
    """The other stays as it is."""
    y, score = normal_data(200)
    check = binormal_check(y, np.where(y, np.exp(score), score))
    negative, positive = check.adjusted_p_values
    assert positive < 1e-6 < 0.05 < negative
    assert check.rejects()


def test_normal_scores_of_small_samples():
    """Expected order statistics, which are known for three: 3 / (2 sqrt(pi))."""
    check = binormal_check([0, 0, 0, 1, 1], [5, 1, 2, 7, 3])
    expected = 1.5 / np.sqrt(np.pi)
    np.testing.assert_allclose(check.negative.expected, [-expected, 0, expected], atol=0.03)
    assert check.negative.scores.tolist() == [1, 2, 5]
    assert check.positive.scores.tolist() == [3, 7]
    assert check.positive.p_value == 1


def test_normal_scores_lie_on_the_line_of_the_distribution():
    """Mean plus standard deviation times the deviate, away from the ends."""
    y, score = normal_data(20_000)
    check = binormal_check(y, score)
    inner = np.abs(check.positive.expected) < 2
    line = norm.ppf(norm.cdf(check.positive.expected), 2, 2)
    np.testing.assert_allclose(check.positive.scores[inner], line[inner], atol=0.1)


def test_result_cannot_be_changed():
    """Nor can the caller's scores through it."""
    y, score = normal_data(10)
    check = binormal_check(y, score)
    for array in (check.negative.scores, check.negative.expected):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


@pytest.mark.parametrize("copy", [pickle_twice, deepcopy], ids=["pickle", "deepcopy"])
def test_check_is_a_value(copy):
    """Equal and hashable, also after copying, and still not to be changed."""
    y, score = normal_data(10)
    check = binormal_check(y, score)
    twin = copy(check)
    assert twin == check
    assert {check: 1}[twin] == 1
    assert check != binormal_check(y, -score)
    assert check != "check"
    for part in (twin.negative, twin.positive):
        with pytest.raises(ValueError, match="read-only"):
            part.scores[0] = 0


@pytest.mark.parametrize(
    ("part", "message"),
    [
        (None, "negative must be NormalScores, got None"),
        (([0, 1], [0, 1], 1), r"negative must be NormalScores, got \(\[0, 1\]"),
        (NormalScores([0], [1], 1), r"negative.expected must be at least two .* shape \(1,\)"),
        (NormalScores([0, 1], [[0, 1]], 1), r"negative.scores must be at least two .* \(1, 2\)"),
        (NormalScores([0, 1], [0, 1, 2], 1), "negative.expected must be as many as .* got 2 and 3"),
        (NormalScores([0, 1], [0, np.nan], 1), "negative.scores must be finite, got nan at pos"),
        (NormalScores([0, np.inf], [0, 1], 1), "negative.expected must be finite, got inf at pos"),
        (NormalScores([0, 1], [2, 1], 1), "negative.scores must ascend"),
        (NormalScores([0, 1], [2, 2], 1), "negative.scores must differ, got 2 for all"),
        (NormalScores([0, 1], ["a", "b"], 1), "negative.scores must be an array of numbers"),
        (NormalScores([0, 1], [0, 1], np.nan), r"negative.p_value must be in \[0, 1\], got nan"),
        (NormalScores([0, 1], [0, 1], -0.1), r"negative.p_value must be in \[0, 1\], got -0.1"),
        (NormalScores([0, 1], [0, 1], "1"), r"negative.p_value must be in \[0, 1\], got '1'"),
    ],
    ids=[
        "none", "tuple", "one", "matrix", "lengths", "nan", "inf", "order", "constant", "text",
        "nan p", "negative p", "text p",
    ],
)  # fmt: skip
def test_direct_construction_is_checked(part, message):
    """One error that names the field, of either class."""
    good = NormalScores([-0.6, 0.6], [0, 1], 1)
    with pytest.raises(ValueError, match=message):
        BinormalCheck(part, good)
    with pytest.raises(ValueError, match=message.replace("negative", "positive", 1)):
        BinormalCheck(good, part)


def test_bad_input():
    """As for the model."""
    with pytest.raises(ValueError, match="y_true must have samples of two classes"):
        binormal_check([1, 1, 1], [1, 2, 3])
    with pytest.raises(ValueError, match="significance must be a number strictly between"):
        with_p_values(0.5, 0.5).rejects(0)


def test_scores_are_written_in_one_line():
    """Their number says enough."""
    assert repr(NormalScores(np.zeros(200), np.zeros(200), 0.1234)) == (
        "NormalScores(n=200, p_value=0.123)"
    )
