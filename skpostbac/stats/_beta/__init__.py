"""A Beta variable as a term of a sum, and `BetaAverage`.

`tilted` has its quadrature under an exponential tilt, `ends` the expansion of its moment generating
function at both ends, `terms` what an inversion asks of it. `_dirichlet` has the same files.
`chebyshev` has a series for many Betas of one weight, `averages` has many distributions at once and
`parameters` what they are made of, and `together` asks many distributions the same. Imports
`_inversion` and what that imports, and `_smooth`.
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
