"""Warnings and report sentences about groups and weights."""

import warnings
from collections.abc import Hashable, Sequence

import numpy as np

from skpostbac._utils import Bools, Floats, Indices, shown, user_stacklevel
from skpostbac.metrics._dependence.effects import DesignEffects
from skpostbac.metrics._dependence.rows import SampleDesign, sum_by

# With fewer groups of equal size, or degrees of freedom, the correlation is poorly
# known.
FEW_GROUPS = 10.0
FEW_DEGREES = 8.0
# A group with this share of a class has too large an influence.
LARGE_SHARE = 1 / 3
# With larger design effects, reports show the result that ignores groups as well.
LARGE_EFFECT = 2.0
# Below this effective size, and this share of the samples, few weights decide about a
# class.
FEW_EFFECTIVE = 10.0
LOW_EFFICIENCY = 0.38
# Weights are whole numbers up to this relative error, which sums of floats may have.
_WHOLE_NUMBER_ERROR = 1e-6


class GroupsWarning(UserWarning):
    """The correlation within groups is poorly known, or groups span several classes.

    With `groups`, the warning is given if

    - a class has the equivalent of fewer than ten groups of equal size, or the
      correlation has fewer than eight degrees of freedom. The correlation is then
      partly assumed; 95 % intervals contained the true value in 93 % or more of the
      test sets of each simulated setting;
    - the correlation cannot be estimated because there are no errors, or the errors
      carry no information on it. Each group then counts as about one sample;
    - one group contains a third or more of the samples of a class;
    - groups have samples of several classes. Intervals allow for this approximately,
      and contained the true value in 85 % or more of the simulated test sets.

    Without `groups`, it is given if `y_true` is a pandas Series whose index has
    repeated entries.

    Testing more groups helps; more samples of the same groups do not. Scores and
    scorers do not give this warning. See :ref:`groups` for the simulations.
    """


class SampleWeightWarning(UserWarning):
    """Sample weights are probably no case counts, or few importance weights decide.

    The warning is given if weights are not whole numbers and their meaning was not
    declared. By default, weights are case counts: a weight of 2 counts the sample
    twice, and doubling all weights narrows the posterior. For importance, survey or
    inverse-probability weights, pass ``weight_type="importance"``; their scale then
    does not matter. For fractions of cases, such as 1/2 for each of two tests of the
    same sample, pass ``weight_type="case"``. Either silences this warning.

    It is also given if counts, or the cells of a confusion matrix, are not whole
    numbers. They are taken as sums of case weights; percentages or averages would say
    nothing about the number of samples.

    With ``weight_type="importance"`` it is given if the effective size of a class,
    ``sum(w)**2 / sum(w**2)``, is below 10 and below 0.38 of its samples. The few
    samples with large weights then decide, and 95 % intervals contained the true value
    in as few as 89 % of the simulated test sets, most often missing it if those samples
    are the harder ones.
    """


def warn_of_groups(
    effects: DesignEffects | None, classes: Sequence[Hashable], unit: str = "sample"
) -> None:
    """Warn if the groups leave the correlation, or the interval, uncertain."""
    if doubts := group_notes(effects, classes, unit):
        warnings.warn(" ".join(doubts), GroupsWarning, stacklevel=user_stacklevel())


def whole_counts(
    counts: Floats, design: SampleDesign | None, correction: str
) -> Floats:
    """Return the counts of a confidence sequence without rounding errors of sums.

    Raise unless they are those of independent samples, each counted once. `correction`
    is the sentence on the correction of a cross-validation, or empty.
    """
    if correction:
        raise sequence_error("these are the folds of a cross-validation")
    if design is not None:
        raise sequence_error("these have groups or importance weights")
    if are_fractions(counts).any():
        raise sequence_error("these counts are not whole numbers")
    return np.rint(counts)


def sequence_error(problem: str) -> ValueError:
    """Return the error of a confidence sequence that does not exist."""
    return ValueError(
        "a confidence sequence needs the accuracy or the balanced accuracy of "
        f"independent test samples, each counted once: {problem}"
    )


def are_fractions(values: Floats) -> Bools:
    """Return which values are not whole numbers, but for rounding errors of sums."""
    error = np.abs(values - np.rint(values))
    return error > _WHOLE_NUMBER_ERROR * np.maximum(values, 1)


def warn_of_fractions(weight: Floats) -> None:
    """Warn if weights are not whole numbers."""
    fractions = are_fractions(weight)
    if not fractions.any():
        return

    relative = weight / weight.max()
    effective = relative.sum() ** 2 / (relative**2).sum()
    warnings.warn(
        "sample_weight has weights that are not whole numbers, such as "
        f"{weight[np.argmax(fractions)]:.6g}. They are taken as case counts: "
        f"{len(weight)} weights count as {weight.sum():.6g} samples. Pass "
        "weight_type='importance' if they are importance weights (an effective size "
        f"of {effective:.6g} samples), or weight_type='case' if they are fractions of "
        "cases.",
        SampleWeightWarning,
        stacklevel=user_stacklevel(),
    )


def warn_of_few_weights(
    weight: Floats, codes: Indices, classes: Sequence[Hashable]
) -> None:
    """Warn if a few large importance weights decide about a class."""
    relative = weight / weight.max()
    total = sum_by(codes, relative, len(classes))
    squares = sum_by(codes, relative**2, len(classes))
    size = sum_by(codes, relative > 0, len(classes))
    effective = np.divide(
        total**2, squares, out=np.full_like(total, np.inf), where=squares > 0
    )

    is_few = (effective < FEW_EFFECTIVE) & (effective < LOW_EFFICIENCY * size)
    if is_few.any():
        worst = int(np.argmin(np.where(is_few, effective, np.inf)))
        warnings.warn(
            "A few large importance weights decide about class "
            f"{shown(classes[worst])}: its {size[worst]:.0f} samples have an effective "
            f"size of {effective[worst]:.2g}, and 95% intervals contained the true "
            "value in as few as 89% of simulated test sets. Test more samples with "
            "large weights.",
            SampleWeightWarning,
            stacklevel=user_stacklevel(),
        )


_CROSSING = (
    "Some groups have samples of several classes, which makes the recalls correlated: "
    "the interval is widened approximately to allow for this."
)


def group_notes(
    effects: DesignEffects | None, classes: Sequence[Hashable], unit: str = "sample"
) -> list[str]:
    """Return sentences on the uncertainty that the groups leave."""
    if effects is None:
        return []
    depends = effects.depends
    if not depends.any():
        return [_CROSSING] if effects.crosses else []
    doubts = []

    causes = []
    fewest = effects.effective_groups[depends].min()
    nu = effects.degrees_of_freedom
    if fewest < FEW_GROUPS:
        # All samples may count as one class.
        there_are = "a class has" if len(depends) > 1 else "there are"
        causes.append(f"{there_are} about {fewest:.2g} independent groups")
    if nu < FEW_DEGREES:
        causes.append(
            f"the correlation within groups has about {nu:.2g} degrees of freedom"
        )
    if nu == 0:
        doubts.append(
            f"The correlation within groups cannot be estimated from these {unit}s, so "
            f"each group counts as about one {unit}. Test more groups."
        )
    elif causes:
        why = " and ".join(causes)
        least = 85 if effects.crosses else 93
        doubts.append(
            f"{why[0].upper()}{why[1:]}: the correlation is partly assumed, and 95% "
            f"intervals contained the true value in as few as {least}% of simulated "
            "test sets. Test more groups."
        )

    large = depends & (effects.largest_share >= LARGE_SHARE)
    if large.any():
        which = ""
        if len(large) > 1:
            which = f" of class {shown(classes[int(np.argmax(large))])}"
        doubts.append(f"One group contains a third or more of the {unit}s{which}.")
    if effects.crosses:
        doubts.append(_CROSSING)
    return doubts


def describe_effective_size(
    effects: DesignEffects, has_weights: bool, unit: str
) -> str:
    """Return a sentence on the effective size of the samples."""
    size = f"{effects.effective_size.sum():.4g}"
    if not effects.n_groups:
        return f"The weighted {unit}s are equivalent to {size} {unit}s of equal weight."
    groups = "1 group" if effects.n_groups == 1 else f"{effects.n_groups:.0f} groups"
    if not effects.depends.any() and not has_weights:
        if effects.crosses:
            return f"No class has several samples of one of the {groups}."
        return f"Each of the {groups} has one {unit}: {unit}s are independent."

    low = f"{effects.design_effect.min():.2g}"
    high = f"{effects.design_effect.max():.2g}"
    span = low if low == high else f"{low} to {high}"
    they = "With their weights, they" if has_weights else "They"
    used = f"{effects.correlation_used:.2f}"
    correlation = (
        f"an estimated correlation of {effects.correlation:.2f} ({used} allowing for "
        "its error)"
    )
    if effects.degrees_of_freedom == 0:
        correlation = f"an assumed correlation of {used}"
    return (
        f"The {unit}s come from {groups}, with {correlation}. {they} are equivalent to "
        f"{size} independent {unit}s (design effect {span})."
    )


def design_notes(
    effects: DesignEffects | None,
    has_weights: bool,
    classes: Sequence[Hashable],
    unit: str = "sample",
) -> list[str]:
    """Return sentences on the effective size, and on what groups leave uncertain."""
    if effects is None:
        return []
    size = describe_effective_size(effects, has_weights, unit)
    return [size, *group_notes(effects, classes, unit)]


def is_large(effects: DesignEffects | None) -> bool:
    """Return whether the report should show the result that ignores groups as well."""
    return effects is not None and bool(effects.design_effect.max() > LARGE_EFFECT)
