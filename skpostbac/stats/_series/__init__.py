"""Distributions of bounded variables from the Fourier series of their densities.

`series` evaluates distribution functions, whose rest beyond the last order is summed in closed form
(`corners`). `quantile`, `shortest` and `mode` answer questions about anything that can be
evaluated, many distributions at once, and `located` at points of the real line. What variables
these are does not matter here; `sums` has what families of sums of independent variables share.
"""

from skpostbac.stats._series.corners import Corners, Rule
from skpostbac.stats._series.located import Located, SmallTails
from skpostbac.stats._series.mode import modes
from skpostbac.stats._series.quantile import quantiles
from skpostbac.stats._series.series import (
    LEAST_TAIL,
    Centred,
    Evaluator,
    Series,
    tails_about_means,
)
from skpostbac.stats._series.shortest import shortest_intervals
from skpostbac.stats._series.sums import (
    DEPTH,
    NARROW,
    ORDER,
    PERIOD,
    fade,
    gauss_points,
    orders,
    vanishing_heights,
)

__all__ = [
    "DEPTH",
    "LEAST_TAIL",
    "NARROW",
    "ORDER",
    "PERIOD",
    "Centred",
    "Corners",
    "Evaluator",
    "Located",
    "Rule",
    "Series",
    "SmallTails",
    "fade",
    "gauss_points",
    "modes",
    "orders",
    "quantiles",
    "shortest_intervals",
    "tails_about_means",
    "vanishing_heights",
]
