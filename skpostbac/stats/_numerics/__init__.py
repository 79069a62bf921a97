"""Numerical methods that do not depend on a distribution.

Elementary functions without cancellation, positions on an interval to full relative accuracy,
adaptive quadrature, matrix products by one thread, and the cut-offs shared by all computations.
Imports `skpostbac._utils`.
"""

from skpostbac.stats._numerics.arrays import (
    Rows,
    matrix_product,
    powers,
    stacked_products,
    turned,
    waves,
)
from skpostbac.stats._numerics.cutoffs import (
    ACCURACY,
    DECAYED,
    DEPTH,
    EPS,
    LEAST_CORNER,
    NEGLIGIBLE,
    REACH,
)
from skpostbac.stats._numerics.even_transform import even_sums
from skpostbac.stats._numerics.points import (
    LARGEST_WEIGHT,
    SMALLEST_WEIGHT,
    Frame,
    Points,
    exact_sum,
    sum_weights,
    vector,
    weighted_mean,
    weighted_means,
)
from skpostbac.stats._numerics.quadrature import bracketed_root, integrate
from skpostbac.stats._numerics.special import (
    expm1mx,
    log1pmx,
    log_beta,
    log_sum,
    polynomial,
    stirling_remainder,
)

__all__ = [
    "ACCURACY",
    "DECAYED",
    "DEPTH",
    "EPS",
    "LARGEST_WEIGHT",
    "LEAST_CORNER",
    "NEGLIGIBLE",
    "REACH",
    "SMALLEST_WEIGHT",
    "Frame",
    "Points",
    "Rows",
    "bracketed_root",
    "even_sums",
    "exact_sum",
    "expm1mx",
    "integrate",
    "log1pmx",
    "log_beta",
    "log_sum",
    "matrix_product",
    "polynomial",
    "powers",
    "stacked_products",
    "stirling_remainder",
    "sum_weights",
    "turned",
    "vector",
    "waves",
    "weighted_mean",
    "weighted_means",
]
