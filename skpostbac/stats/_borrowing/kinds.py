"""Strata of classes of similar size.

Rare classes are often harder. Classes borrow from their own stratum, and strata from their
neighbours (`chain`), so that a trend of the recall with class size is not mistaken for noise. A
stratum contains the classes with the same floor(log n), to the base `strata` of a `Hyperprior`. A
class without samples carries no information and joins the smallest stratum.
"""

from dataclasses import dataclass

import numpy as np

from skpostbac._utils import Bools, Floats, Indices


@dataclass(frozen=True)
class Kinds:
    """Classes of one pool or stratum, those that are alike once; all have the shape (n_kinds,).

    Attributes
    ----------
    correct, total : samples of a class of each kind.
    weights : its weight in the sum.
    count : how many classes there are of the kind.
    """

    correct: Floats
    total: Floats
    weights: Floats
    count: Floats

    @classmethod
    def of(cls, correct: Floats, total: Floats, weights: Floats) -> "Kinds":
        """Keep one class of each kind."""
        rows, count = np.unique(np.stack([correct, total, weights]), axis=1, return_counts=True)
        return cls(rows[0], rows[1], rows[2], count.astype(float))

    @property
    def wrong(self) -> Floats:
        """Samples that were not predicted correctly."""
        return self.total - self.correct

    @property
    def n_classes(self) -> int:
        """Number of classes of all kinds."""
        return int(self.count.sum())

    @property
    def total_weight(self) -> Floats:
        """Sum of the absolute weights of each kind."""
        return self.count * np.abs(self.weights)

    def mirrored(self) -> "Kinds":
        """Return the kinds of minus the sum."""
        return Kinds(self.correct, self.total, -self.weights, self.count)

    def where(self, kept: Bools) -> "Kinds":
        """Return some of the kinds."""
        return Kinds(self.correct[kept], self.total[kept], self.weights[kept], self.count[kept])

    def strata(self, ratio: float | None) -> tuple["Kinds", ...]:
        """Return the kinds of each stratum, smallest classes first."""
        number = stratum_numbers(self.total, ratio)
        return tuple(self.where(number == one) for one in range(int(number.max()) + 1))


def stratum_numbers(total: Floats, ratio: float | None) -> Indices:
    """Return the number of the stratum of each class, of those that occur, smallest first.

    All classes are in one stratum if there is no ratio.
    """
    if ratio is None or not total.any():
        return np.zeros(total.size, dtype=np.intp)
    some = np.where(total > 0, total, total[total > 0].min())
    exponent = np.floor(np.log(some) / np.log(ratio))
    # Logs are rounded: next to a power of the ratio the exponent may be one too low or too high.
    exponent += ratio ** (exponent + 1) <= some
    exponent -= ratio**exponent > some
    return np.asarray(np.unique(exponent, return_inverse=True)[1])
