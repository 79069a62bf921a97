"""Smooth sums of weighted Betas, many of them at once.

`betas` holds the variables. `extent` bounds the range of a sum and the height of its transform,
`path` is the quadrature of one transform, `transform` the product over a sum, `series` its Fourier
series, `waves` what both have in common, and `blocks` decides which sums are computed together.
`tails`, `lookup`, `shortest` and `peak` compute probabilities, quantiles, shortest intervals and
modes. Sums whose transform decays slowly are not smooth, and small tails do not have relative
accuracy. Imports `_distribution`.
"""

from skpostbac.stats._smooth.blocks import many_series, single_series
from skpostbac.stats._smooth.lookup import quantiles
from skpostbac.stats._smooth.peak import modes
from skpostbac.stats._smooth.series import Grid, Series
from skpostbac.stats._smooth.shortest import is_level_set, shortest_intervals
from skpostbac.stats._smooth.tails import LEAST, central_densities_of, central_tails_of

__all__ = [
    "LEAST",
    "Grid",
    "Series",
    "central_densities_of",
    "central_tails_of",
    "is_level_set",
    "many_series",
    "modes",
    "quantiles",
    "shortest_intervals",
    "single_series",
]
