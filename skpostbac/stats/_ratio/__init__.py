"""Ratios of bilinear forms in two independent averages of Betas, and quotients of two Betas.

`variables` computes the densities of the log-odds of both, `density` that of the log ratio. Imports
`_beta` and what it imports.
"""

from skpostbac.stats._ratio.quotient import BetaQuotient
from skpostbac.stats._ratio.ratio import BetaRatio

__all__ = ["BetaQuotient", "BetaRatio"]
