r"""Tails of a hierarchical sum so close to an end of the support that only leading powers count.

There the density of a class, given the hyperparameters, is that of an outlier and that of a
borrower, each a power of the distance t from the end. With these the transform E exp(-s t) is, for
each node, a product of sums of two powers of s, and the tail is, with s = z / t,

    P(T < t) = 1 / (2 pi i) * integral of M(z / t) exp(z) / z dz

on a parabola z = z0 (1 + i x)^2 about the negative axis (Weideman and Trefethen, Mathematics of
Computation 76, 2007), which passes the saddlepoint. The powers differ from node to node, so that
the tail itself is none. In logs of s no t is too small.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from skpostbac._utils import Complexes, Floats
from skpostbac.stats._hierarchical.hyperprior import log_rise
from skpostbac.stats._hierarchical.pool import Pool

# The parabola passes the real axis at the saddlepoint, or here. Its nodes are this far apart at
# most, or a share of the width of the saddle, and reach to where the integrand is exp(-depth).
_LEAST, _STEP, _SHARE, _DEPTH = 6.0, 0.08, 0.3, 40.0
# Difference in log s by which the power at s is found, and the rounds to find the saddlepoint.
_SMALL, _ROUNDS = 1e-3, 3
# Nodes of less weight at the saddlepoint are left out.
_LEAST_WEIGHT = np.log(1e-18)


@dataclass(frozen=True)
class EndMixture:
    """Leading powers of a pool at its upper end: exp(log_factor) s^-power for each kind.

    The arrays have shape (n_nodes, n_kinds); `log_weights` has shape (n_nodes,).
    """

    log_weights: Floats
    count: Floats
    own: tuple[Floats, Floats]
    other: tuple[Floats, Floats]

    @classmethod
    def of(cls, pool: Pool) -> "EndMixture":
        """Take the powers of borrowers and of outliers."""
        up = pool.kinds.weights > 0
        log_size = np.log(np.abs(pool.kinds.weights))

        def leading(a: Floats, b: Floats, log_share: Floats) -> tuple[Floats, Floats]:
            near, far = np.where(up, b, a), np.where(up, a, b)
            factor = log_share + log_rise(far, near) - near * log_size
            return factor, np.broadcast_to(near, factor.shape)

        log_own, log_other = pool.log_shares
        own = leading(pool.a, pool.b, log_own)
        other = leading(pool.outlier_a, pool.outlier_b, log_other)
        return cls(pool.nodes.log_weights, pool.kinds.count, own, other)

    def log_mgfs(self, log_s: Complexes) -> Complexes:
        """Log of the transform at each node and s, up to multiples of 2 pi i."""
        logs = np.repeat(self.log_weights[:, np.newaxis].astype(complex), log_s.size, axis=1)
        for kind, times in enumerate(self.count):
            parts = [
                factor[:, [kind]] - np.multiply.outer(power[:, kind], log_s)
                for factor, power in (self.own, self.other)
            ]
            largest = np.maximum(parts[0].real, parts[1].real)
            logs += times * (np.log(sum(np.exp(part - largest) for part in parts)) + largest)
        return logs

    def heaviest(self, log_s: float) -> "EndMixture":
        """Return the mixture of the nodes that count at s."""
        logs = self.log_mgfs(np.array([log_s], dtype=complex))[:, 0].real
        kept = logs > logs.max() + _LEAST_WEIGHT
        own, other = (tuple(x[kept] for x in pair) for pair in (self.own, self.other))
        return EndMixture(self.log_weights[kept], self.count, own, other)


def log_end_tail(mixtures: list[EndMixture], log_distance: float) -> tuple[float, float]:
    """Log of P(T < t) and of the density at t, the distance of a sum of pools from its end."""

    def log_mgf(log_s: Complexes) -> Complexes:
        return np.asarray(sum(logsumexp(one.log_mgfs(log_s), axis=0) for one in mixtures))

    order, log_s = 1.0, -log_distance
    for _ in range(_ROUNDS):
        near: Complexes = np.array([log_s, log_s + _SMALL], dtype=complex)
        first, second = log_mgf(near).real
        order = float((first - second) / _SMALL)
        log_s = float(np.log(order)) - log_distance
    mixtures = [one.heaviest(log_s) for one in mixtures]
    z0 = max(order, _LEAST)
    step = min(_STEP, _SHARE / np.sqrt(z0 + order))
    x = step * np.arange(np.ceil(np.sqrt(_DEPTH / z0) / step) + 1)
    turn: Complexes = 1 + 1j * x
    logs = log_mgf(np.log(z0) + 2 * np.log(turn) - log_distance) + z0 * turn**2
    terms = np.exp(logs - logs[0].real) * (2 * step / np.pi) / turn
    terms[0] /= 2
    tail, density = terms.sum().real, (terms * z0 * turn**2).sum().real
    reference = float(logs[0].real)
    return reference + float(np.log(tail)), reference + float(np.log(density)) - log_distance
