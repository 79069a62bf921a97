"""Text report on a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from skpostbac._utils import describe_estimate, format_probability, round_estimate
from skpostbac.metrics._dependence import doubts_of_groups, is_large
from skpostbac.metrics._labels import label_list
from skpostbac.metrics._priors import tell_of_coverage, tell_of_untested
from skpostbac.model_selection._joint import PairedJoint, PairwiseJoint
from skpostbac.stats import Interval
from skpostbac.stats._distribution import interval_of

if TYPE_CHECKING:
    from skpostbac.metrics import PosteriorBalancedAccuracy
    from skpostbac.model_selection._comparison import PosteriorComparison


# If the logits of recalls differ with a standard deviation of .5, probabilities above .95 are too
# high by .05 with two classes of 20 samples, .02 with five of 20, and .003 with two of 100
# (`benchmarks/paired_default.py`).
_FEW = 100


def write_report(comparison: PosteriorComparison, level: float) -> str:
    """Return one line per classifier, best first, then notes on the comparison."""
    posteriors = comparison.posteriors
    best, *others = records = comparison.summary(level)
    *tied, last = (record["name"] for record in records if record["mean"] == best["mean"])
    leaders = f"{', '.join(tied)} and {last} tie for" if tied else f"{last} has"
    introduction = (
        f"{leaders} the highest posterior mean of {len(records)} classifiers, "
        f"{_describe(best, level)}; {best['name'] if tied else 'it'} is the best with probability "
        f"{format_probability(best['prob_best'])}."
    )
    lines = [
        introduction,
        *(_compare_with_best(comparison, best["name"], record, level) for record in others),
        comparison.explanation,
        *_tell_of_few_samples(comparison),
        *_describe_groups(comparison, best["name"], others[0]["name"]),
        _describe_score(posteriors[0]),
        *_describe_training(posteriors),
        *tell_of_coverage(*posteriors),
        *tell_of_untested(*posteriors),
    ]
    error = max(record["prob_best_error"] for record in records)
    if error > 0:
        lines.append(
            "Probabilities of being the best are estimated from random draws, with a standard "
            f"error of up to about {error:.1g}."
        )
    return "\n".join(lines)


def _compare_with_best(
    comparison: PosteriorComparison, best: str, record: dict[str, Any], level: float
) -> str:
    name, rope = record["name"], comparison.rope
    distribution = comparison.difference(best, name)
    mean, low, high = round_estimate(distribution.mean(), interval_of(distribution, level))
    below, within, above = map(format_probability, comparison.rope_masses(best, name))
    how = f"with probability {above}"
    if rope > 0:
        how = (
            f"by more than {rope:g} with probability {above}, practically equivalent (within "
            f"{rope:g}) with probability {within} and worse by more than {rope:g} with "
            f"probability {below}"
        )
    return (
        f"{name} has {_describe(record, level)}. {best} is better than {name} {how} "
        f"(difference {mean}, {100 * float(level):.12g}% interval {low} to {high})."
    )


def _describe(record: dict[str, Any], level: float) -> str:
    return describe_estimate(record["mean"], Interval(record["low"], record["high"]), level)


def _tell_of_few_samples(comparison: PosteriorComparison) -> list[str]:
    """Return the caveat on small differences, if the same samples are few.

    The size is that of a test set with classes of equal size whose scores are as precise.
    """
    posterior = comparison.posteriors[0]
    averaged = posterior.class_weight > 0
    with np.errstate(divide="ignore"):
        squares = posterior.class_weight[averaged] ** 2 / posterior.effective_counts.total[averaged]
    if not isinstance(comparison._joint, PairedJoint) or squares.sum() <= 1 / _FEW:
        return []
    caveat = (
        "With so few samples, probabilities above 0.95 are too high if real differences are small "
        "(in simulations, 0.98 stated and 0.93 true)."
    )
    return [caveat]


def _describe_groups(comparison: PosteriorComparison, best: str, second: str) -> list[str]:
    """Return what the groups leave uncertain, and the result of ignoring them."""
    joint = comparison._joint
    if not isinstance(joint, PairwiseJoint):
        return []
    ignoring = joint.ignoring_groups(comparison.names.index(best), comparison.names.index(second))
    if ignoring is None:
        return []
    effects = joint.counts.design_effects(second, best)
    doubts = doubts_of_groups(effects, label_list(joint.counts.classes))
    if not is_large(effects):
        return doubts
    probability = format_probability(float(ignoring.ccdf(0.0)))
    claim = f"{best} would be better than {second} with probability {probability}"
    return [*doubts, f"Ignoring the groups, {claim}."]


def _describe_score(posterior: PosteriorBalancedAccuracy) -> str:
    """Return what the scores are, with their chance level."""
    if len(posterior._averaged) == 1:
        (label,) = label_list(posterior.counts.classes[posterior._averaged])
        return f"Scores are recalls of class {label!r}, the only class, not balanced accuracies."
    return (
        "Scores are balanced accuracies: recall averaged over the classes; chance level is "
        f"{posterior.chance:.3f}."
    )


def _describe_training(posteriors: tuple[PosteriorBalancedAccuracy, ...]) -> list[str]:
    """Return the caveat on retraining, or the correction if the posteriors have one."""
    corrections = {one.correction for one in posteriors if hasattr(one, "correction")}
    if corrections:
        question = (
            "This compares algorithms: models refitted on data sets of this size, not only those "
            "that were tested."
        )
        return [question, *sorted(corrections)]
    return [
        "These results apply to the fitted classifiers; variation from retraining is not included."
    ]
