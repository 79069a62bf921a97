"""When a user is told that the prior decides."""

from __future__ import annotations

import reprlib
import warnings
from collections.abc import Hashable, Sequence
from typing import Protocol

from skpostbac.metrics._priors.influence import PriorInfluence
from skpostbac.metrics._priors.prior import PriorSpec, is_one_symmetric_beta

# In posterior standard deviations; PriorInfluenceWarning says how it was found. A mean that moves
# less than this is of no consequence.
LARGEST_SHIFT, _LEAST_MOVE = 1.5, 0.005

# What to do about it, and what where classes cannot share a prior.
HIERARCHICAL = "prior='hierarchical'"
WEAKER = "a weaker prior, such as 'reciprocal'"


class PriorInfluenceWarning(UserWarning):
    """The prior moves the posterior mean by more than 1.5 posterior standard deviations and 0.005.

    This happens with many classes and few samples of each: the prior pulls each accuracy to 1/2,
    and their average as far, while its standard deviation falls with the number of classes. Use
    ``prior="hierarchical"``, which learns from all classes where the accuracy on each may lie, or
    test more samples. :meth:`PosteriorBalancedAccuracy.prior_influence` has the shift, and the
    part of each class in it.

    It is given by the functions that make posteriors of predictions, counts, confusion matrices
    and folds, and by :func:`compare_predictions`; not by scores, scorers and refit rules: a search
    would repeat it in each fold. The prior must be the same symmetric Beta for all classes, by
    name or as a pair ``(a, a)``. Other pairs and arrays say what the user knows, and are meant to
    move the posterior.

    :func:`posterior_confusion_metric` gives it of any metric. It compares the metric of the counted
    confusion matrix with that of the expected one, whose distance is the work of the prior alone,
    by the same limits; 0.005 is in the units of the metric. Use ``prior="reciprocal"`` there.

    Notes
    -----
    The threshold comes from simulation: 200 data sets for each of 2 to 100 classes, 5 to 200
    samples in each and a true recall of 0.5 to 0.97 in all of them, 140 settings altogether, with
    the uniform prior. By the average size of the shift in a setting, the 95 % intervals held the
    true value as often as this:

    ================  ========
    shift             coverage
    ================  ========
    less than 0.5     0.95
    0.5 to 0.75       0.94
    0.75 to 1         0.90
    1 to 1.25         0.83
    1.25 to 1.5       0.76
    1.5 to 1.75       0.64
    1.75 to 2         0.43
    2 to 2.5          0.27
    2.5 to 3          0.14
    more than 3       0.00
    ================  ========

    In settings with a coverage of 0.9 or more, fewer than 1 % of the data sets have a shift
    above 1.5; in those with less than 0.7, 95 % have. A classifier that makes no mistake on l
    classes is moved by about the square root of l standard deviations, whatever the number of
    samples: it is warned of while the mean moves by more than 0.005.

    Examples
    --------
    >>> import warnings
    >>> from skpostbac import PosteriorBalancedAccuracy, PriorInfluenceWarning
    >>> with warnings.catch_warnings(category=PriorInfluenceWarning, action="ignore"):
    ...     posterior = PosteriorBalancedAccuracy.from_counts([9] * 50, [10] * 50)
    >>> posterior.prior_influence().shift
    -4.561
    """


class InfluencedPosterior(Protocol):
    """What is used of a posterior."""

    @property
    def _prior_spec(self) -> PriorSpec: ...

    def prior_influence(self) -> PriorInfluence:
        """Return how far the prior moves the mean."""
        ...


def dominating_influence(*posteriors: InfluencedPosterior) -> PriorInfluence | None:
    """Return the influence of the prior where it is largest, None if it dominates nowhere."""
    influences = (
        posterior.prior_influence()
        for posterior in posteriors
        if is_one_symmetric_beta(posterior._prior_spec)
    )
    # Where nothing was observed, the shift is nan, and is not large.
    large = [
        influence
        for influence in influences
        if abs(influence.shift) > LARGEST_SHIFT
        and abs(influence.mean - influence.observed) > _LEAST_MOVE
    ]
    return max(large, key=lambda influence: abs(influence.shift), default=None)


def warn_if_prior_dominates(*posteriors: InfluencedPosterior, remedy: str = HIERARCHICAL) -> None:
    """Warn the caller of the function that calls this one, once for all posteriors."""
    influence = dominating_influence(*posteriors)
    if influence is not None:
        warnings.warn(explain(influence, remedy), PriorInfluenceWarning, stacklevel=3)


def warn_if_prior_moves(
    figure: str,
    observed: float,
    expected: float,
    standard_deviation: float,
    untested: Sequence[Hashable] = (),
    *,
    stacklevel: int,
) -> None:
    """Warn if the prior takes a figure far from what was observed.

    Parameters
    ----------
    figure : str
        What the number is.
    observed, expected : float
        The figure of what was observed, which may be nan, and of what is expected a posteriori.
    standard_deviation : float
        That of the posterior of the figure.
    untested : sequence of labels
        Classes without samples, if it is them alone of which the prior moves the figure.
    stacklevel : int
        As of :func:`warnings.warn`, seen from the caller of this function.
    """
    if moves_far(observed, expected, standard_deviation):
        warnings.warn(
            f"The prior moves {figure} from the observed {observed:.3f} to {expected:.3f}, "
            f"which is more than {LARGEST_SHIFT} posterior standard deviations. "
            f"{_advise(untested, WEAKER)}",
            PriorInfluenceWarning,
            stacklevel=stacklevel + 1,
        )


def moves_far(observed: float, expected: float, standard_deviation: float) -> bool:
    """Tell whether a figure is moved by so much that a user should know."""
    return abs(expected - observed) > max(LARGEST_SHIFT * standard_deviation, _LEAST_MOVE)


def explain(influence: PriorInfluence, remedy: str) -> str:
    """Say what the prior does, and what to do about it."""
    return (
        f"The prior moves the mean of the balanced accuracy from the observed "
        f"{influence.observed:.3f} to {influence.mean:.3f}, which is {abs(influence.shift):.1f} "
        f"posterior standard deviations. {_advise(untested_alone(influence), remedy)}"
    )


def untested_alone(influence: PriorInfluence) -> tuple[Hashable, ...]:
    """Return the classes without samples, if the prior moves little without them, or none."""
    shifts = zip(influence.counts.total, influence.class_shifts, strict=True)
    others = sum(shift for total, shift in shifts if total)
    return () if abs(others) > LARGEST_SHIFT else influence.unobserved


def say_untested(labels: Sequence[Hashable]) -> str:
    """Say what to do about classes without samples."""
    shown = reprlib.repr(labels[0] if len(labels) == 1 else list(labels))
    subject = f"Class {shown} has" if len(labels) == 1 else f"The classes {shown} have"
    return f"{subject} no samples, and only the prior tells of them: leave out what was not tested."


def _advise(untested: Sequence[Hashable], remedy: str) -> str:
    """Say what to do: about classes without samples, or where all classes have too few."""
    if untested:
        return say_untested(untested)
    return f"With many classes and few samples of each, use {remedy}."
