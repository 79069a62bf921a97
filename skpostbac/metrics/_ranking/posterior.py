"""Posterior of the area under the ROC or the precision-recall curve."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import partial
from itertools import permutations
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import block_diag

from skpostbac._utils import (
    Bools,
    Floats,
    Indices,
    RandomStateLike,
    check_choice,
    check_level,
    check_n_draws,
    draw_seed,
    float_or_nan,
    shown,
)
from skpostbac.metrics._binary_scores import (
    check_one_column,
    positive_position,
    read_score_array,
    warn_of_labels,
)
from skpostbac.metrics._dependence import matched_beta
from skpostbac.metrics._labels import (
    WeightType,
    label_list,
    read_outcomes,
    unique_label_array,
    warn_of_repeated_ids,
)
from skpostbac.metrics._posterior import AT_PREVALENCE, PosteriorMetric
from skpostbac.metrics._ranking.areas import (
    SLOPES,
    Area,
    Curves,
    Ranking,
    RocBand,
    make_curves,
    precision_area,
    roc_area,
)
from skpostbac.stats import BetaAverage
from skpostbac.stats._distribution import DrawnDistribution

# Draws take half a second, within limits. If there were fewer than the least, the
# normal limit is used with at least so many independent samples of each class.
_MOST_WEIGHTS = 2**24
_LEAST_RANKING_DRAWS = 2**12
_MOST_RANKING_DRAWS = 100_000
# Of a single metric, as many as its digits need: ends of intervals have errors of about
# 2 % of the standard deviation.
_ENOUGH_DRAWS = 20_000
_MANY_SAMPLES = 1000

# Steps of a curve that is drawn, and draws of its band.
_MOST_STEPS = 4000
_BAND_DRAWS = 2000


class PosteriorRankingMetric(PosteriorMetric):
    """Posterior of the area under the ROC curve or of the average precision.

    Created by :func:`~skpostbac.posterior_roc_auc` and
    :func:`~skpostbac.posterior_average_precision`.

    Attributes
    ----------
    metric : {"roc_auc", "average_precision"}
        Name of the metric.
    observed : float
        Metric on the test samples, which a given `prevalence` weights.
    distribution : DrawnDistribution or BetaAverage
        Distribution of the metric by random draws; with many samples the Beta
        distribution with the mean and variance of its normal limit.
    """

    @property
    def score_name(self) -> str:
        """Name of the metric as an axis label."""
        return "ROC AUC" if self.metric == "roc_auc" else "Average precision"


class ScoredSamples(NamedTuple):
    """Samples of positive weight, whose scores are ranked, arrays of (n_samples,)."""

    classes: list[Hashable]
    codes: Indices
    """Position of the true class of each sample."""
    weight: Floats
    is_importance: bool
    group: Indices | None
    has_weight: Bools
    """Which of the samples given have a positive weight."""

    def scores(self, values: ArrayLike, name: str) -> Floats:
        """Return checked scores of the samples, in one or two dimensions."""
        scores = read_score_array(values, name, self.has_weight)
        return scores[self.has_weight]

    def are_many(self) -> bool:
        """Return whether each class has many groups or independent samples."""
        if self.group is not None:
            pairs = np.unique(np.stack([self.group, self.codes]), axis=1)
            return bool(np.bincount(pairs[1]).min() >= _MANY_SAMPLES)

        # The effective size of weights is the square of their sum by that of squares.
        sums = np.bincount(self.codes, self.weight)
        squares = sums
        if self.is_importance:
            squares = np.bincount(self.codes, self.weight**2)
        return bool((sums * sums >= _MANY_SAMPLES * squares).all())

    def curves(self, rankings: Sequence[Ranking], area: Area) -> Curves:
        """Return the curves of rankings."""
        return make_curves(
            rankings, area, self.weight, self.group, is_importance=self.is_importance
        )


def read_scored(
    y_true: ArrayLike,
    sample_weight: ArrayLike | None,
    weight_type: WeightType,
    groups: ArrayLike | None,
) -> ScoredSamples:
    """Read labels, weights and groups, with the errors of :func:`class_counts`."""
    outcomes = read_outcomes(y_true, {}, sample_weight, weight_type, groups)
    if groups is None:
        warn_of_repeated_ids(y_true)
    weight = outcomes.weights
    has_weight = weight > 0

    every = slice(None)
    codes = outcomes.codes(every)[has_weight]
    classes = label_list(outcomes.classes)
    counted = np.bincount(codes, minlength=len(classes))
    if np.count_nonzero(counted) < 2:
        raise ValueError(
            f"y_true must have samples of two classes, got only {shown(classes)}"
        )
    if not counted.all():
        without = shown([classes[i] for i in np.flatnonzero(counted == 0)])
        raise ValueError(
            f"sample_weight must not be zero for whole classes, got that for {without}"
        )

    return ScoredSamples(
        classes,
        codes,
        weight[has_weight],
        outcomes.is_importance,
        None if outcomes.groups is None else outcomes.groups(every)[has_weight],
        has_weight,
    )


def rank_one_class(
    samples: ScoredSamples, values: ArrayLike, name: str, pos_label: Hashable
) -> list[Ranking]:
    """Rank the samples by the scores of the positive one of two classes."""
    positive = positive_position(samples.classes, pos_label)
    scores = samples.scores(values, name)
    check_one_column(scores, name)
    warn_of_labels(scores, name)
    return [Ranking(scores, samples.codes == positive)]


def rank_classes(
    samples: ScoredSamples,
    values: ArrayLike,
    name: str,
    multi_class: str,
    average: str,
    labels: ArrayLike | None,
) -> tuple[list[Ranking], Floats]:
    """Return a ranking of each class or pair, and their weights in the average."""
    scores = samples.scores(values, name)
    classes = samples.classes
    if multi_class == "raise":
        raise ValueError(
            f"y_true has {len(classes)} classes: multi_class must be 'ovr' or 'ovo'"
        )
    columns = classes
    if labels is not None:
        columns = label_list(unique_label_array(labels, "labels"))
    if scores.shape[1:] != (len(classes),) or set(columns) != set(classes):
        raise ValueError(
            f"{name} must have a column for each of the classes {shown(classes)}, "
            "which are given by labels in another order, got the shape "
            f"{scores.shape} and labels={shown(columns)}"
        )

    # Positions of the true classes among the columns.
    codes = np.array([columns.index(label) for label in classes])[samples.codes]
    rankings = [Ranking(column, codes == i) for i, column in enumerate(scores.T)]
    if multi_class == "ovo":
        rankings = [
            one._replace(chosen=one.is_positive | other.is_positive)
            for one, other in permutations(rankings, 2)
        ]

    if average == "macro":
        return rankings, np.ones(len(rankings))
    sizes = [
        samples.weight[one.is_positive if multi_class == "ovr" else one.chosen].sum()
        for one in rankings
    ]
    return rankings, np.array(sizes)


def rank(
    metric: str,
    samples: ScoredSamples,
    values: ArrayLike,
    name: str,
    *,
    pos_label: Hashable = None,
    multi_class: str = "raise",
    average: str = "macro",
    labels: ArrayLike | None = None,
) -> tuple[list[Ranking], Floats]:
    """Return the rankings of a classifier, and their weights in the metric."""
    check_choice(multi_class, ("raise", "ovr", "ovo"), "multi_class")
    check_choice(average, ("macro", "weighted"), "average")
    if metric == "average_precision" or len(samples.classes) == 2:
        return rank_one_class(samples, values, name, pos_label), np.ones(1)
    return rank_classes(samples, values, name, multi_class, average, labels)


def area_of(
    metric: str, samples: ScoredSamples, ranking: Ranking, prevalence: object
) -> Area:
    """Return the area of a metric, given a prevalence that may be "sampled"."""
    if isinstance(prevalence, str) and prevalence == "sampled":
        return roc_area if metric == "roc_auc" else precision_area
    if metric == "roc_auc":
        raise ValueError(
            f"prevalence={shown(prevalence)} does not apply to metric='roc_auc'"
        )
    share = float_or_nan(prevalence)
    if isinstance(prevalence, str) and prevalence == "observed":
        share = float(samples.weight @ ranking.is_positive / samples.weight.sum())
    if not 0 < share < 1:
        raise ValueError(
            "prevalence must be 'sampled', 'observed' or a number between 0 and 1, got "
            f"{shown(prevalence)}"
        )
    return partial(precision_area, prevalence=share)


def infer(
    metric: str,
    samples: ScoredSamples,
    ranked: Sequence[tuple[Sequence[Ranking], Floats]],
    area: Area,
    n_draws: int | None,
    seed: int,
) -> tuple[list[PosteriorRankingMetric], Floats]:
    """Return the posterior of each of T classifiers, and joint draws, (T, n_draws)."""
    rankings = [
        ranking._replace(classifier=classifier)
        for classifier, (own, _) in enumerate(ranked)
        for ranking in own
    ]
    curves = samples.curves(rankings, area)
    shares = block_diag(*(each / each.sum() for _, each in ranked))
    rng = np.random.default_rng(seed)

    size = _MOST_WEIGHTS // curves.matrix.nnz
    is_slow = n_draws is None and size < _LEAST_RANKING_DRAWS
    distributions: Sequence[DrawnDistribution | BetaAverage]
    if is_slow and area in SLOPES and samples.are_many():
        means, covariances = curves.normal_limit()
        means = shares @ means
        covariances = shares @ covariances @ shares.T
        betas = map(matched_beta, means.tolist(), np.diag(covariances).tolist())
        distributions = [BetaAverage([a], [b]) for a, b in betas]
        draws = rng.multivariate_normal(
            means, covariances, _MOST_RANKING_DRAWS, method="eigh"
        ).T
    else:
        if n_draws is None:
            most = _MOST_RANKING_DRAWS if len(ranked) > 1 else _ENOUGH_DRAWS
            n_draws = min(max(size, _MANY_SAMPLES), most)
        draws = shares @ curves.draw(rng, check_n_draws(n_draws, 2))
        distributions = [DrawnDistribution(values) for values in draws]

    observed = shares @ curves.observed()
    posteriors = [
        PosteriorRankingMetric(metric, value, distribution)
        for value, distribution in zip(observed.tolist(), distributions, strict=True)
    ]
    return posteriors, draws


def roc_with_band(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    level: float,
    pos_label: Hashable = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = None,
    groups: ArrayLike | None = None,
    random_state: RandomStateLike = 0,
) -> tuple[PosteriorRankingMetric, RocBand]:
    """Return the posterior of the area, and the curve with a pointwise band."""
    samples = read_scored(y_true, sample_weight, weight_type, groups)
    (ranking,) = rank_one_class(samples, y_score, "y_score", pos_label)
    seed = draw_seed(random_state)
    (posterior,), _ = infer(
        "roc_auc", samples, [([ranking], np.ones(1))], roc_area, None, seed
    )

    if ranking.scores.size > _MOST_STEPS:
        # So many steps look smooth.
        ends = np.quantile(ranking.scores, np.linspace(0, 1, _MOST_STEPS))
        steps = np.searchsorted(ends, ranking.scores).astype(float)
        ranking = ranking._replace(scores=steps)
    curve = samples.curves([ranking], roc_area)
    rng = np.random.default_rng([seed, 1])
    return posterior, curve.roc_band(check_level(level), rng, _BAND_DRAWS)


def posterior_roc_auc(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Hashable = None,
    multi_class: Literal["raise", "ovr", "ovo"] = "raise",
    average: Literal["macro", "weighted"] = "macro",
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = None,
    groups: ArrayLike | None = None,
    n_draws: int | None = None,
    random_state: RandomStateLike = 0,
) -> PosteriorRankingMetric:
    """Compute the posterior of the ROC AUC, without a model of the scores.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels, in any format that scikit-learn accepts.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Scores or probabilities of the positive class; of more than two classes, a
        column for each.
    pos_label : label, default=None
        The positive one of two classes, by default 1 if the labels are 0 and 1 or -1
        and 1.
    multi_class : {"raise", "ovr", "ovo"}, default="raise"
        How to average over more than two classes, not used for two, as in
        :func:`~sklearn.metrics.roc_auc_score`: each class against all others, or each
        against each other.
    average : {"macro", "weighted"}, default="macro"
        Whether the areas of all classes, or pairs, have equal weights, or the number of
        samples.
    labels : array-like of shape (n_classes,), default=None
        Classes of the columns of `y_score`, by default sorted; not used for two
        classes.
    sample_weight : array-like of shape (n_samples,), default=None
        Finite, non-negative weights. By default they are case counts, so their scale
        matters.
    weight_type : {"case", "importance"}, default=None
        Meaning of the weights: case counts, or importance (survey, inverse-probability)
        weights, whose scale does not matter. None means "case", with a warning if the
        weights are not whole numbers.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as a patient, a site or a document. Groups are
        resampled as a whole.
    n_draws : int, default=None
        Number of random draws, from 2 to 1e9. By default up to 20,000, fewer with many
        samples, but at least 1,000. With some thousand samples and at least 1,000
        independent ones of each class, the normal limit is returned, a Beta
        distribution.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the draws. Results are reproducible by default; None stands for fresh
        entropy.

    Returns
    -------
    posterior : PosteriorRankingMetric

    Raises
    ------
    ValueError
        If an argument is invalid, if the shapes do not agree, if a score is not finite,
        or if there are no samples of two classes.
    TypeError
        If labels have an invalid type.

    Warns
    -----
    SampleWeightWarning
        If weights are not whole numbers and `weight_type` is None, or if a few large
        importance weights decide about a class.

    See Also
    --------
    posterior_average_precision : The area under the precision-recall curve.
    skpostbac.binormal.binormal_roc_curve : A smooth curve of normal scores.

    Notes
    -----
    The samples of each class have random weights, those of the Bayesian bootstrap
    ([1]_), and half a sample of each class lies below all scores and half a sample
    above. The area is that of the weighted samples, in which ties count one half. The
    area is thereby uncertain, too, if no score is out of order. :ref:`evidence_ranking`
    has the coverage of its intervals.

    References
    ----------
    .. [1] D. B. Rubin (1981). The Bayesian bootstrap. Annals of Statistics 9, 130-134.

    Examples
    --------
    >>> from skpostbac import posterior_roc_auc
    >>> y_true = [0, 0, 0, 0, 0, 0, 1, 1, 1, 1]
    >>> y_score = [0.1, 0.2, 0.2, 0.3, 0.6, 0.7, 0.4, 0.7, 0.8, 0.9]
    >>> posterior_roc_auc(y_true, y_score)
    PosteriorRankingMetric('roc_auc', mean=0.772, 95% CI=[0.438, 0.987],
        monte_carlo_error=1e-03, CI_error=4e-03)

    Even if no score is out of order, the area of the population may be below 1:

    >>> round(posterior_roc_auc(y_true, range(10)).prob_above(0.9), 2)
    0.44
    """
    samples = read_scored(y_true, sample_weight, weight_type, groups)
    ranked = rank(
        "roc_auc",
        samples,
        y_score,
        "y_score",
        pos_label=pos_label,
        multi_class=multi_class,
        average=average,
        labels=labels,
    )
    seed = draw_seed(random_state)
    (posterior,), _ = infer("roc_auc", samples, [ranked], roc_area, n_draws, seed)
    return posterior


def posterior_average_precision(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Hashable = None,
    prevalence: float | Literal["sampled", "observed"] = "sampled",
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = None,
    groups: ArrayLike | None = None,
    n_draws: int | None = None,
    random_state: RandomStateLike = 0,
) -> PosteriorRankingMetric:
    """Compute the posterior of the average precision, without a model of the scores.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes, in any format that scikit-learn accepts.
    y_score : array-like of shape (n_samples,)
        Scores or probabilities of the positive class.
    prevalence : {"sampled", "observed"} or float, default="sampled"
        Share of the positive class. "sampled": the samples are a random sample of the
        population, so the share is uncertain. "observed": that in `y_true` is fixed by
        design. A number in (0, 1) is the share in the target population.
    pos_label, sample_weight, weight_type, groups, n_draws, random_state
        As for :func:`posterior_roc_auc`.

    Returns
    -------
    posterior : PosteriorRankingMetric

    Raises
    ------
    ValueError, TypeError
        As :func:`posterior_roc_auc` does, or if `prevalence` is invalid.

    Notes
    -----
    The weights of the samples and those beyond all scores are as for
    :func:`posterior_roc_auc`.

    Examples
    --------
    >>> from skpostbac import posterior_average_precision
    >>> y_true = [0, 0, 0, 0, 0, 0, 1, 1, 1, 1]
    >>> y_score = [0.1, 0.2, 0.2, 0.3, 0.6, 0.7, 0.4, 0.7, 0.8, 0.9]
    >>> posterior_average_precision(y_true, y_score)
    PosteriorRankingMetric('average_precision', mean=0.719, 95% CI=[0.334, 0.981],
        monte_carlo_error=1e-03, CI_error=3e-03)
    """
    samples = read_scored(y_true, sample_weight, weight_type, groups)
    metric = "average_precision"
    ranked = rank(metric, samples, y_score, "y_score", pos_label=pos_label)
    area = area_of(metric, samples, ranked[0][0], prevalence)
    (posterior,), _ = infer(
        metric, samples, [ranked], area, n_draws, draw_seed(random_state)
    )
    if isinstance(prevalence, str):
        return posterior
    return replace(posterior, _samples=AT_PREVALENCE)
