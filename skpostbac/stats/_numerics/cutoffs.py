"""Numerical cut-offs, and why they are where they are.

A quadrature leaves out nodes whose weights are below exp(-REACH) of the largest, and ends where its
integrand has fallen to that. Rounding of a sum of terms of order one leaves 2^-53 = 1.1e-16. With
REACH = 40 a term that is left out is 4.2e-18, so that some twenty of them stay below rounding. The
decay of the integrands is exponential at least, and what is left out adds up to a few such terms.
The same depth sets the steps. For a function that is analytic in a strip of half width d, and below
exp(g) there, a trapezoid rule with the step h has an error of about exp(g - 2 pi d / h) (Trefethen
and Weideman, SIAM Review 56, 2014), which is exp(-REACH) for h = 2 pi d / (REACH + g).
"""

# Weights below exp(-REACH) = 4e-18 of the largest are left out.
REACH = 40.0
# Terms of an inversion below exp(-DEPTH) = 1e-17 of the leading one are left out.
DEPTH = 39.0
# Shares of a product of transforms below this are left out.
NEGLIGIBLE = 1e-18
# A series ends where its terms have decayed to this.
DECAYED = 1e-13
