"""Characteristic functions of sums of Betas at multiples of a height.

With the nodes x_j of a variable and z_j = exp(i h w x_j), the wave of order k = r c + f is
(z_j^r)^c z_j^f: r fine powers and as many coarse ones, each by multiplication with the one before,
and one sum over the nodes for each pair. The sum is made by einsum, in an order that does not
depend on the threads of a linear algebra library.
"""

import numpy as np

from skpostbac._utils import Complexes, Floats
from skpostbac.stats._smooth.betas import Betas
from skpostbac.stats._smooth.path import Path, rule


def transforms(betas: Betas, path: Path, step: Floats, shape: tuple[int, int]) -> Complexes:
    """E[exp(i k h (X - mean))] for k < count, shape (m, count), at the steps h, shape (m,).

    `shape` is the count, and the number of nodes.
    """
    count, n_nodes = shape
    weights, real, imag = rule(betas, path, n_nodes)
    rate = (step[:, np.newaxis] * betas.size)[..., np.newaxis]
    exponent = 1j * (rate * real) - rate * imag
    fine = int(np.ceil(np.sqrt(count)))
    coarse = -(-count // fine)
    waves = np.einsum(
        "cmln,fmln->mlcf",
        _powers(weights, np.exp(fine * exponent), coarse),
        _powers(np.ones_like(weights), np.exp(exponent), fine),
    )
    # A negative weight has the conjugate transform.
    waves.imag *= np.sign(betas.weight)[..., np.newaxis, np.newaxis]
    product = np.multiply.reduce(waves, axis=1)
    return np.asarray(product.reshape(len(product), -1)[:, :count])


def _powers(first: Complexes, factor: Complexes, count: int) -> Complexes:
    """Return `first` times the powers 0 to count - 1 of a factor, along a new first axis."""
    table = np.empty((count, *factor.shape), dtype=complex)
    table[0] = first
    for i in range(1, count):
        np.multiply(table[i - 1], factor, out=table[i])
    return table
