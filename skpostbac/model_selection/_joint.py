"""Joint distributions: how the scores of several classifiers depend on each other.

A comparison reads differences, ranks and losses from a joint distribution. That of
balanced accuracies on different samples is computed by quadrature. All others have a
distribution of the difference of each pair, exact or by random draws, and ranks by
joint draws.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, reduce
from itertools import combinations
from operator import add
from typing import Any, ClassVar, TypeAlias

import numpy as np
from joblib import Parallel, delayed

from skpostbac._utils import (
    Floats,
    FrozenArrays,
    StablePickle,
    format_probability,
    progress,
)
from skpostbac.metrics import (
    PairedCounts,
    PosteriorAccuracy,
    PosteriorBalancedAccuracy,
)
from skpostbac.metrics._advice import Evidence
from skpostbac.metrics._confusion import MEAN_RECALL, JointConfusion, RecallSum
from skpostbac.metrics._counts import (
    ClassCounts,
    describe_samples,
)
from skpostbac.metrics._dependence import (
    DesignEffects,
    SampleDesign,
    group_notes,
    is_large,
    sequence_error,
    widened_difference,
    widening,
)
from skpostbac.metrics._labels import label_list
from skpostbac.metrics._prior import BetaPrior
from skpostbac.model_selection._pooling import accuracy_of
from skpostbac.stats import (
    BetaAverage,
    BoundedDistribution,
    PairedDifference,
)
from skpostbac.stats._dirichlet import probabilities_above
from skpostbac.stats._distribution import DrawnDistribution
from skpostbac.stats._ranks import PairTests
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
from skpostbac.stats._transforms import ShiftedDistribution

# Up to this many classifiers, the distribution of the difference of each pair costs
# less than joint panels, and is as good for all distributions.
_FEW = 10
# A smaller probability is taken from the distribution of the difference.
_SMALL_PROBABILITY = 1e-9

# Numbers in an array of a block of draws that fit the cache: of pattern probabilities,
# which are used once, and of accuracies, which are used over and over.
_BLOCK_PROBABILITIES = 2**20
_BLOCK_ACCURACIES = 2**15
_LEAST_BLOCK = 2**11
# Draws in a block if each pair has a distribution of its own.
_BLOCK_PAIRWISE = 2**15

# Random draws of a comparison: standard errors of probabilities of at most 0.002.
N_JOINT_DRAWS = 100_000

# There are fewer draws of many classifiers, or of many patterns of correct predictions,
# but this many at least: standard errors are then at most 0.005.
_LEAST_DRAWS = 10_000
_MOST_NUMBERS = 2**22

# Differences with a distribution of their own that are kept: with draws, 1.6 MB each.
_MOST_KEPT = 128

# If the logits of recalls differ with a standard deviation of .5, probabilities above
# .95 are too high by .05 with two classes of 20 samples, .02 with five of 20, and .003
# with two of 100 (`benchmarks/paired_default.py`).
_FEW_SAMPLES = 100
_FEW_SAMPLES_NOTE = (
    "With so few {}s, probabilities above 0.95 are too high if real differences "
    "are small (in simulations, 0.98 stated and 0.93 true)."
)

# Exact distributions, and one by random draws.
Difference: TypeAlias = BoundedDistribution | DrawnDistribution


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
    prob_greater: Floats
    """Of the probability that one classifier is better than another, shape (T, T)."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Joint(StablePickle, ABC):
    """Joint distribution of the scores of T classifiers, from which a comparison reads.

    Made by functions such as :func:`~skpostbac.compare_predictions`. Classifiers are
    numbered by the order of `posteriors`. A class defines `difference` and the
    probabilities; what is left has the values of independent classifiers and exact
    results.

    Attributes
    ----------
    posteriors : tuple of T posteriors
        The posterior of each score by itself, all of one metric.
    """

    posteriors: tuple[Any, ...]

    is_paired: ClassVar[bool] = False
    """Whether all classifiers were tested on the same samples."""
    correction: ClassVar[str] = ""
    """Sentence on a correction for the variation between training sets."""

    @property
    @abstractmethod
    def explanation(self) -> str:
        """Text on what was compared."""

    @abstractmethod
    def difference(self, i: int, j: int) -> Difference:
        """Return the distribution of by how much i is better than j."""

    @property
    @abstractmethod
    def prob_greater(self) -> Floats:
        """P(row > column), shape (T, T), 1/2 on the diagonal."""

    @property
    @abstractmethod
    def rank_probabilities(self) -> Floats:
        """P(row has the rank of the column), shape (T, T)."""

    @property
    @abstractmethod
    def expected_loss(self) -> Floats:
        """Expected shortfall of each from the best, shape (T,)."""

    @cached_property
    def tests(self) -> PairTests:
        """Tests of which is better, of all pairs at once."""
        return PairTests.of(self.prob_greater, self.variances)

    @cached_property
    def variances(self) -> Floats:
        """Variances of the errors of all differences, shape (T, T)."""
        count = len(self.posteriors)
        variances = np.zeros((count, count))
        for i, j in combinations(range(count), 2):
            variance = self.difference(i, j).variance()
            variances[i, j] = variances[j, i] = variance
        return variances

    @property
    def rank_errors(self) -> tuple[Floats, Floats, Floats]:
        """Standard errors of rank probabilities, expected ranks and losses."""
        count = len(self.posteriors)
        return np.zeros((count, count)), np.zeros(count), np.zeros(count)

    @property
    def pair_errors(self) -> Floats:
        """Standard errors of `prob_greater`, shape (T, T)."""
        count = len(self.posteriors)
        return np.zeros((count, count))

    @property
    def sign(self) -> int:
        """-1 for a metric of which lower is better, else 1."""
        return -1 if self.posteriors[0]._less_is_better else 1

    def effects(self, i: int, j: int) -> DesignEffects | None:
        """Return the design effects of the difference of i and j, if there are any."""
        return None

    @property
    def effect_labels(self) -> list[Hashable]:
        """Labels of the classes that design effects are of."""
        return []

    def trials(self, i: int, j: int) -> tuple[Floats, Floats]:
        """Return the cells of i and j in a confidence sequence, and weights; or raise.

        Of each class: only i right, both or neither, only j.
        """
        if self._compares_accuracies:
            raise sequence_error("these classifiers were tested on different samples")
        raise sequence_error(f"this compares {type(self.posteriors[0]).__name__}")

    @property
    def _compares_accuracies(self) -> bool:
        accuracies = PosteriorAccuracy, PosteriorBalancedAccuracy
        return isinstance(self.posteriors[0], accuracies)

    def notes(self, i: int, j: int, names: Sequence[str]) -> list[str]:
        """Return the sentences of a report on i, the best, and j."""
        return []

    def evidence(self) -> list[Evidence]:
        """Return what warnings about the prior judge the comparison by."""
        return []


@dataclass(frozen=True, eq=False, kw_only=True)
class IndependentJoint(Joint):
    """Independent averages of Beta variables: all results by quadrature."""

    @property
    def explanation(self) -> str:
        """Text on what was compared."""
        return _explain_independent(self.posteriors[0])

    def difference(self, i: int, j: int) -> BoundedDistribution:
        """Return the distribution of i minus j."""
        difference: BoundedDistribution = self._averages[i] - self._averages[j]
        return difference

    @cached_property
    def prob_greater(self) -> Floats:
        """P(row > column), shape (T, T), 1/2 on the diagonal."""
        count = len(self.posteriors)
        if count <= _FEW:
            probabilities = np.full((count, count), 0.5)
            is_exact = np.ones((count, count), dtype=bool)
        else:
            probabilities = pairwise_probabilities(self._panels)
            is_exact = np.minimum(probabilities, probabilities.T) < _SMALL_PROBABILITY
        for i, j in np.argwhere(np.triu(is_exact, 1)).tolist():
            probabilities[i, j], probabilities[j, i] = _both_sides(
                self.difference(i, j)
            )
        return probabilities

    @cached_property
    def rank_probabilities(self) -> Floats:
        """P(row has the rank of the column), shape (T, T)."""
        return rank_probabilities(self._panels)

    @cached_property
    def expected_loss(self) -> Floats:
        """Expected shortfall of each from the best, shape (T,)."""
        return expected_shortfalls(self._panels)

    @cached_property
    def _panels(self) -> JointPanels:
        return resolve_jointly(self._averages)

    @property
    def _averages(self) -> list[Any]:
        """Distributions of the scores, without a constant that all of them have."""
        return [_unshifted(posterior.distribution) for posterior in self.posteriors]


@dataclass(frozen=True, eq=False, kw_only=True)
class PairwiseJoint(Joint):
    """Base class of joint distributions that have one of the difference of each pair.

    A class defines `_make_pair`, for i < j and where it is exact for i > j, and how
    ranks are drawn if not from the differences: `_values` or `_tally`. Of two
    classifiers, ranks and losses follow from the difference if it is exact; otherwise
    they are averages over joint draws. Differences are gains: where lower is better,
    they are the second less the first.
    """

    n_draws: int
    seed: int
    n_jobs: int | None = field(default=None, compare=False)

    @property
    def _has_exact_means(self) -> bool:
        """Whether the differences of the means are those of the joint distribution."""
        return False

    @abstractmethod
    def _make_pair(self, i: int, j: int) -> Difference:
        """Return the distribution of i minus j."""

    @cached_property
    def _tally(self) -> Tally:
        """Ranks and losses in joint draws."""
        draws = self._values
        if draws is None:
            return self._draw_differences()
        return tally(draws.T, np.random.default_rng(self.seed))

    @property
    def _values(self) -> Floats | None:
        """Joint draws of the scores, shape (T, n_draws), if that is what there is."""
        return None

    @cached_property
    def tests(self) -> PairTests:
        """Tests of which is better, of all pairs at once."""
        draws = self._values
        return super().tests if draws is None else PairTests.of_draws(draws)

    def _drawn(self, i: int, j: int, draws: Floats) -> DrawnDistribution:
        """Return a difference of which there are draws; its tails are those of both."""
        distributions = (self.posteriors[k].distribution for k in (i, j))
        tails = [getattr(one, "tail_index", np.inf) for one in distributions]
        return DrawnDistribution(draws, min(tails))

    def difference(self, i: int, j: int) -> Difference:
        """Return the distribution of by how much i is better than j."""
        if i > j:
            # Draws are those of the other order.
            reverse = self._pair(j, i)
            if not isinstance(reverse, BoundedDistribution):
                return -reverse
        return self._pair(i, j)

    @cached_property
    def prob_greater(self) -> Floats:
        """P(row > column), shape (T, T), 1/2 on the diagonal."""
        probabilities = self._quick_probabilities()
        np.fill_diagonal(probabilities, 0.5)
        pairs = np.argwhere(np.triu(np.isnan(probabilities))).tolist()
        for i, j in progress(pairs, len(pairs), "comparing pairs"):
            probabilities[i, j], probabilities[j, i] = _both_sides(
                self.difference(i, j)
            )
        return probabilities

    def _quick_probabilities(self) -> Floats:
        """P(row > column) of pairs that are computed at once, NaN of others."""
        count = len(self.posteriors)
        return np.full((count, count), np.nan)

    @cached_property
    def rank_probabilities(self) -> Floats:
        """P(row has the rank of the column), shape (T, T)."""
        if self._exact_pair is None:
            return self._tally.ranks / self._tally.size
        above, below = _both_sides(self._exact_pair)
        return np.array([[above, below], [below, above]])

    @cached_property
    def expected_loss(self) -> Floats:
        """Expected shortfall of each from the best, shape (T,)."""
        difference = self._exact_pair
        if difference is None:
            losses = self._tally.losses / self._tally.size
        else:
            # E max(X, 0) - E max(-X, 0) = E X: the smaller one is integrated.
            mean = difference.mean()
            smaller = difference if mean < 0 else self.difference(1, 0)
            assert isinstance(smaller, BoundedDistribution)
            least = mean_positive_part(smaller)
            losses = np.array([least - min(mean, 0.0), least + max(mean, 0.0)])
        if not self._has_exact_means:
            return losses
        # Losses differ as the means do, exactly. What is drawn of more than two is the
        # loss of the classifier of the highest mean, which varies least.
        best = int(np.argmax(self._means))
        return np.asarray(self._means[best] - self._means + losses[best])

    @property
    def rank_errors(self) -> tuple[Floats, Floats, Floats]:
        """Standard errors of rank probabilities, expected ranks and losses."""
        if self._exact_pair is not None:
            return super().rank_errors
        count = len(self.posteriors)
        ranks = self._tally.ranks
        size = self._tally.size
        places = np.arange(count, dtype=np.float64)
        of_losses = _standard_error(self._tally.losses, self._tally.squares, size)
        if self._has_exact_means:
            of_losses = np.full(count, of_losses[np.argmax(self._means)])
        of_ranks = _standard_error(ranks @ places, ranks @ places**2, size)
        return probability_errors(ranks / size, size), of_ranks, of_losses

    @property
    def pair_errors(self) -> Floats:
        """Standard errors of `prob_greater`, shape (T, T)."""
        errors = np.zeros_like(self.prob_greater)
        for i, j in combinations(range(len(errors)), 2):
            if not isinstance(difference := self.difference(i, j), BoundedDistribution):
                error = probability_errors(
                    self.prob_greater[i, j], difference.draws.size
                )
                errors[i, j] = errors[j, i] = error
        return errors

    @cached_property
    def _means(self) -> Floats:
        return np.array([self.sign * posterior.mean() for posterior in self.posteriors])

    @property
    def _exact_pair(self) -> BoundedDistribution | None:
        """The difference of two classifiers, if there are two and it has no draws."""
        if len(self.posteriors) > 2:
            return None
        difference = self.difference(0, 1)
        return difference if isinstance(difference, BoundedDistribution) else None

    @cached_property
    def _pair(self) -> Callable[[int, int], Difference]:
        """The difference of two classifiers; some are kept."""
        return lru_cache(_MOST_KEPT)(self._make_pair)

    def _draw_differences(self) -> Tally:
        rng = np.random.default_rng(self.seed)
        count = len(self.posteriors)
        leader = int(np.argmax(self._means))
        others = [i for i in range(count) if i != leader]
        draws = []
        for i in others:
            difference = self.difference(i, leader)
            if not isinstance(difference, BoundedDistribution):
                draws.append(difference.draws)
            else:
                own_rng = np.random.default_rng([self.seed, i, leader])
                draws.append(np.sort(difference.sample(self.n_draws, rng=own_rng)))
        if count == 2:
            # As they are: their probabilities are those of the difference.
            return tally(np.insert(draws[0][:, np.newaxis], leader, 0.0, axis=1), rng)
        variances = self.variances
        own = variances[leader, others]
        covariances = (np.add.outer(own, own) - variances[np.ix_(others, others)]) / 2
        correlations = nearest_correlations(covariances)
        tallies = []
        for start in range(0, self.n_draws, _BLOCK_PAIRWISE):
            size = min(_BLOCK_PAIRWISE, self.n_draws - start)
            joint = draw_with_ranks(draws, correlations, size, rng)
            # The leader's difference from itself is zero.
            tallies.append(tally(np.insert(joint, leader, 0.0, axis=1), rng))
        total: Tally = reduce(add, tallies)
        return total


@dataclass(frozen=True, eq=False, kw_only=True)
class PairedJoint(PairwiseJoint):
    """Balanced accuracies of T classifiers that were tested on the same samples.

    `margins` are the posteriors of the averages of the recalls, of one class for the
    accuracy, all of the same prior and class weights. `weights` are those of the
    recalls in the score: None for equal weights that sum to 1. Joint draws are of one
    of two kinds.

    By default, the patterns of correct predictions have Dirichlet distributions, and
    are drawn. In the patterns of the default prior half of the classifiers are right,
    so that two of T disagree with probability T / (2 (T - 1)) for even T and (T + 1) /
    (2 T) for odd T: always if T = 2, as with `CalibratedPrior`. Each pair by itself has
    that prior, so its probability and that of its ranks may differ slightly.

    With groups or importance weights, the four cells of two classifiers are divided by
    the design effects of their difference, and those of a score by its own; groups that
    span classes widen a difference as they widen a score. So the mean of a difference
    is not quite the difference of the means. Of more than two classifiers there may be
    no distribution that has all of these differences. Ranks are then drawn from
    one that has those from the leader, who has the highest mean, each as it is by
    itself. Their correlations are such that all other differences, too, have their
    variances, or about: Var(a - b) = Var(a) + Var(b) - 2 Cov(a, b). The ranks of the
    draws are those of normal variables of these correlations.
    """

    counts: PairedCounts
    margins: tuple[PosteriorBalancedAccuracy, ...]
    weights: Floats | None
    inflation: float = 1.0
    correction: str = ""  # type: ignore[misc]

    is_paired = True

    @property
    def explanation(self) -> str:
        """Text on what was compared."""
        unit = self.counts._unit
        text = _explain_pairs(self.counts.n_given, self.inflation, unit)
        design = self._design
        if design is not None:
            text += _explain_design(design.n_groups, unit)
        return text

    def effects(self, i: int, j: int) -> DesignEffects | None:
        """Return the design effects of the difference of i and j."""
        return self.counts.design_effects(self.counts.names[i], self.counts.names[j])

    @property
    def effect_labels(self) -> list[Hashable]:
        """Labels of the classes."""
        return label_list(self.counts.classes)

    def trials(self, i: int, j: int) -> tuple[Floats, Floats]:
        """Return the cells of i and j in a confidence sequence, and weights."""
        if not self._compares_accuracies:
            return super().trials(i, j)
        names = self.counts.names
        cells = self.counts._trials(names[i], names[j], self.correction)
        return cells, self.margins[0].class_weight

    def notes(self, i: int, j: int, names: Sequence[str]) -> list[str]:
        """Return the caveats on few samples and on groups."""
        are_few = self._n_balanced < _FEW_SAMPLES
        unit = self.counts._unit
        lines = [_FEW_SAMPLES_NOTE.format(unit)] if are_few else []
        effects = self.effects(i, j)
        if effects is None or self._design is None:
            return lines
        # Ignoring the groups, what importance weights divide by remains.
        scale = effects.design_effect / effects.divisor
        ignoring = self._of_cells(self._cells(i, j) * scale[:, np.newaxis])
        pair = names[i], names[j]
        return lines + _group_notes(effects, self.effect_labels, ignoring, *pair, unit)

    def evidence(self) -> list[Evidence]:
        """Return what warnings about the prior judge the averages of recalls by."""
        return [one._evidence() for one in self.margins]

    @property
    def _prior(self) -> BetaPrior:
        return self.margins[0].prior

    @property
    def _design(self) -> SampleDesign | None:
        """What is known of samples that depend on each other, if they do."""
        design = self.counts._design
        return None if design is None or design.is_plain else design

    @property
    def _n_balanced(self) -> float:
        """Samples in classes of equal size that are as precise, without groups."""
        margin = self.margins[0]
        averaged = margin.class_weight > 0
        total = margin.effective_counts.total[averaged]
        with np.errstate(divide="ignore"):
            return float(1 / (margin.class_weight[averaged] ** 2 / total).sum())

    @property
    def _has_exact_means(self) -> bool:
        """Whether the patterns of correct predictions have a joint distribution."""
        return self._patterns is not None

    def _cells(self, i: int, j: int) -> Floats:
        """Return the cells whose second classifier is i, and whose first is j."""
        return self.counts.cells(self.counts.names[j], self.counts.names[i])

    def _make_pair(self, i: int, j: int) -> Difference:
        observed = self._cells(i, j)
        effects = self.effects(j, i)
        design = self._design
        if effects is None or design is None:
            return self._of_cells(observed)
        cells = observed / effects.divisor[:, np.newaxis]
        difference = self._of_cells(cells)
        # The variance of the difference of two outcomes in each class.
        _, first, second, _ = self._prior.cell_shares(cells).T
        variances = first + second - (second - first) ** 2
        weights = self.margins[0].class_weight
        factor = widening(design, effects, variances, weights)
        if factor == 1:
            return difference
        reach = 1.0 if self.weights is None else float(self.weights.sum())
        return widened_difference(
            difference.mean(), factor * difference.variance(), reach
        )

    def _of_cells(self, cells: Floats) -> PairedDifference:
        return self._prior.pair(cells, self.weights)

    @cached_property
    def variances(self) -> Floats:
        """Variances of all differences of equally good classifiers, shape (T, T)."""
        if self._design is not None:
            return super().variances
        only = self._only_right
        total = np.maximum(self.counts._totals, 1)
        scale = (self._score_weights / total) ** 2
        return np.asarray(np.tensordot(scale, only + only.swapaxes(1, 2), 1))

    def _quick_probabilities(self) -> Floats:
        """P(row > column), without groups, of one class or many classifiers."""
        probabilities = super()._quick_probabilities()
        weights = self._score_weights
        is_quick = np.count_nonzero(weights) == 1 or len(probabilities) > _FEW
        if self._design is not None or not is_quick:
            return probabilities
        strength, prior = self._prior.pair_prior(self.counts._totals)
        pairs = np.triu_indices(len(probabilities), 1)
        first, second = (
            strength * only[:, *pairs] + prior[:, [1]]
            for only in (self._only_right, self._only_right.swapaxes(1, 2))
        )
        masses = strength[:, 0] * self.counts._totals + prior.sum(axis=1)
        alphas = np.stack([first.T, second.T, masses - first.T - second.T], axis=-1)
        probabilities[pairs] = probabilities_above(alphas, weights)
        probabilities.T[pairs] = 1 - probabilities[pairs]
        return probabilities

    @cached_property
    def _only_right(self) -> Floats:
        """Samples on which of two only the row is right, shape (n_classes, T, T)."""
        right = self.counts.patterns.astype(np.float64)
        weighted = right * self.counts.counts[:, np.newaxis]
        classes = range(self.counts.n_classes)
        of_class = [self.counts.class_index == index for index in classes]
        both = np.stack([right[rows].T @ weighted[rows] for rows in of_class])
        alone = np.diagonal(both, axis1=1, axis2=2)[..., np.newaxis]
        return np.asarray(np.maximum(alone - both, 0.0))

    @property
    def _score_weights(self) -> Floats:
        """Weights of the recalls in the score."""
        if self.weights is None:
            return self.margins[0].class_weight
        return self.weights

    @cached_property
    def _patterns(self) -> list[PatternDistribution] | None:
        """Joint posterior of which classifiers are right, by class, if there is one."""
        if self._design is not None:
            return None
        # The rows are sorted by class.
        ends = np.searchsorted(
            self.counts.class_index, np.arange(1, self.counts.n_classes)
        )
        patterns = np.split(self.counts.patterns.astype(np.float64), ends)
        counts = np.split(self.counts.counts, ends)
        return self._prior.pattern_distributions(patterns, counts)

    @cached_property
    def _tally(self) -> Tally:
        """Ranks and losses in joint draws."""
        distributions = self._patterns
        if distributions is None:
            return self._draw_differences()
        # The blocks, and the seed of each, depend on nothing but the data.
        count = len(self.posteriors)
        n_patterns = [one.n_drawn for one in distributions]
        affordable = _MOST_NUMBERS // (sum(n_patterns) + count)
        n_draws = min(self.n_draws, max(affordable, _LEAST_DRAWS))
        most_patterns = 1 + max(n_patterns)
        size = min(
            _BLOCK_PROBABILITIES // most_patterns,
            max(_BLOCK_ACCURACIES // count, _LEAST_BLOCK),
        )
        starts = range(0, n_draws, max(1, size))
        seeds = np.random.SeedSequence(self.seed).spawn(len(starts))
        weights = self._score_weights

        def draw_block(start: int, seed: np.random.SeedSequence) -> Tally:
            rng = np.random.default_rng(seed)
            end = min(start + starts.step, n_draws)
            return tally(draw_averages(distributions, weights, end - start, rng), rng)

        parallel = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")
        blocks = parallel(map(delayed(draw_block), starts, seeds))
        total: Tally = reduce(add, progress(blocks, len(starts), "drawing joint ranks"))
        return total


@dataclass(frozen=True, eq=False, kw_only=True)
class ConfusionJoint(PairwiseJoint):
    """Any metric of classifiers tested on the same samples, by draws of the cells.

    Each pair has draws of its own, of the cells of two classifiers, so that it has the
    same difference whatever other classifiers there are. Groups and importance weights
    divide the cells by the design effects of the difference, and ranks are then drawn
    as those of `PairedJoint`.
    """

    confusion: JointConfusion

    is_paired = True

    @property
    def explanation(self) -> str:
        """Text on what was compared."""
        effects = self.confusion.effects
        if effects:  # the counts may be sums of importance weights
            return _explain_pairs(None) + _explain_design(effects[0].n_groups)
        return _explain_pairs(float(self.confusion.counts.sum()))

    def effects(self, i: int, j: int) -> DesignEffects | None:
        """Return the design effects of the difference of i and j."""
        return self.confusion.effects_of(i, j)

    @property
    def effect_labels(self) -> list[Hashable]:
        """Labels of the classes, which may be counted as one."""
        return label_list(self.confusion.classes)

    def notes(self, i: int, j: int, names: Sequence[str]) -> list[str]:
        """Return the caveats on groups."""
        effects = self.effects(i, j)
        if effects is None:
            return []
        ignoring = self._draw_pair(i, j, effects.divisor / effects.design_effect)
        return _group_notes(effects, self.effect_labels, ignoring, names[i], names[j])

    def _make_pair(self, i: int, j: int) -> Difference:
        effects = self.effects(i, j)
        return self._draw_pair(i, j, 1.0 if effects is None else effects.divisor)

    def _draw_pair(self, i: int, j: int, divisor: Floats | float) -> DrawnDistribution:
        rng = np.random.default_rng([self.seed, i, j])
        first, second = self.confusion.of_pair(i, j, divisor).values(rng, self.n_draws)
        return self._drawn(i, j, self.sign * (first - second))

    @cached_property
    def _values(self) -> Floats | None:
        if self.confusion.effects or len(self.posteriors) == 2:
            return None
        rng = np.random.default_rng(self.seed)
        return np.asarray(self.sign * self.confusion.values(rng, self.n_draws))


@dataclass(frozen=True, eq=False, kw_only=True)
class DrawnJoint(PairwiseJoint):
    """Independent posteriors of any metric, by draws of each."""

    @property
    def explanation(self) -> str:
        """Text on what was compared."""
        return _explain_independent(self.posteriors[0])

    @cached_property
    def _values(self) -> Floats:
        """Draws of each metric, shape (T, n_draws)."""
        rngs = (
            np.random.default_rng([self.seed, i]) for i in range(len(self.posteriors))
        )
        pairs = zip(self.posteriors, rngs, strict=True)
        draws = [one.distribution.sample(self.n_draws, rng=rng) for one, rng in pairs]
        return np.asarray(self.sign * np.stack(draws))

    def _make_pair(self, i: int, j: int) -> Difference:
        return self._drawn(i, j, self._values[i] - self._values[j])


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoresJoint(DrawnJoint):
    """Ranking metrics of T classifiers that scored the same samples, by joint draws."""

    draws: Floats
    n_samples: float
    n_groups: int

    is_paired = True

    @property
    def explanation(self) -> str:
        """Text on what was compared."""
        groups = f" from {self.n_groups} groups" * (self.n_groups > 0)
        return (
            "Paired comparison: all classifiers scored the same "
            f"{describe_samples(self.n_samples)}{groups}, which have the same random "
            "weights."
        )

    @property
    def _values(self) -> Floats:
        return self.draws


def margins_of(
    counts: PairedCounts, *, is_one_class: bool = False
) -> list[ClassCounts]:
    """Return the counts of each classifier alone, of one class for the accuracy."""
    counts = counts._as_one_class() if is_one_class else counts
    return [counts.margin(name) for name in counts.names]


def outcome_joint(
    counts: PairedCounts,
    margins: Sequence[PosteriorBalancedAccuracy],
    *,
    is_one_class: bool = False,
    recall_sum: RecallSum = MEAN_RECALL,
    posteriors: Sequence[Any] = (),
    **options: Any,
) -> PairedJoint:
    """Return the joint distribution of scores that follow from correctness.

    Parameters
    ----------
    counts : PairedCounts
    margins : sequence of T PosteriorBalancedAccuracy
        Posteriors of the margins, of one class for the accuracy.
    is_one_class : bool
        Whether the score is the accuracy.
    recall_sum : RecallSum
        Another score in terms of the recalls; `posteriors` are then its posteriors.
    **options
        Fields of :class:`PairedJoint`.
    """
    weights = margins[0]._weights
    shown = posteriors or margins
    if recall_sum.weights is not None:
        weights = np.array(recall_sum.weights)
    if is_one_class:
        shown = [
            accuracy_of(counts.margin(name), one)
            for name, one in zip(counts.names, margins, strict=True)
        ]
        counts = counts._as_one_class()
    return PairedJoint(
        posteriors=tuple(shown),
        counts=counts,
        margins=tuple(margins),
        weights=weights,
        **options,
    )


def independent_joint(posteriors: Sequence[Any]) -> IndependentJoint | DrawnJoint:
    """Return the joint distribution of independent posteriors, exact or drawn."""
    constants = {getattr(one.distribution, "shift", 0.0) for one in posteriors}
    is_exact = not posteriors[0]._less_is_better and all(
        isinstance(_unshifted(one.distribution), BetaAverage) for one in posteriors
    )
    if is_exact and len(constants) == 1:
        return IndependentJoint(posteriors=tuple(posteriors))
    return DrawnJoint(posteriors=tuple(posteriors), n_draws=N_JOINT_DRAWS, seed=0)


def _unshifted(distribution: Any) -> Any:
    """Return the distribution without the constant that it may add."""
    if isinstance(distribution, ShiftedDistribution):
        return distribution.distribution
    return distribution


def probability_errors(probabilities: float | Floats, n_draws: int) -> Floats:
    """Return the standard errors of shares of draws, with one more of either kind.

    What was never drawn is not impossible.
    """
    shares = (probabilities * n_draws + 1) / (n_draws + 2)
    return np.asarray(np.sqrt(shares * (1 - shares) / n_draws))


def _explain_independent(posterior: Any) -> str:
    """Return the sentence on an independent comparison of such posteriors."""
    # Nothing is known of dependent samples.
    samples = f"{posterior._unit}s"
    return (
        f"Independent comparison: the {posterior._tested}s are assumed to have been "
        f"tested on different {samples}, and one may have had easier {samples} by "
        "chance."
    )


def _explain_pairs(
    n_effective: float | None, inflation: float = 1.0, unit: str = "sample"
) -> str:
    """Return the sentence on a paired comparison of maybe divided counts."""
    samples = "samples"
    tested = "systems" if unit == "item" else "classifiers"
    if n_effective is not None:
        samples = describe_samples(round(inflation * n_effective, 6), unit)
        if inflation != 1:
            samples += f" (effective size {n_effective:.4g})"
    return (
        f"Paired comparison: all {tested} were tested on the same {samples}, and the "
        f"comparison accounts for their agreement on individual {unit}s."
    )


def _explain_design(n_groups: float, unit: str = "sample") -> str:
    """Return the sentence on groups, or on weights if there are no groups."""
    groups = "1 group" if n_groups == 1 else f"{n_groups:.0f} groups"
    what = f"correlation of {unit}s within {groups}" if n_groups else "weights"
    return f" Each difference allows for the {what}."


def _group_notes(
    effects: DesignEffects,
    labels: Sequence[Hashable],
    ignoring: Difference,
    best: str,
    second: str,
    unit: str = "sample",
) -> list[str]:
    """Return the caveats on groups, and the result of ignoring them."""
    lines = group_notes(effects, labels, unit)
    if is_large(effects):
        probability = format_probability(float(ignoring.ccdf(0.0)))
        lines.append(
            f"Ignoring the groups, {best} would be better than {second} with "
            f"probability {probability}."
        )
    return lines


def _both_sides(difference: Difference) -> tuple[float, float]:
    """Return the probabilities above and below 0, from the smaller of both."""
    if difference.mean() < 0:
        above = float(difference.ccdf(0.0))
        return above, 1 - above
    below = float(difference.cdf(0.0))
    return 1 - below, below


def _standard_error(sums: Floats, squares: Floats, n_draws: int) -> Floats:
    """Return the standard error of a mean, from sums of values and of their squares."""
    variance = np.maximum(squares / n_draws - (sums / n_draws) ** 2, 0.0)
    return np.sqrt(variance / n_draws)
