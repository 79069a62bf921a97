"""Weighted Betas of many sums at once, each variable seen from its nearer end.

Arrays have shape (m, l): m sums of l variables. A variable with a > b is reflected,
theta -> 1 - theta with the weight -w, so that a <= b and p = a / n <= 1/2. Exponents near a small p
are then computed from numbers of its own size.
"""

from dataclasses import dataclass

import numpy as np

from skpostbac._utils import Floats
from skpostbac.stats._numerics import Rows


@dataclass(frozen=True)
class Betas(Rows):
    """Sums of `weight` times theta ~ Beta(n p, n q), with p <= q = 1 - p; shapes (m, l).

    Attributes
    ----------
    near : the smaller exponent, n p.
    curvature : minus the second derivative of the log density of the log-odds at p, n p q.
    variances : variance of each weighted variable.
    variance : variance of each sum, shape (m,).
    """

    n: Floats
    p: Floats
    q: Floats
    weight: Floats
    near: Floats
    curvature: Floats
    variances: Floats
    variance: Floats

    @classmethod
    def reflected(cls, a: Floats, b: Floats, weights: Floats) -> "Betas":
        """See each variable from its nearer end. One without a weight counts as uniform."""
        if not weights.all():
            idle = weights == 0
            a, b = np.where(idle, 1.0, a), np.where(idle, 1.0, b)
        n, near = a + b, np.minimum(a, b)
        p, q = near / n, np.maximum(a, b) / n
        curvature = near * q
        variances = weights * weights * curvature / (n * (n + 1))
        weight = np.where(a > b, -weights, weights)
        return cls(n, p, q, weight, near, curvature, variances, variances.sum(axis=1))

    @property
    def size(self) -> Floats:
        """Size of the weights."""
        return np.asarray(np.abs(self.weight))
