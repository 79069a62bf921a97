"""Posterior of any metric of a confusion matrix, exact or by random draws."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import (
    Floats,
    LabelArray,
    RandomStateLike,
    check_n_draws,
    draw_seed,
)
from skpostbac.metrics._advice import moves_far, warn_if_prior_moves
from skpostbac.metrics._confusion.distributions import ConfusionModel, Exact
from skpostbac.metrics._confusion.metrics import (
    Metric,
    Target,
    find_target,
    less_is_better,
    read_prevalence,
)
from skpostbac.metrics._confusion.predictions import (
    KnownPredictions,
    check_labelled,
    drawn_target,
    read_predictions,
)
from skpostbac.metrics._confusion.samples import (
    ConfusedSamples,
    design_of,
    read_confusions,
)
from skpostbac.metrics._counts import read_confusion_matrix
from skpostbac.metrics._dependence import (
    DesignEffects,
    design_notes,
    warn_of_groups,
)
from skpostbac.metrics._labels import (
    WeightType,
    label_list,
    read_outcomes,
    warn_of_repeated_ids,
    warn_of_strays,
)
from skpostbac.metrics._posterior import (
    AT_PREVALENCE,
    TEST_SAMPLES,
    PosteriorMetric,
    write_methods,
)
from skpostbac.metrics._prior import DEFAULT_PRIOR, BetaPrior, PriorLike, make_prior
from skpostbac.stats._distribution import DrawnDistribution

CAELEN_2017 = (
    "O. Caelen (2017). A Bayesian interpretation of the confusion matrix. Annals of "
    "Mathematics and Artificial Intelligence 81, 429-450."
)

# Default number of draws: 100,000 up to three classes, then those of 900,000 cells,
# which take 40 ms, but 8,000 from eleven to 50 classes. A metric of many classes is
# narrow: the errors of the ends of its interval, about 3 % of the standard deviation,
# are below the digits that are shown. 2 * 10^7 cells take a second.
_MOST_DRAWS = 100_000
_CHEAP_CELLS = 9 * 10**5
_ENOUGH_DRAWS = 8_000
_MOST_DRAWN_CELLS = 2 * 10**7
_LEAST_DRAWS = 1_000


@dataclass(frozen=True, eq=False, repr=False)
class PosteriorConfusionMetric(PosteriorMetric):
    r"""Posterior of a metric of the confusion matrix.

    Created by :func:`~skpostbac.posterior_confusion_metric` from labels, or by
    :meth:`from_confusion_matrix`.

    Attributes
    ----------
    metric : str
        Name of the metric, such as "macro f1".
    observed : float
        Metric on the test samples; nan if it is 0 / 0. A `prevalence` that is given
        replaces the sampled shares of the classes, and known predictions replace the
        shares of the predicted classes.
    distribution : distribution of `skpostbac.stats`
        Distribution of the metric, exact or by random draws. Exact ones have more
        methods, such as ``pdf`` and ``mode``.
    prior : BetaPrior or CalibratedPrior
        Prior of the recalls; ``prior=posterior.prior`` makes an equal posterior.
    design_effects : DesignEffects or None
        Design effects for the samples that the metric depends on: for each class if it
        is an average over the classes, else for all together. None without groups and
        importance weights.

    Notes
    -----
    The summary also has "observed" (the metric of the counts), and the Monte Carlo
    standard errors of the mean, "monte_carlo_error", and of both ends, "low_error" and
    "high_error"; they are 0 if the distribution is exact. The estimate of the report is
    the mean, or the median if the standard deviation is infinite.

    Given true class i, the probabilities of the predicted classes have a Dirichlet
    posterior. The prior :math:`\mathrm{Beta}(a_i, b_i)` of its recall becomes
    :math:`a_i` for the class itself and :math:`b_i / (k - 1)` for each of the k - 1
    others, so recalls have the same posterior as in :class:`PosteriorBalancedAccuracy`.

    With ``prevalence="sampled"`` the shares of the classes are unknown, too; their
    prior is :math:`\mathrm{Dirichlet}(a_1 + b_1, \ldots, a_k + b_k)`, which makes one
    Dirichlet distribution of all k x k cells. Recall, precision and false positive rate
    of a class are then Beta variables; the prior of the precision is
    :math:`\mathrm{Beta}(a_j, \sum_{i \ne j} b_i / (k - 1))`, which is Beta(1, 1) if all
    recalls have that prior. The accuracy is a Beta variable as well, with the prior
    :math:`\mathrm{Beta}(\sum_i a_i, \sum_i b_i)`: Beta(k, k) for flat recall priors and
    Beta(1, 1) with ``prior="calibrated"`` or "reciprocal". :func:`posterior_accuracy`
    lets you choose it.

    With known shares, the accuracy and false positive rates are weighted sums of Beta
    variables. Precision, negative predictive value, Jaccard index and F-measures of a
    class are then ratios of linear forms in its recall and false positive rate, whose
    distribution is computed without draws (:class:`skpostbac.stats.BetaRatio`). With
    sampled shares, F2 and other F-measures are such ratios, too. The odds of F1 are
    then twice those of the Jaccard index, a Beta variable. The moments of a likelihood
    ratio are infinite from the order on which the Dirichlet parameters of the cells in
    its denominator sum to: the mean of the positive one, if these cells have no counts
    and a prior of at most 1.

    With known predictions of more samples than are labelled, the shares of the true
    classes in a column of the matrix have the posterior of the labelled samples, and
    the shares of the columns that of all predictions, or those given. The metric is
    always drawn.

    The Beta distributions of precision and recall, and F1 by draws, are in [1]_; the
    Dirichlet distribution of a whole confusion matrix is in [2]_.

    References
    ----------
    .. [1] C. Goutte and E. Gaussier (2005). A probabilistic interpretation of
       precision, recall and F-score, with implication for evaluation. Advances in
       Information Retrieval, 345-359.
    .. [2] O. Caelen (2017). A Bayesian interpretation of the confusion matrix. Annals
       of Mathematics and Artificial Intelligence 81, 429-450.

    Examples
    --------
    >>> from skpostbac import PosteriorConfusionMetric
    >>> C = [[166, 25], [21, 188]]
    >>> PosteriorConfusionMetric.from_confusion_matrix(C, "precision", pos_label=1)
    PosteriorConfusionMetric('precision of 1', mean=0.881, 95% CI=[0.834, 0.923],
        exact)
    >>> PosteriorConfusionMetric.from_confusion_matrix(C, "mcc")
    PosteriorConfusionMetric('mcc', mean=0.766, 95% CI=[0.700, 0.826],
        monte_carlo_error=1e-04, CI_error=8e-04)
    >>> print(PosteriorConfusionMetric.from_confusion_matrix(C, "f1").report())
    The F1 of class 1 is 0.889 (95% credible interval 0.855 to 0.920); 0.891 on the test
    samples.
    """

    prior: BetaPrior
    design_effects: DesignEffects | None
    # The name of the prior of the recalls by default.
    _default_prior: str | None
    # Sentences on groups and importance weights.
    _design: Sequence[str]
    # How labelled samples are weighted, if predictions of more samples are known.
    _weighting: str

    @classmethod
    def from_confusion_matrix(
        cls,
        C: ArrayLike,
        metric: Metric,
        *,
        pos_label: Hashable = None,
        average: str | None = None,
        prevalence: ArrayLike = "sampled",
        prediction_counts: Mapping[Hashable, float] | None = None,
        prediction_shares: Mapping[Hashable, float] | None = None,
        labels: ArrayLike | None = None,
        prior: PriorLike = DEFAULT_PRIOR,
        n_draws: int | None = None,
        random_state: RandomStateLike = 0,
    ) -> PosteriorConfusionMetric:
        """Create a posterior from a confusion matrix.

        Parameters
        ----------
        C : array-like of shape (n_classes, n_classes)
            Finite, non-negative counts, with true classes as rows and predicted classes
            as columns. Some publications print the transpose.
        labels : array-like of shape (n_classes,), default=None
            Class labels. Defaults to the index of a DataFrame, which must equal its
            columns, else 0, 1, ... A DataFrame whose index is named as predictions,
            such as "Prediction" by R's caret, is transposed.
        metric, pos_label, average, prevalence, prediction_counts, \
                prediction_shares, prior, n_draws, random_state
            As for :func:`~skpostbac.posterior_confusion_metric`.

        Returns
        -------
        posterior : PosteriorConfusionMetric

        Warns
        -----
        PriorInfluenceWarning
            If the prior moves the metric by more than 1.5 posterior standard
            deviations.

        Examples
        --------
        >>> from skpostbac import PosteriorConfusionMetric
        >>> C = [[102, 8, 7], [10, 89, 11], [5, 12, 120]]
        >>> PosteriorConfusionMetric.from_confusion_matrix(C, "recall").median()
        0.8510
        """
        classes, matrix = read_confusion_matrix(C, labels)
        target = find_target(metric, classes, pos_label, average)
        predictions = read_predictions(
            prediction_counts, prediction_shares, classes, matrix, prevalence
        )
        return infer_metric(
            target,
            matrix,
            classes,
            read_prevalence(prevalence, classes, pos_label),
            prior,
            n_draws,
            random_state,
            predictions=predictions,
        )

    @property
    def score_name(self) -> str:
        """Name of the metric as an axis label, such as "F1 of class 1"."""
        # A label keeps its underscores.
        words, of, label = self.metric.partition(" of ")
        of = of and " of class "
        words = re.sub(r"\b(mcc|f\d)", lambda name: name[0].upper(), words)
        return words[:1].upper() + words[1:].replace("_", " ") + of + label

    @property
    def _less_is_better(self) -> bool:
        return less_is_better(self.metric)

    def methods_text(self, level: float = 0.95) -> str:
        """Return the text on this posterior for the methods section of a paper.

        Parameters
        ----------
        level : float, default=0.95
            Probability of the credible interval, in (0, 1).

        Returns
        -------
        text : str
            The model, the prior with its numbers, the kind of interval and its
            probability, the version and the references. Give the confusion matrix
            beside it, and the prevalence, if you gave one.
        """
        how = "without random draws"
        if isinstance(self._distribution, DrawnDistribution):
            how = f"by {self._distribution.draws.size} random draws"
        counts = "the confusion matrix"
        if self.design_effects is not None:
            counts += " of effective counts"
        shape = "rows have Dirichlet posteriors"
        prior = self.prior.methods_text("The recall of each class")
        if self._weighting:
            shape = f"columns have Dirichlet posteriors and are {self._weighting}"
            prior = self.prior.describe("the recall of each class")
        counts += f" of {self._samples}"
        model = f"{self.score_name} of {counts}, whose {shape}, {how}. {prior}"
        return write_methods(self, level, model, [CAELEN_2017])

    def _sentences(self, level: float) -> list[str]:
        named = self.prior.report_sentences(self._default_prior)
        weighted = [f"Labelled samples are {self._weighting}."]
        design = [*self._design, *(weighted if self._weighting else [])]
        return [*super()._sentences(level), *named, *design]

    def _facts(self) -> list[str]:
        facts = self.prior.facts(self._default_prior)
        if self.design_effects is not None:
            facts.append(f"n_effective={self.design_effects.effective_size.sum():.4g}")
        if not isinstance(self._distribution, DrawnDistribution):
            facts.append("exact")
        return facts


def posterior_confusion_metric(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    metric: Metric,
    *,
    pos_label: Hashable = None,
    average: str | None = None,
    prevalence: ArrayLike = "sampled",
    prediction_counts: Mapping[Hashable, float] | None = None,
    prediction_shares: Mapping[Hashable, float] | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = None,
    groups: ArrayLike | None = None,
    prior: PriorLike = DEFAULT_PRIOR,
    n_draws: int | None = None,
    random_state: RandomStateLike = 0,
) -> PosteriorConfusionMetric:
    """Compute the posterior of a metric of the confusion matrix.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels, in any format that scikit-learn accepts.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    metric : str, callable, ExpectedCost or NetBenefit
        "recall", "precision", "specificity", "false_positive_rate" (fall-out),
        "negative_predictive_value", "positive_likelihood_ratio",
        "negative_likelihood_ratio", "jaccard", "f0.5", "f1" and "f2" of a class or
        averaged over the classes; "accuracy", "kappa", "mcc", "geometric_mean" (of the
        recalls) or, of two classes, "informedness" (Youden's J, the sum of both recalls
        less 1, which is 2 BA - 1 of the balanced accuracy BA); or a function that takes
        confusion matrices, an array of shape (n, n_classes, n_classes) with true
        classes as rows, and returns an array of shape (n,). The entries of each matrix
        are shares with the sum 1; a last column is added for predictions that are none
        of the classes, if there are any. Names of scikit-learn's functions and scorers
        are accepted, too, such as "f1_score", "f1_macro" or "matthews_corrcoef".
        :class:`~skpostbac.metrics.ExpectedCost` and
        :class:`~skpostbac.metrics.NetBenefit` weight the errors.
    pos_label : label, default=None
        Class for metrics of one class, such as recall. As in scikit-learn, two classes
        need it, unless one of them is 1 or True, which is then the default. More than
        two classes are averaged by default. Not used by accuracy, kappa and MCC.
    average : {"binary", "macro", "micro", "weighted"}, default=None
        "binary" returns the metric of `pos_label`; "macro" the mean over the classes,
        and "weighted" the mean weighted by their shares among the true labels; "micro"
        sums the true and false positives and negatives of all classes first. None means
        "binary" if there are two classes or `pos_label` is given, else "macro".
    prevalence : {"sampled", "observed"}, float or array-like of shape (n_classes,), \
            default="sampled"
        Shares of the classes. "sampled": the test set is a random sample of the
        population, so the shares are uncertain. "observed": the shares in `y_true` are
        fixed by design. An array gives the shares in the target population, normalised
        to sum to 1; of two classes, a number in (0, 1) is the share of `pos_label`, by
        default of class 1. Recalls do not depend on it.
    prediction_counts : dict of label to int, default=None
        Number of samples that are predicted as each class, if only some of them are
        labelled: a random subset, or one that was drawn by predicted label. All of
        them, with the labelled ones, are a random sample of the population, whose
        metric is estimated.
    prediction_shares : dict of label to float, default=None
        The same for known shares of the predicted classes, such as areas on a map. The
        metric is that of the whole that has these shares, of which the labelled samples
        are a small part. They are normalised to sum to 1. Neither applies with
        `prevalence`, `groups` or importance weights. See :ref:`few_labels`.
    labels : array-like of shape (n_classes,), default=None
        Classes of the confusion matrix, by default those in `y_true`. Samples whose
        true class is not listed are ignored; any other prediction is an error of its
        true class, and no false positive.
    sample_weight : array-like of shape (n_samples,), default=None
        Finite, non-negative weights. By default they are case counts, so their scale
        matters.
    weight_type : {"case", "importance"}, default=None
        Meaning of the weights: case counts, or importance (survey, inverse-probability)
        weights, whose scale does not matter. None means "case", with a warning if the
        weights are not whole numbers.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as a patient, a site or a document. Samples of
        the same group are treated as correlated: the matrix is divided by the design
        effect of the metric; see :ref:`groups`.
    prior : str, pair of floats or array-like of shape (n_classes, 2), \
            default="calibrated"
        Prior Beta(a, b) of the recall of each class, as for
        :class:`PosteriorBalancedAccuracy`; b is shared equally among the wrong
        predictions. "calibrated" is made for averages of recalls; a metric of one class
        has "jeffreys" instead, as has any metric if `prediction_counts` or
        `prediction_shares` are given; any other metric has "reciprocal" (see
        :class:`~skpostbac.metrics.CalibratedPrior`). It is not the prior of the metric:
        the accuracy of k classes has the prior Beta(1, 1) with "calibrated" and Beta(k,
        k) with "uniform", whereas :func:`posterior_accuracy` uses Beta(1/2, 1/2) by
        default.
    n_draws : int, default=None
        Number of random draws for a metric without an exact distribution, from 2 to
        1e9. By default 100,000 for two or three classes, and fewer for more: 9,000
        for ten, 8,000 for eleven to 50 and 2,000 for 100.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the draws. Results are reproducible by default; None stands for fresh
        entropy.

    Returns
    -------
    posterior : PosteriorConfusionMetric

    Raises
    ------
    ValueError
        If a parameter is invalid or does not apply to the metric, if there is a single
        class, if the metric does not return one finite number for each matrix, or for
        the reasons listed in :func:`class_counts`.
    TypeError
        For the reasons listed in :func:`class_counts`, or if `n_draws` is not an
        integer.

    Warns
    -----
    PriorInfluenceWarning
        If the prior moves the metric by more than 1.5 posterior standard deviations.
    GroupsWarning
        If the correlation within groups is poorly known.
    SampleWeightWarning
        If weights are not whole numbers and `weight_type` is None.
    StrayLabelWarning
        If predictions are none of the classes.

    See Also
    --------
    posterior_balanced_accuracy : The macro-averaged recall, in more detail.
    posterior_accuracy : The accuracy, with a prior of its own.

    Notes
    -----
    ``observed`` equals scikit-learn's score with ``labels=`` the classes of `y_true`.
    By default, scikit-learn also averages over classes that are only predicted, where
    recall and F1 are 0, and counts predictions of these as false positives in
    ``average="micro"``. Kappa is the same; for the MCC, all predictions that are none
    of the classes are one class. With fewer `labels`, scikit-learn keeps the samples of
    the classes that are not listed.

    References
    ----------
    .. [1] F. Pitie, Evaluating Classifier Performance (lecture notes), Trinity
       College Dublin.

    Examples
    --------
    A classifier that says 1 to everything has a perfect recall, and needs a second
    metric ([1]_).

    >>> from skpostbac import PosteriorConfusionMetric, posterior_confusion_metric
    >>> y_true, y_pred = [0] * 85 + [1] * 15, [1] * 100
    >>> posterior_confusion_metric(y_true, y_pred, "recall", pos_label=1).mean()
    0.9688
    >>> posterior_confusion_metric(y_true, y_pred, "precision", pos_label=1).mean()
    0.1535

    F-measures and precision are as exact, also where one sample in a hundred is
    positive.

    >>> for prevalence in ("sampled", [0.99, 0.01]):
    ...     C = [[166, 25], [21, 188]]
    ...     PosteriorConfusionMetric.from_confusion_matrix(
    ...         C, "f1", pos_label=1, prevalence=prevalence
    ...     )
    PosteriorConfusionMetric('f1 of 1', mean=0.889, 95% CI=[0.855, 0.920], exact)
    PosteriorConfusionMetric('f1 of 1', mean=0.122, 95% CI=[0.086, 0.168], exact)

    Any function of confusion matrices will do, such as the recall of the worst class.

    >>> def worst_recall(C):
    ...     return (C.diagonal(axis1=-2, axis2=-1) / C.sum(axis=-1)).min(axis=-1)
    >>> posterior = posterior_confusion_metric(y_true, y_pred, worst_recall)
    >>> posterior.prob_above(0.05)
    0.003

    300 of 10,000 samples are predicted as 1, and 60 of each prediction are labelled.

    >>> y_true, y_pred = [0] * 58 + [1] * 2 + [0] * 9 + [1] * 51, [0] * 60 + [1] * 60
    >>> posterior_confusion_metric(
    ...     y_true, y_pred, "accuracy", prediction_counts={0: 9700, 1: 300}
    ... ).credible_interval()
    Interval(low=0.8964, high=0.9926)
    """
    outcomes = read_outcomes(
        y_true, {"y_pred": y_pred}, sample_weight, weight_type, groups
    )
    classes, samples = read_confusions(outcomes, labels)
    C = samples.matrix(len(classes))
    target = find_target(metric, classes, pos_label, average)
    predictions = read_predictions(
        prediction_counts, prediction_shares, classes, C, prevalence
    )
    if predictions is not None:
        check_labelled(samples, len(outcomes.weights))
    posterior = infer_metric(
        target,
        C,
        classes,
        read_prevalence(prevalence, classes, pos_label),
        prior,
        n_draws,
        random_state,
        samples,
        predictions,
    )
    warn_of_strays(outcomes, classes)
    if groups is None:
        warn_of_repeated_ids(y_true)
    return posterior


def infer_metric(
    target: Target,
    C: Floats,
    classes: LabelArray,
    prevalence: ArrayLike,
    prior: PriorLike,
    n_draws: int | None,
    random_state: RandomStateLike,
    samples: ConfusedSamples | None = None,
    predictions: KnownPredictions | None = None,
) -> PosteriorConfusionMetric:
    """Return the posterior of a metric of counts, which may have a sample design."""
    options = prevalence, prior, n_draws, random_state
    (posterior,) = infer_metrics([target], C, classes, *options, samples, predictions)
    return posterior


def infer_metrics(
    targets: Sequence[Target],
    C: Floats,
    classes: LabelArray,
    prevalence: ArrayLike,
    prior: PriorLike,
    n_draws: int | None,
    random_state: RandomStateLike,
    samples: ConfusedSamples | None = None,
    predictions: KnownPredictions | None = None,
) -> list[PosteriorConfusionMetric]:
    """Return the posteriors of several metrics, which share draws if they need any."""
    if n_draws is not None:
        n_draws = check_n_draws(n_draws, 2)
    seed = draw_seed(random_state)
    if not C[:, len(C) :].any():  # of no other classifier
        C = C[:, : len(C)]
    inputs = [
        _input_of(target, C, prevalence, prior, samples, predictions)
        for target in targets
    ]
    n_draws = n_draws or _default_draws(C.size)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        distributions = _distributions_of(inputs, seed, n_draws)
    samples_name = AT_PREVALENCE if np.ndim(prevalence) else TEST_SAMPLES
    weighting = ""
    if predictions is not None:
        samples_name = "the weighted test samples"
        weighting = predictions.description
    return [
        _posterior_of(one, distribution, C, classes, samples_name, weighting)
        for one, distribution in zip(inputs, distributions, strict=True)
    ]


class _Input(NamedTuple):
    """What the posterior of a metric is made of."""

    target: Target
    prior: BetaPrior
    """Prior of the recalls in this metric."""
    model: ConfusionModel
    effects: DesignEffects | None
    is_importance: bool
    """Whether the samples have importance weights."""
    observed: float
    """The metric on the test samples."""
    expected: float
    """The metric of the expected matrix."""


def _input_of(
    target: Target,
    C: Floats,
    prevalence: ArrayLike,
    prior: PriorLike,
    samples: ConfusedSamples | None,
    predictions: KnownPredictions | None,
) -> _Input:
    """Return the posterior of the matrix, with the design effects of a metric."""
    if predictions is not None:
        target = drawn_target(target)
    recall_prior = read_recall_prior(target, prior, len(C))
    independent = ConfusionModel.of(C, recall_prior, prevalence)
    if predictions is not None:
        independent = predictions.extend(independent, C)
    model = independent

    # Design effects must not change the shares of the classes.
    shares = model.prevalence
    effects = None
    if samples is not None and not samples.are_independent:
        C_effective = samples.effective_counts(C)
        model = ConfusionModel.of(C_effective, recall_prior, shares)
        effects = design_of(target.function, [model], samples)
        divided = C / effects.divisor[:, np.newaxis]
        model = ConfusionModel.of(divided, recall_prior, shares)

    mean = model.joint(model.cells)  # of the joint probabilities, up to a common factor
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        matrices = np.stack([independent.joint(C), mean])
        observed, expected = target.function(matrices).tolist()
    is_importance = samples is not None and samples.is_importance
    return _Input(
        target, recall_prior, model, effects, is_importance, observed, expected
    )


def _distributions_of(
    inputs: Sequence[_Input], seed: int, n_draws: int
) -> list[Exact | DrawnDistribution]:
    """Return the distributions of the metrics, by draws where none is known."""
    found: list[Any] = [one.target.distribution(one.model) for one in inputs]
    drawn: dict[bytes, list[int]] = {}
    for place, one in enumerate(inputs):
        if found[place] is None:
            drawn.setdefault(one.model.cells.tobytes(), []).append(place)

    for places in drawn.values():
        functions = [inputs[place].target.function for place in places]
        blocks = inputs[places[0]].model.draw(np.random.default_rng(seed), n_draws)
        values = [[function(block) for function in functions] for block in blocks]
        draws = np.concatenate(values, axis=1)
        if not np.isfinite(draws).all():
            raise ValueError("metric is not a finite number for all drawn matrices")
        for place, row in zip(places, draws, strict=True):
            tail_index = inputs[place].target.tail_index(inputs[place].model)
            found[place] = DrawnDistribution(row, tail_index)
    return found


def _posterior_of(
    one: _Input,
    distribution: Exact | DrawnDistribution,
    C: Floats,
    classes: LabelArray,
    samples_name: str,
    weighting: str,
) -> PosteriorConfusionMetric:
    """Return the posterior of a metric, and warn of what makes it doubtful."""
    target = one.target
    observed = one.observed
    deviation = distribution.standard_deviation()
    if not one.prior.is_informative and moves_far(observed, one.expected, deviation):
        untested = label_list(classes[C.sum(axis=1) == 0])
        warn_if_prior_moves(
            target.name, observed, one.expected, samples_name, untested, one.prior
        )
    labels = label_list(classes)
    warn_of_groups(one.effects, labels)
    design = design_notes(one.effects, one.is_importance, labels)

    default = read_recall_prior(target, DEFAULT_PRIOR, len(C))
    return PosteriorConfusionMetric(
        target.name,
        observed,
        distribution,
        one.prior,
        one.effects,
        default.name,
        design,
        weighting,
        _samples=samples_name,
    )


def _default_draws(n_cells: int) -> int:
    wanted = max(_CHEAP_CELLS // n_cells, _ENOUGH_DRAWS)
    affordable = max(_MOST_DRAWN_CELLS // n_cells, _LEAST_DRAWS)
    return min(wanted, affordable, _MOST_DRAWS)


def read_recall_prior(target: Target, prior: PriorLike, n_classes: int) -> BetaPrior:
    """Return the prior of the recalls in a metric."""
    given = make_prior(prior, n_classes)
    return target.prior(given)
