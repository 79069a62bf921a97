"""Goals under a prior that the classes share, by the mean and the variance of its posterior.

An interval of this posterior takes a tenth of a second and its moments a few milliseconds, while
thousands of test sets must be looked at. The margin of a test set is close to that under
independent priors. The difference is fitted to test sets whose shared posterior is known, and what
the fit leaves unexplained in these may happen in any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np

from skpostbac._utils import Floats
from skpostbac.model_selection._test_size.assurance import (
    Assurance,
    Goal,
    NarrowInterval,
    SureDifference,
    sampled_counts,
)
from skpostbac.model_selection._test_size.class_plans import ClassPlan, PairedPlan
from skpostbac.stats import (
    HierarchicalBetaAverage,
    HierarchicalPairedDifference,
    Hyperprior,
)

# Simulated test sets of which the exact margin is computed, in all parts.
_KNOWN_SETS = 64


@dataclass(frozen=True)
class SharedNarrowInterval(NarrowInterval):
    """The central interval is no wider than `width` under a shared prior."""

    hyperprior: Hyperprior

    def exact(self, plans: Sequence[ClassPlan], y: Floats, x: Floats) -> float:
        """Return the share of `width` that the interval leaves free."""
        average = _average(plans, x, self.hyperprior)
        return float(self.margin(_moved_cumulants(plans, y, x, average)))


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


@dataclass(frozen=True, eq=False)
class _TestSets:
    """Simulated test sets, in parts that were drawn independently.

    Attributes
    ----------
    approximate : array of shape (parts, points)
        Margins under independent priors.
    features : array of shape (parts, points, k)
        What the errors of these depend on.
    exact : array of shape (parts, known)
        Margins under the shared prior, of the first test sets of each part.
    """

    approximate: Floats
    features: Floats
    exact: Floats

    def without(self, part: int) -> _TestSets:
        """Return all parts but one."""
        arrays = (self.approximate, self.features, self.exact)
        return _TestSets(*(np.delete(array, part, axis=0) for array in arrays))

    def share_of_successes(self) -> float:
        """Return the share of test sets with a margin under the shared prior that is not negative.

        Any error of the fit may come with any test set.
        """
        known = self.exact.shape[1]
        features = self.features[:, :known].reshape(self.exact.size, -1)
        errors = (self.exact - self.approximate[:, :known]).ravel()
        coefficients, _, rank, _ = np.linalg.lstsq(features, errors)
        rest = errors - features @ coefficients
        # as large as those of test sets that were not fitted
        rest *= np.sqrt(rest.size / (rest.size - rank))
        fitted = self.approximate + self.features @ coefficients
        return float(1 - np.searchsorted(np.sort(rest), -fitted).mean() / rest.size)


def simulated_assurance(plans: Sequence[ClassPlan], goal: Goal, *, seed: int) -> Assurance:
    """Return the probability that the shared posterior will reach the goal.

    Parameters
    ----------
    plans : sequence of ClassPlan
        The classes.
    goal : Goal
        What is to be reached; its exact margin is that of the shared posterior.
    seed : int
        Seed of the test sets.
    """
    y, x = sampled_counts(plans, seed)
    exact = _few_margins(plans, goal, y, x)
    if exact is not None:
        shares = (exact >= 0).mean(axis=1)
        return _assurance(float(shares.mean()), shares)
    sets = _test_sets(plans, goal, y, x)
    without = [sets.without(part).share_of_successes() for part in range(len(x))]
    # the pseudo-values of a jackknife
    return _assurance(sets.share_of_successes(), -(len(x) - 1) * np.array(without))


def _assurance(value: float, parts: Floats) -> Assurance:
    """Return a value with the standard error of the mean of independent parts."""
    error = float(parts.std(ddof=1) / np.sqrt(parts.size))
    return Assurance(value, 0.0, error)


def _few_margins(plans: Sequence[ClassPlan], goal: Goal, y: Floats, x: Floats) -> Floats | None:
    """Return the exact margins of all test sets, or None if too many are different."""
    counts = np.concatenate([y, x], axis=2).reshape(-1, 2 * len(plans))
    distinct, place = np.unique(counts, axis=0, return_inverse=True)
    if len(distinct) > _KNOWN_SETS:
        return None
    margins = [goal.exact(plans, *np.split(row, 2)) for row in distinct]
    return np.array(margins)[place.ravel()].reshape(x.shape[:2])


def _test_sets(plans: Sequence[ClassPlan], goal: Goal, y: Floats, x: Floats) -> _TestSets:
    """Return the test sets with these counts, and the exact margins of some in each part."""
    by_class = np.array([plan.cumulants(y[..., i], x[..., i]) for i, plan in enumerate(plans)])
    cumulants = by_class.sum(axis=0)
    approximate = goal.margin(cumulants)
    # classes that differ borrow less from each other
    features = _features(np.array([approximate, cumulants[0], by_class[:, 0].std(axis=0)]))
    known = _KNOWN_SETS // len(x)
    exact = [
        [goal.exact(plans, *counts) for counts in zip(*part, strict=True)]
        for part in zip(y[:, :known], x[:, :known], strict=True)
    ]
    return _TestSets(approximate, features, np.array(exact))


def _features(values: Floats) -> Floats:
    """Return 1, the standardised values, their squares and their products, along the last axis."""
    values = values - values.mean(axis=(1, 2), keepdims=True)
    values /= np.maximum(values.std(axis=(1, 2), keepdims=True), np.finfo(float).tiny)
    factors = [np.ones_like(values[0]), *values]
    pairs = combinations_with_replacement(factors, 2)
    return np.stack([one * other for one, other in pairs], axis=-1)


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
