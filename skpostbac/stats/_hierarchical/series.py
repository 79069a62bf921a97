"""Chebyshev series of the transforms of classes that borrow.

With x = 2 theta - 1 the transform of a class of weight w is

    E exp(s w theta) = exp(s w / 2)  sum over r of c_r I_r(s w / 2) E[T_r(x)],

where the coefficients (`chebyshev`) are the same for all classes of one weight, and the moments
for all s.
"""

from dataclasses import dataclass

import numpy as np

from skpostbac._utils import Bools, Complexes, Floats, Indices
from skpostbac.stats._borrowing import Stratum
from skpostbac.stats._hierarchical.chebyshev import chebyshev_coefficients, chebyshev_moments

# States times kinds whose moments are made together at most.
_TOGETHER = 2**14


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


@dataclass(frozen=True)
class Group:
    """Some kinds of one weight, whose moments are made together.

    Attributes
    ----------
    index : the kinds.
    weight : their weight.
    """

    index: Indices
    weight: float

    @classmethod
    def all_of(cls, stratum: Stratum) -> "tuple[Group, ...]":
        """Group the kinds of a stratum by weight, not too many at a time."""
        weights, found = stratum.kinds.weights, []
        most = max(_TOGETHER // max(stratum.n_states, 1), 1)
        for weight in np.unique(weights):
            index = np.flatnonzero(weights == weight)
            parts = np.split(index, range(most, index.size, most))
            found += [cls(some, float(weight)) for some in parts]
        return tuple(found)

    def where(self, some: Bools) -> "Group":
        """Return some of the kinds."""
        return Group(self.index[some], self.weight)

    def moments(self, stratum: Stratum, order: int, spare: int = 0) -> Floats:
        """Return the moments below an order, shape (order + spare, n_kinds, n_states + 1).

        The last of each kind are those of an outlier. What is spare is not set.
        """
        a = np.add.outer(stratum.outlier_a[self.index], np.append(stratum.up, 0.0))
        b = np.add.outer(stratum.outlier_b[self.index], np.append(stratum.down, 0.0))
        return chebyshev_moments(a, b, order, spare)
