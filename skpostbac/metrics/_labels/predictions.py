"""Predictions of several classifiers, by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from reprlib import repr as short_repr
from typing import Any, Protocol, TypeAlias, TypeGuard

from numpy.typing import ArrayLike

from skpostbac._utils import input_errors, shown


class DataFrame(Protocol):
    """Interface of pandas and polars tables."""

    @property
    def columns(self) -> Any:
        """Names of the columns."""
        ...

    def __getitem__(self, name: str, /) -> Any:
        """Return a column."""
        ...


Predictions: TypeAlias = Mapping[str, ArrayLike] | DataFrame


def named_predictions(predictions: object, name: str = "predictions") -> dict[str, ArrayLike]:
    """Return predictions by the name of the classifier, which is that of a column in a DataFrame.

    Raises
    ------
    TypeError
        If `predictions` are neither a mapping nor a DataFrame.
    TypeError, ValueError
        For the reasons listed in :func:`check_names`.
    """
    if not is_named(predictions):
        raise TypeError(
            f'{name} must be a mapping {{"name": y_pred, ...}}, or a DataFrame with a column '
            f"for each classifier, got {type(predictions).__name__}"
        )
    names = predictions if isinstance(predictions, Mapping) else predictions.columns
    with input_errors(name):
        checked = check_names(tuple(names))
    return {column: predictions[column] for column in checked}


def is_named(predictions: object) -> TypeGuard[Predictions]:
    """Return whether predictions are a mapping or a DataFrame, of pandas or polars."""
    return isinstance(predictions, Mapping) or hasattr(predictions, "columns")


def by_argument(predictions: Predictions, names: Iterable[str]) -> dict[str, ArrayLike]:
    """Return the predictions of these classifiers by what messages call them."""
    return {f"predictions[{name!r}]": predictions[name] for name in names}


def position_of(name: object, names: Sequence[str], argument: str) -> int:
    """Return the position of a classifier, or say that the argument is none."""
    if not isinstance(name, str) or name not in names:
        raise ValueError(f"{argument} must be one of {short_repr(names)}, got {shown(name)}")
    return names.index(name)


def check_names(names: Sequence[Any]) -> tuple[str, ...]:
    """Return the names of classifiers, which must be different strings and at least one.

    Raises
    ------
    TypeError
        If they are neither a tuple nor a list, or if one is not a string.
    ValueError
        If there is none, if one is empty, or if one occurs twice.
    """
    if not isinstance(names, tuple | list):
        raise TypeError(f"names must be a tuple or a list, got {type(names).__name__}")
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"the names of classifiers must be strings, got {name!r}")
        if not name:
            raise ValueError(f"the names of classifiers must not be empty, got {name!r}")
    if not names:
        raise ValueError("names must hold at least one classifier, got none")
    if len(set(names)) < len(names):
        raise ValueError(f"the names of classifiers must be different, got {short_repr(names)}")
    return tuple(names)
