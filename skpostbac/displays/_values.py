"""The axis of a parameter: numeric values in scale, text values to their right, and ticks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from skpostbac._plot import (
    SMALLEST_FONT,
    fit_names,
    points,
    text_width,
    tile,
    tile_width,
)
from skpostbac._utils import Floats, float_or_nan
from skpostbac.displays._candidates import value_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Minimum ratio of the largest to the smallest value for a logarithmic axis.
DECADES = 100

# Words are slanted if they are at least this many times their height apart, else vertical.
SLANTED_STEP = 2.4


@dataclass(frozen=True)
class ValueAxis:
    """Positions of the values of a parameter on the axis."""

    x: Floats
    texts: tuple[str, ...]
    """What is written at each."""
    is_log: bool = False
    is_ordered: bool = True
    """Whether a line from one value to the next makes sense."""
    only_numbers: bool = True

    @property
    def places(self) -> Floats:
        """Different places in the scale of the axis."""
        places: Floats = np.unique(np.log10(self.x) if self.is_log else self.x)
        return places

    def step(self, ax: Axes) -> float:
        """Return the smallest distance between two values, in points."""
        places, width = self.places, points(ax, ax.get_window_extent().width)
        if len(places) == 1:
            return width
        return float(0.9 * width * np.diff(places).min() / np.ptp(places))

    def scale(self, ax: Axes) -> None:
        """Set the scale."""
        if self.is_log:
            ax.set_xscale("log")

    def write_ticks(self, ax: Axes, is_first: bool) -> None:
        """Set ticks at the values, if there is room and no other display needs ticks."""
        from matplotlib.ticker import MaxNLocator

        ticks = dict(sorted(zip(self.x.tolist(), self.texts, strict=True)))
        if not self.only_numbers:
            _write_words(ax, ticks, self.step(ax))
            return
        size = _font_size(ax)
        longest = max(text_width(text, size) for text in ticks.values())
        powers = self.is_log and np.allclose(self.places, np.rint(self.places), atol=1e-9)
        if is_first and not powers and longest + size <= self.step(ax):
            ax.set_xticks(list(ticks), list(ticks.values()))
            ax.set_xticks([], minor=True)
        elif not self.is_log and np.equal(self.x, np.rint(self.x)).all():
            ax.xaxis.set_major_locator(MaxNLocator(nbins="auto", integer=True))


def place_values(values: Sequence[Any]) -> ValueAxis:
    """Return the positions of the values, on a logarithmic axis if they span decades."""
    texts = tuple(map(value_text, values))
    numbers = np.array([_number(value) for value in values])
    is_word = np.isnan(numbers)
    words = list(dict.fromkeys(text for text, is_one in zip(texts, is_word, strict=True) if is_one))
    known = numbers[~is_word]
    is_log = bool(known.size and known.min() > 0 and known.max() >= DECADES * known.min())
    scaled = np.unique(np.log10(known) if is_log else known)
    step = np.median(np.diff(scaled)) if len(scaled) > 1 else 1.0
    for i in np.flatnonzero(is_word):
        place = scaled.max(initial=-1.0) + step * (words.index(texts[i]) + 1)
        numbers[i] = 10**place if is_log else place
    return ValueAxis(numbers, texts, is_log, is_ordered=bool(known.size), only_numbers=not words)


def _number(value: Any) -> float:
    """Return a finite number as it is, and NaN for other values."""
    number = np.nan if isinstance(value, bool) else float_or_nan(value)
    return number if np.isfinite(number) else np.nan


def _font_size(ax: Axes) -> float:
    return float(ax.xaxis.get_ticklabels()[0].get_fontsize())


def _write_words(ax: Axes, ticks: dict[float, str], step: float) -> None:
    """Set text ticks: rotated if they are long, and only every k-th if there are many."""
    size, names = _font_size(ax), list(ticks.values())
    width, height = tile_width(ax), points(ax, tile(ax).height)
    style: dict[str, Any] = {}
    longest, every = step - size, 1
    if max(text_width(name, size) for name in names) > longest:
        style = {"ha": "right", "rotation_mode": "anchor", "rotation": 30}
        longest = min(0.35 * width, 0.6 * height)
        if step < SLANTED_STEP * size:
            size = max(SMALLEST_FONT, min(size, step / 1.15))
            every = ceil(1.15 * size / step)
            style.update(rotation=90, va="center")
            longest = 0.35 * height
    shown = fit_names(names[::every], size, longest)
    ax.set_xticks(list(ticks)[::every], shown, fontsize=size, **style)
