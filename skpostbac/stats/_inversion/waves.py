"""Sums of waves at the nodes of a quadrature: transforms at many heights of a vertical line.

A tilted variable with the nodes x_j and the masses m_j, of sum one, has the characteristic function

    M(c + it) / M(c) = sum_j m_j exp(i t x_j).

At the heights t = t_b + t_o, a base plus an offset, the exponentials factor,

    sum_j [m_j exp(i t_b x_j)] exp(i t_o x_j),

so that B bases and O offsets take B + O rows of exponentials and one product of matrices, instead
of B O rows. The rows at evenly spaced heights follow from one another by multiplication.

A term of small variance has a transform close to one. Its difference from one is summed without
cancellation from exp(i x) - 1 = -2 sin(x / 2)^2 + i sin(x) and the rule for products less one,
(1 + u) (1 + v) - 1 = u + v + u v.
"""

from dataclasses import dataclass

import numpy as np

from skpostbac._utils import Complexes, Floats

# Exponentials are tabulated for about this many pairs of a node and a height at a time.
_TABLE = 2**22


@dataclass(frozen=True)
class Quadrature:
    """Nodes of each term about its mode, weights that sum to one, and log mgfs about the mode.

    Shapes (n_terms, n_nodes), the same, and (n_terms,).
    """

    nodes: Floats
    weights: Floats
    log_mgf: Floats

    @property
    def mean(self) -> Floats:
        """Tilted mean less the mode of each weighted term."""
        mean: Floats = (self.weights * self.nodes).sum(axis=1)
        return mean


def waves(nodes: Floats, weights: Floats, bases: Floats, offsets: Floats) -> Complexes:
    """Sum over the nodes of weights * exp(i t nodes) for t = bases[:, None] + offsets.

    An exponential of a sum factors, so the whole table costs one product of matrices. It is summed
    by einsum, in an order that does not depend on the threads of a linear algebra library. Both
    `bases` and `offsets` are evenly spaced. Returns shape (n_terms, n_bases, n_offsets).
    """
    coarse, fine = _powers(nodes, bases), _powers(nodes, offsets)
    return np.asarray(np.einsum("bcj,ocj->cbo", coarse * weights, fine))


def _powers(nodes: Floats, heights: Floats) -> Complexes:
    """exp(i t nodes) at evenly spaced heights t, one after the other, by multiplication."""
    factors = np.empty((heights.size, *nodes.shape), dtype=complex)
    np.exp(1j * heights[0] * nodes, out=factors[0])
    if heights.size > 1:
        factors[1:] = np.exp(1j * (heights[1] - heights[0]) * nodes)
    return np.asarray(np.multiply.accumulate(factors, axis=0))


def waves_less_one(nodes: Floats, weights: Floats, bases: Floats, offsets: Floats) -> Complexes:
    """Sum over the nodes of weights * (exp(i t nodes) - 1) for t = bases[:, None] + offsets.

    Many terms of small variance are close to one. Returns shape (n_terms, n_bases, n_offsets).
    """
    less_one = np.zeros((len(nodes), bases.size, offsets.size), dtype=complex)
    most = max(1, _TABLE // (len(nodes) * (bases.size + offsets.size)))
    for start in range(0, nodes.shape[1], most):
        row, share = nodes[:, start : start + most], weights[:, start : start + most]
        coarse, fine = _powers_less_one(row, bases) * share, _powers_less_one(row, offsets)
        less_one += np.einsum("bcj,ocj->cbo", coarse, fine)
        less_one += np.einsum("cj,ocj->co", share, fine)[:, np.newaxis, :]
        less_one += coarse.sum(axis=2).T[:, :, np.newaxis]
    return less_one


def _powers_less_one(nodes: Floats, heights: Floats) -> Complexes:
    """exp(i t nodes) - 1 at evenly spaced heights t, shape (n_heights, *nodes.shape).

    What is known is doubled by x + y + x y, the rule of products less one: rounding errors grow
    with the logarithm of the number of heights.
    """
    table = np.empty((heights.size, *nodes.shape), dtype=complex)
    table[0] = _expm1i(heights[0] * nodes)
    known = 1
    while known < heights.size:
        step = _expm1i((heights[known] - heights[0]) * nodes)
        more = min(known, heights.size - known)
        target = table[known : known + more]
        np.multiply(table[:more], step, out=target)
        target += table[:more]
        target += step
        known += more
    return table


def _expm1i(x: Floats) -> Complexes:
    """exp(i x) - 1."""
    half = np.sin(0.5 * x)
    return -2 * half * half + 1j * np.sin(x)
