"""Categorical columns of pandas and polars, whose labels are encoded already."""

from __future__ import annotations

from typing import Any

import numpy as np

from skpostbac._utils import LabelArray
from skpostbac.metrics._labels.labels import (
    EncodedLabels,
    as_label_array,
    check_labels,
    encode_integral,
)


def as_labels(y: Any, name: str) -> LabelArray | EncodedLabels:
    """Convert an array-like to a 1-d array of unchecked labels; leave categories encoded.

    Raises
    ------
    ValueError, TypeError
        As :func:`as_label_array` raises them; for categories also as :func:`encode_labels` does.
    """
    kind = type(getattr(y, "dtype", None)).__name__
    if kind == "CategoricalDtype" and len(y):
        return _of_pandas(getattr(y, "cat", y), name)
    if kind in ("Categorical", "Enum") and hasattr(y, "to_physical") and len(y):
        return _of_polars(y, name)
    return as_label_array(y, name)


def _of_pandas(column: Any, name: str) -> EncodedLabels:
    numbers = np.asarray(column.codes)
    codes = encode_integral(numbers)
    if codes.values[0] < 0:
        raise ValueError(f"Input {name} contains NaN.")
    values = as_label_array(column.categories, name)[codes.values]  # not all of them occur
    check_labels(values, name)
    return EncodedLabels(values, codes.codes, len(numbers))


def _of_polars(column: Any, name: str) -> EncodedLabels:
    if column.null_count():
        raise ValueError(f"Input {name} contains NaN.")
    # The numbers of categories may be shared with other columns, and have gaps.
    codes = encode_integral(column.to_physical().to_numpy())
    found = column.unique()
    order = np.argsort(found.to_physical().to_numpy())
    return EncodedLabels(as_label_array(found, name)[order], codes.codes, len(column))
