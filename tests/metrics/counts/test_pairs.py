"""Joint outcomes of several classifiers: against counting by hand, and as values that merge."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skpostbac.metrics import PairedCounts, class_counts, paired_counts

label = st.integers(0, 3)
samples = st.lists(
    st.tuples(label, label, label, label, st.integers(0, 5)), min_size=1
).filter(lambda rows: any(row[-1] for row in rows))


def read(rows):
    """Return true labels, predictions of three classifiers, and weights."""
    y_true, *y_preds, weight = (list(column) for column in zip(*rows, strict=True))
    return y_true, dict(zip("ABC", y_preds, strict=True)), weight


def as_counter(counts):
    """Return how often each class and pattern occurs."""
    labels = counts.classes[counts.class_index].tolist()
    patterns = map(tuple, counts.patterns.tolist())
    return Counter(
        dict(zip(zip(labels, patterns, strict=True), counts.counts, strict=True))
    )


@pytest.fixture
def counts():
    """Return the counts of two classifiers on an asymmetric set."""
    y_true = ["a"] * 6 + ["b"] * 3
    one = ["a", "a", "a", "a", "b", "c", "b", "a", "a"]
    two = ["a", "a", "a", "b", "a", "b", "a", "b", "a"]
    return paired_counts(y_true, {"one": one, "two": two})


@given(rows=samples)
def test_patterns_are_counted(rows):
    """Each class and pattern occurs as often as a plain loop finds it."""
    y_true, predictions, weight = read(rows)
    expected = Counter()
    for true, *preds, number in rows:
        if number:
            expected[true, tuple(pred == true for pred in preds)] += number
    counts = paired_counts(y_true, predictions, sample_weight=weight)
    assert as_counter(counts) == expected
    assert counts.n_samples == sum(weight)
    keys = list(zip(counts.class_index, map(tuple, counts.patterns), strict=True))
    assert keys == sorted(set(keys))


@pytest.mark.parametrize("labels", [None, [3, 0, 7]], ids=["found", "given"])
@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(np.array, id="int"),
        pytest.param(lambda codes: np.array(codes, float), id="float"),
        pytest.param(
            lambda codes: np.array([f"class {code}" for code in codes]), id="str"
        ),
        pytest.param(pd.Series, id="pandas"),
    ],
)
@given(rows=samples)
def test_margins_are_the_class_counts(kind, labels, rows):
    """Each classifier alone is counted by the rules of `class_counts`."""
    y_true, predictions, weight = read([*rows, (0, 0, 1, 2, 1)])
    y_preds = {name: kind(y_pred) for name, y_pred in predictions.items()}
    options = {"labels": labels and kind(labels), "sample_weight": weight}
    counts = paired_counts(kind(y_true), y_preds, **options)
    for name, y_pred in y_preds.items():
        assert counts.margin(name) == class_counts(kind(y_true), y_pred, **options)


@given(rows=samples, cuts=st.lists(st.integers(1, 20), max_size=4, unique=True))
def test_any_partition_gives_the_whole(rows, cuts):
    """Also if parts have none of the classes, or are counted in another order."""
    y_true, predictions, weight = read([*rows, (2, 0, 0, 2, 1)])
    whole = paired_counts(y_true, predictions, sample_weight=weight)
    bounds = sorted({0, len(y_true), *(cut for cut in cuts if cut < len(y_true))})
    parts = [slice(*pair) for pair in pairwise(bounds)]
    batches = [
        paired_counts(
            y_true[part],
            {name: column[part] for name, column in predictions.items()},
            sample_weight=weight[part],
        )
        for part in reversed(parts)
        if any(weight[part])
    ]
    assert sum(batches) == whole.reindex(sum(batches).classes)
    assert PairedCounts.from_json(whole.to_json()) == whole


def test_counts_of_other_classifiers_do_not_add(counts):
    """Nor do those of the same in another order."""
    with pytest.raises(ValueError, match="same classifiers in the same order"):
        PairedCounts.from_cells([[1, 2, 3, 4]], names=("two", "one")) + counts


@given(rows=samples)
def test_cells_belong_to_the_margins(rows):
    """The four cells of a pair add up to the counts of each."""
    y_true, predictions, weight = read(rows)
    counts = paired_counts(y_true, predictions, sample_weight=weight)
    both, only_a, only_b, neither = counts.cells("A", "B").T
    assert (both + only_a).tolist() == counts.margin("A").correct.tolist()
    assert (both + only_b).tolist() == counts.margin("B").correct.tolist()
    assert (both + only_a + only_b + neither).tolist() == counts.margin(
        "A"
    ).total.tolist()
    np.testing.assert_array_equal(
        counts.cells("B", "A"), np.stack([both, only_b, only_a, neither], axis=1)
    )


@pytest.mark.parametrize(
    "frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"]
)
def test_a_column_of_a_data_frame_is_a_classifier(frame):
    """It counts as a mapping of its columns, in their order."""
    y_true, predictions = list("aabb"), {"two": list("abbb"), "one": list("aaba")}
    expected = paired_counts(y_true, predictions)
    assert paired_counts(y_true, frame(predictions)) == expected


def test_rows_are_normalised():
    """The same rows in another order, split or empty, are the same counts."""
    rows = [0, 1, 0, 1], [[1, 0], [0, 1], [1, 0], [1, 1]], [2, 3, 4, 0]
    counts = PairedCounts(("A", "B"), [0, 1], *rows)
    assert counts == PairedCounts(("A", "B"), [0, 1], [1, 0], [[0, 1], [1, 0]], [3, 6])
    assert counts != PairedCounts(("A", "C"), [0, 1], [1, 0], [[0, 1], [1, 0]], [3, 6])
