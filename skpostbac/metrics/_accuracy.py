"""Posterior of the accuracy: one Beta distribution."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import Floats, format_probability
from skpostbac.metrics._binary_equivalent import PosteriorBinaryEquivalentAccuracy
from skpostbac.metrics._counts import (
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
    design_notes,
    warn_of_groups,
)
from skpostbac.metrics._labels import (
    NO_LABELS,
    WeightType,
    read_outcomes,
    warn_of_repeated_ids,
    warn_of_strays,
)
from skpostbac.metrics._posterior import (
    CARRILLO_2013,
    ScalarPosterior,
    write_methods,
)
from skpostbac.metrics._prior import (
    DEFAULT_ACCURACY_PRIOR,
    BetaPrior,
    PriorLike,
    make_accuracy_prior,
)
from skpostbac.stats import BetaAverage


@dataclass(frozen=True, init=False, eq=False, repr=False)
class PosteriorAccuracy(ScalarPosterior):
    r"""Posterior distribution of the accuracy, the probability of a correct prediction.

    With the prior :math:`\mathrm{Beta}(a, b)`, the posterior after k correct
    predictions out of n is :math:`\mathrm{Beta}(a + k, b + n - k)` ([1]_, eq. 8). The
    mean is :math:`(a + k) / (a + b + n)` (eq. 10); the mode with the uniform prior is
    the sample accuracy k / n (eq. 11).

    Use :func:`posterior_accuracy` to start from labels, :meth:`from_outcomes` if it is
    known which items are right, and :meth:`from_counts` or
    :meth:`from_confusion_matrix` to start from a table.

    Parameters
    ----------
    counts : ClassCounts
        Correct predictions and samples of each class, such as the `counts` of a
        :class:`PosteriorBalancedAccuracy`. The posterior depends only on their sums,
        which are divided by the design effect if there are groups or importance
        weights.
    prior : {"uniform", "jeffreys", "neutral"} or pair of floats, default="jeffreys"
        Prior of the accuracy: a = b = 1, 1/2 or 1/3, or a pair ``(a, b)``. The papers
        use "uniform".

    Attributes
    ----------
    counts : ClassCounts
        The counts, as given.
    prior : BetaPrior
        The prior of the accuracy, with its `name` and its parameters `a` and `b`,
        arrays of one number. ``prior=posterior.prior`` makes an equal posterior.

    Raises
    ------
    ValueError
        If the prior is invalid, or if prior and counts add up to more than 1e15.

    See Also
    --------
    PosteriorBalancedAccuracy : All classes weigh the same there.

    Notes
    -----
    A classifier that always predicts the largest class reaches the accuracy
    :attr:`no_information_rate`; look at
    ``posterior.prob_above(posterior.no_information_rate)``. The summary also has
    "mode", "no_information_rate" and "prob_above_no_information_rate"; the last two are
    None without samples.

    References
    ----------
    .. [1] H. Carrillo, K. H. Brodersen and J. A. Castellanos (2013). Probabilistic
       performance evaluation for multiclass classification using the posterior balanced
       accuracy. ROBOT2013: First Iberian Robotics Conference, 347-361.

    Examples
    --------
    >>> from skpostbac import PosteriorAccuracy
    >>> posterior = PosteriorAccuracy.from_counts([40, 2], [45, 10])
    >>> posterior
    PosteriorAccuracy(mean=0.759, 95% CI=[0.640, 0.866], n=55)
    >>> posterior.prob_above(posterior.no_information_rate)
    0.1474
    >>> print(posterior.report())
    The accuracy is 0.759 (95% credible interval 0.640 to 0.866); 0.764 on the 55 test
    samples of 2 classes.
    The probability of beating the share of the largest class (0.818) is 0.147.
    """

    counts: ClassCounts
    prior: BetaPrior

    def __init__(
        self, counts: ClassCounts, *, prior: PriorLike = DEFAULT_ACCURACY_PRIOR
    ) -> None:
        check_counts(counts)
        # past the frozen __setattr__
        vars(self).update(counts=counts, prior=make_accuracy_prior(prior))
        self.prior.check_total(np.array([self._independent.n_samples]), "counts")

    @cached_property
    def _independent(self) -> ClassCounts:
        """The counts after division by the design effect of all classes together."""
        counts = self.counts
        return counts if counts._design is None else counts._as_one_class().effective()

    @classmethod
    def from_counts(
        cls,
        correct: ArrayLike,
        total: ArrayLike,
        *,
        classes: ArrayLike | None = None,
        prior: PriorLike = DEFAULT_ACCURACY_PRIOR,
    ) -> PosteriorAccuracy:
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
        prior : {"uniform", "jeffreys", "neutral"} or pair of floats, default="jeffreys"
            Prior of the accuracy.

        Returns
        -------
        posterior : PosteriorAccuracy

        Raises
        ------
        ValueError
            For the reasons listed in :class:`ClassCounts` and
            :class:`PosteriorAccuracy`.

        Examples
        --------
        >>> from skpostbac import PosteriorAccuracy
        >>> PosteriorAccuracy.from_counts([40, 2], [45, 10]).mean()  # 42.5 / 56
        0.7589
        """
        return cls(counts_of_numbers(correct, total, classes), prior=prior)

    @classmethod
    def from_confusion_matrix(
        cls,
        C: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        prior: PriorLike = DEFAULT_ACCURACY_PRIOR,
    ) -> PosteriorAccuracy:
        """Create a posterior from a confusion matrix.

        Parameters
        ----------
        C : array-like of shape (n_classes, n_classes)
            Finite, non-negative counts, with true classes as rows and predicted classes
            as columns. Some publications print the transpose, which changes only the
            `counts`.
        labels : array-like of shape (n_classes,), default=None
            Class labels. Defaults to the index of a DataFrame, which must equal its
            columns, else 0, 1, ... A DataFrame whose index is named as predictions,
            such as "Prediction" by R's caret, is transposed.
        prior : {"uniform", "jeffreys", "neutral"} or pair of floats, default="jeffreys"
            Prior of the accuracy.

        Returns
        -------
        posterior : PosteriorAccuracy

        Raises
        ------
        ValueError
            If `C` is not a confusion matrix, or for the reasons listed in
            :class:`PosteriorAccuracy`.

        Examples
        --------
        >>> from skpostbac import PosteriorAccuracy
        >>> PosteriorAccuracy.from_confusion_matrix(
        ...     [[40, 5], [8, 2]]
        ... ).credible_interval()
        Interval(low=0.6398, high=0.8660)
        """
        return cls(counts_of_matrix(C, labels), prior=prior)

    @classmethod
    def from_outcomes(
        cls,
        right: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        weight_type: WeightType = None,
        groups: ArrayLike | None = None,
        prior: PriorLike = DEFAULT_ACCURACY_PRIOR,
    ) -> PosteriorAccuracy:
        """Create a posterior of the share of items that a system gets right.

        Parameters
        ----------
        right : array-like of shape (n_items,)
            True or 1 for each item that is right, False or 0 for each that is wrong.
        sample_weight, weight_type, groups
            As for :func:`posterior_accuracy`. Repeated runs of an item are a group:
            pass the names of the items.
        prior : {"uniform", "jeffreys", "neutral"} or pair of floats, default="jeffreys"
            Prior of the accuracy.

        Returns
        -------
        posterior : PosteriorAccuracy

        Raises
        ------
        ValueError
            If `right` has other values, or for the reasons listed in
            :func:`class_counts` and :class:`PosteriorAccuracy`.

        See Also
        --------
        skpostbac.compare_outcomes : Several systems on the same items.

        Examples
        --------
        >>> from skpostbac import PosteriorAccuracy
        >>> PosteriorAccuracy.from_outcomes([True] * 42 + [False] * 13)
        PosteriorAccuracy(mean=0.759, 95% CI=[0.640, 0.866], n=55)
        """
        outcomes = read_outcomes(
            NO_LABELS, {"right": right}, sample_weight, weight_type, groups
        )
        counts = count_outcomes(outcomes)
        if groups is None:
            warn_of_repeated_ids(right, "right")
        warn_of_groups(counts.design_effects, ["all"], "item")
        return cls(counts, prior=prior)

    @cached_property
    def distribution(self) -> BetaAverage:
        """Distribution of the accuracy, with the full interface of distributions."""
        counts = self._independent
        correct = np.array([counts.correct.sum()])
        total = np.array([counts.total.sum()])
        return self.prior.average(correct, total, None)

    def _trials(self) -> tuple[Floats, Floats]:
        return self.counts._as_one_class()._trials(), np.ones(1)

    score_name = "Accuracy"

    @property
    def observed(self) -> float:
        """Accuracy on the test samples; nan without any."""
        return self.counts.accuracy

    @property
    def design_effects(self) -> DesignEffects | None:
        """Design effects of all classes together; None without groups and weights."""
        return self.counts._as_one_class().design_effects

    @property
    def no_information_rate(self) -> float:
        """Accuracy of always predicting the largest class; nan without samples."""
        n = self.counts.n_samples
        return float(self.counts.total.max() / n) if n else float("nan")

    def binary_equivalent(self) -> PosteriorBinaryEquivalentAccuracy:
        """Return the posterior of the binary-equivalent accuracy.

        It follows from the prior of this accuracy. For two classes it is the accuracy
        itself.

        Examples
        --------
        >>> from skpostbac import PosteriorAccuracy
        >>> posterior = PosteriorAccuracy.from_counts([30, 8, 3], [32, 10, 4])
        >>> posterior.binary_equivalent().median()  # the square root of 0.8885
        0.9426
        """
        return PosteriorBinaryEquivalentAccuracy(
            self.distribution, self.counts.n_classes
        )

    def methods_text(self, level: float = 0.95) -> str:
        """Return the text on this posterior for the methods section of a paper.

        Parameters
        ----------
        level : float, default=0.95
            Probability of the credible interval, in (0, 1).

        Returns
        -------
        text : str
            As :meth:`PosteriorBalancedAccuracy.methods_text` returns it.

        Examples
        --------
        >>> from skpostbac import PosteriorAccuracy
        >>> text = PosteriorAccuracy.from_counts([42], [55]).methods_text()
        >>> print(text.partition(", and")[0])
        Accuracy: 42 of 55 samples correct. The accuracy had the prior Beta(a, b) with
          a = 0.5 and b = 0.5 (jeffreys)
        """
        counts = self._independent
        correct = format_count(counts.correct.sum(), "g")
        total = format_count(counts.n_samples, "g")
        effective = "" if self.counts._design is None else "effective "
        model = (
            f"Accuracy: {correct} of {total} {effective}{self._unit}s correct. "
            f"{self.prior.methods_text('The accuracy')}"
        )
        return write_methods(self, level, model, [CARRILLO_2013])

    def _more_statistics(self, level: float) -> dict[str, float]:
        rate = self.no_information_rate
        return {
            "mode": self.mode(),
            "no_information_rate": rate,
            "prob_above_no_information_rate": float(self.prob_above(rate)),
        }

    def _sentences(self, level: float) -> list[str]:
        counts = self.counts
        samples = f"the {describe_samples(counts.n_given, f'test {self._unit}')}"
        if counts.n_classes > 1:
            samples += f" of {counts.n_classes} classes"
        estimate = self._beside_observed(self.observed, samples, level)
        lines = [f"The accuracy is {estimate}."]
        if counts.n_classes > 1 and counts.n_samples:
            rate = self.no_information_rate
            above = format_probability(float(self.prob_above(rate)))
            lines.append(
                "The probability of beating the share of the largest class "
                f"({rate:.3f}) is {above}."
            )
        lines += self.prior.report_sentences(DEFAULT_ACCURACY_PRIOR, "the accuracy")
        has_weights = counts.has_importance_weights
        effects = self.design_effects
        return lines + design_notes(effects, has_weights, ["all"], self._unit)

    @property
    def _unit(self) -> str:
        return self.counts._unit

    def __repr__(self) -> str:
        facts = [
            self._summary(),
            *self.prior.facts(DEFAULT_ACCURACY_PRIOR),
            f"n={format_count(self.counts.n_samples)}",
        ]
        return f"PosteriorAccuracy({', '.join(facts)})"


def posterior_accuracy(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = None,
    groups: ArrayLike | None = None,
    prior: PriorLike = DEFAULT_ACCURACY_PRIOR,
) -> PosteriorAccuracy:
    """Compute the posterior distribution of the accuracy.

    All samples weigh the same; in :func:`posterior_balanced_accuracy`, all classes do.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels, in any format that scikit-learn accepts.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    labels : array-like of shape (n_classes,), default=None
        Samples whose true class is not listed are ignored. By default, all samples are
        counted.
    sample_weight : array-like of shape (n_samples,), default=None
        Finite, non-negative weights. By default they are case counts, so their scale
        matters.
    weight_type : {"case", "importance"}, default=None
        Meaning of the weights: case counts, or importance (survey, inverse-probability)
        weights, whose scale does not matter. None means "case", with a warning if the
        weights are not whole numbers.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as a patient, a site or a document. Samples of
        the same group are treated as correlated and count for less; see :ref:`groups`.
    prior : {"uniform", "jeffreys", "neutral"} or pair of floats, default="jeffreys"
        Prior of the accuracy: a = b = 1, 1/2 or 1/3, or a pair ``(a, b)``.

    Returns
    -------
    posterior : PosteriorAccuracy

    Raises
    ------
    ValueError, TypeError
        For the reasons listed in :func:`class_counts` and :class:`PosteriorAccuracy`.

    Warns
    -----
    GroupsWarning
        If the correlation within groups is poorly known.
    SampleWeightWarning
        If weights are not whole numbers and `weight_type` is None.
    StrayLabelWarning
        If predictions are none of the classes in `y_true`; they count as errors.

    See Also
    --------
    posterior_balanced_accuracy : The posterior of the average over the classes.
    posterior_confusion_metric : The accuracy from priors of the recalls.

    Notes
    -----
    `prior` is the prior of the accuracy itself. The default was chosen by the exact
    coverage of 95 % intervals; :ref:`evidence_priors` has their coverage for one class.

    In :func:`~skpostbac.posterior_confusion_metric`, `prior` is the prior of each
    class's recall for every metric, so the accuracy of k classes has the prior Beta(1,
    1) by default and Beta(k, k) with "uniform". The two functions agree with ``(k * a,
    k * b)`` here and ``(a, b)`` there, hence with "uniform" here and "reciprocal"
    there.

    References
    ----------
    .. [1] H. Carrillo, K. H. Brodersen and J. A. Castellanos (2013). Probabilistic
       performance evaluation for multiclass classification using the posterior balanced
       accuracy. ROBOT2013: First Iberian Robotics Conference, 347-361.

    Examples
    --------
    >>> from skpostbac import posterior_accuracy
    >>> posterior = posterior_accuracy([0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 1])
    >>> posterior
    PosteriorAccuracy(mean=0.786, 95% CI=[0.442, 0.999], n=6)
    >>> posterior_accuracy(
    ...     [0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 1], prior="uniform"
    ... ).mode()  # 5 of 6
    0.8333

    The same data under uniform priors of both recalls, a Beta(2, 2) prior of the
    accuracy:

    >>> from skpostbac import posterior_confusion_metric
    >>> y_true, y_pred = [0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 1]
    >>> posterior_confusion_metric(
    ...     y_true, y_pred, "accuracy", prior="uniform"
    ... ).mean()  # 7 / 10
    0.7
    >>> posterior_accuracy(y_true, y_pred, prior=(2, 2)).mean()
    0.7
    >>> posterior_confusion_metric(
    ...     y_true, y_pred, "accuracy", prior="reciprocal"
    ... ).mean()  # 6 / 8
    0.75
    """
    outcomes = read_outcomes(
        y_true, {"y_pred": y_pred}, sample_weight, weight_type, groups
    )
    counts = count_outcomes(outcomes, labels)
    posterior = PosteriorAccuracy(counts, prior=prior)
    warn_of_strays(outcomes, counts.classes)
    if groups is None:
        warn_of_repeated_ids(y_true)
    warn_of_groups(posterior.design_effects, ["all"])
    return posterior
