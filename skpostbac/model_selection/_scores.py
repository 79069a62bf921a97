"""Comparison by scores: ROC AUC and average precision on the same samples."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Literal

from numpy.typing import ArrayLike

from skpostbac._utils import RandomStateLike, check_choice, draw_seed
from skpostbac.metrics._labels import WeightType
from skpostbac.metrics._paired_counts import Predictions, named_predictions
from skpostbac.metrics._ranking import area_of, infer, rank, read_scored
from skpostbac.model_selection._comparison import PosteriorComparison, check_several
from skpostbac.model_selection._joint import ScoresJoint


def compare_scores(
    y_true: ArrayLike,
    scores: Predictions,
    *,
    metric: Literal["roc_auc", "average_precision"] = "roc_auc",
    rope: float = 0.0,
    pos_label: Hashable = None,
    multi_class: Literal["raise", "ovr", "ovo"] = "raise",
    average: Literal["macro", "weighted"] = "macro",
    labels: ArrayLike | None = None,
    prevalence: float | Literal["sampled", "observed"] = "sampled",
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = None,
    groups: ArrayLike | None = None,
    n_draws: int | None = None,
    random_state: RandomStateLike = 0,
) -> PosteriorComparison:
    """Compare the rankings of classifiers that scored the same samples.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels, in any format that scikit-learn accepts.
    scores : mapping of str to array-like of shape (n_samples,) or \
            (n_samples, n_classes), or DataFrame
        Scores or probabilities of the positive class by T >= 2 classifiers for the same
        samples, by name; of more than two classes, a column for each. A pandas or
        polars DataFrame has one column per classifier.
    metric : {"roc_auc", "average_precision"}, default="roc_auc"
        What is compared.
    rope : float, default=0.0
        Half-width of the region of practical equivalence, in units of the metric, in
        [0, 1).
    pos_label, multi_class, average, labels, sample_weight, weight_type, groups
        As for :func:`posterior_roc_auc`. The average precision is of two classes.
    prevalence : {"sampled", "observed"} or float, default="sampled"
        As for :func:`posterior_average_precision`; not used for the ROC AUC.
    n_draws : int, default=None
        Number of random draws, from 2 to 1e9. By default up to 100,000, fewer with many
        samples, but at least 1,000. With some thousand samples and at least 1,000
        independent ones of each class, they are drawn from the normal limit.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the draws. Results are reproducible by default; None stands for fresh
        entropy.

    Returns
    -------
    PosteriorComparison
        Pairwise probabilities, differences, ranks and losses.

    Raises
    ------
    TypeError, ValueError
        If there are fewer than two classifiers, if `metric`, `rope` or `prevalence` is
        invalid, or as listed in :func:`posterior_roc_auc`.

    Warns
    -----
    SampleWeightWarning
        If weights are not whole numbers and `weight_type` is None, or if a few large
        importance weights decide about a class.

    See Also
    --------
    compare_predictions : Comparison by predicted labels.
    posterior_roc_auc : The posterior of one classifier.

    Notes
    -----
    In each draw the samples have the same random weights for all classifiers (see
    :func:`posterior_roc_auc`). Where two classifiers rank the same samples wrongly,
    their difference is therefore more certain than it would be on different samples.
    The samples beyond all scores lie on the same side for two classifiers with the
    probability 3/4, so that the difference is uncertain, too, if one is never worse
    than the other. It does not depend on the other classifiers, but for random draws.
    :ref:`evidence_ranking` has the coverage of its intervals, and how often it finds a
    better classifier.

    Examples
    --------
    The second classifier puts the third positive above one more negative.

    >>> from skpostbac import compare_scores
    >>> y_true = [0, 0, 0, 0, 0, 0, 1, 1, 1, 1]
    >>> scores = {
    ...     "one": [0.1, 0.2, 0.2, 0.3, 0.6, 0.7, 0.4, 0.7, 0.8, 0.9],
    ...     "two": [0.1, 0.2, 0.2, 0.3, 0.6, 0.7, 0.65, 0.7, 0.8, 0.9],
    ... }
    >>> comparison = compare_scores(y_true, scores)
    >>> comparison.difference_interval("two", "one")
    Interval(low=-0.217, high=0.282)
    """
    check_choice(metric, ("roc_auc", "average_precision"), "metric")
    columns = named_predictions(scores, "scores")
    check_several(len(columns), "scores")
    samples = read_scored(y_true, sample_weight, weight_type, groups)
    seed = draw_seed(random_state)
    ranked = [
        rank(
            metric,
            samples,
            values,
            f"scores[{name!r}]",
            pos_label=pos_label,
            multi_class=multi_class,
            average=average,
            labels=labels,
        )
        for name, values in columns.items()
    ]
    area = area_of(metric, samples, ranked[0][0][0], prevalence)
    posteriors, draws = infer(metric, samples, ranked, area, n_draws, seed)
    joint = ScoresJoint(
        posteriors=tuple(posteriors),
        n_draws=draws.shape[1],
        seed=seed,
        draws=draws,
        n_samples=float(
            len(samples.weight) if samples.is_importance else samples.weight.sum()
        ),
        n_groups=0 if samples.group is None else int(samples.group.max()) + 1,
    )
    return PosteriorComparison(tuple(columns), joint, rope=rope)
