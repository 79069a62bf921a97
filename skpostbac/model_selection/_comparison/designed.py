"""Paired classifiers on samples with groups or importance weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from skpostbac._utils import Floats
from skpostbac.metrics._dependence import DesignEffects, widened_difference, widening
from skpostbac.model_selection._comparison.copula import CopulaPairedJoint
from skpostbac.model_selection._comparison.joint import Difference, MonteCarloError, prior_cells
from skpostbac.stats import (
    BoundedDistribution,
    HierarchicalPairedDifference,
    Hyperprior,
    PairedDifference,
)
from skpostbac.stats._several import mean_positive_part

# Differences that are kept.
_KEPT = 128


@dataclass(frozen=True, eq=False)
class DesignedPairedJoint(CopulaPairedJoint):
    """Posteriors of classifiers on the same samples, which have groups or importance weights.

    The four cells of two classifiers are divided by the design effects of their difference, and
    those of a score by its own, so that the mean of a difference is not quite the difference of the
    means. Groups that cross the classes widen a difference as they widen a score.
    """

    def explain(self) -> str:
        """Return a sentence on what was compared."""
        design = self.counts._design
        assert design is not None
        groups = "1 group" if design.n_groups == 1 else f"{design.n_groups:.0f} groups"
        source = f" for samples from {groups}" if design.by_class else ""
        return f"{super().explain()} Each difference has its own design effects{source}."

    def difference(self, i: int, j: int) -> Difference:
        """Return the distribution of the difference in balanced accuracy, i minus j."""
        kept = self._kept_pair(min(i, j), max(i, j))
        if i < j:
            return kept
        # Draws are those of the other order.
        return -kept if isinstance(kept, HierarchicalPairedDifference) else self._kept_pair(i, j)

    def rank_probabilities(self) -> Floats:
        """Return P(row has the rank of the column), shape (T, T)."""
        if self._exact_pair is None:
            return super().rank_probabilities()
        above, below = self.prob_greater()[0, 1], self.prob_greater()[1, 0]
        return np.array([[above, below], [below, above]])

    def expected_loss(self) -> Floats:
        """Return the expected shortfall of each from the best, shape (T,)."""
        difference = self._exact_pair
        if difference is None:
            return super().expected_loss()
        # E max(X, 0) - E max(-X, 0) = E X: the smaller one is integrated.
        second = mean_positive_part(difference if difference.mean() < 0 else self._exact(1, 0))
        larger = second + abs(difference.mean())
        return np.array([second, larger] if difference.mean() >= 0 else [larger, second])

    def monte_carlo_error(self) -> MonteCarloError:
        """Return the standard errors of ranks and losses."""
        if self._exact_pair is None:
            return super().monte_carlo_error()
        return MonteCarloError(np.zeros((2, 2)), np.zeros(2), np.zeros(2))

    def _draws(self, i: int, j: int) -> Floats:
        difference = self.difference(i, j)
        if isinstance(difference, HierarchicalPairedDifference):
            return difference.draws
        rng = np.random.default_rng([self.seed, i, j])
        return np.sort(np.asarray(difference.sample(self.n_draws, rng=rng)))

    def _variance(self, i: int, j: int) -> float:
        return self._kept_pair(min(i, j), max(i, j)).variance()

    @property
    def _exact_pair(self) -> BoundedDistribution | None:
        """The difference of two classifiers, if there are two and it has no draws."""
        return self._exact(0, 1) if self._is_pair and self._is_exact else None

    @property
    def _is_exact(self) -> bool:
        return isinstance(self.difference(0, 1), BoundedDistribution)

    def _exact(self, i: int, j: int) -> BoundedDistribution:
        difference = self.difference(i, j)
        assert isinstance(difference, BoundedDistribution)
        return difference

    @cached_property
    def _kept_pair(self) -> Callable[[int, int], Difference]:
        """The difference of two classifiers; some pairs are kept."""
        return lru_cache(_KEPT)(self._make_pair)

    def ignoring_groups(self, i: int, j: int) -> Difference:
        """Return the difference of i and j as if no two samples depended on one another."""
        effects = self._effects(i, j)
        cells = self._cells(i, j) * (effects.design_effect / effects.divisor)[:, np.newaxis]
        return self._of_cells(cells)

    def _effects(self, i: int, j: int) -> DesignEffects:
        effects = self.counts.design_effects(self.counts.names[j], self.counts.names[i])
        assert effects is not None
        return effects

    def _make_pair(self, i: int, j: int) -> Difference:
        effects, observed = self._effects(i, j), self._cells(i, j)
        cells = observed / effects.divisor[:, np.newaxis]
        difference = self._of_cells(cells)
        assert self.counts._design is not None
        factor = widening(
            self.counts._design,
            effects,
            observed.sum(axis=1),
            _variances(cells + self._prior_cells),
            self.posteriors[0].class_weight,
        )
        if factor == 1:
            return difference
        return widened_difference(difference.mean(), factor * difference.variance())

    def _of_cells(self, cells: Floats) -> PairedDifference | HierarchicalPairedDifference:
        prior, weights = self.posteriors[0].prior, self.posteriors[0]._weights
        if isinstance(prior, Hyperprior):
            return HierarchicalPairedDifference(cells, weights=weights, hyperprior=prior)
        return PairedDifference(cells, prior=self._prior_cells, weights=weights)

    @property
    def _prior_cells(self) -> Floats:
        """The prior; where classes share one, a weak one, of variances of single samples alone."""
        prior, size = self.posteriors[0].prior, self.counts.n_classes
        if isinstance(prior, Hyperprior):
            prior = np.full((size, 2), 1 / size)
        return prior_cells(prior)


def _variances(cells: Floats) -> Floats:
    """Return the variance of the difference of two outcomes, from the cells of each class."""
    _, first, second, _ = (cells / cells.sum(axis=1, keepdims=True)).T
    return np.asarray(first + second - (second - first) ** 2)
