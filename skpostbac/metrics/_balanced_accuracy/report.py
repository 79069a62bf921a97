"""The posterior of one classifier in plain sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from skpostbac._utils import describe_estimate, format_probability
from skpostbac.metrics._counts import format_count
from skpostbac.metrics._labels import label_list
from skpostbac.metrics._priors import dominating_influence, explain
from skpostbac.stats._distribution import interval_of

if TYPE_CHECKING:
    from skpostbac.metrics._balanced_accuracy.posterior import PosteriorBalancedAccuracy


def write_report(posterior: PosteriorBalancedAccuracy, level: float) -> str:
    """Say how good the classifier is, whether it does better than guessing, and where it fails."""
    lines = [_introduce(posterior, level)]
    if posterior.counts.n_classes > 1:
        lines += [_compare_with_chance(posterior), _name_weakest(posterior, level)]
    if (influence := dominating_influence(posterior)) is not None:
        lines.append(explain(influence))
    return "\n".join(lines)


def _introduce(posterior: PosteriorBalancedAccuracy, level: float) -> str:
    counts = posterior.counts
    figure = describe_estimate(posterior.mean(), posterior.credible_interval(level), level)
    classes = "1 class" if counts.n_classes == 1 else f"{counts.n_classes} classes"
    return (
        f"The balanced accuracy is {figure}, from {format_count(counts.n_samples)} samples "
        f"of {classes}."
    )


def _compare_with_chance(posterior: PosteriorBalancedAccuracy) -> str:
    probability = posterior.prob_above_chance()
    return (
        f"It is above the {posterior.chance:.3f} of guessing with probability "
        f"{format_probability(probability)}, where it was "
        f"{format_probability(probability.prior)} before the data."
    )


def _name_weakest(posterior: PosteriorBalancedAccuracy, level: float) -> str:
    counts = posterior.counts
    weakest = int(np.argmin(posterior.distribution.means()))
    label = label_list(counts.classes)[weakest]
    correct, total = (format_count(n[weakest]) for n in (counts.correct, counts.total))
    distribution = posterior.recalls()[label]
    figure = describe_estimate(distribution.mean(), interval_of(distribution, level), level)
    return f"The class recognised least is {label!r}, with {correct} of {total} samples: {figure}."
