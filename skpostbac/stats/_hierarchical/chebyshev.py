r"""Transforms of Betas by their Chebyshev moments.

With x = 2 theta - 1 the wave of a variable of weight w about one half has the Chebyshev series

    exp(s w (theta - 1/2)) = sum_r c_r I_r(s w / 2) T_r(x),    c_0 = 1, else c_r = 2,

where I_r are the modified Bessel functions (Abramowitz and Stegun, 9.6.34), which vanish faster
than geometrically from r = |s w| / 2 on. The expectation of T_r under a Beta(a, b) follows from
its differential equation: with M_0 = 1 and M_1 = (a - b) / (a + b),

    (a + b + r) M_{r+1} = 2 (a - b) M_r - (a + b - r) M_{r-1}.

So all distributions of one weight share the Bessel functions, and all s the moments: their
transforms are one matrix product. The Bessel functions are Fourier coefficients,

    I_r(z) = 1 / pi * integral of exp(z cos phi) cos(r phi) dphi  from 0 to pi,

by the midpoint rule, the error of which is an I_q with q beyond the last order.
"""

import numpy as np

from skpostbac._utils import Complexes, Floats
from skpostbac.stats._numerics import matrix_product

# Orders beyond |z| and its cube root that are left: they add less than 1e-16.
_CUBE_ROOTS, _MORE = 9.5, 10.0


def chebyshev_coefficients(z: Complexes) -> Complexes:
    """Coefficients c_r I_r(z) of exp(z x), shape (n_orders, n), as many orders as any z needs."""
    size = float(np.abs(z).max())
    count = int(np.ceil(size + _CUBE_ROOTS * np.cbrt(size) + _MORE))
    phi = np.pi * (np.arange(count) + 0.5) / count
    cosines = np.cos(np.multiply.outer(np.arange(float(count)), phi)) * (2 / count)
    cosines[0] /= 2
    waves = np.exp(np.multiply.outer(np.cos(phi), z))
    return np.asarray(matrix_product(cosines, waves.view(float)).view(complex))


def chebyshev_moments(a: Floats | float, b: Floats | float, count: int, spare: int = 0) -> Floats:
    """Moments E[T_r(2 theta - 1)] of Betas for r < count, at least two, with a new first axis.

    It goes on with some spare rows for the caller, which are not set.
    """
    n, lean = np.asarray(a + b, float), np.asarray(2.0 * (a - b))
    moments = np.empty((count + spare, *n.shape))
    moments[0], moments[1] = 1.0, lean / (2 * n)
    above, below, term = n + 1, n - 1, np.empty_like(n)
    for r in range(1, count - 1):
        np.multiply(lean, moments[r], out=moments[r + 1, ...])
        np.multiply(below, moments[r - 1], out=term)
        moments[r + 1] -= term
        moments[r + 1] /= above
        above += 1
        below -= 1
    return moments
