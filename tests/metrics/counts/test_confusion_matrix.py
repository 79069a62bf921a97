"""Confusion matrices as input: counts, and not the shares that scikit-learn can make of them."""

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

from skpostbac import PosteriorAccuracy, PosteriorBalancedAccuracy, PosteriorConfusionMetric
from skpostbac.binary_equivalent import GuessingTest
from skpostbac.metrics._counts.confusion_matrix import check_confusion_matrix

READERS = {
    "balanced accuracy": PosteriorBalancedAccuracy.from_confusion_matrix,
    "accuracy": PosteriorAccuracy.from_confusion_matrix,
    "metric": lambda C: PosteriorConfusionMetric.from_confusion_matrix(C, "f1"),
    "guessing": GuessingTest.from_confusion_matrix,
}
Y_TRUE, Y_PRED = np.random.default_rng(0).integers(4, size=(2, 200))


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_shares_are_refused_wherever_a_matrix_is_read(read):
    """They do not tell how many samples there were."""
    with pytest.raises(ValueError, match=r"^C must hold counts, .* each of its rows: .*normalize"):
        read([[0.9, 0.1], [0.2, 0.8]])


@pytest.mark.parametrize("digits", [2, 3, 16])
@pytest.mark.parametrize(
    ("normalize", "where"),
    [("true", "each of its rows"), ("pred", "each of its columns"), ("all", "all of them")],
)
@pytest.mark.parametrize("labels", [None, range(5)], ids=["all seen", "an absent class"])
def test_normalised_matrices_of_scikit_learn_are_refused(normalize, where, digits, labels):
    """Rows, columns or all cells add up to 1, also after rounding, except those of no samples."""
    C = confusion_matrix(Y_TRUE, Y_PRED, labels=labels, normalize=normalize).round(digits)
    with pytest.raises(ValueError, match=where):
        check_confusion_matrix(C)


@pytest.mark.parametrize(
    "C",
    [
        np.eye(3),
        [[1, 0], [0, 0]],
        np.zeros((2, 2)),
        [[0.5, 0.5], [0.25, 2.5]],
        [[0.4, 0.2], [0.1, 0.6]],
        [[27.3, 2.7], [1.5, 8.5]],
        [[4e14, 4e14], [0.5, 0]],
    ],
    ids=["identity", "one sample", "nothing", "a row of 1", "near 1", "weighted", "huge"],
)
def test_counts_need_not_be_integers(C):
    """Sums of weights are taken as they are, even if one class has just 1."""
    assert (check_confusion_matrix(C) == np.asarray(C)).all()
