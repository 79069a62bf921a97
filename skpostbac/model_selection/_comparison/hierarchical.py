"""Paired classifiers whose classes borrow strength, and which joint distribution a prior makes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce
from itertools import combinations
from operator import add
from typing import ClassVar

import numpy as np

from skpostbac._utils import Floats
from skpostbac.metrics import PairedCounts, PosteriorBalancedAccuracy
from skpostbac.model_selection._comparison.joint import (
    Difference,
    MonteCarloError,
    PairedJoint,
    check_prior_cells,
    tally_errors,
)
from skpostbac.stats import HierarchicalPairedDifference, Hyperprior
from skpostbac.stats._several import Tally, draw_with_ranks, nearest_correlations, tally

# Joint draws of several classifiers in a block.
_BLOCK = 2**15
# Differences whose draws are kept, of 1.6 MB each.
_KEPT = 128


def pair_posteriors(
    counts: PairedCounts,
    posteriors: tuple[PosteriorBalancedAccuracy, ...],
    n_draws: int,
    seed: int,
    n_jobs: int | None = None,
) -> PairedJoint:
    """Return the joint distribution of the margins of `counts`, all of one prior."""
    prior = posteriors[0].prior
    if isinstance(prior, Hyperprior):
        return HierarchicalPairedJoint(counts, posteriors, n_draws, seed, n_jobs)
    check_prior_cells(prior)
    return PairedJoint(counts, posteriors, n_draws, seed, n_jobs)


@dataclass(frozen=True, eq=False)
class HierarchicalPairedJoint(PairedJoint):
    """Posteriors of classifiers that were tested on the same samples, with a hierarchical prior.

    The distribution of each difference is that of its two classifiers alone, by random draws of a
    seed of its own. Of more than two classifiers there is no distribution that has all of these:
    the one that ranks are drawn from has the differences from the leader, who has the highest mean,
    each as it is by itself. Their correlations are such that all other differences, too, have their
    variances, or about: Var(a - b) = Var(a) + Var(b) - 2 Cov(a, b). The ranks of the draws are
    those of normal variables of these correlations.
    """

    _prefer: ClassVar[str | None] = "threads"

    def explain(self) -> str:
        """Say in a plain sentence what was compared."""
        return (
            f"{super().explain()} Classes of alike size share how often two classifiers differ and "
            "which of them is then right: the mean difference is not that of the scores."
        )

    def difference(self, i: int, j: int) -> Difference:
        """Return the distribution of the balanced accuracy of classifier i less that of j."""
        return self._less(i, j)

    def rank_probabilities(self) -> Floats:
        """Return P(row takes the rank of the column), shape (T, T)."""
        return self._tally.ranks / self._tally.size

    def expected_loss(self) -> Floats:
        """Return the expected shortfall of each against the best, shape (T,)."""
        return self._tally.losses / self._tally.size

    def monte_carlo_error(self) -> MonteCarloError:
        """Return the standard errors of ranks and losses."""
        return tally_errors(self._tally)

    def _less(self, i: int, j: int) -> HierarchicalPairedDifference:
        return self._drawn_pair(i, j) if i < j else -self._drawn_pair(j, i)

    @cached_property
    def _drawn_pair(self) -> Callable[[int, int], HierarchicalPairedDifference]:
        """The difference of two classifiers; the draws of some pairs are kept."""
        return lru_cache(_KEPT)(self._make_pair)

    def _make_pair(self, i: int, j: int) -> HierarchicalPairedDifference:
        prior, weights = self.posteriors[0].prior, self.posteriors[0]._weights
        assert isinstance(prior, Hyperprior)
        return HierarchicalPairedDifference(self._cells(i, j), weights=weights, hyperprior=prior)

    @cached_property
    def _tally(self) -> Tally:
        rng = np.random.default_rng(self.seed)
        draws = [self._less(i, self._leader).draws for i in self._others]
        if self._is_pair:
            # As they are: their shares are the probabilities of the difference.
            return tally(self._beside_leader(draws[0][:, np.newaxis]), rng)
        correlations = self._correlations
        blocks = (
            draw_with_ranks(draws, correlations, min(_BLOCK, self.n_draws - start), rng)
            for start in range(0, self.n_draws, _BLOCK)
        )
        return reduce(add, (tally(self._beside_leader(block), rng) for block in blocks))

    @property
    def _leader(self) -> int:
        return int(np.argmax(self._means))

    @property
    def _others(self) -> list[int]:
        return [i for i in range(len(self.posteriors)) if i != self._leader]

    def _beside_leader(self, differences: Floats) -> Floats:
        """Put zeros for the leader beside the differences of the others."""
        return np.insert(differences, self._leader, 0.0, axis=1)

    @property
    def _correlations(self) -> Floats:
        """Correlations of the differences from the leader, by the variances of all pairs."""
        count = len(self.posteriors)
        variances = np.zeros((count, count))
        for i, j in combinations(range(count), 2):
            variances[i, j] = variances[j, i] = self._drawn_pair(i, j).variance()
        others, own = self._others, variances[self._leader, self._others]
        covariances = (np.add.outer(own, own) - variances[np.ix_(others, others)]) / 2
        return nearest_correlations(covariances)
