"""Joint draws of variables with known distributions and correlations.

Ranks are those of correlated normal variables (Iman and Conover, Communications in Statistics:
Simulation and Computation 11, 1982): the draw of the k-th smallest normal value gets the k-th of
evenly spaced quantiles of its own distribution.
"""

from collections.abc import Sequence

import numpy as np

from skpostbac._utils import Floats
from skpostbac.stats._numerics import matrix_product


def nearest_correlations(covariances: Floats) -> Floats:
    """Return correlations of covariances that may not belong to any variables, shape (n, n).

    Negative eigenvalues are set to zero, and the diagonal to one again.
    """
    scale = np.sqrt(np.diag(covariances))
    values, vectors = np.linalg.eigh(covariances / np.outer(scale, scale))
    nearest = (vectors * np.maximum(values, 0.0)) @ vectors.T
    scale = np.sqrt(np.diag(nearest))
    return np.asarray(nearest / np.outer(scale, scale))


def draw_with_ranks(
    draws: Sequence[Floats], correlations: Floats, size: int, rng: np.random.Generator
) -> Floats:
    """Draw jointly from distributions that are known by sorted draws, shape (size, n).

    Parameters
    ----------
    draws : sequence of n arrays
        Of each distribution, sorted.
    correlations : array of shape (n, n)
        Positive semidefinite.
    size : int
    rng : Generator
    """
    values, vectors = np.linalg.eigh(correlations)
    roots = vectors * np.sqrt(np.maximum(values, 0.0))
    normal = matrix_product(rng.standard_normal((size, len(draws))), roots.T)
    levels = (np.arange(size) + 0.5) / size
    joint = np.empty_like(normal)
    for column, (scores, one) in enumerate(zip(normal.T, draws, strict=True)):
        joint[np.argsort(scores), column] = np.quantile(one, levels)
    return np.asarray(joint)
