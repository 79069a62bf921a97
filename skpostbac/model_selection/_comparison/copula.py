"""Ranks of paired classifiers whose differences are known pair by pair, joined by a copula."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import combinations
from operator import add

import numpy as np

from skpostbac._utils import Floats
from skpostbac.model_selection._comparison.joint import MonteCarloError, PairedJoint, tally_errors
from skpostbac.stats._several import Tally, draw_with_ranks, nearest_correlations, tally

# Joint draws of several classifiers in a block.
_BLOCK = 2**15


@dataclass(frozen=True, eq=False)
class CopulaPairedJoint(PairedJoint):
    """Posteriors of classifiers of which each pair has a difference of its own.

    Of more than two classifiers there may be no distribution that has all of these differences.
    Ranks are drawn from one that has those from the leader, who has the highest mean, each as it is
    by itself. Their correlations are such that all other differences, too, have their variances, or
    about: Var(a - b) = Var(a) + Var(b) - 2 Cov(a, b). The ranks of the draws are those of normal
    variables of these correlations.
    """

    @abstractmethod
    def _draws(self, i: int, j: int) -> Floats:
        """Return draws of the difference of i and j, in increasing order."""

    @abstractmethod
    def _variance(self, i: int, j: int) -> float:
        """Return the variance of the difference of i and j."""

    def rank_probabilities(self) -> Floats:
        """Return P(row has the rank of the column), shape (T, T)."""
        return self._tally.ranks / self._tally.size

    def expected_loss(self) -> Floats:
        """Return the expected shortfall of each from the best, shape (T,)."""
        return self._tally.losses / self._tally.size

    def monte_carlo_error(self) -> MonteCarloError:
        """Return the standard errors of ranks and losses."""
        return tally_errors(self._tally)

    @cached_property
    def _tally(self) -> Tally:
        rng = np.random.default_rng(self.seed)
        draws = [self._draws(i, self._leader) for i in self._others]
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
            variances[i, j] = variances[j, i] = self._variance(i, j)
        others, own = self._others, variances[self._leader, self._others]
        covariances = (np.add.outer(own, own) - variances[np.ix_(others, others)]) / 2
        return nearest_correlations(covariances)
