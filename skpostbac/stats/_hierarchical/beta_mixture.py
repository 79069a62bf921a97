"""The marginal distribution of one class under a hierarchical prior: a mixture of Betas.

With the posterior weights W of the states, and of the outlier state of the class,

    P(theta <= x) = sum_j W_j I_x(a_j, b_j),

where I is the regularised incomplete Beta function; tails and density are sums of positive terms,
and so have relative accuracy. This is used for a class of many samples nearly all of which are
correct, or wrong, where an inversion costs more: its transform decays slowly over many orders of
the height.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, betaincc, logsumexp

from skpostbac._utils import Floats
from skpostbac.stats._borrowing import Pool
from skpostbac.stats._distribution import Tails
from skpostbac.stats._hierarchical.terms import PooledClasses
from skpostbac.stats._numerics import Points, log_beta

# A class of more samples than the first, all but the second of which are of one kind, has a
# transform that costs much: it decays slowly over many orders of height.
_MANY, _FEW = 1e4, 1e3
# Tails below the first need the states that count in far tails; those below the second are left to
# the inversion, which has logs of any size.
_CENTRAL, _LEAST = 1e-3, 1e-290
# Tilts that lead to far points differ by no more than this in their logs.
_STEP = 2.0
# Numbers in a table at most.
_TABLE = 2**20


def is_slow(correct: float, total: float) -> bool:
    """Whether the incomplete Beta functions of a class are exact, and cheaper than an inversion."""
    return total > _MANY and min(correct, total - correct) < _FEW


@dataclass(frozen=True)
class BetaMixture:
    """A mixture of Betas on an interval of some size; `log_weights`, a and b have shape (n,)."""

    size: float
    log_weights: Floats
    a: Floats
    b: Floats

    @classmethod
    def of(cls, pool: Pool) -> "BetaMixture":
        """Take the one class of a pool: it borrows in each state, or it is an outlier."""
        (one,) = (stratum for stratum in pool.strata if stratum.kinds.count.size)
        weight = float(one.kinds.weights[0])
        log_own, log_other = (share[:, 0] + one.log_weights for share in one.log_shares)
        a, b = np.append(one.a[:, 0], one.outlier_a), np.append(one.b[:, 0], one.outlier_b)
        log_weights = np.append(log_own, logsumexp(log_other))
        some = np.isfinite(log_weights)
        a, b = (a, b) if weight > 0 else (b, a)
        return cls(abs(weight), log_weights[some], a[some], b[some])

    def at(self, points: Points) -> Floats:
        """Return the lower and the upper tail, and the log density, at each point, shape (3, n)."""
        count = max(1, points.to_low.size * self.a.size // _TABLE)
        blocks = np.array_split(np.arange(points.to_low.size), count)
        return np.hstack([self._table(points[block]) for block in blocks])

    def _table(self, points: Points) -> Floats:
        low, high = points.to_low / self.size, points.to_high / self.size
        weights = np.exp(self.log_weights)
        a, b = self.a[:, np.newaxis], self.b[:, np.newaxis]
        # By the distance from the nearer end, which has all digits.
        near = low < high
        x, first, last = np.minimum(low, high), np.where(near, a, b), np.where(near, b, a)
        nearer, farther = weights @ betainc(first, last, x), weights @ betaincc(first, last, x)
        logs = (first - 1) * np.log(x) + (last - 1) * np.log1p(-x) - log_beta(a, b)
        log_density = logsumexp(self.log_weights[:, np.newaxis] + logs, axis=0)
        return np.stack(
            [
                np.where(near, nearer, farther),
                np.where(near, farther, nearer),
                log_density - np.log(self.size),
            ]
        )


class OneClass:
    """A class that borrows from others, alone, in the states that count near some points."""

    def __init__(self, classes: PooledClasses) -> None:
        self._classes, self._centre = classes, BetaMixture.of(classes.pool)

    def tails(self, points: Points) -> Tails | None:
        """Both tails and the density, unless a tail is too small."""
        table = self._centre.at(points)
        lower, upper = (np.flatnonzero(tail < _CENTRAL) for tail in table[:2])
        for sign, far, distance in ((-1, lower, points.to_low), (1, upper, points.to_high)):
            if far.size:
                table[:, far] = self._far(sign, distance[far]).at(points[far])
        if table[:2].min(initial=1.0) < _LEAST:
            return None
        return Tails(np.log(table[0]), np.log(table[1]), table[2])

    def _far(self, sign: int, distance: Floats) -> BetaMixture:
        """Take the states that count under the tilts that lead to some distances from an end."""
        classes = self._classes
        total = float(classes.weighted.total[0]) + max(classes.hyperprior.kappa)
        # A power of so many samples has its saddlepoint within these.
        log_tilts = -np.log(distance.max()), np.log(total + 1) - np.log(distance.min())
        steps = int(np.ceil((log_tilts[1] - log_tilts[0]) / _STEP)) + 1
        tilts = np.exp(np.linspace(*log_tilts, steps))
        mirrored = classes if sign > 0 else classes.mirrored()
        pool = mirrored.under(*tilts.tolist())
        return BetaMixture.of(pool if sign > 0 else pool.mirrored())
