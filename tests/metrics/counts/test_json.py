"""Counts as JSON: they come back equal, and nothing else is read."""

import json
from enum import Enum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skpostbac.metrics import ClassCounts, PairedCounts
from skpostbac.stats._beta import LARGEST

LABELS = {
    "str": st.text(),
    "int": st.integers(-(2**70), 2**70),
    "bool": st.booleans(),
    "float": st.floats(allow_nan=False, allow_infinity=False),
}
numbers = st.floats(0, LARGEST) | st.integers(0, 10**15)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)

COUNTS = ClassCounts(["a", "b"], [7, 2.5], [9, 3])
PAIRED = PairedCounts.from_cells([[7, 1, 0, 0], [2, 0, 0, 0.5]], names=("x", "y"))


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
    names = data.draw(st.lists(st.text(min_size=1), min_size=1, max_size=3, unique=True))
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


def test_scalars_of_numpy_are_labels():
    """Also in an array of objects."""
    labels = np.array([np.int8(3), np.float32(0.5), np.True_], object)
    counts = ClassCounts(labels, [1, 1, 1], [1, 1, 1])
    assert ClassCounts.from_json(counts.to_json()) == counts


def test_the_format_is_documented():
    """A reader in any language can rely on the keys, the order of rows and their values."""
    assert json.loads(COUNTS.to_json()) == {
        "format": "skpostbac.ClassCounts",
        "version": 1,
        "classes": ["a", "b"],
        "correct": [7, 2.5],
        "total": [9, 3],
    }
    assert json.loads(PAIRED.to_json()) == {
        "format": "skpostbac.PairedCounts",
        "version": 1,
        "names": ["x", "y"],
        "classes": [0, 1],
        "class_index": [0, 0, 1, 1],
        "patterns": [[1, 0], [1, 1], [0, 0], [1, 1]],
        "counts": [1, 7, 0.5, 2],
    }


class Animal(Enum):
    """Labels that are objects."""

    CAT = 1


@pytest.mark.parametrize(
    ("labels", "named"),
    [
        (np.array(["2020-01-01"], "M8[D]"), "2020-01-01"),
        ([Animal.CAT], "Animal.CAT"),
        ([np.inf], "inf"),
    ],
    ids=["date", "object", "infinity"],
)
def test_other_labels_cannot_be_written(labels, named):
    """The message has the label."""
    with pytest.raises(TypeError, match=f"^labels must be str, int, bool .* got .*{named}"):
        ClassCounts(labels, [1], [1]).to_json()
    with pytest.raises(TypeError, match=f"^labels must be str, int, bool .* got .*{named}"):
        PairedCounts.from_cells([[1, 0, 0, 0]], classes=labels).to_json()


def changed(counts, /, **fields):
    """Return the text of counts with other fields; None takes a field away."""
    document = json.loads(counts.to_json()) | fields
    return json.dumps({key: value for key, value in document.items() if value is not None})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "^text must be JSON: "),
        ("[1, 2]", r"^text must be a JSON object, got \[1, 2\]$"),
        ("[" * 100_000, "^text must be JSON with few levels"),
        ('{"a": 1, "a": 2}', "^text must have each key once, got 'a' twice$"),
        ('{"total": [NaN]}', "^text must hold finite numbers, got NaN$"),
        ('{"total": [-Infinity]}', "^text must hold finite numbers, got -Infinity$"),
        (changed(COUNTS, format="x"), "^'format' must be 'skpostbac.ClassCounts', got 'x'$"),
        (PAIRED.to_json(), "^'format' must be 'skpostbac.ClassCounts', got 'skpostbac.Paired"),
        (changed(COUNTS, version=2), "^'version' must be 1, got 2$"),
        (changed(COUNTS, version=True), "^'version' must be 1, got True$"),
        (changed(COUNTS, version=None), "^'version' must be 1, got None$"),
        (changed(COUNTS, total=None), "^text must have the key 'total'$"),
        (changed(COUNTS, site="x"), "^text has an unknown key, 'site'$"),
        (changed(COUNTS, total=3), "^'total' must be a list, got 3$"),
        (changed(COUNTS, total=["9", 3]), "^'total' must hold numbers, got '9'$"),
        (changed(COUNTS, total=[True, 3]), "^'total' must hold numbers, got True$"),
        (changed(COUNTS, classes=["a", ["b"]]), r"^'classes' must hold strings, .* got \['b'\]$"),
        (changed(COUNTS, classes=["a", "a"]), "^classes must not contain duplicates"),
        (changed(COUNTS, classes=["a", 1]), "^Mix of label input types"),
        (changed(COUNTS).replace('"a"', "1e999"), "^'classes' must hold finite numbers, got inf$"),
        (changed(COUNTS).replace('"b"', "-1e999"), "^'classes' must .* finite numbers, got -inf$"),
        (changed(COUNTS, classes=["a"]), "^classes, correct and total must have the same length"),
        (changed(COUNTS, classes=[]), "^'classes' should contain at least one label"),
        (changed(COUNTS, correct=[-1, 0]), "^correct must be finite and non-negative"),
        (changed(COUNTS, correct=[10, 0]), "^correct must not exceed total"),
        (changed(COUNTS, total=[2e15, 3]), "^total must not exceed"),
        (changed(COUNTS, total=[10**400, 3]), "^total must be an array of numbers"),
        (changed(COUNTS).replace("9", "1e999"), "^total must be finite"),
        (changed(COUNTS).replace("9", "9" * 5000), "digits"),
    ],
    ids=range(29),
)
def test_bad_class_counts_are_refused(text, message):
    """With one ValueError that names what is wrong."""
    with pytest.raises(ValueError, match=message) as caught:
        ClassCounts.from_json(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"names": ["x", 1]}, "^'names' must hold strings, got 1$"),
        ({"names": ["x", "x"]}, "^the names of classifiers must be different"),
        ({"names": ["x", ""]}, "^the names of classifiers must not be empty"),
        ({"names": []}, r"^'patterns' must hold lists of 0"),
        ({"class_index": [0, 0, 1, 2]}, "^'class_index' must hold integers from 0 to 1, got 2$"),
        ({"class_index": [0, 0, 1, 0.0]}, "^'class_index' must hold integers from 0 to 1, got 0.0"),
        ({"class_index": [0]}, "^class_index, patterns and counts must be of shapes"),
        ({"patterns": [[1, 0], [1]]}, r"^'patterns' must hold lists of 2, got \[1\]$"),
        ({"patterns": [[1, 0], "11"]}, r"^'patterns' must hold lists of 2, got '11'$"),
        ({"patterns": [[1, 2]]}, "^'patterns' must hold integers from 0 to 1, got 2$"),
        ({"counts": [1, 7, 0.5, -2]}, "^counts must be finite and non-negative"),
        ({"counts": [1, 7, 0.5, None]}, "^'counts' must hold numbers, got None$"),
        ({"counts": [1e15, 7, 0.5, 2]}, "^counts must add up to at most"),
        ({"classes": [0, 0]}, "^classes must not contain duplicates"),
    ],
    ids=range(14),
)
def test_bad_paired_counts_are_refused(fields, message):
    """With one ValueError that names what is wrong."""
    with pytest.raises(ValueError, match=message):
        PairedCounts.from_json(changed(PAIRED, **fields))


@pytest.mark.parametrize("text", [b"{}", None, {}], ids=["bytes", "None", "dict"])
@pytest.mark.parametrize("read", [ClassCounts.from_json, PairedCounts.from_json])
def test_only_text_is_read(read, text):
    """Anything else is a TypeError."""
    with pytest.raises(TypeError, match=f"^text must be a str, got {type(text).__name__}$"):
        read(text)


@pytest.mark.parametrize("counts", [COUNTS, PAIRED], ids=["ClassCounts", "PairedCounts"])
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
