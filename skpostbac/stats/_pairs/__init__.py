"""Differences of paired classifiers whose classes borrow strength: `HierarchicalPairedDifference`.

`shares` has a share of the samples of each class, and the states that classes of alike size have in
common; `paths` draws these. `rest` has the sum of many classes given the states, but for `outliers`
among them, and `model` puts two shares together: how often the classifiers differ, and which of
them is then right. Imports `_borrowing`, `_distribution` and `_inversion`, and `_dirichlet` for a
check.
"""

from skpostbac.stats._pairs.difference import HierarchicalPairedDifference

__all__ = [
    "HierarchicalPairedDifference",
]
