"""The binary-equivalent accuracy of several classes, and tests against guessing.

Their public module is `skpostbac.binary_equivalent`. Imports `_posteriors`, `_counts`, `_scoring`
and what these import.
"""

from skpostbac.metrics._binary_equivalent.guessing import GuessingTest, guessing_test
from skpostbac.metrics._binary_equivalent.posterior import (
    PosteriorBinaryEquivalentAccuracy,
    binary_equivalent_accuracy,
    binary_equivalent_accuracy_score,
    binary_equivalent_recalls,
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
