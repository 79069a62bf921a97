"""Counts of correct predictions: against scikit-learn, and as values that merge."""

import tracemalloc
from itertools import pairwise, product

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, confusion_matrix, recall_score

from skpostbac.metrics import (
    ClassCounts,
    class_counts,
)

# More samples than are read together.
BLOCK = 2**16

# The numbers of the labels have gaps and another order than the labels.
# Older versions of polars have one space of numbers for all categoricals, or one for each.
SHARED = (
    pl.Categorical(pl.Categories("test_counts"))
    if hasattr(pl, "Categories")
    else pl.Categorical
)
pl.Series(["class 5", "other", "class 8", "class 6"], dtype=SHARED)
ENUM = pl.Enum(list("zxbyac"))

LABEL_KINDS = {
    "int": lambda codes: np.array(codes),
    "negative": lambda codes: np.array(codes) - 3,
    "huge": lambda codes: np.array(codes) * 10**17 - 2**62,
    "uint8": lambda codes: np.array(codes, np.uint8) * 60,
    "float": lambda codes: np.array(codes, float),
    "bool": lambda codes: np.array(codes) > 1,
    "str": lambda codes: np.array(["", "cat", "dog", "a longer one"])[codes],
    "object": lambda codes: np.array(["b", "a", "C", "é"], object)[codes],
    "list": lambda codes: list(codes),
    "list of str": lambda codes: [f"class {code}" for code in codes],
    "pandas int": lambda codes: pd.Series(codes, index=range(5, 5 + len(codes))),
    "pandas Int64": lambda codes: pd.Series(codes, dtype="Int64"),
    "pandas string": lambda codes: pd.Series(
        [f"class {code}" for code in codes], dtype="string"
    ),
    "pandas categorical": lambda codes: pd.Series(list(codes), dtype="category"),
    "polars int": lambda codes: pl.Series(codes),
    "polars str": lambda codes: pl.Series([f"class {code}" for code in codes]),
    "pandas unused": lambda codes: pd.Categorical.from_codes(
        codes, ["z", "b", "a", "c", "d"]
    ),
    "pandas Int64 categorical": lambda codes: pd.Series(codes, dtype="Int64").astype(
        "category"
    ),
    "polars categorical": lambda codes: pl.Series(
        [f"class {9 - c}" for c in codes], dtype=SHARED
    ),
    "polars enum": lambda codes: pl.Series(
        ["zbac"[code] for code in codes], dtype=ENUM
    ),
}

codes = st.integers(0, 3)
samples = st.lists(st.tuples(codes, codes, st.floats(0, 1e6)), min_size=1, max_size=40)


def split(pairs):
    """Return the columns of a list of (true, predicted, weight)."""
    return [list(column) for column in zip(*pairs, strict=True)]


@pytest.mark.parametrize("kind", LABEL_KINDS.values(), ids=LABEL_KINDS)
@pytest.mark.filterwarnings("ignore:A single label was found")
@given(pairs=samples)
def test_counts_are_those_of_the_confusion_matrix(kind, pairs):
    """Correct and total are the diagonal and the row sums, for labels of every kind."""
    true, pred, _ = split(pairs)
    y_true, y_pred = kind(true), kind(pred)
    counts = class_counts(y_true, y_pred)
    C = confusion_matrix(y_true, y_pred)
    found = C.sum(axis=1) > 0
    assert counts.correct.tolist() == np.diag(C)[found].tolist()
    assert counts.total.tolist() == C.sum(axis=1)[found].tolist()
    assert counts.classes.tolist() == sorted(set(np.asarray(y_true).tolist()))


@st.composite
def partitions(draw, elements):
    """Return some elements, and the same in another order and cut in parts."""
    whole = draw(st.lists(elements, min_size=1, max_size=40))
    mixed = draw(st.permutations(whole))
    cuts = sorted(draw(st.lists(st.integers(0, len(whole)), max_size=5)))
    bounds = [0, *cuts, len(whole)]
    return whole, [mixed[start:stop] for start, stop in pairwise(bounds)]


LABELS = {
    "int": [7, -1, 0, 3],
    "str": ["b", "", "a", "é"],
    "bool": [False, True, False, True],
    "float": [0.0, -2.0, 1.0, 5.0],
}


@pytest.mark.parametrize(
    "chosen", [None, [2, 0], [1, 3, 2, 0]], ids=["found", "some", "all"]
)
@pytest.mark.parametrize("names", LABELS.values(), ids=LABELS)
@given(data=partitions(st.tuples(codes, codes, st.integers(0, 3))))
def test_any_partition_in_any_order_gives_the_whole(names, chosen, data):
    """Also if parts have none of the classes, or are the first to have one."""
    labels = chosen and list(dict.fromkeys(names[code] for code in chosen))
    whole, parts = data
    table = {
        name: [0, 0] for name in labels or sorted({names[true] for true, _, _ in whole})
    }
    for true, pred, weight in whole:
        if names[true] in table:
            table[names[true]][0] += weight * (names[true] == names[pred])
            table[names[true]][1] += weight
    batches = []
    for part in parts:
        true, pred, weight = split(part) if part else ([], [], [])
        if any(weight):
            batch = [[names[code] for code in column] for column in (true, pred)]
            batches.append(class_counts(*batch, sample_weight=weight))
    assume(batches)
    expected = ClassCounts(list(table), *zip(*table.values(), strict=True))
    for order in (batches, batches[::-1]):
        assert sum(order).reindex(list(table)) == expected
    read = map(ClassCounts.from_json, map(ClassCounts.to_json, batches))
    assert sum(read) == sum(batches)


@pytest.mark.parametrize("container", [list, tuple, pd.Series, pl.Series])
def test_null_characters_tell_labels_apart(container):
    """Also at the end, where an array of text drops them."""
    y_true, y_pred = container(["a", "a\0", "b"]), container(["a", "a", "b"])
    expected = [("a", 1, 1), ("a\0", 0, 1), ("b", 1, 1)]
    counts = class_counts(y_true, y_pred)
    for found in (counts, counts + counts.reindex(["b"]).reindex(["a\0"])):
        assert (
            list(zip(found.classes, found.correct, found.total, strict=True))
            == expected
        )
    made = ClassCounts(container(["a", "a\0"]), [1, 0], [1, 1])
    assert made == counts.reindex(["a", "a\0"]) == ClassCounts.from_json(made.to_json())


@pytest.mark.parametrize(
    "labels",
    [
        pytest.param(np.array([-7, 300, 0, 12]), id="table"),
        pytest.param(np.array([-(2**62), 2**62, 0, 5]), id="search"),
        pytest.param(np.array([0, 2**64 - 1, 7, 2**63], np.uint64), id="uint64"),
        pytest.param(np.array([-128, 127, 0, 1], np.int8), id="int8"),
        pytest.param(np.array([-1, 0, 1, 2], ">i4"), id="big-endian"),
        pytest.param(np.array([0.0, 2.0, -3.0, 1e15]), id="float"),
        pytest.param(np.array([0, 1999, -2000, 3], np.float16), id="float16"),
        pytest.param(np.array(["b", "", "a", "é"]), id="str"),
        pytest.param(np.array(["b", "", "a", "é"], object), id="object"),
    ],
)
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_blocks_add_up(labels, weighted):
    """Samples of several blocks, of which the last is not full, against a plain loop."""
    rng = np.random.default_rng(0)
    n = 2 * BLOCK + 17
    true, pred = rng.integers(3, size=n), rng.integers(4, size=n)
    true[-1] = 3  # met in the last block for the first time
    weight = rng.integers(4, size=n) if weighted else np.ones(n, int)
    total = np.bincount(true, weight)
    correct = np.bincount(true[true == pred], weight[true == pred], minlength=4)
    order = np.argsort(labels)
    counts = class_counts(
        labels[true], labels[pred], sample_weight=weight if weighted else None
    )
    assert counts == ClassCounts(labels[order], correct[order], total[order])
    kind = labels.dtype.kind
    assert counts.classes.dtype.kind == ("U" if kind == "O" else kind)


@pytest.mark.slow
@pytest.mark.parametrize(
    "make",
    [
        lambda codes: codes,
        lambda codes: codes * 10**12,
        lambda codes: pd.Categorical.from_codes(codes, list("abcdefghij")),
    ],
    ids=["table", "search", "pandas"],
)
def test_memory_does_not_grow_with_the_samples(make):
    """Integer labels and categories are counted block by block."""
    codes = np.arange(10)

    def peak(n):
        y_true, y_pred = make(np.resize(codes, n)), make(np.resize(codes[::3], n))
        tracemalloc.start()
        try:
            class_counts(y_true, y_pred)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(10)  # imports and caches
    assert peak(12 * BLOCK) < 1.1 * peak(4 * BLOCK)


@pytest.mark.parametrize("dtype", [pl.Categorical, ENUM], ids=["Categorical", "Enum"])
def test_categories_compare_by_label(dtype):
    """Whatever numbers the categories have on each side, and if one side has none."""
    y_true, y_pred = list("aabbc"), list("abbzz")
    expected = ClassCounts(list("abc"), [1, 1, 0], [2, 2, 1])
    true = [y_true, pd.Categorical(y_true), pl.Series(y_true, dtype=dtype)]
    pred = [
        y_pred,
        pd.Categorical(y_pred, list("zyba")),
        pl.Series(y_pred, dtype=dtype),
    ]
    for first, second in product(true, pred):
        assert class_counts(first, second) == expected


def test_shares_of_correct_predictions():
    """Those of scikit-learn; unknown where there is no sample."""
    y_true, y_pred = [0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 3, 0]
    counts = class_counts(y_true, y_pred)
    assert counts.accuracy == pytest.approx(accuracy_score(y_true, y_pred), rel=1e-15)
    expected = recall_score(y_true, y_pred, labels=[0, 1, 2], average=None)
    np.testing.assert_allclose(counts.recalls, expected, rtol=1e-15)
    np.testing.assert_array_equal(counts.reindex([7, 1]).recalls, [np.nan, 0.5])
    assert np.isnan(counts.reindex([7]).accuracy)


def test_repr_is_one_line():
    """Labels and counts, and no more than a line of them."""
    assert (
        repr(ClassCounts(["a"], [0.25], [1e12]))
        == "ClassCounts('a': 0.25/1000000000000)"
    )
    assert (
        repr(ClassCounts([0, 1], [1, 0], [3, 1e15]))
        == "ClassCounts(0: 1/3, 1: 0/1e+15)"
    )
    shown = ", ".join(f"{i}: 1/1" for i in range(8))
    many = ClassCounts(np.arange(10), np.ones(10), np.ones(10))
    assert repr(many) == f"ClassCounts({shown}, ..., n_classes=10)"


def test_long_integers_do_not_merge():
    """Integers that are equal as floats stay different."""
    y_true = np.array([2**53, 2**53 + 1])
    assert class_counts(y_true, y_true.astype(float)).correct.tolist() == [1, 0]
    assert class_counts([0, 1, 1], [0.0, True, 0]) == ClassCounts(
        [0, 1], [1, 1], [1, 2]
    )
