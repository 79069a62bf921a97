"""Is it better than guessing: the p-value of an accuracy, and the errors that it spares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from skpostbac.metrics._arrays import FloatArray, nonnegative_array
from skpostbac.metrics._counts import ClassCounts, class_counts
from skpostbac.stats._binomial_sum import log_survival


@dataclass(frozen=True, repr=False)
class GuessingTest:
    """How the correct predictions compare with those of a random guesser.

    Made by :func:`guessing_test` from labels, or by :meth:`from_counts`.

    Attributes
    ----------
    correct : int
        Correct predictions.
    n : int
        Samples.
    expected_correct : float
        Correct guesses to be expected.
    log_p_value : float
        Logarithm of the p-value, finite also where that rounds to 0.

    Examples
    --------
    >>> from skpostbac import ClassCounts, GuessingTest
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

    @classmethod
    def from_counts(cls, counts: ClassCounts, *, strategy: ArrayLike = "uniform") -> GuessingTest:
        """Compare counts with guessing.

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
            If a count is no integer, if there is no sample, or if `strategy` is invalid.
        """
        if (counts.correct % 1).any() or (counts.total % 1).any():
            raise ValueError(f"counts must be integers, got {counts!r}")
        if not counts.total.any():
            raise ValueError("counts must have at least one sample")
        rates = _guessing_rates(strategy, counts)
        correct = int(counts.correct.sum())
        log_p_value = log_survival(correct, counts.total, rates)
        return cls(correct, int(counts.n_samples), float(counts.total @ rates), log_p_value)

    @property
    def p_value(self) -> float:
        """Probability that a guesser is right as often, or more often."""
        return float(np.exp(self.log_p_value))

    @property
    def gain(self) -> float:
        """Wrong guesses that are spared: those expected of a guesser, less the wrong predictions.

        Negative if the classifier is worse than guessing.
        """
        return self.correct - self.expected_correct

    @property
    def error_reduction(self) -> float:
        """The gain as a share of the wrong guesses expected; nan if the guesser is always right."""
        wrong = self.n - self.expected_correct
        return self.gain / wrong if wrong else float("nan")

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

    A guesser who names class i with probability :math:`q_i`, whatever the sample, is right
    :math:`\sum_i \mathrm{Binomial}(n_i, q_i)` times. The p-value is the probability that this is at
    least the number of correct predictions. It is exact: binomial if all :math:`q_i` are equal,
    else Poisson-binomial.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels, of any kind that scikit-learn takes.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    strategy : {"uniform", "stratified"} or array-like of shape (n_classes,), default="uniform"
        How the guesser names the classes: all with the same probability, with the shares that
        they have in `y_true`, or with these probabilities, normalised to sum 1.
    labels : array-like of shape (n_classes,), default=None
        Classes to guess from; samples of other true classes are left out. By default those
        found in `y_true`.

    Returns
    -------
    test : GuessingTest

    Raises
    ------
    ValueError, TypeError
        If `strategy` is invalid, or as :func:`class_counts` raises them.

    See Also
    --------
    PosteriorBalancedAccuracy.prob_above_chance : The probability of being better than guessing.
    binary_equivalent_accuracy_score : A score whose article asked for this comparison.

    Notes
    -----
    A p-value is no probability of being better than guessing: it tells how often guessing would
    do as well.

    Examples
    --------
    >>> from skpostbac import guessing_test
    >>> y_true, y_pred = [0] * 8 + [1] * 2, [0] * 9 + [1]
    >>> guessing_test(y_true, y_pred)
    GuessingTest(correct=9 of 10, expected=5.0, p_value=0.011, error_reduction=0.800)
    >>> guessing_test(y_true, y_pred, strategy="stratified")
    GuessingTest(correct=9 of 10, expected=6.8, p_value=0.074, error_reduction=0.688)
    """
    counts = class_counts(y_true, y_pred, labels=labels)
    return GuessingTest.from_counts(counts, strategy=strategy)


def _guessing_rates(strategy: ArrayLike, counts: ClassCounts) -> FloatArray:
    """Return the probability of guessing each class."""
    if isinstance(strategy, str):
        if strategy == "uniform":
            return np.full(counts.n_classes, 1 / counts.n_classes)
        if strategy == "stratified":
            return np.asarray(counts.total / counts.n_samples)
        raise ValueError(
            "strategy must be 'uniform', 'stratified' or an array of shape (n_classes,), "
            f"got {strategy!r}"
        )
    rates = nonnegative_array(strategy, "strategy")
    if len(rates) != counts.n_classes or not rates.any():
        raise ValueError(
            f"strategy must have a probability for each of the {counts.n_classes} classes, "
            f"not all zero, got {rates}"
        )
    return np.asarray(rates / rates.sum())
