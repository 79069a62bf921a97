"""Values that no argument takes: one ValueError or TypeError that names the argument."""

import datetime
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_wine
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import GridSearchCV, cross_validate

from skpostbac import (
    ClassCounts,
    ClassCountsScorer,
    GuessingTest,
    OutcomesScorer,
    PairedCounts,
    PosteriorBalancedAccuracy,
    PosteriorConfusionMetric,
    PosteriorRefit,
    binary_equivalent_accuracy_score,
    binary_equivalent_recalls,
    class_counts,
    compare_predictions,
    cross_val_posterior,
    guessing_test,
    make_binary_equivalent_scorer,
    make_binormal_scorer,
    make_posterior_scorer,
    paired_counts,
    pooled_paired_counts,
    pooled_posteriors,
    posterior_accuracy,
    posterior_balanced_accuracy,
    posterior_balanced_accuracy_score,
    posterior_confusion_metric,
    required_test_size,
)
from skpostbac.displays import PosteriorSearchDisplay
from skpostbac.stats import Hyperprior

N = 6
Y_TRUE, Y_PRED = [0, 1, 0, 1, 0, 1], [0, 1, 1, 1, 0, 0]
X_WINE, Y_WINE = load_wine(return_X_y=True)


class Unreadable:
    """What raises an error of its own where NumPy reads it."""

    def __array__(self, *args, **kwargs):
        raise RuntimeError("no array")


def recursive():
    """Return a list that contains itself."""
    values = [1]
    values.append(values)
    return values


HOSTILE = {
    "bytes": b"a",
    "complex": 1j,
    "nan": float("nan"),
    "-1": -1,
    "2**63": 2**63,
    "10**400": 10**400,
    "nested": [[]],
    "ragged": [[1], [1, 2]],
    "recursive": recursive(),
    "object": object(),
    "masked": np.ma.array(Y_TRUE, mask=[True] + 5 * [False]),
    "date": np.datetime64("2020-01-01"),
    "sNaN": Decimal("sNaN"),
    "generator": (i for i in range(N)),
    "cube": np.zeros((2, 2, 2)),
    "class": int,
    "unreadable": Unreadable(),
    "NA": pd.NA,
    "huge": [10**400] * N,
    "long": [0, 1, 2**70, 1, 0, 1],
    "infinity": [0, 1, float("inf"), 1, 0, 1],
    "1e308": [1e308] * N,
    "complexes": [0, 1, 1j, 1, 0, 1],
    "sNaNs": [Decimal("sNaN")] * N,
    "decimals": [Decimal(-1), Decimal(1)] * 3,
    "fractions": [Fraction(-1), Fraction(1, 3)] * 3,
    "dates": [datetime.date(2020, 1, 1)] * N,
    "objects": [object()] * N,
    "unreadables": [Unreadable()] * N,
    "dicts": [{}] * N,
    "mixed": [0, "a", 0, 1, 0, 1],
    "matrix": np.full((2, 2), 1e308),
    "void": np.zeros(N, "V4"),
    "intervals": pd.Series(pd.interval_range(0, N)),
    "128 bits": pl.Series([0, 1, 2**100, 1, 0, 1], dtype=pl.Int128)
    if hasattr(pl, "Int128")
    else [0, 1, 2**100, 1, 0, 1],
    "lists": pl.Series([[0]] * N),
    "null": pl.Series([None] * N),
}
COUNTS = ClassCounts([0, 1], [3, 4], [5, 6])
LABELS = {"y_true": Y_TRUE, "y_pred": Y_PRED, "labels": None, "sample_weight": None}
MODEL = {"prior": "uniform", "class_weight": None}
FUNCTIONS = {
    class_counts: LABELS,
    COUNTS.update: LABELS,
    posterior_balanced_accuracy: LABELS | MODEL,
    posterior_balanced_accuracy_score: LABELS | MODEL | {"objective": "mean"},
    posterior_accuracy: LABELS | {"prior": "uniform"},
    posterior_confusion_metric: LABELS
    | {"prior": "uniform", "pos_label": None, "average": "macro", "prevalence": "sampled"},
    guessing_test: {"y_true": Y_TRUE, "y_pred": Y_PRED, "labels": None},
    binary_equivalent_accuracy_score: LABELS,
    binary_equivalent_recalls: LABELS,
    make_posterior_scorer: MODEL | {"objective": "mean", "labels": None},
    make_binary_equivalent_scorer: {"labels": None},
    make_binormal_scorer: {"metric": "roc_auc"},
    ClassCountsScorer: {"labels": None},
    OutcomesScorer: {"max_test_size": 5, "labels": None},
    ClassCounts: {"classes": [0, 1], "correct": [1, 2], "total": [3, 4]},
    PosteriorBalancedAccuracy: MODEL | {"counts": COUNTS},
    PosteriorBalancedAccuracy.from_confusion_matrix: MODEL
    | {"C": [[1, 2], [3, 4]], "labels": None},
    PosteriorConfusionMetric.from_confusion_matrix: {"C": [[1, 2], [3, 4]], "metric": "recall"},
    GuessingTest.from_confusion_matrix: {"C": [[1, 2], [3, 4]]},
    PairedCounts: {
        "names": ["a", "b"],
        "classes": [0, 1],
        "class_index": [0, 1],
        "patterns": [[True, False], [False, True]],
        "counts": [1, 2],
    },
    paired_counts: {
        "y_true": Y_TRUE,
        "predictions": {"a": Y_PRED},
        "labels": None,
        "sample_weight": None,
    },
    compare_predictions: MODEL | {"y_true": Y_TRUE, "predictions": {"a": Y_PRED, "b": Y_TRUE}},
    PosteriorRefit: MODEL | {"objective": "lower", "labels": None, "n_repeats": 1},
    required_test_size: {"recalls": 0.8, "width": 0.2},
    cross_val_posterior: MODEL
    | {"estimator": DummyClassifier(), "X": X_WINE, "y": Y_WINE, "cv": 2, "labels": None},
    Hyperprior: {"rate": 1, "base": 1},
}
# What an argument may be called, beside by its name, in the wording of scikit-learn and elsewhere.
OTHER_WORDS = {
    "labels": ["At least one label specified"],
    "C": ["counts must be integers"],
    "cv": ["k-fold", "n_splits"],
    "X": ["array", "estimator", "samples"],
    "metric": ["0-dimensional"],
}


@pytest.mark.filterwarnings("ignore::skpostbac.PriorInfluenceWarning", "ignore:.*holds none of")
@pytest.mark.parametrize("value", HOSTILE)
@pytest.mark.parametrize(
    ("function", "argument"),
    [
        pytest.param(function, argument, id=f"{function.__qualname__}-{argument}")
        for function, arguments in FUNCTIONS.items()
        for argument in arguments
        if argument not in ("X", "cv")
    ],
)
def test_errors_name_the_argument(function, argument, value):
    """An error is a ValueError or TypeError; a warning, ours alone."""
    if value == "2**63" and argument in ("width", "max_test_size"):
        pytest.skip("an integer like any other")
    words = [argument, *OTHER_WORDS.get(argument, [])]
    try:
        function(**FUNCTIONS[function] | {argument: HOSTILE[value]})
    except (ValueError, TypeError) as error:
        assert any(word in str(error) for word in words), error
