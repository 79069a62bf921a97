"""Pickles of immutable objects that compute some of their parts on first use."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np


class StablePickle:
    """Pickles what an object was made of, and restores it as immutable as it was.

    What cached properties have computed stays behind, as it can be computed again: pickles, and
    what hashes them such as :func:`joblib.hash`, do not depend on what was asked of an object.
    """

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what is cached."""
        return {name: value for name, value in vars(self).items() if not self._is_cached(name)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the attributes, of which pickling has made the arrays writeable."""
        vars(self).update(state)
        for value in state.values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    def _is_cached(self, name: str) -> bool:
        return isinstance(getattr(type(self), name, None), cached_property)
