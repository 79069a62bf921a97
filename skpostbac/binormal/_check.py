"""Scores of both classes, and the check that they are normal."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri
from scipy.stats import normaltest, shapiro

from skpostbac._utils import Floats, check_probability
from skpostbac.metrics._binary_scores import read_scores

# SciPy has p-values of the Shapiro-Wilk test for samples from 3 up to this size.
_MAX_SHAPIRO_SIZE = 5000

# Limits of the warning.
_SIGNIFICANCE = 0.01
_MIN_CORRELATION = 0.99
_MAX_DIFFERENCE = 0.02
_MIN_VALUES = 5

_NAMES = ("negative", "positive")
_WITHOUT_MODEL = "posterior_roc_auc or posterior_average_precision, which need no model"


class BinormalAssumptionWarning(UserWarning):
    r"""The scores of a class are not normal, so the binormal areas may be wrong.

    It is given once per call by everything that fits the binormal model to scores: its
    functions and scorers, :meth:`BinormalModel.fit` and
    :class:`~skpostbac.binormal.BinormalCurveDisplay`, but not by
    :func:`binormal_check`. There are three reasons for it:

    - All scores lie in [0, 1], as probabilities do. Use the `decision_function` of the
      classifier. Normal scores that happen to lie there are no exception; a larger
      scale changes no area.
    - A class has less than five different scores, and at least twice as many samples,
      as with labels and ratings. Use the `decision_function` as well.
    - :func:`binormal_check` rejects at 0.01, and this is no harmless deviation that
      only a large sample reveals: the scores of a class have a correlation below 0.99
      with normal scores, or the area under the ROC curve or the average precision
      differs by more than 0.02 from the empirical one. You may use an increasing
      function of the scores that makes them normal.

    In any case, :func:`~skpostbac.posterior_roc_auc` and
    :func:`~skpostbac.posterior_average_precision` need no normal scores.

    Examples
    --------
    >>> import warnings
    >>> from skpostbac.binormal import BinormalAssumptionWarning, binormal_roc_auc_score
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", BinormalAssumptionWarning)
    ...     binormal_roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.802
    """


@dataclass(frozen=True)
class BinormalCheck:
    """Tests of the normality of the scores of both classes.

    Returned by :func:`binormal_check`; its fields are not checked.

    Examples
    --------
    >>> from skpostbac.binormal import binormal_check
    >>> check = binormal_check([0, 0, 0, 1, 1, 1], [-3, -1, -2, 2, 0, 5])
    >>> check.adjusted_p_values
    (1.0, 1.0)
    >>> check.rejects(0.1)
    False
    """

    adjusted_p_values: tuple[float, float]
    """p-values of negatives and positives with Holm's correction for two tests."""
    correlations: tuple[float, float]
    """Correlations of the scores of negatives and positives with normal scores, which
    are 1 if the points of a Q-Q plot lie on a line."""

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
        p-values, and correlations with normal scores.

    Raises
    ------
    ValueError, TypeError
        For the reasons listed in :meth:`BinormalModel.fit`.

    See Also
    --------
    scipy.stats.probplot : Normal-scores (Q-Q) plot of the scores of a class.

    Notes
    -----
    The test is that of Shapiro and Wilk [1]_ for up to 5000 samples of a class, and
    that of D'Agostino and Pearson [4]_ for more; two samples always have a p-value of
    1. The normal scores are those of Blom [2]_, :math:`\Phi^{-1}((i - 3/8) / (n +
    1/4))` for the i-th of n, and :attr:`BinormalCheck.adjusted_p_values` are corrected
    for two tests as Holm does [3]_. The binormal assumption is that of [5]_. With large
    samples the test rejects even if the scores are close enough to normal for the
    curves: look at the correlations, and at the empirical curves.

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
    (negative, _), (positive, _) = split_scores(y_true, y_score, pos_label)
    return _check(negative, positive)


def _check(*classes: Floats) -> BinormalCheck:
    """Check the scores of negatives and positives."""
    p_values = []
    correlations = []
    for values in classes:
        n = len(values)
        # In [-1, 1] about the median, so that squares neither overflow nor vanish.
        scores = np.sort(values) - np.median(values)
        scores /= np.abs(scores).max()
        normal_scores = ndtri((np.arange(1, n + 1) - 3 / 8) / (n + 1 / 4))
        correlations.append(float(np.corrcoef(normal_scores, scores)[0, 1]))

        p_value = 1.0  # of two samples, which always lie on a line
        if n > 2:
            test = shapiro if n <= _MAX_SHAPIRO_SIZE else normaltest
            p_value = float(test(scores).pvalue)
        p_values.append(p_value)

    # Holm's correction.
    smaller = min(1.0, 2 * min(p_values))
    negative, positive = (max(p_value, smaller) for p_value in p_values)
    return BinormalCheck((negative, positive), (correlations[0], correlations[1]))


def broken_assumption(
    classes: list[Floats], difference: Callable[[], float]
) -> str | None:
    """Return why scores contradict the binormal model, with a remedy, or None.

    `classes` are the scores of negatives and positives; `difference()` is that of the
    areas of the model from the empirical ones.
    """
    if all(((values >= 0) & (values <= 1)).all() for values in classes):
        return (
            "y_score lies in [0, 1], as probabilities do, which are not normal in each "
            "class. Use the `decision_function` of the classifier, or "
            f"{_WITHOUT_MODEL}."
        )
    for name, scores in zip(_NAMES, classes, strict=True):
        n_values = len(np.unique(scores))
        if n_values < _MIN_VALUES and 2 * n_values <= len(scores):
            return (
                f"y_score takes only {n_values} values in the {name} class, as labels "
                "and ratings do; the binormal model is of continuous scores. Use the "
                f"`decision_function` of the classifier, or {_WITHOUT_MODEL}."
            )

    check = _check(*classes)
    if not check.rejects(_SIGNIFICANCE):
        return None
    # A deviation that is detected only because the samples are large may be harmless.
    is_clear = min(check.correlations) < _MIN_CORRELATION
    if not is_clear and difference() <= _MAX_DIFFERENCE:
        return None
    p_value, name = min(zip(check.adjusted_p_values, _NAMES, strict=True))
    return (
        f"y_score is not normal in the {name} class (p = {p_value:.2g}): binormal "
        f"curves and areas may be wrong. Use {_WITHOUT_MODEL}, or an increasing "
        "function of the scores that is normal in each class."
    )


def split_scores(
    y_true: ArrayLike,
    y_score: ArrayLike,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> list[tuple[Floats, Floats]]:
    """Return the scores and weights of the negatives, and those of the positives.

    Samples of weight 0 are left out.
    """
    scores = read_scores(y_true, y_score, pos_label, sample_weight)
    classes = []
    for name, is_positive in zip(_NAMES, (False, True), strict=True):
        is_counted = (scores.is_positive == is_positive) & (scores.weight > 0)
        values = scores.values[is_counted]
        weight = scores.weight[is_counted]

        if weight.sum() < 2:
            raise ValueError(
                "y_true must have at least 2 samples of each class, by the sum of "
                f"their weights; got {weight.sum():g} of the {name} class"
            )
        if np.all(values == values[0]):
            raise ValueError(
                f"y_score must differ within each class, got {values[0]:g} for all "
                f"samples of the {name} class. Use {_WITHOUT_MODEL}"
            )
        classes.append((values, weight))
    return classes
