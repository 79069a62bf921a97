"""Ratios of bilinear forms in two independent averages of Betas, and quotients of two Betas.

`density` computes the density of the log of a ratio, as an integral along a curve. `ratio` has the
ratios, by a table of that density, quotients, and multiples of the odds of one variable. Imports
`_beta` and what it imports.
"""

from skpostbac.stats._ratio.ratio import BetaQuotient, BetaRatio, LibbyNovickBeta
