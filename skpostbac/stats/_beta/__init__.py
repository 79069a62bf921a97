"""Weighted sums of independent Beta variables: `BetaAverage` and `BetaAverages`.

`tilted` is the quadrature of a Beta variable under an exponential tilt, `ends` the expansion of its
moment generating function at both ends, and `terms` the interface for the inversion. `_dirichlet`
has the same files. `chebyshev` is a series for many Betas with the same weight, `averages` handles
arrays of distributions with `parameters`, `rough_pairs` has quantiles and tails of sums of two that
are not smooth, `rough_shapes` their shortest intervals and modes, `single` has sums of one, and
`together` evaluates many distributions. Imports `_inversion` and what that imports, and `_smooth`.
"""

from skpostbac.stats._beta.average import BetaAverage, beta_averages
from skpostbac.stats._beta.averages import BetaAverages, Intervals
from skpostbac.stats._beta.chebyshev import chebyshev_coefficients, chebyshev_moments
from skpostbac.stats._beta.ends import end_radius, end_share, log1pmx_complex, log_leading_share
from skpostbac.stats._beta.moments import central_moments
from skpostbac.stats._beta.parameters import LARGEST, SMALLEST
from skpostbac.stats._beta.tilted import (
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
from skpostbac.stats._beta.together import Question, evaluate_all

__all__ = [
    "LARGEST",
    "SHIFTS",
    "SMALLEST",
    "BetaAverage",
    "BetaAverages",
    "Intervals",
    "Question",
    "SpreadNodes",
    "TiltedBetas",
    "bandwidths",
    "beta_averages",
    "central_moments",
    "chebyshev_coefficients",
    "chebyshev_moments",
    "deviations_at",
    "end_radius",
    "end_share",
    "evaluate_all",
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
