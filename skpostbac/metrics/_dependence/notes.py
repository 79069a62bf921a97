"""What users are told about groups and weights: two warnings, and sentences of reports."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Sequence
from reprlib import repr as short_repr
from typing import Any

import numpy as np

from skpostbac._utils import Floats, user_stacklevel
from skpostbac.metrics._dependence.effects import DesignEffects

# Fewer groups of equal size, or degrees of freedom of the correlation, leave it in doubt.
FEW_GROUPS, FEW_DEGREES = 10.0, 8.0
# A group with this share of a class decides too much.
LARGE_SHARE = 1 / 3
# Design effects above this are worth a comparison with what ignores them.
LARGE_EFFECT = 2.0
# Weights are whole numbers up to this relative error, which sums of floats may have.
_ROUNDING = 1e-6


class GroupsWarning(UserWarning):
    """The groups leave the correlation of their samples in doubt, or cross the classes.

    It is given where samples have `groups`, and

    - a class has fewer groups than ten of equal size would be, or the correlation has fewer than
      eight degrees of freedom: it is then partly assumed, and 95 % intervals held the truth in 89 %
      or more of the test sets of each setting that was simulated;
    - the correlation cannot be estimated, as all samples are right, or all that are wrong are alike
      in it: about one sample a group is counted then;
    - one group holds a third of a class or more;
    - groups have samples of several classes: intervals allow for it by an approximation, and held
      the truth in 85 % or more.

    It is also given where samples have no `groups`, but `y_true` is a Series of pandas in whose
    index entries repeat.

    More groups help, more samples of the same groups do not. Scores and scorers give no such
    warning. :ref:`groups` has the simulations.
    """


class SampleWeightWarning(UserWarning):
    """Sample weights are not whole numbers, and their meaning was not declared.

    Weights are taken as case counts: a weight of 2 is two samples, and doubling all weights narrows
    the posterior. Importance, survey and inverse-probability weights are not counts; pass
    ``weight_type="importance"`` with them, and their scale does not matter. Pass
    ``weight_type="case"`` for fractions of cases, such as 1/2 for each of two tests of the same
    sample. Either silences the warning.
    """


def warn_of_groups(effects: DesignEffects | None, classes: Sequence[Hashable]) -> None:
    """Warn the user of what the groups leave in doubt."""
    if doubts := doubts_of_groups(effects, classes):
        warnings.warn(" ".join(doubts), GroupsWarning, stacklevel=user_stacklevel())


def warn_of_repeated_ids(y_true: Any) -> None:
    """Warn the user of samples without groups whose index, as pandas has it, repeats entries."""
    index: Any = getattr(y_true, "index", None)
    if getattr(index, "is_unique", True):  # of a list, `index` is a method
        return
    repeated = index[index.duplicated()][0]
    warnings.warn(
        f"y_true has an index with repeated entries, such as {short_repr(repeated)}. If they are "
        "samples of one patient, or tests of one sample, pass groups=y_true.index; if they mean "
        "nothing, reset the index.",
        GroupsWarning,
        stacklevel=user_stacklevel(),
    )


def warn_of_fractions(weight: Floats) -> None:
    """Warn the user of weights that are no whole numbers."""
    fractions = np.abs(weight - np.rint(weight)) > _ROUNDING * np.maximum(weight, 1)
    if not fractions.any():
        return
    relative = weight / weight.max()
    effective = relative.sum() ** 2 / (relative**2).sum()
    warnings.warn(
        f"sample_weight has weights that are not whole numbers, such as "
        f"{weight[np.argmax(fractions)]:.6g}. They are taken as case counts: {len(weight)} weights "
        f"count as {weight.sum():.6g} samples. Pass weight_type='importance' if they are "
        f"importance weights, which are worth {effective:.6g} samples, or weight_type='case' if "
        "they are fractions of cases.",
        SampleWeightWarning,
        stacklevel=user_stacklevel(),
    )


def doubts_of_groups(effects: DesignEffects | None, classes: Sequence[Hashable]) -> list[str]:
    """Say in sentences what the groups leave in doubt."""
    if effects is None or not (depends := effects.depends).any():
        return []
    return [
        *_doubt_correlation(effects, float(effects.effective_groups[depends].min())),
        *_doubt_large(effects, classes),
        *_doubt_crossing(effects),
    ]


def _doubt_correlation(effects: DesignEffects, fewest: float) -> list[str]:
    nu = effects.degrees_of_freedom
    if nu == 0:
        note = (
            "The correlation within groups cannot be estimated from these samples: about one "
            "sample a group is counted. Test more groups."
        )
        return [note]
    causes = []
    if fewest < FEW_GROUPS:
        causes.append(f"a class has about {fewest:.2g} independent groups")
    if nu < FEW_DEGREES:
        causes.append(f"the correlation within groups has about {nu:.2g} degrees of freedom")
    if not causes:
        return []
    why, least = " and ".join(causes), 85 if effects.crosses else 89
    note = (
        f"{why[0].upper()}{why[1:]}: the correlation is partly assumed, and 95% intervals held the "
        f"truth in as few as {least}% of simulated test sets. Test more groups."
    )
    return [note]


def _doubt_large(effects: DesignEffects, classes: Sequence[Hashable]) -> list[str]:
    large = effects.depends & (effects.largest_share >= LARGE_SHARE)
    if not large.any():
        return []
    # All samples may count as one class.
    is_one = len(large) == 1
    which = "" if is_one else f" of class {short_repr(classes[int(np.argmax(large))])}"
    return [f"One group holds a third or more of the samples{which}."]


def _doubt_crossing(effects: DesignEffects) -> list[str]:
    if not effects.crosses:
        return []
    note = (
        "Groups have samples of several classes, whose recalls are then correlated: the interval "
        "is widened by an approximation."
    )
    return [note]


def describe_worth(effects: DesignEffects, has_weights: bool) -> str:
    """Say in a sentence what the samples are worth."""
    worth = effects.effective_size.sum()
    if not effects.n_groups:
        return f"With their importance weights the samples are worth {worth:.4g} of equal weight."
    if not effects.depends.any() and not has_weights:
        return f"Each of the {effects.n_groups:.0f} groups has one sample: they are independent."
    low, high = effects.design_effect.min(), effects.design_effect.max()
    span = f"{low:.2g}" if f"{low:.2g}" == f"{high:.2g}" else f"{low:.2g} to {high:.2g}"
    also = " and their weights" if has_weights else ""
    return (
        f"The samples are of {effects.n_groups:.0f} groups, with an estimated correlation of "
        f"{effects.correlation:.2f} ({effects.correlation_used:.2f} allowing for its error): by "
        f"them{also} they are worth {worth:.4g} independent ones (design effect {span})."
    )


def is_large(effects: DesignEffects | None) -> bool:
    """Return whether the groups decide so much that a report compares with ignoring them."""
    return effects is not None and bool(effects.design_effect.max() > LARGE_EFFECT)
