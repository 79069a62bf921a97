"""Weighted sums of independent Beta variables to 30 digits, independent of the package.

The distribution is ``sum_i w_i theta_i`` with independent ``theta_i ~ Beta(a_i, b_i)`` and weights
of any sign. Parameters and abscissas are doubles taken at their exact binary value;
``weights=None`` is the exact ``1 / l``.

All methods work in exact rationals or in ball arithmetic (python-flint, a binding of Arb [1]_), so
that rounding is tracked and cancellation shows. What is left is the discretisation error of a
quadrature; it is measured by a second run, "variant 1", on other nodes.

closed (``exact.Closed``)
    One class. The regularised incomplete beta function as a Gauss series (DLMF [2]_ 8.17.8).
piecewise (``exact.Piecewise``)
    Integer ``a`` and ``b``. The Laplace transform of a Beta density is ``P(1/s) + exp(-s) Q(1/s)``
    with exact rational polynomials. The product over the classes, inverted term by term, is the
    piecewise polynomial of the distribution.
contour (``contour.Contour``)
    Any ``a`` and ``b``. The Bromwich integral of the transform (DLMF 1.14(iii)) on a vertical line
    near the saddlepoint ``c``, by Gauss-Legendre panels up to ``c + i T``. There every ``1F1`` is
    split into its two Tricomi ``U`` parts (DLMF 13.2.41), one for each end of its support, and each
    term ``exp(-s k) C_k(s)`` of the product follows its own path of steepest descent [3]_: a ray to
    the left for abscissas above the breakpoint ``k``, to the right below it, by the
    double-exponential rule [4]_.
corner (``corner.Corner``)
    Many classes, up to the first breakpoint from either end. The density of a class is a power
    times a power series there, so that the transform of the sum is a power of ``1 / s`` times a
    power series in it, which is inverted term by term.
line (``line.Line``)
    Transforms that decay fast. The trapezoidal rule on the vertical line through the saddlepoint,
    whose aliasing error decays like ``exp(-2 pi c / h)`` ([5]_, [6]_). The transform of a
    concentrated class is a trapezoidal sum in the logit of ``theta``, otherwise ``1F1``.
real (``real.RealSpace``)
    Very unequal scales. The most concentrated class is integrated in real space against the exact
    distribution of the others, by tanh-sinh [4]_ on panels that end at every kink and are graded
    around the peak of the integrand.

References
----------
.. [1] F. Johansson, "Arb: efficient arbitrary-precision midpoint-radius interval arithmetic",
   IEEE Transactions on Computers 66 (2017), 1281-1292.
.. [2] NIST Digital Library of Mathematical Functions, https://dlmf.nist.gov.
.. [3] D. Huybrechs and S. Vandewalle, "On the evaluation of highly oscillatory integrals by
   analytic continuation", SIAM Journal on Numerical Analysis 44 (2006), 1026-1048.
.. [4] H. Takahasi and M. Mori, "Double exponential formulas for numerical integration",
   Publications of the RIMS 9 (1974), 721-741.
.. [5] J. Abate and W. Whitt, "The Fourier-series method for inverting transforms of probability
   distributions", Queueing Systems 10 (1992), 5-87.
.. [6] L. N. Trefethen and J. A. C. Weideman, "The exponentially convergent trapezoidal rule",
   SIAM Review 56 (2014), 385-458.
"""
