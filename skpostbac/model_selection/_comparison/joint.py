"""Joint distributions of several posteriors: independent and paired.

A third one, of paired classifiers with a hierarchical prior, is in `hierarchical`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from itertools import combinations
from operator import add
from typing import ClassVar, Protocol, TypeAlias

import numpy as np
from joblib import Parallel, delayed

from skpostbac._utils import (
    Floats,
    FrozenArrays,
    StablePickle,
    block,
    format_column,
    more,
    progress,
    table,
)
from skpostbac.metrics import PairedCounts, PosteriorBalancedAccuracy
from skpostbac.metrics._counts import format_count
from skpostbac.metrics._priors import independent_prior
from skpostbac.stats import (
    BetaAverage,
    BoundedDistribution,
    HierarchicalPairedDifference,
    PairedDifference,
)
from skpostbac.stats._beta import SMALLEST
from skpostbac.stats._several import (
    Distribution,
    JointPanels,
    PatternDistribution,
    Tally,
    draw_averages,
    expected_shortfalls,
    mean_positive_part,
    pairwise_probabilities,
    rank_probabilities,
    resolve_jointly,
    tally,
)

# Up to this many classifiers, the distribution of the difference of each pair costs less than joint
# panels, and is as good for all distributions.
_FEW = 10
# A smaller probability is taken from the distribution of the difference.
_SMALL_PROBABILITY = 1e-9

# Numbers in an array of a block of draws that fit the cache: of shares of patterns, which are used
# once, and of accuracies, which are used over and over.
_BLOCK_SHARES = 2**20
_BLOCK_ACCURACIES = 2**15


# Classifiers in a view.
SHOWN_ROWS = 8

# Exact distributions, and one by random draws.
Difference: TypeAlias = BoundedDistribution | HierarchicalPairedDifference


@dataclass(frozen=True, eq=False)
class MonteCarloError(FrozenArrays):
    """Monte Carlo standard errors; zero for exact results.

    Returned by functions; its fields are not checked.
    """

    rank_probabilities: Floats
    """Of each rank for each classifier, shape (T, T)."""
    expected_rank: Floats
    """Shape (T,)."""
    expected_loss: Floats
    """Shape (T,)."""

    def _repr_html_(self) -> str:
        worst = self.rank_probabilities.max(axis=1, initial=0.0)
        columns = (worst, self.expected_rank, self.expected_loss)
        cells = (format_column(column[:SHOWN_ROWS].tolist(), digits=2) for column in columns)
        rows = [(str(i), *row) for i, row in enumerate(zip(*cells, strict=True))]
        n = len(self.expected_rank)
        header = ("standard errors", "of a rank's probability", "expected rank", "expected loss")
        return block(
            f"MonteCarloError(n_classifiers={n})", table(header, rows, note=more(n, SHOWN_ROWS))
        )


class Joint(Protocol):
    """The joint distribution of the balanced accuracies of T classifiers, by their positions."""

    @property
    def kind(self) -> str:
        """One word for how the posteriors depend on each other."""
        ...

    def explain(self) -> str:
        """Return a sentence on what was compared."""
        ...

    def difference(self, i: int, j: int, /) -> Difference:
        """Return the distribution of the difference in balanced accuracy, i minus j."""
        ...

    def prob_greater(self) -> Floats:
        """Return P(row > column), shape (T, T), 1/2 on the diagonal."""
        ...

    def rank_probabilities(self) -> Floats:
        """Return P(row has the rank of the column), shape (T, T)."""
        ...

    def expected_loss(self) -> Floats:
        """Return the expected shortfall of each from the best, shape (T,)."""
        ...

    def monte_carlo_error(self) -> MonteCarloError:
        """Return the standard errors of ranks and losses."""
        ...


@dataclass(frozen=True, eq=False)
class IndependentJoint(StablePickle):
    """Independent posteriors: all by quadrature."""

    posteriors: tuple[PosteriorBalancedAccuracy, ...]

    kind: ClassVar[str] = "independent"

    def explain(self) -> str:
        """Return a sentence on what was compared."""
        return (
            "Independent comparison: the classifiers are assumed to have been tested on different "
            "samples, and one may have had easier samples by chance."
        )

    def difference(self, i: int, j: int) -> BoundedDistribution:
        """Return the distribution of the difference in balanced accuracy, i minus j."""
        one, other = self.posteriors[i].distribution, self.posteriors[j].distribution
        # Priors are of the same kind; but what groups have widened shares no rates any more.
        if isinstance(one, BetaAverage) != isinstance(other, BetaAverage):
            raise ValueError(
                "posteriors with the hierarchical prior can be subtracted only if the groups of "
                "both have samples of several classes, or those of neither: use another prior"
            )
        return one - other  # type: ignore[operator]

    def prob_greater(self) -> Floats:
        """Return P(row > column), shape (T, T), 1/2 on the diagonal."""
        count = len(self.posteriors)
        if count <= _FEW:
            probabilities = np.full((count, count), 0.5)
            is_exact = np.ones((count, count), dtype=bool)
        else:
            probabilities = pairwise_probabilities(self._panels)
            is_exact = np.minimum(probabilities, probabilities.T) < _SMALL_PROBABILITY
        for i, j in np.argwhere(np.triu(is_exact, 1)).tolist():
            probabilities[i, j], probabilities[j, i] = _both_sides(self.difference(i, j))
        return probabilities

    def rank_probabilities(self) -> Floats:
        """Return P(row has the rank of the column), shape (T, T)."""
        return rank_probabilities(self._panels)

    def expected_loss(self) -> Floats:
        """Return the expected shortfall of each from the best, shape (T,)."""
        return expected_shortfalls(self._panels)

    def monte_carlo_error(self) -> MonteCarloError:
        """Return zeros: nothing is drawn."""
        count = len(self.posteriors)
        return MonteCarloError(np.zeros((count, count)), np.zeros(count), np.zeros(count))

    @cached_property
    def _panels(self) -> JointPanels:
        return resolve_jointly(self._distributions)

    @property
    def _distributions(self) -> list[Distribution]:
        return [posterior.distribution for posterior in self.posteriors]


@dataclass(frozen=True, eq=False)
class PairedJoint(StablePickle):
    """Posteriors of classifiers that were tested on the same samples.

    Pairs are computed by quadrature, ranks and losses of more than two by seeded random draws.
    """

    counts: PairedCounts
    posteriors: tuple[PosteriorBalancedAccuracy, ...]
    """Those of the margins of `counts`, all of the same prior and class weights."""
    n_draws: int
    seed: int
    n_jobs: int | None = field(default=None, compare=False)

    kind: ClassVar[str] = "paired"
    # What joblib prefers for pairs: no matter, as Python is busy in a quadrature.
    _prefer: ClassVar[str | None] = None

    def explain(self) -> str:
        """Return a sentence on what was compared."""
        worth = self.counts.n_samples
        # What training sets add to the uncertainty divides the counts.
        inflation = getattr(self.posteriors[0], "inflation", 1.0)
        effective = "" if inflation == 1 else f" (effective size {worth:.4g})"
        return (
            f"Paired comparison: all classifiers were tested on the same "
            f"{format_count(round(inflation * worth, 6))} samples{effective}, and the comparison "
            "accounts for their agreement on individual samples."
        )

    def difference(self, i: int, j: int) -> Difference:
        """Return the distribution of the difference in balanced accuracy, i minus j."""
        return self._pair(i, j)

    def _pair(self, i: int, j: int) -> PairedDifference:
        prior, weights = prior_cells(self._prior), self.posteriors[0]._weights
        return PairedDifference(self._cells(i, j), prior=prior, weights=weights)

    def _cells(self, i: int, j: int) -> Floats:
        """Cells for a distribution, which is of the second of a table less the first."""
        return self.counts.cells(self.counts.names[j], self.counts.names[i])

    def prob_greater(self) -> Floats:
        """Return P(row > column), shape (T, T), 1/2 on the diagonal."""
        count = len(self.posteriors)
        probabilities = np.full((count, count), 0.5)
        pairs = list(combinations(range(count), 2))
        distributions = (self.difference(*pair) for pair in pairs)
        parallel = Parallel(n_jobs=self.n_jobs, prefer=self._prefer, return_as="generator")
        sides = parallel(delayed(_both_sides)(distribution) for distribution in distributions)
        for (i, j), both in zip(pairs, progress(sides, len(pairs), "comparing pairs"), strict=True):
            probabilities[i, j], probabilities[j, i] = both
        return probabilities

    def rank_probabilities(self) -> Floats:
        """Return P(row has the rank of the column), shape (T, T)."""
        if self._is_pair:
            above, below = _both_sides(self.difference(0, 1))
            return np.array([[above, below], [below, above]])
        return self._tally.ranks / self.n_draws

    def expected_loss(self) -> Floats:
        """Return the expected shortfall of each from the best, shape (T,).

        Losses differ as the means do, exactly. What is drawn of more than two is the loss of the
        classifier of the highest mean, which varies least.
        """
        means = self._means
        best = int(np.argmax(means))
        if self._is_pair:
            least = mean_positive_part(self._pair(1 - best, best))
        else:
            least = self._tally.losses[best] / self.n_draws
        losses: Floats = means[best] - means + least
        return losses

    def monte_carlo_error(self) -> MonteCarloError:
        """Return the standard errors of ranks and losses."""
        count = len(self.posteriors)
        if self._is_pair:
            return MonteCarloError(np.zeros((2, 2)), np.zeros(2), np.zeros(2))
        errors = tally_errors(self._tally)
        best = errors.expected_loss[np.argmax(self._means)]
        return replace(errors, expected_loss=np.full(count, best))

    @property
    def _means(self) -> Floats:
        return np.array([posterior.mean() for posterior in self.posteriors])

    @property
    def _is_pair(self) -> bool:
        # Their ranks and losses follow from the difference, and so are exact.
        return len(self.posteriors) == 2

    @cached_property
    def _tally(self) -> Tally:
        distributions, weights = self._class_distributions(), self.posteriors[0].class_weight
        rows = _block_rows(distributions)
        starts = range(0, self.n_draws, rows)
        # As many seeds as blocks, whichever process draws them.
        seeds = np.random.SeedSequence(self.seed).spawn(len(starts))
        blocks = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")(
            delayed(_draw_block)(distributions, weights, min(rows, self.n_draws - start), seed)
            for start, seed in zip(starts, seeds, strict=True)
        )
        total: Tally = reduce(add, progress(blocks, len(starts), "drawing joint ranks"))
        return total

    @property
    def _prior(self) -> Floats:
        return independent_prior(self.posteriors[0].prior, "exact pairs")

    def _class_distributions(self) -> list[PatternDistribution]:
        # The rows are sorted by class.
        ends = np.searchsorted(self.counts.class_index, np.arange(1, self.counts.n_classes))
        patterns = np.split(self.counts.patterns.astype(np.float64), ends)
        counts = np.split(self.counts.counts, ends)
        prior = self._prior.tolist()
        return [
            PatternDistribution(observed, number, a, b)
            for observed, number, (a, b) in zip(patterns, counts, prior, strict=True)
        ]


def prior_cells(prior: Floats) -> Floats:
    """Return the Dirichlet prior of the four cells of two classifiers, from that of each.

    The margins of the cells ``(a^2, ab, ab, b^2) / (a + b)`` are Beta(a, b).

    Examples
    --------
    >>> import numpy as np
    >>> prior_cells(np.array([[1.0, 1.0], [3.0, 1.0]]))
    array([[0.5 , 0.5 , 0.5 , 0.5 ],
           [2.25, 0.75, 0.75, 0.25]])
    """
    a, b = prior.T
    right = a / (a + b)
    return np.stack([a * right, b * right, b * right, b * (b / (a + b))], axis=1)


def check_prior_cells(prior: Floats) -> None:
    """Raise if a cell of the prior is too small for a distribution, whatever the counts."""
    cells = prior_cells(prior)
    if np.any(small := cells.min(axis=1) < SMALLEST):
        a, b = prior[np.argmax(small)]
        raise ValueError(
            f"prior must have a^2 / (a + b) and b^2 / (a + b) of at least {SMALLEST:g} for a "
            f"paired comparison, got a = {a:g} and b = {b:g}"
        )


def _both_sides(distribution: Difference) -> tuple[float, float]:
    """Return the probabilities above and below 0: the smaller, and what it leaves of 1."""
    if distribution.mean() < 0:
        above = float(distribution.ccdf(0.0))
        return above, 1 - above
    below = float(distribution.cdf(0.0))
    return 1 - below, below


def _block_rows(distributions: Sequence[PatternDistribution]) -> int:
    """Return the number of draws in a block, which depends on nothing but the data."""
    n_shares = 1 + max(len(distribution.counts) for distribution in distributions)
    n_classifiers = len(distributions[0].patterns.T)
    return max(1, min(_BLOCK_SHARES // n_shares, _BLOCK_ACCURACIES // n_classifiers))


def _draw_block(
    distributions: Sequence[PatternDistribution],
    weights: Floats,
    size: int,
    seed: np.random.SeedSequence,
) -> Tally:
    rng = np.random.default_rng(seed)
    return tally(draw_averages(distributions, weights, size, rng), rng)


def tally_errors(drawn: Tally) -> MonteCarloError:
    """Return the standard errors of shares and means of what was drawn."""
    places = np.arange(len(drawn.ranks), dtype=np.float64)
    # One more draw of either kind: what was never drawn is not impossible.
    share = (drawn.ranks + 1) / (drawn.size + 2)
    return MonteCarloError(
        np.sqrt(share * (1 - share) / drawn.size),
        _standard_error(drawn.ranks @ places, drawn.ranks @ places**2, drawn.size),
        _standard_error(drawn.losses, drawn.squares, drawn.size),
    )


def _standard_error(sums: Floats, squares: Floats, n_draws: int) -> Floats:
    """Return the standard error of a mean, from sums of values and of their squares."""
    variance = np.maximum(squares / n_draws - (sums / n_draws) ** 2, 0.0)
    return np.sqrt(variance / n_draws)
