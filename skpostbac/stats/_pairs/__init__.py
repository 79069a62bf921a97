"""Paired differences under a hierarchical prior: `HierarchicalPairedDifference`.

`model` has two shares of the samples of each class, how often the classifiers differ and which of
them is then right, and draws the difference. Imports `_borrowing` and `_distribution`, and
`_dirichlet` for a check.
"""

from skpostbac.stats._pairs.difference import HierarchicalPairedDifference
