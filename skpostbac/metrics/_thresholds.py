"""The posterior balanced accuracy at every threshold of a score, and at the best one.

A sample is predicted positive if its score is at least the threshold.

As the threshold falls from one value t_j to the next, d_j more positives are predicted
correctly. The true-positive rate at t_j is F_j, the mass of a Dirichlet distribution
with the parameters

    a, d_1, d_2, ..., d_m, b

in its first j + 1 cells. This is the Dirichlet process of Ferguson (Annals of
Statistics 1, 1973), whose posterior adds the observations to the prior mass, here at
both ends of the axis of scores. F_j is Beta(a + k_j, b + n - k_j), the posterior of the
recall at that threshold alone, so that the curve has at each threshold the distribution
that is computed there, and its increments are independent but for their sum. The rate
of the negatives that are predicted positive has the parameters b, e_1, ..., e_m, a in
the same way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, betaln, expit, logit, xlogy

from skpostbac._plot import ThresholdPlot
from skpostbac._utils import (
    Floats,
    FrozenArrays,
    Indices,
    RandomStateLike,
    check_level,
    check_probability,
    draw_seed,
    finite_or_none,
    float_or_nan,
    format_estimate,
    nonnegative_array,
    paragraph,
    paragraphs,
    result,
    shown,
)
from skpostbac.metrics._advice import warn_of_prior
from skpostbac.metrics._balanced_accuracy import PosteriorBalancedAccuracy
from skpostbac.metrics._binary_scores import (
    BinaryScores,
    read_scores,
    warn_of_labels,
)
from skpostbac.metrics._class_weight import (
    ClassWeightLike,
    check_class_weight,
    resolve_class_weight,
)
from skpostbac.metrics._counts import (
    ClassCounts,
    class_counts,
    describe_samples,
    format_count,
)
from skpostbac.metrics._dependence import WidenedAverage, warn_of_groups
from skpostbac.metrics._labels import WeightType
from skpostbac.metrics._prior import DEFAULT_PRIOR, BetaPrior, PriorLike, make_prior
from skpostbac.metrics._selected import SelectedPosterior, optimism_of_choice
from skpostbac.stats import BetaAverage
from skpostbac.stats._distribution import interval_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Largest number of thresholds of a curve.
MOST_THRESHOLDS = 1000
CURVE_DRAWS = 1000
CURVE_BOOTSTRAPS = 200
# Thresholds that lose at most this on the samples do about as well.
SIMILAR_LOSS = 0.02
# Shares are clipped to this distance from 0 and 1, which have no logit.
_LEAST_LOGIT_SHARE = 1e-15


def _read_only(values: Floats | float) -> Floats:
    """Return values that are cached, as an array that cannot be changed."""
    array = np.asarray(values)
    array.flags.writeable = False
    return array


def _in_words(low: float, high: float) -> str:
    """Return where thresholds of a range are."""
    if np.isinf(low):
        return "anywhere" if np.isinf(high) else f"at or below {high:.4g}"
    if np.isinf(high):
        return f"above {low:.4g}"
    return f"above {low:.4g} and up to {high:.4g}"


@dataclass(frozen=True, eq=False, repr=False)
class PosteriorThresholdCurve(FrozenArrays):
    """Posterior of the balanced accuracy along the thresholds of a score.

    A sample is predicted positive if its score is at least the threshold. Created by
    :func:`~skpostbac.posterior_threshold_curve`. Arrays have one entry per threshold,
    from the highest to the lowest.

    Attributes
    ----------
    classes : tuple of two labels
        Both classes, sorted.
    positive : int
        Index of the positive class, 0 or 1.
    thresholds : ndarray of shape (n_thresholds,)
        Decreasing thresholds: the distinct scores, or 1,000 of them including the best.
    correct : ndarray of shape (n_thresholds, 2)
        Correct predictions of each class.
    total : ndarray of shape (2,)
        Samples of each class; effective sizes with importance weights or groups.
    prior : BetaPrior or CalibratedPrior
        Prior of the recall of each class.
    class_weight : ndarray of shape (2,) or None
        Weights of the classes in the average, which sum to 1; None for equal weights.
    level : float
        Probability of the intervals and of the band.
    seed : int
        Seed for the band and the bootstrap of `optimism`.
    n_samples : float or None
        Number of samples with importance weights or groups; None without either.

    See Also
    --------
    skpostbac.PosteriorThresholdDisplay : The plot, from labels or from a classifier.
    sklearn.model_selection.TunedThresholdClassifierCV : Chooses a threshold on training
        samples, which leaves the test samples for an evaluation without correction.

    Examples
    --------
    >>> from skpostbac import posterior_threshold_curve
    >>> y_true = [0, 0, 0, 0, 0, 1, 1, 1]
    >>> y_score = [0.1, 0.2, 0.3, 0.4, 0.7, 0.5, 0.8, 0.9]
    >>> curve = posterior_threshold_curve(y_true, y_score, random_state=0)
    >>> curve.best_threshold
    0.5
    >>> curve.best.mean(), curve.corrected.mean()
    (0.8125, 0.7305)
    """

    classes: tuple[Any, Any]
    positive: int
    thresholds: Floats
    correct: Floats
    total: Floats
    prior: BetaPrior
    class_weight: Floats | None
    level: float = 0.95
    seed: int = 0
    n_samples: float | None = None

    @property
    def _observed(self) -> Floats:
        """Balanced accuracy on the test samples, shape (n_thresholds,)."""
        return np.asarray((self.correct / self.total) @ self._weights)

    @property
    def _passed(self) -> Floats:
        """The positive predictions in each class, shape (n_thresholds, 2)."""
        is_positive = np.arange(2) == self.positive
        return np.where(is_positive, self.correct, self.total - self.correct)

    @property
    def _weights(self) -> Floats:
        return np.full(2, 0.5) if self.class_weight is None else self.class_weight

    @cached_property
    def _distributions(self) -> BetaAverage:
        return self.prior.average(self.correct, self.total, self.class_weight)

    @property
    def mean(self) -> Floats:
        """Posterior mean of the balanced accuracy at each threshold."""
        return _read_only(self._distributions.mean())

    @cached_property
    def interval(self) -> tuple[Floats, Floats]:
        """Ends of the credible interval at each threshold (pointwise)."""
        low, high = interval_of(self._distributions, self.level)
        return _read_only(low), _read_only(high)

    @cached_property
    def band(self) -> tuple[Floats, Floats]:
        """Ends of a simultaneous band.

        It contains the whole curve with probability `level`. It is wider than the
        pointwise intervals, and remains valid at the best threshold.
        """
        low, high = simultaneous_band(self._curves, self.level)
        return _read_only(low), _read_only(high)

    @cached_property
    def _curves(self) -> Floats:
        rng = np.random.default_rng([self.seed, 0])
        strength = self.prior.strength(self.total)
        prior = np.stack([strength * self.prior.a, strength * self.prior.b], axis=1)
        return self._random_curves(
            strength,
            prior,
            lambda cells: rng.standard_gamma(cells, (CURVE_DRAWS, len(cells))),
        )

    def _random_curves(
        self, strength: Floats, prior: Floats, draw: Callable[[Floats], Floats]
    ) -> Floats:
        """Return curves of random shares of the samples between two thresholds."""
        curves: Floats = np.zeros(1)
        for i, passed in enumerate(self._passed.T):
            cells = np.diff(passed, prepend=0.0, append=self.total[i]).clip(min=0)
            cells *= strength[i]
            # The prior of correct predictions of the positive class is beyond the
            # largest score.
            first, last = prior[i] if i == self.positive else prior[i, ::-1]
            cells[-1] += last

            sums = np.cumsum(draw(np.append(first, cells)), axis=1)
            rates = sums[:, 1:-1] / sums[:, -1:]
            recalls = rates if i == self.positive else 1 - rates
            curves = curves + self._weights[i] * recalls
        return curves

    @property
    def best_index(self) -> int:
        """Index of the threshold with the largest score on the test samples."""
        return int(np.argmax(self._observed))

    @property
    def best_threshold(self) -> float:
        """Threshold of the largest score on the test samples; the highest if tied."""
        return float(self.thresholds[self.best_index])

    def best_threshold_range(self, level: float | None = None) -> tuple[float, float]:
        """Return the range in which the truly best threshold lies.

        It is a confidence range: in at least a share `level` of data sets, it contains
        the threshold with the highest true balanced accuracy. Not all thresholds in it
        are about as good; see :ref:`thresholds`.

        Parameters
        ----------
        level : float, default=None
            Confidence level, in (0, 1); by default that of the curve.

        Returns
        -------
        low, high : float
            A threshold is in the range if it is above `low`, and at most `high`. They
            are -inf and inf if predicting all samples positive, or none, is not shown
            to be worse.

        Raises
        ------
        ValueError
            If `level` is not in (0, 1).

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from skpostbac import posterior_threshold_curve
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> curve = posterior_threshold_curve(y, -X[:, 0])
        >>> curve.best_threshold
        -15.04
        >>> curve.best_threshold_range()
        (-15.34, -12.98)
        """
        level = check_level(self.level if level is None else level)
        least = np.log(2 / (1 - level))
        correct = np.vstack([self._correct_of_none, self.correct])

        everything = rows = np.arange(len(correct))
        # Most thresholds lose to the one that does best on the samples.
        for others in (everything[[self.best_index + 1]], everything):
            rows = rows[self._log_evidence(correct, rows, others) < least]
        return self._range(rows[0] - 1, rows[-1] - 1)

    def similar_threshold_range(
        self, loss: float = SIMILAR_LOSS
    ) -> tuple[float, float]:
        """Return the range around the best threshold where others do about as well.

        It describes these samples: the balanced accuracy on them at each threshold in
        the range is at most `loss` below that of the best one. How often such a range
        contains the truly best threshold is given in :ref:`evidence_thresholds`; use
        `best_threshold_range` to be sure of it.

        Parameters
        ----------
        loss : float, default=0.02
            Largest difference of the balanced accuracy, in (0, 1).

        Returns
        -------
        low, high : float
            A threshold is in the range if it is above `low`, and at most `high`. They
            are -inf and inf if predicting all samples positive, or none, does about as
            well.

        Raises
        ------
        ValueError
            If `loss` is not in (0, 1).

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from skpostbac import posterior_threshold_curve
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> curve = posterior_threshold_curve(y, -X[:, 0])
        >>> curve.similar_threshold_range()
        (-15.34, -13.64)
        """
        loss = check_probability(loss, "loss")
        correct = np.vstack([self._correct_of_none, self.correct])
        average = (correct / self.total) @ self._weights
        # A tolerance, as shares of whole numbers are rounded.
        first = last = best = self.best_index + 1
        is_similar = average >= average[best] - loss - 1e-12
        while first > 0 and is_similar[first - 1]:
            first -= 1
        while last + 1 < len(average) and is_similar[last + 1]:
            last += 1
        return self._range(first - 1, last - 1)

    @property
    def _correct_of_none(self) -> Floats:
        """Correct predictions of each class if no sample is predicted positive."""
        return np.where(np.arange(2) == self.positive, 0.0, self.total)

    def _range(self, first: int, last: int) -> tuple[float, float]:
        """Return the range from one threshold to a lower one; -1 is above all."""
        ends = [*self.thresholds.tolist(), -np.inf, np.inf]
        return ends[last + 1], ends[first]

    def _log_evidence(self, correct: Floats, rows: Indices, others: Indices) -> Floats:
        """Return the log of the evidence that other thresholds are better.

        If two thresholds are equally good, each sample on which only one of them is
        right is a gain of the other one with a known probability. The evidence is the
        ratio of the likelihood, averaged over larger probabilities by Jeffreys' prior,
        to that of the known one. If no threshold is better, it exceeds 2 / alpha on
        either side with a probability of at most alpha / 2 (Ville's inequality).
        """
        change = correct[others] - correct[rows, None]
        gained = change.max(axis=-1)
        lost = -change.min(axis=-1)

        share = self.total * self._weights[::-1]
        share = share / share.sum()
        is_lower = others > rows[:, None]
        p = np.where(is_lower, share[self.positive], share[1 - self.positive])

        # Smaller probabilities are negligible where the evidence is large.
        with np.errstate(divide="ignore"):  # of a class without weight
            prior = betaln(0.5, 0.5) + np.log(betainc(0.5, 0.5, 1 - p))
        likelihood = xlogy(gained, p) + xlogy(lost, 1 - p)
        evidence = betaln(gained + 0.5, lost + 0.5) - prior - likelihood
        evidence[gained <= p * (gained + lost)] = 0.0
        return np.asarray(evidence.max(axis=1))

    @property
    def best(self) -> PosteriorBalancedAccuracy:
        """Posterior at the best threshold, not corrected for its choice."""
        return self._posterior(self.correct[self.best_index])

    @cached_property
    def corrected(self) -> SelectedPosterior:
        """Posterior at the best threshold, corrected for its choice on these samples.

        The selection bias is estimated by repeating the choice on 200 bootstrap
        samples.
        """
        rng = np.random.default_rng([self.seed, 1])

        def draw(cells: Floats) -> Floats:
            total = cells.sum()
            size = max(1, round(total))  # sums of case counts may be fractions
            counts = rng.multinomial(size, cells / total, CURVE_BOOTSTRAPS)
            return counts.astype(np.float64)

        resampled = self._random_curves(np.ones(2), np.zeros((2, 2)), draw)
        optimism = optimism_of_choice(self._observed, resampled)
        return SelectedPosterior(
            self.best,
            *optimism,
            candidate=self.best_index,
            n_candidates=len(self.thresholds),
        )

    def at(self, threshold: float) -> PosteriorBalancedAccuracy:
        """Return the posterior at a threshold that was chosen elsewhere.

        Parameters
        ----------
        threshold : float
            Between two thresholds of the curve, the predictions are those of the higher
            one (if the curve was thinned, of the next threshold kept). Above the
            largest score, no sample is predicted positive.

        Returns
        -------
        posterior : PosteriorBalancedAccuracy

        Raises
        ------
        ValueError
            If `threshold` is not a number.
        """
        value = float_or_nan(threshold)
        if np.isnan(value):
            raise ValueError(f"threshold must be a number, got {shown(threshold)}")
        index = np.searchsorted(-self.thresholds, -value, side="right") - 1
        correct = self.correct[index]
        if index < 0:  # no sample is predicted positive
            correct = self._correct_of_none
        return self._posterior(correct)

    def _posterior(self, correct: Floats) -> PosteriorBalancedAccuracy:
        counts = ClassCounts(self.classes, correct, self.total)
        return PosteriorBalancedAccuracy(
            counts, prior=self.prior, class_weight=self.class_weight
        )

    def table(self) -> dict[str, Floats]:
        """Return the results for each threshold as a dict of columns.

        Returns
        -------
        columns : dict of str to ndarray of shape (n_thresholds,)
            "threshold", "mean", "low", "high", "band_low", "band_high".
        """
        low, high = self.interval
        band_low, band_high = self.band
        return {
            "threshold": self.thresholds,
            "mean": self.mean,
            "low": low,
            "high": high,
            "band_low": band_low,
            "band_high": band_high,
        }

    def summary(self, level: float | None = None) -> dict[str, float | None]:
        """Return the best threshold with summary statistics corrected for its choice.

        Parameters
        ----------
        level : float, default=None
            Probability of the credible interval, in (0, 1); by default that of the
            curve.

        Returns
        -------
        statistics : dict of str to float or None
            "threshold"; "threshold_low" and "threshold_high", the range of the best
            threshold, None where it has no end; "mean", "median", "standard_deviation",
            "low", "high" and "level" of the corrected posterior; "optimism" (the
            correction) with "optimism_error"; and "uncorrected_mean".

        Examples
        --------
        >>> from skpostbac import posterior_threshold_curve
        >>> y_true = [0, 0, 0, 0, 0, 1, 1, 1]
        >>> y_score = [0.1, 0.2, 0.3, 0.4, 0.7, 0.5, 0.8, 0.9]
        >>> curve = posterior_threshold_curve(y_true, y_score, random_state=0)
        >>> curve.summary()["threshold"]
        0.5
        """
        level = self.level if level is None else level
        low, high = self.best_threshold_range(level)
        ends = finite_or_none({"threshold_low": low, "threshold_high": high})
        corrected = self.corrected.summary(level)
        return {"threshold": self.best_threshold, **ends, **corrected}

    def report(self, level: float | None = None) -> str:
        """Return a text report on the best threshold.

        Parameters
        ----------
        level : float, default=None
            Probability of the credible intervals, in (0, 1); by default that of the
            curve.

        Returns
        -------
        sentences : str
            One sentence per line.

        Examples
        --------
        >>> from skpostbac import posterior_threshold_curve
        >>> y_true = [0, 0, 0, 0, 0, 1, 1, 1]
        >>> y_score = [0.1, 0.2, 0.3, 0.4, 0.7, 0.5, 0.8, 0.9]
        >>> curve = posterior_threshold_curve(y_true, y_score, random_state=0)
        >>> print(curve.report())
        Threshold 0.5, the best of 8 on the 8 test samples, has a balanced accuracy of
        0.730 (95% credible interval 0.414 to 0.984).
        It was selected among 8 on the same samples, which inflates it by 0.092 on
        average. Uncorrected: 0.812 (95% credible interval 0.543 to 0.995).
        On these samples, thresholds above 0.4 and up to 0.5 do about as well (within
        0.02).
        The truly best one lies anywhere (95% confidence).
        """
        return paragraphs(*self._sentences(self.level if level is None else level))

    def _sentences(self, level: float) -> list[str]:
        """Return the lines of the report."""
        number = len(self.thresholds)
        n_effective = self.total.sum()
        samples = describe_samples(n_effective, "test sample")
        if self.n_samples is not None:
            n_samples = format_count(self.n_samples)
            samples = f"{n_samples} test samples (effective size {n_effective:.4g})"

        estimate = self.corrected._describe(level)
        best = (
            f"Threshold {self.best_threshold:.4g}, the best of {number} on the "
            f"{samples}, has a balanced accuracy of {estimate}."
        )
        _, selection = self.corrected._sentences(level)
        similar = _in_words(*self.similar_threshold_range())
        similar = (
            f"On these samples, thresholds {similar} do about as well (within "
            f"{SIMILAR_LOSS:g})."
        )
        truth = _in_words(*self.best_threshold_range(level))
        truth = f"The truly best one lies {truth} ({100 * level:.12g}% confidence)."
        return [best, selection, similar, truth]

    def __str__(self) -> str:
        return self.report()

    def plot(self, ax: Axes | None = None, **plot_params: Any) -> ThresholdPlot:
        """Draw the curve with its intervals and its band, and mark the best threshold.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw into. Defaults to those of a new figure.
        **plot_params
            As for :meth:`ThresholdPlot.plot <skpostbac.displays.ThresholdPlot.plot>`.

        Returns
        -------
        display : ThresholdPlot
        """
        return ThresholdPlot(self).plot(ax, **plot_params)

    def _repr_html_(self) -> str:
        first, *notes = self._sentences(self.level)
        return result(first, *self.corrected._html_tables(), *map(paragraph, notes))

    def __repr__(self) -> str:
        corrected = self.corrected
        mean, interval = format_estimate(
            corrected.mean(), corrected.credible_interval(self.level)
        )
        n_effective = self.total.sum()
        samples = f"n={format_count(n_effective)}"
        if self.n_samples is not None:
            samples = f"n={format_count(self.n_samples)}, n_effective={n_effective:.4g}"
        return (
            f"PosteriorThresholdCurve(best_threshold={self.best_threshold:.4g}, "
            f"corrected mean={mean}, {100 * self.level:.12g}% CI={interval}, "
            f"n_thresholds={len(self.thresholds)}, {samples})"
        )


def posterior_threshold_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = None,
    groups: ArrayLike | None = None,
    class_weight: ClassWeightLike = None,
    prior: PriorLike = DEFAULT_PRIOR,
    level: float = 0.95,
    random_state: RandomStateLike = 0,
) -> PosteriorThresholdCurve:
    """Compute the posterior balanced accuracy at every threshold of a score.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes.
    y_score : array-like of shape (n_samples,)
        Scores or probabilities of the positive class.
    pos_label : int, float, bool or str, default=None
        Label of the positive class, by default 1 if the labels are 0 and 1 or -1 and 1.
    sample_weight : array-like of shape (n_samples,), default=None
        Finite, non-negative weights. By default they are case counts, so their scale
        matters.
    weight_type : {"case", "importance"}, default=None
        Meaning of the weights: case counts, or importance (survey, inverse-probability)
        weights, whose scale does not matter. None means "case", with a warning if the
        weights are not whole numbers.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as a patient. Samples of the same group are
        treated as correlated: at all thresholds, the counts are divided by the design
        effects at the best one; see :ref:`groups`.
    class_weight : dict or array-like of shape (2,), default=None
        Weights of the classes in the average, normalised to sum to 1; an array follows
        the order of the sorted labels. They express the cost of errors in each class.
    prior : str, pair of floats or array-like of shape (2, 2), default="calibrated"
        Prior of the recall of each class, as for :func:`posterior_balanced_accuracy`,
        independent for each class.
    level : float, default=0.95
        Probability of the intervals and of the band, in (0, 1).
    random_state : int, RandomState, Generator or None, default=0
        Seed for the band and the correction.
        Results are reproducible by default; None stands for fresh entropy.

    Returns
    -------
    curve : PosteriorThresholdCurve

    Raises
    ------
    ValueError
        If there are not exactly two classes, if a score is not finite, or if another
        argument is out of range.
    TypeError
        If the labels are bytes or a sparse matrix.

    Warns
    -----
    GroupsWarning
        If the correlation within groups is poorly known, or if groups span both
        classes.
    PriorInfluenceWarning
        If 95 % intervals at the best threshold would often miss the true value in
        similar test sets under this prior.
    SampleWeightWarning
        If weights are not whole numbers and `weight_type` is None.

    See Also
    --------
    posterior_balanced_accuracy : The posterior at one threshold, chosen elsewhere.

    References
    ----------
    .. [1] T. S. Ferguson (1973). A Bayesian analysis of some nonparametric problems.
       Annals of Statistics 1, 209-230.
    .. [2] B. Efron (1983). Estimating the error rate of a prediction rule: improvement
       on cross-validation. Journal of the American Statistical Association 78,
       316-331.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from skpostbac import posterior_threshold_curve
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> posterior_threshold_curve(y[:200], -X[:200, 1], random_state=0)
    PosteriorThresholdCurve(best_threshold=-19.46, corrected mean=0.730,
        95% CI=[0.665, 0.791], n_thresholds=191, n=200)
    """
    if weight_type == "importance" and sample_weight is not None:
        # The scale does not matter; relative to the largest, weights have squares above
        # 0.
        given = nonnegative_array(sample_weight, "sample_weight")
        sample_weight = given / (given.max(initial=0.0) or 1.0)
    scores = read_scores(y_true, y_score, pos_label, sample_weight, weight_type)
    warn_of_labels(scores.values, "y_score")
    codes = scores.is_positive.astype(int)
    total = np.bincount(codes, scores.weight)
    if not total.all():
        raise ValueError(
            "sample_weight must be positive for some samples of each class"
        )

    n_samples = None
    if weight_type == "importance":
        n_samples = float(np.count_nonzero(scores.weight))
        # Weights that add up to the effective size of each class.
        scale = total / np.bincount(codes, scores.weight**2)
        scores = scores._replace(weight=scores.weight * scale[codes])
    weight_spec = check_class_weight(class_weight)
    weights = resolve_class_weight(weight_spec, np.array(scores.classes, dtype=object))
    curve = PosteriorThresholdCurve(
        scores.classes,
        scores.positive,
        *count_at_thresholds(scores),
        prior=make_prior(prior, 2),
        class_weight=None if weight_spec is None else weights,
        level=check_level(level),
        seed=draw_seed(random_state),
        n_samples=n_samples,
    )
    if groups is not None:
        grouped = class_counts(
            scores.is_positive == scores.positive,
            (scores.values >= curve.best_threshold) == scores.positive,
            labels=[False, True],
            sample_weight=sample_weight,
            weight_type=weight_type or "case",
            groups=groups,
        )
        effects = grouped.design_effects
        assert effects is not None
        warn_of_groups(effects, scores.classes)

        divisor = effects.design_effect
        average = PosteriorBalancedAccuracy(grouped, class_weight=weights).distribution
        if isinstance(average, WidenedAverage):
            # Groups of both classes enlarge the variance, as if both had fewer samples.
            divisor = average._factor * divisor
        curve = replace(
            curve,
            correct=curve.correct / divisor,
            total=curve.total / divisor,
            n_samples=n_samples or float(scores.weight.sum()),
        )

    if len(curve.thresholds) > MOST_THRESHOLDS:
        # From one to the next the same weighted share of the samples becomes positive.
        share = (curve._passed / curve.total) @ weights
        even_shares = np.linspace(share[0], share[-1], MOST_THRESHOLDS - 1)
        even = np.searchsorted(share, even_shares).clip(max=share.size - 1)
        chosen = np.unique([*even, curve.best_index])
        curve = replace(
            curve, thresholds=curve.thresholds[chosen], correct=curve.correct[chosen]
        )

    warn_of_prior(curve.best._evidence())
    return curve


def count_at_thresholds(scores: BinaryScores) -> tuple[Floats, Floats, Floats]:
    """Return thresholds, and correct predictions and samples of each class.

    Thresholds are the distinct scores with a positive weight, by decreasing score.
    """
    order = np.argsort(scores.values)[::-1]
    order = order[scores.weight[order] > 0]
    values = scores.values[order]
    weight = scores.weight[order]
    last = np.append(np.flatnonzero(np.diff(values)), len(values) - 1)

    is_positive = scores.is_positive[order]
    by_class = np.arange(2) == scores.positive
    passed = np.stack(
        [np.cumsum(weight * (is_positive == one))[last] for one in by_class], axis=-1
    )
    correct = np.where(by_class, passed, passed[-1] - passed)
    return values[last], correct, passed[-1]


def simultaneous_band(curves: Floats, level: float) -> tuple[Floats, Floats]:
    """Return the ends of a band that contains a share `level` of the whole curves.

    The largest distance of a curve from the mean curve is measured in logits, in
    standard deviations at each threshold, so that the band stays within (0, 1); its
    quantile at `level` is the half-width of the band at all of them (Montiel Olea and
    Plagborg-Moller, Journal of Applied Econometrics 34, 2019).
    """
    logits = logit(np.clip(curves, _LEAST_LOGIT_SHARE, 1 - _LEAST_LOGIT_SHARE))
    centre = logits.mean(axis=0)
    spread = logits.std(axis=0)
    distances = np.max(np.abs(logits - centre) / spread, axis=1)
    half_width = np.quantile(distances, level) * spread
    return expit(centre - half_width), expit(centre + half_width)
