"""Weighted sums of independent Beta variables: `BetaAverage` and `BetaAverages`.

`parameters` checks exponents and weights, and has moments. `characteristic` has the
transforms of variables, and `sums` what `_fourier` needs to know of a sum; a `single`
variable has closed forms, and logs of small tails a `saddlepoint` approximation.
`average` has what users see. Imports `_fourier`.
"""

from skpostbac.stats._beta.average import (
    BetaAverage,
    BetaAverages,
    Question,
    evaluate_all,
)
from skpostbac.stats._beta.parameters import (
    LARGEST,
    SMALLEST,
    central_moments,
    weighted_means,
)
