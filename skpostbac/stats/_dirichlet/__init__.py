"""The difference of two dependent accuracies as a term of a sum, and `PairedDifference`.

The outcomes of a pair of classifiers on one class have a Dirichlet distribution. The files are
those of `_tilted`, with vertices instead of ends. Imports `_tilted`, `_inversion` and what these
import.
"""

from skpostbac.stats._dirichlet.difference import PairedDifference, pair_counts

__all__ = [
    "PairedDifference",
    "pair_counts",
]
