"""Scores split by class, and what is refused."""

import numpy as np
import pytest

from skpostbac.binormal._scores import split_scores

Y = [0, 0, 0, 1, 1]
SCORES = [-3.0, -1.0, -2.0, 0.0, 2.0]


@pytest.mark.parametrize(
    ("labels", "pos_label"),
    [
        ([0, 0, 0, 1, 1], None),
        ([-1, -1, -1, 1, 1], None),
        ([False, False, False, True, True], None),
        ([0.0, 0.0, 0.0, 1.0, 1.0], None),
        (["no", "no", "no", "yes", "yes"], "yes"),
        ([7, 7, 7, 3, 3], 3),
    ],
    ids=["01", "-11", "bool", "float", "text", "integers"],
)
def test_labels_of_any_kind(labels, pos_label):
    """The positive class has its scores, whatever it is called."""
    negative, positive = split_scores(labels, SCORES, pos_label)
    assert sorted(negative.values) == [-3, -2, -1]
    assert sorted(positive.values) == [0, 2]


def test_the_other_class_may_be_positive():
    """With pos_label."""
    negative, positive = split_scores(Y, SCORES, pos_label=0)
    assert sorted(positive.values) == [-3, -2, -1]
    assert sorted(negative.values) == [0, 2]


def test_moments_are_numpys():
    """Mean and unbiased variance."""
    values = np.random.default_rng(0).normal(3, 2, 50)
    y = np.arange(50) % 2
    for label, part in enumerate(split_scores(y, values)):
        moments = part.moments()
        assert moments.n == 25
        assert moments.mean == pytest.approx(values[y == label].mean(), rel=1e-14)
        assert moments.sd == pytest.approx(values[y == label].std(ddof=1), rel=1e-14)


def test_weights_are_repetitions():
    """Samples of weight 0 are not there."""
    weight = np.array([2, 0, 3, 1, 4])
    weighted = split_scores(Y, SCORES, sample_weight=weight)
    repeated = split_scores(np.repeat(Y, weight), np.repeat(SCORES, weight))
    for one, other in zip(weighted, repeated, strict=True):
        assert one.moments() == pytest.approx(other.moments(), rel=1e-14)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_extreme_scales(scale):
    """No square overflows or vanishes."""
    negative, _ = split_scores(Y, np.array(SCORES) * scale)
    assert negative.moments() == pytest.approx((3, -2 * scale, scale), rel=1e-14)


def test_scores_are_a_copy():
    """The caller may reuse an array."""
    scores = np.array(SCORES)
    negative, _ = split_scores(Y, scores)
    scores[:] = 0
    assert sorted(negative.values) == [-3, -2, -1]
    with pytest.raises(ValueError, match="read-only"):
        negative.values[0] = 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 1, 1, 1, 1], SCORES), r"y_true must have samples of two classes, got only \[1\]"),
        (([0, 1, 2, 1, 0], SCORES), "multiclass format is not supported: y_true has 3 classes"),
        (([], []), "empty input array y_true"),
        (([0, 0, 0, 0, 1], SCORES), "y_true must have at least 2 .* got 1 of the positive class"),
        (([0, 1, 1, 1, 1], SCORES), "y_true must have at least 2 .* got 1 of the negative class"),
        ((Y, [1, 2, 3, 4, 4]), "y_score must differ .* got 4 for all .* positive class"),
        ((Y, [1, 1, 1, 4, 5]), "y_score must differ .* got 1 for all .* negative class"),
        ((Y, [1, 2, np.nan, 4, 5]), "y_score must be finite, got nan at position 2"),
        ((Y, [1, 2, 3, 4, np.inf]), "y_score must be finite, got inf at position 4"),
        ((Y, [1, 2, 3, 4, 1e308]), "y_score must be between .* got 1e[+]308 at position 4"),
        ((Y, [[1, 2]] * 5), r"y_score must be 1-dimensional, got an array of shape \(5, 2\)"),
        ((Y, ["a"] * 5), "y_score must be an array of numbers"),
        ((Y, SCORES[:4]), "y_score: .* inconsistent numbers of samples"),
        ((["no", "no", "no", "yes", "yes"], SCORES), "pos_label is not specified"),
        (([1, 1, 1, 2, 2], SCORES), "pos_label is not specified"),
        ((Y, SCORES, 2), "pos_label=2 is not a valid label"),
        ((Y, SCORES, None, [1, 1, 1, 1]), "sample_weight: .* inconsistent numbers of samples"),
        ((Y, SCORES, None, [1, 1, 1, 1, -1]), "sample_weight must be finite and non-negative"),
        ((Y, SCORES, None, [1, 1, 1, 0, 1]), "y_true must have at least 2 .* got 1 of the pos"),
        ((Y, SCORES, None, [1, 1, 1, 0.5, 0.5]), "sample_weight has case counts, .* got 1 in"),
        ((Y, SCORES, None, [1, 1, 1, 0.9, 1]), "sample_weight has case counts, .* got 1.9 in"),
        ((Y, SCORES, None, [1e308] * 5), "sample_weight must add up to at most .* got inf"),
        ((Y, SCORES, None, [1e300] * 5), "sample_weight must add up to at most 1e.15 for each"),
        (([0.5, 0.5, 0.1, 0.1, 0.1], SCORES), "y_true"),
        (([0, 0, np.nan, 1, 1], SCORES), "y_true"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_input(arguments, message):
    """One clear error that names the argument."""
    with pytest.raises(ValueError, match=message):
        split_scores(*arguments)
