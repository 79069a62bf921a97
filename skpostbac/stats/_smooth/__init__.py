"""Smooth sums of weighted Betas, many of them in one pass.

`betas` has the variables, `extent` how far a sum reaches and how high its transform, `path` the
quadrature of a transform, `transform` the product of those of a sum, `series` its Fourier series
and `blocks` how many are computed together. `tails`, `lookup`, `shortest` and `peak` have
probabilities, quantiles, shortest intervals and modes. A sum whose transform decays slowly is not
smooth, and small tails are not known to relative accuracy. Imports `_distribution`.
"""

from skpostbac.stats._smooth.blocks import many_series, single_series
from skpostbac.stats._smooth.lookup import quantiles
from skpostbac.stats._smooth.peak import modes
from skpostbac.stats._smooth.series import Series
from skpostbac.stats._smooth.shortest import shortest_intervals
from skpostbac.stats._smooth.tails import LEAST, central_densities_of, central_tails_of

__all__ = [
    "LEAST",
    "Series",
    "central_densities_of",
    "central_tails_of",
    "many_series",
    "modes",
    "quantiles",
    "shortest_intervals",
    "single_series",
]
