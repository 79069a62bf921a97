"""Binary-equivalent accuracy: the accuracy of choosing between two classes.

Also the test of an accuracy against guessing, which belongs to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import (
    Floats,
    check_flags,
    check_integer,
    finite_or_none,
    first,
    float_array,
    input_errors,
    nonnegative_array,
    paragraphs,
    result,
)
from skpostbac.metrics._counts import (
    ClassCounts,
    class_counts,
)
from skpostbac.metrics._posterior import (
    ScalarPosterior,
)
from skpostbac.stats import BoundedDistribution
from skpostbac.stats._distribution import plain_float
from skpostbac.stats._several import log_survival
from skpostbac.stats._transforms import PowerTransform


def binary_equivalent_accuracy(
    accuracy: ArrayLike, n_classes: ArrayLike
) -> float | Floats:
    r"""Convert accuracies for any number of classes to binary-equivalent accuracies.

    Choosing the right one of N classes requires N - 1 correct pairwise choices. If the
    accuracy is A, the geometric mean of their probabilities is :math:`A^{1 / (N - 1)}`
    ([1]_).

    Parameters
    ----------
    accuracy : array-like
        Accuracies in [0, 1]: overall, balanced or per class.
    n_classes : array-like
        Numbers of classes: integers of at least 2; broadcast against `accuracy`.

    Returns
    -------
    binary_equivalent : float or ndarray
        In [0, 1]; a float for two scalars.

    Raises
    ------
    ValueError
        If an accuracy is outside [0, 1], or if `n_classes` is below 2 or not an
        integer.

    Notes
    -----
    The binary equivalent of guessing, with accuracy 1 / N, is 1/2 only for two classes
    and tends to 1: it is 0.58, 0.77 and 0.95 for 3, 10 and 100 classes. Show this
    baseline when you compare values for different numbers of classes.

    References
    ----------
    .. [1] Comparing Classifier Performance - Introduction to BEA (article on the
       binary-equivalent accuracy).

    Examples
    --------
    >>> from skpostbac.binary_equivalent import binary_equivalent_accuracy
    >>> binary_equivalent_accuracy([1, 0.78, 0.45, 0.23], [6, 18, 115, 865]).tolist()
    [1.0, 0.9855, 0.9930, 0.9983]
    >>> binary_equivalent_accuracy(1 / 10, 10)  # guessing
    0.7743
    """
    accuracy = float_array(accuracy, "accuracy")
    n_classes = float_array(n_classes, "n_classes")
    if (bad := ~((accuracy >= 0) & (accuracy <= 1))).any():
        raise ValueError(f"accuracy must lie in [0, 1], got {first(accuracy, bad)}")
    is_whole = np.isfinite(n_classes) & (np.floor(n_classes) == n_classes)
    if (bad := ~(is_whole & (n_classes >= 2))).any():
        raise ValueError(
            f"n_classes must be an integer of at least 2, got {first(n_classes, bad)}"
        )
    with input_errors("accuracy and n_classes must have shapes that broadcast"):
        np.broadcast_shapes(accuracy.shape, n_classes.shape)
    return plain_float((accuracy ** (1 / (n_classes - 1)))[()])


def _count_several_classes(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    labels: ArrayLike | None,
    sample_weight: ArrayLike | None,
) -> ClassCounts:
    """Count predictions of at least two classes."""
    counts = class_counts(
        y_true, y_pred, labels=labels, sample_weight=sample_weight, weight_type="case"
    )
    if counts.n_classes < 2:
        name = "y_true contains" if labels is None else "labels contains"
        raise ValueError(
            f"{name} one class only; pass labels= with all classes that could be "
            "predicted"
        )
    return counts


def binary_equivalent_accuracy_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    balanced: bool = False,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Compute the binary-equivalent accuracy of predictions.

    It is :math:`A^{1 / (N - 1)}` for the accuracy A among N classes ([1]_).

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels, in any format that scikit-learn accepts.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    balanced : bool, default=False
        Use the balanced accuracy, with equal weights for all classes that have samples,
        instead of the accuracy. They agree if all classes have the same size.
    labels : array-like of shape (n_classes,), default=None
        The N classes to choose from, at least two, by default those in `y_true`.
        Samples of other true classes are ignored. Pass all classes that the classifier
        could predict; any other prediction is an error.
    sample_weight : array-like of shape (n_samples,), default=None
        Finite, non-negative case counts.

    Returns
    -------
    score : float
        In [0, 1]; guessing has ``binary_equivalent_accuracy(1 / n_classes,
        n_classes)``.

    Raises
    ------
    ValueError, TypeError
        If there is a single class, or for the reasons listed in
        :func:`~skpostbac.class_counts`.

    See Also
    --------
    binary_equivalent_accuracy : The formula.
    binary_equivalent_recalls : The score of each class.
    skpostbac.PosteriorAccuracy.binary_equivalent : The posterior.

    References
    ----------
    .. [1] Comparing Classifier Performance - Introduction to BEA (article on the
       binary-equivalent accuracy).

    Examples
    --------
    >>> from skpostbac.binary_equivalent import binary_equivalent_accuracy_score
    >>> y_true, y_pred = [0, 0, 1, 1, 2, 2], [0, 0, 1, 2, 2, 2]
    >>> binary_equivalent_accuracy_score(y_true, y_pred)  # the square root of 5/6
    0.9129
    >>> y_true, y_pred = [0, 0, 1, 1], [0, 2, 1, 1]
    >>> binary_equivalent_accuracy_score(y_true, y_pred, labels=[0, 1, 2])  # of 3/4
    0.8660
    """
    check_flags(balanced=balanced)
    counts = _count_several_classes(y_true, y_pred, labels, sample_weight)
    accuracy = np.nanmean(counts.recalls) if balanced else counts.accuracy
    return float(binary_equivalent_accuracy(accuracy, counts.n_classes))


def binary_equivalent_recalls(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> Floats:
    r"""Compute the binary-equivalent accuracy on each class.

    The accuracy :math:`A_i` on class i is the product of the probabilities that i is
    preferred to each of the N - 1 other classes; :math:`A_i^{1 / (N - 1)}` is their
    geometric mean ([1]_).

    Parameters
    ----------
    y_true, y_pred, labels, sample_weight
        As for :func:`binary_equivalent_accuracy_score`.

    Returns
    -------
    scores : ndarray of shape (n_classes,)
        In the order of `labels`, or of the sorted classes; nan for a class without
        samples, such as one that is only predicted.

    References
    ----------
    .. [1] Comparing Classifier Performance - Introduction to BEA (article on the
       binary-equivalent accuracy).

    Examples
    --------
    >>> from skpostbac.binary_equivalent import binary_equivalent_recalls
    >>> binary_equivalent_recalls([0, 0, 1, 1, 2, 2], [0, 0, 1, 2, 2, 2]).tolist()
    [1.0, 0.7071, 1.0]
    """
    counts = _count_several_classes(y_true, y_pred, labels, sample_weight)
    recalls = counts.recalls
    found = counts.total > 0
    recalls[found] = binary_equivalent_accuracy(recalls[found], counts.n_classes)
    return recalls


@dataclass(frozen=True, eq=False, repr=False)
class PosteriorBinaryEquivalentAccuracy(ScalarPosterior):
    r"""Posterior distribution of the binary-equivalent accuracy.

    Made by :meth:`skpostbac.PosteriorBalancedAccuracy.binary_equivalent` and
    :meth:`skpostbac.PosteriorAccuracy.binary_equivalent`. It is the posterior of
    :math:`A^{1 / (N - 1)}` ([1]_), a monotone transform of the accuracy A, so quantiles
    and probabilities are exact.

    Attributes
    ----------
    accuracy : BoundedDistribution
        Posterior distribution of the accuracy or balanced accuracy.
    n_classes : int
        Number N of classes, at least 2.

    Raises
    ------
    ValueError
        If there is a single class.
    TypeError
        If the number of classes is not an integer.

    Notes
    -----
    The summary also has "mode" and "chance".

    References
    ----------
    .. [1] Comparing Classifier Performance - Introduction to BEA (article on the
       binary-equivalent accuracy).

    Examples
    --------
    >>> from skpostbac import PosteriorBalancedAccuracy
    >>> posterior = PosteriorBalancedAccuracy.from_counts([30, 8, 3], [32, 10, 4])
    >>> posterior.binary_equivalent()
    PosteriorBinaryEquivalentAccuracy(mean=0.898, 95% CI=[0.793, 0.976], chance=0.577,
        n_classes=3)
    >>> print(posterior.binary_equivalent().report())
    The binary-equivalent accuracy is 0.898 (95% credible interval 0.793 to 0.976).
    Its chance level is 0.577.
    """

    accuracy: BoundedDistribution
    n_classes: int

    def __post_init__(self) -> None:
        check_integer(self.n_classes, "n_classes", 2)

    @cached_property
    def distribution(self) -> PowerTransform:
        """Distribution of the binary-equivalent accuracy."""
        return PowerTransform(self.accuracy, 1 / (self.n_classes - 1))

    score_name = "Binary-equivalent accuracy"

    @property
    def chance(self) -> float:
        """Binary-equivalent accuracy of guessing."""
        return float(binary_equivalent_accuracy(1 / self.n_classes, self.n_classes))

    def _more_statistics(self, level: float) -> dict[str, float]:
        return {"mode": self.mode(), "chance": self.chance}

    def _sentences(self, level: float) -> list[str]:
        return [*super()._sentences(level), f"Its chance level is {self.chance:.3f}."]

    def __repr__(self) -> str:
        return (
            f"PosteriorBinaryEquivalentAccuracy({self._summary()}, "
            f"chance={self.chance:.3f}, n_classes={self.n_classes})"
        )


@dataclass(frozen=True, repr=False)
class GuessingTest:
    """Comparison of the number of correct predictions with random guessing.

    Made by :func:`guessing_test` from labels, or by :meth:`from_counts`. [1]_
    recommends the p-value and the :attr:`gain` in addition to the binary-equivalent
    accuracy.

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

    References
    ----------
    .. [1] Comparing Classifier Performance - Introduction to BEA (article on the
       binary-equivalent accuracy), section "Future directions".

    Examples
    --------
    >>> from skpostbac import ClassCounts
    >>> from skpostbac.binary_equivalent import GuessingTest
    >>> test = GuessingTest.from_counts(ClassCounts([0, 1, 2], [30, 8, 3], [32, 10, 4]))
    >>> test
    GuessingTest(correct=41 of 46, expected=15.3, p_value=5.3e-15,
        error_reduction=0.837)
    >>> test.gain
    25.67
    """

    correct: int
    n: int
    expected_correct: float
    log_p_value: float

    @classmethod
    def from_counts(
        cls, counts: ClassCounts, *, strategy: ArrayLike = "uniform"
    ) -> GuessingTest:
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
            If a count is not an integer, if there is no sample, or if `strategy` is
            invalid.
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
            raise TypeError(f"counts must be ClassCounts, got {type(counts).__name__}")
        if (counts.correct % 1).any() or (counts.total % 1).any():
            raise ValueError(f"counts must be integers, got {counts!r}")
        if not counts.total.any():
            raise ValueError("counts must have at least one sample")
        k = counts.n_classes
        if isinstance(strategy, str):
            rates = {
                "uniform": np.full(k, 1 / k),
                "stratified": counts.total / counts.n_samples,
            }
            if strategy not in rates:
                raise ValueError(
                    "strategy must be 'uniform', 'stratified' or an array of shape "
                    f"(n_classes,), got {strategy!r}"
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
        return cls(
            correct, int(counts.n_samples), float(counts.total @ rate), log_p_value
        )

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
        """Gain as a share of the expected errors of guessing; nan without any."""
        wrong = self.n - self.expected_correct
        return self.gain / wrong if wrong else float("nan")

    def summary(self) -> dict[str, float | None]:
        """Return the results of the test.

        Returns
        -------
        statistics : dict of str to float or None
            "correct", "n", "expected_correct", "p_value", "log_p_value", "gain" and
            "error_reduction", which is None if guessing makes no errors.
        """
        names = ("correct", "n", "expected_correct", "p_value", "log_p_value", "gain")
        statistics = {name: float(getattr(self, name)) for name in names}
        return finite_or_none({**statistics, "error_reduction": self.error_reduction})

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
        p_value = self._p_value_text()
        return paragraphs(
            f"{self.correct} of {self.n} predictions are correct; guessing is expected "
            f"to get {self.expected_correct:.1f} right.",
            f"Guessing gets at least as many right with probability {p_value}.",
        )

    def __str__(self) -> str:
        return self.report()

    def _repr_html_(self) -> str:
        return result(" ".join(self.report().split()))

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

    A random guesser who predicts class i with probability :math:`q_i` is right :math:`S
    = \sum_i \mathrm{Binomial}(n_i, q_i)` times. With k correct predictions of n, the
    p-value is :math:`P(S \ge k)`. The number of errors avoided relative to guessing is
    :math:`k - E(S)`, and their share is :math:`(k - E(S)) / (n - E(S))`; [1]_
    recommends both, with :math:`q_i = 1 / N` for N classes. The p-value is exact:
    binomial if all :math:`q_i` are equal, else Poisson-binomial. Its cost does not
    depend on the number of samples.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels, in any format that scikit-learn accepts.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    strategy : {"uniform", "stratified"} or array-like, default="uniform"
        Guessing probabilities of the classes: equal, their shares in `y_true`, or the
        given values, normalised to sum to 1, in the order of `labels`.
    labels : array-like of shape (n_classes,), default=None
        Classes to guess from, by default those in `y_true`. Samples of other true
        classes are ignored.

    Returns
    -------
    test : GuessingTest

    Raises
    ------
    ValueError, TypeError
        If `strategy` is invalid, or for the reasons listed in
        :func:`~skpostbac.class_counts`.

    See Also
    --------
    skpostbac.PosteriorBalancedAccuracy.guessing_p_value : Test of the balanced
        accuracy against guessing at any rates.
    binary_equivalent_accuracy_score : A score whose article asked for this comparison.

    Notes
    -----
    The p-value is not the probability of being no better than guessing: it is the
    probability that guessing does at least as well.

    References
    ----------
    .. [1] Comparing Classifier Performance - Introduction to BEA (article on the
       binary-equivalent accuracy), section "Future directions".

    Examples
    --------
    >>> from skpostbac.binary_equivalent import guessing_test
    >>> y_true, y_pred = [0] * 8 + [1] * 2, [0] * 9 + [1]
    >>> guessing_test(y_true, y_pred)
    GuessingTest(correct=9 of 10, expected=5.0, p_value=0.011, error_reduction=0.800)
    >>> guessing_test(y_true, y_pred, strategy="stratified")
    GuessingTest(correct=9 of 10, expected=6.8, p_value=0.074, error_reduction=0.687)
    """
    counts = class_counts(y_true, y_pred, labels=labels)
    return GuessingTest.from_counts(counts, strategy=strategy)
