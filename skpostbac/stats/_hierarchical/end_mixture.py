r"""Tails of a hierarchical sum so close to an end of the support that only leading powers count.

Given the state of its stratum, the density of a class near the end is a mixture of the densities of
an outlier and of a borrower, each a power of the distance t from the end. The transform E exp(-s t)
is then, for each state, a product of sums of two powers of s, and the tail is, with s = z / t,

    P(T < t) = 1 / (2 pi i) * integral of M(z / t) exp(z) / z dz

on a parabola z = z0 (1 + i x)^2 about the negative axis (Weideman and Trefethen, Mathematics of
Computation 76, 2007), which passes through the saddlepoint. The powers differ between states, so
the tail is not a power of t. The computation uses log s and works for arbitrarily small t.
"""

from dataclasses import dataclass

import numpy as np

from skpostbac._utils import Complexes, Floats
from skpostbac.stats._borrowing import Pool, Stratum, log_rise

# The parabola passes the real axis at the saddlepoint, or here. Its nodes are this far apart at
# most, or a share of the width of the saddle, and reach to where the integrand is exp(-depth).
_LEAST, _STEP, _SHARE, _DEPTH = 6.0, 0.08, 0.3, 40.0
# A power beside one that is larger by exp(40) is left out.
_ALONE = 40.0
# Difference in log s by which the power at s is found, and the rounds to find the saddlepoint.
_SMALL, _ROUNDS = 1e-3, 3


@dataclass(frozen=True)
class EndMixture:
    """Leading powers of a stratum at its upper end: exp(log_factor) s^-power for each kind.

    The arrays have shape (n_states, n_kinds); `log_likelihood` has shape (n_states,).
    """

    log_likelihood: Floats
    count: Floats
    own: tuple[Floats, Floats]
    other: tuple[Floats, Floats]

    @classmethod
    def of(cls, stratum: Stratum) -> "EndMixture":
        """Take the powers of borrowers and of outliers."""
        kinds = stratum.kinds
        up, log_size = kinds.weights > 0, np.log(np.abs(kinds.weights))

        def leading(a: Floats, b: Floats, log_share: Floats) -> tuple[Floats, Floats]:
            near, far = np.where(up, b, a), np.where(up, a, b)
            factor = log_share + log_rise(far, near) - near * log_size
            return factor, np.broadcast_to(near, factor.shape)

        log_own, log_other = stratum.log_shares
        own = leading(stratum.a, stratum.b, log_own)
        other = leading(stratum.outlier_a, stratum.outlier_b, log_other)
        return cls(stratum.log_likelihood, kinds.count, own, other)

    def log_mgfs(self, log_s: Complexes) -> Complexes:
        """Log of likelihood times transform in each state at each s, up to multiples of 2 pi i."""
        logs = np.repeat(self.log_likelihood[:, np.newaxis].astype(complex), log_s.size, axis=1)
        for kind, times in enumerate(self.count):
            own, other = (
                (factor[:, kind], power[:, kind]) for factor, power in (self.own, self.other)
            )
            logs += times * _log_sum(own, other, log_s)
        return logs


def _log_sum(
    own: tuple[Floats, Floats], other: tuple[Floats, Floats], log_s: Complexes
) -> Complexes:
    """Log of the sum of two multiples of powers of s in each state, shape (n_states, n)."""
    ends = np.array([log_s.real.min(), log_s.real.max()])
    more = (own[0] - other[0])[:, np.newaxis] - np.multiply.outer(own[1] - other[1], ends)
    alone, beside = more.min(axis=1) > _ALONE, more.max(axis=1) < -_ALONE
    # In most states only one of them counts.
    factor, power = (np.where(beside, y, x) for x, y in zip(own, other, strict=True))
    logs = factor[:, np.newaxis] - np.multiply.outer(power, log_s)
    if (both := ~(alone | beside)).any():
        rest = other[0][both, np.newaxis] - np.multiply.outer(other[1][both], log_s)
        largest = np.maximum(logs[both].real, rest.real)
        logs[both] = np.log(np.exp(logs[both] - largest) + np.exp(rest - largest)) + largest
    return np.asarray(logs)


def _log_mgf(pool: Pool, mixtures: list[EndMixture], log_s: Complexes) -> Complexes:
    """Log of the transform of a pool at each s, up to multiples of 2 pi i."""
    logs = [one.log_mgfs(log_s) for one in mixtures]
    tops = [table.real.max(axis=0) for table in logs]
    total = pool.chain.total([np.exp(table - top) for table, top in zip(logs, tops, strict=True)])
    return np.asarray(np.log(total) + sum(tops) - pool.log_evidence)


def log_end_tail(pools: list[Pool], log_distance: float) -> tuple[float, float]:
    """Log of P(T < t) and of the density at t, the distance of a sum of pools from its end."""
    mixtures = [[EndMixture.of(one) for one in pool.strata] for pool in pools]

    def log_mgf(log_s: Complexes) -> Complexes:
        pairs = zip(pools, mixtures, strict=True)
        return np.asarray(sum(_log_mgf(pool, some, log_s) for pool, some in pairs))

    order, log_s = 1.0, -log_distance
    for _ in range(_ROUNDS):
        near: Complexes = np.array([log_s, log_s + _SMALL], dtype=complex)
        first, second = log_mgf(near).real
        order = float((first - second) / _SMALL)
        log_s = float(np.log(order)) - log_distance
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
