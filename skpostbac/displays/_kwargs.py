"""Arguments for matplotlib's artists: the caller's, before those of a display."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

Kwargs: TypeAlias = Mapping[str, Any] | None


def line_kwargs(default: Mapping[str, Any], given: Kwargs) -> dict[str, Any]:
    """Return the arguments of a line; a short name such as "lw" replaces the long one.

    Examples
    --------
    >>> line_kwargs({"color": "black", "linewidth": 2}, {"lw": 1})
    {'color': 'black', 'linewidth': 1}
    """
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    return {**default, **normalize_kwargs(dict(given or {}), Line2D)}


def area_kwargs(default: Mapping[str, Any], given: Kwargs) -> dict[str, Any]:
    """Return the arguments of a filled area."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.collections import PolyCollection

    return {**default, **normalize_kwargs(dict(given or {}), PolyCollection)}
