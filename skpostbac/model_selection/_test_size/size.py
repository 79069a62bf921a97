"""Required size of a test set, for an interval or for a difference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from skpostbac._utils import (
    Floats,
    LabelArray,
    RandomStateLike,
    StablePickle,
    block,
    check_flags,
    check_level,
    check_probability,
    draw_seed,
    first,
    float_array,
    is_integer,
    more,
    paragraph,
    shown,
    table,
)
from skpostbac.metrics import PosteriorBalancedAccuracy
from skpostbac.metrics._labels import label_list
from skpostbac.metrics._priors import (
    DEFAULT_PRIOR,
    ClassWeightLike,
    check_class_weight,
    check_prior,
    resolve_class_weight,
    resolve_prior,
)
from skpostbac.model_selection._test_size.assurance import (
    Assurance,
    Goal,
    NarrowInterval,
    SureDifference,
    assurance_of,
)
from skpostbac.model_selection._test_size.class_plans import (
    BetaBinomial,
    Binomial,
    ClassPlan,
    Distribution,
    PairedPlan,
    RecallPlan,
    SeparatePlan,
)
from skpostbac.model_selection._test_size.shared import (
    SharedNarrowInterval,
    SharedSureDifference,
    simulated_assurance,
)
from skpostbac.stats import BetaAverage, Hyperprior

# Doubtful outcomes to be decided by the exact posterior, where the answer may depend on them.
_CHECKS = 100
# Sizes after the answer that are looked at, for a tooth of the saw: by formula, and otherwise.
_MANY_AHEAD, _FEW_AHEAD = 200, 16
# So many of them for all classes together, and at least: more classes have smaller teeth.
_CLASSES_AHEAD, _LEAST_AHEAD = 128, 4
_FURTHEST_AHEAD = 20_000
# Rounding of a size times a ratio of proportions.
_ROUNDING = 1e-9
# Samples of a class that a plan is computed for. The outcomes of a class of known recall are
# counted within a few standard deviations; after a pilot all of them are, in arrays of that size.
_MOST_SAMPLES, _MOST_AFTER_PILOT = 10**9, 10**7
# Classes named one by one in the report.
_SHOWN_CLASSES = 5
# And in the view of a notebook.
_SHOWN_ROWS = 8


@dataclass(frozen=True, eq=False)
class PlannedTest(StablePickle):
    """A test set of any size: its classes, and what it is to show.

    Attributes
    ----------
    classes : tuple of ClassPlan
        The classes, of no size yet.
    shares : ndarray of shape (l,)
        Samples of each class for one of the rarest.
    goal : Goal
        What is to be reached.
    rates : ndarray
        Probabilities of the rarest events, whose single counts make the teeth of the saw.
    seed : int
        Seed of what is sampled.
    """

    classes: tuple[ClassPlan, ...]
    shares: Floats
    goal: Goal
    rates: Floats
    seed: int

    caveat: ClassVar[str] = ""
    """What a report must add to the assurance."""

    @property
    def most_samples(self) -> int:
        """Largest number of samples of a class that takes bounded time and memory."""
        is_pilot = any(isinstance(plan.second, BetaBinomial) for plan in self.classes)
        return _MOST_AFTER_PILOT if is_pilot else _MOST_SAMPLES

    def largest_size(self, most: int) -> int:
        """Return the size at which the most common class has at most so many samples."""
        return int(most / self.shares.max() + _ROUNDING)

    def samples(self, size: int) -> NDArray[np.int64]:
        """Return the samples of each class if the rarest has `size`."""
        return np.ceil(size * self.shares - _ROUNDING).astype(np.int64)

    def assurance(self, size: int, checks: int) -> Assurance:
        """Return the probability of the goal if the rarest class has `size` samples."""
        return assurance_of(self.sized(size), self.goal, checks=checks, seed=self.seed)

    def sized(self, size: int) -> list[ClassPlan]:
        """Return the classes if the rarest has `size` samples, by their part of the variance.

        That with the largest part goes last, as it is summed in closed form.
        """
        sized = [
            replace(plan, size=n)
            for plan, n in zip(self.classes, self.samples(size).tolist(), strict=True)
            if plan.weight
        ]
        return sorted(sized, key=lambda plan: plan.weight**2 * plan.spread / plan.size)

    def careful_assurance(self, size: int, quick: Assurance | None = None) -> Assurance:
        """Return it with outcomes in doubt checked, unless they weigh less than what is sampled.

        The assurance without checks may be given if it is known.
        """
        quick = quick or self.assurance(size, 0)
        return quick if quick.doubt < quick.standard_error else self.assurance(size, _CHECKS)

    def sizes_ahead(self, size: int) -> list[int]:
        """Return sizes after `size` at which the assurance might fall short again."""
        rate = max(self.rates.min(initial=1.0), 3 / _FURTHEST_AHEAD)
        reach = min(20 + int(np.ceil(3 / rate)), _FURTHEST_AHEAD)
        is_quick = len(self.classes) == 1 and self.goal.has_formula(self.classes[0])
        few = max(_LEAST_AHEAD, min(_FEW_AHEAD, _CLASSES_AHEAD // len(self.classes)))
        count = min(reach, _MANY_AHEAD if is_quick else few)
        ahead = np.rint(np.linspace(size + 1, size + reach, count))
        return sorted(set(map(int, ahead)))


class SharedPlannedTest(PlannedTest):
    """A test set for a prior that the classes share, whose posterior takes long.

    Its assurance is right to about .02, so that the teeth of the saw do not count.
    """

    caveat = "The hierarchical prior makes this probability approximate, to about 0.02."

    def assurance(self, size: int, checks: int) -> Assurance:
        """Return the probability of the goal, whatever the checks."""
        return simulated_assurance(self.sized(size), self.goal, seed=self.seed)

    def careful_assurance(self, size: int, quick: Assurance | None = None) -> Assurance:
        """Return the assurance, which has no outcomes in doubt."""
        return quick or self.assurance(size, 0)

    def sizes_ahead(self, size: int) -> list[int]:
        """Return no sizes."""
        return []


class Ladder:
    """The assurance at the sizes looked at so far."""

    def __init__(self, plan: PlannedTest, target: float) -> None:
        self.plan, self.target = plan, target
        self.found: dict[int, Assurance] = {}
        self._checked: set[int] = set()

    def checked(self, size: int) -> Assurance:
        """Return the assurance of a size that was looked at, after exact checks."""
        if size not in self._checked:
            self.found[size] = self.plan.careful_assurance(size, self.found[size])
            self._checked.add(size)
        return self.found[size]

    def reaches(self, size: int) -> bool:
        """Return whether the assurance is reached, by exact checks where it is in doubt."""
        if size not in self.found:
            self.found[size] = self.plan.assurance(size, 0)
            if abs(self.found[size].value - self.target) <= self.found[size].doubt:
                self.checked(size)
        return self.found[size].value >= self.target

    def smallest(self, start: int, top: int) -> int | None:
        """Return the smallest size from which on all sizes reach the target, or None."""
        size = self._climb(min(max(start, 1), top), top)
        while size is not None:
            short = [other for other in self.plan.sizes_ahead(size) if not self.reaches(other)]
            if not short:
                return size
            size = self._beyond(short[-1], top)
        return None

    def _beyond(self, low: int, top: int) -> int | None:
        """Return a size above one that falls short that reaches the target, not far away."""
        step = 1
        while low < top:
            high = min(low + step, top)
            if self.reaches(high):
                return _bisect(self.reaches, low, high)
            low, step = high, 2 * step
        return None

    def _climb(self, start: int, top: int) -> int | None:
        """Return a size that reaches the target while the one below does not."""
        high = start
        while not self.reaches(high):
            if high >= top:
                return None
            high = min(2 * high, top)
        low = high
        while low > 0 and self.reaches(low):
            high, low = low, low // 2
        return _bisect(self.reaches, low, high)


def _bisect(reaches: Callable[[int], bool], low: int, high: int) -> int:
    """Return a size that reaches between one that does not, or 0, and one that does."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return high


@dataclass(frozen=True, init=False, eq=False, repr=False)
class RequiredTestSize(StablePickle):
    """Required number of test samples, with its assurance.

    Created by :func:`~skpostbac.required_test_size`.

    Attributes
    ----------
    samples : ndarray of int of shape (n_classes,)
        Read-only number of samples of each class.
    classes : ndarray of shape (n_classes,)
        Read-only class labels: those of the pilot, else 0, 1, ...
    assurance : float
        Probability that a test set of this size reaches the goal.
    standard_error : float
        Standard error of `assurance` due to sampled outcomes; 0 if all were enumerated. For a
        hierarchical prior, the error of the approximation adds to it.
    goal : str
        The goal, in words.
    target : float
        The requested assurance.
    sizes : ndarray of int
        Read-only sizes that were evaluated, in samples of the rarest class, ascending.
    assurances : ndarray of float
        Read-only assurance at each of the sizes.
    agreement : ndarray of shape (n_classes,) or None
        Read-only probability, for each class, that both classifiers are right or both wrong on a
        sample, as given or assumed. None unless two classifiers are compared on the same samples.

    See Also
    --------
    skpostbac.required_test_size : finds it.
    """

    samples: NDArray[np.int64]
    classes: LabelArray
    assurance: float
    standard_error: float
    goal: str
    target: float
    sizes: NDArray[np.int64]
    assurances: Floats
    agreement: Floats | None
    _is_agreement_given: bool
    _plan: PlannedTest

    def __init__(
        self,
        ladder: Ladder,
        size: int,
        goal: str,
        classes: LabelArray,
        *,
        agreement: Floats | None = None,
        is_agreement_given: bool = False,
    ) -> None:
        if not isinstance(ladder, Ladder):
            raise TypeError("a RequiredTestSize is made by required_test_size")
        # The assurance of the size itself is checked exactly.
        found = ladder.checked(size)
        sizes = np.array(sorted(ladder.found), dtype=np.int64)
        assurances = np.array([ladder.found[other].value for other in sizes.tolist()])
        samples = ladder.plan.samples(size)
        for array in (samples, sizes, assurances, agreement):
            if array is not None:
                array.flags.writeable = False
        vars(self).update(  # past the frozen __setattr__
            samples=samples,
            classes=classes,
            assurance=found.value,
            standard_error=found.standard_error,
            goal=goal,
            target=ladder.target,
            sizes=sizes,
            assurances=assurances,
            agreement=agreement,
            _is_agreement_given=is_agreement_given,
            _plan=ladder.plan,
        )

    @property
    def total(self) -> int:
        """Number of samples of all classes."""
        return int(self.samples.sum())

    def assurance_at(self, size: int) -> float:
        """Return the assurance of a test set of another size.

        Parameters
        ----------
        size : int
            Samples of the rarest class, at least 1. The other classes follow in proportion. No
            class may have more than 1e9 samples, and 1e7 if the recalls are those of a pilot.

        Returns
        -------
        float
            Probability that a test set of this size reaches the goal.

        Raises
        ------
        ValueError
            If `size` is not a positive integer, or too large.
        """
        size, plan = _check_count(size, "size"), self._plan
        if size > (largest := plan.largest_size(plan.most_samples)):
            raise ValueError(
                f"size must be at most {largest}, for at most {plan.most_samples} samples of a "
                f"class, got {size}"
            )
        return plan.careful_assurance(size).value

    def summary(self) -> dict[str, float]:
        """Return the main results.

        Returns
        -------
        figures : dict of str to float
            "total" (samples of all classes), "n_classes", "assurance", "standard_error", "target"
            and "agreement", the share of all samples on which both classifiers are assumed to be
            right or both wrong; nan unless two are compared on the same samples.

        Examples
        --------
        >>> from skpostbac import required_test_size
        >>> required_test_size([0.9, 0.8], width=0.1).summary()["total"]
        210
        """
        return {
            "total": self.total,
            "n_classes": self.samples.size,
            "assurance": self.assurance,
            "standard_error": self.standard_error,
            "target": self.target,
            "agreement": self._mean_agreement,
        }

    def table(self) -> dict[str, list[Any]]:
        """Return the samples of each class as a dict of columns.

        Returns
        -------
        columns : dict of str to list
            "class", "samples" and "agreement", which is nan unless two classifiers are compared on
            the same samples.
        """
        unknown = np.full(self.samples.size, np.nan)
        return {
            "class": label_list(self.classes),
            "samples": self.samples.tolist(),
            "agreement": (unknown if self.agreement is None else self.agreement).tolist(),
        }

    @property
    def _mean_agreement(self) -> float:
        """Share of all samples on which both classifiers agree; nan if not applicable."""
        if self.agreement is None:
            return float("nan")
        return float(self.samples @ self.agreement / self.total)

    def report(self) -> str:
        """Return a text report on the size and the assumed agreement.

        Returns
        -------
        sentences : str
            One sentence per line.

        Examples
        --------
        >>> from skpostbac import required_test_size
        >>> print(required_test_size([0.9, 0.9], difference=0.05).report())
        With 166 samples of each of 2 classes, the probability that a difference of 0.05 is detected
        is 0.800 (target: 0.8).
        This assumes that both classifiers err independently, so that they agree on 0.860 of the
        samples; most pairs agree more often and need fewer samples.
        """
        answer = (
            f"With {_describe(self.samples, self.classes)}, the probability that {self.goal} is "
            f"{self.assurance:.3f} (target: {self.target:g})."
        )
        return "\n".join(filter(None, [answer, self._plan.caveat, self._assumption]))

    @property
    def _assumption(self) -> str:
        """What is assumed of two classifiers on the same samples, as a sentence."""
        if self.agreement is None:
            return ""
        share = f"{self._mean_agreement:.3f} of the samples"
        if self._is_agreement_given:
            return f"This assumes that both classifiers are right, or both wrong, on {share}."
        return (
            f"This assumes that both classifiers err independently, so that they agree on {share}; "
            "most pairs agree more often and need fewer samples."
        )

    def __str__(self) -> str:
        return self.report()

    def _repr_html_(self) -> str:
        labels, samples = label_list(self.classes), self.samples.tolist()
        rows = [(str(label), str(number)) for label, number in zip(labels, samples, strict=True)]
        return block(
            repr(self),
            paragraph(self.report()),
            table(
                ("class", "samples"),
                [*rows[:_SHOWN_ROWS], ("all classes", str(self.total))],
                note=more(len(rows), _SHOWN_ROWS),
            ),
        )

    def __repr__(self) -> str:
        return (
            f"RequiredTestSize(total={self.total}, n_classes={self.samples.size}, "
            f"assurance={self.assurance:.4f})"
        )


def _describe(samples: NDArray[np.int64], classes: LabelArray) -> str:
    if samples.size == 1:
        return f"{samples[0]} samples"
    if (samples == samples[0]).all():
        return f"{samples[0]} samples of each of {samples.size} classes"
    if samples.size > _SHOWN_CLASSES:
        return f"{samples.min()} to {samples.max()} samples a class, {samples.sum()} in all"
    parts = map("{} of class {!r}".format, samples.tolist(), label_list(classes))
    return f"{', '.join(parts)}, {samples.sum()} samples in all"


def required_test_size(
    recalls: ArrayLike | PosteriorBalancedAccuracy,
    *,
    width: float | None = None,
    difference: ArrayLike | None = None,
    paired: bool = True,
    agreement: ArrayLike | None = None,
    level: float = 0.95,
    assurance: float = 0.8,
    class_proportions: ArrayLike | None = None,
    class_weight: ClassWeightLike = None,
    prior: ArrayLike = DEFAULT_PRIOR,
    max_size: int = 1_000_000,
    random_state: RandomStateLike = 0,
) -> RequiredTestSize:
    r"""Find the number of test samples needed per class.

    The goal is either a credible interval of the balanced accuracy no wider than `width`, or the
    detection of a `difference` between two classifiers. The answer depends on how good the
    classifier is: `recalls` are planning values, or the posterior of a pilot test. Since the test
    outcomes are not known in advance, the goal is reached with a probability, the `assurance`.

    Parameters
    ----------
    recalls : float, array-like of shape (n_classes,) or PosteriorBalancedAccuracy
        Planning values. A number is the accuracy, with all samples treated as one class. An array
        has the recall of each class. The posterior of a pilot test stands for uncertain recalls,
        and can be used with `width` only; pilot samples do not count as test samples.
    width : float in (0, 1), optional
        Largest width of the central credible interval of probability `level`, whose tails have
        equal probabilities. The highest-density interval, which is the default elsewhere, is never
        wider, so its assurance is at least as high.
    difference : float or array-like of shape (n_classes,), optional
        Recall of the second classifier minus the recall of the first, whose recalls are `recalls`;
        a number applies to each class. A difference is detected if the truly better classifier is
        better with a posterior probability of at least `level`. Exactly one of `width` and
        `difference` must be given.
    paired : bool, default=True
        Whether both classifiers are tested on the same samples. If False, each needs the returned
        number of samples. Used with `difference` only.
    agreement : float or array-like of shape (n_classes,), optional
        Probability that both classifiers are right or both wrong on a sample of a class, at most
        ``1 - abs(difference)``; for paired classifiers only. By default they err independently
        within a class; most pairs agree more often and need fewer samples.
    level : float in (0, 1), default=0.95
        Probability of the interval, or the posterior probability that detects a difference.
    assurance : float in (0, 1), default=0.8
        Probability that the test set reaches the goal.
    class_proportions : array-like of shape (n_classes,), optional
        Positive proportions of the classes in the test set, with any sum. By default all classes
        have the same number of samples.
    class_weight : dict or array-like of shape (n_classes,), optional
        Weights of the classes in the average, as in :func:`posterior_balanced_accuracy`; by default
        those of the pilot, or equal weights.
    prior : str, pair of floats or array-like of shape (n_classes, 2), default="reciprocal"
        Prior in the analysis of the test, as in :func:`posterior_balanced_accuracy`. For paired
        classifiers, that of each class is the prior of either margin: the cells both right, only
        the first, only the second, neither have the Dirichlet prior
        :math:`(a^2, ab, ab, b^2) / (a + b)`. With "hierarchical" or a
        :class:`~skpostbac.stats.Hyperprior`, the assurance is approximate (see Notes).
    max_size : int, default=1000000
        Largest number of samples of a class to consider, at most 1e9, or 1e7 with a pilot.
    random_state : int, RandomState, Generator or None, default=0
        Seed of quasi-random outcomes, used only if there are too many outcomes to enumerate.

    Returns
    -------
    RequiredTestSize
        Samples of each class, the assurance with its standard error, and the assurances at all
        sizes that were evaluated.

    Raises
    ------
    TypeError
        If `recalls` is a posterior and `difference` is given, or if `paired` is not a bool.
    ValueError
        If not exactly one of `width` and `difference` is given, if an argument is out of its range,
        if `recalls` is a posterior with a hierarchical prior, if the recalls, the difference and
        the agreement are incompatible, or if `max_size` samples are too few.

    See Also
    --------
    compare_posteriors : the comparison on independent test sets that is planned here.

    Notes
    -----
    The computation uses the posterior of the counts, not a normal approximation. The counts are
    binomial given recalls, and beta-binomial given a pilot [1]_. One count of one class is summed
    exactly. The other counts are enumerated up to 20,000 outcomes, which covers one class of any
    size, the width for two classes, and small samples of a few classes. Beyond that, scrambled
    Sobol points are used, with the standard error over eight scramblings. Success is decided from
    the cumulants of the posterior, calibrated on exact posteriors; up to 100 borderline outcomes
    are checked exactly, unless they weigh less than the standard error, or less than a fifth of all
    borderline outcomes. At the returned size all outcomes are checked exactly if they are few.

    The assurance is a sawtooth function of the number of samples, since counts are integers. The
    returned size is the smallest from which on the target is reached at all evaluated sizes
    (``sizes``). These include the next sizes beyond the answer, over at least three teeth: up to
    200 sizes for one class and up to 16 otherwise, and as few as 4 with many classes, whose teeth
    average out.

    A rule of thumb says that 10,000 samples have a good chance of detecting an improvement of 0.1
    %. This holds only for classifiers that agree on nearly all samples: the improvement of 10
    samples must stand out from all samples on which exactly one classifier is right. If the second
    classifier corrects errors of the first and makes no new ones, the assurance of 10,000 paired
    samples at a `level` of 0.95 is 0.997. It is 0.74 if the two agree on 99.8 % of the samples,
    0.41 on 99.5 % and 0.26 on 99 %. With independent errors, or on separate test sets, it is 0.09
    at an accuracy of 95 %, where 580,000 samples are needed for an assurance of 0.8; only near an
    accuracy of 99.8 % does it exceed 0.5, whatever the agreement.

    A search takes up to seconds with tens of classes, and longer if their weights are very
    unequal.

    With a hierarchical prior, the moments of the posterior are computed for 64 simulated test sets
    of each size. From these, the margin of success of thousands of others is predicted by a
    quadratic function of their cumulants under the prior "reciprocal", with the residuals of the
    fit. The standard error is that of a jackknife over the eight scramblings.
    In 13 plans of two to ten classes, most of them of very unequal sizes, the assurance differed by
    .021 on average, and at most by .042, from simulations of 250 or 400 test sets with standard
    errors of .004 to .026. If there are so few samples that single outcomes have probabilities of a
    few percent, the error may be that of one outcome.
    A search for up to ten classes takes about 1 to 6 seconds. The returned size reaches the target
    while the next smaller one does not. Classes of weight zero are left out.

    The prior matters if samples are few. With many classes, a flat prior makes the interval narrow
    before it is well calibrated; the returned size does not guarantee calibration.

    References
    ----------
    .. [1] A. O'Hagan, J. W. Stevens and M. J. Campbell (2005). Assurance in clinical trial
       design. Pharmaceutical Statistics 4(3), 187-201.

    Examples
    --------
    An interval of width 0.1 for three classes:

    >>> from skpostbac import required_test_size
    >>> required_test_size([0.9, 0.8, 0.7], width=0.1).samples
    array([83, 83, 83])

    The rule of thumb:

    >>> alike = required_test_size(0.95, difference=0.001, agreement=0.998)
    >>> print(alike)
    With 11754 samples, the probability that a difference of 0.001 is detected is 0.800 (target:
    0.8).
    This assumes that both classifiers are right, or both wrong, on 0.998 of the samples.
    >>> alike.assurance_at(10_000)
    0.741
    """
    level, target = check_level(level), check_probability(assurance, "assurance")
    check_flags(paired=paired)
    if (width is None) == (difference is None):
        raise ValueError("exactly one of width and difference must be given")
    if agreement is not None and (difference is None or not paired):
        raise ValueError("agreement is for a difference of paired classifiers only")
    classes = _Classes.of(recalls, class_weight, class_proportions, prior)
    if difference is not None and classes.pilot is not None:
        raise TypeError("recalls must be numbers for a difference, not the posterior of a pilot")
    seed = draw_seed(random_state)
    assumed = None
    if difference is None:
        assert width is not None
        width = check_probability(width, "width")
        plan = _width_plan(classes, width, level, seed)
        goal = f"the central {100 * level:g}% interval is at most {width:g} wide"
        start = _first_guess(plan, width / 2, (1 + level) / 2, 0.5)
    else:
        pair = _Pair.of(classes, difference, agreement)
        plan = (_paired_plan if paired else _separate_plan)(classes, pair, level, seed)
        assumed = pair.agreement if paired else None
        gain = float(classes.weights @ (pair.second - pair.first))
        goal = f"a difference of {gain:g} is detected"
        start = _first_guess(plan, gain, level, target)
    ladder, size = _search(plan, start, _check_max_size(max_size, plan), target)
    return RequiredTestSize(
        ladder,
        size,
        goal,
        classes.labels,
        agreement=assumed,
        is_agreement_given=agreement is not None,
    )


def _search(plan: PlannedTest, start: int, largest: int, target: float) -> tuple[Ladder, int]:
    """Find the smallest size that reaches the target, and return it with all that were tried."""
    ladder = Ladder(plan, target)
    top = plan.largest_size(largest)
    size = ladder.smallest(start, top) if top else None
    if size is None:
        raise ValueError(
            f"max_size={largest} samples of a class are too few for an assurance of {target:g}"
        )
    return ladder, size


@dataclass(frozen=True, eq=False)
class _Classes:
    """Classes of a plan: their recalls, or Beta distributions of these, and what goes by class."""

    labels: LabelArray
    recalls: Floats
    pilot: Floats | None
    weights: Floats
    shares: Floats
    prior: Floats
    """Exponents of each class; those of "reciprocal" if the classes share the prior."""
    hyperprior: Hyperprior | None

    @classmethod
    def of(
        cls,
        recalls: ArrayLike | PosteriorBalancedAccuracy,
        class_weight: ClassWeightLike,
        class_proportions: ArrayLike | None,
        prior: ArrayLike,
    ) -> _Classes:
        pilot = None
        if isinstance(recalls, PosteriorBalancedAccuracy):
            classes = recalls.counts.classes
            class_weight = recalls.class_weight if class_weight is None else class_weight
            distribution = recalls.distribution
            if not isinstance(distribution, BetaAverage):
                raise ValueError(
                    "recalls must not have a hierarchical prior: give a posterior of the same "
                    "counts with another one, such as 'reciprocal'; the prior of the planned test "
                    "may be hierarchical"
                )
            pilot = np.column_stack([distribution.a, distribution.b])
            planned = pilot[:, 0] / pilot.sum(axis=1)
        else:
            planned = _probabilities(recalls, "recalls")
            classes = np.arange(planned.size)
            classes.flags.writeable = False
        resolved = resolve_prior(check_prior(prior), planned.size)
        exponents, hyperprior = (
            (np.full((planned.size, 2), 1 / planned.size), resolved)
            if isinstance(resolved, Hyperprior)
            else (resolved, None)
        )
        return cls(
            classes,
            planned,
            pilot,
            resolve_class_weight(check_class_weight(class_weight), classes),
            _shares(class_proportions, planned.size),
            exponents,
            hyperprior,
        )

    def distributions(self) -> list[Distribution]:
        """Return the distribution of the correct predictions of each class."""
        if self.pilot is None:
            return [Binomial(recall) for recall in self.recalls.tolist()]
        return [BetaBinomial(a, b) for a, b in self.pilot.tolist()]

    def priors(self) -> list[tuple[float, float]]:
        """Return the prior of each class."""
        return [(a, b) for a, b in self.prior.tolist()]

    def planned(
        self, plans: tuple[ClassPlan, ...], goal: Goal, rates: Floats, seed: int
    ) -> PlannedTest:
        """Return the plan of a test set of these classes."""
        kind = PlannedTest if self.hyperprior is None else SharedPlannedTest
        return kind(plans, self.shares, goal, rates[rates > 0], seed)

    def sure_difference(self, level: float) -> SureDifference:
        """Return the goal of a comparison."""
        if self.hyperprior is None:
            return SureDifference(level)
        return SharedSureDifference(level, self.hyperprior)

    def narrow_interval(self, width: float, level: float) -> NarrowInterval:
        """Return the goal of an interval."""
        if self.hyperprior is None:
            return NarrowInterval(width, level)
        return SharedNarrowInterval(width, level, self.hyperprior)


@dataclass(frozen=True, eq=False)
class _Pair:
    """Two classifiers, of which the second is better.

    Attributes
    ----------
    first, second : arrays of shape (l,)
        Their recalls.
    discordant : array of shape (l,)
        Probability that just one of them is right.
    """

    first: Floats
    second: Floats
    discordant: Floats

    @property
    def agreement(self) -> Floats:
        """Probability that both are right or both are wrong, shape (l,)."""
        return 1 - self.discordant

    @classmethod
    def of(cls, classes: _Classes, difference: ArrayLike, agreement: ArrayLike | None) -> _Pair:
        first, second = (
            classes.recalls,
            classes.recalls + _by_class(difference, classes.recalls.size, "difference"),
        )
        second = np.where(np.abs(second - np.rint(second)) < _ROUNDING, np.rint(second), second)
        _check_difference(first, second, classes.weights)
        if classes.weights @ (second - first) < 0:
            first, second = second, first
        discordant = first * (1 - second) + second * (1 - first)
        if agreement is not None:
            discordant = 1 - _by_class(agreement, first.size, "agreement")
            discordant = _check_discordant(discordant, first, second)
        return cls(first, second, discordant)


def _check_difference(first: Floats, second: Floats, weights: Floats) -> None:
    bad = ~((second >= 0) & (second <= 1))
    if bad.any():
        raise ValueError(
            "difference must leave the recalls of the second classifier between 0 and 1, "
            f"got {second[bad][0]:g}"
        )
    if not abs(weights @ (second - first)) > 0:
        raise ValueError("difference must not be zero on average over the classes")


def _check_discordant(discordant: Floats, first: Floats, second: Floats) -> Floats:
    """Return the discordant shares, within what the recalls allow."""
    least = np.abs(second - first)
    most = second - first + 2 * np.minimum(first, 1 - second)
    bad = ~((discordant >= least - _ROUNDING) & (discordant <= most + _ROUNDING))
    if bad.any():
        place = int(np.argmax(bad))
        raise ValueError(
            f"agreement must lie between {1 - most[place]:g} and {1 - least[place]:g} where the "
            f"recalls are {first[place]:g} and {second[place]:g}, got {1 - discordant[place]:g}"
        )
    return np.clip(discordant, least, most)


def _width_plan(classes: _Classes, width: float, level: float, seed: int) -> PlannedTest:
    """Return the plan of a test set for an interval."""
    parts = zip(classes.distributions(), classes.priors(), classes.weights.tolist(), strict=True)
    plans = tuple(
        RecallPlan(0, distribution, prior, weight) for distribution, prior, weight in parts
    )
    rates = np.minimum(classes.recalls, 1 - classes.recalls)
    return classes.planned(plans, classes.narrow_interval(width, level), rates, seed)


def _paired_plan(classes: _Classes, pair: _Pair, level: float, seed: int) -> PlannedTest:
    """Return the plan of one test set for two classifiers."""
    discordant = pair.discordant
    gain = (discordant + pair.second - pair.first) / 2
    share = np.divide(gain, discordant, out=np.full_like(gain, 0.5), where=discordant > 0)
    parts = zip(
        map(Binomial, discordant.tolist()),
        map(Binomial, np.clip(share, 0, 1).tolist()),
        classes.priors(),
        classes.weights.tolist(),
        strict=True,
    )
    plans = tuple(PairedPlan(0, *part) for part in parts)
    return classes.planned(plans, classes.sure_difference(level), discordant, seed)


def _separate_plan(classes: _Classes, pair: _Pair, level: float, seed: int) -> PlannedTest:
    """Return the plan of two test sets, one for each classifier."""
    parts = zip(
        map(Binomial, pair.first.tolist()),
        map(Binomial, pair.second.tolist()),
        classes.priors(),
        classes.weights.tolist(),
        strict=True,
    )
    plans = tuple(SeparatePlan(0, *part) for part in parts)
    rates = np.concatenate([np.minimum(rate, 1 - rate) for rate in (pair.first, pair.second)])
    return classes.planned(plans, classes.sure_difference(level), rates, seed)


def _first_guess(plan: PlannedTest, aim: float, level: float, target: float) -> int:
    """Return a size to start from, by the normal formula, which need not be good."""
    spread = sum(
        part.weight**2 * part.spread / share
        for part, share in zip(plan.classes, plan.shares.tolist(), strict=True)
    )
    z = ndtri(level) + ndtri(target)
    return int(np.clip(spread * (z / aim) ** 2, 1, _MOST_SAMPLES))


def _probabilities(values: ArrayLike, name: str) -> Floats:
    """Return a non-empty vector of probabilities; a number makes one of length 1."""
    array = np.atleast_1d(float_array(values, name))
    if array.ndim != 1 or not array.size:
        raise ValueError(
            f"{name} must be a number or a non-empty array of one dimension, "
            f"got an array of shape {array.shape}"
        )
    bad = ~((array >= 0) & (array <= 1))
    if bad.any():
        raise ValueError(f"{name} must lie between 0 and 1, got {first(array, bad)}")
    return array


def _by_class(values: ArrayLike, n_classes: int, name: str) -> Floats:
    """Return one finite number for each class."""
    array = float_array(values, name)
    if array.shape not in ((), (n_classes,)):
        raise ValueError(
            f"{name} must be a number or one number for each of the {n_classes} classes, "
            f"got an array of shape {array.shape}"
        )
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite, got {first(array, ~np.isfinite(array))}")
    return np.broadcast_to(array, (n_classes,))


def _shares(class_proportions: ArrayLike | None, n_classes: int) -> Floats:
    """Return the samples of each class for one of the rarest."""
    if class_proportions is None:
        return np.ones(n_classes)
    array = np.array(_by_class(class_proportions, n_classes, "class_proportions"))
    if not (array > 0).all():
        raise ValueError(f"class_proportions must be positive, got {first(array, ~(array > 0))}")
    return np.asarray(array / array.min())


def _check_max_size(max_size: object, plan: PlannedTest) -> int:
    count = _check_count(max_size, "max_size")
    if count > plan.most_samples:
        raise ValueError(f"max_size must be at most {plan.most_samples}, got {count}")
    return count


def _check_count(value: object, name: str) -> int:
    if not is_integer(value) or value < 1:
        raise ValueError(f"{name} must be a positive integer, got {shown(value)}")
    return int(value)
