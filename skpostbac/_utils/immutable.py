"""Immutable objects with stable pickles, copies and comparisons."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import Field, fields, is_dataclass
from functools import cached_property
from typing import Any

import numpy as np


class StablePickle:
    """Mixin that pickles and compares an object by its constructor values.

    Values of cached properties are left out, so pickles and their hashes (:func:`joblib.hash`) do
    not depend on earlier calls. Objects of one class are equal if their constructor values are.
    Dataclasses take part with ``eq=False``, and leave out the fields of ``compare=False``.
    """

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what is cached."""
        # Of a copy: another thread may cache something meanwhile.
        return {
            name: value
            for name, value in vars(self).copy().items()
            if not isinstance(getattr(type(self), name, None), cached_property)
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the attributes, of which pickling has made the arrays writeable."""
        vars(self).update(state)
        for value in state.values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    def __eq__(self, other: object) -> bool:
        """Return whether both are of one class, and made of the same."""
        if not isinstance(other, StablePickle) or type(other) is not type(self):
            return NotImplemented
        return self._made_of() == other._made_of()

    def __hash__(self) -> int:
        return hash((type(self), self._made_of()))

    def _made_of(self) -> Hashable:
        ignored = {name for name, field in _fields(self).items() if not field.compare}
        state = self.__getstate__()
        return comparable({name: state[name] for name in state.keys() - ignored})


class SetOnce(StablePickle):
    """Attributes can be set once, as a constructor does."""

    def __setattr__(self, name: str, value: object) -> None:
        if name in vars(self):
            raise AttributeError(f"cannot assign to {name}, which is read-only")
        super().__setattr__(name, value)


class FrozenArrays(StablePickle):
    """A frozen dataclass that keeps read-only copies of the arrays it is made of."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray):
                own = value.copy()
                own.flags.writeable = False
                object.__setattr__(self, name, own)


def comparable(value: Any) -> Hashable:
    """Return what is equal for equal values: arrays by their numbers, NaN like any other number.

    Examples
    --------
    >>> import numpy as np
    >>> comparable(np.array([1.0, np.nan])) == comparable(np.array([1.0, np.nan]))
    True
    """
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "biuf":
            return value.shape, comparable(value.ravel().tolist())
        # -0.0 is equal to 0.0, and has other bytes.
        numbers = value + 0.0 if value.dtype.kind == "f" else value
        return value.shape, value.dtype.str, numbers.tobytes()
    if isinstance(value, float) and value != value:
        return "nan"
    if isinstance(value, tuple | list):
        return tuple(map(comparable, value))
    if isinstance(value, Mapping):
        return frozenset((key, comparable(item)) for key, item in value.items())
    params = getattr(value, "__dataclass_params__", None)
    if params is not None and params.eq and not isinstance(value, type):
        # The == of a dataclass has no answer for arrays.
        parts = [getattr(value, name) for name, field in _fields(value).items() if field.compare]
        return type(value), comparable(parts)
    return value  # type: ignore[no-any-return]


def _fields(value: object) -> dict[str, Field[Any]]:
    """Return the fields of a dataclass by their names, none of anything else."""
    return {field.name: field for field in fields(value)} if is_dataclass(value) else {}
