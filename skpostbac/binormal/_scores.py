"""Scores by class, their moments, and the areas under their empirical curves."""

from contextlib import suppress
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import (
    Floats,
    block,
    format_column,
    format_share,
    is_real,
    record,
    shown,
)
from skpostbac.metrics._labels import read_scores
from skpostbac.metrics._ranking import precision_area, roc_area


class ScoreMoments(NamedTuple):
    """Sufficient statistics of the scores of one class under a normal distribution.

    Returned by functions; its fields are not checked.

    Examples
    --------
    >>> from skpostbac.binormal import posterior_binormal
    >>> posterior = posterior_binormal([0, 0, 0, 1, 1], [-3, -1, -2, 0, 2])
    >>> posterior.negative
    ScoreMoments(n=3.0, mean=-2.0, sd=1.0)
    """

    n: float
    """Number of samples, or the sum of their weights."""
    mean: float
    """Sample mean."""
    sd: float
    """Sample standard deviation, the root of the unbiased variance."""

    def _repr_html_(self) -> str:
        values = f"{self.n:g}", *format_column(self[1:])
        return block(repr(self), record(self._fields, *values))


class EmpiricalAreas(NamedTuple):
    """Areas under the empirical curves of scores, which require no model.

    Returned by functions; its fields are not checked.

    Examples
    --------
    >>> from skpostbac.binormal import posterior_binormal
    >>> y_true, y_score = [0, 0, 0, 0, 1, 1, 1], [-3, -1, -2, 0, 0, 2, 1]
    >>> posterior_binormal(y_true, y_score, random_state=0).empirical
    EmpiricalAreas(roc_auc=0.9583, average_precision=0.9167)
    """

    roc_auc: float
    """Area under the ROC curve, as in :func:`sklearn.metrics.roc_auc_score`."""
    average_precision: float
    """As in :func:`sklearn.metrics.average_precision_score`."""

    def _repr_html_(self) -> str:
        return block(repr(self), record(self._fields, *map(format_share, self)))


class ClassScores(NamedTuple):
    """Scores of one class, at least two different ones, and their case counts."""

    values: Floats
    weight: Floats

    def moments(self) -> ScoreMoments:
        """Return the sufficient statistics of a normal distribution."""
        n = self.weight.sum()
        mean = self.weight @ self.values / n
        deviations = self.values - mean
        scale = np.abs(deviations).max()  # so that squares neither overflow nor vanish
        variance = self.weight @ (deviations / scale) ** 2 / (n - 1)
        return ScoreMoments(float(n), float(mean), float(scale * np.sqrt(variance)))


def check_finite(value: float, name: str, *, positive: bool = False) -> None:
    """Raise unless the value is a finite number, and positive if required."""
    is_finite = False
    with suppress(OverflowError):  # an integer too large for a float
        is_finite = is_real(value) and isfinite(value)
    if not is_finite:
        raise ValueError(f"{name} must be a finite number, got {shown(value)}")
    if positive and value <= 0:
        raise ValueError(f"{name} must be positive, got {value!r}")


def split_scores(
    y_true: ArrayLike,
    y_score: ArrayLike,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> tuple[ClassScores, ClassScores]:
    """Return the scores of the negatives and of the positives.

    Samples of weight 0 are left out.

    Raises
    ------
    ValueError
        Unless there are two classes, each with two samples and two different scores; if
        `pos_label` is not one of them, or not given where it is needed; if a score is
        not a finite number of at most 1e300; if a weight is negative, infinite or NaN,
        or if those of a class add up to less than 2; if the lengths differ.
    TypeError
        If the labels are bytes or a sparse matrix.
    """
    scores = read_scores(y_true, y_score, pos_label, sample_weight)
    classes = []
    for name, in_class in (
        ("negative", ~scores.is_positive),
        ("positive", scores.is_positive),
    ):
        is_counted = in_class & (scores.weight > 0)
        values = scores.values[is_counted]
        weight = scores.weight[is_counted]

        if len(values) < 2:
            raise ValueError(
                "y_true must have at least 2 samples of each class, "
                f"got {len(values)} of the {name} class"
            )
        if weight.sum() < 2:
            raise ValueError(
                "sample_weight has case counts, and must add up to at least 2 in each "
                f"class; got {weight.sum():g} in the {name} class"
            )
        if np.all(values == values[0]):
            raise ValueError(
                f"y_score must differ within each class, got {values[0]:g} for all "
                f"samples of the {name} class"
            )

        values.flags.writeable = weight.flags.writeable = False
        classes.append(ClassScores(values, weight))
    return classes[0], classes[1]


def empirical_areas(
    negative: ClassScores, positive: ClassScores, positive_fraction: float | None = None
) -> EmpiricalAreas:
    """Compute the areas under both empirical curves of weighted scores.

    They equal those of scikit-learn. With a `positive_fraction`, the weights are scaled
    so that the positives have this fraction of their sum.
    """
    scores, ranks = np.unique(
        np.concatenate([negative.values, positive.values]), return_inverse=True
    )
    negative_ranks, positive_ranks = np.split(ranks, [len(negative.values)])
    masses = np.array(
        [
            np.bincount(negative_ranks, negative.weight, len(scores)),
            np.bincount(positive_ranks, positive.weight, len(scores)),
        ]
    )

    areas = roc_area(masses), precision_area(masses, positive_fraction)
    return EmpiricalAreas(*(min(1.0, float(area)) for area in areas))
