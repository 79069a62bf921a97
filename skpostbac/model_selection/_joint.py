"""Joint distributions: how the scores of several classifiers depend on each other.

A comparison reads differences, ranks and losses from a joint distribution. That of classifiers
tested on different samples is computed by quadrature, that of classifiers tested on the same
samples by quadrature for pairs and by random draws for ranks.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, reduce
from itertools import combinations
from operator import add
from typing import ClassVar, TypeAlias

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
from skpostbac.metrics._dependence import DesignEffects, widened_difference, widening
from skpostbac.metrics._priors import (
    DEFAULT_PRIOR,
    independent_prior,
    kept_strength,
    resolve_prior,
    spent_observations,
)
from skpostbac.stats import (
    BetaAverage,
    BoundedDistribution,
    HierarchicalPairedDifference,
    Hyperprior,
    PairedDifference,
)
from skpostbac.stats._beta import SMALLEST
from skpostbac.stats._several import (
    JointPanels,
    PatternDistribution,
    Tally,
    draw_averages,
    draw_with_ranks,
    expected_shortfalls,
    mean_positive_part,
    nearest_correlations,
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

# Numbers in an array of a block of draws that fit the cache: of pattern probabilities, which are
# used once, and of accuracies, which are used over and over.
_BLOCK_PROBABILITIES = 2**20
_BLOCK_ACCURACIES = 2**15
# Draws in a block if each pair has a distribution of its own.
_BLOCK_PAIRWISE = 2**15

# Differences with a distribution of their own that are kept: with draws, 1.6 MB each.
_MOST_KEPT = 128

# Rows shown in a notebook.
_SHOWN_ROWS = 8

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
        cells = (format_column(column[:_SHOWN_ROWS].tolist(), digits=2) for column in columns)
        rows = [(str(i), *row) for i, row in enumerate(zip(*cells, strict=True))]
        n = len(self.expected_rank)
        header = ("standard errors", "of a rank's probability", "expected rank", "expected loss")
        return block(
            f"MonteCarloError(n_classifiers={n})", table(header, rows, note=more(n, _SHOWN_ROWS))
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Joint(StablePickle, ABC):
    """Joint distribution of the scores of T classifiers, by their positions.

    Subclasses know the differences of pairs. Of two classifiers, ranks and losses follow from the
    difference if it is exact; otherwise they are averages over joint draws.
    """

    posteriors: tuple[PosteriorBalancedAccuracy, ...]
    n_jobs: int | None = field(default=None, compare=False)

    kind: ClassVar[str]
    """One word for how the posteriors depend on each other."""

    @abstractmethod
    def explain(self) -> str:
        """Return a sentence on what was compared."""

    @abstractmethod
    def difference(self, i: int, j: int) -> Difference:
        """Return the distribution of the difference in score, i minus j."""

    @abstractmethod
    def _draw(self) -> Tally:
        """Count ranks and losses in joint draws."""

    def prob_greater(self) -> Floats:
        """Return P(row > column), shape (T, T), 1/2 on the diagonal."""
        count = len(self.posteriors)
        probabilities = np.full((count, count), 0.5)
        pairs = list(combinations(range(count), 2))
        differences = (self.difference(*pair) for pair in pairs)
        # Python is busy in a quadrature, NumPy where random draws are made.
        prefer = "threads" if isinstance(self.posteriors[0].prior, Hyperprior) else None
        parallel = Parallel(n_jobs=self.n_jobs, prefer=prefer, return_as="generator")
        both = parallel(delayed(_both_sides)(difference) for difference in differences)
        for (i, j), sides in zip(pairs, progress(both, len(pairs), "comparing pairs"), strict=True):
            probabilities[i, j], probabilities[j, i] = sides
        return probabilities

    def rank_probabilities(self) -> Floats:
        """Return P(row has the rank of the column), shape (T, T)."""
        if self._exact_pair is None:
            return self._tally.ranks / self._tally.size
        above, below = _both_sides(self._exact_pair)
        return np.array([[above, below], [below, above]])

    def expected_loss(self) -> Floats:
        """Return the expected shortfall of each from the best, shape (T,)."""
        difference = self._exact_pair
        if difference is None:
            return self._tally.losses / self._tally.size
        # E max(X, 0) - E max(-X, 0) = E X: the smaller one is integrated.
        mean = difference.mean()
        if mean < 0:
            least = mean_positive_part(difference)
            return np.array([least - mean, least])
        reverse = self.difference(1, 0)
        assert isinstance(reverse, BoundedDistribution)
        least = mean_positive_part(reverse)
        return np.array([least, least + mean])

    def monte_carlo_error(self) -> MonteCarloError:
        """Return the standard errors of ranks and losses."""
        if self._exact_pair is not None:
            return MonteCarloError(np.zeros((2, 2)), np.zeros(2), np.zeros(2))
        ranks, size = self._tally.ranks, self._tally.size
        places = np.arange(len(ranks), dtype=np.float64)
        # One more draw of either kind: what was never drawn is not impossible.
        probabilities = (ranks + 1) / (size + 2)
        return MonteCarloError(
            np.sqrt(probabilities * (1 - probabilities) / size),
            _standard_error(ranks @ places, ranks @ places**2, size),
            _standard_error(self._tally.losses, self._tally.squares, size),
        )

    @cached_property
    def _exact_pair(self) -> BoundedDistribution | None:
        """The difference of two classifiers, if there are two and it has no draws."""
        if len(self.posteriors) > 2:
            return None
        difference = self.difference(0, 1)
        return difference if isinstance(difference, BoundedDistribution) else None

    @cached_property
    def _tally(self) -> Tally:
        return self._draw()

    @property
    def _means(self) -> Floats:
        return np.array([posterior.mean() for posterior in self.posteriors])


class IndependentJoint(Joint):
    """Independent posteriors: all by quadrature."""

    kind = "independent"

    def explain(self) -> str:
        """Return a sentence on what was compared."""
        return (
            "Independent comparison: the classifiers are assumed to have been tested on different "
            "samples, and one may have had easier samples by chance."
        )

    def difference(self, i: int, j: int) -> BoundedDistribution:
        """Return the distribution of the difference in balanced accuracy, i minus j."""
        one, other = self.posteriors[i].distribution, self.posteriors[j].distribution
        # Both priors are hierarchical or neither is, but groups may have replaced a distribution.
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

    def _draw(self) -> Tally:
        raise NotImplementedError("ranks and losses are computed by quadrature")

    @cached_property
    def _panels(self) -> JointPanels:
        return resolve_jointly([posterior.distribution for posterior in self.posteriors])


def paired_joint(
    counts: PairedCounts,
    posteriors: tuple[PosteriorBalancedAccuracy, ...],
    n_draws: int,
    seed: int,
    n_jobs: int | None = None,
) -> PairedJoint:
    """Return the joint distribution of the margins of `counts`, all of one prior."""
    prior = posteriors[0].prior
    if (
        isinstance(prior, np.ndarray)
        and not _has_default_prior(posteriors[0])
        and np.any(small := prior_cells(prior).min(axis=1) < SMALLEST)
    ):
        # Such a cell has no distribution, whatever the counts.
        a, b = prior[np.argmax(small)]
        raise ValueError(
            f"prior must have a^2 / (a + b) and b^2 / (a + b) of at least {SMALLEST:g} for a "
            f"paired comparison, got a = {a:g} and b = {b:g}"
        )
    is_plain = counts._design is None or counts._design.is_plain
    joint_class = PatternJoint if is_plain and isinstance(prior, np.ndarray) else PairwiseJoint
    return joint_class(
        counts=counts, posteriors=posteriors, n_draws=n_draws, seed=seed, n_jobs=n_jobs
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class PairedJoint(Joint):
    """Posteriors of classifiers that were tested on the same samples.

    The posteriors are those of the margins of `counts`, all of the same prior and class weights.
    """

    counts: PairedCounts
    n_draws: int
    seed: int

    kind = "paired"

    def explain(self) -> str:
        """Return a sentence on what was compared."""
        n_effective = self.counts.n_samples
        # A correction for the variation between training sets divides the counts.
        inflation = getattr(self.posteriors[0], "inflation", 1.0)
        effective = "" if inflation == 1 else f" (effective size {n_effective:.4g})"
        return (
            f"Paired comparison: all classifiers were tested on the same "
            f"{format_count(round(inflation * n_effective, 6))} samples{effective}, and the "
            "comparison accounts for their agreement on individual samples."
        )

    def _cells(self, i: int, j: int) -> Floats:
        """Cells for a distribution, which is of the second of a table less the first."""
        return self.counts.cells(self.counts.names[j], self.counts.names[i])

    def _dirichlet(self, cells: Floats) -> tuple[Floats, Floats]:
        """Return the cells of two classifiers as they count, and their Dirichlet prior."""
        if _has_default_prior(self.posteriors[0]):
            return default_cells(cells)
        prior = self.posteriors[0].prior
        if isinstance(prior, Hyperprior):
            # A weak one, for the variances of single samples.
            prior = np.full((self.counts.n_classes, 2), 1 / self.counts.n_classes)
        return cells, prior_cells(prior)


class PatternJoint(PairedJoint):
    """Paired classifiers whose patterns of correct predictions have Dirichlet distributions.

    Ranks and losses of more than two classifiers are averages over draws of the patterns. In the
    patterns of the default prior half of the classifiers are right, so that two of T disagree with
    probability T / (2 (T - 1)) for even T and (T + 1) / (2 T) for odd T: always if T = 2, as in
    `default_cells`. Each pair by itself has that prior, so its probability and that of its ranks
    may differ slightly.
    """

    def difference(self, i: int, j: int) -> PairedDifference:
        """Return the distribution of the difference in balanced accuracy, i minus j."""
        weights = self.posteriors[0]._weights
        cells, prior = self._dirichlet(self._cells(i, j))
        return PairedDifference(cells, prior=prior, weights=weights)

    def expected_loss(self) -> Floats:
        """Return the expected shortfall of each from the best, shape (T,).

        Losses differ as the means do, exactly. What is drawn of more than two is the loss of the
        classifier of the highest mean, which varies least.
        """
        means, losses = self._means, super().expected_loss()
        best = int(np.argmax(means))
        return np.asarray(means[best] - means + losses[best])

    def monte_carlo_error(self) -> MonteCarloError:
        """Return the standard errors of ranks and losses."""
        error, best = super().monte_carlo_error(), int(np.argmax(self._means))
        losses = np.full_like(error.expected_loss, error.expected_loss[best])
        return replace(error, expected_loss=losses)

    def _draw(self) -> Tally:
        # The rows are sorted by class.
        ends = np.searchsorted(self.counts.class_index, np.arange(1, self.counts.n_classes))
        patterns = np.split(self.counts.patterns.astype(np.float64), ends)
        counts = np.split(self.counts.counts, ends)
        prior = independent_prior(self.posteriors[0].prior, "exact pairs")
        weights = self.posteriors[0].class_weight
        is_default = _has_default_prior(self.posteriors[0])
        if is_default:
            n_samples = np.array([number.sum() for number in counts])
            spent = spent_observations(DEFAULT_PRIOR, self.counts.n_classes)
            strength = kept_strength(prior, n_samples, spent)
            counts = [kept * number for kept, number in zip(strength, counts, strict=True)]
            prior = strength[:, np.newaxis] * prior
        distributions = [
            PatternDistribution(observed, number, a, b, is_default)
            for observed, number, (a, b) in zip(patterns, counts, prior.tolist(), strict=True)
        ]
        # The blocks, and the seed of each, depend on nothing but the data.
        most_patterns = 1 + max(len(number) for number in counts)
        size = min(_BLOCK_PROBABILITIES // most_patterns, _BLOCK_ACCURACIES // len(self.posteriors))
        starts = range(0, self.n_draws, max(1, size))
        seeds = np.random.SeedSequence(self.seed).spawn(len(starts))

        def draw_block(start: int, seed: np.random.SeedSequence) -> Tally:
            rng, end = np.random.default_rng(seed), min(start + starts.step, self.n_draws)
            return tally(draw_averages(distributions, weights, end - start, rng), rng)

        parallel = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")
        blocks = parallel(map(delayed(draw_block), starts, seeds))
        total: Tally = reduce(add, progress(blocks, len(starts), "drawing joint ranks"))
        return total


class PairwiseJoint(PairedJoint):
    """Paired classifiers of which each pair has a difference of its own.

    With a hierarchical prior, classes share information on the differences of each pair. With
    groups or importance weights, the four cells of two classifiers are divided by the design
    effects of their difference, and those of a score by its own; groups that span classes widen a
    difference as they widen a score. So the mean of a difference is not quite the difference of the
    means.

    Of more than two classifiers there may be no distribution that has all of these differences.
    Ranks are drawn from one that has those from the leader, who has the highest mean, each as it is
    by itself. Their correlations are such that all other differences, too, have their variances, or
    about: Var(a - b) = Var(a) + Var(b) - 2 Cov(a, b). The ranks of the draws are those of normal
    variables of these correlations.
    """

    def explain(self) -> str:
        """Return a sentence on what was compared."""
        design = self.counts._design
        if design is None or design.is_plain:
            how = (
                "Classes of similar size share information on how often two classifiers differ and "
                "which is then right, so the mean difference is not the difference of the mean "
                "scores."
            )
        else:
            groups = "1 group" if design.n_groups == 1 else f"{design.n_groups:.0f} groups"
            source = f" for samples from {groups}" if design.by_class else ""
            how = f"Each difference has its own design effects{source}."
        return f"{super().explain()} {how}"

    def difference(self, i: int, j: int) -> Difference:
        """Return the distribution of the difference in balanced accuracy, i minus j."""
        if i < j:
            return self._pair(i, j)
        # Draws are those of the other order.
        reverse = self._pair(j, i)
        if isinstance(reverse, HierarchicalPairedDifference):
            return -reverse
        return self._pair(i, j)

    def ignoring_groups(self, i: int, j: int) -> Difference | None:
        """Return the difference of i and j as if samples were independent; None if they are."""
        if (effects := self._effects(i, j)) is None:
            return None
        factor = effects.design_effect / effects.divisor
        return self._of_cells(self._cells(i, j) * factor[:, np.newaxis])

    @cached_property
    def _pair(self) -> Callable[[int, int], Difference]:
        """The difference of two classifiers; some are kept."""
        return lru_cache(_MOST_KEPT)(self._make_pair)

    def _make_pair(self, i: int, j: int) -> Difference:
        effects, observed = self._effects(i, j), self._cells(i, j)
        if effects is None:
            return self._of_cells(observed)
        cells = observed / effects.divisor[:, np.newaxis]
        difference = self._of_cells(cells)
        # The variance of the difference of two outcomes in each class.
        masses = np.add(*self._dirichlet(cells))
        _, first, second, _ = (masses / masses.sum(axis=1, keepdims=True)).T
        variances = np.asarray(first + second - (second - first) ** 2)
        assert self.counts._design is not None
        factor = widening(
            self.counts._design,
            effects,
            observed.sum(axis=1),
            variances,
            self.posteriors[0].class_weight,
        )
        if factor == 1:
            return difference
        return widened_difference(difference.mean(), factor * difference.variance())

    def _effects(self, i: int, j: int) -> DesignEffects | None:
        design = self.counts._design
        if design is None or design.is_plain:
            return None
        return self.counts.design_effects(self.counts.names[j], self.counts.names[i])

    def _of_cells(self, cells: Floats) -> PairedDifference | HierarchicalPairedDifference:
        prior, weights = self.posteriors[0].prior, self.posteriors[0]._weights
        if isinstance(prior, Hyperprior):
            return HierarchicalPairedDifference(cells, weights=weights, hyperprior=prior)
        counts, cell_prior = self._dirichlet(cells)
        return PairedDifference(counts, prior=cell_prior, weights=weights)

    def _draw(self) -> Tally:
        rng, count = np.random.default_rng(self.seed), len(self.posteriors)
        leader = int(np.argmax(self._means))
        others = [i for i in range(count) if i != leader]
        draws = [self._sorted_draws(i, leader) for i in others]
        if count == 2:
            # As they are: their probabilities are those of the difference.
            blocks: Iterable[Floats] = [draws[0][:, np.newaxis]]
        else:
            variances = np.zeros((count, count))
            for i, j in combinations(range(count), 2):
                variances[i, j] = variances[j, i] = self._pair(i, j).variance()
            own = variances[leader, others]
            covariances = (np.add.outer(own, own) - variances[np.ix_(others, others)]) / 2
            correlations = nearest_correlations(covariances)
            starts = range(0, self.n_draws, _BLOCK_PAIRWISE)
            sizes = [min(_BLOCK_PAIRWISE, self.n_draws - start) for start in starts]
            blocks = (draw_with_ranks(draws, correlations, size, rng) for size in sizes)
        # The leader's difference from itself is zero.
        tallies = (tally(np.insert(block, leader, 0.0, axis=1), rng) for block in blocks)
        total: Tally = reduce(add, tallies)
        return total

    def _sorted_draws(self, i: int, j: int) -> Floats:
        difference = self.difference(i, j)
        if isinstance(difference, HierarchicalPairedDifference):
            return difference.draws
        rng = np.random.default_rng([self.seed, i, j])
        return np.sort(np.asarray(difference.sample(self.n_draws, rng=rng)))


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


def default_cells(cells: Floats) -> tuple[Floats, Floats]:
    """Return the cells of two classifiers and their Dirichlet prior under the prior "reciprocal".

    The prior's mass is all on disagreement: (0, 1/l, 1/l, 0) for the cells both right, only the
    first, only the second, neither, of l classes. The margins are Beta(1/l, 1/l), but the
    difference is wider than if half of the mass were on agreement. Cells and prior are multiplied
    by `kept_strength`, as those of one classifier.

    A cell cannot be empty: the smallest mass that a distribution takes is moved from disagreement
    to agreement, which leaves the margins as they are. It matters only in a class where no sample
    agrees, and moves probabilities there by about 1e-6.

    Examples
    --------
    >>> import numpy as np
    >>> cells, prior = default_cells(np.array([[5.0, 1.0, 2.0, 1.0], [0.0, 0.0, 0.0, 0.0]]))
    >>> cells
    array([[4.75, 0.95, 1.9 , 0.95],
           [0.  , 0.  , 0.  , 0.  ]])
    >>> prior.round(3)
    array([[0.   , 0.475, 0.475, 0.   ],
           [0.   , 0.5  , 0.5  , 0.   ]])
    """
    prior = independent_prior(resolve_prior(DEFAULT_PRIOR, len(cells)), "pairs")
    spent = spent_observations(DEFAULT_PRIOR, len(cells))
    strength = kept_strength(prior, cells.sum(axis=1), spent)[:, np.newaxis]
    disagreement = np.maximum(strength / len(cells) - SMALLEST, SMALLEST)
    agreement = np.full_like(disagreement, SMALLEST)
    return strength * cells, np.hstack([agreement, disagreement, disagreement, agreement])


def _has_default_prior(posterior: PosteriorBalancedAccuracy) -> bool:
    return isinstance(posterior._prior_spec, str) and posterior._prior_spec == DEFAULT_PRIOR


def _both_sides(difference: Difference) -> tuple[float, float]:
    """Return the probabilities above and below 0: the smaller, and what it leaves of 1."""
    if difference.mean() < 0:
        above = float(difference.ccdf(0.0))
        return above, 1 - above
    below = float(difference.cdf(0.0))
    return 1 - below, below


def _standard_error(sums: Floats, squares: Floats, n_draws: int) -> Floats:
    """Return the standard error of a mean, from sums of values and of their squares."""
    variance = np.maximum(squares / n_draws - (sums / n_draws) ** 2, 0.0)
    return np.sqrt(variance / n_draws)
