"""Binary-equivalent accuracy: the article's numbers, scores, scorers and posteriors."""

import pickle

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_wine
from sklearn.metrics import accuracy_score, balanced_accuracy_score
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier

from skpostbac import ClassCounts, PosteriorAccuracy, PosteriorBalancedAccuracy
from skpostbac.binary_equivalent import (
    PosteriorBinaryEquivalentAccuracy,
    binary_equivalent_accuracy,
    binary_equivalent_accuracy_score,
    binary_equivalent_recalls,
    make_binary_equivalent_scorer,
)

Y_TRUE, Y_PRED = list("aaaabbbccd"), list("aaabbbaccc")


def hearing_accuracy(n_sectors, spread=10):
    """Probability to point at the right one of equal sectors of a circle, in degrees.

    The perceived angle is normal about the true one, which is uniform in its sector.
    """
    width = 360 / n_sectors
    z = width / spread
    return 2 * (stats.norm.cdf(z) + (stats.norm.pdf(z) - stats.norm.pdf(0)) / z) - 1


# The article


@pytest.mark.parametrize(
    ("n_classes", "accuracy", "printed"),
    [(6, 1.0, 1.0), (18, 0.78, 0.985), (115, 0.45, 0.993), (865, 0.23, 0.998)],
)
def test_autofit_table(n_classes, accuracy, printed):
    """All four rows, to the digits printed."""
    assert round(binary_equivalent_accuracy(accuracy, n_classes), 3) == printed


def test_baseline_rises_to_one():
    """Guessing: 1/2 for two classes only."""
    n = np.arange(2, 2000)
    baseline = binary_equivalent_accuracy(1 / n, n)
    assert baseline[0] == 0.5
    assert (np.diff(baseline) > 0).all()
    assert binary_equivalent_accuracy(1e-9, 10**9) == pytest.approx(1, abs=1e-7)


def test_hearing_is_nearly_constant():
    """The accuracy of one listener falls to a third, the binary equivalent stays within 4 %."""
    n = np.arange(2, 101)
    accuracy = np.array([hearing_accuracy(k) for k in n])
    equivalent = binary_equivalent_accuracy(accuracy, n)
    assert accuracy[0] > 0.95
    assert accuracy[-1] < 0.15
    assert np.ptp(equivalent) < 0.04
    assert equivalent[-1] > equivalent[0]  # and slowly grows, as that of guesses does


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
    assert found == pytest.approx(accuracy_score(Y_TRUE, Y_PRED, sample_weight=weight) ** (1 / 3))
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


def test_predicted_classes_are_chosen_from():
    """Three classes, of which two have samples: half and all of these are right."""
    y_true, y_pred = [0, 0, 1, 1], [0, 2, 1, 1]
    assert binary_equivalent_accuracy_score(y_true, y_pred) == pytest.approx(0.75**0.5)
    assert binary_equivalent_accuracy_score(y_true, y_pred, balanced=True) == pytest.approx(
        0.75**0.5
    )
    assert binary_equivalent_accuracy_score(y_true, y_pred, labels=[0, 1]) == pytest.approx(0.75)
    np.testing.assert_allclose(binary_equivalent_recalls(y_true, y_pred), [0.5**0.5, 1, np.nan])
    assert binary_equivalent_accuracy_score(["a", "a"], ["a", "b"]) == 0.5


def test_scorer():
    """In scikit-learn's model selection, and for two samples of weights in a pickle."""
    X, y = load_wine(return_X_y=True)
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    plain = cross_val_score(tree, X, y, scoring="accuracy")
    scorer = pickle.loads(pickle.dumps(make_binary_equivalent_scorer(labels=[0, 1, 2])))
    np.testing.assert_allclose(cross_val_score(tree, X, y, scoring=scorer), np.sqrt(plain))


# Posteriors


@pytest.mark.parametrize("kind", [PosteriorAccuracy, PosteriorBalancedAccuracy])
def test_posterior_is_transformed(kind):
    """Quantiles and probabilities are those of the accuracy; the mean is of the square root."""
    posterior = kind(ClassCounts([0, 1, 2], [30, 8, 3], [32, 10, 4]))
    equivalent = posterior.binary_equivalent()
    assert equivalent.median() == pytest.approx(posterior.median() ** 0.5, rel=1e-14)
    for method in ("central", "hdi"):
        low, high = equivalent.credible_interval(method=method)
        held = posterior.cdf(high**2) - posterior.cdf(low**2)
        assert held == pytest.approx(0.95, abs=1e-10)
    assert equivalent.prob_above(0.9) == pytest.approx(posterior.prob_above(0.81), rel=1e-12)
    draws = np.sqrt(posterior.sample(100_000, rng=0))
    assert equivalent.mean() == pytest.approx(draws.mean(), abs=5 * draws.std() / 100_000**0.5)
    assert equivalent.standard_deviation() == pytest.approx(draws.std(), rel=0.015)
    assert equivalent.pdf(equivalent.mode()) > equivalent.pdf(equivalent.mean())
    assert equivalent.chance == pytest.approx(3**-0.5)
    above_chance = float(posterior.prob_above(1 / 3))
    assert equivalent.prob_above(equivalent.chance) == pytest.approx(above_chance, rel=1e-12)


# Refusals


@pytest.mark.parametrize(
    ("accuracy", "n_classes", "message"),
    [
        (1.2, 3, r"accuracy must lie in \[0, 1\], got 1.2"),
        ([0.5, np.nan], 3, "accuracy must lie in .* at position 1"),
        (0.5, 1, "n_classes must be an integer of at least 2, got 1.0"),
        (0.5, [2, 2.5], "n_classes must be an integer of at least 2, got 2.5 at position 1"),
        (0.5, np.inf, "n_classes must be an integer of at least 2, got inf"),
        (0.5, np.nan, "n_classes must be an integer of at least 2, got nan"),
        ("x", 2, "accuracy must be an array of numbers"),
    ],
)
def test_bad_numbers(accuracy, n_classes, message):
    """One clear error."""
    with pytest.raises(ValueError, match=message):
        binary_equivalent_accuracy(accuracy, n_classes)


def test_single_class():
    """There is no choice."""
    counts = ClassCounts(["a"], [3], [4])
    with pytest.raises(ValueError, match="n_classes must be an integer of at least 2"):
        binary_equivalent_accuracy_score(["a"], ["a"])
    with pytest.raises(ValueError, match="at least two classes"):
        PosteriorAccuracy(counts).binary_equivalent()


def test_number_of_classes_is_an_integer():
    """There is no half a choice."""
    distribution = PosteriorAccuracy(ClassCounts(["a", "b"], [3, 2], [4, 5])).distribution
    with pytest.raises(TypeError, match="n_classes must be an instance of int"):
        PosteriorBinaryEquivalentAccuracy(distribution, 2.5)


def test_weights_that_add_up_to_one_but_for_rounding():
    """The support of a weighted average may end one rounding above one."""
    weights = np.geomspace(1, 5.745e-05, 31)
    posterior = PosteriorBalancedAccuracy.from_counts([90] * 31, [100] * 31, class_weight=weights)
    assert posterior.distribution.support().high > 1
    assert posterior.binary_equivalent().distribution.support().high == pytest.approx(1, abs=1e-14)
