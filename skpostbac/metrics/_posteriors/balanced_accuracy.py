"""Posterior of the balanced accuracy, the average of the recalls of the classes."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import Floats, Indices, block, format_column, format_probability, more, table
from skpostbac.metrics._counts import (
    ClassCounts,
    Summable,
    counts_of_matrix,
    counts_of_numbers,
    describe_samples,
    format_count,
)
from skpostbac.metrics._dependence import (
    DesignEffects,
    describe_effective_size,
    group_notes,
    is_large,
    warn_of_groups,
    warn_of_repeated_ids,
)
from skpostbac.metrics._labels import WeightType, label_list, warn_if_foreign
from skpostbac.metrics._posteriors.base import (
    ProbAboveChance,
    ScalarPosterior,
    describe_chances,
    prob_above_chance,
)
from skpostbac.metrics._posteriors.binary_equivalent import PosteriorBinaryEquivalentAccuracy
from skpostbac.metrics._posteriors.influence import (
    PriorInfluence,
    coverage_notes,
    influence_of,
    untested_notes,
    warn_if_prior_dominates,
)
from skpostbac.metrics._priors import (
    DEFAULT_PRIOR,
    AverageDistribution,
    ClassWeightLike,
    ClassWeightSpec,
    Prior,
    PriorLike,
    PriorSpec,
    average_distribution,
    check_class_weight,
    check_counts,
    check_prior,
    check_sums,
    format_prior,
    resolve_class_weight,
    resolve_prior,
    shared_prior_average,
    spent_observations,
    widened,
)
from skpostbac.stats import BetaAverage, Hyperprior
from skpostbac.stats._distribution import describe, estimate_columns, figures_of

# Classes listed one by one in an HTML table.
_SHOWN_CLASSES = 20


class Recalls(dict[Hashable, AverageDistribution]):
    """Posterior of the recall of each class, by label: a dict with a view in notebooks.

    Examples
    --------
    >>> from skpostbac import PosteriorBalancedAccuracy
    >>> recalls = PosteriorBalancedAccuracy.from_counts([7, 2], [9, 3]).recalls()
    >>> {label: recall.mean() for label, recall in recalls.items()}
    {0: 0.75, 1: 0.625}
    """

    def _repr_html_(self) -> str:
        header, cells = estimate_columns(list(self.values())[:_SHOWN_CLASSES])
        rows = [(str(label), *row) for label, row in zip(self, cells, strict=False)]
        note = more(len(self), _SHOWN_CLASSES)
        return block(f"recalls of {len(self)} classes", table(("class", *header), rows, note=note))


@dataclass(frozen=True, init=False, eq=False, repr=False)
class PosteriorBalancedAccuracy(ScalarPosterior, Summable):
    r"""Posterior distribution of the balanced accuracy, given the counts of each class.

    The accuracy :math:`\theta_i` on class i has a Beta prior. After :math:`k_i` correct predictions
    out of :math:`n_i`, its posterior is :math:`\mathrm{Beta}(a_i + k_i, b_i + n_i - k_i)` ([2]_,
    eq. 8). The balanced accuracy is their mean :math:`\lambda = \sum_i w_i \theta_i`, with
    :math:`w_i = 1 / l` for each of the l classes unless weights are given (eq. 12), and its
    posterior is their convolution ([1]_; [2]_, eq. 13). It is computed without sampling.

    Use :func:`posterior_balanced_accuracy` to start from labels, and :meth:`from_counts` or
    :meth:`from_confusion_matrix` to start from a table.

    Parameters
    ----------
    counts : ClassCounts
        Correct predictions and samples of each class. With groups or importance weights, the counts
        are divided by their design effects first.
    prior : str, pair, array-like of shape (n_classes, 2) or Hyperprior, default="reciprocal"
        Prior of the recall of each class: "reciprocal" (a = b = 1 / n_classes), "uniform" (1),
        "jeffreys" (1/2), "neutral" (1/3), a pair ``(a, b)`` for all classes, or one pair for each.
        "reciprocal" gives each class the posterior mean of Beta(1 / n_classes, 1 / n_classes), and
        the strength of 1.5 - 2 / n_classes observations less than this prior and the samples have
        (see :ref:`priors`); an array of the same numbers is the plain prior.
        "uniform", the prior of the papers, pulls each class to 1/2, which does not average out over
        many classes. The total weight of "reciprocal" does not grow with the number of classes.
        "hierarchical" lets the classes borrow strength from one another; see
        :class:`~skpostbac.stats.Hyperprior`.
    class_weight : dict or array-like of shape (n_classes,), default=None
        Non-negative weights of the classes in the average, normalised to sum to 1. A dict must
        contain every class and may contain others. By default, all weights are equal.

    Attributes
    ----------
    counts : ClassCounts
        The counts, as given.
    prior : ndarray of shape (n_classes, 2) or Hyperprior
        Read-only parameters a and b of each class's prior, or the Hyperprior.
    class_weight : ndarray of shape (n_classes,)
        Read-only weights, which sum to 1.

    Raises
    ------
    ValueError
        If the prior or the class weights are invalid or do not fit the classes, or if the
        prior and the counts of a class add up to more than 1e15.

    See Also
    --------
    posterior_balanced_accuracy_score : Summary of the posterior as one number.

    Notes
    -----
    The summary also has "mode", "chance", "prob_above_chance", "prior_prob_above_chance" (the prior
    probability) and "bayes_factor_above_chance" (posterior odds divided by prior odds).

    ``p + q`` is the posterior given both sets of observations; the prior counts once. Both must
    have the same prior and class weights for every class, however these were given. Pooled
    cross-validation folds describe the predictions that were made; the posterior does not include
    the variation between training sets.

    References
    ----------
    .. [1] K. H. Brodersen, C. S. Ong, K. E. Stephan and J. M. Buhmann (2010). The balanced
       accuracy and its posterior distribution. Proceedings of the 20th International
       Conference on Pattern Recognition, 3121-3124.
    .. [2] H. Carrillo, K. H. Brodersen and J. A. Castellanos (2013). Probabilistic performance
       evaluation for multiclass classification using the posterior balanced accuracy.
       ROBOT2013: First Iberian Robotics Conference, 347-361.

    Examples
    --------
    >>> from skpostbac import PosteriorBalancedAccuracy
    >>> posterior = PosteriorBalancedAccuracy.from_counts([30, 8, 3], [32, 10, 4])
    >>> posterior
    PosteriorBalancedAccuracy(mean=0.808, 95% CI=[0.629, 0.950], n_classes=3, n=46)
    >>> posterior.prob_above(0.7)
    0.8900
    >>> print(posterior.report())
    The balanced accuracy is 0.808 (95% credible interval 0.629 to 0.950); 0.829 in the 46
    samples of 3 classes.
    The probability of beating chance (0.333) is > 0.999 (prior: 0.770).
    Class 2 has the lowest recall (3 of 4 correct): 0.700 (95% credible interval 0.284 to 0.997).

    Priors and weights can differ between classes. Here the prior mean of class 2 is 0.9, and the
    class counts twice:

    >>> PosteriorBalancedAccuracy.from_counts(
    ...     [30, 8, 3], [32, 10, 4], prior=[(1, 1), (1, 1), (9, 1)], class_weight=[1, 1, 2]
    ... ).mean()
    0.8440
    """

    counts: ClassCounts
    prior: Prior
    class_weight: Floats
    # As they were given: pooling resolves them for the union of the classes.
    _prior_spec: PriorSpec
    _weight_spec: ClassWeightSpec

    def __init__(
        self,
        counts: ClassCounts,
        *,
        prior: PriorLike = DEFAULT_PRIOR,
        class_weight: ClassWeightLike = None,
    ) -> None:
        check_counts(counts)
        prior_spec, weight_spec = check_prior(prior), check_class_weight(class_weight)
        vars(self).update(  # past the frozen __setattr__
            counts=counts,
            prior=resolve_prior(prior_spec, counts.n_classes),
            class_weight=resolve_class_weight(weight_spec, counts.classes),
            _prior_spec=prior_spec,
            _weight_spec=weight_spec,
        )
        check_sums(self.prior, self.effective_counts.total)

    @classmethod
    def from_counts(
        cls,
        correct: ArrayLike,
        total: ArrayLike,
        *,
        classes: ArrayLike | None = None,
        prior: PriorLike = DEFAULT_PRIOR,
        class_weight: ClassWeightLike = None,
    ) -> PosteriorBalancedAccuracy:
        """Create a posterior from class counts.

        Parameters
        ----------
        correct : array-like of shape (n_classes,)
            Number of correct predictions in each class, in [0, `total`].
        total : array-like of shape (n_classes,)
            Number of samples of each class; 0 for an absent class. Counts need not be integers.
        classes : array-like of shape (n_classes,), default=None
            Class labels. Defaults to the common index of `correct` and `total` if they are pandas
            Series, else 0, 1, ...
        prior, class_weight
            As for the class.

        Returns
        -------
        posterior : PosteriorBalancedAccuracy

        Warns
        -----
        PriorInfluenceWarning
            If 95 % intervals under this prior would often miss the true value in similar test sets,
            or if a class has no samples.

        Examples
        --------
        >>> from skpostbac import PosteriorBalancedAccuracy
        >>> PosteriorBalancedAccuracy.from_counts([40, 2], [45, 10]).mean()
        0.55385
        """
        counts = counts_of_numbers(correct, total, classes)
        posterior = cls(counts, prior=prior, class_weight=class_weight)
        warn_if_prior_dominates(posterior)
        return posterior

    @classmethod
    def from_confusion_matrix(
        cls,
        C: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        prior: PriorLike = DEFAULT_PRIOR,
        class_weight: ClassWeightLike = None,
    ) -> PosteriorBalancedAccuracy:
        """Create a posterior from a confusion matrix.

        Parameters
        ----------
        C : array-like of shape (n_classes, n_classes)
            Finite, non-negative counts, with true classes as rows and predicted classes as columns,
            as :func:`sklearn.metrics.confusion_matrix` returns them. Some publications print the
            transpose.
        labels : array-like of shape (n_classes,), default=None
            Class labels. Defaults to the index of a DataFrame, which must equal its columns, else
            0, 1, ...
        prior, class_weight
            As for the class.

        Returns
        -------
        posterior : PosteriorBalancedAccuracy

        Warns
        -----
        PriorInfluenceWarning
            If 95 % intervals under this prior would often miss the true value in similar test sets,
            or if a class has no samples.

        Examples
        --------
        >>> from skpostbac import PosteriorBalancedAccuracy
        >>> C = [[30, 2, 0], [1, 8, 1], [0, 1, 3]]
        >>> PosteriorBalancedAccuracy.from_confusion_matrix(C).counts
        ClassCounts(0: 30/32, 1: 8/10, 2: 3/4)
        """
        counts = counts_of_matrix(C, labels)
        posterior = cls(counts, prior=prior, class_weight=class_weight)
        warn_if_prior_dominates(posterior)
        return posterior

    @cached_property
    def effective_counts(self) -> ClassCounts:
        """Counts after division by the design effects, from which the distribution is computed."""
        return self.counts.effective()

    @property
    def design_effects(self) -> DesignEffects | None:
        """Design effects of groups and importance weights; None if there are neither."""
        return self.counts.design_effects

    @cached_property
    def distribution(self) -> AverageDistribution:
        """Distribution of the weighted average, with the full interface of distributions."""
        counts = self.effective_counts
        average = average_distribution(
            self._prior_spec, counts.correct, counts.total, self._weights
        )
        return widened(average, self.counts, self.class_weight)

    @cached_property
    def prior_distribution(self) -> AverageDistribution:
        """Prior distribution of the weighted average."""
        if isinstance(self.prior, Hyperprior) and self._weights is None:
            return shared_prior_average(self.counts.n_classes, self.prior)
        nothing = np.zeros(self.counts.n_classes)
        return average_distribution(self._prior_spec, nothing, nothing, self._weights)

    @property
    def _averaged(self) -> Indices:
        """Positions of the classes of positive weight."""
        return np.flatnonzero(self.class_weight)

    @property
    def _weights(self) -> Floats | None:
        return None if self._weight_spec is None else self.class_weight

    @property
    def score_name(self) -> str:
        """Name of the metric: "Balanced accuracy", or "Recall" of a single class."""
        return "Balanced accuracy" if len(self._averaged) > 1 else "Recall"

    @property
    def chance(self) -> float:
        """Chance level of the balanced accuracy: 1 / n_classes, whatever the class weights."""
        return 1 / self.counts.n_classes

    def prob_above_chance(self) -> ProbAboveChance:
        """Return the probability that the balanced accuracy is above chance.

        Random guessing has an accuracy of 1 / n_classes on each class, hence on any weighted
        average.

        Returns
        -------
        probability : ProbAboveChance
            A float with two attributes: `prior`, the prior probability, and `bayes_factor`, the
            posterior odds divided by the prior odds. Look at both, since the prior probability is
            0.5, 0.77, 0.95 and 1.00 for 2, 3, 5 and 10 classes (0.5, 0.83, 0.99 and 1.00 with a
            uniform prior). With a single class the Bayes factor is nan. Where a probability is
            within 1e-11 of 0 or 1, the Bayes factor is a saddlepoint approximation, mostly good to
            1 %; under the prior "hierarchical" it is a bound within 1e-10.

        Examples
        --------
        >>> from skpostbac import PosteriorBalancedAccuracy
        >>> PosteriorBalancedAccuracy.from_counts([40, 2], [45, 10]).prob_above_chance()
        ProbAboveChance(0.7816, prior=0.5, bayes_factor=3.579)
        """
        return prob_above_chance(self.distribution, self.prior_distribution, self.chance)

    def prior_influence(self) -> PriorInfluence:
        """Return how far the prior shifts the mean, in total and by class.

        Returns
        -------
        influence : PriorInfluence
            Distance of the posterior mean from the observed recalls, in posterior standard
            deviations.

        Examples
        --------
        >>> from skpostbac import PosteriorBalancedAccuracy
        >>> PosteriorBalancedAccuracy.from_counts([40, 2], [45, 10]).prior_influence()
        PriorInfluence(shift=0.14, mean=0.554, observed=0.544, most_moved=(1, 0),
            expected_coverage=0.95)
        """
        return influence_of(self)

    def binary_equivalent(self) -> PosteriorBinaryEquivalentAccuracy:
        """Return the posterior of the binary-equivalent accuracy.

        It is derived from the balanced accuracy; :meth:`PosteriorAccuracy.binary_equivalent` is
        derived from the accuracy. The number of classes is that of the counts, so classes that are
        predicted but have no samples count only if they are listed in `labels`.

        Examples
        --------
        >>> from skpostbac import PosteriorBalancedAccuracy
        >>> posterior = PosteriorBalancedAccuracy.from_counts([30, 8, 3], [32, 10, 4])
        >>> posterior.binary_equivalent().median()  # the square root of 0.8176
        0.9042
        """
        return PosteriorBinaryEquivalentAccuracy(self.distribution, self.counts.n_classes)

    def recalls(self) -> Recalls:
        """Return the posterior of the recall of each class, by label.

        Under the default prior, which is made for the average, a class by itself has the Jeffreys
        prior Beta(1/2, 1/2). Other priors are those of the classes, too, and under a hierarchical
        prior each class has its marginal distribution.

        Returns
        -------
        recalls : dict of label to distribution
            Dict of posteriors, shown in notebooks as a table of means and intervals.

        Examples
        --------
        >>> from skpostbac import PosteriorBalancedAccuracy
        >>> posterior = PosteriorBalancedAccuracy.from_counts([7, 2], [9, 3], classes=["a", "b"])
        >>> posterior.recalls()["b"].mean()
        0.6
        """
        counts, distributions = self.effective_counts, self.distribution.marginals()
        if spent_observations(self._prior_spec, counts.n_classes):
            wrong = counts.total - counts.correct
            ends = zip(counts.correct + 0.5, wrong + 0.5, strict=True)
            distributions = [BetaAverage([a], [b]) for a, b in ends]
        return Recalls(zip(label_list(self.counts.classes), distributions, strict=True))

    def table(self, level: float = 0.95) -> dict[str, list[Any]]:
        """Return summary statistics of each class's recall as a dict of columns.

        Parameters
        ----------
        level : float, default=0.95
            Probability of the credible intervals, in (0, 1).

        Returns
        -------
        columns : dict of str to list
            "class", "correct", "total", "mean", "median", "standard_deviation", "low" and "high"
            (ends of the credible interval), "level", and "class_weight". Pass it to
            ``pandas.DataFrame`` or ``polars.DataFrame``.

        Examples
        --------
        >>> from skpostbac import PosteriorBalancedAccuracy
        >>> posterior = PosteriorBalancedAccuracy.from_counts([7, 2], [9, 3], classes=["a", "b"])
        >>> columns = posterior.table()
        >>> columns["class"], columns["mean"]
        (['a', 'b'], [0.75, 0.625])
        """
        recalls = self.recalls()
        statistics = [figures_of(recall, level) for recall in recalls.values()]
        return {
            "class": list(recalls),
            "correct": self.counts.correct.tolist(),
            "total": self.counts.total.tolist(),
            **{key: [row[key] for row in statistics] for key in statistics[0]},
            "class_weight": self.class_weight.tolist(),
        }

    def _more_statistics(self, level: float) -> dict[str, float]:
        above_chance = self.prob_above_chance()
        return {
            "mode": self.mode(),
            "chance": self.chance,
            "prob_above_chance": float(above_chance),
            "prior_prob_above_chance": above_chance.prior,
            "bayes_factor_above_chance": above_chance.bayes_factor,
        }

    def _sentences(self, level: float) -> list[str]:
        counts, averaged = self.counts, self._averaged
        labels, n, effective = label_list(counts.classes), counts.total[averaged].sum(), ""
        if counts._design is not None and counts._design.squares is not None:
            n = counts._design.squares.samples[averaged].sum()
            effective = f" (effective size {self.effective_counts.total[averaged].sum():.4g})"
        samples, known = describe_samples(float(n)) + effective, counts.total[averaged] > 0
        observed = ", from"
        if known.all():
            shares = counts.correct[averaged] / counts.total[averaged]
            article = "" if n % 1 else " the"
            observed = f"; {self.class_weight[averaged] @ shares:.3f} in{article}"
        samples = f"{self._describe(level)}{observed} {samples}"
        if len(averaged) > 1:
            above = self.prob_above_chance()
            prior = format_probability(above.prior)
            lines = [
                f"The balanced accuracy is {samples} of {len(averaged)} classes.",
                f"{describe_chances('chance', self.chance, above)} (prior: {prior}).",
            ]
            is_tested = (counts.total > 0) & (self.class_weight > 0)
            if is_tested.any():
                recalls = list(self.recalls().values())
                means = [recall.mean() for recall in recalls]
                weakest = int(np.argmin(np.where(is_tested, means, np.inf)))
                correct, total = counts.correct[weakest], counts.total[weakest]
                share = f"{format_count(correct)} of {format_count(total)}"
                if (correct % 1, total % 1) != (0, 0):
                    share = f"about {share} effective samples"
                if counts.has_importance_weights:
                    share = f"{correct / total:.3f} of the weight"
                lines.append(
                    f"Class {labels[weakest]!r} has the lowest recall ({share} correct): "
                    f"{describe(recalls[weakest], level)}."
                )
            if isinstance(self.prior, Hyperprior):
                lines.append("Classes inform one another (hierarchical prior).")
        else:
            alone = "With a single class, this is not a balanced accuracy."
            lines = [f"The recall of class {labels[averaged[0]]!r} is {samples}. {alone}"]
        lines += [*coverage_notes(self), *untested_notes(self)]
        design, doubts = describe_design(self, level)
        return [*lines, design, *doubts] if design else lines

    def __add__(self, other: PosteriorBalancedAccuracy) -> PosteriorBalancedAccuracy:
        if not isinstance(other, PosteriorBalancedAccuracy):
            return NotImplemented
        counts = self.counts + other.counts
        prior, class_weight = _pooled_specs(self, other, counts)
        return PosteriorBalancedAccuracy(counts, prior=prior, class_weight=class_weight)

    def _specs(self) -> dict[str, Any]:
        """Return prior and class weights as they were given."""
        return {"prior": self._prior_spec, "class_weight": self._weight_spec}

    def _made_of(self) -> tuple[Any, ...]:
        prior = self.prior.tobytes() if isinstance(self.prior, np.ndarray) else self.prior
        spent = spent_observations(self._prior_spec, self.counts.n_classes)
        return self.counts, prior, spent, self.class_weight.tobytes()

    def __repr__(self) -> str:
        return f"PosteriorBalancedAccuracy({', '.join(self._facts())})"

    def _facts(self) -> list[str]:
        """Return the parts of the repr."""
        facts = [self._summary()]
        prior = format_prior(self._prior_spec)
        if prior != repr(DEFAULT_PRIOR):
            facts.append(f"prior={prior}")
        if self._weight_spec is not None:
            facts.append("weighted")
        facts.append(f"n_classes={self.counts.n_classes}")
        n, n_effective = self.counts.n_samples, self.effective_counts.n_samples
        if n_effective != n:
            return [*facts, f"n={format_count(n)}", f"n_effective={n_effective:.4g}"]
        facts.append(f"{'n_effective' if n % 1 else 'n'}={format_count(n)}")
        return facts

    def _html_tables(self) -> list[str]:
        counts = self.counts
        labels = map(str, label_list(counts.classes[:_SHOWN_CLASSES]))
        recalls = list(self.recalls().values())[:_SHOWN_CLASSES]
        (_, spread), estimates = estimate_columns(recalls)
        correct = format_column(counts.correct[:_SHOWN_CLASSES].tolist())
        total = format_column(counts.total[:_SHOWN_CLASSES].tolist())
        rows = zip(labels, correct, total, *zip(*estimates, strict=True), strict=True)
        header = ("class", "correct", "total", "recall", spread)
        return [table(header, rows, note=more(counts.n_classes, _SHOWN_CLASSES))]


def _pooled_specs(
    one: PosteriorBalancedAccuracy, two: PosteriorBalancedAccuracy, pool: ClassCounts
) -> tuple[PriorSpec, ClassWeightSpec]:
    """Return the prior and the class weights that two posteriors both have for all classes.

    Raises
    ------
    ValueError
        If they differ, or if an array has values by class, and the classes are not the same.
    """
    is_ordered = label_list(one.counts.classes) == label_list(two.counts.classes)

    def pooled(name: str, specs: tuple[Any, Any], axes: int, resolve: Callable[[Any], Any]) -> Any:
        """Return the more specific of both, so that sums do not depend on their order."""
        # Values by class are arrays of so many axes; the pool may reorder the classes.
        if axes in map(np.ndim, specs) and not is_ordered:
            raise ValueError(
                f"Posteriors with an array as {name} can be pooled only if they have the same "
                "classes in the same order"
            )
        first, second = map(resolve, specs)
        if type(first) is not type(second) or not np.all(first == second):
            raise ValueError(f"Posteriors with different {name} cannot be pooled")
        # Values by class come first, what adapts to any number of classes last. Of a name and
        # numbers the name stays.
        return min(
            specs,
            key=lambda spec: (
                spec is None or (isinstance(spec, str) and spec == DEFAULT_PRIOR),
                np.ndim(spec) != axes,
                not isinstance(spec, str),
            ),
        )

    priors, weights = (one._prior_spec, two._prior_spec), (one._weight_spec, two._weight_spec)
    if len({spent_observations(spec, pool.n_classes) for spec in priors}) > 1:
        raise ValueError("Posteriors with different prior cannot be pooled")
    return (
        pooled("prior", priors, 2, lambda spec: resolve_prior(spec, pool.n_classes)),
        pooled("class_weight", weights, 1, lambda spec: resolve_class_weight(spec, pool.classes)),
    )


def describe_design(posterior: PosteriorBalancedAccuracy, level: float) -> tuple[str, list[str]]:
    """Return a sentence on groups and importance weights, and what the groups leave uncertain.

    The first is empty without groups and importance weights.
    """
    effects, counts = posterior.design_effects, posterior.counts
    if effects is None:
        return "", []
    worth = describe_effective_size(effects, counts.has_importance_weights)
    if is_large(effects):
        # Ignoring the groups, what importance weights divide by remains.
        scale, left = effects.design_effect, posterior.effective_counts
        correct, total = scale * left.correct, scale * left.total
        ignoring = average_distribution(posterior._prior_spec, correct, total, posterior._weights)
        worth += f" Ignoring the groups would give {describe(ignoring, level)}."
    return worth, group_notes(effects, label_list(counts.classes))


def posterior_balanced_accuracy(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = None,
    groups: ArrayLike | None = None,
    class_weight: ClassWeightLike = None,
    prior: PriorLike = DEFAULT_PRIOR,
) -> PosteriorBalancedAccuracy:
    """Compute the posterior distribution of the balanced accuracy.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels, in any format that scikit-learn accepts.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    labels : array-like of shape (n_classes,), default=None
        Classes to average over, by default those in `y_true`. A class that is absent from `y_true`
        keeps its prior; samples whose true class is not listed are ignored.
    sample_weight : array-like of shape (n_samples,), default=None
        Finite, non-negative weights. By default they are case counts, so their scale matters: a
        weight of 2 counts the sample twice and narrows the posterior.
    weight_type : {"case", "importance"}, default=None
        Meaning of the weights: case counts, or importance (survey, inverse-probability) weights,
        whose scale does not matter. None means "case", with a warning if the weights are not whole
        numbers.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as a patient, a site or a document. Samples of the same group
        are treated as correlated and count for less; see :ref:`groups`.
    class_weight : dict or array-like of shape (n_classes,), default=None
        Weights of the classes in the average, normalised to sum to 1.
    prior : str, pair of floats, array-like of shape (n_classes, 2) or Hyperprior, \
            default="reciprocal"
        Prior of the recall of each class: "reciprocal", "uniform", "jeffreys", "neutral",
        "hierarchical", a pair ``(a, b)`` for all classes, one pair per class, or a Hyperprior.

    Returns
    -------
    posterior : PosteriorBalancedAccuracy

    Raises
    ------
    ValueError, TypeError
        For the reasons listed in :func:`class_counts` and :class:`PosteriorBalancedAccuracy`.

    Warns
    -----
    PriorInfluenceWarning
        If 95 % intervals under this prior would often miss the true value in similar test sets, or
        if a class has no samples.
    GroupsWarning
        If the correlation within groups is poorly known, or if groups span several classes.
    SampleWeightWarning
        If weights are not whole numbers and `weight_type` is None.
    UserWarning
        If no label of `y_pred` occurs in `y_true`.

    See Also
    --------
    posterior_balanced_accuracy_score : Summary of this posterior as one number.
    sklearn.metrics.balanced_accuracy_score : The point estimate, without uncertainty.

    References
    ----------
    .. [1] K. H. Brodersen, C. S. Ong, K. E. Stephan and J. M. Buhmann (2010). The balanced
       accuracy and its posterior distribution. Proceedings of the 20th International
       Conference on Pattern Recognition, 3121-3124.
    .. [2] H. Carrillo, K. H. Brodersen and J. A. Castellanos (2013). Probabilistic performance
       evaluation for multiclass classification using the posterior balanced accuracy.
       ROBOT2013: First Iberian Robotics Conference, 347-361.

    Examples
    --------
    >>> from skpostbac import posterior_balanced_accuracy
    >>> y_true = ["a", "a", "a", "a", "b", "b"]
    >>> y_pred = ["a", "a", "a", "b", "b", "b"]
    >>> posterior = posterior_balanced_accuracy(y_true, y_pred)
    >>> posterior
    PosteriorBalancedAccuracy(mean=0.767, 95% CI=[0.444, 0.993], n_classes=2, n=6)
    >>> posterior.prob_above_chance()
    ProbAboveChance(0.9530, prior=0.5, bayes_factor=20.27)
    """
    options = labels, sample_weight, weight_type, groups
    counts = ClassCounts._of_labels(y_true, {"y_pred": y_pred}, *options)
    if not counts.correct.any():
        warn_if_foreign(y_true, {"y_pred": y_pred})
    posterior = PosteriorBalancedAccuracy(counts, prior=prior, class_weight=class_weight)
    warn_if_prior_dominates(posterior)
    if groups is None:
        warn_of_repeated_ids(y_true)
    else:
        warn_of_groups(posterior.design_effects, label_list(counts.classes))
    return posterior
