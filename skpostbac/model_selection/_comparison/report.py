"""Text report on a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from skpostbac._utils import describe_estimate, format_probability, round_estimate
from skpostbac.metrics._dependence import doubts_of_groups, is_large
from skpostbac.metrics._labels import label_list
from skpostbac.metrics._priors import tell_of_coverage, tell_of_untested
from skpostbac.model_selection._comparison.designed import DesignedPairedJoint
from skpostbac.stats import Interval
from skpostbac.stats._distribution import interval_of

if TYPE_CHECKING:
    from skpostbac.metrics import PosteriorBalancedAccuracy
    from skpostbac.model_selection._comparison.comparison import PosteriorComparison, RopeMasses


TRAINING = (
    "These results apply to the fitted classifiers; variation from retraining is not included."
)


def write_report(comparison: PosteriorComparison, level: float) -> str:
    """Return one line per classifier, best first, then notes on the comparison."""
    standings = comparison.summary(level)
    best, *others = standings
    lines = [
        _introduce(standings, level),
        *(_compare_with_best(comparison, best["name"], record, level) for record in others),
        comparison.explanation,
        *_tell_of_groups(comparison, best["name"], others[0]["name"]),
        explain_score(comparison.posteriors[0]),
        *_tell_of_training(comparison),
        *tell_of_coverage(*comparison.posteriors),
        *tell_of_untested(*comparison.posteriors),
        *_describe_draws(max(record["prob_best_error"] for record in standings)),
    ]
    return "\n".join(lines)


def _tell_of_groups(comparison: PosteriorComparison, best: str, second: str) -> list[str]:
    """Return what the groups leave uncertain, and the result of ignoring them."""
    joint = comparison._joint
    if not isinstance(joint, DesignedPairedJoint):
        return []
    effects = joint.counts.design_effects(second, best)
    doubts = doubts_of_groups(effects, label_list(joint.counts.classes))
    if not is_large(effects):
        return doubts
    ignoring = joint.ignoring_groups(comparison.names.index(best), comparison.names.index(second))
    probability = format_probability(float(ignoring.ccdf(0.0)))
    claim = f"{best} would be better than {second} with probability {probability}"
    return [*doubts, f"Ignoring the groups, {claim}."]


def _tell_of_training(comparison: PosteriorComparison) -> list[str]:
    """Return the caveat on retraining, or the correction if the posteriors have one."""
    corrected = (p for p in comparison.posteriors if hasattr(p, "correction"))
    return sorted({posterior.correction for posterior in corrected}) or [TRAINING]


def _describe_draws(error: float) -> list[str]:
    """Return the precision of the random draws, if there are any."""
    if error == 0:
        return []
    source = "Probabilities of being the best are estimated from random draws"
    return [f"{source}, with a standard error of up to about {error:.1g}."]


def explain_score(posterior: PosteriorBalancedAccuracy) -> str:
    """Return what the scores are, with their chance level."""
    if len(posterior._averaged) == 1:
        (label,) = label_list(posterior.counts.classes[posterior._averaged])
        return f"Scores are recalls of class {label!r}, the only class, not balanced accuracies."
    return (
        "Scores are balanced accuracies: recall averaged over the classes; chance level is "
        f"{posterior.chance:.3f}."
    )


def _introduce(standings: list[dict[str, Any]], level: float) -> str:
    best, second = standings[:2]
    leader = best["name"] if best["mean"] == second["mean"] else "it"
    return (
        f"{name_best({record['name']: record['mean'] for record in standings})}, "
        f"{_describe(best, level)}; {leader} is the best with probability "
        f"{format_probability(best['prob_best'])}."
    )


def name_best(means: Mapping[str, float]) -> str:
    """Return which classifiers have the highest mean."""
    highest = max(means.values())
    *others, last = (name for name in means if means[name] == highest)
    leads = f"{', '.join(others)} and {last} tie for" if others else f"{last} has"
    return f"{leads} the highest posterior mean of {len(means)} classifiers"


def _compare_with_best(
    comparison: PosteriorComparison, best: str, record: dict[str, Any], level: float
) -> str:
    """Compare one classifier with the best."""
    distribution = comparison.difference(best, record["name"])
    mean, low, high = round_estimate(distribution.mean(), interval_of(distribution, level))
    masses = comparison.rope_masses(best, record["name"])
    return (
        f"{record['name']} has {_describe(record, level)}. {best} is better than {record['name']} "
        f"{_describe_masses(masses, comparison.rope)} (difference {mean}, "
        f"{100 * float(level):.12g}% interval {low} to {high})."
    )


def _describe(record: dict[str, Any], level: float) -> str:
    return describe_estimate(record["mean"], Interval(record["low"], record["high"]), level)


def _describe_masses(masses: RopeMasses, rope: float) -> str:
    below, within, above = map(format_probability, masses)
    if rope == 0:
        return f"with probability {above}"
    return (
        f"by more than {rope:g} with probability {above}, practically equivalent (within {rope:g}) "
        f"with probability {within} and worse by more than {rope:g} with probability {below}"
    )
