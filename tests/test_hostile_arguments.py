"""Values that no argument takes: one ValueError or TypeError that names the argument."""

import datetime as dt
from decimal import Decimal
from fractions import Fraction
from functools import partial

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
    PosteriorAccuracy,
    PosteriorBalancedAccuracy,
    PosteriorComparison,
    PosteriorComparisonDisplay,
    PosteriorConfusionMetric,
    PosteriorDisplay,
    PosteriorRefit,
    PosteriorSearchDisplay,
    class_counts,
    compare_outcomes,
    compare_posteriors,
    compare_predictions,
    cross_val_posterior,
    make_posterior_scorer,
    pooled_posteriors,
    population_posterior,
    posterior_accuracy,
    posterior_balanced_accuracy,
    posterior_balanced_accuracy_score,
    posterior_classification_report,
    posterior_confusion_metric,
    required_labels,
    required_test_size,
)
from skpostbac.binary_equivalent import (
    binary_equivalent_accuracy,
    binary_equivalent_accuracy_score,
    binary_equivalent_recalls,
    guessing_test,
    make_binary_equivalent_scorer,
)
from skpostbac.binormal import (
    BinormalCurveDisplay,
    BinormalModel,
    binormal_check,
)
from skpostbac.metrics import PairedCounts, paired_counts
from skpostbac.model_selection import pooled_paired_counts
from skpostbac.stats import BetaAverage

plt = pytest.importorskip("matplotlib.pyplot")

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


HOSTILE = [
    b"a",
    1j,
    float("nan"),
    -1,
    2**63,
    10**400,
    [[]],
    [[1], [1, 2]],
    recursive(),
    object(),
]
HOSTILE += [np.ma.array(Y_TRUE, mask=[True] + 5 * [False]), np.datetime64("2020-01-01")]
HOSTILE += [
    Decimal("sNaN"),
    (i for i in range(N)),
    np.zeros((2, 2, 2)),
    int,
    Unreadable(),
    pd.NA,
]
HOSTILE += [
    [10**400] * N,
    [0, 1, 2**70, 1, 0, 1],
    [0, 1, float("inf"), 1, 0, 1],
    [1e308] * N,
]
HOSTILE += [[0, 1, 1j, 1, 0, 1], [Decimal("sNaN")] * N, [Decimal(-1), Decimal(1)] * 3]
HOSTILE += [
    [Fraction(-1), Fraction(1, 3)] * 3,
    [dt.date(2020, 1, 1)] * N,
    [object()] * N,
]
HOSTILE += [[Unreadable()] * N, [{}] * N, [0, "a", 0, 1, 0, 1], np.full((2, 2), 1e308)]
HOSTILE += [np.zeros(N, "V4"), pd.Series(pd.interval_range(0, N)), pl.Series([[0]] * N)]
HOSTILE += [pl.Series([None] * N)]
if hasattr(pl, "Int128"):
    HOSTILE.append(pl.Series([0, 1, 2**100, 1, 0, 1], dtype=pl.Int128))
COUNTS = ClassCounts([0, 1], [3, 4], [5, 6])
LABELS = {"y_true": Y_TRUE, "y_pred": Y_PRED, "labels": None, "sample_weight": None}
MODEL = {"prior": "uniform", "class_weight": None}
FUNCTIONS = {
    class_counts: LABELS,
    posterior_balanced_accuracy: LABELS | MODEL,
    posterior_balanced_accuracy_score: LABELS | MODEL | {"objective": "mean"},
    posterior_accuracy: LABELS | {"prior": "uniform"},
    posterior_classification_report: LABELS
    | {"target_names": None, "prior": "uniform"},
    posterior_confusion_metric: LABELS
    | {"metric": "recall", "prior": "uniform", "pos_label": None, "average": "macro"}
    | {"prevalence": "sampled", "prediction_counts": None, "prediction_shares": None},
    required_labels: {"C": [[5, 1], [2, 6]], "metric": "f1", "width": 0.5}
    | {"prediction_counts": {0: 70, 1: 70}, "pos_label": None, "average": None},
    guessing_test: {"y_true": Y_TRUE, "y_pred": Y_PRED, "labels": None},
    binary_equivalent_accuracy_score: LABELS,
    binary_equivalent_recalls: LABELS,
    make_posterior_scorer: MODEL | {"objective": "mean", "labels": None},
    make_binary_equivalent_scorer: {"labels": None},
    ClassCountsScorer: {"labels": None},
    OutcomesScorer: {"max_test_size": 5, "labels": None},
    ClassCounts: {"classes": [0, 1], "correct": [1, 2], "total": [3, 4]},
    PosteriorBalancedAccuracy: MODEL | {"counts": COUNTS},
    PosteriorBalancedAccuracy.from_confusion_matrix: MODEL
    | {"C": [[1, 2], [3, 4]], "labels": None},
    PosteriorConfusionMetric.from_confusion_matrix: {
        "C": [[1, 2], [3, 4]],
        "metric": "recall",
    },
    PairedCounts: {"names": ["a", "b"], "classes": [0, 1], "class_index": [0, 1]}
    | {"patterns": [[True, False], [False, True]], "counts": [1, 2]},
    paired_counts: {"y_true": Y_TRUE, "predictions": {"a": Y_PRED}}
    | {"labels": None, "sample_weight": None},
    compare_predictions: MODEL
    | {"y_true": Y_TRUE, "predictions": {"a": Y_PRED, "b": Y_TRUE}},
    compare_outcomes: {"outcomes": {"a": Y_PRED, "b": Y_TRUE}, "sample_weight": None}
    | {"groups": None, "rope": 0.0, "prior": "uniform"},
    PosteriorAccuracy.from_outcomes: {"right": Y_PRED, "sample_weight": None}
    | {"groups": None, "prior": "uniform"},
    PosteriorRefit: MODEL | {"objective": "lower", "labels": None, "n_repeats": 1},
    required_test_size: {"recalls": 0.8, "width": 0.2},
    cross_val_posterior: MODEL
    | {"estimator": DummyClassifier(), "X": X_WINE, "y": Y_WINE, "labels": None},
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
        is_named = argument in str(error) or OTHER_WORDS.get(argument, argument) in str(
            error
        )
        return None if is_named else str(error)
    except Exception as error:  # warnings too
        return repr(error)
    return None


def complaints(check, values):
    """Return what is wrong, by the place of the value."""
    return {
        place: found for place, value in enumerate(values) if (found := check(value))
    }


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
    assert complaints(lambda value: complaint(function, argument, value), HOSTILE) == {}


POSTERIOR = PosteriorBalancedAccuracy(COUNTS)
DISTRIBUTION = BetaAverage([3], [2])
COMPARISON = compare_posteriors({"A": POSTERIOR, "B": POSTERIOR})
PAIRED = PairedCounts.from_cells([[7, 1, 2, 0]])
HOUR = np.timedelta64(1, "h")  # an integer, as NumPy has it
Y_SCORE = [-3, 2, -1, 0, -2, 5]
WINE = DummyClassifier(), X_WINE, Y_WINE


def search(**changes):
    """Return a display of a search with two candidates."""
    keywords = {
        "param_name": "C",
        "values": [1, 2],
        "posteriors": [POSTERIOR, POSTERIOR],
    }
    return PosteriorSearchDisplay(**keywords | changes)


def curve(**changes):
    """Return a display of a smooth curve."""
    keywords = {"model": BinormalModel(0, 1, 1, 1)}
    return BinormalCurveDisplay(**keywords | changes)


TYPE_ERRORS = [
    (
        lambda: PosteriorDisplay.from_recalls(POSTERIOR.binary_equivalent()),
        "posterior must be a",
    ),
    (
        lambda: PosteriorDisplay({"a": 1}),
        r"posteriors\['a'\] must be a posterior, got int",
    ),
    (
        lambda: PosteriorComparisonDisplay(POSTERIOR),
        "comparison must be a PosteriorComparison",
    ),
    (lambda: search(posteriors=[POSTERIOR, None]), r"posteriors\[1\] must be a"),
    (
        lambda: PairedCounts(3, [0], [], [], []),
        "names must be a tuple or a list, got int",
    ),
    (
        lambda: compare_predictions(Y_TRUE, {1: Y_PRED, "b": Y_TRUE}),
        "predictions: the names of",
    ),
    (
        lambda: compare_posteriors({1: POSTERIOR, "b": POSTERIOR}),
        "posteriors: the names of",
    ),
    (lambda: population_posterior(object()), "total must be given unless correct is"),
    (
        lambda: ClassCountsScorer()(DummyClassifier, [[0]], [0]),
        "estimator must be a classifier",
    ),
    (
        lambda: OutcomesScorer(3)(1j, [[0]], [0]),
        "estimator must be a classifier with predict,",
    ),
    (lambda: PosteriorSearchDisplay.from_search(0.5), "is not an estimator instance"),
    (lambda: curve(model=[]), "model must be a BinormalModel"),
    (lambda: POSTERIOR.plot(name=[[]]), "name must be a string"),
    (
        lambda: BinormalCurveDisplay.from_predictions(Y_TRUE, Y_SCORE, name=[]),
        "name must",
    ),
    (
        lambda: PosteriorDisplay(POSTERIOR, score_name=1),
        "score_name must be a string or None",
    ),
    (
        lambda: PosteriorDisplay.from_predictions([0, 1], [0, 1], name=[]),
        "name must be a string",
    ),
    (
        lambda: PosteriorDisplay.from_predictions([0, 1], {1: [0, 1]}),
        "y_pred: the names of",
    ),
    (
        lambda: PosteriorDisplay.from_estimator([], [[0]], [0]),
        "estimator must be a classifier",
    ),
    (
        lambda: BinormalCurveDisplay.from_estimator(int, [[0]], [0]),
        "is a class, not an instance",
    ),
    (lambda: curve(name=1), "name must be a string"),
    (lambda: search(param_name=1), "param_name must be a string"),
    (lambda: search(values=-1), "values must be a sequence"),
    (lambda: search(posteriors=int), "posteriors must be a sequence"),
    (lambda: search(groups=1.5), "groups must be a sequence"),
    (lambda: search(groups=[1, 2]), "groups must be strings"),
    (
        lambda: cross_val_posterior(*WINE, cv=[1, 2]),
        "cv must be an int, a splitter or an iterable",
    ),
]
VALUE_ERRORS = [
    (
        lambda: cross_val_posterior(*WINE, cv=[[1, 2, 3]]),
        "cv must be an int, a splitter",
    ),
    (
        lambda: PosteriorDisplay({}),
        "posteriors must contain at least one posterior, got none",
    ),
    (
        lambda: search(values=[1]),
        "must have the same length of at least 1, got .*'values': 1",
    ),
    (
        lambda: search(groups=["x"]),
        "must have the same length of at least 1, got .*'groups': 1",
    ),
    (
        lambda: search(best_index=2),
        "best_index must be the position of one of 2 candidates,",
    ),
    (
        lambda: POSTERIOR.credible_interval(method=np.array(["hdi", "central"])),
        "method must be 'hull'",
    ),
    (lambda: POSTERIOR.credible_interval(HOUR), "level must be a number"),
    (
        lambda: BinormalModel(0, 1, 1, 1, positive_fraction=HOUR),
        "positive_fraction must be",
    ),
    (lambda: BinormalModel(HOUR, 1, 1, 1), "mean_negative must be a finite"),
    (lambda: OutcomesScorer(HOUR), "max_test_size must be a positive integer"),
    (
        lambda: PosteriorComparison.from_paired_counts(PAIRED, rope=HOUR),
        "rope must be at least 0",
    ),
    (
        lambda: compare_posteriors({"A": POSTERIOR, "B": POSTERIOR}, rope=1),
        "rope must be at least",
    ),
    (lambda: PAIRED.cells("A", []), r"second must be one of \('A', 'B'\), got \[\]"),
    (lambda: PAIRED.margin(pd.Series(["A", "B"])), "name must be one of"),
    (
        lambda: PosteriorComparison.from_paired_counts(PAIRED).rope_masses(
            pl.Series(["A"]), "B"
        ),
        "a must be",
    ),
    (
        lambda: binary_equivalent_accuracy([0.5, 0.6], [2, 3, 4]),
        "accuracy and n_classes must have",
    ),
    (
        lambda: binary_equivalent_accuracy_score([0, 1], [0, 1], labels=[0]),
        "labels contains one class only",
    ),
    (
        lambda: BinormalModel(0, 1, 1, 1).roc_curve(n_points=2**70),
        "n_points == .* must be <=",
    ),
    (
        lambda: binormal_check(Y_TRUE, Y_SCORE, pos_label=np.array([0, 1])),
        r"pos_label=array\(\[0,",
    ),
    (
        lambda: binormal_check(Y_TRUE, Y_SCORE, pos_label=Decimal("sNaN")),
        "is not a valid label",
    ),
    (
        lambda: cross_val_posterior(*WINE, groups=[1]),
        "X, y and groups: Found input variables",
    ),
    (
        lambda: COMPARISON.plot(kind="difference", pair=pd.Series([0.5, 0.2])),
        "pair must name two",
    ),
    (
        lambda: COMPARISON.plot(pair=pd.DataFrame({"a": [0.5]})),
        r"pair must name two of \('A'",
    ),
    (lambda: curve(curve="a"), "curve must be one of"),
    (lambda: search(best_index=np.array([0, 1])), "best_index must be the position of"),
    (lambda: cross_val_posterior(*WINE, cv=[]), "cv must have at least one split"),
    (lambda: cross_val_posterior(*WINE, cv={}), "cv must have at least one split"),
    (
        lambda: posterior_confusion_metric(Y_TRUE, Y_PRED, "f1", n_draws=2**63),
        "n_draws",
    ),
    (
        lambda: compare_predictions(
            Y_TRUE, {"a": Y_PRED, "b": Y_TRUE}, n_draws=10**400
        ),
        "n_draws",
    ),
]


ERRORS = [(TypeError, *case) for case in TYPE_ERRORS]
ERRORS += [(ValueError, *case) for case in VALUE_ERRORS]


@pytest.mark.parametrize(
    ("error", "call", "message"),
    ERRORS,
    ids=[f"{i}-{case[2]}" for i, case in enumerate(ERRORS)],
)
def test_a_refusal_names_the_argument(error, call, message):
    """Where the error of another library, or of another argument, would have spoken."""
    with pytest.raises(error, match=message):
        call()
    assert not plt.get_fignums()


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
COLUMNS = [
    [1.0],
    [1.0] * 3,
    [],
    1.0,
    None,
    ["a", "b"],
    ["1", "2"],
    [-1.0, 1.0],
    [np.inf, 1.0],
]
COLUMNS += [[1e308, 1e308], [10**400, 1], [1j, 1], [[1], [1, 2]], np.ones((2, 2)), "ab"]
COLUMNS += [
    np.array([object(), 1], object),
    np.array(["2020", "2021"], "M8[D]"),
    [pd.NA, 1],
]
COLUMNS += [np.ma.array([1.0, 2.0], mask=[True, False]), [Decimal("sNaN"), 1]]
COLUMNS += [Unreadable(), [Unreadable()] * 2]
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
    assert (
        complaints(lambda value: not_named(reader, {**searched, key: value}), COLUMNS)
        == {}
    )
    assert not_named(reader, {k: v for k, v in searched.items() if k != key}) is None


@pytest.mark.parametrize("reader", ["summary", "display"])
def test_params_are_checked(reader, searched):
    """There is a dict of parameters for each candidate."""
    if reader == "display":
        pytest.importorskip("matplotlib")
    assert (
        complaints(
            lambda value: not_named(reader, {**searched, "params": value}), COLUMNS
        )
        == {}
    )


@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_results_is_named(reader):
    """Neither a dict nor a DataFrame of results."""
    assert complaints(lambda value: not_named(reader, value), HOSTILE) == {}


def without(results, keep):
    return {key: column for key, column in results.items() if keep(key)}


TOTAL, OUTCOMES = "split0_test_total_0", "split0_test_outcomes_0"
OTHERS = "do not agree with the counts"
CHANGES = {
    "total": (OTHERS, lambda r: {**r, TOTAL: r[TOTAL] - 9}),
    "zeros": (OTHERS, lambda r: {**r, OUTCOMES: r[OUTCOMES] * 0}),
    "fractions": (OTHERS, lambda r: {**r, OUTCOMES: np.array([0.5, 0.5])}),
    "missing": (OTHERS, lambda r: {**r, OUTCOMES: np.array([np.nan, np.nan])}),
    "first words": (
        OTHERS,
        lambda r: without(r, lambda key: "outcomes" not in key or "outcomes_0" in key),
    ),
    "last words": (
        "no 'split0_test_outcomes_0'",
        lambda r: without(r, lambda key: "outcomes_0" not in key),
    ),
}


@pytest.mark.parametrize(("message", "change"), CHANGES.values(), ids=CHANGES)
def test_outcomes_agree_with_counts(message, change, searched):
    """Or they are not those of the counted samples."""
    with pytest.raises(ValueError, match=message):
        pooled_paired_counts(change(searched))


def test_none_is_a_failed_fit():
    """As in results that were stored as JSON."""
    scores = cross_validate(
        DummyClassifier(), X_WINE, Y_WINE, scoring=ClassCountsScorer(), cv=3
    )
    stored = {key: [None, *column[1:].tolist()] for key, column in scores.items()}
    with pytest.raises(ValueError, match=r"cv_results has failed fits: split 0$"):
        pooled_posteriors(stored)


# ---- displays, and options that are on or off

LABELS_ONLY = Y_TRUE, Y_PRED
FLAGS = [
    ("balanced", partial(binary_equivalent_accuracy_score, *LABELS_ONLY)),
    ("balanced", make_binary_equivalent_scorer),
    ("paired", partial(required_test_size, 0.5, difference=0.4)),
    *(
        (name, PosteriorDisplay(POSTERIOR).plot)
        for name in ("despine", "plot_chance_level")
    ),
    ("despine", PosteriorComparisonDisplay(COMPARISON).plot),
    *((name, search().plot) for name in ("despine", "plot_chance_level")),
    *((name, curve().plot) for name in ("plot_empirical", "plot_chance_level")),
    ("despine", curve().plot),
]


@pytest.mark.parametrize(
    ("name", "function"), FLAGS, ids=[f"{i}-{flag[0]}" for i, flag in enumerate(FLAGS)]
)
def test_flags_are_bools(name, function):
    """Those of Python and of NumPy; what is merely true or false in Python is neither."""
    for value in ("no", 0, 1, None, 1.0):
        with pytest.raises(TypeError, match=f"{name} must be a bool, got {value!r}"):
            function(**{name: value})
    for value in (np.True_, False):
        function(**{name: value})
    plt.close("all")


DISPLAYS = {
    PosteriorDisplay(POSTERIOR): ["curve_kwargs", "chance_level_kwargs"],
    PosteriorComparisonDisplay(COMPARISON): [],
    search(): ["errorbar_kwargs", "best_kwargs", "chance_level_kwargs"],
    curve(): ["curve_kwargs", "empirical_kwargs", "chance_level_kwargs"],
}


@pytest.mark.parametrize(
    "display", DISPLAYS, ids=lambda display: type(display).__name__
)
def test_axes_and_keyword_arguments_are_checked(display):
    """Before there is an empty figure; `plt.subplots` may have returned an array of axes."""
    for ax in (int, 0.5, [], np.array([None, None])):
        with pytest.raises(TypeError, match="ax must be matplotlib Axes or None, got"):
            display.plot(ax=ax)
    for argument in DISPLAYS[display]:
        for value in (3, [1], "ab", {1: 2}):
            with pytest.raises(
                TypeError, match=rf"{argument}.* must be a dict with names as keys"
            ):
                display.plot(**{argument: value})
    assert not plt.get_fignums()


def test_numbers_of_any_size_are_values():
    """Those beyond all floats are categories."""
    display = search(values=[1, 10**400]).plot()
    assert len(display.ax_.get_xticklabels()) == 2
    plt.close(display.figure_)
