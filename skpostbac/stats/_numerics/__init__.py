"""Numerical methods that do not depend on a distribution.

Elementary functions without cancellation and exact means of sums (`arithmetic`), adaptive
quadrature, and products of matrices and waves (`arrays`). Imports `skpostbac._utils`.
"""

from skpostbac.stats._numerics.arithmetic import (
    EPS,
    LARGEST_WEIGHT,
    SMALLEST_WEIGHT,
    Frame,
    exact_sum,
    expm1mx,
    log1pmx,
    log_beta,
    log_sum,
    polynomial,
    stirling_remainder,
    sum_weights,
    vector,
    weighted_mean,
    weighted_means,
)
from skpostbac.stats._numerics.arrays import (
    Rows,
    even_sums,
    matrix_product,
    powers,
    stacked_products,
    turned,
    waves,
)
from skpostbac.stats._numerics.quadrature import bracketed_root, integrate

__all__ = [
    "EPS",
    "LARGEST_WEIGHT",
    "SMALLEST_WEIGHT",
    "Frame",
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
