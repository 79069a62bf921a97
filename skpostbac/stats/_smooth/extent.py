"""Range of smooth sums, and the heights to which their transforms extend.

The characteristic function of a Gamma variable of variance v and shape o has the modulus
(1 + t^2 v / o)^(-o / 2). That of a Beta falls at least as fast with its nearer exponent as o: tests
check it, and where the last coefficient of a series has not decayed the sum is not smooth. So the
product is below exp(-D) from the height T with

    1/2 sum_i o_i log(1 + T^2 v_i / o_i) = D

on. The moment generating function of a centred Beta is, on the side to which it leans, below that
of a centred Gamma variable of the same variance v and third cumulant c v,
c = 2 |b - a| / (n (n + 2)), and below that of a normal variable on the other; tests check it, and
Skorski has tails of this form (Bernstein-type bounds for Beta distribution, Modern Stochastics 10,
2023). For a Gamma variable

    log E[exp(h X)] = v h^2 k(c h / 2),    k(y) = -(log(1 - y) + y) / y^2,

and k increases, so that in a sum the variances add and the largest |w| c counts. By Chernoff's
bound, and u - log(1 + u) >= u^2 / 2 / (1 + 2 u / 3), no more than exp(-D) is beyond

    D c / 3 + sqrt((D c / 3)^2 + 2 D v)

on either side of the mean, and nothing beyond the ends of the support.
"""

from dataclasses import dataclass

import numpy as np

from skpostbac._utils import Floats
from skpostbac.stats._numerics import Rows
from skpostbac.stats._smooth.betas import Betas

# The transform is cut off, and the mass beyond the period, below exp(-DEPTH) = 1.7e-15. Both bounds
# are seldom attained.
DEPTH = 34.0
# Where no more than exp(-NEAR) = 7.5e-5 is beyond, values are good to 1e-10 of the smaller tail.
NEAR = 9.5
_DEPTHS = np.array([[DEPTH], [NEAR]])
# Newton's steps for the height: all stay above it after the first, and the second is close.
_STEPS = 2
_MOST_LOG = 200.0


@dataclass(frozen=True)
class Extent(Rows):
    """Extent of sums; shapes (m,).

    Attributes
    ----------
    height : beyond it the transform is negligible.
    reach : values are resolved up to so far from the mean.
    period : period of a Fourier series that has them exactly.
    """

    height: Floats
    reach: Floats
    period: Floats

    @property
    def count(self) -> Floats:
        """Number of coefficients up to the height, with that of order zero."""
        return np.ceil(self.height * self.period / (2 * np.pi)) + 1


def extent_of(betas: Betas, *, is_whole: bool = False) -> Extent:
    """Bound the heights and the positions of sums, all of which are resolved if `is_whole`."""
    size = betas.size
    share = _DEPTHS * ((2 / 3) * (size * (betas.q - betas.p) / (betas.n + 2)).max(axis=1))
    bound = share + np.sqrt(share * share + 2 * _DEPTHS * betas.variance)
    # Nothing is beyond the farther end of the support.
    up, width = (size * np.where(betas.weight > 0, betas.q, betas.p)).sum(axis=1), size.sum(axis=1)
    far, near = np.minimum(bound, np.maximum(up, width - up))
    near = far if is_whole else near
    return Extent(_height(betas), near, far + near)


def _height(betas: Betas) -> Floats:
    """Height from which the transforms are negligible.

    In u = log T^2 the left-hand side of the equation is convex and increasing. That of normal
    variables is larger, so that the search begins below the root, and a Newton step leads above.
    """
    near, ratio = betas.near, betas.variances / betas.near
    u = np.log(2 * DEPTH / betas.variance)
    for _ in range(_STEPS):
        x = np.exp(u)[:, np.newaxis] * ratio
        missing = 2 * DEPTH - (near * np.log1p(x)).sum(axis=1)
        u = np.minimum(u + missing / (near * (x / (1 + x))).sum(axis=1), _MOST_LOG)
    return np.asarray(np.exp(0.5 * u))
