"""Multiclass accuracies converted to the two-class scale, and tests against guessing.

A prediction among N classes amounts to N - 1 pairwise choices, so an accuracy A is
equivalent to A ** (1 / (N - 1)) in each of them. `binary_equivalent_accuracy` converts
accuracies, `binary_equivalent_accuracy_score` and `binary_equivalent_recalls` take
labels and predictions, and the ``binary_equivalent`` method of
`skpostbac.PosteriorBalancedAccuracy` and `skpostbac.PosteriorAccuracy` returns the
posterior. `guessing_test` returns the exact probability that random guessing is right
at least as often.
"""

from skpostbac.metrics._binary_equivalent import (
    GuessingTest,
    PosteriorBinaryEquivalentAccuracy,
    binary_equivalent_accuracy,
    binary_equivalent_accuracy_score,
    binary_equivalent_recalls,
    guessing_test,
)
from skpostbac.metrics._scorers import (
    make_binary_equivalent_scorer,
)

__all__ = [
    "GuessingTest",
    "PosteriorBinaryEquivalentAccuracy",
    "binary_equivalent_accuracy",
    "binary_equivalent_accuracy_score",
    "binary_equivalent_recalls",
    "guessing_test",
    "make_binary_equivalent_scorer",
]
