"""Stack level of warnings that point to the user's code."""

from __future__ import annotations

import sys

# What stands between a user's call and ours: a search calls a scorer through all of them.
_BETWEEN = {"skpostbac", "sklearn", "joblib"}


def user_stacklevel() -> int:
    """Return the `stacklevel` that makes a warning point to the user's line.

    This is the innermost frame outside the packages above. Python 3.12 has `skip_file_prefixes`.
    """
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and _package(frame.f_globals) in _BETWEEN:
        frame, level = frame.f_back, level + 1
    return level


def _package(names: dict[str, object]) -> str:
    return str(names.get("__name__", "")).partition(".")[0]
