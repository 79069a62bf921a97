"""Arguments for matplotlib's artists: the caller's, before those of a picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from skpostbac._plot.style import NEUTRAL
from skpostbac._plot.text import chance_label
from skpostbac._utils import shown

Kwargs: TypeAlias = Mapping[str, Any] | None


def check_kwargs(**arguments: object) -> None:
    """Raise if the value is not a mapping of names to values; None is an empty one.

    Examples
    --------
    >>> check_kwargs(curve_kwargs={"lw": 1}, band_kwargs=None)
    >>> check_kwargs(band_kwargs=1)
    Traceback (most recent call last):
        ...
    TypeError: band_kwargs must be a dict with names as keys, or None, got 1
    """
    for argument, given in arguments.items():
        names = {} if given is None else given
        if not isinstance(names, Mapping) or not all(isinstance(name, str) for name in names):
            raise TypeError(
                f"{argument} must be a dict with names as keys, or None, got {shown(given)}"
            )


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


def chance_kwargs(chance: float, given: Kwargs, score: str | None = None) -> dict[str, Any]:
    """Return the arguments of the line at what guessing reaches.

    Examples
    --------
    >>> chance_kwargs(0.5, {"ls": "--"}, "AUC")["label"]
    'Chance level (AUC = 0.5)'
    """
    style = {"color": NEUTRAL, "linestyle": ":", "label": chance_label(chance, score)}
    return line_kwargs(style, given)


def area_kwargs(default: Mapping[str, Any], given: Kwargs) -> dict[str, Any]:
    """Return the arguments of a filled area."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.collections import PolyCollection

    return {**default, **normalize_kwargs(dict(given or {}), PolyCollection)}
