"""Distributions of functions of a variable, from the distribution of the variable.

Powers, a variable plus a constant, and multiples of the odds. Imports `_distribution`, `_series`
and `_numerics`.
"""

from skpostbac.stats._transforms.monotone import (
    OddsTransform,
    PowerTransform,
    ShiftedDistribution,
)

__all__ = ["OddsTransform", "PowerTransform", "ShiftedDistribution"]
