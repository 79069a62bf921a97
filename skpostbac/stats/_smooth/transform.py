"""Characteristic functions of sums of Betas at multiples of a height.

With the nodes x_j of a variable and z_j = exp(i h w x_j), the wave of order k = r c + f is
(z_j^r)^c z_j^f: r fine powers and as many coarse ones, and one sum over the nodes for each pair,
the entries of a product of two matrices.

Variables are computed in blocks of about a megabyte, which stays near the processor, with as many
nodes as the one among them needs that needs the most.
"""

from collections.abc import Iterator

import numpy as np

from skpostbac._utils import Complexes, Floats, Indices
from skpostbac.stats._numerics import stacked_products
from skpostbac.stats._smooth.betas import Betas
from skpostbac.stats._smooth.path import Path, rule
from skpostbac.stats._smooth.waves import powers, waves

# Complex numbers in a block.
_BLOCK = 2**16


def transforms(betas: Betas, path: Path, step: Floats, n_orders: int) -> Complexes:
    """E[exp(i k h (X - mean))] for k < n_orders, shape (m, n_orders), at the steps h, (m,)."""
    paths, rate = path.ravel(), (step[:, np.newaxis] * betas.weight).ravel()
    values = np.empty((rate.size, n_orders), dtype=complex)
    for rows in _blocks(paths.count, n_orders):
        values[rows] = _transforms(paths[rows], rate[rows], n_orders)
    return np.asarray(np.multiply.reduce(values.reshape(*betas.p.shape, n_orders), axis=1))


def _blocks(count: Floats, n_orders: int) -> Iterator[Indices | slice]:
    """Yield the variables of each block, with about the same numbers of nodes."""
    size = _BLOCK / (2 * np.sqrt(n_orders))
    if count.size * count.max() <= size:
        yield slice(None)
        return
    order, start = np.argsort(-count), 0
    while start < count.size:
        stop = start + max(1, int(size / count[order[start]]))
        yield order[start:stop]
        start = stop


def _transforms(path: Path, rate: Floats, n_orders: int) -> Complexes:
    """Return the transforms of variables, shape (n, n_orders)."""
    weights, real, imag = rule(path, int(path.count.max()))
    angle, decay = rate[:, np.newaxis] * real, -rate[:, np.newaxis] * imag
    n_fine = int(np.ceil(np.sqrt(n_orders)))
    n_coarse = -(-n_orders // n_fine)
    fine = powers(1.0, waves(angle, decay), n_fine)
    coarse = powers(weights, waves(n_fine * angle, n_fine * decay), n_coarse)
    values = stacked_products(coarse.transpose(1, 0, 2), fine.transpose(1, 2, 0))
    return values.reshape(len(values), -1)[:, :n_orders]
