"""Check whether the scores of both classes look normal."""

from __future__ import annotations

from dataclasses import dataclass
from reprlib import repr as short_repr
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri
from scipy.stats import normaltest, shapiro

from skpostbac._utils import (
    Floats,
    FrozenArrays,
    StablePickle,
    block,
    check_probability,
    first,
    float_array,
    format_probability,
    record,
    table,
)
from skpostbac.metrics._binormal.class_scores import ClassScores, check_share, split_scores

# SciPy has p-values of the Shapiro-Wilk test for samples from 3 up to this size.
LARGEST_SHAPIRO = 5000
# Of the views in notebooks.
_COLUMNS = ("n", "correlation with normal scores", "p-value")


@dataclass(frozen=True, eq=False, repr=False)
class NormalScores(FrozenArrays):
    """Scores of a class against those expected of a normal distribution, and a test of normality.

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
    """Normal deviates that are expected of a sample of this size, ascending."""
    scores: Floats
    """Scores, ascending: against the former they lie on a line if they are normal."""
    p_value: float
    """p-value of the test of this class alone."""

    def _repr_html_(self) -> str:
        return block(repr(self), record(_COLUMNS, *self._cells()))

    def _cells(self) -> tuple[str, str, str]:
        """Return the number of scores, the correlation of a normal-scores plot and the p-value."""
        correlation = np.corrcoef(self.expected, self.scores)[0, 1]
        return f"{self.scores.size}", f"{correlation:.3f}", format_probability(self.p_value)

    def __repr__(self) -> str:
        return f"NormalScores(n={self.scores.size}, p_value={self.p_value:.3g})"


@dataclass(frozen=True, eq=False, repr=False)
class BinormalCheck(StablePickle):
    """Normal scores and tests of normality of both classes. Created by :func:`binormal_check`.

    Attributes
    ----------
    negative, positive : NormalScores
        The data of a normal-scores (Q-Q) plot of each class, and the p-value of its test.

    Raises
    ------
    ValueError
        If a class has fewer than two scores, or equal ones, or as many normal scores; if these or
        those are not finite and ascending, or if a p-value is not in [0, 1].

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

    def __post_init__(self) -> None:
        for name in ("negative", "positive"):
            object.__setattr__(self, name, _checked(getattr(self, name), name))

    @property
    def adjusted_p_values(self) -> tuple[float, float]:
        """The p-values of the negatives and of the positives, by Holm's correction for two."""
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
            Whether at least one test rejects. False does not prove normality, especially for small
            samples.

        Raises
        ------
        ValueError
            If `significance` is outside (0, 1).
        """
        return min(self.adjusted_p_values) <= check_probability(significance, "significance")

    def _repr_html_(self) -> str:
        rows = [
            (name, *scores._cells(), format_probability(adjusted))
            for name, scores, adjusted in zip(
                ("negative", "positive"),
                (self.negative, self.positive),
                self.adjusted_p_values,
                strict=True,
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
    The test is that of Shapiro and Wilk [1]_ for up to 5000 samples of a class, and that of
    D'Agostino and Pearson [4]_ for more; two samples always have a p-value of 1. The normal scores
    are those of Blom [2]_, :math:`\Phi^{-1}((i - 3/8) / (n + 1/4))` for the i-th of n, and
    :attr:`BinormalCheck.adjusted_p_values` are corrected for two tests as Holm does [3]_. The
    binormal assumption is that of [5]_. With large samples the test rejects even if the scores are
    close enough to normal for the curves: look at the plot, and at the empirical curves.

    A monotone transformation of the scores does not change the empirical curves, but may make the
    scores normal: use log-odds instead of probabilities.

    Unlike the other functions of the binormal model, this one has no `sample_weight`: the tests
    need independent samples. Repeat samples with integer weights instead.

    References
    ----------
    .. [1] S. S. Shapiro and M. B. Wilk (1965). An analysis of variance test for normality
       (complete samples). Biometrika 52(3/4), 591-611.
    .. [2] G. Blom (1958). Statistical Estimates and Transformed Beta-Variables. Wiley.
    .. [3] S. Holm (1979). A simple sequentially rejective multiple test procedure. Scandinavian
       Journal of Statistics 6(2), 65-70.
    .. [4] R. D'Agostino and E. S. Pearson (1973). Tests for departure from normality. Biometrika
       60(3), 613-622.
    .. [5] K. H. Brodersen, C. S. Ong, K. E. Stephan and J. M. Buhmann (2010). The binormal
       assumption on precision-recall curves. Proceedings of the 20th International Conference on
       Pattern Recognition.

    Examples
    --------
    >>> import numpy as np
    >>> from skpostbac.binormal import binormal_check
    >>> y_true = np.repeat([0, 1], 30)
    >>> y_score = np.concatenate([np.linspace(-1, 1, 30), np.exp(np.linspace(-2, 2, 30))])
    >>> check = binormal_check(y_true, y_score)
    >>> check
    BinormalCheck(p_negative=0.266, p_positive=0.0002)
    >>> check.rejects()
    True
    """
    return check_scores(*split_scores(y_true, y_score, pos_label))


def check_scores(negative: ClassScores, positive: ClassScores) -> BinormalCheck:
    """Check the scores of both classes, whatever their weights."""
    return BinormalCheck(_normal_scores(negative.values), _normal_scores(positive.values))


def _checked(part: NormalScores, name: str) -> NormalScores:
    """Return a read-only copy of what a check can have of a class."""
    if not isinstance(part, NormalScores):
        raise ValueError(f"{name} must be NormalScores, got {short_repr(part)}")
    expected = _ascending(part.expected, f"{name}.expected")
    scores = _ascending(part.scores, f"{name}.scores")
    if len(expected) != len(scores):
        raise ValueError(
            f"{name}.expected must be as many as {name}.scores, got {len(expected)} and "
            f"{len(scores)}"
        )
    check_share(part.p_value, f"{name}.p_value")
    return NormalScores(expected, scores, float(part.p_value))


def _ascending(values: ArrayLike, name: str) -> Floats:
    """Return a read-only copy of two or more finite numbers, which ascend."""
    array = float_array(values, name)
    if array.ndim != 1 or len(array) < 2:
        raise ValueError(f"{name} must be at least two numbers, got the shape {array.shape}")
    if (bad := ~np.isfinite(array)).any():
        raise ValueError(f"{name} must be finite, got {first(array, bad)}")
    if (array[1:] < array[:-1]).any():
        raise ValueError(f"{name} must ascend")
    if array[0] == array[-1]:
        raise ValueError(f"{name} must differ, got {array[0]:g} for all")
    array += 0.0  # -0.0 becomes 0.0
    array.flags.writeable = False
    return array


def _normal_scores(values: Floats) -> NormalScores:
    n = len(values)
    expected = ndtri((np.arange(1, n + 1) - 3 / 8) / (n + 1 / 4))  # Blom's approximation
    scores = np.sort(values)
    return NormalScores(expected, scores, _p_value(scores))


def _p_value(scores: Floats) -> float:
    if len(scores) == 2:
        return 1.0  # there is a line through any two points
    test = shapiro if len(scores) <= LARGEST_SHAPIRO else normaltest
    return float(test(_standardised(scores)).pvalue)


def _standardised(scores: Floats) -> Floats:
    """Return scores about 0 and up to 1, the squares of which neither overflow nor vanish."""
    shifted = scores - np.median(scores)
    return np.asarray(shifted / np.abs(shifted).max())
