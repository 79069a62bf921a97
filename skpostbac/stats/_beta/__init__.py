"""Weighted sums of independent Beta variables: `BetaAverage` and `BetaAverages`.

`betas` holds the variables of many sums, and bounds their range. `characteristic` makes
Fourier series of them; single variables have closed forms, and logs of small tails a
`saddlepoint` approximation. `average` has what users see. The paths of the quadrature
serve `_borrowing`, too. Imports `_fourier`.
"""

from skpostbac.stats._beta.average import (
    BetaAverage,
    BetaAverages,
    Question,
    evaluate_all,
)
from skpostbac.stats._beta.betas import (
    LARGEST,
    SMALLEST,
    central_moments,
    weighted_means,
)
from skpostbac.stats._beta.characteristic import bandwidth, rotated, window
