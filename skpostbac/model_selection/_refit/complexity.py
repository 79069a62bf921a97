"""Complexity of each candidate of a search, from a column of the results or a function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from skpostbac._utils import input_errors, is_real
from skpostbac.model_selection._pooling import candidate_params, value_column

Complexity: TypeAlias = str | Callable[[dict[str, Any]], Any] | None


def check_complexity(complexity: object) -> None:
    """Raise unless `complexity` is a name, a function or None."""
    if not (complexity is None or isinstance(complexity, str) or callable(complexity)):
        raise TypeError(
            "complexity must be a name, a function of the parameters or None, "
            f"got {type(complexity).__name__}"
        )


def complexity_keys(
    cv_results: Any, complexity: Complexity, candidates: Sequence[int], n_candidates: int
) -> list[Any]:
    """Return what sorts the candidates from the simplest to the most complex.

    Parameters
    ----------
    cv_results : dict or DataFrame
        ``cv_results_`` of a search.
    complexity : str, callable or None
        See :class:`PosteriorRefit`. Without one all candidates are alike.
    candidates : sequence of int
        Positions of the candidates.
    n_candidates : int
        Number of candidates in the results.

    Examples
    --------
    >>> results = {"params": [{"C": 0.1}, {"C": 10}], "mean_fit_time": [3.0, 2.0]}
    >>> complexity_keys(results, "-C", [0, 1], 2)
    [-0.1, -10]
    >>> complexity_keys(results, "mean_fit_time", [0, 1], 2)
    [3.0, 2.0]
    """
    if complexity is None:
        return [None] * len(candidates)
    if isinstance(complexity, str):
        return _numbers(cv_results, complexity, candidates, n_candidates)
    params = _params(cv_results, n_candidates)
    keys = [complexity(params[candidate]) for candidate in candidates]
    with input_errors("complexity"):
        sorted(keys)  # the error of keys without an order names the argument
    return keys


def _numbers(
    cv_results: Any, complexity: str, candidates: Sequence[int], n_candidates: int
) -> list[Any]:
    """Return the numbers of that name, or minus them."""
    name = complexity.removeprefix("-")
    values = _column(cv_results, name, n_candidates)
    numbers = [_number(values[candidate], name, candidate) for candidate in candidates]
    return numbers if name == complexity else [-number for number in numbers]


def _params(cv_results: Any, n_candidates: int) -> list[dict[str, Any]]:
    if "params" not in cv_results:
        raise ValueError("complexity needs the 'params' of a search, which cv_results lacks")
    return candidate_params(cv_results, n_candidates)


def _column(cv_results: Any, name: str, n_candidates: int) -> list[Any]:
    """Return the values of a parameter, or of a column of the results."""
    params = _params(cv_results, n_candidates)
    if any(name in chosen for chosen in params):
        return [chosen.get(name, np.nan) for chosen in params]
    if name in cv_results:
        return value_column(cv_results, name, n_candidates)
    known = sorted({name for chosen in params for name in chosen})
    raise ValueError(
        f"complexity must name a parameter of the search, {known}, or a column of cv_results, "
        f"got {name!r}"
    )


def _number(value: Any, name: str, candidate: int) -> Any:
    """Return a number; None is no limit."""
    if value is None:
        return np.inf
    if not is_real(value) or value != value:
        raise ValueError(
            f"complexity: candidate {candidate} has no number for {name!r}, got {value!r}; "
            "give a function of the parameters"
        )
    return value
