"""Comparison of systems by which of the same items they got right."""

from __future__ import annotations

from numpy.typing import ArrayLike

from skpostbac._utils import RandomStateLike, check_n_draws, draw_seed
from skpostbac.metrics._advice import warn_of_prior
from skpostbac.metrics._dependence import warn_of_groups
from skpostbac.metrics._labels import (
    NO_LABELS,
    WeightType,
    read_outcomes,
    warn_of_repeated_ids,
)
from skpostbac.metrics._paired_counts import (
    Predictions,
    by_argument,
    count_patterns,
    named_predictions,
)
from skpostbac.metrics._prior import DEFAULT_PRIOR, PriorLike
from skpostbac.model_selection._comparison import PosteriorComparison, check_several
from skpostbac.model_selection._joint import N_JOINT_DRAWS
from skpostbac.model_selection._judged import judged_joint


def compare_outcomes(
    outcomes: Predictions,
    *,
    verdicts: Predictions | None = None,
    rope: float = 0.0,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = None,
    groups: ArrayLike | None = None,
    prior: PriorLike = DEFAULT_PRIOR,
    n_draws: int = N_JOINT_DRAWS,
    random_state: RandomStateLike = 0,
    n_jobs: int | None = None,
) -> PosteriorComparison:
    """Compare systems by which of the same items they got right.

    The accuracy of a system is the share of items that are right, as for the answers of
    language models to the questions of a benchmark.

    Parameters
    ----------
    outcomes : mapping of str to array-like of shape (n_items,), or DataFrame
        Outcomes of T >= 2 systems on the same items, by name: True or 1 for what is
        right, False or 0 for what is wrong. A pandas or polars DataFrame has one column
        per system.
    verdicts : mapping of str to array-like of shape (n_items,), or DataFrame, optional
        Verdicts of a judge on two systems, with the same names: True or 1 for what it
        calls right. `outcomes` are then needed for some items only and are NaN, None or
        pandas.NA for others; see :ref:`prevalence`. Items with outcomes, of both
        systems, must be random among those with the same verdicts. Verdicts on one
        system also tell about the other, so accuracies differ a little from those that
        :func:`posterior_prevalence` has of each alone, and differences have smaller
        errors if the systems mostly agree.
    rope : float, default=0.0
        Half-width of the region of practical equivalence, in [0, 1).
    sample_weight, weight_type
        As for :func:`compare_predictions`, with one weight for each item.
    groups : array-like of shape (n_items,), default=None
        The group of each item, such as the text that several questions are on. Items of
        the same group are treated as correlated and count for less; see :ref:`groups`.
        Repeated runs of an item are a group: pass the names of the items. With
        verdicts, the items of a group have the same random weight.
    prior, n_draws, random_state, n_jobs
        As for :func:`compare_predictions` with ``metric="accuracy"``.

    Returns
    -------
    PosteriorComparison
        Pairwise probabilities, differences, ranks and losses.

    Raises
    ------
    TypeError, ValueError
        If `outcomes` is neither a mapping from strings nor a DataFrame, has fewer than
        two systems, or holds anything but True and False, 1 and 0; or as listed in
        :func:`compare_predictions`. With `verdicts`, if there are weights or more than
        two systems, if only one outcome of an item is known, or if no outcomes are
        known of the items with some verdicts.

    Warns
    -----
    GroupsWarning
        If the correlation within groups is poorly known, or if there are no groups and
        a pandas index has repeated entries.
    PriorInfluenceWarning
        If 95 % intervals under this prior would often miss the true value in similar
        test sets.
    SampleWeightWarning
        If weights are not whole numbers and `weight_type` is None.

    See Also
    --------
    PosteriorAccuracy.from_outcomes : The accuracy of one system.
    posterior_prevalence : The accuracy of one system by the verdicts of a judge.
    compare_predictions : Comparison by labels and predictions.

    Examples
    --------
    >>> from skpostbac import compare_outcomes
    >>> old = [1, 1, 1, 0, 1, 0, 0, 1, 0, 1] * 12
    >>> new = [1, 1, 1, 0, 1, 1, 0, 1, 0, 1] * 12
    >>> comparison = compare_outcomes({"old": old, "new": new})
    >>> comparison.difference_interval("new", "old")
    Interval(low=0.043, high=0.160)
    """
    columns = named_predictions(outcomes, "outcomes")
    check_several(len(columns), "outcomes")
    names = tuple(columns)
    if verdicts is not None:
        if sample_weight is not None:
            raise ValueError("sample_weight cannot be used with verdicts")
        rated = named_predictions(verdicts, "verdicts")
        joint = judged_joint(
            columns,
            rated,
            groups,
            prior,
            check_n_draws(n_draws, 2),
            draw_seed(random_state),
        )
        return PosteriorComparison(names, joint, rope=rope)
    given = by_argument(columns, names, "outcomes")
    read = read_outcomes(NO_LABELS, given, sample_weight, weight_type, groups)
    counts = count_patterns(read, names)
    comparison = PosteriorComparison.from_paired_counts(
        counts,
        metric="accuracy",
        rope=rope,
        prior=prior,
        n_draws=n_draws,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    if groups is None:
        name, right = next(iter(columns.items()))
        warn_of_repeated_ids(right, f"outcomes[{name!r}]")
    effects = comparison.design_effects(*counts.names[:2])
    warn_of_groups(effects, comparison.joint.effect_labels, "item")
    warn_of_prior(*comparison.joint.evidence())
    return comparison
