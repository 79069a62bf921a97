"""Inversion of the moment generating function of a sum of independent variables.

`inverter` finds the saddlepoint, and `contour` places a Bromwich contour through it, using a bound
of the range of the sum (`chernoff`). `transform` multiplies the terms' moment generating functions
along the contour. Where the product decays slowly, `lattice` and `branch_points` sum the
contributions of corners and branch points. The kind of the terms enters through the class `Terms`
only. Serves the families that have not moved to `_series`: paired differences, strata that borrow,
and populations. Imports `_distribution` and `_numerics`.
"""

from skpostbac.stats._inversion.branch_points import (
    CornerIntegrals,
    clear_height,
    joint_integrals,
)
from skpostbac.stats._inversion.contour import (
    Contour,
    Part,
    Series,
    SplitDistribution,
    TiltedDistribution,
    derivatives,
)
from skpostbac.stats._inversion.inverter import FarContour, Inversion
from skpostbac.stats._inversion.lattice import Corner
from skpostbac.stats._inversion.power_end import IndependentSum, PowerEnd, alike
from skpostbac.stats._inversion.slow_heights import Panels, at_heights
from skpostbac.stats._inversion.tilted_sum import InvertibleSum
from skpostbac.stats._inversion.transform import (
    Grid,
    Line,
    Reach,
    Terms,
)
from skpostbac.stats._inversion.waves import Quadrature
from skpostbac.stats._inversion.weighted_sum import WeightedSum

__all__ = [
    "Contour",
    "Corner",
    "CornerIntegrals",
    "FarContour",
    "Grid",
    "IndependentSum",
    "Inversion",
    "InvertibleSum",
    "Line",
    "Panels",
    "Part",
    "PowerEnd",
    "Quadrature",
    "Reach",
    "Series",
    "SplitDistribution",
    "Terms",
    "TiltedDistribution",
    "WeightedSum",
    "alike",
    "at_heights",
    "clear_height",
    "derivatives",
    "joint_integrals",
]
