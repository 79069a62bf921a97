"""What is drawn of posteriors: their names, means and intervals, and what these are called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from skpostbac.displays._kwargs import check_kwargs
from skpostbac.displays._text import estimate, estimate_title, shorten
from skpostbac.metrics import (
    PosteriorAccuracy,
    PosteriorBalancedAccuracy,
    PosteriorBinaryEquivalentAccuracy,
    PosteriorConfusionMetric,
)
from skpostbac.metrics._posteriors import FigurePosterior
from skpostbac.stats import Interval
from skpostbac.stats._distribution import Law, interval_of

AnyPosterior: TypeAlias = FigurePosterior | Law

_SCORE_NAMES: dict[type[FigurePosterior], str] = {
    PosteriorBalancedAccuracy: "Balanced accuracy",
    PosteriorAccuracy: "Accuracy",
    PosteriorBinaryEquivalentAccuracy: "Binary-equivalent accuracy",
}


class Portrait(NamedTuple):
    """What is told of one posterior."""

    name: str
    law: Law
    mean: float
    interval: Interval

    @property
    def figures(self) -> str:
        """The mean and the interval, as text."""
        return estimate(self.mean, self.interval)


class Gallery(NamedTuple):
    """What is drawn into one picture."""

    portraits: Sequence[Portrait]
    styles: Sequence[Mapping[str, Any]]
    """Keyword arguments of the line of each."""
    level: float
    method: str

    @property
    def title(self) -> str:
        """What the figures of the portraits are."""
        return estimate_title(self.level, self.method)

    def figures(self) -> list[str]:
        """Write mean and interval of each."""
        return [portrait.figures for portrait in self.portraits]

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
        Portrait(name, law, law.mean(), interval_of(law, level, method))
        for name, law in zip(shorten(laws), laws.values(), strict=True)
    ]
    return Gallery(portraits, _line_kwargs(curve_kwargs, len(portraits)), level, method)


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
    return names.pop() if len(names) == 1 else "Value"


def _name_of(posterior: AnyPosterior) -> str:
    if isinstance(posterior, PosteriorConfusionMetric):
        name = posterior.metric
        return "MCC" if name == "mcc" else name[:1].upper() + name[1:]
    names = (name for kind, name in _SCORE_NAMES.items() if isinstance(posterior, kind))
    return next(names, "Value")


def _line_kwargs(curve_kwargs: Any, n: int) -> list[Mapping[str, Any]]:
    """Return the keyword arguments of each of `n` lines."""
    if not isinstance(curve_kwargs, list | tuple):
        check_kwargs(curve_kwargs=curve_kwargs)
        return [curve_kwargs or {}] * n
    if len(curve_kwargs) != n:
        raise ValueError(f"curve_kwargs must be a dict or {n} of them, got {len(curve_kwargs)}")
    for place, given in enumerate(curve_kwargs):
        check_kwargs(**{f"curve_kwargs[{place}]": given})
    return list(curve_kwargs)
