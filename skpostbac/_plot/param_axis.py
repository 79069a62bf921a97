"""Axis of a parameter whose values may be numbers, words or both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from skpostbac._plot import layout
from skpostbac._utils import Floats, float_or_nan

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Minimum ratio of the largest to the smallest value for a logarithmic axis.
_DECADES = 100


def value_text(value: Any) -> str:
    """Return the value of a parameter as text.

    Examples
    --------
    >>> value_text(0.12345678), value_text(len), value_text("rbf")
    ('0.1235', 'len', 'rbf')
    """
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(getattr(value, "__name__", value))


@dataclass(frozen=True)
class ParamAxis:
    """Axis of a parameter: numbers in scale, and other values to their right."""

    x: Floats
    """Positions of the values."""
    texts: tuple[str, ...]
    """Text of each value."""
    is_log: bool = False
    is_ordered: bool = True
    """Whether a line from one value to the next makes sense."""
    only_numbers: bool = True

    @classmethod
    def of_values(cls, values: Sequence[Any]) -> Self:
        """Return the axis of values, a logarithmic one if they span decades."""
        texts = tuple(map(value_text, values))
        x = np.array([np.nan if isinstance(v, bool) else float_or_nan(v) for v in values])
        x[~np.isfinite(x)] = np.nan
        is_word = np.isnan(x)
        words = list(
            dict.fromkeys(text for text, is_one in zip(texts, is_word, strict=True) if is_one)
        )
        known = x[~is_word]
        is_log = bool(known.size and known.min() > 0 and known.max() >= _DECADES * known.min())
        scaled = np.unique(np.log10(known) if is_log else known)
        step = np.median(np.diff(scaled)) if len(scaled) > 1 else 1.0
        for i in np.flatnonzero(is_word):
            place = scaled.max(initial=-1.0) + step * (words.index(texts[i]) + 1)
            x[i] = 10**place if is_log else place
        return cls(x, texts, is_log, is_ordered=bool(known.size), only_numbers=not words)

    @property
    def places(self) -> Floats:
        """Different places in the scale of the axis."""
        places: Floats = np.unique(np.log10(self.x) if self.is_log else self.x)
        return places

    def step(self, ax: Axes) -> float:
        """Return the smallest distance between two values, in points."""
        places, width = self.places, layout.axes_size(ax)[0]
        if len(places) == 1:
            return width
        return float(0.9 * width * np.diff(places).min() / np.ptp(places))

    def set_margins(self, ax: Axes, shift: float) -> None:
        """Set margins with room for artists that are moved sideways by some points."""
        share = shift / layout.axes_size(ax)[0]
        ax.set_xmargin(max(ax.get_xmargin(), share / (1 - 2 * share)))

    def set_ticks(self, ax: Axes, is_first: bool) -> None:
        """Set ticks at the values, if there is room and no other display needs ticks.

        Text is rotated if it is long, and many values have only every k-th tick.
        """
        from matplotlib.ticker import MaxNLocator

        ticks = dict(sorted(zip(self.x.tolist(), self.texts, strict=True)))
        names, step = list(ticks.values()), self.step(ax)
        size = float(ax.xaxis.get_ticklabels()[0].get_fontsize())
        longest = max(layout.text_width(name, size) for name in names)
        if self.only_numbers:
            powers = self.is_log and np.allclose(self.places, np.rint(self.places), atol=1e-9)
            if is_first and not powers and longest + size <= step:
                ax.set_xticks(list(ticks), names)
                ax.set_xticks([], minor=True)
            elif not self.is_log and np.equal(self.x, np.rint(self.x)).all():
                ax.xaxis.set_major_locator(MaxNLocator(nbins="auto", integer=True))
            return
        width, height = layout.cell_size(ax)
        style: dict[str, Any] = {}
        room, every = step - size, 1
        if longest > room:
            style = {"ha": "right", "rotation_mode": "anchor", "rotation": 30}
            room = min(0.35 * width, 0.6 * height)
            if step < 2.4 * size:  # too narrow for slanted text
                size = max(layout.SMALLEST_FONT, min(size, step / 1.15))
                every = ceil(1.15 * size / step)
                style.update(rotation=90, va="center")
                room = 0.35 * height
        shown_names = layout.fit_names(names[::every], size, room)
        ax.set_xticks(list(ticks)[::every], shown_names, fontsize=size, **style)
