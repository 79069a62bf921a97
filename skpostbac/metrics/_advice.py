r"""Advice: how far the prior moves a posterior, and what coverage to expect of it.

Made from counts, prior, class weights and two moments of the posterior, and called last
by public functions.

A prior is judged by what it does where the truth is known. Test sets are drawn from
recalls such as those that were observed, each has its posterior, and the share of
intervals that hold the weighted mean of these recalls is the coverage to expect (a
parametric bootstrap; Davison and Hinkley, Bootstrap Methods and Their Application,
1997, section 2.2).

The recalls of small classes are too uncertain to be taken as observed. With l classes,
that of class i is

.. math:: p_i = \frac{k_i + 3 c_i}{n_i + 3}, \quad
          c_i = \text{mean of } \frac{k_j + 1 / l}{n_j + 2 / l}
          \text{ over classes of similar size},

those whose floor(log2 n) differs by one at most. In 118 settings of 10 to 100 classes
the mean of this was off the coverage in 80 data sets by .03 ("calibrated"), .06
("uniform") and .09 ("jeffreys"), root mean square; a coverage of .9 in 80 data sets has
an error of .03 itself.

The interval is the hull of the shortest one, which is about mean + sd (+-z + s (z^2 -
3) / 6) with the skewness s of the posterior, and of the equal-tailed one, mean + sd
(+-z + s (z^2 - 1) / 6): a density phi(x) (1 + s (x^3 - 3 x) / 6) is equal at both ends
of the first, and has equal tails beyond those of the second, to first order in s.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from skpostbac._utils import (
    Floats,
    StablePickle,
    format_number,
    list_labels,
    user_stacklevel,
)
from skpostbac.metrics._counts import ClassCounts
from skpostbac.metrics._labels import label_list
from skpostbac.metrics._prior import (
    DEFAULT_PRIOR,
    BetaPrior,
    make_prior,
)
from skpostbac.stats import BetaAverage

# Probability of the intervals whose coverage is estimated.
LEVEL = 0.95
_Z = float(ndtri((1 + LEVEL) / 2))
# There is a warning below an expected coverage of _LEAST_COVERAGE - _LESS / l for l
# classes: with few classes, coverage goes up and down with the numbers of samples.
# Chosen in cells like those of `benchmarks/validity.py`; PriorInfluenceWarning tells
# how it does in others.
_LEAST_COVERAGE = 0.915
_LESS = 0.1
# A typical recall is estimated with so many samples of the mean of similar classes.
_BORROWED = 3
# Classes are similar if their sizes are in the same octave (power of two) or the next.
_AROUND = np.ones(3)
# Counts one standard deviation from the expected ones, as a column.
_BELOW_AND_ABOVE = np.array([[-1.0], [1.0]])
# Variances and standard deviations that may round to zero are at least this.
_TINY = float(np.finfo(float).tiny)
# Simulated test sets, fewer where many classes would need more draws. The noise of 200
# sets alone would hide every sixth low coverage.
_SETS = 2_000
_N_SIMULATED = 30_000
_FEWEST_SETS = 100
# Nothing is simulated where a normal approximation of the coverage exceeds the limit by
# this margin, which doubles as more of the weight is on small classes. It misses about
# one in 300 of the simulated coverages below the limit (1 to 100 classes), mostly where
# these are low by noise.
_SCREEN_MARGIN = 0.03
_SMALL_CLASS = 10
# Largest shift of a mean, in posterior standard deviations, without a warning; under
# Beta(1/l, 1/l), perfect scores shift it by 1 to 1.41.
LARGEST_SHIFT = 1.5
# Smaller shifts are of no consequence.
_LEAST_MOVE = 0.005
# Of many posteriors, so many with the lowest approximate coverage are simulated.
_MOST_SUSPECTS = 20
# The expected coverage that a weaker prior must have to be a remedy.
_ENOUGH = 0.915


class Evidence(NamedTuple):
    """What a posterior is judged by."""

    counts: ClassCounts
    """Effective counts of independent samples."""
    prior: BetaPrior
    class_weight: Floats
    """Weights that sum to 1, shape (n_classes,)."""
    distribution: BetaAverage
    """Posterior distribution of the average, of which two moments are asked."""

    @property
    def mean(self) -> float:
        """Posterior mean of the average."""
        return float(self.class_weight @ self.distribution.means())

    @property
    def standard_deviation(self) -> float:
        """Posterior standard deviation of the average."""
        return self.distribution.standard_deviation()

    @property
    def observed(self) -> float:
        """Weighted mean of the recalls of the classes with samples; nan without any."""
        tested = self.counts.total > 0
        recalls = self.counts.correct[tested] / self.counts.total[tested]
        weights = self.class_weight[tested]
        weight = weights.sum()
        return float(weights @ recalls / weight) if weight else math.nan

    @property
    def untested(self) -> list[Hashable]:
        """Labels of the classes of positive weight without samples."""
        if self.counts.total.all():
            return []
        is_untested = (self.counts.total == 0) & (self.class_weight > 0)
        return label_list(self.counts.classes[is_untested])

    @property
    def least_coverage(self) -> float:
        """Coverage below which there is a warning."""
        return _LEAST_COVERAGE - _LESS / self.class_weight.size


def simulated_coverage(
    correct: Floats, total: Floats, prior: BetaPrior, class_weight: Floats
) -> float:
    """Return the share of 95 % intervals that contain the truth in similar test sets.

    There are 2,000 sets or fewer, the same in each call. nan if no class of positive
    weight has samples.
    """
    if not total[class_weight > 0].any():
        return math.nan
    recalls = _typical_recalls(correct, total)
    trials = np.where(total > 0, np.maximum(np.rint(total), 1), 0).astype(np.int64)
    sets = min(max(_N_SIMULATED // total.size, _FEWEST_SETS), _SETS)
    rng = np.random.default_rng(0)
    # One class after the other, for each needs some preparation.
    drawn = rng.binomial(
        trials[:, np.newaxis], recalls[:, np.newaxis], (total.size, sets)
    ).T
    right = drawn * (total / np.maximum(trials, 1))
    low, high = _interval(*prior.moments(right, total, class_weight))
    truth = class_weight @ recalls
    return float(np.mean((low <= truth) & (truth <= high)))


def _approximate_coverage(evidence: Evidence) -> float:
    """Return the expected coverage by a normal approximation of the posterior mean.

    The mean of a posterior is linear in its counts, and its variance quadratic:
    averages over counts one standard deviation below and above the expected ones are
    exact. The sampling variance of the posterior mean is at most that of the observed
    mean.
    """
    counts = evidence.counts
    weights = evidence.class_weight
    recalls = _typical_recalls(counts.correct, counts.total)
    expected = counts.total * recalls
    variances = expected * (1 - recalls)
    moments = evidence.prior.moments(
        expected + _BELOW_AND_ABOVE * np.sqrt(variances), counts.total, weights
    )
    low, high = _interval(*(0.5 * moment.sum() for moment in moments))
    truth = weights @ recalls
    shares = weights / np.maximum(counts.total, 1)
    spread = math.sqrt(max(float(variances @ (shares * shares)), _TINY))
    below, above = ndtr(np.array([low - truth, high - truth]) / spread).tolist()
    return float(above - below)


def _interval(mean: Floats, variance: Floats, third: Floats) -> tuple[Floats, Floats]:
    """Return the hull of shortest and equal-tailed 95 % interval, by three moments."""
    # A variance may be zero in doubles.
    spread = np.sqrt(np.maximum(variance, _TINY))
    skewness = np.minimum(np.maximum(third / spread**3, -2), 2)
    shortest = skewness * (_Z**2 - 3) / 6
    central = skewness * (_Z**2 - 1) / 6
    low = mean + spread * (np.minimum(shortest, central) - _Z)
    high = mean + spread * (np.maximum(shortest, central) + _Z)
    return low, high


def _typical_recalls(correct: Floats, total: Floats) -> Floats:
    """Return plausible recalls: small classes borrow from those of similar size."""
    least = 1 / total.size
    seen = total > 0
    rates = (correct + least) / (total + 2 * least)
    octaves = np.frexp(total)[1]
    # A class without samples is like the smallest ones; there is an empty octave at
    # either side.
    lowest = octaves[seen].min() - 1
    octaves = np.where(seen, octaves - lowest, 1)
    size = int(octaves.max()) + 2
    sums = np.bincount(octaves, rates * seen, size)
    classes = np.bincount(octaves, seen, size)
    nearby = np.convolve(classes, _AROUND, "same")
    means = np.convolve(sums, _AROUND, "same") / np.maximum(nearby, 1)
    return np.asarray((correct + _BORROWED * means[octaves]) / (total + _BORROWED))


class PriorInfluenceWarning(UserWarning):
    """95 % intervals under this prior would often miss the truth in similar test sets.

    The check runs for posteriors from labels, counts, confusion matrices and folds, and
    in :func:`~skpostbac.compare_predictions`. It simulates 2,000 similar test sets
    (fewer with more than 15 classes, at least 100) from recalls like the observed ones.
    The warning is given if the share of 95 % intervals that contain the true balanced
    accuracy is below 0.915 - 0.1 / n_classes. This coverage is `expected_coverage` of
    :meth:`~skpostbac.PosteriorBalancedAccuracy.prior_influence`, which also returns how
    far each class shifts the mean.

    With many classes and few samples of each, a prior such as "uniform" pulls each
    accuracy, and so the average, to 1/2, while the standard deviation of the average
    falls with the number of classes. Under a weak prior, recalls from few samples look
    more certain than they are. The message says which prior helps.

    The warning is also given for classes of positive weight without samples, which it
    names: their recalls are those of the prior.

    Scores, scorers and refit rules do not warn, since a search would repeat the warning
    in each fold. Informative priors, i.e. a pair of two different numbers or an array
    with a row for each class, are meant to move the posterior and give no warning.
    Shifts within 0.005 are ignored.

    :func:`~skpostbac.posterior_confusion_metric` warns if the metric of the observed
    confusion matrix and that of the expected one differ by more than 1.5 posterior
    standard deviations and 0.005. The message says what helps.

    Notes
    -----
    The table shows the share of simulated data sets with a warning, by the coverage of
    95 % intervals in the setting. Data sets have 4 to 20 classes with equal recalls,
    random ones, or recalls that depend on class size. The limit was chosen in other
    settings, and the intervals are the shortest. The default prior is not in the table:
    few settings leave it a coverage below 0.9 (see :ref:`priors`), and the check may
    miss them.

    ============= ======= ========
    coverage      uniform jeffreys
    ============= ======= ========
    less than .5  1.00    1.00
    .5 to .8      0.94    0.95
    .8 to .85     0.83    0.82
    .85 to .9     0.58    0.70
    .9 to .93     0.33    0.22
    more than .93 0.19    0.08
    ============= ======= ========

    Examples
    --------
    >>> import warnings
    >>> from skpostbac import PosteriorBalancedAccuracy
    >>> from skpostbac.metrics import PriorInfluenceWarning
    >>> with warnings.catch_warnings(category=PriorInfluenceWarning, action="ignore"):
    ...     posterior = PosteriorBalancedAccuracy.from_counts(
    ...         [9] * 50, [10] * 50, prior="uniform"
    ...     )
    >>> influence = posterior.prior_influence()
    >>> influence.shift, influence.expected_coverage
    (-4.561, 0.0)
    """


def dominating_influence(evidence: Iterable[Evidence]) -> PriorInfluence | None:
    """Return the influence of the prior under which intervals miss most often, or None.

    Classes without samples, which `untested_notes` is about, are no influence of this
    kind. Of many posteriors, those of which an approximation expects least are
    examined.
    """
    suspects = []
    for number, one in enumerate(evidence):
        coverage = _suspect_coverage(one)
        if coverage is not None:
            suspects.append((coverage, number, one))
    found = []
    for *_, one in sorted(suspects, key=lambda suspect: suspect[:2])[:_MOST_SUSPECTS]:
        influence = influence_of(one)
        shifts = zip(influence.counts.total, influence.class_shifts, strict=True)
        others = sum(shift for total, shift in shifts if total)
        is_of_untested = abs(influence.shift) > LARGEST_SHIFT >= abs(others)
        if influence.remedy and not is_of_untested:
            found.append(influence)
    return min(
        found, key=lambda one: (one.expected_coverage, -abs(one.shift)), default=None
    )


def _is_judged(evidence: Evidence) -> bool:
    """Return whether the prior is not informative, and something was observed."""
    is_observed = bool(evidence.counts.total @ evidence.class_weight > 0)
    return is_observed and not evidence.prior.is_informative


def _suspect_coverage(evidence: Evidence) -> float | None:
    """Return an approximate coverage, or None where the prior surely does no harm."""
    if not _is_judged(evidence):
        return None
    coverage = _approximate_coverage(evidence)
    is_small = evidence.counts.total < _SMALL_CLASS
    margin = _SCREEN_MARGIN * (1 + evidence.class_weight @ is_small)
    if not coverage < evidence.least_coverage + margin:
        return None
    moved = abs(evidence.mean - evidence.observed)
    return None if moved + 2 * evidence.standard_deviation <= _LEAST_MOVE else coverage


def warn_of_prior(*evidence: Evidence) -> None:
    """Warn once for all posteriors, by counts, prior, weights and moments of each."""
    untested = [one for one in evidence if one.untested and _is_judged(one)]
    sentences = coverage_notes(evidence) + untested_notes(untested)
    if sentences:
        warnings.warn(" ".join(sentences), PriorInfluenceWarning, user_stacklevel())


def coverage_notes(evidence: Iterable[Evidence]) -> list[str]:
    """Return a sentence on the prior, with cause and remedy, if it does harm."""
    influence = dominating_influence(evidence)
    if influence is None:
        return []
    cause = "recalls from few samples look more certain than they are"
    if abs(influence.shift) > LARGEST_SHIFT:
        cause = (
            f"the prior moves the mean from {influence.observed:.3f} on the test "
            f"samples to {influence.mean:.3f}, by {abs(influence.shift):.1f} posterior "
            "standard deviations"
        )
    share = influence.expected_coverage
    remedy = influence.remedy
    sentence = (
        f"95% intervals would contain the true balanced accuracy in about {share:.0%} "
        f"of similar test sets: {cause}. {remedy[0].upper()}{remedy[1:]}."
    )
    return [sentence]


def untested_notes(evidence: Iterable[Evidence]) -> list[str]:
    """Return a sentence on the classes of positive weight without samples, if any."""
    labels = dict.fromkeys(label for one in evidence for label in one.untested)
    return [describe_untested(list(labels))] if labels else []


def describe_untested(
    labels: Sequence[Hashable],
    *,
    leave_out_with: str = "labels= or a class_weight of 0",
) -> str:
    """Return a sentence on classes without samples, with a remedy.

    Parameters
    ----------
    labels : sequence of labels
        The classes.
    leave_out_with : str
        Arguments that leave out classes.
    """
    return (
        f"Classes without samples ({list_labels(labels)}) rest on the prior alone: "
        f"test them, or leave them out with {leave_out_with}."
    )


def warn_if_prior_moves(
    metric: str,
    observed: float,
    expected: float,
    samples: str,
    untested: Sequence[Hashable],
    prior: BetaPrior,
) -> None:
    """Warn that the prior moves a metric far from its value on the test samples.

    Parameters
    ----------
    metric : str
        Name of the metric.
    observed, expected : float
        The metric of the observed and of the expected confusion matrix.
    samples : str
        What the samples are called.
    untested : sequence of labels
        Classes without samples.
    prior : BetaPrior
        The prior of the recalls.
    """
    if untested:
        remedy = describe_untested(untested, leave_out_with="labels=")
    else:
        remedy = f"With few samples of each class, {prior.weaker}."
    warnings.warn(
        f"The prior moves {metric} from {format_number(observed)} on {samples} "
        f"to {format_number(expected)}, which is more than {LARGEST_SHIFT} posterior "
        f"standard deviations. {remedy}",
        PriorInfluenceWarning,
        stacklevel=user_stacklevel(),
    )


def moves_far(observed: float, expected: float, standard_deviation: float) -> bool:
    """Return whether the prior moves a metric far enough for a warning.

    Any prior moves what is infinite on the samples, such as a likelihood ratio without
    errors.
    """
    least = max(LARGEST_SHIFT * standard_deviation, _LEAST_MOVE)
    return math.isfinite(observed) and abs(expected - observed) > least


@dataclass(frozen=True, eq=False, repr=False)
class PriorInfluence(StablePickle):
    r"""Shift of the posterior mean by the prior, in total and by class.

    Returned by :meth:`skpostbac.PosteriorBalancedAccuracy.prior_influence`. All shifts
    are in posterior standard deviations, and negative where the prior pulls down. The
    shift of class i is :math:`w_i (E\theta_i - k_i / n_i) / \mathrm{sd}(\lambda)`, in
    the notation of :class:`~skpostbac.PosteriorBalancedAccuracy`, and the shifts add up
    to the shift of the balanced accuracy.

    A class without samples has no recall on the test samples. It is compared with the
    balanced accuracy of the other classes on them.

    Attributes
    ----------
    counts : ClassCounts
        Counts of the test samples, whose classes are those of the shifts.
    mean : float
        Posterior mean of the balanced accuracy.
    observed : float
        Weighted mean of the recalls on the test samples, over their classes; nan if
        none of these has a positive weight.
    class_shifts : tuple of n_classes floats
        Contribution of each class to `shift`.
    expected_coverage : float
        Expected coverage of 95 % intervals in similar test sets; nan without samples.
        :class:`~skpostbac.metrics.PriorInfluenceWarning` describes how it is estimated.
    remedy : str
        Suggested remedy if `expected_coverage` is below 0.915 - 0.1 / n_classes, else
        empty.

    Notes
    -----
    The shift measures the pull of the prior; `expected_coverage` measures its effect on
    intervals.

    Examples
    --------
    >>> from skpostbac import PosteriorBalancedAccuracy
    >>> posterior = PosteriorBalancedAccuracy.from_counts([30, 8, 3], [32, 10, 4])
    >>> influence = posterior.prior_influence()
    >>> influence
    PriorInfluence(shift=-0.26, mean=0.808, observed=0.829, expected_coverage=0.96)
    >>> influence.class_shifts
    (-0.0364, -0.0765, -0.1458)
    """

    counts: ClassCounts
    mean: float
    observed: float
    class_shifts: tuple[float, ...]
    expected_coverage: float
    remedy: str

    @property
    def shift(self) -> float:
        """Posterior mean minus `observed`, in posterior standard deviations."""
        return math.fsum(self.class_shifts)

    def __repr__(self) -> str:
        facts = [
            f"shift={self.shift:.2f}",
            f"mean={self.mean:.3f}",
            f"observed={self.observed:.3f}",
            f"expected_coverage={self.expected_coverage:.2f}",
        ]
        return f"PriorInfluence({', '.join(facts)})"


def influence_of(evidence: Evidence) -> PriorInfluence:
    """Return how far the prior moves the mean, and a remedy if coverage is low."""
    counts = evidence.counts
    weights = evidence.class_weight
    means = evidence.distribution.means()
    deviation = evidence.standard_deviation
    observed = evidence.observed
    moved = means - np.where(counts.total > 0, counts.recalls, observed)
    coverage = simulated_coverage(counts.correct, counts.total, evidence.prior, weights)
    remedy = ""
    if coverage < evidence.least_coverage:
        remedy = "test more samples"
        default = make_prior(DEFAULT_PRIOR, counts.n_classes)
        share = simulated_coverage(counts.correct, counts.total, default, weights)
        if share >= _ENOUGH:
            remedy += f", or use prior={DEFAULT_PRIOR!r} (about {share:.0%})"
    return PriorInfluence(
        counts=counts,
        mean=evidence.mean,
        observed=observed,
        class_shifts=tuple((weights * moved / deviation).tolist()),
        expected_coverage=coverage,
        remedy=remedy,
    )
