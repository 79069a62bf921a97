"""Weighted sums of paired differences to 20 digits and more, independent of the package.

The distribution is ``sum_i w_i D_i`` with independent ``D_i = P_B - P_A`` and ``(P_B, P_A, P_r)``
of the distribution ``Dirichlet(b_i, a_i, r_i)``, weights of any sign: the cells of class ``i``,
counts plus prior, are ``b`` (only B right), ``a`` (only A right) and ``r`` (the sum of the other
two). Counts, priors and weights are doubles taken at their exact binary value, as are abscissas;
``weights=None`` is the exact ``1 / l``. Everything starts from ``E (1 - t D)^-n = (1 - t)^-b (1 +
t)^-a``, ``n`` the sum of the cells (Dickey [1]_), whose Laplace transform in ``n`` is the loop
integral

    ``E exp(z D) = Gamma(n) / (2 pi i) int e^p (p - z)^-b (p + z)^-a p^-r dp``

around ``z``, ``-z`` and ``0``. As in ``generators``, sums are in exact rationals or in balls, and a
quadrature is confirmed by a second run on other nodes, "variant 1".

single (``single.Single``)
    One class. ``D = S (2 U - 1)`` with independent Beta variables: an incomplete beta function of
    ``S`` is integrated over ``U``, for each tail and for the density by itself, by the trapezoidal
    rule in a double-exponential variable.
piecewise (``piecewise.Pieces``)
    Integer cells. The residues of the loop integral are ``exp(+-z)`` or 1 times polynomials in
    ``1 / z``; their product, inverted term by term, is the exact piecewise polynomial.
contour (``contour.Contour``)
    Any cells, few classes. The contour of ``generators.contour`` with three terms for each class,
    the expansions of the loops around ``z``, ``-z`` and ``0``. Up to where these are sharp the
    transform is its Taylor series. Of a class with thousands of samples that agree, only the loop
    around ``0`` counts, by the trapezoidal rule on a line through its saddlepoint.
line (``line.Line``)
    Transforms that decay fast: the trapezoidal rule on the line through the saddlepoint.
real (``real.Real``)
    Very unequal scales. The density of the most concentrated class, which is an integral itself, is
    integrated against the piecewise polynomial of the others, on panels that end at every kink.

References
----------
.. [1] J. M. Dickey, "Multiple hypergeometric functions: probabilistic interpretations and
   statistical uses", Journal of the American Statistical Association 78 (1983), 628-637.
"""
