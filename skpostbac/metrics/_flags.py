"""Parameters that are either on or off."""

from __future__ import annotations

import numpy as np


def check_flags(**flags: object) -> None:
    """Refuse what is no bool: a text such as "no" counts as true in Python.

    Examples
    --------
    >>> check_flags(adjusted=True)
    >>> check_flags(adjusted="no")
    Traceback (most recent call last):
        ...
    TypeError: adjusted must be a bool, got 'no'
    """
    for name, value in flags.items():
        if not isinstance(value, bool | np.bool_):
            raise TypeError(f"{name} must be a bool, got {value!r}")
