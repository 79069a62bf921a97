"""Paired classifiers whose classes borrow strength, and which joint distribution a prior makes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar

from skpostbac._utils import Floats
from skpostbac.metrics import PairedCounts, PosteriorBalancedAccuracy
from skpostbac.model_selection._comparison.copula import CopulaPairedJoint
from skpostbac.model_selection._comparison.designed import DesignedPairedJoint
from skpostbac.model_selection._comparison.joint import Difference, PairedJoint, check_prior_cells
from skpostbac.stats import HierarchicalPairedDifference, Hyperprior

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
    if not isinstance(prior, Hyperprior):
        check_prior_cells(prior)
    if counts._design is not None and not counts._design.is_plain:
        return DesignedPairedJoint(counts, posteriors, n_draws, seed, n_jobs)
    if isinstance(prior, Hyperprior):
        return HierarchicalPairedJoint(counts, posteriors, n_draws, seed, n_jobs)
    return PairedJoint(counts, posteriors, n_draws, seed, n_jobs)


@dataclass(frozen=True, eq=False)
class HierarchicalPairedJoint(CopulaPairedJoint):
    """Posteriors of classifiers that were tested on the same samples, with a hierarchical prior.

    The distribution of each difference is that of its two classifiers alone, by random draws of a
    seed of its own.
    """

    _prefer: ClassVar[str | None] = "threads"

    def explain(self) -> str:
        """Return a sentence on what was compared."""
        return (
            f"{super().explain()} Classes of similar size share information on how often two "
            "classifiers differ and which is then right, so the mean difference is not the "
            "difference of the mean scores."
        )

    def difference(self, i: int, j: int) -> Difference:
        """Return the distribution of the difference in balanced accuracy, i minus j."""
        return self._less(i, j)

    def _draws(self, i: int, j: int) -> Floats:
        return self._less(i, j).draws

    def _variance(self, i: int, j: int) -> float:
        return self._drawn_pair(min(i, j), max(i, j)).variance()

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
