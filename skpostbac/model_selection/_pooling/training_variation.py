"""Wider posteriors of pooled folds that allow for the variation between training sets."""

from __future__ import annotations

from dataclasses import dataclass
from reprlib import repr as short_repr
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import Indices
from skpostbac.metrics import ClassCounts, PosteriorBalancedAccuracy
from skpostbac.metrics._priors import DEFAULT_PRIOR, ClassWeightLike

TrainingVariation: TypeAlias = Literal["nadeau-bengio"] | None


def training_inflation(
    training_variation: object, n_splits: int, times: Indices, n_train: float | None = None
) -> float:
    """Return the factor by which the variance of a pooled score is multiplied.

    Nadeau and Bengio multiply the variance of the mean over J test sets by 1 + J n_test / n_train.
    In K-fold cross-validation J = K and n_test / n_train = 1 / (K - 1). Where samples are tested
    several times, J n_test is the number of different samples.

    Parameters
    ----------
    training_variation : {"nadeau-bengio"} or None
        The correction; None for none.
    n_splits : int
        Folds of all rounds of the cross-validation.
    times : array of int
        How often each tested sample was tested.
    n_train : float, optional
        Sum of the sizes of all training sets; K-fold cross-validation is assumed without it.

    Examples
    --------
    >>> training_inflation("nadeau-bengio", 10, np.array([2]))
    2.25
    >>> training_inflation("nadeau-bengio", 10, np.full(60, 2), 10 * 48)
    2.25
    """
    if training_variation is None:
        return 1.0
    if not isinstance(training_variation, str) or training_variation != "nadeau-bengio":
        raise ValueError(
            "training_variation must be None or 'nadeau-bengio', "
            f"got {short_repr(training_variation)}"
        )
    if n_train is not None:
        return 1 + n_splits * len(times) / n_train
    if np.ptp(times) or n_splits % times[0]:
        raise ValueError(
            "training_variation needs K-fold cross-validation, in which each sample is tested as "
            "often as all others, or the indices of the training sets (return_indices=True); "
            "pass training_variation=None to do without the correction"
        )
    n_folds = n_splits // int(times[0])
    if n_folds < 2:
        raise ValueError(
            f"training_variation={training_variation!r} needs K-fold cross-validation with at "
            f"least 2 folds, got {n_folds}; pass training_variation=None to do without it"
        )
    return 1 + n_folds / (n_folds - 1)


@dataclass(frozen=True, init=False, eq=False, repr=False)
class CorrectedPosterior(PosteriorBalancedAccuracy):
    """Posterior with counts divided to allow for the variation between training sets.

    Parameters
    ----------
    counts : ClassCounts
        Counts after division; of samples in groups, whose effective counts are divided, before it.
    prior, class_weight
        As for :class:`PosteriorBalancedAccuracy`.
    training_variation : str
        Name of the correction.
    inflation : float
        Divisor of the counts.
    """

    training_variation: str
    inflation: float

    def __init__(
        self,
        counts: ClassCounts,
        *,
        prior: ArrayLike = DEFAULT_PRIOR,
        class_weight: ClassWeightLike = None,
        training_variation: str,
        inflation: float,
    ) -> None:
        super().__init__(counts, prior=prior, class_weight=class_weight)
        vars(self).update(training_variation=training_variation, inflation=inflation)
        if self.design_effects is not None:
            effective = self.effective_counts
            correct, total = effective.correct / inflation, effective.total / inflation
            # Past the frozen __setattr__; the distribution follows from the effective counts.
            vars(self)["effective_counts"] = ClassCounts(effective.classes, correct, total)
            del vars(self)["distribution"]

    def __add__(self, other: PosteriorBalancedAccuracy) -> PosteriorBalancedAccuracy:
        if not isinstance(other, PosteriorBalancedAccuracy):
            return NotImplemented
        if not isinstance(other, CorrectedPosterior) or self._correction() != other._correction():
            raise ValueError("Posteriors with different training_variation cannot be pooled")
        pooled = super().__add__(other)
        return CorrectedPosterior(pooled.counts, **pooled._specs(), **self._correction())

    def __radd__(self, other: object) -> PosteriorBalancedAccuracy:
        if isinstance(other, PosteriorBalancedAccuracy):
            return self + other
        return super().__radd__(other)

    def report(self, level: float = 0.95) -> str:
        """Return a text report on the balanced accuracy and the correction."""
        return (
            f"{super().report(level)}\nThis describes the model refitted on all data. "
            f"{self.correction}"
        )

    @property
    def correction(self) -> str:
        """Sentence on the correction for reports."""
        return (
            f"The counts are divided by {self.inflation:.4g} to allow for the variation between "
            "training sets."
        )

    def _correction(self) -> dict[str, Any]:
        return {"training_variation": self.training_variation, "inflation": self.inflation}

    def _key(self) -> tuple[Any, ...]:
        return *super()._key(), self.training_variation, self.inflation

    def _facts(self) -> list[str]:
        return [*super()._facts(), f"training_variation={self.training_variation!r}"]


def corrected_for_training(
    posterior: PosteriorBalancedAccuracy, training_variation: TrainingVariation, inflation: float
) -> PosteriorBalancedAccuracy:
    """Return the posterior of divided counts under the name of the correction, if there is one."""
    if training_variation is None:
        return posterior
    return CorrectedPosterior(
        posterior.counts,
        **posterior._specs(),
        training_variation=training_variation,
        inflation=inflation,
    )
