"""Binary-equivalent accuracy: the article's numbers, scores, scorers and posteriors."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, balanced_accuracy_score

from skpostbac import ClassCounts, PosteriorAccuracy, PosteriorBalancedAccuracy
from skpostbac.binary_equivalent import (
    binary_equivalent_accuracy_score,
    binary_equivalent_recalls,
)

Y_TRUE, Y_PRED = list("aaaabbbccd"), list("aaabbbaccc")


# The article


# Scores


def test_score_of_labels():
    """A power of scikit-learn's scores."""
    power = 1 / 3
    found = binary_equivalent_accuracy_score(Y_TRUE, Y_PRED)
    assert found == pytest.approx(accuracy_score(Y_TRUE, Y_PRED) ** power)
    balanced = binary_equivalent_accuracy_score(Y_TRUE, Y_PRED, balanced=True)
    assert balanced == pytest.approx(balanced_accuracy_score(Y_TRUE, Y_PRED) ** power)


def test_score_with_weights_and_labels():
    """Weighted samples; a class without samples is one more to choose from."""
    weight = np.arange(1, 11)
    found = binary_equivalent_accuracy_score(Y_TRUE, Y_PRED, sample_weight=weight)
    assert found == pytest.approx(
        accuracy_score(Y_TRUE, Y_PRED, sample_weight=weight) ** (1 / 3)
    )
    options = {"labels": [*"abcde"], "balanced": True}
    found = binary_equivalent_accuracy_score(Y_TRUE, Y_PRED, **options)
    assert found == pytest.approx(balanced_accuracy_score(Y_TRUE, Y_PRED) ** (1 / 4))


def test_classes():
    """The cube roots of the recalls; the article's mean of powers leads back to the accuracy."""
    found = binary_equivalent_recalls(Y_TRUE, Y_PRED, labels=[*"abcd"])
    np.testing.assert_allclose(found, np.cbrt([3 / 4, 2 / 3, 1, 0]))
    score = binary_equivalent_accuracy_score(Y_TRUE, Y_PRED, balanced=True)
    assert np.mean(found**3) ** (1 / 3) == pytest.approx(score)
    assert np.isnan(binary_equivalent_recalls([0, 0], [0, 1], labels=[0, 1])[1])


@pytest.mark.parametrize(
    "score", [binary_equivalent_accuracy_score, binary_equivalent_recalls]
)
def test_one_class_is_nothing_to_choose_from(score):
    """The error says which other argument helps."""
    with pytest.raises(ValueError, match="y_true contains one class only; pass labels"):
        score([0, 0], [0, 1])
    with pytest.raises(ValueError, match="labels contains one class only"):
        score([0, 0], [0, 1], labels=[0])


def test_classes_of_the_truth_are_chosen_from():
    """Two classes, or three that are listed: half and all of two are right."""
    y_true, y_pred = [0, 0, 1, 1], [0, 2, 1, 1]
    assert binary_equivalent_accuracy_score(y_true, y_pred) == pytest.approx(0.75)
    three = {"labels": [0, 1, 2]}
    for balanced in (False, True):
        assert binary_equivalent_accuracy_score(
            y_true, y_pred, balanced=balanced, **three
        ) == pytest.approx(0.75**0.5)
    np.testing.assert_allclose(
        binary_equivalent_recalls(y_true, y_pred, **three), [0.5**0.5, 1, np.nan]
    )
    with pytest.raises(ValueError, match="contains one class only"):
        binary_equivalent_accuracy_score(["a", "a"], ["a", "b"])


# Posteriors


@pytest.mark.parametrize("kind", [PosteriorAccuracy, PosteriorBalancedAccuracy])
def test_posterior_is_transformed(kind):
    """Quantiles and probabilities are those of the accuracy; the mean is of the square root."""
    posterior = kind(ClassCounts([0, 1, 2], [30, 8, 3], [32, 10, 4]))
    equivalent = posterior.binary_equivalent()
    assert equivalent.median() == pytest.approx(posterior.median() ** 0.5, rel=1e-14)
    for method in ("central", "hdi"):
        low, high = equivalent.credible_interval(method=method)
        held = posterior.distribution.cdf(high**2) - posterior.distribution.cdf(low**2)
        assert held == pytest.approx(0.95, abs=1e-10)
    assert equivalent.prob_above(0.9) == pytest.approx(
        posterior.prob_above(0.81), rel=1e-12
    )
    draws = np.sqrt(posterior.sample(100_000, rng=0))
    assert equivalent.mean() == pytest.approx(
        draws.mean(), abs=5 * draws.std() / 100_000**0.5
    )
    assert equivalent.standard_deviation() == pytest.approx(draws.std(), rel=0.015)
    density = equivalent.distribution.pdf
    assert density(equivalent.mode()) > density(equivalent.mean())
    assert equivalent.chance == pytest.approx(3**-0.5)
    above_chance = float(posterior.prob_above(1 / 3))
    assert equivalent.prob_above(equivalent.chance) == pytest.approx(
        above_chance, rel=1e-12
    )


# Refusals
