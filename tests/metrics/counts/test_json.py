"""Counts as JSON: they come back equal, and nothing else is read."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skpostbac.metrics import ClassCounts, PairedCounts

LABELS = {
    "str": st.text(),
    "int": st.integers(-(2**70), 2**70),
    "bool": st.booleans(),
    "float": st.floats(allow_nan=False, allow_infinity=False),
}
numbers = st.floats(0, 1e15) | st.integers(0, 10**15)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)

COUNTS = ClassCounts(["a", "b"], [7, 2.5], [9, 3])
PATTERNS = [[1, 1], [1, 0], [1, 1], [0, 0]]
PAIRED = PairedCounts(("x", "y"), [0, 1], [0, 0, 1, 1], PATTERNS, [7, 1, 2, 0.5])


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
@given(data=st.data())
def test_class_counts_come_back(labels, data):
    """Labels with their type, and counts to the last digit."""
    classes = data.draw(st.lists(labels, min_size=1, max_size=6, unique=True))
    total = data.draw(st.lists(numbers, min_size=len(classes), max_size=len(classes)))
    correct = [n * data.draw(st.floats(0, 1)) for n in total]
    array = np.empty(len(classes), object)
    array[:] = classes
    counts = ClassCounts(array, correct, total)
    again = ClassCounts.from_json(counts.to_json())
    assert again == counts
    assert list(map(type, again.classes.tolist())) == list(map(type, classes))


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
@given(data=st.data())
def test_paired_counts_come_back(labels, data):
    """With names of any text."""
    classes = data.draw(st.lists(labels, min_size=1, max_size=4, unique=True))
    names = data.draw(
        st.lists(st.text(min_size=1), min_size=1, max_size=3, unique=True)
    )
    row = st.tuples(
        st.integers(0, len(classes) - 1),
        st.tuples(*[st.booleans()] * len(names)),
        st.floats(0, 1e12),
    )
    rows = data.draw(st.lists(row, max_size=8))
    array = np.empty(len(classes), object)
    array[:] = classes
    index, patterns, weights = zip(*rows, strict=True) if rows else ([], [], [])
    patterns = np.array(patterns, bool).reshape(-1, len(names))
    counts = PairedCounts(names, array, index, patterns, weights)
    assert PairedCounts.from_json(counts.to_json()) == counts


@pytest.mark.slow
@pytest.mark.parametrize(
    "counts", [COUNTS, PAIRED], ids=["ClassCounts", "PairedCounts"]
)
@given(data=st.data())
def test_malformed_documents_are_refused(counts, data):
    """Whatever stands for a value, and wherever the text is cut or changed."""
    document = json.loads(counts.to_json())
    keys = st.sampled_from(sorted(document)) | st.text()
    document |= data.draw(st.dictionaries(keys, json_values | st.lists(json_values)))
    text = json.dumps(document)
    start, stop = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    broken = text[:start] + data.draw(st.text(max_size=3)) + text[stop:]
    for attempt in (text, broken, text[:stop]):
        try:
            found = type(counts).from_json(attempt)
        except ValueError:
            continue
        assert type(counts).from_json(found.to_json()) == found
