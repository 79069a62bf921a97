"""The difference of two dependent accuracies: `PairedDifference`.

The outcomes of a pair of classifiers on one class have a Dirichlet distribution. `transform`
computes the characteristic functions of classes, and `series` makes a Fourier series of a sum of
them. Imports `_beta`, `_distribution`, `_series` and `_numerics`.
"""

from skpostbac.stats._dirichlet.difference import PairedDifference, pair_counts
