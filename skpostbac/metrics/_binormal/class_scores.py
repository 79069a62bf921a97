"""Scores of a binary classifier, split by the true class."""

from __future__ import annotations

from contextlib import suppress
from math import isfinite
from reprlib import repr as short_repr
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import (
    Bools,
    Floats,
    block,
    format_column,
    is_real,
    record,
)
from skpostbac.metrics._labels import BinaryScores, read_scores


class ScoreMoments(NamedTuple):
    """What a normal distribution needs to know of the scores of one class.

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
        return block(repr(self), record(self._fields, f"{self.n:g}", *format_column(self[1:])))


def check_finite(value: float, name: str) -> None:
    """Raise unless the value is a finite number."""
    with suppress(OverflowError):  # of long integers
        if is_real(value) and isfinite(value):
            return
    raise ValueError(f"{name} must be a finite number, got {short_repr(value)}")


def check_scale(value: float, name: str) -> None:
    """Raise unless the value is a finite, positive number."""
    check_finite(value, name)
    if value <= 0:
        raise ValueError(f"{name} must be positive, got {value!r}")


def check_share(value: float, name: str) -> float:
    """Return a number from 0 to 1, or raise."""
    if not is_real(value) or not 0 <= value <= 1:
        raise ValueError(f"{name} must be in [0, 1], got {short_repr(value)}")
    return float(value)


def check_moments(sample: ScoreMoments, name: str) -> None:
    """Raise if the moments are impossible."""
    if not isinstance(sample, ScoreMoments):
        raise ValueError(f"{name} must be ScoreMoments, got {short_repr(sample)}")
    check_finite(sample.n, f"{name}.n")
    if sample.n < 2:
        raise ValueError(f"{name}.n must be at least 2, got {sample.n!r}")
    check_finite(sample.mean, f"{name}.mean")
    check_scale(sample.sd, f"{name}.sd")


class ClassScores(NamedTuple):
    """Scores of one class, two or more and not all the same, and the case count of each."""

    values: Floats
    weight: Floats

    def moments(self) -> ScoreMoments:
        """Return the sufficient statistics of a normal distribution."""
        n = self.weight.sum()
        mean = self.weight @ self.values / n
        deviations = self.values - mean
        scale = np.abs(deviations).max()  # so that no square overflows, or vanishes
        variance = self.weight @ (deviations / scale) ** 2 / (n - 1)
        return ScoreMoments(float(n), float(mean), float(scale * np.sqrt(variance)))


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
        Unless there are two classes, each with two samples and two different scores; if `pos_label`
        is not one of them, or not given where it is needed; if a score is not a finite number of at
        most 1e300; if a weight is negative, infinite or NaN, or if those of a class add up to less
        than 2; if the lengths differ.
    TypeError
        If the labels are bytes or a sparse matrix.
    """
    scores = read_scores(y_true, y_score, pos_label, sample_weight)
    return (
        _class_scores(scores, ~scores.is_positive, "negative"),
        _class_scores(scores, scores.is_positive, "positive"),
    )


def _class_scores(scores: BinaryScores, chosen: Bools, name: str) -> ClassScores:
    """Select the scores of a class, of which there must be enough for a variance."""
    chosen = chosen & (scores.weight > 0)
    values, weight = scores.values[chosen], scores.weight[chosen]
    if len(values) < 2:
        raise ValueError(
            f"y_true must have at least 2 samples of each class, got {len(values)} of the {name} "
            "class"
        )
    if weight.sum() < 2:
        raise ValueError(
            "sample_weight has case counts, and must add up to at least 2 in each class; got "
            f"{weight.sum():g} in the {name} class"
        )
    if np.all(values == values[0]):
        raise ValueError(
            f"y_score must differ within each class, got {values[0]:g} for all samples of the "
            f"{name} class"
        )
    values.flags.writeable = weight.flags.writeable = False
    return ClassScores(values, weight)
