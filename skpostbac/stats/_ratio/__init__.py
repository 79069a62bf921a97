"""Ratios of bilinear forms in two independent averages of Betas, and quotients of two Betas.

`variables` computes the densities of the log-odds of both, `density` that of the log ratio, as an
integral along a curve (`curve`) where it counts (`windows`), in pieces where exponents are tiny
(`pieces`), and `tabulated` is the base class of what has a table of it. `scaled_odds` has the
one-variable case. Imports `_beta` and what it imports.
"""

from skpostbac.stats._ratio.quotient import BetaQuotient
from skpostbac.stats._ratio.ratio import BetaRatio
from skpostbac.stats._ratio.scaled_odds import LibbyNovickBeta

__all__ = ["BetaQuotient", "BetaRatio", "LibbyNovickBeta"]
