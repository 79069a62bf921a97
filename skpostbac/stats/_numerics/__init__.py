"""Numerical methods that do not depend on a distribution.

Elementary functions without cancellation and frames of supports (`arithmetic`), adaptive
quadrature, and products of matrices and waves (`arrays`). Imports `skpostbac._utils`.
"""

from skpostbac.stats._numerics.arithmetic import (
    EPS,
    Frame,
    check_weights,
    exact_sum,
    log_beta,
    log_binomial,
    log_rising,
    log_sum,
    polynomial,
    stirling_remainder,
    sum_weights,
    vector,
)
from skpostbac.stats._numerics.arrays import (
    Rows,
    even_sums,
    matrix_product,
    powers,
    stacked_products,
    waves,
)
from skpostbac.stats._numerics.quadrature import integrate
