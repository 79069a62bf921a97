"""Contents of a plot of posteriors: names, means, intervals and their labels."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

from skpostbac._plot.kwargs import check_kwargs
from skpostbac._plot.text import estimate, estimate_title, interval_name
from skpostbac._utils import format_estimates
from skpostbac.stats import Interval
from skpostbac.stats._beta import evaluate_all
from skpostbac.stats._distribution import Distribution, interval_of

# The label of the axis where posteriors have no score name, or different ones.
_ANY_SCORE = "Value"


class Posterior(Protocol):
    """Object with a distribution; its `score_name` and `chance` are used if present."""

    @property
    def distribution(self) -> Distribution:
        """The distribution that is drawn."""


AnyPosterior: TypeAlias = Posterior | Distribution


class Portrait(NamedTuple):
    """Contents of a plot for one posterior."""

    name: str
    distribution: Distribution
    mean: float
    """The mean, or the median if the mean of one of those that are drawn is infinite."""
    interval: Interval

    @property
    def figures(self) -> str:
        """The mean and the interval, as text."""
        return estimate(self.mean, self.interval)


class Gallery(NamedTuple):
    """Contents of one plot."""

    portraits: Sequence[Portrait]
    styles: Sequence[Mapping[str, Any]]
    """Keyword arguments of the line of each."""
    level: float
    method: str
    has_medians: bool = False
    """Whether medians stand for means, of which one is infinite."""

    @property
    def title(self) -> str:
        """What the figures of the portraits are."""
        middle = "Median" if self.has_medians else "Mean"
        return estimate_title(self.level, self.method, middle=middle)

    @property
    def interval_name(self) -> str:
        """What the intervals are."""
        return interval_name(self.level, self.method)

    @property
    def names(self) -> list[str]:
        """The names of all."""
        return [portrait.name for portrait in self.portraits]

    def figures(self) -> list[str]:
        """Write mean and interval of each, all with the same decimals."""
        means = [portrait.mean for portrait in self.portraits]
        intervals = [portrait.interval for portrait in self.portraits]
        return list(map(" ".join, format_estimates(means, intervals, n_decimals=2)))

    def rows(self) -> Iterator[tuple[int, Portrait, Mapping[str, Any]]]:
        """Yield the height, the portrait and the style of each row, from the top."""
        heights = range(len(self.portraits) - 1, -1, -1)
        return zip(heights, self.portraits, self.styles, strict=True)


def portray_all(
    posteriors: Mapping[str, AnyPosterior], level: float, method: str, curve_kwargs: Any = None
) -> Gallery:
    """Compute the mean and the interval of each posterior; medians if a mean is infinite."""
    distributions = [
        entry if isinstance(entry, Distribution) else entry.distribution
        for entry in posteriors.values()
    ]
    intervals = all_intervals(distributions, level, method)
    middles = [distribution.mean() for distribution in distributions]
    if has_medians := not all(map(math.isfinite, middles)):
        middles = [float(distribution.median()) for distribution in distributions]
    portraits = list(map(Portrait, posteriors, distributions, middles, intervals))
    styles = _line_kwargs(curve_kwargs, len(portraits))
    return Gallery(portraits, styles, level, method, has_medians)


def all_intervals(
    distributions: Sequence[Distribution], level: float, method: str
) -> list[Interval]:
    """Return the interval of each of many distributions."""
    ends = evaluate_all(distributions, lambda one: interval_of(one, level, method))
    return [Interval(low, high) for low, high in ends.tolist()]


def named_posteriors(posteriors: Any) -> dict[str, AnyPosterior]:
    """Return posteriors by name, with "" for the name of a single one."""
    entries = dict(posteriors) if isinstance(posteriors, Mapping) else {"": posteriors}
    if not entries:
        raise ValueError("posteriors must contain at least one posterior, got none")
    for name, entry in entries.items():
        if not isinstance(entry, Distribution) and not _has_distribution(entry):
            at = f"posteriors[{name!r}]" if isinstance(posteriors, Mapping) else "posteriors"
            raise TypeError(f"{at} must be a posterior, got {type(entry).__name__}")
    return entries


def chance_level(posteriors: Mapping[str, AnyPosterior]) -> float:
    """Return the chance level, which must be the same for all posteriors."""
    levels = {entry.chance for entry in posteriors.values() if hasattr(entry, "chance")}
    if len(levels) != 1:
        got = "several" if levels else "none"
        raise ValueError(
            f"plot_chance_level needs posteriors with the same chance level, got {got}"
        )
    return float(levels.pop())


def score_name(posteriors: Mapping[str, AnyPosterior]) -> str:
    """Return the name of the figure if all have the same."""
    names = {str(getattr(entry, "score_name", _ANY_SCORE)) for entry in posteriors.values()}
    return names.pop() if len(names) == 1 else _ANY_SCORE


def _has_distribution(entry: object) -> bool:
    return isinstance(getattr(entry, "distribution", None), Distribution)


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
