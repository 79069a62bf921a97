"""Goals under a prior that the classes share, by the mean and the variance of its posterior.

A plan of these goals has independent priors, whose posterior is close: its cumulants tell the
outcomes apart, and the difference of both posteriors at a few outcomes calibrates them. An interval
of the shared posterior itself takes a tenth of a second, and thousands of outcomes are looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from skpostbac._utils import Floats
from skpostbac.model_selection._test_size.assurance import NarrowInterval, SureDifference
from skpostbac.model_selection._test_size.class_plans import ClassPlan, PairedPlan
from skpostbac.stats import (
    HierarchicalBetaAverage,
    HierarchicalPairedDifference,
    Hyperprior,
)


@dataclass(frozen=True)
class SharedNarrowInterval(NarrowInterval):
    """The central interval is no wider than `width` under a shared prior."""

    hyperprior: Hyperprior

    def exact(self, plans: Sequence[ClassPlan], y: Floats, x: Floats) -> float:
        """Return the share of `width` that the interval leaves free."""
        average = _average(plans, x, self.hyperprior)
        return float(self.margin(_moved_cumulants(plans, y, x, average)))

    def has_formula(self, plan: ClassPlan) -> bool:
        """Return False."""
        return False


@dataclass(frozen=True)
class SharedSureDifference(SureDifference):
    """The second classifier is better with a probability of `level` under a shared prior."""

    hyperprior: Hyperprior

    def exact(self, plans: Sequence[ClassPlan], y: Floats, x: Floats) -> float:
        """Return the normal score of P(B > A), less that of `level`."""
        difference: HierarchicalBetaAverage | HierarchicalPairedDifference
        if isinstance(plans[0], PairedPlan):
            counts = np.column_stack([_sizes(plans) - y, y - x, x, np.zeros_like(x)])
            # Only the moments are needed, which are exact.
            difference = HierarchicalPairedDifference(
                counts, weights=_weights(plans), hyperprior=self.hyperprior, n_draws=2
            )
        else:
            first, second = (_average(plans, some, self.hyperprior) for some in (y, x))
            difference = second - first
        return float(self.margin(_moved_cumulants(plans, y, x, difference)))

    def has_formula(self, plan: ClassPlan) -> bool:
        """Return False."""
        return False


def _average(
    plans: Sequence[ClassPlan], correct: Floats, hyperprior: Hyperprior
) -> HierarchicalBetaAverage:
    """Return the balanced accuracy of a classifier."""
    return HierarchicalBetaAverage(
        correct, _sizes(plans), weights=_weights(plans), hyperprior=hyperprior
    )


def _moved_cumulants(
    plans: Sequence[ClassPlan],
    y: Floats,
    x: Floats,
    shared: HierarchicalBetaAverage | HierarchicalPairedDifference,
) -> Floats:
    """Return the cumulants under independent priors, moved and stretched to the shared moments.

    Skewness and kurtosis stay, so that only they are approximate.
    """
    cumulants = np.sum(
        [plan.cumulants(y[i : i + 1], x[i : i + 1]) for i, plan in enumerate(plans)], axis=0
    )[:, 0]
    stretch = shared.standard_deviation() / np.sqrt(cumulants[1])
    moved: Floats = cumulants * stretch ** np.arange(1.0, 5.0)
    moved[0] = shared.mean()
    return moved


def _sizes(plans: Sequence[ClassPlan]) -> Floats:
    return np.array([float(plan.size) for plan in plans])


def _weights(plans: Sequence[ClassPlan]) -> Floats:
    return np.array([plan.weight for plan in plans])
