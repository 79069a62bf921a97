"""Labels of every type: what is accepted, what is refused, and how they merge."""

import tracemalloc
from enum import Enum
from itertools import permutations, product

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn.naive_bayes import GaussianNB

from skpostbac import ClassCounts, class_counts


def read(y):
    """Count labels that predict themselves."""
    return class_counts(y, y)


def merge(first, second):
    """Return the classes of counts that are added."""
    one, two = (
        ClassCounts(y, np.ones(len(y)), np.ones(len(y))) for y in (first, second)
    )
    return (one + two).classes


def objects(*labels):
    array = np.empty(len(labels), object)
    array[:] = labels
    return array


MISSING = {
    "float": [0.0, np.nan],
    "None among strings": ["a", None],
    "NaN among strings": ["a", np.nan],
    "None among integers": [1, None],
    "object": np.array(["a", None], object),
    "datetime": np.array(["2020-01-01", "NaT"], "M8[D]"),
    "pandas Int64": pd.Series([1, None], dtype="Int64"),
    "pandas boolean": pd.Series([True, None], dtype="boolean"),
    "pandas str": pd.Series(["a", None]),
    "pandas string": pd.Series(["a", None], dtype="string"),
    "pandas categorical": pd.Series(["a", None], dtype="category"),
    "polars int": pl.Series([1, None]),
    "polars str": pl.Series(["a", None]),
}


@pytest.mark.parametrize("column", MISSING.values(), ids=MISSING)
def test_missing_labels_are_refused(column):
    """A missing label is neither a class nor dropped."""
    with pytest.raises(ValueError, match="Input y_true contains NaN"):
        read(column)


SCORES = [[0.9, 0.1], [0.2, 0.8]]
REFUSED = {
    "indicator matrix": (
        [[1, 0], [0, 1]],
        ValueError,
        r"y_true: should be .*; pass a list or a column with one label for each item",
    ),
    "row": ([[0, 1]], ValueError, "y_true: "),
    "tuples": ([(1, 2), (1, 3)], ValueError, "y_true: "),
    "three dimensions": (np.zeros((2, 1, 1)), ValueError, "y_true: "),
    "scalar": (1, ValueError, "y_true: "),
    "string": ("abc", ValueError, "y_true must be an array or a list"),
    "None": (None, ValueError, "y_true: "),
    "set": ({1, 2}, ValueError, "y_true: "),
    "generator": ((i for i in [0, 1]), ValueError, "y_true: "),
    "ragged": ([[1, 2], [3]], ValueError, "y_true: "),
    "masked": (
        np.ma.array([1, 2], mask=[0, 1]),
        ValueError,
        "y_true contains masked values",
    ),
    "sparse": (csr_array([[1], [0]]), TypeError, "y_true: Sparse data was passed"),
    "scores": (
        [0.9, 0.2],
        ValueError,
        r"^y_true: continuous .* \(class labels are needed, not p",
    ),
    "scores of classes": (SCORES, ValueError, r" classes_\[y\.argmax\(axis=1\)\]$"),
    "frame of scores": (
        pd.DataFrame(SCORES),
        ValueError,
        "of scores or one-hot rows, classes_",
    ),
    "classifier": (
        GaussianNB(),
        ValueError,
        "y_true: should be a 1d array",
    ),
    "huge": ([1e300, 1.0], ValueError, "y_true: continuous is not supported"),
    "inf": ([np.inf, 1.0], ValueError, "y_true: continuous is not supported"),
    "complex": (
        [1j, 1.0],
        ValueError,
        "y_true: unknown is not supported",
    ),
    "complex column": (
        pd.Series([1j, 1.0]),
        ValueError,
        "y_true: unknown is not supported",
    ),
    "big int": ([2**70, 1], ValueError, "y_true: unknown is not supported"),
    "duration": (
        objects(np.timedelta64(1, "D"), 2),
        ValueError,
        r"y_true: Mix of label input types \(duration and number\)",
    ),
    "mixed list": (["a", 1], ValueError, "^y_true: Mix of label input types"),
    "mixed array": (
        objects("a", 1),
        ValueError,
        "^y_true: Mix of label input types",
    ),
    "bytes": (
        [b"a", b"b"],
        TypeError,
        "y_true: Support for labels represented as bytes",
    ),
    "unhashable": (objects([1], [2]), TypeError, "y_true: .*unhashable"),
}


@pytest.mark.parametrize(("column", "error", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_label_is_refused(column, error, message):
    """The reason of scikit-learn, the name of the argument, and what to do."""
    with pytest.raises(error, match=message):
        class_counts(column, [1, 0])


MERGED = {
    "same": ([1, 0], [1, 0], [1, 0]),
    "other order": ([1, 0], [0, 1], [0, 1]),
    "union": ([3, 1], [2], [1, 2, 3]),
    "strings": (["b"], ["a", "c"], ["a", "b", "c"]),
    "bool and int": ([False, True], [2], [False, True, 2]),
    "beyond float": ([2**63 + 1], [-1], [-1, 2**63 + 1]),
}


@pytest.mark.parametrize(("first", "second", "union"), MERGED.values(), ids=MERGED)
def test_merging_sorts_unless_both_agree(first, second, union):
    """The union is sorted, and exact; an order that both have stays."""
    assert merge(np.array(first), np.array(second)).tolist() == union


def test_merging_labels_without_an_order():
    """Labels that do not compare stay in order of first appearance."""
    animal = Enum("animal", ["CAT", "DOG"])
    assert merge(objects(animal.DOG), objects(animal.CAT)).tolist() == [
        animal.DOG,
        animal.CAT,
    ]


DAYS = np.array(["2020-01-01", "2020-01-02"], "M8[D]")
LABEL_TYPES = {
    "number": [
        np.array([1]),
        np.array([1.0]),
        np.array([True]),
        np.array([2**70], object),
    ],
    "string": [np.array(["1"]), np.array(["1"], object)],
    "date": [DAYS, DAYS.astype("M8[ns]"), DAYS.astype(object), objects(*DAYS)],
    "duration": [DAYS - DAYS[0], (DAYS - DAYS[0]).astype(object)],
}


@pytest.mark.parametrize(("one", "other"), list(permutations(LABEL_TYPES, 2)))
def test_merging_labels_of_different_types_is_refused(one, other):
    """The number 1 and the text "1", or a day, are hardly the same experiment."""
    for first, second in product(LABEL_TYPES[one], LABEL_TYPES[other]):
        with pytest.raises(
            ValueError, match=rf"^Mix of label .* \({one} and {other}\); Got \["
        ):
            merge(first, second)


@pytest.mark.skipif(
    np.dtype(np.longdouble).itemsize == 8, reason="long doubles are doubles here"
)
def test_long_doubles_are_refused():
    """Rounded to 64 bits, two of them could become one class."""
    with pytest.raises(
        ValueError, match=r"^y_true: unknown is not .* such as np.longdouble\('1.0'\): "
    ):
        read(np.array([1, 2], np.longdouble))


CLASSES = {
    "empty": ([], ValueError, "'classes' should contain at least one label"),
    "duplicate": ([1, 2, 1], ValueError, "classes must not contain duplicates"),
    "bool": ([1, True], ValueError, "classes must not contain duplicates"),
    "missing": ([1, None], ValueError, "Input classes contains NaN"),
    "matrix": ([[1, 2], [3, 4]], ValueError, "classes: "),
    "text": (
        "dog",
        ValueError,
        "classes must be an array or a list, got the string 'dog'",
    ),
    "unhashable": (objects([1], [2]), TypeError, "classes: .*unhashable"),
    "many": (
        [*map(str, range(1000)), 1],
        ValueError,
        "^classes: Mix of label input types",
    ),
}


@pytest.mark.parametrize(("labels", "error", "message"), CLASSES.values(), ids=CLASSES)
def test_classes_must_be_distinct_labels(labels, error, message):
    """No, or no distinct, or no valid labels are an error of one short line."""
    with pytest.raises(error, match=message) as caught:
        ClassCounts(labels, [1, 1], [1, 1])
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 350


@pytest.mark.parametrize("container", [list, tuple])
def test_one_long_label_does_not_widen_the_others(container):
    """A thousand labels of 20,000 characters would be 80 MB."""
    labels = container([*map(str, range(1000)), "x" * 20_000])
    for make in (read, lambda y: ClassCounts(y, [1] * len(y), [1] * len(y))):
        tracemalloc.start()
        try:
            counts = make(labels)
            assert tracemalloc.get_traced_memory()[1] < 10**6
        finally:
            tracemalloc.stop()
        assert set(counts.classes) == set(labels)
