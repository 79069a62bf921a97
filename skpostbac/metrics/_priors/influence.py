"""How far the prior moves a posterior from what was observed, and when a user is told of it."""

from __future__ import annotations

import math
import warnings
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from reprlib import repr as short_repr
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import Floats, StablePickle, float_or_nan, is_real, nonnegative_array, shown
from skpostbac.metrics._counts import ClassCounts
from skpostbac.metrics._labels import label_list
from skpostbac.metrics._priors.assumptions import (
    AverageDistribution,
    Prior,
    PriorSpec,
    check_counts,
    format_prior,
    is_one_symmetric_beta,
)

# Smaller standard deviations would make infinite numbers of a move of the mean.
_LEAST_DEVIATION = 1e-300
# Classes named in the repr.
SHOWN_CLASSES = 3
# In posterior standard deviations; PriorInfluenceWarning says how it was found. A mean that moves
# less than this is of no consequence.
LARGEST_SHIFT, _LEAST_MOVE = 1.5, 0.005

# What to do about it, and what where classes cannot share a prior.
HIERARCHICAL = "use prior='hierarchical'"
WEAKER = "use a weaker prior, such as 'reciprocal'"
_MORE_SAMPLES = "test more samples"


@dataclass(frozen=True, init=False, eq=False, repr=False)
class PriorInfluence(StablePickle):
    r"""How far the prior moves the posterior mean, and by which classes.

    Made by :meth:`skpostbac.PosteriorBalancedAccuracy.prior_influence`. All shifts are in posterior
    standard deviations, and negative where the prior pulls down. That of class i is
    :math:`w_i (E\theta_i - k_i / n_i) / \mathrm{sd}(\lambda)`, in the notation of
    :class:`~skpostbac.PosteriorBalancedAccuracy`, and all of them add up to that of the balanced
    accuracy.

    A class without samples has no recall to compare with: its posterior is its prior, or what a
    hierarchical prior expects of it after it has seen the others. It is compared with the balanced
    accuracy of the classes that have samples, which is what an average without it would have put in
    its place, and is listed in `unobserved`.

    Parameters
    ----------
    counts : ClassCounts
        What was observed.
    recall_means : array-like of shape (n_classes,)
        Posterior mean of the accuracy on each class, in [0, 1].
    class_weight : array-like of shape (n_classes,)
        Non-negative weights of the classes, of sum 1.
    standard_deviation : float
        That of the posterior of the weighted average; at least 1e-300.

    Attributes
    ----------
    counts : ClassCounts
        What was observed.
    recall_means : tuple of n_classes floats
        Posterior mean of the accuracy on each class.
    mean : float
        Posterior mean of the balanced accuracy.
    observed : float
        Weighted mean of the observed recalls of the classes that have samples; nan if none of
        them has a positive weight.
    class_shifts : tuple of n_classes floats
        The part of each class in `shift`.

    Raises
    ------
    TypeError
        If `counts` are no ClassCounts, or the standard deviation is no number.
    ValueError
        If the lengths differ, or if a number is out of its range.

    Notes
    -----
    A shift tells how much the prior decides, and not whether it is wrong.
    :class:`~skpostbac.PriorInfluenceWarning` tells what large ones do to intervals.

    Examples
    --------
    >>> from skpostbac import PosteriorBalancedAccuracy
    >>> posterior = PosteriorBalancedAccuracy.from_counts([30, 8, 3], [32, 10, 4])
    >>> influence = posterior.prior_influence()
    >>> influence
    PriorInfluence(shift=-0.28, mean=0.808, observed=0.829, most_moved=(2, 1, 0))
    >>> influence.class_shifts
    (-0.0389, -0.0817, -0.1557)
    """

    counts: ClassCounts
    recall_means: tuple[float, ...]
    mean: float
    observed: float
    class_shifts: tuple[float, ...]

    def __init__(
        self,
        counts: ClassCounts,
        recall_means: ArrayLike,
        class_weight: ArrayLike,
        standard_deviation: float,
    ) -> None:
        check_counts(counts)
        means = _by_class(recall_means, "recall_means", counts)
        weights = _by_class(class_weight, "class_weight", counts)
        if not is_real(standard_deviation):
            raise TypeError(
                f"standard_deviation must be a real number, got {shown(standard_deviation)}"
            )
        deviation = float_or_nan(standard_deviation)
        if not _LEAST_DEVIATION <= deviation < math.inf:
            raise ValueError(
                f"standard_deviation must be at least {_LEAST_DEVIATION:g} and finite, got "
                f"{deviation!r}"
            )
        observed = _observed(counts, weights)
        moved = means - np.where(counts.total > 0, counts.recalls, observed)
        vars(self).update(  # past the frozen __setattr__
            counts=counts,
            recall_means=tuple(means.tolist()),
            mean=float(weights @ means),
            observed=observed,
            class_shifts=tuple((weights * moved / deviation).tolist()),
        )

    @property
    def shift(self) -> float:
        """Posterior mean less `observed`, in posterior standard deviations; nan without it."""
        return math.fsum(self.class_shifts)

    @property
    def unobserved(self) -> tuple[Hashable, ...]:
        """Labels of the classes without samples, which rest on the prior."""
        absent = np.flatnonzero(self.counts.total == 0)
        return tuple(label_list(self.counts.classes[absent]))

    @property
    def most_moved(self) -> tuple[Hashable, ...]:
        """Labels of all classes by the size of their shift, the most moved first."""
        order = np.argsort(-np.abs(self.class_shifts), stable=True)
        return tuple(label_list(self.counts.classes[order]))

    def summary(self) -> list[dict[str, Hashable]]:
        """Return a record of each class, as ``pandas.DataFrame`` takes them.

        Returns
        -------
        records : list of n_classes dicts
            "class", "correct", "total", "observed" (recall; nan without samples), "mean"
            (posterior) and "shift".

        Examples
        --------
        >>> from skpostbac import PosteriorBalancedAccuracy
        >>> posterior = PosteriorBalancedAccuracy.from_counts([9, 1], [9, 2], classes=["a", "b"])
        >>> posterior.prior_influence().summary()[0]["mean"]
        0.95
        """
        columns = {
            "class": label_list(self.counts.classes),
            "correct": self.counts.correct.tolist(),
            "total": self.counts.total.tolist(),
            "observed": self.counts.recalls.tolist(),
            "mean": self.recall_means,
            "shift": self.class_shifts,
        }
        rows = zip(*columns.values(), strict=True)
        return [dict(zip(columns, row, strict=True)) for row in rows]

    def __repr__(self) -> str:
        facts = [
            f"shift={self.shift:.2f}",
            f"mean={self.mean:.3f}",
            f"observed={self.observed:.3f}",
            f"most_moved={short_repr(self.most_moved[:SHOWN_CLASSES])}",
        ]
        if self.unobserved:
            facts.append(f"unobserved={short_repr(self.unobserved)}")
        return f"PriorInfluence({', '.join(facts)})"


def _by_class(values: ArrayLike, name: str, counts: ClassCounts) -> Floats:
    """Return one number in [0, 1] for each class."""
    array = nonnegative_array(values, name)
    if len(array) != counts.n_classes or np.any(array > 1):
        raise ValueError(
            f"{name} must have a number in [0, 1] for each of the {counts.n_classes} classes, "
            f"got {array}"
        )
    return array


def _observed(counts: ClassCounts, weights: Floats) -> float:
    """Return the weighted mean of the recalls of the classes that have samples; nan without."""
    seen = counts.total > 0
    recalls, weight = counts.correct[seen] / counts.total[seen], weights[seen].sum()
    return float(weights[seen] @ recalls / weight) if weight else math.nan


class PriorInfluenceWarning(UserWarning):
    """The prior moves the posterior mean by more than 1.5 posterior standard deviations and 0.005.

    This happens with many classes and few samples of each under a prior such as "uniform": it
    pulls each accuracy to 1/2, and their average as far, while its standard deviation falls with
    the number of classes. Use the default, "reciprocal", whose pull does not grow with the number
    of classes, ``prior="hierarchical"``, which learns from all classes where the accuracy on each
    may lie, or test more samples. :meth:`PosteriorBalancedAccuracy.prior_influence` has the shift,
    and the part of each class in it.

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
    ...     posterior = PosteriorBalancedAccuracy.from_counts([9] * 50, [10] * 50, prior="uniform")
    >>> posterior.prior_influence().shift
    -4.561
    """


class InfluencedPosterior(Protocol):
    """What is used of a posterior."""

    @property
    def counts(self) -> ClassCounts: ...
    @property
    def prior(self) -> Prior: ...
    @property
    def class_weight(self) -> Floats: ...
    @property
    def distribution(self) -> AverageDistribution: ...
    @property
    def _prior_spec(self) -> PriorSpec: ...

    def prior_influence(self) -> PriorInfluence:
        """Return how far the prior moves the mean."""
        ...


def dominating_influence(*posteriors: InfluencedPosterior) -> PriorInfluence | None:
    """Return the influence of the prior where it is largest, None if it dominates nowhere."""
    influences = [entry.prior_influence() for entry in posteriors if _is_dominated(entry)]
    return max(influences, key=lambda influence: abs(influence.shift), default=None)


def _is_dominated(posterior: InfluencedPosterior) -> bool:
    """Tell whether the prior moves the mean far, unless a user has said what is known."""
    if not isinstance(posterior.prior, np.ndarray):  # a prior that the classes share learns
        return False
    weights, distribution = posterior.class_weight, posterior.distribution
    mean, observed = float(weights @ distribution.means()), _observed(posterior.counts, weights)
    is_far = moves_far(observed, mean, distribution.standard_deviation())
    return is_far and is_one_symmetric_beta(posterior._prior_spec)


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
    prior: PriorSpec,
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
    prior : PriorSpec
        The prior, as checked: there is nothing weaker to advise than "reciprocal".
    stacklevel : int
        As of :func:`warnings.warn`, seen from the caller of this function.
    """
    remedy = _MORE_SAMPLES if format_prior(prior) == "'reciprocal'" else WEAKER
    if moves_far(observed, expected, standard_deviation):
        warnings.warn(
            f"The prior moves {figure} from the observed {observed:.3f} to {expected:.3f}, "
            f"which is more than {LARGEST_SHIFT} posterior standard deviations. "
            f"{_advise(untested, remedy)}",
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
    shown = short_repr(labels[0] if len(labels) == 1 else list(labels))
    subject = f"Class {shown} has" if len(labels) == 1 else f"The classes {shown} have"
    return f"{subject} no samples, and only the prior tells of them: leave out what was not tested."


def _advise(untested: Sequence[Hashable], remedy: str) -> str:
    """Say what to do: about classes without samples, or where all classes have too few."""
    if untested:
        return say_untested(untested)
    return f"With many classes and few samples of each, {remedy}."
