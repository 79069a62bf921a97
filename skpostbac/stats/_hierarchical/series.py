"""Chebyshev series of the transforms of classes that borrow.

With x = 2 theta - 1 the transform of a class of weight w is

    E exp(s w theta) = exp(s w / 2)  sum over r of c_r I_r(s w / 2) E[T_r(x)],

where the coefficients (`skpostbac.stats._beta.chebyshev`) are the same for all classes of one
weight, and the moments for all s.
"""

import numpy as np

from skpostbac._utils import Bools, Complexes, Floats, Indices
from skpostbac.stats._beta import chebyshev_coefficients, chebyshev_moments
from skpostbac.stats._borrowing import Stratum

# States times kinds whose moments are made together at most. If more moments are needed, so many
# times as many are made as there were.
_TOGETHER, _GROWTH = 2**15, 1.5


class Coefficients:
    """Coefficients c_r I_r(s w / 2) at a tilt and at s = c + rates, once for each weight w."""

    def __init__(self, tilt: float, rates: Complexes) -> None:
        self._s: Complexes = np.append(complex(tilt), tilt + rates)
        self._known: dict[float, Complexes] = {}

    def of(self, weight: float) -> Complexes:
        """Return those of a weight, shape (n_orders, 1 + n_rates)."""
        if weight not in self._known:
            self._known[weight] = chebyshev_coefficients(weight / 2 * self._s)
        return self._known[weight]


class Moments:
    """Moments of some kinds of one weight, made as far as they are asked for.

    Attributes
    ----------
    index : the kinds.
    weight : their weight.
    """

    def __init__(self, index: Indices, weight: float, a: Floats, b: Floats) -> None:
        """Take the parameters of Betas, shape (n, n_kinds)."""
        self.index, self.weight = index, weight
        self._a, self._b = a, b
        self._table: Floats = chebyshev_moments(a, b, 2)

    @classmethod
    def groups(cls, stratum: Stratum) -> "tuple[Moments, ...]":
        """Group the kinds of a stratum by weight; their last row is that of an outlier."""
        weights, found = stratum.kinds.weights, []
        most = max(_TOGETHER // max(stratum.n_states, 1), 1)
        for weight in np.unique(weights):
            index = np.flatnonzero(weights == weight)
            for some in np.split(index, range(most, index.size, most)):
                a = np.add.outer(np.append(stratum.up, 0.0), stratum.outlier_a[some])
                b = np.add.outer(np.append(stratum.down, 0.0), stratum.outlier_b[some])
                found.append(cls(some, float(weight), a, b))
        return tuple(found)

    def where(self, kept: Bools) -> "Moments":
        """Return those in some of the states."""
        rows = np.append(kept, True)
        some = Moments(self.index, self.weight, self._a[rows], self._b[rows])
        some._table = self._table[rows]
        return some

    def below(self, order: int) -> Floats:
        """Return the moments below an order, shape (n, n_kinds, order)."""
        known = self._table.shape[-1]
        if known < order:
            more = max(order, int(_GROWTH * known))
            self._table = chebyshev_moments(self._a, self._b, more, self._table)
        return self._table[..., :order]
