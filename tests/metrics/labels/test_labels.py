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

from skpostbac import ClassCounts, class_counts, posterior_balanced_accuracy


def read(y):
    """Count labels that predict themselves."""
    return class_counts(y, y)


def merge(first, second):
    """Return the classes of counts that are added."""
    one, two = (ClassCounts(y, np.ones(len(y)), np.ones(len(y))) for y in (first, second))
    return (one + two).classes


def objects(*labels):
    array = np.empty(len(labels), object)
    array[:] = labels
    return array


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


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_each_container_has_its_labels(column):
    """Sorted distinct labels, and how often each of them occurs."""
    labels = column.to_list() if hasattr(column, "to_list") else np.ravel(column).tolist()
    counts = class_counts(column, column)
    assert counts.classes.tolist() == sorted(set(labels))
    assert counts.total.tolist() == [labels.count(label) for label in counts.classes.tolist()]
    assert (counts.correct == counts.total).all()


@pytest.mark.parametrize("column", MISSING.values(), ids=MISSING)
def test_missing_labels_are_refused(column):
    """A missing label is neither a class nor dropped."""
    with pytest.raises(ValueError, match="Input y_true contains NaN"):
        read(column)


SCORES = [[0.9, 0.1], [0.2, 0.8]]
REFUSED = {
    "indicator matrix": ([[1, 0], [0, 1]], ValueError, r"y_true: y should be .* instead\.$"),
    "row": ([[0, 1]], ValueError, "y_true: "),
    "tuples": ([(1, 2), (1, 3)], ValueError, "y_true: "),
    "three dimensions": (np.zeros((2, 1, 1)), ValueError, "y_true: "),
    "scalar": (1, ValueError, "y_true: "),
    "string": ("abc", ValueError, "y_true: "),
    "None": (None, ValueError, "y_true: "),
    "set": ({1, 2}, ValueError, "y_true: "),
    "generator": ((i for i in [0, 1]), ValueError, "y_true: "),
    "ragged": ([[1, 2], [3]], ValueError, "y_true: "),
    "masked": (np.ma.array([1, 2], mask=[0, 1]), ValueError, "y_true contains masked values"),
    "sparse": (csr_array([[1], [0]]), TypeError, "y_true: Sparse data was passed"),
    "scores": (
        [0.9, 0.2],
        ValueError,
        r"^y_true: continuous .* \(class labels are needed, not prob.*\)$",
    ),
    "scores of classes": (
        SCORES,
        ValueError,
        r"^y_true: y should be a 1d array, .*: take classes_\[scores\.argmax",
    ),
    "frame of scores": (pd.DataFrame(SCORES), ValueError, ": take classes_"),
    "classifier": (GaussianNB(), ValueError, r"y should be .*not a classifier: call its pred"),
    "half": ([0.5, 1.0], ValueError, "y_true: continuous is not supported"),
    "huge": ([1e300, 1.0], ValueError, "y_true: continuous is not supported"),
    "inf": ([np.inf, 1.0], ValueError, "y_true.* contains infinity"),
    "complex": ([1j, 1.0], ValueError, "y_true: Complex data not supported"),
    "object": (np.array([0, 1], object), ValueError, "y_true: unknown is not supported"),
    "big int": ([2**70, 1], ValueError, "y_true: unknown is not supported"),
    "duration": (
        objects(np.timedelta64(1, "D"), 2),
        ValueError,
        "y_true: unknown .* such as np.timedelta64",
    ),
    "mixed list": (["a", 1], ValueError, "Mix of label input types .* in y_true"),
    "mixed array": (objects("a", 1), ValueError, "Mix of label input types .* in y_true"),
    "bytes": ([b"a", b"b"], TypeError, "y_true: Support for labels represented as bytes"),
    "array of bytes": (
        np.array([b"a", b"b"]),
        TypeError,
        "y_true: Support for labels represented as by",
    ),
    "unhashable": (objects([1], [2]), TypeError, "y_true: unhashable"),
}


@pytest.mark.parametrize(("column", "error", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_label_is_refused(column, error, message):
    """The reason of scikit-learn, the name of the argument, and what to do."""
    with pytest.raises(error, match=message):
        class_counts(column, [1, 0])


@pytest.mark.parametrize("groups", [np.ones((2, 2)), [["a", "b"], ["c", "d"]]])
def test_tables_of_groups_are_refused(groups):
    """They are no scores of classes."""
    with pytest.raises(ValueError, match=r"^groups: must be one-dimensional, .* \(2, 2\)$"):
        posterior_balanced_accuracy([0, 1], [0, 1], groups=groups)


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
    assert merge(np.array(first), np.array(second)).tolist() == union


def test_merging_labels_without_an_order():
    """Labels that do not compare stay in order of first appearance."""
    animal = Enum("animal", ["CAT", "DOG"])
    assert merge(objects(animal.DOG), objects(animal.CAT)).tolist() == [animal.DOG, animal.CAT]


DAYS = np.array(["2020-01-01", "2020-01-02"], "M8[D]")
LABEL_TYPES = {
    "number": [np.array([1]), np.array([1.0]), np.array([True]), np.array([2**70], object)],
    "string": [np.array(["1"]), np.array(["1"], object)],
    "date": [DAYS, DAYS.astype("M8[ns]"), DAYS.astype(object), objects(*DAYS)],
    "duration": [DAYS - DAYS[0], (DAYS - DAYS[0]).astype(object)],
}


@pytest.mark.parametrize(("one", "other"), list(permutations(LABEL_TYPES, 2)))
def test_merging_labels_of_different_types_is_refused(one, other):
    """The number 1 and the text "1", or a day, are hardly the same experiment."""
    for first, second in product(LABEL_TYPES[one], LABEL_TYPES[other]):
        with pytest.raises(ValueError, match=rf"^Mix of label .* \({one} and {other}\); Got \["):
            merge(first, second)


@pytest.mark.parametrize("unit", ["D", "us", "ns"])
def test_merging_dates_gives_dates(unit):
    """Of either side, in order, as an array of dates."""
    merged = merge(DAYS[1:].astype(f"M8[{unit}]"), DAYS[:1])
    assert merged.dtype == f"M8[{unit}]"
    assert (merged == DAYS).all()


LONG = np.finfo(np.longdouble).nmant >= 63
needs_long = pytest.mark.skipif(not LONG, reason="long doubles are doubles here")


@needs_long
@pytest.mark.parametrize("labels", [[0, 3, -1], [2**62 + 1, 2**62]], ids=["short", "long"])
def test_long_doubles_become_shorter_numbers(labels):
    """Exactly, in an array or one by one."""
    scalars = [np.longdouble(label) for label in labels]
    for given in (np.array(scalars), scalars):
        classes = read(given).classes
        assert classes.tolist() == sorted(labels)
        assert classes.dtype == np.int64


@needs_long
@pytest.mark.parametrize("label", [np.longdouble("0.1"), np.longdouble(2) ** 5000], ids=str)
def test_long_doubles_are_not_rounded(label):
    """Two of them could become one class."""
    with pytest.raises(ValueError, match=r"^y_true must hold labels of at most 64 bits, got "):
        read(np.array([1, label]))


def test_missing_long_doubles_are_refused():
    """As in any other array of numbers."""
    with pytest.raises(ValueError, match="Input y_true contains NaN"):
        read(np.array([1, np.nan], np.longdouble))


@pytest.mark.parametrize(
    ("labels", "error", "message"),
    [
        ([], ValueError, "'classes' should contain at least one label"),
        ([1, 2, 1], ValueError, "classes must not contain duplicates"),
        ([1, True], ValueError, "classes must not contain duplicates"),
        ([1, None], ValueError, "Input classes contains NaN"),
        ([[1, 2], [3, 4]], ValueError, "classes: "),
        ("dog", ValueError, "classes: must be an array of labels, such as a list, got 'dog'"),
        ({"dog"}, ValueError, "classes: must be an array of labels, such as a list, got {'dog'}"),
        (np.array([1 + 0j]), ValueError, "classes: Complex data not supported"),
        (objects([1], [2]), TypeError, "classes: unhashable"),
    ],
    ids=["empty", "duplicate", "bool", "missing", "matrix", "text", "set", "complex", "unhashable"],
)
def test_classes_must_be_distinct_labels(labels, error, message):
    """No, or no distinct, or no valid labels are an error."""
    with pytest.raises(error, match=message):
        ClassCounts(labels, [1, 1], [1, 1])


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


MANY = list(range(1000))
TEXTS = [f"a long label, number {code}" for code in MANY]


@pytest.mark.parametrize(
    "fail",
    [
        lambda: ClassCounts(MANY * 2, [1], [1]),
        lambda: ClassCounts([*TEXTS, 1], [1], [1]),
        lambda: ClassCounts("x\n" * 1000, [1], [1]),
        lambda: merge(np.array(MANY), np.array(TEXTS)),
        lambda: read([[0, 1], [1, 0]] * 1000),
        lambda: read([[code] * (code % 2 + 1) for code in MANY]),
        lambda: read(np.float64(3)),
        lambda: read(5 * "x\n"),
        lambda: read(np.array([0.5, *MANY])),
        lambda: read(np.array([np.inf, *MANY])),
        lambda: read(np.array([2**70, *MANY], object)),
        lambda: read(np.array([*TEXTS, *MANY], object)),
    ],
)
def test_messages_are_one_short_line(fail):
    """However many labels there are, and of whichever package the reason is."""
    with pytest.raises(ValueError, match=r"label|classes|y_true") as caught:
        fail()
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 350
