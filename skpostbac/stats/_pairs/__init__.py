"""Paired differences under a hierarchical prior: `HierarchicalPairedDifference`.

`shares` models one share of the samples of each class, with the states common to classes of similar
size, and draws these states. `rest` draws the sum of many classes given the states, except for rare
outliers among them. `model` combines two shares: how often the classifiers differ, and which of
them is then right. Imports `_borrowing` and `_distribution`, and `_dirichlet` for a check.
"""

from skpostbac.stats._pairs.difference import HierarchicalPairedDifference

__all__ = [
    "HierarchicalPairedDifference",
]
