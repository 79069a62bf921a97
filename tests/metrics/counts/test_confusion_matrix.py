"""Confusion matrices as input: counts, and not the shares that scikit-learn can make of them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import confusion_matrix

from skpostbac import ClassCounts, PosteriorAccuracy, PosteriorBalancedAccuracy
from skpostbac import PosteriorConfusionMetric as Metric
from skpostbac.binary_equivalent import GuessingTest

READERS = {
    "balanced accuracy": PosteriorBalancedAccuracy.from_confusion_matrix,
    "accuracy": PosteriorAccuracy.from_confusion_matrix,
    "metric": lambda C: Metric.from_confusion_matrix(C, "f1", pos_label=1),
    "guessing": GuessingTest.from_confusion_matrix,
}
Y_TRUE, Y_PRED = np.random.default_rng(0).integers(4, size=(2, 200))
read = READERS["accuracy"]


@pytest.mark.parametrize("digits", [2, 16])
@pytest.mark.parametrize("normalize", ["true", "pred", "all"])
@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_normalised_matrices_are_refused(read, normalize, digits):
    """They do not tell how many samples there were; absent classes have shares of 0."""
    where = {
        "true": "each of its rows",
        "pred": "each of its columns",
        "all": "all of them",
    }
    for labels in (None, range(5)):
        C = confusion_matrix(Y_TRUE, Y_PRED, labels=labels, normalize=normalize).round(
            digits
        )
        with pytest.raises(
            ValueError, match=rf"^C must hold counts, .* {where[normalize]}: give"
        ):
            read(C)


COUNTS = {
    "identity": np.eye(3),
    "one sample": [[1, 0], [0, 0]],
    "nothing": np.zeros((2, 2)),
    "a row of 1": [[0.5, 0.5], [0.25, 2.5]],
    "small row of 1": [[0.5, 0.5], [0.25, 0.25]],
    "near 1": [[0.4, 0.2], [0.1, 0.6]],
    "weighted": [[27.3, 2.7], [1.5, 8.5]],
    "huge": [[4e14, 4e14], [0.5, 0]],
}


@pytest.mark.parametrize("C", COUNTS.values(), ids=COUNTS)
def test_counts_need_not_be_integers(C):
    """Sums of weights are taken as they are, even if one class has just 1."""
    C = np.asarray(C)
    expected = ClassCounts(range(len(C)), np.diag(C), C.sum(axis=1))
    assert (
        PosteriorBalancedAccuracy.from_confusion_matrix(C, prior=(1, 2)).counts
        == expected
    )


def test_labels_of_tables():
    """Rows are true classes; the index of pandas names them, unless labels are given."""
    C = pd.DataFrame([[3, 1], [0, 2]], index=["b", "a"], columns=["b", "a"])
    correct, total = pd.Series({"b": 3, "a": 2}), pd.Series({"b": 4, "a": 2})
    for kind in (PosteriorBalancedAccuracy, PosteriorAccuracy):
        for labels, expected in ((None, ["b", "a"]), ([1, 2], [1, 2])):
            counts = ClassCounts(expected, [3, 2], [4, 2])
            assert kind.from_confusion_matrix(C, labels=labels).counts == counts
            assert kind.from_counts(correct, total, classes=labels).counts == counts
        assert kind.from_counts([3, 2], total).counts == ClassCounts(
            [0, 1], [3, 2], [4, 2]
        )
    assert Metric.from_confusion_matrix(C, "recall", pos_label="b").observed == 0.75
