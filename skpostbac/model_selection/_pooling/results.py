"""Columns of `cv_results_`, which may have been stored, edited or merged since the search."""

from __future__ import annotations

from collections.abc import Mapping
from reprlib import repr as short_repr
from typing import Any

import numpy as np

from skpostbac._utils import Floats, first, float_array, input_errors


def number_column(cv_results: Any, key: str, most: float) -> Floats:
    """Return a column of numbers from 0 to `most`, and of NaN where a fit failed.

    None stands for NaN, as in JSON.

    Raises
    ------
    ValueError, TypeError
        If it holds something else.
    """
    name = f"cv_results[{key!r}]"
    values = cv_results[key]
    if isinstance(values, list | tuple) or str(getattr(values, "dtype", "")) == "object":
        values = [np.nan if value is None else value for value in values]
    column = float_array(values, name)
    if column.ndim != 1:
        raise ValueError(f"{name} must be 1-dimensional, got an array of shape {column.shape}")
    bad = ~(np.isnan(column) | ((column >= 0) & (column <= most)))
    if bad.any():
        raise ValueError(f"{name} must hold numbers from 0 to {most:g}, got {first(column, bad)}")
    return column


def value_column(cv_results: Any, key: Any, n_candidates: int) -> list[Any]:
    """Return the values of any column, one for each candidate."""
    name = f"cv_results[{key!r}]"
    with input_errors(f"{name} must have a value for each candidate"):
        values = list(cv_results[key])
    if len(values) != n_candidates:
        raise ValueError(
            f"{name} must have a value for each of the {n_candidates} candidates, got {len(values)}"
        )
    return values


def candidate_params(cv_results: Any, n_candidates: int) -> list[dict[str, Any]]:
    """Return the parameters of each candidate."""
    params = value_column(cv_results, "params", n_candidates)
    for chosen in params:
        if not isinstance(chosen, Mapping):
            raise TypeError(
                "cv_results['params'] must hold a dict for each candidate, "
                f"got {short_repr(chosen)}"
            )
    return [dict(chosen) for chosen in params]
