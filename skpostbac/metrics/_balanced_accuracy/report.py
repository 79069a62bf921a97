"""Text report on the posterior of one classifier."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from skpostbac._utils import describe_estimate, format_probability
from skpostbac.metrics._counts import format_count
from skpostbac.metrics._dependence import describe_worth, doubts_of_groups, is_large
from skpostbac.metrics._labels import label_list
from skpostbac.metrics._priors import (
    average_distribution,
    tell_of_coverage,
    tell_of_untested,
)
from skpostbac.stats._distribution import interval_of

if TYPE_CHECKING:
    from skpostbac.metrics._balanced_accuracy.posterior import PosteriorBalancedAccuracy


def write_report(posterior: PosteriorBalancedAccuracy, level: float) -> str:
    """Return the balanced accuracy, its comparison with chance and the weakest class as text."""
    lines = [_introduce(posterior, level)]
    if len(posterior._averaged) > 1:
        lines += [_compare_with_chance(posterior), *_name_weakest(posterior, level)]
    lines += [*tell_of_coverage(posterior), *tell_of_untested(posterior)]
    if (notes := tell_of_design(posterior, level)) is not None:
        lines += [notes.worth, *notes.doubts]
    return "\n".join(lines)


class DesignNotes(NamedTuple):
    """Sentences on samples with groups or importance weights."""

    worth: str
    """Effective size of the samples, and the result of ignoring the groups."""
    doubts: list[str]
    """What the groups leave uncertain."""


def tell_of_design(posterior: PosteriorBalancedAccuracy, level: float) -> DesignNotes | None:
    """Return sentences on groups and importance weights; None without them."""
    effects, counts = posterior.design_effects, posterior.counts
    if effects is None:
        return None
    worth = describe_worth(effects, counts.has_importance_weights)
    if is_large(effects):
        worth = f"{worth} {_ignore_groups(posterior, level)}"
    return DesignNotes(worth, doubts_of_groups(effects, label_list(counts.classes)))


def _ignore_groups(posterior: PosteriorBalancedAccuracy, level: float) -> str:
    """Return the estimate that treats the samples as independent."""
    counts, effects = posterior.counts, posterior.design_effects
    assert effects is not None
    # What importance weights divide by remains.
    correct, total = (
        values * effects.design_effect / effects.divisor
        for values in (counts.correct, counts.total)
    )
    ignoring = average_distribution(posterior.prior, correct, total, posterior._weights)
    figure = describe_estimate(ignoring.mean(), interval_of(ignoring, level), level)
    return f"Ignoring the groups would give {figure}."


def _introduce(posterior: PosteriorBalancedAccuracy, level: float) -> str:
    figure = describe_estimate(posterior.mean(), posterior.credible_interval(level), level)
    samples, averaged = _describe_samples(posterior), posterior._averaged
    if len(averaged) == 1:
        (label,) = label_list(posterior.counts.classes[averaged])
        alone = "With a single class, this is not a balanced accuracy."
        return f"The recall of class {label!r} is {figure}, from {samples}. {alone}"
    return f"The balanced accuracy is {figure}, from {samples} of {len(averaged)} classes."


def _describe_samples(posterior: PosteriorBalancedAccuracy) -> str:
    counts, averaged = posterior.counts, posterior._averaged
    if counts._design is None or counts._design.squares is None:
        return f"{format_count(float(counts.total[averaged].sum()))} samples"
    number = float(counts._design.squares.samples[averaged].sum())
    worth = posterior.effective_counts.total[averaged].sum()
    return f"{format_count(number)} samples (effective size {worth:.4g})"


def _compare_with_chance(posterior: PosteriorBalancedAccuracy) -> str:
    probability = posterior.prob_above_chance()
    return (
        f"The probability of beating chance ({posterior.chance:.3f}) is "
        f"{format_probability(probability)} (prior: {format_probability(probability.prior)})."
    )


def _name_weakest(posterior: PosteriorBalancedAccuracy, level: float) -> list[str]:
    """Name the class of the lowest recall among those of positive weight that were tested."""
    counts = posterior.counts
    is_candidate = (counts.total > 0) & (posterior.class_weight > 0)
    if not is_candidate.any():
        return []
    means = np.where(is_candidate, posterior.distribution.means(), np.inf)
    weakest = int(np.argmin(means))
    label = label_list(counts.classes)[weakest]
    correct, total = counts.correct[weakest], counts.total[weakest]
    share = (
        f"{correct / total:.3f} of the weight"
        if counts.has_importance_weights
        else f"{format_count(correct)} of {format_count(total)}"
    )
    distribution = posterior.recalls()[label]
    figure = describe_estimate(distribution.mean(), interval_of(distribution, level), level)
    return [f"Class {label!r} has the lowest recall ({share} correct): {figure}."]
