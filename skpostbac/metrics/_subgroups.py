"""Posterior balanced accuracy of subgroups, of the worst of them, and of the gap."""

from __future__ import annotations

import warnings
from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaln, expit, logit
from sklearn.utils.validation import check_consistent_length

from skpostbac._plot import PosteriorPlot
from skpostbac._utils import (
    Floats,
    StablePickle,
    format_column,
    format_estimate,
    format_probability,
    input_errors,
    join_first,
    label_repr,
    more,
    paragraphs,
    result,
    shown,
    table,
    unwrap,
    user_stacklevel,
)
from skpostbac.metrics._advice import PriorInfluenceWarning
from skpostbac.metrics._balanced_accuracy import PosteriorBalancedAccuracy
from skpostbac.metrics._class_weight import ClassWeightLike
from skpostbac.metrics._counts import count_outcomes, describe_samples
from skpostbac.metrics._dependence import (
    GroupsWarning,
    WidenedAverage,
    group_notes,
)
from skpostbac.metrics._labels import (
    WeightType,
    encode,
    label_list,
    positions,
    read_column,
    read_outcomes,
    warn_of_strays,
)
from skpostbac.metrics._posterior import ScalarPosterior
from skpostbac.stats._distribution import DrawnDistribution, estimate_rows, figures_of
from skpostbac.stats._population import GroupInference

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Groups in the HTML table, and groups named in a sentence.
SHOWN_GROUPS = 20
_NAMED = 5

# Draws of pooled groups: probabilities are accurate to 0.002.
POOLED_DRAWS = 100_000
# Prior probability that related groups are equal. In benchmarks/subgroup_pooling.py,
# 0 finds certain gaps among equal groups, and 0.5 conceals more of the real ones.
_EQUAL = 0.2


@dataclass(frozen=True, eq=False, repr=False)
class SubgroupPosterior(ScalarPosterior):
    """Posterior balanced accuracy of a group or the worst group, or of the gap."""

    name: str
    _distribution: DrawnDistribution

    @property
    def distribution(self) -> DrawnDistribution:
        """The distribution, as 100,000 random draws."""
        return self._distribution

    @property
    def score_name(self) -> str:
        """Name of the metric."""
        return self.name

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, {self._summary()})"


@dataclass(frozen=True, eq=False, repr=False)
class SubgroupPosteriors(StablePickle):
    """Posterior balanced accuracy of one classifier on several groups of samples.

    Created by :func:`~skpostbac.subgroup_posteriors`.

    Attributes
    ----------
    names : tuple
        Names of the two or more groups, sorted unless an ordered categorical of pandas
        orders them.
    posteriors : tuple of PosteriorBalancedAccuracy
        One per group alone, with the same classes. Groups borrow strength from one
        another in half of the draws, in which the priors of these do not apply.

    Raises
    ------
    TypeError
        If a posterior is not a PosteriorBalancedAccuracy.
    ValueError
        If there are fewer than two groups, if the number of names differs, or if the
        groups have different classes.

    Examples
    --------
    >>> from skpostbac import PosteriorBalancedAccuracy
    >>> from skpostbac.metrics import SubgroupPosteriors
    >>> men = PosteriorBalancedAccuracy.from_counts([80, 45], [90, 50])
    >>> women = PosteriorBalancedAccuracy.from_counts([30, 14], [36, 20])
    >>> SubgroupPosteriors(("men", "women"), (men, women))
    SubgroupPosteriors(gap=0.099, 95% CI=[0.000, 0.246], n_groups=2)
    """

    names: tuple[Hashable, ...]
    posteriors: tuple[PosteriorBalancedAccuracy, ...]

    def __post_init__(self) -> None:
        names = tuple(self.names)
        posteriors = tuple(self.posteriors)
        for posterior in posteriors:
            if not isinstance(posterior, PosteriorBalancedAccuracy):
                raise TypeError(
                    "posteriors must be of type PosteriorBalancedAccuracy, got "
                    f"{shown(posterior)}"
                )
        if len(posteriors) < 2 or len(set(names)) != len(posteriors):
            raise ValueError(
                "posteriors must be two or more, with as many different names, got "
                f"{len(posteriors)} and the names {shown(names)}"
            )
        classes = {
            tuple(label_list(posterior.counts.classes)) for posterior in posteriors
        }
        if len(classes) > 1:
            raise ValueError("posteriors must have the same classes in all groups")
        vars(self).update(names=names, posteriors=posteriors)

    @property
    def by_group(self) -> dict[Hashable, SubgroupPosterior]:
        """Posterior of each group, by name."""
        return {
            name: SubgroupPosterior(self._score_name, DrawnDistribution(draws))
            for name, draws in zip(self.names, self._draws.T, strict=True)
        }

    @property
    def _score_name(self) -> str:
        """Name of the metric: with a single class it is its recall."""
        return self.posteriors[0].score_name

    @cached_property
    def _draws(self) -> Floats:
        """Joint draws of the accuracies of the groups, shape (n_draws, n_groups)."""
        rng = np.random.default_rng(0)
        size = POOLED_DRAWS // 2
        counts = [posterior.effective_counts for posterior in self.posteriors]

        # Half of the draws take the groups as related: alike, or equal in all classes.
        alike: Floats = np.zeros((size, len(counts)))
        equal: Floats = np.zeros((size, 1))
        log_odds = logit(_EQUAL)
        for i, weight in enumerate(self.posteriors[0].class_weight):
            if weight == 0:
                continue
            correct = np.array([group.correct[i] for group in counts])
            total = np.array([group.total[i] for group in counts])
            inference = GroupInference(correct, total)
            alike += weight * inference.sample_groups(size, rng)
            a = 1 + correct.sum()
            b = 1 + (total - correct).sum()
            equal += weight * rng.beta(a, b, (size, 1))
            log_odds += betaln(a, b) - inference.log_evidence()

        # Clusters with samples of several classes widen the average, as they do that of
        # each group alone.
        by_itself = [posterior.distribution for posterior in self.posteriors]
        factors = [
            one._factor if isinstance(one, WidenedAverage) else 1.0 for one in by_itself
        ]
        alike = _widened(alike, factors)
        equal = _widened(equal, np.mean(factors))
        related = np.where(rng.random((size, 1)) < expit(log_odds), equal, alike)

        # The data do not change the share of the others: where a group is hard to tell
        # from chance, the evidence for related groups would draw it to the others.
        alone = [one.sample(size, rng=rng) for one in by_itself]
        return np.concatenate([related, np.stack(alone, axis=1)])

    @cached_property
    def gap(self) -> SubgroupPosterior:
        """Posterior of the gap between the best and the worst group.

        It is never negative, even if the groups are equally good; its interval starts
        at 0 unless equal groups are unlikely. Compare it with a tolerable gap, e.g.
        ``gap.prob_above(0.05)``.
        """
        name = f"Gap in {self._score_name.lower()}"
        return SubgroupPosterior(name, DrawnDistribution(np.ptp(self._draws, axis=1)))

    @cached_property
    def worst(self) -> SubgroupPosterior:
        """Posterior of the balanced accuracy of the worst group, whichever that is."""
        name = f"{self._score_name} of the worst group"
        return SubgroupPosterior(name, DrawnDistribution(self._draws.min(axis=1)))

    @property
    def prob_worst(self) -> dict[Hashable, float]:
        """Probability that each group is the worst; they sum to 1."""
        # Equal groups share the last place.
        is_worst = self._draws == self._draws.min(axis=1, keepdims=True)
        worst = (is_worst / is_worst.sum(axis=1, keepdims=True)).mean(axis=0)
        return dict(zip(self.names, worst.tolist(), strict=True))

    def summary(self, level: float = 0.95) -> list[dict[str, Any]]:
        """Return one record per group, for ``pandas.DataFrame``.

        Parameters
        ----------
        level : float, default=0.95
            Probability of the credible intervals, in (0, 1).

        Returns
        -------
        records : list of dict
            "name", "mean", "median", "standard_deviation", "low", "high", "level",
            "n_samples" and "prob_worst".
        """
        prob_worst = self.prob_worst
        return [
            {
                "name": name,
                **figures_of(
                    posterior.distribution, level, posterior.credible_interval(level)
                ),
                "n_samples": float(alone.counts.n_samples),
                "prob_worst": prob_worst[name],
            }
            for (name, posterior), alone in zip(
                self.by_group.items(), self.posteriors, strict=True
            )
        ]

    def report(self, level: float = 0.95) -> str:
        """Return a text report on the gap and the worst group.

        Parameters
        ----------
        level : float, default=0.95
            Probability of the credible intervals, in (0, 1).

        Returns
        -------
        sentences : str
            One sentence per line.

        Examples
        --------
        >>> from skpostbac import subgroup_posteriors
        >>> y_true = [0] * 60 + [1] * 60
        >>> y_pred = [0] * 50 + [1] * 10 + [1] * 40 + [0] * 20
        >>> sex = ["f", "m", "m"] * 40
        >>> print(subgroup_posteriors(y_true, y_pred, sensitive_features=sex).report())
        The gap in balanced accuracy between the best and worst group is 0.045 (95%
        credible interval 0.000 to 0.169).
        The balanced accuracy of the worst group is 0.722 (95% credible interval 0.624
        to 0.809).
        It is most likely 'm', with probability 0.602.
        'f', 40 samples: 0.754 (95% credible interval 0.639 to 0.866).
        'm', 80 samples: 0.735 (95% credible interval 0.642 to 0.821).
        """
        return paragraphs(*self._sentences(level, self._score_name.lower()))

    def _sentences(self, level: float, score: str) -> list[str]:
        """Return the sentences of the report on a score of this name."""
        prob_worst = self.prob_worst
        worst = max(prob_worst, key=prob_worst.__getitem__)
        probability = format_probability(prob_worst[worst])
        gap = self.gap._describe(level)
        lowest = self.worst._describe(level)
        lines = [
            f"The gap in {score} between the best and worst group is {gap}.",
            f"The {score} of the worst group is {lowest}.",
            f"It is most likely {label_repr(worst)}, with probability {probability}.",
        ]
        for (name, posterior), alone in zip(
            self.by_group.items(), self.posteriors, strict=True
        ):
            samples = describe_samples(alone.counts.n_given)
            estimate = posterior._describe(level)
            lines.append(f"{label_repr(name)}, {samples}: {estimate}.")
        return [*lines, *_missing_class_notes(self)]

    def __str__(self) -> str:
        return self.report()

    def plot(self, ax: Axes | None = None, **plot_params: Any) -> PosteriorPlot:
        """Draw the posterior of each group, in rows.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw into. Defaults to those of a new figure.
        **plot_params
            As for :meth:`PosteriorPlot.plot <skpostbac.displays.PosteriorPlot.plot>`.

        Returns
        -------
        display : PosteriorPlot
        """
        posteriors = {str(name): posterior for name, posterior in self.by_group.items()}
        return PosteriorPlot(posteriors).plot(ax, **{"kind": "forest", **plot_params})

    def _repr_html_(self) -> str:
        first_groups = list(self.by_group.items())[:SHOWN_GROUPS]
        estimates = estimate_rows(
            {str(name): posterior.distribution for name, posterior in first_groups}
        )
        sizes = format_column(
            [alone.counts.n_samples for alone in self.posteriors[:SHOWN_GROUPS]]
        )
        worst = map(format_probability, self.prob_worst.values())
        rows = [
            (name, size, *estimate, probability)
            for (name, *estimate), size, probability in zip(
                estimates, sizes, worst, strict=False
            )
        ]
        over_groups = estimate_rows(
            {"worst": self.worst.distribution, "gap": self.gap.distribution}
        )

        header = ("group", "n", "mean", "95% CI", "P(worst)")
        note = more(len(self.names), SHOWN_GROUPS)
        return result(
            unwrap(self.report())[0],
            table(header, rows, note=note),
            table(("over the groups", "mean", "95% CI"), over_groups),
        )

    def __repr__(self) -> str:
        mean, interval = format_estimate(self.gap.mean(), self.gap.credible_interval())
        return (
            f"SubgroupPosteriors(gap={mean}, 95% CI={interval}, "
            f"n_groups={len(self.names)})"
        )


def subgroup_posteriors(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sensitive_features: ArrayLike,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = None,
    groups: ArrayLike | None = None,
    class_weight: ClassWeightLike = None,
) -> SubgroupPosteriors:
    """Compute the posterior balanced accuracy of each subgroup, the worst, and the gap.

    The groups are those of interest, such as men and women, and no others.
    :func:`population_posterior` takes groups as a sample of more, such as sites;
    `groups` says which samples depend on one another, such as those of one patient.

    The groups are partially pooled. Half of 100,000 draws, with a fixed seed, evaluate
    each group by itself, so that a group can stand apart. In the other half groups
    borrow strength from one another: in each class, their recalls are a sample from a
    Beta population, as in :func:`~skpostbac.population_posterior`, or, with a prior
    probability of 0.2 that the data update, all groups are equal. This takes about
    10 ms per group and class.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels, in any format that scikit-learn accepts.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    sensitive_features : array-like of shape (n_samples,)
        The group of each sample, such as sex, age class or site; two or more groups.
        They are sorted, or in the order of an ordered categorical of pandas.
    labels : array-like of shape (n_classes,), default=None
        Classes to average over, by default those in `y_true`. A class that is absent
        from a group keeps its prior there.
    sample_weight : array-like of shape (n_samples,), default=None
        Finite, non-negative case counts. Their scale matters.
    weight_type : {"case", "importance"}, default=None
        As for :func:`posterior_balanced_accuracy`.
    groups : array-like of shape (n_samples,), default=None
        The cluster of each sample, such as a patient. Samples of the same cluster are
        treated as correlated and count for less; see :ref:`groups`. The correlation is
        estimated in each of the compared groups. A cluster in several of them, such as
        a patient examined at two sites, makes their accuracies alike, which is ignored:
        the gap is then less uncertain than shown.
    class_weight : dict or array-like of shape (n_classes,), default=None
        Weights of the classes in the average, normalised to sum to 1.

    Returns
    -------
    groups : SubgroupPosteriors

    Raises
    ------
    ValueError, TypeError
        If there are fewer than two groups, or for the reasons listed in
        :func:`posterior_balanced_accuracy`.

    Warns
    -----
    GroupsWarning
        If the correlation within clusters is poorly known in one of the groups.
    PriorInfluenceWarning
        If a group has no samples of a class.

    See Also
    --------
    population_posterior : Subjects or sites that are a sample of a population.
    compare_posteriors : Which of two groups is better, and by how much.

    Notes
    -----
    The gap on the test samples is biased upwards: if they are few, even equally good
    groups differ. The posterior of the gap shows how large it may be. At most half of
    its mass is at zero, which is no evidence of a gap; ask whether the gap exceeds what
    you can tolerate. With equally good groups, P(gap > 0.05) exceeded 0.95 in 1 % of
    the test sets with 3 groups of 25 samples per class, and with 8 groups of 30; it did
    in 18 % and in all of them with each group evaluated by itself alone. With one group
    at 0.70 beside others at 0.92, the 95 % interval of the worst group contained it in
    95 to 99 % of the test sets (see :ref:`subgroups`).

    Examples
    --------
    >>> from skpostbac import subgroup_posteriors
    >>> y_true = [0] * 60 + [1] * 60
    >>> y_pred = [0] * 50 + [1] * 10 + [1] * 40 + [0] * 20
    >>> sex = ["f", "m", "m"] * 40
    >>> groups = subgroup_posteriors(y_true, y_pred, sensitive_features=sex)
    >>> groups
    SubgroupPosteriors(gap=0.045, 95% CI=[0.000, 0.169], n_groups=2)
    >>> groups.by_group["f"].mean()
    0.7540
    >>> groups.gap.prob_above(0.1)
    0.1439
    """
    # Errors and warnings that concern all samples.
    outcomes = read_outcomes(
        y_true, {"y_pred": y_pred}, sample_weight, weight_type, groups
    )
    pooled = count_outcomes(outcomes, labels)

    column = read_column(sensitive_features, "sensitive_features")
    with input_errors("sensitive_features"):
        check_consistent_length(y_true, column.array)
    encoded = encode(column)
    names = label_list(encoded.values)
    codes = encoded.codes(slice(None))
    places = list(range(len(names)))
    dtype = getattr(sensitive_features, "dtype", None)
    if getattr(dtype, "ordered", False) and column.categories is not None:
        places = np.argsort(positions(encoded.values, column.categories)).tolist()
    if len(names) < 2:
        raise ValueError(
            f"sensitive_features must have two or more groups, got only {names}"
        )

    names = [names[place] for place in places]
    of_group = [outcomes.weights * (codes == place) for place in places]
    for name, weight in zip(names, of_group, strict=True):
        if not weight.any():
            raise ValueError(
                "sample_weight must be positive for some samples of each group, all "
                f"weights of {label_repr(name)} are 0"
            )
    counts = [
        count_outcomes(replace(outcomes, weight=weight), pooled.classes)
        for weight in of_group
    ]
    posteriors = tuple(
        PosteriorBalancedAccuracy(one, class_weight=class_weight) for one in counts
    )

    subgroups = SubgroupPosteriors(tuple(names), posteriors)
    if sentences := _missing_class_notes(subgroups):
        warnings.warn(" ".join(sentences), PriorInfluenceWarning, user_stacklevel())
    for name, one in zip(names, posteriors, strict=True):
        if doubts := group_notes(one.design_effects, label_list(pooled.classes)):
            message = f"{label_repr(name)}: {' '.join(doubts)}"
            warnings.warn(message, GroupsWarning, user_stacklevel())
    warn_of_strays(outcomes, pooled.classes)
    return subgroups


def _widened(draws: Floats, factors: ArrayLike) -> Floats:
    """Multiply the variance of each column of accuracies by a factor."""
    centre = draws.mean(axis=0)
    widened: Floats = centre + np.sqrt(factors) * (draws - centre)
    return widened.clip(0.0, 1.0)


def _missing_class_notes(groups: SubgroupPosteriors) -> list[str]:
    """Return a sentence on the groups without samples of a class, if there are any."""
    named = []
    for name, posterior in zip(groups.names, groups.posteriors, strict=True):
        if untested := posterior._evidence().untested:
            named.append(f"{label_repr(name)} (class {shown(untested[0])})")
    if not named:
        return []

    sentence = (
        f"Some groups have no samples of a class: {join_first(named, _NAMED)}. Only "
        "the prior and the other groups determine their recall there. Pass labels with "
        "the classes that all groups have."
    )
    return [sentence]
