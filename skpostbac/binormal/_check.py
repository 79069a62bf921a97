"""Check of the binormal assumption that the scores of both classes are normal.

`binormal_check` tests it. Functions that fit the model warn if scores clearly
contradict it.
"""

import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logit, ndtri
from scipy.stats import normaltest, shapiro

from skpostbac._utils import (
    Floats,
    FrozenArrays,
    StablePickle,
    block,
    check_probability,
    format_probability,
    record,
    table,
    user_stacklevel,
)
from skpostbac.binormal._curves import average_precision, roc_auc, standardise
from skpostbac.binormal._scores import ClassScores, empirical_areas, split_scores

# SciPy has p-values of the Shapiro-Wilk test for samples from 3 up to this size.
MAX_SHAPIRO_SIZE = 5000
# Columns of HTML tables.
_COLUMNS = ("n", "correlation with normal scores", "p-value")

# Limits that decide on warnings. benchmarks/binormal_assumption.py measures how often
# these warnings are right, and how often they are wrong.
SIGNIFICANCE = 0.01
MIN_CORRELATION = 0.99
MAX_DISCREPANCY = 1.5
MIN_VALUES = 5

# Remedies that the warnings name.
DECISION = "the `decision_function` of the classifier"
WITHOUT_MODEL = "posterior_roc_auc or posterior_average_precision, which need no model"


class BinormalAssumptionWarning(UserWarning):
    r"""The scores of a class are not normal, so the binormal areas may be wrong.

    It is given once per call by everything that fits the binormal model to scores: its
    functions and scorers, :meth:`BinormalModel.fit`, :func:`posterior_binormal` and
    :class:`~skpostbac.binormal.BinormalCurveDisplay`, but not by :func:`binormal_check`
    and :class:`~skpostbac.binormal.NormalScoresDisplay`, which check the same
    assumption. The message names one of three causes and a remedy:

    - Scores take few values, as hard labels and ratings do. With shares :math:`p_v` of
      the values of a class, :math:`1 / \sum p_v^2` is their effective number, the
      number of values if they are equally frequent. It is less than 5, and at most half
      the number of samples. Use the `decision_function` of the classifier, or the areas
      without a model.
    - All scores lie in [0, 1], as probabilities do. Use the `decision_function`, or
      else the log-odds, where these give no warning, and otherwise the areas without a
      model: the message says which. Normal scores that happen to lie there are no
      exception; a larger scale changes no area.
    - :func:`binormal_check` rejects at 0.01, and this is no harmless deviation that is
      detected in a large sample: the scores of a class and the expected normal scores
      have a correlation below 0.99, or the area under the ROC curve or the average
      precision is more than 1.5 posterior standard deviations of its log-odds from the
      empirical one. Use :func:`~skpostbac.posterior_roc_auc` or
      :func:`~skpostbac.posterior_average_precision`, or an increasing function of the
      scores that makes them normal.

    Weights are case counts in the effective numbers and in the areas; the test of
    normality counts each sample once. See :ref:`binormal_assumption` for the
    measurements behind these limits.

    Examples
    --------
    >>> import warnings
    >>> from skpostbac.binormal import BinormalAssumptionWarning, binormal_roc_auc_score
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", BinormalAssumptionWarning)
    ...     binormal_roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.802
    """


@dataclass(frozen=True, eq=False, repr=False)
class NormalScores(FrozenArrays):
    """Normal-scores (Q-Q) plot of the scores of a class, and a test of normality.

    Returned by functions; its fields are not checked.

    Examples
    --------
    >>> from skpostbac.binormal import binormal_check
    >>> positive = binormal_check([0, 0, 0, 1, 1, 1], [-3, -1, -2, 2, 0, 5]).positive
    >>> positive
    NormalScores(n=3, p_value=0.78)
    >>> positive.scores
    array([0., 2., 5.])
    >>> positive.expected
    array([-0.869,  0.   ,  0.869])
    """

    expected: Floats
    """Expected normal scores of a sample of this size, ascending."""
    scores: Floats
    """Scores, ascending. If normal, they lie on a line against the expected ones."""
    p_value: float
    """p-value of the test of this class alone."""

    @property
    def correlation(self) -> float:
        """Correlation of the scores with the expected ones, 1 on a line."""
        scale = np.abs(self.scores).max()  # so that squares neither overflow nor vanish
        return float(np.corrcoef(self.expected, self.scores / scale)[0, 1])

    def _repr_html_(self) -> str:
        return block(repr(self), record(_COLUMNS, *self._cells()))

    def _cells(self) -> tuple[str, str, str]:
        """Return the number of scores, the correlation and the p-value as text."""
        p_value = format_probability(self.p_value)
        return f"{self.scores.size}", f"{self.correlation:.3f}", p_value

    def __repr__(self) -> str:
        return f"NormalScores(n={self.scores.size}, p_value={self.p_value:.3g})"


@dataclass(frozen=True, eq=False, repr=False)
class BinormalCheck(StablePickle):
    """Normal scores and tests of normality of both classes.

    Returned by :func:`binormal_check`; its fields are not checked.

    Attributes
    ----------
    negative, positive : NormalScores
        The data of a normal-scores (Q-Q) plot of each class, and the p-value of its
        test.

    Examples
    --------
    >>> from skpostbac.binormal import binormal_check
    >>> check = binormal_check([0, 0, 0, 1, 1, 1], [-3, -1, -2, 2, 0, 5])
    >>> check.adjusted_p_values
    (1.0, 1.0)
    >>> check.rejects(0.1)
    False
    """

    negative: NormalScores
    positive: NormalScores

    @property
    def adjusted_p_values(self) -> tuple[float, float]:
        """p-values of negatives and positives with Holm's correction for two tests."""
        p_values = np.array([self.negative.p_value, self.positive.p_value])
        smaller = min(1.0, 2 * p_values.min())
        negative, positive = np.maximum(p_values, smaller).tolist()
        return negative, positive

    def rejects(self, significance: float = 0.05) -> bool:
        """Return whether the scores of at least one class are not normal.

        Parameters
        ----------
        significance : float, default=0.05
            Upper bound on the probability of a false rejection, in (0, 1).

        Returns
        -------
        rejects : bool
            Whether at least one test rejects. False does not prove normality,
            especially for small samples.

        Raises
        ------
        ValueError
            If `significance` is outside (0, 1).
        """
        return min(self.adjusted_p_values) <= check_probability(
            significance, "significance"
        )

    def _repr_html_(self) -> str:
        classes = {"negative": self.negative, "positive": self.positive}
        rows = [
            (name, *scores._cells(), format_probability(adjusted))
            for (name, scores), adjusted in zip(
                classes.items(), self.adjusted_p_values, strict=True
            )
        ]
        return block(repr(self), table(("scores", *_COLUMNS, "adjusted p-value"), rows))

    def __repr__(self) -> str:
        negative, positive = self.adjusted_p_values
        return f"BinormalCheck(p_negative={negative:.3g}, p_positive={positive:.3g})"


def binormal_check(
    y_true: ArrayLike, y_score: ArrayLike, *, pos_label: Any = None
) -> BinormalCheck:
    r"""Check the binormal assumption that the scores of each class are normal.

    Parameters
    ----------
    y_true, y_score, pos_label
        As for :meth:`BinormalModel.fit`.

    Returns
    -------
    check : BinormalCheck
        Normal scores and p-values.

    Raises
    ------
    ValueError, TypeError
        For the reasons listed in :meth:`BinormalModel.fit`.

    Notes
    -----
    The test is that of Shapiro and Wilk [1]_ for up to 5000 samples of a class, and
    that of D'Agostino and Pearson [4]_ for more; two samples always have a p-value of
    1. The normal scores are those of Blom [2]_, :math:`\Phi^{-1}((i - 3/8) / (n +
    1/4))` for the i-th of n, and :attr:`BinormalCheck.adjusted_p_values` are corrected
    for two tests as Holm does [3]_. The binormal assumption is that of [5]_. With large
    samples the test rejects even if the scores are close enough to normal for the
    curves: look at the plot, and at the empirical curves.

    A monotone transformation of the scores does not change the empirical curves, but
    may make the scores normal: use log-odds instead of probabilities.

    Unlike the other functions of the binormal model, this one has no `sample_weight`:
    the tests need independent samples. Repeat samples with integer weights instead.

    References
    ----------
    .. [1] S. S. Shapiro and M. B. Wilk (1965). An analysis of variance test for
       normality (complete samples). Biometrika 52(3/4), 591-611.
    .. [2] G. Blom (1958). Statistical Estimates and Transformed Beta-Variables. Wiley.
    .. [3] S. Holm (1979). A simple sequentially rejective multiple test procedure.
       Scandinavian Journal of Statistics 6(2), 65-70.
    .. [4] R. D'Agostino and E. S. Pearson (1973). Tests for departure from normality.
       Biometrika 60(3), 613-622.
    .. [5] K. H. Brodersen, C. S. Ong, K. E. Stephan and J. M. Buhmann (2010). The
       binormal assumption on precision-recall curves. Proceedings of the 20th
       International Conference on Pattern Recognition.

    Examples
    --------
    >>> import numpy as np
    >>> from skpostbac.binormal import binormal_check
    >>> y_true = np.repeat([0, 1], 30)
    >>> y_score = np.append(np.linspace(-1, 1, 30), np.exp(np.linspace(-2, 2, 30)))
    >>> check = binormal_check(y_true, y_score)
    >>> check
    BinormalCheck(p_negative=0.266, p_positive=0.0002)
    >>> check.rejects()
    True
    """
    return check_scores(*split_scores(y_true, y_score, pos_label))


def check_scores(negative: ClassScores, positive: ClassScores) -> BinormalCheck:
    """Check the scores of both classes without their weights."""
    classes = []
    for values, _ in (negative, positive):
        n = len(values)
        scores = np.sort(values)
        # Blom's approximation.
        expected = ndtri((np.arange(1, n + 1) - 3 / 8) / (n + 1 / 4))

        p_value = 1.0  # of two samples, which always lie on a line
        if n > 2:
            test = shapiro if n <= MAX_SHAPIRO_SIZE else normaltest
            # Scaled to [-1, 1] about the median, so that squares neither overflow nor
            # vanish.
            centred = scores - np.median(scores)
            p_value = float(test(centred / np.abs(centred).max()).pvalue)
        classes.append(NormalScores(expected, scores, p_value))
    return BinormalCheck(*classes)


def checked_scores(
    y_true: ArrayLike,
    y_score: ArrayLike,
    pos_label: Any,
    sample_weight: ArrayLike | None,
) -> tuple[ClassScores, ClassScores]:
    """Return the result of `split_scores`, and warn if the scores cannot be normal."""
    scores = split_scores(y_true, y_score, pos_label, sample_weight)
    reason = broken_assumption(*scores)
    if reason is not None:
        warnings.warn(reason, BinormalAssumptionWarning, stacklevel=user_stacklevel())
    return scores


def broken_assumption(negative: ClassScores, positive: ClassScores) -> str | None:
    """Return why scores contradict the binormal model, with a remedy, or None."""
    classes = {"negative": negative, "positive": positive}

    # The effective number of values is the inverse of the probability that two draws
    # from the scores are equal. It is small for labels, ratings and small votes.
    n_values = {}
    for name, scores in classes.items():
        _, index = np.unique(scores.values, return_inverse=True)
        weight = np.bincount(index, scores.weight)
        n_values[name] = float(weight.sum() ** 2 / (weight @ weight))
    discrete = [
        name
        for name, n in n_values.items()
        if n < MIN_VALUES and 2 * n <= classes[name].weight.sum()
    ]

    values = np.concatenate([negative.values, positive.values])
    are_probabilities = values.min() >= 0 and values.max() <= 1
    check = None if discrete or are_probabilities else check_scores(negative, positive)
    if check is not None and not check.rejects(SIGNIFICANCE):
        return None

    area = largest_discrepancy(negative, positive)
    areas = (
        f"The {area.name} is {area.binormal:.4g} by the binormal model and "
        f"{area.empirical:.4g} by the empirical curve."
    )
    if discrete:
        name = min(discrete, key=lambda name: n_values[name])
        return (
            f"y_score takes few values, effectively {n_values[name]:.1f} in the {name} "
            "class, as hard labels and votes do; the binormal model is of continuous, "
            f"normal scores. {areas} Use {DECISION}, or {WITHOUT_MODEL}."
        )
    if check is None:
        odds, recipe = log_odds(values)
        remedy = f"{WITHOUT_MODEL}; log-odds would not do here"
        if odds is not None and is_repaired(odds, negative, positive):
            remedy = f"{DECISION}, or {recipe}, which may be normal"
        return (
            "y_score lies in [0, 1], as probabilities do, which are not normal in each "
            f"class. {areas} Use {remedy}."
        )

    # A deviation that is detected only because the samples are large is harmless.
    correlation = min(check.negative.correlation, check.positive.correlation)
    if correlation >= MIN_CORRELATION and not area.size > MAX_DISCREPANCY:
        return None
    p_value, name = min(zip(check.adjusted_p_values, classes, strict=True))
    return (
        f"y_score is not normal in the {name} class (p = {p_value:.2g}). {areas} Use "
        f"{WITHOUT_MODEL}, or an increasing function of the scores that is normal in "
        "each class."
    )


def log_odds(probability: Floats) -> tuple[Floats | None, str]:
    """Return log-odds, finite also for 0 and 1, and an expression that computes them.

    Probabilities of 0 and 1 are moved inward to half the smallest distance of the other
    ones from 0 or 1: 0 of t votes count as 1 / (2 t), a usual correction for counts.
    The log-odds are None if all probabilities are 0 or 1.
    """
    distance = np.minimum(probability, 1 - probability)
    if distance.min() > 0:
        return logit(probability), "scipy.special.logit(y_score)"
    if not distance.any():
        return None, ""

    # The largest float with finite log-odds is 1 - 2**-53.
    end = max(2.0**-53, float(distance[distance > 0].min()) / 2)
    recipe = f"scipy.special.logit(np.clip(y_score, {end:.2g}, 1 - {end:.2g}))"
    return logit(probability.clip(end, 1 - end)), recipe


def is_repaired(values: Floats, negative: ClassScores, positive: ClassScores) -> bool:
    """Return whether transformed scores do not contradict the model.

    `values` are those of the negatives, followed by those of the positives.
    """
    n = len(negative.values)
    if np.ptp(values[:n]) == 0 or np.ptp(values[n:]) == 0:
        return False

    transformed = (
        ClassScores(values[:n], negative.weight),
        ClassScores(values[n:], positive.weight),
    )
    return broken_assumption(*transformed) is None


class Discrepancy(NamedTuple):
    """An area under a binormal curve, and the same under the empirical one."""

    name: str
    binormal: float
    empirical: float
    size: float
    """Difference of the log-odds, in posterior standard deviations (delta method)."""


@np.errstate(all="ignore")
def largest_discrepancy(negative: ClassScores, positive: ClassScores) -> Discrepancy:
    """Return the discrepancy of the ROC AUC or of the AP, whichever is larger.

    The size is NaN where the scales of the classes are too different for floating-point
    numbers.
    """
    samples = negative.moments(), positive.moments()
    n = samples[0].n
    p = samples[1].n

    # The delta method with central differences: areas of the estimate, and with one
    # parameter at a time one posterior standard deviation higher or lower. The
    # parameters are means and logarithms of standard deviations.
    estimate = [value for _, mean, sd in samples for value in (mean, np.log(sd))]
    errors = [
        error
        for size, _, sd in samples
        for error in (sd / np.sqrt(size), 1 / np.sqrt(2 * (size - 1)))
    ]
    steps = np.vstack([np.zeros(4), np.diag(errors), -np.diag(errors)])
    mean_n, log_sd_n, mean_p, log_sd_p = (estimate + steps).T
    shift, ratio = standardise(mean_n, np.exp(log_sd_n), mean_p, np.exp(log_sd_p))
    log_prior_odds = np.full(len(steps), np.log(p / n))
    models = roc_auc(shift, ratio), average_precision(shift, ratio, log_prior_odds)

    # Empirical areas are discrete, so half the distance to the next possible value is
    # no discrepancy. These are the distances below an area of 1, where the lowest
    # positive and the highest negative swap.
    resolutions = {
        "area under the ROC curve": 1 / (n * p),
        "average precision": 1 / (p * (p + 1)),
    }
    discrepancies = []
    for (name, resolution), model, empirical in zip(
        resolutions.items(), models, empirical_areas(negative, positive), strict=True
    ):
        # The posterior of an area close to 1 is skewed, that of its log-odds less so.
        below_one = np.nextafter(1, 0)  # so that log-odds are finite
        centre, *sides = logit(model.clip(1 - below_one, below_one))
        error = np.linalg.norm(np.subtract(sides[:4], sides[4:])) / 2

        half = resolution / 2
        low, high = logit(np.clip([empirical - half, empirical + half], 0, 1))
        distance = max(low - centre, centre - high, 0.0)
        size = float(np.divide(distance, error)) if distance else 0.0
        discrepancies.append(Discrepancy(name, float(model[0]), empirical, size))
    return max(discrepancies, key=lambda area: area.size)
