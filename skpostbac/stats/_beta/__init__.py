"""Weighted sums of independent Beta variables: `BetaAverage` and `BetaAverages`.

`betas` holds the variables of many sums, and bounds their range and the height of their transforms.
`transform` computes these, `corners` says what they are at large heights, and `plan` makes series
of them. `sums` answers all questions, for single variables by closed forms (`single`), and for the
logs of small tails by a `saddlepoint` approximation. `average` and `averages` are what users see,
`parameters` checks what they give, and `together` evaluates many distributions. Imports `_series`.
"""

from skpostbac.stats._beta.average import BetaAverage, Question, beta_averages, evaluate_all
from skpostbac.stats._beta.averages import BetaAverages, Intervals
from skpostbac.stats._beta.betas import LARGEST, SMALLEST, central_moments, variances

__all__ = [
    "LARGEST",
    "SMALLEST",
    "BetaAverage",
    "BetaAverages",
    "Intervals",
    "Question",
    "beta_averages",
    "central_moments",
    "evaluate_all",
    "variances",
]
