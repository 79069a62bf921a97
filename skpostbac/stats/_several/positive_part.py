"""The mean of the positive part of a variable."""

from __future__ import annotations

import numpy as np

from skpostbac._utils import Floats, Indices
from skpostbac.stats._distribution import BoundedDistribution
from skpostbac.stats._numerics import integrate

# Ends of the first pieces, as shares of P(X > 0) that lie beyond them: the integrand falls by a
# few orders at most from one to the next. What is left out beyond the last is less than 1e-12.
_SHARES = np.array([1, 0.9, 0.5, 0.1, 1e-2, 1e-4, 1e-8, 1e-13])


def mean_positive_part(distribution: BoundedDistribution) -> float:
    """Return E[max(X, 0)] as the integral of P(X > x) over all x > 0.

    The relative error is that of `ccdf`, also where X is hardly ever positive.

    Examples
    --------
    >>> from skpostbac.stats import BetaAverage
    >>> one, two = BetaAverage([3], [2]), BetaAverage([2], [3])
    >>> mean_positive_part(one - two)  # 17 / 70
    0.24286
    """
    above = float(distribution.ccdf(0.0))
    if above == 0:
        return 0.0

    def tail(_: Indices, x: Floats) -> Floats:
        return np.asarray(distribution.ccdf(x))

    start = max(0.0, distribution.support()[0])
    edges = np.maximum(np.asarray(distribution.iccdf(above * _SHARES)), start)
    edges[0] = start
    return start + float(integrate(tail, np.maximum.accumulate(edges)[np.newaxis])[0])
