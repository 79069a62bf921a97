"""Weighted Betas of many sums at once, each variable seen from its nearer end.

Arrays have shape (m, l): m sums of l variables. A variable with a > b is reflected,
theta -> 1 - theta with the weight -w, so that a <= b and p = a / n <= 1/2. Exponents near a small p
are then computed from numbers of its own size.

How far a sum and its transform reach follows from bounds of each variable.
The characteristic function of a Gamma variable of variance v and shape o has the modulus
(1 + t^2 v / o)^(-o / 2). That of a Beta falls at least as fast with its nearer exponent as o (tests
check it), so that the product is below exp(-D) from the height T with

    1/2 sum_i o_i log(1 + T^2 v_i / o_i) = D

on. The moment generating function of a centred Beta is, on the side to which it leans, below that
of a centred Gamma variable of the same variance v and third cumulant c v,
c = 2 |b - a| / (n (n + 2)), and below that of a normal variable on the other; tests check it, and
Skorski has tails of this form (Bernstein-type bounds for Beta distribution, Modern Stochastics 10,
2023). For a Gamma variable

    log E[exp(h X)] = v h^2 k(c h / 2),    k(y) = -(log(1 - y) + y) / y^2,

and k increases, so that in a sum the variances add, and the largest |w| c of the variables that
lean to a side counts there. By Chernoff's bound, and u - log(1 + u) >= u^2 / 2 / (1 + 2 u / 3), no
more than exp(-D) is on that side beyond

    D c / 3 + sqrt((D c / 3)^2 + 2 D v),

and nothing beyond the end of the support.
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from skpostbac._utils import Floats
from skpostbac.stats._numerics import Rows
from skpostbac.stats._series import DEPTH, NARROW, vanishing_heights

# Single sums of more variables than this are searched for identical ones.
_FEW = 4
# Both ends of a variable are resolved from |z| = SLOPE n + START on (`corners`).
SLOPE, START = 3.0, 40.0
_SIDES = np.array([-1.0, 1.0])[:, np.newaxis, np.newaxis]


@dataclass(frozen=True)
class Betas(Rows):
    """Sums of `weight` times theta ~ Beta(n p, n q), with p <= q = 1 - p; shapes (m, l).

    Attributes
    ----------
    count : number of identical variables that each stands for.
    near, far : the smaller exponent, n p, and the other, n q.
    curvature : minus the second derivative of the log density of the log-odds at p, n p q.
    size : sizes of the weights.
    variances : variance of each weighted variable.
    variance : variance of each sum, shape (m,).
    """

    count: Floats
    n: Floats
    p: Floats
    q: Floats
    weight: Floats
    near: Floats
    far: Floats
    curvature: Floats
    size: Floats
    variances: Floats
    variance: Floats

    @classmethod
    def reflected(cls, a: Floats, b: Floats, weights: Floats) -> "Betas":
        """See each variable from its nearer end. One without a weight counts as uniform."""
        if len(a) == 1 and a.shape[1] > _FEW:
            columns = Counter(zip(a[0].tolist(), b[0].tolist(), weights[0].tolist(), strict=True))
            a, b, weights = np.array(list(columns)).T[:, np.newaxis]
            count = np.array([list(columns.values())], dtype=float)
        else:
            count = np.ones_like(a)
        n = a + b
        variances = (a / n) * (b / n) * (weights * weights) / (n + 1)
        variance = (count * variances).sum(axis=1)
        idle = variances <= NARROW**2 * variance[:, np.newaxis]
        if idle.any():
            a, b, n = (np.where(idle, value, x) for value, x in ((1.0, a), (1.0, b), (2.0, n)))
            weights, variances = np.where(idle, 0.0, weights), np.where(idle, 0.0, variances)
        near, far = np.minimum(a, b), np.maximum(a, b)
        p, q = near / n, far / n
        weight, size = np.where(a > b, -weights, weights), np.abs(weights)
        return cls(count, n, p, q, weight, near, far, near * q, size, variances, variance)


def ranges(betas: Betas) -> tuple[Floats, Floats]:
    """Distances from the mean, below and above, beyond which nothing counts; shape (m,) each."""
    lean = (_SIDES * ((2 / 3 * DEPTH) * betas.weight * (betas.q - betas.p) / (betas.n + 2))).max(
        axis=2, initial=0.0
    )
    near, far = betas.count * betas.size * betas.p, betas.count * betas.size * betas.q
    ends = np.where(_SIDES * betas.weight > 0, far, near).sum(axis=2)
    below, above = np.minimum(lean + np.sqrt(lean * lean + 2 * DEPTH * betas.variance), ends)
    return below, above


def heights(betas: Betas) -> Floats:
    """Heights from which the transforms are negligible, shape (m,)."""
    near = betas.count * betas.near
    return vanishing_heights(near, betas.variances / betas.near, betas.variance)


def resolved_heights(betas: Betas) -> Floats:
    """Heights from which both ends of each variable are resolved, shape (m, l)."""
    found = np.zeros_like(betas.n)
    return np.divide(SLOPE * betas.n + START, betas.size, out=found, where=betas.size > 0)
