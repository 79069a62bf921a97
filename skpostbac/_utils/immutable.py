"""Immutable objects with stable pickles, copies and comparisons.

`StablePickle` compares and pickles an object by what it was constructed from. The other
two also prevent changes: `SetOnce` for classes with an `__init__`, `FrozenArrays` for
frozen dataclasses, whose arrays could still be written to.
"""

from collections.abc import Hashable, Mapping
from dataclasses import fields
from functools import cached_property
from typing import Any

import numpy as np


class StablePickle:
    """Mixin that pickles and compares an object by its constructor values.

    Values of cached properties are left out, so pickles and their hashes
    (:func:`joblib.hash`) do not depend on earlier calls. Objects of one class are equal
    if their constructor values are. Dataclasses need ``eq=False`` to inherit this
    comparison; it ignores their fields with ``compare=False``.
    """

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes without the values of cached properties."""
        # Iterate over a copy: another thread may cache a value in the meantime.
        return {
            name: value
            for name, value in vars(self).copy().items()
            if not isinstance(getattr(type(self), name, None), cached_property)
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the attributes; pickling does not keep arrays read-only."""
        vars(self).update(state)
        for value in state.values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    def __eq__(self, other: object) -> bool:
        """Return whether both have the same class and constructor values."""
        if not isinstance(other, StablePickle) or type(other) is not type(self):
            return NotImplemented
        return self._made_of() == other._made_of()

    def __hash__(self) -> int:
        return hash((type(self), self._made_of()))

    def _made_of(self) -> Hashable:
        """Return the constructor values in a form that can be compared and hashed."""
        state = self.__getstate__()
        for name, field in getattr(self, "__dataclass_fields__", {}).items():
            if not field.compare:
                del state[name]
        return comparable(state)


class SetOnce(StablePickle):
    """Mixin whose attributes cannot be assigned again once the constructor set them."""

    def __setattr__(self, name: str, value: object) -> None:
        if name in vars(self):
            raise AttributeError(f"cannot assign to {name}, which is read-only")
        super().__setattr__(name, value)


class FrozenArrays(StablePickle):
    """Mixin of frozen dataclasses that replaces arrays by read-only copies."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray):
                own = value.copy()
                own.flags.writeable = False
                object.__setattr__(self, name, own)


def comparable(value: Any) -> Hashable:
    """Return a hashable object that is equal for equal values.

    Arrays are compared by dtype, shape and numbers; NaN is equal to NaN.

    Examples
    --------
    >>> import numpy as np
    >>> comparable(np.array([1.0, np.nan])) == comparable(np.array([1.0, np.nan]))
    True
    """
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "biuf":
            return value.shape, comparable(value.ravel().tolist())
        # -0.0 equals 0.0 but has other bytes; the sum makes it 0.0.
        numbers = value + 0.0 if value.dtype.kind == "f" else value
        return value.shape, value.dtype.str, numbers.tobytes()

    if isinstance(value, float) and value != value:
        return "nan"
    if isinstance(value, tuple | list):
        return tuple(map(comparable, value))
    if isinstance(value, Mapping):
        return frozenset((key, comparable(item)) for key, item in value.items())

    # The == of a dataclass raises if a field is an array.
    params = getattr(value, "__dataclass_params__", None)
    if params is not None and params.eq and not isinstance(value, type):
        parts = [getattr(value, field.name) for field in fields(value) if field.compare]
        return type(value), comparable(parts)
    return value  # type: ignore[no-any-return]
