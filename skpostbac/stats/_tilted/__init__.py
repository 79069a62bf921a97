"""Betas under a real exponential tilt, for the distributions that are inverted along contours.

Serves the families that have not moved to `_series`: strata that borrow, Dirichlet pairs, and
ratios. `betas` is the quadrature of a Beta under a tilt, `ends` the expansion of its moment
generating function at both ends, and `terms` a sum of many with relative accuracy in all tails.
"""

from skpostbac.stats._tilted.betas import (
    SHIFTS,
    SpreadNodes,
    TiltedBetas,
    bandwidths,
    deviations_at,
    extent,
    growths,
    laplace_moments,
    log_laplace_mgf,
    log_weight_and_step,
    quadrature,
    tilt_betas,
)
from skpostbac.stats._tilted.ends import (
    end_radius,
    end_share,
    log1pmx_complex,
    log_leading_share,
)
from skpostbac.stats._tilted.terms import WeightedBetas

__all__ = [
    "SHIFTS",
    "SpreadNodes",
    "TiltedBetas",
    "WeightedBetas",
    "bandwidths",
    "deviations_at",
    "end_radius",
    "end_share",
    "extent",
    "growths",
    "laplace_moments",
    "log1pmx_complex",
    "log_laplace_mgf",
    "log_leading_share",
    "log_weight_and_step",
    "quadrature",
    "tilt_betas",
]
