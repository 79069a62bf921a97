"""Influence of the prior on a posterior."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from reprlib import repr as short_repr

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import (
    Floats,
    StablePickle,
    block,
    float_or_nan,
    format_column,
    format_share,
    is_real,
    more,
    nonnegative_array,
    paragraph,
    shown,
    table,
)
from skpostbac.metrics._counts import ClassCounts
from skpostbac.metrics._labels import label_list
from skpostbac.metrics._priors.assumptions import (
    PriorLike,
    check_counts,
    check_prior,
    resolve_prior,
)
from skpostbac.metrics._priors.coverage import (
    expected_coverage,
    least_coverage,
    observed_average,
    shared_coverage,
)
from skpostbac.stats import Hyperprior

# Smaller standard deviations would make infinite numbers of a move of the mean.
_LEAST_DEVIATION = 1e-300
# Classes named in the repr, and in the view of a notebook.
_SHOWN_CLASSES, _SHOWN_ROWS = 3, 8
# The expected coverage that a weaker prior must have to be a remedy.
_ENOUGH = 0.915


@dataclass(frozen=True, init=False, eq=False, repr=False)
class PriorInfluence(StablePickle):
    r"""Shift of the posterior mean by the prior, in total and by class.

    Returned by :meth:`skpostbac.PosteriorBalancedAccuracy.prior_influence`. All shifts are in
    posterior standard deviations, and negative where the prior pulls down. The shift of class i is
    :math:`w_i (E\theta_i - k_i / n_i) / \mathrm{sd}(\lambda)`, in the notation of
    :class:`~skpostbac.PosteriorBalancedAccuracy`, and the shifts add up to the shift of the
    balanced accuracy.

    A class without samples has no observed recall. It is compared with the observed balanced
    accuracy of the other classes, and is listed in `unobserved`.

    Parameters
    ----------
    counts : ClassCounts
        Observed counts.
    recall_means : array-like of shape (n_classes,)
        Posterior mean of the accuracy on each class, in [0, 1].
    class_weight : array-like of shape (n_classes,)
        Non-negative weights of the classes, of sum 1.
    standard_deviation : float
        Posterior standard deviation of the weighted average; at least 1e-300.
    prior : str, pair of floats, array-like of shape (n_classes, 2) or Hyperprior
        The prior, as for :class:`~skpostbac.PosteriorBalancedAccuracy`.

    Attributes
    ----------
    counts : ClassCounts
        Observed counts.
    recall_means : tuple of n_classes floats
        Posterior mean of the accuracy on each class.
    mean : float
        Posterior mean of the balanced accuracy.
    observed : float
        Weighted mean of the observed recalls, over classes with samples; nan if none of these has a
        positive weight.
    class_shifts : tuple of n_classes floats
        Contribution of each class to `shift`.
    expected_coverage : float
        Expected coverage of 95 % intervals in similar test sets; nan without samples.
        :class:`~skpostbac.PriorInfluenceWarning` describes how it is estimated.
    remedy : str
        Suggested remedy if `expected_coverage` is below 0.915 - 0.1 / n_classes, else empty.

    Raises
    ------
    TypeError
        If `counts` is not a ClassCounts, or the standard deviation is not a number.
    ValueError
        If the lengths differ, or if a number is out of range.

    Notes
    -----
    The shift measures the pull of the prior; `expected_coverage` measures its effect on intervals.

    Examples
    --------
    >>> from skpostbac import PosteriorBalancedAccuracy
    >>> posterior = PosteriorBalancedAccuracy.from_counts([30, 8, 3], [32, 10, 4])
    >>> influence = posterior.prior_influence()
    >>> influence
    PriorInfluence(shift=-0.28, mean=0.808, observed=0.829, most_moved=(2, 1, 0),
        expected_coverage=0.93)
    >>> influence.class_shifts
    (-0.0389, -0.0817, -0.1557)
    """

    counts: ClassCounts
    recall_means: tuple[float, ...]
    mean: float
    observed: float
    class_shifts: tuple[float, ...]
    expected_coverage: float
    remedy: str
    # Of a prior that the classes share, coverage is judged by the distance of the mean alone.
    _is_shared: bool

    def __init__(
        self,
        counts: ClassCounts,
        recall_means: ArrayLike,
        class_weight: ArrayLike,
        standard_deviation: float,
        prior: PriorLike,
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
        observed = observed_average(counts, weights)
        moved = means - np.where(counts.total > 0, counts.recalls, observed)
        mean, sizes = float(weights @ means), (counts.correct, counts.total)
        resolved = resolve_prior(check_prior(prior), counts.n_classes)
        remedy = ""
        if isinstance(resolved, Hyperprior):
            coverage = shared_coverage(*sizes, weights, mean, deviation)
            if coverage < least_coverage(counts.n_classes):
                remedy = "test more samples, and compare with prior='reciprocal'"
                if resolved != Hyperprior():
                    remedy = "recalls may depend on class size: use prior='hierarchical'"
        else:
            coverage = expected_coverage(*sizes, resolved, weights)
            if coverage < least_coverage(counts.n_classes):
                remedy = "with few samples of each class, use prior='hierarchical'"
                weak = np.full((counts.n_classes, 2), 1 / counts.n_classes)
                share = expected_coverage(*sizes, weak, weights)
                if share >= _ENOUGH:
                    remedy += f", or 'reciprocal' (about {share:.0%})"
        vars(self).update(  # past the frozen __setattr__
            counts=counts,
            recall_means=tuple(means.tolist()),
            mean=mean,
            observed=observed,
            class_shifts=tuple((weights * moved / deviation).tolist()),
            expected_coverage=coverage,
            remedy=remedy,
            _is_shared=isinstance(resolved, Hyperprior),
        )

    @property
    def shift(self) -> float:
        """Posterior mean minus `observed`, in posterior standard deviations; nan if that is nan."""
        return math.fsum(self.class_shifts)

    @property
    def unobserved(self) -> tuple[Hashable, ...]:
        """Labels of the classes without samples."""
        absent = np.flatnonzero(self.counts.total == 0)
        return tuple(label_list(self.counts.classes[absent]))

    @property
    def most_moved(self) -> tuple[Hashable, ...]:
        """Labels of all classes, sorted by the size of their shift, largest first."""
        order = np.argsort(-np.abs(self.class_shifts), stable=True)
        return tuple(label_list(self.counts.classes[order]))

    def summary(self) -> list[dict[str, Hashable]]:
        """Return one record per class, for ``pandas.DataFrame``.

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

    def _repr_html_(self) -> str:
        records = self.summary()
        order = np.argsort(-np.abs(self.class_shifts), stable=True)[:_SHOWN_ROWS].tolist()
        columns = (
            [str(records[i]["class"]) for i in order],
            format_column(self.counts.correct[order].tolist()),
            format_column(self.counts.total[order].tolist()),
            [format_share(value) for value in self.counts.recalls[order].tolist()],
            [format_share(self.recall_means[i]) for i in order],
            # Adding 0 turns a rounded -0.0 into 0.0.
            [f"{round(self.class_shifts[i], 2) + 0.0:.2f}" for i in order],
        )
        header = ("class, most moved first", "correct", "total", "observed", "mean", "shift")
        note = more(len(records), _SHOWN_ROWS)
        remedy = [paragraph(f"Remedy: {self.remedy}.")] if self.remedy else []
        return block(repr(self), table(header, zip(*columns, strict=True), note=note), *remedy)

    def __repr__(self) -> str:
        facts = [
            f"shift={self.shift:.2f}",
            f"mean={self.mean:.3f}",
            f"observed={self.observed:.3f}",
            f"most_moved={short_repr(self.most_moved[:_SHOWN_CLASSES])}",
            f"expected_coverage={self.expected_coverage:.2f}",
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
