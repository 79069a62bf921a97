"""Counts as JSON text, which sites can exchange in place of their data."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from reprlib import repr as short_repr
from typing import Any

import numpy as np

from skpostbac._utils import Floats, Indices, LabelArray, float_array
from skpostbac.metrics._dependence import SampleDesign
from skpostbac.metrics._labels import array_of_labels, label_list

VERSION = 1
# The key of what there is of groups and importance weights.
DESIGN = "design"


def write_document(name: str, fields: Mapping[str, Any], design: SampleDesign | None) -> str:
    """Return the text of a document of the given format, with these further keys."""
    more = {} if design is None else {DESIGN: design.to_fields()}
    return json.dumps({"format": name, "version": VERSION, **fields, **more}, allow_nan=False)


def read_document(text: str, name: str, keys: tuple[str, ...]) -> tuple[dict[str, list[Any]], Any]:
    """Return the lists that a document of the given format has under these keys, and its design.

    Raises
    ------
    TypeError
        If `text` is not a string.
    ValueError
        If it is no JSON, of another format or version, or has not exactly these keys with lists.
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, got {type(text).__name__}")
    document = _parse(text)
    if not isinstance(document, dict):
        raise ValueError(f"text must be a JSON object, got {short_repr(document)}")
    for key, expected in (("format", name), ("version", VERSION)):
        found = document.pop(key, None)
        if found != expected or isinstance(found, bool):  # true equals 1
            raise ValueError(f"{key!r} must be {expected!r}, got {short_repr(found)}")
    design = document.pop(DESIGN, None)
    _check_keys(document, keys)
    return document, design


def read_design(fields: Any, total: Floats, n_figures: int) -> SampleDesign:
    """Return the design that :func:`write_document` has written, of samples of these totals."""
    design = SampleDesign.from_fields(fields, len(total), n_figures)
    if design.by_class is not None:
        sizes, _ = design.by_class.diagonal()
        if not np.allclose(sizes[1], total, rtol=1e-9, atol=0):
            raise ValueError("'design' must be of as many samples of each class as 'total'")
    return design


def write_labels(classes: LabelArray) -> list[str | int | float]:
    """Return the labels as values of JSON.

    Raises
    ------
    TypeError
        If a label is neither text nor a finite number.
    """
    return [_write_label(label) for label in label_list(classes)]


def read_labels(values: list[Any]) -> LabelArray:
    """Return the labels that :func:`write_labels` has written."""
    for value in values:
        if not isinstance(value, str | int | float):  # bool is an int
            raise ValueError(
                f"'classes' must hold strings, numbers and booleans, got {short_repr(value)}"
            )
        if value in (np.inf, -np.inf):  # of digits such as 1e999
            raise ValueError(f"'classes' must hold finite numbers, got {value}")
    return array_of_labels(values)


def write_counts(counts: Floats) -> list[int | float]:
    """Return counts as values of JSON, in full digits."""
    return [int(count) if count.is_integer() else count for count in counts.tolist()]


def read_numbers(values: list[Any], key: str) -> Floats:
    """Return the values of a key, which must be numbers."""
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(f"{key!r} must hold numbers, got {short_repr(value)}")
    return float_array(values, key)


def read_integers(values: list[Any], key: str, stop: int) -> Indices:
    """Return the values of a key, which must be integers from 0 to below `stop`."""
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < stop:
            raise ValueError(
                f"{key!r} must hold integers from 0 to {stop - 1}, got {short_repr(value)}"
            )
    return np.array(values, np.intp)


def read_rows(values: list[Any], key: str, n_columns: int) -> Indices:
    """Return the values of a key, which must be lists of this many 0 and 1."""
    for row in values:
        if not isinstance(row, list) or len(row) != n_columns:
            raise ValueError(f"{key!r} must hold lists of {n_columns}, got {short_repr(row)}")
    flat = [value for row in values for value in row]
    return read_integers(flat, key, 2).reshape(len(values), n_columns)


def read_strings(values: list[Any], key: str) -> list[str]:
    """Return the values of a key, which must be strings."""
    for value in values:
        if not isinstance(value, str):
            raise ValueError(f"{key!r} must hold strings, got {short_repr(value)}")
    return values


def _parse(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise ValueError("text must be JSON with few levels of nesting") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"text must be JSON: {error}") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON, in which no key may occur twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        ((twice, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"text must have each key once, got {short_repr(twice)} twice")
    return found


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"text must hold finite numbers, got {name}")


def _check_keys(document: Mapping[str, Any], keys: tuple[str, ...]) -> None:
    for key in keys:
        if key not in document:
            raise ValueError(f"text must have the key {key!r}")
        if not isinstance(document[key], list):
            raise ValueError(f"{key!r} must be a list, got {short_repr(document[key])}")
    unknown = [key for key in document if key not in keys]
    if unknown:
        raise ValueError(f"text has an unknown key, {short_repr(unknown[0])}")


def _write_label(label: Any) -> str | int | float:
    is_scalar = isinstance(label, np.bool_ | np.integer | np.floating | np.str_)
    value = label.item() if is_scalar else label
    if not isinstance(value, str | int | float) or value in (np.inf, -np.inf):
        raise TypeError(
            "labels must be str, int, bool or finite float to be written as JSON, "
            f"got {short_repr(label)}"
        )
    return value
