"""What is taken for an array of numbers."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest

from skpostbac._utils.validation import float_array, nonnegative_array

NUMBERS = {
    "list": [1, 2],
    "mixed": [True, 2.0],
    "objects": np.array([1, np.float32(2)], object),
    "exact": [Fraction(1), Decimal(2)],
    "float16": np.array([1, 2], np.float16),
    "mask of nothing": np.ma.array([1, 2], mask=[False, False]),
    "pandas": pd.Series([1, 2], dtype="Int64"),
    "pandas objects": pd.Series([1, 2], dtype=object),
    "polars": pl.Series([1, 2]),
}

NO_NUMBERS = {
    "masked": (np.ma.array([1, 2], mask=[0, 1]), "got masked values"),
    "complex": ([1, 2j], "got 2j at position 1"),
    "text": (["1", "2"], "got '1' at position 0"),
    "text between": ([1, "a"], "got 'a' at position 1"),
    "bytes": ([b"1"], "got b'1' at position 0"),
    "None": ([1, None], "got None at position 1"),
    "column": (pd.Series([1, "b"], dtype=object), "got 'b' at position 1"),
    "dates": (np.array(["2020"], "M8[ns]"), "got the dtype datetime64"),
    "set": ({1, 2}, "got {1, 2}$"),
    "matrix": ([[1, 2], [3, "x"]], r"got 'x' at position \(1, 1\)"),
    "ragged": ([[1, 2], [3]], "inhomogeneous"),
    "beyond float": ([10**400], "too large"),
}


@pytest.mark.parametrize("values", NUMBERS.values(), ids=NUMBERS)
def test_numbers_of_any_kind_are_taken(values):
    """Whatever the container, and exact numbers too."""
    array = float_array(values, "x")
    assert array.dtype == np.float64
    assert array.tolist() == [1, 2]


@pytest.mark.parametrize(("values", "message"), NO_NUMBERS.values(), ids=NO_NUMBERS)
def test_what_is_no_number_is_refused(values, message):
    """With the first offender and its position, and without a warning."""
    with pytest.raises(ValueError, match=f"^x must be an array of numbers.*{message}"):
        float_array(values, "x")


def test_only_the_first_bad_value_is_reported():
    """The message stays short however many there are."""
    values = np.arange(1000.0) - 500
    values[:3] = [1, np.nan, np.inf]
    with pytest.raises(
        ValueError, match=r"^x must be finite and non-negative, got nan at position 1$"
    ):
        nonnegative_array(values, "x")


def test_arrays_are_copies():
    """The caller cannot change them, nor can the owner."""
    given = np.ones(2)
    array = nonnegative_array(given, "x")
    given[:] = 7
    assert array.tolist() == [1, 1]
    assert not array.flags.writeable
