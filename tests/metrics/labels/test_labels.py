"""Labels of every kind: what is accepted, what is refused, and how they merge."""

import tracemalloc
from enum import Enum
from itertools import permutations, product

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.naive_bayes import GaussianNB

from skpostbac import posterior_balanced_accuracy
from skpostbac.metrics._labels.labels import (
    array_of_labels,
    as_label_array,
    class_labels,
    is_integral,
    merge_labels,
    unique_label_array,
)
from skpostbac.metrics._labels.outcomes import encode, encode_integral, read_column

COLUMNS = {
    "list": [3, 5, 3],
    "tuple": (3, 5, 3),
    "range": range(3),
    "ndarray": np.array([3, 5, 3]),
    "read-only ndarray": np.broadcast_to(np.array(3), 3),
    "column vector": [[3], [5], [3]],
    "int8": np.array([-128, 127, 0], np.int8),
    "uint64": np.array([2**64 - 1, 2**64 - 2, 0], np.uint64),
    "bool": np.array([True, False, True]),
    "bools in a list": [True, False, True],
    "float": [1.0, 2.0, 1.0],
    "str": ["b", "a", "b"],
    "object str": np.array(["b", "a", "b"], object),
    "datetime": np.array(["2020-01-01", "2021-01-01", "2020-01-01"], "M8[D]"),
    "pandas int": pd.Series([3, 5, 3], index=[7, 8, 9]),
    "pandas Int64": pd.Series([2**60 + 1, 2**60, 3], dtype="Int64"),
    "pandas boolean": pd.Series([True, False, True], dtype="boolean"),
    "pandas str": pd.Series(["b", "a", "b"]),
    "pandas string": pd.Series(["b", "a", "b"], dtype="string"),
    "pandas object": pd.Series(["b", "a", "b"], dtype=object),
    "pandas categorical": pd.Series(["b", "a", "b"], dtype="category"),
    "pandas integer categorical": pd.Series([3, 5, 3], dtype="category"),
    "pandas frame": pd.DataFrame({"y": [3, 5, 3]}),
    "polars int": pl.Series([3, 5, 3]),
    "polars bool": pl.Series([True, False, True]),
    "polars str": pl.Series(["b", "a", "b"]),
    "polars categorical": pl.Series(["b", "a", "b"], dtype=pl.Categorical),
    "polars enum": pl.Series(["b", "a", "b"], dtype=pl.Enum(["b", "a"])),
}

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

BAD_SHAPES = {
    "indicator matrix": [[0, 1], [1, 0]],
    "row": [[0, 1]],
    "tuples": [(1, 2), (1, 3)],
    "three dimensions": np.zeros((2, 1, 1)),
    "scalar": 1,
    "string": "abc",
    "None": None,
    "set": {1, 2},
    "generator": (i for i in [0, 1]),
    "ragged": [[1, 2], [3]],
}


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_conversion_keeps_the_labels(column):
    """Any container becomes the array of the labels that it holds."""
    expected = np.ravel(column) if not hasattr(column, "to_list") else column.to_list()
    assert list(as_label_array(column, "y_true")) == list(expected)


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_encoding_can_be_undone(column):
    """Sorted distinct values and codes give the labels back."""
    values, codes = encode(read_column(column, "y_true"), "y_true")
    assert values.tolist() == sorted(set(values.tolist()))
    assert values[codes(slice(None))].tolist() == as_label_array(column, "y_true").tolist()


@pytest.mark.parametrize("column", MISSING.values(), ids=MISSING)
def test_missing_labels_are_refused(column):
    """A missing label is neither a class nor dropped."""
    with pytest.raises(ValueError, match="Input y_true contains NaN"):
        encode(read_column(column, "y_true"), "y_true")


def test_masked_labels_are_refused():
    """The mask of an array is not ignored."""
    with pytest.raises(ValueError, match="y_pred contains masked values"):
        as_label_array(np.ma.array([1, 2], mask=[0, 1]), "y_pred")


@pytest.mark.parametrize("column", BAD_SHAPES.values(), ids=BAD_SHAPES)
def test_other_shapes_are_refused(column):
    """Only one dimension, or one column, will do."""
    with pytest.raises(ValueError, match="y_true: "):
        as_label_array(column, "y_true")


SCORES = [[0.9, 0.1], [0.2, 0.8]]


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([0.9, 0.2], r"^y_pred: continuous .* \(class labels are needed, not prob.*\)$"),
        (
            SCORES,
            r"^y_pred: y should be a 1d array, .*: take classes_\[scores\.argmax",
        ),
        (pd.DataFrame(SCORES), r": take classes_"),
    ],
    ids=["one class", "all classes", "frame"],
)
def test_probabilities_are_told_from_labels(scores, message):
    """What to do stands after scikit-learn's reason."""
    with pytest.raises(ValueError, match=message):
        encode(read_column(scores, "y_pred"), "y_pred")


@pytest.mark.parametrize("groups", [np.ones((2, 2)), [["a", "b"], ["c", "d"]]])
def test_tables_of_groups_are_refused(groups):
    """They are no scores of classes."""
    with pytest.raises(ValueError, match=r"^groups: must be one-dimensional, .* \(2, 2\)$"):
        posterior_balanced_accuracy([0, 1], [0, 1], groups=groups)


def test_a_classifier_is_told_from_its_predictions():
    """What to do stands after scikit-learn's reason."""
    with pytest.raises(ValueError, match=r"^y_pred: y should be .*not a classifier: call its pred"):
        as_label_array(GaussianNB(), "y_pred")


def test_a_table_of_labels_is_not_taken_for_probabilities():
    """Indicators of classes are integers."""
    with pytest.raises(ValueError, match=r"^y_pred: y should be .* instead\.$"):
        as_label_array([[1, 0], [0, 1]], "y_pred")


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ([0.5, 1.0], "continuous is not supported"),
        ([1e300, 1.0], "continuous is not supported"),
        ([np.inf, 1.0], "contains infinity"),
        ([1j, 1.0], "Complex data not supported"),
        (np.array([0, 1], object), "unknown is not supported"),
        ([2**70, 1], "unknown is not supported"),
        (np.array([np.timedelta64(1, "D"), 2], object), "unknown .* such as np.timedelta64"),
        (["a", 1], "Mix of label input types"),
        (np.array(["a", 1], object), "Mix of label input types"),
    ],
    ids=[
        "continuous",
        "huge",
        "inf",
        "complex",
        "object",
        "big int",
        "duration",
        "mixed list",
        "mixed array",
    ],
)
def test_what_is_no_label_is_refused(column, message):
    """Scikit-learn's reason, and the name of the argument."""
    with pytest.raises(ValueError, match=message) as error:
        encode(read_column(column, "y_pred"), "y_pred")
    assert "y_pred" in str(error.value)


@pytest.mark.parametrize("column", [[b"a", b"b"], np.array([b"a"])], ids=["list", "array"])
def test_bytes_are_refused(column):
    """Bytes are a TypeError, as in scikit-learn."""
    with pytest.raises(TypeError, match="y_true: Support for labels represented as bytes"):
        encode(read_column(column, "y_true"), "y_true")


def test_unhashable_labels_are_refused():
    """Lists as labels are a TypeError that names the argument."""
    labels = np.empty(2, object)
    labels[:] = [[1], [2]]
    with pytest.raises(TypeError, match="y_true: unhashable"):
        encode(read_column(labels, "y_true"), "y_true")


def test_sparse_matrix_is_refused():
    """A sparse column is a TypeError, as in scikit-learn."""
    from scipy.sparse import csr_array

    with pytest.raises(TypeError, match="y_true: Sparse data was passed"):
        as_label_array(csr_array([[1], [0]]), "y_true")


@pytest.mark.parametrize(
    "labels",
    [
        np.array([5, 5, 7]),
        np.array([-128, 127, 0], np.int8),
        np.array([255, 0], np.uint8),
        np.array([2**64 - 1, 2**64 - 3], np.uint64),
        np.array([-(2**63), 2**63 - 1, 0]),
        np.array([True, True]),
        np.array([False, False]),
        np.array([False, True]),
        np.array([-3.0, 2.0]),
        np.arange(5) * 10**12,
    ],
    ids=str,
)
def test_integers_are_encoded_in_order(labels):
    """Table and search agree with the distinct values, whatever the width and the range."""
    values, codes = encode_integral(labels)
    codes = codes(slice(None))
    assert is_integral(labels)
    assert values.dtype == labels.dtype
    assert values.tolist() == sorted(set(labels.tolist()))
    assert values[codes].tolist() == labels.tolist()


@pytest.mark.parametrize("labels", [[0.5], [np.nan], [np.inf], [1e300], ["1"]], ids=str)
def test_other_numbers_are_not_integral(labels):
    """What is not a finite integer takes the general way."""
    assert not is_integral(np.asarray(labels))


@pytest.mark.parametrize(
    ("first", "second", "union"),
    [
        ([1, 0], [1, 0], [1, 0]),
        ([1, 0], [0, 1], [0, 1]),
        ([3, 1], [2], [1, 2, 3]),
        (["b"], ["a", "c"], ["a", "b", "c"]),
        ([False, True], [2], [False, True, 2]),
        ([2**63 + 1], [-1], [-1, 2**63 + 1]),
    ],
    ids=["same", "other order", "union", "strings", "bool and int", "beyond float"],
)
def test_merging_sorts_unless_both_agree(first, second, union):
    """The union is sorted, and exact; an order that both have stays."""
    merged = merge_labels(np.array(first), np.array(second))
    assert merged.tolist() == union


def test_merging_labels_without_an_order():
    """Labels that do not compare stay in order of first appearance."""
    animal = Enum("animal", ["CAT", "DOG"])
    cat, dog = (np.array([member], object) for member in animal)
    assert merge_labels(dog, cat).tolist() == [animal.DOG, animal.CAT]


DAYS = np.array(["2020-01-01", "2020-01-02"], "M8[D]")
KINDS = {
    "number": [np.array([1]), np.array([1.0]), np.array([True]), np.array([2**70], object)],
    "string": [np.array(["1"]), np.array(["1"], object)],
    "date": [DAYS, DAYS.astype("M8[ns]"), DAYS.astype(object), np.array([DAYS[0]] * 2, object)],
    "duration": [DAYS - DAYS[0], (DAYS - DAYS[0]).astype(object)],
}


@pytest.mark.parametrize(("one", "other"), list(permutations(KINDS, 2)))
def test_merging_labels_of_different_kinds_is_refused(one, other):
    """The number 1 and the text "1", or a day, are hardly the same experiment."""
    for first, second in product(KINDS[one], KINDS[other]):
        with pytest.raises(ValueError, match=rf"^Mix of label .* \({one} and {other}\); Got \["):
            merge_labels(first, second)


@pytest.mark.parametrize("unit", ["D", "us", "ns"])
def test_merging_dates_gives_dates(unit):
    """Of either side, in order, as an array of dates."""
    merged = merge_labels(DAYS[1:].astype(f"M8[{unit}]"), DAYS[:1])
    assert merged.dtype == f"M8[{unit}]"
    assert (merged == DAYS).all()


LONG = np.finfo(np.longdouble).nmant >= 63
needs_long = pytest.mark.skipif(not LONG, reason="long doubles are doubles here")


@needs_long
@pytest.mark.parametrize(
    ("labels", "dtype"),
    [
        ([0, 3, -1], np.int64),
        ([2**62 + 1, 2**62], np.int64),
        ([0.5, 2.0], np.float64),
    ],
    ids=["integers", "long integers", "fractions"],
)
def test_long_doubles_become_shorter_numbers(labels, dtype):
    """Exactly, in an array or one by one."""
    scalars = [np.longdouble(label) for label in labels]
    for given in (np.array(scalars), scalars):
        array = as_label_array(given, "y_true")
        assert array.tolist() == labels
        assert array.dtype == dtype


@needs_long
@pytest.mark.parametrize("label", [np.longdouble("0.1"), np.longdouble(2) ** 5000], ids=str)
def test_long_doubles_are_not_rounded(label):
    """Two of them could become one class."""
    with pytest.raises(ValueError, match=r"^y_true must hold labels of at most 64 bits, got "):
        as_label_array(np.array([1, label]), "y_true")


def test_missing_long_doubles_are_refused():
    """As in any other array of numbers."""
    with pytest.raises(ValueError, match="Input y_true contains NaN"):
        encode(read_column(np.array([1, np.nan], np.longdouble), "y_true"), "y_true")


def test_unique_labels_are_a_read_only_copy():
    """The caller cannot change the labels later."""
    given = np.array([2, 1])
    labels = unique_label_array(given, "labels")
    given[0] = 9
    assert labels.tolist() == [2, 1]
    with pytest.raises(ValueError, match="read-only"):
        labels[0] = 9


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([], "'labels' should contain at least one label"),
        ([1, 2, 1], "labels must not contain duplicates"),
        ([1, True], "labels must not contain duplicates"),
        ([1, None], "Input labels contains NaN"),
        ([[1, 2], [3, 4]], "labels: "),
        ("dog", "labels: must be an array of labels, such as a list, got 'dog'"),
        ({"dog"}, "labels: must be an array of labels, such as a list, got {'dog'}"),
    ],
    ids=["empty", "duplicate", "bool", "missing", "matrix", "text", "set"],
)
def test_labels_must_be_distinct(labels, message):
    """No, or no distinct, or no valid labels are an error."""
    with pytest.raises(ValueError, match=message):
        unique_label_array(labels, "labels")


def test_labels_must_be_hashable():
    """They are the keys of dicts."""
    labels = np.empty(2, object)
    labels[:] = [[1], [2]]
    with pytest.raises(TypeError, match="labels: unhashable"):
        unique_label_array(labels, "labels")


@pytest.mark.parametrize(
    "read",
    [
        array_of_labels,
        lambda labels: as_label_array(labels, "y_true"),
        lambda labels: unique_label_array(labels, "labels"),
        lambda labels: unique_label_array(tuple(labels), "labels"),
    ],
    ids=["array", "samples", "unique", "tuple"],
)
def test_one_long_label_does_not_widen_the_others(read):
    """A thousand labels of 20,000 characters would be 80 MB."""
    labels = [*map(str, range(1000)), "x" * 20_000]
    tracemalloc.start()
    try:
        array = read(labels)
        assert tracemalloc.get_traced_memory()[1] < 10**6
    finally:
        tracemalloc.stop()
    assert array.tolist() == labels


MANY = list(range(1000))
TEXTS = [f"a long label, number {code}" for code in MANY]


@pytest.mark.parametrize(
    "fail",
    [
        lambda: unique_label_array(MANY * 2, "labels"),
        lambda: unique_label_array([*TEXTS, 1], "labels"),
        lambda: unique_label_array("x\n" * 1000, "labels"),
        lambda: merge_labels(np.array(MANY), np.array(TEXTS)),
        lambda: as_label_array([[0, 1], [1, 0]] * 1000, "y_true"),
        lambda: as_label_array([[code] * (code % 2 + 1) for code in MANY], "y_true"),
        lambda: as_label_array(np.float64(3), "y_true"),
        lambda: as_label_array(5 * "x\n", "y_true"),
        lambda: class_labels(np.array([0.5, *MANY]), "y_true"),
        lambda: class_labels(np.array([np.inf, *MANY]), "y_true"),
        lambda: class_labels(np.array([2**70, *MANY], object), "y_true"),
        lambda: class_labels(np.array([*TEXTS, *MANY], object), "y_true"),
    ],
)
def test_messages_are_one_short_line(fail):
    """However many labels there are, and of whichever package the reason is."""
    with pytest.raises(ValueError, match=r"label|y_true") as caught:
        fail()
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 350


def test_complex_classes_of_counts_are_refused():
    """As complex labels of predictions are."""
    with pytest.raises(ValueError, match="classes: Complex data not supported"):
        unique_label_array(np.array([1 + 0j]), "classes")
