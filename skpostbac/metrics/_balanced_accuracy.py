"""Posterior of the balanced accuracy, the average of the recalls of the classes."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import (
    Floats,
    Indices,
    format_column,
    format_probability,
    join_first,
    label_repr,
    more,
    table,
)
from skpostbac.metrics._advice import (
    Evidence,
    PriorInfluence,
    coverage_notes,
    influence_of,
    untested_notes,
    warn_of_prior,
)
from skpostbac.metrics._binary_equivalent import PosteriorBinaryEquivalentAccuracy
from skpostbac.metrics._class_weight import (
    ClassWeightLike,
    check_class_weight,
    resolve_class_weight,
)
from skpostbac.metrics._counts import (
    SHOWN_CLASSES,
    ClassCounts,
    check_counts,
    count_outcomes,
    counts_of_matrix,
    counts_of_numbers,
    describe_samples,
    format_count,
)
from skpostbac.metrics._dependence import (
    DesignEffects,
    WidenedAverage,
    design_notes,
    warn_of_groups,
    widened_average,
)
from skpostbac.metrics._labels import (
    WeightType,
    label_list,
    read_outcomes,
    warn_of_repeated_ids,
    warn_of_strays,
)
from skpostbac.metrics._posterior import (
    BRODERSEN_2010,
    CARRILLO_2013,
    ScalarPosterior,
    write_methods,
)
from skpostbac.metrics._prior import (
    DEFAULT_PRIOR,
    BetaPrior,
    PriorLike,
    make_prior,
)
from skpostbac.stats import BetaAverage
from skpostbac.stats._beta import SMALLEST, evaluate_all
from skpostbac.stats._distribution import (
    Interval,
    estimates,
    figures_of,
    interval_of,
)

# Classes listed one by one in an HTML table.
_TABLE_CLASSES = 20


@dataclass(frozen=True, init=False, eq=False, repr=False)
class PosteriorBalancedAccuracy(ScalarPosterior):
    r"""Posterior distribution of the balanced accuracy, given the counts of each class.

    The accuracy :math:`\theta_i` on class i has a Beta prior. After :math:`k_i` correct
    predictions out of :math:`n_i`, its posterior is :math:`\mathrm{Beta}(a_i + k_i, b_i
    + n_i - k_i)` ([2]_, eq. 8). The balanced accuracy is their mean :math:`\lambda =
    \sum_i w_i \theta_i`, with :math:`w_i = 1 / l` for each of the l classes unless
    weights are given (eq. 12), and its posterior is their convolution ([1]_; [2]_, eq.
    13). It is computed without sampling.

    Use :func:`posterior_balanced_accuracy` to start from labels, and
    :meth:`from_counts` or :meth:`from_confusion_matrix` to start from a table.

    Parameters
    ----------
    counts : ClassCounts
        Correct predictions and samples of each class. With groups or importance
        weights, the counts are divided by their design effects first.
    prior : str, pair, array-like or BetaPrior, default="calibrated"
        Prior of the recall of each class. "calibrated" is Beta(1/l, 1/l) for l classes,
        and takes 1.5 - 2 / l observations off the strength of each class, so that 95 %
        intervals of the average contain the true value in about 95 % of test sets; a
        class by itself, in :meth:`recalls`, has the Jeffreys prior. "reciprocal" is
        Beta(1/l, 1/l) as it is, "uniform" Beta(1, 1) as in the papers, "jeffreys"
        Beta(1/2, 1/2) and "neutral" Beta(1/3, 1/3). A pair ``(a, b)`` is for all
        classes, an array has one pair for each. The `prior` of another posterior is
        taken, too. See :ref:`priors`.
    class_weight : dict or array-like of shape (n_classes,), default=None
        Non-negative weights of the classes in the average, normalised to sum to 1. A
        dict must contain every class and may contain others. By default, all weights
        are equal.

    Attributes
    ----------
    counts : ClassCounts
        The counts, as given.
    prior : BetaPrior or CalibratedPrior
        The prior of these classes, with its `name` and the parameters `a` and `b` of
        each. ``prior=posterior.prior`` makes an equal posterior.
    class_weight : ndarray of shape (n_classes,)
        Read-only weights, which sum to 1.

    Raises
    ------
    ValueError
        If the prior or the class weights are invalid or do not fit the classes, or if
        the prior and the counts of a class add up to more than 1e15.

    See Also
    --------
    posterior_balanced_accuracy_score : Summary of the posterior as one number.

    Notes
    -----
    The summary also has "mode", "chance" and "guessing_p_value".

    Counts add up: the posterior of ``one.counts + two.counts`` is that of both sets of
    observations, and the prior counts once. Pooled cross-validation folds describe the
    predictions that were made; the posterior does not include the variation between
    training sets.

    References
    ----------
    .. [1] K. H. Brodersen, C. S. Ong, K. E. Stephan and J. M. Buhmann (2010). The
       balanced accuracy and its posterior distribution. Proceedings of the 20th
       International Conference on Pattern Recognition, 3121-3124.
    .. [2] H. Carrillo, K. H. Brodersen and J. A. Castellanos (2013). Probabilistic
       performance evaluation for multiclass classification using the posterior balanced
       accuracy. ROBOT2013: First Iberian Robotics Conference, 347-361.

    Examples
    --------
    >>> from skpostbac import PosteriorBalancedAccuracy
    >>> posterior = PosteriorBalancedAccuracy.from_counts([30, 8, 3], [32, 10, 4])
    >>> posterior
    PosteriorBalancedAccuracy(mean=0.808, 95% CI=[0.629, 0.950], n_classes=3, n=46)
    >>> posterior.prob_above(0.7)
    0.8900
    >>> print(posterior.report())
    The balanced accuracy is 0.808 (95% credible interval 0.629 to 0.950); 0.829 on the
    46 test samples of 3 classes.
    The p-value against guessing (chance level 0.333) is < 0.001.
    Class 2 has the lowest recall on the test samples: 0.750 (3 of 4 correct).

    Priors and weights can differ between classes. Here the prior mean of class 2 is
    0.9, and the class counts twice:

    >>> PosteriorBalancedAccuracy.from_counts(
    ...     [30, 8, 3],
    ...     [32, 10, 4],
    ...     prior=[(1, 1), (1, 1), (9, 1)],
    ...     class_weight=[1, 1, 2],
    ... ).mean()
    0.8440
    """

    counts: ClassCounts
    prior: BetaPrior
    class_weight: Floats

    def __init__(
        self,
        counts: ClassCounts,
        *,
        prior: PriorLike = DEFAULT_PRIOR,
        class_weight: ClassWeightLike = None,
    ) -> None:
        check_counts(counts)
        weights = resolve_class_weight(check_class_weight(class_weight), counts.classes)
        recall_prior = make_prior(prior, len(counts.classes))
        # past the frozen __setattr__
        vars(self).update(counts=counts, prior=recall_prior, class_weight=weights)
        self.prior.check_total(self.effective_counts.total)

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
            Number of samples of each class; 0 for an absent class. Counts that are not
            whole are taken as sums of case weights, with a warning.
        classes : array-like of shape (n_classes,), default=None
            Class labels. Defaults to the common index of `correct` and `total` if they
            are pandas Series, else 0, 1, ...
        prior, class_weight
            As for the class.

        Returns
        -------
        posterior : PosteriorBalancedAccuracy

        Warns
        -----
        PriorInfluenceWarning
            If 95 % intervals under this prior would often miss the true value in
            similar test sets, or if a class has no samples.

        Examples
        --------
        >>> from skpostbac import PosteriorBalancedAccuracy
        >>> PosteriorBalancedAccuracy.from_counts([40, 2], [45, 10]).mean()
        0.55385
        """
        counts = counts_of_numbers(correct, total, classes)
        posterior = cls(counts, prior=prior, class_weight=class_weight)
        warn_of_prior(posterior._evidence())
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
            Finite, non-negative counts, with true classes as rows and predicted classes
            as columns, as :func:`sklearn.metrics.confusion_matrix` returns them. Some
            publications print the transpose.
        labels : array-like of shape (n_classes,), default=None
            Class labels. Defaults to the index of a DataFrame, which must equal its
            columns, else 0, 1, ... A DataFrame whose index is named as predictions,
            such as "Prediction" by R's caret, is transposed.
        prior, class_weight
            As for the class.

        Returns
        -------
        posterior : PosteriorBalancedAccuracy

        Warns
        -----
        PriorInfluenceWarning
            If 95 % intervals under this prior would often miss the true value in
            similar test sets, or if a class has no samples.

        Examples
        --------
        >>> from skpostbac import PosteriorBalancedAccuracy
        >>> C = [[30, 2, 0], [1, 8, 1], [0, 1, 3]]
        >>> PosteriorBalancedAccuracy.from_confusion_matrix(C).counts
        ClassCounts(0: 30/32, 1: 8/10, 2: 3/4)
        """
        counts = counts_of_matrix(C, labels)
        posterior = cls(counts, prior=prior, class_weight=class_weight)
        warn_of_prior(posterior._evidence())
        return posterior

    @property
    def observed(self) -> float:
        """Weighted mean of the recalls of the classes with samples; nan without any."""
        return self._evidence().observed

    @cached_property
    def effective_counts(self) -> ClassCounts:
        """Counts after division by the design effects."""
        return self.counts.effective()

    @property
    def design_effects(self) -> DesignEffects | None:
        """Design effects of groups and importance weights; None without either."""
        return self.counts.design_effects

    @cached_property
    def distribution(self) -> BetaAverage:
        """Distribution of the weighted average of the recalls."""
        counts = self.effective_counts
        average = self.prior.average(counts.correct, counts.total, self._weights)
        effects = self.design_effects
        design = self.counts._design
        if effects is None or design is None:
            return average
        return widened_average(average, design, effects, self.class_weight)

    @property
    def correction(self) -> str:
        """Sentence on a correction for the variation between training sets."""
        return ""

    def _trials(self) -> tuple[Floats, Floats]:
        return self.counts._trials(self.correction), self.class_weight

    def _evidence(self) -> Evidence:
        """Return what warnings judge the posterior by."""
        counts = self.effective_counts
        return Evidence(counts, self.prior, self.class_weight, self.distribution)

    @property
    def _averaged(self) -> Indices:
        """Positions of the classes of positive weight."""
        return np.flatnonzero(self.class_weight)

    @property
    def _weights(self) -> Floats | None:
        """The class weights, None if all are equal."""
        return self.class_weight if np.ptp(self.class_weight) else None

    @property
    def score_name(self) -> str:
        """Name of the metric: "Balanced accuracy", or "Recall" of a single class."""
        return "Balanced accuracy" if len(self._averaged) > 1 else "Recall"

    @property
    def chance(self) -> float:
        """Chance level of the balanced accuracy, 1 / n_classes for any weights."""
        return 1 / self.counts.n_classes

    def guessing_p_value(self) -> float:
        r"""Return the p-value of the test against guessing at any rates.

        A guesser predicts class i with a probability :math:`q_i` that does not depend
        on the true class. The recalls then sum to 1 at most, whatever the rates. With
        :math:`k_i` of :math:`n_i` correct, the p-value is :math:`P(\sum_i \theta_i \le
        1)` for independent :math:`\theta_i \sim \mathrm{Beta}(k_i, n_i - k_i + 1)`, the
        distributions of the lower Clopper-Pearson limits ([1]_). With two classes this
        is Fisher's exact test, one-sided. It depends on neither prior nor class
        weights. It is accurate to about 1e-14; smaller values may be 0.

        Returns
        -------
        p_value : float
            In [0, 1]; 1 for a constant prediction.

        References
        ----------
        .. [1] M. P. Fay, M. A. Proschan and E. Brittain (2015). Combining one-sample
           confidence procedures for inference in the two-sample case. Biometrics 71,
           146-156.

        Examples
        --------
        >>> from skpostbac import PosteriorBalancedAccuracy
        >>> PosteriorBalancedAccuracy.from_counts([40, 2], [45, 10]).guessing_p_value()
        0.3750
        """
        counts = self.effective_counts
        found = counts.correct > 0
        if not found.any():
            return 1.0
        correct = np.maximum(counts.correct[found], SMALLEST)
        errors = (counts.total - counts.correct)[found]
        weights = np.full(correct.size, self.chance)
        limits: BetaAverage = BetaAverage(correct, errors + 1, weights=weights)
        if isinstance(self.distribution, WidenedAverage):
            limits = WidenedAverage(limits, self.distribution._factor)
        return float(limits.cdf(self.chance))

    def lower_bound(self, level: float = 0.95) -> float:
        """Return a lower bound of the balanced accuracy.

        Parameters
        ----------
        level : float, default=0.95
            Posterior probability of a higher value, in (0, 1).

        Returns
        -------
        bound : float
            Quantile of the posterior; 0 without a correct prediction. With equal class
            weights, it is at most chance less 0.0001, unless :meth:`guessing_p_value`
            is at most ``1 - level``.

        Notes
        -----
        Of two classes with recalls of 0.5 or more, it exceeds the true value in 1 to 4
        % of test sets on average at a level of 0.95, and in up to 12 % where a small
        class is hard and the other easy: see :ref:`evidence_one_sided`.

        Examples
        --------
        >>> from skpostbac import PosteriorBalancedAccuracy
        >>> PosteriorBalancedAccuracy.from_counts([40, 5], [45, 10]).lower_bound()
        0.5623
        >>> PosteriorBalancedAccuracy.from_counts([9990, 0], [9990, 10]).lower_bound()
        0.4999
        """
        bound = super().lower_bound(level)
        if not self.counts.correct[self._averaged].any():
            return 0.0
        below = self.chance - 1e-4
        is_above = bound > below and not np.ptp(self.class_weight)
        if is_above and self.guessing_p_value() > 1 - level:
            return below
        return bound

    def upper_bound(self, level: float = 0.95) -> float:
        """Return an upper bound of the balanced accuracy.

        Parameters
        ----------
        level : float, default=0.95
            Posterior probability of a lower value, in (0, 1).

        Returns
        -------
        bound : float
            Quantile of the posterior; 1 without an error.

        Examples
        --------
        >>> from skpostbac import PosteriorBalancedAccuracy
        >>> PosteriorBalancedAccuracy.from_counts([10, 10], [10, 10]).upper_bound()
        1.0
        """
        bound = super().upper_bound(level)
        errors = self.counts.total - self.counts.correct
        return bound if errors[self._averaged].any() else 1.0

    def prior_influence(self) -> PriorInfluence:
        """Return how far the prior shifts the mean, in total and by class.

        Returns
        -------
        influence : PriorInfluence
            Distance of the posterior mean from the recalls on the test samples, in
            posterior standard deviations.

        Examples
        --------
        >>> from skpostbac import PosteriorBalancedAccuracy
        >>> PosteriorBalancedAccuracy.from_counts([40, 2], [45, 10]).prior_influence()
        PriorInfluence(shift=0.14, mean=0.554, observed=0.544, expected_coverage=0.95)
        """
        return influence_of(self._evidence())

    def binary_equivalent(self) -> PosteriorBinaryEquivalentAccuracy:
        """Return the posterior of the binary-equivalent accuracy.

        It is derived from the balanced accuracy;
        :meth:`PosteriorAccuracy.binary_equivalent` is derived from the accuracy. The
        number of classes is that of the counts, so classes that are predicted but have
        no samples count only if they are listed in `labels`.

        Examples
        --------
        >>> from skpostbac import PosteriorBalancedAccuracy
        >>> posterior = PosteriorBalancedAccuracy.from_counts([30, 8, 3], [32, 10, 4])
        >>> posterior.binary_equivalent().median()  # the square root of 0.8176
        0.9042
        """
        return PosteriorBinaryEquivalentAccuracy(
            self.distribution, self.counts.n_classes
        )

    def recalls(self) -> dict[Hashable, BetaAverage]:
        """Return the posterior of the recall of each class, by label.

        Under the default prior, a class by itself has the Jeffreys prior: see
        :class:`~skpostbac.metrics.CalibratedPrior`.

        Returns
        -------
        recalls : dict of label to distribution
            Dict of posteriors, shown in notebooks as a table of means and intervals.

        Examples
        --------
        >>> from skpostbac import PosteriorBalancedAccuracy
        >>> posterior = PosteriorBalancedAccuracy.from_counts(
        ...     [7, 2], [9, 3], classes=["a", "b"]
        ... )
        >>> posterior.recalls()["b"].mean()
        0.6
        """
        counts = self.effective_counts
        distributions = self.prior.recalls(counts.correct, counts.total)
        return dict(zip(label_list(counts.classes), distributions, strict=True))

    def methods_text(self, level: float = 0.95) -> str:
        """Return the text on this posterior for the methods section of a paper.

        It has what a reader needs to compute the same numbers: the model, the counts,
        the prior with its numbers, the kind of interval and its probability, the
        version and the references.

        Parameters
        ----------
        level : float, default=0.95
            Probability of the credible interval, in (0, 1).

        Returns
        -------
        text : str

        Examples
        --------
        >>> from skpostbac import PosteriorBalancedAccuracy
        >>> posterior = PosteriorBalancedAccuracy.from_counts([40, 2], [45, 10])
        >>> print(posterior.methods_text().partition(" (skpostbac")[0])
        The balanced accuracy is the mean of the recalls of 2 classes. Correct
          predictions of each class: 40 of 45, 2 of 10 samples. The recall of each
          class had the prior Beta(a, a) with a = 0.5 (calibrated), and after k of n
          correct predictions the posterior Beta(c (a + k), c (a + n - k)) with
          c = 1 - min(n, 0.5) / (n + 2 a). It has the usual mean, and the spread of
          0.5 observations fewer, which calibrates the intervals of the average.
        The posterior mean is 0.5539, and the 95% credible interval 0.4365 to 0.7010.
          It spans the shortest and the equal-tailed interval of this probability, and
          so has a posterior probability of 0.9594
        """
        counts = self.effective_counts
        cells = [
            f"{format_count(self._in_samples(correct), 'g')} of "
            f"{format_count(self._in_samples(total), 'g')}"
            for correct, total in zip(counts.correct, counts.total, strict=True)
        ]
        classes = "1 class" if counts.n_classes == 1 else f"{counts.n_classes} classes"
        weights = ""
        if self._weights is not None:
            weights = f", with the weights {', '.join(map(str, self.class_weight))}"
        effective = "" if self.design_effects is None else "effective "
        divided = ""
        if self._divisor != 1:
            divided = (
                f"These counts were divided by {self._divisor:.4g} to allow for the "
                "variation between training sets. "
            )
        model = (
            f"The balanced accuracy is the mean of the recalls of {classes}{weights}. "
            f"Correct predictions of each class: {', '.join(cells)} "
            f"{effective}samples. {divided}"
            f"{self.prior.methods_text('The recall of each class')}"
        )
        references = BRODERSEN_2010, CARRILLO_2013
        return write_methods(self, level, model, references)

    def table(self, level: float = 0.95) -> dict[str, list[Any]]:
        """Return summary statistics of each class's recall as a dict of columns.

        Parameters
        ----------
        level : float, default=0.95
            Probability of the credible intervals, in (0, 1).

        Returns
        -------
        columns : dict of str to list
            "class", "correct", "total", "mean", "median", "standard_deviation", "low"
            and "high" (ends of the credible interval), "level", and "class_weight".
            Pass it to ``pandas.DataFrame`` or ``polars.DataFrame``.

        Examples
        --------
        >>> from skpostbac import PosteriorBalancedAccuracy
        >>> posterior = PosteriorBalancedAccuracy.from_counts(
        ...     [7, 2], [9, 3], classes=["a", "b"]
        ... )
        >>> columns = posterior.table()
        >>> columns["class"], columns["mean"]
        (['a', 'b'], [0.75, 0.625])
        """
        recalls = self.recalls()
        distributions = list(recalls.values())
        intervals = evaluate_all(distributions, lambda some: interval_of(some, level))
        statistics = [
            figures_of(recall, level, Interval(*ends))
            for recall, ends in zip(distributions, intervals.tolist(), strict=True)
        ]
        return {
            "class": list(recalls),
            "correct": self.counts.correct.tolist(),
            "total": self.counts.total.tolist(),
            **{key: [row[key] for row in statistics] for key in statistics[0]},
            "class_weight": self.class_weight.tolist(),
        }

    def _more_statistics(self, level: float) -> dict[str, float]:
        return {
            "mode": self.mode(),
            "chance": self.chance,
            "guessing_p_value": self.guessing_p_value(),
        }

    def _sentences(self, level: float) -> list[str]:
        constant = constant_note(self.counts)
        lines = [f"{self._estimate_sentence(level)}{constant}"]
        if len(self._averaged) > 1:
            p_value = format_probability(self.guessing_p_value())
            lines.append(
                f"The p-value against guessing (chance level {self.chance:.3f}) is "
                f"{p_value}."
            )
            lines += self._weakest_sentence()
        evidence = [self._evidence()]
        lines += self.prior.report_sentences()
        lines += [*coverage_notes(evidence), *untested_notes(evidence)]
        labels = label_list(self.counts.classes)
        has_weights = self.counts.has_importance_weights
        return lines + design_notes(self.design_effects, has_weights, labels)

    def _estimate_sentence(self, level: float) -> str:
        """Return the sentence on the estimate and on the score of the samples."""
        counts = self.counts
        averaged = self._averaged
        total = counts.total[averaged]
        size = self._in_samples(total.sum())
        if counts._design is not None and counts._design.is_importance:
            size = counts._design.n_samples[averaged].sum()

        samples = describe_samples(float(size), "test sample")
        if self._divisor != 1 or counts.has_importance_weights:
            n_effective = self.effective_counts.total[averaged].sum()
            samples += f" (effective size {n_effective:.4g})"
        if len(averaged) > 1:
            samples += f" of {len(averaged)} classes"

        estimate = f"{self._describe(level)}, from {samples}"
        if total.all():
            observed = self.class_weight[averaged] @ (counts.correct[averaged] / total)
            samples = samples if size % 1 else f"the {samples}"
            estimate = self._beside_observed(float(observed), samples, level)

        if len(averaged) > 1:
            return f"The balanced accuracy is {estimate}."
        (label,) = label_list(counts.classes[averaged])
        return (
            f"The recall of class {label_repr(label)} is {estimate}. With a single "
            "class, this is not a balanced accuracy."
        )

    def _weakest_sentence(self) -> list[str]:
        """Return the sentence on the lowest recall, if the classes differ.

        It has no interval: with several classes, that of the one which is lowest by
        chance would often lie below its recall.
        """
        counts = self.counts
        is_tested = (counts.total > 0) & (self.class_weight > 0)
        if not is_tested.any():
            return []
        recalls = np.where(is_tested, counts.recalls, np.inf)
        lowest = recalls.min()
        (weakest,) = np.nonzero(recalls == lowest)
        if weakest.size == np.count_nonzero(is_tested):
            is_perfect = (counts.correct == counts.total).all()
            return ["All predictions are correct."] if is_perfect else []

        labels = label_list(counts.classes[weakest])
        what = "the lowest recall on the test samples"
        if len(labels) > 1:
            names = join_first(list(map(label_repr, labels)), SHOWN_CLASSES)
            return [f"{len(labels)} classes have {what}, {lowest:.3f}: {names}."]
        correct = self._in_samples(counts.correct[weakest[0]])
        total = self._in_samples(counts.total[weakest[0]])
        share = f" ({format_count(correct)} of {format_count(total)} correct)"
        if correct % 1 or total % 1:
            share = ""
        return [f"Class {label_repr(labels[0])} has {what}: {lowest:.3f}{share}."]

    @property
    def _divisor(self) -> float:
        """What the counts were divided by; more than 1 in `CorrectedPosterior`."""
        return 1.0

    def _in_samples(self, count: float) -> float:
        """Return a count before division, without its rounding error."""
        return round(float(count) * self._divisor, 6)

    def _made_of(self) -> tuple[Any, ...]:
        return self.counts, self.prior, self.class_weight.tobytes()

    def __repr__(self) -> str:
        return f"PosteriorBalancedAccuracy({', '.join(self._facts())})"

    def _facts(self) -> list[str]:
        """Return the parts of the repr."""
        facts = [self._summary(), *self.prior.facts()]
        if self._weights is not None:
            facts.append("weighted")
        facts.append(f"n_classes={self.counts.n_classes}")
        n = self._in_samples(self.counts.n_samples)
        n_effective = self.effective_counts.n_samples
        if n_effective != n:
            return [*facts, f"n={format_count(n)}", f"n_effective={n_effective:.4g}"]
        facts.append(f"{'n_effective' if n % 1 else 'n'}={format_count(n)}")
        return facts

    def _html_tables(self) -> list[str]:
        counts = self.counts
        labels = map(str, label_list(counts.classes[:_TABLE_CLASSES]))
        recalls = list(self.recalls().values())[:_TABLE_CLASSES]
        correct = format_column(counts.correct[:_TABLE_CLASSES].tolist())
        total = format_column(counts.total[:_TABLE_CLASSES].tolist())
        columns = zip(*estimates(recalls), strict=True)
        rows = zip(labels, correct, total, *columns, strict=True)
        header = ("class", "correct", "total", "recall", "95% CI")
        return [table(header, rows, note=more(counts.n_classes, _TABLE_CLASSES))]


def constant_note(counts: ClassCounts) -> str:
    """Return a next sentence on counts that a constant prediction gives, or nothing.

    Examples
    --------
    >>> constant_note(ClassCounts(["a", "b"], [9, 0], [9, 3]))
    " Always predicting 'a' gives these counts."
    """
    correct = counts.correct
    found = np.flatnonzero(correct)
    is_constant = found.size == 1 and (correct == counts.total)[found].all()
    if not is_constant or np.count_nonzero(counts.total) < 2:
        return ""
    (label,) = label_list(counts.classes[found])
    return f" Always predicting {label_repr(label)} gives these counts."


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
        Classes to average over, by default those in `y_true`. A class that is absent
        from `y_true` keeps its prior; samples whose true class is not listed are
        ignored.
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
    class_weight : dict or array-like of shape (n_classes,), default=None
        Weights of the classes in the average, normalised to sum to 1.
    prior : str, pair, array-like or BetaPrior, default="calibrated"
        Prior of the recall of each class. The default, "calibrated", is Beta(1/l, 1/l)
        for l classes, and takes 1.5 - 2 / l observations off the strength of each
        class, so that intervals of the average are wide enough; a class by itself has
        the Jeffreys prior. See :class:`PosteriorBalancedAccuracy` for all others.

    Returns
    -------
    posterior : PosteriorBalancedAccuracy

    Raises
    ------
    ValueError, TypeError
        For the reasons listed in :func:`class_counts` and
        :class:`PosteriorBalancedAccuracy`.

    Warns
    -----
    PriorInfluenceWarning
        If 95 % intervals under this prior would often miss the true value in similar
        test sets, or if a class has no samples.
    GroupsWarning
        If the correlation within groups is poorly known, or if groups span several
        classes.
    SampleWeightWarning
        If weights are not whole numbers and `weight_type` is None.
    StrayLabelWarning
        If predictions are none of the classes; they count as errors.

    See Also
    --------
    posterior_balanced_accuracy_score : Summary of this posterior as one number.
    sklearn.metrics.balanced_accuracy_score : The point estimate, without uncertainty.

    References
    ----------
    .. [1] K. H. Brodersen, C. S. Ong, K. E. Stephan and J. M. Buhmann (2010). The
       balanced accuracy and its posterior distribution. Proceedings of the 20th
       International Conference on Pattern Recognition, 3121-3124.
    .. [2] H. Carrillo, K. H. Brodersen and J. A. Castellanos (2013). Probabilistic
       performance evaluation for multiclass classification using the posterior balanced
       accuracy. ROBOT2013: First Iberian Robotics Conference, 347-361.

    Examples
    --------
    >>> from skpostbac import posterior_balanced_accuracy
    >>> y_true = ["a", "a", "a", "a", "b", "b"]
    >>> y_pred = ["a", "a", "a", "b", "b", "b"]
    >>> posterior = posterior_balanced_accuracy(y_true, y_pred)
    >>> posterior
    PosteriorBalancedAccuracy(mean=0.767, 95% CI=[0.444, 0.993], n_classes=2, n=6)
    >>> posterior.prob_above(0.5)
    0.9530
    """
    outcomes = read_outcomes(
        y_true, {"y_pred": y_pred}, sample_weight, weight_type, groups
    )
    counts = count_outcomes(outcomes, labels)
    posterior = PosteriorBalancedAccuracy(
        counts, prior=prior, class_weight=class_weight
    )
    warn_of_prior(posterior._evidence())
    warn_of_strays(outcomes, counts.classes)
    if groups is None:
        warn_of_repeated_ids(y_true)
    else:
        warn_of_groups(posterior.design_effects, label_list(counts.classes))
    return posterior
