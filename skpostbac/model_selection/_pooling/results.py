"""Columns of `cv_results_`, which may have been stored, edited or merged since the search."""

from __future__ import annotations

from collections.abc import Mapping
from reprlib import repr as short_repr
from typing import Any

import numpy as np

from skpostbac._utils import Floats, Indices, first, float_array, input_errors


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


def test_indices(cv_results: Any, n_splits: int) -> tuple[Indices, ...] | None:
    """Return the indices of the samples of each test fold; None if they were not kept."""
    if "indices" not in cv_results:
        return None
    with input_errors("cv_results['indices'] must be what cross_validate returns"):
        tests = [np.asarray(test) for test in cv_results["indices"]["test"]]
        # Splitters may yield masks in place of indices.
        found = tuple(np.flatnonzero(t) if t.dtype == bool else t.astype(np.intp) for t in tests)
    if len(found) != n_splits:
        raise ValueError(
            f"cv_results['indices'] must have a test set for each of the {n_splits} splits, "
            f"got {len(found)}"
        )
    return found


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
