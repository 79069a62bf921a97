"""Required size of a test set: how many samples an interval or a difference needs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from skpostbac._utils import (
    Floats,
    FrozenArrays,
    LabelArray,
    RandomStateLike,
    StablePickle,
    check_flags,
    check_level,
    check_positive_integer,
    check_probability,
    draw_seed,
    finite_or_none,
    first,
    float_array,
    label_repr,
    paragraphs,
    result,
)
from skpostbac.metrics import PosteriorBalancedAccuracy
from skpostbac.metrics._class_weight import (
    ClassWeightLike,
    check_class_weight,
    resolve_class_weight,
)
from skpostbac.metrics._labels import label_list
from skpostbac.metrics._prior import (
    DEFAULT_PRIOR,
    PriorLike,
    make_prior,
)
from skpostbac.model_selection._planned_test import MOST_SAMPLES, Design, PlannedTest

# Rounding of a sum or difference of probabilities.
_ROUNDING = 1e-9
# Samples that a class may borrow from the others, after a pilot.
_STRENGTHS = 2.0 ** np.arange(9)
# Classes named one by one in the report.
_REPORTED_CLASSES = 5


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RequiredTestSize(FrozenArrays):
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
        Standard error of `assurance` if outcomes are drawn; 0 if all are enumerated.
    goal : str
        The goal, in words.
    target : float
        The requested assurance.
    sizes : ndarray of int
        Read-only sizes that were evaluated, in samples of the rarest class, ascending.
    assurances : ndarray of float
        Read-only assurance at each of the sizes.
    agreement : ndarray of shape (n_classes,) or None
        Read-only probability, for each class, that both classifiers are right or both
        wrong on a sample, as given or assumed. None unless two classifiers are compared
        on the same samples.

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

    @property
    def total(self) -> int:
        """Number of samples of all classes."""
        return int(self.samples.sum())

    def assurance_at(self, size: int) -> float:
        """Return the assurance of a test set of another size.

        Parameters
        ----------
        size : int
            Samples of the rarest class, at least 1. The other classes follow in
            proportion. No class may have more than 1e9 samples.

        Returns
        -------
        float
            Probability that a test set of this size reaches the goal.

        Raises
        ------
        ValueError
            If `size` is not a positive integer, or too large.
        """
        size = check_positive_integer(size, "size")
        if size > (largest := self._plan.largest_size(MOST_SAMPLES)):
            raise ValueError(
                f"size must be at most {largest}, for at most {MOST_SAMPLES} samples "
                f"of a class, got {size}"
            )
        return self._plan.assurance(size)[0]

    def summary(self) -> dict[str, float | None]:
        """Return the main results.

        Returns
        -------
        summary : dict of str to float or None
            "total" (samples of all classes), "n_classes", "assurance",
            "standard_error", "target" and "agreement", the share of all samples on
            which both classifiers are assumed to be right or both wrong; None unless
            two are compared on the same samples.

        Examples
        --------
        >>> from skpostbac import required_test_size
        >>> required_test_size([0.9, 0.8], width=0.1).summary()["total"]
        218
        """
        results = {
            "total": self.total,
            "n_classes": self.samples.size,
            "assurance": self.assurance,
            "standard_error": self.standard_error,
            "target": self.target,
            "agreement": self._mean_agreement,
        }
        return finite_or_none(results)

    @property
    def _mean_agreement(self) -> float:
        """Share of samples on which both classifiers agree; nan if not applicable."""
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
        With 170 samples of each of 2 classes, the probability that a difference of 0.05
        in balanced accuracy is detected is 0.802 (target: 0.8).
        It is detected if the better classifier has a posterior probability of at least
        0.95 of being better.
        This assumes that both classifiers err independently, so that they agree on
        0.860 of the samples; most pairs agree more often and need fewer samples.
        """
        answer = (
            f"With {_describe(self.samples, self.classes)}, the probability that "
            f"{self.goal} is {self.assurance:.3f} (target: {self.target:g})."
        )
        lines = [answer]
        if not self._plan.width:
            lines.append(
                "It is detected if the better classifier has a posterior probability "
                f"of at least {self._plan.level:g} of being better."
            )
        share = f"{self._mean_agreement:.3f} of the samples"
        if self._is_agreement_given:
            lines.append(
                "This assumes that both classifiers are right, or both wrong, on "
                f"{share}."
            )
        elif self.agreement is not None:
            lines.append(
                "This assumes that both classifiers err independently, so that they "
                f"agree on {share}; most pairs agree more often and need fewer samples."
            )
        return paragraphs(*lines)

    def __str__(self) -> str:
        return self.report()

    def _repr_html_(self) -> str:
        return result(" ".join(self.report().split()))

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
    if samples.size > _REPORTED_CLASSES:
        least = samples.min()
        most = samples.max()
        return f"{least} to {most} samples a class, {samples.sum()} in all"
    labels = map(label_repr, label_list(classes))
    parts = map("{} of class {}".format, samples.tolist(), labels)
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
    prior: PriorLike = DEFAULT_PRIOR,
    random_state: RandomStateLike = 0,
) -> RequiredTestSize:
    r"""Find the number of test samples needed per class.

    The goal is either a credible interval of the balanced accuracy no wider than
    `width`, or the detection of a `difference` between two classifiers. Other metrics,
    such as F1 or MCC, are not planned: :ref:`test_set_size` says what to do. The answer
    depends on how good the classifier is: `recalls` are planning values, or the
    posterior of a pilot test. Since the test outcomes are not known in advance, the
    goal is reached with a probability, the `assurance`.

    Parameters
    ----------
    recalls : float, array-like of shape (n_classes,) or PosteriorBalancedAccuracy
        Planning values. A number is the accuracy, with all samples treated as one
        class. An array has the recall of each class. The posterior of a pilot test
        stands for uncertain recalls, and can be used with `width` only. Of several
        classes, its prior is used only if it is informative; otherwise the classes
        borrow from each other, see Notes. Pilot samples do not count as test samples.
    width : float in (0, 1), optional
        Largest width of the credible interval of probability `level` that posteriors
        report, the hull of the shortest and the central one.
    difference : float or array-like of shape (n_classes,), optional
        Recall of the second classifier minus the recall of the first, whose recalls are
        `recalls`; a number applies to each class. A difference is detected if the truly
        better classifier is better with a posterior probability of at least `level`.
        Exactly one of `width` and `difference` must be given.
    paired : bool, default=True
        Whether both classifiers are tested on the same samples. If False, each needs
        the returned number of samples. Used with `difference` only.
    agreement : float or array-like of shape (n_classes,), optional
        Probability that both classifiers are right or both wrong on a sample of a
        class, at most ``1 - abs(difference)``; for paired classifiers only. By default
        they err independently within a class; most pairs agree more often and need
        fewer samples.
    level : float in (0, 1), default=0.95
        Probability of the interval, or the posterior probability that detects a
        difference.
    assurance : float in (0, 1), default=0.8
        Probability that the test set reaches the goal.
    class_proportions : array-like of shape (n_classes,), optional
        Positive proportions of the classes in the test set, with any sum. By default
        all classes have the same number of samples.
    class_weight : dict or array-like of shape (n_classes,), optional
        Weights of the classes in the average, as in
        :func:`posterior_balanced_accuracy`; by default those of the pilot, or equal
        weights.
    prior : str, pair, array-like or BetaPrior, default="calibrated"
        Prior in the analysis of the test, as in :func:`posterior_balanced_accuracy`.
        For paired classifiers, that of each class is the prior of either margin, and
        the cells of a pair have the prior of :func:`~skpostbac.compare_predictions`.
    random_state : int, RandomState, Generator or None, default=0
        Seed of random outcomes, used only if there are too many to enumerate.

    Returns
    -------
    RequiredTestSize
        Samples of each class, the assurance with its standard error, and the assurances
        at all sizes that were evaluated.

    Raises
    ------
    TypeError
        If `recalls` is a posterior and `difference` is given, or another posterior or a
        comparison, or if `paired` is not a bool.
    ValueError
        If not exactly one of `width` and `difference` is given, if an argument is out
        of its range, if the recalls, the difference and the agreement are incompatible,
        or if the goal needs more than 1e9 samples of a class.

    See Also
    --------
    compare_posteriors : the comparison on independent test sets that is planned here.

    Notes
    -----
    The computation uses the posterior of the counts, not a normal approximation. The
    counts are binomial given recalls, and beta-binomial given a pilot [1]_. Unless the
    prior of a pilot is informative, its classes borrow from each other: the more alike
    their recalls, the more. The assurance is an average over the recalls that are
    plausible after the pilot.

    Outcomes are enumerated up to 32,768 of them, which covers the width for one class,
    the width for two classes of up to about a thousand samples, and small samples of a
    few classes. Beyond that, 32,768 outcomes are drawn, and fewer with more than 16
    classes (5,242 with a hundred); `standard_error` is that of the draws.

    Success is decided from the cumulants of the posterior, corrected by the error at
    the outcome that is closest to the borderline, where the posterior is exact, or by
    the median error at six such outcomes with up to three classes. Enumerated outcomes
    that are still in doubt are decided by their exact posteriors, the 64 most likely
    ones with up to three classes, and 24 / l with l classes. With one or two samples of
    each of four or more classes the cumulants are a crude approximation, and the
    returned size may be one sample per class off.

    The assurance is a sawtooth function of the number of samples, since counts are
    integers. The returned size reaches the target while the next smaller one does not.
    If outcomes are enumerated, the target is also reached at larger sizes: up to 64 of
    them for one class, and fewer for several, whose teeth average out, are evaluated
    over at least three teeth (``sizes``). Errors of drawn outcomes are larger than the
    teeth.

    A rule of thumb says that 10,000 samples have a good chance of detecting an
    improvement of 0.1 %. This holds only for classifiers that agree on nearly all
    samples: the improvement of 10 samples must stand out from all samples on which
    exactly one classifier is right. If the second classifier corrects errors of the
    first and makes no new ones, the assurance of 10,000 paired samples at a `level` of
    0.95 is 0.990. It is 0.74 if the two agree on 99.8 % of the samples, 0.41 on 99.5 %
    and 0.26 on 99 %. With independent errors, or on separate test sets, it is 0.09 at
    an accuracy of 95 %, where 580,000 samples are needed for an assurance of 0.8; only
    near an accuracy of 99.8 % does it exceed 0.5, whatever the agreement.

    A search takes up to about two seconds. Classes of weight zero are left out.

    The prior matters if samples are few. With many classes, a uniform prior makes the
    interval narrow before it is well calibrated; the returned size does not guarantee
    calibration.

    References
    ----------
    .. [1] A. O'Hagan, J. W. Stevens and M. J. Campbell (2005). Assurance in clinical
       trial design. Pharmaceutical Statistics 4(3), 187-201.

    Examples
    --------
    An interval of width 0.1 for three classes:

    >>> from skpostbac import required_test_size
    >>> required_test_size([0.9, 0.8, 0.7], width=0.1).samples
    array([86, 86, 86])

    The rule of thumb:

    >>> alike = required_test_size(0.95, difference=0.001, agreement=0.998)
    >>> print(alike)
    With 11758 samples, the probability that a difference of 0.001 in accuracy is
    detected is 0.800 (target: 0.8).
    It is detected if the better classifier has a posterior probability of at least 0.95
        of being better.
    This assumes that both classifiers are right, or both wrong, on 0.998 of the
        samples.
    >>> alike.assurance_at(10_000)
    0.74
    """
    level = check_level(level)
    target = check_probability(assurance, "assurance")
    check_flags(paired=paired)
    if (width is None) == (difference is None):
        raise ValueError("exactly one of width and difference must be given")
    if agreement is not None and (difference is None or not paired):
        raise ValueError("agreement is for a difference of paired classifiers only")
    design, classes, rates = _planned(recalls)
    if isinstance(recalls, PosteriorBalancedAccuracy) and class_weight is None:
        class_weight = recalls.class_weight
    recall_prior = make_prior(prior, classes.size)
    weights = resolve_class_weight(check_class_weight(class_weight), classes)
    shares = 1.0 if class_proportions is None else class_proportions
    proportions = _by_class(shares, "class_proportions", classes.size)
    if (bad := ~(proportions > 0)).any():
        raise ValueError(
            f"class_proportions must be positive, got {first(proportions, bad)}"
        )
    proportions /= proportions.min()  # samples of each class for one of the rarest
    if difference is not None and design == "pilot":
        raise TypeError(
            "recalls must be numbers for a difference, not the posterior of a pilot: "
            "give recalls=pilot.counts.recalls"
        )
    seed = draw_seed(random_state)
    score = "balanced accuracy"
    if np.count_nonzero(weights) == 1:
        score = "accuracy" if weights.size == 1 else "recall"
    gain = 0.0
    assumed = None
    if difference is None:
        assert width is not None
        width = check_probability(width, "width")
        interval = f"{100 * level:g}% credible interval of the {score}"
        goal = f"the {interval} is at most {width:g} wide"
    else:
        design = "separate"
        rates = _second_better(rates[1], difference, weights)
        gain = float(weights @ (rates[1] - rates[0]))
        apart = "" if paired else ", with samples of its own for each classifier,"
        goal = f"a difference of {gain:g} in {score}{apart} is detected"
        if paired:
            design = "paired"
            rates = _discordant(rates[0], rates[1], agreement)
            assumed = 1 - rates[0]
    kept = weights > 0
    rates = rates[:, kept]
    weights = weights[kept]
    plan = PlannedTest(
        design,
        width or 0.0,
        level,
        proportions,
        kept,
        rates,
        weights,
        recall_prior.restricted(kept),
        seed,
    )
    found, size = _search(plan, target, gain)
    return RequiredTestSize(
        samples=plan.samples(size),
        classes=classes,
        assurance=found[size][0],
        standard_error=found[size][1],
        goal=goal,
        target=target,
        sizes=np.array(sorted(found)),
        assurances=np.array([found[other][0] for other in sorted(found)]),
        agreement=assumed,
        _is_agreement_given=agreement is not None,
        _plan=plan,
    )


def _planned(
    recalls: ArrayLike | PosteriorBalancedAccuracy,
) -> tuple[Design, LabelArray, Floats]:
    """Return design, classes and rates for an interval, see `PlannedTest`."""
    if isinstance(recalls, PosteriorBalancedAccuracy):
        return "pilot", recalls.counts.classes, _plausible_recalls(recalls)
    if isinstance(recalls, StablePickle):
        raise TypeError(
            "recalls must be numbers, such as posterior.mean() of an accuracy, or the "
            f"PosteriorBalancedAccuracy of a pilot, got {type(recalls).__name__}"
        )
    known = np.atleast_1d(float_array(recalls, "recalls"))
    if known.ndim != 1 or not known.size:
        raise ValueError(
            "recalls must be a number or a non-empty array of one dimension, "
            f"got an array of shape {known.shape}"
        )
    bad = ~((known >= 0) & (known <= 1))
    if bad.any():
        raise ValueError(f"recalls must lie between 0 and 1, got {first(known, bad)}")
    return "width", np.arange(known.size), np.stack([np.zeros_like(known), known])


def _plausible_recalls(pilot: PosteriorBalancedAccuracy) -> Floats:
    """Return the Beta parameters of the recalls after a pilot, shape (2, n_classes).

    With k of n correct, the recall of a class is Beta(k + M m, n - k + M (1 - m)),
    where m is the share of all samples that are correct. The more alike the classes,
    the more each borrows from the others: M is averaged over its likelihood, in
    logarithms. If recalls were independent of one another, those of many classes with
    few samples would be too far apart, and intervals would seem too narrow.
    """
    counts = pilot.effective_counts
    if counts.n_classes == 1 or pilot.prior.is_informative:
        return np.stack(pilot.prior.parameters(counts.correct, counts.total))
    errors = counts.total - counts.correct
    mean = (counts.correct.sum() + 0.5) / (counts.total.sum() + 1)

    right = _STRENGTHS[:, np.newaxis] * mean
    wrong = _STRENGTHS[:, np.newaxis] - right
    gains = special.betaln(counts.correct + right, errors + wrong)
    likelihood = special.softmax((gains - special.betaln(right, wrong)).sum(axis=1))
    strength = np.exp(likelihood @ np.log(_STRENGTHS))
    return np.stack([counts.correct + strength * mean, errors + strength * (1 - mean)])


def _search(
    plan: PlannedTest, target: float, gain: float
) -> tuple[dict[int, tuple[float, float]], int]:
    """Return the assurances of all evaluated sizes, and a sufficient one.

    The next smaller one falls short. If outcomes are enumerated, all evaluated sizes
    from there on reach the target.
    """
    found: dict[int, tuple[float, float]] = {}

    def reaches(size: int) -> bool:
        if size not in found:
            found[size] = plan.assurance(size)
        return found[size][0] >= target

    top = plan.largest_size(MOST_SAMPLES)
    low = high = min(plan.first_guess(gain, target), top)
    step = max(low // 16, 1)
    while low > 0 and reaches(low):
        high = low
        low = max(low - step, 0)
        step *= 2
    while True:
        while high == 0 or not reaches(high):
            if high == top:
                raise ValueError(
                    f"an assurance of {target:g} needs more than {MOST_SAMPLES} "
                    "samples of a class"
                )
            low = high
            high = min(high + step, top)
            step *= 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if reaches(middle) else (middle, high)
        # Drawn outcomes have errors larger than the teeth of the assurance.
        if found[high][1] > 0:
            return found, high
        following = [size for size in plan.following_sizes(high) if not reaches(size)]
        short = [size for size in following if sum(found[size]) < target]
        if not short:
            return found, high
        low = high = short[-1]
        step = 1


def _second_better(recalls: Floats, difference: ArrayLike, weights: Floats) -> Floats:
    """Return the recalls of two classifiers; the second is better on average."""
    other = recalls + _by_class(difference, "difference", recalls.size)
    other = np.where(np.abs(other - np.rint(other)) < _ROUNDING, np.rint(other), other)
    bad = ~((other >= 0) & (other <= 1))
    if bad.any():
        raise ValueError(
            "difference must leave the recalls of the second classifier between 0 and "
            f"1, got {other[bad][0]:g}"
        )
    gain = weights @ (other - recalls)
    if not abs(gain) > 0:
        average = " on average over the classes" * (weights.size > 1)
        raise ValueError(f"difference must not be zero{average}")
    return np.stack([recalls, other] if gain > 0 else [other, recalls])


def _discordant(before: Floats, after: Floats, agreement: ArrayLike | None) -> Floats:
    """Return the probability of disagreement, and the second's share of it."""
    discordant = before * (1 - after) + after * (1 - before)
    if agreement is not None:
        discordant = 1 - _by_class(agreement, "agreement", before.size)
        least = np.abs(after - before)
        most = after - before + 2 * np.minimum(before, 1 - after)
        bad = ~((discordant >= least - _ROUNDING) & (discordant <= most + _ROUNDING))
        if bad.any():
            p, q, low, high, got = (
                x[bad][0] for x in (before, after, least, most, discordant)
            )
            raise ValueError(
                f"agreement must lie between {1 - high:g} and {1 - low:g} where the "
                f"recalls are {p:g} and {q:g}, got {1 - got:g}"
            )
        discordant = np.clip(discordant, least, most)
    gain = (discordant + after - before) / 2
    share = np.divide(
        gain, discordant, out=np.full_like(gain, 0.5), where=discordant > 0
    )
    return np.stack([discordant, np.clip(share, 0, 1)])


def _by_class(values: ArrayLike, name: str, n_classes: int) -> Floats:
    """Return one finite number for each class."""
    array = float_array(values, name)
    if array.shape not in ((), (n_classes,)):
        raise ValueError(
            f"{name} must be a number or one number for each of the {n_classes} "
            f"classes, got an array of shape {array.shape}"
        )
    if not np.isfinite(array).all():
        raise ValueError(
            f"{name} must be finite, got {first(array, ~np.isfinite(array))}"
        )
    return np.array(np.broadcast_to(array, (n_classes,)))
