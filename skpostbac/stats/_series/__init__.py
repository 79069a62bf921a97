"""Distributions of bounded variables from the Fourier series of their densities.

`series` evaluates distribution functions, and `points` answers questions about anything that can be
evaluated, many distributions at once. What variables these are does not matter here.
"""

from skpostbac.stats._series.points import Located, SmallTails, modes, quantiles, shortest_intervals
from skpostbac.stats._series.series import (
    CHEAP,
    DEPTH,
    NARROW,
    ORDER,
    PERIOD,
    Centred,
    Corners,
    Evaluator,
    Rule,
    Series,
    fade,
    gauss_points,
    orders,
    vanishing_heights,
)
