"""Values that no argument takes: one ValueError or TypeError that names the argument."""

import datetime as dt
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
    OutcomesScorer,
    PairedCounts,
    PosteriorBalancedAccuracy,
    PosteriorComparison,
    PosteriorConfusionMetric,
    PosteriorRefit,
    class_counts,
    compare_posteriors,
    compare_predictions,
    cross_val_posterior,
    make_posterior_scorer,
    paired_counts,
    pooled_posteriors,
    population_posterior,
    posterior_accuracy,
    posterior_balanced_accuracy,
    posterior_balanced_accuracy_score,
    posterior_confusion_metric,
    required_test_size,
)
from skpostbac.binary_equivalent import (
    GuessingTest,
    binary_equivalent_accuracy,
    binary_equivalent_accuracy_score,
    binary_equivalent_recalls,
    guessing_test,
    make_binary_equivalent_scorer,
)
from skpostbac.binormal import BinormalModel, binormal_check, make_binormal_scorer
from skpostbac.displays import PosteriorSearchDisplay
from skpostbac.metrics import ProbAboveChance
from skpostbac.model_selection import pooled_paired_counts
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
    "dates": [dt.date(2020, 1, 1)] * N,
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
    | {
        "metric": "recall",
        "prior": "uniform",
        "pos_label": None,
        "average": "macro",
        "prevalence": "sampled",
    },
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
    | {"estimator": DummyClassifier(), "X": X_WINE, "y": Y_WINE, "labels": None},
    Hyperprior: {"rate": 1, "base": 1},
}
# What an error may say in place of the name of the argument.
OTHER_WORDS = {
    "labels": "At least one label specified must be in y_true",
    "C": "counts must be integers",
    "metric": "only 0-dimensional arrays",  # of what a metric returns
}


def complaint(function, argument, value):
    """Return what is wrong with the error for a value, None if nothing is."""
    try:
        function(**FUNCTIONS[function] | {argument: value})
    except (ValueError, TypeError) as error:
        is_named = argument in str(error) or OTHER_WORDS.get(argument, argument) in str(error)
        return None if is_named else str(error)
    except Exception as error:  # warnings too
        return repr(error)
    return None


@pytest.mark.filterwarnings(
    "ignore::skpostbac.metrics.PriorInfluenceWarning", "ignore:.*holds none of"
)
@pytest.mark.parametrize(
    ("function", "argument"),
    [
        pytest.param(function, argument, id=f"{function.__qualname__}-{argument}")
        for function, arguments in FUNCTIONS.items()
        for argument in arguments
        if argument not in ("estimator", "X")
    ],
)
def test_errors_name_the_argument(function, argument):
    """Whatever it is given; and no warning but our own leaks."""
    complaints = {name: complaint(function, argument, value) for name, value in HOSTILE.items()}
    assert not {name: found for name, found in complaints.items() if found}


POSTERIOR = PosteriorBalancedAccuracy(COUNTS)
PAIRED = PairedCounts.from_cells([[7, 1, 2, 0]])
HOUR = np.timedelta64(1, "h")  # an integer, as NumPy has it
REFUSED = {
    "interval-method": (
        lambda: POSTERIOR.credible_interval(method=np.array(["hdi", "central"])),
        "method must be 'hdi' or 'central', got array",
    ),
    "interval-duration": (lambda: POSTERIOR.credible_interval(HOUR), "level must be a number"),
    "fraction-duration": (
        lambda: BinormalModel(0, 1, 1, 1, positive_fraction=HOUR),
        "positive_fraction must be",
    ),
    "mean-duration": (lambda: BinormalModel(HOUR, 1, 1, 1), "mean_negative must be a finite"),
    "size-duration": (lambda: OutcomesScorer(HOUR), "max_test_size must be a positive integer"),
    "rope-duration": (
        lambda: PosteriorComparison.from_paired_counts(PAIRED, rope=HOUR),
        "rope must be at least 0",
    ),
    "cells-second": (
        lambda: PAIRED.cells("A", []),
        r"second must be one of \('A', 'B'\), got \[\]",
    ),
    "margin-series": (
        lambda: PAIRED.margin(pd.Series(["A", "B"])),
        "name must be one of",
    ),
    "difference-series": (
        lambda: PosteriorComparison.from_paired_counts(PAIRED).rope_masses(pl.Series(["A"]), "B"),
        "a must be one of",
    ),
    "empty-names": (lambda: PairedCounts.empty(3), "names must be a tuple or a list, got int"),
    "predictions-names": (
        lambda: compare_predictions(Y_TRUE, {1: Y_PRED, "b": Y_TRUE}),
        "predictions: the names of classifiers must be strings, got 1",
    ),
    "posteriors-names": (
        lambda: compare_posteriors({1: POSTERIOR, "b": POSTERIOR}),
        "posteriors: the names of classifiers must be strings",
    ),
    "update-kind": (
        lambda: COUNTS.update(["a"], ["b"]),
        "y_true must have labels of the same type as the counted ones: Mix of label input types",
    ),
    "paired-update-kind": (
        lambda: PAIRED.update(["a"], {"A": ["b"], "B": ["a"]}),
        "y_true must have labels of the same type as the counted ones: Mix of label input types",
    ),
    "groups-object": (
        lambda: population_posterior(object()),
        "total must be given unless correct is",
    ),
    "shapes": (
        lambda: binary_equivalent_accuracy([0.5, 0.6], [2, 3, 4]),
        "accuracy and n_classes must have shapes that broadcast",
    ),
    "single-label": (
        lambda: binary_equivalent_accuracy_score([0, 1], [0, 1], labels=[0]),
        "n_classes must be .* got one class in labels",
    ),
    "points": (
        lambda: BinormalModel(0, 1, 1, 1).roc_curve(n_points=2**70),
        "n_points == .* must be <= 100000000",
    ),
    "label-array": (
        lambda: binormal_check(Y_TRUE, range(N), pos_label=np.array([0, 1])),
        r"pos_label=array\(\[0, 1\]\) is not a valid label",
    ),
    "label-number": (
        lambda: binormal_check(Y_TRUE, range(N), pos_label=Decimal("sNaN")),
        "is not a valid label",
    ),
    "scorer-estimator": (
        lambda: ClassCountsScorer()(DummyClassifier, [[0]], [0]),
        "estimator must be a classifier with predict",
    ),
    "outcomes-estimator": (
        lambda: OutcomesScorer(3)(1j, [[0]], [0]),
        "estimator must be a classifier with predict, got 1j",
    ),
    "factor": (
        lambda: ProbAboveChance(0.8, 0.5, 10**400),
        "bayes_factor must be in the range of a float",
    ),
    "cv-groups": (
        lambda: cross_val_posterior(DummyClassifier(), X_WINE, Y_WINE, groups=[1]),
        "X, y and groups: Found input variables",
    ),
}


@pytest.mark.parametrize(("call", "message"), REFUSED.values(), ids=REFUSED)
def test_a_refusal_names_the_argument(call, message):
    """Where the error of another library, or of another argument, would have spoken."""
    with pytest.raises((ValueError, TypeError), match=message):
        call()


@pytest.mark.parametrize(
    ("cv", "error", "message"),
    [
        ([], ValueError, "cv must have at least one split"),
        ({}, ValueError, "cv must have at least one split"),
        ([1, 2], TypeError, "cv must be an int, a splitter or an iterable of pairs"),
        ([[1, 2, 3]], TypeError, "cv must be an int, a splitter or an iterable of pairs"),
    ],
    ids=["list", "dict", "numbers", "triples"],
)
def test_splits_are_checked(cv, error, message):
    """Before the first fit."""
    with pytest.raises(error, match=message):
        cross_val_posterior(DummyClassifier(), X_WINE, Y_WINE, cv=cv)


@pytest.mark.parametrize("n_draws", [2**63, 10**400])
def test_draws_without_end_are_refused(n_draws):
    """They would take years, and no memory holds them."""
    with pytest.raises(ValueError, match="n_draws"):
        posterior_confusion_metric(Y_TRUE, Y_PRED, "f1", n_draws=n_draws)
    with pytest.raises(ValueError, match="n_draws"):
        compare_predictions(Y_TRUE, {"a": Y_PRED, "b": Y_TRUE}, n_draws=n_draws)


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([0, 1, float("inf")] * 2, "such as inf"),
        ([0, 2**63] * 3, "such as 9223372036854775808"),
        ([Decimal(0), Decimal(1)] * 3, r"such as Decimal\('0'\)"),
        ([dt.date(2020, 1, 1)] * 6, r"such as datetime.date\(2020, 1, 1\)"),
    ],
    ids=["infinity", "long", "decimals", "dates"],
)
@pytest.mark.parametrize("argument", ["y_true", "y_pred"])
def test_odd_labels_are_shown(argument, values, found):
    """The message shows the label, and says what class labels are."""
    labels = {"y_true": Y_TRUE, "y_pred": Y_PRED} | {argument: values}
    with pytest.raises(ValueError, match=rf"^{argument}: .* {found}: class labels are strings"):
        class_counts(**labels)


@pytest.mark.parametrize(
    ("weights", "found"),
    [([1e308] * 6, "inf"), ([6e14] * 6, r"1.8e\+15"), ([2**63] * 6, r"2.76701e\+19")],
    ids=["overflow", "sum", "integers"],
)
@pytest.mark.parametrize(
    "function",
    [
        class_counts,
        lambda y_true, y_pred, **weight: paired_counts(y_true, {"a": y_pred}, **weight),
        posterior_accuracy,
        binary_equivalent_recalls,
    ],
    ids=["counts", "pairs", "accuracy", "recalls"],
)
def test_sums_of_weights_are_bounded(function, weights, found):
    """The message has the sum, and of which class it is."""
    with pytest.raises(ValueError, match=rf"^sample_weight must add up .* got {found} for 0$"):
        function(Y_TRUE, Y_PRED, sample_weight=weights)


def test_shares_of_classes_may_be_huge():
    """Only their ratio matters, also where their sum would be infinite."""
    moderate, huge = (
        PosteriorConfusionMetric.from_confusion_matrix(
            [[7, 2], [1, 5]], "accuracy", prevalence=[scale, 3 * scale]
        )
        for scale in (1, 5e307)
    )
    assert huge.mean() == moderate.mean()


# ---- results of a cross-validation


@pytest.fixture(scope="module")
def searched():
    """Results of a search with outcomes of samples."""
    return (
        GridSearchCV(
            DummyClassifier(random_state=0),
            {"strategy": ["prior", "uniform"]},
            scoring=OutcomesScorer(len(Y_WINE)),
            refit=False,
            cv=3,
        )
        .fit(X_WINE, Y_WINE)
        .cv_results_
    )


READERS = {
    "pooled": pooled_posteriors,
    "paired": pooled_paired_counts,
    "refit": PosteriorRefit(),
    "summary": PosteriorRefit(complexity=len).summary,
    "display": PosteriorSearchDisplay.from_cv_results,
}
COLUMNS = {
    "short": [1.0],
    "long": [1.0] * 3,
    "empty": [],
    "number": 1.0,
    "None": None,
    "text": ["a", "b"],
    "digits": ["1", "2"],
    "negative": [-1.0, 1.0],
    "infinite": [np.inf, 1.0],
    "1e308": [1e308, 1e308],
    "huge": [10**400, 1],
    "complex": [1j, 1],
    "ragged": [[1], [1, 2]],
    "matrix": np.ones((2, 2)),
    "objects": np.array([object(), 1], object),
    "dates": np.array(["2020", "2021"], "M8[D]"),
    "masked": np.ma.array([1.0, 2.0], mask=[True, False]),
    "sNaN": [Decimal("sNaN"), 1],
    "NA": [pd.NA, 1],
    "unreadable": Unreadable(),
    "unreadables": [Unreadable()] * 2,
    "text of two": "ab",
}
KEYS = ["split0_test_correct_1", "split1_test_total_2", "split2_test_outcomes_0"]


def not_named(reader, results):
    """Return the error of results, if it is of a wrong type or does not name them."""
    try:
        READERS[reader](results)
    except (ValueError, TypeError) as error:
        return None if "cv_results" in str(error) else str(error)
    except Exception as error:
        return repr(error)
    return "no error"


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("key", KEYS)
def test_columns_are_checked(key, reader, searched):
    """A message names the results and, as a rule, the column."""
    if reader == "display":
        pytest.importorskip("matplotlib")
    if "outcomes" in key and reader in ("pooled", "display"):
        return  # not read, or read as numbers alone
    found = {name: not_named(reader, {**searched, key: value}) for name, value in COLUMNS.items()}
    found["missing"] = not_named(reader, {k: v for k, v in searched.items() if k != key})
    assert not {name: message for name, message in found.items() if message}


@pytest.mark.parametrize("reader", ["summary", "display"])
def test_params_are_checked(reader, searched):
    """There is a dict of parameters for each candidate."""
    if reader == "display":
        pytest.importorskip("matplotlib")
    found = {n: not_named(reader, {**searched, "params": value}) for n, value in COLUMNS.items()}
    assert not {name: message for name, message in found.items() if message}


@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_results_is_named(reader):
    """Neither a dict nor a DataFrame of results."""
    found = {name: not_named(reader, value) for name, value in HOSTILE.items()}
    assert not {name: message for name, message in found.items() if message}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda r: {**r, "split0_test_total_0": r["split0_test_total_0"] + 0.5},
            "each sample once",
        ),
        (
            lambda r: {**r, "split0_test_outcomes_0": r["split0_test_outcomes_0"] * 0},
            "outcomes with .* correct predictions where .* were counted",
        ),
        (
            lambda r: {**r, "split0_test_outcomes_0": np.array([0.5, 0.5])},
            "must hold integers as outcomes",
        ),
        (
            lambda r: {k: v for k, v in r.items() if "outcomes_0" in k or "outcomes" not in k},
            "outcomes of at most 53 samples",
        ),
        (
            lambda r: {k: v for k, v in r.items() if "outcomes_0" not in k},
            "no column of 'outcomes_0'",
        ),
    ],
    ids=["weighted", "other counts", "fractions", "few", "gap"],
)
def test_outcomes_agree_with_counts(change, message, searched):
    """Or they are not those of the counted samples."""
    with pytest.raises(ValueError, match=message):
        pooled_paired_counts(change(searched))


def test_none_is_a_failed_fit():
    """As in results that were stored as JSON."""
    scores = cross_validate(DummyClassifier(), X_WINE, Y_WINE, scoring=ClassCountsScorer(), cv=3)
    stored = {key: [None, *column[1:].tolist()] for key, column in scores.items()}
    with pytest.raises(ValueError, match=r"cv_results has failed fits: split 0$"):
        pooled_posteriors(stored)
