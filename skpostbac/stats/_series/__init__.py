"""Distributions of bounded variables from the Fourier series of their densities.

`series` evaluates distribution functions, whose rest beyond the last order is summed in closed form
(`corners`). `quantile`, `shortest` and `mode` answer questions about anything that can be
evaluated, many distributions at once. What variables these are does not matter here.
"""

from skpostbac.stats._series.corners import Corners, Rule
from skpostbac.stats._series.mode import modes
from skpostbac.stats._series.quantile import quantiles
from skpostbac.stats._series.series import Centred, Evaluator, Series, powers, waves
from skpostbac.stats._series.shortest import shortest_intervals

__all__ = [
    "Centred",
    "Corners",
    "Evaluator",
    "Rule",
    "Series",
    "modes",
    "powers",
    "quantiles",
    "shortest_intervals",
    "waves",
]
