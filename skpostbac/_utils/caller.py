"""Which line of a user's code a warning is about."""

from __future__ import annotations

import sys

# What stands between a user's call and ours: a search calls a scorer through all of them.
_BETWEEN = {"skpostbac", "sklearn", "joblib"}


def user_stacklevel() -> int:
    """Return the `stacklevel` with which the caller of this function warns of the user's line.

    That is the innermost one outside of the packages above. Python 3.12 has `skip_file_prefixes`.
    """
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and _package(frame.f_globals) in _BETWEEN:
        frame, level = frame.f_back, level + 1
    return level


def _package(names: dict[str, object]) -> str:
    return str(names.get("__name__", "")).partition(".")[0]
