"""Test against guessing: p-value, and number of errors avoided."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_scalar

from skpostbac._utils import (
    block,
    check_integer,
    format_column,
    format_share,
    nonnegative_array,
    record,
)
from skpostbac.metrics._counts import ClassCounts, check_confusion_matrix, count_choices
from skpostbac.stats._several import log_survival

# Of sums of probabilities.
_ROUNDING = 1e-9


@dataclass(frozen=True, repr=False)
class GuessingTest:
    """Comparison of the number of correct predictions with random guessing.

    Made by :func:`guessing_test` from labels, by :meth:`from_counts` or by
    :meth:`from_confusion_matrix`. [1]_ recommends the p-value and the :attr:`gain` in addition to
    the binary-equivalent accuracy.

    Attributes
    ----------
    correct : int
        Correct predictions.
    n : int
        Samples.
    expected_correct : float
        Expected number of correct guesses.
    log_p_value : float
        Logarithm of the p-value, finite even if the p-value underflows to 0.

    Raises
    ------
    TypeError
        If `correct` or `n` is not an integer, or another parameter is not a real number.
    ValueError
        If `n` is less than 1, if `correct` or `expected_correct` is not in [0, n], or if
        `log_p_value` is above 0 or NaN.

    References
    ----------
    .. [1] Comparing Classifier Performance - Introduction to BEA (article on the binary-equivalent
       accuracy), section "Future directions".

    Examples
    --------
    >>> from skpostbac import ClassCounts
    >>> from skpostbac.binary_equivalent import GuessingTest
    >>> test = GuessingTest.from_counts(ClassCounts([0, 1, 2], [30, 8, 3], [32, 10, 4]))
    >>> test
    GuessingTest(correct=41 of 46, expected=15.3, p_value=5.3e-15, error_reduction=0.837)
    >>> test.gain
    25.67
    """

    correct: int
    n: int
    expected_correct: float
    log_p_value: float

    def __post_init__(self) -> None:
        check_integer(self.n, "n", 1)
        check_integer(self.correct, "correct", 0, self.n)
        check_scalar(self.expected_correct, "expected_correct", Real)
        check_scalar(self.log_p_value, "log_p_value", Real)
        # Not by limits of check_scalar, which NaN and the last bits of a sum pass or exceed.
        if not -_ROUNDING <= self.expected_correct <= self.n * (1 + _ROUNDING):
            raise ValueError(f"expected_correct must be in [0, n], got {self.expected_correct!r}")
        if not self.log_p_value <= _ROUNDING:
            raise ValueError(f"log_p_value must be at most 0, got {self.log_p_value!r}")

    @classmethod
    def from_counts(cls, counts: ClassCounts, *, strategy: ArrayLike = "uniform") -> GuessingTest:
        """Compare class counts with guessing.

        Parameters
        ----------
        counts : ClassCounts
            Integer counts of at least one sample.
        strategy : {"uniform", "stratified"} or array-like of shape (n_classes,)
            As for :func:`guessing_test`.

        Returns
        -------
        test : GuessingTest

        Raises
        ------
        ValueError
            If a count is not an integer, if there is no sample, or if `strategy` is invalid.
        TypeError
            If `counts` is not a :class:`~skpostbac.ClassCounts`.

        Examples
        --------
        >>> from skpostbac import ClassCounts
        >>> from skpostbac.binary_equivalent import GuessingTest
        >>> counts = ClassCounts(["a", "b"], [8, 1], [8, 2])
        >>> GuessingTest.from_counts(counts, strategy="stratified").p_value
        0.0738
        """
        if not isinstance(counts, ClassCounts):
            raise TypeError(
                f"counts must be ClassCounts, got {type(counts).__name__}; for a confusion matrix "
                "there is from_confusion_matrix"
            )
        if (counts.correct % 1).any() or (counts.total % 1).any():
            raise ValueError(f"counts must be integers, got {counts!r}")
        if not counts.total.any():
            raise ValueError("counts must have at least one sample")
        k = counts.n_classes
        if isinstance(strategy, str):
            rates = {"uniform": np.full(k, 1 / k), "stratified": counts.total / counts.n_samples}
            if strategy not in rates:
                raise ValueError(
                    "strategy must be 'uniform', 'stratified' or an array of shape (n_classes,), "
                    f"got {strategy!r}"
                )
            rate = rates[strategy]
        else:
            rate = nonnegative_array(strategy, "strategy")
            if len(rate) != k or not rate.any():
                raise ValueError(
                    f"strategy must have a probability for each of the {k} classes, "
                    f"not all zero, got {rate}"
                )
            rate = rate / rate.sum()
        correct = int(counts.correct.sum())
        log_p_value = log_survival(correct, counts.total, rate)
        return cls(correct, int(counts.n_samples), float(counts.total @ rate), log_p_value)

    @classmethod
    def from_confusion_matrix(
        cls, C: ArrayLike, *, strategy: ArrayLike = "uniform"
    ) -> GuessingTest:
        """Compare the diagonal of a confusion matrix with guessing.

        Parameters
        ----------
        C : array-like of shape (n_classes, n_classes)
            Integer counts, with true classes as rows and predicted classes as columns, as
            :func:`sklearn.metrics.confusion_matrix` returns them.
        strategy : {"uniform", "stratified"} or array-like of shape (n_classes,)
            As for :func:`guessing_test`.

        Returns
        -------
        test : GuessingTest

        Raises
        ------
        ValueError
            If `C` is not square, if a count is negative or not an integer, if there is no sample,
            or if `strategy` is invalid.

        Examples
        --------
        >>> from skpostbac.binary_equivalent import GuessingTest
        >>> GuessingTest.from_confusion_matrix([[30, 2, 0], [1, 8, 1], [0, 1, 3]])
        GuessingTest(correct=41 of 46, expected=15.3, p_value=5.3e-15, error_reduction=0.837)
        """
        matrix = check_confusion_matrix(C)
        counts = ClassCounts(range(len(matrix)), np.diag(matrix), matrix.sum(axis=1))
        return cls.from_counts(counts, strategy=strategy)

    @property
    def p_value(self) -> float:
        """Probability that guessing is correct at least as often."""
        return float(np.exp(self.log_p_value))

    @property
    def gain(self) -> float:
        """Number of errors avoided relative to guessing (expected minus observed).

        Negative if the classifier is worse than guessing.
        """
        return self.correct - self.expected_correct

    @property
    def error_reduction(self) -> float:
        """Gain as a share of the expected errors of guessing; nan if guessing is always right."""
        wrong = self.n - self.expected_correct
        return self.gain / wrong if wrong else float("nan")

    def summary(self) -> dict[str, float]:
        """Return the results of the test.

        Returns
        -------
        figures : dict of str to float
            "correct", "n", "expected_correct", "p_value", "log_p_value", "gain" and
            "error_reduction".
        """
        names = ("correct", "n", "expected_correct", "p_value", "log_p_value", "gain")
        figures = {name: float(getattr(self, name)) for name in names}
        return {**figures, "error_reduction": self.error_reduction}

    def report(self) -> str:
        """Return a text report on the p-value and the errors avoided.

        Returns
        -------
        sentences : str
            One sentence per line.

        Examples
        --------
        >>> from skpostbac.binary_equivalent import guessing_test
        >>> print(guessing_test([0] * 8 + [1] * 2, [0] * 9 + [1]).report())
        9 of 10 predictions are correct; guessing is expected to get 5.0 right.
        Guessing gets at least as many right with probability 0.011.
        """
        return (
            f"{self.correct} of {self.n} predictions are correct; guessing is expected to get "
            f"{self.expected_correct:.1f} right.\n"
            "Guessing gets at least as many right with probability "
            f"{self._p_value_text()}."
        )

    def _repr_html_(self) -> str:
        header = ("correct", "samples", "expected of guessing", "gain", "error reduction")
        expected, gain = format_column([self.expected_correct, self.gain])
        cells = (f"{self.correct}", f"{self.n}", expected, gain, format_share(self.error_reduction))
        return block(repr(self), record((*header, "p-value"), *cells, self._p_value_text()))

    def __repr__(self) -> str:
        return (
            f"GuessingTest(correct={self.correct} of {self.n}, "
            f"expected={self.expected_correct:.1f}, p_value={self._p_value_text()}, "
            f"error_reduction={self.error_reduction:.3f})"
        )

    def _p_value_text(self) -> str:
        # As a power of ten, the logarithm is readable far below the smallest double.
        if -np.inf < self.log_p_value < np.log(1e-300):
            return f"10^{self.log_p_value / np.log(10):.1f}"
        return f"{self.p_value:.2g}"


def guessing_test(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    strategy: ArrayLike = "uniform",
    labels: ArrayLike | None = None,
) -> GuessingTest:
    r"""Compare the accuracy of predictions with that of random guesses.

    A random guesser who predicts class i with probability :math:`q_i` is right :math:`S = \sum_i
    \mathrm{Binomial}(n_i, q_i)` times. With k correct predictions of n, the p-value is :math:`P(S
    \ge k)`. The number of errors avoided relative to guessing is :math:`k - E(S)`, and their share
    is :math:`(k - E(S)) / (n - E(S))`; [1]_ recommends both, with :math:`q_i = 1 / N` for N
    classes. The p-value is exact: binomial if all :math:`q_i` are equal, else Poisson-binomial. Its
    cost does not depend on the number of samples.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels, in any format that scikit-learn accepts.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    strategy : {"uniform", "stratified"} or array-like of shape (n_classes,), default="uniform"
        Guessing probabilities of the classes: equal, their shares in `y_true`, or the given values,
        normalised to sum to 1, in the order of `labels`.
    labels : array-like of shape (n_classes,), default=None
        Classes to guess from, by default the sorted classes in `y_true` or `y_pred`. Samples of
        other true classes are ignored.

    Returns
    -------
    test : GuessingTest

    Raises
    ------
    ValueError, TypeError
        If `strategy` is invalid, or for the reasons listed in :func:`~skpostbac.class_counts`.

    See Also
    --------
    skpostbac.PosteriorBalancedAccuracy.prob_above_chance : The probability of beating chance.
    binary_equivalent_accuracy_score : A score whose article asked for this comparison.

    Notes
    -----
    The p-value is not the probability of being no better than guessing: it is the probability that
    guessing does at least as well.

    References
    ----------
    .. [1] Comparing Classifier Performance - Introduction to BEA (article on the binary-equivalent
       accuracy), section "Future directions".

    Examples
    --------
    >>> from skpostbac.binary_equivalent import guessing_test
    >>> y_true, y_pred = [0] * 8 + [1] * 2, [0] * 9 + [1]
    >>> guessing_test(y_true, y_pred)
    GuessingTest(correct=9 of 10, expected=5.0, p_value=0.011, error_reduction=0.800)
    >>> guessing_test(y_true, y_pred, strategy="stratified")
    GuessingTest(correct=9 of 10, expected=6.8, p_value=0.074, error_reduction=0.688)
    """
    counts = count_choices(y_true, y_pred, labels=labels)
    return GuessingTest.from_counts(counts, strategy=strategy)
