"""Names of the candidates of a search, from the parameters in which they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from skpostbac._plot import value_text
from skpostbac._utils import shown

Params: TypeAlias = Mapping[str, Any]

# Value of a parameter for candidates without it.
UNSET = "(not set)"


def check_names(name: str | Sequence[str] | None, cv_results: Any, n_candidates: int) -> list[str]:
    """Return the given names, by default those of the candidates, one for each."""
    names = candidate_names(cv_results) if name is None else name
    if not isinstance(names, str | list | tuple) or not all(isinstance(n, str) for n in names):
        raise TypeError(f"name must be a string or a list of strings, got {shown(name)}")
    names = [names] if isinstance(names, str) else list(names)
    if len(names) != n_candidates or len(set(names)) < n_candidates:
        raise ValueError(f"name must give {n_candidates} different names, got {names}")
    return names


def candidate_names(cv_results: Any) -> list[str]:
    """Return distinct names of the candidates of a search, or the name of pooled folds.

    Examples
    --------
    >>> candidate_names({"params": [{"C": 1, "tol": 0.1}, {"C": 2, "tol": 0.1}]})
    ['C=1', 'C=2']
    >>> candidate_names({"params": [{"C": 0.12345}, {"C": 0.123451}]})
    ['0: C=0.1235', '1: C=0.1235']
    """
    params = list(cv_results.get("params", [{}]))
    if len(params) == 1:
        return [_write(params[0], list(params[0])) or "pooled folds"]
    names = varying_params(params)
    if len(set(names)) == len(names):
        return names
    return [f"{position}: {_write(chosen, list(chosen))}" for position, chosen in enumerate(params)]


def varying_params(params: Sequence[Params], but: str | None = None) -> list[str]:
    """Return the varying parameters of each candidate, except for one, as text."""
    varying = [name for name, n in count_values(params).items() if n > 1 and name != but]
    return [_write(chosen, varying) for chosen in params]


def count_values(params: Sequence[Params]) -> dict[str, int]:
    """Return the number of values of each parameter."""
    names = dict.fromkeys(name for chosen in params for name in chosen)
    return {name: len({value_text(chosen.get(name, UNSET)) for chosen in params}) for name in names}


def _write(params: Params, names: Sequence[str]) -> str:
    return ", ".join(f"{name}={value_text(params[name])}" for name in names if name in params)
