"""What is drawn of posteriors: their names, means and intervals, and what these are called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import floor, log10
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from skpostbac.metrics import (
    PosteriorAccuracy,
    PosteriorBalancedAccuracy,
    PosteriorBinaryEquivalentAccuracy,
    PosteriorConfusionMetric,
)
from skpostbac.metrics._figure_posterior import FigurePosterior
from skpostbac.stats import Interval
from skpostbac.stats._law import Law, interval_of

AnyPosterior: TypeAlias = FigurePosterior | Law

_SCORE_NAMES: dict[type[FigurePosterior], str] = {
    PosteriorBalancedAccuracy: "balanced accuracy",
    PosteriorAccuracy: "accuracy",
    PosteriorBinaryEquivalentAccuracy: "binary-equivalent accuracy",
}


class Portrait(NamedTuple):
    """What is told of one posterior."""

    name: str
    law: Law
    mean: float
    interval: Interval

    def figures(self, digits: int) -> str:
        """Write the mean and the interval."""
        mean, low, high = (f"{value:.{digits}f}" for value in (self.mean, *self.interval))
        return f"{mean} [{low}, {high}]"


class Gallery(NamedTuple):
    """What is drawn into one picture."""

    portraits: Sequence[Portrait]
    styles: Sequence[Mapping[str, Any]]
    """Keyword arguments of the line of each."""
    title: str
    """What the figures of a portrait are."""

    def figures(self) -> list[str]:
        """Write mean and interval of each, with two digits of the width of a typical interval."""
        ends = np.array([portrait.interval for portrait in self.portraits])
        width = np.median(ends[:, 1] - ends[:, 0])
        digits = max(2, 1 - floor(log10(width))) if width > 0 else 3
        return [portrait.figures(digits) for portrait in self.portraits]

    def rows(self) -> Iterator[tuple[int, Portrait, Mapping[str, Any]]]:
        """Yield the height, the portrait and the style of each row, from the top."""
        heights = range(len(self.portraits) - 1, -1, -1)
        return zip(heights, self.portraits, self.styles, strict=True)


def portray_all(
    posteriors: Mapping[str, AnyPosterior], level: float, method: str, curve_kwargs: Any = None
) -> Gallery:
    """Compute the mean and the interval of each posterior."""
    laws = {
        name: entry.distribution if isinstance(entry, FigurePosterior) else entry
        for name, entry in posteriors.items()
    }
    portraits = [
        Portrait(str(name), law, law.mean(), interval_of(law, level, method))
        for name, law in laws.items()
    ]
    interval = "HDI" if method == "hdi" else "interval"
    title = f"mean [{100 * level:g}% {interval}]"
    return Gallery(portraits, _line_kwargs(curve_kwargs, len(portraits)), title)


def named_posteriors(posteriors: Any) -> dict[str, AnyPosterior]:
    """Return posteriors by name, with "" for the name of a single one."""
    entries = dict(posteriors) if isinstance(posteriors, Mapping) else {"": posteriors}
    if not entries:
        raise ValueError("posteriors must hold at least one posterior, got none")
    for name, entry in entries.items():
        if not isinstance(entry, (FigurePosterior, Law)):
            at = f"posteriors[{name!r}]" if isinstance(posteriors, Mapping) else "posteriors"
            raise TypeError(f"{at} must be a posterior, got {type(entry).__name__}")
    return entries


def chance_level(posteriors: Mapping[str, AnyPosterior]) -> float:
    """Return the figure of guessing, which must be the same for all."""
    levels = {entry.chance for entry in posteriors.values() if hasattr(entry, "chance")}
    if len(levels) != 1:
        got = "several" if levels else "none"
        raise ValueError(f"plot_chance_level needs posteriors of one chance level, got {got}")
    return float(levels.pop())


def score_name(posteriors: Mapping[str, AnyPosterior]) -> str:
    """Return the name of the figure if all have the same."""
    names = {_name_of(entry) for entry in posteriors.values()}
    return names.pop() if len(names) == 1 else "value"


def _name_of(posterior: AnyPosterior) -> str:
    if isinstance(posterior, PosteriorConfusionMetric):
        return posterior.metric
    names = (name for kind, name in _SCORE_NAMES.items() if isinstance(posterior, kind))
    return next(names, "value")


def _line_kwargs(curve_kwargs: Any, n: int) -> list[Mapping[str, Any]]:
    """Return the keyword arguments of each of `n` lines."""
    if curve_kwargs is None or isinstance(curve_kwargs, Mapping):
        return [curve_kwargs or {}] * n
    if len(curve_kwargs) != n:
        raise ValueError(f"curve_kwargs must be a dict or {n} of them, got {len(curve_kwargs)}")
    return list(curve_kwargs)
