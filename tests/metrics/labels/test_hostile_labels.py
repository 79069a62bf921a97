"""Labels that are hardly labels: each is counted right, or refused with one clear error."""

from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from skpostbac.metrics import ClassCounts, class_counts, paired_counts


def objects(labels):
    """Return an array of objects, whatever they are."""
    array = np.empty(len(labels), object)
    array[:] = labels
    return array


def swapped(labels):
    """Return an array of the other endianness."""
    array = np.asarray(labels)
    return array.astype(array.dtype.newbyteorder("S"))


def strided(labels):
    """Return an array whose labels are not next to each other."""
    return np.repeat(np.asarray(labels), 3)[::-3][::-1]


def with_gaps(labels):
    """Return a categorical column with categories that do not occur."""
    other = {type(labels[0])(0), type(labels[0])(1)} - set(labels)
    return pd.Categorical(labels, [*sorted(set(labels), reverse=True), *other])


TYPED = {
    "list": list,
    "array": np.asarray,
    "read-only": lambda x: np.broadcast_to(np.array(x), len(x)),
    "swapped": swapped,
    "strided": strided,
    "column": lambda x: np.asarray(x)[:, np.newaxis],
    "no mask": lambda x: np.ma.array(np.asarray(x)),
    "pandas": lambda x: pd.Series(x, index=range(len(x), 0, -1)),
    "pandas categorical": with_gaps,
    # Early versions take long unsigned integers from NumPy only.
    "polars": lambda x: pl.Series(x if isinstance(x[0], str) else np.asarray(x)),
}
KINDS = {
    "int": st.integers(-(2**63), 2**63 - 1),
    "unsigned": st.integers(2**63, 2**64 - 1),
    "small": st.integers(-3, 3),
    "bool": st.booleans(),
    "float": st.integers(-(2**53), 2**53).map(float),
    "str": st.text(
        st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=4
    ),
}


def expected_counts(true, pred):
    """Count by a plain loop."""
    total, correct = (
        Counter(true),
        Counter(t for t, p in zip(true, pred, strict=True) if t == p),
    )
    classes = sorted(total)
    return ClassCounts(
        objects(classes), [correct[c] for c in classes], [total[c] for c in classes]
    )


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@given(data=st.data())
def test_each_container_is_counted_right(kind, data):
    """Whatever holds the true labels and the predictions, and however extreme they are."""
    pool = data.draw(st.lists(kind, min_size=1, max_size=5, unique=True))
    samples = st.lists(st.tuples(*[st.sampled_from(pool)] * 2), min_size=1, max_size=20)
    true, pred = zip(*data.draw(samples), strict=True)
    first, second = (TYPED[data.draw(st.sampled_from(list(TYPED)))] for _ in range(2))
    expected = expected_counts(true, pred)
    assert class_counts(first(list(true)), second(list(pred))) == expected
    paired = paired_counts(first(list(true)), {"A": second(list(pred))})
    assert paired.margin("A") == expected


@pytest.mark.parametrize("dtype", ["object", "U", np.dtypes.StringDType()], ids=str)
def test_unicode_is_exact(dtype):
    """Labels that look alike, of several code points, or beyond the basic plane."""
    script_a, alpha, woman = (
        "\N{MATHEMATICAL SCRIPT CAPITAL A}",
        "\u0391",
        "\U0001f469\u200d",
    )
    labels = [
        "\u00e9",
        "e\u0301",
        "",
        " ",
        "\u200b",
        script_a,
        "A",
        alpha,
        "ß",
        "ss",
        woman,
    ]
    counts = class_counts(np.array(labels, dtype), np.array(labels[::-1], dtype))
    assert counts.classes.tolist() == sorted(labels)
    assert counts.total.tolist() == [1] * len(labels)
    assert counts.correct.sum() == 1  # the one in the middle


def test_integers_of_an_object_array_are_numbers():
    """Also beside booleans, and at both ends of 64 bits."""
    ends = np.array([-(2**63), 2**63 - 1, True, 0], object)
    counts = class_counts(ends, [-(2**63), 0, 1, 0])
    assert counts == ClassCounts(sorted(ends.tolist()), [1, 1, 1, 0], [1] * 4)
    assert counts.classes.dtype == np.int64


@pytest.mark.parametrize("other", [2.0, np.float64(2)], ids=repr)
@pytest.mark.parametrize("convert", [int, np.uint64], ids=["int", "uint64"])
def test_long_integers_of_a_list_are_not_rounded(convert, other):
    """NumPy would make them floats, of which these are equal."""
    labels = [convert(2**53), convert(2**53 + 1), other]
    with pytest.raises(ValueError, match="y_true: unknown is not supported"):
        class_counts(labels, [1, 1, 1])
    with pytest.raises(ValueError, match="y_pred: unknown is not supported"):
        class_counts([1, 1, 1], labels)
    assert class_counts([1, 2.0, 2], (1.0, 2, True)) == ClassCounts(
        [1, 2], [1, 1], [1, 2]
    )


@given(labels=st.lists(st.integers(-(2**63), 2**64 - 1), min_size=1, max_size=6))
def test_integers_beyond_the_doubles(labels):
    """Those of 64 bits with and without a sign do not fit one array, but never merge."""
    assume(
        all(label < 2**63 for label in labels) or all(label >= 0 for label in labels)
    )
    y_true = np.array(labels, np.int64 if max(labels) < 2**63 else np.uint64)
    near = [label - 1 if label > -(2**63) else label + 1 for label in labels]
    assume(min(near) >= 0 or max(near) < 2**63)
    y_pred = np.array(near, np.int64 if max(near) < 2**63 else np.uint64)
    assert class_counts(y_true, y_pred).correct.sum() == 0
    assert class_counts(y_true, y_true).correct.sum() == len(labels)
