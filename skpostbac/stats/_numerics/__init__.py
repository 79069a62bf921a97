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
    log_beta,
    log_binomial,
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
from skpostbac.stats._numerics.quadrature import integrate
