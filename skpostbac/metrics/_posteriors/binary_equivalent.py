"""Binary-equivalent accuracy: how well a classifier chooses between two of several classes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from skpostbac._utils import (
    Floats,
    check_flags,
    first,
    float_array,
    input_errors,
    is_integer,
    shown,
)
from skpostbac.metrics._counts import count_choices
from skpostbac.metrics._posteriors.base import ExactPosterior, describe_chances
from skpostbac.stats import BoundedDistribution, PowerTransform
from skpostbac.stats._distribution import plain_float


def binary_equivalent_accuracy(accuracy: ArrayLike, n_classes: ArrayLike) -> float | Floats:
    r"""Convert accuracies for any number of classes to binary-equivalent accuracies.

    Choosing the right one of N classes requires N - 1 correct pairwise choices. If the accuracy is
    A, the geometric mean of their probabilities is :math:`A^{1 / (N - 1)}` ([1]_).

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
        If an accuracy is outside [0, 1], or if `n_classes` is below 2 or not an integer.

    Notes
    -----
    The binary equivalent of guessing, with accuracy 1 / N, is 1/2 only for two classes and tends to
    1: it is 0.58, 0.77 and 0.95 for 3, 10 and 100 classes. Show this baseline when you compare
    values for different numbers of classes.

    References
    ----------
    .. [1] Comparing Classifier Performance - Introduction to BEA (article on the binary-equivalent
       accuracy).

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
    whole = np.isfinite(n_classes) & (np.floor(n_classes) == n_classes)
    if (bad := ~(whole & (n_classes >= 2))).any():
        raise ValueError(f"n_classes must be an integer of at least 2, got {first(n_classes, bad)}")
    with input_errors("accuracy and n_classes must have shapes that broadcast"):
        np.broadcast_shapes(accuracy.shape, n_classes.shape)
    return plain_float((accuracy ** (1 / (n_classes - 1)))[()])


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
        Use the balanced accuracy, with equal weights for all classes that have samples, instead of
        the accuracy. They agree if all classes have the same size.
    labels : array-like of shape (n_classes,), default=None
        The N classes to choose from, at least two, by default those in `y_true` or `y_pred`.
        Samples of other true classes are ignored. Pass all classes that the classifier could
        predict.
    sample_weight : array-like of shape (n_samples,), default=None
        Finite, non-negative case counts.

    Returns
    -------
    score : float
        In [0, 1]; guessing has ``binary_equivalent_accuracy(1 / n_classes, n_classes)``.

    Raises
    ------
    ValueError, TypeError
        If there is a single class, or for the reasons listed in :func:`~skpostbac.class_counts`.

    See Also
    --------
    binary_equivalent_accuracy : The formula.
    binary_equivalent_recalls : The score of each class.
    skpostbac.PosteriorAccuracy.binary_equivalent : The posterior.

    References
    ----------
    .. [1] Comparing Classifier Performance - Introduction to BEA (article on the binary-equivalent
       accuracy).

    Examples
    --------
    >>> from skpostbac.binary_equivalent import binary_equivalent_accuracy_score
    >>> y_true, y_pred = [0, 0, 1, 1, 2, 2], [0, 0, 1, 2, 2, 2]
    >>> binary_equivalent_accuracy_score(y_true, y_pred)  # the square root of 5/6
    0.9129
    >>> binary_equivalent_accuracy_score([0, 0, 1, 1], [0, 2, 1, 1])  # of 3/4
    0.8660
    """
    check_flags(balanced=balanced)
    counts = count_choices(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    if counts.n_classes < 2:
        raise ValueError(
            "n_classes must be an integer of at least 2, got one class in labels, or in y_true "
            "and y_pred"
        )
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

    The accuracy :math:`A_i` on class i is the product of the probabilities that i is preferred to
    each of the N - 1 other classes; :math:`A_i^{1 / (N - 1)}` is their geometric mean ([1]_).

    Parameters
    ----------
    y_true, y_pred, labels, sample_weight
        As for :func:`binary_equivalent_accuracy_score`.

    Returns
    -------
    scores : ndarray of shape (n_classes,)
        In the order of `labels`, or of the sorted classes; nan for a class without samples, such
        as one that is only predicted.

    References
    ----------
    .. [1] Comparing Classifier Performance - Introduction to BEA (article on the binary-equivalent
       accuracy).

    Examples
    --------
    >>> from skpostbac.binary_equivalent import binary_equivalent_recalls
    >>> binary_equivalent_recalls([0, 0, 1, 1, 2, 2], [0, 0, 1, 2, 2, 2]).tolist()
    [1.0, 0.7071, 1.0]
    """
    counts = count_choices(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    recalls, found = counts.recalls, counts.total > 0
    recalls[found] = binary_equivalent_accuracy(recalls[found], counts.n_classes)
    return recalls


@dataclass(frozen=True, eq=False, repr=False)
class PosteriorBinaryEquivalentAccuracy(ExactPosterior):
    r"""Posterior distribution of the binary-equivalent accuracy.

    Made by :meth:`skpostbac.PosteriorBalancedAccuracy.binary_equivalent` and
    :meth:`skpostbac.PosteriorAccuracy.binary_equivalent`. It is the posterior of :math:`A^{1 / (N -
    1)}` ([1]_), a monotone transform of the accuracy A, so quantiles and probabilities are exact.

    Attributes
    ----------
    accuracy : BoundedDistribution
        Posterior distribution of the accuracy or balanced accuracy.
    n_classes : int
        Number N of classes, at least 2.

    Raises
    ------
    ValueError
        If there is a single class, or if the accuracy may lie beyond [0, 1].
    TypeError
        If the number of classes is not an integer, or `accuracy` is not a distribution.

    Notes
    -----
    The summary also has "mode", "chance" and "prob_above_chance".

    References
    ----------
    .. [1] Comparing Classifier Performance - Introduction to BEA (article on the binary-equivalent
       accuracy).

    Examples
    --------
    >>> from skpostbac import PosteriorBalancedAccuracy
    >>> posterior = PosteriorBalancedAccuracy.from_counts([30, 8, 3], [32, 10, 4])
    >>> posterior.binary_equivalent()
    PosteriorBinaryEquivalentAccuracy(mean=0.898, 95% CI=[0.813, 0.973], chance=0.577, n_classes=3)
    >>> print(posterior.binary_equivalent().report())
    Binary-equivalent accuracy: 0.898 (95% credible interval 0.813 to 0.973).
    The probability of beating chance (0.577) is > 0.999.
    """

    accuracy: BoundedDistribution
    n_classes: int

    def __post_init__(self) -> None:
        if not isinstance(self.accuracy, BoundedDistribution):
            raise TypeError(
                f"accuracy must be a BoundedDistribution, got {type(self.accuracy).__name__}"
            )
        low, high = self.accuracy.support()
        # The weights of an average add up to one but for their rounding.
        if not 0 <= low <= high <= 1 + 1e-12:
            raise ValueError(f"accuracy must lie in [0, 1], got {self.accuracy.support()}")
        if not is_integer(self.n_classes):
            kind = type(self.n_classes).__qualname__
            raise TypeError(f"n_classes must be an instance of int, not {kind}.")
        if self.n_classes < 2:
            raise ValueError(
                "A binary-equivalent accuracy needs at least two classes, got "
                f"{'one' if self.n_classes == 1 else f'n_classes={shown(self.n_classes)}'}"
            )

    @cached_property
    def distribution(self) -> PowerTransform:
        """Distribution of the binary-equivalent accuracy."""
        return PowerTransform(self.accuracy, 1 / (self.n_classes - 1))

    @property
    def score_name(self) -> str:
        """Name of the metric: "Binary-equivalent accuracy"."""
        return "Binary-equivalent accuracy"

    @property
    def chance(self) -> float:
        """Binary-equivalent accuracy of guessing."""
        return float(binary_equivalent_accuracy(1 / self.n_classes, self.n_classes))

    def _more_figures(self, level: float) -> dict[str, float]:
        del level
        return {
            "mode": self.mode(),
            "chance": self.chance,
            "prob_above_chance": float(self.prob_above(self.chance)),
        }

    def _sentences(self, level: float) -> list[str]:
        above = float(self.prob_above(self.chance))
        return [
            *super()._sentences(level),
            f"{describe_chances('chance', self.chance, above)}.",
        ]

    def __repr__(self) -> str:
        return (
            f"PosteriorBinaryEquivalentAccuracy({self._summary()}, chance={self.chance:.3f}, "
            f"n_classes={self.n_classes})"
        )
