"""Comparison of classifiers: which is better, by how much, how probably.

All results come from a joint distribution of the scores, which alone knows how they
depend on each other.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._plot import ComparisonPlot
from skpostbac._utils import (
    Bools,
    Floats,
    Indices,
    LabelArray,
    RandomStateLike,
    StablePickle,
    block,
    check_choice,
    check_level,
    check_n_draws,
    check_rope,
    draw_seed,
    finite_or_none,
    float_or_nan,
    format_probability,
    input_errors,
    is_shown,
    join_first,
    label_repr,
    more,
    paragraphs,
    progress,
    record,
    result,
    round_estimate,
    table,
)
from skpostbac.metrics import (
    PairedCounts,
    PosteriorAccuracy,
    PosteriorBalancedAccuracy,
    paired_counts,
)
from skpostbac.metrics._advice import (
    coverage_notes,
    untested_notes,
    warn_of_prior,
)
from skpostbac.metrics._class_weight import (
    ClassWeightLike,
)
from skpostbac.metrics._confusion import MEAN_RECALL, Metric, confuse_jointly
from skpostbac.metrics._dependence import (
    DesignEffects,
    warn_of_groups,
)
from skpostbac.metrics._labels import (
    WeightType,
    label_list,
    read_outcomes,
    warn_of_repeated_ids,
    warn_of_strays,
)
from skpostbac.metrics._paired_counts import (
    Predictions,
    by_argument,
    check_names,
    named_predictions,
    position_of,
)
from skpostbac.metrics._posterior import (
    ScalarPosterior,
)
from skpostbac.metrics._prior import (
    DEFAULT_PRIOR,
    PriorLike,
)
from skpostbac.metrics._scorers import (
    OBJECTIVES,
    check_objective,
)
from skpostbac.model_selection._joint import (
    N_JOINT_DRAWS,
    ConfusionJoint,
    Difference,
    Joint,
    MonteCarloError,
    independent_joint,
    margins_of,
    outcome_joint,
    probability_errors,
)
from skpostbac.model_selection._pooling import OutcomeMetric, is_accuracy
from skpostbac.stats import Interval
from skpostbac.stats._distribution import (
    DEFAULT_INTERVAL,
    Distribution,
    DrawnDistribution,
    IntervalMethod,
    check_interval_level,
    errors_of,
    estimates,
    figures_of,
    interval_of,
)
from skpostbac.stats._sequence import majority_p_value, sequence_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# Names in the repr, which stays on one line, and in the tables of a notebook.
_SHOWN_NAMES = 8

# What to sort by beside the objectives of one posterior, largest first.
_JOINT_OBJECTIVES: dict[str, Callable[[PosteriorComparison], Floats]] = {
    "prob_best": lambda comparison: comparison.prob_best(),
    "expected_rank": lambda comparison: -comparison.expected_rank(),
    "expected_loss": lambda comparison: -comparison.expected_loss(),
}


class RopeMasses(NamedTuple):
    """Probabilities that a difference is below, within and above the rope.

    They sum to 1. Returned by functions; its fields are not checked.
    """

    below: float
    """Probability of a difference below ``-rope``: the second is clearly better."""
    within: float
    """Probability of a difference in ``[-rope, rope]``: practically equivalent."""
    above: float
    """Probability of a difference above ``rope``: the first is clearly better."""

    def _repr_html_(self) -> str:
        return block(repr(self), record(self._fields, *map(format_probability, self)))


@dataclass(frozen=True, init=False, eq=False, repr=False)
class PosteriorComparison(StablePickle):
    """Posterior probabilities of which classifier is better, and by how much.

    Use :func:`~skpostbac.compare_predictions` if all classifiers were tested on the
    same samples, and :func:`compare_posteriors` if each had its own. Rows and columns
    of all arrays follow the order of the T classifiers.

    Results for two accuracies or balanced accuracies, and for independent ones, are
    computed by quadrature, without random draws. Ranks and losses of more than two
    classifiers on the same samples are averages over random draws;
    :meth:`monte_carlo_error` returns their standard errors. All results for other
    metrics use random draws, unless the classifiers are independent and the metric is
    an average of recalls.

    Parameters
    ----------
    names : tuple or list of T str
        Distinct names of the T >= 2 classifiers, stored as a tuple.
    joint : Joint
        How the scores are distributed together, as the functions below make it.
    rope : float, default=0.0
        Half-width of the region of practical equivalence, at least 0, and below 1 for
        accuracies: smaller differences in either direction do not matter in practice.

    Attributes
    ----------
    names, joint, rope
        As the parameters.
    posteriors : tuple of T posteriors
        The posterior of each score by itself.

    Raises
    ------
    TypeError
        If `names` is neither a tuple nor a list, if a name is not a string, or if
        `joint` is not a joint distribution.
    ValueError
        If there are fewer than two classifiers, if the numbers of names and posteriors
        differ, if a name is empty or duplicated, or if `rope` is invalid.

    See Also
    --------
    compare_predictions : Classifiers that were tested on the same samples.
    compare_posteriors : Classifiers that were tested on different samples.
    compare_scores : Areas under ROC curves of classifiers that scored the same samples.

    References
    ----------
    .. [1] H. Carrillo, K. H. Brodersen and J. A. Castellanos (2013). Probabilistic
       performance evaluation for multiclass classification using the posterior balanced
       accuracy. ROBOT2013: First Iberian Robotics Conference, 347-361.

    Examples
    --------
    >>> from skpostbac import PosteriorBalancedAccuracy, compare_posteriors
    >>> one = PosteriorBalancedAccuracy.from_counts([30, 8, 3], [32, 10, 4])
    >>> three = PosteriorBalancedAccuracy.from_counts([32, 9, 4], [32, 10, 4])
    >>> comparison = compare_posteriors({"C1": one, "C3": three}, rope=0.05)
    >>> comparison
    PosteriorComparison('C1', 'C3', rope=0.05)
    >>> comparison.prob_best().round(6)
    array([0.090033, 0.909967])
    """

    names: tuple[str, ...]
    joint: Joint
    rope: float

    def __init__(
        self, names: Sequence[str], joint: Joint, *, rope: float = 0.0
    ) -> None:
        names = check_names(names)
        if not isinstance(joint, Joint):
            raise TypeError(
                "joint must be a joint distribution of scores, as compare_posteriors "
                f"and compare_predictions make it, got {type(joint).__name__}"
            )
        check_several(len(names), "names")
        if len(names) != len(joint.posteriors):
            raise ValueError(
                "names and joint must have one entry per classifier, got "
                f"{len(names)} names and {len(joint.posteriors)} posteriors"
            )
        shares = PosteriorBalancedAccuracy, PosteriorAccuracy
        if isinstance(joint.posteriors[0], shares) or not float_or_nan(rope) >= 1:
            rope = check_rope(rope)
        vars(self).update(
            names=names, joint=joint, rope=float(rope)
        )  # past __setattr__

    @property
    def posteriors(self) -> tuple[Any, ...]:
        """The posterior of each score by itself."""
        return self.joint.posteriors

    @classmethod
    def from_paired_counts(
        cls,
        counts: PairedCounts,
        *,
        metric: OutcomeMetric = "balanced_accuracy",
        rope: float = 0.0,
        class_weight: ClassWeightLike = None,
        prior: PriorLike = DEFAULT_PRIOR,
        n_draws: int = N_JOINT_DRAWS,
        random_state: RandomStateLike = 0,
        n_jobs: int | None = None,
    ) -> PosteriorComparison:
        """Compare classifiers from joint counts of their outcomes on the same samples.

        Parameters
        ----------
        counts : PairedCounts
            Joint counts of correct predictions of the T >= 2 classifiers.
        metric : {"balanced_accuracy", "accuracy"}, default="balanced_accuracy"
            Metric that follows from which predictions are correct.
        rope, class_weight, prior, n_draws, random_state, n_jobs
            As for :func:`~skpostbac.compare_predictions`.

        Returns
        -------
        comparison : PosteriorComparison

        Examples
        --------
        The cells for each class: both right, only the first, only the second, neither.

        >>> from skpostbac import PosteriorComparison
        >>> from skpostbac.metrics import PairedCounts
        >>> counts = PairedCounts.from_cells(
        ...     [[27, 3, 5, 5], [12, 0, 4, 4]], names=("old", "new")
        ... )
        >>> comparison = PosteriorComparison.from_paired_counts(counts)
        >>> comparison
        PosteriorComparison('old', 'new', rope=0, paired)
        >>> comparison.prob_greater().round(4)
        array([[0.5   , 0.0194],
               [0.9806, 0.5   ]])
        """
        if not isinstance(counts, PairedCounts):
            raise TypeError(f"counts must be PairedCounts, got {type(counts).__name__}")
        is_one_class = is_accuracy(metric, class_weight)
        margins = [
            PosteriorBalancedAccuracy(one, prior=prior, class_weight=class_weight)
            for one in margins_of(counts, is_one_class=is_one_class)
        ]
        joint = outcome_joint(
            counts,
            margins,
            is_one_class=is_one_class,
            n_draws=check_n_draws(n_draws, 1),
            seed=draw_seed(random_state),
            n_jobs=n_jobs,
        )
        return cls(counts.names, joint, rope=rope)

    @property
    def less_is_better(self) -> bool:
        """Whether lower values are better, as for a cost."""
        return self.joint.sign < 0

    def __repr__(self) -> str:
        names = [repr(name) for name in self.names[:_SHOWN_NAMES]]
        names += ["..."] * (len(self.names) > _SHOWN_NAMES)
        paired = ", paired" if self.joint.is_paired else ""
        first = self.posteriors[0]
        is_default = isinstance(first, PosteriorBalancedAccuracy)
        metric = "" if is_default else f", metric={first.score_name!r}"
        facts = f"{', '.join(names)}{metric}, rope={self.rope:g}{paired}"
        return f"PosteriorComparison({facts})"

    def __str__(self) -> str:
        return self.report()

    def _repr_html_(self) -> str:
        # Ranks of many classifiers take seconds of draws: `summary` has them.
        shown = [
            position_of(name, self.names, "name")
            for name in self.ranking()[:_SHOWN_NAMES]
        ]
        names = [f"{rank} {self.names[index]}" for rank, index in enumerate(shown, 1)]
        note = more(len(self.names), _SHOWN_NAMES)
        first = self.posteriors[0]
        distributions = [self.posteriors[index].distribution for index in shown]
        header = [first._tested, f"{first.score_name}, mean", "95% CI"]
        columns = [names, *zip(*estimates(distributions), strict=True)]
        if not note:
            header += ["P(best)", "may be best", "95% ranks"]
            best = self.prob_best()[shown].tolist()
            columns.append([format_probability(one) for one in best])
            may_be = self.may_be_best()[shown].tolist()
            columns.append(["yes" if one else "no" for one in may_be])
            low, high = self.rank_interval()
            columns.append(list(map(format_ranks, low[shown], high[shown])))
        rows = zip(*columns, strict=True)

        matrix = [["" for _ in names] for _ in names]
        for i, j in combinations(range(len(shown)), 2):
            difference = self.joint.difference(shown[i], shown[j])
            matrix[i][j] = format_probability(float(difference.ccdf(0.0)))
            matrix[j][i] = format_probability(float(difference.cdf(0.0)))
        # Columns have the numbers of the rows: names may be long, and the table is to
        # fit.
        ranks = (str(rank) for rank in range(1, len(shown) + 1))
        body = ((name, *row) for name, row in zip(names, matrix, strict=True))
        return result(
            f"{self._describe_leaders(0.95)}.",
            table(header, rows, note=note),
            table(("P(row > column)", *ranks), body, note=note),
        )

    def difference(self, a: str, b: str) -> Difference:
        """Return the distribution of by how much `a` is better than `b`.

        It is the difference of the metric, `a` minus `b`; where lower values are
        better, as for a cost, it is `b` minus `a`.

        Parameters
        ----------
        a, b : str
            Names of two different classifiers.

        Returns
        -------
        distribution : BoundedDistribution or DrawnDistribution
            For accuracies on the same samples it is a
            :class:`~skpostbac.stats.PairedDifference`; for balanced accuracies on
            different samples a :class:`~skpostbac.stats.BetaAverage`; otherwise a
            :class:`~skpostbac.stats.DrawnDistribution`.

        Raises
        ------
        ValueError
            If a name is unknown, or both are the same.
        """
        return self.joint.difference(*self._pair(a, b))

    def difference_interval(
        self,
        a: str,
        b: str,
        level: float = 0.95,
        *,
        method: IntervalMethod = DEFAULT_INTERVAL,
    ) -> Interval:
        """Return a credible interval of the :meth:`difference` of `a` and `b`.

        Parameters
        ----------
        a, b : str
            Names of two different classifiers.
        level : float in (0, 1), default=0.95
            Probability of the interval.
        method : {"hull", "hdi", "central"}, default="hull"
            "hdi" is the shortest interval (highest density); "central" leaves out the
            same probability in both tails; "hull" reaches from the lowest to the
            highest end of both.

        Returns
        -------
        low, high : float
            Ends of the interval.
        """
        return interval_of(self.difference(a, b), level, method)

    def confidence_sequence(self, a: str, b: str, level: float = 0.95) -> Interval:
        """Return an interval of a difference that you may compute at every look.

        With probability at least `level`, the intervals of all looks at a growing test
        set contain the true difference of the accuracies or balanced accuracies, `a`
        minus `b`. This holds for one pair that was chosen before the first look.

        Parameters
        ----------
        a, b : str
            Names of two different classifiers that predict the same samples.
        level : float, default=0.95
            Probability that all intervals hold, in (0, 1).

        Returns
        -------
        interval : Interval
            Named tuple ``(low, high)``. It does not depend on the prior.

        Raises
        ------
        ValueError
            If a name is unknown, or both are the same; if the classifiers were not
            compared by accuracies on the same samples; or for the reasons listed in
            :meth:`PosteriorBalancedAccuracy.confidence_sequence`.

        Notes
        -----
        Of several classifiers, the pair that looks best at some look is not covered.
        For k pairs, use the level ``1 - (1 - level) / k`` for each.

        The method is that of :meth:`PosteriorBalancedAccuracy.confidence_sequence`. The
        cells of a class are only `a` right, both or neither, and only `b` right, and
        have the prior Dirichlet(1/2, 1, 1/2).

        Examples
        --------
        >>> from skpostbac import PosteriorComparison
        >>> from skpostbac.metrics import PairedCounts
        >>> counts = PairedCounts.from_cells(
        ...     [[1080, 20, 80, 20], [320, 10, 50, 20]], names=("old", "new")
        ... )
        >>> comparison = PosteriorComparison.from_paired_counts(counts)
        >>> comparison.confidence_sequence("new", "old")
        Interval(low=0.0203, high=0.1364)
        >>> comparison.difference_interval("new", "old")
        Interval(low=0.0549, high=0.0954)
        """
        trials = self.joint.trials(*self._pair(a, b))
        return sequence_interval(*trials, check_interval_level(level))

    def sequential_p_value(self, a: str, b: str) -> float:
        """Return a p-value of `a` being no better that holds at every look.

        The null hypothesis is that in no class `a` is right more often than `b`: of the
        samples that only one of them predicts correctly, `a` has at most half. If it is
        true, the smallest of the p-values of all looks at a growing test set is at most
        x with probability x at most. This holds for one pair and direction that were
        chosen before the first look.

        Parameters
        ----------
        a, b : str
            Names of two different classifiers that predict the same samples.

        Returns
        -------
        p_value : float
            In [0, 1]. Its inverse, where it is below 1, is an e-value.

        Raises
        ------
        ValueError
            For the reasons listed in :meth:`confidence_sequence`.

        Notes
        -----
        If the class of each sample is random, with the same probabilities throughout, a
        small p-value says that `a` has the higher accuracy. With several classes, it
        does not say that `a` has the higher balanced accuracy: it may win in a common
        class and lose in a rare one. :meth:`confidence_sequence` says so, if it is
        above 0.

        For each p > 1/2, the likelihood ratio of p to 1/2 for the samples that only one
        predicts correctly is a supermartingale under the null hypothesis. So is its
        mean over the upper half of Beta(1/2, 1/2). The p-value is the inverse of this
        mean, or 1.

        Examples
        --------
        >>> from skpostbac import PosteriorComparison
        >>> from skpostbac.metrics import PairedCounts
        >>> counts = PairedCounts.from_cells([[542, 8, 27, 23]], names=("old", "new"))
        >>> comparison = PosteriorComparison.from_paired_counts(counts)
        >>> comparison.sequential_p_value("new", "old")
        0.0161
        """
        cells, weights = self.joint.trials(*self._pair(a, b))
        only_a, _, only_b = cells[weights > 0].sum(axis=0)
        return majority_p_value(only_a, only_b)

    def rope_masses(self, a: str, b: str) -> RopeMasses:
        """Return the probabilities of a worse, an equivalent and a better `a`.

        Parameters
        ----------
        a, b : str
            Names of two different classifiers.

        Returns
        -------
        below, within, above : float
            Probabilities that the :meth:`difference` of `a` and `b` is below ``-rope``,
            within ``[-rope, rope]`` and above ``rope``. They sum to 1.
        """
        distribution = self.difference(a, b)
        rope = self.rope
        within = float(distribution.cdf(-rope, rope)) if rope > 0 else 0.0
        return RopeMasses(
            float(distribution.cdf(-rope)), within, float(distribution.ccdf(rope))
        )

    def design_effects(self, a: str, b: str) -> DesignEffects | None:
        """Return the design effects of groups and importance weights on a difference.

        Parameters
        ----------
        a, b : str
            Names of two different classifiers.

        Returns
        -------
        effects : DesignEffects or None
            None if there are neither, or if the classifiers were tested on different
            samples; each posterior then has its own.

        Raises
        ------
        ValueError
            If a name is unknown, or both are the same.
        """
        return self.joint.effects(*self._pair(a, b))

    @overload
    def prob_greater(self) -> Floats: ...

    @overload
    def prob_greater(self, a: str, b: str) -> float: ...

    def prob_greater(
        self, a: str | None = None, b: str | None = None
    ) -> Floats | float:
        """Return the probability that a classifier is better than another one.

        Parameters
        ----------
        a, b : str, default=None
            Names of two different classifiers; without them, all pairs are returned.

        Returns
        -------
        float, or array of shape (T, T)
            P(a > b), or P(row classifier > column classifier). The diagonal is 1/2, so
            the array and its transpose sum to 1. :meth:`table` returns it with names.

        Raises
        ------
        ValueError
            If a name is unknown, or both are the same.

        Notes
        -----
        Each probability comes from the exact distribution of the difference, with an
        absolute error of about 1e-12; on the same samples, even tiny ones have a small
        relative error. Those of more than ten balanced accuracies on the same samples
        are computed at once, with an absolute error of up to 1e-7. For more than ten
        independent classifiers, all pairs are integrated at once, with an error of
        1e-12 (1e-5 for two distributions whose masses
        are within a few spacings of floats of one end of the support); probabilities
        below 1e-9 still come from the difference. For metrics other than accuracies,
        probabilities for classifiers on the same samples are shares of random draws,
        accurate to about 0.001.

        Examples
        --------
        >>> from skpostbac import PosteriorBalancedAccuracy, compare_posteriors
        >>> one = PosteriorBalancedAccuracy.from_counts([30, 8, 3], [32, 10, 4])
        >>> three = PosteriorBalancedAccuracy.from_counts([32, 9, 4], [32, 10, 4])
        >>> comparison = compare_posteriors({"C1": one, "C3": three})
        >>> comparison.prob_greater("C3", "C1")
        0.909967
        >>> comparison.prob_greater().round(6)
        array([[0.5     , 0.090033],
               [0.909967, 0.5     ]])
        """
        if a is None and b is None:
            return self.joint.prob_greater.copy()
        i, j = self._pair(a, b)
        return float(self.joint.prob_greater[i, j])

    def rank_probabilities(self) -> Floats:
        """Return the probability of each rank for each classifier.

        Returns
        -------
        array of shape (T, T)
            P(row classifier has the column's rank); the first column is rank 1, the
            best. Rows and columns sum to 1.
        """
        return self.joint.rank_probabilities.copy()

    def prob_best(self) -> Floats:
        """Return the probability that each classifier is the best, shape (T,).

        It is no error rate: equally good classifiers may have any. See
        :meth:`may_be_best` for those that cannot be ruled out.
        """
        return self.joint.rank_probabilities[:, 0].copy()

    def may_be_best(self, level: float = 0.95) -> Bools:
        """Return which classifiers may be the best.

        Those are left out that another one surely beats, given how many there are. A
        classifier that is the best, or one of several equally good ones, is in this set
        in about `level` of test sets. All of several equally good ones are in it at
        once more rarely.

        Parameters
        ----------
        level : float in (0, 1), default=0.95
            Probability that a given best classifier is in the set.

        Returns
        -------
        array of bool of shape (T,)

        See Also
        --------
        rank_interval : The ranks that each classifier may have.

        Examples
        --------
        >>> import numpy as np
        >>> from skpostbac import compare_outcomes
        >>> right = {"a": 8 * [1] + 2 * [0], "b": 7 * [1] + 3 * [0], "c": 10 * [0]}
        >>> comparison = compare_outcomes({k: 12 * v for k, v in right.items()})
        >>> comparison.may_be_best()
        array([ True, False, False])
        """
        return self.joint.tests.may_be_best(check_interval_level(level))

    def rank_interval(
        self, level: float = 0.95, *, joint: bool = True
    ) -> tuple[Indices, Indices]:
        """Return the ranks that each classifier may have.

        Parameters
        ----------
        level : float in (0, 1), default=0.95
            Share of test sets in which the intervals are to contain the true ranks.
        joint : bool, default=True
            Whether the intervals of all classifiers hold at once. Otherwise, each holds
            by itself, for a classifier that was chosen before the test.

        Returns
        -------
        low, high : arrays of int of shape (T,)
            Best and worst rank. Rank 1 is the best; equally good classifiers have all
            ranks that they share.

        See Also
        --------
        rank_probabilities : The probability of each rank.

        Notes
        -----
        The intervals have the coverage `level` about, whatever the true values
        [1]_. Ranks of posterior draws do not: of equally good classifiers, they exclude
        ranks that all of them have. If the normal quantile of :meth:`prob_greater` is
        above a critical value, a pair is taken as surely ordered. The critical value is
        the quantile of the largest of the normal errors of all pairs, which depend on
        each other as the outcomes of the same samples do. Pairs that are sure are left
        out, and the rest is tested again [2]_. Classifiers with equal predictions count
        as one.

        For :meth:`may_be_best` and without `joint`, the largest error is that of the
        differences from one classifier.

        References
        ----------
        .. [1] M. Mogstad, J. P. Romano, A. M. Shaikh and D. Wilhelm (2024). Inference
           for ranks with applications to mobility across neighbourhoods and academic
           achievement across countries. Review of Economic Studies 91, 476-518.
        .. [2] J. P. Romano and M. Wolf (2005). Stepwise multiple testing as formalized
           data snooping. Econometrica 73, 1237-1282.

        Examples
        --------
        >>> from skpostbac import compare_outcomes
        >>> right = {"a": 8 * [1] + 2 * [0], "b": 7 * [1] + 3 * [0], "c": 10 * [0]}
        >>> comparison = compare_outcomes({k: 3 * v for k, v in right.items()})
        >>> low, high = comparison.rank_interval()
        >>> low, high
        (array([1, 1, 3]), array([2, 2, 3]))
        """
        return self.joint.tests.ranks(check_interval_level(level), joint=joint)

    def expected_rank(self) -> Floats:
        """Return the expected rank of each classifier, from 1 (best) to T."""
        return self.joint.rank_probabilities @ np.arange(1.0, len(self.names) + 1)

    def expected_loss(self) -> Floats:
        """Return the expected loss in the metric of choosing each classifier.

        Returns
        -------
        array of shape (T,)
            ``E[max_j lambda_j - lambda_i]`` for classifier i: the expected shortfall
            from the best classifier. Never negative, and small if the classifier is the
            best or nearly so.
        """
        return self.joint.expected_loss.copy()

    def monte_carlo_error(self) -> MonteCarloError:
        """Return the Monte Carlo standard errors of probabilities, ranks and losses.

        Returns
        -------
        rank_probabilities : array of shape (T, T)
        expected_rank, expected_loss : array of shape (T,)
        prob_greater : array of shape (T, T)
            Standard errors of the methods with these names; the first column of
            ``rank_probabilities`` applies to :meth:`prob_best`. They are zero for exact
            results. Where differences of the means are exact, all losses have the same
            error.
        """
        return MonteCarloError(*self.joint.rank_errors, self.joint.pair_errors)

    def win_counts(self) -> Indices:
        """Return how many other classifiers each one beats by posterior mean.

        Returns
        -------
        array of int of shape (T,)
            Number of other classifiers for which the posterior mean of the difference
            is positive.

        Notes
        -----
        This is the ranking of [1]_, section 4.5. It sorts by posterior mean and ignores
        how certain a win is; see :meth:`rank_probabilities` and :meth:`expected_loss`
        for that.

        References
        ----------
        .. [1] H. Carrillo, K. H. Brodersen and J. A. Castellanos (2013). Probabilistic
           performance evaluation for multiclass classification using the posterior
           balanced accuracy. ROBOT2013: First Iberian Robotics Conference, 347-361.
        """
        means = np.array([one.mean() for one in self.posteriors])
        means = -means if self.less_is_better else means
        wins: Indices = np.sum(means[:, np.newaxis] > means, axis=1)
        return wins

    def ranking(self, objective: str = "mean", level: float = 0.95) -> tuple[str, ...]:
        """Return the names, best first.

        Parameters
        ----------
        objective : {"mean", "median", "mode", "lower", "upper", "prob_best", \
                "expected_rank", "expected_loss"}, default="mean"
            Sort key: a statistic of each posterior, or of its standing among all.
        level : float in (0, 1), default=0.95
            Probability of the bounds "lower" and "upper".

        Returns
        -------
        tuple of T str
            Names by decreasing objective, or by increasing expected rank or loss; ties
            keep the given order.

        Examples
        --------
        One is likely to be better, the other more certain to be good.

        >>> from skpostbac import PosteriorBalancedAccuracy, compare_posteriors
        >>> few = PosteriorBalancedAccuracy.from_counts([8, 10], [10, 10])
        >>> many = PosteriorBalancedAccuracy.from_counts([84, 84], [100, 100])
        >>> comparison = compare_posteriors({"few": few, "many": many})
        >>> comparison.ranking("prob_best"), comparison.ranking("lower")
        (('few', 'many'), ('many', 'few'))
        """
        return tuple(self.names[index] for index in self._order(objective, level))

    def summary(self, level: float = 0.95) -> list[dict[str, Any]]:
        """Return one record for each classifier, in the order of :meth:`ranking`.

        Parameters
        ----------
        level : float in (0, 1), default=0.95
            Probability of the credible intervals.

        Returns
        -------
        list of T dict
            With the keys "name", "mean", "median", "standard_deviation", "low", "high"
            (credible interval), "level", "prob_best", "expected_rank", "expected_loss"
            and "wins"; "may_be_best", "rank_low" and "rank_high" at this level, from
            :meth:`may_be_best` and :meth:`rank_interval`; and the standard errors of
            random draws, 0 if there are none:
            "monte_carlo_error" (of the mean), "low_error", "high_error" and
            "prob_best_error". What is infinite is None, as in JSON. Pass it to
            ``pandas.DataFrame`` or ``polars.DataFrame``.
        """
        return [finite_or_none(one) for one in self._records(level)]

    def _records(self, level: float) -> list[dict[str, Any]]:
        """Return the records of the summary, with numbers that are not finite."""
        low, high = self.rank_interval(level)
        columns = {
            "may_be_best": self.may_be_best(level).tolist(),
            "rank_low": low.tolist(),
            "rank_high": high.tolist(),
            "prob_best": self.prob_best().tolist(),
            "prob_best_error": self.joint.rank_errors[0][:, 0].tolist(),
            "expected_rank": self.expected_rank().tolist(),
            "expected_loss": self.expected_loss().tolist(),
            "wins": self.win_counts().tolist(),
        }
        return [
            {
                "name": self.names[index],
                **_figures(self.posteriors[index].distribution, level),
                **{key: values[index] for key, values in columns.items()},
            }
            for index in self._order()
        ]

    def table(
        self, kind: str = "prob_greater", *, level: float = 0.95
    ) -> dict[str, Any]:
        """Return results for all pairs or all ranks as a dict of columns.

        Parameters
        ----------
        kind : {"prob_greater", "rank_probabilities", "differences"}, \
                default="prob_greater"
            One of these matrices, with the names of the classifiers in the first
            column; or "differences", one row per pair in the order of :meth:`ranking`,
            the better one first.
        level : float, default=0.95
            Probability of the credible intervals of differences, in (0, 1).

        Returns
        -------
        columns : dict of str to list
            "name" and one column per classifier or per rank ("rank 1", ...). For
            "differences": "first", "second"; "mean", "median", "standard_deviation",
            "low", "high" and "level" of first minus second, with the standard errors
            "monte_carlo_error", "low_error" and "high_error"; "prob_greater" and
            "prob_greater_error"; and "below", "within" and "above" from
            :meth:`rope_masses`. Pass it to ``pandas.DataFrame`` or
            ``polars.DataFrame``.

        Raises
        ------
        ValueError
            If `kind` or `level` is invalid, or if a classifier is called "name" like
            the first column.

        Examples
        --------
        >>> from skpostbac import PosteriorComparison
        >>> from skpostbac.metrics import PairedCounts
        >>> counts = PairedCounts.from_cells(
        ...     [[27, 3, 5, 5], [12, 0, 4, 4]], names=("old", "new")
        ... )
        >>> comparison = PosteriorComparison.from_paired_counts(counts)
        >>> for name, column in comparison.table().items():
        ...     print(name, column)
        name ['old', 'new']
        old [0.5, 0.9806]
        new [0.0194, 0.5]
        >>> comparison.table("differences")["first"]
        ['new']
        """
        check_choice(
            kind, ("prob_greater", "rank_probabilities", "differences"), "kind"
        )
        check_level(level)
        if kind == "differences":
            rows = []
            pairs = list(combinations(self.ranking(), 2))
            for first, second in progress(pairs, len(pairs), "describing differences"):
                difference = self.difference(first, second)
                above = float(difference.ccdf(0.0))
                masses = self.rope_masses(first, second)
                draws = getattr(difference, "draws", None)
                error = (
                    0.0
                    if draws is None
                    else float(probability_errors(above, len(draws)))
                )
                row = {
                    "first": first,
                    "second": second,
                    **_figures(difference, level),
                    "prob_greater": above,
                    "prob_greater_error": error,
                    **masses._asdict(),
                }
                rows.append(row)
            return {key: [row[key] for row in rows] for key in rows[0]}
        if kind == "prob_greater":
            columns = self.names
            matrix = self.prob_greater()
        else:
            columns = tuple(f"rank {rank}" for rank in range(1, len(self.names) + 1))
            matrix = self.rank_probabilities()
        if "name" in columns:
            raise ValueError(
                "names must not contain 'name', the name of the first column"
            )
        return {
            "name": list(self.names),
            **dict(zip(columns, matrix.T.tolist(), strict=True)),
        }

    def report(self, level: float = 0.95) -> str:
        """Return a text report on the comparison.

        Parameters
        ----------
        level : float in (0, 1), default=0.95
            Probability of the credible intervals.

        Returns
        -------
        text : str
            One line per classifier, best first, then notes on the comparison, the score
            and its scope, and, where they matter, on the prior and the precision of
            random draws.

        Examples
        --------
        >>> from skpostbac import PosteriorComparison
        >>> from skpostbac.metrics import PairedCounts
        >>> counts = PairedCounts.from_cells(
        ...     [[27, 3, 5, 5], [12, 0, 4, 4]], names=("old", "new")
        ... )
        >>> print(PosteriorComparison.from_paired_counts(counts).report())
        new has the highest estimated balanced accuracy among 2 classifiers, 0.789 (95%
        credible interval 0.673 to 0.890); it is the best with probability 0.981.
        old has 0.670 (95% credible interval 0.543 to 0.790). new is better than old
        with probability 0.981 (difference 0.120, 95% credible interval 0.004 to 0.244).
        Paired comparison: all classifiers were tested on the same 60 samples, and the
        comparison accounts for their agreement on individual samples.
        With so few samples, probabilities above 0.95 are too high if real differences
        are small (in simulations, 0.98 stated and 0.93 true).
        The balanced accuracy is the recall averaged over the classes; its chance level
        is 0.500.
        These results apply to the fitted classifiers; variation from retraining is not
        included.
        """
        sentences, notes = report_parts(self, level)
        return paragraphs(*sentences, *notes)

    def plot(self, ax: Axes | None = None, **plot_params: Any) -> ComparisonPlot:
        """Draw the comparison.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw into. Defaults to those of a new figure.
        **plot_params
            As for :meth:`ComparisonPlot.plot <skpostbac.displays.ComparisonPlot.plot>`:
            ``kind`` is "decision" (the default), "difference", which alone shows the
            rope, "matrix" or "ranks".

        Returns
        -------
        display : ComparisonPlot
            Display with the axes `ax_` and the artists `artists_`.

        Raises
        ------
        ImportError
            If matplotlib is not installed.

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from skpostbac import PosteriorComparison
        >>> from skpostbac.metrics import PairedCounts
        >>> counts = PairedCounts.from_cells(
        ...     [[27, 3, 5, 5], [12, 0, 4, 4]], names=("old", "new")
        ... )
        >>> display = PosteriorComparison.from_paired_counts(counts).plot(
        ...     kind="difference"
        ... )
        >>> display.ax_.get_ylabel()
        'Probability density'
        >>> plt.close(display.figure_)
        """
        return ComparisonPlot(self).plot(ax, **plot_params)

    @property
    def explanation(self) -> str:
        """Text explaining what was compared, paired or independent."""
        return self.joint.explanation

    def _pair(self, a: str | None, b: str | None) -> tuple[int, int]:
        i = position_of(a, self.names, "a")
        j = position_of(b, self.names, "b")
        if i == j:
            raise ValueError(f"a and b must be different, got {a!r} twice")
        return i, j

    def _describe_leaders(self, level: float) -> str:
        """Return who has the best score, as part of a sentence."""
        order = self._order()
        first = self.posteriors[order[0]]
        means = [one.mean() for one in self.posteriors]
        tied = [self.names[i] for i in order if means[i] == first.mean()]
        which = "lowest" if self.less_is_better else "highest"
        score = (
            f"the {which} estimated {first._name} among {len(order)} {first._tested}s, "
            f"{first._describe(level)}"
        )
        if len(tied) == 1:
            return f"{tied[0]} has {score}"
        ahead = "neither is ahead" if len(tied) == 2 else "none is ahead"
        leaders = join_first(tied, _SHOWN_NAMES)
        if len(tied) <= _SHOWN_NAMES:
            leaders = f"{', '.join(tied[:-1])} and {tied[-1]}"
        return f"{leaders} share {score}: {ahead}"

    def _order(self, objective: str = "mean", level: float = 0.95) -> list[int]:
        check_objective(objective, level, (*OBJECTIVES, *_JOINT_OBJECTIVES))
        if objective in _JOINT_OBJECTIVES:
            values = _JOINT_OBJECTIVES[objective](self)
        else:
            statistic = OBJECTIVES[objective]
            values = np.array([statistic(one, level) for one in self.posteriors])
            values = -values if self.less_is_better else values
        order: list[int] = np.argsort(-values, kind="stable").tolist()
        return order


def format_ranks(low: int, high: int) -> str:
    """Format the ranks that a classifier may have, which may be a single one.

    Examples
    --------
    >>> format_ranks(1, 3), format_ranks(2, 2)
    ('1 to 3', '2')
    """
    return f"{low}" if low == high else f"{low} to {high}"


def _middle(figures: Mapping[str, float]) -> tuple[str, float]:
    """Return the mean, or the median if the standard deviation is infinite."""
    if np.isfinite(figures["standard_deviation"]):
        return "", figures["mean"]
    return "median ", figures["median"]


def report_parts(
    comparison: PosteriorComparison, level: float
) -> tuple[list[str], list[str]]:
    """Return one line per classifier, best first, and notes on the comparison."""
    best, *others = records = comparison._records(level)
    first = comparison.posteriors[0]
    posteriors = dict(zip(comparison.names, comparison.posteriors, strict=True))
    tested = first._tested
    introduction = comparison._describe_leaders(level)
    if best["mean"] != others[0]["mean"]:
        probability = format_probability(best["prob_best"])
        introduction += f"; it is the best with probability {probability}"
    lines = [f"{introduction}."]
    are_several = len(records) > 2
    percent = f"{100 * float(level):.12g}%"
    if are_several:
        named = [one["name"] for one in records if one["may_be_best"]]
        lines[0] += (
            f" {len(named)} of {len(records)} may be the best "
            f"({percent}): {join_first(named, _SHOWN_NAMES)}. "
            f"The {percent} interval of the rank of {best['name']} is "
            f"{format_ranks(best['rank_low'], best['rank_high'])}."
        )
    leader = best["name"]
    rope = comparison.rope
    differences = []
    for other in others[: _SHOWN_NAMES - 1]:
        name = other["name"]
        distribution = comparison.difference(leader, name)
        differences.append(figures := _figures(distribution, level))
        middle_name, middle = _middle(figures)
        shown, low, high = round_estimate(
            middle, Interval(figures["low"], figures["high"])
        )
        below, within, above = map(
            format_probability, comparison.rope_masses(leader, name)
        )
        how = f"with probability {above}"
        if rope > 0:
            how = (
                f"by more than {rope:g} with probability {above}, practically "
                f"equivalent (within {rope:g}) with probability {within} and worse by "
                f"more than {rope:g} with probability {below}"
            )
        estimate = posteriors[name]._describe(level)
        ends = format_ranks(other["rank_low"], other["rank_high"])
        ranks = f", and a rank of {ends}"
        lines.append(
            f"{name} has {estimate}{ranks * are_several}. "
            f"{leader} is better than {name} {how} ({middle_name}difference {shown}, "
            f"{percent} credible interval {low} to {high})."
        )
    if len(records) > _SHOWN_NAMES:
        lines.append(f"Showing the top {_SHOWN_NAMES} of {len(records)} {tested}s.")
    joint = comparison.joint
    second = others[0]["name"]
    notes = [comparison.explanation]
    if are_several:
        notes += _describe_choice(records, tested, percent)
    notes += joint.notes(*comparison._pair(leader, second), comparison.names)
    notes += _describe_score(first)
    if joint.correction:
        notes.append(
            "This compares algorithms: models refitted on data sets of this size, not "
            "only those that were tested."
        )
        notes.append(joint.correction)
    elif tested == "system":
        notes.append("These results apply to the systems as they were tested.")
    else:
        notes.append(
            "These results apply to the fitted classifiers; variation from retraining "
            "is not included."
        )
    if isinstance(first, PosteriorBalancedAccuracy):
        evidence = [one._evidence() for one in comparison.posteriors]
        notes += [*coverage_notes(evidence), *untested_notes(evidence)]
    is_drawn = isinstance(comparison.difference(leader, second), DrawnDistribution)
    notes += _describe_precision(records, differences if is_drawn else [])
    return lines, notes


def _describe_choice(
    records: Sequence[dict[str, Any]], tested: str, percent: str
) -> list[str]:
    """Return what can be said of the best of several, and of all ranks."""
    selected = (
        "The best score was selected as such, so it tends to be better than the true "
        "one."
    )
    promise = (
        f"A {tested} may be the best if no other surely beats it. In about {percent} "
        "of test sets, the truly best one is among these (of several equal ones not "
        "always all), and in as many all ranks hold at once."
    )
    if any(one["rank_low"] == 1 and not one["may_be_best"] for one in records):
        promise += (
            " That takes stronger evidence: a rank from 1 does not mean that one may "
            "be the best."
        )
    return [selected, promise]


def _describe_score(posterior: Any) -> list[str]:
    """Return a sentence on the scores, unless their name says it."""
    if not isinstance(posterior, PosteriorBalancedAccuracy):
        if posterior._unit == "item":
            return ["The accuracy is the share of items that are right."]
        return ["Lower scores are better."] if posterior._less_is_better else []
    if len(posterior._averaged) == 1:
        (label,) = label_list(posterior.counts.classes[posterior._averaged])
        return [
            f"Scores are recalls of class {label_repr(label)}, not balanced accuracies."
        ]
    chance = f"its chance level is {posterior.chance:.3f}"
    return [f"The balanced accuracy is the recall averaged over the classes; {chance}."]


def _describe_precision(
    records: Sequence[dict[str, Any]], drawn_differences: Sequence[dict[str, float]]
) -> list[str]:
    """Return a sentence on the errors of random draws if they could show.

    Differences are given if they are drawn; then means and ends of intervals are drawn,
    too.
    """
    of_probabilities = max(record["prob_best_error"] for record in records)
    if not drawn_differences:
        sentence = (
            "Probabilities of being the best are estimated from random draws, with a "
            f"standard error of up to about {of_probabilities:.1g}."
        )
        return [sentence] if is_shown(of_probabilities) else []
    rows = (*records, *drawn_differences)
    # Where it is infinite, the median is shown.
    of_means = max(
        (row["monte_carlo_error"] for row in rows if row["monte_carlo_error"] < np.inf),
        default=0.0,
    )
    of_ends = max(row[key] for row in rows for key in ("low_error", "high_error"))
    width = min(row["high"] - row["low"] for row in rows)
    sentence = (
        "These numbers are estimated from random draws, with standard errors of up to "
        f"about {of_probabilities:.1g} (probabilities), {of_means:.1g} (means) and "
        f"{of_ends:.1g} (ends of intervals)."
    )
    errors = of_probabilities, of_means, of_ends
    return [sentence] if any(is_shown(error, width) for error in errors) else []


def _figures(distribution: Distribution, level: float) -> dict[str, float]:
    """Return the figures of a distribution and their Monte Carlo errors."""
    figures = figures_of(distribution, level)
    errors = dict.fromkeys(("monte_carlo_error", "low_error", "high_error"), 0.0)
    if isinstance(distribution, DrawnDistribution):
        errors = errors_of(distribution, level)
    return {**figures, **errors}


def compare_posteriors(
    posteriors: Mapping[str, ScalarPosterior], *, rope: float = 0.0
) -> PosteriorComparison:
    r"""Compare classifiers that were tested on independent test sets.

    For each pair, the posterior of :math:`\delta = \lambda_j - \lambda_i`, the
    difference of their balanced accuracies ([1]_, eq. 14), is computed without random
    draws, as it is for accuracies. Differences of other metrics are estimated from
    100,000 random draws with a fixed seed.

    Parameters
    ----------
    posteriors : mapping of str to posterior
        Posteriors of one metric of T >= 2 classifiers, by name, such as
        :class:`PosteriorBalancedAccuracy`, :class:`PosteriorAccuracy`,
        :class:`PosteriorConfusionMetric` or
        :class:`~skpostbac.metrics.PosteriorRankingMetric`. Balanced accuracies must
        have the same classes, in any order, and the same class weights; priors may
        differ.
    rope : float, default=0.0
        Half-width of the region of practical equivalence, in units of the metric, at
        least 0; below 1 for accuracies.

    Returns
    -------
    PosteriorComparison
        Pairwise probabilities, differences, ranks and losses.

    Raises
    ------
    TypeError
        If `posteriors` is not a mapping from strings to posteriors.
    ValueError
        If there are fewer than two, if they are of different metrics, classes or class
        weights, or if `rope` is invalid.

    Notes
    -----
    The posteriors are treated as independent, which requires that no two classifiers
    were tested on the same samples. On the same test set, good classifiers make mostly
    the same errors, so their difference is more certain than it appears here: use
    :func:`~skpostbac.compare_predictions`.

    Classes are matched by label: the number 1 and the string "1" are different classes.
    :func:`~skpostbac.pooled_posteriors` returns labels as strings unless you pass
    `labels`.

    References
    ----------
    .. [1] H. Carrillo, K. H. Brodersen and J. A. Castellanos (2013). Probabilistic
       performance evaluation for multiclass classification using the posterior balanced
       accuracy. ROBOT2013: First Iberian Robotics Conference, 347-361.

    Examples
    --------
    >>> from skpostbac import PosteriorBalancedAccuracy, compare_posteriors
    >>> total = [32, 10, 4]
    >>> comparison = compare_posteriors(
    ...     {
    ...         "C1": PosteriorBalancedAccuracy.from_counts([30, 8, 3], total),
    ...         "C2": PosteriorBalancedAccuracy.from_counts([30, 2, 1], total),
    ...         "C3": PosteriorBalancedAccuracy.from_counts([32, 9, 4], total),
    ...     }
    ... )
    >>> comparison.ranking()
    ('C3', 'C1', 'C2')
    >>> comparison.prob_best().round(6)
    array([9.00290e-02, 1.20000e-05, 9.09959e-01])
    >>> low, high = comparison.difference_interval("C3", "C1")
    >>> print(f"{low:.4f} {high:.4f}")
    -0.0619 0.3223
    """
    if not isinstance(posteriors, Mapping):
        raise TypeError(
            'posteriors must be a mapping such as {"A": a, "B": b}, got '
            f"{type(posteriors).__name__}"
        )
    names = tuple(posteriors)
    with input_errors("posteriors"):
        if names:
            check_names(names)
    check_several(len(names), "posteriors")
    _check_same_score(names, tuple(posteriors.values()))
    joint = independent_joint(tuple(posteriors.values()))
    return PosteriorComparison(names, joint, rope=rope)


def compare_predictions(
    y_true: ArrayLike,
    predictions: Predictions,
    *,
    metric: Metric = "balanced_accuracy",
    pos_label: Hashable = None,
    average: str | None = None,
    prevalence: ArrayLike = "sampled",
    rope: float = 0.0,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = None,
    groups: ArrayLike | None = None,
    class_weight: ClassWeightLike = None,
    prior: PriorLike = DEFAULT_PRIOR,
    n_draws: int = N_JOINT_DRAWS,
    random_state: RandomStateLike = 0,
    n_jobs: int | None = None,
) -> PosteriorComparison:
    r"""Compare classifiers that were tested on the same samples.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels, in any format that scikit-learn accepts.
    predictions : mapping of str to array-like of shape (n_samples,), or DataFrame
        Predicted labels of T >= 2 classifiers for the same samples, by name; a pandas
        or polars DataFrame has one column per classifier.
    metric : str, callable, ExpectedCost or NetBenefit, default="balanced_accuracy"
        What is compared: "balanced_accuracy", "accuracy", or any other metric of
        :func:`posterior_confusion_metric`, such as "f1", "mcc", an
        :class:`~skpostbac.metrics.ExpectedCost` or a function of confusion matrices.
        For costs, false positive rates and negative likelihood ratios, lower is better.
    pos_label, average, prevalence
        As for :func:`posterior_confusion_metric`, where the metric has them.
    rope : float, default=0.0
        Half-width of the region of practical equivalence, in units of the metric, at
        least 0; below 1 for accuracies.
    labels : array-like of shape (n_classes,), default=None
        Classes to average over, or of the confusion matrices, by default those in
        `y_true`; scikit-learn's F1 and precision have those predicted, too. Any other
        prediction is an error of its true class. A class that is absent from `y_true`
        keeps its prior; samples whose true class is not listed are ignored.
    sample_weight : array-like of shape (n_samples,), default=None
        Finite, non-negative weights. By default they are case counts, so their scale
        matters: a weight of 2 counts the sample twice and narrows the posterior.
    weight_type : {"case", "importance"}, default=None
        Meaning of the weights: case counts, or importance (survey, inverse-probability)
        weights, whose scale does not matter. None means "case", with a warning if the
        weights are not whole numbers.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as a patient, a site or a document. Samples of
        the same group are treated as correlated and count for less; see :ref:`groups`.
        Each score and each difference has its own design effects.
    class_weight : dict or array-like of shape (n_classes,), default=None
        Weights of the classes in the balanced accuracy, normalised to sum to 1.
    prior : str, pair of floats or array-like, default="calibrated"
        Prior of the accuracy of each classifier on each class, as for
        :class:`PosteriorBalancedAccuracy` and :func:`posterior_confusion_metric`. For
        "accuracy" it is the prior of the accuracy itself, and "calibrated" is
        Beta(1, 1).
    n_draws : int, default=100_000
        Number of random draws, at most 1e9, for ranks and losses of more than two
        classifiers, and for all results of metrics other than the accuracies. There are
        fewer for more than 41 classifiers, but at least 10,000 unless `n_draws` is
        less; and fewer, but at least 2,000, where there are many different combinations
        of labels, such as with ten classes.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the draws, read once, so the result then stays the same. Results are
        reproducible by default; None stands for fresh entropy.
    n_jobs : int, default=None
        Number of jobs of :class:`joblib.Parallel` that draw the ranks of accuracies;
        the result does not depend on it.

    Returns
    -------
    PosteriorComparison
        Pairwise probabilities, differences, ranks and losses.

    Raises
    ------
    TypeError, ValueError
        If there are fewer than two classifiers; if `rope`, `n_draws` or `random_state`
        is invalid; if `class_weight`, `pos_label`, `average` or `prevalence` does not
        apply to the metric; if an explicit prior gives one of the four outcomes of a
        pair less than 1e-6; or as listed in :func:`~skpostbac.metrics.paired_counts`,
        :class:`PosteriorBalancedAccuracy` and :func:`posterior_confusion_metric`.

    Warns
    -----
    StrayLabelWarning
        For each classifier with predictions that are none of the classes.
    PriorInfluenceWarning
        If 95 % intervals under this prior would often miss the true value in similar
        test sets, or if a class has no samples.
    GroupsWarning
        If the correlation within groups is poorly known, or if groups span several
        classes.
    SampleWeightWarning
        If weights are not whole numbers and `weight_type` is None.

    See Also
    --------
    compare_posteriors : Classifiers that were tested on different samples.
    skpostbac.metrics.paired_counts : Counts of pairs; those of batches can be added.

    Notes
    -----
    For accuracies, a sample of a class shows one of :math:`2^T` patterns of which
    classifiers are right; for "accuracy", all samples are of one class. Their
    probabilities have a Dirichlet prior. Each classifier's accuracy then has exactly
    the posterior that it has alone, and each pair a Dirichlet posterior over the four
    cells both right, only the first, only the second, neither. The distribution of the
    difference is exact.

    By default, all prior mass of a pair is on disagreement, :math:`(0, 1/l, 1/l, 0)`
    for l classes, so that few disagreements leave the difference as uncertain as it is.
    As for a classifier alone, the parameters of a class of n samples are multiplied by
    :math:`1 - \min(n, 1.5 - 2/l) / (n + 2/l)`, which takes the strength of up to 1.5
    observations away and leaves the mean as it is. Of T > 2 classifiers, no sample can
    have all pairs disagree: ranks and losses use patterns with half of the classifiers
    right, of which two disagree with probability :math:`T / (2 (T - 1))` for even T and
    :math:`(T + 1) / (2 T)` for odd T, the most that is possible. So they may differ
    slightly from the probabilities of pairs.

    With an explicit prior (a, b), and with "uniform", "jeffreys", "neutral" or
    "reciprocal", the patterns have the mass :math:`a + b`, as if the classifiers were
    right independently of each other with probability :math:`a / (a + b)`. A pair then
    has the prior :math:`(a^2, ab, ab, b^2) / (a + b)`, whatever other
    classifiers there are.

    For T > 2 the patterns are drawn jointly. The prior part of a draw is exact for each
    classifier and in all moments up to the third; the error in fourth moments is far
    below the Monte Carlo error. If more than 1,024 patterns occur in a class, only
    those are drawn one by one in which two classifiers differ that differ on fewer than
    1,000 samples; sums over the others are drawn as normal variables, which moves the
    probability of a pair by about 0.0001 at most.

    For any other metric, the cells of true class and all predictions have a Dirichlet
    prior, of which each classifier has the posterior of
    :func:`posterior_confusion_metric` (without groups and importance weights, exactly).
    The prior of a class is on disagreement as far as it can be: of two classifiers with
    a = b one is right and the other predicts any other class. Pairs are drawn by
    themselves, and ranks of more than two classifiers jointly. All numbers are
    estimated from random draws and have standard errors, in
    :meth:`PosteriorComparison.table`, :meth:`PosteriorComparison.summary` and
    :meth:`PosteriorComparison.monte_carlo_error`. With groups or importance weights,
    the cells of a pair are divided by the design effects of the difference, found by
    linearising the metric.

    The posterior describes the predictions that were made; it does not include the
    variation between training sets.

    Examples
    --------
    Two classifiers that agree on most samples; the second is right on three more.

    >>> from skpostbac import (
    ...     compare_posteriors,
    ...     compare_predictions,
    ...     posterior_balanced_accuracy,
    ... )
    >>> y_true = ["a"] * 20 + ["b"] * 20
    >>> one = ["a"] * 14 + ["b"] * 20 + ["a"] * 6
    >>> two = ["a"] * 16 + ["b"] * 19 + ["a"] * 5
    >>> comparison = compare_predictions(y_true, {"one": one, "two": two})
    >>> comparison.prob_greater().round(3)
    array([[0.5  , 0.063],
           [0.937, 0.5  ]])
    >>> comparison.difference_interval("two", "one")
    Interval(low=-0.025, high=0.182)

    Any metric can be compared:

    >>> f1 = compare_predictions(
    ...     y_true, {"one": one, "two": two}, metric="f1", pos_label="a"
    ... )
    >>> (
    ...     f1.difference("two", "one").mean(),
    ...     f1.difference("two", "one").monte_carlo_error(),
    ... )
    (0.0777, 0.00018)

    If they had been tested on different samples, the same result would be far less
    certain:

    >>> posteriors = {
    ...     name: posterior_balanced_accuracy(y_true, y_pred)
    ...     for name, y_pred in {"one": one, "two": two}.items()
    ... }
    >>> compare_posteriors(posteriors).prob_greater().round(3)
    array([[0.5  , 0.228],
           [0.772, 0.5  ]])
    """
    options: dict[str, Any] = {
        "labels": labels,
        "sample_weight": sample_weight,
        "weight_type": weight_type,
        "groups": groups,
    }
    drawing: dict[str, Any] = {
        "n_draws": n_draws,
        "random_state": random_state,
        "n_jobs": n_jobs,
    }
    target: dict[str, Any] = {
        "pos_label": pos_label,
        "average": average,
        "prevalence": prevalence,
    }
    if _follows_from_outcomes(metric, target):
        counts = paired_counts(y_true, predictions, **options)
        classes = counts.classes
        check_several(len(counts.names), "predictions")
        comparison = PosteriorComparison.from_paired_counts(
            counts,
            metric=metric,  # type: ignore[arg-type]
            rope=rope,
            class_weight=class_weight,
            prior=prior,
            **drawing,
        )
        if groups is None:
            warn_of_repeated_ids(y_true)
        else:
            effects = comparison.design_effects(*counts.names[:2])
            warn_of_groups(effects, comparison.joint.effect_labels)
    else:
        if class_weight is not None:
            raise ValueError("class_weight applies to metric='balanced_accuracy' only")
        columns = named_predictions(predictions)
        check_several(len(columns), "predictions")
        joint, classes = _confusion_joint(
            y_true, columns, metric, prior=prior, **target, **options, **drawing
        )
        comparison = PosteriorComparison(tuple(columns), joint, rope=rope)
    warn_of_prior(*comparison.joint.evidence())
    given = by_argument(predictions, comparison.names)
    outcomes = read_outcomes(y_true, given, sample_weight, "case")
    warn_of_strays(outcomes, classes)
    return comparison


def _follows_from_outcomes(metric: Metric, target: dict[str, Any]) -> bool:
    """Return whether it suffices to know which predictions are correct.

    Raises
    ------
    ValueError
        If `metric` is an accuracy, and an argument in `target` does not apply to it.
    """
    if not isinstance(metric, str) or metric not in ("balanced_accuracy", "accuracy"):
        return False
    prevalence = target["prevalence"]
    is_sampled = isinstance(prevalence, str) and prevalence == "sampled"
    if metric == "accuracy" and not is_sampled:
        return False
    for argument, value in (
        target | {"prevalence": None if is_sampled else prevalence}
    ).items():
        if value is not None:
            raise ValueError(
                f"{argument}={value!r} does not apply to metric={metric!r}"
            )
    return True


def _confusion_joint(
    y_true: ArrayLike,
    predictions: Mapping[str, ArrayLike],
    metric: Metric,
    *,
    n_draws: int,
    random_state: RandomStateLike,
    n_jobs: int | None,
    prior: PriorLike,
    pos_label: Hashable,
    average: str | None,
    prevalence: ArrayLike,
    **options: Any,
) -> tuple[Joint, LabelArray]:
    """Return the joint distribution of a metric of the confusion matrix, and classes.

    The arguments are those of :func:`compare_predictions`.
    """
    drawing: dict[str, Any] = {
        "n_draws": check_n_draws(n_draws, 2),
        "seed": draw_seed(random_state),
        "n_jobs": n_jobs,
    }
    confusion, posteriors = confuse_jointly(
        y_true,
        by_argument(predictions, tuple(predictions)),
        metric,
        pos_label=pos_label,
        average=average,
        prevalence=prevalence,
        prior=prior,
        n_draws=n_draws,
        random_state=random_state,
        **options,
    )
    recall_sum = confusion.target.recall_sum
    if recall_sum is None:
        joint: Joint = ConfusionJoint(
            posteriors=tuple(posteriors), confusion=confusion, **drawing
        )
        return joint, confusion.classes
    counts = paired_counts(
        y_true, predictions, **options | {"labels": confusion.classes}
    )
    margins = [
        PosteriorBalancedAccuracy(one, prior=prior) for one in margins_of(counts)
    ]
    # The balanced accuracy has more to say than any metric.
    shown = margins if recall_sum == MEAN_RECALL else posteriors
    joint = outcome_joint(
        counts, margins, recall_sum=recall_sum, posteriors=shown, **drawing
    )
    return joint, confusion.classes


def check_several(n_classifiers: int, argument: str) -> None:
    if n_classifiers < 2:
        raise ValueError(
            f"{argument} must hold at least two to compare, got {n_classifiers}"
        )


def _check_same_score(names: tuple[str, ...], posteriors: tuple[Any, ...]) -> None:
    """Raise if the posteriors are of different quantities."""
    for name, posterior in zip(names, posteriors, strict=True):
        if not isinstance(posterior, ScalarPosterior):
            raise TypeError(
                f"posteriors[{name!r}] must be the posterior of a metric, "
                f"got {type(posterior).__name__}"
            )
    if all(
        isinstance(posterior, PosteriorBalancedAccuracy) for posterior in posteriors
    ):
        _check_same_classes(names, posteriors)
        return
    metrics = [posterior.score_name for posterior in posteriors]
    for name, metric in zip(names, metrics, strict=True):
        if metric != metrics[0]:
            raise ValueError(
                f"posteriors must be of one metric, got {metrics[0]!r} for "
                f"{names[0]!r} and {metric!r} for {name!r}"
            )


def _check_same_classes(names: tuple[str, ...], posteriors: tuple[Any, ...]) -> None:
    """Raise if balanced accuracies differ in classes or weights."""
    weights = []
    for posterior in posteriors:
        labels = label_list(posterior.counts.classes)
        weights.append(dict(zip(labels, posterior.class_weight.tolist(), strict=True)))
    first = weights[0]
    for name, other in zip(names, weights, strict=True):
        surplus = {
            names[0]: [label for label in first if label not in other],
            name: [label for label in other if label not in first],
        }
        if any(surplus.values()):
            described = [
                f"only {one!r} has {reprlib.repr(own)}"
                if own
                else f"{one!r} has no other"
                for one, own in surplus.items()
            ]
            raise ValueError(
                f"posteriors must be of the same classes: {', '.join(described)}"
            )
        for label, weight in first.items():
            # The classes may be in another order, and sums of weights rounded
            # otherwise.
            if not math.isclose(other[label], weight, rel_tol=1e-9):
                raise ValueError(
                    "posteriors must have the same class_weight: "
                    f"{reprlib.repr(label)} has {weight:g} of {names[0]!r}, and "
                    f"{other[label]:g} of {name!r}"
                )
