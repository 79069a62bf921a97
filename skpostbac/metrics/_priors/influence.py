"""How far the prior moves the posterior away from what was observed."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from reprlib import repr as short_repr

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import Floats, StablePickle, float_or_nan, is_real, nonnegative_array, shown
from skpostbac.metrics._counts import ClassCounts, check_counts
from skpostbac.metrics._labels import label_list

# Smaller standard deviations would make infinite numbers of a move of the mean.
_LEAST_DEVIATION = 1e-300
# Classes named in the repr.
SHOWN_CLASSES = 3


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
    PriorInfluence(shift=-0.72, mean=0.776, observed=0.829, most_moved=(2, 1, 0))
    >>> influence.class_shifts
    (-0.1169, -0.2271, -0.3785)
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
        seen = counts.total > 0
        weight = weights[seen].sum()
        observed = float(weights[seen] @ counts.recalls[seen] / weight) if weight else math.nan
        moved = means - np.where(seen, counts.recalls, observed)
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
        0.9091
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
