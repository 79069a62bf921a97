"""Distributions of functions of a variable, from the distribution of the variable.

Powers, a variable plus a constant, and multiples of the odds. Imports `_distribution` and
`_numerics`.
"""

from skpostbac.stats._transforms.odds import OddsTransform
from skpostbac.stats._transforms.power import PowerTransform
from skpostbac.stats._transforms.shifted import ShiftedDistribution

__all__ = ["OddsTransform", "PowerTransform", "ShiftedDistribution"]
