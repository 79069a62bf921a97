"""Weights of the classes in the average."""

import numpy as np
import pandas as pd
import pytest

from skpostbac.metrics._priors.assumptions import check_class_weight, resolve_class_weight

CLASSES = np.array(["a", "b", "c"])


@pytest.mark.parametrize(
    ("class_weight", "expected"),
    [
        (None, [1 / 3, 1 / 3, 1 / 3]),
        ([1, 1, 2], [0.25, 0.25, 0.5]),
        (np.array([0, 3, 3]), [0, 0.5, 0.5]),
        ({"c": 2, "a": 1, "b": 1}, [0.25, 0.25, 0.5]),
        ({"a": 1, "b": 1, "c": 2, "not there": 5}, [0.25, 0.25, 0.5]),
        ([1e308, 1e308, 2e307], [5 / 11, 5 / 11, 1 / 11]),
        (pd.Series({"c": 2, "a": 1, "b": 1}), [0.25, 0.25, 0.5]),
        (pd.Series([1, 1, 2]).array, [0.25, 0.25, 0.5]),
    ],
    ids=["none", "list", "zero", "dict", "more than needed", "huge", "series", "extension"],
)
def test_weights_sum_to_one(class_weight, expected):
    """Weights are looked up, put in order and normalised."""
    weights = resolve_class_weight(check_class_weight(class_weight), CLASSES)
    # Two roundings, of the quotient and of the sum.
    np.testing.assert_allclose(weights, expected, rtol=1e-15)
    assert not weights.flags.writeable


@pytest.mark.parametrize(
    ("class_weight", "message"),
    [
        ([1, -1, 1], "class_weight must be finite and non-negative"),
        ([1, np.inf, 1], "class_weight must be finite and non-negative"),
        ({"a": np.nan}, "class_weight must be finite and non-negative"),
        ([0, 0, 0], "class_weight must have a positive weight"),
        ({}, "class_weight must have a positive weight"),
        ("balanced", "class_weight must be None, a dict or an array"),
        (2.0, "class_weight must be 1-dimensional"),
        ({"a": "x"}, "class_weight must be an array of numbers"),
        (pd.Series([1, 2], ["a", "a"]), "class_weight must have each label once"),
        (pd.DataFrame({"a": [1], "b": [2]}), "class_weight must be 1-dimensional"),
    ],
    ids=[
        "negative",
        "infinite",
        "NaN",
        "zero",
        "empty",
        "name",
        "scalar",
        "text",
        "duplicate",
        "frame",
    ],
)
def test_bad_weights_are_refused(class_weight, message):
    """Without knowing the classes."""
    with pytest.raises(ValueError, match=message):
        check_class_weight(class_weight)


@pytest.mark.parametrize(
    ("class_weight", "message"),
    [
        ([1, 1], "one weight for each of the 3 classes, got 2"),
        ({"a": 1, "b": 1}, r"class_weight has no weight for the classes \['c'\]"),
        ({"a": 0, "b": 0, "c": 0, "d": 1}, "class_weight must have a positive weight"),
        (pd.Series([1, 2, 3]), "class_weight has no weight for"),
        ([0, 1, 1e300], "class_weight must not have positive weights below"),
    ],
    ids=["length", "missing", "zero where it counts", "series of other labels", "far apart"],
)
def test_weights_must_fit_the_classes(class_weight, message):
    """Once the classes are known."""
    with pytest.raises(ValueError, match=message):
        resolve_class_weight(check_class_weight(class_weight), CLASSES)
