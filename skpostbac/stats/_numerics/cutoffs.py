"""Numerical cut-offs, with the reasons for their values.

Rounding of a sum of terms of order one leaves EPS / 2 = 1.1e-16. What is left out of such a sum
should stay below that, together with its neighbours, and no farther: each factor of e costs nodes.
The cut-offs of a table below hold wherever the meaning is the same. What only tunes one function
is beside that function.
"""

# Spacing of doubles beside one.
EPS = 2.0**-52
# A quadrature leaves out nodes of weights below exp(-REACH) = 4.2e-18 of the largest: some twenty
# of them stay below rounding, and the integrands fall at least exponentially there. The same depth
# sets the steps. For a function that is analytic in a strip of half width d, and below exp(g)
# there, a trapezoid rule with the step h has an error of about exp(g - 2 pi d / h) (Trefethen and
# Weideman, SIAM Review 56, 2014), which is exp(-REACH) for h = 2 pi d / (REACH + g).
REACH = 40.0
# The terms of an inversion are left out below exp(-DEPTH) = 1.2e-17 of the leading one. They are
# divided by their number, so that a tenth of the rounding error is enough.
DEPTH = 39.0
# Terms of a convergent or asymptotic series, and shares of a product of transforms, are left out
# below this share of the largest: of a hundred of them, next to each other, 1e-16 is left.
NEGLIGIBLE = 1e-18
# Corners are left out below this, of which there may be thousands at the same height.
LEAST_CORNER = 1e-20
# A transform that is an average over nodes of a quadrature good to 1e-10 has decayed here: with a
# fall like 1 / t what is left adds up to less than 1e-12.
DECAYED = 1e-13
# Relative error of the smaller tail up to which a value is taken as it is: a thousand roundings,
# as many as a contour of some hundred waves leaves.
ACCURACY = 1e-12
