"""Confusion matrices as input: counts, and not the shares that scikit-learn can make of them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import confusion_matrix

from skpostbac import (
    ClassCounts,
    PosteriorAccuracy,
    PosteriorBalancedAccuracy,
    population_posterior,
    posterior_prevalence,
)
from skpostbac import PosteriorConfusionMetric as Metric
from skpostbac.metrics import PairedCounts, SampleWeightWarning, class_counts

READERS = {
    "balanced accuracy": PosteriorBalancedAccuracy.from_confusion_matrix,
    "accuracy": PosteriorAccuracy.from_confusion_matrix,
    "metric": lambda C: Metric.from_confusion_matrix(C, "f1", pos_label=1),
}
Y_TRUE, Y_PRED = np.random.default_rng(0).integers(4, size=(2, 200))
read = READERS["accuracy"]


@pytest.mark.parametrize("digits", [2, 16])
@pytest.mark.parametrize("normalize", ["true", "pred", "all"])
@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_normalised_matrices_are_refused(read, normalize, digits):
    """They do not tell how many samples there were; absent classes have shares of 0."""
    for labels in (None, range(5)):
        C = confusion_matrix(Y_TRUE, Y_PRED, labels=labels, normalize=normalize).round(
            digits
        )
        with pytest.raises(ValueError, match=r"^C must hold counts, .*: give"):
            read(C)


def table(**options):
    rows = pd.Series(Y_TRUE, name="truth")
    return pd.crosstab(rows, pd.Series(Y_PRED, name="predicted"), **options)


NO_MATRICES = {
    "totals": table(margins=True).to_numpy(),
    "totals of pandas": table(margins=True),
    "shares with totals": table(normalize=True, margins=True),
    "counts with shares": [[40, 5, 0.889], [8, 2, 0.2], [0.833, 0.286, 0.764]],
    "totals of rows": table(margins=True).iloc[:-1],
    "totals of columns": table(normalize="columns", margins=True),
    "shares near 1": [[0.4, 0.2], [0.1, 0.6]],
    "percentages of rows": table(normalize="index") * 100,
    "percentages of columns": (table(normalize="columns") * 100).round(1),
    "percentages of all": (table(normalize="all") * 100).round(1),
}


@pytest.mark.parametrize("C", NO_MATRICES.values(), ids=NO_MATRICES)
@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_totals_and_percentages_are_refused(read, C):
    """A row of totals would be a class, and a percentage a number of samples."""
    with pytest.raises(
        ValueError, match=r"^C must .*(leave out|without totals|normalize=None)"
    ):
        read(C)


judge = {"sensitivity": (27, 30), "specificity": (24, 30)}
SHARES = {
    "recalls": (
        lambda: PosteriorBalancedAccuracy.from_counts([0.95, 0.8], [100, 90]),
        "correct",
    ),
    "shares of classes": (
        lambda: PosteriorAccuracy.from_counts([0, 0], [0.9, 0.1]),
        "total",
    ),
    "sites": (lambda: population_posterior([0.95, 0.8], [100, 90]), "correct"),
    "sites and classes": (
        lambda: population_posterior(
            {"a": ([0.9, 1], [10, 10]), "b": ([1, 1], [10, 10])}
        ),
        "correct",
    ),
    "calls": (lambda: posterior_prevalence(0.65, 200, **judge), "positives and total"),
    "judge": (
        lambda: posterior_prevalence(130, 200, **{**judge, "sensitivity": (0.9, 30)}),
        "sensitivity",
    ),
    "cells": (lambda: PairedCounts.from_cells([[0.7, 0.1, 0.2, 0]]), "cells"),
}


@pytest.mark.parametrize(("call", "name"), SHARES.values(), ids=SHARES)
def test_shares_are_no_counts(call, name):
    """Recalls of .95 and .8 as counts of 100 and 90 samples would be a score of .01."""
    with pytest.raises(
        ValueError, match=f"^{name} must hold counts, .*: multiply each by"
    ):
        call()


@pytest.mark.parametrize(
    "call",
    [PosteriorBalancedAccuracy.from_counts, population_posterior],
    ids=["classes", "sites"],
)
def test_totals_are_no_class(call):
    """The sums of all classes would count each sample twice; counts may end so by chance."""
    with pytest.warns(
        UserWarning, match=r"^The last numbers of correct and total are the sums"
    ):
        call([40, 2, 42], [45, 10, 55])
    call([40, 2, 41], [45, 10, 55])
    counts = ClassCounts(["a", "b", "c"], [40, 2, 42], [45, 10, 55])
    assert PosteriorBalancedAccuracy(counts).counts.n_samples == 110


def test_fractions_are_sums_of_weights():
    """A matrix of weighted samples is taken as it is, with a warning; whole floats have none."""
    weight = np.where(Y_TRUE == 1, 2.5, 1.0)
    C = confusion_matrix(Y_TRUE, Y_PRED, sample_weight=weight)
    with pytest.warns(
        SampleWeightWarning, match=r"^C has counts that are not whole numbers"
    ):
        weighted = read(C)
    expected = class_counts(Y_TRUE, Y_PRED, sample_weight=weight, weight_type="case")
    assert weighted.counts == expected
    with pytest.warns(SampleWeightWarning, match="^correct has counts .* such as 95.5"):
        PosteriorBalancedAccuracy.from_counts([95.5, 80], [100, 90])
    # Sums of a tenth are whole but for rounding.
    weight = np.full(len(Y_TRUE), 0.1)
    sums = confusion_matrix(Y_TRUE, Y_PRED, sample_weight=weight) * 10
    assert read(sums).counts.total.round(9).tolist() == np.bincount(Y_TRUE).tolist()


def test_tables_with_predictions_as_rows():
    """R's caret has them; the names of the axes tell, and no others."""
    expected = PosteriorBalancedAccuracy.from_confusion_matrix(
        table().to_numpy()
    ).counts
    transposed = [
        pd.crosstab(Y_PRED, Y_TRUE, rownames=[name], colnames=["Reference"])
        for name in ["Prediction", "predicted class", "y_pred", "PRED"]
    ]
    others = [
        table().rename_axis(index=name, columns=None)
        for name in [None, "spread", "predator"]
    ]
    for C in (table(), *transposed, *others):
        assert PosteriorBalancedAccuracy.from_confusion_matrix(C).counts == expected


def test_labels_that_say_true_and_predicted():
    """They are not the labels of classes: the numbers alone are taken."""
    C = pd.DataFrame(
        [[3, 1], [0, 2]], index=["True 0", "True 1"], columns=["Pred 0", "Pred 1"]
    )
    with pytest.raises(
        ValueError, match=r"'True 0' .* 'Pred 0'.* pass C\.to_numpy\(\)"
    ):
        read(C)


def test_empty_matrix_warns():
    """A posterior of no samples is the prior."""
    with pytest.warns(
        UserWarning, match="^C has no samples: the posterior is the prior$"
    ):
        assert read(np.zeros((2, 2))).mean() == 0.5


COUNTS = {
    "identity": np.eye(3),
    "one sample": [[1, 0], [0, 0]],
    "absent class": [[0, 0, 0], [0, 5, 5], [0, 5, 5]],
    "a hundred of each": [[90, 10], [20, 80]],
    "a row of 1": [[0.5, 0.5], [0.25, 2.5]],
    "weighted": [[27.3, 2.7], [1.5, 8.5]],
    "huge": [[4e14, 4e14], [0.5, 0]],
}


@pytest.mark.filterwarnings("ignore::skpostbac.metrics.SampleWeightWarning")
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
