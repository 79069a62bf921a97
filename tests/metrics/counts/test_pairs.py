"""Joint outcomes of several classifiers: against counting by hand, and as values that merge."""

import pickle
from collections import Counter
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skpostbac.metrics import ClassCounts, PairedCounts, class_counts, paired_counts
from skpostbac.stats._beta import LARGEST

label = st.integers(0, 3)
samples = st.lists(st.tuples(label, label, label, label, st.integers(0, 5)), min_size=1).filter(
    lambda rows: any(row[-1] for row in rows)
)


def read(rows):
    """Return true labels, predictions of three classifiers, and weights."""
    y_true, *y_preds, weight = (list(column) for column in zip(*rows, strict=True))
    return y_true, dict(zip("ABC", y_preds, strict=True)), weight


def as_counter(counts):
    """Return how often each class and pattern occurs."""
    labels = counts.classes[counts.class_index].tolist()
    patterns = map(tuple, counts.patterns.tolist())
    return Counter(dict(zip(zip(labels, patterns, strict=True), counts.counts, strict=True)))


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
        pytest.param(lambda codes: np.array([f"class {code}" for code in codes]), id="str"),
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


@given(rows=samples, cuts=st.lists(st.integers(0, 20), max_size=4), labels=st.booleans())
def test_any_partition_gives_the_whole(rows, cuts, labels):
    """Also if parts are empty, or have none of the classes, or classifiers in another order."""
    options = {"labels": [2, 0, 9]} if labels else {}
    y_true, predictions, weight = read([*rows, (2, 0, 0, 2, 1)])
    whole = paired_counts(y_true, predictions, sample_weight=weight, **options)
    counts, bounds = PairedCounts.empty(tuple("ABC")), [0, *sorted(cuts), len(y_true)]
    parts = [slice(*pair) for pair in pairwise(bounds)]
    for part in reversed(parts):
        batch = {name: predictions[name][part] for name in "CAB"}
        counts = counts.update(y_true[part], batch, sample_weight=weight[part], **options)
    assert counts == whole
    assert PairedCounts.from_json(whole.to_json()) == whole


def test_empty_counts_are_neutral(counts):
    """They have names, and change nothing when added."""
    empty = PairedCounts.empty(["one", "two"])
    assert empty + counts == counts + empty == counts
    assert empty + empty == pickle.loads(pickle.dumps(empty)) == empty
    assert empty != PairedCounts.empty(["two", "one"])
    assert empty.cells("one", "two").shape == (0, 4)
    assert empty.margin("two") == ClassCounts.empty()
    assert PairedCounts.from_json(empty.to_json()) == empty
    with pytest.raises(ValueError, match="same classifiers in the same order"):
        PairedCounts.empty(["A"]) + empty


@pytest.mark.parametrize(
    ("batch", "error", "message"),
    [
        pytest.param({"one": [0]}, ValueError, "^predictions must be of the class", id="few"),
        pytest.param(
            {"one": [0], "two": [0], "three": [0]}, ValueError, "^predictions must be", id="many"
        ),
        pytest.param([[0], [0]], TypeError, "^predictions must be a mapping", id="list"),
        pytest.param({"one": [0], "two": [0]}, ValueError, "Mix of label", id="mixed"),
    ],
)
def test_bad_batches_are_refused(counts, batch, error, message):
    """A batch has the classifiers and the kind of labels of the counts."""
    with pytest.raises(error, match=message):
        counts.update([0], batch)


@given(rows=samples)
def test_cells_belong_to_the_margins(rows):
    """The four cells of a pair add up to the counts of each."""
    y_true, predictions, weight = read(rows)
    counts = paired_counts(y_true, predictions, sample_weight=weight)
    both, only_a, only_b, neither = counts.cells("A", "B").T
    assert (both + only_a).tolist() == counts.margin("A").correct.tolist()
    assert (both + only_b).tolist() == counts.margin("B").correct.tolist()
    assert (both + only_a + only_b + neither).tolist() == counts.margin("A").total.tolist()
    np.testing.assert_array_equal(
        counts.cells("B", "A"), np.stack([both, only_b, only_a, neither], axis=1)
    )


def test_many_classifiers():
    """More patterns than any integer has bits for."""
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 3, 500)
    predictions = {str(i): np.where(rng.random(500) < 0.9, y_true, 3) for i in range(70)}
    counts = paired_counts(y_true, predictions)
    assert counts.patterns.shape == (len(counts.counts), 70)
    assert counts.n_samples == 500
    for name, y_pred in predictions.items():
        assert counts.margin(name) == class_counts(y_true, y_pred)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_a_column_of_a_data_frame_is_a_classifier(frame):
    """It counts as a mapping of its columns, in their order, also batch by batch."""
    y_true, predictions = list("aabb"), {"two": list("abbb"), "one": list("aaba")}
    expected = paired_counts(y_true, predictions)
    assert paired_counts(y_true, frame(predictions)) == expected
    assert PairedCounts.empty(["two", "one"]).update(y_true, frame(predictions)) == expected


def test_rows_are_normalised():
    """The same rows in another order, split or empty, are the same counts."""
    rows = [0, 1, 0, 1], [[1, 0], [0, 1], [1, 0], [1, 1]], [2, 3, 4, 0]
    counts = PairedCounts(("A", "B"), [0, 1], *rows)
    assert counts == PairedCounts(("A", "B"), [0, 1], [1, 0], [[0, 1], [1, 0]], [3, 6])
    assert counts != PairedCounts(("A", "C"), [0, 1], [1, 0], [[0, 1], [1, 0]], [3, 6])
    assert counts != "counts"


def test_the_repr_is_one_line(counts):
    """It says how much there is, not all of it."""
    assert repr(counts) == "PairedCounts('one', 'two', n_classes=2, n_patterns=7, n=9)"


@pytest.mark.parametrize(
    ("predictions", "options", "error", "message"),
    [
        pytest.param(
            [[0, 1]],
            {},
            TypeError,
            'predictions must .*{"name": y_pred, ...}.*, got list',
            id="list",
        ),
        pytest.param({}, {}, ValueError, "at least one classifier", id="none"),
        pytest.param({1: [0, 1]}, {}, TypeError, "must be strings, got 1", id="name"),
        pytest.param({"": [0, 1]}, {}, ValueError, "must not be empty, got ''$", id="no name"),
        pytest.param(
            pd.DataFrame([[0, 1]] * 2, columns=["A", "A"]), {}, ValueError, "different", id="alike"
        ),
        pytest.param(
            pd.DataFrame([0, 1]), {}, TypeError, "must be strings, got 0", id="column of no name"
        ),
        pytest.param(
            {"A": [0, 1], "B": [0]},
            {},
            ValueError,
            r"^y_true and predictions\['B'\]: .*inconsistent numbers of samples: \[2, 1\]$",
            id="length",
        ),
        pytest.param(
            {"A": [0, 1], "B": [0, None]}, {}, ValueError, r"predictions\['B'\]", id="missing"
        ),
        pytest.param(
            {"A": ["x", "y"]},
            {},
            ValueError,
            r"^y_true and predictions\['A'\]: Mix of label",
            id="mixed",
        ),
        pytest.param(
            {"A": [0.5, 1]}, {}, ValueError, r"predictions\['A'\]: continuous", id="continuous"
        ),
        pytest.param({"A": [0, 1]}, {"labels": [7]}, ValueError, "must be in y_true", id="labels"),
        pytest.param(
            {"A": [0, 1]}, {"labels": ["0"]}, ValueError, "^labels: Mix of label", id="text"
        ),
        pytest.param(
            {"A": [0, 1]}, {"sample_weight": [1, -1]}, ValueError, "sample_weight", id="weight"
        ),
        pytest.param(
            {"A": [0, 1]},
            {"sample_weight": [1]},
            ValueError,
            "^y_true and sample_weight: ",
            id="few weights",
        ),
        pytest.param(
            {"A": [0, 1]}, {"sample_weight": [0, 0]}, ValueError, "non-zero", id="no weight"
        ),
        pytest.param(
            {"A": [0, 1]}, {"sample_weight": [1e16, 1]}, ValueError, "at most 1e.15", id="heavy"
        ),
    ],
)
def test_bad_predictions_are_refused(predictions, options, error, message):
    """The message is one line, and names the argument."""
    with pytest.raises(error, match=message) as caught:
        paired_counts([0, 1], predictions, **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        pytest.param(("AB", [0], [0], [[1, 1]], [1]), TypeError, "names must be a tuple", id="str"),
        pytest.param(
            (("A", "A"), [0], [0], [[1, 1]], [1]), ValueError, "must be different", id="twice"
        ),
        pytest.param((("A",), [0, 0], [0], [[1]], [1]), ValueError, "duplicates", id="classes"),
        pytest.param((("A",), [0], [1], [[1]], [1]), ValueError, "from 0 to 0", id="index"),
        pytest.param((("A",), [0], [0.5], [[1]], [1]), ValueError, "integers", id="fraction"),
        pytest.param((("A",), [0], [0], [[2]], [1]), ValueError, "patterns must hold", id="two"),
        pytest.param((("A",), [0], [0], [[1, 0]], [1]), ValueError, "of shapes", id="shape"),
        pytest.param((("A",), [0], [0], [[1]], [-1]), ValueError, "counts must be", id="negative"),
        pytest.param(
            (("A",), [0], [0, 0], [[1], [0]], [LARGEST, 1]), ValueError, "add up", id="too many"
        ),
    ],
)
def test_bad_rows_are_refused(arguments, error, message):
    """The constructor is public, and checks what it is given."""
    with pytest.raises(error, match=message):
        PairedCounts(*arguments)


@pytest.mark.parametrize(
    ("cells", "options", "message"),
    [
        pytest.param([1, 2, 3, 4], {}, r"cells must be of shape \(n_classes, 4\)", id="vector"),
        pytest.param([[1, 2, 3, -4]], {}, "cells must be finite and non-neg", id="negative"),
        pytest.param([[1, 2, 3, 4]], {"classes": [1, 2]}, "classes must have one", id="classes"),
        pytest.param([[1, 2, 3, 4]], {"names": ["A"]}, "of shapes", id="names"),
    ],
)
def test_bad_cells_are_refused(cells, options, message):
    """A table has four columns, and as many rows as there are classes."""
    with pytest.raises(ValueError, match=message):
        PairedCounts.from_cells(cells, **options)


def test_other_classifiers_do_not_merge(counts):
    """Counts of other classifiers, or in another order, are another thing."""
    other = PairedCounts.from_cells([[1, 0, 0, 0]], names=("two", "one"))
    with pytest.raises(ValueError, match="same classifiers in the same order"):
        counts + other
    with pytest.raises(TypeError):
        counts + 1
    with pytest.raises(ValueError, match="name must be one of"):
        counts.margin("three")
