"""Weighted Betas of many sums at once, each variable seen from its nearer end.

Arrays have shape (m, l): m sums of l variables. A variable with a > b is reflected,
theta -> 1 - theta with the weight -w, so that a <= b and p = a / n <= 1/2. Exponents near a small p
are then computed from numbers of its own size.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from skpostbac._utils import Floats
from skpostbac.stats._numerics import Rows


@dataclass(frozen=True)
class Betas(Rows):
    """Sums of `weight` times theta ~ Beta(n p, n q), with p <= q = 1 - p; shapes (m, l)."""

    n: Floats
    p: Floats
    q: Floats
    weight: Floats

    @classmethod
    def reflected(cls, a: Floats, b: Floats, weights: Floats) -> "Betas":
        """See each variable from its nearer end. One without a weight counts as uniform."""
        idle = weights == 0
        if idle.any():
            a, b = np.where(idle, 1.0, a), np.where(idle, 1.0, b)
        n = a + b
        weight = np.where(a > b, -weights, weights)
        return cls(n, np.minimum(a, b) / n, np.maximum(a, b) / n, weight)

    @cached_property
    def near(self) -> Floats:
        """Exponent at the nearer end."""
        return self.n * self.p

    @cached_property
    def size(self) -> Floats:
        """Size of the weights."""
        return np.abs(self.weight)

    @cached_property
    def curvature(self) -> Floats:
        """Minus the second derivative of the log density of the log-odds at p, n p q."""
        return self.near * self.q

    @cached_property
    def variances(self) -> Floats:
        """Variance of each weighted variable."""
        return self.weight * self.weight * self.p * self.q / (self.n + 1)

    @cached_property
    def variance(self) -> Floats:
        """Variance of each sum, shape (m,)."""
        return np.asarray(self.variances.sum(axis=1))
